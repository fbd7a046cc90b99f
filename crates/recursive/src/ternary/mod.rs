//! The engines of lazy-rsm: three-valued interpretations refined by contexts.
//!
//! An [`Interpretation`] gives every subformula a [`Truth`] at every cell of an instance graph. It is
//! *consistent*: what it says true or false is so under every stack that reaches the instance from
//! the initial one. [`refine`] deduces what follows locally (Algorithm 1); contextualizing a box gives
//! its callee an instance of its own that knows what is known at the return ports (Algorithm 2); and
//! where neither gets on, what is left lies on cycles that decide themselves (Lemma 6).
//! Engines differ in which boxes they contextualize, and when: [`eager`] (Algorithm 4), [`expand`]
//! (Algorithm 5 with its heuristics).
//!
//! Differences from the paper's text, all settled by the spec: a call port has the value of the entry it
//! stands for (no step of its own); only instances that are reached are looked at, and one that is no
//! longer reached is never used again; only interpretations are copied.

mod eager;
mod expand;
mod follow;
mod reason;
mod refine;

pub(crate) use eager::eager;
pub(crate) use expand::{Expansion, Heuristic, expand};

use crate::api::{Outcome, Prepared, Property, Settings};
use crate::contexts::{ContextTable, hash_truths};
use crate::instances::{Call, Instances, NONE};
use crate::operand::Atoms;
use crate::summary::{Bottom, Existential};
use loris_base::{Budget, Exhausted, Idx, Truth};
use loris_logic::{Core, CoreNode};
use loris_rsm::{BoxId, Kind, Rsm};

/// Bytes a cell takes: a value for each formula, its owner and its mark.
fn bytes_per_cell(formula: &Core) -> usize {
    formula.nodes().len() + 5
}

/// Bytes an instance takes beside cells, contexts and boxes: entries of vectors, allocations of its own, and
/// its place in the table of contexts, which is twice there while it grows.
const INSTANCE: usize = 160;

/// So often an instance is looked at as a whole before values in it are followed one by one. With no
/// patience for growth, that is done from the start.
const WHOLE_LOOKS: u32 = 64;

/// Per node of a formula, those it is an operand of.
fn parents(formula: &Core) -> Vec<Vec<u32>> {
    let mut parents = vec![Vec::new(); formula.nodes().len()];
    for node in 0..formula.nodes().len() as u32 {
        for child in formula.children(node) {
            parents[child as usize].push(node);
        }
    }
    parents
}

/// A consistent three-valued interpretation of a formula on an instance graph.
pub(crate) struct Interpretation<'a> {
    rsm: &'a Rsm,
    formula: &'a Core,
    graph: Instances<'a>,
    /// per vertex, whether some run gets there
    reached: &'a [bool],
    /// per instance, whether calls lead there from the initial one, as far as is known: some that call
    /// each other may be left over
    live: Vec<bool>,
    /// per instance, how many boxes of live instances call it
    calls: Vec<u32>,
    /// the work that had been done when the live instances were counted last
    counted: u64,
    /// live instances that learned something since their boxes were looked at last, each once
    touched: Vec<u32>,
    is_touched: Vec<bool>,
    /// per instance, the boxes of live instances that call it
    callers: Vec<Vec<Call>>,
    /// per box of an instance, its position among the callers of its callee
    positions: Vec<u32>,
    /// per cell, its instance
    owners: Vec<u32>,
    /// per node of the formula, its value at every cell (∂)
    values: Vec<Vec<Truth>>,
    /// the existential nodes of the formula
    existentials: Vec<u32>,
    /// per instance, per exit, per existential node: its value there (γ)
    contexts: Vec<Vec<Truth>>,
    by_context: ContextTable,
    /// boxes of which a return port became known since they were looked at last
    boxes: Vec<(u32, BoxId)>,
    /// per node of the formula, those it is an operand of
    parents: Vec<Vec<u32>>,
    /// per instance, how often there was a reason to look at it as a whole
    looks: Vec<u32>,
    /// so often that is done before values are followed one by one
    whole_looks: u32,
    /// formulas at cells that may be known now, where instances are not looked at as a whole
    waiting: Vec<(u32, u32)>,
    /// bytes declared for this list and that of boxes
    lists: usize,
    /// bytes declared for holes between the lists of cells
    lost: usize,
    /// instances with new knowledge that has not been followed yet
    dirty: Vec<u32>,
    marks: Vec<u8>,
    made: usize,
    checks: usize,
}

