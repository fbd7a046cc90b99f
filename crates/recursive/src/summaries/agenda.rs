//! In which order the vertices of an instance are looked at.

use loris_base::{Budget, Exhausted, Idx, set_bit, words_for};
use loris_rsm::{ComponentId, Rsm, Vertex, VertexKind};
use std::collections::VecDeque;

/// The vertices that wait: first in, first out, or by an order that makes one round do where the
/// graph has no loops.
#[derive(Default)]
pub(super) struct Agenda {
    queue: VecDeque<u32>,
    order: Option<Order>,
    /// per place in the order, whether its vertex waits
    waiting: Vec<u64>,
    /// the word of `waiting` to look at next
    next: usize,
    left: usize,
}

impl Agenda {
    /// Takes an order for the vertices to come, or none.
    pub(super) fn start(&mut self, order: Option<Order>) {
        self.order = order;
        let places = self.order.as_ref().map_or(0, |order| order.vertices.len());
        self.waiting.clear();
        self.waiting.resize(words_for(places), 0);
        self.next = 0;
    }

    /// Gives the order back.
    pub(super) fn finish(&mut self) -> Option<Order> {
        self.order.take()
    }

    /// Adds a vertex that does not wait yet.
    #[inline]
    pub(super) fn push(&mut self, vertex: u32) {
        let Some(order) = &self.order else { return self.queue.push_back(vertex) };
        let place = order.places[(vertex - order.first) as usize] as usize;
        set_bit(&mut self.waiting, place);
        self.left += 1;
    }

    /// The next vertex: of an order, the next one that waits, round and round.
    #[inline]
    pub(super) fn pop(&mut self) -> Option<u32> {
        let Some(order) = &self.order else { return self.queue.pop_front() };
        if self.left == 0 {
            return None;
        }
        while self.waiting[self.next] == 0 {
            self.next = if self.next + 1 == self.waiting.len() { 0 } else { self.next + 1 };
        }
        let word = &mut self.waiting[self.next];
        let place = 64 * self.next + word.trailing_zeros() as usize;
        *word &= *word - 1;
        self.left -= 1;
        Some(order.vertices[place])
    }
}

/// An order of the vertices of a component.
pub(super) struct Order {
    /// the first vertex of the component
    first: u32,
    /// per vertex, its place
    places: Vec<u32>,
    /// per place, its vertex
    vertices: Vec<u32>,
}

impl Order {
    /// Sources before targets, or targets before sources, as far as there are no loops: a
    /// depth-first postorder over edges and over calls, which are taken to return to all ports.
    /// Linear.
    pub(super) fn new(
        rsm: &Rsm,
        component: ComponentId,
        forwards: bool,
        budget: &mut Budget,
    ) -> Result<Self, Exhausted> {
        let range = rsm.vertex_range(component);
        let (first, first_box) = (range.start, rsm.first_box(component));
        let mut vertices = Vec::with_capacity(range.len());
        let mut seen = vec![false; range.len()];
        let mut passed = vec![false; rsm.boxes(component).len()];
        let mut stack: Vec<(u32, u32)> = Vec::new();
        for root in range.clone() {
            if !std::mem::replace(&mut seen[root - first], true) {
                stack.push((root as u32, 0));
            }
            while let Some((number, next)) = stack.last_mut() {
                let vertex = Vertex::new(*number as usize);
                let edges = rsm.successor_rows().row(vertex.index());
                let target = if let VertexKind::Call(site) = rsm.kind(vertex) {
                    // of the calls of a box, the first one sees the returns
                    if *next == 0 && std::mem::replace(&mut passed[site.index() - first_box], true) {
                        *next = u32::MAX;
                    }
                    let mut ports = rsm.ports(site);
                    let count = ports.len();
                    let port = ports.next().filter(|_| (*next as usize) < count);
                    port.map(|port| Vertex::new(port.index() + *next as usize))
                        .map(|port| (port.index(), rsm.kind(port) == VertexKind::Return(site)))
                } else {
                    edges.get(*next as usize).map(|&target| (target as usize, true))
                };
                let Some((target, follows)) = target else {
                    vertices.push(*number);
                    stack.pop();
                    continue;
                };
                *next += 1;
                budget.spend(1)?;
                if follows && !std::mem::replace(&mut seen[target - first], true) {
                    stack.push((target as u32, 0));
                }
            }
        }
        if forwards {
            vertices.reverse();
        }
        let mut places = vec![0; range.len()];
        for (place, &vertex) in vertices.iter().enumerate() {
            places[vertex as usize - first] = place as u32;
        }
        Ok(Self { first: first as u32, places, vertices })
    }
}
