//! Evidence about models that are not recursive state machines: a counter whose states are
//! valuations, and random Kripke structures, which replay has to treat as it treats the same
//! structure as a machine.

mod machine;

use loris_base::{Budget, Exhausted, Idx, IndexVec, Rng};
use loris_evidence::{
    AtExit, BoxedNeighbourhood, Certificate, Claim, Evidence, Inductive, Invariant, Loop, ModelStep, Path,
    PathId, Paths, Proposition, Replayed, Results, State, StateNames, StateSet, StateSpace, Stated,
    explore_breadth_first, replay, replay_invariant, replay_paths,
};
use loris_rsm::{Draft, Reference, Rsm, RsmBuilder, Semantics};
use std::borrow::Cow;

/// Bits that count up when the input `up` is set, and an input that can be anything in every state.
/// With `stuck`, no step leads from the largest number.
struct Counter {
    bits: usize,
    stuck: bool,
    /// whether states around can be explored
    explored: bool,
}

/// The bits of a number, lowest first, then `up`.
type Valuation = Vec<bool>;

impl Counter {
    fn number(&self, state: &Valuation) -> usize {
        (0..self.bits).map(|bit| usize::from(state[bit]) << bit).sum()
    }

    fn state(&self, number: usize, up: bool) -> Valuation {
        (0..self.bits).map(|bit| number >> bit & 1 == 1).chain([up]).collect()
    }

    fn all(&self) -> impl Iterator<Item = Valuation> + '_ {
        (0..1 << self.bits).flat_map(|number| [false, true].map(|up| self.state(number, up)))
    }

    fn next(&self, state: &Valuation) -> Vec<Valuation> {
        let (number, last) = (self.number(state), (1 << self.bits) - 1);
        if self.stuck && number == last {
            return Vec::new();
        }
        let number = (number + usize::from(state[self.bits])) & last;
        [false, true].map(|up| self.state(number, up)).into()
    }
}

impl StateSpace for Counter {
    type State = Valuation;
    type Atom = usize;

    fn is_initial(&self, state: &Valuation) -> bool {
        self.number(state) == 0
    }

    fn is_step(&self, from: &Valuation, to: &Valuation, _: &mut Budget) -> Result<bool, Exhausted> {
        Ok(self.next(from).contains(to))
    }

    fn has_next(&self, state: &Valuation) -> bool {
        !self.next(state).is_empty()
    }

    fn atom(&self, name: &str) -> Option<usize> {
        if name == "up" { Some(self.bits) } else { name.strip_prefix('b')?.parse().ok() }
    }

    fn holds(&self, state: &Valuation, atom: usize) -> bool {
        state[atom]
    }

    fn check_state(&self, state: &Valuation) -> Result<(), String> {
        if state.len() == self.bits + 1 { Ok(()) } else { Err("a state has another number of bits".into()) }
    }

    fn explore<'m>(
        &'m self,
        seeds: &mut dyn Iterator<Item = &Valuation>,
        limit: usize,
        budget: &mut Budget,
    ) -> Result<Option<BoxedNeighbourhood<'m, Self>>, Exhausted> {
        let explore = || explore_breadth_first(self, |state| self.next(state), seeds, limit.min(100), budget);
        self.explored.then(explore).transpose()
    }
}

impl Inductive for Counter {
    fn initial_outside(&self, set: &StateSet<usize>, _: &mut Budget) -> Result<Option<Valuation>, Exhausted> {
        Ok(self.all().find(|state| self.is_initial(state) && !set.contains(|atom| state[atom])))
    }

    fn step_out_of(
        &self,
        from: &StateSet<usize>,
        set: &StateSet<usize>,
        _: &mut Budget,
    ) -> Result<Option<ModelStep<Valuation>>, Exhausted> {
        let contains = |state: &Valuation| set.contains(|atom| state[atom]);
        let steps = self.all().filter(|state| from.contains(|atom| state[atom])).flat_map(|from| {
            let next = self.next(&from).into_iter();
            next.map(move |to| ModelStep { from: from.clone(), to }).collect::<Vec<_>>()
        });
        Ok(steps.into_iter().find(|step| !contains(&step.to)))
    }

    fn state_without(
        &self,
        set: &StateSet<usize>,
        proposition: &Proposition<usize>,
        _: &mut Budget,
    ) -> Result<Option<Valuation>, Exhausted> {
        let contains = |state: &Valuation| set.contains(|atom| state[atom]);
        Ok(self.all().filter(contains).find(|state| !proposition.holds(|atom| state[atom])))
    }
}

