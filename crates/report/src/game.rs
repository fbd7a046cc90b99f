//! Parity games that were solved.

use crate::json::quoted;
use crate::{counted, style};
use loris_base::visible;
use loris_games::pgsolver::GameFile;
use loris_games::{Player, Solution};
use std::fmt::{self, Write};

/// A game with its solution.
#[derive(Clone, Copy, Debug)]
pub struct SolvedGame<'a> {
    /// The path of the game, as it was given.
    pub path: &'a str,
    /// The game.
    pub file: &'a GameFile,
    /// Its solution, which is verified.
    pub solution: &'a Solution,
    /// Who solved it.
    pub solver: &'a str,
    /// The nodes whose winners are listed.
    pub nodes: &'a [u32],
    /// The time that solving took, without reading and verifying.
    pub seconds: f64,
    /// The memory in use at most while it was solved, game included.
    pub bytes: usize,
}

/// How many different priorities a game has.
fn priorities(file: &GameFile) -> usize {
    let mut priorities: Vec<u32> = file.game.nodes().map(|node| file.game.priority(node)).collect();
    priorities.sort_unstable();
    priorities.dedup();
    priorities.len()
}

/// The outcome as text.
///
/// # Errors
/// Those of the writer.
pub fn text_solved(out: &mut impl Write, solved: &SolvedGame<'_>) -> fmt::Result {
    let SolvedGame { path, file, solution, solver, nodes, seconds, .. } = *solved;
    let mut fact =
        |name: &str, value: String| writeln!(out, "{}{name:<11}{} {value}", style::DIM, style::RESET);
    fact("game", visible(path).into_owned())?;
    let sizes = [
        counted(file.game.len(), "node", "nodes"),
        counted(file.game.edges(), "edge", "edges"),
        counted(priorities(file), "priority", "priorities"),
    ];
    fact("size", sizes.join(", "))?;
    for player in Player::BOTH {
        let won = counted(solution.won_by(player), "node", "nodes");
        fact(&format!("player {}", player.number()), format!("wins {won}"))?;
    }
    for &node in nodes {
        let winner = solution.winner(node).number();
        let name = file.name(node).map(|name| format!(" \"{}\"", visible(name))).unwrap_or_default();
        let next = solution.successor(node).map(|next| format!(" by moving to {}", file.number(next)));
        let next = next.unwrap_or_default();
        fact(&format!("node {}", file.number(node)), format!("player {winner} wins{name}{next}"))?;
    }
    fact("strategy", format!("verified  [{solver}, {seconds:.3} s]"))
}

/// The outcome as JSON.
///
/// # Errors
/// Those of the writer.
pub fn json_solved(out: &mut impl Write, solved: &SolvedGame<'_>) -> fmt::Result {
    let SolvedGame { path, file, solution, solver, nodes, seconds, bytes } = *solved;
    let (count, edges) = (file.game.len(), file.game.edges());
    writeln!(out, "{{\"loris\": {},", quoted(env!("CARGO_PKG_VERSION")))?;
    writeln!(
        out,
        " \"game\": {{\"path\": {}, \"nodes\": {count}, \"edges\": {edges}, \"priorities\": {}}},",
        quoted(path),
        priorities(file)
    )?;
    writeln!(out, " \"solver\": {}, \"verified\": true,", quoted(solver))?;
    let [even, odd] = Player::BOTH.map(|player| solution.won_by(player));
    writeln!(out, " \"won\": {{\"0\": {even}, \"1\": {odd}}},")?;
    write!(out, " \"nodes\": [")?;
    for (place, &node) in nodes.iter().enumerate() {
        let separator = if place == 0 { "" } else { ", " };
        let (number, winner) = (file.number(node), solution.winner(node).number());
        write!(out, "{separator}{{\"node\": {number}")?;
        if let Some(name) = file.name(node) {
            write!(out, ", \"name\": {}", quoted(name))?;
        }
        write!(out, ", \"winner\": {winner}")?;
        if let Some(next) = solution.successor(node) {
            write!(out, ", \"move\": {}", file.number(next))?;
        }
        out.write_char('}')?;
    }
    writeln!(out, "],\n \"bytes\": {bytes}, \"seconds\": {seconds:.6}}}")
}
