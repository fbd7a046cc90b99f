//! The product of two pieces (compositional-3valued, A6, A7, A14 and A15).
//!
//! From the pair of the roots, only pairs that both pieces can reach together. A pair is a terminal
//! as soon as one of both is decided there. Time and memory are those of the result. The work can
//! be paused at any time: what a limit cut off is done again, and all else is kept.

use super::piece::{IDLE, INTERNAL, Piece, PieceEdge, PieceNode};
use crate::question::SystemQuestion;
use loris_base::{Budget, Exhausted, Idx, Truth};
use loris_logic::mu::{Mu, MuId};
use loris_lts::ProcessKind;
use rustc_hash::FxHashMap;
use std::sync::Arc;

/// Why two pieces were not composed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Stop {
    /// The product has more nodes than allowed.
    TooLarge,
    /// The budget ran out.
    Exhausted(Exhausted),
}

impl From<Exhausted> for Stop {
    fn from(exhausted: Exhausted) -> Self {
        Stop::Exhausted(exhausted)
    }
}

/// The product of two pieces, of at most this many nodes, with the pair behind each node.
pub(crate) fn compose(
    question: &SystemQuestion<'_>,
    left: &Piece,
    right: &Piece,
    limit: usize,
    budget: &mut Budget,
) -> Result<(Piece, Vec<(u32, u32)>), Stop> {
    let mut composer = Composer::new(question, left.clone(), right.clone());
    if composer.run(limit, u64::MAX, budget)? {
        Ok((composer.result, composer.queue))
    } else {
        Err(Stop::TooLarge)
    }
}

/// The values of a numbering, by number.
fn in_order(views: FxHashMap<Vec<Truth>, u32>) -> Vec<Vec<Truth>> {
    let mut views: Vec<(Vec<Truth>, u32)> = views.into_iter().collect();
    views.sort_unstable_by_key(|&(_, number)| number);
    views.into_iter().map(|(values, _)| values).collect()
}

/// By action: whether a process of the piece knows it.
fn knowledge(question: &SystemQuestion<'_>, piece: &Piece) -> Vec<bool> {
    (0..question.system.actions().len() as u32).map(|action| piece.knows(question, action)).collect()
}

/// The product of two pieces while it is made, which can be paused at any time.
pub(crate) struct Composer<'a> {
    question: &'a SystemQuestion<'a>,
    left: Arc<Piece>,
    right: Arc<Piece>,
    known_left: Vec<bool>,
    known_right: Vec<bool>,
    /// by set of actions: whether others can still move alone
    idle: Vec<bool>,
    /// by action: the label of an edge with it
    labels: Vec<u32>,
    result: Piece,
    views: FxHashMap<Vec<Truth>, u32>,
    places: FxHashMap<(u32, u32), u32>,
    queue: Vec<(u32, u32)>,
    /// how many pairs have their edges
    expanded: usize,
    row: Vec<PieceEdge>,
    /// there may be this many pairs
    limit: usize,
}

impl<'a> Composer<'a> {
    /// The pair of the roots.
    pub(crate) fn new(question: &'a SystemQuestion<'a>, left: Piece, right: Piece) -> Self {
        let members: Vec<bool> =
            left.members.iter().zip(&right.members).map(|(&left, &right)| left || right).collect();
        let result = Piece::empty(members);
        let idle = question.formula.action_sets().map(|(set, _)| result.others_move(question, set)).collect();
        let labels = (0..question.system.actions().len() as u32)
            .map(|action| result.label(question, action))
            .collect();
        Self {
            question,
            known_left: knowledge(question, &left),
            known_right: knowledge(question, &right),
            left: Arc::new(left),
            right: Arc::new(right),
            idle,
            labels,
            result,
            views: FxHashMap::default(),
            places: FxHashMap::default(),
            queue: Vec::new(),
            expanded: 0,
            row: Vec::new(),
            limit: 0,
        }
    }

