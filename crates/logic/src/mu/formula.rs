//! Formulas of the mu-calculus in negation normal form, as flat arenas.

use super::actions::ActionSet;
use loris_base::{Idx, IndexVec, Names, Symbol};
use rustc_hash::{FxHashMap, FxHashSet};

loris_base::id! {
    /// A subformula of one [`MuFormula`].
    pub struct MuId;
}

loris_base::id! {
    /// A variable of one [`MuFormula`]; each is bound once.
    pub struct VarId;
}

loris_base::id! {
    /// A set of actions in one [`MuFormula`].
    pub struct ActionSetId;
}

/// Which solution of `Z = f(Z)` is meant.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Extremum {
    /// `mu`: the least fixpoint.
    Least,
    /// `nu`: the greatest fixpoint.
    Greatest,
}

/// One operator with its operands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Mu {
    /// `tt`
    True,
    /// `ff`
    False,
    /// A label of states.
    Atom(Symbol),
    /// The negation of a label of states.
    NotAtom(Symbol),
    /// Conjunction.
    And(MuId, MuId),
    /// Disjunction.
    Or(MuId, MuId),
    /// `<K> f`: some step with an action in K leads to a state where f holds.
    Diamond(ActionSetId, MuId),
    /// `[K] f`: every step with an action in K leads to a state where f holds.
    Box(ActionSetId, MuId),
    /// A bound variable.
    Var(VarId),
    /// `mu Z. f` or `nu Z. f`.
    Fix(Extremum, VarId, MuId),
}

impl Mu {
    /// The operands, from left to right.
    pub fn children(self) -> impl DoubleEndedIterator<Item = MuId> {
        let pair = match self {
            Mu::True | Mu::False | Mu::Atom(_) | Mu::NotAtom(_) | Mu::Var(_) => [None, None],
            Mu::Diamond(_, f) | Mu::Box(_, f) | Mu::Fix(_, _, f) => [Some(f), None],
            Mu::And(f, g) | Mu::Or(f, g) => [Some(f), Some(g)],
        };
        pair.into_iter().flatten()
    }
}

/// A closed formula of the mu-calculus in negation normal form: only labels are negated, every
/// variable is bound once, and subformulas that are equal are one node.
///
/// The nodes lie in a flat arena, children before parents, the root last.
///
/// ```
/// use loris_logic::mu::{self, Mu};
/// let formula = mu::parse("nu X. (mu Y. (p & <>X) | <>Y)").expect("well-formed");
/// assert_eq!(formula.to_string(), "nu X. mu Y. p & <>X | <>Y");
/// assert!(matches!(formula.node(formula.root()), Mu::Fix(..)));
/// ```
#[derive(Clone, Debug)]
pub struct MuFormula {
    nodes: IndexVec<MuId, Mu>,
    atoms: Names,
    sets: IndexVec<ActionSetId, ActionSet>,
    variables: IndexVec<VarId, Variable>,
    alternation_free: bool,
}

#[derive(Clone, Debug)]
struct Variable {
    name: String,
    extremum: Extremum,
    binder: MuId,
    body: MuId,
    occurrence: Option<MuId>,
    priority: u32,
}

impl MuFormula {
    /// The whole formula.
    pub fn root(&self) -> MuId {
        MuId::new(self.nodes.len() - 1)
    }

    /// The operator of a subformula.
    #[inline]
    pub fn node(&self, id: MuId) -> Mu {
        self.nodes[id]
    }

    /// All subformulas, children before parents.
    pub fn nodes(&self) -> impl DoubleEndedIterator<Item = (MuId, Mu)> {
        self.nodes.iter_enumerated().map(|(id, node)| (id, *node))
    }

    /// The number of distinct subformulas.
    #[expect(clippy::len_without_is_empty, reason = "a formula is never empty")]
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    /// The labels it mentions.
    pub fn atoms(&self) -> &Names {
        &self.atoms
    }

    /// A set of actions.
    pub fn actions(&self, id: ActionSetId) -> &ActionSet {
        &self.sets[id]
    }

    /// All sets of actions.
    pub fn action_sets(&self) -> impl ExactSizeIterator<Item = (ActionSetId, &ActionSet)> {
        self.sets.ids().map(|id| (id, &self.sets[id]))
    }

    /// The number of variables.
    pub fn variables(&self) -> usize {
        self.variables.len()
    }

    /// The name of a variable, unique in the formula.
    pub fn variable(&self, id: VarId) -> &str {
        &self.variables[id].name
    }

    /// The fixpoint that binds a variable.
    pub fn binder(&self, id: VarId) -> MuId {
        self.variables[id].binder
    }

