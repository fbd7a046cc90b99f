//! The work of engines, counted in steps, on families where it must grow with the machine; and
//! verdicts on machines with more entries and exits than the other tests have.
#![allow(clippy::unwrap_used)]

use loris_base::{Budget, Rng};
use loris_logic::{Core, RandomCtl, parse};
use loris_recursive::{EngineSettings, Prepared, Property};
use loris_rsm::Rsm;
use loris_rsm::generate::{Choices, ContextChain, Ladder, LargeRsm, RandomRsm, Sequence, StaggeredExits};
use loris_testing::recursion::engines::{EAGER, Engine, LAZY, RANDOM, TERNARY};
use loris_testing::recursion::text::build;

const TABLES: [Engine; 4] = [Engine::Summary, LAZY, TERNARY, EAGER];

fn property<'a>(rsm: &Rsm, formula: &'a Core) -> Property<'a> {
    Property { formula, atoms: formula.atoms().iter().map(|atom| rsm.label(atom)).collect() }
}

fn core(text: &str) -> Core {
    Core::star(&parse(text).unwrap()).unwrap()
}

/// The verdict of an engine, and the steps it took.
fn decide(rsm: &Rsm, formula: &Core, engine: Engine) -> (bool, u64) {
    let mut budget = Budget::unlimited();
    let prepared = Prepared::new(rsm);
    let outcome =
        engine.check(&prepared, &property(rsm, formula), &EngineSettings::default(), &mut budget).unwrap();
    (outcome.holds, budget.spent())
}

/// Twice the machine takes little more than twice the work, by every engine; all agree.
fn check(make: impl Fn(usize) -> Rsm, size: usize, text: &str) {
    check_with(&TABLES, make, size, text);
}

fn check_with(engines: &[Engine], make: impl Fn(usize) -> Rsm, size: usize, text: &str) {
    let formula = core(text);
    let (small, large) = (make(size), make(2 * size));
    let mut verdicts = Vec::new();
    for &engine in engines {
        let ((_, before), (holds, after)) =
            (decide(&small, &formula, engine), decide(&large, &formula, engine));
        verdicts.push(holds);
        assert!(
            10 * after <= 23 * before + 100_000,
            "{engine:?} on {text}: {before} steps, then {after} for a machine twice as large"
        );
    }
    verdicts.dedup();
    assert_eq!(verdicts.len(), 1, "{text}");
}

const PROPERTIES: [&str; 7] = [
    "E F q",
    "A G (p -> E F q)",
    "A G (deep -> E F q)",
    "E [ !p U q ]",
    "A F q",
    "E G !q",
    "A G (p -> E [ !q U (q & E X q) ])",
];

#[test]
fn staggered_exits() {
    for entries in [false, true] {
        for text in PROPERTIES {
            check(|exits| StaggeredExits { exits, entries }.to_rsm(), 2000, text);
        }
    }
}

#[test]
fn ladders() {
    for text in PROPERTIES {
        check(|components| Ladder { components }.to_rsm(), 2000, text);
    }
}

#[test]
fn sequences() {
    for text in PROPERTIES {
        for callees in [1, usize::MAX] {
            check(|calls| Sequence { calls, callees }.to_rsm(), 2000, text);
        }
    }
}

#[test]
fn deep_chains() {
    let chain = |recursive| move |depth| ContextChain { depth, exits: 1, recursive }.to_rsm(&mut Rng::new(1));
    for text in ["E F even", "A G (deep -> E F even)", "A F even", "E G !even", "A G (work -> A F even)"] {
        check(chain(false), 2000, text);
        check(chain(true), 2000, text);
    }
}

/// A choice at random costs no more than all of them. (Where chance decides how many contexts there
/// are, nothing can be said.)
#[test]
fn random_choices() {
    let engines = [RANDOM, TERNARY];
    for text in ["A G (p -> E F q)", "A G (deep -> E F q)"] {
        check_with(&engines, |components| Ladder { components }.to_rsm(), 2000, text);
    }
    for text in ["E F q", "A F q"] {
        check_with(&engines, |calls| Sequence { calls, callees: 1 }.to_rsm(), 2000, text);
        check_with(&engines, |calls| Sequence { calls, callees: calls }.to_rsm(), 2000, text);
    }
    let chain = |depth| ContextChain { depth, exits: 1, recursive: false }.to_rsm(&mut Rng::new(1));
    for text in ["A G (deep -> E F even)", "A F even"] {
        check_with(&engines, chain, 2000, text);
    }
}

