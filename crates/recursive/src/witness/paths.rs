//! Runs that show an existential formula at a state, found by the search of
//! [`linear`](crate::linear).
//!
//! The formula is an automaton over its operands, which are known at every cell of the instance
//! graph: for EU and EG it goes on as long as the first operand holds. So a run is nearest first
//! whatever it shows, through calls and returns of any depth, out of the frames the state lies in,
//! or climbing the stack forever.

use super::tour::Tour;
use super::{Explainer, Spot};
use crate::linear::{
    Arena, ExploreDirection, Item, Letters, Machine, Product, RunSearch, Runs, Start, Steps, explore,
};
use crate::recorder::Unrecorded;
use crate::recurrent;
use loris_base::{BitSet, Budget, Idx};
use loris_evidence::{AtExit, Loop, State};
use loris_logic::automaton::translate;
use loris_logic::{CoreId, CoreNode};
use loris_rsm::{Vertex, VertexKind};

impl Explainer<'_, '_> {
    /// EU: the shortest run to the goal.
    pub(super) fn run(
        &mut self,
        node: CoreId,
        state: &State,
        budget: &mut Budget,
    ) -> Result<Vec<State>, Unrecorded> {
        let spot = self.place(state);
        let Some(vertex) = spot.vertex else {
            let mut recorder = spot.recorder(self.rsm, budget);
            recorder.emit(None)?;
            return Ok(recorder.states);
        };
        self.tour(node, budget)?;
        let tour = &self.tours[&node];
        let product = Product::new(Machine::of(&self.decided.graph), &tour.letters, &tour.steps, budget)?;
        let has = |class: u32, atom: u32| tour.letters.atoms[class as usize].contains(&atom);
        let start = start(&product, &spot, vertex);
        let found = explore(&product, start, ExploreDirection::Fewer, budget, |site, place| {
            // a call port is shown as the entry it stands for
            has(product.class(site, place), 1)
                && !matches!(self.rsm.kind(product.vertex(site, place)), VertexKind::Call(_))
        })?;
        // the goal may be the sink, one step after the last exit
        let falls = |item: &&Item| has(product.class(found.frames[0].site, item.place), 0);
        let sinks = self.at_exit == AtExit::Sink && has(tour.letters.sink, 1);
        let last = found.bottom.iter().filter(falls).min_by_key(|&&item| found.time(item)).filter(|_| sinks);
        let mut recorder = found.recorder(budget);
        match (found.hit, last) {
            (Some(hit), last) if last.is_none_or(|&last| found.time(hit) <= found.time(last) + 1) => {
                found.record_run(hit, &mut recorder)?;
            }
            (_, Some(&last)) => {
                found.record_run(last, &mut recorder)?;
                recorder.emit(None)?;
            }
            _ => unreachable!("a true until has a run"),
        }
        let states = recorder.states;
        found.release(budget);
        Ok(states)
    }

    /// EG and other path formulas: a run that never ends.
    pub(super) fn lasso(
        &mut self,
        node: CoreId,
        state: &State,
        budget: &mut Budget,
    ) -> Result<(Vec<State>, Loop), Unrecorded> {
        let spot = self.place(state);
        let Some(vertex) = spot.vertex else {
            // in the sink forever
            let mut recorder = spot.recorder(self.rsm, budget);
            recorder.emit(None)?;
            recorder.emit(None)?;
            return Ok((recorder.states, Loop { from: 0, to: 1 }));
        };
        if let CoreNode::E(path) = self.formula.node(node)
            && self.rsm.box_count() == 0
        {
            return self.finite_lasso(node, path, vertex, budget);
        }
        self.tour(node, budget)?;
        let tour = &self.tours[&node];
        let product = Product::new(Machine::of(&self.decided.graph), &tour.letters, &tour.steps, budget)?;
        let search = RunSearch {
            runs: Runs::All,
            at_exit: self.at_exit,
            evidence: true,
            direction: ExploreDirection::Fewer,
        };
        let found = search.run(&product, start(&product, &spot, vertex), budget)?;
        assert!(found.is_accepted, "a true formula has a run");
        found.run.ok_or(found.cut_off.map_or(Unrecorded::TooLong, Unrecorded::Exhausted))
    }

    /// The same on a machine without calls, where recurrence conditions are not part of the
    /// automaton.
    fn finite_lasso(
        &mut self,
        node: CoreId,
        path: u32,
        vertex: Vertex,
        budget: &mut Budget,
    ) -> Result<(Vec<State>, Loop), Unrecorded> {
        let operands: Vec<CoreId> = self.formula.children(node).collect();
        let mut columns = Vec::with_capacity(operands.len());
        for operand in operands {
            self.operand(operand, budget)?;
            // the sink is a state behind all vertices
            let sink = (self.last_exit.at_sink(operand) != 0).then_some(self.rsm.vertex_count() as u32);
            let values = self.operands[&operand].iter().enumerate();
            let inside = values.filter(|(_, lanes)| **lanes != 0).map(|(vertex, _)| vertex as u32);
            columns.push(BitSet::of(self.rsm.vertex_count() + 1, inside.chain(sink)));
        }
        let path = &self.formula.paths()[path as usize];
        let run = recurrent::run(self.rsm, self.at_exit, (path, &columns), vertex.index() as u32, budget)?;
        run.ok_or(Unrecorded::TooLong)
    }

    /// Prepares the runs of a formula.
    fn tour(&mut self, node: CoreId, budget: &mut Budget) -> Result<(), Unrecorded> {
        if self.tours.contains_key(&node) {
            return Ok(());
        }
        let operands: Vec<CoreId> = self.formula.children(node).collect();
        for &operand in &operands {
            self.operand(operand, budget)?;
        }
        let cells = self.decided.graph.cell_count();
        let values = |operand: &CoreId| (&self.operands[operand][..], self.last_exit.at_sink(*operand) != 0);
        let letters = Letters::of(cells, &operands.iter().map(values).collect::<Vec<_>>(), budget)?;
        let steps = match self.formula.node(node) {
            CoreNode::E(path) => {
                let buchi = translate(&self.formula.paths()[path as usize].formula, budget)?;
                Steps::new(&buchi, &letters, budget)?
            }
            _ => Steps::while_first(&letters, budget)?,
        };
        self.tours.insert(node, Tour { letters, steps });
        Ok(())
    }
}

/// A state as the start of a search.
fn start(product: &Product<'_>, spot: &Spot, vertex: Vertex) -> Start {
    let rsm = product.machine.rsm;
    let below = spot.below.iter().map(|&(instance, call)| {
        let site = product.machine.site(instance.index() as u32);
        let port = rsm.ports(call).next().expect("a box on the stack was called at a port");
        (site, product.bare(site.place(port)))
    });
    let below = below.collect();
    let site = product.machine.site(spot.instance.index() as u32);
    let local = site.place(vertex);
    let places = product.steps.initial.iter().map(|&state| product.place(local, state)).collect();
    Start { below, site, places }
}
