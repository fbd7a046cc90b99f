//! Numbers as bits: two's complement of whatever width it takes, so that no result overflows.
//!
//! A number is a list of literals, the lowest bit first and the sign last; the sign extends without
//! end. Lists are kept short: a last bit equal to the one before it is dropped. Costs are linear in
//! the width, quadratic for products and quotients.

use loris_circuit::{Aig, Lit};

/// A number, the lowest bit first, the sign last; never empty.
pub(super) type Bits = Vec<Lit>;

/// Without repeated signs.
pub(super) fn trimmed(mut bits: Bits) -> Bits {
    while let [.., before, last] = bits[..]
        && before == last
    {
        bits.pop();
    }
    bits
}

/// A constant.
pub(super) fn constant(value: i64) -> Bits {
    trimmed((0..64).map(|at| Lit::constant(value >> at & 1 != 0)).collect())
}

/// A truth value as the number 0 or 1.
pub(super) fn truth(lit: Lit) -> Bits {
    trimmed(vec![lit, Lit::FALSE])
}

/// A bit of a number.
pub(super) fn bit(of: &[Lit], at: usize) -> Lit {
    of[at.min(of.len() - 1)]
}

/// Its lowest `width` bits as they are, without a sign.
pub(super) fn low(of: &[Lit], width: usize) -> Vec<Lit> {
    (0..width).map(|at| bit(of, at)).collect()
}

/// The lowest `width` bits, as a signed number or not.
pub(super) fn cut(of: &[Lit], signed: bool, width: usize) -> Bits {
    let mut bits = low(of, width.max(1));
    if !signed {
        bits.push(Lit::FALSE);
    }
    trimmed(bits)
}

fn sum_of(aig: &mut Aig, a: &[Lit], b: &[Lit], flip: bool, width: usize) -> Vec<Lit> {
    let mut carry = Lit::constant(flip);
    let mut sum = Vec::with_capacity(width);
    for at in 0..width {
        let (a, b) = (bit(a, at), bit(b, at).negated_if(flip));
        let half = aig.xor(a, b);
        sum.push(aig.xor(half, carry));
        let (both, passed) = (aig.and(a, b), aig.and(half, carry));
        carry = aig.or(both, passed);
    }
    sum
}

pub(super) fn plus(aig: &mut Aig, a: &[Lit], b: &[Lit]) -> Bits {
    let width = a.len().max(b.len()) + 1;
    trimmed(sum_of(aig, a, b, false, width))
}

pub(super) fn minus(aig: &mut Aig, a: &[Lit], b: &[Lit]) -> Bits {
    let width = a.len().max(b.len()) + 1;
    trimmed(sum_of(aig, a, b, true, width))
}

/// The lowest `width` bits of a product.
fn product(aig: &mut Aig, a: &[Lit], b: &[Lit], width: usize) -> Vec<Lit> {
    // few rows are better than long ones
    let (a, b) = if a.len() < b.len() { (b, a) } else { (a, b) };
    let mut sum = vec![Lit::FALSE; width];
    for at in 0..b.len().min(width) {
        let row: Vec<Lit> = (0..width - at).map(|place| aig.and(bit(a, place), b[at])).collect();
        // the sign of a number in two's complement counts negatively
        let is_sign = at + 1 == b.len();
        let upper = sum_of(aig, &sum[at..], &row, is_sign, width - at);
        sum.splice(at.., upper);
    }
    sum
}

pub(super) fn times(aig: &mut Aig, a: &[Lit], b: &[Lit]) -> Bits {
    let bits = product(aig, a, b, a.len() + b.len());
    trimmed(bits)
}

/// The product modulo a power of two.
pub(super) fn times_within(aig: &mut Aig, a: &[Lit], b: &[Lit], signed: bool, width: usize) -> Bits {
    let bits = product(aig, a, b, width);
    cut(&if signed { bits } else { [bits, vec![Lit::FALSE]].concat() }, signed, width)
}

/// The absolute value, as bits without sign.
fn magnitude(aig: &mut Aig, a: &[Lit]) -> Vec<Lit> {
    let sign = bit(a, a.len());
    let flipped: Vec<Lit> = a.iter().map(|&lit| aig.xor(lit, sign)).collect();
    sum_of(aig, &[&flipped[..], &[Lit::FALSE]].concat(), &[sign, Lit::FALSE], false, a.len())
}

