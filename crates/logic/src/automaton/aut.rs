//! The Aldébaran format of labelled transition systems: a line `des (0, 2, 3)` with the initial
//! state and the numbers of transitions and states, then a line `(0, "label", 1)` a transition.
//!
//! A label may stand without quotes; then it is the text between the first comma and the last.
//! Linear.

use super::buchi::MAX_STATES;
use loris_base::{Budget, Diagnostic, Diagnostics, LONGEST_NAME, Stopped};

/// A labelled transition system.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Lts {
    /// Where it starts.
    pub initial: u32,
    /// How many states there are.
    pub states: usize,
    /// From, label, to; in the order of the file.
    pub edges: Vec<(u32, String, u32)>,
}

/// Reads a labelled transition system.
///
/// ```
/// use loris_logic::automaton::parse_aut;
/// let lts = parse_aut("des (0, 2, 2)\n(0, \"put, 1\", 1)\n(1, get, 0)\n").expect("well-formed");
/// assert_eq!(lts.edges[0], (0, "put, 1".to_owned(), 1));
/// let problems = parse_aut("des (0, 1, 2)\n(0, a, 2)\n").expect_err("there is no state 2");
/// assert_eq!(problems.sorted()[0].offset, Some(21));
/// ```
pub fn parse_aut(text: &str) -> Result<Lts, Diagnostics> {
    parse_aut_within(text, &mut Budget::unlimited()).map_err(Stopped::into_problems)
}

/// Reads a labelled transition system within a budget. The charge stays. A byte order mark is
/// skipped.
pub fn parse_aut_within(text: &str, budget: &mut Budget) -> Result<Lts, Stopped> {
    let mut problems = Diagnostics::default();
    let mut lines = lines(text).filter(|line| !line.text.is_empty());
    let Some(first) = lines.next() else {
        return Err(Diagnostic::error(text.len() as u64, 0, "the file is empty").help(DES).into());
    };
    let (initial, transitions, states) = first.descriptor()?;
    if u64::from(states.value) > MAX_STATES {
        problems.push(states.problem(format!("more than {MAX_STATES} states")));
    }
    let mut edges = Vec::new();
    for line in lines {
        budget.spend(1)?;
        match line.edge(states.value) {
            Ok(edge) => {
                budget.charge(EDGE + edge.1.len())?;
                edges.push(edge);
            }
            Err(problem) => problems.push(problem),
        }
    }
    if initial.value >= states.value {
        problems.push(
            initial.problem(format!("there is no state {}: there are {}", initial.value, states.value)),
        );
    }
    if problems.is_empty() && transitions.value as usize != edges.len() {
        let message = format!("{} transitions are announced, but {} follow", transitions.value, edges.len());
        problems.push(transitions.problem(message));
    }
    Ok(problems.into_result(Lts { initial: initial.value, states: states.value as usize, edges })?)
}

/// Bytes of a transition, with the allocator's overhead for its label and a list that grows.
const EDGE: usize = 2 * size_of::<(u32, String, u32)>() + 16;
const DES: &str = "the first line is `des (initial state, transitions, states)`";

/// A part of the text without blanks around it, and where it begins.
#[derive(Clone, Copy)]
struct Part<'t> {
    text: &'t str,
    at: usize,
}

struct Number<'t> {
    value: u32,
    part: Part<'t>,
}

impl Number<'_> {
    fn problem(&self, message: String) -> Diagnostic {
        self.part.problem(message)
    }
}

fn lines(text: &str) -> impl Iterator<Item = Part<'_>> {
    let rest = text.trim_start_matches('\u{feff}');
    let mut at = text.len() - rest.len();
    rest.split('\n').map(move |line| {
        let part = Part { text: line, at };
        at += line.len() + 1;
        part.trimmed()
    })
}

impl<'t> Part<'t> {
    fn trimmed(self) -> Self {
        let text = self.text.trim_start();
        Part { text: text.trim_end(), at: self.at + self.text.len() - text.len() }
    }

    fn problem(self, message: impl Into<String>) -> Diagnostic {
        Diagnostic::error(self.at as u64, self.text.len(), message)
    }

    /// The text before the first of these and the text after it.
    fn split(self, i: usize) -> (Self, Self) {
        let after = Part { text: &self.text[i + 1..], at: self.at + i + 1 };
        (Part { text: &self.text[..i], at: self.at }.trimmed(), after.trimmed())
    }

    fn number(self) -> Result<Number<'t>, Diagnostic> {
        match self.text.parse() {
            Ok(value) if self.text.starts_with(|c: char| c.is_ascii_digit()) => {
                Ok(Number { value, part: self })
            }
            _ if !self.text.is_empty() && self.text.bytes().all(|byte| byte.is_ascii_digit()) => {
                let problem = self.problem(format!("the number `{}` is too large", shown(self.text)));
                Err(problem.help(format!("numbers are at most {}", u32::MAX)))
            }
            _ => Err(self.problem(format!("expected a number, found `{}`", shown(self.text)))),
        }
    }

    /// The three parts between brackets: up to the first comma, up to the last, and the rest.
    fn triple(self) -> Option<[Part<'t>; 3]> {
        let inner = self.text.strip_prefix('(')?.strip_suffix(')')?;
        let inner = Part { text: inner, at: self.at + 1 };
        let (first, rest) = inner.split(inner.text.find(',')?);
        let (second, third) = rest.split(rest.text.rfind(',')?);
        Some([first, second, third])
    }

    fn descriptor(self) -> Result<(Number<'t>, Number<'t>, Number<'t>), Diagnostic> {
        let problem = || self.problem(format!("expected `des (…)`, found `{}`", shown(self.text))).help(DES);
        let rest = self.text.strip_prefix("des").ok_or_else(problem)?;
        let rest = Part { text: rest, at: self.at + 3 }.trimmed();
        let [initial, transitions, states] = rest.triple().ok_or_else(problem)?;
        Ok((initial.number()?, transitions.number()?, states.number()?))
    }

    fn edge(self, states: u32) -> Result<(u32, String, u32), Diagnostic> {
        let problem = || {
            let problem = self.problem(format!("expected a transition, found `{}`", shown(self.text)));
            problem.help("write `(from, \"label\", to)`, one per line")
        };
        let [from, label, to] = self.triple().ok_or_else(problem)?;
        let unquoted = match label.text.strip_prefix('"') {
            Some(rest) => {
                let closed = rest.strip_suffix('"');
                closed.ok_or_else(|| label.problem("the label is not closed").help("add a `\"`"))?
            }
            None => label.text,
        };
        if unquoted.len() > LONGEST_NAME {
            return Err(Diagnostic::error(label.at as u64, 1, "this label is longer than 1 MiB"));
        }
        let mut ends = [0; 2];
        for (end, part) in ends.iter_mut().zip([from, to]) {
            let number = part.number()?;
            if number.value >= states {
                return Err(number.problem(format!("there is no state {}: there are {states}", number.value)));
            }
            *end = number.value;
        }
        Ok((ends[0], unquoted.to_owned(), ends[1]))
    }
}

fn shown(text: &str) -> String {
    const SHOWN: usize = 40;
    let cut = text.floor_char_boundary(SHOWN);
    if cut < text.len() { format!("{}…", &text[..cut]) } else { text.to_owned() }
}
