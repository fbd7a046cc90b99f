//! Abstract states: a decision tree whose inner nodes are split predicates and whose leaves are
//! disjoint sets of states.
//!
//! Every node of the tree has two literals in the solver, equivalent to membership of the state
//! before and after a step; they are defined once, when the node is made, and queries assume them.
//! The states that are labelled with a formula are a literal, too: labels are never taken back and
//! splits do not change their union, so that the set only grows, by one clause for each label.
//!
//! Invariants (spec, I1, I2, I7): the leaves partition all states; no leaf is empty; a label on a
//! leaf is true for all its states.

use crate::relation::{Cube, Relation};
use loris_circuit::{Lit, TransitionSystem};
use loris_solvers::sat::SatLit;
use rustc_hash::FxHashSet;
use std::collections::BTreeSet;
use std::sync::Arc;

/// A node of the tree.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct Region(pub(super) u32);

/// Membership in a set of states, before and after a step.
#[derive(Clone, Copy, Debug)]
pub(super) struct Member {
    pub(super) now: SatLit,
    pub(super) next: SatLit,
}

/// What a split distinguishes.
#[derive(Clone, Debug)]
pub(super) enum Predicate {
    /// A function of states.
    Function(Lit),
    /// A set of cubes.
    Cubes(Arc<Cubes>),
    /// A function of what earlier properties found out.
    Known(Lit),
}

/// The states of some cubes, or all others.
#[derive(Debug)]
pub(super) struct Cubes {
    pub(super) cubes: Vec<Cube>,
    pub(super) complement: bool,
}

impl Cubes {
    pub(super) fn one(cube: Cube) -> Self {
        Self { cubes: vec![cube], complement: false }
    }

    pub(super) fn contains(&self, state: &[bool]) -> bool {
        self.cubes.iter().any(|cube| contains(cube, state)) != self.complement
    }

    /// Membership literals.
    pub(super) fn member(&self, relation: &mut Relation) -> Member {
        let now = self.literal(relation, Relation::before);
        let next = self.literal(relation, Relation::after);
        Member { now, next }
    }

    fn literal(&self, relation: &mut Relation, of: fn(&Relation, (u32, bool)) -> SatLit) -> SatLit {
        let cubes = self.cubes.iter().map(|cube| {
            let literals: Vec<SatLit> = cube.iter().map(|&lit| of(relation, lit)).collect();
            relation.all(&literals)
        });
        let cubes: Vec<SatLit> = cubes.collect();
        relation.any(&cubes).negated_if(self.complement)
    }
}

/// A label: a formula, its value, and for existential claims the set of states that the next step
/// of a proof leads to.
#[derive(Clone, Copy, Debug)]
pub(super) struct Label {
    pub(super) formula: u32,
    pub(super) value: bool,
    pub(super) by: Option<SatLit>,
}

enum Kind {
    Leaf(Vec<Label>),
    Inner { predicate: Predicate, yes: Region, no: Region },
}

struct Node {
    member: Member,
    /// what it is a part of; itself, if it is the root
    parent: Region,
    kind: Kind,
}

/// The tree, with the union of the leaves for each label.
pub(super) struct Abstraction {
    nodes: Vec<Node>,
    /// for each formula, the states labelled false and those labelled true
    labelled: Vec<[Member; 2]>,
    pub(super) splits: u64,
}

impl Abstraction {
    pub(super) fn new(relation: &Relation) -> Self {
        let all = relation.sat.constant_true();
        let member = Member { now: all, next: all };
        let root = Node { member, parent: Self::ALL, kind: Kind::Leaf(Vec::new()) };
        Self { nodes: vec![root], labelled: Vec::new(), splits: 0 }
    }

    /// The root: all states.
    pub(super) const ALL: Region = Region(0);

    pub(super) fn member(&self, region: Region) -> Member {
        self.nodes[region.0 as usize].member
    }

