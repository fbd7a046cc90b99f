//! Replays of paths that show no formula: endless runs for an automaton to accept, and paths to a
//! target.

use crate::machine::MachineSpace;
use crate::replayed::{ReplayError, Replayed, Unreplayed, error};
use crate::space::StateSpace;
use crate::steps::{Checked, Endless, Fault, walk};
use crate::successors::carries;
use crate::{AtExit, Evidence, Path, PathId, State};
use loris_base::{Budget, Idx};
use loris_logic::{FormulaBuilder, Node, parse_printed};
use loris_rsm::{LabelId, Rsm, Vertex};

/// The claim that a path [`shows`](Path::shows) if it is a run for an automaton to accept.
pub const AUTOMATON: &str = "automaton";

/// An endless run as the labels of its states: those of `prefix` once, then those of `cycle` for
/// ever.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LabelledRun {
    /// The labels of the states before the loop, in the order the model has them.
    pub prefix: Vec<Vec<LabelId>>,
    /// The labels of the states of the loop, at least one.
    pub cycle: Vec<Vec<LabelId>>,
    /// How many frames the stack grows by in a round of the loop; zero if it stays bounded.
    pub deeper: usize,
    /// Steps taken.
    pub steps: usize,
}

/// Checks that the first path of evidence is an endless run from an initial node, whatever it is to
/// show. It is endless if it has a loop or ends in an exit under the empty stack, unless runs stop
/// there.
///
/// # Errors
/// The first thing found that is not so.
pub fn replay_run(rsm: &Rsm, evidence: &Evidence, at_exit: AtExit) -> Result<LabelledRun, ReplayError> {
    replay_run_within(rsm, evidence, at_exit, &mut Budget::unlimited()).map_err(Unreplayed::refused)
}

/// [`replay_run`] within limits.
///
/// # Errors
/// The first thing found that is not so, or the limit that was reached.
pub fn replay_run_within(
    rsm: &Rsm,
    evidence: &Evidence,
    at_exit: AtExit,
    budget: &mut Budget,
) -> Result<LabelledRun, Unreplayed> {
    let path = first(evidence)?;
    if path.shows == AUTOMATON && (evidence.paths.len() > 1 || !evidence.also.is_empty()) {
        return Err(error(0, 0, "a run for an automaton relies on no other path").into());
    }
    let at = &mut 0;
    run(rsm, path, at_exit, at, budget).map_err(|fault| Unreplayed::at(0, *at, fault))
}

/// Whether a path is more than one state.
pub(crate) fn is_run(path: &Path) -> bool {
    path.repeats.is_some() || path.states.len() > 1
}

fn run(
    rsm: &Rsm,
    path: &Path,
    at_exit: AtExit,
    at: &mut usize,
    budget: &mut Budget,
) -> Result<LabelledRun, Fault> {
    let machine = MachineSpace::new(rsm, at_exit);
    walk(&machine, &path.states, at, budget)?;
    starts(&machine, Start::Initial, &path.states[0])?;
    let endless = Endless::new(&machine, path).inspect_err(|_| *at = path.states.len() - 1)?;
    for i in 0..endless.len {
        let labels = endless.state(i).node.map_or(0, |node| rsm.labels_of(node).count());
        budget.spend(1 + labels)?;
        budget.charge(size_of::<Vec<LabelId>>() + labels * size_of::<LabelId>())?;
    }
    let labels = |i| endless.state(i).node.map_or_else(Vec::new, |node| rsm.labels_of(node).collect());
    Ok(LabelledRun {
        prefix: (0..endless.back).map(labels).collect(),
        cycle: (endless.back..endless.len).map(labels).collect(),
        deeper: endless.round.map_or(0, |round| round.deeper),
        steps: path.states.len() - 1,
    })
}

/// Where a path is to lead.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Target {
    /// To this node, under any stack.
    Node(Vertex),
    /// To any node with this label.
    Label(LabelId),
}

/// Where a path is to start.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Start {
    /// In an initial node, with the empty stack.
    Initial,
    /// In this node, with the empty stack.
    Node(Vertex),
    /// In this node, with some stack: any boxes each of which lies in the component that the one
    /// before calls.
    AnyStack(Vertex),
}

/// The claim of a path to a target, as text: `reach TARGET`, `reach TARGET from START` or
/// `reach TARGET from any START`. A target is a node as `COMPONENT/NODE` or a label as formulas
/// write it, a start is a node.
///
/// With a start outside the initial component, stacks are those above that component; in JSON the
/// path then has a key `component`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Reach {
    /// Where the path ends.
    pub target: Target,
    /// Where it starts.
    pub start: Start,
}

const REACH: &str = "reach ";
const FROM: &str = " from ";
const ANY: &str = "any ";

impl Reach {
    /// The text of the claim, for [`Path::shows`].
    pub fn shows(&self, rsm: &Rsm) -> String {
        let node = |node| format!("{}/{}", rsm.component_name(rsm.component_of(node)), rsm.vertex_name(node));
        let target = match self.target {
            Target::Node(target) => node(target),
            Target::Label(label) => {
                let mut build = FormulaBuilder::default();
                let atom = build.atom(rsm.label_name(label));
                build.finish(atom).to_string()
            }
        };
        match self.start {
            Start::Initial => format!("{REACH}{target}"),
            Start::Node(start) => format!("{REACH}{target}{FROM}{}", node(start)),
            Start::AnyStack(start) => format!("{REACH}{target}{FROM}{ANY}{}", node(start)),
        }
    }

