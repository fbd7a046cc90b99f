//! Local checks (recursive-kripke, Algorithms 3.5 and 4.5): the values of a formula in one
//! sub-structure under one context, deduced from its operands and from the values assumed of its
//! calls.
//!
//! [`deduce`] decides EG ψ and E[ψ U χ] on the associated Kripke structure K twice: with the values
//! that are surely true, which decides t, and with those that may be, whose complement is f. For
//! both, EG ψ ∨ E[ψ U Φ] is the greatest set of locations with ψ that have a successor in it or in
//! Φ, and E[ψ U χ] ∨ E[ψ U Φ] the least set around χ and Φ; Φ are the calls, and the state ω after
//! the exit, where the formula is assumed.
//!
//! Invariant: a cell that is decided is never changed, and its value is right under every stack of
//! this context. Linear in the sub-structure. The oracle is the unfolding in `tests/rks.rs`.

use super::structure::Structure;
use loris_base::{Budget, Exhausted, Truth};

/// The values of a formula in a sub-structure under a context: a row of κ. At calls, the values
/// assumed of them (E12); cells that are neither location nor call are false.
#[derive(Clone, Default)]
pub(super) struct Row {
    pub(super) values: Vec<Truth>,
    /// per cell, the round that decided it; empty if that is not recorded
    pub(super) rounds: Vec<u32>,
    /// locations that are not decided
    pub(super) undecided: usize,
}

/// Decided by the rule for undecided cells, after all rounds.
pub(super) const LEFT_OVER: u32 = u32::MAX;

impl Row {
    /// Nothing known.
    pub(super) fn new(structure: &Structure<'_>, is_recorded: bool) -> Self {
        let mut values = vec![Truth::False; structure.len()];
        let mut undecided = 0;
        for cell in structure.locations() {
            values[cell] = Truth::Unknown;
            undecided += 1;
        }
        for call in structure.calls() {
            values[call.cell] = Truth::Unknown;
        }
        let rounds = if is_recorded { vec![0; structure.len()] } else { Vec::new() };
        Self { values, rounds, undecided }
    }

    /// Bytes of a row for a sub-structure.
    pub(super) fn bytes(structure: &Structure<'_>, is_recorded: bool) -> usize {
        structure.len() * if is_recorded { 5 } else { 1 } + size_of::<Self>()
    }

    /// Decides a location that is not decided yet.
    #[inline]
    pub(super) fn decide(&mut self, cell: usize, value: Truth, round: u32) {
        debug_assert!(self.values[cell] == Truth::Unknown && value.is_known());
        self.values[cell] = value;
        self.undecided -= 1;
        if let Some(decided) = self.rounds.get_mut(cell) {
            *decided = round;
        }
    }

    /// Decides all locations that are not decided by now.
    pub(super) fn decide_rest(&mut self, structure: &Structure<'_>, value: Truth) {
        if self.undecided > 0 {
            for cell in structure.locations() {
                if self.values[cell] == Truth::Unknown {
                    self.decide(cell, value, LEFT_OVER);
                }
            }
        }
    }

    /// ∨ over some locations.
    #[inline]
    pub(super) fn any(&self, mut cells: impl Iterator<Item = usize>) -> Truth {
        let mut any = Truth::False;
        while any != Truth::True
            && let Some(cell) = cells.next()
        {
            any = any.max(self.values[cell]);
        }
        any
    }
}

/// EG or EU.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Path {
    /// EG ψ.
    Always,
    /// E[ψ U χ].
    Until,
}

impl Path {
    /// The value of a location that no round decides: it lies on an infinite path of such
    /// locations.
    pub(super) fn left_over(self) -> Truth {
        match self {
            Path::Always => Truth::True,
            Path::Until => Truth::False,
        }
    }
}

/// Memory to be used again.
#[derive(Default)]
pub(super) struct Scratch {
    sure: Vec<bool>,
    possible: Vec<bool>,
    counts: Vec<u32>,
    work: Vec<u32>,
}

/// A question about one sub-structure: an operator, its operands, and the formula's own value after
/// the exit.
pub(super) struct Local<'a, P, C> {
    pub(super) structure: Structure<'a>,
    pub(super) path: Path,
    pub(super) psi: P,
    /// for EG, anything
    pub(super) chi: C,
    pub(super) top: bool,
}

/// Decides the cells of a row that can be decided; returns whether there were any.
pub(super) fn deduce<P: Fn(usize) -> Truth, C: Fn(usize) -> Truth>(
    local: &Local<'_, P, C>,
    row: &mut Row,
    round: u32,
    scratch: &mut Scratch,
    budget: &mut Budget,
) -> Result<bool, Exhausted> {
    if row.undecided == 0 {
        return Ok(false);
    }
    let structure = &local.structure;
    budget.spend(1 + 2 * structure.len())?;
    let Scratch { sure, possible, counts, work } = scratch;
    hold(local, row, Truth::True, sure, counts, work, budget)?;
    hold(local, row, Truth::Unknown, possible, counts, work, budget)?;
    let before = row.undecided;
    for cell in structure.locations() {
        if row.values[cell] == Truth::Unknown {
            if sure[cell] {
                row.decide(cell, Truth::True, round);
            } else if !possible[cell] {
                row.decide(cell, Truth::False, round);
            }
        }
    }
    Ok(row.undecided < before)
}

/// Where the formula holds on K if everything that is `least` or more is taken for true.
fn hold<P: Fn(usize) -> Truth, C: Fn(usize) -> Truth>(
    local: &Local<'_, P, C>,
    row: &Row,
    least: Truth,
    held: &mut Vec<bool>,
    counts: &mut Vec<u32>,
    work: &mut Vec<u32>,
    budget: &mut Budget,
) -> Result<(), Exhausted> {
    let Local { structure, path, psi, chi, top } = local;
    held.clear();
    held.resize(structure.len(), false);
    work.clear();
    for call in structure.calls() {
        held[call.cell] = row.values[call.cell] >= least;
    }
    // the exit goes on to ω, and nowhere else
    let leaves = |cell: usize| structure.exit == Some(cell) && *top && psi(cell) >= least;
    match path {
        Path::Until => {
            for cell in structure.locations() {
                held[cell] = chi(cell) >= least || leaves(cell);
            }
            work.extend((0..held.len()).filter(|&cell| held[cell]).map(|cell| cell as u32));
            while let Some(cell) = work.pop() {
                for before in structure.predecessors(cell as usize) {
                    budget.spend(1)?;
                    if !held[before] && structure.is_location(before) && psi(before) >= least {
                        held[before] = true;
                        work.push(before as u32);
                    }
                }
            }
        }
        Path::Always => {
            for cell in structure.locations() {
                held[cell] = if structure.exit == Some(cell) { leaves(cell) } else { psi(cell) >= least };
            }
            // per location in the set, how many successors it has there
            counts.clear();
            counts.resize(structure.len(), 1);
            for cell in structure.locations().filter(|&cell| structure.exit != Some(cell)) {
                if held[cell] {
                    counts[cell] = structure.successors(cell).filter(|&after| held[after]).count() as u32;
                    budget.spend(1 + counts[cell] as usize)?;
                    if counts[cell] == 0 {
                        work.push(cell as u32);
                    }
                }
            }
            while let Some(cell) = work.pop() {
                held[cell as usize] = false;
                for before in structure.predecessors(cell as usize) {
                    budget.spend(1)?;
                    if held[before] && structure.is_location(before) {
                        counts[before] -= 1;
                        if counts[before] == 0 {
                            work.push(before as u32);
                        }
                    }
                }
            }
        }
    }
    Ok(())
}
