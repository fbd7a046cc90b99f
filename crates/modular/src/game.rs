//! The three-valued game of a formula on the product of all processes, on the fly
//! (compositional-3valued, A1, A2 and A9).
//!
//! Nodes are pairs of a global state and a subformula. The game is unfolded breadth first; nodes
//! that wait to be unfolded count as unknown. Each time the number of unfolded nodes has doubled,
//! the game is coloured: the values found are those of the whole game, whatever waits. Nodes below
//! which everything is decided are not unfolded further. The work is that of colouring the part of
//! the game that was unfolded, at most twice: O(m) for formulas without alternation, with m the
//! steps of the product times the length of the formula. The oracle is `tests/naive.rs`.

use crate::question::SystemQuestion;
use crate::statics::{Literals, Value};
use hashbrown::HashTable;
use loris_base::{Budget, Exhausted, Idx, IndexVec, Truth};
use loris_games::Player;
use loris_games::ternary::{Colouring, Edge, TernaryBuilder, TernaryGame, colour_given};
use loris_logic::mu::{Mu, MuId};
use loris_lts::{GlobalStep, Product};
use rustc_hash::FxHasher;
use std::collections::VecDeque;
use std::hash::Hasher;

/// How the game is unfolded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unfolding {
    /// Every subformula is a node, as in the paper.
    Full,
    /// Literals are evaluated at once, and fixpoints are nodes only at their variables.
    Condensed,
}

/// A node: a global state and a subformula.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct GameNode {
    pub(crate) state: u32,
    pub(crate) formula: MuId,
}

/// The state of a node while the game is unfolded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Status {
    Waiting,
    Unfolded,
    Terminal(Truth),
}

/// The game of a question, as far as it was unfolded.
#[derive(Debug)]
pub(crate) struct GameGraph<'a> {
    pub(crate) question: &'a SystemQuestion<'a>,
    pub(crate) product: Product<'a>,
    literals: Literals,
    /// what it takes to evaluate them, by subformula
    work: IndexVec<MuId, u32>,
    detail: Unfolding,
    nodes: Vec<GameNode>,
    index: HashTable<u32>,
    held: usize,
    status: Vec<Status>,
    /// where the edges of a node start
    starts: Vec<u32>,
    lengths: Vec<u32>,
    /// twice the target, plus one if the edge is certain
    edges: Vec<u32>,
    colours: Vec<Truth>,
    waiting: VecDeque<u32>,
    unfolded: usize,
    /// with this many unfolded nodes, the game is coloured next
    due: usize,
    steps: Vec<GlobalStep>,
    row: Vec<Edge>,
    local: Vec<u32>,
}

/// The terminals that nodes with a known value share.
const TERMINALS: [Truth; 3] = [Truth::False, Truth::Unknown, Truth::True];

/// The steps of a look for a node, besides those for each process: engines that take turns count
/// the same time as the same number of steps.
const LOOK: usize = 16;

/// How many nodes are unfolded before the game is coloured for the first time.
const FIRST_LOOK: usize = 64;

impl<'a> GameGraph<'a> {
    pub(crate) fn new(
        question: &'a SystemQuestion<'a>,
        detail: Unfolding,
        budget: &mut Budget,
    ) -> Result<Self, Exhausted> {
        let product = Product::new(question.system, budget)?;
        let literals = Literals::new(question.formula, question.system.kind());
        let mut game = Self {
            question,
            product,
            work: literals.work(question),
            literals,
            detail,
            nodes: Vec::new(),
            index: HashTable::new(),
            held: 0,
            status: Vec::new(),
            starts: Vec::new(),
            lengths: Vec::new(),
            edges: Vec::new(),
            colours: Vec::new(),
            waiting: VecDeque::new(),
            unfolded: 0,
            due: FIRST_LOOK,
            steps: Vec::new(),
            row: Vec::new(),
            local: Vec::new(),
        };
        let root = question.formula.root();
        if detail == Unfolding::Condensed {
            for value in TERMINALS {
                game.push(GameNode { state: u32::MAX, formula: root }, Status::Terminal(value), budget)?;
            }
        }
        game.enter(0, root, budget)?;
        Ok(game)
    }

    /// How many nodes there are, without the shared terminals.
    pub(crate) fn len(&self) -> usize {
        self.nodes.len() - if self.detail == Unfolding::Condensed { TERMINALS.len() } else { 0 }
    }

