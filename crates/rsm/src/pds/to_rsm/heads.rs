//! Which heads occur in a run, and which control states each of them can return into.
//!
//! Forward from the initial configurations; a head that follows a call is met once the callee is seen to
//! return. Invariant of the loop: `pops(h)` are the control states that a run is known to reach when it first
//! pops below `h`, and each head `h` is noted at the heads it learns them from. Both sets are exact at the
//! end: a head is met iff a reachable configuration has it (rsm-analysis, section 2.5, the summaries of
//! section 2.1 by exit). O(rules · |Q|²) for |Q| control states that some rule returns into.

use crate::account::ahead;
use crate::model::NONE;
use crate::pds::{Control, Pds, Rule, StackSymbol, Word};
use loris_base::{Budget, Csr, Exhausted, Idx};
use rustc_hash::FxHashMap;

/// The heads that occur.
pub(super) struct Heads<'p> {
    pub(super) pds: &'p Pds,
    /// rules by symbol and control state
    order: Vec<u32>,
    by_symbol: Vec<u32>,
    index: Index,
    pub(super) list: Vec<Head>,
    /// per head, a set of positions in `returns`
    pops: Vec<u64>,
    /// 64-bit words of such a set
    pub(super) words: usize,
    /// the control states that some rule returns into
    pub(super) returns: Vec<Control>,
    return_of: Vec<u32>,
    /// who learns from each head, as linked lists
    learners: Vec<Learner>,
    first_learner: Vec<u32>,
    fresh: Vec<u32>,
    news: Vec<(u32, u32)>,
    /// heads of one procedure, as a forest
    parent: Vec<u32>,
    /// bytes that are declared for these
    held: usize,
    /// elements that may have been added since
    since: usize,
}

pub(super) struct Head {
    pub(super) control: Control,
    pub(super) symbol: StackSymbol,
    /// its rules, as a range of the order
    start: u32,
    end: u32,
    /// a rule that leads here, `NONE` for an initial head
    pub(super) because: u32,
}

struct Learner {
    head: u32,
    /// the symbol below, if the head called; `NONE` if it went on here
    below: u32,
    next: u32,
}

/// Elements that are declared together.
const STRIDE: usize = 4096;

enum Index {
    Dense(Vec<u32>),
    Sparse(FxHashMap<u64, u32>),
}

impl<'p> Heads<'p> {
    pub(super) fn new(pds: &'p Pds, budget: &mut Budget) -> Result<Self, Exhausted> {
        let all = pds.controls.len().saturating_mul(pds.symbols.len());
        let dense = all <= 8 * pds.rules.len() + (1 << 20);
        // the rules in order, on the way there by symbol; the index of heads
        let ordered = 4 * (pds.rules.len() + pds.symbols.len());
        budget.charge(2 * ordered + 4 * pds.controls.len() + if dense { 4 * all } else { 0 })?;
        let symbols = pds.rules.iter().enumerate().map(|(i, rule)| (rule.symbol.index() as u32, i as u32));
        let rows = Csr::from_pairs(pds.symbols.len(), symbols);
        let mut order = Vec::with_capacity(pds.rules.len());
        let mut by_symbol = Vec::with_capacity(rows.rows() + 1);
        for row in (0..rows.rows()).map(|row| rows.row(row)) {
            by_symbol.push(order.len() as u32);
            let start = order.len();
            order.extend_from_slice(row);
            if row.len() > 1 {
                order[start..].sort_by_key(|&rule| pds.rules[rule as usize].control.index());
            }
        }
        by_symbol.push(order.len() as u32);
        let mut return_of = vec![NONE; pds.controls.len()];
        let mut returns = Vec::new();
        for rule in pds.rules.iter().filter(|rule| rule.word == Word::Pop) {
            if return_of[rule.to.index()] == NONE {
                return_of[rule.to.index()] = returns.len() as u32;
                returns.push(rule.to);
            }
        }
        budget.spend(2 * pds.rules.len())?;
        budget.release(ordered);
        Ok(Self {
            pds,
            order,
            by_symbol,
            index: if dense { Index::Dense(vec![NONE; all]) } else { Index::Sparse(FxHashMap::default()) },
            list: Vec::new(),
            pops: Vec::new(),
            words: returns.len().div_ceil(64),
            returns,
            return_of,
            learners: Vec::new(),
            first_learner: Vec::new(),
            fresh: Vec::new(),
            news: Vec::new(),
            parent: Vec::new(),
            held: 0,
            since: STRIDE,
        })
    }

