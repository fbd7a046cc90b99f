//! Expressions as functions of states and choices.
//!
//! Each expression becomes a value and its *fault*: where it has no value, since no branch of a
//! `case` applies, an index is outside of its array, a number is divided by zero or passes 2⁶².
//! Faults follow the order of evaluation: what a conjunction, a disjunction or a `case` does not
//! get to has no fault there.
//!
//! Operands come before operators, so that one pass over the expressions that are needed, in their
//! order, encodes them; each is encoded once for each [view](View).

use super::bits::{self, Bits};
use super::bounds::{Bounds, bounds};
use super::value::{Value, select};
use crate::ir::{Binary, Domain, Expr, ExprId, Structure, VariableId};
use loris_base::{Budget, Exhausted, Idx};
use loris_circuit::{Aig, Lit};
use rustc_hash::FxHashSet;

/// What the variables of an expression mean.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum View {
    /// Their values in the state at hand, and in the next under `next`.
    Step,
    /// Their values in the next state.
    Made,
}

/// A value, and where it has none.
#[derive(Clone, Debug)]
pub(super) struct Encoding {
    pub(super) value: Value,
    pub(super) fault: Lit,
}

/// Bits of a number below 2⁶² on both sides.
const LIMIT_BITS: usize = 63;
/// More nodes of a graph have no numbers.
const NODES: usize = 1 << 30;

/// Bytes of tables for this many expressions and variables.
fn tables(exprs: usize, variables: usize) -> usize {
    2 * (exprs + variables) * size_of::<Option<Encoding>>() + exprs * (1 + size_of::<Bounds>())
}

/// Encodes the expressions of a structure.
pub(super) struct Expressions<'a> {
    pub(super) structure: &'a Structure,
    pub(super) aig: Aig,
    budget: &'a mut Budget,
    /// bytes and nodes that were charged
    held: usize,
    nodes: usize,
    /// bytes of what is remembered
    bytes: usize,
    /// by variable, its values now and next
    values: [Vec<Option<Encoding>>; 2],
    known: [Vec<Option<Encoding>>; 2],
    /// by expression, whether it is a set
    is_set: Vec<bool>,
    bounds: Vec<Bounds>,
}

impl<'a> Expressions<'a> {
    pub(super) fn new(structure: &'a Structure, budget: &'a mut Budget) -> Result<Self, Exhausted> {
        let (count, variables) = (structure.exprs.len(), structure.variables.len());
        budget.charge(tables(count, variables))?;
        let mut is_set = vec![false; count];
        for id in structure.exprs.ids() {
            budget.spend(1)?;
            is_set[id.index()] = match structure.exprs.get(id) {
                Expr::Union(_) | Expr::Range(..) => true,
                Expr::Case(branches) => branches.iter().any(|(_, value)| is_set[value.index()]),
                _ => false,
            };
        }
        let bounds = bounds(structure, budget)?;
        Ok(Self {
            structure,
            aig: Aig::new(),
            budget,
            held: 0,
            nodes: 1,
            bytes: 0,
            values: [vec![None; variables], vec![None; variables]],
            known: [vec![None; count], vec![None; count]],
            is_set,
            bounds,
        })
    }

    /// Gives back what only encoding needs; the graph stays charged.
    pub(super) fn finish(self) -> Aig {
        let (exprs, variables) = (self.structure.exprs.len(), self.structure.variables.len());
        self.budget.release(tables(exprs, variables) + self.bytes);
        self.aig
    }

    /// Counts steps of work.
    pub(super) fn spend(&mut self, steps: usize) -> Result<(), Exhausted> {
        self.budget.spend(steps)
    }

    pub(super) fn is_set(&self, expr: ExprId) -> bool {
        self.is_set[expr.index()]
    }

    /// The bounds of an expression, or of all values of a set.
    pub(super) fn bounds(&self, expr: ExprId) -> Bounds {
        self.bounds[expr.index()]
    }

    /// Counts the work and the room that the graph took since the last time.
    pub(super) fn charge(&mut self) -> Result<(), Exhausted> {
        let nodes = self.aig.len();
        self.budget.spend(1 + nodes - self.nodes)?;
        self.nodes = nodes;
        self.budget.grow(&mut self.held, self.aig.bytes() + self.bytes)?;
        if nodes < NODES { Ok(()) } else { Err(Exhausted::Memory) }
    }

    /// Says what a variable means in a view.
    pub(super) fn set_variable(&mut self, variable: VariableId, view: View, value: Value, fault: Lit) {
        self.values[view as usize][variable.index()] = Some(Encoding { value, fault });
    }

