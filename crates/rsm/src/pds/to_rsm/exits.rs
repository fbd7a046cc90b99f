//! How each procedure returns: from heads that do nothing else, or into control states.
//!
//! In a machine the state of an exit is that of the caller's return port, and its step leads on from there.
//! Two kinds of exit keep every step of a pop:
//!
//! * A head whose only rule is a pop is an exit itself (*before* the pop); the return port leads to the head
//!   that the pop uncovers. Its labels are its own, so that every caller shares it.
//! * A head that can also do something else goes on to an exit for the control state (*after* the pop). That
//!   exit, and with it the return port, is the uncovered configuration: the port has the edges of the uncovered
//!   head, and if that head pops in turn, the caller needs exits of this kind, too. Its labels are those of
//!   the uncovered head, which the callee must know: procedures are copied for callers where they differ.
//!
//! The second kind alone would do (it is Theorem 1 of rsm-analysis with the τ-free return ports), but it
//! copies; the first kind alone would not: choosing the pop one step early is not bisimilar (R12 there).
//! O(rules · |Q|).

use super::heads::{Heads, contains, positions};
use crate::model::NONE;
use crate::pds::Word;
use loris_base::{Budget, Csr, Exhausted};

/// How procedures and heads return.
pub(super) struct Exits {
    pub(super) class_of: Vec<u32>,
    pub(super) classes: usize,
    /// per head: the position of the control state it returns into, if it does nothing else; or `NONE`
    pub(super) only_pop: Vec<u32>,
    words: usize,
    /// per procedure, sets of positions: what exits before a pop and exits after a pop return into
    before: Vec<u64>,
    after: Vec<u64>,
}

impl Exits {
    pub(super) fn of(heads: &mut Heads, single: bool, budget: &mut Budget) -> Result<Self, Exhausted> {
        budget.charge(8 * heads.len())?;
        budget.spend(4 * heads.len())?;
        let (mut class_of, mut classes) = heads.classes();
        if single {
            class_of.fill(0);
            classes = 1;
        }
        let (words, count) = (heads.words, heads.len());
        budget.charge(16 * classes * words)?;
        let mut exits = Self {
            class_of,
            classes,
            only_pop: vec![NONE; count],
            words,
            before: vec![0; classes * words],
            after: vec![0; classes * words],
        };
        let mut news = Vec::new();
        for head in 0..count as u32 {
            let mut rules = heads.rules(head).map(|(_, rule)| rule);
            let first = rules.next().filter(|rule| rule.word == Word::Pop);
            let class = exits.class_of[head as usize];
            if let Some(first) = first
                && rules.all(|rule| rule.word == Word::Pop && rule.to == first.to)
            {
                let position = heads.return_of(first.to);
                exits.only_pop[head as usize] = position;
                exits.before[class as usize * words + position as usize / 64] |= 1 << (position % 64);
            } else {
                exits.pop_after(heads, head, &mut news);
            }
        }
        if !news.is_empty() {
            exits.spread(heads, news, budget)?;
        }
        Ok(exits)
    }

    /// Notes that the pops of a head are steps of their own.
    fn pop_after(&mut self, heads: &Heads, head: u32, news: &mut Vec<(u32, u32)>) {
        let class = self.class_of[head as usize];
        for (_, rule) in heads.rules(head).filter(|(_, rule)| rule.word == Word::Pop) {
            let position = heads.return_of(rule.to);
            let word = &mut self.after[class as usize * self.words + position as usize / 64];
            if *word >> (position % 64) & 1 == 0 {
                *word |= 1 << (position % 64);
                news.push((class, position));
            }
        }
    }

    /// A head that is uncovered at a return port pops by steps of its own.
    fn spread(
        &mut self,
        heads: &Heads,
        mut news: Vec<(u32, u32)>,
        budget: &mut Budget,
    ) -> Result<(), Exhausted> {
        // calls as a list, as pairs, and by callee
        let bytes = 28 * heads.rule_count();
        budget.charge(bytes)?;
        budget.spend(heads.rule_count())?;
        let calls = || {
            (0..heads.len() as u32).flat_map(move |head| {
                heads.rules(head).filter_map(move |(_, rule)| match rule.word {
                    Word::Push(top, below) => Some((head, heads.find(rule.to, top)?, below)),
                    _ => None,
                })
            })
        };
        let list: Vec<_> = calls().collect();
        let callers = list.iter().enumerate();
        let callers = callers.map(|(i, &(_, callee, _))| (self.class_of[callee as usize], i as u32));
        let by_callee = Csr::from_pairs(self.classes, callers.collect::<Vec<_>>().into_iter());
        while let Some((class, position)) = news.pop() {
            budget.spend(1 + by_callee.row(class as usize).len())?;
            for &call in by_callee.row(class as usize) {
                let (_, callee, below) = list[call as usize];
                if contains(heads.pops(callee), position)
                    && let Some(uncovered) = heads.find(heads.returns[position as usize], below)
                {
                    self.pop_after(heads, uncovered, &mut news);
                }
            }
        }
        budget.release(bytes);
        Ok(())
    }

    /// The positions that exits before a pop of a procedure return into.
    pub(super) fn before(&self, class: u32) -> &[u64] {
        &self.before[class as usize * self.words..][..self.words]
    }

    /// The positions that exits after a pop of a procedure return into.
    pub(super) fn after(&self, class: u32) -> &[u64] {
        &self.after[class as usize * self.words..][..self.words]
    }

    /// Whether no head of a procedure is an exit itself, or stuck: then it can be entered with an empty stack.
    pub(super) fn serves_as_main(&self, heads: &Heads, class: u32) -> bool {
        positions(self.before(class)).next().is_none()
            && (0..heads.len() as u32)
                .filter(|&head| self.class_of[head as usize] == class)
                .all(|head| heads.rules(head).len() > 0)
    }
}
