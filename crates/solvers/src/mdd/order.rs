//! Orders of levels that keep events short.

use super::relation::Kronecker;
use super::sift::{Group, sift};

/// Rounds of moving levels to the middle of their events.
const ROUNDS: usize = 60;

/// Orders of the parts of a system from the first level to the last, the most promising first, all
/// different. In the first two, events have few levels between their first and their last: parts
/// move towards the middle of their events until the order is stable (after Aloul, Markov and
/// Sakallah), from several beginnings, and are then sifted; they are the reverse of each other. The
/// third is the order of the system. In the last, large parts come before small ones, by powers of
/// two, and else in the first order: small parts often are variables that follow the large ones,
/// and few sets of their values occur below those.
pub fn orders(system: &Kronecker) -> Vec<Vec<u32>> {
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
    let mut best = natural.clone();
    let mut least = cost(&best, &groups);
    for start in [natural.clone(), by_neighbours(count, &groups), by_size(system)] {
        let mut order = start;
        for _ in 0..ROUNDS {
            for candidate in [order.clone(), order.iter().rev().copied().collect()] {
                let cost = cost(&candidate, &groups);
                if cost < least {
                    (best, least) = (candidate, cost);
                }
            }
            let next = pull(&order, &groups);
            if next == order {
                break;
            }
            order = next;
        }
    }
    let best = sift(best, &groups);
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

fn by_size(system: &Kronecker) -> Vec<u32> {
    let mut order: Vec<u32> = (0..system.sizes.len() as u32).collect();
    order.sort_by_key(|&part| system.sizes[part as usize]);
    order
}

/// Parts in the order of a search through the events, from the part with the fewest.
fn by_neighbours(count: usize, groups: &[Group]) -> Vec<u32> {
    let mut degrees = vec![0_usize; count];
    for (levels, _) in groups {
        for &level in levels {
            degrees[level as usize] += levels.len();
        }
    }
    let mut roots: Vec<u32> = (0..count as u32).collect();
    roots.sort_by_key(|&part| degrees[part as usize]);
    let mut seen = vec![false; count];
    let mut order: Vec<u32> = Vec::with_capacity(count);
    for root in roots {
        if !std::mem::replace(&mut seen[root as usize], true) {
            order.push(root);
        }
        let mut next = order.len() - 1;
        while next < order.len() {
            let part = order[next];
            next += 1;
            for (levels, _) in groups.iter().filter(|(levels, _)| levels.contains(&part)) {
                for &level in levels {
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
