//! Evidence: why a formula is true at the initial states, as paths (`docs/formats.md`).
//!
//! Works on the instance graph that the summary engine leaves behind, whichever engine gave the
//! verdict: there every operand of every existential formula is known at every cell. E[φ₁ U φ₂] is
//! shown by the [shortest](search) run, EG by a [lasso](lasso) whose loop may climb the stack for ever,
//! EX by a step. A state's nested existential claims get paths of their own; a claim that no path exists
//! has none.

mod lasso;
mod search;
mod tell;

use crate::api::{Prepared, Property, Settings};
use crate::operand::Operand;
use crate::summary::{self, Bottom, Decided, Mode, Stopped};
use loris_base::{Budget, Exhausted, Idx};
use loris_evidence::{AtExit, Claim, Evidence, Loop, Path, PathId, State};
use loris_logic::{Core, CoreNode};
use loris_rsm::{BoxId, Kind, Rsm, Vertex};
use rustc_hash::FxHashMap;
use search::{Frame, Start, search};
pub(crate) use tell::{MOST_STATES, Story, TooLong};

/// A formula whose text is longer than this, in bytes, is not shown.
const LONGEST_CLAIM: usize = 1 << 20;

/// Why there is no evidence.
pub(crate) enum Silent {
    Exhausted(Exhausted),
    TooLong,
}

impl From<Exhausted> for Silent {
    fn from(exhausted: Exhausted) -> Self {
        Silent::Exhausted(exhausted)
    }
}

impl From<TooLong> for Silent {
    fn from(TooLong: TooLong) -> Self {
        Silent::TooLong
    }
}

/// Evidence that a property holds, or fails; nothing if all it says is that paths do not exist.
pub(crate) fn explain(
    prepared: &Prepared<'_>,
    property: &Property<'_>,
    holds: bool,
    settings: &Settings,
    budget: &mut Budget,
) -> Result<Option<Evidence>, Silent> {
    let rsm = prepared.rsm();
    let claim = if holds { property.formula.clone() } else { property.formula.negated() };
    // negation may number the atoms anew
    let label = |atom: &String| {
        let place = property.formula.atoms().iter().position(|other| other == atom);
        place.and_then(|place| property.atoms[place])
    };
    let labels: Vec<_> = claim.atoms().iter().map(label).collect();
    let mode = Mode { at_exit: settings.at_exit, most_cells: usize::MAX, evidence: true };
    let decided = match summary::decide(prepared, &claim, &[&labels], &mode, budget) {
        Ok(decided) => decided,
        Err(Stopped::Exhausted(exhausted)) => return Err(exhausted.into()),
        Err(Stopped::TooLarge) => return Err(Exhausted::Memory.into()),
    };
    let mut shown: Vec<usize> = (0..rsm.initial().len()).filter(|&i| decided.values[i] == 1).collect();
    assert!(
        if holds { shown.len() == rsm.initial().len() } else { !shown.is_empty() },
        "the summary engine confirms every verdict"
    );
    let bottom = Bottom::new(rsm, &claim, &decided.atoms, settings.at_exit);
    let mut explainer = Explainer {
        rsm,
        formula: &claim,
        at_exit: settings.at_exit,
        bottom,
        decided,
        operands: FxHashMap::default(),
        lassos: FxHashMap::default(),
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
    bottom: Bottom,
    decided: Decided<'a>,
    /// per node of the formula, its value at every cell, for operands that were needed
    operands: FxHashMap<u32, Vec<u64>>,
    lassos: FxHashMap<u32, lasso::Endless>,
    evidence: Evidence,
    states: usize,
}

/// A path to be found: it shows an existential formula at a state.
struct Task {
    path: PathId,
    node: u32,
    state: State,
}

/// A state in the instance graph: the calls below it, and a vertex of an instance.
struct Spot {
    below: Vec<(u32, BoxId)>,
    instance: u32,
    /// nothing for the sink
    vertex: Option<Vertex>,
}

impl Spot {
    fn story<'a>(&self, rsm: &'a Rsm) -> Story<'a> {
        Story::new(rsm, self.below.iter().map(|&(_, site)| site).collect())
    }
}

