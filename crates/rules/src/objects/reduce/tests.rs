//! Reduced machines against the machines they were made from.

use super::*;
use loris_base::Rng;
use loris_logic::{Core, RandomCtl, parse};

fn names() -> Vec<String> {
    ["a", "b", "c"].map(str::to_owned).to_vec()
}

/// Components with few atoms, so that much of them is silent.
fn random_machine(rng: &mut Rng) -> Vec<Graph> {
    let count = 1 + rng.below(4);
    let sizes: Vec<u32> = (0..count).map(|_| 2 + rng.below(9) as u32).collect();
    // the last nodes are exits
    let exits: Vec<u32> = (0..count).map(|_| rng.below(3) as u32).map(|exits| exits.min(1)).collect();
    let mut machine = Vec::new();
    for (number, &size) in sizes.iter().enumerate() {
        let inner = size - exits[number];
        let mut graph = Graph::default();
        for place in 0..size {
            let mask = if rng.below(10) < 6 { 0 } else { 1 << rng.below(3) };
            let exit = place >= inner;
            let mut node = GraphNode { mask, exit, ..GraphNode::default() };
            if !exit {
                let targets = |rng: &mut Rng| -> Vec<u32> {
                    (0..rng.below(3)).map(|_| rng.below(size as usize) as u32).collect()
                };
                node.next = targets(rng);
                if rng.below(4) == 0 {
                    // mostly callees with higher numbers: not everything recurses
                    let callee = (number + rng.below(count)) % count;
                    let first = sizes[callee] - exits[callee];
                    let returns = (first..sizes[callee]).map(|exit| (exit, targets(rng))).collect();
                    node.calls.push(GraphCall { callee, returns });
                }
            }
            graph.nodes.push(node);
        }
        machine.push(graph);
    }
    machine
}

fn on_the_whole(machine: &[Graph], formula: &CtlCore) -> bool {
    let rsm = rsm(machine, &names());
    holds_in_machine(&rsm, formula, &mut Budget::unlimited()).expect("no limit")
}

fn reduced(machine: &[Graph]) -> Vec<Graph> {
    let mut component = |number: usize| machine[number].clone();
    Reducer::default().machine(0, &mut component, &mut Budget::unlimited()).expect("no limit")
}

fn on_the_reduced(machine: &[Graph], formula: &CtlCore) -> bool {
    let names = names();
    let bit = |atom: &String| names.iter().position(|name| name == atom).expect("an atom") as u32;
    let atoms: Vec<u32> = formula.atoms().iter().map(bit).collect();
    holds(&reduced(machine), formula, &atoms, &names, &mut Budget::unlimited()).expect("no limit")
}

/// Formulas as rules have them.
const SHAPES: [&str; 8] = [
    "A G (a -> A [ !b W c ])",
    "A G (a -> A X A [ !b W c ])",
    "A G (a -> A X A [ !a W (b | c) ])",
    "A G ((a | b) -> A X A [ !b W c ])",
    "A [ !a W b ] | A G !b",
    "E F (a & E X E [ !(b | c) U c ])",
    "E F (a & E [ !b U c ])",
    "A G (a -> E F b)",
];

#[test]
fn reduction_keeps_verdicts() {
    let cases = loris_testing::cases(3000);
    let mut rng = Rng::new(7);
    let (mut compared, mut with_next, mut smaller) = (0, 0, 0);
    for case in 0..cases {
        let machine = random_machine(&mut rng);
        let formula = match SHAPES.get(rng.below(2 * SHAPES.len())) {
            Some(shape) => parse(shape).expect("well-formed"),
            None => RandomCtl::new(1 + rng.below(3) as u32).generate(&mut rng),
        };
        let formula = Core::new(&formula).expect("CTL");
        let before: usize = machine.iter().map(|graph| graph.nodes.len()).sum();
        let after: usize = reduced(&machine).iter().map(|graph| graph.nodes.len()).sum();
        smaller += usize::from(after < before);
        if !is_insensitive(&formula) {
            continue;
        }
        compared += 1;
        with_next +=
            usize::from(formula.nodes().iter().any(|node| matches!(node, loris_logic::CoreNode::Ex(_))));
        let (whole, reduced) = (on_the_whole(&machine, &formula), on_the_reduced(&machine, &formula));
        assert_eq!(whole, reduced, "case {case}: {} on {machine:#?}", formula.print(formula.root()));
    }
    assert!(
        compared > cases / 5 && with_next > cases / 100 && smaller > cases / 2,
        "{compared} {with_next} {smaller}"
    );
}

#[test]
fn formulas_that_notice_silent_steps() {
    let check = |text: &str, expected: bool| {
        let core = Core::new(&parse(text).expect("well-formed")).expect("CTL");
        assert_eq!(is_insensitive(&core), expected, "{text}");
    };
    check("A G (a -> A [ !b W c ])", true);
    check("A G (a -> A X A [ !b W c ])", true);
    check("A G ((a & !b) -> A X E F c)", true);
    check("E F ((a | b) & E X c)", true);
    check("A G A X a", false);
    check("E X a", false);
    check("A G (!a -> E X b)", false);
    check("A G ((a | !b) -> E X b)", false);
    check("A G (a -> A X A X b)", false);
}
