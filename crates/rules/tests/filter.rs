//! Filter files of `SpotBugs`: what they suppress, and what is wrong with them and where.

use loris_base::Severity;
use loris_findings::{Declaration, Finding, Level, Location, Outcome};
use loris_rules::shipped_rules;
use loris_rules::suppress::Filter;

/// A leak in a method, a dead store in one without parameters, and an unused field.
fn findings() -> Vec<Finding> {
    let method = |rule: &str, class: &str, name: &str, descriptor: &str, file: &str| Finding {
        declaration: Some(Declaration::of_method(class, name, descriptor)),
        locations: vec![Location::line(file, 7)],
        ..Finding::new(rule, Level::Warning, Outcome::Fails, rule)
    };
    let mut field = method("unused-field", "a.b.C$D", "", "[I", "a/b/C.java");
    if let Some(declaration) = &mut field.declaration {
        declaration.field = Some("count".to_owned());
    }
    vec![
        method("leak", "a.b.C", "open", "(Ljava/lang/String;I)Ljava/io/Reader;", "a/b/C.java"),
        method("dead-store", "a.E", "run", "()V", "a/E.java"),
        field,
    ]
}

/// Which of the findings conditions suppress.
fn check(conditions: &str, expected: &[&str]) {
    let rules = shipped_rules();
    let text = format!("<FindBugsFilter>\n<Match>{conditions}</Match>\n</FindBugsFilter>\n");
    let (filter, problems) = Filter::read(&text, &rules);
    assert!(!problems.has_errors(), "{conditions}: {:?}", problems.sorted());
    let mut found = findings();
    filter.apply(&rules, &mut found, "f.xml");
    let suppressed = found.iter().filter(|finding| finding.suppressed.is_some());
    let suppressed: Vec<&str> = suppressed.map(|finding| &*finding.rule).collect();
    assert_eq!(suppressed, expected, "{conditions}");
    let places = found.iter().filter_map(|finding| finding.suppressed.as_ref());
    places.for_each(|by| assert_eq!(by.place, "f.xml:2"));
}

/// The text at each problem, and the problem.
fn wrong(text: &str, expected: &[(&str, &str, Severity)]) {
    let (_, problems) = Filter::read(text, &shipped_rules());
    let at = |offset: Option<u64>| {
        let rest = &text[offset.map_or(0, |offset| offset as usize)..];
        rest.split([' ', '>', '\n']).next().unwrap_or_default().to_owned()
    };
    let found: Vec<(String, &str, Severity)> =
        problems.sorted().iter().map(|one| (at(one.offset), &*one.message, one.severity)).collect();
    let expected: Vec<(String, &str, Severity)> =
        expected.iter().map(|(at, message, severity)| ((*at).to_owned(), *message, *severity)).collect();
    assert_eq!(found, expected, "{text}");
}

#[test]
fn classes_packages_and_sources() {
    check("<Class name='a.b.C'/>", &["leak"]);
    check("<Class name='a.b'/>", &[]);
    check("<Class name='~a\\.b\\..*'/>", &["leak", "unused-field"]);
    check("<Class name='~.*E'/>", &["dead-store"]);
    // a regular expression is one for the whole name
    check("<Class name='~b'/>", &[]);
    check("<Class name='~a.E|x'/>", &["dead-store"]);
    check("<Package name='a'/>", &["dead-store"]);
    check("<Source name='C.java'/>", &["leak", "unused-field"]);
    check("<Source name='~a/.*'/>", &["leak", "dead-store", "unused-field"]);
}

#[test]
fn methods_and_fields() {
    check("<Method name='open'/>", &["leak"]);
    check("<Method name='~.*'/>", &["leak", "dead-store"]);
    check("<Method name='open' params='java.lang.String, int' returns='java.io.Reader'/>", &["leak"]);
    check("<Method name='open' params='java.lang.String'/>", &[]);
    check("<Method params='' returns='void'/>", &["dead-store"]);
    check("<Method name='open' role='METHOD_DEFAULT'/>", &["leak"]);
    check("<Method name='open' role='METHOD_CALLED'/>", &[]);
    check("<Field name='count'/>", &["unused-field"]);
    check("<Field name='~c.*' type='int[]'/>", &["unused-field"]);
    check("<Field name='count' type='int'/>", &[]);
}

