//! Random formulas of LTL and CTL*, with a given number of operators.
//!
//! An operator is drawn for the root, the remaining operators are divided among its operands, and
//! so on down: all shapes occur, chains as well as balanced trees. The work lies on a stack of its
//! own; linear.

use crate::formula::{Formula, FormulaBuilder, FormulaId, Node};
use loris_base::Rng;

/// Formulas of LTL.
///
/// ```
/// use loris_base::Rng;
/// use loris_logic::{Core, RandomLtl};
/// let formula = RandomLtl::new(5).generate(&mut Rng::new(1));
/// assert!(Core::linear(&formula).is_ok());
/// ```
#[derive(Clone, Debug)]
pub struct RandomLtl {
    /// How many operators a formula has, not counting negations of atoms.
    pub operators: u32,
    /// The share of `X`, `F`, `G`, `U`, `W` and `R` among the operators; the others are boolean.
    pub temporal: f64,
    /// The atoms to choose from; without any, `true` stands for them.
    pub atoms: Vec<String>,
}

impl RandomLtl {
    /// Formulas of this many operators over three atoms.
    pub fn new(operators: u32) -> Self {
        Self { operators, temporal: 0.6, atoms: three_atoms() }
    }

    /// A formula; the same for the same state of the generator.
    pub fn generate(&self, rng: &mut Rng) -> Formula {
        let generator = Generator::new(rng, &self.atoms, self.temporal, 0.0);
        generator.run(Kind::Path, self.operators)
    }
}

/// State formulas of CTL*.
///
/// ```
/// use loris_base::Rng;
/// use loris_logic::{Core, RandomStar};
/// let formula = RandomStar::new(8).generate(&mut Rng::new(1));
/// assert!(Core::star(&formula).is_ok());
/// ```
#[derive(Clone, Debug)]
pub struct RandomStar {
    /// How many operators a formula has, quantifiers among them, not counting negations of atoms.
    pub operators: u32,
    /// The share of temporal operators among those in path formulas; the others are boolean.
    pub temporal: f64,
    /// The share of operands of temporal operators that are state formulas again.
    pub quantified: f64,
    /// The atoms to choose from; without any, `true` stands for them.
    pub atoms: Vec<String>,
}

impl RandomStar {
    /// Formulas of this many operators over three atoms.
    pub fn new(operators: u32) -> Self {
        Self { operators, temporal: 0.6, quantified: 0.25, atoms: three_atoms() }
    }

    /// A formula; the same for the same state of the generator.
    pub fn generate(&self, rng: &mut Rng) -> Formula {
        let generator = Generator::new(rng, &self.atoms, self.temporal, self.quantified);
        generator.run(Kind::State, self.operators)
    }
}

fn three_atoms() -> Vec<String> {
    ["a", "b", "c"].map(str::to_owned).to_vec()
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    State,
    Path,
}

type Unary = fn(FormulaId) -> Node;
type Binary = fn(FormulaId, FormulaId) -> Node;

/// Subformulas left to make; the next one on top, an operator below its operands.
enum Task {
    Formula(Kind, u32),
    Unary(Unary),
    Binary(Binary),
}

struct Generator<'r> {
    rng: &'r mut Rng,
    atoms: &'r [String],
    temporal: f64,
    quantified: f64,
    build: FormulaBuilder,
    tasks: Vec<Task>,
    done: Vec<FormulaId>,
}

impl<'r> Generator<'r> {
    fn new(rng: &'r mut Rng, atoms: &'r [String], temporal: f64, quantified: f64) -> Self {
        let build = FormulaBuilder::default();
        Self { rng, atoms, temporal, quantified, build, tasks: Vec::new(), done: Vec::new() }
    }

    fn run(mut self, kind: Kind, operators: u32) -> Formula {
        self.tasks.push(Task::Formula(kind, operators));
        while let Some(task) = self.tasks.pop() {
            let node = match task {
                Task::Formula(_, 0) => {
                    self.literal();
                    continue;
                }
                Task::Formula(kind, operators) => {
                    self.operator(kind, operators - 1);
                    continue;
                }
                Task::Unary(node) => node(self.pop()),
                Task::Binary(node) => {
                    let last = self.pop();
                    node(self.pop(), last)
                }
            };
            let id = self.build.add(node);
            self.done.push(id);
        }
        let root = self.pop();
        self.build.finish(root)
    }

    /// An operator over formulas of this many operators together.
    fn operator(&mut self, kind: Kind, rest: u32) {
        const UNARY: [Unary; 3] = [Node::X, Node::F, Node::G];
        const BINARY: [Binary; 3] = [Node::U, Node::W, Node::R];
        const JOINS: [Binary; 6] = [Node::And, Node::Or, Node::And, Node::Or, Node::Implies, Node::Iff];
        if kind == Kind::State && self.rng.chance(0.7) {
            let quantifier: Unary = if self.rng.chance(0.5) { Node::E } else { Node::A };
            self.tasks.extend([Task::Unary(quantifier), Task::Formula(Kind::Path, rest)]);
        } else if kind == Kind::Path && self.rng.chance(self.temporal) {
            if self.rng.chance(0.5) {
                self.tasks.push(Task::Unary(UNARY[self.rng.below(UNARY.len())]));
                self.operand(kind, rest);
            } else {
                self.pair(&BINARY, kind, rest);
            }
        } else if self.rng.chance(0.15) {
            self.tasks.extend([Task::Unary(Node::Not), Task::Formula(kind, rest)]);
        } else {
            self.pair(&JOINS, kind, rest);
        }
    }

    fn pair(&mut self, nodes: &[Binary], kind: Kind, rest: u32) {
        let node = nodes[self.rng.below(nodes.len())];
        let left = self.rng.below(rest as usize + 1) as u32;
        self.tasks.push(Task::Binary(node));
        self.operand(kind, rest - left);
        self.operand(kind, left);
    }

    fn operand(&mut self, kind: Kind, operators: u32) {
        let kind = if self.rng.chance(self.quantified) { Kind::State } else { kind };
        self.tasks.push(Task::Formula(kind, operators));
    }

    fn literal(&mut self) {
        if self.rng.chance(0.4) {
            self.tasks.push(Task::Unary(Node::Not));
        }
        let id = match self.atoms {
            [] => self.build.add(Node::True),
            atoms => self.build.atom(&atoms[self.rng.below(atoms.len())]),
        };
        self.done.push(id);
    }

    fn pop(&mut self) -> FormulaId {
        self.done.pop().expect("every operator comes after its operands")
    }
}

#[cfg(test)]
mod tests {
    use super::{RandomLtl, RandomStar};
    use crate::Core;
    use loris_base::Rng;

    #[test]
    fn formulas_are_of_their_logic() {
        let mut rng = Rng::new(5);
        for operators in [0, 1, 2, 5, 10, 40, 10_000] {
            for _ in 0..20 {
                assert!(Core::linear(&RandomLtl::new(operators).generate(&mut rng)).is_ok());
                assert!(Core::star(&RandomStar::new(operators).generate(&mut rng)).is_ok());
            }
        }
        let odd = RandomStar { operators: 3, temporal: 2.0, quantified: 1.0, atoms: Vec::new() };
        assert!(Core::star(&odd.generate(&mut rng)).is_ok());
    }

    #[test]
    fn the_stream_never_changes() {
        let mut rng = Rng::new(2026);
        assert_eq!(RandomLtl::new(6).generate(&mut rng).to_string(), "!a & (b | a) -> F (a & (!b <-> !c))");
        assert_eq!(RandomStar::new(8).generate(&mut rng).to_string(), "E [ X !a U b ] <-> A G G X !b");
    }
}