/// `count` times what `of` makes of a number, joined.
fn many(count: usize, join: &str, of: impl Fn(usize) -> String) -> String {
    (0..count).map(of).collect::<Vec<_>>().join(join)
}

/// One vertex with many successors, each a call; after each comes the next.
fn hub(n: usize) -> Rsm {
    let (targets, rest) =
        (many(n, ", ", |i| format!("b{i}[H]")), many(n - 1, "; ", |i| format!("b{i} -> b{}", i + 1)));
    build(&format!("M: s -> {targets}; {rest}; b{} -> t{{q}} -> t\nH: e{{p}} -> x!", n - 1))
}

/// The same without calls, forwards or backwards.
fn flat_hub(n: usize, forwards: bool) -> Rsm {
    let name = |i: usize| if forwards { i } else { n - 1 - i };
    let targets = many(n, ", ", |i| format!("b{i}{{p}}"));
    let rest = many(n - 1, "; ", |i| format!("b{} -> b{}", name(i), name(i + 1)));
    build(&format!("M: s -> {targets}; {rest}; b{} -> t{{q}} -> t", name(n - 1)))
}

/// A chain of calls whose components are also called by the first, which goes on elsewhere.
fn fan_and_chain(n: usize) -> Rsm {
    let (targets, returns) =
        (many(n, ", ", |i| format!("b{i}[C{i}]")), many(n, "; ", |i| format!("b{i} -> t")));
    let chain = many(n - 1, "\n", |i| format!("C{i}: e -> b[C{}] -> x!", i + 1));
    build(&format!("M: s -> {targets}; {returns}; t -> t\n{chain}\nC{}: e{{p deep}} -> x!", n - 1))
}

/// A chain of calls whose components all call another one at two places, one of which knows what
/// follows.
fn helper(n: usize) -> Rsm {
    let link = |i: usize| {
        format!("C{i}: e -> h[H], k[H]; h -> b[C{}] -> x!; k -> t{} -> t", i + 1, ["", "{q}"][i % 2])
    };
    let chain = many(n - 1, "\n", link);
    build(&format!("M: s -> b[C0] -> t{{q}} -> t\n{chain}\nC{}: e{{deep}} -> x!\nH: e{{p}} -> x!", n - 1))
}

/// A component with many exits; behind each return comes a call, and then the call behind the next.
fn exits_in_turn(n: usize) -> Rsm {
    let (returns, rest) = (
        many(n, "; ", |i| format!("c.x{i} -> b{i}[H]")),
        many(n - 1, "; ", |i| format!("b{i} -> b{}", i + 1)),
    );
    let exits = many(n, "; ", |i| format!("n{i} -> x{i}!, n{}", (i + 1).min(n - 1)));
    build(&format!(
        "M: s -> c[C]; {returns}; {rest}; b{} -> t{{q}} -> t\nC: e -> n0; {exits}\nH: e{{p}} -> x!",
        n - 1
    ))
}

/// A component with many entries, each of which is called from a box of its own.
fn entries_in_turn(n: usize) -> Rsm {
    let calls = many(n - 1, "; ", |i| format!("b{i}[C] -> b{}.e{}", i + 1, i + 1));
    let entries = many(n, "; ", |i| format!("e{i}?{} -> x!", if i == 3 { "{p}" } else { "" }));
    build(&format!("M: s -> b0.e0; {calls}; b{}[C] -> t{{q}} -> t\nC: {entries}", n - 1))
}

/// A chain of calls whose links are two components that call each other.
fn pairs(n: usize) -> Rsm {
    let link = |i: usize| {
        format!("A{i}: e -> b[B{i}], m; b -> m -> x!, n[A{}]; n -> x\nB{i}: e -> a[A{i}], x!; a -> x", i + 1)
    };
    let chain = many(n - 1, "\n", link);
    build(&format!("M: s -> b[A0] -> t{{q}} -> t\n{chain}\nA{}: e{{p deep}} -> x!", n - 1))
}

#[test]
fn waits_for_many() {
    for text in PROPERTIES {
        check(pairs, 800, text);
        check(hub, 1000, text);
        check(|n| flat_hub(n, true), 1000, text);
        check(|n| flat_hub(n, false), 1000, text);
        check(fan_and_chain, 1000, text);
        check(helper, 1000, text);
        check(exits_in_turn, 1000, text);
        check(entries_in_turn, 1000, text);
    }
}

