//! The order of decisions: windows of properties, levels of temporal nesting, lanes.
//!
//! Properties are taken in order, as many at a time as have subformulas to fill a *window* of
//! columns. In a window, all that lies below the same number of temporal operators is decided
//! together: first the temporal operators, in lanes, then boolean ones, word by word. A column goes
//! when its last user in the window is done; one that a later property wants stays if there is
//! room, or else is computed once more. So memory is bounded, whatever is shared: a window of
//! columns, kept ones, and the rows of the lanes.

mod temporal;

use crate::column::{Value, bytes};
use crate::dag::{Dag, Gate, Lit};
use crate::lanes::Scratch;
use crate::{Fairness, Kripke, LabelledFormula, Labels};
use loris_base::{BitSet, Budget, Exhausted, Search};

/// Memory that is spent for speed.
#[derive(Clone, Copy)]
pub(crate) struct Limits {
    /// Bytes of the columns of a window.
    pub(crate) columns: usize,
    /// Bytes of the rows of lanes; a word for each state is always granted.
    pub(crate) rows: usize,
    /// This many untils and `EG` are decided one by one, and half as many `EX`, as measured.
    pub(crate) alone: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self { columns: 256 << 20, rows: 256 << 20, alone: 4 }
    }
}

/// A window has at least this many columns, however large.
const LEAST: usize = 64;

/// And at most this many, however small: they fill enough lanes, and a cache.
const MOST: usize = 4096;

/// Bytes for each gate, with its place in the table.
const GATE: usize = 64;

/// Calls `found` with the value of each property.
pub(crate) fn decide(
    kripke: &Kripke,
    labels: Labels,
    properties: &[LabelledFormula],
    fairness: &Fairness,
    limits: Limits,
    budget: &mut Budget,
    mut found: impl FnMut(usize, Value),
) -> Result<(), Exhausted> {
    let dag = Dag::new(properties, fairness.is_trivial());
    let mut run = Schedule {
        kripke,
        labels,
        fairness,
        limits,
        states: kripke.states(),
        users: vec![0; dag.gates.len()],
        values: vec![None; dag.gates.len()],
        dag,
        spare: Vec::new(),
        live: 0,
        held: 0,
        search: None,
        scratch: Scratch::default(),
        rows: 0,
        window_end: 0,
    };
    run.held = GATE * run.users.len();
    let result = budget.charge(run.held).and_then(|()| run.all(budget, &mut found));
    run.search.into_iter().for_each(|search| search.free(budget));
    budget.release(run.held);
    result
}

struct Schedule<'a> {
    kripke: &'a Kripke<'a>,
    labels: Labels<'a>,
    fairness: &'a Fairness,
    limits: Limits,
    states: usize,
    dag: Dag,
    values: Vec<Option<BitSet>>,
    /// In the window: operators that are still to be computed, and properties that wait for a
    /// result.
    users: Vec<u32>,
    spare: Vec<BitSet>,
    /// Columns with a value.
    live: usize,
    /// Bytes that were charged.
    held: usize,
    search: Option<Search>,
    scratch: Scratch,
    /// Bytes charged for it.
    rows: usize,
    /// The first property after the window.
    window_end: usize,
}

