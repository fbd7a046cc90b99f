//! The search of [`explore`](super::explore) in another order: frame by frame, callees first.
//!
//! Nothing is found nearest first, so a search that may stop early is better off there; one that
//! wants everything finds a frame's places side by side in memory here, which is nearly twice as
//! fast on machines larger than the cache. Times count from the entry of each frame: a callee is
//! followed to its end before its caller goes on, so that lengths of ways are known when they are
//! asked for. Only recursion finds them late; then a frame is taken up again, and a time that has
//! become shorter is carried on. [`Explored::since_start`] makes the times those of
//! [`explore`](super::explore::explore). For machines whose components are all entry-bound.
//!
//! Each place of a frame is settled once, or under recursion as often as its time shrinks. The
//! space is the same; the oracle is the other order.

use super::arena::{Arena, PlaceId, Site};
use super::explore::{BEYOND_CACHE, ExploreDirection, Explored, FACTS_PER_LOOK, Start};
use super::frame::{Frame, FrameId, Item, LONG, NONE};
use loris_base::{Budget, Csr, Exhausted, Idx};
use std::cmp::Reverse;
use std::collections::{BinaryHeap, VecDeque};

/// Why times are in one piece.
const ARRAYS: &str = "only frames that are arrays are swept";
/// Times on a line of the cache.
const LINE: usize = 16;

/// A frame that is being followed.
struct Active {
    frame: FrameId,
    /// places one step on, in order of time
    soon: VecDeque<(u32, PlaceId)>,
    /// where calls come back
    far: BinaryHeap<Reverse<(u32, PlaceId)>>,
}

impl Active {
    fn new(frame: FrameId) -> Self {
        Self { frame, soon: VecDeque::new(), far: BinaryHeap::new() }
    }

    /// The next place, with its time.
    #[inline]
    fn pop(&mut self) -> Option<(u32, PlaceId)> {
        match (self.soon.front(), self.far.peek()) {
            (Some(&(time, place)), far) if far.is_none_or(|Reverse((due, _))| time <= *due) => {
                self.soon.pop_front();
                Some((time, place))
            }
            (_, Some(_)) => self.far.pop().map(|Reverse(due)| due),
            _ => None,
        }
    }
}

/// Whether this order does in place of the other.
pub(crate) fn is_sweepable(arena: &impl Arena, direction: ExploreDirection) -> bool {
    let is_entry_bound = direction == ExploreDirection::Entries
        || direction == ExploreDirection::Fewer && arena.is_entry_bound();
    is_entry_bound && !arena.is_sparse()
}

struct Sweep<'r, A> {
    found: Explored<'r, A>,
    /// the frames being followed, each called by the one before, the last by itself
    stack: Vec<Active>,
    /// per frame, where it is on the stack
    place_of: Vec<u32>,
    /// places of frames not on the stack, with times that have become shorter
    late: Vec<(Item, u32)>,
    /// those being dealt with, by frame, the last first
    round: Vec<(Item, u32)>,
    spare: Vec<Active>,
    /// places in the queues of all frames being followed
    queued: usize,
}

/// Bytes of a frame that is followed, or was: its queues with the least they hold.
const ACTIVE: usize = size_of::<Active>() + 2 * 48;
/// Bytes of a place in a queue; queues double.
const QUEUED: usize = 12;

/// Follows all runs until `enough` is true of a place, or to the end.
pub(crate) fn sweep<'r, A: Arena>(
    arena: &'r A,
    start: Start,
    budget: &mut Budget,
    mut enough: impl FnMut(Site, PlaceId) -> bool,
) -> Result<Explored<'r, A>, Exhausted> {
    debug_assert!(start.below.is_empty(), "nothing is left below the start");
    let mut sweep = Sweep {
        found: Explored::sized(arena, budget)?,
        stack: Vec::new(),
        place_of: Vec::new(),
        late: Vec::new(),
        round: Vec::new(),
        spare: Vec::new(),
        queued: 0,
    };
    let frame = sweep.follow_new(start.site, NONE, budget)?;
    for place in start.places {
        sweep.propose(Item { frame, place }, 0);
    }
    let mut looks: u64 = 0;
    loop {
        let Some(top) = sweep.stack.last_mut() else {
            if sweep.take_up() {
                continue;
            }
            break;
        };
        let number = top.frame;
        let Some((time, place)) = top.pop() else {
            sweep.place_of[number.index()] = NONE;
            sweep.spare.extend(sweep.stack.pop());
            sweep.fetch();
            continue;
        };
        sweep.queued -= 1;
        let frame = sweep.found.frames[number.index()];
        if sweep.found.times.get(frame.base, Item { frame: number, place }) != time {
            continue; // it has become shorter
        }
        let mut at = Some((time, place));
        while let Some((time, place)) = at {
            let item = Item { frame: number, place };
            if enough(frame.site, place) {
                sweep.found.hit = Some(item);
                sweep.found.finish();
                return Ok(sweep.found);
            }
            at = sweep.settle(item, frame, time, budget)?;
            looks += 1;
            if looks.is_multiple_of(FACTS_PER_LOOK) {
                sweep.charge(budget)?;
            }
        }
    }
    sweep.found.finish();
    Ok(sweep.found)
}

