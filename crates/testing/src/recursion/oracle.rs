//! The obvious slow way: unfold a machine that does not recurse into a finite Kripke structure and
//! label its states the textbook way. Shares no code with any engine.

use loris_base::{Csr, Idx, strong_components};
use loris_evidence::AtExit;
use loris_logic::mu::{Extremum, Mu, MuFormula, MuId};
use loris_logic::{Core, CoreId, CoreNode, Ltl, LtlId, LtlNode};
use loris_rsm::{BoxId, Rsm, Vertex, VertexKind};
use std::collections::HashMap;

pub type State = (Vec<BoxId>, Option<Vertex>);

/// All states reached from the initial ones, and their successors.
pub struct Unfolding<'a> {
    rsm: &'a Rsm,
    states: Vec<State>,
    successors: Vec<Vec<usize>>,
    initial: Vec<usize>,
}

impl<'a> Unfolding<'a> {
    /// Unfolds, or gives up beyond `most` states.
    pub fn new(rsm: &'a Rsm, at_exit: AtExit, most: usize) -> Option<Self> {
        Self::bounded(rsm, at_exit, usize::MAX, most)
    }

    /// Unfolds what lies under stacks of at most `height` boxes; steps out of that are left out.
    pub fn bounded(rsm: &'a Rsm, at_exit: AtExit, height: usize, most: usize) -> Option<Self> {
        let mut numbers: HashMap<State, usize> = HashMap::new();
        let mut states: Vec<State> = Vec::new();
        let mut successors: Vec<Vec<usize>> = Vec::new();
        let mut number = |state: State, states: &mut Vec<State>| {
            *numbers.entry(state.clone()).or_insert_with(|| {
                states.push(state);
                states.len() - 1
            })
        };
        let initial =
            rsm.initial().iter().map(|&node| number((Vec::new(), Some(node)), &mut states)).collect();
        while successors.len() < states.len() {
            if states.len() > most {
                return None;
            }
            let (stack, node) = states[successors.len()].clone();
            let next = step(rsm, &stack, node, at_exit);
            let low = next.into_iter().filter(|(stack, _)| stack.len() <= height);
            let next = low.map(|state| number(state, &mut states)).collect();
            successors.push(next);
        }
        Some(Self { rsm, states, successors, initial })
    }

    /// Per vertex, the fewest steps to a state at that node.
    pub fn distances(&self) -> Vec<Option<usize>> {
        let mut found = vec![None; self.rsm.vertex_count()];
        let mut seen = vec![false; self.states.len()];
        let mut now = self.initial.clone();
        for distance in 0.. {
            if now.is_empty() {
                break;
            }
            let fresh: Vec<usize> =
                now.into_iter().filter(|&s| !std::mem::replace(&mut seen[s], true)).collect();
            for node in fresh.iter().filter_map(|&s| self.states[s].1) {
                found[node.index()].get_or_insert(distance);
            }
            now = fresh.iter().flat_map(|&s| self.successors[s].iter().copied()).collect();
        }
        found
    }

    /// Whether a formula holds in all initial states.
    pub fn check(&self, formula: &Core) -> bool {
        let values = self.label(formula);
        self.initial.iter().all(|&s| values[formula.root().index()][s])
    }

    /// Whether a formula of the mu-calculus holds in all initial states, by nested fixpoints.
    pub fn check_mu(&self, formula: &MuFormula) -> bool {
        self.check_mu_below(formula, usize::MAX, true)
    }

    /// The same, if every formula is taken to have this value under stacks of this many boxes: a
    /// lower bound or an upper bound.
    pub fn check_mu_below(&self, formula: &MuFormula, height: usize, beyond: bool) -> bool {
        let mut variables = vec![Vec::new(); formula.variables()];
        let values = self.mu(formula, formula.root(), &mut variables, (height, beyond));
        self.initial.iter().all(|&s| values[s])
    }

    fn mu(
        &self,
        formula: &MuFormula,
        id: MuId,
        variables: &mut Vec<Vec<bool>>,
        (height, beyond): (usize, bool),
    ) -> Vec<bool> {
        let mut values = self.mu_of(formula, id, variables, (height, beyond));
        for (value, (stack, _)) in values.iter_mut().zip(&self.states) {
            if stack.len() >= height {
                *value = beyond;
            }
        }
        values
    }

