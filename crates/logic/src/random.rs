//! Random formulas: of CTL as in the benchmarks of lazy-rsm, section 7.2, and of LTL and CTL*;
//! random automata.

mod automata;
mod paths;

pub use automata::RandomAutomaton;
pub use paths::{RandomLtl, RandomStar};

use crate::formula::{Formula, FormulaBuilder, FormulaId, Node};
use loris_base::Rng;

/// The shape of random formulas of CTL.
///
/// ```
/// use loris_base::Rng;
/// use loris_logic::{Core, RandomCtl};
/// let formula = RandomCtl::new(3).generate(&mut Rng::new(1));
/// assert!(Core::new(&formula).is_ok());
/// ```
#[derive(Clone, Debug)]
pub struct RandomCtl {
    /// How many quantifiers lie over the deepest atom: exactly this many.
    pub depth: u32,
    /// A boolean combination has at most this many operands.
    pub branching: u32,
    /// Each atom and each quantified formula is negated with this probability.
    pub negate: f64,
    /// The atoms to choose from; without any, `true` stands for them.
    pub atoms: Vec<String>,
}

impl RandomCtl {
    /// Formulas of this quantifier depth, and otherwise as in the paper.
    pub fn new(depth: u32) -> Self {
        Self { depth, branching: 2, negate: 0.5, atoms: ["a", "b", "c"].map(str::to_owned).to_vec() }
    }

    /// A formula; the same for the same state of the generator.
    pub fn generate(&self, rng: &mut Rng) -> Formula {
        let mut generator = Generator {
            config: self,
            rng,
            build: FormulaBuilder::default(),
            // as in the paper, the whole formula is not a combination unless it is propositional
            tasks: vec![match self.depth {
                0 => Task::Combination { depth: 0, exact: true },
                depth => Task::Quantified { depth, exact: true },
            }],
            done: Vec::new(),
        };
        while let Some(task) = generator.tasks.pop() {
            match task {
                Task::Combination { depth, exact } => generator.combination(depth, exact),
                Task::Quantified { depth, exact } => generator.quantified(depth, exact),
                Task::Literal(atom) => generator.literal(atom),
                Task::Apply(operator) => generator.apply(operator),
            }
        }
        let root = generator.pop();
        generator.build.finish(root)
    }
}

impl Default for RandomCtl {
    fn default() -> Self {
        Self::new(2)
    }
}

/// Past this many nodes only operators that the depth demands are added; samples of the paper have
/// up to 400.
const ENOUGH: usize = 5000;

#[derive(Clone, Copy)]
enum Operator {
    Not,
    And,
    Or,
    Ex,
    Eg,
    Eu,
}

/// Subformulas left to make; the next one on top, an operator below its operands.
#[derive(Clone, Copy)]
enum Task {
    /// A boolean combination of formulas of at most this depth, one of which has it if `exact`.
    Combination {
        depth: u32,
        exact: bool,
    },
    /// A quantifier over combinations of less depth.
    Quantified {
        depth: u32,
        exact: bool,
    },
    Literal(Option<usize>),
    Apply(Operator),
}

struct Generator<'r> {
    config: &'r RandomCtl,
    rng: &'r mut Rng,
    build: FormulaBuilder,
    tasks: Vec<Task>,
    done: Vec<FormulaId>,
}

