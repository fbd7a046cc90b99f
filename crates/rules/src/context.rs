//! What rules look at: the program, and how it is to be read.

use crate::cache::Cache;
use loris_findings::{Declaration, Finding, Location, Outcome, RuleInfo};
use loris_java::calls::methods_named;
use loris_java::{ClassId, ClassOrigin, MethodId, Program};
use std::sync::{Arc, Mutex, PoisonError};

/// How a program is judged.
#[derive(Clone, Debug, Default)]
pub struct JudgeOptions {
    /// Reports also what only may be a defect, such as objects that escape to unknown code, and
    /// findings of any confidence.
    pub strict: bool,
    /// Counts exceptions that any instruction may throw: null pointers, indices, casts, divisions.
    pub runtime_exceptions: bool,
    /// Runs start in every method, for properties. Rules judge all methods unless there are
    /// entries.
    pub all: bool,
    /// Methods where runs start, as `com.acme.Main.main`: only what they reach is judged. If there
    /// are none, rules judge all methods, and properties every `main`, or all public methods.
    pub entries: Vec<String>,
    /// Models of resources beside the shipped ones: the name of each file, and its text.
    pub models: Vec<(String, String)>,
}

/// A program and how it is judged.
#[derive(Clone, Copy, Debug)]
pub struct ProgramContext<'p> {
    /// The program.
    pub program: &'p Program,
    /// How it is judged.
    pub options: &'p JudgeOptions,
    /// Who wants to know how far the work has come.
    pub progress: Option<&'p Progress<'p>>,
    /// What earlier runs found.
    pub(crate) cache: Option<&'p Cache>,
}

/// How far the work has come: methods looked at, then objects judged, then properties decided, of
/// those that are known by then. Whoever asked is told of every change, from any thread.
pub struct Progress<'f> {
    now: Mutex<Phase>,
    tell: &'f (dyn Fn(Phase) + Sync),
}

/// A part of the work, and how far it has come.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Phase {
    /// What is counted: `methods`, `objects` or `properties`.
    pub what: &'static str,
    /// How many are done.
    pub done: usize,
    /// How many there are, as far as is known.
    pub total: usize,
}

impl<'f> Progress<'f> {
    /// Calls `tell` whenever something is done, or known to be there to do.
    ///
    /// ```
    /// use loris_rules::{Phase, Progress};
    /// use std::sync::Mutex;
    /// let told = Mutex::new(Vec::new());
    /// let tell = |Phase { what, done, total }| told.lock().unwrap().push((what, done, total));
    /// let progress = Progress::new(&tell);
    /// progress.expect("methods", 5);
    /// progress.advance(2);
    /// progress.expect("objects", 7);
    /// assert_eq!(*told.lock().unwrap(), [("methods", 0, 5), ("methods", 2, 5), ("objects", 0, 7)]);
    /// ```
    pub fn new(tell: &'f (dyn Fn(Phase) + Sync)) -> Self {
        Self { now: Mutex::new(Phase::default()), tell }
    }

    /// There is so much more to do. Another kind of work starts anew.
    pub fn expect(&self, what: &'static str, more: usize) {
        self.change(|now| {
            if now.what != what {
                *now = Phase { what, ..Phase::default() };
            }
            now.total += more;
        });
    }

    /// So much more is done.
    pub fn advance(&self, more: usize) {
        self.change(|now| now.done += more);
    }

    fn change(&self, change: impl FnOnce(&mut Phase)) {
        let mut now = self.now.lock().unwrap_or_else(PoisonError::into_inner);
        change(&mut now);
        (self.tell)(*now);
    }
}

impl std::fmt::Debug for Progress<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Progress").field("now", &self.now).finish_non_exhaustive()
    }
}

/// Extensions of sources of other languages that are compiled to class files.
const OTHER_LANGUAGES: [&str; 7] = ["clj", "cljc", "groovy", "kt", "kts", "sc", "scala"];

impl<'p> ProgramContext<'p> {
    /// A program and how it is judged.
    pub fn new(program: &'p Program, options: &'p JudgeOptions) -> Self {
        Self { program, options, progress: None, cache: None }
    }

    /// The same, with somebody who wants to know how far the work has come.
    #[must_use]
    pub fn with_progress(self, progress: &'p Progress<'p>) -> Self {
        Self { progress: Some(progress), ..self }
    }

    /// There is so much more to do.
    pub(crate) fn expect(&self, what: &'static str, more: usize) {
        self.progress.iter().for_each(|progress| progress.expect(what, more));
    }

    /// So much more is done.
    pub(crate) fn advance(&self, more: usize) {
        self.progress.iter().for_each(|progress| progress.advance(more));
    }

    /// The methods where runs start, if they were named. Names that stand for no method are refused
    /// before rules are decided.
    pub fn entries(&self) -> Option<Vec<MethodId>> {
        let named = &self.options.entries;
        let methods = named.iter().filter_map(|name| methods_named(self.program, name).ok()).flatten();
        (!named.is_empty()).then(|| methods.collect())
    }

    /// Whether findings in a class are reported.
    pub fn is_reported(&self, class: ClassId) -> bool {
        self.program.origin(class) == ClassOrigin::Application
    }

    /// The classes whose findings are reported.
    pub fn reported(&self) -> impl Iterator<Item = ClassId> + use<'p> {
        let program = self.program;
        program.classes().filter(move |&class| program.origin(class) == ClassOrigin::Application)
    }

    /// The source file of a class with the path of its package, such as `com/acme/Main.java`.
    pub fn file(&self, class: ClassId) -> Option<Arc<str>> {
        let class = self.program.class(class);
        let file = &self.program.names[class.source_file?];
        let name = &self.program.names[class.name];
        Some(match name.rsplit_once('/') {
            Some((package, _)) => format!("{package}/{file}").into(),
            None => file.into(),
        })
    }

    /// Whether a class was compiled from another language than Java, whose compiler makes
    /// variables, fields and methods that nobody wrote: its source file says so.
    pub(crate) fn is_of_another_language(&self, class: ClassId) -> bool {
        let file = self.program.class(class).source_file.map(|file| &self.program.names[file]);
        let extension = file.and_then(|file| Some(file.rsplit_once('.')?.1));
        extension.is_some_and(|extension| OTHER_LANGUAGES.contains(&extension))
    }

    /// The place of the instruction at an offset of a method's code.
    pub fn place(&self, method: MethodId, at: u16) -> Location {
        let code = self.program.method(method).code.as_ref();
        let line = code.and_then(|code| code.line(at)).map(u32::from);
        Location { file: self.file(self.program.owner(method)), line, ..Location::default() }
    }

    /// A finding of a rule at the instruction at an offset of a method's code. Its ordinal is 0;
    /// [`run`](crate::run()) makes ordinals distinct.
    pub fn finding(&self, rule: &RuleInfo, method: MethodId, at: u16, message: impl Into<String>) -> Finding {
        let (program, declared) = (self.program, self.program.method(method));
        let class = program.class_name(program.owner(method));
        let names = &program.names;
        let declaration = Declaration::of_method(class, &names[declared.name], &names[declared.descriptor]);
        finding_at(rule, declaration, self.place(method, at), message)
    }
}

/// A finding of a rule about a declaration, at a place.
pub(crate) fn finding_at(
    rule: &RuleInfo,
    declaration: Declaration,
    place: Location,
    message: impl Into<String>,
) -> Finding {
    Finding {
        locations: vec![declaration.within(place)],
        declaration: Some(declaration),
        confidence: rule.confidence,
        ..Finding::new(&*rule.id, rule.level, Outcome::Fails, message)
    }
}
