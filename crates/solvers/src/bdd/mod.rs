//! Binary decision diagrams: Boolean functions as shared, ordered, reduced graphs with complemented
//! edges.
//!
//! A [`Store`] holds all nodes; a [`Bdd`] is a handle of a function in it. Equal functions have
//! equal handles, negation is free, and nodes that no handle refers to are collected when the table
//! is full. Every operation takes a [`Budget`]: limits hold inside of it, and a table that may not
//! grow is [`Exhausted::Memory`], after which the store is as usable as before. When the number of
//! live nodes has doubled, the variables are sifted ([`Policy`]); an operation that is under way
//! starts again in the new order.
//!
//! No operation recurses on the machine's stack: orders of many thousand variables are fine.
//!
//! ```
//! use loris_base::Budget;
//! use loris_solvers::bdd::{Policy, Store};
//! let mut budget = Budget::unlimited();
//! let mut store = Store::new(Policy::default());
//! let (x, y) = (store.variable(), store.variable());
//! let (x, y) = (store.literal(x, true), store.literal(y, true));
//! let both = store.and(&x, &y, &mut budget).unwrap();
//! let one = store.or(&x, &y, &mut budget).unwrap();
//! assert!(store.and(&both, &!&one, &mut budget).unwrap().is_false());
//! ```

mod apply;
mod collect;
mod edge;
mod inspect;
mod policy;
mod quantify;
mod roots;
mod sift;
mod simplify;
mod substitute;
mod table;
#[cfg(test)]
mod tests;

pub use self::policy::Policy;
use self::roots::Roots;
use self::table::{Edge, FALSE, NONE, Op, Stop, TRUE, Table};
use loris_base::{Budget, Exhausted};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// A function, kept alive by this handle.
pub struct Bdd {
    edge: Edge,
    slot: u32,
    roots: Arc<Mutex<Roots>>,
}

fn lock(roots: &Mutex<Roots>) -> MutexGuard<'_, Roots> {
    roots.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Bdd {
    /// Whether it is true everywhere.
    pub fn is_true(&self) -> bool {
        self.edge == TRUE
    }

    /// Whether it is false everywhere.
    pub fn is_false(&self) -> bool {
        self.edge == FALSE
    }

    /// Negated if `flip`.
    #[must_use]
    pub fn negated_if(&self, flip: bool) -> Bdd {
        let mut bdd = self.clone();
        bdd.edge ^= u32::from(flip);
        bdd
    }
}

impl Clone for Bdd {
    fn clone(&self) -> Self {
        lock(&self.roots).share(self.slot);
        Self { edge: self.edge, slot: self.slot, roots: Arc::clone(&self.roots) }
    }
}

impl Drop for Bdd {
    fn drop(&mut self) {
        lock(&self.roots).release(self.slot);
    }
}

impl PartialEq for Bdd {
    fn eq(&self, other: &Self) -> bool {
        self.edge == other.edge
    }
}

impl Eq for Bdd {}

impl std::fmt::Debug for Bdd {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}{}", if self.edge & 1 == 1 { "!" } else { "" }, self.edge >> 1)
    }
}

impl std::ops::Not for &Bdd {
    type Output = Bdd;

    fn not(self) -> Bdd {
        self.negated_if(true)
    }
}

/// Functions in place of variables, all at once; see [`Store::substitution`].
#[derive(Debug)]
pub struct Substitution {
    number: u32,
    by: Vec<(u32, Bdd)>,
}

/// Nodes, variables and their order.
pub struct Store {
    table: Table,
    substitutions: u32,
}

impl Store {
    /// A store without variables.
    pub fn new(policy: Policy) -> Self {
        Self { table: Table::new(policy), substitutions: 0 }
    }

    /// A new variable, below all others in the order. Variables are numbered from 0.
    pub fn variable(&mut self) -> u32 {
        self.table.new_variable() - 1
    }

    /// A new variable, above another and those that are grouped with it.
    pub fn variable_above(&mut self, variable: u32) -> u32 {
        self.table.new_variable_above(variable + 1) - 1
    }

    /// How many variables there are.
    pub fn variables(&self) -> usize {
        self.table.var_at.len()
    }

    /// Variables that are neighbours in the order and stay so when it changes.
    pub fn group(&mut self, variables: &[u32]) {
        let Some(first) = variables.iter().min() else { return };
        for var in variables {
            self.table.group_of[*var as usize + 1] = first + 1;
        }
    }

