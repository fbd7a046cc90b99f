//! Questions about circuits: planned, and answered by the symbolic engines.
//!
//! Properties that depend on the same part of the circuit share one system and the engines for it, in the order they were asked; which
//! ones do depends on the questions alone, so that answers do not depend on the number of threads.

use crate::answer::{Answer, NO_PATH};
use crate::question::Asked;
use crate::run::{NoThreads, Panicked, caught};
use crate::{Choice, EngineName, Logic, Options, Question, Refusal, Suggestions, Unfit, UnknownAtoms};
use loris_base::{Budget, Diagnostic, Diagnostics, Exhausted, Idx};
use loris_circuit::{Circuit, Cone, Lit, Observed, System, Trace, Valuation};
use loris_evidence::{Certificate, Claim, Evidence, Invariant, Loop, Path, PathId, Reason, Verdict};
use loris_logic::{Core, CoreNode, CtlCore, Formula, FormulaBuilder, Node};
use loris_symbolic::{
    Outcome, Portfolio, PortfolioOptions, Query, SymbolicEngine, Target, Undecided, Witness,
};
use rayon::prelude::*;
use rustc_hash::FxHashMap;
use std::sync::{Arc, OnceLock};
use std::time::Instant;

/// How a question about a circuit is answered.
#[derive(Clone, Debug)]
pub struct CircuitPlan {
    /// none: all that apply, in turns
    engine: Option<SymbolicEngine>,
    core: CtlCore,
    /// what each atom of the core stands for
    atoms: Vec<Lit>,
}

/// Decides how a question about a circuit is answered.
///
/// # Errors
/// Why it is not.
pub fn plan_circuit(
    circuit: &Circuit,
    question: &Question,
    options: &Options,
    suggestions: &Suggestions,
) -> Result<CircuitPlan, Refusal> {
    let Asked::Formula(formula, _) = &question.asked else {
        return Err(Refusal::Unfit(EngineName::Bdd, Unfit::Logic));
    };
    let engine = match options.engine {
        Choice::Auto => None,
        Choice::Named(engine) => Some(symbolic(engine).ok_or(Refusal::Unfit(engine, Unfit::Circuit))?),
    };
    let wrong = match question.unknown_atoms {
        UnknownAtoms::Error => unknown_atoms(circuit, formula, suggestions),
        UnknownAtoms::False => Diagnostics::default(),
    };
    if !wrong.is_empty() {
        return Err(Refusal::Wrong(wrong));
    }
    // over fair paths, `E G true` says that there is one, and is no constant
    let unfolded = (!circuit.fairness.is_empty()).then(|| without_constants(formula));
    let formula = unfolded.as_ref().unwrap_or(formula);
    let core = match question.logic() {
        Logic::Ctl => Core::new(formula).map_err(Refusal::Wrong)?,
        Logic::Star => {
            let core = Core::star(formula).map_err(Refusal::Wrong)?;
            core.into_ctl().map_err(|core| Refusal::Unfit(EngineName::Bdd, Unfit::path(&core)))?
        }
        Logic::Ltl | Logic::Automaton => return Err(Refusal::Unfit(EngineName::Bdd, Unfit::Logic)),
    };
    let atom = |name: &String| match &**name {
        ALWAYS => Lit::TRUE,
        name => circuit.atom(name).unwrap_or(Lit::FALSE),
    };
    let atoms: Vec<Lit> = core.atoms().iter().map(atom).collect();
    if let Some(engine) =
        engine.filter(|&engine| engine != SymbolicEngine::Bdd && !circuit.fairness.is_empty())
    {
        return Err(Refusal::Unfit(name(engine), Unfit::FairCircuit));
    }
    if let Some(engine @ (SymbolicEngine::Pdr | SymbolicEngine::Bmc)) = engine {
        let system = System::of_circuit(circuit, &atoms);
        if Target::of(&system, &Query { core: &core, atoms: &atoms }).is_none() {
            return Err(Refusal::Unfit(name(engine), Unfit::Reachability));
        }
    }
    Ok(CircuitPlan { engine, core, atoms })
}

