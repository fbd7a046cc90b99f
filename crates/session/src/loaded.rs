//! Models that are read once and asked many times.

use crate::Request;
use crate::inquire::{inquire, of_read_circuit, of_read_machine, of_read_processes};
use crate::inquiry::Inquiry;
use crate::sought::{Sought, in_read_circuit, in_read_machine, seek};
use loris_base::Diagnostic;
use loris_check::{Logic, Machine, Model, Processes};
use loris_load::smv::SmvFile;
use loris_load::{
    CircuitModel, Conversion, Format, FormatKind, Input, Origin, OutputFormat, ReadMachine, Reading, circuit,
    exhausted, machine, parallel, unreadable,
};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// A model in memory, for front ends that ask several times. Later changes of its files have no
/// influence, with one exception: the files of a Java program are read for each question, as its
/// machine depends on what is asked.
///
/// ```
/// use loris_check::Options;
/// use loris_load::{Origin, Reading, Words};
/// use loris_session::{Loaded, Request};
/// let reading = || Reading::new(loris_base::Budget::unlimited(), Words::default());
/// let mut first = reading();
/// first.provide("light.smv".into(), b"MODULE main VAR on : boolean;".as_slice());
/// let model = Loaded::read(&["light.smv".into()], None, Origin::default(), &mut first).unwrap();
/// let (formulas, options) = (["EF on".to_owned()], Options::default());
/// let request = Request { formulas: &formulas, ..Request::new(&options) };
/// let inquiry = model.inquire(&model.origin_of_call(), &request, &mut reading()).unwrap();
/// assert_eq!(inquiry.cases[0].questions.len(), 1);
/// ```
#[derive(Debug)]
pub struct Loaded {
    paths: Vec<PathBuf>,
    format: Format,
    origin: Origin,
    content: Content,
    /// the bytes of the file, where something may have to be read again
    bytes: Option<Arc<[u8]>>,
}

#[derive(Debug)]
enum Content {
    Machine(Box<ReadMachine>),
    Circuit(CircuitModel),
    Processes(Processes),
    /// what is made of the files depends on what is asked
    Files,
}

impl Loaded {
    /// Reads a model. Problems are added to the reading.
    pub fn read(
        paths: &[PathBuf],
        format: Option<Format>,
        origin: Origin,
        reading: &mut Reading,
    ) -> Option<Self> {
        let [path, others @ ..] = paths else {
            reading.add(Input::named(""), Diagnostic::global("no model is given").into());
            return None;
        };
        let format = reading.format(path, format)?;
        let is_single = others.is_empty() && !format.kind().is_program() && !format.kind().is_parallel();
        let bytes = if is_single { Some(kept(path, reading)?) } else { None };
        let content = match format.kind() {
            FormatKind::Program => Content::Files,
            _ if !others.is_empty() => Content::Processes(parallel(paths, None, &origin, reading)?),
            FormatKind::Machine => Content::Machine(Box::new(machine(path, format, &origin, reading)?)),
            FormatKind::Circuit => Content::Circuit(circuit(path, &origin, reading)?),
            FormatKind::Processes => Content::Processes(parallel(paths, Some(format), &origin, reading)?),
            FormatKind::Modules => {
                SmvFile::read(path, origin.module.as_deref(), reading)?;
                Content::Files
            }
        };
        (!reading.has_errors()).then(|| Self { paths: paths.to_vec(), format, origin, content, bytes })
    }

    /// The format of its files.
    pub fn format(&self) -> Format {
        self.format
    }

    /// The paths of its files, as they were given.
    pub fn paths(&self) -> &[PathBuf] {
        &self.paths
    }

    /// How it is read.
    pub fn origin(&self) -> &Origin {
        &self.origin
    }

    /// The model, unless it depends on what is asked.
    pub fn model(&self) -> Option<Model> {
        match &self.content {
            Content::Machine(read) => {
                let program = read.program.as_deref().map(Arc::from);
                Some(Model::Machine(Machine { rsm: read.rsm.clone(), program }))
            }
            Content::Circuit(read) => {
                let circuit = Arc::clone(&read.circuit);
                Some(Model::Symbolic(circuit))
            }
            Content::Processes(processes) => Some(Model::Processes(processes.clone())),
            Content::Files => None,
        }
    }

    /// How it is read for one call, whose states are counted by themselves.
    pub fn origin_of_call(&self) -> Origin {
        Origin { explored: Arc::default(), ..self.origin.clone() }
    }

    /// Reads questions about the model, and plans how they are answered; the states that are made
    /// for them are counted in `origin`. Problems are added to the reading.
    pub fn inquire(&self, origin: &Origin, request: &Request<'_>, reading: &mut Reading) -> Option<Inquiry> {
        self.provide(reading);
        let is_given = !request.formulas.is_empty() || !request.files.is_empty();
        let is_mu = request.logic == Some(Logic::Mu) && is_given;
        Some(match &self.content {
            Content::Machine(model) => of_read_machine(model, request, reading),
            Content::Processes(model) => of_read_processes(model, request, reading),
            // the mu-calculus is decided on components, which depend on the names in the formulas
            Content::Circuit(model) if !is_mu => of_read_circuit(model, request, reading),
            Content::Circuit(_) | Content::Files => {
                return inquire(&self.paths, self.format, origin, request, reading);
            }
        })
    }

    /// Finds where a path is to lead and to start; the states that are made for it are counted in
    /// `origin`. Problems are added to the reading.
    pub fn seek(
        &self,
        origin: &Origin,
        names: (Option<&str>, Option<&str>),
        reading: &mut Reading,
    ) -> Option<Sought> {
        self.provide(reading);
        match &self.content {
            Content::Machine(model) => Some(in_read_machine(model, names, reading)),
            Content::Circuit(model) => in_read_circuit(&model.circuit, names.0, reading),
            _ => seek((&self.paths[0], self.format), origin, names, reading),
        }
    }

    /// Prepares the model to be written in another format. Problems are added to the reading.
    pub fn convert(&self, to: OutputFormat, reading: &mut Reading) -> Option<Conversion> {
        self.provide(reading);
        Conversion::read((&self.paths[0], self.format), to, &self.origin, reading)
    }

    /// The bytes of a file of the model, if they are in memory.
    pub fn bytes_of(&self, path: &Path) -> Option<&[u8]> {
        self.bytes.as_deref().filter(|_| self.paths.first().is_some_and(|first| first == path))
    }

    fn provide(&self, reading: &mut Reading) {
        if let Some(bytes) = &self.bytes {
            reading.provide(self.paths[0].clone(), Arc::clone(bytes));
        }
    }
}

/// Reads the bytes of a file, which stand for its content from then on.
fn kept(path: &Path, reading: &mut Reading) -> Option<Arc<[u8]>> {
    match reading.bytes(path) {
        Ok(bytes) => {
            let bytes: Arc<[u8]> = bytes.into();
            reading.provide(path.to_owned(), Arc::clone(&bytes));
            Some(bytes)
        }
        Err(error) => {
            let input = Input::named(&path.display().to_string());
            match exhausted(&error) {
                Some(why) => reading.stop(&input, why),
                None => reading.add(input, unreadable(path, &error)),
            }
            None
        }
    }
}
