//! The known values of a formula on an instance graph, and how they are read and fixed.

use super::news::{News, Port, Waiting, bytes_of_calls, hash_context};
use crate::contexts::ContextTable;
use crate::instances::{CellId, InstanceId, Instances};
use crate::last_exit::LastExit;
use crate::operand::Atoms;
use crate::prepared::Prepared;
use crate::property::{CtlProperty, EngineSettings, MachineOutcome};
use loris_base::{Budget, Exhausted, Idx, Truth};
use loris_logic::{CoreId, CoreNode, CtlCore};
use loris_rsm::{Rsm, VertexKind};
use std::collections::HashMap;

/// Bytes a cell takes: a value for each formula, its owner and its mark.
pub(super) fn bytes_per_cell(formula: &CtlCore) -> usize {
    formula.nodes().len() + 5
}

/// Bytes an instance takes besides cells, contexts and boxes: entries of vectors, allocations of
/// its own, and its place in the table of contexts, which is twice there while it grows.
pub(super) const INSTANCE: usize = 180;

/// So often an instance is looked at as a whole before values in it are followed one by one. With
/// no patience for growth, that is done from the start.
const WHOLE_LOOKS: u32 = 64;

/// More successors of a vertex than these are many: those that need not be looked at again are
/// noted. With no patience for growth, that is done from the first.
const WIDE: usize = 16;

/// Per node of a formula, those it is an operand of.
fn parents(formula: &CtlCore) -> Vec<Vec<CoreId>> {
    let mut parents = vec![Vec::new(); formula.nodes().len()];
    for node in formula.ids() {
        for child in formula.children(node) {
            parents[child.index()].push(node);
        }
    }
    parents
}

/// A consistent three-valued interpretation of a formula on an instance graph.
pub(crate) struct Interpretation<'a> {
    pub(super) rsm: &'a Rsm,
    pub(super) formula: &'a CtlCore,
    pub(super) graph: Instances<'a>,
    /// per vertex, whether some run gets there
    pub(super) reached: &'a [bool],
    /// per instance, whether calls lead there from the initial one, as far as is known: some that
    /// call each other may be left over
    pub(super) live: Vec<bool>,
    /// per instance, how many boxes of live instances call it
    pub(super) calls: Vec<u32>,
    /// the work that had been done when the live instances were counted last
    pub(super) counted: u64,
    /// live instances that learned something since their boxes were looked at last, each once
    pub(super) touched: Vec<InstanceId>,
    pub(super) is_touched: Vec<bool>,
    /// per instance, where its entries start in `callers`
    pub(super) doors: Vec<u32>,
    /// per entry of an instance, the call ports of live instances that lead there
    pub(super) callers: Vec<Vec<Port>>,
    /// per instance, where its ports start in `positions`
    pub(super) ports: Vec<u32>,
    /// per call port of an instance, its position among those that lead to the same entry
    pub(super) positions: Vec<u32>,
    /// per cell, its instance
    pub(super) owners: Vec<InstanceId>,
    /// per node of the formula, its value at every cell (∂)
    pub(super) values: Vec<Vec<Truth>>,
    /// the existential nodes of the formula
    pub(super) existentials: Vec<CoreId>,
    /// per instance, per exit, per existential node: its value there (γ)
    pub(super) contexts: Vec<Vec<Truth>>,
    /// per instance, the hash of its context
    pub(super) hashes: Vec<u64>,
    /// per instance, of how many existential formulas its context knows where its callers never
    /// return
    pub(super) covered: Vec<u32>,
    pub(super) by_context: ContextTable<InstanceId>,
    /// values that became known at return ports since the last visit
    pub(super) news: Vec<News>,
    /// per node of the formula, those it is an operand of
    pub(super) parents: Vec<Vec<CoreId>>,
    /// per instance, how often there was a reason to look at it as a whole
    pub(super) looks: Vec<u32>,
    /// so often that is done before values are followed one by one
    pub(super) whole_looks: u32,
    /// more successors than these are many
    pub(super) wide: usize,
    /// formulas at cells that may be known now, where instances are not looked at as a whole
    pub(super) waiting: Vec<Waiting>,
    /// per formula at a cell with many successors, how many of these in front are known to be false
    pub(super) seen: HashMap<(CoreId, CellId), u32>,
    pub(super) seen_bytes: usize,
    /// bytes declared for the work list and the list of news
    pub(super) lists: usize,
    /// bytes declared for holes between the lists of cells
    pub(super) lost: usize,
    /// instances with new knowledge that has not been followed yet
    pub(super) dirty: Vec<InstanceId>,
    /// instances that were dirty since all was looked at
    pub(super) recent: Vec<InstanceId>,
    pub(super) marks: Vec<u8>,
    pub(super) made: usize,
    pub(super) checks: usize,
}

