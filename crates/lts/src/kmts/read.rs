//! Reads a process in JSON and reports all problems at once. Linear in the text.

use super::{FORMS, Form};
use crate::{Modality, Process, ProcessBuilder, ProcessKind, StateId, TAU};
use loris_base::{
    Budget, Diagnostic, Diagnostics, Exhausted, LONGEST_NAME, Stopped, Truth, nearest, visible_name,
};
use loris_json::{Document, Item};
use rustc_hash::FxHashSet;
use std::borrow::Cow;

/// Reads a process; `name` is its name if the file states none.
///
/// The process and what is needed to build it are charged to the budget; the text is the
/// caller's.
///
/// ```
/// use loris_base::{Budget, Truth};
/// use loris_lts::read_kmts;
/// let text = r#"{"kind": "kmts", "initial": "s", "states": [{"name": "s", "labels": ["p"]}, "t"],
///                "may": [["s", "t"]], "must": [["s", "t"]]}"#;
/// let model = read_kmts(text.as_bytes(), "model", &mut Budget::unlimited()).expect("well-formed");
/// let (t, p) = (model.find_state("t").expect("a state"), model.find_atom("p").expect("an atom"));
/// assert_eq!(model.label(t, p), Truth::Unknown);
/// ```
///
/// # Errors
/// All problems with their byte offsets, or that a limit was reached.
pub fn read_kmts(text: &[u8], name: &str, budget: &mut Budget) -> Result<Process, Stopped> {
    let text = std::str::from_utf8(text)
        .map_err(|error| Diagnostic::error(error.valid_up_to() as u64, 1, "this is not UTF-8"))?;
    let held = budget.used();
    let document = Document::read(text, budget)?;
    let charged = budget.used() - held;
    let mut roots = document.roots();
    let root = roots.next().ok_or_else(|| Diagnostic::error(0, 0, "the file is empty"))?;
    if let Some(second) = roots.next() {
        return Err(second.error("a file has one process, and here a second value starts").into());
    }
    let mut reader = Reader::new(root, name)?;
    reader.read(budget)?;
    let process = reader.finish(budget)?;
    budget.release(charged);
    Ok(process)
}

const KEYS: [&str; 10] =
    ["kind", "name", "atoms", "actions", "initial", "states", "may", "must", "steps", "comment"];

struct Reader<'d> {
    root: Item<'d>,
    form: Form,
    builder: ProcessBuilder,
    /// whether all labels are declared
    declared: Option<FxHashSet<String>>,
    problems: Diagnostics,
}

impl<'d> Reader<'d> {
    fn new(root: Item<'d>, name: &str) -> Result<Self, Stopped> {
        if !root.is_object() {
            return Err(root.error("expected an object with the keys `kind`, `initial` and `states`").into());
        }
        let words = || FORMS.map(|form| format!("\"{}\"", form.word)).join(", ");
        let Some(kind) = root.get("kind") else {
            let problem = root.error("the key `kind` is missing");
            return Err(problem.help(format!("it is one of {}", words())).into());
        };
        let form = kind.text().and_then(|word| FORMS.into_iter().find(|form| form.word == word));
        let Some(form) = form else {
            return Err(kind.error(format!("`kind` is one of {}", words())).into());
        };
        let mut problems = Diagnostics::default();
        let name = match root.get("name") {
            None => Cow::Borrowed(name),
            Some(item) => item.text().unwrap_or_else(|| {
                problems.push(item.error("the name of a process is a text"));
                Cow::Borrowed(name)
            }),
        };
        Ok(Self { root, form, builder: ProcessBuilder::new(name, form.kind), declared: None, problems })
    }

    fn read(&mut self, budget: &mut Budget) -> Result<(), Exhausted> {
        for item in self.root.items() {
            let key = item.key();
            if !KEYS.contains(&&*key) {
                let problem = item.key_error(format!("there is no key {}", visible_name(&key)));
                let near = nearest(&key, KEYS.into_iter());
                self.problems.push(match near {
                    Some(near) => problem.help(format!("did you mean `{near}`?")),
                    None => problem,
                });
            }
        }
        if !self.form.is_partial {
            // whatever is not listed is false
            self.builder.unlabelled(Truth::False);
        }
        self.atoms();
        self.actions();
        self.states(budget)?;
        self.initial();
        for (key, modality) in [("may", Modality::May), ("must", Modality::Must), ("steps", Modality::Both)] {
            self.steps(key, modality, budget)?;
        }
        Ok(())
    }

