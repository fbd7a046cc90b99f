//! What was found about the properties that a circuit carries, in AIGER's format of witnesses.

use crate::Answers;
use loris_base::Budget;
use loris_check::{AnyCertificate, Model};
use loris_circuit::{
    Circuit, Stimulus, Unconfirmed, Valuation, WitnessStatus, confirm_witness, write_aiger_binary,
    write_witness,
};
use loris_evidence::{Certificate, Evidence, Verdict};
use loris_load::carried_by_circuit;

/// A lasso that has to be repeated beyond this many steps, until latches that the property does not
/// depend on come back, too, is left out.
const MOST_STEPS: usize = 100_000;

/// Witnesses for properties that a circuit carries.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Witnesses {
    /// As a file has them, one after the other.
    pub text: String,
    /// How many runs are in it, each of which a simulation of the file confirmed.
    pub runs: usize,
    /// Properties that fail and have no run in it, by their places.
    pub without: Vec<String>,
}

impl Answers<'_> {
    /// Witnesses for the answers of a call that asked for all that a circuit carries, with
    /// evidence. Each run is simulated on the content of the circuit's file; without that, on the
    /// circuit as it was understood. There are none about other models.
    ///
    /// # Errors
    /// A run that the simulation does not confirm, or the limit that was reached.
    pub fn witnesses(&self, file: Option<&[u8]>, budget: &mut Budget) -> Result<Witnesses, Unconfirmed> {
        let Some(Model::Symbolic(model)) = self.context.model else { return Ok(Witnesses::default()) };
        let Some(circuit) = model.circuit() else { return Ok(Witnesses::default()) };
        let mut understood = Vec::new();
        if file.is_none() {
            write_aiger_binary(circuit, &mut understood).expect("a list of bytes takes all");
        }
        let file = file.unwrap_or(&understood);
        let (carried, _) = carried_by_circuit(circuit);
        let mut found = Witnesses::default();
        for one in &self.all {
            let Some(property) = carried.get(one.place.number) else { continue };
            let claim = match one.good().map(|answer| &answer.verdict) {
                Some(Verdict::Holds) => WitnessStatus::Satisfied,
                Some(Verdict::Fails) => {
                    let evidence = one.good().and_then(|answer| answer.evidence.as_ref());
                    let run = match evidence {
                        Some(AnyCertificate::Values(Certificate::Paths(paths))) => {
                            stimulus(circuit, paths, budget)?
                        }
                        _ => None,
                    };
                    run.map_or(WitnessStatus::Unknown, WitnessStatus::Violated)
                }
                _ => WitnessStatus::Unknown,
            };
            let mut text = String::new();
            write_witness(&mut text, &property.place, &claim).expect("texts take all that is written");
            match claim {
                WitnessStatus::Violated(_) => found.runs += confirm_witness(file, &text, budget)?,
                WitnessStatus::Unknown
                    if one.good().is_some_and(|answer| answer.verdict == Verdict::Fails) =>
                {
                    found.without.push(property.place.clone());
                }
                WitnessStatus::Satisfied | WitnessStatus::Unknown => {}
            }
            found.text.push_str(&text);
        }
        Ok(found)
    }
}

/// The run that evidence starts with.
fn stimulus(
    circuit: &Circuit,
    evidence: &Evidence<Valuation>,
    budget: &mut Budget,
) -> Result<Option<Stimulus>, Unconfirmed> {
    let Some(path) = evidence.paths.iter().next() else { return Ok(None) };
    let (states, back_to) = match path.repeats {
        // the last state is the one that it leads back to
        Some(repeats) => (&path.states[..repeats.to], Some(repeats.from)),
        None => (&path.states[..], None),
    };
    Ok(circuit.stimulus(states, back_to, MOST_STEPS, budget)?)
}
