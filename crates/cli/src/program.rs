//! How a Java program becomes a model: the flags for it.

use crate::flags::{Word, words};
use loris_java::calls::Calls;
use loris_java::extract::Granularity;
use loris_load::JavaOptions;
use std::path::PathBuf;

/// How a Java program becomes a model, for commands that have no other `--all`.
#[derive(clap::Args, Clone)]
pub(crate) struct JavaArgs {
    #[command(flatten)]
    pub(crate) program: ProgramArgs,
    /// Lets runs start in all methods of the program, as --entry '*' does
    #[arg(long, conflicts_with = "entry", help_heading = "Java programs")]
    all: bool,
}

/// How a Java program becomes a model.
#[derive(clap::Args, Clone)]
pub(crate) struct ProgramArgs {
    /// A method where runs start, as com.acme.Main.main, or a pattern with `*` and `?`; repeatable
    /// [default: all `main` methods of the program, or without one all methods that other programs
    /// can call]
    #[arg(long, value_name = "METHOD", help_heading = "Java programs")]
    entry: Vec<String>,
    /// A jar or folder whose code is read, but where no run starts; repeatable
    #[arg(long, value_name = "PATH", help_heading = "Java programs")]
    pub(crate) library: Vec<PathBuf>,
    /// How the methods are found that a virtual call may run
    #[arg(
        long,
        value_name = "ANALYSIS",
        default_value = "rta",
        value_parser = words(&CALLS),
        help_heading = "Java programs"
    )]
    calls: Calls,
    /// What a node of the model stands for; properties without X cannot tell
    #[arg(
        long,
        value_name = "SIZE",
        default_value = "block",
        value_parser = words(&GRANULARITIES),
        help_heading = "Java programs"
    )]
    granularity: Granularity,
    /// Lets instructions throw the exceptions of the virtual machine: for null, indices, casts and
    /// divisions
    #[arg(long, help_heading = "Java programs")]
    runtime_exceptions: bool,
}

const CALLS: [Word<Calls>; 2] = [
    ("cha", Calls::Hierarchy, "By the class hierarchy"),
    ("rta", Calls::Created, "By the classes that the reachable program creates, too"),
];
const GRANULARITIES: [Word<Granularity>; 2] = [
    ("instruction", Granularity::Instruction, "An instruction"),
    ("block", Granularity::Block, "Instructions between calls, branches and labels"),
];

impl JavaArgs {
    pub(crate) fn options(&self) -> JavaOptions {
        let options = self.program.options();
        if self.all { JavaOptions { entries: vec!["*".to_owned()], ..options } } else { options }
    }
}

impl ProgramArgs {
    pub(crate) fn options(&self) -> JavaOptions {
        JavaOptions {
            library: self.library.clone(),
            entries: self.entry.clone(),
            calls: self.calls,
            granularity: self.granularity,
            runtime: self.runtime_exceptions,
            ..JavaOptions::default()
        }
    }
}
