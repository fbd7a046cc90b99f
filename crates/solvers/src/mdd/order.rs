//! Orders of levels that keep events short.

use super::relation::Kronecker;
use super::sift::{Group, Groups, LOOKS_PER_STEP, Sifting};
use loris_base::{Budget, Exhausted};

/// Rounds of moving levels to the middle of their events.
const ROUNDS: usize = 60;

/// A search for orders of the parts of a system, which can pause.
pub struct Orders {
    groups: Groups,
    stage: Stage,
    /// the best order so far, with its cost
    best: (Vec<u32>, f64),
}

/// What comes next.
enum Stage {
    /// to pull from a beginning with this number
    Begin(usize),
    /// to pull once more, in this round
    Pull {
        start: usize,
        order: Vec<u32>,
        round: usize,
    },
    Sift(Sifting),
}

/// The number of beginnings.
const STARTS: usize = 3;

impl Orders {
    /// Nothing is computed yet.
    pub fn new(system: &Kronecker) -> Self {
        let count = system.sizes.len();
        let mut events: Vec<Vec<u32>> = system
            .events
            .iter()
            .map(|event| event.locals.iter().map(|&(level, _)| level).collect::<Vec<_>>())
            .filter(|levels| levels.len() > 1)
            .collect();
        events.sort_unstable();
        // events of the same levels become one relation, so they count little more than once
        let mut groups: Vec<Group> = Vec::new();
        for levels in events {
            match groups.last_mut() {
                Some((last, weight)) if *last == levels => *weight += 1.0,
                _ => groups.push((levels, 1.0)),
            }
        }
        for (_, weight) in &mut groups {
            *weight = weight.sqrt();
        }
        let natural: Vec<u32> = (0..count as u32).collect();
        let least = cost(&natural, &groups);
        Self { groups: Groups::new(count, groups), stage: Stage::Begin(0), best: (natural, least) }
    }

    /// Orders from the first level to the last, the most promising first, all different. In the
    /// first two, events have few levels between their first and their last: parts move towards the
    /// middle of their events until the order is stable (after Aloul, Markov and Sakallah), from
    /// several beginnings, and are then sifted; they are the reverse of each other. The third is
    /// the order of the system. In the last, large parts come before small ones, by powers of two,
    /// and else in the first order: small parts often are variables that follow the large ones, and
    /// few sets of their values occur below those.
    ///
    /// # Errors
    /// The budget ran out; the next call goes on from there, and finds the same.
    pub fn run(&mut self, system: &Kronecker, budget: &mut Budget) -> Result<Vec<Vec<u32>>, Exhausted> {
        loop {
            budget.look()?;
            match &mut self.stage {
                Stage::Sift(sifting) => {
                    let best = sifting.run(&self.groups, budget)?;
                    return Ok(with_others(best, system));
                }
                Stage::Begin(STARTS) => {
                    let best = self.best.0.clone();
                    self.stage = Stage::Sift(Sifting::new(best, &self.groups));
                }
                Stage::Begin(start) => {
                    let start = *start;
                    let order = match start {
                        0 => (0..system.sizes.len() as u32).collect(),
                        1 => by_neighbours(&self.groups),
                        _ => by_size(system),
                    };
                    self.stage = Stage::Pull { start, order, round: 0 };
                }
                Stage::Pull { start, order, round } => {
                    for candidate in [order.clone(), order.iter().rev().copied().collect()] {
                        let cost = cost(&candidate, &self.groups.list);
                        if cost < self.best.1 {
                            self.best = (candidate, cost);
                        }
                    }
                    let next = pull(order, &self.groups.list);
                    self.stage = if next == *order || *round + 1 == ROUNDS {
                        Stage::Begin(*start + 1)
                    } else {
                        Stage::Pull { start: *start, order: next, round: *round + 1 }
                    };
                    // after the round, so that each call gets further
                    budget.spend(3 * self.groups.width() / LOOKS_PER_STEP)?;
                }
            }
        }
    }
}
fn by_size(system: &Kronecker) -> Vec<u32> {
    let mut order: Vec<u32> = (0..system.sizes.len() as u32).collect();
    order.sort_by_key(|&part| system.sizes[part as usize]);
    order
}

/// The order with its reverse and two others.
fn with_others(best: Vec<u32>, system: &Kronecker) -> Vec<Vec<u32>> {
    let natural: Vec<u32> = (0..best.len() as u32).collect();
    let reverse = best.iter().rev().copied().collect();
    let mut orders: Vec<Vec<u32>> = Vec::new();
    let mut large_first: Vec<u32> = best.clone();
    large_first.sort_by_key(|&part| std::cmp::Reverse(system.sizes[part as usize].checked_ilog2()));
    for order in [best, reverse, natural, large_first] {
        if !orders.contains(&order) {
            orders.push(order);
        }
    }
    orders
}

/// Parts in the order of a search through the events, from the part with the fewest.
fn by_neighbours(groups: &Groups) -> Vec<u32> {
    let count = groups.of.len();
    let degree =
        |part: u32| groups.of[part as usize].iter().map(|&group| groups.parts(group).len()).sum::<usize>();
    let mut roots: Vec<u32> = (0..count as u32).collect();
    roots.sort_by_cached_key(|&part| degree(part));
    let (mut seen, mut passed) = (vec![false; count], vec![false; groups.list.len()]);
    let mut order: Vec<u32> = Vec::with_capacity(count);
    for root in roots {
        if !std::mem::replace(&mut seen[root as usize], true) {
            order.push(root);
        }
        let mut next = order.len() - 1;
        while next < order.len() {
            let part = order[next];
            next += 1;
            for &group in &groups.of[part as usize] {
                if std::mem::replace(&mut passed[group as usize], true) {
                    continue;
                }
                for &level in groups.parts(group) {
                    if !std::mem::replace(&mut seen[level as usize], true) {
                        order.push(level);
                    }
                }
            }
        }
    }
    order
}

/// The place of each part.
fn places(order: &[u32]) -> Vec<f64> {
    let mut places = vec![0.0; order.len()];
    for (place, &part) in order.iter().enumerate() {
        places[part as usize] = place as f64;
    }
    places
}

/// How many levels events span; where equal, how deep they end.
fn cost(order: &[u32], groups: &[Group]) -> f64 {
    let places = places(order);
    let mut sum = 0.0;
    for (levels, weight) in groups {
        let of = |level: &u32| places[*level as usize];
        let first = levels.iter().map(of).fold(f64::INFINITY, f64::min);
        let last = levels.iter().map(of).fold(0.0, f64::max);
        sum += weight * (last - first + 0.1 * last);
    }
    sum
}

/// Each part in the middle of the middles of its events.
fn pull(order: &[u32], groups: &[Group]) -> Vec<u32> {
    let places = places(order);
    let mut sums = vec![(0.0, 0.0); order.len()];
    for (levels, weight) in groups {
        let middle = levels.iter().map(|&level| places[level as usize]).sum::<f64>() / levels.len() as f64;
        for &level in levels {
            let (sum, weights) = &mut sums[level as usize];
            *sum += weight * middle;
            *weights += weight;
        }
    }
    let middles: Vec<f64> = sums
        .iter()
        .zip(&places)
        .map(|(&(sum, weights), &place)| if weights > 0.0 { sum / weights } else { place })
        .collect();
    let mut next = order.to_vec();
    next.sort_by(|&a, &b| middles[a as usize].total_cmp(&middles[b as usize]));
    next
}
