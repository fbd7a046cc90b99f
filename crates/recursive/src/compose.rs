//! A machine and a finite-state peer that watches it (rsm-analysis, feature G14).
//!
//! The peer reads the labels of each state a run is in and moves with every step, so that a state of the
//! composition is one of the machine with the state the peer is in before it reads. It is a machine
//! again: calls keep the peer's state, so entries, exits and ports come once for each state they are met in. Nodes
//! are named `node@state` and carry the peer's state as a label besides their own, so that properties and
//! targets speak of both. Where a run has no step, at a dead end that is to loop, the peer has stopped reading. Only pairs that some path gets to are made, without matching returns to calls:
//! O(edges of the machine · edges of the peer).

use loris_base::{Diagnostic, Diagnostics, Idx, nearest};
use loris_logic::automaton::{Guard, Hoa, Lts};
use loris_rsm::{Draft, Kind, LabelId, Reference, Rsm, RsmBuilder, Semantics, Vertex};
use rustc_hash::FxHashMap;

/// A finite automaton over labels.
///
/// ```
/// use loris_logic::automaton::parse_aut;
/// use loris_recursive::Peer;
/// let lock = parse_aut("des (0, 2, 2)\n(0, \"lock\", 1)\n(1, \"unlock\", 0)\n").expect("well-formed");
/// assert_eq!(Peer::from_lts(&lock).states(), ["peer_0", "peer_1"]);
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

    /// A labelled transition system. It moves with any label of a state that one of its transitions
    /// has, and stays where it is if there is none.
    pub fn from_lts(lts: &Lts) -> Self {
        let mut numbers: FxHashMap<&str, u32> = FxHashMap::default();
        let mut atoms = Vec::new();
        let mut edges = vec![Vec::new(); lts.states];
        for (from, label, to) in &lts.edges {
            let atom = *numbers.entry(label).or_insert_with(|| {
                atoms.push(label.clone());
                atoms.len() as u32 - 1
            });
            edges[*from as usize].push((Guard::Atom(atom), *to));
        }
        let names: Vec<String> = (0..lts.states).map(|state| state.to_string()).collect();
        let states = named(names.iter().map(String::as_str));
        Self { states, initial: vec![lts.initial], edges, atoms, idles: true }
    }

    /// The labels that it reads.
    pub fn atoms(&self) -> &[String] {
        &self.atoms
    }

    /// The names of its states, which the nodes of a composition carry as labels.
    pub fn states(&self) -> &[String] {
        &self.states
    }

    /// Where it goes from a state, told which atoms hold.
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

/// The machine together with the peer.
///
/// # Errors
/// The peer reads a label that no node carries, one of its states has the name of a label, or no
/// machine comes of it: most likely because the peer has no move somewhere.
pub fn compose(rsm: &Rsm, peer: &Peer, semantics: &Semantics) -> Result<(Rsm, Diagnostics), Diagnostics> {
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
    let composition = Composition::new(rsm, peer);
    composition.build().finish(semantics).map_err(|mut problems| {
        composition.blocked().into_iter().for_each(|problem| problems.push(problem));
        problems
    })
}

struct Composition<'c> {
    rsm: &'c Rsm,
    peer: &'c Peer,
    /// per class of vertices with the same atoms and per state, where the peer goes
    moves: Vec<Vec<u32>>,
    class: Vec<u32>,
    /// per vertex, whether it is a dead end that was given a loop
    ends: Vec<bool>,
    /// per vertex and state, whether some path gets there
    met: Vec<bool>,
}

impl<'c> Composition<'c> {
    fn new(rsm: &'c Rsm, peer: &'c Peer) -> Self {
        let labels: Vec<_> = peer.atoms.iter().map(|atom| rsm.label(atom)).collect();
        let letters = crate::linear::Letters::new(rsm, &labels);
        let states = peer.states.len() as u32;
        let moves = letters
            .atoms
            .iter()
            .flat_map(|letter| (0..states).map(|state| peer.moves(state, |atom| letter.contains(&atom))))
            .collect();
        let mut ends = vec![false; rsm.vertex_count()];
        rsm.looped_dead_ends().iter().for_each(|vertex| ends[vertex.index()] = true);
        let mut composition = Self {
            rsm,
            peer,
            moves,
            class: letters.class,
            ends,
            met: vec![false; rsm.vertex_count() * states as usize],
        };
        composition.spread();
        composition
    }

    fn slot(&self, vertex: Vertex, state: u32) -> usize {
        vertex.index() * self.peer.states.len() + state as usize
    }

    fn moves(&self, vertex: Vertex, state: u32) -> &[u32] {
        &self.moves[self.class[vertex.index()] as usize * self.peer.states.len() + state as usize]
    }

