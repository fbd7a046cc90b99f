//! Abstraction and refinement of processes (compositional-3valued, A9 to A12, A14 and A15).
//!
//! One process or all start as their coarsest abstraction. Each round colours the games of the
//! lifted processes, then the product of what stays undecided, one process after the other; if that
//! is undecided with all, too, the nearest cause is looked for, and the abstraction refined there.
//! Colours that were found stay. Of two Kripke structures, moves that no pair of the product uses
//! are dropped: A12 is about one partner, and in the game of a labelled transition system the idle
//! move stands for steps of others, of which some may be used and others not.
//!
//! Every round splits a block, or makes a label or a step known, so the loop ends. The oracle is
//! the concrete engine (`tests/refine.rs`).

mod abstraction;

use crate::compositional::{Composing, Known, Lifted, Local, Piece, Stop, compose, lift_given};
use crate::question::SystemQuestion;
use abstraction::Abstraction;
pub use abstraction::Refined;
use loris_base::{Budget, Exhausted, Idx, Symbol, Truth};
use loris_games::ternary::Colouring;
use loris_logic::mu::{Mu, MuFormula, MuId};
use loris_lts::{Action, ActionId, Process, ProcessKind, StateId, System, TAU};
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::VecDeque;
use std::fmt::Write as _;
use std::sync::Arc;

/// Which processes are abstracted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Abstract {
    /// The last one.
    One,
    /// All.
    All,
}

/// Why a round did not decide.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum UndecidedCause {
    /// A label is unknown in a block of a process.
    Label {
        /// The process.
        process: u32,
        /// The block, as a list of states.
        block: String,
        /// The label.
        label: String,
    },
    /// A step may or may not be there, in the processes listed.
    Step {
        /// The processes whose step is uncertain.
        processes: Vec<u32>,
        /// The blocks before it.
        from: Vec<String>,
        /// The blocks after it.
        to: Vec<String>,
    },
}

/// One round of the loop.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RefinementRound {
    /// Blocks of each process.
    pub blocks: Vec<usize>,
    /// Steps between blocks of each process that may be there, and those that are.
    pub steps: Vec<(usize, usize)>,
    /// Nodes of the undecided game of each process; 0 if it was not looked at.
    pub undecided: Vec<usize>,
    /// Nodes of their products, if some were made.
    pub product: Option<usize>,
    /// Why the round did not decide.
    pub cause: Option<UndecidedCause>,
    /// What was done about it, by process.
    pub refined: Vec<(u32, Refined)>,
}

impl RefinementRound {
    /// In words.
    pub fn describe(&self, system: &System) -> String {
        let name = |process: u32| system.process(process).name();
        let mut text =
            format!("{} blocks, {} nodes undecided", listed(&self.blocks), listed(&self.undecided));
        if let Some(nodes) = self.product {
            let _ = write!(text, ", {nodes} product nodes");
        }
        match &self.cause {
            None => text.push_str("; decided"),
            Some(UndecidedCause::Label { process: owner, block, label }) => {
                let _ = write!(text, "; {label} is unknown in {block} of {}", name(*owner));
            }
            Some(UndecidedCause::Step { processes, from, to }) => {
                let names: Vec<&str> = processes.iter().map(|&process| name(process)).collect();
                let _ = write!(
                    text,
                    "; the step from ({}) to ({}) is uncertain in {}",
                    from.join(", "),
                    to.join(", "),
                    names.join(" and ")
                );
            }
        }
        for (process, refined) in &self.refined {
            let done = match refined {
                Refined::Split => "is split",
                Refined::Known => "is known now",
                Refined::Nothing => continue,
            };
            let _ = write!(text, "; {} {done}", name(*process));
        }
        text
    }
}

/// Numbers in a sentence.
fn listed(numbers: &[usize]) -> String {
    let words: Vec<String> = numbers.iter().map(usize::to_string).collect();
    match words.split_last() {
        Some((last, others)) if !others.is_empty() => format!("{} and {last}", others.join(", ")),
        Some((last, _)) => last.clone(),
        None => "0".to_owned(),
    }
}

