//! A property on its way to an engine: its text, what engines take for it, and what its atoms mean in
//! a machine.

use crate::linear::Linear;
use crate::{Suggestions, UnknownAtoms};
use loris_base::{Diagnostic, Diagnostics, Idx};
use loris_logic::automaton::{Buchi, Hoa};
use loris_logic::{Core, Fairness, Formula, NO_NEXT, NO_REST, Node, ends_in_ctl, ends_in_star};
use loris_recursive::{FairLabels, Logic, Property};
use loris_rsm::{LabelId, Rsm};
use std::sync::Arc;

/// A property of a machine.
#[derive(Clone, Debug)]
pub struct Question {
    /// The property as it was written; of an automaton, its name.
    pub text: String,
    /// What it is called, if it has a name.
    pub name: Option<String>,
    /// The file and the line it came from.
    pub source: Option<Source>,
    /// Whether, if the engine that was named is not for its logic, another may answer: true of what a model carries, in several
    /// logics.
    pub by_any: bool,
    logic: Logic,
    subject: Subject,
    /// of CTL about fair runs: the formula for engines that know fairness
    fair: Option<Box<Resolved<Core>>>,
    /// what makes a run fair, if not all are
    fairness: Option<Box<FairLabels>>,
}

/// Where a property was written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Source {
    /// The file.
    pub file: Arc<str>,
    /// The line, from 1.
    pub line: u32,
}

/// What is asked.
#[derive(Clone, Debug)]
pub(crate) enum Subject {
    /// whether a formula of CTL or CTL* holds in the initial states
    State(Resolved<Core>),
    /// whether a formula of LTL holds on all runs
    Linear(Box<Linear>),
    /// whether an automaton accepts some run
    Automaton(Resolved<Buchi>),
    /// how many steps it takes from where one formula of CTL holds to where another does
    Distance(Box<Steps>),
    /// something that no engine knows, by name
    Unsupported(String),
}

/// A question for a number of steps.
#[derive(Clone, Debug)]
pub(crate) struct Steps {
    /// at most; else at least
    pub(crate) longest: bool,
    pub(crate) from: Resolved<Core>,
    pub(crate) to: Resolved<Core>,
}

/// Something over atoms, with the label each of them means.
#[derive(Clone, Debug)]
pub(crate) struct Resolved<T> {
    pub(crate) of: T,
    pub(crate) atoms: Vec<Option<LabelId>>,
}

impl<T> Resolved<T> {
    pub(crate) fn new<S: AsRef<str>>(rsm: &Rsm, of: T, names: &[S]) -> Self {
        let label = |name: &str| if is_end(name) { Some(end_label(rsm)) } else { rsm.label(name) };
        let atoms = names.iter().map(|name| label(name.as_ref())).collect();
        Self { of, atoms }
    }
}

/// Whether an atom means that runs end here.
fn is_end(name: &str) -> bool {
    name == NO_NEXT || name == NO_REST
}

/// The label of states where runs end, in the machine that has loops there ([`Rsm::looped`]).
pub(crate) fn end_label(rsm: &Rsm) -> LabelId {
    LabelId::new(rsm.label_count())
}

impl Question {
    /// Resolves the atoms of a formula to labels of the machine.
    ///
    /// # Errors
    /// The formula is not of the logic, or a node is labelled with none of its atoms; places count from
    /// where the text of the formula starts. No formula is an automaton ([`Question::automaton`]).
    pub fn new(
        rsm: &Rsm,
        logic: Logic,
        text: impl Into<String>,
        formula: &Formula,
        unknown: UnknownAtoms,
    ) -> Result<Self, Diagnostics> {
        Self::suggesting(rsm, logic, text, formula, unknown, &Suggestions::default())
    }

