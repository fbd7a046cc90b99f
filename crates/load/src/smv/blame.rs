//! Problems that only states show, by the text they are in: the file, or a property that was given.

use super::{SmvFile, WantedProperty};
use loris_base::{Diagnostic, Diagnostics};

/// Problems of the states of an SMV file.
#[derive(Debug, Default)]
pub struct Blamed {
    /// Those of the file.
    pub file: Diagnostics,
    /// Those of properties that were given, with offsets in their texts.
    pub given: Vec<(WantedProperty, Diagnostics)>,
}

impl SmvFile {
    /// Tells apart whose problems these are.
    pub fn blamed(&self, found: &Diagnostics) -> Blamed {
        let mut blamed = Blamed::default();
        for problem in found.sorted() {
            let place = problem.offset.and_then(|offset| self.given_at(offset));
            let Some((wanted, offset)) = place else {
                blamed.file.push(problem.clone());
                continue;
            };
            let problem = Diagnostic { offset: Some(offset), ..problem.clone() };
            match blamed.given.iter_mut().find(|(other, _)| *other == wanted) {
                Some((_, problems)) => problems.push(problem),
                None => blamed.given.push((wanted, problem.into())),
            }
        }
        blamed
    }

    /// The property that was given with a text at this place, and the offset in there.
    fn given_at(&self, offset: u64) -> Option<(WantedProperty, u64)> {
        let mut wanted = self.wanted.iter().enumerate();
        wanted.find_map(|(number, property)| {
            let start = u64::from(property.base?);
            let is_there = (start..=start + u64::from(property.span.1)).contains(&offset);
            is_there.then(|| (WantedProperty(number), offset - start))
        })
    }

    /// All problems as those of the file: texts that were given are quoted.
    pub fn as_problems_of_file(&self, found: &Diagnostics) -> Diagnostics {
        let Blamed { file: mut all, given } = self.blamed(found);
        for (wanted, problems) in given {
            let text = &self.property(wanted).text;
            for problem in problems.sorted() {
                let message = format!("{}, in \"{text}\"", problem.message);
                all.push(Diagnostic { offset: None, length: 0, message, ..problem.clone() });
            }
        }
        all
    }
}
