//! Better orders of levels by sifting: each part is moved to the place where the events cost least.
//!
//! An event costs the levels between its first and its last, times the part of all levels that lie
//! below its first: events that begin far above change many nodes (weighted event spans, after
//! Siminiescu and Ciardo, *New Metrics for Static Variable Ordering in Decision Diagrams*). Rudell
//! sifts the diagrams themselves; here only this cost is looked at, which is known before there is
//! any diagram. A swap of neighbours looks at all parts of their events.

use loris_base::{Budget, Exhausted};

/// Some parts that take events together, and how much these count.
pub(super) type Group = (Vec<u32>, f64);

/// Events and the parts that take them.
pub(super) struct Groups {
    pub(super) list: Vec<Group>,
    /// the groups that each part belongs to, ascending
    pub(super) of: Vec<Vec<u32>>,
}

impl Groups {
    /// Groups of some of `count` parts.
    pub(super) fn new(count: usize, list: Vec<Group>) -> Self {
        let mut of = vec![Vec::new(); count];
        for (group, (parts, _)) in (0..).zip(&list) {
            for &part in parts {
                of[part as usize].push(group);
            }
        }
        Self { list, of }
    }

    /// The parts of a group.
    pub(super) fn parts(&self, group: u32) -> &[u32] {
        &self.list[group as usize].0
    }

    /// The parts of all groups.
    pub(super) fn width(&self) -> usize {
        self.list.iter().map(|(parts, _)| parts.len()).sum()
    }
}

/// Parts that are looked at in one step of a budget.
pub(super) const LOOKS_PER_STEP: usize = 8;

/// Parts that sifting may look at: some tens of milliseconds.
const LOOKS: usize = 1 << 23;

/// Rounds in which every part is moved once, at most.
const ROUNDS: usize = 8;

/// What is less than this is an error of rounding.
const LEAST: f64 = 1e-9;

/// An order under way.
pub(super) struct Sifting {
    order: Vec<u32>,
    /// the place of each part
    places: Vec<u32>,
    /// of groups
    costs: Vec<f64>,
    looks: usize,
    /// the part that is to be moved next, in which round, and what this round has gained
    next: u32,
    round: usize,
    gained: f64,
}

impl Sifting {
    /// Nothing has moved yet.
    pub(super) fn new(order: Vec<u32>, groups: &Groups) -> Self {
        let mut places = vec![0; order.len()];
        for (place, &part) in (0..).zip(&order) {
            places[part as usize] = place;
        }
        let mut sifting = Self { order, places, costs: Vec::new(), looks: 0, next: 0, round: 0, gained: 0.0 };
        sifting.costs = (0..groups.list.len()).map(|group| sifting.cost(groups, group)).collect();
        sifting
    }

    /// An order that costs no more than the first one. Where the budget runs out, the next call
    /// goes on from there.
    pub(super) fn run(&mut self, groups: &Groups, budget: &mut Budget) -> Result<Vec<u32>, Exhausted> {
        while self.round < ROUNDS && self.looks <= LOOKS {
            budget.look()?;
            if self.next as usize == self.order.len() {
                (self.next, self.round) = (0, if self.gained < LEAST { ROUNDS } else { self.round + 1 });
                self.gained = 0.0;
                continue;
            }
            let before = self.looks;
            self.gained += self.move_part(groups, self.next);
            self.next += 1;
            budget.spend(1 + (self.looks - before) / LOOKS_PER_STEP)?;
        }
        Ok(self.order.clone())
    }

    fn cost(&self, groups: &Groups, group: usize) -> f64 {
        let (parts, weight) = &groups.list[group];
        let places = parts.iter().map(|&part| self.places[part as usize]);
        let (first, last) =
            places.fold((u32::MAX, 0), |(first, last), place| (first.min(place), last.max(place)));
        let count = self.order.len() as f64;
        weight * f64::from(last.saturating_sub(first)) * (1.0 - f64::from(first) / count)
    }

    /// Swaps what is at a place with what is at the next; by how much it costs more then.
    fn swap(&mut self, groups: &Groups, place: usize) -> f64 {
        let (one, other) = (self.order[place], self.order[place + 1]);
        self.order.swap(place, place + 1);
        (self.places[one as usize], self.places[other as usize]) = (place as u32 + 1, place as u32);
        let mut more = 0.0;
        for part in [one, other] {
            for &group in &groups.of[part as usize] {
                let group = group as usize;
                self.looks += groups.list[group].0.len();
                let cost = self.cost(groups, group);
                more += cost - self.costs[group];
                self.costs[group] = cost;
            }
        }
        more
    }

