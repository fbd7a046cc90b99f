//! Programs as recursive state machines.
//!
//! A component for every method that can be reached. A node stands for an instruction, or for a
//! slice of instructions in which nothing can be seen: labels are the same, and only the last one
//! calls, throws or branches; the two cannot be told apart by properties without `X`. A call is a
//! box for each target, of which one is chosen. A method has an exit for its return, and one for
//! each kind of exception that some handler of the program tells from others; a method that throws
//! very many kinds has one for all. A class may be initialized wherever it may be used for the
//! first time; an exception there ends the run in a node of its own. Methods without code return or
//! throw what they declare, after calling what was passed to them any number of times.
//!
//! Linear in the code, its calls and their targets.

mod around;
mod exits;
mod labels;
mod list;
mod method;
mod names;
mod pattern;

pub use labels::Label;
pub use list::labels;
pub use names::type_name;
pub use pattern::{Choice, Pattern, is_pattern};

use crate::calls::CallGraph;
use crate::program::{ClassId, MethodId, Program};
use crate::throws::Throws;
use exits::Exits;
use labels::Labels;
use loris_base::{Budget, Exhausted, Symbol};
use loris_rsm::{DeadEnds, Draft, Reference, Rsm, RsmBuilder, Semantics};
use names::Components;
use rustc_hash::FxHashMap;
use std::rc::Rc;

/// What a node stands for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Granularity {
    /// An instruction.
    Instruction,
    /// A slice of instructions in which nothing can be seen.
    #[default]
    Block,
}

/// How a program becomes a machine.
#[derive(Clone, Debug, Default)]
pub struct ExtractOptions {
    /// What a node stands for.
    pub granularity: Granularity,
    /// The labels that nodes get.
    pub labels: Choice,
}

/// Virtual calls with more targets than this share a component that chooses.
const FEW: usize = 8;

/// Makes the machine of a program.
///
/// # Errors
/// The budget ended.
pub fn extract(
    program: &Program,
    graph: &CallGraph,
    throws: &Throws,
    options: &ExtractOptions,
    budget: &mut Budget,
) -> Result<Rsm, Exhausted> {
    let mut builder = RsmBuilder::default();
    let components = Components::new(program, graph, &mut builder);
    let labels = Labels::new(program, &options.labels);
    let exits = Exits::new(program, graph, throws, &mut builder);
    let enter = builder.symbol("enter");
    let exit = builder.symbol("exit");
    let uncaught = builder.symbol("uncaught");
    let mut extract = Extract {
        program,
        graph,
        throws,
        granularity: options.granularity,
        draft: Draft::new(enter, 0),
        builder,
        components,
        labels,
        exits,
        enter,
        exit,
        uncaught,
        clinit: program.names.find("<clinit>"),
        passed: FxHashMap::default(),
        numbers: Vec::new(),
        early: FxHashMap::default(),
        sites: FxHashMap::default(),
        callbacks: FxHashMap::default(),
        callback_lists: Vec::new(),
        dispatched: vec![None; graph.dispatch_count()],
        label_names: Vec::new(),
        label_ends: Vec::new(),
        text: String::new(),
        carried: Vec::new(),
        files: FxHashMap::default(),
        here: None,
        initializers: FxHashMap::default(),
        nodes: 0,
        edges: 0,
    };
    extract.start(budget)?;
    for &method in graph.reachable() {
        extract.method(method, budget)?;
    }
    extract.rest(budget)?;
    let semantics = Semantics { dead_ends: DeadEnds::Loop, ..Semantics::default() };
    match extract.builder.finish_within(&semantics, budget) {
        Ok((rsm, _)) => Ok(rsm),
        Err(loris_base::Stopped::Exhausted(why)) => Err(why),
        Err(loris_base::Stopped::Wrong(problems)) => {
            unreachable!("an extracted machine is well-formed: {problems:?}")
        }
    }
}

/// Where a call goes: a component, its name, and the number of the set of exceptions it throws.
#[derive(Clone, Copy)]
struct Target {
    component: Symbol,
    set: u32,
}

/// A node's role.
#[derive(Clone, Copy, PartialEq, Eq)]
enum ValueKind {
    Entry,
    Inner,
    Exit,
}

