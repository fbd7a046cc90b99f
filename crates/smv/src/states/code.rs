//! Expressions as straight code with jumps, so that evaluating one neither recurses nor looks at
//! branches it does not take.
//!
//! A `case` over `x = constant` is a jump table (thesis, section 5.2): generating the states of a
//! module with one variable of n values is linear, not quadratic. Where variables may leave, truth
//! values have a third one, unknown, and `&`, `|` and `case` have operations of their own for it:
//! "no answer" is then a value like others (`vm`). An expression that is used more than once and is
//! not small becomes a block of its own, evaluated at most once per state: chains of definitions
//! stay linear, too.

use crate::ir::{Binary, Expr, ExprId, Exprs, VariableId};
use loris_base::Idx;
use rustc_hash::FxHashMap;
use std::rc::Rc;

/// Where a value is kept while states are made: the current values of all variables, then their
/// next values.
pub(super) type Slot = u32;

/// One step of evaluation, on a stack of values.
#[derive(Clone, Debug)]
pub(super) enum Op {
    Push(i64),
    Load(Slot),
    Not,
    Binary(Binary),
    /// of words: bits beyond the width are lost
    Wrapping {
        op: Binary,
        signed: bool,
        width: u32,
    },
    /// the slot, compared with a constant
    SlotIs(Slot, i64),
    /// if the truth value on top is false, leave it and jump, else drop it
    AndThen(u32),
    /// if the truth value on top is true, leave it and jump, else drop it
    OrElse(u32),
    /// if the truth value on top is false, jump; it stays in any case
    FalseEnds(u32),
    /// if the truth value on top is true, jump; it stays in any case
    TrueEnds(u32),
    /// the conjunction of two truth values, any of which may be unknown
    Both,
    /// the disjunction of two truth values, any of which may be unknown
    Either,
    /// drop a truth value, and jump if it is false
    Unless(u32),
    /// drop the guard of a `case`, and jump if it is false; if it is unknown, so is the `case` (a
    /// set, if so), whose end is the second place
    Guard {
        next: u32,
        end: u32,
        set: bool,
    },
    Jump(u32),
    /// drop a truth value, and add it to the number below
    Tally,
    Wrap {
        signed: bool,
        width: u32,
    },
    /// jump by the value of a slot, or go on
    Switch(Slot, u32),
    /// drop an index, and jump to its element
    Select(u32),
    /// no branch of this `case` applies
    NoBranch(ExprId),
    /// put the value on top into the set
    Emit,
    /// put all numbers from one to another into the set
    EmitRange,
    /// start a set within a set
    Open,
    /// whether the value on top is in the set since `Open`, which is dropped
    Close,
    /// whether the value on top is in a constant set
    InSet(u32),
    /// the value of a block
    Call(u32),
    /// the end of a block: keep its value
    Return(u32),
    End,
}

/// Values to places in the code.
#[derive(Clone, Debug)]
pub(super) struct Jumps {
    pub(super) low: i64,
    /// by value, `NONE` where there is no jump
    pub(super) dense: Vec<u32>,
    /// if they lie far apart
    pub(super) sparse: FxHashMap<i64, u32>,
    /// for faults
    pub(super) of: ExprId,
    /// behind all elements of an array
    pub(super) end: u32,
}

pub(super) const NONE: u32 = u32::MAX;

impl Jumps {
    fn new(of: ExprId, pairs: &[(i64, u32)]) -> Self {
        let low = pairs.iter().map(|&(value, _)| value).min().unwrap_or(0);
        let high = pairs.iter().map(|&(value, _)| value).max().unwrap_or(0);
        let width = high.wrapping_sub(low).cast_unsigned();
        let mut jumps = Self { low, dense: Vec::new(), sparse: FxHashMap::default(), of, end: NONE };
        if width < 8 * pairs.len() as u64 + 64 {
            jumps.dense = vec![NONE; width as usize + 1];
        }
        for &(value, label) in pairs {
            // the first guard that is true wins
            if let Some(place) = jumps.dense.get_mut(value.wrapping_sub(low).cast_unsigned() as usize) {
                if *place == NONE {
                    *place = label;
                }
            } else {
                jumps.sparse.entry(value).or_insert(label);
            }
        }
        jumps
    }

