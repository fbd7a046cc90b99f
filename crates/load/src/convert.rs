//! Conversion of a model into another format, with the properties that the format has a place for.

use crate::circuit::circuit;
use crate::format::{Format, FormatKind, extension};
use crate::formula::mu_formula;
use crate::model::{self, Parsed};
use crate::origin::Origin;
use crate::phrasing::Words;
use crate::reading::{Input, Reading};
use crate::smv::{SmvFile, WantedProperty, Written, written, wrong};
use crate::to_circuit::ToCircuit;
use loris_base::{Diagnostic, shortened, visible};
use loris_circuit::{Circuit, write_aiger_ascii, write_aiger_binary};
use loris_logic::mu::Syntax;
use loris_logic::{Fairness, Formula, parse};
use loris_rsm::{CarriedProperty, Pds, Rsm, write_dot, write_pds, write_rsm_json};
use loris_smv::Labels;
use loris_smv::write::{LabelNames, WriteError, smv_property, write_smv};
use std::io::{self, Write};
use std::path::Path;
use std::sync::Arc;

/// A format that models are written in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OutputFormat {
    /// A recursive state machine in JSON.
    Rsm,
    /// A pushdown system in the format of PuMoC.
    Pds,
    /// Modules in the language of NuSMV.
    Smv,
    /// A drawing for Graphviz.
    Dot,
    /// A circuit in the binary AIGER format.
    Aig,
    /// A circuit in the ASCII AIGER format.
    Aag,
}

/// Each format that models are written in, with its name and a line on it.
pub const TARGETS: [(&str, OutputFormat, &str); 6] = [
    ("rsm", OutputFormat::Rsm, "A recursive state machine in JSON"),
    ("pds", OutputFormat::Pds, "A pushdown system of PuMoC"),
    ("smv", OutputFormat::Smv, "Modules in the language of NuSMV, with CALL and EXIT where the model calls"),
    ("dot", OutputFormat::Dot, "A drawing for Graphviz"),
    ("aig", OutputFormat::Aig, "A circuit in binary AIGER, of a circuit or a finite SMV module"),
    ("aag", OutputFormat::Aag, "A circuit in ASCII AIGER, of a circuit or a finite SMV module"),
];

impl OutputFormat {
    /// The format that an extension stands for.
    pub fn of(path: &Path) -> Option<Self> {
        match &*extension(path)? {
            "rsm" | "json" => Some(OutputFormat::Rsm),
            "pds" => Some(OutputFormat::Pds),
            "smv" => Some(OutputFormat::Smv),
            "dot" | "gv" => Some(OutputFormat::Dot),
            "aig" => Some(OutputFormat::Aig),
            "aag" => Some(OutputFormat::Aag),
            _ => None,
        }
    }

    /// Whether it is a format of circuits.
    fn is_circuit(self) -> bool {
        matches!(self, OutputFormat::Aig | OutputFormat::Aag)
    }
}

/// A model that was read, ready to be written in another format.
///
/// ```
/// use loris_load::{Conversion, Format, Origin, Reading, OutputFormat, Words};
/// # let folder = std::env::temp_dir().join(format!("loris-convert-{}", std::process::id()));
/// # std::fs::create_dir_all(&folder).unwrap();
/// let path = folder.join("light.smv");
/// std::fs::write(&path, "MODULE main VAR on : boolean; SPEC EF on").unwrap();
/// let mut reading = Reading::new(loris_base::Budget::unlimited(), Words::default());
/// let origin = Origin::default();
/// let conversion = Conversion::read((&path, Format::Smv), OutputFormat::Rsm, &origin, &mut reading).unwrap();
/// let mut out = Vec::new();
/// let notes = conversion.write(&mut out).unwrap();
/// assert!(String::from_utf8(out).unwrap().contains("\"components\""));
/// assert_eq!(notes, ["1 property is left out: the format has no place for properties"]);
/// # std::fs::remove_dir_all(&folder).unwrap();
/// ```
pub struct Conversion {
    to: OutputFormat,
    model: Converted,
    words: Words,
}

