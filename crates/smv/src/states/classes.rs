//! States that no question can distinguish: those with the same successors and the same labels.
//!
//! A state determines its successors by the *residue*: the equations and conditions on steps after
//! its own values are put in and constants are folded. States with equal residues have the same
//! successors, which are computed once, however many they are. If all that properties ask of single
//! states ([`Parts`]) has equal answers, too, then the states are of one *class*, and bisimilar. A
//! state needs one successor of each class only: the machine is then a part of the whole, with the
//! same answers to these properties, and its runs are runs of the whole.
//!
//! Folding keeps the meaning, faults included: an operand is left out only if evaluation, from left
//! to right, would not get to it or would pass it without effect. A condition with a fault makes
//! its state a class of its own, for the labeller to report.
//!
//! Cost: for each state, linear in the expressions that read the state at hand. Worth it only where
//! states have many successors; [`Classes::is_useless`] is true if classes turn out to have one
//! state each. Oracle: `tests/states_naive.rs`.

use super::layout::{Bits, Layout};
use super::parts::Parts;
use super::vm::{binary, wrap};
use crate::ir::{Expr, ExprId, Exprs, Structure, VariableId, VariableKind};
use loris_base::{Budget, Exhausted, Idx};
use rustc_hash::FxHashMap;

/// The classes of the states that were found.
pub(super) struct Classes<'a, B> {
    structure: &'a Structure,
    layout: &'a Layout,
    /// expressions that read the state at hand, operands first
    order: Vec<ExprId>,
    /// the residue of each expression
    left: Vec<ExprId>,
    residues: Exprs,
    /// among them, small values
    small: Vec<ExprId>,
    /// bytes charged for them
    held: usize,
    /// the expressions that successors depend on
    steps: Vec<ExprId>,
    frozen: Vec<VariableId>,
    /// the conditions asked of states
    parts: &'a Parts,
    /// values of conditions, and of the gates over them
    values: (Vec<bool>, Vec<bool>),
    slots: Vec<i64>,
    /// numbers of rows of successors, by residues
    rows: FxHashMap<Box<[ExprId]>, u32>,
    /// numbers of classes, by row and labels
    numbers: FxHashMap<(u32, Box<[u64]>), u32>,
    /// the row of each class
    row_of: Vec<u32>,
    /// the bits that classes depend on
    mask: B,
    /// classes by these bits
    known: FxHashMap<B, u32>,
    /// bytes charged for these
    table: usize,
}

/// This many states are looked at before classes are declared useless.
const ENOUGH: usize = 4096;

/// Values below this are found without a search.
const SMALL: i64 = 256;

/// Bytes of an expression, its place in the table and its operands, roughly.
const RESIDUE: usize = 80;

/// Bytes of a table with room for this many classes: a power of two of slots, of which seven in
/// eight are used.
fn table_bytes<B>(capacity: usize) -> usize {
    (capacity * 8).div_ceil(7).next_power_of_two() * (size_of::<(B, u32)>() + 1)
}

impl<'a, B: Bits> Classes<'a, B> {
    pub(super) fn new(
        structure: &'a Structure,
        layout: &'a Layout,
        parts: &'a Parts,
        budget: &mut Budget,
    ) -> Result<Self, Exhausted> {
        let variables = layout.fields.iter().map(|field| field.variable);
        let (frozen, moving): (Vec<VariableId>, Vec<VariableId>) =
            variables.partition(|&id| structure.variables[id].kind == VariableKind::Frozen);
        let mut steps: Vec<ExprId> = moving.iter().filter_map(|&id| structure.variables[id].next).collect();
        steps.extend(&structure.trans);
        let count = structure.exprs.len();
        budget.charge(9 * count)?;
        let mut is_needed = vec![false; count];
        let mut stack: Vec<ExprId> = steps.iter().chain(&parts.conditions).copied().collect();
        while let Some(id) = stack.pop() {
            budget.spend(1)?;
            if !std::mem::replace(&mut is_needed[id.index()], true) {
                structure.exprs.get(id).operands(|operand| stack.push(operand));
            }
        }
        let mut classes = Self {
            structure,
            layout,
            order: Vec::new(),
            left: vec![ExprId::new(0); count],
            residues: Exprs::default(),
            small: Vec::new(),
            held: 0,
            steps,
            frozen,
            parts,
            values: (Vec::new(), Vec::new()),
            slots: vec![0; structure.variables.len()],
            rows: FxHashMap::default(),
            numbers: FxHashMap::default(),
            row_of: Vec::new(),
            mask: B::none(),
            known: FxHashMap::default(),
            table: 0,
        };
        for value in 0..SMALL {
            let id = classes.residues.add(Expr::Value(value), (0, 0));
            classes.small.push(id);
        }
        let mut matters = vec![false; structure.variables.len()];
        classes.frozen.iter().for_each(|variable| matters[variable.index()] = true);
        let mut reads = vec![false; count];
        for id in structure.exprs.ids().filter(|id| is_needed[id.index()]) {
            let expr = structure.exprs.get(id);
            reads[id.index()] = match expr {
                Expr::Variable(variable) => structure.variables[*variable].kind != VariableKind::Input,
                expr => {
                    let mut any = false;
                    expr.operands(|operand| any |= reads[operand.index()]);
                    any
                }
            };
            if reads[id.index()] {
                if let Expr::Variable(variable) = expr {
                    matters[variable.index()] = true;
                }
                classes.order.push(id);
            } else {
                classes.left[id.index()] = classes.residue(id);
            }
        }
        for field in layout.fields.iter().filter(|field| matters[field.variable.index()]) {
            classes.mask.add(field.word, field.mask << field.shift);
        }
        Ok(classes)
    }

