//! Decides where some infinite path of a finite graph satisfies a path formula.
//!
//! A node of the product is a state of the graph and the formulas that a path from there has to
//! satisfy. In each step `a U b` is `b ∨ (a ∧ X (a U b))` and `a R b` is `b ∧ (a ∨ X (a R b))`,
//! every disjunction is a choice, and operands of `X` are left for the next node. A path of the
//! product that goes on for ever satisfies the formula unless it puts off some until for ever. So a
//! node is *good* if it leads to a strongly connected component in which, for each until, some step
//! does not put it off. Where only fair runs count, the component has to satisfy each condition as
//! well: it has a state with the conclusion, or loses the states with the premise and is taken
//! apart again (Emerson and Lei).
//!
//! The product is exponential in the formula at worst; one that gets too large is given up. The
//! oracle is in `tests/judge.rs`.

use crate::components::components;
use crate::formulas::{Formulas, Lit, Op};
use loris_base::{Budget, Csr, Exhausted};
use rustc_hash::FxHashMap;

/// Larger products are given up.
const MOST_NODES: usize = 1 << 19;
const MOST_EDGES: usize = 1 << 22;
/// So are formulas that offer more choices in one state.
const MOST_CHOICES: usize = 1 << 10;

/// A condition on fair runs: for each state, whether the premise holds, and whether the conclusion
/// does.
pub(crate) struct FairColumns {
    pub(crate) often: Option<Vec<bool>>,
    pub(crate) then: Vec<bool>,
}

/// The explored part of a model.
#[derive(Clone, Copy)]
pub(crate) struct Explored<'g> {
    /// the successors of the states that were explored
    pub(crate) rows: &'g Csr,
    /// the number of states, explored or not
    pub(crate) states: usize,
    /// the conditions on runs that count
    pub(crate) fairness: &'g [FairColumns],
}

/// For each state, whether some path satisfies a path formula. States past the rows of the graph
/// are unexplored: there, whatever is asked may be so, if `beyond`, or never is. Nothing, if the
/// product is too large. `leaf` has the values of state formulas.
pub(crate) fn satisfied(
    formulas: &Formulas<'_>,
    path: Lit,
    explored: Explored<'_>,
    leaf: &impl Fn(Lit, u32) -> bool,
    beyond: bool,
    budget: &mut Budget,
) -> Result<Option<Vec<bool>>, Exhausted> {
    let Explored { rows: graph, states, fairness } = explored;
    let parts = formulas.parts(path, |lit| formulas.is_state(lit));
    let untils = parts.iter().filter(|&&lit| matches!(formulas.op(lit), Op::Until(..)));
    let untils: FxHashMap<Lit, u32> = untils.zip(0..).map(|(&lit, number)| (lit, number)).collect();
    if untils.len() > 64 {
        return Ok(None);
    }
    let mut product = Product {
        formulas,
        untils,
        sets: Vec::new(),
        set_numbers: FxHashMap::default(),
        nodes: Vec::new(),
        numbers: FxHashMap::default(),
        rows: Csr::default(),
        put_off: Vec::new(),
    };
    let whole = product.set(vec![path]);
    for state in 0..states as u32 {
        product.node(state, whole);
    }
    let mut charged = 0;
    while product.rows.rows() < product.nodes.len() {
        let (state, set) = product.nodes[product.rows.rows()];
        let Some(choices) = product.choices(set, |lit| leaf(lit, state)) else { return Ok(None) };
        let row = if (state as usize) < graph.rows() { graph.row(state as usize) } else { &[] };
        budget.spend(1 + choices.len() * (1 + row.len()))?;
        let mut targets = Vec::with_capacity(choices.len() * row.len());
        for (next, put_off) in choices {
            let set = product.set(next);
            for &next in row {
                targets.push(product.node(next, set));
                product.put_off.push(put_off);
            }
        }
        product.rows.push_row(targets);
        if product.nodes.len() > MOST_NODES || product.rows.len() > MOST_EDGES {
            return Ok(None);
        }
        let held = 64 * product.nodes.len() + 12 * product.rows.len();
        if held > 2 * charged {
            budget.charge(2 * held - charged)?;
            charged = 2 * held;
        }
    }
    // in an unexplored state that can be left at all, everything may follow
    let mut good = vec![false; product.nodes.len()];
    for (number, &(state, set)) in product.nodes.iter().enumerate() {
        if beyond && state as usize >= graph.rows() {
            good[number] = product.choices(set, |lit| leaf(lit, state)).is_none_or(|some| !some.is_empty());
        }
    }
    product.recur(fairness, &mut good, budget)?;
    product.lead_to(&mut good, budget)?;
    budget.release(charged);
    good.truncate(states);
    Ok(Some(good))
}

struct Product<'f, 'e> {
    formulas: &'f Formulas<'e>,
    untils: FxHashMap<Lit, u32>,
    /// the formulas to be satisfied, sorted
    sets: Vec<Vec<Lit>>,
    set_numbers: FxHashMap<Vec<Lit>, u32>,
    nodes: Vec<(u32, u32)>,
    numbers: FxHashMap<(u32, u32), u32>,
    rows: Csr,
    /// for each edge, the untils that are put off
    put_off: Vec<u64>,
}

/// A way to satisfy a set in a state, while it is made.
#[derive(Clone, Default)]
struct Choice {
    todo: Vec<Lit>,
    done: Vec<Lit>,
    next: Vec<Lit>,
    put_off: u64,
}

impl Product<'_, '_> {
    fn set(&mut self, mut lits: Vec<Lit>) -> u32 {
        lits.sort_unstable();
        lits.dedup();
        if let Some(&number) = self.set_numbers.get(&lits) {
            return number;
        }
        let number = self.sets.len() as u32;
        self.sets.push(lits.clone());
        self.set_numbers.insert(lits, number);
        number
    }

