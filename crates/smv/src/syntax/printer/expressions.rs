//! Expressions, on one line.

use super::super::ast::{Bounds, Expr, ExprId, Exprs, Function, Unary};
use super::super::operators::{CONDITIONAL, LOOSEST, PREFIX, PRIMARY, TEMPORAL, level};
use loris_base::{Names, Symbol};
use std::fmt::{self, Write};

/// One expression, as it stands in the canonical form: `counter = 2`, `p1.state = idle`.
pub fn print_expr(exprs: &Exprs, names: &Names, id: ExprId) -> String {
    let mut text = String::new();
    write_expr(exprs, names, id, &mut text).expect("strings take everything");
    text
}

/// Writes one expression in the canonical form.
pub fn write_expr(exprs: &Exprs, names: &Names, id: ExprId, out: &mut dyn Write) -> fmt::Result {
    write(exprs, names, id, LOOSEST, out)
}

/// Work left for the printer; the next item on top.
#[derive(Clone, Copy)]
enum Task {
    Text(&'static str),
    Name(Symbol),
    /// `BU` and its bounds.
    Steps(Bounds),
    /// An expression, in brackets if it is looser than that.
    Expr(ExprId, u8),
}

struct Writer<'e> {
    exprs: &'e Exprs,
    names: &'e Names,
    tasks: Vec<Task>,
}

/// Writes an expression where one at least as tight as `level` must stand.
pub(super) fn write(exprs: &Exprs, names: &Names, id: ExprId, level: u8, out: &mut dyn Write) -> fmt::Result {
    let mut writer = Writer { exprs, names, tasks: vec![Task::Expr(id, level)] };
    while let Some(task) = writer.tasks.pop() {
        match task {
            Task::Text(text) => out.write_str(text)?,
            Task::Name(symbol) => out.write_str(&names[symbol])?,
            Task::Steps(Bounds { low, high }) => write!(out, " BU {low}..{high} ")?,
            Task::Expr(id, level) => writer.expr(id, level, out)?,
        }
    }
    Ok(())
}

/// Whether the first thing written is a `{` or `floor(`, or would be without brackets: types that
/// are not ranges start with these.
pub(super) fn starts_like_type(exprs: &Exprs, mut id: ExprId) -> bool {
    loop {
        match exprs.nodes[id] {
            Expr::Set(_) | Expr::Apply(Function::Floor, _) => return true,
            Expr::Binary(_, first, _)
            | Expr::Conditional(first, ..)
            | Expr::Index(first, _)
            | Expr::Bits(first, ..)
            | Expr::Dot(first, _) => id = first,
            _ => return false,
        }
    }
}

