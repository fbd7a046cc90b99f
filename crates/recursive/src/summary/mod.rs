//! The summary engine: CTL on recursive state machines without guessing, up to 64 properties at once.
//!
//! Decides a formula, bottom-up over its existential subformulas ψ (`docs/summary.md`). Once the
//! operands of ψ are known on an [instance graph](crate::instances), two fixpoints say all there is to
//! know about ψ without any context: [`Rows`], the exits a run can leave through
//! along the operand, and [`stays`], ψ true without leaving. Then
//!
//! > ψ at a cell under a stack = `stays`, or ψ at the caller's return port of some exit in its row.
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

mod bottom;
mod reach;
mod rows;
mod split;
mod stays;

pub(crate) use bottom::Bottom;
pub(crate) use reach::{Condensed, reached};
pub(crate) use rows::Rows;
pub(crate) use stays::globally;

use crate::api::Prepared;
use crate::instances::Instances;
use crate::operand::{Atoms, Lanes, Operand};
use loris_base::{Budget, Exhausted, Idx};
use loris_evidence::AtExit;
use loris_logic::{Core, CoreNode};
use loris_rsm::LabelId;

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
}

impl Decided<'_> {
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
    /// more cells than the caller wants to spend on a batch
    TooLarge,
}

impl From<Exhausted> for Stopped {
    fn from(exhausted: Exhausted) -> Self {
        Stopped::Exhausted(exhausted)
    }
}

/// How to run.
pub(crate) struct Mode {
    pub(crate) at_exit: AtExit,
    /// give up beyond this many cells
    pub(crate) most_cells: usize,
    /// keep what evidence needs
    pub(crate) evidence: bool,
}

/// From more initial nodes than this, one backward fixpoint is cheaper than a search from each.
const MOST_SEARCHES: usize = 4;

/// The operands of an existential formula: what must hold along the way, and at its end.
struct Existential {
    along: Operand,
    goal: Option<Operand>,
}

impl Existential {
    fn new(formula: &Core, node: u32) -> Self {
        match formula.nodes()[node as usize] {
            CoreNode::Eu(along, goal) => {
                Self { along: Operand::new(formula, along), goal: Some(Operand::new(formula, goal)) }
            }
            CoreNode::Ex(a) | CoreNode::Eg(a) => Self { along: Operand::new(formula, a), goal: None },
            _ => unreachable!("only existential nodes have operands"),
        }
    }

    fn operands(&self) -> impl Iterator<Item = &Operand> {
        std::iter::once(&self.along).chain(&self.goal)
    }
}

/// Decides properties of one shape; `labels[i][k]` is what atom `k` means in property `i`.
pub(crate) fn decide<'a>(
    prepared: &Prepared<'a>,
    formula: &Core,
    labels: &[&[Option<LabelId>]],
    mode: &Mode,
    budget: &mut Budget,
) -> Result<Decided<'a>, Stopped> {
    let rsm = prepared.rsm();
    budget.charge(8 * rsm.vertex_count() * formula.atoms().len())?;
    let atoms = Atoms::new(rsm, formula.atoms().len(), labels);
    let mut run = Run {
        prepared,
        formula,
        mode,
        bottom: Bottom::new(rsm, formula, &atoms, mode.at_exit),
        existentials: formula.existentials().map(|node| (node, Existential::new(formula, node))).collect(),
        root: Operand::new(formula, formula.root()),
        graph: Instances::plain(rsm, |_| true),
        is_plain: true,
        at_start: vec![None; formula.nodes().len()],
        known: Known {
            values: vec![Vec::new(); formula.nodes().len()],
            asked: vec![Vec::new(); formula.nodes().len()],
        },
        atoms,
        contexts: 1,
        checks: 0,
    };
    for level in 0..run.existentials.len() {
        if run.is_wanted(level) {
            run.step(level, budget)?;
        }
    }
    let values = (0..rsm.initial().len()).map(|i| run.root_at(i).0).collect();
    let Run { contexts, checks, graph, known, atoms, at_start, .. } = run;
    Ok(Decided { values, contexts, checks, graph, known, atoms, at_start })
}

