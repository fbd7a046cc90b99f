//! Makes processes: collects states, steps and labels in any order, checks them, and freezes them.
//!
//! O(n + m log d) for n states and m steps, at most d from one state.

use crate::process::{ActionId, AtomId, LABELS_PER_WORD, Packed, Process, ProcessKind, StateId, TAU};
use loris_base::{
    Budget, Diagnostic, Diagnostics, Exhausted, Idx, Names, Stopped, Symbol, Truth, visible_name,
};

/// What an input states of a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Modality {
    /// The step may be there.
    May,
    /// The step must be there; the input states elsewhere that it may, else it is ill-formed.
    Must,
    /// The step is there: may and must.
    Both,
}

/// Collects a process. Problems are collected as well and reported by
/// [`finish`](ProcessBuilder::finish), all at once, with the places given by
/// [`at`](ProcessBuilder::at).
///
/// States come before the steps and labels that mention them.
///
/// ```
/// use loris_base::{Budget, Truth};
/// use loris_lts::{ProcessBuilder, ProcessKind, Modality, TAU};
/// let mut builder = ProcessBuilder::new("lamp", ProcessKind::Kripke);
/// let off = builder.named_state("off");
/// let on = builder.named_state("on");
/// let light = builder.atom("light");
/// builder.initial(off);
/// builder.label(off, light, false);
/// builder.label(on, light, true);
/// builder.step(off, TAU, on, Modality::Both);
/// builder.step(on, TAU, off, Modality::May);
/// let lamp = builder.finish(&mut Budget::unlimited()).expect("well-formed");
/// assert_eq!(lamp.label(on, light), Truth::True);
/// assert!(!lamp.is_concrete());
/// ```
#[derive(Clone, Debug)]
pub struct ProcessBuilder {
    name: String,
    kind: ProcessKind,
    states: usize,
    state_names: Names,
    initial: Option<StateId>,
    actions: Names,
    atoms: Names,
    steps: Vec<Edge>,
    /// steps of which only must was stated, and where
    musts: Vec<(Edge, Option<u64>)>,
    literals: Vec<Literal>,
    unlabelled: Truth,
    place: Option<u64>,
    problems: Diagnostics,
    /// whether the lists have grown by `make_room` alone
    is_charged: bool,
}

/// A step with its source.
#[derive(Clone, Copy, Debug)]
struct Edge {
    source: u32,
    step: Packed,
}

/// An atom or its negation at a state.
#[derive(Clone, Copy, Debug)]
struct Literal {
    state: u32,
    atom: u32,
    value: bool,
    place: Option<u64>,
}

impl ProcessBuilder {
    /// A process without states.
    pub fn new(name: impl Into<String>, kind: ProcessKind) -> Self {
        let mut actions = Names::default();
        actions.intern("tau");
        Self {
            name: name.into(),
            kind,
            states: 0,
            state_names: Names::default(),
            initial: None,
            actions,
            atoms: Names::default(),
            steps: Vec::new(),
            musts: Vec::new(),
            literals: Vec::new(),
            unlabelled: Truth::Unknown,
            place: None,
            problems: Diagnostics::default(),
            is_charged: false,
        }
    }

    /// The place in the input, as a byte offset, of all that is added from here on.
    pub fn at(&mut self, offset: u64) -> &mut Self {
        self.place = Some(offset);
        self
    }

    /// Adds a problem that the caller found.
    pub fn problem(&mut self, problem: Diagnostic) {
        self.problems.push(problem);
    }

    /// Adds problems that the caller found.
    pub fn append_problems(&mut self, problems: &Diagnostics) {
        self.problems.append(problems);
    }

    /// Adds this many states without names and returns the first of them.
    pub fn add_states(&mut self, count: usize) -> StateId {
        let first = self.states;
        self.states += count;
        StateId::new(first)
    }

    /// Adds a state.
    pub fn state(&mut self) -> StateId {
        self.add_states(1)
    }

    /// Adds a state with a name, which no other may have. States without a name before it are named
    /// by their numbers.
    pub fn named_state(&mut self, name: &str) -> StateId {
        self.name_all();
        let state = self.state();
        if self.state_names.intern(name).index() != state.index() {
            let problem = format!("there are two states with the name {}", visible_name(name));
            self.report(problem);
            // keeps symbols and states in step; nothing is built of it
            self.state_names.intern(&format!("{name}#{}", state.index()));
        }
        state
    }

    /// Gives each state a name as soon as one has.
    fn name_all(&mut self) {
        while self.state_names.len() < self.states {
            let number = self.state_names.len();
            let mut name = number.to_string();
            while self.state_names.find(&name).is_some() {
                name.insert(0, '_');
            }
            self.state_names.intern(&name);
        }
    }

    /// How many states were added.
    pub fn state_count(&self) -> usize {
        self.states
    }

    /// The state with a name.
    pub fn find_state(&self, name: &str) -> Option<StateId> {
        self.state_names.find(name).map(|symbol| StateId::new(symbol.index()))
    }

