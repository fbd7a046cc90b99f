//! Circuits as AIGER files, in the format of version 1.9 where it is needed, else of 1.0.

use crate::aig::Gate;
use crate::circuit::{Circuit, Port, Reset};
use crate::lit::{Lit, Var};
use std::io::{self, Write};

/// The numbers of nodes in the file: inputs, latches, gates.
struct Numbers {
    of: Vec<u32>,
    ands: Vec<(Var, Lit, Lit)>,
}

impl Numbers {
    fn new(circuit: &Circuit) -> Self {
        let mut of = vec![0; circuit.aig.len()];
        let variables =
            circuit.inputs.iter().map(|port| port.lit).chain(circuit.latches.iter().map(|latch| latch.state));
        let mut last = 0;
        for lit in variables {
            last += 1;
            of[lit.var().index()] = last;
        }
        let mut ands = Vec::with_capacity(circuit.aig.ands());
        for (var, gate) in circuit.aig.gates() {
            if let Gate::And(a, b) = gate {
                last += 1;
                of[var.index()] = last;
                ands.push((var, a, b));
            }
        }
        Self { of, ands }
    }

    fn code(&self, lit: Lit) -> u32 {
        self.of[lit.var().index()] << 1 | u32::from(lit.is_negated())
    }
}

/// Writes a circuit in the ASCII format.
pub fn write_aiger_ascii(circuit: &Circuit, to: &mut impl Write) -> io::Result<()> {
    let numbers = Numbers::new(circuit);
    header(circuit, "aag", &numbers, to)?;
    for input in &circuit.inputs {
        writeln!(to, "{}", numbers.code(input.lit))?;
    }
    latches(circuit, true, &numbers, to)?;
    properties(circuit, &numbers, to)?;
    for &(var, a, b) in &numbers.ands {
        let (a, b) = (numbers.code(a), numbers.code(b));
        writeln!(to, "{} {} {}", numbers.code(var.lit()), a.max(b), a.min(b))?;
    }
    symbols(circuit, to)
}

/// Writes a circuit in the binary format.
pub fn write_aiger_binary(circuit: &Circuit, to: &mut impl Write) -> io::Result<()> {
    let numbers = Numbers::new(circuit);
    header(circuit, "aig", &numbers, to)?;
    latches(circuit, false, &numbers, to)?;
    properties(circuit, &numbers, to)?;
    for &(var, a, b) in &numbers.ands {
        let (a, b) = (numbers.code(a), numbers.code(b));
        let (high, low) = (a.max(b), a.min(b));
        delta(numbers.code(var.lit()) - high, to)?;
        delta(high - low, to)?;
    }
    symbols(circuit, to)
}

fn header(circuit: &Circuit, format: &str, numbers: &Numbers, to: &mut impl Write) -> io::Result<()> {
    let (inputs, latches, ands) = (circuit.inputs.len(), circuit.latches.len(), numbers.ands.len());
    let sum = inputs + latches + ands;
    write!(to, "{format} {sum} {inputs} {latches} {} {ands}", circuit.outputs.len())?;
    let counts =
        [circuit.bad.len(), circuit.constraints.len(), circuit.justice.len(), circuit.fairness.len()];
    let used = counts.iter().rposition(|&count| count > 0).map_or(0, |last| last + 1);
    for count in &counts[..used] {
        write!(to, " {count}")?;
    }
    writeln!(to)
}

fn latches(circuit: &Circuit, with_state: bool, numbers: &Numbers, to: &mut impl Write) -> io::Result<()> {
    for latch in &circuit.latches {
        let state = numbers.code(latch.state);
        if with_state {
            write!(to, "{state} ")?;
        }
        write!(to, "{}", numbers.code(latch.next))?;
        match latch.reset {
            Reset::To(false) => writeln!(to)?,
            Reset::To(true) => writeln!(to, " 1")?,
            Reset::Free => writeln!(to, " {state}")?,
        }
    }
    Ok(())
}

fn properties(circuit: &Circuit, numbers: &Numbers, to: &mut impl Write) -> io::Result<()> {
    for port in circuit.outputs.iter().chain(&circuit.bad).chain(&circuit.constraints) {
        writeln!(to, "{}", numbers.code(port.lit))?;
    }
    for (justice, _) in &circuit.justice {
        writeln!(to, "{}", justice.len())?;
    }
    for lit in circuit.justice.iter().flat_map(|(justice, _)| justice) {
        writeln!(to, "{}", numbers.code(*lit))?;
    }
    for port in &circuit.fairness {
        writeln!(to, "{}", numbers.code(port.lit))?;
    }
    Ok(())
}

fn symbols(circuit: &Circuit, to: &mut impl Write) -> io::Result<()> {
    let of = |ports: &[Port]| ports.iter().map(|port| port.name.clone()).collect::<Vec<_>>();
    let latches = circuit.latches.iter().map(|latch| latch.name.clone()).collect();
    let justice = circuit.justice.iter().map(|(_, name)| name.clone()).collect();
    let kinds = [
        ('i', of(&circuit.inputs)),
        ('l', latches),
        ('o', of(&circuit.outputs)),
        ('b', of(&circuit.bad)),
        ('c', of(&circuit.constraints)),
        ('j', justice),
        ('f', of(&circuit.fairness)),
    ];
    for (kind, names) in kinds {
        for (at, name) in names.into_iter().enumerate() {
            if let Some(name) = name {
                writeln!(to, "{kind}{at} {name}")?;
            }
        }
    }
    Ok(())
}

/// A number of seven bits a byte, the lowest first.
fn delta(mut value: u32, to: &mut impl Write) -> io::Result<()> {
    while value >= 0x80 {
        to.write_all(&[(value & 0x7f) as u8 | 0x80])?;
        value >>= 7;
    }
    to.write_all(&[value as u8])
}