impl<A: Arena> Sweep<'_, A> {
    /// Declares the memory of queues and lists; frames are declared as they are made.
    fn charge(&mut self, budget: &mut Budget) -> Result<(), Exhausted> {
        let followed = ACTIVE * (self.stack.len() + self.spare.len()) + 4 * self.place_of.len();
        let waiting = size_of::<(Item, u32)>() * (self.late.len() + self.round.len());
        self.found.hold(followed + waiting + QUEUED * self.queued, budget)
    }

    /// Takes up a frame again, with all that has come for it; whether there is one.
    fn take_up(&mut self) -> bool {
        if self.round.is_empty() {
            std::mem::swap(&mut self.round, &mut self.late);
            self.round.sort_unstable_by_key(|&(item, _)| Reverse(item.frame));
        }
        let Some(&(Item { frame, .. }, _)) = self.round.last() else { return false };
        self.follow(frame);
        while let Some((item, time)) = self.round.pop_if(|(item, _)| item.frame == frame) {
            if self.found.time(item) == time {
                self.stack[0].far.push(Reverse((time, item.place)));
                self.queued += 1;
            }
        }
        true
    }

    fn follow_new(&mut self, site: Site, gate: u32, budget: &mut Budget) -> Result<FrameId, Exhausted> {
        let frame = self.found.frame(site, gate, budget)?;
        self.place_of.push(NONE);
        self.follow(frame);
        Ok(frame)
    }

    fn follow(&mut self, frame: FrameId) {
        let mut active = self.spare.pop().unwrap_or_else(|| Active::new(frame));
        active.frame = frame;
        self.place_of[frame.index()] = self.stack.len() as u32;
        self.stack.push(active);
        self.fetch();
    }

    /// Prefetches the data of the frame that is now followed: it is not in the cache, being new or
    /// having waited for its callees.
    fn fetch(&self) {
        let Some(top) = self.stack.last().filter(|_| self.found.times.len() > BEYOND_CACHE) else { return };
        let frame = self.found.frames[top.frame.index()];
        let times = &self.found.times.dense(frame.base).expect(ARRAYS)[..self.found.arena.size(frame.site)];
        let mut sum = times.iter().step_by(LINE).fold(0, |sum, time| sum ^ time);
        let gates = &self.found.gates;
        self.found.arena.fetch(frame.site, |entry| sum ^= u32::from(gates.get(entry).is_some()));
        std::hint::black_box(sum);
    }

    /// A run gets to a place of some frame by a return, or by a start.
    fn propose(&mut self, item: Item, time: u32) {
        let base = self.found.frames[item.frame.index()].base;
        let Some(later) = self.found.times.lower(base, item, time) else { return };
        self.found.facts += u64::from(later == NONE);
        match self.stack.get_mut(self.place_of[item.frame.index()] as usize) {
            Some(active) => {
                active.far.push(Reverse((time, item.place)));
                self.queued += 1;
            }
            None => self.late.push((item, time)),
        }
    }

    /// Goes on from a place. Returns the next one if nothing else comes before it, which is the
    /// case along most of a program.
    #[inline]
    fn settle(
        &mut self,
        item: Item,
        frame: Frame,
        time: u32,
        budget: &mut Budget,
    ) -> Result<Option<(u32, PlaceId)>, Exhausted> {
        let arena = self.found.arena;
        budget.spend(1)?;
        if let Some(gate) = arena.call(frame.site, item.place) {
            if let Some(gate) = self.found.gates.wait(gate, item, time) {
                let mut next = gate.ways();
                while let Some((exit, length, after)) = self.found.gates.way(&gate, next) {
                    budget.spend(1)?;
                    if let Some(place) = arena.back(frame.site, item.place, exit) {
                        self.propose(
                            Item { frame: item.frame, place },
                            time.saturating_add(length).min(LONG),
                        );
                    }
                    next = after;
                }
            } else {
                let (site, place) = arena.callee(frame.site, item.place);
                let inner = self.follow_new(site, gate, budget)?;
                self.found.gates.open(gate, inner, 0, item);
                self.found.gates.wait(gate, item, time);
                self.propose(Item { frame: inner, place }, 0);
            }
        } else if arena.is_exit(frame.site, item.place) {
            if frame.gate == NONE {
                self.found.bottom.push(item);
                return Ok(None);
            }
            let exit = arena.exit_number(frame.site, item.place);
            let Some(mut next) = self.found.gates.learn(frame.gate, exit, time) else { return Ok(None) };
            while let Some((caller, before, after)) = self.found.gates.waits(next) {
                budget.spend(1)?;
                let outer = self.found.frames[caller.frame.index()].site;
                if let Some(place) = arena.back(outer, caller.place, exit) {
                    let back = before.saturating_add(time).min(LONG);
                    self.propose(Item { frame: caller.frame, place }, back);
                }
                next = after;
            }
        } else {
            let time = time.saturating_add(1).min(LONG);
            let times = self.found.times.dense_mut(frame.base).expect(ARRAYS);
            let active = self.stack.last_mut().expect("the frame is being followed");
            let mut is_next =
                active.soon.is_empty() && active.far.peek().is_none_or(|Reverse((due, _))| *due > time);
            let (mut next, mut facts, mut steps, mut queued) = (None, 0, 0, 0);
            arena.successors(frame.site, item.place, |place| {
                steps += 1;
                let known = &mut times[place.index()];
                if *known > time {
                    facts += u64::from(*known == NONE);
                    *known = time;
                    if std::mem::replace(&mut is_next, false) {
                        next = Some((time, place));
                    } else {
                        active.soon.push_back((time, place));
                        queued += 1;
                    }
                }
            });
            self.found.facts += facts;
            self.queued += queued;
            budget.spend(steps)?;
            return Ok(next);
        }
        Ok(None)
    }
}

