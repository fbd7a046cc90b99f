//! Random systems and formulas, and the obvious slow way to decide one on the other.
#![allow(dead_code, reason = "each test file uses some of this")]

use loris_base::{Budget, Idx, Rng, Truth};
use loris_logic::mu::{ActionSet, Extremum, Mu, MuBuilder, MuFormula, MuId, VarId};
use loris_lts::{Modality, Process, ProcessBuilder, ProcessKind, StateId, System};
use loris_modular::SystemQuestion;
pub(crate) use loris_testing::cases;
use rustc_hash::FxHashMap;
use std::fmt::Write as _;
use std::sync::Arc;

#[derive(Clone, Copy, Debug)]
pub(crate) struct Shape {
    pub(crate) kind: ProcessKind,
    pub(crate) processes: usize,
    pub(crate) states: usize,
    /// whether steps may be uncertain and labels unknown
    pub(crate) partial: bool,
}

pub(crate) fn system(rng: &mut Rng, shape: Shape) -> System {
    loop {
        let processes = (0..shape.processes).map(|i| Arc::new(process(rng, shape, i))).collect();
        if let Ok(system) = System::new(processes, &[]) {
            return system;
        }
    }
}

fn process(rng: &mut Rng, shape: Shape, number: usize) -> Process {
    let mut build = ProcessBuilder::new(format!("part{number}"), shape.kind);
    let states = 1 + rng.below(shape.states);
    build.add_states(states);
    build.initial(StateId::new(0));
    let step = |rng: &mut Rng| {
        if shape.partial && rng.chance(0.3) { Modality::May } else { Modality::Both }
    };
    match shape.kind {
        ProcessKind::Kripke => {
            let own = format!("p{number}");
            let joint = ["r", "s"];
            for name in std::iter::once(own.as_str()).chain(joint) {
                if name != own && (shape.processes == 1 || rng.chance(0.3)) {
                    continue;
                }
                let atom = build.atom(name);
                for state in 0..states {
                    // initial states agree on what is shared
                    let initial = state == 0 && name != own;
                    if shape.partial && !initial && name == own && rng.chance(0.3) {
                        continue;
                    }
                    build.label(StateId::new(state), atom, !initial && rng.chance(0.5));
                }
            }
            let tau = build.action("tau");
            for source in 0..states {
                for target in 0..states {
                    if rng.chance(1.6 / states as f64) {
                        let modality = step(rng);
                        build.step(StateId::new(source), tau, StateId::new(target), modality);
                    }
                }
            }
        }
        ProcessKind::Lts => {
            let mut names: Vec<String> = vec!["tau".to_owned(), format!("x{number}")];
            names.extend(["a", "b", "c"].iter().filter(|_| rng.chance(0.6)).map(|name| (*name).to_owned()));
            let actions: Vec<_> = names.iter().map(|name| build.action(name)).collect();
            if rng.chance(0.3) {
                let atom = build.atom(&format!("p{number}"));
                for state in 0..states {
                    if !(shape.partial && rng.chance(0.3)) {
                        build.label(StateId::new(state), atom, rng.chance(0.5));
                    }
                }
            }
            for _ in 0..rng.below(3 * states + 1) {
                let source = StateId::new(rng.below(states));
                let target = StateId::new(rng.below(states));
                let action = actions[rng.below(actions.len())];
                let modality = step(rng);
                build.step(source, action, target, modality);
            }
        }
    }
    build.finish(&mut Budget::unlimited()).expect("random processes are well-formed")
}

/// A closed formula with alternation.
pub(crate) fn formula(rng: &mut Rng, system: &System, size: usize) -> MuFormula {
    let mut build = MuBuilder::default();
    let root = subformula(rng, system, &mut build, size, &mut Vec::new());
    build.finish(root)
}