    fn finish(mut self, budget: &mut Budget) -> Result<Process, Stopped> {
        for problem in self.problems.sorted() {
            self.builder.problem(problem.clone());
        }
        self.builder.finish(budget)
    }

    /// The array under a key; whatever else is there is a problem.
    fn list(&mut self, key: &str) -> Option<Item<'d>> {
        let item = self.root.get(key)?;
        if !item.is_array() {
            self.problems.push(item.error(format!("`{key}` is a list")));
            return None;
        }
        Some(item)
    }

    /// A name; whatever else is there is a problem.
    fn name(&mut self, item: Item<'d>, what: &str) -> Option<Cow<'d, str>> {
        let Some(name) = item.text() else {
            self.problems.push(item.error(format!("the name of {what} is a text")));
            return None;
        };
        if name.is_empty() {
            self.problems.push(item.error(format!("the name of {what} is empty")));
            return None;
        }
        if name.len() > LONGEST_NAME {
            self.problems.push(item.error(format!("the name of {what} is longer than 1 MiB")));
            return None;
        }
        Some(name)
    }

    fn atoms(&mut self) {
        let Some(list) = self.list("atoms") else { return };
        let mut declared = FxHashSet::default();
        for item in list.items() {
            if let Some(name) = self.name(item, "an atom") {
                self.builder.atom(&name);
                if !declared.insert(name.to_string()) {
                    let problem = format!("the atom {} is declared twice", visible_name(&name));
                    self.problems.push(item.error(problem));
                }
            }
        }
        self.declared = Some(declared);
    }

    fn actions(&mut self) {
        let Some(list) = self.list("actions") else { return };
        if self.form.kind == ProcessKind::Kripke {
            self.problems
                .push(list.error(format!("a process of kind \"{}\" has no actions", self.form.word)));
            return;
        }
        for item in list.items() {
            if let Some(name) = self.name(item, "an action") {
                self.builder.action(&name);
            }
        }
    }

    fn states(&mut self, budget: &mut Budget) -> Result<(), Exhausted> {
        let Some(list) = self.list("states") else {
            if self.root.get("states").is_none() {
                self.problems.push(self.root.error("the key `states` is missing"));
            }
            return Ok(());
        };
        for item in list.items() {
            budget.spend(1)?;
            let named = if item.is_object() { item.get("name") } else { Some(item) };
            let Some(named) = named else {
                self.problems.push(item.error("this state has no name"));
                continue;
            };
            let Some(name) = self.name(named, "a state") else { continue };
            // the name, and its places in the tables
            budget.charge(2 * name.len() + 24)?;
            let state = self.builder.at(named.offset()).named_state(&name);
            if !item.is_object() {
                continue;
            }
            for inner in item.items() {
                match &*inner.key() {
                    "name" | "comment" => {}
                    "labels" => self.labels(state, inner, budget)?,
                    key => {
                        let problem = format!("a state has no key {}", visible_name(key));
                        self.problems.push(inner.key_error(problem).help("its keys are `name` and `labels`"));
                    }
                }
            }
        }
        Ok(())
    }

    /// Labels, as a list of literals or as an object with values.
    fn labels(&mut self, state: StateId, labels: Item<'d>, budget: &mut Budget) -> Result<(), Exhausted> {
        if !labels.is_array() && !labels.is_object() {
            let problem = labels.error("labels are a list or an object");
            self.problems.push(problem.help("write [\"p\", \"!q\"] or {\"p\": true, \"q\": \"unknown\"}"));
            return Ok(());
        }
        for item in labels.items() {
            self.builder.make_room(budget)?;
            budget.spend(1)?;
            let (name, value) = if labels.is_object() {
                let value = match (item.truth(), item.text()) {
                    (Some(value), _) => Some(value),
                    (None, Some(word)) if word == "unknown" => None,
                    _ => {
                        self.problems.push(item.error("a label is true, false or \"unknown\""));
                        continue;
                    }
                };
                (item.key(), value)
            } else {
                let Some(literal) = self.name(item, "an atom") else { continue };
                match literal.strip_prefix('!') {
                    Some(name) => (Cow::Owned(name.to_owned()), Some(false)),
                    None => (literal, Some(true)),
                }
            };
            if name.is_empty() {
                self.problems.push(item.error("the name of an atom is empty"));
                continue;
            }
            if let Some(declared) = &self.declared
                && !declared.contains(&*name)
            {
                let problem =
                    item.error(format!("the atom {} is not declared in `atoms`", visible_name(&name)));
                // the declared ones in the order of the file, so that the suggestion is always the
                // same
                let names: Vec<Cow<'d, str>> = (self.root.get("atoms").into_iter())
                    .flat_map(Item::items)
                    .filter_map(Item::text)
                    .collect();
                let near = nearest(&name, names.iter().map(|name| &**name));
                self.problems.push(match near {
                    Some(near) => problem.help(format!("did you mean {}?", visible_name(near))),
                    None => problem,
                });
                continue;
            }
            let atom = self.builder.atom(&name);
            match value {
                Some(value) => self.builder.at(item.offset()).label(state, atom, value),
                None if self.form.is_partial => {}
                None => {
                    let word = self.form.word;
                    let problem = item.error(format!("labels of a process of kind \"{word}\" are known"));
                    self.problems.push(problem.help(self.partial()));
                }
            }
        }
        Ok(())
    }

    /// The kind that allows unknown labels and uncertain steps.
    fn partial(&self) -> String {
        let word = if self.form.kind == ProcessKind::Kripke { "kmts" } else { "mts" };
        format!("a process of kind \"{word}\" may be uncertain")
    }

    fn initial(&mut self) {
        let Some(item) = self.root.get("initial") else {
            self.problems.push(self.root.error("there is no initial state: the key `initial` is missing"));
            return;
        };
        if let Some(state) = self.state(item) {
            self.builder.initial(state);
        }
    }

    /// The state that is named here.
    fn state(&mut self, item: Item<'d>) -> Option<StateId> {
        let name = self.name(item, "a state")?;
        let state = self.builder.find_state(&name);
        if state.is_none() {
            let problem = item.error(format!("there is no state {}", visible_name(&name)));
            self.problems.push(problem);
        }
        state
    }

    fn steps(&mut self, key: &str, modality: Modality, budget: &mut Budget) -> Result<(), Exhausted> {
        let Some(list) = self.list(key) else { return Ok(()) };
        if !self.form.is_partial && modality != Modality::Both {
            let word = self.form.word;
            let problem = list.error(format!("a process of kind \"{word}\" has `steps`, not `{key}`"));
            self.problems.push(problem.help(self.partial()));
            return Ok(());
        }
        let expected = match self.form.kind {
            ProcessKind::Kripke => ("[\"source\", \"target\"]", 2),
            ProcessKind::Lts => ("[\"source\", \"action\", \"target\"]", 3),
        };
        for item in list.items() {
            budget.spend(1)?;
            self.builder.make_room(budget)?;
            let mut fields = item.items();
            let found = [fields.next(), fields.next(), fields.next(), fields.next()];
            let count = found.iter().flatten().count();
            if !item.is_array() || count != expected.1 {
                let word = self.form.word;
                let problem = item.error(format!("a step of kind \"{word}\" is {}", expected.0));
                self.problems.push(problem);
                continue;
            }
            let (source, action, target) = match found {
                [Some(source), Some(target), None, _] => (source, None, target),
                [Some(source), action, Some(target), _] => (source, action, target),
                _ => continue,
            };
            let (source, target) = (self.state(source), self.state(target));
            let action = match action {
                None => Some(TAU),
                Some(item) => self.name(item, "an action").map(|name| self.builder.action(&name)),
            };
            if let (Some(source), Some(action), Some(target)) = (source, action, target) {
                self.builder.at(item.offset()).step(source, action, target, modality);
            }
        }
        Ok(())
    }
}
