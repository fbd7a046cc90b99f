//! One place where it is decided how a question about a machine is answered, and every reason not
//! to: the engine, and what that engine takes: the formula in its normal form, the automaton,
//! fairness as labels.

use super::linear::Linear;
use super::resolved::Resolved;
use crate::engines::{CtlEngine, OfStates, StarEngine};
use crate::plan::Plan;
use crate::question::{Asked, Steps, core};
use crate::refusal::{Refusal, semantics_refusal};
use crate::vacuity::Premise;
use crate::{Choice, EngineName, Logic, ModelKind, Options, Question, Suggestions, Unfit, UnknownAtoms};
use loris_base::{Diagnostic, Diagnostics, Idx};
use loris_evidence::AtExit;
use loris_logic::automaton::{Buchi, Hoa};
use loris_logic::mu::MuFormula;
use loris_logic::{Core, CtlCore, Fairness, Formula, Ltl, Node, ends_in_ctl, ends_in_star, negated_ltl};
use loris_recursive::{FairLabels, MuProperty, Prepared, Runs, mu_of_ctl};
use loris_rsm::{Rsm, VertexKind};
use std::borrow::Cow;

/// How a question about a machine is answered.
#[derive(Clone, Debug)]
pub(crate) struct MachinePlan {
    pub(crate) task: Task,
    /// fairness conditions, if not all runs are fair
    pub(crate) fairness: Option<Box<FairLabels>>,
    /// whether the engine is to print its knowledge
    #[cfg_attr(not(feature = "baselines"), allow(dead_code))]
    pub(crate) has_tables: bool,
    /// the left side of the implication that it states of all states, if it does
    pub(crate) premise: Option<Box<Premise>>,
}

/// The task, and the engine for it.
#[derive(Clone, Debug)]
pub(crate) enum Task {
    /// a search for a run that an automaton accepts
    Accepted(Resolved<Buchi>),
    /// a search for a run that refutes a formula of LTL
    Refuted(Box<Linear>),
    /// a number of steps between states of a finite structure
    Distance { longest: bool, from: Resolved<CtlCore>, to: Resolved<CtlCore> },
    /// fixpoints over a finite structure
    Fixpoint {
        formula: Resolved<CtlCore>,
        /// the formula that evidence shows, if it is another one
        shown: Option<Resolved<Core>>,
    },
    /// a formula of CTL, decided by an engine for machines with calls
    Ctl(CtlEngine, Resolved<CtlCore>),
    /// a formula of CTL*, decided by such an engine
    Star(StarEngine, Resolved<Core>),
    /// a formula of the mu-calculus
    Mu {
        formula: Box<Resolved<MuFormula>>,
        /// the formula of CTL that it stands for, if it is one
        ctl: Option<Resolved<Core>>,
    },
}

impl MachinePlan {
    /// The formula that evidence is to show of states.
    pub(crate) fn shown(&self) -> Option<Cow<'_, Resolved<Core>>> {
        match &self.task {
            Task::Fixpoint { shown: Some(formula), .. }
            | Task::Star(_, formula)
            | Task::Mu { ctl: Some(formula), .. } => Some(Cow::Borrowed(formula)),
            Task::Fixpoint { formula, shown: None } | Task::Ctl(_, formula) => {
                let Resolved { of, atoms } = formula.clone();
                Some(Cow::Owned(Resolved { of: of.into(), atoms }))
            }
            Task::Accepted(_) | Task::Refuted(_) | Task::Distance { .. } | Task::Mu { ctl: None, .. } => None,
        }
    }
}

impl Task {
    pub(crate) fn engine(&self) -> EngineName {
        match self {
            Task::Ctl(engine, _) => engine.name(),
            Task::Star(engine, _) => engine.name(),
            Task::Accepted(_) | Task::Refuted(_) => EngineName::Buchi,
            Task::Distance { .. } | Task::Fixpoint { .. } => EngineName::Fixpoint,
            Task::Mu { .. } => EngineName::Pushdown,
        }
    }
}