impl StateNames<Valuation> for Counter {
    fn values(&self, state: &Valuation) -> Vec<(Cow<'_, str>, Cow<'_, str>)> {
        let name = |bit| if bit == self.bits { "up".into() } else { format!("b{bit}").into() };
        state
            .iter()
            .enumerate()
            .map(|(bit, &value)| (name(bit), u8::from(value).to_string().into()))
            .collect()
    }
}

/// Reads states of a counter of two bits: `2+` is the number two with `up`.
fn valuations(counter: &Counter, text: &str) -> Vec<Valuation> {
    let state = |word: &str| {
        let number = word.trim_end_matches('+');
        counter.state(number.parse().expect("a number"), number.len() < word.len())
    };
    text.split_whitespace().map(state).collect()
}

const TWO_BITS: Counter = Counter { bits: 2, stuck: false, explored: true };

/// Evidence from lines `[@STATE] FORMULA : STATE … [loop FROM TO]`; lines after the first are
/// claims of it.
fn evidence(counter: &Counter, text: &str) -> Evidence<Valuation> {
    let mut paths: IndexVec<PathId, Path<Valuation>> = IndexVec::new();
    for line in text.lines() {
        let (claim, path) = line.trim().split_once(" : ").expect("a colon after the formula");
        let (path, repeats) = match path.split_once("loop") {
            None => (path, None),
            Some((path, ends)) => {
                let ends: Vec<usize> = ends.split_whitespace().flat_map(str::parse).collect();
                (path, Some(Loop { from: ends[0], to: ends[1] }))
            }
        };
        let states = valuations(counter, path);
        let (state, shows) = match claim.strip_prefix('@').and_then(|claim| claim.split_once(' ')) {
            Some((state, shows)) => (state.parse().ok(), shows),
            None => (None, claim),
        };
        let path = paths.push(Path { shows: shows.to_owned(), states, repeats, because: Vec::new() });
        if let Some(state) = state {
            paths[PathId::new(0)].because.push(Claim { state, evidence: path });
        }
    }
    Evidence { paths, also: Vec::new() }
}

/// Replays evidence: `Ok("steps claims decided trusted")`, or a part of the error.
fn check(counter: &Counter, paths: Paths, text: &str, expected: Result<&str, &str>) {
    let found = replay_paths(counter, &evidence(counter, text), paths, &mut Budget::unlimited());
    match (&found, expected) {
        (Ok(Replayed { steps, claims, decided, trusted, .. }), Ok(counts)) => {
            assert_eq!(format!("{steps} {claims} {decided} {trusted}"), counts, "{text}");
        }
        (Err(error), Err(part)) => assert!(error.to_string().contains(part), "{text}\n{error}"),
        _ => panic!("{text}\nexpected {expected:?}, got {found:?}"),
    }
}

#[test]
fn paths_of_a_counter() {
    let check = |text, expected| check(&TWO_BITS, Paths::Total, text, expected);
    check("!b0 & up : 0+", Ok("0 0 0 0"));
    check("E X b0 : 0+ 1", Ok("1 1 0 0"));
    check("E [ !b1 U (b1 & b0) ] : 0+ 1+ 2+ 3", Err("state 2: `!b1` does not hold here"));
    check("E [ (!b0 | !b1) U (b1 & b0) ] : 0 0+ 1+ 2+ 3", Ok("4 1 0 0"));
    check("!A G !b1 : 0+ 1+ 2", Ok("2 1 0 0"));
    check("E G !b1 : 0 0+ 1 1 loop 2 3", Ok("3 1 0 0"));
    check("E [ b1 R !b0 ] : 0 0 loop 0 1", Ok("1 1 0 0"));
    check("E G F b1 : 0+ 1+ 2+ 3+ 0+ loop 0 4", Ok("4 1 0 0"));
    check("E G F b1 : 0+ 1 1 loop 1 2", Err("does not hold from here on"));
    check("E F (b0 & E X !b0) : 0+ 1+\n@1 E X !b0 : 1+ 2", Ok("2 2 0 0"));
    check("E F (b0 & E X !b0) : 0+ 1+", Err("nothing shows `E X !b0`"));
    check("E X b0 : 0 1", Err("no step leads from here to state 1"));
    check("E F b1 : 1+ 2", Err("does not start in an initial state"));
    check("E G !b1 : 0 0+ loop 0 1", Err("the loop does not close: states 0 and 1 differ"));
    check("E G !b1 : 0 0", Err("this is shown by a loop, and there is none"));
    check("unknown : 0", Err("does not hold here"));
    let mut wrong = evidence(&TWO_BITS, "true : 0");
    wrong.paths[PathId::new(0)].states[0].pop();
    let found = replay_paths(&TWO_BITS, &wrong, Paths::Total, &mut Budget::unlimited());
    assert_eq!(found.unwrap_err().to_string(), "path 0, state 0: a state has another number of bits");
}

