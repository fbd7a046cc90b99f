//! Global states of a system and their steps, made on demand.
//!
//! A state is the list of the local states, packed into as few words as they take; states are
//! numbered as they are met. The steps of a state take time in the steps of its local states and in
//! the number of results.

use crate::system::{Action, Misfit, System};
use crate::{AtomId, Process, ProcessKind, StateId, Steps, TAU};
use hashbrown::HashTable;
use loris_base::{Budget, Exhausted, Idx, Symbol, Truth};
use rustc_hash::FxHasher;
use std::hash::Hasher;
use std::sync::Arc;

/// The steps of a look for a state, besides those for each process: engines that take turns count
/// the same time as the same number of steps.
const LOOK: usize = 16;

impl System {
    /// Puts processes together that all begin with a step to their initial states
    /// ([`Process::with_start`]). A formula is about the states after that step.
    ///
    /// # Errors
    /// The budget ran out; or else why they do not compose.
    pub fn starting(
        processes: Vec<Arc<Process>>,
        hidden: &[String],
        budget: &mut Budget,
    ) -> Result<Result<Self, Misfit>, Exhausted> {
        let system = match Self::new(processes, hidden) {
            Ok(system) => system.after_start(true),
            Err(misfit) => return Ok(Err(misfit)),
        };
        let mut steps = Vec::new();
        Product::new(&system, budget)?.steps(0, &mut steps, budget)?;
        // processes that never agree are a slip; one that has no initial state may be meant so
        let is_misfit = steps.is_empty() && system.len() > 1;
        Ok(if is_misfit { Err(Misfit::NoInitial) } else { Ok(system.after_start(!steps.is_empty())) })
    }
}

/// A step of a system.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct GlobalStep {
    /// The action that is taken.
    pub action: Action,
    /// The number of the state that it leads to.
    pub target: u32,
    /// Whether the step is certain.
    pub must: bool,
}

/// Where a local state lies in the words of a global one.
#[derive(Clone, Copy, Debug)]
struct Field {
    word: u32,
    shift: u32,
    mask: u64,
}

/// The global states of a system that were met, by number.
#[derive(Debug)]
pub struct Product<'a> {
    /// The system.
    pub system: &'a System,
    fields: Vec<Field>,
    width: usize,
    words: Vec<u64>,
    index: HashTable<u32>,
    held: usize,
    /// by process: pairs of its labels with those of earlier processes
    joint: Vec<Vec<(AtomId, u32, AtomId)>>,
    /// the local states that are being worked on
    local: Vec<u32>,
    next: Vec<u32>,
    choice: Vec<usize>,
    row: Vec<u64>,
}

impl<'a> Product<'a> {
    /// The product with its initial state, which has the number 0.
    pub fn new(system: &'a System, budget: &mut Budget) -> Result<Self, Exhausted> {
        let mut fields = Vec::with_capacity(system.len());
        let (mut word, mut used) = (0, 0);
        for process in system.processes() {
            let bits = usize::BITS - (process.state_count().max(2) - 1).leading_zeros();
            if used + bits > 64 {
                (word, used) = (word + 1, 0);
            }
            fields.push(Field { word, shift: used, mask: (1 << bits) - 1 });
            used += bits;
        }
        let width = word as usize + 1;
        let joint = (0..system.len() as u32)
            .map(|process| {
                let mut pairs = Vec::new();
                for atom in 0..system.atoms().len() {
                    let owners = system.owners(Symbol::new(atom));
                    let own = owners.iter().find(|(owner, _)| *owner == process);
                    if let (Some(&(_, own)), Some(&(first, other))) = (own, owners.first())
                        && first < process
                    {
                        pairs.push((own, first, other));
                    }
                }
                pairs
            })
            .collect();
        let mut product = Self {
            system,
            fields,
            width,
            words: Vec::new(),
            index: HashTable::new(),
            held: 0,
            joint,
            local: vec![0; system.len()],
            next: vec![0; system.len()],
            choice: vec![0; system.len()],
            row: vec![0; width],
        };
        product.next = system.initial();
        product.intern(budget)?;
        Ok(product)
    }

    /// How many states were met.
    #[expect(clippy::len_without_is_empty, reason = "the initial state is met at once")]
    pub fn len(&self) -> usize {
        self.words.len() / self.width
    }

    /// Bytes held.
    pub fn bytes(&self) -> usize {
        8 * self.words.capacity() + self.index.allocation_size()
    }

