//! Random Büchi automata, in the Hanoi format.

use loris_base::Rng;
use std::io::{self, Write};

/// The shape of random automata: under each letter of one atom, each state has an edge to each
/// other with the same probability.
///
/// ```
/// use loris_base::Rng;
/// use loris_logic::RandomAutomaton;
/// let mut text = Vec::new();
/// let random = RandomAutomaton { states: 10, density: 0.5, accepting: 0.2, atom: "p".to_owned() };
/// random.write(&mut Rng::new(1), &mut text).expect("memory takes all");
/// assert!(text.starts_with(b"HOA: v1\nStates: 10\n"));
/// ```
#[derive(Clone, Debug)]
pub struct RandomAutomaton {
    /// How many states.
    pub states: usize,
    /// The probability of each edge.
    pub density: f64,
    /// The probability that a state is accepting.
    pub accepting: f64,
    /// The atom that is read.
    pub atom: String,
}

impl RandomAutomaton {
    /// Writes an automaton; the same for the same state of the generator.
    ///
    /// # Errors
    /// If `out` fails.
    pub fn write(&self, rng: &mut Rng, out: &mut impl Write) -> io::Result<()> {
        writeln!(out, "HOA: v1\nStates: {}", self.states)?;
        if self.states > 0 {
            writeln!(out, "Start: 0")?;
        }
        writeln!(out, "AP: 1 \"{}\"", self.atom.replace('\\', "\\\\").replace('"', "\\\""))?;
        writeln!(out, "acc-name: Buchi\nAcceptance: 1 Inf(0)\n--BODY--")?;
        for state in 0..self.states {
            let accepting = if rng.chance(self.accepting) { " {0}" } else { "" };
            writeln!(out, "State: {state}{accepting}")?;
            for letter in ["0", "!0"] {
                for to in 0..self.states {
                    if rng.chance(self.density) {
                        writeln!(out, "[{letter}] {to}")?;
                    }
                }
            }
        }
        writeln!(out, "--END--")
    }
}
