//! How each procedure returns: from heads that do nothing else, or into control states.
//!
//! In a machine the state of an exit is that of the caller's return port, and its step leads on
//! from there. Two kinds of exit keep every step of a pop:
//!
//! * A head whose only rule is a pop is an exit itself (*before* the pop); the return port leads to
//!   the head that the pop uncovers. Its labels are its own, so that every caller shares it.
//! * A head that can also do something else goes on to an exit for the control state (*after* the
//!   pop). That exit, and with it the return port, is the uncovered configuration: the port has the
//!   edges of the uncovered head, and if that head pops in turn, the caller needs exits of this
//!   kind, too. Its labels are those of the uncovered head, which the callee must know: procedures
//!   are copied for callers where they differ.
//!
//! The second kind alone would do (it is Theorem 1 of rsm-analysis with the τ-free return ports),
//! but it copies; the first kind alone would not: choosing the pop one step early is not bisimilar
//! (R12 there). O(rules · |Q|).

use super::heads::{Heads, POP, SWAP};
use loris_base::{BitRows, BitSet, Budget, Csr, Exhausted, ones};

/// How procedures and heads return.
pub(super) struct Exits {
    pub(super) class_of: Vec<u32>,
    pub(super) classes: usize,
    /// a bit for each head that does nothing but return into one control state
    only_pops: BitSet,
    /// per procedure, sets of positions that exits before a pop and exits after a pop return into
    before: BitRows,
    after: BitRows,
}

impl Exits {
    /// How the heads of each procedure return; all belong to one if `single` is set.
    pub(super) fn of(
        heads: &Heads,
        (mut class_of, mut classes): (Vec<u32>, usize),
        single: bool,
        budget: &mut Budget,
    ) -> Result<Self, Exhausted> {
        budget.charge(heads.len() / 8)?;
        budget.spend(heads.len())?;
        if single {
            class_of.fill(0);
            classes = 1;
        }
        let (words, count) = (heads.words(), heads.len());
        budget.charge(16 * classes * words)?;
        let mut exits = Self {
            class_of,
            classes,
            only_pops: BitSet::empty(count),
            before: BitRows::new(classes, 64 * words),
            after: BitRows::new(classes, 64 * words),
        };
        let mut news = Vec::new();
        for head in 0..count as u32 {
            let steps = heads.steps(head);
            let Some(first) = steps.iter().find(|step| step.call == POP) else { continue };
            let position = first.target;
            if steps.iter().all(|step| step.call == POP && step.target == position) {
                let class = exits.class_of[head as usize] as usize;
                exits.only_pops.insert(head);
                exits.before.insert(class, position as usize);
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
        for position in heads.steps(head).iter().filter(|step| step.call == POP).map(|step| step.target) {
            if self.after.insert(class as usize, position as usize) {
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
        let bytes = 4 * (self.classes + heads.calls.len());
        budget.spend(heads.steps.len())?;
        let steps = heads.steps.iter().enumerate();
        let calls = steps.filter(|(_, step)| step.call != POP && step.call != SWAP);
        let callers = calls.map(|(i, step)| (self.class_of[step.target as usize], i as u32));
        let by_callee = Csr::from_pairs_within(self.classes, callers, budget)?;
        while let Some((class, position)) = news.pop() {
            budget.spend(1 + by_callee.row(class as usize).len())?;
            for &call in by_callee.row(class as usize) {
                let step = heads.steps[call as usize];
                let below = heads.calls[step.call as usize].below;
                if heads.pops.contains(step.target, position)
                    && let Some(uncovered) = heads.find(heads.returns[position as usize], below)
                {
                    self.pop_after(heads, uncovered, &mut news);
                }
            }
        }
        budget.release(bytes);
        Ok(())
    }

    /// Whether a head does nothing but return into one control state.
    #[inline]
    pub(super) fn only_pops(&self, head: u32) -> bool {
        self.only_pops.contains(head)
    }

    /// The positions that exits before a pop of a procedure return into.
    pub(super) fn before(&self, class: u32) -> &[u64] {
        self.before.row(class as usize)
    }

    /// The positions that exits after a pop of a procedure return into.
    pub(super) fn after(&self, class: u32) -> &[u64] {
        self.after.row(class as usize)
    }

    /// Per procedure, the positions that exits after a pop return into.
    pub(super) fn into_after(self) -> BitRows {
        self.after
    }

    /// Whether no head of a procedure is an exit itself, or stuck: then it can be entered with an
    /// empty stack.
    pub(super) fn serves_as_main(&self, heads: &Heads, class: u32) -> bool {
        ones(self.before(class)).next().is_none()
            && (0..heads.len() as u32)
                .filter(|&head| self.class_of[head as usize] == class)
                .all(|head| !heads.steps(head).is_empty())
    }
}
