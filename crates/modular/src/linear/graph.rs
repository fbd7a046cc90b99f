//! The product of a system with an automaton, made breadth first as far as it is needed.
//!
//! A node is a global state with the state of the automaton before it reads the letter there. An
//! edge is a step of the system whose letter an edge of the automaton takes. A run that ends, or
//! stays at a dead end for ever, goes on in nodes that are *ended*: there the values of unknown
//! labels are chosen once, since it is one state of a concretisation that is repeated.
//!
//! Whenever the number of expanded nodes has doubled, its strongly connected components are looked
//! at. Nodes are numbered breadth first, so that the first accepting node on a cycle is near.

use super::letters;
use super::{SoughtRun, give_back};
use loris_base::{Budget, Exhausted, Idx, Symbol, Truth, strong_components_within};
use loris_logic::mu::DeadEnds;
use loris_lts::{Action, GlobalStep, ProcessKind, Product, System};
use rustc_hash::FxHashMap;

/// The meaning of an atom of an automaton that reads the runs of a system.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LinearAtom {
    /// A label of the state.
    Label(Symbol),
    /// The state is left by this action, as formulas see it.
    Action(Action),
    /// The run ends, or has ended.
    End,
    /// False everywhere.
    Never,
}

impl LinearAtom {
    /// A label of a system, or else an action, if it has one of this name.
    pub fn named(system: &System, name: &str) -> Option<Self> {
        system.atoms().find(name).map(Self::Label).or_else(|| Self::action(system, name))
    }

    /// An action of a system, if it has one of this name. Steps of Kripke structures have none.
    pub fn action(system: &System, name: &str) -> Option<Self> {
        let is_lts = system.kind() == ProcessKind::Lts;
        let action = system.actions().find(name).filter(|_| is_lts)?;
        Some(Self::Action(action.index() as Action))
    }
}

impl LinearAtom {
    /// The label that it is.
    pub(super) fn label(self) -> Option<Symbol> {
        match self {
            Self::Label(label) => Some(label),
            _ => None,
        }
    }
}

/// Which steps count.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Steps {
    /// Those of some concretisation, with any values of unknown labels.
    May,
    /// Those of all, with letters that are taken whatever unknown labels are.
    Must,
}

/// A node: `ended` is 0 while the system moves; after that it is 1, plus 1 and a choice of values
/// if unknown labels have a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Node {
    pub(super) state: u32,
    pub(super) ended: u32,
    pub(super) automaton: u32,
}

/// Why an edge is not one of every concretisation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Uncertain {
    /// It is.
    No,
    /// The step.
    Step,
    /// A label.
    Label,
    /// That the run ends.
    End,
}

/// An edge.
#[derive(Clone, Copy, Debug)]
pub(super) struct Move {
    pub(super) to: u32,
    /// the action of the step, if it is one
    pub(super) action: Option<Action>,
    pub(super) uncertain: Uncertain,
}

/// Nodes that are expanded before the first look.
const FIRST_LOOK: usize = 256;

/// With more unknown labels, their values at a dead end are not told apart: the runs that are
/// looked at are then too many, and never too few.
const MOST_CHOSEN: usize = 10;

/// Bytes of a node, with its entry in the table and its row.
const NODE_BYTES: usize = 2 * size_of::<Node>() + 40;

/// The product, as far as it was made.
pub(super) struct Graph<'a> {
    pub(super) sought: &'a SoughtRun<'a>,
    which: Steps,
    pub(super) product: Product<'a>,
    /// by global state: its steps, once they were asked for
    rows: Vec<Option<(u32, u32)>>,
    steps: Vec<GlobalStep>,
    pub(super) nodes: Vec<Node>,
    numbers: FxHashMap<Node, u32>,
    /// by node: the node that it was found from
    pub(super) parents: Vec<u32>,
    /// by expanded node: where its edges start
    starts: Vec<u32>,
    moves: Vec<Move>,
    local: Vec<u32>,
    letter: Vec<Truth>,
}

impl<'a> Graph<'a> {
    /// The product with its initial nodes.
    pub(super) fn new(
        sought: &'a SoughtRun<'a>,
        which: Steps,
        budget: &mut Budget,
    ) -> Result<Self, Exhausted> {
        let mut graph = Self {
            sought,
            which,
            product: Product::new(sought.system, budget)?,
            rows: Vec::new(),
            steps: Vec::new(),
            nodes: Vec::new(),
            numbers: FxHashMap::default(),
            parents: Vec::new(),
            starts: vec![0],
            moves: Vec::new(),
            local: Vec::new(),
            letter: Vec::new(),
        };
        let mut first = vec![0];
        if sought.system.starts() {
            let row = graph.row(0, budget)?;
            first =
                graph.steps[row].iter().filter(|step| which.counts(step)).map(|step| step.target).collect();
        }
        for state in first {
            for &automaton in sought.buchi.initial() {
                let number = graph.nodes.len() as u32;
                graph.number(Node { state, ended: 0, automaton }, number, budget)?;
            }
        }
        Ok(graph)
    }

