//! The place of each vertex of the machine, and the names of components and boxes.
//!
//! Vertices are numbered as a builder numbers them (`freeze`): the nodes of a component, then box
//! by box the ports of entries that are called or are exits, and those of other exits. Entries are
//! the first nodes of a copy; exits come in the order of its nodes, those after a pop last.

use super::heads::{Heads, POP, SWAP};
use super::names::Naming;
use super::plan::Plan;
use super::sites::SiteIndex;
use crate::ids::{BoxId, Component, ComponentId, NONE};
use crate::model::CallSite;
use loris_base::{Budget, Diagnostic, Diagnostics, Exhausted, Idx, IndexVec, Symbol, ones, set_bit};
use rustc_hash::FxHashSet;

/// Where everything is.
pub(super) struct Layout {
    pub(super) components: IndexVec<ComponentId, Component>,
    pub(super) boxes: IndexVec<BoxId, CallSite>,
    /// the names of places that are not heads
    place_names: Vec<Symbol>,
    pub(super) vertices: u32,
}

impl Layout {
    pub(super) fn of(
        heads: &Heads,
        plan: &mut Plan,
        naming: &mut Naming,
        budget: &mut Budget,
    ) -> Result<Self, Exhausted> {
        let copies = plan.copies.len();
        budget.charge(copies * size_of::<Component>() + plan.copies.sites.len() * size_of::<CallSite>())?;
        budget.spend(plan.copies.sites.len())?;
        let mut layout = Self {
            components: Vec::with_capacity(copies).into(),
            boxes: Vec::with_capacity(plan.copies.sites.len()).into(),
            place_names: Vec::new(),
            vertices: 0,
        };
        calls_of_ports(heads, plan, budget)?;
        let names = component_names(heads, plan, naming);
        let (mut first_entry, mut first_exit, mut first_name) = (0, 0, 0);
        for copy in plan.first()..copies {
            let start = layout.vertices;
            let after = ones(plan.copies.after(copy)).count();
            let of_copy = (plan.copies.nodes.row(copy).len() + after) as u32;
            layout.vertices += of_copy;
            if plan.copies.is_start(copy) {
                layout.name_places(heads, plan, naming);
            }
            let first_box = layout.boxes.len() as u32;
            for site in plan.copies.sites_of(copy) {
                let data = &plan.copies.sites[site];
                let calls = usize::from(data.called != NONE) + plan.copies.further(site).len();
                let first = layout.vertices;
                layout.vertices += calls as u32 + exits(heads, plan, data.callee as usize);
                let name = Symbol::new(data.below as usize);
                layout.boxes.push(CallSite {
                    name: if data.is_first { name } else { naming.like(name) },
                    owner: ComponentId::new(layout.components.len()),
                    callee: ComponentId::new(data.callee as usize - plan.first()),
                    slots: NONE,
                    ports: first..layout.vertices,
                });
            }
            let (entries, exits) = (plan.copies.entries.row(copy).len() as u32, exits(heads, plan, copy));
            layout.components.push(Component {
                name: names[copy - plan.first()],
                vertices: start..layout.vertices,
                nodes: of_copy,
                first_name,
                boxes: first_box..layout.boxes.len() as u32,
                entries: first_entry..first_entry + entries,
                exits: first_exit..first_exit + exits,
            });
            (first_entry, first_exit) = (first_entry + entries, first_exit + exits);
            first_name += of_copy;
        }
        Ok(layout)
    }

    /// Names the places of the component where runs start that are not heads.
    fn name_places(&mut self, heads: &Heads, plan: &Plan, naming: &mut Naming) {
        let count = plan.tails.len();
        if count == 0 {
            return;
        }
        let nodes = plan.copies.nodes.row(0);
        let plain: FxHashSet<u32> =
            nodes.iter().copied().filter(|&place| (place as usize) < heads.len()).collect();
        let mut taken = FxHashSet::default();
        self.place_names = vec![Symbol::new(0); count];
        for &place in nodes.iter().filter(|&&place| place as usize >= heads.len()) {
            let head = plan.tails.head(heads.len(), place).0;
            let name = naming.of_head[head as usize];
            // a head that is not a node without a tail can have the plain name
            let name = if plain.contains(&head) { naming.like(name) } else { name };
            let name = if taken.insert(name) { name } else { naming.like(name) };
            self.place_names[place as usize - heads.len()] = name;
        }
    }

    /// The name of a place.
    pub(super) fn name(&self, naming: &Naming, place: u32) -> Symbol {
        let names = &naming.of_head;
        names.get(place as usize).copied().unwrap_or_else(|| self.place_names[place as usize - names.len()])
    }
}

