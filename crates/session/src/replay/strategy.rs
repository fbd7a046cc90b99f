//! Strategies, replayed: the game of a formula on the components, with the moves of the strategy for
//! the one player and all moves for the other.
//!
//! Nothing of the engines is used: steps are taken from the components by their definition, and
//! whether every run is won is decided by the strongly connected components of the positions, one
//! priority after the other. Time and memory are those of the positions that the strategy reaches.

use super::confirmed::{Confirmed, Unverified};
use crate::inquire::mentioned_inputs;
use loris_base::{Budget, Idx, Symbol, Truth};
use loris_check::Processes;
use loris_evidence::{About, Certificate, NamedValue, Replayed, Results, Stated, Strategy};
use loris_load::Origin;
use loris_load::circuit;
use loris_load::{dead_ends, one_circuit};
use loris_logic::mu::{Mu, MuFormula, MuId, Reading, parse_with};
use loris_lts::{Kind, StateId};
use loris_modular::{GlobalState, System};
use rustc_hash::FxHashMap;
use std::path::Path;

/// A position: a global state and a subformula.
type Position = (Vec<u32>, MuId);

/// Components that evidence is about.
pub struct ComponentSubject {
    models: Vec<Processes>,
    /// by the text of a property: which of them it is about, the first if nothing else is known
    by_property: FxHashMap<String, usize>,
}

impl ComponentSubject {
    /// All evidence is about these components.
    pub fn new(model: Processes) -> Self {
        Self { models: vec![model], by_property: FxHashMap::default() }
    }

    /// Reads a circuit that strategies are about: the inputs that a property mentions are part of
    /// the states of its component. Problems are added to the reading.
    pub fn of_circuit(
        path: &Path,
        results: &Results<'_>,
        origin: &Origin,
        reading: &mut loris_load::Reading,
    ) -> Option<Self> {
        let dead_ends = dead_ends(origin);
        let circuit = circuit(path, origin, reading)?;
        let mut known: Vec<Vec<bool>> = Vec::new();
        let mut by_property = FxHashMap::default();
        for stated in &results.stated {
            let About::Property { text, .. } = &stated.about else { continue };
            // what is not a formula is refused when it is verified
            let reading = Reading { dead_ends, ..Reading::default() };
            let Ok(formula) = parse_with(text, &reading) else { continue };
            let inputs = mentioned_inputs(&circuit.circuit, &formula);
            let at = known.iter().position(|other| *other == inputs).unwrap_or_else(|| {
                known.push(inputs);
                known.len() - 1
            });
            by_property.insert(text.clone(), at);
        }
        if known.is_empty() {
            known.push(circuit.circuit.observed(&[]));
        }
        let models = known.iter().map(|inputs| one_circuit(path, &circuit, inputs, origin, reading));
        Some(Self { models: models.collect::<Option<_>>()?, by_property })
    }

    /// The components that a result is about.
    fn model(&self, stated: &Stated) -> &Processes {
        let at = match &stated.about {
            About::Property { text, .. } => self.by_property.get(text).copied(),
            _ => None,
        };
        &self.models[at.unwrap_or(0)]
    }

