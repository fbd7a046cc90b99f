//! `GETNEXTEXPANSION` and `FINDREASON` (Algorithms 6 and 7): why is the verdict unknown?
//!
//! Follows unknown values from the initial nodes to the values they depend on: operands, successors
//! by the expansion laws EG φ = φ ∧ EX EG φ and E[φ₁ U φ₂] = φ₂ ∨ (φ₁ ∧ EX E[φ₁ U φ₂]), from a call
//! to the callee's entry, from an exit to the return port of a caller. A return port that knows a
//! value its exit does not is a reason: its box is contextualized.
//!
//! At an exit the search asks the caller it came from (`guided`). Now and then, and when that leads
//! nowhere, it follows *all* callers and looks for pairs that depend on no reason at all, only on
//! each other (`closed`). The innermost formula among these has known operands at all its pairs, so
//! they lie on or lead to global cycles and are resolved together (Lemma 6), which costs no
//! context. The paper resolves the pairs on cycles only; those that lead there would then need
//! contexts to learn the same.
//!
//! One visited set per search and an explicit stack: linear in the unknown pairs, where the paper's
//! backtracking is exponential and as deep as the model.

use super::interpretation::Interpretation;
use crate::instances::{CellId, InstanceId};
use loris_base::{Budget, Csr, Exhausted, Idx, Truth, set_bit, words_for};
use loris_logic::{CoreId, CoreNode};
use loris_rsm::BoxId;

/// The call through which a search came, and the one below it; `TOP` for none.
struct Caller {
    instance: InstanceId,
    site: BoxId,
    below: u32,
}

const TOP: u32 = u32::MAX;
/// A pair that was not met.
const UNSEEN: u32 = u32::MAX;
/// A formula at a cell, and the call through which it was met.
type Pair = (CoreId, CellId, u32);

/// Formulas at cells that depend on each other only.
pub(super) type Closed = Vec<(CoreId, CellId)>;
/// Boxes of instances that know more than their callees.
type Reasons = Vec<(InstanceId, BoxId)>;

/// A depth-first search that goes on where it found a box; started anew when it has seen all.
#[derive(Default)]
pub(super) struct ReasonSearch {
    /// a bit for each formula at each cell
    visited: Vec<u64>,
    is_started: bool,
    stack: Vec<Pair>,
    callers: Vec<Caller>,
    /// boxes found since the search was started
    found: usize,
    /// bytes declared
    held: usize,
    rounds: u32,
}

impl ReasonSearch {
    /// How many times it was asked for advice.
    pub(super) fn rounds(&self) -> usize {
        self.rounds as usize
    }
}

/// The next action.
pub(super) enum Advice {
    /// Contextualize these.
    Expand(Reasons),
    /// Resolve these by Lemma 6.
    Resolve(Closed),
}

