//! The letters an automaton reads on a machine, and its steps under each.
//!
//! Vertices with the same atoms are of one class; only classes that occur are stepped through. Among
//! these letters the automaton is pruned: an edge goes if another under the same letter leads to a state
//! that [simulates](prune) its target, which leaves the accepted words as they were and often makes
//! the automaton deterministic. O(classes · states³) for that, once.

use crate::operand::Lanes;
use crate::parts::Parts;
use loris_base::{Csr, Idx};
use loris_finite::Column;
use loris_logic::Predicate;
use loris_logic::automaton::Buchi;
use loris_rsm::{LabelId, Rsm};
use rustc_hash::FxHashMap;

/// Which letter each cell is; vertices are the cells of a machine alone.
pub(crate) struct Letters {
    pub(crate) class: Vec<u32>,
    /// per class, the atoms it has
    pub(crate) atoms: Vec<Vec<u32>>,
    /// the class of the sink
    pub(crate) sink: u32,
}

impl Letters {
    /// Reads the labels of a machine; `labels[k]` is what atom `k` means.
    pub(crate) fn new(rsm: &Rsm, labels: &[Option<LabelId>]) -> Self {
        let mut letters = Self::constant(rsm);
        for (atom, label) in (0..).zip(labels) {
            let nodes = label.iter().flat_map(|&label| rsm.labelled(label));
            letters.add(atom, nodes.map(Idx::index), false);
        }
        letters.at_ports(rsm)
    }

    /// Reads the labels of a machine. Atom `k` of the automaton is the `k`-th predicate, over atoms of which
    /// `labels[j]` is what atom `j` means.
    pub(crate) fn of_predicates(rsm: &Rsm, predicates: &[Predicate], labels: &[Option<LabelId>]) -> Self {
        let mut letters = Self::constant(rsm);
        let mut columns: Vec<Option<Column>> = vec![None; labels.len()];
        for (atom, predicate) in (0..).zip(predicates) {
            if let Some(single) = predicate.as_atom() {
                let nodes = labels[single as usize].iter().flat_map(|&label| rsm.labelled(label));
                letters.add(atom, nodes.map(Idx::index), false);
                continue;
            }
            for place in predicate.atoms() {
                columns[place as usize].get_or_insert_with(|| {
                    let mut column = Column::empty(rsm.vertex_count());
                    if let Some(label) = labels[place as usize] {
                        rsm.mark(label, column.words_mut());
                    }
                    column
                });
            }
            let word =
                |atom: u32, i: usize| columns[atom as usize].as_ref().map_or(0, |column| column.words()[i]);
            let mut carrying = Column::empty(rsm.vertex_count());
            for (i, lanes) in carrying.words_mut().iter_mut().enumerate() {
                *lanes = predicate.lanes(u64::MAX, |atom| word(atom, i));
            }
            let cells =
                carrying.iter().map(|cell| cell as usize).take_while(|&cell| cell < rsm.vertex_count());
            letters.add(atom, cells, predicate.lanes(1, |_| 0) == 1);
        }
        letters.at_ports(rsm)
    }

    /// Ports have the letters of the nodes they stand for.
    fn at_ports(mut self, rsm: &Rsm) -> Self {
        for component in rsm.components() {
            for port in rsm.vertices(component).skip(rsm.nodes(component).len()) {
                self.class[port.index()] = self.class[rsm.node_of(port).index()];
            }
        }
        self
    }

    /// Letters whose atoms are given at every cell, and at the sink.
    pub(crate) fn of(cells: usize, atoms: &[(&[Lanes], bool)]) -> Self {
        let mut letters = Self { class: vec![0; cells], atoms: vec![Vec::new()], sink: 0 };
        for (atom, &(values, at_sink)) in (0..).zip(atoms) {
            let carrying = values.iter().enumerate().filter(|(_, lanes)| **lanes != 0).map(|(cell, _)| cell);
            letters.add(atom, carrying, at_sink);
        }
        letters
    }

    /// Letters whose atoms are given as sets of cells, all cells alike.
    pub(crate) fn of_columns(cells: usize, atoms: &[Column]) -> Self {
        let mut letters = Self { class: vec![0; cells], atoms: vec![Vec::new()], sink: 0 };
        for (atom, column) in (0..).zip(atoms) {
            letters.add(atom, column.iter().map(|cell| cell as usize), false);
        }
        letters
    }

    /// Adds an atom, larger than those before, to the letters of some cells.
    fn add(&mut self, atom: u32, cells: impl Iterator<Item = usize>, at_sink: bool) {
        let mut with: FxHashMap<u32, u32> = FxHashMap::default();
        let Self { class, atoms, sink } = self;
        let mut extend = |class: &mut u32| {
            *class = *with.entry(*class).or_insert_with(|| {
                let mut more = atoms[*class as usize].clone();
                more.push(atom);
                atoms.push(more);
                atoms.len() as u32 - 1
            });
        };
        cells.for_each(|cell| extend(&mut class[cell]));
        if at_sink {
            extend(sink);
        }
    }

    /// All of one letter.
    pub(crate) fn constant(rsm: &Rsm) -> Self {
        Self { class: vec![0; rsm.vertex_count()], atoms: vec![Vec::new()], sink: 0 }
    }
}

