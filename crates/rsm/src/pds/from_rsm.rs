//! From a machine to a pushdown system, with a rule for each edge (rsm-analysis, section 2.5,
//! `P_s`).
//!
//! A symbol stands for a node or a box; control state `q` means that a run is at the node on top,
//! and `x1`, `x2`, … that it is at the first, second, … exit of the callee of the box on top. An
//! edge into an exit is therefore a pop, and an edge out of a return port rewrites the box: the
//! state of the exit *is* the configuration with the box on top, as it is in the machine, and no
//! step is added. (The paper's `P_s` pops in a step of its own and needs formulas that know about
//! it; its `P(A)` has no such step, but is not linear.) `#` is the bottom of the stack: a run that
//! ends at exit i ends at the head `(xi, #)`, which has no rule. Linear in the machine.

use super::{Configuration, Control, HeadLabel, Pds, PdsRule, StackSymbol, StackWord};
use crate::ids::{BoxId, Vertex};
use crate::model::{Rsm, VertexKind};
use loris_base::{Idx, Names, Symbol};
use rustc_hash::FxHashMap;
use std::borrow::Cow;

impl Pds {
    /// A system that simulates a machine step by step. Vertices that were given loops because they
    /// had no successor have no rule.
    ///
    /// ```
    /// use loris_rsm::{Pds, Recovery, Semantics, generate::RandomRsm};
    /// let rsm = RandomRsm::paper(3).to_rsm(&mut loris_base::Rng::new(1));
    /// let pds = Pds::from_rsm(&rsm);
    /// assert_eq!(pds.rules.len(), rsm.edge_count());
    /// assert!(pds.to_rsm(&Semantics::default(), &Recovery::Procedures).is_ok());
    /// ```
    pub fn from_rsm(rsm: &Rsm) -> Self {
        let mut pds = Pds::default();
        pds.controls.intern("q");
        let exits = rsm.components().map(|component| rsm.exits(component).len()).max().unwrap_or(0);
        for exit in 1..=exits {
            pds.controls.intern(&format!("x{exit}"));
        }
        let symbols = Symbols::of(rsm, &mut pds.symbols);
        for label in rsm.labels() {
            pds.labels.intern(label);
        }
        let mut dead = vec![false; rsm.vertex_count()];
        rsm.looped_dead_ends().iter().for_each(|vertex| dead[vertex.index()] = true);
        for component in rsm.components() {
            for vertex in rsm.vertices(component).filter(|vertex| !dead[vertex.index()]) {
                let (control, symbol) = match rsm.kind(vertex) {
                    VertexKind::Node if rsm.is_exit(vertex) => continue,
                    VertexKind::Node => (Control::new(0), symbols.node(vertex)),
                    VertexKind::Call(_) => continue,
                    VertexKind::Return(site) => (exit_control(rsm, vertex), symbols.site(site)),
                };
                for target in rsm.successors(vertex) {
                    let (to, word) = symbols.target(rsm, target);
                    pds.rules.push(PdsRule { control, symbol, to, word, offset: 0 });
                }
            }
        }
        symbols.labels(rsm, &mut pds);
        for &node in rsm.initial() {
            let (control, word) = symbols.target(rsm, node);
            let mut stack: Vec<StackSymbol> = match word {
                StackWord::Swap(symbol) => vec![symbol],
                _ => Vec::new(),
            };
            stack.push(symbols.bottom);
            pds.initial.push(Configuration { control, stack, offset: 0 });
        }
        pds
    }
}

/// The control state of a run at an exit.
fn exit_control(rsm: &Rsm, exit: Vertex) -> Control {
    Control::new(1 + rsm.exit_index(exit).expect("exits and return ports have the position of an exit"))
}

/// The symbols of nodes and boxes.
struct Symbols {
    /// per vertex; ports and exits have none
    nodes: Vec<u32>,
    sites: Vec<StackSymbol>,
    bottom: StackSymbol,
}