/// The answer of the loop.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refinement {
    /// Whether the formula holds.
    pub value: Truth,
    /// The processes that decided without the others, if some did.
    pub decided_by: Vec<u32>,
    /// All rounds.
    pub rounds: Vec<RefinementRound>,
}

/// Whether the loop is for this system: without uncertain steps and unknown labels.
pub fn takes_refinement(system: &System) -> bool {
    system.is_concrete()
}

/// Decides a question about processes by abstraction and refinement. With `prune`, nodes that no
/// product of two Kripke structures uses are dropped between rounds (A12).
///
/// # Errors
/// The budget ran out.
///
/// # Panics
/// If [`takes_refinement`] says no.
pub fn check_refining(
    system: &System,
    formula: &MuFormula,
    which: Abstract,
    prune: bool,
    budget: &mut Budget,
) -> Result<Refinement, Exhausted> {
    assert!(takes_refinement(system), "refinement is for concrete processes");
    let prunes = prune && system.kind() == ProcessKind::Kripke && system.len() == 2;
    let last = system.len() - 1;
    let is_abstract = |process: usize| which == Abstract::All || process == last;
    let sides = (0..system.len()).map(|process| Side::new(system, process, is_abstract(process)));
    let mut sides: Vec<Side<'_>> = sides.collect();
    let is_hidden =
        |&action: &Action| system.visible_name(action) != &system.actions()[Symbol::new(action as usize)];
    let hidden = (0..system.actions().len() as Action).filter(is_hidden);
    let hidden: Vec<String> =
        hidden.map(|action| system.actions()[Symbol::new(action as usize)].to_owned()).collect();
    let mut result = Refinement { value: Truth::Unknown, decided_by: Vec::new(), rounds: Vec::new() };
    loop {
        budget.spend(1)?;
        let mark = budget.used();
        let processes = sides.iter().map(|side| side.process(budget)).collect::<Result<Vec<_>, _>>()?;
        let abstract_system = System::new(processes, &hidden).expect("blocks agree where states do");
        let question = SystemQuestion::new(&abstract_system, formula, true).expect("lenient questions fit");
        let decided = one_round(system, &question, &mut sides, prunes, &mut result, budget)?;
        budget.release(budget.used().saturating_sub(mark));
        if decided {
            return Ok(result);
        }
    }
}

