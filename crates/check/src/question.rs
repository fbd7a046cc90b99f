//! A property on its way to an engine: its text, its core, and what its atoms mean in a machine.

use crate::UnknownAtoms;
use loris_base::{Diagnostic, Diagnostics, nearest};
use loris_logic::{Core, Formula, Node};
use loris_recursive::Property;
use loris_rsm::{LabelId, Rsm};
use std::sync::Arc;

/// A property of a machine.
#[derive(Clone, Debug)]
pub struct Question {
    /// The property as it was written.
    pub text: String,
    /// The file and the line it came from.
    pub source: Option<Source>,
    formula: Core,
    atoms: Vec<Option<LabelId>>,
}

/// Where a property was written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Source {
    /// The file.
    pub file: Arc<str>,
    /// The line, from 1.
    pub line: u32,
}

/// Past this many unknown atoms nobody reads suggestions, and each costs a walk over all labels.
const SUGGESTIONS: usize = 20;

impl Question {
    /// Resolves the atoms of a formula to labels of the machine.
    ///
    /// # Errors
    /// The formula is not in the fragment, or a node is labelled with none of its atoms; places
    /// count from where the text of the formula starts.
    pub fn new(
        rsm: &Rsm,
        text: impl Into<String>,
        formula: &Formula,
        unknown: UnknownAtoms,
    ) -> Result<Self, Diagnostics> {
        let mut problems = Diagnostics::default();
        if unknown == UnknownAtoms::Error {
            unknown_atoms(rsm, formula, &mut problems);
        }
        match Core::new(formula) {
            Ok(core) if problems.is_empty() => {
                let atoms = core.atoms().iter().map(|name| rsm.label(name)).collect();
                Ok(Self { text: text.into(), source: None, formula: core, atoms })
            }
            Ok(_) => Err(problems),
            Err(others) => {
                others.sorted().into_iter().for_each(|problem| problems.push(problem.clone()));
                Err(problems)
            }
        }
    }

    /// The formula in the CTL core.
    pub fn formula(&self) -> &Core {
        &self.formula
    }

    /// What engines take.
    pub(crate) fn property(&self) -> Property<'_> {
        Property { formula: &self.formula, atoms: self.atoms.clone() }
    }
}

/// One problem for each atom that no node carries, where it is first written.
fn unknown_atoms(rsm: &Rsm, formula: &Formula, problems: &mut Diagnostics) {
    let mut seen = vec![false; formula.atoms().len()];
    for (id, node) in formula.nodes() {
        let Node::Atom(atom) = node else { continue };
        let name = &formula.atoms()[atom];
        if std::mem::replace(&mut seen[loris_base::Idx::index(atom)], true) || rsm.label(name).is_some() {
            continue;
        }
        let (start, end) = formula.span(id);
        let message = format!("no node is labelled \"{name}\"");
        let problem = Diagnostic::error(u64::from(start), (end - start) as usize, message);
        let near = if problems.len() < SUGGESTIONS { nearest(name, rsm.labels()) } else { None };
        problems.push(match near {
            Some(near) => problem.help(format!("did you mean \"{near}\"?")),
            None => problem.help("--unknown-atoms false takes it to be false everywhere"),
        });
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::Question;
    use crate::UnknownAtoms;
    use loris_rsm::{Semantics, read_rsm_json};

    fn check(text: &str, expected: &[(u64, &str, Option<&str>)]) {
        let model = r#"{"initial_component": "main", "components": [{"name": "main", "boxes": [],
            "nodes": [{"name": "n", "is_entry": true, "is_exit": true, "labels": ["use_i", "def_i"]}],
            "transitions": []}]}"#;
        let (rsm, _) = read_rsm_json(model.as_bytes(), &Semantics::default()).unwrap();
        let formula = loris_logic::parse(text).unwrap();
        let problems = Question::new(&rsm, text, &formula, UnknownAtoms::Error)
            .map_or_else(|problems| problems.sorted().into_iter().cloned().collect(), |_| Vec::new());
        let found: Vec<_> = problems
            .iter()
            .map(|problem| (problem.offset.unwrap(), &*problem.message, problem.help.as_deref()))
            .collect();
        assert_eq!(found, expected, "{text}");
        assert!(Question::new(&rsm, text, &formula, UnknownAtoms::False).is_ok());
    }

    #[test]
    fn unknown_atoms_are_named_where_they_stand() {
        check("A G (def_i -> E F use_i)", &[]);
        check("E F use_j", &[(4, "no node is labelled \"use_j\"", Some("did you mean \"use_i\"?"))]);
        check(
            "E [ x U (x & def_) ]",
            &[
                (
                    4,
                    "no node is labelled \"x\"",
                    Some("--unknown-atoms false takes it to be false everywhere"),
                ),
                (13, "no node is labelled \"def_\"", Some("did you mean \"def_i\"?")),
            ],
        );
    }

    #[test]
    fn atoms_that_simplify_away_are_asked_for_all_the_same() {
        let help = Some("--unknown-atoms false takes it to be false everywhere");
        check("false & nothing", &[(8, "no node is labelled \"nothing\"", help)]);
    }
}
