//! Names and values of states, for text and JSON.

use crate::{Path, State};
use loris_json::json_quoted;
use loris_rsm::{Rsm, SourcePlace};
use rustc_hash::FxHashSet;
use std::borrow::Cow;
use std::cell::OnceCell;
use std::fmt::{self, Write};

/// Names for the states of a model. A new kind of model implements [`values`](Self::values); the
/// rest is for models whose states have names of their own, or call stacks.
pub trait StateNames<S> {
    /// The variables of the model with their values in a state, in the same order for all states.
    fn values(&self, state: &S) -> Vec<(Cow<'_, str>, Cow<'_, str>)>;

    /// The name that text shows for a state of a model with at most one variable.
    fn name(&self, state: &S) -> Cow<'_, str> {
        let values = self.values(state);
        let parts: Vec<String> = values.iter().map(|(name, value)| format!("{name}={value}")).collect();
        parts.join(" ").into()
    }

    /// The atoms that text lists after the name of a state.
    fn atoms(&self, state: &S) -> Vec<&str> {
        let _ = state;
        Vec::new()
    }

    /// The place in a source file that a state belongs to, if there is one.
    fn source(&self, state: &S) -> Option<SourcePlace<'_>> {
        let _ = state;
        None
    }

    /// Beside which states text has their places; JSON always has them.
    fn listed_sources(&self) -> ListedSources {
        ListedSources::All
    }

    /// Where a state lies in the calls of a run; the default is outside of any.
    fn frame(&self, state: &S) -> Frame {
        let _ = state;
        Frame::default()
    }

    /// Writes which call a step makes, with the place of the call if there is one, or which call it
    /// returns from.
    ///
    /// # Errors
    /// Those of the writer.
    fn write_move(&self, from: &S, to: &S, out: &mut dyn Write) -> fmt::Result {
        let _ = (from, to, out);
        Ok(())
    }

    /// Writes a state as JSON. The default is `{"values": {NAME: VALUE, …}}`, with its source if it
    /// has one.
    ///
    /// # Errors
    /// Those of the writer.
    fn write_json(&self, state: &S, out: &mut dyn Write) -> fmt::Result {
        out.write_str("{\"values\":{")?;
        for (i, (name, value)) in self.values(state).iter().enumerate() {
            let before = if i > 0 { "," } else { "" };
            write!(out, "{before}{}:{}", json_quoted(name), json_quoted(value))?;
        }
        out.write_char('}')?;
        write_place("source", self.source(state), out)?;
        out.write_char('}')
    }

    /// The component in which the call stacks of a path start, if JSON has to name it.
    fn component(&self, path: &Path<S>) -> Option<&str> {
        let _ = path;
        None
    }
}

/// Beside which states of a path text has their places.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ListedSources {
    /// Beside all that have one.
    All,
    /// Beside those that have another than the state before.
    Changes,
    /// Beside none.
    None,
}

/// Writes a place as a key after others, if there is one.
fn write_place(key: &str, place: Option<SourcePlace<'_>>, out: &mut dyn Write) -> fmt::Result {
    let Some(SourcePlace { file, line, column }) = place else { return Ok(()) };
    write!(out, ",\"{key}\":{{\"file\":{},\"line\":{line}", json_quoted(file))?;
    if let Some(column) = column {
        write!(out, ",\"column\":{column}")?;
    }
    out.write_char('}')
}

/// Where a state lies in the calls of a run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Frame {
    /// The number of open calls.
    pub depth: usize,
    /// The place of the last of these calls.
    pub site: Option<u32>,
    /// Whether the next step returns from it.
    pub returns: bool,
}

/// The names of a recursive state machine.
pub struct MachineNames<'m> {
    rsm: &'m Rsm,
    /// whether text names the modules of states, too
    names_modules: bool,
    sink: OnceCell<String>,
}

impl<'m> MachineNames<'m> {
    /// The names of this machine.
    pub fn new(rsm: &'m Rsm) -> Self {
        Self { rsm, names_modules: false, sink: OnceCell::new() }
    }

    /// The same names, with the places of modules beside states of an SMV model in text. They are
    /// the same for all states of a module, and so they are left out by default.
    #[must_use]
    pub fn with_modules(self, names_modules: bool) -> Self {
        Self { names_modules, ..self }
    }