    /// The local states of a global one.
    pub fn decode(&self, state: u32, local: &mut Vec<u32>) {
        let row = &self.words[state as usize * self.width..][..self.width];
        local.clear();
        local.extend(
            self.fields.iter().map(|field| (row[field.word as usize] >> field.shift & field.mask) as u32),
        );
    }

    /// The number of the state in `next`.
    fn intern(&mut self, budget: &mut Budget) -> Result<u32, Exhausted> {
        budget.spend(LOOK + self.next.len() / 4)?;
        self.row.fill(0);
        for (field, &local) in self.fields.iter().zip(&self.next) {
            self.row[field.word as usize] |= u64::from(local) << field.shift;
        }
        let width = self.width;
        let hash = hash(&self.row);
        let words = &self.words;
        let found = self
            .index
            .find(hash, |&state| words[state as usize * width..(state as usize + 1) * width] == *self.row);
        if let Some(&state) = found {
            return Ok(state);
        }
        let state = self.len();
        if state + 1 >= u32::MAX as usize {
            return Err(Exhausted::States);
        }
        budget.reserve(&mut self.words, width)?;
        self.words.extend_from_slice(&self.row);
        let words = &self.words;
        self.index.insert_unique(hash, state as u32, |&state| {
            self::hash(&words[state as usize * width..(state as usize + 1) * width])
        });
        let bytes = self.index.allocation_size();
        if bytes != self.held {
            budget.grow(&mut self.held, bytes)?;
        }
        Ok(state as u32)
    }

    /// Appends the steps of a state, grouped by action.
    pub fn steps(
        &mut self,
        state: u32,
        steps: &mut Vec<GlobalStep>,
        budget: &mut Budget,
    ) -> Result<(), Exhausted> {
        let mut local = std::mem::take(&mut self.local);
        self.decode(state, &mut local);
        let result = match self.system.kind() {
            ProcessKind::Kripke => self.together(&local, steps, budget),
            ProcessKind::Lts => self.by_actions(&local, steps, budget),
        };
        self.local = local;
        result
    }

    /// Labelled transition systems: the processes that know an action take it together.
    fn by_actions(
        &mut self,
        local: &[u32],
        steps: &mut Vec<GlobalStep>,
        budget: &mut Budget,
    ) -> Result<(), Exhausted> {
        let system = self.system;
        for process in 0..local.len() as u32 {
            let state = StateId::new(local[process as usize] as usize);
            let mut last = None;
            let own_steps = system.process(process).steps(state);
            budget.spend(1 + own_steps.len())?;
            for step in own_steps {
                if step.action == TAU {
                    self.next.clear();
                    self.next.extend_from_slice(local);
                    self.next[process as usize] = step.target.index() as u32;
                    let target = self.intern(budget)?;
                    steps.push(GlobalStep { action: 0, target, must: step.must });
                    continue;
                }
                if last == Some(step.action) {
                    continue;
                }
                last = Some(step.action);
                let action = system.action(process, step.action);
                // the first that knows an action takes it for all
                if system.participants(action)[0].0 == process {
                    self.action(local, action, steps, budget)?;
                }
            }
        }
        Ok(())
    }

    /// All steps by one action that synchronises.
    fn action(
        &mut self,
        local: &[u32],
        action: Action,
        steps: &mut Vec<GlobalStep>,
        budget: &mut Budget,
    ) -> Result<(), Exhausted> {
        let system = self.system;
        let participants = system.participants(action);
        let choices = |place: usize| {
            let (process, own) = participants[place];
            let state = StateId::new(local[process as usize] as usize);
            system.process(process).steps_by(state, own)
        };
        let open = (0..participants.len()).take_while(|&place| choices(place).len() > 0).count();
        budget.spend(2 + 2 * open)?;
        if open < participants.len() {
            return Ok(());
        }
        self.choice.clear();
        self.choice.resize(participants.len(), 0);
        loop {
            self.next.clear();
            self.next.extend_from_slice(local);
            let mut must = true;
            for (place, &(process, _)) in participants.iter().enumerate() {
                let step = choices(place).nth(self.choice[place]).expect("choices are counted");
                self.next[process as usize] = step.target.index() as u32;
                must &= step.must;
            }
            budget.spend(participants.len())?;
            let target = self.intern(budget)?;
            steps.push(GlobalStep { action, target, must });
            // the next combination
            let mut place = 0;
            loop {
                if place == participants.len() {
                    return Ok(());
                }
                self.choice[place] += 1;
                if self.choice[place] < choices(place).len() {
                    break;
                }
                self.choice[place] = 0;
                place += 1;
            }
        }
    }

