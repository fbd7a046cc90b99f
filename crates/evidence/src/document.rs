//! JSON text as a flat tree of located values.
//!
//! Nesting lives on a stack of our own, so that evidence may be deep; strings with
//! escapes and numbers are left to `serde_json`. Several documents may follow each other (JSON lines).

use loris_base::Diagnostic;
use std::borrow::Cow;

/// How deep values may be nested: far more than evidence for the deepest formula needs.
const DEEPEST: usize = 100_000;

/// All values of a text; children are linked lists, so that a value is one entry whatever it holds.
pub(crate) struct Document<'t> {
    values: Vec<Value<'t>>,
    roots: Vec<usize>,
}

struct Value<'t> {
    /// the key, in an object
    key: Cow<'t, str>,
    data: Data<'t>,
    offset: usize,
    length: usize,
    first: Option<usize>,
    next: Option<usize>,
}

enum Data<'t> {
    Null,
    Number(usize),
    Text(Cow<'t, str>),
    /// `true`, `false`, and numbers that count nothing
    Other,
    Array,
    Object,
}

impl<'t> Document<'t> {
    /// Reads all documents of a text.
    pub(crate) fn read(text: &'t str) -> Result<Self, Diagnostic> {
        let at = if text.starts_with('\u{feff}') { 3 } else { 0 };
        let mut reader = Reader { text, at, values: Vec::new() };
        let mut roots = Vec::new();
        loop {
            reader.blank();
            if reader.at == text.len() {
                return Ok(Self { values: reader.values, roots });
            }
            roots.push(reader.values.len());
            reader.document()?;
        }
    }

    /// The documents, in order.
    pub(crate) fn roots(&self) -> impl Iterator<Item = Item<'_>> {
        self.roots.iter().map(|&value| Item { document: self, value })
    }
}

/// A value of a [`Document`].
#[derive(Clone, Copy)]
pub(crate) struct Item<'d> {
    document: &'d Document<'d>,
    value: usize,
}

impl<'d> Item<'d> {
    fn value(self) -> &'d Value<'d> {
        &self.document.values[self.value]
    }

    /// The elements of an array or the values of an object.
    pub(crate) fn items(self) -> impl Iterator<Item = Item<'d>> {
        let item = move |value| Item { document: self.document, value };
        std::iter::successors(self.value().first.map(item), move |last| last.value().next.map(item))
    }

    /// What an object has under a key; `null` is nothing.
    pub(crate) fn get(self, key: &str) -> Option<Item<'d>> {
        let mut items = self.items();
        items.find(|item| self.is_object() && item.value().key == key && !item.is_null())
    }

    pub(crate) fn is_null(self) -> bool {
        matches!(self.value().data, Data::Null)
    }

    pub(crate) fn is_object(self) -> bool {
        matches!(self.value().data, Data::Object)
    }

    pub(crate) fn is_array(self) -> bool {
        matches!(self.value().data, Data::Array)
    }

    pub(crate) fn text(self) -> Option<&'d str> {
        match &self.value().data {
            Data::Text(text) => Some(text),
            _ => None,
        }
    }

    pub(crate) fn number(self) -> Option<usize> {
        match self.value().data {
            Data::Number(number) => Some(number),
            _ => None,
        }
    }

    /// A problem with this value.
    pub(crate) fn error(self, message: impl Into<String>) -> Diagnostic {
        Diagnostic::error(self.value().offset as u64, self.value().length, message)
    }
}

struct Reader<'t> {
    text: &'t str,
    at: usize,
    values: Vec<Value<'t>>,
}

