//! Questions about machines of nodes and calls: planned, answered in batches; and reachability.

mod alone;
mod ends;
mod linear;
mod plan;
mod premise;
mod reach;
mod resolved;
mod run;
mod target;

pub use alone::{check_one, holds_in_graph, holds_in_machine, plan_one, refutation};
pub use plan::plan_without_machine;
pub use reach::{Reachable, SearchOptions, reach, reached};
pub use target::{Goal, GoalNames};

pub(crate) use linear::shown_by_refuting_run;

use crate::checkable::{Checkable, Planner, Size};
use crate::plan::Plan;
use crate::rounds::Run;
use crate::{ModelKind, Options, Suggestions};
use loris_recursive::Prepared;
use loris_rsm::Rsm;
use std::sync::Arc;

/// A machine of nodes and calls.
#[derive(Clone, Debug)]
pub struct Machine {
    /// The machine.
    pub rsm: Rsm,
    /// How it was made of a program, as a JSON object, if it was.
    pub program: Option<Arc<str>>,
}

impl Checkable for Machine {
    fn kind(&self) -> Option<ModelKind> {
        Some(ModelKind::Machines)
    }

    fn bytes(&self) -> usize {
        self.rsm.bytes()
    }

    fn sizes(&self) -> Vec<Size> {
        let rsm = &self.rsm;
        vec![
            Size::new("components", rsm.component_count(), "component", "components"),
            Size::new("nodes", rsm.node_count(), "node", "nodes"),
            Size::new("boxes", rsm.box_count(), "box", "boxes"),
            Size::new("edges", rsm.edge_count(), "edge", "edges"),
            Size::unspoken("theta", rsm.theta()),
        ]
    }

    fn planner<'a>(&'a self, options: &'a Options, suggestions: &'a Suggestions) -> Planner<'a> {
        let prepared = Prepared::new(&self.rsm);
        Box::new(move |question| plan::MachinePlanner::new(&prepared, options, suggestions).plan(question))
    }

    fn run(&self, plans: &[Plan], options: &Options, go: &mut dyn FnMut(&dyn Run)) {
        run::run(&self.rsm, plans, options, go);
    }
}
