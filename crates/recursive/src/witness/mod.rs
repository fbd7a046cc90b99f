//! Evidence: why a formula is true at the initial states, as paths (`docs/formats.md`).
//!
//! Works on the instance graph that the summary engine leaves behind, whichever engine gave the
//! verdict: there every operand of every existential formula is known at every cell. E[φ₁ U φ₂] is
//! shown by the shortest run, EG and other path formulas by lassos whose loop may climb the stack
//! forever ([`paths`]), EX by a step. A state's nested existential claims get paths of their own; a
//! claim that no path exists has none.

mod paths;
mod tour;

use crate::instances::InstanceId;
use crate::last_exit::LastExit;
use crate::operand::Operand;
use crate::prepared::Prepared;
use crate::property::{EngineSettings, Property};
use crate::recorder::{MOST_STATES, RunRecorder, Unrecorded};
use crate::summary::{self, Decided, Growth, Mode, Stopped};
use loris_base::{Budget, Exhausted, Idx};
use loris_evidence::{AtExit, Claim, Evidence, Loop, Path, PathId, State};
use loris_logic::{Core, CoreId, CoreNode};
use loris_rsm::{BoxId, Rsm, Vertex};
use rustc_hash::FxHashMap;
use tour::Tour;

/// A formula whose text is longer than this, in bytes, is not shown.
const LONGEST_CLAIM: usize = 1 << 20;

/// Evidence that a property holds, or fails; nothing if its only claim is that paths do not exist.
pub(crate) fn explain(
    prepared: &Prepared<'_>,
    property: &Property<'_>,
    holds: bool,
    settings: &EngineSettings,
    budget: &mut Budget,
) -> Result<Option<Evidence>, Unrecorded> {
    let rsm = prepared.rsm();
    let claim = if holds { property.formula.clone() } else { property.formula.negated() };
    // negation may number the atoms anew
    let label = |atom: &String| {
        let place = property.formula.atoms().iter().position(|other| other == atom);
        place.and_then(|place| property.atoms[place])
    };
    let labels: Vec<_> = claim.atoms().iter().map(label).collect();
    let mode = Mode {
        at_exit: settings.at_exit,
        most_cells: usize::MAX,
        each_initial: true,
        growth: Growth::Evidence,
    };
    let decided = match summary::decide(prepared, &claim, &[&labels], &mode, budget) {
        Ok(decided) => decided,
        Err(Stopped::Exhausted(exhausted)) => return Err(exhausted.into()),
        Err(Stopped::TooLarge | Stopped::Decided(_)) => return Err(Exhausted::Memory.into()),
    };
    let mut shown: Vec<usize> = (0..rsm.initial().len()).filter(|&i| decided.values[i] == 1).collect();
    assert!(
        if holds { shown.len() == rsm.initial().len() } else { !shown.is_empty() },
        "the summary engine confirms every verdict"
    );
    let last_exit = decided.last_exit(&claim, settings.at_exit, budget)?;
    let mut explainer = Explainer {
        rsm,
        formula: &claim,
        at_exit: settings.at_exit,
        last_exit,
        decided,
        operands: FxHashMap::default(),
        tours: FxHashMap::default(),
        evidence: Evidence::default(),
        states: 0,
    };
    if !holds {
        shown = vec![explainer.nearest(&shown, budget)?];
    }
    let mut roots = Vec::new();
    for initial in shown {
        match explainer.root(initial, budget)? {
            Some(root) => roots.push(root),
            None => return Ok(None),
        }
    }
    explainer.evidence.also = roots.split_off(1.min(roots.len()));
    Ok(Some(explainer.evidence))
}

/// Truth of a formula's nodes at a state: (surely true, surely false).
type Rails = Vec<(bool, bool)>;

struct Explainer<'e, 'a> {
    rsm: &'a Rsm,
    formula: &'e Core,
    at_exit: AtExit,
    last_exit: LastExit,
    decided: Decided<'a>,
    /// per node of the formula, its value at every cell, for operands that were needed
    operands: FxHashMap<CoreId, Vec<u64>>,
    /// per existential formula, the automaton of its runs
    tours: FxHashMap<CoreId, Tour>,
    evidence: Evidence,
    states: usize,
}

