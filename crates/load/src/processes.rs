//! Parallel processes: files of single processes, and files that put them together.

use crate::circuit::CircuitModel;
use crate::format::Format;
use crate::origin::Origin;
use crate::parts::{Part, circuit_part, machine_part, settled, together};
use crate::reading::{Input, Reading};
use crate::source::read_all;
use loris_base::{Budget, Diagnostic, Diagnostics, Stopped};
use loris_check::Processes;
use loris_logic::mu::DeadEnds;
use loris_lts::{
    Composition, Description, Process, ProcessSource, StateInputs, System, circuit_process, read_aut,
    read_composition, read_kmts, read_pnml,
};
use loris_rsm::ReadError;
use std::collections::BTreeSet;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Reads processes from files, or from one file that lists them. Problems are added to the
/// reading.
pub fn parallel(
    paths: &[PathBuf],
    format: Option<Format>,
    origin: &Origin,
    reading: &mut Reading,
) -> Option<Processes> {
    if let Some(module) = &origin.module {
        let message = "only an SMV model on its own starts in a module of choice";
        let problem = Diagnostic::error(0, module.len(), message);
        reading.add(Input::text(reading.words.module, module), problem.into());
    }
    if origin.with.is_some() {
        let problem = Diagnostic::global("processes are not composed with a peer: list it as a process");
        reading.add(Input::named(reading.words.peer), problem.into());
    }
    let listed = match paths {
        [path] => match reading.format(path, format)? {
            Format::Composition => Some(composition(path, origin, reading)?),
            Format::Pnml => {
                let parts = net(path, true, reading)?.into_iter().map(Arc::new).collect();
                Some((Composition { processes: parts, hidden: Vec::new() }, false))
            }
            _ => None,
        },
        _ => None,
    };
    let (composition, starts) = if let Some(listed) = listed {
        listed
    } else {
        // all are read, so that the problems of all are reported
        let parts: Vec<Option<Part>> =
            paths.iter().map(|path| part(path, &stem(path), format, origin, reading)).collect();
        let (parts, starts) = together(parts.into_iter().collect::<Option<Vec<Part>>>()?, reading)?;
        let parts = unlike(parts).into_iter().map(Arc::new).collect();
        (Composition { processes: parts, hidden: Vec::new() }, starts)
    };
    assembled(composition, starts, &paths[0], origin, reading)
}

/// A circuit as a process, with these inputs as part of its states. Problems are added to the
/// reading.
pub fn one_circuit(
    path: &Path,
    model: &CircuitModel,
    inputs: &[bool],
    origin: &Origin,
    reading: &mut Reading,
) -> Option<Processes> {
    let made = circuit_process(&model.circuit, &stem(path), StateInputs::These(inputs), &mut reading.budget);
    let started = settled(made, &model.input, reading)?;
    let (parts, starts) = together(vec![(ProcessSource::Started(started), model.input.clone())], reading)?;
    let parts = parts.into_iter().map(Arc::new).collect();
    assembled(Composition { processes: parts, hidden: Vec::new() }, starts, path, origin, reading)
}

/// What CTL means at dead ends of processes.
pub fn dead_ends(origin: &Origin) -> DeadEnds {
    match origin.semantics.dead_ends {
        loris_rsm::DeadEnds::Error => DeadEnds::Maximal,
        loris_rsm::DeadEnds::Loop => DeadEnds::Loop,
        loris_rsm::DeadEnds::Stop => DeadEnds::Stop,
    }
}

/// Puts processes together. Problems are added to the reading.
fn assembled(
    composition: Composition,
    starts: bool,
    path: &Path,
    origin: &Origin,
    reading: &mut Reading,
) -> Option<Processes> {
    let input = Input::named(&path.display().to_string());
    if origin.refuses_dead_ends {
        let message = "dead ends of processes are not looked for, and cannot be refused";
        let problem = Diagnostic::global(message).help("`[true*]<true>tt` holds if there is none");
        reading.add(input, problem.into());
        return None;
    }
    let Composition { processes: parts, hidden } = composition;
    let bytes: usize = parts.iter().map(|part| part.bytes()).sum();
    let system = reading.budget.hold(bytes).and_then(|()| {
        if starts {
            System::starting(parts, &hidden, &mut reading.budget)
        } else {
            Ok(System::new(parts, &hidden))
        }
    });
    match system {
        Ok(Ok(system)) => Some(Processes { system: Arc::new(system), dead_ends: dead_ends(origin) }),
        Ok(Err(misfit)) => {
            reading.add(input, Diagnostic::global(misfit.to_string()).into());
            None
        }
        Err(why) => {
            reading.stop(&input, why);
            None
        }
    }
}