/// An automaton over the letters of a machine.
pub(crate) struct Steps {
    pub(crate) states: usize,
    pub(crate) initial: Vec<u32>,
    pub(crate) accepting: Vec<bool>,
    /// row `class · states + state`: where a state goes under a letter
    pub(crate) next: Csr,
    /// the same, backwards
    pub(crate) before: Csr,
    /// per state, its strongly connected group, over all letters
    pub(crate) group: Vec<u32>,
    /// per state, whether a run can accept within its group
    pub(crate) is_live: Vec<bool>,
    /// whether some group is accepting in part: then it must be known what lies on a way through a call
    pub(crate) is_mixed: bool,
}

impl Steps {
    /// The steps of an automaton under the letters of a machine.
    pub(crate) fn new(buchi: &Buchi, letters: &Letters) -> Self {
        let states = buchi.states();
        let mut rows: Vec<Vec<u32>> = Vec::with_capacity(letters.atoms.len() * states);
        for letter in &letters.atoms {
            for state in 0..states as u32 {
                let taken = buchi
                    .edges(state)
                    .iter()
                    .filter(|edge| edge.guard.holds(&mut |atom| letter.binary_search(&atom).is_ok()));
                let mut row: Vec<u32> = taken.map(|edge| edge.to).collect();
                row.sort_unstable();
                row.dedup();
                rows.push(row);
            }
        }
        let accepting: Vec<bool> = (0..states as u32).map(|state| buchi.is_accepting(state)).collect();
        Self::finish(rows, buchi.initial().to_vec(), accepting)
    }

    /// Accepts every infinite run.
    pub(crate) fn all() -> Self {
        Self::finish(vec![vec![0]], vec![0], vec![true])
    }

    /// Goes on as long as the first atom holds, and accepts if that is for ever.
    pub(crate) fn while_first(letters: &Letters) -> Self {
        let row = |letter: &Vec<u32>| if letter.first() == Some(&0) { vec![0] } else { Vec::new() };
        Self::finish(letters.atoms.iter().map(row).collect(), vec![0], vec![true])
    }

    fn finish(mut rows: Vec<Vec<u32>>, mut initial: Vec<u32>, accepting: Vec<bool>) -> Self {
        let states = accepting.len();
        prune(&mut rows, &mut initial, &accepting);
        let mut next = Csr::default();
        for row in &rows {
            next.push_row(row.iter().copied());
        }
        let pairs = rows.iter().enumerate().flat_map(|(from, row)| {
            let (class, state) = (from / states, from % states);
            row.iter().map(move |&to| ((class * states + to as usize) as u32, state as u32))
        });
        let before = Csr::from_pairs(rows.len(), pairs.clone());
        let mut whole = Csr::default();
        for state in 0..states {
            let mut row: Vec<u32> = rows.iter().skip(state).step_by(states).flatten().copied().collect();
            row.sort_unstable();
            row.dedup();
            whole.push_row(row.iter().copied());
        }
        let parts = Parts::new(&whole);
        let mut is_live = vec![false; states];
        let mut is_mixed = false;
        for (_, members) in parts.iter().filter(|&(part, _)| parts.loops(part)) {
            let accepts = members.iter().filter(|&&state| accepting[state as usize]).count();
            is_mixed |= accepts > 0 && accepts < members.len();
            for &state in members {
                is_live[state as usize] = accepts > 0;
            }
        }
        let group = parts.of;
        Self { states, initial, accepting, next, before, group, is_live, is_mixed }
    }

    /// Per class and state, whether the word of that letter for ever is accepted from there.
    pub(crate) fn for_ever(&self) -> Vec<bool> {
        let mut all = vec![false; self.next.rows()];
        for class in 0..self.next.rows() / self.states.max(1) {
            let first = class * self.states;
            let mut edges = Csr::default();
            for state in 0..self.states {
                edges.push_row(self.next.row(first + state).iter().copied());
            }
            let accepts =
                Parts::new(&edges).accepts(&edges, |_| false, |state| self.accepting[state as usize]);
            all[first..first + self.states].copy_from_slice(&accepts);
        }
        all
    }
}

/// More work than this is not worth what pruning saves.
const MOST_COMPARISONS: usize = 20_000_000;

/// Drops edges to states that another target of the same row simulates directly: it accepts wherever
/// the other does, now and after every letter.
fn prune(rows: &mut [Vec<u32>], initial: &mut Vec<u32>, accepting: &[bool]) {
    let states = accepting.len();
    let edges: usize = rows.iter().map(Vec::len).sum();
    if states < 2 || edges.saturating_mul(states * states) > MOST_COMPARISONS {
        return;
    }
    // simulates[a · states + b]: b does all that a does
    let mut simulates: Vec<bool> =
        (0..states * states).map(|pair| !accepting[pair / states] || accepting[pair % states]).collect();
    let mut changed = true;
    while changed {
        changed = false;
        for pair in 0..states * states {
            let (a, b) = (pair / states, pair % states);
            let answers = |row: &[Vec<u32>]| {
                row[a]
                    .iter()
                    .all(|&to| row[b].iter().any(|&by| simulates[to as usize * states + by as usize]))
            };
            if simulates[pair] && !rows.chunks(states).all(answers) {
                simulates[pair] = false;
                changed = true;
            }
        }
    }
    let keep = |row: &mut Vec<u32>| {
        let all = std::mem::take(row);
        for &state in &all {
            let is_beaten = all.iter().any(|&other| {
                let (to, fro) =
                    (state as usize * states + other as usize, other as usize * states + state as usize);
                // of two that simulate each other the first stays
                other != state && simulates[to] && (!simulates[fro] || other < state)
            });
            if !is_beaten {
                row.push(state);
            }
        }
    };
    rows.iter_mut().for_each(keep);
    keep(initial);
}
