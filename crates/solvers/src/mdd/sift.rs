//! Better orders of levels by sifting: each part is moved to the place where the events cost least.
//!
//! An event costs the levels between its first and its last, times the part of all levels that lie
//! below its first: events that begin far above change many nodes (weighted event spans, after
//! Siminiescu and Ciardo, *New Metrics for Static Variable Ordering in Decision Diagrams*). Rudell
//! sifts the diagrams themselves; here only this cost is looked at, which is known before there is
//! any diagram. A swap of neighbours costs as many steps as their events have parts.

/// Some parts that take events together, and how much these count.
pub(super) type Group = (Vec<u32>, f64);

/// Steps that sifting may take: some tens of milliseconds.
const STEPS: usize = 1 << 23;

/// Rounds in which every part is moved once, at most.
const ROUNDS: usize = 8;

/// What is less than this is an error of rounding.
const LEAST: f64 = 1e-9;

/// An order under way.
struct Sifting<'g> {
    groups: &'g [Group],
    /// the groups that each part belongs to
    of: Vec<Vec<u32>>,
    order: Vec<u32>,
    /// the place of each part
    places: Vec<u32>,
    costs: Vec<f64>,
    steps: usize,
}

/// An order that costs no more than the given one.
pub(super) fn sift(order: Vec<u32>, groups: &[Group]) -> Vec<u32> {
    let count = order.len();
    let mut of = vec![Vec::new(); count];
    for (group, (parts, _)) in (0..).zip(groups) {
        for &part in parts {
            of[part as usize].push(group);
        }
    }
    let mut places = vec![0; count];
    for (place, &part) in (0..).zip(&order) {
        places[part as usize] = place;
    }
    let costs = vec![0.0; groups.len()];
    let mut sifting = Sifting { groups, of, order, places, costs, steps: 0 };
    for group in 0..groups.len() {
        sifting.costs[group] = sifting.cost(group);
    }
    for _ in 0..ROUNDS {
        let mut gained = 0.0;
        for part in 0..count as u32 {
            gained += sifting.move_part(part);
            if sifting.steps > STEPS {
                return sifting.order;
            }
        }
        if gained < LEAST {
            break;
        }
    }
    sifting.order
}

impl Sifting<'_> {
    fn cost(&self, group: usize) -> f64 {
        let (parts, weight) = &self.groups[group];
        let places = parts.iter().map(|&part| self.places[part as usize]);
        let (first, last) =
            places.fold((u32::MAX, 0), |(first, last), place| (first.min(place), last.max(place)));
        let count = self.order.len() as f64;
        weight * f64::from(last.saturating_sub(first)) * (1.0 - f64::from(first) / count)
    }

    /// Swaps what is at a place with what is at the next; by how much it costs more then.
    fn swap(&mut self, place: usize) -> f64 {
        let (one, other) = (self.order[place], self.order[place + 1]);
        self.order.swap(place, place + 1);
        (self.places[one as usize], self.places[other as usize]) = (place as u32 + 1, place as u32);
        let mut more = 0.0;
        for part in [one, other] {
            for index in 0..self.of[part as usize].len() {
                let group = self.of[part as usize][index] as usize;
                self.steps += self.groups[group].0.len();
                let cost = self.cost(group);
                more += cost - self.costs[group];
                self.costs[group] = cost;
            }
        }
        more
    }

    /// Moves a part to the first and to the last place, then to the best one; what that gains.
    fn move_part(&mut self, part: u32) -> f64 {
        let start = self.places[part as usize] as usize;
        let last = self.order.len() - 1;
        let (mut cost, mut least, mut best) = (0.0, -LEAST, start);
        for place in (0..start).rev() {
            cost += self.swap(place);
            if cost < least {
                (least, best) = (cost, place);
            }
        }
        for place in 0..last {
            cost += self.swap(place);
            if cost < least {
                (least, best) = (cost, place + 1);
            }
        }
        for place in (best..last).rev() {
            self.swap(place);
        }
        if best == start { 0.0 } else { -least }
    }
}

#[cfg(test)]
mod tests {
    use super::{Group, sift};
    use loris_base::Rng;
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
            let found = sift(start.clone(), &groups);
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
