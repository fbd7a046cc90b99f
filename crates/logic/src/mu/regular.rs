//! Regular expressions over sets of actions, the inside of `< >` and `[ ]`.
//!
//! | written | stands for |
//! |---|---|
//! | nothing, `true` | all actions |
//! | `a`, `"any text"`, `a(1,true)` | one action |
//! | `a, b` `a \|\| b` `{a, b}` | a set of actions |
//! | `a && b` | an intersection |
//! | `!a`, `-a` | a complement |
//! | `R.S`, `R + S`, `R*`, `R+`, `nil` | one after the other, either, any number, at least one, none |

use super::actions::ActionSet;
use super::parser::{Reading, Syntax};
use crate::lexer::{atom_name, quoted};
use loris_base::Diagnostic;

/// A regular expression over sets of actions, as deep as its brackets nest.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Regular {
    /// One step with an action of the set.
    Step(ActionSet),
    /// No step.
    Nil,
    /// One after the other; at least two.
    Sequence(Vec<Regular>),
    /// One of them; at least two.
    Choice(Vec<Regular>),
    /// Any number of times, also never.
    Star(Box<Regular>),
    /// Any number of times, at least once.
    Plus(Box<Regular>),
}

/// How deep brackets and complements may nest.
const MAX_DEPTH: u32 = 64;

/// How many dots the name of an action may contain where it stands without quotes.
const MAX_DOTS: usize = 32;

/// Reads the expression that starts at byte `at` up to `close`; returns it with the place after
/// `close`.
pub(crate) fn parse_regular(
    text: &str,
    at: usize,
    close: char,
    reading: &Reading<'_>,
) -> Result<(Regular, usize), Diagnostic> {
    let mut parser = RegularParser { text, at, reading, depth: 0 };
    if parser.peek() == Some(close) {
        return Ok((Regular::Step(ActionSet::all()), parser.at + 1));
    }
    let regular = parser.choice()?;
    parser.expect(close)?;
    Ok((regular, parser.at))
}

struct RegularParser<'t> {
    text: &'t str,
    at: usize,
    reading: &'t Reading<'t>,
    depth: u32,
}

