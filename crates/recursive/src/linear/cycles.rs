//! Accepting runs that go on for ever: cycles of the graph H of what was explored.
//!
//! rsm-analysis, section 2.2. H has the places of frames, their edges, an edge from a call port to the entry, and
//! one from it to where the call comes back. An accepting run that never leaves its last frames is a
//! reachable cycle of H in a group of the automaton that accepts, with an accepting state on it or inside
//! a way through a call. Without a call edge on it the stack is bounded, with one it grows at every turn (liminf semantics, erratum R1).
//!
//! Tarjan's algorithm on what is reached, restricted to states that can accept: linear.

use super::arena::Arena;
use super::explore::{Explored, Frame, Item};
use super::product::Product;
use loris_base::{Budget, Exhausted};

/// Which runs count.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Runs {
    /// All infinite runs.
    #[default]
    All,
    /// Those whose stack comes back to some height again and again.
    Bounded,
    /// Those whose stack grows beyond every height.
    Unbounded,
}

/// How an edge of H leads on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Via {
    Edge,
    Call,
    /// through a call that leaves by the exit of this number
    Through(u32),
}

#[derive(Clone, Copy, Debug)]
pub(super) struct Link {
    pub(super) to: Item,
    pub(super) via: Via,
    /// an accepting state lies inside the call, or at its end
    pub(super) accepts: bool,
}

/// The edges of H out of a place that stay in the automaton's group.
pub(super) fn links(found: &Explored<'_, Product<'_>>, item: Item, runs: Runs, out: &mut Vec<Link>) {
    let arena = found.arena;
    let frame = found.frames[item.frame as usize];
    let group = group(arena, item);
    let accepts = arena.steps.accepting[arena.state(item.place) as usize];
    if let Some(gate) = arena.call(frame.site, item.place) {
        let Some(gate) = found.gates.get(gate) else { return };
        if runs != Runs::Bounded {
            let (_, entry) = arena.callee(frame.site, item.place);
            out.push(Link { to: Item { frame: gate.frame, place: entry }, via: Via::Call, accepts });
        }
        for (exit, _) in found.gates.ways(gate) {
            if let Some(back) = arena.back(frame.site, item.place, exit) {
                let to = Item { frame: item.frame, place: back };
                if group == self::group(arena, to) {
                    let accepts = accepts || arena.is_marked(exit);
                    out.push(Link { to, via: Via::Through(exit), accepts });
                }
            }
        }
    } else {
        arena.successors(frame.site, item.place, |place| {
            let to = Item { frame: item.frame, place };
            if group == self::group(arena, to) {
                out.push(Link { to, via: Via::Edge, accepts });
            }
        });
    }
}

fn group(arena: &Product<'_>, item: Item) -> u32 {
    arena.steps.group[arena.state(item.place) as usize]
}

/// A strongly connected part of H on which runs accept.
pub(super) struct Accepting {
    /// per fact, in the order of the times, the part it is in
    parts: Vec<u32>,
    pub(super) part: u32,
    /// where in it a run gets to first
    pub(super) nearest: Item,
}

impl Accepting {
    pub(super) fn contains(&self, frame: Frame, place: u32) -> bool {
        self.parts[frame.base + place as usize] == self.part
    }
}

/// Finds the part on which runs of a kind accept that is reached first; any, if `any`.
pub(super) fn accepting(
    found: &Explored<'_, Product<'_>>,
    runs: Runs,
    any: bool,
    budget: &mut Budget,
) -> Result<Option<Accepting>, Exhausted> {
    // numbers and components; those are given back by who asked
    budget.charge(8 * found.times.len())?;
    let mut search = Search {
        found,
        runs,
        numbers: vec![0; found.times.len()],
        parts: vec![0; found.times.len()],
        count: 0,
        part: 0,
        walk: Vec::new(),
        links: Vec::new(),
        open: Vec::new(),
        held: 0,
    };
    let mut best: Option<(u32, Item, u32)> = None;
    for (frame, data, place) in found.reached() {
        let item = Item { frame, place };
        // a part that accepts has a link that does: no need to start anywhere else
        if search.numbers[data.base + place as usize] != 0 || !may_accept(found, data, place) {
            continue;
        }
        search.from(item, budget, |part, nearest, time| {
            if best.is_none_or(|(sooner, ..)| time < sooner) {
                best = Some((time, nearest, part));
            }
        })?;
        if any && best.is_some() {
            break;
        }
    }
    budget.release(4 * found.times.len() + search.held);
    let parts = search.parts;
    Ok(best.map(|(_, nearest, part)| Accepting { parts, part, nearest }))
}

