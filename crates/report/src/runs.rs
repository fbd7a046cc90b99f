//! Evidence of any kind as traces.

use crate::canvas::Canvas;
use crate::model::{
    Call, Importance, Location, Proof, ProofMove, Relied, Spot, Trace, TraceBuilder, TraceStep,
};
use loris_base::Idx;
use loris_evidence::{Certificate, Evidence, MachineNames, Path, State, StateNames, Strategy};
use loris_rsm::{BoxId, Place};
use std::fmt::Write;
use std::sync::Arc;

/// Changes of values that the text of a step lists; more are counted.
const LISTED: usize = 6;
/// Moves of a strategy that are kept.
const MOVES: usize = 2000;

/// The runs of evidence about a machine, with their places in its drawings.
pub fn machine_traces(canvas: &Canvas<'_>, evidence: &Evidence) -> Vec<Trace> {
    let names = MachineNames::new(canvas.rsm);
    let mut files = Files::default();
    traces(evidence, |path| {
        let rsm = canvas.rsm;
        let base = match path.states[0] {
            State { ref stack, .. } if !stack.is_empty() => rsm.owner(stack[0]),
            State { node: Some(node), .. } => rsm.component_of(node),
            State { node: None, .. } => rsm.initial_component(),
        };
        let mut trace = TraceBuilder::new(&*path.shows, rsm.component_name(base));
        let mut open: &[BoxId] = &[];
        for state in &path.states {
            let same = open.iter().zip(&state.stack).take_while(|(a, b)| a == b).count();
            (same..open.len()).for_each(|_| trace.leave());
            for &site in &state.stack[same..] {
                trace.call(Call {
                    site: rsm.box_name(site).to_owned(),
                    callee: rsm.component_name(rsm.callee(site)).to_owned(),
                    location: rsm.box_place(site).map(|place| files.location(place)),
                    spot: canvas.site(site),
                });
            }
            open = &state.stack;
            let component = state.node.map_or("", |node| rsm.component_name(rsm.component_of(node)));
            let name = names.name(state);
            let location = names.source(state).map(|place| files.location(place)).unwrap_or_default();
            let step = TraceStep {
                labels: names.atoms(state).into_iter().map(str::to_owned).collect(),
                spot: state.node.and_then(|node| canvas.node(node)),
                ..TraceStep::new(&*name).at(location.within(format!("{component}/{name}"), "element"))
            };
            trace.step_with_values(step, names.values(state));
        }
        if !rsm.has_listed_names() {
            name_by_changes(trace.trace_mut());
        }
        trace
    })
}

/// The runs of evidence about a model whose states are not listed.
pub(crate) fn value_traces<S>(
    evidence: &Evidence<S>,
    names: &(impl StateNames<S> + ?Sized),
    has_bits: bool,
) -> Vec<Trace> {
    let mut files = Files::default();
    traces(evidence, |path| {
        let mut trace = TraceBuilder::new(&*path.shows, "");
        for state in &path.states {
            let location = names.source(state).map(|place| files.location(place));
            trace.step_with_values(TraceStep { location, ..TraceStep::default() }, names.values(state));
        }
        trace.trace_mut().has_bits = has_bits;
        name_by_changes(trace.trace_mut());
        trace
    })
}

/// Evidence that is no run, if it is none.
pub(crate) fn proof<S>(certificate: &Certificate<S>, names: &(impl StateNames<S> + ?Sized)) -> Option<Proof> {
    match certificate {
        Certificate::Invariant(invariant) => {
            Some(Proof::Invariant { shows: invariant.shows.clone(), clauses: invariant.clauses.clone() })
        }
        Certificate::Strategy(Strategy { shows, formulas, moves }) => {
            let end = |state: &S, formula: usize| {
                let formula = formulas.get(formula).cloned().unwrap_or_default();
                (names.name(state).into_owned(), formula)
            };
            let kept = moves.iter().take(MOVES);
            let kept = kept
                .map(|step| ProofMove { from: end(&step.from, step.formula), to: end(&step.to, step.next) });
            Some(Proof::Strategy { shows: shows.clone(), moves: kept.collect(), total: moves.len() })
        }
        _ => None,
    }
}