    /// Bytes held.
    pub(crate) fn bytes(&self) -> usize {
        let list = |capacity: usize, size: usize| capacity * size;
        list(self.nodes.capacity(), size_of::<GameNode>())
            + list(self.status.capacity(), size_of::<Status>())
            + list(self.starts.capacity() + self.lengths.capacity() + self.edges.capacity(), 4)
            + list(self.colours.capacity(), size_of::<Truth>())
            + list(self.waiting.capacity(), 4)
            + self.index.allocation_size()
            + self.product.bytes()
    }

    /// The node of the question.
    pub(crate) fn root(&mut self, budget: &mut Budget) -> Result<u32, Exhausted> {
        self.enter(0, self.question.formula.root(), budget)
    }

    pub(crate) fn node(&self, node: u32) -> GameNode {
        self.nodes[node as usize]
    }

    /// The value of a node, as far as it was found.
    pub(crate) fn colour(&self, node: u32) -> Truth {
        match self.status[node as usize] {
            Status::Terminal(value) => value,
            _ => self.colours[node as usize],
        }
    }

    /// Unfolds and colours until the question is decided or the whole game is there.
    pub(crate) fn decide(&mut self, budget: &mut Budget) -> Result<Truth, Exhausted> {
        self.decide_within(usize::MAX, u64::MAX, budget).map(|value| value.expect("there is no limit"))
    }

    /// The same, until there are this many nodes, or the budget has spent this many steps: then the
    /// result is none. A look that is due is not put off.
    pub(crate) fn decide_within(
        &mut self,
        limit: usize,
        pause: u64,
        budget: &mut Budget,
    ) -> Result<Option<Truth>, Exhausted> {
        let root = self.root(budget)?;
        loop {
            while self.unfolded < self.due
                && self.nodes.len() <= limit
                && let Some(node) = self.waiting.pop_front()
            {
                self.unfold(node, budget)?;
                if budget.spent() >= pause && self.unfolded < self.due {
                    return Ok(None);
                }
            }
            // a look that a limit cuts off is still due when the game goes on
            self.look(root, budget)?;
            self.due = (2 * self.unfolded).max(FIRST_LOOK);
            if self.colour(root).is_known() || self.waiting.is_empty() {
                return Ok(Some(self.colour(root)));
            }
            if self.nodes.len() > limit {
                return Ok(None);
            }
        }
    }

    /// Unfolds everything; for exports and comparisons.
    pub(crate) fn unfold_all(&mut self, budget: &mut Budget) -> Result<(), Exhausted> {
        while let Some(node) = self.waiting.pop_front() {
            self.unfold(node, budget)?;
        }
        Ok(())
    }

    /// Colours what is there, keeps what is definite, and lets those nodes wait that the question
    /// depends on.
    fn look(&mut self, root: u32, budget: &mut Budget) -> Result<(), Exhausted> {
        let mark = budget.used();
        let (game, nodes) = self.snapshot(root, budget)?;
        let colouring = colour_given(&game, |_| None, budget)?;
        for (place, &node) in nodes.iter().enumerate() {
            self.colours[node as usize] = colouring.colour(place as u32);
        }
        // breadth first through what is unknown, along edges that could still decide a node
        self.waiting.clear();
        let mut seen = vec![false; nodes.len()];
        let mut queue = VecDeque::from([0u32]);
        seen[0] = true;
        while let Some(place) = queue.pop_front() {
            let node = nodes[place as usize];
            if colouring.colour(place).is_known() {
                continue;
            }
            match self.status[node as usize] {
                Status::Waiting => self.waiting.push_back(node),
                Status::Terminal(_) => {}
                Status::Unfolded => {
                    for &next in game.successors(place) {
                        if !seen[next as usize] && !colouring.colour(next).is_known() {
                            seen[next as usize] = true;
                            queue.push_back(next);
                        }
                    }
                }
            }
        }
        drop((game, colouring));
        let used = budget.used();
        budget.release(used - mark);
        Ok(())
    }

