//! Facts about parallel processes.

use crate::counted;
use crate::json::quoted;
use loris_base::visible;
use loris_lts::{ProcessKind, System};
use std::fmt::{self, Write};

/// Facts about parallel processes.
#[derive(Clone, Copy, Debug)]
pub struct ParallelFacts<'a> {
    /// The path of the model, as it was given.
    pub path: &'a str,
    /// The name of its format.
    pub format: &'a str,
    /// The processes.
    pub system: &'a System,
}

impl ParallelFacts<'_> {
    fn sizes(&self) -> [(&'static str, usize); 6] {
        let parts = self.system.processes();
        let shared = (1..self.system.actions().len() as u32)
            .filter(|&action| self.system.participants(action).len() > 1);
        [
            ("processes", parts.len()),
            ("local states", parts.iter().map(|part| part.state_count()).sum()),
            ("steps", parts.iter().map(|part| part.step_count()).sum()),
            ("actions", self.system.actions().len() - 1),
            ("shared", shared.count()),
            ("labels", self.system.atoms().len()),
        ]
    }

    /// For each process: its name, and its sizes by name.
    fn processes(&self) -> impl Iterator<Item = (&str, [usize; 5])> {
        self.system.processes().iter().map(|part| {
            let dead = part.states().filter(|&state| part.steps(state).len() == 0).count();
            let sizes =
                [part.state_count(), part.step_count(), part.actions().len() - 1, part.atoms().len(), dead];
            (part.name(), sizes)
        })
    }

    fn kind(&self) -> &'static str {
        match self.system.kind() {
            ProcessKind::Kripke => "kripke",
            ProcessKind::Lts => "lts",
        }
    }
}

/// The facts as text.
///
/// # Errors
/// Those of the writer.
pub fn text_parallel(out: &mut impl Write, facts: &ParallelFacts<'_>) -> fmt::Result {
    writeln!(out, "{}: {}", visible(facts.path), facts.format)?;
    writeln!(out, "  kind          {}", facts.kind())?;
    for (name, count) in facts.sizes() {
        writeln!(out, "  {name:<13} {count}")?;
    }
    for (name, [states, steps, actions, labels, dead]) in facts.processes() {
        let sizes = [
            counted(states, "state", "states"),
            counted(steps, "step", "steps"),
            counted(actions, "action", "actions"),
            counted(labels, "label", "labels"),
            counted(dead, "dead end", "dead ends"),
        ];
        writeln!(out, "    {}: {}", visible(name), sizes.join(", "))?;
    }
    Ok(())
}

/// The facts as JSON.
///
/// # Errors
/// Those of the writer.
pub fn json_parallel(out: &mut impl Write, facts: &ParallelFacts<'_>) -> fmt::Result {
    writeln!(out, "{{\"loris\": {},", quoted(env!("CARGO_PKG_VERSION")))?;
    let (path, format, kind) = (quoted(facts.path), facts.format, facts.kind());
    write!(out, " \"model\": {{\"path\": {path}, \"format\": \"{format}\", \"kind\": \"{kind}\"")?;
    for (name, count) in facts.sizes() {
        // the key is older than the word
        let name = if name == "processes" { "components" } else { name };
        write!(out, ", \"{}\": {count}", name.replace(' ', "_"))?;
    }
    out.write_str("},\n \"parts\": [")?;
    for (i, (name, [states, steps, actions, labels, dead])) in facts.processes().enumerate() {
        let before = if i > 0 { ",\n  " } else { "\n  " };
        write!(
            out,
            "{before}{{\"name\": {}, \"states\": {states}, \"steps\": {steps}, \"actions\": {actions}, \
             \"labels\": {labels}, \"dead_ends\": {dead}}}",
            quoted(name)
        )?;
    }
    writeln!(out, "]}}")
}
