//! Flags of the engine omg.

use crate::flags::{Word, words};
use anyhow::bail;
use loris_check::{Choice, EngineName, OmgOptions, OmgSwitch, Splitting, Unwinding};

/// How the engine omg works; verdicts do not depend on it.
#[derive(clap::Args)]
pub(crate) struct GuidedArgs {
    /// How the engine omg splits abstract states [default: cubes]
    #[arg(long, value_name = "HOW", value_parser = words(&SPLITTING), help_heading = "Work")]
    split: Option<Splitting>,
    /// What the engine omg unwinds [default: states]
    #[arg(long, value_name = "WHAT", value_parser = words(&UNWINDING), help_heading = "Work")]
    unwind: Option<Unwinding>,
    /// Optimizations that the engine omg does without, separated by commas; all are on by default
    #[arg(
        long,
        value_name = "NAME",
        value_delimiter = ',',
        value_parser = words(&SWITCHES),
        help_heading = "Work"
    )]
    omg_off: Vec<OmgSwitch>,
}

const SPLITTING: [Word<Splitting>; 2] = [
    ("cubes", Splitting::Cubes, "Around a state, by an unsatisfiable core"),
    ("exact", Splitting::Exact, "By all states that have such a step, as a union of cubes"),
];
const UNWINDING: [Word<Unwinding>; 2] = [
    ("states", Unwinding::States, "States, one at a time"),
    ("sets", Unwinding::Sets, "Sets of states, as decision diagrams"),
];
const SWITCHES: [Word<OmgSwitch>; 8] = [
    ("trivial", OmgSwitch::Trivial, "Splits with an empty part are left out"),
    ("lazy", OmgSwitch::Lazy, "States are classified again from where they were"),
    ("trimming", OmgSwitch::Trimming, "A goal examines no state twice"),
    ("predicates", OmgSwitch::Predicates, "Boolean combinations of atoms are predicates"),
    ("unification", OmgSwitch::Unification, "Both parts of a split are one target"),
    ("facts", OmgSwitch::Facts, "Known steps between abstract states are not asked for again"),
    ("reachability", OmgSwitch::Reachability, "Proofs that do not close ask for an invariant (IC3)"),
    ("sharing", OmgSwitch::Sharing, "Properties inherit labels from earlier ones"),
];

impl GuidedArgs {
    /// The settings of the engine; an error if there are some and another engine is selected.
    pub(crate) fn options(&self, engine: Choice) -> anyhow::Result<OmgOptions> {
        let given = [
            self.split.map(|_| "--split"),
            self.unwind.map(|_| "--unwind"),
            (!self.omg_off.is_empty()).then_some("--omg-off"),
        ];
        if let Some(flag) = given.into_iter().flatten().next()
            && engine != Choice::Named(EngineName::Omg)
        {
            bail!("{flag} is for the engine omg; select it with --engine omg");
        }
        let mut options = OmgOptions {
            splitting: self.split.unwrap_or_default(),
            unwinding: self.unwind.unwrap_or_default(),
            ..OmgOptions::default()
        };
        self.omg_off.iter().for_each(|&switch| options.turn_off(switch));
        Ok(options)
    }
}
