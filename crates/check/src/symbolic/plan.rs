//! Which engine decides a question about a Boolean transition system.

use super::SymbolicModel;
use crate::machine::shown_by_refuting_run;
use crate::question::{Asked, CountedRuns, copied};
use crate::vacuity::Premise;
use crate::{
    Choice, EngineName, Logic, ModelKind, Options, Question, Refusal, Suggestions, Unfit, UnknownAtoms,
};
use loris_base::{Diagnostic, Diagnostics, Idx};
use loris_circuit::{Lit, TransitionSystem};
use loris_evidence::Paths;
use loris_logic::{
    Core, CoreId, CoreNode, CtlCore, Formula, FormulaBuilder, FormulaId, Ltl, Node, negated_ltl, parse,
};
use loris_symbolic::{Query, ReachProperty, SymbolicEngine, seek};

/// How a question about a Boolean transition system is answered.
#[derive(Clone, Debug)]
pub(crate) struct SymbolicPlan {
    /// none: all that apply, in turns
    pub(super) engine: Option<SymbolicEngine>,
    pub(super) core: CtlCore,
    /// what each atom of the core stands for
    pub(super) atoms: Vec<Lit>,
    /// the same for all atoms of the property as it was written, of which the core may have lost
    /// some: they fix which inputs of a circuit are part of a state
    written: Vec<Lit>,
    /// whether only fair runs count
    pub(super) fair: bool,
    pub(super) counted_runs: CountedRuns,
    /// whether another engine may answer where the one that was named does not take the question
    pub(super) may_turn: bool,
    pub(super) linear: Option<Box<Linear>>,
    /// the left side of the implication that it states of all states, if it does, and that it
    /// never holds
    pub(super) premise: Option<Box<(Premise, Invariant)>>,
}

/// A property without fairness, with the functions that its atoms stand for.
#[derive(Clone, Debug)]
pub(super) struct Invariant {
    pub(super) core: CtlCore,
    pub(super) atoms: Vec<Lit>,
}

/// A formula of linear time. Its plan asks whether no fair run refutes it.
#[derive(Clone, Debug)]
pub(super) struct Linear {
    pub(super) formula: Formula,
    refuting: Ltl,
    atoms: Vec<Lit>,
}

impl Linear {
    /// What a run that refutes the formula shows.
    pub(super) fn shows(&self) -> String {
        shown_by_refuting_run(&self.formula, Paths::Total)
    }
}

/// Decides how a question is answered. A question that brings the functions that its atoms stand
/// for also says which runs count; the names of all others, and their fairness, are the model's.
///
/// # Errors
/// Why it is not.
pub(super) fn plan(
    model: &dyn SymbolicModel,
    question: &Question,
    options: &Options,
    suggestions: &Suggestions,
) -> Result<SymbolicPlan, Refusal> {
    let functions = question.functions.as_deref();
    if let (None, Asked::Formula(formula, _), UnknownAtoms::Error) =
        (functions, &question.asked, question.unknown_atoms)
    {
        let wrong = unknown_atoms(model, formula, suggestions);
        if !wrong.is_empty() {
            return Err(Refusal::Wrong(wrong));
        }
    }
    let atom = |name: &str| {
        let function = match functions {
            Some(known) => known.iter().find(|(known, _)| known == name).map(|&(_, function)| function),
            None => model.atom(name),
        };
        function.unwrap_or(Lit::FALSE)
    };
    let counted_runs = question.counted_runs;
    let fair = match functions {
        _ if counted_runs == CountedRuns::Ending => false,
        Some(_) => question.fairness().is_some_and(|fairness| !fairness.is_empty()),
        None => model.is_fair(),
    };
    let unfit = |engine: Option<SymbolicEngine>, why: Unfit| {
        Refusal::Unfit(engine.map_or(EngineName::Bdd, name), why)
    };
    let engine = match options.engine {
        Choice::Auto => None,
        Choice::Named(engine) => {
            let unfit = || Refusal::Unfit(engine, Unfit::Kind(ModelKind::Systems));
            Some(symbolic(engine).ok_or_else(unfit)?)
        }
    };
    let Asked::Formula(formula, _) = &question.asked else {
        return Err(unfit(engine, Unfit::Logic));
    };
    // a model carries properties in several logics, of which a named engine may know some only
    let of_linear = engine.filter(|_| !question.is_carried);
    let mut written: Vec<Lit> = formula.atoms().iter().map(&atom).collect();
    if counted_runs == CountedRuns::Ending {
        // with their inputs in the state, no state that violates a constraint exists
        written.extend(model.constraints());
    }
    let invariant = (question.logic() == Logic::Ltl).then(|| invariant(formula)).flatten();
    let (formula, logic) = match (&invariant, question.logic()) {
        (Some(invariant), _) => (invariant, Logic::Ctl),
        (None, Logic::Ltl) => return linear(formula, atom, (fair, counted_runs), of_linear),
        (None, logic) => (formula, logic),
    };
    let core = match logic {
        Logic::Ctl | Logic::Star if fair => Core::fair(formula).map_err(Refusal::Wrong)?,
        Logic::Ctl => Core::new(formula).map_err(Refusal::Wrong)?,
        Logic::Star => {
            let core = Core::star(formula).map_err(Refusal::Wrong)?;
            core.into_ctl().map_err(|core| unfit(engine, Unfit::path(&core)))?
        }
        Logic::Ltl | Logic::Mu | Logic::Automaton => return Err(unfit(engine, Unfit::Logic)),
    };
    let atoms = core.atoms().iter().map(|name| atom(name)).collect();
    let may_turn = question.is_carried;
    let premise = premise(formula, atom);
    let plan =
        SymbolicPlan { engine, core, atoms, written, fair, counted_runs, may_turn, linear: None, premise };
    match plan.unfit(model) {
        None => Ok(plan),
        // of those that a model carries, another engine takes what this one does not
        Some(_) if may_turn => Ok(SymbolicPlan { engine: None, ..plan }),
        Some(why) => Err(why),
    }
}

