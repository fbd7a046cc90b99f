//! From written literals to a circuit: each variable is defined once, gates have no cycle, and
//! every literal that is used is defined.

use super::{Draft, Written};
use crate::aig::Aig;
use crate::circuit::{Circuit, Latch, Port, Reset};
use crate::lit::Lit;
use loris_base::{Budget, Diagnostic, Diagnostics, Stopped};
use rustc_hash::FxHashMap;

/// The definition of a variable.
#[derive(Clone, Copy)]
enum Definition {
    /// An input, a latch, or a gate that was built.
    Built(Lit),
    /// A gate, by its number in the file.
    Gate(u32),
    /// A gate whose operands are being built.
    Open(u32),
}

struct Assembler<'d, 't> {
    draft: &'d Draft<'t>,
    aig: Aig,
    /// by the variables that occur: a header may claim more
    defined: FxHashMap<u32, Definition>,
    problems: Diagnostics,
}

pub(super) fn circuit(
    draft: &Draft<'_>,
    problems: Diagnostics,
    budget: &mut Budget,
) -> Result<(Circuit, Diagnostics), Stopped> {
    let variables = draft.inputs.len() + draft.latches.len() + draft.ands.len();
    budget.charge(variables * 64)?;
    let mut assembler = Assembler { draft, aig: Aig::new(), defined: FxHashMap::default(), problems };
    assembler.defined.reserve(variables);
    let circuit = assembler.run(budget)?;
    if assembler.problems.has_errors() {
        return Err(Stopped::Wrong(assembler.problems));
    }
    Ok((circuit, assembler.problems))
}

impl Assembler<'_, '_> {
    fn run(&mut self, budget: &mut Budget) -> Result<Circuit, Stopped> {
        let draft = self.draft;
        let mut variable = |written: Written| {
            let lit = self.aig.variable();
            self.define(written, Definition::Built(lit), "");
            lit
        };
        let inputs: Vec<Lit> = draft.inputs.iter().map(|&input| variable(input)).collect();
        let states: Vec<Lit> = draft.latches.iter().map(|latch| variable(latch.state)).collect();
        for (at, gate) in draft.ands.iter().enumerate() {
            self.define(gate.left, Definition::Gate(at as u32), " by a gate");
        }
        for at in 0..draft.ands.len() {
            budget.spend(1)?;
            self.build(at as u32);
        }
        let port = |lit: Lit| Port { lit, name: None };
        let mut circuit = Circuit { inputs: inputs.into_iter().map(port).collect(), ..Circuit::default() };
        for (latch, &state) in draft.latches.iter().zip(&states) {
            let next = self.literal(latch.next);
            let reset = match latch.reset {
                None => Reset::To(false),
                Some(Written { code: code @ (0 | 1), .. }) => Reset::To(code == 1),
                Some(Written { code, .. }) if code == latch.state.code => Reset::Free,
                Some(written) => {
                    self.problem(written, "a latch is reset to 0, to 1, or, if it is not, to itself");
                    Reset::Free
                }
            };
            circuit.latches.push(Latch { state, next, reset, name: None });
        }
        let mut ports = |written: &[Written]| written.iter().map(|&lit| port(self.literal(lit))).collect();
        circuit.outputs = ports(&draft.outputs);
        circuit.bad = ports(&draft.bad);
        circuit.constraints = ports(&draft.constraints);
        circuit.fairness = ports(&draft.fairness);
        for justice in &draft.justice {
            let literals = justice.iter().map(|&lit| self.literal(lit)).collect();
            circuit.justice.push((literals, None));
        }
        circuit.aig = std::mem::take(&mut self.aig);
        name(&mut circuit, draft);
        Ok(circuit)
    }

    fn define(&mut self, written: Written, definition: Definition, by: &str) {
        let var = written.code / 2;
        if written.code % 2 == 1 || var == 0 {
            let what = if var == 0 { "a constant" } else { "a negated literal" };
            self.problem(written, &format!("{what} cannot be defined{by}"));
        } else if var > self.draft.header.max_var {
            self.problem(
                written,
                &format!("the header says that no variable is beyond {}", self.draft.header.max_var),
            );
        } else if self.defined.insert(var, definition).is_some() {
            self.problem(written, &format!("the variable of {} is defined twice", written.code));
        }
    }

    /// Builds a gate after its operands, with a stack of gates that are being built.
    fn build(&mut self, gate: u32) {
        let mut stack = vec![gate];
        while let Some(&gate) = stack.last() {
            let and = self.draft.ands[gate as usize];
            let var = and.left.code / 2;
            match self.defined.get(&var) {
                Some(&(Definition::Gate(at) | Definition::Open(at))) if at == gate => {}
                // built before, or a second definition, which is an error already
                _ => {
                    stack.pop();
                    continue;
                }
            }
            self.defined.insert(var, Definition::Open(gate));
            let mut operands = [Lit::FALSE; 2];
            let mut waits = false;
            for (operand, code) in operands.iter_mut().zip(and.operands) {
                match self.defined.get(&(code / 2)) {
                    _ if code < 2 => *operand = Lit::from_code(code),
                    Some(Definition::Built(lit)) => *operand = lit.negated_if(code % 2 == 1),
                    Some(&Definition::Gate(at)) => {
                        stack.push(at);
                        waits = true;
                        break;
                    }
                    Some(Definition::Open(_)) => {
                        self.problem(and.left, "this gate depends on itself");
                        break;
                    }
                    None => self.problem(and.left, &format!("literal {code} is not defined")),
                }
            }
            if !waits {
                let lit = self.aig.and(operands[0], operands[1]);
                self.defined.insert(var, Definition::Built(lit));
                stack.pop();
            }
        }
    }

    fn literal(&mut self, written: Written) -> Lit {
        match self.defined.get(&(written.code / 2)) {
            _ if written.code < 2 => Lit::from_code(written.code),
            Some(Definition::Built(lit)) => lit.negated_if(written.code % 2 == 1),
            _ => {
                self.problem(written, &format!("literal {} is not defined", written.code));
                Lit::FALSE
            }
        }
    }

    fn problem(&mut self, written: Written, message: &str) {
        let length = written.code.to_string().len();
        let in_gates = self.draft.header.is_binary
            && written.code.is_multiple_of(2)
            && written.code / 2 > self.draft.header.inputs + self.draft.header.latches;
        let message =
            if in_gates { format!("byte {}: {message}", written.offset) } else { message.to_owned() };
        self.problems.push(Diagnostic::error(written.offset, length, message));
    }
}

fn name(circuit: &mut Circuit, draft: &Draft<'_>) {
    for &(kind, index, name) in &draft.symbols {
        let at = index as usize;
        let slot = match kind {
            b'i' => &mut circuit.inputs[at].name,
            b'l' => &mut circuit.latches[at].name,
            b'o' => &mut circuit.outputs[at].name,
            b'b' => &mut circuit.bad[at].name,
            b'c' => &mut circuit.constraints[at].name,
            b'j' => &mut circuit.justice[at].1,
            _ => &mut circuit.fairness[at].name,
        };
        *slot = Some(name.to_owned());
    }
}
