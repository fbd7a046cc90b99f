//! Rules that push three symbols or more, in rules that push two. No step is added.
//!
//! A fresh symbol `F(u)` stands for the word `u = b₁…bₘ` on the stack and acts as `b₁` does on top
//! of the others: a rule `b₁ → v` becomes `F(u) → F(v) F(b₂…bₘ)`, where `F` of one symbol is that
//! symbol and of none is nothing. Only right-hand sides and their suffixes occur as `u`, so there
//! are no more fresh symbols than symbols in long words and in the words of `b₁`; fresh rules are
//! at most these times the rules of a symbol. The configurations of both systems correspond step by
//! step.

use super::scan::{Problem, Token};
use super::{HeadLabel, Pds, PdsRule, StackSymbol, StackWord};
use crate::account::names_ahead;
use loris_base::{Budget, Csr, Diagnostic, Exhausted, Idx};
use rustc_hash::FxHashMap;

/// The whole word of a rule that has only its first two symbols.
pub(super) struct LongWord {
    pub(super) rule: usize,
    pub(super) symbols: Vec<StackSymbol>,
}

/// The longest word of a rule: a file has no use for longer ones, and their suffixes are all kept.
pub(super) const LONGEST: usize = 256;

/// The problem of a word that is longer; the symbol is the first too many, or comes after it.
pub(super) fn too_long(symbol: Token) -> Problem {
    Problem::from(symbol.problem(format!("a rule pushes at most {LONGEST} symbols")))
}

/// Replaces long words. Returns the fresh symbols, each with the one it acts as.
///
/// # Errors
/// If that takes many times the rules there are, or the budget is used up.
pub(super) fn split(pds: &mut Pds, long: &[LongWord], budget: &mut Budget) -> Result<Split, Exhausted> {
    if long.is_empty() {
        return Ok(Ok(Vec::new()));
    }
    // the rules as they are, twice and in order, and long words by their rules
    let copied = 24 * pds.rules.len() + 8 * pds.rules.len() + 32 * long.len();
    budget.charge(copied)?;
    let mut held = 0;
    let old_rules = pds.rules.clone();
    let most = 16 * old_rules.len() + (1 << 20);
    let rules_of = Csr::from_pairs(
        pds.symbols.len(),
        old_rules.iter().enumerate().map(|(i, rule)| (rule.symbol.index() as u32, i as u32)),
    );
    let long_of: FxHashMap<usize, &[StackSymbol]> =
        long.iter().map(|word| (word.rule, word.symbols.as_slice())).collect();
    let mut fresh = Fresh { numbers: FxHashMap::default(), words: Vec::new() };
    for word in long {
        let below = fresh.symbol(pds, &word.symbols[1..]);
        pds.rules.set_word(word.rule, StackWord::Push(word.symbols[0], below));
    }
    let mut next = 0;
    while let Some((symbol, word)) = fresh.words.get(next).cloned() {
        next += 1;
        let rules = rules_of.row(word[0].index()).len();
        budget.spend(1 + rules)?;
        // a word is kept twice, and its suffix may become one
        let words = 128 * (fresh.words.len() + rules);
        budget
            .grow(&mut held, pds.rules.bytes_ahead(rules) + names_ahead(&pds.symbols, 64 * rules) + words)?;
        let rest = fresh.symbol(pds, &word[1..]);
        for &i in rules_of.row(word[0].index()) {
            let rule = old_rules.get(i as usize);
            let replaced = match (long_of.get(&(i as usize)), rule.word) {
                (Some(symbols), _) => StackWord::Push(fresh.symbol(pds, symbols), rest),
                (None, StackWord::Pop) => StackWord::Swap(rest),
                (None, StackWord::Swap(top)) => StackWord::Push(top, rest),
                (None, StackWord::Push(top, below)) => {
                    StackWord::Push(fresh.symbol(pds, &[top, below]), rest)
                }
            };
            if pds.rules.len() > most {
                let message = "this rule pushes more than two symbols, which takes too many rules of two";
                let offset = u64::from(pds.rules.get(long[0].rule).offset);
                return Ok(Err(Problem::from(Diagnostic::error(offset, 1, message))));
            }
            pds.rules.push(PdsRule { symbol, word: replaced, ..rule });
        }
    }
    budget.release(copied + held);
    Ok(Ok(fresh.words.iter().map(|(symbol, word)| (*symbol, word[0])).collect()))
}

/// The fresh symbols, each with the one it acts as, or why there would be too many.
type Split = Result<Vec<(StackSymbol, StackSymbol)>, Problem>;

struct Fresh {
    numbers: FxHashMap<Vec<StackSymbol>, StackSymbol>,
    words: Vec<(StackSymbol, Vec<StackSymbol>)>,
}

impl Fresh {
    /// The symbol that stands for a word.
    fn symbol(&mut self, pds: &mut Pds, word: &[StackSymbol]) -> StackSymbol {
        if let [only] = *word {
            return only;
        }
        if let Some(&symbol) = self.numbers.get(word) {
            return symbol;
        }
        let mut name = format!("{}+{}", pds.symbol_name(word[0]), self.words.len() + 1);
        while pds.symbols.find(&name).is_some() {
            name.push('\'');
        }
        let symbol = StackSymbol::new(pds.symbols.intern(&name).index());
        self.numbers.insert(word.to_vec(), symbol);
        self.words.push((symbol, word.to_vec()));
        symbol
    }
}

/// Copies the labels of symbols to the fresh ones that act as they do.
pub(super) fn copy_labels(pds: &mut Pds, acts_as: &[(StackSymbol, StackSymbol)]) {
    if acts_as.is_empty() {
        return;
    }
    let mut copies: FxHashMap<StackSymbol, Vec<StackSymbol>> = FxHashMap::default();
    for &(symbol, model) in acts_as {
        copies.entry(model).or_default().push(symbol);
    }
    let of_symbol: Vec<(StackSymbol, HeadLabel)> = pds.symbol_labels.clone();
    for (symbol, label) in of_symbol {
        pds.symbol_labels.extend(copies.get(&symbol).into_iter().flatten().map(|&copy| (copy, label)));
    }
    for (control, symbol, label) in pds.head_labels.clone() {
        pds.head_labels.extend(copies.get(&symbol).into_iter().flatten().map(|&copy| (control, copy, label)));
    }
}
