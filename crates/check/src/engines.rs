//! All engines by name: the questions each is for, and why it may not take one.

#[cfg(feature = "baselines")]
use loris_baselines::{Rks, cont, rks};
use loris_evidence::AtExit;
use loris_logic::{Core, CoreId, CoreNode, CtlCore};
use loris_recursive::{Decider, Policy};
use loris_rsm::Rsm;

/// An engine by name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum EngineName {
    /// The three-valued engine, with contexts for all boxes.
    Eager,
    /// The three-valued engine, with contexts for all boxes that know more than their callees.
    Ternary,
    /// The three-valued engine, with a context for one such box at random.
    Random,
    /// The three-valued engine, with a context for a box that is the reason for not knowing.
    Lazy,
    /// Summaries and top-down contexts.
    Summary,
    /// The product with an automaton, searched for a run it accepts.
    Buchi,
    /// CONT and DECOMP of rsm-analysis, for machines with single exits.
    #[cfg(feature = "baselines")]
    Cont,
    /// Fixpoints over states, for machines without calls.
    Fixpoint,
    /// The mu-calculus, by parity games on pushdown arenas.
    Pushdown,
    /// Chapter 3 of recursive-kripke, for machines with single entries and exits.
    #[cfg(feature = "baselines")]
    RksEager,
    /// Chapter 4 of it.
    #[cfg(feature = "baselines")]
    RksIncremental,
    /// Its appendix A.
    #[cfg(feature = "baselines")]
    RksSummary,
    /// On-the-fly CTL with guided abstraction, for circuits.
    Omg,
    /// Property-directed reachability, for circuits.
    Pdr,
    /// Bounded model checking, for circuits.
    Bmc,
    /// Fixpoints on decision diagrams, for circuits.
    Bdd,
    /// The three-valued game on the product of processes, on the fly.
    Game,
    /// Process by process, composing what stays undecided.
    Compositional,
    /// Fixpoints on multi-valued decision diagrams, for processes.
    Mdd,
    /// Fixpoints on diagrams of the states that matter and that no process decides.
    Relevant,
    /// The product of processes with an automaton, searched for a run it accepts.
    Lasso,
}

/// The logic a property is written in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Logic {
    /// Computation tree logic.
    Ctl,
    /// Linear temporal logic: about all runs.
    Ltl,
    /// Both, nested in any way.
    Star,
    /// The mu-calculus.
    Mu,
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
            Logic::Mu => "mu",
            Logic::Automaton => "automaton",
        }
    }
}

/// The models that an engine takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ModelKind {
    /// Machines, with calls or without, whose states can be listed.
    Machines,
    /// Boolean transition systems, whose states need not be listed.
    Systems,
    /// Processes that run in parallel.
    Processes,
}

impl ModelKind {
    /// The models in words.
    pub fn words(self) -> &'static str {
        match self {
            ModelKind::Machines => "machines, SMV",
            ModelKind::Systems => "circuits, SMV",
            ModelKind::Processes => "processes",
        }
    }

    /// The models in a sentence.
    fn plural(self) -> &'static str {
        match self {
            ModelKind::Machines => "machines",
            ModelKind::Systems => "circuits and SMV models without calls",
            ModelKind::Processes => "parallel processes",
        }
    }

    /// That a model is of this kind.
    fn statement(self) -> &'static str {
        match self {
            ModelKind::Machines => "this is a machine",
            ModelKind::Systems => "this is a circuit",
            ModelKind::Processes => "these are processes",
        }
    }
}

/// How `auto` chooses, for each kind of models: the logics it takes, and the engines.
pub const AUTO: [(ModelKind, &[Logic], &str); 3] = {
    use Logic::{Automaton, Ctl, Ltl, Mu, Star};
    [
        (
            ModelKind::Machines,
            &[Ctl, Ltl, Star, Mu, Automaton],
            "buchi for linear time, pushdown for mu, fixpoint for ctl without calls, else summary, maybe \
             after a look as lazy starts",
        ),
        (
            ModelKind::Systems,
            &[Ctl, Ltl],
            "bdd for linear time, else all that apply, in turns; for SMV if its states are many",
        ),
        (ModelKind::Processes, &[Ctl, Ltl, Mu], "lasso for linear time, else all that apply, in turns"),
    ]
};