    /// Kripke structures: all move, to states that agree on shared labels.
    fn together(
        &mut self,
        local: &[u32],
        steps: &mut Vec<GlobalStep>,
        budget: &mut Budget,
    ) -> Result<(), Exhausted> {
        let system = self.system;
        let choices =
            |process: usize| system.process(process as u32).steps(StateId::new(local[process] as usize));
        let mut choice = std::mem::take(&mut self.choice);
        choice.clear();
        choice.push(0);
        self.next.clear();
        self.next.extend_from_slice(local);
        let mut musts = vec![true; local.len() + 1];
        let result = loop {
            let process = choice.len() - 1;
            if let Err(exhausted) = budget.spend(1) {
                break Err(exhausted);
            }
            let Some(step) = choices(process).nth(choice[process]) else {
                choice.pop();
                match choice.last_mut() {
                    Some(last) => *last += 1,
                    None => break Ok(()),
                }
                continue;
            };
            let agrees = self.joint[process].iter().all(|&(own, other, other_atom)| {
                let there = StateId::new(self.next[other as usize] as usize);
                system.process(process as u32).label(step.target, own)
                    == system.process(other).label(there, other_atom)
            });
            if !agrees {
                choice[process] += 1;
                continue;
            }
            self.next[process] = step.target.index() as u32;
            musts[process + 1] = musts[process] && step.must;
            if process + 1 < local.len() {
                choice.push(0);
                continue;
            }
            match self.intern(budget) {
                Ok(target) => steps.push(GlobalStep { action: 0, target, must: musts[process + 1] }),
                Err(exhausted) => break Err(exhausted),
            }
            choice[process] += 1;
        };
        self.choice = choice;
        result
    }

    /// Whether an action can be taken: for certain, perhaps, or not.
    pub fn enabled(&self, local: &[u32], action: Action) -> Truth {
        let mut value = Truth::True;
        for &(process, own) in self.system.participants(action) {
            let steps =
                self.system.process(process).steps_by(StateId::new(local[process as usize] as usize), own);
            value = value.min(certainty(steps));
            if value == Truth::False {
                break;
            }
        }
        value
    }

    /// Whether some action of a set can be taken.
    pub fn enabled_among(&self, local: &[u32], contains: impl Fn(Action) -> bool) -> Truth {
        let mut value = if contains(0) { self.silent(local) } else { Truth::False };
        for process in 0..local.len() as u32 {
            let mut last = TAU;
            for step in self.system.process(process).steps(StateId::new(local[process as usize] as usize)) {
                if value == Truth::True {
                    return value;
                }
                // steps of one action come together
                if std::mem::replace(&mut last, step.action) == step.action || step.action == TAU {
                    continue;
                }
                let action = self.system.action(process, step.action);
                // the first that knows an action takes it for all
                if self.system.participants(action)[0].0 == process && contains(action) {
                    value = value.max(self.enabled(local, action));
                }
            }
        }
        value
    }

    /// Whether some process can take a silent step.
    pub fn silent(&self, local: &[u32]) -> Truth {
        let processes = (0..local.len() as u32).filter(|&process| self.system.has_silent_steps(process));
        processes
            .map(|process| {
                let state = StateId::new(local[process as usize] as usize);
                certainty(self.system.process(process).steps_by(state, TAU))
            })
            .max()
            .unwrap_or(Truth::False)
    }

    /// The value of a label.
    pub fn label(&self, local: &[u32], atom: Symbol) -> Truth {
        let &(process, atom) = self.system.owners(atom).first().expect("a label has an owner");
        self.system.process(process).label(StateId::new(local[process as usize] as usize), atom)
    }
}

/// Whether there is a step: for certain, perhaps, or not.
fn certainty(steps: Steps<'_>) -> Truth {
    let mut value = Truth::False;
    for step in steps {
        value = value.max(if step.must { Truth::True } else { Truth::Unknown });
    }
    value
}

fn hash(row: &[u64]) -> u64 {
    let mut hasher = FxHasher::default();
    for &word in row {
        hasher.write_u64(word);
    }
    hasher.finish()
}