    /// The value of an expression that is not a set.
    pub(super) fn encode(&mut self, expr: ExprId, view: View) -> Result<Encoding, Exhausted> {
        let mut needed = Vec::new();
        let mut stack = vec![expr];
        let mut seen = FxHashSet::default();
        while let Some(id) = stack.pop() {
            if self.known[view as usize][id.index()].is_none() && seen.insert(id) {
                self.budget.spend(1)?;
                needed.push(id);
                self.operands(id, |operand| stack.push(operand));
            }
        }
        needed.sort_unstable();
        for id in needed {
            // sets have no value of their own
            if self.is_set(id) {
                continue;
            }
            let mut encoding = self.encode_one(id, view)?;
            if let (Value::Number(bits), Some((low, high))) = (&encoding.value, self.bounds(id)) {
                // what lies above is not needed without a fault
                let width = bits::constant(low).len().max(bits::constant(high).len());
                if bits.len() > width {
                    encoding.value = Value::number(bits::cut(bits, true, width));
                }
            }
            self.bytes += match &encoding.value {
                Value::Constant(_) => 0,
                Value::Number(bits) => 4 * bits.capacity(),
                Value::Cases(cases) => 16 * cases.capacity(),
            };
            self.known[view as usize][id.index()] = Some(encoding);
            self.charge()?;
        }
        Ok(self.of(expr, view).clone())
    }

    /// A condition and its fault.
    pub(super) fn condition(&mut self, expr: ExprId, view: View) -> Result<(Lit, Lit), Exhausted> {
        let Encoding { value, fault } = self.encode(expr, view)?;
        Ok((value.lit(&mut self.aig), fault))
    }

    /// What must be encoded before an expression: the operands of a product within some width, say,
    /// but not the product, which may be too large to have a value.
    fn operands(&self, id: ExprId, to: impl FnMut(ExprId)) {
        let exprs = &self.structure.exprs;
        match exprs.get(id) {
            Expr::Wrap { of, .. } if is_wrapped(exprs.get(*of)) => exprs.get(*of).operands(to),
            expr => expr.operands(to),
        }
    }

    /// The encoding of an operand.
    fn of(&self, id: ExprId, view: View) -> &Encoding {
        self.known[view as usize][id.index()].as_ref().expect("operands are encoded first")
    }

    /// The value and the fault of an expression that was encoded.
    pub(super) fn known(&self, id: ExprId, view: View) -> (Value, Lit) {
        let Encoding { value, fault } = self.of(id, view);
        (value.clone(), *fault)
    }

    fn lit(&mut self, id: ExprId, view: View) -> (Lit, Lit) {
        let (value, fault) = self.known(id, view);
        (value.lit(&mut self.aig), fault)
    }

    fn bits(&mut self, id: ExprId, view: View) -> (Bits, Lit) {
        let (value, fault) = self.known(id, view);
        (value.bits(&mut self.aig), fault)
    }

    fn encode_one(&mut self, id: ExprId, view: View) -> Result<Encoding, Exhausted> {
        let structure = self.structure;
        let variable = |variable: VariableId, view: View| {
            let known = self.values[view as usize][variable.index()].clone();
            known.expect("variables get their values before expressions read them")
        };
        let (value, fault) = match structure.exprs.get(id) {
            Expr::Value(value) => (Value::Constant(*value), Lit::FALSE),
            Expr::Variable(of) => return Ok(variable(*of, view)),
            Expr::Next(of) => return Ok(variable(*of, View::Made)),
            Expr::Not(of) => {
                let (lit, fault) = self.lit(*of, view);
                (Value::truth(!lit), fault)
            }
            Expr::And(all) => self.junction(all, true, view),
            Expr::Or(all) => self.junction(all, false, view),
            Expr::Count(all) => {
                let of: Vec<(Lit, Lit)> = all.iter().map(|&of| self.lit(of, view)).collect();
                let count = bits::count(&mut self.aig, of.iter().map(|&(lit, _)| lit));
                (Value::number(count), self.aig.any(of.into_iter().map(|(_, fault)| fault)))
            }
            &Expr::Binary(op, a, b) => self.binary(op, a, b, view),
            &Expr::Wrap { of, signed, width } => self.wrap(of, signed, width as usize, view),
            Expr::Case(branches) => {
                let (paths, mut fault) = self.paths(branches, view);
                let mut all = Vec::with_capacity(branches.len());
                for (path, &(_, of)) in paths.into_iter().zip(branches) {
                    let (value, own) = self.known(of, view);
                    let own = self.aig.and(path, own);
                    fault = self.aig.or(fault, own);
                    all.push((path, value));
                }
                (select(&mut self.aig, all), fault)
            }
            Expr::Select { index, low, elements } => {
                let (index, mut fault) = self.known(*index, view);
                let mut all = Vec::with_capacity(elements.len());
                for (&element, at) in elements.iter().zip(*low..) {
                    let path = index.is(&mut self.aig, at);
                    let (value, own) = self.known(element, view);
                    let own = self.aig.and(path, own);
                    fault = self.aig.or(fault, own);
                    all.push((path, value));
                }
                let inside = self.aig.any(all.iter().map(|&(path, _)| path));
                (select(&mut self.aig, all), self.aig.or(fault, !inside))
            }
            &Expr::In(of, set) => {
                let (value, fault) = self.known(of, view);
                let (is_in, own) = (self.member(set, &value, view)?, self.set_fault(set, view)?);
                (Value::truth(is_in), self.aig.or(fault, own))
            }
            // a set where one value is needed is refused before
            Expr::Union(_) | Expr::Range(..) => (Value::Constant(0), Lit::TRUE),
        };
        Ok(Encoding { value, fault })
    }

