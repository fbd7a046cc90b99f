//! Checks that a path that was walked shows its formula.
//!
//! `E X p` and `E [ p U q ]` over state formulas are shown by a path that ends where the operand
//! does its part. Every other `E ρ` of CTL*, and these too if the path has a loop, is shown by an
//! endless run, on which ρ is decided as on a word of labels and claims (`word.rs`).
//!
//! In a growing loop, a claim that is shown at a state of the round and does not look below counts
//! for every round. For `E G p` the state that closes such a loop has to show `p` as well; for
//! other ρ it only has to be there, since its claims are those of the first state, or are trusted.
//! An outermost formula that rests on nothing but trusted claims is refused: there is nothing to
//! replay.

use crate::formulas::{Formulas, Lit, Op, Reading};
use crate::proposition::Proposition;
use crate::replay::{ROUNDS, Replay, Shown};
use crate::search::Search;
use crate::space::{LoopRound, StateSpace};
use crate::state_formula::{Known, Leaf, StateFormula, Value};
use crate::steps::{Checked, Endless, Fault};
use crate::word::Word;
use crate::{Path, PathId, Paths};
use loris_base::{Exhausted, Idx, Truth};
use rustc_hash::FxHashMap;

/// More are counted, but not listed.
const LISTED: usize = 20;

const FORMULA_BYTES: usize = 32;

/// Where on its path a formula is asked for.
struct Place<'p, S> {
    path: &'p Path<S>,
    /// the claims that were shown along the path, by state
    because: &'p [(usize, Shown)],
    /// the endless run along the path, if it is to be one
    run: Option<&'p Endless<'p, S>>,
}

impl<M: StateSpace> Replay<'_, '_, M> {
    /// Checks one path; those it relies on were checked. `at` follows the state looked at.
    pub(crate) fn path(&mut self, id: PathId, at: &mut usize) -> Checked {
        let evidence = self.evidence;
        let path = &evidence.paths[id];
        self.budget.spend(1 + path.shows.len())?;
        // bytes that reading a formula takes per character, until it is in the table
        self.budget.charge(FORMULA_BYTES * path.shows.len())?;
        let reading = self.formulas.read(&path.shows)?;
        self.budget.release(FORMULA_BYTES * path.shows.len());
        let last = path.states.len() - 1;
        let mut lowest = self.model.lowest(&path.states[..last]);
        let mut because = Vec::with_capacity(path.because.len());
        for claim in &path.because {
            *at = claim.state;
            let child = claim.evidence.index();
            if child <= id.index() || child >= self.shown.len() {
                return Err(format!("relies on path {child}, which does not come after it").into());
            }
            let Some(state) = path.states.get(claim.state) else {
                *at = last;
                let message =
                    format!("relies on path {child} in state {}, but this state is the last", claim.state);
                return Err(message.into());
            };
            self.budget.spend(self.model.size(state))?;
            if evidence.paths[claim.evidence].states.first() != Some(state) {
                return Err(format!("relies on path {child}, which starts elsewhere").into());
            }
            lowest = lowest.min(self.shown[child].lowest);
            because.push((claim.state, self.shown[child]));
        }
        because.sort_by_key(|&(state, _)| state);
        *at = 0;
        let along_run = self.shape(path, reading, &because, at)?;
        let formula = reading.claim;
        let existential = along_run.is_some() || self.formulas.is_existential(formula);
        if self.root.contains(&id) && !existential {
            self.grounded(formula, &Place { path, because: &because, run: None })?;
        }
        if along_run.is_some_and(|run| run.is_implied()) {
            // it goes on from the last exit
            lowest = 0;
        }
        self.shown[id.index()] = Shown { formula, lowest };
        self.report.steps += last;
        self.report.claims += usize::from(existential);
        Ok(())
    }

