//! A formula about a system: sets of actions and labels resolved to numbers.

use loris_base::{Idx, IndexVec, Symbol};
use loris_logic::mu::{ActionSetId, Mu, MuFormula, MuId};
use loris_lts::{Action, ProcessKind, System};
use thiserror::Error;

/// Why a formula does not fit a system.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum Unfit {
    /// A label that no process knows.
    #[error("no process has the label `{0}`")]
    Atom(String),
    /// An action that no process knows.
    #[error("no process knows the action `{0}`")]
    Action(String),
    /// Actions in a formula about Kripke structures.
    #[error("steps of Kripke structures have no actions: `{0}`")]
    NoActions(String),
}

/// A formula about a system.
#[derive(Debug)]
pub struct SystemQuestion<'a> {
    /// The processes.
    pub system: &'a System,
    /// The formula.
    pub formula: &'a MuFormula,
    /// by set and action: whether the set contains it
    members: Vec<Vec<bool>>,
    /// by set: its actions
    listed: Vec<Vec<Action>>,
    /// by atom of the formula: the label in the system, none if no process knows it
    labels: IndexVec<Symbol, Option<Symbol>>,
}

impl<'a> SystemQuestion<'a> {
    /// Resolves names. With `lenient`, unknown labels are false everywhere, and unknown actions are
    /// never taken.
    pub fn new(system: &'a System, formula: &'a MuFormula, lenient: bool) -> Result<Self, Vec<Unfit>> {
        let mut problems = Vec::new();
        let (mut members, mut listed): (Vec<Vec<bool>>, Vec<Vec<Action>>) = (Vec::new(), Vec::new());
        let names: Vec<&str> =
            (0..system.actions().len()).map(|action| system.visible_name(action as Action)).collect();
        for (_, set) in formula.action_sets() {
            if system.kind() == ProcessKind::Kripke && !set.is_all() {
                problems.push(Unfit::NoActions(set.to_string()));
            } else if !lenient {
                let unknown = set.names().iter().filter(|name| system.actions().find(name).is_none());
                problems.extend(unknown.cloned().map(Unfit::Action));
            }
            let among: Vec<bool> = names.iter().map(|name| set.contains(name)).collect();
            listed.push((0..).zip(&among).filter(|(_, is_in)| **is_in).map(|(action, _)| action).collect());
            members.push(among);
        }
        let mut labels = IndexVec::default();
        for name in formula.atoms().iter() {
            let label = system.atoms().find(name);
            if label.is_none() && !lenient {
                problems.push(Unfit::Atom(name.to_owned()));
            }
            labels.push(label);
        }
        problems.dedup();
        if problems.is_empty() {
            Ok(Self { system, formula, members, listed, labels })
        } else {
            Err(problems)
        }
    }

    /// Whether a set of the formula contains an action.
    #[inline]
    pub fn contains(&self, set: ActionSetId, action: Action) -> bool {
        self.members[set.index()][action as usize]
    }

    /// The actions of a set of the formula, in ascending order.
    #[inline]
    pub(crate) fn listed(&self, set: ActionSetId) -> &[Action] {
        &self.listed[set.index()]
    }

    /// The entries of a table by set and action: the steps that it takes to make one.
    pub(crate) fn tables(&self) -> usize {
        self.members.iter().map(Vec::len).sum()
    }

    /// The label that an atom of the formula means; none if no process knows it.
    #[inline]
    pub fn label(&self, atom: Symbol) -> Option<Symbol> {
        self.labels[atom]
    }

    /// The operator of a subformula.
    #[inline]
    pub fn node(&self, id: MuId) -> Mu {
        self.formula.node(id)
    }
}
