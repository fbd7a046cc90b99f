//! What rules look at: the program, and how it is to be read.

use crate::{Finding, Rule};
use loris_java::calls::methods_named;
use loris_java::{ClassId, MethodId, Origin, Program};

/// How a program is judged.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// Reports also what only may be a defect, such as objects that escape to unknown code.
    pub strict: bool,
    /// Counts exceptions that any instruction may throw: null pointers, indices, casts, divisions.
    pub runtime_exceptions: bool,
    /// Judges methods that no entry reaches, too.
    pub all: bool,
    /// Methods where runs start, as `com.acme.Main.main`; if there are none, every `main`, or all
    /// public methods.
    pub entries: Vec<String>,
    /// Models of resources beside the shipped ones: the name of each file, and its text.
    pub models: Vec<(String, String)>,
}

/// A program and how it is judged.
#[derive(Clone, Copy, Debug)]
pub struct Context<'p> {
    /// The program.
    pub program: &'p Program,
    /// How it is judged.
    pub options: &'p Options,
}

/// A place in the source.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    /// The source file with the path of its package.
    pub file: Option<String>,
    /// The line.
    pub line: Option<u32>,
}

impl<'p> Context<'p> {
    /// A program and how it is judged.
    pub fn new(program: &'p Program, options: &'p Options) -> Self {
        Self { program, options }
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
        self.program.origin(class) == Origin::Application
    }

    /// The classes whose findings are reported.
    pub fn reported(&self) -> impl Iterator<Item = ClassId> + use<'p> {
        let program = self.program;
        program.classes().filter(move |&class| program.origin(class) == Origin::Application)
    }

    /// The source file of a class with the path of its package, such as `com/acme/Main.java`.
    pub fn file(&self, class: ClassId) -> Option<String> {
        let class = self.program.class(class);
        let file = &self.program.names[class.source_file?];
        let name = &self.program.names[class.name];
        Some(match name.rsplit_once('/') {
            Some((package, _)) => format!("{package}/{file}"),
            None => file.to_owned(),
        })
    }

    /// The place of the instruction at an offset of a method's code.
    pub fn place(&self, method: MethodId, at: u16) -> Place {
        let code = self.program.method(method).code.as_ref();
        let line = code.and_then(|code| code.line(at)).map(u32::from);
        Place { file: self.file(self.program.owner(method)), line }
    }

    /// A finding of a rule at the instruction at an offset of a method's code. Its ordinal is 0;
    /// [`run`](crate::run()) makes ordinals distinct.
    pub fn finding(&self, rule: &Rule, method: MethodId, at: u16, message: impl Into<String>) -> Finding {
        let Place { file, line } = self.place(method, at);
        let declared = self.program.method(method);
        Finding {
            rule: rule.id.clone(),
            level: rule.level,
            message: message.into(),
            class: self.program.class_name(self.program.owner(method)),
            method: self.program.names[declared.name].to_owned(),
            descriptor: self.program.names[declared.descriptor].to_owned(),
            file,
            line,
            field: None,
            ordinal: 0,
            steps: Vec::new(),
            assumptions: Vec::new(),
            suppressed: None,
        }
    }

    /// A finding of a rule about a field of a class.
    pub fn about_field(
        &self,
        rule: &Rule,
        class: ClassId,
        place: Place,
        field: String,
        descriptor: String,
        message: impl Into<String>,
    ) -> Finding {
        Finding {
            rule: rule.id.clone(),
            level: rule.level,
            message: message.into(),
            class: self.program.class_name(class),
            method: String::new(),
            descriptor,
            file: place.file,
            line: place.line,
            field: Some(field),
            ordinal: 0,
            steps: Vec::new(),
            assumptions: Vec::new(),
            suppressed: None,
        }
    }
}