    fn mu_of(
        &self,
        formula: &MuFormula,
        id: MuId,
        variables: &mut Vec<Vec<bool>>,
        cut: (usize, bool),
    ) -> Vec<bool> {
        let all = 0..self.states.len();
        match formula.node(id) {
            Mu::True => vec![true; self.states.len()],
            Mu::False => vec![false; self.states.len()],
            Mu::Atom(atom) => self.carrying(&formula.atoms()[atom]),
            Mu::NotAtom(atom) => {
                self.carrying(&formula.atoms()[atom]).into_iter().map(|carries| !carries).collect()
            }
            node @ (Mu::And(f, g) | Mu::Or(f, g)) => {
                let (f, g) = (self.mu(formula, f, variables, cut), self.mu(formula, g, variables, cut));
                let and = matches!(node, Mu::And(..));
                all.map(|s| if and { f[s] && g[s] } else { f[s] || g[s] }).collect()
            }
            Mu::Diamond(_, f) => {
                let f = self.mu(formula, f, variables, cut);
                all.map(|s| self.some(s, &f)).collect()
            }
            Mu::Box(_, f) => {
                let f = self.mu(formula, f, variables, cut);
                all.map(|s| self.successors[s].iter().all(|&next| f[next])).collect()
            }
            Mu::Var(variable) => variables[variable.index()].clone(),
            Mu::Fix(extremum, variable, body) => {
                variables[variable.index()] = vec![extremum == Extremum::Greatest; self.states.len()];
                loop {
                    let next = self.mu(formula, body, variables, cut);
                    if next == variables[variable.index()] {
                        return next;
                    }
                    variables[variable.index()] = next;
                }
            }
        }
    }

    /// Whether some infinite run from an initial state satisfies a formula over these atoms.
    pub fn some_run(&self, formula: &Ltl, atoms: &[String]) -> bool {
        let carries = |atom: &String| self.carrying(atom);
        let operands: Vec<Vec<bool>> = atoms.iter().map(carries).collect();
        let operands: Vec<&[bool]> = operands.iter().map(|values| &values[..]).collect();
        let values = self.exists(formula, &operands);
        self.initial.iter().any(|&s| values[s])
    }

    /// Which states carry a label.
    fn carrying(&self, label: &str) -> Vec<bool> {
        let label = self.rsm.label(label);
        let carries = |node: Vertex| label.is_some_and(|label| self.rsm.labels_of(node).any(|l| l == label));
        self.states.iter().map(|(_, node)| node.is_some_and(carries)).collect()
    }

    /// For a formula E[φ₁ U φ₂], the fewest steps from an initial state to the end of such a run.
    pub fn shortest(&self, formula: &Core, initial: usize) -> Option<usize> {
        let CoreNode::Eu(along, goal) = formula.nodes()[formula.root().index()] else { return None };
        let values = self.label(formula);
        let mut now = vec![self.initial[initial]];
        let mut seen = vec![false; self.states.len()];
        for distance in 0.. {
            if now.is_empty() {
                return None;
            }
            if now.iter().any(|&s| values[goal.index()][s]) {
                return Some(distance);
            }
            let passing = now.iter().filter(|&&s| values[along.index()][s]);
            let next: Vec<usize> = passing.flat_map(|&s| self.successors[s].iter().copied()).collect();
            now = next.into_iter().filter(|&s| !std::mem::replace(&mut seen[s], true)).collect();
        }
        None
    }

    fn label(&self, formula: &Core) -> Vec<Vec<bool>> {
        let mut values: Vec<Vec<bool>> = Vec::new();
        for &node in formula.nodes() {
            let at = |node: CoreId| &values[node.index()];
            let all = 0..self.states.len();
            let value: Vec<bool> = match node {
                CoreNode::True => vec![true; self.states.len()],
                CoreNode::Atom(k) => self.carrying(&formula.atoms()[k as usize]),
                CoreNode::Not(a) => all.map(|s| !at(a)[s]).collect(),
                CoreNode::And(a, b) => all.map(|s| at(a)[s] && at(b)[s]).collect(),
                CoreNode::Or(a, b) => all.map(|s| at(a)[s] || at(b)[s]).collect(),
                CoreNode::Ex(a) => all.map(|s| self.some(s, at(a))).collect(),
                CoreNode::Eg(a) => Self::iterate(at(a).clone(), |s, now| at(a)[s] && self.some(s, now)),
                CoreNode::Eu(a, b) => {
                    Self::iterate(at(b).clone(), |s, now| at(b)[s] || at(a)[s] && self.some(s, now))
                }
                CoreNode::E(path) => {
                    let path = &formula.paths()[path as usize];
                    let operands: Vec<&[bool]> = path.operands.iter().map(|&node| &at(node)[..]).collect();
                    self.exists(&path.formula, &operands)
                }
            };
            values.push(value);
        }
        values
    }

