//! Evidence as JSON (`docs/formats.md`, "Evidence"), written by a loop, however deep it is.

use crate::run::base;
use crate::{Evidence, Loop, Path, PathId};
use loris_base::Idx;
use loris_rsm::Rsm;
use rustc_hash::FxHashSet;
use std::cell::OnceCell;
use std::fmt::{self, Write};

/// The name of the unlabelled state after the last exit: `(sink)`, with as many primes as it takes to be
/// no node of the initial component. Linear in the nodes of that component.
pub(crate) fn sink_name(rsm: &Rsm) -> String {
    let mut name = String::from("(sink)");
    let component = rsm.initial_component();
    if !rsm.has_listed_names() {
        return name;
    }
    let alike: FxHashSet<_> = rsm
        .nodes(component)
        .map(|node| rsm.vertex_name(node))
        .filter(|other| other.starts_with("(sink"))
        .collect();
    while alike.contains(&*name) {
        name.insert(name.len() - 1, '\'');
    }
    name
}

enum Task {
    Path(PathId),
    Claim(usize),
    Text(&'static str),
}

impl Evidence {
    /// Writes the evidence on one line.
    pub fn write_json(&self, rsm: &Rsm, out: &mut impl Write) -> fmt::Result {
        if self.paths.is_empty() {
            return out.write_str("null");
        }
        let root = PathId::new(0);
        let sink = OnceCell::new();
        // what is still to be written, the next on top
        let mut tasks = vec![Task::Text("}")];
        if !self.also.is_empty() {
            tasks.push(Task::Text("]"));
            for (i, &path) in self.also.iter().enumerate().rev() {
                tasks.extend([Task::Text("}"), Task::Path(path)]);
                tasks.extend((i > 0).then_some(Task::Text(",")));
            }
            tasks.push(Task::Text(",\"also\":["));
        }
        tasks.push(Task::Path(root));
        while let Some(task) = tasks.pop() {
            match task {
                Task::Text(text) => out.write_str(text)?,
                Task::Claim(state) => write!(out, "{{\"state\":{state},\"evidence\":")?,
                Task::Path(path) => {
                    let path = &self.paths[path];
                    write_head(path, rsm, &sink, out)?;
                    tasks.push(Task::Text("]"));
                    for (i, claim) in path.because.iter().enumerate().rev() {
                        tasks.extend([
                            Task::Text("}}"),
                            Task::Path(claim.evidence),
                            Task::Claim(claim.state),
                        ]);
                        tasks.extend((i > 0).then_some(Task::Text(",")));
                    }
                }
            }
        }
        Ok(())
    }
}

/// Writes a path up to the bracket that opens `because`.
fn write_head(path: &Path, rsm: &Rsm, sink: &OnceCell<String>, out: &mut impl Write) -> fmt::Result {
    write!(out, "{{\"shows\":{},\"states\":[", Quoted(&path.shows))?;
    for (i, state) in path.states.iter().enumerate() {
        out.write_str(if i > 0 { ",{\"stack\":[" } else { "{\"stack\":[" })?;
        for (i, &site) in state.stack.iter().enumerate() {
            write!(out, "{}{}", if i > 0 { "," } else { "" }, Quoted(rsm.box_name(site)))?;
        }
        let name = match state.node {
            Some(node) => rsm.vertex_name(node),
            None => sink.get_or_init(|| sink_name(rsm)).into(),
        };
        write!(out, "],\"node\":{}", Quoted(&name))?;
        let values = state.node.map_or_else(Vec::new, |node| rsm.values(node));
        for (i, (name, value)) in values.iter().enumerate() {
            let before = if i > 0 { "," } else { ",\"values\":{" };
            write!(out, "{before}{}:{}", Quoted(name), Quoted(value))?;
        }
        out.write_str(if values.is_empty() { "}" } else { "}}" })?;
    }
    match path.repeats {
        None => out.write_str("],\"loop\":null")?,
        Some(Loop { from, to }) => write!(out, "],\"loop\":{{\"from\":{from},\"to\":{to}}}")?,
    }
    let base = base(rsm, path);
    // a program whose runs start in any of its modules says which one this is about
    if base != rsm.initial_component() || !rsm.has_listed_names() && base.index() > 0 {
        write!(out, ",\"component\":{}", Quoted(rsm.component_name(base)))?;
    }
    out.write_str(",\"because\":[")
}

/// A JSON string.
struct Quoted<'a>(&'a str);

impl fmt::Display for Quoted<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&loris_base::json_quoted(self.0))
    }
}
