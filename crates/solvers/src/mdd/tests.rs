//! Random sets and systems against explicit ones, with garbage collected all the time.
//!
//! `LORIS_CASES=5000 cargo test -p loris-solvers mdd` tries more of them.

use super::{Event, ImageDirection, Kronecker, Orders, Relation, Set, Store};
use loris_base::{Budget, Exhausted, Rng};
use loris_testing::cases;
use std::collections::BTreeSet;

type Tuples = BTreeSet<Vec<u32>>;

fn random_system(rng: &mut Rng) -> Kronecker {
    let levels = 1 + rng.below(5);
    let sizes: Vec<u32> = (0..levels).map(|_| 1 + rng.below(4) as u32).collect();
    let initial = sizes.iter().map(|&size| rng.below(size as usize) as u32).collect();
    let events = (0..rng.below(8))
        .map(|_| {
            let mut locals = Vec::new();
            for (level, &size) in (0..).zip(&sizes) {
                if rng.chance(0.5) {
                    let pairs: BTreeSet<(u32, u32)> = (0..=rng.below(4))
                        .map(|_| (rng.below(size as usize) as u32, rng.below(size as usize) as u32))
                        .collect();
                    locals.push((level, pairs.into_iter().collect()));
                }
            }
            Event { locals }
        })
        .collect();
    Kronecker { sizes, initial, events }
}

fn all_tuples(sizes: &[u32]) -> Tuples {
    let mut tuples = vec![Vec::new()];
    for &size in sizes {
        tuples = tuples
            .into_iter()
            .flat_map(|tuple| (0..size).map(move |value| [tuple.clone(), vec![value]].concat()))
            .collect();
    }
    tuples.into_iter().collect()
}

fn random_tuples(rng: &mut Rng, sizes: &[u32]) -> Tuples {
    let share = [0.05, 0.3, 0.9, 1.0][rng.below(4)];
    all_tuples(sizes).into_iter().filter(|_| rng.chance(share)).collect()
}

fn is_step(event: &Event, from: &[u32], to: &[u32]) -> bool {
    (0..from.len()).all(|level| match event.locals.iter().find(|(known, _)| *known as usize == level) {
        Some((_, pairs)) => pairs.contains(&(from[level], to[level])),
        None => from[level] == to[level],
    })
}

fn image(system: &Kronecker, from: &Tuples, within: &Tuples, direction: ImageDirection) -> Tuples {
    let step = |a: &Vec<u32>, b: &Vec<u32>| match direction {
        ImageDirection::Forward => system.events.iter().any(|event| is_step(event, a, b)),
        ImageDirection::Backward => system.events.iter().any(|event| is_step(event, b, a)),
    };
    within.iter().filter(|to| from.iter().any(|from| step(from, to))).cloned().collect()
}

fn make(store: &mut Store, tuples: &Tuples, budget: &mut Budget) -> Set {
    let mut set = store.empty();
    for tuple in tuples {
        let one = store.tuple(tuple, budget).unwrap();
        set = store.union(&set, &one, budget).unwrap();
    }
    set
}

fn check(store: &Store, set: &Set, expected: &Tuples) {
    let mut budget = Budget::unlimited();
    let found: Tuples =
        all_tuples(store.sizes()).into_iter().filter(|tuple| store.contains(set, tuple)).collect();
    assert_eq!(&found, expected);
    assert_eq!(store.exact_count(set, &mut budget), Ok(Some(expected.len() as u128)));
    assert_eq!(store.count(set, &mut budget), Ok(expected.len() as f64));
    assert_eq!(store.first(set), expected.first().cloned());
    for (level, values) in store.values(set).into_iter().enumerate() {
        let expected: BTreeSet<u32> = expected.iter().map(|tuple| tuple[level]).collect();
        assert_eq!(values, expected.into_iter().collect::<Vec<_>>());
    }
    assert_eq!(set.is_empty(), expected.is_empty());
    assert_eq!(set.is_all(), expected.len() == all_tuples(store.sizes()).len());
}