/// An atom that holds in all states; no symbol of a circuit has a line break in it.
const ALWAYS: &str = "\ntrue";

/// The formula with an atom in place of constants, which the normal form would fold.
fn without_constants(formula: &Formula) -> Formula {
    let mut build = FormulaBuilder::default();
    let mut image = Vec::with_capacity(formula.len());
    for (id, node) in formula.nodes() {
        let span = formula.span(id);
        let copied = match node {
            Node::True => build.atom_at(ALWAYS, span),
            Node::False => {
                let always = build.atom_at(ALWAYS, span);
                build.add_at(Node::Not(always), span)
            }
            Node::Atom(atom) => build.atom_at(&formula.atoms()[atom], span),
            other => {
                let other = other.map(|child| image[child.index()]);
                build.add_at(other, span)
            }
        };
        image.push(copied);
    }
    let root = image[formula.root().index()];
    build.finish(root)
}

/// One problem for each atom that names nothing in the circuit.
fn unknown_atoms(circuit: &Circuit, formula: &Formula, suggestions: &Suggestions) -> Diagnostics {
    let mut wrong = Diagnostics::default();
    let mut seen = vec![false; formula.atoms().len()];
    for (id, node) in formula.nodes() {
        let Node::Atom(atom) = node else { continue };
        let name = &formula.atoms()[atom];
        if std::mem::replace(&mut seen[atom.index()], true) || circuit.atom(name).is_some() {
            continue;
        }
        let (start, end) = formula.span(id);
        let message = format!("no latch, output or input is named \"{name}\"");
        let problem = Diagnostic::error(u64::from(start), (end - start) as usize, message);
        wrong.push(suggestions.explain(problem, name, || circuit.names()));
    }
    wrong
}

/// An atom as formulas write it.
fn atom_text(name: &str) -> String {
    let mut build = FormulaBuilder::default();
    let atom = build.atom(name);
    build.finish(atom).to_string()
}

fn symbolic(engine: EngineName) -> Option<SymbolicEngine> {
    match engine {
        EngineName::Omg => Some(SymbolicEngine::Omg),
        EngineName::Pdr => Some(SymbolicEngine::Pdr),
        EngineName::Bmc => Some(SymbolicEngine::Bmc),
        EngineName::Bdd => Some(SymbolicEngine::Bdd),
        _ => None,
    }
}

fn name(engine: SymbolicEngine) -> EngineName {
    match engine {
        SymbolicEngine::Omg => EngineName::Omg,
        SymbolicEngine::Pdr => EngineName::Pdr,
        SymbolicEngine::Bmc => EngineName::Bmc,
        SymbolicEngine::Bdd => EngineName::Bdd,
    }
}

/// The properties that depend on one part of a circuit.
struct Group {
    whole: System,
    cone: Cone,
    /// the plans, with where their atoms start among the observed functions
    plans: Vec<(usize, usize)>,
}