    #[inline]
    pub(super) fn get(&self, value: i64) -> u32 {
        match self.dense.get(value.wrapping_sub(self.low).cast_unsigned() as usize) {
            Some(&target) => target,
            None if self.sparse.is_empty() => NONE,
            None => self.sparse.get(&value).copied().unwrap_or(NONE),
        }
    }
}

/// Where the code of an expression starts.
pub(super) type Entry = u32;

/// The code of all expressions of a structure that are evaluated.
#[derive(Clone, Debug, Default)]
pub(super) struct Code {
    pub(super) ops: Vec<Op>,
    pub(super) jumps: Vec<Jumps>,
    pub(super) sets: Vec<Vec<i64>>,
    /// where each block starts
    pub(super) blocks: Vec<Entry>,
    /// whether variables may leave
    pub(super) exits: bool,
}

/// Makes code of expressions, one after the other.
pub(super) struct Compiler<'a> {
    exprs: &'a Exprs,
    variables: usize,
    code: Code,
    /// where labels are, once they are bound
    labels: Vec<u32>,
    /// the block of each expression that has one
    blocks: FxHashMap<ExprId, u32>,
    pending: Vec<ExprId>,
    shared: Rc<[bool]>,
}

enum Task {
    Value(ExprId),
    Set(ExprId),
    Op(Op),
    Bind(u32),
    /// the branches of a `case` from this one on
    Branches(ExprId, usize, bool, u32),
}

impl<'a> Compiler<'a> {
    /// `shared` are those worth a block ([`shared`]); `exits`, whether variables may leave.
    pub(super) fn new(exprs: &'a Exprs, variables: usize, shared: Rc<[bool]>, exits: bool) -> Self {
        Self {
            exprs,
            variables,
            code: Code { exits, ..Code::default() },
            labels: Vec::new(),
            blocks: FxHashMap::default(),
            pending: Vec::new(),
            shared,
        }
    }

    /// Code that leaves the value of an expression on the stack.
    pub(super) fn value(&mut self, expr: ExprId) -> Entry {
        self.compile(vec![Task::Op(Op::End), Task::Value(expr)])
    }

    /// Code that puts the values of an expression into a set.
    pub(super) fn set(&mut self, expr: ExprId) -> Entry {
        self.compile(vec![Task::Op(Op::End), Task::Set(expr)])
    }

    /// All code, with the blocks it uses.
    pub(super) fn finish(mut self) -> Code {
        while let Some(expr) = self.pending.pop() {
            let block = self.blocks[&expr];
            let entry = self.compile(vec![Task::Op(Op::Return(block)), Task::Value(expr)]);
            self.code.blocks[block as usize] = entry;
        }
        for op in &mut self.code.ops {
            match op {
                Op::AndThen(label)
                | Op::OrElse(label)
                | Op::FalseEnds(label)
                | Op::TrueEnds(label)
                | Op::Unless(label)
                | Op::Jump(label) => *label = self.labels[*label as usize],
                Op::Guard { next, end, .. } => {
                    (*next, *end) = (self.labels[*next as usize], self.labels[*end as usize]);
                }
                _ => {}
            }
        }
        for jumps in &mut self.code.jumps {
            let all = jumps.dense.iter_mut().chain(jumps.sparse.values_mut());
            for label in all.chain([&mut jumps.end]) {
                if *label != NONE {
                    *label = self.labels[*label as usize];
                }
            }
        }
        self.code
    }

    fn label(&mut self) -> u32 {
        self.labels.push(NONE);
        self.labels.len() as u32 - 1
    }