impl Explainer<'_, '_> {
    /// Evidence for the whole formula at an initial node.
    fn root(&mut self, initial: usize, budget: &mut Budget) -> Result<Option<PathId>, Silent> {
        let root = self.formula.root();
        let state = State { stack: Vec::new(), node: Some(self.rsm.initial()[initial]) };
        let path = self.reserve(root)?;
        let mut tasks = Vec::new();
        if self.formula.nodes()[root as usize].is_existential() {
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

    /// Of some initial nodes where the formula is true, the one whose path is shortest; of many, one
    /// of the first few.
    fn nearest(&mut self, initial: &[usize], budget: &mut Budget) -> Result<usize, Silent> {
        let CoreNode::Eu(along, goal) = self.formula.nodes()[self.formula.root() as usize] else {
            return Ok(initial[0]);
        };
        let mut best = (usize::MAX, initial[0]);
        for &initial in initial.iter().take(if initial.len() > 1 { 16 } else { 0 }) {
            let state = State { stack: Vec::new(), node: Some(self.rsm.initial()[initial]) };
            best = best.min((self.run(&state, along, goal, budget)?.len(), initial));
        }
        Ok(best.1)
    }

    /// A path that shows a formula, its states to be filled in.
    fn reserve(&mut self, node: u32) -> Result<PathId, Silent> {
        // parts that are shared in the formula are written out: the text can be exponentially long
        let shows = self.formula.print_within(node, LONGEST_CLAIM).ok_or(Silent::TooLong)?;
        Ok(self.evidence.paths.push(Path { shows, states: Vec::new(), repeats: None, because: Vec::new() }))
    }

    /// Finds the path of a task, and tasks for the claims its states rely on.
    fn show(&mut self, task: &Task, tasks: &mut Vec<Task>, budget: &mut Budget) -> Result<(), Silent> {
        let (states, repeats) = match self.formula.nodes()[task.node as usize] {
            CoreNode::Ex(operand) => (self.step(&task.state, operand, budget)?, None),
            CoreNode::Eu(along, goal) => (self.run(&task.state, along, goal, budget)?, None),
            CoreNode::Eg(along) => {
                let (states, repeats) = self.lasso(task.node, along, &task.state, budget)?;
                (states, Some(repeats))
            }
            _ => unreachable!("only existential formulas need paths"),
        };
        self.states += states.len();
        if self.states > MOST_STATES {
            return Err(Silent::TooLong);
        }
        let last = states.len() - 1;
        let kind = self.formula.nodes()[task.node as usize];
        // operands over labels alone need no evidence: tell them apart once, not at every state
        let relying: Vec<u32> = kind
            .children()
            .filter(|&operand| !Operand::new(self.formula, operand).existentials.is_empty())
            .collect();
        for (i, state) in states.iter().enumerate() {
            let operand = match kind {
                CoreNode::Ex(operand) if i == 1 => operand,
                CoreNode::Eu(along, goal) => {
                    if i == last {
                        goal
                    } else {
                        along
                    }
                }
                // a closed loop is told once
                CoreNode::Eg(_)
                    if repeats
                        .is_some_and(|repeats: Loop| i == repeats.to && states[repeats.from] == *state) =>
                {
                    continue;
                }
                CoreNode::Eg(along) => along,
                _ => continue,
            };
            if !relying.contains(&operand) {
                continue;
            }
            let rails = self.rails(state, None);
            for node in self.reasons(operand, &rails).0 {
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

    /// Where a state is in the instance graph. An exit under a call is looked at from the caller, as
    /// its return port: the same state, and all there is of an empty procedure.
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
            let at = |node: u32| rails[node as usize];
            let value = match (node, vertex) {
                (CoreNode::True, _) => (true, false),
                (CoreNode::Not(a), _) => (at(a).1, at(a).0),
                (CoreNode::And(a, b), _) => (at(a).0 && at(b).0, at(a).1 || at(b).1),
                (CoreNode::Or(a, b), _) => (at(a).0 || at(b).0, at(a).1 && at(b).1),
                (_, None) => {
                    let value = self.bottom.at_sink(number as u32) != 0;
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
        instance: u32,
        vertex: Vertex,
        initial: Option<usize>,
    ) -> (bool, bool) {
        if let Some(value) = initial.and_then(|initial| self.decided.at_start(node, initial)) {
            return (value, !value);
        }
        let cell = self.decided.graph.shift(instance).cell(vertex);
        let known = &self.decided.known;
        match (known.values[node].get(cell), known.asked[node].get(cell)) {
            (Some(&value), Some(&asked)) if asked != 0 => (value != 0, value == 0),
            _ => (false, false),
        }
    }

    /// The existential claims that make a true operand true, and on how many claims of absence it
    /// relies. Of a disjunction, the side is taken that relies on fewer absences, then on fewer claims.
    fn reasons(&self, operand: u32, rails: &Rails) -> (Vec<u32>, usize) {
        let mut costs: Vec<(usize, usize)> = Vec::with_capacity(operand as usize + 1);
        let cheaper = |costs: &[(usize, usize)], a: u32, b: u32| {
            let cost = |node: u32| (!rails[node as usize].0, costs[node as usize]);
            if cost(a) <= cost(b) { a } else { b }
        };
        for &node in &self.formula.nodes()[..=operand as usize] {
            costs.push(match node {
                CoreNode::True | CoreNode::Atom(_) => (0, 0),
                CoreNode::Not(a) => (usize::from(self.formula.nodes()[a as usize].is_existential()), 0),
                CoreNode::And(a, b) => {
                    let (a, b) = (costs[a as usize], costs[b as usize]);
                    (a.0.saturating_add(b.0), a.1.saturating_add(b.1))
                }
                CoreNode::Or(a, b) => costs[cheaper(&costs, a, b) as usize],
                CoreNode::Ex(_) | CoreNode::Eg(_) | CoreNode::Eu(..) => (0, 1),
            });
        }
        let mut claims = Vec::new();
        let mut left = vec![operand];
        while let Some(node) = left.pop() {
            debug_assert!(rails[node as usize].0, "only what is true has reasons");
            match self.formula.nodes()[node as usize] {
                CoreNode::True | CoreNode::Atom(_) | CoreNode::Not(_) => {}
                CoreNode::And(a, b) => left.extend([b, a]),
                CoreNode::Or(a, b) => left.push(cheaper(&costs, a, b)),
                CoreNode::Ex(_) | CoreNode::Eg(_) | CoreNode::Eu(..) => claims.push(node),
            }
        }
        claims.sort_unstable();
        claims.dedup();
        (claims, costs[operand as usize].0)
    }

    /// An operand at every cell.
    fn operand(&mut self, node: u32, budget: &mut Budget) -> Result<(), Silent> {
        if !self.operands.contains_key(&node) {
            let Decided { graph, atoms, known, .. } = &self.decided;
            let values = Operand::new(self.formula, node).everywhere(graph, atoms, &known.values, budget)?;
            self.operands.insert(node, values);
        }
        Ok(())
    }

    /// EX: a step to where the operand holds.
    fn step(&mut self, state: &State, operand: u32, budget: &mut Budget) -> Result<Vec<State>, Silent> {
        self.operand(operand, budget)?;
        let spot = self.place(state);
        let mut story = spot.story(self.rsm);
        let Some(vertex) = spot.vertex.filter(|&vertex| !self.rsm.is_exit(vertex)) else {
            // after the last exit, in the only way there is
            story.emit(spot.vertex)?;
            story.emit(spot.vertex.filter(|_| self.at_exit == AtExit::Loop))?;
            return Ok(story.states);
        };
        story.arrive(vertex)?;
        let shift = self.decided.graph.shift(spot.instance);
        let values = &self.operands[&operand];
        let successor = self.rsm.successors(vertex).find(|&successor| values[shift.cell(successor)] != 0);
        story.arrive_now(successor.expect("EX is true here"))?;
        Ok(story.states)
    }

    /// EU: the shortest run to the goal.
    fn run(
        &mut self,
        state: &State,
        along: u32,
        goal: u32,
        budget: &mut Budget,
    ) -> Result<Vec<State>, Silent> {
        self.operand(along, budget)?;
        self.operand(goal, budget)?;
        let spot = self.place(state);
        let mut story = spot.story(self.rsm);
        let Some(vertex) = spot.vertex else {
            story.emit(None)?;
            return Ok(story.states);
        };
        let start = Start { below: &spot.below, instance: spot.instance, vertex };
        let graph = &self.decided.graph;
        let (on_way, at_end) = (&self.operands[&along], &self.operands[&goal]);
        let cell = |instance: u32, vertex: Vertex| graph.shift(instance).cell(vertex);
        let falls = |frame: Frame, cell: usize, vertex: Vertex| {
            self.at_exit == AtExit::Sink
                && frame == Frame::Base(0)
                && self.rsm.is_exit(vertex)
                && on_way[cell] != 0
                && self.bottom.at_sink(goal) != 0
        };
        let ends = |frame: Frame, instance: u32, vertex: Vertex| {
            let cell = cell(instance, vertex);
            if at_end[cell] != 0 { Some(0) } else { falls(frame, cell, vertex).then_some(1) }
        };
        let passes = |instance: u32, vertex: Vertex| on_way[cell(instance, vertex)] != 0;
        let found = search(graph, &start, passes, ends, budget)?.expect("a true until has a run");
        story.tell(&found)?;
        let (frame, vertex) = found.goal;
        if matches!(self.rsm.kind(vertex), Kind::Call(_)) {
            story.inside(vertex)?;
        }
        // the goal may be the sink, one step after the last exit
        if frame == Frame::Base(0) && self.rsm.is_exit(vertex) && at_end[cell(graph.start, vertex)] == 0 {
            story.emit(None)?;
        }
        Ok(story.states)
    }
}
