//! Evidence as JSON (`docs/formats.md`, "Evidence"), read by loops, however deep it is, and found again
//! in a model.

use crate::document::Item;
use crate::results::{Results, Unreadable};
use crate::write::sink_name;
use crate::{Claim, Evidence, Loop, Path, PathId, State};
use loris_base::{Budget, Diagnostics, Exhausted, nearest};
use loris_rsm::{BoxId, ComponentId, Rsm, Vertex};
use rustc_hash::FxHashMap;
use std::borrow::Cow;
use std::cell::OnceCell;

impl Results<'_> {
    /// The evidence in terms of a model, in the order of the file.
    ///
    /// # Errors
    /// All that is wrong: what is not evidence, names that the model does not have, values of variables
    /// that are not those of the state; or the limit that was reached.
    pub fn evidence(&self, rsm: &Rsm, budget: &mut Budget) -> Result<Vec<Evidence>, Unreadable> {
        let mut reader = Reader {
            rsm,
            root: rsm.initial_component(),
            scopes: FxHashMap::default(),
            sink: OnceCell::new(),
            problems: Diagnostics::default(),
            budget,
        };
        let mut found = Vec::with_capacity(self.stated.len());
        for stated in &self.stated {
            let item = self.document.item(stated.evidence);
            let module = stated.module.as_deref();
            let root = module.map_or(Some(rsm.initial_component()), |name| rsm.find_component(name));
            if let Some(root) = root {
                reader.root = root;
                found.push(reader.evidence(item)?);
            } else {
                let name = module.unwrap_or_default();
                let message =
                    format!("there is no component \"{name}\", which its result names as its module");
                reader.problem(item, message);
            }
        }
        reader.problems.into_result(found).map_err(Unreadable::Wrong)
    }
}

/// What relies on a path that is being read.
enum Role {
    Root,
    Also,
    Because(PathId, usize),
}

struct Reader<'m, 'b> {
    rsm: &'m Rsm,
    /// where runs start that the evidence at hand is about
    root: ComponentId,
    scopes: FxHashMap<ComponentId, Scope<'m>>,
    sink: OnceCell<String>,
    problems: Diagnostics,
    budget: &'b mut Budget,
}

/// The names of one component.
struct Scope<'m> {
    nodes: FxHashMap<Cow<'m, str>, Vertex>,
    boxes: FxHashMap<&'m str, BoxId>,
}

/// Of so many names the one nearest to an unknown name is suggested; among more, the search takes long.
const SUGGESTED: usize = 10_000;

