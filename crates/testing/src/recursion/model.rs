//! Machines described so that any description is valid and smaller ones are simpler.

use loris_rsm::{Draft, Reference, Rsm, RsmBuilder, Semantics};
use proptest::prelude::*;
use std::ops::Range;

/// A machine; numbers are taken modulo what there is to choose from.
#[derive(Clone, Debug)]
pub struct Model {
    pub components: Vec<Component>,
    /// whether a box may call any component, or only later ones
    pub recursive: bool,
    /// the choice of the nodes where runs start; the entries of the first component without any
    pub initial: Vec<usize>,
}

#[derive(Clone, Debug)]
pub struct Component {
    pub nodes: Vec<Node>,
    pub boxes: Vec<usize>,
    /// per source, in the order nodes then return ports, the choice of its targets
    pub edges: Vec<Vec<usize>>,
}

#[derive(Clone, Debug)]
pub struct Node {
    pub role: Role,
    pub labels: u8,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    Inner,
    Entry,
    Exit,
    /// an empty procedure
    Both,
}

pub const LABELS: [&str; 3] = ["a", "b", "c"];

/// Any machine: several entries and exits, empty procedures, unreachable parts, calls after
/// returns.
pub fn models(recursive: bool) -> impl Strategy<Value = Model> {
    let role = prop_oneof![
        4 => Just(Role::Inner),
        2 => Just(Role::Exit),
        2 => Just(Role::Entry),
        1 => Just(Role::Both),
    ];
    let node = (role, 0u8..8).prop_map(|(role, labels)| Node { role, labels }).boxed();
    machine(node, 0..3, 1..4, 1..6, recursive)
}

/// Chains of multi-exit calls with few choices: what happens after a call decides.
pub fn chains(recursive: bool) -> impl Strategy<Value = Model> {
    let role = prop_oneof![2 => Just(Role::Inner), 4 => Just(Role::Exit), 1 => Just(Role::Entry)];
    let labels = prop_oneof![4 => Just(0u8), 1 => Just(1u8), 1 => Just(2u8), 1 => Just(4u8), 1 => 0u8..8];
    let node = (role, labels).prop_map(|(role, labels)| Node { role, labels }).boxed();
    machine(node, 1..4, 1..3, 3..6, recursive)
}

/// More entries than exits: components are looked at from their exits.
pub fn crowds(recursive: bool) -> impl Strategy<Value = Model> {
    let role = prop_oneof![3 => Just(Role::Inner), 2 => Just(Role::Exit), 6 => Just(Role::Entry)];
    let node = (role, 0u8..8).prop_map(|(role, labels)| Node { role, labels }).boxed();
    machine(node, 1..4, 1..3, 3..7, recursive)
}

/// Components of many calls with little between them.
pub fn busy(recursive: bool) -> impl Strategy<Value = Model> {
    let role = prop_oneof![6 => Just(Role::Inner), 2 => Just(Role::Exit), 1 => Just(Role::Entry)];
    let labels = prop_oneof![3 => Just(3u8), 2 => Just(1u8), 1 => Just(4u8), 1 => 0u8..8];
    let node = (role, labels).prop_map(|(role, labels)| Node { role, labels }).boxed();
    machine(node, 2..9, 1..4, 4..8, recursive)
}

/// Small components, many of them empty, that call one after the other: few states lie between
/// ports.
pub fn stubs(recursive: bool) -> impl Strategy<Value = Model> {
    let role = prop_oneof![
        2 => Just(Role::Inner),
        1 => Just(Role::Exit),
        3 => Just(Role::Entry),
        3 => Just(Role::Both),
    ];
    let node = (role, 0u8..8).prop_map(|(role, labels)| Node { role, labels }).boxed();
    machine(node, 1..4, 1..3, 1..4, recursive)
}

fn machine(
    node: BoxedStrategy<Node>,
    boxes: Range<usize>,
    targets: Range<usize>,
    nodes: Range<usize>,
    recursive: bool,
) -> impl Strategy<Value = Model> {
    let component = (
        prop::collection::vec(node, nodes),
        prop::collection::vec(0usize..1000, boxes),
        prop::collection::vec(prop::collection::vec(0usize..1000, targets), 1..14),
    )
        .prop_map(|(nodes, boxes, edges)| Component { nodes, boxes, edges });
    prop::collection::vec(component, 1..5).prop_map(move |components| Model {
        components,
        recursive,
        initial: Vec::new(),
    })
}

