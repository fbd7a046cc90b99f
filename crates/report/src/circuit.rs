//! Facts about circuits.

use crate::counted;
use crate::json::quoted;
use loris_base::visible;
use loris_circuit::{Circuit, Lit, Reset, TransitionSystem};
use std::fmt::{self, Write};

/// Facts about a circuit.
#[derive(Clone, Copy, Debug)]
pub struct CircuitFacts<'a> {
    /// Its path, as it was given.
    pub path: &'a str,
    /// The circuit.
    pub circuit: &'a Circuit,
}

/// The part of the circuit that a function depends on.
struct Influence {
    name: String,
    latches: usize,
    inputs: usize,
    gates: usize,
}

/// The cones of influence of what properties are about: outputs, bad states, justice properties.
fn influences(circuit: &Circuit) -> Vec<Influence> {
    let ports = [("o", &circuit.outputs), ("b", &circuit.bad)];
    let named = ports.into_iter().flat_map(|(kind, ports)| {
        let names = ports.iter().map(|port| (port.name.clone(), vec![port.lit]));
        names.enumerate().map(move |(at, (name, lits))| (name.unwrap_or_else(|| format!("{kind}{at}")), lits))
    });
    let justice = circuit.justice.iter().enumerate().map(|(at, (lits, name))| {
        let name = name.clone().unwrap_or_else(|| format!("j{at}"));
        (name, lits.clone())
    });
    let influence = |(name, lits): (String, Vec<Lit>)| {
        let cone = TransitionSystem::of_circuit(circuit, &lits).reduced().system;
        Influence { name, latches: cone.states.len(), inputs: cone.choices.len(), gates: cone.aig.ands() }
    };
    named.chain(justice).map(influence).collect()
}

fn sizes(circuit: &Circuit) -> [(&'static str, usize); 9] {
    let free = circuit.latches.iter().filter(|latch| latch.reset == Reset::Free).count();
    [
        ("inputs", circuit.inputs.len()),
        ("latches", circuit.latches.len()),
        ("uninitialized", free),
        ("gates", circuit.aig.ands()),
        ("outputs", circuit.outputs.len()),
        ("bad", circuit.bad.len()),
        ("constraints", circuit.constraints.len()),
        ("justice", circuit.justice.len()),
        ("fairness", circuit.fairness.len()),
    ]
}

/// The facts as text.
///
/// # Errors
/// Those of the writer.
pub fn text_circuit(out: &mut impl Write, facts: &CircuitFacts<'_>) -> fmt::Result {
    writeln!(out, "{}: aiger", visible(facts.path))?;
    for (name, count) in sizes(facts.circuit) {
        writeln!(out, "  {name:<13} {count}")?;
    }
    let influences = influences(facts.circuit);
    if !influences.is_empty() {
        writeln!(out, "  cones of influence, after constant and equal latches are merged:")?;
    }
    for Influence { name, latches, inputs, gates } in influences {
        let sizes = [
            counted(latches, "latch", "latches"),
            counted(inputs, "input", "inputs"),
            counted(gates, "gate", "gates"),
        ];
        writeln!(out, "    {}: {}", visible(&name), sizes.join(", "))?;
    }
    Ok(())
}

/// The facts as JSON.
///
/// # Errors
/// Those of the writer.
pub fn json_circuit(out: &mut impl Write, facts: &CircuitFacts<'_>) -> fmt::Result {
    writeln!(out, "{{\"loris\": {},", quoted(env!("CARGO_PKG_VERSION")))?;
    write!(out, " \"model\": {{\"path\": {}, \"format\": \"aiger\"", quoted(facts.path))?;
    for (name, count) in sizes(facts.circuit) {
        write!(out, ", \"{name}\": {count}")?;
    }
    out.write_str("},\n \"cones\": [")?;
    for (i, Influence { name, latches, inputs, gates }) in influences(facts.circuit).into_iter().enumerate() {
        let before = if i > 0 { ",\n  " } else { "\n  " };
        let name = quoted(&name);
        write!(
            out,
            "{before}{{\"name\": {name}, \"latches\": {latches}, \"inputs\": {inputs}, \"gates\": {gates}}}"
        )?;
    }
    writeln!(out, "]}}")
}
