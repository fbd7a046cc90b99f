//! How fast many small properties on a small structure are, and one property on a large one.
//!
//! `cargo run --release -p loris-finite --example finite_speed [-- few|many|large|fair]`

#![allow(clippy::print_stdout)]

use loris_base::{BitSet, Budget, Csr, Rng};
use loris_finite::{Fairness, Kripke, LabelledFormula, check};
use loris_logic::{Core, CtlCore, RandomCtl, parse};
use std::time::Instant;

struct World {
    successors: Csr,
    predecessors: Csr,
}

fn world(states: usize, degree: usize, rng: &mut Rng) -> World {
    let mut successors = Csr::default();
    for _ in 0..states {
        // from 1 to twice the degree less 1
        let edges = 1 + rng.below(2 * degree - 1);
        successors.push_row((0..edges).map(|_| rng.below(states) as u32));
    }
    World { predecessors: successors.transposed(states), successors }
}

/// States numbered as a search meets them, on a grid with a few ways back.
fn grid(side: usize, rng: &mut Rng) -> World {
    let n = side * side;
    let mut successors = Csr::default();
    for state in 0..n {
        let (right, down) = (state % side + 1 < side, state / side + 1 < side);
        let mut row = Vec::new();
        row.extend(right.then_some(state as u32 + 1));
        row.extend(down.then_some((state + side) as u32));
        if rng.chance(0.05) {
            row.push(rng.below(state + 1) as u32);
        }
        successors.push_row(row);
    }
    World { predecessors: successors.transposed(n), successors }
}

fn subset(rng: &mut Rng, states: usize, share: f64) -> BitSet {
    BitSet::of(states, (0..states as u32).filter(|_| rng.chance(share)))
}

/// Formulas of 3 to 8 nodes, with their labels.
fn formulas(count: usize, labels: usize, rng: &mut Rng) -> Vec<(CtlCore, Vec<Option<u32>>)> {
    let mut formulas = Vec::with_capacity(count);
    while formulas.len() < count {
        let formula = Core::new(&RandomCtl::new(1 + rng.below(3) as u32).generate(rng)).expect("CTL");
        if (3..=8).contains(&formula.nodes().len()) {
            let atoms = formula.atoms().iter().map(|_| Some(rng.below(labels) as u32)).collect();
            formulas.push((formula, atoms));
        }
    }
    formulas
}

/// A line of Linux's account of this process, in KiB.
fn memory(what: &str) -> usize {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find(|line| line.starts_with(what)).unwrap_or_default();
    line.split_whitespace().nth(1).and_then(|kib| kib.parse().ok()).unwrap_or(0)
}

fn run(
    name: &str,
    world: &World,
    labels: &[BitSet],
    asked: &[(CtlCore, Vec<Option<u32>>)],
    fairness: &Fairness,
    times: usize,
) {
    let kripke = Kripke { successors: &world.successors, predecessors: &world.predecessors, initial: &[0] };
    let fill = |label: u32, column: &mut BitSet| {
        column.words_mut().copy_from_slice(labels[label as usize].words());
    };
    let properties: Vec<LabelledFormula> =
        asked.iter().map(|(formula, atoms)| LabelledFormula { formula, atoms }).collect();
    // the peak is from now on
    _ = std::fs::write("/proc/self/clear_refs", "5");
    let before = memory("VmRSS");
    let mut fastest = f64::MAX;
    let mut holds = 0;
    for _ in 0..times {
        let start = Instant::now();
        let verdicts =
            check(&kripke, &fill, &properties, fairness, &mut Budget::unlimited()).expect("no limit");
        fastest = fastest.min(start.elapsed().as_secs_f64());
        holds = verdicts.iter().filter(|holds| **holds).count();
    }
    let extra = memory("VmHWM").saturating_sub(before) as f64 * 1024.0 / kripke.states() as f64;
    println!(
        "{name}: {} states, {} properties ({holds} hold): {:.2} ms, peak {extra:.1} bytes a state more",
        kripke.states(),
        properties.len(),
        fastest * 1e3
    );
}

fn one(text: &str) -> Vec<(CtlCore, Vec<Option<u32>>)> {
    let formula = Core::new(&parse(text).expect("well-formed")).expect("CTL");
    let atoms = (0..formula.atoms().len() as u32).map(Some).collect();
    vec![(formula, atoms)]
}

fn main() {
    let wanted = std::env::args().nth(1);
    let asked = |name: &str| wanted.as_deref().is_none_or(|wanted| wanted == name);
    let rng = &mut Rng::new(1);
    let all = &Fairness::default();
    if asked("few") {
        for (name, world) in [("random", world(5000, 2, rng)), ("grid", grid(71, rng))] {
            let n = world.successors.rows();
            for count in [50, 500, 5000] {
                let labels: Vec<BitSet> = (0..count).map(|_| subset(rng, n, 0.3)).collect();
                let asked = formulas(4500, count, rng);
                run(&format!("{name}, {count} labels"), &world, &labels, &asked, all, 20);
            }
        }
    }
    if asked("fair") {
        let world = world(5000, 2, rng);
        let labels: Vec<BitSet> = (0..500).map(|_| subset(rng, 5000, 0.3)).collect();
        let justice = (0..2).map(|_| subset(rng, 5000, 0.1)).collect();
        let compassion = vec![(subset(rng, 5000, 0.1), subset(rng, 5000, 0.1))];
        let asked = formulas(4500, 500, rng);
        let fairness = Fairness { justice, compassion };
        run("fair, 500 labels", &world, &labels, &asked, &fairness, 3);
    }
    if asked("many") {
        let world = world(1_000_000, 2, rng);
        let labels: Vec<BitSet> = (0..500).map(|_| subset(rng, 1_000_000, 0.3)).collect();
        run("many, 500 labels", &world, &labels, &formulas(4500, 500, rng), all, 1);
    }
    if asked("large") {
        let n = 10_000_000;
        for (name, world) in [("random", world(n, 2, rng)), ("grid", grid(3163, rng))] {
            let n = world.successors.rows();
            for (share, text) in
                [(0.3, "A G (a -> A F b)"), (0.000_001, "E F a"), (0.000_001, "A F a"), (0.5, "E [ a U b ]")]
            {
                let labels: Vec<BitSet> = (0..2).map(|_| subset(rng, n, share)).collect();
                run(&format!("{name}, {text}"), &world, &labels, &one(text), all, 2);
            }
        }
    }
}