impl RegularParser<'_> {
    fn rest(&self) -> &str {
        &self.text[self.at..]
    }

    /// The next character that is not a blank.
    fn peek(&mut self) -> Option<char> {
        self.at = self.text.len() - self.rest().trim_start().len();
        self.rest().chars().next()
    }

    fn take(&mut self, sign: &str) -> bool {
        self.peek();
        let found = self.rest().starts_with(sign);
        self.at += if found { sign.len() } else { 0 };
        found
    }

    fn error(&mut self, expected: &str) -> Diagnostic {
        let found = self.peek();
        let place = self.at as u64;
        match found {
            Some(c) => {
                let message = format!("expected {expected}, found `{}`", c.escape_debug());
                Diagnostic::error(place, c.len_utf8(), message)
            }
            None => Diagnostic::error(place, 0, format!("expected {expected}, found the end")),
        }
    }

    fn expect(&mut self, close: char) -> Result<(), Diagnostic> {
        let mut buffer = [0; 4];
        if self.take(close.encode_utf8(&mut buffer)) {
            return Ok(());
        }
        Err(self.error(&format!("`{close}` after the actions")))
    }

    fn choice(&mut self) -> Result<Regular, Diagnostic> {
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            return Err(self.error(&format!("at most {MAX_DEPTH} nested brackets")));
        }
        let mut choices = vec![self.sequence()?];
        while self.take("+") {
            choices.push(self.sequence()?);
        }
        self.depth -= 1;
        Ok(joined(choices, Regular::Choice))
    }

    fn sequence(&mut self) -> Result<Regular, Diagnostic> {
        let mut items = vec![self.union()?];
        while self.take(".") {
            items.push(self.union()?);
        }
        Ok(joined(items, Regular::Sequence))
    }

    /// Sets of actions joined by `,`, `|` or `||`, or one repeated expression.
    fn union(&mut self) -> Result<Regular, Diagnostic> {
        let mut left = self.intersection()?;
        while self.take("||") || self.take(",") || (self.reading.syntax == Syntax::Native && self.take("|")) {
            let start = self.at;
            let right = self.intersection()?;
            left = Regular::Step(sets(&left, &right, start)?.0);
        }
        Ok(left)
    }

    fn intersection(&mut self) -> Result<Regular, Diagnostic> {
        let mut left = self.repeated()?;
        while self.take("&&") || self.take("&") {
            let start = self.at;
            let right = self.repeated()?;
            left = Regular::Step(sets(&left, &right, start)?.1);
        }
        Ok(left)
    }

    fn repeated(&mut self) -> Result<Regular, Diagnostic> {
        let mut inner = self.primary()?;
        loop {
            if self.take("*") {
                inner = match inner {
                    Regular::Star(_) => inner,
                    Regular::Plus(inner) => Regular::Star(inner),
                    _ => Regular::Star(Box::new(inner)),
                };
            } else if self.rest().starts_with('+') && self.plus_ends_here() {
                self.at += 1;
                inner = match inner {
                    Regular::Star(_) | Regular::Plus(_) => inner,
                    _ => Regular::Plus(Box::new(inner)),
                };
            } else {
                return Ok(inner);
            }
        }
    }

    /// Whether the `+` here repeats what stands before it, rather than joining it to an operand.
    fn plus_ends_here(&self) -> bool {
        let after = self.rest()[1..].trim_start();
        !after.starts_with(|c: char| starts_name(c) || matches!(c, '"' | '(' | '{' | '!' | '-'))
    }

    fn primary(&mut self) -> Result<Regular, Diagnostic> {
        if self.take("(") {
            let inner = self.choice()?;
            self.expect(')')?;
            return Ok(inner);
        }
        if self.take("{") {
            if self.take("}") {
                return Ok(Regular::Step(ActionSet::none()));
            }
            let inner = self.union()?;
            self.expect('}')?;
            return match inner {
                Regular::Step(_) => Ok(inner),
                _ => Err(self.error("a set of single actions between `{` and `}`")),
            };
        }
        let place = self.at;
        if self.take("!") || self.take("~") || self.take("-") {
            self.depth += 1;
            if self.depth > MAX_DEPTH {
                return Err(self.error(&format!("at most {MAX_DEPTH} nested brackets")));
            }
            // the old notation: `-` alone is every action
            let all = self.text[place..].trim_start().starts_with('-')
                && matches!(self.peek(), Some('>' | ']' | ')'));
            let inner = if all { Regular::Step(ActionSet::none()) } else { self.primary()? };
            self.depth -= 1;
            return match inner {
                Regular::Step(set) => Ok(Regular::Step(set.complement())),
                _ => Err(Diagnostic::error(place as u64, 0, "only a set of single actions has a complement")),
            };
        }
        match self.peek() {
            Some('"') => self.quoted(),
            Some(c) if starts_name(c) => Ok(self.name()),
            _ => Err(self.error("an action")),
        }
    }

    fn quoted(&mut self) -> Result<Regular, Diagnostic> {
        let start = self.at;
        self.at += quoted(self.rest(), start, "action")?;
        let name = atom_name(&self.text[start..self.at]);
        Ok(Regular::Step(ActionSet::of([name])))
    }

    /// One action. Names of actions contain dots in some models: the longest name that the model
    /// knows is taken, or else what stands before the first dot. The rest goes on with that dot, so
    /// that `!`, `*` and `nil` mean the same with blanks around dots and without.
    fn name(&mut self) -> Regular {
        let start = self.at;
        let word = self.word();
        let knows = self.reading.knows_action;
        let plain = word.find('(').unwrap_or(word.len());
        let dots = || word[..plain].match_indices('.').map(|(i, _)| i);
        let known = dots().chain([word.len()]).filter(|&end| knows(&word[..end])).last();
        let end = known.or_else(|| dots().next()).unwrap_or(word.len());
        if end < word.len() {
            self.at = start + end;
        }
        match &word[..end] {
            "true" | "tt" => Regular::Step(ActionSet::all()),
            "false" | "ff" => Regular::Step(ActionSet::none()),
            "nil" => Regular::Nil,
            name => Regular::Step(ActionSet::of([name])),
        }
    }

    /// The characters of a name, with the arguments that follow it at once: `send(1, true)`.
    fn word(&mut self) -> String {
        let rest = self.rest();
        let (mut end, mut dots) = (0, 0);
        let mut chars = rest.char_indices().peekable();
        while let Some((i, c)) = chars.next() {
            dots += usize::from(c == '.');
            if dots > MAX_DOTS {
                break;
            }
            let next_is_name = chars.peek().is_some_and(|&(_, next)| starts_name(next));
            let multi =
                self.reading.syntax == Syntax::Mcf && c == '|' && next_is_name && !rest[..i].ends_with('|');
            if starts_name(c)
                || matches!(c, '\'' | '$' | '@' | ':' | '#')
                || (matches!(c, '.' | '-') && next_is_name && i > 0)
                || multi
            {
                end = i + c.len_utf8();
            } else {
                break;
            }
        }
        let mut name = rest[..end].to_owned();
        let arguments = &rest[end..];
        if arguments.starts_with('(')
            && let Some(length) = closing(arguments)
        {
            name.push_str(&arguments[..length]);
            end += length;
        }
        self.at += end;
        if !(self.reading.knows_action)(&name) {
            // tools differ in the blanks after commas
            let tight: String = name.replace(", ", ",");
            let loose = tight.replace(',', ", ");
            if let Some(other) = [tight, loose].into_iter().find(|other| (self.reading.knows_action)(other)) {
                return other;
            }
        }
        name
    }
}

/// Several expressions as one; a single one is itself.
fn joined(mut items: Vec<Regular>, join: fn(Vec<Regular>) -> Regular) -> Regular {
    match items.pop() {
        Some(only) if items.is_empty() => only,
        Some(last) => {
            items.push(last);
            join(items)
        }
        None => Regular::Nil,
    }
}

/// The union and the intersection of two sets of actions.
fn sets(left: &Regular, right: &Regular, at: usize) -> Result<(ActionSet, ActionSet), Diagnostic> {
    let (Regular::Step(left), Regular::Step(right)) = (left, right) else {
        let problem = Diagnostic::error(at as u64, 0, "only single actions are joined to a set");
        return Err(problem.help("write `+` for a choice between sequences"));
    };
    Ok((left.union(right), left.intersection(right)))
}

fn starts_name(c: char) -> bool {
    c == '_' || c.is_alphanumeric()
}

/// The length of a text in brackets, which starts with the opening one.
fn closing(text: &str) -> Option<usize> {
    let mut depth = 0usize;
    for (i, c) in text.char_indices() {
        match c {
            '(' => depth += 1,
            ')' => {
                depth -= 1;
                if depth == 0 {
                    return Some(i + 1);
                }
            }
            '>' | ']' if depth == 0 => return None,
            _ => {}
        }
    }
    None
}
