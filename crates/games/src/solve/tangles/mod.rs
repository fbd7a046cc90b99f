//! Tangle learning (van Dijk 2018) on the rest of a component.
//!
//! A tangle is a strongly connected set of nodes with a strategy of one player under which all
//! cycles in it are good for that player; the opponent has to leave it, by one of its escapes. A
//! pass divides what is left of the game into regions, the most important heads first. A region
//! attracts nodes as usual, and tangles that the opponent can only leave into the region or into
//! regions of the same player above. If a region is closed, which means that the opponent cannot
//! leave it for nodes below and the player can stay at all heads, then the nontrivial strongly
//! connected components of its strategy are tangles. One without escapes is won, and so is the
//! first region of a player, if it is closed.
//!
//! Invariant: the last region of a pass is closed, and gives a tangle that is not known yet or one
//! without escapes. A pass takes O(n + m) and the size of the tangles that are looked at. The
//! number of passes can be exponential; on games in practice it is small. Tangles are kept for the
//! whole component: 8 bytes for a node in one, 12 for an escape. 8 more bytes per node. Oracle:
//! `tests/common/mod.rs`.

mod learn;

use super::regions::{ALIVE, OTHER, Regions, Subgame, is_open};
use crate::Player;
use crate::arena::Arena;
use loris_base::{Budget, Exhausted, Search};
use rustc_hash::FxHashMap;
use std::cmp::Reverse;
use std::ops::Range;

/// A tangle.
struct Tangle {
    player: Player,
    /// the largest priority of the heads of its region
    priority: u32,
    members: Range<usize>,
    escapes: Range<usize>,
    /// the escape that was open last, counted from the first
    hint: usize,
    is_gone: bool,
}

/// The end of a list of links.
const END: u32 = u32::MAX;

/// What was learned about the rest of a component; the search can be paused.
pub(super) struct Learner<'a, A> {
    arena: &'a A,
    /// the places of nodes that are not decided, the largest priority first
    pub(super) left: Range<usize>,
    /// of places in the queue
    search: Search<u32>,
    part_of: Vec<u32>,
    tangles: Vec<Tangle>,
    /// the nodes of all tangles, with their moves
    members: Vec<(u32, u32)>,
    /// the escapes of all tangles
    escapes: Vec<u32>,
    /// by node, the tangles of which it is an escape, as a list: tangle and next link
    first_link: FxHashMap<u32, u32>,
    links: Vec<(u32, u32)>,
    /// bytes that are charged
    held: usize,
}

/// A region under construction.
struct Region {
    subgame: Subgame,
    priority: u32,
    /// where it starts in the queue, and where its heads end
    start: usize,
    heads: usize,
}

impl<'a, A: Arena> Learner<'a, A> {
    /// Nothing is known yet about these nodes, which are alive, and among which everyone can move.
    pub(super) fn new(
        arena: &'a A,
        regions: &mut Regions,
        rest: Range<usize>,
        budget: &mut Budget,
    ) -> Result<Self, Exhausted> {
        let before = budget.used();
        let nodes = &mut regions.nodes[rest.clone()];
        budget.spend(nodes.len().saturating_mul(2))?;
        // what is in order stays as it is, for those who go on afterwards
        if !nodes.is_sorted_by_key(|&node| Reverse(arena.priority(node))) {
            nodes.sort_unstable_by_key(|&node| Reverse(arena.priority(node)));
        }
        budget.charge(4 * nodes.len())?;
        Ok(Self {
            arena,
            search: Search::within(nodes.len(), Search::<u32>::UNSEEN, budget)?,
            part_of: vec![0; nodes.len()],
            left: rest,
            tangles: Vec::new(),
            members: Vec::new(),
            escapes: Vec::new(),
            first_link: FxHashMap::default(),
            links: Vec::new(),
            held: budget.used() - before,
        })
    }

