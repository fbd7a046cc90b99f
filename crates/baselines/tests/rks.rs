//! The engines of recursive-kripke on random structures of their kind: against the unfolding where
//! there is one, against `summary` and `lazy` everywhere; what they refuse, and how deep they go.

use loris_base::{Budget, Exhausted, Rng};
use loris_baselines::rks::{self, Annotations, Knowledge, Rks};
use loris_evidence::AtExit;
use loris_logic::{Core, CtlCore, UnderE, parse};
use loris_recursive::{EngineSettings, MachineOutcome, Prepared, Property};
use loris_rsm::generate::LargeRsm;
use loris_rsm::{DeadEnds, Draft, Reference, Rsm, RsmBuilder, Semantics};
use loris_testing::recursion::engines::{Engine, LAZY};
use loris_testing::recursion::model::{
    Component, LABELS, Model, Role, busy, chains, formulas, models, nested_formulas,
};
use loris_testing::recursion::oracle::Unfolding;
use loris_testing::recursion::text::build;
use proptest::prelude::*;
use std::time::Duration;

/// The nodes where a component is entered and left: one each, but for a start that nothing calls.
struct Ends {
    entries: Vec<usize>,
    exit: Option<usize>,
}

impl Ends {
    fn of(component: &Component, is_called: bool) -> Self {
        let with = |roles: &[Role]| -> Vec<usize> {
            (0..component.nodes.len()).filter(|&n| roles.contains(&component.nodes[n].role)).collect()
        };
        let mut entries = with(&[Role::Entry, Role::Both]);
        if entries.is_empty() {
            entries.push(0);
        }
        entries.truncate(if is_called { 1 } else { 2 });
        let can_leave = |n: &usize| component.nodes[*n].role == Role::Both || !entries.contains(n);
        let exit = with(&[Role::Exit, Role::Both]).into_iter().find(can_leave);
        Self { entries, exit }
    }
}

/// The machine of a description, read so that it is a recursive Kripke structure: no call follows a
/// call but that of an empty procedure. Returns that nothing takes up stay where they are for ever.
fn kripke(model: &Model) -> Rsm {
    let count = model.components.len();
    let callees = |c: usize| -> Vec<usize> {
        let boxes = model.components[c].boxes.iter();
        if model.recursive {
            return boxes.map(|choice| choice % count).collect();
        }
        boxes.filter(|_| c + 1 < count).map(|choice| c + 1 + choice % (count - c - 1)).collect()
    };
    let is_called = |c: usize| c > 0 || (0..count).any(|d| callees(d).contains(&0));
    let ends: Vec<Ends> = (0..count).map(|c| Ends::of(&model.components[c], is_called(c))).collect();
    let mut builder = RsmBuilder::default();
    for (c, component) in model.components.iter().enumerate() {
        let name = builder.symbol(&format!("C{c}"));
        let mut draft = Draft::new(name, 0);
        let (mut sources, mut targets, mut returns) = (Vec::new(), Vec::new(), Vec::new());
        for (n, node) in component.nodes.iter().enumerate() {
            let name = builder.symbol(&format!("n{n}"));
            let drafted = draft.node(name, 0);
            drafted.entry = ends[c].entries.contains(&n);
            drafted.exit = ends[c].exit == Some(n);
            if ends[c].exit != Some(n) {
                sources.push(Reference::node(name, 0));
            }
            targets.push(Reference::node(name, 0));
            for (_, label) in LABELS.iter().enumerate().filter(|(i, _)| node.labels >> i & 1 == 1) {
                let label = builder.symbol(label);
                draft.label(label);
            }
        }
        let mut after = targets.clone();
        for (b, callee) in callees(c).into_iter().enumerate() {
            let site = builder.symbol(&format!("b{b}"));
            let callee_name = builder.symbol(&format!("C{callee}"));
            draft.site(site, 0, callee_name, 0);
            let mut port = |n: usize| Reference::port(site, builder.symbol(&format!("n{n}")), 0);
            targets.push(port(ends[callee].entries[0]));
            if let Some(exit) = ends[callee].exit {
                returns.push(port(exit));
                if ends[callee].entries[0] == exit {
                    after.push(port(exit));
                }
            }
        }
        let choices = |i: usize| &component.edges[i % component.edges.len()];
        let several = sources.len();
        for (i, source) in sources.into_iter().enumerate() {
            for &choice in choices(i) {
                draft.edge(source, targets[choice.wrapping_add(31 * i) % targets.len()]);
            }
        }
        for (i, source) in returns.into_iter().enumerate() {
            for &choice in choices(several + i).iter().filter(|&&choice| choice % 8 > 0) {
                draft.edge(source, after[choice.wrapping_add(31 * i) % after.len()]);
            }
        }
        builder.component(draft);
    }
    let semantics = Semantics { dead_ends: DeadEnds::Loop, ..Semantics::default() };
    builder.finish(&semantics).expect("valid by construction").0
}

