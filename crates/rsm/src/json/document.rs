//! The RSM JSON format: the keys of the model around its components.

use super::keys::Key;
use super::later::Later;
use super::lexer::Lexer;
use super::reader::{Members, Reader};
use super::stop::Stop;
use crate::{Draft, RsmBuilder};
use loris_base::{Budget, Diagnostic};
use std::io::Read;

/// Reads a whole model into a builder, and returns the bytes that are declared for it.
pub(super) fn read(
    mut lexer: Lexer<impl Read>,
    builder: &mut RsmBuilder,
    budget: &mut Budget,
) -> Result<usize, Stop> {
    lexer.byte_order_mark()?;
    if lexer.peek()?.is_none() {
        return Err(Diagnostic::error(0, 1, "the file is empty, expected a JSON object").into());
    }
    if lexer.peek()? != Some(b'{') {
        return Err(lexer.unexpected("a JSON object"));
    }
    let draft = Draft::new(builder.symbol(""), 0);
    let later = Later::default();
    let mut reader = Reader { lexer, builder, draft, later, budget, held: 0, seen: 0 };
    reader.model()?;
    if reader.lexer.peek()?.is_some() {
        let offset = reader.lexer.offset();
        reader.builder.problem(Diagnostic::error(offset, 1, "the model has ended, but the file goes on"));
    }
    // only the builder is left, without a component on its way into it
    let Reader { mut held, draft, .. } = reader;
    let left = builder.bytes_ahead(&Draft::new(draft.name, 0));
    if left < held {
        budget.release(held - left);
        held = left;
    }
    Ok(held)
}

impl<R: Read> Reader<'_, R> {
    fn model(&mut self) -> Result<(), Stop> {
        let Some(mut members) = self.object("the model")? else { return Ok(()) };
        let mut component = None;
        while let Some(key) = self.key(&mut members)? {
            match key {
                Key::InitialComponent => {
                    component = self.name("\"initial_component\"")?;
                    self.builder.lost_initial |= component.is_none();
                }
                Key::InitialNode => self.initial_node("\"initial_node\"")?,
                Key::InitialNodes => {
                    let complete = self.list("\"initial_nodes\"", |reader| {
                        reader.initial_node("an element of \"initial_nodes\"")
                    })?;
                    self.builder.lost_initial |= !complete;
                }
                Key::Components => {
                    let start = self.start()?;
                    let complete = self.list("\"components\"", Self::component)?;
                    self.builder.lost_component |= !complete;
                    if complete && self.builder.is_empty() && !self.builder.lost_component {
                        self.builder.problem(Diagnostic::error(start, 1, "the model has no component"));
                    }
                }
                _ => self.lexer.skip()?,
            }
        }
        if let Some((name, offset)) = component {
            self.builder.initial_component(name, offset);
        } else {
            self.missing_initial(&members);
        }
        self.builder.lost_component |= !self.demand(&members, Key::Components);
        Ok(())
    }

    fn missing_initial(&mut self, members: &Members) {
        self.builder.lost_initial = true;
        if members.has(Key::InitialComponent) {
            return;
        }
        let problem = Diagnostic::error(members.start, 1, "the model has no \"initial_component\"");
        self.builder.problem(match self.builder.components.first() {
            Some(first) => {
                let name = &self.builder.names[first.name];
                problem.help(format!("runs start in one of the components, such as \"{name}\""))
            }
            None => problem,
        });
    }

    fn initial_node(&mut self, what: &'static str) -> Result<(), Stop> {
        match self.name(what)? {
            Some((name, offset)) => self.builder.initial_node(name, offset),
            None => self.builder.lost_initial = true,
        }
        Ok(())
    }
}
