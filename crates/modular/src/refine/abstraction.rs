//! A process under abstraction: blocks of its states, and what is known of them.
//!
//! Between blocks there is a step by an action for certain (must), perhaps (may), or not at all;
//! labels are known or not. Whatever is known is true of every state of a block. Blocks never mix
//! states that differ on a shared label, so that abstract processes compose where concrete ones do.

use loris_base::{Budget, Exhausted, Idx, Stopped, Truth};
use loris_lts::{ActionId, AtomId, Modality, Process, ProcessBuilder, ProcessKind, StateId};

/// A step between blocks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Link {
    None,
    May,
    Must,
}

/// A process under abstraction.
#[derive(Debug)]
pub(crate) struct Abstraction<'c> {
    process: &'c Process,
    blocks: Vec<Vec<StateId>>,
    initial: usize,
    /// by block, action and block
    links: Vec<Vec<Vec<Link>>>,
    /// by block and atom: what is known
    labels: Vec<Vec<Truth>>,
}

/// What a refinement did.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Refined {
    /// The block was split: the second half got a number of its own.
    Split,
    /// All states agree: a label or a step became known.
    Known,
    /// It was known already.
    Nothing,
}

impl<'c> Abstraction<'c> {
    /// The coarsest abstraction that tells shared labels apart: all steps perhaps, by actions that
    /// the process takes at all, and no other label known.
    pub(crate) fn new(process: &'c Process, is_shared: impl Fn(AtomId) -> bool) -> Self {
        let shared: Vec<AtomId> = process.atom_ids().filter(|&atom| is_shared(atom)).collect();
        let mut blocks: Vec<(Vec<Truth>, Vec<StateId>)> = Vec::new();
        for state in process.states() {
            let view: Vec<Truth> = shared.iter().map(|&atom| process.label(state, atom)).collect();
            match blocks.iter_mut().find(|(values, _)| *values == view) {
                Some((_, states)) => states.push(state),
                None => blocks.push((view, vec![state])),
            }
        }
        let mut labels = Vec::new();
        for (view, _) in &blocks {
            let mut row = vec![Truth::Unknown; process.atoms().len()];
            for (atom, &value) in shared.iter().zip(view) {
                row[atom.index()] = value;
            }
            labels.push(row);
        }
        let blocks: Vec<Vec<StateId>> = blocks.into_iter().map(|(_, states)| states).collect();
        let initial = blocks.iter().position(|states| states.contains(&process.initial()));
        let takes = |action| {
            let is_taken = process.states().any(|state| process.steps_by(state, action).len() > 0);
            // steps of Kripke structures are not told apart
            if is_taken || process.kind() == ProcessKind::Kripke { Link::May } else { Link::None }
        };
        let row: Vec<Vec<Link>> =
            process.action_ids().map(|action| vec![takes(action); blocks.len()]).collect();
        let links = vec![row; blocks.len()];
        Self { process, initial: initial.expect("every state has its block"), links, labels, blocks }
    }

    /// How many blocks there are.
    pub(crate) fn len(&self) -> usize {
        self.blocks.len()
    }

    /// How many steps there may be, and how many there are.
    pub(crate) fn steps(&self) -> (usize, usize) {
        let count = |test: fn(Link) -> bool| {
            self.links.iter().flatten().flatten().filter(|&&link| test(link)).count()
        };
        (count(|link| link != Link::None), count(|link| link == Link::Must))
    }

    /// The states of a block in short, for messages.
    pub(crate) fn describe(&self, block: u32) -> String {
        let states = &self.blocks[block as usize];
        let name = |state: &StateId| {
            self.process.state_name(*state).map_or_else(|| state.index().to_string(), str::to_owned)
        };
        let shown: Vec<String> = states.iter().take(4).map(name).collect();
        let more = if states.len() > 4 { ", …" } else { "" };
        format!("{{{}{more}}}", shown.join(", "))
    }

