//! The transition relation as a conjunction of parts, and the sets of states after and before a
//! step.
//!
//! There is a part for each next-state function and each conjunct of a constraint. A gate whose
//! diagram is large becomes an auxiliary variable, with a part that defines it; such variables are
//! quantified like choices. Parts are put in an order in which variables can be quantified early
//! and conjoined to clusters of bounded size (Ranjan, Aziz, Brayton, Plessier and Pixley, IWLS
//! 1995). An image conjoins a set with one cluster after another, and quantifies each variable as
//! soon as no later cluster depends on it.

use super::functions::{Leaf, build, build_with};
use super::options::DiagramOptions;
use super::order::Places;
use loris_base::{Budget, Exhausted};
use loris_circuit::{Aig, Gate, Lit, TransitionSystem, Var};
use loris_solvers::bdd::{Bdd, Store, Substitution};

/// Constraints are not taken apart beyond this many parts: their order takes quadratic time.
const MOST_CONJUNCTS: usize = 2000;

/// Weights of the order: variables that can be quantified, variables that occur, variables that are
/// new, and the depth of the variables in the order.
const WEIGHTS: [f64; 4] = [6.0, 1.0, 1.0, 2.0];

/// Clusters in the order in which to conjoin them, each with the variables to quantify then.
struct Schedule {
    /// variables that no cluster depends on
    first: Bdd,
    clusters: Vec<(Bdd, Bdd)>,
}

/// The steps of a system.
pub(crate) struct Images {
    pub(crate) store: Store,
    pub(super) places: Places,
    /// a node of the graph as a variable
    leaf_of: Vec<Option<u32>>,
    clusters: Vec<Bdd>,
    after: Schedule,
    before: Schedule,
    to_next: Substitution,
    to_now: Substitution,
}

impl Images {
    pub(crate) fn new(
        system: &TransitionSystem,
        options: &DiagramOptions,
        budget: &mut Budget,
    ) -> Result<Self, Exhausted> {
        let mut store = Store::new(options.policy);
        let places = Places::new(system, options.order, &mut store);
        let mut leaf_of = vec![None; system.aig.len()];
        for (state, &(now, _)) in system.states.iter().zip(&places.states) {
            leaf_of[state.now.var().index()] = Some(now);
        }
        for (choice, &var) in system.choices.iter().zip(&places.choices) {
            leaf_of[choice.var().index()] = Some(var);
        }
        let conditions = conjuncts(&system.aig, &system.constraints);
        let mut roots = conditions.clone();
        roots.extend(system.states.iter().map(|state| state.next));
        let mut parts = Vec::new();
        let cut = |store: &mut Store, function: Bdd, budget: &mut Budget| {
            if store.size([&function]) <= options.cut {
                return Ok(function);
            }
            let top = store.support([&function]).first().copied().expect("it is not a constant");
            let variable = store.variable_above(top);
            let stands = store.literal(variable, true);
            let differ = store.xor(&stands, &function, budget)?;
            parts.push(!&differ);
            Ok(stands)
        };
        let functions = build_with(&mut store, &system.aig, &roots, leaf(&leaf_of), cut, budget)?;
        let (constraints, functions) = functions.split_at(conditions.len());
        parts.extend_from_slice(constraints);
        for (function, &(_, next)) in functions.iter().zip(&places.states) {
            let next = store.literal(next, true);
            let differ = store.xor(&next, function, budget)?;
            parts.push(!&differ);
        }
        parts.retain(|part| !part.is_true());
        let swap = |of: &[(u32, u32)], store: &mut Store| -> Substitution {
            let by: Vec<(u32, Bdd)> = of.iter().map(|&(var, by)| (var, store.literal(by, true))).collect();
            store.substitution(by)
        };
        let pairs = &places.states;
        let to_next = swap(pairs, &mut store);
        let to_now = swap(&pairs.iter().map(|&(now, next)| (next, now)).collect::<Vec<_>>(), &mut store);
        let trivial = || Schedule { first: store.constant(true), clusters: Vec::new() };
        let (after, before) = (trivial(), trivial());
        let mut images =
            Self { store, places, leaf_of, clusters: Vec::new(), after, before, to_next, to_now };
        images.clusters = images.cluster(&parts, options.cluster, budget)?;
        images.after = images.schedule(&images.clusters.clone(), Way::After, budget)?;
        images.before = images.schedule(&images.clusters.clone(), Way::Before, budget)?;
        Ok(images)
    }

    /// Which variables a direction quantifies.
    fn quantified(&self, way: Way) -> Vec<bool> {
        let mut quantified = vec![true; self.store.variables()];
        for &(now, next) in &self.places.states {
            quantified[if way == Way::After { next } else { now } as usize] = false;
        }
        quantified
    }

