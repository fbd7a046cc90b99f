//! How the values of a variable become bits of a state.
//!
//! A variable of n values takes ⌈log₂ n⌉ bits. Truth values and words are their bits. A range is
//! its number in binary, if it fits into that many bits, signed where the range goes below zero;
//! else the distance from its lowest value, as for 1..8. A member of an enumeration is its place in
//! the list.

use super::bits;
use super::value::{Value, width};
use crate::ir::Domain;
use loris_circuit::{Aig, Lit};

/// The bits that stand for the values of a variable.
#[derive(Clone, Debug)]
pub(super) enum Code {
    /// The number itself, signed or not, in this many bits; from the first to the second.
    Binary { signed: bool, width: usize, low: i64, high: i64 },
    /// The distance from the lowest number; from the first to the second.
    Offset { width: usize, low: i64, high: i64 },
    /// The place in a list, in ascending order with the places.
    Place { width: usize, places: Vec<(i64, u64)> },
}

impl Code {
    pub(super) fn of(domain: &Domain) -> Self {
        match domain {
            Domain::Boolean => Code::Binary { signed: false, width: 1, low: 0, high: 1 },
            &Domain::Word { signed, width } => {
                let (low, high) = if signed {
                    (-1_i64 << (width - 1), (1_i64 << (width - 1)) - 1)
                } else {
                    (0, (1_i64 << width) - 1)
                };
                Code::Binary { signed, width: width as usize, low, high }
            }
            &Domain::Range(low, high) => {
                let width = width(high.wrapping_sub(low).cast_unsigned().saturating_add(1));
                let signed = low < 0;
                let needed = bits::constant(low).len().max(bits::constant(high).len());
                let needed = if signed { needed } else { needed - 1 };
                if needed <= width && width > 0 {
                    Code::Binary { signed, width, low, high }
                } else {
                    Code::Offset { width, low, high }
                }
            }
            Domain::Enumeration(values) => {
                let mut places: Vec<(i64, u64)> = values.iter().copied().zip(0..).collect();
                // a value that comes twice is the first of them
                places.sort_unstable();
                places.dedup_by_key(|&mut (value, _)| value);
                Code::Place { width: width(values.len() as u64), places }
            }
        }
    }

    /// How many bits it takes.
    pub(super) fn width(&self) -> usize {
        match self {
            Code::Binary { width, .. } | Code::Offset { width, .. } | Code::Place { width, .. } => *width,
        }
    }

    /// The value that bits stand for.
    pub(super) fn decoded(&self, aig: &mut Aig, bits: &[Lit]) -> Value {
        match self {
            Code::Binary { signed, width, .. } => {
                let sign = if *signed { bits[*width - 1] } else { Lit::FALSE };
                Value::number(bits::trimmed([bits, &[sign]].concat()))
            }
            Code::Offset { low, .. } => {
                let distance = [bits, &[Lit::FALSE]].concat();
                Value::number(bits::plus(aig, &distance, &bits::constant(*low)))
            }
            Code::Place { places, .. } => {
                let cases: Vec<(i64, Lit)> =
                    places.iter().map(|&(value, place)| (value, is_place(aig, bits, place))).collect();
                match cases[..] {
                    [(value, Lit::TRUE)] => Value::Constant(value),
                    _ => Value::Cases(cases),
                }
            }
        }
    }

    /// The bits of a value of the domain; anything for other values.
    pub(super) fn encoded(&self, aig: &mut Aig, value: &Value) -> Vec<Lit> {
        match self {
            Code::Binary { width, .. } => bits::low(&value.bits(aig), *width),
            Code::Offset { width, low, .. } => {
                let of = value.bits(aig);
                bits::low(&bits::minus(aig, &of, &bits::constant(*low)), *width)
            }
            Code::Place { width, places } => {
                let mut parts: Vec<Vec<Lit>> = vec![Vec::new(); *width];
                for &(value_of, place) in places {
                    let is = value.is(aig, value_of);
                    for (at, part) in parts.iter_mut().enumerate() {
                        if place >> at & 1 != 0 {
                            part.push(is);
                        }
                    }
                }
                parts.into_iter().map(|part| aig.any(part)).collect()
            }
        }
    }

    /// Whether a value is one of the domain.
    pub(super) fn has(&self, aig: &mut Aig, value: &Value) -> Lit {
        match self {
            Code::Binary { low, high, .. } | Code::Offset { low, high, .. } => match value {
                Value::Constant(value) => Lit::constant((*low..=*high).contains(value)),
                Value::Cases(cases) => {
                    let outside = cases.iter().filter(|(value, _)| !(*low..=*high).contains(value));
                    let outside: Vec<Lit> = outside.map(|&(_, when)| when).collect();
                    !aig.any(outside)
                }
                Value::Number(of) => {
                    let below = bits::less(aig, of, &bits::constant(*low));
                    let above = bits::less(aig, &bits::constant(*high), of);
                    aig.and(!below, !above)
                }
            },
            Code::Place { places, .. } => {
                let is_one = |value: i64| places.binary_search_by_key(&value, |&(value, _)| value).is_ok();
                match value {
                    Value::Constant(value) => Lit::constant(is_one(*value)),
                    Value::Cases(cases) => {
                        let outside = cases.iter().filter(|(value, _)| !is_one(*value));
                        let outside: Vec<Lit> = outside.map(|&(_, when)| when).collect();
                        !aig.any(outside)
                    }
                    Value::Number(_) => {
                        let inside: Vec<Lit> = places.iter().map(|&(one, _)| value.is(aig, one)).collect();
                        aig.any(inside)
                    }
                }
            }
        }
    }

