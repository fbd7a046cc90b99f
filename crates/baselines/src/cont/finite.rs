//! The finite automaton of a prefix formula β.
//!
//! By progression: a state is a set of formulas that the rest of the word, not empty, is to
//! satisfy. A letter is read either as the last, where `exit` holds and `X` does not, and then the
//! word is over; or as another, which leaves the obligations on the rest, one edge for each way to
//! make them true. Guards are conjunctions of literals but for last letters, whose guard is any
//! boolean combination. Accepts exactly the nonempty finite words that satisfy β.
//!
//! Exponential in β at worst; [`Exhausted::Memory`] beyond [`MOST_EDGES`]. The oracle is
//! `Prefixes::holds` on random words, in `decomp/tests.rs`.

use super::prefix::{Beta, Prefix, Prefixes};
use super::stages::Stages;
use loris_base::{Budget, Exhausted};
use loris_logic::automaton::Guard;
use rustc_hash::FxHashMap;
use std::collections::BTreeSet;

/// A way to read a letter: the literals it needs, and the obligations that are left.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord)]
struct Move {
    literals: BTreeSet<(u32, bool)>,
    rest: BTreeSet<Beta>,
}

/// Give up beyond this many edges.
const MOST_EDGES: usize = 1 << 14;

/// The stage at which the word is over, in every automaton of this module.
pub(super) const OVER: u32 = 0;

/// The automaton with its edges as stages; nothing if no word satisfies the formula.
pub(super) fn automaton(
    prefixes: &mut Prefixes,
    beta: Beta,
    budget: &mut Budget,
) -> Result<Option<Stages>, Exhausted> {
    let mut numbers: FxHashMap<Vec<Beta>, u32> = FxHashMap::default();
    // state 0 has read the word; it leads nowhere, but is somewhere to be
    let mut edges: Vec<Vec<(Guard, u32)>> = vec![vec![(Guard::False, 0)]];
    let mut states: Vec<Vec<Beta>> = vec![Vec::new()];
    let mut total = 0;
    let mut number = |state: BTreeSet<Beta>, prefixes: &mut Prefixes, states: &mut Vec<Vec<Beta>>| {
        let all = prefixes.and(state);
        let state = match prefixes.node(all) {
            Prefix::And(parts) => parts.clone(),
            Prefix::True => Vec::new(),
            Prefix::False => return None,
            _ => vec![all],
        };
        Some(*numbers.entry(state.clone()).or_insert_with(|| {
            states.push(state);
            states.len() as u32 - 1
        }))
    };
    let Some(initial) = number(BTreeSet::from([beta]), prefixes, &mut states) else { return Ok(None) };
    while edges.len() < states.len() {
        let state = states[edges.len()].clone();
        let mut row = Vec::new();
        let last = conjunction(state.iter().map(|&beta| last(prefixes, beta)).collect());
        if last != Guard::False {
            row.push((last, 0));
        }
        let mut moves = vec![Move { literals: BTreeSet::new(), rest: BTreeSet::new() }];
        for &beta in &state {
            moves = product(&moves, &self::moves(prefixes, beta, budget)?, budget)?;
        }
        for Move { literals, rest } in moves {
            if let Some(to) = number(rest, prefixes, &mut states) {
                row.push((conjunction(literals.into_iter().map(literal).collect()), to));
            }
        }
        total += row.len();
        budget.charge(64 * (1 + row.len()))?;
        if total > MOST_EDGES {
            return Err(Exhausted::Memory);
        }
        edges.push(row);
    }
    trim(&mut edges);
    // the edge of state 0 comes first: it is the stage OVER
    let stages = Stages::new(&edges, &[initial], |state| state == 0);
    Ok((!stages.is_empty()).then_some(stages))
}

/// Drops edges to states from which the word is never over.
fn trim(edges: &mut [Vec<(Guard, u32)>]) {
    let mut alive = vec![false; edges.len()];
    alive[0] = true;
    let mut changed = true;
    while changed {
        changed = false;
        for state in (1..edges.len()).rev() {
            if !alive[state] && edges[state].iter().any(|&(_, to)| alive[to as usize]) {
                alive[state] = true;
                changed = true;
            }
        }
    }
    for row in edges {
        row.retain(|&(_, to)| alive[to as usize]);
    }
}