    /// Where a path formula holds on some path: its subformulas' truth is guessed along the way,
    /// and a guess is right if until formulas are fulfilled on a cycle (the tableau of Lichtenstein
    /// and Pnueli).
    fn exists(&self, formula: &Ltl, operands: &[&[bool]]) -> Vec<bool> {
        let nodes = formula.nodes();
        let temporal: Vec<usize> = (0..nodes.len())
            .filter(|&n| matches!(nodes[n], LtlNode::X(_) | LtlNode::U(..) | LtlNode::R(..)))
            .collect();
        assert!(temporal.len() <= 6, "a tableau of this size is not for tests");
        // an atom of the tableau: a state, and for each temporal formula whether it is to hold next
        // (for X, its operand)
        let guesses = 1usize << temporal.len();
        let truth = |s: usize, guess: usize| {
            let next = |n: usize| {
                let place = temporal.iter().position(|&t| t == n).expect("temporal");
                guess >> place & 1 == 1
            };
            let mut values: Vec<bool> = Vec::with_capacity(nodes.len());
            for (n, &node) in nodes.iter().enumerate() {
                let at = |n: LtlId| values[n.index()];
                let value = match node {
                    LtlNode::True => true,
                    LtlNode::False => false,
                    LtlNode::Atom(k) => operands[k as usize][s],
                    LtlNode::NotAtom(k) => !operands[k as usize][s],
                    LtlNode::And(a, b) => at(a) && at(b),
                    LtlNode::Or(a, b) => at(a) || at(b),
                    LtlNode::X(_) => next(n),
                    LtlNode::U(a, b) => at(b) || at(a) && next(n),
                    LtlNode::R(a, b) => at(b) && (at(a) || next(n)),
                };
                values.push(value);
            }
            values
        };
        let count = self.states.len() * guesses;
        let truths: Vec<Vec<bool>> = (0..count).map(|atom| truth(atom / guesses, atom % guesses)).collect();
        let fits = |atom: usize, after: usize| {
            temporal.iter().enumerate().all(|(place, &n)| {
                let next = match nodes[n] {
                    LtlNode::X(a) => truths[after][a.index()],
                    _ => truths[after][n],
                };
                ((atom % guesses) >> place & 1 == 1) == next
            })
        };
        let mut edges = Csr::default();
        for atom in 0..count {
            let after = self.successors[atom / guesses].iter();
            let after =
                after.flat_map(|&s| s * guesses..(s + 1) * guesses).filter(|&after| fits(atom, after));
            edges.push_row(after.map(|after| after as u32));
        }
        let parts = strong_components(&edges);
        let mut good = vec![false; count];
        for part in 0..parts.rows() {
            let members = parts.row(part);
            let inner = members.iter().any(|&a| edges.row(a as usize).iter().any(|b| members.contains(b)));
            let fulfilled = temporal.iter().all(|&n| match nodes[n] {
                LtlNode::U(_, b) => {
                    members.iter().any(|&a| truths[a as usize][b.index()] || !truths[a as usize][n])
                }
                _ => true,
            });
            let after = members.iter().flat_map(|&a| edges.row(a as usize));
            let reaches = after.into_iter().any(|&to| good[to as usize]);
            for &a in members.iter().filter(|_| inner && fulfilled || reaches) {
                good[a as usize] = true;
            }
        }
        let root = formula.root().index();
        let holds = |s: usize| (s * guesses..(s + 1) * guesses).any(|atom| good[atom] && truths[atom][root]);
        (0..self.states.len()).map(holds).collect()
    }

    fn some(&self, state: usize, values: &[bool]) -> bool {
        self.successors[state].iter().any(|&next| values[next])
    }

    fn iterate(mut now: Vec<bool>, value: impl Fn(usize, &[bool]) -> bool) -> Vec<bool> {
        loop {
            let next: Vec<bool> = (0..now.len()).map(|s| value(s, &now)).collect();
            if next == now {
                return now;
            }
            now = next;
        }
    }
}

/// Fig. 2 of lazy-rsm, with ports read as the states they stand for.
pub fn step(rsm: &Rsm, stack: &[BoxId], node: Option<Vertex>, at_exit: AtExit) -> Vec<State> {
    let Some(node) = node else { return vec![(Vec::new(), None)] };
    let (source, stack) = if rsm.is_exit(node) {
        let Some((&site, below)) = stack.split_last() else {
            return match at_exit {
                AtExit::Stop => Vec::new(),
                _ => vec![(Vec::new(), (at_exit == AtExit::Loop).then_some(node))],
            };
        };
        let exits = rsm.exits(rsm.callee(site));
        let exit = exits.iter().position(|&exit| exit == node).expect("an exit of the callee");
        (rsm.return_port(site, exit).expect("a port for every exit"), below)
    } else {
        (node, stack)
    };
    let land = |target: Vertex| match rsm.kind(target) {
        VertexKind::Node => (stack.to_vec(), Some(target)),
        VertexKind::Call(site) | VertexKind::Return(site) => {
            let mut stack = stack.to_vec();
            stack.push(site);
            (stack, Some(rsm.node_of(target)))
        }
    };
    assert!(rsm.successors(source).len() > 0, "stuck at vertex {}", source.index());
    rsm.successors(source).map(land).collect()
}