    /// The variables in their order.
    pub fn order(&self) -> Vec<u32> {
        self.table.var_at.iter().map(|var| var - 1).collect()
    }

    fn handle(&self, edge: Edge) -> Bdd {
        let slot = lock(&self.table.roots).add(edge);
        Bdd { edge, slot, roots: Arc::clone(&self.table.roots) }
    }

    /// True or false.
    pub fn constant(&self, value: bool) -> Bdd {
        self.handle(if value { TRUE } else { FALSE })
    }

    /// A variable or its negation.
    pub fn literal(&mut self, variable: u32, value: bool) -> Bdd {
        let edge = self.table.literal(variable + 1) ^ u32::from(!value);
        self.handle(edge)
    }

    /// Runs an operation; in another order again, if it asks for that.
    fn run(
        &mut self,
        budget: &mut Budget,
        mut operation: impl FnMut(&mut Table, &mut Budget) -> Result<Edge, Stop>,
    ) -> Result<Bdd, Exhausted> {
        // an operation that asks again has intermediate results that no order makes small: it needs
        // more room
        let mut least = 0;
        loop {
            let done = operation(&mut self.table, budget);
            self.table.stack.clear();
            match done {
                Ok(edge) => return Ok(self.handle(edge)),
                Err(Stop::Exhausted(why)) => return Err(why),
                Err(Stop::Reorder) => {
                    let room = 2 * self.table.sift_at;
                    self.table.sift(budget)?;
                    self.table.sift_at = self.table.sift_at.max(least);
                    least = room;
                }
            }
        }
    }

    /// Both hold.
    pub fn and(&mut self, f: &Bdd, g: &Bdd, budget: &mut Budget) -> Result<Bdd, Exhausted> {
        self.run(budget, |table, budget| table.and(f.edge, g.edge, budget))
    }

    /// One of them holds.
    pub fn or(&mut self, f: &Bdd, g: &Bdd, budget: &mut Budget) -> Result<Bdd, Exhausted> {
        self.run(budget, |table, budget| table.or(f.edge, g.edge, budget))
    }

    /// They differ.
    pub fn xor(&mut self, f: &Bdd, g: &Bdd, budget: &mut Budget) -> Result<Bdd, Exhausted> {
        self.run(budget, |table, budget| table.xor(f.edge, g.edge, budget))
    }

    /// The second where the first holds, else the third.
    pub fn ite(&mut self, f: &Bdd, g: &Bdd, h: &Bdd, budget: &mut Budget) -> Result<Bdd, Exhausted> {
        self.run(budget, |table, budget| table.ite(f.edge, g.edge, h.edge, budget))
    }

    /// Whether some values of the variables of a [cube](Store::cube) make it true.
    pub fn exists(&mut self, f: &Bdd, cube: &Bdd, budget: &mut Budget) -> Result<Bdd, Exhausted> {
        self.run(budget, |table, budget| table.exists(f.edge, cube.edge, budget))
    }

    /// Whether some values of the variables of a cube make both true: the relational product.
    pub fn and_exists(
        &mut self,
        f: &Bdd,
        g: &Bdd,
        cube: &Bdd,
        budget: &mut Budget,
    ) -> Result<Bdd, Exhausted> {
        self.run(budget, |table, budget| table.and_exists(f.edge, g.edge, cube.edge, budget))
    }

    /// A function that agrees with `f` where `care` holds; its variables are among those of `f`,
    /// and it is often smaller. False if nothing is cared for.
    pub fn restrict(&mut self, f: &Bdd, care: &Bdd, budget: &mut Budget) -> Result<Bdd, Exhausted> {
        self.simplify(Op::Restrict, f, care, budget)
    }

    /// A function that agrees with `f` where `care` holds; the cofactor, if `care` is a cube. False
    /// if nothing is cared for.
    pub fn constrain(&mut self, f: &Bdd, care: &Bdd, budget: &mut Budget) -> Result<Bdd, Exhausted> {
        self.simplify(Op::Constrain, f, care, budget)
    }

    fn simplify(&mut self, op: Op, f: &Bdd, care: &Bdd, budget: &mut Budget) -> Result<Bdd, Exhausted> {
        if care.is_false() {
            return Ok(self.constant(false));
        }
        self.run(budget, |table, budget| table.simplify(op, f.edge, care.edge, budget))
    }