/// The description of an engine.
#[derive(Clone, Copy, Debug)]
pub struct Engine {
    /// Which it is.
    pub engine: EngineName,
    /// Its name.
    pub name: &'static str,
    /// A line on it.
    pub about: &'static str,
    /// The models it takes.
    pub models: ModelKind,
    /// The logics it decides. Those for CTL take a CTL* formula that is one of CTL.
    pub logics: &'static [Logic],
    /// Whether it decides CTL where only fair runs count.
    pub fairness: bool,
    /// The models or formulas that it needs, if it does not take all of these logics and kinds.
    pub needs: Option<&'static str>,
    /// The evidence that it gives.
    pub evidence: &'static str,
    /// Its default behaviour at the last exit.
    pub at_exit: AtExit,
    /// Whether it chooses at random, by a seed.
    pub is_random: bool,
    /// Whether it can print its knowledge as tables.
    pub has_tables: bool,
}

/// All engines.
pub const ENGINES: [Engine; if cfg!(feature = "baselines") { 21 } else { 17 }] = {
    use Logic::{Automaton, Ctl, Ltl, Mu, Star};
    const fn engine(
        engine: EngineName,
        name: &'static str,
        logics: &'static [Logic],
        about: &'static str,
    ) -> Engine {
        Engine {
            engine,
            name,
            about,
            models: ModelKind::Machines,
            logics,
            fairness: false,
            needs: None,
            evidence: "paths",
            at_exit: AtExit::Loop,
            is_random: false,
            has_tables: false,
        }
    }
    const fn system(
        of: EngineName,
        name: &'static str,
        logics: &'static [Logic],
        about: &'static str,
    ) -> Engine {
        Engine { models: ModelKind::Systems, ..engine(of, name, logics, about) }
    }
    const fn parallel(of: EngineName, name: &'static str, about: &'static str) -> Engine {
        let row = engine(of, name, &[Ctl, Mu], about);
        Engine { models: ModelKind::Processes, evidence: "strategies", ..row }
    }
    #[cfg(feature = "baselines")]
    const fn rks(of: EngineName, name: &'static str, has_tables: bool, about: &'static str) -> Engine {
        let needs = Some("components with one entry, one exit and no calls from exits");
        Engine { at_exit: rks::AT_EXIT, has_tables, needs, ..engine(of, name, &[Ctl], about) }
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
        Engine {
            is_random: true,
            ..engine(
                EngineName::Random,
                "random",
                &[Ctl],
                "three-valued; expands one such box a step, at random",
            )
        },
        engine(
            EngineName::Lazy,
            "lazy",
            &[Ctl],
            "three-valued; expands a box only where it is the reason for not knowing",
        ),
        Engine {
            fairness: true,
            ..engine(
                EngineName::Summary,
                "summary",
                &[Ctl, Ltl, Star],
                "what each call can do, computed once; contexts top-down on demand",
            )
        },
        engine(
            EngineName::Buchi,
            "buchi",
            &[Ltl, Automaton],
            "the machine and an automaton side by side, searched for an accepted run",
        ),
        #[cfg(feature = "baselines")]
        Engine {
            fairness: true,
            needs: Some("single exits"),
            ..engine(
                EngineName::Cont,
                "cont",
                &[Ctl, Star],
                "the CONT algorithm of rsm-analysis; for comparison",
            )
        },
        Engine {
            fairness: true,
            needs: Some("no calls"),
            ..engine(
                EngineName::Fixpoint,
                "fixpoint",
                &[Ctl],
                "fixpoints over all states, many properties at once, fairness",
            )
        },
        Engine {
            evidence: "paths in ctl, strategies in mu",
            ..engine(
                EngineName::Pushdown,
                "pushdown",
                &[Ctl, Mu],
                "the mu-calculus: what calls do, as functions of what holds after them",
            )
        },
        #[cfg(feature = "baselines")]
        rks(
            EngineName::RksEager,
            "rks-eager",
            true,
            "recursive Kripke structures: every context that occurs, formula by formula",
        ),
        #[cfg(feature = "baselines")]
        rks(
            EngineName::RksIncremental,
            "rks-incremental",
            false,
            "recursive Kripke structures: only what the initial state needs",
        ),
        #[cfg(feature = "baselines")]
        rks(
            EngineName::RksSummary,
            "rks-summary",
            false,
            "recursive Kripke structures: copied until formulas are labels",
        ),
        system(
            EngineName::Omg,
            "omg",
            &[Ctl],
            "unwinds what the property needs, closes proofs with abstract states",
        ),
        Engine {
            needs: Some("a property of reachability"),
            evidence: "paths, invariants",
            ..system(
                EngineName::Pdr,
                "pdr",
                &[Ctl],
                "A G p and E F p by inductive clauses (IC3), with an invariant as evidence",
            )
        },
        Engine {
            needs: Some("a property of reachability"),
            ..system(EngineName::Bmc, "bmc", &[Ctl], "a shortest run to a target, for A G p and E F p")
        },
        Engine {
            fairness: true,
            ..system(EngineName::Bdd, "bdd", &[Ctl, Ltl], "fixpoints on decision diagrams, fairness")
        },
        parallel(EngineName::Game, "game", "the three-valued game on their product, on the fly"),
        parallel(
            EngineName::Compositional,
            "compositional",
            "each alone first, then products of what stays undecided",
        ),
        Engine {
            needs: Some("nothing uncertain"),
            ..parallel(EngineName::Mdd, "mdd", "fixpoints on multi-valued decision diagrams, with saturation")
        },
        parallel(
            EngineName::Relevant,
            "relevant",
            "each alone first, then diagrams of the states where the rest matters",
        ),
        Engine {
            logics: &[Ltl],
            evidence: "paths",
            ..parallel(
                EngineName::Lasso,
                "lasso",
                "their product and an automaton side by side, searched for an accepted run",
            )
        },
    ]
};

