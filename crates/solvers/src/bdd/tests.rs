//! Random operations on functions of six variables, against truth tables of 64 bits, with garbage
//! collected and variables sifted at random.
//!
//! `LORIS_CASES=100000 cargo test --release -p loris-solvers` tries more of them.

use super::{Bdd, Policy, Store};
use loris_base::{Budget, Exhausted, Rng, VALUES_IN_64};
use loris_testing::cases;

/// The truth tables of the six variables: bit `v` of a table is the value under valuation `v`.
const TABLES: [u64; 6] = VALUES_IN_64;

/// The table where a variable has a value.
fn cofactor(table: u64, var: usize, value: bool) -> u64 {
    let shift = 1 << var;
    if value {
        let kept = table & TABLES[var];
        kept | kept >> shift
    } else {
        let kept = table & !TABLES[var];
        kept | kept << shift
    }
}

fn exists(table: u64, vars: usize) -> u64 {
    (0..6)
        .filter(|var| vars >> var & 1 == 1)
        .fold(table, |table, var| cofactor(table, var, true) | cofactor(table, var, false))
}

fn choose(condition: u64, then: u64, otherwise: u64) -> u64 {
    condition & then | !condition & otherwise
}

/// Replaces variables by functions, valuation by valuation.
fn replace(table: u64, by: &[(u32, u64)]) -> u64 {
    (0..64).fold(0, |result, valuation| {
        let image =
            by.iter().fold(valuation, |image, &(var, by)| image & !(1 << var) | (by >> valuation & 1) << var);
        result | (table >> image & 1) << valuation
    })
}

fn table_of(store: &Store, f: &Bdd) -> u64 {
    (0..64).fold(0, |table, valuation: u64| {
        table | u64::from(store.evaluate(f, |var| valuation >> var & 1 == 1)) << valuation
    })
}

struct World {
    store: Store,
    known: Vec<(Bdd, u64)>,
}

impl World {
    fn new(rng: &mut Rng) -> Self {
        let policy =
            Policy { collect_at: 16 + rng.below(40), sift_at: rng.chance(0.5).then(|| rng.below(60)) };
        let mut store = Store::new(policy);
        for _ in 0..6 {
            store.variable();
        }
        if rng.chance(0.2) {
            // variables come in another order
            store = Store::new(policy);
            store.variable();
            for above in 0..5 {
                store.variable_above(rng.below(above + 1) as u32);
            }
        } else if rng.chance(0.5) {
            store.group(&[2, 3]);
            store.group(&[4, 5]);
        }
        let known = (0..6).map(|var| (store.literal(var, true), TABLES[var as usize])).collect();
        Self { store, known }
    }

    fn draw(&self, rng: &mut Rng) -> (Bdd, u64) {
        let (f, table) = &self.known[rng.below(self.known.len())];
        let flip = rng.chance(0.5);
        (f.negated_if(flip), if flip { !table } else { *table })
    }

    /// One operation, with the expected result; `None` where the care set decides.
    fn operate(&mut self, rng: &mut Rng, budget: &mut Budget) -> Result<(Bdd, u64), Exhausted> {
        let ((f, of_f), (g, of_g), (h, of_h)) = (self.draw(rng), self.draw(rng), self.draw(rng));
        let vars = rng.below(64);
        let cube = |vars: usize| (0..6).filter(move |var| vars >> var & 1 == 1).map(|var| (var, true));
        let store = &mut self.store;
        Ok(match rng.below(9) {
            0 => (store.and(&f, &g, budget)?, of_f & of_g),
            1 => (store.or(&f, &g, budget)?, of_f | of_g),
            2 => (store.xor(&f, &g, budget)?, of_f ^ of_g),
            3 => (store.ite(&f, &g, &h, budget)?, choose(of_f, of_g, of_h)),
            4 => {
                let cube = store.cube(cube(vars), budget)?;
                (store.exists(&f, &cube, budget)?, exists(of_f, vars))
            }
            5 => {
                let cube = store.cube(cube(vars), budget)?;
                (store.and_exists(&f, &g, &cube, budget)?, exists(of_f & of_g, vars))
            }
            6 => {
                let by: Vec<_> = cube(vars).map(|(var, _)| (var, self.draw(rng))).collect();
                let tables: Vec<(u32, u64)> = by.iter().map(|(var, (_, table))| (*var, *table)).collect();
                let store = &mut self.store;
                let substitution = store.substitution(by.into_iter().map(|(var, (f, _))| (var, f)));
                (store.substitute(&f, &substitution, budget)?, replace(of_f, &tables))
            }
            way => {
                let made = if way == 7 {
                    let restricted = store.restrict(&f, &g, budget)?;
                    let (before, after) = (store.support([&f]), store.support([&restricted]));
                    assert!(after.iter().all(|var| before.contains(var)), "no new variable");
                    restricted
                } else {
                    store.constrain(&f, &g, budget)?
                };
                let table = table_of(store, &made);
                assert_eq!(table & of_g, of_f & of_g & if of_g == 0 { 0 } else { u64::MAX });
                (made, table)
            }
        })
    }

