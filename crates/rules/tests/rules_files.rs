//! Rules files: what is wrong with them and where, and the documentation of the shipped ones.

use loris_rules::{Config, read_rules, shipped_rules};
use std::path::Path;

/// Offsets and messages of all problems of a file.
fn check(text: &str, expected: &[(&str, &str)]) {
    let (_, problems) = read_rules(text);
    compare(text, &problems, expected);
}

fn compare(text: &str, problems: &loris_base::Diagnostics, expected: &[(&str, &str)]) {
    let found: Vec<(String, String)> = problems
        .sorted()
        .iter()
        .map(|problem| {
            let at = problem.offset.map_or(0, |offset| offset as usize);
            let word = text[at..].split(['\n', ' ']).next().unwrap_or_default();
            (word.to_owned(), problem.message.clone())
        })
        .collect();
    let expected: Vec<(String, String)> =
        expected.iter().map(|(at, message)| ((*at).to_owned(), (*message).to_owned())).collect();
    assert_eq!(found, expected, "{text}");
}

const RULE: &str = "[[rule]]\nid = \"a\"\nmessage = \"m\"\n";

#[test]
fn rules_are_read() {
    check("", &[]);
    check(&format!("{RULE}check = \"dead-store\"\nlevel = \"note\"\ncwe = [563]\n"), &[]);
    check(&format!("{RULE}property = \"A G !x\"\nlogic = \"ctl*\"\n"), &[]);
}

#[test]
fn problems_have_their_places() {
    check(
        &format!("{RULE}check = \"dead-stroe\"\n"),
        &[("\"dead-stroe\"", "there is no check \"dead-stroe\"")],
    );
    check(
        &format!("{RULE}check = \"dead-store\"\nlevel = \"bad\"\n"),
        &[("\"bad\"", "a level is `error`, `warning` or `note`")],
    );
    check(RULE, &[("\"a\"", "a rule has one of `check`, `property` and the table `[rule.object]`")]);
    check(
        &format!("{RULE}property = \"A G !x\"\nlogic = \"hol\"\n"),
        &[("\"hol\"", "a logic is `ctl`, `ltl` or `ctl*`")],
    );
    check(
        "[[rule]]\nid = \"A b\"\nmessage = \"\"\n",
        &[("\"A", "an identifier consists of small letters, digits and `-`")],
    );
    check("[other]\n", &[("other]", "a rules file consists of tables `[[rule]]`")]);
}

#[test]
fn all_problems_are_reported_at_once() {
    let text = "[[rule]]\nid = 3\nmessage = \"m\"\n\n[[rule]]\nid = \"b\"\nmessage = \"m\"\nchekc = \"x\"\n";
    let (_, problems) = read_rules(text);
    let places: Vec<Option<u64>> = problems.sorted().iter().map(|problem| problem.offset).collect();
    let at = |word: &str| text.find(word).map(|at| at as u64);
    assert_eq!(places, [at("3"), at("chekc")]);
    let twice = format!("{RULE}check = \"dead-store\"\n{RULE}check = \"dead-store\"\n");
    check(&twice, &[("\"a\"", "there are two rules \"a\"")]);
}

#[test]
fn configuration_names_rules_that_exist() {
    let text = "[java]\ndisable = [\"dead-store\", \"ded\"]\nlevels = { leak = \"error\" }\n";
    let (config, problems) = Config::read(text);
    assert!(problems.is_empty());
    let mut rules = shipped_rules();
    compare(text, &config.apply(&mut rules), &[("\"ded\"]", "there is no rule \"ded\"")]);
    let rule = |id: &str| rules.iter().find(|rule| rule.info.id == id).expect("a shipped rule");
    assert!(!rule("dead-store").on_by_default);
    assert_eq!(rule("leak").info.level, loris_findings::Level::Error);
}

#[test]
fn every_shipped_rule_has_a_page_with_examples() {
    let docs = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/rules");
    let rules = shipped_rules();
    assert!(rules.len() > 25);
    for rule in &rules {
        let page = rule.page.as_ref().expect("a page");
        let text = std::fs::read_to_string(docs.join(format!("{page}.md"))).expect("a page that is there");
        assert!(text.contains(&rule.info.id), "{page} does not mention {}", rule.info.id);
        assert!(text.to_lowercase().contains("bad") && text.to_lowercase().contains("good"), "{page}");
        assert!(!rule.info.help.is_empty() && !rule.info.summary.is_empty());
    }
}
