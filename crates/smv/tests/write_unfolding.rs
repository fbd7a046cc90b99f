//! What is written does what the machine does, step by step: unfoldings are compared, state by
//! state, with labels.

#[path = "write/reader.rs"]
mod reader;

use loris_base::Rng;
use loris_rsm::generate::RandomRsm;
use loris_rsm::{
    BoxId, DeadEnds, Draft, EmptyCalls, Reference, Rsm, RsmBuilder, Semantics, Vertex, VertexKind,
};
use loris_smv::write::{LabelNames, WriteError, Written, write_smv};
use loris_testing::cases;
use reader::{File, read};
use std::collections::HashMap;
use std::hash::Hash;

const DEPTH: usize = 8;

/// A system whose states are unfolded: labels and successors.
trait Steps {
    type State: Clone + Eq + Hash;
    fn labels(&self, state: &Self::State) -> Vec<String>;
    /// None at the end of a run, where the mode says what follows.
    fn next(&self, state: &Self::State) -> Option<Vec<Self::State>>;
}

/// Numbers of unfoldings: equal ones have equal numbers.
type Classes = HashMap<(Vec<String>, Vec<usize>), usize>;

struct Unfolding<'s, S: Steps> {
    system: &'s S,
    sink: bool,
    known: HashMap<(S::State, usize), usize>,
}

impl<S: Steps> Unfolding<'_, S> {
    fn class(&mut self, state: &S::State, depth: usize, classes: &mut Classes) -> usize {
        if let Some(&class) = self.known.get(&(state.clone(), depth)) {
            return class;
        }
        let labels = self.system.labels(state);
        let mut next: Vec<usize> = Vec::new();
        if depth > 0 {
            next = match self.system.next(state) {
                Some(states) => states.iter().map(|next| self.class(next, depth - 1, classes)).collect(),
                None if self.sink => vec![sink(depth - 1, classes)],
                None => vec![self.class(state, depth - 1, classes)],
            };
        }
        next.sort_unstable();
        next.dedup();
        let class = number((labels, next), classes);
        self.known.insert((state.clone(), depth), class);
        class
    }
}

fn sink(depth: usize, classes: &mut Classes) -> usize {
    let next = if depth == 0 { Vec::new() } else { vec![sink(depth - 1, classes)] };
    number((Vec::new(), next), classes)
}

fn number(unfolding: (Vec<String>, Vec<usize>), classes: &mut Classes) -> usize {
    let new = classes.len();
    *classes.entry(unfolding).or_insert(new)
}

struct Machine<'r>(&'r Rsm, LabelNames);

impl Machine<'_> {
    fn enter(&self, stack: &[BoxId], target: Vertex) -> (Vec<BoxId>, Vertex) {
        let mut stack = stack.to_vec();
        stack.extend(self.0.box_of(target));
        (stack, self.0.node_of(target))
    }
}

impl Steps for Machine<'_> {
    type State = (Vec<BoxId>, Vertex);

    fn labels(&self, (_, node): &Self::State) -> Vec<String> {
        let names = self.0.labels_of(*node).map(|label| self.0.label_name(label));
        let mut names: Vec<String> =
            names.map(|label| self.1.name(label).expect("a label of the machine").to_owned()).collect();
        names.sort();
        names
    }

    fn next(&self, (stack, node): &Self::State) -> Option<Vec<Self::State>> {
        let Some(exit) = self.0.exit_index(*node) else {
            return Some(self.0.successors(*node).map(|target| self.enter(stack, target)).collect());
        };
        let (&site, rest) = stack.split_last()?;
        let port = self.0.return_port(site, exit).expect("a port");
        Some(self.0.successors(port).map(|target| self.enter(rest, target)).collect())
    }
}

impl Steps for File {
    /// The module of a run, its calls, and where it is.
    type State = (String, Vec<(String, String)>, String);

    fn labels(&self, (module, _, place): &Self::State) -> Vec<String> {
        let labels = self.modules[module].labels.iter();
        labels.filter(|(_, states)| states.contains(place)).map(|(label, _)| label.clone()).collect()
    }

    fn next(&self, (module, stack, place): &Self::State) -> Option<Vec<Self::State>> {
        let (module, stack, place) = if place == "EXIT" {
            let ((caller, call), rest) = stack.split_last()?;
            (caller, rest, call)
        } else {
            (module, &stack[..], place)
        };
        let next = self.modules[module].next[place].iter();
        Some(
            next.map(|target| match self.modules[module].calls.get(target) {
                None => (module.clone(), stack.to_vec(), target.clone()),
                Some(callee) => {
                    let mut stack = stack.to_vec();
                    stack.push((module.clone(), target.clone()));
                    (callee.clone(), stack, self.modules[callee].init[0].clone())
                }
            })
            .collect(),
        )
    }
}

