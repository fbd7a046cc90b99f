//! Formulas of CTL with another meaning of the quantifiers, given by other `EX`, `EU` and `EG`.

use crate::formula::{Formula, FormulaBuilder, FormulaId, Node};
use loris_base::IndexVec;

/// The meaning of the three existential operators.
pub(crate) trait Existentials {
    fn next(&mut self, build: &mut FormulaBuilder, of: FormulaId) -> FormulaId;
    fn until(&mut self, build: &mut FormulaBuilder, first: FormulaId, then: FormulaId) -> FormulaId;
    fn always(&mut self, build: &mut FormulaBuilder, of: FormulaId) -> FormulaId;
}

/// The formula over these operators; all others are expressed by them.
///
/// # Panics
/// If the formula is not of CTL.
pub(crate) fn requantified(
    formula: &Formula,
    build: FormulaBuilder,
    operators: &mut impl Existentials,
) -> Formula {
    let mut quantify = Quantify { build, operators };
    let nothing = quantify.build.add(Node::True);
    let mut place: IndexVec<FormulaId, FormulaId> = IndexVec::new();
    for (_, node) in formula.nodes() {
        let made = match node {
            Node::Atom(atom) => quantify.build.atom(&formula.atoms()[atom]),
            Node::E(of) | Node::A(of) => {
                let path = formula.node(of);
                let operands: Vec<FormulaId> = path.children().map(|child| place[child]).collect();
                match node {
                    // for a state formula, both mean the same
                    _ if !path.is_temporal() => place[of],
                    Node::E(_) => quantify.some(path, &operands),
                    _ => quantify.all(path, &operands),
                }
            }
            // the operands of these are looked at where they are quantified
            path if path.is_temporal() => nothing,
            other => quantify.build.add(other.map(|child| place[child])),
        };
        place.push(made);
    }
    let root = place[formula.root()];
    quantify.build.finish(root)
}

struct Quantify<'o, O> {
    build: FormulaBuilder,
    operators: &'o mut O,
}

impl<O: Existentials> Quantify<'_, O> {
    fn not(&mut self, of: FormulaId) -> FormulaId {
        self.build.add(Node::Not(of))
    }

    fn next(&mut self, of: FormulaId) -> FormulaId {
        self.operators.next(&mut self.build, of)
    }

    fn until(&mut self, first: FormulaId, then: FormulaId) -> FormulaId {
        self.operators.until(&mut self.build, first, then)
    }

    fn always(&mut self, of: FormulaId) -> FormulaId {
        self.operators.always(&mut self.build, of)
    }

    fn finally(&mut self, of: FormulaId) -> FormulaId {
        let anything = self.build.add(Node::True);
        self.until(anything, of)
    }

    fn release(&mut self, first: FormulaId, second: FormulaId) -> FormulaId {
        let both = self.build.add(Node::And(first, second));
        let (until, always) = (self.until(second, both), self.always(second));
        self.build.add(Node::Or(until, always))
    }

    fn weak_until(&mut self, first: FormulaId, then: FormulaId) -> FormulaId {
        let (until, always) = (self.until(first, then), self.always(first));
        self.build.add(Node::Or(until, always))
    }

    /// On some path that counts.
    fn some(&mut self, path: Node, operands: &[FormulaId]) -> FormulaId {
        match (path, operands) {
            (Node::X(_), &[p]) => self.next(p),
            (Node::F(_), &[p]) => self.finally(p),
            (Node::G(_), &[p]) => self.always(p),
            (Node::U(..), &[p, q]) => self.until(p, q),
            (Node::W(..), &[p, q]) => self.weak_until(p, q),
            (Node::R(..), &[p, q]) => self.release(p, q),
            _ => unreachable!("in CTL a quantifier stands before a temporal operator"),
        }
    }

    /// On all paths that count: true if none of them refutes it.
    fn all(&mut self, path: Node, operands: &[FormulaId]) -> FormulaId {
        let negated: Vec<FormulaId> = operands.iter().map(|&operand| self.not(operand)).collect();
        let refuted = match (path, &negated[..]) {
            (Node::X(_), &[p]) => self.next(p),
            (Node::F(_), &[p]) => self.always(p),
            (Node::G(_), &[p]) => self.finally(p),
            (Node::U(..), &[p, q]) => self.release(p, q),
            (Node::W(..), &[p, q]) => {
                let neither = self.build.add(Node::And(p, q));
                self.until(q, neither)
            }
            (Node::R(..), &[p, q]) => self.until(p, q),
            _ => unreachable!("in CTL a quantifier stands before a temporal operator"),
        };
        self.not(refuted)
    }
}
