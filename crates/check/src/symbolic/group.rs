//! Properties by the part of the model that they depend on.
//!
//! Which properties share a system depends on the questions alone, so that answers do not depend on
//! the number of threads.

use super::{SymbolicModel, SymbolicPlan};
use crate::Options;
use loris_base::{Budget, Exhausted};
use loris_circuit::{Cone, Lit, System};
use rustc_hash::FxHashMap;

/// The properties that depend on one part of a model.
pub(super) struct Group {
    pub(super) whole: System,
    pub(super) cone: Cone,
    /// the plans, with where their atoms start among the observed functions
    pub(super) plans: Vec<(usize, usize)>,
}

/// Properties by the part of the model that they depend on; for those in `cut`, a limit was reached
/// before that was known.
pub(super) fn groups(
    model: &dyn SymbolicModel,
    plans: &[SymbolicPlan],
    options: &Options,
    cut: &mut Vec<(usize, Exhausted)>,
) -> Vec<Group> {
    let budget = || Budget::new(options.timeout, options.memory).interruptible(&options.interrupt);
    let mut groups: Vec<Group> = Vec::new();
    let mut by_part: FxHashMap<(bool, Vec<bool>), usize> = FxHashMap::default();
    let mut parts: Vec<Part> = Vec::new();
    for (at, plan) in plans.iter().enumerate() {
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
        let mut part: Vec<bool> = cone.states.iter().map(Option::is_some).collect();
        part.extend(cone.choices.iter().map(Option::is_some));
        let next = parts.len();
        let group = *by_part.entry((plan.fair, part.clone())).or_insert(next);
        if group == next {
            parts.push(Part { fair: plan.fair, variables: part, members: Vec::new() });
        }
        parts[group].members.push(at);
    }
    for members in joined(parts) {
        let mut observed: Vec<Lit> = Vec::new();
        let mut of = Vec::with_capacity(members.len());
        for &at in &members {
            of.push((at, observed.len()));
            observed.extend(&plans[at].atoms);
        }
        let mut whole = model.system(&observed);
        plans[members[0]].restrict(&mut whole);
        match whole.reduced_within(&mut budget()) {
            Ok(cone) => groups.push(Group { whole, cone, plans: of }),
            Err(why) => cut.extend(of.into_iter().map(|(at, _)| (at, why))),
        }
    }
    groups
}

/// A part of a model, and the properties that depend on it.
struct Part {
    fair: bool,
    variables: Vec<bool>,
    members: Vec<usize>,
}

impl Part {
    fn size(&self) -> usize {
        self.variables.iter().filter(|&&kept| kept).count()
    }
}

/// The members of parts. A part that lies within a larger one and has most of its variables joins
/// it: otherwise engines would compute the same, such as the reachable states, for both.
fn joined(mut parts: Vec<Part>) -> Vec<Vec<usize>> {
    parts.sort_by_key(|part| std::cmp::Reverse(part.size()));
    let mut kept: Vec<Part> = Vec::new();
    for part in parts {
        let size = part.size();
        let goes_with = |larger: &&mut Part| {
            larger.fair == part.fair
                && MOST.1 * size >= MOST.0 * larger.size()
                && part.variables.iter().zip(&larger.variables).all(|(&of, &within)| !of || within)
        };
        match kept.iter_mut().find(goes_with) {
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
