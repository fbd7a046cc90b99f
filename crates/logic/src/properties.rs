//! Property files: one formula per line; `#` and `--` start comments.

use crate::formula::Formula;
use crate::normal_form::{Core, CtlCore};
use crate::parser::parse_one;
use loris_base::{Budget, Diagnostic, Diagnostics, Exhausted};

/// A line of a property file that is not blank.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WrittenLine<'t> {
    /// The number of the line, from 1.
    pub line: u32,
    /// Byte offset of the text in the file.
    pub offset: u64,
    /// Its text, without comments and blanks around it.
    pub text: &'t str,
}

/// The lines of a property file that are not blank, in any language of formulas. A comment goes to
/// the end of the line, from a `#` that is not in quotes, or from a `--` that starts the line or
/// stands between blanks.
///
/// ```
/// use loris_logic::PropertyLines;
/// let lines: Vec<_> = PropertyLines::new("# two\nE F p\n -- three\n  \"a#b\" # none", false).collect();
/// assert_eq!((lines[0].line, lines[0].offset, lines[0].text), (2, 6, "E F p"));
/// assert_eq!((lines[1].line, lines[1].offset, lines[1].text), (4, 24, "\"a#b\""));
/// ```
#[derive(Clone, Debug)]
pub struct PropertyLines<'t> {
    rest: &'t str,
    line: u32,
    offset: u64,
    hash_in_names: bool,
}

impl<'t> PropertyLines<'t> {
    /// The lines of a text. Where names may hold a `#`, it starts a comment only at the start of a
    /// line or after a blank.
    pub fn new(text: &'t str, hash_in_names: bool) -> Self {
        Self { rest: text, line: 0, offset: 0, hash_in_names }
    }
}

impl<'t> Iterator for PropertyLines<'t> {
    type Item = WrittenLine<'t>;

    fn next(&mut self) -> Option<WrittenLine<'t>> {
        while !self.rest.is_empty() {
            let (line, rest) = self.rest.split_at(self.rest.find('\n').map_or(self.rest.len(), |at| at + 1));
            let offset = self.offset;
            (self.rest, self.line, self.offset) = (rest, self.line + 1, offset + line.len() as u64);
            let written = without_comment(line, self.hash_in_names);
            let text = written.trim_start_matches('\u{feff}').trim_start();
            let before = written.len() - text.len();
            if !text.trim_end().is_empty() {
                let offset = offset + before as u64;
                return Some(WrittenLine { line: self.line, offset, text: text.trim_end() });
            }
        }
        None
    }
}

/// A formula and the line it stands on.
#[derive(Clone, Debug)]
pub struct PropertyLine {
    /// The number of the line, from 1.
    pub line: u32,
    /// Byte offset of the formula in the file; spans in it count from here.
    pub offset: u64,
    /// The formula of the line.
    pub formula: Formula,
}

impl PropertyLine {
    /// The formula as CTL; problems are located in the file.
    pub fn ctl(&self) -> Result<CtlCore, Diagnostics> {
        self.located(Core::new(&self.formula))
    }

    /// The formula as CTL*; problems are located in the file.
    pub fn star(&self) -> Result<Core, Diagnostics> {
        self.located(Core::star(&self.formula))
    }

    /// The formula as LTL, on all paths; problems are located in the file.
    pub fn linear(&self) -> Result<Core, Diagnostics> {
        self.located(Core::linear(&self.formula))
    }

    fn located<P>(&self, core: Result<Core<P>, Diagnostics>) -> Result<Core<P>, Diagnostics> {
        core.map_err(|problems| {
            let mut moved = Diagnostics::default();
            problems
                .sorted()
                .into_iter()
                .for_each(|problem| moved.push(shifted(problem.clone(), self.offset)));
            moved
        })
    }
}

/// Reads a property file: the formulas of all good lines and the problems of all bad ones.
///
/// ```
/// let (lines, problems) = loris_logic::parse_properties("# two\nE F p\n\nA G ! # none\n");
/// assert_eq!((lines[0].line, lines[0].offset), (2, 6));
/// assert_eq!(problems.sorted()[0].offset, Some(18));
/// ```
pub fn parse_properties(text: &str) -> (Vec<PropertyLine>, Diagnostics) {
    parse_properties_within(text, &mut Budget::unlimited()).expect("there is no limit")
}

/// The same within a budget, which is charged for the formulas.
///
/// # Errors
/// The budget ran out.
pub fn parse_properties_within(
    text: &str,
    budget: &mut Budget,
) -> Result<(Vec<PropertyLine>, Diagnostics), Exhausted> {
    let mut lines = Vec::new();
    let mut problems = Diagnostics::default();
    for WrittenLine { line, offset, text } in PropertyLines::new(text, false) {
        budget.spend(1 + text.len() / 4)?;
        match parse_one(text) {
            Ok(formula) => {
                budget.charge(size_of::<PropertyLine>() + formula.bytes())?;
                lines.push(PropertyLine { line, offset, formula });
            }
            Err(problem) => problems.push(shifted(problem, offset)),
        }
    }
    Ok((lines, problems))
}