/// Whether a link out of a place may accept.
fn may_accept(found: &Explored<'_, Product<'_>>, frame: Frame, place: u32) -> bool {
    let arena = found.arena;
    let state = arena.state(place) as usize;
    if !arena.steps.is_live[state] || arena.steps.accepting[state] {
        return arena.steps.is_live[state];
    }
    let gate = arena.call(frame.site, place).and_then(|entry| found.gates.get(entry));
    gate.is_some_and(|gate| found.gates.ways(gate).any(|(exit, _)| arena.is_marked(exit)))
}

struct Search<'s, 'r, 'a> {
    found: &'s Explored<'r, Product<'a>>,
    runs: Runs,
    /// per fact, its number in the order of the walk, 0 before
    numbers: Vec<u32>,
    parts: Vec<u32>,
    count: u32,
    part: u32,
    walk: Vec<Step>,
    /// links of the places on the walk that are still to be followed
    links: Vec<Link>,
    /// places whose part is not known yet
    open: Vec<Item>,
    /// bytes declared for these three
    held: usize,
}

struct Step {
    item: Item,
    low: u32,
    links: usize,
    loops: bool,
}

/// How much deeper a walk gets before it is declared again.
const STEPS_PER_LOOK: usize = 256;

impl Search<'_, '_, '_> {
    fn charge(&mut self, budget: &mut Budget) -> Result<(), Exhausted> {
        let walk = size_of::<Step>() * self.walk.len() + size_of::<Link>() * self.links.len();
        budget.grow(&mut self.held, walk + size_of::<Item>() * self.open.len())
    }

    fn slot(&self, item: Item) -> usize {
        self.found.frames[item.frame as usize].base + item.place as usize
    }

    fn enter(&mut self, item: Item) {
        self.count += 1;
        let slot = self.slot(item);
        self.numbers[slot] = self.count;
        self.open.push(item);
        let first = self.links.len();
        links(self.found, item, self.runs, &mut self.links);
        let loops = self.links[first..].iter().any(|link| link.to == item);
        self.walk.push(Step { item, low: self.count, links: first, loops });
    }

    /// Walks all that is reached from a place; tells of accepting parts with their nearest place.
    fn from(
        &mut self,
        item: Item,
        budget: &mut Budget,
        mut tell: impl FnMut(u32, Item, u32),
    ) -> Result<(), Exhausted> {
        self.enter(item);
        let mut deepest = 0;
        while let Some(step) = self.walk.last_mut() {
            if self.links.len() > step.links {
                let link = self.links.pop().expect("there are links left");
                let slot = self.found.frames[link.to.frame as usize].base + link.to.place as usize;
                match self.numbers[slot] {
                    0 => {
                        self.enter(link.to);
                        if self.walk.len() >= deepest + STEPS_PER_LOOK {
                            deepest = self.walk.len();
                            self.charge(budget)?;
                        }
                    }
                    number if self.parts[slot] == 0 => step.low = step.low.min(number),
                    _ => {}
                }
                budget.spend(1)?;
                continue;
            }
            let step = self.walk.pop().expect("the walk is not over");
            if let Some(above) = self.walk.last_mut() {
                above.low = above.low.min(step.low);
            }
            let slot = self.slot(step.item);
            if step.low == self.numbers[slot] {
                let first = self.open.iter().rposition(|&open| open == step.item).expect("it is open");
                let members = self.open.split_off(first);
                budget.spend(members.len())?;
                self.part += 1;
                for &member in &members {
                    let slot = self.slot(member);
                    self.parts[slot] = self.part;
                }
                if (members.len() > 1 || step.loops) && self.accepts(&members) {
                    let time = |item: &Item| self.found.time(*item);
                    let nearest = *members.iter().min_by_key(|item| (time(item), **item)).expect("not empty");
                    tell(self.part, nearest, time(&nearest));
                }
            }
        }
        Ok(())
    }

    /// Whether a part has what runs of the kind need, all of it inside.
    fn accepts(&self, members: &[Item]) -> bool {
        let mut inside = Vec::new();
        let (mut accepts, mut grows) = (false, false);
        for &member in members {
            inside.clear();
            links(self.found, member, self.runs, &mut inside);
            for link in inside.iter().filter(|link| self.parts[self.slot(link.to)] == self.part) {
                accepts |= link.accepts;
                grows |= link.via == Via::Call;
            }
            if accepts && (grows || self.runs != Runs::Unbounded) {
                return true;
            }
        }
        false
    }
}