impl<'a> Interpretation<'a> {
    /// Nothing known but labels and the context of the initial instance (Algorithm 3).
    fn new(
        prepared: &'a Prepared<'_>,
        property: &Property<'a>,
        settings: &Settings,
        budget: &mut Budget,
    ) -> Result<Self, Exhausted> {
        let rsm = prepared.rsm();
        let formula = property.formula;
        let existentials: Vec<u32> = formula.existentials().collect();
        let summaries = prepared.reachable_exits(budget)?;
        let reached = prepared.reached(summaries, budget)?;
        let mut graph = Instances::plain(rsm, |port| reached[port.index()], budget)?;
        let initial = rsm.initial_component();
        graph.start = graph.len() as u32;
        let callees: Vec<u32> = graph.callees(initial.index() as u32).to_vec();
        graph.push(initial, callees.into_iter());
        graph.close();

        let cells = graph.cell_count();
        let exits: usize = rsm.components().map(|component| rsm.exits(component).len()).sum();
        let known = cells * bytes_per_cell(formula) + exits * existentials.len();
        budget.charge(known + 28 * rsm.box_count() + INSTANCE * rsm.component_count())?;
        let before = budget.used();
        let atoms = Atoms::new(rsm, formula.atoms().len(), &[&property.atoms], budget)?;
        let tracks = Existential::all(formula, budget)?;
        let bottom = Bottom::new(rsm, formula, &tracks, &atoms, settings.at_exit, budget)?;
        let mut contexts: Vec<Vec<Truth>> = rsm
            .components()
            .map(|component| vec![Truth::Unknown; rsm.exits(component).len() * existentials.len()])
            .collect();
        let mut first = vec![Truth::Unknown; rsm.exits(initial).len() * existentials.len()];
        for i in 0..existentials.len() {
            // an operator of CTL has one stage
            for (exit, lanes) in bottom.context(i).into_iter().enumerate() {
                first[exit * existentials.len() + i] = Truth::from(lanes != 0);
            }
        }
        contexts.push(first);
        let mut by_context = ContextTable::default();
        for (instance, context) in contexts.iter().enumerate() {
            let component = graph.component(instance as u32).index() as u32;
            by_context.insert(hash_truths(component, context), instance as u32);
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
            boxes: Vec::new(),
            parents: parents(formula),
            looks: vec![0; graph.len()],
            whole_looks: if prepared.growth() == 0 { 0 } else { WHOLE_LOOKS },
            waiting: Vec::new(),
            lists: 0,
            lost: 0,
            owners: graph.owners(),
            values: vec![vec![Truth::Unknown; cells]; formula.nodes().len()],
            marks: vec![0; cells],
            dirty: Vec::new(),
            callers: vec![Vec::new(); graph.len()],
            positions: Vec::new(),
            graph,
            existentials,
            contexts,
            by_context,
            made: 1,
            checks: 0,
        };
        for instance in 0..interpretation.graph.len() as u32 {
            interpretation.enlist(instance);
        }
        interpretation.forget_unreached();
        interpretation.count_calls();
        interpretation.touch_all();
        interpretation.read_labels(&atoms, budget)?;
        budget.settle(before)?;
        Ok(interpretation)
    }

    fn read_labels(&mut self, atoms: &Atoms, budget: &mut Budget) -> Result<(), Exhausted> {
        for (node, &kind) in self.formula.nodes().iter().enumerate() {
            let value = |vertex: usize| match kind {
                CoreNode::Atom(k) => Truth::from(atoms.at(k, vertex) != 0),
                _ => Truth::True,
            };
            if !matches!(kind, CoreNode::True | CoreNode::Atom(_)) {
                continue;
            }
            for instance in 0..self.graph.len() as u32 {
                let shift = self.graph.shift(instance);
                let vertices = self.rsm.vertices(self.graph.component(instance));
                budget.spend(vertices.len())?;
                for vertex in vertices {
                    self.values[node][shift.cell(vertex)] = value(vertex.index());
                }
            }
        }
        Ok(())
    }

