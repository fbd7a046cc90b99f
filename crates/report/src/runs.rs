//! Evidence of any kind as traces.

use crate::canvas::Canvas;
use loris_base::Idx;
use loris_evidence::{
    CallStep, CallStrategy, Certificate, Evidence, MachineNames, Path, State, StateNames, Strategy,
};
use loris_findings::{
    Call, Importance, Location, Proof, ProofMove, Relied, Spot, Trace, TraceBuilder, TraceStep,
};
use loris_rsm::{BoxId, SourcePlace};
use rustc_hash::FxHashSet;
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
            let part = if rsm.has_listed_names() {
                location.within(format!("{component}/{name}"), "element")
            } else {
                location.within(component, "module")
            };
            let step = TraceStep {
                labels: names.atoms(state).into_iter().map(str::to_owned).collect(),
                spot: state.node.and_then(|node| canvas.node(node)),
                ..TraceStep::new(&*name).at(part)
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

/// Evidence that is not a run, if it is none.
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
        Certificate::CallStrategy(CallStrategy { shows, formulas, claims, moves, .. }) => {
            let end = |state: &S, formula: usize| {
                let formula = formulas.get(formula).cloned().unwrap_or_default();
                (names.name(state).into_owned(), formula)
            };
            let to = |step: &CallStep<S>| match step {
                CallStep::Go(to, next) => end(to, *next),
                CallStep::Claim(claim) => {
                    let returns = claims.get(*claim).map_or(&[][..], Vec::as_slice);
                    let ends = returns.iter().map(|back| end(&back.exit, back.formula));
                    let ends: Vec<String> =
                        ends.map(|(exit, formula)| format!("{exit} |- {formula}")).collect();
                    let how = if ends.is_empty() { "never comes back".to_owned() } else { ends.join(" or ") };
                    ("after the call".to_owned(), how)
                }
            };
            let kept = moves.iter().take(MOVES);
            let kept =
                kept.map(|step| ProofMove { from: end(&step.at, step.formula), to: to(&step.to) }).collect();
            Some(Proof::Strategy { shows: shows.clone(), moves: kept, total: moves.len() })
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
    fn location(&mut self, place: SourcePlace<'_>) -> Location {
        let file = match self.0.take().filter(|file| **file == *place.file) {
            Some(file) => file,
            None => place.file.into(),
        };
        self.0 = Some(Arc::clone(&file));
        Location::line(file, place.line).column(place.column)
    }
}

/// The ways of a trace through the drawings: for each step but the first, the nodes on the way to
/// it, from the node of the step before. A return passes the box that was left, and a call the box
/// that is entered, so that a way may lead from one drawing to another.
pub(crate) fn ways(trace: &Trace) -> Vec<Vec<Option<Spot>>> {
    let frame = |at: u32| &trace.frames[at as usize];
    let depth = |at: Option<u32>| at.map_or(0, |at| frame(at).depth);
    let steps = trace.steps.windows(2);
    let way = |pair: &[TraceStep]| {
        let (mut inner, mut outer) = (pair[0].frame, pair[1].frame);
        let (mut left, mut entered) = (vec![pair[0].spot], vec![pair[1].spot]);
        while inner != outer {
            if let Some(at) = inner.filter(|_| depth(inner) >= depth(outer)) {
                left.push(frame(at).call.spot);
                inner = frame(at).parent;
            } else if let Some(at) = outer {
                entered.push(frame(at).call.spot);
                outer = frame(at).parent;
            }
        }
        left.extend(entered.into_iter().rev());
        left
    };
    steps.map(way).collect()
}

/// The edges on the ways of a trace, each once, in their order.
pub(crate) fn taken_edges(trace: &Trace) -> Vec<(Spot, Spot)> {
    let mut seen = FxHashSet::default();
    let ways = ways(trace);
    let pairs = ways.iter().flat_map(|way| way.windows(2).map(|pair| (pair[0], pair[1])));
    let edges = pairs.filter_map(|(from, to)| Some((from?, to?)));
    edges.filter(|edge| seen.insert(*edge)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ways_pass_boxes() {
        let spot = |drawing, node| Some(Spot { drawing, node });
        let step = |drawing, node| TraceStep { spot: spot(drawing, node), ..TraceStep::default() };
        let call = |drawing, node| Call { spot: spot(drawing, node), ..Call::default() };
        let mut trace = TraceBuilder::new("", "main");
        trace.step(step(0, 0));
        trace.call(call(0, 1));
        trace.step(step(1, 0));
        trace.leave();
        trace.call(call(0, 2));
        trace.step(step(1, 0));
        trace.leave();
        trace.step(step(0, 3));
        let ways = ways(&trace.finish());
        assert_eq!(ways[0], [spot(0, 0), spot(0, 1), spot(1, 0)]);
        assert_eq!(ways[1], [spot(1, 0), spot(0, 1), spot(0, 2), spot(1, 0)]);
        assert_eq!(ways[2], [spot(1, 0), spot(0, 2), spot(0, 3)]);
    }
}
