//! The RSM JSON format: the keys of the objects in a component, and the problems of one that lacks
//! some.
//!
//! Every function reads one value. If the value has the wrong kind, it reports that, skips it, and
//! marks the object around it as incomplete, so that nothing is reported that only follows from the
//! gap.

use super::keys::Key;
use super::later::{Later, Of, symbol};
use super::lexer::Lexer;
use super::stop::Stop;
use crate::{Draft, Reference, RsmBuilder};
use loris_base::{Budget, Diagnostic, Idx, NameKey, Symbol};
use std::io::Read;

/// A name and where it stands.
pub(super) type Name = (Symbol, u64);

/// An object that is being read.
pub(super) struct Members {
    /// the offset of its brace
    pub(super) start: u64,
    what: &'static str,
    seen: u32,
    first: bool,
}

impl Members {
    pub(super) fn has(&self, key: Key) -> bool {
        self.seen & 1 << key as u32 != 0
    }
}

/// The components read so far, and the one at hand.
pub(super) struct Reader<'b, R> {
    pub(super) lexer: Lexer<R>,
    pub(super) builder: &'b mut RsmBuilder,
    pub(super) draft: Draft,
    /// names of its targets that are not yet looked up
    pub(super) later: Later,
    pub(super) budget: &'b mut Budget,
    /// bytes that are declared
    pub(super) held: usize,
    /// where the buffer was when they were
    pub(super) seen: u64,
}

/// More of anything than one buffer has.
const PER_CHUNK: usize = 1 << 14;

