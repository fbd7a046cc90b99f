//! A machine and a finite-state peer that watches it (rsm-analysis, feature G14).
//!
//! The peer reads the labels of each state a run is in and moves with every step, so that a state
//! of the composition is one of the machine with the state the peer is in before it reads. It is a
//! machine again: calls keep the peer's state, so entries, exits and ports come once for each state
//! they are met in. Nodes are named `node@state` and carry the peer's state as a label besides
//! their own, so that properties and targets can refer to both. Where a run has no step, at a dead
//! end that is to loop, the peer has stopped reading. Only pairs that some path gets to are made,
//! without matching returns to calls: O(edges of the machine · edges of the peer).

use loris_base::{Budget, Csr, Diagnostic, Diagnostics, Exhausted, Idx, Stopped, Symbol, nearest};
use loris_logic::automaton::{Guard, Hoa};
use loris_rsm::{
    ComponentId, DeadEnds, Draft, NO_EDGE, Reference, Rsm, RsmBuilder, Semantics, Vertex, VertexKind,
};
use rustc_hash::FxHashMap;

/// A finite automaton over labels.
///
/// ```
/// use loris_recursive::Peer;
/// let lock = Peer::from_lts(0, 2, &[(0, "lock".to_owned(), 1), (1, "unlock".to_owned(), 0)]);
/// assert_eq!(lock.states(), ["peer_0", "peer_1"]);
/// ```
#[derive(Clone, Debug)]
pub struct Peer {
    states: Vec<String>,
    initial: Vec<u32>,
    edges: Vec<Vec<(Guard, u32)>>,
    /// the names of the atoms of guards
    atoms: Vec<String>,
    /// whether a state without a move under a letter stays as it is
    idles: bool,
}

impl Peer {
    /// The graph of an automaton. It moves by its edges only: where none fits, runs end.
    pub fn from_hoa(hoa: &Hoa) -> Self {
        let edges = hoa.graph.edges.iter();
        Self {
            states: named(hoa.state_names.iter().map(String::as_str)),
            initial: hoa.graph.initial.clone(),
            edges: edges.map(|row| row.iter().map(|edge| (edge.guard.clone(), edge.to)).collect()).collect(),
            atoms: hoa.propositions.clone(),
            idles: false,
        }
    }

    /// A labelled transition system, by its transitions between numbered states. It moves with any
    /// label of a state that one of its transitions has, and stays where it is if there is none.
    pub fn from_lts(initial: u32, states: usize, transitions: &[(u32, String, u32)]) -> Self {
        let mut numbers: FxHashMap<&str, u32> = FxHashMap::default();
        let mut atoms = Vec::new();
        let mut edges = vec![Vec::new(); states];
        for (from, label, to) in transitions {
            let atom = *numbers.entry(label).or_insert_with(|| {
                atoms.push(label.clone());
                atoms.len() as u32 - 1
            });
            edges[*from as usize].push((Guard::Atom(atom), *to));
        }
        let names: Vec<String> = (0..states).map(|state| state.to_string()).collect();
        let states = named(names.iter().map(String::as_str));
        Self { states, initial: vec![initial], edges, atoms, idles: true }
    }

    /// The labels that it reads.
    pub fn atoms(&self) -> &[String] {
        &self.atoms
    }

    /// The names of its states, which the nodes of a composition carry as labels.
    pub fn states(&self) -> &[String] {
        &self.states
    }

    /// The successors of a state, given the atoms that hold.
    fn moves(&self, state: u32, has: impl Fn(u32) -> bool) -> Vec<u32> {
        let edges = self.edges[state as usize].iter();
        let mut to: Vec<u32> =
            edges.filter(|(guard, _)| guard.holds(&mut |atom| has(atom))).map(|&(_, to)| to).collect();
        to.sort_unstable();
        to.dedup();
        if to.is_empty() && self.idles {
            to.push(state);
        }
        to
    }
}

/// Names that differ; numbers are prefixed, so that they look like labels.
fn named<'n>(names: impl Iterator<Item = &'n str>) -> Vec<String> {
    let mut seen: FxHashMap<String, u32> = FxHashMap::default();
    names
        .map(|name| {
            let is_number = name.bytes().all(|byte| byte.is_ascii_digit());
            let name = if is_number { format!("peer_{name}") } else { name.to_owned() };
            let count = seen.entry(name.clone()).or_insert(0);
            *count += 1;
            if *count == 1 { name } else { format!("{name}_{count}") }
        })
        .collect()
}

