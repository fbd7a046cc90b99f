//! The properties of a call: formulas of the command line and of files, automata, or those the model
//! carries; each resolved in the model, or what is wrong with it.

use crate::flags::{LOGICS, Wanted, by_word};
use crate::ground::{Planning, Way};
use crate::input::{self, Input, Problems, Text};
use crate::model::{Format, Model};
use crate::words;
use loris_base::{Diagnostic, Diagnostics, Stopped};
use loris_check::{Logic, Options, Question, Refusal, Source, Suggestions, UnknownAtoms, core};
use loris_logic::automaton::{Hoa, parse_hoa_within};
use loris_logic::{Fairness, Formula, parse, parse_properties_within};
use loris_rsm::Property;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Where properties come from, and how they are read.
#[derive(Clone)]
pub(crate) struct Asked<'a> {
    pub(crate) formulas: &'a [String],
    pub(crate) files: &'a [PathBuf],
    pub(crate) automata: &'a [PathBuf],
    /// as it was given; without it, CTL or what the model says of a property it carries
    pub(crate) logic: Option<Logic>,
    /// as it was given
    pub(crate) unknown_atoms: Option<UnknownAtoms>,
    pub(crate) options: &'a Options,
    /// what is left of them for all properties together
    pub(crate) suggestions: Suggestions,
}

/// What questions are asked of, if it could be read.
pub(crate) type Machine<'a> = Option<(&'a Model, Planning<'a>)>;

impl Asked<'_> {
    /// All questions, in the order formulas, files, automata. What is wrong is added to the problems; so
    /// is that there is nothing to ask.
    pub(crate) fn questions(&self, machine: Machine<'_>, problems: &mut Problems) -> Vec<(Question, Way)> {
        let mut questions = Vec::new();
        let mut written = 0;
        let logic = self.logic.unwrap_or(Logic::Ctl);
        let unknown = self.unknown_atoms.unwrap_or_default();
        for text in self.formulas {
            written += 1;
            let question = parse(text)
                .and_then(|formula| resolve(machine, logic, text.trim(), formula, unknown))
                .map_err(|found| located(&found, text.len()));
            match question {
                Ok(question) => questions.extend(question),
                Err(found) => problems.add(Input::text("-p", text), found),
            }
        }
        for path in self.files {
            written += self.file(path, logic, machine, &mut questions, problems);
        }
        for path in self.automata {
            written += 1;
            questions.extend(self.automaton(path, machine, problems));
        }
        let is_silent = written == 0 && self.files.is_empty();
        if let (true, Some((model, _))) = (is_silent, machine) {
            let file: Arc<str> = model.input.name().into();
            // they come in the order of the file
            let offsets: Vec<u64> = model.properties.iter().map(|property| property.offset).collect();
            let lines = model.input.lines(&offsets).unwrap_or_default();
            for (i, property) in model.properties.iter().enumerate() {
                written += 1;
                if let Some((mut question, way)) = self.carried(property, model, machine, problems) {
                    let source = |&line| Source { file: Arc::clone(&file), line: line as u32 };
                    question.source = lines.get(i).map(source);
                    questions.push((question, way));
                }
            }
        }
        // a model that was not read may carry some
        let is_read = machine.is_some_and(|(model, _)| model.is_read);
        if written == 0 && (is_read || !is_silent) {
            nothing_to_check(problems);
        }
        questions
    }

    /// Adds the questions of a file; how many properties it has, good and bad.
    fn file(
        &self,
        path: &Path,
        logic: Logic,
        machine: Machine<'_>,
        questions: &mut Vec<(Question, Way)>,
        problems: &mut Problems,
    ) -> usize {
        let Some(Text { input, content: text, problems: mut found }) = input::text(path, problems) else {
            return 1;
        };
        let unknown = self.unknown_atoms.unwrap_or_default();
        let file: Arc<str> = path.display().to_string().into();
        let (lines, others) = match parse_properties_within(&text, &mut problems.budget) {
            Ok(read) => read,
            Err(why) => {
                problems.stop(&input, why);
                return 1;
            }
        };
        others.sorted().into_iter().for_each(|problem| found.push(problem.clone()));
        let written = lines.len() + found.len();
        for line in lines {
            let property = property_text(&text[line.offset as usize..], &line.formula);
            let length = property.len();
            match resolve(machine, logic, &property, line.formula, unknown) {
                Ok(None) => {}
                Ok(Some((mut question, way))) => {
                    question.source = Some(Source { file: Arc::clone(&file), line: line.line });
                    questions.push((question, way));
                }
                Err(others) => {
                    for problem in located(&others, length).sorted() {
                        let offset = problem.offset.map(|offset| offset + line.offset);
                        found.push(Diagnostic { offset, ..problem.clone() });
                    }
                }
            }
        }
        problems.add(input, found);
        written
    }

    /// The question whether an automaton accepts some run.
    fn automaton(
        &self,
        path: &Path,
        machine: Machine<'_>,
        problems: &mut Problems,
    ) -> Option<(Question, Way)> {
        let (hoa, text) = automaton(path, problems)?;
        let (model, planning) = machine?;
        let (name, propositions) = (automaton_name(path, &hoa), hoa.propositions.clone());
        let mut question = Question::automaton(name, hoa, Fairness::default())
            .with_unknown_atoms(self.unknown_atoms.unwrap_or_default());
        question.source = Some(Source { file: path.display().to_string().into(), line: 1 });
        let refused = match planning.way(&question) {
            Ok(way) => return Some((question, way)),
            Err(refused) => refused,
        };
        let found = if let Refusal::Wrong(found) = refused {
            // one problem for each proposition that is no label, in their order
            let missing = propositions.iter().filter(|name| model.rsm.label(name).is_none());
            let mut located = Diagnostics::default();
            for (problem, name) in found.sorted().into_iter().zip(missing) {
                let quoted = format!("\"{name}\"");
                let offset = text.content.find(&quoted).map(|offset| offset as u64);
                located.push(Diagnostic { offset, length: quoted.len() as u32, ..problem.clone() });
            }
            located
        } else {
            words::problems(refused)
        };
        problems.add(text.input, found);
        None
    }

    /// The question of a property that the model carries.
    fn carried(
        &self,
        property: &Property,
        model: &Model,
        machine: Machine<'_>,
        problems: &mut Problems,
    ) -> Option<(Question, Way)> {
        let Property { logic, text, offset } = property;
        let own = match by_word(&LOGICS, logic) {
            Some(Wanted::Now(logic)) => Some(logic),
            Some(Wanted::Later) | None => None,
        };
        // what a PDMU property means as CTL names labels that the program may not have
        let by_format = if model.format == Format::Pdmu { UnknownAtoms::False } else { UnknownAtoms::Error };
        let unknown = self.unknown_atoms.unwrap_or(by_format);
        let Some(logic) = self.logic.or(own) else {
            let message = format!("this property is in the logic {logic}, which is not available yet");
            let problem = Diagnostic::error(*offset, 1, message);
            let help = "ask something else with -p FORMULA or -f FILE";
            problems.add(model.input.clone(), problem.help(help).into());
            return None;
        };
        let question = parse(text).and_then(|formula| resolve(machine, logic, text, formula, unknown));
        question.unwrap_or_else(|found| {
            let mut placed = Diagnostics::default();
            for problem in found.sorted() {
                // a PDMU property is another formula than the one that is asked
                let (at, length) = match (model.format, problem.offset) {
                    (Format::Pds, Some(at)) => (offset + at, problem.length),
                    _ => (*offset, 1),
                };
                placed.push(Diagnostic { offset: Some(at), length, ..problem.clone() });
            }
            problems.add(model.input.clone(), placed);
            None
        })
    }
}

