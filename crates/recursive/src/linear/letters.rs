//! The letters an automaton reads on a machine, and its steps under each.
//!
//! Vertices with the same atoms are of one class; only classes that occur are stepped through.
//! Among these letters the automaton is pruned: an edge goes if another under the same letter leads
//! to a state that [simulates](prune) its target, which leaves the accepted words as they were and
//! often makes the automaton deterministic. O(classes · states³) for that, once.

use crate::operand::Lanes;
use crate::parts::Parts;
use loris_base::{BitSet, Budget, Csr, Exhausted, Idx};
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
    /// Reads the labels of a machine; `labels[k]` is the meaning of atom `k`.
    pub(crate) fn new(rsm: &Rsm, labels: &[Option<LabelId>], budget: &mut Budget) -> Result<Self, Exhausted> {
        let mut letters = Self::constant(rsm.vertex_count(), budget)?;
        for (atom, label) in (0..).zip(labels) {
            let nodes = label.iter().flat_map(|&label| rsm.labelled(label));
            letters.add(atom, nodes.map(Idx::index), false, budget)?;
        }
        letters.at_ports(rsm, budget)
    }

    /// Reads the labels of a machine. Atom `k` of the automaton is the `k`-th predicate, over atoms
    /// of which `labels[j]` is the meaning of atom `j`.
    pub(crate) fn of_predicates(
        rsm: &Rsm,
        predicates: &[Predicate],
        labels: &[Option<LabelId>],
        budget: &mut Budget,
    ) -> Result<Self, Exhausted> {
        let mut letters = Self::constant(rsm.vertex_count(), budget)?;
        let bytes = rsm.vertex_count().div_ceil(8);
        let mut held = 0;
        let mut columns: Vec<Option<BitSet>> = vec![None; labels.len()];
        for (atom, predicate) in (0..).zip(predicates) {
            if let Some(single) = predicate.as_atom() {
                let nodes = labels[single as usize].iter().flat_map(|&label| rsm.labelled(label));
                letters.add(atom, nodes.map(Idx::index), false, budget)?;
                continue;
            }
            for place in predicate.atoms() {
                if columns[place as usize].is_some() {
                    continue;
                }
                // beside these, the states of the predicate itself
                budget.grow(&mut held, bytes * (2 + columns.iter().flatten().count()))?;
                let mut column = BitSet::empty(rsm.vertex_count());
                if let Some(label) = labels[place as usize] {
                    rsm.mark(label, column.words_mut());
                }
                columns[place as usize] = Some(column);
            }
            let word =
                |atom: u32, i: usize| columns[atom as usize].as_ref().map_or(0, |column| column.words()[i]);
            let mut carrying = BitSet::empty(rsm.vertex_count());
            for (i, lanes) in carrying.words_mut().iter_mut().enumerate() {
                budget.spend(1)?;
                *lanes = predicate.lanes(u64::MAX, |atom| word(atom, i));
            }
            let cells =
                carrying.iter().map(|cell| cell as usize).take_while(|&cell| cell < rsm.vertex_count());
            letters.add(atom, cells, predicate.lanes(1, |_| 0) == 1, budget)?;
        }
        budget.release(held);
        letters.at_ports(rsm, budget)
    }

    /// Ports have the letters of the nodes they stand for.
    fn at_ports(mut self, rsm: &Rsm, budget: &mut Budget) -> Result<Self, Exhausted> {
        for component in rsm.components() {
            let ports = rsm.vertices(component).skip(rsm.nodes(component).len());
            budget.spend(1 + ports.len())?;
            for port in ports {
                self.class[port.index()] = self.class[rsm.node_of(port).index()];
            }
        }
        Ok(self)
    }

    /// Letters whose atoms are given at every cell, and at the sink.
    pub(crate) fn of(
        cells: usize,
        atoms: &[(&[Lanes], bool)],
        budget: &mut Budget,
    ) -> Result<Self, Exhausted> {
        let mut letters = Self::constant(cells, budget)?;
        for (atom, &(values, at_sink)) in (0..).zip(atoms) {
            let carrying = values.iter().enumerate().filter(|(_, lanes)| **lanes != 0).map(|(cell, _)| cell);
            letters.add(atom, carrying, at_sink, budget)?;
        }
        Ok(letters)
    }

    /// Letters whose atoms are given as sets of cells, all cells alike.
    pub(crate) fn of_columns(cells: usize, atoms: &[BitSet], budget: &mut Budget) -> Result<Self, Exhausted> {
        let mut letters = Self::constant(cells, budget)?;
        for (atom, column) in (0..).zip(atoms) {
            letters.add(atom, column.iter().map(|cell| cell as usize), false, budget)?;
        }
        Ok(letters)
    }

    /// Adds an atom, larger than those before, to the letters of some cells.
    fn add(
        &mut self,
        atom: u32,
        mut cells: impl Iterator<Item = usize>,
        at_sink: bool,
        budget: &mut Budget,
    ) -> Result<(), Exhausted> {
        let mut with: FxHashMap<u32, u32> = FxHashMap::default();
        let Self { class, atoms, sink } = self;
        let mut extend = |class: &mut u32| -> Result<(), Exhausted> {
            budget.spend(1)?;
            if let Some(&known) = with.get(class) {
                *class = known;
                return Ok(());
            }
            let letter = &atoms[*class as usize];
            // its atoms, with the allocator's overhead, and its place in the table
            budget.charge(size_of::<Vec<u32>>() + 4 * letter.len() + 48)?;
            let more: Vec<u32> = letter.iter().copied().chain([atom]).collect();
            with.insert(*class, atoms.len() as u32);
            *class = atoms.len() as u32;
            atoms.push(more);
            Ok(())
        };
        cells.try_for_each(|cell| extend(&mut class[cell]))?;
        if at_sink {
            extend(sink)?;
        }
        Ok(())
    }

    /// This many cells of one letter.
    pub(crate) fn constant(cells: usize, budget: &mut Budget) -> Result<Self, Exhausted> {
        budget.charge(4 * cells)?;
        Ok(Self { class: vec![0; cells], atoms: vec![Vec::new()], sink: 0 })
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
    /// whether some group is accepting in part: then the places on a way through a call must be
    /// known
    pub(crate) is_mixed: bool,
}

