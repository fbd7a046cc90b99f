//! The meaning of texts, and the machines they give.

use super::oracle::same;
use crate::{DeadEnds, Pds, Recovery, Rsm, Semantics, Stats, read_pdmu, read_pds, write_pds};
use std::fmt::Write;

fn written(pds: &Pds) -> String {
    let mut text = Vec::new();
    write_pds(pds, &mut text).unwrap();
    String::from_utf8(text).unwrap()
}

fn machine(pds: &Pds, recovery: Recovery) -> Rsm {
    pds.to_rsm(&Semantics::default(), &recovery).unwrap().0
}

/// The text as this crate writes it.
fn check(text: &str, expected: &str) {
    let pds = read_pds(text).unwrap_or_else(|problems| panic!("{problems:?}"));
    let found = written(&pds);
    assert_eq!(found.strip_prefix("# written by loris\n"), Some(expected));
    let again = read_pds(&found).unwrap();
    assert_eq!(written(&again), found, "read again");
}

#[test]
fn both_orders_of_atoms() {
    let rules = "p <a> --> q <b a>\nq <b> --> p <>\n";
    check(&format!("(p a)\nATOMS l q, p\n{rules}"), &format!("(p <a>)\nATOMS l q, p\n{rules}"));
    check(
        &format!("(p <a>)\n ATOMS a l, m\nATOMS q m\n{rules}"),
        &format!("(p <a>)\nATOMS l <a>\nATOMS m q, <a>\n{rules}"),
    );
    check(
        &format!("(p <a>)\nATOMS l (p <a>), (q b)\n{rules}"),
        &format!("(p <a>)\nATOMS l (p <a>), (q <b>)\n{rules}"),
    );
    // a label may have the name of its carrier
    check(
        &format!("(p <a>)\nATOMS a a\nATOMS p p\n{rules}"),
        &format!("(p <a>)\nATOMS a <a>\nATOMS p p\n{rules}"),
    );
}

#[test]
fn hash_is_a_symbol_and_starts_comments() {
    let rules = "i <#> --> q <f #>\nq <f> --> q <>\nq <#> --> e <#>\n";
    check(&format!("# one\n(i #)\n ATOMS # #\n # two\n{rules}#"), &format!("(i <#>)\nATOMS # <#>\n{rules}"));
}

#[test]
fn comments_that_mean_something() {
    let text = "# property ctl: A G p\n(q <a #>)\n# loris initial (q <b>)\nATOMS p <a>\nATOMS _a_b\\ <b>\n# loris label _a_b\\ a\\nb\\\\\nq <a> --> q <b>\n";
    check(text, text);
    let pds = read_pds(text).unwrap();
    assert_eq!((pds.properties[0].logic.as_str(), pds.properties[0].text.as_str()), ("ctl", "A G p"));
    assert_eq!(pds.labels.iter().collect::<Vec<_>>(), ["p", "a\nb\\"]);
    assert_eq!(pds.initial.len(), 2);
    assert!(read_pds("# property of nothing\n(q <a>)\nq <a> --> q <a>\n").unwrap().properties.is_empty());
}

/// Found by the fuzzer: symbols of long words that no rule has any more, and labels that only they
/// carry.
#[test]
fn labels_of_what_never_occurs_are_kept() {
    let text = "(q <#>)\nATOMS p c, d\nq <#> --> q <a b c d>\n";
    let once = written(&read_pds(text).unwrap());
    let twice = written(&read_pds(&once).unwrap());
    assert_eq!(once, twice);
    assert!(
        machine(
            &read_pds("# written by loris\n(q <a>)\nATOMS p <b>\nq <a> --> q <>\n").unwrap(),
            Recovery::Single
        )
        .label("p")
        .is_some()
    );
}

#[test]
fn the_same_program_in_both_formats() {
    let pds = "(csinit #)\n ATOMS main main, def_x\n ATOMS f f\n ATOMS csinit csinit\n ATOMS csq csq\n ATOMS csend csend\n ATOMS # #\n
        csinit <#> --> csq <main #>\ncsq <main> --> csq <f last>\ncsq <f> --> csq < >\ncsq <last> --> csq < >\ncsq <#> --> csend <#>\n";
    let pdmu = "Rules:\n\ncsinit # -> csq main #;\ncsq main -> csq f last;\ncsq f -> csq _;\ncsq last -> csq _;\ncsq # -> csend  #;\n
        Propositions:\n\ncsinit # csinit #;\ncsq main csq main def_x;\ncsq f csq f;\ncsq last csq;\ncsq # csq #;\ncsend # csend #;\ncsend f csend f;\n
        Mu Property:\n\n!((nu X . (!csend & [@def_x]ff & [\\use_x usedef_x]X)) & ~[\\def_x usedef_x](nu Y.(mu Z. csend | <@def_x>tt | <\\use_x usedef_x>Z) & ~[\\def_x usedef_x]Y))";
    let (pds, pdmu) = (read_pds(pds).unwrap(), read_pdmu(pdmu).unwrap());
    assert!(same(&pds, &pdmu, 9));
    let property = &pdmu.properties[0];
    assert_eq!(property.text, "A G ((def_x | usedef_x) -> E F (use_x | usedef_x))");
    let rsm = machine(&pds, Recovery::Procedures);
    assert!(same(&rsm, &machine(&pdmu, Recovery::Procedures), 9));
    // the component of the three heads of `#`, main, and f, whose only node is entry and exit at
    // once
    let stats = Stats::of(&rsm);
    assert_eq!((stats.components, stats.nodes, stats.boxes, stats.empty_procedures), (3, 6, 2, 1));
    let names: Vec<&str> = rsm.components().map(|component| rsm.component_name(component)).collect();
    assert_eq!(names, ["#@csinit", "main", "f"]);
    assert_eq!(rsm.vertex_name(rsm.initial()[0]), "#@csinit");
}

