//! Strategies on machines with calls, replayed: the game of a formula frame by frame, with the
//! moves and claims of the strategy for the one player and all moves for the other.
//!
//! Nothing of the engine is used: steps are taken from the machine, subformulas are unfolded as
//! they stand, and whether every run is won is decided by the strongly connected components of the
//! positions, one priority after the other. A run of the machine that returns from a call passes
//! what the claim states of it, or something better: the largest priority since the call. A run
//! that never returns goes into frame after frame. So each run of the machine is won if each run
//! through these positions is (Walukiewicz, *Pushdown processes: games and model checking*).
//!
//! Priorities count within one strongly connected part (a class) of the formula: what was passed
//! before a play left a class for ever does not matter. In a class, its least priority stands for
//! none. Time and memory are those of the positions that the strategy reaches.

use crate::call_strategy::{CallStep, CallStrategy, ClaimedReturn};
use crate::components::components;
use crate::play::{no_cycle_is_lost, refused};
use crate::replayed::{Replayed, Unreplayed};
use crate::{AtExit, State};
use loris_base::{Budget, Csr, Exhausted, Idx};
use loris_logic::mu::{Mu, MuFormula, MuId};
use loris_rsm::{BoxId, LabelId, Rsm, Vertex, VertexKind};
use rustc_hash::FxHashMap;

/// Where a play is in a frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Place {
    Node(Vertex),
    /// in the entry of the callee, seen from the caller
    Call(BoxId, Vertex),
    /// in the exit of the callee, seen from the caller
    Return(BoxId, Vertex),
    /// the state after the last exit
    Sink,
}

/// A position, seen from its frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct At {
    place: Place,
    formula: MuId,
    within: Option<usize>,
    passed: u32,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Position {
    At(At),
    /// a call came back, with this largest priority on the way
    Back(At, u32),
}

/// What may happen at a position.
enum Moves {
    Won,
    Lost(&'static str),
    /// the winner chooses
    Own(Vec<At>),
    /// the other player chooses
    Other(Vec<Position>),
    /// the winner makes a claim
    Call(BoxId, Vertex),
}

/// Replays a strategy that is to show that a formula is true in all initial states of a machine, or
/// that it is not.
///
/// # Errors
/// Why it does not show that, or which limit was reached before that was known.
pub fn replay_call_strategy(
    rsm: &Rsm,
    formula: &MuFormula,
    holds: bool,
    at_exit: AtExit,
    strategy: &CallStrategy<State>,
    budget: &mut Budget,
) -> Result<Replayed, Unreplayed> {
    let shown = if holds { formula.clone() } else { formula.negated() };
    let text = shown.to_string();
    if strategy.shows != text {
        return Err(refused(format!("for this verdict, it should show {text}")));
    }
    let is_started = |node: &Vertex| {
        strategy.start.iter().any(|state| state.stack.is_empty() && state.node == Some(*node))
    };
    let mut initial = rsm.initial().iter();
    if !(if holds { initial.all(is_started) } else { initial.any(is_started) }) {
        return Err(refused("it does not start in the initial states that it is about"));
    }
    let play = Play::new(rsm, &shown, at_exit, strategy, budget)?;
    let starts: Vec<Vertex> = rsm.initial().iter().copied().filter(is_started).collect();
    let (moves, priorities) = play.reached(&starts, budget)?;
    no_cycle_is_lost(&moves, &priorities, 0, budget)?;
    Ok(Replayed { steps: moves.len(), claims: 1, ..Replayed::default() })
}

/// A return as the checker sees it: the exit, the modality, the priority.
type Returned = (Vertex, MuId, u32);

struct Play<'a> {
    rsm: &'a Rsm,
    formula: &'a MuFormula,
    at_exit: AtExit,
    /// per subformula, its class; per class, its least priority
    class: Vec<u32>,
    least: Vec<u32>,
    labels: Vec<Option<LabelId>>,
    claims: Vec<Vec<Returned>>,
    chosen: FxHashMap<At, At>,
    claimed: FxHashMap<At, usize>,
}

