//! Filter files of `SpotBugs`: any text is read without a panic, problems lie within it, and a
//! filter that was read can be applied to findings.

#![no_main]

use libfuzzer_sys::fuzz_target;
use loris_findings::{Declaration, Finding, Level, Location, Outcome};
use loris_rules::shipped_rules;
use loris_rules::suppress::Filter;

fuzz_target!(|text: &str| {
    let rules = shipped_rules();
    let (filter, problems) = Filter::read(text, &rules);
    assert!(problems.sorted().iter().all(|problem| problem.offset.unwrap_or(0) as usize <= text.len()));
    let mut finding = Finding::new("leak", Level::Warning, Outcome::Fails, "a leak");
    finding.declaration = Some(Declaration::of_method("com.acme.Main$Inner", "m", "(I[JLa/B;)V"));
    finding.locations.push(Location::line("com/acme/Main.java", 7));
    let field = Declaration { field: Some("f".to_owned()), ..Declaration::of_method("a.B", "", "I") };
    let of_field = Finding { declaration: Some(field), ..finding.clone() };
    filter.apply(&rules, &mut [finding, of_field], "filter.xml");
});