impl Steps {
    /// The steps of an automaton under the letters of a machine.
    pub(crate) fn new(buchi: &Buchi, letters: &Letters, budget: &mut Budget) -> Result<Self, Exhausted> {
        let states = buchi.states();
        let mut next = Csr::default();
        let mut row: Vec<u32> = Vec::new();
        for letter in &letters.atoms {
            for state in 0..states as u32 {
                let mut steps = 1 + buchi.edges(state).len();
                let mut has = |atom: u32| {
                    steps += 1;
                    letter.binary_search(&atom).is_ok()
                };
                row.clear();
                row.extend(
                    buchi.edges(state).iter().filter(|edge| edge.guard.holds(&mut has)).map(|edge| edge.to),
                );
                row.sort_unstable();
                row.dedup();
                budget.spend(steps)?;
                push_row(&mut next, &row, budget)?;
            }
        }
        let accepting: Vec<bool> = (0..states as u32).map(|state| buchi.is_accepting(state)).collect();
        Self::finish(next, buchi.initial().to_vec(), accepting, budget)
    }

    /// Accepts every infinite run.
    pub(crate) fn all(budget: &mut Budget) -> Result<Self, Exhausted> {
        let mut next = Csr::default();
        next.push_row([0]);
        Self::finish(next, vec![0], vec![true], budget)
    }

    /// Goes on as long as the first atom holds, and accepts if that is forever.
    pub(crate) fn while_first(letters: &Letters, budget: &mut Budget) -> Result<Self, Exhausted> {
        let mut next = Csr::default();
        for letter in &letters.atoms {
            push_row(&mut next, if letter.first() == Some(&0) { &[0] } else { &[] }, budget)?;
        }
        Self::finish(next, vec![0], vec![true], budget)
    }