impl<'a> Interpretation<'a> {
    /// Nothing known but labels and the context of the initial instance (Algorithm 3).
    pub(super) fn new(
        prepared: &'a Prepared<'_>,
        property: &CtlProperty<'a>,
        settings: &EngineSettings,
        budget: &mut Budget,
    ) -> Result<Self, Exhausted> {
        let rsm = prepared.rsm();
        let formula = property.formula;
        let existentials: Vec<CoreId> = formula.existentials().collect();
        let summaries = prepared.reachable_exits(budget)?;
        let reached = prepared.reached(summaries, budget)?;
        let mut graph = Instances::plain(rsm, |port| reached[port.index()], budget)?;
        let initial = rsm.initial_component();
        graph.start = InstanceId::new(graph.len());
        let callees = graph.callees(InstanceId::of(initial)).to_vec();
        graph.push(initial, callees.into_iter());
        graph.close();

        let cells = graph.cell_count();
        let exits: usize = rsm.components().map(|component| rsm.exits(component).len()).sum();
        let known = cells * bytes_per_cell(formula) + exits * existentials.len();
        let calls: usize = rsm.components().map(|component| bytes_of_calls(rsm, component)).sum();
        budget.charge(known + calls + INSTANCE * rsm.component_count())?;
        let before = budget.used();
        let atoms = Atoms::new(rsm, formula.atoms().len(), &[&property.atoms], budget)?;
        let exits = rsm.exits(initial);
        let atom = |exit: usize, atom: u32| atoms.at(atom, exits[exit].index());
        let last = LastExit::new(formula, (exits.len(), settings.at_exit), atoms.active, atom, budget)?;
        let mut contexts: Vec<Vec<Truth>> = rsm
            .components()
            .map(|component| vec![Truth::Unknown; rsm.exits(component).len() * existentials.len()])
            .collect();
        let at = |exit: usize| existentials.iter().map(move |&node| (exit, node));
        let first = (0..exits.len()).flat_map(at).map(|(exit, node)| Truth::from(last.at(exit, node) != 0));
        contexts.push(first.collect());
        let mut by_context = ContextTable::default();
        let mut hashes = Vec::with_capacity(contexts.len());
        for (instance, context) in contexts.iter().enumerate() {
            hashes.push(hash_context(graph.component(InstanceId::new(instance)), context));
            by_context.insert(hashes[instance], InstanceId::new(instance));
        }
        let mut interpretation = Self {
            rsm,
            formula,
            reached,
            live: graph.reached(),
            calls: Vec::new(),
            counted: 0,
            touched: Vec::new(),
            is_touched: vec![false; graph.len()],
            news: Vec::new(),
            parents: parents(formula),
            looks: vec![0; graph.len()],
            whole_looks: if prepared.growth() == 0 { 0 } else { WHOLE_LOOKS },
            wide: if prepared.growth() == 0 { 0 } else { WIDE },
            waiting: Vec::new(),
            seen: HashMap::new(),
            seen_bytes: 0,
            lists: 0,
            lost: 0,
            owners: graph.owners(),
            values: vec![vec![Truth::Unknown; cells]; formula.nodes().len()],
            marks: vec![0; cells],
            dirty: Vec::new(),
            recent: Vec::new(),
            doors: Vec::new(),
            callers: Vec::new(),
            ports: Vec::new(),
            positions: Vec::new(),
            covered: vec![0; graph.len()],
            graph,
            existentials,
            contexts,
            hashes,
            by_context,
            made: 1,
            checks: 0,
        };
        for instance in interpretation.graph.ids() {
            interpretation.open(instance);
        }
        for instance in interpretation.graph.ids() {
            interpretation.list_all(instance);
        }
        interpretation.forget_unreached();
        interpretation.count_calls();
        interpretation.touch_all();
        interpretation.read_labels(&atoms, budget)?;
        budget.settle(before)?;
        Ok(interpretation)
    }

