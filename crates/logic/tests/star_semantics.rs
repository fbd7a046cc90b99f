//! The core of CTL* and LTL means what the formula means: both are evaluated by automata on random
//! small Kripke structures, the formula quantifier by quantifier as it is written.

use loris_base::{Budget, Idx, Rng};
use loris_logic::automaton::{Buchi, translate};
use loris_logic::{
    Core, CoreId, CoreNode, Formula, FormulaId, LtlBuilder, LtlId, Node, RandomLtl, RandomStar, parse,
};

/// The relation is total.
struct Kripke {
    successors: Vec<Vec<u32>>,
    labels: Vec<[bool; 3]>,
}

impl Kripke {
    fn random(rng: &mut Rng) -> Self {
        let states = 1 + rng.below(5);
        let mut row = |_| {
            let mut row: Vec<u32> = (0..states as u32).filter(|_| rng.chance(0.3)).collect();
            if row.is_empty() {
                row.push(rng.below(states) as u32);
            }
            row
        };
        let successors = (0..states).map(&mut row).collect();
        let labels = (0..states).map(|_| [rng.chance(0.4), rng.chance(0.6), rng.chance(0.5)]).collect();
        Self { successors, labels }
    }

    /// From which states some path has a word in the automaton, whose atoms are sets of states.
    fn exists(&self, buchi: &Buchi, atoms: &[Vec<bool>]) -> Vec<bool> {
        let (states, letters) = (buchi.states() as u32, self.successors.len() as u32);
        let steps = |place: u32| {
            let (q, s) = (place / letters, place % letters);
            let mut has = |atom: u32| atoms[atom as usize][s as usize];
            let taken = buchi.edges(q).iter().filter(|edge| edge.guard.holds(&mut has)).map(|edge| edge.to);
            let targets: Vec<u32> = taken.collect();
            let next = &self.successors[s as usize];
            targets.into_iter().flat_map(|q| next.iter().map(move |s| q * letters + s)).collect::<Vec<_>>()
        };
        let all = states * letters;
        // the largest set from each of whose places an accepting one of it is reached by a step or
        // more
        let mut live = vec![true; all as usize];
        loop {
            let mut next = vec![false; all as usize];
            loop {
                let mut grown = false;
                for place in (0..all).filter(|&place| live[place as usize]) {
                    let goes = !next[place as usize]
                        && steps(place).into_iter().any(|to| {
                            next[to as usize] || (live[to as usize] && buchi.is_accepting(to / letters))
                        });
                    next[place as usize] |= goes;
                    grown |= goes;
                }
                if !grown {
                    break;
                }
            }
            if next == live {
                break;
            }
            live = next;
        }
        (0..letters).map(|s| buchi.initial().iter().any(|&q| live[(q * letters + s) as usize])).collect()
    }

    fn core(&self, core: &Core) -> Vec<bool> {
        let states = 0..self.successors.len();
        let mut sets: Vec<Vec<bool>> = Vec::new();
        for &node in core.nodes() {
            let of = |i: CoreId, s: usize| sets[i.index()][s];
            let path = |build: &mut LtlBuilder, root: LtlId, operands: &[CoreId]| {
                let atoms: Vec<Vec<bool>> = operands.iter().map(|&i| sets[i.index()].clone()).collect();
                let buchi = translate(&build.finish(root), &mut Budget::unlimited()).expect("no limit");
                self.exists(&buchi, &atoms)
            };
            let mut build = LtlBuilder::default();
            let (p, q) = (build.literal(0, true), build.literal(1, true));
            let set = match node {
                CoreNode::True => vec![true; self.successors.len()],
                CoreNode::Atom(atom) => {
                    let column = usize::from(core.atoms()[atom as usize].as_bytes()[0] - b'a');
                    self.labels.iter().map(|row| row[column]).collect()
                }
                CoreNode::Not(a) => states.clone().map(|s| !of(a, s)).collect(),
                CoreNode::And(a, b) => states.clone().map(|s| of(a, s) && of(b, s)).collect(),
                CoreNode::Or(a, b) => states.clone().map(|s| of(a, s) || of(b, s)).collect(),
                CoreNode::Ex(a) => {
                    let root = build.next(p);
                    path(&mut build, root, &[a])
                }
                CoreNode::Eg(a) => {
                    let root = build.always(p);
                    path(&mut build, root, &[a])
                }
                CoreNode::Eu(a, b) => {
                    let root = build.until(p, q);
                    path(&mut build, root, &[a, b])
                }
                CoreNode::E(i) => {
                    let path = &core.paths()[i as usize];
                    let atoms: Vec<Vec<bool>> =
                        path.operands.iter().map(|&i| sets[i.index()].clone()).collect();
                    let buchi = translate(&path.formula, &mut Budget::unlimited()).expect("no limit");
                    self.exists(&buchi, &atoms)
                }
            };
            sets.push(set);
        }
        sets[core.root().index()].clone()
    }

