//! In which order the bits of a state come.
//!
//! Variables come as they were declared, and the bits of one lie together, the highest first. Only
//! words of one width that some operator connects (`a + b`, `a < b`) have their bits interleaved,
//! at the place of the first of them: decision diagrams of sums and comparisons are linear then,
//! and exponential otherwise. Variables that nothing connects stay apart: diagrams of their bits,
//! interleaved, would be products.

use crate::ir::{Binary, Domain, Expr, ExprId, Structure, VariableId};
use loris_base::{Budget, Exhausted, Idx};

/// More words than this are not interleaved.
const MOST: usize = 4;

/// Groups of variables whose bits are interleaved, most of them single.
pub(super) fn groups(
    structure: &Structure,
    variables: &[VariableId],
    budget: &mut Budget,
) -> Result<Vec<Vec<VariableId>>, Exhausted> {
    let mut group_of: Vec<Option<usize>> = vec![None; structure.variables.len()];
    let mut groups: Vec<Vec<VariableId>> = variables.iter().map(|&variable| vec![variable]).collect();
    for (group, variable) in variables.iter().enumerate() {
        group_of[variable.index()] = Some(group);
    }
    let word = |expr: ExprId| match *structure.exprs.get(expr) {
        Expr::Variable(variable) | Expr::Next(variable) => match structure.variables[variable].domain {
            Domain::Word { width, .. } => Some((variable, width)),
            _ => None,
        },
        _ => None,
    };
    for id in structure.exprs.ids() {
        budget.spend(1)?;
        let &Expr::Binary(op, a, b) = structure.exprs.get(id) else { continue };
        if let Binary::Min | Binary::Max | Binary::ShiftLeft | Binary::ShiftRight = op {
            continue;
        }
        let (Some((a, width)), Some((b, other))) = (word(a), word(b)) else { continue };
        let (Some(a), Some(b)) = (group_of[a.index()], group_of[b.index()]) else { continue };
        if width != other || a == b || groups[a].len() + groups[b].len() > MOST {
            continue;
        }
        let (first, second) = (a.min(b), a.max(b));
        let moved = std::mem::take(&mut groups[second]);
        for variable in &moved {
            group_of[variable.index()] = Some(first);
        }
        groups[first].extend(moved);
    }
    groups.retain(|group| !group.is_empty());
    Ok(groups)
}
