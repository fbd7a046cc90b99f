//! Formulas about runs that may end, as formulas about runs that never do.
//!
//! Where states without a successor are given a loop and a label, formulas can refer to them, and
//! engines that need a successor for every state decide formulas as if there were no loops:
//!
//! | where runs end | where they loop instead, with `end` where they do |
//! |---|---|
//! | `E X p` | `E X p & !end` |
//! | `E G p`: on an infinite path | `E G (p & !end)` |
//! | `E [ p U q ]`: on some finite path | the same |
//! | `E ρ` of CTL*: on an infinite path | `E (ρ & G !end)` |
//! | `X p` of LTL: there is a next state, with `p` | `X p & !end` |
//!
//! The label has two names, one for `EX` and one for the others, so that no simplification merges
//! the two: [`without_ends`] restores the formula.

use crate::formula::{Formula, FormulaBuilder, FormulaId, Node};
use crate::quantify::{Existentials, requantified};
use loris_base::IndexVec;

/// The label of states without a successor, as `E X` has it.
pub const NO_NEXT: &str = "\u{1}no next state";
/// The same label, as `E G` and path formulas have it.
pub const NO_REST: &str = "\u{1}no infinite run";

/// A formula of CTL about runs that may end.
///
/// ```
/// use loris_logic::{ends_in_ctl, parse, without_ends};
/// let formula = parse("A G E X true | E G p").unwrap();
/// let total = ends_in_ctl(&formula);
/// assert!(total.to_string().contains("E G (p & !\"\u{1}no infinite run\")"));
/// assert_eq!(without_ends(&total).to_string(), "!E F !E X true | E G p");
/// ```
///
/// # Panics
/// If the formula is not of CTL.
#[must_use]
pub fn ends_in_ctl(formula: &Formula) -> Formula {
    requantified(formula, FormulaBuilder::default(), &mut Ends)
}

struct Ends;

impl Existentials for Ends {
    fn next(&mut self, build: &mut FormulaBuilder, of: FormulaId) -> FormulaId {
        let next = build.add(Node::X(of));
        let next = build.add(Node::E(next));
        let end = build.atom(NO_NEXT);
        let goes_on = build.add(Node::Not(end));
        build.add(Node::And(next, goes_on))
    }

    fn until(&mut self, build: &mut FormulaBuilder, first: FormulaId, then: FormulaId) -> FormulaId {
        let until = build.add(Node::U(first, then));
        build.add(Node::E(until))
    }

    fn always(&mut self, build: &mut FormulaBuilder, of: FormulaId) -> FormulaId {
        let end = build.atom(NO_REST);
        let goes_on = build.add(Node::Not(end));
        let both = build.add(Node::And(of, goes_on));
        let always = build.add(Node::G(both));
        build.add(Node::E(always))
    }
}

/// A formula of CTL* whose quantifiers count infinite runs only.
#[must_use]
pub fn ends_in_star(formula: &Formula) -> Formula {
    let mut build = FormulaBuilder::default();
    let end = build.atom(NO_REST);
    let goes_on = build.add(Node::Not(end));
    let lasts = build.add(Node::G(goes_on));
    let mut place: IndexVec<FormulaId, FormulaId> = IndexVec::new();
    for (_, node) in formula.nodes() {
        let made = match node {
            Node::Atom(atom) => build.atom(&formula.atoms()[atom]),
            Node::E(of) => {
                let both = build.add(Node::And(place[of], lasts));
                build.add(Node::E(both))
            }
            Node::A(of) => {
                let implied = build.add(Node::Implies(lasts, place[of]));
                build.add(Node::A(implied))
            }
            other => build.add(other.map(|child| place[child])),
        };
        place.push(made);
    }
    build.finish(place[formula.root()])
}