impl<'a> Play<'a> {
    fn new(
        rsm: &'a Rsm,
        formula: &'a MuFormula,
        at_exit: AtExit,
        strategy: &CallStrategy<State>,
        budget: &mut Budget,
    ) -> Result<Self, Unreplayed> {
        let (class, least) = classes(formula, budget)?;
        let mut play = Self {
            rsm,
            formula,
            at_exit,
            class,
            least,
            labels: formula.atoms().iter().map(|name| rsm.label(name)).collect(),
            claims: Vec::new(),
            chosen: FxHashMap::default(),
            claimed: FxHashMap::default(),
        };
        let mut ids: FxHashMap<String, Vec<MuId>> = FxHashMap::default();
        for (id, _) in formula.nodes() {
            budget.spend(1)?;
            ids.entry(formula.print(id)).or_default().push(id);
        }
        let find = |number: usize| -> Result<MuId, Unreplayed> {
            let text = strategy.formulas.get(number);
            match text.and_then(|text| ids.get(text)).map(Vec::as_slice) {
                Some([id]) => Ok(*id),
                _ => Err(refused("a move is about something that is not a subformula")),
            }
        };
        for claim in &strategy.claims {
            let returns = claim.iter().map(|ClaimedReturn { exit, formula, priority }| {
                let id = find(*formula)?;
                let is_modality = matches!(play.formula.node(id), Mu::Diamond(..) | Mu::Box(..));
                match exit.node.filter(|node| exit.stack.is_empty() && rsm.exit_index(*node).is_some()) {
                    Some(node) if is_modality => Ok((node, id, *priority)),
                    _ => Err(refused("a claim is about exits, and modalities there")),
                }
            });
            play.claims.push(returns.collect::<Result<_, Unreplayed>>()?);
        }
        for step in &strategy.moves {
            budget.spend(1)?;
            let within = step.within;
            if within.is_some_and(|within| within >= play.claims.len()) {
                return Err(refused("there is no such claim"));
            }
            let at = |place, formula| At { place, formula, within, passed: step.priority };
            let formula = find(step.formula)?;
            let is_new = match &step.to {
                CallStep::Claim(claim) => {
                    let from = at(play.place(&step.at)?, formula);
                    let known = play.claims.get(*claim).is_some();
                    known && play.claimed.insert(from, *claim).is_none()
                }
                CallStep::Go(to, next) => {
                    let from = at(play.place(&step.at)?, formula);
                    let next = find(*next)?;
                    let to = At { formula: next, ..at(play.place(to)?, next) };
                    play.chosen.insert(from, to).is_none()
                }
            };
            if !is_new {
                return Err(refused("there are two moves at one position"));
            }
        }
        Ok(play)
    }

    /// The place that a state of evidence means. In a node that is entry and exit at once, the call
    /// has come back already.
    fn place(&self, state: &State) -> Result<Place, Unreplayed> {
        match (&state.stack[..], state.node) {
            ([], Some(node)) => Ok(Place::Node(node)),
            ([], None) => Ok(Place::Sink),
            ([site], Some(node)) if self.rsm.exit_index(node).is_some() => Ok(Place::Return(*site, node)),
            ([site], Some(node)) => Ok(Place::Call(*site, node)),
            _ => Err(refused("a place has at most one box on its stack")),
        }
    }

