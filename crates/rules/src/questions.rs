//! Properties of whole programs, such as `A G ("call *.delete" -> …)`: decided on the machine that
//! is extracted from the program, with the labels that the properties name.
//!
//! A property that fails is reported once, at the last step of its counterexample.

use crate::ask::{Prepared, Reply, ask, question};
use crate::context::{ProgramContext, finding_at};
use crate::path::{Step, states, trace};
use loris_base::{Budget, Exhausted, nearest};
use loris_check::Question;
use loris_evidence::{Evidence, State};
use loris_findings::{Declaration, Finding, Location, RuleInfo, Undecided};
use loris_java::Program;
use loris_java::calls::{CallGraph, CallOptions, Entries};
use loris_java::extract::{Choice, ExtractOptions, Pattern, extract, labels};
use loris_java::throws::{ThrowOptions, Throws};
use loris_logic::{Node, parse};
use loris_rsm::Rsm;
use std::collections::BTreeMap;

/// A property of the whole program.
#[derive(Clone, Debug)]
pub struct ProgramQuestion {
    asked: Question,
    /// its atoms, and where each is written first
    atoms: Vec<(String, (u32, u32))>,
    /// whether it has the operator `X`
    counts_steps: bool,
}

impl ProgramQuestion {
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
        if !["ctl", "ltl", "ctl*"].contains(&logic) {
            return Err(format!("properties of programs are in ctl, ltl or ctl*, not in {logic}"));
        }
        let mut atoms: Vec<(String, (u32, u32))> = Vec::new();
        for (id, node) in formula.nodes() {
            if let Node::Atom(atom) = node {
                let (name, span) = (&formula.atoms()[atom], formula.span(id));
                match atoms.iter_mut().find(|(known, _)| known == name) {
                    Some((_, first)) => *first = (*first).min(span),
                    None => atoms.push((name.to_owned(), span)),
                }
            }
        }
        atoms.sort_unstable();
        let counts_steps = formula.nodes().any(|(_, node)| matches!(node, Node::X(_)));
        let asked = question(logic, text, formula).map_err(|problems| words(&problems))?;
        Ok(Self { asked, atoms, counts_steps })
    }

    fn labels(&self) -> Vec<&str> {
        self.atoms.iter().map(|(name, _)| &**name).collect()
    }
}

/// A label in a property that no node of the program has.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnknownLabel {
    /// The identifier of the rule.
    pub rule: String,
    /// The label.
    pub label: String,
    /// Where it starts and ends in the text of the property.
    pub span: (u32, u32),
    /// The label of the program that is most like it.
    pub nearest: Option<String>,
}

/// What came of properties of the whole program.
#[derive(Debug, Default)]
pub struct Answered {
    /// Those that fail.
    pub findings: Vec<Finding>,
    /// Those that were not decided.
    pub undecided: Vec<Undecided>,
    /// Labels that no node has.
    pub unknown: Vec<UnknownLabel>,
}

/// Decides properties of the whole program. A property that names a label no node has is not
/// decided: most likely the name is wrong.
///
/// Properties without `X` share a machine with the labels of all of them. Each of the others is
/// decided on a machine with its own labels, so that what counts as a step does not depend on
/// others.
pub fn run(
    context: &ProgramContext<'_>,
    questions: &[(&RuleInfo, &ProgramQuestion)],
    budget: &mut Budget,
) -> Answered {
    let mut answered = Answered::default();
    if questions.is_empty() {
        return answered;
    }
    context.expect("properties", questions.len());
    let mut machines: BTreeMap<Option<Vec<&str>>, Vec<(&RuleInfo, &ProgramQuestion)>> = BTreeMap::new();
    for &(rule, question) in questions {
        let own = question.counts_steps.then(|| question.labels());
        machines.entry(own).or_default().push((rule, question));
    }
    let read = Read::new(context, budget);
    for (_, questions) in machines {
        let held = budget.used();
        let rsm = read.as_ref().map_err(|&why| why).and_then(|read| read.machine(&questions, budget));
        match rsm {
            Ok(rsm) => {
                let prepared = Prepared::new(&rsm);
                for (rule, question) in questions {
                    let mut part = budget.part();
                    let unknown = unknown(rule, question, &rsm, read.as_ref().ok(), &mut part);
                    let reply = match unknown {
                        Ok(unknown) if unknown.is_empty() => ask(&prepared, &question.asked, &mut part),
                        Ok(unknown) => {
                            let names: Vec<String> =
                                unknown.iter().map(|unknown| format!("\"{}\"", unknown.label)).collect();
                            let reason = format!(
                                "no node has the label {}; `loris labels` lists them",
                                names.join(", ")
                            );
                            answered.unknown.extend(unknown);
                            Ok(Reply::None(reason))
                        }
                        Err(why) => Err(why),
                    };
                    // the next one finds out whether time is over
                    let _ = budget.join(&part);
                    match reply {
                        Ok(Reply::Holds) => {}
                        Ok(Reply::Fails(shown)) => {
                            answered.findings.push(finding(rule, &rsm, shown.as_ref()));
                        }
                        Ok(Reply::None(why)) => answered.undecided.push(Undecided::whole(&*rule.id, why)),
                        Err(why) => answered.undecided.push(Undecided::whole(&*rule.id, why.to_string())),
                    }
                    context.advance(1);
                }
            }
            Err(why) => {
                let rules = questions.iter().map(|(rule, _)| Undecided::whole(&*rule.id, why.to_string()));
                answered.undecided.extend(rules);
            }
        }
        budget.release(budget.used().saturating_sub(held));
    }
    answered
}

