//! Sets of values: whether a value is in one, whether one has values that its variable cannot have,
//! and a value of it that choices pick.
//!
//! A set is an expression of `Union`, `Range` and `Case`; all else in it is a single value. As with
//! other expressions, its parts come before it, and one pass in their order suffices.

use super::bits;
use super::code::Code;
use super::expressions::{Expressions, View};
use super::value::{Value, lookup, width};
use crate::ir::{Expr, ExprId};
use loris_base::Exhausted;
use loris_circuit::Lit;
use rustc_hash::{FxHashMap, FxHashSet};

/// A value of a set.
#[derive(Clone, Debug)]
pub(super) struct Pick {
    pub(super) value: Value,
    /// whether there is none: the choice was for the values of an empty range
    pub(super) absent: Lit,
    /// how many choices decide which one it is
    used: usize,
}

/// Choices of one variable, made as they are needed. Ways that exclude each other share them.
#[derive(Clone, Debug, Default)]
pub(super) struct Pool {
    pub(super) choices: Vec<Lit>,
}

impl Pool {
    /// Choices from a number on.
    pub(super) fn take(&mut self, of: &mut Expressions<'_>, from: usize, count: usize) -> Vec<Lit> {
        while self.choices.len() < from + count {
            self.choices.push(of.aig.variable());
        }
        self.choices[from..from + count].to_vec()
    }
}