    /// The name of the unlabelled state after the last exit: `(sink)`, with as many primes as make
    /// it differ from the nodes of the initial component. Linear in the nodes of that component,
    /// once.
    pub(crate) fn sink(&self) -> &str {
        self.sink.get_or_init(|| {
            let rsm = self.rsm;
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
        })
    }
}

impl StateNames<State> for MachineNames<'_> {
    fn values(&self, state: &State) -> Vec<(Cow<'_, str>, Cow<'_, str>)> {
        let values = state.node.map_or_else(Vec::new, |node| self.rsm.values(node));
        values.into_iter().map(|(name, value)| (name.into(), value.into())).collect()
    }

    fn name(&self, state: &State) -> Cow<'_, str> {
        match state.node {
            Some(node) => self.rsm.vertex_name(node),
            None => self.sink().into(),
        }
    }

    fn atoms(&self, state: &State) -> Vec<&str> {
        let rsm = self.rsm;
        // conditions on variables repeat what their values show
        let is_listed = |name: &&str| rsm.has_listed_names() || !name.contains([' ', '(', '!']);
        let labels = state.node.into_iter().flat_map(|node| rsm.labels_of(node));
        labels.map(|label| rsm.label_name(label)).filter(is_listed).collect()
    }

    fn source(&self, state: &State) -> Option<SourcePlace<'_>> {
        self.rsm.place(state.node?)
    }

    fn listed_sources(&self) -> ListedSources {
        match (self.rsm.has_listed_names(), self.names_modules) {
            (true, _) => ListedSources::All,
            (false, true) => ListedSources::Changes,
            (false, false) => ListedSources::None,
        }
    }

    fn frame(&self, state: &State) -> Frame {
        let depth = state.stack.len();
        let site = state.stack.last().map(|&site| loris_base::Idx::index(site) as u32);
        let returns = depth > 0 && state.node.is_some_and(|node| self.rsm.is_exit(node));
        Frame { depth, site, returns }
    }

    fn write_move(&self, state: &State, next: &State, out: &mut dyn Write) -> fmt::Result {
        use loris_base::visible_name;
        if state == next {
            return Ok(());
        }
        let rsm = self.rsm;
        let returns = self.frame(state).returns;
        let below = state.stack.len() - usize::from(returns);
        if let Some(&site) = state.stack.last().filter(|_| returns) {
            write!(out, "  <- {}", visible_name(rsm.component_name(rsm.owner(site))))?;
        }
        match next.stack.last() {
            Some(&site) if next.stack.len() > below => {
                let callee = visible_name(rsm.component_name(rsm.callee(site)));
                write!(out, "  -> {callee} ({}", visible_name(rsm.box_name(site)))?;
                if let Some(SourcePlace { file, line, .. }) = rsm.box_place(site) {
                    write!(out, " at {}:{line}", visible_name(file))?;
                }
                out.write_char(')')
            }
            _ => Ok(()),
        }
    }

    fn write_json(&self, state: &State, out: &mut dyn Write) -> fmt::Result {
        out.write_str("{\"stack\":[")?;
        for (i, &site) in state.stack.iter().enumerate() {
            write!(out, "{}{}", if i > 0 { "," } else { "" }, json_quoted(self.rsm.box_name(site)))?;
        }
        write!(out, "],\"node\":{}", json_quoted(&self.name(state)))?;
        let values = self.values(state);
        for (i, (name, value)) in values.iter().enumerate() {
            let before = if i > 0 { "," } else { ",\"values\":{" };
            write!(out, "{before}{}:{}", json_quoted(name), json_quoted(value))?;
        }
        out.write_str(if values.is_empty() { "" } else { "}" })?;
        write_place("source", self.source(state), out)?;
        let call = state.stack.last().and_then(|&site| self.rsm.box_place(site));
        write_place("call_source", call, out)?;
        out.write_char('}')
    }

    fn component(&self, path: &Path) -> Option<&str> {
        let rsm = self.rsm;
        let base = path.base(rsm);
        // a program whose runs start in any of its modules names the one that this is about
        let is_other =
            base != rsm.initial_component() || !rsm.has_listed_names() && loris_base::Idx::index(base) > 0;
        is_other.then(|| rsm.component_name(base))
    }
}
