//! What is made of the transitions of an `.aut` file: a process, or a list as it is written.

use crate::{ActionId, Modality, ProcessBuilder, ProcessKind, StateId, TAU};
use loris_base::{Budget, Idx, LONGEST_NAME, NameKey, RecentNames, Stopped, Symbol};

/// What becomes of the transitions of a file.
pub(super) trait Sink {
    /// There are this many states.
    fn states(&mut self, _states: u32) {}

    /// There is a transition. What is wrong with its label is returned.
    fn transition(
        &mut self,
        source: u32,
        label: &[u8],
        target: u32,
        budget: &mut Budget,
    ) -> Result<Result<(), &'static str>, Stopped>;
}

/// They are the steps of a process.
pub(super) struct ProcessSink {
    pub(super) builder: ProcessBuilder,
    labels: Labels,
}

impl ProcessSink {
    pub(super) fn new(name: &str) -> Self {
        Self { builder: ProcessBuilder::new(name, ProcessKind::Lts), labels: Labels::default() }
    }
}

impl Sink for ProcessSink {
    fn states(&mut self, states: u32) {
        self.builder.add_states(states as usize);
    }

    #[inline]
    fn transition(
        &mut self,
        source: u32,
        label: &[u8],
        target: u32,
        budget: &mut Budget,
    ) -> Result<Result<(), &'static str>, Stopped> {
        self.builder.make_room(budget)?;
        Ok(self.labels.action(label, &mut self.builder, budget)?.map(|action| {
            let (source, target) = (StateId::new(source as usize), StateId::new(target as usize));
            self.builder.step(source, action, target, Modality::Both);
        }))
    }
}

/// Bytes of a transition, with the allocator's overhead for its label and a list that grows.
const EDGE: usize = 2 * size_of::<(u32, String, u32)>() + 16;

impl Sink for Vec<(u32, String, u32)> {
    fn transition(
        &mut self,
        source: u32,
        label: &[u8],
        target: u32,
        budget: &mut Budget,
    ) -> Result<Result<(), &'static str>, Stopped> {
        let label = match name(label) {
            Ok(label) => label,
            Err(message) => return Ok(Err(message)),
        };
        budget.charge(EDGE + label.len())?;
        self.push((source, label.to_owned(), target));
        Ok(Ok(()))
    }
}

/// A label as text.
fn name(label: &[u8]) -> Result<&str, &'static str> {
    if label.is_empty() {
        return Err("the label is empty");
    }
    if label.len() > LONGEST_NAME {
        return Err("this label is longer than 1 MiB");
    }
    std::str::from_utf8(label).map_err(|_| "the label is not UTF-8")
}

/// Actions by their labels: the last ones by a small table, the others by the names.
#[derive(Default)]
struct Labels {
    recent: RecentNames,
    held: usize,
}

impl Labels {
    #[inline]
    fn action(
        &mut self,
        label: &[u8],
        builder: &mut ProcessBuilder,
        budget: &mut Budget,
    ) -> Result<Result<ActionId, &'static str>, Stopped> {
        if label == b"i" {
            return Ok(Ok(TAU));
        }
        let key = NameKey::of(label);
        let id = |symbol: Symbol| ActionId::new(symbol.index());
        if let Some(symbol) = self.recent.find(key, label, builder.actions()) {
            return Ok(Ok(id(symbol)));
        }
        let symbol = if let Some(symbol) = builder.actions().find_key(key, label) {
            symbol
        } else {
            let name = match name(label) {
                Ok(name) => name,
                Err(message) => return Ok(Err(message)),
            };
            budget.grow(&mut self.held, builder.actions().bytes_ahead(1, name.len()))?;
            Symbol::new(builder.action(name).index())
        };
        self.recent.add(key, label.len(), symbol);
        Ok(Ok(id(symbol)))
    }
}
