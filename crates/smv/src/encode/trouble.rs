//! Errors of a model that only its states show: as a question for an engine, and as messages.

use super::{Encoded, FaultCause, Moment, Trouble};
use crate::ir::{Program, StructureId};
use crate::states::Scene;
use loris_base::{Diagnostic, Idx};
use loris_circuit::{Aig, Lit, StateVar, TransitionSystem};

impl Encoded {
    /// A system with one observed function, which holds in some reachable state if and only if the
    /// model has some of this [trouble](Trouble); nothing if it cannot have any. It extends the
    /// system: the first state variables are those of [`Encoded::system`].
    ///
    /// Two state variables are added: one that is true at the start only, and one that a step with
    /// trouble sets, for which constraints are lifted. Valuations with trouble at the start count
    /// as initial.
    pub fn trouble_system(&self, trouble: &[Trouble]) -> Option<TransitionSystem> {
        if trouble.is_empty() {
            return None;
        }
        let mut system = self.system.clone();
        let aig = &mut system.aig;
        let mut of = |moment: Moment| {
            let all = trouble.iter().filter(|trouble| trouble.moment == moment);
            let all: Vec<Lit> = all.map(|trouble| trouble.when).collect();
            aig.any(all)
        };
        let (start, step, state) = (of(Moment::Start), of(Moment::Step), of(Moment::State));
        let (first, after) = (aig.variable(), aig.variable());
        let begins = aig.all(system.init.iter().copied());
        let begins = aig.or(begins, start);
        let at_start = aig.and(first, start);
        let bad = aig.any([at_start, state, after]);
        for constraint in &mut system.constraints {
            *constraint = aig.or(*constraint, step);
        }
        system.init = vec![begins, first, !after];
        system.states.push(StateVar { now: first, next: Lit::FALSE });
        system.states.push(StateVar { now: after, next: step });
        system.justice.clear();
        system.compassion.clear();
        system.observed = vec![bad];
        Some(system)
    }

    /// What is wrong in a state, or with the choices of a step from it, with the messages of
    /// explicit states; nothing if none of this trouble is there at that moment.
    pub fn problem(
        &self,
        (program, structure): (&Program, StructureId),
        trouble: &[Trouble],
        moment: Moment,
        state: &[bool],
        choices: &[bool],
    ) -> Option<Diagnostic> {
        let system = &self.system;
        let mut bits = vec![0; system.aig.len()];
        let nows = system.states.iter().map(|state| state.now);
        for (lit, &value) in nows.zip(state).chain(system.choices.iter().copied().zip(choices)) {
            bits[lit.var().index()] = u64::from(value);
        }
        let values = system.aig.simulate(|var| bits[var.index()]);
        let holds = |lit: Lit| Aig::value(&values, lit) & 1 != 0;
        let next: Vec<bool> = system.states.iter().map(|state| holds(state.next)).collect();
        let of = &program.structures[structure];
        let count = of.variables.len();
        let mut slots = vec![0; 2 * count];
        for field in &self.layout.variables {
            slots[field.variable.index()] = field.value(state);
            slots[count + field.variable.index()] = field.value(&next);
        }
        for field in self.layout.inputs.iter().filter(|_| !choices.is_empty()) {
            slots[field.variable.index()] = field.value(choices);
        }
        let is_there = trouble.iter().filter(|other| other.moment == moment && holds(other.when));
        is_there.into_iter().find_map(|trouble| {
            let of_step = match trouble.what {
                FaultCause::Assignment(variable, expr) => of.variables[variable].next == Some(expr),
                FaultCause::Condition(expr) => !of.invar.contains(&expr),
                FaultCause::Atom(_) => false,
            };
            let scene = Scene {
                structure: of,
                symbols: &program.symbols,
                layout: &self.layout.explicit,
                state: (moment != Moment::Start).then_some(&slots[..count]),
                slots: if moment == Moment::Step && !of_step { &slots[count..] } else { &slots },
            };
            match trouble.what {
                FaultCause::Assignment(variable, expr) => scene.assignment(variable, expr),
                FaultCause::Condition(expr) | FaultCause::Atom(expr) => scene.condition(expr),
            }
        })
    }

    /// That a state has no successor, as explicit states report it.
    pub fn dead_end(&self, program: &Program, structure: StructureId, state: &[bool]) -> Diagnostic {
        let of = &program.structures[structure];
        let mut values = vec![0; of.variables.len()];
        for field in &self.layout.variables {
            values[field.variable.index()] = field.value(state);
        }
        let (symbols, layout) = (&program.symbols, &self.layout.explicit);
        Scene { structure: of, symbols, layout, state: Some(&values), slots: &[] }.dead_end()
    }

    /// That no state is initial, as explicit states report it.
    pub fn no_start(&self, program: &Program, structure: StructureId) -> Diagnostic {
        let of = &program.structures[structure];
        let (symbols, layout) = (&program.symbols, &self.layout.explicit);
        Scene { structure: of, symbols, layout, state: None, slots: &[] }.no_start()
    }
}
