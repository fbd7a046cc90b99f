//! Names of states: the values of their variables, computed on request.

use super::layout::{Bits, Layout, parse, print};
use crate::ir::{Domain, ModulePlaces, Structure};
use loris_base::Idx;
use loris_rsm::{ComponentId, NodeNaming, SourcePlace};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, OnceLock};

/// The names of all states of all structures.
#[derive(Debug)]
pub(super) struct Naming {
    pub(super) structures: Vec<Box<dyn StateNames>>,
    /// where their modules stand
    pub(super) modules: Option<Arc<ModulePlaces>>,
}

/// The names of the states of one structure.
pub(super) trait StateNames: std::fmt::Debug + Send + Sync {
    fn values(&self, node: usize) -> Vec<(&str, String)>;
    fn find(&self, name: &str) -> Option<usize>;
    fn bytes(&self) -> usize;
}

impl NodeNaming for Naming {
    fn name(&self, component: ComponentId, node: usize) -> String {
        name(&self.values(component, node))
    }

    fn values(&self, component: ComponentId, node: usize) -> Vec<(&str, String)> {
        self.structures[component.index()].values(node)
    }

    fn place(&self, component: ComponentId, _: usize) -> Option<SourcePlace<'_>> {
        let modules = self.modules.as_ref()?;
        let &(line, column) = modules.places.as_slice().get(component.index())?;
        Some(SourcePlace { file: &modules.file, line, column: Some(column) })
    }

    fn find(&self, component: ComponentId, name: &str) -> Option<usize> {
        self.structures[component.index()].find(name)
    }

    fn bytes(&self) -> usize {
        self.structures.iter().map(|names| names.bytes()).sum()
    }
}

/// `x=1 y=2`, or the value alone where there is one variable.
pub(super) fn name(values: &[(&str, String)]) -> String {
    if let [(_, value)] = values {
        return value.clone();
    }
    let all: Vec<String> = values.iter().map(|(name, value)| format!("{name}={value}")).collect();
    all.join(" ")
}

/// The values of a state, given the name and the domain of each field.
pub(super) fn values<'a, B: Bits>(
    layout: &Layout,
    variables: impl Iterator<Item = (&'a str, &'a Domain)>,
    symbols: &[String],
    state: &B,
) -> Vec<(&'a str, String)> {
    let fields = layout.fields.iter().zip(variables);
    fields.map(|(field, (name, domain))| (name, print(symbols, domain, field.value(state)))).collect()
}

/// States with the tables to write them.
#[derive(Debug)]
pub(super) struct Names<B> {
    layout: Layout,
    states: Vec<B>,
    /// the state of each node, where calls are among the states
    nodes: Option<Vec<u32>>,
    variables: Vec<(String, Domain)>,
    symbols: Arc<[String]>,
    /// how many states were looked up
    lookups: AtomicUsize,
    /// all nodes in the order of their states, once many were
    sorted: OnceLock<Vec<u32>>,
}

/// This many states are looked up by scanning all of them; for more, it pays to sort them first.
const SCANS: usize = 16;

impl<B: Bits> Names<B> {
    pub(super) fn new(
        structure: &Structure,
        layout: Layout,
        states: Vec<B>,
        nodes: Option<Vec<u32>>,
        symbols: &Arc<[String]>,
    ) -> Self {
        let variables = layout.fields.iter().map(|field| {
            let variable = &structure.variables[field.variable];
            (variable.name.clone(), variable.domain.clone())
        });
        let variables = variables.collect();
        Self {
            layout,
            states,
            nodes,
            variables,
            symbols: Arc::clone(symbols),
            lookups: AtomicUsize::new(0),
            sorted: OnceLock::new(),
        }
    }

    /// How many nodes there are.
    fn count(&self) -> usize {
        self.nodes.as_ref().map_or(self.states.len(), Vec::len)
    }

    fn state(&self, node: usize) -> &B {
        match &self.nodes {
            None => &self.states[node],
            Some(nodes) => &self.states[nodes[node] as usize],
        }
    }
}

impl<B: Bits> StateNames for Names<B> {
    fn values(&self, node: usize) -> Vec<(&str, String)> {
        let variables = self.variables.iter().map(|(name, domain)| (&**name, domain));
        values(&self.layout, variables, &self.symbols, self.state(node))
    }

    fn find(&self, text: &str) -> Option<usize> {
        // as bits, by which states are compared fast
        let mut wanted = B::none();
        let mut rest = text;
        for (i, (field, (variable, domain))) in self.layout.fields.iter().zip(&self.variables).enumerate() {
            let mut value = rest;
            if self.variables.len() > 1 {
                rest = rest.strip_prefix(if i > 0 { " " } else { "" })?;
                rest = rest.strip_prefix(&**variable)?.strip_prefix('=')?;
                let end = match self.variables.get(i + 1) {
                    Some((next, _)) => rest.find(&format!(" {next}="))?,
                    None => rest.len(),
                };
                (value, rest) = rest.split_at(end);
            }
            let place = field.codes.place(parse(&self.symbols, domain, value)?)?;
            wanted.add(field.word, place << field.shift);
        }
        if self.lookups.fetch_add(1, Ordering::Relaxed) < SCANS {
            return (0..self.count()).find(|&node| *self.state(node) == wanted);
        }
        let sorted = self.sorted.get_or_init(|| {
            let mut sorted: Vec<u32> = (0..self.count() as u32).collect();
            sorted.sort_unstable_by_key(|&node| self.state(node as usize));
            sorted
        });
        let found = sorted.binary_search_by_key(&&wanted, |&node| self.state(node as usize));
        found.ok().map(|place| sorted[place] as usize)
    }

    fn bytes(&self) -> usize {
        let nodes = self.nodes.as_ref().map_or(0, |nodes| 4 * nodes.capacity());
        let sorted = self.sorted.get().map_or(0, |sorted| 4 * sorted.capacity());
        self.states.capacity() * size_of::<B>() + nodes + sorted
    }
}