    /// Joins parts to clusters of at most this many nodes, if they have no more already.
    fn cluster(&mut self, parts: &[Bdd], size: usize, budget: &mut Budget) -> Result<Vec<Bdd>, Exhausted> {
        let order = self.arrange(parts, Way::After, budget)?;
        let mut clusters: Vec<Bdd> = Vec::new();
        for at in order {
            if let Some(last) = clusters.last_mut()
                && self.store.size([&*last, &parts[at]]) <= size
            {
                let joined = self.store.and(last, &parts[at], budget)?;
                if self.store.size([&joined]) <= size {
                    *last = joined;
                    continue;
                }
            }
            clusters.push(parts[at].clone());
        }
        // a choice that a single cluster depends on is quantified once and for all
        let is_state = self.places.states.iter().fold(vec![false; self.store.variables()], |mut is, pair| {
            (is[pair.0 as usize], is[pair.1 as usize]) = (true, true);
            is
        });
        let supports: Vec<Vec<u32>> = clusters.iter().map(|cluster| self.store.support([cluster])).collect();
        let mut occurs = vec![0_u32; is_state.len()];
        for &var in supports.iter().flatten() {
            occurs[var as usize] += 1;
        }
        for (cluster, support) in clusters.iter_mut().zip(&supports) {
            let own = support.iter().filter(|&&var| !is_state[var as usize] && occurs[var as usize] == 1);
            let cube = self.store.cube(own.map(|&var| (var, true)), budget)?;
            *cluster = self.store.exists(cluster, &cube, budget)?;
        }
        clusters.retain(|cluster| !cluster.is_true());
        Ok(clusters)
    }

    /// An order of parts in which variables can be quantified early: the part of greatest benefit
    /// next.
    fn arrange(&self, parts: &[Bdd], way: Way, budget: &mut Budget) -> Result<Vec<usize>, Exhausted> {
        let quantified = self.quantified(way);
        let supports: Vec<Vec<u32>> = parts.iter().map(|part| self.store.support([part])).collect();
        let mut occurs = vec![0_u32; quantified.len()];
        for &var in supports.iter().flatten() {
            occurs[var as usize] += 1;
        }
        let mut level = vec![0; quantified.len()];
        for (at, var) in self.store.order().into_iter().enumerate() {
            level[var as usize] = at;
        }
        let mut is_new = vec![true; quantified.len()];
        let mut left: Vec<usize> = (0..parts.len()).collect();
        let mut order = Vec::with_capacity(parts.len());
        while !left.is_empty() {
            let to_quantify = (0..quantified.len()).filter(|&var| quantified[var] && occurs[var] > 0);
            let (count, deepest) =
                to_quantify.fold((0, 0), |(count, deepest), var| (count + 1, deepest.max(level[var])));
            let new = (0..quantified.len()).filter(|&var| !quantified[var] && is_new[var]).count();
            let share = |part: usize, of: usize| part as f64 / of.max(1) as f64;
            let mut best: Option<(f64, usize)> = None;
            for (at, &part) in left.iter().enumerate() {
                budget.spend(supports[part].len())?;
                let (mut ends, mut bound, mut introduced, mut depth) = (0, 0, 0, 0);
                for &var in &supports[part] {
                    let var = var as usize;
                    if quantified[var] {
                        bound += 1;
                        ends += usize::from(occurs[var] == 1);
                        depth = depth.max(level[var]);
                    } else {
                        introduced += usize::from(is_new[var]);
                    }
                }
                let benefit = WEIGHTS[0] * share(ends, bound)
                    + WEIGHTS[1] * share(bound, count)
                    + WEIGHTS[2] * (1.0 - share(introduced, new))
                    + WEIGHTS[3] * share(depth, deepest);
                if best.is_none_or(|(most, _)| benefit > most) {
                    best = Some((benefit, at));
                }
            }
            let (_, at) = best.expect("some part is left");
            let part = left.remove(at);
            for &var in &supports[part] {
                occurs[var as usize] -= 1;
                is_new[var as usize] = false;
            }
            order.push(part);
        }
        Ok(order)
    }

    fn schedule(&mut self, clusters: &[Bdd], way: Way, budget: &mut Budget) -> Result<Schedule, Exhausted> {
        let order = self.arrange(clusters, way, budget)?;
        let quantified = self.quantified(way);
        // the last cluster that depends on a variable
        let mut last: Vec<Option<usize>> = vec![None; quantified.len()];
        for (at, &cluster) in order.iter().enumerate() {
            for var in self.store.support([&clusters[cluster]]) {
                last[var as usize] = Some(at);
            }
        }
        let mut ends: Vec<Vec<(u32, bool)>> = vec![Vec::new(); order.len()];
        let mut free = Vec::new();
        for var in (0..quantified.len()).filter(|&var| quantified[var]) {
            match last[var] {
                Some(at) => ends[at].push((var as u32, true)),
                None => free.push((var as u32, true)),
            }
        }
        let first = self.store.cube(free, budget)?;
        let mut scheduled = Vec::with_capacity(order.len());
        for (&cluster, ends) in order.iter().zip(ends) {
            scheduled.push((clusters[cluster].clone(), self.store.cube(ends, budget)?));
        }
        Ok(Schedule { first, clusters: scheduled })
    }

