//! What the command line says of refusals: which flag is to blame, and which one helps.

use loris_base::{Diagnostic, Diagnostics};
use loris_check::{Refusal, Unfit, runs_word};

/// Said where an atom is unknown and no label is near.
pub(crate) const UNKNOWN_ATOMS: &str = "--unknown-atoms false takes it to be false everywhere";

/// Why a question is refused, in the words of the command line.
pub(crate) fn refusal(refusal: &Refusal) -> String {
    match refusal {
        Refusal::StopsAtExits(logic) => {
            let logic = logic.name();
            format!("--at-exit stop is for linear time only: in {logic} every state needs a successor")
        }
        Refusal::SomeRuns(logic, runs) => {
            let (logic, runs) = (logic.name(), runs_word(*runs));
            format!("--runs {runs} is for linear time only: {logic} is about all runs")
        }
        Refusal::EndsAtPort(site, node) => format!(
            "under --dead-ends stop, ctl is decided where runs end at nodes, and here they also end at the \
             return port (\"{site}\", \"{node}\")"
        ),
        Refusal::Ends => {
            "--dead-ends stop is for ctl, ltl and automata: in ctl* a quantifier is about infinite \
                          runs, and `E X` of ctl is not"
                .to_owned()
        }
        Refusal::Unfit(_, Unfit::Exits(..) | Unfit::Structure(_)) => {
            format!("{refusal}; --engine summary takes any")
        }
        Refusal::Unfit(_, Unfit::Logic) => format!("{refusal}; `--engine help` says what others are for"),
        _ => refusal.to_string(),
    }
}

/// What is wrong with a question: of a formula, where; else of all of it.
pub(crate) fn problems(refused: Refusal) -> Diagnostics {
    match refused {
        Refusal::Wrong(found) => found,
        other => Diagnostic::global(refusal(&other)).into(),
    }
}
