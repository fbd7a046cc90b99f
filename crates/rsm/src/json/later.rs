//! Names of nodes and targets that are looked up later, many at a time.
//!
//! In a large table every lookup waits for memory, several times where the name is known: a
//! component of a million nodes names them from far away. So the names that are not among the
//! recently used ones are kept until there are enough of them.

use crate::{Draft, RsmBuilder};
use loris_base::{NameKey, Symbol, TOGETHER};

/// Names on their way into a draft.
#[derive(Default)]
pub(super) struct Later {
    names: Vec<Name>,
    text: Vec<u8>,
}

struct Name {
    key: NameKey,
    /// where its text ends
    end: usize,
    /// the thing it names
    of: Of,
    /// where the input has it
    offset: u64,
}

/// The thing with a name: a node of this number, or a target.
#[derive(Clone, Copy)]
pub(super) enum Of {
    Node(usize),
    Target(usize),
}

impl Later {
    /// How many names there are.
    #[inline]
    pub(super) fn len(&self) -> usize {
        self.names.len()
    }

    /// Whether it is time to look them up.
    #[inline]
    pub(super) fn is_full(&self) -> bool {
        self.names.len() >= TOGETHER
    }

    /// Adds a name.
    pub(super) fn push(&mut self, key: NameKey, text: &[u8], of: Of, offset: u64) {
        self.text.extend_from_slice(text);
        self.names.push(Name { key, end: self.text.len(), of, offset });
    }

    /// Forgets all but the first this many names.
    pub(super) fn truncate(&mut self, count: usize) {
        self.names.truncate(count);
        self.text.truncate(self.names.last().map_or(0, |last| last.end));
    }

    /// Forgets the names of the targets from this number on, which are the last.
    pub(super) fn truncate_targets(&mut self, targets: usize) {
        let is_gone = |name: &&Name| matches!(name.of, Of::Target(number) if number >= targets);
        self.truncate(self.names.len() - self.names.iter().rev().take_while(is_gone).count());
    }

    /// Looks the names up.
    ///
    /// # Errors
    /// Where a name is for which there is no room.
    pub(super) fn look_up(&mut self, builder: &mut RsmBuilder, draft: &mut Draft) -> Result<(), u64> {
        builder.names.look_ahead(self.names.iter().map(|name| name.key.hash()));
        let mut start = 0;
        for name in &self.names {
            let text = &self.text[start..name.end];
            start = name.end;
            let symbol = symbol(builder, name.key, text).ok_or(name.offset)?;
            match name.of {
                Of::Node(number) => draft.nodes[number].name = symbol,
                Of::Target(number) => draft.targets[number].node = symbol,
            }
        }
        self.truncate(0);
        Ok(())
    }
}

/// The symbol of a name with its key, new or old; none if there is no room for it.
#[inline]
pub(super) fn symbol(builder: &mut RsmBuilder, key: NameKey, text: &[u8]) -> Option<Symbol> {
    if let Some(symbol) = builder.known_symbol(key, text) {
        return Some(symbol);
    }
    let name = std::str::from_utf8(text).expect("the lexer checks strings");
    builder.has_room(text.len()).then(|| builder.new_symbol(key, name))
}
