//! The one face of all engines.

use crate::instances::Instances;
use crate::linear::{Acceptance, Accepted, Reachability, Reached, Runs};
use crate::rks::{Annotations, Knowledge};
use crate::shared::Shared;
use crate::summary::{self, Condensed, Growth, Mode, Stopped, Summaries};
use crate::{FairLabels, cont, in_turns, linear, rks, ternary, witness};
use loris_base::{Budget, Exhausted};
use loris_evidence::{AtExit, Evidence};
use loris_logic::{Core, CoreNode};
use loris_rsm::{LabelId, Rsm};

/// An engine by name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum EngineName {
    /// Algorithm 4.
    Eager,
    /// Algorithm 5, all contextualizable boxes at once.
    Ternary,
    /// Algorithm 5, one contextualizable box at random.
    Random,
    /// Algorithm 5 with `GETNEXTEXPANSION` and `FINDREASON`.
    Lazy,
    /// Summaries and top-down contexts.
    Summary,
    /// The product with an automaton, searched for a run it accepts.
    Buchi,
    /// CONT and DECOMP of rsm-analysis, for machines with single exits.
    Cont,
    /// Fixpoints over states, for machines without calls.
    Fixpoint,
    /// Chapter 3 of recursive-kripke, for machines with single entries and exits.
    RksEager,
    /// Chapter 4 of it.
    RksIncremental,
    /// Its appendix A.
    RksSummary,
}

/// What a property is written in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Logic {
    /// Computation tree logic.
    Ctl,
    /// Linear time: of all runs.
    Ltl,
    /// Both, nested at will.
    Star,
    /// A Büchi automaton: some run is accepted.
    Automaton,
}

impl Logic {
    /// As on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Logic::Ctl => "ctl",
            Logic::Ltl => "ltl",
            Logic::Star => "ctl*",
            Logic::Automaton => "automaton",
        }
    }
}

/// What there is to know of an engine.
#[derive(Clone, Copy, Debug)]
pub struct Engine {
    /// Which it is.
    pub engine: EngineName,
    /// Its name.
    pub name: &'static str,
    /// A line on it.
    pub about: &'static str,
    /// What it decides. Those for CTL take a CTL* formula that is one of CTL.
    pub logics: &'static [Logic],
}

/// All engines.
pub const ENGINES: [Engine; 11] = {
    use Logic::{Automaton, Ctl, Ltl, Star};
    const fn engine(
        engine: EngineName,
        name: &'static str,
        logics: &'static [Logic],
        about: &'static str,
    ) -> Engine {
        Engine { engine, name, about, logics }
    }
    [
        engine(
            EngineName::Eager,
            "eager",
            &[Ctl],
            "every reachable context, subformula by subformula; the baseline",
        ),
        engine(
            EngineName::Ternary,
            "ternary",
            &[Ctl],
            "three-valued; expands every box that knows more than its callee",
        ),
        engine(
            EngineName::Random,
            "random",
            &[Ctl],
            "three-valued; expands one such box a step, at random (--seed)",
        ),
        engine(
            EngineName::Lazy,
            "lazy",
            &[Ctl],
            "three-valued; expands a box only where it is the reason for not knowing",
        ),
        engine(
            EngineName::Summary,
            "summary",
            &[Ctl, Ltl, Star],
            "what each call can do, computed once; contexts top-down on demand",
        ),
        engine(
            EngineName::Buchi,
            "buchi",
            &[Ltl, Automaton],
            "the machine and an automaton side by side, searched for an accepted run",
        ),
        engine(
            EngineName::Cont,
            "cont",
            &[Ctl, Star],
            "the single-exit CONT algorithm of rsm-analysis; for comparison",
        ),
        engine(
            EngineName::Fixpoint,
            "fixpoint",
            &[Ctl],
            "fixpoints over all states, many properties at once, fairness; for models without calls",
        ),
        engine(
            EngineName::RksEager,
            "rks-eager",
            &[Ctl],
            "recursive Kripke structures: every context that occurs, formula by formula",
        ),
        engine(
            EngineName::RksIncremental,
            "rks-incremental",
            &[Ctl],
            "recursive Kripke structures: only what the initial state needs",
        ),
        engine(
            EngineName::RksSummary,
            "rks-summary",
            &[Ctl],
            "recursive Kripke structures: copied until formulas are labels",
        ),
    ]
};

