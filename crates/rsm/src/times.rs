//! The synchronous product of a machine with a finite graph (rsm-analysis, section 2.3), frozen
//! directly.
//!
//! Components and boxes stay, everything in them is multiplied: vertex `(v, t)` is number
//! `v · copies + t`, entry and exit `(n, t)` have position `n · copies + t`. Both orders are the
//! old ones refined, so every array of the machine is written from front to back. Linear in the
//! product, nothing is hashed.

use crate::ids::{Component, NONE, Vertex};
use crate::labelling::Labelling;
use crate::model::{ALL, Body, CallSite, Rsm};
use crate::vertices::{Owners, VertexData, Vertices};
use loris_base::{Budget, Csr, Exhausted, Idx, IndexVec};
use std::ops::Range;
use std::sync::Arc;

impl Rsm {
    /// The product with the graph of `copies` states in which `next.row(t)` are the successors of
    /// `t`: an edge `v → w` becomes `(v, t) → (w, u)` for each `u` in that row. A vertex keeps its
    /// name and loses its labels; initial are the initial nodes with every state. A vertex whose
    /// state has no successor is a dead end.
    ///
    /// ```
    /// use loris_base::{Csr, Idx, Rng};
    /// let rsm = loris_rsm::generate::RandomRsm::paper(3).to_rsm(&mut Rng::new(7));
    /// let flip = Csr::from_pairs(2, [(0, 1), (1, 0)].into_iter());
    /// let product = rsm.times(2, &flip, &mut loris_base::Budget::unlimited()).expect("no limit");
    /// assert_eq!(product.vertex_count(), 2 * rsm.vertex_count());
    /// let (node, copy) = (rsm.initial()[0], product.initial()[1]);
    /// assert_eq!(copy.index(), 2 * node.index() + 1);
    /// let targets: Vec<usize> = product.successors(copy).map(|target| target.index() / 2).collect();
    /// assert_eq!(targets, rsm.successors(node).map(Idx::index).collect::<Vec<usize>>());
    /// ```
    ///
    /// The budget stays charged for the product.
    ///
    /// # Errors
    /// When the budget runs out.
    ///
    /// # Panics
    /// If there is no state, or `next` has not that many rows, or vertices or edges of the product
    /// pass 2³² − 3, or entries or exits of a component 2³⁰.
    pub fn times(&self, copies: usize, next: &Csr, budget: &mut Budget) -> Result<Rsm, Exhausted> {
        assert!(copies > 0 && next.rows() == copies, "the graph has a row for each of its states");
        let fits = |count: Option<usize>| count.is_some_and(|count| count < ALL as usize);
        let edges = self.body.successors.len().checked_mul(next.len());
        let slots = self.body.port_slots.len().checked_mul(copies);
        assert!(
            fits(self.body.vertices.len().checked_mul(copies)) && fits(edges) && fits(slots),
            "the product is too large"
        );
        let by = Factor(copies as u32);
        let body = &self.body;
        let before = budget.used();
        let lists = body.entries.len() + body.exits.len() + body.port_slots.len();
        let each = body.vertices.bytes() + body.owners.bytes() + 4 * lists + 8 * body.vertices.len();
        // lists of edges double while they grow
        let edges = body.successors.len() * next.len();
        budget.charge(each * copies + 12 * edges + body.components.len() * size_of::<Component>())?;
        budget.charge(body.boxes.len() * size_of::<CallSite>() + body.callers.bytes())?;
        let successors = by.edges(&self.body.successors, next, budget)?;
        budget.spend(edges + body.vertices.len() * copies)?;
        let components: IndexVec<_, _> =
            self.body.components.iter().map(|component| by.component(component)).collect::<Vec<_>>().into();
        let body = Body {
            names: Arc::clone(&self.body.names),
            owners: Owners::of(&components),
            components,
            boxes: self.body.boxes.iter().map(|site| by.site(site)).collect::<Vec<_>>().into(),
            vertices: by.vertices(&self.body.vertices),
            node_names: self.body.node_names.clone(),
            source_map: Arc::clone(&self.body.source_map),
            copies: self.body.copies * copies as u32,
            predecessors: successors.transposed(self.body.vertices.len() * copies),
            edges: successors.len(),
            successors,
            entries: by.each(&self.body.entries),
            exits: by.each(&self.body.exits),
            port_slots: self.body.port_slots.iter().flat_map(|&slot| by.copies_or_none(slot)).collect(),
            callers: self.body.callers.clone(),
            labels: IndexVec::new(),
            labels_by_name: Vec::new(),
            labelling: Labelling::Sets(Vec::new()),
            stops: false,
            dead_ends: Vec::new(),
        };
        let product = Rsm {
            body: Arc::new(body),
            initial_component: self.initial_component,
            initial: by.each(&self.initial),
        };
        // names and places are those of this machine
        let shared = self.body.names.bytes() + self.body.node_names.bytes();
        let shared = shared + self.body.source_map.bytes_ahead(0);
        budget.settle(before + product.bytes() - shared)?;
        Ok(product)
    }
}