    /// The unfolded part below undecided nodes as a game, with the node behind each of its nodes;
    /// the root comes first.
    fn snapshot(&self, root: u32, budget: &mut Budget) -> Result<(TernaryGame, Vec<u32>), Exhausted> {
        let mut places: Vec<u32> = Vec::new();
        budget.reserve(&mut places, self.nodes.len())?;
        places.resize(self.nodes.len(), u32::MAX);
        let mut nodes: Vec<u32> = Vec::new();
        budget.reserve(&mut nodes, self.nodes.len())?;
        nodes.push(root);
        places[root as usize] = 0;
        let mut builder = TernaryBuilder::default();
        let mut row = Vec::new();
        let mut place = 0;
        while place < nodes.len() {
            let node = nodes[place];
            place += 1;
            let value = self.colour(node);
            if value.is_known() || self.status[node as usize] != Status::Unfolded {
                builder.terminal(value, budget)?;
                continue;
            }
            row.clear();
            for edge in self.edges_of(node) {
                let to = &mut places[edge.to as usize];
                if *to == u32::MAX {
                    *to = nodes.len() as u32;
                    nodes.push(edge.to);
                }
                row.push(Edge { to: *to, must: edge.must });
            }
            let formula = self.nodes[node as usize].formula;
            builder.push(self.owner(formula), self.priority(formula), &row, budget)?;
        }
        budget.free(places);
        Ok((builder.finish(budget)?, nodes))
    }

    /// The whole unfolded game without pruning, coloured; node numbers are those of this graph.
    pub(crate) fn coloured(&self, budget: &mut Budget) -> Result<(TernaryGame, Colouring), Exhausted> {
        let mut builder = TernaryBuilder::default();
        for (node, status) in self.status.iter().enumerate() {
            match status {
                Status::Terminal(value) => builder.terminal(*value, budget)?,
                Status::Waiting => builder.terminal(Truth::Unknown, budget)?,
                Status::Unfolded => {
                    let edges: Vec<Edge> = self.edges_of(node as u32).collect();
                    let formula = self.nodes[node].formula;
                    builder.push(self.owner(formula), self.priority(formula), &edges, budget)?
                }
            };
        }
        let game = builder.finish(budget)?;
        let colouring = colour_given(&game, |_| None, budget)?;
        Ok((game, colouring))
    }

