//! Searches that decide claims in a model whose states are valuations, where exploring states one
//! by one does not: first a solver looks a few steps ahead (`unrolled.rs`), then decision diagrams
//! hold all states at once (`diagrams.rs`).
//!
//! Each search gets a number of steps of work of its own and is given up after that, so that a
//! claim too hard for it stays undecided instead of taking all the time there is.

use crate::diagrams::Diagrams;
use crate::formulas::{Formulas, Lit, Op};
use crate::space::{BitModel, StateSpace};
use crate::unrolled::Unrolled;
use loris_base::{Budget, Exhausted, Truth};
use loris_circuit as circuit;
use rustc_hash::FxHashMap;

/// Steps of work for a solver, all claims together: a few seconds.
const UNROLLED_STEPS: u64 = 1 << 28;

/// Steps of work for decision diagrams, all claims together: a few seconds.
const DIAGRAM_STEPS: u64 = 1 << 30;

/// Searches in one model, with the values that they have found.
pub(crate) struct Search<'m, M: StateSpace> {
    model: &'m M,
    bits: &'m dyn BitModel<M::State, M::Atom>,
    unrolled: Unrolled<'m>,
    unrolled_steps: u64,
    /// nothing once they were given up
    diagrams: Option<Diagrams<'m>>,
    diagram_steps: u64,
    held: usize,
    known: FxHashMap<(Lit, Vec<bool>), Truth>,
}

impl<'m, M: StateSpace> Search<'m, M> {
    /// No search yet.
    pub(crate) fn new(model: &'m M, bits: &'m dyn BitModel<M::State, M::Atom>) -> Self {
        let system = bits.transitions();
        let fairness = model.fairness();
        let justice = fairness.iter().filter(|one| one.often.is_none());
        let justice = justice.map(|one| bits.function(one.then)).collect();
        let has_compassion = fairness.iter().any(|one| one.often.is_some());
        Self {
            model,
            bits,
            unrolled: Unrolled::new(system),
            diagrams: (!has_compassion).then(|| Diagrams::new(system, justice)),
            unrolled_steps: UNROLLED_STEPS,
            diagram_steps: DIAGRAM_STEPS,
            held: 0,
            known: FxHashMap::default(),
        }
    }

    /// The value of a state formula in the state with these bits, unknown if no search decides it.
    pub(crate) fn value(
        &mut self,
        formulas: &Formulas<'_>,
        claim: Lit,
        state: &[bool],
        budget: &mut Budget,
    ) -> Result<Truth, Exhausted> {
        let key = (claim, state.to_vec());
        if let Some(&value) = self.known.get(&key) {
            return Ok(value);
        }
        let mut value = self.ahead(formulas, claim, state, budget)?;
        if value == Truth::Unknown {
            let found = self.by_diagrams(budget, |diagrams, function, budget| {
                diagrams.value(formulas, claim, state, function, budget)
            });
            value = found?;
        }
        budget.charge(state.len() + size_of::<(Lit, Vec<bool>, Truth)>())?;
        self.known.insert(key, value);
        Ok(value)
    }

    /// Whether a state formula holds in all initial states.
    pub(crate) fn everywhere(
        &mut self,
        formulas: &Formulas<'_>,
        claim: Lit,
        budget: &mut Budget,
    ) -> Result<Truth, Exhausted> {
        self.by_diagrams(budget, |diagrams, function, budget| {
            diagrams.everywhere(formulas, claim, function, budget)
        })
    }

