//! Writes games.
//!
//! The format has no dead ends: a node without successors gets an edge to itself and a priority by
//! which its owner loses there.

use super::GameFile;
use crate::{Game, Player};
use std::io::{self, Write};

/// Writes a game with the numbers and names of its file.
pub fn write_game(out: &mut impl Write, file: &GameFile) -> io::Result<()> {
    let most = file.game.nodes().map(|node| file.number(node)).max().unwrap_or(0);
    writeln!(out, "parity {most};")?;
    if let Some(start) = file.start {
        writeln!(out, "start {};", file.number(start))?;
    }
    let mut row = Row::default();
    for node in file.game.nodes() {
        row.node(&file.game, node, |node| file.number(node), file.name(node).unwrap_or_default());
        row.put(out)?;
    }
    Ok(())
}

/// Writes a game whose nodes have these names, in which `"` and control characters become `'` and
/// blanks; an empty name is none.
pub fn write_named(out: &mut impl Write, game: &Game, mut name: impl FnMut(u32) -> String) -> io::Result<()> {
    writeln!(out, "parity {};", game.len().saturating_sub(1))?;
    let mut row = Row::default();
    for node in game.nodes() {
        row.node(game, node, |node| node, &name(node));
        row.put(out)?;
    }
    Ok(())
}

/// A line, to be written at once.
#[derive(Default)]
pub(super) struct Row(Vec<u8>);

impl Row {
    fn node(&mut self, game: &Game, node: u32, number: impl Fn(u32) -> u32, name: &str) {
        let (owner, successors) = (game.owner(node), game.successors(node));
        let priority = match successors {
            [] => owner.opponent().number(),
            _ => game.priority(node),
        };
        self.fields(number(node), priority, owner);
        let to = if successors.is_empty() { std::slice::from_ref(&node) } else { successors };
        for (place, &next) in to.iter().enumerate() {
            self.0.push(if place == 0 { b' ' } else { b',' });
            self.number(number(next));
        }
        self.name(name);
    }

    /// The first three fields of a node.
    pub(super) fn fields(&mut self, number: u32, priority: u32, owner: Player) {
        self.number(number);
        self.0.push(b' ');
        self.number(priority);
        self.0.push(b' ');
        self.number(owner.number());
    }

    pub(super) fn blank(&mut self) {
        self.0.push(b' ');
    }

    pub(super) fn number(&mut self, number: u32) {
        let mut digits = [0; 10];
        let (mut at, mut rest) = (digits.len(), number);
        loop {
            at -= 1;
            digits[at] = b'0' + (rest % 10) as u8;
            rest /= 10;
            if rest == 0 {
                break;
            }
        }
        self.0.extend_from_slice(&digits[at..]);
    }

    fn name(&mut self, name: &str) {
        if name.is_empty() {
            return;
        }
        self.0.extend_from_slice(b" \"");
        let mut bytes = [0; 4];
        for char in name.chars() {
            let char = match char {
                '"' => '\'',
                char if char.is_control() => ' ',
                char => char,
            };
            self.0.extend_from_slice(char.encode_utf8(&mut bytes).as_bytes());
        }
        self.0.push(b'"');
    }

    pub(super) fn put(&mut self, out: &mut impl Write) -> io::Result<()> {
        self.0.extend_from_slice(b";\n");
        let done = out.write_all(&self.0);
        self.0.clear();
        done
    }
}
