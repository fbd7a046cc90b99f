//! And-inverter graphs: Boolean functions as two-input gates with inverters on their edges.
//!
//! Gates are shared (no two gates have the same operands) and constants are folded, so that equal
//! literals mean equal functions; the converse need not hold. A gate comes after its operands:
//! every pass over a graph is a loop over its nodes.

use crate::lit::{Lit, Var};
use rustc_hash::FxHashMap;

/// A node of an [`Aig`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Gate {
    /// The constant false, the first node of every graph.
    False,
    /// A free variable.
    Variable,
    /// Both literals hold.
    And(Lit, Lit),
}

/// An and-inverter graph.
///
/// ```
/// use loris_circuit::Aig;
/// let mut aig = Aig::new();
/// let (a, b) = (aig.variable(), aig.variable());
/// let differ = aig.xor(a, b);
/// assert_eq!(aig.xor(b, a), differ);
/// assert_eq!(aig.and(a, !a), loris_circuit::Lit::FALSE);
/// ```
#[derive(Clone, Debug)]
pub struct Aig {
    gates: Vec<Gate>,
    known: FxHashMap<(Lit, Lit), Var>,
}

impl Default for Aig {
    fn default() -> Self {
        Self::new()
    }
}

impl Aig {
    /// A graph with no node but the constant.
    pub fn new() -> Self {
        Self { gates: vec![Gate::False], known: FxHashMap::default() }
    }

    /// The number of nodes, the constant included.
    pub fn len(&self) -> usize {
        self.gates.len()
    }

    /// Whether there is no node but the constant.
    pub fn is_empty(&self) -> bool {
        self.gates.len() == 1
    }

    /// The number of gates with two inputs.
    pub fn ands(&self) -> usize {
        self.known.len()
    }

    /// A node.
    pub fn gate(&self, var: Var) -> Gate {
        self.gates[var.index()]
    }