    fn compile(&mut self, mut tasks: Vec<Task>) -> Entry {
        let entry = self.code.ops.len() as u32;
        let mut first = true;
        while let Some(task) = tasks.pop() {
            match task {
                Task::Op(op) => self.code.ops.push(op),
                Task::Bind(label) => self.labels[label as usize] = self.code.ops.len() as u32,
                Task::Value(expr) => {
                    // the body of a block is not a call of itself
                    let top = std::mem::replace(&mut first, false);
                    if self.shared[expr.index()] && !(top && self.blocks.contains_key(&expr)) {
                        let block = self.block(expr);
                        self.code.ops.push(Op::Call(block));
                    } else {
                        self.value_tasks(expr, &mut tasks);
                    }
                }
                Task::Set(expr) => {
                    first = false;
                    self.set_tasks(expr, &mut tasks);
                }
                Task::Branches(expr, from, set, end) => self.branches(expr, from, set, end, &mut tasks),
            }
        }
        entry
    }

    fn block(&mut self, expr: ExprId) -> u32 {
        if let Some(&block) = self.blocks.get(&expr) {
            return block;
        }
        let block = self.code.blocks.len() as u32;
        self.code.blocks.push(0);
        self.blocks.insert(expr, block);
        self.pending.push(expr);
        block
    }

    fn slot(&self, expr: ExprId) -> Option<Slot> {
        match *self.exprs.get(expr) {
            Expr::Variable(variable) => Some(variable.index() as Slot),
            Expr::Next(variable) => Some(self.next(variable)),
            _ => None,
        }
    }

    fn next(&self, variable: VariableId) -> Slot {
        (self.variables + variable.index()) as Slot
    }

    fn constant(&self, expr: ExprId) -> Option<i64> {
        match *self.exprs.get(expr) {
            Expr::Value(value) => Some(value),
            _ => None,
        }
    }

    fn value_tasks(&mut self, expr: ExprId, tasks: &mut Vec<Task>) {
        match self.exprs.get(expr) {
            Expr::Value(value) => self.code.ops.push(Op::Push(*value)),
            Expr::Variable(variable) => self.code.ops.push(Op::Load(variable.index() as Slot)),
            Expr::Next(variable) => self.code.ops.push(Op::Load(self.next(*variable))),
            Expr::Not(of) => tasks.extend([Task::Op(Op::Not), Task::Value(*of)]),
            Expr::And(all) if self.code.exits => self.kleene(all, Op::FalseEnds, &Op::Both, 1, tasks),
            Expr::Or(all) if self.code.exits => self.kleene(all, Op::TrueEnds, &Op::Either, 0, tasks),
            Expr::And(all) => self.chain(all, Op::AndThen, 1, tasks),
            Expr::Or(all) => self.chain(all, Op::OrElse, 0, tasks),
            Expr::Binary(Binary::Equal, a, b) => {
                match (self.slot(*a), self.constant(*b), self.slot(*b), self.constant(*a)) {
                    (Some(slot), Some(value), ..) | (.., Some(slot), Some(value)) => {
                        self.code.ops.push(Op::SlotIs(slot, value));
                    }
                    _ => {
                        tasks.extend([Task::Op(Op::Binary(Binary::Equal)), Task::Value(*b), Task::Value(*a)]);
                    }
                }
            }
            Expr::Binary(op, a, b) => {
                tasks.extend([Task::Op(Op::Binary(*op)), Task::Value(*b), Task::Value(*a)]);
            }
            Expr::Count(all) => {
                for &of in all.iter().rev() {
                    tasks.extend([Task::Op(Op::Tally), Task::Value(of)]);
                }
                tasks.push(Task::Op(Op::Push(0)));
            }
            Expr::Wrap { of, signed, width } => {
                let (signed, width) = (*signed, *width);
                match self.exprs.get(*of) {
                    Expr::Binary(
                        op @ (Binary::Plus | Binary::Minus | Binary::Times | Binary::ShiftLeft),
                        a,
                        b,
                    ) => {
                        let op = Op::Wrapping { op: *op, signed, width };
                        tasks.extend([Task::Op(op), Task::Value(*b), Task::Value(*a)]);
                    }
                    _ => tasks.extend([Task::Op(Op::Wrap { signed, width }), Task::Value(*of)]),
                }
            }
            Expr::Case(_) => {
                let end = self.label();
                tasks.extend([Task::Bind(end), Task::Branches(expr, 0, false, end)]);
            }
            Expr::Select { index, low, elements } => self.select(expr, *index, *low, elements, tasks),
            Expr::In(of, set) => {
                if let Some(values) = constant_set(self.exprs, *set) {
                    self.code.sets.push(values);
                    let number = self.code.sets.len() as u32 - 1;
                    tasks.extend([Task::Op(Op::InSet(number)), Task::Value(*of)]);
                } else {
                    let (open, close) = (Task::Op(Op::Open), Task::Op(Op::Close));
                    tasks.extend([close, Task::Set(*set), open, Task::Value(*of)]);
                }
            }
            // a set where one value is needed is refused before
            Expr::Union(_) | Expr::Range(..) => self.code.ops.push(Op::NoBranch(expr)),
        }
    }

