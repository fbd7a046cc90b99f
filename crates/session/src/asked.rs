//! The properties of a call: formulas, files of them, automata, or those the model carries; each
//! read in the language of the model, or its problems.

use crate::Request;
use loris_base::{Diagnostic, Diagnostics, Stopped};
use loris_check::{Choice, CountedRuns, Logic, Processes, Source, UnknownAtoms, core};
use loris_load::smv::{SmvFile, SmvMachine, WantedProperty, Written, propositions, written};
use loris_load::{
    CarriedByCircuit, CircuitModel, Format, Input, ReadMachine, Reading, Text, carried_by_circuit, extension,
    mu_formula,
};
use loris_logic::automaton::{Hoa, parse_hoa_within};
use loris_logic::mu::{self, DeadEnds, MuFormula, Syntax};
use loris_logic::{Formula, IimcProperty, Node, PropertyLines, parse, parse_iimc};
use loris_rsm::CarriedProperty;
use loris_smv::ir::{Computation, PropertyKind, SmvProperty, StructureId};
use loris_smv::syntax::{ast::File, parse_computation, parse_property, respelled};
use std::path::Path;
use std::sync::Arc;

/// Something that is asked.
pub(crate) struct Asked {
    pub(crate) at: Position,
    /// the module of an SMV file
    pub(crate) structure: Option<StructureId>,
    pub(crate) text: String,
    /// as the file calls it
    pub(crate) name: Option<String>,
    pub(crate) what: What,
    /// whether the model carries it
    pub(crate) is_carried: bool,
    pub(crate) unknown_atoms: UnknownAtoms,
    pub(crate) source: Option<Source>,
    /// which runs of a circuit it is about
    pub(crate) counted_runs: CountedRuns,
    /// whether its file states that it holds
    pub(crate) expected: Option<bool>,
}

/// Where something that is asked was written.
pub(crate) struct Position {
    /// its place among all that is asked
    pub(crate) place: usize,
    /// where in the module of an SMV file
    pub(crate) instance: String,
    /// the input that shows problems with it
    pub(crate) input: Input,
    /// where in there its text starts and ends
    pub(crate) span: (u64, u64),
    /// the offset of places in its formula; if absent, these are not places in the input
    shift: Option<u64>,
    /// the propositions of an automaton, with their places
    pub(crate) propositions: Option<Vec<(String, Option<u64>)>>,
}

/// Bytes that a property of a file takes until it is answered, and for each byte of its text: as it
/// was asked, as a question and as a plan (measured).
const PROPERTY: usize = 1200;
const PROPERTY_BYTE: usize = 40;

/// The question.
pub(crate) enum What {
    Formula(Logic, Meaning),
    /// a formula of the mu-calculus, and the logic it was written in
    Mu(Logic, MuFormula),
    /// how many steps it takes from one condition to another: at most, or at least
    Distance(bool, [Meaning; 2]),
    /// something with a part that is not supported, by name
    Unsupported(Logic, String),
    /// whether an automaton accepts some run; of an SMV file, the condition of each of its
    /// propositions
    Automaton {
        hoa: Box<Hoa>,
        wanted: Vec<WantedProperty>,
    },
}

/// The meaning of a formula.
pub(crate) enum Meaning {
    /// over the labels of a machine
    Labels(Formula),
    /// over the variables of an SMV file, of which a machine is made that has labels for it
    Wanted(WantedProperty, Formula),
}

impl Position {
    fn new(place: usize, input: &Input, span: (u64, u64)) -> Self {
        Self { place, instance: String::new(), input: input.clone(), span, shift: None, propositions: None }
    }

    /// Problems of this text, at their places in the input.
    pub(crate) fn placed(&self, problems: &Diagnostics) -> Diagnostics {
        let (start, end) = self.span;
        let mut placed = Diagnostics::default();
        for problem in problems.sorted() {
            placed.push(match (problem.offset, self.shift) {
                (Some(at), Some(shift)) => Diagnostic { offset: Some(at + shift), ..problem.clone() },
                _ => Diagnostic { offset: Some(start), length: (end - start) as u32, ..problem.clone() },
            });
        }
        placed
    }
}