    /// Moves a part to the first and to the last place, as long as it may look at more, then to the
    /// best one; what that gains.
    fn move_part(&mut self, groups: &Groups, part: u32) -> f64 {
        let start = self.places[part as usize] as usize;
        let (mut cost, mut least, mut best, mut here) = (0.0, -LEAST, start, start);
        let ends = (0..start).rev().map(|place| (place, place));
        let back = (0..self.order.len() - 1).map(|place| (place, place + 1));
        for (place, to) in ends.chain(back) {
            if self.looks > LOOKS {
                break;
            }
            cost += self.swap(groups, place);
            here = to;
            if cost < least {
                (least, best) = (cost, to);
            }
        }
        if self.looks > LOOKS {
            // the last move: nobody asks for costs any more
            self.order.remove(here);
            self.order.insert(best, part);
        } else {
            for place in (best..here).rev() {
                self.swap(groups, place);
            }
        }
        if best == start { 0.0 } else { -least }
    }
}

#[cfg(test)]
mod tests {
    use super::{Group, Groups, Sifting};
    use loris_base::{Budget, Rng};
    use loris_testing::cases;

    /// The cost of an order by its definition.
    fn cost(order: &[u32], groups: &[Group]) -> f64 {
        let place = |part: &u32| order.iter().position(|other| other == part).unwrap();
        let of = |(parts, weight): &Group| {
            let (first, last) = (parts.iter().map(place).min(), parts.iter().map(place).max());
            let (first, last) = (first.unwrap(), last.unwrap());
            weight * (last - first) as f64 * (order.len() - first) as f64 / order.len() as f64
        };
        groups.iter().map(of).sum()
    }

    /// Every order of some parts.
    fn orders(count: u32) -> Vec<Vec<u32>> {
        (0..count).fold(vec![Vec::new()], |orders, part| {
            let with = |order: &Vec<u32>, place: usize| [&order[..place], &[part], &order[place..]].concat();
            orders
                .iter()
                .flat_map(|order| (0..=order.len()).map(|place| with(order, place)).collect::<Vec<_>>())
                .collect()
        })
    }

    #[test]
    fn no_part_has_a_better_place() {
        for seed in 0..cases(200) {
            let mut rng = Rng::new(seed);
            let count = 2 + rng.below(5) as u32;
            let mut groups: Vec<Group> = Vec::new();
            for _ in 0..=rng.below(6) {
                let parts: Vec<u32> = (0..count).filter(|_| rng.chance(0.4)).collect();
                if !parts.is_empty() {
                    groups.push((parts, 1.0 + rng.below(3) as f64));
                }
            }
            let all = orders(count);
            let start = all[rng.below(all.len())].clone();
            let known = Groups::new(count as usize, groups.clone());
            let mut sifting = Sifting::new(start.clone(), &known);
            // in turns of one step, which is one part
            let mut found = Vec::new();
            for _ in 0..=8 * (count as usize + 1) {
                let mut slice = Budget::unlimited().slice(1);
                if let Ok(order) = sifting.run(&known, &mut slice) {
                    found = order;
                    break;
                }
            }
            let whole = Sifting::new(start.clone(), &known).run(&known, &mut Budget::unlimited());
            assert_eq!(Ok(&found), whole.as_ref(), "seed {seed}");
            let mut sorted = found.clone();
            sorted.sort_unstable();
            assert_eq!(sorted, (0..count).collect::<Vec<_>>(), "seed {seed}");
            let least = all.iter().map(|order| cost(order, &groups)).fold(f64::INFINITY, f64::min);
            let reached = cost(&found, &groups);
            assert!(reached <= cost(&start, &groups) + 1e-6 && reached >= least - 1e-6, "seed {seed}");
            for part in 0..count {
                let mut others = found.clone();
                others.retain(|&other| other != part);
                for place in 0..count as usize {
                    let mut moved = others.clone();
                    moved.insert(place, part);
                    assert!(cost(&moved, &groups) > reached - 1e-6, "seed {seed}: {found:?}, {moved:?}");
                }
            }
        }
    }
}
