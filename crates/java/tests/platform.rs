//! All classes of the Java platform's `java.base`, where it is installed: they are read as `javap`
//! reads them, and they have a machine.
#![allow(clippy::print_stderr, reason = "what is skipped is reported")]

use loris_base::Budget;
use loris_java::archive::{Given, class_files};
use loris_java::calls::{CallGraph, CallOptions, Entries};
use loris_java::extract::{Choice, ExtractOptions, extract};
use loris_java::throws::{ThrowOptions, Throws};
use loris_java::{ClassOrigin, LoadOptions, Program};
use std::path::{Path, PathBuf};
use std::process::Command;

/// The archive of the module, if there is one beside the `java` of this machine.
fn archive() -> Option<PathBuf> {
    let output = Command::new("java").args(["-XshowSettings:properties", "-version"]).output().ok()?;
    let text = String::from_utf8_lossy(&output.stderr).into_owned();
    let home = text.lines().find_map(|line| line.trim().strip_prefix("java.home = "))?;
    Some(PathBuf::from(home).join("jmods/java.base.jmod")).filter(|path| path.is_file())
}

/// How many methods `javap` lists for each class file, in this order.
fn listed(files: &[Box<[u8]>]) -> Vec<usize> {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("platform-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a folder");
    let mut paths = Vec::new();
    for (number, bytes) in files.iter().enumerate() {
        paths.push(folder.join(format!("{number}.class")));
        std::fs::write(&paths[number], bytes).expect("a class file");
    }
    let output = Command::new("javap").arg("-p").args(&paths).output().expect("javap comes with java");
    std::fs::remove_dir_all(&folder).expect("a folder of this test");
    let text = String::from_utf8(output.stdout).expect("names are UTF-8");
    let mut counts = Vec::new();
    for line in text.lines() {
        if line.ends_with(" {") && !line.starts_with(' ') {
            counts.push(0);
        } else if line.starts_with("  ") && (line.contains('(') || line.trim() == "static {};") {
            *counts.last_mut().expect("members are in classes") += 1;
        }
    }
    counts
}

/// Needs: java, javap
#[test]
fn the_platform_is_read_as_javap_reads_it() {
    let Some(path) = archive() else {
        eprintln!("SKIPPED: there is no archive of java.base here");
        return;
    };
    let budget = &mut Budget::unlimited();
    let bytes = std::fs::read(&path).expect("an archive");
    let given = Given { path: "java.base.jmod".into(), origin: ClassOrigin::Application, bytes };
    let files = class_files(vec![given], budget).expect("no limit");
    assert_eq!(files.problems, []);
    let mut inputs = files.inputs;
    // neither the declaration of the module nor a jar with copies of some classes
    inputs.retain(|input| !input.path.ends_with("module-info.class") && !input.path.contains(".jar!/"));
    let bytes: Vec<Box<[u8]>> = inputs.iter().map(|input| input.bytes.clone()).collect();
    let counts = listed(&bytes);
    let loaded = Program::load(inputs, &LoadOptions::default());
    assert_eq!(loaded.problems, []);
    let program = &loaded.program;
    let own = |id: &_| program.origin(*id) == ClassOrigin::Application;
    let classes: Vec<_> = program.classes().filter(own).collect();
    assert!(classes.len() > 5000, "{}", classes.len());
    assert_eq!((counts.len(), bytes.len()), (classes.len(), classes.len()));
    for (&class, expected) in classes.iter().zip(counts) {
        assert_eq!(program.class(class).methods.len(), expected, "{}", program.class_name(class));
    }

    let options = CallOptions { entries: Entries::All, ..CallOptions::default() };
    let graph = CallGraph::new(program, &options, budget).expect("no limit");
    assert_eq!(graph.damaged(), []);
    let with_code = || program.methods().filter(|&id| program.method(id).code.is_some());
    assert!(with_code().all(|id| graph.is_reachable(id)));
    let throws = Throws::new(program, &graph, &ThrowOptions::default(), budget).expect("no limit");
    let options = ExtractOptions { labels: Choice::None, ..ExtractOptions::default() };
    let rsm = extract(program, &graph, &throws, &options, budget).expect("no limit");
    // components that choose among the targets of virtual calls come on top
    assert!(rsm.component_count() > graph.reachable().len());
    for id in with_code() {
        let name = program.method_name(id);
        let is_there = |name: &str| rsm.find_component(name).is_some();
        let class = program.class(program.owner(id));
        let is_only =
            class.methods.iter().filter(|method| method.name == program.method(id).name).count() == 1;
        assert!(!is_only || is_there(&name), "{name}");
    }
}
