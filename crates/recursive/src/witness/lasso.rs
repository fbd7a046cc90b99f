//! EG: a run along the operand that never ends.
//!
//! First the shortest way to a cell from where a run can go on for ever without leaving its frame, or to an
//! exit at the bottom of the stack where it stays. From there a walk through live cells in the graph
//! of local, call and summary edges, until a cell comes back. If a call edge lies between, the loop
//! climbs the stack at every turn; a summary edge is told as the run through the callee.

use super::search::{Frame, Start, search};
use super::tell::Story;
use super::{Explainer, Silent};
use crate::instances::Instances;
use crate::summary::{Rows, globally};
use loris_base::{Budget, Idx};
use loris_evidence::{AtExit, Loop, State};
use loris_rsm::{Kind, Vertex};
use rustc_hash::FxHashMap;

/// For one EG formula: where a run can go on for ever without leaving.
pub(super) struct Endless {
    alive: Vec<u64>,
    rows: Rows,
}

/// A cell of the walk: an instance and a vertex of its component.
type Cell = (u32, Vertex);

impl Explainer<'_, '_> {
    /// A lasso that shows EG of an operand at a state.
    pub(super) fn lasso(
        &mut self,
        node: u32,
        along: u32,
        state: &State,
        budget: &mut Budget,
    ) -> Result<(Vec<State>, Loop), Silent> {
        self.operand(along, budget)?;
        if !self.lassos.contains_key(&node) {
            let on_way = &self.operands[&along];
            let rows = Rows::new(&self.decided.graph, on_way, 1, budget)?;
            let alive = globally(&self.decided.graph, on_way, &rows, budget)?;
            self.lassos.insert(node, Endless { alive, rows });
        }
        let spot = self.place(state);
        let mut story = spot.story(self.rsm);
        let Some(vertex) = spot.vertex else {
            return Ok(stay(story, None)?);
        };
        let start = Start { below: &spot.below, instance: spot.instance, vertex };
        let graph = &self.decided.graph;
        let endless = &self.lassos[&node];
        let on_way = &self.operands[&along];
        let stays = |frame: Frame, vertex: Vertex| {
            frame == Frame::Base(0)
                && self.rsm.is_exit(vertex)
                && on_way[graph.shift(graph.start).cell(vertex)] != 0
                && (self.at_exit == AtExit::Loop || self.bottom.at_sink(along) != 0)
        };
        let ends = |frame: Frame, instance: u32, vertex: Vertex| {
            (endless.alive[graph.shift(instance).cell(vertex)] != 0 || stays(frame, vertex)).then_some(0)
        };
        let passes = |instance: u32, vertex: Vertex| on_way[graph.shift(instance).cell(vertex)] != 0;
        let found = search(graph, &start, passes, ends, budget)?.expect("a true EG has a run");
        story.tell(&found)?;
        let (frame, vertex) = found.goal;
        if stays(frame, vertex) {
            let end = if self.at_exit == AtExit::Loop { Some(vertex) } else { None };
            // the exit itself is told already
            let last = story.states.len() - 1;
            return if end.is_some() {
                story.emit(end)?;
                Ok((story.states, Loop { from: last, to: last + 1 }))
            } else {
                Ok(stay(story, None)?)
            };
        }
        let instance = self.place(&State { stack: story.stack.clone(), node: None }).instance;
        let mut walk =
            Walk { graph, endless, passes: &passes, story, visited: FxHashMap::default(), trail: Vec::new() };
        let repeats = walk.until_it_repeats((instance, vertex), budget)?;
        Ok((walk.story.states, repeats))
    }
}

/// A state that repeats for ever.
fn stay(mut story: Story<'_>, node: Option<Vertex>) -> Result<(Vec<State>, Loop), super::TooLong> {
    story.emit(node)?;
    story.emit(node)?;
    let to = story.states.len() - 1;
    Ok((story.states, Loop { from: to - 1, to }))
}