impl Generator<'_> {
    fn combination(&mut self, depth: u32, exact: bool) {
        let full = self.build.len() > ENOUGH;
        if depth == 0 || (full && !exact) {
            return self.propositional(full);
        }
        // two draws: below quantifiers the samples of the paper branch more often than not
        let operands =
            if full { 1 } else { 1 + self.rng.below(self.most()).max(self.rng.below(self.most())) };
        let deepest = self.rng.below(operands);
        self.connectives(operands - 1);
        for i in 0..operands {
            let exact = exact && i == deepest;
            let depth = if exact { depth } else { 1 + self.at_most(depth - 1) };
            self.tasks.push(Task::Quantified { depth, exact });
        }
    }

    /// A combination of literals over different atoms.
    fn propositional(&mut self, full: bool) {
        let mut atoms: Vec<usize> = (0..self.config.atoms.len()).collect();
        if atoms.is_empty() {
            return self.tasks.push(Task::Literal(None));
        }
        let operands = if full { 1 } else { 1 + self.rng.below(self.most().min(atoms.len())) };
        self.connectives(operands - 1);
        for _ in 0..operands {
            let atom = atoms.swap_remove(self.rng.below(atoms.len()));
            self.tasks.push(Task::Literal(Some(atom)));
        }
    }

    fn most(&self) -> usize {
        self.config.branching.max(1) as usize
    }

    /// A random depth, the larger the likelier: the samples of the paper are nearly as deep
    /// everywhere.
    fn at_most(&mut self, depth: u32) -> u32 {
        let mut draw = || self.rng.below(depth as usize + 1) as u32;
        draw().max(draw()).max(draw())
    }

    fn connectives(&mut self, count: usize) {
        for _ in 0..count {
            let operator = if self.rng.chance(0.5) { Operator::And } else { Operator::Or };
            self.tasks.push(Task::Apply(operator));
        }
    }

    fn quantified(&mut self, depth: u32, exact: bool) {
        self.negation();
        let deep = Task::Combination { depth: depth - 1, exact };
        match self.rng.below(3) {
            0 => self.tasks.push(Task::Apply(Operator::Ex)),
            1 => self.tasks.push(Task::Apply(Operator::Eg)),
            _ => {
                self.tasks.push(Task::Apply(Operator::Eu));
                let shallow = Task::Combination { depth: self.at_most(depth - 1), exact: false };
                // either side of the until may be the deep one
                let sides = if self.rng.chance(0.5) { [deep, shallow] } else { [shallow, deep] };
                self.tasks.extend(sides);
                return;
            }
        }
        self.tasks.push(deep);
    }

    fn negation(&mut self) {
        if self.rng.chance(self.config.negate) {
            self.tasks.push(Task::Apply(Operator::Not));
        }
    }

    fn literal(&mut self, atom: Option<usize>) {
        self.negation();
        let id = match atom {
            Some(atom) => self.build.atom(&self.config.atoms[atom]),
            None => self.build.add(Node::True),
        };
        self.done.push(id);
    }

    fn apply(&mut self, operator: Operator) {
        let last = self.pop();
        let node = match operator {
            Operator::Not => Node::Not(last),
            Operator::And => Node::And(self.pop(), last),
            Operator::Or => Node::Or(self.pop(), last),
            Operator::Ex => Node::E(self.build.add(Node::X(last))),
            Operator::Eg => Node::E(self.build.add(Node::G(last))),
            Operator::Eu => {
                let first = self.pop();
                Node::E(self.build.add(Node::U(first, last)))
            }
        };
        let id = self.build.add(node);
        self.done.push(id);
    }

    fn pop(&mut self) -> FormulaId {
        self.done.pop().expect("every operator comes after its operands")
    }
}

#[cfg(test)]
mod tests {
    use super::RandomCtl;
    use crate::{Core, Formula, Node};
    use loris_base::{Idx, Rng};

    fn quantifier_depth(formula: &Formula) -> u32 {
        let mut depths: Vec<u32> = Vec::new();
        for (_, node) in formula.nodes() {
            let below = node.children().map(|child| depths[child.index()]).max().unwrap_or(0);
            depths.push(below + u32::from(node.is_quantifier()));
        }
        depths[formula.root().index()]
    }

    #[test]
    fn depth_is_exact_and_size_is_bounded() {
        for depth in [0, 1, 2, 3, 5, 8, 1000] {
            for seed in 0..50 {
                let formula = RandomCtl::new(depth).generate(&mut Rng::new(seed));
                assert_eq!(quantifier_depth(&formula), depth);
                assert!(formula.len() < 20_000, "{} nodes", formula.len());
                assert!(Core::new(&formula).is_ok());
            }
        }
    }

    #[test]
    fn sizes_are_like_those_of_the_paper() {
        // bytes of the 50 samples per depth, from 1 to 5, on average: 14, 31, 92, 403, 788
        for (depth, range) in [(1, 8..20), (2, 20..60), (3, 60..140), (4, 150..500), (5, 300..1000)] {
            let mut rng = Rng::new(7);
            let total: usize =
                (0..400).map(|_| RandomCtl::new(depth).generate(&mut rng).to_string().len()).sum();
            assert!(range.contains(&(total / 400)), "depth {depth}: {} bytes", total / 400);
        }
    }

    #[test]
    fn odd_parameters() {
        let odd = RandomCtl { depth: 2, branching: 0, negate: 1.0, atoms: Vec::new() };
        let formula = odd.generate(&mut Rng::new(3));
        assert!(formula.nodes().all(|(_, node)| !matches!(node, Node::Atom(_) | Node::And(..))));
    }

    #[test]
    fn the_stream_never_changes() {
        let formula = RandomCtl::new(2).generate(&mut Rng::new(2026));
        assert_eq!(formula.to_string(), "E G (!E G (!b & !a) | !E G (!c | !b))");
    }
}