/// The number, or its negation where `sign` holds, of bits without sign.
fn signed(aig: &mut Aig, bits: &[Lit], sign: Lit) -> Bits {
    let flipped: Vec<Lit> = bits.iter().map(|&lit| aig.xor(lit, sign)).chain([sign]).collect();
    trimmed(sum_of(aig, &flipped, &[sign, Lit::FALSE], false, bits.len() + 1))
}

/// Quotient, rounded towards zero, and remainder, with the sign of the dividend; anything if the
/// divisor is zero.
pub(super) fn divide(aig: &mut Aig, a: &[Lit], b: &[Lit]) -> (Bits, Bits) {
    let (dividend, divisor) = (magnitude(aig, a), magnitude(aig, b));
    let divisor: Vec<Lit> = divisor.into_iter().chain([Lit::FALSE]).collect();
    let mut rest = vec![Lit::FALSE; divisor.len()];
    let mut quotient = vec![Lit::FALSE; dividend.len()];
    for at in (0..dividend.len()).rev() {
        // the rest is less than the divisor, so that twice of it and one has a bit more
        rest.insert(0, dividend[at]);
        let width = rest.len();
        let less = sum_of(aig, &rest, &divisor, true, width);
        let fits = !less[width - 1];
        quotient[at] = fits;
        rest = rest.iter().zip(&less).map(|(&old, &new)| aig.choose(fits, new, old)).collect();
        rest.pop();
    }
    let (sign, other) = (bit(a, a.len()), bit(b, b.len()));
    let differ = aig.xor(sign, other);
    (signed(aig, &quotient, differ), signed(aig, &rest, sign))
}

pub(super) fn equal(aig: &mut Aig, a: &[Lit], b: &[Lit]) -> Lit {
    let same: Vec<Lit> = (0..a.len().max(b.len())).map(|at| aig.equal(bit(a, at), bit(b, at))).collect();
    aig.all(same)
}

pub(super) fn less(aig: &mut Aig, a: &[Lit], b: &[Lit]) -> Lit {
    let width = a.len().max(b.len());
    // from the lowest bit on: the highest that differs decides, and among signs the one that is set
    let mut less = Lit::FALSE;
    for at in 0..width {
        let (a, b) = (bit(a, at), bit(b, at));
        let differ = aig.xor(a, b);
        less = aig.choose(differ, if at + 1 == width { a } else { b }, less);
    }
    less
}

pub(super) fn choose(aig: &mut Aig, condition: Lit, a: &[Lit], b: &[Lit]) -> Bits {
    trimmed((0..a.len().max(b.len())).map(|at| aig.choose(condition, bit(a, at), bit(b, at))).collect())
}

pub(super) fn bitwise(a: &[Lit], b: &[Lit], mut op: impl FnMut(Lit, Lit) -> Lit) -> Bits {
    trimmed((0..a.len().max(b.len())).map(|at| op(bit(a, at), bit(b, at))).collect())
}

/// How far to shift, up to 63 bits; and whether it is further, or negative.
fn distance(aig: &mut Aig, by: &[Lit]) -> (Vec<Lit>, Lit) {
    let far: Vec<Lit> = (6..by.len().max(7)).map(|at| bit(by, at)).collect();
    let far = aig.any(far);
    let sign = bit(by, by.len());
    (low(by, 6), aig.or(far, sign))
}

/// Arithmetic shift to the right; by a negative number or by more than 63 bits, only the sign is
/// left.
pub(super) fn shift_right(aig: &mut Aig, a: &[Lit], by: &[Lit]) -> Bits {
    let (by, far) = distance(aig, by);
    let mut bits = a.to_vec();
    for (stage, &shifts) in by.iter().enumerate() {
        bits =
            (0..bits.len()).map(|at| aig.choose(shifts, bit(&bits, at + (1 << stage)), bits[at])).collect();
    }
    let sign = bit(a, a.len());
    trimmed(bits.into_iter().map(|lit| aig.choose(far, sign, lit)).collect())
}