    /// The same, where one of many questions makes some of the suggestions of a call.
    ///
    /// # Errors
    /// As for [`Question::new`].
    pub fn suggesting(
        rsm: &Rsm,
        logic: Logic,
        text: impl Into<String>,
        formula: &Formula,
        unknown: UnknownAtoms,
        suggestions: &Suggestions,
    ) -> Result<Self, Diagnostics> {
        let mut problems = Diagnostics::default();
        if unknown == UnknownAtoms::Error {
            unknown_atoms(rsm, formula, suggestions, &mut problems);
        }
        let subject = if logic == Logic::Ltl {
            Linear::new(rsm, formula).map(|linear| Subject::Linear(Box::new(linear)))
        } else {
            let core = core(logic, formula);
            let core = match logic {
                Logic::Ctl if !rsm.stops().is_empty() => core.and_then(|_| Core::new(&ends_in_ctl(formula))),
                _ => core,
            };
            core.map(|core| {
                let names = core.atoms().to_vec();
                Subject::State(Resolved::new(rsm, core, &names))
            })
        };
        match subject {
            Ok(subject) if problems.is_empty() => Ok(Self {
                text: text.into(),
                name: None,
                source: None,
                by_any: false,
                logic,
                subject,
                fair: None,
                fairness: None,
            }),
            Ok(_) => Err(problems),
            Err(others) => {
                others.sorted().into_iter().for_each(|problem| problems.push(problem.clone()));
                Err(problems)
            }
        }
    }

    /// The same, about fair runs only, each atom of whose fairness is a label.
    ///
    /// # Errors
    /// As for [`Question::new`].
    pub fn fair(
        rsm: &Rsm,
        logic: Logic,
        text: impl Into<String>,
        formula: &Formula,
        fairness: &Fairness,
        unknown: UnknownAtoms,
    ) -> Result<Self, Diagnostics> {
        if fairness.is_empty() {
            return Self::new(rsm, logic, text, formula, unknown);
        }
        let labels = labels(rsm, fairness);
        if logic == Logic::Ltl {
            let plain = Self::new(rsm, logic, text, &fairness.of_paths(formula), unknown)?;
            return Ok(Self { fairness: labels, ..plain });
        }
        let plain = Self::new(rsm, logic, text, formula, unknown)?;
        let said = fairness.of_states(formula);
        let said = if rsm.stops().is_empty() { said } else { ends_in_star(&said) };
        let said = core(Logic::Star, &said)?;
        let names = said.atoms().to_vec();
        let subject = Subject::State(Resolved::new(rsm, said, &names));
        let fair = (logic == Logic::Ctl).then(|| core(logic, &Fairness::of_ctl(formula))).transpose()?;
        let fair = fair.map(|fair| {
            let names = fair.atoms().to_vec();
            Box::new(Resolved::new(rsm, fair, &names))
        });
        Ok(Self { subject, fair, fairness: labels, ..plain })
    }

    /// Asks whether some run is accepted.
    ///
    /// # Errors
    /// A node is labelled with none of the propositions.
    pub fn automaton(
        rsm: &Rsm,
        name: impl Into<String>,
        hoa: &Hoa,
        unknown: UnknownAtoms,
    ) -> Result<Self, Diagnostics> {
        let mut problems = Diagnostics::default();
        if unknown == UnknownAtoms::Error {
            let suggestions = Suggestions::default();
            let missing = hoa.propositions.iter().filter(|name| rsm.label(name).is_none());
            for name in missing {
                problems.push(unlabelled(rsm, name, Diagnostic::global, &suggestions));
            }
        }
        let subject = Subject::Automaton(Resolved::new(rsm, hoa.buchi.clone(), &hoa.propositions));
        let text = name.into();
        let (logic, by_any) = (Logic::Automaton, false);
        problems.into_result(Self {
            text,
            name: None,
            source: None,
            by_any,
            logic,
            subject,
            fair: None,
            fairness: None,
        })
    }

    /// Asks how many steps it takes from states where a formula of CTL holds to such where another does: at least, or at most
    /// (`longest`). It is asked of states that are reached and where fair runs start.
    ///
    /// # Errors
    /// A formula is not of CTL.
    pub fn distance(
        rsm: &Rsm,
        text: impl Into<String>,
        longest: bool,
        (from, to): (&Formula, &Formula),
        fairness: &Fairness,
    ) -> Result<Self, Diagnostics> {
        let resolved = |formula: &Formula| {
            let fair = Fairness::of_ctl(formula);
            let core = core(Logic::Ctl, if fairness.is_empty() { formula } else { &fair })?;
            let names = core.atoms().to_vec();
            Ok::<_, Diagnostics>(Resolved::new(rsm, core, &names))
        };
        let (from, to) = (resolved(from)?, resolved(to)?);
        Ok(Self {
            text: text.into(),
            name: None,
            source: None,
            by_any: true,
            logic: Logic::Ctl,
            subject: Subject::Distance(Box::new(Steps { longest, from, to })),
            fair: None,
            fairness: labels(rsm, fairness),
        })
    }

