//! Large and deep files: no recursion, no quadratic work.

#![allow(clippy::unwrap_used)] // helpers of tests

use loris_base::Budget;
use loris_smv::ir::Expr;
use loris_smv::{read_smv, read_smv_within};
use std::fmt::Write;

const MANY: usize = 100_000;

fn read(text: &str) -> loris_smv::Smv {
    match read_smv(text) {
        Ok((smv, _)) => smv,
        Err(problems) => panic!("{:#?}", &problems.sorted()[..3.min(problems.len())]),
    }
}

#[test]
fn long_chains_and_deep_nesting() {
    let repeat = |term: &str| vec![term; MANY].join(" ");
    let text = format!(
        "MODULE main VAR x : 0..3; b : boolean; w : word[3];
         DEFINE d1 := b {}; d2 := x {}; d3 := {}b; d4 := {}b{}; d5 := x in {{0}} {}; d6 := w {}; d7 := b {};
         SPEC b {} SPEC {} b",
        repeat("| b"),
        repeat("+ x"),
        "!".repeat(MANY),
        "(".repeat(MANY),
        ")".repeat(MANY),
        repeat("union {1, x}"),
        repeat("& w"),
        repeat("-> b"),
        repeat("| b"),
        repeat("AG"),
    );
    let smv = read(&text);
    let structure = smv.program().structures.iter().next().unwrap();
    let d1 = structure.labels.iter().find(|label| label.name == "d1").unwrap();
    assert!(matches!(structure.exprs.get(d1.condition), Expr::Or(all) if all.len() == MANY + 1));
}

#[test]
fn long_chains_of_definitions() {
    let mut text = "MODULE main VAR x : boolean; DEFINE\n".to_owned();
    for i in 0..MANY {
        writeln!(text, "  d{i} := !d{} | x;", i + 1).unwrap();
    }
    writeln!(text, "  d{MANY} := x;").unwrap();
    let smv = read(&text);
    assert_eq!(smv.program().structures.iter().next().unwrap().labels.len(), MANY + 1);
    let cyclic = text.replace(&format!("d{MANY} := x"), &format!("d{MANY} := d0"));
    assert_eq!(read_smv(&cyclic).unwrap_err().len(), 1);
}

#[test]
fn long_chains_of_values() {
    let mut text = "MODULE main VAR\n".to_owned();
    (0..20_000).for_each(|i| writeln!(text, "  x{i} : boolean;").unwrap());
    text += "ASSIGN\n";
    for i in 1..20_000 {
        writeln!(text, "  init(x{i}) := !x{0}; next(x{i}) := next(x{0}) & x{i};", i - 1).unwrap();
    }
    read(&text);
    text += "init(x0) := x19999;";
    assert_eq!(read_smv(&text).unwrap_err().len(), 1);
}

/// What is shared must not be walked once for each way that leads to it.
#[test]
fn shared_parts() {
    let mut text =
        "MODULE main VAR b : boolean; c : 0..3; n : 0..3; DEFINE d0 := {0, 1}; e0 := {0, c};\n".to_owned();
    for i in 0..80 {
        writeln!(text, "d{0} := b ? d{i} : d{i}; e{0} := (b ? e{i} : e{i} union {{{i}}});", i + 1).unwrap();
    }
    read(&format!("{text} ASSIGN next(b) := d80;"));
    let problems = read_smv(&format!("{text} ASSIGN next(n) := e80 + e80;")).unwrap_err();
    assert_eq!(problems.sorted()[0].message, "this set is too large to compute with");
    let sums = vec!["(b ? {0, 1} : {0, c})"; 60].join(" + ");
    let problems = read_smv(&format!("{text} ASSIGN next(n) := {sums};")).unwrap_err();
    assert_eq!(problems.sorted()[0].message, "this set is too large to compute with");
}

#[test]
fn instances_nested_too_deep() {
    let mut text = "MODULE main VAR a : m0;\n".to_owned();
    (0..1200).for_each(|i| writeln!(text, "MODULE m{i} VAR a : m{};", i + 1).unwrap());
    text += "MODULE m1200 VAR x : boolean;";
    let problems = read_smv(&text).unwrap_err();
    assert_eq!(problems.sorted()[0].message, "instances are nested more than 1000 deep");
}

#[test]
fn parameters_handed_down() {
    let mut text = "MODULE main VAR y : boolean; a : m0(y, y & y);\n".to_owned();
    (0..900).for_each(|i| writeln!(text, "MODULE m{i}(p, q) VAR a : m{}(p, q & q);", i + 1).unwrap());
    text += "MODULE m900(p, q) VAR x : boolean; SPEC EF (p & q)";
    let smv = read(&text);
    let property = &smv.program().properties[0];
    let atoms: Vec<_> = property.formula.atoms().iter().collect();
    assert_eq!(atoms[0], "y");
    assert_eq!(&atoms[1][atoms[1].len() - 4..], ".a.q");
}

/// As in the thesis: a value, a branch, a definition and a property for each of this many states.
fn many(count: usize) -> String {
    let mut text = "MODULE main VAR s : {".to_owned();
    let values: Vec<_> = (0..count).map(|i| format!("s{i}")).collect();
    text += &values.join(", ");
    text += "};\nASSIGN init(s) := s0; next(s) := case\n";
    for i in 0..count {
        writeln!(text, "  s = s{i} : {{s{}, s{}}};", (i * 7 + 1) % count, (i * 11 + 3) % count).unwrap();
    }
    text += "esac;\nDEFINE\n";
    (0..count).for_each(|i| writeln!(text, "  p{i} := s in {{s{i}, s{}, s{}}};", i / 2, i / 3).unwrap());
    (0..count).for_each(|i| writeln!(text, "SPEC AG (p{i} -> EF p{})", (i * 3) % count).unwrap());
    text
}

#[test]
fn many_values_branches_definitions_and_properties() {
    assert_eq!(read(&many(5000)).program().properties.len(), 5000);
}

/// How many steps of work a file takes.
fn work(text: &str) -> u64 {
    let mut budget = Budget::unlimited();
    assert!(read_smv_within(text, &mut budget).is_ok());
    budget.spent()
}

#[test]
fn work_is_linear() {
    let instances = |count: usize| {
        let cells = (1..count).map(|i| format!("c{i} : cell(c{}.x);\n", i - 1));
        format!(
            "MODULE main VAR c0 : cell(TRUE); {} SPEC AG c{}.d \
             MODULE cell(y) VAR x : boolean; DEFINE d := x & y; ASSIGN next(x) := y;",
            cells.collect::<String>(),
            count - 1
        )
    };
    let past = |count: usize| format!("MODULE main VAR b : boolean; LTLSPEC {} b", "Y ".repeat(count));
    let check = |name: &str, count: usize, text: &dyn Fn(usize) -> String| {
        let [once, twice] = [count, 2 * count].map(|count| work(&text(count)));
        assert!(once > count as u64, "{name}: {once} steps");
        assert!(twice < 2 * once + once / 5, "{name}: {once} steps, then {twice}");
    };
    check("many", 1000, &many);
    check("instances", 1000, &instances);
    check("past", 100, &past);
}

#[test]
fn many_unknown_names() {
    let mut text = "MODULE main VAR x : boolean; DEFINE\n".to_owned();
    (0..5000).for_each(|i| writeln!(text, "  d{i} := unknown_{i};").unwrap());
    assert_eq!(read_smv(&text).unwrap_err().len(), 5000);
}
