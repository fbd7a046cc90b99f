//! What tests of the meaning share: expressions as text, and their values.

use loris_smv::ir::{Binary, EXIT, Expr, ExprId, Program, SYMBOLS, Structure};

/// A value as text.
pub(crate) fn value(program: &Program, value: i64) -> String {
    match usize::try_from(value.wrapping_sub(SYMBOLS)) {
        _ if value == EXIT => "EXIT".to_owned(),
        Ok(k) if k < program.symbols.len() => program.symbols[k].clone(),
        _ => value.to_string(),
    }
}

/// An expression as text, all brackets written.
pub(crate) fn show(program: &Program, structure: &Structure, id: ExprId) -> String {
    let show = |id: ExprId| show(program, structure, id);
    let all = |ids: &[ExprId], sign: &str| ids.iter().map(|&id| show(id)).collect::<Vec<_>>().join(sign);
    match structure.exprs.get(id) {
        Expr::Value(v) => value(program, *v),
        Expr::Variable(v) => structure.variables[*v].name.clone(),
        Expr::Next(v) => format!("{}'", structure.variables[*v].name),
        Expr::Not(a) => format!("!{}", show(*a)),
        Expr::And(list) => format!("({})", all(list, " & ")),
        Expr::Or(list) => format!("({})", all(list, " | ")),
        Expr::Count(list) => format!("count({})", all(list, ", ")),
        Expr::Union(list) => format!("{{{}}}", all(list, ", ")),
        Expr::Range(a, b) => format!("{}..{}", show(*a), show(*b)),
        Expr::In(a, b) => format!("({} in {})", show(*a), show(*b)),
        Expr::Wrap { of, signed, width } => {
            format!("{}{width}({})", if *signed { "s" } else { "u" }, show(*of))
        }
        Expr::Case(branches) => {
            let branches: Vec<_> =
                branches.iter().map(|&(g, v)| format!("{}: {}", show(g), show(v))).collect();
            format!("case({})", branches.join("; "))
        }
        Expr::Select { index, low, elements } => format!("[{}]({}-{low})", all(elements, ", "), show(*index)),
        Expr::Binary(op, a, b) => {
            let sign = match op {
                Binary::Equal => "=",
                Binary::Unequal => "!=",
                Binary::Same => "<->",
                Binary::Differ => "</>",
                Binary::Less => "<",
                Binary::AtMost => "<=",
                Binary::Plus => "+",
                Binary::Minus => "-",
                Binary::Times => "*",
                Binary::Divide => "/",
                Binary::Modulo => "mod",
                Binary::BitAnd => "and",
                Binary::BitOr => "or",
                Binary::BitXor => "xor",
                Binary::ShiftLeft => "<<",
                Binary::ShiftRight => ">>",
                Binary::Min => "min",
                Binary::Max => "max",
            };
            format!("({} {sign} {})", show(*a), show(*b))
        }
    }
}
