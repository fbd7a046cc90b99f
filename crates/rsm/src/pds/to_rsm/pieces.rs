//! The rows of a machine, made by several threads piece by piece and put together in order.
//!
//! A piece is a few components that follow each other. Numbers of vertices are known before, so
//! that pieces do not depend on each other. Memory: a few pieces for each thread, and for each
//! thread a list as long as there are places.

use super::emit::{All, Scratch};
use super::rows::Rows;
use crate::in_order::{AHEAD, Blocks, run};
use loris_base::{Budget, Exhausted};
use std::ops::Range;
use std::sync::{Mutex, PoisonError};

/// Vertices of a piece, unless one component has more.
const PIECE: usize = 1 << 14;

/// Bytes for a vertex of a piece.
const VERTEX: usize = 64;

/// The rows of all components. The budget is charged for them.
///
/// # Errors
/// That the budget is used up; in that case as much is declared as before.
pub(super) fn rows(
    all: All<'_>,
    scratch: Scratch,
    threads: usize,
    budget: &mut Budget,
) -> Result<Rows, Exhausted> {
    let largest = all.components(&all.copies()).iter().map(|component| component.vertices.len()).max();
    let piece = largest.unwrap_or(0).max(PIECE);
    let mut pieces = Pieces {
        all,
        scratch: &Mutex::new(vec![scratch]),
        next: all.copies().start,
        made: all.no_rows(&all.copies()),
        budget: budget.part(),
        held: 0,
        spent: 0,
        stopped: None,
    };
    pieces.budget.charge(threads * (4 * all.places() + 2 * AHEAD * piece * VERTEX))?;
    run(&mut pieces, threads);
    let Pieces { made, spent, stopped, held, .. } = pieces;
    if let Some(why) = stopped {
        return Err(why);
    }
    budget.spend(usize::try_from(spent).unwrap_or(usize::MAX))?;
    budget.charge(held)?;
    Ok(made)
}

struct Pieces<'a, 's> {
    all: All<'a>,
    /// buffers that threads use again from piece to piece
    scratch: &'s Mutex<Vec<Scratch>>,
    next: usize,
    made: Rows,
    budget: Budget,
    /// bytes that are declared for the rows
    held: usize,
    /// steps of all pieces
    spent: u64,
    stopped: Option<Exhausted>,
}

struct Piece<'a, 's> {
    all: All<'a>,
    scratch: &'s Mutex<Vec<Scratch>>,
    copies: Range<usize>,
    budget: Budget,
    made: Option<Result<Rows, Exhausted>>,
}

impl<'a, 's> Blocks for Pieces<'a, 's> {
    type Block = Piece<'a, 's>;

    fn next(&mut self) -> Option<Piece<'a, 's>> {
        let copies = self.next..self.all.copies().end;
        if copies.is_empty() || self.stopped.is_some() {
            return None;
        }
        let components = self.all.components(&copies);
        let end = components[0].vertices.start as usize + PIECE;
        let count = components.partition_point(|component| (component.vertices.end as usize) <= end);
        self.next += count.max(1);
        let (all, scratch, budget) = (self.all, self.scratch, self.budget.time_only());
        Some(Piece { all, scratch, copies: copies.start..self.next, budget, made: None })
    }

    fn work(piece: &mut Piece<'a, 's>) {
        let pool = || piece.scratch.lock().unwrap_or_else(PoisonError::into_inner);
        let mut scratch = pool().pop().unwrap_or_default();
        piece.made = Some(piece.all.some_rows(piece.copies.clone(), &mut scratch, &mut piece.budget));
        pool().push(scratch);
    }

    fn take(&mut self, piece: Piece<'a, 's>) {
        if self.stopped.is_some() {
            return;
        }
        // all pieces start with the steps of this budget
        self.spent += piece.budget.spent() - self.budget.spent();
        let appended = piece.made.unwrap_or(Err(Exhausted::Memory)).and_then(|rows| {
            let bytes = self.made.bytes_ahead(0) + rows.bytes_ahead(0);
            self.budget.grow(&mut self.held, bytes)?;
            self.budget.look()?;
            self.made.append(&rows);
            Ok(())
        });
        self.stopped = appended.err();
    }
}
