//! Formulas of CTL in the mu-calculus, where every state has a successor.

use loris_base::Idx;
use loris_logic::mu::{ActionSet, Extremum, Mu, MuBuilder, MuFormula, MuId};
use loris_logic::{CoreId, CoreNode, CtlCore};

/// A formula of CTL as one of the mu-calculus. Linear.
///
/// ```
/// use loris_logic::{Core, parse};
/// let formula = Core::new(&parse("A G (p -> E F q)").unwrap()).unwrap();
/// let formula = loris_recursive::mu_of_ctl(&formula);
/// assert_eq!(formula.to_string(), "nu Z2. (!p | (mu Z. q | <>Z)) & []Z2");
/// ```
pub fn mu_of_ctl(formula: &CtlCore) -> MuFormula {
    let mut build = MuBuilder::default();
    // per subformula, its negation and itself
    let mut done: Vec<[Option<MuId>; 2]> = vec![[None; 2]; formula.nodes().len()];
    let mut stack = vec![(formula.root(), true)];
    while let Some(&(id, sign)) = stack.last() {
        let wanted: Vec<(CoreId, bool)> = match formula.node(id) {
            CoreNode::True | CoreNode::Atom(_) => Vec::new(),
            CoreNode::Not(f) => vec![(f, !sign)],
            CoreNode::Ex(f) | CoreNode::Eg(f) => vec![(f, sign)],
            CoreNode::And(f, g) | CoreNode::Or(f, g) | CoreNode::Eu(f, g) => vec![(f, sign), (g, sign)],
            CoreNode::E(never) => match never {},
        };
        let of = |(id, sign): (CoreId, bool)| done[id.index()][usize::from(sign)];
        let waits: Vec<_> = wanted.iter().copied().filter(|&one| of(one).is_none()).collect();
        if !waits.is_empty() {
            stack.extend(waits);
            continue;
        }
        let operands: Vec<MuId> = wanted.into_iter().filter_map(of).collect();
        let result = translate(formula, id, sign, &operands, &mut build);
        done[id.index()][usize::from(sign)] = Some(result);
        stack.pop();
    }
    let root = done[formula.root().index()][1].expect("the root was translated last");
    build.finish(root)
}

/// A subformula, or its negation, over its translated operands.
fn translate(formula: &CtlCore, id: CoreId, sign: bool, operands: &[MuId], build: &mut MuBuilder) -> MuId {
    let all = ActionSet::all;
    match (formula.node(id), operands) {
        (CoreNode::True, _) => build.add(if sign { Mu::True } else { Mu::False }),
        (CoreNode::Atom(atom), _) => build.atom(&formula.atoms()[atom as usize], sign),
        (CoreNode::And(..), &[f, g]) if sign => build.and(f, g),
        (CoreNode::And(..), &[f, g]) => build.or(f, g),
        (CoreNode::Or(..), &[f, g]) if sign => build.or(f, g),
        (CoreNode::Or(..), &[f, g]) => build.and(f, g),
        (CoreNode::Ex(_), &[f]) if sign => build.possibly(all(), f),
        (CoreNode::Ex(_), &[f]) => build.necessarily(all(), f),
        (CoreNode::Eg(_), &[f]) => {
            fixpoint(
                build,
                sign,
                sign,
                |build, rest| {
                    if sign { build.and(f, rest) } else { build.or(f, rest) }
                },
            )
        }
        (CoreNode::Eu(..), &[f, g]) => fixpoint(build, !sign, sign, |build, rest| {
            if sign {
                let before = build.and(f, rest);
                build.or(g, before)
            } else {
                let before = build.or(f, rest);
                build.and(g, before)
            }
        }),
        (_, &[f, ..]) => f,
        (_, []) => unreachable!("every other operator has an operand"),
    }
}

/// A fixpoint over what holds here and what holds after some step, or after all.
fn fixpoint(
    build: &mut MuBuilder,
    greatest: bool,
    some: bool,
    body: impl FnOnce(&mut MuBuilder, MuId) -> MuId,
) -> MuId {
    let variable = build.variable("Z", if greatest { Extremum::Greatest } else { Extremum::Least });
    let rest = build.add(Mu::Var(variable));
    let rest =
        if some { build.possibly(ActionSet::all(), rest) } else { build.necessarily(ActionSet::all(), rest) };
    let body = body(build, rest);
    build.bind(variable, body)
}
