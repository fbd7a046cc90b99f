//! Evidence as JSON (`docs/formats.md`, "Evidence"), written and read by loops, however deep it is.

use crate::document::{Document, Item};
use crate::run::base;
use crate::{Claim, Evidence, Loop, Path, PathId, State};
use loris_base::{Diagnostic, Diagnostics, Idx, nearest};
use loris_rsm::{BoxId, ComponentId, Rsm, Vertex};
use rustc_hash::{FxHashMap, FxHashSet};
use std::borrow::Cow;
use std::cell::OnceCell;
use std::fmt::{self, Write};

/// The name of the unlabelled state after the last exit: `(sink)`, with as many primes as it takes to be
/// no node of the initial component. Linear in the nodes of that component.
pub(crate) fn sink_name(rsm: &Rsm) -> String {
    let mut name = String::from("(sink)");
    let component = rsm.initial_component();
    if !rsm.has_listed_names() {
        return name;
    }
    let alike: FxHashSet<_> = rsm
        .nodes(component)
        .map(|node| rsm.vertex_name(node))
        .filter(|other| other.starts_with("(sink"))
        .collect();
    while alike.contains(&*name) {
        name.insert(name.len() - 1, '\'');
    }
    name
}

enum Task {
    Path(PathId),
    Claim(usize),
    Text(&'static str),
}

impl Evidence {
    /// Writes the evidence on one line.
    pub fn write_json(&self, rsm: &Rsm, out: &mut impl Write) -> fmt::Result {
        if self.paths.is_empty() {
            return out.write_str("null");
        }
        let root = PathId::new(0);
        let sink = OnceCell::new();
        // what is still to be written, the next on top
        let mut tasks = vec![Task::Text("}")];
        if !self.also.is_empty() {
            tasks.push(Task::Text("]"));
            for (i, &path) in self.also.iter().enumerate().rev() {
                tasks.extend([Task::Text("}"), Task::Path(path)]);
                tasks.extend((i > 0).then_some(Task::Text(",")));
            }
            tasks.push(Task::Text(",\"also\":["));
        }
        tasks.push(Task::Path(root));
        while let Some(task) = tasks.pop() {
            match task {
                Task::Text(text) => out.write_str(text)?,
                Task::Claim(state) => write!(out, "{{\"state\":{state},\"evidence\":")?,
                Task::Path(path) => {
                    let path = &self.paths[path];
                    write_head(path, rsm, &sink, out)?;
                    tasks.push(Task::Text("]"));
                    for (i, claim) in path.because.iter().enumerate().rev() {
                        tasks.extend([
                            Task::Text("}}"),
                            Task::Path(claim.evidence),
                            Task::Claim(claim.state),
                        ]);
                        tasks.extend((i > 0).then_some(Task::Text(",")));
                    }
                }
            }
        }
        Ok(())
    }
}

/// Writes a path up to the bracket that opens `because`.
fn write_head(path: &Path, rsm: &Rsm, sink: &OnceCell<String>, out: &mut impl Write) -> fmt::Result {
    write!(out, "{{\"shows\":{},\"states\":[", Quoted(&path.shows))?;
    for (i, state) in path.states.iter().enumerate() {
        out.write_str(if i > 0 { ",{\"stack\":[" } else { "{\"stack\":[" })?;
        for (i, &site) in state.stack.iter().enumerate() {
            write!(out, "{}{}", if i > 0 { "," } else { "" }, Quoted(rsm.box_name(site)))?;
        }
        let name = match state.node {
            Some(node) => rsm.vertex_name(node),
            None => sink.get_or_init(|| sink_name(rsm)).into(),
        };
        write!(out, "],\"node\":{}", Quoted(&name))?;
        let values = state.node.map_or_else(Vec::new, |node| rsm.values(node));
        for (i, (name, value)) in values.iter().enumerate() {
            let before = if i > 0 { "," } else { ",\"values\":{" };
            write!(out, "{before}{}:{}", Quoted(name), Quoted(value))?;
        }
        out.write_str(if values.is_empty() { "}" } else { "}}" })?;
    }
    match path.repeats {
        None => out.write_str("],\"loop\":null")?,
        Some(Loop { from, to }) => write!(out, "],\"loop\":{{\"from\":{from},\"to\":{to}}}")?,
    }
    let base = base(rsm, path);
    // a program whose runs start in any of its modules says which one this is about
    if base != rsm.initial_component() || !rsm.has_listed_names() && base.index() > 0 {
        write!(out, ",\"component\":{}", Quoted(rsm.component_name(base)))?;
    }
    out.write_str(",\"because\":[")
}

/// A JSON string.
struct Quoted<'a>(&'a str);

impl fmt::Display for Quoted<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&serde_json::to_string(self.0).map_err(|_| fmt::Error)?)
    }
}