    /// Checks that the states have the form that the outermost operator demands; returns the run if
    /// it is infinite.
    fn shape<'p>(
        &mut self,
        path: &'p Path<M::State>,
        Reading { claim, along }: Reading,
        because: &[(usize, Shown)],
        at: &mut usize,
    ) -> Result<Option<Endless<'p, M::State>>, Fault> {
        let (last, endless) = (path.states.len() - 1, path.repeats.is_some());
        let states = |lit| self.formulas.is_state(lit);
        let under = match self.formulas.op(claim) {
            Op::Exists(path) => Some(self.formulas.op(path)),
            _ => None,
        };
        let can_end = !self.paths.are_infinite();
        let place = Place { path, because, run: None };
        match (under, along) {
            (_, None) if endless => Err("a loop shows formulas that start with E only".into()),
            (Some(Op::Next(f)), _) if can_end && !endless && states(f) => {
                if last != 1 {
                    return Err("E X is shown by two states".into());
                }
                self.all(f, &place, 1..2, at)?;
                Ok(None)
            }
            (Some(Op::Until(f, g)), _) if can_end && !endless && states(f) && states(g) => {
                self.all(f, &place, 0..last, at)?;
                self.all(g, &place, last..last + 1, at)?;
                Ok(None)
            }
            (Some(Op::Release(Lit::FALSE, f)), _) if states(f) => {
                let run = Endless::new(self.model, path)?;
                // a closed loop ends in the very state it starts from
                let end = run.len + usize::from(run.round.is_some());
                let gates = StateFormula::new(&self.formulas, f, self.model);
                for i in 0..end {
                    *at = i.min(last);
                    self.holds(f, &gates, i, &Place { path, because, run: Some(&run) })?;
                }
                Ok(Some(run))
            }
            (Some(_), Some(along)) => self.along(path, along, because, at).map(Some),
            // `E X true` where runs may end: the step is there
            (None, Some(_)) if !endless && last == 1 && self.paths == Paths::Ending => {
                self.all(claim, &place, 0..1, at)?;
                Ok(None)
            }
            (None, Some(along)) if endless || last != 0 => self.along(path, along, because, at).map(Some),
            _ if last != 0 => Err("a formula that is not a path's is shown by one state".into()),
            _ => {
                self.all(claim, &place, 0..1, at)?;
                Ok(None)
            }
        }
    }

    /// Checks that a path formula holds along an endless run.
    fn along<'p>(
        &mut self,
        path: &'p Path<M::State>,
        along: Lit,
        because: &[(usize, Shown)],
        at: &mut usize,
    ) -> Result<Endless<'p, M::State>, Fault> {
        let last = path.states.len() - 1;
        let run = Endless::new(self.model, path).inspect_err(|_| *at = last)?;
        let place = Place { path, because, run: Some(&run) };
        let parts = self.formulas.parts(along, |lit| self.formulas.is_state(lit));
        self.budget.charge(parts.len() * run.len)?;
        let mut columns = self.columns(&parts, &run, &place, false)?;
        let trusted = self.trusted_along(along, &columns, &run, &place, false)?;
        let judged = !trusted.is_empty();
        if judged {
            columns = self.columns(&parts, &run, &place, true)?;
            for (position, leaf) in trusted {
                self.count_decided(leaf, position, &place)?;
            }
            for (_, leaf) in self.trusted_along(along, &columns, &run, &place, true)? {
                self.trust(leaf);
            }
        }
        self.budget.release(parts.len() * run.len);
        let is_fair = run.is_fair(self.model);
        let word = word(&self.formulas, along, &columns, &run, is_fair);
        let output = word.output();
        if output.holds() {
            return Ok(run);
        }
        let (part, position) = word.blame();
        let reasons = word.reasons();
        *at = position.min(last);
        if matches!(self.formulas.op(part), Op::Fair(_)) {
            *at = last;
            return Err("the loop is not fair".into());
        }
        if self.formulas.is_state(part) {
            let leaves = self.leaves(&[(part, position)], &columns, &place, judged)?;
            let leaves: Vec<Leaf<M::Atom>> = leaves.into_iter().map(|(_, leaf)| leaf).collect();
            return Err(self.refusal(part, &leaves).into());
        }
        let mut missing = None;
        if output == Value::Unshown {
            let leaves = self.leaves(&reasons, &columns, &place, judged)?;
            missing = leaves.into_iter().find_map(|(i, leaf)| Some((i.min(last), claimed(leaf)?.0)));
        }
        let part = self.formulas.print(part);
        Err(match missing {
            Some((i, claim)) => {
                let claim = self.formulas.print(claim);
                format!("`{part}` is not shown from here on: nothing shows `{claim}` in state {i}, for one")
            }
            None => format!("`{part}` does not hold from here on"),
        }
        .into())
    }

    /// The values of all state formulas among these parts, at all positions of a run.
    fn columns(
        &mut self,
        parts: &[Lit],
        run: &Endless<'_, M::State>,
        place: &Place<'_, M::State>,
        judged: bool,
    ) -> Result<Columns<M::Atom>, Exhausted> {
        let mut columns = Columns::default();
        for &lit in parts {
            if !self.formulas.is_state(lit) {
                continue;
            }
            let gates = StateFormula::new(&self.formulas, lit, self.model);
            let mut column = Vec::with_capacity(run.len);
            for i in 0..run.len {
                let values = self.values(&gates, i, place, judged)?;
                column.push(*values.last().expect("a state formula has a value"));
            }
            columns.insert(lit, (gates, column));
        }
        Ok(columns)
    }

    /// The claims that have to be trusted for a path formula to hold along a run, with their
    /// positions.
    fn trusted_along(
        &mut self,
        along: Lit,
        columns: &Columns<M::Atom>,
        run: &Endless<'_, M::State>,
        place: &Place<'_, M::State>,
        judged: bool,
    ) -> Result<Leaves<M::Atom>, Exhausted> {
        let word = word(&self.formulas, along, columns, run, run.is_fair(self.model));
        if word.output() != Value::Trusted {
            return Ok(Vec::new());
        }
        let reasons = word.reasons();
        self.leaves(&reasons, columns, place, judged)
    }

    /// The leaves that determine the values of state formulas at positions of a run.
    fn leaves(
        &mut self,
        reasons: &[(Lit, usize)],
        columns: &Columns<M::Atom>,
        place: &Place<'_, M::State>,
        judged: bool,
    ) -> Result<Leaves<M::Atom>, Exhausted> {
        let mut leaves = Vec::new();
        for &(lit, i) in reasons {
            let (gates, _) = &columns[&lit];
            let values = self.values(gates, i, place, judged)?;
            leaves.extend(gates.reasons(&values).into_iter().map(|leaf| (i, leaf)));
        }
        Ok(leaves)
    }

    /// Checks that a state formula holds in states of a path.
    fn all(
        &mut self,
        formula: Lit,
        place: &Place<'_, M::State>,
        states: std::ops::Range<usize>,
        at: &mut usize,
    ) -> Checked {
        let gates = StateFormula::new(&self.formulas, formula, self.model);
        for i in states {
            *at = i;
            self.holds(formula, &gates, i, place)?;
        }
        Ok(())
    }

    /// Checks that a formula holds in a state by its labels and by claims that were shown or
    /// decided.
    fn holds(
        &mut self,
        formula: Lit,
        gates: &StateFormula<M::Atom>,
        state: usize,
        place: &Place<'_, M::State>,
    ) -> Checked {
        let mut values = self.values(gates, state, place, false)?;
        if values.last() == Some(&Value::Trusted) {
            let trusted = gates.reasons(&values);
            values = self.values(gates, state, place, true)?;
            for leaf in trusted {
                self.count_decided(leaf, state, place)?;
            }
        }
        let reasons = gates.reasons(&values);
        match values.last() {
            Some(Value::True) => Ok(()),
            Some(Value::Trusted) => {
                for leaf in reasons {
                    self.trust(leaf);
                }
                Ok(())
            }
            _ => Err(self.refusal(formula, &reasons).into()),
        }
    }

    /// The values of a state formula in a state of a path. Claims that no path shows are decided by
    /// exploring states, if `judged`.
    fn values(
        &mut self,
        gates: &StateFormula<M::Atom>,
        index: usize,
        place: &Place<'_, M::State>,
        judged: bool,
    ) -> Result<Vec<Value>, Exhausted> {
        self.budget.spend(gates.len())?;
        let mut decided: FxHashMap<Lit, Known> = FxHashMap::default();
        if judged {
            for claim in gates.claims() {
                let known = self.decided(claim, index, place)?;
                decided.insert(claim, known);
            }
        }
        let known = |claim: Lit| decided.get(&claim).copied().unwrap_or_else(|| place.known(claim, index));
        Ok(gates.values(self.model, place.state(index), known))
    }

    /// How well a claim is known in a state once states were explored.
    fn decided(&mut self, claim: Lit, index: usize, place: &Place<'_, M::State>) -> Result<Known, Exhausted> {
        let mut known = place.known(claim, index);
        if known.present == Value::True {
            return Ok(known);
        }
        let round = place.round(index);
        if let Some((value, lowest)) = self.reached(claim, place.state(index))?
            && round.is_none_or(|round| lowest > round.height)
        {
            if value {
                known.absent = Value::False;
            } else {
                known = Known { present: Value::False, absent: Value::True };
            }
            return Ok(known);
        }
        match self.judged(claim, place.state(index))? {
            // in a later round, the stack below is another
            Truth::False if round.is_some() => known.present = Value::False,
            Truth::False => known = Known { present: Value::False, absent: Value::True },
            Truth::True => known.absent = Value::False,
            Truth::Unknown => {}
        }
        for (round, number) in round.into_iter().flat_map(|round| ROUNDS.map(move |number| (round, number))) {
            let later = self.model.later(&place.path.states, round, index, number);
            match self.judged(claim, &later)? {
                Truth::False => known.present = Value::False,
                Truth::True => known.absent = Value::False,
                Truth::Unknown => {}
            }
        }
        Ok(known)
    }

    /// Whether a claim `E [ p U q ]` holds in a state, with the lowest height of the stack that
    /// matters, if the model decides such claims for all states at once.
    fn reached(&mut self, claim: Lit, state: &M::State) -> Result<Option<(bool, usize)>, Exhausted> {
        let Op::Exists(path) = self.formulas.op(claim) else { return Ok(None) };
        let Op::Until(f, g) = self.formulas.op(path) else { return Ok(None) };
        if !self.reached.contains_key(&claim) {
            let of = |lit: Lit| Proposition::new(&self.formulas, lit, |name| self.model.atom(name));
            let found = match of(f).zip(of(g)) {
                Some((f, g)) => self.model.until(&f, &g, self.budget)?,
                None => None,
            };
            self.reached.insert(claim, found);
        }
        let found = self.reached[&claim].as_ref().map(|reached| reached.is_reached(state));
        // a path that was found need not go on for ever
        Ok(found.filter(|&(value, _)| !value || !self.paths.are_infinite()))
    }

    /// The value of a claim in a state, as far as the states around it decide it.
    fn judged(&mut self, claim: Lit, state: &M::State) -> Result<Truth, Exhausted> {
        self.budget.spend(self.model.size(state))?;
        let model = self.model;
        let bits = model.bits().map(|bits| (bits, bits.values(state)));
        if let Some((bits, values)) = &bits {
            let search = self.search.get_or_insert_with(|| Search::new(model, *bits));
            let value = search.steps(&self.formulas, claim, values, self.budget)?;
            if value != Truth::Unknown {
                return Ok(value);
            }
        }
        self.explore()?;
        if let Some(judge) = &mut self.judge {
            let value = judge.value(&self.formulas, claim, state, self.budget)?;
            if value != Truth::Unknown {
                return Ok(value);
            }
        }
        match (bits, &mut self.search) {
            (Some((_, values)), Some(search)) => search.value(&self.formulas, claim, &values, self.budget),
            _ => Ok(Truth::Unknown),
        }
    }

    /// Counts a claim that had to be trusted, if states that were explored decide it.
    fn count_decided(
        &mut self,
        leaf: Leaf<M::Atom>,
        index: usize,
        place: &Place<'_, M::State>,
    ) -> Result<(), Exhausted> {
        if let Some((claim, false)) = claimed(leaf) {
            let known = self.decided(claim, index, place)?;
            self.report.decided += usize::from(known.absent == Value::True);
        }
        Ok(())
    }

    /// Checks that a formula which holds in a state does so by some label or some claim that was
    /// shown or decided, and not only by trusted claims.
    fn grounded(&mut self, formula: Lit, place: &Place<'_, M::State>) -> Checked {
        let gates = StateFormula::new(&self.formulas, formula, self.model);
        // a claim that was shown may be true of every path, and then it is not asked for
        if !place.because.is_empty()
            || gates.is_grounded(&self.values(&gates, 0, place, false)?)
            || gates.is_grounded(&self.values(&gates, 0, place, true)?)
        {
            return Ok(());
        }
        let formula = self.formulas.print(formula);
        Err(format!("`{formula}` shows nothing that can be replayed: it only claims that no path exists")
            .into())
    }

    fn trust(&mut self, leaf: Leaf<M::Atom>) {
        let Some((claim, positive)) = claimed(leaf) else { return };
        self.report.trusted += 1;
        if self.report.trusted_claims.len() < LISTED && self.listed.insert((claim, positive)) {
            let claim = self.formulas.print(claim);
            self.report.trusted_claims.push(if positive {
                format!("{claim}, again in every round of a growing loop")
            } else {
                format!("!{claim}")
            });
        }
    }

    fn refusal(&self, formula: Lit, reasons: &[Leaf<M::Atom>]) -> String {
        let claim = reasons.iter().copied().find_map(claimed);
        let formula = self.formulas.print(formula);
        match claim {
            None => format!("`{formula}` does not hold here"),
            Some((claim, true)) => {
                format!("`{formula}` is not shown here: nothing shows `{}`", self.formulas.print(claim))
            }
            Some((claim, false)) => {
                format!("`{formula}` does not hold here: there is `{}`", self.formulas.print(claim))
            }
        }
    }
}

