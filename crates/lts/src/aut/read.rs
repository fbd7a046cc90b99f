//! Reads `.aut` files in one pass and reports all problems at once. Linear in the text.

use super::lexer::{Cursor, Number};
use super::sink::{ProcessSink, Sink};
use crate::{Process, StateId};
use loris_base::{Budget, Diagnostic, Diagnostics, Idx, Stopped};

/// Reads a labelled transition system, and remarks on it that are not errors. The labels `tau` and
/// `i` are the silent action. Numbers of the first line that do not fit the rest are errors: the
/// file is probably cut off.
///
/// The process and what is needed to build it are charged to the budget; the text is the
/// caller's.
///
/// ```
/// use loris_base::Budget;
/// use loris_lts::read_aut;
/// let text = b"des (0, 2, 2)\n(0, \"put, 1\", 1)\n(1, get(1, x), 0)\n";
/// let (buffer, _) = read_aut(text, "buffer", &mut Budget::unlimited()).expect("well-formed");
/// assert_eq!(buffer.actions().iter().collect::<Vec<_>>(), ["tau", "put, 1", "get(1, x)"]);
/// ```
///
/// # Errors
/// All problems with their byte offsets, or that a limit was reached.
pub fn read_aut(text: &[u8], name: &str, budget: &mut Budget) -> Result<(Process, Diagnostics), Stopped> {
    let (header, ProcessSink { mut builder, .. }, problems) = read(text, ProcessSink::new(name), budget)?;
    if header.initial.value < header.states.value {
        builder.initial(StateId::new(header.initial.value as usize));
    }
    builder.append_problems(&problems);
    Ok((builder.finish(budget)?, Diagnostics::default()))
}

/// A labelled transition system as it is written, with `tau` and `i` as labels like all others.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Transitions {
    /// Where it starts.
    pub initial: u32,
    /// How many states there are.
    pub states: usize,
    /// From, label, to; in the order of the file.
    pub edges: Vec<(u32, String, u32)>,
}

/// How many states such a system may have: each gets a name and a list of its own.
const MOST_STATES: u32 = 1 << 20;

/// Reads the transitions of a file, for what is made of them. What they hold stays charged to the
/// budget.
///
/// # Errors
/// As for [`read_aut`].
pub fn read_transitions(text: &[u8], budget: &mut Budget) -> Result<Transitions, Stopped> {
    let (header, edges, mut problems) = read(text, Vec::new(), budget)?;
    let Header { initial, states, .. } = header;
    if states.value > MOST_STATES {
        problems.push(states.problem(format!("more than {MOST_STATES} states")));
    }
    let found = Transitions { initial: initial.value, states: states.value as usize, edges };
    Ok(problems.into_result(found)?)
}

/// Reads a file into a sink: its first line, and all problems, those of the first line included.
fn read<S: Sink>(text: &[u8], sink: S, budget: &mut Budget) -> Result<(Header, S, Diagnostics), Stopped> {
    budget.look()?;
    let mut cursor = Cursor { text, at: 0 };
    if text.starts_with("\u{feff}".as_bytes()) {
        cursor.at = 3;
    }
    let header = Header::read(&mut cursor)?;
    let Header { initial, transitions: announced, states } = header;
    let problems = Diagnostics::default();
    let mut reader = Reader { cursor, states: states.value, sink, transitions: 0, problems };
    reader.transitions(budget)?;
    let Reader { sink, mut problems, transitions, .. } = reader;
    if problems.is_empty() && transitions != u64::from(announced.value) {
        let message = format!("{} transitions are announced, but {transitions} follow", announced.value);
        let problem = announced.problem(message);
        problems.push(problem.help("the file may be cut off; else correct the number"));
    }
    if initial.value >= states.value {
        problems.push(initial.problem(no_state(initial.value, states.value)));
    }
    Ok((header, sink, problems))
}

const DES: &str = "the first line is `des (initial state, transitions, states)`";
const WRITE: &str = "write `(source, \"label\", target)`, one per line";
const PROBABILITIES: &str = "probabilistic transition systems are not supported";

fn no_state(state: u32, states: u32) -> String {
    format!("there is no state {state}: there are {states}")
}

/// A number and where it is.
#[derive(Clone, Copy)]
struct Located {
    value: u32,
    at: usize,
    length: usize,
}

impl Located {
    fn problem(self, message: String) -> Diagnostic {
        Diagnostic::error(self.at as u64, self.length, message)
    }
}

/// The first line, which may be several.
#[derive(Clone, Copy)]
struct Header {
    initial: Located,
    transitions: Located,
    states: Located,
}

impl Header {
    fn read(cursor: &mut Cursor<'_>) -> Result<Self, Diagnostic> {
        cursor.skip_space();
        if cursor.peek().is_none() {
            return Err(Diagnostic::error(cursor.at as u64, 0, "the file is empty").help(DES));
        }
        if !cursor.text[cursor.at..].starts_with(b"des") {
            let found = shown(&cursor.text[cursor.at..cursor.line_end()]);
            let problem =
                Diagnostic::error(cursor.at as u64, 0, format!("expected `des (…)`, found `{found}`"));
            return Err(problem.help(DES));
        }
        cursor.at += b"des".len();
        let mut numbers = [Located { value: 0, at: 0, length: 0 }; 3];
        for (i, number) in numbers.iter_mut().enumerate() {
            expect(cursor, if i == 0 { b'(' } else { b',' })?;
            *number = located(cursor)?;
        }
        expect(cursor, b')')?;
        let [initial, transitions, states] = numbers;
        Ok(Self { initial, transitions, states })
    }
}

