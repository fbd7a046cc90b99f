//! Traces: steps with their call stacks, places and the values that change.
//!
//! Call stacks are kept as a tree of frames, and values as changes, so that a trace is linear in
//! what happens on it however deep its stacks are and however many variables there are.

use crate::drawing::Spot;
use crate::location::Location;
use rustc_hash::FxHashMap;

/// A path through a program or a model.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Trace {
    /// What it shows: a formula, or a sentence.
    pub shows: String,
    /// The step of an earlier trace of the same finding that relies on this one.
    pub relied_on_by: Option<Relied>,
    /// The component or method in which the call stack is empty.
    pub base: String,
    /// The calls on the way; steps refer to the innermost one that is open.
    pub frames: Vec<CallFrame>,
    /// The names of the variables.
    pub variables: Vec<String>,
    /// Whether the values 0 and 1 are bits.
    pub has_bits: bool,
    /// The steps, at least one.
    pub steps: Vec<TraceStep>,
    /// The steps that repeat for ever, if the trace is a lasso.
    pub repeats: Option<Repeats>,
}

/// The steps of a trace that repeat for ever: after the last one, the first one follows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Repeats {
    /// The first one.
    pub from: usize,
    /// The last one.
    pub to: usize,
}

/// A step of an earlier trace that relies on another trace.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Relied {
    /// The number of the trace in its finding.
    pub trace: usize,
    /// The number of the step.
    pub step: usize,
}

/// An open call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CallFrame {
    /// The call around it.
    pub parent: Option<u32>,
    /// How many calls are open inside it.
    pub depth: u32,
    /// The call.
    pub call: Call,
}

/// A call.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Call {
    /// The name of the box or the text of the call.
    pub site: String,
    /// The component or method that is called.
    pub callee: String,
    /// Where the call is.
    pub location: Option<Location>,
    /// The call in the drawing of its caller.
    pub spot: Option<Spot>,
}

impl Call {
    /// A call without a place.
    pub fn new(site: impl Into<String>, callee: impl Into<String>) -> Self {
        Self { site: site.into(), callee: callee.into(), ..Self::default() }
    }
}

/// A step of a trace.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TraceStep {
    /// What happens, or the name of the state.
    pub text: String,
    /// Where it happens.
    pub location: Option<Location>,
    /// The innermost open call, as an index of [`Trace::frames`].
    pub frame: Option<u32>,
    /// Labels that hold there.
    pub labels: Vec<String>,
    /// Variables, by their number, with other values than in the step before; nothing if a variable
    /// has no value any more.
    pub changes: Vec<(u32, Option<String>)>,
    /// A remark: an assumption that is made here, or why the step matters.
    pub note: Option<String>,
    /// How much it matters.
    pub importance: Importance,
    /// Its node in a drawing.
    pub spot: Option<Spot>,
}

/// How much a step matters to the story of its trace.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Importance {
    /// The trace makes no sense without it.
    Essential,
    /// It helps.
    #[default]
    Important,
    /// It only connects others.
    Unimportant,
}

impl Importance {
    /// The word of SARIF.
    pub fn word(self) -> &'static str {
        match self {
            Importance::Essential => "essential",
            Importance::Important => "important",
            Importance::Unimportant => "unimportant",
        }
    }
}

impl TraceStep {
    /// A step without a place.
    pub fn new(text: impl Into<String>) -> Self {
        Self { text: text.into(), ..Self::default() }
    }

    /// The step, at a place.
    #[must_use]
    pub fn at(self, location: Location) -> Self {
        Self { location: Some(location), ..self }
    }

    /// The step, as an essential one.
    #[must_use]
    pub fn essential(self) -> Self {
        Self { importance: Importance::Essential, ..self }
    }

    /// The step, with a remark.
    #[must_use]
    pub fn note(self, note: impl Into<String>) -> Self {
        Self { note: Some(note.into()), ..self }
    }
}

/// Steps in the middle of a trace that are left out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Gap {
    /// The first one.
    pub from: usize,
    /// How many there are.
    pub count: usize,
}

