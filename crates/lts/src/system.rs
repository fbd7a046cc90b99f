//! Processes put together: who takes part in which action, who knows which label.

use crate::{ActionId, AtomId, Process, ProcessKind, StateId, TAU};
use loris_base::{Idx, Names, Symbol, Truth};
use std::sync::Arc;
use thiserror::Error;

/// Why processes do not compose.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum Misfit {
    /// There is no process.
    #[error("there is no process")]
    Empty,
    /// A Kripke structure beside a labelled transition system.
    #[error("`{kripke}` is a Kripke structure and `{lts}` a labelled transition system")]
    Kinds {
        /// The name of a Kripke structure.
        kripke: String,
        /// The name of a labelled transition system.
        lts: String,
    },
    /// Initial states that do not agree on a shared label.
    #[error("the initial states of `{one}` and `{other}` do not agree on `{atom}`")]
    Initial {
        /// One process.
        one: String,
        /// The other.
        other: String,
        /// The label.
        atom: String,
    },
    /// No initial states that agree on shared labels.
    #[error("no initial states of the processes agree on the labels they share")]
    NoInitial,
    /// A label of two labelled transition systems: these share actions, not labels.
    #[error("`{one}` and `{other}` both label states with `{atom}`")]
    SharedAtom {
        /// One process.
        one: String,
        /// The other.
        other: String,
        /// The label.
        atom: String,
    },
}

/// A global state: the local state of every process.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct GlobalState(pub Vec<u32>);

/// An action of a [`System`], by number; 0 is the silent one.
pub type Action = u32;

/// Parallel processes. Kripke structures move together, between states that agree on shared
/// labels; labelled transition systems take an action together if they know it, and each takes its
/// silent steps alone (compositional-3valued, sections 1 and A14).
#[derive(Clone, Debug)]
pub struct System {
    kind: ProcessKind,
    processes: Vec<Arc<Process>>,
    actions: Names,
    /// hidden actions are silent to formulas, but still taken together
    hidden: Vec<bool>,
    /// by action: the processes that know it, with their number for it; none for the silent one
    participants: Vec<Vec<(u32, ActionId)>>,
    /// by process and its own number: the action
    global: Vec<Vec<Action>>,
    /// whether a process has silent steps
    silent: Vec<bool>,
    atoms: Names,
    owners: Vec<Vec<(u32, AtomId)>>,
    /// whether the first step only chooses among initial states
    starts: bool,
    /// whether there is an initial state
    has_runs: bool,
}

impl System {
    /// Puts processes together. Actions in `hidden` are silent to formulas.
    pub fn new(processes: Vec<Arc<Process>>, hidden: &[String]) -> Result<Self, Misfit> {
        let first = processes.first().ok_or(Misfit::Empty)?;
        let kind = first.kind();
        if let Some(other) = processes.iter().find(|process| process.kind() != kind) {
            let (kripke, lts) = if kind == ProcessKind::Kripke { (first, other) } else { (other, first) };
            return Err(Misfit::Kinds { kripke: kripke.name().to_owned(), lts: lts.name().to_owned() });
        }
        let mut actions = Names::default();
        actions.intern("tau");
        let mut participants: Vec<Vec<(u32, ActionId)>> = vec![Vec::new()];
        let mut global = Vec::new();
        let mut atoms = Names::default();
        let mut owners: Vec<Vec<(u32, AtomId)>> = Vec::new();
        for (i, process) in processes.iter().enumerate() {
            let mut own = Vec::with_capacity(process.actions().len());
            for action in process.action_ids() {
                let symbol = actions.intern(process.action_name(action));
                if participants.len() < actions.len() {
                    participants.push(Vec::new());
                }
                if action != TAU {
                    participants[symbol.index()].push((i as u32, action));
                }
                own.push(symbol.index() as Action);
            }
            global.push(own);
            for atom in process.atom_ids() {
                let symbol = atoms.intern(process.atom_name(atom));
                if owners.len() < atoms.len() {
                    owners.push(Vec::new());
                }
                owners[symbol.index()].push((i as u32, atom));
            }
        }
        let silent = processes
            .iter()
            .map(|process| process.states().any(|state| process.steps_by(state, TAU).next().is_some()))
            .collect();
        let hidden = actions.iter().map(|name| hidden.iter().any(|other| other == name)).collect();
        let (starts, has_runs) = (false, true);
        let system = Self {
            kind,
            processes,
            actions,
            hidden,
            participants,
            global,
            silent,
            atoms,
            owners,
            starts,
            has_runs,
        };
        system.agree()?;
        Ok(system)
    }

