//! Which places runs get to, and how soon: reachability through calls, on demand, in order of time.
//!
//! rsm-analysis, section 2 (stages 1 and 2 interleaved). A *frame* holds the times at which runs
//! first get to the places of a component, counted in steps from the start of the run. A component
//! that has no more entries than exits (*entry-bound*) gets a frame for each entry that is called,
//! so that a time less the time of the entry is the length of a summary R(entry, place). Others
//! (*exit-bound*) have one frame, and [`super::relax`] keeps the lengths of summaries R(place,
//! exit). So there are at most θ facts per vertex.
//!
//! The queue is in order of time: edges take one step, a return takes as long as the summary, a
//! call nothing (a call port and the entry are the same state). A later call of an entry finds the
//! exits known so far, and is notified of further ones. A fact about the callee is found at the
//! latest when the first caller is back, and other callers came later, so nothing is found too
//! late: the first time a place is settled is the length of a shortest run to it, and a search may
//! stop there.
//!
//! Time O(e·θ + v·θ²) steps, one visit of each edge for each fact at its source, a logarithm for
//! returns that lie far ahead; space O(v·θ), only for instances that are called. Its oracle is the
//! explicit search in `tests/`.

use super::arena::{Arena, PlaceId, Site};
use super::exit_lengths::ExitLengths;
use super::frame::{Frame, FrameId, Item, LONG, NONE};
use super::gates::Gates;
use super::times::Times;
use loris_base::{Budget, Exhausted, Idx};
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// Which components are looked at from their exits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum ExploreDirection {
    /// Those with more entries than exits.
    #[default]
    Fewer,
    /// None: a frame for each entry.
    Entries,
    /// All: one frame for each component.
    Exits,
}

/// The result of the search.
pub(crate) struct Explored<'r, A> {
    pub(crate) arena: &'r A,
    pub(super) times: Times,
    pub(crate) frames: Vec<Frame>,
    pub(crate) gates: Gates,
    /// per exit-bound component, its frame
    exit_bound: Vec<FrameId>,
    pub(super) exit_lengths: ExitLengths,
    /// the call ports below the start, outermost first; the first frames are theirs
    pub(super) below: Vec<(Site, PlaceId)>,
    /// exits reached in the first frame, which no box called
    pub(crate) bottom: Vec<Item>,
    /// the goal, if the search stopped at one
    pub(crate) hit: Option<Item>,
    /// how many facts were derived
    pub(crate) facts: u64,
    now: u32,
    queue: Queue,
    /// bytes declared for queues and lists
    held: usize,
    /// bytes declared for gates, frames and lengths
    fixed: usize,
}

#[derive(Default)]
struct Queue {
    now: Vec<Item>,
    next: Vec<Item>,
    far: BinaryHeap<Reverse<(u32, Item)>>,
}

impl Queue {
    fn is_empty(&self) -> bool {
        self.now.is_empty() && self.next.is_empty() && self.far.is_empty()
    }

    /// The next time at which something waits.
    fn advance(&mut self, now: u32) -> Option<u32> {
        let soon = (!self.next.is_empty()).then(|| now.saturating_add(1).min(LONG));
        let far = self.far.peek().map(|Reverse((time, _))| *time);
        let time = soon.into_iter().chain(far).min()?;
        if soon == Some(time) {
            std::mem::swap(&mut self.now, &mut self.next);
        }
        while let Some(Reverse((due, item))) = self.far.peek().copied() {
            if due != time {
                break;
            }
            self.far.pop();
            self.now.push(item);
        }
        Some(time)
    }
}

/// Times that are written in the time of a step.
const TIMES_PER_STEP: usize = 16;
/// More room than this is not taken before it is needed.
const MOST_ROOM: usize = 1 << 26;
/// More lengths than this of one component are not an array, if it has a large automaton beside it.
const MOST_LENGTHS: usize = 1 << 24;
/// With more facts than this, the data of a place is likely not in the cache.
pub(super) const BEYOND_CACHE: usize = 1 << 18;
/// How many places are fetched together.
const TOGETHER: usize = 16;

