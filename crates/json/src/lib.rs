//! JSON text as a flat tree of located values, for readers that report problems at their places.
//!
//! A value is 24 bytes that point into the text, whatever it holds; strings are decoded when they
//! are asked for. Values are kept in the order of the text, so that the first child of a value is
//! the next value. Nesting lives on an explicit stack, and an object that has a key twice is
//! refused: readers disagree on which of the two counts. Several documents may follow each other
//! (JSON lines). Linear in the text, but for sorting the keys of objects that have many.
//!
//! ```
//! use loris_base::Budget;
//! use loris_json::Document;
//! let document = Document::read("{\"ports\": [80, \"http\"]}", &mut Budget::unlimited()).expect("JSON");
//! let ports = document.roots().next().and_then(|root| root.get("ports")).expect("a key");
//! let problem = ports.items().find(|port| port.number().is_none()).map(|port| port.error("no number"));
//! assert_eq!(problem.and_then(|problem| problem.offset), Some(15));
//! ```

mod quote;

pub use quote::json_quoted;

use loris_base::{Budget, Diagnostic, Exhausted, Stopped};
use std::borrow::Cow;

/// How deep values may be nested: far more than evidence for the deepest formula needs.
const DEEPEST: usize = 100_000;

/// This many bytes of one string are read between two looks at the budget.
const LOOK: usize = 1 << 16;

/// An index that means no value.
const NONE: u32 = u32::MAX;

/// All values of a text.
#[derive(Debug, Default)]
pub struct Document<'t> {
    text: &'t str,
    values: Vec<Value>,
    roots: Vec<u32>,
}

/// A value; its first child, if there is one, comes right after it.
#[derive(Clone, Copy, Debug)]
struct Value {
    /// where its key starts, with the quotes; `NONE` outside of objects
    key: u32,
    key_length: u32,
    start: u32,
    /// the length of a scalar; for arrays and objects whether they hold something
    length: u32,
    /// the next value in the same array or object
    next: u32,
    kind: Kind,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Null,
    /// A number that counts something.
    Number,
    Text,
    /// `true`, `false`, and other numbers.
    Other,
    Array,
    Object,
}

impl<'t> Document<'t> {
    /// Reads all documents of a text. What it holds is charged to the budget.
    ///
    /// # Errors
    /// The first problem, or the limit that was reached.
    pub fn read(text: &'t str, budget: &mut Budget) -> Result<Self, Stopped> {
        if text.len() >= NONE as usize {
            return Err(Diagnostic::global("the file is larger than 4 GiB").into());
        }
        let at = if text.starts_with('\u{feff}') { 3 } else { 0 };
        let mut reader = Reader { text, at, values: Vec::new(), keys: Vec::new(), budget };
        let mut roots = Vec::new();
        loop {
            reader.blank();
            if reader.at == text.len() {
                return Ok(Self { text, values: reader.values, roots });
            }
            roots.push(reader.values.len() as u32);
            reader.document()?;
        }
    }

    /// The documents, in order.
    pub fn roots(&self) -> impl Iterator<Item = Item<'_>> {
        self.roots.iter().map(|&value| Item { document: self, value })
    }

    /// The value of this [number](Item::number_of_value).
    pub fn item(&self, value: u32) -> Item<'_> {
        Item { document: self, value }
    }
}

/// A value of a [`Document`].
#[derive(Clone, Copy, Debug)]
pub struct Item<'d> {
    document: &'d Document<'d>,
    value: u32,
}

impl<'d> Item<'d> {
    fn value(self) -> Value {
        self.document.values[self.value as usize]
    }

