//! Class files and archives of them: any bytes are read without a panic and within the budget, and
//! what is read has a machine, whose labels are those that are listed.

#![no_main]

use libfuzzer_sys::fuzz_target;
use loris_base::{Budget, Exhausted};
use loris_java::archive::{Given, class_files};
use loris_java::calls::{CallGraph, CallOptions, Calls, Entries};
use loris_java::extract::{Choice, ExtractOptions, Granularity, extract, labels};
use loris_java::throws::{ThrowOptions, Throws};
use loris_java::{LoadOptions, ClassOrigin, Program};

fuzz_target!(|bytes: &[u8]| {
    // a limit may be reached; nothing else may go wrong
    let _ = check(bytes);
});

fn check(bytes: &[u8]) -> Result<(), Exhausted> {
    let budget = &mut Budget::new(None, Some(1 << 28));
    let given = Given { path: "a".into(), origin: ClassOrigin::Application, bytes: bytes.to_vec() };
    let files = class_files(vec![given], budget)?;
    let program = &Program::load(files.inputs, &LoadOptions::default()).program;
    for (calls, runtime, granularity) in
        [(Calls::Created, false, Granularity::Block), (Calls::Hierarchy, true, Granularity::Instruction)]
    {
        let graph = CallGraph::new(program, &CallOptions { calls, entries: Entries::All }, budget)?;
        let throws = Throws::new(program, &graph, &ThrowOptions { runtime }, budget)?;
        let listed = labels(program, &graph, &throws, &Choice::All, budget)?;
        let options = ExtractOptions { granularity, labels: Choice::All };
        let rsm = extract(program, &graph, &throws, &options, budget)?;
        for (label, places) in &listed {
            assert!(*places > 0 && rsm.label(label).is_some(), "{label}");
        }
        assert_eq!(rsm.label_count(), listed.len());
    }
    Ok(())
}
