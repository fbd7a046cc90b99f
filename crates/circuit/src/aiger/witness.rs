//! Runs of circuits in AIGER's format of witnesses, which simulators of AIGER take: the first
//! values of the latches, and the values of the inputs at each step.

use crate::circuit::{Circuit, Reset};
use crate::valuation::Valuation;
use loris_base::{Budget, Exhausted};
use rustc_hash::FxHashSet;
use std::fmt::{self, Write};

/// What fixes a run of a circuit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stimulus {
    /// The first values of the latches.
    pub latches: Vec<bool>,
    /// The values of the inputs at each step.
    pub inputs: Vec<Vec<bool>>,
}

/// What is known of a property, as a witness says it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum WitnessStatus {
    /// No run violates it.
    Satisfied,
    /// A run violates it.
    Violated(Stimulus),
    /// Neither is known.
    Unknown,
}

/// Writes what is known of a property, which is called by its place: `b0` or `j1`.
///
/// # Errors
/// Those of the writer.
///
/// ```
/// use loris_circuit::{WitnessStatus, Stimulus, write_witness};
/// let run = Stimulus { latches: vec![false], inputs: vec![vec![true, false], vec![true, true]] };
/// let mut text = String::new();
/// write_witness(&mut text, "b0", &WitnessStatus::Violated(run)).unwrap();
/// assert_eq!(text, "1\nb0\n0\n10\n11\n.\n");
/// ```
pub fn write_witness(out: &mut impl Write, property: &str, claim: &WitnessStatus) -> fmt::Result {
    match claim {
        WitnessStatus::Satisfied => write!(out, "0\n{property}\n.\n"),
        WitnessStatus::Unknown => write!(out, "2\n{property}\n.\n"),
        WitnessStatus::Violated(Stimulus { latches, inputs }) => {
            write!(out, "1\n{property}\n")?;
            for values in std::iter::once(latches).chain(inputs) {
                for &value in values {
                    out.write_char(if value { '1' } else { '0' })?;
                }
                out.write_char('\n')?;
            }
            out.write_str(".\n")
        }
    }
}

impl Circuit {
    /// The stimulus of a run that is known as far as a property depends on it: what is open starts
    /// with 0. An endless run, in which the step from its last state leads back, is repeated until
    /// all latches have the values they had at the start of some round. Nothing if that takes more
    /// than `most` steps.
    ///
    /// # Errors
    /// The limit that was reached.
    pub fn stimulus(
        &self,
        states: &[Valuation],
        back_to: Option<usize>,
        most: usize,
        budget: &mut Budget,
    ) -> Result<Option<Stimulus>, Exhausted> {
        let Some(first) = states.first() else { return Ok(None) };
        let start = |(at, latch): (usize, &crate::Latch)| match latch.reset {
            Reset::To(value) => value,
            Reset::Free => first.latches[at] && first.part.latches[at],
        };
        let latches: Vec<bool> = self.latches.iter().enumerate().map(start).collect();
        let mut inputs: Vec<Vec<bool>> = states.iter().map(|state| state.inputs.clone()).collect();
        let Some(back) = back_to else { return Ok(Some(Stimulus { latches, inputs })) };
        let round: Vec<Vec<bool>> = inputs[back..].to_vec();
        let mut at = latches.clone();
        for values in &inputs[..back] {
            at = self.after(&at, values, first, budget)?;
        }
        let mut seen: FxHashSet<Vec<bool>> = FxHashSet::default();
        inputs.truncate(back);
        while seen.insert(at.clone()) {
            if inputs.len() + round.len() > most {
                return Ok(None);
            }
            for values in &round {
                at = self.after(&at, values, first, budget)?;
            }
            inputs.extend(round.iter().cloned());
        }
        Ok(Some(Stimulus { latches, inputs }))
    }

    /// The latches after a step, whether or not constraints allow it.
    fn after(
        &self,
        latches: &[bool],
        inputs: &[bool],
        like: &Valuation,
        budget: &mut Budget,
    ) -> Result<Vec<bool>, Exhausted> {
        budget.spend(1 + self.aig.len() / 4)?;
        let at = Valuation {
            latches: latches.to_vec(),
            inputs: inputs.to_vec(),
            part: std::sync::Arc::clone(&like.part),
        };
        let values = self.values(&at);
        let holds = |lit| crate::Aig::value(&values, lit) & 1 == 1;
        Ok(self.latches.iter().map(|latch| holds(latch.next)).collect())
    }
}
