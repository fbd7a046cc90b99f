//! Strategies as evidence: the game of a formula frame by frame, as a finite parity game.
//!
//! A position is a place in a frame with a subformula, the claim that the frame has to keep,
//! and the largest priority that was passed in it, of those that matter to the subformula. At a
//! call the winner makes a claim, and the other player enters the callee or comes back by one
//! of the returns that are claimed (Walukiewicz).
//!
//! The claims to choose from come from the engine: the smallest that make the function of the
//! callee's entry true, and those of each function that was found for it on the way to the
//! solution. The last ones do not suffice: what holds without any return may hold only because
//! an inner call of the same entry comes back. A value was computed from earlier ones, of which
//! the strategy makes its claims. Only returns are claimed from which the functions of the
//! caller say that the winner wins, and positions that they say are lost are not looked into. A
//! few claims are tried first, then more. Linear in the positions, which are exponential at
//! worst; too many are given up.

use super::solver::Solved;
use super::system::System;
use loris_base::{Budget, Csr, Exhausted, Idx, strong_components};
use loris_evidence::{AtExit, CallMove, CallStep, CallStrategy, ClaimedReturn, State};
use loris_games::{GameBuilder, Player, Solver, solve};
use loris_logic::mu::{Mu, MuFormula, MuId};
use loris_rsm::{BoxId, ComponentId, LabelId, Rsm, Vertex, VertexKind};
use rustc_hash::FxHashMap;

/// More positions are given up, and more moves or claims.
const MOST_POSITIONS: usize = 1 << 20;
const MOST_MOVES: usize = 1 << 16;
/// How many claims there are to choose from at a call: at first, and if these do not win.
const CLAIMS: [usize; 4] = [2, 8, 1 << 6, 1 << 9];

/// What the engine knows.
pub(super) struct Knowledge<'a> {
    pub(super) formula: &'a MuFormula,
    pub(super) atoms: &'a [Option<LabelId>],
    pub(super) system: &'a System,
    pub(super) solved: &'a Solved,
}

/// Where a play is in a frame.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Place {
    Node(Vertex),
    /// of a box, into an entry, through a port
    Call(BoxId, Vertex, Vertex),
    Return(BoxId, Vertex),
    Sink,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash)]
struct At {
    place: Place,
    formula: MuId,
    within: Option<u32>,
    passed: u32,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Position {
    At(At),
    /// a claim was made: its number
    Claimed(At, u32),
    /// a call came back, with this largest priority on the way
    Back(At, u32),
}

/// A return of a claim: the exit by its number, the modality, the priority.
type Returned = (u32, MuId, u32);

struct Frames<'a> {
    rsm: &'a Rsm,
    at_exit: AtExit,
    engine: &'a Knowledge<'a>,
    /// per modality of the engine, its subformula, and the other way round
    modalities: Vec<MuId>,
    modality_of: FxHashMap<MuId, u32>,
    class: Vec<u32>,
    least: Vec<u32>,
    /// with the component that they are about
    claims: Vec<(ComponentId, Vec<Returned>)>,
    claim_numbers: FxHashMap<(ComponentId, Vec<Returned>), u32>,
    /// how many claims there are to choose from at a call
    most_claims: usize,
    /// in tests, also claims that nobody can keep
    #[cfg(test)]
    any_claims: bool,
    positions: Vec<Position>,
    numbers: FxHashMap<Position, u32>,
}

/// A strategy that wins from some initial nodes; nothing if it is too large.
pub(super) fn strategy(
    rsm: &Rsm,
    at_exit: AtExit,
    engine: &Knowledge<'_>,
    start: &[Vertex],
    budget: &mut Budget,
) -> Result<Option<CallStrategy<State>>, Exhausted> {
    let mark = budget.used();
    for most_claims in CLAIMS {
        let found = frames(rsm, at_exit, engine, most_claims).play(start, budget);
        budget.release(budget.used().saturating_sub(mark));
        if let Some(found) = found? {
            return Ok(Some(found));
        }
    }
    Ok(None)
}

