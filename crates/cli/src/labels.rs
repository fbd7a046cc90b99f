//! `loris labels`: the labels of a Java program.

use crate::control::Control;
use crate::errors::Stopped;
use crate::flags::{DOCUMENTS, Document, words};
use crate::input;
use crate::limits::{Limits, Threads};
use crate::output::Output;
use crate::phrasing::WORDS;
use crate::program::JavaArgs;
use anyhow::{Context, bail};
use loris_base::visible;
use loris_json::json_quoted;
use loris_load::{JavaProgram, Reading};
use std::fmt::Write as _;
use std::path::PathBuf;
use std::process::ExitCode;

/// Lists the labels of a Java program that properties can be about, with the number of places that
/// have each.
///
/// A label in a property is in quotes, and may be a pattern: `*` stands for any characters, `?` for
/// one.
///
/// Exit status: 0 there are such labels, 1 there is none, 2 the call or an input is wrong, 3 a
/// limit was reached.
#[derive(clap::Args)]
#[command(after_long_help = "Examples:\n  \
        loris labels app.jar 'call *close*'\n  \
        loris labels app.jar 'line Main.java:*' 'throw *' --format json")]
pub(crate) struct Args {
    /// The program: a jar, a class file, or a folder of these
    #[arg(value_name = "PROGRAM")]
    model: PathBuf,
    /// Patterns of labels [default: all]
    #[arg(value_name = "PATTERN")]
    patterns: Vec<String>,
    #[command(flatten)]
    java: JavaArgs,
    #[command(flatten)]
    limits: Limits,
    #[command(flatten)]
    threads: Threads,
    /// How labels are written
    #[arg(long, default_value = "text", value_parser = words(&DOCUMENTS))]
    format: Document,
}

pub(crate) fn run(args: &Args, control: &Control) -> anyhow::Result<ExitCode> {
    input::only_one_from_stdin(args.java.program.library.iter().chain([&args.model]))?;
    let bounds = args.limits.bounds(control, args.threads.count(control));
    let mut reading = Reading::new(bounds.budget(), WORDS);
    let format = reading.format(&args.model, None);
    if let Some(format) = format.filter(|&format| !format.kind().is_program()) {
        bail!("labels are listed of Java programs; this is a model in the format {}", format.name());
    }
    let program = format.and_then(|_| JavaProgram::read(&args.model, &args.java.options(), &mut reading));
    let found = program.map(|program| program.labels(&args.patterns, &mut reading));
    input::settle(reading, false)?;
    let found = found.context("the program cannot be read")?.map_err(|why| {
        let input = Some(args.model.display().to_string());
        anyhow::Error::from(Stopped { input, why })
    })?;
    let mut text = String::new();
    match args.format {
        Document::Text => {
            let width = found.iter().map(|(_, count)| count.to_string().len()).max().unwrap_or(0);
            for (label, count) in &found {
                writeln!(text, "{count:>width$}  {}", visible(label))?;
            }
        }
        Document::Json => {
            writeln!(text, "{{\"loris\": {},", json_quoted(env!("CARGO_PKG_VERSION")))?;
            text.push_str(" \"labels\": [");
            for (i, (label, count)) in found.iter().enumerate() {
                let before = if i > 0 { ",\n  " } else { "\n  " };
                write!(text, "{before}{{\"label\": {}, \"places\": {count}}}", json_quoted(label))?;
            }
            text.push_str("]}\n");
        }
    }
    let out = if args.format == Document::Text { Output::text() } else { Output::document() };
    out.put(text.as_bytes())?;
    Ok(ExitCode::from(u8::from(found.is_empty())))
}
