//! Whether every concretisation has an accepted run, where no single run is one of all of them.
//!
//! A game in which one player makes a concretisation, state by state as the other gets there: the
//! values of unknown labels, and of the steps of a state that has no certain one a single step or
//! none. The other chooses certain steps, and edges of the automaton, which is to accept. If he
//! wins, every concretisation has an accepted run, since it is a strategy of the first player. That
//! is the generalised model checking of Bruns and Godefroid, but for the automaton, whose choices
//! are made without knowledge of what comes: where it is not deterministic, he may lose in vain.
//! Further steps that the first player leaves in only give the other more to choose from, so that
//! one is enough.

use super::graph::{Graph, Steps};
use super::letters::value;
use super::{SoughtRun, give_back};
use loris_base::{Budget, Exhausted, Truth};
use loris_games::{GameBuilder, Player, Solver, solve};
use loris_logic::mu::DeadEnds;
use rustc_hash::FxHashMap;

/// With more unknown labels in one state, the game is not played.
const MOST_UNKNOWN: usize = 10;

/// Bytes of a position, with its entry in the table.
const POSITION_BYTES: usize = 3 * size_of::<Position>() + 48;

/// How a state is left.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Way {
    /// Nothing is chosen yet.
    Open,
    /// By any of its certain steps.
    Certain,
    /// By this step, which is the only one.
    By(u32),
    /// It is a dead end.
    Ends,
}

/// A position: a global state, how it is left, the values of its unknown labels, and the state of
/// the automaton.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct Position {
    state: u32,
    way: Way,
    choice: u32,
    automaton: u32,
}

struct Duel<'a> {
    graph: Graph<'a>,
    positions: Vec<Position>,
    numbers: FxHashMap<Position, u32>,
}

/// Whether every concretisation has an accepted run, as far as the game shows it.
///
/// # Errors
/// The budget ran out.
pub(super) fn always_accepts(sought: &SoughtRun<'_>, budget: &mut Budget) -> Result<bool, Exhausted> {
    let mark = budget.used();
    let graph = Graph::new(sought, Steps::May, budget)?;
    let mut duel = Duel { graph, positions: Vec::new(), numbers: FxHashMap::default() };
    let wins = duel.wins(budget)?;
    drop(duel);
    give_back(mark, budget);
    Ok(wins)
}

impl Duel<'_> {
    fn wins(&mut self, budget: &mut Budget) -> Result<bool, Exhausted> {
        let mut builder = GameBuilder::default();
        let first = self.first(budget)?;
        // the first node chooses among the initial ones, which are counted from 1
        let row: Vec<u32> = first.into_iter().map(|node| node + 1).collect();
        builder.push(Player::Even, 1, &row, budget)?;
        let mut next = 0;
        while next < self.positions.len() {
            let position = self.positions[next];
            next += 1;
            let Some(row) = self.moves(position, budget)? else { return Ok(false) };
            let row: Vec<u32> = row.into_iter().map(|node| node + 1).collect();
            let owner = if position.way == Way::Open { Player::Odd } else { Player::Even };
            let accepts = self.graph.sought.buchi.is_accepting(position.automaton);
            builder.push(owner, if accepts { 2 } else { 1 }, &row, budget)?;
        }
        let game = builder.finish(budget)?;
        Ok(solve(&game, Solver::default(), budget)?.winner(0) == Player::Even)
    }

    fn first(&mut self, budget: &mut Budget) -> Result<Vec<u32>, Exhausted> {
        let sought = self.graph.sought;
        let mut states = vec![0];
        if sought.system.starts() {
            let row = self.graph.row(0, budget)?;
            states = self.graph.steps(row).iter().filter(|step| step.must).map(|step| step.target).collect();
        }
        let mut found = Vec::new();
        for state in states {
            for &automaton in sought.buchi.initial() {
                found.push(self.number(Position { state, way: Way::Open, choice: 0, automaton }, budget)?);
            }
        }
        Ok(found)
    }

    fn number(&mut self, position: Position, budget: &mut Budget) -> Result<u32, Exhausted> {
        if let Some(&number) = self.numbers.get(&position) {
            return Ok(number);
        }
        // one number is that of the first node
        let number = u32::try_from(self.positions.len() + 1).map_err(|_| Exhausted::States)? - 1;
        budget.charge(POSITION_BYTES)?;
        self.positions.push(position);
        self.numbers.insert(position, number);
        Ok(number)
    }

    /// The next positions; nothing if there are too many.
    fn moves(&mut self, position: Position, budget: &mut Budget) -> Result<Option<Vec<u32>>, Exhausted> {
        let row = self.graph.row(position.state, budget)?;
        let mut found = Vec::new();
        match position.way {
            Way::Open => {
                let ways = self.ways(row.clone());
                self.graph.read(position.state, None, false);
                let unknown = self.graph.unknown();
                if unknown > MOST_UNKNOWN {
                    return Ok(None);
                }
                for way in ways {
                    for choice in 0..1 << unknown {
                        found.push(self.number(Position { way, choice, ..position }, budget)?);
                    }
                }
            }
            Way::Certain | Way::By(_) => {
                for step in self.graph.steps(row.clone()).to_vec().iter().zip(0..).filter(|(step, place)| {
                    if let Way::By(chosen) = position.way { chosen == *place } else { step.must }
                }) {
                    self.graph.read(position.state, Some(step.0.action), false);
                    let next = Position { state: step.0.target, way: Way::Open, choice: 0, ..position };
                    self.by_automaton(position, next, &mut found, budget)?;
                }
            }
            Way::Ends => {
                let is_last = self.graph.sought.dead_ends == DeadEnds::Maximal;
                self.graph.read(position.state, None, is_last);
                // where only infinite runs count, there is none
                if self.graph.sought.dead_ends != DeadEnds::Stop {
                    self.by_automaton(position, position, &mut found, budget)?;
                }
            }
        }
        budget.spend(1 + found.len())?;
        Ok(Some(found))
    }

    /// How a state may be left.
    fn ways(&self, row: std::ops::Range<usize>) -> Vec<Way> {
        let steps = self.graph.steps(row);
        if steps.iter().any(|step| step.must) {
            return vec![Way::Certain];
        }
        (0..steps.len() as u32).map(Way::By).chain([Way::Ends]).collect()
    }

    /// Adds the positions in which the automaton has read the letter.
    fn by_automaton(
        &mut self,
        from: Position,
        to: Position,
        found: &mut Vec<u32>,
        budget: &mut Budget,
    ) -> Result<(), Exhausted> {
        self.graph.choose(from.choice);
        let buchi = self.graph.sought.buchi;
        for edge in buchi.edges(from.automaton) {
            budget.spend(1)?;
            if value(&edge.guard, self.graph.letter(), budget)? == Truth::True {
                found.push(self.number(Position { automaton: edge.to, ..to }, budget)?);
            }
        }
        Ok(())
    }
}