/// rsm-analysis, Y2: one control state, one symbol.
#[test]
fn y2_is_the_machine_of_the_paper() {
    let pds = read_pds("(q <g>)\nq <g> --> q <g g>\nq <g> --> q <>\n").unwrap();
    for recovery in [Recovery::Procedures, Recovery::Single] {
        let rsm = machine(&pds, recovery);
        let stats = Stats::of(&rsm);
        assert_eq!((stats.components, stats.nodes, stats.boxes, stats.edges), (1, 2, 1, 4));
        assert_eq!((stats.entries, stats.exits, stats.theta), (1, 1, 1));
        let back = Pds::from_rsm(&rsm);
        assert_eq!(back.rules.len(), 4);
        assert!(same(&pds, &back, 9));
        let again = machine(&read_pds(&written(&back)).unwrap(), recovery);
        assert!(same(&rsm, &again, 9));
    }
}

/// A head that may return or go on, called where different labels hold, is copied, and only then.
#[test]
fn copies_are_made_for_labels() {
    let text = |atoms: &str| {
        format!("(q <m>)\n{atoms}q <m> --> q <f n>\nq <n> --> q <f m>\nq <f> --> q <f f>\nq <f> --> q <>\n")
    };
    let components =
        |atoms: &str| machine(&read_pds(&text(atoms)).unwrap(), Recovery::Procedures).component_count();
    assert_eq!(components(""), 2);
    assert_eq!(components("ATOMS p q\n"), 2);
    assert_eq!(components("ATOMS p m\n"), 3);
    assert_eq!(components("ATOMS p m\nATOMS r n\n"), 4);
}

/// Dead ends are reported where they are real: not where a call never returns that way, nor where a
/// run has ended.
#[test]
fn dead_ends() {
    let problems = |text: &str| {
        let pds = read_pds(text).unwrap();
        let strict = pds.to_rsm(&Semantics::default(), &Recovery::Procedures);
        assert!(
            pds.to_rsm(&Semantics { dead_ends: DeadEnds::Loop, ..Semantics::default() }, &Recovery::Single)
                .is_ok()
        );
        strict.map_or_else(
            |problems| problems.sorted().iter().map(|problem| problem.offset).collect(),
            |_| Vec::new(),
        )
    };
    let two =
        "(q <m>)\nq <m> --> a <f x>\na <x> --> b <f x>\nb <x> --> a <x>\na <f> --> a <>\nb <f> --> b <>\n";
    assert_eq!(problems(two), []);
    assert_eq!(problems("(q <m>)\nq <m> --> q <end>\n"), []);
    assert_eq!(problems("(q <m>)\nq <m> --> q <f m>\nq <f> --> q <stuck>\n"), [Some(26)]);
    assert_eq!(
        problems("(q <m>)\nq <m> --> q <f n>\nq <f> --> r <>\nq <f> --> q <f f>\nq <n> --> q <n>\n").len(),
        1
    );
}

/// More control states than fit into a word, more heads than are worth an array, and a deep stack
/// to start with.
#[test]
fn many_control_states_and_symbols() {
    let mut text = "(q <m>)\n".to_owned();
    for i in 0..150 {
        let next = (7 * i + 3) % 150;
        write!(text, "q <f> --> q <e{i}>\nq <e{i}> --> r{i} <>\nr{i} <n> --> r{next} <n{i}>\nr{next} <n{i}> --> q <m>\n").unwrap();
        writeln!(text, "ATOMS p{} <n{i}>", i % 7).unwrap();
    }
    text += "q <m> --> q <f n>\n";
    let pds = read_pds(&text).unwrap();
    let rsm = machine(&pds, Recovery::Procedures);
    assert!(same(&pds, &rsm, 7));
    assert!(same(&rsm, &Pds::from_rsm(&rsm), 7));

    let mut text = "(q0 <s0>)\n".to_owned();
    for i in 0..1500 {
        writeln!(text, "q{i} <s{i}> --> q{} <s{}>", i + 1, i + 1).unwrap();
    }
    let rsm = machine(&read_pds(&text).unwrap(), Recovery::Procedures);
    assert_eq!((rsm.node_count(), rsm.edge_count(), rsm.component_count()), (1501, 1500, 1));

    let text = format!(
        "(q <{}>)\nq <a> --> q <b a>\nq <a> --> r <>\nr <a> --> q <>\nq <b> --> q <>\n",
        "a ".repeat(3000)
    );
    let pds = read_pds(&text).unwrap();
    assert!(same(&pds, &machine(&pds, Recovery::Procedures), 5));
}
