//! Properties without `X` have the same verdict whether a node stands for an instruction or for a
//! slice of them: random properties over the labels of small programs.
//!
//! `LORIS_CASES` is the number of properties for each program.

use loris_base::{Budget, Rng};
use loris_java::calls::{CallGraph, CallOptions, methods_named};
use loris_java::extract::{Choice, ExtractOptions, Granularity, Pattern, extract, labels};
use loris_java::throws::{ThrowOptions, Throws};
use loris_java::{ClassInput, ClassOrigin, LoadOptions, Program, calls::Entries};
use loris_logic::{Core, parse};
use loris_recursive::{EngineSettings, Prepared, Property};
use std::path::{Path, PathBuf};

/// Folders with class files, and the method where runs start, if not the usual ones.
const PROGRAMS: [(&str, Option<&str>); 3] = [
    ("../java/tests/programs/classes", Some("p.Exceptions.main")),
    ("../java/tests/programs/classes", Some("p.Shapes.main")),
    ("tests/programs/classes", None),
];

fn program(folder: &str) -> Program {
    let (mut inputs, mut work) = (Vec::new(), vec![Path::new(env!("CARGO_MANIFEST_DIR")).join(folder)]);
    while let Some(path) = work.pop() {
        if path.is_dir() {
            let entries = std::fs::read_dir(&path).expect("a folder");
            let mut found: Vec<PathBuf> = entries.map(|entry| entry.expect("an entry").path()).collect();
            found.sort();
            work.extend(found);
        } else {
            let bytes = std::fs::read(&path).expect("a class file").into();
            inputs.push(ClassInput {
                path: path.display().to_string(),
                origin: ClassOrigin::Application,
                bytes,
            });
        }
    }
    Program::load(inputs, &LoadOptions::default()).program
}

/// A formula of CTL without `X` over some labels.
fn formula(rng: &mut Rng, atoms: &[String], depth: usize) -> String {
    if depth == 0 {
        let atom = &atoms[rng.below(atoms.len())];
        return if rng.chance(0.4) { format!("!\"{atom}\"") } else { format!("\"{atom}\"") };
    }
    let one = formula(rng, atoms, depth - 1);
    let other = |rng: &mut Rng| {
        let depth = rng.below(depth);
        formula(rng, atoms, depth)
    };
    match rng.below(9) {
        0 => format!("E F ({one})"),
        1 => format!("A G ({one})"),
        2 => format!("E G ({one})"),
        3 => format!("A F ({one})"),
        4 => format!("E [ {} U {one} ]", other(rng)),
        5 => format!("A [ {one} U {} ]", other(rng)),
        6 => format!("({one} -> {})", other(rng)),
        7 => format!("({one} & {})", other(rng)),
        _ => format!("!({one} | {})", other(rng)),
    }
}

#[test]
fn slices_do_not_change_verdicts() {
    let cases = loris_testing::cases(300);
    let budget = &mut Budget::unlimited();
    let mut rng = Rng::new(3);
    let (mut holds, mut fails, mut fewer) = (0, 0, 0);
    for (folder, entry) in PROGRAMS {
        let program = program(folder);
        let entries = match entry {
            Some(name) => Entries::Methods(methods_named(&program, name).expect("a method")),
            None => Entries::Usual,
        };
        let graph = CallGraph::new(&program, &CallOptions { entries, ..CallOptions::default() }, budget);
        let graph = graph.expect("no limit");
        for runtime in [false, true] {
            let throws = Throws::new(&program, &graph, &ThrowOptions { runtime }, budget).expect("no limit");
            let known = labels(&program, &graph, &throws, &Choice::All, budget).expect("no limit");
            for case in 0..cases {
                let some = 1 + rng.below(3);
                let mut atoms: Vec<String> =
                    (0..some).map(|_| known[rng.below(known.len())].0.clone()).collect();
                if rng.chance(0.3) {
                    let pattern = ["call *", "throw *", "use *", "exit *"][rng.below(4)];
                    atoms.push(pattern.to_owned());
                }
                let depth = 1 + rng.below(3);
                let text = formula(&mut rng, &atoms, depth);
                let parsed = parse(&text).expect("a formula");
                let core = Core::from(Core::new(&parsed).expect("a formula of CTL"));
                let mut decide = |granularity| {
                    let patterns = core.atoms().iter().map(|atom| Pattern::new(atom));
                    let labels = Choice::Matching(patterns.collect());
                    let options = ExtractOptions { granularity, labels };
                    let rsm = extract(&program, &graph, &throws, &options, budget).expect("no limit");
                    let atoms = core.atoms().iter().map(|atom| rsm.label(atom)).collect();
                    let property = Property { formula: &core, atoms };
                    let decided = Prepared::new(&rsm).decide(&property, &EngineSettings::default(), budget);
                    (decided.expect("no limit").1.holds, rsm.node_count())
                };
                let (block, slices) = decide(Granularity::Block);
                let (instruction, nodes) = decide(Granularity::Instruction);
                assert_eq!(block, instruction, "{folder} {entry:?}, runtime {runtime}, case {case}: {text}");
                *(if block { &mut holds } else { &mut fails }) += 1;
                fewer += usize::from(slices < nodes);
            }
        }
    }
    let all = holds + fails;
    assert!(holds > all / 8 && fails > all / 8 && fewer == all, "{holds} hold, {fails} fail, {fewer} differ");
}
