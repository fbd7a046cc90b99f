//! The size of the whole game of a formula on the whole product, without listing it.

use super::session::Session;
use loris_base::{Budget, Exhausted, Idx, IndexVec};
use loris_logic::mu::{ActionSet, Mu, MuFormula, MuId, VarId};
use loris_solvers::mdd::Set;

impl Session {
    /// The number of nodes of the game graph that are reachable from the initial state and the
    /// whole formula: pairs of a state and a subformula (compositional-3valued, A1). Rounded where
    /// it is large.
    pub fn game_size(&mut self, formula: &MuFormula, budget: &mut Budget) -> Result<f64, Exhausted> {
        budget.note(self.bytes())?;
        self.reachable(budget)?;
        let none = self.store.empty();
        // per subformula: the states it is reached with, and those whose successors are to be added
        let mut reached: IndexVec<MuId, Set> = vec![none.clone(); formula.len()].into();
        let mut fresh: IndexVec<MuId, Set> = vec![none.clone(); formula.len()].into();
        let start = self.initial(budget)?;
        reached[formula.root()] = start.clone();
        fresh[formula.root()] = start;
        while let Some(id) = fresh.ids().rev().find(|&id| !fresh[id].is_empty()) {
            budget.spend(formula.len())?;
            let mut states = std::mem::replace(&mut fresh[id], none.clone());
            let next: Vec<MuId> = match formula.node(id) {
                Mu::Diamond(actions, f) | Mu::Box(actions, f) => {
                    states = self.after(&states, formula.actions(actions), budget)?;
                    vec![f]
                }
                Mu::Fix(_, variable, body) => vec![formula.variable_node(variable).unwrap_or(body)],
                Mu::Var(variable) => vec![formula.body(variable)],
                node => node.children().collect(),
            };
            for to in next {
                let mut new = self.store.difference(&states, &reached[to], budget)?;
                if new.is_empty() {
                    continue;
                }
                if let Mu::Var(variable) = formula.node(to)
                    && let Some(actions) = loops(formula, variable)
                {
                    // all at once what would come back one step after the other
                    let everything = self.reachable(budget)?;
                    let closed = self.reach(&new, &everything, &actions, budget)?;
                    new = self.store.difference(&closed, &reached[to], budget)?;
                }
                reached[to] = self.store.union(&reached[to], &new, budget)?;
                fresh[to] = self.store.union(&fresh[to], &new, budget)?;
            }
        }
        let mut size = 0.0;
        for states in &reached {
            size += self.store.count(states, budget)?;
        }
        Ok(size)
    }
}

/// The actions of modalities directly above a variable that its body leads to without a step.
fn loops(formula: &MuFormula, variable: VarId) -> Option<ActionSet> {
    let mut actions: Option<ActionSet> = None;
    let mut seen = vec![false; formula.len()];
    let mut open = vec![formula.body(variable)];
    while let Some(id) = open.pop() {
        if std::mem::replace(&mut seen[id.index()], true) {
            continue;
        }
        match formula.node(id) {
            Mu::And(f, g) | Mu::Or(f, g) => open.extend([f, g]),
            Mu::Diamond(set, f) | Mu::Box(set, f) if formula.node(f) == Mu::Var(variable) => {
                let set = formula.actions(set);
                actions = Some(actions.map_or_else(|| set.clone(), |actions| actions.union(set)));
            }
            _ => {}
        }
    }
    actions
}
