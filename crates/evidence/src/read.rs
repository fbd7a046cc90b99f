//! Evidence as JSON (`docs/formats.md`, "Evidence"), read by loops, however deep it is, and found
//! again in a model.

use crate::call_strategy::{CALL_STRATEGY, CallMove, CallStep, CallStrategy, ClaimedReturn};
use crate::certificate::{Certificate, INVARIANT, PATHS, STRATEGY};
use crate::invariant::Invariant;
use crate::machine_states::MachineStates;
use crate::read_states::{Log, ReadStates};
use crate::results::{Results, Stated};
use crate::strategy::{Move, Strategy};
use crate::unreadable::Unreadable;
use crate::{Claim, Evidence, Loop, Path, PathId};
use loris_base::{Budget, Diagnostics, Exhausted};
use loris_json::Item;
use loris_rsm::Rsm;
use std::borrow::Cow;

/// A variable of a model with its value in a state.
pub type NamedValue<'t> = (Cow<'t, str>, Cow<'t, str>);

impl Results<'_> {
    /// The evidence in terms of a machine, in the order of the file.
    ///
    /// # Errors
    /// All that is wrong: what is not evidence, names that the machine does not have, values of
    /// variables that are not those of the state; or the limit that was reached.
    pub fn evidence(&self, rsm: &Rsm, budget: &mut Budget) -> Result<Vec<Certificate>, Unreadable> {
        self.certificates(MachineStates::new(rsm), budget)
    }

    /// The evidence in terms of a model whose states are known by the values of their variables:
    /// `find` returns the state with these values in the model that a result is about, or an error
    /// message if there is none.
    ///
    /// # Errors
    /// All that is wrong: what is not evidence, and values that no state has; or the limit that was
    /// reached.
    pub fn evidence_by_values<S>(
        &self,
        find: impl FnMut(&Stated, &[NamedValue<'_>]) -> Result<S, String>,
        budget: &mut Budget,
    ) -> Result<Vec<Certificate<S>>, Unreadable> {
        self.certificates(ValueStates { find, stated: None }, budget)
    }

    fn certificates<R: ReadStates>(
        &self,
        states: R,
        budget: &mut Budget,
    ) -> Result<Vec<Certificate<R::State>>, Unreadable> {
        let mut reader = Reader { states, log: Log { problems: Diagnostics::default(), budget } };
        let mut found = Vec::with_capacity(self.stated.len());
        for stated in &self.stated {
            let item = self.document.item(stated.evidence);
            if reader.states.start(stated, item, &mut reader.log) {
                found.extend(reader.certificate(item)?);
            }
        }
        reader.log.problems.into_result(found).map_err(Unreadable::Wrong)
    }
}

/// States by the values of their variables.
struct ValueStates<F> {
    find: F,
    /// the result whose evidence is being read
    stated: Option<Stated>,
}

impl<S, F: FnMut(&Stated, &[NamedValue<'_>]) -> Result<S, String>> ReadStates for ValueStates<F> {
    type State = S;

    fn start(&mut self, stated: &Stated, _: Item<'_>, _: &mut Log<'_>) -> bool {
        self.stated = Some(stated.clone());
        true
    }

    fn path(&mut self, path: Item<'_>, log: &mut Log<'_>) -> bool {
        let component = path.under("component");
        if let Some(component) = component {
            log.problem(component, "this model has no components");
        }
        component.is_none()
    }

    fn state(&mut self, item: Item<'_>, log: &mut Log<'_>) -> Result<Option<S>, Exhausted> {
        let Some(values) = item.get("values").filter(|values| values.is_object()) else {
            log.problem(item, "expected {\"values\": {NAME: VALUE, …}}");
            return Ok(None);
        };
        let mut named: Vec<NamedValue<'_>> = Vec::new();
        for value in values.items() {
            log.budget.spend(1)?;
            let Some(text) = value.text() else {
                log.problem(value, "the value of a variable should be a string");
                return Ok(None);
            };
            named.push((value.key(), text));
        }
        log.budget.charge(named.len())?;
        let stated = self.stated.as_ref().expect("evidence is started before its states");
        let found = (self.find)(stated, &named);
        Ok(found.map_err(|message| log.problem(values, message)).ok())
    }
}

/// The use of the path that is being read.
enum Role {
    Root,
    Also,
    Because(PathId, usize),
}

struct Reader<'b, R> {
    states: R,
    log: Log<'b>,
}

impl<R: ReadStates> Reader<'_, R> {
    fn problem(&mut self, item: Item<'_>, message: impl Into<String>) {
        self.log.problem(item, message);
    }

    /// Evidence of any kind; nothing after a problem was reported.
    fn certificate(&mut self, item: Item<'_>) -> Result<Option<Certificate<R::State>>, Exhausted> {
        let kind = item.under("kind");
        match kind.map(Item::text) {
            None => self.evidence(item).map(|evidence| Some(evidence.into())),
            Some(Some(kind)) if kind == PATHS => self.evidence(item).map(|evidence| Some(evidence.into())),
            Some(Some(kind)) if kind == INVARIANT => {
                self.invariant(item).map(|invariant| Some(invariant.into()))
            }
            Some(Some(kind)) if kind == STRATEGY => {
                self.strategy(item).map(|strategy| Some(Certificate::Strategy(strategy)))
            }
            Some(Some(kind)) if kind == CALL_STRATEGY => {
                self.call_strategy(item).map(|strategy| Some(Certificate::CallStrategy(strategy)))
            }
            Some(_) => {
                let message =
                    format!("\"kind\" should be one of {PATHS}, {INVARIANT}, {STRATEGY}, {CALL_STRATEGY}");
                self.problem(kind.unwrap_or(item), message);
                Ok(None)
            }
        }
    }

    /// The subformulas that moves are about.
    fn formulas(&mut self, item: Item<'_>) -> Result<Vec<String>, Exhausted> {
        if item.get("formulas").is_none() || item.get("moves").is_none() {
            self.problem(item, "a strategy without \"formulas\" or \"moves\"");
        }
        let mut formulas = Vec::new();
        for formula in self.log.array(item, "formulas") {
            self.log.budget.spend(1)?;
            self.log.budget.charge(size_of::<String>() + formula.width())?;
            match formula.text() {
                Some(text) => formulas.push(text.into_owned()),
                None => self.problem(formula, "a formula should be a string"),
            }
        }
        Ok(formulas)
    }

    fn call_strategy(&mut self, item: Item<'_>) -> Result<CallStrategy<R::State>, Exhausted> {
        let shows = self.shows(item)?;
        let formulas = self.formulas(item)?;
        let number = |item: Item<'_>, key: &str, below: usize| {
            item.get(key).and_then(Item::number).filter(|&number| number < below)
        };
        let priority = |item: Item<'_>| {
            item.get("priority").and_then(Item::number).and_then(|number| u32::try_from(number).ok())
        };
        let mut start = Vec::new();
        for place in self.log.array(item, "start") {
            start.extend(self.place(place)?);
        }
        let mut claims = Vec::new();
        for list in self.log.array(item, "claims") {
            self.log.budget.charge(size_of::<Vec<ClaimedReturn<R::State>>>() + list.width())?;
            let mut claim = Vec::new();
            for back in list.items().filter(|_| list.is_array()) {
                self.log.budget.spend(1)?;
                let parts = (back.get("exit"), number(back, "formula", formulas.len()), priority(back));
                let (Some(exit), Some(formula), Some(priority)) = parts else {
                    self.problem(back, "a claim needs an \"exit\", a \"formula\" and a \"priority\"");
                    continue;
                };
                if let Some(exit) = self.place(exit)? {
                    claim.push(ClaimedReturn { exit, formula, priority });
                }
            }
            claims.push(claim);
        }
        let mut moves = Vec::new();
        for step in self.log.array(item, "moves") {
            self.log.budget.spend(1)?;
            self.log.budget.charge(size_of::<CallMove<R::State>>() + step.width())?;
            let within = step.get("within").and_then(Item::number);
            let parts = (step.get("at"), number(step, "formula", formulas.len()), priority(step));
            let (Some(at), Some(formula), Some(priority)) = parts else {
                self.problem(step, "a move needs a place \"at\", a \"formula\" and a \"priority\"");
                continue;
            };
            let Some(at) = self.place(at)? else { continue };
            let next = (step.get("to"), number(step, "next", formulas.len()));
            let to = match (number(step, "claim", claims.len()), next) {
                (Some(claim), _) => CallStep::Claim(claim),
                (None, (Some(to), Some(next))) => match self.place(to)? {
                    Some(to) => CallStep::Go(to, next),
                    None => continue,
                },
                (None, _) => {
                    self.problem(step, "a move needs a \"claim\", or a place \"to\" and \"next\"");
                    continue;
                }
            };
            moves.push(CallMove { at, formula, priority, within, to });
        }
        Ok(CallStrategy { shows, start, formulas, claims, moves })
    }

    /// A state with the component in which its stack starts.
    fn place(&mut self, item: Item<'_>) -> Result<Option<R::State>, Exhausted> {
        let Some(state) = item.get("state") else {
            self.problem(
                item,
                "expected {\"state\": {…}}, with a \"component\" if it is not the initial one",
            );
            return Ok(None);
        };
        if !self.states.path(item, &mut self.log) {
            return Ok(None);
        }
        self.states.state(state, &mut self.log)
    }

    fn strategy(&mut self, item: Item<'_>) -> Result<Strategy<R::State>, Exhausted> {
        let shows = self.shows(item)?;
        let formulas = self.formulas(item)?;
        let mut moves = Vec::new();
        for step in self.log.array(item, "moves") {
            self.log.budget.spend(1)?;
            self.log.budget.charge(size_of::<Move<R::State>>() + step.width())?;
            let number =
                |key: &str| step.get(key).and_then(Item::number).filter(|&number| number < formulas.len());
            let (Some(formula), Some(next)) = (number("formula"), number("next")) else {
                self.problem(step, "\"formula\" and \"next\" should be numbers of \"formulas\", from 0");
                continue;
            };
            let (Some(from), Some(to)) = (step.get("from"), step.get("to")) else {
                self.problem(step, "a move needs the states \"from\" and \"to\"");
                continue;
            };
            let states = (self.states.state(from, &mut self.log)?, self.states.state(to, &mut self.log)?);
            if let (Some(from), Some(to)) = states {
                moves.push(Move { from, formula, to, next });
            }
        }
        Ok(Strategy { shows, formulas, moves })
    }

    fn invariant(&mut self, item: Item<'_>) -> Result<Invariant, Exhausted> {
        let shows = self.shows(item)?;
        if item.get("clauses").is_none() {
            self.problem(item, "an invariant without \"clauses\", the formulas that hold in its states");
        }
        let mut clauses = Vec::new();
        for clause in self.log.array(item, "clauses") {
            self.log.budget.spend(1)?;
            self.log.budget.charge(size_of::<String>() + clause.width())?;
            match clause.text() {
                Some(text) => clauses.push(text.into_owned()),
                None => self.problem(clause, "a clause should be a string"),
            }
        }
        Ok(Invariant { shows, clauses })
    }

    fn shows(&mut self, item: Item<'_>) -> Result<String, Exhausted> {
        self.log.budget.charge(size_of::<Path<R::State>>() + item.get("shows").map_or(0, Item::width))?;
        let shows = item.get("shows").and_then(Item::text);
        if shows.is_none() {
            self.problem(item, "evidence without \"shows\", the formula it shows");
        }
        Ok(shows.map(String::from).unwrap_or_default())
    }

    fn evidence(&mut self, root: Item<'_>) -> Result<Evidence<R::State>, Exhausted> {
        let mut evidence = Evidence::default();
        let mut work = vec![(root, Role::Root)];
        while let Some((item, role)) = work.pop() {
            if !item.is_object() || item.get("states").is_none() {
                self.problem(item, "expected evidence: an object with \"shows\" and \"states\"");
                continue;
            }
            let path = self.path(item)?;
            let path = evidence.paths.push(path);
            let start = work.len();
            match role {
                Role::Root => {
                    let also = self.log.array(item, "also");
                    work.extend(also.map(|item| (item, Role::Also)));
                }
                Role::Also => evidence.also.push(path),
                Role::Because(parent, state) => {
                    evidence.paths[parent].because.push(Claim { state, evidence: path });
                }
            }
            if !matches!(role, Role::Root)
                && let Some(also) = item.get("also")
            {
                self.problem(also, "only evidence at the top has \"also\"");
            }
            work[start..].reverse();
            let start = work.len();
            for claim in self.log.array(item, "because") {
                match (claim.get("state").and_then(Item::number), claim.get("evidence")) {
                    (Some(state), Some(evidence)) => work.push((evidence, Role::Because(path, state))),
                    _ => self.problem(claim, "expected {\"state\": number, \"evidence\": {…}}"),
                }
            }
            work[start..].reverse();
        }
        Ok(evidence)
    }

    /// A path without its `because`.
    fn path(&mut self, item: Item<'_>) -> Result<Path<R::State>, Exhausted> {
        let shows = self.shows(item)?;
        let repeats = item.get("loop").and_then(|repeats| {
            let end = |key| repeats.get(key).and_then(Item::number);
            let found = end("from").zip(end("to")).map(|(from, to)| Loop { from, to });
            if found.is_none() {
                self.problem(repeats, "expected null or {\"from\": number, \"to\": number}");
            }
            found
        });
        let can_be_found = self.states.path(item, &mut self.log);
        // exactly as many as there are, so that the memory in use is the memory accounted for
        let count = self.log.array(item, "states").count();
        self.log.budget.spend(count)?;
        self.log.budget.charge(count * size_of::<R::State>())?;
        let mut states = Vec::with_capacity(count);
        for state in self.log.array(item, "states").filter(|_| can_be_found) {
            states.extend(self.states.state(state, &mut self.log)?);
        }
        Ok(Path { shows, states, repeats, because: Vec::new() })
    }
}