    /// All positions that the strategy gets to: where each goes on, and its priority.
    fn reached(
        &self,
        starts: &[Vertex],
        budget: &mut Budget,
    ) -> Result<(Vec<Vec<u32>>, Vec<u32>), Unreplayed> {
        let mut positions: Vec<Position> = Vec::new();
        let mut places: FxHashMap<Position, u32> = FxHashMap::default();
        let mut number = |position: Position, positions: &mut Vec<Position>| {
            *places.entry(position).or_insert_with(|| {
                positions.push(position);
                positions.len() as u32 - 1
            })
        };
        for &node in starts {
            let root = self.formula.root();
            let passed = self.least[self.class[root.index()] as usize];
            number(
                Position::At(At { place: Place::Node(node), formula: root, within: None, passed }),
                &mut positions,
            );
        }
        let (mut moves, mut priorities) = (Vec::new(), Vec::new());
        while let Some(&position) = positions.get(moves.len()) {
            let next: Vec<Position> = match position {
                Position::Back(at, _) => vec![Position::At(at)],
                Position::At(at) => self.next(at)?,
            };
            budget.spend(1 + next.len())?;
            budget.charge(4 * next.len() + 3 * size_of::<Position>() + 48)?;
            moves.push(next.into_iter().map(|next| number(next, &mut positions)).collect());
            priorities.push(match position {
                Position::Back(_, priority) => priority,
                Position::At(at) => match self.formula.node(at.formula) {
                    Mu::Var(variable) => self.formula.priority(variable),
                    _ => 0,
                },
            });
        }
        Ok((moves, priorities))
    }

    /// Where the play may go from a position.
    fn next(&self, at: At) -> Result<Vec<Position>, Unreplayed> {
        match self.moves(at) {
            Moves::Won => Ok(Vec::new()),
            Moves::Lost(why) => Err(refused(format!("{why}: {}", self.formula.print(at.formula)))),
            Moves::Other(all) => Ok(all),
            Moves::Own(all) => match (&all[..], self.chosen.get(&at)) {
                ([one], None) => Ok(vec![Position::At(*one)]),
                (all, Some(to)) => {
                    let fits = |one: &&At| one.place == to.place && one.formula == to.formula;
                    let one = all.iter().find(fits);
                    let one = one.ok_or_else(|| refused("a move of the strategy is not possible"))?;
                    Ok(vec![Position::At(*one)])
                }
                (_, None) => {
                    let formula = self.formula.print(at.formula);
                    Err(refused(format!("there is no move where {formula} is to be shown")))
                }
            },
            Moves::Call(site, entry) => {
                let claim = self.claimed.get(&at);
                let claim = *claim.ok_or_else(|| refused("there is no claim at a call"))?;
                let class = self.class[at.formula.index()];
                let inside = At {
                    place: Place::Node(entry),
                    within: Some(claim),
                    passed: self.least[class as usize],
                    ..at
                };
                let mut next = vec![Position::At(inside)];
                for &(exit, formula, priority) in &self.claims[claim] {
                    if self.rsm.component_of(exit) != self.rsm.callee(site) {
                        return Err(refused("a claim is about an exit of another component"));
                    }
                    let is_same = self.class[formula.index()] == class;
                    let passed = if is_same { at.passed.max(priority) } else { priority };
                    let back = At { place: Place::Return(site, exit), formula, passed, ..at };
                    next.push(Position::Back(back, priority));
                }
                Ok(next)
            }
        }
    }

