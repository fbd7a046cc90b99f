//! The machines that questions about an SMV file are asked of: one for each module.

use super::asked::What;
use super::{Asked, MERGED, SmvFile, SmvMachine, component, nothing};
use crate::ground::{Ground, Grounds, Place};
use crate::input::{Input, Problems};
use crate::model::{self, Origin};
use loris_base::{Diagnostic, Diagnostics};
use loris_check::{Options, Peer, Prepared, Question, UnknownAtoms, refusal};
use loris_logic::Fairness;
use loris_rsm::{Rsm, Semantics};
use loris_smv::ir::StructureId;
use loris_smv::{Labels, Limits, Stopped};

/// Makes the states, and the questions about them. What is wrong is added to the problems.
pub(crate) fn grounds(
    file: &SmvFile,
    asked: Vec<Asked>,
    peer: Option<&Peer>,
    (origin, semantics): (&Origin, Semantics),
    options: &Options,
    problems: &mut Problems,
) -> Option<Grounds> {
    let mut structures: Vec<StructureId> = asked.iter().map(|asked| asked.structure).collect();
    structures.sort_unstable();
    structures.dedup();
    if peer.is_some() && structures.len() > 1 {
        let problem = Diagnostic::global("a peer goes along with runs of one module");
        let help = "these properties are about several; choose one with --module";
        problems.add(Input::named("--with"), problem.help(help).into());
        return None;
    }
    let labels = if peer.is_some() { Labels::All } else { Labels::Needed };
    let budget = &mut problems.budget;
    // a peer may read any label
    let merge = peer.is_none().then_some(MERGED);
    let limits = Limits { merge, ..origin.limits(semantics) };
    let (machine, stopped) = match file.build(labels, &limits, budget) {
        Ok(machine) => (Some(machine), None),
        Err(Stopped::Exhausted(why)) => (None, Some((why, !file.is_recursive()))),
        Err(Stopped::Wrong(found)) => {
            problems.add(file.input.clone(), found);
            return None;
        }
    };
    let mut grounds: Vec<Ground> = Vec::new();
    for &structure in &structures {
        let rooted = machine.as_ref().map(|machine| machine.rsm.rooted(component(structure)));
        let rsm = match (rooted, peer) {
            (Some(rsm), Some(peer)) => model::composed(&rsm, peer, origin, semantics, problems)?,
            (Some(rsm), None) => rsm,
            (None, _) => nothing(),
        };
        grounds.push(Ground::new(rsm, Some(file.module(structure).to_owned())));
    }
    let prepared: Vec<Prepared<'_>> = grounds.iter().map(|ground| Prepared::new(&ground.rsm)).collect();
    let mut questions: Vec<Vec<(Place, Question)>> = structures.iter().map(|_| Vec::new()).collect();
    for one in asked {
        let number = structures.binary_search(&one.structure).expect("every structure is listed");
        match question(file, &prepared[number], machine.as_ref(), &one, options) {
            Ok(mut question) => {
                question.name = one.name;
                question.source = one.source;
                questions[number].push((Place { number: one.place, instance: one.instance }, question));
            }
            Err(found) => problems.add(one.input.clone(), found),
        }
    }
    drop(prepared);
    for (ground, questions) in grounds.iter_mut().zip(questions) {
        (ground.places, ground.questions) = questions.into_iter().unzip();
    }
    let rsm = match (&machine, grounds.first()) {
        (_, Some(ground)) if peer.is_some() => ground.rsm.clone(),
        (Some(machine), _) => machine.rsm.clone(),
        (None, _) => nothing(),
    };
    Some(Grounds { rsm, list: grounds, stopped })
}

/// What is asked, in terms of a machine.
fn question(
    file: &SmvFile,
    prepared: &Prepared<'_>,
    machine: Option<&SmvMachine>,
    one: &Asked,
    options: &Options,
) -> Result<Question, Diagnostics> {
    let rsm: &Rsm = prepared.rsm();
    let fair = machine.map_or_else(Fairness::default, |machine| one.fairness(file, machine));
    let mut question = match &one.what {
        What::Formula(logic, wish) => {
            let formula = match machine {
                Some(machine) => machine.formula(*wish).clone(),
                None => file.property(*wish).formula.clone(),
            };
            let question = Question::fair(rsm, *logic, &one.text, &formula, &fair, UnknownAtoms::False);
            question.map_err(|found| one.placed(&found))?
        }
        What::Distance(longest, wishes) => {
            let formula = |&wish| match machine {
                Some(machine) => machine.formula(wish),
                None => &file.property(wish).formula,
            };
            let [from, to] = wishes.each_ref().map(formula);
            let question = Question::distance(rsm, &one.text, *longest, (from, to), &fair);
            question.map_err(|found| one.placed(&found))?
        }
        What::Unsupported(logic, what) => Question::unsupported(*logic, &one.text, what),
        What::Automaton(..) if !fair.is_empty() => {
            return Err(one.problem("automata are asked of all runs, and this model has FAIRNESS").into());
        }
        What::Automaton(hoa, wishes) => {
            let mut hoa = hoa.clone();
            if let Some(machine) = machine {
                hoa.propositions = wishes.iter().map(|&wish| machine.label(wish)).collect();
            }
            Question::automaton(rsm, &one.text, &hoa, UnknownAtoms::False)?
        }
    };
    question.by_any = one.is_carried;
    match refusal(prepared, &question, options) {
        Some(why) => Err(one.problem(why).into()),
        None => Ok(question),
    }
}
