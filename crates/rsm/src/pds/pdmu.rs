//! `.pdmu`, the format of `JimpleToPDSolver`: rules, labels of heads, and a property.
//!
//! ```text
//! Rules:
//! q main -> q f next;     a call of f that goes on at next; `_` is an empty word
//! Propositions:
//! q main p r;             p and r hold at the head of q and main
//! Mu Property:
//! mu Z. p | <>Z
//! ```
//!
//! Runs start where no rule leads: at the control state `csinit`, or else the only one that is not
//! the target of a rule. All problems are reported at once. Linear in the text.

use super::atoms::Mention;
use super::batch::Batch;
use super::items::MOST;
use super::reader::Reader;
use super::scan::unknown;
use super::scan::{Problem, Scanner, Token};
use super::stream::{Parts, read_parts};
use super::{CarriedProperty, Configuration, Control, HeadLabel, Pds, StackSymbol, long, mu};
use crate::account::{ahead, names_ahead};
use crate::json::ReadError;

use loris_base::{Budget, Diagnostic, Diagnostics, Exhausted, Idx, Stopped};
use std::io::Read;

const RULE: &str = "a rule is written `p a -> q b c;`, the top of the stack first, and `_` for an empty word";
const PROPOSITION: &str = "write a control state, a symbol, and what holds there: `p a label label;`";

/// How much is read at a time.
const PART: usize = 1 << 18;

/// Reads a pushdown system in the format of `JimpleToPDSolver`.
///
/// ```
/// let text = "Rules:\nq f -> q _;\ncsinit # -> q f #;\nPropositions:\nq f p;\nMu Property:\nmu Z. p | <>Z\n";
/// let pds = loris_rsm::read_pdmu(text).unwrap();
/// assert_eq!((pds.rules.len(), pds.head_labels.len()), (2, 1));
/// assert_eq!(pds.control_name(pds.initial[0].control), "csinit");
/// assert_eq!(pds.properties[0].logic, "mu");
/// ```
///
/// # Errors
/// All problems of the text, with their byte offsets.
pub fn read_pdmu(text: &str) -> Result<Pds, Diagnostics> {
    read_pdmu_within(text, &mut Budget::unlimited()).map_err(Stopped::into_problems)
}

/// The same within a budget, in which the system stays declared; the text is the caller's.
///
/// # Errors
/// All problems of the text, or that the budget is used up.
pub fn read_pdmu_within(text: &str, budget: &mut Budget) -> Result<Pds, Stopped> {
    let mut reader = PdmuReader::default();
    reader.part(text, 0, budget)?;
    reader.finish(budget)
}

/// The same from a source that need not fit into memory.
///
/// # Errors
/// [`ReadError::Io`] if the source fails, else all problems of the text, or that the budget is used
/// up.
pub fn read_pdmu_from(source: impl Read, budget: &mut Budget) -> Result<Pds, ReadError> {
    let mut reader = PdmuReader::default();
    read_parts(source, PART, &mut reader, budget)?;
    Ok(reader.finish(budget)?)
}

/// The system read so far.
#[derive(Default)]
struct PdmuReader {
    reader: Reader,
    section: Section,
    /// some rules could not be read
    broken: bool,
    propositions: Vec<Proposition>,
    labels: Vec<HeadLabel>,
    /// where the property starts, and its text so far
    property: Option<(usize, String)>,
    /// bytes that are declared for all but the rules
    held: usize,
}

impl Parts for PdmuReader {
    fn part(&mut self, text: &str, base: usize, budget: &mut Budget) -> Result<(), Exhausted> {
        if self.section == Section::None && self.broken {
            return Ok(());
        }
        let mut scanner = Scanner::new(text, base);
        let mut batch = Batch::new(text, base);
        if self.property.is_some() {
            self.add_property(scanner.rest(), budget)?;
        }
        while scanner.next_item() {
            self.reader.next(&scanner, budget)?;
            if let Some(next) = heading(&mut scanner) {
                self.section = next;
                if next == Section::Property {
                    self.add_property(scanner.rest(), budget)?;
                }
                continue;
            }
            let item = match self.section {
                Section::Rules => rule(&mut self.reader, &mut scanner, &mut batch),
                Section::Propositions => {
                    let held = ahead(&self.propositions, 1)
                        + ahead(&self.labels, 1)
                        // each is held once more when it is resolved
                        + 12 * self.labels.len()
                        + names_ahead(&self.reader.pds.labels, 0);
                    budget.grow(&mut self.held, held)?;
                    self.proposition(&mut scanner)
                }
                Section::None | Section::Property => {
                    Err(scanner.unexpected("`Rules:`").help("a file starts with `Rules:`"))
                }
            };
            if let Some(problem) = scanner.too_long() {
                self.reader.problems.push(problem);
            }
            if let Err(problem) = item {
                self.reader.problems.push(problem.into());
                self.broken |= self.section != Section::Propositions;
                if self.section == Section::None {
                    break;
                }
                scanner.skip_past(b';');
            }
        }
        self.reader.flush(&mut batch);
        Ok(())
    }
}