/// One round of the loop; whether it decided.
fn one_round(
    system: &System,
    question: &SystemQuestion<'_>,
    sides: &mut [Side<'_>],
    prunes: bool,
    result: &mut Refinement,
    budget: &mut Budget,
) -> Result<bool, Exhausted> {
    let mut round = RefinementRound {
        blocks: sides.iter().map(Side::len).collect(),
        steps: sides.iter().map(Side::steps).collect(),
        undecided: vec![0; sides.len()],
        product: None,
        cause: None,
        refined: Vec::new(),
    };
    let mut games = Vec::new();
    for (process, side) in sides.iter_mut().enumerate() {
        let lifted = lift_given(question, process as u32, &*side, budget)?;
        let colouring = lifted.piece.colour(question, budget)?;
        result.value = colouring.colour(0);
        if result.value.is_known() {
            result.decided_by = vec![process as u32];
            result.rounds.push(round);
            return Ok(true);
        }
        side.keep(&lifted, &colouring);
        let (piece, order) = lifted.piece.undecided_of(question, &colouring, budget)?;
        let nodes: Vec<(u32, MuId)> = order.iter().map(|&node| lifted.nodes[node as usize]).collect();
        round.undecided[process] = piece.len();
        games.push(Lifted { piece, nodes });
    }
    let joined = join(question, &games, &mut round, budget)?;
    result.value = joined.colouring.colour(0);
    if result.value.is_known() {
        if joined.count < games.len() {
            result.decided_by = (0..joined.count as u32).collect();
        }
        result.rounds.push(round);
        return Ok(true);
    }
    if prunes {
        let pairs: Vec<(u32, u32)> = joined.parts.iter().map(|nodes| (nodes[0], nodes[1])).collect();
        for (process, side) in sides.iter_mut().enumerate() {
            side.prune(question, &games[process], &pairs, process, (&joined.product, &joined.colouring));
        }
    }
    let found = nearest(question, &joined.product, &joined.colouring);
    let blocks = |node: u32| {
        let parts = joined.parts[node as usize].iter().zip(&games);
        parts.map(|(&part, game)| game.nodes[part as usize].0).collect::<Vec<u32>>()
    };
    refine(system, question, sides, found.map_nodes(&joined.product, blocks), &mut round);
    result.rounds.push(round);
    Ok(false)
}

/// The product of the undecided games of the first processes: of all, or of as many as decide.
struct Joined {
    product: Piece,
    colouring: Colouring,
    /// by node: the node of each game
    parts: Vec<Vec<u32>>,
    count: usize,
}

/// Multiplies undecided games one after the other; between two, only what is undecided stays.
fn join(
    question: &SystemQuestion<'_>,
    games: &[Lifted],
    round: &mut RefinementRound,
    budget: &mut Budget,
) -> Result<Joined, Exhausted> {
    let mut product = games[0].piece.clone();
    let mut parts: Vec<Vec<u32>> = (0..product.len() as u32).map(|node| vec![node]).collect();
    let mut colouring = product.colour(question, budget)?;
    for (before, game) in games.iter().enumerate().skip(1) {
        if before > 1 {
            let (undecided, order) = product.undecided_of(question, &colouring, budget)?;
            product = undecided;
            parts = order.iter().map(|&node| parts[node as usize].clone()).collect();
        }
        let limit = Composing::default().limit;
        let (next, pairs) = match compose(question, &product, &game.piece, limit, budget) {
            Ok(composed) => composed,
            Err(Stop::Exhausted(why)) => return Err(why),
            Err(Stop::TooLarge) => unreachable!("there is no limit"),
        };
        budget.charge(pairs.len() * (size_of::<Vec<u32>>() + 4 * (before + 1)))?;
        let both = |&(left, right): &(u32, u32)| {
            parts[left as usize].iter().copied().chain([right]).collect::<Vec<u32>>()
        };
        parts = pairs.iter().map(both).collect();
        product = next;
        colouring = product.colour(question, budget)?;
        *round.product.get_or_insert(0) += product.len();
        if colouring.colour(0).is_known() {
            return Ok(Joined { product, colouring, parts, count: before + 1 });
        }
    }
    Ok(Joined { product, colouring, parts, count: games.len() })
}

/// One of the processes, with what is known of its game.
struct Side<'c> {
    concrete: Arc<Process>,
    abstraction: Option<Abstraction<'c>>,
    /// the values of nodes
    values: FxHashMap<Local, Truth>,
    /// moves that no pair of the product uses
    dropped: FxHashSet<(Local, Local)>,
    /// moves of operators that some pairs use and others do not
    partial: FxHashSet<(Local, Local)>,
}

impl Known for Side<'_> {
    fn value(&self, node: Local) -> Option<Truth> {
        self.values.get(&node).copied()
    }

    fn drops(&self, from: Local, to: Local) -> bool {
        self.dropped.contains(&(from, to))
    }

    fn is_partial(&self, from: Local, to: Local) -> bool {
        self.partial.contains(&(from, to))
    }

    /// A step to a constant is refined like others.
    fn tells_constants_apart(&self) -> bool {
        true
    }
}