    /// The leaf of a state, looked for below a region that it is in. `known` evaluates functions of
    /// what earlier properties found out.
    pub(super) fn leaf(
        &self,
        below: Region,
        state: &[bool],
        system: &TransitionSystem,
        known: impl Fn(Lit) -> bool,
    ) -> Region {
        let mut at = below;
        let mut values: Option<Vec<u64>> = None;
        loop {
            let Kind::Inner { predicate, yes, no } = &self.nodes[at.0 as usize].kind else { return at };
            let holds = match predicate {
                Predicate::Cubes(cubes) => cubes.contains(state),
                Predicate::Known(lit) => known(*lit),
                Predicate::Function(lit) => {
                    let values = values.get_or_insert_with(|| system.values(state, &[]));
                    loris_circuit::Aig::value(values, *lit) & 1 == 1
                }
            };
            at = if holds { *yes } else { *no };
        }
    }

    pub(super) fn label(&self, leaf: Region, formula: usize) -> Option<Label> {
        match &self.nodes[leaf.0 as usize].kind {
            Kind::Leaf(labels) => labels.iter().find(|label| label.formula as usize == formula).copied(),
            Kind::Inner { .. } => None,
        }
    }

    /// Labels a leaf; a second label for the same formula changes nothing.
    pub(super) fn set_label(&mut self, leaf: Region, label: Label, relation: &mut Relation) {
        let Node { member, kind: Kind::Leaf(labels), .. } = &mut self.nodes[leaf.0 as usize] else { return };
        if labels.iter().any(|known| known.formula == label.formula) {
            return;
        }
        labels.push(label);
        let member = *member;
        self.add(label.formula as usize, label.value, member, relation);
    }

    /// Adds states to those that are labelled with a formula and this value.
    pub(super) fn add(&mut self, formula: usize, value: bool, states: Member, relation: &mut Relation) {
        let never = relation.sat.constant(false);
        if self.labelled.len() <= formula {
            self.labelled.resize(formula + 1, [Member { now: never, next: never }; 2]);
        }
        let set = &mut self.labelled[formula][usize::from(value)];
        *set = Member {
            now: either(set.now, states.now, relation),
            next: either(set.next, states.next, relation),
        };
    }

    /// The states that are labelled with a formula and this value.
    pub(super) fn labelled(&self, formula: usize, value: bool, relation: &Relation) -> Member {
        let never = relation.sat.constant(false);
        self.labelled.get(formula).map_or(Member { now: never, next: never }, |sets| sets[usize::from(value)])
    }

    /// Splits a leaf by a predicate whose membership literals are given; both parts inherit its
    /// labels.
    pub(super) fn split(
        &mut self,
        leaf: Region,
        predicate: Predicate,
        holds: Member,
        relation: &mut Relation,
    ) -> (Region, Region) {
        let of = self.member(leaf);
        let Kind::Leaf(labels) = &self.nodes[leaf.0 as usize].kind else { return (leaf, leaf) };
        let labels = labels.clone();
        let mut part = |holds: Member, labels: Vec<Label>| {
            let now = both(of.now, holds.now, relation);
            let next = both(of.next, holds.next, relation);
            let member = Member { now, next };
            self.nodes.push(Node { member, parent: leaf, kind: Kind::Leaf(labels) });
            Region(self.nodes.len() as u32 - 1)
        };
        let yes = part(holds, labels.clone());
        let no = part(Member { now: !holds.now, next: !holds.next }, labels);
        self.nodes[leaf.0 as usize].kind = Kind::Inner { predicate, yes, no };
        self.splits += 1;
        (yes, no)
    }