    /// All nodes, operands first.
    pub fn gates(&self) -> impl DoubleEndedIterator<Item = (Var, Gate)> + '_ {
        self.gates.iter().enumerate().map(|(at, &gate)| (Var(at as u32), gate))
    }

    /// The bytes it holds.
    pub fn bytes(&self) -> usize {
        self.gates.capacity() * size_of::<Gate>() + self.known.capacity() * 16
    }

    /// A fresh variable.
    pub fn variable(&mut self) -> Lit {
        self.push(Gate::Variable).lit()
    }

    fn push(&mut self, gate: Gate) -> Var {
        let var = Var(self.gates.len() as u32);
        self.gates.push(gate);
        var
    }

    /// Both hold.
    pub fn and(&mut self, a: Lit, b: Lit) -> Lit {
        let (a, b) = if a <= b { (a, b) } else { (b, a) };
        if a == Lit::FALSE || a == !b {
            return Lit::FALSE;
        }
        if a == Lit::TRUE || a == b {
            return b;
        }
        if let Some(&known) = self.known.get(&(a, b)) {
            return known.lit();
        }
        let var = self.push(Gate::And(a, b));
        self.known.insert((a, b), var);
        var.lit()
    }

    /// One of them holds.
    pub fn or(&mut self, a: Lit, b: Lit) -> Lit {
        !self.and(!a, !b)
    }

    /// They differ.
    pub fn xor(&mut self, a: Lit, b: Lit) -> Lit {
        let only_a = self.and(a, !b);
        let only_b = self.and(!a, b);
        self.or(only_a, only_b)
    }

    /// They agree.
    pub fn equal(&mut self, a: Lit, b: Lit) -> Lit {
        !self.xor(a, b)
    }

    /// If the first holds, so does the second.
    pub fn implies(&mut self, a: Lit, b: Lit) -> Lit {
        !self.and(a, !b)
    }

    /// The second where the first holds, else the third.
    pub fn choose(&mut self, condition: Lit, then: Lit, otherwise: Lit) -> Lit {
        if then == otherwise {
            return then;
        }
        let yes = self.and(condition, then);
        let no = self.and(!condition, otherwise);
        self.or(yes, no)
    }

    /// All hold: a balanced tree, so that the depth stays logarithmic.
    pub fn all(&mut self, literals: impl IntoIterator<Item = Lit>) -> Lit {
        let mut layer: Vec<Lit> = literals.into_iter().collect();
        while layer.len() > 1 {
            layer =
                layer.chunks(2).map(|pair| pair[1..].iter().fold(pair[0], |a, &b| self.and(a, b))).collect();
        }
        layer.first().copied().unwrap_or(Lit::TRUE)
    }

    /// One of them holds, as a balanced tree.
    pub fn any(&mut self, literals: impl IntoIterator<Item = Lit>) -> Lit {
        !self.all(literals.into_iter().map(|lit| !lit).collect::<Vec<_>>())
    }

    /// The nodes that the literals depend on, themselves included; linear in the graph.
    pub fn cone(&self, roots: impl IntoIterator<Item = Lit>) -> Vec<bool> {
        let mut within = vec![false; self.gates.len()];
        for root in roots {
            within[root.var().index()] = true;
        }
        for at in (0..self.gates.len()).rev() {
            if let (true, Gate::And(a, b)) = (within[at], self.gates[at]) {
                within[a.var().index()] = true;
                within[b.var().index()] = true;
            }
        }
        within
    }

    /// Values of all nodes from those of the variables, 64 valuations at a time.
    pub fn simulate(&self, mut variable: impl FnMut(Var) -> u64) -> Vec<u64> {
        let mut values = Vec::with_capacity(self.gates.len());
        for (var, gate) in self.gates() {
            let value = match gate {
                Gate::False => 0,
                Gate::Variable => variable(var),
                Gate::And(a, b) => Self::value(&values, a) & Self::value(&values, b),
            };
            values.push(value);
        }
        values
    }

    /// The value of a literal in a [simulation](Aig::simulate).
    pub fn value(values: &[u64], lit: Lit) -> u64 {
        values[lit.var().index()] ^ (u64::from(lit.is_negated())).wrapping_neg()
    }

    /// Copies the nodes `within` of another graph into this one; `variable` gives the images of its
    /// variables. Returns the image of every node, `None` for those not asked for.
    pub fn copy(
        &mut self,
        of: &Aig,
        within: &[bool],
        mut variable: impl FnMut(&mut Aig, Var) -> Lit,
    ) -> Vec<Option<Lit>> {
        let mut image: Vec<Option<Lit>> = vec![None; of.len()];
        for (var, gate) in of.gates() {
            if !within[var.index()] {
                continue;
            }
            let to = |lit: Lit, image: &[Option<Lit>]| {
                image[lit.var().index()]
                    .expect("operands are in the cone, and come first")
                    .negated_if(lit.is_negated())
            };
            image[var.index()] = Some(match gate {
                Gate::False => Lit::FALSE,
                Gate::Variable => variable(self, var),
                Gate::And(a, b) => {
                    let (a, b) = (to(a, &image), to(b, &image));
                    self.and(a, b)
                }
            });
        }
        image
    }

    /// A literal with other functions in place of its variables, for all `roots` at once. Linear in
    /// the graph.
    pub fn substitute(&mut self, roots: &[Lit], mut variable: impl FnMut(Var) -> Lit) -> Vec<Lit> {
        let within = self.cone(roots.iter().copied());
        let mut image = vec![Lit::FALSE; self.gates.len()];
        let to = |lit: Lit, image: &[Lit]| image[lit.var().index()].negated_if(lit.is_negated());
        for at in 0..image.len() {
            if !within[at] {
                continue;
            }
            image[at] = match self.gates[at] {
                Gate::False => Lit::FALSE,
                Gate::Variable => variable(Var(at as u32)),
                Gate::And(a, b) => self.and(to(a, &image), to(b, &image)),
            };
        }
        roots.iter().map(|&root| to(root, &image)).collect()
    }
}