    /// The numbers of steps that it asks for, if it does.
    pub(crate) fn steps(&self) -> Option<&Steps> {
        match &self.subject {
            Subject::Distance(steps) => Some(steps),
            _ => None,
        }
    }

    /// A property that uses something no engine knows: it stays unknown.
    pub fn unsupported(logic: Logic, text: impl Into<String>, what: impl Into<String>) -> Self {
        Self {
            text: text.into(),
            name: None,
            source: None,
            by_any: true,
            logic,
            subject: Subject::Unsupported(what.into()),
            fair: None,
            fairness: None,
        }
    }

    /// What it uses that no engine knows, if it does.
    pub fn not_supported(&self) -> Option<&str> {
        match &self.subject {
            Subject::Unsupported(what) => Some(what),
            _ => None,
        }
    }

    /// What the property is written in.
    pub fn logic(&self) -> Logic {
        self.logic
    }

    pub(crate) fn subject(&self) -> &Subject {
        &self.subject
    }

    /// What engines take that decide formulas of states; for LTL, that it holds on all paths.
    pub(crate) fn property(&self) -> Option<Property<'_>> {
        let resolved = match &self.subject {
            Subject::State(formula) => formula,
            Subject::Linear(linear) => &linear.on_all_paths,
            Subject::Automaton(_) | Subject::Distance(_) | Subject::Unsupported(_) => return None,
        };
        Some(Property { formula: &resolved.of, atoms: resolved.atoms.clone() })
    }

    /// What the engine takes that knows finite structures and fairness.
    pub(crate) fn finite(&self) -> Option<Property<'_>> {
        let resolved = match (&self.fair, &self.subject) {
            (Some(fair), _) => fair,
            (None, Subject::State(resolved)) if resolved.of.paths().is_empty() => resolved,
            _ => return None,
        };
        Some(Property { formula: &resolved.of, atoms: resolved.atoms.clone() })
    }

    /// What makes a run fair, if not all are.
    pub(crate) fn fairness(&self) -> Option<&FairLabels> {
        self.fairness.as_deref()
    }

    /// The formula of [`property`](Self::property).
    pub(crate) fn formula(&self) -> Option<&Core> {
        match &self.subject {
            Subject::State(formula) => Some(&formula.of),
            Subject::Linear(linear) => Some(&linear.on_all_paths.of),
            Subject::Automaton(_) | Subject::Distance(_) | Subject::Unsupported(_) => None,
        }
    }
}

/// What makes a run fair, as labels, if not all are fair.
fn labels(rsm: &Rsm, fairness: &Fairness) -> Option<Box<FairLabels>> {
    let label = |name: &String| rsm.label(name);
    let labels = || FairLabels {
        justice: fairness.justice.iter().map(label).collect(),
        compassion: fairness.compassion.iter().map(|(p, q)| (label(p), label(q))).collect(),
        ends: (!rsm.stops().is_empty()).then(|| end_label(rsm)),
    };
    (!fairness.is_empty()).then(|| Box::new(labels()))
}

/// A formula of a logic in the normal form of engines; of LTL, that it holds on all paths.
///
/// # Errors
/// The formula is not of the logic. No formula is an automaton.
pub fn core(logic: Logic, formula: &Formula) -> Result<Core, Diagnostics> {
    match logic {
        Logic::Ctl => Core::new(formula),
        Logic::Ltl => Core::linear(formula),
        Logic::Star => Core::star(formula),
        Logic::Automaton => Err(Diagnostic::global("a formula is no automaton").into()),
    }
}

/// One problem for each atom that no node carries, where it is first written.
fn unknown_atoms(rsm: &Rsm, formula: &Formula, suggestions: &Suggestions, problems: &mut Diagnostics) {
    let mut seen = vec![false; formula.atoms().len()];
    for (id, node) in formula.nodes() {
        let Node::Atom(atom) = node else { continue };
        let name = &formula.atoms()[atom];
        if std::mem::replace(&mut seen[atom.index()], true) || rsm.label(name).is_some() {
            continue;
        }
        let (start, end) = formula.span(id);
        let at = |message| Diagnostic::error(u64::from(start), (end - start) as usize, message);
        problems.push(unlabelled(rsm, name, at, suggestions));
    }
}

