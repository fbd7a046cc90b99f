//! Property files: one formula a line, `#` starts a comment.

use crate::parser::parse_one;
use crate::{Core, Formula};
use loris_base::{Budget, Diagnostic, Diagnostics, Exhausted};

/// A formula and the line it stands on.
#[derive(Clone, Debug)]
pub struct PropertyLine {
    /// The number of the line, from 1.
    pub line: u32,
    /// Byte offset of the line in the file; spans of the formula count from here.
    pub offset: u64,
    /// What the line says.
    pub formula: Formula,
}

impl PropertyLine {
    /// The formula as CTL; problems are located in the file.
    pub fn ctl(&self) -> Result<Core, Diagnostics> {
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

    fn located(&self, core: Result<Core, Diagnostics>) -> Result<Core, Diagnostics> {
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
    let mut offset = 0;
    for (i, line) in text.split('\n').enumerate() {
        let written = without_comment(line);
        if !written.trim_start_matches('\u{feff}').trim().is_empty() {
            budget.spend(1 + written.len() / 4)?;
            match parse_one(written) {
                Ok(formula) => {
                    budget.charge(size_of::<PropertyLine>() + formula.bytes())?;
                    lines.push(PropertyLine { line: i as u32 + 1, offset, formula });
                }
                Err(problem) => problems.push(shifted(problem, offset)),
            }
        }
        offset += line.len() as u64 + 1;
    }
    Ok((lines, problems))
}

fn shifted(mut problem: Diagnostic, by: u64) -> Diagnostic {
    problem.offset = problem.offset.map(|offset| offset + by);
    problem
}

/// The line up to the first `#` that is not in quotes.
fn without_comment(line: &str) -> &str {
    let (mut quoted, mut escaped) = (false, false);
    let start = line.bytes().position(|byte| {
        match byte {
            _ if escaped => escaped = false,
            b'\\' => escaped = quoted,
            b'"' => quoted = !quoted,
            _ => {}
        }
        byte == b'#' && !quoted
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
        check("p\r\n  q # c\r\n", &[(1, 0, "p"), (2, 3, "q")], &[]);
        check("\u{feff}# marked\np", &[(2, 12, "p")], &[]);
        check("\u{feff}p", &[(1, 0, "p")], &[]);
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
