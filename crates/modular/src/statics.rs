//! Subformulas whose value depends on one state alone: labels, enabled actions, and what is made of
//! them by `&` and `|`.

use crate::question::SystemQuestion;
use loris_base::{IndexVec, Truth};
use loris_logic::mu::{ActionSetId, Mu, MuFormula, MuId};
use loris_lts::{ProcessKind, Product};

/// A subformula in a state, simplified.
pub(crate) enum Value {
    /// It has a value.
    Known(Truth),
    /// It is the same as this one there.
    Open(MuId),
}

/// The subformulas that one state decides.
#[derive(Debug)]
pub(crate) struct Literals {
    /// by subformula: where its evaluation starts in `order`, none if it needs steps
    ranges: IndexVec<MuId, Option<(u32, u32)>>,
    /// subformulas, operands first
    order: Vec<MuId>,
}

impl Literals {
    /// Whether a Kripke structure has a step takes looking at its steps: there, modalities are not
    /// decided by a state.
    pub(crate) fn new(formula: &MuFormula, kind: ProcessKind) -> Self {
        let mut ranges: IndexVec<MuId, Option<(u32, u32)>> = IndexVec::default();
        let mut order: Vec<MuId> = Vec::new();
        for (id, node) in formula.nodes() {
            let start = order.len() as u32;
            let is_static = match node {
                Mu::True | Mu::False | Mu::Atom(_) | Mu::NotAtom(_) => true,
                Mu::Diamond(_, f) => kind == ProcessKind::Lts && matches!(formula.node(f), Mu::True),
                Mu::Box(_, f) => kind == ProcessKind::Lts && matches!(formula.node(f), Mu::False),
                Mu::And(f, g) | Mu::Or(f, g) => match (ranges[f], ranges[g]) {
                    // the order of a subformula is repeated, so that each is evaluated in one pass
                    (Some(f), Some(g)) if (f.1 - f.0) + (g.1 - g.0) < MAX_ORDER => {
                        order.extend_from_within(f.0 as usize..f.1 as usize);
                        order.extend_from_within(g.0 as usize..g.1 as usize);
                        true
                    }
                    _ => false,
                },
                Mu::Var(_) | Mu::Fix(..) => false,
            };
            if is_static {
                order.push(id);
            }
            ranges.push(is_static.then_some((start, order.len() as u32)));
        }
        Self { ranges, order }
    }

    /// About how many steps it takes to evaluate what one state decides of each subformula.
    pub(crate) fn work(&self, question: &SystemQuestion<'_>) -> IndexVec<MuId, u32> {
        let own = |id: MuId| {
            let (start, end) = self.ranges[id]?;
            let looks = self.order[start as usize..end as usize].iter().map(|&id| match question.node(id) {
                Mu::Diamond(set, _) | Mu::Box(set, _) => {
                    1 + question.listed(set).len().min(MANY * question.system.len())
                }
                _ => 1,
            });
            Some(u32::try_from(looks.sum::<usize>()).unwrap_or(u32::MAX))
        };
        let of = |(id, node): (MuId, Mu)| match node {
            Mu::And(f, g) | Mu::Or(f, g) => {
                own(id).unwrap_or_else(|| own(f).unwrap_or(0).saturating_add(own(g).unwrap_or(0)))
            }
            _ => own(id).unwrap_or(0),
        };
        question.formula.nodes().map(of).collect::<Vec<_>>().into()
    }

    /// The value of a subformula that one state decides.
    pub(crate) fn evaluate(
        &self,
        question: &SystemQuestion<'_>,
        product: &Product<'_>,
        local: &[u32],
        f: MuId,
    ) -> Truth {
        let (start, end) = self.ranges[f].expect("only subformulas of one state are evaluated");
        let mut stack: Vec<Truth> = Vec::new();
        for &id in &self.order[start as usize..end as usize] {
            let value = match question.node(id) {
                Mu::True => Truth::True,
                Mu::False => Truth::False,
                Mu::Atom(atom) => {
                    question.label(atom).map_or(Truth::False, |label| product.label(local, label))
                }
                Mu::NotAtom(atom) => {
                    !question.label(atom).map_or(Truth::False, |label| product.label(local, label))
                }
                Mu::Diamond(set, _) => enabled(question, product, local, set),
                Mu::Box(set, _) => !enabled(question, product, local, set),
                node @ (Mu::And(..) | Mu::Or(..)) => {
                    let right = stack.pop().expect("operands come first");
                    let left = stack.pop().expect("operands come first");
                    if matches!(node, Mu::And(..)) { left.min(right) } else { left.max(right) }
                }
                Mu::Var(_) | Mu::Fix(..) => Truth::Unknown,
            };
            stack.push(value);
        }
        stack.pop().expect("one value is left")
    }

    /// Evaluates what one state decides, and drops operands that do not matter.
    pub(crate) fn condense(
        &self,
        question: &SystemQuestion<'_>,
        product: &Product<'_>,
        local: &[u32],
        f: MuId,
    ) -> Value {
        let mut f = f;
        loop {
            let node = question.node(f);
            if self.ranges[f].is_some() {
                return Value::Known(self.evaluate(question, product, local, f));
            }
            match node {
                Mu::Diamond(_, g) if matches!(question.node(g), Mu::False) => {
                    return Value::Known(Truth::False);
                }
                Mu::Box(_, g) if matches!(question.node(g), Mu::True) => return Value::Known(Truth::True),
                Mu::Fix(_, variable, body) => match question.formula.variable_node(variable) {
                    Some(occurrence) => return Value::Open(occurrence),
                    None => f = body,
                },
                Mu::And(g, h) | Mu::Or(g, h) => {
                    let absorbing = Truth::from(matches!(node, Mu::Or(..)));
                    let value = |operand: MuId| {
                        let known = self.ranges[operand].is_some();
                        known.then(|| self.evaluate(question, product, local, operand))
                    };
                    match (value(g), value(h)) {
                        (Some(one), _) | (_, Some(one)) if one == absorbing => return Value::Known(one),
                        (Some(one), _) if one == !absorbing => f = h,
                        (_, Some(one)) if one == !absorbing => f = g,
                        _ => return Value::Open(f),
                    }
                }
                _ => return Value::Open(f),
            }
        }
    }
}

/// Longer combinations are evaluated by the game.
const MAX_ORDER: u32 = 256;

/// Where a set has more actions than this for each process, only those that some process can take
/// are looked at.
const MANY: usize = 4;

/// Whether an action of the set can be taken.
fn enabled(question: &SystemQuestion<'_>, product: &Product<'_>, local: &[u32], set: ActionSetId) -> Truth {
    let listed = question.listed(set);
    if listed.len() > MANY * question.system.len() {
        return product.enabled_among(local, |action| question.contains(set, action));
    }
    let mut value = Truth::False;
    for &action in listed {
        if value == Truth::True {
            break;
        }
        let one = if action == 0 { product.silent(local) } else { product.enabled(local, action) };
        value = value.max(one);
    }
    value
}
