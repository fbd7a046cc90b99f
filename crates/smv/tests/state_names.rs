//! States are found by their names, however large the domains of their variables are.

use loris_base::Budget;
use loris_rsm::Rsm;
use loris_smv::{Labels, Limits, build, read_smv};

fn machine(text: &str) -> Rsm {
    let (smv, _) = read_smv(text).expect("a model");
    let built = build(smv.program(), &[], Labels::All, &Limits::default(), &mut Budget::unlimited());
    built.expect("states").rsm
}

/// Every state is found by its name, more than once, and nothing is found by the other names.
fn check(text: &str, count: usize, absent: &[&str]) {
    let rsm = machine(text);
    let mut found = 0;
    for component in rsm.components() {
        // the first few lookups scan all states, later ones search them in order
        for _ in 0..20 {
            for node in rsm.nodes(component) {
                let name = rsm.vertex_name(node);
                assert_eq!(rsm.find_node(component, &name), Some(node), "{name}");
            }
            for name in absent {
                assert_eq!(rsm.find_node(component, name), None, "{name}");
            }
        }
        found += rsm.nodes(component).count();
    }
    assert_eq!(found, count);
}

#[test]
fn ranges_are_not_searched() {
    let text = "MODULE main VAR v : 0..1099511627775; w : -9000000000..9000000000;
        ASSIGN init(v) := 1099511627770; init(w) := -8999999999; next(w) := w;
        next(v) := v < 1099511627775 ? v + 1 : v;";
    let absent = [
        "v=1099511627769 w=-8999999999",
        "v=01099511627770 w=-8999999999",
        "v=+1099511627770 w=-8999999999",
        "v=1099511627776 w=-8999999999",
        "v=99999999999999999999 w=0",
        "v=1099511627770 w=-8999999999 ",
        "v=1099511627770",
        "v=EXIT w=EXIT",
        "v=-9223372036854775808 w=0",
        "w=-8999999999 v=1099511627770",
        "",
    ];
    check(text, 6, &absent);
}

#[test]
fn words_constants_and_truth_values() {
    let text = "MODULE main VAR b : boolean; u : unsigned word[32]; s : signed word[32]; e : {red, 7, -2};
        ASSIGN init(u) := 0ud32_4294967295; next(u) := u;
        init(s) := -0sd32_2147483648; next(s) := s;";
    let absent = [
        "b=TRUE u=4294967295 s=-0sd32_2147483648 e=red",
        "b=TRUE u=0ud32_4294967295 s=0sd32_-2147483648 e=red",
        "b=1 u=0ud32_4294967295 s=-0sd32_2147483648 e=red",
        "b=TRUE u=0ud32_4294967295 s=-0sd32_2147483648 e=blue",
        "b=TRUE u=0ud16_4294967295 s=-0sd32_2147483648 e=red",
    ];
    check(text, 6, &absent);
}

#[test]
fn variables_that_have_left() {
    let text = "MODULE main VAR s : 0..2; ASSIGN init(s) := 0; next(s) := s = 0 ? 2 : EXIT;";
    check(text, 3, &["1", "3", "exit"]);
}
