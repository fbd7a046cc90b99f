//! Writing automata in HOA, with explicit labels and acceptance on states.

use super::graph::Hoa;
use crate::automaton::buchi::Buchi;
use std::fmt::{self, Write};

/// An automaton as a HOA file; propositions without a name get their number.
///
/// ```
/// use loris_logic::automaton::{Buchi, Edge, Guard, parse_hoa, write_hoa};
/// let edges = vec![vec![Edge { guard: Guard::Atom(0), to: 0 }]];
/// let buchi = Buchi::new(1, vec![0], vec![true], edges).expect("consistent");
/// let text = write_hoa(&buchi, Some("G p"), &["p".to_owned()]);
/// assert_eq!(parse_hoa(&text).expect("well-formed").buchi, buchi);
/// ```
pub fn write_hoa(buchi: &Buchi, name: Option<&str>, propositions: &[String]) -> String {
    let mut text = String::new();
    // writing to a string does not fail
    _ = write(&mut text, buchi, name, propositions, |_| None);
    text
}

impl fmt::Display for Hoa {
    /// The automaton with acceptance on states, each named as the state of the file it comes from.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = |state: u32| {
            let origin = *self.origin.get(state as usize)?;
            self.state_names.get(origin as usize).map(String::as_str)
        };
        write(f, &self.buchi, self.name.as_deref(), &self.propositions, name)
    }
}

fn write<'n>(
    out: &mut dyn Write,
    buchi: &Buchi,
    name: Option<&str>,
    propositions: &[String],
    state_name: impl Fn(u32) -> Option<&'n str>,
) -> fmt::Result {
    writeln!(out, "HOA: v1")?;
    if let Some(name) = name {
        writeln!(out, "name: {}", quoted(name))?;
    }
    writeln!(out, "States: {}", buchi.states())?;
    for state in buchi.initial() {
        writeln!(out, "Start: {state}")?;
    }
    write!(out, "AP: {}", buchi.atoms())?;
    for atom in 0..buchi.atoms() {
        let number = atom.to_string();
        write!(out, " {}", quoted(propositions.get(atom).unwrap_or(&number)))?;
    }
    writeln!(out, "\nacc-name: Buchi\nAcceptance: 1 Inf(0)")?;
    writeln!(out, "properties: trans-labels explicit-labels state-acc")?;
    writeln!(out, "--BODY--")?;
    for state in 0..buchi.states() as u32 {
        write!(out, "State: {state}")?;
        if let Some(name) = state_name(state).filter(|name| *name != state.to_string()) {
            write!(out, " {}", quoted(name))?;
        }
        writeln!(out, "{}", if buchi.is_accepting(state) { " {0}" } else { "" })?;
        for edge in buchi.edges(state) {
            writeln!(out, "[{}] {}", edge.guard.display_hoa(&|atom| atom.to_string()), edge.to)?;
        }
    }
    writeln!(out, "--END--")
}

fn quoted(text: &str) -> String {
    format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\""))
}
