//! Parallel processes as decision diagrams see them.

use loris_base::{Idx, Symbol, Truth};
use loris_lts::{Action, ActionId, Process, ProcessKind, System, TAU};
use loris_solvers::mdd::{Event, Kronecker};

/// Processes with some of their local states.
pub type Owners = Vec<(u32, Vec<u32>)>;

/// Parallel processes as formulas see them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Processes {
    /// The local states of each process and what can happen.
    pub system: Kronecker,
    /// For each event, the name of its action.
    pub names: Vec<String>,
    /// Labels of states: each holds where one of the processes is in one of its listed states, in
    /// ascending order.
    pub atoms: Vec<(String, Owners)>,
    /// Labels on which processes agree in every state: each of them has it in its listed states, in
    /// ascending order.
    pub shared: Vec<Owners>,
}

impl Processes {
    /// Whether a system has no uncertain steps and no unknown labels.
    pub fn are_those_of(system: &System) -> bool {
        system.is_concrete()
    }

    /// The processes of a concrete system; none for other systems. Kripke structures have one
    /// event, in which all of them move.
    pub fn of(system: &System) -> Option<Self> {
        if !Self::are_those_of(system) {
            return None;
        }
        let (mut events, mut names) = (Vec::new(), Vec::new());
        let is_kripke = system.kind() == ProcessKind::Kripke;
        if is_kripke {
            let locals = (0..).zip(system.processes()).map(|(process, own)| (process, all_pairs(own)));
            events.push(Event { locals: locals.collect() });
            names.push("tau".to_owned());
        }
        for action in (1..system.actions().len() as Action).filter(|_| !is_kripke) {
            let locals = system.participants(action).iter();
            let locals =
                locals.map(|&(process, own)| (process, pairs(system.process(process), own))).collect();
            events.push(Event { locals });
            names.push(system.visible_name(action).to_owned());
        }
        for process in 0..system.len() as u32 {
            if !is_kripke && system.has_silent_steps(process) {
                events.push(Event { locals: vec![(process, pairs(system.process(process), TAU))] });
                names.push("tau".to_owned());
            }
        }
        let atoms = (0..system.atoms().len()).map(|atom| {
            let atom = Symbol::new(atom);
            let owners = system.owners(atom).iter().map(|&(process, own)| {
                let states = system.process(process).states();
                let states = states.filter(|&state| system.process(process).label(state, own) == Truth::True);
                (process, states.map(|state| state.index() as u32).collect())
            });
            (system.atoms()[atom].to_owned(), owners.collect())
        });
        let atoms: Vec<(String, Owners)> = atoms.collect();
        let joint = atoms.iter().filter(|(_, owners)| is_kripke && owners.len() > 1);
        Some(Self {
            shared: joint.map(|(_, owners)| owners.clone()).collect(),
            atoms,
            system: Kronecker {
                sizes: system.processes().iter().map(|process| process.state_count() as u32).collect(),
                initial: system.initial(),
                events,
            },
            names,
        })
    }

    /// The same processes with levels in another order.
    pub(super) fn arranged(&self, order: &[u32]) -> Self {
        let system = &self.system;
        let mut places = vec![0; order.len()];
        for (place, &process) in (0..).zip(order) {
            places[process as usize] = place;
        }
        let events = system.events.iter().map(|event| {
            let locals = event.locals.iter();
            let mut locals: Vec<_> =
                locals.map(|(process, pairs)| (places[*process as usize], pairs.clone())).collect();
            locals.sort_unstable();
            Event { locals }
        });
        let arranged = |owners: &Owners| -> Owners {
            owners.iter().map(|(process, states)| (places[*process as usize], states.clone())).collect()
        };
        let atoms = self.atoms.iter().map(|(name, owners)| (name.clone(), arranged(owners)));
        let shared = self.shared.iter().map(|owners| {
            let mut owners = arranged(owners);
            owners.sort_unstable();
            owners
        });
        Self {
            system: Kronecker {
                sizes: order.iter().map(|&process| system.sizes[process as usize]).collect(),
                initial: order.iter().map(|&process| system.initial[process as usize]).collect(),
                events: events.collect(),
            },
            names: self.names.clone(),
            atoms: atoms.collect(),
            shared: shared.collect(),
        }
    }
}

/// The steps of a process by an action.
fn pairs(process: &Process, action: ActionId) -> Vec<(u32, u32)> {
    let states = process.states();
    let steps = states.flat_map(|state| process.steps_by(state, action).map(move |step| (state, step)));
    steps.map(|(state, step)| (state.index() as u32, step.target.index() as u32)).collect()
}

/// All steps of a process.
fn all_pairs(process: &Process) -> Vec<(u32, u32)> {
    let steps = process.states().flat_map(|state| process.steps(state).map(move |step| (state, step)));
    let mut pairs: Vec<(u32, u32)> =
        steps.map(|(state, step)| (state.index() as u32, step.target.index() as u32)).collect();
    pairs.sort_unstable();
    pairs.dedup();
    pairs
}

#[cfg(test)]
mod tests {
    use super::Processes;
    use loris_base::Budget;
    use loris_lts::System;
    use loris_solvers::mdd::Event;
    use std::sync::Arc;

    #[test]
    fn processes_share_actions_and_keep_silent_steps() {
        let process = |name: &str, text: &str| {
            let (process, _) =
                loris_lts::read_aut(text.as_bytes(), name, &mut Budget::unlimited()).expect("well-formed");
            Arc::new(process)
        };
        let one = process("one", "des (0, 3, 2)\n(0, a, 1)\n(1, tau, 0)\n(1, b, 1)\n");
        let two = process("two", "des (1, 2, 2)\n(1, a, 0)\n(0, tau, 1)\n");
        let system = System::new(vec![one, two], &["b".to_owned()]).expect("they compose");
        let processes = Processes::of(&system).expect("concrete");
        assert_eq!(processes.system.sizes, [2, 2]);
        assert_eq!(processes.system.initial, [0, 1]);
        assert_eq!(processes.names, ["a", "tau", "tau", "tau"]);
        let events = [
            vec![(0, vec![(0, 1)]), (1, vec![(1, 0)])],
            vec![(0, vec![(1, 1)])],
            vec![(0, vec![(1, 0)])],
            vec![(1, vec![(0, 1)])],
        ];
        assert_eq!(processes.system.events, events.map(|locals| Event { locals }));
    }
}
