//! Formulas in the syntax of SMV mean what they meant before: both are read, and evaluated on small
//! structures.

use loris_base::{Idx, Rng};
use loris_logic::{Formula, FormulaBuilder, FormulaId, Node, RandomCtl, RandomLtl, ltl, parse};
use loris_rsm::Rsm;
use loris_rsm::generate::RandomRsm;
use loris_smv::write::{LabelNames, smv_property};

/// Labels a, b and c.
fn machine() -> Rsm {
    RandomRsm { nodes: 30, components: 1, boxes: 0, ..RandomRsm::paper(1) }.to_rsm(&mut Rng::new(1))
}

/// The formula that a text of SMV says, read as ours: only `V` is written otherwise.
fn reread(formula: &Formula, labels: &LabelNames, keyword: &str) -> Formula {
    let (found, text) = smv_property(formula, labels).expect("CTL or LTL");
    assert!(found == keyword || found == "SPEC", "{formula} is {found} {text}");
    parse(&text.replace(" V ", " R ")).unwrap_or_else(|_| panic!("{formula} became {text}"))
}

/// The same formula with other operators in the place of untils and quantifiers.
fn varied(formula: &Formula, rng: &mut Rng) -> Formula {
    let mut build = FormulaBuilder::default();
    let mut place: Vec<FormulaId> = Vec::new();
    for (_, node) in formula.nodes() {
        let node = node.map(|child| place[child.index()]);
        let id = match node {
            Node::Atom(atom) => build.atom(&formula.atoms()[atom]),
            Node::U(a, b) => match rng.below(3) {
                0 => build.add(Node::U(a, b)),
                1 => build.add(Node::W(a, b)),
                _ => build.add(Node::R(a, b)),
            },
            Node::Or(a, b) => match rng.below(3) {
                0 => build.add(Node::Or(a, b)),
                1 => build.add(Node::Implies(a, b)),
                _ => build.add(Node::Iff(a, b)),
            },
            Node::G(a) if rng.chance(0.5) => build.add(Node::F(a)),
            Node::E(a) if rng.chance(0.5) => build.add(Node::A(a)),
            node => build.add(node),
        };
        place.push(id);
    }
    let root = *place.last().expect("a formula has a root");
    build.finish(root)
}

/// A structure: labels a, b, c as bits, and successors.
struct Graph {
    labels: Vec<usize>,
    next: Vec<Vec<usize>>,
}

impl Graph {
    fn random(rng: &mut Rng) -> Self {
        let states = 1 + rng.below(6);
        let labels = (0..states).map(|_| rng.below(8)).collect();
        let next = (0..states).map(|_| (0..=rng.below(2)).map(|_| rng.below(states)).collect()).collect();
        Self { labels, next }
    }

    /// Where `step` of some or all successors holds.
    fn step(&self, some: bool, of: &[bool]) -> Vec<bool> {
        let hold = |next: &Vec<usize>| {
            if some { next.iter().any(|&state| of[state]) } else { next.iter().all(|&state| of[state]) }
        };
        self.next.iter().map(hold).collect()
    }

    /// The fixpoint of `now(state, what holds in the next states)`, from all states or from none.
    fn fixpoint(&self, some: bool, start: bool, now: impl Fn(usize, bool) -> bool) -> Vec<bool> {
        let mut set = vec![start; self.labels.len()];
        loop {
            let next = self.step(some, &set);
            let new: Vec<bool> = (0..set.len()).map(|state| now(state, next[state])).collect();
            if new == set {
                return set;
            }
            set = new;
        }
    }

    /// The truth of a formula of CTL in all states.
    fn truth(&self, formula: &Formula) -> Vec<bool> {
        let states = 0..self.labels.len();
        let mut truth: Vec<Vec<bool>> = Vec::new();
        for (_, node) in formula.nodes() {
            let of = |id: FormulaId, state: usize| truth[id.index()][state];
            let each = |holds: &dyn Fn(usize) -> bool| states.clone().map(holds).collect();
            let value: Vec<bool> = match node {
                Node::True => each(&|_| true),
                Node::Atom(atom) => {
                    let bit = "abc".find(&formula.atoms()[atom]).expect("a, b or c");
                    each(&|state| self.labels[state] >> bit & 1 == 1)
                }
                Node::Not(a) => each(&|state| !of(a, state)),
                Node::And(a, b) => each(&|state| of(a, state) && of(b, state)),
                Node::Or(a, b) => each(&|state| of(a, state) || of(b, state)),
                Node::Implies(a, b) => each(&|state| !of(a, state) || of(b, state)),
                Node::Iff(a, b) => each(&|state| of(a, state) == of(b, state)),
                Node::E(path) | Node::A(path) => {
                    let some = matches!(node, Node::E(_));
                    match formula.node(path) {
                        Node::X(a) => self.step(some, &truth[a.index()]),
                        Node::F(a) => self.fixpoint(some, false, |state, next| of(a, state) || next),
                        Node::G(a) => self.fixpoint(some, true, |state, next| of(a, state) && next),
                        Node::U(a, b) => {
                            self.fixpoint(some, false, |state, next| of(b, state) || of(a, state) && next)
                        }
                        Node::W(a, b) => {
                            self.fixpoint(some, true, |state, next| of(b, state) || of(a, state) && next)
                        }
                        Node::R(a, b) => {
                            self.fixpoint(some, true, |state, next| of(b, state) && (of(a, state) || next))
                        }
                        _ => truth[path.index()].clone(),
                    }
                }
                // false, and what is under a quantifier
                _ => each(&|_| false),
            };
            truth.push(value);
        }
        truth.pop().expect("a formula has a root")
    }
}

#[test]
fn formulas_of_ctl() {
    let (rsm, mut rng) = (machine(), Rng::new(2));
    let labels = LabelNames::of(&rsm);
    for case in 0..2000 {
        let formula = RandomCtl::new(1 + case % 3).generate(&mut rng);
        assert_eq!(reread(&formula, &labels, "SPEC"), formula);
        let formula = varied(&formula, &mut rng);
        let again = reread(&formula, &labels, "SPEC");
        for _ in 0..5 {
            let graph = Graph::random(&mut rng);
            assert_eq!(graph.truth(&formula), graph.truth(&again), "{formula} became {again}");
        }
    }
}

#[test]
fn formulas_of_ltl() {
    let (rsm, mut rng) = (machine(), Rng::new(3));
    let labels = LabelNames::of(&rsm);
    for case in 0..2000 {
        let formula = RandomLtl::new(1 + case % 8).generate(&mut rng);
        let again = reread(&formula, &labels, "LTLSPEC");
        let ((before, names), (after, names_again)) =
            (ltl(&formula).expect("LTL"), ltl(&again).expect("LTL"));
        for _ in 0..5 {
            let mut word = |length: usize| -> Vec<usize> { (0..length).map(|_| rng.below(8)).collect() };
            let (stem, cycle) = (word(case as usize % 4), word(1 + case as usize % 3));
            let letters = |names: &[String], word: &[usize]| -> Vec<Vec<bool>> {
                let letter = |set: usize| {
                    let bit = |name: &String| "abc".find(&**name).expect("a, b or c");
                    names.iter().map(|name| set >> bit(name) & 1 == 1).collect()
                };
                word.iter().map(|&set| letter(set)).collect()
            };
            assert_eq!(
                before.holds_on_lasso(&letters(&names, &stem), &letters(&names, &cycle)),
                after.holds_on_lasso(&letters(&names_again, &stem), &letters(&names_again, &cycle)),
                "{formula} became {again}"
            );
        }
    }
}