/// Writes a machine, reads it, and compares.
fn check(rsm: &Rsm, seed: u64) -> Result<Written, WriteError> {
    let mut text = Vec::new();
    let written = write_smv(rsm, &[("SPEC", "TRUE".to_owned())], &mut text)?;
    let text = String::from_utf8(text).expect("text");
    let file = read(&text);
    let machine = Machine(rsm, LabelNames::of(rsm));
    for sink in [false, true] {
        if sink && written.loops {
            continue;
        }
        let mut classes = Classes::default();
        let mut left = Unfolding { system: &machine, sink, known: HashMap::default() };
        let initial = rsm.initial().iter().map(|&node| left.class(&(Vec::new(), node), DEPTH, &mut classes));
        let mut expected: Vec<usize> = initial.collect();
        let mut right = Unfolding { system: &file, sink, known: HashMap::default() };
        let mut found: Vec<usize> = Vec::new();
        for name in &file.order[..written.initial] {
            assert_eq!(file.modules[name].properties, ["SPEC TRUE"]);
            for start in &file.modules[name].init {
                found.push(right.class(&(name.clone(), Vec::new(), start.clone()), DEPTH, &mut classes));
            }
        }
        expected.sort_unstable();
        found.sort_unstable();
        assert_eq!(expected, found, "seed {seed}, sink {sink}\n{text}");
    }
    let labels = LabelNames::of(rsm);
    for label in rsm.labels() {
        let name = labels.name(label).expect("a label of the machine");
        assert!(file.modules.values().any(|module| module.labels.contains_key(name)), "{label} is lost");
    }
    Ok(written)
}

/// Any machine: several entries, exits and initial nodes, nodes that are both, edges into entries,
/// calls after calls, dead ends, names that SMV does not know.
fn any_machine(rng: &mut Rng, most_exits: usize) -> Rsm {
    let names = ["a", "next", "main", "n.1", "n_1", "→", "p", "state", "EXIT", "x y"];
    let mut builder = RsmBuilder::default();
    let count = 1 + rng.below(4);
    let mut parts: Vec<(usize, Vec<bool>, Vec<bool>)> = Vec::new();
    for _ in 0..count {
        let nodes = 1 + rng.below(6);
        let mut entries = vec![false; nodes];
        (0..=rng.below(2)).for_each(|_| entries[rng.below(nodes)] = true);
        let mut exits = vec![false; nodes];
        for _ in 0..rng.below(most_exits + 1) {
            let exit = rng.below(nodes);
            exits[exit] |= !entries[exit] || rng.chance(0.3);
        }
        parts.push((nodes, entries, exits));
    }
    let symbols: Vec<_> = names.iter().map(|name| builder.symbol(name)).collect();
    let labels = ["p", "use x", "E"].map(|label| builder.symbol(label));
    for (c, (nodes, entries, exits)) in parts.iter().enumerate() {
        let mut draft = Draft::new(symbols[(c + 2) % names.len()], 0);
        for i in 0..*nodes {
            let node = draft.node(symbols[i], 0);
            (node.entry, node.exit) = (entries[i], exits[i]);
            labels.iter().filter(|_| rng.chance(0.4)).for_each(|&label| draft.label(label));
        }
        let boxes: Vec<usize> = (0..rng.below(6)).map(|_| rng.below(count)).collect();
        let mut targets: Vec<Reference> = (0..*nodes).map(|i| Reference::node(symbols[i], 0)).collect();
        let mut sources: Vec<Reference> =
            (0..*nodes).filter(|&i| !exits[i]).map(|i| Reference::node(symbols[i], 0)).collect();
        for (b, &callee) in boxes.iter().enumerate() {
            draft.site(symbols[9 - b], 0, symbols[(callee + 2) % names.len()], 0);
            for (node, &symbol) in symbols.iter().enumerate().take(parts[callee].0) {
                let port = Reference::port(symbols[9 - b], symbol, 0);
                // calls are more interesting than other steps
                targets.extend([port; 3].iter().filter(|_| parts[callee].1[node]));
                sources.extend(parts[callee].2[node].then_some(port));
            }
        }
        for source in sources {
            // some lead nowhere
            if rng.chance(0.05) {
                continue;
            }
            (0..=rng.below(3)).for_each(|_| draft.edge(source, targets[rng.below(targets.len())]));
        }
        builder.component(draft);
    }
    builder.initial_component(symbols[2], 0);
    (0..rng.below(3)).for_each(|_| builder.initial_node(symbols[rng.below(parts[0].0)], 0));
    let empty_calls = if rng.chance(0.2) { EmptyCalls::Stuck } else { EmptyCalls::Pass };
    let semantics = Semantics { dead_ends: DeadEnds::Loop, empty_calls };
    builder.finish(&semantics).expect("a valid machine").0
}

