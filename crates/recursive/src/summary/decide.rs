//! Decides a formula as a whole, and leaves behind the data for evidence.

use super::decided::Decided;
use super::evaluation::{Evaluation, start};
use super::mode::{Mode, Stopped};
use crate::operand::Atoms;
use crate::prepared::Prepared;
use crate::recurrent;

use loris_base::Budget;
use loris_logic::Core;
use loris_rsm::LabelId;

/// Decides properties of one shape; `labels[i][k]` is the meaning of atom `k` in property `i`.
pub(crate) fn decide<'a>(
    prepared: &Prepared<'a>,
    formula: &Core,
    labels: &[&[Option<LabelId>]],
    mode: &Mode<'_>,
    budget: &mut Budget,
) -> Result<Decided<'a>, Stopped> {
    let rsm = prepared.rsm();
    if prepared.is_finite() && !formula.paths().is_empty() {
        let atoms = Atoms::new(rsm, formula.atoms().len(), labels, budget)?;
        let values = recurrent::decide(rsm, formula, labels, mode.at_exit, budget)?;
        return Ok(Decided::finite(rsm, formula, atoms, values, budget)?);
    }
    let mut run = start(prepared, formula, labels, mode, budget)?;
    run.finish(budget)?;
    let values = (0..rsm.initial().len()).map(|i| run.root_at(i).0).collect();
    let Evaluation { contexts, checks, graph, known, atoms, at_start, .. } = run;
    Ok(Decided { values, contexts, checks: checks.get(), graph, known, atoms, at_start, sink: None })
}