    /// The class of a state.
    pub(super) fn of(&mut self, state: &B, budget: &mut Budget) -> Result<u32, Exhausted> {
        let bits = state.both(&self.mask);
        if let Some(&class) = self.known.get(&bits) {
            return Ok(class);
        }
        budget.spend(1 + self.order.len() + self.parts.len())?;
        self.layout.unpack(state, &mut self.slots);
        for place in 0..self.order.len() {
            let id = self.order[place];
            self.left[id.index()] = self.residue(id);
        }
        let mut key: Vec<ExprId> = self.steps.iter().map(|step| self.left[step.index()]).collect();
        for place in 0..self.frozen.len() {
            let value = self.slots[self.frozen[place].index()];
            key.push(self.value(value));
        }
        let mut bytes = RESIDUE * self.residues.len();
        let next = self.rows.len() as u32;
        let row = *self.rows.entry(key.into()).or_insert(next);
        let (mut conditions, mut scratch) = std::mem::take(&mut self.values);
        conditions.clear();
        let values = self.parts.conditions.iter().map_while(|of| self.constant(self.left[of.index()]));
        conditions.extend(values.map(|value| value != 0));
        let next = self.row_of.len() as u32;
        let class = if conditions.len() < self.parts.conditions.len() {
            next
        } else {
            let labels = self.parts.values(&conditions, &mut scratch);
            *self.numbers.entry((row, labels)).or_insert(next)
        };
        self.values = (conditions, scratch);
        if class == next {
            self.row_of.push(row);
        }
        self.make_room(budget)?;
        self.known.insert(bits, class);
        bytes += self.rows.len() * (4 * (self.steps.len() + self.frozen.len()) + 48);
        bytes += self.row_of.len() * (self.parts.len() / 8 + 56);
        budget.grow(&mut self.held, bytes)?;
        Ok(class)
    }

    /// Makes room for one more class by bits; while the table grows, the old one is held, too.
    fn make_room(&mut self, budget: &mut Budget) -> Result<(), Exhausted> {
        let length = self.known.len();
        if length < self.known.capacity() {
            return Ok(());
        }
        let more = length.max(1 << 10);
        let bytes = table_bytes::<B>(length + more);
        budget.charge(bytes)?;
        self.known.reserve(more);
        budget.release(std::mem::replace(&mut self.table, bytes));
        Ok(())
    }

    /// The row of successors that all states of a class have.
    pub(super) fn row(&self, class: u32) -> u32 {
        self.row_of[class as usize]
    }

    /// Whether most classes have one state.
    pub(super) fn is_useless(&self) -> bool {
        self.known.len() > ENOUGH && 4 * self.row_of.len() > 3 * self.known.len()
    }

    /// Gives back all.
    pub(super) fn close(self, budget: &mut Budget) {
        budget.release(self.held + self.table + 9 * self.left.len());
    }

    fn value(&mut self, value: i64) -> ExprId {
        let small = usize::try_from(value).ok().and_then(|value| self.small.get(value));
        small.copied().unwrap_or_else(|| self.residues.add(Expr::Value(value), (0, 0)))
    }

    fn constant(&self, id: ExprId) -> Option<i64> {
        match self.residues.get(id) {
            Expr::Value(value) => Some(*value),
            _ => None,
        }
    }

