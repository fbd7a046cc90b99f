//! A file of evidence, found in the model that it is about, and verified piece by piece.
//!
//! Which kind of subject the evidence has is decided here, once: a machine, a model whose states
//! are valuations, or processes.

use super::by_values::ValueSubject;
use super::circuit::CircuitSubject;
use super::confirmed::{Confirmed, Unverified};
use super::smv::SmvSubject;
use super::strategy::ProcessSubject;
use super::subject::{Automaton, Subject, automata, evidence, semantics};
use super::verify::Replay;
use loris_base::{Budget, Diagnostic};
use loris_check::AnyCertificate;
use loris_evidence::{About, AtExit, Certificate, Results, Stated, Unreadable};
use loris_load::{Format, FormatKind, Input, Origin, Programs, Reading, Text, Words, parallel, programs};
use loris_rsm::Semantics;
use std::path::{Path, PathBuf};

/// What is to be replayed, and on which model.
#[derive(Clone, Copy)]
pub struct ReplayRequest<'a> {
    /// The files of the model.
    pub models: &'a [PathBuf],
    /// Its format, if it was given.
    pub format: Option<Format>,
    /// The automata that evidence is about.
    pub automata: &'a [PathBuf],
    /// How exits behave when the stack is empty; if absent, as the evidence states.
    pub at_exit: Option<AtExit>,
    /// How the model is read, with these readings where nothing else was asked for.
    pub origin: &'a dyn Fn(Semantics) -> Origin,
}

/// The evidence of a file, and the model it was found in.
pub struct EvidenceFile<'t> {
    results: Option<Results<'t>>,
    found: Option<(Found, Vec<AnyCertificate>)>,
    automata: Vec<Automaton>,
    at_exit: Option<AtExit>,
    words: Words,
}

/// The model that evidence is about.
enum Found {
    /// machines, and for each statement which of them it is about
    Machines(Vec<Subject>, Vec<usize>),
    Values(Box<dyn ValueSubject>),
    Processes(ProcessSubject),
}

impl<'t> EvidenceFile<'t> {
    /// Reads evidence and the model it is about. Problems of both are added to the reading.
    pub fn read(text: Option<&'t Text>, request: &ReplayRequest<'_>, reading: &mut Reading) -> Self {
        let mut results = text.and_then(|text| statements(text, reading));
        let mut automata = automata(request.automata, reading);
        // what is wrong with the model is reported together with what is wrong with the evidence
        let nothing = Results::nothing();
        let stated = results.as_ref().unwrap_or(&nothing);
        let name = text.map_or("", |text| text.input.name());
        let origin = (request.origin)(semantics(stated, name, reading));
        let found =
            text.and_then(|text| found(text, &mut results, (request, &origin), &mut automata, reading));
        Self { results, found, automata, at_exit: request.at_exit, words: reading.words }
    }

    /// The statements that evidence is for, as far as they could be read.
    pub fn stated(&self) -> &[Stated] {
        self.results.as_ref().map_or(&[], |results| &results.stated)
    }

    /// How many results have no evidence.
    pub fn without(&self) -> usize {
        self.results.as_ref().map_or(0, |results| results.without)
    }

    /// The evidence, if all of it was found in the model.
    pub fn evidence(&self) -> Option<&[AnyCertificate]> {
        self.found.as_ref().map(|(_, evidence)| &**evidence)
    }

    /// Replays the evidence in a place, and decides whether it is evidence for the verdict it came
    /// with.
    ///
    /// # Errors
    /// Why it is not, or which limit was reached before that was known.
    pub fn verify(&self, place: usize, budget: &mut Budget) -> Result<Confirmed, Unverified> {
        let nothing = || Unverified::Refused("there is no such evidence".to_owned());
        let (subject, evidence) = self.found.as_ref().ok_or_else(nothing)?;
        let (stated, evidence) = self.stated().get(place).zip(evidence.get(place)).ok_or_else(nothing)?;
        match (subject, evidence) {
            (Found::Machines(subjects, of), AnyCertificate::Machine(evidence)) => {
                let (subject, automata) = (&subjects[of[place]], &self.automata[..]);
                Replay { subject, at_exit: self.at_exit, automata, words: self.words }
                    .verify(stated, evidence, budget)
            }
            (Found::Values(subject), AnyCertificate::Values(evidence)) => {
                subject.verify(stated, evidence, budget)
            }
            (Found::Processes(subject), AnyCertificate::Processes(evidence)) => {
                subject.verify(stated, evidence, budget)
            }
            _ => Err(Unverified::Refused("the evidence is about another kind of model".to_owned())),
        }
    }
}

