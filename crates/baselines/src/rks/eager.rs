//! The engine `rks-eager`: CTL on recursive Kripke structures, subformula by subformula, in every
//! context that occurs (recursive-kripke, chapter 3: Algorithms 3.1 to 3.8).
//!
//! For each subformula, operands first: collect the contexts it is asked in, from the initial one
//! through all calls, each with both tops if it is annotated itself; then label all of them, EG and
//! EU by rounds.
//!
//! Invariant: before a subformula is collected, its proper subformulas are decided at every
//! location of every context that occurs. 2^a contexts of a annotated formulas at worst; linear in
//! the machine times its calls for each. The oracles are the unfolding and the other engines in
//! `tests/rks.rs`, and the tables of the thesis in `tests/rks_tables.rs`.

use super::fixpoint::{Pair, Pairs, label_by_fixpoint};
use super::kappa::Kappa;
use super::local::Path;
use loris_base::{Budget, Exhausted, Truth};
use loris_logic::{CoreId, CoreNode};

/// The record of labelling one subformula.
pub(super) struct Labelled {
    pub(super) node: CoreId,
    /// its classes, in the order they were visited
    pub(super) classes: Vec<u32>,
    /// local checks, round by round
    pub(super) rounds: Vec<usize>,
}

/// Labels all subformulas (Algorithm 3.7).
pub(super) fn label_all(kappa: &mut Kappa<'_>, budget: &mut Budget) -> Result<Vec<Labelled>, Exhausted> {
    let mut all = Vec::new();
    let root = kappa.formula.root();
    for node in kappa.formula.ids() {
        // ⊤ needs no labels, but as a whole formula
        if kappa.formula.node(node) == CoreNode::True && node != root {
            continue;
        }
        let classes = collect(kappa, node, budget)?;
        let rounds = compute(kappa, node, &classes, budget)?;
        all.push(Labelled { node, classes, rounds });
    }
    Ok(all)
}

/// Whether the formula holds at all initial nodes, once it is labelled there.
pub(super) fn holds(kappa: &mut Kappa<'_>, budget: &mut Budget) -> Result<bool, Exhausted> {
    let pair = kappa.initial(kappa.formula.root(), budget)?;
    let (structure, row) = (kappa.structure(pair.class), kappa.row(pair));
    Ok(kappa.rsm.initial().iter().all(|&node| row.values[structure.cell(node)] == Truth::True))
}

/// collectContexts (Algorithm 3.2), depth first: the classes of a subformula that occur.
fn collect(kappa: &mut Kappa<'_>, node: CoreId, budget: &mut Budget) -> Result<Vec<u32>, Exhausted> {
    let start = kappa.initial(node, budget)?.class;
    let mut classes = vec![start];
    let sources = kappa.sources(start, node, budget)?;
    let mut stack = vec![(start, 0, sources)];
    while let Some((class, place, sources)) = stack.last_mut() {
        let structure = kappa.structure(*class);
        if *place == structure.places() {
            stack.pop();
            continue;
        }
        let call = structure.call(*place);
        *place += 1;
        let Some(call) = call else { continue };
        let found = kappa.classes.len() as u32;
        let callee = kappa.follow(*class, node, sources, call, budget)?;
        kappa.set_callee(*class, call.place, Pair { class: callee, top: false }, budget)?;
        if callee == found {
            classes.push(callee);
            let sources = kappa.sources(callee, node, budget)?;
            stack.push((callee, 0, sources));
        }
    }
    Ok(classes)
}

/// computeLabels (Algorithm 3.3); how many local checks each round took.
fn compute(
    kappa: &mut Kappa<'_>,
    node: CoreId,
    classes: &[u32],
    budget: &mut Budget,
) -> Result<Vec<usize>, Exhausted> {
    let tops: &[bool] = if kappa.annotated.has_top(node) { &[false, true] } else { &[false] };
    let pairs: Vec<Pair> =
        classes.iter().flat_map(|&class| tops.iter().map(move |&top| Pair { class, top })).collect();
    for &pair in &pairs {
        kappa.touch(pair, budget)?;
    }
    let path = match kappa.formula.node(node) {
        CoreNode::Eg(_) => Path::Always,
        CoreNode::Eu(..) => Path::Until,
        operator => {
            for &pair in &pairs {
                if let CoreNode::Ex(psi) = operator {
                    look_ahead(kappa, pair, psi, budget)?;
                }
                kappa.check(pair, 1, budget)?;
            }
            return Ok(vec![pairs.len()]);
        }
    };
    label_by_fixpoint(kappa, &pairs, path, budget)
}

/// β: EX ψ assumes of a call that it has the value of ψ at the entry of the callee.
fn look_ahead(kappa: &mut Kappa<'_>, pair: Pair, psi: CoreId, budget: &mut Budget) -> Result<(), Exhausted> {
    let sources = kappa.sources(pair.class, psi, budget)?;
    let [operand, _] = kappa.operands(pair.class, budget)?;
    let structure = kappa.structure(pair.class);
    let calls: Vec<_> = structure.calls().collect();
    for call in calls {
        let class = kappa.follow(pair.class, psi, &sources, call, budget)?;
        let value = if kappa.formula.node(psi) == CoreNode::True {
            Truth::True
        } else {
            let after = kappa.structure(pair.class).after(call.site);
            let top = kappa.annotated.has_top(psi) && kappa.row(operand).any(after) == Truth::True;
            kappa.at_entry(Pair { class, top })
        };
        kappa.row_mut(pair).values[call.cell] = value;
    }
    Ok(())
}