    /// The value of a formula at a cell.
    fn value(&self, node: u32, cell: usize) -> Truth {
        self.values[node as usize][cell]
    }

    /// The verdict as far as it is known: true if all initial nodes are, false if one is false.
    fn verdict(&self) -> Truth {
        let shift = self.graph.shift(self.graph.start);
        let initial = self.rsm.initial().iter();
        initial.map(|&node| self.value(self.formula.root(), shift.cell(node))).min().unwrap_or(Truth::True)
    }

    /// The position of an existential formula's value at an exit in a context.
    fn place(&self, exit: usize, existential: usize) -> usize {
        exit * self.existentials.len() + existential
    }

    /// The cell where a call returns through an exit; nothing if it never does.
    fn returning(&self, instance: u32, site: BoxId, exit: usize) -> Option<usize> {
        let port = self.rsm.return_port(site, exit).filter(|port| self.reached[port.index()])?;
        Some(self.graph.shift(instance).cell(port))
    }

    /// The context a box would give its callee (`γ_b`), over the first `upto` existential formulas:
    /// what its return ports know, and what the callee's present context knows anyway.
    fn induced(&self, instance: u32, site: BoxId, upto: usize) -> Vec<Truth> {
        let callee = self.graph.callee(instance, site);
        let mut context = self.contexts[callee as usize].clone();
        for exit in 0..self.rsm.exits(self.rsm.callee(site)).len() {
            let port = self.returning(instance, site, exit);
            for (i, &node) in self.existentials[..upto].iter().enumerate() {
                let value = &mut context[exit * self.existentials.len() + i];
                if *value == Truth::Unknown {
                    // where nobody returns, any value will do
                    *value = port.map_or(Truth::False, |port| self.value(node, port));
                }
            }
        }
        context
    }

    /// Whether the return ports of a box know more than its callee's context (C in section 6.1.2).
    fn is_contextualizable(&self, instance: u32, site: BoxId) -> bool {
        let callee = self.graph.callee(instance, site);
        if callee == NONE {
            return false;
        }
        let context = &self.contexts[callee as usize];
        (0..self.rsm.exits(self.rsm.callee(site)).len()).any(|exit| {
            let Some(port) = self.returning(instance, site, exit) else { return false };
            let known = |(i, &node): (usize, &u32)| {
                context[self.place(exit, i)] == Truth::Unknown && self.value(node, port).is_known()
            };
            self.existentials.iter().enumerate().any(known)
        })
    }

    /// The live boxes that became contextualizable since they were looked at last. They are to be
    /// contextualized, or [touched](Self::touch) again.
    fn contextualizable(&mut self, budget: &mut Budget) -> Result<Vec<(u32, BoxId)>, Exhausted> {
        let mut found = Vec::new();
        let mut touched = std::mem::take(&mut self.touched);
        touched.sort_unstable();
        for &instance in &touched {
            self.is_touched[instance as usize] = false;
            if !self.live[instance as usize] {
                continue;
            }
            let boxes = self.rsm.boxes(self.graph.component(instance));
            budget.spend(1 + boxes.len() * self.existentials.len())?;
            found.extend(
                boxes.filter(|&site| self.is_contextualizable(instance, site)).map(|site| (instance, site)),
            );
        }
        for (instance, site) in std::mem::take(&mut self.boxes) {
            budget.spend(1 + self.existentials.len())?;
            if self.live[instance as usize] && self.is_contextualizable(instance, site) {
                found.push((instance, site));
            }
        }
        found.sort_unstable();
        found.dedup();
        Ok(found)
    }

    /// Lets the boxes of an instance be looked at.
    fn touch(&mut self, instance: u32) {
        if !std::mem::replace(&mut self.is_touched[instance as usize], true) {
            self.touched.push(instance);
        }
    }

    /// Lets all live boxes be looked at.
    fn touch_all(&mut self) {
        for instance in self.live_instances() {
            self.touch(instance);
        }
    }