/// When a formula holds of a word of one letter.
fn last(prefixes: &Prefixes, beta: Beta) -> Guard {
    match prefixes.node(beta) {
        Prefix::True | Prefix::Exit => Guard::True,
        Prefix::False | Prefix::X(_) => Guard::False,
        Prefix::Literal(atom, positive) => literal((*atom, *positive)),
        Prefix::And(parts) => conjunction(parts.iter().map(|&part| last(prefixes, part)).collect()),
        Prefix::Or(parts) => {
            let mut parts: Vec<Guard> = parts.iter().map(|&part| last(prefixes, part)).collect();
            parts.retain(|part| *part != Guard::False);
            match &parts[..] {
                [] => Guard::False,
                [only] => only.clone(),
                _ if parts.contains(&Guard::True) => Guard::True,
                _ => Guard::Or(parts),
            }
        }
        Prefix::U(_, inner) | Prefix::G(inner) => last(prefixes, *inner),
    }
}

/// The ways to read a letter that is not the last.
fn moves(prefixes: &Prefixes, beta: Beta, budget: &mut Budget) -> Result<Vec<Move>, Exhausted> {
    let one = |literals: &[(u32, bool)], rest: &[Beta]| {
        vec![Move { literals: literals.iter().copied().collect(), rest: rest.iter().copied().collect() }]
    };
    Ok(match prefixes.node(beta) {
        Prefix::True => one(&[], &[]),
        Prefix::False | Prefix::Exit => Vec::new(),
        Prefix::Literal(atom, positive) => one(&[(*atom, *positive)], &[]),
        Prefix::X(inner) => one(&[], &[*inner]),
        Prefix::And(parts) => {
            let mut all = one(&[], &[]);
            for &part in parts {
                all = product(&all, &moves(prefixes, part, budget)?, budget)?;
            }
            all
        }
        Prefix::Or(parts) => {
            let mut all = Vec::new();
            for &part in parts {
                all.extend(moves(prefixes, part, budget)?);
            }
            thin(all, budget)?
        }
        Prefix::U(along, goal) => {
            let mut all = product(&moves(prefixes, *along, budget)?, &one(&[], &[beta]), budget)?;
            all.extend(moves(prefixes, *goal, budget)?);
            thin(all, budget)?
        }
        Prefix::G(inner) => product(&moves(prefixes, *inner, budget)?, &one(&[], &[beta]), budget)?,
    })
}

fn product(a: &[Move], b: &[Move], budget: &mut Budget) -> Result<Vec<Move>, Exhausted> {
    let mut all = Vec::new();
    for a in a {
        for b in b {
            let literals: BTreeSet<(u32, bool)> = a.literals.union(&b.literals).copied().collect();
            if !literals.iter().any(|&(atom, positive)| literals.contains(&(atom, !positive))) {
                all.push(Move { literals, rest: a.rest.union(&b.rest).copied().collect() });
            }
        }
    }
    thin(all, budget)
}

/// Without the moves that need no less and leave no less than another.
fn thin(mut all: Vec<Move>, budget: &mut Budget) -> Result<Vec<Move>, Exhausted> {
    if all.len() > MOST_EDGES {
        return Err(Exhausted::Memory);
    }
    all.sort_unstable();
    all.dedup();
    let mut kept: Vec<Move> = Vec::with_capacity(all.len());
    for (at, this) in all.iter().enumerate() {
        budget.spend(1 + all.len())?;
        let easier = |(other, way): (usize, &Move)| {
            other != at && way.literals.is_subset(&this.literals) && way.rest.is_subset(&this.rest)
        };
        if !all.iter().enumerate().any(easier) {
            kept.push(this.clone());
        }
    }
    Ok(kept)
}

fn literal((atom, positive): (u32, bool)) -> Guard {
    if positive { Guard::Atom(atom) } else { Guard::Not(Box::new(Guard::Atom(atom))) }
}

fn conjunction(mut parts: Vec<Guard>) -> Guard {
    parts.retain(|part| *part != Guard::True);
    match &parts[..] {
        [] => Guard::True,
        [only] => only.clone(),
        _ if parts.contains(&Guard::False) => Guard::False,
        _ => Guard::And(parts),
    }
}