    /// What the heads may hold after some more of them.
    fn bytes_ahead(&self, more: usize) -> usize {
        let sparse = match &self.index {
            Index::Dense(_) => 0,
            // a table is copied when it grows
            Index::Sparse(numbers) => 3 * 18 * numbers.capacity(),
        };
        ahead(&self.list, more)
            + ahead(&self.pops, more * self.words)
            + ahead(&self.learners, more)
            + ahead(&self.first_learner, more)
            + ahead(&self.fresh, more)
            + ahead(&self.news, more)
            + ahead(&self.parent, more)
            + sparse
    }

    /// How many heads there are.
    pub(super) fn len(&self) -> usize {
        self.list.len()
    }

    /// The rules of a head, by their place in the order.
    pub(super) fn rules(&self, head: u32) -> impl ExactSizeIterator<Item = (u32, &'p Rule)> + use<'p, '_> {
        let Head { start, end, .. } = self.list[head as usize];
        (start..end).map(|place| (place, &self.pds.rules[self.order[place as usize] as usize]))
    }

    /// How many rules there are, in the order of [`Heads::rules`].
    pub(super) fn rule_count(&self) -> usize {
        self.order.len()
    }

    /// The position of a control state among those that are returned into.
    pub(super) fn return_of(&self, control: Control) -> u32 {
        self.return_of[control.index()]
    }

    /// The control states a head can return into, as a set of positions.
    pub(super) fn pops(&self, head: u32) -> &[u64] {
        &self.pops[head as usize * self.words..][..self.words]
    }

    /// The number of a head that occurs.
    pub(super) fn find(&self, control: Control, symbol: StackSymbol) -> Option<u32> {
        let key = self.key(control, symbol);
        match &self.index {
            Index::Dense(numbers) => Some(numbers[key as usize]).filter(|&number| number != NONE),
            Index::Sparse(numbers) => numbers.get(&key).copied(),
        }
    }

    fn key(&self, control: Control, symbol: StackSymbol) -> u64 {
        control.index() as u64 * self.pds.symbols.len() as u64 + symbol.index() as u64
    }

    /// Meets a head, and everything that follows from it.
    pub(super) fn meet(
        &mut self,
        control: Control,
        symbol: StackSymbol,
        budget: &mut Budget,
    ) -> Result<u32, Exhausted> {
        let head = self.head(control, symbol, NONE);
        loop {
            let steps = if let Some((head, position)) = self.news.pop() {
                self.tell(head, position)
            } else if let Some(head) = self.fresh.pop() {
                self.follow(head)
            } else {
                return Ok(head);
            };
            budget.spend(1 + steps)?;
            // a head may be followed by as many others as it has rules, times what they return into
            self.since = self.since.saturating_add(1 + steps.saturating_mul(1 + self.words));
            if self.since > STRIDE {
                let bytes = self.bytes_ahead(self.since + 2 * STRIDE);
                budget.grow(&mut self.held, bytes)?;
                self.since = 0;
            }
        }
    }

    fn head(&mut self, control: Control, symbol: StackSymbol, because: u32) -> u32 {
        let key = self.key(control, symbol);
        let number = self.list.len() as u32;
        let found = match &mut self.index {
            Index::Dense(numbers) => &mut numbers[key as usize],
            Index::Sparse(numbers) => numbers.entry(key).or_insert(NONE),
        };
        if *found != NONE {
            return *found;
        }
        *found = number;
        let row = self.by_symbol[symbol.index()]..self.by_symbol[symbol.index() + 1];
        let rules = &self.order[row.start as usize..row.end as usize];
        let control_of = |rule: &u32| self.pds.rules[*rule as usize].control.index();
        let start = row.start + rules.partition_point(|rule| control_of(rule) < control.index()) as u32;
        let end = row.start + rules.partition_point(|rule| control_of(rule) <= control.index()) as u32;
        self.list.push(Head { control, symbol, start, end, because });
        self.pops.resize(self.pops.len() + self.words, 0);
        self.first_learner.push(NONE);
        self.parent.push(number);
        self.fresh.push(number);
        number
    }