enum Converted {
    /// a pushdown system stays as it is, rule by rule
    Pds(Box<Pds>),
    Machine(Box<Machine>),
    Circuit(Box<ToCircuit>),
    /// a circuit stays as it is
    Aiger(Arc<Circuit>),
}

impl Conversion {
    /// Reads a model that is to be written in a format. Problems are added to the reading.
    pub fn read(
        (path, format): (&Path, Format),
        to: OutputFormat,
        origin: &Origin,
        reading: &mut Reading,
    ) -> Option<Self> {
        let words = reading.words;
        let model = match format.kind() {
            FormatKind::Modules if to.is_circuit() => {
                Converted::Circuit(Box::new(ToCircuit::read(path, origin, reading)?))
            }
            FormatKind::Circuit if to.is_circuit() => {
                Converted::Aiger(circuit(path, origin, reading)?.circuit)
            }
            FormatKind::Machine | FormatKind::Program if to.is_circuit() => {
                let message = "only circuits and finite SMV modules are written as circuits";
                let input = reading.text(path)?.input;
                reading.add(input, Diagnostic::global(message).into());
                return None;
            }
            FormatKind::Modules => Converted::Machine(Box::new(Machine::of_smv(path, origin, reading)?)),
            FormatKind::Machine | FormatKind::Program if to == OutputFormat::Pds && origin.with.is_none() => {
                let (parsed, _) = model::parse(path, format, origin, reading)?;
                Converted::Pds(match parsed {
                    Parsed::Rsm(rsm) | Parsed::Java(rsm, _) => Box::new(Pds::from_rsm(&rsm)),
                    Parsed::Pds(pds) => in_our_syntax(pds, format),
                    Parsed::Smv(_) => return None,
                })
            }
            kind => {
                if let Some(message) = kind.not_converted() {
                    let input = Input::named(&path.display().to_string());
                    reading.add(input, Diagnostic::global(message).into());
                    return None;
                }
                Converted::Machine(Box::new(Machine::read((path, format), origin, reading)?))
            }
        };
        Some(Self { to, model, words })
    }

    /// Writes the model, and returns notes on omissions and differences.
    ///
    /// # Errors
    /// The output cannot be written, or the format cannot express the model; that is an error with
    /// an inner error ([`io::Error::get_ref`]).
    pub fn write(&self, out: &mut dyn Write) -> io::Result<Vec<String>> {
        let mut out = out;
        let machine = match &self.model {
            Converted::Pds(pds) => return write_pds(pds, &mut out).map(|()| Vec::new()),
            Converted::Circuit(circuit) => {
                self.write_circuit(&circuit.circuit, out)?;
                return Ok(circuit.notes());
            }
            Converted::Aiger(circuit) => return self.write_circuit(circuit, out).map(|()| Vec::new()),
            Converted::Machine(machine) => machine,
        };
        let mut notes = Vec::new();
        match self.to {
            OutputFormat::Smv => return self.write_smv(machine, out),
            OutputFormat::Pds => {
                let pds = Pds { properties: machine.for_pds(), ..Pds::from_rsm(&machine.rsm) };
                write_pds(&pds, &mut out)?;
                let measured = machine.computations.iter();
                let why = "the format has no place for numbers";
                notes.extend(measured.map(|Measured { text, .. }| left_out(text, why)));
                notes.extend(machine.unsupported.iter().map(|(text, why)| left_out(text, why)));
            }
            OutputFormat::Rsm | OutputFormat::Dot | OutputFormat::Aig | OutputFormat::Aag => {
                match self.to {
                    OutputFormat::Dot => write_dot(&machine.rsm, &mut out)?,
                    _ => write_rsm_json(&machine.rsm, &mut out)?,
                }
                match machine.properties.len() + machine.computations.len() + machine.unsupported.len() {
                    0 => {}
                    left => notes.push(many_left_out(left, "the format has no place for properties")),
                }
            }
        }
        notes.extend(self.elsewhere(machine));
        if self.to != OutputFormat::Pds && !machine.fairness.is_empty() {
            notes.push("FAIRNESS is left out: the format has no place for it, and all runs count".to_owned());
        }
        Ok(notes)
    }

