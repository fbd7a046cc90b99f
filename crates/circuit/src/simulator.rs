//! A second opinion on witnesses: reads an AIGER file and simulates it, by code that shares nothing
//! with the reader, the graphs or the engines.
//!
//! Time is linear in the size of the circuit for each step of a run.

use loris_base::{Budget, Exhausted};
use rustc_hash::FxHashMap;

/// Checks a witness in AIGER's format against the text of the circuit, and returns how many runs
/// in it violate the property that they are for.
///
/// # Errors
/// What is wrong with it.
///
/// ```
/// use loris_base::Budget;
/// use loris_circuit::confirm_witness;
/// // a latch that takes the value of the input
/// let circuit = b"aag 2 1 1 1 0\n2\n4 2\n4\n";
/// let confirm = |witness: &str| confirm_witness(circuit, witness, &mut Budget::unlimited());
/// assert_eq!(confirm("1\nb0\n0\n1\n0\n.\n"), Ok(1));
/// assert!(confirm("1\nb0\n0\n0\n0\n.\n").is_err());
/// ```
pub fn confirm_witness(circuit: &[u8], witness: &str, budget: &mut Budget) -> Result<usize, Unconfirmed> {
    let circuit = Netlist::read(circuit)?;
    let mut lines = witness.lines();
    let mut runs = 0;
    while let Some(status) = lines.next() {
        let property = lines.next().ok_or_else(|| wrong("it ends before a property"))?;
        let body: Vec<&str> = lines.by_ref().take_while(|line| *line != ".").collect();
        if status == "1" {
            circuit.confirm(property, &body, budget)?;
            runs += 1;
        }
    }
    Ok(runs)
}

/// Why a witness was not confirmed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Unconfirmed {
    /// It does not show what it claims.
    #[error("{0}")]
    Wrong(String),
    /// A limit was reached.
    #[error(transparent)]
    Exhausted(#[from] Exhausted),
}

fn wrong(why: impl Into<String>) -> Unconfirmed {
    Unconfirmed::Wrong(why.into())
}

/// Files that number their variables beyond this are not simulated.
const MOST_VARIABLES: usize = 1 << 28;

/// The lines of a file, with variables numbered in the order of the gates: a gate comes after its
/// operands.
#[derive(Default)]
struct Netlist {
    inputs: Vec<u32>,
    /// variable, next value, first value or the variable itself
    latches: Vec<(u32, u32, u32)>,
    outputs: Vec<u32>,
    bad: Vec<u32>,
    constraints: Vec<u32>,
    justice: Vec<Vec<u32>>,
    fairness: Vec<u32>,
    ands: Vec<[u32; 3]>,
}

/// The bytes of a file that are still to be read.
struct Bytes<'t>(&'t [u8]);

impl Bytes<'_> {
    fn line(&mut self) -> Result<Vec<u32>, Unconfirmed> {
        let end = self.0.iter().position(|&b| b == b'\n').unwrap_or(self.0.len());
        let (line, rest) = self.0.split_at(end);
        self.0 = rest.get(1..).unwrap_or_default();
        let text = std::str::from_utf8(line).map_err(|_| wrong("a line of the circuit is not text"))?;
        let number = |word: &str| word.parse().map_err(|_| wrong("a line of the circuit has no number"));
        text.split_ascii_whitespace().map(number).collect()
    }

    fn one(&mut self) -> Result<u32, Unconfirmed> {
        self.line()?.first().copied().ok_or_else(|| wrong("a line of the circuit is empty"))
    }

    fn many(&mut self, count: u32) -> Result<Vec<u32>, Unconfirmed> {
        (0..count).map(|_| self.one()).collect()
    }

    /// A number of the binary part.
    fn delta(&mut self) -> Result<u32, Unconfirmed> {
        let mut number = 0_u64;
        for (at, &byte) in self.0.iter().take(5).enumerate() {
            number |= u64::from(byte & 127) << (7 * at);
            if byte < 128 {
                self.0 = &self.0[at + 1..];
                return u32::try_from(number).map_err(|_| wrong("a gate of the circuit is out of range"));
            }
        }
        Err(wrong("the gates of the circuit end early"))
    }
}