/// By how much everything is multiplied.
#[derive(Clone, Copy)]
struct Factor(u32);

impl Factor {
    /// The numbers of all copies.
    fn copies(self, number: u32) -> Range<u32> {
        number * self.0..(number + 1) * self.0
    }

    /// The numbers of all copies, `NONE` for each copy of `NONE`.
    fn copies_or_none(self, number: u32) -> impl Iterator<Item = u32> {
        let first = if number == NONE { NONE } else { number * self.0 };
        (0..self.0).map(move |copy| if first == NONE { NONE } else { first + copy })
    }

    fn each(self, list: &[Vertex]) -> Vec<Vertex> {
        let copies = list.iter().flat_map(|vertex| self.copies(vertex.index() as u32));
        copies.map(|vertex| Vertex::new(vertex as usize)).collect()
    }

    fn range(self, range: &Range<u32>) -> Range<u32> {
        range.start * self.0..range.end * self.0
    }

    fn component(self, component: &Component) -> Component {
        Component {
            name: component.name,
            vertices: self.range(&component.vertices),
            nodes: component.nodes * self.0,
            first_name: component.first_name,
            boxes: component.boxes.clone(),
            entries: self.range(&component.entries),
            exits: self.range(&component.exits),
        }
    }

    fn site(self, site: &CallSite) -> CallSite {
        let slots = if site.slots < ALL { site.slots * self.0 } else { site.slots };
        CallSite { slots, ports: self.range(&site.ports), ..site.clone() }
    }

    fn vertices(self, vertices: &Vertices) -> Vertices {
        let mut product = Vertices::with_capacity(vertices.len() * self.0 as usize);
        for data in vertices.iter() {
            let node = self.copies(data.node);
            let (entries, exits) = (self.copies_or_none(data.entry), self.copies_or_none(data.exit));
            for (node, (entry, exit)) in node.zip(entries.zip(exits)) {
                product.push(VertexData { node, site: data.site, entry, exit });
            }
        }
        product.shrink_to_fit();
        product
    }

    fn edges(self, successors: &Csr, next: &Csr, budget: &mut Budget) -> Result<Csr, Exhausted> {
        let mut product = Csr::default();
        for row in (0..successors.rows()).map(|vertex| successors.row(vertex)) {
            for copy in 0..self.0 as usize {
                let states = next.row(copy);
                budget.spend(1 + row.len() * states.len())?;
                product.push_row(
                    row.iter().flat_map(|&target| states.iter().map(move |&state| target * self.0 + state)),
                );
            }
        }
        Ok(product)
    }
}

#[cfg(test)]
mod tests {
    use crate::Rsm;
    use crate::generate::{LargeRsm, RandomRsm};
    use loris_base::{Budget, Csr, Idx, Rng};