impl<'m> Reader<'m, '_> {
    fn problem(&mut self, item: Item<'_>, message: impl Into<String>) {
        self.problems.push(item.error(message));
    }

    fn evidence(&mut self, root: Item<'_>) -> Result<Evidence, Exhausted> {
        let mut evidence = Evidence::default();
        let mut work = vec![(root, Role::Root)];
        while let Some((item, role)) = work.pop() {
            if !item.is_object() || item.get("states").is_none() {
                self.problem(item, "expected evidence: an object with \"shows\" and \"states\"");
                continue;
            }
            let path = self.path(item)?;
            let path = evidence.paths.push(path);
            let start = work.len();
            match role {
                Role::Root => {
                    let also = self.array(item, "also");
                    work.extend(also.map(|item| (item, Role::Also)));
                }
                Role::Also => evidence.also.push(path),
                Role::Because(parent, state) => {
                    evidence.paths[parent].because.push(Claim { state, evidence: path });
                }
            }
            if !matches!(role, Role::Root)
                && let Some(also) = item.get("also")
            {
                self.problem(also, "only evidence at the top has \"also\"");
            }
            work[start..].reverse();
            let start = work.len();
            for claim in self.array(item, "because") {
                match (claim.get("state").and_then(Item::number), claim.get("evidence")) {
                    (Some(state), Some(evidence)) => work.push((evidence, Role::Because(path, state))),
                    _ => self.problem(claim, "expected {\"state\": number, \"evidence\": {…}}"),
                }
            }
            work[start..].reverse();
        }
        Ok(evidence)
    }

    /// The elements of an array under a key; a missing one is empty.
    fn array<'d>(&mut self, item: Item<'d>, key: &str) -> impl Iterator<Item = Item<'d>> + use<'d> {
        let array = item.under(key);
        if let Some(wrong) = array.filter(|array| !array.is_array()) {
            self.problem(wrong, format!("\"{key}\" should be an array"));
        }
        array.filter(|array| array.is_array()).into_iter().flat_map(Item::items)
    }

    /// A path without its `because`.
    fn path(&mut self, item: Item<'_>) -> Result<Path, Exhausted> {
        self.budget.charge(size_of::<Path>() + item.get("shows").map_or(0, Item::len))?;
        let shows = item.get("shows").and_then(Item::text);
        if shows.is_none() {
            self.problem(item, "evidence without \"shows\", the formula it shows");
        }
        let repeats = item.get("loop").and_then(|repeats| {
            let end = |key| repeats.get(key).and_then(Item::number);
            let found = end("from").zip(end("to")).map(|(from, to)| Loop { from, to });
            if found.is_none() {
                self.problem(repeats, "expected null or {\"from\": number, \"to\": number}");
            }
            found
        });
        let base = item.get("component").map_or(Some(self.root), |name| self.base(name));
        // exactly as many as there are, so that what is held is what is accounted for
        let count = self.array(item, "states").count();
        self.budget.spend(count)?;
        self.budget.charge(count * size_of::<State>())?;
        let mut states = Vec::with_capacity(count);
        for state in self.array(item, "states") {
            if let Some(state) = base.and_then(|base| self.state(base, state).transpose()) {
                let state = state?;
                self.budget.spend(1 + state.stack.len())?;
                self.budget.charge(stack_bytes(state.stack.len()))?;
                states.push(state);
            }
        }
        let shows = shows.map(String::from).unwrap_or_default();
        Ok(Path { shows, states, repeats, because: Vec::new() })
    }

    /// The component where the stacks of a path start, if not where runs do.
    fn base(&mut self, item: Item<'_>) -> Option<ComponentId> {
        let Some(name) = item.text() else {
            self.problem(item, "\"component\" should be a string");
            return None;
        };
        let found = self.rsm.find_component(&name);
        if found.is_none() {
            self.problem(item, format!("there is no component \"{name}\""));
        }
        found
    }

    fn state(&mut self, base: ComponentId, item: Item<'_>) -> Result<Option<State>, Exhausted> {
        let (Some(stack), Some(name)) =
            (item.get("stack").filter(|stack| stack.is_array()), item.get("node"))
        else {
            self.problem(item, "expected {\"stack\": [box, …], \"node\": name}");
            return Ok(None);
        };
        let mut component = base;
        let mut boxes = Vec::with_capacity(stack.items().count());
        for name in stack.items() {
            self.budget.spend(1)?;
            let Some(site) = self.site(component, name)? else { return Ok(None) };
            component = self.rsm.callee(site);
            boxes.push(site);
        }
        let is_sink = boxes.is_empty()
            && name.text().is_some_and(|name| {
                name.starts_with("(sink") && name == **self.sink.get_or_init(|| sink_name(self.rsm))
            });
        let node = if is_sink {
            None
        } else {
            match self.node(component, name)? {
                Some(node) => Some(node),
                None => return Ok(None),
            }
        };
        if let Some(values) = item.under("values") {
            self.values(node, values);
        }
        Ok(Some(State { stack: boxes, node }))
    }

    /// Checks the values of variables, which the node implies: people read these, not its name.
    fn values(&mut self, node: Option<Vertex>, item: Item<'_>) {
        let known = node.map_or_else(Vec::new, |node| self.rsm.values(node));
        let is_known = |value: Item<'_>| {
            let (key, text) = (value.key(), value.text());
            known.iter().any(|(name, known)| key == *name && text.as_deref() == Some(known))
        };
        // no key comes twice, so that as many values that are known are all of them
        if !item.is_object() || item.items().count() != known.len() || !item.items().all(is_known) {
            self.problem(item, "these are not the values of the variables in this state");
        }
    }

    fn scope(&mut self, component: ComponentId) -> Result<&Scope<'m>, Exhausted> {
        let rsm = self.rsm;
        if !self.scopes.contains_key(&component) {
            let names = if rsm.has_listed_names() { rsm.nodes(component).len() } else { 0 };
            let count = names + rsm.boxes(component).len();
            self.budget.charge(count * 2 * size_of::<(Cow<'_, str>, Vertex)>())?;
            self.budget.spend(count)?;
        }
        Ok(self.scopes.entry(component).or_insert_with(|| Scope {
            nodes: listed(rsm, component).map(|node| (rsm.vertex_name(node), node)).collect(),
            boxes: rsm.boxes(component).map(|site| (rsm.box_name(site), site)).collect(),
        }))
    }

    fn site(&mut self, component: ComponentId, item: Item<'_>) -> Result<Option<BoxId>, Exhausted> {
        let name = item.text().unwrap_or_default();
        let found = self.scope(component)?.boxes.get(&*name).copied();
        if found.is_none() {
            let rsm = self.rsm;
            let known = rsm.boxes(component).take(SUGGESTED).map(|site| rsm.box_name(site));
            self.unknown(component, item, "box", known);
        }
        Ok(found)
    }

    fn node(&mut self, component: ComponentId, item: Item<'_>) -> Result<Option<Vertex>, Exhausted> {
        let (rsm, name) = (self.rsm, item.text().unwrap_or_default());
        let found = if rsm.has_listed_names() {
            self.scope(component)?.nodes.get(&*name).copied()
        } else {
            // the first of them are found by a scan
            self.budget.spend(rsm.nodes(component).len() / 64)?;
            rsm.find_node(component, &name)
        };
        if found.is_none() {
            let known: Vec<_> =
                listed(rsm, component).take(SUGGESTED).map(|node| rsm.vertex_name(node)).collect();
            self.unknown(component, item, "node", known.iter().map(|name| &**name));
        }
        Ok(found)
    }

    fn unknown<'a>(
        &mut self,
        component: ComponentId,
        item: Item<'_>,
        what: &str,
        known: impl Iterator<Item = &'a str>,
    ) {
        let Some(name) = item.text() else {
            return self.problem(item, format!("expected the name of a {what}"));
        };
        let message =
            format!("component \"{}\" has no {what} \"{name}\"", self.rsm.component_name(component));
        let problem = item.error(message);
        // past the problems that are kept, suggestions are work for nothing
        let near = if self.problems.dropped() == 0 { nearest(&name, known) } else { None };
        self.problems.push(match near {
            Some(near) => problem.help(format!("did you mean \"{near}\"?")),
            None => problem,
        });
    }
}

/// What a stack takes in memory: allocators hand out no less than some bytes.
fn stack_bytes(height: usize) -> usize {
    if height == 0 { 0 } else { 24 + height * size_of::<BoxId>() }
}

/// The nodes of a component whose names are worth a table: none, if names are computed.
fn listed(rsm: &Rsm, component: ComponentId) -> impl Iterator<Item = Vertex> {
    rsm.nodes(component).filter(|_| rsm.has_listed_names())
}
