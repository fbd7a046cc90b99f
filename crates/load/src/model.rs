//! Models: their formats, how they are read, and the peer they may be composed with.

use crate::format::Format;
use crate::format::PeerFormat;
use crate::java;
use crate::origin::Origin;
use crate::reading::{Input, Reading, Text, unreadable};
use crate::smv::{self, SmvFile};
use crate::source::exhausted;
use loris_base::{Budget, Diagnostic, Diagnostics, Stopped};
use loris_check::{Peer, compose};
use loris_logic::Fairness;
use loris_logic::automaton::parse_hoa_within;
use loris_lts::read_transitions;
use loris_rsm::{
    CarriedProperty, Pds, ReadError, Recovery, Rsm, Semantics, read_pdmu_from, read_pds_from,
    read_rsm_json_within,
};
use loris_smv::Labels;
use std::io::Read;
use std::path::Path;

/// A model that was read: a machine, with its properties and the names of its input.
#[derive(Debug)]
pub struct ReadMachine {
    /// The machine.
    pub rsm: Rsm,
    /// The format of its input.
    pub format: Format,
    /// How it was made of a program, as a JSON object, if it was.
    pub program: Option<String>,
    /// The properties it carries.
    pub properties: Vec<CarriedProperty>,
    /// Of an SMV model, the module and the instance of each.
    pub places: Vec<(String, String)>,
    /// The states of the peer it was composed with, which are labels; none without one.
    pub states: Vec<String>,
    /// The labels that this peer reads.
    pub heard: Vec<String>,
    /// Which runs count.
    pub fairness: Fairness,
    /// For messages about its properties.
    pub input: Input,
}

/// A model in the form of its file.
pub(crate) enum Parsed {
    /// A machine.
    Rsm(Box<Rsm>),
    /// A machine of a Java program, and how it was made, as a JSON object.
    Java(Box<Rsm>, String),
    /// A pushdown system.
    Pds(Box<Pds>),
    /// Modules.
    Smv(Box<SmvFile>),
}

/// Reads a model with its peer; problems are added to the reading. Of an SMV model, definitions are
/// labels.
pub fn model(path: &Path, format: Format, origin: &Origin, reading: &mut Reading) -> Option<ReadMachine> {
    let parsed = parse(path, format, origin, reading);
    // problems of the peer are reported together with those of the model
    let peer = peer(origin, reading);
    let (parsed, input) = parsed?;
    let (mut places, mut program) = (Vec::new(), None);
    let (rsm, properties, fairness) = match parsed {
        Parsed::Rsm(rsm) => (*rsm, Vec::new(), Fairness::default()),
        Parsed::Java(rsm, record) => {
            program = Some(record);
            (*rsm, Vec::new(), Fairness::default())
        }
        Parsed::Pds(mut pds) => {
            let properties = std::mem::take(&mut pds.properties);
            (machine(*pds, &input, origin.semantics, reading)?, properties, Fairness::default())
        }
        Parsed::Smv(mut file) => {
            file.goes_with(peer.as_ref());
            let built = file.build(Labels::All, &origin.limits(), &mut reading.budget);
            let built = built.map_err(|stopped| smv::wrong(stopped, &input, reading)).ok()?;
            places = smv::places(&file);
            reading.add(input.clone(), built.remarks.clone());
            let fairness = built.fairness(file.root).clone();
            (built.rsm, smv::carried_properties(&file), fairness)
        }
    };
    let (rsm, states, heard) = match (&origin.with, peer) {
        (None, _) => (rsm, Vec::new(), Vec::new()),
        (Some(_), peer) => {
            let peer = peer?;
            (composed(&rsm, &peer, origin, reading)?, peer.states().to_vec(), peer.atoms().to_vec())
        }
    };
    // from here on there is the machine, and no longer its source
    if let Err(why) = reading.budget.hold(rsm.bytes()) {
        reading.stop(&input, why);
        return None;
    }
    Some(ReadMachine { rsm, format, program, properties, places, states, heard, fairness, input })
}

/// A machine that is composed with a peer, or why that cannot be.
pub fn composed(rsm: &Rsm, peer: &Peer, origin: &Origin, reading: &mut Reading) -> Option<Rsm> {
    let name = origin.with.as_ref().map(|with| with.display().to_string()).unwrap_or_default();
    let input = Input::named(&name);
    let budget = &mut reading.budget;
    let held = budget.hold(rsm.bytes()).map_err(Stopped::from);
    let composed = match held.and_then(|()| compose(rsm, peer, &origin.semantics, budget)) {
        Ok((composed, remarks)) => Ok((composed, without_places(&remarks))),
        Err(Stopped::Wrong(errors)) => Err(Stopped::Wrong(without_places(&errors))),
        Err(exhausted) => Err(exhausted),
    };
    made(composed, &input, reading)
}