impl EngineName {
    /// Its row.
    pub fn row(self) -> &'static Engine {
        ENGINES.iter().find(|row| row.engine == self).expect("ENGINES lists every engine")
    }

    /// As on the command line.
    pub fn name(self) -> &'static str {
        self.row().name
    }

    /// Why it does not take models of a kind, if it does not.
    pub(crate) fn unfit(self, kind: ModelKind) -> Option<Unfit> {
        (self.row().models != kind).then_some(Unfit::Kind(kind))
    }

    /// Whether it decides without listing states.
    pub fn is_symbolic(self) -> bool {
        self.row().models == ModelKind::Systems
    }
}

/// The names of some engines for a kind of models, in a sentence.
pub(crate) fn engines_for(kind: ModelKind, of: impl Fn(&Engine) -> bool, joined: &str) -> String {
    let rows = ENGINES.iter().filter(|row| row.models == kind && of(row));
    let names: Vec<&str> = rows.map(|row| row.name).collect();
    match names.split_last() {
        Some((last, others)) if !others.is_empty() => format!("{} {joined} {last}", others.join(", ")),
        _ => names.concat(),
    }
}

impl From<Decider> for EngineName {
    fn from(decider: Decider) -> Self {
        match decider {
            Decider::Summary => EngineName::Summary,
            Decider::Lazy => EngineName::Lazy,
        }
    }
}

/// Engines that decide formulas of CTL, and no others, on machines with calls.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum CtlEngine {
    ThreeValued(Policy),
    #[cfg(feature = "baselines")]
    Rks(Rks),
}

