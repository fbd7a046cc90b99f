//! `loris convert`: from one model format to another.

use crate::control::Control;
use crate::flags::{Word, words};
use crate::input;
use crate::limits::Limits;
use crate::origin::OriginArgs;
use crate::output::{about, say, write_to};
use crate::words::WORDS;
use anyhow::{Context, bail};
use loris_base::{shortened, visible};
use loris_load::smv::{SmvFile, WantedProperty, Written, written, wrong};
use loris_load::{self as load, FORMATS, Format, Origin, Parsed, Reading, extension};
use loris_logic::{Fairness, Formula, parse};
use loris_report::counted;
use loris_rsm::{Pds, Property, Rsm, Semantics, write_dot, write_pds, write_rsm_json};
use loris_smv::Labels;
use loris_smv::write::{LabelNames, WriteError, smv_property, write_smv};
use std::io;
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
    /// The format of the input [default: by its extension or its content]
    #[arg(long, visible_alias = "model-format", value_name = "FORMAT", value_parser = words(&FORMATS))]
    from: Option<Format>,
    /// The format of the output [default: by its extension, .rsm or .json, .pds, .smv, .dot or .gv]
    #[arg(long, value_name = "FORMAT", value_parser = words(&TARGETS))]
    to: Option<Target>,
    #[command(flatten)]
    origin: OriginArgs,
    #[command(flatten)]
    limits: Limits,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Target {
    Rsm,
    Pds,
    Smv,
    Dot,
}

const TARGETS: [Word<Target>; 4] = [
    ("rsm", Target::Rsm, "A recursive state machine in JSON"),
    ("pds", Target::Pds, "A pushdown system of PuMoC"),
    ("smv", Target::Smv, "Modules in the language of NuSMV, with CALL and EXIT where the model calls"),
    ("dot", Target::Dot, "A drawing for Graphviz"),
];

pub(crate) fn run(args: &Args, control: &Control) -> anyhow::Result<ExitCode> {
    let to = match args.to {
        Some(format) => format,
        None => by_extension(&args.output)?,
    };
    if args.from.is_none() && matches!(by_extension(&args.input), Ok(Target::Dot)) {
        return Err(about(&args.input, "DOT is written, not read"));
    }
    input::only_one_from_stdin(args.origin.with.iter().chain([&args.input]))?;
    input::spare(&args.output, args.origin.with.iter().chain([&args.input]))?;
    let mut reading = Reading::new(args.limits.bounds(control, 1).budget(), WORDS);
    let Some(format) = reading.format(&args.input, args.from) else {
        input::settle(reading, false)?;
        bail!("the model cannot be read")
    };
    if to == Target::Pds && args.origin.with.is_none() && format != Format::Smv {
        let pds = system(args, format, &mut reading);
        input::settle(reading, false)?;
        let pds = pds.context("the model cannot be read")?;
        write_to(&args.output, control, |mut out| write_pds(&pds, &mut out))?;
        return Ok(ExitCode::SUCCESS);
    }
    let going = going(args, format, &mut reading);
    input::settle(reading, false)?;
    let going = going.context("the model cannot be read")?;
    if to == Target::Smv {
        return to_smv(&going, &args.output, control);
    }
    let (properties, left) = match to {
        Target::Pds => (going.for_pds(), 0),
        _ => (Vec::new(), going.properties.len() + going.computations.len() + going.unsupported.len()),
    };
    if left > 0 {
        let properties = counted(left, "property is", "properties are");
        say(&format!("note: {properties} left out: the format has no place for properties"));
    }
    if to == Target::Pds {
        going.tell_computations();
        going.tell_unsupported();
    }
    going.tell_elsewhere();
    if to != Target::Pds && !going.fairness.is_empty() {
        say("note: FAIRNESS is left out: the format has no place for it, and all runs count");
    }
    write_to(&args.output, control, |mut out| match to {
        Target::Pds => write_pds(&pushdown(&going.rsm, properties), &mut out),
        Target::Dot => write_dot(&going.rsm, &mut out),
        Target::Rsm | Target::Smv => write_rsm_json(&going.rsm, &mut out),
    })?;
    Ok(ExitCode::SUCCESS)
}

/// A machine on its way to another format, with what is known of it.
struct Going {
    rsm: Rsm,
    properties: Vec<Claim>,
    computations: Vec<Measured>,
    /// properties without a formula, and why they have none
    unsupported: Vec<(String, String)>,
    fairness: Fairness,
    /// how many properties are about runs that start elsewhere
    elsewhere: usize,
}

