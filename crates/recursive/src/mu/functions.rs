//! Monotone Boolean functions as shared, ordered, reduced decision diagrams.
//!
//! A function is a number; equal functions have equal numbers. Nodes are never dropped: a function
//! is made for few vertices and shared by many. Every node has a larger number than its children,
//! and its low child implies its high child, so that one variable is replaced by a function `g` as
//! `low | g & high`.

use super::ahead;
use loris_base::{Budget, Exhausted};
use rustc_hash::FxHashMap;

/// A function, by its number.
pub(super) type Function = u32;

pub(super) const FALSE: Function = 0;
pub(super) const TRUE: Function = 1;

#[derive(Clone, Copy, PartialEq, Eq, Hash)]
struct Node {
    variable: u32,
    low: Function,
    high: Function,
}

/// A step of [`Functions::join`].
enum Task {
    Join(Function, Function),
    /// make a node of the last two results
    Node {
        variable: u32,
        pair: (Function, Function, bool),
    },
}

/// All functions, in one diagram that they share.
pub(super) struct Functions {
    nodes: Vec<Node>,
    index: FxHashMap<Node, Function>,
    /// results of [`join`](Self::join)
    joined: FxHashMap<(Function, Function, bool), Function>,
    held: usize,
}

impl Functions {
    pub(super) fn new() -> Self {
        let constant = |value| Node { variable: u32::MAX, low: value, high: value };
        Self {
            nodes: vec![constant(FALSE), constant(TRUE)],
            index: FxHashMap::default(),
            joined: FxHashMap::default(),
            held: 0,
        }
    }

    /// How many nodes there are.
    pub(super) fn len(&self) -> usize {
        self.nodes.len()
    }

    /// The function that is a variable.
    pub(super) fn variable(&mut self, variable: u32, budget: &mut Budget) -> Result<Function, Exhausted> {
        self.node(variable, FALSE, TRUE, budget)
    }

    fn node(
        &mut self,
        variable: u32,
        low: Function,
        high: Function,
        budget: &mut Budget,
    ) -> Result<Function, Exhausted> {
        if low == high {
            return Ok(low);
        }
        let node = Node { variable, low, high };
        if let Some(&known) = self.index.get(&node) {
            return Ok(known);
        }
        // a table that grows is held twice for a while; so is a list
        let bytes = 24 * ahead(self.nodes.len(), self.nodes.capacity())
            + 40 * ahead(self.index.len(), self.index.capacity())
            + 32 * ahead(self.joined.len(), self.joined.capacity());
        budget.grow(&mut self.held, bytes + 256)?;
        let number = Function::try_from(self.nodes.len()).map_err(|_| Exhausted::Memory)?;
        self.nodes.push(node);
        self.index.insert(node, number);
        Ok(number)
    }

    /// The conjunction or the disjunction where it is obvious.
    fn obvious(and: bool, f: Function, g: Function) -> Option<Function> {
        let (neutral, zero) = if and { (TRUE, FALSE) } else { (FALSE, TRUE) };
        match (f, g) {
            _ if f == zero || g == zero => Some(zero),
            _ if f == neutral || f == g => Some(g),
            _ if g == neutral => Some(f),
            _ => None,
        }
    }

    /// The conjunction, or the disjunction. O(nodes of one times nodes of the other).
    pub(super) fn join(
        &mut self,
        and: bool,
        f: Function,
        g: Function,
        budget: &mut Budget,
    ) -> Result<Function, Exhausted> {
        if let Some(found) = Self::obvious(and, f, g) {
            return Ok(found);
        }
        let mut tasks = vec![Task::Join(f, g)];
        let mut found: Vec<Function> = Vec::new();
        while let Some(task) = tasks.pop() {
            budget.spend(1)?;
            match task {
                Task::Join(f, g) => {
                    let pair = (f.min(g), f.max(g), and);
                    let known = Self::obvious(and, f, g).or_else(|| self.joined.get(&pair).copied());
                    if let Some(known) = known {
                        found.push(known);
                        continue;
                    }
                    let (left, right) = (self.nodes[f as usize], self.nodes[g as usize]);
                    let variable = left.variable.min(right.variable);
                    let split = |function: Function, node: Node| {
                        if node.variable == variable { (node.low, node.high) } else { (function, function) }
                    };
                    let ((f_low, f_high), (g_low, g_high)) = (split(f, left), split(g, right));
                    tasks.push(Task::Node { variable, pair });
                    tasks.push(Task::Join(f_high, g_high));
                    tasks.push(Task::Join(f_low, g_low));
                }
                Task::Node { variable, pair } => {
                    let high = found.pop().expect("the high child");
                    let low = found.pop().expect("the low child");
                    let node = self.node(variable, low, high, budget)?;
                    self.joined.insert(pair, node);
                    found.push(node);
                }
            }
        }
        Ok(found.pop().expect("one result is left"))
    }

    /// Whether a function is true where the variables have these values.
    pub(super) fn is_true(&self, mut f: Function, mut holds: impl FnMut(u32) -> bool) -> bool {
        while f > TRUE {
            let Node { variable, low, high } = self.nodes[f as usize];
            f = if holds(variable) { high } else { low };
        }
        f == TRUE
    }

