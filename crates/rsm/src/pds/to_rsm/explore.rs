//! The content of a copy of a procedure: the heads that its entries lead to, and its call sites.
//!
//! A head is met as a node, or as the state of a return port; either way its steps are followed
//! once. Linear in the copy.

use super::copies::Site;
use super::exits::Exits;
use super::heads::{Heads, POP, SWAP};
use super::plan::Plan;
use super::sites::SiteIndex;
use super::tails::SourcePlace;
use crate::ids::NONE;
use loris_base::{Budget, Exhausted, has_bit, ones, set_bit};

/// Finds the content of copies.
pub(super) struct Explorer<'h> {
    heads: &'h Heads,
    exits: &'h Exits,
    /// per place, the last copy in which it is a node, and the last in which it is met at a return
    /// port
    node_in: Vec<u32>,
    port_in: Vec<u32>,
    sites: SiteIndex,
    /// of the copy at hand
    nodes: Vec<SourcePlace>,
    ports: Vec<SourcePlace>,
    before: Vec<u32>,
    after: Vec<u64>,
    /// bytes that are declared for all this
    own: usize,
    /// bytes that are declared for the copies
    held: usize,
}

impl<'h> Explorer<'h> {
    /// For these heads; a list that is not needed any more gives its memory.
    pub(super) fn new(
        heads: &'h Heads,
        exits: &'h Exits,
        mut list: Vec<u32>,
        budget: &mut Budget,
    ) -> Result<Self, Exhausted> {
        list.clear();
        list.resize(heads.len(), NONE);
        let symbols = heads.by_symbol.symbols();
        let own = 8 * heads.len() + SiteIndex::bytes(symbols);
        budget.charge(own)?;
        Ok(Self {
            heads,
            exits,
            node_in: list,
            port_in: vec![NONE; heads.len()],
            sites: SiteIndex::new(symbols),
            nodes: Vec::new(),
            ports: Vec::new(),
            before: Vec::new(),
            after: vec![0; heads.words()],
            own,
            held: 0,
        })
    }

    /// Finds the content of every copy of a plan.
    pub(super) fn explore(mut self, plan: &mut Plan, budget: &mut Budget) -> Result<(), Exhausted> {
        for copy in 0..plan.copies.len() {
            (self.nodes, self.before) = (clear(self.nodes), clear(self.before));
            self.after.fill(0);
            if copy >= plan.first() {
                self.copy(plan, copy as u32, budget)?;
            }
            plan.copies.close(&self.nodes, &self.before, &self.after);
        }
        budget.release(self.own);
        plan.memory = self.node_in;
        Ok(())
    }

    fn copy(&mut self, plan: &mut Plan, copy: u32, budget: &mut Budget) -> Result<(), Exhausted> {
        let (heads, is_start) = (self.heads, plan.copies.is_start(copy as usize));
        for &place in plan.copies.entries.row(copy as usize) {
            visit(&mut self.node_in, &mut self.nodes, copy, place);
        }
        let (mut next, mut declared) = (0, 0);
        loop {
            let (place, at_port) = if let Some(place) = self.ports.pop() {
                (place, true)
            } else if next < self.nodes.len() {
                next += 1;
                (self.nodes[next - 1], false)
            } else {
                return Ok(());
            };
            let (head, tail) = plan.tails.head(heads.len(), place);
            let steps = heads.steps(head);
            budget.spend(1 + steps.len())?;
            if next >= declared {
                // the nodes at hand are held once more
                declared = next + 64;
                let more = 4 * self.nodes.len() + plan.copies.bytes_ahead(self.nodes.len(), 64);
                budget.grow(&mut self.held, more)?;
            }
            if !at_port && !is_start && self.exits.only_pops(head) {
                self.before.push(next as u32 - 1);
                plan.copies.before_positions.push(steps[0].target);
                continue;
            }
            if at_port && is_start && tail == 0 && steps.is_empty() {
                visit(&mut self.node_in, &mut self.nodes, copy, place);
            }
            for step in steps {
                match step.call {
                    SWAP => {
                        let place = plan.tails.place(heads.len(), tail, step.target);
                        visit(&mut self.node_in, &mut self.nodes, copy, place);
                    }
                    POP if tail == 0 => _ = set_bit(&mut self.after, step.target as usize),
                    POP => {
                        let (symbol, rest) = plan.tails.split(tail);
                        let head = heads.uncovered(step.target, symbol);
                        let place = plan.tails.place(heads.len(), rest, head);
                        visit(&mut self.node_in, &mut self.nodes, copy, place);
                    }
                    call => {
                        let site = self.site(plan, copy, tail, (step.target, call));
                        if !at_port {
                            plan.copies.call_sites.push(site);
                            if !self.exits.only_pops(step.target) {
                                plan.copies.call(site as usize, step.target);
                            }
                        }
                    }
                }
            }
        }
    }

    /// Takes a call of a head, and the symbols it may uncover; returns its site.
    fn site(&mut self, plan: &mut Plan, copy: u32, tail: u32, (top, call): (u32, u32)) -> u32 {
        let heads = self.heads;
        let call = &heads.calls[call as usize];
        let (callee, below) = (call.copy, call.below);
        let next = plan.copies.sites.len() as u32;
        let (site, is_first) = self.sites.site(copy, (tail, below, callee), next, &plan.copies.sites);
        if site == next {
            let offset = call.offset;
            let (called, calls_further) = (NONE, false);
            plan.copies.add_site(Site { tail, below, callee, top, offset, called, is_first, calls_further });
        }
        let class = plan.copies.class[callee as usize];
        for word in 0..heads.words() {
            let fresh = plan.copies.add_returned(site as usize, word, heads.pops.word(top, word));
            for position in ones(&[fresh]).map(|bit| bit + 64 * word as u32) {
                let place = plan.tails.place(heads.len(), tail, heads.uncovered(position, below));
                if has_bit(self.exits.before(class), position as usize) {
                    visit(&mut self.node_in, &mut self.nodes, copy, place);
                }
                if has_bit(self.exits.after(class), position as usize)
                    && grown(&mut self.port_in, place) != copy
                {
                    self.port_in[place as usize] = copy;
                    self.ports.push(place);
                }
            }
        }
        site
    }
}

/// Adds a place to the nodes of a copy, if it is none of them.
#[inline]
fn visit(node_in: &mut Vec<u32>, nodes: &mut Vec<SourcePlace>, copy: u32, place: SourcePlace) {
    if grown(node_in, place) != copy {
        node_in[place as usize] = copy;
        nodes.push(place);
    }
}

/// The entry of a place, in a list that grows with the places.
#[inline]
fn grown(list: &mut Vec<u32>, place: SourcePlace) -> u32 {
    if list.len() <= place as usize {
        list.resize(place as usize + 1, NONE);
    }
    list[place as usize]
}

fn clear(mut list: Vec<u32>) -> Vec<u32> {
    list.clear();
    list
}