impl<S: PartialEq> Place<'_, S> {
    /// The state of this index; a run without a loop may have one more than its path.
    fn state(&self, index: usize) -> &S {
        self.run.map_or_else(|| &self.path.states[index], |run| run.state(index))
    }

    /// The round of a growing loop that a state is part of.
    fn round(&self, index: usize) -> Option<&LoopRound> {
        let round = self.run.and_then(|run| run.round.as_ref());
        round.filter(|round| (round.from..round.to).contains(&index))
    }

    /// How well a claim is known in a state by the paths shown.
    fn known(&self, claim: Lit, index: usize) -> Known {
        let start = self.because.partition_point(|&(at, _)| at < index);
        let end = start + self.because[start..].partition_point(|&(at, _)| at == index);
        let round = self.round(index);
        let shown = self.because[start..end].iter().filter(|(_, shown)| shown.formula == claim);
        let values = shown.map(|(_, shown)| match round {
            Some(round) if shown.lowest <= round.height => Value::Trusted,
            _ => Value::True,
        });
        let present = values.max().unwrap_or(Value::Unshown);
        Known { present, absent: !present }
    }
}

/// Leaves of state formulas with the positions where they matter.
type Leaves<A> = Vec<(usize, Leaf<A>)>;

/// State formulas with their values along a run.
type Columns<A> = FxHashMap<Lit, (StateFormula<A>, Vec<Value>)>;

/// A path formula on the word of a run.
fn word<'f, 'e, A, S>(
    formulas: &'f Formulas<'e>,
    along: Lit,
    columns: &Columns<A>,
    run: &Endless<'_, S>,
    is_fair: bool,
) -> Word<'f, 'e> {
    Word::new(formulas, along, (run.len, run.back), is_fair, |lit| columns[&lit].1.clone())
}

/// The claim of a leaf, and whether it is there or absent.
fn claimed<A: Copy>(leaf: Leaf<A>) -> Option<(Lit, bool)> {
    match leaf {
        Leaf::Claim(claim, positive) => Some((claim, positive)),
        Leaf::Constant(_) | Leaf::Atom(..) | Leaf::Next(_) => None,
    }
}
