//! Generated files are right by construction, and the same for the same seed.

#[path = "write/reader.rs"]
mod reader;

use loris_base::Rng;
use loris_smv::generate::{Counters, RandomModule, RandomRecursive};
use reader::read;
use std::collections::BTreeSet;

fn text(write: impl Fn(&mut Rng, &mut Vec<u8>) -> std::io::Result<()>, seed: u64) -> String {
    let mut texts = [Vec::new(), Vec::new()];
    for text in &mut texts {
        write(&mut Rng::new(seed), text).expect("memory takes all");
    }
    let [text, again] = texts;
    assert_eq!(text, again);
    String::from_utf8(text).expect("text")
}

#[test]
fn one_module_of_the_published_size() {
    let text = text(|rng, out| RandomModule::default().write(rng, out), 1);
    let file = read(&text);
    let main = &file.modules["main"];
    assert_eq!((main.values.len(), main.labels.len(), main.properties.len()), (5000, 250, 4500));
    let edges: usize = main.next.values().map(Vec::len).sum();
    assert!((6000..8000).contains(&edges), "{edges} edges");
    let carriers: usize = main.labels.values().map(BTreeSet::len).sum();
    assert!((1500..2500).contains(&carriers), "{carriers} carriers");
    assert!(main.properties.iter().all(|property| property.len() < 300), "short properties");
}

#[test]
fn modules_that_call() {
    for seed in 0..200 {
        let mut rng = Rng::new(seed);
        let generator = RandomRecursive {
            modules: 1 + rng.below(5),
            locations: 1 + rng.below(8),
            calls: rng.below(4),
            labels: rng.below(4),
            properties: 5,
            ..RandomRecursive::default()
        };
        let file = read(&text(|rng, out| generator.write(rng, out), seed));
        assert_eq!(file.modules.len(), generator.modules);
        assert_eq!(file.modules["main"].properties.len(), 5);
        assert!(file.modules.values().all(|module| module.calls.len() == generator.calls));
    }
    assert!(!text(|rng, out| RandomRecursive::default().write(rng, out), 0).contains("SPEC  "));
}

/// The equations of the module once more.
fn reachable([a, b, c]: [usize; 3]) -> usize {
    let mut seen = BTreeSet::from([(0, 0, 0)]);
    let mut queue = vec![(0, 0, 0)];
    while let Some((x, y, z)) = queue.pop() {
        let most = if z % 5 == 4 && y < x { 2 } else { 1 };
        let next_z = match () {
            () if y == 0 => (z + x) % c,
            () if y > x => (z + 1) % c,
            () => z,
        };
        for step in 0..=most {
            let next = ((x + 1) % a, (y + step) % b, next_z);
            if seen.insert(next) {
                queue.push(next);
            }
        }
    }
    seen.len()
}

#[test]
fn counters_reach_all_states() {
    for states in [1, 8, 9, 27, 100, 1000, 5000, 10_000] {
        let sizes = Counters { states }.sizes();
        assert_eq!(reachable(sizes), sizes.iter().product::<usize>(), "{sizes:?}");
    }
    assert_eq!(Counters { states: 10_000_000 }.sizes().iter().product::<usize>() / 100_000, 99);
    let text = text(|_, out| Counters { states: 1000 }.write(out), 0);
    assert!(
        text.contains("next(b) := case\n    c mod 5 = 4 & low : {b, (b + 1) mod 10, (b + 2) mod 10};"),
        "{text}"
    );
}