    fn raw(self) -> &'d str {
        let Value { start, length, .. } = self.value();
        &self.document.text[start as usize..][..length as usize]
    }

    /// How many bytes of the text a scalar takes.
    pub fn width(self) -> usize {
        self.raw().len()
    }

    /// A number by which the document gives this value again.
    pub fn number_of_value(self) -> u32 {
        self.value
    }

    /// The elements of an array or the values of an object.
    pub fn items(self) -> impl Iterator<Item = Item<'d>> {
        let item = move |value| (value != NONE).then_some(Item { document: self.document, value });
        let has_some = (self.is_array() || self.is_object()) && self.value().length > 0;
        let first = has_some.then_some(Item { document: self.document, value: self.value + 1 });
        std::iter::successors(first, move |last| item(last.value().next))
    }

    /// The key of a value in an object.
    pub fn key(self) -> Cow<'d, str> {
        let Value { key, key_length, .. } = self.value();
        decoded(&self.document.text[key as usize..][..key_length as usize])
    }

    /// A problem with the key of a value in an object.
    pub fn key_error(self, message: impl Into<String>) -> Diagnostic {
        let Value { key, key_length, .. } = self.value();
        Diagnostic::error(key.into(), key_length as usize, message)
    }

    /// The offset of the value in the text.
    pub fn offset(self) -> u64 {
        self.value().start.into()
    }

    /// The value of an object under a key, `null` included.
    pub fn under(self, key: &str) -> Option<Item<'d>> {
        if !self.is_object() {
            return None;
        }
        self.items().find(|item| item.key() == key)
    }

    /// The value of an object under a key; `null` counts as absent.
    pub fn get(self, key: &str) -> Option<Item<'d>> {
        self.under(key).filter(|item| !item.is_null())
    }

    /// Whether this is `null`.
    pub fn is_null(self) -> bool {
        self.value().kind == Kind::Null
    }

    /// Whether this is an object.
    pub fn is_object(self) -> bool {
        self.value().kind == Kind::Object
    }

    /// Whether this is an array.
    pub fn is_array(self) -> bool {
        self.value().kind == Kind::Array
    }

    /// The text of a string.
    pub fn text(self) -> Option<Cow<'d, str>> {
        (self.value().kind == Kind::Text).then(|| decoded(self.raw()))
    }

    /// Whether this is `true` or `false`, and which.
    pub fn truth(self) -> Option<bool> {
        match self.raw() {
            "true" => Some(true),
            "false" => Some(false),
            _ => None,
        }
    }

    /// A number that counts something.
    pub fn number(self) -> Option<usize> {
        if self.value().kind == Kind::Number { self.raw().parse().ok() } else { None }
    }

    /// A problem with this value.
    pub fn error(self, message: impl Into<String>) -> Diagnostic {
        let Value { start, length, kind, .. } = self.value();
        let length = if matches!(kind, Kind::Array | Kind::Object) { 1 } else { length };
        Diagnostic::error(start.into(), length as usize, message)
    }
}

/// A string without its quotes; that it can be decoded was checked when it was read.
fn decoded(token: &str) -> Cow<'_, str> {
    let plain = &token[1..token.len() - 1];
    if !plain.contains('\\') {
        return Cow::Borrowed(plain);
    }
    Cow::Owned(serde_json::from_str(token).unwrap_or_default())
}

struct Reader<'t, 'b> {
    text: &'t str,
    at: usize,
    values: Vec<Value>,
    /// of the object that was just closed
    keys: Vec<(Cow<'t, str>, u32)>,
    budget: &'b mut Budget,
}

impl Reader<'_, '_> {
    /// Reads one value with all it holds. Between two rounds of the loop, `open` holds the arrays
    /// and objects around the place, each with its last child.
    fn document(&mut self) -> Result<(), Stopped> {
        let mut open: Vec<(u32, u32)> = Vec::new();
        let mut key = (NONE, 0);
        loop {
            let value = self.values.len() as u32;
            self.value(std::mem::replace(&mut key, (NONE, 0)))?;
            if let Some((parent, last)) = open.last_mut() {
                match std::mem::replace(last, value) {
                    NONE => self.values[*parent as usize].length = 1,
                    last => self.values[last as usize].next = value,
                }
            }
            if matches!(self.values[value as usize].kind, Kind::Array | Kind::Object) {
                if open.len() == DEEPEST {
                    let offset = self.values[value as usize].start.into();
                    let message = format!("values are nested deeper than {DEEPEST} levels");
                    return Err(Diagnostic::error(offset, 1, message).into());
                }
                open.push((value, NONE));
            }
            loop {
                let Some(&(parent, last)) = open.last() else { return Ok(()) };
                let object = self.values[parent as usize].kind == Kind::Object;
                let close = if object { '}' } else { ']' };
                if self.eat(close) {
                    if object {
                        self.distinct_keys(parent)?;
                    }
                    open.pop();
                    continue;
                }
                if last != NONE && !self.eat(',') {
                    return Err(self.error(1, format!("expected `,` or `{close}`")));
                }
                if object {
                    key = self.key()?;
                }
                break;
            }
        }
    }

