//! What earlier properties of a run found out: for each formula, the states that have it or lack
//! it.
//!
//! Each property has abstract states and a solver of its own: to close a proof over abstract states
//! that another property was split into, with the clauses that were learned about them, costs more
//! than it saves. So the tree of a property that was decided is put aside. If a later property has
//! one of its temporal formulas, the labelled states become a function, by which abstract states of
//! the new tree are split where a state asks for it.

use super::abstraction::{Abstraction, Cubes, Member, Predicate};
use crate::relation::Relation;
use loris_circuit::{Aig, Lit, TransitionSystem, Var};
use loris_solvers::sat::Frame;
use rustc_hash::{FxHashMap, FxHashSet};
use std::sync::Arc;

/// Trees with more nodes than this in all are not kept.
const MAX_NODES: usize = 200_000;

/// A set of states all of which satisfy a formula, or none.
pub(super) struct KnownSet {
    pub(super) formula: usize,
    pub(super) value: bool,
    pub(super) cubes: Arc<Cubes>,
    pub(super) member: Member,
    /// whether it is the complement of the cubes, and proves the formula without other sets
    pub(super) is_closed: bool,
}

/// The labels of a property that was decided.
struct Kept {
    tree: Abstraction,
    sets: Vec<KnownSet>,
    /// formulas with labels that are not yet part of their functions
    formulas: FxHashSet<usize>,
}

/// The functions of all formulas that were asked for, over state variables.
pub(super) struct Knowledge {
    kept: Vec<Kept>,
    graph: Aig,
    states: Vec<Lit>,
    known: FxHashMap<usize, [Lit; 2]>,
    /// functions of the system that are predicates
    copied: FxHashMap<Var, Lit>,
    now: Frame,
    next: Frame,
}

impl Knowledge {
    pub(super) fn new(system: &TransitionSystem) -> Self {
        let mut graph = Aig::new();
        let states = system.states.iter().map(|_| graph.variable()).collect();
        Self {
            kept: Vec::new(),
            graph,
            states,
            known: FxHashMap::default(),
            copied: FxHashMap::default(),
            now: Frame::default(),
            next: Frame::default(),
        }
    }

    /// Literals are those of another solver from here on.
    pub(super) fn bind(&mut self, relation: &Relation) {
        (self.now, self.next) = (Frame::default(), Frame::default());
        for (at, &variable) in self.states.iter().enumerate() {
            self.now.bind(variable, relation.now[at]);
            self.next.bind(variable, relation.next[at]);
        }
    }

    /// Keeps the labels of a property.
    pub(super) fn keep(&mut self, tree: Abstraction, sets: Vec<KnownSet>) {
        let labels = tree.leaves().flat_map(|(_, labels)| labels);
        let mut formulas: FxHashSet<usize> = labels.map(|label| label.formula as usize).collect();
        formulas.extend(sets.iter().map(|set| set.formula));
        if formulas.is_empty() {
            return;
        }
        self.kept.push(Kept { tree, sets, formulas });
        let (mut nodes, mut from) = (0, self.kept.len());
        while from > 0 && nodes + self.kept[from - 1].tree.len() <= MAX_NODES {
            from -= 1;
            nodes += self.kept[from].tree.len();
        }
        self.kept.drain(..from);
    }

    /// The bytes it holds, about.
    pub(super) fn bytes(&self) -> usize {
        let kept = |kept: &Kept| {
            let literals: usize = kept.sets.iter().flat_map(|set| &set.cubes.cubes).map(Vec::len).sum();
            kept.tree.bytes() + literals * size_of::<(u32, bool)>()
        };
        self.graph.bytes() + self.kept.iter().map(kept).sum::<usize>()
    }

    /// The states labelled with a formula, false and true, as functions.
    pub(super) fn labelled(&mut self, formula: usize, system: &TransitionSystem) -> [Lit; 2] {
        let mut known = self.known.get(&formula).copied().unwrap_or([Lit::FALSE; 2]);
        let mut kept = std::mem::take(&mut self.kept);
        for kept in kept.iter_mut().filter_map(|kept| kept.formulas.remove(&formula).then_some(kept)) {
            let of_tree = kept.tree.function(formula, |predicate, yes, no| {
                let holds = self.predicate(predicate, system);
                [0, 1].map(|value| self.graph.choose(holds, yes[value], no[value]))
            });
            known = [0, 1].map(|value| self.graph.or(known[value], of_tree[value]));
            for set in kept.sets.iter().filter(|set| set.formula == formula) {
                let within = self.predicate(&Predicate::Cubes(Arc::clone(&set.cubes)), system);
                let value = usize::from(set.value);
                known[value] = self.graph.or(known[value], within);
            }
        }
        self.kept = kept;
        self.known.insert(formula, known);
        known
    }

    /// What a split distinguishes, as a function.
    fn predicate(&mut self, predicate: &Predicate, system: &TransitionSystem) -> Lit {
        match predicate {
            Predicate::Known(lit) => *lit,
            Predicate::Cubes(set) => {
                let (graph, states) = (&mut self.graph, &self.states);
                let cubes = set.cubes.iter().map(|cube| {
                    let literals = cube.iter().map(|&(at, value)| states[at as usize].negated_if(!value));
                    graph.all(literals.collect::<Vec<_>>())
                });
                let cubes: Vec<Lit> = cubes.collect();
                self.graph.any(cubes).negated_if(set.complement)
            }
            Predicate::Function(lit) => {
                let copied = self.copied.get(&lit.var()).copied();
                copied.unwrap_or_else(|| self.copy(lit.var(), system)).negated_if(lit.is_negated())
            }
        }
    }

    /// A function of the system, in the graph of this one.
    fn copy(&mut self, var: Var, system: &TransitionSystem) -> Lit {
        let within = system.aig.cone([var.lit()]);
        let states = system.states.iter().zip(&self.states);
        let states: FxHashMap<Var, Lit> = states.map(|(state, &lit)| (state.now.var(), lit)).collect();
        let image = self.graph.copy(&system.aig, &within, |_, var| states[&var]);
        let copied = image[var.index()].expect("in its own cone");
        self.copied.insert(var, copied);
        copied
    }

    /// Whether a function holds in a state.
    pub(super) fn holds(&self, lit: Lit, state: &[bool]) -> bool {
        let mut values = state.iter().map(|&value| u64::from(value));
        // state variables are the first ones, in order
        let values = self.graph.simulate(|_| values.next().unwrap_or(0));
        Aig::value(&values, lit) & 1 == 1
    }

    /// The graph of the functions, and its variables.
    pub(super) fn graph(&self) -> (&Aig, &[Lit]) {
        (&self.graph, &self.states)
    }

    /// Membership literals of a function.
    pub(super) fn member(&mut self, lit: Lit, relation: &mut Relation) -> Member {
        let now = self.now.literal(lit, &self.graph, &mut relation.sat);
        let next = self.next.literal(lit, &self.graph, &mut relation.sat);
        Member { now, next }
    }
}