    /// The residue of an expression, given those of its operands.
    fn residue(&mut self, id: ExprId) -> ExprId {
        let structure = self.structure;
        let left = |id: &ExprId| self.left[id.index()];
        let all = |ids: &[ExprId]| -> Vec<ExprId> { ids.iter().map(left).collect() };
        let folded = match structure.exprs.get(id) {
            Expr::Value(value) => Expr::Value(*value),
            Expr::Variable(variable) if structure.variables[*variable].kind != VariableKind::Input => {
                Expr::Value(self.slots[variable.index()])
            }
            Expr::Variable(variable) => Expr::Variable(*variable),
            Expr::Next(variable) => Expr::Next(*variable),
            Expr::Not(a) => {
                let a = left(a);
                self.constant(a).map_or(Expr::Not(a), |value| Expr::Value(1 - value))
            }
            Expr::And(ids) => return self.junction(all(ids), 1),
            Expr::Or(ids) => return self.junction(all(ids), 0),
            Expr::Binary(op, a, b) => {
                let (a, b) = (left(a), left(b));
                let value = self.constant(a).zip(self.constant(b)).and_then(|(a, b)| binary(*op, a, b).ok());
                value.map_or(Expr::Binary(*op, a, b), Expr::Value)
            }
            Expr::Count(ids) => {
                let ids = all(ids);
                let sum: Option<i64> = ids.iter().map(|&id| self.constant(id)).sum();
                sum.map_or(Expr::Count(ids.into()), Expr::Value)
            }
            Expr::Wrap { of, signed, width } => {
                let (of, signed, width) = (left(of), *signed, *width);
                match self.constant(of) {
                    Some(value) => Expr::Value(wrap(value, signed, width)),
                    None => Expr::Wrap { of, signed, width },
                }
            }
            Expr::Case(branches) => {
                let mut rest = Vec::new();
                for (guard, value) in branches {
                    let (guard, value) = (left(guard), left(value));
                    match self.constant(guard) {
                        Some(0) => {}
                        Some(_) if rest.is_empty() => return value,
                        is_certain => {
                            rest.push((guard, value));
                            if is_certain.is_some() {
                                break;
                            }
                        }
                    }
                }
                Expr::Case(rest.into())
            }
            Expr::Select { index, low, elements } => {
                let place = self.constant(left(index)).and_then(|index| index.checked_sub(*low));
                let element = place.and_then(|place| elements.get(usize::try_from(place).ok()?));
                match element {
                    Some(element) => return left(element),
                    None => Expr::Select { index: left(index), low: *low, elements: all(elements).into() },
                }
            }
            Expr::Union(ids) => Expr::Union(all(ids).into()),
            Expr::Range(a, b) => Expr::Range(left(a), left(b)),
            Expr::In(a, set) => {
                let (a, set) = (left(a), left(set));
                let value = self.constant(a).and_then(|value| self.has(set, value));
                value.map_or(Expr::In(a, set), |is_in| Expr::Value(i64::from(is_in)))
            }
        };
        match folded {
            Expr::Value(value) => self.value(value),
            folded => self.residues.add(folded, (0, 0)),
        }
    }

    /// A conjunction, or a disjunction, whose neutral value is `neutral`: without operands that
    /// have no effect, up to one that decides.
    fn junction(&mut self, ids: Vec<ExprId>, neutral: i64) -> ExprId {
        let mut rest: Vec<ExprId> = Vec::new();
        for id in ids {
            match self.constant(id) {
                Some(value) if value == neutral => {}
                Some(_) => {
                    rest.push(id);
                    break;
                }
                None => rest.push(id),
            }
        }
        let whole = match (&*rest, neutral) {
            ([], _) => return self.value(neutral),
            (&[one], _) => return one,
            (_, 1) => Expr::And(rest.into()),
            _ => Expr::Or(rest.into()),
        };
        self.residues.add(whole, (0, 0))
    }

    /// Whether a value is in a set of constants; nothing if the set is not made of constants.
    fn has(&self, set: ExprId, value: i64) -> Option<bool> {
        match self.residues.get(set) {
            Expr::Value(other) => Some(*other == value),
            Expr::Range(low, high) => Some((self.constant(*low)?..=self.constant(*high)?).contains(&value)),
            Expr::Union(parts) => {
                let mut any = false;
                for &part in parts {
                    any |= match self.residues.get(part) {
                        Expr::Value(other) => *other == value,
                        Expr::Range(low, high) => {
                            (self.constant(*low)?..=self.constant(*high)?).contains(&value)
                        }
                        _ => return None,
                    };
                }
                Some(any)
            }
            _ => None,
        }
    }
}
