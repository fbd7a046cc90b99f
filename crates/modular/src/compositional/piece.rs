//! Games of some of the processes, with the others unknown (compositional-3valued, A5, A14, A15).
//!
//! A node is a state of the processes at hand with a subformula. An edge of a modality carries the
//! action, as long as processes outside know it: whether it can be taken depends on them. Other
//! processes may move while these stay: that is the idle edge. So an edge is certain only if its
//! action is internal.

use crate::question::SystemQuestion;
use loris_base::{Budget, Exhausted, Idx, Symbol, Truth};
use loris_games::Player;
use loris_games::ternary::{Colouring, Edge, TernaryBuilder, TernaryGame, colour};
use loris_logic::mu::{ActionSetId, Mu, MuId};
use loris_lts::{Action, ProcessKind, StateId};
use rustc_hash::FxHashMap;

/// The label of an edge that only the processes at hand know, and of edges of `&`, `|` and
/// fixpoints.
pub(crate) const INTERNAL: u32 = 0;

/// The label of an edge on which the processes at hand stay while others move.
pub(crate) const IDLE: u32 = u32::MAX;

/// A node of a piece.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct PieceNode {
    pub(crate) formula: MuId,
    /// the values of shared labels, as a number of [`Piece::views`]
    pub(crate) view: u32,
    /// the value, if the node is a terminal
    pub(crate) value: Option<Truth>,
}

/// A move.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct PieceEdge {
    /// an action, [`INTERNAL`] or [`IDLE`]
    pub(crate) label: u32,
    pub(crate) to: u32,
    /// whether the steps of the processes at hand are certain
    pub(crate) must: bool,
}

/// The game of some of the processes, or the part of it that stays unknown. Node 0 is the root.
#[derive(Clone, Debug)]
pub(crate) struct Piece {
    /// by process: whether it belongs to the piece
    pub(crate) members: Vec<bool>,
    pub(crate) nodes: Vec<PieceNode>,
    starts: Vec<u32>,
    edges: Vec<PieceEdge>,
    /// values of the labels that Kripke structures share, by label of the system; unknown where the
    /// piece does not know a label
    pub(crate) views: Vec<Vec<Truth>>,
}

impl Piece {
    pub(crate) fn empty(members: Vec<bool>) -> Self {
        Self { members, nodes: Vec::new(), starts: vec![0], edges: Vec::new(), views: Vec::new() }
    }

    pub(crate) fn len(&self) -> usize {
        self.nodes.len()
    }

    /// Bytes held.
    pub(crate) fn bytes(&self) -> usize {
        self.nodes.capacity() * size_of::<PieceNode>()
            + self.edges.capacity() * size_of::<PieceEdge>()
            + 4 * self.starts.capacity()
            + self.views.iter().map(Vec::len).sum::<usize>()
    }

    #[inline]
    pub(crate) fn edges(&self, node: u32) -> &[PieceEdge] {
        let node = node as usize;
        &self.edges[self.starts[node] as usize..self.starts[node + 1] as usize]
    }

    /// Adds the edges of the next node; they are sorted, and of equal ones a certain one stays.
    pub(crate) fn push_edges(
        &mut self,
        row: &mut Vec<PieceEdge>,
        budget: &mut Budget,
    ) -> Result<(), Exhausted> {
        row.sort_unstable();
        row.dedup_by(|next, kept| {
            let same = next.label == kept.label && next.to == kept.to;
            kept.must |= same && next.must;
            same
        });
        budget.spend(1 + row.len())?;
        // where a limit ends this, nothing has changed
        budget.reserve(&mut self.edges, row.len())?;
        budget.reserve(&mut self.starts, 1)?;
        self.edges.extend_from_slice(row);
        self.starts.push(self.edges.len() as u32);
        Ok(())
    }

    /// Whether no process is left outside.
    pub(crate) fn is_whole(&self) -> bool {
        self.members.iter().all(|&member| member)
    }

    /// Whether a process of the piece knows an action; silent steps are known to their own only.
    pub(crate) fn knows(&self, question: &SystemQuestion<'_>, action: Action) -> bool {
        question.system.participants(action).iter().any(|&(process, _)| self.members[process as usize])
    }

    /// The label of an edge with an action.
    pub(crate) fn label(&self, question: &SystemQuestion<'_>, action: Action) -> u32 {
        let outside = |&(process, _): &(u32, _)| !self.members[process as usize];
        if question.system.participants(action).iter().any(outside) { action } else { INTERNAL }
    }

    /// Whether processes outside can move alone by an action of the set.
    pub(crate) fn others_move(&self, question: &SystemQuestion<'_>, set: ActionSetId) -> bool {
        let system = question.system;
        if system.kind() == ProcessKind::Kripke {
            return false;
        }
        let silent = question.contains(set, 0)
            && (0..system.len())
                .any(|process| !self.members[process] && system.has_silent_steps(process as u32));
        silent
            || (1..system.actions().len() as Action).any(|action| {
                question.contains(set, action)
                    && !system.participants(action).is_empty()
                    && !self.knows(question, action)
            })
    }