/// One problem for each atom that names nothing in the model.
pub(super) fn unknown_atoms(
    model: &dyn SymbolicModel,
    formula: &Formula,
    suggestions: &Suggestions,
) -> Diagnostics {
    let mut wrong = Diagnostics::default();
    let mut seen = vec![false; formula.atoms().len()];
    for (id, node) in formula.nodes() {
        let Node::Atom(atom) = node else { continue };
        let name = &formula.atoms()[atom];
        if std::mem::replace(&mut seen[atom.index()], true) || model.atom(name).is_some() {
            continue;
        }
        let (start, end) = formula.span(id);
        let message = format!("no latch, output or input is named \"{name}\"");
        let problem = Diagnostic::error(u64::from(start), (end - start) as usize, message);
        wrong.push(suggestions.explain(problem, name, || model.names().into_iter()));
    }
    wrong
}

/// The plan for a formula of linear time: decision diagrams know fair runs.
fn linear(
    formula: &Formula,
    atom: impl Fn(&str) -> Lit,
    (fair, counted_runs): (bool, CountedRuns),
    engine: Option<SymbolicEngine>,
) -> Result<SymbolicPlan, Refusal> {
    let (refuting, names) = negated_ltl(formula).map_err(Refusal::Wrong)?;
    if let Some(engine) = engine.filter(|&engine| engine != SymbolicEngine::Bdd) {
        return Err(Refusal::Unfit(name(engine), Unfit::Logic));
    }
    let atoms = names.iter().map(|name| atom(name)).collect();
    let written = formula.atoms().iter().map(&atom).collect();
    let linear = Linear { formula: formula.clone(), refuting, atoms };
    Ok(SymbolicPlan {
        engine: Some(SymbolicEngine::Bdd),
        core: no_run(),
        atoms: Vec::new(),
        written,
        fair,
        counted_runs,
        may_turn: false,
        linear: Some(Box::new(linear)),
        premise: premise(formula, &atom),
    })
}

fn premise(formula: &Formula, atom: impl Fn(&str) -> Lit) -> Option<Box<(Premise, Invariant)>> {
    let premise = Premise::of(formula)?;
    let core = premise.never()?;
    let atoms = core.atoms().iter().map(|name| atom(name)).collect();
    Some(Box::new((premise, Invariant { core, atoms })))
}

/// That no fair run starts where runs start.
pub(super) fn no_run() -> CtlCore {
    let none = parse("!(E G true)").expect("a formula");
    Core::fair(&none).expect("a formula of CTL")
}

