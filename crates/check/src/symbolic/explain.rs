//! Evidence of an answer, in terms of the whole model.

use super::group::Group;
use super::{SymbolicModel, SymbolicPlan};
use crate::answer::{NO_PATH, TOO_LONG};
use loris_base::Idx;
use loris_circuit::{SystemRun, Valuation};
use loris_evidence::{Certificate, Claim, Evidence, Invariant, Loop, Path, PathId};
use loris_logic::{CoreId, CoreNode, FormulaBuilder};
use loris_symbolic::{SystemOutcome, Witness};

/// Evidence of an outcome.
///
/// # Errors
/// Why there is none.
pub(super) fn certificate(
    outcome: &SystemOutcome,
    plan: &SymbolicPlan,
    group: &Group,
    model: &dyn SymbolicModel,
) -> Result<Certificate<Valuation>, &'static str> {
    let explain = Explain { plan, group, model };
    if plan.has_constants() {
        return Err("only fair paths count, and the property has constants");
    }
    let none = if outcome.is_cut || outcome.witness.is_some() { TOO_LONG } else { NO_PATH };
    explain.certificate(outcome).ok_or(none)
}

impl Explain<'_> {
    fn certificate(&self, outcome: &SystemOutcome) -> Option<Certificate<Valuation>> {
        let Explain { plan, group, model } = *self;
        // a run of one state that says that no path exists shows nothing
        let is_empty = |witness: &Witness| {
            let parts = &plan.core.nodes()[..=witness.shows.index()];
            witness.negated && witness.because.is_empty() && parts.iter().any(|node| node.is_existential())
        };
        if let Some(witness) = outcome.witness.as_ref().filter(|witness| !is_empty(witness)) {
            let mut evidence = Evidence::default();
            let (root, nodes) = (plan.core.root(), plan.core.nodes());
            let is_negation = nodes[root.index()] == CoreNode::Not(witness.shows) && !witness.negated;
            let is_root = witness.shows == root && witness.negated != outcome.holds;
            if is_root || !outcome.holds && is_negation {
                self.show(witness, None, &mut evidence)?;
            } else {
                // the run shows a part of the property, on which its first state relies
                let first = SystemRun { steps: witness.trace.steps[..1].to_vec(), back_to: None };
                let because = vec![(0, witness.clone())];
                let whole = Witness { shows: root, negated: !outcome.holds, trace: first, because };
                self.show(&whole, None, &mut evidence)?;
            }
            return Some(Certificate::Paths(evidence));
        }
        // an invariant of states shows nothing about runs from them
        let runs = plan.core.nodes().iter().filter(|node| node.is_existential()).count();
        let clauses = outcome.invariant.as_ref().filter(|_| runs == 1)?;
        let names = model.variables(&group.whole);
        let named = |state: &loris_circuit::StateVar| {
            let of = group.cone.states.iter().position(|lit| *lit == Some(state.now));
            &names[of.expect("a variable of the whole")]
        };
        let names: Vec<&String> = group.cone.system.states.iter().map(named).collect();
        let literal = |&(at, value): &(u32, bool)| {
            let name = atom_text(names[at as usize]);
            if value { name } else { format!("!{name}") }
        };
        let mut texts: Vec<String> = self.merged();
        texts.extend(clauses.iter().map(|clause| match clause.len() {
            // no state satisfies it, as the model has none
            0 => "false".to_owned(),
            _ => clause.iter().map(literal).collect::<Vec<_>>().join(" | "),
        }));
        Some(Certificate::Invariant(Invariant { shows: self.always()?, clauses: texts }))
    }
}

/// An atom as formulas write it.
fn atom_text(name: &str) -> String {
    let mut build = FormulaBuilder::default();
    let atom = build.atom(name);
    build.finish(atom).to_string()
}

/// A loop that has to be repeated beyond this many states to close is not shown.
const MOST_STATES: usize = 10_000;

/// What an answer is explained with.
struct Explain<'a> {
    plan: &'a SymbolicPlan,
    group: &'a Group,
    model: &'a dyn SymbolicModel,
}

