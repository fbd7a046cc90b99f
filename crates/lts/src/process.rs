//! A finite process in flat arrays: eight bytes per step, two bits per state and atom.

use loris_base::{Idx, Names, Symbol, Truth};

loris_base::id! {
    /// A state of a process.
    pub struct StateId;
    /// An action of a process; [`TAU`] is the silent one.
    pub struct ActionId;
    /// An atomic proposition of a process.
    pub struct AtomId;
}

/// The silent action. It has the number 0 and the name `tau` in every process, is private to the
/// process and never synchronises.
pub const TAU: ActionId = ActionId::TAU;

impl ActionId {
    const TAU: Self = Self(0);
}

/// How steps of a process are composed with those of others.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ProcessKind {
    /// A Kripke structure: steps have no actions (all have the action [`TAU`]); processes move
    /// together, between states that agree on shared atoms.
    Kripke,
    /// A labelled transition system: processes move together by shared actions, each alone by its
    /// other actions.
    Lts,
}

/// A step from a state.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Transition {
    /// The action.
    pub action: ActionId,
    /// The state after it.
    pub target: StateId,
    /// Whether the step is there in every concretisation (must); it may be there in any case.
    pub must: bool,
}

/// A step in memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Packed {
    /// twice the action, plus one if the step is must
    pub(crate) label: u32,
    pub(crate) target: u32,
}

impl Packed {
    pub(crate) fn key(self) -> (u32, u32) {
        (self.label >> 1, self.target)
    }

    fn step(self) -> Transition {
        Transition {
            action: ActionId::new((self.label >> 1) as usize),
            target: StateId::new(self.target as usize),
            must: self.label & 1 == 1,
        }
    }
}

/// A finite process: a Kripke structure or a labelled transition system, in which steps may be
/// uncertain (may but not must) and labels unknown. Made by a
/// [`ProcessBuilder`](crate::ProcessBuilder).
#[derive(Clone, Debug)]
pub struct Process {
    pub(crate) name: String,
    pub(crate) kind: ProcessKind,
    pub(crate) initial: StateId,
    pub(crate) actions: Names,
    pub(crate) atoms: Names,
    /// where the steps of each state start; one more than there are states
    pub(crate) starts: Vec<u32>,
    /// for each state sorted by action and target, no two with the same
    pub(crate) steps: Vec<Packed>,
    /// two bits for each state and atom, by states: "true" and "false"
    pub(crate) labels: Vec<u64>,
    /// the name of state i is symbol i; empty if states have no names
    pub(crate) state_names: Names,
    pub(crate) is_concrete: bool,
}

/// Labels in a word.
pub(crate) const LABELS_PER_WORD: usize = 32;

impl Process {
    /// The name, by which messages refer to it.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The same under another name.
    #[must_use]
    pub fn named(self, name: impl Into<String>) -> Self {
        Self { name: name.into(), ..self }
    }

    /// Kripke structure or labelled transition system.
    pub fn kind(&self) -> ProcessKind {
        self.kind
    }

    /// How many states there are, reachable or not.
    pub fn state_count(&self) -> usize {
        self.starts.len() - 1
    }

    /// How many steps there are.
    pub fn step_count(&self) -> usize {
        self.steps.len()
    }

    /// All states.
    pub fn states(&self) -> impl DoubleEndedIterator<Item = StateId> + ExactSizeIterator + use<> {
        (0..self.state_count()).map(StateId::new)
    }

    /// Where runs start.
    pub fn initial(&self) -> StateId {
        self.initial
    }

