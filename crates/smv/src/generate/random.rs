//! One finite module that looks like the flow graph of a function, with many properties: the input
//! that recursive-kripke was evaluated with (section 5.5: 5000 states, 4500 properties).

use super::properties::Properties;
use super::{few, write_set, write_value};
use loris_base::Rng;
use std::io::{self, Write};

/// How to make a module.
#[derive(Clone, Debug, PartialEq)]
pub struct RandomModule {
    /// Values of the one variable, at least one. All are reachable.
    pub states: usize,
    /// Properties, CTL over the labels.
    pub properties: usize,
    /// Labels: `p0`, `p1`, …
    pub labels: usize,
    /// How many states carry a label, on average.
    pub carriers: f64,
    /// How many successors a state has, on average, at least one.
    pub degree: f64,
    /// The most quantifiers over an atom of a property that is of no common shape.
    pub depth: u32,
}

impl Default for RandomModule {
    /// The size that was published.
    fn default() -> Self {
        Self { states: 5000, properties: 4500, labels: 250, carriers: 8.0, degree: 1.4, depth: 2 }
    }
}

impl RandomModule {
    /// Writes the module of a seed: a line of states, each with the next as successor, and jumps,
    /// most of them short and forward.
    ///
    /// ```
    /// use loris_smv::generate::RandomModule;
    /// let mut text = Vec::new();
    /// let module = RandomModule { states: 10, properties: 3, labels: 2, ..RandomModule::default() };
    /// module.write(&mut loris_base::Rng::new(1), &mut text).expect("memory takes all");
    /// assert!(text.starts_with(b"MODULE main\nVAR\n  state : {s0, s1, "));
    /// ```
    ///
    /// # Errors
    /// If `out` fails.
    pub fn write(&self, rng: &mut Rng, out: &mut impl Write) -> io::Result<()> {
        let states = self.states.max(1);
        let names = |states: Vec<usize>| states.into_iter().map(|state| format!("s{state}"));
        out.write_all(b"MODULE main\nVAR\n  state : ")?;
        write_set((0..states).map(|state| format!("s{state}")), out)?;
        out.write_all(b";\n")?;
        if self.labels > 0 {
            out.write_all(b"DEFINE\n")?;
        }
        for label in 0..self.labels {
            write!(out, "  p{label} := state in ")?;
            write_set(names(few(states, self.carriers, rng)), out)?;
            out.write_all(b";\n")?;
        }
        out.write_all(b"ASSIGN\n  init(state) := s0;\n  next(state) := case\n")?;
        for state in 0..states {
            let mut next = vec![if state + 1 < states { state + 1 } else { rng.below(states) }];
            let mut more = self.degree - 1.0;
            while more > 0.0 {
                if rng.chance(more.min(1.0)) {
                    next.push(jump(state, states, rng));
                }
                more -= 1.0;
            }
            next.sort_unstable();
            write!(out, "    state = s{state} : ")?;
            write_value(names(next).collect(), out)?;
            out.write_all(b";\n")?;
        }
        out.write_all(b"  esac;\n")?;
        let mut properties = Properties::new(self.labels, self.depth);
        for _ in 0..self.properties {
            writeln!(out, "SPEC {}", properties.next(rng))?;
        }
        Ok(())
    }
}

/// Most jumps skip a few statements, some go back a little, few go anywhere.
fn jump(from: usize, states: usize, rng: &mut Rng) -> usize {
    match rng.below(10) {
        0..7 => (from + 2 + rng.below(20)).min(states - 1),
        7..9 => from.saturating_sub(1 + rng.below(30)),
        _ => rng.below(states),
    }
}
