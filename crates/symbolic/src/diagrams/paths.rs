//! Paths of single states through sets, and the choices that lead along them.

use super::Diagrams;
use super::functions::{Leaf, build};
use loris_base::{Budget, Exhausted};
use loris_circuit::{Gate, Lit, RunStep};
use loris_solvers::bdd::Bdd;

/// Longer paths are not looked for.
const MOST_STEPS: usize = 20_000;

/// The values of the state variables.
pub(super) type State = Vec<bool>;

impl Diagrams<'_> {
    /// A shortest path from a state of `from` to one of `to`, all states before the last within
    /// `along`.
    pub(super) fn path(
        &mut self,
        from: &Bdd,
        along: &Bdd,
        to: &Bdd,
        budget: &mut Budget,
    ) -> Result<Option<Vec<State>>, Exhausted> {
        let mut layers: Vec<Bdd> = Vec::new();
        let (mut frontier, mut reached) = (from.clone(), from.clone());
        while !frontier.is_false() {
            let hit = self.images.store.and(&frontier, to, budget)?;
            if let Some(last) = self.images.pick(&hit) {
                return Ok(Some(self.backtrack(&layers, last, budget)?));
            }
            let layer = self.images.store.and(&frontier, along, budget)?;
            let next = self.after(&layer, budget)?;
            layers.push(layer);
            if layers.len() > MOST_STEPS {
                return Err(Exhausted::Memory);
            }
            frontier = self.images.store.and(&next, &!&reached, budget)?;
            reached = self.images.store.or(&reached, &frontier, budget)?;
        }
        Ok(None)
    }

    /// The same, of one step or more.
    pub(super) fn path_onward(
        &mut self,
        from: &State,
        along: &Bdd,
        to: &Bdd,
        budget: &mut Budget,
    ) -> Result<Option<Vec<State>>, Exhausted> {
        let start = self.images.state(from, budget)?;
        let next = self.after(&start, budget)?;
        let next = self.images.store.and(&next, along, budget)?;
        Ok(self.path(&next, along, to, budget)?.map(|mut path| {
            path.insert(0, from.clone());
            path
        }))
    }

    /// A path through all layers to a state.
    pub(super) fn backtrack(
        &mut self,
        layers: &[Bdd],
        last: State,
        budget: &mut Budget,
    ) -> Result<Vec<State>, Exhausted> {
        let mut path = vec![last];
        for layer in layers.iter().rev() {
            let to = self.images.state(&path[path.len() - 1], budget)?;
            let before = self.images.before(&to, budget)?;
            let before = self.images.store.and(&before, layer, budget)?;
            path.push(self.images.pick(&before).expect("a layer is a step from the one before"));
        }
        path.reverse();
        Ok(path)
    }

    /// States with the choices between them; `back` is where the last step leads, if it leads
    /// anywhere.
    pub(super) fn steps_of(
        &mut self,
        states: &[State],
        back: Option<usize>,
        budget: &mut Budget,
    ) -> Result<Vec<RunStep>, Exhausted> {
        let mut steps = Vec::with_capacity(states.len());
        for (at, state) in states.iter().enumerate() {
            let next = states.get(at + 1).or_else(|| back.map(|back| &states[back]));
            let choice = match next {
                Some(next) => self.choice(state, next, budget)?,
                None => vec![false; self.system.choices.len()],
            };
            steps.push(RunStep { state: state.clone(), choice });
        }
        Ok(steps)
    }

    /// A choice that leads from a state to a successor of it.
    fn choice(&mut self, from: &State, to: &State, budget: &mut Budget) -> Result<Vec<bool>, Exhausted> {
        let system = self.system;
        let mut values: Vec<Option<bool>> = vec![None; system.aig.len()];
        for (state, &value) in system.states.iter().zip(from) {
            values[state.now.var().index()] = Some(value);
        }
        let mut variable: Vec<Option<u32>> = vec![None; system.aig.len()];
        for (at, choice) in system.choices.iter().enumerate() {
            match self.images.places.next_of[at] {
                Some(state) => values[choice.var().index()] = Some(to[state]),
                None => variable[choice.var().index()] = Some(self.images.places.choices[at]),
            }
        }
        // most functions are constant in a single state
        let of = |lit: Lit, values: &[Option<bool>]| {
            values[lit.var().index()].map(|value| value ^ lit.is_negated())
        };
        for (var, gate) in system.aig.gates() {
            let at = var.index();
            match gate {
                Gate::False => values[at] = Some(false),
                Gate::Variable => {}
                Gate::And(a, b) => {
                    values[at] = match (of(a, &values), of(b, &values)) {
                        (Some(false), _) | (_, Some(false)) => Some(false),
                        (Some(true), Some(true)) => Some(true),
                        _ => None,
                    }
                }
            }
        }
        let constraints = system.constraints.iter().copied();
        let nexts = system.states.iter().zip(to).map(|(state, &value)| state.next.negated_if(!value));
        let open: Vec<Lit> = constraints.chain(nexts).filter(|&lit| of(lit, &values).is_none()).collect();
        let leaf = |var: loris_circuit::Var| match values[var.index()] {
            Some(value) => Some(Leaf::Constant(value)),
            None => variable[var.index()].map(Leaf::Variable),
        };
        let store = &mut self.images.store;
        let mut all = store.constant(true);
        for condition in build(store, &system.aig, &open, leaf, budget)? {
            all = store.and(&all, &condition, budget)?;
        }
        let mut picked = vec![false; store.variables()];
        for (var, value) in store.pick(&all).expect("there is a step from the state to its successor") {
            picked[var as usize] = value;
        }
        let choices = system.choices.iter().zip(&self.images.places.choices);
        Ok(choices
            .map(|(choice, &var)| values[choice.var().index()].unwrap_or(picked[var as usize]))
            .collect())
    }
}
