//! Runs as waveforms: a Value Change Dump, as viewers of waveforms read it.
//!
//! Each property with a run has a scope, and so has each run that a state of another one relies on.
//! State `i` of a run is at time `i`, counted from the state that relies on the run.

use crate::signal::{Kind, Signal, id, name};
use crate::{Context, Result};
use loris_base::Idx;
use loris_evidence::{Certificate, Evidence, Loop, MachineNames, Path, PathId, StateNames};
use rustc_hash::FxHashMap;
use std::borrow::Cow;
use std::fmt::{self, Write};

/// Writes the runs of results as a Value Change Dump, and returns how many there are. The scope of
/// a result is named after its place: `property_1`, `property_2`, …
///
/// # Errors
/// Those of the writer.
pub fn vcd(
    out: &mut impl Write,
    results: &[(Context<'_>, Result<'_>)],
) -> std::result::Result<usize, fmt::Error> {
    let mut waves = Waves::default();
    for (at, (context, (question, answer))) in results.iter().enumerate() {
        let title = format!("{}: {}", answer.verdict.word(), question.text);
        let scope = Scope { number: at + 1, title: &title, has_bits: context.circuit.is_some() };
        match (&answer.evidence, context.rsm, &answer.certificate, context.valuations) {
            (Some(evidence), Some(rsm), ..) => waves.add(&scope, evidence, &MachineNames::new(rsm))?,
            (_, _, Some(Certificate::Paths(evidence)), Some(names)) => waves.add(&scope, evidence, names)?,
            _ => {}
        }
    }
    waves.write(out)?;
    Ok(waves.runs)
}

/// A property whose runs are written.
struct Scope<'a> {
    number: usize,
    title: &'a str,
    /// whether 0 and 1 are bits, not numbers
    has_bits: bool,
}

/// Scopes with their signals, and the changes at each time.
#[derive(Default)]
struct Waves {
    header: String,
    changes: Vec<String>,
    signals: usize,
    runs: usize,
}

impl Waves {
    fn add<S>(
        &mut self,
        scope: &Scope<'_>,
        evidence: &Evidence<S>,
        names: &(impl StateNames<S> + ?Sized),
    ) -> fmt::Result {
        let mut starts: FxHashMap<PathId, usize> = FxHashMap::default();
        if evidence.paths.is_empty() {
            return Ok(());
        }
        writeln!(self.header, "$scope module property_{} $end", scope.number)?;
        comment(&mut self.header, scope.title)?;
        for (at, path) in evidence.paths.iter().enumerate() {
            let start = starts.get(&PathId::new(at)).copied().unwrap_or(0);
            for claim in &path.because {
                starts.entry(claim.evidence).or_insert(start + claim.state);
            }
            if at > 0 {
                writeln!(self.header, "$scope module run_{} $end", at + 1)?;
            }
            self.run(scope, path, start, names)?;
            if at > 0 {
                writeln!(self.header, "$upscope $end")?;
            }
        }
        writeln!(self.header, "$upscope $end")
    }

