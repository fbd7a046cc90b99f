//! Reads and writes solutions.

use super::ReadError;
use super::numbers::{GameFile, Nodes};
use super::read::note;
use super::scan::{Problem, Scanner};
use super::statements::Statements;
use super::write::Row;
use crate::{Player, Solution};
use loris_base::{BitSet, Budget, Diagnostic, Diagnostics, Stopped};
use std::io::{self, Read, Write};

/// Writes a solution of a game: a line per node with its number, its winner, and the winner's move.
pub fn write_solution(out: &mut impl Write, file: &GameFile, solution: &Solution) -> io::Result<()> {
    let most = file.game.nodes().map(|node| file.number(node)).max().unwrap_or(0);
    writeln!(out, "paritysol {most};")?;
    let mut row = Row::default();
    for node in file.game.nodes() {
        row.number(file.number(node));
        row.blank();
        row.number(solution.winner(node).number());
        if let Some(next) = solution.successor(node) {
            row.blank();
            row.number(file.number(next));
        }
        row.put(out)?;
    }
    Ok(())
}

/// Reads a solution of a game from a text.
///
/// # Errors
/// All problems of the text, with their byte offsets, or that the budget ran out.
pub fn read_solution(text: &str, file: &GameFile, budget: &mut Budget) -> Result<Solution, Stopped> {
    read_solution_from(text.as_bytes(), file, budget).map_err(ReadError::of_text)
}

/// Reads a solution of a game from a source that need not fit into memory. It must have a line for
/// every node. A move at a node that does not belong to its winner means nothing and is left out.
/// The solution is not verified, but it stays declared in the budget.
///
/// # Errors
/// The source failed; or all problems of the text; or the budget ran out.
pub fn read_solution_from(
    source: impl Read,
    file: &GameFile,
    budget: &mut Budget,
) -> Result<Solution, ReadError> {
    let nodes = match &file.numbers {
        None => Nodes::Same(file.game.len()),
        Some(numbers) => Nodes::new(numbers, budget, |_| {})?,
    };
    let mut reader = Reader {
        file,
        nodes: &nodes,
        solution: Solution::blank(file.game.len(), budget)?,
        seen: BitSet::within(file.game.len(), budget)?,
        is_other: false,
    };
    let mut problems = Diagnostics::default();
    let mut statements = Statements::new(source);
    let (mut is_first, mut last) = (true, None);
    while let Some((text, base)) = statements.next(budget)? {
        let mut start = 0;
        loop {
            let mut scanner = Scanner::new(&text[start..], base + start as u64);
            match reader.statement(&mut scanner, is_first) {
                Ok(()) => break,
                Err(problem) => note(&mut problems, &mut last, problem.into()),
            }
            if reader.is_other {
                return Err(problems.into());
            }
            match scanner.recovery() {
                Some(line) => start += line,
                None => break,
            }
        }
        is_first = false;
    }
    statements.close(budget);
    let Reader { solution, seen, .. } = reader;
    let missing = file.game.len() - seen.count();
    if let Some(first) = file.game.nodes().find(|&node| !seen.contains(node))
        && problems.is_empty()
    {
        let number = file.number(first);
        let message = match missing {
            1 => format!("there is no line for node {number}"),
            _ => format!("there is no line for {missing} nodes, of which {number} is the first"),
        };
        problems.push(Diagnostic::global(message));
    }
    budget.release(seen.bytes());
    nodes.release(budget);
    if problems.has_errors() { Err(problems.into()) } else { Ok(solution) }
}

/// The solution read so far.
struct Reader<'f> {
    file: &'f GameFile,
    nodes: &'f Nodes,
    solution: Solution,
    seen: BitSet,
    /// whether the file is none of a solution, so that further problems mean nothing
    is_other: bool,
}

const LINE: &str = "the number of a node, its winner and its move, as in `0 1 3;`";

impl Reader<'_> {
    fn statement(&mut self, scanner: &mut Scanner, is_first: bool) -> Result<(), Problem> {
        let place = scanner.place();
        match scanner.word() {
            None => self.node(scanner),
            Some(b"paritysol") if is_first => {
                scanner.number("the largest number of a node")?;
                scanner.end("`;` after the header")
            }
            Some(b"parity") => {
                self.is_other = true;
                Err(scanner.problem(place, "this is a game, and no solution"))
            }
            Some(_) => Err(scanner.problem(place, format!("unexpected word, expected {LINE}"))),
        }
    }

    fn node(&mut self, scanner: &mut Scanner) -> Result<(), Problem> {
        let place = scanner.place();
        let node = self.known(scanner, LINE)?;
        let winner = Player::of(scanner.player("the winner of the node, 0 or 1")?);
        let next = match scanner.peek() {
            Some(byte) if byte.is_ascii_digit() => Some(self.known(scanner, "a move")?),
            _ => None,
        };
        scanner.name()?;
        scanner.end("a move or `;`")?;
        if self.seen.contains(node) {
            let number = self.file.number(node);
            return Err(scanner.problem(place, format!("there is a second line for node {number}")));
        }
        self.seen.insert(node);
        let is_own = self.file.game.owner(node) == winner;
        self.solution.set(node, winner, next.filter(|_| is_own));
        Ok(())
    }

    /// The node with the number that comes next.
    fn known(&self, scanner: &mut Scanner, expected: &str) -> Result<u32, Problem> {
        let place = scanner.place();
        let number = scanner.number(expected)?;
        let missing = || scanner.problem(place, format!("the game has no node {number}"));
        self.nodes.get(number).ok_or_else(missing)
    }
}
