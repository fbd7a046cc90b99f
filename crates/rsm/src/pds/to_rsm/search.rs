//! Which heads occur in a run, and which control states each of them can return into.
//!
//! Forward from the initial configurations; a head that follows a call is met once the callee is
//! seen to return. Invariant of the loop: `pops(h)` are the control states that a run is known to
//! reach when it first pops below `h`, and each head `h` is noted at the heads it learns them from.
//! Both sets are exact at the end: a head is met iff a reachable configuration has it
//! (rsm-analysis, section 2.5, the summaries of section 2.1 by exit). O(rules · |Q|²) for |Q|
//! control states that some rule returns into.
//!
//! The rules are in the order of their heads. A head that is met is written into its rules in place
//! of the symbol, and where a rule leads in place of the control state: nothing is looked up twice.

use super::heads::{BySymbol, Call, Heads, POP, SWAP, Step};
use super::sets::Sets;
use crate::account::ahead;
use crate::ids::NONE;
use crate::pds::rules::{Packed, Range, Rules};
use loris_base::{Budget, Exhausted, ones};
use rustc_hash::FxHashMap;

/// The heads that are met.
pub(super) struct HeadSearch {
    /// the rules by symbol and control state; `symbol` is the head, `to` the target, once they are
    /// known
    rules: Vec<Packed>,
    by_symbol: Vec<Range>,
    /// heads without rules, by control state and symbol, and in their order
    stuck_at: FxHashMap<(u32, u32), u32>,
    stuck: Vec<Stuck>,
    /// per head, a set of positions in `returns`
    pops: Sets,
    /// the control states that some rule returns into
    pub(super) returns: Vec<u32>,
    return_of: Vec<u32>,
    /// the heads that learn from each head, as linked lists
    learners: Vec<Learner>,
    first_learner: Vec<u32>,
    /// the first rules of heads whose rules were not followed
    fresh: Vec<u32>,
    news: Vec<(u32, u32)>,
    /// heads of one procedure, as a forest
    parent: Vec<u32>,
    /// bytes that are declared for these
    held: usize,
    /// elements that may have been added since
    since: usize,
}

/// The first rule of a control state among the rules of a symbol.
#[inline]
fn first_rule(rules: &[Packed], of_symbol: Range, control: u32) -> Option<u32> {
    let own = &rules[of_symbol.start as usize..of_symbol.end as usize];
    let skipped = if own.len() <= 8 {
        own.iter().take_while(|rule| rule.control < control).count()
    } else {
        own.partition_point(|rule| rule.control < control)
    };
    let is_it = own.get(skipped).is_some_and(|rule| rule.control == control);
    is_it.then_some(of_symbol.start + skipped as u32)
}

struct Stuck {
    head: u32,
    control: u32,
    symbol: u32,
    /// a rule that leads here, with `CALL` for the first rule of its head, `NONE` for an initial
    /// head
    because: u32,
}

struct Learner {
    /// a rule of the head that learns, with `CALL` if it called and learns the uncovered symbol
    rule: u32,
    next: u32,
}

const CALL: u32 = 1 << 31;

/// A mark on the symbol of a rule whose head is not met, and on the top of a word that is not a
/// symbol but the first rule of the head it makes.
const KNOWN: u32 = 1 << 31;

/// Elements that are declared together.
const STRIDE: usize = 4096;

