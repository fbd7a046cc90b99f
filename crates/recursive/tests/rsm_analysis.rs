//! The examples Y1 to Y8 of rsm-analysis with their answers. Labels sit on nodes here and on edges
//! there: a node that may do two letters is two nodes. Y7 is about the engine `cont` and tested
//! there, Y9 about pushdown systems with silent steps, which ours have none of.

use loris_base::{Budget, Idx};
use loris_evidence::AtExit;
use loris_logic::automaton::translate;
use loris_logic::{Core, ltl, negated_ltl, parse};
use loris_recursive::{
    Acceptance, EngineSettings, ExploreDirection, PATIENCE, Prepared, Property, Reachability, Runs,
};
use loris_rsm::{Rsm, Vertex};
use loris_testing::recursion::text::build;

const Y1: &str = "
    M: m0 -> m -> b[A] -> m; mx!
    A: e -> x!, c[A]; c -> x";

/// The next symbol pushes or pops: `c` and `r` say which, where it is chosen.
const Y2: &str = "
    M: start -> g.ec[G], g.er; g.er -> end!; g.rr -> end
    G: ec{c}? -> b.ec[G], b.er; er{r}?!; b.er -> rc{c}, rr{r}!; b.rr -> rc, rr; rc -> b.ec, b.er";

const Y3: &str = "
    M: s -> b1[A] -> u -> u; v -> b2[A] -> w -> w
    A: e -> x!";

const Y4: &str = "
    M: s -> b.e1[A]; b.x1 -> good -> good; b.x2 -> bad -> bad
    A: e1 -> x1!; e2? -> x2!";

const Y5: &str = "
    M: s -> b[A]; b.x -> u -> u
    A: e -> n -> n; x!";

/// Two entries and one exit, one entry and two exits.
const Y6: &str = "
    M: s -> b.e1[A], c[B]; b.x -> s; c.y1 -> b.e2; c.y2 -> s
    A: e1 -> x!; e2? -> x
    B: f -> y1!, y2!";

fn node(rsm: &Rsm, name: &str) -> Vertex {
    let mut nodes = rsm.components().flat_map(|component| rsm.nodes(component));
    nodes.find(|&node| rsm.vertex_name(node) == name).expect("a node of this name")
}

fn reach(rsm: &Rsm, from: &str, to: &str) -> Option<usize> {
    let mut targets = vec![false; rsm.vertex_count()];
    targets[node(rsm, to).index()] = true;
    let from = [node(rsm, from)];
    let lengths =
        [ExploreDirection::Fewer, ExploreDirection::Entries, ExploreDirection::Exits].map(|direction| {
            let search = Reachability { from: &from, targets: Some(&targets), direction, patience: PATIENCE };
            let found = Prepared::new(rsm).reach(&search, &mut Budget::unlimited()).expect("no limit");
            found.run.map(|run| run.len() - 1)
        });
    assert!(lengths.iter().all(|length| *length == lengths[0]), "{lengths:?}");
    lengths[0]
}

/// Whether a run satisfies a formula, or refutes it: of all, of bounded, of unbounded ones.
fn runs(rsm: &Rsm, formula: &str, refutes: bool) -> [bool; 3] {
    let formula = parse(formula).expect("well-formed");
    let (wanted, atoms) = if refutes { negated_ltl(&formula) } else { ltl(&formula) }.expect("LTL");
    let buchi = translate(&wanted, &mut Budget::unlimited()).expect("no limit");
    let labels: Vec<_> = atoms.iter().map(|atom| rsm.label(atom)).collect();
    [Runs::All, Runs::Bounded, Runs::Unbounded].map(|runs| {
        let question = Acceptance {
            predicates: None,
            recurrences: &[],
            buchi: &buchi,
            labels: &labels,
            runs,
            at_exit: AtExit::Stop,
            evidence: false,
            direction: ExploreDirection::Fewer,
        };
        Prepared::new(rsm).accepted(&question, &mut Budget::unlimited()).expect("no limit").is_accepted
    })
}

#[test]
fn y1_emptiness() {
    let rsm = build(Y1);
    for (to, steps) in [("m", Some(1)), ("e", Some(2)), ("x", Some(3)), ("mx", None)] {
        assert_eq!(reach(&rsm, "m0", to), steps, "{to}");
    }
    for (accepting, [bounded, unbounded]) in
        [("m", [true, false]), ("e", [true, true]), ("x", [true, false]), ("mx", [false, false])]
    {
        let found = runs(&rsm, &format!("G F {accepting}"), false);
        assert_eq!(found, [bounded || unbounded, bounded, unbounded], "F = {{{accepting}}}");
    }
}

#[test]
fn y2_three_kinds_of_runs() {
    let rsm = build(Y2);
    assert_eq!(runs(&rsm, "true", false), [true, true, true], "infinite words exist");
    for (formula, fails) in [
        ("G (c -> F r)", [true, false, true]),
        ("G F c", [false, false, false]),
        ("G F r", [true, false, true]),
    ] {
        assert_eq!(runs(&rsm, formula, true), fails, "{formula}");
    }
}

#[test]
fn y3_to_y5_reachability() {
    let rsm = build(Y3);
    assert!(reach(&rsm, "s", "u").is_some() && reach(&rsm, "s", "w").is_none());
    let rsm = build(Y4);
    assert!(reach(&rsm, "s", "good").is_some() && reach(&rsm, "s", "bad").is_none());
    let rsm = build(Y5);
    assert!(reach(&rsm, "s", "n").is_some() && reach(&rsm, "s", "u").is_none());
    assert_eq!(runs(&rsm, "G F n", false), [true, true, false]);
}

/// An entry of an exit-bound component that a run gets to by an edge a moment before it is called.
#[test]
fn an_entry_met_before_it_is_called() {
    let rsm = build(
        "
        M: s -> b.e[A], t -> c.f[A]; b.x -> u -> u; c.x -> v -> v
        A: e -> x!, n; n -> f? -> x",
    );
    assert_eq!(reach(&rsm, "s", "v"), Some(4));
    assert_eq!(reach(&rsm, "s", "u"), Some(3));
}

#[test]
fn y6_theta() {
    assert_eq!(build(Y6).theta(), 1);
    assert_eq!(build(Y4).theta(), 2);
    let rsm = build(Y6);
    let search = Reachability {
        from: rsm.initial(),
        targets: None,
        direction: ExploreDirection::Fewer,
        patience: PATIENCE,
    };
    let found = Prepared::new(&rsm).reach(&search, &mut Budget::unlimited()).expect("no limit");
    let reached = found.vertices.iter().filter(|&&reached| reached).count() as u64;
    // a fact R for each vertex, and that it is reached, for those of the exit-bound component
    assert!(found.tuples <= reached + 3, "{} facts, {reached} vertices", found.tuples);
}

#[test]
fn y8_finite_runs_go_on_in_the_sink() {
    let rsm = build(Y2);
    for (formula, holds) in
        [("E X E G c", true), ("E G F r", true), ("A G F c", false), ("A (G F c | F G !c)", true)]
    {
        let core = Core::star(&parse(formula).expect("well-formed")).expect("CTL*");
        let atoms = core.atoms().iter().map(|atom| rsm.label(atom)).collect();
        let property = Property { formula: &core, atoms };
        let settings = EngineSettings { at_exit: AtExit::Sink, seed: 0 };
        let outcome =
            Prepared::new(&rsm).summary(&property, &settings, &mut Budget::unlimited()).expect("no limit");
        assert_eq!(outcome.holds, holds, "{formula}");
    }
}
