//! From text to [`MuFormula`]: precedence climbing with a stack of its own.
//!
//! Invariant of the loop: `pending` holds the operators, binders and open brackets that wait for
//! their right end, `operands` the formulas between them, each already complete. Linear in the
//! text; the stack of the machine is not used.

mod pdmu;

use super::ctl::{DeadEnds, Quantifier, Temporal};
use super::formula::{Extremum, MuFormula};
use super::lower::{Written, WrittenFormula, lower};
use super::regular::{Regular, parse_regular};
use crate::lexer::{atom_name, quoted};
use crate::parser::{MAX_LENGTH, MAX_NESTING};
use loris_base::{Diagnostic, Diagnostics};
use rustc_hash::FxHashMap;

/// Which language a text is written in.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Syntax {
    /// That of Loris, see the [module](super).
    #[default]
    Native,
    /// That of mCRL2's `.mcf` files: comments start with `%`, and `a|b` is one action. Data,
    /// quantifiers and time are refused by name.
    Mcf,
    /// That of the formulas in `.pdmu` files (`PDSolver`). Comments start with `//`, and names hold
    /// letters, digits and `_ $ # \\ '`. A name with a capital letter is a variable, any other a
    /// label. `<@p q>f` and `[@p q]f` are about the steps of a state where `p` or `q` holds,
    /// `<\\p q>f` and `[\\p q]f` about those of the others. Modalities that go backwards (`~[]`)
    /// are refused by name.
    Pdmu,
}

/// How a text is to be read.
#[derive(Clone, Copy)]
pub struct Reading<'a> {
    /// The language.
    pub syntax: Syntax,
    /// What CTL means at dead ends.
    pub dead_ends: DeadEnds,
    /// Whether the model knows an action: names with dots are ambiguous without it.
    pub knows_action: &'a dyn Fn(&str) -> bool,
}

impl Default for Reading<'_> {
    fn default() -> Self {
        Self { syntax: Syntax::Native, dead_ends: DeadEnds::Maximal, knows_action: &|_| false }
    }
}

/// Reads one formula in the syntax of Loris; offsets in problems are bytes of `text`.
///
/// ```
/// use loris_logic::mu::parse;
/// let formula = parse("A F (p & E [<a>tt U [true*.b]ff])").expect("well-formed");
/// let problems = parse("mu X. !X").expect_err("X is negated");
/// assert_eq!(problems.sorted()[0].offset, Some(7));
/// ```
pub fn parse(text: &str) -> Result<MuFormula, Diagnostics> {
    parse_with(text, &Reading::default())
}

/// Reads one formula.
pub fn parse_with(text: &str, reading: &Reading<'_>) -> Result<MuFormula, Diagnostics> {
    parse_one(text, reading).map_err(Diagnostics::from)
}

fn parse_one(text: &str, reading: &Reading<'_>) -> Result<MuFormula, Diagnostic> {
    if text.len() > MAX_LENGTH {
        let message = format!("the formula is longer than {} MiB", MAX_LENGTH >> 20);
        return Err(Diagnostic::error(0, 0, message));
    }
    let at = if text.starts_with('\u{feff}') { '\u{feff}'.len_utf8() } else { 0 };
    let mut parser = Parser {
        text,
        at,
        reading,
        written: WrittenFormula::default(),
        pending: Vec::new(),
        operands: Vec::new(),
        scope: FxHashMap::default(),
        serials: 0,
        depth: 0,
    };
    let root = parser.formula()?;
    parser.written.check_signs(root)?;
    Ok(lower(&parser.written, root, reading.dead_ends))
}

/// Words that are operators or constants.
pub(super) fn is_word(word: &str) -> bool {
    matches!(
        word,
        "true"
            | "TRUE"
            | "True"
            | "tt"
            | "false"
            | "FALSE"
            | "False"
            | "ff"
            | "not"
            | "NOT"
            | "and"
            | "AND"
            | "or"
            | "OR"
    ) || matches!(word, "mu" | "nu" | "E" | "A" | "X" | "F" | "G" | "U" | "W" | "R")
        || fused(word).is_some()
}

