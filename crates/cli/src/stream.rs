//! Results on their way to standard output.

use crate::errors::unprintable;
use crate::output::Output;
use std::collections::BTreeMap;
use std::io::{self, Write};

/// Results on their way to standard output, as they come or in the order they were asked.
#[derive(Default)]
pub(crate) struct Stream {
    in_order: bool,
    next: usize,
    waiting: BTreeMap<usize, String>,
    failed: Option<io::Error>,
    /// whether these are documents, and not text
    documents: bool,
    /// whether colours are left out, once that is known
    plain: Option<bool>,
}

impl Stream {
    /// Text in order, or documents as they come.
    pub(crate) fn new(is_text: bool) -> Self {
        Self { in_order: is_text, documents: !is_text, ..Self::default() }
    }

    /// Adds a result, and writes what has not to wait any longer.
    pub(crate) fn put(&mut self, index: usize, text: String) {
        self.waiting.insert(index, text);
        let mut ready = String::new();
        while let Some(first) = self.waiting.first_entry() {
            if self.in_order && *first.key() > self.next {
                break;
            }
            ready += &first.remove();
            self.next += 1;
        }
        self.write(&ready);
    }

    fn write(&mut self, text: &str) {
        if !text.is_empty() && self.failed.is_none() {
            let plain = *self.plain.get_or_insert_with(|| !Output::has_colours());
            let mut out = if self.documents { Output::document() } else { Output::text_as(plain) };
            self.failed = out.write_all(text.as_bytes()).and_then(|()| out.flush()).err();
        }
    }

    /// Writes what waited for a result that never came.
    pub(crate) fn finish(&mut self) -> anyhow::Result<()> {
        let rest: String = std::mem::take(&mut self.waiting).into_values().collect();
        self.write(&rest);
        self.failed.take().map_or(Ok(()), |error| Err(unprintable(&error)))
    }
}