/// Carries out all plans, which were made for this circuit and these options. `on_result` is called with each answer as
/// soon as it is there, from any thread and in any order.
///
/// # Errors
/// The operating system gave no threads.
pub fn check_circuit(
    circuit: &Circuit,
    plans: &[CircuitPlan],
    options: &Options,
    on_result: impl Fn(usize, &Answer) + Sync,
) -> Result<Vec<Result<Answer, Panicked>>, NoThreads> {
    let answers: Vec<OnceLock<Result<Answer, Panicked>>> = plans.iter().map(|_| OnceLock::new()).collect();
    let mut cut = Vec::new();
    let groups = groups(circuit, plans, options, &mut cut);
    for (at, why) in cut {
        let engine = plans[at].engine.map_or("auto", |engine| name(engine).name());
        let answer = Answer::of(engine, Verdict::Unknown(Reason::Limit(why)));
        on_result(at, &answer);
        assert!(answers[at].set(Ok(answer)).is_ok(), "a question is answered once");
    }
    let threads = options.jobs.clamp(1, groups.len().max(1));
    let share = options.shared_memory.map(|bytes| bytes / threads);
    let memory = options.memory.into_iter().chain(share).min();
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().map_err(NoThreads::new)?;
    let carry_out = |group: &Group| {
        let settings = PortfolioOptions { witness: options.evidence, omg: options.omg };
        let mut portfolio = Portfolio::new(&group.cone.system, settings);
        for &(at, from) in &group.plans {
            let plan = &plans[at];
            let answer = caught(|| {
                let start = Instant::now();
                let mut budget = Budget::new(options.timeout, memory).interruptible(&options.interrupt);
                let atoms = &group.cone.system.observed[from..from + plan.atoms.len()];
                let query = Query { core: &plan.core, atoms };
                let found = match plan.engine {
                    Some(engine) => {
                        portfolio.by(engine, &query, &mut budget).map(|outcome| (engine, outcome))
                    }
                    None => portfolio.decide(&query, &mut budget),
                };
                let mut answer = answer(found, plan, group, circuit, options);
                answer.seconds = start.elapsed().as_secs_f64();
                answer
            });
            if answer.is_err() {
                // what it was doing when it panicked may be half done
                portfolio = Portfolio::new(&group.cone.system, settings);
            }
            if let Ok(answer) = &answer {
                on_result(at, answer);
            }
            assert!(answers[at].set(answer).is_ok(), "a question is answered once");
        }
    };
    pool.install(|| groups.par_iter().for_each(carry_out));
    let answered = |slot: OnceLock<_>| slot.into_inner().expect("every plan is in one group");
    Ok(answers.into_iter().map(answered).collect())
}

/// Properties by the part of the circuit that they depend on; for those in `cut`, a limit was reached before that was known.
fn groups(
    circuit: &Circuit,
    plans: &[CircuitPlan],
    options: &Options,
    cut: &mut Vec<(usize, Exhausted)>,
) -> Vec<Group> {
    let budget = || Budget::new(options.timeout, options.memory).interruptible(&options.interrupt);
    let mut by_part: FxHashMap<Vec<bool>, usize> = FxHashMap::default();
    let mut members: Vec<Vec<usize>> = Vec::new();
    for (at, plan) in plans.iter().enumerate() {
        let cone = match System::of_circuit(circuit, &plan.atoms).reduced_within(&mut budget()) {
            Ok(cone) => cone,
            Err(why) => {
                cut.push((at, why));
                continue;
            }
        };
        let mut part: Vec<bool> = cone.states.iter().map(Option::is_some).collect();
        part.extend(cone.choices.iter().map(Option::is_some));
        let next = members.len();
        let group = *by_part.entry(part).or_insert(next);
        if group == next {
            members.push(Vec::new());
        }
        members[group].push(at);
    }
    let mut groups = Vec::with_capacity(members.len());
    for members in members {
        let mut observed = Vec::new();
        let mut of = Vec::with_capacity(members.len());
        for at in members {
            of.push((at, observed.len()));
            observed.extend(&plans[at].atoms);
        }
        let whole = System::of_circuit(circuit, &observed);
        match whole.reduced_within(&mut budget()) {
            Ok(cone) => groups.push(Group { whole, cone, plans: of }),
            Err(why) => cut.extend(of.into_iter().map(|(at, _)| (at, why))),
        }
    }
    groups
}

fn answer(
    found: Result<(SymbolicEngine, Outcome), Undecided>,
    plan: &CircuitPlan,
    group: &Group,
    circuit: &Circuit,
    options: &Options,
) -> Answer {
    let engine = plan.engine.map_or("auto", |engine| name(engine).name());
    match found {
        Ok((engine, outcome)) => {
            let verdict = if outcome.holds { Verdict::Holds } else { Verdict::Fails };
            let mut answer = Answer::new(name(engine), verdict);
            answer.counters.clone_from(&outcome.counters);
            if options.evidence {
                answer.certificate = certificate(&outcome, plan, group, circuit);
                if answer.certificate.is_none() {
                    answer.evidence_note = Some(NO_PATH.to_owned());
                }
            }
            answer
        }
        Err(Undecided::Exhausted(why)) => Answer::of(engine, Verdict::Unknown(Reason::Limit(why))),
        Err(Undecided::DeadEnd(trace)) => {
            let steps = trace.steps.len() - 1;
            let what = format!("no input satisfies the constraints after {steps} steps: runs end there");
            Answer::of(engine, Verdict::Unknown(Reason::Unsupported(what)))
        }
        Err(Undecided::Unfit(why)) => {
            Answer::of(engine, Verdict::Unknown(Reason::Inapplicable(why.to_owned())))
        }
    }
}