fn fused(word: &str) -> Option<(Quantifier, Temporal)> {
    let mut chars = word.chars();
    let (first, second, None) = (chars.next()?, chars.next()?, chars.next()) else { return None };
    Some((quantifier(first)?, unary(second)?))
}

fn quantifier(c: char) -> Option<Quantifier> {
    match c {
        'E' => Some(Quantifier::Some),
        'A' => Some(Quantifier::All),
        _ => None,
    }
}

fn unary(c: char) -> Option<Temporal> {
    match c {
        'X' => Some(Temporal::X),
        'F' => Some(Temporal::F),
        'G' => Some(Temporal::G),
        _ => None,
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Infix {
    Iff,
    Implies,
    Or,
    Xor,
    Xnor,
    And,
    Path(Temporal),
}

impl Infix {
    fn strength(self) -> u8 {
        match self {
            Infix::Iff => 1,
            Infix::Implies => 2,
            Infix::Or | Infix::Xor | Infix::Xnor => 3,
            Infix::And => 4,
            Infix::Path(_) => 6,
        }
    }

    fn groups_right(self) -> bool {
        matches!(self, Infix::Implies | Infix::Path(_))
    }
}

/// A quantifier takes a path formula, so it binds less than `U`.
const QUANTIFIER: u8 = 5;
const PREFIX: u8 = 7;

enum Pending {
    Not,
    Modal {
        some: bool,
        actions: Regular,
    },
    /// about the steps of states where some, or none of these labels holds
    Constrained {
        some: bool,
        negated: bool,
        labels: Vec<String>,
    },
    Quantifier(Quantifier),
    Unary(Temporal),
    Binder {
        extremum: Extremum,
        name: String,
        serial: u32,
        shadowed: Option<u32>,
    },
    Infix(Infix),
    Open(char),
}

struct Parser<'t> {
    text: &'t str,
    at: usize,
    reading: &'t Reading<'t>,
    written: WrittenFormula,
    /// with the place where each starts
    pending: Vec<(Pending, usize)>,
    operands: Vec<u32>,
    /// the bound variables and the serial numbers of their binders
    scope: FxHashMap<String, u32>,
    serials: u32,
    depth: u32,
}

impl<'t> Parser<'t> {
    fn formula(&mut self) -> Result<u32, Diagnostic> {
        loop {
            self.operand()?;
            if !self.after_operand()? {
                break;
            }
        }
        Ok(self.operands.pop().expect("one formula is complete"))
    }

    /// Skips blanks and comments; what follows them.
    fn rest(&mut self) -> &'t str {
        loop {
            let rest = self.text[self.at..].trim_start();
            self.at = self.text.len() - rest.len();
            let comment = match self.reading.syntax {
                Syntax::Native => None,
                Syntax::Mcf => Some("%"),
                Syntax::Pdmu => Some("//"),
            };
            if comment.is_some_and(|comment| rest.starts_with(comment)) {
                self.at += rest.find('\n').unwrap_or(rest.len());
            } else {
                return rest;
            }
        }
    }

    fn take(&mut self, sign: &str) -> bool {
        let found = self.rest().starts_with(sign);
        self.at += if found { sign.len() } else { 0 };
        found
    }

    /// The word here, if one starts here: without dots in the name of a variable.
    fn word(&mut self, dots: bool) -> &'t str {
        let rest = self.rest();
        let starts = |c: char| c == '_' || c.is_alphanumeric();
        if self.reading.syntax == Syntax::Pdmu {
            let continues = |c: char| starts(c) || matches!(c, '$' | '#' | '\\' | '\'');
            return &rest[..rest.find(|c| !continues(c)).unwrap_or(rest.len())];
        }
        if !rest.starts_with(starts) {
            return "";
        }
        let continues = |c: char| starts(c) || c == '\'' || (dots && matches!(c, '.' | '$' | '@' | ':'));
        let word = &rest[..rest.find(|c| !continues(c)).unwrap_or(rest.len())];
        // a full stop after a word belongs to the sentence
        word.trim_end_matches(['.', ':'])
    }

    fn push(&mut self, pending: Pending, start: usize) -> Result<(), Diagnostic> {
        self.depth += u32::from(!matches!(pending, Pending::Infix(_)));
        if self.depth > MAX_NESTING {
            let message = format!("more than {MAX_NESTING} brackets and operators are open here");
            return Err(Diagnostic::error(start as u64, 0, message));
        }
        self.pending.push((pending, start));
        Ok(())
    }

    /// Reads prefix operators and opening brackets up to one complete operand.
    fn operand(&mut self) -> Result<(), Diagnostic> {
        loop {
            let rest = self.rest();
            let start = self.at;
            if self.take("(") {
                self.push(Pending::Open(')'), start)?;
            } else if rest.starts_with('[')
                && matches!(self.pending.last(), Some((Pending::Quantifier(_), _)))
            {
                self.at += 1;
                self.push(Pending::Open(']'), start)?;
            } else if self.reading.syntax == Syntax::Pdmu && self.pdmu_modality(start)? {
            } else if rest.starts_with('<') || rest.starts_with('[') {
                let some = rest.starts_with('<');
                let close = if some { '>' } else { ']' };
                let (actions, end) = parse_regular(self.text, start + 1, close, self.reading)?;
                self.at = end;
                self.push(Pending::Modal { some, actions }, start)?;
            } else if self.take("!") || self.take("~") || self.take("¬") {
                self.push(Pending::Not, start)?;
            } else if rest.starts_with('"') {
                let name = self.quoted()?;
                self.complete(Written::Atom(name), start);
                return Ok(());
            } else if self.word_operand(start)? {
                return Ok(());
            }
        }
    }

    /// Reads one word where an operand is expected; whether it is one.
    fn word_operand(&mut self, start: usize) -> Result<bool, Diagnostic> {
        if self.reading.syntax == Syntax::Pdmu {
            return self.pdmu_operand(start);
        }
        let word = self.word(true);
        // `X.f` of a binder's body cannot come here, but a variable before a full stop can
        let short = self.word(false);
        let bound = self.scope.get(word).or_else(|| self.scope.get(short)).copied();
        if let Some(serial) = bound {
            self.at += if self.scope.contains_key(word) { word.len() } else { short.len() };
            self.complete(Written::Variable(serial), start);
            return Ok(true);
        }
        self.at += word.len();
        match word {
            "" => return Err(self.expected("a formula", start)),
            "true" | "TRUE" | "True" | "tt" => self.complete(Written::True, start),
            "false" | "FALSE" | "False" | "ff" => self.complete(Written::False, start),
            "not" | "NOT" => {
                self.push(Pending::Not, start)?;
                return Ok(false);
            }
            "mu" | "nu" => {
                self.binder(word == "mu", start)?;
                return Ok(false);
            }
            "forall" | "exists" | "val" | "delay" | "yaled" if self.reading.syntax == Syntax::Mcf => {
                let message = format!("`{word}` of .mcf files is not supported");
                let problem = Diagnostic::error(start as u64, word.len(), message);
                return Err(problem.help("formulas about actions without data are").not_supported(word));
            }
            _ => {
                let mut chars = word.chars();
                let single = chars.next().filter(|_| chars.next().is_none());
                if let Some((quantifier, temporal)) = fused(word) {
                    self.push(Pending::Quantifier(quantifier), start)?;
                    self.push(Pending::Unary(temporal), start)?;
                    return Ok(false);
                }
                if let Some(quantifier) = single.and_then(quantifier) {
                    self.push(Pending::Quantifier(quantifier), start)?;
                    return Ok(false);
                }
                if let Some(temporal) = single.and_then(unary) {
                    self.push(Pending::Unary(temporal), start)?;
                    return Ok(false);
                }
                if is_word(word) {
                    self.at = start;
                    return Err(self.expected("a formula", start));
                }
                self.complete(Written::Atom(word.to_owned()), start);
            }
        }
        Ok(true)
    }

    /// `mu X.`, after the first word.
    fn binder(&mut self, least: bool, start: usize) -> Result<(), Diagnostic> {
        let name = self.word(false);
        let place = self.at;
        if name.is_empty() {
            return Err(self.expected("the name of a variable", place));
        }
        self.at += name.len();
        if self.rest().starts_with('(') {
            let problem = Diagnostic::error(self.at as u64, 1, "variables with parameters are not supported");
            return Err(problem.help("formulas about actions without data are").not_supported("parameters"));
        }
        if !self.take(".") {
            return Err(self.expected(&format!("`.` after the variable `{name}`"), place));
        }
        let serial = self.serials;
        self.serials += 1;
        let shadowed = self.scope.insert(name.to_owned(), serial);
        let extremum = if least { Extremum::Least } else { Extremum::Greatest };
        self.push(Pending::Binder { extremum, name: name.to_owned(), serial, shadowed }, start)
    }

    fn quoted(&mut self) -> Result<String, Diagnostic> {
        let start = self.at;
        self.at += quoted(&self.text[start..], start, "atom")?;
        Ok(atom_name(&self.text[start..self.at]).into_owned())
    }

    fn complete(&mut self, node: Written, start: usize) {
        let id = self.written.add(node, (start, self.at));
        self.operands.push(id);
    }

    fn expected(&mut self, what: &str, at: usize) -> Diagnostic {
        let rest = &self.text[at..];
        let Some(c) = rest.chars().next() else {
            return Diagnostic::error(
                self.text.trim_end().len() as u64,
                0,
                format!("expected {what}, found the end"),
            );
        };
        let starts = |c: char| c == '_' || c.is_alphanumeric();
        let length = if starts(c) { rest.find(|c| !starts(c)).unwrap_or(rest.len()) } else { c.len_utf8() };
        let message = format!("expected {what}, found `{}`", rest[..length].escape_debug());
        Diagnostic::error(at as u64, length, message)
    }

    /// Reads closing brackets and one operator between operands; whether an operand follows.
    fn after_operand(&mut self) -> Result<bool, Diagnostic> {
        loop {
            let rest = self.rest();
            let start = self.at;
            if rest.is_empty() {
                self.reduce(0)?;
                return match self.pending.last() {
                    Some(&(Pending::Open(close), open)) => {
                        let problem = Diagnostic::error(open as u64, 1, "this bracket is not closed");
                        Err(problem.help(format!("add a `{close}`")))
                    }
                    _ => self.no_path(*self.operands.last().expect("a formula is complete")).map(|()| false),
                };
            }
            if let Some(close @ (')' | ']')) = rest.chars().next() {
                self.reduce(0)?;
                match self.pending.pop() {
                    Some((Pending::Open(expected), _)) if expected == close => {
                        self.at += 1;
                        self.depth -= 1;
                        continue;
                    }
                    Some((Pending::Open(expected), _)) => {
                        return Err(self.expected(&format!("`{expected}`"), start));
                    }
                    _ => {
                        return Err(Diagnostic::error(
                            start as u64,
                            1,
                            format!("`{close}` closes no bracket"),
                        ));
                    }
                }
            }
            let Some((infix, length)) = self.infix() else {
                return Err(self.expected("an operator or the end", start));
            };
            self.at += length;
            // `E F p U q` is `(E F p) U q`: a quantifier takes the first path formula it gets
            if matches!(infix, Infix::Path(_)) {
                self.reduce(PREFIX)?;
                let is_path = self
                    .operands
                    .last()
                    .is_some_and(|&top| matches!(self.written.nodes[top as usize], Written::Path(..)));
                if is_path {
                    self.reduce(QUANTIFIER)?;
                }
            }
            // `PDSolver` groups implications to the left
            let is_right = infix.groups_right() && self.reading.syntax != Syntax::Pdmu;
            let strength = infix.strength() + u8::from(is_right);
            self.reduce(strength)?;
            self.push(Pending::Infix(infix), start)?;
            return Ok(true);
        }
    }

    fn infix(&mut self) -> Option<(Infix, usize)> {
        const SIGNS: &[(&str, Infix)] = &[
            ("<->", Infix::Iff),
            ("<-->", Infix::Iff),
            ("<=>", Infix::Iff),
            ("->", Infix::Implies),
            ("-->", Infix::Implies),
            ("=>", Infix::Implies),
            ("&&", Infix::And),
            ("&", Infix::And),
            ("/\\", Infix::And),
            ("||", Infix::Or),
            ("|", Infix::Or),
            ("\\/", Infix::Or),
            ("∧", Infix::And),
            ("∨", Infix::Or),
        ];
        // not of other tools
        const NATIVE: &[(&str, Infix)] = &[("^", Infix::Xor)];
        let is_native = self.reading.syntax == Syntax::Native;
        let native = if is_native { NATIVE } else { &[] };
        let rest = self.rest();
        if let Some((sign, infix)) = SIGNS.iter().chain(native).find(|(sign, _)| rest.starts_with(sign)) {
            return Some((*infix, sign.len()));
        }
        let word = self.word(true);
        let infix = match word {
            "and" | "AND" => Infix::And,
            "or" | "OR" => Infix::Or,
            "xor" | "XOR" if is_native => Infix::Xor,
            "xnor" | "XNOR" if is_native => Infix::Xnor,
            "implies" => Infix::Implies,
            "iff" => Infix::Iff,
            "U" => Infix::Path(Temporal::U),
            "W" => Infix::Path(Temporal::W),
            "R" => Infix::Path(Temporal::R),
            _ => return None,
        };
        Some((infix, word.len()))
    }

    /// Applies the pending operators that bind at least so tightly.
    fn reduce(&mut self, strength: u8) -> Result<(), Diagnostic> {
        while let Some((pending, _)) = self.pending.last() {
            let own = match pending {
                Pending::Not | Pending::Modal { .. } | Pending::Constrained { .. } | Pending::Unary(_) => {
                    PREFIX
                }
                Pending::Quantifier(_) => QUANTIFIER,
                Pending::Infix(infix) => infix.strength(),
                Pending::Binder { .. } => 0,
                Pending::Open(_) => return Ok(()),
            };
            if own < strength {
                return Ok(());
            }
            let (pending, start) = self.pending.pop().expect("it was just there");
            self.depth -= u32::from(!matches!(pending, Pending::Infix(_)));
            self.apply(pending, start)?;
        }
        Ok(())
    }

    fn apply(&mut self, pending: Pending, start: usize) -> Result<(), Diagnostic> {
        let last = self.operands.pop().expect("every operator waits for its operand");
        if let Pending::Quantifier(quantifier) = pending {
            let Written::Path(temporal, f, g) = self.written.nodes[last as usize] else {
                let problem = Diagnostic::error(start as u64, 1, "a quantifier needs a path formula");
                return Err(problem
                    .help("after `A` and `E` comes `X f`, `F f`, `G f`, `[f U g]`, `[f W g]` or `[f R g]`"));
            };
            self.complete(Written::Ctl(quantifier, temporal, f, g), start);
            return Ok(());
        }
        self.no_path(last)?;
        let node = match pending {
            Pending::Not => Written::Not(last),
            Pending::Modal { some, actions } => Written::Modal { some, actions, operand: last },
            Pending::Constrained { some, negated, labels } => {
                self.constrained((some, negated), labels, last, start)
            }
            Pending::Unary(temporal) => Written::Path(temporal, last, last),
            Pending::Binder { extremum, name, serial, shadowed } => {
                match shadowed {
                    Some(outer) => self.scope.insert(name.clone(), outer),
                    None => self.scope.remove(&name),
                };
                Written::Fix { extremum, serial, name, body: last }
            }
            Pending::Infix(infix) => {
                let first = self.operands.pop().expect("an infix operator has two operands");
                self.no_path(first)?;
                let span_start = self.written.spans[first as usize].0;
                let node = match infix {
                    Infix::Iff | Infix::Xnor => Written::Iff(first, last),
                    Infix::Xor => {
                        let span = self.written.spans[last as usize];
                        Written::Iff(first, self.written.add(Written::Not(last), span))
                    }
                    Infix::Implies => Written::Implies(first, last),
                    Infix::Or => Written::Or(first, last),
                    Infix::And => Written::And(first, last),
                    Infix::Path(temporal) => Written::Path(temporal, first, last),
                };
                self.complete(node, span_start);
                return Ok(());
            }
            Pending::Quantifier(_) | Pending::Open(_) => return Ok(()),
        };
        self.complete(node, start);
        Ok(())
    }

    /// Refuses a path formula where a formula about states is needed.
    fn no_path(&self, operand: u32) -> Result<(), Diagnostic> {
        let Written::Path(temporal, ..) = self.written.nodes[operand as usize] else { return Ok(()) };
        let (start, end) = self.written.spans[operand as usize];
        let message = format!("`{temporal:?}` needs a quantifier here");
        let problem = Diagnostic::error(start as u64, end - start, message);
        Err(problem.help("put `A` (all runs) or `E` (some run) before each temporal operator"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expected: &str) {
        let formula = parse(text).unwrap_or_else(|problems| panic!("{text}: {:?}", problems.sorted()));
        assert_eq!(formula.to_string(), expected, "{text}");
        let again = parse(&formula.to_string()).expect("printed formulas are well-formed");
        assert_eq!(again.to_string(), expected, "printed {text}");
    }

    fn refuse(text: &str, at: u64, message: &str) {
        let problems = parse(text).expect_err(text);
        let first = problems.sorted()[0].clone();
        assert_eq!((first.offset, first.message.as_str()), (Some(at), message), "{text}");
    }

    #[test]
    fn operators_and_binders() {
        check("nu X. (mu Y. (p & <>X) | <>Y)", "nu X. mu Y. p & <>X | <>Y");
        check("p & mu X. q | <>X", "p & (mu X. q | <>X)");
        check("p -> q -> r", "!p | (!q | r)");
        check("!(p <-> q)", "p & !q | !p & q");
        check("p xor q & r", "p & (!q | !r) | !p & (q & r)");
        check("p ^ q | r", "p & !q | !p & q | r");
        check("p XNOR q", "p & q | !p & !q");
        check("<a>p xor xor", "<a>p & !xor | [a]!p & xor");
        check("!nu X. [a]X & p", "mu X. <a>X | !p");
        check("(mu X. <>X | p) & nu X. []X & q", "(mu X. <>X | p) & (nu X2. []X2 & q)");
        check("nu X.X", "nu X. X");
        check("nu A. <>A", "nu A. <>A");
        check("~(tt & ff)", "tt");
        check("\"x = 1\" | \"mu\"", "\"x = 1\" | \"mu\"");
        check("mu X. nu X. <>X", "mu X. nu X2. <>X2");
        // names of variables are not those of labels
        check("E F Z & Z2", "(mu Z3. Z | <>Z3) & Z2");
    }

    #[test]
    fn actions_and_regular_modalities() {
        check("<a>tt & [a, b]ff", "<a>tt & [a, b]ff");
        check("<!{a, b}>tt", "<!{a, b}>tt");
        check("<true>tt & [-a]ff & [-]p", "<>tt & [!a]ff & []p");
        check("<a.b>tt", "<a><b>tt");
        // dots mean the same with blanks and without
        for (tight, loose) in [
            ("[!a.b]ff", "[!a . b]ff"),
            ("<a.!c.true>tt", "<a . !c . true>tt"),
            ("<nil.a>tt", "<nil . a>tt"),
            ("<true.a*.b+>p", "<true . a* . b+>p"),
            ("[a.b, c.d]ff", "[a . b, c . d]ff"),
            ("<-a.tt.send(1.5, x).false>tt", "<-a . tt . send(1.5, x) . false>tt"),
        ] {
            let expected = parse(loose).expect("well-formed").to_string();
            check(tight, &expected);
        }
        check("[!a.b]ff", "[!a][b]ff");
        check("<nil.a>tt", "<a>tt");
        check("<a.b*>p", "<a>(mu Z. p | <b>Z)");
        check("[a*.b]p", "nu Z. [b]p & [a]Z");
        check("<(a.b)* + c+ . d>p", "(mu Z. p | <a><b>Z) | (mu Z2. <c>(<d>p | Z2))");
        check("[nil]p", "p");
        check("<a && !b || c>p", "<a, c>p");
        check("<send(1, true)>p", "<\"send(1, true)\">p");
    }

    #[test]
    fn names_with_dots_follow_the_model() {
        let knows = |name: &str| ["a", "T.F", "b-1"].contains(&name);
        let reading = Reading { knows_action: &knows, ..Reading::default() };
        let print = |text| parse_with(text, &reading).expect("well-formed").to_string();
        assert_eq!(print("<T.F.a>tt"), "<\"T.F\"><a>tt");
        assert_eq!(print("<b-1>tt"), "<\"b-1\">tt");
    }

    #[test]
    fn ctl_and_dead_ends() {
        check("A G E F p", "nu Z2. (mu Z. p | <>Z) & []Z2");
        check("E [p U q]", "mu Z. q | p & <>Z");
        check("A F p", "mu Z. p | <>tt & []Z");
        check("EG p", "nu Z. p & (<>Z | []ff)");
        check("!A F p", "nu Z. !p & (<>Z | []ff)");
        check("E p U q & r", "(mu Z. q | p & <>Z) & r");
        check("A [p W q]", "nu Z. q | p & []Z");
        check("A (F p)", "mu Z. p | <>tt & []Z");
        let print = |text, dead_ends| {
            parse_with(text, &Reading { dead_ends, ..Reading::default() }).expect("well-formed").to_string()
        };
        assert_eq!(print("E G p", DeadEnds::Stop), "nu Z. p & <>Z");
        assert_eq!(print("A F p", DeadEnds::Stop), "mu Z. p | []Z");
        assert_eq!(print("E X p", DeadEnds::Loop), "<>p | []ff & p");
        assert_eq!(print("A X p", DeadEnds::Loop), "[]p & (<>tt | p)");
    }

    #[test]
    fn problems_have_places() {
        refuse("mu X. !X", 7, "this variable stands under an odd number of negations");
        refuse("nu X. (X xor p)", 7, "this variable stands under an odd number of negations");
        refuse("nu X. (p xor X)", 13, "this variable stands under an odd number of negations");
        refuse("nu X. (X <-> p)", 7, "this variable stands under an odd number of negations");
        refuse("mu X. (X -> p)", 7, "this variable stands under an odd number of negations");
        refuse("mu X. !A F X", 11, "this variable stands under an odd number of negations");
        refuse("p &", 3, "expected a formula, found the end");
        refuse("(p", 0, "this bracket is not closed");
        refuse("p)", 1, "`)` closes no bracket");
        refuse("F p", 0, "`F` needs a quantifier here");
        refuse("p U q", 0, "`U` needs a quantifier here");
        refuse("E p", 0, "a quantifier needs a path formula");
        refuse("<a", 2, "expected `>` after the actions, found the end");
        refuse("mu . p", 3, "expected the name of a variable, found `.`");
        refuse("p q", 2, "expected an operator or the end, found `q`");
    }

    #[test]
    fn mcf_files() {
        let reading = Reading { syntax: Syntax::Mcf, ..Reading::default() };
        let text = "% no deadlock\n[true*]<true>true && nu X. (<a|b>X => false)";
        let problems = parse_with(text, &reading).expect_err("X is negated");
        assert_eq!(problems.len(), 1);
        let text = "% no deadlock\n[true*]<true>true && nu X. <a|b>X";
        let formula = parse_with(text, &reading).expect("well-formed");
        assert_eq!(formula.to_string(), "(nu Z. <>tt & []Z) & (nu X. <\"a|b\">X)");
        assert!(parse_with("forall n: Nat. <a(n)>true", &reading).is_err());
        for text in ["<a>true xor <b>true", "<a>true ^ <b>true"] {
            assert!(parse_with(text, &reading).is_err(), "{text}");
        }
    }

    #[test]
    fn deep_and_long_formulas() {
        let deep = format!("{}p{}", "<>".repeat(4000), "");
        assert_eq!(parse(&deep).expect("well-formed").len(), 4001);
        assert!(parse(&"(".repeat(5000)).is_err());
        let long = vec!["p"; 100_000].join(" & q | ");
        assert!(parse(&long).is_ok());
    }
}
