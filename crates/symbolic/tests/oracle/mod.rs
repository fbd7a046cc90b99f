//! An explicit-state oracle for systems of at most six state variables: sets of states are words of
//! 64 bits, and every formula is evaluated by the definition of fair CTL, without looking at any
//! engine.
//!
//! A fair path from a state exists if the state reaches a strongly connected set that some fair
//! cycle visits all of. Such sets are found by transitive closure; where a compassion constraint
//! fails in one, the states that call for it are removed and the rest is looked at again.

#![allow(dead_code, unused_imports, reason = "each test uses a part of it")]

mod random;
mod witness;

pub(crate) use random::{Shape, random_query, random_system};

use loris_base::Idx;
use loris_circuit::{Aig, Lit, TransitionSystem};
use loris_logic::{CoreId, CoreNode, CtlCore};

/// A set of states; state `s` has value `s >> i & 1` for state variable `i`.
pub(crate) type Set = u64;

/// All states and steps of a system.
pub(crate) struct Oracle {
    states: usize,
    variables: usize,
    /// the successors of each state
    steps: Vec<Set>,
    pub(crate) initial: Set,
    justice: Vec<Set>,
    compassion: Vec<(Set, Set)>,
}

impl Oracle {
    /// Lists the states of a system of at most six state variables and six choices.
    pub(crate) fn new(system: &TransitionSystem) -> Self {
        let variables = system.states.len();
        let states = 1 << variables;
        let mut steps = vec![0; states];
        for (state, to) in steps.iter_mut().enumerate() {
            let now: Vec<bool> = (0..variables).map(|at| state >> at & 1 == 1).collect();
            for choice in 0..1_usize << system.choices.len() {
                let choice: Vec<bool> = (0..system.choices.len()).map(|at| choice >> at & 1 == 1).collect();
                let values = system.values(&now, &choice);
                let is_true = |lit: Lit| Aig::value(&values, lit) & 1 == 1;
                if system.constraints.iter().all(|&lit| is_true(lit)) {
                    let next = system.states.iter().enumerate();
                    *to |= 1 << next.fold(0, |next, (at, var)| next | usize::from(is_true(var.next)) << at);
                }
            }
        }
        let mut oracle =
            Self { states, variables, steps, initial: 0, justice: Vec::new(), compassion: Vec::new() };
        oracle.initial = system.init.iter().fold(oracle.all(), |set, &lit| set & oracle.set(system, lit));
        oracle.justice = system.justice.iter().map(|&lit| oracle.set(system, lit)).collect();
        let pair = |&(often, then): &(Lit, Lit)| (oracle.set(system, often), oracle.set(system, then));
        oracle.compassion = system.compassion.iter().map(pair).collect();
        oracle
    }

    /// All states.
    fn all(&self) -> Set {
        if self.states == 64 { Set::MAX } else { (1 << self.states) - 1 }
    }

    fn of(&self, holds: impl Fn(usize) -> bool) -> Set {
        (0..self.states).filter(|&state| holds(state)).fold(0, |set, state| set | 1 << state)
    }

    /// The values of the state variables.
    pub(crate) fn valuation(&self, state: usize) -> Vec<bool> {
        (0..self.variables).map(|at| state >> at & 1 == 1).collect()
    }

    /// The number of a state.
    pub(crate) fn number(valuation: &[bool]) -> usize {
        valuation.iter().enumerate().fold(0, |state, (at, &value)| state | usize::from(value) << at)
    }

    /// The states in which a function of states holds.
    pub(crate) fn set(&self, system: &TransitionSystem, lit: Lit) -> Set {
        self.of(|state| system.holds(lit, &self.valuation(state), &[]))
    }

    /// The states that runs from initial states visit.
    pub(crate) fn reachable(&self) -> Set {
        let mut seen = self.initial;
        loop {
            let next = (0..self.states)
                .filter(|state| seen >> state & 1 == 1)
                .fold(seen, |seen, state| seen | self.steps[state]);
            if next == seen {
                return seen;
            }
            seen = next;
        }
    }