impl HeadSearch {
    pub(super) fn new(
        rules: Rules,
        controls: usize,
        symbols: usize,
        budget: &mut Budget,
    ) -> Result<Self, Exhausted> {
        if rules.len().max(symbols) >= (KNOWN - 1) as usize {
            return Err(Exhausted::States);
        }
        let count = rules.len();
        budget.charge(4 * controls)?;
        budget.spend(2 * count)?;
        let mut return_of = vec![NONE; controls];
        let mut returns = Vec::new();
        for rule in rules.packed().iter().filter(|rule| rule.top == NONE) {
            let position = &mut return_of[rule.to as usize];
            if *position == NONE {
                *position = returns.len() as u32;
                returns.push(rule.to);
            }
        }
        let (mut rules, by_symbol) = rules.by_head(symbols, budget)?;
        // targets of rules are looked up in their order, which is mostly that of a program
        for place in 0..rules.len() {
            let rule = rules[place];
            rules[place].symbol |= KNOWN;
            if rule.top != NONE
                && let Some(first) = first_rule(&rules, by_symbol[rule.top as usize], rule.to)
            {
                rules[place].top = first | KNOWN;
            }
        }
        Ok(Self {
            rules,
            by_symbol,
            stuck_at: FxHashMap::default(),
            stuck: Vec::new(),
            pops: Sets::new(returns.len()),
            returns,
            return_of,
            // most rules lead to a head that others learn from; room that is not used takes no
            // memory
            learners: Vec::with_capacity(count),
            first_learner: Vec::with_capacity(symbols.min(count)),
            fresh: Vec::new(),
            news: Vec::new(),
            parent: Vec::with_capacity(symbols.min(count)),
            held: 0,
            since: STRIDE,
        })
    }

    /// The bytes the heads may hold after some more of them.
    fn bytes_ahead(&self, more: usize) -> usize {
        ahead(&self.parent, more)
            + ahead(&self.first_learner, more)
            + self.pops.bytes_ahead(more)
            + ahead(&self.learners, more)
            + ahead(&self.fresh, more)
            + ahead(&self.news, more)
            // a table is copied when it grows
            + 72 * self.stuck.len()
    }

    /// The control states a head can return into, as positions in ascending order.
    pub(super) fn pops(&self, head: u32) -> Vec<u32> {
        self.pops.iter(head).collect()
    }

    /// Meets a head, and everything that follows from it.
    pub(super) fn meet(&mut self, control: u32, symbol: u32, budget: &mut Budget) -> Result<u32, Exhausted> {
        let head = self.head(control, symbol, NONE);
        loop {
            let steps = if let Some((head, position)) = self.news.pop() {
                self.tell(head, position)
            } else if let Some(rule) = self.fresh.pop() {
                self.follow(rule)
            } else {
                return Ok(head);
            };
            budget.spend(1 + steps)?;
            // a head may be followed by as many others as it has rules, times the heads they return
            // into
            self.since = self.since.saturating_add(1 + steps.saturating_mul(1 + self.pops.words()));
            if self.since > STRIDE {
                let bytes = self.bytes_ahead(self.since + 2 * STRIDE);
                budget.grow(&mut self.held, bytes)?;
                self.since = 0;
            }
        }
    }

    /// The head that a rule leads to, with the top of its word.
    #[inline]
    fn target(&mut self, control: u32, top: u32, because: u32) -> u32 {
        if top & KNOWN == 0 { self.stuck_head(control, top, because) } else { self.head_at(top & !KNOWN) }
    }

    /// The head of which this is the first rule.
    #[inline]
    fn head_at(&mut self, first: u32) -> u32 {
        let Packed { control, symbol, .. } = self.rules[first as usize];
        if symbol & KNOWN == 0 {
            return symbol;
        }
        let number = self.parent.len() as u32;
        let own = self.rules[first as usize..].iter_mut();
        for rule in own.take_while(|rule| (rule.control, rule.symbol) == (control, symbol)) {
            rule.symbol = number;
        }
        self.fresh.push(first);
        self.add_head(number)
    }

    /// The head of a control state and a symbol that have no rule.
    #[cold]
    fn stuck_head(&mut self, control: u32, symbol: u32, because: u32) -> u32 {
        let number = self.parent.len() as u32;
        let known = *self.stuck_at.entry((control, symbol)).or_insert(number);
        if known != number {
            return known;
        }
        self.stuck.push(Stuck { head: number, control, symbol, because });
        self.add_head(number)
    }

