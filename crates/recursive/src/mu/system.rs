//! The equations that the initial states need, one for each pair of a vertex and an expression.
//!
//! | vertex | `<>f` or `[]f` there is |
//! |---|---|
//! | inner | `f` at some, or at all successors |
//! | exit | a variable |
//! | call port | the function of the callee's entry, composed with those of the return ports |
//!
//! Exploration goes forward from the initial nodes. Labels are evaluated on the way, so that what
//! they decide is not explored. Which variables the function of an entry depends on is not known
//! yet; a call gets the return ports of all exits that were met in its callee with a subformula
//! that can come after its own.
//!
//! Invariant: what is queued or done has a number, and every call knows the return ports of all
//! exits met so far. O(equations + their operands).

use super::ahead;
use super::expansion::{Expansion, Expr, FALSE, TRUE};
use super::graph::{Graph, Place};
use loris_base::{Budget, Csr, Exhausted, Idx};
use loris_rsm::BoxId;
use rustc_hash::FxHashMap;

/// An equation.
#[derive(Clone, Copy, Debug)]
pub(super) enum Equation {
    /// the conjunction or disjunction of a row of [`System::operands`]
    Join { and: bool },
    /// a variable
    Variable(u32),
    /// a call, by its number
    Call(u32),
}

/// A call of a component from a box, or the first one from nowhere.
pub(super) struct Call {
    site: Option<BoxId>,
    /// the modality there; none for the first call
    modality: Option<u32>,
    pub(super) entry: u32,
    /// for each variable of the callee its equation in the caller, sorted
    pub(super) returns: Vec<(u32, u32)>,
}

/// All equations; the first two are false and true.
pub(super) struct System {
    pub(super) expansion: Expansion,
    pub(super) equations: Vec<Equation>,
    /// per equation, the leaf that it is for, or `NEUTRAL`
    pub(super) leaf: Vec<u32>,
    /// per equation, all that it depends on
    pub(super) operands: Csr,
    pub(super) calls: Vec<Call>,
    /// per initial node
    pub(super) initial: Vec<u32>,
    /// of vertices and expressions without labels
    numbers: FxHashMap<(u32, u32), u32>,
}

/// The leaf of equations for combinations: they have no priority.
pub(super) const NEUTRAL: u32 = u32::MAX;

impl System {
    /// The leaf of a variable.
    pub(super) fn leaf_of(&self, variable: u32) -> u32 {
        variable % self.expansion.leaves.len() as u32
    }

    /// The equation of a leaf at a vertex, if it was needed.
    pub(super) fn of_leaf(&self, vertex: u32, leaf: u32) -> Option<u32> {
        self.numbers.get(&(vertex, self.expansion.known_leaf(leaf)?)).copied()
    }

    /// The same variable with a leaf of another rank.
    pub(super) fn with_leaf(&self, variable: u32, leaf: u32) -> u32 {
        variable - self.leaf_of(variable) + leaf
    }
}

/// Finds all equations that the initial nodes need.
pub(super) fn explore(
    graph: &Graph<'_>,
    expansion: Expansion,
    budget: &mut Budget,
) -> Result<System, Exhausted> {
    let rsm = graph.rsm();
    let components = rsm.component_count();
    budget.charge(48 * components + 24 * graph.label_sets())?;
    let mut explorer = Explorer {
        graph,
        expansion,
        tables: vec![Vec::new(); graph.label_sets()],
        numbers: FxHashMap::default(),
        pairs: Vec::new(),
        equations: Vec::new(),
        operands: Csr::default(),
        calls: Vec::new(),
        calls_of: vec![Vec::new(); components],
        exits_of: vec![Vec::new(); components],
        queue: Vec::new(),
        held: 0,
        extra: 0,
    };
    // the numbers of the constants are those of the constant expressions
    for and in [false, true] {
        explorer.pairs.push((u32::MAX, FALSE));
        explorer.equations.push(Equation::Join { and });
    }
    let mut initial = Vec::new();
    for &node in rsm.initial() {
        let node = node.index() as u32;
        let root = explorer.expansion.root;
        let start = explorer.at(node, root, budget)?;
        let number = explorer.equations.len() as u32;
        explorer.pairs.push((u32::MAX, FALSE));
        explorer.equations.push(Equation::Call(explorer.calls.len() as u32));
        explorer.calls_of[rsm.initial_component().index()].push(explorer.calls.len() as u32);
        explorer.calls.push(Call { site: None, modality: None, entry: start, returns: Vec::new() });
        initial.push(number);
    }
    explorer.run(budget)?;
    explorer.finish(initial, budget)
}

