//! Drawings of a machine around the runs of its evidence.
//!
//! A component with at most [`WHOLE`] nodes and boxes is drawn as a whole. Of a larger one, the
//! neighbourhood of the runs is drawn: nodes and boxes in the order of their distance from the
//! runs, until there are [`NEAR`] of them. Ports are not drawn; a box is a node of the drawing.

use loris_evidence::{Evidence, MachineNames, State, StateNames};
use loris_findings::{Drawing, DrawingKind, DrawnEdge, DrawnKind, DrawnNode, Spot};
use loris_rsm::{BoxId, ComponentId, Rsm, Vertex};
use rustc_hash::FxHashMap;
use std::collections::{BTreeMap, BTreeSet, VecDeque};

/// Components with this many nodes and boxes are drawn as a whole.
const WHOLE: usize = 1000;
/// Of larger ones, about this many are drawn, and never more than [`WHOLE`].
const NEAR: usize = 300;
/// All drawings of a report have about this many nodes; components beyond are not drawn.
const ALL: usize = 60_000;

/// A node or a box.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
enum Unit {
    Node(Vertex),
    Call(BoxId),
}

/// The drawings of a machine, by the nodes and boxes that are in them.
pub struct Canvas<'m> {
    pub(crate) rsm: &'m Rsm,
    spots: FxHashMap<Unit, Spot>,
}

impl<'m> Canvas<'m> {
    /// Draws the calls of a machine and the components that runs of some evidence get to, and adds
    /// the drawings to those of a report.
    pub fn new<'e>(
        rsm: &'m Rsm,
        evidence: impl IntoIterator<Item = &'e Evidence>,
        drawings: &mut Vec<Drawing>,
    ) -> Self {
        let mut visited: BTreeMap<ComponentId, BTreeSet<Unit>> = BTreeMap::new();
        for state in evidence.into_iter().flat_map(|evidence| &evidence.paths).flat_map(|path| &path.states) {
            if let Some(node) = state.node {
                visited.entry(rsm.component_of(node)).or_default().insert(Unit::Node(node));
            }
            // boxes further out were entered before, or are where the run starts
            for &site in state.stack.iter().rev().take(2) {
                visited.entry(rsm.owner(site)).or_default().insert(Unit::Call(site));
            }
        }
        let mut canvas = Self { rsm, spots: FxHashMap::default() };
        if visited.is_empty() {
            return canvas;
        }
        let calls = drawings.len();
        drawings.push(canvas.calls(&visited));
        let mut numbers: BTreeMap<ComponentId, usize> = BTreeMap::new();
        let drawn = |drawings: &[Drawing]| drawings.iter().map(|drawing| drawing.nodes.len()).sum::<usize>();
        let mut total = drawn(drawings);
        for (&component, units) in &visited {
            if total > ALL {
                break;
            }
            numbers.insert(component, drawings.len());
            let drawing = canvas.component(component, units, drawings.len() as u32);
            total += drawing.nodes.len();
            drawings.push(drawing);
        }
        // boxes lead to the drawings of what they call, which all have their numbers now
        for (&unit, spot) in canvas.sorted() {
            if let Unit::Call(site) = unit {
                let opens = numbers.get(&rsm.callee(site)).copied();
                drawings[spot.drawing as usize].nodes[spot.node as usize].opens = opens;
            }
        }
        let opened: FxHashMap<&str, usize> =
            numbers.iter().map(|(&component, &number)| (rsm.component_name(component), number)).collect();
        for node in &mut drawings[calls].nodes {
            node.opens = opened.get(&*node.name).copied();
        }
        canvas
    }

    /// Where a node is drawn.
    pub fn node(&self, node: Vertex) -> Option<Spot> {
        self.spots.get(&Unit::Node(node)).copied()
    }

    /// Where a call is drawn.
    pub fn site(&self, site: BoxId) -> Option<Spot> {
        self.spots.get(&Unit::Call(site)).copied()
    }

    fn sorted(&self) -> BTreeMap<&Unit, Spot> {
        self.spots.iter().map(|(unit, &spot)| (unit, spot)).collect()
    }

    /// The graph of calls, around the components that are visited.
    fn calls(&self, visited: &BTreeMap<ComponentId, BTreeSet<Unit>>) -> Drawing {
        let rsm = self.rsm;
        let all: Vec<ComponentId> = rsm.components().collect();
        let near = |component: ComponentId| {
            let callees = rsm.boxes(component).map(|site| rsm.callee(site));
            callees.chain(rsm.callers(component).map(|site| rsm.owner(site)))
        };
        let kept = kept(&all, &visited.keys().copied().collect::<Vec<_>>(), near);
        let places: FxHashMap<ComponentId, u32> = kept.iter().copied().zip(0..).collect();
        let initial = rsm.initial_component();
        let nodes = kept.iter().map(|&component| {
            let away: BTreeSet<_> = near(component).filter(|other| !places.contains_key(other)).collect();
            DrawnNode {
                name: rsm.component_name(component).to_owned(),
                labels: Vec::new(),
                kind: DrawnKind::Component,
                is_initial: component == initial,
                opens: None,
                hidden: away.len(),
            }
        });
        let edges: BTreeSet<DrawnEdge> = kept
            .iter()
            .flat_map(|&component| rsm.boxes(component))
            .filter_map(|site| {
                let (from, to) = (rsm.owner(site), rsm.callee(site));
                Some(DrawnEdge { from: *places.get(&from)?, to: *places.get(&to)? })
            })
            .collect();
        Drawing {
            title: "calls".to_owned(),
            kind: DrawingKind::Calls,
            nodes: nodes.collect(),
            edges: edges.into_iter().collect(),
            hidden: all.len() - kept.len(),
        }
    }

    /// A component, around what is visited of it.
    fn component(&mut self, component: ComponentId, visited: &BTreeSet<Unit>, number: u32) -> Drawing {
        let rsm = self.rsm;
        let all: Vec<Unit> =
            rsm.nodes(component).map(Unit::Node).chain(rsm.boxes(component).map(Unit::Call)).collect();
        let near = |unit: Unit| ends(rsm, unit, Side::After).chain(ends(rsm, unit, Side::Before));
        let kept = kept(&all, &visited.iter().copied().collect::<Vec<_>>(), near);
        let places: FxHashMap<Unit, u32> = kept.iter().copied().zip(0..).collect();
        self.spots.extend(places.iter().map(|(&unit, &node)| (unit, Spot { drawing: number, node })));
        let names = MachineNames::new(rsm);
        let initial: BTreeSet<Vertex> = rsm.initial().iter().copied().collect();
        let nodes = kept.iter().map(|&unit| {
            let away: BTreeSet<Unit> = near(unit).filter(|other| !places.contains_key(other)).collect();
            let hidden = away.len();
            match unit {
                Unit::Node(node) => {
                    let state = State { stack: Vec::new(), node: Some(node) };
                    let kind = match (rsm.is_entry(node), rsm.is_exit(node)) {
                        (false, false) => DrawnKind::Inner,
                        (true, false) => DrawnKind::Entry,
                        (false, true) => DrawnKind::Exit,
                        (true, true) => DrawnKind::EntryAndExit,
                    };
                    DrawnNode {
                        name: rsm.vertex_name(node).into_owned(),
                        labels: names.atoms(&state).into_iter().map(str::to_owned).collect(),
                        kind,
                        is_initial: initial.contains(&node),
                        opens: None,
                        hidden,
                    }
                }
                Unit::Call(site) => DrawnNode {
                    name: rsm.box_name(site).to_owned(),
                    labels: vec![rsm.component_name(rsm.callee(site)).to_owned()],
                    kind: DrawnKind::Call,
                    is_initial: false,
                    opens: None,
                    hidden,
                },
            }
        });
        let edges: BTreeSet<DrawnEdge> = kept
            .iter()
            .flat_map(|&from| ends(rsm, from, Side::After).map(move |to| (from, to)))
            .filter_map(|(from, to)| Some(DrawnEdge { from: *places.get(&from)?, to: *places.get(&to)? }))
            .collect();
        Drawing {
            title: rsm.component_name(component).to_owned(),
            kind: DrawingKind::Component,
            nodes: nodes.collect(),
            edges: edges.into_iter().collect(),
            hidden: all.len() - kept.len(),
        }
    }
}

