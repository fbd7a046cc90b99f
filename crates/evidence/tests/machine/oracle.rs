//! The obvious semantics, for tests only: steps as sets of successors, path formulas by unrolling.

use super::machine;
use loris_base::{Idx, Rng};
use loris_evidence::State;
use loris_logic::{Formula, FormulaBuilder, FormulaId, Node};
use loris_rsm::{Rsm, Vertex};
use std::fmt::Write;

/// All states one step away; an exit under the empty stack stays.
pub(crate) fn successors(rsm: &Rsm, state: &State) -> Vec<State> {
    let node = state.node.expect("a node");
    let mut stack = state.stack.clone();
    let from = match rsm.exit_index(node) {
        None => node,
        Some(exit) => match stack.pop() {
            None => return vec![state.clone()],
            Some(site) => match rsm.return_port(site, exit) {
                None => return Vec::new(),
                Some(port) => port,
            },
        },
    };
    let land = |target: Vertex| {
        let stack = stack.iter().copied().chain(rsm.box_of(target)).collect();
        State { stack, node: Some(rsm.node_of(target)) }
    };
    rsm.successors(from).map(land).collect()
}

/// A random machine: `main` and `f` call `f`, which may never return.
pub(crate) fn random_machine(rng: &mut Rng) -> Rsm {
    let mut text = String::new();
    for component in ["main", "f"] {
        _ = writeln!(text, "component {component}");
        for node in ["entry e", "node m", "node n", "exit x", "exit y"] {
            text += node;
            for label in ["a", "b", "c"] {
                text += if rng.chance(0.4) { " " } else { continue };
                text += label;
            }
            text += "\n";
        }
        text += "box r f\nbox s f\n";
        for source in ["e", "m", "n", "r.x", "r.y", "s.x", "s.y"] {
            for _ in 0..=rng.below(2) {
                let target = ["e", "m", "n", "x", "y", "r.e", "s.e"][rng.below(7)];
                _ = writeln!(text, "{source} -> {target}");
            }
        }
    }
    machine(&text)
}

/// A random path formula over atoms, of about this many operators.
pub(crate) fn random_path(
    rng: &mut Rng,
    build: &mut FormulaBuilder,
    atoms: &[&str],
    size: usize,
) -> FormulaId {
    if size == 0 {
        return match rng.below(12) {
            0 => build.add(Node::True),
            1 => build.add(Node::False),
            _ => build.atom(atoms[rng.below(atoms.len())]),
        };
    }
    let left = rng.below(size);
    let kind = rng.below(11);
    if kind < 4 {
        let a = random_path(rng, build, atoms, size - 1);
        return build.add([Node::Not(a), Node::X(a), Node::F(a), Node::G(a)][kind]);
    }
    let a = random_path(rng, build, atoms, left);
    let b = random_path(rng, build, atoms, size - 1 - left);
    build.add(match kind {
        4 => Node::And(a, b),
        5 => Node::Or(a, b),
        6 => Node::Implies(a, b),
        7 => Node::Iff(a, b),
        8 => Node::U(a, b),
        9 => Node::W(a, b),
        _ => Node::R(a, b),
    })
}

/// Three values, by Kleene's rules: `None` is unknown.
pub(crate) type Kleene = Option<bool>;

fn either(mut values: impl Iterator<Item = Kleene>) -> Kleene {
    let mut unknown = false;
    let found = values.any(|value| {
        unknown |= value.is_none();
        value == Some(true)
    });
    if found { Some(true) } else { (!unknown).then_some(false) }
}

fn not(value: Kleene) -> Kleene {
    value.map(|value| !value)
}

fn both(a: Kleene, b: Kleene) -> Kleene {
    not(either([not(a), not(b)].into_iter()))
}

/// What a path formula says at a position of a word of `len` letters, the last followed by `back`,
/// where `leaf` knows atoms and quantified formulas. Operators are unrolled as far as anything can
/// be new.
pub(crate) fn evaluate(
    formula: &Formula,
    id: FormulaId,
    (len, back): (usize, usize),
    at: usize,
    leaf: &dyn Fn(FormulaId, usize) -> Kleene,
) -> Kleene {
    let value = |id, at| evaluate(formula, id, (len, back), at, leaf);
    let next = |at: usize| if at + 1 == len { back } else { at + 1 };
    let until = |a: &dyn Fn(usize) -> Kleene, b: &dyn Fn(usize) -> Kleene| {
        let ahead: Vec<usize> = std::iter::successors(Some(at), |&at| Some(next(at))).take(2 * len).collect();
        either((0..ahead.len()).map(|j| {
            let before = either(ahead[..j].iter().map(|&i| not(a(i))));
            both(not(before), b(ahead[j]))
        }))
    };
    match formula.node(id) {
        Node::True => Some(true),
        Node::False => Some(false),
        Node::Atom(_) | Node::E(_) | Node::A(_) => leaf(id, at),
        Node::Not(a) => not(value(a, at)),
        Node::And(a, b) => both(value(a, at), value(b, at)),
        Node::Or(a, b) => either([value(a, at), value(b, at)].into_iter()),
        Node::Implies(a, b) => either([not(value(a, at)), value(b, at)].into_iter()),
        Node::Iff(a, b) => {
            let (a, b) = (value(a, at), value(b, at));
            either([both(a, b), both(not(a), not(b))].into_iter())
        }
        Node::X(a) => value(a, next(at)),
        Node::F(a) => until(&|_| Some(true), &|i| value(a, i)),
        Node::G(a) => not(until(&|_| Some(true), &|i| not(value(a, i)))),
        Node::U(a, b) => until(&|i| value(a, i), &|i| value(b, i)),
        Node::W(a, b) => {
            let always = not(until(&|_| Some(true), &|i| not(value(a, i))));
            either([until(&|i| value(a, i), &|i| value(b, i)), always].into_iter())
        }
        Node::R(a, b) => not(until(&|i| not(value(a, i)), &|i| not(value(b, i)))),
    }
}

/// Whether a state has a label.
pub(crate) fn carries(rsm: &Rsm, state: &State, label: &str) -> bool {
    state.node.is_some_and(|node| rsm.labels_of(node).any(|other| rsm.label_name(other) == label))
}

/// A node of another state than the one given, for mutations.
pub(crate) fn any_node(rsm: &Rsm, rng: &mut Rng) -> Vertex {
    let nodes: Vec<Vertex> =
        rsm.components().flat_map(|component| rsm.nodes(component).collect::<Vec<_>>()).collect();
    nodes[rng.below(nodes.len())]
}

/// An id, for a short name.
pub(crate) fn path_id(index: usize) -> loris_evidence::PathId {
    Idx::new(index)
}
