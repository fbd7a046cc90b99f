//! Functions of an and-inverter graph as decision diagrams.

use loris_base::{Budget, Exhausted};
use loris_circuit::{Aig, Gate, Lit, Var};
use loris_solvers::bdd::{Bdd, Store};

/// The function of a node that needs no look at its operands.
#[derive(Clone, Copy)]
pub(super) enum Leaf {
    /// It has a value.
    Constant(bool),
    /// It is a variable of the store.
    Variable(u32),
}

/// The diagrams of some functions; variables of the graph that are not `leaf` are false.
pub(super) fn build(
    store: &mut Store,
    aig: &Aig,
    roots: &[Lit],
    leaf: impl Fn(Var) -> Option<Leaf>,
    budget: &mut Budget,
) -> Result<Vec<Bdd>, Exhausted> {
    let whole = |_: &mut Store, function: Bdd, _: &mut Budget| Ok(function);
    build_with(store, aig, roots, leaf, whole, budget)
}

/// The same; `replace` may exchange the diagram of a gate by another as soon as it is made. A
/// diagram is dropped when nothing else is made of it.
pub(super) fn build_with(
    store: &mut Store,
    aig: &Aig,
    roots: &[Lit],
    leaf: impl Fn(Var) -> Option<Leaf>,
    mut replace: impl FnMut(&mut Store, Bdd, &mut Budget) -> Result<Bdd, Exhausted>,
    budget: &mut Budget,
) -> Result<Vec<Bdd>, Exhausted> {
    let mut uses = vec![0_u32; aig.len()];
    for root in roots {
        uses[root.var().index()] += 1;
    }
    for (var, gate) in aig.gates().rev() {
        if let (true, None, Gate::And(a, b)) = (uses[var.index()] > 0, leaf(var), gate) {
            uses[a.var().index()] += 1;
            uses[b.var().index()] += 1;
        }
    }
    let mut made: Vec<Option<Bdd>> = vec![None; aig.len()];
    budget.spend(aig.len())?;
    for (var, gate) in aig.gates() {
        if uses[var.index()] == 0 {
            continue;
        }
        made[var.index()] = Some(match (leaf(var), gate) {
            (Some(Leaf::Constant(value)), _) => store.constant(value),
            (Some(Leaf::Variable(var)), _) => store.literal(var, true),
            (None, Gate::False | Gate::Variable) => store.constant(false),
            (None, Gate::And(a, b)) => {
                let of = |lit: Lit| {
                    let operand = made[lit.var().index()].as_ref().expect("operands come first");
                    operand.negated_if(lit.is_negated())
                };
                let function = store.and(&of(a), &of(b), budget)?;
                for operand in [a, b] {
                    let left = &mut uses[operand.var().index()];
                    *left -= 1;
                    if *left == 0 {
                        made[operand.var().index()] = None;
                    }
                }
                replace(store, function, budget)?
            }
        });
    }
    let of = |lit: &Lit| {
        let function = made[lit.var().index()].as_ref().expect("roots are in the cone");
        function.negated_if(lit.is_negated())
    };
    Ok(roots.iter().map(of).collect())
}
