//! The summary engine: CTL on recursive state machines without guessing, up to 64 properties at once.
//!
//! Decides a formula, bottom-up over its existential subformulas ψ (`docs/summary.md`). Once the
//! operands of ψ are known on an [instance graph](crate::instances), two fixpoints say all there is to
//! know about ψ without any context: [`Summaries`], the exits that a run can leave through along the
//! operand after it entered, and [`stays`], ψ true without leaving. Then
//!
//! > ψ at a cell under a stack = `stays`, or ψ at the caller's return port of some exit that a run from
//! > the cell gets to along the operand.
//!
//! So contexts are computed, not guessed, and flow top-down from the initial instance, whose exits
//! are known ([`bottom`]). A context is a word of lanes per exit; instances are split ([`split`]) by
//! the contexts that occur, and only as far as an enclosing formula *asks* for values that depend on
//! them.
//!
//! Invariant: after the step for ψ, the value of ψ is right at every cell where an operand of a later
//! formula depends on it. Linear in the machine for each subformula and each context that occurs;
//! there can be 2^exits contexts per component, which is the price of the problem (EXPTIME-complete).
//! Its oracle is the unfolding in `tests/`, its rivals are the other four engines.

mod again;
mod apart;
mod bottom;
mod leaving;
mod look;
mod reach;
mod relevant;
mod split;
mod stays;
mod summaries;
mod track;

pub(crate) use apart::verdicts;
pub use leaving::{Along, leave};
pub(crate) use reach::{Condensed, reached};
pub use summaries::Summaries;

use crate::api::{Outcome, Prepared};
use crate::instances::Instances;
use crate::last_exit::LastExit;
use crate::operand::{Atoms, Lanes, Operand};
use crate::recurrent;
use crate::threads;
use bottom::Bottom;
use loris_base::{Budget, Csr, Exhausted, Idx};
use loris_evidence::AtExit;
use loris_logic::automaton::Guard;
use loris_logic::{Core, CoreNode};
use loris_rsm::{LabelId, Rsm, Vertex};
use relevant::Relevant;
use std::cell::{Cell, OnceCell, RefCell};
use std::sync::atomic::{AtomicU64, Ordering};
use track::{Stage, Stays, Track};

/// What came of a run over properties of one shape.
pub(crate) struct Decided<'a> {
    /// per initial node, the lanes in which the formula is true
    pub(crate) values: Vec<Lanes>,
    pub(crate) contexts: usize,
    pub(crate) checks: usize,
    /// the last instance graph and the values on it, for evidence
    pub(crate) graph: Instances<'a>,
    pub(crate) known: Known,
    pub(crate) atoms: Atoms,
    at_start: Vec<Option<Vec<Lanes>>>,
    /// per node of the formula, its value at the sink, if that is known already
    sink: Option<Vec<Lanes>>,
}

impl<'a> Decided<'a> {
    /// What is known of a machine without calls: everything, in the one context there is.
    fn finite(
        rsm: &'a Rsm,
        formula: &Core,
        atoms: Atoms,
        values: recurrent::Values,
        budget: &mut Budget,
    ) -> Result<Self, Exhausted> {
        budget.charge(8 * rsm.vertex_count() * formula.existentials().count())?;
        let asked = |values: &Vec<Lanes>| vec![atoms.active; values.len()];
        let known =
            Known { asked: values.existentials.iter().map(asked).collect(), values: values.existentials };
        let root = values.initial.last().cloned().unwrap_or_default();
        let at_start = values.initial.into_iter().zip(formula.nodes());
        let at_start = at_start.map(|(values, node)| node.is_existential().then_some(values)).collect();
        Ok(Self {
            values: root,
            contexts: 1,
            checks: formula.existentials().count(),
            graph: Instances::plain(rsm, |_| true, budget)?,
            known,
            atoms,
            at_start,
            sink: Some(values.sink),
        })
    }

    /// What formulas are worth where runs end.
    pub(crate) fn last_exit(
        &self,
        formula: &Core,
        at_exit: AtExit,
        budget: &mut Budget,
    ) -> Result<LastExit, Exhausted> {
        match &self.sink {
            Some(sink) => Ok(LastExit::of_sink(self.atoms.active, sink.clone())),
            None => last_exit(self.graph.rsm, formula, &self.atoms, at_exit, budget),
        }
    }

