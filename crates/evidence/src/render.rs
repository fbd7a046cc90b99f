//! Evidence as text: one line per state, indented by the depth of the stack.

use crate::formulas::shortened;
use crate::names::{ListedSources, MachineNames, StateNames};
use crate::values::LastValues;
use crate::{Evidence, Loop, Path, PathId};
use loris_base::{Idx, visible, visible_name};
use loris_rsm::{Rsm, SourcePlace};
use std::fmt::{self, Write};

/// Paths with more states are cut in the middle, unless the caller wants otherwise.
pub const SHOWN_STATES: usize = 60;

/// Deeper stacks and claims are indented no further.
const DEEPEST: usize = 16;
/// Longer formulas are cut.
const FORMULA: usize = 300;

impl Evidence {
    /// Evidence about a machine as text; of a path longer than `most` states the middle is left
    /// out, with the claims that were made there.
    pub fn render(&self, rsm: &Rsm, most: usize) -> String {
        self.render_with(&MachineNames::new(rsm), most)
    }
}

impl<S> Evidence<S> {
    /// The evidence as text; of a path longer than `most` states the middle is left out, with the
    /// claims that were made there.
    pub fn render_with(&self, names: &(impl StateNames<S> + ?Sized), most: usize) -> String {
        let mut out = String::new();
        // writing to a string does not fail
        let _ = self.write_text(names, most, &mut out);
        out
    }

    fn write_text(
        &self,
        names: &(impl StateNames<S> + ?Sized),
        most: usize,
        out: &mut String,
    ) -> fmt::Result {
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
            write_path(path, names, &hidden, margin + 2, out)?;
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

fn write_path<S>(
    path: &Path<S>,
    names: &(impl StateNames<S> + ?Sized),
    hidden: &std::ops::Range<usize>,
    margin: usize,
    out: &mut String,
) -> fmt::Result {
    let width = path.states.len().saturating_sub(1).to_string().len();
    let mut shown = LastValues::default();
    let mut last_source = None;
    for (i, state) in path.states.iter().enumerate() {
        if hidden.contains(&i) {
            shown.forget();
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
        let indent = 2 * names.frame(state).depth.min(DEEPEST);
        write!(out, "{:margin$}{i:width$}  {:indent$}", "", "")?;
        write_state(names, state, &mut shown, out)?;
        if let Some(next) = path.states.get(i + 1) {
            names.write_move(state, next, out)?;
        }
        let source = names.source(state);
        let is_listed = match names.listed_sources() {
            ListedSources::All => true,
            ListedSources::Changes => source != last_source,
            ListedSources::None => false,
        };
        if let Some(SourcePlace { file, line, .. }) = source.filter(|_| is_listed) {
            write!(out, "  {}:{line}", visible_name(file))?;
        }
        last_source = source;
        out.push('\n');
    }
    if let Some(Loop { from, to }) = path.repeats {
        let height = |i: usize| path.states.get(i).map_or(0, |state| names.frame(state).depth);
        write!(out, "{:margin$}again from state {from}, for ever", "")?;
        match height(to).saturating_sub(height(from)) {
            0 => out.push('\n'),
            more => writeln!(out, ", {more} deeper each time")?,
        }
    }
    Ok(())
}

fn write_state<S>(
    names: &(impl StateNames<S> + ?Sized),
    state: &S,
    shown: &mut LastValues,
    out: &mut String,
) -> fmt::Result {
    match shown.changes(names, state) {
        Some(changes) => out.write_str(&changes)?,
        None => out.write_str(&visible_name(&names.name(state)))?,
    }
    let mut before = " {";
    for atom in names.atoms(state) {
        write!(out, "{before}{}", visible_name(atom))?;
        before = ", ";
    }
    if before == ", " {
        out.push('}');
    }
    Ok(())
}
