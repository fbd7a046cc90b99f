//! Traces as waveforms: a Value Change Dump, as viewers of waveforms read it.
//!
//! Each finding with a trace has a scope, and so has each trace that a step of another one relies
//! on. Step `i` of a trace is at time `i`, counted from the step that relies on the trace.

use crate::signal::{Kind, Signal, id, name};
use loris_findings::{Report, Trace};
use std::fmt::{self, Write};

/// Writes the traces of a report as a Value Change Dump, and returns how many there are. The scope
/// of a finding is named after its place: `property_1`, `property_2`, …
///
/// # Errors
/// Those of the writer.
pub fn write_vcd(report: &Report, out: &mut impl Write) -> std::result::Result<usize, fmt::Error> {
    let mut waves = Waves::default();
    for (at, finding) in report.findings.iter().enumerate() {
        let text = finding.property.as_ref().map_or(&finding.message, |property| &property.text);
        let title = format!("{}: {text}", finding.outcome.word());
        waves.add(at + 1, &title, &finding.traces)?;
    }
    waves.write(out)?;
    Ok(waves.traces)
}

/// Scopes with their signals, and the changes at each time.
#[derive(Default)]
struct Waves {
    header: String,
    changes: Vec<String>,
    signals: usize,
    traces: usize,
}

impl Waves {
    fn add(&mut self, number: usize, title: &str, traces: &[Trace]) -> fmt::Result {
        if traces.is_empty() {
            return Ok(());
        }
        let mut starts: Vec<usize> = Vec::with_capacity(traces.len());
        writeln!(self.header, "$scope module property_{number} $end")?;
        comment(&mut self.header, title)?;
        for (at, trace) in traces.iter().enumerate() {
            // a trace comes before those it relies on
            let start = trace.relied_on_by.map_or(0, |relied| starts[relied.trace] + relied.step);
            starts.push(start);
            if at > 0 {
                writeln!(self.header, "$scope module run_{} $end", at + 1)?;
            }
            self.trace(trace, start)?;
            if at > 0 {
                writeln!(self.header, "$upscope $end")?;
            }
        }
        writeln!(self.header, "$upscope $end")
    }

    /// Adds a trace whose first step is at a time.
    fn trace(&mut self, trace: &Trace, start: usize) -> fmt::Result {
        self.traces += 1;
        comment(&mut self.header, &format!("shows {}", trace.shows))?;
        if start > 0 {
            comment(&mut self.header, &format!("the run starts at time {start}"))?;
        }
        if let Some(repeats) = trace.repeats {
            let (from, to) = (start + repeats.from, start + repeats.to);
            comment(
                &mut self.header,
                &format!("lasso: from time {to} on, the run repeats from time {from}"),
            )?;
        }
        let signals = signals(trace);
        let first = self.signals;
        self.signals += signals.len();
        let end = start + trace.steps.len();
        if self.changes.len() <= end {
            self.changes.resize(end + 1, String::new());
        }
        for (at, signal) in signals.iter().enumerate() {
            let declared = name(&signal.name, signal.kind);
            writeln!(self.header, "$var {} {} {declared} $end", signal.kind.declaration(), id(first + at))?;
            // before the trace, and where a variable has no value yet
            let is_later = !trace.steps[0].changes.iter().any(|(variable, _)| *variable as usize == at);
            for time in
                [Some(0).filter(|_| start > 0), Some(start).filter(|_| is_later)].into_iter().flatten()
            {
                signal.kind.write_change(None, &id(first + at), &mut self.changes[time])?;
            }
        }
        for (time, step) in (start..).zip(&trace.steps) {
            for (variable, value) in &step.changes {
                let at = *variable as usize;
                let id = id(first + at);
                signals[at].kind.write_change(value.as_deref(), &id, &mut self.changes[time])?;
            }
        }
        // another trace may be longer
        for (at, signal) in signals.iter().enumerate() {
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

/// The variables of a trace, each with the kind that suits all its values.
fn signals(trace: &Trace) -> Vec<Signal> {
    let mut kinds: Vec<Option<Kind>> = vec![None; trace.variables.len()];
    for (variable, value) in trace.steps.iter().flat_map(|step| &step.changes) {
        if let Some(value) = value {
            let kind = Kind::of(value, trace.has_bits);
            let known = &mut kinds[*variable as usize];
            *known = Some(known.map_or(kind, |known| known.or(kind)));
        }
    }
    let named = trace.variables.iter().zip(kinds);
    named.map(|(name, kind)| Signal { name: name.clone(), kind: kind.unwrap_or(Kind::Text) }).collect()
}

/// A comment, in which nothing ends it early.
fn comment(out: &mut String, text: &str) -> fmt::Result {
    let visible: String = text.chars().flat_map(char::escape_default).collect();
    // `$end` ends a comment, for some viewers even with blanks after `$`; escapes of quotes are for
    // programs
    let visible = visible.replace("\\'", "'").replace("\\\"", "\"").replace('$', "\\u{24}");
    writeln!(out, "$comment {visible} $end")
}
