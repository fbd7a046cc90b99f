//! Decides claims about states of evidence by exploring what lies around them, in three values.
//!
//! Evidence cannot show that a path does *not* exist. Where the states that can be reached are few,
//! that can be decided all the same: by fixpoints from the definition over the explored states
//! ([`Graph`]), in which a step out of an unexplored state may lead anywhere. So a value is *true*
//! or *false* only if it is so whatever lies beyond; else it is *unknown*.
//!
//! Each fixpoint is computed twice, for the states where it is certainly true and for those where
//! it may be. `E` over other path formulas of CTL*, and over fair runs, is decided by a tableau
//! (`tableau.rs`). Linear in the explored states times the formula, but for tableaux. The oracle is
//! in `tests/judge.rs`.

use crate::Paths;
use crate::bit_graph::BitGraph;
use crate::formulas::{Formulas, Lit, Op};
use crate::space::{BoxedNeighbourhood, Fairness, StateSpace};
use crate::tableau::{self, Explored, FairColumns};
use loris_base::{Budget, Csr, Exhausted, Truth};
use rustc_hash::FxHashMap;

/// This many values are kept, a byte each; of a long formula, fewer states are explored.
const MOST_VALUES: usize = 1 << 27;

/// The explored states with the values of formulas.
pub(crate) struct Judge<'m, M: StateSpace> {
    model: &'m M,
    graph: BoxedNeighbourhood<'m, M>,
    predecessors: Csr,
    values: FxHashMap<Lit, Vec<Truth>>,
    paths: Paths,
    fairness: Vec<FairColumns>,
}

impl<'m, M: StateSpace> Judge<'m, M> {
    /// Explores from these states, if the model can be explored. Formulas have `parts` parts
    /// together.
    pub(crate) fn new(
        model: &'m M,
        paths: Paths,
        seeds: &mut dyn Iterator<Item = &M::State>,
        parts: usize,
        budget: &mut Budget,
    ) -> Result<Option<Self>, Exhausted> {
        let limit = MOST_VALUES / parts.max(1);
        let graph: Option<BoxedNeighbourhood<'m, M>> = match model.bits() {
            Some(bits) => {
                let graph = BitGraph::explore(bits, seeds, limit, budget)?;
                graph.map(|graph| Box::new(graph) as BoxedNeighbourhood<'m, M>)
            }
            None => model.explore(seeds, limit, budget)?,
        };
        let Some(graph) = graph else { return Ok(None) };
        budget.charge(4 * (graph.count() + graph.successors().len()))?;
        let predecessors = graph.successors().transposed(graph.count());
        let fairness = model.fairness().into_iter().map(|Fairness { often, then }| FairColumns {
            often: often.map(|often| graph.column(often)),
            then: graph.column(then),
        });
        let fairness = fairness.collect();
        Ok(Some(Self { model, graph, predecessors, values: FxHashMap::default(), paths, fairness }))
    }

    /// The value of a state formula in a state, unknown if that was not among the explored.
    pub(crate) fn value(
        &mut self,
        formulas: &Formulas<'_>,
        formula: Lit,
        state: &M::State,
        budget: &mut Budget,
    ) -> Result<Truth, Exhausted> {
        let Some(number) = self.graph.find(state) else { return Ok(Truth::Unknown) };
        if !self.values.contains_key(&formula) {
            self.decide(formulas, formula, budget)?;
        }
        Ok(self.values[&formula][number])
    }

    /// Decides a formula in all states, after those it consists of.
    fn decide(
        &mut self,
        formulas: &Formulas<'_>,
        formula: Lit,
        budget: &mut Budget,
    ) -> Result<(), Exhausted> {
        let count = self.graph.count();
        for lit in formulas.parts(formula, |lit| self.values.contains_key(&lit)) {
            if self.values.contains_key(&lit) || !formulas.is_state(lit) {
                continue;
            }
            budget.charge(count)?;
            budget.spend(count)?;
            let of = |lit: Lit| &self.values[&lit];
            let values = match formulas.op(lit) {
                Op::Constant(value) => vec![value.into(); count],
                Op::Atom(atom, positive) if formulas.is_has_next(atom) => {
                    (0..count).map(|state| (self.graph.has_next(state) == positive).into()).collect()
                }
                Op::Atom(atom, positive) => {
                    let atom = self.model.atom(formulas.name(atom));
                    let column = atom.map_or_else(|| vec![false; count], |atom| self.graph.column(atom));
                    column.into_iter().map(|holds| (holds == positive).into()).collect()
                }
                Op::And(a, b) => of(a).iter().zip(of(b)).map(|(&a, &b)| a.min(b)).collect(),
                Op::Or(a, b) => of(a).iter().zip(of(b)).map(|(&a, &b)| a.max(b)).collect(),
                Op::Exists(path) => self.exists(formulas, path, budget)?,
                Op::Absent(path) => {
                    let exists = self.exists(formulas, path, budget)?;
                    exists.into_iter().map(|value| !value).collect()
                }
                Op::Next(_) | Op::Until(..) | Op::Release(..) | Op::Fair(_) => {
                    unreachable!("these are about a path")
                }
            };
            self.values.insert(lit, values);
        }
        Ok(())
    }

