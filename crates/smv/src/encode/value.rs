//! Values of expressions as functions: numbers as bits, members of enumerations one by one.

use super::bits::{self, Bits};
use crate::ir::LIMIT;
use loris_circuit::{Aig, Lit};
use std::collections::BTreeMap;

/// A value that depends on states and choices.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Value {
    /// Always this one.
    Constant(i64),
    /// A number.
    Number(Bits),
    /// One of these, in ascending order: exactly one condition holds.
    Cases(Vec<(i64, Lit)>),
}

/// Whether a value is a number and not a symbolic constant, all of which are far below.
fn is_number(value: i64) -> bool {
    (-LIMIT..LIMIT).contains(&value)
}

impl Value {
    pub(super) fn truth(lit: Lit) -> Self {
        match lit.as_constant() {
            Some(value) => Value::Constant(i64::from(value)),
            None => Value::Number(bits::truth(lit)),
        }
    }

    /// A number, as a constant if it is one.
    pub(super) fn number(of: Bits) -> Self {
        let constant = of.len() <= 64 && of.iter().all(|lit| lit.as_constant().is_some());
        if !constant {
            return Value::Number(of);
        }
        Value::Constant((0..64).fold(0, |sum, at| sum | i64::from(bits::bit(&of, at) == Lit::TRUE) << at))
    }

    /// Its bits; symbolic constants have bits, too.
    pub(super) fn bits(&self, aig: &mut Aig) -> Bits {
        match self {
            Value::Constant(value) => bits::constant(*value),
            Value::Number(bits) => bits.clone(),
            Value::Cases(cases) => {
                let all: Vec<(Lit, Bits)> =
                    cases.iter().map(|&(value, when)| (when, bits::constant(value))).collect();
                joined(aig, &all)
            }
        }
    }

    /// Its only bit, of a truth value.
    pub(super) fn lit(&self, aig: &mut Aig) -> Lit {
        self.bits(aig)[0]
    }

    /// Whether it is this one.
    pub(super) fn is(&self, aig: &mut Aig, value: i64) -> Lit {
        match self {
            Value::Constant(other) => Lit::constant(*other == value),
            Value::Number(bits) => bits::equal(aig, bits, &bits::constant(value)),
            Value::Cases(cases) => {
                let found = cases.binary_search_by_key(&value, |&(value, _)| value);
                found.map_or(Lit::FALSE, |at| cases[at].1)
            }
        }
    }

    /// Whether two values are the same.
    pub(super) fn equal(&self, other: &Self, aig: &mut Aig) -> Lit {
        match (self, other) {
            (Value::Number(a), Value::Number(b)) => bits::equal(aig, a, b),
            (Value::Constant(value), of) | (of, Value::Constant(value)) => of.is(aig, *value),
            (Value::Cases(cases), of) | (of, Value::Cases(cases)) => {
                let both: Vec<Lit> = cases
                    .iter()
                    .map(|&(value, when)| {
                        let is = of.is(aig, value);
                        aig.and(when, is)
                    })
                    .collect();
                aig.any(both)
            }
        }
    }
}

/// The bits of the one whose condition holds.
fn joined(aig: &mut Aig, of: &[(Lit, Bits)]) -> Bits {
    let width = of.iter().map(|(_, bits)| bits.len()).max().unwrap_or(1);
    let bits = (0..width).map(|at| {
        let first = bits::bit(&of[0].1, at);
        if of.iter().all(|(_, bits)| bits::bit(bits, at) == first) {
            return first;
        }
        let parts: Vec<Lit> = of.iter().map(|(when, bits)| aig.and(*when, bits::bit(bits, at))).collect();
        aig.any(parts)
    });
    bits::trimmed(bits.collect())
}

/// The value whose condition holds; conditions exclude each other, and anything may come of none.
pub(super) fn select(aig: &mut Aig, of: Vec<(Lit, Value)>) -> Value {
    let of: Vec<(Lit, Value)> = of.into_iter().filter(|(when, _)| *when != Lit::FALSE).collect();
    match &of[..] {
        [] => return Value::Constant(0),
        [(_, value)] => return value.clone(),
        [(_, first), rest @ ..] if rest.iter().all(|(_, value)| value == first) => return first.clone(),
        _ => {}
    }
    let symbolic = |value: &Value| match value {
        Value::Constant(value) => !is_number(*value),
        Value::Cases(_) => true,
        Value::Number(_) => false,
    };
    let has_bits = of.iter().any(|(_, value)| matches!(value, Value::Number(_)));
    if has_bits || !of.iter().any(|(_, value)| symbolic(value)) {
        let all: Vec<(Lit, Bits)> = of.iter().map(|(when, value)| (*when, value.bits(aig))).collect();
        return Value::number(joined(aig, &all));
    }
    let mut cases: BTreeMap<i64, Vec<Lit>> = BTreeMap::new();
    for (when, value) in of {
        match value {
            Value::Constant(value) => cases.entry(value).or_default().push(when),
            Value::Cases(parts) => {
                for (value, part) in parts {
                    let both = aig.and(when, part);
                    if both != Lit::FALSE {
                        cases.entry(value).or_default().push(both);
                    }
                }
            }
            Value::Number(_) => {}
        }
    }
    Value::Cases(cases.into_iter().map(|(value, parts)| (value, aig.any(parts))).collect())
}

/// The value that bits choose from a list; a number past its end is read without its highest bit,
/// so that every choice is a member of the list.
pub(super) fn lookup(aig: &mut Aig, chosen: &[Lit], of: &[Value]) -> Value {
    let size = 1 << chosen.len();
    let at = |place: usize| if place < of.len() { place } else { place - size / 2 };
    // a condition for each place, from products of bits
    let mut conditions = vec![Lit::TRUE];
    for &bit in chosen {
        let (zero, one): (Vec<Lit>, Vec<Lit>) =
            conditions.iter().map(|&when| (aig.and(when, !bit), aig.and(when, bit))).unzip();
        conditions = [zero, one].concat();
    }
    let mut parts: Vec<Vec<Lit>> = vec![Vec::new(); of.len()];
    for (place, when) in conditions.into_iter().enumerate() {
        parts[at(place)].push(when);
    }
    let all = parts.into_iter().zip(of).map(|(when, value)| (aig.any(when), value.clone())).collect();
    select(aig, all)
}

/// How many bits it takes to choose one of this many.
pub(super) fn width(count: u64) -> usize {
    (u64::BITS - count.saturating_sub(1).leading_zeros()) as usize
}
