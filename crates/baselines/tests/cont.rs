//! The engine `cont` on machines with single exits: against the unfolding where there is one,
//! against engine `summary` everywhere; what it refuses, and where it gives up.

use loris_base::{Budget, Exhausted};
use loris_baselines::cont;
use loris_evidence::AtExit;
use loris_logic::automaton::translate;
use loris_logic::{Core, Ltl, LtlNode, negated_ltl, parse};
use loris_recursive::{
    Acceptance, EngineSettings, ExploreDirection, MachineOutcome, Prepared, Property, Runs,
};
use loris_rsm::Rsm;
use loris_testing::recursion::engines::Engine;
use loris_testing::recursion::model::{
    Model, Role, chains, formulas, models, nested_formulas, star_formulas,
};
use loris_testing::recursion::oracle::Unfolding;
use loris_testing::recursion::text::build;
use proptest::prelude::*;

/// The same machine with the first exit of each component as its only one: others are plain nodes.
fn single_exit(mut model: Model) -> Model {
    for component in &mut model.components {
        let mut has_exit = false;
        for node in &mut component.nodes {
            let is_exit = matches!(node.role, Role::Exit | Role::Both);
            if is_exit && std::mem::replace(&mut has_exit, true) {
                node.role = if node.role == Role::Both { Role::Entry } else { Role::Inner };
            }
        }
    }
    model
}

fn star(text: &str) -> Core {
    Core::star(&parse(text).expect("well-formed")).expect("CTL*")
}

fn property<'a>(rsm: &Rsm, formula: &'a Core) -> Property<'a> {
    Property { formula, atoms: formula.atoms().iter().map(|atom| rsm.label(atom)).collect() }
}

fn run(rsm: &Rsm, formula: &Core, at_exit: AtExit, budget: &mut Budget) -> Result<MachineOutcome, Exhausted> {
    cont::check(rsm, &property(rsm, formula), &EngineSettings { at_exit, seed: 0 }, budget)
}

fn summary(rsm: &Rsm, formula: &Core, at_exit: AtExit) -> bool {
    Engine::Summary.holds(&Prepared::new(rsm), &property(rsm, formula), at_exit)
}

/// What `cont` may hold; no formula of these sizes needs as much.
const BYTES: usize = 50_000_000;

fn check(model: Model, text: &str, sink: bool) -> Result<(), TestCaseError> {
    let model = single_exit(model);
    let rsm = model.build();
    let formula = star(text);
    let at_exit = if sink { AtExit::Sink } else { AtExit::Loop };
    prop_assert_eq!(cont::unfit(&rsm), None);
    let budget = &mut Budget::new(None, Some(BYTES));
    let found = run(&rsm, &formula, at_exit, budget);
    let found = found.map_err(|exhausted| TestCaseError::fail(format!("{exhausted} on {text}")))?.holds;
    prop_assert_eq!(found, summary(&rsm, &formula, at_exit), "{}", text);
    if !model.recursive
        && formula.paths().iter().all(|path| is_small(&path.formula))
        && let Some(unfolding) = Unfolding::new(&rsm, at_exit, 150)
    {
        prop_assert_eq!(found, unfolding.check(&formula), "{}", text);
    }
    Ok(())
}

/// Whether a tableau of the formula is for tests.
fn is_small(formula: &Ltl) -> bool {
    let temporal = |node: &&LtlNode| matches!(node, LtlNode::X(_) | LtlNode::U(..) | LtlNode::R(..));
    formula.nodes().iter().filter(temporal).count() <= 6
}

/// Both engines' answer.
fn answer(rsm: &Rsm, text: &str, at_exit: AtExit) -> bool {
    let formula = star(text);
    let found = run(rsm, &formula, at_exit, &mut Budget::unlimited()).expect("no limit").holds;
    assert_eq!(found, summary(rsm, &formula, at_exit), "{text}");
    found
}