impl<'t> Reader<'t> {
    /// Reads one value with all it holds. Between two rounds of the loop, `open` holds the arrays and
    /// objects around the place, each with its last child.
    fn document(&mut self) -> Result<(), Diagnostic> {
        let mut open: Vec<(usize, Option<usize>)> = Vec::new();
        let mut key = Cow::Borrowed("");
        loop {
            let value = self.values.len();
            self.value(std::mem::take(&mut key))?;
            if let Some((parent, last)) = open.last_mut() {
                match last.replace(value) {
                    Some(last) => self.values[last].next = Some(value),
                    None => self.values[*parent].first = Some(value),
                }
            }
            if matches!(self.values[value].data, Data::Array | Data::Object) {
                if open.len() == DEEPEST {
                    let offset = self.values[value].offset as u64;
                    let message = format!("values are nested deeper than {DEEPEST} levels");
                    return Err(Diagnostic::error(offset, 1, message));
                }
                open.push((value, None));
            }
            loop {
                let Some(&(parent, last)) = open.last() else { return Ok(()) };
                let object = matches!(self.values[parent].data, Data::Object);
                let close = if object { '}' } else { ']' };
                if self.eat(close) {
                    open.pop();
                    continue;
                }
                if last.is_some() && !self.eat(',') {
                    return Err(self.error(1, format!("expected `,` or `{close}`")));
                }
                if object {
                    key = self.key()?;
                }
                break;
            }
        }
    }

    fn key(&mut self) -> Result<Cow<'t, str>, Diagnostic> {
        self.blank();
        if self.peek() != Some(b'"') {
            return Err(self.error(1, "expected a key in quotes"));
        }
        let key = self.string()?;
        if self.eat(':') { Ok(key) } else { Err(self.error(1, "expected `:`")) }
    }

    /// Reads a scalar, or the opening bracket of what is none.
    fn value(&mut self, key: Cow<'t, str>) -> Result<(), Diagnostic> {
        self.blank();
        let offset = self.at;
        let data = match self.peek() {
            Some(open @ (b'{' | b'[')) => {
                self.at += 1;
                if open == b'{' { Data::Object } else { Data::Array }
            }
            Some(b'"') => Data::Text(self.string()?),
            _ => self.word()?,
        };
        self.values.push(Value { key, data, offset, length: self.at - offset, first: None, next: None });
        Ok(())
    }

    fn string(&mut self) -> Result<Cow<'t, str>, Diagnostic> {
        let bytes = self.text.as_bytes();
        let start = self.at;
        let mut end = start + 1;
        let mut plain = true;
        while let Some(&byte) = bytes.get(end).filter(|&&byte| byte != b'"') {
            plain &= byte != b'\\' && byte >= b' ';
            end += if byte == b'\\' { 2 } else { 1 };
        }
        if end >= bytes.len() {
            return Err(self.error(1, "the string that starts here has no end"));
        }
        let token = &self.text[start..=end];
        let text = if plain {
            Cow::Borrowed(&token[1..token.len() - 1])
        } else {
            let decoded = serde_json::from_str(token);
            Cow::Owned(decoded.map_err(|_| self.error(token.len(), "this is no JSON string"))?)
        };
        self.at = end + 1;
        Ok(text)
    }

    fn word(&mut self) -> Result<Data<'t>, Diagnostic> {
        let rest = &self.text[self.at..];
        let ends = |c: char| c.is_whitespace() || ",:[]{}\"".contains(c);
        let token = &rest[..rest.find(ends).unwrap_or(rest.len())];
        let data = match serde_json::from_str(token) {
            Ok(serde_json::Value::Null) => Data::Null,
            Ok(serde_json::Value::Number(number)) => {
                number.as_u64().and_then(|n| usize::try_from(n).ok()).map_or(Data::Other, Data::Number)
            }
            Ok(_) => Data::Other,
            Err(_) => return Err(self.error(token.len(), "expected a JSON value")),
        };
        self.at += token.len();
        Ok(data)
    }

    fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    fn blank(&mut self) {
        while self.peek().is_some_and(|byte| byte.is_ascii_whitespace()) {
            self.at += 1;
        }
    }

    fn eat(&mut self, sign: char) -> bool {
        self.blank();
        let found = self.peek() == Some(sign as u8);
        self.at += usize::from(found);
        found
    }

    fn error(&self, length: usize, message: impl Into<String>) -> Diagnostic {
        Diagnostic::error(self.at as u64, length, message)
    }
}