/// A property of a given machine: a formula, and the label each of its atoms means.
#[derive(Clone, Debug)]
pub struct Property<'a> {
    /// The formula in its normal form.
    pub formula: &'a Core,
    /// For `Atom(k)`, the label it is; an atom that no node carries is false everywhere.
    pub atoms: Vec<Option<LabelId>>,
}

/// How to check.
#[derive(Clone, Copy, Debug, Default)]
pub struct Settings {
    /// What an exit does when the stack is empty; `Stop` is not for branching time.
    pub at_exit: AtExit,
    /// For engines that choose at random.
    pub seed: u64,
}

/// What an engine found, and what it took.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Outcome {
    /// Whether the property holds in all initial states.
    pub holds: bool,
    /// How many contexts were made, the initial one included.
    pub contexts: usize,
    /// How many times a component was checked for a subformula.
    pub checks: usize,
    /// How many components were looked at.
    pub components: usize,
}

/// What there is to say about a verdict.
#[derive(Clone, Debug)]
pub enum Explanation {
    /// Paths that show it.
    Evidence(Evidence),
    /// It is that some path does not exist, which no path shows.
    Absence,
    /// The paths are too long to be told; they can be exponentially long.
    TooLong,
}

/// Why an engine does not take a formula or a machine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Unfit {
    /// It is for other logics.
    Logic,
    /// It is for CTL, and this path formula is not.
    Path(String),
    /// It is for components with a single exit, and this one has so many.
    Exits(String, usize),
    /// It is for recursive Kripke structures, and this is why the machine is none.
    Structure(String),
    /// It is for machines without calls.
    Calls,
}

impl Unfit {
    /// As a sentence about an engine.
    pub fn of(&self, engine: EngineName) -> String {
        let row = ENGINES.iter().find(|row| row.engine == engine).expect("ENGINES lists every engine");
        let logics = || row.logics.iter().map(|logic| logic.name()).collect::<Vec<_>>().join(" and ");
        let name = row.name;
        match self {
            Unfit::Logic => format!("engine {name} is for {}", logics()),
            Unfit::Path(path) => format!("engine {name} is for {}, and {path} is not of that kind", logics()),
            Unfit::Exits(component, exits) => {
                format!(
                    "engine {name} is for single-exit machines, and component \"{component}\" has {exits} exits"
                )
            }
            Unfit::Structure(why) => {
                format!("the rks engines are for recursive Kripke structures, and {why}")
            }
            Unfit::Calls => format!("engine {name} is for models without calls"),
        }
    }
}

/// See [`Prepared::with_growth`].
const GROWTH: usize = 4;

/// A machine with what all properties share.
pub struct Prepared<'a> {
    rsm: &'a Rsm,
    reachable_exits: Shared<Summaries>,
    reached: Shared<Vec<bool>>,
    condensed: Shared<Condensed>,
    growth: usize,
}

impl<'a> Prepared<'a> {
    /// Takes a machine; shared work is done when first asked for.
    pub fn new(rsm: &'a Rsm) -> Self {
        let (reachable_exits, reached, condensed) = Default::default();
        Self { rsm, reachable_exits, reached, condensed, growth: GROWTH }
    }

    /// Lets contexts make the machine grow to so many times its size before there is a second thought:
    /// whether they are needed, whether to decide less at a time, and whether another engine is faster.
    /// With 0, three-valued engines follow single values from the start, too.
    #[must_use]
    pub fn with_growth(self, growth: usize) -> Self {
        Self { growth, ..self }
    }

    /// How many times its size the machine may grow to without a second thought.
    pub(crate) fn growth(&self) -> usize {
        self.growth
    }

