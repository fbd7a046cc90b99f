//! The next request of a visit of `rks-incremental`: an operand, a source of contexts, a pair that
//! a call leads to; and how it uses the answers (recursive-kripke, Algorithms 4.2 and 4.3).

use super::fixpoint::{Pair, Pairs, refresh};
use super::incremental::{Goal, Incremental};
use super::local::Path;
use super::structure::Call;
use super::undecided::Undecided;
use loris_base::{Budget, Exhausted, Idx, Truth};
use loris_logic::{CoreId, CoreNode};

impl Incremental<'_, '_> {
    /// labelLocally; and once more if its result changes the contexts of calls that were followed
    /// before (E12).
    pub(super) fn check(&mut self, pair: Pair, budget: &mut Budget) -> Result<(), Exhausted> {
        if !self.kappa.operator(pair.class).is_existential() {
            self.kappa.check(pair, 0, budget)?;
            return Ok(());
        }
        self.checks += 1;
        if self.kappa.check(pair, 0, budget)? && self.refresh_all(pair) {
            let operands = self.kappa.operands(pair.class, budget)?;
            if operands.iter().all(|&operand| self.is_done(operand, Goal::Fully)) {
                let mut rest = None;
                self.check_again(pair, None, &mut rest, budget)?;
                budget.release(rest.as_ref().map_or(0, Undecided::bytes));
            }
        }
        Ok(())
    }

    /// labelLocally where all operands are known: follows a call that has answered, all of them at
    /// first, and those whose context gets known by that (E12).
    pub(super) fn check_again(
        &mut self,
        pair: Pair,
        answer: Option<Call>,
        rest: &mut Option<Undecided>,
        budget: &mut Budget,
    ) -> Result<(), Exhausted> {
        self.checks += 1;
        let structure = self.kappa.structure(pair.class);
        let path = match self.kappa.operator(pair.class) {
            CoreNode::Eg(_) => Some(Path::Always),
            CoreNode::Eu(..) => Some(Path::Until),
            _ => None,
        };
        let mut answers: Vec<usize> = answer.into_iter().map(|call| call.cell).collect();
        let mut found = Vec::new();
        let rest = if let Some(rest) = rest {
            rest
        } else {
            // each once: those that are not known yet will be when they answer
            let row = self.kappa.row(pair);
            let calls = structure.calls().map(|call| call.cell);
            answers = calls.filter(|&cell| row.values[cell].is_known()).collect();
            rest.insert(Undecided::new(&structure, row, path, budget)?)
        };
        while let Some(answer) = answers.pop() {
            rest.follow(&structure, self.kappa.row_mut(pair), answer, 0, &mut found, budget)?;
            for cell in found.drain(..) {
                let after = structure.calls_before(cell as usize).filter(|_| path.is_some());
                answers.extend(after.filter(|&call| self.refresh(pair, call)).map(|call| call.cell));
            }
        }
        Ok(())
    }

    /// The next operand to label, those without temporal operators first.
    pub(super) fn operand(
        &mut self,
        pair: Pair,
        number: usize,
        budget: &mut Budget,
    ) -> Result<Option<Pair>, Exhausted> {
        if let CoreNode::True | CoreNode::Atom(_) = self.kappa.operator(pair.class) {
            return Ok(None);
        }
        let mut operands = self.kappa.operands(pair.class, budget)?;
        if operands[0] == operands[1] {
            return Ok(operands.get(number).copied().filter(|_| number == 0));
        }
        let is_temporal =
            |pair: Pair| self.is_temporal[(self.kappa.classes[pair.class as usize].node).index()];
        operands.sort_by_key(|&operand| is_temporal(operand));
        Ok(operands.get(number).copied())
    }

    /// The formula that is asked of callees.
    fn target(&self, pair: Pair) -> CoreId {
        match self.kappa.operator(pair.class) {
            CoreNode::Ex(psi) => psi,
            _ => self.kappa.classes[pair.class as usize].node,
        }
    }