struct Extract<'a> {
    program: &'a Program,
    graph: &'a CallGraph,
    throws: &'a Throws,
    granularity: Granularity,
    builder: RsmBuilder,
    /// The component that is being made.
    draft: Draft,
    components: Components,
    labels: Labels<'a>,
    exits: Exits,
    enter: Symbol,
    exit: Symbol,
    uncaught: Symbol,
    /// The name of static initializers.
    clinit: Option<Symbol>,
    /// The nodes of methods that throw one set of exceptions which an exit of methods that throw
    /// another leads to.
    passed: FxHashMap<(u32, u32, u32), Rc<[Symbol]>>,
    /// The names of nodes by the places of their instructions.
    numbers: Vec<Option<Symbol>>,
    /// The names of nodes before an instruction that may initialize a class.
    early: FxHashMap<u16, Symbol>,
    /// The names of boxes by the places of their instructions, and their numbers there.
    sites: FxHashMap<(u16, u32), Symbol>,
    /// Lists of methods that library code may call, by the name of the component that calls them.
    callbacks: FxHashMap<Vec<MethodId>, Symbol>,
    callback_lists: Vec<(Vec<MethodId>, Symbol)>,
    /// Virtual calls that have a component, by its name.
    dispatched: Vec<Option<Symbol>>,
    /// The names of labels: as they are written, and the patterns that they match; for each, where
    /// these end.
    label_names: Vec<Symbol>,
    label_ends: Vec<u32>,
    text: String,
    /// The names of labels of the node that was added last.
    carried: Vec<Symbol>,
    /// The source files of classes.
    files: FxHashMap<Symbol, Symbol>,
    /// The class whose methods are being made, and the initializers that uses of others in it run.
    here: Option<ClassId>,
    initializers: FxHashMap<ClassId, Rc<[MethodId]>>,
    /// How many nodes and edges the draft has.
    nodes: usize,
    edges: usize,
}

impl Extract<'_> {
    fn number(&mut self, at: u16) -> Symbol {
        let place = usize::from(at);
        if self.numbers.len() <= place {
            self.numbers.resize(place + 1, None);
        }
        let builder = &mut self.builder;
        *self.numbers[place].get_or_insert_with(|| builder.symbol(&at.to_string()))
    }

    fn early(&mut self, at: u16) -> Symbol {
        let builder = &mut self.builder;
        *self.early.entry(at).or_insert_with(|| builder.symbol(&format!("before {at}")))
    }

    fn site(&mut self, at: u16, number: u32) -> Symbol {
        let builder = &mut self.builder;
        *self.sites.entry((at, number)).or_insert_with(|| {
            let name = if number == 0 { format!("@{at}") } else { format!("@{at}.{number}") };
            builder.symbol(&name)
        })
    }

    fn target(&self, method: MethodId) -> Target {
        let set = if self.is_initializer(method) { 0 } else { self.throws.set_of(method) };
        Target { component: self.components.of(method), set }
    }

    fn is_initializer(&self, method: MethodId) -> bool {
        Some(self.program.method(method).name) == self.clinit
    }

    /// Adds a node to the component that is being made.
    fn node(&mut self, name: Symbol, kind: ValueKind, found: &[u32], place: Option<(Symbol, u16)>) {
        self.nodes += 1;
        let node = self.draft.node(name, 0);
        node.entry = kind == ValueKind::Entry;
        node.exit = kind == ValueKind::Exit;
        self.carried.clear();
        for &label in found {
            self.name_labels(label);
            let start = label.checked_sub(1).map_or(0, |before| self.label_ends[before as usize]);
            for place in start..self.label_ends[label as usize] {
                let name = self.label_names[place as usize];
                if !self.carried.contains(&name) {
                    self.carried.push(name);
                    self.draft.label(name);
                }
            }
        }
        if let Some((file, line)) = place {
            self.draft.node_place(file, u32::from(line), None);
        }
    }

    /// Gives labels their names, up to one of this number.
    fn name_labels(&mut self, last: u32) {
        for number in self.label_ends.len()..=last as usize {
            self.text.clear();
            self.labels.chosen()[number].write(self.program, &mut self.text);
            self.label_names.push(self.builder.symbol(&self.text));
            for pattern in self.labels.patterns(&self.text) {
                self.label_names.push(self.builder.symbol(pattern.text()));
            }
            self.label_ends.push(self.label_names.len() as u32);
        }
    }

    fn edge(&mut self, from: Reference, to: Reference) {
        self.edges += 1;
        self.draft.edge(from, to);
    }

    /// Adds the component that was made.
    fn add(&mut self, budget: &mut Budget) -> Result<(), Exhausted> {
        // nodes with their names and places, ports, edges
        budget.charge(96 * std::mem::take(&mut self.nodes) + 48 * std::mem::take(&mut self.edges))?;
        self.builder.component_from(&self.draft);
        self.draft.clear();
        Ok(())
    }
}