impl Schedule<'_> {
    fn all(&mut self, budget: &mut Budget, found: &mut impl FnMut(usize, Value)) -> Result<(), Exhausted> {
        let mut ones = self.column(budget)?;
        ones.complement(self.states);
        self.values[0] = Some(ones);
        let most = (self.limits.columns / bytes(self.states)).clamp(LEAST, MOST);
        while self.window_end < self.dag.roots.len() {
            let first = self.window_end;
            let window = self.window(most);
            self.levels(&window, budget)?;
            for property in first..self.window_end {
                let root = self.dag.roots[property];
                found(property, self.value(root));
                self.done(root);
            }
            if self.live > most / 2 {
                for node in 0..self.values.len() {
                    if self.dag.last[node] != u32::MAX {
                        self.free(node);
                    }
                }
            }
        }
        Ok(())
    }

    /// The nodes of the next properties that have no value yet, and their users among these.
    fn window(&mut self, most: usize) -> Vec<u32> {
        let mut window: Vec<u32> = Vec::new();
        let mut walk: Vec<Lit> = Vec::new();
        while window.len() < most && self.window_end < self.dag.roots.len() {
            walk.push(self.dag.roots[self.window_end]);
            self.window_end += 1;
            while let Some(lit) = walk.pop() {
                let node = lit.node();
                self.users[node] += 1;
                if self.users[node] == 1 && self.values[node].is_none() {
                    window.push(node as u32);
                    walk.extend(self.dag.gates[node].operands());
                }
            }
        }
        let (levels, gates) = (&self.dag.levels, &self.dag.gates);
        window
            .sort_unstable_by_key(|&node| (levels[node as usize], !gates[node as usize].is_temporal(), node));
        window
    }

    fn levels(&mut self, window: &[u32], budget: &mut Budget) -> Result<(), Exhausted> {
        let key = |node: u32, run: &Self| {
            (run.dag.levels[node as usize], run.dag.gates[node as usize].is_temporal())
        };
        let mut rest = window;
        while let Some(&first) = rest.first() {
            let same = rest.iter().take_while(|&&node| key(node, self) == key(first, self)).count();
            let (nodes, later) = rest.split_at(same);
            rest = later;
            if self.dag.gates[first as usize].is_temporal() {
                self.temporal(nodes, budget)?;
            } else {
                nodes.iter().try_for_each(|&node| self.boolean(node as usize, budget))?;
            }
        }
        Ok(())
    }

    fn boolean(&mut self, node: usize, budget: &mut Budget) -> Result<(), Exhausted> {
        let mut column = self.column(budget)?;
        match self.dag.gates[node] {
            Gate::Label(label) => {
                column.words_mut().fill(0);
                (self.labels)(label, &mut column);
                column.trim(self.states);
            }
            Gate::Fair => {
                self.value(Lit::TRUE).copy_into(&mut column, self.states);
                self.fair_always(&mut column, budget)?;
            }
            Gate::And(a, b) => {
                budget.spend(column.words().len())?;
                let (a, b) = (self.value(a), self.value(b));
                let (flip_a, flip_b) = (a.flip(), b.flip());
                let words = a.column.words().iter().zip(b.column.words());
                for (to, (a, b)) in column.words_mut().iter_mut().zip(words) {
                    *to = (a ^ flip_a) & (b ^ flip_b);
                }
                column.trim(self.states);
            }
            _ => unreachable!("temporal operators are decided together"),
        }
        self.decided(node, column);
        Ok(())
    }

    fn value(&self, lit: Lit) -> Value<'_> {
        let column = self.values[lit.node()].as_ref().expect("operands are decided before operators");
        Value { column, negated: lit.negated() }
    }

    /// A copy without a negation.
    fn plain(&mut self, lit: Lit, budget: &mut Budget) -> Result<BitSet, Exhausted> {
        let mut column = self.column(budget)?;
        self.value(lit).copy_into(&mut column, self.states);
        Ok(column)
    }

    /// A column with anything in it.
    fn column(&mut self, budget: &mut Budget) -> Result<BitSet, Exhausted> {
        if let Some(column) = self.spare.pop() {
            return Ok(column);
        }
        let bytes = bytes(self.states);
        self.held += bytes;
        budget.charge(bytes)?;
        Ok(BitSet::empty(self.states))
    }

    fn decided(&mut self, node: usize, column: BitSet) {
        self.values[node] = Some(column);
        self.live += 1;
        for operand in self.dag.gates[node].operands() {
            self.done(operand);
        }
    }

    /// A user of a node is done with it.
    fn done(&mut self, lit: Lit) {
        let node = lit.node();
        self.users[node] -= 1;
        if self.users[node] == 0 && (self.dag.last[node] as usize) < self.window_end {
            self.free(node);
        }
    }

    fn free(&mut self, node: usize) {
        if let Some(column) = self.values[node].take() {
            self.spare.push(column);
            self.live -= 1;
        }
    }
}