impl Netlist {
    fn read(text: &[u8]) -> Result<Self, Unconfirmed> {
        let is_binary = match text.get(..4) {
            Some(b"aig ") => true,
            Some(b"aag ") => false,
            _ => return Err(wrong("the circuit is not in AIGER")),
        };
        let mut bytes = Bytes(&text[4..]);
        let mut counts = bytes.line()?;
        counts.resize(9, 0);
        let [_, inputs, latches, outputs, ands, bad, constraints, justice, fairness] = counts[..9] else {
            return Err(wrong("the circuit has no header"));
        };
        if [inputs, latches, ands].into_iter().any(|count| count as usize > MOST_VARIABLES) {
            return Err(wrong("the circuit is too large to be simulated"));
        }
        let inputs_of = |bytes: &mut Bytes<'_>| {
            if is_binary { Ok((1..=inputs).map(|at| 2 * at).collect()) } else { bytes.many(inputs) }
        };
        let mut net = Netlist { inputs: inputs_of(&mut bytes)?, ..Netlist::default() };
        for at in 0..latches {
            let mut line = bytes.line()?;
            if is_binary {
                line.insert(0, 2 * (inputs + at + 1));
            }
            let [state, next, ref first @ ..] = line[..] else { return Err(wrong("a latch is not one")) };
            net.latches.push((state, next, first.first().copied().unwrap_or(0)));
        }
        net.outputs = bytes.many(outputs)?;
        net.bad = bytes.many(bad)?;
        net.constraints = bytes.many(constraints)?;
        let sizes = bytes.many(justice)?;
        net.justice = sizes.into_iter().map(|size| bytes.many(size)).collect::<Result<_, _>>()?;
        net.fairness = bytes.many(fairness)?;
        for at in 0..ands {
            if is_binary {
                let left = 2 * (inputs + latches + at + 1);
                let out = || wrong("a gate of the circuit is out of range");
                let a = left.checked_sub(bytes.delta()?).ok_or_else(out)?;
                let b = a.checked_sub(bytes.delta()?).ok_or_else(out)?;
                net.ands.push([left, a, b]);
            } else {
                let line = bytes.line()?;
                net.ands.push(line.try_into().map_err(|_| wrong("a gate is not one"))?);
            }
        }
        net.sort();
        Ok(net)
    }

    /// Puts gates after their operands, which in text they need not be.
    fn sort(&mut self) {
        let of: FxHashMap<u32, usize> =
            self.ands.iter().enumerate().map(|(at, gate)| (gate[0] / 2, at)).collect();
        let mut sorted = Vec::with_capacity(self.ands.len());
        // 0: not seen, 1: waits for its operands, 2: done
        let mut seen = vec![0_u8; self.ands.len()];
        for root in 0..self.ands.len() {
            let mut stack = vec![root];
            while let Some(&at) = stack.last() {
                if seen[at] == 0 {
                    seen[at] = 1;
                    let operands = self.ands[at][1..].iter().filter_map(|code| of.get(&(code / 2)));
                    stack.extend(operands.filter(|&&operand| seen[operand] == 0));
                } else {
                    stack.pop();
                    if std::mem::replace(&mut seen[at], 2) == 1 {
                        sorted.push(self.ands[at]);
                    }
                }
            }
        }
        self.ands = sorted;
    }

    /// How many variables there are, by the highest one that is named.
    fn variables(&self) -> Result<usize, Unconfirmed> {
        let ports = [&self.inputs, &self.outputs, &self.bad, &self.constraints, &self.fairness];
        let ports = ports.into_iter().flatten().chain(self.justice.iter().flatten()).copied();
        let latches = self.latches.iter().flat_map(|&(state, next, _)| [state, next]);
        let codes = ports.chain(latches).chain(self.ands.iter().flatten().copied());
        let most = codes.max().unwrap_or(0) as usize / 2 + 1;
        if most > MOST_VARIABLES {
            Err(wrong("the circuit numbers its variables too high"))
        } else {
            Ok(most)
        }
    }

    /// The values of all variables at a step.
    fn values(&self, latches: &[bool], inputs: &[bool], into: &mut [bool]) {
        let states = self.latches.iter().map(|latch| latch.0).zip(latches);
        for (code, &value) in states.chain(self.inputs.iter().copied().zip(inputs)) {
            into[code as usize / 2] = value;
        }
        for &[left, a, b] in &self.ands {
            into[left as usize / 2] = value(a, into) && value(b, into);
        }
    }

    /// Checks that a run violates a property.
    fn confirm(&self, property: &str, run: &[&str], budget: &mut Budget) -> Result<(), Unconfirmed> {
        let (kind, place) = property.split_at_checked(1).ok_or_else(|| wrong("a property has no name"))?;
        let place: usize = place.parse().map_err(|_| wrong("a property has no number"))?;
        let is_old = self.bad.is_empty() && self.justice.is_empty();
        let bad = if is_old { &self.outputs } else { &self.bad };
        let missing = || wrong(format!("the circuit has no {property}"));
        let (wanted, is_endless) = match kind {
            "b" => (vec![*bad.get(place).ok_or_else(missing)?], false),
            "j" => (self.justice.get(place).ok_or_else(missing)?.clone(), true),
            _ => return Err(missing()),
        };
        let bits = |line: &str| -> Vec<bool> { line.bytes().map(|b| b == b'1').collect() };
        let (first, steps) = run.split_first().ok_or_else(|| wrong("the run is empty"))?;
        let mut latches = bits(first);
        if latches.len() != self.latches.len() || steps.is_empty() {
            return Err(wrong("the run has no first state"));
        }
        for (&(state, _, first), &value) in self.latches.iter().zip(&latches) {
            if first != state && (first == 1) != value {
                return Err(wrong("the run does not start in an initial state"));
            }
        }
        let wanted: Vec<u32> =
            wanted.into_iter().chain(self.fairness.iter().copied().filter(|_| is_endless)).collect();
        // when each function held last
        let mut last: Vec<Option<usize>> = vec![None; wanted.len()];
        let mut visited: Vec<Vec<bool>> = Vec::new();
        let mut now = vec![false; self.variables()?];
        for (at, step) in steps.iter().enumerate() {
            budget.spend(1 + self.ands.len())?;
            let inputs = bits(step);
            if inputs.len() != self.inputs.len() {
                return Err(wrong("a step does not have a value for each input"));
            }
            self.values(&latches, &inputs, &mut now);
            if let Some(broken) = self.constraints.iter().position(|&code| !value(code, &now)) {
                return Err(wrong(format!("the constraint c{broken} does not hold at step {at}")));
            }
            for (last, &code) in last.iter_mut().zip(&wanted) {
                if value(code, &now) {
                    *last = Some(at);
                }
            }
            let next = self.latches.iter().map(|latch| value(latch.1, &now)).collect();
            visited.push(std::mem::replace(&mut latches, next));
        }
        if !is_endless {
            let is_bad = last[0] == Some(steps.len() - 1);
            return if is_bad { Ok(()) } else { Err(wrong(format!("{property} does not hold at the end"))) };
        }
        let mut starts = (0..visited.len()).filter(|&at| visited[at] == latches);
        let recurs = |start: usize| last.iter().all(|last| last.is_some_and(|last| last >= start));
        match starts.next() {
            None => Err(wrong("the run does not come back to one of its states")),
            Some(start) if recurs(start) => Ok(()),
            Some(_) => Err(wrong(format!("a function of {property} does not hold again and again"))),
        }
    }
}

