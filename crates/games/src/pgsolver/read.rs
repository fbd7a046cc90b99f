//! Reads games. One pass over the text; numbers are resolved when all nodes are known. Linear.

use super::ReadError;
use super::numbers::{GameFile, NodeNames, Nodes};
use super::scan::{Problem, Scanner};
use super::statements::Statements;
use crate::{GameBuilder, Player};
use loris_base::{Budget, Diagnostic, Diagnostics, Stopped};
use std::io::Read;

/// Reads a game from a text.
///
/// ```
/// use loris_base::Budget;
/// use loris_games::pgsolver::read_game;
/// let file = read_game("parity 7; 7 1 0 3; 3 2 1 7,3 \"c\";", &mut Budget::unlimited()).unwrap();
/// assert_eq!(file.game.successors(1), [0, 1]);
/// assert_eq!((file.number(1), file.name(1)), (3, Some("c")));
/// ```
///
/// # Errors
/// All problems of the text, with their byte offsets, or that the budget ran out.
pub fn read_game(text: &str, budget: &mut Budget) -> Result<GameFile, Stopped> {
    read_game_from(text.as_bytes(), budget).map_err(ReadError::of_text)
}

/// Reads a game from a source that need not fit into memory. The game stays declared in the budget.
///
/// # Errors
/// The source failed; or all problems of the text; or the budget ran out.
pub fn read_game_from(source: impl Read, budget: &mut Budget) -> Result<GameFile, ReadError> {
    let mut statements = Statements::new(source);
    let mut reader = Reader::default();
    let mut last = None;
    while let Some((text, base)) = statements.next(budget)? {
        let mut start = 0;
        loop {
            let mut scanner = Scanner::new(&text[start..], base + start as u64);
            match reader.statement(&mut scanner, base + start as u64, budget) {
                Ok(()) => break,
                Err(Trouble::Stopped(why)) => return Err(why.into()),
                Err(Trouble::Wrong(problem)) => note(&mut reader.problems, &mut last, problem.into()),
            }
            if reader.is_other {
                return Err(reader.problems.into());
            }
            match scanner.recovery() {
                Some(line) => start += line,
                None => break,
            }
        }
    }
    statements.close(budget);
    reader.finish(budget)
}

/// Adds a problem, unless the one before is in the same place.
pub(super) fn note(problems: &mut Diagnostics, last: &mut Option<u64>, problem: Diagnostic) {
    if problem.offset != *last {
        *last = problem.offset;
        problems.push(problem);
    }
}

/// Why a statement was not read.
enum Trouble {
    Wrong(Problem),
    Stopped(loris_base::Exhausted),
}

impl From<Problem> for Trouble {
    fn from(problem: Problem) -> Self {
        Trouble::Wrong(problem)
    }
}

impl From<loris_base::Exhausted> for Trouble {
    fn from(why: loris_base::Exhausted) -> Self {
        Trouble::Stopped(why)
    }
}

/// The game read so far. Successors are numbers of the file.
#[derive(Default)]
struct Reader {
    builder: GameBuilder,
    numbers: Vec<u32>,
    names: NodeNames,
    row: Vec<u32>,
    /// the number of the start and its place
    start: Option<(u32, u64)>,
    has_header: bool,
    /// whether the file is none of a game, so that further problems mean nothing
    is_other: bool,
    /// where each node starts in the text, and each successor after that, `u16::MAX` if far
    places: Vec<u64>,
    distances: Vec<u16>,
    problems: Diagnostics,
}

const NODE: &str = "a node: its number, priority, owner and successors, as in `0 2 1 3,4;`";

impl Reader {
    fn statement(&mut self, scanner: &mut Scanner, base: u64, budget: &mut Budget) -> Result<(), Trouble> {
        let place = scanner.place();
        match scanner.word() {
            None => self.node(scanner, base, budget),
            Some(b"parity") if self.builder.is_empty() && !self.has_header => {
                self.has_header = true;
                scanner.number("the largest number of a node")?;
                Ok(scanner.end("`;` after the header")?)
            }
            Some(b"start") if self.builder.is_empty() && self.start.is_none() => {
                let at = base + scanner.place() as u64;
                self.start = Some((scanner.number("the number of a node")?, at));
                Ok(scanner.end("`;` after the start")?)
            }
            Some(b"parity" | b"start") => {
                Err(scanner.problem(place, "this line belongs before all nodes, once").into())
            }
            Some(b"paritysol") => {
                self.is_other = true;
                Err(scanner.problem(place, "this is a solution, and no game").into())
            }
            Some(_) => Err(scanner.problem(place, format!("unexpected word, expected {NODE}")).into()),
        }
    }