impl Explain<'_> {
    /// For each state variable of the model, whether evidence lists it: the property depends on it,
    /// or which states and steps there are does.
    fn matters(&self) -> Vec<bool> {
        let mut matters = self.plan.influences(self.model, self.model.state_variables());
        let always = self.model.always_matters();
        matters.iter_mut().zip(always).for_each(|(matters, always)| *matters |= always);
        matters
    }

    /// The property as `A G p` or `A [q R p]`, if it is one.
    fn always(&self) -> Option<String> {
        let core = &self.plan.core;
        let CoreNode::Not(existential) = core.nodes()[core.root().index()] else { return None };
        let CoreNode::Eu(from, bad) = core.nodes()[existential.index()] else { return None };
        let negated = |node: CoreId| match core.nodes()[node.index()] {
            CoreNode::Not(of) => format!("({})", core.print(of)),
            _ => format!("!({})", core.print(node)),
        };
        let always = match core.nodes()[from.index()] {
            CoreNode::True => format!("A G {}", negated(bad)),
            _ => format!("A [{} R {}]", negated(from), negated(bad)),
        };
        let formula = loris_logic::parse_printed(&always).ok()?;
        Some(formula.to_string())
    }

    /// What the reduction of the system found: variables that are constant, or equal to others.
    fn merged(&self) -> Vec<String> {
        let names = self.model.variables(&self.group.whole);
        let text = |at: usize| atom_text(&names[at]);
        let matters = self.matters();
        let of_var = self.group.whole.state_of_var();
        let mut texts = Vec::new();
        for (at, &class) in self.group.cone.classes.iter().enumerate() {
            if !matters.get(at).copied().unwrap_or(true) {
                continue;
            }
            match (class.as_constant(), of_var[class.var().index()]) {
                (Some(true), _) => texts.push(text(at)),
                (Some(false), _) => texts.push(format!("!{}", text(at))),
                (None, Some(of)) if of as usize != at => {
                    texts.push(format!("{} <-> {}", text(at), text(of as usize)));
                }
                _ => {}
            }
        }
        texts
    }

    /// Adds a run and those it relies on to evidence; nothing if one of them is too long. It starts
    /// in a given state, or in an initial one.
    fn show(
        &self,
        witness: &Witness,
        start: Option<&[bool]>,
        evidence: &mut Evidence<Valuation>,
    ) -> Option<PathId> {
        let shows = match &self.plan.linear {
            Some(linear) => linear.shows(),
            None if witness.negated => format!("!({})", self.plan.core.print(witness.shows)),
            None => self.plan.core.print(witness.shows),
        };
        let whole = &self.group.whole;
        let trace = match start {
            Some(start) => self.group.cone.extend_from(whole, &witness.trace, start),
            None => self.group.cone.extend(whole, &witness.trace),
        };
        // what a state has beyond the variables of the model has to be the same, too
        let part = self.matters();
        let rest = std::iter::repeat_n(true, whole.states.len() - part.len());
        let matters: Vec<bool> = part.iter().copied().chain(rest).collect();
        let trace = whole.closed(trace, &matters, MOST_STATES)?;
        let mut states = self.model.states(whole, &trace, part);
        let unrolled = states.len();
        let repeats = trace.back_to.map(|from| {
            let again = states[from].clone();
            states.push(again);
            Loop { from, to: states.len() - 1 }
        });
        let path = evidence.paths.push(Path { shows, states, repeats, because: Vec::new() });
        if self.plan.linear.is_some() {
            return Some(path);
        }
        let (length, back) = (witness.trace.steps.len(), witness.trace.back_to);
        for (state, because) in &witness.because {
            // in every round of a loop that was repeated
            let round = back.filter(|back| state >= back).map_or(usize::MAX, |back| length - back);
            for state in (*state..unrolled.max(state + 1)).step_by(round) {
                let shown = self.show(because, Some(&trace.steps[state].state), evidence)?;
                evidence.paths[path].because.push(Claim { state, evidence: shown });
            }
        }
        Some(path)
    }
}
