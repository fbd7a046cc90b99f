//! labelByFixpoint (recursive-kripke, Algorithms 3.4 and 3.6) with the worklist of section 5.4.
//!
//! Decides EG ψ and E[ψ U χ] for a set Ξ of context pairs that is closed: whatever a pair of Ξ asks
//! of a call is decided or in Ξ. In each round the pairs of the queue are checked locally, in the
//! first round from scratch, later by following new answers ([`Undecided`]). Then calls whose
//! answer may have changed are asked again, and a pair is queued for the next round if an
//! assumption of one of its calls really changed and something of it is undecided. An assumption
//! changes when the entry of a callee gets decided, under either top, and when the pair itself is,
//! where it goes on after the call (E12: the thesis forgets the latter). Rounds read what the
//! rounds before wrote, nothing of their own, so that the numbers of rounds do not depend on any
//! order.
//!
//! A location that is undecided when the queue is empty lies on an infinite path of undecided ones:
//! t for EG, f for EU.
//!
//! Invariant: the assumption of every call of every pair outside the queue is the present answer of
//! its callee. An assumption changes at most once, so this is linear in the pairs' sizes. The
//! tables of the thesis in `tests/rks_tables.rs` are the oracle for rounds, `tests/rks.rs` for
//! values.

use super::local::{Path, Row};
use super::structure::{Call, Structure};
use super::undecided::Undecided;
use loris_base::{Budget, Exhausted, Truth};

/// A context pair: a class of contexts that differ in the value of the formula itself after the
/// exit only, and that value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct Pair {
    pub(super) class: u32,
    /// false for formulas that are not annotated
    pub(super) top: bool,
}

/// The data of pairs that rounds need.
pub(super) trait Pairs<'a> {
    fn structure(&self, class: u32) -> Structure<'a>;
    fn row(&self, pair: Pair) -> &Row;
    fn row_mut(&mut self, pair: Pair) -> &mut Row;
    /// The class a call leads to.
    fn callee(&self, class: u32, call: Call) -> u32;
    /// The value at the entry of a pair, which need not be one of Ξ.
    fn at_entry(&self, pair: Pair) -> Truth;
    /// A local check.
    fn check(&mut self, pair: Pair, round: u32, budget: &mut Budget) -> Result<bool, Exhausted>;
}

/// The value to assume of a call now: that at the entry of its callee, in the context of where the
/// pair goes on afterwards (cc).
pub(super) fn assumption<'a>(pairs: &impl Pairs<'a>, pair: Pair, call: Call) -> Truth {
    let row = pairs.row(pair);
    let class = pairs.callee(pair.class, call);
    let at = |top: bool| pairs.at_entry(Pair { class, top });
    match row.any(pairs.structure(pair.class).after(call.site)) {
        Truth::True => at(true),
        Truth::False => at(false),
        // ⋈
        Truth::Unknown if at(false) == at(true) => at(true),
        Truth::Unknown => Truth::Unknown,
    }
}

/// Asks a call again; whether the assumption changed.
pub(super) fn refresh<'a>(pairs: &mut impl Pairs<'a>, pair: Pair, call: Call) -> bool {
    if pairs.row(pair).values[call.cell].is_known() {
        return false;
    }
    let now = assumption(pairs, pair, call);
    pairs.row_mut(pair).values[call.cell] = now;
    now.is_known()
}

/// Decides all locations of all pairs of Ξ, operands being known there; how many local checks each
/// round took.
pub(super) fn label_by_fixpoint<'a, P: Pairs<'a>>(
    pairs: &mut P,
    xi: &[Pair],
    path: Path,
    budget: &mut Budget,
) -> Result<Vec<usize>, Exhausted> {
    let mut work = Rounds::new(pairs, xi, path, budget)?;
    let mut rounds = Vec::new();
    let mut queue: Vec<u32> = (0..xi.len() as u32).collect();
    while !queue.is_empty() {
        rounds.push(queue.len());
        let mut entered = Vec::new();
        let mut changed = Vec::new();
        for number in std::mem::take(&mut queue) {
            let pair = xi[number as usize];
            let before = work.pairs.at_entry(pair);
            if rounds.len() == 1 {
                if work.pairs.check(pair, 1, budget)? {
                    let calls = work.pairs.structure(pair.class).calls();
                    changed.extend(calls.map(|call| (number, call)));
                }
            } else {
                work.check_again(number, rounds.len() as u32, &mut changed, budget)?;
            }
            if work.pairs.at_entry(pair) != before {
                entered.push(pair.class);
            }
        }
        for (number, call) in changed {
            budget.spend(1)?;
            work.note(number, call, &mut queue);
        }
        for class in entered {
            work.note_callers(class, &mut queue, budget)?;
        }
        queue.sort_unstable();
        for &number in &queue {
            work.is_queued[number as usize] = false;
        }
    }
    for &pair in xi {
        let structure = work.pairs.structure(pair.class);
        work.pairs.row_mut(pair).decide_rest(&structure, path.left_over());
    }
    budget.release(work.bytes());
    Ok(rounds)
}