    /// Operands from left to right, until one decides.
    fn chain(&mut self, all: &[ExprId], decide: fn(u32) -> Op, of_none: i64, tasks: &mut Vec<Task>) {
        let Some((&last, others)) = all.split_last() else {
            self.code.ops.push(Op::Push(of_none));
            return;
        };
        let end = self.label();
        tasks.extend([Task::Bind(end), Task::Value(last)]);
        for &of in others.iter().rev() {
            tasks.extend([Task::Op(decide(end)), Task::Value(of)]);
        }
    }

    /// The same where operands may be unknown: one that decides need not be known, but one that is
    /// unknown does not end the evaluation.
    fn kleene(
        &mut self,
        all: &[ExprId],
        decide: fn(u32) -> Op,
        join: &Op,
        of_none: i64,
        tasks: &mut Vec<Task>,
    ) {
        let Some((&first, others)) = all.split_first() else {
            self.code.ops.push(Op::Push(of_none));
            return;
        };
        let end = self.label();
        tasks.push(Task::Bind(end));
        for &of in others.iter().rev() {
            tasks.extend([Task::Op(join.clone()), Task::Value(of), Task::Op(decide(end))]);
        }
        tasks.push(Task::Value(first));
    }

    fn select(&mut self, of: ExprId, index: ExprId, low: i64, elements: &[ExprId], tasks: &mut Vec<Task>) {
        let end = self.label();
        tasks.push(Task::Bind(end));
        let mut pairs = Vec::with_capacity(elements.len());
        for (&element, index) in elements.iter().zip(low..).collect::<Vec<_>>().into_iter().rev() {
            let label = self.label();
            pairs.push((index, label));
            tasks.extend([Task::Op(Op::Jump(end)), Task::Value(element), Task::Bind(label)]);
        }
        self.code.jumps.push(Jumps { end, ..Jumps::new(of, &pairs) });
        let number = self.code.jumps.len() as u32 - 1;
        tasks.extend([Task::Op(Op::Select(number)), Task::Value(index)]);
    }

    fn set_tasks(&mut self, expr: ExprId, tasks: &mut Vec<Task>) {
        match self.exprs.get(expr) {
            Expr::Union(all) => tasks.extend(all.iter().rev().map(|&of| Task::Set(of))),
            Expr::Range(a, b) => {
                tasks.extend([Task::Op(Op::EmitRange), Task::Value(*b), Task::Value(*a)]);
            }
            Expr::Case(_) => {
                let end = self.label();
                tasks.extend([Task::Bind(end), Task::Branches(expr, 0, true, end)]);
            }
            _ => tasks.extend([Task::Op(Op::Emit), Task::Value(expr)]),
        }
    }

