//! Whether a Büchi automaton accepts a run of a model: the product of the two has a strongly
//! connected component with an accepting state. Linear in the run times the automaton. The oracle
//! is [`Buchi::accepts_lasso`], which is quadratic.

use crate::LabelledRun;
use crate::components::components;
use loris_base::{Budget, Csr, Exhausted};
use loris_logic::automaton::Buchi;
use loris_rsm::LabelId;
use rustc_hash::FxHashMap;

/// Bytes of a place of the product, with its entry in the table.
const PLACE_BYTES: usize = 80;

impl LabelledRun {
    /// Whether an automaton accepts the run, given the label that each of its atoms means.
    ///
    /// # Errors
    /// The limit that was reached.
    pub fn is_accepted(
        &self,
        buchi: &Buchi,
        atoms: &[Option<LabelId>],
        budget: &mut Budget,
    ) -> Result<bool, Exhausted> {
        let count = self.prefix.len() + self.cycle.len();
        let letters: Vec<&Vec<LabelId>> = self.prefix.iter().chain(&self.cycle).collect();
        // places of the product get numbers as they are reached
        let mut numbers: FxHashMap<(usize, u32), u32> = FxHashMap::default();
        let mut places: Vec<(usize, u32)> = Vec::new();
        let mut rows = Csr::default();
        let mut number = |position: usize, state: u32, places: &mut Vec<(usize, u32)>| {
            *numbers.entry((position, state)).or_insert_with(|| {
                places.push((position, state));
                places.len() as u32 - 1
            })
        };
        for &state in buchi.initial() {
            number(0, state, &mut places);
        }
        while let Some(&(position, state)) = places.get(rows.rows()) {
            let letter = letters[position];
            let holds = |atom: u32| {
                let label = atoms.get(atom as usize).copied().flatten();
                label.is_some_and(|label| letter.contains(&label))
            };
            let after = if position + 1 < count { position + 1 } else { self.prefix.len() };
            let edges = buchi.edges(state);
            budget.spend(1 + edges.len())?;
            let taken = edges.iter().filter(|edge| edge.guard.holds(&mut { holds }));
            let row: Vec<u32> = taken.map(|edge| number(after, edge.to, &mut places)).collect();
            budget.charge(PLACE_BYTES + 4 * row.len())?;
            rows.push_row(row);
        }
        let component = components(&rows, budget)?;
        // the prefix has no cycles, so that a component with a step inside lies in the cycle
        let mut has_step = vec![false; places.len()];
        for (place, &own) in component.iter().enumerate() {
            has_step[own as usize] |= rows.row(place).iter().any(|&next| component[next as usize] == own);
        }
        let mut accepting =
            places.iter().zip(&component).filter(|((_, state), _)| buchi.is_accepting(*state));
        Ok(accepting.any(|(_, &own)| has_step[own as usize]))
    }
}

#[cfg(test)]
mod tests {
    use crate::LabelledRun;
    use loris_base::{Budget, Idx, Rng};
    use loris_logic::automaton::{Buchi, Edge, Guard};
    use loris_rsm::LabelId;

    #[test]
    fn as_the_quadratic_search() {
        let mut accepted = 0;
        for seed in 0..2000 {
            let rng = &mut Rng::new(seed);
            let states = 1 + rng.below(4);
            let edges = (0..states).map(|_| {
                let edge = |_| {
                    let guard = match rng.below(3) {
                        0 => Guard::True,
                        1 => Guard::Atom(rng.below(2) as u32),
                        _ => Guard::Not(Box::new(Guard::Atom(rng.below(2) as u32))),
                    };
                    Edge { guard, to: rng.below(states) as u32 }
                };
                let count = 1;
                (0..=count).map(edge).collect()
            });
            let edges = edges.collect();
            let accepting = (0..states).map(|_| rng.chance(0.3)).collect();
            let buchi = Buchi::new(2, vec![0], accepting, edges).expect("an automaton");
            let mut letters = |count: usize| -> Vec<Vec<bool>> {
                (0..count).map(|_| vec![rng.chance(0.5), rng.chance(0.5)]).collect()
            };
            let (prefix, cycle) = (letters(seed as usize % 3), letters(1 + seed as usize % 4));
            let labels = |word: &[Vec<bool>]| {
                let letter = |letter: &Vec<bool>| {
                    (0..2).filter(|&atom| letter[atom]).map(LabelId::new).collect::<Vec<LabelId>>()
                };
                word.iter().map(letter).collect()
            };
            let run = LabelledRun { prefix: labels(&prefix), cycle: labels(&cycle), deeper: 0, steps: 0 };
            let atoms = [Some(LabelId::new(0)), Some(LabelId::new(1))];
            let expected = buchi.accepts_lasso(&prefix, &cycle);
            let found = run.is_accepted(&buchi, &atoms, &mut Budget::unlimited());
            assert_eq!(found, Ok(expected), "seed {seed}");
            accepted += usize::from(expected);
        }
        assert!((300..1700).contains(&accepted), "{accepted}");
    }
}
