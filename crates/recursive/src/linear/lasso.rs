//! An accepting run as a lasso: the way to a strongly connected component of H, and a closed walk
//! on it that accepts, grows if it has to, and starts at the lowest stack it has.

use super::arena::Arena;
use super::cycles::{Accepting, Link, Runs, Via, links};
use super::explore::Explored;
use super::frame::Item;
use super::product::Product;
use crate::recorder::{RunRecorder, Unrecorded};
use loris_base::{Budget, Exhausted, Idx};
use loris_evidence::{Loop, State};
use loris_rsm::VertexKind;
use rustc_hash::FxHashMap;
use std::collections::VecDeque;

/// Bytes of a place in the table of a search, which is at least half full.
const VISITED: usize = 2 * (size_of::<((Item, u8), (Item, u8, Link))>() + 1);

/// A run that ends in a loop.
pub(super) type Lasso = (Vec<State>, Loop);

/// The run to an accepting part and a turn of it.
pub(super) fn lasso(
    found: &Explored<'_, Product<'_>>,
    part: &Accepting,
    runs: Runs,
    budget: &mut Budget,
) -> Result<Lasso, Unrecorded> {
    let rsm = found.arena.machine.rsm;
    let turn = turn(found, part, runs, budget)?;
    // close at a node if there is one: all states of the loop then lie above its stack; a turn of
    // ports has one where a call comes back, and no call that does not
    let kind = |item: Item| rsm.kind(found.arena.vertex(found.frames[item.frame.index()].site, item.place));
    let places: Vec<Item> = std::iter::once(part.nearest).chain(turn.iter().map(|link| link.to)).collect();
    let end = places
        .iter()
        .position(|&item| kind(item) == VertexKind::Node)
        .or_else(|| places.iter().position(|&item| matches!(kind(item), VertexKind::Return(_))))
        .expect("a turn has a place that is not a call port");
    let mut recorder = found.recorder(budget);
    let mut record = || -> Result<Loop, Unrecorded> {
        found.record_run(part.nearest, &mut recorder)?;
        let mut from = recorder.states.len().wrapping_sub(1);
        for (number, link) in turn.iter().chain(&turn[..end]).enumerate() {
            follow(found, places[number % turn.len()], link, &mut recorder)?;
            if number + 1 == end {
                from = recorder.states.len() - 1;
            }
        }
        Ok(Loop { from, to: recorder.states.len() - 1 })
    };
    let repeats = record()?;
    Ok((recorder.states, repeats))
}

/// Records a link of H.
fn follow(
    found: &Explored<'_, Product<'_>>,
    item: Item,
    link: &Link,
    recorder: &mut RunRecorder<'_, '_>,
) -> Result<(), Unrecorded> {
    let frame = found.frames[item.frame.index()];
    let vertex = |item: Item| found.arena.vertex(found.frames[item.frame.index()].site, item.place);
    match link.via {
        Via::Edge => recorder.arrive(vertex(link.to)),
        Via::Call => {
            recorder.stack.push(recorder.rsm.box_of(vertex(item)).expect("a call port has a box"));
            recorder.emit(Some(vertex(link.to)))
        }
        Via::Through(exit) => found.record_summary(frame, item.place, exit, recorder),
    }
}

/// A shortest closed walk from the nearest place of a part, in links, that accepts and grows as
/// wanted.
fn turn(
    found: &Explored<'_, Product<'_>>,
    part: &Accepting,
    runs: Runs,
    budget: &mut Budget,
) -> Result<Vec<Link>, Exhausted> {
    const ACCEPTED: u8 = 1;
    const GREW: u8 = 2;
    let wanted = if runs == Runs::Unbounded { ACCEPTED | GREW } else { ACCEPTED };
    let mut came: FxHashMap<(Item, u8), (Item, u8, Link)> = FxHashMap::default();
    let mut queue = VecDeque::from([(part.nearest, 0)]);
    let mut out = Vec::new();
    let budget = &mut budget.holding(0)?;
    while let Some((item, seen)) = queue.pop_front() {
        budget.raise(VISITED * came.len() + size_of::<(Item, u8)>() * queue.len())?;
        out.clear();
        links(found, item, runs, &mut out);
        budget.spend(1 + out.len())?;
        for &link in &out {
            if !part.contains(found, link.to) {
                continue;
            }
            let accepted = if link.accepts { ACCEPTED } else { 0 };
            let grew = if link.via == Via::Call { GREW } else { 0 };
            let now = (link.to, (seen | accepted | grew) & wanted);
            if came.contains_key(&now) {
                continue;
            }
            came.insert(now, (item, seen, link));
            if now == (part.nearest, wanted) {
                let mut walk = Vec::new();
                let mut at = now;
                while at != (part.nearest, 0) || walk.is_empty() {
                    let (item, seen, link) = came[&at];
                    walk.push(link);
                    at = (item, seen);
                }
                walk.reverse();
                return Ok(walk);
            }
            queue.push_back(now);
        }
    }
    unreachable!("an accepting part has such a walk")
}
