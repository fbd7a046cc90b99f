//! Questions about variables that have left: every operator over every combination of values,
//! `EXIT` among them, compared with a direct evaluation; and equations without a value, which are
//! errors.

#![allow(clippy::unwrap_used)] // helpers of tests

#[path = "common/direct.rs"]
mod direct;

use direct::{V, VARIABLES, direct, leaves, random, templates, word};
use loris_base::{Budget, Rng};
use loris_smv::syntax::ast::Item;
use loris_smv::{Labels, Limits, Stopped, build, read_smv};
use std::collections::BTreeSet;
use std::fmt::Write;

/// The type of each variable, and how many values it has with `EXIT`.
const TYPES: [(&str, usize); 8] = [
    ("boolean", 3),
    ("boolean", 3),
    ("0..3", 5),
    ("-2..2", 6),
    ("{red, green, blue}", 4),
    ("word[3]", 9),
    ("signed word[3]", 9),
    ("word[2]", 5),
];

fn value(text: &str) -> V {
    let signed = |text: &str| text.split('_').nth(1).unwrap().parse::<i64>().unwrap();
    match text {
        "EXIT" => V::Exit,
        "TRUE" => V::Truth(true),
        "FALSE" => V::Truth(false),
        _ if text.starts_with("0ud3") => word(false, 3, signed(text)),
        _ if text.starts_with("0ud2") => word(false, 2, signed(text)),
        _ if text.starts_with("-0sd3") => word(true, 3, -signed(text)),
        _ if text.starts_with("0sd3") => word(true, 3, signed(text)),
        _ => text.parse().map_or_else(|_| V::Symbol(text.to_owned()), V::Number),
    }
}

/// The variables that an expression reads.
fn read_by(text: &str) -> BTreeSet<usize> {
    let words = text.split(|c: char| !c.is_ascii_alphanumeric() && c != '_');
    words.filter_map(|word| VARIABLES.iter().position(|variable| *variable == word)).collect()
}

/// Checks expressions of one kind in all states of the variables they read; how often they were
/// true, false and unknown.
fn check(kind: char, expressions: &[String]) -> [usize; 3] {
    let variables: BTreeSet<usize> = expressions.iter().flat_map(|text| read_by(text)).collect();
    if variables.is_empty() {
        return [0; 3];
    }
    let mut text = String::from("MODULE main\nCONSTANTS red, green, blue;\nVAR\n");
    for &i in &variables {
        writeln!(text, "{} : {};", VARIABLES[i], TYPES[i].0).unwrap();
    }
    text += "ASSIGN\n";
    for &i in &variables {
        let all = match VARIABLES[i] {
            "b" | "c" => "FALSE, TRUE",
            "n" => "0, 1, 2, 3",
            "m" => "-2, -1, 0, 1, 2",
            "s" => "red, green, blue",
            "w" => "0ud3_0, 0ud3_1, 0ud3_2, 0ud3_3, 0ud3_4, 0ud3_5, 0ud3_6, 0ud3_7",
            "v" => "-0sd3_4, -0sd3_3, -0sd3_2, -0sd3_1, 0sd3_0, 0sd3_1, 0sd3_2, 0sd3_3",
            _ => "0ud2_0, 0ud2_1, 0ud2_2, 0ud2_3",
        };
        let (name, first) = (VARIABLES[i], all.split(',').next().unwrap());
        writeln!(text, "init({name}) := {first}; next({name}) := {{{all}, EXIT}};").unwrap();
    }
    text += "DEFINE\n";
    let comparisons: &[&str] = match kind {
        't' => &["@", "(@) = TRUE", "(@) = EXIT"],
        'n' => &["(@) = 1", "(@) < 1", "(@) in {2, EXIT}", "(@) = EXIT"],
        's' => &["(@) = red", "(@) in {green, s}", "(@) = EXIT"],
        'w' => &["(@) = 0ud3_5", "(@) > 0ud3_3", "(@) = EXIT"],
        _ => &["(@) = -0sd3_3", "(@) < 0sd3_0", "(@) = EXIT"],
    };
    let reads_s = variables.contains(&4);
    let mut count = 0;
    for expression in expressions {
        for comparison in comparisons.iter().filter(|comparison| reads_s || !comparison.contains("s}")) {
            let question = comparison.replace('@', expression);
            writeln!(text, "l{count} := {question};\nn{count} := !({question});").unwrap();
            count += 1;
        }
    }
    let (smv, _) = read_smv(&text).unwrap_or_else(|problems| panic!("{text}\n{:#?}", problems.sorted()));
    let (program, file) = (smv.program(), smv.syntax());
    let built = build(program, &[], Labels::All, &Limits::default(), &mut Budget::unlimited());
    let rsm = built.unwrap_or_else(|stopped| panic!("{text}\n{stopped:?}")).rsm;
    assert_eq!(rsm.node_count(), variables.iter().map(|&i| TYPES[i].1).product::<usize>());
    let Some(Item::Define(defines)) =
        file.modules[0].items.iter().find(|item| matches!(item, Item::Define(_)))
    else {
        panic!("{text}")
    };
    let mut found = [0; 3];
    for node in rsm.nodes(rsm.initial_component()) {
        let mut state = vec![V::Unknown; VARIABLES.len()];
        for (name, text) in rsm.values(node) {
            state[VARIABLES.iter().position(|variable| *variable == name).unwrap()] = value(&text);
        }
        let labels: BTreeSet<&str> = rsm.labels_of(node).map(|label| rsm.label_name(label)).collect();
        for pair in defines.chunks(2) {
            let names = [&file.names[pair[0].name.name], &file.names[pair[1].name.name]];
            let expected = direct(file, pair[0].value, &state).pop().unwrap();
            let wanted = match expected {
                V::Truth(truth) => usize::from(!truth),
                _ => 2,
            };
            found[wanted] += 1;
            let holds = names.map(|name| labels.contains(name));
            assert_eq!(holds, [wanted == 0, wanted == 1], "{} in {state:?} of\n{text}", names[0]);
        }
    }
    found
}