struct Explorer<'g> {
    graph: &'g Graph<'g>,
    expansion: Expansion,
    /// per set of labels, all expressions without labels; empty until it is met
    tables: Vec<Vec<u32>>,
    /// of vertices and expressions, which have no labels in them
    numbers: FxHashMap<(u32, u32), u32>,
    pairs: Vec<(u32, u32)>,
    equations: Vec<Equation>,
    /// per equation, what it joins
    operands: Csr,
    calls: Vec<Call>,
    /// per component, its calls, and the exits that were met in it with their leaves
    calls_of: Vec<Vec<u32>>,
    exits_of: Vec<Vec<(u32, u32)>>,
    /// equations of joins whose operands are not known yet
    queue: Vec<u32>,
    held: usize,
    /// bytes of lists of calls, exits and tables
    extra: usize,
}

impl Explorer<'_> {
    /// The equation of an expression at a vertex.
    fn at(&mut self, vertex: u32, expr: u32, budget: &mut Budget) -> Result<u32, Exhausted> {
        let set = self.graph.labels(vertex) as usize;
        if self.tables[set].is_empty() {
            let atoms = self.graph.atoms(set as u32);
            budget.spend(self.expansion.table_len() + atoms.len())?;
            budget.charge(4 * self.expansion.table_len())?;
            let mut sorted = atoms;
            sorted.sort_unstable();
            self.tables[set] = self.expansion.simplified(|atom| sorted.binary_search(&atom).is_ok());
        }
        let simple = self.tables[set][expr as usize];
        self.number(vertex, simple, budget)
    }

    /// The equation of an expression without labels.
    fn number(&mut self, vertex: u32, expr: u32, budget: &mut Budget) -> Result<u32, Exhausted> {
        if expr == FALSE || expr == TRUE {
            return Ok(expr);
        }
        if let Some(&known) = self.numbers.get(&(vertex, expr)) {
            return Ok(known);
        }
        let bytes = 32 * ahead(self.numbers.len(), self.numbers.capacity())
            + 32 * ahead(self.pairs.len(), self.pairs.capacity())
            + self.operands.bytes_ahead(1, 0)
            + self.expansion.bytes()
            + self.extra;
        budget.grow(&mut self.held, bytes + 64)?;
        let number = u32::try_from(self.equations.len()).map_err(|_| Exhausted::Memory)?;
        self.numbers.insert((vertex, expr), number);
        self.pairs.push((vertex, expr));
        self.equations.push(Equation::Join { and: false });
        self.queue.push(number);
        Ok(number)
    }

    fn run(&mut self, budget: &mut Budget) -> Result<(), Exhausted> {
        let mut joined: Vec<(u32, u32)> = Vec::new();
        while let Some(number) = self.queue.pop() {
            budget.spend(1)?;
            let (vertex, expr) = self.pairs[number as usize];
            match self.expansion.expr(expr) {
                Expr::Leaf(leaf) => self.modality(number, vertex, leaf, &mut joined, budget)?,
                Expr::And(..) => self.combination(number, vertex, expr, true, &mut joined, budget)?,
                _ => self.combination(number, vertex, expr, false, &mut joined, budget)?,
            }
            budget.grow(&mut self.held, self.extra + 8 * joined.capacity())?;
        }
        let count = self.equations.len();
        for call in &mut self.calls {
            budget.spend(call.returns.len() + 1)?;
            call.returns.sort_unstable();
            call.returns.dedup();
        }
        let calls = self.equations.iter().enumerate().filter_map(|(number, equation)| match equation {
            Equation::Call(call) => Some((number as u32, &self.calls[*call as usize])),
            _ => None,
        });
        let of_calls = calls.flat_map(|(number, call)| {
            let returns = call.returns.iter().map(|&(_, equation)| equation);
            returns.chain([call.entry]).map(move |operand| (number, operand))
        });
        self.operands = Csr::from_pairs_within(count, joined.iter().copied().chain(of_calls), budget)?;
        Ok(())
    }

    /// `f & g & …` or `f | g | …` at a vertex.
    fn combination(
        &mut self,
        number: u32,
        vertex: u32,
        expr: u32,
        and: bool,
        operands: &mut Vec<(u32, u32)>,
        budget: &mut Budget,
    ) -> Result<(), Exhausted> {
        self.equations[number as usize] = Equation::Join { and };
        let mut stack = vec![expr];
        while let Some(expr) = stack.pop() {
            budget.spend(1)?;
            match (self.expansion.expr(expr), and) {
                (Expr::And(f, g), true) | (Expr::Or(f, g), false) => stack.extend([g, f]),
                _ => operands.push((number, self.number(vertex, expr, budget)?)),
            }
        }
        Ok(())
    }

    fn modality(
        &mut self,
        number: u32,
        vertex: u32,
        leaf: u32,
        operands: &mut Vec<(u32, u32)>,
        budget: &mut Budget,
    ) -> Result<(), Exhausted> {
        let leaves = self.expansion.leaves.len() as u32;
        let of = self.expansion.leaves[leaf as usize].modality;
        let modality = self.expansion.modalities[of as usize];
        match self.graph.place(vertex) {
            Place::Inner => {
                self.equations[number as usize] = Equation::Join { and: !modality.some };
                let decisive = u32::from(modality.some);
                let graph = self.graph;
                let start = operands.len();
                for successor in graph.successors(vertex) {
                    budget.spend(1)?;
                    let operand = self.at(successor, modality.operand, budget)?;
                    if operand == decisive {
                        operands.truncate(start);
                        self.equations[number as usize] = Equation::Join { and: modality.some };
                        break;
                    }
                    if operand > TRUE {
                        operands.push((number, operand));
                    }
                }
            }
            Place::Exit(component, exit) => {
                let end = exit.checked_add(1).and_then(|exits| exits.checked_mul(leaves));
                let end = end.ok_or(Exhausted::Memory)?;
                self.equations[number as usize] = Equation::Variable(end - leaves + leaf);
                // larger priorities can be passed on the way here
                for leaf in leaf..modality.first_leaf + modality.ranks {
                    self.exits_of[component.index()].push((exit, leaf));
                    self.extra += 8;
                    for i in 0..self.calls_of[component.index()].len() {
                        let call = self.calls_of[component.index()][i];
                        self.returns(call, exit, leaf, budget)?;
                    }
                }
            }
            Place::Call(site, entry) => {
                let entry = {
                    let lowest = self.expansion.leaf(modality.first_leaf);
                    self.number(entry, lowest, budget)?
                };
                let call = self.calls.len() as u32;
                self.equations[number as usize] = Equation::Call(call);
                self.calls.push(Call { site: Some(site), modality: Some(of), entry, returns: Vec::new() });
                self.extra += 2 * size_of::<Call>() + 8;
                let callee = self.graph.rsm().callee(site).index();
                self.calls_of[callee].push(call);
                for i in 0..self.exits_of[callee].len() {
                    let (exit, leaf) = self.exits_of[callee][i];
                    self.returns(call, exit, leaf, budget)?;
                }
            }
        }
        Ok(())
    }

    /// Lets a call return through an exit.
    fn returns(&mut self, call: u32, exit: u32, leaf: u32, budget: &mut Budget) -> Result<(), Exhausted> {
        budget.spend(1)?;
        let leaves = self.expansion.leaves.len() as u32;
        let to = self.expansion.leaves[leaf as usize].modality;
        let Call { site, modality, .. } = self.calls[call as usize];
        if modality.is_some_and(|from| !self.expansion.follows(from, to)) {
            return Ok(());
        }
        let port = match site {
            Some(site) => self.graph.return_port(site, exit),
            None => Some(self.graph.last_exit(exit)),
        };
        let back = match port {
            Some(port) => {
                let expr = self.expansion.leaf(leaf);
                self.number(port, expr, budget)?
            }
            // no step leads on
            None => u32::from(!self.expansion.modalities[to as usize].some),
        };
        self.extra += 16;
        self.calls[call as usize].returns.push((exit * leaves + leaf, back));
        Ok(())
    }

    fn finish(self, initial: Vec<u32>, budget: &mut Budget) -> Result<System, Exhausted> {
        budget.charge(4 * self.pairs.len())?;
        let leaf = self.pairs.iter().map(|&(vertex, expr)| match self.expansion.expr(expr) {
            Expr::Leaf(leaf) if vertex != u32::MAX => leaf,
            _ => NEUTRAL,
        });
        Ok(System {
            leaf: leaf.collect(),
            expansion: self.expansion,
            equations: self.equations,
            operands: self.operands,
            calls: self.calls,
            initial,
            numbers: self.numbers,
        })
    }
}