#[test]
fn claims_that_no_path_shows() {
    let blind = Counter { explored: false, ..TWO_BITS };
    let decided = "E X (b0 & !E X b1) : 0+ 1";
    check(&TWO_BITS, Paths::Total, decided, Ok("1 1 1 0"));
    check(&blind, Paths::Total, decided, Ok("1 1 0 1"));
    let wrong = "E X (b0 & !E F b1) : 0+ 1";
    check(&TWO_BITS, Paths::Total, wrong, Err("there is `E F b1`"));
    check(&blind, Paths::Total, wrong, Ok("1 1 0 1"));
    // nothing but trust
    check(&blind, Paths::Total, "A G !b1 : 0", Err("shows nothing that can be replayed"));
}

#[test]
fn runs_that_end() {
    let stuck = Counter { stuck: true, ..TWO_BITS };
    check(&stuck, Paths::Ending, "E F !E X true : 0+ 1+ 2+ 3", Ok("3 1 0 0"));
    check(&stuck, Paths::Ending, "E F !E X true : 0+ 1+ 2", Err("does not hold here"));
    check(&stuck, Paths::Ending, "E G !(b0 & b1) : 0 0 loop 0 1", Ok("1 1 0 0"));
}

#[test]
fn json_and_text() {
    let read = |text: &str| {
        let results = Results::read(text, &mut Budget::unlimited()).expect("well-formed");
        let find = |_: &Stated, values: &[(Cow<'_, str>, Cow<'_, str>)]| {
            let bit = |name: &str| {
                let (_, value) = values.iter().find(|(other, _)| other == name)?;
                Some(value == "1")
            };
            let found: Option<Valuation> = ["b0", "b1", "up"].into_iter().map(bit).collect();
            found.ok_or_else(|| "a variable has no value".to_owned())
        };
        results.evidence_by_values(find, &mut Budget::unlimited())
    };
    let paths = Certificate::Paths(evidence(&TWO_BITS, "E F (b0 & E X !b0) : 0+ 1+\n@1 E X !b0 : 1+ 2"));
    let invariant: Certificate<Valuation> =
        Invariant { shows: "A G (b0 | !b0)".into(), clauses: vec!["b0 | b1".into(), "up".into()] }.into();
    let expected = [
        concat!(
            r#"{"shows":"E F (b0 & E X !b0)","states":[{"values":{"b0":"0","b1":"0","up":"1"}},"#,
            r#"{"values":{"b0":"1","b1":"0","up":"1"}}],"loop":null,"because":[{"state":1,"evidence":"#,
            r#"{"shows":"E X !b0","states":[{"values":{"b0":"1","b1":"0","up":"1"}},"#,
            r#"{"values":{"b0":"0","b1":"1","up":"0"}}],"loop":null,"because":[]}}]}"#
        ),
        r#"{"kind":"invariant","shows":"A G (b0 | !b0)","clauses":["b0 | b1","up"]}"#,
    ];
    for (certificate, expected) in [&paths, &invariant].into_iter().zip(expected) {
        let mut json = String::new();
        certificate.write_json_with(&TWO_BITS, &mut json).expect("a string takes all");
        assert_eq!(json, expected);
        assert_eq!(read(&json).expect("as written"), std::slice::from_ref(certificate));
    }
    assert_eq!(
        paths.render_with(&TWO_BITS, 60),
        "shows E F (b0 & E X !b0)\n  0  b0=0 b1=0 up=1\n  1  b0=1\n  \
         because state 1: shows E X !b0\n    0  b0=1 b1=0 up=1\n    1  b0=0 b1=1 up=0\n"
    );
    assert_eq!(
        invariant.render_with(&TWO_BITS, 60),
        "shows A G (b0 | !b0), by the invariant\n  b0 | b1\n  up\n"
    );
    for (text, problem) in [
        (r#"{"kind": "strategy", "shows": "p"}"#, "a strategy without \"formulas\" or \"moves\""),
        (
            r#"{"kind": "strategy", "shows": "p", "formulas": [1], "moves": []}"#,
            "a formula should be a string",
        ),
        (r#"{"kind": "strategy", "shows": "p", "formulas": ["p"], "moves": [{"formula": 1}]}"#, "numbers of"),
        (
            r#"{"kind": "strategy", "shows": "p", "formulas": ["p"], "moves": [{"formula": 0, "next": 0}]}"#,
            "a move needs",
        ),
        (r#"{"kind": 1, "shows": "p"}"#, "\"kind\" should be one of paths, invariant, strategy"),
        (r#"{"kind": "invariant", "shows": "A G p"}"#, "an invariant without \"clauses\""),
        (r#"{"kind": "invariant", "shows": "A G p", "clauses": [1]}"#, "a clause should be a string"),
        (r#"{"kind": "paths", "shows": "p", "states": [{"node": "n"}]}"#, "expected {\"values\""),
        (r#"{"shows": "p", "states": [{"values": {"b0": "1"}}]}"#, "a variable has no value"),
        (r#"{"shows": "p", "states": [{"values": {"b0": 1}}]}"#, "should be a string"),
        (r#"{"shows": "p", "states": [], "component": "c"}"#, "this model has no components"),
    ] {
        let found = format!("{:?}", read(text).expect_err(text));
        assert!(found.contains(&problem.replace('"', "\\\"")), "{text}\n{found}");
    }
}

/// Replays an invariant of these clauses: nothing, or a part of the error.
fn check_invariant(counter: &Counter, shows: &str, clauses: &[&str], expected: Result<(), &str>) {
    let invariant =
        Invariant { shows: shows.to_owned(), clauses: clauses.iter().map(|&clause| clause.into()).collect() };
    let found = replay_invariant(counter, counter, &invariant, &mut Budget::unlimited());
    match (&found, expected) {
        (Ok(_), Ok(())) => {}
        (Err(error), Err(part)) => assert!(error.to_string().contains(part), "{shows}\n{error}"),
        _ => panic!("{shows} by {clauses:?}\nexpected {expected:?}, got {found:?}"),
    }
}

#[test]
fn invariants() {
    let check = |shows, clauses: &[&str], expected| check_invariant(&TWO_BITS, shows, clauses, expected);
    check("A G true", &[], Ok(()));
    check("A G (b0 | !b0)", &["b0 | b1 | !b0"], Ok(()));
    check("!E F (b0 & !b0)", &["true"], Ok(()));
    check("A G !b1", &["!b1"], Err("a step leaves the invariant, from b0=1 b1=0 up=1 to b0=0 b1=1 up=0"));
    check("A G !b1", &["b1"], Err("the initial state b0=0 b1=0 up=0 is not in the invariant"));
    check("A G !b1", &[], Err("`!b1` does not hold in the state b0=0 b1=1 up=0 of the invariant"));
    check("A F b1", &[], Err("an invariant shows `A G p` or `A [q R p]` only"));
    check("A [(b0 & up) R !b1]", &["!b1"], Ok(()));
    check("A [!up R !b1]", &["!b1"], Err("a step leaves the invariant, from b0=1 b1=0 up=1"));
    check("A [(b0 & up) R b0]", &["!b1"], Err("`b0` does not hold in the state"));
    check("A [(E F b0) R !b1]", &["!b1"], Err("is not about one state"));
    check("A G E F b1", &[], Err("is not about one state"));
    check("A G true", &["E X b0"], Err("the clause `E X b0` is not about one state"));
    check("A G b0 U", &[], Err("is not a formula"));
    check("A G true", &["b0 &"], Err("is not a formula"));
    // an atom that the model does not have is false everywhere
    check("A G !unknown", &["!unknown"], Ok(()));
    check("A G unknown", &["unknown"], Err("is not in the invariant"));
}

#[test]
fn invariants_of_machines() {
    // `main` calls `a`, which returns to where q holds; `island` is never called
    let rsm = machine::machine(
        "
        component main
          entry s p
          exit x q
          box b a
          s -> b.e | b.f -> x
        component a
          entry e p
          exit f p
          e -> f
        component island
          entry i
          exit j
          box c a
          i -> c.e | c.f -> j
        ",
    );
    let check = |at_exit, shows: &str, clauses: &[&str], expected: Result<(), &str>| {
        let clauses = clauses.iter().map(|&clause| clause.to_owned()).collect();
        let invariant = Invariant { shows: shows.to_owned(), clauses };
        let model = loris_evidence::MachineSpace::new(&rsm, at_exit);
        let names = loris_evidence::MachineNames::new(&rsm);
        let found = replay_invariant(&model, &names, &invariant, &mut Budget::unlimited());
        match (&found, expected) {
            (Ok(_), Ok(())) => {}
            (Err(error), Err(part)) => assert!(error.to_string().contains(part), "{shows}\n{error}"),
            _ => panic!("{shows}\nexpected {expected:?}, got {found:?}"),
        }
    };
    check(AtExit::Loop, "A G (p | q)", &["p | q"], Ok(()));
    check(AtExit::Sink, "A G (p | q)", &["p | q"], Err("a step leaves the invariant, from x to (sink)"));
    check(AtExit::Stop, "A G (p | q)", &["p | q"], Ok(()));
    check(AtExit::Loop, "A G p", &["p"], Err("a step leaves the invariant, from f to x"));
    check(AtExit::Loop, "A G p", &["p | q"], Err("`p` does not hold in the state x of the invariant"));
    check(AtExit::Loop, "A G (p | q)", &["q"], Err("the initial state s is not in the invariant"));
    check(AtExit::Loop, "A G !z", &[], Ok(()));
    check(AtExit::Sink, "A G (p | q)", &[], Err("does not hold in the state (sink)"));
}

/// A finite structure with two labels.
struct Kripke {
    labels: Vec<[bool; 2]>,
    successors: Vec<Vec<usize>>,
}

impl StateSpace for Kripke {
    type State = usize;
    type Atom = usize;

    fn is_initial(&self, state: &usize) -> bool {
        *state == 0
    }

    fn is_step(&self, from: &usize, to: &usize, _: &mut Budget) -> Result<bool, Exhausted> {
        Ok(self.successors[*from].contains(to))
    }

    fn has_next(&self, state: &usize) -> bool {
        !self.successors[*state].is_empty()
    }

    fn atom(&self, name: &str) -> Option<usize> {
        ["p", "q"].iter().position(|&other| other == name)
    }

    fn holds(&self, state: &usize, atom: usize) -> bool {
        self.labels[*state][atom]
    }

    fn explore<'m>(
        &'m self,
        seeds: &mut dyn Iterator<Item = &usize>,
        limit: usize,
        budget: &mut Budget,
    ) -> Result<Option<BoxedNeighbourhood<'m, Self>>, Exhausted> {
        explore_breadth_first(self, |&state| self.successors[state].clone(), seeds, limit, budget).map(Some)
    }
}

impl Kripke {
    fn random(rng: &mut Rng) -> Self {
        let count = 1 + rng.below(5);
        let labels = (0..count).map(|_| [rng.chance(0.5), rng.chance(0.5)]).collect();
        let targets = |rng: &mut Rng| {
            let mut targets: Vec<usize> = (0..count).filter(|_| rng.chance(0.3)).collect();
            if targets.is_empty() {
                targets.push(rng.below(count));
            }
            targets
        };
        let successors = (0..count).map(|_| targets(rng)).collect();
        Self { labels, successors }
    }

    /// The same structure as a machine of one component. Its node 0 is the entry; since the entry
    /// may have predecessors, it is like all others.
    fn machine(&self) -> Rsm {
        let mut builder = RsmBuilder::default();
        let mut draft = Draft::new(builder.symbol("main"), 0);
        for (state, labels) in self.labels.iter().enumerate() {
            draft.node(builder.symbol(&format!("n{state}")), 0).entry = state == 0;
            for (name, _) in ["p", "q"].into_iter().zip(labels).filter(|(_, holds)| **holds) {
                draft.label(builder.symbol(name));
            }
        }
        for (state, row) in self.successors.iter().enumerate() {
            for target in row {
                let mut node = |state: usize| Reference::node(builder.symbol(&format!("n{state}")), 0);
                let (source, target) = (node(state), node(*target));
                draft.edge(source, target);
            }
        }
        builder.component(draft);
        builder.finish(&Semantics::default()).expect("a valid machine").0
    }
}

fn random_formula(rng: &mut Rng, size: usize, path: bool) -> String {
    if size == 0 {
        return ["p", "!p", "q", "!q", "true"][rng.below(5)].to_owned();
    }
    let left = rng.below(size);
    match (rng.below(if path { 7 } else { 4 }), path) {
        (0, _) => format!("!({})", random_formula(rng, size - 1, path)),
        (1 | 2, _) => {
            let operator = ["&", "|"][rng.below(2)];
            let (a, b) = (random_formula(rng, left, path), random_formula(rng, size - 1 - left, path));
            format!("({a}) {operator} ({b})")
        }
        (3, _) => format!("{} ({})", ["E", "A"][rng.below(2)], random_formula(rng, size - 1, true)),
        (4 | 5, _) => format!("{} ({})", ["X", "F", "G"][rng.below(3)], random_formula(rng, size - 1, path)),
        _ => {
            let operator = ["U", "R", "W"][rng.below(3)];
            let (a, b) = (random_formula(rng, left, path), random_formula(rng, size - 1 - left, path));
            format!("({a}) {operator} ({b})")
        }
    }
}

/// A random walk, mostly by steps of the structure, perhaps with a loop.
fn random_path(rng: &mut Rng, kripke: &Kripke, start: usize) -> (Vec<usize>, Option<Loop>) {
    let mut states = vec![start];
    for _ in 0..rng.below(5) {
        let row = &kripke.successors[states[states.len() - 1]];
        let wild = rng.chance(0.02);
        states.push(if wild { rng.below(kripke.labels.len()) } else { row[rng.below(row.len())] });
    }
    let last = states.len() - 1;
    let from = states.iter().position(|state| *state == states[last]).filter(|&from| from < last);
    let from = if rng.chance(0.02) { Some(rng.below(last + 1)) } else { from };
    (states, from.map(|from| Loop { from, to: last }))
}

#[test]
fn as_the_same_structure_as_a_machine() {
    let (mut accepted, mut refused, mut decided) = (0, 0, 0);
    for seed in 0..4000 {
        let rng = &mut Rng::new(seed);
        let kripke = Kripke::random(rng);
        let rsm = kripke.machine();
        let mut paths: IndexVec<PathId, Path<usize>> = IndexVec::new();
        let size = 1 + rng.below(4);
        let inner = random_formula(rng, size, true);
        let (states, repeats) = random_path(rng, &kripke, 0);
        let root = Path { shows: format!("E ({inner})"), states, repeats, because: Vec::new() };
        let root = paths.push(root);
        for state in 0..paths[root].states.len() {
            if rng.chance(0.3) {
                let (states, repeats) = random_path(rng, &kripke, paths[root].states[state]);
                let size = rng.below(3);
                let shows = format!("E ({})", random_formula(rng, size, true));
                let path = paths.push(Path { shows, states, repeats, because: Vec::new() });
                paths[root].because.push(Claim { state, evidence: path });
            }
        }
        let evidence = Evidence { paths, also: Vec::new() };
        let node = |&state: &usize| {
            let node = rsm.find_node(rsm.initial_component(), &format!("n{state}"));
            State { stack: Vec::new(), node: Some(node.expect("a node for each state")) }
        };
        let as_machine = |path: &Path<usize>| Path {
            shows: path.shows.clone(),
            states: path.states.iter().map(node).collect(),
            repeats: path.repeats,
            because: path.because.clone(),
        };
        let mut same = Evidence::default();
        evidence.paths.iter().for_each(|path| {
            same.paths.push(as_machine(path));
        });
        let found = replay_paths(&kripke, &evidence, Paths::Total, &mut Budget::unlimited());
        let expected = replay(&rsm, &same, AtExit::Loop);
        match (&found, &expected) {
            (Ok(found), Ok(expected)) => {
                assert_eq!(found, expected, "seed {seed}");
                accepted += 1;
                decided += found.decided;
            }
            (Err(found), Err(expected)) => {
                // only the words for a loop that does not close differ
                let (found, expected) = (found.to_string(), expected.to_string());
                let same = found == expected || [&found, &expected].iter().all(|why| why.contains("close"));
                assert!(same, "seed {seed}: {found}; {expected}");
                refused += 1;
            }
            _ => panic!("seed {seed}: {found:?}, {expected:?}"),
        }
    }
    assert!(accepted > 400 && refused > 400 && decided > 20, "{accepted} {refused} {decided}");
}