    /// The branches of a `case` from one on: a jump table for a run of guards that compare one
    /// variable with constants, or one branch and then the others.
    fn branches(&mut self, expr: ExprId, from: usize, set: bool, end: u32, tasks: &mut Vec<Task>) {
        let Expr::Case(branches) = self.exprs.get(expr) else { unreachable!("only a `case` has branches") };
        let branch = |of: ExprId| if set { Task::Set(of) } else { Task::Value(of) };
        let Some(&(guard, value)) = branches.get(from) else {
            self.code.ops.push(Op::NoBranch(expr));
            return;
        };
        if self.constant(guard) == Some(1) {
            tasks.push(branch(value));
            return;
        }
        let table = self.jump_table(&branches[from..]);
        if let (Some(slot), 3..) = (table.slot, table.guards.len()) {
            let rest = from + table.guards.len();
            tasks.push(Task::Branches(expr, rest, set, end));
            let mut pairs = Vec::new();
            for (values, &(_, value)) in table.guards.iter().zip(&branches[from..]) {
                let label = self.label();
                pairs.extend(values.iter().map(|&of| (of, label)));
                tasks.extend([Task::Op(Op::Jump(end)), branch(value), Task::Bind(label)]);
            }
            // those that no guard takes go past all branches: to the rest, which comes last
            let past = self.label();
            let bodies = tasks.len() - 3 * table.guards.len();
            tasks.insert(bodies, Task::Bind(past));
            self.code.jumps.push(Jumps::new(expr, &pairs));
            let number = self.code.jumps.len() as u32 - 1;
            self.code.ops.extend([Op::Switch(slot, number), Op::Jump(past)]);
            return;
        }
        let next = self.label();
        tasks.extend([
            Task::Branches(expr, from + 1, set, end),
            Task::Bind(next),
            Task::Op(Op::Jump(end)),
            branch(value),
            Task::Op(if self.code.exits { Op::Guard { next, end, set } } else { Op::Unless(next) }),
            Task::Value(guard),
        ]);
    }

    /// The first guards that compare one and the same variable with constants.
    fn jump_table(&self, branches: &[(ExprId, ExprId)]) -> JumpTable {
        let mut table = JumpTable { slot: None, guards: Vec::new() };
        for &(guard, _) in branches {
            match self.comparison(guard) {
                Some((slot, values)) if table.slot.is_none_or(|other| other == slot) => {
                    table.slot = Some(slot);
                    table.guards.push(values);
                }
                _ => break,
            }
        }
        table
    }

    fn comparison(&self, guard: ExprId) -> Option<(Slot, Vec<i64>)> {
        match *self.exprs.get(guard) {
            Expr::Binary(Binary::Equal, a, b) => match (self.slot(a), self.slot(b)) {
                (Some(slot), _) => Some((slot, vec![self.constant(b)?])),
                (_, Some(slot)) => Some((slot, vec![self.constant(a)?])),
                _ => None,
            },
            Expr::In(of, set) => Some((self.slot(of)?, constant_set(self.exprs, set)?)),
            _ => None,
        }
    }
}

/// Guards that can be a jump table.
struct JumpTable {
    slot: Option<Slot>,
    guards: Vec<Vec<i64>>,
}

/// The values of a set of constants, in ascending order.
pub(super) fn constant_set(exprs: &Exprs, set: ExprId) -> Option<Vec<i64>> {
    let mut values = Vec::new();
    let mut left = vec![set];
    while let Some(expr) = left.pop() {
        match exprs.get(expr) {
            Expr::Value(value) => values.push(*value),
            Expr::Union(all) => left.extend(all),
            Expr::Range(a, b) => match (exprs.get(*a), exprs.get(*b)) {
                (&Expr::Value(a), &Expr::Value(b)) if b.saturating_sub(a) < 1 << 16 => values.extend(a..=b),
                _ => return None,
            },
            _ => return None,
        }
    }
    values.sort_unstable();
    values.dedup();
    Some(values)
}

/// Which expressions are worth a block: used more than once, and not small.
pub(super) fn shared(exprs: &Exprs) -> Rc<[bool]> {
    let mut uses = vec![0u32; exprs.len()];
    let mut size = vec![1u32; exprs.len()];
    for id in exprs.ids() {
        let mut sum = 1u32;
        exprs.get(id).operands(|child| {
            uses[child.index()] = uses[child.index()].saturating_add(1);
            sum = sum.saturating_add(size[child.index()]);
        });
        size[id.index()] = sum;
    }
    let is_set = |id: ExprId| matches!(exprs.get(id), Expr::Union(_) | Expr::Range(..));
    exprs.ids().map(|id| uses[id.index()] > 1 && size[id.index()] > 6 && !is_set(id)).collect()
}
