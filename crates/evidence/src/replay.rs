//! Decides whether evidence shows what it says, by the semantics alone (`docs/semantics.md`); it shares
//! no code with any engine.
//!
//! A path comes before those it relies on. So one loop from the last path to the first meets every
//! path after its claims were checked, and no recursion is needed. Linear in the size of the evidence
//! times the boolean size of the formulas.
//!
//! Two kinds of claims have no finite evidence and are listed as trusted: that *no* path of some kind
//! exists, and that a claim which looks below the stack where a growing loop starts holds again in
//! later rounds, where the stack below is another. An outermost formula that rests on nothing but such
//! claims is refused: there is nothing to replay.

use crate::formulas::{Circuit, FormulaNumber, Formulas, Leaf, shortened};
use crate::{AtExit, Evidence, Loop, Path, PathId, State};
use loris_base::{Idx, Truth};
use loris_logic::{Core, CoreNode};
use loris_rsm::{BoxId, Kind, LabelId, Rsm, Vertex};
use rustc_hash::FxHashSet;

/// What a replay did.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Replayed {
    /// Steps taken.
    pub steps: usize,
    /// Existential claims that a path showed.
    pub claims: usize,
    /// How often a claim was relied on that no path can show.
    pub trusted: usize,
    /// These claims, each once, the first few of them.
    pub trusted_claims: Vec<String>,
}

/// More are counted, but not listed.
const LISTED: usize = 20;

/// Where evidence does not show what it says, and why.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("path {path}, state {state}: {message}")]
pub struct ReplayError {
    /// Index of the path, in the order the JSON lists them.
    pub path: usize,
    /// Index of the state on the path.
    pub state: usize,
    /// What is wrong there.
    pub message: String,
}

/// Checks every path, every step and every claim.
///
/// # Errors
/// The first thing found that is not so.
pub fn replay(rsm: &Rsm, evidence: &Evidence, at_exit: AtExit) -> Result<Replayed, ReplayError> {
    let count = evidence.paths.len();
    let mut replay = Replay {
        rsm,
        evidence,
        root: roots(evidence).collect(),
        at_exit,
        formulas: Formulas::default(),
        shown: vec![Shown { formula: 0, lowest: usize::MAX }; count],
        listed: FxHashSet::default(),
        report: Replayed::default(),
    };
    for path in evidence.paths.ids().rev() {
        let at = &mut 0;
        let checked = replay.path(path, at);
        checked.map_err(|message| ReplayError { path: path.index(), state: *at, message })?;
    }
    replay.roots()?;
    Ok(replay.report)
}

/// Checks that evidence that a property holds starts in every initial node; where it fails, one is
/// enough.
///
/// # Errors
/// Names an initial node that is missing.
pub fn covers_initial(rsm: &Rsm, evidence: &Evidence, holds: bool) -> Result<(), ReplayError> {
    let starts: FxHashSet<Vertex> = roots(evidence)
        .filter_map(|root| evidence.paths.as_slice().get(root.index())?.states.first()?.node)
        .collect();
    match rsm.initial().iter().find(|node| !starts.contains(node)) {
        Some(&node) if holds || starts.is_empty() => {
            let message = format!("nothing is shown of the initial node \"{}\"", rsm.vertex_name(node));
            Err(ReplayError { path: 0, state: 0, message })
        }
        _ => Ok(()),
    }
}

/// Whether a formula is what evidence has to show: the property where it holds, its negation where it
/// fails.
pub fn relates(property: &Core, verdict_holds: bool, shows: &str) -> bool {
    let mut formulas = Formulas::default();
    let shown = formulas.read(shows);
    let claim =
        if verdict_holds { formulas.add(property, "") } else { formulas.add(&property.negated(), "") };
    shown == Ok(claim)
}

fn roots(evidence: &Evidence) -> impl Iterator<Item = PathId> + '_ {
    std::iter::once(PathId::new(0)).chain(evidence.also.iter().copied())
}

/// What is known of a checked path.
#[derive(Clone, Copy)]
struct Shown {
    formula: FormulaNumber,
    /// the lowest stack height at which it, or what it relies on, leaves an exit: frames further down
    /// do not matter
    lowest: usize,
}