impl<R: Read> Reader<'_, R> {
    pub(super) fn component(&mut self) -> Result<(), Stop> {
        self.draft.clear();
        self.later.truncate(0);
        let mut name = None;
        let Some(mut members) = self.object("a component")? else {
            self.builder.lost_component = true;
            return Ok(());
        };
        while let Some(key) = self.key(&mut members)? {
            let complete = match key {
                Key::Name => {
                    name = self.name("the name of a component")?;
                    true
                }
                Key::Nodes => self.list("\"nodes\"", Self::node)?,
                Key::Boxes => self.list("\"boxes\"", Self::site)?,
                Key::Transitions => self.list("\"transitions\"", Self::transition)?,
                _ => self.lexer.skip().map(|()| true)?,
            };
            self.draft.incomplete |= !complete;
        }
        self.draft.incomplete |= !self.demand(&members, Key::Nodes);
        self.demand(&members, Key::Name);
        self.look_up()?;
        if let Some((name, offset)) = name {
            self.draft.rename(name, offset);
            self.builder.component_from(&self.draft);
        } else {
            self.builder.lost_component = true;
        }
        Ok(())
    }

    fn node(&mut self) -> Result<(), Stop> {
        let labels = self.draft.labels.len();
        let (mut name, mut entry, mut exit, mut place) = (None, false, false, None);
        let Some(mut members) = self.object("a node")? else {
            self.draft.incomplete();
            return Ok(());
        };
        while let Some(key) = self.key(&mut members)? {
            match key {
                Key::Name => {
                    let of = Of::Node(self.draft.nodes.len());
                    name = self.name_of("the name of a node", Some(of))?;
                }
                Key::IsEntry => entry = self.flag("\"is_entry\"")?,
                Key::IsExit => exit = self.flag("\"is_exit\"")?,
                Key::Labels => {
                    self.list("\"labels\"", |reader| {
                        let label = reader.name("a label")?;
                        reader.draft.labels.extend(label.map(|(label, _)| label));
                        Ok(())
                    })?;
                }
                Key::Source => place = self.place()?,
                _ => self.lexer.skip()?,
            }
        }
        self.demand(&members, Key::Name);
        let Some((name, offset)) = name else {
            self.draft.labels.truncate(labels);
            self.draft.incomplete();
            return Ok(());
        };
        let node = self.draft.node(name, offset);
        (node.entry, node.exit) = (entry, exit);
        if let Some((file, line, column)) = place {
            self.draft.node_place(file, line, column);
        }
        if self.later.is_full() { self.look_up() } else { Ok(()) }
    }

    fn site(&mut self) -> Result<(), Stop> {
        let ports = self.draft.ports.len();
        let (mut name, mut callee, mut place) = (None, None, None);
        let Some(mut members) = self.object("a box")? else {
            self.draft.incomplete();
            return Ok(());
        };
        while let Some(key) = self.key(&mut members)? {
            match key {
                Key::Name => name = self.name("the name of a box")?,
                Key::Component => callee = self.name("the component of a box")?,
                Key::CallNodes => {
                    self.list("\"call_nodes\"", |reader| reader.listed("a call node", false))?;
                }
                Key::ReturnNodes => {
                    self.list("\"return_nodes\"", |reader| reader.listed("a return node", true))?;
                }
                Key::Source => place = self.place()?,
                _ => self.lexer.skip()?,
            }
        }
        self.demand(&members, Key::Name);
        self.demand(&members, Key::Component);
        let (Some((name, offset)), Some((callee, callee_offset))) = (name, callee) else {
            self.draft.ports.truncate(ports);
            self.draft.incomplete();
            return Ok(());
        };
        self.draft.site(name, offset, callee, callee_offset);
        if let Some((file, line, column)) = place {
            self.draft.box_place(file, line, column);
        }
        Ok(())
    }

    /// Reads the place of a node or a box. Nothing depends on it, so that without it the component
    /// is complete.
    fn place(&mut self) -> Result<Option<(Symbol, u32, Option<u32>)>, Stop> {
        let Some(mut members) = self.object("\"source\"")? else { return Ok(None) };
        let (mut file, mut line, mut column) = (None, None, None);
        while let Some(key) = self.key(&mut members)? {
            match key {
                Key::File => file = self.file()?,
                Key::Line => line = self.count("the line of a source")?,
                Key::Column => column = self.count("the column of a source")?,
                _ => self.lexer.skip()?,
            }
        }
        let complete = self.demand(&members, Key::File) & self.demand(&members, Key::Line);
        let (Some(file), Some(line), true) = (file, line, complete) else { return Ok(None) };
        Ok(Some((file, line, column)))
    }

    /// Reads the name of a source file, which is not empty.
    fn file(&mut self) -> Result<Option<Symbol>, Stop> {
        let Some((file, offset)) = self.name("the file of a source")? else { return Ok(None) };
        if self.lexer.text().is_empty() {
            let message = "the file of a source must have a name";
            self.builder.problem(Diagnostic::error(offset, 2, message));
            return Ok(None);
        }
        Ok(Some(file))
    }

    /// Reads a number that counts from 1.
    fn count(&mut self, what: &str) -> Result<Option<u32>, Stop> {
        let start = self.start()?;
        if !matches!(self.lexer.peek()?, Some(b'-' | b'0'..=b'9')) {
            return self.mismatch(what, "a number").map(|()| None);
        }
        let value =
            self.lexer.number()?.and_then(|value| u32::try_from(value).ok()).filter(|&value| value > 0);
        if value.is_none() {
            let length = (self.lexer.offset() - start) as usize;
            let message = format!("{what} must be a whole number from 1 to {}", u32::MAX);
            self.builder.problem(Diagnostic::error(start, length, message));
        }
        Ok(value)
    }

    fn listed(&mut self, what: &'static str, returns: bool) -> Result<(), Stop> {
        if let Some((node, offset)) = self.name(what)? {
            self.draft.list_port_of_next(node, offset, returns);
        }
        Ok(())
    }

    fn transition(&mut self) -> Result<(), Stop> {
        let targets = self.draft.targets.len();
        let mut source = None;
        let Some(mut members) = self.object("a transition")? else {
            self.draft.incomplete();
            return Ok(());
        };
        while let Some(key) = self.key(&mut members)? {
            match key {
                Key::Source => source = self.reference("a source", None)?,
                Key::Targets => {
                    let complete = self.list("\"targets\"", Self::target)?;
                    self.draft.incomplete |= !complete;
                }
                _ => self.lexer.skip()?,
            }
        }
        self.draft.incomplete |= !self.demand(&members, Key::Targets);
        self.demand(&members, Key::Source);
        let Some(source) = source else {
            self.draft.truncate_targets(targets);
            self.later.truncate_targets(targets);
            self.draft.incomplete();
            return Ok(());
        };
        self.draft.source(source);
        Ok(())
    }

    fn target(&mut self) -> Result<(), Stop> {
        let (waiting, number) = (self.later.len(), self.draft.targets.len());
        let Some(target) = self.reference("a target", Some(Of::Target(number)))? else {
            self.later.truncate(waiting);
            self.draft.incomplete();
            return Ok(());
        };
        if target.site().is_some() {
            self.later.truncate(waiting);
        }
        self.draft.target_of_next(target);
        if self.later.is_full() { self.look_up() } else { Ok(()) }
    }

    /// Looks up the names that were kept for that.
    fn look_up(&mut self) -> Result<(), Stop> {
        self.later.look_up(self.builder, &mut self.draft).map_err(no_room)
    }

    /// Reads a reference; that of a target may be looked up later.
    fn reference(&mut self, what: &'static str, target: Option<Of>) -> Result<Option<Reference>, Stop> {
        let Some(mut members) = self.object(what)? else { return Ok(None) };
        let (mut node, mut site, mut inner, mut port) = (None, None, None, None);
        while let Some(key) = self.key(&mut members)? {
            match key {
                Key::Type => port = self.reference_type()?,
                Key::Name | Key::Node => node = self.name_of("the name of a node", target)?,
                Key::BoxName => site = self.name("\"box_name\"")?,
                Key::NodeName => inner = self.name("\"node_name\"")?,
                _ => self.lexer.skip()?,
            }
        }
        if members.has(Key::Type) && port.is_none() {
            return Ok(None);
        }
        if members.has(Key::Name) && members.has(Key::Node) {
            let message = format!("{what} has both \"name\" and \"node\"");
            self.builder.problem(Diagnostic::error(members.start, 1, message));
            return Ok(None);
        }
        if port.unwrap_or(members.has(Key::BoxName) || members.has(Key::NodeName)) {
            let complete = self.demand(&members, Key::BoxName) & self.demand(&members, Key::NodeName);
            let (Some((site, site_offset)), Some((inner, offset)), true) = (site, inner, complete) else {
                return Ok(None);
            };
            Ok(Some(Reference::port(site, inner, offset).site_at(site_offset)))
        } else {
            if !members.has(Key::Node) {
                self.demand(&members, Key::Name);
            }
            Ok(node.map(|(node, offset)| Reference::node(node, offset)))
        }
    }

    /// Whether a reference states that it is to a port; none if it states neither.
    fn reference_type(&mut self) -> Result<Option<bool>, Stop> {
        let start = self.start()?;
        if self.lexer.peek()? != Some(b'"') {
            return self.mismatch("the type of a reference", "a string").map(|()| None);
        }
        self.lexer.string()?;
        match self.lexer.text() {
            b"node" => Ok(Some(false)),
            b"box_node" => Ok(Some(true)),
            text => {
                let message = format!("unknown type \"{}\" of a reference", String::from_utf8_lossy(text));
                let problem = Diagnostic::error(start, text.len() + 2, message);
                self.builder.problem(problem.help("it is \"node\" or \"box_node\""));
                Ok(None)
            }
        }
    }

    /// The offset of the next value.
    pub(super) fn start(&mut self) -> Result<u64, Stop> {
        self.lexer.peek()?;
        Ok(self.lexer.offset())
    }

    /// Skips a value that should be of another kind.
    #[cold]
    fn mismatch(&mut self, what: &str, expected: &str) -> Result<(), Stop> {
        let found = match self.lexer.peek()? {
            Some(b'{') => "an object",
            Some(b'[') => "an array",
            Some(b'"') => "a string",
            Some(b't' | b'f') => "a boolean",
            Some(b'n') => "null",
            _ => "a number",
        };
        let start = self.lexer.offset();
        self.lexer.skip()?;
        let message = format!("{what} must be {expected}, found {found}");
        self.builder.problem(Diagnostic::error(start, 1, message));
        Ok(())
    }

    /// Opens an object.
    pub(super) fn object(&mut self, what: &'static str) -> Result<Option<Members>, Stop> {
        if self.lexer.peek()? != Some(b'{') {
            return self.mismatch(what, "an object").map(|()| None);
        }
        let start = self.lexer.offset();
        self.lexer.bump();
        Ok(Some(Members { start, what, seen: 0, first: true }))
    }

    /// The next key of an object; its value follows.
    pub(super) fn key(&mut self, members: &mut Members) -> Result<Option<Key>, Stop> {
        while self.lexer.key(&mut members.first)? {
            let key = Key::of(self.lexer.text());
            let (start, length) = self.lexer.text_span();
            self.lexer.colon()?;
            if key == Key::Other || !members.has(key) {
                members.seen |= 1 << key as u32;
                return Ok(Some(key));
            }
            self.lexer.skip()?;
            let message = format!("{} has \"{}\" twice", members.what, key.name());
            self.builder.problem(Diagnostic::error(start, length, message));
        }
        Ok(None)
    }

    /// Reports a key that an object should have; false if it has not.
    pub(super) fn demand(&mut self, members: &Members, key: Key) -> bool {
        let has = members.has(key);
        if !has {
            let message = format!("{} has no \"{}\"", members.what, key.name());
            self.builder.problem(Diagnostic::error(members.start, 1, message));
        }
        has
    }

    /// Reads an array, element by element; false if it is none.
    pub(super) fn list(
        &mut self,
        what: &'static str,
        mut element: impl FnMut(&mut Self) -> Result<(), Stop>,
    ) -> Result<bool, Stop> {
        if self.lexer.peek()? != Some(b'[') {
            return self.mismatch(what, "an array").map(|()| false);
        }
        self.lexer.bump();
        let mut first = true;
        while self.lexer.element(&mut first)? {
            if self.lexer.base() != self.seen {
                self.declare()?;
            }
            element(self)?;
        }
        Ok(true)
    }

    /// Declares the memory that the next part of the input may add.
    #[cold]
    pub(super) fn declare(&mut self) -> Result<(), Stop> {
        self.seen = self.lexer.base();
        self.budget.look()?;
        let bytes = self.draft.bytes_ahead(PER_CHUNK) + self.builder.bytes_ahead(&self.draft);
        Ok(self.budget.grow(&mut self.held, bytes)?)
    }

    fn flag(&mut self, what: &'static str) -> Result<bool, Stop> {
        let value = self.lexer.peek()?;
        if matches!(value, Some(b't' | b'f')) {
            self.lexer.scalar()?;
        } else {
            self.mismatch(what, "true or false")?;
            self.draft.incomplete();
        }
        Ok(value == Some(b't'))
    }

    pub(super) fn name(&mut self, what: &'static str) -> Result<Option<Name>, Stop> {
        self.name_of(what, None)
    }

    /// The same; that of a node or a target is only kept, and looked up later, if it is not among
    /// the recently used ones.
    #[inline]
    fn name_of(&mut self, what: &'static str, of: Option<Of>) -> Result<Option<Name>, Stop> {
        if self.lexer.peek()? != Some(b'"') {
            return self.mismatch(what, "a string").map(|()| None);
        }
        let start = self.lexer.string()?;
        let text = self.lexer.text();
        let key = NameKey::of(text);
        let Some(of) = of else {
            let symbol = symbol(self.builder, key, text).ok_or_else(|| no_room(start))?;
            return Ok(Some((symbol, start)));
        };
        if let Some(symbol) = self.builder.near_symbol(key, text) {
            return Ok(Some((symbol, start)));
        }
        self.later.push(key, text, of, start);
        Ok(Some((Symbol::new(0), start)))
    }
}

#[cold]
fn no_room(offset: u64) -> Stop {
    Diagnostic::error(offset, 1, "all names together are longer than 4 GiB").into()
}