#[test]
fn operations_agree_with_explicit_sets() {
    for seed in 0..cases(300) {
        let mut rng = Rng::new(seed);
        let mut budget = Budget::unlimited();
        let system = random_system(&mut rng);
        let mut store = Store::new(system.sizes.clone());
        let (a, b) = (random_tuples(&mut rng, &system.sizes), random_tuples(&mut rng, &system.sizes));
        store.table.collect_often(rng.below(4));
        let (set_a, set_b) = (make(&mut store, &a, &mut budget), make(&mut store, &b, &mut budget));
        check(&store, &set_a, &a);
        check(&store, &set_b, &b);
        let union = store.union(&set_a, &set_b, &mut budget).unwrap();
        check(&store, &union, &(&a | &b));
        store.table.collect_often(rng.below(4));
        let intersection = store.intersection(&set_a, &set_b, &mut budget).unwrap();
        check(&store, &intersection, &(&a & &b));
        let difference = store.difference(&set_a, &set_b, &mut budget).unwrap();
        check(&store, &difference, &(&a - &b));
        let all = store.all();
        let others = store.difference(&all, &set_a, &mut budget).unwrap();
        check(&store, &others, &(&all_tuples(&system.sizes) - &a));
        check(&store, &set_a, &a);
        let rebuilt = make(&mut store, &a, &mut budget);
        assert_eq!(rebuilt, set_a, "equal sets have equal handles");
    }
}

#[test]
fn products_are_local() {
    for seed in 0..cases(300) {
        let mut rng = Rng::new(seed);
        let mut budget = Budget::unlimited();
        let system = random_system(&mut rng);
        let mut store = Store::new(system.sizes.clone());
        let mut locals: Vec<(u32, Vec<u32>)> = Vec::new();
        for (level, &size) in (0..).zip(&system.sizes) {
            if rng.chance(0.5) {
                locals.push((level, (0..size).filter(|_| rng.chance(0.6)).collect()));
            }
        }
        let borrowed: Vec<_> = locals.iter().map(|(level, values)| (*level, &values[..])).collect();
        let set = store.product(&borrowed, &mut budget).unwrap();
        let fits =
            |tuple: &Vec<u32>| locals.iter().all(|(level, values)| values.contains(&tuple[*level as usize]));
        check(&store, &set, &all_tuples(&system.sizes).into_iter().filter(fits).collect());
    }
}

#[test]
fn images_and_closures_agree_with_search() {
    for seed in 0..cases(300) {
        let mut rng = Rng::new(seed);
        let mut budget = Budget::unlimited();
        let system = random_system(&mut rng);
        let mut store = Store::new(system.sizes.clone());
        let direction = if rng.chance(0.5) { ImageDirection::Forward } else { ImageDirection::Backward };
        let relation = store.relation(&system.events, direction, &mut budget).unwrap();
        for _ in 0..3 {
            let from = random_tuples(&mut rng, &system.sizes);
            let within = if rng.chance(0.5) {
                all_tuples(&system.sizes)
            } else {
                random_tuples(&mut rng, &system.sizes)
            };
            let (set, limit) = (make(&mut store, &from, &mut budget), make(&mut store, &within, &mut budget));
            store.table.collect_often(rng.below(4));
            // whatever ends early leaves the store as it should be
            for _ in 0..rng.below(4) {
                let mut little = Budget::new(None, Some(rng.below(3000)));
                let _ = store.closure(&set, &limit, &relation, &mut little);
            }
            let step = store.image(&set, &limit, &relation, &mut budget).unwrap();
            check(&store, &step, &image(&system, &from, &within, direction));
            let closure = store.closure(&set, &limit, &relation, &mut budget).unwrap();
            let mut expected = from.clone();
            loop {
                let more = &expected | &image(&system, &expected, &within, direction);
                if more == expected {
                    break;
                }
                expected = more;
            }
            check(&store, &closure, &expected);
        }
    }
}

/// Counters of three values in a row, each of which moves when the one after it wraps.
fn counters(levels: u32) -> Kronecker {
    let mut events = vec![Event { locals: vec![(levels - 1, vec![(0, 1), (1, 2)])] }];
    for level in 1..levels {
        let mut locals = vec![(level - 1, vec![(0, 1), (1, 2)])];
        locals.extend((level..levels).map(|level| (level, vec![(2, 0)])));
        events.push(Event { locals });
    }
    Kronecker { sizes: vec![3; levels as usize], initial: vec![0; levels as usize], events }
}