    /// Decides nodes until the budget has counted this many steps, or none is left. Those that are
    /// not decided are alive then, and `left` has their places. Others may decide some of them
    /// before the search goes on: a tangle some of whose nodes are decided is none any more, and
    /// the rest of the game is one in which everyone can move.
    pub(super) fn run(
        &mut self,
        regions: &mut Regions,
        limit: u64,
        budget: &mut Budget,
    ) -> Result<(), Exhausted> {
        let before = budget.used();
        while !self.left.is_empty() && budget.spent() <= limit {
            let learned = self.pass(regions, budget)?;
            assert!(learned, "a pass finds a tangle");
            self.compact(regions, budget)?;
        }
        self.held += budget.used() - before;
        Ok(())
    }

    /// Gives its memory back.
    pub(super) fn free(self, budget: &mut Budget) {
        budget.release(self.held);
    }

    /// Divides what is left into regions, and decides what is won by any of them. Whether there was
    /// such a one, or at least a new tangle.
    fn pass(&mut self, regions: &mut Regions, budget: &mut Budget) -> Result<bool, Exhausted> {
        regions.queue.clear();
        let (mut is_first, mut learned) = ([true; 2], false);
        let mut won: [Vec<u32>; 2] = Default::default();
        let (mut next, mut depth) = (self.left.start, 0);
        while let Some(region) = self.region(regions, &mut next, depth, budget)? {
            depth += 1;
            let player = Player::of(region.subgame.mark);
            let is_highest = std::mem::replace(&mut is_first[player as usize], false);
            if !self.is_closed(regions, &region, budget)? {
                continue;
            }
            let won = &mut won[player as usize];
            if is_highest {
                let nodes = &regions.queue[region.start..];
                budget.reserve(won, nodes.len())?;
                won.extend(nodes);
                continue;
            }
            let known = self.tangles.len();
            self.learn(regions, &region, won, budget)?;
            learned |= self.tangles.len() > known;
        }
        for (player, won) in Player::BOTH.into_iter().zip(won) {
            if !won.is_empty() {
                learned = true;
                self.win(regions, player, &won, budget)?;
            }
            budget.free(won);
        }
        Ok(learned)
    }

    /// Builds the next region from the first node on that is in none.
    fn region(
        &mut self,
        regions: &mut Regions,
        next: &mut usize,
        depth: u32,
        budget: &mut Budget,
    ) -> Result<Option<Region>, Exhausted> {
        let from = *next;
        let alive = |&place: &usize| regions.level[regions.nodes[place] as usize] == ALIVE;
        let Some(first) = (from..self.left.end).find(alive) else { return Ok(None) };
        let priority = self.arena.priority(regions.nodes[first]);
        let player = Player::of(priority);
        let mark = OTHER + 2 * depth + player.number();
        let subgame = Subgame { floor: ALIVE, low: ALIVE, high: ALIVE, mark, compared: u32::MAX };
        let start = regions.queue.len();
        *next = first;
        while *next < self.left.end {
            let node = regions.nodes[*next];
            if regions.level[node as usize] == ALIVE {
                if Player::of(self.arena.priority(node)) != player {
                    break;
                }
                regions.seed(node, subgame);
            }
            *next += 1;
        }
        budget.spend(1 + *next - from)?;
        let heads = regions.queue.len();
        self.attract(regions, subgame, start, priority, budget)?;
        Ok(Some(Region { subgame, priority, start, heads }))
    }

    /// Attracts nodes and tangles of at most this priority.
    fn attract(
        &mut self,
        regions: &mut Regions,
        subgame: Subgame,
        from: usize,
        priority: u32,
        budget: &mut Budget,
    ) -> Result<(), Exhausted> {
        let (mut done, mut by_tangles) = (from, from);
        loop {
            regions.attract(self.arena, subgame, done, budget)?;
            done = regions.queue.len();
            if self.links.is_empty() {
                return Ok(());
            }
            budget.spend(done - by_tangles)?;
            while by_tangles < regions.queue.len() && regions.queue.len() == done {
                let node = regions.queue[by_tangles];
                by_tangles += 1;
                let mut link = self.first_link.get(&node).copied().unwrap_or(END);
                while link != END {
                    let (tangle, next) = self.links[link as usize];
                    self.attract_tangle(regions, subgame, tangle as usize, priority, budget)?;
                    link = next;
                }
            }
            if regions.queue.len() == done {
                return Ok(());
            }
        }
    }

