//! Which copies of procedures there are, and what is in each.
//!
//! A copy is a procedure with the labels of what its exits after a pop uncover (`exits`); a call belongs to
//! the copy whose labels are those of the symbol below. Where labels do not differ, or no head can pop *or* go
//! on, that is one copy. Runs start in a component of their own, in which every pop is a step: it has the
//! heads of the initial stacks, those of deeper symbols as nodes that the pops of upper ones lead to. No box
//! is needed for them, and the stack of boxes is empty at the start.

use super::exits::Exits;
use super::explore::Explorer;
use super::heads::{Heads, contains, positions};
use super::labels::Labels;
use super::tails::{Place, Tails};
use crate::account::ahead;

use crate::model::NONE;
use crate::pds::{Rule, StackSymbol, Word};
use loris_base::{Budget, Diagnostic, Diagnostics, Stopped};
use rustc_hash::{FxHashMap, FxHashSet};

/// A call site of a copy: what is called, and the symbol that is uncovered when it returns.
pub(super) struct Site {
    pub(super) tail: u32,
    pub(super) below: StackSymbol,
    pub(super) callee: u32,
    /// the head of a call, and the rule
    pub(super) top: u32,
    pub(super) offset: u32,
}

/// A copy of a procedure.
#[derive(Default)]
pub(super) struct Copy {
    /// `NONE` for the component where runs start
    pub(super) class: u32,
    /// for each exit after a pop of the procedure, the labels of what it uncovers
    pub(super) context: Vec<u32>,
    pub(super) entries: Vec<Place>,
    pub(super) nodes: Vec<Place>,
    pub(super) sites: Vec<Site>,
    /// per site, the positions that are returned into
    pub(super) returned: Vec<u64>,
    /// the nodes that are exits before a pop
    pub(super) before: Vec<u32>,
    /// the positions of exits after a pop that are used
    pub(super) after: Vec<u64>,
}

impl Copy {
    /// What it may hold after some more nodes and sites, and their table.
    pub(super) fn bytes_ahead(&self, more: usize, words: usize) -> usize {
        ahead(&self.nodes, more)
            + ahead(&self.sites, more)
            + ahead(&self.returned, more * words)
            + ahead(&self.before, more)
            + 36 * self.sites.len()
    }

    /// Whether runs start here and nothing calls it.
    pub(super) fn is_start(&self) -> bool {
        self.class == NONE
    }
}

/// All copies, and which one each rule calls.
pub(super) struct Plan {
    pub(super) copies: Vec<Copy>,
    pub(super) callee_of: Vec<u32>,
    pub(super) main: u32,
    pub(super) initial: Vec<Place>,
    tails: Tails,
}

impl Plan {
    pub(super) fn of(
        heads: &Heads,
        exits: &Exits,
        labels: &mut Labels,
        tails: Tails,
        budget: &mut Budget,
    ) -> Result<Self, Stopped> {
        budget.charge(4 * heads.rule_count())?;
        let mut plan = Self {
            copies: Vec::new(),
            callee_of: vec![NONE; heads.rule_count()],
            main: 0,
            initial: Vec::new(),
            tails,
        };
        plan.copies.push(Copy { class: NONE, ..Copy::default() });
        let known = plan.calls(heads, exits, labels, budget)?;
        plan.starts(heads, exits, labels, &known);
        budget.charge(8 * heads.len())?;
        let mut explorer = Explorer::new(heads, exits);
        let first = usize::from(plan.main != 0);
        for number in first..plan.copies.len() {
            let mut copy = std::mem::take(&mut plan.copies[number]);
            let (callee_of, copies) = (&plan.callee_of, &plan.copies);
            explorer.explore(&mut copy, number as u32, (callee_of, copies), &mut plan.tails, budget)?;
            plan.copies[number] = copy;
        }
        Ok(plan)
    }