    /// The global state in which the components that a result is about have these states.
    ///
    /// # Errors
    /// Why there is none.
    pub fn state(&self, stated: &Stated, values: &[NamedValue<'_>]) -> Result<GlobalState, String> {
        let system = &self.model(stated).system;
        let mut local = Vec::with_capacity(system.len());
        for part in system.parts() {
            let Some((_, value)) = values.iter().find(|(name, _)| name == part.name()) else {
                return Err(format!("the state of the component \"{}\" is missing", part.name()));
            };
            let state = if part.has_state_names() {
                part.find_state(value)
            } else {
                value.parse().ok().filter(|&state: &usize| state < part.state_count()).map(StateId::new)
            };
            match state {
                Some(state) => local.push(state.index() as u32),
                None => return Err(format!("the component \"{}\" has no state \"{value}\"", part.name())),
            }
        }
        if let Some((name, _)) =
            values.iter().find(|(name, _)| system.parts().iter().all(|part| part.name() != name))
        {
            return Err(format!("there is no component \"{name}\""));
        }
        Ok(GlobalState(local))
    }

    /// Replays a strategy, and decides whether it is evidence for the verdict it came with.
    ///
    /// # Errors
    /// Why it is not, or which limit was reached before that was known.
    pub fn verify(
        &self,
        stated: &Stated,
        evidence: &Certificate<GlobalState>,
        budget: &mut Budget,
    ) -> Result<Confirmed, Unverified> {
        let refused = |why: &str| Unverified::Refused(why.to_owned());
        let Certificate::Strategy(strategy) = evidence else {
            return Err(refused("evidence about parallel components is a strategy"));
        };
        let About::Property { text, holds, .. } = &stated.about else {
            return Err(refused("a strategy is for the verdict of a property"));
        };
        let model = self.model(stated);
        let system = &*model.system;
        let knows = |name: &str| system.actions().find(name).is_some();
        let reading = Reading { dead_ends: model.dead_ends, knows_action: &knows, ..Reading::default() };
        let formula = parse_with(text, &reading).map_err(|_| refused("the property is no formula"))?;
        let formula = system.from_start(&formula);
        let shown = if *holds { formula.to_string() } else { formula.negated().to_string() };
        if strategy.shows != shown {
            return Err(Unverified::Refused(format!("for this verdict, it should show {shown}")));
        }
        let game = Play::new(system, &formula, *holds, strategy, budget)?;
        let steps = game.positions.len();
        game.won(budget)?;
        Ok(Confirmed { replayed: Replayed { steps, claims: 1, ..Replayed::default() }, verdict: true })
    }
}

/// The positions that a strategy reaches, with the moves that are made there.
struct Play {
    positions: Vec<Position>,
    moves: Vec<Vec<u32>>,
    priorities: Vec<u32>,
    /// the parity of priorities that the winner wants
    wanted: u32,
}

impl Play {
    fn new(
        system: &System,
        formula: &MuFormula,
        holds: bool,
        strategy: &Strategy<GlobalState>,
        budget: &mut Budget,
    ) -> Result<Self, Unverified> {
        let mut ids: FxHashMap<String, Vec<MuId>> = FxHashMap::default();
        for (id, _) in formula.nodes() {
            ids.entry(formula.print(id)).or_default().push(id);
        }
        let find = |number: usize| -> Result<MuId, Unverified> {
            let text = &strategy.formulas[number];
            match ids.get(text).map(Vec::as_slice) {
                Some([id]) => Ok(*id),
                _ => Err(Unverified::Refused(format!("{text} is no subformula"))),
            }
        };
        let mut chosen: FxHashMap<Position, Position> = FxHashMap::default();
        for step in &strategy.moves {
            let from = (step.from.0.clone(), find(step.formula)?);
            let to = (step.to.0.clone(), find(step.next)?);
            if chosen.insert(from, to).is_some() {
                return Err(Unverified::Refused("there are two moves at one position".to_owned()));
            }
        }
        let mut play = Self {
            positions: Vec::new(),
            moves: Vec::new(),
            priorities: Vec::new(),
            wanted: u32::from(!holds),
        };
        let mut places: FxHashMap<Position, u32> = FxHashMap::default();
        let root = (system.initial(), formula.root());
        places.insert(root.clone(), 0);
        play.positions.push(root);
        let mut next = 0;
        while next < play.positions.len() {
            let position = play.positions[next].clone();
            next += 1;
            let moves = moves(system, formula, &position, holds, budget)?;
            let kept: Vec<Position> = match moves {
                Moves::Won => Vec::new(),
                Moves::Lost(why) => return Err(Unverified::Refused(why)),
                Moves::Other(all) => all,
                Moves::Own(mut own) => match (own.len(), chosen.get(&position)) {
                    (1, None) => vec![own.remove(0)],
                    (_, Some(to)) if own.contains(to) => vec![to.clone()],
                    (_, Some(to)) => {
                        return Err(Unverified::Refused(format!(
                            "the move from {} to {} is not possible",
                            shown(system, formula, &position),
                            shown(system, formula, to)
                        )));
                    }
                    (_, None) => {
                        let at = shown(system, formula, &position);
                        return Err(Unverified::Refused(format!("there is no move at {at}")));
                    }
                },
            };
            let mut row = Vec::with_capacity(kept.len());
            for to in kept {
                budget.spend(1 + to.0.len())?;
                let place = play.positions.len() as u32;
                let place = *places.entry(to.clone()).or_insert(place);
                if place as usize == play.positions.len() {
                    budget.charge(2 * (size_of::<Position>() + 4 * to.0.len()) + 32)?;
                    play.positions.push(to);
                }
                row.push(place);
            }
            play.moves.push(row);
            play.priorities.push(match formula.node(position.1) {
                Mu::Var(variable) => formula.priority(variable),
                _ => 0,
            });
        }
        Ok(play)
    }