#[test]
fn limits_hold_inside_and_leave_the_store_usable() {
    let system = counters(60);
    let reach = |store: &mut Store, budget: &mut Budget| {
        let relation = store.relation(&system.events, ImageDirection::Forward, budget)?;
        let start = store.tuple(&system.initial, budget)?;
        let all = store.all();
        store.closure(&start, &all, &relation, budget)
    };
    let mut store = Store::new(system.sizes.clone());
    assert_eq!(reach(&mut store, &mut Budget::steps(0)).map(|_| ()), Err(Exhausted::Time));
    assert_eq!(reach(&mut store, &mut Budget::new(None, Some(1000))).map(|_| ()), Err(Exhausted::Memory));
    let reached = reach(&mut store, &mut Budget::unlimited()).unwrap();
    assert_eq!(store.exact_count(&reached, &mut Budget::unlimited()), Ok(Some(3_u128.pow(60))));
}

/// Numbers in a row, of which neighbours change places: all orders are reached.
fn swaps(levels: u32) -> Kronecker {
    let mut events = Vec::new();
    for level in 1..levels {
        for one in 0..levels {
            for other in (0..levels).filter(|&other| other != one) {
                events.push(Event {
                    locals: vec![(level - 1, vec![(one, other)]), (level, vec![(other, one)])],
                });
            }
        }
    }
    Kronecker { sizes: vec![levels; levels as usize], initial: (0..levels).collect(), events }
}

/// A closure by turns, each with a number of steps less those that the function gives, which does
/// other work between them; and the steps of all turns.
fn by_turns(
    store: &mut Store,
    (set, within): (&Set, &Set),
    relation: &Relation,
    turn: u64,
    mut between: impl FnMut(&mut Store) -> usize,
) -> (Set, u64) {
    let mut spent = 0;
    loop {
        // limits are looked at every few thousand steps: what is spent before makes a turn shorter
        let mut budget = Budget::unlimited();
        budget.spend(between(store)).unwrap();
        let before = budget.spent();
        let mut budget = budget.slice(turn);
        let found = store.closure(set, within, relation, &mut budget);
        spent += budget.spent() - before;
        match found {
            Ok(closed) => return (closed, spent),
            Err(why) => assert_eq!(why, Exhausted::Time),
        }
    }
}

#[test]
fn closures_go_on_where_a_limit_ended_them() {
    for seed in 0..cases(60) {
        let mut rng = Rng::new(seed);
        let budget = &mut Budget::unlimited();
        let levels = 5 + rng.below(3) as u32;
        let mut system = swaps(levels);
        system.events.retain(|_| rng.chance(0.8));
        let mut store = Store::new(system.sizes.clone());
        let start = store.tuple(&system.initial, budget).unwrap();
        let other = store.tuple(&vec![1, 0, 2, 3, 4, 5, 6][..levels as usize], budget).unwrap();
        let mut within = store.all();
        for _ in 0..rng.below(3) {
            let some: Vec<(u32, Vec<u32>)> =
                (0..levels).filter(|_| rng.chance(0.5)).map(|level| (level, vec![1, 2, 4])).collect();
            let some: Vec<_> = some.iter().map(|(level, values)| (*level, &values[..])).collect();
            let hole = store.product(&some, budget).unwrap();
            within = store.difference(&within, &hole, budget).unwrap();
        }
        // relations of their own share nothing that was computed
        let [relation, fresh] =
            [(); 2].map(|()| store.relation(&system.events, ImageDirection::Forward, budget).unwrap());
        store.table.collect_often(1 + rng.below(200));
        let mut most = 0.0_f64;
        let (found, _) = by_turns(&mut store, (&start, &within), &relation, 10_000, |store| {
            most = most.max(store.count_paused(&mut Budget::unlimited()).unwrap());
            // another closure by turns, too, and operations that leave garbage
            let _ = store.closure(&other, &within, &relation, &mut Budget::unlimited().slice(10_000));
            store.union(&start, &other, &mut Budget::unlimited()).unwrap();
            rng.below(4096)
        });
        let whole = store.closure(&start, &within, &fresh, budget).unwrap();
        assert_eq!(found, whole, "seed {seed}");
        let others = store.closure(&other, &within, &fresh, budget).unwrap();
        let counts = [&whole, &others].map(|set| store.count(set, budget).unwrap());
        assert!(most <= counts[0].max(counts[1]), "seed {seed}: {most} of {counts:?}");
    }
}

