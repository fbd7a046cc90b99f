//! The states of a recursive state machine, found again by the names that JSON has for them.

use crate::State;
use crate::names::MachineNames;
use crate::read_states::{Log, ReadStates};
use crate::results::Stated;
use loris_base::{Exhausted, nearest};
use loris_json::Item;
use loris_rsm::{BoxId, ComponentId, Rsm, Vertex};
use rustc_hash::FxHashMap;
use std::borrow::Cow;

pub(crate) struct MachineStates<'m> {
    rsm: &'m Rsm,
    /// where runs start that the evidence at hand is about
    root: ComponentId,
    /// where the stacks of the path at hand start
    base: ComponentId,
    scopes: FxHashMap<ComponentId, Scope<'m>>,
    names: MachineNames<'m>,
}

/// The names of one component.
struct Scope<'m> {
    nodes: FxHashMap<Cow<'m, str>, Vertex>,
    boxes: FxHashMap<&'m str, BoxId>,
}

/// Of this many names the one nearest to an unknown name is suggested; among more, the search takes
/// long.
const SUGGESTED: usize = 10_000;

impl ReadStates for MachineStates<'_> {
    type State = State;

    fn start(&mut self, stated: &Stated, evidence: Item<'_>, log: &mut Log<'_>) -> bool {
        let (rsm, module) = (self.rsm, stated.module.as_deref());
        let root = module.map_or(Some(rsm.initial_component()), |name| rsm.find_component(name));
        if let Some(root) = root {
            self.root = root;
        } else {
            let name = module.unwrap_or_default();
            let message = format!("there is no component \"{name}\", which its result names as its module");
            log.problem(evidence, message);
        }
        root.is_some()
    }

    fn path(&mut self, path: Item<'_>, log: &mut Log<'_>) -> bool {
        let base = path.get("component").map_or(Some(self.root), |name| self.base(name, log));
        self.base = base.unwrap_or(self.root);
        base.is_some()
    }

    fn state(&mut self, item: Item<'_>, log: &mut Log<'_>) -> Result<Option<State>, Exhausted> {
        let (Some(stack), Some(name)) =
            (item.get("stack").filter(|stack| stack.is_array()), item.get("node"))
        else {
            log.problem(item, "expected {\"stack\": [box, …], \"node\": name}");
            return Ok(None);
        };
        let mut component = self.base;
        let mut boxes = Vec::with_capacity(stack.items().count());
        for name in stack.items() {
            log.budget.spend(1)?;
            let Some(site) = self.site(component, name, log)? else { return Ok(None) };
            component = self.rsm.callee(site);
            boxes.push(site);
        }
        let is_sink = boxes.is_empty()
            && name.text().is_some_and(|name| name.starts_with("(sink") && name == self.names.sink());
        let node = if is_sink {
            None
        } else {
            match self.node(component, name, log)? {
                Some(node) => Some(node),
                None => return Ok(None),
            }
        };
        if let Some(values) = item.under("values") {
            self.values(node, values, log);
        }
        log.budget.spend(1 + boxes.len())?;
        log.budget.charge(stack_bytes(boxes.len()))?;
        Ok(Some(State { stack: boxes, node }))
    }
}

impl<'m> MachineStates<'m> {
    pub(crate) fn new(rsm: &'m Rsm) -> Self {
        let (root, names) = (rsm.initial_component(), MachineNames::new(rsm));
        Self { rsm, root, base: root, scopes: FxHashMap::default(), names }
    }

    /// The component where the stacks of a path start, if not where runs do.
    fn base(&self, item: Item<'_>, log: &mut Log<'_>) -> Option<ComponentId> {
        let Some(name) = item.text() else {
            log.problem(item, "\"component\" should be a string");
            return None;
        };
        let found = self.rsm.find_component(&name);
        if found.is_none() {
            log.problem(item, format!("there is no component \"{name}\""));
        }
        found
    }

