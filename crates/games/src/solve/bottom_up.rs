//! Games are solved component by component, successors first.
//!
//! By default, priority promotion first gets as many steps for the whole game as finding components
//! takes; most games are solved then. What follows is for the rest.
//!
//! When a component is reached, all that can be reached from it is decided, and the attractors of
//! both regions were taken out of it, so that in the rest everyone can move within the rest. Three
//! cases are linear, or nearly so: all priorities favour one player, who wins (so alternation-free
//! games are solved in O(n + m)); only one player has a choice (`solitaire.rs`); nothing is left.
//! All else is a matter for the solver that was asked for.

use super::components::components;
use super::promotion::Promotion;
use super::regions::{ALIVE, Regions, Subgame, WAITING};
use super::tangles::Learner;
use super::{Solver, measures, solitaire, zielonka};
use crate::arena::Arena;
use crate::{Player, Solution};
use loris_base::{Budget, Exhausted};
use std::ops::Range;

/// Solves a game.
pub(super) fn solve(arena: &impl Arena, solver: Solver, budget: &mut Budget) -> Result<Solution, Exhausted> {
    let mut regions = Regions::new(arena.len(), budget)?;
    regions.dead_ends(arena, budget)?;
    if solver == Solver::Auto {
        at_once(arena, &mut regions, budget)?;
    }
    let mut nodes = std::mem::take(&mut regions.nodes);
    nodes.clear();
    let ends = components(arena, &mut regions, 0..arena.len() as u32, &mut nodes, budget)?;
    regions.nodes = nodes;
    let mut start = 0;
    for last in 0..regions.nodes.len() {
        if ends.contains(last as u32) {
            component(arena, &mut regions, start..last + 1, solver, budget)?;
            start = last + 1;
        }
    }
    budget.release(ends.bytes());
    regions.finish(arena, budget)
}

/// Steps per node and edge for a game as a whole: most games are solved in less, which costs no
/// more than to find their components.
const AT_ONCE: u64 = 8;

/// Tries priority promotion on the whole game. What it decides is decided.
fn at_once(arena: &impl Arena, regions: &mut Regions, budget: &mut Budget) -> Result<(), Exhausted> {
    let mut edges = 0;
    for node in 0..arena.len() as u32 {
        if regions.level[node as usize] == ALIVE {
            edges += arena.successors(node).len();
            regions.nodes.push(node);
        }
    }
    budget.spend(arena.len())?;
    let rest = 0..regions.nodes.len();
    let limit = budget.spent() + AT_ONCE * (edges + rest.len()) as u64;
    let mut promotion = Promotion::new(arena, regions, rest, budget)?;
    promotion.run(regions, limit, budget)?;
    promotion.free(regions, budget)?;
    for &node in &regions.nodes {
        let level = &mut regions.level[node as usize];
        if *level != ALIVE {
            *level &= 1;
        }
    }
    Ok(())
}

/// Solves the rest of a component, and attracts all that is waiting to it.
fn component(
    arena: &impl Arena,
    regions: &mut Regions,
    all: Range<usize>,
    solver: Solver,
    budget: &mut Budget,
) -> Result<(), Exhausted> {
    // the nodes that are left come first
    let mut end = all.start;
    for place in all.clone() {
        let node = regions.nodes[place];
        if regions.level[node as usize] == WAITING {
            regions.level[node as usize] = ALIVE;
            regions.nodes.swap(place, end);
            end += 1;
        }
    }
    budget.spend(all.len())?;
    let rest = all.start..end;
    if rest.is_empty() {
        return Ok(());
    }
    rest_of_component(arena, regions, rest.clone(), solver, budget)?;
    for place in rest.clone() {
        regions.level[regions.nodes[place] as usize] &= 1;
    }
    for winner in Player::BOTH {
        regions.queue.clear();
        for place in rest.clone() {
            let node = regions.nodes[place];
            if regions.winner(node) == winner {
                regions.queue.push(node);
            }
        }
        regions.attract(arena, Subgame::whole(winner), 0, budget)?;
    }
    budget.spend(3 * rest.len())
}

