//! Verdicts without evidence: a formula at once, or, where that needs many contexts, its pieces
//! apart.
//!
//! Contexts of formulas that are decided together multiply: k formulas which depend on the stack
//! each in its own way make up to 2ᵏ contexts of a component. The value of a formula in a state
//! follows from those of its [pieces](Core::pieces), each of which has contexts of its own only. So
//! the cost is that of the formula as a whole, or, should its graph grow, at most the sum of the
//! costs of its pieces and as much as it takes to notice.

use super::decide::decide;
use super::evaluation::start;
use super::mode::{Growth, Mode, Stopped};
use crate::operand::{Atoms, Lanes, Operand};
use crate::prepared::Prepared;
use loris_base::{Budget, Exhausted, Idx};
use loris_logic::{Core, CoreId};
use loris_rsm::LabelId;

/// The known values of properties of one shape.
pub(crate) struct Verdicts {
    /// per initial node, the lanes in which the formula is true, and in which it is false
    pub(crate) values: Vec<(Lanes, Lanes)>,
    /// the most instances there were at a time
    pub(crate) contexts: usize,
    pub(crate) checks: usize,
}

impl Verdicts {
    /// The lanes in which the formula holds at all initial nodes.
    pub(crate) fn holds(&self) -> Lanes {
        self.values.iter().fold(!0, |all, &(yes, _)| all & yes)
    }

    /// The lanes in which it fails at an initial node.
    pub(crate) fn fails(&self) -> Lanes {
        self.values.iter().fold(0, |any, &(_, no)| any | no)
    }
}

/// Decides properties of one shape, as far as the mode lets it: beyond the cells it allows, lanes
/// may be left open.
pub(crate) fn verdicts(
    prepared: &Prepared<'_>,
    formula: &Core,
    labels: &[&[Option<LabelId>]],
    mode: &Mode<'_>,
    budget: &mut Budget,
) -> Result<Verdicts, Stopped> {
    // a formula that is in none needs no context, so that two pieces have three of them at least
    if formula.existentials().count() <= 2 {
        return whole(prepared, formula, labels, mode, budget);
    }
    let before = budget.used();
    let first = Mode { growth: Growth::Stop, ..*mode };
    match whole(prepared, formula, labels, &first, budget) {
        Err(Stopped::TooLarge) => budget.settle(before)?,
        found => return found,
    }
    let pieces = formula.pieces();
    if pieces.iter().map(|(_, any)| any.len()).sum::<usize>() <= 1 {
        return whole(prepared, formula, labels, mode, budget);
    }
    let mode = Mode { each_initial: true, ..*mode };
    let mut together = Together::new(prepared, formula, labels, budget)?;
    for (node, any) in &pieces {
        together.at_start[node.index()] = Some(vec![(0, together.active); together.initial.len()]);
        for piece in any {
            together.add(prepared, *node, (formula, piece), labels, &mode, budget)?;
        }
    }
    Ok(Verdicts { values: together.values(), contexts: together.contexts, checks: together.checks })
}

/// A formula whose pieces are put together.
struct Together {
    root: Operand,
    /// per initial node, the lanes of each atom
    initial: Vec<Vec<Lanes>>,
    active: Lanes,
    /// per node of the formula, its value at each initial node; nothing if it was not computed yet
    at_start: Vec<Option<Vec<(Lanes, Lanes)>>>,
    contexts: usize,
    checks: usize,
}

impl Together {
    fn new(
        prepared: &Prepared<'_>,
        formula: &Core,
        labels: &[&[Option<LabelId>]],
        budget: &mut Budget,
    ) -> Result<Self, Exhausted> {
        let rsm = prepared.rsm();
        let before = budget.used();
        let count = formula.atoms().len();
        let atoms = Atoms::new(rsm, count, labels, budget)?;
        let at = |vertex: usize| (0..count as u32).map(|k| atoms.at(k, vertex)).collect();
        let initial = rsm.initial().iter().map(|vertex| at(vertex.index())).collect();
        budget.settle(before)?;
        Ok(Self {
            root: Operand::new(formula, formula.root()),
            initial,
            active: atoms.active,
            at_start: vec![None; formula.nodes().len()],
            contexts: 1,
            checks: 0,
        })
    }

