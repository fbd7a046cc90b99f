//! Strategies, replayed: the game of a formula on processes that run in parallel, with the moves of
//! the strategy for the one player and all moves for the other.
//!
//! Nothing of the engines is used: steps are taken from the processes by their definition, and
//! whether every run is won is decided by the strongly connected components of the positions, one
//! priority after the other. Time and memory are those of the positions that the strategy reaches.

use crate::components::components;
use crate::global_states::{label, successors};
use crate::replayed::{Replayed, Unreplayed};
use crate::strategy::Strategy;
use loris_base::{Budget, Csr, Truth};
use loris_logic::mu::{Mu, MuFormula, MuId};
use loris_lts::{GlobalState, System};
use rustc_hash::FxHashMap;
use std::borrow::Cow;

/// A position: a global state and a subformula.
type Position = (Vec<u32>, MuId);

/// The formula that holds in the first state of a system if `formula` holds in all initial states.
pub fn from_start<'f>(system: &System, formula: &'f MuFormula) -> Cow<'f, MuFormula> {
    if system.starts() { Cow::Owned(formula.after_a_step()) } else { Cow::Borrowed(formula) }
}

/// Replays a strategy that is to show that a formula is true in all initial states of a system, or
/// that it is not.
///
/// # Errors
/// Why it does not show that, or which limit was reached before that was known.
pub fn replay_strategy(
    system: &System,
    formula: &MuFormula,
    holds: bool,
    strategy: &Strategy<GlobalState>,
    budget: &mut Budget,
) -> Result<Replayed, Unreplayed> {
    let formula = from_start(system, formula);
    let shown = if holds { formula.to_string() } else { formula.negated().to_string() };
    if strategy.shows != shown {
        return Err(refused(format!("for this verdict, it should show {shown}")));
    }
    let play = Play::new(system, &formula, holds, strategy, budget)?;
    play.won(budget)?;
    Ok(Replayed { steps: play.positions.len(), claims: 1, ..Replayed::default() })
}

/// The positions that a strategy reaches, with the moves that are made there.
struct Play {
    positions: Vec<Position>,
    moves: Vec<Vec<u32>>,
    priorities: Vec<u32>,
    /// the parity of priorities that the winner wants
    wanted: u32,
}

impl Play {
    fn new(
        system: &System,
        formula: &MuFormula,
        holds: bool,
        strategy: &Strategy<GlobalState>,
        budget: &mut Budget,
    ) -> Result<Self, Unreplayed> {
        let mut ids: FxHashMap<String, Vec<MuId>> = FxHashMap::default();
        for (id, _) in formula.nodes() {
            ids.entry(formula.print(id)).or_default().push(id);
        }
        let find = |number: usize| -> Result<MuId, Unreplayed> {
            let text = &strategy.formulas[number];
            match ids.get(text).map(Vec::as_slice) {
                Some([id]) => Ok(*id),
                _ => Err(refused(format!("{text} is not a subformula"))),
            }
        };
        let mut chosen: FxHashMap<Position, Position> = FxHashMap::default();
        for step in &strategy.moves {
            let from = (step.from.0.clone(), find(step.formula)?);
            let to = (step.to.0.clone(), find(step.next)?);
            if chosen.insert(from, to).is_some() {
                return Err(refused("there are two moves at one position"));
            }
        }
        let mut play = Self {
            positions: Vec::new(),
            moves: Vec::new(),
            priorities: Vec::new(),
            wanted: u32::from(!holds),
        };
        let mut places: FxHashMap<Position, u32> = FxHashMap::default();
        let root = (system.initial(), formula.root());
        places.insert(root.clone(), 0);
        play.positions.push(root);
        let mut next = 0;
        while next < play.positions.len() {
            let position = play.positions[next].clone();
            next += 1;
            let moves = moves(system, formula, &position, holds, budget)?;
            let kept: Vec<Position> = match moves {
                Moves::Won => Vec::new(),
                Moves::Lost(why) => return Err(refused(why)),
                Moves::Other(all) => all,
                Moves::Own(mut own) => match (own.len(), chosen.get(&position)) {
                    (1, None) => vec![own.remove(0)],
                    (_, Some(to)) if own.contains(to) => vec![to.clone()],
                    (_, Some(to)) => {
                        return Err(refused(format!(
                            "the move from {} to {} is not possible",
                            shown(system, formula, &position),
                            shown(system, formula, to)
                        )));
                    }
                    (_, None) => {
                        let at = shown(system, formula, &position);
                        return Err(refused(format!("there is no move at {at}")));
                    }
                },
            };
            let mut row = Vec::with_capacity(kept.len());
            for to in kept {
                budget.spend(1 + to.0.len())?;
                let place = play.positions.len() as u32;
                let place = *places.entry(to.clone()).or_insert(place);
                if place as usize == play.positions.len() {
                    budget.charge(2 * (size_of::<Position>() + 4 * to.0.len()) + 32)?;
                    play.positions.push(to);
                }
                row.push(place);
            }
            play.moves.push(row);
            play.priorities.push(match formula.node(position.1) {
                Mu::Var(variable) => formula.priority(variable),
                _ => 0,
            });
        }
        Ok(play)
    }