    /// From now on, the states before a step are asked for among those of `care` only.
    pub(super) fn simplify(&mut self, care: &Bdd, budget: &mut Budget) -> Result<(), Exhausted> {
        let mut simpler = Vec::with_capacity(self.clusters.len());
        for cluster in self.clusters.clone() {
            let restricted = self.store.restrict(&cluster, care, budget)?;
            let is_smaller = self.store.size([&restricted]) < self.store.size([&cluster]);
            simpler.push(if is_smaller { restricted } else { cluster });
        }
        self.before = self.schedule(&simpler, Way::Before, budget)?;
        Ok(())
    }

    /// The states after a step from a set of states.
    pub(crate) fn after(&mut self, set: &Bdd, budget: &mut Budget) -> Result<Bdd, Exhausted> {
        let store = &mut self.store;
        let mut found = store.exists(set, &self.after.first, budget)?;
        for (cluster, cube) in &self.after.clusters {
            found = store.and_exists(&found, cluster, cube, budget)?;
        }
        store.substitute(&found, &self.to_now, budget)
    }

    /// The states with a step into a set of states.
    pub(crate) fn before(&mut self, set: &Bdd, budget: &mut Budget) -> Result<Bdd, Exhausted> {
        let store = &mut self.store;
        let next = store.substitute(set, &self.to_next, budget)?;
        let mut found = store.exists(&next, &self.before.first, budget)?;
        for (cluster, cube) in &self.before.clusters {
            found = store.and_exists(&found, cluster, cube, budget)?;
        }
        Ok(found)
    }

    /// Functions of states as sets of states.
    pub(crate) fn sets(
        &mut self,
        system: &TransitionSystem,
        functions: &[Lit],
        budget: &mut Budget,
    ) -> Result<Vec<Bdd>, Exhausted> {
        build(&mut self.store, &system.aig, functions, leaf(&self.leaf_of), budget)
    }

    /// A function of another graph, whose variables are the state variables.
    pub(crate) fn function(
        &mut self,
        aig: &Aig,
        states: impl Iterator<Item = Lit>,
        function: Lit,
        budget: &mut Budget,
    ) -> Result<Bdd, Exhausted> {
        let mut leaf_of = vec![None; aig.len()];
        for (state, &(now, _)) in states.zip(&self.places.states) {
            leaf_of[state.var().index()] = Some(now);
        }
        Ok(build(&mut self.store, aig, &[function], leaf(&leaf_of), budget)?.remove(0))
    }

    /// The states in which some state variables have given values.
    pub(crate) fn cube(&mut self, cube: &[(u32, bool)], budget: &mut Budget) -> Result<Bdd, Exhausted> {
        let literals = cube.iter().map(|&(at, value)| (self.places.states[at as usize].0, value));
        let literals: Vec<(u32, bool)> = literals.collect();
        self.store.cube(literals, budget)
    }

    /// The set of one state.
    pub(crate) fn state(&mut self, state: &[bool], budget: &mut Budget) -> Result<Bdd, Exhausted> {
        let literals = self.places.states.iter().zip(state).map(|(&(now, _), &value)| (now, value));
        self.store.cube(literals, budget)
    }

    /// A state of a set.
    pub(crate) fn pick(&self, set: &Bdd) -> Option<Vec<bool>> {
        let mut values = vec![false; self.store.variables()];
        for (var, value) in self.store.pick(set)? {
            values[var as usize] = value;
        }
        Some(self.places.states.iter().map(|&(now, _)| values[now as usize]).collect())
    }

    /// Whether a state is in a set.
    pub(super) fn contains(&self, set: &Bdd, state: &[bool]) -> bool {
        let mut values = vec![false; self.store.variables()];
        for (&(now, _), &value) in self.places.states.iter().zip(state) {
            values[now as usize] = value;
        }
        self.store.evaluate(set, |var| values[var as usize])
    }

    /// The number of clusters.
    pub(super) fn clusters(&self) -> usize {
        self.clusters.len()
    }
}

/// The operands of the conjunctions that functions are, each once: at most [`MOST_CONJUNCTS`] more
/// of them.
fn conjuncts(aig: &Aig, functions: &[Lit]) -> Vec<Lit> {
    let mut found = Vec::new();
    let mut seen = vec![false; aig.len()];
    let mut work: Vec<Lit> = functions.iter().rev().copied().collect();
    while let Some(lit) = work.pop() {
        match aig.gate(lit.var()) {
            Gate::And(a, b) if !lit.is_negated() && found.len() + work.len() < MOST_CONJUNCTS => {
                if !std::mem::replace(&mut seen[lit.var().index()], true) {
                    work.extend([b, a]);
                }
            }
            _ => found.push(lit),
        }
    }
    found.sort_unstable();
    found.dedup();
    found
}

/// The direction of an image.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Way {
    After,
    Before,
}

fn leaf(leaf_of: &[Option<u32>]) -> impl Fn(Var) -> Option<Leaf> + '_ {
    |var| leaf_of.get(var.index()).copied().flatten().map(Leaf::Variable)
}
