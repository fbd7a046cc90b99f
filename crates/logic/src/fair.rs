//! Quantifiers that count fair paths only, said in CTL*.

use crate::formula::{Formula, FormulaBuilder, FormulaId, Node};
use loris_base::IndexVec;
use rustc_hash::FxHashMap;

/// What makes a path fair, in names of atoms.
///
/// ```
/// use loris_logic::{Fairness, parse};
/// let fairness = Fairness { justice: vec!["run".into()], compassion: vec![("ask".into(), "get".into())] };
/// let formula = parse("A G E F p").unwrap();
/// let fair = fairness.of_states(&formula);
/// assert_eq!(fair.to_string().matches("G F run").count(), 2);
/// assert_eq!(fairness.of_paths(&parse("G p").unwrap()).to_string(),
///            "G F run & (G F ask -> G F get) -> G p");
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Fairness {
    /// What must hold infinitely often.
    pub justice: Vec<String>,
    /// If the first holds infinitely often, so does the second.
    pub compassion: Vec<(String, String)>,
}

impl Fairness {
    /// Whether every path is fair.
    pub fn is_empty(&self) -> bool {
        self.justice.is_empty() && self.compassion.is_empty()
    }

    /// A formula of states, CTL or CTL*, whose quantifiers count fair paths only: `E φ` becomes `E (φ & fair)`, `A φ` becomes `A (fair -> φ)`.
    #[must_use]
    pub fn of_states(&self, formula: &Formula) -> Formula {
        if self.is_empty() {
            return formula.clone();
        }
        let mut build = FormulaBuilder::default();
        let fair = self.condition(&mut build);
        let root = copied(
            formula,
            &mut build,
            |name| name,
            |build, node, span| match node {
                Node::E(of) => {
                    let both = build.add_at(Node::And(of, fair), span);
                    build.add_at(Node::E(both), span)
                }
                Node::A(of) => {
                    let implied = build.add_at(Node::Implies(fair, of), span);
                    build.add_at(Node::A(implied), span)
                }
                other => build.add_at(other, span),
            },
        );
        build.finish(root)
    }

    /// A formula of CTL about fair paths only, for a checker that knows which states fair paths start in (the atom [`FAIR`]) and counts fair
    /// paths in `EG`: for all other operators it is enough that they end in a state where one starts (Emerson and Lei). Saying so keeps
    /// what is true of some path from being taken for true where no path is fair.
    ///
    /// # Panics
    /// If the formula is not of CTL.
    #[must_use]
    pub fn of_ctl(formula: &Formula) -> Formula {
        let mut build = FormulaBuilder::default();
        let fair = build.atom(FAIR);
        let mut place: IndexVec<FormulaId, FormulaId> = IndexVec::new();
        for (_, node) in formula.nodes() {
            let made = match node {
                Node::Atom(atom) => build.atom(&formula.atoms()[atom]),
                Node::E(of) | Node::A(of) => {
                    let path = formula.node(of);
                    let operands: Vec<FormulaId> = path.children().map(|child| place[child]).collect();
                    let mut quantify = Quantify { build: &mut build, fair };
                    match node {
                        Node::E(_) => quantify.some(path, &operands),
                        _ => quantify.all(path, &operands),
                    }
                }
                // the operands of these are looked at where they are quantified
                path if path.is_temporal() => fair,
                other => build.add(other.map(|child| place[child])),
            };
            place.push(made);
        }
        build.finish(place[formula.root()])
    }

    /// A formula of LTL that is asked of fair paths only: `fair -> φ`.
    #[must_use]
    pub fn of_paths(&self, formula: &Formula) -> Formula {
        if self.is_empty() {
            return formula.clone();
        }
        let mut build = FormulaBuilder::default();
        let fair = self.condition(&mut build);
        let of = copied(formula, &mut build, |name| name, FormulaBuilder::add_at);
        let root = build.add(Node::Implies(fair, of));
        build.finish(root)
    }

    /// That a path is fair.
    fn condition(&self, build: &mut FormulaBuilder) -> FormulaId {
        let again = |build: &mut FormulaBuilder, name: &str| {
            let atom = build.atom(name);
            let some = build.add(Node::F(atom));
            build.add(Node::G(some))
        };
        let mut all: Vec<FormulaId> = self.justice.iter().map(|name| again(build, name)).collect();
        for (from, to) in &self.compassion {
            let (from, to) = (again(build, from), again(build, to));
            all.push(build.add(Node::Implies(from, to)));
        }
        let first = all[0];
        all[1..].iter().fold(first, |left, &right| build.add(Node::And(left, right)))
    }
}

