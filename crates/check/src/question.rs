//! A property as it is asked: its text, its meaning, and where it was written. Nothing here depends
//! on a model; the input of an engine is made when the question is [planned](crate::Model::planner).

use crate::{Logic, UnknownAtoms};
use loris_base::{Diagnostic, Diagnostics};
use loris_circuit::Lit;
use loris_logic::automaton::Hoa;
use loris_logic::mu::MuFormula;
use loris_logic::{Core, Fairness, Formula, FormulaBuilder, FormulaId, Node};
use std::sync::Arc;

/// A property of a model.
#[derive(Clone, Debug)]
pub struct Question {
    /// The property as it was written; for an automaton, its name.
    pub text: String,
    /// What it is called, if it has a name.
    pub name: Option<String>,
    /// The file and the line it came from.
    pub source: Option<Source>,
    /// Whether the model carries it. A model carries properties in several logics, so that another
    /// engine may answer where the one that was named is not for its logic.
    pub is_carried: bool,
    /// The meaning of its atoms that no node carries.
    pub unknown_atoms: UnknownAtoms,
    /// The functions of states that its atoms stand for, if the names alone do not determine them.
    pub functions: Option<Vec<(String, Lit)>>,
    /// Which runs of a Boolean transition system it is about.
    pub counted_runs: CountedRuns,
    logic: Logic,
    pub(crate) asked: Asked,
}

/// How results refer to a question. Once a question is planned, its plan has its meaning, and only
/// this has to be kept of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Heading {
    /// The property as it was written; for an automaton, its name.
    pub text: String,
    /// What it is called, if it has a name.
    pub name: Option<String>,
    /// The file and the line it came from.
    pub source: Option<Source>,
    /// The logic it is written in.
    pub logic: Logic,
    /// Which runs of a Boolean transition system it is about.
    pub counted_runs: CountedRuns,
}

/// Which runs of a Boolean transition system a question is about.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum CountedRuns {
    /// Fair ones. Where a run can end, nothing is decided.
    #[default]
    Fair,
    /// All, and they may end: what the bad-state properties of AIGER are about. Constraints hold in
    /// the last state, too.
    Ending,
    /// Fair ones without end, whether or not others end: what the justice properties of AIGER are
    /// about.
    Endless,
}

impl CountedRuns {
    /// As results state it, unless it is what results are about if they do not say.
    ///
    /// ```
    /// use loris_check::CountedRuns;
    /// assert_eq!(CountedRuns::stated("ending"), Some(CountedRuns::Ending));
    /// assert_eq!(CountedRuns::Fair.word(), None);
    /// ```
    pub fn word(self) -> Option<&'static str> {
        match self {
            CountedRuns::Fair => None,
            CountedRuns::Ending => Some("ending"),
            CountedRuns::Endless => Some("endless"),
        }
    }

    /// What a word of results means.
    pub fn stated(word: &str) -> Option<Self> {
        [CountedRuns::Ending, CountedRuns::Endless].into_iter().find(|runs| runs.word() == Some(word))
    }
}

impl From<Question> for Heading {
    fn from(question: Question) -> Self {
        let Question { text, name, source, logic, counted_runs, .. } = question;
        Self { text, name, source, logic, counted_runs }
    }
}

/// Where a property was written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Source {
    /// The file.
    pub file: Arc<str>,
    /// The line, from 1.
    pub line: u32,
}

/// The question proper.
#[derive(Clone, Debug)]
pub(crate) enum Asked {
    /// whether a formula holds in the initial states, or on all runs in linear time
    Formula(Formula, Fairness),
    /// whether a formula of the mu-calculus holds in the initial state
    Mu(Arc<MuFormula>),
    /// whether an automaton accepts some run
    Automaton(Box<Hoa>, Fairness),
    /// how many steps it takes from where one formula of CTL holds to where another does
    Steps(Box<Steps>),
    /// something that no engine knows, by name
    Unsupported(String),
}

/// A question for a number of steps.
#[derive(Clone, Debug)]
pub(crate) struct Steps {
    /// at most; else at least
    pub(crate) longest: bool,
    pub(crate) from: Formula,
    pub(crate) to: Formula,
    pub(crate) fairness: Fairness,
}

impl Question {
    /// Asks whether a formula of a logic holds.
    ///
    /// ```
    /// use loris_check::{Logic, Question};
    /// let formula = loris_logic::parse("A F p").unwrap();
    /// let question = Question::new(Logic::Ctl, "A F p", formula);
    /// assert_eq!(question.logic(), Logic::Ctl);
    /// ```
    pub fn new(logic: Logic, text: impl Into<String>, formula: Formula) -> Self {
        Self::asking(logic, text, Asked::Formula(formula, Fairness::default()))
    }