/// A program as machines are made of it.
struct Read<'p> {
    program: &'p Program,
    graph: CallGraph,
    throws: Throws,
}

impl<'p> Read<'p> {
    fn new(context: &ProgramContext<'p>, budget: &mut Budget) -> Result<Self, Exhausted> {
        let program = context.program;
        let entries = match context.entries() {
            Some(entries) => Entries::Methods(entries),
            None if context.options.all => Entries::All,
            None => Entries::Usual,
        };
        let graph = CallGraph::new(program, &CallOptions { entries, ..CallOptions::default() }, budget)?;
        let runtime = context.options.runtime_exceptions;
        let throws = Throws::new(program, &graph, &ThrowOptions { runtime }, budget)?;
        Ok(Self { program, graph, throws })
    }

    /// The machine with the labels of some properties.
    fn machine(
        &self,
        questions: &[(&RuleInfo, &ProgramQuestion)],
        budget: &mut Budget,
    ) -> Result<Rsm, Exhausted> {
        let mut names: Vec<&str> = questions.iter().flat_map(|(_, question)| question.labels()).collect();
        names.sort_unstable();
        names.dedup();
        let labels = Choice::Matching(names.into_iter().map(Pattern::new).collect());
        let options = ExtractOptions { labels, ..ExtractOptions::default() };
        extract(self.program, &self.graph, &self.throws, &options, budget)
    }
}

/// The labels of a property that no node has, each with the one most like it.
fn unknown(
    rule: &RuleInfo,
    question: &ProgramQuestion,
    rsm: &Rsm,
    read: Option<&Read<'_>>,
    budget: &mut Budget,
) -> Result<Vec<UnknownLabel>, Exhausted> {
    let missing: Vec<_> = question.atoms.iter().filter(|(name, _)| rsm.label(name).is_none()).collect();
    let (Some(read), false) = (read, missing.is_empty()) else { return Ok(Vec::new()) };
    let all = labels(read.program, &read.graph, &read.throws, &Choice::All, budget)?;
    let of = missing.into_iter().map(|(label, span)| UnknownLabel {
        rule: rule.id.clone(),
        label: label.clone(),
        span: *span,
        nearest: nearest(label, all.iter().map(|(name, _)| &**name)).map(str::to_owned),
    });
    Ok(of.collect())
}

fn finding(rule: &RuleInfo, rsm: &Rsm, evidence: Option<&Evidence>) -> Finding {
    let states = evidence.map(states).unwrap_or_default();
    let steps: Vec<Step> = states.iter().filter_map(|state| step(rsm, state)).collect();
    let last = steps.iter().rev().find(|step| step.line.is_some()).or(steps.last());
    let first = rsm.component_name(rsm.initial_component());
    let (class, method, descriptor) =
        last.map_or_else(|| names(first), |step| (step.class.clone(), step.method.clone(), String::new()));
    let place = last.map(|step| Location { file: step.file.clone(), line: step.line, ..Location::default() });
    let declaration = Declaration::of_method(class, method, descriptor);
    let traces = trace(&rule.help, &steps).into_iter().collect();
    Finding { traces, ..finding_at(rule, declaration, place.unwrap_or_default(), &*rule.help) }
}

fn step(rsm: &Rsm, state: &State) -> Option<Step> {
    let vertex = state.node?;
    let (class, method, _) = names(rsm.component_name(rsm.component_of(vertex)));
    let place = rsm.place(vertex);
    let labels: Vec<&str> = rsm.labels_of(vertex).map(|label| rsm.label_name(label)).collect();
    Some(Step {
        class,
        method,
        file: place.map(|place| place.file.into()),
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
