//! Searches that decide claims in a model whose states are valuations, where exploring states one by
//! one does not: first a solver looks a few steps ahead (`unrolled.rs`), then decision diagrams hold
//! all states at once (`diagrams.rs`).
//!
//! Each search gets a number of steps of work of its own and is given up after that, so that a claim
//! too hard for it stays undecided instead of taking all the time there is.

use crate::diagrams::Diagrams;
use crate::formulas::{Formulas, Lit, Op};
use crate::space::{BitModel, StateSpace};
use crate::unrolled::Unrolled;
use loris_base::{Budget, Exhausted, Truth};
use loris_circuit as circuit;
use rustc_hash::FxHashMap;

/// Steps of work for a claim in a solver: a few seconds.
const UNROLLED_STEPS: u64 = 1 << 28;

/// Steps of work for decision diagrams, all claims together: a few seconds.
const DIAGRAM_STEPS: u64 = 1 << 30;

/// Searches in one model, with the values that they have found.
pub(crate) struct Search<'m, M: StateSpace> {
    model: &'m M,
    bits: &'m dyn BitModel<M::State, M::Atom>,
    unrolled: Unrolled<'m>,
    /// nothing once they were given up
    diagrams: Option<Diagrams<'m>>,
    diagram_steps: u64,
    known: FxHashMap<(Lit, Vec<bool>), Truth>,
}

impl<'m, M: StateSpace> Search<'m, M> {
    /// No search yet.
    pub(crate) fn new(model: &'m M, bits: &'m dyn BitModel<M::State, M::Atom>) -> Self {
        let system = bits.system();
        let fairness = model.fairness();
        let justice = fairness.iter().filter(|one| one.often.is_none());
        let justice = justice.map(|one| bits.function(one.then)).collect();
        let has_compassion = fairness.iter().any(|one| one.often.is_some());
        Self {
            model,
            bits,
            unrolled: Unrolled::new(system),
            diagrams: (!has_compassion).then(|| Diagrams::new(system, justice)),
            diagram_steps: DIAGRAM_STEPS,
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
        let question = match formulas.op(path) {
            Op::Next(f) => of(f).map(|f| (None, f)),
            Op::Until(f, g) => of(f).zip(of(g)).map(|(f, g)| (Some(f), g)),
            _ => None,
        };
        let always = match formulas.op(path) {
            Op::Release(Lit::FALSE, f) => of(f),
            _ => None,
        };
        let mut slice = budget.slice(UNROLLED_STEPS);
        let found = match (question, always) {
            (Some((None, f)), _) => unrolled.next(state, f, &mut slice).map(Truth::from),
            (Some((Some(f), g)), _) => unrolled.until(state, f, g, &mut slice),
            (None, Some(f)) => unrolled.always(state, f, &mut slice),
            (None, None) => return Ok(Truth::Unknown),
        };
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
        self.diagram_steps = self.diagram_steps.saturating_sub(slice.spent().saturating_sub(budget.spent()));
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

/// What a search found that may have come to the end of its slice, which is no limit of the whole.
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

    /// A circuit of two inputs and three latches, which may have constraints and be fair.
    fn circuit(rng: &mut Rng) -> String {
        let (constraints, fairness) = (rng.below(2), rng.below(3));
        let mut text = format!("aag 9 2 3 0 4 0 {constraints} 0 {fairness}\n2\n4\n");
        for own in [6, 8, 10] {
            text += &format!("{own} {} {}\n", rng.below(20), [0, 1, own][rng.below(3)]);
        }
        for _ in 0..constraints + fairness {
            text += &format!("{}\n", rng.below(20));
        }
        for own in [12, 14, 16, 18] {
            text += &format!("{own} {} {}\n", rng.below(own), rng.below(own));
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
            let initial = initial_states(model.system(), 100, budget).unwrap().unwrap();
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
                let found = search.ahead(&formulas, formula, &values, budget).unwrap();
                if found != Truth::Unknown {
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
