//! What is asked of an SMV file: properties of the command line and of files, automata, or what it carries.

use super::{SmvFile, SmvMachine, Wish, Written, written};
use crate::input::{self, Input, Problems, Text};
use crate::questions::{self, automaton, automaton_name, nothing_to_check};
use loris_base::{Diagnostic, Diagnostics};
use loris_check::{Logic, Shard, Source};
use loris_logic::automaton::Hoa;
use loris_logic::{Fairness, Formula, Node};
use loris_smv::ir::{Computation, Property, PropertyKind, StructureId};
use loris_smv::syntax::{ast::File, parse_computation, parse_property, respelled};
use std::path::Path;
use std::sync::Arc;

/// Something that is asked of a module.
pub(crate) struct Asked {
    /// its place among all that is asked
    pub(crate) place: usize,
    pub(crate) structure: StructureId,
    /// where in the module it was written
    pub(crate) instance: String,
    pub(crate) text: String,
    /// as the file calls it
    pub(crate) name: Option<String>,
    pub(crate) what: What,
    /// whether the file carries it
    pub(crate) is_carried: bool,
    pub(crate) source: Option<Source>,
    /// where problems with it are told
    pub(crate) input: Input,
    /// where in there its text starts and ends
    span: (u64, u64),
    /// what to add to the places in its formula
    shift: u64,
}

/// What is asked.
pub(crate) enum What {
    Formula(Logic, Wish),
    /// how many steps it takes from one condition to another: at most, or at least
    Distance(bool, [Wish; 2]),
    /// something with a part that is not supported, by name
    Unsupported(Logic, String),
    /// whether an automaton accepts some run; what each of its propositions is
    Automaton(Box<Hoa>, Vec<Wish>),
}

impl Asked {
    /// What makes the runs fair that it is about.
    pub(crate) fn fairness(&self, file: &SmvFile, machine: Option<&SmvMachine>) -> Fairness {
        if let What::Formula(_, wish) = &self.what
            && file.property(*wish).kind == PropertyKind::Invariant
        {
            // an invariant is about all runs
            return Fairness::default();
        }
        match machine {
            Some(machine) => machine.fairness(self.structure).clone(),
            None => file.fairness(self.structure),
        }
    }

    /// A problem of the whole.
    pub(crate) fn problem(&self, message: impl Into<String>) -> Diagnostic {
        let (start, end) = self.span;
        Diagnostic::error(start, (end - start) as usize, message)
    }

    /// Problems with its formula, where they are in the input.
    pub(crate) fn placed(&self, problems: &Diagnostics) -> Diagnostics {
        let (start, end) = self.span;
        let mut placed = Diagnostics::default();
        for problem in problems.sorted() {
            placed.push(match problem.offset {
                Some(at) => Diagnostic { offset: Some(at + self.shift), ..problem.clone() },
                None => Diagnostic { offset: Some(start), length: (end - start) as u32, ..problem.clone() },
            });
        }
        placed
    }
}

/// All that is asked, in the order formulas, files, automata, or else what the file carries. What is wrong is
/// added to the problems; so is that there is nothing to ask. Without a file, formulas are only read.
pub(crate) fn asked(
    call: &questions::Asked<'_>,
    file: Option<&mut SmvFile>,
    shard: Option<Shard>,
    problems: &mut Problems,
) -> Vec<Asked> {
    let logic = call.logic.unwrap_or(Logic::Ctl);
    let mut asking = Asking { file, shard, written: 0, asked: Vec::new(), problems };
    for text in call.formulas {
        asking.formula(text, logic, &Input::text("-p", text), 0, None);
    }
    for path in call.files {
        asking.file(path, logic);
    }
    for path in call.automata {
        asking.automaton(path);
    }
    if asking.written == 0 && call.files.is_empty() {
        asking.carried(call.logic);
    }
    if asking.written == 0 && (asking.file.is_some() || !call.files.is_empty()) {
        nothing_to_check(asking.problems);
    }
    asking.asked
}

struct Asking<'a> {
    file: Option<&'a mut SmvFile>,
    shard: Option<Shard>,
    /// how many were written, right or wrong
    written: usize,
    asked: Vec<Asked>,
    problems: &'a mut Problems,
}