/// Rows over many entries and exits, forwards and backwards, spread in order.
#[test]
fn engines_agree_on_many_exits() {
    let shares = [(0.3, 0.3), (0.02, 0.4), (0.4, 0.02), (0.25, 0.35), (0.35, 0.25)];
    for seed in 0..60 {
        let mut rng = Rng::new(seed);
        let (entries, exits) = shares[seed as usize % shares.len()];
        let labels = ["a", "b", "c"].map(|label| (label.to_owned(), 0.7)).to_vec();
        let density = if seed % 2 == 0 { 0.02 } else { 0.05 };
        let random = RandomRsm { components: 3, boxes: 2, nodes: 40, entries, exits, labels, density };
        let rsm = random.to_rsm(&mut rng);
        for depth in 1..=2 {
            let text = RandomCtl::new(depth).generate(&mut rng).to_string();
            let formula = core(&text);
            let verdicts = TABLES.map(|engine| decide(&rsm, &formula, engine).0);
            assert!(verdicts.iter().all(|&holds| holds == verdicts[0]), "seed {seed}, {text}: {verdicts:?}");
        }
    }
}

/// Formulas that depend on the stack each in its own way, together in one property, take about as
/// much work as one after the other.
#[test]
fn conjuncts_do_not_multiply() {
    let depth = 24;
    let rsm = Choices { depth }.to_rsm();
    let each = |of: fn(usize) -> String, join: &str| (0..depth).map(of).collect::<Vec<_>>().join(join);
    let tautology = |i: usize| format!("(E F q{i} | E G !q{i})");
    let single: u64 = (0..depth)
        .map(|i| decide(&rsm, &core(&format!("A G (deep -> {})", tautology(i))), Engine::Summary).1)
        .sum();
    let together = [
        each(|i| format!("A G (deep -> (E F q{i} | E G !q{i}))"), " & "),
        format!("A G (deep -> {})", each(|i| format!("(E F q{i} | E G !q{i})"), " & ")),
        format!("!E F (deep & ({}))", each(|i| format!("A G !q{i} & A F q{i}"), " | ")),
        each(|i| format!("E F (deep & A G !q{i} & A F q{i})"), " | "),
        format!("E X E X {}", each(|i| format!("(A G !q{i} & A F q{i})"), " | ")),
    ];
    for (text, expected) in together.iter().zip([true, true, true, false, false]) {
        let (holds, steps) = decide(&rsm, &core(text), Engine::Summary);
        assert_eq!(holds, expected, "{text}");
        assert!(steps < 8 * single, "{text}: {steps} steps, {single} for all of them alone");
    }
}

/// One of two engines may need many contexts where the other needs none: in turns they take little
/// more than the better one, and a batch takes no more than its properties alone.
#[test]
fn no_worse_than_the_better_engine() {
    let labels = (0..8).map(|i| (format!("l{i}"), 0.3)).collect();
    let large = LargeRsm {
        edges: 80_000,
        degree: 4.0,
        nodes_per_component: 200,
        boxes_per_component: 8,
        exits_per_component: 60,
        recursion: 0.1,
        labels,
        goals: 0.05,
    };
    let rsm = large.to_rsm(&mut Rng::new(3));
    let asked = [[6, 5, 0], [1, 2, 3], [7, 0, 4], [2, 6, 1], [3, 1, 7], [0, 4, 5]];
    let formulas = asked.map(|[a, b, c]| core(&format!("A G (l{a} -> E [ !l{b} U (l{c} & goal) ])")));
    let settings = EngineSettings::default();
    let mut singles = 0;
    for formula in &formulas {
        let mut budget = Budget::unlimited();
        let prepared = Prepared::new(&rsm);
        let (_, found) = prepared.decide(&property(&rsm, formula), &settings, &mut budget).unwrap();
        let (holds, lazy) = decide(&rsm, formula, LAZY);
        let (_, summary) = decide(&rsm, formula, Engine::Summary);
        assert_eq!(found.holds, holds);
        let better = lazy.min(summary);
        assert!(budget.spent() <= 3 * better, "{} steps in turns, {better} alone", budget.spent());
        singles += budget.spent();
    }
    let properties: Vec<Property<'_>> = formulas.iter().map(|formula| property(&rsm, formula)).collect();
    let mut budget = Budget::unlimited();
    Prepared::new(&rsm).check_batch(&properties, false, &settings, &mut budget).unwrap();
    assert!(budget.spent() <= singles, "{} steps together, {singles} alone", budget.spent());
}
