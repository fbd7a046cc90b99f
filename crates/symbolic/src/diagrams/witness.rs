//! Runs that show why a property holds or fails.
//!
//! A claim that a formula has a value in a state comes down to existential subformulas that hold
//! there; those that do not hold cannot be shown by a run. `EX` and `EU` are shown by shortest
//! paths, which a fair lasso continues if there is fairness, `EG` by lassos. A lasso is sought
//! within the hull of fair cycles: from a state on, a path visits all justice sets and the second
//! sets of all compassion pairs as far as they are in reach, and tries to return. If it cannot, it
//! has left a strongly connected component for good, and the search starts again where it ended.

use super::paths::State;
use super::{Diagrams, Sets, violation};
use crate::{Query, Witness};
use loris_base::{Budget, Exhausted, Idx};
use loris_circuit::SystemRun;
use loris_logic::{CoreId, CoreNode};
use loris_solvers::bdd::Bdd;

/// Witnesses within witnesses, at most.
const MOST_NESTED: usize = 32;

/// States of a witness with all that it relies on, about: beyond, nested claims are not shown.
const MOST_STATES: usize = 20_000;

/// The search for one witness.
struct Explanation<'e, 's> {
    diagrams: &'e mut Diagrams<'s>,
    query: &'e Query<'e>,
    sets: &'e mut Sets,
    budget: &'e mut Budget,
    /// how many states more there may be
    room: usize,
    depth: usize,
}

impl Diagrams<'_> {
    /// A run for the verdict; `failed` is the conjunct of the property that fails.
    pub(super) fn witness(
        &mut self,
        query: &Query,
        failed: Option<CoreId>,
        sets: &mut Sets,
        budget: &mut Budget,
    ) -> Result<Option<Witness>, Exhausted> {
        let mut explanation =
            Explanation { diagrams: self, query, sets, budget, room: MOST_STATES, depth: 0 };
        match failed.and_then(|failed| violation(query, failed)) {
            Some((shows, bad)) => explanation.run_to(shows, bad).map(Some),
            None => explanation.verdict(failed),
        }
    }
}

impl Explanation<'_, '_> {
    fn set(&mut self, node: CoreId) -> Result<Bdd, Exhausted> {
        self.diagrams.evaluate(self.query, node, self.sets, self.budget)
    }

    /// The states from which a fair path starts and that satisfy a node.
    fn fair_set(&mut self, node: CoreId) -> Result<Bdd, Exhausted> {
        let set = self.set(node)?;
        self.diagrams.fairly(&set, self.budget)
    }

    /// A run for `EF bad`, which can be reached.
    fn run_to(&mut self, shows: CoreId, bad: CoreId) -> Result<Witness, Exhausted> {
        let target = self.fair_set(bad)?;
        // steps backward may have found the states on the way
        let all = self.diagrams.images.store.constant(true);
        let along = self.sets.of[shows.index()].clone().unwrap_or(all);
        let path = self.diagrams.run_to(&along, &target, self.budget)?;
        let end = path.len() - 1;
        self.shown(shows, path, None, &[(end, bad)])
    }

    /// Runs from an initial state for all that the verdict depends on there.
    fn verdict(&mut self, failed: Option<CoreId>) -> Result<Option<Witness>, Exhausted> {
        let node = failed.unwrap_or(self.query.core.root());
        if !self.can_show(node, failed.is_none()) {
            return Ok(None);
        }
        // a property that holds does so in every initial state
        let mut start = self.diagrams.init.clone();
        if failed.is_some() {
            let set = !&self.set(node)?;
            start = self.diagrams.images.store.and(&start, &set, self.budget)?;
        }
        let Some(start) = self.diagrams.images.pick(&start) else { return Ok(None) };
        let mut shown = Vec::new();
        for claim in self.claims(node, failed.is_none(), &start)? {
            shown.push(self.explain(claim, &start)?);
        }
        if shown.len() < 2 {
            return Ok(shown.pop());
        }
        let steps = self.diagrams.steps_of(&[start], None, self.budget)?;
        let because = shown.into_iter().map(|witness| (0, witness)).collect();
        let trace = SystemRun { steps, back_to: None };
        Ok(Some(Witness { shows: node, negated: failed.is_some(), trace, because }))
    }

