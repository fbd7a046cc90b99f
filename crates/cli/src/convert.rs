//! `loris convert`: from one model format to another.

use crate::flags::{Word, words};
use crate::input::{self, Problems};
use crate::model::{self, FORMATS, Format, Origin, Parsed};
use crate::output::{about, say, write_to};
use crate::smv;
use anyhow::Context;
use loris_report::counted;
use loris_rsm::{Pds, Property, Rsm, Semantics, write_dot, write_pds, write_rsm_json};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// Converts a model into another format.
///
/// A property that the model carries goes along where the format has a place for it.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// The model; `-` is standard input
    input: PathBuf,
    /// Where it goes; `-` is standard output
    output: PathBuf,
    /// The format of the input [default: by its extension, or rsm]
    #[arg(long, visible_alias = "model-format", value_name = "FORMAT", value_parser = words(&FORMATS))]
    from: Option<Format>,
    /// The format of the output [default: by its extension, .rsm or .json, .pds, .dot or .gv]
    #[arg(long, value_name = "FORMAT", value_parser = words(&TARGETS))]
    to: Option<Target>,
    #[command(flatten)]
    origin: Origin,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Target {
    Rsm,
    Pds,
    Dot,
}

const TARGETS: [Word<Target>; 3] = [
    ("rsm", Target::Rsm, "A recursive state machine in JSON"),
    ("pds", Target::Pds, "A pushdown system of PuMoC"),
    ("dot", Target::Dot, "A drawing for Graphviz"),
];

pub(crate) fn run(args: &Args) -> anyhow::Result<ExitCode> {
    let to = match args.to {
        Some(format) => format,
        None => by_extension(&args.output)?,
    };
    if args.from.is_none() && matches!(by_extension(&args.input), Ok(Target::Dot)) {
        return Err(about(&args.input, "DOT is written, not read"));
    }
    input::only_one_from_stdin(args.origin.with.iter().chain([&args.input]))?;
    let mut problems = Problems::default();
    if to == Target::Pds && args.origin.with.is_none() {
        let pds = system(args, &mut problems);
        problems.settle(false)?;
        let pds = pds.context("the model cannot be read")?;
        write_to(&args.output, |mut out| write_pds(&pds, &mut out))?;
        return Ok(ExitCode::SUCCESS);
    }
    let semantics = args.origin.readings.semantics(Semantics::default());
    let model = model::model(&args.input, args.from, &args.origin, semantics, &mut problems);
    problems.settle(false)?;
    let model = model.context("the model cannot be read")?;
    if to != Target::Pds && !model.properties.is_empty() {
        let properties = counted(model.properties.len(), "property is", "properties are");
        say(&format!("note: {properties} left out: the format has no place for properties"));
    }
    write_to(&args.output, |mut out| match to {
        Target::Rsm => write_rsm_json(&model.rsm, &mut out),
        Target::Pds => write_pds(&pushdown(&model.rsm, model.properties), &mut out),
        Target::Dot => write_dot(&model.rsm, &mut out),
    })?;
    Ok(ExitCode::SUCCESS)
}

/// A model as a pushdown system. What is one already stays as it is, rule by rule.
fn system(args: &Args, problems: &mut Problems) -> Option<Pds> {
    let semantics = args.origin.readings.semantics(Semantics::default());
    let format = args.from.unwrap_or_else(|| Format::of(&args.input));
    let (parsed, input) = model::parse(&args.input, format, semantics, problems)?;
    Some(match parsed {
        Parsed::Rsm(rsm) => pushdown(&rsm, Vec::new()),
        Parsed::Pds(pds) => *pds,
        Parsed::Smv(smv) => {
            pushdown(&smv::machine(&smv, &args.origin.limits(semantics), &input, problems)?, Vec::new())
        }
    })
}

fn pushdown(rsm: &Rsm, properties: Vec<Property>) -> Pds {
    Pds { properties, ..Pds::from_rsm(rsm) }
}

fn by_extension(path: &Path) -> anyhow::Result<Target> {
    match path.extension().and_then(|extension| extension.to_str()) {
        Some("rsm" | "json") => Ok(Target::Rsm),
        Some("pds") => Ok(Target::Pds),
        Some("dot" | "gv") => Ok(Target::Dot),
        Some("pdmu") => {
            Err(about(path, "PDMU is read, not written; .pds is the same with a place for properties"))
        }
        _ => Err(about(path, "the extension says no format; give one with --to")),
    }
}