    #[inline]
    fn add_head(&mut self, number: u32) -> u32 {
        self.pops.push();
        self.first_learner.push(NONE);
        self.parent.push(number);
        number
    }

    /// The head of a control state and a symbol.
    fn head(&mut self, control: u32, symbol: u32, because: u32) -> u32 {
        match first_rule(&self.rules, self.by_symbol[symbol as usize], control) {
            Some(first) => self.head_at(first),
            None => self.stuck_head(control, symbol, because),
        }
    }

    /// Takes every rule of a head, of which this is the first, for the first time; how many there
    /// are.
    fn follow(&mut self, first: u32) -> usize {
        let head = self.rules[first as usize].symbol;
        let mut place = first as usize;
        while let Some(&rule) = self.rules.get(place)
            && rule.symbol == head
        {
            let target = match (rule.top, rule.below) {
                (NONE, _) => {
                    let position = self.return_of[rule.to as usize];
                    self.learn(head, position);
                    position
                }
                (top, NONE) => {
                    let next = self.target(rule.to, top, place as u32);
                    self.go_on(head, next, place as u32)
                }
                (top, below) => {
                    let callee = self.target(rule.to, top, place as u32);
                    self.listen(callee, place as u32 | CALL);
                    for word in 0..self.pops.words() {
                        let known = self.pops.word(callee, word);
                        for bit in ones(&[known]) {
                            let control = self.returns[64 * word + bit as usize];
                            let next = self.head(control, below, place as u32);
                            self.go_on(head, next, place as u32);
                        }
                    }
                    callee
                }
            };
            self.rules[place].to = target;
            place += 1;
        }
        place - first as usize
    }

    /// A head is followed by another one of the same procedure, which is returned.
    #[inline]
    fn go_on(&mut self, head: u32, next: u32, rule: u32) -> u32 {
        if next != head {
            self.unite(head, next);
            self.listen(next, rule & !CALL);
            for word in 0..self.pops.words() {
                let known = self.pops.word(next, word);
                for bit in ones(&[known]) {
                    self.learn(head, 64 * word as u32 + bit);
                }
            }
        }
        next
    }

    #[inline]
    fn listen(&mut self, to: u32, rule: u32) {
        let next = std::mem::replace(&mut self.first_learner[to as usize], self.learners.len() as u32);
        self.learners.push(Learner { rule, next });
    }

    #[inline]
    fn learn(&mut self, head: u32, position: u32) {
        if self.pops.insert(head, position) {
            self.news.push((head, position));
        }
    }

    /// Notifies all heads that learn from a head where it can return to; returns how many they are.
    fn tell(&mut self, head: u32, position: u32) -> usize {
        let mut at = self.first_learner[head as usize];
        let mut told = 0;
        while at != NONE {
            told += 1;
            let Learner { rule, next } = self.learners[at as usize];
            let Packed { symbol: learner, below, .. } = self.rules[(rule & !CALL) as usize];
            if rule & CALL == 0 {
                self.learn(learner, position);
            } else {
                let next = self.head(self.returns[position as usize], below, rule);
                self.go_on(learner, next, rule);
            }
            at = next;
        }
        told
    }

    fn root(&mut self, mut head: u32) -> u32 {
        while self.parent[head as usize] != head {
            let above = self.parent[self.parent[head as usize] as usize];
            self.parent[head as usize] = above;
            head = above;
        }
        head
    }

    /// Puts two heads into one procedure; the older root stays one.
    fn unite(&mut self, one: u32, other: u32) {
        let (one, other) = (self.root(one), self.root(other));
        self.parent[one.max(other) as usize] = one.min(other);
    }