    /// The formula at each initial node.
    fn values(&self) -> Vec<(Lanes, Lanes)> {
        let value = |(initial, atoms): (usize, &Vec<Lanes>)| {
            let existential = |node: CoreId| self.at_start[node.index()].as_ref().map(|at| at[initial]);
            let existential = |node: CoreId| existential(node).unwrap_or_default();
            self.root.ternary(self.active, |k| atoms[k as usize], existential, &mut Vec::new())
        };
        self.initial.iter().enumerate().map(value).collect()
    }

    /// Decides one of the formulas of which one must be true for a node of the formula to be true.
    fn add(
        &mut self,
        prepared: &Prepared<'_>,
        node: CoreId,
        (formula, piece): (&Core, &Core),
        labels: &[&[Option<LabelId>]],
        mode: &Mode<'_>,
        budget: &mut Budget,
    ) -> Result<(), Stopped> {
        let known = |at: &Option<Vec<(Lanes, Lanes)>>| at.as_ref().map_or(0, |at| all(at, |&(yes, _)| yes));
        let true_already = known(&self.at_start[node.index()]);
        // the value of this node does not count yet: lanes are open that it may decide
        let held = self.at_start[node.index()].take();
        let values = self.values();
        let (yes, no) = (all(&values, |&(yes, _)| yes), values.iter().fold(0, |any, &(_, no)| any | no));
        let open = self.active & !(yes | no | true_already);
        self.at_start[node.index()] = held;
        let lanes: Vec<usize> = (0..labels.len()).filter(|&lane| open >> lane & 1 == 1).collect();
        if lanes.is_empty() {
            return Ok(());
        }
        let place = |atom: &String| formula.atoms().iter().position(|other| other == atom);
        let places: Vec<Option<usize>> = piece.atoms().iter().map(place).collect();
        let meaning = |&lane: &usize| -> Vec<Option<LabelId>> {
            places.iter().map(|place| place.and_then(|place| labels[lane][place])).collect()
        };
        let meanings: Vec<Vec<Option<LabelId>>> = lanes.iter().map(meaning).collect();
        let meanings: Vec<&[Option<LabelId>]> = meanings.iter().map(Vec::as_slice).collect();
        let before = budget.used();
        let found = whole(prepared, piece, &meanings, mode, budget)?;
        budget.settle(before)?;
        self.contexts = self.contexts.max(found.contexts);
        self.checks += found.checks;
        let at_start = self.at_start[node.index()].get_or_insert_default();
        for (known, &(yes, no)) in at_start.iter_mut().zip(&found.values) {
            for (bit, &lane) in lanes.iter().enumerate() {
                known.0 |= (yes >> bit & 1) << lane;
                // false only if all pieces are
                known.1 &= !((!no >> bit & 1) << lane);
            }
        }
        Ok(())
    }
}

/// The lanes that all have.
fn all<T>(list: &[T], lanes: impl Fn(&T) -> Lanes) -> Lanes {
    list.iter().fold(!0, |all, item| all & lanes(item))
}

/// Decides a formula as a whole.
fn whole(
    prepared: &Prepared<'_>,
    formula: &Core,
    labels: &[&[Option<LabelId>]],
    mode: &Mode<'_>,
    budget: &mut Budget,
) -> Result<Verdicts, Stopped> {
    if prepared.is_finite() && !formula.paths().is_empty() {
        let decided = decide(prepared, formula, labels, mode, budget)?;
        let active = decided.atoms.active;
        let values = decided.values.iter().map(|&yes| (yes, active & !yes)).collect();
        return Ok(Verdicts { values, contexts: decided.contexts, checks: decided.checks });
    }
    let mut run = start(prepared, formula, labels, mode, budget)?;
    match run.finish(budget) {
        Ok(()) => {}
        // lanes that are not decided are left open
        Err(Stopped::TooLarge) if matches!(mode.growth, Growth::Look(_)) => {}
        Err(stopped) => return Err(stopped),
    }
    let values = (0..prepared.rsm().initial().len()).map(|initial| run.root_at(initial)).collect();
    Ok(Verdicts { values, contexts: run.contexts, checks: run.checks.get() })
}
