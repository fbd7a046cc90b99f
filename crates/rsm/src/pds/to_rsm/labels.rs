//! The labels of a head: those of its control state, of its symbol, and its own.

use super::sparse::SparseRows;
use crate::pds::Pds;
use loris_base::Idx;
use rustc_hash::FxHashMap;

/// Labels of heads, and sets of labels as numbers.
pub(super) struct Labels {
    of_control: SparseRows,
    of_symbol: SparseRows,
    of_head: FxHashMap<(u32, u32), Vec<u32>>,
    sets: FxHashMap<Vec<u32>, u32>,
    list: Vec<Vec<u32>>,
    row: Vec<u32>,
}

impl Labels {
    /// Bytes that they will hold.
    pub(super) fn bytes(pds: &Pds) -> usize {
        SparseRows::bytes(pds.controls.len(), pds.control_labels.len())
            + SparseRows::bytes(pds.symbols.len(), pds.symbol_labels.len())
            + 80 * pds.head_labels.len()
    }

    pub(super) fn new(pds: &Pds) -> Self {
        let control =
            pds.control_labels.iter().map(|(control, label)| (control.index() as u32, label.index() as u32));
        let symbol =
            pds.symbol_labels.iter().map(|(symbol, label)| (symbol.index() as u32, label.index() as u32));
        let mut of_head: FxHashMap<(u32, u32), Vec<u32>> = FxHashMap::default();
        for &(control, symbol, label) in &pds.head_labels {
            of_head
                .entry((control.index() as u32, symbol.index() as u32))
                .or_default()
                .push(label.index() as u32);
        }
        Self {
            of_control: SparseRows::from_pairs(pds.controls.len(), control),
            of_symbol: SparseRows::from_pairs(pds.symbols.len(), symbol),
            of_head,
            // no label at all is set 0
            sets: FxHashMap::from_iter([(Vec::new(), 0)]),
            list: vec![Vec::new()],
            row: Vec::new(),
        }
    }

    /// Puts the labels of a head, or of a control state with an empty stack, into a row, in
    /// ascending order.
    pub(super) fn of(&self, control: u32, symbol: Option<u32>, row: &mut Vec<u32>) {
        row.clear();
        if self.is_bare(control, symbol) {
            return;
        }
        row.extend_from_slice(self.of_control.row(control as usize));
        if let Some(symbol) = symbol {
            row.extend_from_slice(self.of_symbol.row(symbol as usize));
            if !self.of_head.is_empty() {
                row.extend(self.of_head.get(&(control, symbol)).into_iter().flatten());
            }
        }
        if row.len() > 1 {
            row.sort_unstable();
            row.dedup();
        }
    }

    /// Whether there can be no label.
    #[inline]
    fn is_bare(&self, control: u32, symbol: Option<u32>) -> bool {
        self.of_head.is_empty()
            && !self.of_control.has(control as usize)
            && symbol.is_none_or(|symbol| !self.of_symbol.has(symbol as usize))
    }

    /// The number of the set of these labels.
    pub(super) fn set(&mut self, control: u32, symbol: Option<u32>) -> u32 {
        let mut row = std::mem::take(&mut self.row);
        self.of(control, symbol, &mut row);
        let known = self.sets.get(&row).copied();
        let set = known.unwrap_or_else(|| {
            let set = self.list.len() as u32;
            self.list.push(row.clone());
            self.sets.insert(row.clone(), set);
            set
        });
        self.row = row;
        set
    }

    /// The labels of a set.
    pub(super) fn numbered(&self, set: u32) -> &[u32] {
        &self.list[set as usize]
    }
}