/// Shifted to the left within `width` bits; by a negative number or by more than 63: zero.
pub(super) fn shift_left(aig: &mut Aig, a: &[Lit], by: &[Lit], signed: bool, width: usize) -> Bits {
    let (by, far) = distance(aig, by);
    let mut bits = low(a, width);
    for (stage, &shifts) in by.iter().enumerate() {
        let shifted = |at: usize| at.checked_sub(1 << stage).map_or(Lit::FALSE, |from| bits[from]);
        bits = (0..width).map(|at| aig.choose(shifts, shifted(at), bits[at])).collect();
    }
    let bits: Vec<Lit> = bits.into_iter().map(|lit| aig.and(lit, !far)).collect();
    cut(&if signed { bits } else { [bits, vec![Lit::FALSE]].concat() }, signed, width)
}

/// How many hold: a tree of sums.
pub(super) fn count(aig: &mut Aig, of: impl IntoIterator<Item = Lit>) -> Bits {
    let mut layer: Vec<Bits> = of.into_iter().map(truth).collect();
    while layer.len() > 1 {
        layer = layer
            .chunks(2)
            .map(|pair| match pair {
                [a, b] => plus(aig, a, b),
                _ => pair[0].clone(),
            })
            .collect();
    }
    layer.pop().unwrap_or_else(|| constant(0))
}

#[cfg(test)]
mod tests {
    use super::*;
    use loris_base::Rng;

    /// The value of a number, all of whose variables have these values.
    fn value(aig: &Aig, of: &[Lit], words: &[(Lit, bool)]) -> i64 {
        let values = aig.simulate(|var| {
            let found = words.iter().find(|(lit, _)| lit.var() == var);
            u64::from(found.is_some_and(|&(_, value)| value))
        });
        (0..64).fold(0, |sum, at| sum | i64::from(Aig::value(&values, bit(of, at)) & 1 != 0) << at)
    }

    /// Operators on random numbers, with their values computed directly. The second number has a
    /// constant part at times.
    #[test]
    fn operators_mean_what_they_say() {
        let mut rng = Rng::new(1);
        for _ in 0..2000 {
            let mut aig = Aig::new();
            let mut known = Vec::new();
            let mut number = |aig: &mut Aig| {
                let width = 1 + rng.below(9);
                let bits: Bits = (0..width)
                    .map(|_| {
                        let value = rng.below(2) == 1;
                        if rng.below(4) == 0 {
                            return Lit::constant(value);
                        }
                        let lit = aig.variable();
                        known.push((lit, value));
                        lit
                    })
                    .collect();
                trimmed(bits)
            };
            let (a, b) = (number(&mut aig), number(&mut aig));
            let (signed, width) = (rng.below(2) == 1, 1 + rng.below(10));
            let (x, y) = (value(&aig, &a, &known), value(&aig, &b, &known));
            let wrap = |value: i64| crate::states::wrap(value, signed, width as u32);
            let check = |name: &str, got: (&Aig, &[Lit]), expected: i64| {
                let got = value(got.0, got.1, &known);
                assert_eq!(got, expected, "{name} of {x} and {y} within {width}, signed: {signed}");
            };
            let all = [
                ("+", plus(&mut aig, &a, &b), x + y),
                ("-", minus(&mut aig, &a, &b), x - y),
                ("*", times(&mut aig, &a, &b), x * y),
                ("* within", times_within(&mut aig, &a, &b, signed, width), wrap(x * y)),
                ("cut", cut(&a, signed, width), wrap(x)),
                ("<<", shift_left(&mut aig, &a, &b, signed, width), {
                    wrap(if (0..64).contains(&y) { x << y } else { 0 })
                }),
                (">>", shift_right(&mut aig, &a, &b), if (0..63).contains(&y) { x >> y } else { x >> 63 }),
                ("count", count(&mut aig, a.iter().copied()), {
                    (0..a.len()).map(|at| x >> at & 1).sum::<i64>()
                }),
            ];
            for (name, bits, expected) in &all {
                check(name, (&aig, bits), *expected);
            }
            let (less, same) = (less(&mut aig, &a, &b), equal(&mut aig, &a, &b));
            check("<", (&aig, &truth(less)), i64::from(x < y));
            check("=", (&aig, &truth(same)), i64::from(x == y));
            if y != 0 {
                let (quotient, rest) = divide(&mut aig, &a, &b);
                check("/", (&aig, &quotient), x / y);
                check("mod", (&aig, &rest), x % y);
            }
        }
    }

    #[test]
    fn constants_are_short() {
        for (value, length) in [(0, 1), (-1, 1), (1, 2), (-2, 2), (7, 4), (-8, 4), (i64::MIN, 64)] {
            assert_eq!(constant(value).len(), length, "{value}");
        }
    }
}