    fn write_circuit(&self, circuit: &Circuit, mut out: &mut dyn Write) -> io::Result<()> {
        match self.to {
            OutputFormat::Aag => write_aiger_ascii(circuit, &mut out),
            _ => write_aiger_binary(circuit, &mut out),
        }
    }

    fn write_smv(&self, machine: &Machine, mut out: &mut dyn Write) -> io::Result<Vec<String>> {
        let (lines, left) = machine.for_smv();
        let written = write_smv(&machine.rsm, &lines, &mut out).map_err(|error| match error {
            WriteError::Io(error) => error,
            other => io::Error::other(other),
        })?;
        let mut notes: Vec<String> = left.into_iter().map(|(text, why)| left_out(text, &why)).collect();
        notes.extend(machine.unsupported.iter().map(|(text, why)| left_out(text, why)));
        notes.extend(self.elsewhere(machine));
        if written.loops {
            let reading = self.words.at_exit_loop;
            notes.push(format!("several exits where runs start are written as loops, as {reading} has them"));
        }
        if written.initial > 1 {
            let starts = written.initial;
            notes.push(format!(
                "runs start in {starts} modules, and a property holds if it does in each of them"
            ));
        }
        Ok(notes)
    }

    /// A note on properties about runs that start in another module.
    fn elsewhere(&self, machine: &Machine) -> Option<String> {
        let why = format!("runs start in another module there; {}", self.words.other_module);
        (machine.elsewhere > 0).then(|| many_left_out(machine.elsewhere, &why))
    }
}

/// The properties of a PDMU file in the syntax that they have in other files; those that cannot be
/// read stay as they are.
fn in_our_syntax(mut pds: Box<Pds>, format: Format) -> Box<Pds> {
    if format == Format::Pdmu {
        for property in pds.properties.iter_mut().filter(|property| property.logic == "mu") {
            if let Ok(formula) = mu_formula(&property.text, Syntax::Pdmu) {
                property.text = formula.to_string();
            }
        }
    }
    pds
}

/// A note on properties that are left out.
fn many_left_out(count: usize, why: &str) -> String {
    let properties = if count == 1 { "property is" } else { "properties are" };
    format!("{count} {properties} left out: {why}")
}

/// A note on a property that is left out.
fn left_out(text: &str, why: &str) -> String {
    format!("the property \"{}\" is left out: {}", visible(&shortened(text)), visible(&shortened(why)))
}

/// A machine with its properties and the conditions that make its runs fair.
struct Machine {
    rsm: Rsm,
    properties: Vec<Claim>,
    computations: Vec<Measured>,
    /// properties without a formula, and why they have none
    unsupported: Vec<(String, String)>,
    fairness: Fairness,
    /// how many properties are about runs that start elsewhere
    elsewhere: usize,
}

/// A keyword of SMV and the text after it.
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

