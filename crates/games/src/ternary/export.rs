//! Coloured games for people and for other tools.

use super::{Colouring, TernaryGame};
use crate::{Game, GameBuilder, Player};
use loris_base::{Budget, Exhausted, Truth};
use std::io::{self, Write};

/// The ordinary game in which one player is careful: it has the certain edges only, and loses at
/// unknown terminals. Nodes keep their numbers, terminals are dead ends of the player who loses
/// there.
///
/// The nodes that a careful `Even` wins are the true ones, those that a careful `Odd` wins the
/// false ones. So any solver of parity games can check colours.
///
/// # Errors
/// The budget ran out.
pub fn careful(game: &TernaryGame, player: Player, budget: &mut Budget) -> Result<Game, Exhausted> {
    let mut builder = GameBuilder::default();
    for node in game.nodes() {
        let owner = match game.value(node) {
            None => game.owner(node),
            Some(Truth::True) => Player::Odd,
            Some(Truth::False) => Player::Even,
            Some(Truth::Unknown) => player,
        };
        let moves = if owner == player { game.certain(node) } else { game.successors(node) };
        builder.push(owner, game.priority(node), moves, budget)?;
    }
    builder.finish(budget)
}

/// Writes a coloured game for Graphviz: green nodes are true, red ones false, yellow ones unknown;
/// `Even` moves at diamonds, `Odd` at boxes, and ellipses are terminals. Edges that may not exist
/// are dashed, winning moves are bold. Priorities other than 0 follow the name.
pub fn write_dot(
    out: &mut impl Write,
    game: &TernaryGame,
    colouring: &Colouring,
    mut name: impl FnMut(u32) -> String,
) -> io::Result<()> {
    out.write_all(HEAD.as_bytes())?;
    for node in game.nodes() {
        let shape = match (game.value(node), game.owner(node)) {
            (Some(_), _) => "ellipse",
            (None, Player::Even) => "diamond",
            (None, Player::Odd) => "box",
        };
        let (value, color) = match colouring.colour(node) {
            Truth::True => ("T", "#d8ead3"),
            Truth::False => ("F", "#f6d9d5"),
            Truth::Unknown => ("?", "#fdf0cc"),
        };
        let name = escaped(&name(node));
        let priority = match game.priority(node) {
            0 => String::new(),
            priority => format!(", {priority}"),
        };
        writeln!(
            out,
            "  n{node} [label=\"{name}\\n{value}{priority}\", shape={shape}, fillcolor=\"{color}\"]"
        )?;
    }
    for node in game.nodes() {
        for edge in game.edges_of(node) {
            let style = match (edge.must, colouring.successor(node) == Some(edge.to)) {
                (false, _) => " [style=dashed]",
                (true, true) => " [penwidth=2]",
                (true, false) => "",
            };
            writeln!(out, "  n{node} -> n{}{style}", edge.to)?;
        }
    }
    out.write_all(b"}\n")
}

const HEAD: &str = r##"digraph game {
  node [fontname="Helvetica", fontsize=11, style=filled, color="#444444", margin="0.08,0.04"]
  edge [color="#444444", arrowsize=0.7]
"##;

fn escaped(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for char in text.chars() {
        if matches!(char, '"' | '\\') {
            escaped.push('\\');
        }
        escaped.push(if char.is_control() { '\u{fffd}' } else { char });
    }
    escaped
}