/// Decides nodes that are alive, among which everyone can move.
fn rest_of_component(
    arena: &impl Arena,
    regions: &mut Regions,
    rest: Range<usize>,
    solver: Solver,
    budget: &mut Budget,
) -> Result<(), Exhausted> {
    let mut favoured = [false; 2];
    for &node in &regions.nodes[rest.clone()] {
        favoured[arena.priority(node) as usize % 2] = true;
    }
    budget.spend(rest.len())?;
    if favoured != [true, true] {
        // whoever is favoured stays in the component
        let whole = Subgame::at_depth(1, Player::of(favoured[1].into()));
        for place in rest.clone() {
            regions.level[regions.nodes[place] as usize] = whole.mark;
        }
        regions.stay(arena, rest, whole);
        return Ok(());
    }
    if let Some(player) = solitaire::only_player(arena, regions, rest.clone(), budget)? {
        return solitaire::solitaire(arena, regions, rest, player, budget);
    }
    let mut left = rest;
    for player in Player::BOTH {
        left = solitaire::own_cycles(arena, regions, left, player, budget)?;
    }
    if left.is_empty() {
        return Ok(());
    }
    match solver {
        Solver::Auto => auto(arena, regions, left, PATIENCE, budget),
        Solver::Zielonka => zielonka::zielonka(arena, regions, left, budget),
        Solver::PriorityPromotion => {
            let mut promotion = Promotion::new(arena, regions, left, budget)?;
            promotion.run(regions, u64::MAX, budget)?;
            promotion.free(regions, budget)
        }
        Solver::TangleLearning => {
            let mut learner = Learner::new(arena, regions, left, budget)?;
            learner.run(regions, u64::MAX, budget)?;
            learner.free(budget);
            Ok(())
        }
        Solver::ProgressMeasures => measures::measures(arena, regions, left, budget),
    }
}

/// Steps per node and edge of a first turn: a few dozen suffice on most games.
const PATIENCE: u64 = 25;

/// Decides nodes by tangle learning and by priority promotion, whose bad cases are not the same, in
/// turn. Both go on where they were. A first turn has this many steps per node and edge, and turns
/// grow by a quarter; whoever has decided a tenth of the nodes gets as much time again. So all
/// takes little more than twice as many steps as the better of the two would alone.
pub(super) fn auto(
    arena: &impl Arena,
    regions: &mut Regions,
    rest: Range<usize>,
    patience: u64,
    budget: &mut Budget,
) -> Result<(), Exhausted> {
    let edges: usize = regions.nodes[rest.clone()].iter().map(|&node| arena.successors(node).len()).sum();
    budget.spend(rest.len())?;
    let mut steps = patience.saturating_mul((rest.len() + edges) as u64);
    let mut promotion = Promotion::new(arena, regions, rest.clone(), budget)?;
    let mut learner = Learner::new(arena, regions, rest, budget)?;
    loop {
        let paused = promotion.pause(regions, budget)?;
        learner.left = promotion.left.clone();
        loop {
            let before = learner.left.len();
            let limit = budget.spent().saturating_add(steps);
            learner.run(regions, limit, budget)?;
            if learner.left.is_empty() || !is_progress(before, learner.left.len()) {
                break;
            }
        }
        promotion.resume(regions, paused, learner.left.clone(), budget)?;
        loop {
            let before = promotion.undecided();
            let limit = budget.spent().saturating_add(steps);
            if promotion.run(regions, limit, budget)? {
                learner.free(budget);
                return promotion.free(regions, budget);
            }
            if !is_progress(before, promotion.undecided()) {
                break;
            }
        }
        steps = steps.saturating_add(1 + steps / 4);
    }
}

/// Whether a solver has decided enough of the nodes to go on: a tenth of them.
fn is_progress(before: usize, after: usize) -> bool {
    before - after > before / 10
}