/// Plans questions about one machine.
pub(crate) struct MachinePlanner<'a> {
    machine: &'a Prepared<'a>,
    options: &'a Options,
    suggestions: &'a Suggestions,
}

impl<'a> MachinePlanner<'a> {
    /// For questions about a machine; names that are not known are explained by suggestions.
    pub(crate) fn new(machine: &'a Prepared<'a>, options: &'a Options, suggestions: &'a Suggestions) -> Self {
        Self { machine, options, suggestions }
    }

    /// Decides how a question is answered.
    ///
    /// # Errors
    /// Why it is not.
    pub(crate) fn plan(&self, question: &Question) -> Result<Plan, Refusal> {
        let wrong = match question.unknown_atoms {
            UnknownAtoms::Error => self.unknown_atoms(question),
            UnknownAtoms::False => Diagnostics::default(),
        };
        let known = Known { is_finite: self.machine.is_finite(), rsm: Some(self.machine.rsm()) };
        match known.choose(question, self.options) {
            Err(Refusal::Wrong(others)) => {
                let mut wrong = wrong;
                others.sorted().into_iter().for_each(|problem| wrong.push(problem.clone()));
                Err(Refusal::Wrong(wrong))
            }
            _ if !wrong.is_empty() => Err(Refusal::Wrong(wrong)),
            chosen => self.lower(question, chosen?),
        }
    }

    /// Makes the input of the engine.
    fn lower(&self, question: &Question, chosen: Chosen<'_>) -> Result<Plan, Refusal> {
        let rsm = self.machine.rsm();
        let resolved = |core: CtlCore| Resolved::core(rsm, core);
        let fairness = question.fairness().and_then(|fairness| labels(rsm, fairness));
        let premise = match &question.asked {
            Asked::Formula(formula, _) => Premise::of(formula),
            _ => None,
        };
        let premise = premise.map(Box::new);
        let planned = |task: Task| {
            let has_tables = self.options.explain && task.engine().row().has_tables;
            let engine = task.engine().name();
            let plan = MachinePlan { task, fairness: fairness.clone(), has_tables, premise: premise.clone() };
            Ok(Plan::new(Some(ModelKind::Machines), engine, plan))
        };
        match chosen {
            Chosen::Nothing(what) => Ok(Plan::unsupported(what)),
            Chosen::Distance { longest, from, to } => {
                planned(Task::Distance { longest, from: resolved(from), to: resolved(to) })
            }
            Chosen::Accepted(hoa) => {
                planned(Task::Accepted(Resolved::new(rsm, hoa.buchi.clone(), &hoa.propositions)))
            }
            Chosen::Mu(formula) => {
                let formula = Resolved::mu(rsm, formula.clone());
                MuProperty::new(&formula.of, formula.atoms.clone())
                    .map_err(|set| Refusal::Unfit(EngineName::Pushdown, Unfit::Actions(set)))?;
                planned(Task::Mu { formula: Box::new(formula), ctl: None })
            }
            Chosen::Linear { engine: EngineName::Buchi, formula, negation: (negation, names) } => {
                let negation = Resolved::new(rsm, negation, &names);
                planned(Task::Refuted(Box::new(Linear { formula, negation })))
            }
            Chosen::Linear { engine, formula, .. } => {
                let core = Core::linear(&formula).map_err(Refusal::Wrong)?;
                planned(self.of_states(engine, core)?)
            }
            Chosen::Fixpoint((formula, fair), core) => {
                let is_fair = question.logic() == Logic::Ctl && !fair.is_empty();
                let said = || self.said(question.logic(), formula, fair, core).map_err(Refusal::Wrong);
                if !is_fair {
                    let unfit = |formula| Refusal::Unfit(EngineName::Fixpoint, Unfit::path(&formula));
                    let formula = resolved(said()?.into_ctl().map_err(unfit)?);
                    return planned(Task::Fixpoint { formula, shown: None });
                }
                let shown = self.options.evidence.then(said).transpose()?;
                let shown = shown.map(|core| Resolved::core(rsm, core));
                let fair = Core::new(&Fairness::of_ctl(formula)).map_err(Refusal::Wrong)?;
                planned(Task::Fixpoint { formula: resolved(fair), shown })
            }
            Chosen::States(engine, (formula, fair), core) => {
                let said = self.said(question.logic(), formula, fair, core).map_err(Refusal::Wrong)?;
                planned(self.of_states(engine, said)?)
            }
        }
    }