    fn node(&mut self, scanner: &mut Scanner, base: u64, budget: &mut Budget) -> Result<(), Trouble> {
        let place = scanner.place();
        let number = scanner.number(NODE)?;
        let priority = scanner.number("the priority of the node")?;
        let owner = scanner.player("the owner of the node, 0 or 1")?;
        self.row.clear();
        let first = self.distances.len();
        while self.row.is_empty() && scanner.peek().is_some_and(|byte| byte.is_ascii_digit())
            || !self.row.is_empty() && scanner.take(b',')
        {
            let distance = scanner.place() - place;
            let successor = scanner.number("a successor");
            if successor.is_err() {
                self.distances.truncate(first);
            }
            budget.reserve(&mut self.row, 1)?;
            self.row.push(successor?);
            budget.reserve(&mut self.distances, 1)?;
            self.distances.push(u16::try_from(distance).unwrap_or(u16::MAX));
        }
        let name = scanner.name().and_then(|name| {
            let expected = if name.is_some() { "`;` after the name" } else { "`,`, a name or `;`" };
            scanner.end(expected)?;
            Ok(name)
        });
        if name.is_err() {
            self.distances.truncate(first);
        }
        if let Some(name) = name? {
            self.names.set(self.numbers.len() as u32, name, budget)?;
        }
        self.builder.push(Player::of(owner), priority, &self.row, budget)?;
        budget.reserve(&mut self.numbers, 1)?;
        self.numbers.push(number);
        budget.reserve(&mut self.places, 1)?;
        self.places.push(base + place as u64);
        Ok(())
    }

    /// Resolves all numbers.
    fn finish(self, budget: &mut Budget) -> Result<GameFile, ReadError> {
        let Self { mut builder, numbers, names, row, start, has_header, places, distances, .. } = self;
        let mut problems = self.problems;
        budget.free(row);
        if numbers.is_empty() && !has_header && problems.is_empty() {
            problems.push(Diagnostic::global("there is no node").help(format!("expected {NODE}")));
        }
        let nodes = Nodes::new(&numbers, budget, |node| {
            let message = format!("there is a second node {}", numbers[node as usize]);
            let length = numbers[node as usize].checked_ilog10().unwrap_or(0) as usize + 1;
            problems.push(Diagnostic::error(places[node as usize], length, message));
        })?;
        // after a problem, missing nodes are none of their own
        if !problems.is_empty() {
            return Err(problems.into());
        }
        let mut missing = |number: u32, place: u64| {
            let length = number.checked_ilog10().unwrap_or(0) as usize + 1;
            problems.push(Diagnostic::error(place, length, format!("there is no node {number}")));
        };
        let mut distances_left = distances.iter();
        for (node, &place) in places.iter().enumerate() {
            let row = builder.successors_mut(node as u32);
            budget.spend(1 + row.len())?;
            for (to, &distance) in row.iter_mut().zip(&mut distances_left) {
                match nodes.get(*to) {
                    Some(node) => *to = node,
                    None if distance == u16::MAX => missing(*to, place),
                    None => missing(*to, place + u64::from(distance)),
                }
            }
        }
        let start = start.and_then(|(number, place)| {
            let node = nodes.get(number);
            if node.is_none() {
                missing(number, place);
            }
            node
        });
        let is_same = matches!(nodes, Nodes::Same(_));
        nodes.release(budget);
        budget.free(places);
        budget.free(distances);
        if problems.has_errors() {
            return Err(problems.into());
        }
        let numbers = if is_same {
            budget.free(numbers);
            None
        } else {
            Some(numbers)
        };
        let game = builder.finish(budget)?;
        Ok(GameFile { game, start, numbers, names })
    }
}
