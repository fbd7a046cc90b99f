//! Implications that say nothing: `A G (p -> q)` where `p` never holds.
//!
//! Whether `p` is ever reached can be as hard a question as the property, so it is asked only as
//! far as the answer is cheap: on machines, whether any node satisfies `p`, in time linear in the
//! number of nodes over 64; on symbolic models, whether property-directed reachability excludes `p`
//! in a few steps, on the system of `p` alone. So the note depends on the model and the property
//! only, and not on what was found out for others.

use crate::question::copied;
use loris_base::Idx;
use loris_logic::{Core, CtlCore, Formula, FormulaBuilder, FormulaId, Node};

/// The left side of an implication that a property states of all states: a Boolean combination of
/// atoms.
#[derive(Clone, Debug)]
pub(crate) struct Premise(Formula);

impl Premise {
    /// The premise of `A G (p -> q)`, or of `G (p -> q)` in linear time, if `p` is a condition on
    /// states.
    pub(crate) fn of(formula: &Formula) -> Option<Self> {
        let mut root = formula.root();
        if let Node::A(path) = formula.node(root) {
            root = path;
        }
        let Node::G(always) = formula.node(root) else { return None };
        let Node::Implies(premise, _) = formula.node(always) else { return None };
        let condition = condition(formula, premise)?;
        // a constant is not a slip
        (!condition.atoms().is_empty()).then_some(Self(condition))
    }

    /// As a condition on states.
    pub(crate) fn core(&self) -> Option<CtlCore> {
        Core::new(&self.0).ok()
    }

    /// As a formula.
    pub(crate) fn text(&self) -> String {
        self.0.to_string()
    }

    /// That it never holds, as an invariant.
    pub(crate) fn never(&self) -> Option<CtlCore> {
        let mut build = FormulaBuilder::default();
        let mut image: Vec<FormulaId> = Vec::with_capacity(self.0.len());
        for (id, _) in self.0.nodes() {
            image.push(copied(&self.0, id, &mut build, |child| image[child.index()]));
        }
        let not = build.add(Node::Not(image[self.0.root().index()]));
        let always = build.add(Node::G(not));
        let root = build.add(Node::A(always));
        Core::new(&build.finish(root)).ok()
    }
}

/// A part of a formula by itself, if it has no temporal operators and quantifiers.
fn condition(formula: &Formula, root: FormulaId) -> Option<Formula> {
    let mut needed = vec![false; root.index() + 1];
    needed[root.index()] = true;
    let mut parts: Vec<FormulaId> = Vec::new();
    for (id, node) in formula.nodes().rev().filter(|(id, _)| id.index() <= root.index()) {
        if !needed[id.index()] {
            continue;
        }
        if node.is_temporal() || node.is_quantifier() {
            return None;
        }
        node.children().for_each(|child| needed[child.index()] = true);
        parts.push(id);
    }
    let mut build = FormulaBuilder::default();
    let mut image = vec![None; root.index() + 1];
    for id in parts.into_iter().rev() {
        let known = |child: FormulaId| image[child.index()].expect("children come first");
        image[id.index()] = Some(copied(formula, id, &mut build, known));
    }
    image[root.index()].map(|root| build.finish(root))
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::Premise;
    use loris_logic::parse;

    fn check(text: &str, expected: Option<&str>) {
        let premise = Premise::of(&parse(text).unwrap());
        assert_eq!(premise.map(|premise| premise.text()).as_deref(), expected, "{text}");
    }

    #[test]
    fn premises() {
        check("A G (p -> q)", Some("p"));
        check("A G (p & !q -> E F q)", Some("p & !q"));
        check("G (p | r -> F q)", Some("p | r"));
        check("A G (E F p -> q)", None);
        check("A G (true -> q)", None);
        check("A F (p -> q)", None);
        check("E G (p -> q)", None);
        check("p -> q", None);
    }
}
