//! The formulas of all paths in one arena, so that equal claims have equal numbers, and what remains
//! of a formula at one state: a circuit over labels and claims.

use loris_base::{Idx, Names, Symbol, Truth};
use loris_logic::{Core, CoreNode, parse_printed};
use loris_rsm::{LabelId, Rsm};
use rustc_hash::{FxHashMap, FxHashSet};

/// The number of a subformula.
pub(crate) type FormulaNumber = u32;

/// Subformulas, each once, operands before operators; atoms are symbols of `names`.
#[derive(Default)]
pub(crate) struct Formulas<'e> {
    nodes: Vec<CoreNode>,
    numbers: FxHashMap<CoreNode, FormulaNumber>,
    names: Names,
    read: FxHashMap<&'e str, FormulaNumber>,
    /// for each node a text it occurs in, and where
    origins: Vec<(&'e str, u32)>,
}

/// Longer formulas are cut in messages.
const PRINTED: usize = 200;

/// A text that is short enough for a message.
pub(crate) fn shortened(text: &str, limit: usize) -> String {
    match text.char_indices().nth(limit) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}

fn read(text: &str) -> Result<Core, String> {
    parse_printed(text)
        .and_then(|formula| Core::new(&formula))
        .map_err(|problems| problems.sorted().first().map_or_else(String::new, |first| first.message.clone()))
}

impl<'e> Formulas<'e> {
    /// The number of a formula, or why it is none.
    pub(crate) fn read(&mut self, text: &'e str) -> Result<FormulaNumber, String> {
        if let Some(&number) = self.read.get(text) {
            return Ok(number);
        }
        let number = self.add(&read(text)?, text);
        self.read.insert(text, number);
        Ok(number)
    }

    /// The number of a formula, whose text is `text`.
    pub(crate) fn add(&mut self, ctl: &Core, text: &'e str) -> FormulaNumber {
        let mut places: Vec<FormulaNumber> = Vec::with_capacity(ctl.nodes().len());
        for (i, &node) in ctl.nodes().iter().enumerate() {
            let of = |child: u32| places[child as usize];
            let node = match node {
                CoreNode::True => CoreNode::True,
                CoreNode::Atom(atom) => {
                    CoreNode::Atom(self.names.intern(&ctl.atoms()[atom as usize]).index() as u32)
                }
                CoreNode::Not(a) => CoreNode::Not(of(a)),
                CoreNode::And(a, b) => CoreNode::And(of(a), of(b)),
                CoreNode::Or(a, b) => CoreNode::Or(of(a), of(b)),
                CoreNode::Ex(a) => CoreNode::Ex(of(a)),
                CoreNode::Eg(a) => CoreNode::Eg(of(a)),
                CoreNode::Eu(a, b) => CoreNode::Eu(of(a), of(b)),
            };
            let number = *self.numbers.entry(node).or_insert_with(|| {
                self.nodes.push(node);
                self.origins.push((text, i as u32));
                self.nodes.len() as u32 - 1
            });
            places.push(number);
        }
        places[ctl.root() as usize]
    }

    pub(crate) fn node(&self, formula: FormulaNumber) -> CoreNode {
        self.nodes[formula as usize]
    }

    /// A formula for a message.
    pub(crate) fn print(&self, formula: FormulaNumber) -> String {
        let (text, node) = self.origins[formula as usize];
        read(text).map_or_else(|_| text.to_owned(), |ctl| shortened(&ctl.print(node), PRINTED))
    }

    /// The circuit of a formula.
    pub(crate) fn circuit(&self, formula: FormulaNumber, rsm: &Rsm) -> Circuit {
        let mut seen = FxHashSet::default();
        let mut numbers = Vec::new();
        let mut work = vec![formula];
        while let Some(number) = work.pop() {
            if seen.insert(number) {
                numbers.push(number);
                if let CoreNode::And(a, b) | CoreNode::Or(a, b) = self.node(number) {
                    work.extend([a, b]);
                }
            }
        }
        numbers.sort_unstable();
        let place = |number: FormulaNumber| numbers.binary_search(&number).expect("operands were collected");
        let gates = numbers.iter().map(|&number| match self.node(number) {
            CoreNode::And(a, b) => Gate::And(place(a), place(b)),
            CoreNode::Or(a, b) => Gate::Or(place(a), place(b)),
            CoreNode::Not(a) => Gate::Leaf(self.leaf(a, rsm), false),
            _ => Gate::Leaf(self.leaf(number, rsm), true),
        });
        Circuit { gates: gates.collect() }
    }

    fn leaf(&self, number: FormulaNumber, rsm: &Rsm) -> Leaf {
        match self.node(number) {
            CoreNode::True => Leaf::True,
            CoreNode::Atom(atom) => Leaf::Label(rsm.label(&self.names[Symbol::new(atom as usize)])),
            _ => Leaf::Claim(number),
        }
    }
}

/// What a formula asks of one state.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Leaf {
    True,
    /// a label, or nothing for one that no node carries
    Label(Option<LabelId>),
    /// an existential claim
    Claim(FormulaNumber),
}

enum Gate {
    And(usize, usize),
    Or(usize, usize),
    /// a leaf, or its negation if false
    Leaf(Leaf, bool),
}

/// The boolean part of a formula, operands first, the output last. A value is true if it is shown,
/// unknown if it is to be trusted.
pub(crate) struct Circuit {
    gates: Vec<Gate>,
}

impl Circuit {
    /// The values of all gates, given those of the leaves and of their negations.
    pub(crate) fn values(&self, leaf: impl Fn(Leaf, bool) -> Truth) -> Vec<Truth> {
        let mut values: Vec<Truth> = Vec::with_capacity(self.gates.len());
        for gate in &self.gates {
            values.push(match *gate {
                Gate::And(a, b) => values[a].min(values[b]),
                Gate::Or(a, b) => values[a].max(values[b]),
                Gate::Leaf(of, positive) => leaf(of, positive),
            });
        }
        values
    }

    /// Whether some leaf that is shown has a part in making the output true or unknown.
    pub(crate) fn is_grounded(&self, values: &[Truth]) -> bool {
        let mut grounded: Vec<bool> = Vec::with_capacity(self.gates.len());
        for (gate, &value) in self.gates.iter().zip(values) {
            grounded.push(match *gate {
                Gate::Leaf(..) => value == Truth::True,
                Gate::And(a, b) | Gate::Or(a, b) => value != Truth::False && (grounded[a] || grounded[b]),
            });
        }
        grounded.last() == Some(&true)
    }

    /// The leaves that make the output what it is: for each disjunction with that value one operand
    /// with it, for each conjunction the operands with it; the other way round if it is false.
    pub(crate) fn reasons(&self, values: &[Truth]) -> Vec<(Leaf, bool)> {
        let output = self.gates.len() - 1;
        let mut wanted = vec![false; self.gates.len()];
        wanted[output] = true;
        let mut leaves = Vec::new();
        for (i, gate) in self.gates.iter().enumerate().rev().filter(|&(i, _)| values[i] == values[output]) {
            match *gate {
                Gate::Leaf(leaf, positive) if wanted[i] => leaves.push((leaf, positive)),
                Gate::And(a, b) | Gate::Or(a, b) if wanted[i] => {
                    let (a_counts, b_counts) = (values[a] == values[i], values[b] == values[i]);
                    let one = matches!(gate, Gate::Or(..)) != (values[i] == Truth::False);
                    wanted[a] |= a_counts;
                    wanted[b] |= b_counts && !(one && a_counts);
                }
                _ => {}
            }
        }
        leaves
    }
}
