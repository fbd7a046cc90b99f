//! Label expressions: boolean combinations of propositions by number, with aliases.
//!
//! Aliases are written out where they are used. That can make a short text an exponentially large
//! guard, so both the nesting and the size of all labels together are bounded.

use super::lexer::{Kind, Tokens};
use crate::automaton::guard::Guard;
use loris_base::Diagnostic;
use rustc_hash::FxHashMap;

/// How deep operators, brackets and aliases may nest.
const MAX_NESTING: usize = 200;
/// How many operators all labels of a file may have together.
const MAX_SIZE: usize = 1 << 22;

/// The names a label can refer to.
#[derive(Default)]
pub(super) struct Labels {
    aliases: FxHashMap<String, Label>,
    /// Operators made so far.
    size: usize,
}

#[derive(Clone)]
pub(super) struct Label {
    pub(super) guard: Guard,
    size: usize,
    depth: usize,
}

impl Labels {
    pub(super) fn define(&mut self, name: String, label: Label) {
        self.aliases.insert(name, label);
    }

    /// Another copy of a label, if there is room for it.
    pub(super) fn copy(&mut self, label: &Label, at: u64) -> Result<Guard, Diagnostic> {
        self.grow(label.size, at)?;
        Ok(label.guard.clone())
    }

    pub(super) fn grow(&mut self, size: usize, at: u64) -> Result<(), Diagnostic> {
        self.size = self.size.saturating_add(size);
        if self.size > MAX_SIZE {
            let message = format!("the labels of this file have more than {MAX_SIZE} operators");
            return Err(Diagnostic::error(at, 1, message));
        }
        Ok(())
    }

    /// Reads a label expression over this many propositions.
    pub(super) fn parse(
        &mut self,
        tokens: &mut Tokens<'_, '_>,
        propositions: Option<usize>,
    ) -> Result<Label, Diagnostic> {
        self.disjunction(tokens, propositions, 0)
    }

    fn disjunction(
        &mut self,
        tokens: &mut Tokens<'_, '_>,
        propositions: Option<usize>,
        depth: usize,
    ) -> Result<Label, Diagnostic> {
        let mut parts = vec![self.conjunction(tokens, propositions, depth + 1)?];
        while tokens.take_sign('|') {
            parts.push(self.conjunction(tokens, propositions, depth + 1)?);
        }
        Ok(joined(parts, Guard::Or))
    }

    fn conjunction(
        &mut self,
        tokens: &mut Tokens<'_, '_>,
        propositions: Option<usize>,
        depth: usize,
    ) -> Result<Label, Diagnostic> {
        let mut parts = vec![self.operand(tokens, propositions, depth + 1)?];
        while tokens.take_sign('&') {
            parts.push(self.operand(tokens, propositions, depth + 1)?);
        }
        Ok(joined(parts, Guard::And))
    }

    fn operand(
        &mut self,
        tokens: &mut Tokens<'_, '_>,
        propositions: Option<usize>,
        depth: usize,
    ) -> Result<Label, Diagnostic> {
        let unexpected =
            tokens.unexpected("a label: `t`, `f`, a number of a proposition, an alias, `!` or `(`");
        let at = unexpected.offset.unwrap_or(0);
        let too_deep =
            || Diagnostic::error(at, 1, format!("labels nest more than {MAX_NESTING} levels deep"));
        if depth > MAX_NESTING {
            return Err(too_deep());
        }
        self.grow(1, at)?;
        let leaf = |guard: Guard| Ok(Label { guard, size: 1, depth: 1 });
        match tokens.kind().clone() {
            Kind::Word(word) if word == "t" || word == "f" => {
                tokens.take();
                leaf(if word == "t" { Guard::True } else { Guard::False })
            }
            Kind::Int(number) => {
                let token = tokens.take();
                if propositions.is_some_and(|count| number >= count as u64) || u32::try_from(number).is_err()
                {
                    let count = propositions.unwrap_or(0);
                    let message = format!("there is no proposition {number}: `AP:` announces {count}");
                    return Err(Diagnostic::error(at, token.length, message).help("they are numbered from 0"));
                }
                leaf(Guard::Atom(number as u32))
            }
            Kind::Alias(name) => {
                let token = tokens.take();
                let Some(label) = self.aliases.get(&name).cloned() else {
                    let problem = Diagnostic::error(at, token.length, format!("there is no alias `@{name}`"));
                    return Err(problem.help("define it before, with `Alias:`"));
                };
                self.grow(label.size, at)?;
                if depth + label.depth > MAX_NESTING { Err(too_deep()) } else { Ok(label) }
            }
            Kind::Sign('!') => {
                tokens.take();
                let label = self.operand(tokens, propositions, depth + 1)?;
                let guard = Guard::Not(Box::new(label.guard));
                Ok(Label { guard, size: label.size + 1, depth: label.depth + 1 })
            }
            Kind::Sign('(') => {
                tokens.take();
                let label = self.disjunction(tokens, propositions, depth + 1)?;
                if tokens.take_sign(')') { Ok(label) } else { Err(tokens.unexpected("`&`, `|` or `)`")) }
            }
            _ => Err(unexpected),
        }
    }
}

fn joined(mut parts: Vec<Label>, join: fn(Vec<Guard>) -> Guard) -> Label {
    if parts.len() == 1 {
        return parts.remove(0);
    }
    let size = parts.iter().map(|part| part.size).sum::<usize>() + 1;
    let depth = parts.iter().map(|part| part.depth).max().unwrap_or(0) + 1;
    Label { guard: join(parts.into_iter().map(|part| part.guard).collect()), size, depth }
}
