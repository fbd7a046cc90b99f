//! Many letters that must recur, beside an automaton for the rest of the formula.
//!
//! A conjunction of n formulas `G F p` multiplies the transitions of its generalized automaton by
//! 2ⁿ, since each of them is met or put off in every step. Whether `p` holds is seen in the letter,
//! though, so that a counter does: a state (q, i) waits for the i-th condition, the 0-th being that
//! q is accepting, and goes on to the next when it is met. A run is accepted if the counter comes
//! round again and again. n + 1 copies of the automaton for the rest, and as many copies of each
//! arc as its conditions have cubes.

use super::graph::{Arc, Graph};
use super::sets::{Set, bytes, conjunction, joined};
use crate::ltl::{Ltl, LtlId, LtlNode, Predicate};
use loris_base::{Budget, Exhausted, Idx};

/// Fewer conditions are part of the formula: the automata are smaller then.
const MANY: usize = 4;

/// A condition with more cubes than this stays in the formula.
const MOST_CUBES: usize = 16;

/// A condition on letters: the cubes where it holds, and those where it does not.
pub(super) type Sides = [Vec<Set>; 2];

/// Splits off the recurrence conditions, if there are many.
pub(super) fn split(formula: &Ltl) -> (Ltl, Vec<Sides>) {
    let mut conditions = Vec::new();
    let (rest, _) = formula.recurrences_where(|pair| {
        let sides = pair.is_unconditional().then(|| sides(&pair.then)).flatten();
        conditions.extend(sides.clone());
        sides.is_some()
    });
    if conditions.len() < MANY { (formula.clone(), Vec::new()) } else { (rest, conditions) }
}

fn sides(predicate: &Predicate) -> Option<Sides> {
    let mut all: Vec<Sides> = Vec::new();
    for &node in predicate.nodes() {
        let of = |child: LtlId| &all[child.index()];
        let sides = match node {
            LtlNode::True => [vec![[].into()], Vec::new()],
            LtlNode::False => [Vec::new(), vec![[].into()]],
            LtlNode::Atom(atom) => [vec![[2 * atom].into()], vec![[2 * atom + 1].into()]],
            LtlNode::NotAtom(atom) => [vec![[2 * atom + 1].into()], vec![[2 * atom].into()]],
            LtlNode::And(a, b) => [both(&of(a)[0], &of(b)[0])?, either(&of(a)[1], &of(b)[1])?],
            LtlNode::Or(a, b) => [either(&of(a)[0], &of(b)[0])?, both(&of(a)[1], &of(b)[1])?],
            LtlNode::X(_) | LtlNode::U(..) | LtlNode::R(..) => return None,
        };
        all.push(sides);
    }
    all.pop()
}

fn both(left: &[Set], right: &[Set]) -> Option<Vec<Set>> {
    few(left.iter().flat_map(|a| right.iter().filter_map(|b| conjunction(a, b))).collect())
}

fn either(left: &[Set], right: &[Set]) -> Option<Vec<Set>> {
    few(left.iter().chain(right).cloned().collect())
}

fn few(cubes: Vec<Set>) -> Option<Vec<Set>> {
    // a few hundred at most
    let cubes = joined(cubes, &mut Budget::unlimited()).ok()?;
    (cubes.len() <= MOST_CUBES).then_some(cubes)
}

/// The automaton whose runs also meet each condition again and again.
pub(super) fn counted(graph: &Graph, conditions: &[Sides], budget: &mut Budget) -> Result<Graph, Exhausted> {
    let (levels, states) = (conditions.len() + 1, graph.len());
    let place = |state: u32, level: usize| (level % levels * states) as u32 + state;
    let mut counted =
        Graph { initial: graph.initial.iter().map(|&state| place(state, 0)).collect(), ..Graph::default() };
    for level in 0..levels {
        for (state, row) in graph.arcs.iter().enumerate() {
            let accepting = graph.accepting[state];
            let mut arcs = Vec::new();
            for arc in row {
                let mut add = |cube: &[u32], level: usize| {
                    let cube = conjunction(&arc.cube, cube);
                    arcs.extend(cube.map(|cube| Arc { to: place(arc.to, level), cube }));
                };
                match level.checked_sub(1) {
                    None => add(&[], usize::from(accepting)),
                    Some(number) => {
                        let [met, open] = &conditions[number];
                        for cube in met {
                            add(cube, level + 1);
                        }
                        for cube in open {
                            add(cube, level);
                        }
                    }
                }
            }
            let bytes: usize = arcs.iter().map(|arc| size_of::<Arc>() + bytes(&arc.cube)).sum();
            budget.spend(1 + arcs.len())?;
            budget.charge(2 * (bytes + size_of::<Vec<Arc>>()))?;
            counted.arcs.push(arcs);
            counted.accepting.push(level == 0 && accepting);
        }
    }
    counted.trimmed(false, budget)
}
