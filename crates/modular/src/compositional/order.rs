//! The order in which processes are looked at and composed.

use super::Stage;
use super::piece::{IDLE, INTERNAL, Piece};
use crate::question::SystemQuestion;
use loris_base::Idx;
use loris_logic::mu::{Mu, MuFormula};
use loris_lts::Action;
use rustc_hash::FxHashSet;

/// The processes that know actions or labels of the formula, those first that know most.
pub(crate) fn relevant(question: &SystemQuestion<'_>) -> Vec<u32> {
    let scores = scores(question);
    let mut processes = relevance(question);
    processes.retain(|&process| scores[process as usize] > 0);
    processes
}

/// All processes, those first that know the actions and labels of the formula.
pub(crate) fn relevance(question: &SystemQuestion<'_>) -> Vec<u32> {
    let (system, scores) = (question.system, scores(question));
    let mut processes: Vec<u32> = (0..system.len() as u32).collect();
    processes.sort_by_key(|&process| {
        (std::cmp::Reverse(scores[process as usize]), system.process(process).state_count(), process)
    });
    processes
}

/// How much of the formula each process knows.
fn scores(question: &SystemQuestion<'_>) -> Vec<usize> {
    let system = question.system;
    let mut scores = vec![0usize; system.len()];
    for (_, set) in question.formula.action_sets() {
        for name in set.names() {
            if let Some(action) = system.actions().find(name) {
                let participants = system.participants(action.index() as Action);
                for &(process, _) in participants {
                    // a process that knows an action alone can decide it alone
                    scores[process as usize] += if participants.len() == 1 { 1000 } else { 1 };
                }
            }
        }
    }
    for atom in mentioned(question.formula).filter_map(|atom| question.label(atom)) {
        for &(process, _) in system.owners(atom) {
            scores[process as usize] += 1;
        }
    }
    scores
}

fn mentioned(formula: &MuFormula) -> impl Iterator<Item = loris_base::Symbol> + '_ {
    formula.nodes().filter_map(|(_, node)| match node {
        Mu::Atom(atom) | Mu::NotAtom(atom) => Some(atom),
        _ => None,
    })
}

/// The process to begin with: the first that was looked at.
pub(crate) fn first_process(alone: &[Stage]) -> u32 {
    alone.first().map_or(0, |stage| stage.processes[0])
}

/// The process to compose next: of those that take part in what the piece cannot do alone, the
/// one that makes most of its actions internal, by share of all its own.
pub(crate) fn next_process(
    question: &SystemQuestion<'_>,
    piece: &Piece,
    others: &[Option<Piece>],
) -> Option<u32> {
    let system = question.system;
    let wanted: FxHashSet<u32> = (0..piece.len() as u32)
        .flat_map(|node| piece.edges(node))
        .map(|edge| edge.label)
        .filter(|&label| label != INTERNAL && label != IDLE)
        .collect();
    let mut best: Option<((u64, usize), u32)> = None;
    for (process, other) in others.iter().enumerate() {
        let Some(other) = other else { continue };
        let (mut shared, mut closed, mut foreign) = (0u64, 0u64, 0u64);
        for own in system.process(process as u32).action_ids() {
            let action = system.action(process as u32, own);
            if wanted.contains(&action) {
                shared += 1;
                let outside =
                    system.participants(action).iter().filter(|&&(p, _)| !piece.members[p as usize]);
                closed += u64::from(outside.count() == 1);
            } else if action != 0 {
                foreign += 1;
            }
        }
        let key = (cost(shared, closed, foreign), other.len());
        if best.is_none_or(|(least, _)| key < least) {
            best = Some((key, process as u32));
        }
    }
    best.map(|(_, process)| process)
}

/// How bad it is to compose a process next, by numbers of its actions: those that it shares with
/// what is composed, those of them that nobody else knows, and others. Sharing nothing is the
/// worst; closing actions counts more than sharing them.
pub(crate) fn cost(shared: u64, closed: u64, foreign: u64) -> u64 {
    if shared == 0 { u64::MAX } else { (1 + foreign) * 1000 / (shared + 3 * closed) }
}