    /// Where the edges of a vertex lead.
    fn successors(&self, vertex: Vertex) -> impl Iterator<Item = Vertex> + use<'c> {
        let none = self.ends[vertex.index()];
        self.rsm.successors(vertex).filter(move |_| !none)
    }

    /// A place where the machine could go on and the peer cannot, if there is one.
    fn blocked(&self) -> Option<Diagnostic> {
        let rsm = self.rsm;
        let mut nodes = rsm.components().flat_map(|component| rsm.vertices(component));
        let (vertex, state) = nodes.find_map(|vertex| {
            let stuck = |&state: &u32| self.moves(vertex, state).is_empty();
            self.successors(vertex).next()?;
            self.states(vertex).find(stuck).map(|state| (vertex, state))
        })?;
        let labels: Vec<&str> = rsm.labels_of(vertex).map(|label| rsm.label_name(label)).collect();
        let (state, node) = (&self.peer.states[state as usize], rsm.vertex_name(vertex));
        let labels = labels.join(", ");
        let message =
            format!("the peer has no edge in state \"{state}\" at node \"{node}\", with labels {{{labels}}}");
        Some(Diagnostic::global(message).help("give it one, or let runs stay there with --dead-ends loop"))
    }

    /// Follows edges, calls and returns, these to every caller.
    fn spread(&mut self) {
        let rsm = self.rsm;
        let starts = rsm.initial().iter();
        let mut left: Vec<(Vertex, u32)> =
            starts.flat_map(|&node| self.peer.initial.iter().map(move |&state| (node, state))).collect();
        while let Some((vertex, state)) = left.pop() {
            let slot = self.slot(vertex, state);
            if std::mem::replace(&mut self.met[slot], true) {
                continue;
            }
            // a port is met as a node of the callee, too
            left.push((rsm.node_of(vertex), state));
            if rsm.is_exit(vertex) {
                let exit = rsm.exit_index(vertex).expect("an exit has a position");
                let callers = rsm.callers(rsm.component_of(vertex));
                left.extend(callers.filter_map(|site| rsm.return_port(site, exit)).map(|port| (port, state)));
            }
            for after in self.successors(vertex) {
                left.extend(self.moves(vertex, state).iter().map(|&to| (after, to)));
            }
        }
    }

    /// The states in which a vertex is met.
    fn states(&self, vertex: Vertex) -> impl Iterator<Item = u32> + '_ {
        (0..self.peer.states.len() as u32).filter(move |&state| self.met[self.slot(vertex, state)])
    }

    fn build(&self) -> RsmBuilder {
        let rsm = self.rsm;
        let mut builder = RsmBuilder::default();
        let initial = builder.symbol(rsm.component_name(rsm.initial_component()));
        builder.initial_component(initial, 0);
        for &node in rsm.initial() {
            for &state in &self.peer.initial {
                let name = builder.symbol(&self.name(node, state));
                builder.initial_node(name, 0);
            }
        }
        for component in rsm.components() {
            if !rsm.nodes(component).any(|node| self.states(node).next().is_some()) {
                continue;
            }
            let mut draft = Draft::new(builder.symbol(rsm.component_name(component)), 0);
            for node in rsm.nodes(component) {
                for state in self.states(node) {
                    let name = builder.symbol(&self.name(node, state));
                    let drafted = draft.node(name, 0);
                    drafted.entry = rsm.is_entry(node);
                    drafted.exit = rsm.is_exit(node);
                    for label in rsm.labels_of(node) {
                        draft.label(builder.symbol(rsm.label_name(label)));
                    }
                    draft.label(builder.symbol(&self.peer.states[state as usize]));
                }
            }
            for site in rsm.boxes(component) {
                if rsm.ports(site).any(|port| self.states(port).next().is_some()) {
                    let callee = builder.symbol(rsm.component_name(rsm.callee(site)));
                    draft.site(builder.symbol(rsm.box_name(site)), 0, callee, 0);
                }
            }
            for vertex in rsm.vertices(component) {
                for state in self.states(vertex) {
                    let source = self.reference(vertex, state, &mut builder);
                    for after in self.successors(vertex) {
                        for &to in self.moves(vertex, state) {
                            draft.edge(source, self.reference(after, to, &mut builder));
                        }
                    }
                }
            }
            builder.component(draft);
        }
        self.keep_labels(&mut builder);
        builder
    }

    /// Labels that no state of the composition carries are known all the same: that something never
    /// happens is what is asked most. They are those of a component that nobody calls.
    fn keep_labels(&self, builder: &mut RsmBuilder) {
        let met = |vertex: Vertex| self.states(vertex).next().is_some();
        let unmet = (0..)
            .zip(self.rsm.labels())
            .filter(|&(label, _)| !self.rsm.labelled(LabelId::new(label)).any(met));
        let nodes = || self.rsm.components().flat_map(|component| self.rsm.nodes(component));
        let entered = |state: u32| nodes().any(|node| self.met[self.slot(node, state)]);
        let states = (0..).zip(&self.peer.states).filter(|&(state, _)| !entered(state));
        let labels: Vec<&str> =
            unmet.map(|(_, label)| label).chain(states.map(|(_, state)| &state[..])).collect();
        if labels.is_empty() {
            return;
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
    }

    fn name(&self, node: Vertex, state: u32) -> String {
        format!("{}@{}", self.rsm.vertex_name(node), self.peer.states[state as usize])
    }

    fn reference(&self, vertex: Vertex, state: u32, builder: &mut RsmBuilder) -> Reference {
        let node = builder.symbol(&self.name(self.rsm.node_of(vertex), state));
        match self.rsm.kind(vertex) {
            Kind::Node => Reference::node(node, 0),
            Kind::Call(site) | Kind::Return(site) => {
                Reference::port(builder.symbol(self.rsm.box_name(site)), node, 0)
            }
        }
    }
}