    /// The body of the fixpoint that binds a variable.
    pub fn body(&self, id: VarId) -> MuId {
        self.variables[id].body
    }

    /// The node of a variable; none if the body does not mention it.
    pub fn variable_node(&self, id: VarId) -> Option<MuId> {
        self.variables[id].occurrence
    }

    /// Whether a variable stands for a least or a greatest fixpoint.
    pub fn extremum(&self, id: VarId) -> Extremum {
        self.variables[id].extremum
    }

    /// The priority of a variable in the parity game of the formula (compositional-3valued, A1):
    /// even for `nu`, odd for `mu`, and not above that of any variable that is free in its
    /// fixpoint. The largest priority that occurs infinitely often decides.
    pub fn priority(&self, id: VarId) -> u32 {
        self.variables[id].priority
    }

    /// Whether no two variables of different kind depend on each other.
    pub fn is_alternation_free(&self) -> bool {
        self.alternation_free
    }

    /// The same formula about the negation: `holds` and `fails` swap.
    #[must_use]
    pub fn negated(&self) -> Self {
        let mut builder = MuBuilder::default();
        let root = self.copied(true, &mut builder);
        builder.finish(root)
    }

    /// `[]f`: the formula holds after every step.
    #[must_use]
    pub fn after_a_step(&self) -> Self {
        let mut builder = MuBuilder::default();
        let root = self.copied(false, &mut builder);
        let root = builder.necessarily(ActionSet::all(), root);
        builder.finish(root)
    }

    /// The formula, or if `negated` its negation, in a builder.
    fn copied(&self, negated: bool, builder: &mut MuBuilder) -> MuId {
        let mut map: IndexVec<MuId, MuId> = IndexVec::default();
        let variables: Vec<VarId> = self
            .variables
            .iter()
            .map(|variable| {
                let extremum = match (variable.extremum, negated) {
                    (Extremum::Least, false) | (Extremum::Greatest, true) => Extremum::Least,
                    (Extremum::Greatest, false) | (Extremum::Least, true) => Extremum::Greatest,
                };
                builder.variable(&variable.name, extremum)
            })
            .collect();
        for node in self.nodes.as_slice() {
            let copy = match *node {
                Mu::True => builder.add(if negated { Mu::False } else { Mu::True }),
                Mu::False => builder.add(if negated { Mu::True } else { Mu::False }),
                Mu::Atom(atom) => builder.atom(&self.atoms[atom], !negated),
                Mu::NotAtom(atom) => builder.atom(&self.atoms[atom], negated),
                Mu::And(f, g) | Mu::Or(f, g) => {
                    let is_and = matches!(node, Mu::And(..)) != negated;
                    builder.add(if is_and { Mu::And(map[f], map[g]) } else { Mu::Or(map[f], map[g]) })
                }
                Mu::Diamond(set, f) | Mu::Box(set, f) => {
                    let (set, f) = (self.sets[set].clone(), map[f]);
                    let is_box = matches!(node, Mu::Box(..)) != negated;
                    if is_box { builder.necessarily(set, f) } else { builder.possibly(set, f) }
                }
                Mu::Var(variable) => builder.add(Mu::Var(variables[variable.index()])),
                Mu::Fix(_, variable, body) => builder.bind(variables[variable.index()], map[body]),
            };
            map.push(copy);
        }
        map[self.root()]
    }
}

/// Makes a [`MuFormula`] bottom-up. Equal subformulas become one node.
#[derive(Debug, Default)]
pub struct MuBuilder {
    nodes: IndexVec<MuId, Mu>,
    index: FxHashMap<Mu, MuId>,
    atoms: Names,
    sets: IndexVec<ActionSetId, ActionSet>,
    set_index: FxHashMap<ActionSet, ActionSetId>,
    variables: Vec<(String, Extremum)>,
    taken: FxHashSet<String>,
    /// the last number that was appended to a name
    numbers: FxHashMap<String, u32>,
}

impl MuBuilder {
    /// A node over operands that were added before.
    pub fn add(&mut self, node: Mu) -> MuId {
        if let Some(&id) = self.index.get(&node) {
            return id;
        }
        let id = self.nodes.push(node);
        self.index.insert(node, id);
        id
    }

    /// A label of states, or its negation.
    pub fn atom(&mut self, name: &str, positive: bool) -> MuId {
        let atom = self.atoms.intern(name);
        self.add(if positive { Mu::Atom(atom) } else { Mu::NotAtom(atom) })
    }

    /// A set of actions.
    pub fn set(&mut self, set: ActionSet) -> ActionSetId {
        if let Some(&id) = self.set_index.get(&set) {
            return id;
        }
        let id = self.sets.push(set.clone());
        self.set_index.insert(set, id);
        id
    }

