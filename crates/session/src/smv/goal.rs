//! Where to get in an SMV model: a condition on states, or a name as for any machine.

use loris_base::{Budget, Diagnostic, Diagnostics, Exhausted, Idx};
use loris_check::{Goal, GoalNames};
use loris_load::smv::{SmvFile, SmvMachine, WantedProperty, is_condition};
use loris_logic::{Formula, Node};
use loris_rsm::{Rsm, Vertex};
use loris_smv::Stopped;
use loris_smv::ir::StructureId;

/// What was asked for, before there are states.
#[derive(Debug)]
pub(crate) struct SmvGoal {
    text: String,
    condition: Result<WantedProperty, Diagnostics>,
}

/// Has the machine made for a target. Whether the text is a target is known only when the machine
/// exists: it may be the name of a state.
///
/// `no_formula` is the hint for formulas, which are not targets.
pub(crate) fn goal(
    file: &mut SmvFile,
    structure: StructureId,
    text: &str,
    no_formula: &'static str,
) -> SmvGoal {
    let condition = file.resolve(structure, text).and_then(|property| {
        if is_condition(&property) {
            return Ok(file.want(property));
        }
        let problem = Diagnostic::error(0, text.len(), "a target is a condition on states");
        Err(problem.help(no_formula).into())
    });
    SmvGoal { text: text.to_owned(), condition }
}

impl SmvGoal {
    /// As it was given.
    pub(crate) fn text(&self) -> &str {
        &self.text
    }

    /// What is meant in the machine.
    ///
    /// # Errors
    /// It is neither a condition nor a name, and it is not clear which of the two was meant. Or
    /// a limit was reached.
    pub(crate) fn goal(
        &self,
        machine: &SmvMachine,
        names: &GoalNames<'_>,
        rsm: &Rsm,
        budget: &mut Budget,
    ) -> Result<Goal, Stopped> {
        match &self.condition {
            Ok(wanted) => Ok(states(machine.formula(*wanted), rsm, budget)?),
            Err(found) => names.goal(&self.text).map_err(|problem| {
                let is_node = rsm.components().any(|component| {
                    let rest = self.text.strip_prefix(rsm.component_name(component));
                    rest.is_some_and(|rest| rest.starts_with('/'))
                });
                Stopped::Wrong(if is_node { problem.into() } else { found.clone() })
            }),
        }
    }
}

/// The states where a condition over labels holds.
fn states(condition: &Formula, rsm: &Rsm, budget: &mut Budget) -> Result<Goal, Exhausted> {
    if let Node::Atom(atom) = condition.node(condition.root())
        && let Some(label) = rsm.label(&condition.atoms()[atom])
    {
        return Ok(Goal::Label(label));
    }
    budget.charge(condition.atoms().len() * rsm.vertex_count())?;
    budget.spend(condition.atoms().len() * rsm.vertex_count() / 64)?;
    let labelled: Vec<Vec<bool>> = condition
        .atoms()
        .iter()
        .map(|name| {
            let mut nodes = vec![false; rsm.vertex_count()];
            let label = rsm.label(name).into_iter();
            label.flat_map(|label| rsm.labelled(label)).for_each(|node| nodes[node.index()] = true);
            nodes
        })
        .collect();
    let mut values: Vec<bool> = Vec::with_capacity(condition.len());
    let mut holds = |state: &Vertex| {
        values.clear();
        for (_, node) in condition.nodes() {
            let is = |id: loris_logic::FormulaId| values[id.index()];
            let value = match node {
                Node::True => true,
                Node::Atom(atom) => labelled[atom.index()][state.index()],
                Node::Not(a) => !is(a),
                Node::And(a, b) => is(a) && is(b),
                Node::Or(a, b) => is(a) || is(b),
                Node::Implies(a, b) => !is(a) || is(b),
                Node::Iff(a, b) => is(a) == is(b),
                // the rest is temporal, and this is a condition
                _ => false,
            };
            values.push(value);
        }
        values[condition.root().index()]
    };
    let mut found = Vec::new();
    for state in rsm.components().flat_map(|component| rsm.nodes(component)) {
        budget.spend(condition.len())?;
        if holds(&state) {
            found.push(state);
        }
    }
    budget.charge(4 * found.len())?;
    budget.release(condition.atoms().len() * rsm.vertex_count());
    Ok(Goal::Nodes(found))
}