fn frames<'a>(rsm: &'a Rsm, at_exit: AtExit, engine: &'a Knowledge<'a>, most_claims: usize) -> Frames<'a> {
    let formula = engine.formula;
    let modal = |&(_, node): &(MuId, Mu)| matches!(node, Mu::Diamond(..) | Mu::Box(..));
    let modalities: Vec<MuId> = formula.nodes().filter(modal).map(|(id, _)| id).collect();
    let (class, least) = classes(formula);
    Frames {
        rsm,
        at_exit,
        engine,
        modality_of: modalities.iter().zip(0..).map(|(&id, number)| (id, number)).collect(),
        modalities,
        class,
        least,
        claims: Vec::new(),
        claim_numbers: FxHashMap::default(),
        most_claims,
        #[cfg(test)]
        any_claims: false,
        positions: Vec::new(),
        numbers: FxHashMap::default(),
    }
}

impl Frames<'_> {
    fn play(
        &mut self,
        start: &[Vertex],
        budget: &mut Budget,
    ) -> Result<Option<CallStrategy<State>>, Exhausted> {
        let root = self.engine.formula.root();
        let passed = self.least[self.class[root.index()] as usize];
        for &node in start {
            let at = At { place: Place::Node(node), formula: root, within: None, passed };
            self.number(Position::At(at), budget)?;
        }
        let mut builder = GameBuilder::default();
        let mut next = 0;
        while next < self.positions.len() {
            if self.positions.len() > MOST_POSITIONS {
                return Ok(None);
            }
            let position = self.positions[next];
            next += 1;
            let (owner, row) = self.moves(position, budget)?;
            budget.spend(1 + row.len())?;
            builder.push(owner, self.priority(position), &row, budget)?;
        }
        let game = builder.finish(budget)?;
        let solution = solve(&game, Solver::default(), budget)?;
        if start.is_empty() || (0..start.len() as u32).any(|node| solution.winner(node) != Player::Even) {
            return Ok(None);
        }
        // only what the strategy gets to
        let mut chosen: Vec<(At, Position)> = Vec::new();
        let mut seen = vec![false; self.positions.len()];
        let mut stack: Vec<u32> = (0..start.len() as u32).collect();
        for &node in &stack {
            seen[node as usize] = true;
        }
        while let Some(node) = stack.pop() {
            let all = game.successors(node);
            let row = match solution.successor(node).filter(|_| game.owner(node) == Player::Even) {
                Some(to) => {
                    if let Position::At(at) = self.positions[node as usize] {
                        chosen.push((at, self.positions[to as usize]));
                    }
                    vec![to]
                }
                None => all.to_vec(),
            };
            budget.spend(1 + row.len())?;
            for to in row {
                if !std::mem::replace(&mut seen[to as usize], true) {
                    stack.push(to);
                }
            }
        }
        if chosen.len() > MOST_MOVES {
            return Ok(None);
        }
        budget.charge(chosen.len() * 4 * size_of::<State>())?;
        Ok(Some(self.written(start, &chosen)))
    }

    /// The strategy as evidence: moves where there is a choice, and claims.
    fn written(&self, start: &[Vertex], chosen: &[(At, Position)]) -> CallStrategy<State> {
        let formula = self.engine.formula;
        let (mut numbers, mut formulas) = (FxHashMap::default(), Vec::new());
        let mut number = |id: MuId| {
            *numbers.entry(id).or_insert_with(|| {
                formulas.push(formula.print(id));
                formulas.len() - 1
            })
        };
        let mut claims: Vec<Vec<ClaimedReturn<State>>> = Vec::new();
        let mut places: FxHashMap<u32, usize> = FxHashMap::default();
        for &(_, to) in chosen {
            let Position::Claimed(_, claim) = to else { continue };
            places.entry(claim).or_insert_with(|| {
                let (callee, returns) = &self.claims[claim as usize];
                let written = |&(exit, modality, priority): &Returned| {
                    let node = Some(self.rsm.exits(*callee)[exit as usize]);
                    let exit = State { stack: Vec::new(), node };
                    ClaimedReturn { exit, formula: number(modality), priority }
                };
                claims.push(returns.iter().map(written).collect());
                claims.len() - 1
            });
        }
        let mut moves = Vec::new();
        for &(at, to) in chosen {
            let to = match to {
                Position::Claimed(_, claim) => CallStep::Claim(places[&claim]),
                Position::At(to) if self.has_choice(at) => CallStep::Go(state(to.place), number(to.formula)),
                Position::At(_) | Position::Back(..) => continue,
            };
            let within = at.within.map(|claim| places[&claim]);
            let formula = number(at.formula);
            moves.push(CallMove { at: state(at.place), formula, priority: at.passed, within, to });
        }
        let start = start.iter().map(|&node| state(Place::Node(node))).collect();
        CallStrategy { shows: formula.to_string(), start, formulas, claims, moves }
    }

    /// Whether there are several moves at a position.
    fn has_choice(&self, at: At) -> bool {
        let count = match self.engine.formula.node(at.formula) {
            Mu::Or(..) => 2,
            Mu::Diamond(..) => self.places(at).len(),
            _ => 1,
        };
        count > 1
    }

    fn number(&mut self, position: Position, budget: &mut Budget) -> Result<u32, Exhausted> {
        if let Some(&number) = self.numbers.get(&position) {
            return Ok(number);
        }
        budget.charge(3 * size_of::<Position>() + 64)?;
        let number = u32::try_from(self.positions.len()).map_err(|_| Exhausted::States)?;
        self.positions.push(position);
        self.numbers.insert(position, number);
        Ok(number)
    }

    fn priority(&self, position: Position) -> u32 {
        match position {
            Position::Back(_, priority) => priority,
            Position::Claimed(..) => 0,
            Position::At(at) => match self.engine.formula.node(at.formula) {
                Mu::Var(variable) => self.engine.formula.priority(variable),
                _ => 0,
            },
        }
    }

    /// Who moves at a position, and where.
    fn moves(&mut self, position: Position, budget: &mut Budget) -> Result<(Player, Vec<u32>), Exhausted> {
        let (owner, next) = match position {
            Position::Back(at, _) => (Player::Even, vec![Position::At(at)]),
            Position::Claimed(at, claim) => (Player::Odd, self.after(at, claim)),
            Position::At(at) => self.at(at, budget)?,
        };
        let row = next.into_iter().map(|next| self.number(next, budget));
        Ok((owner, row.collect::<Result<_, _>>()?))
    }

    /// Into the callee, or back by a return that is claimed.
    fn after(&self, at: At, claim: u32) -> Vec<Position> {
        let Place::Call(site, entry, _) = at.place else { unreachable!("claims are made at calls") };
        let class = self.class[at.formula.index()];
        let passed = self.least[class as usize];
        let mut next =
            vec![Position::At(At { place: Place::Node(entry), within: Some(claim), passed, ..at })];
        let (callee, returns) = &self.claims[claim as usize];
        for &(exit, formula, priority) in returns {
            let exit = self.rsm.exits(*callee)[exit as usize];
            let is_same = self.class[formula.index()] == class;
            let passed = if is_same { at.passed.max(priority) } else { priority };
            next.push(Position::Back(
                At { place: Place::Return(site, exit), formula, passed, ..at },
                priority,
            ));
        }
        next
    }

    fn at(&mut self, at: At, budget: &mut Budget) -> Result<(Player, Vec<Position>), Exhausted> {
        let formula = self.engine.formula;
        // who cannot move loses
        let decided = |wins: bool| Ok((if wins { Player::Odd } else { Player::Even }, Vec::new()));
        let same = |f: MuId| Position::At(self.below(at, at.place, f));
        let (some, operand) = match formula.node(at.formula) {
            Mu::True => return decided(true),
            Mu::False => return decided(false),
            Mu::Atom(atom) => return decided(self.carries(at.place, atom.index())),
            Mu::NotAtom(atom) => return decided(!self.carries(at.place, atom.index())),
            Mu::And(f, g) => return Ok((Player::Odd, vec![same(f), same(g)])),
            Mu::Or(f, g) => return Ok((Player::Even, vec![same(f), same(g)])),
            Mu::Var(variable) => {
                let passed = at.passed.max(formula.priority(variable));
                let next = self.below(At { passed, ..at }, at.place, formula.body(variable));
                return Ok((Player::Even, vec![Position::At(next)]));
            }
            // a priority is passed where a variable comes back
            Mu::Fix(_, _, body) => return Ok((Player::Even, vec![same(body)])),
            Mu::Diamond(_, f) => (true, f),
            Mu::Box(_, f) => (false, f),
        };
        match (at.place, at.within) {
            _ if self.is_lost(at) => return decided(false),
            (Place::Call(site, entry, _), _) => {
                let claims = self.options(at, site, entry, budget)?;
                let claimed = claims.into_iter().map(|claim| Position::Claimed(at, claim));
                return Ok((Player::Even, claimed.collect()));
            }
            (Place::Node(node), Some(claim)) if self.rsm.exit_index(node).is_some() => {
                let own = self.rsm.exit_index(node);
                let keeps = |&(exit, modality, priority): &Returned| {
                    Some(exit as usize) == own
                        && modality == at.formula
                        && worth(priority) <= worth(at.passed)
                };
                return decided(self.claims[claim as usize].1.iter().any(keeps));
            }
            _ => {}
        }
        let next = self.places(at).into_iter().map(|place| Position::At(self.below(at, place, operand)));
        Ok((if some { Player::Even } else { Player::Odd }, next.collect()))
    }

    /// Where the steps from a position lead that is neither a call nor an exit to a caller.
    fn places(&self, at: At) -> Vec<Place> {
        match (at.place, at.within) {
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
            (Place::Call(..), _) => Vec::new(),
        }
    }

    fn steps(&self, vertex: Vertex) -> Vec<Place> {
        let place = |&to: &u32| {
            let to = Vertex::new(to as usize);
            match self.rsm.kind(to) {
                VertexKind::Node => Place::Node(to),
                VertexKind::Call(site) => Place::Call(site, self.rsm.node_of(to), to),
                VertexKind::Return(site) => Place::Return(site, self.rsm.node_of(to)),
            }
        };
        self.rsm.successor_rows().row(vertex.index()).iter().map(place).collect()
    }

    fn carries(&self, place: Place, atom: usize) -> bool {
        let (Place::Node(node) | Place::Call(_, node, _) | Place::Return(_, node)) = place else {
            return false;
        };
        self.engine.atoms[atom].is_some_and(|label| self.rsm.labels_of(node).any(|other| other == label))
    }

    /// Claims that a callee can keep, of returns from which the winner wins.
    fn options(
        &mut self,
        at: At,
        site: BoxId,
        entry: Vertex,
        budget: &mut Budget,
    ) -> Result<Vec<u32>, Exhausted> {
        #[cfg(test)]
        if self.any_claims {
            return Ok(self.all_claims(site));
        }
        let Knowledge { system, solved, .. } = *self.engine;
        let expansion = &system.expansion;
        let modality = &expansion.modalities[self.modality_of[&at.formula] as usize];
        // what was not looked at is not needed
        let Some(equation) = system.of_leaf(entry.index() as u32, modality.first_leaf) else {
            return Ok(Vec::new());
        };
        let callee = self.rsm.callee(site);
        let leaves = expansion.leaves.len() as u32;
        let returned = |variable: u32| {
            let leaf = expansion.leaves[system.leaf_of(variable) as usize];
            (variable / leaves, self.modalities[leaf.modality as usize], leaf.priority)
        };
        let class = self.class[at.formula.index()];
        let may = |variable: u32| {
            let (exit, formula, priority) = returned(variable);
            let is_same = self.class[formula.index()] == class;
            let passed = if is_same { at.passed.max(priority) } else { priority };
            let exit = self.rsm.exits(callee)[exit as usize];
            !self.is_lost(At { place: Place::Return(site, exit), formula, passed, ..at })
        };
        let mut sets: Vec<Vec<u32>> = Vec::new();
        let last = solved.values[equation as usize];
        let before = solved.history.get(&equation).map_or(&[][..], Vec::as_slice);
        for &function in std::iter::once(&last).chain(before.iter().filter(|&&function| function != last)) {
            let more = solved.functions.implicants(function, may, self.most_claims, budget)?;
            budget.spend(more.len() * (1 + sets.len()))?;
            for set in more {
                if sets.len() < self.most_claims && !sets.contains(&set) {
                    sets.push(set);
                }
            }
        }
        let mut found = Vec::with_capacity(sets.len());
        for set in sets {
            let key = (callee, set.into_iter().map(returned).collect::<Vec<Returned>>());
            let next = self.claims.len() as u32;
            let claim = *self.claim_numbers.entry(key.clone()).or_insert(next);
            if claim == next {
                budget.charge(2 * (64 + 16 * key.1.len()))?;
                self.claims.push(key);
            }
            found.push(claim);
        }
        Ok(found)
    }

    /// Whether the winner loses a position of a modality, as the functions of the engine say; not
    /// where they say nothing.
    fn is_lost(&self, at: At) -> bool {
        #[cfg(test)]
        if self.any_claims {
            return false;
        }
        let Knowledge { system, solved, .. } = *self.engine;
        let Some(leaf) = self.leaf(at.formula, at.passed) else { return false };
        let vertex = match at.place {
            Place::Node(node) if at.within.is_none() && self.rsm.exit_index(node).is_some() => return false,
            Place::Node(vertex) | Place::Call(_, _, vertex) => Some(vertex),
            Place::Return(site, exit) => {
                self.rsm.exit_index(exit).and_then(|exit| self.rsm.return_port(site, exit))
            }
            Place::Sink => return false,
        };
        let equation = vertex.and_then(|vertex| system.of_leaf(vertex.index() as u32, leaf));
        let Some(equation) = equation else { return false };
        let leaves = system.expansion.leaves.len() as u32;
        let holds = |variable: u32| {
            let number = system.leaf_of(variable);
            let (exit, leaf) = (variable / leaves, system.expansion.leaves[number as usize]);
            let Some(claim) = at.within else {
                let last = self.rsm.vertex_count() as u32 + exit;
                // what is not known is not lost
                let known = system.of_leaf(last, number);
                return known
                    .is_none_or(|known| solved.functions.is_true(solved.values[known as usize], |_| true));
            };
            let modality = self.modalities[leaf.modality as usize];
            let keeps = |&(other, formula, priority): &Returned| {
                other == exit && formula == modality && worth(priority) <= worth(leaf.priority)
            };
            self.claims[claim as usize].1.iter().any(keeps)
        };
        !solved.functions.is_true(solved.values[equation as usize], holds)
    }

    /// The leaf of a modality with the largest priority that was passed before it.
    fn leaf(&self, formula: MuId, passed: u32) -> Option<u32> {
        let expansion = &self.engine.system.expansion;
        let modality = expansion.modalities[*self.modality_of.get(&formula)? as usize];
        let mut leaves = modality.first_leaf..modality.first_leaf + modality.ranks;
        leaves.find(|&leaf| expansion.leaves[leaf as usize].priority == passed)
    }

    fn below(&self, at: At, place: Place, formula: MuId) -> At {
        let class = self.class[formula.index()];
        let is_same = class == self.class[at.formula.index()];
        At { place, formula, passed: if is_same { at.passed } else { self.least[class as usize] }, ..at }
    }
}

