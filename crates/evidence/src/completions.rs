//! Decides whether a formula of linear time holds on some completion of a run on which labels are
//! unknown.
//!
//! The run becomes a graph: a place of the run with each choice of values for the labels that are
//! unknown there, and all steps from one place to the next, since a label may have another value
//! each time. The tableau decides whether a path of it satisfies the formula.

use crate::Paths;
use crate::formulas::{Formulas, Lit, Op};
use crate::tableau::{Explored, satisfied};
use loris_base::{Budget, Csr, Exhausted, Idx, Truth};
use loris_logic::{Formula, NO_NEXT, ends_in_linear};

/// With more unknown labels in one state, it is left open.
const MOST_UNKNOWN: usize = 8;

/// How a run goes on after its last place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum After {
    /// It ends.
    End,
    /// It stays in this very state for ever.
    Stay,
    /// It goes back to this place.
    Back(usize),
}

/// Whether a formula holds on some completion of a run, of which the values of its atoms are known
/// at each place; nothing if there are too many.
pub(crate) fn holds_somehow(
    formula: &Formula,
    letters: &[Vec<Truth>],
    after: After,
    budget: &mut Budget,
) -> Result<Option<bool>, Exhausted> {
    let read = if after == After::End { ends_in_linear(formula) } else { formula.clone() };
    let mut nodes: Vec<(usize, u32)> = Vec::new();
    let mut starts: Vec<u32> = Vec::new();
    for (place, letter) in letters.iter().enumerate() {
        starts.push(nodes.len() as u32);
        let unknown = letter.iter().filter(|value| !value.is_known()).count();
        if unknown > MOST_UNKNOWN {
            return Ok(None);
        }
        budget.charge(size_of::<(usize, u32)>() << unknown)?;
        nodes.extend((0..1 << unknown).map(|choice| (place, choice)));
    }
    starts.push(nodes.len() as u32);
    let mut rows = Csr::default();
    for (node, &(place, _)) in nodes.iter().enumerate() {
        let next = match after {
            _ if place + 1 < letters.len() => Some(place + 1),
            After::Back(back) => Some(back),
            After::End | After::Stay => None,
        };
        let row = next.map_or(node as u32..node as u32 + 1, |next| starts[next]..starts[next + 1]);
        budget.spend(row.len())?;
        rows.push_row_within(&row.collect::<Vec<u32>>(), budget)?;
    }
    let mut formulas = Formulas::new(Paths::Total);
    let root = formulas.add(&read)[read.root().index()];
    let atom = |name: &str, node: u32| {
        let (place, choice) = nodes[node as usize];
        if name == NO_NEXT {
            return after == After::End && place + 1 == letters.len();
        }
        let letter = &letters[place];
        let Some(atom) = formula.atoms().find(name) else { return false };
        match letter[atom.index()] {
            Truth::Unknown => {
                let before = letter[..atom.index()].iter().filter(|value| !value.is_known()).count();
                choice >> before & 1 == 1
            }
            known => known == Truth::True,
        }
    };
    let leaf = |lit: Lit, node: u32| {
        let parts = formulas.parts(lit, |_| false);
        let mut values: Vec<bool> = Vec::with_capacity(parts.len());
        for &part in &parts {
            let of = |lit: Lit| parts.binary_search(&lit).is_ok_and(|place| values[place]);
            let value = match formulas.op(part) {
                Op::Constant(value) => value,
                Op::Atom(symbol, positive) => atom(formulas.name(symbol), node) == positive,
                Op::And(a, b) => of(a) && of(b),
                Op::Or(a, b) => of(a) || of(b),
                // a formula of states has no others here
                _ => false,
            };
            values.push(value);
        }
        values.last().copied().unwrap_or(false)
    };
    let explored = Explored { rows: &rows, states: nodes.len(), fairness: &[] };
    let good = satisfied(&formulas, root, explored, &leaf, false, budget)?;
    Ok(good.map(|good| good[..starts[1] as usize].contains(&true)))
}
