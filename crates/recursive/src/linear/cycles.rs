//! Infinite accepting runs: cycles of the graph H of the explored places.
//!
//! rsm-analysis, section 2.2. H has the places of frames, their edges, an edge from a call port to
//! the entry, and one from it to where the call comes back. An accepting run that never leaves its
//! last frames is a reachable cycle of H in a group of the automaton that accepts, with an
//! accepting state on it or inside a way through a call. Without a call edge on it the stack is
//! bounded, with one it grows at every turn (liminf semantics, erratum R1).
//!
//! Tarjan's algorithm on the reached places, restricted to states that can accept: linear.

use super::arena::{Arena, Site};
use super::explore::Explored;
use super::frame::{FrameId, Item};
use super::product::Product;
use loris_base::{Budget, Exhausted, Idx};

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

/// The reached places of a product, and the ways through calls: the graph H.
pub(super) trait Heads {
    fn product(&self) -> &Product<'_>;
    /// The site of a frame.
    fn site(&self, frame: FrameId) -> Site;
    /// How many slots places have.
    fn slots(&self) -> usize;
    /// The slot of a place, if it is reached.
    fn slot(&self, item: Item) -> Option<usize>;
    /// How soon a place is reached.
    fn time(&self, item: Item) -> u32;
    /// The frame of an entry that is called.
    fn called(&self, entry: u32) -> Option<FrameId>;
    /// The exits that runs from an entry get to.
    fn exits(&self, entry: u32) -> impl Iterator<Item = u32> + '_;
    /// All places that are reached.
    fn all(&self) -> impl Iterator<Item = Item> + '_;
}

impl Heads for Explored<'_, Product<'_>> {
    fn product(&self) -> &Product<'_> {
        self.arena
    }

    fn site(&self, frame: FrameId) -> Site {
        self.frames[frame.index()].site
    }

    fn slots(&self) -> usize {
        self.times.len()
    }

    #[inline]
    fn slot(&self, item: Item) -> Option<usize> {
        self.slot(item)
    }

    fn time(&self, item: Item) -> u32 {
        self.time(item)
    }

    fn called(&self, entry: u32) -> Option<FrameId> {
        self.gates.get(entry).map(|gate| gate.frame)
    }

    fn exits(&self, entry: u32) -> impl Iterator<Item = u32> + '_ {
        self.gates.get(entry).into_iter().flat_map(|gate| self.gates.ways(gate).map(|(exit, _)| exit))
    }

    fn all(&self) -> impl Iterator<Item = Item> + '_ {
        self.reached()
    }
}

/// The edges of H out of a place that stay in the automaton's group.
pub(super) fn links(found: &impl Heads, item: Item, runs: Runs, out: &mut Vec<Link>) {
    let arena = found.product();
    let site = found.site(item.frame);
    let group = group(arena, item);
    let accepts = arena.steps.accepting[arena.state(item.place) as usize];
    if let Some(entry) = arena.call(site, item.place) {
        let Some(frame) = found.called(entry) else { return };
        if runs != Runs::Bounded {
            let (_, entry) = arena.callee(site, item.place);
            out.push(Link { to: Item { frame, place: entry }, via: Via::Call, accepts });
        }
        for exit in found.exits(entry) {
            if let Some(back) = arena.back(site, item.place, exit) {
                let to = Item { frame: item.frame, place: back };
                if group == self::group(arena, to) {
                    let accepts = accepts || arena.is_marked_exit(exit);
                    out.push(Link { to, via: Via::Through(exit), accepts });
                }
            }
        }
    } else {
        arena.successors(site, item.place, |place| {
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

/// A strongly connected component of H on which runs accept.
pub(super) struct Accepting {
    /// by slot, the part a place is in
    parts: Vec<u32>,
    pub(super) part: u32,
    /// where in it a run gets to first
    pub(super) nearest: Item,
}

impl Accepting {
    pub(super) fn contains(&self, found: &impl Heads, item: Item) -> bool {
        found.slot(item).is_some_and(|slot| self.parts[slot] == self.part)
    }
}

/// Finds the part on which runs of a kind accept that is reached first; any, if `any`.
pub(super) fn accepting(
    found: &impl Heads,
    runs: Runs,
    any: bool,
    budget: &mut Budget,
) -> Result<Option<Accepting>, Exhausted> {
    // numbers and components; the caller gives these back
    budget.charge(8 * found.slots())?;
    let mut search = CycleSearch {
        found,
        runs,
        numbers: vec![0; found.slots()],
        parts: vec![0; found.slots()],
        count: 0,
        part: 0,
        walk: Vec::new(),
        links: Vec::new(),
        open: Vec::new(),
        held: 0,
    };
    let mut best: Option<(u32, Item, u32)> = None;
    for item in found.all() {
        // a part that accepts has a link that does: no need to start anywhere else
        if search.number(item) != Some(0) || !may_accept(found, item) {
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
    budget.release(4 * found.slots() + search.held);
    let parts = search.parts;
    Ok(best.map(|(_, nearest, part)| Accepting { parts, part, nearest }))
}

/// Whether a link out of a place may accept.
fn may_accept(found: &impl Heads, item: Item) -> bool {
    let arena = found.product();
    let state = arena.state(item.place) as usize;
    if !arena.steps.is_live[state] || arena.steps.accepting[state] {
        return arena.steps.is_live[state];
    }
    let entry = arena.call(found.site(item.frame), item.place);
    entry.is_some_and(|entry| found.exits(entry).any(|exit| arena.is_marked_exit(exit)))
}

struct CycleSearch<'s, H> {
    found: &'s H,
    runs: Runs,
    /// by slot, the number of a place in the order of the walk, 0 before
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

impl<H: Heads> CycleSearch<'_, H> {
    fn charge(&mut self, budget: &mut Budget) -> Result<(), Exhausted> {
        let walk = size_of::<Step>() * self.walk.len() + size_of::<Link>() * self.links.len();
        budget.grow(&mut self.held, walk + size_of::<Item>() * self.open.len())
    }

    fn slot(&self, item: Item) -> usize {
        self.found.slot(item).expect("only what is reached is walked")
    }

    /// The number of a place, if it is reached.
    fn number(&self, item: Item) -> Option<u32> {
        self.found.slot(item).map(|slot| self.numbers[slot])
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

    /// Walks all places reached from a place; reports accepting components with their nearest
    /// place.
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
                budget.spend(1)?;
                // places that are not reached yet are left for later
                let Some(slot) = self.found.slot(link.to) else { continue };
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

    /// Whether a component meets the acceptance conditions inside.
    fn accepts(&self, members: &[Item]) -> bool {
        let mut inside = Vec::new();
        let (mut accepts, mut grows) = (false, false);
        for &member in members {
            inside.clear();
            links(self.found, member, self.runs, &mut inside);
            for link in &inside {
                if self.found.slot(link.to).is_none_or(|slot| self.parts[slot] != self.part) {
                    continue;
                }
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