    /// Where some path satisfies a path formula.
    fn exists(
        &self,
        formulas: &Formulas<'_>,
        path: Lit,
        budget: &mut Budget,
    ) -> Result<Vec<Truth>, Exhausted> {
        let state = |lit: Lit| formulas.is_state(lit);
        let is_finite = !self.paths.are_infinite();
        let (path, is_fair) = formulas.without_fairness(path);
        let mut values = vec![Truth::False; self.graph.count()];
        // possible values are written first, and certain ones over them
        for at_least in [Truth::Unknown, Truth::True] {
            let is = |lit: Lit| {
                let values = &self.values[&lit];
                move |number: u32| values[number as usize] >= at_least
            };
            let beyond = at_least == Truth::Unknown;
            let holds = match formulas.op(path) {
                Op::Next(f) if state(f) && is_finite => self.next(is(f), beyond, budget)?,
                Op::Until(f, g) if state(f) && state(g) && is_finite => {
                    self.until(is(f), is(g), beyond, budget)?
                }
                Op::Release(Lit::FALSE, f) if state(f) && !is_fair => self.always(is(f), beyond, budget)?,
                _ => {
                    let leaf = |lit: Lit, number: u32| self.values[&lit][number as usize] >= at_least;
                    let explored = Explored {
                        rows: self.graph.successors(),
                        states: self.graph.count(),
                        fairness: if is_fair { &self.fairness } else { &[] },
                    };
                    tableau::satisfied(formulas, path, explored, &leaf, beyond, budget)?
                        // too large to decide: nothing must be, and everything may be
                        .unwrap_or_else(|| vec![beyond; self.graph.count()])
                }
            };
            for (value, holds) in values.iter_mut().zip(holds) {
                if holds {
                    *value = at_least;
                }
            }
        }
        Ok(values)
    }

    /// The successors of a state that was explored.
    fn row(&self, state: usize) -> Option<&[u32]> {
        let rows = self.graph.successors();
        (state < rows.rows()).then(|| rows.row(state))
    }

    /// `E X`; in an unexplored state, `beyond`.
    fn next(
        &self,
        inside: impl Fn(u32) -> bool,
        beyond: bool,
        budget: &mut Budget,
    ) -> Result<Vec<bool>, Exhausted> {
        budget.spend(self.graph.successors().len())?;
        let leads = |state| self.row(state).map_or(beyond, |row| row.iter().any(|&next| inside(next)));
        Ok((0..self.graph.count()).map(leads).collect())
    }

    /// `E [ f U g ]`, backwards from where `g` holds.
    fn until(
        &self,
        f: impl Fn(u32) -> bool,
        g: impl Fn(u32) -> bool,
        beyond: bool,
        budget: &mut Budget,
    ) -> Result<Vec<bool>, Exhausted> {
        let count = self.graph.count();
        let starts = |state: usize| g(state as u32) || beyond && self.row(state).is_none() && f(state as u32);
        let mut inside: Vec<bool> = (0..count).map(starts).collect();
        let mut work: Vec<u32> = (0..count as u32).filter(|&state| inside[state as usize]).collect();
        while let Some(state) = work.pop() {
            let row = self.predecessors.row(state as usize);
            budget.spend(1 + row.len())?;
            for &before in row {
                if !inside[before as usize] && f(before) {
                    inside[before as usize] = true;
                    work.push(before);
                }
            }
        }
        Ok(inside)
    }

    /// `E G f`: states with no successor inside are taken away until none is left.
    fn always(
        &self,
        f: impl Fn(u32) -> bool,
        beyond: bool,
        budget: &mut Budget,
    ) -> Result<Vec<bool>, Exhausted> {
        let count = self.graph.count();
        let mut inside: Vec<bool> = (0..count as u32).map(f).collect();
        let left = |state: usize| match self.row(state) {
            Some(row) => row.iter().filter(|&&next| inside[next as usize]).count(),
            None => usize::from(beyond),
        };
        let mut left: Vec<usize> = (0..count).map(left).collect();
        let dead = |&state: &u32| inside[state as usize] && left[state as usize] == 0;
        let mut work: Vec<u32> = (0..count as u32).filter(dead).collect();
        while let Some(state) = work.pop() {
            inside[state as usize] = false;
            let row = self.predecessors.row(state as usize);
            budget.spend(1 + row.len())?;
            for &before in row {
                let left = &mut left[before as usize];
                *left -= 1;
                if *left == 0 && inside[before as usize] {
                    work.push(before);
                }
            }
        }
        Ok(inside)
    }
}
