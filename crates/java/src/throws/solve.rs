//! The least fixpoint of what leaves methods and virtual calls, over sets of bits.

use super::facts::{Facts, Thrower, Thrown, facts};
use super::flow::Source;
use super::types::Types;
use super::{ThrowOptions, Throws};
use crate::calls::{CallGraph, Callee};
use crate::program::{MethodId, Program};
use loris_base::{BitRows, Budget, Csr, Exhausted, Idx, Symbol, clear_bit, has_bit, ones, set_bit, unite};
use rustc_hash::FxHashMap;

pub(super) fn throws(
    program: &Program,
    graph: &CallGraph,
    options: ThrowOptions,
    budget: &mut Budget,
) -> Result<Throws, Exhausted> {
    let mut types = Types::default();
    let mut all: Vec<Option<Facts>> = vec![None; program.method_count()];
    let mut declared: Vec<(MethodId, Vec<u32>)> = Vec::new();
    for &id in graph.reachable() {
        // code that is damaged is known by its declaration only
        if let Some(body) = program.body(id).ok().flatten() {
            budget.spend(body.instructions.len())?;
            let found = facts(program, graph, options, id, &body, &mut types);
            budget.charge(48 * found.throwers.len() + 64)?;
            all[id.index()] = Some(found);
        } else {
            let exceptions = &program.method(id).exceptions;
            declared.push((id, exceptions.iter().map(|&name| types.number(name)).collect()));
        }
    }
    types.relate(program);
    let methods = program.method_count();
    let variables = methods + graph.dispatch_count();
    budget.charge(8 * types.words() * variables + 12 * graph.site_count())?;
    let mut solve = Solve { types: &types, methods, sets: BitRows::new(variables, types.list.len()) };
    for (id, exceptions) in declared {
        for number in exceptions {
            solve.sets.insert(id.index(), number as usize);
        }
    }
    solve.run(graph, &all, budget)?;
    let sets = solve.sets;
    Ok(finish(program, options, types, &all, (sets, variables)))
}

struct Solve<'t> {
    types: &'t Types,
    /// Variables are methods, then virtual calls.
    methods: usize,
    sets: BitRows,
}

impl Solve<'_> {
    fn run(
        &mut self,
        graph: &CallGraph,
        all: &[Option<Facts>],
        budget: &mut Budget,
    ) -> Result<(), Exhausted> {
        // who looks at a variable: callers of methods, virtual calls of targets
        let mut pairs: Vec<(u32, u32)> = Vec::new();
        for &caller in graph.reachable() {
            for (_, callee) in graph.sites(caller) {
                let variable = match callee {
                    Callee::Method(target) => target.index(),
                    Callee::Virtual(dispatch) => self.methods + *dispatch as usize,
                    Callee::Unresolved(_) => continue,
                };
                pairs.push((variable as u32, caller.index() as u32));
            }
        }
        for number in 0..graph.dispatch_count() {
            let variable = (self.methods + number) as u32;
            let targets = &graph.dispatch(number as u32).targets;
            pairs.extend(targets.iter().map(|target| (target.index() as u32, variable)));
        }
        pairs.sort_unstable();
        pairs.dedup();
        let readers = Csr::from_pairs(self.methods + graph.dispatch_count(), pairs.iter().copied());
        drop(pairs);
        // callees before callers, as far as they do not call each other: few rounds
        let order = order(&readers, budget)?;
        let mut queued = vec![true; order.len()];
        let mut new = vec![0; self.sets.words()];
        let mut is_done = false;
        while !is_done {
            is_done = true;
            for &variable in &order {
                let place = variable as usize;
                if !std::mem::take(&mut queued[place]) {
                    continue;
                }
                new.copy_from_slice(self.sets.row(place));
                if place >= self.methods {
                    let targets = &graph.dispatch((place - self.methods) as u32).targets;
                    budget.spend(targets.len() + 1)?;
                    for target in targets {
                        unite(&mut new, self.sets.row(target.index()));
                    }
                } else if let Some(facts) = &all[place] {
                    budget.spend(facts.throwers.len() + 1)?;
                    self.leaving(facts, &mut new, |_, _| {});
                }
                let known = self.sets.row_mut(place);
                if *known != *new {
                    known.copy_from_slice(&new);
                    for &reader in readers.row(place) {
                        queued[reader as usize] = true;
                        is_done = false;
                    }
                }
            }
        }
        Ok(())
    }

    /// Adds what leaves a method. `each` gets what every `throw` and unresolved call throws.
    fn leaving(&self, facts: &Facts, leaving: &mut [u64], mut each: impl FnMut(u16, &[u64])) {
        let mut caught: FxHashMap<u16, Vec<u64>> = FxHashMap::default();
        let mut thrown = vec![0; self.sets.words()];
        // what handlers caught may be thrown again, to other handlers: few rounds
        loop {
            let mut grows = false;
            for thrower in &facts.throwers {
                thrown.fill(0);
                match &thrower.thrown {
                    Thrown::Call(Callee::Method(target)) => {
                        unite(&mut thrown, self.sets.row(target.index()));
                    }
                    Thrown::Call(Callee::Virtual(dispatch)) => {
                        unite(&mut thrown, self.sets.row(self.methods + *dispatch as usize));
                    }
                    Thrown::Call(Callee::Unresolved(_)) => {}
                    Thrown::Values(sources) => {
                        for source in sources {
                            match source {
                                Source::Type(number) => set_bit(&mut thrown, *number as usize),
                                Source::Caught(target) => {
                                    caught.get(target).is_some_and(|more| unite(&mut thrown, more))
                                }
                            };
                        }
                    }
                }
                self.narrow(facts, thrower, &mut thrown);
                if matches!(thrower.thrown, Thrown::Values(_)) {
                    each(thrower.number, &thrown);
                }
                for &handler in &thrower.handlers {
                    if thrown.iter().all(|&word| word == 0) {
                        break;
                    }
                    let (kind, target) = facts.handlers[usize::from(handler)];
                    let known = caught.entry(target).or_insert_with(|| vec![0; self.sets.words()]);
                    grows |= self.catch(kind, &mut thrown, known);
                }
                unite(leaving, &thrown);
            }
            if !grows {
                return;
            }
        }
    }

    /// Replaces broad types of exceptions by what the method around a throwing instruction tells
    /// about them; see [`bound`](super::bound), which does the same to lists.
    fn narrow(&self, facts: &Facts, thrower: &Thrower, thrown: &mut [u64]) {
        let Some(declared) = &facts.declared else { return };
        for &broad in &self.types.broad {
            if !has_bit(thrown, broad as usize) {
                continue;
            }
            let caught =
                thrower.handlers.iter().filter_map(|&handler| facts.handlers[usize::from(handler)].0);
            let named = caught.chain(declared.iter().copied());
            if named.clone().any(|other| has_bit(self.types.masks(other).0, broad as usize)) {
                continue;
            }
            clear_bit(thrown, broad as usize);
            let all = named.chain(self.types.unchecked.iter().copied());
            for narrow in all.filter(|&narrow| self.types.may_be(narrow, broad)) {
                set_bit(thrown, narrow as usize);
            }
        }
    }

    /// Moves what a handler catches; whether it had not caught all of that before.
    fn catch(&self, kind: Option<u32>, thrown: &mut [u64], caught: &mut [u64]) -> bool {
        let Some(kind) = kind else {
            let grows = unite(caught, thrown);
            thrown.fill(0);
            return grows;
        };
        let mut grows = false;
        let (below, above) = self.types.masks(kind);
        let mut some = false;
        for (place, word) in thrown.iter_mut().enumerate() {
            grows |= *word & below[place] & !caught[place] != 0;
            caught[place] |= *word & below[place];
            *word &= !below[place];
            some |= *word & above[place] != 0;
        }
        (some && set_bit(caught, kind as usize)) || grows
    }
}

