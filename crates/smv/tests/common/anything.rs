//! What must be so for any text whatever: for plain tests on files, and for the fuzzer
//! (`fuzz/fuzz_targets/smv.rs`).

use loris_base::{Budget, Diagnostics};
use loris_rsm::DeadEnds;
use loris_smv::syntax::{ast::File, parse_file, write_file};
use loris_smv::write::write_smv;
use loris_smv::{Labels, Limits, Stopped, build, read_smv};
use std::str::FromStr;

/// States that are made of one text.
const MOST_STATES: usize = 2000;

/// Steps of a machine that is written as a text: where every state leads to every other, that text
/// is long.
const MOST_WRITTEN: usize = 10_000;

/// Problems lie within the text; what is printed is read as the same and means the same; states are
/// made, or it is told why not; and a machine that is made can be written as a text that can be
/// read.
pub(crate) fn anything(text: &str) {
    let (file, problems) = parse_file(text);
    if !problems.is_empty() {
        return located(&problems, text);
    }
    let printed = print(&file);
    let again = File::from_str(&printed).unwrap_or_else(|problems| panic!("{printed}\n{problems:?}"));
    assert_eq!(print(&again), printed);
    assert_eq!(again.modules.len(), file.modules.len());
    drop((again, file));
    let (read, of_printed) = (read_smv(text), read_smv(&printed));
    assert_eq!(read.is_ok(), of_printed.is_ok(), "{printed}");
    let (mut smv, warnings) = match read {
        Ok(read) => read,
        Err(problems) => return located(&problems, text),
    };
    assert!(!warnings.has_errors());
    for property in ["AG (x = 1 -> EF p)", "E [ p U q ]", "G F x in {0, a}"] {
        if let Err(problems) = smv.property(property) {
            located(&problems, property);
        }
    }
    for dead_ends in [DeadEnds::Error, DeadEnds::Loop] {
        states(&smv, text, &Limits { states: MOST_STATES, dead_ends, ..Limits::default() });
    }
}

fn states(smv: &loris_smv::Smv, text: &str, limits: &Limits) {
    let program = smv.program();
    let properties: Vec<_> = program.properties.iter().collect();
    let mut budget = Budget::steps(1_000_000);
    match build(program, &properties, Labels::All, limits, &mut budget) {
        Ok(built) => {
            assert_eq!(built.atoms.len(), properties.len());
            for component in built.rsm.components() {
                for node in built.rsm.nodes(component).take(20) {
                    let name = built.rsm.vertex_name(node);
                    assert_eq!(built.rsm.find_node(component, &name), Some(node), "{name}");
                }
            }
            let mut written = Vec::new();
            if built.rsm.edge_count() <= MOST_WRITTEN && write_smv(&built.rsm, &[], &mut written).is_ok() {
                let written = String::from_utf8(written).expect("names are UTF-8");
                read_smv(&written).unwrap_or_else(|problems| panic!("{written}\n{problems:?}"));
            }
        }
        Err(Stopped::Wrong(problems)) => located(&problems, text),
        Err(Stopped::Exhausted(_)) => {}
    }
}

fn print(file: &File) -> String {
    let mut text = String::new();
    write_file(file, &mut text).expect("a string takes everything");
    text
}

fn located(problems: &Diagnostics, text: &str) {
    assert!(problems.has_errors());
    for problem in problems.sorted() {
        let offset = problem.offset.unwrap_or(0) as usize;
        assert!(text.is_char_boundary(offset), "{problem:?} is not at a character of the text");
    }
}
