//! Names that SMV can read, different from each other.
//!
//! A name that is an identifier and no word of the language stays. Others keep the characters that
//! may stay; long ones are numbered instead. Comments keep the original names.

use rustc_hash::{FxHashMap, FxHashSet};
use std::borrow::Cow;

/// The names of one kind of things within a file or a module.
#[derive(Clone, Debug, Default)]
pub(super) struct Fresh {
    taken: FxHashSet<String>,
    /// the last number given to names with this beginning
    numbers: FxHashMap<String, u32>,
}

impl Fresh {
    /// The name itself if it may be used and no other thing has it, else one like it; `avoid`
    /// decides which names other kinds of things have.
    pub(super) fn name(&mut self, wanted: &str, short: &str, avoid: impl Fn(&str) -> bool) -> String {
        let base = identifier(wanted, short);
        let mut name = base.clone().into_owned();
        while is_reserved(&name) || avoid(&name) || self.taken.contains(&name) {
            let number = self.numbers.entry(base.clone().into_owned()).or_insert(1);
            *number += 1;
            name = format!("{base}_{number}");
        }
        self.taken.insert(name.clone());
        name
    }

    pub(super) fn has(&self, name: &str) -> bool {
        self.taken.contains(name)
    }
}

/// Longer names are numbered if they have to be changed at all.
const LONG: usize = 40;

/// The name with `_` for characters that an identifier may not contain, or `short` if that would be
/// long or meaningless.
fn identifier<'n>(name: &'n str, short: &'n str) -> Cow<'n, str> {
    if is_identifier(name) {
        return Cow::Borrowed(name);
    }
    if name.len() > LONG || !name.contains(|c: char| c.is_ascii_alphanumeric()) {
        return Cow::Borrowed(short);
    }
    let mut changed = String::with_capacity(name.len() + 1);
    for c in name.chars() {
        if changed.is_empty() && !is_first(c) && is_later(c) {
            changed.push('_');
        }
        changed.push(if is_later(c) { c } else { '_' });
    }
    Cow::Owned(changed)
}

fn is_first(c: char) -> bool {
    c.is_ascii_alphabetic() || c == '_'
}

fn is_later(c: char) -> bool {
    c.is_ascii_alphanumeric() || matches!(c, '_' | '$' | '#')
}

fn is_identifier(name: &str) -> bool {
    name.starts_with(is_first) && name.chars().all(is_later)
}

/// Whether a name means something in the language, here or in other tools.
fn is_reserved(name: &str) -> bool {
    RESERVED.binary_search(&name).is_ok()
}

/// All words of the language of NuSMV, and those of calls, sorted.
#[rustfmt::skip]
const RESERVED: &[&str] = &[
    "A", "ABF", "ABG", "AF", "AG", "ASSIGN", "ASYNC", "AX", "BU", "CALL", "COMPASSION", "COMPID",
    "COMPUTE", "COMPWFF", "CONSTANTS", "CONSTARRAY", "CONSTRAINT", "CTLSPEC", "CTLWFF", "DEFINE", "E",
    "EBF", "EBG", "EF", "EG", "EX", "EXIT", "F", "FAIRNESS", "FALSE", "FROZENVAR", "FUN", "G", "GOTO",
    "H", "IN", "INIT", "INVAR", "INVARSPEC", "ISA", "ITYPE", "IVAR", "Integer", "JUSTICE", "LTLSPEC",
    "LTLWFF", "MAX", "MDEFINE", "MIN", "MIRROR", "MODULE", "NAME", "NEXTWFF", "O", "PARSYNTH", "PRED",
    "PREDICATES", "PSLSPEC", "PSLWFF", "READ", "Real", "S", "SIMPWFF", "SPEC", "SWAP", "T", "TRANS", "TRUE",
    "TYPEOF", "U", "V", "VALID", "VAR", "WRITE", "Word", "X", "Y", "Z", "abs", "array", "bool", "boolean",
    "case", "clock", "cos", "count", "esac", "exp", "extend", "floor", "in", "init", "integer", "ln",
    "max", "min", "mod", "next", "noncontinuous", "of", "pi", "process", "pwconst", "real", "resize",
    "running", "self", "signed", "sin", "sizeof", "state", "swconst", "tan", "time", "time_since",
    "time_until", "toint", "typeof", "union", "unsigned", "uwconst", "word", "word1", "xnor", "xor",
];

#[cfg(test)]
mod tests {
    use super::{Fresh, RESERVED};

    #[test]
    fn words_of_the_language_are_sorted() {
        assert!(RESERVED.is_sorted());
    }

    fn check(wanted: &str, expected: &str) {
        let mut names = Fresh::default();
        names.name("twice", "s", |_| false);
        assert_eq!(names.name(wanted, "s7", |name| name == "label"), expected, "{wanted}");
    }

    #[test]
    fn names_stay_if_they_may() {
        check("n0", "n0");
        check("a$1", "a$1");
        check("twice", "twice_2");
        check("label", "label_2");
        check("next", "next_2");
        check("0", "_0");
        check("a.b", "a_b");
        check("<init>", "_init_");
        check("", "s7");
        check("→", "s7");
        check("java.util.HashMap: void put(java.lang.Object,java.lang.Object)", "s7");
    }
}