/// The problem of a name that is no label, and what may have been meant.
fn unlabelled(
    rsm: &Rsm,
    name: &str,
    at: impl FnOnce(String) -> Diagnostic,
    suggestions: &Suggestions,
) -> Diagnostic {
    let problem = at(format!("no node is labelled \"{name}\""));
    let near = suggestions.label(rsm, name);
    match near {
        Some(near) => problem.help(format!("did you mean \"{near}\"?")),
        None => problem.help("--unknown-atoms false takes it to be false everywhere"),
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::Question;
    use crate::{Logic, UnknownAtoms};
    use loris_logic::automaton::parse_hoa;
    use loris_rsm::{Rsm, Semantics, read_rsm_json};

    fn machine() -> Rsm {
        let model = r#"{"initial_component": "main", "components": [{"name": "main", "boxes": [],
            "nodes": [{"name": "n", "is_entry": true, "is_exit": true, "labels": ["use_i", "def_i"]}],
            "transitions": []}]}"#;
        read_rsm_json(model.as_bytes(), &Semantics::default()).unwrap().0
    }

    fn check(logic: Logic, text: &str, expected: &[(u64, &str, Option<&str>)]) {
        let rsm = machine();
        let formula = loris_logic::parse(text).unwrap();
        let problems = Question::new(&rsm, logic, text, &formula, UnknownAtoms::Error)
            .map_or_else(|problems| problems.sorted().into_iter().cloned().collect(), |_| Vec::new());
        let found: Vec<_> = problems
            .iter()
            .map(|problem| (problem.offset.unwrap(), &*problem.message, problem.help.as_deref()))
            .collect();
        assert_eq!(found, expected, "{text}");
        assert!(Question::new(&rsm, logic, text, &formula, UnknownAtoms::False).is_ok());
    }

    const HELP: Option<&str> = Some("--unknown-atoms false takes it to be false everywhere");

    #[test]
    fn suggestions_of_a_call_are_few() {
        let (rsm, suggestions) = (machine(), crate::Suggestions::default());
        let suggested = (0..30).filter(|_| {
            let formula = loris_logic::parse("E F use_j").unwrap();
            let unknown = UnknownAtoms::Error;
            let question = Question::suggesting(&rsm, Logic::Ctl, "", &formula, unknown, &suggestions);
            let problems = question.unwrap_err();
            problems.sorted()[0].help.as_deref() != HELP
        });
        assert_eq!(suggested.count(), 20);
    }

    #[test]
    fn unknown_atoms_are_named_where_they_stand() {
        check(Logic::Ctl, "A G (def_i -> E F use_i)", &[]);
        let near = Some("did you mean \"use_i\"?");
        check(Logic::Ctl, "E F use_j", &[(4, "no node is labelled \"use_j\"", near)]);
        check(Logic::Ltl, "F G use_j", &[(4, "no node is labelled \"use_j\"", near)]);
        check(
            Logic::Star,
            "E [ x U G (x & def_) ]",
            &[
                (4, "no node is labelled \"x\"", HELP),
                (15, "no node is labelled \"def_\"", Some("did you mean \"def_i\"?")),
            ],
        );
    }

    #[test]
    fn atoms_that_simplify_away_are_asked_for_all_the_same() {
        check(Logic::Ctl, "false & nothing", &[(8, "no node is labelled \"nothing\"", HELP)]);
    }

    #[test]
    fn propositions_of_automata_are_labels_too() {
        let text = "HOA: v1\nStates: 1\nStart: 0\nAP: 2 \"use_i\" \"use_j\"\nAcceptance: 1 Inf(0)\n\
                    --BODY--\nState: 0 {0}\n[0 & !1] 0\n--END--\n";
        let (rsm, hoa) = (machine(), parse_hoa(text).unwrap());
        let problems = Question::automaton(&rsm, "a", &hoa, UnknownAtoms::Error).unwrap_err();
        let found: Vec<_> = problems.sorted().iter().map(|problem| problem.message.clone()).collect();
        assert_eq!(found, ["no node is labelled \"use_j\""]);
        assert!(Question::automaton(&rsm, "a", &hoa, UnknownAtoms::False).is_ok());
    }
}
