//! The kind and the component of each vertex. Most vertices of a program are nodes that are neither
//! entry nor exit: they take four bytes, all others twelve more.

use crate::ids::{Component, ComponentId, NONE, Vertex};
use loris_base::{Idx, IndexVec};

/// The kind of a vertex.
#[derive(Clone, Copy, Debug)]
pub(crate) struct VertexData {
    /// the node this vertex stands for: itself, or the callee's entry or exit
    pub(crate) node: u32,
    /// the box of a port, `NONE` for a node
    pub(crate) site: u32,
    /// position among the entries and exits of the component of `node`, or `NONE`
    pub(crate) entry: u32,
    pub(crate) exit: u32,
}

/// For every vertex, its kind.
#[derive(Clone, Debug, Default)]
pub(crate) struct Vertices {
    /// per vertex, its place among the special ones, `NONE` for a plain node; plain nodes at the
    /// end are left out
    places: Vec<u32>,
    count: usize,
    special: Vec<Special>,
    /// both positions of a node that is entry and exit at once
    both: Vec<(u32, u32)>,
}

#[derive(Clone, Copy, Debug)]
struct Special {
    node: u32,
    site: u32,
    /// a position with `ENTRY` or `EXIT`, or a place in `both` with both of them
    position: u32,
}

const ENTRY: u32 = 1 << 31;
const EXIT: u32 = 1 << 30;
const POSITION: u32 = EXIT - 1;

impl Vertices {
    pub(crate) fn with_capacity(vertices: usize) -> Self {
        Self { places: Vec::with_capacity(vertices), ..Self::default() }
    }

    pub(crate) fn len(&self) -> usize {
        self.count
    }

    #[inline]
    pub(crate) fn get(&self, vertex: Vertex) -> VertexData {
        let place = self.places.get(vertex.index()).copied().unwrap_or(NONE);
        if place == NONE {
            return VertexData { node: vertex.index() as u32, site: NONE, entry: NONE, exit: NONE };
        }
        let Special { node, site, position } = self.special[place as usize];
        let number = position & POSITION;
        let (entry, exit) = match (position & ENTRY != 0, position & EXIT != 0) {
            (true, true) => self.both[number as usize],
            (true, false) => (number, NONE),
            (false, true) => (NONE, number),
            (false, false) => (NONE, NONE),
        };
        VertexData { node, site, entry, exit }
    }

    /// Adds the next vertex.
    ///
    /// # Panics
    /// If a component has 2³⁰ entries or exits.
    pub(crate) fn push(&mut self, data: VertexData) {
        let VertexData { node, site, entry, exit } = data;
        let number = self.count;
        self.count += 1;
        if (node, site, entry, exit) == (number as u32, NONE, NONE, NONE) {
            return;
        }
        let position = match (entry, exit) {
            (NONE, NONE) => 0,
            (entry, NONE) => ENTRY | checked(entry),
            (NONE, exit) => EXIT | checked(exit),
            both => {
                self.both.push(both);
                ENTRY | EXIT | checked(self.both.len() as u32 - 1)
            }
        };
        self.places.resize(number, NONE);
        self.places.push(self.special.len() as u32);
        self.special.push(Special { node, site, position });
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = VertexData> {
        (0..self.len()).map(|vertex| self.get(Vertex::new(vertex)))
    }

    pub(crate) fn shrink_to_fit(&mut self) {
        self.places.shrink_to_fit();
        self.special.shrink_to_fit();
        self.both.shrink_to_fit();
    }

    /// Bytes that it may hold after some more vertices.
    pub(crate) fn bytes_ahead(&self, more: usize) -> usize {
        4 * (self.count + more) + size_of::<Special>() * (self.special.len() + more) + 8 * self.both.len()
    }

    pub(crate) fn bytes(&self) -> usize {
        4 * self.places.capacity() + size_of::<Special>() * self.special.capacity() + 8 * self.both.capacity()
    }
}

fn checked(position: u32) -> u32 {
    assert!(position <= POSITION, "a component has fewer than 2³⁰ entries and exits");
    position
}

const BLOCK: usize = 32;

/// Which component each vertex lies in: the component of every 32nd vertex, and a few steps from
/// there.
#[derive(Clone, Debug, Default)]
pub(crate) struct Owners {
    blocks: Vec<u32>,
}

impl Owners {
    pub(crate) fn of(components: &IndexVec<ComponentId, Component>) -> Self {
        let mut blocks = Vec::new();
        for (number, component) in components.iter_enumerated() {
            while blocks.len() * BLOCK < component.vertices.end as usize {
                blocks.push(number.index() as u32);
            }
        }
        Self { blocks }
    }

    #[inline]
    pub(crate) fn get(&self, components: &IndexVec<ComponentId, Component>, vertex: Vertex) -> ComponentId {
        let first = self.blocks[vertex.index() / BLOCK] as usize;
        let later = components.as_slice()[first..].iter();
        let steps = later.take_while(|component| component.vertices.end as usize <= vertex.index()).count();
        ComponentId::new(first + steps)
    }

    pub(crate) fn bytes(&self) -> usize {
        4 * self.blocks.capacity()
    }
}
