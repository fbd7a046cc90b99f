//! Reachable states, in several orders of the processes by turns: which is the best shows only when
//! it is tried, and differences are large.

use super::processes::Processes;
use loris_base::{Budget, Exhausted};
use loris_solvers::mdd::{ImageDirection, Orders, Relation, Set, Store};

/// The steps of the first turn.
const FIRST: u64 = 1 << 19;

/// If the first to end took more steps than this, no other is tried for a smaller diagram.
const WORTH: u64 = 1 << 24;

/// Each turn is longer than the last one by this many halves of it.
const GROWTH: u64 = 1;

/// The first orders always have whole turns. Of the others, which are less often the best, the one
/// that has found most states for its work has whole turns, too, and the rest half ones. (The first
/// are not judged so: the number of states found may say nothing until the very end.)
const FAVOURED: usize = 2;

/// The part of a turn that may be spent on counting states.
const COUNTING: u64 = 16;

/// The processes in some order, with their diagrams.
pub(super) struct Racer {
    pub(super) processes: Processes,
    pub(super) store: Store,
    forward: Option<Relation>,
    /// where processes agree on what they share
    pub(super) space: Option<Set>,
    /// steps so far
    spent: u64,
}

/// All orders that are tried.
pub(super) struct Race {
    /// until the orders are known
    search: Option<(Orders, Processes)>,
    levels: usize,
    racers: Vec<Racer>,
    turn: u64,
    /// by racer: whether its turns are whole
    favoured: Vec<bool>,
    /// whose turn it is, and how much of it is left
    next: usize,
    left: u64,
    /// the racer with the smallest diagram of those that came to an end in this round
    best: Option<Best>,
}

struct Best {
    racer: usize,
    nodes: usize,
    set: Set,
    /// the fewest steps that one needed
    steps: u64,
}

impl Racer {
    fn new(processes: &Processes, order: &[u32]) -> Self {
        let processes = processes.arranged(order);
        let store = Store::new(processes.system.sizes.clone());
        Self { processes, store, forward: None, space: None, spent: 0 }
    }

    fn bytes(&self) -> usize {
        self.store.bytes() + self.forward.as_ref().map_or(0, Relation::bytes)
    }

    /// The states in which processes agree on the labels that they share.
    fn space(&mut self, budget: &mut Budget) -> Result<Set, Exhausted> {
        if let Some(space) = &self.space {
            return Ok(space.clone());
        }
        let mut space = self.store.all();
        for owners in &self.processes.shared {
            let has: Vec<(u32, &[u32])> =
                owners.iter().map(|(level, states)| (*level, states.as_slice())).collect();
            let lacks: Vec<(u32, Vec<u32>)> = owners.iter().map(|owner| self.others(owner)).collect();
            let lacks: Vec<(u32, &[u32])> =
                lacks.iter().map(|(level, states)| (*level, states.as_slice())).collect();
            let (all, none) = (self.store.product(&has, budget)?, self.store.product(&lacks, budget)?);
            let agreed = self.store.union(&all, &none, budget)?;
            space = self.store.intersection(&space, &agreed, budget)?;
        }
        self.space = Some(space.clone());
        Ok(space)
    }

    /// The states of a process that are not listed.
    fn others(&self, (level, states): &(u32, Vec<u32>)) -> (u32, Vec<u32>) {
        let all = 0..self.processes.system.sizes[*level as usize];
        (*level, all.filter(|state| states.binary_search(state).is_err()).collect())
    }

    /// The reachable states. What was found when a limit ended it is not lost.
    fn run(&mut self, budget: &mut Budget) -> Result<Set, Exhausted> {
        if self.forward.is_none() {
            let all = &self.processes.system.events;
            self.forward = Some(self.store.relation(all, ImageDirection::Forward, budget)?);
        }
        let start = self.store.tuple(&self.processes.system.initial, budget)?;
        let space = self.space(budget)?;
        match &self.forward {
            Some(forward) => self.store.closure(&start, &space, forward, budget),
            None => Ok(start),
        }
    }
}

impl Race {
    pub(super) fn new(processes: &Processes) -> Self {
        Self {
            search: Some((Orders::new(&processes.system), processes.clone())),
            levels: processes.system.sizes.len(),
            racers: Vec::new(),
            favoured: Vec::new(),
            turn: FIRST,
            next: 0,
            left: FIRST,
            best: None,
        }
    }