struct Walk<'w, 'a, P> {
    graph: &'w Instances<'a>,
    endless: &'w Endless,
    passes: &'w P,
    story: Story<'a>,
    /// per cell, where it is on the trail
    visited: FxHashMap<Cell, usize>,
    /// the cells walked, with the index of each one's state
    trail: Vec<(Cell, usize)>,
}

impl<P: Fn(u32, Vertex) -> bool> Walk<'_, '_, P> {
    /// Walks on from a live cell that has been told (unless it is a call port) until a loop is closed.
    fn until_it_repeats(&mut self, first: Cell, budget: &mut Budget) -> Result<Loop, Silent> {
        let mut cell = first;
        self.enter_trail(cell);
        loop {
            let next = self.successor(cell);
            let known = self.visited.get(&next).copied();
            self.go(cell, next, budget)?;
            let Some(position) = known else {
                self.enter_trail(next);
                cell = next;
                continue;
            };
            // close at a node if there is one: all states of the loop then lie above its stack
            let is_node = |&(_, vertex): &Cell| self.graph.rsm.kind(vertex) == Kind::Node;
            let turn = &self.trail[position..];
            let end =
                turn.iter().position(|(cell, _)| is_node(cell)).map_or(position, |offset| position + offset);
            for i in position..end {
                let (from, to) = (self.trail[i].0, self.trail[i + 1].0);
                self.go(from, to, budget)?;
            }
            let ((_, vertex), from) = self.trail[end];
            if matches!(self.graph.rsm.kind(vertex), Kind::Call(_)) {
                self.story.inside(vertex)?;
            }
            return Ok(Loop { from, to: self.story.states.len() - 1 });
        }
    }

    /// Notes a cell that was just arrived at. The state of a call port is told by its next step.
    fn enter_trail(&mut self, cell: Cell) {
        let told = self.story.states.len();
        let index = if matches!(self.graph.rsm.kind(cell.1), Kind::Call(_)) { told } else { told - 1 };
        self.visited.insert(cell, self.trail.len());
        self.trail.push((cell, index));
    }

    /// A live successor in H: one that closes the loop if there is one, a call rather than a summary.
    fn successor(&self, (instance, vertex): Cell) -> Cell {
        let rsm = self.graph.rsm;
        let alive =
            |&(instance, vertex): &Cell| self.endless.alive[self.graph.shift(instance).cell(vertex)] != 0;
        let mut options: Vec<Cell> = Vec::new();
        if let Some((callee, entry)) = self.graph.called(instance, vertex) {
            let site = rsm.box_of(vertex).expect("a call port has a box");
            options.push((callee, entry));
            self.endless.rows.for_each(self.graph, callee, entry.index(), |exit, _| {
                options.extend(rsm.return_port(site, exit).map(|port| (instance, port)));
            });
        } else {
            options.extend(rsm.successors(vertex).map(|successor| (instance, successor)));
        }
        options.retain(alive);
        let closing = options.iter().find(|option| self.visited.contains_key(option));
        *closing.unwrap_or_else(|| options.first().expect("a live cell has a live successor"))
    }

    /// Tells an edge of H.
    fn go(&mut self, (instance, vertex): Cell, next: Cell, budget: &mut Budget) -> Result<(), Silent> {
        let rsm = self.graph.rsm;
        let Some((callee, entry)) = self.graph.called(instance, vertex) else {
            self.story.arrive(next.1)?;
            return Ok(());
        };
        self.story.stack.push(rsm.box_of(vertex).expect("a call port has a box"));
        if next == (callee, entry) {
            self.story.emit(Some(entry))?;
            return Ok(());
        }
        let exit = rsm.node_of(next.1);
        let start = Start { below: &[], instance: callee, vertex: entry };
        let ends =
            |frame: Frame, _: u32, vertex: Vertex| (frame == Frame::Base(0) && vertex == exit).then_some(0);
        let found =
            search(self.graph, &start, self.passes, ends, budget)?.expect("a summary stands for a run");
        self.story.tell(&found)?;
        self.story.stack.pop();
        Ok(())
    }
}
