//! Global states as decision diagrams: steps that may and that must be there, and what processes
//! decide alone.

use crate::compositional::{Nothing, lift_given};
use crate::question::SystemQuestion;
use loris_base::{Budget, Exhausted, Idx, IndexVec, Symbol, Truth};
use loris_logic::mu::{ActionSetId, Mu, MuId};
use loris_lts::{Action, ActionId, Process, ProcessKind, StateId, System, TAU};
use loris_solvers::mdd::{Event, ImageDirection, Kronecker, Orders, Relation, Set, Store};
use rustc_hash::FxHashMap;
use std::sync::Arc;

/// Operations recurse as deep as there are processes: more than this are too many for the stack.
const LEVELS: usize = 3000;

/// Local states of processes, by process.
type Locals = Vec<(u32, Vec<u32>)>;

/// A step that processes take together.
struct Joint {
    action: Action,
    /// with levels in the order of the store
    may: Event,
    must: Event,
}

/// What processes decide alone: the states where a subformula is true, and where it is false.
#[derive(Clone)]
pub(super) struct Decided {
    pub(super) truths: Set,
    pub(super) falsities: Set,
}

impl Decided {
    /// One of the two.
    pub(super) fn side(&self, side: Truth) -> &Set {
        if side == Truth::True { &self.truths } else { &self.falsities }
    }
}

/// The states of a system, and what its processes decide alone.
pub(super) struct Space<'q> {
    question: &'q SystemQuestion<'q>,
    /// until the order of the levels is known
    search: Option<(Orders, Kronecker)>,
    /// by level: the process
    order: Vec<u32>,
    /// by process: the level
    places: Vec<u32>,
    pub(super) store: Store,
    joints: Vec<Joint>,
    relations: FxHashMap<(ImageDirection, bool, ActionSetId), Arc<Relation>>,
    /// the next process to be asked alone
    next: u32,
    /// by subformula: local states where it is true, and where it is false
    lists: IndexVec<MuId, [Locals; 2]>,
    decided: IndexVec<MuId, Option<Decided>>,
    /// where processes agree on the labels that they share
    agreed: Option<Set>,
}

impl<'q> Space<'q> {
    pub(super) fn new(question: &'q SystemQuestion<'q>) -> Self {
        let count = question.formula.len();
        Self {
            question,
            search: None,
            order: Vec::new(),
            places: Vec::new(),
            store: Store::new(Vec::new()),
            joints: Vec::new(),
            relations: FxHashMap::default(),
            next: 0,
            lists: vec![[Vec::new(), Vec::new()]; count].into(),
            decided: vec![None; count].into(),
            agreed: None,
        }
    }

    /// Bytes held.
    pub(super) fn bytes(&self) -> usize {
        let relations: usize = self.relations.values().map(|relation| relation.bytes()).sum();
        let lists = self.lists.iter().flatten().flatten().map(|(_, states)| 4 * states.len());
        self.store.bytes() + relations + lists.sum::<usize>()
    }

    /// Colours the game of each process with all others unknown; the first that decides, with its
    /// value.
    pub(super) fn ask_alone(&mut self, budget: &mut Budget) -> Result<Option<(u32, Truth)>, Exhausted> {
        let question = self.question;
        while (self.next as usize) < question.system.len() {
            let process = self.next;
            let mut part = budget.part();
            let coloured = lift_given(question, process, &Nothing, &mut part)
                .and_then(|lifted| lifted.piece.colour(question, &mut part).map(|colours| (lifted, colours)));
            budget.join(&part)?;
            let (lifted, colouring) = coloured?;
            // the root is node 0
            if colouring.colour(0).is_known() {
                return Ok(Some((process, colouring.colour(0))));
            }
            budget.note(4 * lifted.nodes.len())?;
            for (node, &(state, formula)) in (0..).zip(&lifted.nodes) {
                let is_constant = matches!(question.node(formula), Mu::True | Mu::False);
                if is_constant || !colouring.colour(node).is_known() {
                    continue;
                }
                let list = &mut self.lists[formula][usize::from(colouring.colour(node) == Truth::False)];
                match list.last_mut() {
                    Some((last, states)) if *last == process => states.push(state),
                    _ => list.push((process, vec![state])),
                }
            }
            for id in self.lists.ids() {
                for (_, states) in self.lists[id].iter_mut().filter_map(|list| list.last_mut()) {
                    states.sort_unstable();
                }
            }
            self.next += 1;
        }
        Ok(None)
    }