impl<'c> Side<'c> {
    fn new(system: &'c System, process: usize, is_abstract: bool) -> Self {
        let process = &system.processes()[process];
        let shared = |atom| {
            let name = process.atom_name(atom);
            system.atoms().find(name).is_some_and(|atom| system.owners(atom).len() > 1)
        };
        let abstraction = is_abstract.then(|| Abstraction::new(process, shared));
        Self {
            concrete: Arc::clone(process),
            abstraction,
            values: FxHashMap::default(),
            dropped: FxHashSet::default(),
            partial: FxHashSet::default(),
        }
    }

    fn len(&self) -> usize {
        self.abstraction.as_ref().map_or(self.concrete.state_count(), Abstraction::len)
    }

    fn steps(&self) -> (usize, usize) {
        let all = self.concrete.step_count();
        self.abstraction.as_ref().map_or((all, all), Abstraction::steps)
    }

    fn process(&self, budget: &mut Budget) -> Result<Arc<Process>, Exhausted> {
        match &self.abstraction {
            None => Ok(Arc::clone(&self.concrete)),
            Some(abstraction) => abstraction.process(budget).map(Arc::new),
        }
    }

    /// Keeps what was decided in the game of the process alone.
    fn keep(&mut self, lifted: &Lifted, colouring: &Colouring) {
        for (node, &key) in lifted.nodes.iter().enumerate() {
            let value = colouring.colour(node as u32);
            if value.is_known() {
                self.values.insert(key, value);
            }
        }
    }

    /// Keeps what the product shows about this process (A12): moves that no pair uses are
    /// dropped, and nodes that occur with one value only have it.
    ///
    /// The paper drops nodes; a node may be used after one move and not after another, so moves are
    /// dropped here, and those of an operator that only some pairs use are no longer certain. And
    /// where the other process decides a pair, the product does not go on, and says nothing about
    /// the nodes of this process below: these are left alone. Without all of this, the rule gives
    /// wrong verdicts on random structures.
    fn prune(
        &mut self,
        question: &SystemQuestion<'_>,
        game: &Lifted,
        pairs: &[(u32, u32)],
        process: usize,
        (product, colouring): (&Piece, &Colouring),
    ) {
        let own = |node: u32| if process == 0 { pairs[node as usize].0 } else { pairs[node as usize].1 };
        let mut seen: Vec<Option<Truth>> = vec![None; game.nodes.len()];
        let mut used: FxHashMap<(u32, u32), usize> = FxHashMap::default();
        let mut pairs_of = vec![0; game.nodes.len()];
        let mut is_cut = vec![false; game.nodes.len()];
        for node in 0..pairs.len() as u32 {
            let place = own(node) as usize;
            let value = colouring.colour(node);
            seen[place] = Some(match seen[place] {
                None => value,
                Some(before) if before == value => value,
                Some(_) => Truth::Unknown,
            });
            pairs_of[place] += 1;
            let mut targets: Vec<u32> = product.edges(node).iter().map(|edge| own(edge.to)).collect();
            targets.sort_unstable();
            targets.dedup();
            for target in targets {
                *used.entry((place as u32, target)).or_default() += 1;
            }
            let stops = product.nodes[node as usize].value.is_some() && product.edges(node).is_empty();
            is_cut[place] |= stops && game.piece.nodes[place].value.is_none();
        }
        let mut is_below = vec![false; game.nodes.len()];
        let cut = (0..game.nodes.len() as u32).filter(|&node| is_cut[node as usize]);
        let mut below: Vec<u32> = cut.flat_map(|node| game.piece.edges(node)).map(|edge| edge.to).collect();
        while let Some(node) = below.pop() {
            if !std::mem::replace(&mut is_below[node as usize], true) {
                below.extend(game.piece.edges(node).iter().map(|edge| edge.to));
            }
        }
        for node in 0..game.nodes.len() as u32 {
            let place = node as usize;
            if is_below[place] {
                continue;
            }
            if let Some(value) = seen[place].filter(|value| value.is_known()) {
                self.values.entry(game.nodes[place]).or_insert(value);
            }
            for edge in game.piece.edges(node).iter().filter(|_| !is_cut[place]) {
                let (from, to) = (game.nodes[place], game.nodes[edge.to as usize]);
                match used.get(&(node, edge.to)) {
                    None => {
                        self.dropped.insert((from, to));
                    }
                    Some(&times) if times < pairs_of[place] && !is_modal(question, from.1) => {
                        self.partial.insert((from, to));
                    }
                    Some(_) => {}
                }
            }
        }
    }