    /// The value of a claim that is about a number of steps, `E X … E X p`, which is one call of a
    /// solver; unknown for other claims, and if the solver gives up.
    pub(crate) fn steps(
        &mut self,
        formulas: &Formulas<'_>,
        claim: Lit,
        state: &[bool],
        budget: &mut Budget,
    ) -> Result<Truth, Exhausted> {
        let (mut steps, mut at, mut is_fair) = (0, claim, false);
        while let Op::Exists(path) = formulas.op(at) {
            let (path, fair) = formulas.without_fairness(path);
            let Op::Next(next) = formulas.op(path) else { return Ok(Truth::Unknown) };
            (steps, at, is_fair) = (steps + 1, next, is_fair || fair);
        }
        let function = function(self.model, self.bits);
        let condition = self.unrolled.function(formulas, at, &function).filter(|_| steps > 0);
        let Some(condition) = condition else { return Ok(Truth::Unknown) };
        let mut slice = budget.slice(UNROLLED_STEPS);
        let found = self.unrolled.after(state, steps, condition, &mut slice).map(Truth::from);
        let value = settled(found, &slice, budget)?;
        Ok(if is_fair && value == Truth::True { Truth::Unknown } else { value })
    }

    /// Looks ahead from a state with a solver.
    fn ahead(
        &mut self,
        formulas: &Formulas<'_>,
        claim: Lit,
        state: &[bool],
        budget: &mut Budget,
    ) -> Result<Truth, Exhausted> {
        let Op::Exists(path) = formulas.op(claim) else { return Ok(Truth::Unknown) };
        let (path, is_fair) = formulas.without_fairness(path);
        let (model, bits) = (self.model, self.bits);
        let function = function(model, bits);
        let unrolled = &mut self.unrolled;
        let mut of = |lit: Lit| unrolled.function(formulas, lit, &function);
        let (until, always) = match formulas.op(path) {
            Op::Until(f, g) => (of(f).zip(of(g)), None),
            Op::Release(Lit::FALSE, f) => (None, of(f)),
            _ => (None, None),
        };
        let mut slice = budget.slice(self.unrolled_steps);
        let found = match (until, always) {
            (Some((f, g)), _) => unrolled.until(state, f, g, &mut slice),
            (None, Some(f)) => unrolled.always(state, f, &mut slice),
            (None, None) => return Ok(Truth::Unknown),
        };
        self.unrolled_steps = left(self.unrolled_steps, &slice, budget);
        let value = settled(found, &slice, budget)?;
        // a run that was found need not be fair; where there is none, there is no fair one
        Ok(if is_fair && value == Truth::True { Truth::Unknown } else { value })
    }

    fn by_diagrams(
        &mut self,
        budget: &mut Budget,
        work: impl FnOnce(
            &mut Diagrams<'m>,
            &dyn Fn(&str) -> circuit::Lit,
            &mut Budget,
        ) -> Result<Truth, Exhausted>,
    ) -> Result<Truth, Exhausted> {
        let function = function(self.model, self.bits);
        let Some(diagrams) = &mut self.diagrams else { return Ok(Truth::Unknown) };
        let mut slice = budget.slice(self.diagram_steps);
        let found = work(diagrams, &function, &mut slice);
        // diagrams are kept for later claims
        budget.grow(&mut self.held, diagrams.bytes())?;
        self.diagram_steps = left(self.diagram_steps, &slice, budget);
        if found.is_err() {
            self.diagrams = None;
        }
        settled(found, &slice, budget)
    }
}

/// The function that the name of an atom stands for; one that the model does not have is false.
fn function<'m, M: StateSpace>(
    model: &'m M,
    bits: &'m dyn BitModel<M::State, M::Atom>,
) -> impl Fn(&str) -> circuit::Lit + 'm {
    move |name| model.atom(name).map_or(circuit::Lit::FALSE, |atom| bits.function(atom))
}

/// What is left of the steps of a search after a slice of the budget.
fn left(steps: u64, slice: &Budget, budget: &Budget) -> u64 {
    steps.saturating_sub(slice.spent().saturating_sub(budget.spent()))
}