    /// The value of an existential formula at an initial node, if it was decided; of one property only.
    pub(crate) fn at_start(&self, node: usize, initial: usize) -> Option<bool> {
        self.at_start[node].as_ref().map(|values| values[initial] != 0)
    }
}

/// Values of the existential formulas decided so far, at every cell.
#[derive(Default)]
pub(crate) struct Known {
    /// per node of the formula; empty if not decided
    pub(crate) values: Vec<Vec<Lanes>>,
    /// per node of the formula, where its value was asked for, if that is kept
    pub(crate) asked: Vec<Vec<Lanes>>,
}

impl Known {
    /// Bytes held.
    fn bytes(&self) -> usize {
        self.values.iter().chain(&self.asked).map(|values| 8 * values.len()).sum()
    }
}

/// Why a run stopped early.
pub(crate) enum Stopped {
    Exhausted(Exhausted),
    /// more cells than the caller wants to spend on this
    TooLarge,
    /// another engine has decided meanwhile
    Decided(Outcome),
}

impl From<Exhausted> for Stopped {
    fn from(exhausted: Exhausted) -> Self {
        Stopped::Exhausted(exhausted)
    }
}

/// How to run.
#[derive(Clone, Copy)]
pub(crate) struct Mode<'m> {
    pub(crate) at_exit: AtExit,
    /// give up beyond this many cells
    pub(crate) most_cells: usize,
    /// decide at each initial node, not only whether it is true at all
    pub(crate) each_initial: bool,
    /// what to do first where contexts make the graph grow
    pub(crate) growth: Growth<'m>,
}

/// What to do where contexts make the graph grow by more than [that](Prepared::with_growth).
#[derive(Clone, Copy)]
pub(crate) enum Growth<'m> {
    /// go on, and keep what evidence needs
    Evidence,
    /// stop: there is a way to ask for less
    Stop,
    /// look whether contexts are needed; then go on, in turns with another engine if there is one
    Look(Option<&'m dyn Rival>),
}

/// Another engine on the same property, which gets a turn now and then.
pub(crate) trait Rival {
    /// Lets it work until it has spent as much as the budget has; what it found, if it is done.
    fn turn(&self, budget: &mut Budget) -> Result<Option<Outcome>, Exhausted>;
}

/// What runs pass on their way out of an instance.
enum Passing<'p> {
    Nothing(Summaries),
    Everything(&'p Summaries),
    Cells(Vec<Lanes>, Summaries),
}

impl Passing<'_> {
    fn view(&self) -> (Along<'_>, &Summaries) {
        match self {
            Passing::Nothing(summaries) => (Along::Nothing, summaries),
            Passing::Everything(summaries) => (Along::Everything, summaries),
            Passing::Cells(along, summaries) => (Along::Cells(along), summaries),
        }
    }
}

/// The number of cells at which there is a first second thought.
fn enough(prepared: &Prepared<'_>) -> usize {
    prepared.growth().saturating_mul(prepared.rsm().vertex_count())
}

/// By how much a graph must have grown for another look.
const LOOKS: usize = 4;

/// From more initial nodes than this, one backward fixpoint is cheaper than a search from each.
const MOST_SEARCHES: usize = 4;

/// An existential formula: its operands, and what it follows along a run.
pub(crate) struct Existential {
    pub(crate) operands: Vec<Operand>,
    /// nothing for EX
    pub(crate) track: Option<Track>,
}

impl Existential {
    /// The existential formulas of a formula with their nodes, children first.
    pub(crate) fn all(formula: &Core, budget: &mut Budget) -> Result<Vec<(u32, Self)>, Exhausted> {
        let of = |node: u32| {
            let operands = formula.children(node).map(|child| Operand::new(formula, child)).collect();
            Ok((node, Self { operands, track: Track::new(formula, node, budget)? }))
        };
        formula.existentials().map(of).collect()
    }

    /// How many stages there are.
    pub(crate) fn copies(&self) -> usize {
        self.track.as_ref().map_or(1, Track::len)
    }

    /// The stages a run may start at.
    fn initial(&self) -> &[u32] {
        self.track.as_ref().map_or(&[0], |track| &track.initial)
    }