impl Machine {
    fn read(input: (&Path, Format), origin: &Origin, reading: &mut Reading) -> Option<Self> {
        let model = model::model(input.0, input.1, origin, reading)?;
        let claim = |CarriedProperty { logic, text, .. }: CarriedProperty| {
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
        Some(Self { properties, ..Self::new(model.rsm) })
    }

    /// An SMV model with the properties of the module where runs start.
    fn of_smv(path: &Path, origin: &Origin, reading: &mut Reading) -> Option<Self> {
        let file = SmvFile::read(path, origin.module.as_deref(), reading);
        let peer = model::peer(origin, reading);
        let mut file = file?;
        file.goes_with(peer.as_ref());
        file.forget_places();
        let root = file.root;
        let (here, elsewhere): (Vec<Written>, Vec<Written>) =
            written(&file).into_iter().partition(|one| one.structure() == root);
        let wanted: Vec<Vec<WantedProperty>> = here.iter().map(|one| file.want_written(one)).collect();
        let built = file.build(Labels::All, &origin.limits(), &mut reading.budget);
        let made = built.map_err(|stopped| wrong(stopped, &file.input, reading)).ok()?;
        reading.add(file.input.clone(), made.remarks.clone());
        let rsm = match peer {
            Some(peer) => model::composed(&made.rsm, &peer, origin, reading)?,
            None => made.rsm.clone(),
        };
        let fairness = made.fairness(root).clone();
        let elsewhere = elsewhere.len();
        let mut machine = Self { fairness, elsewhere, ..Self::new(rsm) };
        for (one, wanted) in here.iter().zip(wanted) {
            let (logic, text) = (one.logic().name().to_owned(), one.text());
            let name = one.full_name();
            match (one, wanted.iter().map(|&wanted| made.formula(wanted).clone()).collect::<Vec<_>>()) {
                (Written::Property(property), formulas) => {
                    let is_invariant = property.kind == loris_smv::ir::PropertyKind::Invariant;
                    let formula = formulas.into_iter().next().ok_or_else(String::new);
                    machine.properties.push(Claim { logic, name, text, formula, is_invariant });
                }
                (Written::Computation(found), formulas) => {
                    machine.computations.push(Measured { longest: found.longest, name, text, formulas });
                }
                (Written::Unsupported(property), _) => {
                    machine.unsupported.push((text, format!("not supported: {}", property.what)));
                }
            }
        }
        Some(machine)
    }

    /// A machine of which nothing is asked.
    fn new(rsm: Rsm) -> Self {
        let (properties, computations, unsupported) = (Vec::new(), Vec::new(), Vec::new());
        Self { rsm, properties, computations, unsupported, fairness: Fairness::default(), elsewhere: 0 }
    }

    /// Properties as a pushdown system carries them: those about fair runs become properties of all
    /// runs.
    fn for_pds(&self) -> Vec<CarriedProperty> {
        let property = |Claim { logic, text, formula, is_invariant, .. }: &Claim| {
            let (logic, text) = match (formula, &**logic) {
                (Err(_), _) => (logic.clone(), text.clone()),
                (Ok(formula), "ltl") => (logic.clone(), self.fairness.of_paths(formula).to_string()),
                (Ok(formula), _) if self.fairness.is_empty() || *is_invariant => {
                    (logic.clone(), formula.to_string())
                }
                (Ok(formula), _) => ("ctl*".to_owned(), self.fairness.of_states(formula).to_string()),
            };
            CarriedProperty { logic, text, offset: 0 }
        };
        self.properties.iter().map(property).collect()
    }

    /// The lines of an SMV file about its runs, fairness and properties; and the properties that it
    /// cannot express, with the reasons.
    fn for_smv(&self) -> (Vec<Line>, Vec<(&str, String)>) {
        let labels = LabelNames::of(&self.rsm);
        let name = |label: &String| labels.name(label).unwrap_or("FALSE").to_owned();
        let mut lines: Vec<Line> = Vec::new();
        lines.extend(self.fairness.justice.iter().map(|label| ("JUSTICE", name(label))));
        let pairs = self.fairness.compassion.iter();
        lines.extend(pairs.map(|(p, q)| ("COMPASSION", format!("({}, {})", name(p), name(q)))));
        let mut left = Vec::new();
        let named = |name: &Option<String>, body: String| match name {
            Some(name) => format!("NAME {name} := {body}"),
            None => body,
        };
        for Claim { name, text, formula, is_invariant, .. } in &self.properties {
            let printed = formula.as_ref().map_err(Clone::clone);
            let printed =
                printed.and_then(|formula| smv_property(formula, &labels).map_err(|why| why.to_string()));
            match printed {
                Ok((_, body)) if *is_invariant => {
                    let body = body.strip_prefix("AG ").unwrap_or(&body).to_owned();
                    lines.push(("INVARSPEC", named(name, body)));
                }
                Ok((word, body)) => lines.push((word, named(name, body))),
                Err(why) => left.push((&**text, why)),
            }
        }
        for Measured { longest, name, text, formulas } in &self.computations {
            let body: Result<Vec<String>, _> =
                formulas.iter().map(|formula| smv_property(formula, &labels).map(|(_, body)| body)).collect();
            match body {
                Ok(body) => {
                    let word = if *longest { "MAX" } else { "MIN" };
                    lines.push(("COMPUTE", named(name, format!("{word} [ {} ]", body.join(", ")))));
                }
                Err(why) => left.push((&**text, why.to_string())),
            }
        }
        (lines, left)
    }
}