#[derive(Clone, Copy, Default, PartialEq, Eq)]
enum Section {
    #[default]
    None,
    Rules,
    Propositions,
    Property,
}

fn heading(scanner: &mut Scanner) -> Option<Section> {
    // `take_all` is only tried where a heading could start
    if !matches!(scanner.peek(), Some(b'R' | b'P' | b'M')) {
        return None;
    }
    let headings = [
        ("Rules:", Section::Rules),
        ("Propositions:", Section::Propositions),
        ("Mu Property:", Section::Property),
    ];
    headings.iter().find(|(text, _)| scanner.take_all(text)).map(|&(_, section)| section)
}

fn demand<'t>(scanner: &mut Scanner<'t>, what: &str, help: &str) -> Result<Token<'t>, Problem> {
    let token = scanner.name();
    if token.text.is_empty() { Err(scanner.unexpected(what).help(help)) } else { Ok(token) }
}

fn rule<'t>(reader: &mut Reader, scanner: &mut Scanner<'t>, batch: &mut Batch<'t>) -> Result<(), Problem> {
    let control = demand(scanner, "a control state", RULE)?;
    let symbol = demand(scanner, "a stack symbol", RULE)?;
    if !scanner.take_all("->") {
        return Err(scanner.unexpected("`->`").help(RULE));
    }
    let to = demand(scanner, "a control state", RULE)?;
    let first = demand(scanner, "a stack symbol or `_`", RULE)?;
    let (mut word, mut more) = ([first, Token::default()], Vec::new());
    if first.text == "_" {
        word[0] = Token::default();
    } else {
        word[1] = scanner.name();
        while !matches!(scanner.peek(), Some(b';')) {
            let next = scanner.name();
            if next.text.is_empty() {
                break;
            }
            if more.len() > long::LONGEST {
                return Err(long::too_long(next));
            }
            more.push(next);
        }
    }
    if !scanner.take(b';') {
        return Err(scanner.unexpected("`;` after a rule").help(RULE));
    }
    if more.is_empty() {
        let names = [symbol.into(), word[0].into(), word[1].into()];
        reader.add_rule(control.into(), to.into(), names, batch)
    } else {
        reader.add_long_rule([control, symbol, to, word[0], word[1]], &more, batch)
    }
}

/// A head and its label.
struct Proposition {
    control: Mention,
    symbol: Mention,
    /// where its labels end in the list of all
    labels_end: usize,
}

/// As long as a formula may be, in bytes.
const LONGEST_PROPERTY: usize = 16 << 20;

impl PdmuReader {
    fn proposition(&mut self, scanner: &mut Scanner) -> Result<(), Problem> {
        let control = demand(scanner, "a control state", PROPOSITION)?;
        let symbol = demand(scanner, "a stack symbol", PROPOSITION)?;
        let start = self.labels.len();
        loop {
            let label = scanner.name();
            if label.text.is_empty() {
                break;
            }
            if self.labels.len() - start == MOST {
                return Err(Problem::from(label.problem(format!("a head has at most {MOST} labels"))));
            }
            self.labels.push(HeadLabel::new(self.reader.pds.labels.intern(label.text).index()));
        }
        if !scanner.take(b';') {
            self.labels.truncate(start);
            return Err(scanner.unexpected("`;` after what holds at a head").help(PROPOSITION));
        }
        let mentions = &mut self.reader.atoms.mentions;
        let (control, symbol) = (mentions.add(control), mentions.add(symbol));
        self.propositions.push(Proposition { control, symbol, labels_end: self.labels.len() });
        Ok(())
    }

    /// Takes the next part of the property; one that is too long is kept as far as is needed to see
    /// that.
    fn add_property(&mut self, part: Token, budget: &mut Budget) -> Result<(), Exhausted> {
        let (_, text) = self.property.get_or_insert_with(|| (part.offset, String::new()));
        if text.len() <= 2 * LONGEST_PROPERTY {
            budget.charge(part.text.len())?;
            text.push_str(part.text);
        }
        Ok(())
    }

