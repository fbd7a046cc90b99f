//! The machines that questions about an SMV file are asked of: one for each module.

use super::asked::What;
use super::{Asked, MERGED, SmvFile, SmvMachine, Wish, component, nothing};
use crate::ground::{Ground, Grounds, Place, Planning, Way};
use crate::input::{Input, Problems};
use crate::model::{self, Origin};
use crate::words;
use loris_base::Diagnostic;
use loris_check::{Options, Peer, Planner, Prepared, Question, Refusal, Suggestions, UnknownAtoms};
use loris_rsm::Semantics;
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
        Err(Stopped::Exhausted(why)) => (None, Some(why)),
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
    // names of conditions are known or wrong when they are read
    let suggestions = Suggestions::default();
    let prepared: Vec<Prepared<'_>> = grounds.iter().map(|ground| Prepared::new(&ground.rsm)).collect();
    let mut questions: Vec<Vec<(Place, (Question, Way))>> = structures.iter().map(|_| Vec::new()).collect();
    for one in asked {
        let number = structures.binary_search(&one.structure).expect("every structure is listed");
        let mut question = question(file, machine.as_ref(), &one);
        let planner = Planner::new(&prepared[number], options, &suggestions);
        let planning = match machine {
            Some(_) => Planning::Machine(&planner),
            None => Planning::NoMachine { is_finite: !file.is_recursive(), options },
        };
        match planning.way(&question) {
            Ok(way) => {
                question.name = one.name;
                question.source = one.source;
                let place = Place { number: one.place, instance: one.instance };
                questions[number].push((place, (question, way)));
            }
            Err(Refusal::Wrong(found)) => problems.add(one.input.clone(), one.placed(&found)),
            Err(refused) => {
                let problem = one.problem(words::refusal(&refused));
                problems.add(one.input.clone(), problem.into());
            }
        }
    }
    drop(prepared);
    for (ground, questions) in grounds.iter_mut().zip(questions) {
        for (place, (question, way)) in questions {
            ground.places.push(place);
            ground.questions.push(question);
            ground.ways.push(way);
        }
    }
    let rsm = match (&machine, grounds.first()) {
        (_, Some(ground)) if peer.is_some() => ground.rsm.clone(),
        (Some(machine), _) => machine.rsm.clone(),
        (None, _) => nothing(),
    };
    Some(Grounds { rsm, list: grounds, stopped })
}

/// What is asked, in terms of a machine, if there is one.
fn question(file: &SmvFile, machine: Option<&SmvMachine>, one: &Asked) -> Question {
    let fair = one.fairness(file, machine);
    let formula = |wish: Wish| match machine {
        Some(machine) => machine.formula(wish).clone(),
        None => file.property(wish).formula.clone(),
    };
    let mut question = match &one.what {
        What::Formula(logic, wish) => Question::fair(*logic, &one.text, formula(*wish), fair),
        What::Distance(longest, [from, to]) => {
            Question::distance(&one.text, *longest, (formula(*from), formula(*to)), fair)
        }
        What::Unsupported(logic, what) => Question::unsupported(*logic, &one.text, what),
        What::Automaton(hoa, wishes) => {
            let mut hoa = (**hoa).clone();
            if let Some(machine) = machine {
                hoa.propositions = wishes.iter().map(|&wish| machine.label(wish)).collect();
            }
            Question::automaton(&one.text, hoa, fair)
        }
    };
    question.is_carried |= one.is_carried;
    question.unknown_atoms = UnknownAtoms::False;
    question
}
