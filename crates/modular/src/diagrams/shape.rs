//! Fixpoints of the shapes that CTL has.

use loris_base::{Budget, Exhausted, Idx, IndexVec};
use loris_logic::mu::{ActionSetId, Extremum, Mu, MuFormula, MuId, VarId};

/// A fixpoint whose variable occurs once, directly below a modality.
///
/// | | meaning |
/// |---|---|
/// | least, `<K>` | `mu Z. outer_1 \| … \| (inner_1 & … & <K>Z)` |
/// | least, `[K]` | `mu Z. outer_1 \| … \| (inner_1 & … & [K]Z)` |
/// | greatest, `<K>` | `nu Z. outer_1 & … & (inner_1 \| … \| <K>Z)` |
/// | greatest, `[K]` | `nu Z. outer_1 & … & (inner_1 \| … \| [K]Z)` |
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Shape {
    pub(super) extremum: Extremum,
    pub(super) is_diamond: bool,
    pub(super) actions: ActionSetId,
    pub(super) outer: Vec<MuId>,
    pub(super) inner: Vec<MuId>,
}

/// What a formula is made of, as far as an evaluation needs it.
pub(crate) struct Anatomy {
    /// the variables that are free in each subformula, sorted
    pub(super) free: IndexVec<MuId, Vec<VarId>>,
    /// the shapes of fixpoints that have one
    pub(super) shapes: IndexVec<MuId, Option<Shape>>,
    /// how hard subformulas are to evaluate, for comparisons
    pub(super) weights: IndexVec<MuId, u64>,
}

/// What has to be computed again when a variable moves.
#[derive(Default)]
pub(crate) struct Moved {
    pub(crate) dirty: Vec<MuId>,
    /// the variables of fixpoints that begin again
    pub(crate) reset: Vec<VarId>,
}

impl Anatomy {
    pub(crate) fn new(formula: &MuFormula) -> Self {
        let mut free: IndexVec<MuId, Vec<VarId>> = IndexVec::default();
        for (_, node) in formula.nodes() {
            let mut list: Vec<VarId> = Vec::new();
            if let Mu::Var(variable) = node {
                list.push(variable);
            }
            for child in node.children() {
                list.extend_from_slice(&free[child]);
            }
            list.sort_unstable();
            list.dedup();
            if let Mu::Fix(_, variable, _) = node {
                list.retain(|&other| other != variable);
            }
            free.push(list);
        }
        let mut weights: IndexVec<MuId, u64> = IndexVec::default();
        for (_, node) in formula.nodes() {
            let own = match node {
                Mu::Fix(..) => 100,
                Mu::Diamond(_, f) | Mu::Box(_, f) if !matches!(formula.node(f), Mu::True | Mu::False) => 10,
                _ => 1,
            };
            weights.push(node.children().fold(own, |sum: u64, child| sum.saturating_add(weights[child])));
        }
        let mut anatomy = Self { free, shapes: IndexVec::default(), weights };
        for (_, node) in formula.nodes() {
            let shape = anatomy.recognise(formula, node);
            anatomy.shapes.push(shape);
        }
        anatomy
    }

    pub(crate) fn depends(&self, node: MuId, variable: VarId) -> bool {
        self.free[node].binary_search(&variable).is_ok()
    }

    /// What has to be computed again when a variable moves, among what matters: what depends on it,
    /// directly or around. Fixpoints inside that iterate go on from where they are if they are of
    /// the same kind, as they can only move in the same direction; others begin again.
    pub(crate) fn moved(
        &self,
        formula: &MuFormula,
        variable: VarId,
        matters: impl Fn(MuId) -> bool,
        iterates: impl Fn(MuId) -> bool,
        budget: &mut Budget,
    ) -> Result<Moved, Exhausted> {
        let extremum = formula.extremum(variable);
        let mut moved = Moved::default();
        let mut open = vec![(variable, false)];
        // each begins again once: there are exponentially many ways to the innermost ones
        let mut has_begun: IndexVec<VarId, bool> = vec![false; formula.variables()].into();
        while let Some((variable, is_reset)) = open.pop() {
            budget.spend(formula.len())?;
            moved.dirty.extend(Some(formula.binder(variable)).filter(|&binder| matters(binder)));
            for (id, node) in formula.nodes().filter(|&(id, _)| matters(id) && self.depends(id, variable)) {
                moved.dirty.push(id);
                if let Mu::Fix(inner_extremum, inner, _) = node
                    && iterates(id)
                    && (is_reset || inner_extremum != extremum)
                    && !std::mem::replace(&mut has_begun[inner], true)
                {
                    moved.reset.push(inner);
                    open.push((inner, true));
                }
            }
        }
        Ok(moved)
    }