    /// A state formula that restricts itself to the runs that count and their ends; `plain` is its
    /// own normal form.
    fn said(
        &self,
        logic: Logic,
        formula: &Formula,
        fairness: &Fairness,
        plain: Core,
    ) -> Result<Core, Diagnostics> {
        let ends = !self.machine.rsm().stops().is_empty();
        if !fairness.is_empty() {
            let said = fairness.of_states(formula);
            return Core::star(&if ends { ends_in_star(&said) } else { said });
        }
        if logic == Logic::Ctl && ends { Ok(Core::new(&ends_in_ctl(formula))?.into()) } else { Ok(plain) }
    }

    /// A formula for an engine that knows calls, if the engine takes it.
    fn of_states(&self, engine: EngineName, core: Core) -> Result<Task, Refusal> {
        let rsm = self.machine.rsm();
        match OfStates::new(engine, rsm, core) {
            Err(why) => Err(Refusal::Unfit(engine, why)),
            Ok(OfStates::Ctl(engine, core)) => Ok(Task::Ctl(engine, Resolved::core(rsm, core))),
            Ok(OfStates::Mu(core)) => {
                let formula = Box::new(Resolved::mu(rsm, mu_of_ctl(&core)));
                Ok(Task::Mu { formula, ctl: Some(Resolved::core(rsm, core.into())) })
            }
            Ok(OfStates::Star(engine, core)) => Ok(Task::Star(engine, Resolved::core(rsm, core))),
        }
    }

    /// One problem for each atom that no node carries, where it is first written.
    fn unknown_atoms(&self, question: &Question) -> Diagnostics {
        let rsm = self.machine.rsm();
        let mut wrong = Diagnostics::default();
        if let Asked::Automaton(hoa, _) = &question.asked {
            let missing = hoa.propositions.iter().filter(|name| rsm.label(name).is_none());
            missing.for_each(|name| wrong.push(self.suggestions.unlabelled(rsm, name, Diagnostic::global)));
        }
        if let Asked::Mu(formula) = &question.asked {
            for name in formula.atoms().iter().filter(|name| rsm.label(name).is_none()) {
                let at = |message| match place_of(&question.text, name) {
                    Some(start) => Diagnostic::error(start as u64, name.len(), message),
                    None => Diagnostic::global(message),
                };
                wrong.push(self.suggestions.unlabelled(rsm, name, at));
            }
        }
        let Asked::Formula(formula, _) = &question.asked else { return wrong };
        let mut seen = vec![false; formula.atoms().len()];
        for (id, node) in formula.nodes() {
            let Node::Atom(atom) = node else { continue };
            let name = &formula.atoms()[atom];
            if std::mem::replace(&mut seen[atom.index()], true) || rsm.label(name).is_some() {
                continue;
            }
            let (start, end) = formula.span(id);
            let at = |message| Diagnostic::error(u64::from(start), (end - start) as usize, message);
            wrong.push(self.suggestions.unlabelled(rsm, name, at));
        }
        wrong
    }
}

/// Where a name is first written in a text, as a word of its own.
fn place_of(text: &str, name: &str) -> Option<usize> {
    let is_inside = |c: Option<char>| c.is_some_and(|c| c.is_alphanumeric() || c == '_');
    let places = text.match_indices(name).map(|(start, _)| start);
    let mut words = places.filter(|&start| {
        let before = text[..start].chars().next_back();
        !is_inside(before) && !is_inside(text[start + name.len()..].chars().next())
    });
    words.next()
}