    pub(super) fn read_labels(&mut self, atoms: &Atoms, budget: &mut Budget) -> Result<(), Exhausted> {
        for (node, &kind) in self.formula.nodes().iter().enumerate() {
            let value = |vertex: usize| match kind {
                CoreNode::Atom(k) => Truth::from(atoms.at(k, vertex) != 0),
                _ => Truth::True,
            };
            if !matches!(kind, CoreNode::True | CoreNode::Atom(_)) {
                continue;
            }
            for instance in self.graph.ids() {
                let shift = self.graph.shift(instance);
                let vertices = self.rsm.vertices(self.graph.component(instance));
                budget.spend(vertices.len())?;
                for vertex in vertices {
                    self.values[node][shift.cell(vertex).index()] = value(vertex.index());
                }
            }
        }
        Ok(())
    }

    /// The value of a formula at a cell.
    pub(super) fn value(&self, node: CoreId, cell: CellId) -> Truth {
        self.values[node.index()][cell.index()]
    }

    /// The verdict as far as it is known: true if all initial nodes are, false if one is false.
    pub(super) fn verdict(&self) -> Truth {
        let shift = self.graph.shift(self.graph.start);
        let initial = self.rsm.initial().iter();
        initial.map(|&node| self.value(self.formula.root(), shift.cell(node))).min().unwrap_or(Truth::True)
    }

    /// Fixes values of a formula by Lemma 6; at exits, the contexts with them. Formulas that depend
    /// on them are put on the work list if `follows` is set.
    pub(super) fn resolve(
        &mut self,
        node: CoreId,
        cells: &[CellId],
        follows: bool,
        budget: &mut Budget,
    ) -> Result<(), Exhausted> {
        let value = match self.formula.node(node) {
            CoreNode::Eg(_) => Truth::True,
            _ => Truth::False,
        };
        let existential =
            self.existentials.binary_search(&node).expect("only existential formulas are resolved");
        // an instance at a time, whose context is taken down and put up once
        let mut left = cells;
        while let Some(&first) = left.first() {
            let instance = self.owners[first.index()];
            let size = left.partition_point(|&cell| self.owners[cell.index()] == instance);
            let group;
            (group, left) = left.split_at(size);
            let shift = self.graph.shift(instance);
            let mut known = Vec::new();
            for &cell in group {
                self.values[node.index()][cell.index()] = value;
                if follows {
                    self.await_dependents(node, cell);
                }
                let vertex = shift.vertex(cell);
                let Some(exit) = self.rsm.exit_index(vertex) else { continue };
                let place = self.place(exit, existential) as u32;
                match self.rsm.kind(vertex) {
                    VertexKind::Return(site) => self.news.push(News { instance, site, place }),
                    _ => known.push((place, value)),
                }
            }
            if known.is_empty() {
                self.dirty.push(instance);
            } else {
                self.learn(instance, &known);
            }
            // lists double
            let lists = 16 * self.waiting.len() + 2 * size_of::<News>() * self.news.len();
            budget.grow(&mut self.lists, lists)?;
        }
        Ok(())
    }

    /// The result, and its cost.
    pub(super) fn outcome(&self) -> MachineOutcome {
        MachineOutcome {
            holds: self.verdict() == Truth::True,
            contexts: self.made,
            checks: self.checks,
            components: self.rsm.component_count(),
        }
    }

    /// Where a formula is unknown in some instances. The list is charged for: to be freed by the
    /// budget.
    pub(super) fn unknown_in(
        &self,
        node: CoreId,
        instances: &[InstanceId],
        budget: &mut Budget,
    ) -> Result<Vec<CellId>, Exhausted> {
        let values = &self.values[node.index()];
        let mut cells = Vec::new();
        for &instance in instances {
            let first = self.graph.first_cell(instance);
            let range = first..first + self.rsm.vertex_range(self.graph.component(instance)).len();
            budget.reserve(&mut cells, range.len())?;
            cells.extend(range.filter(|&cell| values[cell] == Truth::Unknown).map(CellId::new));
        }
        Ok(cells)
    }

    /// Lemma 6 for a whole formula: unknown values at live cells; whether there were any.
    pub(super) fn resolve_all(
        &mut self,
        node: CoreId,
        follows: bool,
        budget: &mut Budget,
    ) -> Result<bool, Exhausted> {
        // in the order of cells, as instances are
        let cells = self.unknown_in(node, &self.live_instances(), budget)?;
        self.resolve(node, &cells, follows, budget)?;
        let is_any = !cells.is_empty();
        budget.free(cells);
        Ok(is_any)
    }
}