    pub(super) fn bytes(&self) -> usize {
        self.racers.iter().map(Racer::bytes).sum()
    }

    /// The number of processes.
    pub(super) fn levels(&self) -> usize {
        self.levels
    }

    pub(super) fn peak_nodes(&self) -> usize {
        self.racers.iter().map(|racer| racer.store.peak_nodes()).max().unwrap_or(0)
    }

    /// A lower bound of the number of reachable states.
    pub(super) fn at_least(&self, budget: &mut Budget) -> Result<f64, Exhausted> {
        let mut most = 0.0_f64;
        for racer in &self.racers {
            most = most.max(racer.store.count_paused(budget)?);
        }
        Ok(most)
    }

    /// The first to have the reachable states, and these. Others that need no more steps win if
    /// their diagram is smaller. Where a limit ends this, it goes on from there the next time.
    pub(super) fn run(&mut self, budget: &mut Budget) -> Result<(Racer, Set), Exhausted> {
        if let Some((search, processes)) = &mut self.search {
            let orders = search.run(&processes.system, budget)?;
            self.racers = orders.iter().map(|order| Racer::new(processes, order)).collect();
            (self.search, self.favoured) = (None, vec![true; self.racers.len()]);
        }
        loop {
            while let Some(racer) = self.racers.get_mut(self.next) {
                // who needs more than one that came to an end has lost
                let most = self.best.as_ref().map_or(u64::MAX, |best| best.steps.saturating_sub(racer.spent));
                let (held, mut part) = (racer.bytes(), budget.slice(self.left.min(most)));
                let before = part.spent();
                let found = racer.run(&mut part);
                let spent = part.spent() - before;
                racer.spent += spent;
                budget.note(racer.bytes().saturating_sub(held))?;
                budget.join(&part)?;
                match found {
                    Ok(set) => {
                        let (nodes, steps) = (racer.store.size(&set), racer.spent);
                        let steps = self.best.as_ref().map_or(steps, |best| best.steps.min(steps));
                        if self.best.as_ref().is_none_or(|best| nodes < best.nodes) {
                            self.best = Some(Best { racer: self.next, nodes, set, steps });
                        }
                        if steps > WORTH {
                            break;
                        }
                    }
                    Err(Exhausted::Time) => {
                        // a turn that a limit of the whole has cut short goes on with the whole
                        self.left = self.left.saturating_sub(spent);
                        budget.look()?;
                    }
                    Err(why) => return Err(why),
                }
                self.next += 1;
                self.left = self.length(self.next);
            }
            if let Some(Best { racer, set, .. }) = self.best.take() {
                let mut winner = self.racers.swap_remove(racer);
                let forward = winner.forward.take();
                budget.release(self.bytes() + forward.map_or(0, |forward| forward.bytes()));
                self.racers.clear();
                return Ok((winner, set));
            }
            self.rank(budget)?;
            self.next = 0;
            self.turn = self.turn.saturating_add(self.turn / 2 * GROWTH);
            self.left = self.length(0);
        }
    }

    /// The length of a racer's turn.
    fn length(&self, racer: usize) -> u64 {
        if self.favoured.get(racer) == Some(&false) { self.turn / 2 } else { self.turn }
    }

    /// Chooses the racers that have whole turns. What takes much work to count, beside the turns,
    /// counts as nothing.
    fn rank(&mut self, budget: &mut Budget) -> Result<(), Exhausted> {
        let mut best: Option<(f64, usize)> = None;
        for (number, racer) in self.racers.iter().enumerate().skip(FAVOURED) {
            let mut part = budget.slice(self.turn / COUNTING);
            let states = racer.store.count_paused(&mut part).unwrap_or(0.0);
            budget.join(&part)?;
            let states = states / racer.spent.max(1) as f64;
            if best.is_none_or(|(most, _)| states > most) {
                best = Some((states, number));
            }
        }
        for (number, is_favoured) in self.favoured.iter_mut().enumerate() {
            *is_favoured = number < FAVOURED || best.is_some_and(|(_, best)| best == number);
        }
        Ok(())
    }
}