    /// Where stages are asked for, given where the formula is: at those it may start at, unless one of
    /// them is true without leaving.
    fn wanted(&self, asked: &[Lanes], stays: &[Lanes]) -> Vec<Lanes> {
        let copies = self.copies();
        let mut wanted = vec![0; stays.len()];
        for (cell, &asked) in asked.iter().enumerate() {
            let stages = cell * copies..(cell + 1) * copies;
            let initial = self.initial().iter().map(|&stage| stages.start + stage as usize);
            let known = initial.clone().fold(0, |lanes, at| lanes | stays[at]);
            initial.for_each(|at| wanted[at] = asked & !known);
        }
        wanted
    }

    /// From values at every stage to the formula's: that of the stages it may start at.
    fn at_first(&self, values: Vec<Lanes>) -> Vec<Lanes> {
        if self.copies() == 1 && self.initial() == [0] {
            return values;
        }
        let any =
            |stages: &[Lanes]| self.initial().iter().fold(0, |lanes, &stage| lanes | stages[stage as usize]);
        values.chunks(self.copies()).map(any).collect()
    }

    /// Whether it is E[true U φ].
    fn is_future(&self, formula: &Core, node: u32) -> bool {
        matches!(formula.nodes()[node as usize], CoreNode::Eu(..)) && self.operands[0].is_true()
    }
}

/// Decides properties of one shape; `labels[i][k]` is what atom `k` means in property `i`.
pub(crate) fn decide<'a>(
    prepared: &Prepared<'a>,
    formula: &Core,
    labels: &[&[Option<LabelId>]],
    mode: &Mode<'_>,
    budget: &mut Budget,
) -> Result<Decided<'a>, Stopped> {
    let rsm = prepared.rsm();
    if prepared.is_finite() && !formula.paths().is_empty() {
        let atoms = Atoms::new(rsm, formula.atoms().len(), labels, budget)?;
        let values = recurrent::decide(rsm, formula, labels, mode.at_exit, budget)?;
        return Ok(Decided::finite(rsm, formula, atoms, values, budget)?);
    }
    let mut run = start(prepared, formula, labels, mode, budget)?;
    run.finish(budget)?;
    let values = (0..rsm.initial().len()).map(|i| run.root_at(i).0).collect();
    let Run { contexts, checks, graph, known, atoms, at_start, .. } = run;
    Ok(Decided { values, contexts, checks: checks.get(), graph, known, atoms, at_start, sink: None })
}

/// What a formula is worth at the exits that nobody called.
fn last_exit(
    rsm: &Rsm,
    formula: &Core,
    atoms: &Atoms,
    at_exit: AtExit,
    budget: &mut Budget,
) -> Result<LastExit, Exhausted> {
    let exits = rsm.exits(rsm.initial_component());
    let atom = |exit: usize, atom: u32| atoms.at(atom, exits[exit].index());
    LastExit::new(formula, (exits.len(), at_exit), atoms.active, atom, budget)
}

/// A run of which nothing is decided yet.
fn start<'p, 'a>(
    prepared: &'p Prepared<'a>,
    formula: &'p Core,
    labels: &[&[Option<LabelId>]],
    mode: &'p Mode<'p>,
    budget: &mut Budget,
) -> Result<Run<'p, 'a>, Stopped> {
    let rsm = prepared.rsm();
    let atoms = Atoms::new(rsm, formula.atoms().len(), labels, budget)?;
    let existentials = Existential::all(formula, budget)?;
    let last = last_exit(rsm, formula, &atoms, mode.at_exit, budget)?;
    let bottom = Bottom::new(&existentials, &last, atoms.active, budget)?;
    let fixed = Cell::new(budget.used());
    Ok(Run {
        prepared,
        formula,
        mode,
        bottom,
        existentials,
        root: Operand::new(formula, formula.root()),
        graph: Instances::plain(rsm, |_| true, budget)?,
        is_plain: true,
        exits: OnceCell::new(),
        reached: OnceCell::new(),
        condensed: OnceCell::new(),
        fixed,
        at_start: vec![None; formula.nodes().len()],
        next_look: Cell::new(enough(prepared)),
        settled: RefCell::new(vec![(0, 0); rsm.initial().len()]),
        known: Known {
            values: vec![Vec::new(); formula.nodes().len()],
            asked: vec![Vec::new(); formula.nodes().len()],
        },
        atoms,
        contexts: 1,
        checks: Cell::new(0),
    })
}