impl Expressions<'_> {
    /// The parts of a set, those it is made of first; with all single values and bounds encoded.
    fn parts(&mut self, set: ExprId, view: View) -> Result<Vec<ExprId>, Exhausted> {
        let structure = self.structure;
        let (mut parts, mut seen, mut stack) = (Vec::new(), FxHashSet::default(), vec![set]);
        while let Some(id) = stack.pop() {
            if !seen.insert(id) {
                continue;
            }
            parts.push(id);
            if !self.is_set(id) {
                self.encode(id, view)?;
                continue;
            }
            match structure.exprs.get(id) {
                Expr::Union(all) => stack.extend(all),
                Expr::Case(branches) => {
                    for &(guard, value) in branches {
                        self.encode(guard, view)?;
                        stack.push(value);
                    }
                }
                &Expr::Range(low, high) => {
                    self.encode(low, view)?;
                    self.encode(high, view)?;
                }
                _ => {}
            }
        }
        parts.sort_unstable();
        Ok(parts)
    }

    /// Computes something for each part of a set from what it is for smaller parts, joined as in a
    /// disjunction.
    fn any_part(
        &mut self,
        set: ExprId,
        view: View,
        mut leaf: impl FnMut(&mut Self, ExprId) -> Lit,
        path_faults: bool,
    ) -> Result<Lit, Exhausted> {
        let structure = self.structure;
        let mut known: FxHashMap<ExprId, Lit> = FxHashMap::default();
        for id in self.parts(set, view)? {
            let lit = match structure.exprs.get(id) {
                Expr::Union(all) => self.aig.any(all.iter().map(|part| known[part])),
                Expr::Case(branches) if self.is_set(id) => {
                    let (paths, fault) = self.paths(branches, view);
                    let mut ways = Vec::with_capacity(branches.len() + 1);
                    for (path, (_, value)) in paths.into_iter().zip(branches) {
                        ways.push(self.aig.and(path, known[value]));
                    }
                    ways.extend(path_faults.then_some(fault));
                    self.aig.any(ways)
                }
                _ => leaf(self, id),
            };
            self.charge()?;
            known.insert(id, lit);
        }
        Ok(known[&set])
    }

    /// Where a set has no value, or a part of it has none.
    pub(super) fn set_fault(&mut self, set: ExprId, view: View) -> Result<Lit, Exhausted> {
        let leaf = |of: &mut Self, id: ExprId| match *of.structure.exprs.get(id) {
            Expr::Range(low, high) => {
                let (low, high) = (of.known(low, view).1, of.known(high, view).1);
                of.aig.or(low, high)
            }
            _ => of.known(id, view).1,
        };
        self.any_part(set, view, leaf, true)
    }

    /// Whether a value is in a set.
    pub(super) fn member(&mut self, set: ExprId, value: &Value, view: View) -> Result<Lit, Exhausted> {
        let leaf = |of: &mut Self, id: ExprId| {
            if let Expr::Range(low, high) = *of.structure.exprs.get(id) {
                return of.is_between(value, low, high, view);
            }
            let (member, _) = of.known(id, view);
            value.equal(&member, &mut of.aig)
        };
        self.any_part(set, view, leaf, false)
    }

    fn is_between(&mut self, value: &Value, low: ExprId, high: ExprId, view: View) -> Lit {
        let (low, high) = (self.known(low, view).0, self.known(high, view).0);
        let aig = &mut self.aig;
        let (value, low, high) = (value.bits(aig), low.bits(aig), high.bits(aig));
        let (below, above) = (bits::less(aig, &value, &low), bits::less(aig, &high, &value));
        aig.and(!below, !above)
    }

    /// Whether a set has values that a variable cannot have.
    pub(super) fn outside(&mut self, set: ExprId, code: &Code, view: View) -> Result<Lit, Exhausted> {
        let runs = code.runs();
        let leaf = |of: &mut Self, id: ExprId| {
            let is_within = |low: i64, high: i64| runs.iter().any(|run| run.0 <= low && high <= run.1);
            if of.bounds(id).is_some_and(|(low, high)| is_within(low, high)) {
                return Lit::FALSE;
            }
            let Expr::Range(low, high) = *of.structure.exprs.get(id) else {
                let (value, _) = of.known(id, view);
                return !code.has(&mut of.aig, &value);
            };
            let (low, high) = (of.known(low, view).0, of.known(high, view).0);
            let aig = &mut of.aig;
            let (low, high) = (low.bits(aig), high.bits(aig));
            let mut within = vec![bits::less(aig, &high, &low)];
            for &(first, last) in &runs {
                let below = bits::less(aig, &low, &bits::constant(first));
                let above = bits::less(aig, &bits::constant(last), &high);
                within.push(aig.and(!below, !above));
            }
            !aig.any(within)
        };
        self.any_part(set, view, leaf, false)
    }

    /// A value of a set, for a variable.
    pub(super) fn pick(
        &mut self,
        set: ExprId,
        code: &Code,
        pool: &mut Pool,
        view: View,
    ) -> Result<Pick, Exhausted> {
        let structure = self.structure;
        let mut known: FxHashMap<ExprId, Pick> = FxHashMap::default();
        for id in self.parts(set, view)? {
            let pick = match structure.exprs.get(id) {
                Expr::Union(all) => {
                    let from = all.iter().map(|part| known[part].used).max().unwrap_or(0);
                    let count = width(all.len() as u64);
                    let chosen = pool.take(self, from, count);
                    let values: Vec<Value> = all.iter().map(|part| known[part].value.clone()).collect();
                    let absent: Vec<Value> =
                        all.iter().map(|part| Value::truth(known[part].absent)).collect();
                    let absent = lookup(&mut self.aig, &chosen, &absent).lit(&mut self.aig);
                    Pick { value: lookup(&mut self.aig, &chosen, &values), absent, used: from + count }
                }
                Expr::Case(branches) if self.is_set(id) => {
                    let (paths, _) = self.paths(branches, view);
                    let used = branches.iter().map(|(_, value)| known[value].used).max().unwrap_or(0);
                    let mut absent = Vec::with_capacity(branches.len());
                    let mut values = Vec::with_capacity(branches.len());
                    for (path, (_, value)) in paths.into_iter().zip(branches) {
                        absent.push(self.aig.and(path, known[value].absent));
                        values.push((path, known[value].value.clone()));
                    }
                    let value = super::value::select(&mut self.aig, values);
                    Pick { value, absent: self.aig.any(absent), used }
                }
                &Expr::Range(low, high) => self.pick_between(low, high, code, pool, view),
                _ => Pick { value: self.known(id, view).0, absent: Lit::FALSE, used: 0 },
            };
            self.charge()?;
            known.insert(id, pick);
        }
        Ok(known[&set].clone())
    }

    /// A number between two others. If these are not constant, a value of the variable that lies
    /// between.
    fn pick_between(&mut self, low: ExprId, high: ExprId, code: &Code, pool: &mut Pool, view: View) -> Pick {
        let own = match (self.known(low, view).0, self.known(high, view).0) {
            (Value::Constant(low), Value::Constant(high)) if low <= high => {
                Some(Code::of(&crate::ir::Domain::Range(low, high)))
            }
            _ => None,
        };
        let code_of = own.as_ref().unwrap_or(code);
        let count = code_of.width();
        let chosen = pool.take(self, 0, count);
        let chosen = code_of.repaired(&mut self.aig, &chosen);
        let value = code_of.decoded(&mut self.aig, &chosen);
        let absent = if own.is_some() { Lit::FALSE } else { !self.is_between(&value, low, high, view) };
        Pick { value, absent, used: count }
    }
}