    /// The states without a step.
    pub(crate) fn dead_ends(&self) -> Set {
        self.of(|state| self.steps[state] == 0)
    }

    /// Whether runs never end: CTL presumes it.
    pub(crate) fn is_total(&self) -> bool {
        self.reachable() & self.dead_ends() == 0
    }

    /// The states with a successor in the set.
    fn before(&self, set: Set) -> Set {
        self.of(|state| self.steps[state] & set != 0)
    }

    /// The states from which a path within `along` leads to `to`, which need not lie within.
    fn until(&self, along: Set, to: Set) -> Set {
        let mut found = to;
        loop {
            let more = found | along & self.before(found);
            if more == found {
                return found;
            }
            found = more;
        }
    }

    /// The states of `within` from which a fair path stays within.
    pub(crate) fn fairly_within(&self, within: Set) -> Set {
        let mut cyclic = 0;
        let mut work = vec![within];
        while let Some(part) = work.pop() {
            // the states that each state of the part reaches in one step or more, within the part
            let mut reach: Vec<Set> = self
                .steps
                .iter()
                .enumerate()
                .map(|(state, &to)| if part >> state & 1 == 1 { to & part } else { 0 })
                .collect();
            for through in 0..self.states {
                for state in 0..self.states {
                    if reach[state] >> through & 1 == 1 {
                        reach[state] |= reach[through];
                    }
                }
            }
            let mut left = part;
            for state in 0..self.states {
                if left >> state & 1 == 0 || reach[state] >> state & 1 == 0 {
                    continue;
                }
                let component = self.of(|to| reach[state] >> to & 1 == 1 && reach[to] >> state & 1 == 1);
                left &= !component;
                if self.justice.iter().any(|set| set & component == 0) {
                    continue;
                }
                let fails = |&(often, then): &(Set, Set)| often & component != 0 && then & component == 0;
                match self.compassion.iter().copied().find(fails) {
                    None => cyclic |= component,
                    Some((often, _)) => work.push(component & !often),
                }
            }
        }
        self.until(within, cyclic)
    }

    /// Whether a cycle through exactly these states is fair.
    pub(crate) fn is_fair_cycle(&self, visited: Set) -> bool {
        self.justice.iter().all(|set| set & visited != 0)
            && self.compassion.iter().all(|(often, then)| often & visited == 0 || then & visited != 0)
    }

    /// Whether the system restricts paths to fair ones.
    pub(crate) fn has_fairness(&self) -> bool {
        !self.justice.is_empty() || !self.compassion.is_empty()
    }

    /// The states in which each node of a formula holds, quantifiers over fair paths.
    pub(crate) fn evaluate(&self, system: &TransitionSystem, core: &CtlCore, atoms: &[Lit]) -> Vec<Set> {
        let fair = self.fairly_within(self.all());
        let mut sets: Vec<Set> = Vec::new();
        for &node in core.nodes() {
            let of = |node: CoreId| sets[node.index()];
            let set = match node {
                CoreNode::True => self.all(),
                CoreNode::Atom(atom) => self.set(system, atoms[atom as usize]),
                CoreNode::Not(a) => self.all() & !of(a),
                CoreNode::And(a, b) => of(a) & of(b),
                CoreNode::Or(a, b) => of(a) | of(b),
                CoreNode::Ex(a) => self.before(of(a) & fair),
                CoreNode::Eg(a) => self.fairly_within(of(a)),
                CoreNode::Eu(a, b) => self.until(of(a), of(b) & fair),
            };
            sets.push(set);
        }
        sets
    }

    /// Whether all initial states satisfy a formula.
    pub(crate) fn holds(&self, system: &TransitionSystem, core: &CtlCore, atoms: &[Lit]) -> bool {
        let sets = self.evaluate(system, core, atoms);
        self.initial & !sets[core.root().index()] == 0
    }
}