/// What a search found that may have come to the end of its slice, which is not a limit of the
/// whole.
fn settled(found: Result<Truth, Exhausted>, slice: &Budget, budget: &mut Budget) -> Result<Truth, Exhausted> {
    budget.join(slice)?;
    match found {
        Err(Exhausted::Time) => budget.look().map(|()| Truth::Unknown),
        other => other,
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::Search;
    use crate::bit_graph::initial_states;
    use crate::formulas::Formulas;
    use crate::judge::Judge;
    use crate::space::{BitModel, StateSpace};
    use crate::{CircuitStates, Paths};
    use loris_base::{Budget, Rng, Truth};
    use loris_circuit::{Lit, read_aiger};
    use std::fmt::Write;

    /// A circuit of two inputs and three latches, which may have constraints and be fair.
    fn circuit(rng: &mut Rng) -> String {
        let (constraints, fairness) = (rng.below(2), rng.below(3));
        let mut text = format!("aag 9 2 3 0 4 0 {constraints} 0 {fairness}\n2\n4\n");
        for own in [6, 8, 10] {
            writeln!(text, "{own} {} {}", rng.below(20), [0, 1, own][rng.below(3)]).unwrap();
        }
        for _ in 0..constraints + fairness {
            writeln!(text, "{}", rng.below(20)).unwrap();
        }
        for own in [12, 14, 16, 18] {
            writeln!(text, "{own} {} {}", rng.below(own), rng.below(own)).unwrap();
        }
        text
    }

    fn claim(rng: &mut Rng, size: usize) -> String {
        if size == 0 {
            return ["l0", "!l1", "l2", "i0", "true"][rng.below(5)].to_owned();
        }
        let (a, b) = (claim(rng, size / 2), claim(rng, (size - 1) / 2));
        match rng.below(6) {
            0 => format!("E X ({a})"),
            1 => format!("E [({a}) U ({b})]"),
            2 => format!("E G ({a})"),
            3 => format!("!({a})"),
            4 => format!("(({a}) & ({b}))"),
            _ => format!("A F ({a})"),
        }
    }

    /// Every search that decides a claim agrees with the exploration of all states.
    #[test]
    fn searches_agree() {
        let budget = &mut Budget::unlimited();
        let (mut ahead, mut decided, mut unknown) = (0, 0, 0);
        for seed in 0..600 {
            let rng = &mut Rng::new(seed);
            let text = circuit(rng);
            let (circuit, _) = read_aiger(text.as_bytes(), budget).unwrap();
            let names = ["l0", "l1", "l2", "i0"];
            let atoms: Vec<Lit> = names.iter().map(|name| circuit.atom(name).unwrap()).collect();
            let model = CircuitStates::new(&circuit, &atoms);
            let are_fair = model.is_fair();
            let paths = if are_fair { Paths::Fair } else { Paths::Total };
            let size = 1 + rng.below(5);
            let shows = claim(rng, size);
            let mut formulas = Formulas::new(paths).of_fair_runs(are_fair);
            let formula = formulas.read(&shows).unwrap().claim;
            let initial = initial_states(model.transitions(), 100, budget).unwrap().unwrap();
            let initial: Vec<_> = initial.iter().map(|values| model.state(values)).collect();
            // where runs end, nothing is decided
            let Some(mut judge) = Judge::new(&model, paths, &mut initial.iter(), 10, budget).unwrap() else {
                unknown += 1;
                continue;
            };
            let mut search = Search::new(&model, model.bits().unwrap());
            let mut all = Truth::True;
            for state in &initial {
                let expected = judge.value(&formulas, formula, state, budget).unwrap();
                assert_ne!(expected, Truth::Unknown, "seed {seed}: {shows}");
                all = all.min(expected);
                let values = model.values(state);
                let near = search.steps(&formulas, formula, &values, budget).unwrap();
                let far = search.ahead(&formulas, formula, &values, budget).unwrap();
                for found in [near, far].into_iter().filter(|found| *found != Truth::Unknown) {
                    assert_eq!(found, expected, "seed {seed}: {shows}\n{text}");
                    ahead += 1;
                }
                let found = search.by_diagrams(budget, |diagrams, function, budget| {
                    diagrams.value(&formulas, formula, &values, function, budget)
                });
                assert_eq!(found.unwrap(), expected, "seed {seed}: {shows}\n{text}");
                decided += 1;
            }
            assert_eq!(search.everywhere(&formulas, formula, budget).unwrap(), all, "seed {seed}: {shows}");
        }
        assert!(ahead > 100 && decided > 500 && unknown < 300, "{ahead} {decided} {unknown}");
    }
}
