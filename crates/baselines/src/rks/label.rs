//! labelLocally (recursive-kripke, Algorithms 3.3 and 4.4): one pair of κ, from the values of its
//! operands in κ and the values assumed of its calls.
//!
//! Invariant: a cell is decided only if it has this value under every completion of the unknown
//! values. Linear in the sub-structure. The oracle is the unfolding in `tests/rks.rs`.

use super::fixpoint::{Pair, Pairs};
use super::kappa::Kappa;
use super::local::{Local, Path, Row, Scratch, deduce};
use super::structure::{Call, Structure};
use loris_base::{Budget, Exhausted, Truth};
use loris_logic::{CoreId, CoreNode};

impl<'a> Pairs<'a> for Kappa<'a> {
    fn structure(&self, class: u32) -> Structure<'a> {
        Structure::new(self.rsm, self.classes[class as usize].component)
    }

    fn row(&self, pair: Pair) -> &Row {
        self.known(pair).expect("pairs that are worked on have rows")
    }

    fn row_mut(&mut self, pair: Pair) -> &mut Row {
        let row = self.rows[2 * pair.class as usize + usize::from(pair.top)].as_mut();
        row.expect("pairs that are worked on have rows")
    }

    fn callee(&self, class: u32, call: Call) -> u32 {
        self.callee_pair(class, call.place).expect("calls of such pairs have been followed").class
    }

    fn at_entry(&self, pair: Pair) -> Truth {
        let entry = self.structure(pair.class).entry;
        entry.map_or(Truth::Unknown, |entry| self.known(pair).map_or(Truth::Unknown, |row| row.values[entry]))
    }

    /// labelLocally; whether a location got decided.
    fn check(&mut self, pair: Pair, round: u32, budget: &mut Budget) -> Result<bool, Exhausted> {
        if self.row(pair).undecided == 0 {
            return Ok(false);
        }
        let operands = match self.operator(pair.class) {
            CoreNode::True | CoreNode::Atom(_) => None,
            _ => Some(self.operands(pair.class, budget)?),
        };
        let mut row = std::mem::take(self.row_mut(pair));
        let mut scratch = std::mem::take(&mut self.scratch);
        let found = self.label(pair, operands, &mut row, round, &mut scratch, budget);
        *self.row_mut(pair) = row;
        self.scratch = scratch;
        found
    }
}

impl Kappa<'_> {
    /// Reads the values of a pair, ⊤'s without a row.
    fn reader(&self, pair: Pair) -> impl Fn(usize) -> Truth + '_ {
        let is_true = self.operator(pair.class) == CoreNode::True;
        let row = self.known(pair);
        let otherwise = if is_true { Truth::True } else { Truth::Unknown };
        move |cell| row.map_or(otherwise, |row| row.values[cell])
    }

    /// labelLocally, into a row that was taken out.
    fn label(
        &self,
        pair: Pair,
        operands: Option<[Pair; 2]>,
        row: &mut Row,
        round: u32,
        scratch: &mut Scratch,
        budget: &mut Budget,
    ) -> Result<bool, Exhausted> {
        let structure = self.structure(pair.class);
        let operands = operands.unwrap_or([pair, pair]);
        let [psi, chi] = operands.map(|operand| self.reader(operand));
        let before = row.undecided;
        let path = match self.operator(pair.class) {
            CoreNode::Eg(_) => Path::Always,
            CoreNode::Eu(..) => Path::Until,
            operator => {
                budget.spend(structure.len())?;
                for cell in structure.locations() {
                    if row.values[cell].is_known() {
                        continue;
                    }
                    let value = match operator {
                        CoreNode::True => Truth::True,
                        CoreNode::Atom(atom) => self.carries(&structure, cell, atom),
                        CoreNode::Not(_) => !psi(cell),
                        CoreNode::And(..) => psi(cell).min(chi(cell)),
                        CoreNode::Or(..) => psi(cell).max(chi(cell)),
                        CoreNode::Ex(next) if structure.exit == Some(cell) => {
                            self.after_exit(pair.class, next)
                        }
                        CoreNode::Ex(_) => {
                            let after = structure.successors(cell);
                            let value = |cell: usize| {
                                if structure.is_location(cell) { psi(cell) } else { row.values[cell] }
                            };
                            after.map(value).max().unwrap_or(Truth::False)
                        }
                        // the operands alone do not decide a formula about whole paths
                        CoreNode::Eg(_) | CoreNode::Eu(..) => Truth::Unknown,
                    };
                    if value.is_known() {
                        row.decide(cell, value, round);
                    }
                }
                return Ok(row.undecided < before);
            }
        };
        deduce(&Local { structure, path, psi, chi, top: pair.top }, row, round, scratch, budget)
    }

    fn carries(&self, structure: &Structure<'_>, cell: usize, atom: u32) -> Truth {
        let label = self.atoms[atom as usize];
        let mut labels = self.rsm.labels_of(structure.vertex(cell));
        Truth::from(label.is_some_and(|label| labels.any(|l| l == label)))
    }

    /// EX ψ at the exit: the value of ψ in the context.
    fn after_exit(&self, class: u32, psi: CoreId) -> Truth {
        let is_true = self.formula.node(psi) == CoreNode::True;
        Truth::from(is_true || self.annotated.contains(self.context(class), psi))
    }
}