/// All ways to fill in a template.
fn filled(template: &str) -> Vec<String> {
    let Some(at) = template.find('@') else { return vec![template.to_owned()] };
    let kind = char::from(template.as_bytes()[at + 1]);
    let leaves = &leaves(kind)[..leaves(kind).len().min(4)];
    let fill = |leaf: &&str| filled(&format!("{}{leaf}{}", &template[..at], &template[at + 2..]));
    leaves.iter().flat_map(fill).collect()
}

#[test]
fn every_operator_over_every_value() {
    let mut found = [0; 3];
    for kind in ['t', 'n', 's', 'w', 'g'] {
        let plain: Vec<String> = leaves(kind).iter().map(|&leaf| leaf.to_owned()).collect();
        let tables = templates(kind).iter().map(|template| filled(template)).chain([plain]);
        for expressions in tables {
            let more = check(kind, &expressions);
            (0..3).for_each(|i| found[i] += more[i]);
        }
    }
    assert!(found.iter().all(|&count| count > 10_000), "{found:?}");
}

#[test]
fn operators_within_operators() {
    let cases = loris_testing::cases(150);
    let mut rng = Rng::new(9);
    let mut found = [0; 3];
    for case in 0..cases {
        let kind = ['t', 'n', 's', 'w', 'g'][case % 5];
        let mut expression = String::new();
        random(&mut rng, kind, 3, &mut expression);
        let states: usize = read_by(&expression).iter().map(|&i| TYPES[i].1).product();
        if states <= 3000 {
            let more = check(kind, &[expression]);
            (0..3).for_each(|i| found[i] += more[i]);
        }
    }
    assert!(found.iter().all(|&count| count > 10 * cases), "{found:?}");
}

/// A variable `x` that starts as 1, with an equation that reads `b`, which leaves after the first
/// step.
#[track_caller]
fn equation(value: &str, expected: Option<&str>) {
    let text = format!(
        "MODULE main VAR b : boolean; c : boolean; x : 0..3;\n\
         ASSIGN init(b) := TRUE; next(b) := EXIT; init(c) := FALSE; next(c) := FALSE;\n\
         init(x) := 1; next(x) := {value};"
    );
    let (smv, _) = read_smv(&text).unwrap();
    let built = build(smv.program(), &[], Labels::All, &Limits::default(), &mut Budget::unlimited());
    let found = match built {
        Ok(_) => None,
        Err(Stopped::Wrong(found)) => found.sorted().first().map(|problem| problem.message.clone()),
        Err(Stopped::Exhausted(why)) => Some(why.to_string()),
    };
    assert_eq!(found.as_deref(), expected, "{value}");
}

#[test]
fn equations_need_values() {
    let unknown = Some("this reads a variable that is EXIT in state \"b=EXIT c=FALSE x=1\"");
    equation("b ? 1 : 1", unknown);
    equation("case b : 1; TRUE : 1; esac", unknown);
    equation("case b : {1, 2}; TRUE : 1; esac", unknown);
    equation("b & c ? 2 : 1", None);
    equation("c & b ? 2 : 1", None);
    equation("b | !c ? 1 : 2", None);
    equation("b | c ? 1 : 2", unknown);
    equation("b xor c ? 1 : 1", unknown);
    equation("b = c ? 2 : 1", None);
    equation("toint(b)", unknown);
    equation("count(b, c)", unknown);
    equation("x in {1, toint(b)} ? 1 : 2", None);
    equation("x in {2, toint(b)} ? 1 : 2", unknown);
    equation("1 .. toint(b)", unknown);
    equation("b = EXIT ? 1 : toint(b)", None);
}