/// What a formula of LTL says in CTL, if it is an invariant.
fn invariant(formula: &Formula) -> Option<Formula> {
    let Node::G(condition) = formula.node(formula.root()) else { return None };
    let is_state = |id: FormulaId| {
        let node = formula.node(id);
        !node.is_temporal() && !node.is_quantifier()
    };
    let (mut stack, mut seen) = (vec![condition], vec![false; formula.len()]);
    while let Some(id) = stack.pop() {
        if std::mem::replace(&mut seen[id.index()], true) {
            continue;
        }
        if !is_state(id) {
            return None;
        }
        stack.extend(formula.node(id).children());
    }
    let mut build = FormulaBuilder::default();
    let mut image: Vec<FormulaId> = Vec::with_capacity(formula.len());
    for (id, _) in formula.nodes() {
        image.push(copied(formula, id, &mut build, |child| image[child.index()]));
    }
    let root = build.add(Node::A(image[formula.root().index()]));
    Some(build.finish(root))
}

impl SymbolicPlan {
    /// The engine that decides; `auto` if several do in turns.
    pub(crate) fn engine_name(&self) -> &'static str {
        self.engine.map_or("auto", |engine| name(engine).name())
    }

    /// Whether a temporal operator has an operand that is constant, or the formula is one.
    pub(super) fn has_constants(&self) -> bool {
        let is_true = |id: CoreId| self.core.node(id) == CoreNode::True;
        let is_constant = |id: CoreId| match self.core.node(id) {
            CoreNode::Not(of) => is_true(of),
            _ => is_true(id),
        };
        self.linear.is_none()
            && self.core.nodes().iter().any(|node| match *node {
                CoreNode::Ex(a) | CoreNode::Eg(a) => is_constant(a),
                CoreNode::Eu(a, b) => is_constant(b) || is_constant(a) && !is_true(a) || a == b,
                _ => false,
            })
    }

    /// Whether runs that end do not matter to it: it is known that there are none, or it counts
    /// them as what they are.
    pub(super) fn may_end(&self, model: &dyn SymbolicModel) -> bool {
        self.counted_runs != CountedRuns::Fair || model.is_total()
    }

    /// The states and steps that the question is about, which the property as it was written
    /// fixes: not its core, in which `p | !p` has lost the input `p`, and no other property.
    pub(super) fn states(&self, model: &dyn SymbolicModel) -> TransitionSystem {
        let mut system = model.system(&self.written);
        if !self.fair {
            system.justice.clear();
            system.compassion.clear();
        }
        system
    }

    /// The system that the question is about.
    pub(super) fn system(&self, model: &dyn SymbolicModel) -> TransitionSystem {
        let mut system = self.states(model);
        if let Some(linear) = &self.linear {
            seek(&mut system, &linear.refuting, &linear.atoms);
        }
        system.observed.clone_from(&self.atoms);
        system
    }

    /// For each of the first `count` state variables of the model, whether the property depends on
    /// it as it was written: evidence lists those.
    pub(super) fn influences(&self, model: &dyn SymbolicModel, count: usize) -> Vec<bool> {
        let mut influences = self.states(model).influences();
        influences.truncate(count);
        influences
    }

    /// Why the engine that was named does not take the question.
    fn unfit(&self, model: &dyn SymbolicModel) -> Option<Refusal> {
        let engine = name(self.engine?);
        if self.fair && !engine.row().fairness {
            return Some(Refusal::Fairness(engine, ModelKind::Systems));
        }
        match self.engine? {
            SymbolicEngine::Bdd | SymbolicEngine::Omg => None,
            SymbolicEngine::Pdr | SymbolicEngine::Bmc => {
                let query = Query { core: &self.core, atoms: &self.atoms };
                let is_target = ReachProperty::of(&self.system(model), &query).is_some();
                (!is_target).then_some(Refusal::Unfit(engine, Unfit::Reachability))
            }
        }
    }
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

pub(super) fn name(engine: SymbolicEngine) -> EngineName {
    match engine {
        SymbolicEngine::Omg => EngineName::Omg,
        SymbolicEngine::Pdr => EngineName::Pdr,
        SymbolicEngine::Bmc => EngineName::Bmc,
        SymbolicEngine::Bdd => EngineName::Bdd,
    }
}