/// Which ends of edges.
#[derive(Clone, Copy)]
enum Side {
    After,
    Before,
}

/// The other ends of the edges at a node, or at the ports of a box.
fn ends(rsm: &Rsm, unit: Unit, side: Side) -> impl Iterator<Item = Unit> + '_ {
    let (node, site) = match unit {
        Unit::Node(node) => (Some(node), None),
        Unit::Call(site) => (None, Some(site)),
    };
    let ports = site.into_iter().flat_map(|site| rsm.ports(site));
    node.into_iter().chain(ports).flat_map(move |vertex| {
        let (after, before) = match side {
            Side::After => (Some(rsm.successors(vertex)), None),
            Side::Before => (None, Some(rsm.predecessors(vertex))),
        };
        let ends = after.into_iter().flatten().chain(before.into_iter().flatten());
        ends.map(|end| rsm.box_of(end).map_or(Unit::Node(end), Unit::Call))
    })
}

/// All, if they are few; else those near the visited ones, in the order of all.
fn kept<U: Copy + Ord + std::hash::Hash, I: Iterator<Item = U>>(
    all: &[U],
    visited: &[U],
    near: impl Fn(U) -> I,
) -> Vec<U> {
    if all.len() <= WHOLE {
        return all.to_vec();
    }
    let mut kept: BTreeSet<U> = visited.iter().copied().take(WHOLE).collect();
    let mut queue: VecDeque<U> = kept.iter().copied().collect();
    while let Some(unit) = queue.pop_front() {
        // neighbours of the run come first, even if it is long
        let most = if kept.len() < visited.len().min(WHOLE) * 2 { WHOLE } else { NEAR };
        if kept.len() >= most {
            break;
        }
        for other in near(unit) {
            if kept.len() < WHOLE && kept.insert(other) {
                queue.push_back(other);
            }
        }
    }
    kept.into_iter().collect()
}
