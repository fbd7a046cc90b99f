//! The machine of a plan, straight into its arrays.

use super::emit::All;
use super::heads::Heads;
use super::labels::Labels;
use super::layout::{Layout, check_size};
use super::names::Naming;
use super::parts::Parts;
use super::plan::Plan;
use crate::builder::Semantics;
use crate::ids::{ComponentId, Vertex};
use crate::model::Rsm;
use loris_base::{Budget, Diagnostics, Idx, Stopped};
use std::sync::Arc;

/// The machine of a plan.
pub(super) fn machine(
    heads: Heads,
    mut plan: Plan,
    labels: Labels,
    mut naming: Naming,
    semantics: Semantics,
    budget: &mut Budget,
) -> Result<(Rsm, Diagnostics), Stopped> {
    check_size(&heads, &plan)?;
    let layout = Layout::of(&heads, &mut plan, &mut naming, budget)?;
    let memory = std::mem::take(&mut plan.memory);
    let all =
        All { heads: &heads, plan: &plan, layout: &layout, naming: &naming, labels: &labels, semantics };
    let rows = all.rows(memory, budget)?;
    let mut parts = Parts { layout, naming, rows };
    parts.unreachable_labels();
    std::mem::take(&mut parts.rows.problems).into_result(())?;
    let initial_component = ComponentId::new(plan.main as usize - plan.first());
    let first = parts.layout.components[initial_component].vertices.start;
    // the initial places are entries, which are the first nodes
    let entries = plan.initial.iter().map(|&place| plan.copies.entry(plan.main, place));
    let initial = entries.map(|entry| Vertex::new((first + entry) as usize)).collect();
    drop((heads, plan, labels));
    let body = parts.into_body(semantics, budget)?;
    Ok((Rsm { body: Arc::new(body), initial_component, initial }, Diagnostics::default()))
}