/// Reads the model, and finds the states of evidence in it.
fn found(
    text: &Text,
    results: &mut Option<Results<'_>>,
    (request, origin): (&ReplayRequest<'_>, &Origin),
    automata: &mut [Automaton],
    reading: &mut Reading,
) -> Option<(Found, Vec<AnyCertificate>)> {
    let nothing = Results::nothing();
    let stated = results.as_ref().unwrap_or(&nothing);
    let models = request.models;
    let model = models.first()?;
    let format = reading.format(model, request.format)?;
    if format.kind().is_program() {
        // it is read only in the way that the evidence states
        let as_stated = (results.as_ref()?, text.content.as_str());
        let programs = programs(as_stated, text.input.name(), &models[1..], origin, reading)?;
        let has_peer = origin.with.is_some();
        return of_machines((text, results), (model, format), (programs, has_peer), automata, reading);
    }
    // strategies are about models as processes
    let is_of_processes =
        format.kind().is_parallel() || format.kind().has_variables() && stated.is_by_strategy();
    if models.len() > 1 || is_of_processes {
        let subject = if models.len() == 1 && format.kind().is_circuit() {
            ProcessSubject::of_circuit(model, stated, origin, reading)
        } else {
            parallel(models, request.format, origin, reading).map(ProcessSubject::new)
        }?;
        let results = results.as_ref()?;
        let evidence =
            results.evidence_by_values(|stated, values| subject.state(stated, values), &mut reading.budget);
        let evidence = placed(evidence, text, reading)?;
        return Some((Found::Processes(subject), about(evidence, AnyCertificate::Processes)));
    }
    let by_values: Option<Box<dyn ValueSubject>> = match format.kind() {
        FormatKind::Circuit => Some(Box::new(CircuitSubject::read(model, origin, reading)?)),
        FormatKind::Modules if stated.is_by_values() => {
            Some(Box::new(SmvSubject::read(model, origin, stated, reading)?))
        }
        _ => None,
    };
    if let Some(subject) = by_values {
        let evidence = subject.evidence(results.as_ref()?, &mut reading.budget);
        let evidence = placed(evidence, text, reading)?;
        return Some((Found::Values(subject), about(evidence, AnyCertificate::Values)));
    }
    let programs = Programs { origins: vec![origin.clone()], of: vec![0; stated.stated.len()] };
    of_machines((text, results), (model, format), (programs, origin.with.is_some()), automata, reading)
}

/// Reads machines, each in the way that statements about it say, and finds the states of evidence.
fn of_machines(
    (text, results): (&Text, &mut Option<Results<'_>>),
    model: (&Path, Format),
    (Programs { origins, of }, has_peer): (Programs, bool),
    automata: &mut [Automaton],
    reading: &mut Reading,
) -> Option<(Found, Vec<AnyCertificate>)> {
    let nothing = Results::nothing();
    let stated = results.as_ref().unwrap_or(&nothing);
    let read = |origin| Subject::read(model, origin, stated, automata, reading);
    let subjects = origins.iter().map(read).collect::<Option<Vec<Subject>>>()?;
    let results = results.as_mut()?;
    let evidence = if results.stated.is_empty() {
        Vec::new()
    } else {
        peers_agree(results, has_peer, text, reading)?;
        placed(evidence(results, &subjects, &of, &mut reading.budget), text, reading)?
    };
    Some((Found::Machines(subjects, of), about(evidence, AnyCertificate::Machine)))
}

/// Checks that evidence was made with a peer if one was given, and without one otherwise: the nodes
/// of a composition are not those of the model, whatever they are called.
fn peers_agree(results: &Results<'_>, given: bool, text: &Text, reading: &mut Reading) -> Option<()> {
    let is_stated = |stated: &&Stated| stated.about != About::Nothing || stated.with.is_some();
    let differs = results.stated.iter().filter(is_stated).find(|one| one.with.is_some() != given);
    let Some(stated) = differs else { return Some(()) };
    let with = reading.words.peer;
    let problem = match &stated.with {
        Some(peer) => Diagnostic::global(format!("this evidence was made with {with} {peer}"))
            .help(format!("replay it with {with} {peer}, or where that file is now")),
        None => Diagnostic::global("this evidence was made without a peer")
            .help(format!("replay it without {with}")),
    };
    reading.add(text.input.clone(), problem.into());
    None
}

/// The statements of an evidence file; problems of its text are added to the reading.
fn statements<'t>(text: &'t Text, reading: &mut Reading) -> Option<Results<'t>> {
    if !text.problems.is_empty() {
        reading.add(text.input.clone(), text.problems.clone());
        return None;
    }
    let read = Results::read(&text.content, &mut reading.budget);
    placed(read, text, reading)
}

/// What was read; or else its problems are added to the reading.
fn placed<T>(read: Result<T, Unreadable>, text: &Text, reading: &mut Reading) -> Option<T> {
    let input: &Input = &text.input;
    match read {
        Ok(read) => return Some(read),
        Err(Unreadable::Wrong(found)) => reading.add(input.clone(), found),
        Err(Unreadable::Exhausted(why)) => reading.stop(input, why),
    }
    None
}

fn about<S>(
    evidence: Vec<Certificate<S>>,
    kind: impl Fn(Certificate<S>) -> AnyCertificate,
) -> Vec<AnyCertificate> {
    evidence.into_iter().map(kind).collect()
}