    /// Checks the values of variables, which the node implies: people read these, not its name.
    fn values(&self, node: Option<Vertex>, item: Item<'_>, log: &mut Log<'_>) {
        let known = node.map_or_else(Vec::new, |node| self.rsm.values(node));
        let is_known = |value: Item<'_>| {
            let (key, text) = (value.key(), value.text());
            known.iter().any(|(name, known)| key == *name && text.as_deref() == Some(known))
        };
        // no key comes twice, so that as many values that are known are all of them
        if !item.is_object() || item.items().count() != known.len() || !item.items().all(is_known) {
            log.problem(item, "these are not the values of the variables in this state");
        }
    }

    fn scope(&mut self, component: ComponentId, log: &mut Log<'_>) -> Result<&Scope<'m>, Exhausted> {
        let rsm = self.rsm;
        if !self.scopes.contains_key(&component) {
            let names = if rsm.has_listed_names() { rsm.nodes(component).len() } else { 0 };
            let count = names + rsm.boxes(component).len();
            log.budget.charge(count * 2 * size_of::<(Cow<'_, str>, Vertex)>())?;
            log.budget.spend(count)?;
        }
        Ok(self.scopes.entry(component).or_insert_with(|| Scope {
            nodes: listed(rsm, component).map(|node| (rsm.vertex_name(node), node)).collect(),
            boxes: rsm.boxes(component).map(|site| (rsm.box_name(site), site)).collect(),
        }))
    }

    fn site(
        &mut self,
        component: ComponentId,
        item: Item<'_>,
        log: &mut Log<'_>,
    ) -> Result<Option<BoxId>, Exhausted> {
        let name = item.text().unwrap_or_default();
        let found = self.scope(component, log)?.boxes.get(&*name).copied();
        if found.is_none() {
            let rsm = self.rsm;
            let known = rsm.boxes(component).take(SUGGESTED).map(|site| rsm.box_name(site));
            self.unknown(component, item, "box", known, log);
        }
        Ok(found)
    }

    fn node(
        &mut self,
        component: ComponentId,
        item: Item<'_>,
        log: &mut Log<'_>,
    ) -> Result<Option<Vertex>, Exhausted> {
        let (rsm, name) = (self.rsm, item.text().unwrap_or_default());
        let found = if rsm.has_listed_names() {
            self.scope(component, log)?.nodes.get(&*name).copied()
        } else {
            // the first of them are found by a scan
            log.budget.spend(rsm.nodes(component).len() / 64)?;
            rsm.find_node(component, &name)
        };
        if found.is_none() {
            let known: Vec<_> =
                listed(rsm, component).take(SUGGESTED).map(|node| rsm.vertex_name(node)).collect();
            self.unknown(component, item, "node", known.iter().map(|name| &**name), log);
        }
        Ok(found)
    }

    fn unknown<'a>(
        &self,
        component: ComponentId,
        item: Item<'_>,
        what: &str,
        known: impl Iterator<Item = &'a str>,
        log: &mut Log<'_>,
    ) {
        let Some(name) = item.text() else {
            return log.problem(item, format!("expected the name of a {what}"));
        };
        let message =
            format!("component \"{}\" has no {what} \"{name}\"", self.rsm.component_name(component));
        let problem = item.error(message);
        // past the problems that are kept, suggestions are work for nothing
        let near = if log.problems.dropped() == 0 { nearest(&name, known) } else { None };
        log.problems.push(match near {
            Some(near) => problem.help(format!("did you mean \"{near}\"?")),
            None => problem,
        });
    }
}

/// Bytes of a stack: allocators hand out no less than some bytes.
fn stack_bytes(height: usize) -> usize {
    if height == 0 { 0 } else { 24 + height * size_of::<BoxId>() }
}

/// The nodes of a component whose names are worth a table: none, if names are computed.
fn listed(rsm: &Rsm, component: ComponentId) -> impl Iterator<Item = Vertex> {
    rsm.nodes(component).filter(|_| rsm.has_listed_names())
}