/// Evidence as found in a file, with what the file says about it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Replayable {
    /// The property it is about.
    pub property: Option<String>,
    /// The logic of the property: `ctl`, `ltl` or `ctl*`.
    pub logic: Option<String>,
    /// The verdict it supports, `holds` or `fails`.
    pub verdict: Option<String>,
    /// What an exit does when the stack is empty: `loop`, `sink` or `stop`.
    pub at_exit: Option<String>,
    /// The component where runs start, if not the initial one of the model: a module of an SMV file.
    pub module: Option<String>,
    /// The instance in that module which the property was written for.
    pub instance: Option<String>,
    /// The evidence.
    pub evidence: Evidence,
}

/// What was found in a file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Found {
    /// The evidence, in the order of the file.
    pub evidence: Vec<Replayable>,
    /// How many results came without.
    pub without: usize,
}

/// Reads the evidence of a file as [`read_results`] does, and passes over results without.
///
/// # Errors
/// All that is wrong: the JSON, or names the model does not have.
pub fn read_json(text: &str, rsm: &Rsm) -> Result<Vec<Replayable>, Diagnostics> {
    read_results(text, rsm).map(|found| found.evidence)
}

/// Reads evidence alone, an array of it, or what `loris check` writes as `json`, as `jsonl` or into
/// `--evidence-file`; results without evidence are counted.
///
/// # Errors
/// All that is wrong: the JSON, or names the model does not have.
pub fn read_results(text: &str, rsm: &Rsm) -> Result<Found, Diagnostics> {
    let document = Document::read(text)?;
    let mut reader = Reader {
        rsm,
        root: rsm.initial_component(),
        scopes: FxHashMap::default(),
        sink: OnceCell::new(),
        without: 0,
        problems: Diagnostics::default(),
    };
    let mut evidence = Vec::new();
    let mut roots = document.roots().peekable();
    if roots.peek().is_none() {
        return Err(Diagnostic::global("the file is empty").into());
    }
    for root in roots {
        if root.get("results").is_some() {
            let results = reader.array(root, "results");
            evidence.extend(results.filter_map(|item| reader.result(item, Some(root))));
        } else if root.is_array() {
            evidence.extend(root.items().filter_map(|item| reader.result(item, None)));
        } else {
            evidence.extend(reader.result(root, None));
        }
    }
    reader.problems.into_result(Found { evidence, without: reader.without })
}

/// What a file says that evidence is about: the properties of all its results, with their modules, in the order of the file.
///
/// ```
/// let text = r#"{"results": [{"property": "AG p", "module": "main"}, {"property": "p"}]} {"property": "q"}"#;
/// let found = loris_evidence::read_properties(text).unwrap();
/// assert_eq!(found[0], (Some("main".to_owned()), "AG p".to_owned()));
/// assert_eq!(found.len(), 3);
/// ```
///
/// # Errors
/// The JSON is wrong.
pub fn read_properties(text: &str) -> Result<Vec<(Option<String>, String)>, Diagnostics> {
    let document = Document::read(text)?;
    let word = |item: Item<'_>, key: &str| item.get(key).and_then(Item::text).map(str::to_owned);
    let property = |item: Item<'_>| word(item, "property").map(|property| (word(item, "module"), property));
    let mut found = Vec::new();
    for root in document.roots() {
        match root.get("results") {
            Some(results) => found.extend(results.items().filter_map(property)),
            None if root.is_array() => found.extend(root.items().filter_map(property)),
            None => found.extend(property(root)),
        }
    }
    Ok(found)
}

/// What relies on a path that is being read.
enum Role {
    Root,
    Also,
    Because(PathId, usize),
}

struct Reader<'m> {
    rsm: &'m Rsm,
    /// where runs start that the evidence at hand is about
    root: ComponentId,
    scopes: FxHashMap<ComponentId, Scope<'m>>,
    sink: OnceCell<String>,
    without: usize,
    problems: Diagnostics,
}

/// The names of one component.
struct Scope<'m> {
    nodes: FxHashMap<Cow<'m, str>, Vertex>,
    boxes: FxHashMap<&'m str, BoxId>,
}

impl<'m> Reader<'m> {
    fn problem(&mut self, item: Item<'_>, message: impl Into<String>) {
        self.problems.push(item.error(message));
    }

