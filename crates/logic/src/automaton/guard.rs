//! The condition of an edge on a letter: a boolean combination of atoms.
//!
//! Guards are trees; code that makes one keeps it shallow, the parser by a bound on brackets.

use std::fmt;

/// A condition on a letter, the set of atoms that hold.
///
/// ```
/// use loris_logic::automaton::Guard;
/// let guard = Guard::And(vec![Guard::Atom(0), Guard::Not(Box::new(Guard::Atom(1)))]);
/// assert!(guard.holds(&mut |atom| atom == 0));
/// assert_eq!(guard.lanes(0b111, &mut |atom| if atom == 0 { 0b011 } else { 0b010 }), 0b001);
/// assert_eq!(guard.print(&["p", "q"]), "p & !q");
/// ```
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Guard {
    /// Every letter.
    True,
    /// No letter.
    False,
    /// Letters with this atom.
    Atom(u32),
    /// All other letters.
    Not(Box<Guard>),
    /// Letters that all of these take; every letter, if there are none.
    And(Vec<Guard>),
    /// Letters that one of these takes; no letter, if there are none.
    Or(Vec<Guard>),
}

impl Guard {
    /// Whether a letter passes, given the atoms that hold in it.
    pub fn holds(&self, atom: &mut impl FnMut(u32) -> bool) -> bool {
        match self {
            Guard::True => true,
            Guard::False => false,
            Guard::Atom(number) => atom(*number),
            Guard::Not(guard) => !guard.holds(atom),
            Guard::And(guards) => guards.iter().all(|guard| guard.holds(atom)),
            Guard::Or(guards) => guards.iter().any(|guard| guard.holds(atom)),
        }
    }

    /// Which of up to 64 letters pass at once, a bit each: `active` are the letters there are,
    /// `atom` returns those in which an atom holds.
    pub fn lanes(&self, active: u64, atom: &mut impl FnMut(u32) -> u64) -> u64 {
        match self {
            Guard::True => active,
            Guard::False => 0,
            Guard::Atom(number) => active & atom(*number),
            Guard::Not(guard) => active & !guard.lanes(active, atom),
            Guard::And(guards) => guards.iter().fold(active, |left, guard| guard.lanes(left, atom)),
            Guard::Or(guards) => {
                guards.iter().fold(0, |passed, guard| passed | guard.lanes(active & !passed, atom))
            }
        }
    }

    /// One more than the largest atom, 0 without atoms.
    pub fn atoms(&self) -> usize {
        match self {
            Guard::True | Guard::False => 0,
            Guard::Atom(number) => *number as usize + 1,
            Guard::Not(guard) => guard.atoms(),
            Guard::And(guards) | Guard::Or(guards) => guards.iter().map(Guard::atoms).max().unwrap_or(0),
        }
    }

    /// Bytes held beside the guard itself, with the allocator's overhead for them.
    pub fn bytes(&self) -> usize {
        const BLOCK: usize = 16;
        let boxed = |count: usize| if count == 0 { 0 } else { BLOCK + size_of::<Guard>() * count };
        match self {
            Guard::True | Guard::False | Guard::Atom(_) => 0,
            Guard::Not(guard) => boxed(1) + guard.bytes(),
            Guard::And(guards) | Guard::Or(guards) => {
                boxed(guards.capacity()) + guards.iter().map(Guard::bytes).sum::<usize>()
            }
        }
    }

    /// The guard as text over these names; an atom without one is its number.
    pub fn print<S: AsRef<str>>(&self, names: &[S]) -> String {
        self.display(&|atom| names.get(atom as usize).map_or(atom.to_string(), |name| name.as_ref().into()))
            .to_string()
    }

    /// The guard as text, with `true`, `false`, `!`, `&`, `|` and as few brackets as these allow.
    pub(crate) fn display<'a>(&'a self, name: &'a dyn Fn(u32) -> String) -> impl fmt::Display + 'a {
        Shown { guard: self, words: ["true", "false"], name }
    }

    /// As [`Guard::display`], with `t` and `f`: the words of HOA.
    pub(crate) fn display_hoa<'a>(&'a self, name: &'a dyn Fn(u32) -> String) -> impl fmt::Display + 'a {
        Shown { guard: self, words: ["t", "f"], name }
    }
}

struct Shown<'a> {
    guard: &'a Guard,
    words: [&'static str; 2],
    name: &'a dyn Fn(u32) -> String,
}

impl Shown<'_> {
    /// `level` is the operator around: 0 nothing, 1 `|`, 2 `&`, 3 `!`.
    fn write(&self, guard: &Guard, level: u8, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match guard {
            Guard::True => f.write_str(self.words[0]),
            Guard::False => f.write_str(self.words[1]),
            Guard::Atom(number) => f.write_str(&(self.name)(*number)),
            Guard::Not(guard) => {
                f.write_str("!")?;
                self.write(guard, 3, f)
            }
            Guard::And(guards) => self.join(guards, (self.words[0], " & ", 2), level, f),
            Guard::Or(guards) => self.join(guards, (self.words[1], " | ", 1), level, f),
        }
    }

    fn join(
        &self,
        guards: &[Guard],
        (none, operator, own): (&str, &str, u8),
        level: u8,
        f: &mut fmt::Formatter<'_>,
    ) -> fmt::Result {
        match guards {
            [] => f.write_str(none),
            [guard] => self.write(guard, level, f),
            [first, rest @ ..] => {
                // the same operator inside keeps its brackets, so that the text has the tree's
                // shape
                let brackets = level >= own;
                f.write_str(if brackets { "(" } else { "" })?;
                self.write(first, own, f)?;
                for guard in rest {
                    f.write_str(operator)?;
                    self.write(guard, own, f)?;
                }
                f.write_str(if brackets { ")" } else { "" })
            }
        }
    }
}

impl fmt::Display for Shown<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.write(self.guard, 0, f)
    }
}

#[cfg(test)]
mod tests {
    use super::Guard;

    fn not(guard: Guard) -> Guard {
        Guard::Not(Box::new(guard))
    }

    #[test]
    fn lanes_are_single_letters_side_by_side() {
        let guards = [
            Guard::True,
            Guard::False,
            not(Guard::Atom(2)),
            Guard::Or(vec![Guard::Atom(0), Guard::And(vec![Guard::Atom(1), not(Guard::Atom(2))])]),
            not(Guard::And(vec![Guard::Or(vec![]), Guard::And(vec![])])),
            Guard::And(vec![not(Guard::Or(vec![Guard::Atom(0), Guard::Atom(1)])), Guard::Atom(2)]),
        ];
        for guard in guards {
            let lanes = guard.lanes(0xff, &mut |atom| [0b1010_1010, 0b1100_1100, 0b1111_0000][atom as usize]);
            let letters = (0..8u64).filter(|letter| guard.holds(&mut |atom| letter >> atom & 1 == 1));
            assert_eq!(lanes, letters.fold(0, |set, letter| set | 1 << letter), "{guard:?}");
        }
    }

    #[test]
    fn brackets() {
        let (a, b) = (Guard::Atom(0), Guard::Atom(1));
        let check = |guard: Guard, expected: &str| assert_eq!(guard.print(&["a"]), expected);
        check(Guard::And(vec![Guard::Or(vec![a.clone(), b.clone()]), a.clone()]), "(a | 1) & a");
        check(Guard::Or(vec![Guard::And(vec![a.clone(), b.clone()]), not(b.clone())]), "a & 1 | !1");
        check(not(Guard::And(vec![a.clone(), b])), "!(a & 1)");
        check(Guard::And(vec![a]), "a");
        check(Guard::Or(vec![]), "false");
    }
}
