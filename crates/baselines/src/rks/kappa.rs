//! The knowledge base κ (recursive-kripke, section 3.3.2): three-valued, per sub-structure,
//! subformula and context, a row of values.
//!
//! Contexts of φ that differ in the value of φ alone form a class: the contexts of calls differ in
//! no more than that either, for the values of proper subformulas after a call depend only on their
//! values in the context. A class has a row for each of the tops f and t; ⟨m⟩ is looked up in both.
//!
//! Invariant: a value in κ is right under every stack of that context, whether or not it occurs
//! (Lemma 3.4.2). A row costs a byte per vertex, a lookup costs a hash of its context.

use super::annotations::{Annotated, Annotations, after_last_exit};
use super::fixpoint::Pair;
use super::local::{Row, Scratch};
use super::structure::{Call, Structure};
use loris_base::{Budget, Exhausted, Idx, Truth};
use loris_logic::{CoreId, CoreNode, CtlCore};
use loris_recursive::building_blocks::{ContextTable, hash_words};
use loris_recursive::{CtlProperty, EngineSettings};
use loris_rsm::{ComponentId, LabelId, Rsm};
use std::convert::Infallible;

/// A sub-structure, a subformula, and a context of it but for its own annotation.
pub(super) struct Class {
    pub(super) component: ComponentId,
    pub(super) node: CoreId,
    /// per call, where it leads, once that is known: for EX, the pair of its operand
    callees: Vec<Option<Pair>>,
    /// the rows of its operands
    operands: Option<[Pair; 2]>,
}

/// All that is known.
pub(super) struct Kappa<'a> {
    pub(super) rsm: &'a Rsm,
    pub(super) formula: &'a CtlCore,
    pub(super) annotated: Annotated,
    /// per subformula, whether it holds after the last exit
    pub(super) at_end: Vec<bool>,
    pub(super) atoms: &'a [Option<LabelId>],
    pub(super) classes: Vec<Class>,
    /// per class, its context
    contexts: Vec<u64>,
    table: ContextTable<u32>,
    /// per class, the rows of f and t
    pub(super) rows: Vec<Option<Row>>,
    is_recorded: bool,
    is_touched: Vec<bool>,
    /// sub-structures with a row
    pub(super) touched: usize,
    /// rows made
    pub(super) pairs: usize,
    pub(super) scratch: Scratch,
}

/// Bytes of classes and rows besides contexts and values.
const CLASS: usize = size_of::<Class>() + 2 * size_of::<Row>() + 24;

impl<'a> Kappa<'a> {
    pub(super) fn new(
        rsm: &'a Rsm,
        property: &'a CtlProperty<'a>,
        settings: &EngineSettings,
        annotations: Annotations,
        is_recorded: bool,
        budget: &mut Budget,
    ) -> Result<Self, Exhausted> {
        let formula = property.formula;
        budget.charge(rsm.component_count())?;
        Ok(Self {
            rsm,
            formula,
            annotated: Annotated::new(formula, annotations, budget)?,
            at_end: after_last_exit(rsm, property, settings.at_exit, budget)?,
            atoms: &property.atoms,
            classes: Vec::new(),
            contexts: Vec::new(),
            table: ContextTable::default(),
            rows: Vec::new(),
            is_recorded,
            is_touched: vec![false; rsm.component_count()],
            touched: 0,
            pairs: 0,
            scratch: Scratch::default(),
        })
    }

    /// The context of a class.
    pub(super) fn context(&self, class: u32) -> &[u64] {
        let words = self.annotated.words();
        &self.contexts[class as usize * words..][..words]
    }

    /// The operator of a class.
    pub(super) fn operator(&self, class: u32) -> CoreNode<Infallible> {
        self.formula.nodes()[(self.classes[class as usize].node).index()]
    }

    /// The class of a subformula in a context of one it belongs to.
    pub(super) fn class(
        &mut self,
        component: ComponentId,
        node: CoreId,
        context: &[u64],
        budget: &mut Budget,
    ) -> Result<u32, Exhausted> {
        let below = self.annotated.below(node);
        let words = context.iter().zip(below).map(|(&word, &mask)| word & mask);
        let seed = component.index() as u32 ^ (node.index() as u32).wrapping_mul(0x9e37_79b9);
        let hash = hash_words(seed, words.clone());
        let same = |class: u32| {
            let Class { component: of, node: what, .. } = self.classes[class as usize];
            of == component && what == node && self.context(class).iter().copied().eq(words.clone())
        };
        if let Some(class) = self.table.find(hash, same) {
            return Ok(class);
        }
        budget.charge(CLASS + 8 * self.annotated.words())?;
        let class = self.classes.len() as u32;
        self.contexts.extend(words);
        self.classes.push(Class { component, node, callees: Vec::new(), operands: None });
        self.rows.extend([None, None]);
        self.table.insert(hash, class);
        Ok(class)
    }

