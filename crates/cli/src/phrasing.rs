//! The words of the command line for problems: the flag that is wrong, and the one that helps.

use loris_base::Remedy;
use loris_check::{ModelKind, Refusal, Unfit, runs_word};
use loris_load::Words;
use loris_logic::{BRANCHING, IN_CTL_STAR, IN_LTL, LINEAR, QUANTIFIERS};
use loris_rsm::{DEAD_END, DEAD_ENDS, NO_EDGE};

/// The words of the command line.
pub(crate) const WORDS: Words = Words {
    formula: "-p",
    module: "--module",
    entry: "--entry",
    peer: "--with",
    automaton: "--automaton",
    to: "--to",
    from: "--from",
    ask: "give properties with -p FORMULA, -f FILE or --automaton FILE",
    ask_else: "ask something else with -p FORMULA or -f FILE",
    which_format: |formats| format!("name it with --model-format: {formats}"),
    no_model: "give it with --with FILE or --automaton FILE, beside a model",
    one_module: "these properties are about several; choose one with --module",
    unknown_atoms: "--unknown-atoms false takes it to be false everywhere",
    no_formula: "`loris check` takes formulas with temporal operators",
    ask_automaton: "--automaton asks it",
    other_module: "see --module",
    at_exit_loop: "--at-exit loop",
    list_rules: "--list-rules lists them",
    refusal,
    remedy,
};

/// What can be done about a problem, by which flag.
fn remedy(remedy: Remedy) -> String {
    match remedy {
        IN_CTL_STAR => "as it is, `--logic 'ctl*'` takes the formula".to_owned(),
        IN_LTL => "as it is, `--logic ltl` takes the formula".to_owned(),
        LINEAR => "`--logic ltl` takes it as it is".to_owned(),
        QUANTIFIERS => "a formula with quantifiers is checked with `--logic ctl*`".to_owned(),
        BRANCHING => "with a quantifier before each temporal operator, `--logic ctl` takes it".to_owned(),
        DEAD_END => {
            "--dead-ends loop lets a run stay there for ever, --dead-ends stop lets it end".to_owned()
        }
        DEAD_ENDS => {
            "--dead-ends loop lets runs stay there for ever, --dead-ends stop lets them end".to_owned()
        }
        NO_EDGE => "give it one, or let runs stay there with --dead-ends loop, or end with --dead-ends stop"
            .to_owned(),
        _ => remedy.to_string(),
    }
}

/// Why a question is refused, in the words of the command line.
pub(crate) fn refusal(refusal: &Refusal) -> String {
    match refusal {
        Refusal::StopsAtExits(logic) => {
            let logic = logic.name();
            format!("--at-exit stop is for linear time and mu: in {logic} every state needs a successor")
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
            "--dead-ends stop is not for ctl*: its quantifiers are about infinite runs, and `E X` of ctl \
             is not"
                .to_owned()
        }
        Refusal::Unfit(_, Unfit::Exits(..) | Unfit::Structure(_)) => {
            format!("{refusal}; --engine summary takes any")
        }
        Refusal::Unfit(_, Unfit::Logic | Unfit::Kind(ModelKind::Machines)) => {
            format!("{refusal}; `--engine help` lists the others")
        }
        _ => refusal.to_string(),
    }
}