#[test]
fn machines_with_one_exit() {
    let (mut modules, mut copies) = (0, 0);
    for seed in 0..cases(1000) {
        let rsm = any_machine(&mut Rng::new(seed), 1);
        let written = check(&rsm, seed).expect("one exit for each component");
        modules += written.modules;
        copies += usize::from(written.modules > rsm.component_count());
    }
    let enough = cases::<usize>(1000);
    assert!(modules > enough && copies > enough / 50, "{modules} modules, {copies} machines with copies");
}

#[test]
fn machines_with_several_exits() {
    let (mut done, mut refused) = (0, 0);
    for seed in 0..cases(1000) {
        match check(&any_machine(&mut Rng::new(seed), 3), seed) {
            Ok(_) => done += 1,
            Err(WriteError::Exits { exits, .. }) => {
                assert!(exits > 1);
                refused += 1;
            }
            Err(error) => panic!("seed {seed}: {error}"),
        }
    }
    assert!(done > refused && refused > cases(1000) / 200, "{done} written, {refused} refused");
}

#[test]
fn machines_of_the_generator() {
    let mut returns = 0;
    for seed in 0..cases(200) {
        let size = 3 + seed as usize % 3;
        let generator = RandomRsm { components: size, boxes: 2, nodes: 6, ..RandomRsm::paper(size) };
        let rsm = RandomRsm { entries: 0.3, ..generator }.to_rsm(&mut Rng::new(seed));
        check(&rsm, seed).expect("one exit for each component");
        let vertices = rsm.components().flat_map(|component| rsm.vertices(component));
        returns += vertices
            .filter(|&vertex| matches!(rsm.kind(vertex), VertexKind::Return(_)))
            .flat_map(|vertex| rsm.successors(vertex).collect::<Vec<_>>())
            .filter(|&target| matches!(rsm.kind(target), VertexKind::Call(_)))
            .count();
    }
    assert!(returns > 100, "calls after calls");
}

/// Components of two exits, each of which calls the next, once or twice in a row.
fn chain(length: usize, twice: bool) -> Rsm {
    let mut builder = RsmBuilder::default();
    let names: Vec<_> = (0..length).map(|i| builder.symbol(&format!("c{i}"))).collect();
    let [entry, good, bad, first, second] =
        ["in", "good", "bad", "first", "second"].map(|name| builder.symbol(name));
    for (i, &name) in names.iter().enumerate() {
        let mut draft = Draft::new(name, 0);
        draft.node(entry, 0).entry = true;
        draft.node(good, 0).exit = true;
        draft.label(good);
        draft.node(bad, 0).exit = true;
        let own = |node| Reference::node(node, 0);
        let mut last = vec![(own(entry), own(good)), (own(entry), own(bad))];
        if let Some(&callee) = names.get(i + 1) {
            let port = |site, node| Reference::port(site, node, 0);
            draft.site(first, 0, callee, 0);
            last = vec![(own(entry), port(first, entry)), (port(first, bad), own(bad))];
            if twice {
                draft.site(second, 0, callee, 0);
                last.extend([(port(first, good), port(second, entry)), (port(second, bad), own(bad))]);
                last.push((port(second, good), own(good)));
            } else {
                last.push((port(first, good), own(good)));
            }
        }
        for (source, target) in last {
            draft.edge(source, target);
        }
        builder.component(draft);
    }
    builder.finish(&Semantics::default()).expect("a valid machine").0
}

#[test]
fn what_is_written_out_has_limits() {
    let written = check(&chain(3000, false), 0).expect("small");
    assert_eq!((written.modules, written.loops), (1, true));
    let written = check(&chain(8, true), 0).expect("not large");
    assert_eq!(written.modules, 1);
    let refused = check(&chain(40, true), 0).expect_err("large");
    assert!(matches!(refused, WriteError::TooLarge(_)), "{refused}");
}
