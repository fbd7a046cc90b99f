//! Properties by the part of the model that they depend on.
//!
//! Properties share a system only if it gives each of them the answer that its own system gives:
//! - their states are made of the same variables. A property about a circuit moves the inputs that
//!   it mentions into the state, which changes what `E X` means, and with constraints also which
//!   states exist and where runs end.
//! - the variables that a property gains in company have one initial value each. Otherwise a system
//!   with one initial state would become one with several, which `pdr` and `bmc` refuse for `E F`.
//!
//! Beyond that, cones of influence decide, which are a matter of cost alone: a system and a cone of
//! it are bisimilar in what the cone observes. Which properties share a system depends on the
//! questions alone, so that answers do not depend on the number of threads.

use super::{SymbolicModel, SymbolicPlan};
use crate::{CountedRuns, Options};
use loris_base::{Budget, Exhausted};
use loris_circuit::{Cone, Lit, TransitionSystem};
use rustc_hash::FxHashMap;

/// The properties that depend on one part of a model.
pub(super) struct Group {
    pub(super) whole: TransitionSystem,
    pub(super) cone: Cone,
    /// the plans, with where their atoms start among the observed functions
    pub(super) plans: Vec<(usize, usize)>,
}

/// Properties by the part of the model that they depend on; for those in `cut`, a limit was reached
/// before that was known.
pub(super) fn groups(
    model: &dyn SymbolicModel,
    plans: &[(usize, &SymbolicPlan)],
    options: &Options,
    cut: &mut Vec<(usize, Exhausted)>,
) -> Vec<Group> {
    let budget = || Budget::new(options.timeout, options.memory).interruptible(&options.interrupt);
    let mut groups: Vec<Group> = Vec::new();
    let mut layouts: FxHashMap<Layout, usize> = FxHashMap::default();
    let mut by_part: FxHashMap<(usize, Vec<bool>), usize> = FxHashMap::default();
    let mut parts: Vec<Part> = Vec::new();
    for (number, &(at, plan)) in plans.iter().enumerate() {
        let whole = plan.system(model);
        let cone = match whole.reduced_within(&mut budget()) {
            Ok(cone) => cone,
            Err(why) => {
                cut.push((at, why));
                continue;
            }
        };
        if plan.linear.is_some() {
            // no other property has this system
            groups.push(Group { whole, cone, plans: vec![(at, 0)] });
            continue;
        }
        let layout = Layout {
            fair: plan.fair,
            counted_runs: plan.counted_runs,
            states: whole.states.iter().map(|state| state.now).collect(),
        };
        let next = layouts.len();
        let layout = *layouts.entry(layout).or_insert(next);
        // within one layout, states and choices are numbered alike
        let mut variables: Vec<bool> = cone.states.iter().map(Option::is_some).collect();
        variables.extend(cone.choices.iter().map(Option::is_some));
        let next = parts.len();
        let part = *by_part.entry((layout, variables.clone())).or_insert(next);
        if part == next {
            let starts = whole.resets().iter().map(Option::is_some).collect();
            parts.push(Part { layout, variables, starts, members: Vec::new() });
        }
        parts[part].members.push(number);
    }
    for members in joined(parts) {
        let mut observed: Vec<Lit> = Vec::new();
        let mut of = Vec::with_capacity(members.len());
        for &member in &members {
            let (at, plan) = plans[member];
            of.push((at, observed.len()));
            observed.extend(&plan.atoms);
        }
        let whole = TransitionSystem { observed, ..plans[members[0]].1.states(model) };
        match whole.reduced_within(&mut budget()) {
            Ok(cone) => groups.push(Group { whole, cone, plans: of }),
            Err(why) => cut.extend(of.into_iter().map(|(at, _)| (at, why))),
        }
    }
    groups
}

/// What the states of a question are made of. All questions about a model with the same layout are
/// about the same states, steps and runs.
#[derive(PartialEq, Eq, Hash)]
struct Layout {
    fair: bool,
    counted_runs: CountedRuns,
    states: Vec<Lit>,
}

/// A part of a model, and the properties that depend on it.
struct Part {
    layout: usize,
    /// for each state variable, then for each choice, whether it is in the part
    variables: Vec<bool>,
    /// for each state variable, whether it has one initial value
    starts: Vec<bool>,
    members: Vec<usize>,
}

impl Part {
    fn size(&self) -> usize {
        self.variables.iter().filter(|&&kept| kept).count()
    }

    /// Whether properties of this part get the same answers from the system of a larger one.
    fn fits_into(&self, larger: &Part) -> bool {
        let starts = self.starts.iter().copied().chain(std::iter::repeat(true));
        let pairs = self.variables.iter().zip(&larger.variables);
        self.layout == larger.layout
            && pairs.zip(starts).all(|((&here, &there), one_start)| here == there || there && one_start)
    }
}

/// The members of parts. A part that fits into a larger one and has most of its variables joins it:
/// otherwise engines would compute the same, such as the reachable states, for both.
fn joined(mut parts: Vec<Part>) -> Vec<Vec<usize>> {
    parts.sort_by_key(|part| std::cmp::Reverse(part.size()));
    let mut kept: Vec<Part> = Vec::new();
    for part in parts {
        let size = part.size();
        let joins = |larger: &&mut Part| MOST.1 * size >= MOST.0 * larger.size() && part.fits_into(larger);
        match kept.iter_mut().find(joins) {
            Some(larger) => larger.members.extend(part.members),
            None => kept.push(part),
        }
    }
    for part in &mut kept {
        part.members.sort_unstable();
    }
    kept.sort_by_key(|part| part.members[0]);
    kept.into_iter().map(|part| part.members).collect()
}

/// The share of variables that counts as most of them: two thirds.
const MOST: (usize, usize) = (2, 3);