    /// Attracts a tangle, if it is one of the player's of at most this priority and the opponent
    /// cannot leave it for elsewhere.
    fn attract_tangle(
        &mut self,
        regions: &mut Regions,
        subgame: Subgame,
        tangle: usize,
        priority: u32,
        budget: &mut Budget,
    ) -> Result<(), Exhausted> {
        let player = Player::of(subgame.mark);
        let tangle = &mut self.tangles[tangle];
        budget.spend(1)?;
        if tangle.is_gone || tangle.player != player || tangle.priority > priority {
            return Ok(());
        }
        // beside the attractor, the player's regions above are good, or what the player has won
        let most = if subgame.mark < OTHER { OTHER } else { ALIVE };
        let escapes = &self.escapes[tangle.escapes.clone()];
        let (first, second) = escapes.split_at(tangle.hint);
        let level = |node: u32| regions.level[node as usize];
        let blocks = |&node: &u32| {
            let level = level(node);
            level != subgame.mark && !(level < most && Player::of(level) == player)
        };
        let blocking = match second.iter().position(blocks) {
            Some(place) => Some(tangle.hint + place),
            None => first.iter().position(blocks),
        };
        budget.spend(blocking.map_or(escapes.len(), |place| place.abs_diff(tangle.hint)))?;
        tangle.hint = blocking.unwrap_or(0);
        if blocking.is_some() {
            return Ok(());
        }
        let members = &self.members[tangle.members.clone()];
        budget.spend(2 * members.len())?;
        let is_decided = |level: u32| level < OTHER && level != subgame.mark;
        if members.iter().any(|&(node, _)| is_decided(level(node))) {
            tangle.is_gone = true;
            return Ok(());
        }
        let is_lost = |level: u32| level < ALIVE && Player::of(level) != player;
        if subgame.mark >= OTHER && members.iter().any(|&(node, _)| is_lost(level(node))) {
            return Ok(());
        }
        for &(node, next) in members {
            if subgame.is_outside(regions.level[node as usize]) {
                if self.arena.owner(node) == player {
                    regions.strategy[node as usize] = next;
                }
                regions.seed(node, subgame);
            }
        }
        Ok(())
    }

    /// Whether the player can stay at all heads of a region and the opponent cannot leave one for a
    /// node below. Gives heads of the player a move that stays.
    fn is_closed(
        &self,
        regions: &mut Regions,
        region: &Region,
        budget: &mut Budget,
    ) -> Result<bool, Exhausted> {
        let mark = region.subgame.mark;
        for place in region.start..region.heads {
            let node = regions.queue[place];
            let successors = self.arena.successors(node);
            budget.spend(1 + successors.len())?;
            let level = |next: u32| regions.level[next as usize];
            if self.arena.owner(node) != Player::of(mark) {
                if successors.iter().any(|&next| level(next) == ALIVE) {
                    return Ok(false);
                }
                continue;
            }
            let Some(&next) = successors.iter().find(|&&next| level(next) == mark) else {
                return Ok(false);
            };
            regions.strategy[node as usize] = next;
        }
        Ok(true)
    }

    /// Decides nodes that a player has won, and all that they attract.
    fn win(
        &mut self,
        regions: &mut Regions,
        player: Player,
        won: &[u32],
        budget: &mut Budget,
    ) -> Result<(), Exhausted> {
        let mark = Subgame::at_depth(1, player).mark;
        let all = Subgame { floor: OTHER, low: OTHER, high: ALIVE, mark, compared: u32::MAX };
        regions.queue.clear();
        for &node in won {
            regions.seed(node, all);
        }
        self.attract(regions, all, 0, u32::MAX, budget)
    }

    /// Lets all nodes that are not decided be in no region, and puts them first.
    fn compact(&mut self, regions: &mut Regions, budget: &mut Budget) -> Result<(), Exhausted> {
        budget.spend(self.left.len())?;
        let mut end = self.left.start;
        for place in self.left.clone() {
            let level = &mut regions.level[regions.nodes[place] as usize];
            if is_open(*level) {
                *level = ALIVE;
                regions.nodes.swap(place, end);
                end += 1;
            }
        }
        self.left.end = end;
        Ok(())
    }
}
