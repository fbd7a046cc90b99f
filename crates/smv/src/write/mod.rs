//! Machines as SMV files with `CALL` and `EXIT`: a module for each component, with one variable for
//! the position of a run.
//!
//! The file simulates the machine step by step, with the same labels: every formula over the labels
//! has the same verdict, `X` included. Where machines are freer than modules, see `plan.rs`.
//!
//! If nothing is called, the file is a plain finite module that any reader of SMV understands,
//! unless runs end at an exit: then `EXIT` stands for it, so that its behaviour there is still
//! open. Several exits cannot be one `EXIT`. If they are exits of the component where runs start,
//! they become loops; if they are those of a callee, it is written out in its callers.

mod error;
mod exits;
mod formula;
mod label_names;
mod module;
mod names;
mod plan;
mod state_names;
mod states;
mod steps;

pub use error::WriteError;
pub(crate) use formula::property;
pub use formula::{Unprintable, smv_property};
pub use label_names::LabelNames;

use loris_rsm::Rsm;
use plan::Plan;
use std::io::{BufWriter, Write};

/// Counts of the file that was written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct Written {
    /// Modules.
    pub modules: usize,
    /// States of all modules, calls and exits included.
    pub states: usize,
    /// How many of the modules runs start in; each has all properties.
    pub initial: usize,
    /// Whether exits of the machine had to become loops.
    pub loops: bool,
}

/// Writes a machine with properties, each a keyword and a formula as [`smv_property`] makes them.
/// They stand in the module where runs start: `main`, unless a component that is called has that
/// name. If there are several, each of them has all properties.
///
/// ```
/// use loris_smv::write::{LabelNames, smv_property, write_smv};
/// let rsm = loris_rsm::generate::RandomRsm::paper(3).to_rsm(&mut loris_base::Rng::new(1));
/// let formula = loris_logic::parse("A G (a -> E F b)").expect("well-formed");
/// let property = smv_property(&formula, &LabelNames::of(&rsm)).expect("CTL");
/// let mut text = Vec::new();
/// write_smv(&rsm, &[property], &mut text).expect("one exit for each component");
/// assert!(String::from_utf8_lossy(&text).contains("SPEC AG (a -> EF b)\n"));
/// ```
///
/// # Errors
/// If `out` fails, or if the machine cannot be expressed by modules with one exit each. Nothing is
/// written then.
pub fn write_smv(
    rsm: &Rsm,
    properties: &[(&str, String)],
    out: &mut impl Write,
) -> Result<Written, WriteError> {
    let plan = Plan::of(rsm, 4 * rsm.vertex_count() + MOST_EXTRA)?;
    let labels = LabelNames::of(rsm);
    let mut out = BufWriter::new(out);
    module::write_modules(rsm, &plan, &labels, properties, &mut out)?;
    out.flush()?;
    Ok(Written {
        modules: plan.modules.len(),
        states: plan.modules.iter().map(|module| module.states.len()).sum(),
        initial: plan.modules.iter().filter(|module| module.initial).count(),
        loops: plan.modules.iter().any(|module| module.loops),
    })
}

/// Copies may have this many states beyond those of the machine.
const MOST_EXTRA: usize = 1_000_000;