impl Trace {
    /// The number of calls that are open at a step.
    pub fn depth(&self, step: usize) -> usize {
        self.steps[step].frame.map_or(0, |frame| self.frames[frame as usize].depth as usize)
    }

    /// The open calls at a step, outermost first.
    pub fn stack(&self, step: usize) -> Vec<&Call> {
        let mut stack = Vec::new();
        let mut at = self.steps[step].frame;
        while let Some(frame) = at.map(|at| &self.frames[at as usize]) {
            stack.push(&frame.call);
            at = frame.parent;
        }
        stack.reverse();
        stack
    }

    /// The component or method that a step is in.
    pub fn component(&self, step: usize) -> &str {
        self.steps[step].frame.map_or(&self.base, |frame| &self.frames[frame as usize].call.callee)
    }

    /// The class and the method that a step of a program is in, as its place names them.
    pub fn method(&self, step: usize) -> (&str, &str) {
        let logical = self.steps[step].location.as_ref().and_then(|location| location.logical.as_ref());
        let name = logical.map_or("", |logical| &*logical.name);
        name.rsplit_once('.').unwrap_or(("", name))
    }

    /// The steps in the middle that have to go if at most this many may stay.
    pub fn gap(&self, most: usize) -> Option<Gap> {
        let most = most.max(2);
        let count = self.steps.len().checked_sub(most).filter(|&count| count > 0)?;
        // the end is where something goes wrong, the beginning how it comes there
        Some(Gap { from: most / 2, count })
    }

    /// The values of all variables at a step; linear in all changes up to it.
    pub fn values(&self, step: usize) -> Vec<(&str, &str)> {
        let mut values: Vec<Option<&str>> = vec![None; self.variables.len()];
        for (variable, value) in self.steps[..=step].iter().flat_map(|step| &step.changes) {
            values[*variable as usize] = value.as_deref();
        }
        let named = self.variables.iter().zip(values);
        named.filter_map(|(name, value)| Some((&**name, value?))).collect()
    }
}

/// Makes a trace, call by call and step by step.
#[derive(Debug)]
pub struct TraceBuilder {
    trace: Trace,
    open: Option<u32>,
    variables: FxHashMap<(String, usize), u32>,
    values: Vec<Option<String>>,
}

impl TraceBuilder {
    /// A trace that starts in a component or method, with an empty stack.
    pub fn new(shows: impl Into<String>, base: impl Into<String>) -> Self {
        let trace = Trace {
            shows: shows.into(),
            relied_on_by: None,
            base: base.into(),
            frames: Vec::new(),
            variables: Vec::new(),
            has_bits: false,
            steps: Vec::new(),
            repeats: None,
        };
        Self { trace, open: None, variables: FxHashMap::default(), values: Vec::new() }
    }

    /// Opens a call: the steps from here on are inside it.
    pub fn call(&mut self, call: Call) {
        let depth = self.depth() as u32 + 1;
        self.trace.frames.push(CallFrame { parent: self.open, depth, call });
        self.open = Some(self.trace.frames.len() as u32 - 1);
    }

    /// Closes the innermost call, if there is one.
    pub fn leave(&mut self) {
        self.open = self.open.and_then(|open| self.trace.frames[open as usize].parent);
    }

    /// The number of calls that are open.
    pub fn depth(&self) -> usize {
        self.open.map_or(0, |open| self.trace.frames[open as usize].depth as usize)
    }

    /// Adds a step inside the calls that are open.
    pub fn step(&mut self, step: TraceStep) {
        self.trace.steps.push(TraceStep { frame: self.open, ..step });
    }

    /// Opens and closes calls until this many are open and the innermost one is of this method. The
    /// calls that are opened are made at the place of the last step.
    pub fn descend(&mut self, depth: usize, method: &str) {
        let is_other = |trace: &Self| trace.open.is_some_and(|open| trace.callee(open) != method);
        while self.depth() > depth || self.depth() == depth && is_other(self) {
            self.leave();
        }
        while self.depth() < depth {
            let last = self.trace.steps.last().and_then(|step| step.location.clone());
            // the place alone, without the method around it
            let location = last.map(|location| Location { logical: None, ..location });
            self.call(Call { location, ..Call::new("a call", method) });
        }
    }

