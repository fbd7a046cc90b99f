//! The product of two pieces (compositional-3valued, A6, A7, A14 and A15).
//!
//! From the pair of the roots, only pairs that both pieces can reach together. A pair is a terminal
//! as soon as one of both is decided there. Time and memory are those of the result.

use super::piece::{IDLE, INTERNAL, Piece, PieceEdge, PieceNode};
use crate::question::SystemQuestion;
use loris_base::{Budget, Exhausted, Idx, Truth};
use loris_logic::mu::{Mu, MuId};
use loris_lts::ProcessKind;
use rustc_hash::FxHashMap;

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
    let members: Vec<bool> =
        left.members.iter().zip(&right.members).map(|(&left, &right)| left || right).collect();
    let mut composer = Composer {
        question,
        left,
        right,
        known_left: knowledge(question, left),
        known_right: knowledge(question, right),
        idle: Vec::new(),
        labels: Vec::new(),
        result: Piece::empty(members),
        views: FxHashMap::default(),
        places: FxHashMap::default(),
        queue: Vec::new(),
    };
    composer.idle =
        question.formula.action_sets().map(|(set, _)| composer.result.others_move(question, set)).collect();
    composer.labels = (0..question.system.actions().len() as u32)
        .map(|action| composer.result.label(question, action))
        .collect();
    composer.enter(0, 0, budget)?;
    let mut next = 0;
    let mut row = Vec::new();
    while next < composer.queue.len() {
        if composer.queue.len() > limit {
            return Err(Stop::TooLarge);
        }
        let (one, other) = composer.queue[next];
        composer.expand(next, one, other, &mut row, budget)?;
        next += 1;
    }
    let Composer { mut result, views, queue, .. } = composer;
    result.views = in_order(views);
    Ok((result, queue))
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

struct Composer<'a> {
    question: &'a SystemQuestion<'a>,
    left: &'a Piece,
    right: &'a Piece,
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
}

impl Composer<'_> {
    /// The number of a pair of nodes with the same subformula; none if their states do not agree.
    fn enter(&mut self, left: u32, right: u32, budget: &mut Budget) -> Result<Option<u32>, Exhausted> {
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
        let place = self.queue.len() as u32;
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
        budget.reserve(&mut self.result.nodes, 1)?;
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
            let both = knows(self.left) && knows(self.right);
            if both && one != other {
                return None;
            }
            values.push(if one.is_known() { one } else { other });
        }
        let number = self.views.len() as u32;
        Some(*self.views.entry(values).or_insert(number))
    }

    fn expand(
        &mut self,
        place: usize,
        left: u32,
        right: u32,
        row: &mut Vec<PieceEdge>,
        budget: &mut Budget,
    ) -> Result<(), Exhausted> {
        row.clear();
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
        self.result.push_edges(row, budget)
    }

    /// Moves of operators and fixpoints, and steps of Kripke structures: to the same subformula.
    fn by_formulas(
        &mut self,
        left: u32,
        right: u32,
        row: &mut Vec<PieceEdge>,
        budget: &mut Budget,
    ) -> Result<(), Exhausted> {
        let (one, other) = (self.left, self.right);
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
    ) -> Result<(), Exhausted> {
        let (Mu::Diamond(set, _) | Mu::Box(set, _)) = self.question.node(formula) else { return Ok(()) };
        let (ones, others) = (self.left.edges(left), self.right.edges(right));
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
