//! Relevant states: those in which the value of a subformula matters for the whole formula in the
//! initial state (compositional-3valued, A13).

use super::space::Space;
use loris_base::{Budget, Exhausted, Idx, IndexVec};
use loris_logic::mu::{ActionSetId, Mu, MuFormula, MuId, VarId};
use loris_solvers::mdd::Set;

/// A way from a variable back to itself with one modality, directly above it.
struct Loop {
    actions: ActionSetId,
    /// the subformulas on the way, with the modality
    through: Vec<MuId>,
}

/// The relevant states of each subformula.
pub(super) struct Relevant {
    formula: MuFormula,
    reached: IndexVec<MuId, Option<Set>>,
    /// those from which nothing was looked at yet
    fresh: IndexVec<MuId, Option<Set>>,
    loops: IndexVec<VarId, Vec<Loop>>,
    has_begun: bool,
}

impl Relevant {
    pub(super) fn new(formula: &MuFormula) -> Self {
        let variables = (0..formula.variables()).map(VarId::new);
        Self {
            formula: formula.clone(),
            reached: vec![None; formula.len()].into(),
            fresh: vec![None; formula.len()].into(),
            loops: variables.map(|variable| loops(formula, variable)).collect::<Vec<_>>().into(),
            has_begun: false,
        }
    }

    /// The relevant states of a subformula, once all are known.
    pub(super) fn of(&self, id: MuId) -> &Set {
        self.reached[id].as_ref().expect("relevant states are known")
    }

    /// Finds all; where a limit ends this, it goes on from there the next time.
    pub(super) fn run(&mut self, space: &mut Space<'_>, budget: &mut Budget) -> Result<(), Exhausted> {
        space.arrange(budget)?;
        if !self.has_begun {
            let (start, none) = (space.initial(budget)?, space.store.empty());
            for id in self.reached.ids() {
                (self.reached[id], self.fresh[id]) = (Some(none.clone()), None);
            }
            let root = self.formula.root();
            (self.reached[root], self.fresh[root]) = (Some(start.clone()), Some(start));
            self.has_begun = true;
        }
        // the outermost first: what lies below then comes at once, and not piece by piece
        while let Some(id) = self.fresh.ids().rev().find(|&id| self.fresh[id].is_some()) {
            budget.spend(self.formula.len())?;
            self.look_below(id, space, budget)?;
        }
        Ok(())
    }

    /// Adds what the fresh states of a subformula make relevant. A limit ends this before anything
    /// has changed.
    fn look_below(&mut self, id: MuId, space: &mut Space<'_>, budget: &mut Budget) -> Result<(), Exhausted> {
        let Some(fresh) = self.fresh[id].clone() else { return Ok(()) };
        let open = space.undecided(id, &fresh, budget)?;
        let (states, below): (Set, Vec<MuId>) = match self.formula.node(id) {
            _ if open.is_empty() => (open, Vec::new()),
            Mu::Diamond(actions, f) | Mu::Box(actions, f) => (space.after(&open, actions, budget)?, vec![f]),
            Mu::Var(variable) => (open, vec![self.formula.body(variable)]),
            Mu::Fix(_, variable, body) => (open, vec![self.formula.variable_node(variable).unwrap_or(body)]),
            node => (open, node.children().collect()),
        };
        let mut found = Vec::with_capacity(below.len());
        for to in below {
            let mut new = space.store.difference(&states, self.of(to), budget)?;
            if let Mu::Var(variable) = self.formula.node(to)
                && !new.is_empty()
            {
                new = self.around(variable, new, space, budget)?;
                new = space.store.difference(&new, self.of(to), budget)?;
            }
            let reached = space.store.union(self.of(to), &new, budget)?;
            let waiting = match &self.fresh[to] {
                Some(fresh) if to != id => space.store.union(fresh, &new, budget)?,
                _ => new,
            };
            found.push((to, reached, waiting));
        }
        self.fresh[id] = None;
        for (to, reached, waiting) in found {
            self.reached[to] = Some(reached);
            self.fresh[to] = (!waiting.is_empty()).then_some(waiting);
        }
        Ok(())
    }

    /// All at once what would come back to a variable one step after the other.
    fn around(
        &self,
        variable: VarId,
        mut states: Set,
        space: &mut Space<'_>,
        budget: &mut Budget,
    ) -> Result<Set, Exhausted> {
        for Loop { actions, through } in &self.loops[variable] {
            let mut along = space.store.all();
            for &id in through {
                along = space.undecided(id, &along, budget)?;
            }
            let start = space.store.intersection(&states, &along, budget)?;
            if !start.is_empty() {
                let more = space.beyond(&start, &along, *actions, budget)?;
                states = space.store.union(&states, &more, budget)?;
            }
        }
        Ok(states)
    }

    /// How many pairs of a state and a subformula are relevant, and how many of these are
    /// undecided.
    pub(super) fn sizes(&self, space: &mut Space<'_>, budget: &mut Budget) -> Result<(f64, f64), Exhausted> {
        let (mut all, mut open) = (0.0, 0.0);
        for (id, _) in self.formula.nodes() {
            all += space.store.count(self.of(id), budget)?;
            let undecided = space.undecided(id, self.of(id), budget)?;
            open += space.store.count(&undecided, budget)?;
        }
        Ok((all, open))
    }
}

/// The ways from a variable through its body back to itself by one modality.
fn loops(formula: &MuFormula, variable: VarId) -> Vec<Loop> {
    let Some(node) = formula.variable_node(variable) else { return Vec::new() };
    let mut loops = Vec::new();
    let mut seen = vec![false; formula.len()];
    let mut open = vec![vec![node, formula.body(variable)]];
    while let Some(mut way) = open.pop() {
        let Some(&id) = way.last() else { continue };
        if std::mem::replace(&mut seen[id.index()], true) {
            continue;
        }
        match formula.node(id) {
            Mu::And(f, g) | Mu::Or(f, g) => {
                open.push([way.clone(), vec![f]].concat());
                way.push(g);
                open.push(way);
            }
            Mu::Diamond(actions, f) | Mu::Box(actions, f) if f == node => {
                loops.push(Loop { actions, through: way });
            }
            _ => {}
        }
    }
    loops
}
