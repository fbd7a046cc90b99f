//! Linear time on parallel processes: whether some run of their product is accepted by an
//! automaton.
//!
//! The product of the processes with the automaton is made on demand (`graph.rs`) and searched for
//! an accepting cycle whenever it has doubled, so that the search ends near the first run that is
//! accepted. Linear in the product.
//!
//! Where steps may be there or not and labels are unknown, runs are looked for twice: runs of
//! *some* process that the system stands for (its may-steps, with any values of unknown
//! labels), and runs of *all* (its must-steps, with guards that hold whatever unknown labels
//! are). Without a run of the first kind, no concretisation has an accepted run. This is exact,
//! as a concretisation may unfold a state into several, which need not agree. A run of the
//! second kind is one of all concretisations. Where there is none, each concretisation may
//! still have another (`duel.rs`). Else it is left open.
//!
//! The oracles are in `tests/linear.rs`: a tableau of sets of subformulas, and concretisations at
//! random.

mod duel;
mod graph;
mod lasso;
mod letters;

use graph::{Graph, Steps};
use loris_base::{Budget, Exhausted, Symbol, Truth};
use loris_logic::automaton::Buchi;
use loris_logic::mu::DeadEnds;
use loris_lts::{Action, GlobalState, System};

pub use graph::LinearAtom;

/// A question for a run that an automaton accepts.
#[derive(Clone, Debug)]
pub struct SoughtRun<'a> {
    /// The processes.
    pub system: &'a System,
    /// The automaton.
    pub buchi: &'a Buchi,
    /// The meaning of its atoms.
    pub atoms: &'a [LinearAtom],
    /// What counts as a run at a dead end. Where a run that ends there counts
    /// ([`DeadEnds::Maximal`]), its last letter is repeated for ever, with the atom
    /// [`LinearAtom::End`].
    pub dead_ends: DeadEnds,
}

/// A run of a system.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GlobalRun {
    /// Its states. If it goes on for ever, the last is the one where the loop starts.
    pub states: Vec<GlobalState>,
    /// The action by which each of them is left; none where the run ends, or stays at a dead end.
    pub actions: Vec<Option<Action>>,
    /// The place of the first state of the loop; none if the run ends.
    pub back: Option<usize>,
}

/// Why it is open whether a run is accepted: the first thing on a run of some concretisation that
/// need not be so.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LinearDoubt {
    /// A label is unknown in a state.
    Label(GlobalState, Symbol),
    /// A step from the one state to the other may or may not be there.
    Step(GlobalState, GlobalState),
    /// The steps of a state may or may not be there, so that a run may or may not end in it.
    End(GlobalState),
}

impl LinearDoubt {
    /// In words.
    pub fn describe(&self, system: &System) -> String {
        let names = |state: &GlobalState| system.state_names(&state.0).join(", ");
        match self {
            Self::Label(state, label) => {
                format!("`{}` is unknown in state ({})", &system.atoms()[*label], names(state))
            }
            Self::Step(from, to) => {
                format!("the step from ({}) to ({}) may or may not be there", names(from), names(to))
            }
            Self::End(state) => {
                format!("the steps from ({}) may or may not be there", names(state))
            }
        }
    }
}

/// The answer to the question for a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LinearOutcome {
    /// Whether a run is accepted.
    pub accepted: Truth,
    /// One that is, in every concretisation, if there is one. Each may have one of its own.
    pub run: Option<GlobalRun>,
    /// Why it is open.
    pub doubt: Option<LinearDoubt>,
    /// The pairs of a global state and a state of the automaton that were made.
    pub pairs: usize,
    /// The global states that were met.
    pub states: usize,
}

/// Looks for a run that an automaton accepts.
///
/// ```
/// use loris_base::{Budget, Symbol, Truth};
/// use loris_logic::{automaton::translate, ltl, mu::DeadEnds, parse};
/// use loris_lts::{System, read_aut};
/// use loris_modular::linear::{LinearAtom, SoughtRun, accepted_run};
/// let budget = &mut Budget::unlimited();
/// let (buffer, _) = read_aut(b"des (0, 2, 2)\n(0, put, 1)\n(1, get, 0)\n", "buffer", budget).unwrap();
/// let system = System::new(vec![buffer.into()], &[]).unwrap();
/// let (formula, names) = ltl(&parse("F G !get").unwrap()).unwrap();
/// let buchi = translate(&formula, budget).unwrap();
/// let atoms = [LinearAtom::action(&system, &names[0]).unwrap()];
/// let sought = SoughtRun { system: &system, buchi: &buchi, atoms: &atoms, dead_ends: DeadEnds::Maximal };
/// assert_eq!(accepted_run(&sought, budget).unwrap().accepted, Truth::False);
/// ```
///
/// # Errors
/// The budget ran out.
pub fn accepted_run(sought: &SoughtRun<'_>, budget: &mut Budget) -> Result<LinearOutcome, Exhausted> {
    let mark = budget.used();
    let mut some = Graph::new(sought, Steps::May, budget)?;
    let found = some.accepting(budget)?;
    let (mut pairs, mut states) = (some.len(), some.global_states());
    let outcome = |accepted, run, doubt, pairs, states| LinearOutcome { accepted, run, doubt, pairs, states };
    let Some(accepting) = found else {
        give_back(mark, budget);
        return Ok(outcome(Truth::False, None, None, pairs, states));
    };
    let (run, doubt) = lasso::lasso(&some, accepting, budget)?;
    drop(some);
    give_back(mark, budget);
    if doubt.is_none() {
        return Ok(outcome(Truth::True, Some(run), None, pairs, states));
    }
    let mut all = Graph::new(sought, Steps::Must, budget)?;
    let found = all.accepting(budget)?;
    pairs += all.len();
    states = states.max(all.global_states());
    let run = match found {
        Some(accepting) => Some(lasso::lasso(&all, accepting, budget)?.0),
        None => None,
    };
    drop(all);
    give_back(mark, budget);
    Ok(match run {
        Some(run) => outcome(Truth::True, Some(run), None, pairs, states),
        None if duel::always_accepts(sought, budget)? => outcome(Truth::True, None, None, pairs, states),
        None => outcome(Truth::Unknown, None, doubt, pairs, states),
    })
}

/// Whether a system has an infinite run, or may have one.
///
/// # Errors
/// The budget ran out.
pub fn may_run_for_ever(system: &System, budget: &mut Budget) -> Result<bool, Exhausted> {
    let anything = loris_logic::automaton::Edge { guard: loris_logic::automaton::Guard::True, to: 0 };
    let buchi = Buchi::new(0, vec![0], vec![true], vec![vec![anything]]).expect("it is consistent");
    let sought = SoughtRun { system, buchi: &buchi, atoms: &[], dead_ends: DeadEnds::Stop };
    let mark = budget.used();
    let found = Graph::new(&sought, Steps::May, budget)?.accepting(budget)?;
    give_back(mark, budget);
    Ok(found.is_some())
}

/// Gives back all that was declared since there was this much.
fn give_back(mark: usize, budget: &mut Budget) {
    budget.release(budget.used().saturating_sub(mark));
}
