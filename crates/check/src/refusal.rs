//! Questions that an engine does not take, told before anything is checked.

use crate::answer::name;
use crate::{Choice, Options, Question};
use loris_evidence::AtExit;
use loris_recursive::{ENGINES, EngineName, Logic, Prepared, Runs};
use loris_rsm::{Kind, Rsm};

/// Why a question cannot be decided with these options, if it cannot.
pub fn refusal(prepared: &Prepared<'_>, question: &Question, options: &Options) -> Option<String> {
    if question.not_supported().is_some() {
        return None;
    }
    if question.steps().is_some() {
        let calls = "COMPUTE is for models without calls";
        return if prepared.is_finite() {
            semantics_refusal(question.logic(), options)
        } else {
            Some(calls.to_owned())
        };
    }
    let logic = question.logic();
    let engine = engine(prepared, question, options);
    let by_semantics = || semantics_refusal(logic, options).or_else(|| ends_refusal(prepared.rsm(), logic));
    if engine == EngineName::Fixpoint && question.finite().is_some() && prepared.is_finite() {
        return by_semantics();
    }
    by_semantics()
        .or_else(|| engine_refusal(engine, logic))
        .or_else(|| fairness_refusal(engine, question))
        .or_else(|| branching_refusal(prepared.rsm(), engine, logic, options))
        .or_else(|| {
            let formula =
                question.formula().filter(|_| engine != EngineName::Buchi || logic != Logic::Ltl)?;
            prepared.refusal(engine, formula)
        })
}

/// The engine that decides a question.
pub(crate) fn engine(prepared: &Prepared<'_>, question: &Question, options: &Options) -> EngineName {
    if question.steps().is_some() {
        return EngineName::Fixpoint;
    }
    let finite = question.finite().is_some() && prepared.is_finite();
    let logic = question.logic();
    let engine = options.engine.engine(logic, finite);
    let is_refused = engine_refusal(engine, logic).is_some()
        || branching_refusal(prepared.rsm(), engine, logic, options).is_some();
    if question.by_any && is_refused {
        return Choice::Auto.engine(logic, finite);
    }
    engine
}

/// Why a logic does not go with a semantics, if it does not.
pub fn semantics_refusal(logic: Logic, options: &Options) -> Option<String> {
    let logic = match logic {
        Logic::Ctl | Logic::Star => logic.name(),
        Logic::Ltl | Logic::Automaton => return None,
    };
    if options.at_exit == AtExit::Stop {
        return Some(format!(
            "--at-exit stop is for linear time only: in {logic} every state needs a successor"
        ));
    }
    (options.runs != Runs::All).then(|| {
        let runs = runs_word(options.runs);
        format!("--runs {runs} is for linear time only: {logic} is about all runs")
    })
}

/// Why a logic does not go with runs that end at dead ends, if it does not.
fn ends_refusal(rsm: &Rsm, logic: Logic) -> Option<String> {
    let stops = rsm.stops();
    match logic {
        Logic::Ltl | Logic::Automaton => None,
        Logic::Ctl => {
            // a label of nodes cannot say that a run ends after some of the calls of a procedure
            let port = stops.iter().find(|&&vertex| rsm.kind(vertex) != Kind::Node)?;
            let site = rsm.box_of(*port).map(|site| rsm.box_name(site)).unwrap_or_default();
            let node = rsm.vertex_name(*port);
            Some(format!(
                "under --dead-ends stop, ctl is decided where runs end at nodes, and here they also end at the \
                 return port (\"{site}\", \"{node}\")"
            ))
        }
        Logic::Star => (!stops.is_empty()).then(|| {
            "--dead-ends stop is for ctl, ltl and automata: in ctl* a quantifier is about infinite runs, \
             and `E X` of ctl is not"
                .to_owned()
        }),
    }
}

/// The word for which runs count: `all`, `bounded` or `unbounded`.
pub fn runs_word(runs: Runs) -> &'static str {
    match runs {
        Runs::All => "all",
        Runs::Bounded => "bounded",
        Runs::Unbounded => "unbounded",
    }
}