impl Asking<'_> {
    /// The place of the next, and whether it is to be asked.
    fn next(&mut self) -> (usize, bool) {
        self.written += 1;
        let place = self.written - 1;
        (place, self.shard.is_none_or(|shard| shard.takes(place)))
    }

    /// A formula that stands at an offset of an input.
    fn formula(&mut self, text: &str, logic: Logic, input: &Input, shift: u64, source: Option<Source>) {
        let (place, is_taken) = self.next();
        let found = match &mut self.file {
            Some(file) => Found::of(file, text),
            None => Found::without_file(text),
        };
        let found = found.map_err(|found| {
            let mut placed = Diagnostics::default();
            for problem in found.sorted() {
                placed.push(Diagnostic { offset: problem.offset.map(|at| at + shift), ..problem.clone() });
            }
            placed
        });
        let what = match (found, &mut self.file) {
            (Ok(Found::Property(property)), Some(file)) if is_taken => {
                What::Formula(logic, file.want(*property))
            }
            (Ok(Found::Computation(found)), Some(file)) if is_taken => {
                let Computation { longest, from, to } = *found;
                What::Distance(longest, [from, to].map(|side| file.want(side)))
            }
            (Ok(_), _) => return,
            (Err(found), file) => match (found.unsupported(), file) {
                (Some(what), Some(_)) if is_taken => What::Unsupported(logic, what.to_owned()),
                (Some(_), _) => return,
                (None, _) => return self.problems.add(input.clone(), found),
            },
        };
        let Some(file) = &self.file else { return };
        self.asked.push(Asked {
            is_carried: false,
            place,
            structure: file.root,
            instance: String::new(),
            name: None,
            text: text.trim().to_owned(),
            what,
            source,
            input: input.clone(),
            span: (shift, shift + text.len() as u64),
            shift,
        });
    }

    /// The formulas of a file, one a line.
    fn file(&mut self, path: &Path, logic: Logic) {
        let Some(Text { input, content, problems: found }) = input::text(path, self.problems) else {
            self.written += 1;
            return;
        };
        if !found.is_empty() {
            self.written += found.len();
            self.problems.add(input, found);
            return;
        }
        let file: Arc<str> = path.display().to_string().into();
        let mut offset = 0;
        for (number, line) in content.split_inclusive('\n').enumerate() {
            let text = without_comment(line.trim_start_matches('\u{feff}'));
            let start = offset + (line.len() - line.trim_start_matches('\u{feff}').len());
            let start = start + (text.len() - text.trim_start().len());
            if !text.trim().is_empty() {
                let source = Source { file: Arc::clone(&file), line: number as u32 + 1 };
                self.formula(text.trim(), logic, &input, start as u64, Some(source));
            }
            offset += line.len();
        }
    }

    /// An automaton, whose propositions are conditions on states.
    fn automaton(&mut self, path: &Path) {
        let (place, is_taken) = self.next();
        let Some((hoa, Text { input, content, .. })) = automaton(path, self.problems) else { return };
        let Some(file) = &mut self.file else { return };
        let (found, problems) = propositions(file, file.root, &hoa);
        let mut placed = Diagnostics::default();
        for (name, problem) in problems {
            let quoted = format!("\"{name}\"");
            let offset = content.find(&quoted).map(|offset| offset as u64);
            placed.push(Diagnostic { offset, length: quoted.len() as u32, ..problem });
        }
        let is_wrong = !placed.is_empty();
        self.problems.add(input.clone(), placed);
        if is_taken && !is_wrong {
            let structure = file.root;
            self.asked.push(Asked {
                place,
                structure,
                instance: String::new(),
                name: None,
                text: automaton_name(path, &hoa),
                what: What::Automaton(Box::new(hoa), found),
                is_carried: false,
                source: Some(Source { file: path.display().to_string().into(), line: 1 }),
                input,
                span: (0, 1),
                shift: 0,
            });
        }
    }

    /// The properties that the file carries.
    fn carried(&mut self, logic: Option<Logic>) {
        let Some(file) = &self.file else { return };
        let carried = written(file);
        let input = file.input.clone();
        let name: Arc<str> = input.name().into();
        let offsets: Vec<u64> = carried.iter().map(|one| one.span().0.into()).collect();
        let lines = input.lines(&offsets).unwrap_or_default();
        for (i, one) in carried.into_iter().enumerate() {
            let (place, is_taken) = self.next();
            let Some(file) = self.file.as_mut().filter(|_| is_taken) else { continue };
            let (start, end) = one.span();
            let logic = logic.unwrap_or(one.logic());
            self.asked.push(Asked {
                place,
                structure: one.structure(),
                instance: one.instance().to_owned(),
                text: one.text(),
                name: one.name().map(str::to_owned),
                is_carried: true,
                source: lines.get(i).map(|&line| Source { file: Arc::clone(&name), line: line as u32 }),
                input: input.clone(),
                span: (start.into(), end.into()),
                shift: 0,
                what: match one {
                    Written::Property(property) => What::Formula(logic, file.want(property)),
                    Written::Computation(found) => {
                        let Computation { longest, from, to } = *found;
                        What::Distance(longest, [from, to].map(|side| file.want(side)))
                    }
                    Written::Unsupported(property) => What::Unsupported(logic, property.what),
                },
            });
        }
    }
}