/// A place as evidence has it.
fn state(place: Place) -> State {
    match place {
        Place::Node(node) => State { stack: Vec::new(), node: Some(node) },
        Place::Call(site, node, _) | Place::Return(site, node) => {
            State { stack: vec![site], node: Some(node) }
        }
        Place::Sink => State { stack: Vec::new(), node: None },
    }
}

/// How good it is to have passed a priority.
fn worth(priority: u32) -> i64 {
    let priority = i64::from(priority);
    if priority % 2 == 0 { priority } else { -priority }
}

/// The strongly connected part of each subformula, and the least priority of each part; 0 if it has
/// none.
fn classes(formula: &MuFormula) -> (Vec<u32>, Vec<u32>) {
    let mut edges = Csr::default();
    for (_, node) in formula.nodes() {
        let body = match node {
            Mu::Var(variable) => Some(formula.body(variable)),
            _ => None,
        };
        edges.push_row(node.children().chain(body).map(|id| id.index() as u32));
    }
    let parts = strong_components(&edges);
    let class = parts.row_of_each(formula.len());
    let mut least = vec![None; parts.rows()];
    for (id, node) in formula.nodes() {
        if let Mu::Var(variable) = node {
            let own = &mut least[class[id.index()] as usize];
            let priority = formula.priority(variable);
            *own = Some(own.map_or(priority, |known: u32| known.min(priority)));
        }
    }
    (class, least.into_iter().map(Option::unwrap_or_default).collect())
}