    /// The functions that replace variables; made once, it can be used often.
    pub fn substitution(&mut self, by: impl IntoIterator<Item = (u32, Bdd)>) -> Substitution {
        self.substitutions += 1;
        Substitution { number: self.substitutions, by: by.into_iter().collect() }
    }

    /// A function with others in place of variables.
    pub fn substitute(
        &mut self,
        f: &Bdd,
        substitution: &Substitution,
        budget: &mut Budget,
    ) -> Result<Bdd, Exhausted> {
        self.run(budget, |table, budget| {
            let mut replaced = std::mem::take(&mut table.replaced);
            replaced.clear();
            replaced.resize(table.subtables.len(), NONE);
            let mut lowest = 0;
            for (var, by) in &substitution.by {
                replaced[*var as usize + 1] = by.edge;
                lowest = lowest.max(table.level_of[*var as usize + 1]);
            }
            table.replaced = replaced;
            if substitution.by.is_empty() {
                return Ok(f.edge);
            }
            table.substitute(f.edge, substitution.number, lowest, budget)
        })
    }

    /// The conjunction of literals of distinct variables.
    pub fn cube(
        &mut self,
        literals: impl IntoIterator<Item = (u32, bool)>,
        budget: &mut Budget,
    ) -> Result<Bdd, Exhausted> {
        let mut literals: Vec<(u32, bool)> = literals.into_iter().collect();
        self.run(budget, |table, budget| {
            literals.sort_unstable_by_key(|&(var, _)| table.level_of[var as usize + 1]);
            let mut cube = TRUE;
            for &(var, value) in literals.iter().rev() {
                budget.spend(1)?;
                let (high, low) = if value { (cube, FALSE) } else { (FALSE, cube) };
                cube = table.node(var + 1, high, low, budget)?;
            }
            Ok(cube)
        })
    }

    /// The variables that functions depend on, in the order of variables.
    pub fn support<'f>(&self, functions: impl IntoIterator<Item = &'f Bdd>) -> Vec<u32> {
        let vars = self.table.support(functions.into_iter().map(|f| f.edge));
        vars.into_iter().map(|var| var - 1).collect()
    }

    /// The number of nodes of functions, shared ones counted once.
    pub fn size<'f>(&self, functions: impl IntoIterator<Item = &'f Bdd>) -> usize {
        self.table.size(functions.into_iter().map(|f| f.edge))
    }

    /// The binary logarithm of the number of valuations of this many variables that satisfy a
    /// function of them; negative infinity if there is none.
    pub fn log2_count(&self, f: &Bdd, variables: usize) -> f64 {
        self.table.log2_density(f.edge) + variables as f64
    }

    /// A valuation that satisfies it, for the variables it needs.
    pub fn pick(&self, f: &Bdd) -> Option<Vec<(u32, bool)>> {
        let values = self.table.pick(f.edge)?;
        Some(values.into_iter().map(|(var, value)| (var - 1, value)).collect())
    }

    /// Its value under a valuation of the variables.
    pub fn evaluate(&self, f: &Bdd, value: impl Fn(u32) -> bool) -> bool {
        self.table.evaluate(f.edge, |var| value(var - 1))
    }

    /// Collects garbage now.
    pub fn collect(&mut self) {
        self.table.collect([TRUE, TRUE]);
    }

    /// Sifts the variables now.
    pub fn sift(&mut self, budget: &mut Budget) -> Result<(), Exhausted> {
        self.table.sift(budget)
    }

    /// Sifts from now on when this many nodes are live, or never.
    pub fn sift_at(&mut self, nodes: Option<usize>) {
        self.table.policy.sift_at = nodes;
        self.table.sift_at = nodes.unwrap_or(usize::MAX);
    }

    /// How many nodes there are, garbage included.
    pub fn nodes(&self) -> usize {
        self.table.used
    }

    /// The bytes it holds, about.
    pub fn bytes(&self) -> usize {
        self.table.bytes()
    }

    /// Figures of its work, with their names.
    pub fn counters(&self) -> [(&'static str, u64); 3] {
        [
            ("peak nodes", self.table.peak.max(self.table.used) as u64),
            ("collections", self.table.collections),
            ("siftings", self.table.siftings),
        ]
    }
}