    /// Whether there may be a step.
    fn may_step(&self, source: u32, action: ActionId, target: u32) -> bool {
        if let Some(abstraction) = &self.abstraction {
            return abstraction.may_step(source, action, target);
        }
        let mut steps = self.concrete.steps_by(StateId::new(source as usize), action);
        steps.any(|step| step.target.index() == target as usize)
    }

    /// The second half of a block knows what the block knew.
    fn split(&mut self, block: u32, other: u32) {
        let halves = |(own, formula): Local| {
            let second = (own == block).then_some((other, formula));
            std::iter::once((own, formula)).chain(second)
        };
        let values = std::mem::take(&mut self.values);
        self.values = values
            .into_iter()
            .flat_map(|(node, value)| halves(node).map(move |node| (node, value)))
            .collect();
        for moves in [&mut self.dropped, &mut self.partial] {
            *moves = std::mem::take(moves)
                .into_iter()
                .flat_map(|(from, to)| {
                    halves(from).flat_map(move |from| halves(to).map(move |to| (from, to)))
                })
                .collect();
        }
    }
}

/// Where the product is undecided.
enum Found<N> {
    Label(N),
    Step(N, N),
}

impl Found<u32> {
    /// The same with the blocks of nodes, and the subformula of a label.
    fn map_nodes(self, product: &Piece, blocks: impl Fn(u32) -> Vec<u32>) -> (Found<Vec<u32>>, MuId) {
        match self {
            Found::Label(node) => (Found::Label(blocks(node)), product.nodes[node as usize].formula),
            Found::Step(from, to) => {
                (Found::Step(blocks(from), blocks(to)), product.nodes[from as usize].formula)
            }
        }
    }
}

/// The nearest cause (A9): first an uncertain step to a node that would decide, then an unknown
/// label, then any uncertain step.
fn nearest(question: &SystemQuestion<'_>, product: &Piece, colouring: &Colouring) -> Found<u32> {
    let mut seen = vec![false; product.len()];
    let mut queue = VecDeque::from([0u32]);
    seen[0] = true;
    let (mut label, mut step) = (None, None);
    while let Some(node) = queue.pop_front() {
        let formula = product.nodes[node as usize].formula;
        let useless = match question.node(formula) {
            Mu::And(..) | Mu::Box(..) => Truth::True,
            _ => Truth::False,
        };
        if product.nodes[node as usize].value.is_some() {
            label = label.or(Some(Found::Label(node)));
            continue;
        }
        for edge in product.edges(node) {
            let son = colouring.colour(edge.to);
            let uncertain = is_modal(question, formula) && !edge.must;
            if son.is_known() && son != useless && uncertain {
                return Found::Step(node, edge.to);
            }
            if son.is_known() {
                continue;
            }
            if uncertain {
                step = step.or(Some(Found::Step(node, edge.to)));
            }
            if !std::mem::replace(&mut seen[edge.to as usize], true) {
                queue.push_back(edge.to);
            }
        }
    }
    label.or(step).expect("an undecided game has an unknown label or an uncertain step")
}

fn is_modal(question: &SystemQuestion<'_>, formula: MuId) -> bool {
    matches!(question.node(formula), Mu::Diamond(..) | Mu::Box(..))
}