    pub(super) fn is_closed(&self, node: MuId) -> bool {
        self.free[node].is_empty()
    }

    /// What a subformula is computed from.
    pub(super) fn operands(&self, formula: &MuFormula, node: MuId) -> Vec<MuId> {
        match &self.shapes[node] {
            Some(shape) => shape.outer.iter().chain(&shape.inner).copied().collect(),
            None => formula.node(node).children().collect(),
        }
    }

    fn recognise(&self, formula: &MuFormula, node: Mu) -> Option<Shape> {
        let Mu::Fix(extremum, variable, body) = node else { return None };
        let is_least = extremum == Extremum::Least;
        let (outer, rest) = self.split(formula, body, variable, is_least);
        let [choice] = rest[..] else { return None };
        let (inner, rest) = self.split(formula, choice, variable, !is_least);
        let [modal] = rest[..] else { return None };
        let (is_diamond, actions, below) = match formula.node(modal) {
            Mu::Diamond(actions, below) => (true, actions, below),
            Mu::Box(actions, below) => (false, actions, below),
            _ => return None,
        };
        (formula.node(below) == Mu::Var(variable)).then_some(Shape {
            extremum,
            is_diamond,
            actions,
            outer,
            inner,
        })
    }

    /// The operands of a disjunction (or conjunction): those without the variable, and the others.
    fn split(&self, formula: &MuFormula, root: MuId, variable: VarId, is_or: bool) -> (Vec<MuId>, Vec<MuId>) {
        let (mut without, mut with, mut open) = (Vec::new(), Vec::new(), vec![root]);
        while let Some(id) = open.pop() {
            if !self.depends(id, variable) {
                without.push(id);
                continue;
            }
            match formula.node(id) {
                Mu::Or(f, g) if is_or => open.extend([g, f]),
                Mu::And(f, g) if !is_or => open.extend([g, f]),
                _ => with.push(id),
            }
        }
        without.sort_unstable_by_key(|id| id.index());
        without.dedup();
        (without, with)
    }
}

#[cfg(test)]
mod tests {
    use super::Anatomy;

    /// The numbers of operands of the outermost fixpoint, if it has a shape.
    fn check(text: &str, expected: Option<(usize, usize, bool)>) {
        let formula = loris_logic::mu::parse(text).expect("well-formed");
        let anatomy = Anatomy::new(&formula);
        let shape = anatomy.shapes[formula.root()].as_ref();
        let found = shape.map(|shape| (shape.outer.len(), shape.inner.len(), shape.is_diamond));
        assert_eq!(found, expected, "{text}");
    }

    #[test]
    fn shapes_of_ctl() {
        check("mu Z. <a>tt | <>Z", Some((1, 0, true)));
        check("mu Z. <a>tt | (<b>tt & <>Z)", Some((1, 1, true)));
        check("mu Z. <a>tt | (<>tt & []Z)", Some((1, 1, false)));
        check("mu Z. <a>tt | (<b>tt & (<>tt & []Z))", Some((1, 2, false)));
        check("nu Z. <a>tt & (<>Z | []ff)", Some((1, 1, true)));
        check("nu Z. <a>tt & []Z", Some((1, 0, false)));
        check("nu Z. <a>Z", Some((0, 0, true)));
        check("nu Z. <>Z & []Z", None);
        check("nu Z. <><>Z", None);
        check("nu X. mu Y. (<a>tt & <>X) | <>Y", None);
    }
}