    fn check(&self, f: &Bdd, table: u64) {
        let store = &self.store;
        assert_eq!(table_of(store, f), table);
        let depends =
            |var: &u32| cofactor(table, *var as usize, true) != cofactor(table, *var as usize, false);
        let mut support = store.support([f]);
        support.sort_unstable();
        assert_eq!(support, (0..6).filter(depends).collect::<Vec<u32>>());
        let count = store.log2_count(f, 6).exp2();
        assert!((count - f64::from(table.count_ones())).abs() < 1e-6);
        match store.pick(f) {
            None => assert_eq!(table, 0),
            Some(values) => {
                let cube = values.iter().fold(u64::MAX, |cube, &(var, value)| {
                    cube & if value { TABLES[var as usize] } else { !TABLES[var as usize] }
                });
                assert!(cube & !table == 0 && cube != 0);
            }
        }
        // equal functions have equal handles
        for (other, of_other) in &self.known {
            assert_eq!(of_other == &table, other == f);
        }
    }
}

#[test]
fn operations_agree_with_truth_tables() {
    for seed in 0..cases(1500) {
        let rng = &mut Rng::new(seed);
        let mut world = World::new(rng);
        for _ in 0..40 {
            let (made, table) = world.operate(rng, &mut Budget::unlimited()).expect("no limit");
            world.check(&made, table);
            if world.known.len() > 20 {
                world.known.swap_remove(rng.below(20));
            }
            world.known.push((made, table));
            match rng.below(12) {
                0 => world.store.collect(),
                1 => world.store.sift(&mut Budget::unlimited()).expect("no limit"),
                _ => {}
            }
            world.store.table.validate();
        }
        for (f, table) in &world.known {
            assert_eq!(table_of(&world.store, f), *table, "handles keep their functions");
        }
    }
}

#[test]
fn groups_stay_together() {
    let rng = &mut Rng::new(7);
    let mut store = Store::new(Policy::default());
    let vars: Vec<u32> = (0..20).map(|_| store.variable()).collect();
    for pair in vars.chunks(2) {
        store.group(pair);
    }
    let budget = &mut Budget::unlimited();
    // far partners attract each other
    let mut f = store.constant(false);
    for at in 0..10_u32 {
        let (a, b) = (store.literal(at, true), store.literal(19 - at, rng.chance(0.5)));
        let both = store.and(&a, &b, budget).expect("no limit");
        f = store.or(&f, &both, budget).expect("no limit");
    }
    let before = store.size([&f]);
    store.sift(budget).expect("no limit");
    let order = store.order();
    assert!(order.chunks(2).all(|pair| pair[0] / 2 == pair[1] / 2 && pair[0] < pair[1]), "{order:?}");
    assert!(2 * store.size([&f]) < before, "{} of {before}", store.size([&f]));
}

/// The sum of products of distant variables, whose size is exponential in this order and linear in
/// another.
fn products(store: &mut Store, pairs: u32, budget: &mut Budget) -> Result<Bdd, Exhausted> {
    let mut f = store.constant(false);
    for at in 0..pairs {
        let (a, b) = (store.literal(at, true), store.literal(pairs + at, true));
        let both = store.and(&a, &b, budget)?;
        f = store.or(&f, &both, budget)?;
    }
    Ok(f)
}

#[test]
fn sifting_finds_good_orders() {
    let mut store = Store::new(Policy::default());
    for _ in 0..40 {
        store.variable();
    }
    // without sifting, this takes two million nodes
    let f = products(&mut store, 20, &mut Budget::unlimited()).expect("no limit");
    store.sift(&mut Budget::unlimited()).expect("no limit");
    assert!(store.size([&f]) < 200, "{}", store.size([&f]));
    store.table.validate();
}

/// Whether a weighted sum of variables has a remainder: a function that is the same size in every
/// order.
fn remainder(store: &mut Store, weights: &[usize], modulus: usize, budget: &mut Budget) -> Bdd {
    let mut is: Vec<Bdd> = (0..modulus).map(|rest| store.constant(rest == 0)).collect();
    for (var, weight) in weights.iter().enumerate() {
        let var = store.literal(var as u32, true);
        let next = |rest: usize, store: &mut Store, budget: &mut Budget| {
            store.ite(&var, &is[(rest + modulus - weight % modulus) % modulus], &is[rest], budget)
        };
        is = (0..modulus).map(|rest| next(rest, store, budget).expect("no limit")).collect();
    }
    is.swap_remove(0)
}