/// The plan for a question about a machine that could not be made, of which it is known whether it
/// has calls. All that follows from states is left open.
///
/// # Errors
/// Why the question would be refused.
pub fn plan_without_machine(
    is_finite: bool,
    question: &Question,
    options: &Options,
) -> Result<Plan, Refusal> {
    Ok(match (Known { is_finite, rsm: None }).choose(question, options)? {
        Chosen::Nothing(what) => Plan::unsupported(what),
        Chosen::Distance { .. } | Chosen::Fixpoint(..) => Plan::unmade(EngineName::Fixpoint),
        Chosen::Accepted(_) => Plan::unmade(EngineName::Buchi),
        Chosen::Mu(_) => Plan::unmade(EngineName::Pushdown),
        Chosen::Linear { engine, .. } | Chosen::States(engine, ..) => Plan::unmade(engine),
    })
}

/// An engine, with the parts of the question that were looked at to choose it.
enum Chosen<'q> {
    Nothing(&'q str),
    Distance { longest: bool, from: CtlCore, to: CtlCore },
    Accepted(&'q Hoa),
    Mu(&'q MuFormula),
    Linear { engine: EngineName, formula: Formula, negation: (Ltl, Vec<String>) },
    Fixpoint(Said<'q>, Core),
    States(EngineName, Said<'q>, Core),
}

/// A formula of states, and what makes runs fair.
type Said<'q> = (&'q Formula, &'q Fairness);

/// Known facts about a machine.
struct Known<'a> {
    is_finite: bool,
    /// the machine itself, if it was made
    rsm: Option<&'a Rsm>,
}

impl Known<'_> {
    /// The engine for a question.
    fn choose<'q>(&self, question: &'q Question, options: &Options) -> Result<Chosen<'q>, Refusal> {
        let (formula, fairness) = match &question.asked {
            Asked::Unsupported(what) => return Ok(Chosen::Nothing(what)),
            Asked::Steps(steps) => return self.distance(steps, options),
            Asked::Automaton(_, fairness) if !fairness.is_empty() => return Err(Refusal::FairAutomaton),
            Asked::Automaton(hoa, _) => {
                self.engine(question, options, false, false)?;
                return Ok(Chosen::Accepted(hoa));
            }
            Asked::Mu(formula) => {
                let engine = options.engine.engine(Logic::Mu, false);
                let by_engine = || kind_refusal(engine).or_else(|| logic_refusal(engine, Logic::Mu));
                let refused = if question.is_carried { None } else { by_engine() };
                let refused = refused.or_else(|| semantics_refusal(Logic::Mu, options));
                return refused.map_or(Ok(Chosen::Mu(formula)), Err);
            }
            Asked::Formula(formula, fairness) => (formula, fairness),
        };
        let (logic, is_fair) = (question.logic(), !fairness.is_empty());
        if logic == Logic::Ltl {
            let formula = if is_fair { fairness.of_paths(formula) } else { formula.clone() };
            let negation = negated_ltl(&formula).map_err(Refusal::Wrong)?;
            let engine = self.engine(question, options, false, is_fair)?;
            return Ok(Chosen::Linear { engine, formula, negation });
        }
        let core = core(logic, formula).map_err(Refusal::Wrong)?;
        let is_ctl = match (logic, is_fair) {
            (Logic::Ctl, _) => true,
            // where only some runs count, the quantifiers of CTL* are restricted in the formula
            (_, true) => {
                let said = Core::star(&fairness.of_states(formula)).map_err(Refusal::Wrong)?;
                said.paths().is_empty()
            }
            (_, false) => core.paths().is_empty(),
        };
        let engine = self.engine(question, options, is_ctl, is_fair)?;
        let is_fixpoint = engine == EngineName::Fixpoint && is_ctl && self.is_finite;
        let said = (formula, fairness);
        Ok(if is_fixpoint { Chosen::Fixpoint(said, core) } else { Chosen::States(engine, said, core) })
    }

    fn distance(&self, steps: &Steps, options: &Options) -> Result<Chosen<'static>, Refusal> {
        let Steps { longest, from, to, fairness } = steps;
        if !self.is_finite {
            return Err(Refusal::StepsOfCalls);
        }
        let ends = self.rsm.is_some_and(|rsm| !rsm.stops().is_empty());
        let lowered = |formula: &Formula| {
            let said = match (fairness.is_empty(), ends) {
                (false, _) => Fairness::of_ctl(formula),
                (true, true) => ends_in_ctl(formula),
                (true, false) => formula.clone(),
            };
            Core::new(&said).map_err(Refusal::Wrong)
        };
        let (from, to) = (lowered(from)?, lowered(to)?);
        match semantics_refusal(Logic::Ctl, options) {
            Some(why) => Err(why),
            None => Ok(Chosen::Distance { longest: *longest, from, to }),
        }
    }

    /// The engine for a question, as far as its logic and the semantics determine it.
    fn engine(
        &self,
        question: &Question,
        options: &Options,
        is_ctl: bool,
        is_fair: bool,
    ) -> Result<EngineName, Refusal> {
        let logic = question.logic();
        let is_finite = is_ctl && self.is_finite;
        let mut engine = options.engine.engine(logic, is_finite);
        let by_logic =
            |engine| logic_refusal(engine, logic).or_else(|| self.runs_refusal(engine, logic, options));
        if question.is_carried && by_logic(engine).is_some() {
            engine = Choice::Auto.engine(logic, is_finite);
        }
        let refused = semantics_refusal(logic, options).or_else(|| self.ends_refusal(logic));
        let refused = refused.or_else(|| {
            // whatever its logic is called, the formula is one of CTL
            if engine == EngineName::Fixpoint && is_finite {
                return None;
            }
            let by_fairness = is_fair && logic == Logic::Ctl && !engine.row().fairness;
            kind_refusal(engine)
                .or_else(|| logic_refusal(engine, logic))
                .or_else(|| by_fairness.then_some(Refusal::Fairness(engine, ModelKind::Machines)))
                .or_else(|| self.runs_refusal(engine, logic, options))
        });
        refused.map_or(Ok(engine), Err)
    }

    /// Why a logic does not go with runs that end at dead ends, if it does not.
    fn ends_refusal(&self, logic: Logic) -> Option<Refusal> {
        let rsm = self.rsm?;
        let stops = rsm.stops();
        match logic {
            Logic::Ltl | Logic::Mu | Logic::Automaton => None,
            Logic::Ctl => {
                // a label of nodes cannot express that a run ends after some of the calls of a
                // procedure
                let port = stops.iter().find(|&&vertex| rsm.kind(vertex) != VertexKind::Node)?;
                let site = rsm.box_of(*port).map(|site| rsm.box_name(site).to_owned()).unwrap_or_default();
                Some(Refusal::EndsAtPort(site, rsm.vertex_name(*port).into_owned()))
            }
            Logic::Star => (!stops.is_empty()).then_some(Refusal::Ends),
        }
    }

    /// Why an engine that takes LTL for CTL* does not decide it under some semantics, if it does
    /// not.
    fn runs_refusal(&self, engine: EngineName, logic: Logic, options: &Options) -> Option<Refusal> {
        let ends = self.rsm.is_some_and(|rsm| !rsm.stops().is_empty());
        let is_total = options.at_exit != AtExit::Stop && options.runs == Runs::All && !ends;
        let is_other = logic == Logic::Ltl && engine != EngineName::Buchi;
        (is_other && !is_total).then_some(Refusal::EndingRuns(engine))
    }
}