    /// A region and all that contain it.
    pub(super) fn ancestors(&self, of: Region) -> impl Iterator<Item = Region> + '_ {
        let parent = |&region: &Region| (region != Self::ALL).then(|| self.nodes[region.0 as usize].parent);
        std::iter::successors(Some(of), parent)
    }

    /// What a region is a part of by a split, and whether the predicate holds in it; nothing for
    /// the root.
    pub(super) fn part(&self, region: Region) -> Option<(Predicate, bool)> {
        match &self.nodes[self.nodes[region.0 as usize].parent.0 as usize].kind {
            Kind::Inner { predicate, yes, .. } if region != Self::ALL => {
                Some((predicate.clone(), *yes == region))
            }
            _ => None,
        }
    }

    /// Whether all leaves of the regions are among these leaves, or labelled true with the formula.
    pub(super) fn is_covered(
        &self,
        regions: &[Region],
        by: &FxHashSet<Region>,
        formula: Option<usize>,
    ) -> bool {
        let mut stack = regions.to_vec();
        while let Some(region) = stack.pop() {
            match &self.nodes[region.0 as usize].kind {
                Kind::Inner { yes, no, .. } => stack.extend([*yes, *no]),
                Kind::Leaf(_) if by.contains(&region) => {}
                Kind::Leaf(labels) => {
                    let is_proved = |label: &Label| Some(label.formula as usize) == formula && label.value;
                    if !labels.iter().any(is_proved) {
                        return false;
                    }
                }
            }
        }
        true
    }

    /// The same set of states as the regions, with a region in place of its two parts wherever both
    /// are there.
    pub(super) fn unified(&self, regions: &[Region]) -> Vec<Region> {
        let mut set: BTreeSet<Region> = regions.iter().copied().collect();
        let mut work = regions.to_vec();
        while let Some(region) = work.pop() {
            let parent = self.nodes[region.0 as usize].parent;
            if let Kind::Inner { yes, no, .. } = &self.nodes[parent.0 as usize].kind
                && set.contains(yes)
                && set.contains(no)
            {
                set.remove(yes);
                set.remove(no);
                set.insert(parent);
                work.push(parent);
            }
        }
        set.into_iter().collect()
    }

    /// The number of nodes.
    pub(super) fn len(&self) -> usize {
        self.nodes.len()
    }

    /// The states labelled with a formula, false and true, as functions; `choose` makes one of a
    /// predicate and the functions of both parts.
    pub(super) fn function(
        &self,
        formula: usize,
        mut choose: impl FnMut(&Predicate, [Lit; 2], [Lit; 2]) -> [Lit; 2],
    ) -> [Lit; 2] {
        let none = [Lit::FALSE; 2];
        let mut of = vec![none; self.nodes.len()];
        // children come after their parents
        for (at, node) in self.nodes.iter().enumerate().rev() {
            of[at] = match &node.kind {
                Kind::Leaf(labels) => {
                    let label = labels.iter().find(|label| label.formula as usize == formula);
                    label.map_or(none, |label| {
                        [false, true].map(|value| Lit::FALSE.negated_if(value == label.value))
                    })
                }
                Kind::Inner { predicate, yes, no } => {
                    let (yes, no) = (of[yes.0 as usize], of[no.0 as usize]);
                    if yes == no { yes } else { choose(predicate, yes, no) }
                }
            };
        }
        of[0]
    }

    /// All leaves with their labels.
    pub(super) fn leaves(&self) -> impl Iterator<Item = (Region, &[Label])> {
        self.nodes.iter().enumerate().filter_map(|(at, node)| match &node.kind {
            Kind::Leaf(labels) => Some((Region(at as u32), &labels[..])),
            Kind::Inner { .. } => None,
        })
    }

    /// The bytes it holds, about.
    pub(super) fn bytes(&self) -> usize {
        let of = |node: &Node| {
            let held = match &node.kind {
                Kind::Leaf(labels) => labels.capacity() * size_of::<Label>(),
                Kind::Inner { predicate: Predicate::Cubes(set), .. } => {
                    set.cubes.iter().map(|cube| cube.len() * size_of::<(u32, bool)>()).sum()
                }
                Kind::Inner { .. } => 0,
            };
            held + size_of::<Node>()
        };
        self.nodes.iter().map(of).sum()
    }

    /// The bytes that a split adds, about.
    pub(super) fn bytes_of_split(cubes: usize, labels: usize) -> usize {
        3 * size_of::<Node>() + cubes * size_of::<(u32, bool)>() + 2 * labels * size_of::<Label>()
    }
}

/// Whether a state is in a cube.
pub(super) fn contains(cube: &Cube, state: &[bool]) -> bool {
    cube.iter().all(|&(at, value)| state[at as usize] == value)
}

/// A literal that is equivalent to the conjunction of two.
fn both(a: SatLit, b: SatLit, relation: &mut Relation) -> SatLit {
    if a == relation.sat.constant_true() {
        return b;
    }
    relation.all(&[a, b])
}

/// A literal that is equivalent to the disjunction of two.
fn either(a: SatLit, b: SatLit, relation: &mut Relation) -> SatLit {
    if a == relation.sat.constant(false) {
        return b;
    }
    relation.any(&[a, b])
}
