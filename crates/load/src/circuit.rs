//! Circuits: AIGER files and the properties they carry.

use crate::model::streamed;
use crate::origin::Origin;
use crate::reading::{Input, Reading};
use crate::source::read_all;
use loris_base::{Budget, Diagnostic, Severity, Stopped};
use loris_circuit::{Circuit, Port, read_aiger};
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

/// The properties that a circuit carries: that its bad states are not reached.
pub fn carried(circuit: &Circuit) -> Vec<String> {
    let never = |(at, port): (usize, &Port)| {
        let mut build = FormulaBuilder::default();
        let bad = build.atom(&port.name.clone().unwrap_or_else(|| format!("b{at}")));
        let not = build.add(Node::Not(bad));
        let always = build.add(Node::G(not));
        let on_all = build.add(Node::A(always));
        build.finish(on_all).to_string()
    };
    circuit.bad.iter().enumerate().map(never).collect()
}

/// The justice properties of a circuit are of linear time; nobody should think they were checked.
pub fn not_asked(circuit: &Circuit) -> Option<Diagnostic> {
    let count = circuit.justice.len();
    let message = format!("the justice properties of the circuit are not checked; it has {count}");
    (count > 0).then(|| Diagnostic { severity: Severity::Warning, ..Diagnostic::global(message) })
}
