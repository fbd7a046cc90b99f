//! The Java programs of the benchmark folder, each in three formats: their machines are the same
//! but for names.
//!
//! Without the archives and the `unzip` program these tests are skipped, which `cargo test`
//! reports.

#![allow(clippy::unwrap_used, reason = "a test that panics has failed")]

use loris_base::Idx;
use loris_rsm::{
    DeadEnds, Pds, Recovery, Rsm, Semantics, Vertex, VertexKind, read_pdmu, read_pds, read_rsm_json,
    write_pds,
};
use loris_testing::benchmarks;
use std::collections::{BTreeMap, BTreeSet};
use std::process::Command;

const PROGRAMS: [&str; 4] = ["dataflow", "avroraReg", "avroraELF", "fop2pdf"];

/// A file of an archive.
fn unzipped(program: &str, file: &str) -> Option<String> {
    let archive = benchmarks("java-usedef")?.join(program).with_extension("zip");
    let output =
        Command::new("unzip").arg("-p").arg(archive).arg(format!("*{program}{file}")).output().ok()?;
    output.status.success().then(|| String::from_utf8(output.stdout).unwrap()).filter(|text| !text.is_empty())
}

/// What the nodes are that a run can get to, in a machine in which every component has one entry or
/// is left through every exit from each.
fn reachable(rsm: &Rsm) -> Vec<bool> {
    let mut reached = vec![false; rsm.vertex_count()];
    let mut work: Vec<Vertex> = rsm.initial().to_vec();
    while let Some(vertex) = work.pop() {
        if std::mem::replace(&mut reached[vertex.index()], true) {
            continue;
        }
        work.extend(rsm.successors(vertex));
        if let VertexKind::Call(site) | VertexKind::Return(site) = rsm.kind(vertex) {
            work.push(rsm.node_of(vertex));
            let exits = rsm.exits(rsm.callee(site)).iter().enumerate();
            let left = exits.filter(|(_, exit)| reached[exit.index()]);
            work.extend(left.filter_map(|(i, _)| rsm.return_port(site, i)));
        }
        if let (VertexKind::Node, Some(exit)) = (rsm.kind(vertex), rsm.exit_index(vertex)) {
            let callers = rsm.callers(rsm.component_of(vertex));
            let called = callers.filter(|&site| {
                rsm.ports(site).any(|port| rsm.entry_index(port).is_some() && reached[port.index()])
            });
            work.extend(called.filter_map(|site| rsm.return_port(site, exit)));
        }
    }
    reached
}

type Shape = (BTreeMap<String, (Vec<String>, bool)>, BTreeSet<BTreeSet<String>>, usize);

/// The nodes that can be reached with their labels and whether they are exits, how they are shared
/// out among components, and how many edges lead between them; without the heads of `#`, which a
/// `.rsm` has not.
fn shape(rsm: &Rsm) -> Shape {
    let reached = reachable(rsm);
    let mut nodes = BTreeMap::new();
    let mut components = BTreeSet::new();
    let mut edges = 0;
    for component in rsm.components() {
        let mut members = BTreeSet::new();
        for node in rsm.nodes(component).filter(|node| reached[node.index()]) {
            let name = rsm.vertex_name(node).into_owned();
            if name.starts_with('#') {
                continue;
            }
            let labels = rsm.labels_of(node).map(|label| rsm.label_name(label).to_owned());
            let mut labels: Vec<String> = labels.filter(|label| label != "csq").collect();
            labels.sort();
            nodes.insert(name.clone(), (labels, rsm.is_exit(node)));
            members.insert(name);
            let local =
                rsm.successors(node).filter(|&target| rsm.kind(target) == VertexKind::Node && target != node);
            edges += local.count();
        }
        if !members.is_empty() {
            components.insert(members);
        }
    }
    (nodes, components, edges)
}

/// Needs: ../shared/benchmarks/java-usedef, unzip
#[test]
fn three_formats_give_one_machine() {
    let semantics = Semantics { dead_ends: DeadEnds::Loop, ..Semantics::default() };
    for program in PROGRAMS {
        let (Some(rsm), Some(pds), Some(pdmu)) =
            (unzipped(program, ".rsm"), unzipped(program, ".pds"), unzipped(program, ".pdmu"))
        else {
            eprintln!(
                "SKIPPED: the archive of {program} or `unzip` is missing, its formats were not compared"
            );
            continue;
        };
        let (rsm, _) = read_rsm_json(rsm.as_bytes(), &semantics).unwrap();
        let (pds, pdmu) = (read_pds(&pds).unwrap(), read_pdmu(&pdmu).unwrap());
        let wanted = shape(&rsm);
        let machine = |pds: &Pds| pds.to_rsm(&semantics, &Recovery::Procedures).unwrap().0;
        // calls of what is not in the program are dead ends in one of them, in every format
        let strict = pds.to_rsm(&Semantics::default(), &Recovery::Procedures);
        assert_eq!(strict.is_ok(), program != "fop2pdf", "{program}: dead ends");
        compare(program, "pds", &wanted, &shape(&machine(&pds)));
        compare(program, "pdmu", &wanted, &shape(&machine(&pdmu)));
        let mut text = Vec::new();
        write_pds(&pds, &mut text).unwrap();
        let again = read_pds(std::str::from_utf8(&text).unwrap()).unwrap();
        compare(program, "pds, written and read", &wanted, &shape(&machine(&again)));
    }
}

fn compare(program: &str, format: &str, wanted: &Shape, found: &Shape) {
    assert_eq!(wanted.0.len(), found.0.len(), "{program}.{format}: nodes");
    for (one, other) in wanted.0.iter().zip(&found.0) {
        assert_eq!(one, other, "{program}.{format}");
    }
    assert_eq!(wanted.1, found.1, "{program}.{format}: components");
    assert_eq!(wanted.2, found.2, "{program}.{format}: edges");
}

/// Needs: ../shared/benchmarks/java-usedef, unzip
#[test]
fn properties_are_those_beside_the_program() {
    for program in PROGRAMS {
        let (Some(pdmu), Some(ctl)) = (unzipped(program, ".pdmu"), unzipped(program, "_single_usedef.ctl"))
        else {
            eprintln!(
                "SKIPPED: the archive of {program} or `unzip` is missing, its property was not compared"
            );
            continue;
        };
        let pds = read_pdmu(&pdmu).unwrap();
        let noted = ctl.lines().find(|line| line.starts_with('A')).unwrap();
        let letters = |text: &str| text.replace("-->", "->").split_whitespace().collect::<String>();
        assert_eq!((pds.properties.len(), pds.properties[0].logic.as_str()), (1, "ctl"));
        assert_eq!(letters(&pds.properties[0].text), letters(noted), "{program}");
    }
}