    /// Lets runs start in a state. There is exactly one initial state.
    pub fn initial(&mut self, state: StateId) {
        if self.initial.is_some_and(|initial| initial != state) {
            self.report("a process has one initial state, and this is the second".to_owned());
        } else if self.is_state(state) {
            self.initial = Some(state);
        }
    }

    /// The action with a name, which joins the alphabet whether or not a step has it. `tau` is
    /// [`TAU`].
    pub fn action(&mut self, name: &str) -> ActionId {
        ActionId::new(self.actions.intern(name).index())
    }

    /// The alphabet so far; the symbol of an action has its number.
    pub fn actions(&self) -> &Names {
        &self.actions
    }

    /// The atom with a name.
    pub fn atom(&mut self, name: &str) -> AtomId {
        AtomId::new(self.atoms.intern(name).index())
    }

    /// Adds a step. A step that is added again is must if one of them is.
    #[inline]
    pub fn step(&mut self, source: StateId, action: ActionId, target: StateId, modality: Modality) {
        if !(self.is_state(source) && self.is_state(target)) {
            return;
        }
        if self.kind == ProcessKind::Kripke && action != TAU {
            let name = visible_name(&self.actions[Symbol::new(action.index())]).into_owned();
            return self
                .report(format!("a step of a Kripke structure has no action, but this one has {name}"));
        }
        let label = 2 * action.index() as u32 + u32::from(modality != Modality::May);
        let step = Packed { label, target: target.index() as u32 };
        let edge = Edge { source: source.index() as u32, step };
        match modality {
            Modality::Must => self.musts.push((edge, self.place)),
            _ => self.steps.push(edge),
        }
    }

    /// States that an atom is true, or false, in a state.
    pub fn label(&mut self, state: StateId, atom: AtomId, value: bool) {
        if self.is_state(state) {
            let (state, atom) = (state.index() as u32, atom.index() as u32);
            self.literals.push(Literal { state, atom, value, place: self.place });
        }
    }

    /// The value of atoms in states of which nothing is stated; unknown if this is not called.
    pub fn unlabelled(&mut self, value: Truth) {
        self.unlabelled = value;
    }

    /// Makes room for one more step and one more label, charged to the budget: a reader that stays
    /// within limits calls it before it adds either, each time.
    #[inline]
    pub fn make_room(&mut self, budget: &mut Budget) -> Result<(), Exhausted> {
        self.is_charged = true;
        budget.reserve(&mut self.steps, 1)?;
        budget.reserve(&mut self.musts, 1)?;
        budget.reserve(&mut self.literals, 1)
    }

    fn report(&mut self, message: String) {
        self.problems.push(match self.place {
            Some(offset) => Diagnostic::error(offset, 0, message),
            None => Diagnostic::global(message),
        });
    }

    #[inline]
    fn is_state(&mut self, state: StateId) -> bool {
        let found = state.index() < self.states;
        if !found {
            self.report(format!("there is no state {}: there are {}", state.index(), self.states));
        }
        found
    }

    /// Checks all that was added and freezes it. The budget is charged for the process.
    ///
    /// # Errors
    /// All problems, or that a limit was reached.
    pub fn finish(mut self, budget: &mut Budget) -> Result<Process, Stopped> {
        if self.states >= u32::MAX as usize
            || self.steps.len() + self.musts.len() >= u32::MAX as usize
            || self.actions.len() >= 1 << 31
        {
            return Err(Exhausted::States.into());
        }
        if !self.state_names.is_empty() {
            self.name_all();
        }
        if self.initial.is_none() && !self.problems.has_errors() {
            let missing = if self.states == 0 { "state" } else { "initial state" };
            self.problems.push(Diagnostic::global(format!("the process has no {missing}")));
        }
        let (starts, mut steps) = self.rows(budget)?;
        self.add_musts(&starts, &mut steps, budget)?;
        let labels = self.labels(budget)?;
        let (Some(initial), false) = (self.initial, self.problems.has_errors()) else {
            return Err(self.problems.into());
        };
        let all_known = (0..self.states * self.atoms.len())
            .all(|place| labels[place / LABELS_PER_WORD] >> (2 * (place % LABELS_PER_WORD)) & 3 != 0);
        let is_concrete = all_known && steps.iter().all(|step| step.label & 1 == 1);
        let lists = (self.steps, self.musts, self.literals);
        if self.is_charged {
            budget.free(lists.0);
            budget.free(lists.1);
            budget.free(lists.2);
        }
        let mut process = Process {
            name: self.name,
            kind: self.kind,
            initial,
            actions: self.actions,
            atoms: self.atoms,
            starts,
            steps,
            labels,
            state_names: self.state_names,
            is_concrete,
        };
        process.actions.shrink_to_fit();
        process.atoms.shrink_to_fit();
        process.state_names.shrink_to_fit();
        Ok(process)
    }

