//! Infinite accepting runs: cycles of the graph H of the explored places.
//!
//! rsm-analysis, section 2.2. H has the places of frames, their edges, an edge from a call port to
//! the entry, and one from it to where the call comes back. An accepting run that never leaves its
//! last frames is a reachable cycle of H in a group of the automaton that accepts, with an
//! accepting state on it or inside a way through a call. Without a call edge on it the stack is
//! bounded, with one it grows at every turn (liminf semantics, erratum R1).
//!
//! Components are searched among the reached places, restricted to states that can accept: linear.

use super::arena::{Arena, Site};
use super::explore::Explored;
use super::frame::{FrameId, Item};
use super::product::Product;
use loris_base::{Budget, Exhausted, Graph, Idx, Search};

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
    // components, which the caller gives back
    budget.charge(4 * found.slots())?;
    let mut search = Search::within(found.slots(), Search::<ReachAnswer>::UNSEEN, budget)?;
    let mut links = Links {
        found,
        runs,
        parts: vec![0; found.slots()],
        part: 0,
        ahead: Vec::new(),
        path: Vec::new(),
        loops: false,
        held: 0,
    };
    let mut best: Option<(u32, Item, u32)> = None;
    for item in found.all() {
        let Some(head) = links.reached(item) else { continue };
        // a part that accepts has a link that does: no need to start anywhere else
        if search.low[head.slot] != Search::<ReachAnswer>::UNSEEN || !may_accept(found, item) {
            continue;
        }
        search.each([head], &mut links, budget, |members, links| {
            if let Some((time, nearest)) = links.complete(members)
                && best.is_none_or(|(sooner, ..)| time < sooner)
            {
                best = Some((time, nearest, links.part));
            }
        })?;
        if any && best.is_some() {
            break;
        }
    }
    search.free(budget);
    budget.release(links.held);
    let parts = links.parts;
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

/// The edges of H, as far as places are reached: others are left for later.
struct Links<'s, H> {
    found: &'s H,
    runs: Runs,
    /// by slot, the part a place is in, 0 before that is known
    parts: Vec<u32>,
    part: u32,
    /// links of the places on the path that are still to be followed
    ahead: Vec<Link>,
    /// per place on the path, where its links start, and whether one is a loop
    path: Vec<(usize, bool)>,
    /// bytes declared for these two
    held: usize,
    /// whether the place that was left last has a loop
    loops: bool,
}

/// A place that is reached, and its slot.
#[derive(Clone, Copy, PartialEq, Eq)]
struct ReachAnswer {
    item: Item,
    slot: usize,
}

impl<H: Heads> Graph for Links<'_, H> {
    type Node = ReachAnswer;

    #[inline]
    fn place(&self, head: ReachAnswer) -> usize {
        head.slot
    }

    fn edge(
        &mut self,
        head: ReachAnswer,
        done: usize,
        budget: &mut Budget,
    ) -> Result<Option<ReachAnswer>, Exhausted> {
        if done == 0 {
            let first = self.ahead.len();
            links(self.found, head.item, self.runs, &mut self.ahead);
            let loops = self.ahead[first..].iter().any(|link| link.to == head.item);
            self.path.push((first, loops));
            let bytes = size_of::<Link>() * self.ahead.capacity();
            budget.grow(&mut self.held, bytes + size_of::<(usize, bool)>() * self.path.capacity())?;
        }
        match self.path.last() {
            Some(&(first, _)) if first < self.ahead.len() => {
                let link = self.ahead.pop();
                Ok(link.map(|link| self.reached(link.to).unwrap_or(head)))
            }
            _ => {
                self.loops = self.path.pop().is_some_and(|(_, loops)| loops);
                Ok(None)
            }
        }
    }
}

impl<H: Heads> Links<'_, H> {
    #[inline]
    fn reached(&self, item: Item) -> Option<ReachAnswer> {
        self.found.slot(item).map(|slot| ReachAnswer { item, slot })
    }

    /// Makes a part of some places, the first of which was left last; if it accepts, how soon it is
    /// reached, and where.
    fn complete(&mut self, members: &[ReachAnswer]) -> Option<(u32, Item)> {
        self.part += 1;
        for member in members {
            self.parts[member.slot] = self.part;
        }
        if (members.len() == 1 && !self.loops) || !self.accepts(members) {
            return None;
        }
        members.iter().map(|member| (self.found.time(member.item), member.item)).min()
    }

    /// Whether a component meets the acceptance conditions inside.
    fn accepts(&self, members: &[ReachAnswer]) -> bool {
        let mut inside = Vec::new();
        let (mut accepts, mut grows) = (false, false);
        for member in members {
            inside.clear();
            links(self.found, member.item, self.runs, &mut inside);
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