impl CtlEngine {
    pub(crate) fn name(self) -> EngineName {
        match self {
            CtlEngine::ThreeValued(Policy::Eager) => EngineName::Eager,
            CtlEngine::ThreeValued(Policy::Ternary) => EngineName::Ternary,
            CtlEngine::ThreeValued(Policy::Random) => EngineName::Random,
            CtlEngine::ThreeValued(Policy::Lazy) => EngineName::Lazy,
            #[cfg(feature = "baselines")]
            CtlEngine::Rks(Rks::Eager) => EngineName::RksEager,
            #[cfg(feature = "baselines")]
            CtlEngine::Rks(Rks::Incremental) => EngineName::RksIncremental,
            #[cfg(feature = "baselines")]
            CtlEngine::Rks(Rks::Summary) => EngineName::RksSummary,
        }
    }

    /// Why it does not take a machine, if it does not.
    #[cfg_attr(not(feature = "baselines"), allow(unused_variables))]
    fn unfit(self, rsm: &Rsm) -> Option<Unfit> {
        match self {
            CtlEngine::ThreeValued(_) => None,
            #[cfg(feature = "baselines")]
            CtlEngine::Rks(_) => rks::unfit(rsm).map(Unfit::Structure),
        }
    }
}

/// Engines that decide formulas of CTL* on machines with calls.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum StarEngine {
    Summary,
    #[cfg(feature = "baselines")]
    Cont,
}

impl StarEngine {
    pub(crate) fn name(self) -> EngineName {
        match self {
            StarEngine::Summary => EngineName::Summary,
            #[cfg(feature = "baselines")]
            StarEngine::Cont => EngineName::Cont,
        }
    }

    /// Why it does not take a machine, if it does not.
    fn unfit(self, rsm: &Rsm) -> Option<Unfit> {
        let component = match self {
            StarEngine::Summary => None,
            #[cfg(feature = "baselines")]
            StarEngine::Cont => cont::unfit(rsm),
        }?;
        Some(Unfit::Exits(rsm.component_name(component).to_owned(), rsm.exits(component).len()))
    }
}

/// A formula of states and an engine that takes it, on machines with calls.
pub(crate) enum OfStates {
    Ctl(CtlEngine, CtlCore),
    /// by the engine for the mu-calculus
    Mu(CtlCore),
    Star(StarEngine, Core),
}

impl OfStates {
    /// Gives a formula to the engine of a name.
    ///
    /// # Errors
    /// Why the engine does not take it, or not the machine.
    pub(crate) fn new(engine: EngineName, rsm: &Rsm, formula: Core) -> Result<Self, Unfit> {
        let (ctl, star) = match engine {
            EngineName::Eager => (Some(CtlEngine::ThreeValued(Policy::Eager)), None),
            EngineName::Ternary => (Some(CtlEngine::ThreeValued(Policy::Ternary)), None),
            EngineName::Random => (Some(CtlEngine::ThreeValued(Policy::Random)), None),
            EngineName::Lazy => (Some(CtlEngine::ThreeValued(Policy::Lazy)), None),
            #[cfg(feature = "baselines")]
            EngineName::RksEager => (Some(CtlEngine::Rks(Rks::Eager)), None),
            #[cfg(feature = "baselines")]
            EngineName::RksIncremental => (Some(CtlEngine::Rks(Rks::Incremental)), None),
            #[cfg(feature = "baselines")]
            EngineName::RksSummary => (Some(CtlEngine::Rks(Rks::Summary)), None),
            EngineName::Summary => (None, Some(StarEngine::Summary)),
            #[cfg(feature = "baselines")]
            EngineName::Cont => (None, Some(StarEngine::Cont)),
            EngineName::Pushdown => {
                let formula = formula.into_ctl().map_err(|formula| Unfit::path(&formula))?;
                return Ok(Self::Mu(formula));
            }
            // a formula of CTL is planned for this engine wherever nothing is called
            EngineName::Fixpoint => {
                return Err(formula
                    .into_ctl()
                    .map_or_else(|formula| Unfit::path(&formula), |_| Unfit::Calls));
            }
            EngineName::Buchi => (None, None),
            EngineName::Omg
            | EngineName::Pdr
            | EngineName::Bmc
            | EngineName::Bdd
            | EngineName::Game
            | EngineName::Compositional
            | EngineName::Mdd
            | EngineName::Relevant
            | EngineName::Lasso => return Err(Unfit::Kind(ModelKind::Machines)),
        };
        if let Some(engine) = ctl {
            let formula = formula.into_ctl().map_err(|formula| Unfit::path(&formula))?;
            return engine.unfit(rsm).map_or(Ok(Self::Ctl(engine, formula)), Err);
        }
        let engine = star.ok_or(Unfit::Logic)?;
        engine.unfit(rsm).map_or(Ok(Self::Star(engine, formula)), Err)
    }
}