/// A path to be found: it shows an existential formula at a state.
struct Task {
    path: PathId,
    node: CoreId,
    state: State,
}

/// A state in the instance graph: the calls below it, and a vertex of an instance.
struct Spot {
    below: Vec<(InstanceId, BoxId)>,
    instance: InstanceId,
    /// nothing for the sink
    vertex: Option<Vertex>,
}

impl Spot {
    fn recorder<'a, 'b>(&self, rsm: &'a Rsm, budget: &'b mut Budget) -> RunRecorder<'a, 'b> {
        RunRecorder::new(rsm, self.below.iter().map(|&(_, site)| site).collect(), budget)
    }
}

impl Explainer<'_, '_> {
    /// Evidence for the whole formula at an initial node.
    fn root(&mut self, initial: usize, budget: &mut Budget) -> Result<Option<PathId>, Unrecorded> {
        let root = self.formula.root();
        let state = State { stack: Vec::new(), node: Some(self.rsm.initial()[initial]) };
        let path = self.reserve(root)?;
        let mut tasks = Vec::new();
        if self.formula.node(root).is_existential() {
            tasks.push(Task { path, node: root, state });
        } else {
            let rails = self.rails(&state, Some(initial));
            let (claims, absences) = self.reasons(root, &rails);
            if claims.is_empty() && absences > 0 {
                return Ok(None);
            }
            for node in claims {
                let evidence = self.reserve(node)?;
                self.evidence.paths[path].because.push(Claim { state: 0, evidence });
                tasks.push(Task { path: evidence, node, state: state.clone() });
            }
            self.evidence.paths[path].states.push(state);
        }
        while let Some(task) = tasks.pop() {
            self.show(&task, &mut tasks, budget)?;
        }
        Ok(Some(path))
    }

    /// Of some initial nodes where the formula is true, the one whose path is shortest; of many,
    /// one of the first few.
    fn nearest(&mut self, initial: &[usize], budget: &mut Budget) -> Result<usize, Unrecorded> {
        let root = self.formula.root();
        if !matches!(self.formula.node(root), CoreNode::Eu(..)) {
            return Ok(initial[0]);
        }
        let mut best = (usize::MAX, initial[0]);
        for &initial in initial.iter().take(if initial.len() > 1 { 16 } else { 0 }) {
            let state = State { stack: Vec::new(), node: Some(self.rsm.initial()[initial]) };
            best = best.min((self.run(root, &state, budget)?.len(), initial));
        }
        Ok(best.1)
    }

    /// A path that shows a formula, its states to be filled in.
    fn reserve(&mut self, node: CoreId) -> Result<PathId, Unrecorded> {
        // parts that are shared in the formula are written out: the text can be exponentially long
        let shows = self.formula.print_within(node, LONGEST_CLAIM).ok_or(Unrecorded::TooLong)?;
        Ok(self.evidence.paths.push(Path { shows, states: Vec::new(), repeats: None, because: Vec::new() }))
    }

