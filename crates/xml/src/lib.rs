//! A reader of XML that yields tags and texts one by one, each with its place. Namespaces are
//! ignored: only the local part of a name counts. Comments, processing instructions and document
//! types are skipped. What is well-formed is read; external entities are not, and those that a
//! document type declares are not known, so that no text is longer than the file. Open elements are
//! kept on a stack, whose height is bounded. Linear in the text, but for comparing the attributes
//! of one element with each other.
//!
//! ```
//! use loris_xml::{Event, Xml};
//! let mut xml = Xml::new("<a><b c='1 &lt; 2'/>text</a>");
//! let mut found = Vec::new();
//! while let Some(event) = xml.next().expect("XML") {
//!     found.push(match event {
//!         Event::Start(tag) => match tag.attribute("c") {
//!             Some((value, at)) => format!("{} {value} at {at}", tag.name),
//!             None => tag.name.to_owned(),
//!         },
//!         Event::End => "end".to_owned(),
//!         Event::Text(text, _) => text.into_owned(),
//!     });
//! }
//! assert_eq!(found, ["a", "b 1 < 2 at 8", "end", "text", "end"]);
//! ```

use loris_base::Diagnostic;
use std::borrow::Cow;

/// A piece of a document.
#[derive(Clone, Debug)]
pub enum Event<'t> {
    /// The start of an element; an empty element has an end as well.
    Start(Tag<'t>),
    /// The end of the element that was opened last.
    End,
    /// Text between tags, with entities and CDATA sections resolved.
    Text(Cow<'t, str>, usize),
}

/// The start of an element.
#[derive(Clone, Debug)]
pub struct Tag<'t> {
    /// The name without its prefix.
    pub name: &'t str,
    /// Where the tag starts.
    pub at: usize,
    attributes: Vec<(&'t str, Cow<'t, str>, usize)>,
}

impl<'t> Tag<'t> {
    /// The value of an attribute, and where it is.
    pub fn attribute(&self, name: &str) -> Option<(&Cow<'t, str>, usize)> {
        self.attributes.iter().find(|(other, ..)| *other == name).map(|(_, value, at)| (value, *at))
    }

    /// Its attributes: the name of each, its value, and where that is.
    pub fn attributes(&self) -> impl Iterator<Item = (&'t str, &str, usize)> {
        self.attributes.iter().map(|(name, value, at)| (*name, &**value, *at))
    }

    /// A problem with the element.
    pub fn error(&self, message: impl Into<String>) -> Diagnostic {
        Diagnostic::error(self.at as u64, self.name.len() + 1, message)
    }
}

/// How deep elements may be nested.
const DEEPEST: usize = 10_000;

/// A reader of a document.
#[derive(Clone, Debug)]
pub struct Xml<'t> {
    text: &'t str,
    at: usize,
    /// the full names of open elements
    open: Vec<&'t str>,
    /// whether the element that was opened last is empty
    is_empty: bool,
    has_root: bool,
}

impl<'t> Xml<'t> {
    /// Nothing is read yet.
    pub fn new(text: &'t str) -> Self {
        let at = if text.starts_with('\u{feff}') { 3 } else { 0 };
        Self { text, at, open: Vec::new(), is_empty: false, has_root: false }
    }

    /// How many bytes were read.
    pub fn at(&self) -> usize {
        self.at
    }