/// Why an engine does not take a formula or a machine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Unfit {
    /// It is for other logics.
    Logic,
    /// It is for CTL, and this path formula is not.
    Path(String),
    /// It is for components with a single exit, and this one has this many.
    Exits(String, usize),
    /// It is for recursive Kripke structures, and this is why the machine is none.
    Structure(String),
    /// It is for machines without calls.
    Calls,
    /// It is for other kinds of models than this one.
    Kind(ModelKind),
    /// It decides reachability only.
    Reachability,
    /// Only one engine abstracts processes.
    Abstraction,
    /// Abstraction is for processes without uncertain steps and unknown labels.
    Abstracted,
    /// It is for processes without uncertain steps and unknown labels.
    Concrete,
    /// Steps of the model have no actions, and the formula asks for these.
    Actions(String),
}

impl Unfit {
    /// The formula is not one of CTL: here is the first path formula that is not.
    pub(crate) fn path(formula: &Core) -> Self {
        const LONGEST: usize = 80;
        let is_path = |&node: &CoreId| matches!(formula.node(node), CoreNode::E(_));
        let node = formula.existentials().find(is_path).unwrap_or(formula.root());
        Unfit::Path(formula.print_within(node, LONGEST).unwrap_or_else(|| "a path formula".into()))
    }

    /// As a sentence about an engine.
    pub fn of(&self, engine: EngineName) -> String {
        let row = engine.row();
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
            Unfit::Kind(kind) => {
                let what = format!("engine {name} is for {}, and {}", row.models.plural(), kind.statement());
                match kind {
                    // too many to name
                    ModelKind::Machines => what,
                    _ => format!("{what}; {} apply", engines_for(*kind, |_| true, "and")),
                }
            }
            Unfit::Abstraction => format!("abstraction of processes is for the engine {name}"),
            Unfit::Abstracted => {
                "abstraction is for processes without uncertain steps and unknown labels".to_owned()
            }
            Unfit::Concrete => {
                format!("engine {name} is for processes without uncertain steps and unknown labels")
            }
            Unfit::Actions(set) => {
                format!("steps of this model have no actions, and the formula asks for steps with `{set}`")
            }
            Unfit::Reachability => {
                format!("engine {name} decides `A G p` and `E F p`, over states and their next steps")
            }
        }
    }
}

#[cfg(all(test, feature = "baselines"))]
mod tests {
    use super::{CtlEngine, ENGINES, EngineName, StarEngine};
    use loris_baselines::Rks;
    use loris_recursive::Policy;

    /// Every engine has a row, and every engine for states one of its own.
    #[test]
    fn names() {
        let ctl = Policy::ALL.map(CtlEngine::ThreeValued).into_iter().chain(Rks::ALL.map(CtlEngine::Rks));
        let star = [StarEngine::Summary, StarEngine::Cont].map(StarEngine::name);
        let others = [EngineName::Buchi, EngineName::Fixpoint, EngineName::Pushdown];
        let circuits = [EngineName::Omg, EngineName::Pdr, EngineName::Bmc, EngineName::Bdd];
        let components = [
            EngineName::Game,
            EngineName::Compositional,
            EngineName::Mdd,
            EngineName::Relevant,
            EngineName::Lasso,
        ];
        let mut all: Vec<EngineName> =
            ctl.map(CtlEngine::name).chain(star).chain(others).chain(circuits).chain(components).collect();
        assert_eq!(all.len(), ENGINES.len());
        for row in &ENGINES {
            assert_eq!(row.engine.row().name, row.name);
            all.retain(|&engine| engine != row.engine);
        }
        assert_eq!(all, []);
    }
}