fn shifted(mut problem: Diagnostic, by: u64) -> Diagnostic {
    problem.offset = problem.offset.map(|offset| offset + by);
    problem
}

/// The line up to its comment. `-->` is an operator, not the start of one.
fn without_comment(line: &str, hash_in_names: bool) -> &str {
    if line.trim_start_matches('\u{feff}').trim_start().starts_with("--") {
        return "";
    }
    let (mut quoted, mut escaped, mut before) = (false, false, b' ');
    let bytes = line.as_bytes();
    let is_blank = |byte: &u8| byte.is_ascii_whitespace();
    let start = (0..bytes.len()).find(|&at| {
        let after_blank = is_blank(&before);
        before = bytes[at];
        match bytes[at] {
            _ if escaped => escaped = false,
            b'\\' => escaped = quoted,
            b'"' => quoted = !quoted,
            b'#' if !quoted => return after_blank || !hash_in_names,
            b'-' if !quoted && after_blank => {
                return bytes[at + 1..].starts_with(b"-") && bytes.get(at + 2).is_none_or(is_blank);
            }
            _ => {}
        }
        false
    });
    &line[..start.unwrap_or(line.len())]
}

#[cfg(test)]
mod tests {
    use super::{Budget, Exhausted, parse_properties, parse_properties_within};

    fn check(text: &str, expected: &[(u32, u64, &str)], problems: &[u64]) {
        let (lines, found) = parse_properties(text);
        let lines: Vec<_> =
            lines.iter().map(|line| (line.line, line.offset, line.formula.to_string())).collect();
        let expected: Vec<_> =
            expected.iter().map(|&(line, offset, text)| (line, offset, text.to_owned())).collect();
        assert_eq!(lines, expected, "{text:?}");
        let offsets: Vec<_> = found.sorted().iter().map(|problem| problem.offset).collect();
        assert_eq!(offsets, problems.iter().map(|&at| Some(at)).collect::<Vec<_>>(), "{text:?}");
    }

    #[test]
    fn lines_comments_and_offsets() {
        check("", &[], &[]);
        check("\n \n# only\n", &[], &[]);
        check("p", &[(1, 0, "p")], &[]);
        check("p\r\n  q # c\r\n", &[(1, 0, "p"), (2, 5, "q")], &[]);
        check("\u{feff}# marked\np", &[(2, 12, "p")], &[]);
        check("\u{feff}p", &[(1, 3, "p")], &[]);
        check("-- c\np -- c\np --> q--\n", &[(2, 5, "p")], &[19]);
        check("  --> c\np --> q --", &[(2, 8, "p -> q")], &[]);
        check("\"a#b\" # c\n\"\\\"#\"#\"", &[(1, 0, "\"a#b\""), (2, 10, "\"\\\"#\"")], &[]);
    }

    #[test]
    fn a_budget_bounds_them() {
        let text = "E F p\n".repeat(1000);
        let read = |mut budget| parse_properties_within(&text, &mut budget).map(|(lines, _)| lines.len());
        assert_eq!(read(Budget::new(None, Some(1 << 20))), Ok(1000));
        assert_eq!(read(Budget::new(None, Some(1 << 16))), Err(Exhausted::Memory));
        assert_eq!(read(Budget::new(Some(std::time::Duration::ZERO), None)).err(), None);
        let long = "p & ".repeat(100_000) + "p";
        let read = |mut budget| parse_properties_within(&long, &mut budget).map(|(lines, _)| lines.len());
        assert_eq!(read(Budget::new(Some(std::time::Duration::ZERO), None)), Err(Exhausted::Time));
    }

    #[test]
    fn all_problems_at_once() {
        check("p &\nq\n(p\n\"a # b\n", &[(2, 4, "q")], &[3, 6, 9]);
    }

    #[test]
    fn fragment_problems_are_located_in_the_file() {
        let (lines, _) = parse_properties("p\nE X p\n  q & F p\n");
        assert!(lines[1].ctl().is_ok());
        let problems = lines[2].ctl().expect_err("no quantifier");
        assert_eq!(problems.sorted()[0].offset, Some(14));
        let problems = lines[2].star().expect_err("no quantifier");
        assert_eq!(problems.sorted()[0].offset, Some(14));
        assert!(lines[2].linear().is_ok());
        let problems = lines[1].linear().expect_err("a quantifier");
        assert_eq!(problems.sorted()[0].offset, Some(2));
    }
}