    /// The next piece; nothing at the end of a complete document.
    ///
    /// # Errors
    /// The document is not well-formed there.
    #[expect(clippy::should_implement_trait, reason = "an iterator would go on after a problem")]
    pub fn next(&mut self) -> Result<Option<Event<'t>>, Diagnostic> {
        if std::mem::take(&mut self.is_empty) {
            self.open.pop();
            return Ok(Some(Event::End));
        }
        loop {
            let rest = &self.text[self.at..];
            if rest.is_empty() {
                return self.end();
            }
            if !rest.starts_with('<') || rest.starts_with("<![CDATA[") {
                let at = self.at;
                let text = self.chunk()?;
                if self.open.is_empty() {
                    if text.trim().is_empty() {
                        continue;
                    }
                    return Err(error(at, 1, "expected an element, found text"));
                }
                return Ok(Some(Event::Text(text, at)));
            }
            if rest.starts_with("<!--") {
                self.skip("<!--", "-->", "the comment is not closed")?;
            } else if rest.starts_with("<?") {
                self.skip("<?", "?>", "the processing instruction is not closed")?;
            } else if rest.starts_with("<!") {
                self.document_type()?;
            } else if rest.starts_with("</") {
                return self.close().map(Some);
            } else {
                return self.start().map(Some);
            }
        }
    }

    /// Skips all that is left of the element that was opened last.
    ///
    /// # Errors
    /// The document is not well-formed there.
    pub fn skip_element(&mut self) -> Result<(), Diagnostic> {
        let mut depth = 1;
        while depth > 0 {
            match self.next()? {
                Some(Event::Start(_)) => depth += 1,
                Some(Event::End) => depth -= 1,
                Some(Event::Text(..)) => {}
                None => break,
            }
        }
        Ok(())
    }

    fn end(&self) -> Result<Option<Event<'t>>, Diagnostic> {
        if let Some(name) = self.open.last() {
            return Err(error(self.text.len(), 0, format!("the file ends inside of the element `{name}`")));
        }
        if !self.has_root {
            return Err(error(0, 0, "the file has no element"));
        }
        Ok(None)
    }

    fn skip(&mut self, open: &str, close: &str, message: &str) -> Result<(), Diagnostic> {
        let inside = self.at + open.len();
        match self.text[inside..].find(close) {
            Some(length) => {
                self.at = inside + length + close.len();
                Ok(())
            }
            None => Err(error(self.at, open.len(), message)),
        }
    }

    /// Skips a document type with all that it declares.
    fn document_type(&mut self) -> Result<(), Diagnostic> {
        let start = self.at;
        if !self.text[start..].starts_with("<!DOCTYPE") || self.has_root {
            return Err(error(start, 2, "expected a tag, a comment or a CDATA section"));
        }
        let mut quote = None;
        let mut depth = 0usize;
        for (i, byte) in self.text.as_bytes()[start..].iter().copied().enumerate() {
            match (quote, byte) {
                (Some(open), _) => quote = Some(open).filter(|open| *open != byte),
                (None, b'"' | b'\'') => quote = Some(byte),
                (None, b'<' | b'[') => depth += 1,
                (None, b'>' | b']') => {
                    depth = depth.saturating_sub(1);
                    if depth == 0 {
                        self.at = start + i + 1;
                        return Ok(());
                    }
                }
                _ => {}
            }
        }
        Err(error(start, 9, "the document type is not closed"))
    }

    /// Text up to the next tag, CDATA sections included.
    fn chunk(&mut self) -> Result<Cow<'t, str>, Diagnostic> {
        let mut found: Option<Cow<'t, str>> = None;
        loop {
            let rest = &self.text[self.at..];
            let piece = if let Some(inside) = rest.strip_prefix("<![CDATA[") {
                let Some(length) = inside.find("]]>") else {
                    return Err(error(self.at, 9, "the CDATA section is not closed"));
                };
                self.at += "<![CDATA[".len() + length + "]]>".len();
                Cow::Borrowed(&inside[..length])
            } else if rest.is_empty() || rest.starts_with('<') {
                return Ok(found.unwrap_or_default());
            } else {
                let at = self.at;
                let length = rest.find('<').unwrap_or(rest.len());
                self.at += length;
                resolved(&rest[..length], at)?
            };
            found = Some(match found {
                None => piece,
                Some(before) => Cow::Owned(before.into_owned() + &piece),
            });
        }
    }

    fn close(&mut self) -> Result<Event<'t>, Diagnostic> {
        let start = self.at;
        self.at += 2;
        let name = self.name()?;
        self.blank();
        if !self.text[self.at..].starts_with('>') {
            return Err(error(self.at, 1, format!("expected the `>` of the tag `</{name}>`")));
        }
        self.at += 1;
        match self.open.pop() {
            Some(open) if open == name => Ok(Event::End),
            Some(open) => {
                let message = format!("expected `</{open}>`, found `</{name}>`");
                Err(error(start, name.len() + 2, message))
            }
            None => Err(error(start, name.len() + 2, format!("the element `{name}` was not opened"))),
        }
    }

    fn start(&mut self) -> Result<Event<'t>, Diagnostic> {
        let start = self.at;
        self.at += 1;
        let full = self.name()?;
        if self.open.is_empty() && std::mem::replace(&mut self.has_root, true) {
            return Err(error(start, full.len() + 1, "the document has ended before this element"));
        }
        if self.open.len() == DEEPEST {
            return Err(error(start, 1, format!("elements are nested deeper than {DEEPEST} levels")));
        }
        let mut attributes: Vec<(&'t str, Cow<'t, str>, usize)> = Vec::new();
        loop {
            self.blank();
            let rest = &self.text[self.at..];
            if rest.starts_with('>') || rest.starts_with("/>") {
                self.is_empty = rest.starts_with('/');
                self.at += if self.is_empty { 2 } else { 1 };
                self.open.push(full);
                return Ok(Event::Start(Tag { name: local(full), at: start, attributes }));
            }
            if rest.is_empty() {
                return Err(error(start, full.len() + 1, format!("the tag `<{full}` is not closed")));
            }
            let at = self.at;
            let name = self.name()?;
            self.blank();
            if !self.text[self.at..].starts_with('=') {
                return Err(error(self.at, 1, format!("expected the value of the attribute `{name}`")));
            }
            self.at += 1;
            self.blank();
            let rest = &self.text[self.at..];
            let quote = rest.chars().next().filter(|c| matches!(c, '"' | '\''));
            let Some((quote, length)) = quote.and_then(|quote| Some((quote, rest[1..].find(quote)?))) else {
                return Err(error(self.at, 1, format!("the value of `{name}` stands in quotes")));
            };
            let value = resolved(&rest[1..=length], self.at + 1)?;
            let value_at = self.at;
            self.at += length + 2 * quote.len_utf8();
            let name = if name.starts_with("xmlns") { name } else { local(name) };
            if attributes.iter().any(|(other, ..)| *other == name) {
                return Err(error(at, name.len(), format!("the attribute `{name}` is given twice")));
            }
            attributes.push((name, value, value_at));
        }
    }

    /// A name; anything else is a problem.
    fn name(&mut self) -> Result<&'t str, Diagnostic> {
        let rest = &self.text[self.at..];
        let ends = |c: char| c.is_whitespace() || "<>/=\"'&;?!".contains(c);
        let length = rest.find(ends).unwrap_or(rest.len());
        if length == 0 {
            return Err(error(self.at, 1, "expected a name"));
        }
        self.at += length;
        Ok(&rest[..length])
    }

    fn blank(&mut self) {
        let rest = &self.text[self.at..];
        self.at += rest.len() - rest.trim_start().len();
    }
}