/// An operation whose result is large in every order is not started again for ever.
#[test]
fn sifting_gives_up() {
    let mut store = Store::new(Policy { collect_at: 64, sift_at: Some(64) });
    for _ in 0..60 {
        store.variable();
    }
    let budget = &mut Budget::steps(100_000_000);
    let ones = remainder(&mut store, &[1; 60], 13, budget);
    let weights: Vec<usize> = (1..61).collect();
    let weighted = remainder(&mut store, &weights, 17, budget);
    let before = store.size([&ones, &weighted]);
    let both = store.and(&ones, &weighted, budget).expect("ends");
    assert!(store.size([&both]) > 4 * before, "{} of {before}", store.size([&both]));
}

#[test]
fn limits_hold_inside_operations() {
    let fixed = Policy { sift_at: None, ..Policy::default() };
    for (budget, why) in
        [(Budget::steps(20_000), Exhausted::Time), (Budget::new(None, Some(1 << 20)), Exhausted::Memory)]
    {
        let mut store = Store::new(fixed);
        for _ in 0..40 {
            store.variable();
        }
        let got = products(&mut store, 20, &mut budget.clone());
        assert_eq!(got.map(|f| store.size([&f])), Err(why));
        store.table.validate();
        // the store works on with more
        let f = products(&mut store, 10, &mut Budget::unlimited()).expect("no limit");
        assert!(store.evaluate(&f, |var| var == 3 || var == 13));
    }
    // sifting ends in time, too
    let mut store = Store::new(fixed);
    for _ in 0..24 {
        store.variable();
    }
    let f = products(&mut store, 12, &mut Budget::unlimited()).expect("no limit");
    assert_eq!(store.sift(&mut Budget::steps(100)), Err(Exhausted::Time));
    store.table.validate();
    assert!(store.evaluate(&f, |var| var == 3 || var == 15));
}

/// A memory limit is not reached by garbage.
#[test]
fn garbage_is_collected_inside_operations() {
    let rng = &mut Rng::new(3);
    let mut store = Store::new(Policy { collect_at: 256, sift_at: None });
    let budget = &mut Budget::new(None, Some(400_000));
    for _ in 0..24 {
        store.variable();
    }
    for _ in 0..2000 {
        let mut f = store.constant(false);
        for _ in 0..8 {
            let literals: Vec<(u32, bool)> = (0..24).map(|var| (var, rng.chance(0.5))).collect();
            let cube = store.cube(literals, budget).expect("little is live");
            f = store.or(&f, &cube, budget).expect("little is live");
        }
    }
    assert!(store.table.collections > 10);
}

#[test]
fn orders_may_be_deep() {
    let mut store = Store::new(Policy { sift_at: Some(200_000), ..Policy::default() });
    let budget = &mut Budget::unlimited();
    let vars: Vec<u32> = (0..30_000).map(|_| store.variable()).collect();
    let all = store.cube(vars.iter().map(|&var| (var, true)), budget).expect("no limit");
    let none = store.cube(vars.iter().map(|&var| (var, false)), budget).expect("no limit");
    let either = store.or(&all, &none, budget).expect("no limit");
    let differ = store.xor(&all, &none, budget).expect("no limit");
    assert_eq!(either, differ);
    assert!((store.log2_count(&either, vars.len()) - 1.0).abs() < 1e-9);
    let odd = store.cube(vars.iter().filter(|var| *var % 2 == 1).map(|&var| (var, true)), budget);
    let odd = odd.expect("no limit");
    let left = store.exists(&either, &odd, budget).expect("no limit");
    assert_eq!(store.support([&left]).len(), 15_000);
    let product = store.and_exists(&either, &all, &odd, budget).expect("no limit");
    assert_eq!(store.size([&product]), 15_000);
    let by: Vec<(u32, Bdd)> = (0..15_000).map(|at| (2 * at, store.literal(2 * at + 1, true))).collect();
    let shift = store.substitution(by);
    let shifted = store.substitute(&product, &shift, budget).expect("no limit");
    assert_eq!(shifted, odd);
    let chosen = store.ite(&either, &left, &odd, budget).expect("no limit");
    let simple = store.restrict(&chosen, &either, budget).expect("no limit");
    let agree = store.and(&simple, &either, budget).expect("no limit");
    let meant = store.and(&left, &either, budget).expect("no limit");
    assert_eq!(agree, meant);
    store.sift(budget).expect("no limit");
    store.collect();
    assert_eq!(store.pick(&all).expect("satisfiable").len(), vars.len());
}
