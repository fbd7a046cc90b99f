//! A finite module with three variables and any number of states, to measure how fast states are
//! generated.

use std::io::{self, Write};

/// How to make the module.
///
/// `a` runs round; `b` stays or moves on, at times by two; `c` moves by amounts that depend on
/// both. All combinations of values are reachable from each other, with a little more than two
/// successors each: while `b` is 1, `c` grows by one whenever `a` is 0, and so takes all values for
/// each of `a`; and a way from there to another `b` adds the same to `c`, whatever it was.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Counters {
    /// About how many states; [`Counters::sizes`] has the exact number.
    pub states: usize,
}

impl Default for Counters {
    fn default() -> Self {
        Self { states: 1_000_000 }
    }
}

impl Counters {
    /// How many values `a`, `b` and `c` have, at least two each: there are as many states as their
    /// product.
    pub fn sizes(self) -> [usize; 3] {
        #[expect(clippy::cast_sign_loss, reason = "roots of what is not negative")]
        let root = |number: f64| (number.round() as usize).max(2);
        let a = root((self.states as f64).cbrt());
        let b = root((self.states as f64 / a as f64).sqrt());
        [a, b, (self.states / (a * b)).max(2)]
    }

    /// Writes the module, with three properties that hold and one that fails.
    ///
    /// ```
    /// use loris_smv::generate::Counters;
    /// assert_eq!(Counters { states: 1_000_000 }.sizes(), [100, 100, 100]);
    /// let mut text = Vec::new();
    /// Counters::default().write(&mut text).expect("memory takes all");
    /// assert!(String::from_utf8_lossy(&text).contains("a : 0..99;"));
    /// ```
    ///
    /// # Errors
    /// If `out` fails.
    pub fn write(self, out: &mut impl Write) -> io::Result<()> {
        let [a, b, c] = self.sizes();
        let [last_a, last_b, last_c] = [a - 1, b - 1, c - 1];
        write!(
            out,
            "\
-- {a} * {b} * {c} states, all reachable from each other
MODULE main
VAR
  a : 0..{last_a};
  b : 0..{last_b};
  c : 0..{last_c};
DEFINE
  origin := a = 0 & b = 0 & c = 0;
  corner := a = {last_a} & b = {last_b} & c = {last_c};
  low := b < a;
ASSIGN
  init(a) := 0;
  init(b) := 0;
  init(c) := 0;
  next(a) := (a + 1) mod {a};
  next(b) := case
    c mod 5 = 4 & low : {{b, (b + 1) mod {b}, (b + 2) mod {b}}};
    TRUE : {{b, (b + 1) mod {b}}};
  esac;
  next(c) := case
    b = 0 : (c + a) mod {c};
    b > a : (c + 1) mod {c};
    TRUE : c;
  esac;
-- holds
SPEC EF corner
-- holds
SPEC AG EF origin
-- holds
SPEC AG (corner -> !low | b < {last_a})
-- fails
SPEC AF corner
"
        )
    }
}