fn subformula(
    rng: &mut Rng,
    system: &System,
    build: &mut MuBuilder,
    size: usize,
    scope: &mut Vec<VarId>,
) -> MuId {
    if size <= 1 {
        if !scope.is_empty() && rng.chance(0.5) {
            let variable = scope[rng.below(scope.len())];
            return build.add(Mu::Var(variable));
        }
        let atoms: Vec<&str> = system.atoms().iter().collect();
        return match rng.below(8) {
            0 => build.add(Mu::True),
            1 => build.add(Mu::False),
            _ if atoms.is_empty() || (system.kind() == ProcessKind::Lts && rng.chance(0.5)) => {
                let set = action_set(rng, system);
                if rng.chance(0.5) {
                    let truth = build.add(Mu::True);
                    build.possibly(set, truth)
                } else {
                    let falsity = build.add(Mu::False);
                    build.necessarily(set, falsity)
                }
            }
            _ => {
                let name = atoms[rng.below(atoms.len())];
                let positive = rng.chance(0.5);
                build.atom(name, positive)
            }
        };
    }
    match rng.below(6) {
        0 | 1 => {
            let left = 1 + rng.below(size - 1);
            let f = subformula(rng, system, build, left, scope);
            let g = subformula(rng, system, build, size - left, scope);
            build.add(if rng.chance(0.5) { Mu::And(f, g) } else { Mu::Or(f, g) })
        }
        2 | 3 => {
            let f = subformula(rng, system, build, size - 1, scope);
            let set = action_set(rng, system);
            if rng.chance(0.5) { build.possibly(set, f) } else { build.necessarily(set, f) }
        }
        _ => {
            let extremum = if rng.chance(0.5) { Extremum::Least } else { Extremum::Greatest };
            let variable = build.variable("Z", extremum);
            scope.push(variable);
            let body = subformula(rng, system, build, size - 1, scope);
            scope.pop();
            build.bind(variable, body)
        }
    }
}

/// A closed formula that does not see silent steps that change nothing.
pub(crate) fn insensitive(rng: &mut Rng, system: &System, size: usize) -> MuFormula {
    let mut build = MuBuilder::default();
    let root = weak(rng, system, &mut build, size, &mut Vec::new());
    build.finish(root)
}

/// A set of actions with or without `tau`.
fn set_of(rng: &mut Rng, system: &System, silent: bool) -> ActionSet {
    let names: Vec<&str> = system.actions().iter().skip(1).collect();
    if names.is_empty() {
        return if silent { ActionSet::all() } else { ActionSet::none() };
    }
    let some = ActionSet::of((0..=rng.below(2)).map(|_| names[rng.below(names.len())]));
    match (silent, rng.below(3)) {
        (false, _) => some,
        (true, 0) => ActionSet::all(),
        (true, 1) => some.complement(),
        (true, _) => some.union(&ActionSet::of(["tau"])),
    }
}

fn weak(rng: &mut Rng, system: &System, build: &mut MuBuilder, size: usize, scope: &mut Vec<VarId>) -> MuId {
    let dual = rng.chance(0.5);
    let (truth, falsity) = (build.add(Mu::True), build.add(Mu::False));
    if size <= 1 {
        if !scope.is_empty() && rng.chance(0.3) {
            return build.add(Mu::Var(scope[rng.below(scope.len())]));
        }
        let atoms: Vec<&str> = system.atoms().iter().collect();
        if !atoms.is_empty() && rng.chance(0.5) {
            return build.atom(atoms[rng.below(atoms.len())], dual);
        }
        let set = set_of(rng, system, false);
        return if dual { build.necessarily(set, falsity) } else { build.possibly(set, truth) };
    }
    if rng.chance(0.2) {
        let (f, g) = (weak(rng, system, build, size / 2, scope), weak(rng, system, build, size / 2, scope));
        return build.add(if dual { Mu::And(f, g) } else { Mu::Or(f, g) });
    }
    let until = rng.chance(0.6);
    // a fixpoint without steps, whose variable is for those inside, and one with them
    let outer = rng.chance(0.3).then(|| build.variable("X", extremum(rng.chance(0.5))));
    scope.extend(outer);
    let variable = build.variable("Z", extremum(until != dual));
    scope.push(variable);
    let (f, g) = (weak(rng, system, build, size / 2, scope), weak(rng, system, build, size / 2, scope));
    scope.pop();
    let or = |build: &mut MuBuilder, f, g| build.add(if dual { Mu::And(f, g) } else { Mu::Or(f, g) });
    let and = |build: &mut MuBuilder, f, g| build.add(if dual { Mu::Or(f, g) } else { Mu::And(f, g) });
    let step = |build: &mut MuBuilder, set, f| {
        if dual { build.necessarily(set, f) } else { build.possibly(set, f) }
    };
    let again = build.add(Mu::Var(variable));
    let weak_set = set_of(rng, system, true);
    let go = step(build, weak_set, again);
    // a step by actions that count, or none by actions among which are all that do not
    let stop = |rng: &mut Rng, build: &mut MuBuilder| {
        let last = if rng.chance(0.5) {
            let last = set_of(rng, system, false);
            step(build, last, g)
        } else {
            let silent = rng.chance(0.7);
            let none = set_of(rng, system, silent);
            if dual { build.possibly(none, truth) } else { build.necessarily(none, falsity) }
        };
        if rng.chance(0.5) { and(build, f, last) } else { last }
    };
    let body = if !until {
        let go = if rng.chance(0.5) {
            let stop = stop(rng, build);
            or(build, stop, go)
        } else {
            go
        };
        let go = if rng.chance(0.3) { or(build, g, go) } else { go };
        and(build, f, go)
    } else if rng.chance(0.5) {
        let go = and(build, f, go);
        or(build, g, go)
    } else {
        let stop = stop(rng, build);
        or(build, stop, go)
    };
    let found = build.bind(variable, body);
    let Some(outer) = outer else { return found };
    scope.pop();
    build.bind(outer, found)
}