    /// Sorts steps into rows by counting, then each row by action and target; merges equal ones.
    fn rows(&self, budget: &mut Budget) -> Result<(Vec<u32>, Vec<Packed>), Exhausted> {
        budget.charge(size_of::<u32>() * (self.states + 1) + size_of::<Packed>() * self.steps.len())?;
        let mut starts = vec![0u32; self.states + 1];
        for edge in &self.steps {
            budget.spend(1)?;
            starts[edge.source as usize] += 1;
        }
        let mut end = 0;
        for start in &mut starts {
            end += *start;
            *start = end;
        }
        let mut steps = vec![Packed { label: 0, target: 0 }; self.steps.len()];
        // from behind, so that `starts`, which hold the ends of rows, become their starts
        for edge in self.steps.iter().rev() {
            budget.spend(1)?;
            let cursor = &mut starts[edge.source as usize];
            *cursor -= 1;
            steps[*cursor as usize] = edge.step;
        }
        let mut kept = 0;
        for state in 0..self.states {
            let (start, end) = (starts[state] as usize, starts[state + 1] as usize);
            budget.spend(1 + end - start)?;
            steps[start..end].sort_unstable_by_key(|step| step.key());
            starts[state] = kept as u32;
            for i in start..end {
                let step = steps[i];
                if kept > starts[state] as usize && steps[kept - 1].key() == step.key() {
                    steps[kept - 1].label |= step.label & 1;
                } else {
                    steps[kept] = step;
                    kept += 1;
                }
            }
        }
        starts[self.states] = kept as u32;
        if kept < steps.len() {
            budget.release(size_of::<Packed>() * (steps.len() - kept));
            steps.truncate(kept);
            steps.shrink_to_fit();
        }
        Ok((starts, steps))
    }

    /// Makes those steps must of which only that was stated.
    fn add_musts(
        &mut self,
        starts: &[u32],
        steps: &mut [Packed],
        budget: &mut Budget,
    ) -> Result<(), Exhausted> {
        let musts = std::mem::take(&mut self.musts);
        for &(edge, place) in &musts {
            budget.spend(1)?;
            let range = starts[edge.source as usize] as usize..starts[edge.source as usize + 1] as usize;
            let row = &mut steps[range];
            if let Ok(found) = row.binary_search_by_key(&edge.step.key(), |step| step.key()) {
                row[found].label |= 1;
                continue;
            }
            self.place = place;
            let (source, target) = (self.shown(edge.source), self.shown(edge.step.target));
            let action = match self.kind {
                ProcessKind::Kripke => String::new(),
                ProcessKind::Lts => {
                    format!(
                        " by {}",
                        visible_name(&self.actions[Symbol::new((edge.step.label >> 1) as usize)])
                    )
                }
            };
            self.report(format!(
                "there must be a step from {source} to {target}{action}, but no such step may be there"
            ));
        }
        self.musts = musts;
        Ok(())
    }

    /// The table of labels.
    fn labels(&mut self, budget: &mut Budget) -> Result<Vec<u64>, Exhausted> {
        let words = (self.states as u128 * self.atoms.len() as u128).div_ceil(LABELS_PER_WORD as u128);
        let words = usize::try_from(words).map_err(|_| Exhausted::Memory)?;
        budget.charge(words.saturating_mul(size_of::<u64>()))?;
        budget.spend(words)?;
        let mut labels = vec![0u64; words];
        let literals = std::mem::take(&mut self.literals);
        for literal in &literals {
            budget.spend(1)?;
            let place = literal.state as usize * self.atoms.len() + literal.atom as usize;
            let shift = 2 * (place % LABELS_PER_WORD);
            let word = &mut labels[place / LABELS_PER_WORD];
            let before = *word >> shift & 3;
            let bit = if literal.value { 1 } else { 2 };
            *word |= bit << shift;
            // reported once for a state and atom: when the second of the two bits is set
            if before | bit == 3 && before != 3 {
                self.place = literal.place;
                let atom = visible_name(&self.atoms[Symbol::new(literal.atom as usize)]).into_owned();
                let state = self.shown(literal.state);
                self.report(format!("state {state} is labelled both {atom} and not {atom}"));
            }
        }
        self.literals = literals;
        let bit = match self.unlabelled {
            Truth::Unknown => return Ok(labels),
            Truth::True => 1,
            Truth::False => 2,
        };
        for place in 0..self.states * self.atoms.len() {
            budget.spend(1)?;
            let (word, shift) = (&mut labels[place / LABELS_PER_WORD], 2 * (place % LABELS_PER_WORD));
            if matches!(*word >> shift & 3, 0) {
                *word |= bit << shift;
            }
        }
        Ok(labels)
    }

    /// The name of a state in messages.
    fn shown(&self, state: u32) -> String {
        if self.state_names.is_empty() {
            return state.to_string();
        }
        visible_name(&self.state_names[Symbol::new(state as usize)]).into_owned()
    }
}