/// A question if there is a model to ask; without one, at least what is wrong with the formula.
fn resolve(
    machine: Machine<'_>,
    logic: Logic,
    text: &str,
    formula: Formula,
    unknown: UnknownAtoms,
) -> Result<Option<(Question, Way)>, Diagnostics> {
    let Some((_, planning)) = machine else { return core(logic, &formula).map(|_| None) };
    let question = Question::new(logic, text, formula).with_unknown_atoms(unknown);
    let way = planning.way(&question).map_err(words::problems)?;
    Ok(Some((question, way)))
}

/// Reads an automaton, or tells why not.
pub(crate) fn automaton(path: &Path, problems: &mut Problems) -> Option<(Hoa, Text)> {
    let text = input::text(path, problems)?;
    if !text.problems.is_empty() {
        problems.add(text.input, text.problems);
        return None;
    }
    match parse_hoa_within(&text.content, &mut problems.budget) {
        Ok(hoa) => return Some((hoa, text)),
        Err(Stopped::Wrong(errors)) => problems.add(text.input, errors),
        Err(Stopped::Exhausted(why)) => problems.stop(&text.input, why),
    }
    None
}

/// What an automaton is called in results: as it says itself, or like its file.
pub(crate) fn automaton_name(path: &Path, hoa: &Hoa) -> String {
    hoa.name.clone().filter(|name| !name.is_empty()).unwrap_or_else(|| path.display().to_string())
}

/// Tells that nothing was asked.
pub(crate) fn nothing_to_check(problems: &mut Problems) {
    let problem = Diagnostic::global("there is no property to check");
    let help = "give properties with -p FORMULA, -f FILE or --automaton FILE";
    problems.add(Input::named(""), problem.help(help).into());
}

/// Problems of a property as a whole are those of all its text.
fn located(problems: &Diagnostics, length: usize) -> Diagnostics {
    let mut located = Diagnostics::default();
    for problem in problems.sorted() {
        located.push(match problem.offset {
            Some(_) => problem.clone(),
            None => Diagnostic { offset: Some(0), length: length as u32, ..problem.clone() },
        });
    }
    located
}

/// A property as its line says it; where it is not plain which `#` starts the comment, as it was read.
fn property_text(rest: &str, formula: &Formula) -> String {
    let line = rest.lines().next().unwrap_or_default().trim_start_matches('\u{feff}');
    match line.split_once('#') {
        None => line.trim().to_owned(),
        Some((before, _)) if !before.contains('"') => before.trim().to_owned(),
        Some(_) => formula.to_string(),
    }
}
