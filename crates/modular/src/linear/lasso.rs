//! The run along a cycle of the product: the way on which its first node was found, and a shortest
//! way from there back to it.

use super::graph::{Graph, Move, Uncertain};
use super::{GlobalRun, LinearDoubt};
use loris_base::{Budget, Exhausted};
use loris_logic::mu::DeadEnds;
use loris_lts::GlobalState;
use std::collections::VecDeque;

/// The run through a node that lies on a cycle, within the nodes of its component; and the first
/// thing on it that is not so in every concretisation.
pub(super) fn lasso(
    graph: &Graph<'_>,
    (node, members): (u32, Vec<bool>),
    budget: &mut Budget,
) -> Result<(GlobalRun, Option<LinearDoubt>), Exhausted> {
    let mut path = vec![node];
    while graph.parents[path[path.len() - 1] as usize] != path[path.len() - 1] {
        path.push(graph.parents[path[path.len() - 1] as usize]);
    }
    path.reverse();
    let back = path.len() - 1;
    path.extend(cycle(graph, node, &members, budget)?);
    let moves: Vec<Move> = path.windows(2).map(|pair| best(graph, pair[0], pair[1])).collect();
    let doubt = doubt(graph, &path, &moves);
    let state = |&node: &u32| {
        let mut local = Vec::new();
        graph.product.decode(graph.nodes[node as usize].state, &mut local);
        GlobalState(local)
    };
    budget.spend(path.len() * graph.sought.system.len())?;
    budget.note(path.len() * (32 + 4 * graph.sought.system.len()))?;
    let mut states: Vec<GlobalState> = path.iter().map(state).collect();
    let mut actions: Vec<_> = moves.iter().map(|edge| edge.action).collect();
    let ended = path.iter().position(|&node| graph.nodes[node as usize].ended > 0);
    let run = match ended {
        // the state before the first that is ended is the one where the run stays
        Some(ended) if graph.sought.dead_ends == DeadEnds::Maximal => {
            states.truncate(ended);
            actions.truncate(ended);
            GlobalRun { states, actions, back: None }
        }
        Some(ended) => {
            states.truncate(ended + 1);
            actions.truncate(ended);
            actions.push(None);
            GlobalRun { states, actions, back: Some(ended - 1) }
        }
        None => {
            actions.push(actions[back]);
            GlobalRun { states, actions, back: Some(back) }
        }
    };
    Ok((run, doubt))
}

/// A shortest way from a node to itself, without its start.
fn cycle(graph: &Graph<'_>, node: u32, members: &[bool], budget: &mut Budget) -> Result<Vec<u32>, Exhausted> {
    let mut from: Vec<u32> = Vec::new();
    budget.reserve(&mut from, members.len())?;
    from.resize(members.len(), u32::MAX);
    let mut queue = VecDeque::from([node]);
    while let Some(next) = queue.pop_front() {
        budget.spend(1 + graph.moves(next).len())?;
        for edge in graph.moves(next) {
            if !members[edge.to as usize] || from[edge.to as usize] != u32::MAX {
                continue;
            }
            from[edge.to as usize] = next;
            queue.push_back(edge.to);
        }
        if from[node as usize] != u32::MAX {
            break;
        }
    }
    let mut way = vec![node];
    let mut at = from[node as usize];
    while at != node {
        way.push(at);
        at = from[at as usize];
    }
    way.reverse();
    budget.free(from);
    Ok(way)
}

/// The edge between two nodes that is most certain.
fn best(graph: &Graph<'_>, from: u32, to: u32) -> Move {
    let edges = graph.moves(from).iter().filter(|edge| edge.to == to);
    *edges.min_by_key(|edge| edge.uncertain != Uncertain::No).expect("the way follows edges")
}

fn doubt(graph: &Graph<'_>, path: &[u32], moves: &[Move]) -> Option<LinearDoubt> {
    let at = moves.iter().position(|edge| edge.uncertain != Uncertain::No)?;
    let state = |place: usize| {
        let mut local = Vec::new();
        graph.product.decode(graph.nodes[path[place] as usize].state, &mut local);
        local
    };
    let here = state(at);
    Some(match moves[at].uncertain {
        Uncertain::Label => {
            let labels = graph.sought.atoms.iter().filter_map(|atom| atom.label());
            let unknown = labels.filter(|&label| !graph.product.label(&here, label).is_known());
            let label = unknown.min().expect("a guard is unknown because of a label");
            LinearDoubt::Label(GlobalState(here), label)
        }
        Uncertain::End => LinearDoubt::End(GlobalState(here)),
        Uncertain::Step | Uncertain::No => LinearDoubt::Step(GlobalState(here), GlobalState(state(at + 1))),
    })
}
