//! `.pdmu`, the format of `JimpleToPDSolver`: rules, what holds at heads, and a property.
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
//! Runs start where no rule leads: at the control state `csinit`, or else the only one that is no rule's
//! target. All problems are reported at once. Linear in the text.

use super::items::MOST;
use super::read::{Reader, unknown};
use super::scan::{Problem, Scanner, Token};
use super::{Configuration, Control, HeadLabel, Pds, Property, StackSymbol, long, mu};
use crate::account::ahead;

use loris_base::{Budget, Diagnostic, Diagnostics, Idx, Stopped};

const RULE: &str = "a rule is written `p a -> q b c;`, the top of the stack first, and `_` for an empty word";
const PROPOSITION: &str = "write a control state, a symbol, and what holds there: `p a label label;`";

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
    let mut scanner = Scanner::new(text);
    let mut reader = Reader::new();
    let mut propositions = Vec::new();
    let mut section = Section::None;
    let mut broken = false;
    let (mut held, mut listed) = (0, 0);
    while scanner.next_item() {
        reader.next(&scanner, budget)?;
        let of_propositions = ahead(&propositions, 1) + (size_of::<Token>() + 12) * listed;
        budget.grow(&mut held, of_propositions)?;
        if let Some(next) = heading(&mut scanner) {
            section = next;
            if section == Section::Property {
                property(&mut reader, scanner.rest());
            }
            continue;
        }
        let item = match section {
            Section::Rules => rule(&mut reader, &mut scanner),
            Section::Propositions => {
                let done = proposition(&mut propositions, &mut scanner);
                listed += propositions.last().map_or(0, |last: &Proposition| last.labels.capacity());
                done
            }
            Section::None | Section::Property => {
                Err(scanner.unexpected("`Rules:`").help("a file starts with `Rules:`"))
            }
        };
        if let Some(problem) = scanner.too_long() {
            reader.problems.push(problem);
        }
        if let Err(problem) = item {
            reader.problems.push(problem.into());
            broken |= section != Section::Propositions;
            if section == Section::None {
                break;
            }
            scanner.skip_past(b';');
        }
    }
    let pds = finish(reader, &propositions, broken, budget)?;
    budget.release(held);
    Ok(pds)
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Section {
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

fn rule<'t>(reader: &mut Reader<'t>, scanner: &mut Scanner<'t>) -> Result<(), Problem> {
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
    reader.add_rule(control, symbol, to, word, &more)
}

/// A head and what holds there.
struct Proposition<'t> {
    control: Token<'t>,
    symbol: Token<'t>,
    labels: Vec<Token<'t>>,
}

fn proposition<'t>(
    propositions: &mut Vec<Proposition<'t>>,
    scanner: &mut Scanner<'t>,
) -> Result<(), Problem> {
    let control = demand(scanner, "a control state", PROPOSITION)?;
    let symbol = demand(scanner, "a stack symbol", PROPOSITION)?;
    let mut labels = Vec::new();
    loop {
        let label = scanner.name();
        if label.text.is_empty() {
            break;
        }
        if labels.len() == MOST {
            return Err(Problem::from(label.problem(format!("a head has at most {MOST} labels"))));
        }
        labels.push(label);
    }
    if !scanner.take(b';') {
        return Err(scanner.unexpected("`;` after what holds at a head").help(PROPOSITION));
    }
    propositions.push(Proposition { control, symbol, labels });
    Ok(())
}

/// As long as a formula may be, in bytes.
const LONGEST_PROPERTY: usize = 16 << 20;

fn property(reader: &mut Reader, formula: Token) {
    let text = formula.text.trim();
    if text.is_empty() {
        let problem = Diagnostic::error(formula.offset as u64, 1, "the property is missing");
        reader.problems.push(problem.help("leave out `Mu Property:` if there is none"));
        return;
    }
    if text.len() > LONGEST_PROPERTY {
        let message = format!("the property is longer than {} MiB", LONGEST_PROPERTY >> 20);
        reader.problems.push(Diagnostic::error(formula.offset as u64, 1, message));
        return;
    }
    let start = formula.offset + (formula.text.len() - formula.text.trim_start().len());
    let (logic, text) = match mu::use_def(text) {
        Some(ctl) => ("ctl", ctl),
        None => ("mu", text.split_whitespace().collect::<Vec<_>>().join(" ")),
    };
    reader.pds.properties.push(Property { logic: logic.to_owned(), text, offset: start as u64 });
}

/// Ends reading; of a `broken` text some rules are not known.
fn finish(
    mut reader: Reader,
    propositions: &[Proposition],
    broken: bool,
    budget: &mut Budget,
) -> Result<Pds, Stopped> {
    let held = reader.held();
    let mut pds = std::mem::take(&mut reader.pds);
    pds.controls = reader.controls.names;
    pds.symbols = reader.symbols.names;
    let mut problems = reader.problems;
    if pds.rules.is_empty() && !broken {
        problems.push(Diagnostic::global("there is no rule").help("a file starts with `Rules:`"));
    }
    for proposition in propositions {
        let (control, symbol) =
            (pds.controls.find(proposition.control.text), pds.symbols.find(proposition.symbol.text));
        if let (Some(control), Some(symbol)) = (control, symbol) {
            let head = (Control::new(control.index()), StackSymbol::new(symbol.index()));
            for label in &proposition.labels {
                let label = HeadLabel::new(pds.labels.intern(label.text).index());
                pds.head_labels.push((head.0, head.1, label));
            }
        } else if !broken {
            // after a rule that could not be read a name may only seem to be unknown
            unknown(&pds.controls, proposition.control, "control state", &mut problems);
            unknown(&pds.symbols, proposition.symbol, "stack symbol", &mut problems);
        }
    }
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
