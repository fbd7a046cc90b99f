//! Writes a process as JSON, one line for each state and step, so that it can be read again.

use super::FORMS;
use crate::{Process, ProcessKind, StateId, Transition};
use loris_base::{Idx, Truth};
use loris_json::json_quoted;
use std::io::{self, Write};

/// Writes a process of any kind. States without names are named by their numbers.
pub fn write_kmts(process: &Process, out: &mut impl Write) -> io::Result<()> {
    let is_partial = !process.is_concrete();
    let form = FORMS
        .into_iter()
        .find(|form| form.kind == process.kind() && form.is_partial == is_partial)
        .expect("there is a form for each");
    write!(out, "{{\"kind\": \"{}\",\n \"name\": {}", form.word, json_quoted(process.name()))?;
    names(out, "atoms", process.atoms().iter())?;
    if process.kind() == ProcessKind::Lts {
        names(out, "actions", process.actions().iter().skip(1))?;
    }
    write!(out, ",\n \"initial\": {},\n \"states\": [", name(process, process.initial()))?;
    for state in process.states() {
        let start = if state.index() == 0 { "\n  " } else { ",\n  " };
        write!(out, "{start}{{\"name\": {}, \"labels\": ", name(process, state))?;
        labels(process, state, out)?;
        write!(out, "}}")?;
    }
    write!(out, "]")?;
    for (key, must) in [("may", false), ("steps", true)] {
        let wanted = |step: &Transition| step.must == must;
        let mut is_first = true;
        for state in process.states() {
            for step in process.steps(state).filter(wanted) {
                let start = if is_first { format!(",\n \"{key}\": [\n  ") } else { ",\n  ".to_owned() };
                is_first = false;
                write!(out, "{start}[{}, ", name(process, state))?;
                if process.kind() == ProcessKind::Lts {
                    write!(out, "{}, ", json_quoted(process.action_name(step.action)))?;
                }
                write!(out, "{}]", name(process, step.target))?;
            }
        }
        if !is_first {
            write!(out, "]")?;
        }
    }
    writeln!(out, "}}")
}

fn names<'c>(out: &mut impl Write, key: &str, names: impl Iterator<Item = &'c str>) -> io::Result<()> {
    let list: Vec<String> = names.map(json_quoted).collect();
    write!(out, ",\n \"{key}\": [{}]", list.join(", "))
}

/// The name of a state, as JSON.
fn name(process: &Process, state: StateId) -> String {
    match process.state_name(state) {
        Some(name) => json_quoted(name),
        None => format!("\"{}\"", state.index()),
    }
}

/// The labels that are known: as literals, or with values where an atom looks like a negation.
fn labels(process: &Process, state: StateId, out: &mut impl Write) -> io::Result<()> {
    let known = process.atom_ids().filter_map(|atom| match process.label(state, atom) {
        Truth::Unknown => None,
        value => Some((process.atom_name(atom), value == Truth::True)),
    });
    let known: Vec<(&str, bool)> = known.collect();
    let literal = |&(name, value): &(&str, bool)| {
        if value { json_quoted(name) } else { json_quoted(&format!("!{name}")) }
    };
    let pair = |&(name, value): &(&str, bool)| format!("{}: {value}", json_quoted(name));
    if known.iter().any(|(name, _)| name.starts_with('!') || name.is_empty()) {
        return write!(out, "{{{}}}", known.iter().map(pair).collect::<Vec<_>>().join(", "));
    }
    write!(out, "[{}]", known.iter().map(literal).collect::<Vec<_>>().join(", "))
}