struct Run<'p, 'a> {
    prepared: &'p Prepared<'a>,
    formula: &'p Core,
    mode: &'p Mode,
    bottom: Bottom,
    /// the existential formulas with their operands, children first
    existentials: Vec<(u32, Existential)>,
    root: Operand,
    graph: Instances<'a>,
    /// whether the graph is still one instance a component
    is_plain: bool,
    /// per node of the formula, its value at each initial node, once decided
    at_start: Vec<Option<Vec<Lanes>>>,
    known: Known,
    atoms: Atoms,
    contexts: usize,
    checks: usize,
}

impl Run<'_, '_> {
    /// The root at an initial node as far as it is known: (surely true, surely false).
    fn root_at(&self, initial: usize) -> (Lanes, Lanes) {
        let active = self.atoms.active;
        let vertex = self.graph.rsm.initial()[initial].index();
        self.root.ternary(
            active,
            |k| self.atoms.at(k, vertex),
            |node| match &self.at_start[node as usize] {
                Some(values) => (values[initial], !values[initial] & active),
                None => (0, 0),
            },
            &mut Vec::new(),
        )
    }

    /// Whether the verdict can still depend on this formula: the root is open in some lane, and it
    /// or a wanted formula mentions this one.
    fn is_wanted(&self, level: usize) -> bool {
        let open = (0..self.graph.rsm.initial().len()).any(|initial| {
            let (yes, no) = self.root_at(initial);
            yes | no != self.atoms.active
        });
        let mut wanted = vec![false; self.formula.nodes().len()];
        for &node in &self.root.existentials {
            wanted[node as usize] = open;
        }
        for (node, existential) in self.existentials[level + 1..].iter().rev() {
            if wanted[*node as usize] {
                for &inner in existential.operands().flat_map(|operand| &operand.existentials) {
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
        if let Some(goal) = existential.goal.as_ref().filter(|_| existential.along.is_true())
            && self.askers(level).is_empty()
            && self.graph.rsm.initial().len() <= MOST_SEARCHES
        {
            let values = self.reachable_at_start(node, goal, budget)?;
            self.checks += self.graph.len();
            self.at_start[node as usize] = Some(values);
            return Ok(());
        }
        let along = existential.along.everywhere(&self.graph, &self.atoms, &self.known.values, budget)?;
        self.checks += self.graph.len();
        let own_rows;
        let (stays, rows) = match self.formula.nodes()[node as usize] {
            CoreNode::Ex(_) => {
                own_rows = Rows::trivial();
                (stays::next(&self.graph, &along, budget)?, &own_rows)
            }
            CoreNode::Eg(_) => {
                own_rows = Rows::new(&self.graph, &along, self.atoms.active, budget)?;
                (stays::globally(&self.graph, &along, &own_rows, budget)?, &own_rows)
            }
            _ => {
                let goal = existential.goal.as_ref().expect("an until has a goal");
                let goal = goal.everywhere(&self.graph, &self.atoms, &self.known.values, budget)?;
                let rows = if existential.along.is_true() {
                    self.prepared.reachable_exits(budget)?
                } else {
                    own_rows = Rows::new(&self.graph, &along, self.atoms.active, budget)?;
                    &own_rows
                };
                let many = existential.along.is_true() && self.is_plain && self.atoms.active.count_ones() > 1;
                let stays = if many {
                    self.prepared.condensed(budget)?.reaching(goal, budget)?
                } else {
                    stays::until(&self.graph, &along, goal, rows, budget)?
                };
                (stays, rows)
            }
        };
        budget.release(8 * along.len());
        drop(along);
        self.at_start[node as usize] = Some(self.values_at_start(node, &stays, rows));
        if let Some(asked) = self.asked(level, budget)? {
            let context = self.bottom.context(node);
            let reached = self.prepared.reached(budget)?;
            let decided = split::Decided { node, stays, rows, asked, context, reached };
            if let Some(contexts) =
                split::split(&mut self.graph, &mut self.known, decided, self.mode, budget)?
            {
                self.contexts = contexts;
                self.is_plain = false;
            }
        }
        budget.hold(self.atoms.bytes() + self.graph.bytes() + self.known.bytes())?;
        Ok(())
    }

    /// E[true U φ] at the initial nodes, where nobody asks for it elsewhere: is the goal true at a cell
    /// that a run gets to? Stops as soon as it has been seen in all lanes. The exits at the bottom of
    /// the stack are seen on the way; a sink comes after them.
    fn reachable_at_start(
        &self,
        node: u32,
        goal: &Operand,
        budget: &mut Budget,
    ) -> Result<Vec<Lanes>, Exhausted> {
        let rows = self.prepared.reachable_exits(budget)?;
        let context = self.bottom.context(node);
        let mut scratch = Vec::new();
        let mut value = |cell: usize, vertex: usize| {
            let atom = |k| self.atoms.at(k, vertex);
            let existential = |node: u32| self.known.values[node as usize][cell];
            goal.value(self.atoms.active, atom, existential, &mut scratch)
        };
        let mut all = Vec::new();
        for &initial in self.graph.rsm.initial() {
            let mut found = 0;
            rows.for_each(&self.graph, self.graph.start, initial.index(), |exit, _| found |= context[exit]);
            if self.prepared.has_one_way_in() {
                // then what is reached in one instance of a component is reached in all
                let reached = self.prepared.reached(budget)?;
                let mut cell = 0;
                for instance in 0..self.graph.len() as u32 {
                    let vertices = self.graph.rsm.vertex_range(self.graph.component(instance));
                    budget.spend(vertices.len())?;
                    for vertex in vertices {
                        if reached[vertex] {
                            found |= value(cell, vertex);
                        }
                        cell += 1;
                    }
                    if found == self.atoms.active {
                        break;
                    }
                }
            } else {
                reach::forward(&self.graph, rows, initial, budget, |instance, vertex| {
                    found |= value(self.graph.shift(instance).cell(vertex), vertex.index());
                    found == self.atoms.active
                })?;
            }
            all.push(found);
        }
        Ok(all)
    }

    fn values_at_start(&self, node: u32, stays: &[Lanes], rows: &Rows) -> Vec<Lanes> {
        let context = self.bottom.context(node);
        let start = self.graph.start;
        let shift = self.graph.shift(start);
        let value = |vertex: &loris_rsm::Vertex| {
            let mut value = stays[shift.cell(*vertex)];
            rows.for_each(&self.graph, start, vertex.index(), |exit, lanes| value |= lanes & context[exit]);
            value & self.atoms.active
        };
        self.graph.rsm.initial().iter().map(value).collect()
    }

    /// The operands of later formulas that mention this one.
    fn askers(&self, level: usize) -> Vec<&Operand> {
        let node = self.existentials[level].0;
        let later = self.existentials[level + 1..].iter().flat_map(|(_, later)| later.operands());
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
        let active = self.atoms.active;
        let mut asked = vec![0; self.graph.cell_count()];
        let mut scratch = Vec::new();
        let mut cell = 0;
        for instance in 0..self.graph.len() as u32 {
            for vertex in self.graph.rsm.vertex_range(self.graph.component(instance)) {
                budget.spend(operands.len())?;
                for operand in &operands {
                    let (yes, no) = operand.ternary(
                        active,
                        |k| self.atoms.at(k, vertex),
                        |node| match self.known.values[node as usize].get(cell) {
                            Some(&value) => (value, !value & active),
                            None => (0, 0),
                        },
                        &mut scratch,
                    );
                    asked[cell] |= active & !(yes | no);
                }
                cell += 1;
            }
        }
        Ok(Some(asked))
    }
}