    /// The piece as a three-valued game.
    pub(crate) fn game(
        &self,
        question: &SystemQuestion<'_>,
        budget: &mut Budget,
    ) -> Result<TernaryGame, Exhausted> {
        let whole = self.is_whole();
        let mut builder = TernaryBuilder::default();
        let mut row = Vec::new();
        for (place, node) in self.nodes.iter().enumerate() {
            if let Some(value) = node.value {
                builder.terminal(value, budget)?;
                continue;
            }
            row.clear();
            row.extend(
                self.edges(place as u32)
                    .iter()
                    .map(|&edge| Edge { to: edge.to, must: is_certain(question, node.formula, edge, whole) }),
            );
            let owner = match question.node(node.formula) {
                Mu::And(..) | Mu::Box(..) => Player::Odd,
                _ => Player::Even,
            };
            let priority = match question.node(node.formula) {
                Mu::Var(variable) => question.formula.priority(variable),
                _ => 0,
            };
            builder.push(owner, priority, &row, budget)?;
        }
        builder.finish(budget)
    }

    /// The values of all nodes.
    pub(crate) fn colour(
        &self,
        question: &SystemQuestion<'_>,
        budget: &mut Budget,
    ) -> Result<Colouring, Exhausted> {
        let mark = budget.used();
        let game = self.game(question, budget)?;
        let colouring = colour(&game, budget)?;
        drop(game);
        let used = budget.used();
        budget.release(used - mark);
        Ok(colouring)
    }

    /// The part that stays unknown: unknown nodes with all moves that could decide them, and
    /// terminals for what is decided (A5).
    pub(crate) fn undecided(
        &self,
        question: &SystemQuestion<'_>,
        colouring: &Colouring,
        budget: &mut Budget,
    ) -> Result<Piece, Exhausted> {
        self.undecided_of(question, colouring, budget).map(|(piece, _)| piece)
    }

    /// The same, with the node behind each of its nodes.
    pub(crate) fn undecided_of(
        &self,
        question: &SystemQuestion<'_>,
        colouring: &Colouring,
        budget: &mut Budget,
    ) -> Result<(Piece, Vec<u32>), Exhausted> {
        let mut result = Piece::empty(self.members.clone());
        result.views.clone_from(&self.views);
        let mut places = vec![u32::MAX; self.len()];
        let mut order = vec![0u32];
        places[0] = 0;
        let mut row = Vec::new();
        let mut next = 0;
        while next < order.len() {
            let node = order[next];
            next += 1;
            let PieceNode { formula, view, value } = self.nodes[node as usize];
            let colour = colouring.colour(node);
            let value = if colour.is_known() { Some(colour) } else { value };
            budget.reserve(&mut result.nodes, 1)?;
            result.nodes.push(PieceNode { formula, view, value });
            row.clear();
            if value.is_none() {
                let useless = match question.node(formula) {
                    Mu::And(..) | Mu::Box(..) => Truth::True,
                    Mu::Or(..) | Mu::Diamond(..) => Truth::False,
                    // the only move of a fixpoint
                    _ => Truth::Unknown,
                };
                for edge in self.edges(node) {
                    let son = colouring.colour(edge.to);
                    if son.is_known() && son == useless {
                        continue;
                    }
                    let place = &mut places[edge.to as usize];
                    if *place == u32::MAX {
                        *place = order.len() as u32;
                        order.push(edge.to);
                    }
                    row.push(PieceEdge { to: *place, ..*edge });
                }
            }
            result.push_edges(&mut row, budget)?;
        }
        Ok((result, order))
    }
}

/// Whether an edge is there for certain.
#[inline]
fn is_certain(question: &SystemQuestion<'_>, formula: MuId, edge: PieceEdge, whole: bool) -> bool {
    match question.node(formula) {
        Mu::Diamond(..) | Mu::Box(..) => match question.system.kind() {
            ProcessKind::Kripke => edge.must && whole,
            ProcessKind::Lts => edge.must && edge.label == INTERNAL,
        },
        // in the product, both know which moves there are
        _ => edge.must || whole,
    }
}

/// The game of a process alone, with the state and the subformula of each node.
#[derive(Clone, Debug)]
pub(crate) struct Lifted {
    pub(crate) piece: Piece,
    pub(crate) nodes: Vec<Local>,
}

/// A node of the game of a process alone: its state and its subformula.
pub(crate) type Local = (u32, MuId);

/// What is known of the game of a process before it is made.
pub(crate) trait Known {
    /// The value of a node.
    fn value(&self, node: Local) -> Option<Truth>;

    /// Whether nothing depends on a move.
    fn drops(&self, from: Local, to: Local) -> bool;

