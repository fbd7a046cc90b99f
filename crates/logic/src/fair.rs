//! Quantifiers over fair paths only, expressed in CTL*.

use crate::formula::{Formula, FormulaBuilder, FormulaId, Node};
use crate::quantify::{Existentials, requantified};
use loris_base::IndexVec;
use rustc_hash::FxHashMap;

/// Fairness conditions on paths, by names of atoms.
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
    /// Conditions that must hold infinitely often.
    pub justice: Vec<String>,
    /// If the first holds infinitely often, so does the second.
    pub compassion: Vec<(String, String)>,
}

impl Fairness {
    /// Whether every path is fair.
    pub fn is_empty(&self) -> bool {
        self.justice.is_empty() && self.compassion.is_empty()
    }

    /// A formula of states, CTL or CTL*, whose quantifiers count fair paths only: `E φ` becomes
    /// `E (φ & fair)`, `A φ` becomes `A (fair -> φ)`.
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

    /// A formula of CTL about fair paths only, for a checker that knows which states fair paths
    /// start in (the atom [`FAIR`]) and counts fair paths in `EG`: for all other operators it is
    /// enough that they end in a state where one starts (Emerson and Lei). Otherwise a formula true
    /// of some path would count as true where no path is fair.
    ///
    /// # Panics
    /// If the formula is not of CTL.
    #[must_use]
    pub fn of_ctl(formula: &Formula) -> Formula {
        let mut build = FormulaBuilder::default();
        let fair = build.atom(FAIR);
        requantified(formula, build, &mut FairPaths { fair })
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

/// Quantifiers over fair paths.
struct FairPaths {
    fair: FormulaId,
}

impl FairPaths {
    fn fairly(&self, build: &mut FormulaBuilder, of: FormulaId) -> FormulaId {
        build.add(Node::And(of, self.fair))
    }
}

impl Existentials for FairPaths {
    fn next(&mut self, build: &mut FormulaBuilder, of: FormulaId) -> FormulaId {
        let next = self.fairly(build, of);
        let next = build.add(Node::X(next));
        build.add(Node::E(next))
    }

    fn until(&mut self, build: &mut FormulaBuilder, first: FormulaId, then: FormulaId) -> FormulaId {
        let then = self.fairly(build, then);
        let until = build.add(Node::U(first, then));
        build.add(Node::E(until))
    }

    fn always(&mut self, build: &mut FormulaBuilder, of: FormulaId) -> FormulaId {
        let of = self.fairly(build, of);
        let always = build.add(Node::G(of));
        build.add(Node::E(always))
    }
}

/// The atom of states that some fair path starts in ([`Fairness::of_ctl`]).
pub const FAIR: &str = "a fair path starts here";

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
