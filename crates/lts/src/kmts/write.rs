//! Writes a component as JSON, one line for each state and step, so that it can be read again.

use super::FORMS;
use crate::{Component, Kind, StateId, Step};
use loris_base::{Idx, Truth};
use loris_json::json_quoted;
use std::io::{self, Write};

/// Writes a component of any kind. States without names are named by their numbers.
pub fn write_kmts(component: &Component, out: &mut impl Write) -> io::Result<()> {
    let is_partial = !component.is_concrete();
    let form = FORMS
        .into_iter()
        .find(|form| form.kind == component.kind() && form.is_partial == is_partial)
        .expect("there is a form for each");
    write!(out, "{{\"kind\": \"{}\",\n \"name\": {}", form.word, json_quoted(component.name()))?;
    names(out, "atoms", component.atoms().iter())?;
    if component.kind() == Kind::Lts {
        names(out, "actions", component.actions().iter().skip(1))?;
    }
    write!(out, ",\n \"initial\": {},\n \"states\": [", name(component, component.initial()))?;
    for state in component.states() {
        let start = if state.index() == 0 { "\n  " } else { ",\n  " };
        write!(out, "{start}{{\"name\": {}, \"labels\": ", name(component, state))?;
        labels(component, state, out)?;
        write!(out, "}}")?;
    }
    write!(out, "]")?;
    for (key, must) in [("may", false), ("steps", true)] {
        let wanted = |step: &Step| step.must == must;
        let mut is_first = true;
        for state in component.states() {
            for step in component.steps(state).filter(wanted) {
                let start = if is_first { format!(",\n \"{key}\": [\n  ") } else { ",\n  ".to_owned() };
                is_first = false;
                write!(out, "{start}[{}, ", name(component, state))?;
                if component.kind() == Kind::Lts {
                    write!(out, "{}, ", json_quoted(component.action_name(step.action)))?;
                }
                write!(out, "{}]", name(component, step.target))?;
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
fn name(component: &Component, state: StateId) -> String {
    match component.state_name(state) {
        Some(name) => json_quoted(name),
        None => format!("\"{}\"", state.index()),
    }
}

/// The labels that are known: as literals, or with values where an atom looks like a negation.
fn labels(component: &Component, state: StateId, out: &mut impl Write) -> io::Result<()> {
    let known = component.atom_ids().filter_map(|atom| match component.label(state, atom) {
        Truth::Unknown => None,
        value => Some((component.atom_name(atom), value == Truth::True)),
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