/// Refines where the cause is.
fn refine(
    system: &System,
    question: &SystemQuestion<'_>,
    sides: &mut [Side<'_>],
    (found, formula): (Found<Vec<u32>>, MuId),
    round: &mut RefinementRound,
) {
    let describe = |sides: &[Side<'_>], blocks: &[u32]| -> Vec<String> {
        let sides = sides.iter().zip(blocks).enumerate();
        let name = |(process, (side, &block)): (usize, (&Side<'_>, &u32))| match &side.abstraction {
            Some(abstraction) => abstraction.describe(block),
            None => system
                .process(process as u32)
                .state_name(StateId::new(block as usize))
                .map_or_else(|| block.to_string(), str::to_owned),
        };
        sides.map(name).collect()
    };
    match found {
        Found::Label(blocks) => {
            let (Mu::Atom(atom) | Mu::NotAtom(atom)) = question.node(formula) else {
                unreachable!("unknown terminals are labels")
            };
            let name = &question.formula.atoms()[atom];
            let owner =
                (0..system.len() as u32).find(|&process| system.process(process).find_atom(name).is_some());
            let process = owner.expect("labels that nobody knows are false");
            let block = describe(sides, &blocks)[process as usize].clone();
            round.cause = Some(UndecidedCause::Label { process, block, label: name.to_owned() });
            let atom = system.process(process).find_atom(name).expect("its owner knows it");
            let done = learn(&mut sides[process as usize], blocks[process as usize], |abstraction, block| {
                abstraction.learn_label(block, atom)
            });
            round.refined.push((process, done));
        }
        Found::Step(from, to) => {
            let (before, after) = (describe(sides, &from), describe(sides, &to));
            for (process, action) in taken(system, question, sides, (&from, &to), formula) {
                // an earlier action may have split the block
                let side = &mut sides[process as usize];
                let done = learn(side, from[process as usize], |abstraction, block| {
                    abstraction.learn_step(block, action, to[process as usize])
                });
                if done != Refined::Nothing {
                    round.refined.push((process, done));
                }
            }
            let mut processes: Vec<u32> = round.refined.iter().map(|&(process, _)| process).collect();
            processes.sort_unstable();
            processes.dedup();
            round.cause = Some(UndecidedCause::Step { processes, from: before, to: after });
        }
    }
    assert!(
        round.refined.iter().any(|(_, refined)| *refined != Refined::Nothing),
        "every round makes something known"
    );
}

/// The processes with the actions that may take them from one state of all to another.
fn taken(
    system: &System,
    question: &SystemQuestion<'_>,
    sides: &[Side<'_>],
    (from, to): (&[u32], &[u32]),
    formula: MuId,
) -> Vec<(u32, ActionId)> {
    let may = |&(process, action): &(u32, ActionId)| {
        sides[process as usize].may_step(from[process as usize], action, to[process as usize])
    };
    if system.kind() == ProcessKind::Kripke {
        return (0..system.len() as u32).map(|process| (process, TAU)).collect();
    }
    let (Mu::Diamond(set, _) | Mu::Box(set, _)) = question.node(formula) else {
        unreachable!("steps are asked for by modalities")
    };
    let stays = |but: &[(u32, ActionId)]| {
        let is_in = |process: usize| but.iter().any(|&(one, _)| one as usize == process);
        (0..system.len()).all(|process| is_in(process) || from[process] == to[process])
    };
    let alone = (0..system.len() as u32).map(|process| vec![(process, TAU)]);
    let silent = alone.filter(|_| question.contains(set, 0));
    let others = (1..system.actions().len() as Action).filter(|&action| question.contains(set, action));
    let together = others.map(|action| system.participants(action).to_vec());
    let together = together.filter(|participants| !participants.is_empty());
    let steps = silent.chain(together).filter(|step| step.iter().all(may) && stays(step));
    steps.flatten().collect()
}

/// Refines one process, if it is abstract.
fn learn(side: &mut Side<'_>, block: u32, how: impl FnOnce(&mut Abstraction<'_>, u32) -> Refined) -> Refined {
    let Some(abstraction) = &mut side.abstraction else { return Refined::Nothing };
    let other = abstraction.len() as u32;
    let done = how(abstraction, block);
    if done == Refined::Split {
        side.split(block, other);
    }
    done
}