    /// The same, about fair runs only; atoms of the fairness are labels.
    pub fn fair(logic: Logic, text: impl Into<String>, formula: Formula, fairness: Fairness) -> Self {
        Self::asking(logic, text, Asked::Formula(formula, fairness))
    }

    /// Asks whether a formula of the mu-calculus holds; `logic` is the one it was written in.
    pub fn mu(logic: Logic, text: impl Into<String>, formula: MuFormula) -> Self {
        Self::asking(logic, text, Asked::Mu(Arc::new(formula)))
    }

    /// Asks whether an automaton accepts some run, in a model in which these runs are fair.
    pub fn automaton(name: impl Into<String>, hoa: Hoa, fairness: Fairness) -> Self {
        Self::asking(Logic::Automaton, name, Asked::Automaton(Box::new(hoa), fairness))
    }

    /// Asks how many steps it takes from states where a formula of CTL holds to such where another
    /// does: at least, or at most (`longest`). It is asked of states that are reached and where
    /// fair runs start.
    pub fn distance(
        text: impl Into<String>,
        longest: bool,
        (from, to): (Formula, Formula),
        fairness: Fairness,
    ) -> Self {
        let steps = Steps { longest, from, to, fairness };
        let question = Self::asking(Logic::Ctl, text, Asked::Steps(Box::new(steps)));
        Self { is_carried: true, ..question }
    }

    /// A property that uses something no engine knows: it stays unknown.
    pub fn unsupported(logic: Logic, text: impl Into<String>, what: impl Into<String>) -> Self {
        Self { is_carried: true, ..Self::asking(logic, text, Asked::Unsupported(what.into())) }
    }

    fn asking(logic: Logic, text: impl Into<String>, asked: Asked) -> Self {
        Self {
            text: text.into(),
            name: None,
            source: None,
            is_carried: false,
            unknown_atoms: UnknownAtoms::default(),
            functions: None,
            counted_runs: CountedRuns::default(),
            logic,
            asked,
        }
    }

    /// Sets the meaning of atoms that no node carries.
    #[must_use]
    pub fn with_unknown_atoms(self, unknown_atoms: UnknownAtoms) -> Self {
        Self { unknown_atoms, ..self }
    }

    /// The formula, if it is one of branching or linear time and asked of all runs.
    pub fn formula(&self) -> Option<&Formula> {
        match &self.asked {
            Asked::Formula(formula, fairness) if fairness.is_empty() => Some(formula),
            _ => None,
        }
    }

    /// The formula, if it is one of the mu-calculus.
    pub fn mu_formula(&self) -> Option<&Arc<MuFormula>> {
        match &self.asked {
            Asked::Mu(formula) => Some(formula),
            _ => None,
        }
    }

    /// The logic the property is written in.
    pub fn logic(&self) -> Logic {
        self.logic
    }

    /// Fairness conditions, if the question is about fair runs only.
    pub(crate) fn fairness(&self) -> Option<&Fairness> {
        match &self.asked {
            Asked::Formula(_, fairness) | Asked::Automaton(_, fairness) => Some(fairness),
            Asked::Steps(steps) => Some(&steps.fairness),
            Asked::Mu(_) | Asked::Unsupported(_) => None,
        }
    }
}

/// Adds a node of a formula to another one, in which its operands are already.
pub(crate) fn copied(
    formula: &Formula,
    id: FormulaId,
    build: &mut FormulaBuilder,
    image: impl Fn(FormulaId) -> FormulaId,
) -> FormulaId {
    let span = formula.span(id);
    match formula.node(id) {
        Node::Atom(atom) => build.atom_at(&formula.atoms()[atom], span),
        other => build.add_at(other.map(image), span),
    }
}

/// A formula of a logic in the normal form of engines; of LTL, that it holds on all paths.
///
/// # Errors
/// The formula is not of the logic. No formula is an automaton.
pub fn core(logic: Logic, formula: &Formula) -> Result<Core, Diagnostics> {
    match logic {
        Logic::Ctl => Ok(Core::new(formula)?.into()),
        Logic::Ltl => Core::linear(formula),
        Logic::Star => Core::star(formula),
        Logic::Mu => Err(Diagnostic::global("formulas of the mu-calculus have no such form").into()),
        Logic::Automaton => Err(Diagnostic::global("a formula is not an automaton").into()),
    }
}