/// The machine together with the peer. The charge stays: it covers the composition and the memory
/// to make it, which is no less.
///
/// # Errors
/// The peer reads a label that no node carries, one of its states has the name of a label, it has
/// no move somewhere although runs are not to stay there, or the budget runs out.
pub fn compose(
    rsm: &Rsm,
    peer: &Peer,
    semantics: &Semantics,
    budget: &mut Budget,
) -> Result<(Rsm, Diagnostics), Stopped> {
    let mut problems = Diagnostics::default();
    for atom in peer.atoms.iter().filter(|atom| rsm.label(atom).is_none()) {
        let problem = Diagnostic::global(format!("the peer reads \"{atom}\", and no node is labelled so"));
        problems.push(match nearest(atom, rsm.labels()) {
            Some(near) => problem.help(format!("did you mean \"{near}\"?")),
            None => problem,
        });
    }
    for state in peer.states.iter().filter(|state| rsm.label(state).is_some()) {
        let problem = Diagnostic::global(format!("the peer's state \"{state}\" has the name of a label"));
        problems.push(problem.help("rename the state: the composition carries both as labels"));
    }
    if peer.initial.is_empty() {
        problems.push(Diagnostic::global("the peer has no initial state"));
    }
    problems.into_result(())?;
    let composition = Composition::new(rsm, peer, budget)?;
    if semantics.dead_ends == DeadEnds::Error {
        composition.blocked(budget)?.into_result(())?;
    }
    let builder = composition.build(budget)?;
    drop(composition);
    builder.finish_within(semantics, budget)
}

/// Bytes of a node of the composition while it is built and frozen, beside its name and its labels.
const NODE: usize = 160;
/// Bytes of a port of the composition, likewise.
const PORT: usize = 120;
/// Bytes of a place in a source file, likewise; and in the draft of its component.
const PLACE: usize = 32;
/// Bytes of an edge, likewise; and in the draft of its component.
const EDGE: usize = 28;
const DRAFT_EDGE: usize = 48;
/// How many places where the peer has no move are reported.
const MOST_BLOCKED: usize = 20;

struct Composition<'c> {
    rsm: &'c Rsm,
    peer: &'c Peer,
    /// row `class · states + state`: where the peer goes under the atoms of a class
    moves: Csr,
    class: Vec<u32>,
    /// per vertex, whether it is a dead end that was given a loop
    ends: Vec<bool>,
    /// per vertex and state, whether some path gets there
    met: Vec<bool>,
}

impl<'c> Composition<'c> {
    fn new(rsm: &'c Rsm, peer: &'c Peer, budget: &mut Budget) -> Result<Self, Exhausted> {
        let labels: Vec<_> = peer.atoms.iter().map(|atom| rsm.label(atom)).collect();
        let letters = crate::linear::Letters::new(rsm, &labels, budget)?;
        let states = peer.states.len() as u32;
        let mut moves = Csr::default();
        for letter in &letters.atoms {
            for state in 0..states {
                let row = peer.moves(state, |atom| letter.binary_search(&atom).is_ok());
                budget.spend(1 + peer.edges[state as usize].len())?;
                budget.charge(4 + 4 * row.len())?;
                moves.push_row(row);
            }
        }
        let pairs = rsm.vertex_count().saturating_mul(states as usize);
        budget.charge(pairs.saturating_add(rsm.vertex_count()))?;
        let mut ends = vec![false; rsm.vertex_count()];
        rsm.looped_dead_ends().iter().for_each(|vertex| ends[vertex.index()] = true);
        let mut composition = Self { rsm, peer, moves, class: letters.class, ends, met: vec![false; pairs] };
        composition.spread(budget)?;
        Ok(composition)
    }

    fn slot(&self, vertex: Vertex, state: u32) -> usize {
        vertex.index() * self.peer.states.len() + state as usize
    }

    fn moves(&self, vertex: Vertex, state: u32) -> &[u32] {
        self.moves.row(self.class[vertex.index()] as usize * self.peer.states.len() + state as usize)
    }

