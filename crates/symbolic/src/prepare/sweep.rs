//! One pass over all nodes: which are equal to those that stand for them, if that is so now?

use super::classes::Classes;
use loris_base::{Budget, Exhausted, Rng};
use loris_circuit::{Aig, Gate, Lit, TransitionSystem, Var};
use loris_solvers::sat::{Frame, Sat};

/// The most steps of one query: a pair of nodes that takes longer is not merged.
const QUERY_STEPS: u64 = 20_000;

/// A pass over the nodes at the time after a step, or at the start. Nodes that were found equal are
/// one from there on, so that most of the pairs that follow are equal without a query.
pub(super) struct Sweep {
    /// the functions of both times, with equal nodes merged
    graph: Aig,
    sat: Sat,
    frame: Frame,
    /// for each node, its function at the time that is asked about
    image: Vec<Lit>,
    /// the same for state variables
    state: Vec<Lit>,
    /// how many nodes are done, in the order of the classes
    done: usize,
    was_split: bool,
}

impl Sweep {
    fn empty(system: &TransitionSystem) -> Self {
        Self {
            graph: Aig::new(),
            sat: Sat::new(),
            frame: Frame::of_variables(),
            image: vec![Lit::FALSE; system.aig.len()],
            state: Vec::new(),
            done: 0,
            was_split: false,
        }
    }

    /// About initial states.
    pub(super) fn at_start(system: &TransitionSystem) -> Self {
        let mut sweep = Self::empty(system);
        let mut image = vec![Lit::FALSE; system.aig.len()];
        for (state, reset) in system.states.iter().zip(system.resets()) {
            let value = reset.map_or_else(|| sweep.graph.variable(), Lit::constant);
            sweep.state.push(value);
            image[state.now.var().index()] = value;
        }
        let within = system.aig.cone(system.init.iter().copied());
        let of = sweep.graph.copy(&system.aig, &within, |_, var| image[var.index()]);
        for condition in &system.init {
            let of = of[condition.var().index()].expect("a root");
            sweep.assert_lit(of.negated_if(condition.is_negated()));
        }
        sweep
    }

    /// About states after a step from a state in which the classes are right. What is asked there
    /// is asked for all choices, be they allowed or not.
    pub(super) fn after_step(system: &TransitionSystem, classes: &Classes, order: &[Var]) -> Self {
        let mut sweep = Self::empty(system);
        let mut image = vec![Lit::FALSE; system.aig.len()];
        let of = |lit: Lit, image: &[Lit]| image[lit.var().index()].negated_if(lit.is_negated());
        for &var in order {
            let stands = classes.stands_for(var);
            let own = match system.aig.gate(var) {
                Gate::False => Lit::FALSE,
                Gate::Variable if stands.var() != var => of(stands, &image),
                Gate::Variable => sweep.graph.variable(),
                Gate::And(a, b) => sweep.graph.and(of(a, &image), of(b, &image)),
            };
            image[var.index()] = if stands.var() == var { own } else { of(stands, &image) };
            sweep.assert_equal(own, image[var.index()]);
        }
        for &constraint in &system.constraints {
            sweep.assert_lit(of(constraint, &image));
        }
        sweep.state = system.states.iter().map(|state| of(state.next, &image)).collect();
        sweep
    }

    fn assert_lit(&mut self, lit: Lit) {
        let lit = self.frame.literal(lit, &self.graph, &mut self.sat);
        self.sat.clause(&[lit]);
    }

    fn assert_equal(&mut self, a: Lit, b: Lit) {
        if a != b {
            let a = self.frame.literal(a, &self.graph, &mut self.sat);
            let b = self.frame.literal(b, &self.graph, &mut self.sat);
            self.sat.clause(&[!a, b]);
            self.sat.clause(&[a, !b]);
        }
    }

    /// Whether there is a state and a choice of the kind that is asked about, with the values of
    /// the state.
    pub(super) fn some(&mut self, budget: &mut Budget) -> Result<Option<Vec<bool>>, Exhausted> {
        let found = self.sat.solve(&[], budget)?;
        Ok(found.then(|| self.model().0))
    }

    /// The state of the last model, and the values of all nodes of the graph.
    fn model(&self) -> (Vec<bool>, Vec<u64>) {
        let value = |var: Var| self.frame.known(var.lit()).is_some_and(|lit| self.sat.value(lit));
        let values = self.graph.simulate(|var| u64::from(value(var)));
        (self.state.iter().map(|&lit| Aig::value(&values, lit) & 1 == 1).collect(), values)
    }

    /// Goes on with the pass. Whether it split a class.
    pub(super) fn run(
        &mut self,
        system: &TransitionSystem,
        (classes, order): (&mut Classes, &[Var]),
        rng: &mut Rng,
        budget: &mut Budget,
    ) -> Result<bool, Exhausted> {
        let of_var = system.state_of_var();
        while let Some(&var) = order.get(self.done) {
            budget.spend(1)?;
            let of = |lit: Lit, image: &[Lit]| image[lit.var().index()].negated_if(lit.is_negated());
            let own = match system.aig.gate(var) {
                Gate::False => Lit::FALSE,
                Gate::Variable => match of_var[var.index()] {
                    Some(at) => self.state[at as usize],
                    None => self.graph.variable(),
                },
                Gate::And(a, b) => {
                    let (a, b) = (of(a, &self.image), of(b, &self.image));
                    self.graph.and(a, b)
                }
            };
            self.image[var.index()] = own;
            loop {
                let stands = classes.stands_for(var);
                if stands.var() == var {
                    break;
                }
                let other = of(stands, &self.image);
                match self.differ(own, other, budget)? {
                    Some(false) => {
                        self.assert_equal(own, other);
                        self.image[var.index()] = other;
                        break;
                    }
                    Some(true) => {
                        classes.refine(&self.counterexample(system, &of_var, rng));
                        if classes.stands_for(var) == stands {
                            classes.separate(var);
                        }
                    }
                    None => classes.separate(var),
                }
                self.was_split = true;
            }
            self.done += 1;
        }
        Ok(self.was_split)
    }

    /// Whether two functions differ somewhere, as far as a query can find out.
    fn differ(&mut self, a: Lit, b: Lit, budget: &mut Budget) -> Result<Option<bool>, Exhausted> {
        if a == b {
            return Ok(Some(false));
        }
        let a = self.frame.literal(a, &self.graph, &mut self.sat);
        let b = self.frame.literal(b, &self.graph, &mut self.sat);
        for assumed in [[a, !b], [!a, b]] {
            let few = &mut budget.slice(QUERY_STEPS);
            let found = self.sat.solve(&assumed, few);
            budget.join(few)?;
            match found {
                Ok(false) => {}
                Ok(true) => return Ok(Some(true)),
                Err(Exhausted::Time) => {
                    budget.look()?;
                    return Ok(None);
                }
                Err(why) => return Err(why),
            }
        }
        Ok(Some(false))
    }

    /// Values of all nodes of the system in the state of the last model: first under its choice,
    /// then under random ones.
    fn counterexample(&self, system: &TransitionSystem, of_var: &[Option<u32>], rng: &mut Rng) -> Vec<u64> {
        let (state, values) = self.model();
        system.aig.simulate(|var| match of_var[var.index()] {
            Some(at) => u64::from(state[at as usize]).wrapping_neg(),
            None => rng.next_u64() & !1 | Aig::value(&values, self.image[var.index()]) & 1,
        })
    }
}
