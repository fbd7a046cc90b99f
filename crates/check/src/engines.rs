//! All engines by name: what each is for, and why it may not take a question.

use loris_baselines::{Rks, cont, rks};
use loris_evidence::AtExit;
use loris_logic::{Core, CoreNode};
use loris_recursive::{Decider, Policy, Prepared};

/// An engine by name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
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

/// What there is to know of an engine before it is asked.
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
    /// What it does at the last exit, unless told otherwise.
    pub at_exit: AtExit,
    /// Whether it chooses at random, by a seed.
    pub is_random: bool,
    /// Whether it can print what it knows as tables.
    pub has_tables: bool,
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
        Engine { engine, name, about, logics, at_exit: AtExit::Loop, is_random: false, has_tables: false }
    }
    const fn rks(of: EngineName, name: &'static str, has_tables: bool, about: &'static str) -> Engine {
        Engine { at_exit: rks::AT_EXIT, has_tables, ..engine(of, name, &[Ctl], about) }
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
        rks(
            EngineName::RksEager,
            "rks-eager",
            true,
            "recursive Kripke structures: every context that occurs, formula by formula",
        ),
        rks(
            EngineName::RksIncremental,
            "rks-incremental",
            false,
            "recursive Kripke structures: only what the initial state needs",
        ),
        rks(
            EngineName::RksSummary,
            "rks-summary",
            false,
            "recursive Kripke structures: copied until formulas are labels",
        ),
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
}

impl From<Decider> for EngineName {
    fn from(decider: Decider) -> Self {
        match decider {
            Decider::Summary => EngineName::Summary,
            Decider::Lazy => EngineName::Lazy,
        }
    }
}

/// What decides a formula of states on machines with calls.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum StateEngine {
    ThreeValued(Policy),
    Summary,
    Cont,
    Rks(Rks),
}

impl StateEngine {
    pub(crate) fn name(self) -> EngineName {
        match self {
            StateEngine::ThreeValued(Policy::Eager) => EngineName::Eager,
            StateEngine::ThreeValued(Policy::Ternary) => EngineName::Ternary,
            StateEngine::ThreeValued(Policy::Random) => EngineName::Random,
            StateEngine::ThreeValued(Policy::Lazy) => EngineName::Lazy,
            StateEngine::Summary => EngineName::Summary,
            StateEngine::Cont => EngineName::Cont,
            StateEngine::Rks(Rks::Eager) => EngineName::RksEager,
            StateEngine::Rks(Rks::Incremental) => EngineName::RksIncremental,
            StateEngine::Rks(Rks::Summary) => EngineName::RksSummary,
        }
    }

    /// The engine of a name that decides a property of this machine.
    ///
    /// # Errors
    /// Why it does not.
    pub(crate) fn new(engine: EngineName, machine: &Prepared<'_>, formula: &Core) -> Result<Self, Unfit> {
        let rsm = machine.rsm();
        let of_ctl = |engine: StateEngine| match path(formula) {
            None => Ok(engine),
            Some(path) => Err(Unfit::Path(path)),
        };
        let of_kripke = |engine: Rks| {
            let engine = of_ctl(StateEngine::Rks(engine))?;
            rks::unfit(rsm).map_or(Ok(engine), |why| Err(Unfit::Structure(why)))
        };
        match engine {
            EngineName::Eager => of_ctl(StateEngine::ThreeValued(Policy::Eager)),
            EngineName::Ternary => of_ctl(StateEngine::ThreeValued(Policy::Ternary)),
            EngineName::Random => of_ctl(StateEngine::ThreeValued(Policy::Random)),
            EngineName::Lazy => of_ctl(StateEngine::ThreeValued(Policy::Lazy)),
            EngineName::Summary => Ok(StateEngine::Summary),
            EngineName::Cont => match cont::unfit(rsm) {
                None => Ok(StateEngine::Cont),
                Some(component) => {
                    let exits = rsm.exits(component).len();
                    Err(Unfit::Exits(rsm.component_name(component).to_owned(), exits))
                }
            },
            EngineName::RksEager => of_kripke(Rks::Eager),
            EngineName::RksIncremental => of_kripke(Rks::Incremental),
            EngineName::RksSummary => of_kripke(Rks::Summary),
            // a formula of CTL is planned for this engine wherever nothing is called
            EngineName::Fixpoint => Err(path(formula).map_or(Unfit::Calls, Unfit::Path)),
            EngineName::Buchi => Err(Unfit::Logic),
        }
    }
}

/// The first path formula that is not of CTL, if there is one.
fn path(formula: &Core) -> Option<String> {
    const LONGEST: usize = 80;
    let node =
        formula.existentials().find(|&node| matches!(formula.nodes()[node as usize], CoreNode::E(_)))?;
    Some(formula.print_within(node, LONGEST).unwrap_or_else(|| "a path formula".into()))
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
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{ENGINES, EngineName, StateEngine};
    use loris_baselines::Rks;
    use loris_recursive::Policy;

    /// Every engine has a row, and every engine for states one of its own.
    #[test]
    fn names() {
        let all = Policy::ALL.map(StateEngine::ThreeValued).into_iter().chain(Rks::ALL.map(StateEngine::Rks));
        let all = all.chain([StateEngine::Summary, StateEngine::Cont]).map(StateEngine::name);
        let mut all: Vec<EngineName> = all.chain([EngineName::Buchi, EngineName::Fixpoint]).collect();
        assert_eq!(all.len(), ENGINES.len());
        for row in &ENGINES {
            assert_eq!(row.engine.row().name, row.name);
            all.retain(|&engine| engine != row.engine);
        }
        assert_eq!(all, []);
    }
}
