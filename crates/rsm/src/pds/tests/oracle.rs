//! Systems and machines as graphs of configurations, distinguished by their behaviour in a number
//! of steps. Shares nothing with the code under test but the data.

use crate::pds::{Control, Pds, StackSymbol, StackWord};
use crate::{BoxId, Rsm, Vertex, VertexKind};
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::fmt::Debug;
use std::hash::Hash;

/// A graph whose states are made as they are asked for; a state without a step stays where it is.
pub(super) trait Graph {
    type State: Clone + Eq + Hash + Debug;
    fn initial(&self) -> Vec<Self::State>;
    fn labels(&self, state: &Self::State) -> BTreeSet<String>;
    fn steps(&self, state: &Self::State) -> Vec<Self::State>;
}

/// The configurations of a system; the top of the stack is last.
impl Graph for Pds {
    type State = (Control, Vec<StackSymbol>);

    fn initial(&self) -> Vec<Self::State> {
        let initial = self.initial.iter();
        initial.map(|initial| (initial.control, initial.stack.iter().rev().copied().collect())).collect()
    }

    fn labels(&self, (control, stack): &Self::State) -> BTreeSet<String> {
        let top = stack.last();
        let of_control = self.control_labels.iter().filter(|(c, _)| c == control).map(|&(_, label)| label);
        let of_symbol = self.symbol_labels.iter().filter(|(s, _)| Some(s) == top).map(|&(_, label)| label);
        let of_head = self
            .head_labels
            .iter()
            .filter(|(c, s, _)| c == control && Some(s) == top)
            .map(|&(_, _, label)| label);
        of_control.chain(of_symbol).chain(of_head).map(|label| self.label_name(label).to_owned()).collect()
    }

    fn steps(&self, (control, stack): &Self::State) -> Vec<Self::State> {
        let mut rest = stack.clone();
        let top = rest.pop();
        let rules = self.rules.iter().filter(|rule| rule.control == *control && Some(rule.symbol) == top);
        let steps = rules.map(|rule| {
            let mut stack = rest.clone();
            match rule.word {
                StackWord::Pop => {}
                StackWord::Swap(symbol) => stack.push(symbol),
                StackWord::Push(top, below) => stack.extend([below, top]),
            }
            (rule.to, stack)
        });
        steps.collect()
    }
}

/// The states of a machine: boxes and a node.
impl Graph for Rsm {
    type State = (Vec<BoxId>, Vertex);

    fn initial(&self) -> Vec<Self::State> {
        Rsm::initial(self).iter().map(|&node| (Vec::new(), node)).collect()
    }

    fn labels(&self, (_, node): &Self::State) -> BTreeSet<String> {
        self.labels_of(*node).map(|label| self.label_name(label).to_owned()).collect()
    }

    fn steps(&self, (boxes, node): &Self::State) -> Vec<Self::State> {
        let mut boxes = boxes.clone();
        let from = match self.exit_index(*node) {
            None => *node,
            Some(exit) => match boxes.pop() {
                None => return Vec::new(),
                Some(site) => self.return_port(site, exit).expect("a run that returns finds a port"),
            },
        };
        let land = |target: Vertex| match self.kind(target) {
            VertexKind::Node => (boxes.clone(), target),
            VertexKind::Call(site) | VertexKind::Return(site) => {
                let mut boxes = boxes.clone();
                boxes.push(site);
                (boxes, self.node_of(target))
            }
        };
        self.successors(from).map(land).collect()
    }
}

/// The behaviour of states in this many steps, as numbers that are equal for equal behaviour.
#[derive(Default)]
pub(super) struct Behaviours {
    numbers: BTreeMap<(BTreeSet<String>, BTreeSet<usize>), usize>,
}

impl Behaviours {
    /// The behaviour of the initial states.
    pub(super) fn of<G: Graph>(&mut self, graph: &G, depth: usize) -> BTreeSet<usize> {
        // the states of each distance, then their behaviours from the last to the first
        let mut layers: Vec<Vec<G::State>> = vec![graph.initial()];
        for i in 0..depth {
            let mut next: Vec<G::State> = Vec::new();
            let mut seen = std::collections::HashSet::new();
            for state in &layers[i] {
                for step in self.steps(graph, state) {
                    if seen.insert(step.clone()) {
                        next.push(step);
                    }
                }
            }
            layers.push(next);
        }
        let mut known: HashMap<G::State, usize> = HashMap::new();
        for layer in layers.iter().rev() {
            let mut these = HashMap::new();
            for state in layer {
                let steps = if known.is_empty() { Vec::new() } else { self.steps(graph, state) };
                let next = steps.iter().map(|step| known[step]).collect();
                let number = self.numbers.len();
                let number = *self.numbers.entry((graph.labels(state), next)).or_insert(number);
                these.insert(state.clone(), number);
            }
            known = these;
        }
        known.into_values().collect()
    }

    #[expect(clippy::unused_self, reason = "reads as what a state does")]
    fn steps<G: Graph>(&self, graph: &G, state: &G::State) -> Vec<G::State> {
        let steps = graph.steps(state);
        if steps.is_empty() { vec![state.clone()] } else { steps }
    }
}

/// Whether two graphs do the same for this many steps.
pub(super) fn same<G: Graph, H: Graph>(one: &G, other: &H, depth: usize) -> bool {
    let mut behaviours = Behaviours::default();
    behaviours.of(one, depth) == behaviours.of(other, depth)
}
