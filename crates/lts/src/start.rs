//! Kripke structures with several initial states: a state of its own before them.

use crate::builder::{Modality, ProcessBuilder};
use crate::process::{Process, StateId, TAU};
use loris_base::{Budget, Stopped};

/// The name of the state before the initial ones.
const START: &str = "(start)";

/// A process with all of its initial states.
#[derive(Debug)]
pub struct Started {
    /// The process.
    pub process: Process,
    /// Its initial states; constraints of a circuit may leave none.
    pub initial: Vec<StateId>,
}

impl Process {
    /// The same Kripke structure with a new initial state, in which no label is true, and a step
    /// from there to each of `initial`. If all processes of a composition are given one, they take
    /// this step together, to those initial states that agree on shared labels.
    ///
    /// # Errors
    /// The budget ran out.
    pub fn with_start(&self, initial: &[StateId], budget: &mut Budget) -> Result<Self, Stopped> {
        let mut builder = ProcessBuilder::new(self.name(), self.kind());
        for state in self.states() {
            budget.spend(1)?;
            match self.state_name(state) {
                Some(name) => builder.named_state(name),
                None => builder.state(),
            };
        }
        let start = if self.has_state_names() {
            let names = std::iter::once(START.to_owned()).chain((2..).map(|n| format!("(start {n})")));
            let free = names.into_iter().find(|name| self.find_state(name).is_none());
            builder.named_state(&free.unwrap_or_default())
        } else {
            builder.state()
        };
        builder.initial(start);
        for name in self.atoms().iter() {
            let atom = builder.atom(name);
            builder.label(start, atom, false);
        }
        for &state in initial {
            builder.make_room(budget)?;
            builder.step(start, TAU, state, Modality::Both);
        }
        for state in self.states() {
            for atom in self.atom_ids() {
                let value = self.label(state, atom);
                if value.is_known() {
                    builder.make_room(budget)?;
                    let atom = builder.atom(self.atom_name(atom));
                    builder.label(state, atom, value == loris_base::Truth::True);
                }
            }
            for step in self.steps(state) {
                builder.make_room(budget)?;
                let modality = if step.must { Modality::Both } else { Modality::May };
                let action = builder.action(self.action_name(step.action));
                builder.step(state, action, step.target, modality);
            }
        }
        builder.finish(budget)
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use crate::{StateId, read_kmts};
    use loris_base::{Budget, Idx, Truth};

    #[test]
    fn a_step_to_each_initial_state() {
        let text = br#"{"kind": "kmts", "initial": "a", "states": [{"name": "a", "labels": ["p"]}, "b"],
            "steps": [["a", "b"]], "may": [["b", "a"]]}"#;
        let budget = &mut Budget::unlimited();
        let process = read_kmts(text, "c", budget).unwrap();
        let started = process.with_start(&[StateId::new(0), StateId::new(1)], budget).unwrap();
        let start = started.initial();
        assert_eq!((started.state_count(), started.state_name(start)), (3, Some("(start)")));
        assert_eq!(started.steps(start).map(|step| step.target.index()).collect::<Vec<_>>(), [0, 1]);
        let p = started.find_atom("p").unwrap();
        let labels: Vec<Truth> = started.states().map(|state| started.label(state, p)).collect();
        assert_eq!(labels, [Truth::True, Truth::Unknown, Truth::False]);
        assert!(!started.steps(StateId::new(1)).next().unwrap().must);
    }
}
