//! What is in a copy of a procedure: the heads that its entries lead to, and its call sites.
//!
//! A head is met as a node, or as the state of a return port; either way its rules are followed once. Linear
//! in the copy.

use super::exits::Exits;
use super::heads::{Heads, contains, positions};
use super::plan::{Copy, Site, met};
use super::tails::{Place, Tails};
use crate::model::NONE;
use crate::pds::{StackSymbol, Word};
use loris_base::{Budget, Exhausted};
use rustc_hash::FxHashMap;

/// Finds what is in a copy.
pub(super) struct Explorer<'h, 'p> {
    heads: &'h Heads<'p>,
    exits: &'h Exits,
    /// per place, the last copy in which it is a node, and the last in which it is met at a return port
    node_in: Vec<u32>,
    port_in: Vec<u32>,
    ports: Vec<Place>,
    site_of: FxHashMap<(u32, StackSymbol, u32), u32>,
}

impl<'h, 'p> Explorer<'h, 'p> {
    pub(super) fn new(heads: &'h Heads<'p>, exits: &'h Exits) -> Self {
        let none = vec![NONE; heads.len()];
        Self {
            heads,
            exits,
            node_in: none.clone(),
            port_in: none,
            ports: Vec::new(),
            site_of: FxHashMap::default(),
        }
    }

    pub(super) fn explore(
        &mut self,
        copy: &mut Copy,
        number: u32,
        (callee_of, copies): (&[u32], &[Copy]),
        tails: &mut Tails,
        budget: &mut Budget,
    ) -> Result<(), Exhausted> {
        let mut held = 0;
        self.site_of.clear();
        copy.after = vec![0; self.heads.words];
        for place in copy.entries.clone() {
            self.visit(copy, number, place);
        }
        let mut next = 0;
        loop {
            let (place, at_port) = if let Some(place) = self.ports.pop() {
                (place, true)
            } else if next < copy.nodes.len() {
                next += 1;
                (copy.nodes[next - 1], false)
            } else {
                return Ok(());
            };
            let rules = self.heads.rules(tails.head(self.heads, place).0).len();
            budget.spend(1 + rules)?;
            budget.grow(&mut held, copy.bytes_ahead(1 + rules, self.heads.words))?;
            let (head, tail) = tails.head(self.heads, place);
            if !at_port && !copy.is_start() && self.exits.only_pop[head as usize] != NONE {
                copy.before.push(head);
                continue;
            }
            let heads = self.heads;
            if at_port && copy.is_start() && tail == 0 && heads.rules(head).len() == 0 {
                self.visit(copy, number, place);
            }
            for (rule_place, rule) in heads.rules(head) {
                match rule.word {
                    Word::Swap(symbol) => {
                        let place = tails.place(heads, tail, met(heads, rule, symbol));
                        self.visit(copy, number, place);
                    }
                    Word::Pop if tail == 0 => {
                        let position = heads.return_of(rule.to);
                        copy.after[position as usize / 64] |= 1 << (position % 64);
                    }
                    Word::Pop => {
                        let (symbol, rest) = tails.split(tail);
                        let place = tails.place(heads, rest, met(heads, rule, symbol));
                        self.visit(copy, number, place);
                    }
                    Word::Push(top, below) => {
                        let callee = callee_of[rule_place as usize];
                        let class = if callee == number { copy.class } else { copies[callee as usize].class };
                        let site =
                            Site { tail, below, callee, top: met(heads, rule, top), offset: rule.offset };
                        self.call(copy, number, site, class, tails);
                    }
                }
            }
        }
    }

    /// Takes a call of a procedure, and what it may uncover.
    fn call(&mut self, copy: &mut Copy, number: u32, site: Site, class: u32, tails: &mut Tails) {
        let (heads, words) = (self.heads, self.heads.words);
        let (tail, below, top) = (site.tail, site.below, site.top);
        let next = copy.sites.len() as u32;
        let at = *self.site_of.entry((tail, below, site.callee)).or_insert(next) as usize;
        if at == next as usize {
            copy.sites.push(site);
            copy.returned.resize(copy.returned.len() + words, 0);
        }
        for i in 0..words {
            let known = &mut copy.returned[at * words + i];
            let fresh = heads.pops(top)[i] & !*known;
            *known |= fresh;
            for position in positions(&[fresh]).map(|bit| bit + 64 * i as u32) {
                let uncovered = heads.find(heads.returns[position as usize], below);
                let head = uncovered.expect("what a call that returns uncovers occurs");
                let place = tails.place(heads, tail, head);
                if contains(self.exits.before(class), position) {
                    self.visit(copy, number, place);
                }
                if contains(self.exits.after(class), position) && grown(&mut self.port_in, place) != number {
                    self.port_in[place as usize] = number;
                    self.ports.push(place);
                }
            }
        }
    }

    fn visit(&mut self, copy: &mut Copy, number: u32, place: Place) {
        if grown(&mut self.node_in, place) != number {
            self.node_in[place as usize] = number;
            copy.nodes.push(place);
        }
    }
}

/// The entry of a place, in a list that grows with the places.
fn grown(list: &mut Vec<u32>, place: Place) -> u32 {
    if list.len() <= place as usize {
        list.resize(place as usize + 1, NONE);
    }
    list[place as usize]
}