    /// The pair of a subformula in a context of one it belongs to.
    pub(super) fn pair(
        &mut self,
        component: ComponentId,
        node: CoreId,
        context: &[u64],
        budget: &mut Budget,
    ) -> Result<Pair, Exhausted> {
        let top = self.annotated.has_top(node) && self.annotated.contains(context, node);
        Ok(Pair { class: self.class(component, node, context, budget)?, top })
    }

    /// The pair of a subformula in the initial sub-structure under the initial context (icc).
    pub(super) fn initial(&mut self, node: CoreId, budget: &mut Budget) -> Result<Pair, Exhausted> {
        let mut context = vec![0; self.annotated.words()];
        for inner in self.formula.ids().take(node.index() + 1).filter(|inner| self.at_end[inner.index()]) {
            self.annotated.insert(&mut context, inner);
        }
        self.pair(self.rsm.initial_component(), node, &context, budget)
    }

    /// The row of a pair, if there is one.
    #[inline]
    pub(super) fn known(&self, pair: Pair) -> Option<&Row> {
        self.rows[2 * pair.class as usize + usize::from(pair.top)].as_ref()
    }

    /// Takes the row of a pair out, when all is known.
    pub(super) fn take(&mut self, pair: Pair) -> Option<Row> {
        self.rows[2 * pair.class as usize + usize::from(pair.top)].take()
    }

    /// Makes the row of a pair, if there is none.
    pub(super) fn touch(&mut self, pair: Pair, budget: &mut Budget) -> Result<(), Exhausted> {
        if self.known(pair).is_some() {
            return Ok(());
        }
        let component = self.classes[pair.class as usize].component;
        let structure = Structure::new(self.rsm, component);
        budget.charge(Row::bytes(&structure, self.is_recorded))?;
        budget.spend(structure.len())?;
        self.rows[2 * pair.class as usize + usize::from(pair.top)] =
            Some(Row::new(&structure, self.is_recorded));
        self.pairs += 1;
        self.touched += usize::from(!std::mem::replace(&mut self.is_touched[component.index()], true));
        Ok(())
    }

    /// The rows of a class's operands, the same twice if there is one.
    pub(super) fn operands(&mut self, class: u32, budget: &mut Budget) -> Result<[Pair; 2], Exhausted> {
        let Class { component, node, operands, .. } = self.classes[class as usize];
        if let Some(operands) = operands {
            return Ok(operands);
        }
        let (first, last) = {
            let mut children = self.formula.children(node);
            let first = children.next().expect("atoms have no operands to ask for");
            (first, children.next().unwrap_or(first))
        };
        let context = self.context(class).to_vec();
        let first = self.pair(component, first, &context, budget)?;
        let operands = [first, self.pair(component, last, &context, budget)?];
        self.classes[class as usize].operands = Some(operands);
        Ok(operands)
    }

    /// The pairs whose values, in the sub-structure of a class, contexts of a subformula annotate.
    pub(super) fn sources(
        &mut self,
        class: u32,
        target: CoreId,
        budget: &mut Budget,
    ) -> Result<Vec<Pair>, Exhausted> {
        let component = self.classes[class as usize].component;
        let context = self.context(class).to_vec();
        let below: Vec<CoreId> = self.annotated.members(self.annotated.below(target)).collect();
        budget.spend(1 + below.len())?;
        below.into_iter().map(|node| self.pair(component, node, &context, budget)).collect()
    }

    /// cc: the context of a call for a subformula, from the [sources](Self::sources) for it, which
    /// must be known. The class of it in the callee.
    pub(super) fn follow(
        &mut self,
        class: u32,
        target: CoreId,
        sources: &[Pair],
        call: Call,
        budget: &mut Budget,
    ) -> Result<u32, Exhausted> {
        let structure = Structure::new(self.rsm, self.classes[class as usize].component);
        let mut context = vec![0; self.annotated.words()];
        budget.spend(1 + sources.len())?;
        for &source in sources {
            let row = self.known(source).expect("sources are labelled before contexts are made of them");
            let value = row.any(structure.after(call.site));
            debug_assert!(value.is_known(), "contexts say t or f of proper subformulas (E4)");
            if value == Truth::True {
                self.annotated.insert(&mut context, self.classes[source.class as usize].node);
            }
        }
        self.class(self.rsm.callee(call.site), target, &context, budget)
    }

    /// Where a call of a class leads, if that was found out.
    pub(super) fn callee_pair(&self, class: u32, place: usize) -> Option<Pair> {
        self.classes[class as usize].callees.get(place).copied().flatten()
    }

    /// Notes where a call leads.
    pub(super) fn set_callee(
        &mut self,
        class: u32,
        place: usize,
        pair: Pair,
        budget: &mut Budget,
    ) -> Result<(), Exhausted> {
        let places = Structure::new(self.rsm, self.classes[class as usize].component).places();
        let callees = &mut self.classes[class as usize].callees;
        if callees.is_empty() {
            budget.charge(places * size_of::<Option<Pair>>())?;
            callees.resize(places, None);
        }
        callees[place] = Some(pair);
        Ok(())
    }
}
