//! Modules of an SMV file as Boolean transition systems: errors in their states are found without
//! listing them.

use super::{SmvFile, WantedProperty};
use loris_base::{Budget, Diagnostic, Diagnostics, Exhausted, Stopped};
use loris_check::{FirstOrder, SymbolicModel, run_to, run_to_dead_end};
use loris_circuit::{Lit, StatePart, SystemRun, TransitionSystem, Valuation};
use loris_evidence::{StateNames, SystemStates};
use loris_smv::ir::{Atom, StructureId};
use loris_smv::{Encoded, FaultCause, Moment, Trouble, encode};
use std::borrow::Cow;
use std::sync::Arc;

/// The states of a module, by equations over bits.
#[derive(Debug)]
pub struct SmvStates {
    encoded: Encoded,
    bits: Vec<String>,
    /// For each property that is wanted of the file, its number among those that were encoded.
    numbers: Vec<Option<usize>>,
}

/// Why states of a module are not a model.
#[derive(Debug)]
pub enum Unsound {
    /// Something is wrong with the module, or a limit was reached.
    Stopped(Stopped),
    /// A state has no successor.
    DeadEnd(Box<Diagnostic>),
}

impl From<Exhausted> for Unsound {
    fn from(why: Exhausted) -> Self {
        Unsound::Stopped(Stopped::Exhausted(why))
    }
}

impl From<Stopped> for Unsound {
    fn from(stopped: Stopped) -> Self {
        Unsound::Stopped(stopped)
    }
}

impl From<Diagnostic> for Unsound {
    fn from(problem: Diagnostic) -> Self {
        Unsound::Stopped(Stopped::Wrong(problem.into()))
    }
}

impl SmvFile {
    /// Whether a property is about conditions on states of its module alone.
    pub fn is_of_states(&self, wanted: WantedProperty) -> bool {
        self.property(wanted).atoms.iter().all(|atom| matches!(atom, Atom::Condition(_)))
    }

    /// The states of a module for all properties of it that are wanted.
    pub fn states(&self, structure: StructureId, budget: &mut Budget) -> Result<SmvStates, Unsound> {
        let states = self.equations(structure, budget)?;
        self.find_trouble(&states.encoded, structure, budget)?;
        self.find_start(&states.encoded, structure, budget)?;
        self.find_dead_end(&states.encoded, structure, budget)?;
        Ok(states)
    }

    /// The same, whatever may be wrong with some states.
    pub fn equations(&self, structure: StructureId, budget: &mut Budget) -> Result<SmvStates, Stopped> {
        budget.look()?;
        let is_of = |&wanted: &usize| {
            self.wanted[wanted].structure == structure && self.is_of_states(WantedProperty(wanted))
        };
        let wanted: Vec<usize> = (0..self.wanted.len()).filter(is_of).collect();
        let properties: Vec<_> = wanted.iter().map(|&wanted| &self.wanted[wanted]).collect();
        let encoded = encode(self.smv.program(), structure, &properties, budget)?;
        let mut numbers = vec![None; self.wanted.len()];
        wanted.iter().enumerate().for_each(|(number, &wanted)| numbers[wanted] = Some(number));
        Ok(SmvStates { bits: encoded.layout.bit_names(), encoded, numbers })
    }

    /// Looks for what explicit states would report as an error of a state that is reached.
    fn find_trouble(
        &self,
        encoded: &Encoded,
        structure: StructureId,
        budget: &mut Budget,
    ) -> Result<(), Unsound> {
        if self.first_trouble(encoded, structure, &encoded.trouble, budget)?.is_none() {
            return Ok(());
        }
        // that of the model counts first; each condition of a property is asked by itself, so that
        // what is reported of it does not depend on the others
        let is_atom = |trouble: &&Trouble| matches!(trouble.what, FaultCause::Atom(_));
        let (atoms, own): (Vec<&Trouble>, Vec<&Trouble>) = encoded.trouble.iter().partition(is_atom);
        let own: Vec<Trouble> = own.into_iter().copied().collect();
        if let Some(problem) = self.first_trouble(encoded, structure, &own, budget)? {
            return Err(problem.into());
        }
        let mut found = Diagnostics::default();
        for &trouble in atoms {
            let FaultCause::Atom(condition) = trouble.what else { continue };
            let Some(problem) = self.first_trouble(encoded, structure, &[trouble], budget)? else { continue };
            let mut of_file = false;
            for property in self.wanted.iter().filter(|property| property.structure == structure) {
                let is_it = |atom: &Atom| *atom == Atom::Condition(condition);
                let Some(atom) = property.atoms.iter().position(is_it) else { continue };
                if property.base.is_some() || !std::mem::replace(&mut of_file, true) {
                    found.push(property.blamed(atom, &problem));
                }
            }
        }
        Err(Stopped::Wrong(found).into())
    }