    /// Adds a run whose first state is at a time.
    fn run<S>(
        &mut self,
        scope: &Scope<'_>,
        path: &Path<S>,
        start: usize,
        names: &(impl StateNames<S> + ?Sized),
    ) -> fmt::Result {
        self.runs += 1;
        comment(&mut self.header, &format!("shows {}", path.shows))?;
        if start > 0 {
            comment(&mut self.header, &format!("the run starts at time {start}"))?;
        }
        if let Some(Loop { from, to }) = path.repeats {
            let (from, to) = (start + from, start + to);
            comment(
                &mut self.header,
                &format!("lasso: from time {to} on, the run repeats from time {from}"),
            )?;
        }
        let signals = signals(scope, path, names);
        let first = self.signals;
        self.signals += signals.len();
        let end = start + path.states.len();
        if self.changes.len() <= end {
            self.changes.resize(end + 1, String::new());
        }
        let mut last: Vec<Option<String>> = vec![None; signals.len()];
        for (at, (_, signal)) in signals.iter().enumerate() {
            let declared = name(&signal.name, signal.kind);
            writeln!(self.header, "$var {} {} {declared} $end", signal.kind.declaration(), id(first + at))?;
            if start > 0 {
                signal.kind.write_change(None, &id(first + at), &mut self.changes[0])?;
            }
        }
        let places: FxHashMap<&(String, usize), usize> =
            signals.iter().enumerate().map(|(at, (key, _))| (key, at)).collect();
        for (time, state) in (start..).zip(&path.states) {
            let mut now: Vec<Option<String>> = vec![None; signals.len()];
            for (key, value) in keyed(names.values(state)) {
                if let Some(&at) = places.get(&key) {
                    now[at] = Some(value.into_owned());
                }
            }
            for (at, (_, signal)) in signals.iter().enumerate() {
                if time == start || now[at] != last[at] {
                    signal.kind.write_change(now[at].as_deref(), &id(first + at), &mut self.changes[time])?;
                }
            }
            last = now;
        }
        // another run may be longer
        for (at, (_, signal)) in signals.iter().enumerate() {
            signal.kind.write_change(None, &id(first + at), &mut self.changes[end])?;
        }
        Ok(())
    }

    fn write(&self, out: &mut impl Write) -> fmt::Result {
        writeln!(out, "$version Loris {} $end", env!("CARGO_PKG_VERSION"))?;
        writeln!(out, "$comment one unit of time is one step $end")?;
        writeln!(out, "$timescale 1 ns $end")?;
        out.write_str(&self.header)?;
        writeln!(out, "$enddefinitions $end")?;
        let Some((_, states)) = self.changes.split_last() else { return Ok(()) };
        for (time, changes) in states.iter().enumerate() {
            match time {
                0 => write!(out, "#0\n$dumpvars\n{changes}$end\n")?,
                _ if changes.is_empty() => {}
                _ => write!(out, "#{time}\n{changes}")?,
            }
        }
        // the last state takes a unit of time, too
        writeln!(out, "#{}", states.len())
    }
}

/// Values by name; a name that occurs several times has a number.
fn keyed<'v>(
    values: Vec<(Cow<'v, str>, Cow<'v, str>)>,
) -> impl Iterator<Item = ((String, usize), Cow<'v, str>)> {
    let mut seen: FxHashMap<String, usize> = FxHashMap::default();
    values.into_iter().map(move |(name, value)| {
        let count = seen.entry(name.to_string()).or_insert(0);
        *count += 1;
        ((name.into_owned(), *count), value)
    })
}

/// The variables of a run in the order they occur first, each with its kind.
fn signals<S>(
    scope: &Scope<'_>,
    path: &Path<S>,
    names: &(impl StateNames<S> + ?Sized),
) -> Vec<((String, usize), Signal)> {
    let mut places: FxHashMap<(String, usize), usize> = FxHashMap::default();
    let mut signals: Vec<((String, usize), Signal)> = Vec::new();
    for state in &path.states {
        for (key, value) in keyed(names.values(state)) {
            let kind = Kind::of(&value, scope.has_bits);
            let at = *places.entry(key.clone()).or_insert(signals.len());
            if at == signals.len() {
                // viewers join neighbours of one name
                let name = if key.1 > 1 { format!("{}#{}", key.0, key.1) } else { key.0.clone() };
                signals.push((key, Signal { name, kind }));
            }
            let signal = &mut signals[at].1;
            signal.kind = signal.kind.or(kind);
        }
    }
    signals
}

/// A comment, in which nothing ends it early.
fn comment(out: &mut String, text: &str) -> fmt::Result {
    let visible: String = text.chars().flat_map(char::escape_default).collect();
    // `$end` ends a comment, for some viewers even with blanks after `$`; escapes of quotes are for
    // programs
    let visible = visible.replace("\\'", "'").replace("\\\"", "\"").replace('$', "\\u{24}");
    writeln!(out, "$comment {visible} $end")
}
