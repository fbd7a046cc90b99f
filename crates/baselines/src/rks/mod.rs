//! The engines of recursive-kripke, "Model checking recursive Kripke structures": CTL on machines
//! in which every component that is called has one entry and one exit, and no call follows a call.
//!
//! | file | counterpart in the thesis |
//! |---|---|
//! | `structure` | the machine as a recursive Kripke structure (section 2.4), or why it is none |
//! | `annotations` | call contexts (3.3.1), values after the last exit (3.3.3) |
//! | `kappa`, `label` | the knowledge base (3.3.2), labelLocally (Algorithms 3.3, 4.4) |
//! | `local`, `undecided`, `fixpoint` | deduceLabels (3.5, 4.5), labelByFixpoint (3.4, 3.6) with the worklist of 5.4 |
//! | `eager` | `rks-eager`: chapter 3 |
//! | `incremental`, `needs` | `rks-incremental`: chapter 4 |
//! | `summary`, `copies` | `rks-summary`: appendix A |
//! | `knowledge` | κ as tables, like those of section 3.6 |
//!
//! E1 to E14 are the errata in the notes on the thesis; all are heeded.

mod annotations;
mod copies;
mod eager;
mod fixpoint;
mod incremental;
mod kappa;
mod knowledge;
mod label;
mod local;
mod needs;
mod structure;
mod summary;
mod undecided;

pub use annotations::Annotations;
pub use knowledge::Knowledge;
pub use structure::unfit;

use kappa::Kappa;
use loris_base::{Budget, Exhausted};
use loris_evidence::AtExit;
use loris_logic::CoreId;
use loris_recursive::{CtlProperty, EngineSettings, MachineOutcome};
use loris_rsm::Rsm;

/// The default behaviour of these engines at the last exit: runs go to the unlabelled state of the
/// thesis.
pub const AT_EXIT: AtExit = AtExit::Sink;

/// The engines of recursive-kripke.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Rks {
    /// Chapter 3: every context that occurs.
    Eager,
    /// Chapter 4: only the pairs that the initial state needs.
    Incremental,
    /// Appendix A: copies in which formulas are labels.
    Summary,
}

impl Rks {
    /// All of them.
    pub const ALL: [Rks; 3] = [Rks::Eager, Rks::Incremental, Rks::Summary];
}

/// Checks a property of CTL on a machine that is [fit](unfit) for these engines.
pub fn check(
    engine: Rks,
    rsm: &Rsm,
    property: &CtlProperty<'_>,
    settings: &EngineSettings,
    budget: &mut Budget,
) -> Result<MachineOutcome, Exhausted> {
    match engine {
        Rks::Eager => eager(rsm, property, settings, budget),
        Rks::Incremental => incremental(rsm, property, settings, budget),
        Rks::Summary => summary::check(rsm, property, settings, budget),
    }
}

/// Chapter 3.
fn eager(
    rsm: &Rsm,
    property: &CtlProperty<'_>,
    settings: &EngineSettings,
    budget: &mut Budget,
) -> Result<MachineOutcome, Exhausted> {
    let mut kappa = Kappa::new(rsm, property, settings, Annotations::Needed, false, budget)?;
    let labelled = eager::label_all(&mut kappa, budget)?;
    let holds = eager::holds(&mut kappa, budget)?;
    let is_temporal = |node: CoreId| property.formula.node(node).is_existential();
    let temporal = labelled.iter().filter(|labelled| is_temporal(labelled.node));
    let checks = temporal.flat_map(|labelled| &labelled.rounds).sum();
    Ok(MachineOutcome { holds, contexts: kappa.pairs, checks, components: kappa.touched })
}

/// Chapter 4.
fn incremental(
    rsm: &Rsm,
    property: &CtlProperty<'_>,
    settings: &EngineSettings,
    budget: &mut Budget,
) -> Result<MachineOutcome, Exhausted> {
    let mut kappa = Kappa::new(rsm, property, settings, Annotations::Needed, false, budget)?;
    let checks = incremental::label_initial(&mut kappa, budget)?;
    let holds = eager::holds(&mut kappa, budget)?;
    Ok(MachineOutcome { holds, contexts: kappa.pairs, checks, components: kappa.touched })
}
