//! Büchi automata with guards on edges and acceptance on states.

use super::guard::Guard;
use loris_base::{Diagnostic, Diagnostics};
use std::sync::Arc;

/// More states than a file describes: a larger number is a mistake, not a table to allocate.
pub(super) const MAX_STATES: u64 = 1 << 20;

/// An edge to a state, for the letters that its guard takes.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Edge {
    /// Which letters it reads.
    pub guard: Guard,
    /// The state it leads to.
    pub to: u32,
}

/// A nondeterministic Büchi automaton.
///
/// ```
/// use loris_logic::automaton::{Buchi, Edge, Guard};
/// // infinitely often p
/// let row = || vec![Edge { guard: Guard::Atom(0), to: 1 }, Edge { guard: Guard::True, to: 0 }];
/// let buchi = Buchi::new(1, vec![0], vec![false, true], vec![row(), row()]).expect("consistent");
/// assert!(buchi.accepts_lasso(&[], &[vec![false], vec![true]]));
/// assert!(!buchi.accepts_lasso(&[vec![true]], &[vec![false]]));
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Buchi {
    pub(super) atoms: usize,
    pub(super) initial: Vec<u32>,
    pub(super) accepting: Vec<bool>,
    pub(super) edges: Arc<Vec<Vec<Edge>>>,
}

impl Buchi {
    /// An automaton over this many atoms with these initial states and, for each state, whether it
    /// is accepting and its edges.
    pub fn new(
        atoms: usize,
        initial: Vec<u32>,
        accepting: Vec<bool>,
        edges: Vec<Vec<Edge>>,
    ) -> Result<Buchi, Diagnostics> {
        Self::shared(atoms, initial, accepting, Arc::new(edges))
    }

    /// The same with edges that others have, too.
    pub(crate) fn shared(
        atoms: usize,
        initial: Vec<u32>,
        accepting: Vec<bool>,
        edges: Arc<Vec<Vec<Edge>>>,
    ) -> Result<Buchi, Diagnostics> {
        let mut problems = Diagnostics::default();
        let mut refuse = |message: String| problems.push(Diagnostic::global(message));
        let states = edges.len();
        if accepting.len() != states {
            refuse(format!("{states} states have edges, but {} are accepting or not", accepting.len()));
        }
        for &state in initial.iter().filter(|&&state| state as usize >= states) {
            refuse(format!("initial state {state} is not among the {states} states"));
        }
        for edge in edges.iter().flatten() {
            if edge.to as usize >= states {
                refuse(format!("an edge leads to {}, which is not among the {states} states", edge.to));
            }
            if edge.guard.atoms() > atoms {
                refuse(format!("a guard has atom {}, but there are {atoms} atoms", edge.guard.atoms() - 1));
            }
        }
        problems.into_result(Buchi { atoms, initial, accepting, edges })
    }

    /// How many states there are.
    pub fn states(&self) -> usize {
        self.edges.len()
    }

    /// Over how many atoms: guards have only smaller ones.
    pub fn atoms(&self) -> usize {
        self.atoms
    }

    /// Where runs start.
    pub fn initial(&self) -> &[u32] {
        &self.initial
    }

    /// Whether a run that visits the state infinitely often accepts.
    pub fn is_accepting(&self, state: u32) -> bool {
        self.accepting[state as usize]
    }

    /// The edges out of a state.
    pub fn edges(&self, state: u32) -> &[Edge] {
        &self.edges[state as usize]
    }

    /// Bytes held.
    pub fn bytes(&self) -> usize {
        let row = |row: &Vec<Edge>| {
            size_of::<Vec<Edge>>()
                + size_of::<Edge>() * row.capacity()
                + row.iter().map(|edge| edge.guard.bytes()).sum::<usize>()
        };
        self.initial.len() * 4 + self.accepting.len() + self.edges.iter().map(row).sum::<usize>()
    }

    /// Whether the state accepts every word by staying where it is: a run that gets there need not
    /// go on.
    pub fn is_universal(&self, state: u32) -> bool {
        let stays = |edge: &Edge| edge.to == state && edge.guard == Guard::True;
        self.is_accepting(state) && self.edges(state).iter().any(stays)
    }

    /// Whether the word `prefix · cycle^ω` is accepted. A letter holds a truth value per atom;
    /// atoms past its end are false.
    ///
    /// The obvious version, a search for a cycle through each accepting state in turn: quadratic.
    ///
    /// # Panics
    /// When the cycle is empty: that is not an infinite word.
    pub fn accepts_lasso(&self, prefix: &[Vec<bool>], cycle: &[Vec<bool>]) -> bool {
        assert!(!cycle.is_empty(), "the cycle has at least one letter");
        let letters: Vec<&Vec<bool>> = prefix.iter().chain(cycle).collect();
        let successors = |&(state, i): &(u32, usize)| {
            let has = |atom: u32| letters[i].get(atom as usize).copied().unwrap_or(false);
            let after = if i + 1 < letters.len() { i + 1 } else { prefix.len() };
            let taken = self.edges(state).iter().filter(move |edge| edge.guard.holds(&mut { has }));
            taken.map(|edge| (edge.to, after)).collect::<Vec<_>>()
        };
        let reachable = |start: Vec<(u32, usize)>| {
            let mut seen = vec![false; self.states() * letters.len()];
            let mut found = Vec::new();
            let mut work = start;
            while let Some(place) = work.pop() {
                let index = place.0 as usize * letters.len() + place.1;
                if !std::mem::replace(&mut seen[index], true) {
                    work.extend(successors(&place));
                    found.push(place);
                }
            }
            found
        };
        let starts = self.initial.iter().map(|&state| (state, 0)).collect();
        reachable(starts)
            .into_iter()
            .filter(|&(state, i)| self.is_accepting(state) && i >= prefix.len())
            .any(|place| reachable(successors(&place)).contains(&place))
    }
}
