//! Records the run to a place from times alone: a step back is one to a place that was reached so
//! much sooner.
//!
//! Nothing was kept for this while exploring. A list of segments left to record replaces recursion
//! into calls. O(length of the run times the edges into a place).

use super::arena::{Arena, PlaceId};
use super::explore::Explored;
use super::frame::{Frame, FrameId, Item, LONG, NONE};
use crate::recorder::{MOST_STATES, RunRecorder, Unrecorded};
use loris_base::Idx;
use loris_rsm::{BoxId, Vertex};

/// How a run got to a place of its frame.
enum Hop {
    /// It starts there.
    Start,
    /// It was called from there.
    Called(Item),
    /// By an edge.
    Step(PlaceId),
    /// By a call at this port that left through the exit of this number.
    Through(PlaceId, u32),
    /// By leaving the next of the first frames through this exit.
    Down(PlaceId),
}

/// The segments of a run left to record, the last first.
enum Segment {
    Arrive(Vertex),
    Push(BoxId),
    Pop,
    /// the way from the entry called at a port of a frame to an exit
    Summary(Frame, PlaceId, u32),
}

/// The next of the first frames.
fn above(frame: FrameId) -> FrameId {
    FrameId::new(frame.index() + 1)
}

impl<A: Arena> Explored<'_, A> {
    /// Records a shortest run to a place. Afterwards the stack is that of the place's frame; a call
    /// port is not recorded.
    pub(crate) fn record_run(
        &self,
        item: Item,
        recorder: &mut RunRecorder<'_, '_>,
    ) -> Result<(), Unrecorded> {
        if self.time(item) as usize >= MOST_STATES {
            return Err(Unrecorded::TooLong);
        }
        let mut left = Vec::new();
        let mut held = 0;
        let mut here = item;
        loop {
            let frame = self.frames[here.frame.index()];
            recorder.budget.grow(&mut held, size_of::<Segment>() * left.len())?;
            match self.hop(here, frame, PlaceId::NONE, recorder)? {
                Hop::Start => {
                    left.push(Segment::Arrive(self.arena.vertex(frame.site, here.place)));
                    break;
                }
                Hop::Called(by) => {
                    left.push(Segment::Arrive(self.arena.vertex(frame.site, here.place)));
                    left.push(Segment::Push(self.box_at(self.frames[by.frame.index()], by.place, recorder)));
                    here = by;
                }
                Hop::Down(exit) => {
                    left.push(Segment::Pop);
                    here = Item { frame: above(here.frame), place: exit };
                }
                hop => here.place = self.step_back(here, frame, &hop, recorder, &mut left),
            }
        }
        self.record(left, recorder)?;
        recorder.budget.release(held);
        Ok(())
    }

    /// Records the way from the entry that is called at a port of a frame to the exit of a number,
    /// entry and exit included, with the box on the stack meanwhile.
    pub(crate) fn record_summary(
        &self,
        frame: Frame,
        port: PlaceId,
        exit: u32,
        recorder: &mut RunRecorder<'_, '_>,
    ) -> Result<(), Unrecorded> {
        let site = self.box_at(frame, port, recorder);
        let left = vec![Segment::Pop, Segment::Summary(frame, port, exit), Segment::Push(site)];
        self.record(left, recorder)
    }

    fn record(&self, mut left: Vec<Segment>, recorder: &mut RunRecorder<'_, '_>) -> Result<(), Unrecorded> {
        let mut held = size_of::<Segment>() * left.len();
        while let Some(next) = left.pop() {
            recorder.budget.spend(1)?;
            recorder.budget.grow(&mut held, size_of::<Segment>() * left.len())?;
            match next {
                Segment::Push(site) => recorder.stack.push(site),
                Segment::Pop => {
                    recorder.stack.pop();
                }
                Segment::Arrive(vertex) => recorder.arrive(vertex)?,
                Segment::Summary(frame, port, exit) => self.expand(frame, port, exit, recorder, &mut left)?,
            }
        }
        Ok(())
    }

    fn box_at(&self, frame: Frame, port: PlaceId, recorder: &RunRecorder<'_, '_>) -> BoxId {
        recorder.rsm.box_of(self.arena.vertex(frame.site, port)).expect("a call port has a box")
    }

    /// Lists, last first, the way through a call.
    fn expand(
        &self,
        caller: Frame,
        port: PlaceId,
        exit: u32,
        recorder: &mut RunRecorder<'_, '_>,
        left: &mut Vec<Segment>,
    ) -> Result<(), Unrecorded> {
        let gate = self.arena.call(caller.site, port).and_then(|number| self.gates.get(number));
        let gate = *gate.expect("what was called has a gate");
        let (_, entry) = self.arena.callee(caller.site, port);
        let frame = self.frames[gate.frame.index()];
        let (_, length) = self.gates.ways(&gate).find(|&(end, _)| end == exit).expect("a summary has a way");
        if length as usize >= MOST_STATES {
            return Err(Unrecorded::TooLong);
        }
        if frame.is_exit_bound() {
            recorder.budget.charge(size_of::<Segment>() * length as usize)?;
            let mut ahead = vec![Segment::Arrive(self.arena.vertex(frame.site, entry))];
            let mut place = entry;
            let end = self.arena.exit(frame.site, exit);
            while place != end {
                place = self.step_ahead(frame, place, exit, recorder, &mut ahead)?;
            }
            recorder.budget.release(size_of::<Segment>() * length as usize);
            left.extend(ahead.into_iter().rev());
            return Ok(());
        }
        let mut here = Item { frame: gate.frame, place: self.arena.exit(frame.site, exit) };
        loop {
            match self.hop(here, frame, entry, recorder)? {
                Hop::Start | Hop::Called(_) => break,
                hop => here.place = self.step_back(here, frame, &hop, recorder, left),
            }
        }
        left.push(Segment::Arrive(self.arena.vertex(frame.site, here.place)));
        Ok(())
    }

    /// Lists a step within a frame, and returns where it came from.
    fn step_back(
        &self,
        here: Item,
        frame: Frame,
        hop: &Hop,
        recorder: &RunRecorder<'_, '_>,
        left: &mut Vec<Segment>,
    ) -> PlaceId {
        match *hop {
            Hop::Step(before) => {
                left.push(Segment::Arrive(self.arena.vertex(frame.site, here.place)));
                before
            }
            Hop::Through(port, exit) => {
                let site = self.box_at(frame, port, recorder);
                left.extend([Segment::Pop, Segment::Summary(frame, port, exit), Segment::Push(site)]);
                port
            }
            Hop::Start | Hop::Called(_) | Hop::Down(_) => unreachable!("these leave the frame"),
        }
    }

    /// How a run first got to a place.
    fn hop(
        &self,
        here: Item,
        frame: Frame,
        entry: PlaceId,
        recorder: &mut RunRecorder<'_, '_>,
    ) -> Result<Hop, Unrecorded> {
        let time = self.time(here);
        let height = self.height();
        if entry == here.place || here.frame.index() == height && time == 0 {
            return Ok(Hop::Start);
        }
        if here.frame.index() < height
            && let Some(exit) = self.left_from_above(here, time)
        {
            return Ok(Hop::Down(exit));
        }
        if here.frame.index() > height
            && let Some(gate) = self.gate_at(frame, here.place).and_then(|number| self.gates.get(number))
            && gate.frame == here.frame
            && gate.time == time
        {
            return Ok(Hop::Called(gate.by));
        }
        let mut found = None;
        let mut steps = 1;
        let at = |place: PlaceId| self.time(Item { frame: here.frame, place });
        self.arena.predecessors(frame.site, here.place, |before| {
            steps += 1;
            if found.is_none() && at(before) < time && at(before) + 1 == time {
                found = Some(Hop::Step(before));
            }
        });
        self.arena.calls_before(frame.site, here.place, |port| {
            steps += 1;
            if found.is_some() || at(port) > time {
                return;
            }
            let ways = self.ways_through(frame, port).expect("a call port calls");
            steps += ways.len();
            found = ways.into_iter().find_map(|(exit, length)| {
                let back = self.arena.back(frame.site, port, exit);
                (back == Some(here.place) && at(port).saturating_add(length).min(LONG) == time)
                    .then_some(Hop::Through(port, exit))
            });
        });
        recorder.budget.spend(steps)?;
        Ok(found.expect("what is reached is reached from somewhere"))
    }

    /// The exit of the next of the first frames through which a run came here, if it did.
    fn left_from_above(&self, here: Item, time: u32) -> Option<PlaceId> {
        let above = above(here.frame);
        let frame = self.frames[above.index()];
        let exits =
            (0..self.arena.sides(frame.site).1 as u32).map(|number| self.arena.exit(frame.site, number));
        exits.map(|exit| Item { frame: above, place: exit }).find_map(|exit| {
            let comes = self.time(exit) == time && self.back_below(exit, frame) == Some(here);
            comes.then_some(exit.place)
        })
    }

    /// Lists a step towards an exit of an exit-bound component, and returns where it leads.
    fn step_ahead(
        &self,
        frame: Frame,
        place: PlaceId,
        exit: u32,
        recorder: &mut RunRecorder<'_, '_>,
        ahead: &mut Vec<Segment>,
    ) -> Result<PlaceId, Unrecorded> {
        let rest = self.exit_length(frame, place, exit);
        let is_nearer = |after: PlaceId, steps: u32| {
            let left = self.exit_length(frame, after, exit);
            left != NONE && left.saturating_add(steps) == rest
        };
        if let Some(ways) = self.ways_through(frame, place) {
            recorder.budget.spend(1 + ways.len())?;
            let (back, inner) = ways
                .into_iter()
                .find_map(|(inner, length)| {
                    let back = self.arena.back(frame.site, place, inner)?;
                    is_nearer(back, length).then_some((back, inner))
                })
                .expect("an exit is nearer after the call");
            let site = self.box_at(frame, place, recorder);
            ahead.extend([Segment::Push(site), Segment::Summary(frame, place, inner), Segment::Pop]);
            return Ok(back);
        }
        let mut next = None;
        let mut steps = 1;
        self.arena.successors(frame.site, place, |after| {
            steps += 1;
            if next.is_none() && is_nearer(after, 1) {
                next = Some(after);
            }
        });
        let next = next.expect("an exit is nearer after a step");
        ahead.push(Segment::Arrive(self.arena.vertex(frame.site, next)));
        recorder.budget.spend(steps)?;
        Ok(next)
    }
}