    fn node(&mut self, state: u32, set: u32) -> u32 {
        *self.numbers.entry((state, set)).or_insert_with(|| {
            self.nodes.push((state, set));
            self.nodes.len() as u32 - 1
        })
    }

    /// All ways to satisfy a set in a state: the formulas left for the next one, and the untils put
    /// off. Nothing, if there are too many.
    fn choices(&self, set: u32, leaf: impl Fn(Lit) -> bool) -> Option<Vec<(Vec<Lit>, u64)>> {
        let mut ways = Vec::new();
        let mut work = vec![Choice { todo: self.sets[set as usize].clone(), ..Choice::default() }];
        while let Some(mut choice) = work.pop() {
            let Some(lit) = choice.todo.pop() else {
                choice.next.sort_unstable();
                choice.next.dedup();
                ways.push((choice.next, choice.put_off));
                continue;
            };
            if choice.done.contains(&lit) {
                work.push(choice);
                continue;
            }
            choice.done.push(lit);
            match self.formulas.op(lit) {
                Op::Constant(true) => work.push(choice),
                _ if self.formulas.is_state(lit) => {
                    if leaf(lit) {
                        work.push(choice);
                    }
                }
                Op::And(a, b) => {
                    choice.todo.extend([a, b]);
                    work.push(choice);
                }
                Op::Or(a, b) => {
                    let mut other = choice.clone();
                    choice.todo.push(a);
                    other.todo.push(b);
                    work.extend([choice, other]);
                }
                Op::Next(a) => {
                    choice.next.push(a);
                    work.push(choice);
                }
                Op::Until(a, b) => {
                    let mut later = choice.clone();
                    later.todo.push(a);
                    later.next.push(lit);
                    later.put_off |= 1 << self.untils[&lit];
                    choice.todo.push(b);
                    work.extend([later, choice]);
                }
                Op::Release(a, b) => {
                    let mut later = choice.clone();
                    later.todo.push(b);
                    later.next.push(lit);
                    choice.todo.extend([a, b]);
                    work.extend([later, choice]);
                }
                Op::Fair(_) => unreachable!("it stands under a quantifier only"),
                Op::Constant(_) | Op::Atom(..) | Op::Exists(_) | Op::Absent(_) => {
                    unreachable!("state formulas were dealt with")
                }
            }
            if work.len() + ways.len() > MOST_CHOICES {
                return None;
            }
        }
        ways.sort_unstable();
        ways.dedup();
        Some(ways)
    }

    /// Marks the nodes of strongly connected components in which no until is put off for ever, and
    /// in which all conditions on fair runs are met.
    fn recur(
        &self,
        fairness: &[FairColumns],
        good: &mut [bool],
        budget: &mut Budget,
    ) -> Result<(), Exhausted> {
        let all = if self.untils.len() == 64 { u64::MAX } else { (1 << self.untils.len()) - 1 };
        let state = |node: usize| self.nodes[node].0 as usize;
        let mut alive = vec![true; self.nodes.len()];
        loop {
            // the steps between nodes that are left
            let (mut rows, mut put_off) = (Csr::default(), Vec::new());
            for node in 0..self.nodes.len() {
                let edges = self.rows.row(node).iter().zip(&self.put_off[self.rows.start(node)..]);
                let edges = edges.filter(|&(&target, _)| alive[node] && alive[target as usize]);
                let (targets, off): (Vec<u32>, Vec<u64>) = edges.unzip();
                rows.push_row(targets);
                put_off.extend(off);
            }
            budget.spend(self.nodes.len() + self.rows.len())?;
            let component = components(&rows, budget)?;
            // which untils some step inside a component does not put off; nothing without a step
            let mut met: Vec<Option<u64>> = vec![None; self.nodes.len()];
            for (node, &own) in component.iter().enumerate() {
                for (&target, &off) in rows.row(node).iter().zip(&put_off[rows.start(node)..]) {
                    if component[target as usize] == own {
                        let met = met[own as usize].get_or_insert(0);
                        *met |= all & !off;
                    }
                }
            }
            let mut is_fair: Vec<bool> = met.iter().map(|met| *met == Some(all)).collect();
            let mut is_smaller = false;
            for FairColumns { often, then } in fairness {
                let mut occurs = vec![false; self.nodes.len()];
                for (node, &own) in component.iter().enumerate() {
                    occurs[own as usize] |= then[state(node)];
                }
                for (node, &own) in component.iter().enumerate() {
                    let is_premise = often.as_ref().is_none_or(|often| often[state(node)]);
                    if alive[node] && !occurs[own as usize] && is_premise {
                        is_fair[own as usize] = false;
                        // what is left without the premise may still be fair
                        alive[node] = false;
                        is_smaller |= often.is_some();
                    }
                }
            }
            for (node, &own) in component.iter().enumerate() {
                good[node] |= is_fair[own as usize];
            }
            if !is_smaller {
                return Ok(());
            }
        }
    }

    /// Marks the nodes that lead to good ones.
    fn lead_to(&self, good: &mut [bool], budget: &mut Budget) -> Result<(), Exhausted> {
        let predecessors = self.rows.transposed(self.nodes.len());
        let mut work: Vec<u32> = (0..good.len() as u32).filter(|&node| good[node as usize]).collect();
        while let Some(node) = work.pop() {
            let row = predecessors.row(node as usize);
            budget.spend(1 + row.len())?;
            for &before in row {
                if !std::mem::replace(&mut good[before as usize], true) {
                    work.push(before);
                }
            }
        }
        Ok(())
    }
}