/// Formulas that count steps.
fn stepping() -> impl Strategy<Value = String> {
    let literal = (0usize..3, any::<bool>())
        .prop_map(|(i, negated)| format!("{}{}", if negated { "!" } else { "" }, LABELS[i]));
    literal.prop_recursive(5, 16, 2, |inner| {
        prop_oneof![
            6 => inner.clone().prop_map(|f| format!("E X ({f})")),
            2 => inner.clone().prop_map(|f| format!("A X ({f})")),
            1 => inner.clone().prop_map(|f| format!("!({f})")),
            2 => (inner.clone(), inner.clone()).prop_map(|(f, g)| format!("(({f}) & ({g}))")),
            2 => (inner.clone(), inner.clone()).prop_map(|(f, g)| format!("(({f}) | ({g}))")),
            2 => inner.clone().prop_map(|f| format!("E G ({f})")),
            2 => inner.clone().prop_map(|f| format!("E F ({f})")),
            2 => (inner.clone(), inner).prop_map(|(f, g)| format!("E [ ({f}) U ({g}) ]")),
        ]
    })
}

fn core(text: &str) -> CtlCore {
    Core::new(&parse(text).expect("well-formed")).expect("CTL")
}

fn property<'a, P: UnderE>(rsm: &Rsm, formula: &'a Core<P>) -> Property<'a, P> {
    Property { formula, atoms: formula.atoms().iter().map(|atom| rsm.label(atom)).collect() }
}

fn run(rsm: &Rsm, engine: Rks, text: &str, at_exit: AtExit) -> MachineOutcome {
    assert_eq!(rks::unfit(rsm), None);
    let (formula, settings) = (core(text), EngineSettings { at_exit, seed: 7 });
    rks::check(engine, rsm, &property(rsm, &formula), &settings, &mut Budget::unlimited()).expect("no limit")
}

/// What an engine of `loris-recursive` answers.
fn by(engine: Engine, rsm: &Rsm, text: &str, at_exit: AtExit) -> bool {
    let formula = Core::from(core(text));
    engine.holds(&Prepared::new(rsm), &property(rsm, &formula), at_exit)
}

/// All agree; contexts over all subformulas give the same verdict and are no fewer.
fn check(model: &Model, text: &str, sink: bool) -> Result<(), TestCaseError> {
    let rsm = kripke(model);
    let at_exit = if sink { AtExit::Sink } else { AtExit::Loop };
    let summary = by(Engine::Summary, &rsm, text, at_exit);
    for engine in Rks::ALL {
        let outcome = run(&rsm, engine, text, at_exit);
        prop_assert_eq!(outcome.holds, summary, "{:?} on {}", engine, text);
        prop_assert!(outcome.components <= rsm.component_count());
    }
    prop_assert_eq!(by(LAZY, &rsm, text, at_exit), summary, "lazy on {}", text);
    let formula = core(text);
    let unfolding = if model.recursive { None } else { Unfolding::new(&rsm, at_exit, 2000) };
    if let Some(unfolding) = unfolding {
        prop_assert_eq!(unfolding.check(&formula.clone().into()), summary, "the unfolding on {}", text);
    }
    let settings = EngineSettings { at_exit, seed: 7 };
    let [needed, all] = [Annotations::Needed, Annotations::All].map(|annotations| {
        let property = property(&rsm, &formula);
        Knowledge::new(&rsm, &property, &settings, annotations, &mut Budget::unlimited()).expect("no limit")
    });
    prop_assert_eq!((needed.holds, all.holds), (summary, summary), "{}", text);
    prop_assert!(needed.pairs() <= all.pairs());
    Ok(())
}

fn config() -> ProptestConfig {
    let cases = loris_testing::cases(2_000);
    ProptestConfig { cases, failure_persistence: None, max_shrink_iters: 20_000, ..ProptestConfig::default() }
}

proptest! {
    #![proptest_config(config())]

    #[test]
    fn agree_with_the_unfolding(model in models(false), text in formulas(), sink: bool) {
        check(&model, &text, sink)?;
    }

    #[test]
    fn agree_on_recursion(model in models(true), text in formulas(), sink: bool) {
        check(&model, &text, sink)?;
    }

    #[test]
    fn agree_on_nested_formulas(model in chains(true), text in nested_formulas(), sink: bool) {
        check(&model, &text, sink)?;
    }

    #[test]
    fn agree_on_many_calls(model in busy(true), text in prop_oneof![nested_formulas(), formulas()], sink: bool) {
        check(&model, &text, sink)?;
    }

    #[test]
    fn agree_on_steps(recursive: bool, (model, text) in (chains(true), stepping()), sink: bool) {
        check(&Model { recursive, ..model }, &text, sink)?;
    }
}