impl Writer<'_> {
    fn expr(&mut self, id: ExprId, wanted: u8, out: &mut dyn Write) -> fmt::Result {
        let expr = &self.exprs.nodes[id];
        let own = level(expr);
        let wanted = if own < wanted {
            out.write_char('(')?;
            self.tasks.push(Task::Text(")"));
            LOOSEST
        } else {
            wanted
        };
        match expr {
            Expr::Boolean(value) => out.write_str(if *value { "TRUE" } else { "FALSE" })?,
            Expr::Integer(number) => write!(out, "{number}")?,
            &Expr::Word { signed, width, bits } => word(signed, width, bits, out)?,
            Expr::Name(symbol) => out.write_str(&self.names[*symbol])?,
            Expr::Exit => out.write_str("EXIT")?,
            Expr::This => out.write_str("self")?,
            &Expr::Dot(whole, name) => {
                self.later(&[Task::Expr(whole, PRIMARY), Task::Text("."), Task::Name(name)]);
            }
            &Expr::Index(array, index) => {
                let index = Task::Expr(index, LOOSEST);
                self.later(&[Task::Expr(array, PRIMARY), Task::Text("["), index, Task::Text("]")]);
            }
            &Expr::Bits(word, high, low) => self.later(&[
                Task::Expr(word, PRIMARY),
                Task::Text("["),
                Task::Expr(high, LOOSEST),
                Task::Text(" : "),
                Task::Expr(low, LOOSEST),
                Task::Text("]"),
            ]),
            &Expr::Unary(unary, operand) => self.unary(unary, operand, wanted, out)?,
            &Expr::Binary(binary, left, right) => {
                let (left_level, right_level) =
                    if binary.groups_right() { (own + 1, own) } else { (own, own + 1) };
                let (left, right) = (Task::Expr(left, left_level), Task::Expr(right, right_level));
                self.later(&[left, Task::Text(binary.sign()), right]);
            }
            &Expr::Conditional(condition, yes, no) => self.later(&[
                Task::Expr(condition, CONDITIONAL + 1),
                Task::Text(" ? "),
                Task::Expr(yes, LOOSEST),
                Task::Text(" : "),
                Task::Expr(no, CONDITIONAL),
            ]),
            Expr::Case(branches) => {
                out.write_str("case ")?;
                self.tasks.push(Task::Text("esac"));
                for &(condition, value) in branches.iter().rev() {
                    let (condition, value) = (Task::Expr(condition, LOOSEST), Task::Expr(value, LOOSEST));
                    self.later(&[condition, Task::Text(" : "), value, Task::Text("; ")]);
                }
            }
            Expr::Set(elements) => {
                out.write_char('{')?;
                self.list(elements, "}");
            }
            Expr::List(elements) => {
                out.write_char('[')?;
                self.list(elements, "]");
            }
            Expr::Apply(Function::ConstArray, operands) if operands.len() == 2 => {
                out.write_str("CONSTARRAY(typeof(")?;
                let (array, value) = (Task::Expr(operands[0], LOOSEST), Task::Expr(operands[1], LOOSEST));
                self.later(&[array, Task::Text("), "), value, Task::Text(")")]);
            }
            &Expr::Next(operand) => {
                out.write_str("next(")?;
                self.list(&[operand], ")");
            }
            Expr::Apply(function, operands) => {
                write!(out, "{}(", function.name())?;
                self.list(operands, ")");
            }
            // `U` is the loosest between these brackets, but may be there only once
            &Expr::Quantified(some, left, right) => {
                out.write_str(if some { "E [ " } else { "A [ " })?;
                let (left, right) = (Task::Expr(left, TEMPORAL), Task::Expr(right, TEMPORAL));
                self.later(&[left, Task::Text(" U "), right, Task::Text(" ]")]);
            }
            &Expr::BoundedUntil(some, bounds, left, right) => {
                out.write_str(if some { "E [ " } else { "A [ " })?;
                let (left, right) = (Task::Expr(left, TEMPORAL), Task::Expr(right, TEMPORAL));
                self.later(&[left, Task::Steps(bounds), right, Task::Text(" ]")]);
            }
            Expr::Psl(operator, operands) => {
                write!(out, "({operator:?} ")?;
                self.list(operands, ")");
            }
            &Expr::Bounded(operator, Bounds { low, high }, operand) => {
                let [before, between, after] = operator.signs();
                write!(out, "{before}{low}{between}{high}{after}")?;
                self.tasks.push(Task::Expr(operand, TEMPORAL));
            }
        }
        Ok(())
    }

    /// Puts off the next item.
    fn later(&mut self, tasks: &[Task]) {
        self.tasks.extend(tasks.iter().rev());
    }

    /// Puts off a list and its closing token.
    fn list(&mut self, ids: &[ExprId], close: &'static str) {
        self.tasks.push(Task::Text(close));
        for (i, &id) in ids.iter().enumerate().rev() {
            self.tasks.push(Task::Expr(id, LOOSEST));
            if i > 0 {
                self.tasks.push(Task::Text(", "));
            }
        }
    }

    fn unary(&mut self, unary: Unary, operand: ExprId, wanted: u8, out: &mut dyn Write) -> fmt::Result {
        let inner = &self.exprs.nodes[operand];
        match unary {
            Unary::Not | Unary::Minus => {
                out.write_str(unary.sign())?;
                let dashes = matches!(inner, Expr::Unary(Unary::Minus, _) | Expr::Integer(i64::MIN..0));
                if unary == Unary::Minus && dashes {
                    // `--` starts a comment
                    out.write_char(' ')?;
                }
                // `!EX a` needs no brackets, unless a comparison follows that `EX` would take
                let chain = matches!(inner, Expr::Unary(Unary::Not | Unary::Minus, _));
                let temporal = wanted <= TEMPORAL && (chain || level(inner) == TEMPORAL);
                self.tasks.push(Task::Expr(operand, if temporal { TEMPORAL } else { PREFIX }));
            }
            Unary::E | Unary::A if !matches!(inner, Expr::Unary(Unary::X | Unary::F | Unary::G, _)) => {
                write!(out, "{}(", unary.sign())?;
                self.list(&[operand], ")");
            }
            _ => {
                out.write_str(unary.sign())?;
                self.tasks.push(Task::Expr(operand, TEMPORAL));
            }
        }
        Ok(())
    }
}

fn word(signed: bool, width: u32, bits: u64, out: &mut dyn Write) -> fmt::Result {
    if !signed {
        return write!(out, "0ud{width}_{bits}");
    }
    let shift = 64 - width.clamp(1, 64);
    let value = bits.cast_signed() << shift >> shift;
    write!(out, "0sd{width}_{value}")
}