/// A formula of LTL about runs that may end, as one about runs that repeat their last state
/// instead.
///
/// ```
/// use loris_logic::{ends_in_linear, parse};
/// let formula = parse("G (p -> X q)").unwrap();
/// assert_eq!(ends_in_linear(&formula).to_string(), "G (p -> X q & !\"\u{1}no next state\")");
/// ```
#[must_use]
pub fn ends_in_linear(formula: &Formula) -> Formula {
    let mut build = FormulaBuilder::default();
    let mut place: IndexVec<FormulaId, FormulaId> = IndexVec::new();
    for (_, node) in formula.nodes() {
        let made = match node {
            Node::Atom(atom) => build.atom(&formula.atoms()[atom]),
            Node::X(of) => {
                let next = build.add(Node::X(place[of]));
                let end = build.atom(NO_NEXT);
                let goes_on = build.add(Node::Not(end));
                build.add(Node::And(next, goes_on))
            }
            other => build.add(other.map(|child| place[child])),
        };
        place.push(made);
    }
    build.finish(place[formula.root()])
}

/// A formula that came from [`ends_in_ctl`] or [`ends_in_star`], perhaps through its normal form,
/// as it was before; others stay as they are.
#[must_use]
pub fn without_ends(formula: &Formula) -> Formula {
    let mut back = Back { formula, build: FormulaBuilder::default(), place: IndexVec::new() };
    for (_, node) in formula.nodes() {
        let made = back.node(node);
        back.place.push(made);
    }
    let root = back.place[formula.root()];
    back.build.finish(root)
}

struct Back<'f> {
    formula: &'f Formula,
    build: FormulaBuilder,
    place: IndexVec<FormulaId, FormulaId>,
}

impl Back<'_> {
    fn node(&mut self, node: Node) -> FormulaId {
        match node {
            // the next state of a state that has one
            Node::Atom(_) if self.is_atom(node, NO_NEXT) => {
                let next = self.can_go_on();
                self.build.add(Node::Not(next))
            }
            Node::Not(a) if self.is_atom(self.formula.node(a), NO_NEXT) => self.can_go_on(),
            Node::And(a, b) if self.is_next(a) && self.is_not(b, NO_NEXT) => self.place[a],
            Node::Or(a, b) if self.is_no_next(a) && self.is_atom(self.formula.node(b), NO_NEXT) => {
                self.place[a]
            }
            // a run that never ends
            Node::Not(a) if self.is_atom(self.formula.node(a), NO_REST) => self.build.add(Node::True),
            Node::And(a, b) if self.is_not(b, NO_REST) || self.is_lasting(b) => self.place[a],
            Node::And(a, b) if self.is_not(a, NO_REST) || self.is_lasting(a) => self.place[b],
            Node::G(a) if self.is_not(a, NO_REST) => {
                let anything = self.build.add(Node::True);
                self.build.add(Node::G(anything))
            }
            Node::U(a, b) if self.formula.node(a) == Node::True => self.build.add(Node::F(self.place[b])),
            Node::Atom(atom) => self.build.atom(&self.formula.atoms()[atom]),
            other => self.build.add(other.map(|child| self.place[child])),
        }
    }

    /// `E X true`.
    fn can_go_on(&mut self) -> FormulaId {
        let anything = self.build.add(Node::True);
        let next = self.build.add(Node::X(anything));
        self.build.add(Node::E(next))
    }

    fn is_atom(&self, node: Node, name: &str) -> bool {
        matches!(node, Node::Atom(atom) if &self.formula.atoms()[atom] == name)
    }

    fn is_not(&self, id: FormulaId, name: &str) -> bool {
        matches!(self.formula.node(id), Node::Not(a) if self.is_atom(self.formula.node(a), name))
    }

    /// `G !end`.
    fn is_lasting(&self, id: FormulaId) -> bool {
        matches!(self.formula.node(id), Node::G(a) if self.is_not(a, NO_REST))
    }

    fn is_next(&self, id: FormulaId) -> bool {
        matches!(self.formula.node(id), Node::E(path) if matches!(self.formula.node(path), Node::X(_)))
    }

    fn is_no_next(&self, id: FormulaId) -> bool {
        matches!(self.formula.node(id), Node::Not(a) if self.is_next(a))
    }
}