/// A trace for each path, with loops, and with claims as notes.
fn traces<S>(evidence: &Evidence<S>, mut trace: impl FnMut(&Path<S>) -> TraceBuilder) -> Vec<Trace> {
    let mut traces: Vec<Trace> = Vec::with_capacity(evidence.paths.len());
    for path in evidence.paths.iter().filter(|path| !path.states.is_empty()) {
        let mut trace = trace(path);
        if let Some(repeats) = path.repeats {
            trace.repeats(repeats.from, repeats.to);
        }
        let mut trace = trace.finish();
        let last = trace.steps.len() - 1;
        let ends =
            [Some(last), path.repeats.map(|repeats| repeats.from), path.repeats.map(|repeats| repeats.to)];
        let claims = path.because.iter().map(|claim| claim.state);
        for step in ends.into_iter().flatten().chain(claims) {
            trace.steps[step].importance = Importance::Essential;
        }
        traces.push(trace);
    }
    for (at, path) in evidence.paths.iter().enumerate() {
        for claim in &path.because {
            let (to, relied) = (claim.evidence.index(), Relied { trace: at, step: claim.state });
            let Some(shows) = traces.get(to).map(|trace| trace.shows.clone()) else { continue };
            traces[to].relied_on_by.get_or_insert(relied);
            let note = format!("relies on trace {}, which shows {shows}", to + 1);
            let slot = &mut traces[at].steps[claim.state].note;
            *slot = Some(slot.take().map_or(note.clone(), |before| format!("{before}; {note}")));
        }
    }
    traces
}

/// Names the steps of a trace by the values that change.
fn name_by_changes(trace: &mut Trace) {
    let Trace { variables, steps, .. } = trace;
    for step in steps {
        let changed: Vec<String> = step
            .changes
            .iter()
            .filter_map(|(variable, value)| {
                Some(format!("{} = {}", variables[*variable as usize], value.as_ref()?))
            })
            .collect();
        let more = changed.len().saturating_sub(LISTED);
        step.text = match changed.len() {
            0 => "no change".to_owned(),
            _ => changed.into_iter().take(LISTED).collect::<Vec<_>>().join(", "),
        };
        if more > 0 {
            // writing to a string does not fail
            _ = write!(step.text, " and {more} more");
        }
    }
}

/// The names of files, shared.
#[derive(Default)]
struct Files(Option<Arc<str>>);

impl Files {
    fn location(&mut self, place: Place<'_>) -> Location {
        let file = match self.0.take().filter(|file| **file == *place.file) {
            Some(file) => file,
            None => place.file.into(),
        };
        self.0 = Some(Arc::clone(&file));
        Location::line(file, place.line).column(place.column)
    }
}

/// The edges of drawings that a trace takes, each with the number of the step at its end.
#[allow(dead_code)]
pub(crate) fn lit_edges(trace: &Trace) -> Vec<(Spot, Spot, usize)> {
    let mut lit = Vec::new();
    let mut add = |from: Option<Spot>, to: Option<Spot>, step: usize| {
        if let (Some(from), Some(to)) = (from, to)
            && from.drawing == to.drawing
        {
            lit.push((from, to, step));
        }
    };
    let spot_of = |frame: u32| trace.frames[frame as usize].call.spot;
    for at in 1..trace.steps.len() {
        let (before, after) = (&trace.steps[at - 1], &trace.steps[at]);
        let (mut from, mut to) = (before.spot, after.spot);
        let (mut inner, mut outer) = (before.frame, after.frame);
        // returns: from the box in the caller; calls: to the box in the caller
        while inner != outer {
            let depth = |frame: Option<u32>| frame.map_or(0, |frame| trace.frames[frame as usize].depth);
            if depth(inner) > depth(outer) || depth(inner) == depth(outer) && depth(inner) > 0 {
                let Some(frame) = inner else { break };
                (from, inner) = (spot_of(frame), trace.frames[frame as usize].parent);
            }
            if inner != outer && depth(outer) > depth(inner) {
                let Some(frame) = outer else { break };
                (to, outer) = (spot_of(frame), trace.frames[frame as usize].parent);
            }
        }
        add(from, to, at);
    }
    lit
}
