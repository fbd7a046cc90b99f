//! Which crate may use which, from one table that `ARCHITECTURE.md` shows.

use super::Problems;
use super::tree::{Package, Tree, line_of};
use crate::page::between;
use anyhow::Context;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::fs;

/// A crate and those it may use, from the bottom up: a crate uses only those above its row.
/// Dependencies of tests are free. After a change, `cargo run --bin xtask -- tidy --bless`.
const ARROWS: &[(&str, &str)] = &[
    ("base", ""),
    ("findings", ""),
    ("circuit", "base"),
    ("games", "base"),
    ("json", "base"),
    ("xml", "base"),
    ("logic", "base"),
    ("rsm", "base"),
    ("lts", "base circuit json rsm xml"),
    ("java", "base rsm"),
    ("finite", "base logic"),
    ("solvers", "base circuit"),
    ("smv", "base circuit logic rsm"),
    ("evidence", "base circuit json logic lts rsm solvers"),
    ("symbolic", "base circuit logic solvers"),
    ("modular", "base evidence games logic lts solvers"),
    ("recursive", "base evidence finite games logic rsm"),
    ("baselines", "base evidence logic recursive rsm"),
    ("check", "base baselines circuit evidence finite games logic lts modular recursive rsm symbolic"),
    ("load", "base check circuit evidence games java json logic lts rsm smv"),
    ("rules", "base check evidence findings java load logic rsm xml"),
    ("report", "base check circuit evidence findings games java json logic lts rsm"),
    ("session", "base check circuit evidence java load logic lts report rsm smv"),
    ("loris", "base check evidence findings load report rsm rules session"),
    ("lsp", "base check evidence findings load logic report rsm rules session smv"),
    ("python", "base check evidence java load logic report rsm rules session"),
    ("cli", "base check evidence findings games java json load logic lsp lts report rsm rules session smv"),
    ("testing", "base evidence logic recursive rsm"),
    ("xtask", "base java logic lts"),
];

const HERE: &str = "xtask/src/tidy/arrows.rs";
const PAGE: &str = "ARCHITECTURE.md";

/// The crates, from the bottom up.
pub(super) fn crates() -> impl Iterator<Item = &'static str> {
    ARROWS.iter().map(|(name, _)| *name)
}

pub(super) fn check(tree: &Tree, problems: &mut Problems) -> anyhow::Result<()> {
    let names: BTreeMap<&str, &str> =
        tree.packages.iter().map(|package| (name(package), package.folder.as_str())).collect();
    let mut above = BTreeSet::new();
    for (from, allowed) in ARROWS {
        let allowed: BTreeSet<&str> = allowed.split_whitespace().collect();
        for to in allowed.difference(&above) {
            problems.add(HERE, 1, format!("{from} may not use {to}, which is not above it in the table"));
        }
        above.insert(from);
        let Some(package) = tree.packages.iter().find(|package| package.folder == *from) else {
            problems.add(HERE, 1, format!("there is no crate {from}"));
            continue;
        };
        let used = dependencies(package).filter_map(|name| names.get(name).copied()).collect();
        for to in allowed.difference(&used) {
            problems.add(HERE, 1, format!("{from} may use {to}, and does not: remove it from the table"));
        }
        for to in used.difference(&allowed) {
            let line = line_of(&package.text, &format!("\nloris-{to}")) + 1;
            problems.add(&package.path, line, format!("{from} may not use {to} (the table is in {HERE})"));
        }
    }
    for package in tree.packages.iter().filter(|package| !above.contains(package.folder.as_str())) {
        problems.add(&package.path, 1, format!("the crate is not in the table of {HERE}"));
    }
    let page = tree.file(PAGE).context(PAGE)?;
    if blessed(&page.text)? != page.text {
        let line = line_of(&page.text, "<!-- begin arrows -->");
        problems.add(
            PAGE,
            line,
            "the table of crates is out of date: `cargo run --bin xtask -- tidy --bless`",
        );
    }
    Ok(())
}

/// Writes the table into the page.
pub(super) fn bless(tree: &Tree) -> anyhow::Result<()> {
    let page = tree.file(PAGE).context(PAGE)?;
    Ok(fs::write(tree.root.join(PAGE), blessed(&page.text)?)?)
}

fn blessed(page: &str) -> anyhow::Result<String> {
    let mut table = String::from("| crate | uses |\n|---|---|\n");
    for (from, allowed) in ARROWS {
        let allowed: Vec<String> = allowed.split_whitespace().map(|name| format!("`{name}`")).collect();
        let _ = writeln!(table, "| `{from}` | {} |", allowed.join(", "));
    }
    between(page, "arrows", &table).context(PAGE)
}

fn name(package: &Package) -> &str {
    package.manifest.get("package").and_then(|table| table.get("name")?.as_str()).unwrap_or_default()
}

/// The packages that a package needs to be built, those of single platforms included.
fn dependencies(package: &Package) -> impl Iterator<Item = &str> {
    let targets = package.manifest.get("target").and_then(|targets| targets.as_table());
    let targets = targets.into_iter().flat_map(|targets| targets.values());
    let tables = package.manifest.get("dependencies").into_iter();
    let tables = tables.chain(targets.filter_map(|target| target.get("dependencies")));
    tables.filter_map(|table| table.as_table()).flatten().map(|(name, _)| name.as_str())
}