    /// Finds the path of a task, and tasks for the claims its states rely on.
    fn show(&mut self, task: &Task, tasks: &mut Vec<Task>, budget: &mut Budget) -> Result<(), Unrecorded> {
        let (states, repeats) = match self.formula.node(task.node) {
            CoreNode::Ex(operand) => (self.step(&task.state, operand, budget)?, None),
            CoreNode::Eu(..) => (self.run(task.node, &task.state, budget)?, None),
            CoreNode::Eg(_) | CoreNode::E(_) => {
                let (states, repeats) = self.lasso(task.node, &task.state, budget)?;
                (states, Some(repeats))
            }
            _ => unreachable!("only existential formulas need paths"),
        };
        self.states += states.len();
        if self.states > MOST_STATES {
            return Err(Unrecorded::TooLong);
        }
        let last = states.len() - 1;
        let kind = self.formula.node(task.node);
        // operands over labels alone need no evidence: find them once, not at every state
        let relying: Vec<CoreId> = self
            .formula
            .children(task.node)
            .filter(|&operand| !Operand::new(self.formula, operand).existentials.is_empty())
            .collect();
        for (i, state) in states.iter().enumerate().filter(|_| !relying.is_empty()) {
            // a closed loop is recorded once
            let closes = |repeats: Loop| i == repeats.to && states[repeats.from] == *state;
            if repeats.is_some_and(closes) {
                continue;
            }
            let operands = match kind {
                CoreNode::Ex(operand) if i == 1 => vec![operand],
                CoreNode::Eu(along, goal) => vec![if i == last { goal } else { along }],
                CoreNode::Eg(along) => vec![along],
                CoreNode::E(_) => relying.clone(),
                _ => continue,
            };
            let rails = self.rails(state, None);
            let mut claims: Vec<CoreId> = Vec::new();
            for operand in operands.into_iter().filter(|operand| relying.contains(operand)) {
                claims.extend(self.reasons(operand, &rails).0);
            }
            claims.sort_unstable();
            claims.dedup();
            for node in claims {
                let evidence = self.reserve(node)?;
                self.evidence.paths[task.path].because.push(Claim { state: i, evidence });
                tasks.push(Task { path: evidence, node, state: state.clone() });
            }
        }
        let path = &mut self.evidence.paths[task.path];
        path.states = states;
        path.repeats = repeats;
        Ok(())
    }

    /// Where a state is in the instance graph. An exit under a call is looked at from the caller,
    /// as its return port: the same state, and all there is of an empty procedure.
    fn place(&self, state: &State) -> Spot {
        let mut instance = self.decided.graph.start;
        let mut below = Vec::with_capacity(state.stack.len());
        for &site in &state.stack {
            below.push((instance, site));
            instance = self.decided.graph.callee(instance, site);
        }
        let mut vertex = state.node;
        if let Some(exit) = state.node.filter(|&node| self.rsm.is_exit(node))
            && let Some((caller, site)) = below.pop()
        {
            let position = self.rsm.exit_index(exit).expect("an exit has a position");
            vertex = self.rsm.return_port(site, position);
            instance = caller;
        }
        Spot { below, instance, vertex }
    }

    /// All nodes of the formula at a state, as far as they are known there.
    fn rails(&self, state: &State, initial: Option<usize>) -> Rails {
        let Spot { instance, vertex, .. } = self.place(state);
        let mut rails: Rails = Vec::with_capacity(self.formula.nodes().len());
        for (number, &node) in self.formula.nodes().iter().enumerate() {
            let at = |node: CoreId| rails[node.index()];
            let value = match (node, vertex) {
                (CoreNode::True, _) => (true, false),
                (CoreNode::Not(a), _) => (at(a).1, at(a).0),
                (CoreNode::And(a, b), _) => (at(a).0 && at(b).0, at(a).1 || at(b).1),
                (CoreNode::Or(a, b), _) => (at(a).0 || at(b).0, at(a).1 && at(b).1),
                (_, None) => {
                    let value = self.last_exit.at_sink(CoreId::new(number)) != 0;
                    (value, !value)
                }
                (CoreNode::Atom(k), Some(vertex)) => {
                    let value = self.decided.atoms.at(k, vertex.index()) != 0;
                    (value, !value)
                }
                (_, Some(vertex)) => self.existential_at(number, instance, vertex, initial),
            };
            rails.push(value);
        }
        rails
    }

    fn existential_at(
        &self,
        node: usize,
        instance: InstanceId,
        vertex: Vertex,
        initial: Option<usize>,
    ) -> (bool, bool) {
        if let Some(value) = initial.and_then(|initial| self.decided.at_start(node, initial)) {
            return (value, !value);
        }
        let cell = self.decided.graph.shift(instance).cell(vertex);
        let known = &self.decided.known;
        match (known.values[node].get(cell.index()), known.asked[node].get(cell.index())) {
            (Some(&value), Some(&asked)) if asked != 0 => (value != 0, value == 0),
            _ => (false, false),
        }
    }

