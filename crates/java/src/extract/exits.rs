//! The exits of methods by exceptions.
//!
//! Two types of exceptions are of one kind if all handlers of the program treat them alike. Methods
//! that throw the same set of types have the same exits: one for each kind, or one for all if these
//! are many.

use crate::calls::CallGraph;
use crate::program::{Program, dotted};
use crate::throws::{Throws, is_broad};
use loris_base::Symbol;
use loris_rsm::RsmBuilder;
use rustc_hash::FxHashMap;

/// The most exits for exceptions.
const MOST: usize = 6;

/// An exit by an exception.
#[derive(Clone, Debug)]
pub(super) struct Exit {
    /// The name of its node.
    pub(super) name: Symbol,
    /// One type of each kind that leaves here, and those that are broad.
    pub(super) kinds: Vec<Symbol>,
    /// Whether some are: what a method lets pass of these depends on what it declares.
    pub(super) broad: bool,
    /// All types that leave here.
    pub(super) types: Vec<Symbol>,
}

/// The exits of all sets of exceptions.
pub(super) struct Exits {
    kind_of: FxHashMap<Symbol, u32>,
    /// For each set, its exits and the exit of each kind.
    of: Vec<(Vec<Exit>, FxHashMap<u32, usize>)>,
}

impl Exits {
    pub(super) fn new(
        program: &Program,
        graph: &CallGraph,
        throws: &Throws,
        builder: &mut RsmBuilder,
    ) -> Self {
        let mut caught: Vec<Symbol> = Vec::new();
        for &method in graph.reachable() {
            if let Some(code) = &program.method(method).code {
                caught.extend(code.handlers.iter().filter_map(|handler| handler.caught));
            }
        }
        caught.sort_unstable();
        caught.dedup();
        let mut kinds: FxHashMap<Vec<u8>, u32> = FxHashMap::default();
        let mut kind_of: FxHashMap<Symbol, u32> = FxHashMap::default();
        let mut firsts: Vec<Symbol> = Vec::new();
        let mut of = Vec::new();
        for number in 0..throws.set_count() {
            let types = throws.set(number);
            let mut by_kind: Vec<(u32, Vec<Symbol>)> = Vec::new();
            for &name in types {
                let kind = *kind_of.entry(name).or_insert_with(|| {
                    let signature: Vec<u8> =
                        caught.iter().map(|&caught| throws.caught_as(program, caught, name)).collect();
                    let next = kinds.len() as u32;
                    let kind = *kinds.entry(signature).or_insert(next);
                    if kind == next {
                        firsts.push(name);
                    }
                    kind
                });
                match by_kind.iter_mut().find(|(known, _)| *known == kind) {
                    Some((_, types)) => types.push(name),
                    None => by_kind.push((kind, vec![name])),
                }
            }
            let mut exit = |name: &str, mut kinds: Vec<Symbol>, types: Vec<Symbol>| {
                let broad: Vec<Symbol> =
                    types.iter().copied().filter(|&name| is_broad(program, name)).collect();
                let is_broad = !broad.is_empty();
                kinds.extend(broad);
                kinds.sort_unstable();
                kinds.dedup();
                Exit { name: builder.symbol(name), kinds, broad: is_broad, types }
            };
            let mut exit_of = FxHashMap::default();
            let mut exits = Vec::new();
            if by_kind.len() > MOST {
                exit_of.extend(by_kind.iter().map(|(kind, _)| (*kind, 0)));
                let kinds = by_kind.iter().map(|(kind, _)| firsts[*kind as usize]).collect();
                exits.push(exit("throw", kinds, types.to_vec()));
            } else {
                for (kind, types) in by_kind {
                    exit_of.insert(kind, exits.len());
                    let first = types[0];
                    let name = format!("throw {}", dotted(&program.names[first]));
                    exits.push(exit(&name, vec![first], types));
                }
            }
            of.push((exits, exit_of));
        }
        Self { kind_of, of }
    }

    /// The exits of methods that throw a set.
    pub(super) fn of(&self, set: u32) -> &[Exit] {
        self.of.get(set as usize).map_or(&[], |(exits, _)| exits)
    }

    /// The exits of methods that throw a set for some of its types, each once.
    pub(super) fn for_types(&self, set: u32, types: &[Symbol]) -> Vec<Symbol> {
        let Some((exits, exit_of)) = self.of.get(set as usize) else { return Vec::new() };
        let mut found: Vec<usize> = types
            .iter()
            .filter_map(|name| self.kind_of.get(name).and_then(|kind| exit_of.get(kind)).copied())
            .collect();
        found.sort_unstable();
        found.dedup();
        found.into_iter().map(|exit| exits[exit].name).collect()
    }
}