    /// Finds an order of the levels, once.
    pub(super) fn arrange(&mut self, budget: &mut Budget) -> Result<(), Exhausted> {
        let system = self.question.system;
        if !self.order.is_empty() {
            return Ok(());
        }
        if system.len() > LEVELS {
            return Err(Exhausted::Memory);
        }
        let (search, parts) = self.search.get_or_insert_with(|| {
            let events = joints(system).into_iter().map(|joint| joint.may).collect();
            let sizes = system.processes().iter().map(|process| process.state_count() as u32).collect();
            let parts = Kronecker { sizes, initial: system.initial(), events };
            (Orders::new(&parts), parts)
        });
        let order = search.run(parts, budget)?.swap_remove(0);
        let mut places = vec![0; order.len()];
        for (place, &process) in (0..).zip(&order) {
            places[process as usize] = place;
        }
        self.joints = joints(system)
            .into_iter()
            .map(|Joint { action, may, must }| Joint {
                action,
                may: arranged(may, &places),
                must: arranged(must, &places),
            })
            .collect();
        self.store = Store::new(order.iter().map(|&process| parts.sizes[process as usize]).collect());
        (self.order, self.places, self.search) = (order, places, None);
        Ok(())
    }

    /// The states in which processes are in some of their local states.
    fn product(&mut self, locals: &[(u32, &[u32])], budget: &mut Budget) -> Result<Set, Exhausted> {
        let mut levels: Vec<(u32, &[u32])> =
            locals.iter().map(|&(process, states)| (self.places[process as usize], states)).collect();
        levels.sort_unstable();
        self.store.product(&levels, budget)
    }

    /// The set of the initial state.
    pub(super) fn initial(&mut self, budget: &mut Budget) -> Result<Set, Exhausted> {
        let initial = self.initial_tuple();
        self.store.tuple(&initial, budget)
    }

    fn initial_tuple(&self) -> Vec<u32> {
        let initial = self.question.system.initial();
        self.order.iter().map(|&process| initial[process as usize]).collect()
    }

    /// Whether the initial state is in a set.
    pub(super) fn is_initial(&self, set: &Set) -> bool {
        self.store.contains(set, &self.initial_tuple())
    }

    /// Where some process decides a subformula.
    pub(super) fn decided(&mut self, formula: MuId, budget: &mut Budget) -> Result<Decided, Exhausted> {
        if let Some(known) = &self.decided[formula] {
            return Ok(known.clone());
        }
        let (all, none) = (self.store.all(), self.store.empty());
        let [truths, falsities] = match self.question.node(formula) {
            Mu::True => [all, none],
            Mu::False => [none, all],
            _ => {
                let [truths, falsities] = self.lists[formula].clone();
                [self.united(&truths, budget)?, self.united(&falsities, budget)?]
            }
        };
        let found = Decided { truths, falsities };
        self.decided[formula] = Some(found.clone());
        Ok(found)
    }

    /// The states in which one of some processes is in one of its states.
    fn united(&mut self, locals: &Locals, budget: &mut Budget) -> Result<Set, Exhausted> {
        let mut sum = self.store.empty();
        for (process, states) in locals {
            let some = self.product(&[(*process, states)], budget)?;
            sum = self.store.union(&sum, &some, budget)?;
        }
        Ok(sum)
    }

    /// What no process decides of some states.
    pub(super) fn undecided(
        &mut self,
        formula: MuId,
        states: &Set,
        budget: &mut Budget,
    ) -> Result<Set, Exhausted> {
        let Decided { truths, falsities } = self.decided(formula, budget)?;
        let rest = self.store.difference(states, &truths, budget)?;
        self.store.difference(&rest, &falsities, budget)
    }

    /// The states in which processes agree on what they share: the literals that they know must be
    /// the same.
    fn agreed(&mut self, budget: &mut Budget) -> Result<Set, Exhausted> {
        if let Some(agreed) = &self.agreed {
            return Ok(agreed.clone());
        }
        let system = self.question.system;
        let mut agreed = self.store.all();
        for atom in (0..system.atoms().len()).map(Symbol::new) {
            let owners = system.owners(atom);
            if owners.len() < 2 {
                continue;
            }
            let mut same = self.store.empty();
            for value in [Truth::True, Truth::False, Truth::Unknown] {
                let locals: Locals = owners
                    .iter()
                    .map(|&(process, own)| {
                        let part = system.process(process);
                        let states = part.states().filter(|&state| part.label(state, own) == value);
                        (process, states.map(|state: StateId| state.index() as u32).collect())
                    })
                    .collect();
                let locals: Vec<(u32, &[u32])> =
                    locals.iter().map(|(process, states)| (*process, states.as_slice())).collect();
                let all = self.product(&locals, budget)?;
                same = self.store.union(&same, &all, budget)?;
            }
            agreed = self.store.intersection(&agreed, &same, budget)?;
        }
        self.agreed = Some(agreed.clone());
        Ok(agreed)
    }