    /// The existential claims that give an operand its value, and the number of claims of absence
    /// it relies on. Of a disjunction, the side is taken that relies on fewer absences, then on
    /// fewer claims. An operand that is not known relies on nothing.
    fn reasons(&self, operand: CoreId, rails: &Rails) -> (Vec<CoreId>, usize) {
        const TRUE: usize = 0;
        const FALSE: usize = 1;
        let nodes = self.formula.nodes();
        // per node, the cost of showing it true and of showing it false: (absences, claims)
        let mut costs: Vec<[(usize, usize); 2]> = Vec::with_capacity(operand.index() + 1);
        let is = |node: CoreId, value: usize| [rails[node.index()].0, rails[node.index()].1][value];
        let cheaper = |costs: &[[(usize, usize); 2]], a: CoreId, b: CoreId, value: usize| {
            let cost = |node: CoreId| (!is(node, value), costs[node.index()][value]);
            if cost(a) <= cost(b) { a } else { b }
        };
        for &node in &nodes[..=operand.index()] {
            let at = |node: CoreId| costs[node.index()];
            let both = |a: CoreId, b: CoreId, value: usize| {
                let (a, b) = (at(a)[value], at(b)[value]);
                (a.0.saturating_add(b.0), a.1.saturating_add(b.1))
            };
            let one = |a: CoreId, b: CoreId, value: usize| at(cheaper(&costs, a, b, value))[value];
            costs.push(match node {
                CoreNode::True | CoreNode::Atom(_) => [(0, 0); 2],
                CoreNode::Not(a) => [at(a)[FALSE], at(a)[TRUE]],
                CoreNode::And(a, b) => [both(a, b, TRUE), one(a, b, FALSE)],
                CoreNode::Or(a, b) => [one(a, b, TRUE), both(a, b, FALSE)],
                CoreNode::Ex(_) | CoreNode::Eg(_) | CoreNode::Eu(..) | CoreNode::E(_) => [(0, 1), (1, 0)],
            });
        }
        let value = if is(operand, TRUE) { TRUE } else { FALSE };
        let mut claims = Vec::new();
        let mut left = vec![(operand, value)];
        while let Some((node, value)) = left.pop().filter(|_| is(operand, value)) {
            match nodes[node.index()] {
                CoreNode::True | CoreNode::Atom(_) => {}
                CoreNode::Not(a) => left.push((a, 1 - value)),
                CoreNode::And(a, b) if value == FALSE => left.push((cheaper(&costs, a, b, value), value)),
                CoreNode::Or(a, b) if value == TRUE => left.push((cheaper(&costs, a, b, value), value)),
                CoreNode::And(a, b) | CoreNode::Or(a, b) => left.extend([(b, value), (a, value)]),
                _ if value == TRUE => claims.push(node),
                _ => {}
            }
        }
        claims.sort_unstable();
        claims.dedup();
        (claims, costs[operand.index()][value].0)
    }

    /// An operand at every cell.
    fn operand(&mut self, node: CoreId, budget: &mut Budget) -> Result<(), Unrecorded> {
        if !self.operands.contains_key(&node) {
            let Decided { graph, atoms, known, .. } = &self.decided;
            let values = Operand::new(self.formula, node).everywhere(graph, atoms, &known.values, budget)?;
            self.operands.insert(node, values);
        }
        Ok(())
    }

    /// EX: a step to where the operand holds.
    fn step(
        &mut self,
        state: &State,
        operand: CoreId,
        budget: &mut Budget,
    ) -> Result<Vec<State>, Unrecorded> {
        self.operand(operand, budget)?;
        let spot = self.place(state);
        let mut recorder = spot.recorder(self.rsm, budget);
        let Some(vertex) = spot.vertex.filter(|&vertex| !self.rsm.is_exit(vertex)) else {
            // after the last exit, in the only way there is
            recorder.emit(spot.vertex)?;
            recorder.emit(spot.vertex.filter(|_| self.at_exit == AtExit::Loop))?;
            return Ok(recorder.states);
        };
        recorder.arrive(vertex)?;
        let shift = self.decided.graph.shift(spot.instance);
        let values = &self.operands[&operand];
        let successor =
            self.rsm.successors(vertex).find(|&successor| values[shift.cell(successor).index()] != 0);
        recorder.arrive_now(successor.expect("EX is true here"))?;
        Ok(recorder.states)
    }
}
