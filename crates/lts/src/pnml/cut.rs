//! Cuts a net into processes: one labelled transition system per unit.
//!
//! The states of a process are the places of its unit, of which at most one holds a token, and
//! one in which none does. Its alphabet are the transitions that touch a place of the unit, and all
//! processes that know a transition take it together, so that the composition of all processes is
//! the net. Linear in the net, apart from the question whether it is safe.

use super::net::Net;
use super::safety::{Safety, safety};
use crate::{Modality, Process, ProcessBuilder, ProcessKind, StateId};
use loris_base::{Budget, Diagnostic, Diagnostics, Idx, Severity, Stopped, Symbol, visible_name};

/// A net as processes.
#[derive(Clone, Debug)]
pub struct Cut {
    /// A process for each unit that has places, named after it; without units, one for each
    /// place. Transitions that touch no place are those of a process of their own.
    pub processes: Vec<Process>,
    /// Remarks: what was taken on trust.
    pub notes: Diagnostics,
}

/// The places of a transition in one unit.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Few {
    None,
    One(u32),
    Many,
}

impl Few {
    fn and(self, place: u32) -> Self {
        if self == Few::None { Few::One(place) } else { Few::Many }
    }
}

/// A transition as a unit sees it.
#[derive(Clone, Copy)]
struct Touch {
    transition: u32,
    before: Few,
    after: Few,
}

impl Net {
    /// Cuts the net along its units, or into its places if it has none. With `labels`, each state
    /// is labelled with the place that holds a token in it.
    ///
    /// # Errors
    /// The net is not safe, or that is not known; or a limit was reached.
    pub fn cut(&self, labels: bool, budget: &mut Budget) -> Result<Cut, Stopped> {
        let (names, groups) = self.groups();
        let mut unit_of = vec![0u32; self.places.len()];
        for (unit, places) in groups.iter().enumerate() {
            for &place in places {
                unit_of[place as usize] = unit as u32;
            }
        }
        let mut problems = Diagnostics::default();
        for (unit, places) in groups.iter().enumerate() {
            let mut marked = places.iter().filter(|&&place| self.marked[place as usize]);
            if let (Some(&one), Some(&other)) = (marked.next(), marked.next()) {
                problems.push(self.problem(format!(
                    "the unit {} is not safe: {} and {} both start with a token",
                    visible_name(&names[unit]),
                    self.place(one),
                    self.place(other)
                )));
            }
        }
        if problems.has_errors() {
            return Err(problems.into());
        }
        self.check_safety(&names, &unit_of, &mut problems, budget)?;
        let mut touches: Vec<Vec<Touch>> = vec![Vec::new(); groups.len()];
        let mut free = Vec::new();
        for transition in 0..self.transitions.len() {
            self.touch(transition, &unit_of, &mut touches, budget)?;
            if self.before[transition].is_empty() && self.after[transition].is_empty() {
                free.push(transition);
            }
        }
        let mut processes = Vec::with_capacity(groups.len());
        for ((name, places), touches) in names.iter().zip(&groups).zip(&touches) {
            processes.push(self.process(name, places, touches, labels, budget)?);
        }
        if !free.is_empty() {
            processes.push(self.always(&free, &names, budget)?);
        }
        Ok(Cut { processes, notes: problems })
    }

    fn problem(&self, message: String) -> Diagnostic {
        match &self.units {
            Some(units) => Diagnostic::error(units.offset, 0, message),
            None => Diagnostic::global(message),
        }
    }

    fn place(&self, place: u32) -> String {
        visible_name(&self.places[Symbol::new(place as usize)]).into_owned()
    }

    /// The names and places of units that have places.
    fn groups(&self) -> (Vec<String>, Vec<Vec<u32>>) {
        match &self.units {
            Some(units) => {
                let with_places =
                    units.names.iter().zip(&units.places).filter(|(_, places)| !places.is_empty());
                with_places.map(|(name, places)| (name.clone(), places.clone())).unzip()
            }
            None => self.places.iter().enumerate().map(|(i, name)| (name.to_owned(), vec![i as u32])).unzip(),
        }
    }

    /// Refuses a net that is not safe, or of which nobody knows; notes what is taken on trust.
    fn check_safety(
        &self,
        names: &[String],
        unit_of: &[u32],
        problems: &mut Diagnostics,
        budget: &mut Budget,
    ) -> Result<(), Stopped> {
        match safety(self, unit_of, budget)? {
            Safety::Proved => Ok(()),
            Safety::Broken { transition, unit } => {
                let transition = visible_name(&self.transitions[Symbol::new(transition)]);
                let what = if self.units.is_some() { "the unit" } else { "the place" };
                let name = visible_name(&names[unit]);
                let problem = self.problem(format!(
                    "the net is not safe: after {transition}, {what} {name} holds two tokens"
                ));
                Err(problem.not_supported("nets that are not safe").into())
            }
            Safety::Open { unit } => {
                let name = visible_name(&names[unit]);
                if self.units.as_ref().is_some_and(|units| units.is_safe) {
                    let note = self.problem(format!(
                        "that units like {name} hold at most one token is taken on trust: the file states it, \
                         and there are too many markings to check it"
                    ));
                    problems.push(Diagnostic { severity: Severity::Warning, ..note });
                    return Ok(());
                }
                let problem = self.problem(format!(
                    "it is not known whether the net is safe: the file does not state it, and there are too many \
                     markings to check whether {name} holds at most one token"
                ));
                let help = "a NUPN section with safe=\"true\" would state it";
                Err(problem.help(help).not_supported("nets that are not known to be safe").into())
            }
        }
    }

