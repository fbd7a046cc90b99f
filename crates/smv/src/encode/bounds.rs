//! Bounds on the values of expressions, from the domains of variables upwards: a value outside of
//! them is a fault.
//!
//! They keep numbers short, and show that most assignments give no value outside of a range.

use super::bits;
use crate::ir::{Binary, Domain, Expr, ExprId, LIMIT, Structure};
use loris_base::{Budget, Exhausted, Idx};

/// The least and the greatest number that an expression may be, if it is always a number.
pub(super) type Bounds = Option<(i64, i64)>;

/// The bounds of all expressions.
pub(super) fn bounds(structure: &Structure, budget: &mut Budget) -> Result<Vec<Bounds>, Exhausted> {
    let mut all: Vec<Bounds> = Vec::with_capacity(structure.exprs.len());
    for id in structure.exprs.ids() {
        let mut operands = 0;
        structure.exprs.get(id).operands(|_| operands += 1);
        budget.spend(1 + operands)?;
        let found = one(structure, structure.exprs.get(id), &all);
        all.push(found.filter(|(low, high)| low <= high));
    }
    Ok(all)
}

fn one(structure: &Structure, expr: &Expr, all: &[Bounds]) -> Bounds {
    let of = |id: ExprId| all[id.index()];
    let joined = |ids: &mut dyn Iterator<Item = ExprId>| {
        let mut hull = of(ids.next()?)?;
        for id in ids {
            let (low, high) = of(id)?;
            hull = (hull.0.min(low), hull.1.max(high));
        }
        Some(hull)
    };
    match expr {
        Expr::Value(value) => (-LIMIT..LIMIT).contains(value).then_some((*value, *value)),
        Expr::Variable(id) | Expr::Next(id) => match &structure.variables[*id].domain {
            Domain::Boolean => Some((0, 1)),
            Domain::Range(low, high) => Some((*low, *high)),
            Domain::Word { signed, width } => Some(word(*signed, *width)),
            Domain::Enumeration(values) => {
                let (low, high) = (values.iter().min()?, values.iter().max()?);
                (*low >= -LIMIT).then_some((*low, *high))
            }
        },
        Expr::Not(_) | Expr::And(_) | Expr::Or(_) | Expr::In(..) => Some((0, 1)),
        Expr::Count(of) => Some((0, i64::try_from(of.len()).ok()?)),
        Expr::Wrap { of: a, signed, width } => {
            let whole = word(*signed, *width);
            let inner = of(*a).filter(|inner| whole.0 <= inner.0 && inner.1 <= whole.1);
            inner.or(Some(whole))
        }
        Expr::Case(branches) => joined(&mut branches.iter().map(|&(_, value)| value)),
        Expr::Select { elements, .. } => joined(&mut elements.iter().copied()),
        Expr::Union(parts) => joined(&mut parts.iter().copied()),
        Expr::Range(low, high) => of(*low).zip(of(*high)).map(|(low, high)| (low.0, high.1)),
        Expr::Binary(op, a, b) => match op {
            Binary::Equal
            | Binary::Unequal
            | Binary::Same
            | Binary::Differ
            | Binary::Less
            | Binary::AtMost => Some((0, 1)),
            _ => binary(*op, of(*a)?, of(*b)?),
        },
    }
}

/// The numbers that a word can be.
fn word(signed: bool, width: u32) -> (i64, i64) {
    let width = width.min(62);
    if signed { (-1 << (width - 1), (1 << (width - 1)) - 1) } else { (0, (1 << width) - 1) }
}

fn binary(op: Binary, a: (i64, i64), b: (i64, i64)) -> Bounds {
    // what passes the limit is a fault
    let limited = |low: i128, high: i128| {
        let cut = |value: i128| value.clamp((-LIMIT).into(), (LIMIT - 1).into()) as i64;
        Some((cut(low), cut(high)))
    };
    let wide = |(low, high): (i64, i64)| (i128::from(low), i128::from(high));
    let largest = |(low, high): (i64, i64)| low.saturating_abs().max(high.saturating_abs());
    let ((low, high), (other_low, other_high)) = (wide(a), wide(b));
    match op {
        Binary::Plus => limited(low + other_low, high + other_high),
        Binary::Minus => limited(low - other_high, high - other_low),
        Binary::Times => {
            let all = [low * other_low, low * other_high, high * other_low, high * other_high];
            limited(all.into_iter().min()?, all.into_iter().max()?)
        }
        Binary::Divide if a.0 >= 0 && b.0 > 0 => Some((a.0 / b.1, a.1 / b.0)),
        Binary::Divide => Some((-largest(a), largest(a))),
        Binary::Modulo => {
            let most = (largest(b) - 1).max(0).min(largest(a));
            Some((if a.0 >= 0 { 0 } else { -most }, if a.1 <= 0 { 0 } else { most }))
        }
        Binary::BitAnd | Binary::BitOr | Binary::BitXor => {
            let width = [a.0, a.1, b.0, b.1].into_iter().map(|value| bits::constant(value).len()).max()?;
            let high = (1_i128 << (width - 1)) - 1;
            limited(if a.0 >= 0 && b.0 >= 0 { 0 } else { -high - 1 }, high)
        }
        Binary::ShiftRight => Some((a.0.min(0), a.1.max(0))),
        Binary::Min => Some((a.0.min(b.0), a.1.min(b.1))),
        Binary::Max => Some((a.0.max(b.0), a.1.max(b.1))),
        _ => None,
    }
}
