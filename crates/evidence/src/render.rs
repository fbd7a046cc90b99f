//! Evidence for people: a line a state, indented by the depth of the stack.

use crate::formulas::shortened;
use crate::values::Told;
use crate::write::sink_name;
use crate::{Evidence, Loop, Path, PathId, State};
use loris_base::{Idx, visible, visible_name};
use loris_rsm::Rsm;
use std::fmt::{self, Write};

/// Paths with more states are cut in the middle, unless the caller wants otherwise.
pub const SHOWN_STATES: usize = 60;

/// Deeper stacks and claims are indented no further.
const DEEPEST: usize = 16;
/// Longer formulas are cut.
const FORMULA: usize = 300;

impl Evidence {
    /// The evidence as text; of a path longer than `most` states the middle is left out, with the
    /// claims that were made there.
    pub fn render(&self, rsm: &Rsm, most: usize) -> String {
        let mut out = String::new();
        // writing to a string does not fail
        let _ = self.write_text(rsm, most, &mut out);
        out
    }

    fn write_text(&self, rsm: &Rsm, most: usize, out: &mut String) -> fmt::Result {
        let roots = self.paths.ids().take(1).chain(self.also.iter().copied());
        let mut work: Vec<(PathId, Option<usize>, usize)> = roots.map(|root| (root, None, 0)).collect();
        work.reverse();
        while let Some((id, state, level)) = work.pop() {
            let path = &self.paths[id];
            let margin = 2 * level.min(DEEPEST);
            write!(out, "{:margin$}", "")?;
            match state {
                Some(state) => write!(out, "because state {state}: ")?,
                None if id.index() > 0 => write!(out, "also ")?,
                None => {}
            }
            writeln!(out, "shows {}", visible(&shortened(&path.shows, FORMULA)))?;
            let hidden = hidden(path.states.len(), most);
            write_path(path, rsm, &hidden, margin + 2, out)?;
            let left_out = path.because.iter().filter(|claim| hidden.contains(&claim.state)).count();
            if left_out > 0 {
                writeln!(out, "{:margin$}  ... claims of states left out: {left_out} ...", "")?;
            }
            let claims = path.because.iter().rev().filter(|claim| !hidden.contains(&claim.state));
            work.extend(claims.map(|claim| (claim.evidence, Some(claim.state), level + 1)));
        }
        Ok(())
    }
}

/// The states to leave out.
fn hidden(states: usize, most: usize) -> std::ops::Range<usize> {
    if states <= most { 0..0 } else { most.div_ceil(2)..states - most / 2 }
}

fn write_path(
    path: &Path,
    rsm: &Rsm,
    hidden: &std::ops::Range<usize>,
    margin: usize,
    out: &mut String,
) -> fmt::Result {
    let width = path.states.len().saturating_sub(1).to_string().len();
    let mut told = Told::default();
    for (i, state) in path.states.iter().enumerate() {
        if hidden.contains(&i) {
            told.forget();
            if i == hidden.start {
                write!(out, "{:margin$}... {} states", "", hidden.len())?;
                match path.repeats {
                    Some(Loop { from, .. }) if hidden.contains(&from) => {
                        writeln!(out, ", the loop starts with state {from} ...")?;
                    }
                    _ => out.push_str(" ...\n"),
                }
            }
            continue;
        }
        if path.repeats.is_some_and(|repeats| repeats.from == i) {
            writeln!(out, "{:margin$}loop:", "")?;
        }
        let indent = 2 * state.stack.len().min(DEEPEST);
        write!(out, "{:margin$}{i:width$}  {:indent$}", "", "")?;
        write_state(rsm, state, &mut told, out)?;
        if let Some(next) = path.states.get(i + 1) {
            write_move(rsm, state, next, out)?;
        }
        out.push('\n');
    }
    if let Some(Loop { from, to }) = path.repeats {
        let height = |i: usize| path.states.get(i).map_or(0, |state| state.stack.len());
        write!(out, "{:margin$}again from state {from}, for ever", "")?;
        match height(to).saturating_sub(height(from)) {
            0 => out.push('\n'),
            more => writeln!(out, ", {more} deeper each time")?,
        }
    }
    Ok(())
}

fn write_state(rsm: &Rsm, state: &State, told: &mut Told, out: &mut String) -> fmt::Result {
    let Some(node) = state.node else { return out.write_str(&sink_name(rsm)) };
    match told.changes(rsm, state) {
        Some(changes) => out.write_str(&changes)?,
        None => out.write_str(&visible_name(&rsm.vertex_name(node)))?,
    }
    // conditions on variables say nothing that their values do not
    let is_told = |name: &str| rsm.has_listed_names() || !name.contains([' ', '(', '!']);
    let names = rsm.labels_of(node).map(|label| rsm.label_name(label)).filter(|name| is_told(name));
    let mut before = " {";
    for name in names {
        write!(out, "{before}{}", visible_name(name))?;
        before = ", ";
    }
    if before == ", " {
        out.push('}');
    }
    Ok(())
}

/// How the step to the next state changes the stack.
fn write_move(rsm: &Rsm, state: &State, next: &State, out: &mut String) -> fmt::Result {
    let returns = !state.stack.is_empty() && state.node.is_some_and(|node| rsm.is_exit(node));
    let below = state.stack.len() - usize::from(returns);
    if let Some(&site) = state.stack.last().filter(|_| returns && state != next) {
        write!(out, "  <- {}", visible_name(rsm.component_name(rsm.owner(site))))?;
    }
    match next.stack.last() {
        Some(&site) if next.stack.len() > below && state != next => {
            let callee = visible_name(rsm.component_name(rsm.callee(site)));
            write!(out, "  -> {callee} ({})", visible_name(rsm.box_name(site)))
        }
        _ => Ok(()),
    }
}