    /// How many nodes were made.
    pub(super) fn len(&self) -> usize {
        self.nodes.len()
    }

    /// How many global states were met.
    pub(super) fn global_states(&self) -> usize {
        self.product.len()
    }

    /// The edges of a node; none if it was not expanded.
    pub(super) fn moves(&self, node: u32) -> &[Move] {
        match (self.starts.get(node as usize), self.starts.get(node as usize + 1)) {
            (Some(&start), Some(&end)) => &self.moves[start as usize..end as usize],
            _ => &[],
        }
    }

    /// The number of a node, which was found from another one.
    fn number(&mut self, node: Node, from: u32, budget: &mut Budget) -> Result<u32, Exhausted> {
        if let Some(&number) = self.numbers.get(&node) {
            return Ok(number);
        }
        let number = u32::try_from(self.nodes.len()).map_err(|_| Exhausted::States)?;
        budget.charge(NODE_BYTES)?;
        self.nodes.push(node);
        self.parents.push(from);
        self.numbers.insert(node, number);
        Ok(number)
    }

    /// Steps at a place.
    pub(super) fn steps(&self, row: std::ops::Range<usize>) -> &[GlobalStep] {
        &self.steps[row]
    }

    /// The letter that was read.
    pub(super) fn letter(&self) -> &[Truth] {
        &self.letter
    }

    /// How many atoms of it are unknown.
    pub(super) fn unknown(&self) -> usize {
        self.letter.iter().filter(|value| !value.is_known()).count()
    }

    /// The place of the steps of a global state.
    pub(super) fn row(
        &mut self,
        state: u32,
        budget: &mut Budget,
    ) -> Result<std::ops::Range<usize>, Exhausted> {
        let place = state as usize;
        if place >= self.rows.len() {
            let more = place + 1 - self.rows.len();
            budget.reserve(&mut self.rows, more)?;
            self.rows.resize(place + 1, None);
        }
        if let Some((start, end)) = self.rows[place] {
            return Ok(start as usize..end as usize);
        }
        let start = self.steps.len();
        self.product.steps(state, &mut self.steps, budget)?;
        let end = self.steps.len();
        budget.charge((end - start) * size_of::<GlobalStep>())?;
        let number = |place: usize| u32::try_from(place).map_err(|_| Exhausted::States);
        self.rows[place] = Some((number(start)?, number(end)?));
        Ok(start..end)
    }

    /// The first accepting node on a cycle, with the nodes of its component, once there is one.
    pub(super) fn accepting(&mut self, budget: &mut Budget) -> Result<Option<(u32, Vec<bool>)>, Exhausted> {
        let mut due = FIRST_LOOK;
        loop {
            while self.starts.len() <= self.nodes.len().min(due) {
                self.expand(self.starts.len() as u32 - 1, budget)?;
            }
            let found = self.look(budget)?;
            if found.is_some() || self.starts.len() > self.nodes.len() {
                return Ok(found);
            }
            due = 2 * self.starts.len();
        }
    }

    /// Looks for cycles among the nodes that were expanded.
    fn look(&mut self, budget: &mut Budget) -> Result<Option<(u32, Vec<bool>)>, Exhausted> {
        let mark = budget.used();
        let count = self.nodes.len();
        let edge = |node: u32, done: usize| self.moves(node).get(done).map(|edge| edge.to);
        let components = strong_components_within(count, edge, budget)?;
        budget.charge(components.bytes() + 5 * count)?;
        let of = components.row_of_each(count);
        let is_cyclic = |node: u32| {
            let inside = |edge: &Move| of[edge.to as usize] == of[node as usize];
            components.row(of[node as usize] as usize).len() > 1 || self.moves(node).iter().any(inside)
        };
        let accepts = |node: u32| self.sought.buchi.is_accepting(self.nodes[node as usize].automaton);
        let found = (0..count as u32).find(|&node| accepts(node) && is_cyclic(node));
        let found = found.map(|node| {
            let members = of.iter().map(|&component| component == of[node as usize]).collect();
            (node, members)
        });
        give_back(mark, budget);
        Ok(found)
    }