    /// Refuses an object that has a key twice, however it is escaped.
    fn distinct_keys(&mut self, object: u32) -> Result<(), Stopped> {
        let mut child = if self.values[object as usize].length > 0 { object + 1 } else { NONE };
        self.keys.clear();
        while child != NONE {
            let Value { key, key_length, next, .. } = self.values[child as usize];
            self.keys.push((decoded(&self.text[key as usize..][..key_length as usize]), key));
            child = next;
        }
        let held = self.keys.len() * size_of::<(Cow<'_, str>, u32)>();
        self.budget.charge(held)?;
        self.budget.release(held);
        self.budget.spend(self.keys.len())?;
        // a few keys, as all objects of ours have, are compared as they are
        let twice = if self.keys.len() <= 24 {
            let rows = self.keys.iter().enumerate();
            let mut twice =
                rows.filter(|(i, (key, _))| self.keys[..*i].iter().any(|(other, _)| other == key));
            twice.next().map(|(_, (key, at))| (key.clone(), *at))
        } else {
            self.keys.sort_unstable();
            let mut pairs = self.keys.windows(2);
            pairs.find(|pair| pair[0].0 == pair[1].0).map(|pair| pair[1].clone())
        };
        match twice {
            None => Ok(()),
            Some((key, at)) => {
                let message = format!("this object has the key {key:?} twice");
                let problem = Diagnostic::error(at.into(), key.len() + 2, message);
                Err(problem.help("readers of JSON disagree on which of the two counts").into())
            }
        }
    }

    fn key(&mut self) -> Result<(u32, u32), Stopped> {
        self.blank();
        if self.peek() != Some(b'"') {
            return Err(self.error(1, "expected a key in quotes"));
        }
        let start = self.at;
        self.string()?;
        let length = self.at - start;
        if self.eat(':') { Ok((start as u32, length as u32)) } else { Err(self.error(1, "expected `:`")) }
    }

    /// Reads a scalar, or the opening bracket of anything else.
    fn value(&mut self, (key, key_length): (u32, u32)) -> Result<(), Stopped> {
        self.blank();
        let start = self.at;
        let (kind, length) = match self.peek() {
            Some(open @ (b'{' | b'[')) => {
                self.at += 1;
                (if open == b'{' { Kind::Object } else { Kind::Array }, 0)
            }
            Some(b'"') => {
                self.string()?;
                (Kind::Text, self.at - start)
            }
            _ => {
                let kind = self.word()?;
                (kind, self.at - start)
            }
        };
        self.budget.spend(1 + (self.at - start) / 64)?;
        if self.values.len() == self.values.capacity() {
            self.grow()?;
        }
        let (start, length) = (start as u32, length as u32);
        self.values.push(Value { key, key_length, start, length, next: NONE, kind });
        Ok(())
    }

    /// Makes room for more values, and accounts for it.
    fn grow(&mut self) -> Result<(), Exhausted> {
        let held = self.values.capacity();
        let more = held.max(256);
        self.budget.charge((held + more) * size_of::<Value>())?;
        self.values.reserve_exact(more);
        self.budget.release(held * size_of::<Value>());
        Ok(())
    }

    fn string(&mut self) -> Result<(), Stopped> {
        let bytes = self.text.as_bytes();
        let start = self.at;
        let mut end = start + 1;
        let mut plain = true;
        let mut look = end + LOOK;
        while let Some(&byte) = bytes.get(end).filter(|&&byte| byte != b'"') {
            if end >= look {
                self.budget.spend(LOOK / 64)?;
                look = end + LOOK;
            }
            plain &= byte != b'\\' && byte >= b' ';
            end += if byte == b'\\' { 2 } else { 1 };
        }
        if end >= bytes.len() {
            return Err(self.error(1, "the string that starts here has no end"));
        }
        let token = &self.text[start..=end];
        if !plain && serde_json::from_str::<Cow<'_, str>>(token).is_err() {
            return Err(self.error(token.len(), "this is not a JSON string"));
        }
        self.at = end + 1;
        Ok(())
    }

    fn word(&mut self) -> Result<Kind, Stopped> {
        let rest = &self.text[self.at..];
        let ends = |c: char| c.is_whitespace() || ",:[]{}\"".contains(c);
        let token = &rest[..rest.find(ends).unwrap_or(rest.len())];
        let kind = match serde_json::from_str(token) {
            Ok(serde_json::Value::Null) => Kind::Null,
            Ok(serde_json::Value::Number(number)) => {
                let counts = number.as_u64().is_some_and(|number| usize::try_from(number).is_ok());
                if counts { Kind::Number } else { Kind::Other }
            }
            Ok(_) => Kind::Other,
            Err(_) => return Err(self.error(token.len(), "expected a JSON value")),
        };
        self.at += token.len();
        Ok(kind)
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

    fn error(&self, length: usize, message: impl Into<String>) -> Stopped {
        Diagnostic::error(self.at as u64, length, message).into()
    }
}
