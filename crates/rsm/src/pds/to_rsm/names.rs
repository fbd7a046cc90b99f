//! Names for nodes, components and boxes: those of the symbols, told apart where they must be.

use super::heads::Heads;
use loris_base::{Idx, Names, Symbol};
use rustc_hash::FxHashMap;

/// The names of the machine.
pub(super) struct Naming {
    pub(super) names: Names,
    /// per head, the name of its node: the symbol, with the control state where it occurs with several and
    /// this is not the one most heads have
    pub(super) of_head: Vec<Symbol>,
    /// per position of a control state that is returned into, the name of exits after such a pop
    pub(super) of_exit: Vec<Symbol>,
    /// per name that others were made from, the number to try next
    next: FxHashMap<Symbol, u32>,
}

impl Naming {
    pub(super) fn of(heads: &Heads) -> Self {
        // the number of a symbol is that of its name
        let mut names = heads.pds.symbols.clone();
        let mut uses = vec![0u8; names.len()];
        let mut heads_of = vec![0usize; heads.pds.controls.len()];
        for head in &heads.list {
            let count = &mut uses[head.symbol.index()];
            *count = count.saturating_add(1);
            heads_of[head.control.index()] += 1;
        }
        let most = heads_of.iter().max();
        let usual = heads_of.iter().position(|count| Some(count) == most);
        let mut of_head = Vec::with_capacity(heads.len());
        for head in &heads.list {
            of_head.push(if uses[head.symbol.index()] == 1 || Some(head.control.index()) == usual {
                Symbol::new(head.symbol.index())
            } else {
                let (symbol, control) =
                    (heads.pds.symbol_name(head.symbol), heads.pds.control_name(head.control));
                unused(&mut names, format!("{symbol}@{control}"))
            });
        }
        let returns = heads.returns.iter();
        let of_exit = returns
            .map(|&control| unused(&mut names, format!("return@{}", heads.pds.control_name(control))))
            .collect();
        Self { names, of_head, of_exit, next: FxHashMap::default() }
    }

    /// A name like this one that nothing has.
    pub(super) fn like(&mut self, name: Symbol) -> Symbol {
        let number = self.next.entry(name).or_insert(1);
        loop {
            *number += 1;
            let text = format!("{}~{number}", &self.names[name]);
            if self.names.find(&text).is_none() {
                return self.names.intern(&text);
            }
        }
    }

    /// This name, or one like it if something has it.
    pub(super) fn fresh(&mut self, text: &str) -> Symbol {
        unused(&mut self.names, text.to_owned())
    }
}

fn unused(names: &mut Names, mut text: String) -> Symbol {
    while names.find(&text).is_some() {
        text.push('\'');
    }
    names.intern(&text)
}