    /// The steps from a state, sorted by action and target.
    pub fn steps(&self, state: StateId) -> Steps<'_> {
        Steps(self.packed(state).iter())
    }

    /// The steps from a state by an action, sorted by target. O(log steps) to find the first.
    pub fn steps_by(&self, state: StateId, action: ActionId) -> Steps<'_> {
        let all = self.packed(state);
        let action = action.index() as u32;
        let start = all.partition_point(|step| step.label >> 1 < action);
        let length = all[start..].partition_point(|step| step.label >> 1 == action);
        Steps(all[start..start + length].iter())
    }

    pub(crate) fn packed(&self, state: StateId) -> &[Packed] {
        let i = state.index();
        &self.steps[self.starts[i] as usize..self.starts[i + 1] as usize]
    }

    /// The alphabet: the names of actions by number. The silent action is the first; an action may
    /// be one that no step has.
    pub fn actions(&self) -> &Names {
        &self.actions
    }

    /// All actions, [`TAU`] first.
    pub fn action_ids(&self) -> impl DoubleEndedIterator<Item = ActionId> + ExactSizeIterator + use<> {
        (0..self.actions.len()).map(ActionId::new)
    }

    /// The name of an action.
    pub fn action_name(&self, action: ActionId) -> &str {
        &self.actions[Symbol::new(action.index())]
    }

    /// The action with a name.
    pub fn find_action(&self, name: &str) -> Option<ActionId> {
        self.actions.find(name).map(|symbol| ActionId::new(symbol.index()))
    }

    /// The names of atoms by number.
    pub fn atoms(&self) -> &Names {
        &self.atoms
    }

    /// All atoms.
    pub fn atom_ids(&self) -> impl DoubleEndedIterator<Item = AtomId> + ExactSizeIterator + use<> {
        (0..self.atoms.len()).map(AtomId::new)
    }

    /// The name of an atom.
    pub fn atom_name(&self, atom: AtomId) -> &str {
        &self.atoms[Symbol::new(atom.index())]
    }

    /// The atom with a name.
    pub fn find_atom(&self, name: &str) -> Option<AtomId> {
        self.atoms.find(name).map(|symbol| AtomId::new(symbol.index()))
    }

    /// The value of an atom in a state.
    #[inline]
    pub fn label(&self, state: StateId, atom: AtomId) -> Truth {
        let place = state.index() * self.atoms.len() + atom.index();
        match self.labels[place / LABELS_PER_WORD] >> (2 * (place % LABELS_PER_WORD)) & 3 {
            0 => Truth::Unknown,
            1 => Truth::True,
            _ => Truth::False,
        }
    }

    /// Whether states have names.
    pub fn has_state_names(&self) -> bool {
        !self.state_names.is_empty()
    }

    /// The name of a state, if states have names.
    pub fn state_name(&self, state: StateId) -> Option<&str> {
        self.has_state_names().then(|| &self.state_names[Symbol::new(state.index())])
    }

    /// The state with a name.
    pub fn find_state(&self, name: &str) -> Option<StateId> {
        self.state_names.find(name).map(|symbol| StateId::new(symbol.index()))
    }

    /// Whether nothing is uncertain: all steps are must, and all labels known.
    pub fn is_concrete(&self) -> bool {
        self.is_concrete
    }

    /// Bytes held.
    pub fn bytes(&self) -> usize {
        self.name.capacity()
            + self.actions.bytes()
            + self.atoms.bytes()
            + self.state_names.bytes()
            + size_of::<u32>() * self.starts.capacity()
            + size_of::<Packed>() * self.steps.capacity()
            + size_of::<u64>() * self.labels.capacity()
    }
}

/// Steps from a state; see [`Process::steps`].
#[derive(Clone, Debug)]
pub struct Steps<'c>(std::slice::Iter<'c, Packed>);

impl Iterator for Steps<'_> {
    type Item = Transition;

    #[inline]
    fn next(&mut self) -> Option<Transition> {
        self.0.next().map(|step| step.step())
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        self.0.size_hint()
    }
}

impl DoubleEndedIterator for Steps<'_> {
    fn next_back(&mut self) -> Option<Transition> {
        self.0.next_back().map(|step| step.step())
    }
}

impl ExactSizeIterator for Steps<'_> {}
