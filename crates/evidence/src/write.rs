//! Evidence as JSON (`docs/formats.md`, "Evidence"), written by a loop, however deep it is.

use crate::names::{MachineNames, StateNames};
use crate::{Evidence, Loop, Path, PathId};
use loris_base::Idx;
use loris_json::json_quoted;
use loris_rsm::Rsm;
use std::fmt::{self, Write};

enum Task {
    Path(PathId),
    Claim(usize),
    Text(&'static str),
}

impl Evidence {
    /// Writes evidence about a machine on one line.
    ///
    /// # Errors
    /// Those of the writer.
    pub fn write_json(&self, rsm: &Rsm, out: &mut impl Write) -> fmt::Result {
        self.write_json_with(&MachineNames::new(rsm), out)
    }
}

impl<S> Evidence<S> {
    /// Writes the evidence on one line.
    ///
    /// # Errors
    /// Those of the writer.
    pub fn write_json_with(
        &self,
        names: &(impl StateNames<S> + ?Sized),
        out: &mut impl Write,
    ) -> fmt::Result {
        if self.paths.is_empty() {
            return out.write_str("null");
        }
        let root = PathId::new(0);
        // items left to write, the next on top
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
                    write_head(path, names, out)?;
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
fn write_head<S>(path: &Path<S>, names: &(impl StateNames<S> + ?Sized), out: &mut impl Write) -> fmt::Result {
    write!(out, "{{\"shows\":{},\"states\":[", json_quoted(&path.shows))?;
    for (i, state) in path.states.iter().enumerate() {
        out.write_str(if i > 0 { "," } else { "" })?;
        names.write_json(state, out)?;
    }
    match path.repeats {
        None => out.write_str("],\"loop\":null")?,
        Some(Loop { from, to }) => write!(out, "],\"loop\":{{\"from\":{from},\"to\":{to}}}")?,
    }
    if let Some(component) = names.component(path) {
        write!(out, ",\"component\":{}", json_quoted(component))?;
    }
    out.write_str(",\"because\":[")
}