    /// Which copy each rule calls, and the entries of copies.
    fn calls(
        &mut self,
        heads: &Heads,
        exits: &Exits,
        labels: &mut Labels,
        budget: &mut Budget,
    ) -> Result<FxHashMap<(u32, Vec<u32>), u32>, Stopped> {
        budget.charge(8 * exits.classes + 4 * heads.len())?;
        let mut known: FxHashMap<(u32, Vec<u32>), u32> = FxHashMap::default();
        let mut plain = vec![NONE; exits.classes];
        let mut sizes = vec![0u32; exits.classes];
        exits.class_of.iter().for_each(|&class| sizes[class as usize] += 1);
        let (mut size, most) = (0, 64 * heads.len() + (1 << 20));
        let mut entered = EntrySet::new(heads.len());
        for head in 0..heads.len() as u32 {
            for (place, rule) in heads.rules(head) {
                let Word::Push(top, below) = rule.word else { continue };
                budget.spend(1)?;
                let callee = met(heads, rule, top);
                let class = exits.class_of[callee as usize];
                let context = context(heads, exits, labels, callee, below);
                let slot = if context.is_empty() {
                    &mut plain[class as usize]
                } else {
                    known.entry((class, context.clone())).or_insert(NONE)
                };
                if *slot == NONE {
                    *slot = self.copies.len() as u32;
                    budget.charge(2 * size_of::<Copy>() + 12 * context.len() + 8 * heads.words)?;
                    self.copies.push(Copy { class, context, ..Copy::default() });
                    size += sizes[class as usize] as usize;
                    if size > most {
                        let message = "procedures that can return or go on are called where too many different labels hold";
                        let problem = Diagnostic::error(u64::from(rule.offset), 1, message);
                        let problem = problem.help("give labels to control states instead of symbols");
                        return Err(Diagnostics::from(problem).into());
                    }
                }
                let copy = *slot;
                self.callee_of[place as usize] = copy;
                if entered.insert(copy, callee) {
                    self.copies[copy as usize].entries.push(callee);
                }
            }
        }
        Ok(known)
    }

    /// Where runs start: a copy that does for it, or the component that was put first for that.
    fn starts(
        &mut self,
        heads: &Heads,
        exits: &Exits,
        labels: &mut Labels,
        known: &FxHashMap<(u32, Vec<u32>), u32>,
    ) {
        if let [(0, head)] = self.tails.starts[..] {
            let class = exits.class_of[head as usize];
            let after = positions(exits.after(class));
            let context = after.map(|position| labels.set(heads.returns[position as usize], None)).collect();
            if let Some(&copy) = known.get(&(class, context))
                && exits.serves_as_main(heads, class)
            {
                (self.main, self.initial) = (copy, vec![head]);
                let entries = &mut self.copies[copy as usize].entries;
                if !entries.contains(&head) {
                    entries.push(head);
                }
                return;
            }
        }
        let starts = std::mem::take(&mut self.tails.starts);
        let mut places: Vec<Place> =
            starts.iter().map(|&(tail, head)| self.tails.place(heads, tail, head)).collect();
        places.sort_unstable();
        places.dedup();
        self.copies[0].entries.clone_from(&places);
        self.initial = places;
    }

    /// The head of a place, and the tail below it.
    pub(super) fn head(&self, heads: &Heads, place: Place) -> (u32, u32) {
        self.tails.head(heads, place)
    }

    /// The place of a head above a tail.
    pub(super) fn place(&self, tail: u32, head: u32) -> Place {
        self.tails.find(tail, head).expect("what a run meets above a tail is a place")
    }

    /// What a pop uncovers in a tail: its symbol, and the tail below.
    pub(super) fn tail(&self, tail: u32) -> (StackSymbol, u32) {
        self.tails.split(tail)
    }

    /// One more than the last place.
    pub(super) fn places(&self, heads: &Heads) -> usize {
        heads.len() + self.tails.len()
    }
}

/// The head that a rule leads to.
pub(super) fn met(heads: &Heads, rule: &Rule, symbol: StackSymbol) -> u32 {
    heads.find(rule.to, symbol).expect("what a rule of a head that occurs leads to occurs")
}

/// The labels of what each exit after a pop uncovers, where it is used by this call.
fn context(heads: &Heads, exits: &Exits, labels: &mut Labels, callee: u32, below: StackSymbol) -> Vec<u32> {
    let after = positions(exits.after(exits.class_of[callee as usize]));
    let labels = after.map(|position| {
        let used = contains(heads.pops(callee), position);
        if used { labels.set(heads.returns[position as usize], Some(below)) } else { 0 }
    });
    labels.collect()
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