/// Runs that start at any nodes of the first component.
pub fn anywhere(models: impl Strategy<Value = Model>) -> impl Strategy<Value = Model> {
    let initial = prop_oneof![1 => Just(Vec::new()), 3 => prop::collection::vec(0usize..1000, 1..3)];
    (models, initial).prop_map(|(model, initial)| Model { initial, ..model })
}

impl Model {
    fn role(&self, component: usize, node: usize) -> Role {
        // the first node is where a component can be entered, if nothing else is
        let nodes = &self.components[component].nodes;
        let enterable = |node: &Node| matches!(node.role, Role::Entry | Role::Both);
        if node == 0 && !nodes.iter().any(enterable) { Role::Entry } else { nodes[node].role }
    }

    fn nodes(&self, component: usize, wanted: &[Role]) -> Vec<usize> {
        let nodes = 0..self.components[component].nodes.len();
        nodes.filter(|&node| wanted.contains(&self.role(component, node))).collect()
    }

    fn callees(&self, component: usize) -> Vec<usize> {
        let count = self.components.len();
        let boxes = &self.components[component].boxes;
        if self.recursive {
            boxes.iter().map(|choice| choice % count).collect()
        } else {
            let later = count - component - 1;
            boxes.iter().filter(|_| later > 0).map(|choice| component + 1 + choice % later).collect()
        }
    }

    /// The machine.
    pub fn build(&self) -> Rsm {
        let mut builder = RsmBuilder::default();
        for c in 0..self.components.len() {
            let name = builder.symbol(&format!("C{c}"));
            let mut draft = Draft::new(name, 0);
            for (n, node) in self.components[c].nodes.iter().enumerate() {
                let name = builder.symbol(&format!("n{n}"));
                let role = self.role(c, n);
                let drafted = draft.node(name, 0);
                drafted.entry = matches!(role, Role::Entry | Role::Both);
                drafted.exit = matches!(role, Role::Exit | Role::Both);
                for (i, label) in LABELS.iter().enumerate() {
                    if node.labels >> i & 1 == 1 {
                        let label = builder.symbol(label);
                        draft.label(label);
                    }
                }
            }
            let mut sources = Vec::new();
            let mut targets = Vec::new();
            for n in 0..self.components[c].nodes.len() {
                let node = Reference::node(builder.symbol(&format!("n{n}")), 0);
                if matches!(self.role(c, n), Role::Inner | Role::Entry) {
                    sources.push(node);
                }
                targets.push(node);
            }
            for (b, callee) in self.callees(c).into_iter().enumerate() {
                let site = builder.symbol(&format!("b{b}"));
                let callee_name = builder.symbol(&format!("C{callee}"));
                draft.site(site, 0, callee_name, 0);
                for n in self.nodes(callee, &[Role::Exit, Role::Both]) {
                    sources.push(Reference::port(site, builder.symbol(&format!("n{n}")), 0));
                }
                for n in self.nodes(callee, &[Role::Entry, Role::Both]) {
                    targets.push(Reference::port(site, builder.symbol(&format!("n{n}")), 0));
                }
            }
            let choices = &self.components[c].edges;
            for (i, source) in sources.into_iter().enumerate() {
                for &choice in &choices[i % choices.len()] {
                    draft.edge(source, targets[choice.wrapping_add(31 * i) % targets.len()]);
                }
            }
            builder.component(draft);
        }
        let count = self.components[0].nodes.len();
        for choice in &self.initial {
            let name = builder.symbol(&format!("n{}", choice % count));
            builder.initial_node(name, 0);
        }
        builder.finish(&Semantics::default()).expect("valid by construction").0
    }
}

/// CTL formulas as text, over the labels of [`Model`].
pub fn formulas() -> impl Strategy<Value = String> {
    let leaf = prop_oneof![
        6 => (0usize..3).prop_map(|i| LABELS[i].to_owned()),
        1 => Just("true".to_owned()),
    ];
    leaf.prop_recursive(5, 24, 2, |inner| {
        prop_oneof![
            3 => inner.clone().prop_map(|f| format!("!({f})")),
            2 => (inner.clone(), inner.clone()).prop_map(|(f, g)| format!("(({f}) & ({g}))")),
            2 => (inner.clone(), inner.clone()).prop_map(|(f, g)| format!("(({f}) | ({g}))")),
            2 => inner.clone().prop_map(|f| format!("E X ({f})")),
            3 => inner.clone().prop_map(|f| format!("E G ({f})")),
            2 => inner.clone().prop_map(|f| format!("E F ({f})")),
            3 => (inner.clone(), inner.clone()).prop_map(|(f, g)| format!("E [ ({f}) U ({g}) ]")),
            1 => (inner.clone(), inner.clone()).prop_map(|(f, g)| format!("A [ ({f}) U ({g}) ]")),
            1 => inner.clone().prop_map(|f| format!("A X ({f})")),
            2 => inner.prop_map(|f| format!("A G ({f})")),
        ]
    })
}