/// Bytes of a fact in a queue, on the average.
const FACT: usize = 12;
/// Facts between two declarations of the memory of queues and lists.
pub(super) const FACTS_PER_LOOK: u64 = 1024;

/// Where runs start: at places of one site, under these calls.
#[derive(Clone)]
pub(crate) struct Start {
    /// call ports with their sites, outermost first
    pub(crate) below: Vec<(Site, PlaceId)>,
    pub(crate) site: Site,
    pub(crate) places: Vec<PlaceId>,
}

/// Follows all runs until `goal` returns true.
pub(crate) fn explore<'r, A: Arena>(
    arena: &'r A,
    start: Start,
    direction: ExploreDirection,
    budget: &mut Budget,
    goal: impl FnMut(Site, PlaceId) -> bool,
) -> Result<Explored<'r, A>, Exhausted> {
    let mut explored = Explored::begin(arena, start, budget)?;
    explored.advance(u64::MAX, direction, budget, goal)?;
    Ok(explored)
}

impl<'r, A: Arena> Explored<'r, A> {
    pub(super) fn new(
        arena: &'r A,
        below: Vec<(Site, PlaceId)>,
        budget: &mut Budget,
    ) -> Result<Self, Exhausted> {
        let before = budget.used();
        let gates = Gates::new(arena.gates(), arena.is_sparse(), budget)?;
        Ok(Self {
            arena,
            times: Times::new(arena.is_sparse()),
            frames: Vec::new(),
            gates,
            exit_bound: Vec::new(),
            exit_lengths: ExitLengths::default(),
            below,
            bottom: Vec::new(),
            hit: None,
            facts: 0,
            now: 0,
            queue: Queue::default(),
            held: 0,
            fixed: budget.used() - before,
        })
    }

    /// Runs are where they start.
    pub(super) fn begin(arena: &'r A, start: Start, budget: &mut Budget) -> Result<Self, Exhausted> {
        let mut explored = Self::new(arena, start.below, budget)?;
        for level in 0..explored.below.len() {
            explored.frame(explored.below[level].0, NONE, budget)?;
        }
        let frame = explored.frame(start.site, NONE, budget)?;
        for place in start.places {
            explored.propose(Item { frame, place }, 0);
        }
        Ok(explored)
    }

    /// Follows all runs until `goal` returns true, or to the end, or until `most` facts are known
    /// and with them all up to some time. Returns whether there may be more.
    pub(super) fn advance(
        &mut self,
        most: u64,
        direction: ExploreDirection,
        budget: &mut Budget,
        mut goal: impl FnMut(Site, PlaceId) -> bool,
    ) -> Result<bool, Exhausted> {
        loop {
            let mut fetched = 0;
            while let Some(item) = self.queue.now.pop() {
                if fetched == 0 {
                    fetched = self.fetch();
                }
                fetched -= 1;
                let frame = self.frames[item.frame.index()];
                if self.times.get(frame.base, item) != self.now {
                    continue; // settled sooner
                }
                if goal(frame.site, item.place) {
                    self.hit = Some(item);
                    self.facts += 1;
                    return Ok(true);
                }
                self.settle(item, frame, direction, budget)?;
                if self.facts.is_multiple_of(FACTS_PER_LOOK) {
                    self.charge(budget)?;
                }
            }
            self.charge(budget)?;
            if self.facts >= most {
                return Ok(!self.queue.is_empty());
            }
            match self.queue.advance(self.now) {
                Some(time) => self.now = time,
                None => return Ok(false),
            }
        }
    }

    /// With room for all places: a search that wants everything will need it.
    pub(super) fn sized(arena: &'r A, budget: &mut Budget) -> Result<Self, Exhausted> {
        let mut explored = Self::new(arena, Vec::new(), budget)?;
        explored.times.reserve(arena.places().min(MOST_ROOM));
        Ok(explored)
    }