    /// By the text: each quantifier over the path formula as it is written, its quantified parts
    /// atoms.
    fn formula(&self, formula: &Formula) -> Vec<bool> {
        let mut atoms: Vec<Vec<bool>> = Vec::new();
        let mut build = LtlBuilder::default();
        let mut sides: Vec<[LtlId; 2]> = Vec::new();
        let leaf = |set: Vec<bool>, build: &mut LtlBuilder, atoms: &mut Vec<Vec<bool>>| {
            atoms.push(set);
            [true, false].map(|sign| build.literal(atoms.len() as u32 - 1, sign))
        };
        let some = |path: LtlId, build: &LtlBuilder, atoms: &[Vec<bool>]| {
            let buchi = translate(&build.finish(path), &mut Budget::unlimited()).expect("no limit");
            self.exists(&buchi, atoms)
        };
        for (_, node) in formula.nodes() {
            let of = |id: FormulaId| sides[id.index()];
            let pair = match node {
                Node::True => [build.constant(true), build.constant(false)],
                Node::False => [build.constant(false), build.constant(true)],
                Node::Atom(atom) => {
                    let column = usize::from(formula.atoms()[atom].as_bytes()[0] - b'a');
                    leaf(self.labels.iter().map(|row| row[column]).collect(), &mut build, &mut atoms)
                }
                Node::Not(p) => [of(p)[1], of(p)[0]],
                Node::And(p, q) => [build.and(of(p)[0], of(q)[0]), build.or(of(p)[1], of(q)[1])],
                Node::Or(p, q) => [build.or(of(p)[0], of(q)[0]), build.and(of(p)[1], of(q)[1])],
                Node::Implies(p, q) => [build.or(of(p)[1], of(q)[0]), build.and(of(p)[0], of(q)[1])],
                Node::Iff(p, q) => {
                    let forth = [build.or(of(p)[1], of(q)[0]), build.and(of(p)[0], of(q)[1])];
                    let back = [build.or(of(q)[1], of(p)[0]), build.and(of(q)[0], of(p)[1])];
                    [build.and(forth[0], back[0]), build.or(forth[1], back[1])]
                }
                Node::X(p) => of(p).map(|p| build.next(p)),
                Node::F(p) => [build.eventually(of(p)[0]), build.always(of(p)[1])],
                Node::G(p) => [build.always(of(p)[0]), build.eventually(of(p)[1])],
                Node::U(p, q) => [build.until(of(p)[0], of(q)[0]), build.release(of(p)[1], of(q)[1])],
                Node::R(p, q) => [build.release(of(p)[0], of(q)[0]), build.until(of(p)[1], of(q)[1])],
                Node::W(p, q) => {
                    let until = [build.until(of(p)[0], of(q)[0]), build.release(of(p)[1], of(q)[1])];
                    let always = [build.always(of(p)[0]), build.eventually(of(p)[1])];
                    [build.or(until[0], always[0]), build.and(until[1], always[1])]
                }
                Node::E(p) => leaf(some(of(p)[0], &build, &atoms), &mut build, &mut atoms),
                Node::A(p) => {
                    let none = some(of(p)[1], &build, &atoms).into_iter().map(|some| !some).collect();
                    leaf(none, &mut build, &mut atoms)
                }
            };
            sides.push(pair);
        }
        // a state formula holds if some path has it
        some(sides[formula.root().index()][0], &build, &atoms)
    }
}

#[test]
fn the_core_means_what_the_formula_means() {
    let mut rng = Rng::new(23);
    for i in 0..1500 {
        let formula = RandomStar::new(1 + i % 12).generate(&mut rng);
        let core = Core::star(&formula).expect("CTL*");
        let linear = RandomLtl::new(1 + i % 8).generate(&mut rng);
        let model = Kripke::random(&mut rng);
        let expected = model.formula(&formula);
        assert_eq!(model.core(&core), expected, "{formula}");
        let negated: Vec<bool> = expected.iter().map(|holds| !holds).collect();
        assert_eq!(model.core(&core.negated()), negated, "not {formula}");
        let all = Core::linear(&linear).expect("LTL");
        let text = format!("A ({linear})");
        assert_eq!(model.core(&all), model.formula(&parse(&text).expect("well-formed")), "{text}");
    }
}
