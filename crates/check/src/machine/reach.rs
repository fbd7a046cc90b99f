//! Reachability: whether runs get to a node or a label, by which path, and which nodes there are at
//! all.

use crate::{AnyCertificate, Goal};
use loris_base::{Budget, Exhausted, Idx, IndexVec, Interrupt};
use loris_evidence::{Certificate, Evidence, Path, Reach, Start, State, Target, Verdict};
use loris_recursive::{ExploreDirection, PATIENCE, Prepared, Reachability};
use loris_rsm::{Rsm, Vertex};
use std::time::{Duration, Instant};

/// How to look.
#[derive(Clone, Copy, Debug, Default)]
pub struct SearchOptions<'a> {
    /// Where they start, under the empty stack: nodes of one component; without them, in the
    /// initial nodes.
    pub from: Option<&'a [Vertex]>,
    /// From where components are looked at.
    pub direction: ExploreDirection,
    /// Time for the search.
    pub timeout: Option<Duration>,
    /// Bytes for the search.
    pub memory: Option<usize>,
    /// Ends the search when it is raised.
    pub interrupt: Option<&'a Interrupt>,
}

/// The result of the search.
#[derive(Clone, Debug)]
pub struct Reachable {
    /// Whether some run gets there.
    pub verdict: Verdict,
    /// A shortest run there, unless that is too long to be written down.
    /// Of a circuit, it is perhaps not a shortest one.
    pub evidence: Option<AnyCertificate>,
    /// The limit that was reached while the run was recorded, if there is no run for that reason.
    pub cut_off: Option<Exhausted>,
    /// The nodes that runs got to before the search stopped, in the order of the model.
    pub nodes: Vec<Vertex>,
    /// How many facts were derived.
    pub tuples: u64,
    /// How long it took.
    pub seconds: f64,
}

impl Reachable {
    /// Nothing was found out in this time.
    pub fn unknown(why: Exhausted, spent: Duration) -> Self {
        Self {
            verdict: why.into(),
            evidence: None,
            cut_off: None,
            nodes: Vec::new(),
            tuples: 0,
            seconds: spent.as_secs_f64(),
        }
    }

    /// How many steps the run of the evidence takes.
    pub fn steps(&self) -> Option<usize> {
        fn states<S>(paths: &Evidence<S>) -> Option<usize> {
            paths.paths.iter().next().map(|path| path.states.len())
        }
        let states = match self.evidence.as_ref()? {
            AnyCertificate::Machine(Certificate::Paths(run)) => states(run),
            AnyCertificate::Values(Certificate::Paths(run)) => states(run),
            AnyCertificate::Processes(Certificate::Paths(run)) => states(run),
            _ => None,
        };
        Some(states? - 1)
    }
}

/// Looks for a shortest run to a goal; the search stops there.
pub fn reach(prepared: &Prepared<'_>, to: &Goal, search: &SearchOptions<'_>) -> Reachable {
    let rsm = prepared.rsm();
    let mut targets = vec![false; rsm.vertex_count()];
    match to {
        Goal::Nodes(nodes) => nodes.iter().for_each(|node| targets[node.index()] = true),
        Goal::Label(label) => rsm.labelled(*label).for_each(|node| targets[node.index()] = true),
    }
    searched(prepared, Some(&targets), search, |run| {
        // of several nodes, the run shows how to get from one to one
        let node = |state: Option<&State>| state.and_then(|state| state.node).expect("a run is at nodes");
        let target = match to {
            Goal::Nodes(_) => Target::Node(node(run.last())),
            Goal::Label(label) => Target::Label(*label),
        };
        let start = search.from.map_or(Start::Initial, |_| Start::Node(node(run.first())));
        Reach { target, start }.shows(rsm)
    })
}

/// Finds all nodes that runs get to. There is no target: the verdict is that it was not met, or
/// unknown.
pub fn reached(prepared: &Prepared<'_>, search: &SearchOptions<'_>) -> Reachable {
    searched(prepared, None, search, |_| String::new())
}

fn searched(
    prepared: &Prepared<'_>,
    targets: Option<&[bool]>,
    search: &SearchOptions<'_>,
    shows: impl FnOnce(&[State]) -> String,
) -> Reachable {
    let start = Instant::now();
    let rsm = prepared.rsm();
    let from = search.from.unwrap_or_else(|| rsm.initial());
    let mut budget = Budget::new(search.timeout, search.memory);
    if let Some(interrupt) = search.interrupt {
        budget = budget.interruptible(interrupt);
    }
    let direction = search.direction;
    // the search looks at the clock now and then; a limit of nothing at all is passed at once
    let found = budget.spend(usize::MAX).and_then(|()| {
        prepared.reach(&Reachability { from, targets, direction, patience: PATIENCE }, &mut budget)
    });
    let seconds = || start.elapsed().as_secs_f64();
    match found {
        Err(reason) => Reachable::unknown(reason, start.elapsed()),
        Ok(found) => Reachable {
            verdict: found.target.is_some().into(),
            evidence: found.run.map(|states| {
                let mut paths = IndexVec::default();
                paths.push(Path { shows: shows(&states), states, repeats: None, because: Vec::new() });
                Evidence { paths, also: Vec::new() }.into()
            }),
            cut_off: found.cut_off,
            nodes: nodes(rsm, &found.vertices),
            tuples: found.tuples,
            seconds: seconds(),
        },
    }
}

fn nodes(rsm: &Rsm, reached: &[bool]) -> Vec<Vertex> {
    let all = rsm.components().flat_map(|component| rsm.nodes(component));
    all.filter(|node| reached[node.index()]).collect()
}