/// What is to be done about the contexts of a formula.
enum Split {
    /// nothing: nobody asks for a value that depends on them
    Needless,
    /// nothing more: the verdict is known
    Decided,
    Contexts(split::Contexts),
}

struct Run<'p, 'a> {
    prepared: &'p Prepared<'a>,
    formula: &'p Core,
    mode: &'p Mode<'p>,
    bottom: Bottom,
    /// the existential formulas with their operands, children first
    existentials: Vec<(u32, Existential)>,
    root: Operand,
    graph: Instances<'a>,
    /// whether the graph is still one instance a component
    is_plain: bool,
    /// per node of the formula, its value at each initial node, once decided
    at_start: Vec<Option<Vec<Lanes>>>,
    /// the number of cells at which there is a second thought
    next_look: Cell<usize>,
    /// per initial node, the lanes in which the root is known to be true, and to be false, by a look
    settled: RefCell<Vec<(Lanes, Lanes)>>,
    known: Known,
    atoms: Atoms,
    contexts: usize,
    checks: Cell<usize>,
    /// what all properties share, once this one has asked for it
    exits: OnceCell<&'p Summaries>,
    reached: OnceCell<&'p [bool]>,
    condensed: OnceCell<&'p Condensed>,
    /// bytes that stay declared to the end, for these among others
    fixed: Cell<usize>,
}