/// What a text asks.
enum Found {
    Property(Box<Property>),
    Computation(Box<Computation>),
    /// without a file, nothing is known but that it is well-formed
    Something,
}

impl Found {
    fn of(file: &mut SmvFile, text: &str) -> Result<Self, Diagnostics> {
        match file.computation(file.root, text) {
            Some(computation) => computation.map(Box::new).map(Found::Computation),
            None => file.resolve(file.root, text).map(Box::new).map(Found::Property),
        }
    }

    fn without_file(text: &str) -> Result<Self, Diagnostics> {
        let mut empty = File::default();
        if let Some(computation) = parse_computation(text, &mut empty.names, &mut empty.exprs) {
            return computation.map(|_| Found::Something);
        }
        let mut read = |text: &str| parse_property(text, &mut empty.names, &mut empty.exprs);
        read(text)
            .or_else(|problems| match respelled(text, |_| false) {
                Some(meant) => read(&meant).map_err(|_| problems),
                None => Err(problems),
            })
            .map(|_| Found::Something)
    }
}

/// What the propositions of an automaton are in a module, and what is wrong with some.
pub(crate) fn propositions(
    file: &mut SmvFile,
    structure: StructureId,
    hoa: &Hoa,
) -> (Vec<Wish>, Vec<(String, Diagnostic)>) {
    let (mut found, mut problems) = (Vec::new(), Vec::new());
    for name in &hoa.propositions {
        match file.resolve(structure, name) {
            Ok(property) if is_atom(&property.formula) => found.push(file.want(property)),
            Ok(_) => {
                let problem =
                    Diagnostic::global(format!("the proposition \"{name}\" is no single condition"));
                problems.push((name.clone(), problem.help("give it a name with DEFINE")));
            }
            Err(errors) => {
                problems.extend(errors.sorted().into_iter().map(|problem| (name.clone(), problem.clone())));
            }
        }
    }
    (found, problems)
}

/// Whether a formula is one atom.
pub(crate) fn is_atom(formula: &Formula) -> bool {
    matches!(formula.node(formula.root()), Node::Atom(_))
}

/// Whether a property is about no run, only about a state.
pub(crate) fn is_condition(property: &Property) -> bool {
    debug_assert_eq!(
        property.kind,
        PropertyKind::Given,
        "others have temporal operators that are not written"
    );
    property.formula.nodes().all(|(_, node)| !node.is_temporal() && !node.is_quantifier())
}

/// A line of a property file up to its comment, which starts with `#`; one that starts with `--` is a comment. Names of SMV may hold a `#`.
fn without_comment(line: &str) -> &str {
    let starts = line.match_indices('#').map(|(at, _)| at);
    let mut starts = starts.filter(|&at| line[..at].ends_with(char::is_whitespace) || at == 0);
    let end = starts.next().unwrap_or(line.len());
    let is_comment = line.trim_start().starts_with("--");
    if is_comment { "" } else { &line[..end] }
}