    /// Where the edges of a vertex lead.
    fn successors(&self, vertex: Vertex) -> impl Iterator<Item = Vertex> + use<'c> {
        let none = self.ends[vertex.index()];
        self.rsm.successors(vertex).filter(move |_| !none)
    }

    /// The first places where the machine could go on and the peer cannot.
    fn blocked(&self, budget: &mut Budget) -> Result<Diagnostics, Exhausted> {
        let rsm = self.rsm;
        let mut problems = Diagnostics::default();
        for vertex in rsm.components().flat_map(|component| rsm.vertices(component)) {
            budget.spend(self.peer.states.len())?;
            if self.successors(vertex).next().is_none() {
                continue;
            }
            for state in self.states(vertex).filter(|&state| self.moves(vertex, state).is_empty()) {
                if problems.len() == MOST_BLOCKED {
                    return Ok(problems);
                }
                let labels: Vec<&str> = rsm.labels_of(vertex).map(|label| rsm.label_name(label)).collect();
                let (state, node) = (&self.peer.states[state as usize], rsm.vertex_name(vertex));
                let labels = labels.join(", ");
                let problem = Diagnostic::global(format!(
                    "the peer has no edge in state \"{state}\" at node \"{node}\", with labels {{{labels}}}"
                ));
                problems.push(problem.remedy(NO_EDGE));
            }
        }
        Ok(problems)
    }

    /// Follows edges, calls and returns, these to every caller.
    fn spread(&mut self, budget: &mut Budget) -> Result<(), Exhausted> {
        let rsm = self.rsm;
        let mut left: Vec<(Vertex, u32)> = Vec::new();
        let budget = &mut budget.holding(0)?;
        let meet = |met: &mut [bool], left: &mut Vec<(Vertex, u32)>, vertex: Vertex, state: u32| {
            let slot = vertex.index() * self.peer.states.len() + state as usize;
            if !std::mem::replace(&mut met[slot], true) {
                left.push((vertex, state));
            }
        };
        let mut met = std::mem::take(&mut self.met);
        for &node in rsm.initial() {
            self.peer.initial.iter().for_each(|&state| meet(&mut met, &mut left, node, state));
        }
        while let Some((vertex, state)) = left.pop() {
            budget.raise(size_of::<(Vertex, u32)>() * left.len())?;
            // a port is met as a node of the callee, too
            meet(&mut met, &mut left, rsm.node_of(vertex), state);
            if rsm.is_exit(vertex) {
                let exit = rsm.exit_index(vertex).expect("an exit has a position");
                for site in rsm.callers(rsm.component_of(vertex)) {
                    budget.spend(1)?;
                    if let Some(port) = rsm.return_port(site, exit) {
                        meet(&mut met, &mut left, port, state);
                    }
                }
            }
            let moves = self.moves(vertex, state);
            for after in self.successors(vertex) {
                budget.spend(1 + moves.len())?;
                for &to in moves {
                    meet(&mut met, &mut left, after, to);
                }
            }
        }
        self.met = met;
        Ok(())
    }

    /// The states in which a vertex is met.
    fn states(&self, vertex: Vertex) -> impl Iterator<Item = u32> + '_ {
        (0..self.peer.states.len() as u32).filter(move |&state| self.met[self.slot(vertex, state)])
    }

    fn is_met(&self, vertex: Vertex) -> bool {
        let first = self.slot(vertex, 0);
        self.met[first..first + self.peer.states.len()].contains(&true)
    }

    fn build(&self, budget: &mut Budget) -> Result<RsmBuilder, Exhausted> {
        let rsm = self.rsm;
        let mut builder = RsmBuilder::default();
        let names = self.names(&mut builder, budget)?;
        let labels: Vec<Symbol> = rsm.labels().map(|label| builder.symbol(label)).collect();
        let states: Vec<Symbol> = self.peer.states.iter().map(|state| builder.symbol(state)).collect();
        let initial = builder.symbol(rsm.component_name(rsm.initial_component()));
        builder.initial_component(initial, 0);
        for &node in rsm.initial() {
            for &state in &self.peer.initial {
                builder.initial_node(names[self.slot(node, state)], 0);
            }
        }
        for component in rsm.components() {
            budget.spend(1 + rsm.nodes(component).len())?;
            if !rsm.nodes(component).any(|node| self.is_met(node)) {
                continue;
            }
            let mut draft = Draft::new(builder.symbol(rsm.component_name(component)), 0);
            for node in rsm.nodes(component) {
                for state in self.states(node) {
                    let drafted = draft.node(names[self.slot(node, state)], 0);
                    drafted.entry = rsm.is_entry(node);
                    drafted.exit = rsm.is_exit(node);
                    rsm.labels_of(node).for_each(|label| draft.label(labels[label.index()]));
                    draft.label(states[state as usize]);
                    if let Some(place) = rsm.place(node) {
                        budget.charge(PLACE)?;
                        draft.node_place(builder.symbol(place.file), place.line, place.column);
                    }
                    budget.spend(1)?;
                    budget.charge(NODE + 16 * (1 + rsm.labels_of(node).count()))?;
                }
            }
            for site in rsm.boxes(component) {
                if rsm.ports(site).any(|port| self.is_met(port)) {
                    let callee = builder.symbol(rsm.component_name(rsm.callee(site)));
                    draft.site(builder.symbol(rsm.box_name(site)), 0, callee, 0);
                    if let Some(place) = rsm.box_place(site) {
                        budget.charge(PLACE)?;
                        draft.box_place(builder.symbol(place.file), place.line, place.column);
                    }
                }
            }
            let drafted = self.edges(component, &mut draft, &names, &mut builder, budget)?;
            builder.component(draft);
            budget.release(drafted);
        }
        self.keep_labels(&mut builder, budget)?;
        Ok(builder)
    }

    /// Adds the edges of a component to its draft. Returns the bytes that are held by the draft
    /// alone.
    fn edges(
        &self,
        component: ComponentId,
        draft: &mut Draft,
        names: &[Symbol],
        builder: &mut RsmBuilder,
        budget: &mut Budget,
    ) -> Result<usize, Exhausted> {
        let rsm = self.rsm;
        let reference = |vertex: Vertex, state: u32, builder: &mut RsmBuilder| {
            let node = names[self.slot(rsm.node_of(vertex), state)];
            match rsm.kind(vertex) {
                VertexKind::Node => Reference::node(node, 0),
                VertexKind::Call(site) | VertexKind::Return(site) => {
                    Reference::port(builder.symbol(rsm.box_name(site)), node, 0)
                }
            }
        };
        let mut drafted = 0;
        for vertex in rsm.vertices(component) {
            budget.spend(1 + self.peer.states.len())?;
            for state in self.states(vertex) {
                let count = self.successors(vertex).count() * self.moves(vertex, state).len();
                let port = if rsm.kind(vertex) == VertexKind::Node { 0 } else { PORT };
                budget.charge(port + EDGE * count + DRAFT_EDGE * (1 + count))?;
                budget.spend(count)?;
                drafted += DRAFT_EDGE * (1 + count);
                if count == 0 {
                    continue;
                }
                draft.source(reference(vertex, state, builder));
                for after in self.successors(vertex) {
                    for &to in self.moves(vertex, state) {
                        draft.target(reference(after, to, builder));
                    }
                }
            }
        }
        Ok(drafted)
    }

    /// The name of each node in each state it is met in.
    fn names(&self, builder: &mut RsmBuilder, budget: &mut Budget) -> Result<Vec<Symbol>, Exhausted> {
        let rsm = self.rsm;
        budget.charge(size_of::<Symbol>() * self.met.len())?;
        let mut names = vec![Symbol::new(0); self.met.len()];
        let mut name = String::new();
        for node in rsm.components().flat_map(|component| rsm.nodes(component)) {
            budget.spend(1 + self.peer.states.len())?;
            for state in self.states(node) {
                name.clear();
                name.push_str(&rsm.vertex_name(node));
                name.push('@');
                name.push_str(&self.peer.states[state as usize]);
                // kept twice for a while
                budget.charge(2 * name.len())?;
                if !builder.has_room(name.len()) {
                    return Err(Exhausted::Memory);
                }
                names[self.slot(node, state)] = builder.symbol(&name);
            }
        }
        Ok(names)
    }

    /// Labels that no state of the composition carries are known all the same, since most questions
    /// ask whether something never happens. They belong to a component that is never called.
    fn keep_labels(&self, builder: &mut RsmBuilder, budget: &mut Budget) -> Result<(), Exhausted> {
        let rsm = self.rsm;
        let mut carried = vec![false; rsm.labels().count()];
        let mut entered = vec![false; self.peer.states.len()];
        for node in rsm.components().flat_map(|component| rsm.nodes(component)) {
            budget.spend(1 + entered.len())?;
            self.states(node).for_each(|state| entered[state as usize] = true);
            if self.is_met(node) {
                rsm.labels_of(node).for_each(|label| carried[label.index()] = true);
            }
        }
        let missing = |(name, known): (&'c str, bool)| (!known).then_some(name);
        let labels = rsm.labels().zip(carried).filter_map(missing);
        let states = self.peer.states.iter().map(String::as_str).zip(entered).filter_map(missing);
        let labels: Vec<&str> = labels.chain(states).collect();
        if labels.is_empty() {
            return Ok(());
        }
        let mut name = "unreachable".to_owned();
        while self.rsm.find_component(&name).is_some() {
            name.push('_');
        }
        let symbol = builder.symbol(&name);
        let mut draft = Draft::new(symbol, 0);
        let node = draft.node(symbol, 0);
        (node.entry, node.exit) = (true, true);
        for label in labels {
            draft.label(builder.symbol(label));
        }
        builder.component(draft);
        Ok(())
    }
}