impl<'p> Run<'p, '_> {
    /// Decides all formulas that the verdict depends on.
    fn finish(&mut self, budget: &mut Budget) -> Result<(), Stopped> {
        for level in 0..self.existentials.len() {
            if !self.is_wanted(level) {
                continue;
            }
            // the passes of a step are as much work as making the graph was
            if let Growth::Look(Some(rival)) = self.mode.growth
                && self.graph.cell_count() >= enough(self.prepared)
                && let Some(outcome) = rival.turn(budget)?
            {
                return Err(Stopped::Decided(outcome));
            }
            self.step(level, budget)?;
        }
        Ok(())
    }

    /// What all properties share: it is asked for once, and stays declared.
    fn shared<T: Copy>(
        &self,
        cell: &OnceCell<T>,
        budget: &mut Budget,
        ask: impl FnOnce(&mut Budget) -> Result<T, Exhausted>,
    ) -> Result<T, Exhausted> {
        if let Some(&known) = cell.get() {
            return Ok(known);
        }
        let before = budget.used();
        let asked = ask(budget)?;
        self.fixed.set(self.fixed.get() + budget.used() - before);
        Ok(*cell.get_or_init(|| asked))
    }

    fn exits(&self, budget: &mut Budget) -> Result<&'p Summaries, Exhausted> {
        self.shared(&self.exits, budget, |budget| self.prepared.reachable_exits(budget))
    }

    fn reached(&self, budget: &mut Budget) -> Result<&'p [bool], Exhausted> {
        let summaries = self.exits(budget)?;
        self.shared(&self.reached, budget, |budget| self.prepared.reached(summaries, budget))
    }

    fn condensed(&self, budget: &mut Budget) -> Result<&'p Condensed, Exhausted> {
        let summaries = self.exits(budget)?;
        self.shared(&self.condensed, budget, |budget| self.prepared.condensed(summaries, budget))
    }

    /// The root at an initial node as far as it is known: (surely true, surely false).
    fn root_at(&self, initial: usize) -> (Lanes, Lanes) {
        let (yes, no) = self.root_given(initial, |_| None);
        let settled = self.settled.borrow()[initial];
        (yes | settled.0, no | settled.1)
    }

    /// The same, given more about some formulas there.
    fn root_given(&self, initial: usize, given: impl Fn(u32) -> Option<(Lanes, Lanes)>) -> (Lanes, Lanes) {
        let active = self.atoms.active;
        let vertex = self.graph.rsm.initial()[initial].index();
        self.root.ternary(
            active,
            |k| self.atoms.at(k, vertex),
            |node| match &self.at_start[node as usize] {
                Some(values) => (values[initial], !values[initial] & active),
                None => given(node).unwrap_or_default(),
            },
            &mut Vec::new(),
        )
    }

    /// The lanes in which the verdict is open: not known to be true at all initial nodes, and not known
    /// to be false at one.
    fn open(&self) -> Lanes {
        let roots = (0..self.graph.rsm.initial().len()).map(|initial| self.root_at(initial));
        let active = self.atoms.active;
        if self.mode.each_initial {
            return roots.fold(0, |open, (yes, no)| open | active & !(yes | no));
        }
        let (all, any) = roots.fold((active, 0), |(all, any), (yes, no)| (all & yes, any | no));
        active & !(all | any)
    }

    /// Whether the verdict can still depend on this formula: the root is open in some lane, and it
    /// or a wanted formula mentions this one.
    fn is_wanted(&self, level: usize) -> bool {
        let open = self.open() != 0;
        let mut wanted = vec![false; self.formula.nodes().len()];
        for &node in &self.root.existentials {
            wanted[node as usize] = open;
        }
        for (node, existential) in self.existentials[level + 1..].iter().rev() {
            if wanted[*node as usize] {
                for &inner in existential.operands.iter().flat_map(|operand| &operand.existentials) {
                    wanted[inner as usize] = true;
                }
            }
        }
        wanted[self.existentials[level].0 as usize]
    }

    /// Decides one existential formula.
    fn step(&mut self, level: usize, budget: &mut Budget) -> Result<(), Stopped> {
        let (node, existential) = &self.existentials[level];
        let node = *node;
        self.checks.set(self.checks.get() + self.graph.len());
        if existential.is_future(self.formula, node)
            && self.askers(level).is_empty()
            && self.graph.rsm.initial().len() <= MOST_SEARCHES
        {
            let values = self.reachable_at_start(level, &existential.operands[1], budget)?;
            self.at_start[node as usize] = Some(values);
            return Ok(());
        }
        let copies = existential.copies();
        let product = self.product(existential.track.as_ref().map(|track| &track.next), copies, budget)?;
        let staged = product.as_ref().map(|product| self.graph.times(product, copies));
        let graph = staged.as_ref().unwrap_or(&self.graph);
        let mut values = Vec::with_capacity(existential.operands.len());
        for operand in &existential.operands {
            values.push(operand.everywhere(&self.graph, &self.atoms, &self.known.values, budget)?);
        }
        let (stays, passing) = self.without_context(level, graph, values, budget)?;
        let (along, summaries) = passing.view();
        let at_start = self.values_at_start(level, graph, &stays, (along, summaries), budget)?;
        self.at_start[node as usize] = Some(at_start);
        if let Some(mut asked) = self.asked(level, budget)? {
            let reached = self.reached(budget)?;
            let evidence = matches!(self.mode.growth, Growth::Evidence);
            let everywhere;
            let (wanted, reached) = if product.is_none() {
                // kept for evidence only
                (if evidence { asked.clone() } else { std::mem::take(&mut asked) }, reached)
            } else {
                // where stages are asked for, and which of them are reached
                budget.charge(9 * stays.len())?;
                budget.spend(stays.len())?;
                everywhere =
                    reached.iter().flat_map(|&reached| (0..copies).map(move |_| reached)).collect::<Vec<_>>();
                (existential.wanted(&asked, &stays), &everywhere[..])
            };
            let mut decided = split::Decided {
                stays,
                summaries,
                along,
                asked: wanted,
                context: self.bottom.context(level),
                reached,
            };
            let contexts = match self.split(level, graph, &mut decided, &passing, budget)? {
                Split::Needless => None,
                Split::Contexts(contexts) => Some(contexts),
                Split::Decided => return Ok(()),
            };
            let known = &mut self.known;
            if let Some(contexts) = &contexts {
                for values in
                    known.values.iter_mut().chain(&mut known.asked).filter(|values| !values.is_empty())
                {
                    let copied = contexts.copy(&self.graph, values, budget)?;
                    budget.release(8 * values.len());
                    *values = copied;
                }
            }
            if evidence {
                known.asked[node as usize] = match &contexts {
                    Some(contexts) => contexts.copy(&self.graph, &asked, budget)?,
                    None => asked,
                };
            }
            let fresh = match &contexts {
                Some(contexts) => Some(contexts.instances(&self.graph, budget)?),
                None => None,
            };
            let values = contexts.map_or(decided.stays, split::Contexts::into_values);
            budget.charge(8 * values.len() / copies)?;
            known.values[node as usize] = existential.at_first(values);
            if let Some(fresh) = fresh {
                self.graph = fresh;
                self.contexts = self.graph.len();
                self.is_plain = false;
            }
        }
        budget.settle(self.fixed.get() + self.graph.bytes() + self.known.bytes())?;
        Ok(())
    }

    /// The contexts of a formula that are needed. On a graph that grows by them, first looks whether
    /// the verdict depends on them.
    fn split(
        &self,
        level: usize,
        graph: &Instances<'_>,
        decided: &mut split::Decided<'_>,
        passing: &Passing<'_>,
        budget: &mut Budget,
    ) -> Result<Split, Stopped> {
        let before = budget.used();
        let mut relevant = Relevant::new(graph, decided, budget)?;
        if relevant.is_empty() {
            return Ok(Split::Needless);
        }
        let most = self.mode.most_cells;
        // a product has a cell for each stage
        let copies = graph.cell_count() / self.graph.cell_count().max(1);
        let soft = self.next_look.get().saturating_mul(copies).min(most);
        let rival = match self.mode.growth {
            Growth::Evidence => None,
            Growth::Stop => {
                return split::contexts(graph, decided, &relevant, (soft, None), budget).map(Split::Contexts);
            }
            Growth::Look(rival) => {
                match split::contexts(graph, decided, &relevant, (soft, None), budget) {
                    Err(Stopped::TooLarge) => budget.settle(before)?,
                    found => return found.map(Split::Contexts),
                }
                let cells = self.next_look.get().max(self.graph.cell_count());
                self.next_look.set(LOOKS.saturating_mul(cells));
                if self.formula.paths().is_empty() {
                    self.look(level, &decided.stays, passing, budget)?;
                    let open = self.open();
                    if open == 0 {
                        return Ok(Split::Decided);
                    }
                    decided.asked.iter_mut().for_each(|lanes| *lanes &= open);
                    relevant = Relevant::new(graph, decided, budget)?;
                    if relevant.is_empty() {
                        return Ok(Split::Needless);
                    }
                }
                rival
            }
        };
        let turns = rival.map(|rival| (rival, soft));
        split::contexts(graph, decided, &relevant, (most, turns), budget).map(Split::Contexts)
    }

    /// What is true of a formula without leaving an instance, given its operands at every cell; and
    /// what runs pass on their way out.
    fn without_context(
        &self,
        level: usize,
        graph: &Instances<'_>,
        mut values: Vec<Vec<Lanes>>,
        budget: &mut Budget,
    ) -> Result<(Vec<Lanes>, Passing<'p>), Exhausted> {
        let (node, existential) = &self.existentials[level];
        let found = match &existential.track {
            None => (stays::next(graph, &values[0], budget)?, Passing::Nothing(Summaries::trivial())),
            Some(_) if existential.is_future(self.formula, *node) => {
                let summaries = self.exits(budget)?;
                let goal = values.pop().expect("an until has a goal");
                let stays = if self.is_plain && self.atoms.active.count_ones() > 1 {
                    self.condensed(budget)?.reaching(goal, budget)?
                } else {
                    stays::until(graph, Along::Everything, goal, summaries, budget)?
                };
                (stays, Passing::Everything(summaries))
            }
            Some(track) => {
                let along = self.staged(track, &mut values, |stage| &stage.along, budget)?;
                let summaries = Summaries::new(graph, &along, self.atoms.active, budget)?;
                let goal = if track.stages.iter().any(|stage| stage.goal != Guard::False) {
                    self.staged(track, &mut values, |stage| &stage.goal, budget)?
                } else {
                    Vec::new()
                };
                let stays = self.stays(track, graph, &along, goal, &summaries, budget)?;
                (stays, Passing::Cells(along, summaries))
            }
        };
        budget.release(8 * self.graph.cell_count() * values.len());
        Ok(found)
    }

    /// The machine with stages, if there is more than one.
    fn product(
        &self,
        next: Option<&Csr>,
        copies: usize,
        budget: &mut Budget,
    ) -> Result<Option<Rsm>, Exhausted> {
        let Some(next) = next.filter(|_| copies > 1) else { return Ok(None) };
        let rsm = self.prepared.rsm();
        let edges = rsm.edge_count().saturating_mul(next.pairs().count());
        let cells = self.graph.cell_count().saturating_mul(copies);
        if edges.max(cells) >= u32::MAX as usize {
            return Err(Exhausted::Memory);
        }
        budget.charge(Instances::bytes_of(self.graph.len(), self.graph.box_count()))?;
        Ok(Some(rsm.times(copies, next, budget)?))
    }

    /// A guard of each stage, at every cell with stages. The operands of a formula with one stage are
    /// taken as they are.
    fn staged(
        &self,
        track: &Track,
        values: &mut [Vec<Lanes>],
        guard: impl Fn(&Stage) -> &Guard,
        budget: &mut Budget,
    ) -> Result<Vec<Lanes>, Exhausted> {
        if let ([stage], true) = (&track.stages[..], track.len() == 1)
            && let Guard::Atom(operand) = guard(stage)
        {
            return Ok(std::mem::take(&mut values[*operand as usize]));
        }
        let cells = self.graph.cell_count();
        budget.charge(8 * cells * track.len())?;
        let mut all = Vec::with_capacity(cells * track.len());
        // an operand that was taken is not mentioned by another guard
        let at = |cell: usize| values.iter().map(move |values| values.get(cell).copied().unwrap_or(0));
        let mut here = Vec::with_capacity(values.len());
        for cell in 0..cells {
            budget.spend(track.len())?;
            here.clear();
            here.extend(at(cell));
            let mut operand = |k: u32| here[k as usize];
            all.extend(track.stages.iter().map(|stage| guard(stage).lanes(self.atoms.active, &mut operand)));
        }
        Ok(all)
    }

    /// Where the formula is true without leaving the instance.
    fn stays(
        &self,
        track: &Track,
        graph: &Instances<'_>,
        along: &[Lanes],
        mut goal: Vec<Lanes>,
        summaries: &Summaries,
        budget: &mut Budget,
    ) -> Result<Vec<Lanes>, Exhausted> {
        let copies = track.len();
        if track.stages.iter().any(|stage| stage.stays == Stays::Anyhow) {
            let alive = if copies == 1 {
                stays::globally(graph, along, summaries, budget)?
            } else {
                budget.charge(8 * along.len())?;
                budget.spend(along.len())?;
                let may = |cell: usize| track.stages[cell % copies].stays == Stays::Anyhow;
                let along: Vec<Lanes> = along
                    .iter()
                    .enumerate()
                    .map(|(cell, &lanes)| if may(cell) { lanes } else { 0 })
                    .collect();
                stays::globally(graph, &along, summaries, budget)?
            };
            if copies == 1 && track.stages[0].goal == Guard::False {
                return Ok(alive);
            }
            budget.charge(8 * (along.len() - goal.len()))?;
            goal.resize(along.len(), 0);
            goal.iter_mut().zip(alive).for_each(|(goal, alive)| *goal |= alive);
        }
        budget.charge(8 * (along.len() - goal.len()))?;
        goal.resize(along.len(), 0);
        if track.is_mixed() {
            let product = self.product(Some(&track.marked()), 2 * copies, budget)?;
            let product = product.expect("there are at least two copies");
            let remembering = self.graph.times(&product, 2 * copies);
            budget.charge(16 * along.len())?;
            budget.spend(along.len())?;
            let twice: Vec<Lanes> = along.iter().flat_map(|&lanes| [lanes, lanes]).collect();
            let marked = &Summaries::new(&remembering, &twice, self.atoms.active, budget)?;
            let staged = again::Staged { track, graph, along, remembering: &remembering, marked };
            again::again(&staged, self.atoms.active, &mut goal, budget)?;
        }
        stays::until(graph, Along::Cells(along), goal, summaries, budget)
    }

    /// E[true U φ] at the initial nodes, where nobody asks for it elsewhere: is the goal true at a cell
    /// that a run gets to? Stops as soon as it has been seen in all lanes. The exits at the bottom of
    /// the stack are seen on the way; a sink comes after them.
    fn reachable_at_start(
        &self,
        level: usize,
        goal: &Operand,
        budget: &mut Budget,
    ) -> Result<Vec<Lanes>, Exhausted> {
        let summaries = self.exits(budget)?;
        let after = self.values_at_start(level, &self.graph, &[], (Along::Everything, summaries), budget)?;
        let (atoms, values) = (&self.atoms, &self.known.values);
        let value = |scratch: &mut Vec<Lanes>, cell: usize, vertex: usize| {
            let existential = |node: u32| values[node as usize][cell];
            goal.value(atoms.active, |k| atoms.at(k, vertex), existential, scratch)
        };
        let mut all = Vec::new();
        for (&initial, &after) in self.graph.rsm.initial().iter().zip(&after) {
            let found = AtomicU64::new(after);
            let see = |lanes: Lanes| {
                let known = found.load(Ordering::Relaxed);
                if lanes & !known != 0 {
                    found.fetch_or(lanes, Ordering::Relaxed);
                }
                lanes | known == atoms.active
            };
            if self.prepared.has_one_way_in() {
                // then what is reached in one instance of a component is reached in all
                let reached = self.reached(budget)?;
                threads::visit(&self.graph, budget, |scratch, cell, vertex| {
                    reached[vertex] && see(value(scratch, cell, vertex))
                })?;
            } else {
                let graph = &self.graph;
                reach::forward(graph, summaries, &[initial], budget, |scratch, instance, vertex| {
                    see(value(scratch, graph.shift(instance).cell(vertex), vertex.index()))
                })?;
            }
            all.push(found.into_inner());
        }
        Ok(all)
    }

    /// A formula at the initial nodes, under the empty stack; `stays` is empty if nothing is known of
    /// runs that do not leave.
    fn values_at_start(
        &self,
        level: usize,
        graph: &Instances<'_>,
        stays: &[Lanes],
        passing: (Along<'_>, &Summaries),
        budget: &mut Budget,
    ) -> Result<Vec<Lanes>, Exhausted> {
        let context = self.bottom.context(level);
        let existential = &self.existentials[level].1;
        let (start, copies) = (graph.start, existential.copies());
        let range = graph.rsm.vertex_range(graph.component(start));
        let first = graph.first_cell(start);
        budget.charge(8 * range.len())?;
        let mut values = stays.get(first..first + range.len()).unwrap_or_default().to_vec();
        values.resize(range.len(), 0);
        leave(graph, passing, start, &context, &mut values, budget)?;
        budget.release(8 * range.len());
        let value = |vertex: &Vertex| {
            let stage = |&stage: &u32| values[vertex.index() * copies + stage as usize - range.start];
            existential.initial().iter().fold(0, |lanes, at| lanes | stage(at)) & self.atoms.active
        };
        Ok(self.graph.rsm.initial().iter().map(value).collect())
    }

    /// The operands of later formulas that mention this one.
    fn askers(&self, level: usize) -> Vec<&Operand> {
        let node = self.existentials[level].0;
        let later = self.existentials[level + 1..].iter().flat_map(|(_, later)| &later.operands);
        later.filter(|operand| operand.existentials.contains(&node)).collect()
    }

    /// Per cell, the lanes in which a later formula's operand depends on the value of this one;
    /// nothing if no later formula mentions it.
    fn asked(&self, level: usize, budget: &mut Budget) -> Result<Option<Vec<Lanes>>, Exhausted> {
        let operands = self.askers(level);
        if operands.is_empty() {
            return Ok(None);
        }
        budget.charge(8 * self.graph.cell_count())?;
        let (active, open) = (self.atoms.active, self.open());
        let (atoms, values) = (&self.atoms, &self.known.values);
        let asked = |scratch: &mut Vec<(Lanes, Lanes)>, cell: usize, vertex: usize| {
            let known = |node: u32| match values[node as usize].get(cell) {
                Some(&value) => (value, !value & active),
                None => (0, 0),
            };
            let lanes = operands.iter().fold(0, |lanes, operand| {
                let (yes, no) = operand.ternary(active, |k| atoms.at(k, vertex), known, scratch);
                lanes | !(yes | no)
            });
            lanes & open
        };
        let asked = threads::fill(&self.graph, operands.len(), budget, asked)?;
        Ok(Some(asked))
    }
}