impl Asked {
    /// Of an SMV file, the property that it is.
    pub(crate) fn wanted(&self) -> Option<WantedProperty> {
        match &self.what {
            What::Formula(_, Meaning::Wanted(wanted, _)) => Some(*wanted),
            _ => None,
        }
    }

    /// Problems that states show of a property, at their places in the input, if it is this one.
    pub(crate) fn blamed(
        &self,
        wanted: WantedProperty,
        problems: &Diagnostics,
    ) -> Option<(&Position, Diagnostics)> {
        let is_it = |meaning: &Meaning| matches!(meaning, Meaning::Wanted(other, _) if *other == wanted);
        let is_this = match &self.what {
            What::Formula(_, meaning) => is_it(meaning),
            What::Distance(_, sides) => sides.iter().any(is_it),
            What::Automaton { wanted: all, .. } => {
                let number = all.iter().position(|other| *other == wanted)?;
                let (name, offset) = self.at.propositions.as_ref()?.get(number)?;
                let mut placed = Diagnostics::default();
                for problem in problems.sorted() {
                    let (offset, length) = (*offset, name.len() as u32 + 2);
                    placed.push(Diagnostic { offset, length, ..problem.clone() });
                }
                return Some((&self.at, placed));
            }
            What::Mu(..) | What::Unsupported(..) => false,
        };
        is_this.then(|| (&self.at, self.at.placed(problems)))
    }

    /// Whether engines that do not list the states of an SMV file are asked.
    pub(crate) fn is_symbolic(&self, file: &SmvFile, engine: Choice) -> bool {
        let is_of_logic = match self.what {
            What::Formula(Logic::Ctl | Logic::Ltl, _) => true,
            // if such an engine is named, it refuses what is not of CTL by itself
            What::Formula(Logic::Star, _) => engine != Choice::Auto && !self.is_carried,
            _ => false,
        };
        is_of_logic && self.wanted().is_some_and(|wanted| file.is_of_states(wanted))
    }

    /// Whether it is an invariant, which is about all runs, fair or not.
    pub(crate) fn is_invariant(&self, file: &SmvFile) -> bool {
        match &self.what {
            What::Formula(_, Meaning::Wanted(wanted, _)) => {
                file.property(*wanted).kind == PropertyKind::Invariant
            }
            _ => false,
        }
    }
}

impl Meaning {
    /// As a formula: over labels, if there is a machine that has them.
    pub(crate) fn formula(self, machine: Option<&SmvMachine>) -> Formula {
        match (self, machine) {
            (Meaning::Wanted(wanted, _), Some(machine)) => machine.formula(wanted).clone(),
            (Meaning::Labels(formula) | Meaning::Wanted(_, formula), _) => formula,
        }
    }

    fn wanted(file: &mut SmvFile, property: SmvProperty) -> Self {
        let formula = property.formula.clone();
        Meaning::Wanted(file.want(property), formula)
    }
}