    /// A conjunction, or a disjunction: operands from left to right, up to the one that decides.
    fn junction(&mut self, all: &[ExprId], and: bool, view: View) -> (Value, Lit) {
        let parts: Vec<(Lit, Lit)> = all.iter().map(|&of| self.lit(of, view)).collect();
        let (mut goes_on, mut fault) = (Lit::TRUE, Lit::FALSE);
        if parts.iter().any(|&(_, fault)| fault != Lit::FALSE) {
            for &(lit, own) in &parts {
                let met = self.aig.and(goes_on, own);
                fault = self.aig.or(fault, met);
                goes_on = self.aig.and(goes_on, lit.negated_if(!and));
            }
        }
        let all = self.aig.all(parts.into_iter().map(|(lit, _)| lit.negated_if(!and)));
        (Value::truth(all.negated_if(!and)), fault)
    }

    /// When each branch of a `case` applies, and where there is none or a guard has no value.
    pub(super) fn paths(&mut self, branches: &[(ExprId, ExprId)], view: View) -> (Vec<Lit>, Lit) {
        let exprs = &self.structure.exprs;
        // guards that compare one variable with different constants exclude each other
        let compared = |guard: ExprId| match *exprs.get(guard) {
            Expr::Binary(Binary::Equal, a, b) => match (exprs.get(a), exprs.get(b)) {
                (Expr::Variable(_) | Expr::Next(_), Expr::Value(value)) => Some((a, *value)),
                _ => None,
            },
            _ => None,
        };
        let mut values = FxHashSet::default();
        let first = branches.first().and_then(|&(guard, _)| compared(guard)).map(|(of, _)| of);
        let mut exclusive = true;
        let (mut paths, mut left, mut fault) = (Vec::with_capacity(branches.len()), Vec::new(), Lit::FALSE);
        let mut rest = Lit::TRUE;
        for &(guard, _) in branches {
            let (lit, own) = self.lit(guard, view);
            exclusive &= compared(guard).is_some_and(|(of, value)| Some(of) == first && values.insert(value));
            left.push(!lit);
            if exclusive {
                // all of them read the same variable, which the first guard does in any case
                fault = self.aig.or(fault, own);
                paths.push(lit);
                continue;
            }
            // what the guards before this one leave
            let last = left.pop();
            let before = self.aig.all(left.drain(..));
            rest = self.aig.and(rest, before);
            left.extend(last);
            let met = self.aig.and(rest, own);
            fault = self.aig.or(fault, met);
            paths.push(self.aig.and(rest, lit));
        }
        let variable = first.map(|of| exprs.get(of));
        if let Some(&(Expr::Variable(of) | Expr::Next(of))) = variable
            && exclusive
            && covers(&values, &self.structure.variables[of].domain)
        {
            // every value has its branch
            return (paths, fault);
        }
        let none = self.aig.all(left);
        let none = self.aig.and(rest, none);
        (paths, self.aig.or(fault, none))
    }