    /// The moves that there are at a position.
    fn moves(&self, at: At) -> Moves {
        let same = |formula| self.below(at, at.place, formula);
        let decided =
            |is_true| if is_true { Moves::Won } else { Moves::Lost("this is false where it is to be shown") };
        let all = |all: Vec<At>| Moves::Other(all.into_iter().map(Position::At).collect());
        let (some, operand) = match self.formula.node(at.formula) {
            Mu::True => return Moves::Won,
            Mu::False => return decided(false),
            Mu::Atom(atom) => return decided(self.carries(at.place, atom.index())),
            Mu::NotAtom(atom) => return decided(!self.carries(at.place, atom.index())),
            Mu::And(f, g) => return all(vec![same(f), same(g)]),
            Mu::Or(f, g) => return Moves::Own(vec![same(f), same(g)]),
            Mu::Var(variable) => {
                let passed = at.passed.max(self.formula.priority(variable));
                return Moves::Own(vec![self.below(
                    At { passed, ..at },
                    at.place,
                    self.formula.body(variable),
                )]);
            }
            // a priority is passed where a variable comes back
            Mu::Fix(_, _, body) => return Moves::Own(vec![same(body)]),
            Mu::Diamond(_, f) => (true, f),
            Mu::Box(_, f) => (false, f),
        };
        let places: Vec<Place> = match (at.place, at.within) {
            (Place::Call(site, entry), _) => return Moves::Call(site, entry),
            (Place::Node(node), Some(claim)) if self.rsm.exit_index(node).is_some() => {
                let keeps = |&(exit, formula, priority): &Returned| {
                    exit == node && formula == at.formula && worth(priority) <= worth(at.passed)
                };
                let is_kept = self.claims[claim].iter().any(keeps);
                return if is_kept { Moves::Won } else { Moves::Lost("a claim about a call is not kept") };
            }
            (Place::Node(node), None) if self.rsm.exit_index(node).is_some() => match self.at_exit {
                AtExit::Loop => vec![at.place],
                AtExit::Sink => vec![Place::Sink],
                AtExit::Stop => Vec::new(),
            },
            (Place::Node(node), _) => self.steps(node),
            (Place::Return(site, exit), _) => {
                let port = self.rsm.exit_index(exit).and_then(|exit| self.rsm.return_port(site, exit));
                port.map_or_else(Vec::new, |port| self.steps(port))
            }
            (Place::Sink, _) => vec![Place::Sink],
        };
        let next: Vec<At> = places.into_iter().map(|place| self.below(at, place, operand)).collect();
        match (some, next.is_empty()) {
            (true, true) => Moves::Lost("there is no step"),
            (true, false) => Moves::Own(next),
            (false, _) => all(next),
        }
    }

    /// The position with a subformula of the one at hand.
    fn below(&self, at: At, place: Place, formula: MuId) -> At {
        let class = self.class[formula.index()];
        let is_same = class == self.class[at.formula.index()];
        At { place, formula, passed: if is_same { at.passed } else { self.least[class as usize] }, ..at }
    }

    /// Where the steps of a vertex lead.
    fn steps(&self, vertex: Vertex) -> Vec<Place> {
        let row = self.rsm.successor_rows().row(vertex.index());
        let place = |&to: &u32| {
            let to = Vertex::new(to as usize);
            match self.rsm.kind(to) {
                VertexKind::Node => Place::Node(to),
                VertexKind::Call(site) => Place::Call(site, self.rsm.node_of(to)),
                VertexKind::Return(site) => Place::Return(site, self.rsm.node_of(to)),
            }
        };
        row.iter().map(place).collect()
    }

    fn carries(&self, place: Place, atom: usize) -> bool {
        let (Place::Node(node) | Place::Call(_, node) | Place::Return(_, node)) = place else { return false };
        self.labels[atom].is_some_and(|label| self.rsm.labels_of(node).any(|other| other == label))
    }
}

/// How good it is for the winner to have passed a priority.
fn worth(priority: u32) -> i64 {
    let priority = i64::from(priority);
    if priority % 2 == 0 { priority } else { -priority }
}

/// The class of each subformula, and the least priority of each class.
fn classes(formula: &MuFormula, budget: &mut Budget) -> Result<(Vec<u32>, Vec<u32>), Exhausted> {
    let mut rows = Csr::default();
    for (_, node) in formula.nodes() {
        let body = match node {
            Mu::Var(variable) => Some(formula.body(variable)),
            _ => None,
        };
        rows.push_row(node.children().chain(body).map(|id| id.index() as u32));
    }
    let class = components(&rows, budget)?;
    let mut least = vec![u32::MAX; class.iter().max().map_or(0, |&most| most as usize + 1)];
    for (id, node) in formula.nodes() {
        if let Mu::Var(variable) = node {
            let own = &mut least[class[id.index()] as usize];
            *own = (*own).min(formula.priority(variable));
        }
    }
    least.iter_mut().filter(|least| **least == u32::MAX).for_each(|least| *least = 0);
    Ok((class, least))
}