    /// The same where the first step only chooses among initial states, of which there may be none.
    pub(crate) fn after_start(self, has_runs: bool) -> Self {
        Self { starts: true, has_runs, ..self }
    }

    /// Whether there is an initial state: if not, every formula holds.
    pub fn has_runs(&self) -> bool {
        self.has_runs
    }

    /// Whether the first step only chooses among initial states.
    pub fn starts(&self) -> bool {
        self.starts
    }

    /// Checks what processes share.
    fn agree(&self) -> Result<(), Misfit> {
        for (symbol, owners) in self.owners.iter().enumerate() {
            let [(one, atom), others @ ..] = owners.as_slice() else { continue };
            for &(other, other_atom) in others {
                let (a, b) = (self.process(*one), self.process(other));
                let names = || {
                    let atom = self.atoms[Symbol::new(symbol)].to_owned();
                    (a.name().to_owned(), b.name().to_owned(), atom)
                };
                if self.kind == ProcessKind::Lts {
                    let (one, other, atom) = names();
                    return Err(Misfit::SharedAtom { one, other, atom });
                }
                if a.label(a.initial(), *atom) != b.label(b.initial(), other_atom) {
                    let (one, other, atom) = names();
                    return Err(Misfit::Initial { one, other, atom });
                }
            }
        }
        Ok(())
    }

    /// Kripke structures or labelled transition systems.
    pub fn kind(&self) -> ProcessKind {
        self.kind
    }

    /// The processes.
    pub fn processes(&self) -> &[Arc<Process>] {
        &self.processes
    }

    /// A process by number.
    #[inline]
    pub fn process(&self, process: u32) -> &Process {
        &self.processes[process as usize]
    }

    /// How many processes there are.
    #[expect(clippy::len_without_is_empty, reason = "a system is never empty")]
    pub fn len(&self) -> usize {
        self.processes.len()
    }

    /// The names of all actions; `tau` is the first.
    pub fn actions(&self) -> &Names {
        &self.actions
    }

    /// The name by which formulas see an action.
    pub fn visible_name(&self, action: Action) -> &str {
        if self.hidden[action as usize] { "tau" } else { &self.actions[Symbol::new(action as usize)] }
    }

    /// The processes that take an action together, with their numbers for it; none for the silent
    /// action, which every process takes alone.
    #[inline]
    pub fn participants(&self, action: Action) -> &[(u32, ActionId)] {
        &self.participants[action as usize]
    }

    /// The action that a process calls by its own number.
    #[inline]
    pub fn action(&self, process: u32, own: ActionId) -> Action {
        self.global[process as usize][own.index()]
    }

    /// Whether a process has silent steps.
    pub fn has_silent_steps(&self, process: u32) -> bool {
        self.silent[process as usize]
    }

    /// The labels of all processes.
    pub fn atoms(&self) -> &Names {
        &self.atoms
    }

    /// The processes that know a label.
    pub fn owners(&self, atom: Symbol) -> &[(u32, AtomId)] {
        &self.owners[atom.index()]
    }

    /// The value of a label in a process's state, unknown if the process does not know it.
    pub fn label(&self, process: u32, state: StateId, atom: Symbol) -> Truth {
        let own = self.owners(atom).iter().find(|(owner, _)| *owner == process);
        own.map_or(Truth::Unknown, |&(_, atom)| self.process(process).label(state, atom))
    }

    /// The initial state of every process.
    pub fn initial(&self) -> Vec<u32> {
        self.processes.iter().map(|process| process.initial().index() as u32).collect()
    }

    /// The names of the processes' states; numbers where they have none.
    pub fn state_names(&self, local: &[u32]) -> Vec<String> {
        let processes = self.processes.iter().zip(local);
        processes
            .map(|(process, &state)| {
                let name = process.state_name(StateId::new(state as usize));
                name.map_or_else(|| state.to_string(), str::to_owned)
            })
            .collect()
    }

    /// Whether all steps are certain and all labels known.
    pub fn is_concrete(&self) -> bool {
        self.processes.iter().all(|process| process.is_concrete())
    }
}