/// Example Y8: CTL* on the machine of Y2, `en -r-> ex; en -c-> (b,en); (b,ex) -r-> ex; (b,ex) -c->
/// (b,en)`.
///
/// Its letters are on edges. An edge with a letter becomes a node with that label, between blank
/// nodes; a letter on the exit itself would take two exits. So every other position of a run is
/// blank, and `G c` is `G (c | blank)`; infinitely often is what it was.
#[test]
fn example_y8() {
    let rsm = build("A: en -> r1{r}, c1{c}; r1 -> ex!; c1 -> b[A] -> r2{r}, c2{c}; r2 -> ex; c2 -> b");
    for at_exit in [AtExit::Loop, AtExit::Sink] {
        assert!(answer(&rsm, "E G (c | !c & !r)", at_exit));
        assert!(answer(&rsm, "E G F r", at_exit));
        assert!(!answer(&rsm, "A G F c", at_exit), "pop at once, then loop");
    }
    // where runs that end do not count there is no such run
    let (refuting, atoms) = negated_ltl(&parse("G F c").expect("well-formed")).expect("LTL");
    let buchi = &translate(&refuting, &mut Budget::unlimited()).expect("no limit");
    let labels: Vec<_> = atoms.iter().map(|atom| rsm.label(atom)).collect();
    let question = Acceptance {
        predicates: None,
        recurrences: &[],
        buchi,
        labels: &labels,
        runs: Runs::All,
        at_exit: AtExit::Stop,
        evidence: false,
        direction: ExploreDirection::Fewer,
    };
    let refuted = Prepared::new(&rsm).accepted(&question, &mut Budget::unlimited()).expect("no limit");
    assert!(!refuted.is_accepted);
}

/// The only `a` of a run for ever is at the entry of a component that is left each time: the way
/// through the call remembers it.
#[test]
fn what_recurs_at_an_entry_only() {
    let rsm = build(
        "M: m -> b[A] -> m
         A: e{a} -> x!",
    );
    assert!(answer(&rsm, "E G F a", AtExit::Loop));
    assert!(!answer(&rsm, "E F G a", AtExit::Loop));
    assert!(answer(&rsm, "E (G F a & G F !a)", AtExit::Loop));
}

#[test]
fn several_exits_are_refused() {
    let rsm = build("A: e -> x!, y!");
    assert_eq!(cont::unfit(&rsm).map(|component| rsm.component_name(component)), Some("A"));
}

/// A conjunction of twelve untils has more pairs than anybody wants.
#[test]
fn gives_up_on_large_formulas() {
    let rsm = build("M: m{p} -> m");
    let untils: Vec<String> = (0..12).map(|i| format!("(p{i} U q{i})")).collect();
    let formula = star(&format!("E ({})", untils.join(" & ")));
    let found = run(&rsm, &formula, AtExit::Loop, &mut Budget::unlimited());
    assert_eq!(found, Err(Exhausted::Memory));
}

fn config() -> ProptestConfig {
    let cases = loris_testing::cases(1_000);
    ProptestConfig { cases, failure_persistence: None, max_shrink_iters: 20_000, ..ProptestConfig::default() }
}

proptest! {
    #![proptest_config(config())]

    #[test]
    fn ctl(model in models(false), text in formulas(), sink: bool) {
        check(model, &text, sink)?;
    }

    #[test]
    fn ctl_on_recursion(model in models(true), text in formulas(), sink: bool) {
        check(model, &text, sink)?;
    }

    #[test]
    fn nested_ctl_on_chains(model in chains(true), text in nested_formulas(), sink: bool) {
        check(model, &text, sink)?;
    }

    #[test]
    fn ctl_star(model in models(false), text in star_formulas(), sink: bool) {
        check(model, &text, sink)?;
    }

    #[test]
    fn ctl_star_on_chains(model in chains(false), text in star_formulas(), sink: bool) {
        check(model, &text, sink)?;
    }

    #[test]
    fn ctl_star_on_recursion(model in models(true), text in star_formulas(), sink: bool) {
        check(model, &text, sink)?;
    }

    #[test]
    fn ctl_star_on_recursive_chains(model in chains(true), text in star_formulas(), sink: bool) {
        check(model, &text, sink)?;
    }
}