    /// Gives the callee of a box an instance that knows what its return ports know (Algorithm 2);
    /// whether that changed anything. [`settle`](Self::settle) must follow.
    fn contextualize(
        &mut self,
        instance: u32,
        site: BoxId,
        upto: usize,
        budget: &mut Budget,
    ) -> Result<bool, Exhausted> {
        let old = self.graph.callee(instance, site);
        // another box of the same round may have left it behind
        if old == NONE || !self.live[instance as usize] {
            return Ok(false);
        }
        let context = self.induced(instance, site, upto);
        // a round may contextualize any number of boxes, each copying what it knows
        budget.spend(context.len() + self.rsm.vertex_range(self.graph.component(old)).len())?;
        if context == self.contexts[old as usize] {
            return Ok(false);
        }
        let component = self.graph.component(old);
        let hash = hash_truths(component.index() as u32, &context);
        let same =
            |other: u32| self.graph.component(other) == component && self.contexts[other as usize] == context;
        if let Some(same) = self.by_context.find(hash, same) {
            self.redirect(instance, site, same);
            return Ok(true);
        }
        let fresh = self.graph.len() as u32;
        let cells = self.rsm.vertex_range(component).len();
        budget.charge(context.len() + 28 * self.rsm.boxes(component).len() + INSTANCE)?;
        // Lists that grow side by side leave holes that the next one does not fit into: at first as much as
        // there was, later half of what there is (measured).
        let lost = bytes_per_cell(self.formula) * (self.rsm.vertex_count()).max(self.owners.capacity() / 2);
        budget.grow(&mut self.lost, lost)?;
        budget.reserve(&mut self.owners, cells)?;
        budget.reserve(&mut self.marks, cells)?;
        for values in &mut self.values {
            budget.reserve(values, cells)?;
        }
        let callees = self.graph.callees(old).to_vec();
        self.graph.push(component, callees.into_iter());
        self.callers.push(Vec::new());
        self.live.push(true);
        self.enlist(fresh);
        self.dirty.push(fresh);
        self.contexts.push(context);
        self.by_context.insert(hash, fresh);
        self.calls.push(0);
        self.is_touched.push(false);
        self.looks.push(0);
        self.touch(fresh);
        for i in 0..self.graph.callees(fresh).len() {
            let callee = self.graph.callees(fresh)[i];
            if callee != NONE {
                self.calls[callee as usize] += 1;
            }
        }
        self.owners.resize(self.owners.len() + cells, fresh);
        self.marks.resize(self.owners.len(), 0);
        let from = self.graph.first_cell(old);
        for values in &mut self.values {
            values.extend_from_within(from..from + cells);
        }
        self.redirect(instance, site, fresh);
        self.made += 1;
        Ok(true)
    }

    /// Where all callers of an instance know the same, writes it into the instance's own context: no
    /// copy is needed for what they agree on. Only the instances there were at the start learn in place;
    /// copies that did could be made again and again. Whether anything was new.
    fn adopt(&mut self, instance: u32, budget: &mut Budget) -> Result<bool, Exhausted> {
        if instance as usize >= self.rsm.component_count() {
            return Ok(false);
        }
        let mut context = self.contexts[instance as usize].clone();
        for exit in 0..self.rsm.exits(self.graph.component(instance)).len() {
            for (i, &node) in self.existentials.iter().enumerate() {
                let place = self.place(exit, i);
                if context[place].is_known() {
                    continue;
                }
                let live =
                    self.callers[instance as usize].iter().filter(|call| self.live[call.caller as usize]);
                let mut values = live
                    .filter_map(|call| Some(self.value(node, self.returning(call.caller, call.site, exit)?)));
                let first = values.next().unwrap_or(Truth::Unknown);
                let mut asked = 1;
                if first.is_known()
                    && values.all(|value| {
                        asked += 1;
                        value == first
                    })
                {
                    context[place] = first;
                }
                budget.spend(asked)?;
            }
        }
        if context == self.contexts[instance as usize] {
            return Ok(false);
        }
        self.set_context(instance, context);
        Ok(true)
    }