/// Why an engine does not take machines, if it does not.
fn kind_refusal(engine: EngineName) -> Option<Refusal> {
    engine.unfit(ModelKind::Machines).map(|why| Refusal::Unfit(engine, why))
}

/// Why an engine decides no question of linear time or of the mu-calculus, if it does not; other
/// formulas of states are looked at one by one.
fn logic_refusal(engine: EngineName, logic: Logic) -> Option<Refusal> {
    let takes = engine.row().logics.contains(&logic);
    let is_as_a_whole = matches!(logic, Logic::Ltl | Logic::Mu | Logic::Automaton);
    (is_as_a_whole && !takes).then_some(Refusal::Logic(engine, logic))
}

/// Fairness conditions as labels, if not all runs are fair.
fn labels(rsm: &Rsm, fairness: &Fairness) -> Option<Box<FairLabels>> {
    let label = |name: &String| rsm.label(name);
    let labels = || FairLabels {
        justice: fairness.justice.iter().map(label).collect(),
        compassion: fairness.compassion.iter().map(|(p, q)| (label(p), label(q))).collect(),
        ends: !rsm.stops().is_empty(),
    };
    (!fairness.is_empty()).then(|| Box::new(labels()))
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::{MachinePlanner, plan_without_machine};
    use crate::{Logic, Options, Prepared, Question, Refusal, Runs, Suggestions, UnknownAtoms};
    use loris_evidence::AtExit;
    use loris_logic::automaton::parse_hoa;
    use loris_logic::{Fairness, parse};
    use loris_rsm::{Rsm, Semantics, read_rsm_json};

    fn machine() -> Rsm {
        let model = r#"{"initial_component": "m", "components": [{"name": "m", "boxes": [],
            "nodes": [{"name": "n", "is_entry": true, "is_exit": true, "labels": ["use_i", "def_i"]}],
            "transitions": []}]}"#;
        read_rsm_json(model.as_bytes(), &Semantics::default()).unwrap().0
    }

    /// The problems of a question: where, what, and what else may be meant.
    fn problems(question: &Question) -> Vec<(u64, String, Option<String>)> {
        let (rsm, options) = (machine(), Options::default());
        let (prepared, suggestions) = (Prepared::new(&rsm), Suggestions::or("be lax"));
        match MachinePlanner::new(&prepared, &options, &suggestions).plan(question) {
            Ok(_) => Vec::new(),
            Err(Refusal::Wrong(found)) => {
                let told = found.sorted().into_iter().map(|problem| {
                    (problem.offset.unwrap_or(0), problem.message.clone(), problem.help.clone())
                });
                told.collect()
            }
            Err(refused) => panic!("{refused}"),
        }
    }

    fn check_atoms(logic: Logic, text: &str, expected: &[(u64, &str, Option<&str>)]) {
        let question = Question::new(logic, text, parse(text).unwrap());
        let expected: Vec<_> = expected
            .iter()
            .map(|&(at, message, help)| (at, message.to_owned(), help.map(str::to_owned)))
            .collect();
        assert_eq!(problems(&question), expected, "{text}");
    }

    /// Which of `auto` and some engines take a formula.
    fn check_engines(logic: Logic, text: &str, at_exit: AtExit, runs: Runs, expected: &[&str]) {
        let rsm = machine();
        let question =
            Question::new(logic, text, parse(text).unwrap()).with_unknown_atoms(UnknownAtoms::False);
        let (prepared, suggestions) = (Prepared::new(&rsm), Suggestions::default());
        let takes = |name: &&&str| {
            let options = Options { engine: name.parse().unwrap(), at_exit, runs, ..Options::default() };
            let planned = MachinePlanner::new(&prepared, &options, &suggestions).plan(&question);
            let without = plan_without_machine(true, &question, &options);
            // facts about the machine are not known without one
            assert!(planned.is_err() || without.is_ok(), "{text}");
            planned.is_ok()
        };
        let found: Vec<&str> = ["auto", "lazy", "summary", "buchi"].iter().filter(takes).copied().collect();
        assert_eq!(found, expected, "{text}");
    }

    #[test]
    fn who_takes_what() {
        let (all, go_on) = (Runs::All, AtExit::Loop);
        check_engines(Logic::Ctl, "E F p", go_on, all, &["auto", "lazy", "summary"]);
        check_engines(Logic::Star, "E F p", go_on, all, &["auto", "lazy", "summary"]);
        check_engines(Logic::Star, "E F G p", go_on, all, &["auto", "summary"]);
        check_engines(Logic::Ltl, "F p", go_on, all, &["auto", "summary", "buchi"]);
        check_engines(Logic::Ltl, "F p", AtExit::Stop, all, &["auto", "buchi"]);
        check_engines(Logic::Ltl, "F p", AtExit::Sink, Runs::Bounded, &["auto", "buchi"]);
        check_engines(Logic::Ctl, "E F p", AtExit::Stop, all, &[]);
        check_engines(Logic::Star, "E F p", go_on, Runs::Unbounded, &[]);
    }

    /// Why an engine does not take a formula of the mu-calculus.
    fn check_mu(text: &str, engine: &str, at_exit: AtExit, runs: Runs, expected: Option<&str>) {
        let rsm = machine();
        let formula = loris_logic::mu::parse(text).unwrap();
        let question = Question::mu(Logic::Mu, text, formula).with_unknown_atoms(UnknownAtoms::False);
        let (prepared, suggestions) = (Prepared::new(&rsm), Suggestions::default());
        let options = Options { engine: engine.parse().unwrap(), at_exit, runs, ..Options::default() };
        let planned = MachinePlanner::new(&prepared, &options, &suggestions).plan(&question);
        let found = planned.map(|plan| plan.engine()).map_err(|refused| refused.to_string());
        assert_eq!(found, expected.map_or(Ok("pushdown"), |why| Err(why.to_owned())), "{text} by {engine}");
    }

    #[test]
    fn who_takes_the_mu_calculus() {
        let check = |engine, expected| check_mu("mu X. p | <>X", engine, AtExit::Stop, Runs::All, expected);
        check("auto", None);
        check("pushdown", None);
        check("summary", Some("engine summary is not for mu; engine pushdown is"));
        check("game", Some("engine game is for parallel processes, and this is a machine"));
        let why = "unbounded runs are for linear time only: mu is about all runs";
        check_mu("mu X. p | <>X", "auto", AtExit::Loop, Runs::Unbounded, Some(why));
        let why = "steps of this model have no actions, and the formula asks for steps with `a`";
        check_mu("mu X. p | <a>X", "auto", AtExit::Loop, Runs::All, Some(why));
    }

    const HELP: Option<&str> = Some("be lax");

    #[test]
    fn suggestions_of_a_call_are_few() {
        let (rsm, options) = (machine(), Options::default());
        let (prepared, suggestions) = (Prepared::new(&rsm), Suggestions::or("be lax"));
        let planner = MachinePlanner::new(&prepared, &options, &suggestions);
        let suggested = (0..30).filter(|_| {
            let refused = planner.plan(&Question::new(Logic::Ctl, "", parse("E F use_j").unwrap()));
            let Err(Refusal::Wrong(found)) = refused else { panic!("the atom is unknown") };
            found.sorted()[0].help.as_deref() != HELP
        });
        assert_eq!(suggested.count(), 20);
    }

    #[test]
    fn unknown_atoms_are_named_where_they_stand() {
        check_atoms(Logic::Ctl, "A G (def_i -> E F use_i)", &[]);
        let near = Some("did you mean \"use_i\"?");
        check_atoms(Logic::Ctl, "E F use_j", &[(4, "no node is labelled \"use_j\"", near)]);
        check_atoms(Logic::Ltl, "F G use_j", &[(4, "no node is labelled \"use_j\"", near)]);
        check_atoms(
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
        check_atoms(Logic::Ctl, "false & nothing", &[(8, "no node is labelled \"nothing\"", HELP)]);
    }

    #[test]
    fn propositions_of_automata_are_labels_too() {
        let text = "HOA: v1\nStates: 1\nStart: 0\nAP: 2 \"use_i\" \"use_j\"\nAcceptance: 1 Inf(0)\n\
                    --BODY--\nState: 0 {0}\n[0 & !1] 0\n--END--\n";
        let hoa = parse_hoa(text).unwrap();
        let question = Question::automaton("a", hoa, Fairness::default());
        let found: Vec<String> = problems(&question).into_iter().map(|(_, message, _)| message).collect();
        assert_eq!(found, ["no node is labelled \"use_j\""]);
        assert_eq!(problems(&question.with_unknown_atoms(UnknownAtoms::False)), []);
    }
}
