//! From the syntax of LTL to its negation normal form over plain atoms.
//!
//! One loop over the arena makes each subformula and its negation side by side, so that negations
//! need no second walk. Linear in the formula. The quantifiers of CTL* are refused, each where it
//! stands.

use crate::formula::{Formula, FormulaId, Node};
use crate::ltl::{Ltl, LtlBuilder, LtlId, LtlNode};
use crate::remedies::QUANTIFIERS;
use loris_base::{Diagnostic, Diagnostics, Idx, Symbol};
use rustc_hash::FxHashMap;

/// The negation of an LTL formula over atoms with these names: engines search for a run that
/// satisfies it.
///
/// ```
/// use loris_logic::{negated_ltl, parse};
/// let (ltl, names) = negated_ltl(&parse("G (p -> F q)").expect("well-formed")).expect("LTL");
/// assert_eq!(ltl.print(&names), "F (p & (G !q))");
///
/// let problems = negated_ltl(&parse("G E F q").expect("well-formed")).expect_err("not LTL");
/// assert_eq!(problems.sorted()[0].offset, Some(2));
/// ```
pub fn negated_ltl(formula: &Formula) -> Result<(Ltl, Vec<String>), Diagnostics> {
    normalized(formula, |[_, no]| no)
}

/// An LTL formula in negation normal form, and the names of its atoms.
pub fn ltl(formula: &Formula) -> Result<(Ltl, Vec<String>), Diagnostics> {
    normalized(formula, |[yes, _]| yes)
}

fn normalized(
    formula: &Formula,
    choose: impl Fn([LtlId; 2]) -> LtlId,
) -> Result<(Ltl, Vec<String>), Diagnostics> {
    without_quantifiers(formula)?;
    let mut build = LtlBuilder::default();
    let mut sides: Vec<[LtlId; 2]> = Vec::with_capacity(formula.len());
    for (_, node) in formula.nodes() {
        let of = |child: FormulaId| sides[child.index()];
        let pair = match node {
            Node::True => [build.constant(true), build.constant(false)],
            Node::False => [build.constant(false), build.constant(true)],
            Node::Atom(atom) => [true, false].map(|sign| build.literal(atom.index() as u32, sign)),
            node => {
                let [a, b] = operands(node).map(of);
                both_sides(&mut build, node, a, b, &mut LtlBuilder::and, &mut LtlBuilder::or)
            }
        };
        sides.push(pair);
    }
    let mut names = Vec::new();
    let mut numbers: FxHashMap<u32, u32> = FxHashMap::default();
    let mut number = |atom: u32| {
        *numbers.entry(atom).or_insert_with(|| {
            names.push(formula.atoms()[Symbol::new(atom as usize)].to_owned());
            names.len() as u32 - 1
        })
    };
    let ltl = build.extract(choose(sides[formula.root().index()]), |leaf| match leaf {
        LtlNode::Atom(atom) => LtlNode::Atom(number(atom)),
        LtlNode::NotAtom(atom) => LtlNode::NotAtom(number(atom)),
        constant => constant,
    });
    Ok((ltl, names))
}

/// The operands of an operator; of a unary one, twice the same.
pub(crate) fn operands(node: Node) -> [FormulaId; 2] {
    let mut children = node.children();
    let first = children.next().unwrap_or(FormulaId::new(0));
    [first, children.next().unwrap_or(first)]
}

/// An operator over operands that are known with their negations, and its negation. The caller
/// decides how two formulas are joined; the operands are opaque here.
pub(crate) fn both_sides<B: AsMut<LtlBuilder>>(
    build: &mut B,
    node: Node,
    [a, not_a]: [LtlId; 2],
    [b, not_b]: [LtlId; 2],
    and: &mut impl FnMut(&mut B, LtlId, LtlId) -> LtlId,
    or: &mut impl FnMut(&mut B, LtlId, LtlId) -> LtlId,
) -> [LtlId; 2] {
    match node {
        Node::Not(_) => [not_a, a],
        Node::And(..) => [and(build, a, b), or(build, not_a, not_b)],
        Node::Or(..) => [or(build, a, b), and(build, not_a, not_b)],
        Node::Implies(..) => [or(build, not_a, b), and(build, a, not_b)],
        Node::Iff(..) => {
            let equal = [and(build, a, b), and(build, not_a, not_b)];
            let different = [and(build, a, not_b), and(build, not_a, b)];
            [equal, different].map(|[left, right]| or(build, left, right))
        }
        Node::X(_) => [build.as_mut().next(a), build.as_mut().next(not_a)],
        Node::F(_) => [build.as_mut().eventually(a), build.as_mut().always(not_a)],
        Node::G(_) => [build.as_mut().always(a), build.as_mut().eventually(not_a)],
        Node::U(..) => [build.as_mut().until(a, b), build.as_mut().release(not_a, not_b)],
        Node::R(..) => [build.as_mut().release(a, b), build.as_mut().until(not_a, not_b)],
        Node::W(..) => {
            let (either, neither) = (or(build, a, b), and(build, not_a, not_b));
            [build.as_mut().release(b, either), build.as_mut().until(not_b, neither)]
        }
        Node::True | Node::False | Node::Atom(_) | Node::E(_) | Node::A(_) => {
            unreachable!("leaves and quantifiers are not made here")
        }
    }
}

impl AsMut<LtlBuilder> for LtlBuilder {
    fn as_mut(&mut self) -> &mut LtlBuilder {
        self
    }
}

/// Refuses a formula with quantifiers, at the first few of them.
pub(crate) fn without_quantifiers(formula: &Formula) -> Result<(), Diagnostics> {
    const REPORTED: usize = 10;
    const SHOWN: usize = 60;
    let mut problems = Diagnostics::default();
    for (id, _) in formula.nodes().filter(|(_, node)| node.is_quantifier()).take(REPORTED) {
        let (start, end) = formula.span(id);
        let message = format!("`{}` has a quantifier, which LTL has not", formula.print(id, SHOWN));
        let problem = Diagnostic::error(u64::from(start), (end - start) as usize, message)
            .help("an LTL formula is about every path as it is");
        problems.push(problem.remedy(QUANTIFIERS));
    }
    problems.into_result(())
}
