//! The normal form means what the formula means: both are evaluated on random small Kripke
//! structures, the formula by the textbook fixpoint of each of the twelve CTL operators.

use loris_base::{Idx, Rng};
use loris_logic::{Core, CoreId, CoreNode, CtlCore, Formula, FormulaBuilder, FormulaId, Node, RandomCtl};

/// States are bits of a `u32`; the relation is total.
struct Kripke {
    successors: Vec<u32>,
    labels: [u32; 3],
}

const ATOMS: [&str; 3] = ["a", "b", "c"];

impl Kripke {
    fn random(rng: &mut Rng) -> Self {
        let states = 1 + rng.below(7);
        let mut set =
            |density: f64| (0..states).filter(|_| rng.chance(density)).fold(0, |set, i| set | 1 << i);
        let labels = [set(0.4), set(0.6), set(0.5)];
        let mut successors: Vec<u32> = (0..states).map(|_| set(0.3)).collect();
        successors.iter_mut().filter(|row| **row == 0).for_each(|row| *row = 1 << rng.below(states));
        Self { successors, labels }
    }

    fn all(&self) -> u32 {
        (1 << self.successors.len()) - 1
    }

    fn where_successors(&self, test: impl Fn(u32) -> bool) -> u32 {
        (0..).zip(&self.successors).filter(|&(_, &row)| test(row)).fold(0, |set, (i, _)| set | 1 << i)
    }

    /// States with some successor in the set.
    fn ex(&self, set: u32) -> u32 {
        self.where_successors(|row| row & set != 0)
    }

    /// States with all successors in the set.
    fn ax(&self, set: u32) -> u32 {
        self.where_successors(|row| row & !set == 0)
    }

    fn atom(&self, name: &str) -> u32 {
        self.labels[ATOMS.iter().position(|&atom| atom == name).expect("a known atom")]
    }

    fn formula(&self, formula: &Formula) -> u32 {
        let mut sets: Vec<u32> = Vec::new();
        for (_, node) in formula.nodes() {
            let of = |id: FormulaId| sets[id.index()];
            let set = match node {
                Node::True => self.all(),
                Node::Atom(atom) => self.atom(&formula.atoms()[atom]),
                Node::Not(p) => self.all() & !of(p),
                Node::And(p, q) => of(p) & of(q),
                Node::Or(p, q) => of(p) | of(q),
                Node::Implies(p, q) => self.all() & (!of(p) | of(q)),
                Node::Iff(p, q) => self.all() & !(of(p) ^ of(q)),
                Node::E(path) => self.path(formula.node(path), of, |set| self.ex(set)),
                Node::A(path) => self.path(formula.node(path), of, |set| self.ax(set)),
                // nothing is where false holds; path formulas need no set, a quantifier looks
                // through them
                _ => 0,
            };
            sets.push(set);
        }
        sets[formula.root().index()]
    }

    /// One temporal operator under the quantifier whose next-step operator is given.
    fn path(&self, path: Node, of: impl Fn(FormulaId) -> u32, next: impl Fn(u32) -> u32) -> u32 {
        match path {
            Node::X(p) => next(of(p)),
            Node::F(p) => fixpoint(0, |z| of(p) | next(z)),
            Node::G(p) => fixpoint(self.all(), |z| of(p) & next(z)),
            Node::U(p, q) => fixpoint(0, |z| of(q) | (of(p) & next(z))),
            Node::W(p, q) => fixpoint(self.all(), |z| of(q) | (of(p) & next(z))),
            Node::R(p, q) => fixpoint(self.all(), |z| of(q) & (of(p) | next(z))),
            _ => unreachable!("only one temporal operator is under each quantifier"),
        }
    }