    /// Whether runs can be a part of the reason why a node has a value.
    fn can_show(&self, node: CoreId, value: bool) -> bool {
        let nodes = self.query.core.nodes();
        let mut work = vec![(node, value)];
        let mut seen = vec![[false; 2]; nodes.len()];
        while let Some((node, value)) = work.pop() {
            if std::mem::replace(&mut seen[node.index()][usize::from(value)], true) {
                continue;
            }
            match nodes[node.index()] {
                CoreNode::Not(a) => work.push((a, !value)),
                CoreNode::And(a, b) | CoreNode::Or(a, b) => work.extend([(a, value), (b, value)]),
                other if other.is_existential() && value => return true,
                _ => {}
            }
        }
        false
    }

    /// The existential nodes that hold in a state and from which it follows, as far as anything has
    /// to be shown, that a node has a value there.
    fn claims(&mut self, node: CoreId, value: bool, state: &State) -> Result<Vec<CoreId>, Exhausted> {
        let nodes = self.query.core.nodes();
        let mut found = Vec::new();
        let mut work = vec![(node, value)];
        let mut seen = vec![[false; 2]; nodes.len()];
        while let Some((node, value)) = work.pop() {
            if std::mem::replace(&mut seen[node.index()][usize::from(value)], true) {
                continue;
            }
            let (needs_both, a, b) = match nodes[node.index()] {
                CoreNode::Not(a) => {
                    work.push((a, !value));
                    continue;
                }
                CoreNode::And(a, b) => (value, a, b),
                CoreNode::Or(a, b) => (!value, a, b),
                other => {
                    if other.is_existential() && value {
                        found.push(node);
                    }
                    continue;
                }
            };
            if needs_both {
                work.extend([(b, value), (a, value)]);
            } else {
                let set = self.set(a)?;
                let first = self.diagrams.images.contains(&set, state) == value;
                work.push((if first { a } else { b }, value));
            }
        }
        Ok(found)
    }

    /// A run from a state for an existential node that holds there.
    fn explain(&mut self, node: CoreId, state: &State) -> Result<Witness, Exhausted> {
        match self.query.core.node(node) {
            CoreNode::Ex(a) => {
                let target = self.fair_set(a)?;
                let all = self.diagrams.images.store.constant(true);
                let path = self.diagrams.path_onward(state, &all, &target, self.budget)?;
                let path = path.expect("a successor satisfies the operand of EX");
                self.shown(node, path, None, &[(1, a)])
            }
            CoreNode::Eu(a, b) => {
                let target = self.fair_set(b)?;
                let (along, holds) = (self.set(a)?, self.set(node)?);
                let along = self.diagrams.images.store.and(&along, &holds, self.budget)?;
                let start = self.diagrams.images.state(state, self.budget)?;
                let path = self.diagrams.path(&start, &along, &target, self.budget)?;
                let path = path.expect("a path leads to the second operand of EU");
                let mut claims: Vec<(usize, CoreId)> = (0..path.len() - 1).map(|at| (at, a)).collect();
                claims.push((path.len() - 1, b));
                self.shown(node, path, None, &claims)
            }
            CoreNode::Eg(a) => {
                let within = self.set(node)?;
                let hull = self.sets.hulls[node.index()].clone().expect("computed with the set");
                let (path, back) = self.diagrams.lasso(state, &within, &hull, self.budget)?;
                let claims: Vec<(usize, CoreId)> = (0..path.len()).map(|at| (at, a)).collect();
                self.shown(node, path, Some(back), &claims)
            }
            _ => unreachable!("only existential nodes are shown by runs"),
        }
    }