/// Variables so that each comes before those that look at it, as far as there are no cycles: the
/// reverse of the order in which a depth-first search along readers leaves them.
fn order(readers: &Csr, budget: &mut Budget) -> Result<Vec<u32>, Exhausted> {
    let count = readers.rows();
    budget.charge(24 * count)?;
    let mut left = Vec::with_capacity(count);
    let mut met = vec![false; count];
    let mut path: Vec<(u32, usize)> = Vec::new();
    for root in 0..count {
        if std::mem::replace(&mut met[root], true) {
            continue;
        }
        path.push((root as u32, 0));
        while let Some((variable, next)) = path.last_mut() {
            let row = readers.row(*variable as usize);
            let Some(&reader) = row.get(*next) else {
                left.push(*variable);
                path.pop();
                continue;
            };
            *next += 1;
            if !std::mem::replace(&mut met[reader as usize], true) {
                path.push((reader, 0));
            }
        }
        budget.spend(1)?;
    }
    left.reverse();
    Ok(left)
}

/// Sets as lists, each once.
struct Lists<'t> {
    types: &'t Types,
    numbers: FxHashMap<Vec<u64>, u32>,
    found: Vec<Vec<Symbol>>,
}

impl Lists<'_> {
    fn number(&mut self, set: &[u64]) -> u32 {
        if let Some(&number) = self.numbers.get(set) {
            return number;
        }
        let mut list: Vec<Symbol> = ones(set).map(|number| self.types.list[number as usize]).collect();
        list.sort_unstable();
        let number = self.found.len() as u32;
        self.found.push(list);
        self.numbers.insert(set.to_vec(), number);
        number
    }
}

fn finish(
    program: &Program,
    options: ThrowOptions,
    types: Types,
    all: &[Option<Facts>],
    (sets, variables): (BitRows, usize),
) -> Throws {
    let methods = program.method_count();
    let mut lists = Lists { types: &types, numbers: FxHashMap::default(), found: Vec::new() };
    let mut leaving = vec![0; sets.words()];
    lists.number(&leaving);
    // without types, nothing is ever thrown
    let variables = if leaving.is_empty() { 0 } else { variables };
    let mut of: Vec<u32> = (0..variables).map(|variable| lists.number(sets.row(variable))).collect();
    let of_dispatch = of.split_off(methods.min(of.len()));
    let solve = Solve { types: &types, methods, sets };
    let mut at = FxHashMap::default();
    for id in program.methods() {
        let Some(facts) = &all[id.index()] else { continue };
        if facts.throwers.iter().any(|thrower| matches!(thrower.thrown, Thrown::Values(_))) {
            // the last round has all that handlers caught
            solve.leaving(facts, &mut leaving, |number, set| {
                at.insert((id, number), lists.number(set));
            });
        }
    }
    let sets = lists.found;
    Throws { options, types, sets, of, of_dispatch, at }
}