    /// A source of the contexts of calls, if there are calls to follow.
    pub(super) fn source(
        &mut self,
        pair: Pair,
        number: usize,
        budget: &mut Budget,
    ) -> Result<Option<Pair>, Exhausted> {
        let class = pair.class as usize;
        if !self.kappa.operator(pair.class).is_existential()
            || self.kappa.structure(pair.class).calls().next().is_none()
        {
            return Ok(None);
        }
        if self.sources.len() <= class {
            self.sources.resize_with(self.kappa.classes.len().max(class + 1), || None);
        }
        if self.sources[class].is_none() {
            let sources = self.kappa.sources(pair.class, self.target(pair), budget)?;
            budget.charge(sources.len() * size_of::<Pair>() + size_of::<Vec<Pair>>())?;
            self.sources[class] = Some(sources);
        }
        Ok(self.sources[class].as_ref().and_then(|sources| sources.get(number)).copied())
    }

    /// A pair that a call leads to, if one is neither visited nor partly labelled.
    pub(super) fn unvisited(
        &mut self,
        pair: Pair,
        call: Call,
        budget: &mut Budget,
    ) -> Result<Option<Pair>, Exhausted> {
        let callee = self.callee(pair, call, budget)?;
        if let CoreNode::Ex(_) = self.kappa.operator(pair.class) {
            return Ok(Some(callee).filter(|&callee| !self.is_done(callee, Goal::Partly)));
        }
        let after = self.kappa.structure(pair.class).after(call.site);
        let tops: &[bool] = match self.kappa.row(pair).any(after) {
            Truth::False => &[false],
            Truth::True => &[true],
            Truth::Unknown => &[false, true],
        };
        let callees = tops.iter().map(|&top| Pair { class: callee.class, top });
        let is_unvisited = |&callee: &Pair| !self.is_in_xi(callee) && !self.is_done(callee, Goal::Partly);
        Ok(callees.into_iter().find(is_unvisited))
    }

    /// Where a call leads; its top is of use for EX only.
    fn callee(&mut self, pair: Pair, call: Call, budget: &mut Budget) -> Result<Pair, Exhausted> {
        if let Some(callee) = self.kappa.callee_pair(pair.class, call.place) {
            return Ok(callee);
        }
        let target = self.target(pair);
        let sources = self.sources[pair.class as usize].take().expect("sources come before calls");
        let class = self.kappa.follow(pair.class, target, &sources, call, budget)?;
        self.sources[pair.class as usize] = Some(sources);
        let mut top = false;
        if let CoreNode::Ex(_) = self.kappa.operator(pair.class)
            && self.kappa.annotated.has_top(target)
        {
            let [operand, _] = self.kappa.operands(pair.class, budget)?;
            let after = self.kappa.structure(pair.class).after(call.site);
            top = self.kappa.row(operand).any(after) == Truth::True;
        }
        let callee = Pair { class, top };
        self.kappa.set_callee(pair.class, call.place, callee, budget)?;
        Ok(callee)
    }

    /// Asks a call that was followed for the value to assume; returns whether it changed.
    pub(super) fn refresh(&mut self, pair: Pair, call: Call) -> bool {
        let Some(callee) = self.kappa.callee_pair(pair.class, call.place) else { return false };
        if !matches!(self.kappa.operator(pair.class), CoreNode::Ex(_)) {
            return refresh(self.kappa, pair, call);
        }
        let value = self.kappa.at_entry(callee);
        let before = std::mem::replace(&mut self.kappa.row_mut(pair).values[call.cell], value);
        before != value
    }

    pub(super) fn refresh_all(&mut self, pair: Pair) -> bool {
        let structure = self.kappa.structure(pair.class);
        structure.calls().fold(false, |is_new, call| self.refresh(pair, call) | is_new)
    }
}