#[cfg(test)]
impl Frames<'_> {
    /// All claims of at most two returns.
    fn all_claims(&mut self, site: BoxId) -> Vec<u32> {
        let callee = self.rsm.callee(site);
        let mut returns: Vec<Returned> = Vec::new();
        for exit in 0..self.rsm.exits(callee).len() as u32 {
            for leaf in &self.engine.system.expansion.leaves {
                returns.push((exit, self.modalities[leaf.modality as usize], leaf.priority));
            }
        }
        let mut lists = vec![Vec::new()];
        for (i, &one) in returns.iter().enumerate() {
            lists.push(vec![one]);
            lists.extend(returns[..i].iter().map(|&other| vec![other, one]));
        }
        let mut found = Vec::new();
        for list in lists {
            let next = self.claims.len() as u32;
            let claim = *self.claim_numbers.entry((callee, list.clone())).or_insert(next);
            if claim == next {
                self.claims.push((callee, list));
            }
            found.push(claim);
        }
        found
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::{Knowledge, frames};
    use crate::mu::{expansion::Expansion, graph::Graph, solver, system};
    use loris_base::{Budget, Rng};
    use loris_evidence::AtExit;
    use loris_logic::mu::parse;
    use loris_rsm::{Semantics, read_rsm_json};

    /// A machine of two components that call each other, with random edges and labels.
    fn machine(rng: &mut Rng) -> String {
        let component = |rng: &mut Rng, own: usize| {
            let label = |rng: &mut Rng| if rng.chance(0.5) { r#", "labels": ["p"]"# } else { "" };
            let exits = ["x", "y"];
            let mut nodes = vec![format!(r#"{{"name": "e", "is_entry": true{}}}"#, label(rng))];
            for exit in exits {
                nodes.push(format!(r#"{{"name": "{exit}", "is_exit": true{}}}"#, label(rng)));
            }
            nodes.push(format!(r#"{{"name": "n"{}}}"#, label(rng)));
            let nodes = nodes.join(", ");
            let callee = ["one", "two"][rng.below(2)];
            let port =
                |name: &str| format!(r#"{{"type": "box_node", "box_name": "b", "node_name": "{name}"}}"#);
            let target = |rng: &mut Rng| match rng.below(5) {
                0 => port("e"),
                other => format!(r#"{{"name": "{}"}}"#, ["x", "y", "n", "n"][other - 1]),
            };
            let mut edges = Vec::new();
            for source in
                ["e", "n"].map(|name| format!(r#"{{"name": "{name}"}}"#)).into_iter().chain(exits.map(port))
            {
                let targets: Vec<String> = (0..=rng.below(2)).map(|_| target(rng)).collect();
                edges.push(format!(r#"{{"source": {source}, "targets": [{}]}}"#, targets.join(", ")));
            }
            let name = ["one", "two"][own];
            format!(
                r#"{{"name": "{name}", "nodes": [{nodes}], "boxes": [{{"name": "b", "component": "{callee}"}}],
                "transitions": [{}]}}"#,
                edges.join(", ")
            )
        };
        let (one, two) = (component(rng, 0), component(rng, 1));
        format!(r#"{{"initial_component": "one", "components": [{one}, {two}]}}"#)
    }

    /// A formula that is false is not won with any claims either: the game itself is right, and not
    /// only the claims that the engine proposes.
    #[test]
    fn claims_that_cannot_be_kept_do_not_win() {
        let formulas = [
            "mu X. p | <>X",
            "nu X. p & <>X",
            "nu X. mu Y. <>((p & X) | Y)",
            "mu X. nu Y. []((p & Y) | X)",
            "nu X. <>X & mu Y. (!p & []Y) | p",
            "mu X. [](p | X)",
        ];
        let budget = &mut Budget::unlimited();
        let mut lost = 0;
        for seed in 0..60 {
            let rng = &mut Rng::new(seed);
            let Ok((rsm, _)) = read_rsm_json(machine(rng).as_bytes(), &Semantics::default()) else {
                continue;
            };
            for text in formulas {
                let formula = parse(text).unwrap();
                let atoms: Vec<_> = formula.atoms().iter().map(|name| rsm.label(name)).collect();
                let graph = Graph::new(&rsm, &atoms, AtExit::Loop, budget).unwrap();
                let system =
                    system::explore(&graph, Expansion::new(&formula, budget).unwrap(), budget).unwrap();
                let solved = solver::solve(&system, false, budget).unwrap();
                let holds = solved.outcome(&system).holds;
                let engine = Knowledge { formula: &formula, atoms: &atoms, system: &system, solved: &solved };
                let mut frames = frames(&rsm, AtExit::Loop, &engine, usize::MAX);
                frames.any_claims = true;
                let found = frames.play(rsm.initial(), budget).unwrap();
                // two returns are enough for all that is true here, or it needs more
                assert!(holds || found.is_none(), "seed {seed}: {text}");
                lost += usize::from(!holds);
            }
        }
        assert!(lost > 60, "{lost}");
    }
}