/// The language that properties are written in, by the kind of model.
pub(crate) enum Language<'a> {
    /// formulas over the labels of a machine
    Labels(&'a ReadMachine),
    /// formulas over the labels of a program, of which machines are made that have them
    #[cfg_attr(not(feature = "java"), allow(dead_code))]
    Program,
    /// the same, of a machine that was not read because a limit was reached
    AnyLabels,
    /// the same, of a model that is wrong: formulas are only read
    NoLabels,
    /// formulas over the variables of a file; without one, formulas are only read
    Smv(Option<&'a mut SmvFile>),
    /// formulas over the names of a circuit; without one, formulas are only read
    Circuit(Option<&'a CircuitModel>),
    /// formulas over the actions and labels of processes; without them, formulas are only read
    Processes(Option<&'a Processes>),
    /// formulas over the labels of a process without actions, with what CTL means at dead ends
    States(DeadEnds),
}

/// The reader of all that is asked.
pub(crate) struct Asking<'a> {
    request: &'a Request<'a>,
    language: Language<'a>,
    /// how many were written, right or wrong
    written: usize,
    asked: Vec<Asked>,
    reading: &'a mut Reading,
}

impl<'a> Asking<'a> {
    pub(crate) fn new(request: &'a Request<'a>, language: Language<'a>, reading: &'a mut Reading) -> Self {
        Self { request, language, written: 0, asked: Vec::new(), reading }
    }

    /// All questions, in the order formulas, files, automata, or else the properties the model
    /// carries. Problems are added to the reading, also if there is nothing to ask.
    pub(crate) fn all(mut self) -> Vec<Asked> {
        let Request { formulas, files, automata, .. } = *self.request;
        let logic = self.request.logic.unwrap_or(Logic::Ctl);
        for text in formulas {
            let input = Input::text(self.reading.words.formula, text);
            self.formula(text, logic, &input, 0, None);
        }
        for path in files {
            self.file(path, logic);
        }
        for path in automata {
            self.automaton(path);
        }
        let is_silent = self.written == 0 && files.is_empty();
        if is_silent {
            self.carried();
        }
        self.reading.turn_to(None);
        // a model that was not read may carry some
        let is_read = match &self.language {
            Language::Labels(_) | Language::Program | Language::States(_) => true,
            Language::Smv(file) => file.is_some(),
            Language::Circuit(circuit) => circuit.is_some(),
            Language::Processes(parallel) => parallel.is_some(),
            Language::AnyLabels | Language::NoLabels => false,
        };
        if self.written == 0 && (is_read || !is_silent) {
            let problem = Diagnostic::global("there is no property to check");
            self.reading.add(Input::named(""), problem.help(self.reading.words.ask).into());
        }
        self.asked
    }

    /// The place of the next.
    fn next(&mut self) -> usize {
        self.reading.turn_to(Some(self.written));
        self.written += 1;
        self.written - 1
    }

    /// A formula that stands at an offset of an input.
    fn formula(&mut self, text: &str, logic: Logic, input: &Input, shift: u64, source: Option<Source>) {
        let place = self.next();
        let is_taken = self.request.shard.is_none_or(|shard| shard.takes(place));
        let end = shift + text.len() as u64;
        let what = match &mut self.language {
            Language::Labels(_) | Language::Program | Language::AnyLabels if logic == Logic::Mu => {
                mu_formula(text, Syntax::Native).map(|formula| Some(What::Mu(logic, formula)))
            }
            Language::NoLabels if logic == Logic::Mu => mu_formula(text, Syntax::Native).map(|_| None),
            Language::Smv(_) | Language::Circuit(_) if logic == Logic::Mu => Err(no_mu().into()),
            Language::Labels(_) | Language::Program | Language::AnyLabels | Language::Circuit(Some(_)) => {
                parse(text).map(|formula| Some(What::Formula(logic, Meaning::Labels(formula))))
            }
            Language::NoLabels | Language::Circuit(None) => {
                parse(text).and_then(|formula| core(logic, &formula)).map(|_| None)
            }
            Language::Processes(model) => of_processes(*model, text, logic, Syntax::Native),
            Language::States(dead_ends) => of_states(*dead_ends, text, logic, Syntax::Native),
            Language::Smv(Some(file)) => smv_formula(file, text, logic, is_taken),
            Language::Smv(None) => well_formed(text).map(|()| None),
        };
        let structure = match &self.language {
            Language::Smv(Some(file)) => Some(file.root),
            _ => None,
        };
        match what {
            Ok(None) => {}
            Ok(Some(what)) => {
                let at = Position { shift: Some(shift), ..Position::new(place, input, (shift, end)) };
                let asked = self.asking(at, text.trim().to_owned(), what);
                self.asked.push(Asked { structure, source, ..asked });
            }
            Err(found) => {
                let mut placed = Diagnostics::default();
                for problem in found.sorted() {
                    let (offset, length) = match problem.offset {
                        Some(at) => (at + shift, problem.length),
                        None => (shift, text.len() as u32),
                    };
                    placed.push(Diagnostic { offset: Some(offset), length, ..problem.clone() });
                }
                self.reading.add(input.clone(), placed);
            }
        }
    }

    /// The formulas of a file, one per line.
    fn file(&mut self, path: &Path, logic: Logic) {
        self.reading.turn_to(Some(self.written));
        let Some(Text { input, content, problems: found }) = self.reading.text(path) else {
            self.written += 1;
            return;
        };
        if !found.is_empty() {
            self.written += found.len();
            self.reading.add(input.clone(), found);
        }
        if matches!(self.language, Language::Circuit(_)) {
            return self.circuit_file(path, &input, &content, logic);
        }
        if extension(path).is_some_and(|extension| extension == "mcf") {
            return self.mcf_file(path, &input, &content);
        }
        let file: Arc<str> = path.display().to_string().into();
        // names of SMV may hold a `#`
        let lines = PropertyLines::new(&content, matches!(self.language, Language::Smv(_)));
        for line in lines {
            let spent = self.reading.budget.spend(1 + line.text.len() / 4);
            let bytes = PROPERTY + PROPERTY_BYTE * line.text.len();
            if let Err(why) = spent.and_then(|()| self.reading.budget.charge(bytes)) {
                self.written += 1;
                return self.reading.stop(&input, why);
            }
            let source = Source { file: Arc::clone(&file), line: line.line };
            self.formula(line.text, logic, &input, line.offset, Some(source));
        }
    }

    /// The one formula of an `.mcf` file.
    fn mcf_file(&mut self, path: &Path, input: &Input, content: &str) {
        let place = self.next();
        let read = |text: &str, syntax| match &self.language {
            Language::Processes(model) => Some(of_processes(*model, text, Logic::Mu, syntax)),
            Language::States(dead_ends) => Some(of_states(*dead_ends, text, Logic::Mu, syntax)),
            _ => None,
        };
        let Some(found) = read(content, Syntax::Mcf) else {
            let problem = Diagnostic::global("formulas of .mcf files are about parallel processes");
            return self.reading.add(input.clone(), problem.into());
        };
        match found {
            Ok(None) => {}
            Ok(Some(what)) => {
                let end = content.len() as u64;
                // results are read again as formulas of ours
                let text = without_comments(content);
                let text = match (&what, read(&text, Syntax::Native)) {
                    (What::Mu(_, meant), Some(Ok(Some(What::Mu(_, native)))))
                        if meant.to_string() == native.to_string() =>
                    {
                        text
                    }
                    (What::Mu(_, meant), _) => meant.to_string(),
                    _ => text,
                };
                let source = Source { file: path.display().to_string().into(), line: 1 };
                // places in its problems are not places in the file, whose text is another one
                let asked = self.asking(Position::new(place, input, (0, end)), text, what);
                self.asked.push(Asked { source: Some(source), ..asked });
            }
            Err(found) => self.reading.add(input.clone(), found),
        }
    }

    /// An automaton, whose propositions are labels or, in an SMV file, conditions on states.
    fn automaton(&mut self, path: &Path) {
        let place = self.next();
        let Some((hoa, Text { input, content, .. })) = automaton(path, self.reading) else { return };
        let place_of = |name: &String| content.find(&format!("\"{name}\"")).map(|offset| offset as u64);
        let (mut wanted, mut structure) = (Vec::new(), None);
        match &mut self.language {
            Language::Labels(_) | Language::Program | Language::AnyLabels | Language::Circuit(Some(_)) => {}
            Language::Processes(_) | Language::States(_) => {
                let problem = Diagnostic::global("automata cannot be checked against parallel processes");
                return self.reading.add(input, problem.into());
            }
            Language::NoLabels | Language::Smv(None) | Language::Circuit(None) => return,
            Language::Smv(Some(file)) => {
                structure = Some(file.root);
                let (found, problems) = propositions(file, file.root, &hoa);
                let mut placed = Diagnostics::default();
                for (name, problem) in problems {
                    let (offset, length) = (place_of(&name), name.len() as u32 + 2);
                    placed.push(Diagnostic { offset, length, ..problem });
                }
                if !placed.is_empty() {
                    return self.reading.add(input, placed);
                }
                wanted = found;
            }
        }
        let propositions = hoa.propositions.iter().map(|name| (name.clone(), place_of(name))).collect();
        let at = Position { propositions: Some(propositions), ..Position::new(place, &input, (0, 1)) };
        let source = Some(Source { file: path.display().to_string().into(), line: 1 });
        let name = automaton_name(path, &hoa);
        let asked = self.asking(at, name, What::Automaton { hoa: Box::new(hoa), wanted });
        self.asked.push(Asked { structure, source, ..asked });
    }

    /// The properties that the model carries.
    fn carried(&mut self) {
        match &mut self.language {
            Language::Labels(model) => {
                let model: &ReadMachine = model;
                // they come in the order of the file
                let offsets: Vec<u64> = model.properties.iter().map(|property| property.offset).collect();
                let lines = model.input.lines(&offsets).unwrap_or_default();
                let file: Arc<str> = model.input.name().into();
                for (i, property) in model.properties.iter().enumerate() {
                    let source = |&line| Source { file: Arc::clone(&file), line: line as u32 };
                    let source = lines.get(i).map(source);
                    self.carried_by_machine(property, model, source);
                }
            }
            Language::Smv(Some(file)) => {
                let carried = written(file);
                let input = file.input.clone();
                let name: Arc<str> = input.name().into();
                let offsets: Vec<u64> = carried.iter().map(|one| one.span().0.into()).collect();
                let lines = input.lines(&offsets).unwrap_or_default();
                for (i, one) in carried.into_iter().enumerate() {
                    let source = |&line| Source { file: Arc::clone(&name), line: line as u32 };
                    self.carried_by_smv(one, &input, lines.get(i).map(source));
                }
            }
            Language::Circuit(Some(model)) => {
                let model: &CircuitModel = model;
                let (carried, remarks) = carried_by_circuit(&model.circuit);
                for one in carried {
                    self.carried_by_circuit(one, model);
                }
                if !remarks.is_empty() {
                    self.reading.add(model.input.clone(), remarks);
                }
            }
            Language::Program
            | Language::AnyLabels
            | Language::NoLabels
            | Language::Smv(None)
            | Language::Circuit(None)
            | Language::Processes(_)
            | Language::States(_) => {}
        }
    }

    /// The formulas of a file of properties of a circuit, over any number of lines each.
    fn circuit_file(&mut self, path: &Path, input: &Input, content: &str, logic: Logic) {
        let bytes = PROPERTY_BYTE * content.len();
        if let Err(why) =
            self.reading.budget.spend(content.len()).and_then(|()| self.reading.budget.charge(bytes))
        {
            self.written += 1;
            return self.reading.stop(input, why);
        }
        let (properties, problems) = parse_iimc(content);
        if !problems.is_empty() {
            self.written += problems.len();
            self.reading.add(input.clone(), problems);
        }
        let offsets: Vec<u64> = properties.iter().map(|property| property.offset).collect();
        let lines = input.lines(&offsets).unwrap_or_default();
        let file: Arc<str> = path.display().to_string().into();
        for (i, property) in properties.into_iter().enumerate() {
            let place = self.next();
            let IimcProperty { text, offset, formula, expected } = property;
            if matches!(self.language, Language::Circuit(None)) {
                continue;
            }
            let span = (offset, offset + text.len() as u64);
            let at = Position { shift: Some(0), ..Position::new(place, input, span) };
            let source = lines.get(i).map(|&line| Source { file: Arc::clone(&file), line: line as u32 });
            let asked = self.asking(at, on_one_line(text), What::Formula(logic, Meaning::Labels(formula)));
            self.asked.push(Asked { source, expected, ..asked });
        }
    }

    fn carried_by_machine(
        &mut self,
        property: &CarriedProperty,
        model: &ReadMachine,
        source: Option<Source>,
    ) {
        let place = self.next();
        let CarriedProperty { logic, text, offset } = property;
        let own =
            [Logic::Ctl, Logic::Ltl, Logic::Star, Logic::Mu].into_iter().find(|known| known.name() == logic);
        let Some(logic) = self.request.logic.or(own) else {
            let message = format!("this property is in the logic {logic}, which is not available yet");
            let problem = Diagnostic::error(*offset, 1, message).help(self.reading.words.ask_else);
            return self.reading.add(model.input.clone(), problem.into());
        };
        // a PDMU property as CTL names labels that the program may not have
        let by_format = if model.format == Format::Pdmu { UnknownAtoms::False } else { UnknownAtoms::Error };
        let at = Position {
            // a PDMU property as CTL is another formula than the one that was written
            shift: (model.format == Format::Pds || logic == Logic::Mu).then_some(*offset),
            ..Position::new(place, &model.input, (*offset, *offset + 1))
        };
        let what = match (logic, model.format) {
            (Logic::Mu, Format::Pdmu) => {
                mu_formula(text, Syntax::Pdmu).map(|formula| What::Mu(logic, formula))
            }
            (Logic::Mu, _) => mu_formula(text, Syntax::Native).map(|formula| What::Mu(logic, formula)),
            _ => parse(text).map(|formula| What::Formula(logic, Meaning::Labels(formula))),
        };
        match what {
            Ok(what) => {
                let unknown_atoms = self.request.unknown_atoms.unwrap_or(by_format);
                let asked = self.asking(at, on_one_line(text), what);
                self.asked.push(Asked { is_carried: true, unknown_atoms, source, ..asked });
            }
            Err(found) => self.reading.add(at.input.clone(), at.placed(&found)),
        }
    }

    fn carried_by_circuit(&mut self, one: CarriedByCircuit, model: &CircuitModel) {
        let place = self.next();
        let CarriedByCircuit { name, text, logic, counted_runs } = one;
        let input = Input::text(model.input.name(), &text);
        let at = Position { shift: Some(0), ..Position::new(place, &input, (0, text.len() as u64)) };
        match parse(&text) {
            Ok(formula) => {
                let asked = self.asking(at, text, What::Formula(logic, Meaning::Labels(formula)));
                self.asked.push(Asked { name: Some(name), is_carried: true, counted_runs, ..asked });
            }
            Err(problems) => self.reading.add(input, problems),
        }
    }

    fn carried_by_smv(&mut self, one: Written, input: &Input, source: Option<Source>) {
        let place = self.next();
        if self.request.shard.is_some_and(|shard| !shard.takes(place)) {
            return;
        }
        let Language::Smv(Some(file)) = &mut self.language else { return };
        let (start, end) = one.span();
        let logic = self.request.logic.unwrap_or(one.logic());
        if logic == Logic::Mu {
            let problem = Diagnostic { offset: Some(start.into()), length: end - start, ..no_mu() };
            return self.reading.add(input.clone(), problem.into());
        }
        let at = Position {
            instance: one.instance().to_owned(),
            shift: Some(0),
            ..Position::new(place, input, (start.into(), end.into()))
        };
        let (structure, text, name) = (Some(one.structure()), one.text(), one.name().map(str::to_owned));
        let what = match one {
            Written::Property(property) => What::Formula(logic, Meaning::wanted(file, property)),
            Written::Computation(found) => distance(file, *found),
            Written::Unsupported(property) => What::Unsupported(logic, property.what),
        };
        let (is_carried, unknown_atoms) = (true, UnknownAtoms::False);
        let asked = self.asking(at, text, what);
        self.asked.push(Asked { structure, name, is_carried, unknown_atoms, source, ..asked });
    }

    /// A question of the call.
    fn asking(&self, at: Position, text: String, what: What) -> Asked {
        Asked {
            at,
            structure: None,
            text,
            name: None,
            what,
            is_carried: false,
            unknown_atoms: self.request.unknown_atoms.unwrap_or_default(),
            source: None,
            counted_runs: CountedRuns::default(),
            expected: None,
        }
    }
}

/// A text with one space between words.
fn on_one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// The formula of an `.mcf` file on one line.
fn without_comments(content: &str) -> String {
    let lines = content.lines().map(|line| line.split('%').next().unwrap_or_default());
    lines.flat_map(str::split_whitespace).collect::<Vec<_>>().join(" ")
}

/// A formula over the actions and labels of processes.
fn of_processes(
    model: Option<&Processes>,
    text: &str,
    logic: Logic,
    syntax: Syntax,
) -> Result<Option<What>, Diagnostics> {
    let knows = |name: &str| model.is_some_and(|model| model.system.actions().find(name).is_some());
    let dead_ends = model.map(|model| model.dead_ends).unwrap_or_default();
    let found = about(&mu::Reading { syntax, dead_ends, knows_action: &knows }, text, logic)?;
    Ok(model.map(|_| found))
}

/// A formula over the labels of a process without actions.
fn of_states(
    dead_ends: DeadEnds,
    text: &str,
    logic: Logic,
    syntax: Syntax,
) -> Result<Option<What>, Diagnostics> {
    about(&mu::Reading { syntax, dead_ends, ..mu::Reading::default() }, text, logic).map(Some)
}

fn about(reading: &mu::Reading<'_>, text: &str, logic: Logic) -> Result<What, Diagnostics> {
    if !matches!(logic, Logic::Ctl | Logic::Mu) {
        let message = format!("parallel processes are checked for ctl and mu, not for {}", logic.name());
        return Err(Diagnostic::global(message).into());
    }
    mu::parse_with(text, reading).map(|formula| What::Mu(logic, formula))
}

/// Why a property of a model that has variables is not read as a formula of the mu-calculus: one
/// that is given is about the states of the model, as those of a process.
fn no_mu() -> Diagnostic {
    Diagnostic::global("a property that an SMV model or a circuit carries is not one of the mu-calculus")
        .help("formulas of the mu-calculus are given beside the model")
}

/// A formula of an SMV file; if it is not taken, only whether it is one.
fn smv_formula(
    file: &mut SmvFile,
    text: &str,
    logic: Logic,
    is_taken: bool,
) -> Result<Option<What>, Diagnostics> {
    let what = match file.computation(file.root, text) {
        Some(computation) => computation.map(|found| is_taken.then(|| distance(file, found))),
        None => file
            .resolve(file.root, text)
            .map(|property| is_taken.then(|| What::Formula(logic, Meaning::wanted(file, property)))),
    };
    what.or_else(|found| match found.unsupported() {
        Some(what) => Ok(is_taken.then(|| What::Unsupported(logic, what.to_owned()))),
        None => Err(found),
    })
}

fn distance(file: &mut SmvFile, Computation { longest, from, to }: Computation) -> What {
    What::Distance(longest, [from, to].map(|side| Meaning::wanted(file, side)))
}

/// Whether a text is a formula of SMV, whatever its names mean.
fn well_formed(text: &str) -> Result<(), Diagnostics> {
    let mut empty = File::default();
    let read = if let Some(found) = parse_computation(text, &mut empty.names, &mut empty.exprs) {
        found.map(|_| ())
    } else {
        let mut read = |text: &str| parse_property(text, &mut empty.names, &mut empty.exprs).map(|_| ());
        read(text).or_else(|problems| match respelled(text, |_| false) {
            Some(meant) => read(&meant).map_err(|_| problems),
            None => Err(problems),
        })
    };
    read.or_else(|found| if found.unsupported().is_some() { Ok(()) } else { Err(found) })
}

/// Reads an automaton; problems are added to the reading.
pub(crate) fn automaton(path: &Path, reading: &mut Reading) -> Option<(Hoa, Text)> {
    let text = reading.text(path)?;
    if !text.problems.is_empty() {
        reading.add(text.input, text.problems);
        return None;
    }
    match parse_hoa_within(&text.content, &mut reading.budget) {
        Ok(hoa) => return Some((hoa, text)),
        Err(Stopped::Wrong(errors)) => reading.add(text.input, errors),
        Err(Stopped::Exhausted(why)) => reading.stop(&text.input, why),
    }
    None
}

/// The name of an automaton in results: its own, or that of its file.
pub(crate) fn automaton_name(path: &Path, hoa: &Hoa) -> String {
    hoa.name.clone().filter(|name| !name.is_empty()).unwrap_or_else(|| path.display().to_string())
}

/// The labels that a formula names, and whether it counts steps.
pub(crate) fn seen_by(formula: &Formula) -> (Vec<String>, bool) {
    let names = formula.atoms().iter().map(str::to_owned).collect();
    (names, formula.nodes().any(|(_, node)| matches!(node, Node::X(_))))
}