    /// The time of a place, `NONE` if runs do not get there.
    #[inline]
    pub(crate) fn time(&self, item: Item) -> u32 {
        self.times.get(self.frames[item.frame.index()].base, item)
    }

    /// All frames with the times of their places, where those are arrays; later ones than
    /// [`now`](Self::now) are proposals.
    pub(crate) fn frames_with_times(&self) -> impl Iterator<Item = (&Frame, &[u32])> {
        let ends = self.frames.iter().skip(1).map(|frame| frame.base).chain([self.times.len()]);
        let times = self.times.dense(0).unwrap_or_default();
        let frames = self.frames.iter().take(if times.is_empty() { 0 } else { usize::MAX });
        frames.zip(ends).map(move |(frame, end)| (frame, &times[frame.base..end]))
    }

    /// The time up to which all is settled.
    pub(crate) fn now(&self) -> u32 {
        self.now
    }

    /// All places some run gets to.
    pub(crate) fn reached(&self) -> impl Iterator<Item = Item> + '_ {
        let arrays = (0..).map(FrameId::new).zip(self.frames_with_times()).flat_map(|(frame, (_, times))| {
            let places = (0..).map(PlaceId::new);
            places.zip(times).map(move |(place, &time)| (Item { frame, place }, time))
        });
        arrays.chain(self.times.met()).filter(|&(_, time)| time <= self.now).map(|(item, _)| item)
    }

    /// Where a place some run gets to keeps its time.
    #[inline]
    pub(super) fn slot(&self, item: Item) -> Option<usize> {
        let base = self.frames[item.frame.index()].base;
        self.times.slot(base, item).filter(|_| self.times.get(base, item) <= self.now)
    }

    /// How many calls lay below the start.
    pub(super) fn height(&self) -> usize {
        self.below.len()
    }

    /// Where a run is that leaves one of the first frames, but for the first.
    pub(super) fn back_below(&self, item: Item, frame: Frame) -> Option<Item> {
        if item.frame == FrameId::FIRST || item.frame.index() > self.below.len() {
            return None;
        }
        let below = item.frame.index() - 1;
        let (site, port) = self.below[below];
        let exit = self.arena.exit_number(frame.site, item.place);
        Some(Item { frame: FrameId::new(below), place: self.arena.back(site, port, exit)? })
    }

    /// Prefetches the data of the next places. Large machines do not fit the cache, and a place is
    /// waited for long; for several that do not depend on each other it is waited once. Returns how
    /// many they are.
    fn fetch(&self) -> usize {
        let Some(times) = self.times.dense(0).filter(|times| times.len() >= BEYOND_CACHE) else {
            return usize::MAX;
        };
        let mut sum = 0;
        for item in self.queue.now.iter().rev().take(TOGETHER) {
            let frame = &self.frames[item.frame.index()];
            let times = &times[frame.base..];
            self.arena.successors(frame.site, item.place, |place| sum ^= times[place.index()]);
            sum ^= u32::from(self.arena.is_exit(frame.site, item.place));
        }
        std::hint::black_box(sum);
        TOGETHER
    }

    /// Gives back all that was declared.
    pub(crate) fn release(self, budget: &mut Budget) {
        budget.release(self.fixed + self.held);
    }

    /// Declares the memory of queues and lists; frames are declared as they are made.
    pub(super) fn charge(&mut self, budget: &mut Budget) -> Result<(), Exhausted> {
        let queued = self.queue.now.len() + self.queue.next.len() + self.queue.far.len();
        self.hold(FACT * queued, budget)
    }

    /// Declares the memory of lists, with this many bytes of queues.
    pub(super) fn hold(&mut self, queues: usize, budget: &mut Budget) -> Result<(), Exhausted> {
        let lists = self.gates.bytes()
            + self.times.bytes()
            + self.exit_lengths.bytes()
            + size_of::<Item>() * self.bottom.len();
        budget.grow(&mut self.held, lists + queues)
    }

    /// Makes a frame of times.
    pub(super) fn frame(&mut self, site: Site, gate: u32, budget: &mut Budget) -> Result<FrameId, Exhausted> {
        let size = self.arena.size(site);
        let times = self.times.bytes_of_frame(size);
        let bytes = times + size_of::<Frame>();
        budget.charge(bytes)?;
        self.fixed += bytes;
        budget.spend(times / (4 * TIMES_PER_STEP))?;
        let base = self.times.frame(size);
        self.frames.push(Frame { base, site, gate, lengths: usize::MAX });
        Ok(FrameId::new(self.frames.len() - 1))
    }

    /// A run gets to a place at this time.
    #[inline]
    fn propose(&mut self, item: Item, time: u32) {
        if self.times.lower(self.frames[item.frame.index()].base, item, time).is_none() {
            return;
        }
        if time == self.now {
            self.queue.now.push(item);
        } else if time == self.now + 1 {
            self.queue.next.push(item);
        } else {
            self.queue.far.push(Reverse((time, item)));
        }
    }

    #[inline]
    fn settle(
        &mut self,
        item: Item,
        frame: Frame,
        direction: ExploreDirection,
        budget: &mut Budget,
    ) -> Result<(), Exhausted> {
        self.facts += 1;
        let arena = self.arena;
        if let Some(gate) = arena.call(frame.site, item.place) {
            self.call(item, frame, gate, direction, budget)?;
        } else if arena.is_exit(frame.site, item.place) {
            if frame.gate != NONE {
                let entered = self.gates.get(frame.gate).expect("its frame was made for it").time;
                let exit = arena.exit_number(frame.site, item.place);
                self.learn(frame.gate, exit, since(self.now, entered), budget)?;
            } else if item.frame == FrameId::FIRST {
                self.bottom.push(item);
            } else if let Some(below) = self.back_below(item, frame) {
                self.propose(below, self.now);
            }
        } else {
            let time = self.now.saturating_add(1).min(LONG);
            let next = if time == self.now { &mut self.queue.now } else { &mut self.queue.next };
            let mut steps = 1;
            if let Some(times) = self.times.dense_mut(frame.base) {
                arena.successors(frame.site, item.place, |place| {
                    steps += 1;
                    let known = &mut times[place.index()];
                    if *known > time {
                        *known = time;
                        next.push(Item { frame: item.frame, place });
                    }
                });
            } else {
                arena.successors(frame.site, item.place, |place| {
                    steps += 1;
                    let to = Item { frame: item.frame, place };
                    if self.times.lower(frame.base, to, time).is_some() {
                        next.push(to);
                    }
                });
            }
            budget.spend(steps)?;
        }
        if frame.is_exit_bound() {
            self.join(item, frame, budget)?;
        }
        if self.exit_lengths.is_waiting() {
            self.relax(budget)?;
        }
        Ok(())
    }

    fn call(
        &mut self,
        item: Item,
        frame: Frame,
        entry: u32,
        direction: ExploreDirection,
        budget: &mut Budget,
    ) -> Result<(), Exhausted> {
        if self.gates.get(entry).is_none() {
            self.enter(item, frame, entry, direction, budget)?;
        }
        let gate = self.gates.wait(entry, item, self.now).expect("it was entered");
        let mut next = gate.ways();
        budget.spend(1)?;
        while let Some((exit, length, after)) = self.gates.way(&gate, next) {
            budget.spend(1)?;
            if let Some(back) = self.arena.back(frame.site, item.place, exit) {
                let time = self.now.saturating_add(length).min(LONG);
                self.propose(Item { frame: item.frame, place: back }, time);
            }
            next = after;
        }
        Ok(())
    }

    /// An entry is called for the first time.
    fn enter(
        &mut self,
        by: Item,
        caller: Frame,
        number: u32,
        direction: ExploreDirection,
        budget: &mut Budget,
    ) -> Result<(), Exhausted> {
        let (site, place) = self.arena.callee(caller.site, by.place);
        let (entries, exits) = self.arena.sides(site);
        let exit_bound = match direction {
            // a single entry needs no sharing, whatever the exits
            ExploreDirection::Fewer => entries > exits.max(1) && self.may_share(site, exits),
            ExploreDirection::Entries => false,
            ExploreDirection::Exits => true,
        };
        let frame =
            if exit_bound { self.shared_frame(site, budget)? } else { self.frame(site, number, budget)? };
        self.gates.open(number, frame, self.now, by);
        let entry = Item { frame, place };
        if exit_bound {
            // runs may have got there before by an edge, or be about to: it may be known where they
            // leave
            self.announce(entry, budget)?;
        }
        self.propose(entry, self.now);
        Ok(())
    }

    /// Whether the lengths of ways to all exits are few enough to be an array.
    fn may_share(&self, site: Site, exits: usize) -> bool {
        !self.arena.is_sparse() || self.arena.size(site).saturating_mul(exits) <= MOST_LENGTHS
    }

    /// All has been followed.
    pub(super) fn finish(&mut self) {
        self.now = LONG;
    }

    /// Moves the times of each frame to when it is entered, and by whom.
    pub(super) fn shift_times(&mut self, since: &[(u32, Option<Item>)]) {
        for (number, &(start, _)) in since.iter().enumerate() {
            let base = self.frames[number].base;
            let end = self.frames.get(number + 1).map_or(self.times.len(), |next| next.base);
            let times = self.times.dense_mut(base).expect("a sweep has arrays");
            times[..end - base].iter_mut().filter(|time| **time != NONE).for_each(|time| {
                *time = time.saturating_add(start).min(LONG);
            });
        }
        self.gates.enter(since);
    }

    /// The frame of an exit-bound component.
    fn shared_frame(&mut self, site: Site, budget: &mut Budget) -> Result<FrameId, Exhausted> {
        let component = site.number as usize;
        if self.exit_bound.len() <= component {
            self.exit_bound.resize(component + 1, FrameId::NONE);
        }
        if self.exit_bound[component] == FrameId::NONE {
            let frame = self.frame(site, NONE, budget)?;
            let (size, exits) = (self.arena.size(site), self.arena.sides(site).1);
            self.frames[frame.index()].lengths = self.exit_lengths.block(size, exits, budget)?;
            self.fixed += 4 * size * exits;
            self.exit_bound[component] = frame;
        }
        Ok(self.exit_bound[component])
    }

    /// There is a way of this length from an entry to an exit: all waiting calls are notified.
    pub(super) fn learn(
        &mut self,
        entry: u32,
        exit: u32,
        length: u32,
        budget: &mut Budget,
    ) -> Result<(), Exhausted> {
        budget.spend(1)?;
        let Some(mut next) = self.gates.learn(entry, exit, length) else { return Ok(()) };
        while let Some((caller, time, after)) = self.gates.waits(next) {
            budget.spend(1)?;
            let frame = self.frames[caller.frame.index()];
            if let Some(back) = self.arena.back(frame.site, caller.place, exit) {
                self.propose(
                    Item { frame: caller.frame, place: back },
                    time.saturating_add(length).min(LONG),
                );
                if frame.is_exit_bound() {
                    self.shorten(caller, back, length, budget)?;
                }
            }
            next = after;
        }
        Ok(())
    }

    /// The number of an entry, if the place is one and called.
    pub(super) fn gate_at(&self, frame: Frame, place: PlaceId) -> Option<u32> {
        self.arena.gate(frame.site, place).filter(|&entry| self.gates.get(entry).is_some())
    }

    /// Ways of the entry that is called at a place, if it is a call port.
    pub(super) fn ways_through(&self, frame: Frame, place: PlaceId) -> Option<Vec<(u32, u32)>> {
        let gate = self.gates.get(self.arena.call(frame.site, place)?);
        Some(gate.map(|gate| self.gates.ways(gate).collect()).unwrap_or_default())
    }
}

/// The difference between two times; unknown lengths are long.
pub(crate) fn since(later: u32, sooner: u32) -> u32 {
    if later >= LONG { LONG } else { later - sooner }
}