fn error(at: usize, length: usize, message: impl Into<String>) -> Diagnostic {
    Diagnostic::error(at as u64, length, message)
}

/// A name without its prefix.
fn local(name: &str) -> &str {
    name.rsplit_once(':').map_or(name, |(_, local)| local)
}

/// A text whose entities are resolved.
fn resolved(text: &str, at: usize) -> Result<Cow<'_, str>, Diagnostic> {
    if !text.contains('&') {
        return Ok(Cow::Borrowed(text));
    }
    let mut found = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(start) = rest.find('&') {
        found.push_str(&rest[..start]);
        let place = at + text.len() - rest.len() + start;
        let name = rest[start + 1..].split(';').next().unwrap_or_default();
        let is_closed = rest[start + 1 + name.len()..].starts_with(';');
        let number = |digits: &str, radix| u32::from_str_radix(digits, radix).ok().and_then(char::from_u32);
        let c = match name {
            "lt" => Some('<'),
            "gt" => Some('>'),
            "amp" => Some('&'),
            "quot" => Some('"'),
            "apos" => Some('\''),
            _ => match (name.strip_prefix("#x"), name.strip_prefix('#')) {
                (Some(digits), _) => number(digits, 16),
                (None, Some(digits)) => number(digits, 10),
                _ => None,
            },
        };
        let Some(c) = c.filter(|_| is_closed) else {
            let shown: String = name.chars().take(20).collect();
            let problem = error(place, 1, format!("the entity `&{shown}` is not known"));
            return Err(problem.help("a plain `&` is written `&amp;`"));
        };
        found.push(c);
        rest = &rest[start + name.len() + 2..];
    }
    found.push_str(rest);
    Ok(Cow::Owned(found))
}

#[cfg(test)]
mod tests {
    use super::{DEEPEST, Xml};

    /// Where reading fails, and why.
    fn check(text: &str, at: u64, expected: &str) {
        let mut xml = Xml::new(text);
        loop {
            match xml.next() {
                Ok(Some(_)) => {}
                Ok(None) => panic!("no problem in {text}"),
                Err(problem) => {
                    assert_eq!((problem.offset, &*problem.message), (Some(at), expected), "{text}");
                    return;
                }
            }
        }
    }

    #[test]
    fn hostile_texts_are_refused() {
        let entities = "<!DOCTYPE a [<!ENTITY b 'bb'><!ENTITY c '&b;&b;'>]><a>&c;</a>";
        check(entities, 54, "the entity `&c` is not known");
        let deep = "<a>".repeat(DEEPEST + 1);
        let message = format!("elements are nested deeper than {DEEPEST} levels");
        check(&deep, 3 * DEEPEST as u64, &message);
        check("<a b='1' b='2'/>", 9, "the attribute `b` is given twice");
        check("<a></b>", 3, "expected `</a>`, found `</b>`");
        check("", 0, "the file has no element");
    }
}
