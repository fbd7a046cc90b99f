//! The words of the caller for problems: the command line names its flags, other front ends have
//! their own terms.

use loris_base::Remedy;
use loris_check::Refusal;

/// Names and hints that go into problems.
#[derive(Clone, Copy, Debug)]
pub struct Words {
    /// The input of a formula that was given by itself, as named in messages.
    pub formula: &'static str,
    /// The option for the module where runs start.
    pub module: &'static str,
    /// The option for a method where runs start.
    pub entry: &'static str,
    /// The option for the peer.
    pub peer: &'static str,
    /// The option for an automaton.
    pub automaton: &'static str,
    /// The option for the target of a path.
    pub to: &'static str,
    /// The option for the start of a path.
    pub from: &'static str,
    /// How to ask something.
    pub ask: &'static str,
    /// How to ask other questions than the properties the model carries.
    pub ask_else: &'static str,
    /// How to name the format of a model, one of these.
    pub which_format: fn(&str) -> String,
    /// Where an automaton goes that was given for a model.
    pub no_model: &'static str,
    /// Advice if properties of several modules are asked together with a peer.
    pub one_module: &'static str,
    /// How an unknown atom can be interpreted.
    pub unknown_atoms: &'static str,
    /// Advice on a temporal formula, where the target of a path is expected.
    pub no_formula: &'static str,
    /// How an automaton is asked about a run.
    pub ask_automaton: &'static str,
    /// How to convert the properties of another module.
    pub other_module: &'static str,
    /// The reading in which runs stay in the last exit.
    pub at_exit_loop: &'static str,
    /// How to see which rules there are.
    pub list_rules: &'static str,
    /// Why a question is refused.
    pub refusal: fn(&Refusal) -> String,
    /// A remedy for a problem, by asking in another way.
    pub remedy: fn(Remedy) -> String,
}

impl Default for Words {
    fn default() -> Self {
        Self {
            formula: "formula",
            module: "module",
            entry: "entry",
            peer: "peer",
            automaton: "automaton",
            to: "target",
            from: "start",
            ask: "give a formula, a file of formulas or an automaton",
            ask_else: "ask something else",
            which_format: |formats| format!("name it: {formats}"),
            no_model: "give it as a peer or as a property, beside a model",
            one_module: "these properties are about several; choose one",
            unknown_atoms: "atoms that no node carries can be taken to be false everywhere",
            no_formula: "formulas with temporal operators are checked, not reached",
            ask_automaton: "the automaton was not given",
            other_module: "choose that module to convert them",
            at_exit_loop: "the reading in which runs stay in the last exit",
            list_rules: "the documentation lists them",
            refusal: Refusal::to_string,
            remedy: |remedy| remedy.to_string(),
        }
    }
}