/// Machines that are not recursive Kripke structures, and ones that are.
#[test]
fn refusals() {
    for (machine, why) in [
        ("A: a -> b[B] -> c!\nB: d -> e!; f? -> e", Some("component \"B\", which is called, has 2 entries")),
        ("A: a -> b[B]; b.e -> c!; b.f -> c\nB: d -> e!, f!", Some("component \"B\" has 2 exits")),
        ("A: a -> b!, c!", Some("component \"A\" has 2 exits")),
        (
            "A: a -> b[B] -> c[B] -> d!\nB: e -> f!",
            Some("in component \"A\" call \"c\" follows call \"b\" without a node between"),
        ),
        (
            "A: a -> b[B] -> b, c!\nB: e -> f!",
            Some("in component \"A\" call \"b\" follows call \"b\" without a node between"),
        ),
        ("A: a -> c!; b? -> c", None),
        ("A: a -> b[B] -> c[B] -> d!\nB: e!", None),
        ("A: a -> b[B], c!; b -> c, a\nB: e -> e, f!", None),
    ] {
        let rsm = build(machine);
        assert_eq!(rks::unfit(&rsm).as_deref(), why, "{machine}");
    }
}

/// A chain of calls, closed to a ring if there is no end to it. Components go on one step after a
/// call.
fn chain(length: usize, is_ring: bool) -> Rsm {
    let mut builder = RsmBuilder::default();
    let names = ["start", "call", "after", "end", "p", "q"].map(|name| builder.symbol(name));
    let [start, call, after, end, p, q] = names;
    let components: Vec<_> = (0..length).map(|i| builder.symbol(&format!("c{i}"))).collect();
    for i in 0..length {
        let mut draft = Draft::new(components[i], 0);
        let node = |name| Reference::node(name, 0);
        draft.node(start, 0).entry = true;
        draft.label(p);
        draft.node(after, 0);
        draft.label(if i + 1 == length { q } else { p });
        draft.node(end, 0).exit = true;
        if i + 1 < length || is_ring {
            draft.site(call, 0, components[(i + 1) % length], 0);
            draft.edge(node(start), Reference::port(call, start, 0));
            draft.edge(Reference::port(call, end, 0), node(after));
        } else {
            draft.edge(node(start), node(after));
        }
        draft.edge(node(after), node(end));
        builder.component(draft);
    }
    builder.finish(&Semantics::default()).expect("valid by construction").0
}

/// No engine recurses over calls.
#[test]
fn deep() {
    let length = 100_000;
    let [chain, ring] = [chain(length, false), chain(length, true)];
    for engine in Rks::ALL {
        assert!(run(&chain, engine, "E F (q & E F p)", AtExit::Sink).holds, "{engine:?}");
        assert!(run(&chain, engine, "E X p & E F q", AtExit::Loop).holds, "{engine:?}");
        assert!(run(&ring, engine, "E G p", AtExit::Sink).holds, "{engine:?}");
        assert!(!run(&ring, engine, "E F q", AtExit::Sink).holds, "{engine:?}");
    }
}

/// Nor over formulas; and contexts need not grow exponentially with them.
#[test]
fn deep_formulas() {
    let rsm = build("C: c1 -> c2[D], c3{q}!; c2 -> c3\nD: d1 -> d2[C], d3{p}!; d2 -> d3");
    let steps = format!("{}p", "E X ".repeat(150));
    let levels = 20;
    let nested = format!("{}E F q{}", "E F (p & E F (q & ".repeat(levels), "))".repeat(levels));
    for text in [steps, nested] {
        let expected = by(Engine::Summary, &rsm, &text, AtExit::Sink);
        for engine in Rks::ALL {
            assert_eq!(run(&rsm, engine, &text, AtExit::Sink).holds, expected, "{engine:?}");
        }
    }
}

/// Engines give up when there is no time or no memory left.
#[test]
fn limits() {
    let rsm = chain(10_000, true);
    let formula = core("E F (q & E F (p & E X q))");
    let settings = EngineSettings { at_exit: AtExit::Sink, seed: 0 };
    for engine in Rks::ALL {
        for (time, bytes, expected) in [
            (Some(Duration::ZERO), None, Exhausted::Time),
            (None, Some(1000), Exhausted::Memory),
            (None, Some(1_000_000), Exhausted::Memory),
        ] {
            let budget = &mut Budget::new(time, bytes);
            let found = rks::check(engine, &rsm, &property(&rsm, &formula), &settings, budget);
            assert_eq!(found.map(|outcome| outcome.holds), Err(expected), "{engine:?}");
        }
    }
}

/// Two thousand sub-structures, of which the initial one and those it calls are enough.
#[test]
fn lazy() {
    let large = LargeRsm {
        edges: 150_000,
        nodes_per_component: 25,
        boxes_per_component: 3,
        exits_per_component: 1,
        ..LargeRsm::default()
    };
    let rsm = large.to_rsm(&mut Rng::new(1));
    assert_eq!(rsm.component_count(), 2000);
    for formula in ["E F a", "E G (a | b)", "A G !c", "A G (a -> E X b)", "E X E X E X a"] {
        let outcomes = Rks::ALL.map(|engine| run(&rsm, engine, formula, AtExit::Sink));
        assert_eq!(outcomes.map(|outcome| outcome.holds), [outcomes[0].holds; 3], "{formula}");
        assert!(outcomes[1].components <= 20, "{formula}: {}", outcomes[1].components);
    }
}