/// LTL formulas as text, over the labels of [`Model`], with few operators.
pub fn linear_formulas() -> impl Strategy<Value = String> {
    let leaf = (0usize..3).prop_map(|i| LABELS[i].to_owned());
    leaf.prop_recursive(4, 7, 2, |inner| {
        prop_oneof![
            2 => inner.clone().prop_map(|f| format!("!({f})")),
            2 => (inner.clone(), inner.clone()).prop_map(|(f, g)| format!("(({f}) & ({g}))")),
            2 => (inner.clone(), inner.clone()).prop_map(|(f, g)| format!("(({f}) | ({g}))")),
            2 => inner.clone().prop_map(|f| format!("X ({f})")),
            3 => inner.clone().prop_map(|f| format!("G ({f})")),
            3 => inner.clone().prop_map(|f| format!("F ({f})")),
            2 => (inner.clone(), inner.clone()).prop_map(|(f, g)| format!("(({f}) U ({g}))")),
            1 => (inner.clone(), inner.clone()).prop_map(|(f, g)| format!("(({f}) R ({g}))")),
            1 => (inner.clone(), inner).prop_map(|(f, g)| format!("(({f}) W ({g}))")),
        ]
    })
}

/// CTL* formulas as text: path formulas under quantifiers, with formulas of the same kind for
/// labels.
pub fn star_formulas() -> impl Strategy<Value = String> {
    let quantified = (linear_formulas(), any::<bool>())
        .prop_map(|(f, all)| format!("{} ({f})", if all { "A" } else { "E" }))
        .boxed();
    (quantified.clone(), quantified.clone(), linear_formulas(), 0usize..5).prop_map(|(p, q, f, shape)| {
        // each label becomes a state formula
        let inner = |text: &str| text.replace('a', &format!("({p})")).replace('b', &format!("!({q})"));
        match shape {
            0 => p,
            1 => format!("({p}) & !({q})"),
            2 => format!("E ({})", inner(&f.replace(['b', 'c'], "c"))),
            3 => format!("A ({})", inner(&f.replace(['a', 'c'], "c"))),
            _ => format!("E (F (({p}) & X c) | G !({q}))"),
        }
    })
}

/// Formulas whose nested parts look past returns: `A G (p -> E F q)` and the like.
pub fn nested_formulas() -> impl Strategy<Value = String> {
    let literal = (0usize..3, any::<bool>())
        .prop_map(|(i, negated)| format!("{}{}", if negated { "!" } else { "" }, LABELS[i]))
        .boxed();
    let inner = (literal.clone(), literal.clone(), 0usize..6).prop_map(|(p, q, shape)| match shape {
        0 | 1 => format!("E F {q}"),
        2 => format!("E G {p}"),
        3 => format!("E X {q}"),
        4 => format!("E [ {p} U {q} ]"),
        _ => format!("E F ({p} & E X {q})"),
    });
    (literal.clone(), inner.clone(), inner, 0usize..6).prop_map(|(p, f, g, shape)| match shape {
        0 => format!("A G ({p} -> {f})"),
        1 => format!("E F ({p} & !{f})"),
        2 => format!("E G ({p} | {f})"),
        3 => format!("E [ {f} U ({p} & !{g}) ]"),
        4 => format!("A X (A G ({f} | {p}))"),
        _ => format!("E X (E G (!{f} | {g}))"),
    })
}

/// The same formula over other labels.
pub fn relabelled(text: &str, shift: usize) -> String {
    let label = |c: char| LABELS.iter().position(|label| label.starts_with(c));
    text.chars()
        .map(|c| label(c).map_or(c.to_string(), |i| LABELS[(i + shift) % LABELS.len()].to_owned()))
        .collect()
}