    fn won(&self, budget: &mut Budget) -> Result<(), Unreplayed> {
        no_cycle_is_lost(&self.moves, &self.priorities, self.wanted, budget)
    }
}

/// Checks that no run goes through a priority of the other player for ever without a higher one of
/// the winner: for each of its priorities, no cycle through it among those not above. The winner
/// wants priorities of the parity `wanted`.
pub(crate) fn no_cycle_is_lost(
    moves: &[Vec<u32>],
    priorities: &[u32],
    wanted: u32,
    budget: &mut Budget,
) -> Result<(), Unreplayed> {
    let mut bad: Vec<u32> = priorities.iter().copied().filter(|p| p % 2 != wanted).collect();
    bad.sort_unstable();
    bad.dedup();
    for top in bad {
        let count = priorities.len();
        budget.spend(count)?;
        let among = |node: u32| priorities[node as usize] <= top;
        let rows = (0..count as u32).zip(moves).filter(|(from, _)| among(*from));
        let edges = rows.flat_map(|(from, row)| row.iter().map(move |&to| (from, to)));
        let edges = edges.filter(|&(_, to)| among(to));
        let rows = Csr::from_pairs_within(count, edges.clone(), budget)?;
        let component = components(&rows, budget)?;
        // within a component, every step is on a cycle
        let is_bad = |(from, to): (u32, u32)| {
            priorities[from as usize] == top && component[from as usize] == component[to as usize]
        };
        if { edges }.any(is_bad) {
            return Err(refused("the other player wins a cycle of the strategy"));
        }
    }
    Ok(())
}

pub(crate) fn refused(why: impl Into<String>) -> Unreplayed {
    Unreplayed::Refuted(why.into())
}

/// The moves at a position.
enum Moves {
    /// The winner has won.
    Won,
    /// The winner has lost, and why.
    Lost(String),
    /// The winner chooses.
    Own(Vec<Position>),
    /// The other player chooses.
    Other(Vec<Position>),
}

fn shown(system: &System, formula: &MuFormula, position: &Position) -> String {
    format!("({}) |- {}", system.state_names(&position.0).join(", "), formula.print(position.1))
}

fn moves(
    system: &System,
    formula: &MuFormula,
    position: &Position,
    holds: bool,
    budget: &mut Budget,
) -> Result<Moves, Unreplayed> {
    let (state, id) = position;
    let here = |f: MuId| (state.clone(), f);
    let decided = |value: Truth| {
        if value == Truth::from(holds) {
            Moves::Won
        } else {
            Moves::Lost(format!("{} is not {holds}", shown(system, formula, position)))
        }
    };
    Ok(match formula.node(*id) {
        Mu::True => decided(Truth::True),
        Mu::False => decided(Truth::False),
        Mu::Atom(atom) => decided(label(system, formula, state, atom)),
        Mu::NotAtom(atom) => decided(!label(system, formula, state, atom)),
        Mu::And(f, g) if holds => Moves::Other(vec![here(f), here(g)]),
        Mu::Or(f, g) if !holds => Moves::Other(vec![here(f), here(g)]),
        Mu::And(f, g) | Mu::Or(f, g) => Moves::Own(vec![here(f), here(g)]),
        Mu::Var(variable) => Moves::Own(vec![here(formula.body(variable))]),
        Mu::Fix(_, variable, body) => Moves::Own(vec![here(formula.variable_node(variable).unwrap_or(body))]),
        node @ (Mu::Diamond(set, f) | Mu::Box(set, f)) => {
            let is_own = matches!(node, Mu::Diamond(..)) == holds;
            let set = formula.actions(set);
            let mut all: Vec<Position> = Vec::new();
            for (action, target, must) in successors(system, state, budget)? {
                // the winner may rely on certain steps only
                if set.contains(system.visible_name(action)) && (must || !is_own) {
                    all.push((target, f));
                }
            }
            all.sort_unstable();
            all.dedup();
            match (is_own, all.is_empty()) {
                (true, true) => {
                    Moves::Lost(format!("there is no step at {}", shown(system, formula, position)))
                }
                (true, false) => Moves::Own(all),
                (false, true) => Moves::Won,
                (false, false) => Moves::Other(all),
            }
        }
    })
}