/// Passes a byte that must come next in the first line.
fn expect(cursor: &mut Cursor<'_>, byte: u8) -> Result<(), Diagnostic> {
    cursor.skip_space();
    if cursor.eat(byte) {
        return Ok(());
    }
    if byte != b'(' && matches!(cursor.peek(), Some(b'0'..=b'9' | b'/')) {
        return Err(probabilities(cursor.at));
    }
    let found = found(cursor);
    let problem =
        Diagnostic::error(cursor.at as u64, 1, format!("expected `{}`, found {found}", byte as char));
    Err(problem.help(DES))
}

fn probabilities(at: usize) -> Diagnostic {
    Diagnostic::error(at as u64, 0, PROBABILITIES).not_supported("probabilities")
}

/// Passes a number that must come next.
fn located(cursor: &mut Cursor<'_>) -> Result<Located, Diagnostic> {
    cursor.skip_space();
    let at = cursor.at;
    match cursor.number() {
        Number::Value(value) => Ok(Located { value, at, length: cursor.at - at }),
        Number::TooLarge => {
            let digits = shown(&cursor.text[at..cursor.at]);
            let problem =
                Diagnostic::error(at as u64, cursor.at - at, format!("the number `{digits}` is too large"));
            Err(problem.help(format!("numbers are at most {}", u32::MAX - 1)))
        }
        Number::Missing => {
            Err(Diagnostic::error(at as u64, 1, format!("expected a number, found {}", found(cursor))))
        }
    }
}

/// What comes next, in messages.
fn found(cursor: &Cursor<'_>) -> String {
    match cursor.peek() {
        None => "the end of the file".to_owned(),
        Some(b'\n') => "the end of the line".to_owned(),
        Some(_) => format!("`{}`", shown(&cursor.text[cursor.at..cursor.line_end()])),
    }
}

struct Reader<'t, S> {
    cursor: Cursor<'t>,
    states: u32,
    sink: S,
    transitions: u64,
    problems: Diagnostics,
}

impl<S: Sink> Reader<'_, S> {
    fn transitions(&mut self, budget: &mut Budget) -> Result<(), Stopped> {
        self.sink.states(self.states);
        loop {
            self.cursor.skip_space();
            if self.cursor.peek().is_none() {
                return Ok(());
            }
            budget.spend(1)?;
            let line = self.cursor;
            match self.transition(budget)? {
                Ok(()) => self.transitions += 1,
                Err(problem) => {
                    self.problems.push(problem);
                    // goes on at the next line
                    self.cursor.at = self.cursor.at.max(line.line_end());
                }
            }
        }
    }

    #[inline]
    fn transition(&mut self, budget: &mut Budget) -> Result<Result<(), Diagnostic>, Stopped> {
        let start = self.cursor;
        let mut here = start;
        if !here.eat(b'(') {
            return Ok(Err(no_transition(start)));
        }
        let source = match located(&mut here) {
            Ok(source) => source,
            Err(problem) => return Ok(Err(problem)),
        };
        here.skip_space();
        if !here.eat(b',') {
            return Ok(Err(no_transition(start)));
        }
        here.skip_space();
        let at = here.at;
        let Some((label, mut here)) = here.label() else { return Ok(Err(unfinished(start, here))) };
        here.eat(b',');
        let target = match located(&mut here) {
            Ok(target) => target,
            Err(problem) => return Ok(Err(problem)),
        };
        here.skip_space();
        if !here.eat(b')') {
            return Ok(Err(match here.peek() {
                Some(b'0'..=b'9' | b'/') => probabilities(here.at),
                _ => no_transition(start),
            }));
        }
        self.cursor = here;
        for state in [source, target] {
            if state.value >= self.states {
                return Ok(Err(state.problem(no_state(state.value, self.states))));
            }
        }
        let added = self.sink.transition(source.value, label, target.value, budget)?;
        Ok(added.map_err(|message| Diagnostic::error(at as u64, label.len(), message)))
    }
}

fn no_transition(start: Cursor<'_>) -> Diagnostic {
    let line = start.text[start.at..start.line_end()].trim_ascii_end();
    let problem = Diagnostic::error(
        start.at as u64,
        line.len(),
        format!("expected a transition, found `{}`", shown(line)),
    );
    problem.help(WRITE)
}

/// A transition whose label starts at `label` and that does not end in the line.
fn unfinished(start: Cursor<'_>, label: Cursor<'_>) -> Diagnostic {
    let line = &start.text[label.at..label.line_end()];
    if line.first() == Some(&b'"') && !line[1..].contains(&b'"') {
        return Diagnostic::error(label.at as u64, line.len(), "the label is not closed").help("add a `\"`");
    }
    let problem = no_transition(start);
    if line.first() == Some(&b'"') {
        return problem;
    }
    problem.help(format!("{WRITE}; a label in which parentheses do not match needs the quotes"))
}

/// The start of a text, in messages.
fn shown(text: &[u8]) -> String {
    const SHOWN: usize = 40;
    let text = String::from_utf8_lossy(&text[..text.len().min(4 * SHOWN)]);
    let text = text.trim_end();
    match text.char_indices().nth(SHOWN) {
        Some((cut, _)) => format!("{}…", &text[..cut]),
        None => text.to_owned(),
    }
}