    /// The machine.
    pub fn rsm(&self) -> &'a Rsm {
        self.rsm
    }

    /// Which exits each entry reaches, along anything. To be asked for once for each property, as all
    /// that is [shared](Shared).
    pub(crate) fn reachable_exits(&self, budget: &mut Budget) -> Result<&Summaries, Exhausted> {
        self.reachable_exits.get(budget, |budget| {
            let graph = Instances::plain(self.rsm, |_| true, budget)?;
            let summaries = Summaries::of_true(&graph, budget)?;
            budget.release(graph.bytes());
            Ok(summaries)
        })
    }

    /// Which vertices some run gets to, under any stack, given which exits entries reach.
    pub(crate) fn reached(&self, summaries: &Summaries, budget: &mut Budget) -> Result<&[bool], Exhausted> {
        let reached = self.reached.get(budget, |budget| {
            let graph = Instances::plain(self.rsm, |_| true, budget)?;
            let reached = summary::reached(&graph, summaries, budget)?;
            budget.release(graph.bytes());
            Ok(reached)
        });
        Ok(reached?)
    }

    /// Whether every component is entered at one node only, and runs start at one, an entry.
    pub(crate) fn has_one_way_in(&self) -> bool {
        let rsm = self.rsm;
        rsm.components().all(|component| rsm.entries(component).len() <= 1)
            && rsm.initial() == rsm.entries(rsm.initial_component())
    }

    /// The machine's graph H, condensed, given which exits entries reach.
    pub(crate) fn condensed(
        &self,
        summaries: &Summaries,
        budget: &mut Budget,
    ) -> Result<&Condensed, Exhausted> {
        self.condensed.get(budget, |budget| {
            let graph = Instances::plain(self.rsm, |_| true, budget)?;
            let condensed = Condensed::new(&graph, summaries, budget)?;
            budget.release(graph.bytes());
            Ok(condensed)
        })
    }

    /// Searches for nodes that runs get to.
    pub fn reach(&self, search: &Reachability<'_>, budget: &mut Budget) -> Result<Reached, Exhausted> {
        linear::reach(self.rsm, search, budget)
    }

    /// Looks for a run that an automaton accepts.
    pub fn accepted(&self, question: &Acceptance<'_>, budget: &mut Budget) -> Result<Accepted, Exhausted> {
        linear::accepted(self.rsm, question, budget)
    }

    /// Whether there is an infinite run at all: without one, linear-time properties say nothing
    /// (rsm-analysis, erratum R16).
    pub fn has_infinite_run(
        &self,
        runs: Runs,
        at_exit: AtExit,
        budget: &mut Budget,
    ) -> Result<bool, Exhausted> {
        linear::has_infinite_run(self.rsm, runs, at_exit, budget)
    }

    /// Why an engine does not decide a property of this machine, if it does not.
    pub fn unfit(&self, engine: EngineName, formula: &Core) -> Option<Unfit> {
        let row = ENGINES.iter().find(|row| row.engine == engine).expect("ENGINES lists every engine");
        let is_ctl = formula.paths().is_empty();
        let takes = |logic: Logic| row.logics.contains(&logic);
        if takes(Logic::Star) || is_ctl && takes(Logic::Ctl) {
            return match engine {
                EngineName::Cont => cont::unfit(self.rsm),
                EngineName::Fixpoint if !self.is_finite() => Some(Unfit::Calls),
                EngineName::RksEager | EngineName::RksIncremental | EngineName::RksSummary => {
                    rks::unfit(self.rsm).map(Unfit::Structure)
                }
                _ => None,
            };
        }
        if !takes(Logic::Ctl) {
            return Some(Unfit::Logic);
        }
        let path =
            formula.existentials().find(|&node| matches!(formula.nodes()[node as usize], CoreNode::E(_)));
        let path = path.map(|node| formula.print_within(node, 80).unwrap_or_else(|| "a path formula".into()));
        Some(path.map_or(Unfit::Logic, Unfit::Path))
    }

    /// Checks one property with one engine, which must be [fit](Self::unfit) for it.
    pub fn check(
        &self,
        engine: EngineName,
        property: &Property<'_>,
        settings: &Settings,
        budget: &mut Budget,
    ) -> Result<Outcome, Exhausted> {
        match engine {
            EngineName::Summary => {
                let alone = Growth::Look(None);
                in_turns::summary(self, property, settings, alone, budget).map(|(_, outcome)| outcome)
            }
            EngineName::Buchi => unreachable!("questions for this engine are asked by `accepted`"),
            EngineName::Cont => cont::check(self.rsm, property, settings, budget),
            EngineName::Fixpoint => {
                let found = self.fixpoint(
                    std::slice::from_ref(property),
                    &FairLabels::default(),
                    settings.at_exit,
                    budget,
                )?;
                Ok(found[0])
            }
            EngineName::RksEager => rks::eager(self.rsm, property, settings, budget),
            EngineName::RksIncremental => rks::incremental(self.rsm, property, settings, budget),
            EngineName::RksSummary => rks::summary(self.rsm, property, settings, budget),
            EngineName::Eager => ternary::eager(self, property, settings, budget),
            EngineName::Ternary => ternary::expand(self, property, ternary::Heuristic::All, settings, budget),
            EngineName::Random => {
                ternary::expand(self, property, ternary::Heuristic::Random, settings, budget)
            }
            EngineName::Lazy => ternary::expand(self, property, ternary::Heuristic::Reason, settings, budget),
        }
    }

    /// Checks one property with `summary`, and where that makes many contexts with `lazy` in turns;
    /// returns which of them decided. With many existential subformulas, `lazy` has the first look.
    pub fn decide(
        &self,
        property: &Property<'_>,
        settings: &Settings,
        budget: &mut Budget,
    ) -> Result<(EngineName, Outcome), Exhausted> {
        in_turns::decide(self, property, settings, budget)
    }

    /// Checks up to 64 properties of one shape, a bit each, with the summary engine. Contexts of all
    /// are told apart together; should that make too many, those that are not decided by then are
    /// checked one by one: with `summary` alone, or as [`decide`](Self::decide) does.
    pub fn check_batch(
        &self,
        properties: &[Property<'_>],
        is_summary: bool,
        settings: &Settings,
        budget: &mut Budget,
    ) -> Result<Vec<(EngineName, Outcome)>, Exhausted> {
        let Some(first) = properties.first() else { return Ok(Vec::new()) };
        let labels: Vec<&[Option<LabelId>]> = properties.iter().map(|property| &property.atoms[..]).collect();
        let most_cells =
            if properties.len() == 1 { usize::MAX } else { BATCH_CELLS * self.rsm.vertex_count() };
        let growth = Growth::Look(None);
        let mode = Mode { at_exit: settings.at_exit, most_cells, each_initial: false, growth };
        // properties that are left start afresh: what their batch held is given back
        let mut part = budget.part();
        let found = summary::verdicts(self, first.formula, &labels, &mode, &mut part);
        budget.join(&part)?;
        let found = match found {
            Ok(found) => Some(found),
            Err(Stopped::Exhausted(exhausted)) => return Err(exhausted),
            Err(Stopped::TooLarge | Stopped::Decided(_)) => None,
        };
        let mut outcomes = Vec::with_capacity(properties.len());
        for (lane, property) in properties.iter().enumerate() {
            let is = |lanes: u64| lanes >> lane & 1 == 1;
            let decided = found.as_ref().filter(|found| is(found.holds() | found.fails()));
            if let Some(found) = decided {
                let outcome = Outcome {
                    holds: is(found.holds()),
                    contexts: found.contexts,
                    checks: found.checks,
                    components: self.rsm.component_count(),
                };
                outcomes.push((EngineName::Summary, outcome));
            } else {
                let mut part = budget.part();
                let alone = if is_summary {
                    self.check(EngineName::Summary, property, settings, &mut part)
                        .map(|outcome| (EngineName::Summary, outcome))
                } else {
                    self.decide(property, settings, &mut part)
                };
                budget.join(&part)?;
                outcomes.push(alone?);
            }
        }
        Ok(outcomes)
    }

    /// What `rks-eager` knows of a property when it is decided, as tables; it must be
    /// [fit](Self::unfit) for it.
    pub fn knowledge(
        &self,
        property: &Property<'_>,
        settings: &Settings,
        budget: &mut Budget,
    ) -> Result<Knowledge<'a>, Exhausted> {
        Knowledge::new(self.rsm, property, settings, Annotations::Needed, budget)
    }

    /// Evidence for a verdict: a witness if the property holds, a counterexample if it fails.
    pub fn explain(
        &self,
        property: &Property<'_>,
        holds: bool,
        settings: &Settings,
        budget: &mut Budget,
    ) -> Result<Explanation, Exhausted> {
        match witness::explain(self, property, holds, settings, budget) {
            Ok(Some(evidence)) => Ok(Explanation::Evidence(evidence)),
            Ok(None) => Ok(Explanation::Absence),
            Err(witness::Silent::TooLong) => Ok(Explanation::TooLong),
            Err(witness::Silent::Exhausted(exhausted)) => Err(exhausted),
        }
    }
}

/// How many times its own size a machine may grow by the contexts of a batch before its properties are
/// checked one by one: little against as many properties.
const BATCH_CELLS: usize = 8;
