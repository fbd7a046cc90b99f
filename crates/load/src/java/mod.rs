//! Java programs: their files, and machines made of them.

mod record;
mod sources;

pub use record::programs;
pub use sources::JavaSources;

use crate::origin::{JavaOptions, Origin};
use crate::reading::{Input, Reading, unreadable};
use crate::source::exhausted;
use loris_base::{Diagnostic, Exhausted, Severity};
use loris_java::archive::{Given, class_files};
use loris_java::calls::{CallGraph, CallOptions, Entries, methods_named};
use loris_java::extract::{Choice, ExtractOptions, Pattern, extract, labels};
use loris_java::throws::{ThrowOptions, Throws};
use loris_java::{ClassOrigin, LoadOptions, MethodId, Problem, Program};
use loris_rsm::Rsm;
use std::io;
use std::path::{Path, PathBuf};

/// A Java program that was read.
#[derive(Debug)]
pub struct JavaProgram {
    /// Its classes.
    pub program: Program,
    /// Its calls.
    pub graph: CallGraph,
    /// Its exceptions.
    pub throws: Throws,
}

/// The files of a Java program and of its libraries, as they are.
#[derive(Debug)]
pub struct JavaFiles {
    given: Vec<Given>,
    /// the first file or folder
    input: Input,
}

impl JavaFiles {
    /// Reads the files of a program and of libraries: class files and archives, and all of these in
    /// folders. Problems are added to the reading.
    pub fn read<P: AsRef<Path>, L: AsRef<Path>>(
        own: &[P],
        libraries: &[L],
        reading: &mut Reading,
    ) -> Option<Self> {
        let files = own.iter().map(|path| (path.as_ref(), ClassOrigin::Application));
        let files = files.chain(libraries.iter().map(|path| (path.as_ref(), ClassOrigin::Library)));
        let given = java_files(files, reading)?;
        let input = Input::named(&own.first()?.as_ref().display().to_string());
        Some(Self { given, input })
    }

    /// The files in their order: path, origin and content.
    pub fn contents(&self) -> impl Iterator<Item = (&str, ClassOrigin, &[u8])> {
        self.given.iter().map(|Given { path, origin, bytes }| (&**path, *origin, &**bytes))
    }

    /// The classes in them. Problems are added to the reading.
    pub fn classes(self, reading: &mut Reading) -> Option<JavaClasses> {
        match JavaClasses::of(self.given, &self.input, reading) {
            Ok(classes) => classes,
            Err(why) => {
                reading.stop(&self.input, why);
                None
            }
        }
    }
}

/// The classes of a Java program.
#[derive(Debug)]
pub struct JavaClasses {
    /// All classes, those of libraries included.
    pub program: Program,
    /// How many files could not be read.
    pub unreadable: usize,
}

impl JavaClasses {
    /// Reads the classes of a program and of libraries: class files and archives, and all of these
    /// in folders. Problems are added to the reading.
    pub fn read<P: AsRef<Path>, L: AsRef<Path>>(
        own: &[P],
        libraries: &[L],
        reading: &mut Reading,
    ) -> Option<Self> {
        JavaFiles::read(own, libraries, reading)?.classes(reading)
    }

    fn of(given: Vec<Given>, input: &Input, reading: &mut Reading) -> Result<Option<Self>, Exhausted> {
        let files = class_files(given, &mut reading.budget)?;
        let has_classes = !files.inputs.is_empty();
        let loaded = Program::load_within(files.inputs, &LoadOptions::default(), &mut reading.budget)?;
        let program = loaded.program;
        let problems: Vec<Problem> = files.problems.into_iter().chain(loaded.problems).collect();
        let is_program = program.classes().any(|class| program.origin(class) == ClassOrigin::Application);
        report(&problems, is_program, reading);
        if !is_program {
            let message =
                if has_classes { "no class of it can be read" } else { "there are no class files in it" };
            reading.add(input.clone(), Diagnostic::global(message).into());
            return Ok(None);
        }
        Ok(Some(Self { program, unreadable: problems.len() }))
    }
}

/// The extensions of files in folders that belong to a program.
const EXTENSIONS: [&str; 5] = ["class", "jar", "war", "ear", "jmod"];

/// Problems of class files that are shown; what is wrong with the others is like that.
const SHOWN: usize = 20;

impl JavaProgram {
    /// Reads a program. Problems are added to the reading.
    pub fn read(path: &Path, options: &JavaOptions, reading: &mut Reading) -> Option<Self> {
        let own: Vec<&Path> =
            std::iter::once(path).chain(options.also.iter().map(PathBuf::as_path)).collect();
        let JavaClasses { program, .. } = JavaClasses::read(&own, &options.library, reading)?;
        let input = Input::named(&path.display().to_string());
        match Self::of(program, options, &input, reading) {
            Ok(program) => program,
            Err(why) => {
                reading.stop(&input, why);
                None
            }
        }
    }

    fn of(
        program: Program,
        options: &JavaOptions,
        input: &Input,
        reading: &mut Reading,
    ) -> Result<Option<Self>, Exhausted> {
        let Some(entries) = entries(&program, options, reading) else { return Ok(None) };
        let calls = CallOptions { calls: options.calls, entries };
        let graph = CallGraph::new(&program, &calls, &mut reading.budget)?;
        if graph.entries().is_empty() {
            let problem = Diagnostic::global("there is no method with code where runs could start");
            reading.add(input.clone(), problem.into());
            return Ok(None);
        }
        let exceptions = ThrowOptions { runtime: options.runtime };
        let throws = Throws::new(&program, &graph, &exceptions, &mut reading.budget)?;
        Ok(Some(Self { program, graph, throws }))
    }