    /// Takes every rule of a head for the first time; how many there are.
    fn follow(&mut self, head: u32) -> usize {
        let Head { start, end, .. } = self.list[head as usize];
        for place in start..end {
            let number = self.order[place as usize];
            let rule = self.pds.rules[number as usize];
            match rule.word {
                Word::Pop => self.learn(head, self.return_of[rule.to.index()]),
                Word::Swap(symbol) => self.go_on(head, rule.to, symbol, number),
                Word::Push(top, below) => {
                    let callee = self.head(rule.to, top, number);
                    self.listen(callee, head, below.index() as u32);
                    for i in 0..self.words {
                        let known = self.pops[callee as usize * self.words + i];
                        for bit in positions(&[known]) {
                            self.go_on(head, self.returns[64 * i + bit as usize], below, number);
                        }
                    }
                }
            }
        }
        (end - start) as usize
    }

    /// A head is followed by another one of the same procedure.
    fn go_on(&mut self, head: u32, control: Control, symbol: StackSymbol, because: u32) {
        let next = self.head(control, symbol, because);
        if next == head {
            return;
        }
        self.unite(head, next);
        self.listen(next, head, NONE);
        for i in 0..self.words {
            let known = self.pops[next as usize * self.words + i];
            for bit in positions(&[known]) {
                self.learn(head, 64 * i as u32 + bit);
            }
        }
    }

    fn listen(&mut self, to: u32, head: u32, below: u32) {
        let next = std::mem::replace(&mut self.first_learner[to as usize], self.learners.len() as u32);
        self.learners.push(Learner { head, below, next });
    }

    fn learn(&mut self, head: u32, position: u32) {
        let word = &mut self.pops[head as usize * self.words + position as usize / 64];
        if *word >> (position % 64) & 1 == 0 {
            *word |= 1 << (position % 64);
            self.news.push((head, position));
        }
    }

    /// Tells all that learn from a head where it can return to; how many these are.
    fn tell(&mut self, head: u32, position: u32) -> usize {
        let mut at = self.first_learner[head as usize];
        let mut told = 0;
        while at != NONE {
            told += 1;
            let Learner { head: learner, below, next } = self.learners[at as usize];
            if below == NONE {
                self.learn(learner, position);
            } else {
                let because = self.list[learner as usize].start;
                let because = self.order.get(because as usize).copied().unwrap_or(NONE);
                let control = self.returns[position as usize];
                self.go_on(learner, control, StackSymbol::new(below as usize), because);
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

    /// The procedure of every head, numbered in the order of their first heads, and how many there are.
    pub(super) fn classes(&mut self) -> (Vec<u32>, usize) {
        let mut class_of = vec![NONE; self.list.len()];
        let mut count = 0;
        for head in 0..self.list.len() as u32 {
            let root = self.root(head) as usize;
            if class_of[root] == NONE {
                class_of[root] = count;
                count += 1;
            }
            class_of[head as usize] = class_of[root];
        }
        // what was needed to find them is not needed any more
        (self.learners, self.first_learner, self.parent) = Default::default();
        (class_of, count as usize)
    }
}

/// The elements of a set of positions, in ascending order.
pub(super) fn positions(set: &[u64]) -> impl Iterator<Item = u32> + '_ {
    set.iter().enumerate().flat_map(|(i, &word)| {
        let mut rest = word;
        std::iter::from_fn(move || {
            let bit = (rest != 0).then(|| rest.trailing_zeros());
            rest &= rest.wrapping_sub(1);
            bit.map(|bit| 64 * i as u32 + bit)
        })
    })
}

/// Whether a position is in a set.
pub(super) fn contains(set: &[u64], position: u32) -> bool {
    set.get(position as usize / 64).is_some_and(|word| word >> (position % 64) & 1 == 1)
}
