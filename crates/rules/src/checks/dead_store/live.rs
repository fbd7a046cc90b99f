//! Which local variables may be used, before each instruction.

use crate::checks::method::Code;
use loris_base::{BitRows, Csr, clear_bit, set_bit, unite, words_for};
use loris_java::class::Op;

/// The most bits of liveness that are kept for a method.
const LARGEST: usize = 1 << 26;

/// Which local variables may be used before they are overwritten, before each instruction.
pub(super) struct Live(BitRows);

impl Live {
    /// Uses that are `ignored` do not count. `None` if the method is too large.
    pub(super) fn new(code: &Code<'_>, ignored: &dyn Fn(usize) -> bool) -> Option<Self> {
        let slots = usize::from(code.body.code.max_locals);
        let words = words_for(slots.max(1));
        if code.len() * words * 64 > LARGEST {
            return None;
        }
        let mut live = Self(BitRows::new(code.len(), slots.max(1)));
        let mut row = vec![0; words];
        // backwards twice: enough for most code
        for _ in 0..2 {
            let mut changed = false;
            for number in (0..code.len()).rev() {
                changed |= live.update(code, ignored, number, &mut row);
            }
            if !changed {
                return Some(live);
            }
        }
        // then only what is before a change
        let pairs = (0..code.len())
            .flat_map(|number| code.flow.all(number).map(move |next| (next as u32, number as u32)));
        let before = Csr::from_pairs(code.len(), pairs.collect::<Vec<_>>().into_iter());
        let mut work: Vec<usize> = (0..code.len()).collect();
        let mut waits = vec![true; code.len()];
        while let Some(number) = work.pop() {
            waits[number] = false;
            if live.update(code, ignored, number, &mut row) {
                for &before in before.row(number) {
                    if !std::mem::replace(&mut waits[before as usize], true) {
                        work.push(before as usize);
                    }
                }
            }
        }
        Some(live)
    }

    /// Computes what is live before an instruction anew; whether that changed.
    fn update(
        &mut self,
        code: &Code<'_>,
        ignored: &dyn Fn(usize) -> bool,
        number: usize,
        row: &mut [u64],
    ) -> bool {
        row.fill(0);
        for next in code.flow.next(number) {
            unite(row, self.0.row(next));
        }
        match code.op(number) {
            Op::Set(_, slot) => clear_bit(row, slot.into()),
            Op::Get(_, slot) if !ignored(number) => _ = set_bit(row, slot.into()),
            // an increment uses the value only for the next one: nothing to add
            _ => {}
        }
        for next in code.flow.handlers(number) {
            unite(row, self.0.row(next));
        }
        let known = self.0.row_mut(number);
        let changed = known != row;
        known.copy_from_slice(row);
        changed
    }

    /// Whether the value in a slot may be used at an instruction or after it.
    pub(super) fn before(&self, number: usize, slot: u16) -> bool {
        self.0.contains(number, slot.into())
    }

    /// Whether the value in a slot may be used after an instruction.
    pub(super) fn after(&self, code: &Code<'_>, number: usize, slot: u16) -> bool {
        code.flow.next(number).any(|next| self.before(next, slot))
    }
}
