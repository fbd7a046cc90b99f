//! Which copy each call is of, and the entries of copies.

use super::copies::Copies;
use super::exits::Exits;
use super::explore::Explorer;
use super::heads::{Heads, POP, SWAP};
use super::labels::Labels;
use super::plan::Plan;
use super::tails::{SourcePlace, Tails};
use crate::ids::NONE;
use loris_base::{BitRows, Budget, Csr, Diagnostic, Diagnostics, Stopped, ones};
use rustc_hash::{FxHashMap, FxHashSet};

impl Plan {
    /// The plan for these heads.
    pub(super) fn of(
        heads: &mut Heads,
        exits: Exits,
        labels: &mut Labels,
        tails: Tails,
        budget: &mut Budget,
    ) -> Result<Self, Stopped> {
        let mut calls = Calls::new(heads, &exits, budget)?;
        calls.follow(heads, &exits, labels, budget)?;
        let (main, initial, tails) = calls.starts(heads, &exits, labels, tails);
        budget.charge(4 * (calls.classes.len() + calls.entries.len()))?;
        let entries = Csr::from_pairs(calls.classes.len(), calls.entries.iter().copied());
        let copies = Copies::new(calls.classes, calls.contexts, entries, heads.words(), heads.len());
        let mut plan = Self { copies, main, initial, tails, after: BitRows::default(), memory: Vec::new() };
        Explorer::new(heads, &exits, calls.entered.first, budget)?.explore(&mut plan, budget)?;
        plan.after = exits.into_after();
        Ok(plan)
    }
}

/// Which copy each call is of, and the entries of copies.
struct Calls {
    /// per copy: its procedure, `NONE` where runs start, and the labels that its exits after a pop
    /// uncover
    classes: Vec<u32>,
    contexts: Csr,
    /// copies by procedure and labels
    known: FxHashMap<(u32, Vec<u32>), u32>,
    /// per procedure, its last copy
    last: Vec<u32>,
    /// (copy, head), by copy in the order of its entries
    entries: Vec<(u32, u32)>,
    entered: EntrySet,
    /// heads of each procedure, of all copies, and the most there may be
    sizes: Vec<u32>,
    size: usize,
    most: usize,
}

impl Calls {
    fn new(heads: &Heads, exits: &Exits, budget: &mut Budget) -> Result<Self, Stopped> {
        budget.charge(8 * exits.classes + 4 * heads.len())?;
        let mut sizes = vec![0u32; exits.classes];
        exits.class_of.iter().for_each(|&class| sizes[class as usize] += 1);
        let mut contexts = Csr::default();
        contexts.push_row([]);
        Ok(Self {
            classes: vec![NONE],
            contexts,
            known: FxHashMap::default(),
            last: vec![NONE; exits.classes],
            entries: Vec::new(),
            entered: EntrySet::new(heads.len()),
            sizes,
            size: 0,
            most: 64 * heads.len() + (1 << 20),
        })
    }

    fn follow(
        &mut self,
        heads: &mut Heads,
        exits: &Exits,
        labels: &mut Labels,
        budget: &mut Budget,
    ) -> Result<(), Stopped> {
        let mut context = Vec::new();
        for step in 0..heads.steps.len() {
            let step = heads.steps[step];
            if step.call == SWAP || step.call == POP {
                continue;
            }
            budget.spend(1)?;
            let callee = step.target;
            context_of(heads, exits, labels, (callee, heads.calls[step.call as usize].below), &mut context);
            let class = exits.class_of[callee as usize];
            let mut copy = self.last[class as usize];
            if copy == NONE || self.contexts.row(copy as usize) != context {
                copy = self.copy(class, &context, budget)?;
                if self.size > self.most {
                    let message =
                        "procedures that can return or go on are called where too many different labels hold";
                    let offset = heads.calls[step.call as usize].offset;
                    let problem = Diagnostic::error(u64::from(offset), 1, message);
                    let problem = problem.help("give labels to control states instead of symbols");
                    return Err(Diagnostics::from(problem).into());
                }
            }
            heads.calls[step.call as usize].copy = copy;
            if self.entered.insert(copy, callee) {
                budget.charge(8)?;
                self.entries.push((copy, callee));
            }
        }
        Ok(())
    }

    /// The copy of a procedure for these labels, which is not the last one.
    fn copy(&mut self, class: u32, context: &[u32], budget: &mut Budget) -> Result<u32, Stopped> {
        let last = &mut self.last[class as usize];
        let next = self.classes.len() as u32;
        if context.is_empty() {
            // there is one at most
            *last = next;
        } else {
            *last = *self.known.entry((class, context.to_vec())).or_insert(next);
        }
        if *last == next {
            budget.charge(64 + 24 * context.len())?;
            self.classes.push(class);
            self.contexts.push_row(context.iter().copied());
            self.size += self.sizes[class as usize] as usize;
        }
        Ok(*last)
    }

    /// Where runs start: a copy that does for it, or the component that was put first for that.
    fn starts(
        &mut self,
        heads: &Heads,
        exits: &Exits,
        labels: &mut Labels,
        mut tails: Tails,
    ) -> (u32, Vec<SourcePlace>, Tails) {
        if let [(0, head)] = tails.starts[..] {
            let class = exits.class_of[head as usize];
            let after = ones(exits.after(class));
            let context = after.map(|position| labels.set(heads.returns[position as usize], None)).collect();
            if let Some(&copy) = self.known.get(&(class, context))
                && exits.serves_as_main(heads, class)
            {
                if self.entered.insert(copy, head) {
                    self.entries.push((copy, head));
                }
                return (copy, vec![head], tails);
            }
        }
        let starts = std::mem::take(&mut tails.starts);
        let mut places: Vec<SourcePlace> =
            starts.iter().map(|&(tail, head)| tails.place(heads.len(), tail, head)).collect();
        places.sort_unstable();
        places.dedup();
        self.entries.extend(places.iter().map(|&place| (0, place)));
        (0, places, tails)
    }
}

/// The labels of the symbol that each exit after a pop uncovers, where it is used by the call of a
/// head.
fn context_of(
    heads: &Heads,
    exits: &Exits,
    labels: &mut Labels,
    (callee, below): (u32, u32),
    context: &mut Vec<u32>,
) {
    context.clear();
    let after = ones(exits.after(exits.class_of[callee as usize]));
    context.extend(after.map(|position| {
        let used = heads.pops.contains(callee, position);
        if used { labels.set(heads.returns[position as usize], Some(below)) } else { 0 }
    }));
}

/// Which heads are entries of which copies: mostly each of one.
struct EntrySet {
    first: Vec<u32>,
    more: FxHashSet<(u32, u32)>,
}

impl EntrySet {
    fn new(heads: usize) -> Self {
        Self { first: vec![NONE; heads], more: FxHashSet::default() }
    }

    fn insert(&mut self, copy: u32, head: u32) -> bool {
        let first = &mut self.first[head as usize];
        if *first == NONE {
            *first = copy;
            return true;
        }
        *first != copy && self.more.insert((copy, head))
    }
}