struct Replay<'a> {
    rsm: &'a Rsm,
    evidence: &'a Evidence,
    root: FxHashSet<PathId>,
    at_exit: AtExit,
    formulas: Formulas<'a>,
    shown: Vec<Shown>,
    listed: FxHashSet<(FormulaNumber, bool)>,
    report: Replayed,
}

type Checked = Result<(), String>;

impl Replay<'_> {
    /// Checks one path; those it relies on were checked. `at` follows the state looked at.
    fn path(&mut self, id: PathId, at: &mut usize) -> Checked {
        let (rsm, evidence) = (self.rsm, self.evidence);
        let path = &evidence.paths[id];
        let formula = self
            .formulas
            .read(&path.shows)
            .map_err(|why| format!("`{}` is no CTL formula: {why}", shortened(&path.shows, 200)))?;
        if path.states.is_empty() {
            return Err("a path has at least one state".to_owned());
        }
        for (i, state) in path.states.iter().enumerate() {
            *at = i;
            well_formed(rsm, state)?;
        }
        let mut lowest = usize::MAX;
        for (i, (state, next)) in path.states.iter().zip(&path.states[1..]).enumerate() {
            *at = i;
            if !is_step(rsm, self.at_exit, state, next) {
                return Err(format!("no step leads from here to state {}", i + 1));
            }
            if state.node.is_none_or(|node| rsm.is_exit(node)) {
                lowest = lowest.min(state.stack.len());
            }
        }
        let mut because = Vec::with_capacity(path.because.len());
        for claim in &path.because {
            *at = claim.state;
            let child = claim.evidence.index();
            if child <= id.index() || child >= self.shown.len() {
                return Err(format!("relies on path {child}, which does not come after it"));
            }
            let Some(state) = path.states.get(claim.state) else {
                *at = path.states.len() - 1;
                return Err(format!(
                    "relies on path {child} in state {}, but this state is the last",
                    claim.state
                ));
            };
            if evidence.paths[claim.evidence].states.first() != Some(state) {
                return Err(format!("relies on path {child}, which starts elsewhere"));
            }
            lowest = lowest.min(self.shown[child].lowest);
            because.push((claim.state, self.shown[child]));
        }
        because.sort_by_key(|&(state, _)| state);
        *at = 0;
        self.shape(path, formula, &because, at)?;
        if self.root.contains(&id) && !self.formulas.node(formula).is_existential() {
            self.grounded(formula, &path.states[0], &because)?;
        }
        self.shown[id.index()] = Shown { formula, lowest };
        self.report.steps += path.states.len() - 1;
        self.report.claims += usize::from(self.formulas.node(formula).is_existential());
        Ok(())
    }

    /// Checks that the states are what the outermost operator asks for.
    fn shape(
        &mut self,
        path: &Path,
        formula: FormulaNumber,
        because: &[(usize, Shown)],
        at: &mut usize,
    ) -> Checked {
        let last = path.states.len() - 1;
        let node = self.formulas.node(formula);
        if path.repeats.is_some() && !matches!(node, CoreNode::Eg(_)) {
            return Err("only E G is shown by a loop".to_owned());
        }
        let mut holds = |claim: FormulaNumber, states: std::ops::Range<usize>, lap: Option<Lap>| {
            let circuit = self.formulas.circuit(claim, self.rsm);
            for i in states {
                *at = i;
                self.holds(claim, &circuit, i, &path.states[i], because, lap.as_ref())?;
            }
            Ok(())
        };
        match node {
            CoreNode::Ex(_) if last != 1 => Err("E X is shown by two states".to_owned()),
            CoreNode::Ex(f) => holds(f, 1..2, None),
            CoreNode::Eu(f, g) => {
                holds(f, 0..last, None)?;
                holds(g, last..last + 1, None)
            }
            CoreNode::Eg(f) => {
                let lap = lap(path)?;
                // a closed loop ends in the very state it starts from
                let end = if lap.is_some() { last + 1 } else { last };
                holds(f, 0..end, lap)
            }
            _ if last != 0 => Err("a formula that is no path's is shown by one state".to_owned()),
            _ => holds(formula, 0..1, None),
        }
    }

    /// Checks that a formula holds in a state by its labels and by claims that were shown.
    fn holds(
        &mut self,
        formula: FormulaNumber,
        circuit: &Circuit,
        index: usize,
        state: &State,
        because: &[(usize, Shown)],
        lap: Option<&Lap>,
    ) -> Checked {
        let start = because.partition_point(|&(at, _)| at < index);
        let here = &because[start..start + because[start..].partition_point(|&(at, _)| at == index)];
        let lap = lap.filter(|lap| (lap.from..lap.to).contains(&index));
        let claim = |number: FormulaNumber| {
            let shown = here.iter().filter(|(_, shown)| shown.formula == number);
            let values = shown.map(|(_, shown)| match lap {
                Some(lap) if shown.lowest <= lap.height => Truth::Unknown,
                _ => Truth::True,
            });
            values.max().unwrap_or(Truth::False)
        };
        let values = circuit.values(|leaf, positive| match leaf {
            Leaf::True => positive.into(),
            Leaf::Label(label) => (carries(self.rsm, state, label) == positive).into(),
            Leaf::Claim(number) if positive => claim(number),
            Leaf::Claim(number) if claim(number) == Truth::False => Truth::Unknown,
            Leaf::Claim(_) => Truth::False,
        });
        match values.last() {
            Some(Truth::True) => Ok(()),
            Some(Truth::Unknown) => {
                for (leaf, positive) in circuit.reasons(&values) {
                    self.trust(leaf, positive);
                }
                Ok(())
            }
            _ => Err(self.refusal(formula, &circuit.reasons(&values))),
        }
    }

    /// Checks that a formula which holds in a state does so by some label or some claim that was shown,
    /// and not only by what is to be trusted.
    fn grounded(&self, formula: FormulaNumber, state: &State, because: &[(usize, Shown)]) -> Checked {
        let circuit = self.formulas.circuit(formula, self.rsm);
        let by = circuit.values(|leaf, positive| match leaf {
            Leaf::True => positive.into(),
            Leaf::Label(label) => (carries(self.rsm, state, label) == positive).into(),
            Leaf::Claim(number) if because.iter().any(|(_, shown)| shown.formula == number) => {
                positive.into()
            }
            Leaf::Claim(_) if positive => Truth::False,
            Leaf::Claim(_) => Truth::Unknown,
        });
        if circuit.is_grounded(&by) {
            return Ok(());
        }
        let formula = self.formulas.print(formula);
        Err(format!("`{formula}` shows nothing that can be replayed: it only says that no path exists"))
    }

    fn trust(&mut self, leaf: Leaf, positive: bool) {
        let Leaf::Claim(number) = leaf else { return };
        self.report.trusted += 1;
        if self.report.trusted_claims.len() < LISTED && self.listed.insert((number, positive)) {
            let claim = self.formulas.print(number);
            self.report.trusted_claims.push(if positive {
                format!("{claim}, again in every round of a growing loop")
            } else {
                format!("!{claim}")
            });
        }
    }

    fn refusal(&self, formula: FormulaNumber, reasons: &[(Leaf, bool)]) -> String {
        let claim = reasons.iter().find_map(|&(leaf, positive)| match leaf {
            Leaf::Claim(number) => Some((number, positive)),
            _ => None,
        });
        let formula = self.formulas.print(formula);
        match claim {
            None => format!("`{formula}` does not hold here"),
            Some((claim, true)) => {
                format!("`{formula}` is not shown here: nothing shows `{}`", self.formulas.print(claim))
            }
            Some((claim, false)) => {
                format!("`{formula}` does not hold here: there is `{}`", self.formulas.print(claim))
            }
        }
    }

    /// Checks that the outermost paths show one formula and start in initial nodes, each in another.
    fn roots(&self) -> Result<(), ReplayError> {
        let mut starts = FxHashSet::default();
        for root in roots(self.evidence) {
            let wrong = |message: &str| {
                Err(ReplayError { path: root.index(), state: 0, message: message.to_owned() })
            };
            let Some(path) = self.evidence.paths.as_slice().get(root.index()) else {
                return wrong("there is no such path");
            };
            let start = &path.states[0];
            match start.node {
                Some(node) if start.stack.is_empty() && self.rsm.initial().contains(&node) => {
                    if !starts.insert(node) {
                        return wrong("starts in the same initial node as another path");
                    }
                }
                _ => return wrong("does not start in an initial node"),
            }
            if self.shown[root.index()].formula != self.shown[0].formula {
                return wrong("shows another formula than the first path");
            }
        }
        Ok(())
    }
}