    /// The numbers among its values, as ranges without gaps.
    pub(super) fn runs(&self) -> Vec<(i64, i64)> {
        match self {
            Code::Binary { low, high, .. } | Code::Offset { low, high, .. } => vec![(*low, *high)],
            Code::Place { places, .. } => {
                let mut runs: Vec<(i64, i64)> = Vec::new();
                for &(value, _) in places {
                    match runs.last_mut() {
                        Some((_, last)) if *last + 1 == value => *last = value,
                        _ => runs.push((value, value)),
                    }
                }
                runs
            }
        }
    }

    /// Whether bits are those of some value.
    pub(super) fn is_valid(&self, aig: &mut Aig, bits: &[Lit]) -> Lit {
        match self {
            Code::Binary { .. } => {
                let value = self.decoded(aig, bits);
                self.has(aig, &value)
            }
            Code::Offset { low, high, .. } => is_at_most(aig, bits, high.wrapping_sub(*low).cast_unsigned()),
            Code::Place { places, .. } => {
                // a repeated value leaves a gap
                let most = places.iter().map(|&(_, place)| place).max().unwrap_or(0);
                if places.len() as u64 == most + 1 {
                    return is_at_most(aig, bits, most);
                }
                let all: Vec<Lit> = places.iter().map(|&(_, place)| is_place(aig, bits, place)).collect();
                aig.any(all)
            }
        }
    }

    /// Bits of a value, whatever the bits at hand: those of no value are replaced by those of the
    /// first.
    pub(super) fn repaired(&self, aig: &mut Aig, bits: &[Lit]) -> Vec<Lit> {
        let first = match self {
            Code::Binary { low, .. } => low.cast_unsigned(),
            Code::Offset { .. } | Code::Place { .. } => 0,
        };
        let is_valid = self.is_valid(aig, bits);
        let bit = |(at, &bit): (usize, &Lit)| aig.choose(is_valid, bit, Lit::constant(first >> at & 1 != 0));
        bits.iter().enumerate().map(bit).collect()
    }

    /// The code of a value, if it is one of the domain.
    pub(super) fn of_value(&self, value: i64) -> Option<u64> {
        match self {
            &Code::Binary { width, low, high, .. } => {
                let mask = if width < 64 { (1_u64 << width) - 1 } else { u64::MAX };
                (low..=high).contains(&value).then(|| value.cast_unsigned() & mask)
            }
            &Code::Offset { low, high, .. } => {
                (low..=high).contains(&value).then(|| value.wrapping_sub(low).cast_unsigned())
            }
            Code::Place { places, .. } => {
                let at = places.binary_search_by_key(&value, |&(value, _)| value).ok()?;
                Some(places[at].1)
            }
        }
    }

    /// The value of a code; for that of no value, the one that [`Code::repaired`] makes of it.
    pub(super) fn value(&self, code: u64) -> i64 {
        match self {
            &Code::Binary { signed, width, low, high } => {
                let value = crate::states::wrap(code.cast_signed(), signed, width as u32);
                if (low..=high).contains(&value) { value } else { low }
            }
            Code::Offset { low, high, .. } => {
                let is_valid = code <= high.wrapping_sub(*low).cast_unsigned();
                if is_valid { low.wrapping_add(code.cast_signed()) } else { *low }
            }
            Code::Place { places, .. } => {
                let at = |code: u64| places.iter().find(|&&(_, place)| place == code);
                at(code).or_else(|| at(0)).map_or(0, |&(value, _)| value)
            }
        }
    }
}

/// Whether bits are a number.
fn is_place(aig: &mut Aig, bits: &[Lit], place: u64) -> Lit {
    let all: Vec<Lit> =
        bits.iter().enumerate().map(|(at, &bit)| bit.negated_if(place >> at & 1 == 0)).collect();
    aig.all(all)
}

/// Whether bits without sign are at most a number.
fn is_at_most(aig: &mut Aig, bits: &[Lit], most: u64) -> Lit {
    // from the lowest bit on
    bits.iter().enumerate().fold(Lit::TRUE, |below, (at, &bit)| {
        if most >> at & 1 != 0 { aig.or(!bit, below) } else { aig.and(!bit, below) }
    })
}