    /// Sets of variables that make a function true, of those that may be in them: the smallest, or
    /// about `most` of them.
    pub(super) fn implicants(
        &self,
        f: Function,
        mut may: impl FnMut(u32) -> bool,
        most: usize,
        budget: &mut Budget,
    ) -> Result<Vec<Vec<u32>>, Exhausted> {
        let mut results: FxHashMap<Function, Vec<Vec<u32>>> = FxHashMap::default();
        results.insert(FALSE, Vec::new());
        results.insert(TRUE, vec![Vec::new()]);
        let mut list = vec![f];
        let mut next = 0;
        while let Some(&function) = list.get(next) {
            next += 1;
            if function > TRUE && results.insert(function, Vec::new()).is_none() {
                let node = self.nodes[function as usize];
                list.extend([node.low, node.high]);
            }
        }
        // children have smaller numbers
        list.sort_unstable();
        list.dedup();
        for function in list.into_iter().filter(|&function| function > TRUE) {
            let Node { variable, low, high } = self.nodes[function as usize];
            let mut found = results[&low].clone();
            for with in results[&high].iter().filter(|_| may(variable)) {
                budget.spend(1 + results[&low].len())?;
                // variables come in ascending order
                let is_implied = |known: &Vec<u32>| known.iter().all(|one| with.binary_search(one).is_ok());
                if !results[&low].iter().any(is_implied) {
                    found.push(std::iter::once(variable).chain(with.iter().copied()).collect());
                }
            }
            found.sort_by_key(Vec::len);
            found.truncate(most);
            budget.note(found.iter().map(|set| 32 + 4 * set.len()).sum())?;
            results.insert(function, found);
        }
        Ok(results.remove(&f).unwrap_or_default())
    }

    /// The function with functions in place of its variables, all at once.
    pub(super) fn compose(
        &mut self,
        f: Function,
        mut by: impl FnMut(&mut Self, u32, &mut Budget) -> Result<Function, Exhausted>,
        budget: &mut Budget,
    ) -> Result<Function, Exhausted> {
        if f <= TRUE {
            return Ok(f);
        }
        let mut list = vec![f];
        let mut results: FxHashMap<Function, Function> = FxHashMap::default();
        let mut next = 0;
        while let Some(&function) = list.get(next) {
            next += 1;
            budget.spend(1)?;
            let node = self.nodes[function as usize];
            for child in [node.low, node.high] {
                if child > TRUE && results.insert(child, FALSE).is_none() {
                    list.push(child);
                }
            }
        }
        // children have smaller numbers
        list.sort_unstable();
        let of = |results: &FxHashMap<Function, Function>, child: Function| {
            if child <= TRUE { child } else { results[&child] }
        };
        let mut last = FALSE;
        for &function in &list {
            let Node { variable, low, high } = self.nodes[function as usize];
            let (low, high) = (of(&results, low), of(&results, high));
            let by = by(self, variable, budget)?;
            let upper = self.join(true, by, high, budget)?;
            last = self.join(false, low, upper, budget)?;
            results.insert(function, last);
        }
        Ok(last)
    }
}

#[cfg(test)]
mod tests {
    use super::{FALSE, Function, Functions, TRUE};
    use loris_base::{Budget, Rng};

    /// The value of a function where the variables have these bits.
    fn value(functions: &Functions, mut function: Function, bits: u32) -> bool {
        while function > TRUE {
            let node = functions.nodes[function as usize];
            function = if bits >> node.variable & 1 == 1 { node.high } else { node.low };
        }
        function == TRUE
    }

    #[test]
    fn agree_with_truth_tables() {
        let (mut rng, mut budget) = (Rng::new(3), Budget::unlimited());
        let mut functions = Functions::new();
        // functions of five variables with their tables
        let mut known: Vec<(Function, u32)> = vec![(FALSE, 0), (TRUE, u32::MAX)];
        for variable in 0..5 {
            let table =
                (0..32).filter(|bits| bits >> variable & 1 == 1).fold(0, |table, bits| table | 1 << bits);
            known.push((functions.variable(variable, &mut budget).expect("no limit"), table));
        }
        for _ in 0..3000 {
            let mut pick = || known[rng.below(known.len())];
            let ((f, f_table), (g, g_table)) = (pick(), pick());
            let by: Vec<(Function, u32)> = (0..5).map(|_| pick()).collect();
            let and = rng.below(2) == 0;
            let joined = functions.join(and, f, g, &mut budget).expect("no limit");
            known.push((joined, if and { f_table & g_table } else { f_table | g_table }));
            let composed = functions
                .compose(f, |_, variable, _| Ok(by[variable as usize].0), &mut budget)
                .expect("no limit");
            let table = (0..32).fold(0, |table, bits| {
                let inner = by.iter().enumerate().fold(0, |inner, (i, (_, t))| inner | (t >> bits & 1) << i);
                table | (f_table >> inner & 1) << bits
            });
            known.push((composed, table));
        }
        for &(function, table) in &known {
            for bits in 0..32 {
                assert_eq!(value(&functions, function, bits), table >> bits & 1 == 1);
            }
        }
        for &(function, table) in &known {
            let primes = functions.implicants(function, |_| true, 100, &mut budget).expect("no limit");
            let mut primes: Vec<u32> =
                primes.iter().map(|set| set.iter().fold(0, |bits, variable| bits | 1 << variable)).collect();
            // a few of them, and of some variables, make it true, too
            for set in functions.implicants(function, |one| one > 1, 2, &mut budget).expect("no limit") {
                assert!(functions.is_true(function, |one| set.contains(&one)) && !set.contains(&0));
            }
            primes.sort_unstable();
            let holds = |bits: u32| table >> bits & 1 == 1;
            let is_least = |bits: &u32| (0..5).all(|one| bits >> one & 1 == 0 || !holds(bits & !(1 << one)));
            let expected: Vec<u32> = (0..32).filter(|&bits| holds(bits)).filter(is_least).collect();
            assert_eq!(primes, expected);
        }
        // equal functions have equal numbers
        known.sort_unstable_by_key(|&(_, table)| table);
        assert!(known.windows(2).all(|pair| pair[0].1 != pair[1].1 || pair[0].0 == pair[1].0));
    }
}