impl Symbols {
    /// Nodes and boxes have their names, with that of the component before it where several have
    /// the same.
    fn of(rsm: &Rsm, names: &mut Names) -> Self {
        let mut uses: FxHashMap<Cow<'_, str>, u32> = FxHashMap::default();
        for component in rsm.components() {
            rsm.nodes(component).for_each(|node| *uses.entry(rsm.vertex_name(node)).or_default() += 1);
            rsm.boxes(component).for_each(|site| *uses.entry(rsm.box_name(site).into()).or_default() += 1);
        }
        let bottom = StackSymbol::new(names.intern("#").index());
        let mut symbols =
            Self { nodes: vec![0; rsm.vertex_count()], sites: vec![bottom; rsm.box_count()], bottom };
        let mut number = |name: &str, owner: &str| {
            let mut text = if uses[name] == 1 { name.to_owned() } else { format!("{owner}.{name}") };
            if names.find(&text).is_some() {
                text = format!("{owner}.{name}.{}", names.len());
            }
            while names.find(&text).is_some() {
                text.push('\'');
            }
            StackSymbol::new(names.intern(&text).index())
        };
        for component in rsm.components() {
            let owner = rsm.component_name(component);
            for node in rsm.nodes(component).filter(|&node| !rsm.is_exit(node)) {
                symbols.nodes[node.index()] = number(&rsm.vertex_name(node), owner).index() as u32;
            }
            for site in rsm.boxes(component) {
                symbols.sites[site.index()] = number(rsm.box_name(site), owner);
            }
        }
        symbols
    }

    fn node(&self, node: Vertex) -> StackSymbol {
        StackSymbol::new(self.nodes[node.index()] as usize)
    }

    fn site(&self, site: BoxId) -> StackSymbol {
        self.sites[site.index()]
    }

    /// The control state and word after a step to a vertex. A port that is call and return at once
    /// (an empty procedure) is already at the exit.
    fn target(&self, rsm: &Rsm, target: Vertex) -> (Control, StackWord) {
        match rsm.kind(target) {
            VertexKind::Node if rsm.is_exit(target) => (exit_control(rsm, target), StackWord::Pop),
            VertexKind::Node => (Control::new(0), StackWord::Swap(self.node(target))),
            VertexKind::Call(site) => {
                (Control::new(0), StackWord::Push(self.node(rsm.node_of(target)), self.site(site)))
            }
            VertexKind::Return(site) => (exit_control(rsm, target), StackWord::Swap(self.site(site))),
        }
    }

    /// Labels of nodes go to their symbols, those of exits to the heads that return there.
    fn labels(&self, rsm: &Rsm, pds: &mut Pds) {
        let mut known = vec![false; rsm.label_count()];
        for component in rsm.components() {
            for vertex in rsm.vertices(component) {
                let labels = rsm.labels_of(vertex).map(|label| HeadLabel::new(label.index()));
                let (control, symbol) = match rsm.kind(vertex) {
                    VertexKind::Node if !rsm.is_exit(vertex) => {
                        pds.symbol_labels.extend(labels.map(|label| (self.node(vertex), label)));
                        rsm.labels_of(vertex).for_each(|label| known[label.index()] = true);
                        continue;
                    }
                    VertexKind::Node if component != rsm.initial_component() => continue,
                    VertexKind::Call(_) => continue,
                    VertexKind::Node => (exit_control(rsm, vertex), self.bottom),
                    VertexKind::Return(site) => (exit_control(rsm, vertex), self.site(site)),
                };
                pds.head_labels.extend(labels.map(|label| (control, symbol, label)));
                rsm.labels_of(vertex).for_each(|label| known[label.index()] = true);
            }
        }
        // labels of exits that nothing returns from stay known, at a symbol that never occurs
        let lost: Vec<HeadLabel> = (0..known.len()).filter(|&i| !known[i]).map(HeadLabel::new).collect();
        if !lost.is_empty() {
            let mut name = "unreachable".to_owned();
            while pds.symbols.find(&name).is_some() {
                name.push('\'');
            }
            let symbol: Symbol = pds.symbols.intern(&name);
            let symbol = StackSymbol::new(symbol.index());
            pds.symbol_labels.extend(lost.into_iter().map(|label| (symbol, label)));
        }
    }
}
