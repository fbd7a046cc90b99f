//! From CTL* syntax to the core, if every temporal operator stands right under a quantifier.
//!
//! One loop over the arena; a subformula is either a state formula with its literal, or *bare*: it
//! has a temporal operator that still waits for its quantifier. Linear in the formula.

use super::gates::{Gates, Lit};
use crate::formula::{Formula, FormulaId, Node};
use crate::remedies::{IN_CTL_STAR, IN_LTL};
use loris_base::{Diagnostic, Diagnostics, Idx, Remedy};

#[derive(Clone, Copy)]
enum Meaning {
    State(Lit),
    /// The first temporal operator in it that has no quantifier: itself, if it is temporal.
    Bare(FormulaId),
}

/// `fair` says whether some paths may not count.
pub(super) fn translate(formula: &Formula, fair: bool) -> Result<(Gates, Lit), Diagnostics> {
    let mut translation = Translation {
        formula,
        core: Gates::new(fair),
        meanings: Vec::with_capacity(formula.len()),
        problems: Diagnostics::default(),
    };
    for (id, node) in formula.nodes() {
        let meaning = translation.meaning(id, node);
        translation.meanings.push(meaning);
    }
    let root = translation.state(formula.root());
    translation.problems.into_result((translation.core, root))
}

struct Translation<'f> {
    formula: &'f Formula,
    core: Gates,
    meanings: Vec<Meaning>,
    problems: Diagnostics,
}

impl Translation<'_> {
    fn meaning(&mut self, id: FormulaId, node: Node) -> Meaning {
        if node.is_temporal() {
            node.children().for_each(|operand| _ = self.state(operand));
            return Meaning::Bare(id);
        }
        if let Node::E(path) | Node::A(path) = node {
            return Meaning::State(self.quantified(node, path));
        }
        let bare = node.children().find_map(|child| match self.meanings[child.index()] {
            Meaning::Bare(temporal) => Some(temporal),
            Meaning::State(_) => None,
        });
        match bare {
            Some(temporal) => Meaning::Bare(temporal),
            None => Meaning::State(self.boolean(node)),
        }
    }

    fn boolean(&mut self, node: Node) -> Lit {
        if let Node::Atom(atom) = node {
            return self.core.atom(atom);
        }
        let (a, b) = self.operands_of(node);
        boolean(&mut self.core, node, a, b)
    }

    fn quantified(&mut self, quantifier: Node, path: FormulaId) -> Lit {
        match self.meanings[path.index()] {
            Meaning::State(lit) if !self.core.fair => lit,
            // that there is a path that counts
            Meaning::State(lit) if matches!(quantifier, Node::E(_)) => self.core.eu(Lit::FALSE, lit),
            Meaning::State(lit) => !self.core.eu(Lit::FALSE, !lit),
            Meaning::Bare(temporal) if temporal == path => {
                let (p, q) = self.operands(path);
                quantify(&mut self.core, quantifier, self.formula.node(path), p, q)
            }
            Meaning::Bare(_) => {
                self.report(path, combination);
                Lit::TRUE
            }
        }
    }

    fn operands(&mut self, path: FormulaId) -> (Lit, Lit) {
        self.operands_of(self.formula.node(path))
    }

    /// The operands of an operator; of a unary one, twice the same.
    fn operands_of(&mut self, node: Node) -> (Lit, Lit) {
        let mut children = node.children();
        let first = children.next().map_or(Lit::TRUE, |child| self.state(child));
        let second = children.next().map_or(first, |child| self.state(child));
        (first, second)
    }

    /// The literal of a subformula that must be a state formula; reports it once if it is not.
    fn state(&mut self, id: FormulaId) -> Lit {
        match self.meanings[id.index()] {
            Meaning::State(lit) => lit,
            Meaning::Bare(temporal) => {
                self.report(temporal, no_quantifier);
                self.meanings[id.index()] = Meaning::State(Lit::TRUE);
                Lit::TRUE
            }
        }
    }

    /// A formula gets a few reports only: each prints a part of it, and there may be a million.
    fn report(&mut self, id: FormulaId, explain: fn(&Formula, FormulaId, &str) -> (String, String)) {
        const REPORTED: usize = 10;
        const SHOWN: usize = 60;
        if self.problems.len() < REPORTED {
            let (start, end) = self.formula.span(id);
            let (message, help) = explain(self.formula, id, &self.formula.print(id, SHOWN));
            let length = (end - start) as usize;
            let problem = Diagnostic::error(u64::from(start), length, message).help(help);
            self.problems.push(Diagnostic { remedy: elsewhere(self.formula), ..problem });
        }
    }
}

/// A constant or a boolean operator over state formulas.
pub(super) fn boolean(core: &mut Gates, node: Node, a: Lit, b: Lit) -> Lit {
    match node {
        Node::True => Lit::TRUE,
        Node::False => Lit::FALSE,
        Node::Not(_) => !a,
        Node::And(..) => core.and(a, b),
        Node::Or(..) => core.or(a, b),
        Node::Implies(..) => core.or(!a, b),
        Node::Iff(..) => {
            let (both, none) = (core.and(a, b), core.and(!a, !b));
            core.or(both, none)
        }
        _ => unreachable!("temporal operators, quantifiers and atoms are not boolean operators"),
    }
}

/// A quantifier over one temporal operator.
pub(super) fn quantify(core: &mut Gates, quantifier: Node, temporal: Node, p: Lit, q: Lit) -> Lit {
    if matches!(quantifier, Node::E(_)) {
        return match temporal {
            Node::X(_) => core.ex(p),
            Node::F(_) => core.eu(Lit::TRUE, p),
            Node::G(_) => core.eg(p),
            Node::U(..) => core.eu(p, q),
            Node::W(..) => {
                let (until, always) = (core.eu(p, q), core.eg(p));
                core.or(until, always)
            }
            _ => core.release(p, q),
        };
    }
    // on all paths: true if no path refutes it
    !match temporal {
        Node::X(_) => core.ex(!p),
        Node::F(_) => core.eg(!p),
        Node::G(_) => core.eu(Lit::TRUE, !p),
        Node::U(..) => core.release(!p, !q),
        Node::W(..) => {
            let neither = core.and(!p, !q);
            core.eu(!q, neither)
        }
        _ => core.eu(!p, !q),
    }
}

/// Message and help for a temporal operator without a quantifier.
fn no_quantifier(formula: &Formula, id: FormulaId, text: &str) -> (String, String) {
    let quantified = match formula.node(id) {
        Node::U(..) | Node::W(..) | Node::R(..) => format!("[ {text} ]"),
        _ => text.to_owned(),
    };
    (
        format!("`{text}` is not directly under a quantifier, as CTL demands"),
        format!("write `A {quantified}` or `E {quantified}`"),
    )
}

/// Message and help for a quantifier over several temporal operators.
fn combination(_: &Formula, _: FormulaId, text: &str) -> (String, String) {
    (
        format!("`{text}`, a boolean combination of path formulas under one quantifier, is CTL*, not CTL"),
        "give every temporal operator a quantifier of its own".to_owned(),
    )
}

/// Which logic takes the formula as it is, if one does.
fn elsewhere(formula: &Formula) -> Option<Remedy> {
    let mut is_path = Vec::with_capacity(formula.len());
    for (_, node) in formula.nodes() {
        let path = node.is_path(|operand| is_path[operand.index()]);
        is_path.push(path);
    }
    let is_linear = !formula.nodes().any(|(_, node)| node.is_quantifier());
    match is_path[formula.root().index()] {
        _ if is_linear => Some(IN_LTL),
        false => Some(IN_CTL_STAR),
        true => None,
    }
}