    /// The abstraction as a process.
    pub(crate) fn process(&self, budget: &mut Budget) -> Result<Process, Exhausted> {
        let mut build = ProcessBuilder::new(self.process.name(), self.process.kind());
        build.add_states(self.len());
        build.initial(StateId::new(self.initial));
        for name in self.process.atoms().iter() {
            build.atom(name);
        }
        for (block, labels) in self.labels.iter().enumerate() {
            for (atom, value) in labels.iter().enumerate().filter(|(_, value)| value.is_known()) {
                build.label(StateId::new(block), AtomId::new(atom), *value == Truth::True);
            }
        }
        let actions: Vec<ActionId> = self.process.actions().iter().map(|name| build.action(name)).collect();
        for (source, rows) in self.links.iter().enumerate() {
            for (row, &action) in rows.iter().zip(&actions) {
                budget.spend(row.len())?;
                for (target, link) in row.iter().enumerate() {
                    let modality = match link {
                        Link::None => continue,
                        Link::May => Modality::May,
                        Link::Must => Modality::Both,
                    };
                    build.step(StateId::new(source), action, StateId::new(target), modality);
                }
            }
        }
        build.finish(budget).map_err(|stopped| match stopped {
            Stopped::Exhausted(why) => why,
            Stopped::Wrong(_) => unreachable!("an abstraction is well-formed"),
        })
    }

    /// Finds out whether a label holds in a block, splitting it if its states differ (A10).
    pub(crate) fn learn_label(&mut self, block: u32, atom: AtomId) -> Refined {
        let block = block as usize;
        if self.labels[block][atom.index()].is_known() {
            return Refined::Nothing;
        }
        let states = std::mem::take(&mut self.blocks[block]);
        let (yes, no): (Vec<_>, Vec<_>) =
            states.into_iter().partition(|&state| self.process.label(state, atom) == Truth::True);
        if yes.is_empty() || no.is_empty() {
            self.labels[block][atom.index()] = Truth::from(no.is_empty());
            self.blocks[block] = if no.is_empty() { yes } else { no };
            return Refined::Known;
        }
        let other = self.split(block, yes, no);
        self.labels[block][atom.index()] = Truth::True;
        self.labels[other][atom.index()] = Truth::False;
        Refined::Split
    }

    /// Whether there may be a step by an action between blocks.
    pub(crate) fn may_step(&self, source: u32, action: ActionId, target: u32) -> bool {
        self.links[source as usize][action.index()][target as usize] != Link::None
    }

    /// Finds out whether a step by an action between blocks is there, splitting its source if its
    /// states differ (A10).
    pub(crate) fn learn_step(&mut self, source: u32, action: ActionId, target: u32) -> Refined {
        let (source, own, target) = (source as usize, action.index(), target as usize);
        if self.links[source][own][target] != Link::May {
            return Refined::Nothing;
        }
        let mut is_target = vec![false; self.process.state_count()];
        for state in &self.blocks[target] {
            is_target[state.index()] = true;
        }
        let goes = |state: &StateId| {
            self.process.steps_by(*state, action).any(|step| is_target[step.target.index()])
        };
        let (yes, no): (Vec<_>, Vec<_>) = self.blocks[source].iter().copied().partition(goes);
        if yes.is_empty() || no.is_empty() {
            self.links[source][own][target] = if no.is_empty() { Link::Must } else { Link::None };
            return Refined::Known;
        }
        let other = self.split(source, yes, no);
        // a step into the block that is split now leads into one of its halves
        if target == source {
            for half in [source, other] {
                self.links[other][own][half] = Link::None;
            }
        } else {
            self.links[source][own][target] = Link::Must;
            self.links[other][own][target] = Link::None;
        }
        Refined::Split
    }

    /// Splits a block in two, the second with a new number. Facts about the block as a source are
    /// those of both halves; of steps into it, only that there is none passes to both (erratum 14).
    fn split(&mut self, block: usize, first: Vec<StateId>, second: Vec<StateId>) -> usize {
        let other = self.blocks.len();
        if second.contains(&self.process.initial()) {
            self.initial = other;
        }
        self.blocks[block] = first;
        self.blocks.push(second);
        self.labels.push(self.labels[block].clone());
        self.links.push(self.links[block].clone());
        for row in self.links.iter_mut().flatten() {
            if row[block] == Link::Must {
                row[block] = Link::May;
            }
            row.push(row[block]);
        }
        other
    }
}