struct Rounds<'p, P> {
    pairs: &'p mut P,
    xi: &'p [Pair],
    path: Path,
    /// back-pointers: (callee, who calls it, from where), by callee
    callers: Vec<(u32, u32, u32)>,
    is_queued: Vec<bool>,
    /// the undecided rest of a pair after the first round, once there is a second
    rests: Vec<Option<Undecided>>,
    /// per pair, calls whose assumption changed since its last check
    answers: Vec<Vec<u32>>,
}

impl<'p, 'a, P: Pairs<'a>> Rounds<'p, P> {
    fn new(pairs: &'p mut P, xi: &'p [Pair], path: Path, budget: &mut Budget) -> Result<Self, Exhausted> {
        let mut callers = Vec::new();
        for (number, &pair) in xi.iter().enumerate() {
            let structure = pairs.structure(pair.class);
            budget.spend(1 + structure.places())?;
            for call in structure.calls() {
                callers.push((pairs.callee(pair.class, call), number as u32, call.place as u32));
                refresh(pairs, pair, call);
            }
        }
        callers.sort_unstable();
        let rests = xi.iter().map(|_| None).collect();
        let this = Self {
            pairs,
            xi,
            path,
            callers,
            is_queued: vec![false; xi.len()],
            rests,
            answers: vec![Vec::new(); xi.len()],
        };
        budget.charge(this.bytes())?;
        Ok(this)
    }

    /// A local check that follows changes; notes the calls after which the pair goes on where it is
    /// decided now.
    fn check_again(
        &mut self,
        number: u32,
        round: u32,
        changed: &mut Vec<(u32, Call)>,
        budget: &mut Budget,
    ) -> Result<(), Exhausted> {
        let pair = self.xi[number as usize];
        let structure = self.pairs.structure(pair.class);
        let mut answers = std::mem::take(&mut self.answers[number as usize]);
        let row = self.pairs.row_mut(pair);
        let rest = &mut self.rests[number as usize];
        let rest = if let Some(rest) = rest {
            rest
        } else {
            answers = structure.calls().map(|call| call.cell as u32).collect();
            rest.insert(Undecided::new(&structure, row, Some(self.path), budget)?)
        };
        let mut found = Vec::new();
        for call in answers {
            rest.follow(&structure, row, call as usize, round, &mut found, budget)?;
        }
        for cell in found {
            changed.extend(structure.calls_before(cell as usize).map(|call| (number, call)));
        }
        Ok(())
    }

    /// Asks a call again, and queues its pair if the answer is new and of use.
    fn note(&mut self, number: u32, call: Call, queue: &mut Vec<u32>) {
        let pair = self.xi[number as usize];
        if refresh(self.pairs, pair, call) && self.pairs.row(pair).undecided > 0 {
            self.answers[number as usize].push(call.cell as u32);
            if !std::mem::replace(&mut self.is_queued[number as usize], true) {
                queue.push(number);
            }
        }
    }

    /// Asks all calls that lead to a class again.
    fn note_callers(
        &mut self,
        class: u32,
        queue: &mut Vec<u32>,
        budget: &mut Budget,
    ) -> Result<(), Exhausted> {
        let mut place = self.callers.partition_point(|&(callee, ..)| callee < class);
        while let Some(&(callee, number, call)) = self.callers.get(place)
            && callee == class
        {
            budget.spend(1)?;
            let call = self.pairs.structure(self.xi[number as usize].class).call(call as usize);
            self.note(number, call.expect("only calls have back-pointers"), queue);
            place += 1;
        }
        Ok(())
    }

    /// Bytes held.
    fn bytes(&self) -> usize {
        let rests: usize = self.rests.iter().flatten().map(Undecided::bytes).sum();
        let per_pair = size_of::<Option<Undecided>>() + size_of::<Vec<u32>>() + 1;
        12 * self.callers.len() + per_pair * self.xi.len() + rests
    }
}
