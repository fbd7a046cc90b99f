//! Facts about circuits.

use crate::counted;
use crate::json::quoted;
use loris_base::{Budget, Exhausted, visible};
use loris_circuit::{Circuit, Influence, Lit, Reset};
use std::fmt::{self, Write};

/// Facts about a circuit.
#[derive(Clone, Copy, Debug)]
pub struct CircuitFacts<'a> {
    /// Its path, as it was given.
    pub path: &'a str,
    /// The circuit.
    pub circuit: &'a Circuit,
    /// See [`cones`].
    pub cones: &'a [(String, Influence)],
}

/// The cones of influence of what properties are about: outputs, bad states, justice properties,
/// with their names.
///
/// # Errors
/// The limit that was reached.
pub fn cones(circuit: &Circuit, budget: &mut Budget) -> Result<Vec<(String, Influence)>, Exhausted> {
    let ports = [("o", &circuit.outputs), ("b", &circuit.bad)];
    let named = ports.into_iter().flat_map(|(kind, ports)| {
        let names = ports.iter().map(|port| (port.name.clone(), vec![port.lit]));
        names.enumerate().map(move |(at, (name, lits))| (name.unwrap_or_else(|| format!("{kind}{at}")), lits))
    });
    let justice = circuit.justice.iter().enumerate().map(|(at, (lits, name))| {
        let name = name.clone().unwrap_or_else(|| format!("j{at}"));
        (name, lits.clone())
    });
    let (names, functions): (Vec<String>, Vec<Vec<Lit>>) = named.chain(justice).unzip();
    Ok(names.into_iter().zip(circuit.influences(&functions, budget)?).collect())
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
    if !facts.cones.is_empty() {
        writeln!(out, "  cones of influence, after constant and equal latches are merged:")?;
    }
    for &(ref name, Influence { latches, inputs, gates }) in facts.cones {
        let sizes = [
            counted(latches, "latch", "latches"),
            counted(inputs, "input", "inputs"),
            counted(gates, "gate", "gates"),
        ];
        writeln!(out, "    {}: {}", visible(name), sizes.join(", "))?;
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
    for (i, &(ref name, Influence { latches, inputs, gates })) in facts.cones.iter().enumerate() {
        let before = if i > 0 { ",\n  " } else { "\n  " };
        let name = quoted(name);
        write!(
            out,
            "{before}{{\"name\": {name}, \"latches\": {latches}, \"inputs\": {inputs}, \"gates\": {gates}}}"
        )?;
    }
    writeln!(out, "]}}")
}