    /// Reads the values of the atoms in a global state that is left by an action.
    pub(super) fn read(&mut self, state: u32, action: Option<Action>, ends: bool) {
        let Self { sought, product, local, letter, .. } = self;
        let system = sought.system;
        product.decode(state, local);
        letter.clear();
        letter.extend(sought.atoms.iter().map(|&atom| match atom {
            LinearAtom::Label(label) => product.label(local, label),
            LinearAtom::Action(known) => {
                let is_it =
                    |taken| system.visible_name(taken) == &system.actions()[Symbol::new(known as usize)];
                action.is_some_and(is_it).into()
            }
            LinearAtom::End => ends.into(),
            LinearAtom::Never => Truth::False,
        }));
    }

    /// Adds the edges of the next node.
    fn expand(&mut self, number: u32, budget: &mut Budget) -> Result<(), Exhausted> {
        let node = self.nodes[number as usize];
        let first = self.moves.len();
        if node.ended > 0 {
            self.read(node.state, None, self.sought.dead_ends == DeadEnds::Maximal);
            if let Some(choice) = node.ended.checked_sub(2) {
                self.choose(choice);
            }
            self.add(number, node, (None, Uncertain::No), budget)?;
        } else {
            let row = self.row(node.state, budget)?;
            let (mut is_certain, mut is_dead) = (false, true);
            for place in row {
                let step = self.steps[place];
                (is_certain, is_dead) = (is_certain || step.must, false);
                if self.which.counts(&step) {
                    self.read(node.state, Some(step.action), false);
                    let uncertain = if step.must { Uncertain::No } else { Uncertain::Step };
                    let next = Node { state: step.target, ..node };
                    self.add(number, next, (Some(step.action), uncertain), budget)?;
                }
            }
            let may_end = is_dead || self.which == Steps::May && !is_certain;
            if may_end && self.sought.dead_ends != DeadEnds::Stop {
                self.end(number, if is_dead { Uncertain::No } else { Uncertain::End }, budget)?;
            }
        }
        budget.spend(1 + self.moves.len() - first)?;
        budget.charge((self.moves.len() - first) * size_of::<Move>() + 4)?;
        self.starts.push(u32::try_from(self.moves.len()).map_err(|_| Exhausted::States)?);
        Ok(())
    }

    /// Adds the edges of a node to ended ones.
    fn end(&mut self, number: u32, uncertain: Uncertain, budget: &mut Budget) -> Result<(), Exhausted> {
        let node = self.nodes[number as usize];
        self.read(node.state, None, self.sought.dead_ends == DeadEnds::Maximal);
        let unknown = self.unknown();
        if unknown == 0 || unknown > MOST_CHOSEN || self.which == Steps::Must {
            return self.add(number, Node { ended: 1, ..node }, (None, uncertain), budget);
        }
        let uncertain = if uncertain == Uncertain::No { Uncertain::Label } else { uncertain };
        for choice in 0..1 << unknown {
            self.read(node.state, None, self.sought.dead_ends == DeadEnds::Maximal);
            self.choose(choice);
            self.add(number, Node { ended: 2 + choice, ..node }, (None, uncertain), budget)?;
        }
        Ok(())
    }

    /// Gives unknown atoms of the letter values, a bit each.
    pub(super) fn choose(&mut self, choice: u32) {
        let unknown = self.letter.iter_mut().filter(|value| !value.is_known());
        for (place, value) in unknown.enumerate() {
            *value = (choice >> place & 1 == 1).into();
        }
    }

    /// Adds the edges from a node that read the letter, to a node with any state of the automaton.
    fn add(
        &mut self,
        number: u32,
        to: Node,
        (action, uncertain): (Option<Action>, Uncertain),
        budget: &mut Budget,
    ) -> Result<(), Exhausted> {
        let from = self.nodes[number as usize];
        let buchi = self.sought.buchi;
        for edge in buchi.edges(from.automaton) {
            budget.spend(1)?;
            let uncertain = match letters::value(&edge.guard, &self.letter, budget)? {
                Truth::True => uncertain,
                Truth::Unknown if self.which == Steps::May => match uncertain {
                    Uncertain::No => Uncertain::Label,
                    other => other,
                },
                Truth::Unknown | Truth::False => continue,
            };
            let to = self.number(Node { automaton: edge.to, ..to }, number, budget)?;
            self.moves.push(Move { to, action, uncertain });
        }
        Ok(())
    }
}

impl Steps {
    fn counts(self, step: &GlobalStep) -> bool {
        self == Steps::May || step.must
    }
}
