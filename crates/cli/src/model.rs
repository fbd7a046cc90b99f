//! Models: their formats, how they are read, and the peer they may be composed with.

use crate::flags::Readings;
use crate::format::PeerFormat;
pub(crate) use crate::format::{FORMATS, Format};
use crate::input::{self, Input, Problems, Text, unreadable};
use crate::smv::{self, SmvFile};
use crate::source::exhausted;
use loris_base::{Budget, Diagnostic, Diagnostics, Explored, Stopped};
use loris_check::{Peer, compose};
use loris_logic::Fairness;
use loris_logic::automaton::{parse_aut_within, parse_hoa_within};
use loris_rsm::{
    Pds, Property, ReadError, Recovery, Rsm, Semantics, read_pdmu_within, read_pds_within,
    read_rsm_json_within,
};
use loris_smv::{Labels, Limits};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// How a model is read.
#[derive(clap::Args, Clone)]
pub(crate) struct Origin {
    /// Composes the model with a finite-state peer that reads its labels: an automaton in HOA, or a labelled
    /// transition system in the Aldébaran format (.aut)
    ///
    /// Nodes are then named NODE@STATE and carry the state of the peer as a label. States have the names that a
    /// HOA file gives them; those without a name, or with a number for one, are `peer_0`, `peer_1`, …
    #[arg(long, value_name = "FILE", help_heading = "Semantics")]
    pub(crate) with: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) readings: Readings,
    /// Where runs start, in an SMV model [default: where the property stands; else main, or the first module]
    #[arg(long, value_name = "NAME", help_heading = "Semantics")]
    pub(crate) module: Option<String>,
    /// Bounds the states that are made of an SMV model; with more, verdicts are `unknown`
    #[arg(long, value_name = "N", help_heading = "Work")]
    pub(crate) max_states: Option<usize>,
    /// how far the exploration of states has come
    #[arg(skip)]
    pub(crate) explored: Arc<Explored>,
}

impl Origin {
    /// The states that were explored, if there are any.
    pub(crate) fn states_explored(&self) -> Option<usize> {
        Some(self.explored.states()).filter(|&states| states > 0)
    }

    /// How states are made of an SMV model.
    pub(crate) fn limits(&self, semantics: Semantics) -> Limits {
        let states = self.max_states.unwrap_or(usize::MAX);
        Limits { states, dead_ends: semantics.dead_ends, merge: None, explored: Arc::clone(&self.explored) }
    }
}

/// A model that was read.
pub(crate) struct Model {
    pub(crate) rsm: Rsm,
    pub(crate) format: Format,
    /// those it carries
    pub(crate) properties: Vec<Property>,
    /// of an SMV model, the module and the instance of each
    pub(crate) places: Vec<(String, String)>,
    /// those of the peer it was composed with, which are labels; none without one
    pub(crate) states: Vec<String>,
    /// which runs count
    pub(crate) fairness: Fairness,
    /// to show what is wrong with these
    pub(crate) input: Input,
    /// whether it is what the file says, and not a stand-in
    pub(crate) is_read: bool,
}

impl Model {
    /// A stand-in for a model that was not read.
    pub(crate) fn nothing() -> Self {
        Self {
            rsm: smv::nothing(),
            format: Format::Rsm,
            properties: Vec::new(),
            places: Vec::new(),
            states: Vec::new(),
            fairness: Fairness::default(),
            input: Input::named(""),
            is_read: false,
        }
    }
}

/// A model as its file says it.
pub(crate) enum Parsed {
    Rsm(Box<Rsm>),
    Pds(Box<Pds>),
    Smv(Box<SmvFile>),
}

/// Reads a model with its peer, or tells why not. Of an SMV model, definitions are labels.
pub(crate) fn model(
    path: &Path,
    format: Format,
    origin: &Origin,
    semantics: Semantics,
    problems: &mut Problems,
) -> Option<Model> {
    let parsed = parse(path, format, origin, semantics, problems);
    // what is wrong with the peer is told together with what is wrong with the model
    let peer = peer(origin, problems);
    let (parsed, input) = parsed?;
    let mut places = Vec::new();
    let (rsm, properties, fairness) = match parsed {
        Parsed::Rsm(rsm) => (*rsm, Vec::new(), Fairness::default()),
        Parsed::Pds(mut pds) => {
            let properties = std::mem::take(&mut pds.properties);
            (machine(*pds, &input, semantics, problems)?, properties, Fairness::default())
        }
        Parsed::Smv(mut file) => {
            file.goes_with(peer.as_ref());
            let built = file.build(Labels::All, &origin.limits(semantics), &mut problems.budget);
            let built = built.map_err(|stopped| smv::wrong(stopped, &input, problems)).ok()?;
            places = smv::places(&file);
            problems.add(input.clone(), built.remarks.clone());
            let fairness = built.fairness(file.root).clone();
            (built.rsm, smv::told(&file), fairness)
        }
    };
    let (rsm, states) = match (&origin.with, peer) {
        (None, _) => (rsm, Vec::new()),
        (Some(_), peer) => {
            let peer = peer?;
            (composed(&rsm, &peer, origin, semantics, problems)?, peer.states().to_vec())
        }
    };
    // from here on there is the machine, and no longer what it was made of
    if let Err(why) = problems.budget.hold(rsm.bytes()) {
        problems.stop(&input, why);
        return None;
    }
    Some(Model { rsm, format, properties, places, states, fairness, input, is_read: true })
}