    /// Reads the text of a claim. Names may hold anything, so that all ways to read it are tried.
    ///
    /// # Errors
    /// The text is not such a claim, uses names that the model does not have, or can be read in two
    /// ways.
    pub fn read(rsm: &Rsm, shows: &str) -> Result<Reach, String> {
        let Some(text) = shows.strip_prefix(REACH) else {
            return Err(format!("`{shows}` does not start with `{}`", REACH.trim()));
        };
        let mut found = Vec::new();
        let ways = text.match_indices(FROM).map(|(i, from)| (&text[..i], Some(&text[i + from.len()..])));
        for (target, start) in ways.chain([(text, None)]) {
            let starts: Vec<Start> = match start {
                None => vec![Start::Initial],
                Some(start) => {
                    let any = start.strip_prefix(ANY).map_or_else(Vec::new, |start| nodes(rsm, start));
                    let exact = nodes(rsm, start).into_iter().map(Start::Node);
                    exact.chain(any.into_iter().map(Start::AnyStack)).collect()
                }
            };
            let targets = label(rsm, target).map(Target::Label).into_iter();
            for target in targets.chain(nodes(rsm, target).into_iter().map(Target::Node)) {
                found.extend(starts.iter().map(|&start| Reach { target, start }));
            }
        }
        match found[..] {
            [reach] => Ok(reach),
            [] => Err(format!("`{shows}` names no node `COMPONENT/NODE` and no label of the model")),
            _ => Err(format!("`{shows}` can be read in {} ways", found.len())),
        }
    }
}

/// All nodes that `COMPONENT/NODE` can mean: names may hold slashes.
fn nodes(rsm: &Rsm, text: &str) -> Vec<Vertex> {
    let ways = text.match_indices('/');
    ways.filter_map(|(i, _)| rsm.find_node(rsm.find_component(&text[..i])?, &text[i + 1..])).collect()
}

fn label(rsm: &Rsm, text: &str) -> Option<LabelId> {
    let formula = parse_printed(text).ok()?;
    match formula.node(formula.root()) {
        Node::Atom(atom) => rsm.label(&formula.atoms()[atom]),
        _ => None,
    }
}

/// Checks a path to a target, whose text names its start and its end; the caller checks that this
/// is the target that was asked for.
///
/// # Errors
/// The first thing found that is not so.
pub fn replay_reach(
    rsm: &Rsm,
    evidence: &Evidence,
    at_exit: AtExit,
) -> Result<(Reach, Replayed), ReplayError> {
    replay_reach_within(rsm, evidence, at_exit, &mut Budget::unlimited()).map_err(Unreplayed::refused)
}

/// [`replay_reach`] within limits.
///
/// # Errors
/// The first thing found that is not so, or the limit that was reached.
pub fn replay_reach_within(
    rsm: &Rsm,
    evidence: &Evidence,
    at_exit: AtExit,
    budget: &mut Budget,
) -> Result<(Reach, Replayed), Unreplayed> {
    let path = first(evidence)?;
    let at = &mut 0;
    let reach = Reach::read(rsm, &path.shows).map_err(|message| error(0, 0, message))?;
    if evidence.paths.len() > 1 || !evidence.also.is_empty() {
        return Err(error(0, 0, "a path to a target relies on no other").into());
    }
    reached(rsm, &reach, path, at_exit, at, budget).map_err(|fault| Unreplayed::at(0, *at, fault))?;
    let replayed = Replayed { steps: path.states.len() - 1, claims: 1, ..Replayed::default() };
    Ok((reach, replayed))
}

/// Whether a path is one for [`replay_reach`]; no formula starts like this.
pub(crate) fn is_reach(path: &Path) -> bool {
    path.shows.starts_with(REACH)
}

fn reached(
    rsm: &Rsm,
    reach: &Reach,
    path: &Path,
    at_exit: AtExit,
    at: &mut usize,
    budget: &mut Budget,
) -> Checked {
    if path.repeats.is_some() {
        return Err("a path to a target has no loop".into());
    }
    let machine = MachineSpace::new(rsm, at_exit).along(path);
    walk(&machine, &path.states, at, budget)?;
    starts(&machine, reach.start, &path.states[0])?;
    *at = path.states.len() - 1;
    let node = path.states[*at].node;
    let there = match reach.target {
        Target::Node(target) => node == Some(target),
        Target::Label(label) => carries(rsm, node, label),
    };
    if there { Ok(()) } else { Err("the path does not end in its target".into()) }
}

/// Checks the first state of a path.
fn starts(machine: &MachineSpace<'_>, start: Start, state: &State) -> Result<(), String> {
    let (ok, message) = match start {
        Start::Initial => (machine.is_initial(state), "does not start in an initial state"),
        Start::Node(node) => (
            state.stack.is_empty() && state.node == Some(node),
            "does not start in the node that it names, with the empty stack",
        ),
        Start::AnyStack(node) => (state.node == Some(node), "does not start in the node that it names"),
    };
    if ok { Ok(()) } else { Err(message.to_owned()) }
}

fn first(evidence: &Evidence) -> Result<&Path, ReplayError> {
    let path = evidence.paths.as_slice().get(PathId::new(0).index());
    path.ok_or_else(|| error(0, 0, "there is no such path"))
}