/// Reads a model in the form of its file; problems are added to the reading.
pub(crate) fn parse(
    path: &Path,
    format: Format,
    origin: &Origin,
    reading: &mut Reading,
) -> Option<(Parsed, Input)> {
    if let Some(module) = origin.module.as_ref().filter(|_| !format.kind().has_modules()) {
        let problem = Diagnostic::error(0, module.len(), "only SMV models have modules");
        reading.add(Input::text(reading.words.module, module), problem.into());
    }
    match format {
        Format::Rsm => {
            let read = |source: Box<dyn Read + '_>, budget: &mut Budget| {
                read_rsm_json_within(source, &origin.semantics, budget)
            };
            let (rsm, input) = streamed(path, read, reading)?;
            Some((Parsed::Rsm(Box::new(rsm)), input))
        }
        Format::Java => {
            let (rsm, record, input) = java::machine(path, origin, reading)?;
            Some((Parsed::Java(Box::new(rsm), record), input))
        }
        Format::Smv => {
            let file = SmvFile::read(path, origin.module.as_deref(), reading)?;
            let input = file.input.clone();
            Some((Parsed::Smv(Box::new(file)), input))
        }
        Format::Pds | Format::Pdmu => {
            let read = |source: Box<dyn Read + '_>, budget: &mut Budget| {
                let read = match format {
                    Format::Pdmu => read_pdmu_from(source, budget),
                    _ => read_pds_from(source, budget),
                };
                read.map(|pds| (pds, Diagnostics::default()))
            };
            let (pds, input) = streamed(path, read, reading)?;
            Some((Parsed::Pds(Box::new(pds)), input))
        }
        other => {
            let (message, help) = other.kind().no_machine()?;
            let problem = Diagnostic::global(message);
            let problem = help.into_iter().fold(problem, Diagnostic::help);
            reading.add(Input::named(&path.display().to_string()), problem.into());
            None
        }
    }
}

/// Reads a file as a stream; problems are added to the reading.
pub(crate) fn streamed<T>(
    path: &Path,
    read: impl FnOnce(Box<dyn Read + '_>, &mut Budget) -> Result<(T, Diagnostics), ReadError>,
    reading: &mut Reading,
) -> Option<(T, Input)> {
    let (read, input) = reading.stream(path, read);
    let read = read.map_err(ReadError::Io).flatten().map_err(|error| match error {
        ReadError::Io(error) => match exhausted(&error) {
            Some(why) => Stopped::Exhausted(why),
            None => Stopped::Wrong(unreadable(path, &error)),
        },
        ReadError::Invalid(errors) => Stopped::Wrong(errors),
        ReadError::Exhausted(why) => Stopped::Exhausted(why),
    });
    Some((made(read, &input, reading)?, input))
}

/// The result of reading an input, if there is one; its problems and remarks are added to the
/// reading.
fn made<T>(made: Result<(T, Diagnostics), Stopped>, input: &Input, reading: &mut Reading) -> Option<T> {
    match made {
        Ok((made, remarks)) => {
            reading.add(input.clone(), remarks);
            return Some(made);
        }
        Err(Stopped::Wrong(errors)) => reading.add(input.clone(), errors),
        Err(Stopped::Exhausted(why)) => reading.stop(input, why),
    }
    None
}

/// The machine of a pushdown system, or why there is none.
fn machine(pds: Pds, input: &Input, semantics: Semantics, reading: &mut Reading) -> Option<Rsm> {
    let built = pds.into_rsm_within(&semantics, Recovery::default(), &mut reading.budget);
    made(built, input, reading)
}

/// Reads the peer of a call, if there is one.
pub fn peer(origin: &Origin, reading: &mut Reading) -> Option<Peer> {
    let path = origin.with.as_deref()?;
    let Text { input, content, problems: found } = reading.text(path)?;
    let budget = &mut reading.budget;
    let read = match Reading::peer_format(path, &content) {
        _ if !found.is_empty() => Err(found.into()),
        Ok(PeerFormat::Aut) => read_transitions(content.as_bytes(), budget)
            .map(|found| Peer::from_lts(found.initial, found.states, &found.edges)),
        Ok(PeerFormat::Hoa) => parse_hoa_within(&content, budget).map(|hoa| Peer::from_hoa(&hoa)),
        Err(unknown) => Err(unknown.into()),
    };
    made(read.map(|peer| (peer, Diagnostics::default())), &input, reading)
}

/// Problems of a composition have no place in one file.
fn without_places(problems: &Diagnostics) -> Diagnostics {
    let mut placeless = Diagnostics::default();
    for problem in problems.sorted() {
        placeless.push(Diagnostic { offset: None, ..problem.clone() });
    }
    placeless
}