    /// One result or bare evidence; `around` is the document it stands in.
    fn result(&mut self, item: Item<'_>, around: Option<Item<'_>>) -> Option<Replayable> {
        let evidence = match item.get("evidence") {
            Some(evidence) => evidence,
            None if item.get("verdict").is_some() => {
                self.without += 1;
                return None;
            }
            None => item,
        };
        let mut word = |key: &str| {
            let word = item.get(key).or_else(|| around?.get(key).filter(|_| key == "at_exit"))?;
            if word.text().is_none() {
                self.problem(word, format!("\"{key}\" should be a string"));
            }
            word.text().map(str::to_owned)
        };
        let (property, logic) = (word("property"), word("logic"));
        let (verdict, at_exit) = (word("verdict"), word("at_exit"));
        let (module, instance) = (word("module"), word("instance"));
        let root = item.get("module").filter(|_| module.is_some());
        self.root = root.map_or(Some(self.rsm.initial_component()), |name| self.base(name))?;
        let evidence = self.evidence(evidence);
        Some(Replayable { property, logic, verdict, at_exit, module, instance, evidence })
    }

    fn evidence(&mut self, root: Item<'_>) -> Evidence {
        let mut evidence = Evidence::default();
        let mut work = vec![(root, Role::Root)];
        while let Some((item, role)) = work.pop() {
            if !item.is_object() || item.get("states").is_none() {
                self.problem(item, "expected evidence: an object with \"shows\" and \"states\"");
                continue;
            }
            let path = self.path(item);
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
        evidence
    }

    /// The elements of an array under a key; a missing one is empty.
    fn array<'d>(&mut self, item: Item<'d>, key: &str) -> impl Iterator<Item = Item<'d>> + use<'d> {
        let array = item.get(key);
        if let Some(wrong) = array.filter(|array| !array.is_array()) {
            self.problem(wrong, format!("\"{key}\" should be an array"));
        }
        array.filter(|array| array.is_array()).into_iter().flat_map(Item::items)
    }

    /// A path without its `because`.
    fn path(&mut self, item: Item<'_>) -> Path {
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
        let states = self.array(item, "states").filter_map(|state| self.state(base?, state)).collect();
        Path { shows: shows.unwrap_or_default().to_owned(), states, repeats, because: Vec::new() }
    }

    /// The component where the stacks of a path start, if not where runs do.
    fn base(&mut self, item: Item<'_>) -> Option<ComponentId> {
        let found = item.text().and_then(|name| self.rsm.find_component(name));
        if found.is_none() {
            let name = item.text().unwrap_or_default();
            self.problem(item, format!("there is no component \"{name}\""));
        }
        found
    }

    fn state(&mut self, base: ComponentId, item: Item<'_>) -> Option<State> {
        let (Some(stack), Some(node)) =
            (item.get("stack").filter(|stack| stack.is_array()), item.get("node"))
        else {
            self.problem(item, "expected {\"stack\": [box, …], \"node\": name}");
            return None;
        };
        let mut component = base;
        let mut boxes = Vec::new();
        for name in stack.items() {
            let site = self.site(component, name)?;
            component = self.rsm.callee(site);
            boxes.push(site);
        }
        let sink = |name: &&str| name.starts_with("(sink") && boxes.is_empty();
        if node.text().filter(sink).is_some_and(|name| name == self.sink.get_or_init(|| sink_name(self.rsm)))
        {
            return Some(State { stack: boxes, node: None });
        }
        let node = self.node(component, node)?;
        Some(State { stack: boxes, node: Some(node) })
    }

    fn scope(&mut self, component: ComponentId) -> &Scope<'m> {
        let rsm = self.rsm;
        self.scopes.entry(component).or_insert_with(|| Scope {
            nodes: listed(rsm, component).map(|node| (rsm.vertex_name(node), node)).collect(),
            boxes: rsm.boxes(component).map(|site| (rsm.box_name(site), site)).collect(),
        })
    }

    fn site(&mut self, component: ComponentId, item: Item<'_>) -> Option<BoxId> {
        let found = self.scope(component).boxes.get(item.text().unwrap_or_default()).copied();
        if found.is_none() {
            let rsm = self.rsm;
            self.unknown(component, item, "box", rsm.boxes(component).map(|site| rsm.box_name(site)));
        }
        found
    }

    fn node(&mut self, component: ComponentId, item: Item<'_>) -> Option<Vertex> {
        let (rsm, name) = (self.rsm, item.text().unwrap_or_default());
        let found = if rsm.has_listed_names() {
            self.scope(component).nodes.get(name).copied()
        } else {
            rsm.find_node(component, name)
        };
        if found.is_none() {
            let known: Vec<_> = listed(rsm, component).map(|node| rsm.vertex_name(node)).collect();
            self.unknown(component, item, "node", known.iter().map(|name| &**name));
        }
        found
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
        let near = if self.problems.dropped() == 0 { nearest(name, known) } else { None };
        self.problems.push(match near {
            Some(near) => problem.help(format!("did you mean \"{near}\"?")),
            None => problem,
        });
    }
}

/// The nodes of a component whose names are worth a table: none, if names are computed.
fn listed(rsm: &Rsm, component: ComponentId) -> impl Iterator<Item = Vertex> {
    rsm.nodes(component).filter(|_| rsm.has_listed_names())
}
