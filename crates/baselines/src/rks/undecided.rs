//! The undecided rest of a row after a local check, prepared so that answers of calls are followed
//! at once, not by checking the sub-structure again: a local check costs as much as the first one,
//! all later ones together do.
//!
//! Where all operands are known, a location of EG or EU that a check leaves undecided has ψ, and
//! not χ, so that its value is the ∨ of its successors. One that is t makes it t; it is f once all
//! are. Around a cycle of undecided locations, all have one value: for EU, f if nothing outside
//! gives them another (the least fixpoint), so strongly connected components are taken for one; for
//! EG there are no such cycles, a check would have returned t. A location of EX is the ∨ of the
//! calls it leads to, and no value goes further.
//!
//! Invariant: `left` counts the edges out of a part, to undecided locations outside and to calls
//! not followed or not f. The cells decided are those that [`deduce`](super::local::deduce) would
//! decide. Linear in the undecided rest, however many calls answer. The oracle is in
//! `tests/rks.rs`.

use super::local::{Path, Row};
use super::structure::Structure;
use loris_base::{Budget, Csr, Exhausted, Truth, strong_components};

/// In no part: a cell that is decided, or no location.
const NONE: u32 = u32::MAX;

/// The undecided locations of a row.
pub(super) struct Undecided {
    /// per cell, its part
    part_of: Vec<u32>,
    parts: Csr,
    /// per part
    left: Vec<u32>,
    /// whether values go from location to location: not for EX
    spreads: bool,
    work: Vec<u32>,
}

impl Undecided {
    /// The undecided rest of a row; no path for EX. All operands must be known, and a check must
    /// have seen that. Calls are not followed yet.
    pub(super) fn new(
        structure: &Structure<'_>,
        row: &Row,
        path: Option<Path>,
        budget: &mut Budget,
    ) -> Result<Self, Exhausted> {
        budget.charge(4 * structure.len() + 16 * row.undecided)?;
        budget.spend(structure.len())?;
        let is_open = |cell: usize| row.values[cell] == Truth::Unknown && structure.is_location(cell);
        let open: Vec<u32> =
            (0..structure.len()).filter(|&cell| is_open(cell)).map(|cell| cell as u32).collect();
        let mut part_of = vec![NONE; structure.len()];
        for (number, &cell) in (0..).zip(&open) {
            part_of[cell as usize] = number;
        }
        let mut parts = Csr::default();
        if path == Some(Path::Until) {
            let mut edges = Csr::default();
            for &cell in &open {
                let after = structure.successors(cell as usize).map(|after| part_of[after]);
                edges.push_row(after.filter(|&after| after != NONE));
            }
            let found = strong_components(&edges);
            for part in 0..found.rows() {
                parts.push_row(found.row(part).iter().map(|&number| open[number as usize]));
            }
        } else {
            for &cell in &open {
                parts.push_row([cell]);
            }
        }
        for part in 0..parts.rows() {
            parts.row(part).iter().for_each(|&cell| part_of[cell as usize] = part as u32);
        }
        let mut this =
            Self { left: vec![0; parts.rows()], part_of, parts, spreads: path.is_some(), work: Vec::new() };
        for part in 0..this.parts.rows() {
            let counts = |after: usize| match this.part_of[after] {
                NONE => !structure.is_location(after),
                other => this.spreads && other != part as u32,
            };
            let members = this.parts.row(part).iter();
            let edges = members.flat_map(|&cell| structure.successors(cell as usize));
            this.left[part] = edges.filter(|&after| counts(after)).count() as u32;
        }
        Ok(this)
    }

    /// Bytes to give back.
    pub(super) fn bytes(&self) -> usize {
        4 * self.part_of.len() + 16 * self.parts.len()
    }

    /// Follows a call whose value got known; adds the locations that this decides.
    pub(super) fn follow(
        &mut self,
        structure: &Structure<'_>,
        row: &mut Row,
        call: usize,
        round: u32,
        found: &mut Vec<u32>,
        budget: &mut Budget,
    ) -> Result<(), Exhausted> {
        let value = row.values[call];
        if !value.is_known() {
            return Ok(());
        }
        self.work.push(call as u32);
        while let Some(cell) = self.work.pop() {
            for before in structure.predecessors(cell as usize) {
                budget.spend(1)?;
                let part = self.part_of[before];
                if part == NONE || part == self.part_of[cell as usize] || row.values[before].is_known() {
                    continue;
                }
                if value == Truth::False {
                    debug_assert!(self.left[part as usize] > 0, "each edge is followed once");
                    self.left[part as usize] -= 1;
                    if self.left[part as usize] > 0 {
                        continue;
                    }
                }
                for &cell in self.parts.row(part as usize) {
                    row.decide(cell as usize, value, round);
                    found.push(cell);
                    if self.spreads {
                        self.work.push(cell);
                    }
                }
            }
        }
        Ok(())
    }
}