    fn edges_of(&self, node: u32) -> impl Iterator<Item = Edge> + '_ {
        let start = self.starts[node as usize] as usize;
        let row = &self.edges[start..start + self.lengths[node as usize] as usize];
        row.iter().map(|&edge| Edge { to: edge >> 1, must: edge & 1 == 1 })
    }

    /// Who moves: at a variable of a condensed game, who moves at its body.
    fn owner(&self, formula: MuId) -> Player {
        match self.question.node(formula) {
            Mu::And(..) | Mu::Box(..) => Player::Odd,
            Mu::Var(variable) if self.detail == Unfolding::Condensed => {
                match self.question.node(self.question.formula.body(variable)) {
                    Mu::And(..) | Mu::Box(..) => Player::Odd,
                    _ => Player::Even,
                }
            }
            _ => Player::Even,
        }
    }

    fn priority(&self, formula: MuId) -> u32 {
        match self.question.node(formula) {
            Mu::Var(variable) => self.question.formula.priority(variable),
            _ => 0,
        }
    }

    fn push(&mut self, node: GameNode, status: Status, budget: &mut Budget) -> Result<u32, Exhausted> {
        let id = self.nodes.len();
        if id >= (u32::MAX / 2) as usize {
            return Err(Exhausted::States);
        }
        budget.reserve(&mut self.nodes, 1)?;
        budget.reserve(&mut self.status, 1)?;
        budget.reserve(&mut self.starts, 1)?;
        budget.reserve(&mut self.lengths, 1)?;
        budget.reserve(&mut self.colours, 1)?;
        self.nodes.push(node);
        self.status.push(status);
        self.starts.push(0);
        self.lengths.push(0);
        self.colours.push(Truth::Unknown);
        Ok(id as u32)
    }

    /// The node of a subformula in a state.
    fn enter(&mut self, state: u32, formula: MuId, budget: &mut Budget) -> Result<u32, Exhausted> {
        budget.spend(LOOK + self.question.system.len() / 4 + self.work[formula] as usize)?;
        let mut formula = formula;
        let mut status = Status::Waiting;
        match self.detail {
            Unfolding::Condensed => {
                let mut local = std::mem::take(&mut self.local);
                self.product.decode(state, &mut local);
                let value = self.literals.condense(self.question, &self.product, &local, formula);
                self.local = local;
                match value {
                    Value::Known(value) => return Ok(value as u32),
                    Value::Open(rest) => formula = rest,
                }
            }
            Unfolding::Full => {
                let value = match self.question.node(formula) {
                    Mu::True => Some(Truth::True),
                    Mu::False => Some(Truth::False),
                    Mu::Atom(_) | Mu::NotAtom(_) => {
                        let mut local = std::mem::take(&mut self.local);
                        self.product.decode(state, &mut local);
                        let value = self.literals.evaluate(self.question, &self.product, &local, formula);
                        self.local = local;
                        Some(value)
                    }
                    _ => None,
                };
                status = value.map_or(status, Status::Terminal);
            }
        }
        let node = GameNode { state, formula };
        let hash = hash(node);
        let nodes = &self.nodes;
        if let Some(&id) = self.index.find(hash, |&id| nodes[id as usize] == node) {
            return Ok(id);
        }
        let id = self.push(node, status, budget)?;
        let nodes = &self.nodes;
        self.index.insert_unique(hash, id, |&id| self::hash(nodes[id as usize]));
        let bytes = self.index.allocation_size();
        if bytes != self.held {
            budget.grow(&mut self.held, bytes)?;
        }
        if status == Status::Waiting {
            self.waiting.push_back(id);
        }
        Ok(id)
    }

    fn unfold(&mut self, node: u32, budget: &mut Budget) -> Result<(), Exhausted> {
        if self.status[node as usize] != Status::Waiting {
            return Ok(());
        }
        let GameNode { state, mut formula } = self.nodes[node as usize];
        if let (Unfolding::Condensed, Mu::Var(variable)) = (self.detail, self.question.node(formula)) {
            formula = self.question.formula.body(variable);
        }
        let mut row = std::mem::take(&mut self.row);
        row.clear();
        let result = self.moves(state, formula, &mut row, budget);
        self.row = row;
        result?;
        budget.spend(1 + self.row.len())?;
        self.starts[node as usize] = self.edges.len() as u32;
        self.lengths[node as usize] = self.row.len() as u32;
        if self.edges.len() + self.row.len() > u32::MAX as usize {
            return Err(Exhausted::States);
        }
        budget.reserve(&mut self.edges, self.row.len())?;
        self.edges.extend(self.row.iter().map(|edge| edge.to << 1 | u32::from(edge.must)));
        self.status[node as usize] = Status::Unfolded;
        self.unfolded += 1;
        Ok(())
    }

    fn moves(
        &mut self,
        state: u32,
        formula: MuId,
        row: &mut Vec<Edge>,
        budget: &mut Budget,
    ) -> Result<(), Exhausted> {
        match self.question.node(formula) {
            Mu::And(f, g) | Mu::Or(f, g) => {
                for operand in [f, g] {
                    row.push(Edge::must(self.enter(state, operand, budget)?));
                }
            }
            Mu::Diamond(set, f) | Mu::Box(set, f) => {
                let mut steps = std::mem::take(&mut self.steps);
                steps.clear();
                let result = self.product.steps(state, &mut steps, budget);
                let question = self.question;
                for step in steps.iter().filter(|step| question.contains(set, step.action)) {
                    let to = self.enter(step.target, f, budget)?;
                    row.push(Edge { to, must: step.must });
                }
                self.steps = steps;
                result?;
                if self.detail == Unfolding::Condensed {
                    shorten(row, matches!(question.node(formula), Mu::Diamond(..)));
                }
            }
            Mu::Var(variable) => {
                let next = self.question.formula.body(variable);
                row.push(Edge::must(self.enter(state, next, budget)?));
            }
            Mu::Fix(_, variable, body) => {
                // the variable is a node of its own, as in the paper
                let next = self.question.formula.variable_node(variable).unwrap_or(body);
                row.push(Edge::must(self.enter(state, next, budget)?));
            }
            Mu::True | Mu::False | Mu::Atom(_) | Mu::NotAtom(_) => {}
        }
        Ok(())
    }
}

/// Leaves out moves to terminals that do not help their owner, and all others if one wins at once.
fn shorten(row: &mut Vec<Edge>, some: bool) {
    let (loses, wins) = if some { (0, 2) } else { (2, 0) };
    if row.contains(&Edge::must(wins)) {
        row.clear();
        row.push(Edge::must(wins));
        return;
    }
    row.retain(|edge| edge.to != loses);
    row.sort_unstable();
    row.dedup();
}

fn hash(node: GameNode) -> u64 {
    let mut hasher = FxHasher::default();
    hasher.write_u64(u64::from(node.state) << 32 | node.formula.index() as u64);
    hasher.finish()
}