    /// Adds a transition to the units that it touches.
    fn touch(
        &self,
        transition: usize,
        unit_of: &[u32],
        touches: &mut [Vec<Touch>],
        budget: &mut Budget,
    ) -> Result<(), Stopped> {
        let ends = [(&self.before[transition], false), (&self.after[transition], true)];
        for (places, is_after) in ends {
            for &place in places {
                budget.spend(1)?;
                let touches = &mut touches[unit_of[place as usize] as usize];
                if touches.last().is_none_or(|touch| touch.transition != transition as u32) {
                    budget.reserve(touches, 1)?;
                    touches.push(Touch {
                        transition: transition as u32,
                        before: Few::None,
                        after: Few::None,
                    });
                }
                if let Some(touch) = touches.last_mut() {
                    let end = if is_after { &mut touch.after } else { &mut touch.before };
                    *end = end.and(place);
                }
            }
        }
        Ok(())
    }

    /// The process of a unit: its states are those that its transitions reach.
    fn process(
        &self,
        name: &str,
        places: &[u32],
        touches: &[Touch],
        labels: bool,
        budget: &mut Budget,
    ) -> Result<Process, Stopped> {
        let mut builder = ProcessBuilder::new(name, ProcessKind::Lts);
        let actions: Vec<_> = touches
            .iter()
            .map(|touch| builder.action(&self.transitions[Symbol::new(touch.transition as usize)]))
            .collect();
        // transitions that start at a place of the unit, by place, and those that put a token in
        let mut from: Vec<(u32, usize)> = Vec::new();
        let mut entering = Vec::new();
        for (i, touch) in touches.iter().enumerate() {
            match (touch.before, touch.after) {
                (Few::One(place), Few::None | Few::One(_)) => from.push((place, i)),
                (Few::None, Few::One(_)) => entering.push(i),
                // in a safe unit there are never two tokens to take, and never two are put in
                _ => {}
            }
        }
        budget.charge(size_of_val(&*actions) + size_of_val(&*from) + size_of_val(&*entering))?;
        from.sort_unstable();
        let mut none = "(none)".to_owned();
        while self.places.find(&none).is_some() {
            none = format!("({none})");
        }
        let initial = places.iter().copied().find(|&place| self.marked[place as usize]);
        // local states by place; the last one is that without a token
        let mut sorted = places.to_vec();
        sorted.sort_unstable();
        let slot =
            |state: Option<u32>| state.map_or(sorted.len(), |place| sorted.partition_point(|&p| p < place));
        let mut numbers: Vec<Option<StateId>> = vec![None; sorted.len() + 1];
        let mut queue = vec![initial];
        let state_name = |builder: &mut ProcessBuilder, state: Option<u32>| match state {
            Some(place) => builder.named_state(&self.places[Symbol::new(place as usize)]),
            None => builder.named_state(&none),
        };
        numbers[slot(initial)] = Some(state_name(&mut builder, initial));
        builder.initial(StateId::new(0));
        let mut next = 0;
        while let Some(&state) = queue.get(next) {
            let source = StateId::new(next);
            next += 1;
            let first = state.map_or(0, |place| from.partition_point(|&(other, _)| other < place));
            let leaving =
                from[first..].iter().take_while(|&&(other, _)| state == Some(other)).map(|&(_, i)| i);
            let entering = entering.iter().copied().filter(|_| state.is_none());
            for i in leaving.chain(entering) {
                budget.spend(1)?;
                builder.make_room(budget)?;
                let target = if let Few::One(place) = touches[i].after { Some(place) } else { None };
                let number = slot(target);
                let known = *numbers[number].get_or_insert_with(|| {
                    queue.push(target);
                    state_name(&mut builder, target)
                });
                builder.step(source, actions[i], known, Modality::Both);
            }
        }
        if labels {
            for &place in places {
                let atom = builder.atom(&self.places[Symbol::new(place as usize)]);
                for (i, &state) in queue.iter().enumerate() {
                    budget.spend(1)?;
                    builder.make_room(budget)?;
                    builder.label(StateId::new(i), atom, state == Some(place));
                }
            }
        }
        budget.release(size_of_val(&*actions) + size_of_val(&*from));
        builder.finish(budget)
    }

    /// A process that can take the transitions that touch no place at any time.
    fn always(&self, free: &[usize], names: &[String], budget: &mut Budget) -> Result<Process, Stopped> {
        let mut name = "always".to_owned();
        while names.contains(&name) {
            name.push('_');
        }
        let mut builder = ProcessBuilder::new(name, ProcessKind::Lts);
        let state = builder.state();
        builder.initial(state);
        for &transition in free {
            builder.make_room(budget)?;
            let action = builder.action(&self.transitions[Symbol::new(transition)]);
            builder.step(state, action, state, Modality::Both);
        }
        builder.finish(budget)
    }
}
