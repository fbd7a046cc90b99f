//! What differs in the formulas of `.pdmu` files: labels as constraints on steps, and names.

use super::super::actions::ActionSet;
use super::super::lower::Written;
use super::super::regular::Regular;
use super::{Parser, Pending};
use loris_base::Diagnostic;

impl Parser<'_> {
    /// Reads a modality of a `.pdmu` file, if one is here.
    pub(super) fn pdmu_modality(&mut self, start: usize) -> Result<bool, Diagnostic> {
        let rest = self.rest();
        if rest.starts_with("~[") || rest.starts_with("~<") {
            let message = "modalities that go backwards are not supported";
            let problem = Diagnostic::error(start as u64, 2, message);
            return Err(problem.help("`[ ]` and `< >` are about next states").not_supported(message));
        }
        let (some, negated) = match rest.get(..2) {
            Some("<@") => (true, false),
            Some("[@") => (false, false),
            Some("<\\") => (true, true),
            Some("[\\") => (false, true),
            _ => return Ok(false),
        };
        self.at += 2;
        let close = if some { ">" } else { "]" };
        let mut labels = Vec::new();
        while !self.take(close) {
            let label = self.word(true);
            if label.is_empty() {
                let place = self.at;
                return Err(self.expected(&format!("a label or `{close}`"), place));
            }
            self.at += label.len();
            labels.push(label.to_owned());
        }
        self.push(Pending::Constrained { some, negated, labels }, start)?;
        Ok(true)
    }

    /// Reads one word of a `.pdmu` file where an operand is expected; whether it is one.
    pub(super) fn pdmu_operand(&mut self, start: usize) -> Result<bool, Diagnostic> {
        let word = self.word(true);
        self.at += word.len();
        match word {
            "" => return Err(self.expected("a formula", start)),
            "tt" => self.complete(Written::True, start),
            "ff" => self.complete(Written::False, start),
            "mu" | "nu" => {
                self.binder(word == "mu", start)?;
                return Ok(false);
            }
            _ => match self.scope.get(word) {
                Some(&serial) => self.complete(Written::Variable(serial), start),
                None if word.starts_with(char::is_uppercase) => {
                    let message = format!("the variable `{word}` is not bound");
                    let problem = Diagnostic::error(start as u64, word.len(), message);
                    return Err(problem.help("names of labels start with a small letter"));
                }
                None => self.complete(Written::Atom(word.to_owned()), start),
            },
        }
        Ok(true)
    }

    /// A step from states where some label holds, or none if `negated`: `<@p q>f` is
    /// `(p | q) & <>f`, and `[@p q]f` is `!(p | q) | []f`.
    pub(super) fn constrained(
        &mut self,
        (some, negated): (bool, bool),
        labels: Vec<String>,
        operand: u32,
        start: usize,
    ) -> Written {
        let span = (start, self.at);
        let mut holds = self.written.add(Written::False, span);
        for label in labels {
            let label = self.written.add(Written::Atom(label), span);
            holds = self.written.add(Written::Or(holds, label), span);
        }
        if some == negated {
            holds = self.written.add(Written::Not(holds), span);
        }
        let actions = Regular::Step(ActionSet::all());
        let step = self.written.add(Written::Modal { some, actions, operand }, span);
        if some { Written::And(holds, step) } else { Written::Or(holds, step) }
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Reading, Syntax, parse_with};

    fn read(text: &str) -> Result<String, (Option<u64>, String)> {
        let reading = Reading { syntax: Syntax::Pdmu, ..Reading::default() };
        parse_with(text, &reading).map(|formula| formula.to_string()).map_err(|found| {
            let first = found.sorted()[0];
            (first.offset, first.message.clone())
        })
    }

    fn check(text: &str, expected: &str) {
        assert_eq!(read(text).as_deref(), Ok(expected), "{text}");
    }

    fn refuse(text: &str, at: u64, message: &str) {
        assert_eq!(read(text), Err((Some(at), message.to_owned())), "{text}");
    }

    #[test]
    fn formulas_of_pdsolver() {
        check("mu Z. done | <>Z", "mu Z. done | <>Z");
        check(
            "nu X.(mu Y. (p & <> X) || <>Y) // again and again\n & []X",
            "nu X. (mu Y. p & <>X | <>Y) & []X",
        );
        check("[@p q]ff", "!p & !q | []ff");
        check("[\\p q]ff", "p | q | []ff");
        check("<@p q>tt & tt", "(p | q) & <>tt");
        check("<\\p>q => p", "p | []!q | p");
        check("a => b => c", "a & !b | c");
        check("e$f & p#1\\'", "\"e$f\" & \"p#1\\\\'\"");
    }

    #[test]
    fn problems() {
        refuse("p & ~[]q", 4, "modalities that go backwards are not supported");
        refuse("~<\\p>q", 0, "modalities that go backwards are not supported");
        refuse("p | Q", 4, "the variable `Q` is not bound");
        refuse("[@p &]q", 4, "expected a label or `]`, found `&`");
        refuse("mu X. !X", 7, "this variable stands under an odd number of negations");
    }
}
