//! Questions about a Java program, each asked of a machine that has the labels it can see.

mod asked;
mod labels;

pub(crate) use asked::sought;
pub(crate) use labels::Labels;

use crate::Request;
use crate::asked::{Asking, Language};
use crate::inquiry::{Case, Inquiry};
use asked::{Group, grouped};
use loris_check::{Machine, Model, Peer, UnknownAtoms};
use loris_java::extract::{Choice, Pattern};
use loris_load::{Input, JavaOptions, JavaProgram, Origin, Reading, composed, peer};
use std::path::PathBuf;
use std::sync::Arc;

/// Reads a program and the questions about it, and plans how they are answered. Problems are added
/// to the reading.
pub(crate) fn inquire(
    paths: &[PathBuf],
    origin: &Origin,
    request: &Request<'_>,
    reading: &mut Reading,
) -> Option<Inquiry> {
    let [path, also @ ..] = paths else { return None };
    let suggest = request.unknown_atoms != Some(UnknownAtoms::False);
    let options = JavaOptions { also: also.to_vec(), suggest, ..origin.java.clone() };
    let program = JavaProgram::read(path, &options, reading);
    // problems of the peer are reported together with those of the program
    let peer = peer(origin, reading);
    let program = program.filter(|_| peer.is_some() == origin.with.is_some());
    let mut stopped = if program.is_none() { reading.take_stopped() } else { None };
    if stopped.is_some() {
        // questions about a program that was not read stay unknown, and can be reported
        reading.budget = reading.budget.bytes_only();
    }
    let language = match (&program, &stopped) {
        (Some(_), _) => Language::Program,
        (None, Some(_)) => Language::AnyLabels,
        (None, None) => Language::NoLabels,
    };
    let source = reading.budget.used();
    let asked = Asking::new(request, language, reading).all();
    let questions = reading.budget.used() - source;
    if let (Some(stopped), true) = (&stopped, asked.is_empty()) {
        reading.stop(&Input::named(stopped.input.as_deref().unwrap_or_default()), stopped.why);
    }
    if program.is_none() && stopped.is_none() {
        return None;
    }
    let mut cases = Vec::new();
    if let Some(program) = program {
        let machines = Machines { program: &program, options, peer: peer.as_ref(), origin };
        let (source, mut held) = (reading.budget.used(), 0);
        let input = Input::named(&path.display().to_string());
        for group in grouped(asked, origin.java.granularity, peer.as_ref(), request.shard) {
            let made = machines.of(&group, &input, reading);
            held += made.as_ref().map_or(0, Model::bytes);
            // what making a machine took is given back, whether there is one or not
            if let Err(why) = reading.budget.settle(source + held) {
                reading.stop(&input, why);
            }
            match (made, reading.take_stopped()) {
                (Some(model), None) => cases.push(Case::of(Some(model), group.asked, request, reading)),
                (made, Some(why)) => {
                    held -= made.as_ref().map_or(0, Model::bytes);
                    stopped = stopped.or(Some(why));
                    cases.push(Case::of(None, group.asked, request, reading));
                }
                (None, None) => return None,
            }
        }
        // from here on there are the machines, and no longer their source
        if let Err(why) = reading.budget.hold(held + questions) {
            reading.stop(&input, why);
        }
    } else {
        cases.push(Case::of(None, asked, request, reading));
    }
    let model = cases.iter().find_map(|case| case.model.clone());
    let stopped = stopped.map(|stopped| stopped.why);
    Some(Inquiry { model, cases, stopped })
}

/// Machines of a program.
struct Machines<'a> {
    program: &'a JavaProgram,
    options: JavaOptions,
    peer: Option<&'a Peer>,
    origin: &'a Origin,
}

impl Machines<'_> {
    /// The machine that a group of questions is asked of, and how it was made. Problems are added
    /// to the reading.
    fn of(&self, group: &Group, input: &Input, reading: &mut Reading) -> Option<Model> {
        let labels = Choice::Matching(group.labels.iter().map(|name| Pattern::new(name)).collect());
        let options = JavaOptions { labels, ..self.options.clone() };
        let made = self.program.recorded(&options, reading);
        let (rsm, record) = made.map_err(|why| reading.stop(input, why)).ok()?;
        let rsm = match self.peer {
            Some(peer) => composed(&rsm, peer, self.origin, reading)?,
            None => rsm,
        };
        Some(Model::Machine(Machine { rsm, program: Some(Arc::from(record)) }))
    }
}