fn extremum(is_least: bool) -> Extremum {
    if is_least { Extremum::Least } else { Extremum::Greatest }
}

fn action_set(rng: &mut Rng, system: &System) -> ActionSet {
    if system.kind() == ProcessKind::Kripke || rng.chance(0.4) {
        return ActionSet::all();
    }
    let names: Vec<&str> = system.actions().iter().collect();
    let count = 1 + rng.below(2);
    let set = ActionSet::of((0..count).map(|_| names[rng.below(names.len())]));
    if rng.chance(0.2) { set.complement() } else { set }
}

/// The whole product, by the definition: every vector of local states that is reachable, with its
/// steps.
pub(crate) struct Explicit {
    pub(crate) states: Vec<Vec<u32>>,
    /// action, target, must
    pub(crate) steps: Vec<Vec<(u32, usize, bool)>>,
}

pub(crate) fn explicit(system: &System) -> Explicit {
    let mut index: FxHashMap<Vec<u32>, usize> = FxHashMap::default();
    let mut result = Explicit { states: vec![system.initial()], steps: Vec::new() };
    index.insert(system.initial(), 0);
    let mut next = 0;
    while next < result.states.len() {
        let state = result.states[next].clone();
        let mut steps = Vec::new();
        for (action, target, must) in successors(system, &state) {
            let place = *index.entry(target.clone()).or_insert_with(|| {
                result.states.push(target);
                result.states.len() - 1
            });
            steps.push((action, place, must));
        }
        result.steps.push(steps);
        next += 1;
    }
    result
}

fn successors(system: &System, state: &[u32]) -> Vec<(u32, Vec<u32>, bool)> {
    let own = |process: usize| system.process(process as u32).steps(StateId::new(state[process] as usize));
    let mut results = Vec::new();
    if system.kind() == ProcessKind::Kripke {
        let mut partial: Vec<(Vec<u32>, bool)> = vec![(Vec::new(), true)];
        for process in 0..state.len() {
            let mut longer = Vec::new();
            for (prefix, must) in &partial {
                for step in own(process) {
                    let mut next = prefix.clone();
                    next.push(step.target.index() as u32);
                    longer.push((next, *must && step.must));
                }
            }
            partial = longer;
        }
        for (next, must) in partial {
            let agrees = (0..system.atoms().len()).all(|atom| {
                let owners = system.owners(loris_base::Symbol::new(atom));
                let mut values = owners.iter().map(|&(process, atom)| {
                    system.process(process).label(StateId::new(next[process as usize] as usize), atom)
                });
                let first = values.next();
                values.all(|value| Some(value) == first)
            });
            if agrees {
                results.push((0, next, must));
            }
        }
        return results;
    }
    for action in 0..system.actions().len() as u32 {
        if action == 0 {
            for process in 0..state.len() {
                for step in own(process).filter(|step| step.action.index() == 0) {
                    let mut next = state.to_vec();
                    next[process] = step.target.index() as u32;
                    results.push((0, next, step.must));
                }
            }
            continue;
        }
        let mut partial: Vec<(Vec<u32>, bool)> = vec![(state.to_vec(), true)];
        for &(process, own_action) in system.participants(action) {
            let mut longer = Vec::new();
            for (prefix, must) in &partial {
                for step in own(process as usize).filter(|step| step.action == own_action) {
                    let mut next = prefix.clone();
                    next[process as usize] = step.target.index() as u32;
                    longer.push((next, *must && step.must));
                }
            }
            partial = longer;
        }
        results.extend(partial.into_iter().map(|(next, must)| (action, next, must)));
    }
    results
}