/// Why an engine decides no question of linear time, if it does not; formulas of states are looked at
/// one by one.
fn engine_refusal(engine: EngineName, logic: Logic) -> Option<String> {
    let takes = |row: &&loris_recursive::Engine| row.logics.contains(&logic);
    let row = ENGINES.iter().find(|row| row.engine == engine)?;
    if matches!(logic, Logic::Ctl | Logic::Star) || takes(&row) {
        return None;
    }
    let others: Vec<&str> = ENGINES.iter().filter(takes).map(|row| row.name).collect();
    let what = if logic == Logic::Automaton { "automata" } else { logic.name() };
    Some(format!("engine {} is not for {what}; engine {} is", row.name, others.join(" or ")))
}

/// Why an engine does not decide a question about fair runs, if it does not.
fn fairness_refusal(engine: EngineName, question: &Question) -> Option<String> {
    question.fairness()?;
    let knows = |row: &&loris_recursive::Engine| {
        row.engine == EngineName::Fixpoint || row.logics.contains(&Logic::Star)
    };
    let row = ENGINES.iter().find(|row| row.engine == engine)?;
    (question.logic() == Logic::Ctl && !knows(&row)).then(|| {
        let others: Vec<&str> = ENGINES.iter().filter(knows).map(|row| row.name).collect();
        format!("engine {} knows no fairness; {} do", row.name, others.join(", "))
    })
}

/// Why an engine that takes LTL for CTL* does not decide it under some semantics, if it does not.
fn branching_refusal(rsm: &Rsm, engine: EngineName, logic: Logic, options: &Options) -> Option<String> {
    let is_total = options.at_exit != AtExit::Stop && options.runs == Runs::All && rsm.stops().is_empty();
    (logic == Logic::Ltl && engine != EngineName::Buchi && !is_total).then(|| {
        let (engine, buchi) = (name(engine), name(EngineName::Buchi));
        format!("engine {engine} decides ltl on all runs that never stop only; engine {buchi} takes the rest")
    })
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::refusal;
    use crate::{Logic, Options, Prepared, Question, Runs, UnknownAtoms};
    use loris_evidence::AtExit;
    use loris_rsm::{Semantics, read_rsm_json};

    /// Which of `auto` and all engines take a formula.
    fn check(logic: Logic, text: &str, at_exit: AtExit, runs: Runs, expected: &[&str]) {
        let model = r#"{"initial_component": "m", "components": [{"name": "m", "boxes": [],
            "nodes": [{"name": "n", "is_entry": true, "is_exit": true}], "transitions": []}]}"#;
        let (rsm, _) = read_rsm_json(model.as_bytes(), &Semantics::default()).unwrap();
        let formula = loris_logic::parse(text).unwrap();
        let question = Question::new(&rsm, logic, text, &formula, UnknownAtoms::False).unwrap();
        let prepared = Prepared::new(&rsm);
        // engine cont is looked at where it is made
        let names = ["auto", "lazy", "summary", "buchi"];
        let takes = |name: &&&str| {
            let options = Options { engine: name.parse().unwrap(), at_exit, runs, ..Options::default() };
            refusal(&prepared, &question, &options).is_none()
        };
        let found: Vec<&str> = names.iter().filter(takes).copied().collect();
        assert_eq!(found, expected, "{text}");
    }

    #[test]
    fn who_takes_what() {
        let (all, go_on) = (Runs::All, AtExit::Loop);
        check(Logic::Ctl, "E F p", go_on, all, &["auto", "lazy", "summary"]);
        check(Logic::Star, "E F p", go_on, all, &["auto", "lazy", "summary"]);
        check(Logic::Star, "E F G p", go_on, all, &["auto", "summary"]);
        check(Logic::Ltl, "F p", go_on, all, &["auto", "summary", "buchi"]);
        check(Logic::Ltl, "F p", AtExit::Stop, all, &["auto", "buchi"]);
        check(Logic::Ltl, "F p", AtExit::Sink, Runs::Bounded, &["auto", "buchi"]);
        check(Logic::Ctl, "E F p", AtExit::Stop, all, &[]);
        check(Logic::Star, "E F p", go_on, Runs::Unbounded, &[]);
    }
}