#[test]
fn turns_take_no_more_steps_than_one_call() {
    let system = swaps(9);
    let reach = |turn: u64| {
        let budget = &mut Budget::unlimited();
        let mut store = Store::new(system.sizes.clone());
        let relation = store.relation(&system.events, ImageDirection::Forward, budget).unwrap();
        let start = store.tuple(&system.initial, budget).unwrap();
        let all = store.all();
        let mut turns = 0;
        let (_, spent) = by_turns(&mut store, (&start, &all), &relation, turn, |_| {
            turns += 1;
            0
        });
        (turns, spent)
    };
    let ((_, whole), (turns, parts)) = (reach(u64::MAX), reach(100_000));
    assert!(turns > 10, "{turns} turns");
    assert!(parts < whole + whole / 4, "{parts} steps by turns, {whole} at once");
}

/// Copies of a line of memory: each part shares it, or one owns it. All parts take every event.
fn copies(parts: u32) -> Kronecker {
    let event = |mover: u32, own: &[(u32, u32)], other: &[(u32, u32)]| Event {
        locals: (0..parts).map(|part| (part, if part == mover { own } else { other }.to_vec())).collect(),
    };
    let load = |part| event(part, &[(0, 1)], &[(0, 0), (1, 1), (2, 1)]);
    let store = |part| event(part, &[(0, 2), (1, 2)], &[(0, 0), (1, 0), (2, 0)]);
    let events = (0..parts).flat_map(|part| [load(part), store(part)]).collect();
    Kronecker { sizes: vec![3; parts as usize], initial: vec![0; parts as usize], events }
}

#[test]
fn events_of_all_parts_take_polynomial_time() {
    let system = copies(40);
    let budget = &mut Budget::steps(50_000_000);
    let mut store = Store::new(system.sizes.clone());
    let relation = store.relation(&system.events, ImageDirection::Forward, budget).unwrap();
    let start = store.tuple(&system.initial, budget).unwrap();
    let all = store.all();
    let reached = store.closure(&start, &all, &relation, budget).unwrap();
    // any set of parts shares the line, or one part owns it
    assert_eq!(store.exact_count(&reached, budget), Ok(Some(2_u128.pow(40) + 40)));
}

#[test]
fn what_is_charged_is_what_is_held() {
    let mut rng = Rng::new(7);
    let sizes = vec![4; 6];
    let mut budget = Budget::unlimited();
    let mut store = Store::new(sizes.clone());
    let before = store.bytes();
    let set = make(&mut store, &random_tuples(&mut rng, &sizes), &mut budget);
    assert_eq!(store.bytes() - before, budget.used());
    assert!(store.size(&set) > 10 && store.peak_nodes() >= store.size(&set));
}

/// The orders, which are the same when they are searched for by turns.
fn orders_of(system: &Kronecker) -> Vec<Vec<u32>> {
    let whole = Orders::new(system).run(system, &mut Budget::unlimited()).unwrap();
    let mut search = Orders::new(system);
    let by_turns = (0..10_000).find_map(|_| search.run(system, &mut Budget::unlimited().slice(1)).ok());
    assert_eq!(by_turns.as_ref(), Some(&whole));
    whole
}

#[test]
fn the_order_puts_a_ring_back_together() {
    // parts 0, 2, 4, 1, 3, 5 in a row, each with an event with the next
    let row = [0_u32, 2, 4, 1, 3, 5];
    let events = row
        .windows(2)
        .map(|pair| {
            let mut locals: Vec<_> = pair.iter().map(|&part| (part, vec![(0, 1)])).collect();
            locals.sort_unstable();
            Event { locals }
        })
        .collect();
    let system = Kronecker { sizes: vec![2; 6], initial: vec![0; 6], events };
    let found = orders_of(&system).swap_remove(0);
    let reversed: Vec<u32> = row.iter().rev().copied().collect();
    assert!(found == row || found == reversed, "{found:?}");
}

#[test]
fn large_parts_come_first_in_the_last_order() {
    let sizes = vec![2, 9, 3, 8, 2, 15];
    let events = (1..6).map(|part| Event { locals: vec![(part - 1, vec![(0, 1)]), (part, vec![(0, 1)])] });
    let system = Kronecker { sizes: sizes.clone(), initial: vec![0; 6], events: events.collect() };
    let orders = orders_of(&system);
    let last: Vec<u32> = orders[orders.len() - 1].iter().map(|&part| sizes[part as usize]).collect();
    let expected: [&[u32]; 2] = [&[9, 8, 15, 2, 3, 2], &[15, 8, 9, 2, 3, 2]];
    assert!(expected.contains(&&last[..]), "{last:?}");
}
