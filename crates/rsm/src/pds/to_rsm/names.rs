//! Names for nodes, components and boxes: those of the symbols, distinguished where they must be.

use super::heads::Heads;
use crate::name_table::NameTable;
use loris_base::{Budget, Exhausted, Idx, NameList, Names, Symbol};
use rustc_hash::FxHashMap;

/// The names of the machine.
pub(super) struct Naming {
    names: Texts,
    /// per head, the name of its node: the symbol, with the control state where it occurs with
    /// several and this is not the one most heads have
    pub(super) of_head: Vec<Symbol>,
    /// per position of a control state that is returned into, the name of exits after such a pop
    pub(super) of_exit: Vec<Symbol>,
    pub(super) of_label: Vec<Symbol>,
    /// per name that others were made from, the number to try next
    next: FxHashMap<Symbol, u32>,
}

/// Names on the way into a machine. A table that finds them is kept only where a name that is made
/// up could be one of them: made-up names have `@` or `~` where names of a program have none.
pub(super) enum Texts {
    Listed(NameList),
    Indexed(Names),
}

impl Texts {
    pub(super) fn of(symbols: Names, controls: &Names, labels: &Names) -> Self {
        let words = ["return", "unreachable"];
        let clear = !symbols.text().contains('@')
            && ![&symbols, controls, labels].iter().any(|names| names.text().contains('~'))
            && !words.iter().any(|word| symbols.find(word).is_some() || labels.find(word).is_some());
        if clear { Self::Listed(NameList::from(symbols)) } else { Self::Indexed(symbols) }
    }

    fn text(&self, name: Symbol) -> &str {
        match self {
            Self::Listed(names) => &names[name],
            Self::Indexed(names) => &names[name],
        }
    }

    /// Whether something has this name, which is made up.
    fn is_used(&self, text: &str) -> bool {
        match self {
            Self::Listed(_) => false,
            Self::Indexed(names) => names.find(text).is_some(),
        }
    }

    fn add(&mut self, text: &str) -> Symbol {
        match self {
            Self::Listed(names) => names.push(text),
            Self::Indexed(names) => names.intern(text),
        }
    }

    /// This name, or one like it if something has it.
    fn unused(&mut self, mut text: String) -> Symbol {
        while self.is_used(&text) {
            text.push('\'');
        }
        self.add(&text)
    }

    /// Bytes held.
    pub(super) fn bytes(&self) -> usize {
        match self {
            Self::Listed(names) => names.bytes(),
            Self::Indexed(names) => names.bytes(),
        }
    }
}

impl Naming {
    pub(super) fn of(
        mut names: Texts,
        heads: &Heads,
        controls: &Names,
        labels: &Names,
        budget: &mut Budget,
    ) -> Result<Self, Exhausted> {
        budget.charge(4 * heads.len() + 8 * controls.len())?;
        budget.spend(2 * heads.len())?;
        let mut heads_of = vec![0usize; controls.len()];
        heads.control.iter().for_each(|&control| heads_of[control as usize] += 1);
        let most = heads_of.iter().max();
        let usual = heads_of.iter().position(|count| Some(count) == most);
        let usual = usual.map_or(0, |control| control as u32);
        let mut of_head = Vec::with_capacity(heads.len());
        for (&symbol, &control) in heads.symbol.iter().zip(&heads.control) {
            let plain = Symbol::new(symbol as usize);
            of_head.push(if control == usual || heads.by_symbol.row(symbol as usize).len() == 1 {
                plain
            } else {
                let control = &controls[Symbol::new(control as usize)];
                let text = format!("{}@{control}", names.text(plain));
                budget.charge(text.len() + 4)?;
                names.unused(text)
            });
        }
        let returns = heads.returns.iter().map(|&control| &controls[Symbol::new(control as usize)]);
        let of_exit = returns.map(|control| names.unused(format!("return@{control}"))).collect();
        let of_label = labels.iter().map(|label| names.add(label)).collect();
        Ok(Self { names, of_head, of_exit, of_label, next: FxHashMap::default() })
    }

    /// The text of a name.
    pub(super) fn text(&self, name: Symbol) -> &str {
        self.names.text(name)
    }

    /// A name like this one that nothing has.
    pub(super) fn like(&mut self, name: Symbol) -> Symbol {
        let number = self.next.entry(name).or_insert(1);
        loop {
            *number += 1;
            let text = format!("{}~{number}", self.names.text(name));
            if !self.names.is_used(&text) {
                return self.names.add(&text);
            }
        }
    }

    /// This name, or one like it if something has it.
    pub(super) fn fresh(&mut self, text: &str) -> Symbol {
        self.names.unused(text.to_owned())
    }

    /// All names, and nothing else.
    pub(super) fn into_table(self) -> NameTable {
        NameTable::from_list(match self.names {
            Texts::Listed(names) => names,
            Texts::Indexed(names) => names.into(),
        })
    }
}
