//! Properties of whole programs, such as `A G ("call *.delete" -> …)`: decided on the machine that
//! is extracted from the program, with the labels that the properties name.
//!
//! A property that fails is reported once, at the last step of its counterexample.

use crate::path::states;
use crate::{Context, Finding, Rule, Step, Undecided};
use loris_base::{Budget, Exhausted};
use loris_evidence::{Evidence, State};
use loris_java::calls::{CallGraph, CallOptions, Entries};
use loris_java::extract::{Choice, ExtractOptions, Pattern, extract};
use loris_java::throws::{ThrowOptions, Throws};
use loris_logic::{Core, parse};
use loris_recursive::{Explanation, Prepared, Property, Settings};
use loris_rsm::Rsm;

/// A property of the whole program.
#[derive(Clone, Debug)]
pub struct Question {
    core: Core,
}

impl Question {
    /// Reads a property of a logic: `ctl`, `ltl` or `ctl*`.
    ///
    /// # Errors
    /// What is wrong with it, in words.
    pub fn new(logic: &str, text: &str) -> Result<Self, String> {
        let words = |problems: &loris_base::Diagnostics| {
            let sorted = problems.sorted();
            sorted.first().map(|problem| problem.message.clone()).unwrap_or_default()
        };
        let formula = parse(text).map_err(|problems| words(&problems))?;
        let core = match logic {
            "ctl" => Core::new(&formula).map(Core::from),
            "ltl" => Core::linear(&formula),
            "ctl*" => Core::star(&formula),
            other => return Err(format!("properties of programs are in ctl, ltl or ctl*, not in {other}")),
        };
        Ok(Self { core: core.map_err(|problems| words(&problems))? })
    }
}

/// Decides properties of the whole program. A property that names a label no node has is not
/// decided: most likely the name is wrong.
///
/// # Errors
/// The budget ended.
pub fn run(
    context: &Context<'_>,
    questions: &[(&Rule, &Question)],
    budget: &mut Budget,
) -> Result<(Vec<Finding>, Vec<Undecided>), Exhausted> {
    let (mut findings, mut undecided) = (Vec::new(), Vec::new());
    if questions.is_empty() {
        return Ok((findings, undecided));
    }
    context.expect("properties", questions.len());
    let program = context.program;
    let entries = match context.entries() {
        Some(entries) => Entries::Methods(entries),
        None if context.options.all => Entries::All,
        None => Entries::Usual,
    };
    let graph = CallGraph::new(program, &CallOptions { entries, ..CallOptions::default() }, budget)?;
    let runtime = context.options.runtime_exceptions;
    let throws = Throws::new(program, &graph, &ThrowOptions { runtime }, budget)?;
    let atoms = questions.iter().flat_map(|(_, question)| question.core.atoms());
    let labels = Choice::Matching(atoms.map(|atom| Pattern::new(atom)).collect());
    let options = ExtractOptions { labels, ..ExtractOptions::default() };
    let rsm = extract(program, &graph, &throws, &options, budget)?;
    let prepared = Prepared::new(&rsm);
    let settings = Settings::default();
    for (decided, (rule, question)) in questions.iter().enumerate() {
        context.advance(usize::from(decided > 0));
        if let Some(unknown) = question.core.atoms().iter().find(|atom| rsm.label(atom).is_none()) {
            let reason = format!("no node has the label \"{unknown}\"; `loris labels` lists them");
            undecided.push(Undecided { rule: rule.id.clone(), reason });
            continue;
        }
        let atoms = question.core.atoms().iter().map(|atom| rsm.label(atom)).collect();
        let property = Property { formula: &question.core, atoms };
        let (_, outcome) = prepared.decide(&property, &settings, budget)?;
        if !outcome.holds {
            let shown = match prepared.explain(&property, false, &settings, budget)? {
                Explanation::Evidence(evidence) => Some(evidence),
                _ => None,
            };
            findings.push(finding(rule, &rsm, shown.as_ref()));
        }
    }
    Ok((findings, undecided))
}

fn finding(rule: &Rule, rsm: &Rsm, evidence: Option<&Evidence>) -> Finding {
    let states = evidence.map(states).unwrap_or_default();
    let steps: Vec<Step> = states.iter().filter_map(|state| step(rsm, state)).collect();
    let last = steps.iter().rev().find(|step| step.line.is_some()).or(steps.last());
    let first = rsm.component_name(rsm.initial_component());
    let (class, method, descriptor) =
        last.map_or_else(|| names(first), |step| (step.class.clone(), step.method.clone(), String::new()));
    Finding {
        rule: rule.id.clone(),
        level: rule.level,
        message: rule.message.clone(),
        class,
        method,
        descriptor,
        file: last.and_then(|step| step.file.clone()),
        line: last.and_then(|step| step.line),
        field: None,
        ordinal: 0,
        steps,
        assumptions: Vec::new(),
        suppressed: None,
    }
}

fn step(rsm: &Rsm, state: &State) -> Option<Step> {
    let vertex = state.node?;
    let (class, method, _) = names(rsm.component_name(rsm.component_of(vertex)));
    let place = rsm.place(vertex);
    let labels: Vec<&str> = rsm.labels_of(vertex).map(|label| rsm.label_name(label)).collect();
    Some(Step {
        class,
        method,
        file: place.map(|place| place.file.to_owned()),
        line: place.map(|place| place.line),
        depth: state.stack.len() as u32,
        text: labels.join(", "),
        important: !labels.is_empty(),
    })
}

/// Class, method and parameters of a component's name.
fn names(component: &str) -> (String, String, String) {
    let (name, parameters) = match component.find('(') {
        Some(at) => component.split_at(at),
        None => (component, ""),
    };
    let (class, method) = name.rsplit_once('.').unwrap_or(("", name));
    (class.to_owned(), method.to_owned(), parameters.to_owned())
}
