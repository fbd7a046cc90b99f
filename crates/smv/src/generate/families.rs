//! Families of modules that are expensive for a naive implementation, to measure that they are not
//! here.

use std::io::{self, Write};

/// How a transition relation is spelled.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Spelling {
    /// An assignment for each variable.
    Assign,
    /// `TRANS` with a disjunction of guarded steps.
    Or,
    /// A `TRANS` with an implication for each guard.
    Implies,
    /// `TRANS` with a `case` over the guards.
    Case,
}

/// A module of booleans that are set one after the other, then cleared one after the other: two
/// states for each of them, out of exponentially many valuations.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Guards {
    /// How many booleans, at least one.
    pub variables: usize,
    /// How the steps are spelled.
    pub spelling: Spelling,
}

impl Guards {
    /// Writes the module, with two properties that hold.
    ///
    /// ```
    /// use loris_smv::generate::{Guards, Spelling};
    /// let mut text = Vec::new();
    /// Guards { variables: 3, spelling: Spelling::Or }.write(&mut text).expect("memory takes all");
    /// assert!(String::from_utf8_lossy(&text).contains("at : 0..2;"));
    /// ```
    ///
    /// # Errors
    /// If `out` fails.
    pub fn write(self, out: &mut impl Write) -> io::Result<()> {
        let count = self.variables.max(1);
        let all = 0..count;
        writeln!(out, "MODULE main\nVAR\n  at : 0..{};", count - 1)?;
        all.clone().try_for_each(|i| writeln!(out, "  b{i} : boolean;"))?;
        let none: Vec<String> = all.clone().map(|i| format!("!b{i}")).collect();
        writeln!(out, "INIT at = 0 & {}", none.join(" & "))?;
        // the effect of a step at a guard on all variables
        let step = |at: usize| {
            let moves = format!("next(at) = {}", (at + 1) % count);
            let others = (0..count).map(|i| {
                let not = if i == at { "!" } else { "" };
                format!("next(b{i}) = {not}b{i}")
            });
            std::iter::once(moves).chain(others).collect::<Vec<_>>().join(" & ")
        };
        match self.spelling {
            Spelling::Assign => {
                writeln!(out, "ASSIGN\n  next(at) := (at + 1) mod {count};")?;
                all.clone().try_for_each(|i| writeln!(out, "  next(b{i}) := at = {i} ? !b{i} : b{i};"))?;
            }
            Spelling::Or => {
                let steps: Vec<String> =
                    all.clone().map(|at| format!("(at = {at} & {})", step(at))).collect();
                writeln!(out, "TRANS\n    {}", steps.join("\n  | "))?;
            }
            Spelling::Implies => {
                all.clone().try_for_each(|at| writeln!(out, "TRANS at = {at} -> ({})", step(at)))?;
            }
            Spelling::Case => {
                writeln!(out, "TRANS case")?;
                all.clone().try_for_each(|at| writeln!(out, "    at = {at} : {};", step(at)))?;
                writeln!(out, "  esac")?;
            }
        }
        writeln!(out, "SPEC AG AF b0\nSPEC AG EF (at = 0 & !b{})", count - 1)
    }
}

/// A ring that may stay everywhere, and conditions of fairness that forbid to stay: one for each
/// place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FairRing {
    /// How many conditions, at least one.
    pub conditions: usize,
    /// Whether conditions are `COMPASSION` instead of `FAIRNESS`.
    pub compassion: bool,
}

impl FairRing {
    /// Writes the module, with properties of CTL and LTL; the first two hold, the third fails.
    ///
    /// ```
    /// use loris_smv::generate::FairRing;
    /// let mut text = Vec::new();
    /// FairRing { conditions: 2, compassion: false }.write(&mut text).expect("memory takes all");
    /// assert!(String::from_utf8_lossy(&text).contains("FAIRNESS at = 1\n"));
    /// ```
    ///
    /// # Errors
    /// If `out` fails.
    pub fn write(self, out: &mut impl Write) -> io::Result<()> {
        let count = self.conditions.max(1);
        writeln!(out, "MODULE main\nVAR\n  at : 0..{};\nASSIGN", count - 1)?;
        writeln!(out, "  init(at) := 0;\n  next(at) := {{at, (at + 1) mod {count}}};")?;
        for place in 0..count {
            if self.compassion {
                writeln!(out, "COMPASSION (at = {place}, at = {})", (place + 1) % count)?;
            } else {
                writeln!(out, "FAIRNESS at = {place}")?;
            }
        }
        writeln!(out, "SPEC AG AF at = 0\nLTLSPEC G F at = {}\nLTLSPEC F G at = 0", count / 2)
    }
}

/// Unconstrained variables: every state has every state as a successor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Free {
    /// How many variables, at least one.
    pub variables: usize,
    /// How many values each has, at least two.
    pub values: usize,
}

impl Free {
    /// Writes the module, with a property that holds and one that fails.
    ///
    /// ```
    /// use loris_smv::generate::Free;
    /// let mut text = Vec::new();
    /// Free { variables: 5, values: 8 }.write(&mut text).expect("memory takes all");
    /// assert!(String::from_utf8_lossy(&text).contains("v4 : 0..7;"));
    /// ```
    ///
    /// # Errors
    /// If `out` fails.
    pub fn write(self, out: &mut impl Write) -> io::Result<()> {
        let last = self.values.max(2) - 1;
        let names: Vec<String> = (0..self.variables.max(1)).map(|i| format!("v{i}")).collect();
        writeln!(out, "MODULE main\nVAR")?;
        names.iter().try_for_each(|name| writeln!(out, "  {name} : 0..{last};"))?;
        let all: Vec<String> = names.iter().map(|name| format!("{name} = {last}")).collect();
        writeln!(out, "SPEC AG EX ({})\nSPEC AF ({})", all.join(" & "), all.join(" & "))
    }
}