    /// Its machine.
    ///
    /// # Errors
    /// The budget ended.
    pub fn machine(&self, options: &JavaOptions, reading: &mut Reading) -> Result<Rsm, Exhausted> {
        let wanted = ExtractOptions { granularity: options.granularity, labels: options.labels.clone() };
        extract(&self.program, &self.graph, &self.throws, &wanted, &mut reading.budget)
    }

    /// Its machine, and how it was made, as a JSON object. If a label is to be suggested in place
    /// of one that no node has, the nodes have all labels.
    pub fn recorded(&self, options: &JavaOptions, reading: &mut Reading) -> Result<(Rsm, String), Exhausted> {
        let mut options = options.clone();
        let mut rsm = self.machine(&options, reading)?;
        let is_missing = |pattern: &Pattern| rsm.label(pattern.text()).is_none();
        if let Choice::Matching(patterns) = &mut options.labels
            && options.suggest
            && patterns.iter().any(is_missing)
        {
            drop(rsm);
            patterns.push(Pattern::new("*"));
            rsm = self.machine(&options, reading)?;
        }
        Ok((rsm, options.record()))
    }

    /// Its labels that match one of some patterns, all without patterns, with the number of places
    /// that have each; in order.
    ///
    /// # Errors
    /// The budget ended.
    pub fn labels(
        &self,
        patterns: &[String],
        reading: &mut Reading,
    ) -> Result<Vec<(String, usize)>, Exhausted> {
        let patterns: Vec<Pattern> = patterns.iter().map(|text| Pattern::new(text)).collect();
        let choice = if patterns.is_empty() { Choice::All } else { Choice::Matching(patterns) };
        labels(&self.program, &self.graph, &self.throws, &choice, &mut reading.budget)
    }
}

/// The machine of a Java program, how it was made, as a JSON object, and its input.
pub(crate) fn machine(path: &Path, origin: &Origin, reading: &mut Reading) -> Option<(Rsm, String, Input)> {
    let input = Input::named(&path.display().to_string());
    let program = JavaProgram::read(path, &origin.java, reading)?;
    let made = program.recorded(&origin.java, reading);
    let made = made.map(|(rsm, record)| (rsm, record, input.clone()));
    made.map_err(|why| reading.stop(&input, why)).ok()
}

/// Where runs start; names of methods that are wrong are added to the reading.
fn entries(program: &Program, options: &JavaOptions, reading: &mut Reading) -> Option<Entries> {
    if options.entries.is_empty() {
        return Some(Entries::Usual);
    }
    methods(program, &options.entries, reading).map(Entries::Methods)
}

/// The methods with these names or patterns; names that are wrong are added to the reading.
pub fn methods(program: &Program, names: &[String], reading: &mut Reading) -> Option<Vec<MethodId>> {
    let mut found: Vec<MethodId> = Vec::new();
    let mut is_right = true;
    for name in names {
        match methods_named(program, name) {
            Ok(methods) => found.extend(methods),
            Err(error) => {
                is_right = false;
                let problem = Diagnostic::error(0, name.len(), error.to_string());
                let problem = match &error.nearest {
                    Some(near) => problem.help(format!("did you mean \"{near}\"?")),
                    None => problem,
                };
                reading.add(Input::text(reading.words.entry, name), problem.into());
            }
        }
    }
    is_right.then_some(found)
}

/// Adds the problems of files: warnings, unless nothing is left without them.
fn report(problems: &[Problem], is_program: bool, reading: &mut Reading) {
    let severity = if is_program { Severity::Warning } else { Severity::Error };
    for problem in problems.iter().take(SHOWN) {
        let found = Diagnostic { severity, ..Diagnostic::global(problem.error.clone()) };
        reading.add(Input::named(&problem.path), found.into());
    }
    if let Some(more) = problems.len().checked_sub(SHOWN).filter(|&more| more > 0) {
        let message = format!("{more} more files cannot be read");
        let found = Diagnostic { severity, ..Diagnostic::global(message) };
        reading.add(Input::named(&problems[SHOWN].path), found.into());
    }
}

/// Reads the files of a program: class files and archives, and all of these in folders, in the
/// order of their names. Problems are added to the reading.
fn java_files<'p>(
    paths: impl Iterator<Item = (&'p Path, ClassOrigin)>,
    reading: &mut Reading,
) -> Option<Vec<Given>> {
    let mut given = Vec::new();
    for (path, origin) in paths {
        files(path, origin, &mut given, reading)?;
    }
    Some(given)
}

/// Reads a file, or all class files and archives in a folder, in the order of their names.
fn files(path: &Path, origin: ClassOrigin, given: &mut Vec<Given>, reading: &mut Reading) -> Option<()> {
    let mut work = vec![path.to_owned()];
    while let Some(path) = work.pop() {
        let read = if path.is_dir() {
            folder(&path).map(|found| work.extend(found))
        } else {
            reading
                .bytes(&path)
                .map(|bytes| given.push(Given { path: path.display().to_string(), origin, bytes }))
        };
        if let Err(error) = read {
            let input = Input::named(&path.display().to_string());
            match exhausted(&error) {
                Some(why) => reading.stop(&input, why),
                None => reading.add(input, unreadable(&path, &error)),
            }
            return None;
        }
    }
    Some(())
}

/// The folders and files of a folder that belong to a program, the last name first.
fn folder(path: &Path) -> io::Result<Vec<PathBuf>> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(path)? {
        let path = entry?.path();
        let is_wanted = crate::extension(&path).is_some_and(|extension| EXTENSIONS.contains(&&*extension));
        // links may lead back
        if is_wanted && path.is_file() || path.is_dir() && !path.is_symlink() {
            found.push(path);
        }
    }
    found.sort_unstable_by(|one, other| other.cmp(one));
    Ok(found)
}