/// How many exits a copy has.
fn exits(heads: &Heads, plan: &Plan, copy: usize) -> u32 {
    let after = ones(plan.copies.after(copy)).count();
    let before = if plan.copies.is_start(copy) {
        let ends = |place: &&u32| {
            let (head, tail) = plan.tails.head(heads.len(), **place);
            tail == 0 && heads.steps(head).is_empty()
        };
        plan.copies.nodes.row(copy).iter().filter(ends).count()
    } else {
        plan.copies.before.row(copy).len()
    };
    (before + after) as u32
}

fn component_names(heads: &Heads, plan: &Plan, naming: &mut Naming) -> Vec<Symbol> {
    let mut used = FxHashSet::default();
    let mut names = Vec::with_capacity(plan.copies.len());
    for copy in plan.first()..plan.copies.len() {
        let entry = plan.copies.entries.row(copy)[0];
        let name = naming.of_head[plan.tails.head(heads.len(), entry).0 as usize];
        let name = if used.contains(&name) { naming.like(name) } else { name };
        used.insert(name);
        names.push(name);
    }
    names
}

/// Notes the calls of edges out of return ports: of those that are never used, and of those that
/// are the state of an uncovered head.
fn calls_of_ports(heads: &Heads, plan: &mut Plan, budget: &mut Budget) -> Result<(), Exhausted> {
    let words = heads.words();
    let mut all = vec![0u64; words * plan.copies.len()];
    for copy in 0..plan.copies.len() {
        let set = &mut all[copy * words..][..words];
        set.copy_from_slice(plan.copies.after(copy));
        for &position in plan.copies.positions_before(copy) {
            set_bit(set, position as usize);
        }
    }
    let mut index = None;
    for copy in plan.first()..plan.copies.len() {
        for site in plan.copies.sites_of(copy) {
            let (callee, top) = (plan.copies.sites[site].callee as usize, plan.copies.sites[site].top);
            let exits = &all[callee * words..][..words];
            if exits.iter().zip(plan.copies.returned(site)).any(|(exits, returned)| exits & !returned != 0)
                && !heads.only_pops(top)
            {
                plan.copies.call(site, top);
            }
            for word in 0..words {
                let states = plan.copies.after(callee)[word] & plan.copies.returned(site)[word];
                for position in ones(&[states]).map(|bit| bit + 64 * word as u32) {
                    let uncovered = heads.uncovered(position, plan.copies.sites[site].below);
                    budget.spend(1 + heads.steps(uncovered).len())?;
                    let calls = heads.steps(uncovered).iter();
                    for step in calls.filter(|step| step.call != SWAP && step.call != POP) {
                        if index.is_none() {
                            budget.charge(SiteIndex::bytes(heads.by_symbol.symbols()))?;
                        }
                        let index = index.get_or_insert_with(|| SitesOf::new(heads));
                        let at = index.site(heads, plan, copy, plan.copies.sites[site].tail, step.call);
                        if !heads.only_pops(step.target) {
                            plan.copies.call(at, step.target);
                        }
                    }
                }
            }
        }
    }
    if index.is_some() {
        budget.release(SiteIndex::bytes(heads.by_symbol.symbols()));
    }
    plan.copies.all_called();
    Ok(())
}

/// The sites of one copy after the other, by their callee.
pub(super) struct SitesOf {
    index: SiteIndex,
    copy: usize,
}

impl SitesOf {
    pub(super) fn new(heads: &Heads) -> Self {
        Self { index: SiteIndex::new(heads.by_symbol.symbols()), copy: usize::MAX }
    }

    /// The site of a call with a tail in a copy.
    pub(super) fn site(&mut self, heads: &Heads, plan: &Plan, copy: usize, tail: u32, call: u32) -> usize {
        if self.copy != copy {
            self.copy = copy;
            for site in plan.copies.sites_of(copy) {
                let data = &plan.copies.sites[site];
                let key = (data.tail, data.below, data.callee);
                self.index.site(copy as u32, key, site as u32, &plan.copies.sites);
            }
        }
        let call = &heads.calls[call as usize];
        let key = (tail, call.below, call.copy);
        self.index.site(copy as u32, key, NONE, &plan.copies.sites).0 as usize
    }
}

/// Every box has an edge for every exit of its callee, which a small system can make many of.
pub(super) fn check_size(heads: &Heads, plan: &Plan) -> Result<(), Diagnostics> {
    let most = 64 * (heads.rules + heads.len()) + (1 << 22);
    let sites = plan.copies.sites.iter();
    let exits = sites.map(|site| exits(heads, plan, site.callee as usize) as usize);
    let returns = exits.fold(0, usize::saturating_add);
    if returns > most {
        let message = format!("the machine would be too large: its boxes have {returns} return ports");
        return Err(Diagnostic::global(message).into());
    }
    Ok(())
}