/// Evidence of an outcome, about the whole circuit.
fn certificate(
    outcome: &Outcome,
    plan: &CircuitPlan,
    group: &Group,
    circuit: &Circuit,
) -> Option<Certificate<Valuation>> {
    if let Some(witness) = &outcome.witness {
        let mut evidence = Evidence::default();
        let (root, nodes) = (plan.core.root(), plan.core.nodes());
        let is_negation = nodes[root.index()] == CoreNode::Not(witness.shows) && !witness.negated;
        let is_root = witness.shows == root && witness.negated != outcome.holds;
        if is_root || !outcome.holds && is_negation {
            show(witness, plan, group, circuit, &mut evidence);
        } else {
            // the run shows a part of the property, on which its first state relies
            let first = Trace { steps: witness.trace.steps[..1].to_vec(), back_to: None };
            let because = vec![(0, witness.clone())];
            let whole = Witness { shows: root, negated: !outcome.holds, trace: first, because };
            show(&whole, plan, group, circuit, &mut evidence);
        }
        return Some(Certificate::Paths(evidence));
    }
    // an invariant of states shows nothing about the steps from them
    let is_about_states = !plan.core.nodes().iter().any(|node| matches!(node, CoreNode::Ex(_)));
    let clauses = outcome.invariant.as_ref().filter(|_| is_about_states)?;
    let (origins, _) = group.whole.origins(circuit);
    let names: Vec<String> = group
        .cone
        .system
        .states
        .iter()
        .map(|state| {
            let of = group
                .cone
                .states
                .iter()
                .position(|lit| *lit == Some(state.now))
                .expect("a variable of the whole");
            match origins[of] {
                Observed::Latch(at) => circuit.latch_name(at),
                Observed::Input(at) => circuit.input_name(at),
            }
        })
        .collect();
    let literal = |&(at, value): &(u32, bool)| {
        let name = atom_text(&names[at as usize]);
        if value { name } else { format!("!{name}") }
    };
    let mut texts: Vec<String> = merged(circuit, group);
    texts.extend(clauses.iter().map(|clause| clause.iter().map(literal).collect::<Vec<_>>().join(" | ")));
    let shows = always(plan)?;
    Some(Certificate::Invariant(Invariant { shows, clauses: texts }))
}

/// The property as `A G p`, if it is one.
fn always(plan: &CircuitPlan) -> Option<String> {
    let nodes = plan.core.nodes();
    let CoreNode::Not(existential) = nodes[plan.core.root().index()] else { return None };
    let CoreNode::Eu(from, bad) = nodes[existential.index()] else { return None };
    if nodes[from.index()] != CoreNode::True {
        return None;
    }
    let bad = plan.core.print(bad);
    let formula = loris_logic::parse_printed(&format!("A G !({bad})")).ok()?;
    Some(formula.to_string())
}

/// What the reduction of the system found: latches that are constant, or equal to others.
fn merged(circuit: &Circuit, group: &Group) -> Vec<String> {
    let (origins, _) = group.whole.origins(circuit);
    let text = |at: usize| {
        atom_text(&match origins[at] {
            Observed::Latch(at) => circuit.latch_name(at),
            Observed::Input(at) => circuit.input_name(at),
        })
    };
    let mut first: FxHashMap<Lit, usize> = FxHashMap::default();
    let mut texts = Vec::new();
    for (at, stands) in group.cone.states.iter().enumerate() {
        let Some(stands) = *stands else { continue };
        match stands.as_constant() {
            Some(true) => texts.push(text(at)),
            Some(false) => texts.push(format!("!{}", text(at))),
            None => {
                let representative = *first.entry(stands).or_insert(at);
                if representative != at {
                    texts.push(format!("{} <-> {}", text(at), text(representative)));
                }
            }
        }
    }
    texts
}

