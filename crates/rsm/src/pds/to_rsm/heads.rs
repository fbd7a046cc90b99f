//! The heads that occur and their rules, in the order in which they were met.

use super::sets::Sets;
use crate::ids::NONE;
use loris_base::{Budget, Csr, Exhausted};

/// All heads that occur.
pub(super) struct Heads {
    /// per head: its control state and its symbol
    pub(super) control: Vec<u32>,
    pub(super) symbol: Vec<u32>,
    /// where the steps of each head start; one more than there are heads
    pub(super) starts: Vec<u32>,
    pub(super) steps: Vec<Step>,
    pub(super) calls: Vec<Call>,
    /// per head, a set of positions in `returns`: the control states it can return into
    pub(super) pops: Sets,
    /// the control states that some rule returns into
    pub(super) returns: Vec<u32>,
    /// the heads of each symbol, by control state
    pub(super) by_symbol: BySymbol,
    /// how many rules there are, those of heads that do not occur included
    pub(super) rules: usize,
    /// heads without steps, in order, and where the input leads there
    pub(super) stuck: Vec<(u32, u64)>,
}

/// The effect of a rule at a head.
#[derive(Clone, Copy)]
pub(super) struct Step {
    /// the head it leads to; for a pop, the position of the control state in `returns`
    pub(super) target: u32,
    /// `SWAP`, `POP`, or the number of a call
    pub(super) call: u32,
}

pub(super) const SWAP: u32 = NONE;
pub(super) const POP: u32 = NONE - 1;

/// A call: the symbols below the head that it leads to.
pub(super) struct Call {
    /// the symbol
    pub(super) below: u32,
    /// the copy of the procedure that is called, once that is planned
    pub(super) copy: u32,
    /// the place in the input
    pub(super) offset: u32,
}

impl Heads {
    /// How many heads there are.
    pub(super) fn len(&self) -> usize {
        self.symbol.len()
    }

    /// The effects of the rules of a head.
    #[inline]
    pub(super) fn steps(&self, head: u32) -> &[Step] {
        let head = head as usize;
        &self.steps[self.starts[head] as usize..self.starts[head + 1] as usize]
    }

    /// The 64-bit words of a set of positions.
    pub(super) fn words(&self) -> usize {
        self.pops.words()
    }

    /// Gives back the sets of control states that heads return into.
    pub(super) fn forget_pops(&mut self, budget: &mut Budget) {
        budget.release(self.pops.bytes_ahead(0));
        self.pops = Sets::new(self.returns.len());
    }

    /// Whether a head does nothing but return into one control state.
    pub(super) fn only_pops(&self, head: u32) -> bool {
        let steps = self.steps(head);
        let first = steps.first().filter(|step| step.call == POP);
        first.is_some_and(|first| steps.iter().all(|step| (step.call, step.target) == (POP, first.target)))
    }

    /// The head of a control state and a symbol, if it occurs.
    pub(super) fn find(&self, control: u32, symbol: u32) -> Option<u32> {
        let row = self.by_symbol.row(symbol as usize);
        let of = |head: &u32| self.control[*head as usize];
        if row.len() <= 8 {
            row.iter().find(|head| of(head) == control).copied()
        } else {
            row.binary_search_by_key(&control, of).ok().map(|place| row[place])
        }
    }

    /// The head that a return into a position uncovers.
    ///
    /// # Panics
    /// If it does not occur.
    pub(super) fn uncovered(&self, position: u32, below: u32) -> u32 {
        let head = self.find(self.returns[position as usize], below);
        head.expect("what a call that returns uncovers occurs")
    }
}

/// The heads of each symbol, by control state. Most symbols have one, which takes four bytes.
pub(super) struct BySymbol {
    /// the head of a symbol, `NONE`, or `SEVERAL` with a row
    only: Vec<u32>,
    several: Csr,
}

const SEVERAL: u32 = 1 << 31;

impl BySymbol {
    pub(super) fn of(
        symbol: &[u32],
        control: &[u32],
        symbols: usize,
        budget: &mut Budget,
    ) -> Result<Self, Exhausted> {
        budget.charge(4 * symbols)?;
        budget.spend(2 * symbol.len())?;
        let (mut only, mut rows) = (vec![NONE; symbols], 0);
        for (head, &symbol) in symbol.iter().enumerate() {
            let found = &mut only[symbol as usize];
            if *found == NONE {
                *found = head as u32;
            } else if *found & SEVERAL == 0 {
                *found = SEVERAL | rows;
                rows += 1;
            }
        }
        let in_rows = symbol.iter().enumerate().filter_map(|(head, &symbol)| {
            let row = only[symbol as usize];
            (row & SEVERAL != 0).then_some((row & !SEVERAL, head as u32))
        });
        let mut several = Csr::from_pairs_within(rows as usize, in_rows, budget)?;
        for row in 0..rows as usize {
            several.row_mut(row).sort_unstable_by_key(|&head| control[head as usize]);
        }
        Ok(Self { only, several })
    }

    /// How many symbols there are.
    pub(super) fn symbols(&self) -> usize {
        self.only.len()
    }

    /// The heads of a symbol.
    #[inline]
    pub(super) fn row(&self, symbol: usize) -> &[u32] {
        match &self.only[symbol] {
            &NONE => &[],
            only if only & SEVERAL == 0 => std::slice::from_ref(only),
            row => self.several.row((row & !SEVERAL) as usize),
        }
    }
}