    fn callee(&self, frame: u32) -> &str {
        &self.trace.frames[frame as usize].call.callee
    }

    /// Adds a step with the values of all variables there, of which the changes are kept. A name
    /// that occurs several times stands for several variables.
    pub fn step_with_values<N, V>(&mut self, step: TraceStep, values: impl IntoIterator<Item = (N, V)>)
    where
        N: Into<String>,
        V: Into<String>,
    {
        let mut seen: FxHashMap<String, usize> = FxHashMap::default();
        let mut is_set = vec![false; self.values.len()];
        let mut changes = Vec::new();
        for (name, value) in values {
            let (name, value) = (name.into(), value.into());
            let count = seen.entry(name.clone()).or_insert(0);
            *count += 1;
            let next = self.values.len() as u32;
            let variable = *self.variables.entry((name.clone(), *count)).or_insert(next);
            if variable == next {
                let name = if *count > 1 { format!("{name}#{count}") } else { name };
                self.trace.variables.push(name);
                self.values.push(None);
                is_set.push(false);
            }
            is_set[variable as usize] = true;
            let known = &mut self.values[variable as usize];
            if known.as_deref() != Some(&*value) {
                *known = Some(value.clone());
                changes.push((variable, Some(value)));
            }
        }
        for (at, _) in is_set.iter().enumerate().filter(|(_, is_set)| !**is_set) {
            if self.values[at].take().is_some() {
                changes.push((at as u32, None));
            }
        }
        self.step(TraceStep { changes, ..step });
    }

    /// The trace is a lasso.
    pub fn repeats(&mut self, from: usize, to: usize) {
        self.trace.repeats = Some(Repeats { from, to });
    }

    /// The trace.
    pub fn finish(self) -> Trace {
        self.trace
    }

    /// The trace so far.
    pub fn trace_mut(&mut self) -> &mut Trace {
        &mut self.trace
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn calls_nest_and_values_are_changes() {
        let mut trace = TraceBuilder::new("E F p", "main");
        trace.step_with_values(TraceStep::new("a"), [("x", "1"), ("y", "2"), ("x", "3")]);
        trace.call(Call::new("b1", "f"));
        trace.step_with_values(TraceStep::new("b"), [("z", "1")]);
        trace.call(Call::new("b2", "g"));
        trace.step_with_values(TraceStep::new("c"), [("z", "1")]);
        trace.leave();
        trace.leave();
        trace.leave();
        trace.step_with_values(TraceStep::new("d"), [("x", "1"), ("y", "4"), ("x", "3")]);
        let trace = trace.finish();
        assert_eq!([0, 1, 2, 3].map(|step| trace.depth(step)), [0, 1, 2, 0]);
        assert_eq!(["main", "f", "g", "main"], [0, 1, 2, 3].map(|step| trace.component(step)));
        let sites: Vec<&str> = trace.stack(2).iter().map(|call| &*call.site).collect();
        assert_eq!(sites, ["b1", "b2"]);
        assert_eq!(trace.variables, ["x", "y", "x#2", "z"]);
        assert_eq!(trace.steps[2].changes, []);
        assert_eq!(trace.values(0), [("x", "1"), ("y", "2"), ("x#2", "3")]);
        assert_eq!(trace.values(1), [("z", "1")]);
        assert_eq!(trace.values(3), [("x", "1"), ("y", "4"), ("x#2", "3")]);
    }

    #[test]
    fn long_traces_are_cut_in_the_middle() {
        let mut trace = TraceBuilder::new("", "");
        (0..10).for_each(|step| trace.step(TraceStep::new(step.to_string())));
        let trace = trace.finish();
        assert_eq!(trace.gap(10), None);
        assert_eq!(trace.gap(9), Some(Gap { from: 4, count: 1 }));
        assert_eq!(trace.gap(0), Some(Gap { from: 1, count: 8 }));
    }
}