    fn binary(&mut self, op: Binary, a: ExprId, b: ExprId, view: View) -> (Value, Lit) {
        if let Binary::Equal | Binary::Unequal | Binary::Same | Binary::Differ = op {
            let ((a, one), (b, other)) = (self.known(a, view), self.known(b, view));
            let same = a.equal(&b, &mut self.aig);
            let differ = matches!(op, Binary::Unequal | Binary::Differ);
            return (Value::truth(same.negated_if(differ)), self.aig.or(one, other));
        }
        let ((a, one), (b, other)) = (self.bits(a, view), self.bits(b, view));
        let aig = &mut self.aig;
        let mut fault = aig.or(one, other);
        let is_zero = |aig: &mut Aig| bits::equal(aig, &b, &bits::constant(0));
        let bits = match op {
            Binary::Less => bits::truth(bits::less(aig, &a, &b)),
            Binary::AtMost => bits::truth(!bits::less(aig, &b, &a)),
            Binary::Plus => bits::plus(aig, &a, &b),
            Binary::Minus => bits::minus(aig, &a, &b),
            Binary::Times => bits::times(aig, &a, &b),
            Binary::Divide | Binary::Modulo => {
                let zero = is_zero(aig);
                fault = aig.or(fault, zero);
                let (quotient, rest) = bits::divide(aig, &a, &b);
                if op == Binary::Divide { quotient } else { rest }
            }
            Binary::BitAnd => bits::bitwise(&a, &b, |a, b| aig.and(a, b)),
            Binary::BitOr => bits::bitwise(&a, &b, |a, b| aig.or(a, b)),
            Binary::BitXor => bits::bitwise(&a, &b, |a, b| aig.xor(a, b)),
            Binary::ShiftLeft => bits::shift_left(aig, &a, &b, true, 64),
            Binary::ShiftRight => bits::shift_right(aig, &a, &b),
            Binary::Min | Binary::Max => {
                let less = bits::less(aig, &a, &b);
                bits::choose(aig, less.negated_if(op == Binary::Max), &a, &b)
            }
            Binary::Equal | Binary::Unequal | Binary::Same | Binary::Differ => Bits::new(),
        };
        let bits = match op {
            Binary::Plus | Binary::Minus | Binary::Times => limited(aig, bits, &mut fault),
            _ => bits,
        };
        (Value::number(bits), fault)
    }

    /// The lowest bits of a number; sums and products are never larger than that.
    fn wrap(&mut self, of: ExprId, signed: bool, width: usize, view: View) -> (Value, Lit) {
        let (bits, fault) = match *self.structure.exprs.get(of) {
            Expr::Binary(op, a, b) if is_wrapped(self.structure.exprs.get(of)) => {
                let ((a, one), (b, other)) = (self.bits(a, view), self.bits(b, view));
                let aig = &mut self.aig;
                let bits = match op {
                    Binary::Plus => bits::cut(&bits::plus(aig, &a, &b), signed, width),
                    Binary::Minus => bits::cut(&bits::minus(aig, &a, &b), signed, width),
                    Binary::ShiftLeft => bits::shift_left(aig, &a, &b, signed, width),
                    _ => bits::times_within(aig, &a, &b, signed, width),
                };
                (bits, aig.or(one, other))
            }
            _ => {
                let (bits, fault) = self.bits(of, view);
                (bits::cut(&bits, signed, width), fault)
            }
        };
        (Value::number(bits), fault)
    }
}

/// Whether all values of a domain are among some values.
fn covers(values: &FxHashSet<i64>, domain: &Domain) -> bool {
    let range = |low: i64, high: i64| {
        high.abs_diff(low) < values.len() as u64 && (low..=high).all(|value| values.contains(&value))
    };
    match domain {
        Domain::Boolean => range(0, 1),
        Domain::Range(low, high) => range(*low, *high),
        Domain::Enumeration(all) => all.iter().all(|value| values.contains(value)),
        Domain::Word { .. } => false,
    }
}

/// Whether the result of an operator under [`Expr::Wrap`] is cut before it can pass a limit.
fn is_wrapped(expr: &Expr) -> bool {
    matches!(expr, Expr::Binary(Binary::Plus | Binary::Minus | Binary::Times | Binary::ShiftLeft, ..))
}

/// A number below 2⁶² on both sides, else a fault.
fn limited(aig: &mut Aig, bits: Bits, fault: &mut Lit) -> Bits {
    if bits.len() <= LIMIT_BITS {
        return bits;
    }
    let sign = bits[LIMIT_BITS - 1];
    let above: Vec<Lit> = bits[LIMIT_BITS..].iter().map(|&bit| aig.equal(bit, sign)).collect();
    let fits = aig.all(above);
    *fault = aig.or(*fault, !fits);
    bits::trimmed(bits[..LIMIT_BITS].to_vec())
}
