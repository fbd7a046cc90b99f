//! The subformulas that a context annotates (recursive-kripke, section 3.3.1), and their values
//! after the last exit (`ica`, section 3.3.3).
//!
//! A context θ of φ annotates subformulas of φ with their value where a run goes on after the exit.
//! The definition annotates them all. Needed are only the formulas that look past the exit: EG and
//! EU look at themselves there, EX ψ at ψ, be it boolean (E7); all else is evaluated where it
//! stands, so that also the context of a formula that is neither an EG nor an EU is known without
//! trying t and f for it (optimizations 2 and 3 of section 5.4). Annotations are computed one by
//! one, also those of negations: with several successors of a call, ∨ over ¬ψ is not ¬ of ∨ over ψ
//! (E7).

use loris_base::{BitRows, Budget, Exhausted, Idx, has_bit, set_bit};
use loris_evidence::AtExit;
use loris_logic::{CoreId, CoreNode, CtlCore};
use loris_recursive::CtlProperty;
use loris_recursive::building_blocks::LastExit;
use loris_rsm::Rsm;

/// The subformulas that contexts annotate.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Annotations {
    /// Those that are needed: EG, EU, and operands of EX.
    #[default]
    Needed,
    /// All subformulas but ⊤, as the thesis defines contexts; for its tables.
    All,
}

/// The annotated subformulas of every subformula, as sets of bits. A context is a set of bits, too:
/// of the annotated formulas that hold.
pub(super) struct Annotated {
    /// per node of the formula, its bit
    bits: Vec<Option<u32>>,
    /// per bit, its node
    nodes: Vec<CoreId>,
    /// per node of the formula, the set of formulas that its contexts annotate, but for itself
    below: BitRows,
    has_top: Vec<bool>,
}

impl Annotated {
    pub(super) fn new(formula: &CtlCore, which: Annotations, budget: &mut Budget) -> Result<Self, Exhausted> {
        let count = formula.nodes().len();
        let mut has_top = vec![false; count];
        let mut is_annotated = vec![false; count];
        for (i, &node) in formula.nodes().iter().enumerate() {
            has_top[i] = match which {
                Annotations::Needed => matches!(node, CoreNode::Eg(_) | CoreNode::Eu(..)),
                Annotations::All => node != CoreNode::True,
            };
            is_annotated[i] |= has_top[i];
            if let CoreNode::Ex(psi) = node {
                is_annotated[psi.index()] |= formula.node(psi) != CoreNode::True;
            }
        }
        let nodes: Vec<CoreId> = formula.ids().filter(|&node| is_annotated[node.index()]).collect();
        let mut bits = vec![None; count];
        for (bit, &node) in (0..).zip(&nodes) {
            bits[node.index()] = Some(bit);
        }
        let below = BitRows::new(count, nodes.len());
        budget.charge(count * (8 * below.words() + 16))?;
        let mut this = Self { bits, nodes, below, has_top };
        for (i, &node) in formula.ids().zip(formula.nodes()) {
            for child in formula.children(i) {
                this.below.unite(i.index(), child.index());
                if this.has_top[child.index()] || matches!(node, CoreNode::Ex(_)) {
                    this.add(i, child);
                }
            }
        }
        Ok(this)
    }

    fn add(&mut self, node: CoreId, child: CoreId) {
        if let Some(bit) = self.bits[child.index()] {
            self.below.insert(node.index(), bit as usize);
        }
    }

    /// How many words a context takes.
    pub(super) fn words(&self) -> usize {
        self.below.words()
    }

    /// Whether a formula's own contexts annotate it.
    pub(super) fn has_top(&self, node: CoreId) -> bool {
        self.has_top[node.index()]
    }

    /// The subformulas that contexts of a formula annotate, without the formula itself.
    pub(super) fn below(&self, node: CoreId) -> &[u64] {
        self.below.row(node.index())
    }

    /// The formulas of a set, operands first.
    pub(super) fn members<'a>(&'a self, set: &'a [u64]) -> impl Iterator<Item = CoreId> + 'a {
        self.nodes.iter().copied().filter(|&node| self.contains(set, node))
    }

    /// Whether a formula is in a set.
    pub(super) fn contains(&self, set: &[u64], node: CoreId) -> bool {
        self.bits[node.index()].is_some_and(|bit| has_bit(set, bit as usize))
    }

    /// Adds an annotated formula to a set.
    pub(super) fn insert(&self, set: &mut [u64], node: CoreId) {
        if let Some(bit) = self.bits[node.index()] {
            set_bit(set, bit as usize);
        }
    }
}

/// `ica`: for each subformula, whether it holds after the exit when the stack is empty: in
/// `l_term`, which carries nothing and loops, or, where exits loop, at the exit, with the labels it
/// carries.
pub(super) fn after_last_exit(
    rsm: &Rsm,
    property: &CtlProperty<'_>,
    at_exit: AtExit,
    budget: &mut Budget,
) -> Result<Vec<bool>, Exhausted> {
    let exits = rsm.exits(rsm.initial_component());
    let carries = |exit: usize, atom: u32| {
        let label = property.atoms[atom as usize];
        u64::from(label.is_some_and(|label| rsm.labels_of(exits[exit]).any(|other| other == label)))
    };
    // a recursive Kripke structure ends at one exit
    let last = LastExit::new(property.formula, (exits.len().min(1), at_exit), 1, carries, budget)?;
    Ok(property.formula.ids().map(|node| last.after(0, node) != 0).collect())
}
