//! Large pushdown systems that look like programs, written as text, to measure readers with.
//!
//! A procedure is a line of statements with branches and loops, most of them short; some statements
//! call. Every procedure is called from somewhere: number `c` calls `2c + 1` and `2c + 2`, and
//! others, most of them near. A procedure of several exits returns into as many control states, and
//! every call goes on for each. Time linear in the text, memory in the number of procedures. Any
//! seed and size makes a system that can be read: every symbol that a rule mentions has a rule, and
//! every control state is returned into.

use super::rounded_up;
use loris_base::Rng;
use std::io::{self, Write};

/// How to make a large pushdown system.
#[derive(Clone, Debug, PartialEq)]
pub struct LargePds {
    /// Rules of the system, met exactly unless one procedure has more.
    pub rules: usize,
    /// Control states that procedures return into; one is the only control state there is.
    pub exits: usize,
    /// Symbols of a procedure, from and to.
    pub symbols: (usize, usize),
    /// The share of statements that call.
    pub calls: f64,
}

impl Default for LargePds {
    fn default() -> Self {
        Self { rules: 100_000, exits: 1, symbols: (20, 100), calls: 0.15 }
    }
}

impl LargePds {
    /// A system with this many rules, all else as usual.
    pub fn with_rules(rules: usize) -> Self {
        Self { rules, ..Self::default() }
    }

    /// Writes the system of a seed in the format that [`read_pds`](crate::read_pds) reads.
    ///
    /// ```
    /// use loris_rsm::{generate::LargePds, read_pds};
    /// let mut text = Vec::new();
    /// LargePds::with_rules(1000).write(&mut loris_base::Rng::new(1), &mut text).unwrap();
    /// let pds = read_pds(std::str::from_utf8(&text).unwrap()).unwrap();
    /// assert_eq!(pds.rules.len(), 1000);
    /// ```
    ///
    /// # Errors
    /// If `out` fails.
    pub fn write(&self, rng: &mut Rng, out: &mut impl Write) -> io::Result<()> {
        let (least, most) = (self.symbols.0.max(self.exits + 4), self.symbols.1.max(self.exits + 4));
        let average = (least + most) as f64 / 2.0;
        // a line, a third more for branches, and the returns of calls; the rest is filled up
        let returns = if self.exits > 1 { self.calls * (self.exits - 1) as f64 } else { 0.0 };
        let each = average * (1.4 + returns);
        let mut procedures = rounded_up(0.9 * self.rules as f64 / each);
        // every procedure is written whole: with as many as that, the rules of few may be too many
        let sizes = loop {
            let mut tried = rng.clone();
            let sizes: Vec<u32> =
                (0..procedures).map(|_| (least + tried.below(most - least + 1)) as u32).collect();
            let mut counted = Text { out: None::<&mut io::Sink>, rules: 0 };
            for c in 0..procedures {
                self.procedure(&mut counted, &mut tried, c, &sizes)?;
            }
            if procedures == 1 || counted.rules <= self.rules {
                break sizes;
            }
            procedures -= (procedures / 20).max(1);
        };
        for _ in 0..procedures {
            rng.below(most - least + 1);
        }
        writeln!(out, "(q <p0_0>)\nATOMS goal p{}_1", procedures - 1)?;
        let mut text = Text { out: Some(out), rules: 0 };
        for c in 0..procedures {
            self.procedure(&mut text, rng, c, &sizes)?;
        }
        while text.rules < self.rules {
            let c = rng.below(procedures);
            let last = sizes[c] as usize - self.exits.max(1);
            text.rule(format_args!("q <p{c}_{}> --> q <p{c}_{}>", rng.below(last), 1 + rng.below(last - 1)))?;
        }
        Ok(())
    }

    fn procedure(
        &self,
        text: &mut Text<impl Write>,
        rng: &mut Rng,
        c: usize,
        sizes: &[u32],
    ) -> io::Result<()> {
        let exits = self.exits.max(1);
        let last = sizes[c] as usize - exits;
        let mut calls = 0;
        for i in 0..last {
            let next = if i + 1 < last { i + 1 } else { last + rng.below(exits) };
            let tree = 2 * c + 1 + calls;
            if i + 1 < last && (calls < 2 && tree < sizes.len() || rng.chance(self.calls)) {
                let callee = match calls {
                    0 | 1 if tree < sizes.len() => tree,
                    _ if rng.chance(0.9) => (c + rng.below(16)).min(sizes.len() - 1),
                    _ => rng.below(sizes.len()),
                };
                calls += 1;
                text.rule(format_args!("q <p{c}_{i}> --> q <p{callee}_0 p{c}_{next}>"))?;
                for exit in 1..exits {
                    let target = 1 + rng.below(last - 1);
                    text.rule(format_args!("r{exit} <p{c}_{next}> --> q <p{c}_{target}>"))?;
                }
            } else {
                text.rule(format_args!("q <p{c}_{i}> --> q <p{c}_{next}>"))?;
            }
            if rng.chance(0.3) {
                let near = if rng.chance(0.8) { i + 1 + rng.below(8) } else { 1 + rng.below(last) };
                let target = near.min(last);
                text.rule(format_args!("q <p{c}_{i}> --> q <p{c}_{target}>"))?;
            }
        }
        for exit in 0..exits {
            if exit > 0 {
                text.rule(format_args!("q <p{c}_{}> --> q <p{c}_{}>", rng.below(last), last + exit))?;
            }
            let to = if exit == 0 { "q".to_owned() } else { format!("r{exit}") };
            text.rule(format_args!("q <p{c}_{}> --> {to} <>", last + exit))?;
        }
        Ok(())
    }
}

struct Text<'o, W> {
    /// where rules go; without it they are only counted
    out: Option<&'o mut W>,
    rules: usize,
}

impl<W: Write> Text<'_, W> {
    fn rule(&mut self, rule: std::fmt::Arguments) -> io::Result<()> {
        self.rules += 1;
        self.out.as_mut().map_or(Ok(()), |out| writeln!(out, "{rule}"))
    }
}