/// One round of a loop that grows the stack.
struct Lap {
    from: usize,
    to: usize,
    /// the height of the stack where it starts
    height: usize,
}

/// Checks the loop of a path; nothing if it ends in the very state it starts from.
fn lap(path: &Path) -> Result<Option<Lap>, String> {
    let Some(Loop { from, to }) = path.repeats else {
        return Err("E G is shown by a loop, and there is none".to_owned());
    };
    if from >= to || to + 1 != path.states.len() {
        return Err(format!("a loop from state {from} to {to} does not end in the last state of the path"));
    }
    let (first, last) = (&path.states[from], &path.states[to]);
    let height = first.stack.len();
    if first.node != last.node {
        return Err(format!("the loop does not close: states {from} and {to} have different nodes"));
    }
    if first.stack == last.stack {
        return Ok(None);
    }
    if !last.stack.starts_with(&first.stack) {
        return Err(format!(
            "the loop does not close: the stack of state {to} does not extend that of {from}"
        ));
    }
    match (from..to).find(|&i| path.states[i].stack.len() < height) {
        Some(i) => Err(format!("the loop drops below the stack it starts with, in state {i}")),
        None => Ok(Some(Lap { from, to, height })),
    }
}

fn carries(rsm: &Rsm, state: &State, label: Option<LabelId>) -> bool {
    match (state.node, label) {
        (Some(node), Some(label)) => rsm.labels_of(node).any(|other| other == label),
        _ => false,
    }
}