impl Interpretation<'_> {
    /// Finds boxes to contextualize or pairs to resolve; the verdict must be unknown.
    pub(super) fn reason(&self, search: &mut ReasonSearch, budget: &mut Budget) -> Result<Advice, Exhausted> {
        // looking for values to resolve costs more than looking for a box: not in every round
        search.rounds += 1;
        if search.rounds < 8 || search.rounds.is_power_of_two() {
            let (closed, _) = self.closed(budget)?;
            if !closed.is_empty() {
                return Ok(Advice::Resolve(closed));
            }
        }
        loop {
            if let Some(found) = self.guided(search, budget)? {
                search.found += 1;
                return Ok(Advice::Expand(vec![found]));
            }
            if search.found == 0 && search.is_started {
                let (closed, found) = self.closed(budget)?;
                return Ok(if closed.is_empty() { Advice::Expand(found) } else { Advice::Resolve(closed) });
            }
            let rounds = search.rounds;
            budget.release(search.held);
            *search = ReasonSearch {
                stack: self.open_initials(),
                rounds,
                is_started: true,
                ..ReasonSearch::default()
            };
        }
    }

    /// The initial nodes where the verdict is unknown.
    fn open_initials(&self) -> Vec<Pair> {
        let root = self.formula.root();
        let shift = self.graph.shift(self.graph.start);
        let cells = self.rsm.initial().iter().rev().map(|&node| shift.cell(node));
        cells.filter(|&cell| self.value(root, cell) == Truth::Unknown).map(|cell| (root, cell, TOP)).collect()
    }

    /// Marks a formula at a cell as visited; whether it was not.
    fn visit(&self, visited: &mut Vec<u64>, node: CoreId, cell: CellId) -> bool {
        let place = cell.index() * self.formula.nodes().len() + node.index();
        // cells may have been added since the search began
        if visited.len() < words_for(place + 1) {
            visited.resize(words_for(self.owners.len() * self.formula.nodes().len()), 0);
        }
        set_bit(visited, place)
    }

    /// The next reason met, depth first, asking at exits the caller the search came from.
    fn guided(
        &self,
        search: &mut ReasonSearch,
        budget: &mut Budget,
    ) -> Result<Option<(InstanceId, BoxId)>, Exhausted> {
        let mut reasons = Vec::new();
        while let Some((node, cell, caller)) = search.stack.pop() {
            // values found on the way are followed up at once: some of the stack is out of date
            let open =
                self.value(node, cell) == Truth::Unknown && self.live[self.owners[cell.index()].index()];
            if !open || !self.visit(&mut search.visited, node, cell) {
                continue;
            }
            reasons.clear();
            let pair = (node, cell, caller);
            let found = self.depends_on(pair, Some(&mut search.callers), &mut reasons);
            if let Some((instance, site)) = found
                && self.live[instance.index()]
                && self.is_contextualizable(instance, site)
            {
                return Ok(Some((instance, site)));
            }
            budget.spend(1 + reasons.len())?;
            let callers = size_of::<Caller>() * search.callers.len();
            let stack = size_of::<Pair>() * search.stack.len();
            budget.grow(&mut search.held, 8 * search.visited.len() + stack + callers)?;
            // the first reason is followed first
            search.stack.extend(reasons.iter().rev());
        }
        Ok(None)
    }

    /// Of the pairs that depend on no reason, those of the innermost formula; and all reasons.
    fn closed(&self, budget: &mut Budget) -> Result<(Closed, Reasons), Exhausted> {
        // by formulas at cells: a table of pairs would not stay in the cache
        let formulas = self.formula.nodes().len();
        let size = formulas * self.owners.len();
        budget.charge(4 * size)?;
        budget.spend(size / 8)?;
        let mut numbers: Vec<u32> = vec![UNSEEN; size];
        let mut pairs: Vec<(CoreId, CellId)> = Vec::new();
        let mut edges: Vec<(u32, u32)> = Vec::new();
        let mut reached: Vec<u32> = Vec::new();
        let mut found = Vec::new();
        let mut number = |pair: (CoreId, CellId), pairs: &mut Vec<(CoreId, CellId)>| {
            let number = &mut numbers[pair.1.index() * formulas + pair.0.index()];
            if *number == UNSEEN {
                *number = pairs.len() as u32;
                pairs.push(pair);
            }
            *number
        };
        for (node, cell, _) in self.open_initials() {
            number((node, cell), &mut pairs);
        }
        let mut reasons = Vec::new();
        let (mut next, mut held) = (0, 0);
        while let Some(&(node, cell)) = pairs.get(next) {
            // numbers and marks of pairs; edges in a list that doubles, and sorted
            budget.grow(&mut held, 16 * pairs.len() + 24 * edges.len())?;
            reasons.clear();
            if let Some(reason) = self.depends_on((node, cell, TOP), None, &mut reasons) {
                found.push(reason);
                reached.push(next as u32);
            }
            budget.spend(1 + reasons.len())?;
            for &(node, cell, _) in &reasons {
                if self.value(node, cell) == Truth::Unknown {
                    edges.push((number((node, cell), &mut pairs), next as u32));
                }
            }
            next += 1;
        }
        let dependents = Csr::from_pairs(pairs.len(), edges.iter().copied());
        let mut depends = vec![false; pairs.len()];
        for &pair in &reached {
            depends[pair as usize] = true;
        }
        while let Some(pair) = reached.pop() {
            for &dependent in dependents.row(pair as usize) {
                if !std::mem::replace(&mut depends[dependent as usize], true) {
                    reached.push(dependent);
                }
            }
        }
        found.sort_unstable();
        found.dedup();
        budget.spend(pairs.len() + edges.len())?;
        budget.release(held + 4 * size);
        let free = || pairs.iter().zip(&depends).filter(|&(_, &depends)| !depends).map(|(&pair, _)| pair);
        let existential = |&node: &CoreId| self.formula.node(node).is_existential();
        let innermost = free().map(|(node, _)| node).filter(existential).min();
        Ok((free().filter(|&(node, _)| Some(node) == innermost).collect(), found))
    }

    /// The values an unknown value depends on, or the box to contextualize.
    fn depends_on(
        &self,
        (node, cell, caller): Pair,
        callers: Option<&mut Vec<Caller>>,
        reasons: &mut Vec<Pair>,
    ) -> Option<(InstanceId, BoxId)> {
        let kind = self.formula.node(node);
        match kind {
            CoreNode::True | CoreNode::Atom(_) => return None,
            CoreNode::Not(a) => {
                reasons.push((a, cell, caller));
                return None;
            }
            CoreNode::And(a, b) | CoreNode::Or(a, b) => {
                reasons.extend([(a, cell, caller), (b, cell, caller)]);
                return None;
            }
            CoreNode::Ex(_) | CoreNode::Eg(_) | CoreNode::Eu(..) => {}
        }
        let instance = self.owners[cell.index()];
        let vertex = self.graph.shift(instance).vertex(cell);
        if self.rsm.is_exit(vertex) {
            let exit = self.rsm.exit_index(vertex)?;
            let mut ask = |instance: InstanceId, site: BoxId, below: u32| {
                let port = self.returning(instance, site, exit)?;
                reasons.push((node, port, below));
                self.value(node, port).is_known().then_some((instance, site))
            };
            return match callers {
                None => self
                    .callers(instance)
                    .find_map(|port| ask(port.caller, self.rsm.box_of(port.vertex)?, TOP)),
                Some(callers) => {
                    let caller = callers.get(caller as usize)?;
                    ask(caller.instance, caller.site, caller.below)
                }
            };
        }
        if self.is_call_port(cell) {
            let inside = callers.map_or(Some(TOP), |callers| {
                callers.push(Caller { instance, site: self.rsm.box_of(vertex)?, below: caller });
                Some(callers.len() as u32 - 1)
            })?;
            self.any_successor(cell, |entry| {
                reasons.push((node, entry, inside));
                true
            });
            return None;
        }
        let unknown = |node: CoreId| self.value(node, cell) == Truth::Unknown;
        let follow = match kind {
            CoreNode::Eu(_, b) if unknown(b) => Err(b),
            CoreNode::Eg(a) | CoreNode::Eu(a, _) if unknown(a) => Err(a),
            CoreNode::Ex(a) => Ok(a),
            _ => Ok(node),
        };
        match follow {
            Err(operand) => reasons.push((operand, cell, caller)),
            Ok(node) => {
                self.any_successor(cell, |successor| {
                    reasons.push((node, successor, caller));
                    false
                });
            }
        }
        None
    }
}