#[test]
fn rules_have_names_in_both_tools() {
    check("<Bug pattern='OS_OPEN_STREAM'/>", &["leak"]);
    check("<Bug pattern='NP_ALWAYS_NULL, DLS_DEAD_LOCAL_STORE'/>", &["dead-store"]);
    check("<Bug pattern='leak'/>", &["leak"]);
    check("<Bug pattern='loris:dead-store'/>", &["dead-store"]);
    check("<Bug pattern='~U[RU]F_.*'/>", &["unused-field"]);
    // a prefix counts in annotations only
    check("<Bug pattern='OS'/>", &[]);
    check("<Bug code='OBL,URF'/>", &["leak", "unused-field"]);
    check("<Bug category='STYLE'/>", &["dead-store"]);
    check("<Bug category='STYLE' pattern='leak'/>", &["leak", "dead-store"]);
}

#[test]
fn conditions_are_combined() {
    check("", &["leak", "dead-store", "unused-field"]);
    check("<Class name='a.b.C'/><Bug code='DLS'/>", &[]);
    check("<Or><Class name='a.b.C'/><Bug code='DLS'/></Or>", &["leak", "dead-store"]);
    check("<Not><Or><Class name='a.b.C'/><Bug code='DLS'/></Or></Not>", &["unused-field"]);
    check("<Or><And><Method name='run'/><Bug code='DLS'/></And></Or>", &["dead-store"]);
    check("<Or/>", &[]);
    check("<And/>", &["leak", "dead-store", "unused-field"]);
}

#[test]
fn what_findings_do_not_have_suppresses_nothing() {
    check("<Confidence value='1'/>", &[]);
    check("<Not><Rank value='20'/></Not>", &[]);
    // unless it does not matter
    check("<Or><Local name='x'/><Bug code='DLS'/></Or>", &["dead-store"]);
    check("<Not><And><Local name='x'/><Bug code='DLS'/></And></Not>", &["leak", "unused-field"]);
}

#[test]
fn problems_have_their_places() {
    use Severity::{Error, Warning};
    wrong("<a/>", &[("<a/", "this is not a filter file: it starts with `a`", Error)]);
    wrong("<FindBugsFilter><x/></FindBugsFilter>", &[("<x/", "a filter file has no element `x`", Error)]);
    wrong(
        "<FindBugsFilter>\n<Match><Clas name='x'/></Match>\nwords</FindBugsFilter>",
        &[
            ("<Clas", "there is no condition `Clas`", Error),
            ("words</FindBugsFilter", "a filter file has no text between elements", Error),
        ],
    );
    wrong(
        "<FindBugsFilter><Match><Not><Class/></Not><Bug/><Method nam='x'/></Match></FindBugsFilter>",
        &[
            ("<Class/", "`Class` has a `name`", Error),
            ("<Bug/", "`Bug` names no rule", Error),
            ("'x'/", "`Method` has no attribute `nam`", Error),
        ],
    );
    wrong(
        "<FindBugsFilter><Match><Not/><Bug pattern='laek'/></Match><Match/></FindBugsFilter>",
        &[
            ("<Not/", "`Not` has one condition in it", Error),
            ("'laek'/", "there is no rule laek", Warning),
            ("<Match/", "this suppresses every finding", Warning),
        ],
    );
    let (_, problems) =
        Filter::read("<FindBugsFilter><Match><Class name='~a)|(b'/></Match></FindBugsFilter>", &[]);
    assert!(problems.sorted()[0].message.starts_with("the regular expression is wrong: "));
    wrong(
        "<FindBugsFilter><Match><Local name='x'/></Match></FindBugsFilter",
        &[
            ("<Local", "findings are not known by `Local`", Warning),
            ("</FindBugsFilter", "expected the `>` of the tag `</FindBugsFilter>`", Error),
        ]
        .map(|(at, message, severity)| (if at == "</FindBugsFilter" { "" } else { at }, message, severity)),
    );
}

#[test]
fn hostile_files_end() {
    let rules = shipped_rules();
    let deep = format!("<FindBugsFilter><Match>{}", "<And>".repeat(5000));
    assert!(Filter::read(&deep, &rules).1.has_errors());
    let large = "<FindBugsFilter><Match><Class name='~(a{1000}){1000}'/></Match></FindBugsFilter>";
    assert!(Filter::read(large, &rules).1.has_errors());
    // time linear in the name
    let slow = "<FindBugsFilter><Match><Class name='~(a*)*b'/></Match></FindBugsFilter>";
    let (filter, problems) = Filter::read(slow, &rules);
    assert!(problems.is_empty());
    let mut found = findings();
    if let Some(declaration) = &mut found[0].declaration {
        declaration.class = "a".repeat(10_000);
    }
    filter.apply(&rules, &mut found, "f.xml");
    assert!(found.iter().all(|finding| finding.suppressed.is_none()));
}