fn value(code: u32, values: &[bool]) -> bool {
    values[code as usize / 2] != (code % 2 == 1)
}

#[cfg(test)]
mod tests {
    use super::{Unconfirmed, confirm_witness};
    use loris_base::Budget;

    /// A counter of two bits, and an input that a constraint sets; it is bad to get to 3.
    const COUNTER: &str = "aag 6 1 2 0 3 1 1 1 1\n2\n4 5\n6 12\n8\n2\n1\n10\n7\n8 6 4\n10 7 5\n12 11 9\n";

    /// Whatever is changed in a witness or in a circuit, the simulator gives an answer, and a
    /// witness whose run is shorter or does not set the input is refused.
    #[test]
    fn each_byte_may_be_wrong() {
        let witness = "1\nb0\n00\n1\n1\n1\n1\n.\n";
        let budget = || Budget::steps(1_000_000);
        assert_eq!(confirm_witness(COUNTER.as_bytes(), witness, &mut budget()), Ok(1));
        let mutations = |text: &str| -> Vec<Vec<u8>> {
            let bytes = text.as_bytes();
            let changed = (0..bytes.len()).flat_map(|at| {
                [b'0', b'1', b'9', b'x', b'\n', b' ', 0xff].map(|byte| {
                    let mut changed = bytes.to_vec();
                    changed[at] = byte;
                    changed
                })
            });
            let cut = (0..bytes.len()).map(|end| bytes[..end].to_vec());
            changed.chain(cut).collect()
        };
        let mut refused = 0;
        for witness in mutations(witness).iter().filter_map(|bytes| std::str::from_utf8(bytes).ok()) {
            refused += usize::from(confirm_witness(COUNTER.as_bytes(), witness, &mut budget()).is_err());
        }
        assert!(refused > 50, "{refused}");
        for circuit in mutations(COUNTER) {
            let _ = confirm_witness(&circuit, witness, &mut budget());
        }
    }

    #[test]
    fn limits_hold() {
        let witness = format!("1\nb0\n00\n{}.\n", "1\n".repeat(10_000));
        let found = confirm_witness(COUNTER.as_bytes(), &witness, &mut Budget::steps(5_000));
        assert!(matches!(found, Err(Unconfirmed::Exhausted(_))), "{found:?}");
    }
}
