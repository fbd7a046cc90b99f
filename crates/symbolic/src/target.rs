//! Properties that ask for reachability: `A G p`, `E F p`, and plain conditions on initial states.
//!
//! In `E F b`, `b` may contain `E X` as long as it is not negated: a state that has a step to a
//! state with `p` is a function of the state *and* of what that step chooses. So `A G (p -> A X q)`
//! is an invariant of the system, too, with the choices of its next step as free variables.

use crate::query::{Query, SystemOutcome};
use crate::unrolled::{Initial, initial_states};
use loris_base::{Budget, Exhausted, Idx};
use loris_circuit::{Lit, TransitionSystem, Var};
use loris_logic::{CoreId, CoreNode};
use std::ops::ControlFlow;

/// A property that is decided by reachability.
#[derive(Clone, Debug)]
pub struct ReachProperty {
    /// Whether the property holds if the target is reached, as `E F p` does, or if it is not, as
    /// `A G p` does.
    pub is_wanted: bool,
    /// Whether the target counts in initial states only.
    pub at_start: bool,
    /// The target: a function of states and of `choices`, in the graph of `system`.
    pub lit: Lit,
    /// Variables of the target that are not states, with the step each group of them stands for.
    pub steps: Vec<Vec<Lit>>,
    /// The system, with a graph that has the target.
    pub system: TransitionSystem,
}

/// The most steps that a target may look ahead.
const LOOK_AHEAD: usize = 8;

impl ReachProperty {
    /// The reachability question that decides a property, if there is one.
    ///
    /// `E F p` asks for a path from *every* initial state: it is a question of reachability only if
    /// there is exactly one initial state, which the caller is to make sure of where `is_wanted`.
    pub fn of(system: &TransitionSystem, query: &Query<'_>) -> Option<ReachProperty> {
        let nodes = query.core.nodes();
        let root = query.core.root();
        let (is_wanted, existential) = match nodes[root.index()] {
            CoreNode::Not(of) => (false, of),
            _ => (true, root),
        };
        let (at_start, goal) = match nodes[existential.index()] {
            CoreNode::Eu(from, to) if nodes[from.index()] == CoreNode::True => (false, to),
            _ => (true, existential),
        };
        let mut target =
            ReachProperty { is_wanted, at_start, lit: Lit::TRUE, steps: Vec::new(), system: system.clone() };
        target.lit = target.function(query, goal)?;
        if is_wanted && at_start && target.steps.is_empty() {
            // initial states that violate it are looked for
            (target.is_wanted, target.lit) = (false, !target.lit);
        }
        Some(target)
    }

    /// What the number of initial states decides: everything holds if there is none, and several
    /// are too many for a search where the target is wanted.
    ///
    /// # Errors
    /// The budget ran out.
    pub(crate) fn by_initial_states(
        &self,
        budget: &mut Budget,
    ) -> Result<ControlFlow<Option<SystemOutcome>>, Exhausted> {
        if !self.is_wanted {
            return Ok(ControlFlow::Continue(()));
        }
        Ok(match initial_states(&self.system, budget)? {
            Initial::None => {
                ControlFlow::Break(Some(SystemOutcome { holds: true, ..SystemOutcome::default() }))
            }
            Initial::One => ControlFlow::Continue(()),
            Initial::Several => ControlFlow::Break(None),
        })
    }

    /// A boolean combination of atoms and steps, in a single state.
    pub(crate) fn at(system: &TransitionSystem, query: &Query<'_>, node: CoreId) -> Option<ReachProperty> {
        let (is_wanted, at_start) = (true, true);
        let mut target =
            ReachProperty { is_wanted, at_start, lit: Lit::TRUE, steps: Vec::new(), system: system.clone() };
        target.lit = target.function(query, node)?;
        Some(target)
    }

    /// A boolean combination of atoms and steps as a function.
    fn function(&mut self, query: &Query<'_>, goal: CoreId) -> Option<Lit> {
        let nodes = query.core.nodes();
        // children come before parents; of those that the goal needs, each is built once
        let mut needed = vec![false; nodes.len()];
        needed[goal.index()] = true;
        for at in query.core.ids().take(goal.index() + 1).rev() {
            if needed[at.index()] {
                query.core.children(at).for_each(|child| needed[child.index()] = true);
            }
        }
        let mut of: Vec<Option<Lit>> = vec![None; nodes.len()];
        let mut pool = Vec::new();
        for at in (0..=goal.index()).filter(|&at| needed[at]) {
            let known = |child: CoreId, of: &[Option<Lit>]| of[child.index()].expect("children come first");
            of[at] = Some(match nodes[at] {
                CoreNode::True => Lit::TRUE,
                CoreNode::Atom(atom) => query.atoms[atom as usize],
                CoreNode::Not(a) if nodes[a.index()].is_existential() => return None,
                CoreNode::Not(a) => !known(a, &of),
                CoreNode::And(a, b) => self.system.aig.and(known(a, &of), known(b, &of)),
                CoreNode::Or(a, b) => self.system.aig.or(known(a, &of), known(b, &of)),
                CoreNode::Ex(a) if self.steps.len() < LOOK_AHEAD => {
                    step_to(&mut self.system, &mut self.steps, &mut pool, known(a, &of))
                }
                _ => return None,
            });
        }
        of[goal.index()]
    }
}

/// A step that satisfies the constraints leads to a state in which the function holds.
///
/// The step, and the steps that the function looks ahead from there, are chosen by variables of
/// their own, which are added to `steps`: the same function may be asked for in several states. The
/// variables come from `pool`, by the number of the step, as far as it has some.
pub(crate) fn step_to(
    system: &mut TransitionSystem,
    steps: &mut Vec<Vec<Lit>>,
    pool: &mut Vec<Vec<Lit>>,
    lit: Lit,
) -> Lit {
    let after = system.next_of(&[lit])[0];
    let all = system.aig.all(system.constraints.clone());
    let step = system.aig.and(all, after);
    let within = system.aig.cone([step]);
    let is_within = |choice: &Lit| within.get(choice.var().index()).is_some_and(|&within| within);
    let further = steps.iter().filter(|step| step.iter().any(is_within));
    let groups: Vec<Vec<Lit>> = std::iter::once(&system.choices).chain(further).cloned().collect();
    let mut stands: Vec<Lit> = (0..within.len()).map(|at| Var(at as u32).lit()).collect();
    for group in groups {
        while pool.len() <= steps.len() {
            pool.push(system.choices.iter().map(|_| system.aig.variable()).collect());
        }
        let fresh = pool[steps.len()].clone();
        for (choice, &stand) in group.iter().zip(&fresh) {
            if let Some(stands) = stands.get_mut(choice.var().index()) {
                *stands = stand;
            }
        }
        steps.push(fresh);
    }
    system.aig.substitute(&[step], |var| stands[var.index()])[0]
}