    /// Whether a move of `&`, `|` or a fixpoint matters for some states of the others only.
    fn is_partial(&self, from: Local, to: Local) -> bool;

    /// Whether the states of constants matter, which have the same value in all.
    fn tells_constants_apart(&self) -> bool {
        false
    }
}

/// Nothing is known.
pub(crate) struct Nothing;

impl Known for Nothing {
    fn value(&self, _: Local) -> Option<Truth> {
        None
    }

    fn drops(&self, _: Local, _: Local) -> bool {
        false
    }

    fn is_partial(&self, _: Local, _: Local) -> bool {
        false
    }
}

/// The game of one process with all others unknown.
pub(crate) fn lift(
    question: &SystemQuestion<'_>,
    process: u32,
    budget: &mut Budget,
) -> Result<Piece, Exhausted> {
    lift_given(question, process, &Nothing, budget).map(|lifted| lifted.piece)
}

/// The same where something is known of nodes beforehand.
pub(crate) fn lift_given(
    question: &SystemQuestion<'_>,
    process: u32,
    known: &dyn Known,
    budget: &mut Budget,
) -> Result<Lifted, Exhausted> {
    let system = question.system;
    let mut members = vec![false; system.len()];
    members[process as usize] = true;
    let mut piece = Piece::empty(members);
    let kripke = system.kind() == ProcessKind::Kripke;
    let mut views: FxHashMap<Vec<Truth>, u32> = FxHashMap::default();
    let mut places: FxHashMap<(u32, MuId), u32> = FxHashMap::default();
    let mut queue: Vec<(u32, MuId)> = Vec::new();
    let mut row: Vec<PieceEdge> = Vec::new();
    budget.spend(question.tables())?;
    let idle: Vec<bool> =
        question.formula.action_sets().map(|(set, _)| piece.others_move(question, set)).collect();
    let root = (system.process(process).initial().index() as u32, question.formula.root());
    queue.push(root);
    places.insert(root, 0);
    let mut next = 0;
    while next < queue.len() {
        let (state, formula) = queue[next];
        next += 1;
        let local = StateId::new(state as usize);
        let view = if kripke {
            let values: Vec<Truth> = (0..system.atoms().len())
                .map(|atom| {
                    let atom = Symbol::new(atom);
                    if system.owners(atom).len() > 1 {
                        system.label(process, local, atom)
                    } else {
                        Truth::Unknown
                    }
                })
                .collect();
            *views.entry(values).or_insert_with_key(|values| {
                piece.views.push(values.clone());
                piece.views.len() as u32 - 1
            })
        } else {
            0
        };
        let label = |atom: Symbol| {
            question.label(atom).map_or(Truth::False, |atom| system.label(process, local, atom))
        };
        row.clear();
        let from = (state, formula);
        let mut enter = |label: u32, state: u32, formula: MuId, must: bool| {
            if known.drops(from, (state, formula)) {
                return;
            }
            // constants are the same in all states, unless these must agree with others
            let constant = matches!(question.node(formula), Mu::True | Mu::False);
            let is_one = constant && !kripke && !known.tells_constants_apart();
            let key = (if is_one { 0 } else { state }, formula);
            let place = queue.len() as u32;
            let place = *places.entry(key).or_insert(place);
            if place as usize == queue.len() {
                queue.push(key);
            }
            let must = must && !known.is_partial(from, (state, formula));
            row.push(PieceEdge { label, to: place, must });
        };
        let mut value = known.value(from);
        match question.node(formula) {
            _ if value.is_some() => {}
            Mu::True => value = Some(Truth::True),
            Mu::False => value = Some(Truth::False),
            Mu::Atom(atom) => value = Some(label(atom)),
            Mu::NotAtom(atom) => value = Some(!label(atom)),
            Mu::And(f, g) | Mu::Or(f, g) => {
                for f in [f, g] {
                    enter(INTERNAL, state, f, true);
                }
            }
            Mu::Diamond(set, f) | Mu::Box(set, f) => {
                for step in system.process(process).steps(local) {
                    let action = system.action(process, step.action);
                    if question.contains(set, action) {
                        let label = if kripke { INTERNAL } else { piece.label(question, action) };
                        enter(label, step.target.index() as u32, f, step.must);
                    }
                }
                if idle[set.index()] {
                    enter(IDLE, state, f, true);
                }
            }
            Mu::Var(variable) => {
                enter(INTERNAL, state, question.formula.body(variable), true);
            }
            Mu::Fix(_, variable, body) => {
                let next = question.formula.variable_node(variable).unwrap_or(body);
                enter(INTERNAL, state, next, true);
            }
        }
        budget.reserve(&mut piece.nodes, 1)?;
        piece.nodes.push(PieceNode { formula, view, value });
        piece.push_edges(&mut row, budget)?;
    }
    Ok(Lifted { piece, nodes: queue })
}