/// Adds a run and those it relies on to evidence.
fn show(
    witness: &Witness,
    plan: &CircuitPlan,
    group: &Group,
    circuit: &Circuit,
    evidence: &mut Evidence<Valuation>,
) -> PathId {
    let mut shows = plan.core.print(witness.shows);
    if witness.negated {
        shows = format!("!({shows})");
    }
    let mut states = valuations(&witness.trace, group, circuit);
    let repeats = witness.trace.back_to.map(|from| {
        let again = states[from].clone();
        states.push(again);
        Loop { from, to: states.len() - 1 }
    });
    let path = evidence.paths.push(Path { shows, states, repeats, because: Vec::new() });
    for (state, because) in &witness.because {
        let shown = show(because, plan, group, circuit, evidence);
        evidence.paths[path].because.push(Claim { state: *state, evidence: shown });
    }
    path
}

/// The states of a run of the reduced system in the whole circuit.
fn valuations(trace: &Trace, group: &Group, circuit: &Circuit) -> Vec<Valuation> {
    let whole = group.cone.extend(&group.whole, trace);
    let (origins, _) = group.whole.origins(circuit);
    let observed = circuit.observed(&group.whole.observed);
    let valuation = |step: &loris_circuit::Step| {
        let (latches, inputs) = (vec![false; circuit.latches.len()], step.choice.clone());
        let mut at = Valuation { latches, inputs, observed: Arc::clone(&observed) };
        for (origin, &value) in origins.iter().zip(&step.state) {
            match *origin {
                Observed::Latch(latch) => at.latches[latch] = value,
                // the input is a part of the state: its value is chosen by the step before
                Observed::Input(input) => at.inputs[input] = value,
            }
        }
        at
    };
    whole.steps.iter().map(valuation).collect()
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::{check_circuit, plan_circuit};
    use crate::{Logic, Options, Question, Suggestions};
    use loris_base::Budget;
    use loris_circuit::read_aiger;
    use loris_evidence::Verdict;
    use loris_logic::parse;

    fn check(circuit: &str, text: &str, expected: &Verdict) {
        let (circuit, _) = read_aiger(circuit.as_bytes(), &mut Budget::unlimited()).unwrap();
        let (options, suggestions) = (Options::default(), Suggestions::default());
        let question = Question::new(Logic::Ctl, text, parse(text).unwrap());
        let plan = plan_circuit(&circuit, &question, &options, &suggestions).unwrap();
        let answers = check_circuit(&circuit, &[plan], &options, |_, _| ()).unwrap();
        assert_eq!(&answers[0].as_ref().unwrap().verdict, expected, "{text}");
    }

    #[test]
    fn without_a_fair_run_nothing_is_said_of_fair_runs() {
        // a latch that stays 0, and a fairness constraint that it is 1 infinitely often
        let never_fair = "aag 1 0 1 0 0 0 0 0 1\n2 2\n2\nl0 x\n";
        check(never_fair, "A G false", &Verdict::Holds);
        check(never_fair, "E G true", &Verdict::Fails);
        check(never_fair, "E X true", &Verdict::Fails);
        check(never_fair, "E F !x", &Verdict::Fails);
        check(never_fair, "!x", &Verdict::Holds);
        // one that toggles
        let fair = "aag 1 0 1 0 0 0 0 0 1\n2 3\n2\nl0 x\n";
        check(fair, "A G false", &Verdict::Fails);
        check(fair, "E G true", &Verdict::Holds);
        check(fair, "A G A F x", &Verdict::Holds);
    }

    #[test]
    fn fairness_restricts_runs() {
        // a latch that takes the value of its input
        let free = "aag 2 1 1 0 0\n2\n4 2\nl0 x\n";
        check(free, "A F x", &Verdict::Fails);
        let fair = "aag 2 1 1 0 0 0 0 0 1\n2\n4 2\n4\nl0 x\n";
        check(fair, "A F x", &Verdict::Holds);
        check(fair, "E G !x", &Verdict::Fails);
    }
}