/// Processes with names of their own: one file may be given several times.
fn unlike(parts: Vec<Process>) -> Vec<Process> {
    let mut taken: BTreeSet<String> = BTreeSet::new();
    let numbered = |part: Process| {
        let name = part.name().to_owned();
        let names = std::iter::once(name.clone()).chain((2..).map(|number| format!("{name}#{number}")));
        let free = names.into_iter().find(|name| !taken.contains(name)).unwrap_or(name);
        taken.insert(free.clone());
        part.named(free)
    };
    parts.into_iter().map(numbered).collect()
}

/// Reads one process in a format. Problems are added to the reading.
pub fn single_process(path: &Path, format: Format, reading: &mut Reading) -> Option<Process> {
    process(path, &stem(path), Some(format), reading)
}

/// Reads a Petri net and cuts it into processes, whose states are labelled with places if `labels`
/// is true. Problems and remarks are added to the reading.
pub fn net(path: &Path, labels: bool, reading: &mut Reading) -> Option<Vec<Process>> {
    let parse = |text: &[u8], budget: &mut Budget| {
        let cut = read_pnml(text, budget)?.cut(labels, budget)?;
        Ok((cut.processes, cut.notes))
    };
    read(path, parse, reading)
}

/// The name of a process that has none: that of its file.
fn stem(path: &Path) -> String {
    path.file_stem().map_or_else(|| path.display().to_string(), |stem| stem.to_string_lossy().into_owned())
}

/// A process, or a machine that becomes one.
fn part(
    path: &Path,
    name: &str,
    format: Option<Format>,
    origin: &Origin,
    reading: &mut Reading,
) -> Option<Part> {
    let format = reading.format(path, format)?;
    match format {
        Format::Smv | Format::Rsm | Format::Pds | Format::Pdmu | Format::Java => {
            machine_part(path, name, format, origin, reading)
        }
        Format::Aiger => circuit_part(path, name, origin, reading),
        Format::Aut | Format::Kmts | Format::Composition | Format::Pnml => {
            let process = process(path, name, Some(format), reading)?;
            let input = Input::named(process.name());
            Some((ProcessSource::Process(process), input))
        }
    }
}

/// One process.
fn process(path: &Path, name: &str, format: Option<Format>, reading: &mut Reading) -> Option<Process> {
    let format = reading.format(path, format)?;
    match format {
        Format::Aut => read(path, |text, budget| read_aut(text, name, budget), reading),
        Format::Kmts => {
            let read_it = |text: &[u8], budget: &mut Budget| {
                read_kmts(text, name, budget).map(|process| (process, Diagnostics::default()))
            };
            read(path, read_it, reading)
        }
        other => {
            let problem = Diagnostic::global(format!(
                "a model in the format {} cannot be used as a process",
                other.name()
            ));
            let problem = problem
                .help("processes are labelled transition systems (.aut) and Kripke structures (.kmts)");
            reading.add(Input::named(&path.display().to_string()), problem.into());
            None
        }
    }
}

/// Reads a whole file. Problems are added to the reading.
fn read<T>(
    path: &Path,
    parse: impl FnOnce(&[u8], &mut Budget) -> Result<(T, Diagnostics), Stopped>,
    reading: &mut Reading,
) -> Option<T> {
    let read = |source: Box<dyn Read + '_>, budget: &mut Budget| {
        let bytes = read_all(source, 0, budget).map_err(ReadError::Io)?;
        parse(&bytes, budget).map_err(|stopped| match stopped {
            Stopped::Wrong(problems) => ReadError::Invalid(problems),
            Stopped::Exhausted(why) => ReadError::Exhausted(why),
        })
    };
    Some(crate::model::streamed(path, read, reading)?.0)
}

/// A file that lists processes, with the files that it names, and whether they begin with a step
/// to their initial states.
fn composition(path: &Path, origin: &Origin, reading: &mut Reading) -> Option<(Composition, bool)> {
    let parse = |text: &[u8], budget: &mut Budget| {
        read_composition(text, budget).map(|description| (description, Diagnostics::default()))
    };
    let description: Description = read(path, parse, reading)?;
    let folder = path.parent().unwrap_or(Path::new(""));
    // one file may be several parts
    let mut parts = Vec::with_capacity(description.parts.len());
    for one in &description.parts {
        parts.push(part(&folder.join(&one.path.text), &one.name.text, None, origin, reading));
    }
    let (processes, starts) = together(parts.into_iter().collect::<Option<Vec<Part>>>()?, reading)?;
    let input = Input::file(path);
    match description.assemble(processes, &mut reading.budget) {
        Ok(composition) => Some((composition, starts)),
        Err(Stopped::Wrong(problems)) => {
            reading.add(input, problems);
            None
        }
        Err(Stopped::Exhausted(why)) => {
            reading.stop(&input, why);
            None
        }
    }
}