/// The value in the initial state, by nested fixpoints over the sets where the formula is true and
/// where it is false.
pub(crate) fn naive(question: &SystemQuestion<'_>) -> Truth {
    let product = explicit(question.system);
    let mut naive = Naive { question, product: &product, values: vec![None; question.formula.variables()] };
    naive.evaluate(question.formula.root())[0]
}

/// The least value in the states after the first step: in all initial states, if that step leads to
/// them.
pub(crate) fn naive_after_start(question: &SystemQuestion<'_>) -> Truth {
    let product = explicit(question.system);
    let mut naive = Naive { question, product: &product, values: vec![None; question.formula.variables()] };
    let values = naive.evaluate(question.formula.root());
    product.steps[0].iter().map(|&(_, target, _)| values[target]).min().unwrap_or(Truth::True)
}

struct Naive<'a> {
    question: &'a SystemQuestion<'a>,
    product: &'a Explicit,
    values: Vec<Option<Vec<Truth>>>,
}

impl Naive<'_> {
    fn evaluate(&mut self, f: MuId) -> Vec<Truth> {
        let states = self.product.states.len();
        match self.question.node(f) {
            Mu::True => vec![Truth::True; states],
            Mu::False => vec![Truth::False; states],
            node @ (Mu::Atom(atom) | Mu::NotAtom(atom)) => {
                let label = self.question.label(atom).expect("labels of random formulas are known");
                let (process, own) = self.question.system.owners(label)[0];
                let values = self.product.states.iter().map(|state| {
                    let local = StateId::new(state[process as usize] as usize);
                    self.question.system.process(process).label(local, own)
                });
                values.map(|value| if matches!(node, Mu::Atom(_)) { value } else { !value }).collect()
            }
            node @ (Mu::And(f, g) | Mu::Or(f, g)) => {
                let (f, g) = (self.evaluate(f), self.evaluate(g));
                let both = f.into_iter().zip(g);
                both.map(|(f, g)| if matches!(node, Mu::And(..)) { f.min(g) } else { f.max(g) }).collect()
            }
            node @ (Mu::Diamond(set, f) | Mu::Box(set, f)) => {
                let f = self.evaluate(f);
                let some = matches!(node, Mu::Diamond(..));
                (0..states)
                    .map(|state| {
                        let mut value = Truth::from(!some);
                        for &(action, target, must) in &self.product.steps[state] {
                            if !self.question.contains(set, action) {
                                continue;
                            }
                            if some {
                                let most = if must { f[target] } else { f[target].min(Truth::Unknown) };
                                value = value.max(most);
                            } else {
                                let least = if must { f[target] } else { f[target].max(Truth::Unknown) };
                                value = value.min(least);
                            }
                        }
                        value
                    })
                    .collect()
            }
            Mu::Var(variable) => self.values[variable.index()].clone().expect("bound"),
            Mu::Fix(extremum, variable, body) => {
                let start = Truth::from(extremum == Extremum::Greatest);
                self.values[variable.index()] = Some(vec![start; states]);
                loop {
                    let next = self.evaluate(body);
                    if Some(&next) == self.values[variable.index()].as_ref() {
                        return next;
                    }
                    self.values[variable.index()] = Some(next);
                }
            }
        }
    }
}

/// A short description of a system, for messages of tests.
pub(crate) fn describe(system: &System) -> String {
    let mut text = String::new();
    for process in system.processes() {
        let _ =
            writeln!(text, "{} actions {:?}", process.name(), process.actions().iter().collect::<Vec<_>>());
        for state in process.states() {
            let steps: Vec<_> = process
                .steps(state)
                .map(|step| {
                    format!(
                        "{}{}{}",
                        process.action_name(step.action),
                        if step.must { "!" } else { "?" },
                        step.target.index()
                    )
                })
                .collect();
            let labels: Vec<_> = process
                .atom_ids()
                .map(|atom| format!("{}={:?}", process.atom_name(atom), process.label(state, atom)))
                .collect();
            let _ = writeln!(text, "  {}: {labels:?} {steps:?}", state.index());
        }
    }
    text
}