    fn read_property(&mut self) {
        let Some((offset, formula)) = self.property.take() else { return };
        let text = formula.trim();
        if text.is_empty() {
            let problem = Diagnostic::error(offset as u64, 1, "the property is missing");
            self.reader.problems.push(problem.help("leave out `Mu Property:` if there is none"));
            return;
        }
        if text.len() > LONGEST_PROPERTY {
            let message = format!("the property is longer than {} MiB", LONGEST_PROPERTY >> 20);
            self.reader.problems.push(Diagnostic::error(offset as u64, 1, message));
            return;
        }
        let start = offset + (formula.len() - formula.trim_start().len());
        let (logic, text) = match mu::use_def(text) {
            Some(ctl) => ("ctl", ctl),
            None => ("mu", without_comments(text)),
        };
        let property = CarriedProperty { logic: logic.to_owned(), text, offset: start as u64 };
        self.reader.pds.properties.push(property);
    }

    fn finish(mut self, budget: &mut Budget) -> Result<Pds, Stopped> {
        let held = self.held + self.reader.held() + self.property.as_ref().map_or(0, |(_, text)| text.len());
        self.read_property();
        let Self { mut reader, broken, propositions, labels, .. } = self;
        let mut pds = std::mem::take(&mut reader.pds);
        pds.rules.shrink_to_fit();
        pds.controls = reader.controls.names;
        pds.symbols = reader.symbols.names;
        let mut problems = reader.problems;
        if pds.rules.is_empty() && !broken {
            problems.push(Diagnostic::global("there is no rule").help("a file starts with `Rules:`"));
        }
        let mentions = reader.atoms.mentions;
        let (controls, symbols) = (mentions.numbers(&pds.controls), mentions.numbers(&pds.symbols));
        let mut start = 0;
        for Proposition { control, symbol, labels_end } in propositions {
            let known = (controls[control.name.index()], symbols[symbol.name.index()]);
            if let (Some(control), Some(symbol)) = known {
                let head = (Control::new(control as usize), StackSymbol::new(symbol as usize));
                pds.head_labels
                    .extend(labels[start..labels_end].iter().map(|&label| (head.0, head.1, label)));
            } else if !broken {
                // after a rule that could not be read a name may only seem to be unknown
                unknown(&pds.controls, mentions.token(control), "control state", &mut problems);
                unknown(&pds.symbols, mentions.token(symbol), "stack symbol", &mut problems);
            }
            start = labels_end;
        }
        drop((mentions, labels));
        if !broken
            && !pds.rules.is_empty()
            && let Err(problem) = initial(&mut pds)
        {
            problems.push(problem.into());
        }
        match long::split(&mut pds, &reader.long, budget)? {
            Ok(fresh) => long::copy_labels(&mut pds, &fresh),
            Err(problem) => problems.push(problem.into()),
        }
        budget.release(held);
        budget.charge(pds.bytes())?;
        Ok(problems.into_result(pds)?)
    }
}

/// A formula with blanks in place of its comments, so that all else keeps its place.
fn without_comments(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    for line in text.split_inclusive('\n') {
        let (formula, comment) = line.split_at(line.find("//").unwrap_or(line.len()));
        plain.push_str(formula);
        plain.extend(comment.bytes().map(|byte| if byte == b'\n' { '\n' } else { ' ' }));
    }
    plain.truncate(plain.trim_end().len());
    plain
}

/// Finds the control state where runs start, and the one symbol it has rules for.
fn initial(pds: &mut Pds) -> Result<(), Problem> {
    let mut entered = vec![false; pds.controls.len()];
    for rule in pds.rules.iter().filter(|rule| rule.to != rule.control) {
        entered[rule.to.index()] = true;
    }
    let named = pds.controls.find("csinit").map(Idx::index);
    let mut starts = (0..entered.len()).filter(|&control| !entered[control]);
    let only = match (starts.next(), starts.next()) {
        (Some(start), None) => Some(start),
        _ => None,
    };
    let Some(control) = named.or(only).map(Control::new) else {
        let problem = Diagnostic::global("it is not clear where runs start");
        return Err(Problem::from(
            problem.help("name the first control state `csinit`: `csinit # -> q main #;`"),
        ));
    };
    let mut rules = pds.rules.iter().filter(|rule| rule.control == control);
    let Some(first) = rules.next() else {
        let message = format!("no rule starts from the control state \"{}\"", pds.control_name(control));
        return Err(Problem::from(Diagnostic::global(message)));
    };
    if let Some(other) = rules.find(|rule| rule.symbol != first.symbol) {
        let (one, two) = (pds.symbol_name(first.symbol), pds.symbol_name(other.symbol));
        let message = format!("runs may start with \"{one}\" or with \"{two}\" on the stack");
        return Err(Problem::from(Diagnostic::error(u64::from(other.offset), 1, message)));
    }
    let (stack, offset) = (vec![first.symbol], u64::from(first.offset));
    pds.initial.push(Configuration { control, stack, offset });
    Ok(())
}
