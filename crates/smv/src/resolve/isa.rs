//! `ISA module`: the sections of that module, and of those it is itself, become sections of the
//! module that has the `ISA`.

use super::modules::{after_uses, report_cycle};
use super::problems::Problems;
use crate::syntax::ast::{File, Ident, Item};
use loris_base::Symbol;
use rustc_hash::FxHashMap;

/// More sections than any module has.
const MOST: usize = 1 << 20;

/// Adds the sections of other modules where `ISA` asks for them. Linear in the result.
pub(super) fn expand(file: &mut File, problems: &mut Problems<'_>) {
    let is_asked =
        file.modules.iter().flat_map(|module| &module.items).any(|item| matches!(item, Item::Isa(_)));
    if !is_asked {
        return;
    }
    let mut by_name: FxHashMap<Symbol, usize> = FxHashMap::default();
    for (i, module) in file.modules.iter().enumerate() {
        by_name.entry(module.name.name).or_insert(i);
    }
    let Some(order) = order(file, &by_name, problems) else { return };
    let mut total = 0;
    for module in order {
        let mut items = Vec::new();
        for item in std::mem::take(&mut file.modules[module].items) {
            let other = match &item {
                Item::Isa(name) => by_name.get(&name.name).copied(),
                _ => None,
            };
            items.push(item);
            items.extend(other.into_iter().flat_map(|other| file.modules[other].items.iter().cloned()));
        }
        total += items.len();
        file.modules[module].items = items;
        if total > MOST {
            let span = file.modules[module].name.span;
            problems.error(span, format!("with `ISA`, the modules have more than {MOST} sections"));
            return;
        }
    }
}

/// All modules, each after those that it is; none if a module is itself.
fn order(file: &File, by_name: &FxHashMap<Symbol, usize>, problems: &mut Problems<'_>) -> Option<Vec<usize>> {
    let mut uses: Vec<Vec<usize>> = Vec::new();
    for module in &file.modules {
        let named = module.items.iter().filter_map(|item| match item {
            Item::Isa(name) => Some(*name),
            _ => None,
        });
        uses.push(named.filter_map(|name| target(file, by_name, name, problems)).collect());
    }
    let mut fine = true;
    let order = after_uses(&uses, |cycle| {
        // one is enough to give up
        if std::mem::take(&mut fine) {
            report_cycle(file, "is", cycle, problems);
        }
    });
    fine.then_some(order)
}

/// The module that is meant, if it can be.
fn target(
    file: &File,
    by_name: &FxHashMap<Symbol, usize>,
    name: Ident,
    problems: &mut Problems<'_>,
) -> Option<usize> {
    let text = &file.names[name.name];
    let Some(&to) = by_name.get(&name.name) else {
        let known = file.modules.iter().map(|module| &file.names[module.name.name]);
        problems.unknown(name.span, format!("there is no module `{text}`"), known);
        return None;
    };
    if !file.modules[to].parameters.is_empty() {
        problems.error(name.span, format!("`{text}` has parameters, and `ISA` gives none"));
        return None;
    }
    Some(to)
}