    /// The steps by actions of a set: those that may be there, or those that must.
    fn relation(
        &mut self,
        direction: ImageDirection,
        must: bool,
        set: ActionSetId,
        budget: &mut Budget,
    ) -> Result<Arc<Relation>, Exhausted> {
        // where nothing is uncertain, they are the same
        let must = must && !self.question.system.is_concrete();
        let key = (direction, must, set);
        if let Some(known) = self.relations.get(&key) {
            return Ok(Arc::clone(known));
        }
        let question = self.question;
        let among = self.joints.iter().filter(|joint| question.contains(set, joint.action));
        let events = among.map(|joint| if must { &joint.must } else { &joint.may });
        let made = Arc::new(self.store.relation(events, direction, budget)?);
        self.relations.insert(key, Arc::clone(&made));
        Ok(made)
    }

    /// What steps that may be there lead to.
    pub(super) fn after(
        &mut self,
        states: &Set,
        set: ActionSetId,
        budget: &mut Budget,
    ) -> Result<Set, Exhausted> {
        let relation = self.relation(ImageDirection::Forward, false, set, budget)?;
        let agreed = self.agreed(budget)?;
        self.store.image(states, &agreed, &relation, budget)
    }

    /// What steps that may be there lead to through states of `along`, which contains `states`: all
    /// that is passed, and where it ends.
    pub(super) fn beyond(
        &mut self,
        states: &Set,
        along: &Set,
        set: ActionSetId,
        budget: &mut Budget,
    ) -> Result<Set, Exhausted> {
        let relation = self.relation(ImageDirection::Forward, false, set, budget)?;
        let agreed = self.agreed(budget)?;
        let along = self.store.intersection(along, &agreed, budget)?;
        let passed = self.store.closure(states, &along, &relation, budget)?;
        let ends = self.store.image(&passed, &agreed, &relation, budget)?;
        self.store.union(&passed, &ends, budget)
    }

    /// The states of `within` with a step into `target` that may be there, or must.
    pub(super) fn before(
        &mut self,
        target: &Set,
        within: &Set,
        (set, must): (ActionSetId, bool),
        budget: &mut Budget,
    ) -> Result<Set, Exhausted> {
        let relation = self.relation(ImageDirection::Backward, must, set, budget)?;
        self.store.image(target, within, &relation, budget)
    }
}

/// The steps of a system, with processes in their own order. Kripke structures move together.
fn joints(system: &System) -> Vec<Joint> {
    if system.kind() == ProcessKind::Kripke {
        let all: Vec<(u32, Option<ActionId>)> =
            (0..system.len() as u32).map(|process| (process, None)).collect();
        return vec![joint(system, 0, &all)];
    }
    let together = (1..system.actions().len() as Action).map(|action| {
        let takes = system.participants(action).iter();
        joint(system, action, &takes.map(|&(process, own)| (process, Some(own))).collect::<Vec<_>>())
    });
    let alone = (0..system.len() as u32).filter(|&process| system.has_silent_steps(process));
    together.chain(alone.map(|process| joint(system, 0, &[(process, Some(TAU))]))).collect()
}

/// A step of some processes, each by an action of its own, or by any.
fn joint(system: &System, action: Action, takes: &[(u32, Option<ActionId>)]) -> Joint {
    let event = |must: bool| Event {
        locals: takes
            .iter()
            .map(|&(process, own)| (process, pairs(system.process(process), own, must)))
            .collect(),
    };
    Joint { action, may: event(false), must: event(true) }
}

/// The steps of a process, or the certain ones.
fn pairs(process: &Process, own: Option<ActionId>, must: bool) -> Vec<(u32, u32)> {
    let of = |state: StateId| process.steps(state).map(move |step| (state.index() as u32, step));
    let steps = process.states().flat_map(of);
    let some = steps.filter(|(_, step)| own.is_none_or(|own| step.action == own) && (step.must || !must));
    let mut pairs: Vec<(u32, u32)> = some.map(|(state, step)| (state, step.target.index() as u32)).collect();
    pairs.sort_unstable();
    pairs.dedup();
    pairs
}

/// An event with levels in another order.
fn arranged(event: Event, places: &[u32]) -> Event {
    let mut locals: Vec<_> =
        event.locals.into_iter().map(|(process, pairs)| (places[process as usize], pairs)).collect();
    locals.sort_unstable();
    Event { locals }
}
