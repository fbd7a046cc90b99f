//! Facts about Java programs.

use crate::json::quoted;
use loris_base::visible;
use loris_java::calls::{CallGraph, Unresolved};
use loris_java::{ClassOrigin, Program};
use loris_rsm::Rsm;
use std::fmt::{self, Write};

/// Facts about a Java program.
#[derive(Clone, Copy, Debug)]
pub struct JavaFacts<'a> {
    /// The path of the program, as it was given.
    pub path: &'a str,
    /// Its classes.
    pub program: &'a Program,
    /// Its calls.
    pub graph: &'a CallGraph,
    /// Its machine.
    pub rsm: &'a Rsm,
}

/// Names that text shows of a list.
const SHOWN: usize = 10;

impl JavaFacts<'_> {
    fn sizes(&self) -> [(&'static str, usize); 13] {
        let (program, graph) = (self.program, self.graph);
        let of = |origin| program.classes().filter(move |&class| program.origin(class) == origin);
        let methods = of(ClassOrigin::Application).map(|class| program.methods_of(class).count()).sum();
        [
            ("classes", of(ClassOrigin::Application).count()),
            ("methods", methods),
            ("library classes", of(ClassOrigin::Library).count()),
            ("platform classes", of(ClassOrigin::Platform).count()),
            ("entries", graph.entries().len()),
            ("reachable methods", graph.reachable().len()),
            ("calls", graph.site_count()),
            ("unresolved calls", graph.unresolved().len()),
            ("assumed methods", graph.assumed().len()),
            ("damaged methods", graph.damaged().len()),
            ("components", self.rsm.component_count()),
            ("nodes", self.rsm.node_count()),
            ("edges", self.rsm.edge_count()),
        ]
    }

    fn entries(&self) -> Vec<String> {
        self.graph.entries().iter().map(|&method| self.program.method_name(method)).collect()
    }

    /// Unresolved calls: the method, the line if it is known, and why.
    fn unresolved(&self) -> Vec<(String, Option<u16>, &'static str)> {
        let program = self.program;
        let line = |method, number: usize| {
            let body = program.body(method).ok().flatten()?;
            body.code.line(body.instructions.get(number)?.at)
        };
        let calls = self.graph.unresolved().iter();
        calls
            .map(|&(method, number, why)| {
                let why = match why {
                    Unresolved::Missing => "missing",
                    Unresolved::Reflective => "reflective",
                    Unresolved::Bootstrap => "bootstrap",
                };
                (program.method_name(method), line(method, number), why)
            })
            .collect()
    }

    fn assumed(&self) -> Vec<String> {
        let mut names: Vec<String> =
            self.graph.assumed().iter().map(|&method| self.program.method_name(method)).collect();
        names.sort_unstable();
        names.dedup();
        names
    }
}

/// The facts as text.
///
/// # Errors
/// Those of the writer.
pub fn text_java(out: &mut impl Write, facts: &JavaFacts<'_>) -> fmt::Result {
    writeln!(out, "{}: java", visible(facts.path))?;
    for (name, count) in facts.sizes() {
        writeln!(out, "  {name:<18} {count}")?;
    }
    list(out, "runs start in", &facts.entries())?;
    let calls: Vec<String> = facts
        .unresolved()
        .into_iter()
        .map(|(method, line, why)| match line {
            Some(line) => format!("{method}, line {line}: {why}"),
            None => format!("{method}: {why}"),
        })
        .collect();
    list(out, "unresolved calls in", &calls)?;
    list(out, "assumed to return, or to throw what they declare", &facts.assumed())?;
    let damaged = facts.graph.damaged().iter();
    let damaged: Vec<String> =
        damaged.map(|(method, why)| format!("{}: {why}", facts.program.method_name(*method))).collect();
    list(out, "code that cannot be read in", &damaged)
}

fn list(out: &mut impl Write, title: &str, names: &[String]) -> fmt::Result {
    if names.is_empty() {
        return Ok(());
    }
    writeln!(out, "  {title}")?;
    for name in names.iter().take(SHOWN) {
        writeln!(out, "    {}", visible(name))?;
    }
    match names.len().checked_sub(SHOWN) {
        Some(more) if more > 0 => writeln!(out, "    and {more} more"),
        _ => Ok(()),
    }
}

/// The facts as JSON.
///
/// # Errors
/// Those of the writer.
pub fn json_java(out: &mut impl Write, facts: &JavaFacts<'_>) -> fmt::Result {
    writeln!(out, "{{\"loris\": {},", quoted(env!("CARGO_PKG_VERSION")))?;
    write!(out, " \"model\": {{\"path\": {}, \"format\": \"java\"", quoted(facts.path))?;
    for (name, count) in facts.sizes() {
        write!(out, ", \"{}\": {count}", name.replace(' ', "_"))?;
    }
    out.write_str("},\n \"entries\": [")?;
    let strings = |names: Vec<String>| names.iter().map(|name| quoted(name)).collect::<Vec<_>>().join(", ");
    out.write_str(&strings(facts.entries()))?;
    out.write_str("],\n \"unresolved\": [")?;
    for (i, (method, line, why)) in facts.unresolved().into_iter().enumerate() {
        let before = if i > 0 { ", " } else { "" };
        let line = line.map_or_else(|| "null".to_owned(), |line| line.to_string());
        let method = quoted(&method);
        write!(out, "{before}{{\"method\": {method}, \"line\": {line}, \"reason\": \"{why}\"}}")?;
    }
    out.write_str("],\n \"assumed\": [")?;
    out.write_str(&strings(facts.assumed()))?;
    out.write_str("],\n \"damaged\": [")?;
    for (i, (method, why)) in facts.graph.damaged().iter().enumerate() {
        let before = if i > 0 { ", " } else { "" };
        let method = quoted(&facts.program.method_name(*method));
        write!(out, "{before}{{\"method\": {method}, \"problem\": {}}}", quoted(why))?;
    }
    writeln!(out, "]}}")
}