    fn ctl(&self, ctl: &CtlCore) -> u32 {
        let mut sets: Vec<u32> = Vec::new();
        for &node in ctl.nodes() {
            let of = |i: CoreId| sets[i.index()];
            let set = match node {
                CoreNode::True => self.all(),
                CoreNode::Atom(atom) => self.atom(&ctl.atoms()[atom as usize]),
                CoreNode::Not(p) => self.all() & !of(p),
                CoreNode::And(p, q) => of(p) & of(q),
                CoreNode::Or(p, q) => of(p) | of(q),
                CoreNode::Ex(p) => self.ex(of(p)),
                CoreNode::Eg(p) => fixpoint(self.all(), |z| of(p) & self.ex(z)),
                CoreNode::Eu(p, q) => fixpoint(0, |z| of(q) | (of(p) & self.ex(z))),
            };
            sets.push(set);
        }
        sets[ctl.root().index()]
    }
}

fn fixpoint(start: u32, step: impl Fn(u32) -> u32) -> u32 {
    let mut set = start;
    while step(set) != set {
        set = step(set);
    }
    set
}

/// A formula over all operators of CTL, of some twenty nodes.
fn random_formula(rng: &mut Rng) -> Formula {
    let mut build = FormulaBuilder::default();
    let mut states: Vec<FormulaId> = ATOMS.iter().map(|atom| build.atom(atom)).collect();
    states.extend([build.add(Node::True), build.add(Node::False)]);
    for _ in 0..4 + rng.below(12) {
        // rarely a constant, often what was made last
        let mut pick = || match rng.below(8) {
            0 => states[rng.below(5)],
            1..=3 => states[rng.below(3)],
            _ => states[states.len() - 1 - rng.below(states.len().min(3))],
        };
        let (p, q) = (pick(), pick());
        let boolean = [Node::Not(p), Node::And(p, q), Node::Or(p, q), Node::Implies(p, q), Node::Iff(p, q)];
        let path = [Node::X(p), Node::F(p), Node::G(p), Node::U(p, q), Node::W(p, q), Node::R(p, q)];
        let node = if rng.chance(0.4) {
            boolean[rng.below(boolean.len())]
        } else {
            let path = build.add(path[rng.below(path.len())]);
            if rng.chance(0.5) { Node::E(path) } else { Node::A(path) }
        };
        states.push(build.add(node));
    }
    build.finish(states[states.len() - 1])
}

fn check(formula: &Formula, rng: &mut Rng) {
    let ctl = Core::new(formula).expect("CTL by construction");
    check_normal(&ctl);
    let negated = ctl.negated();
    for _ in 0..8 {
        let model = Kripke::random(rng);
        let expected = model.formula(formula);
        assert_eq!(model.ctl(&ctl), expected, "{formula} as {}", ctl.print(ctl.root()));
        assert_eq!(model.ctl(&negated), model.all() & !expected, "not {formula}");
    }
}

/// What the documentation of [`Core`] promises.
fn check_normal(ctl: &CtlCore) {
    let mut used = vec![0; ctl.nodes().len()];
    let mut atoms = 0;
    for (i, &node) in ctl.ids().zip(ctl.nodes()) {
        assert!(ctl.children(i).all(|child| child < i), "children come first");
        assert!(!ctl.nodes()[..i.index()].contains(&node), "nodes are unique");
        ctl.children(i).for_each(|child| used[child.index()] += 1);
        match node {
            CoreNode::Atom(atom) => {
                assert_eq!(atom, atoms, "atoms are numbered as they come");
                atoms += 1;
            }
            CoreNode::Not(p) => {
                let p = ctl.node(p);
                assert!(p.is_existential() || matches!(p, CoreNode::True | CoreNode::Atom(_)));
            }
            _ => {}
        }
    }
    assert_eq!(atoms as usize, ctl.atoms().len());
    used.pop();
    assert!(used.iter().all(|&used| used > 0), "every node is used");
}

#[test]
fn all_operators() {
    let mut rng = Rng::new(11);
    for _ in 0..5000 {
        check(&random_formula(&mut rng), &mut rng);
    }
}

#[test]
fn benchmark_formulas() {
    let mut rng = Rng::new(12);
    for i in 0..600 {
        let formula = RandomCtl::new(i % 6).generate(&mut rng);
        check(&formula, &mut rng);
    }
}