/// A machine that goes along with a peer, or why that cannot be.
pub(crate) fn composed(
    rsm: &Rsm,
    peer: &Peer,
    origin: &Origin,
    semantics: Semantics,
    problems: &mut Problems,
) -> Option<Rsm> {
    let name = origin.with.as_ref().map(|with| with.display().to_string()).unwrap_or_default();
    let input = Input::named(&name);
    let budget = &mut problems.budget;
    let held = budget.hold(rsm.bytes()).map_err(Stopped::from);
    let composed = match held.and_then(|()| compose(rsm, peer, &semantics, budget)) {
        Ok((composed, remarks)) => Ok((composed, without_places(&remarks))),
        Err(Stopped::Wrong(errors)) => Err(Stopped::Wrong(without_places(&errors))),
        Err(exhausted) => Err(exhausted),
    };
    made(composed, &input, problems)
}

/// Reads a model as its file says it, or tells why not.
pub(crate) fn parse(
    path: &Path,
    format: Format,
    origin: &Origin,
    semantics: Semantics,
    problems: &mut Problems,
) -> Option<(Parsed, Input)> {
    if let Some(module) = origin.module.as_ref().filter(|_| format != Format::Smv) {
        let problem = Diagnostic::error(0, module.len(), "only SMV models have modules");
        problems.add(Input::text("--module", module), problem.into());
    }
    let read_text: fn(&str, &mut Budget) -> Result<Pds, Stopped> = match format {
        Format::Rsm => return parse_json(path, semantics, problems),
        Format::Smv => {
            let file = SmvFile::read(path, origin.module.as_deref(), problems)?;
            let input = file.input.clone();
            return Some((Parsed::Smv(Box::new(file)), input));
        }
        Format::Pds => read_pds_within,
        Format::Pdmu => read_pdmu_within,
    };
    let Text { input, content, problems: found } = input::text(path, problems)?;
    if !found.is_empty() {
        problems.add(input, found);
        return None;
    }
    let read = read_text(&content, &mut problems.budget).map(|pds| (pds, Diagnostics::default()));
    let pds = made(read, &input, problems)?;
    Some((Parsed::Pds(Box::new(pds)), input))
}

fn parse_json(path: &Path, semantics: Semantics, problems: &mut Problems) -> Option<(Parsed, Input)> {
    let (read, input) =
        problems.stream(path, |source, budget| read_rsm_json_within(source, &semantics, budget));
    let read = read.map_err(ReadError::Io).flatten().map_err(|error| match error {
        ReadError::Io(error) => match exhausted(&error) {
            Some(why) => Stopped::Exhausted(why),
            None => Stopped::Wrong(unreadable(path, &error)),
        },
        ReadError::Invalid(errors) => Stopped::Wrong(errors),
        ReadError::Exhausted(why) => Stopped::Exhausted(why),
    });
    let rsm = made(read, &input, problems)?;
    Some((Parsed::Rsm(Box::new(rsm)), input))
}

/// What was made of an input, if it was; all that is to be said about it is added to the problems.
fn made<T>(made: Result<(T, Diagnostics), Stopped>, input: &Input, problems: &mut Problems) -> Option<T> {
    match made {
        Ok((made, remarks)) => {
            problems.add(input.clone(), remarks);
            return Some(made);
        }
        Err(Stopped::Wrong(errors)) => problems.add(input.clone(), errors),
        Err(Stopped::Exhausted(why)) => problems.stop(input, why),
    }
    None
}

/// The machine of a pushdown system, or why there is none.
pub(crate) fn machine(pds: Pds, input: &Input, semantics: Semantics, problems: &mut Problems) -> Option<Rsm> {
    let built = pds.into_rsm_within(&semantics, Recovery::default(), &mut problems.budget);
    made(built, input, problems)
}

/// Reads the peer of a call, if there is one.
pub(crate) fn peer(origin: &Origin, problems: &mut Problems) -> Option<Peer> {
    let path = origin.with.as_deref()?;
    let Text { input, content, problems: found } = input::text(path, problems)?;
    let budget = &mut problems.budget;
    let read = match Problems::peer_format(path, &content) {
        _ if !found.is_empty() => Err(found.into()),
        Ok(PeerFormat::Aut) => parse_aut_within(&content, budget).map(|lts| Peer::from_lts(&lts)),
        Ok(PeerFormat::Hoa) => parse_hoa_within(&content, budget).map(|hoa| Peer::from_hoa(&hoa)),
        Err(unknown) => Err(unknown.into()),
    };
    made(read.map(|peer| (peer, Diagnostics::default())), &input, problems)
}

/// Problems of a composition have no place in one file.
fn without_places(problems: &Diagnostics) -> Diagnostics {
    let mut placeless = Diagnostics::default();
    for problem in problems.sorted() {
        placeless.push(Diagnostic { offset: None, ..problem.clone() });
    }
    placeless
}