    /// Given where each state goes under each letter, which is declared already.
    fn finish(
        mut next: Csr,
        mut initial: Vec<u32>,
        accepting: Vec<bool>,
        budget: &mut Budget,
    ) -> Result<Self, Exhausted> {
        let states = accepting.len();
        prune(&mut next, &mut initial, &accepting, budget)?;
        // the edges backwards; beside them for a while all edges whatever the letter, and their
        // components
        let backwards = 4 * (next.rows() + next.len());
        let beside = 4 * next.len() + 32 * states;
        budget.charge(backwards + beside)?;
        budget.spend(next.rows() + next.len())?;
        let pairs = next.pairs().map(|(from, to)| {
            let (class, state) = (from as usize / states, from as usize % states);
            ((class * states + to as usize) as u32, state as u32)
        });
        let before = Csr::from_pairs(next.rows(), pairs);
        let mut whole = Csr::default();
        let mut row: Vec<u32> = Vec::new();
        for state in 0..states {
            row.clear();
            let rows = (state..next.rows()).step_by(states);
            row.extend(rows.flat_map(|of| next.row(of)));
            row.sort_unstable();
            row.dedup();
            budget.spend(1 + row.len())?;
            whole.push_row(row.iter().copied());
        }
        let parts = Parts::new(&whole);
        budget.release(beside);
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
        Ok(Self { states, initial, accepting, next, before, group, is_live, is_mixed })
    }

    /// Per class and state, whether the word of that letter forever is accepted from there.
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

/// Appends a row and declares it.
fn push_row(rows: &mut Csr, row: &[u32], budget: &mut Budget) -> Result<(), Exhausted> {
    budget.charge(4 + 4 * row.len())?;
    if rows.len() + row.len() >= u32::MAX as usize {
        return Err(Exhausted::Memory);
    }
    rows.push_row(row.iter().copied());
    Ok(())
}

/// More work than this costs more than pruning saves.
const MOST_COMPARISONS: usize = 20_000_000;
/// Comparisons in the time of a step.
const COMPARISONS_PER_STEP: usize = 4;

/// Drops edges to states that another target of the same row simulates directly: it accepts
/// wherever the other does, now and after every letter.
fn prune(
    next: &mut Csr,
    initial: &mut Vec<u32>,
    accepting: &[bool],
    budget: &mut Budget,
) -> Result<(), Exhausted> {
    let states = accepting.len();
    if states < 2 || next.len().saturating_mul(states * states) > MOST_COMPARISONS {
        return Ok(());
    }
    // simulates[a · states + b]: b does all that a does
    budget.charge(states * states)?;
    let mut simulates: Vec<bool> =
        (0..states * states).map(|pair| !accepting[pair / states] || accepting[pair % states]).collect();
    let classes = next.rows() / states;
    let mut changed = true;
    while changed {
        changed = false;
        for pair in 0..states * states {
            let (a, b) = (pair / states, pair % states);
            let mut steps = 0;
            let mut answers = |class: usize| {
                let (row, other) = (next.row(class * states + a), next.row(class * states + b));
                steps += 1 + row.len() * other.len() / COMPARISONS_PER_STEP;
                row.iter().all(|&to| other.iter().any(|&by| simulates[to as usize * states + by as usize]))
            };
            if simulates[pair] && !(0..classes).all(&mut answers) {
                simulates[pair] = false;
                changed = true;
            }
            budget.spend(1 + steps)?;
        }
    }
    let keep = |all: &[u32]| -> Vec<u32> {
        let is_beaten = |&&state: &&u32| {
            all.iter().any(|&other| {
                let (to, fro) =
                    (state as usize * states + other as usize, other as usize * states + state as usize);
                // of two that simulate each other the first stays
                other != state && simulates[to] && (!simulates[fro] || other < state)
            })
        };
        all.iter().filter(|state| !is_beaten(state)).copied().collect()
    };
    *initial = keep(initial);
    let mut kept = Csr::default();
    for row in 0..next.rows() {
        budget.spend(1 + next.row(row).len() * next.row(row).len() / COMPARISONS_PER_STEP)?;
        push_row(&mut kept, &keep(next.row(row)), budget)?;
    }
    budget.release(4 * (next.rows() + next.len()) + states * states);
    *next = kept;
    Ok(())
}