    /// Goes on until the product is there, or would have more nodes than this, or the budget has
    /// spent this many steps: then the result is false.
    pub(crate) fn run(&mut self, limit: usize, pause: u64, budget: &mut Budget) -> Result<bool, Exhausted> {
        self.limit = limit;
        match self.expand_all(pause, budget) {
            Ok(true) => {}
            Ok(false) | Err(Stop::TooLarge) => return Ok(false),
            Err(Stop::Exhausted(why)) => return Err(why),
        }
        if self.result.views.is_empty() {
            self.result.views = in_order(std::mem::take(&mut self.views));
        }
        Ok(true)
    }

    fn expand_all(&mut self, pause: u64, budget: &mut Budget) -> Result<bool, Stop> {
        self.enter(0, 0, budget)?;
        while let Some(&(one, other)) = self.queue.get(self.expanded) {
            self.expand(self.expanded, one, other, budget)?;
            self.expanded += 1;
            if budget.spent() >= pause {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// The product, once it is there.
    pub(crate) fn product(&self) -> &Piece {
        &self.result
    }

    /// How many nodes were made.
    pub(crate) fn len(&self) -> usize {
        self.queue.len()
    }

    /// Bytes held.
    pub(crate) fn bytes(&self) -> usize {
        self.left.bytes() + self.right.bytes() + self.result.bytes() + self.queue.len() * PAIR_BYTES
    }

    /// The number of a pair of nodes with the same subformula; none if their states do not agree.
    fn enter(&mut self, left: u32, right: u32, budget: &mut Budget) -> Result<Option<u32>, Stop> {
        if let Some(&place) = self.places.get(&(left, right)) {
            return Ok(Some(place));
        }
        let (one, other) = (self.left.nodes[left as usize], self.right.nodes[right as usize]);
        let view = match self.question.system.kind() {
            ProcessKind::Lts => 0,
            ProcessKind::Kripke => match self.join(one.view, other.view) {
                Some(view) => view,
                None => return Ok(None),
            },
        };
        if self.queue.len() >= self.limit {
            return Err(Stop::TooLarge);
        }
        let place = self.queue.len() as u32;
        // where a limit ends this, nothing has changed
        budget.reserve(&mut self.result.nodes, 1)?;
        budget.charge(PAIR_BYTES)?;
        self.places.insert((left, right), place);
        self.queue.push((left, right));
        let value = match (one.value, other.value) {
            (Some(value), _) | (_, Some(value)) if value.is_known() => Some(value),
            (Some(_), _) | (_, Some(_)) => Some(Truth::Unknown),
            (None, None) => None,
        };
        debug_assert!(
            !matches!((one.value, other.value), (Some(a), Some(b)) if a.is_known() && b.is_known() && a != b),
            "definite values of a subformula agree"
        );
        self.result.nodes.push(PieceNode { formula: one.formula, view, value });
        Ok(Some(place))
    }

    /// The shared labels of two states that agree on what both know.
    fn join(&mut self, left: u32, right: u32) -> Option<u32> {
        let (one, other) = (&self.left.views[left as usize], &self.right.views[right as usize]);
        let system = self.question.system;
        let mut values = Vec::with_capacity(one.len());
        for (atom, (&one, &other)) in one.iter().zip(other).enumerate() {
            let owners = system.owners(loris_base::Symbol::new(atom));
            let knows = |piece: &Piece| owners.iter().any(|&(process, _)| piece.members[process as usize]);
            let both = knows(&self.left) && knows(&self.right);
            if both && one != other {
                return None;
            }
            values.push(if one.is_known() { one } else { other });
        }
        let number = self.views.len() as u32;
        Some(*self.views.entry(values).or_insert(number))
    }

    fn expand(&mut self, place: usize, left: u32, right: u32, budget: &mut Budget) -> Result<(), Stop> {
        let mut row = std::mem::take(&mut self.row);
        row.clear();
        let made = self.edges_of(place, left, right, &mut row, budget);
        let pushed = made.and_then(|()| Ok(self.result.push_edges(&mut row, budget)?));
        self.row = row;
        pushed
    }

    fn edges_of(
        &mut self,
        place: usize,
        left: u32,
        right: u32,
        row: &mut Vec<PieceEdge>,
        budget: &mut Budget,
    ) -> Result<(), Stop> {
        let PieceNode { formula, value, .. } = self.result.nodes[place];
        if value.is_none() {
            match self.question.node(formula) {
                Mu::Diamond(..) | Mu::Box(..) if self.question.system.kind() == ProcessKind::Lts => {
                    self.by_labels(formula, left, right, row, budget)?;
                }
                _ => self.by_formulas(left, right, row, budget)?,
            }
            if row.is_empty() {
                // nothing can be done together
                let stuck = matches!(self.question.node(formula), Mu::And(..) | Mu::Box(..));
                self.result.nodes[place].value = Some(Truth::from(stuck));
            }
        }
        Ok(())
    }

    /// Moves of operators and fixpoints, and steps of Kripke structures: to the same subformula.
    fn by_formulas(
        &mut self,
        left: u32,
        right: u32,
        row: &mut Vec<PieceEdge>,
        budget: &mut Budget,
    ) -> Result<(), Stop> {
        let (one, other) = (Arc::clone(&self.left), Arc::clone(&self.right));
        for a in one.edges(left) {
            for b in other.edges(right) {
                budget.spend(1)?;
                if one.nodes[a.to as usize].formula == other.nodes[b.to as usize].formula
                    && let Some(to) = self.enter(a.to, b.to, budget)?
                {
                    row.push(PieceEdge { label: INTERNAL, to, must: a.must && b.must });
                }
            }
        }
        Ok(())
    }

    /// Steps of labelled transition systems: both by an action that both know, one alone by another
    /// one while the other stays.
    fn by_labels(
        &mut self,
        formula: MuId,
        left: u32,
        right: u32,
        row: &mut Vec<PieceEdge>,
        budget: &mut Budget,
    ) -> Result<(), Stop> {
        let (Mu::Diamond(set, _) | Mu::Box(set, _)) = self.question.node(formula) else { return Ok(()) };
        let (one, other) = (Arc::clone(&self.left), Arc::clone(&self.right));
        let (ones, others) = (one.edges(left), other.edges(right));
        // edges are sorted by label, and the idle one is the last
        let idle_one = ones.last().filter(|edge| edge.label == IDLE).copied();
        let idle_other = others.last().filter(|edge| edge.label == IDLE).copied();
        let mut place = 0;
        for a in ones.iter().filter(|edge| edge.label != IDLE) {
            budget.spend(1)?;
            if a.label != INTERNAL && self.known_right[a.label as usize] {
                place += others[place..].partition_point(|b| b.label < a.label);
                let label = self.labels[a.label as usize];
                for b in others[place..].iter().take_while(|b| b.label == a.label) {
                    budget.spend(1)?;
                    if let Some(to) = self.enter(a.to, b.to, budget)? {
                        row.push(PieceEdge { label, to, must: a.must && b.must });
                    }
                }
            } else if let Some(idle) = idle_other
                && let Some(to) = self.enter(a.to, idle.to, budget)?
            {
                let label = self.labels[a.label as usize];
                row.push(PieceEdge { label, to, must: a.must });
            }
        }
        if let Some(idle) = idle_one {
            for b in others.iter().filter(|edge| edge.label != IDLE) {
                budget.spend(1)?;
                if (b.label == INTERNAL || !self.known_left[b.label as usize])
                    && let Some(to) = self.enter(idle.to, b.to, budget)?
                {
                    let label = self.labels[b.label as usize];
                    row.push(PieceEdge { label, to, must: b.must });
                }
            }
            if let Some(other) = idle_other
                && self.idle[set.index()]
                && let Some(to) = self.enter(idle.to, other.to, budget)?
            {
                row.push(PieceEdge { label: IDLE, to, must: true });
            }
        }
        Ok(())
    }
}

/// What a pair takes in the tables, about.
const PAIR_BYTES: usize = 40;