    /// Every accessor of the product against its definition.
    fn check(rsm: &Rsm, copies: usize, next: &Csr) {
        let product = rsm.times(copies, next, &mut Budget::unlimited()).expect("no limit");
        let vertex = |number: usize| crate::Vertex::new(number);
        assert_eq!(product.vertex_count(), rsm.vertex_count() * copies);
        assert_eq!(
            (product.component_count(), product.box_count()),
            (rsm.component_count(), rsm.box_count())
        );
        let mut before = vec![Vec::new(); product.vertex_count()];
        for number in 0..product.vertex_count() {
            let (old, t, new) = (vertex(number / copies), number % copies, vertex(number));
            assert_eq!(product.kind(new), rsm.kind(old));
            assert_eq!(product.component_of(new), rsm.component_of(old));
            assert_eq!(product.vertex_name(new), rsm.vertex_name(old));
            assert_eq!(product.place(new), rsm.place(old));
            assert_eq!(product.node_of(new).index(), rsm.node_of(old).index() * copies + t);
            assert_eq!(product.entry_index(new), rsm.entry_index(old).map(|entry| entry * copies + t));
            assert_eq!(product.exit_index(new), rsm.exit_index(old).map(|exit| exit * copies + t));
            assert_eq!(product.labels_of(new).count(), 0);
            let expected: Vec<usize> = rsm
                .successors(old)
                .flat_map(|target| next.row(t).iter().map(move |&u| target.index() * copies + u as usize))
                .collect();
            assert_eq!(product.successors(new).map(Idx::index).collect::<Vec<_>>(), expected);
            for &target in &expected {
                before[target].push(number);
            }
        }
        for (number, expected) in before.iter().enumerate() {
            let found: Vec<usize> = product.predecessors(vertex(number)).map(Idx::index).collect();
            assert_eq!(found, *expected);
        }
        let times = |list: &[crate::Vertex]| -> Vec<usize> {
            list.iter().flat_map(|old| (0..copies).map(|t| old.index() * copies + t)).collect()
        };
        let numbers = |list: &[crate::Vertex]| -> Vec<usize> { list.iter().map(|new| new.index()).collect() };
        assert_eq!(numbers(product.initial()), times(rsm.initial()));
        for component in rsm.components() {
            assert_eq!(numbers(product.entries(component)), times(rsm.entries(component)));
            assert_eq!(numbers(product.exits(component)), times(rsm.exits(component)));
            assert!(product.callers(component).eq(rsm.callers(component)));
            for site in rsm.boxes(component) {
                let callee = rsm.callee(site);
                let copy =
                    |port: Option<crate::Vertex>, t| port.map(|port| vertex(port.index() * copies + t));
                for index in 0..rsm.entries(callee).len() * copies {
                    let expected = copy(rsm.call_port(site, index / copies), index % copies);
                    assert_eq!(product.call_port(site, index), expected);
                }
                for index in 0..rsm.exits(callee).len() * copies {
                    let expected = copy(rsm.return_port(site, index / copies), index % copies);
                    assert_eq!(product.return_port(site, index), expected);
                }
            }
        }
    }

    #[test]
    fn the_product_is_that_of_its_definition() {
        let mut rng = Rng::new(5);
        for round in 0..40 {
            let rsm = if round % 8 == 0 {
                LargeRsm { exits_per_component: 40, boxes_per_component: 2, ..LargeRsm::with_edges(3000) }
                    .to_rsm(&mut rng)
            } else {
                RandomRsm::paper(1 + round % 7).to_rsm(&mut rng)
            };
            let copies = 1 + rng.below(4);
            let mut next = Csr::default();
            for _ in 0..copies {
                let row: Vec<u32> = (0..copies as u32).filter(|_| rng.chance(0.5)).collect();
                next.push_row(row);
            }
            check(&rsm, copies, &next);
        }
    }
}