    /// Some of this trouble, if a state that is reached has any.
    fn first_trouble(
        &self,
        encoded: &Encoded,
        structure: StructureId,
        trouble: &[Trouble],
        budget: &mut Budget,
    ) -> Result<Option<Diagnostic>, Stopped> {
        let Some(system) = encoded.trouble_system(trouble) else { return Ok(None) };
        let Some(trace) = run_to(&system, budget)? else { return Ok(None) };
        let count = encoded.system.states.len();
        let last = trace.steps.len() - 1;
        let state = |at: usize| &trace.steps[at].state[..count];
        let after = trace.steps[last].state[count + 1];
        let of = (self.smv.program(), structure);
        let found = if after {
            let choice = &trace.steps[last - 1].choice;
            encoded.problem(of, trouble, Moment::Step, state(last - 1), choice)
        } else {
            let mut moments = [Moment::State, Moment::Start].into_iter();
            moments.find_map(|moment| encoded.problem(of, trouble, moment, state(last), &[]))
        };
        Ok(found.or_else(|| Some(Diagnostic::global("an expression has no value in some state"))))
    }

    /// Makes sure that there is an initial state.
    fn find_start(
        &self,
        encoded: &Encoded,
        structure: StructureId,
        budget: &mut Budget,
    ) -> Result<(), Unsound> {
        let mut system = TransitionSystem { observed: vec![Lit::TRUE], ..encoded.system.clone() };
        system.constraints.clear();
        let some = run_to(&system, budget)?;
        if some.is_none() { Err(encoded.no_start(self.smv.program(), structure).into()) } else { Ok(()) }
    }

    /// Makes sure that every state that is reached has a successor.
    fn find_dead_end(
        &self,
        encoded: &Encoded,
        structure: StructureId,
        budget: &mut Budget,
    ) -> Result<(), Unsound> {
        if encoded.is_total {
            return Ok(());
        }
        let run = run_to_dead_end(&encoded.system, FirstOrder::Declared, budget)?;
        let Some(last) = run.as_ref().and_then(|run| run.steps.last()) else { return Ok(()) };
        let problem = encoded.dead_end(self.smv.program(), structure, &last.state);
        Err(Unsound::DeadEnd(Box::new(problem)))
    }
}

impl SmvStates {
    /// The function of states that each atom of a property stands for, by name.
    pub fn atoms<'f>(&self, file: &'f SmvFile, wanted: WantedProperty) -> Vec<(&'f str, Lit)> {
        let lits = self.numbers[wanted.0].map_or(&[][..], |number| &self.encoded.atoms[number]);
        file.property(wanted).formula.atoms().iter().zip(lits.iter().copied()).collect()
    }

    /// The states of the module as evidence for a property sees them: in what it depends on.
    pub fn space(&self, file: &SmvFile, wanted: WantedProperty, fair: bool) -> SystemStates {
        let atoms = self.atoms(file, wanted);
        let mut system = self.system(&atoms.iter().map(|&(_, lit)| lit).collect::<Vec<_>>());
        if !fair {
            system.justice.clear();
            system.compassion.clear();
        }
        let bits = self.bits.iter().cloned().zip(system.states.iter().map(|state| state.now));
        // the name of a condition may be that of a bit, which it is, then
        let named = bits.chain(atoms.into_iter().map(|(name, lit)| (name.to_owned(), lit)));
        let named: Vec<(String, Lit)> = named.collect();
        SystemStates::new(system, named)
    }

    /// The state in which variables have these values.
    pub fn valuation<'v>(
        &self,
        values: impl Iterator<Item = (&'v str, &'v str)>,
    ) -> Result<Valuation, String> {
        let latches = self.encoded.layout.bits(values)?;
        Ok(Valuation { latches, inputs: Vec::new(), part: Arc::default() })
    }
}

impl SymbolicModel for SmvStates {
    fn bytes(&self) -> usize {
        self.encoded.system.bytes()
    }

    fn system(&self, observed: &[Lit]) -> TransitionSystem {
        TransitionSystem { observed: observed.to_vec(), ..self.encoded.system.clone() }
    }

    fn is_fair(&self) -> bool {
        !self.encoded.system.justice.is_empty() || !self.encoded.system.compassion.is_empty()
    }

    fn is_total(&self) -> bool {
        true
    }

    fn variables(&self, _: &TransitionSystem) -> Vec<String> {
        self.bits.clone()
    }

    fn order(&self) -> FirstOrder {
        FirstOrder::Declared
    }

    fn state_variables(&self) -> usize {
        self.encoded.system.states.len()
    }

    fn states(&self, _: &TransitionSystem, trace: &SystemRun, latches: Vec<bool>) -> Vec<Valuation> {
        let count = self.encoded.system.states.len();
        let part = Arc::new(StatePart { latches, inputs: Vec::new() });
        let state = |bits: &[bool]| Valuation {
            latches: bits[..count].to_vec(),
            inputs: Vec::new(),
            part: Arc::clone(&part),
        };
        trace.steps.iter().map(|step| state(&step.state)).collect()
    }

    fn dead_end(&self, _: &SystemRun) -> String {
        "a state has no successor".to_owned()
    }
}

impl StateNames<Valuation> for SmvStates {
    fn values(&self, state: &Valuation) -> Vec<(Cow<'_, str>, Cow<'_, str>)> {
        let values = self.encoded.layout.values_of(&state.latches, &state.part.latches);
        values.into_iter().map(|(name, value)| (name.into(), value.into())).collect()
    }
}
