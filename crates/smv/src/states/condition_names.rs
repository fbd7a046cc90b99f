//! Small conditions in words, as names for labels without one: fairness is shown in evidence.

use super::layout::print;
use crate::ir::{Binary, Domain, Expr, ExprId, Structure};

/// How a condition could have been written; nothing for long ones.
pub(super) fn condition(structure: &Structure, symbols: &[String], expr: ExprId) -> Option<String> {
    let words = Printer { structure, symbols };
    words.print(expr, 0, DEPTH).filter(|text| text.len() <= LONGEST)
}

const LONGEST: usize = 60;
const DEPTH: u32 = 8;

struct Printer<'a> {
    structure: &'a Structure,
    symbols: &'a [String],
}

/// How tight operators bind.
const OR: u32 = 1;
const AND: u32 = 2;
const COMPARE: u32 = 3;
const PLUS: u32 = 4;
const TIMES: u32 = 5;
const NOT: u32 = 6;

impl Printer<'_> {
    /// An operand of an operator that binds like `outer`.
    fn print(&self, expr: ExprId, outer: u32, depth: u32) -> Option<String> {
        let depth = depth.checked_sub(1)?;
        let (text, own) = match self.structure.exprs.get(expr) {
            Expr::Value(value) => (print(self.symbols, &Domain::Range(0, 0), *value), NOT + 1),
            Expr::Variable(variable) => (self.structure.variables[*variable].name.clone(), NOT + 1),
            Expr::Not(of) => (format!("!{}", self.print(*of, NOT, depth)?), NOT),
            Expr::And(all) => (self.joined(all, " & ", AND, depth)?, AND),
            Expr::Or(all) => (self.joined(all, " | ", OR, depth)?, OR),
            Expr::Binary(op, a, b) => {
                let (word, own) = match op {
                    Binary::Equal | Binary::Same => ("=", COMPARE),
                    Binary::Unequal | Binary::Differ => ("!=", COMPARE),
                    Binary::Less => ("<", COMPARE),
                    Binary::AtMost => ("<=", COMPARE),
                    Binary::Plus => ("+", PLUS),
                    Binary::Minus => ("-", PLUS),
                    Binary::Times => ("*", TIMES),
                    Binary::Modulo => ("mod", TIMES),
                    _ => return None,
                };
                let side = |of: ExprId, other: ExprId, outer: u32| match (
                    self.structure.exprs.get(of),
                    self.structure.exprs.get(other),
                ) {
                    // a truth value is distinguished from a number by the operand it is compared
                    // with
                    (Expr::Value(value), Expr::Variable(variable)) => {
                        Some(print(self.symbols, &self.structure.variables[*variable].domain, *value))
                    }
                    _ => self.print(of, outer, depth),
                };
                (format!("{} {word} {}", side(*a, *b, own)?, side(*b, *a, own + 1)?), own)
            }
            _ => return None,
        };
        Some(if own < outer { format!("({text})") } else { text })
    }

    fn joined(&self, all: &[ExprId], word: &str, own: u32, depth: u32) -> Option<String> {
        let parts: Option<Vec<String>> = all.iter().map(|&of| self.print(of, own, depth)).collect();
        parts.map(|parts| parts.join(word))
    }
}