    /// The heads with their steps, and the procedure of every head, numbered in the order of their
    /// first heads, and how many there are. Initial heads stem from the place `initial` of the
    /// input.
    pub(super) fn finish(
        mut self,
        initial: u64,
        budget: &mut Budget,
    ) -> Result<(Heads, Vec<u32>, usize), Exhausted> {
        let (count, rules, symbols) = (self.parent.len(), self.rules.len(), self.by_symbol.len());
        budget.release(4 * self.return_of.len() + self.held);
        (self.learners, self.news, self.fresh) = Default::default();
        (self.return_of, self.stuck_at) = Default::default();
        budget.charge(4 * 4 * count + self.pops.bytes_ahead(0))?;
        let mut classes = 0;
        // a root is the oldest head of its procedure
        for head in 0..count as u32 {
            let root = self.root(head);
            self.parent[head as usize] = root;
        }
        let mut class_of = std::mem::take(&mut self.parent);
        for head in 0..count {
            let root = class_of[head] as usize;
            if root == head {
                class_of[head] = classes;
                classes += 1;
            } else {
                class_of[head] = class_of[root];
            }
        }
        let (symbol, first_rule) = self.symbols_and_rules();
        budget.release(size_of::<Range>() * symbols);
        let because = |rule: u32| match rule {
            NONE => initial,
            rule if rule & CALL == 0 => u64::from(self.rules[rule as usize].offset),
            rule => {
                let head = self.rules[(rule & !CALL) as usize].symbol;
                u64::from(self.rules[first_rule[head as usize] as usize].offset)
            }
        };
        let stuck_offsets = self.stuck.iter().map(|stuck| (stuck.head, because(stuck.because))).collect();
        let pushes = self.rules.iter().filter(|rule| rule.below != NONE).count();
        budget.charge(8 * rules + 12 * pushes + 4 * count)?;
        budget.spend(3 * rules)?;
        let mut steps = Vec::with_capacity(rules);
        let mut calls = Vec::with_capacity(pushes);
        let mut control = Vec::with_capacity(count);
        let mut stuck = self.stuck.iter().peekable();
        let mut starts = first_rule;
        for (head, first) in starts.iter_mut().enumerate() {
            let start = steps.len() as u32;
            if let Some(stuck) = stuck.next_if(|stuck| stuck.head as usize == head) {
                control.push(stuck.control);
            } else {
                control.push(self.rules[*first as usize].control);
                let own =
                    self.rules[*first as usize..].iter().take_while(|rule| rule.symbol as usize == head);
                for rule in own {
                    let call = match (rule.top, rule.below) {
                        (NONE, _) => POP,
                        (_, NONE) => SWAP,
                        (_, below) => {
                            calls.push(Call { below, copy: NONE, offset: rule.offset });
                            calls.len() as u32 - 1
                        }
                    };
                    steps.push(Step { target: rule.to, call });
                }
            }
            *first = start;
        }
        starts.push(steps.len() as u32);
        drop(self.rules);
        budget.release(size_of::<Packed>() * rules);
        let by_symbol = BySymbol::of(&symbol, &control, symbols, budget)?;
        let heads = Heads {
            control,
            symbol,
            starts,
            steps,
            calls,
            pops: self.pops,
            returns: self.returns,
            by_symbol,
            rules,
            stuck: stuck_offsets,
        };
        Ok((heads, class_of, classes as usize))
    }

    /// Per head, its symbol and the first of its rules, `NONE` if it has none.
    fn symbols_and_rules(&mut self) -> (Vec<u32>, Vec<u32>) {
        let count = self.pops.len();
        let (mut symbols, mut first_rules) = (vec![0; count], std::mem::take(&mut self.first_learner));
        first_rules.clear();
        first_rules.resize(count, NONE);
        for (symbol, range) in std::mem::take(&mut self.by_symbol).into_iter().enumerate() {
            let mut last = NONE;
            for place in range.start..range.end {
                let head = self.rules[place as usize].symbol;
                if head != last && head & KNOWN == 0 {
                    (symbols[head as usize], first_rules[head as usize]) = (symbol as u32, place);
                }
                last = head;
            }
        }
        for stuck in &self.stuck {
            symbols[stuck.head as usize] = stuck.symbol;
        }
        (symbols, first_rules)
    }
}