impl<A: Arena> Explored<'_, A> {
    /// Turns times since the entry of a frame into times since the start of the run: a shortest way
    /// to each frame through the calls that were met (Dijkstra, in the number of calls).
    pub(crate) fn since_start(&mut self, budget: &mut Budget) -> Result<(), Exhausted> {
        // calls, their order and queue; frames with their starts
        let held = (size_of::<(Item, u32, u32)>() + 4 + 16) * self.gates.waiting_count()
            + (size_of::<(u32, Option<Item>)>() + 4) * self.frames.len();
        let budget = &mut budget.holding(held)?;
        let mut calls = Vec::with_capacity(self.gates.waiting_count());
        for gate in self.gates.iter() {
            let mut next = gate.waiting;
            while let Some((caller, time, after)) = self.gates.waits(next) {
                budget.spend(1)?;
                calls.push((caller, time, gate.frame));
                next = after;
            }
        }
        let by_caller = Csr::from_pairs(
            self.frames.len(),
            calls
                .iter()
                .enumerate()
                .map(|(number, (caller, ..))| (caller.frame.index() as u32, number as u32)),
        );
        let mut since = vec![(NONE, None); self.frames.len()];
        let mut queue = BinaryHeap::from([Reverse((0, FrameId::FIRST))]);
        since[0].0 = 0;
        while let Some(Reverse((time, frame))) = queue.pop() {
            if since[frame.index()].0 != time {
                continue;
            }
            budget.spend(1 + by_caller.row(frame.index()).len())?;
            for &call in by_caller.row(frame.index()) {
                let (caller, before, callee) = calls[call as usize];
                let entered = time.saturating_add(before).min(LONG);
                if entered < since[callee.index()].0 {
                    since[callee.index()] = (entered, Some(caller));
                    queue.push(Reverse((entered, callee)));
                }
            }
        }
        self.shift_times(&since);
        Ok(())
    }
}
