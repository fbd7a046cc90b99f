//! Formulas as text that can be read again.

use super::formula::{Extremum, Mu, MuFormula, MuId};
use std::fmt::{self, Write as _};

/// How many bytes of a formula are printed.
const MAX_PRINTED: usize = 32 << 20;

/// How tightly an operator binds; a binder reaches as far to the right as possible.
fn strength(node: Mu) -> u8 {
    match node {
        Mu::Fix(..) => 0,
        Mu::Or(..) => 1,
        Mu::And(..) => 2,
        _ => 3,
    }
}

impl MuFormula {
    /// A subformula as text; variables that are bound outside it keep their names. Subformulas that
    /// are shared are written out each time, so a text that grows too long ends in `…`.
    pub fn print(&self, id: MuId) -> String {
        let mut text = String::new();
        let mut stack = vec![Piece::Node(id, 0)];
        while let Some(piece) = stack.pop() {
            if text.len() > MAX_PRINTED {
                text.push('…');
                break;
            }
            match piece {
                Piece::Text(sign) => text.push_str(sign),
                Piece::Node(id, outer) => self.open(id, outer, &mut text, &mut stack),
            }
        }
        text
    }

    fn open(&self, id: MuId, outer: u8, text: &mut String, stack: &mut Vec<Piece>) {
        let node = self.node(id);
        let own = strength(node);
        let bracket = own < outer;
        if bracket {
            text.push('(');
            stack.push(Piece::Text(")"));
        }
        match node {
            Mu::True => text.push_str("tt"),
            Mu::False => text.push_str("ff"),
            Mu::Atom(atom) => text.push_str(&written_atom(&self.atoms()[atom])),
            Mu::NotAtom(atom) => {
                text.push('!');
                text.push_str(&written_atom(&self.atoms()[atom]));
            }
            Mu::Var(variable) => text.push_str(self.variable(variable)),
            Mu::And(f, g) | Mu::Or(f, g) => {
                stack.push(Piece::Node(g, own + 1));
                stack.push(Piece::Text(if own == 2 { " & " } else { " | " }));
                // grouping is to the left
                stack.push(Piece::Node(f, own.max(1)));
            }
            Mu::Diamond(set, f) | Mu::Box(set, f) => {
                let set = self.actions(set);
                let (open, close) = if matches!(node, Mu::Diamond(..)) { ('<', '>') } else { ('[', ']') };
                text.push(open);
                if !set.is_all() {
                    let _ = write!(text, "{set}");
                }
                text.push(close);
                stack.push(Piece::Node(f, 3));
            }
            Mu::Fix(extremum, variable, body) => {
                text.push_str(if extremum == Extremum::Least { "mu " } else { "nu " });
                text.push_str(self.variable(variable));
                text.push_str(". ");
                stack.push(Piece::Node(body, 0));
            }
        }
    }
}

enum Piece {
    Text(&'static str),
    /// a subformula and the strength it needs to stand without brackets
    Node(MuId, u8),
}

/// A label, in quotes where it could be taken for something else.
fn written_atom(name: &str) -> String {
    let plain = name.starts_with(|c: char| c == '_' || c.is_alphanumeric())
        && name.chars().all(|c| c == '_' || c.is_alphanumeric())
        && !super::parser::is_word(name);
    if plain { name.to_owned() } else { format!("\"{}\"", name.replace('\\', "\\\\").replace('"', "\\\"")) }
}

impl fmt::Display for MuFormula {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.print(self.root()))
    }
}
