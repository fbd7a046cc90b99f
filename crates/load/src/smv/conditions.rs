//! Conditions on states: propositions of automata, and targets.

use super::{SmvFile, WantedProperty};
use loris_base::Diagnostic;
use loris_logic::automaton::Hoa;
use loris_logic::{Formula, Node};
use loris_smv::ir::{PropertyKind, SmvProperty, StructureId};

/// What the propositions of an automaton are in a module, and what is wrong with some.
pub fn propositions(
    file: &mut SmvFile,
    structure: StructureId,
    hoa: &Hoa,
) -> (Vec<WantedProperty>, Vec<(String, Diagnostic)>) {
    let (mut found, mut problems) = (Vec::new(), Vec::new());
    for name in &hoa.propositions {
        match file.resolve(structure, name) {
            Ok(property) if is_atom(&property.formula) => found.push(file.want(property)),
            Ok(_) => {
                let problem =
                    Diagnostic::global(format!("the proposition \"{name}\" is not a single condition"));
                problems.push((name.clone(), problem.help("give it a name with DEFINE")));
            }
            Err(errors) => {
                problems.extend(errors.sorted().into_iter().map(|problem| (name.clone(), problem.clone())));
            }
        }
    }
    (found, problems)
}

/// Whether a formula is one atom.
pub(crate) fn is_atom(formula: &Formula) -> bool {
    matches!(formula.node(formula.root()), Node::Atom(_))
}

/// Whether a property is about no run, only about a state.
pub fn is_condition(property: &SmvProperty) -> bool {
    debug_assert_eq!(
        property.kind,
        PropertyKind::Given,
        "others have temporal operators that are not written"
    );
    property.formula.nodes().all(|(_, node)| !node.is_temporal() && !node.is_quantifier())
}
