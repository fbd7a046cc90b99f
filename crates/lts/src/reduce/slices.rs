//! Transitions of one bunch from one block, as ranges of an array.

use loris_base::{Budget, Exhausted};

pub(super) const NONE: u32 = u32::MAX;

/// A slice: a range of [`Slices::order`], in which marked transitions come first.
#[derive(Clone, Copy)]
pub(super) struct Slice {
    pub(super) start: u32,
    pub(super) end: u32,
    /// how many transitions are marked
    pub(super) marked: u32,
    /// neighbours in the list of the block's slices
    next: u32,
    previous: u32,
    /// the slice that is being cut off from this one
    pub(super) carved: u32,
    pub(super) is_queued: bool,
}

impl Slice {
    pub(super) fn is_empty(self) -> bool {
        self.start == self.end
    }

    pub(super) fn range(self) -> std::ops::Range<usize> {
        self.start as usize..self.end as usize
    }
}

/// All slices, and a list of those of each block.
#[derive(Default)]
pub(super) struct Slices {
    pub(super) order: Vec<u32>,
    place: Vec<u32>,
    /// the slice of each transition; `NONE` for inert ones and those of blocks with one state
    pub(super) of: Vec<u32>,
    pub(super) list: Vec<Slice>,
    free: Vec<u32>,
    /// the first slice of each block
    heads: Vec<u32>,
    /// slices from which another is being cut off
    pub(super) touched: Vec<u32>,
}

impl Slices {
    pub(super) fn new(transitions: usize, blocks: usize) -> Self {
        Self {
            order: Vec::with_capacity(transitions),
            place: vec![0; transitions],
            of: vec![NONE; transitions],
            heads: vec![NONE; blocks],
            ..Self::default()
        }
    }

    /// Bytes for this many transitions and blocks, without slices.
    pub(super) fn bytes(transitions: usize, blocks: usize) -> usize {
        12 * transitions + 4 * blocks
    }

    /// A slice of the transitions in a range of `order` that is in no slice yet.
    pub(super) fn add(
        &mut self,
        range: std::ops::Range<usize>,
        block: u32,
        budget: &mut Budget,
    ) -> Result<u32, Exhausted> {
        let slice = self.allocate(range.start as u32, range.end as u32, budget)?;
        for place in range {
            let transition = self.order[place] as usize;
            self.place[transition] = place as u32;
            self.of[transition] = slice;
        }
        self.link(slice, block);
        Ok(slice)
    }

    fn allocate(&mut self, start: u32, end: u32, budget: &mut Budget) -> Result<u32, Exhausted> {
        let slice =
            Slice { start, end, marked: 0, next: NONE, previous: NONE, carved: NONE, is_queued: false };
        if let Some(id) = self.free.pop() {
            self.list[id as usize] = slice;
            return Ok(id);
        }
        budget.reserve(&mut self.list, 1)?;
        self.list.push(slice);
        Ok(self.list.len() as u32 - 1)
    }

    /// A list for one more block.
    pub(super) fn add_block(&mut self, budget: &mut Budget) -> Result<(), Exhausted> {
        budget.reserve(&mut self.heads, 1)?;
        self.heads.push(NONE);
        Ok(())
    }

    pub(super) fn link(&mut self, slice: u32, block: u32) {
        let head = std::mem::replace(&mut self.heads[block as usize], slice);
        self.list[slice as usize].next = head;
        self.list[slice as usize].previous = NONE;
        if head != NONE {
            self.list[head as usize].previous = slice;
        }
    }

    /// Takes a slice that became empty out of its block's list. It is free for another use, unless
    /// it is in the queue: then once it leaves that.
    pub(super) fn discard(&mut self, slice: u32, block: u32, budget: &mut Budget) -> Result<(), Exhausted> {
        let Slice { next, previous, is_queued, .. } = self.list[slice as usize];
        match previous {
            NONE => self.heads[block as usize] = next,
            _ => self.list[previous as usize].next = next,
        }
        if next != NONE {
            self.list[next as usize].previous = previous;
        }
        if is_queued { Ok(()) } else { self.release(slice, budget) }
    }

    /// Makes the number of a slice available for another one.
    pub(super) fn release(&mut self, slice: u32, budget: &mut Budget) -> Result<(), Exhausted> {
        budget.reserve(&mut self.free, 1)?;
        self.free.push(slice);
        Ok(())
    }

    fn swap(&mut self, one: u32, other: u32) {
        let (a, b) = (self.order[one as usize], self.order[other as usize]);
        self.order[one as usize] = b;
        self.order[other as usize] = a;
        self.place[b as usize] = one;
        self.place[a as usize] = other;
    }

    /// Moves a transition to the end of its slice and takes it out. Whether it was marked, and
    /// where it is now.
    fn take(&mut self, transition: u32) -> (bool, u32) {
        let slice = self.of[transition as usize] as usize;
        let mut place = self.place[transition as usize];
        let Slice { start, marked, .. } = self.list[slice];
        let is_marked = place < start + marked;
        if is_marked {
            self.swap(place, start + marked - 1);
            place = start + marked - 1;
            self.list[slice].marked -= 1;
        }
        self.list[slice].end -= 1;
        let last = self.list[slice].end;
        self.swap(place, last);
        (is_marked, last)
    }

    /// Moves a transition from its slice to the one that is being cut off from that. The marks
    /// stay.
    pub(super) fn carve(&mut self, transition: u32, budget: &mut Budget) -> Result<(), Exhausted> {
        let slice = self.of[transition as usize];
        let mut carved = self.list[slice as usize].carved;
        if carved == NONE {
            let end = self.list[slice as usize].end;
            carved = self.allocate(end, end, budget)?;
            self.list[slice as usize].carved = carved;
            budget.reserve(&mut self.touched, 1)?;
            self.touched.push(slice);
        }
        let (is_marked, place) = self.take(transition);
        let other = &mut self.list[carved as usize];
        other.start = place;
        if is_marked {
            other.marked += 1;
        } else {
            let after_marked = place + other.marked;
            self.swap(place, after_marked);
        }
        self.of[transition as usize] = carved;
        Ok(())
    }

    /// Takes a transition out of its slice for good.
    pub(super) fn remove(&mut self, transition: u32) {
        self.take(transition);
        self.of[transition as usize] = NONE;
    }

    /// Marks a transition.
    pub(super) fn mark(&mut self, transition: u32) {
        let slice = self.of[transition as usize] as usize;
        let Slice { start, marked, .. } = self.list[slice];
        let place = self.place[transition as usize];
        if place >= start + marked {
            self.swap(place, start + marked);
            self.list[slice].marked += 1;
        }
    }

    /// The first slice of a block, or `NONE`.
    pub(super) fn first(&self, block: u32) -> u32 {
        self.heads[block as usize]
    }

    /// The slice after another in the list of a block, or `NONE`.
    pub(super) fn next(&self, slice: u32) -> u32 {
        self.list[slice as usize].next
    }
}