    /// Changes the context of an instance for one that knows more.
    fn set_context(&mut self, instance: u32, context: Vec<Truth>) {
        let component = self.graph.component(instance).index() as u32;
        self.by_context.insert(hash_truths(component, &context), instance);
        let old = std::mem::replace(&mut self.contexts[instance as usize], context);
        self.by_context.remove(hash_truths(component, &old), instance);
        self.dirty.push(instance);
        let shift = self.graph.shift(instance);
        for (exit, &vertex) in self.rsm.exits(self.graph.component(instance)).iter().enumerate() {
            for (i, &node) in self.existentials.iter().enumerate() {
                if old[exit * self.existentials.len() + i] == Truth::Unknown {
                    self.waiting.push((node, shift.cell(vertex) as u32));
                }
            }
        }
    }

    /// Takes a box of an instance off the callers of its callee.
    fn unlist(&mut self, instance: u32, site: BoxId) {
        let callers = &mut self.callers[self.graph.callee(instance, site) as usize];
        let position = self.positions[self.graph.site_position(instance, site)] as usize;
        callers.swap_remove(position);
        if let Some(&moved) = callers.get(position) {
            let moved = self.graph.site_position(moved.caller, moved.site);
            self.positions[moved] = position as u32;
        }
    }

    /// Takes all boxes of an instance that is no longer live off the callers of their callees.
    fn unlist_all(&mut self, instance: u32) {
        for site in self.rsm.boxes(self.graph.component(instance)) {
            if self.graph.callee(instance, site) != NONE {
                self.unlist(instance, site);
            }
        }
    }

    /// Lets a box of a live instance call another instance.
    fn redirect(&mut self, instance: u32, site: BoxId, callee: u32) {
        let before = self.graph.callee(instance, site);
        self.unlist(instance, site);
        let here = self.graph.site_position(instance, site);
        self.positions[here] = self.callers[callee as usize].len() as u32;
        self.callers[callee as usize].push(Call { caller: instance, site });
        self.graph.redirect(instance, site, callee);
        self.dirty.push(instance);
        let shift = self.graph.shift(instance);
        for (port, _, _) in self.graph.call_ports(instance, site) {
            self.waiting.extend(self.existentials.iter().map(|&node| (node, shift.cell(port) as u32)));
        }
        if self.live[instance as usize] {
            self.calls[callee as usize] += 1;
            self.release(before);
        }
    }

    /// An instance lost a call: without any it is not reached, and what it calls loses one, too.
    fn release(&mut self, instance: u32) {
        let mut released = vec![instance];
        while let Some(instance) = released.pop() {
            let calls = &mut self.calls[instance as usize];
            *calls -= 1;
            if *calls > 0 {
                continue;
            }
            self.live[instance as usize] = false;
            self.unlist_all(instance);
            let component = self.graph.component(instance).index() as u32;
            self.by_context.remove(hash_truths(component, &self.contexts[instance as usize]), instance);
            released.extend(self.graph.callees(instance).iter().filter(|&&callee| callee != NONE));
        }
    }

    /// Counts the calls of live instances.
    fn count_calls(&mut self) {
        self.calls = vec![0; self.graph.len()];
        // where runs start
        self.calls[self.graph.start as usize] = 1;
        for instance in self.live_instances() {
            for &callee in self.graph.callees(instance) {
                if callee != NONE {
                    self.calls[callee as usize] += 1;
                }
            }
        }
    }

    /// Notes the calls of an instance that was added last, if it is live.
    fn enlist(&mut self, instance: u32) {
        for site in self.rsm.boxes(self.graph.component(instance)) {
            let callee = self.graph.callee(instance, site);
            let position = if callee == NONE { 0 } else { self.callers[callee as usize].len() };
            debug_assert_eq!(self.positions.len(), self.graph.site_position(instance, site));
            self.positions.push(position as u32);
            if callee != NONE && self.live[instance as usize] {
                self.callers[callee as usize].push(Call { caller: instance, site });
            }
        }
    }