/// Checks that each box lies in the component the one before calls, and the node in the last.
fn well_formed(rsm: &Rsm, state: &State) -> Checked {
    let mut component = rsm.initial_component();
    for &site in &state.stack {
        if site.index() >= rsm.box_count() || rsm.owner(site) != component {
            return Err("the stack holds a box of another component than the one called".to_owned());
        }
        component = rsm.callee(site);
    }
    match state.node {
        None if state.stack.is_empty() => Ok(()),
        None => Err("the state after the last exit has no stack".to_owned()),
        Some(node)
            if node.index() < rsm.vertex_count()
                && rsm.kind(node) == Kind::Node
                && rsm.component_of(node) == component =>
        {
            Ok(())
        }
        Some(_) => Err("this is no node of the component the stack leads to".to_owned()),
    }
}

/// Whether the machine can move from one state to another in one step.
fn is_step(rsm: &Rsm, at_exit: AtExit, from: &State, to: &State) -> bool {
    let Some(node) = from.node else { return at_exit == AtExit::Sink && from == to };
    let Some(exit) = rsm.exit_index(node) else {
        return rsm.successors(node).any(|target| lands(rsm, &from.stack, target, to));
    };
    let Some((&site, below)) = from.stack.split_last() else {
        return match at_exit {
            AtExit::Loop => from == to,
            AtExit::Sink => to.node.is_none() && to.stack.is_empty(),
            AtExit::Stop => false,
        };
    };
    rsm.return_port(site, exit)
        .is_some_and(|port| rsm.successors(port).any(|target| lands(rsm, below, target, to)))
}

/// Whether an edge to `target`, taken under a stack, leads to a state: a port is a node with its box
/// on the stack.
fn lands(rsm: &Rsm, stack: &[BoxId], target: Vertex, state: &State) -> bool {
    state.node == Some(rsm.node_of(target))
        && match (rsm.box_of(target), state.stack.split_last()) {
            (None, _) => state.stack == stack,
            (Some(site), Some((&last, below))) => site == last && below == stack,
            (Some(_), None) => false,
        }
}