/// A keyword of SMV and what follows it.
type Line = (&'static str, String);

/// A number of steps between two conditions over the labels of the machine.
struct Measured {
    longest: bool,
    name: Option<String>,
    text: String,
    /// from the first to the second
    formulas: Vec<Formula>,
}

/// A property over the labels of the machine.
struct Claim {
    logic: String,
    /// with the instance that it is about
    name: Option<String>,
    /// as it was written
    text: String,
    /// as it was understood, or why not
    formula: Result<Formula, String>,
    /// about all runs, fair or not
    is_invariant: bool,
}

fn going(args: &Args, format: Format, reading: &mut Reading) -> Option<Going> {
    let origin = args.origin.origin(Semantics::default());
    if format == Format::Smv {
        return going_smv(args, &origin, reading);
    }
    let model = load::model(&args.input, format, &origin, reading)?;
    let claim = |Property { logic, text, .. }: Property| {
        let formula = match &*logic {
            "ctl" | "ltl" | "ctl*" => parse(&text).map_err(|found| {
                let first = found.sorted().first().map(|problem| problem.message.clone());
                first.unwrap_or_default()
            }),
            _ => Err(format!("it is in the logic {logic}")),
        };
        Claim { logic, name: None, text, formula, is_invariant: false }
    };
    let properties = model.properties.into_iter().map(claim).collect();
    Some(Going { properties, ..Going::new(model.rsm) })
}

/// An SMV model with the properties of the module where runs start.
fn going_smv(args: &Args, origin: &Origin, reading: &mut Reading) -> Option<Going> {
    let file = SmvFile::read(&args.input, origin.module.as_deref(), reading);
    let peer = load::peer(origin, reading);
    let mut file = file?;
    file.goes_with(peer.as_ref());
    let root = file.root;
    let (here, elsewhere): (Vec<Written>, Vec<Written>) =
        written(&file).into_iter().partition(|one| one.structure() == root);
    let wanted: Vec<Vec<WantedProperty>> = here.iter().map(|one| file.want_written(one)).collect();
    let built = file.build(Labels::All, &origin.limits(), &mut reading.budget);
    let made = built.map_err(|stopped| wrong(stopped, &file.input, reading)).ok()?;
    reading.add(file.input.clone(), made.remarks.clone());
    let rsm = match peer {
        Some(peer) => load::composed(&made.rsm, &peer, origin, reading)?,
        None => made.rsm.clone(),
    };
    let fairness = made.fairness(root).clone();
    let elsewhere = elsewhere.len();
    let mut going = Going { fairness, elsewhere, ..Going::new(rsm) };
    for (one, wanted) in here.iter().zip(wanted) {
        let (logic, text) = (one.logic().name().to_owned(), one.text());
        let name = one.full_name();
        match (one, wanted.iter().map(|&wanted| made.formula(wanted).clone()).collect::<Vec<_>>()) {
            (Written::Property(property), formulas) => {
                let is_invariant = property.kind == loris_smv::ir::PropertyKind::Invariant;
                let formula = formulas.into_iter().next().ok_or_else(String::new);
                going.properties.push(Claim { logic, name, text, formula, is_invariant });
            }
            (Written::Computation(found), formulas) => {
                going.computations.push(Measured { longest: found.longest, name, text, formulas });
            }
            (Written::Unsupported(property), _) => {
                going.unsupported.push((text, format!("not supported: {}", property.what)));
            }
        }
    }
    Some(going)
}

impl Going {
    /// A machine of which nothing is asked.
    fn new(rsm: Rsm) -> Self {
        let (properties, computations, unsupported) = (Vec::new(), Vec::new(), Vec::new());
        Self { rsm, properties, computations, unsupported, fairness: Fairness::default(), elsewhere: 0 }
    }

    /// Tells which questions for numbers a format has no place for.
    fn tell_computations(&self) {
        for Measured { text, .. } in &self.computations {
            say(&left_out(text, "the format has no place for numbers"));
        }
    }

    fn tell_unsupported(&self) {
        for (text, why) in &self.unsupported {
            say(&left_out(text, why));
        }
    }

    fn tell_elsewhere(&self) {
        if self.elsewhere > 0 {
            let properties = counted(self.elsewhere, "property is", "properties are");
            say(&format!("note: {properties} left out: runs start in another module there; see --module"));
        }
    }

    /// Properties as a pushdown system carries them: what they say of fair runs is said of all.
    fn for_pds(&self) -> Vec<Property> {
        let property = |Claim { logic, text, formula, is_invariant, .. }: &Claim| {
            let (logic, text) = match (formula, &**logic) {
                (Err(_), _) => (logic.clone(), text.clone()),
                (Ok(formula), "ltl") => (logic.clone(), self.fairness.of_paths(formula).to_string()),
                (Ok(formula), _) if self.fairness.is_empty() || *is_invariant => {
                    (logic.clone(), formula.to_string())
                }
                (Ok(formula), _) => ("ctl*".to_owned(), self.fairness.of_states(formula).to_string()),
            };
            Property { logic, text, offset: 0 }
        };
        self.properties.iter().map(property).collect()
    }

    /// What an SMV file says of its runs: what makes them fair, and properties. Those it cannot say, and why.
    fn for_smv(&self) -> (Vec<Line>, Vec<(&str, String)>) {
        let labels = LabelNames::of(&self.rsm);
        let name = |label: &String| labels.name(label).unwrap_or("FALSE").to_owned();
        let mut lines: Vec<Line> = Vec::new();
        lines.extend(self.fairness.justice.iter().map(|label| ("JUSTICE", name(label))));
        let pairs = self.fairness.compassion.iter();
        lines.extend(pairs.map(|(p, q)| ("COMPASSION", format!("({}, {})", name(p), name(q)))));
        let mut left = Vec::new();
        let named = |name: &Option<String>, said: String| match name {
            Some(name) => format!("NAME {name} := {said}"),
            None => said,
        };
        for Claim { name, text, formula, is_invariant, .. } in &self.properties {
            let printed = formula.as_ref().map_err(Clone::clone);
            let printed =
                printed.and_then(|formula| smv_property(formula, &labels).map_err(|why| why.to_string()));
            match printed {
                Ok((_, said)) if *is_invariant => {
                    let said = said.strip_prefix("AG ").unwrap_or(&said).to_owned();
                    lines.push(("INVARSPEC", named(name, said)));
                }
                Ok((word, said)) => lines.push((word, named(name, said))),
                Err(why) => left.push((&**text, why)),
            }
        }
        for Measured { longest, name, text, formulas } in &self.computations {
            let said: Result<Vec<String>, _> =
                formulas.iter().map(|formula| smv_property(formula, &labels).map(|(_, said)| said)).collect();
            match said {
                Ok(said) => {
                    let word = if *longest { "MAX" } else { "MIN" };
                    lines.push(("COMPUTE", named(name, format!("{word} [ {} ]", said.join(", ")))));
                }
                Err(why) => left.push((&**text, why.to_string())),
            }
        }
        (lines, left)
    }
}

/// A remark on a property that does not go along.
fn left_out(text: &str, why: &str) -> String {
    format!("note: the property \"{}\" is left out: {}", visible(&shortened(text)), visible(&shortened(why)))
}

fn to_smv(going: &Going, output: &Path, control: &Control) -> anyhow::Result<ExitCode> {
    let (lines, left) = going.for_smv();
    let mut written = None;
    write_to(output, control, |mut out| match write_smv(&going.rsm, &lines, &mut out) {
        Ok(done) => {
            written = Some(done);
            Ok(())
        }
        Err(WriteError::Io(error)) => Err(error),
        Err(other) => Err(io::Error::other(other)),
    })?;
    for (text, why) in left {
        say(&left_out(text, &why));
    }
    going.tell_unsupported();
    going.tell_elsewhere();
    let written = written.unwrap_or_default();
    if written.loops {
        say("note: several exits where runs start are written as loops, as --at-exit loop has them");
    }
    if written.initial > 1 {
        let starts = written.initial;
        say(&format!(
            "note: runs start in {starts} modules, and a property holds if it does in each of them"
        ));
    }
    Ok(ExitCode::SUCCESS)
}

/// A model as a pushdown system. What is one already stays as it is, rule by rule.
fn system(args: &Args, format: Format, reading: &mut Reading) -> Option<Pds> {
    let origin = args.origin.origin(Semantics::default());
    let (parsed, _) = load::parse(&args.input, format, &origin, reading)?;
    match parsed {
        Parsed::Rsm(rsm) => Some(pushdown(&rsm, Vec::new())),
        Parsed::Pds(pds) => Some(*pds),
        Parsed::Smv(_) => None,
    }
}

fn pushdown(rsm: &Rsm, properties: Vec<Property>) -> Pds {
    Pds { properties, ..Pds::from_rsm(rsm) }
}

fn by_extension(path: &Path) -> anyhow::Result<Target> {
    match extension(path).as_deref() {
        Some("rsm" | "json") => Ok(Target::Rsm),
        Some("pds") => Ok(Target::Pds),
        Some("smv") => Ok(Target::Smv),
        Some("dot" | "gv") => Ok(Target::Dot),
        Some("pdmu") => {
            Err(about(path, "PDMU is read, not written; .pds is the same with a place for properties"))
        }
        _ if path == Path::new("-") => Err(about(path, "say with --to which format standard output gets")),
        _ => Err(about(path, "the extension says no format; give one with --to")),
    }
}