    /// `<set> f`
    pub fn possibly(&mut self, set: ActionSet, f: MuId) -> MuId {
        let set = self.set(set);
        self.add(Mu::Diamond(set, f))
    }

    /// `[set] f`
    pub fn necessarily(&mut self, set: ActionSet, f: MuId) -> MuId {
        let set = self.set(set);
        self.add(Mu::Box(set, f))
    }

    /// `f & g`, without constants.
    pub fn and(&mut self, f: MuId, g: MuId) -> MuId {
        match (self.nodes[f], self.nodes[g]) {
            (Mu::True, _) | (_, Mu::False) => g,
            (_, Mu::True) | (Mu::False, _) => f,
            _ if f == g => f,
            _ => self.add(Mu::And(f, g)),
        }
    }

    /// `f | g`, without constants.
    pub fn or(&mut self, f: MuId, g: MuId) -> MuId {
        match (self.nodes[f], self.nodes[g]) {
            (Mu::False, _) | (_, Mu::True) => g,
            (_, Mu::False) | (Mu::True, _) => f,
            _ if f == g => f,
            _ => self.add(Mu::Or(f, g)),
        }
    }

    /// A new variable; its name gets a number if another one has the same.
    pub fn variable(&mut self, name: &str, extremum: Extremum) -> VarId {
        // other syntaxes have other signs in names
        let plain = |c: char| if c == '_' || c == '\'' || c.is_alphanumeric() { c } else { '_' };
        let mut name: String = name.chars().map(plain).collect();
        if !name.starts_with(|c: char| c == '_' || c.is_alphanumeric()) {
            name.insert(0, '_');
        }
        let id = VarId::new(self.variables.len());
        let mut unique = name.clone();
        while !self.taken.insert(unique.clone()) {
            let number = self.numbers.entry(name.clone()).or_insert(1);
            *number += 1;
            unique = format!("{name}{number}");
        }
        self.variables.push((unique, extremum));
        id
    }

    /// The fixpoint that binds a variable, once.
    pub fn bind(&mut self, variable: VarId, body: MuId) -> MuId {
        let extremum = self.variables[variable.index()].1;
        self.add(Mu::Fix(extremum, variable, body))
    }

    /// The closed formula with this root. Nodes that do not belong to it are dropped.
    pub fn finish(self, root: MuId) -> MuFormula {
        let mut used = vec![false; self.nodes.len()];
        used[root.index()] = true;
        for id in self.nodes.ids().rev() {
            if used[id.index()] {
                self.nodes[id].children().for_each(|child| used[child.index()] = true);
            }
        }
        let mut atoms = Names::default();
        let mut sets = IndexVec::default();
        let mut set_map: FxHashMap<ActionSetId, ActionSetId> = FxHashMap::default();
        let mut variable_map: Vec<Option<VarId>> = vec![None; self.variables.len()];
        let mut variables: IndexVec<VarId, Variable> = IndexVec::default();
        for (id, node) in self.nodes.iter_enumerated().rev() {
            // outer variables first
            if let (true, Mu::Fix(extremum, variable, body)) = (used[id.index()], *node) {
                let name = self.variables[variable.index()].0.clone();
                let new = Variable { name, extremum, binder: id, body, occurrence: None, priority: 0 };
                variable_map[variable.index()] = Some(variables.push(new));
            }
        }
        let mut map: IndexVec<MuId, Option<MuId>> = IndexVec::default();
        let mut nodes: IndexVec<MuId, Mu> = IndexVec::default();
        for (id, node) in self.nodes.iter_enumerated() {
            if !used[id.index()] {
                map.push(None);
                continue;
            }
            let of = |f: MuId| map[f].expect("children are used where their parents are");
            let bound = |v: VarId| variable_map[v.index()].expect("every variable is bound");
            let mut set_of =
                |set: ActionSetId| *set_map.entry(set).or_insert_with(|| sets.push(self.sets[set].clone()));
            let new = match *node {
                Mu::True => Mu::True,
                Mu::False => Mu::False,
                Mu::Atom(atom) => Mu::Atom(atoms.intern(&self.atoms[atom])),
                Mu::NotAtom(atom) => Mu::NotAtom(atoms.intern(&self.atoms[atom])),
                Mu::And(f, g) => Mu::And(of(f), of(g)),
                Mu::Or(f, g) => Mu::Or(of(f), of(g)),
                Mu::Diamond(set, f) => Mu::Diamond(set_of(set), of(f)),
                Mu::Box(set, f) => Mu::Box(set_of(set), of(f)),
                Mu::Var(variable) => Mu::Var(bound(variable)),
                Mu::Fix(extremum, variable, body) => Mu::Fix(extremum, bound(variable), of(body)),
            };
            map.push(Some(nodes.push(new)));
        }
        for variable in variables.ids() {
            let of = |f: MuId| map[f].expect("fixpoints of the formula are used");
            variables[variable].binder = of(variables[variable].binder);
            variables[variable].body = of(variables[variable].body);
        }
        for (id, node) in nodes.iter_enumerated() {
            if let Mu::Var(variable) = *node {
                variables[variable].occurrence = Some(id);
            }
        }
        // a variable must not look like a label
        let mut taken: FxHashSet<String> = atoms.iter().map(str::to_owned).collect();
        for variable in variables.ids() {
            let name = variables[variable].name.clone();
            let mut unique = name.clone();
            let mut number = 1;
            while taken.contains(&unique) || (number > 1 && self.taken.contains(&unique)) {
                number += 1;
                unique = format!("{name}{number}");
            }
            taken.insert(unique.clone());
            variables[variable].name = unique;
        }
        let mut formula = MuFormula { nodes, atoms, sets, variables, alternation_free: true };
        formula.assign_priorities();
        formula
    }
}