/// The atom of states that some fair path starts in ([`Fairness::of_ctl`]).
pub const FAIR: &str = "a fair path starts here";

/// Quantifiers over fair paths.
struct Quantify<'a> {
    build: &'a mut FormulaBuilder,
    fair: FormulaId,
}

impl Quantify<'_> {
    fn not(&mut self, of: FormulaId) -> FormulaId {
        self.build.add(Node::Not(of))
    }

    fn fairly(&mut self, of: FormulaId) -> FormulaId {
        self.build.add(Node::And(of, self.fair))
    }

    fn next(&mut self, of: FormulaId) -> FormulaId {
        let next = self.fairly(of);
        let next = self.build.add(Node::X(next));
        self.build.add(Node::E(next))
    }

    fn until(&mut self, first: FormulaId, then: FormulaId) -> FormulaId {
        let then = self.fairly(then);
        let until = self.build.add(Node::U(first, then));
        self.build.add(Node::E(until))
    }

    fn always(&mut self, of: FormulaId) -> FormulaId {
        let of = self.fairly(of);
        let always = self.build.add(Node::G(of));
        self.build.add(Node::E(always))
    }

    fn finally(&mut self, of: FormulaId) -> FormulaId {
        let anything = self.build.add(Node::True);
        self.until(anything, of)
    }

    fn release(&mut self, first: FormulaId, second: FormulaId) -> FormulaId {
        let both = self.build.add(Node::And(first, second));
        let (until, always) = (self.until(second, both), self.always(second));
        self.build.add(Node::Or(until, always))
    }

    fn weak_until(&mut self, first: FormulaId, then: FormulaId) -> FormulaId {
        let (until, always) = (self.until(first, then), self.always(first));
        self.build.add(Node::Or(until, always))
    }

    /// On some fair path.
    fn some(&mut self, path: Node, operands: &[FormulaId]) -> FormulaId {
        match (path, operands) {
            (Node::X(_), &[p]) => self.next(p),
            (Node::F(_), &[p]) => self.finally(p),
            (Node::G(_), &[p]) => self.always(p),
            (Node::U(..), &[p, q]) => self.until(p, q),
            (Node::W(..), &[p, q]) => self.weak_until(p, q),
            (Node::R(..), &[p, q]) => self.release(p, q),
            _ => unreachable!("in CTL a quantifier stands before a temporal operator"),
        }
    }

    /// On all fair paths: what no fair path refutes.
    fn all(&mut self, path: Node, operands: &[FormulaId]) -> FormulaId {
        let negated: Vec<FormulaId> = operands.iter().map(|&operand| self.not(operand)).collect();
        let refuted = match (path, &negated[..]) {
            (Node::X(_), &[p]) => self.next(p),
            (Node::F(_), &[p]) => self.always(p),
            (Node::G(_), &[p]) => self.finally(p),
            (Node::U(..), &[p, q]) => self.release(p, q),
            (Node::W(..), &[p, q]) => {
                let neither = self.build.add(Node::And(p, q));
                self.until(q, neither)
            }
            (Node::R(..), &[p, q]) => self.until(p, q),
            _ => unreachable!("in CTL a quantifier stands before a temporal operator"),
        };
        self.not(refuted)
    }
}

impl Formula {
    /// The same formula over other names of atoms, one for each.
    ///
    /// # Panics
    /// If there are not as many names as atoms.
    #[must_use]
    pub fn renamed<'a>(&'a self, names: &'a [String]) -> Formula {
        assert_eq!(names.len(), self.atoms().len(), "every atom gets a name");
        let numbers: FxHashMap<&str, usize> =
            self.atoms().iter().enumerate().map(|(number, name)| (name, number)).collect();
        let mut build = FormulaBuilder::default();
        let root = copied(self, &mut build, |name| &names[numbers[name]], FormulaBuilder::add_at);
        build.finish(root)
    }
}

/// Adds a formula to others, operator by operator, its operands first.
fn copied<'a>(
    formula: &'a Formula,
    build: &mut FormulaBuilder,
    name: impl Fn(&'a str) -> &'a str,
    mut add: impl FnMut(&mut FormulaBuilder, Node, (u32, u32)) -> FormulaId,
) -> FormulaId {
    let mut place: IndexVec<FormulaId, FormulaId> = IndexVec::new();
    for (id, node) in formula.nodes() {
        let span = formula.span(id);
        place.push(match node {
            Node::Atom(atom) => build.atom_at(name(&formula.atoms()[atom]), span),
            other => add(build, other.map(|child| place[child]), span),
        });
    }
    place[formula.root()]
}