    /// A witness of a path, with the claims it relies on: each of them is a node that holds in a
    /// state of it.
    fn shown(
        &mut self,
        shows: CoreId,
        mut path: Vec<State>,
        mut back: Option<usize>,
        claims: &[(usize, CoreId)],
    ) -> Result<Witness, Exhausted> {
        if back.is_none() && self.diagrams.has_fairness() {
            let fair = self.diagrams.fair(self.budget)?;
            let end = path.len() - 1;
            let (rest, to) = self.diagrams.lasso(&path[end], &fair.states, &fair.hull, self.budget)?;
            path.extend(rest.into_iter().skip(1));
            back = Some(end + to);
        }
        self.room = self.room.saturating_sub(path.len());
        let mut because = Vec::new();
        self.depth += 1;
        for &(at, node) in claims {
            if self.depth > MOST_NESTED || self.room == 0 {
                break;
            }
            for claim in self.claims(node, true, &path[at])? {
                because.push((at, self.explain(claim, &path[at])?));
            }
        }
        self.depth -= 1;
        let steps = self.diagrams.steps_of(&path, back, self.budget)?;
        Ok(Witness { shows, negated: false, trace: SystemRun { steps, back_to: back }, because })
    }
}

impl Diagrams<'_> {
    /// A path within a set that ends in a fair cycle of the hull, and where the cycle starts.
    fn lasso(
        &mut self,
        from: &State,
        within: &Bdd,
        hull: &Bdd,
        budget: &mut Budget,
    ) -> Result<(Vec<State>, usize), Exhausted> {
        let start = self.images.state(from, budget)?;
        let way = self.path(&start, within, hull, budget)?;
        let mut path = way.expect("a path leads to the hull");
        loop {
            let entry = path.len() - 1;
            for set in self.justice.clone() {
                let met = path[entry..].iter().any(|state| self.images.contains(&set, state));
                let way = if met { None } else { self.extension(&path, hull, &set, budget)? };
                path.extend(way.into_iter().flatten());
            }
            for (_, then) in self.compassion.clone() {
                let met = path[entry..].iter().any(|state| self.images.contains(&then, state));
                let way = if met { None } else { self.extension(&path, hull, &then, budget)? };
                path.extend(way.into_iter().flatten());
            }
            let home = self.images.state(&path[entry], budget)?;
            if let Some(way) = self.path_onward(&path[path.len() - 1].clone(), hull, &home, budget)? {
                path.extend(way.into_iter().skip(1));
                path.pop();
                return Ok((path, entry));
            }
            if path.len() - 1 == entry {
                // the state is on no cycle: any step within the hull leads on
                let way = self.farthest(&path[entry].clone(), hull, budget)?;
                path.extend(way.into_iter().skip(1));
            }
        }
    }

    /// A shortest way on from the end of a path to a set within the hull, without its first state.
    fn extension(
        &mut self,
        path: &[State],
        hull: &Bdd,
        set: &Bdd,
        budget: &mut Budget,
    ) -> Result<Option<Vec<State>>, Exhausted> {
        let target = self.images.store.and(hull, set, budget)?;
        let way = self.path_onward(&path[path.len() - 1], hull, &target, budget)?;
        Ok(way.map(|mut way| {
            way.remove(0);
            way
        }))
    }

    /// A path within a set to a state as far away as any.
    fn farthest(&mut self, from: &State, within: &Bdd, budget: &mut Budget) -> Result<Vec<State>, Exhausted> {
        let start = self.images.state(from, budget)?;
        let (mut layers, mut frontier, mut reached) = (Vec::new(), start.clone(), start);
        loop {
            let next = self.after(&frontier, budget)?;
            let store = &mut self.images.store;
            let next = store.and(&next, within, budget)?;
            let next = store.and(&next, &!&reached, budget)?;
            if next.is_false() {
                break;
            }
            reached = store.or(&reached, &next, budget)?;
            layers.push(std::mem::replace(&mut frontier, next));
        }
        let last = self.images.pick(&frontier).expect("it starts with a state");
        self.backtrack(&layers, last, budget)
    }
}