impl MuFormula {
    /// Inner to outer, the smallest admissible number. A variable is at least as high as every
    /// fixpoint inside its own in which it is free. Variables are numbered outer first, and the
    /// free variables of a node are kept as a sorted list, so that this takes time and memory in
    /// the size of the formula times the nesting of its fixpoints.
    fn assign_priorities(&mut self) {
        let mut free: IndexVec<MuId, Vec<VarId>> = IndexVec::default();
        for node in self.nodes.as_slice() {
            let mut list: Vec<VarId> = Vec::new();
            match *node {
                Mu::Var(variable) => list.push(variable),
                other => {
                    for child in other.children() {
                        list.extend_from_slice(&free[child]);
                    }
                    list.sort_unstable();
                    list.dedup();
                }
            }
            if let Mu::Fix(_, own, _) = *node {
                list.retain(|&variable| variable != own);
                // the fixpoints inside have raised it to what they need
                let lowest = self.variables[own].priority;
                let even = self.variables[own].extremum == Extremum::Greatest;
                let priority = if lowest.is_multiple_of(2) == even { lowest } else { lowest + 1 };
                self.variables[own].priority = priority;
                for &outer in &list {
                    self.alternation_free &= self.extremum(outer) == self.extremum(own);
                    let outer = &mut self.variables[outer];
                    outer.priority = outer.priority.max(priority);
                }
            }
            free.push(list);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::parse;

    /// The priorities of the variables, by name, and whether the formula is free of alternation.
    fn check(text: &str, expected: &[(&str, u32)], alternation_free: bool) {
        let formula = parse(text).expect("well-formed");
        for &(name, priority) in expected {
            let variable = (0..formula.variables())
                .map(<super::VarId as loris_base::Idx>::new)
                .find(|&variable| formula.variable(variable) == name)
                .expect("a variable of this name");
            assert_eq!(formula.priority(variable), priority, "{name} in {text}");
        }
        assert_eq!(formula.is_alternation_free(), alternation_free, "{text}");
    }

    #[test]
    fn priorities_by_dependency() {
        check("mu Z. (q | (p & []Z))", &[("Z", 1)], true);
        check("nu X. mu Y. ((p & <>X) | <>Y)", &[("X", 2), ("Y", 1)], false);
        // the inner fixpoint does not mention the outer variable
        check("nu X. ((mu Y. (p | <>Y)) & []X)", &[("X", 0), ("Y", 1)], true);
        check("mu X. nu Y. ((p & <>X) | [](q & Y))", &[("X", 1), ("Y", 0)], false);
        check("mu X. nu Y. mu Z. ((<>X | <>Y) | <>Z)", &[("X", 3), ("Y", 2), ("Z", 1)], false);
        // X is not free in the fixpoint of Z, but in that of Y, which Z depends on
        check("mu X. nu Y. ((p & <>X) | mu Z. (<>Y | <>Z))", &[("X", 3), ("Y", 2), ("Z", 1)], false);
    }

    #[test]
    fn after_a_step() {
        let formula = parse("nu X. mu Y. p & <>X | [a]Y").expect("well-formed");
        assert_eq!(formula.after_a_step().to_string(), "[](nu X. mu Y. p & <>X | [a]Y)");
    }

    #[test]
    fn negation_twice_is_the_formula() {
        for text in ["nu X. mu Y. p & <>X | [a]Y", "!p | <a>tt & [!b]ff"] {
            let formula = parse(text).expect("well-formed");
            assert_eq!(formula.negated().negated().to_string(), formula.to_string());
            assert_ne!(formula.negated().to_string(), formula.to_string());
        }
    }
}