    /// Whether no run goes through a priority of the other player for ever without a higher one of
    /// the winner: for each of its priorities, no cycle through it among those not above.
    fn won(&self, budget: &mut Budget) -> Result<(), Unverified> {
        let mut bad: Vec<u32> = self.priorities.iter().copied().filter(|p| p % 2 != self.wanted).collect();
        bad.sort_unstable();
        bad.dedup();
        for top in bad {
            budget.spend(self.positions.len())?;
            let among = |node: u32| self.priorities[node as usize] <= top;
            for component in self.components(&among) {
                let cyclic = component.len() > 1 || self.moves[component[0] as usize].contains(&component[0]);
                if cyclic && component.iter().any(|&node| self.priorities[node as usize] == top) {
                    return Err(Unverified::Refused(
                        "the other player wins a cycle of the strategy".to_owned(),
                    ));
                }
            }
        }
        Ok(())
    }

    /// Strongly connected components among some positions (Kosaraju, with stacks of its own).
    fn components(&self, among: &dyn Fn(u32) -> bool) -> Vec<Vec<u32>> {
        let count = self.positions.len();
        let mut before: Vec<Vec<u32>> = vec![Vec::new(); count];
        for (from, row) in self.moves.iter().enumerate().filter(|(from, _)| among(*from as u32)) {
            for &to in row.iter().filter(|&&to| among(to)) {
                before[to as usize].push(from as u32);
            }
        }
        let mut order = Vec::with_capacity(count);
        let mut seen = vec![false; count];
        for root in (0..count as u32).filter(|&node| among(node)) {
            if std::mem::replace(&mut seen[root as usize], true) {
                continue;
            }
            let mut stack = vec![(root, 0)];
            while let Some((node, at)) = stack.last_mut() {
                if let Some(&to) = self.moves[*node as usize].get(*at) {
                    *at += 1;
                    if among(to) && !std::mem::replace(&mut seen[to as usize], true) {
                        stack.push((to, 0));
                    }
                } else {
                    order.push(*node);
                    stack.pop();
                }
            }
        }
        let mut found = Vec::new();
        let mut taken = vec![false; count];
        for &root in order.iter().rev() {
            if std::mem::replace(&mut taken[root as usize], true) {
                continue;
            }
            let mut component = vec![root];
            let mut next = 0;
            while next < component.len() {
                for &node in &before[component[next] as usize] {
                    if !std::mem::replace(&mut taken[node as usize], true) {
                        component.push(node);
                    }
                }
                next += 1;
            }
            found.push(component);
        }
        found
    }
}

/// The moves at a position.
enum Moves {
    /// The winner has won.
    Won,
    /// The winner has lost, and why.
    Lost(String),
    /// The winner chooses.
    Own(Vec<Position>),
    /// The other player chooses.
    Other(Vec<Position>),
}

fn shown(system: &System, formula: &MuFormula, position: &Position) -> String {
    format!("({}) |- {}", system.state_names(&position.0).join(", "), formula.print(position.1))
}

fn moves(
    system: &System,
    formula: &MuFormula,
    position: &Position,
    holds: bool,
    budget: &mut Budget,
) -> Result<Moves, Unverified> {
    let (state, id) = position;
    let here = |f: MuId| (state.clone(), f);
    let decided = |value: Truth| {
        if value == Truth::from(holds) {
            Moves::Won
        } else {
            Moves::Lost(format!("{} is not {holds}", shown(system, formula, position)))
        }
    };
    Ok(match formula.node(*id) {
        Mu::True => decided(Truth::True),
        Mu::False => decided(Truth::False),
        Mu::Atom(atom) => decided(label(system, formula, state, atom)),
        Mu::NotAtom(atom) => decided(!label(system, formula, state, atom)),
        Mu::And(f, g) if holds => Moves::Other(vec![here(f), here(g)]),
        Mu::Or(f, g) if !holds => Moves::Other(vec![here(f), here(g)]),
        Mu::And(f, g) | Mu::Or(f, g) => Moves::Own(vec![here(f), here(g)]),
        Mu::Var(variable) => Moves::Own(vec![here(formula.body(variable))]),
        Mu::Fix(_, variable, body) => Moves::Own(vec![here(formula.variable_node(variable).unwrap_or(body))]),
        node @ (Mu::Diamond(set, f) | Mu::Box(set, f)) => {
            let is_own = matches!(node, Mu::Diamond(..)) == holds;
            let set = formula.actions(set);
            let mut all: Vec<Position> = Vec::new();
            for (action, target, must) in successors(system, state, budget)? {
                // the winner may rely on certain steps only
                if set.contains(system.visible_name(action)) && (must || !is_own) {
                    all.push((target, f));
                }
            }
            all.sort_unstable();
            all.dedup();
            match (is_own, all.is_empty()) {
                (true, true) => {
                    Moves::Lost(format!("there is no step at {}", shown(system, formula, position)))
                }
                (true, false) => Moves::Own(all),
                (false, true) => Moves::Won,
                (false, false) => Moves::Other(all),
            }
        }
    })
}

/// The value of a label of a formula; one that no component has is false.
fn label(system: &System, formula: &MuFormula, state: &[u32], atom: Symbol) -> Truth {
    let Some(atom) = system.atoms().find(&formula.atoms()[atom]) else { return Truth::False };
    let (part, own) = system.owners(atom)[0];
    system.part(part).label(StateId::new(state[part as usize] as usize), own)
}

/// The steps of a global state, by the definition of composition: all combinations of local steps.
fn successors(
    system: &System,
    state: &[u32],
    budget: &mut Budget,
) -> Result<Vec<(u32, Vec<u32>, bool)>, Unverified> {
    let local = |part: u32| StateId::new(state[part as usize] as usize);
    let mut results = Vec::new();
    if system.kind() == Kind::Kripke {
        let mut partial: Vec<(Vec<u32>, bool)> = vec![(Vec::new(), true)];
        for part in 0..system.len() as u32 {
            let mut longer = Vec::new();
            for (prefix, must) in &partial {
                for step in system.part(part).steps(local(part)) {
                    budget.spend(1 + prefix.len())?;
                    let mut next = prefix.clone();
                    next.push(step.target.index() as u32);
                    if agrees(system, &next) {
                        longer.push((next, *must && step.must));
                    }
                }
            }
            partial = longer;
        }
        results.extend(partial.into_iter().map(|(next, must)| (0, next, must)));
        return Ok(results);
    }
    for part in 0..system.len() as u32 {
        for step in system.part(part).steps(local(part)).filter(|step| step.action.index() == 0) {
            let mut next = state.to_vec();
            next[part as usize] = step.target.index() as u32;
            results.push((0, next, step.must));
        }
    }
    for action in 1..system.actions().len() as u32 {
        let mut partial: Vec<(Vec<u32>, bool)> = vec![(state.to_vec(), true)];
        for &(part, own) in system.participants(action) {
            budget.spend(1)?;
            let mut longer = Vec::new();
            for (prefix, must) in &partial {
                for step in system.part(part).steps(local(part)).filter(|step| step.action == own) {
                    budget.spend(1 + prefix.len() / 4)?;
                    let mut next = prefix.clone();
                    next[part as usize] = step.target.index() as u32;
                    longer.push((next, *must && step.must));
                }
            }
            partial = longer;
            if partial.is_empty() {
                break;
            }
        }
        if !system.participants(action).is_empty() {
            results.extend(partial.into_iter().map(|(next, must)| (action, next, must)));
        }
    }
    Ok(results)
}

/// Whether the first components agree on the labels they share.
fn agrees(system: &System, state: &[u32]) -> bool {
    (0..system.atoms().len()).all(|atom| {
        let owners =
            system.owners(Symbol::new(atom)).iter().filter(|(part, _)| (*part as usize) < state.len());
        let mut values = owners
            .map(|&(part, own)| system.part(part).label(StateId::new(state[part as usize] as usize), own));
        let first = values.next();
        values.all(|value| Some(value) == first)
    })
}
