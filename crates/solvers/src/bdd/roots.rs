//! Which functions are in use: a slot with a count for each, shared with all handles.

use super::edge::Edge;

#[derive(Clone, Debug, Default)]
pub(super) struct Roots {
    /// an edge, and how many handles there are of it
    slots: Vec<(Edge, u32)>,
    free: Vec<u32>,
}

impl Roots {
    pub(super) fn add(&mut self, edge: Edge) -> u32 {
        if let Some(slot) = self.free.pop() {
            self.slots[slot as usize] = (edge, 1);
            return slot;
        }
        self.slots.push((edge, 1));
        self.slots.len() as u32 - 1
    }

    pub(super) fn share(&mut self, slot: u32) {
        self.slots[slot as usize].1 += 1;
    }

    pub(super) fn release(&mut self, slot: u32) {
        let count = &mut self.slots[slot as usize].1;
        *count -= 1;
        if *count == 0 {
            self.free.push(slot);
        }
    }

    /// The edges of all handles, those of one function several times.
    pub(super) fn edges(&self) -> impl Iterator<Item = Edge> + '_ {
        self.slots.iter().filter(|(_, count)| *count > 0).map(|&(edge, _)| edge)
    }
}
