//! Circuits: AIGER files and the properties they carry.

use crate::model::streamed;
use crate::origin::Origin;
use crate::reading::{Input, Reading};
use crate::source::read_all;
use loris_base::{Budget, Diagnostic, Diagnostics, Severity, Stopped};
use loris_check::{CountedRuns, Logic};
use loris_circuit::{Circuit, read_aiger};
use loris_logic::{FormulaBuilder, Node};
use loris_rsm::ReadError;
use std::io::Read;
use std::path::Path;
use std::sync::Arc;

/// A circuit that was read, with its input to show problems of properties.
#[derive(Debug)]
pub struct CircuitModel {
    /// The circuit.
    pub circuit: Arc<Circuit>,
    /// Its input.
    pub input: Input,
}

/// Reads a circuit. Problems are added to the reading.
pub fn circuit(path: &Path, origin: &Origin, reading: &mut Reading) -> Option<CircuitModel> {
    if let Some(module) = &origin.module {
        let problem = Diagnostic::error(0, module.len(), "only SMV models have modules");
        reading.add(Input::text(reading.words.module, module), problem.into());
    }
    if origin.with.is_some() {
        let problem = Diagnostic::global("a circuit is not composed with a peer");
        reading.add(Input::named(reading.words.peer), problem.into());
    }
    let read = |source: Box<dyn Read + '_>, budget: &mut Budget| {
        let bytes = read_all(source, 0, budget).map_err(ReadError::Io)?;
        read_aiger(&bytes, budget).map_err(|stopped| match stopped {
            Stopped::Wrong(problems) => ReadError::Invalid(problems),
            Stopped::Exhausted(why) => ReadError::Exhausted(why),
        })
    };
    let (circuit, input) = streamed(path, read, reading)?;
    if let Err(why) = reading.budget.hold(circuit.bytes()) {
        reading.stop(&input, why);
        return None;
    }
    Some(CircuitModel { circuit: Arc::new(circuit), input })
}

/// A property that a circuit carries.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CarriedByCircuit {
    /// Its place as AIGER's witnesses write it: `b0` or `j1`. Outputs that are checked as bad
    /// states have the places of bad states.
    pub place: String,
    /// What it is called.
    pub name: String,
    /// The formula.
    pub text: String,
    /// The logic it is written in.
    pub logic: Logic,
    /// Which runs it is about.
    pub counted_runs: CountedRuns,
}

/// The properties that a circuit carries: that no run gets to a bad state, and that on no run
/// without end all functions of a justice property hold again and again. Of a circuit without any,
/// the outputs are bad states, as in AIGER 1.0, with a remark that says so.
pub fn carried(circuit: &Circuit) -> (Vec<CarriedByCircuit>, Diagnostics) {
    let mut remarks = Diagnostics::default();
    let mut remark = |message: String| {
        remarks.push(Diagnostic { severity: Severity::Warning, ..Diagnostic::global(message) });
    };
    let (kind, bad) = if circuit.bad.is_empty() && circuit.justice.is_empty() {
        if !circuit.outputs.is_empty() {
            let message = "the circuit has no bad-state and no justice properties: \
                           its outputs are checked as bad states, as in AIGER 1.0";
            remark(message.to_owned());
        }
        ("o", &circuit.outputs)
    } else {
        ("b", &circuit.bad)
    };
    let mut found = Vec::with_capacity(bad.len() + circuit.justice.len());
    for (at, port) in bad.iter().enumerate() {
        let place = format!("{kind}{at}");
        // the symbol may be that of a latch, too, which is the one that a formula means by it
        let names = port.name.iter().cloned().chain([place.clone()]);
        let Some(atom) = names.into_iter().find(|name| circuit.atom(name) == Some(port.lit)) else {
            remark(format!("{place} is not checked: its names are those of other functions"));
            continue;
        };
        let (text, name) = (never(&atom), port.name.clone().unwrap_or(place));
        let (place, counted_runs) = (format!("b{at}"), CountedRuns::Ending);
        found.push(CarriedByCircuit { place, name, text, logic: Logic::Ctl, counted_runs });
    }
    for (at, (functions, symbol)) in circuit.justice.iter().enumerate() {
        let place = format!("j{at}");
        let names = circuit.justice_names(at);
        if names.iter().zip(functions).any(|(name, &function)| circuit.atom(name) != Some(function)) {
            remark(format!("{place} is not checked: its names are those of other functions"));
            continue;
        }
        let (text, name) = (not_again_and_again(&names), symbol.clone().unwrap_or_else(|| place.clone()));
        let counted_runs = CountedRuns::Endless;
        found.push(CarriedByCircuit { place, name, text, logic: Logic::Ltl, counted_runs });
    }
    (found, remarks)
}

fn never(atom: &str) -> String {
    let mut build = FormulaBuilder::default();
    let bad = build.atom(atom);
    let not = build.add(Node::Not(bad));
    let always = build.add(Node::G(not));
    let on_all = build.add(Node::A(always));
    build.finish(on_all).to_string()
}

fn not_again_and_again(atoms: &[String]) -> String {
    let mut build = FormulaBuilder::default();
    let mut all = None;
    for atom in atoms {
        let atom = build.atom(atom);
        let finally = build.add(Node::F(atom));
        let often = build.add(Node::G(finally));
        all = Some(all.map_or(often, |before| build.add(Node::And(before, often))));
    }
    let all = all.unwrap_or_else(|| build.add(Node::True));
    let not = build.add(Node::Not(all));
    build.finish(not).to_string()
}