    /// Finds out which instances are still reached, after boxes were contextualized. Those that nobody
    /// calls any more are known already; those that only call each other are looked for when as much
    /// work was done as that takes. Until then they are live: they learn what others learn.
    fn settle(&mut self, budget: &mut Budget) -> Result<(), Exhausted> {
        let cost = (self.graph.len() + self.graph.box_count()) as u64;
        if budget.spent() < self.counted.saturating_add(cost) {
            return Ok(());
        }
        budget.spend(self.graph.len() + self.graph.box_count())?;
        let before = std::mem::replace(&mut self.live, self.graph.reached());
        for instance in 0..self.graph.len() as u32 {
            if before[instance as usize] && !self.live[instance as usize] {
                self.unlist_all(instance);
            }
        }
        self.forget_unreached();
        self.count_calls();
        self.counted = budget.spent();
        Ok(())
    }

    /// An instance that is not reached is out of date and must not be called again.
    fn forget_unreached(&mut self) {
        let live = &self.live;
        self.by_context.retain(|instance| live[instance as usize]);
    }

    /// Fixes values of a formula by Lemma 6; at exits, the contexts with them.
    /// What depends on them is put on the work list if it `follows`.
    fn resolve(
        &mut self,
        node: u32,
        cells: &[u32],
        follows: bool,
        budget: &mut Budget,
    ) -> Result<(), Exhausted> {
        let value = match self.formula.nodes()[node as usize] {
            CoreNode::Eg(_) => Truth::True,
            _ => Truth::False,
        };
        let existential =
            self.existentials.binary_search(&node).expect("only existential formulas are resolved");
        // an instance at a time, whose context is taken down and put up once
        let mut left = cells;
        while let Some(&first) = left.first() {
            let instance = self.owners[first as usize];
            let size = left.partition_point(|&cell| self.owners[cell as usize] == instance);
            let group;
            (group, left) = left.split_at(size);
            let shift = self.graph.shift(instance);
            let mut context = None;
            for &cell in group {
                self.values[node as usize][cell as usize] = value;
                if follows {
                    self.await_dependents(node, cell);
                }
                let vertex = shift.vertex(cell as usize);
                if let Kind::Return(site) = self.rsm.kind(vertex) {
                    self.boxes.push((instance, site));
                }
                if !self.rsm.is_exit(vertex) {
                    continue;
                }
                let exit = self.rsm.exit_index(vertex).expect("an exit has a position");
                let place = self.place(exit, existential);
                context.get_or_insert_with(|| self.contexts[instance as usize].clone())[place] = value;
            }
            match context {
                Some(context) => self.set_context(instance, context),
                None => self.dirty.push(instance),
            }
            // lists double
            let lists = 16 * (self.waiting.len() + self.boxes.len());
            budget.grow(&mut self.lists, lists)?;
        }
        Ok(())
    }

    /// The live instances.
    fn live_instances(&self) -> Vec<u32> {
        (0..self.graph.len() as u32).filter(|&instance| self.live[instance as usize]).collect()
    }

    /// What was found, and what it took.
    fn outcome(&self) -> Outcome {
        Outcome {
            holds: self.verdict() == Truth::True,
            contexts: self.made,
            checks: self.checks,
            components: self.rsm.component_count(),
        }
    }

    /// Where a formula is unknown in some instances. The list is charged for: to be freed by the budget.
    fn unknown_in(&self, node: u32, instances: &[u32], budget: &mut Budget) -> Result<Vec<u32>, Exhausted> {
        let values = &self.values[node as usize];
        let mut cells = Vec::new();
        for &instance in instances {
            let first = self.graph.first_cell(instance);
            let range = first..first + self.rsm.vertex_range(self.graph.component(instance)).len();
            budget.reserve(&mut cells, range.len())?;
            cells.extend(range.filter(|&cell| values[cell] == Truth::Unknown).map(|cell| cell as u32));
        }
        Ok(cells)
    }

    /// Lemma 6 for a whole formula: unknown values at live cells; whether there were any.
    fn resolve_all(&mut self, node: u32, follows: bool, budget: &mut Budget) -> Result<bool, Exhausted> {
        // in the order of cells, as instances are
        let cells = self.unknown_in(node, &self.live_instances(), budget)?;
        self.resolve(node, &cells, follows, budget)?;
        let is_any = !cells.is_empty();
        budget.free(cells);
        Ok(is_any)
    }
}
