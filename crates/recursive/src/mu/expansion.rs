//! What a formula asks of a state, up to its next steps.
//!
//! Fixpoints are unfolded until a modality: each operand of a modality becomes a positive Boolean
//! combination of labels and *leaves*. A leaf is a modality together with the largest priority that
//! was passed since the modality before it. Priorities count within one strongly connected part (a
//! *class*) of the formula only: a play that leaves a class never comes back, so that what it
//! passed before does not matter. Within a class the smallest priority stands for none, since every
//! cycle passes some variable. So there is one leaf for each modality of a formula without
//! alternation.
//!
//! A variable may come back without a modality between (`mu X. p | X`). The first repetition on a
//! path decides then, by the largest priority of the cycle: parity games and games that end with
//! their first cycle have the same winner. Only such formulas are unfolded path by path, which can
//! take exponential time; others take time in their size times their number of priorities.

use loris_base::{BitRows, Budget, Csr, Exhausted, Idx, strong_components, unite, words_for};
use loris_logic::mu::{Mu, MuFormula, MuId, VarId};
use rustc_hash::FxHashMap;

/// A combination of labels and leaves, by its number; operands have smaller numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Expr {
    False,
    True,
    Atom(u32, bool),
    And(u32, u32),
    Or(u32, u32),
    Leaf(u32),
}

/// The numbers of the constants.
pub(super) const FALSE: u32 = 0;
pub(super) const TRUE: u32 = 1;

/// A modality.
#[derive(Clone, Copy, Debug)]
pub(super) struct Modality {
    /// `<>`, else `[]`
    pub(super) some: bool,
    /// what it asks of successors
    pub(super) operand: u32,
    /// the part of the formula it belongs to
    pub(super) class: u32,
    /// its leaf of the smallest priority; those of the others of its class follow
    pub(super) first_leaf: u32,
    /// how many priorities its class has
    pub(super) ranks: u32,
}

/// A modality with the largest priority that was passed before it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Leaf {
    pub(super) modality: u32,
    /// the place of the priority among those of the class
    pub(super) rank: u32,
    pub(super) priority: u32,
}

/// A formula with its fixpoints unfolded until the next modality.
pub(super) struct Expansion {
    exprs: Vec<Expr>,
    index: FxHashMap<Expr, u32>,
    /// what the whole formula asks
    pub(super) root: u32,
    pub(super) modalities: Vec<Modality>,
    pub(super) leaves: Vec<Leaf>,
    /// how many expressions there are before any is simplified
    count: usize,
    /// per modality, the modalities that can follow it, as rows of bits
    follows: BitRows,
}

impl Expansion {
    pub(super) fn new(formula: &MuFormula, budget: &mut Budget) -> Result<Self, Exhausted> {
        budget.charge(64 * formula.len())?;
        budget.spend(formula.len())?;
        let (class, priorities) = classes(formula);
        let mut expansion = Self {
            exprs: Vec::new(),
            index: FxHashMap::default(),
            root: FALSE,
            modalities: Vec::new(),
            leaves: Vec::new(),
            count: 0,
            follows: BitRows::default(),
        };
        expansion.add(Expr::False);
        expansion.add(Expr::True);
        let mut modality_of = vec![u32::MAX; formula.len()];
        for (id, node) in formula.nodes() {
            let (Mu::Diamond(..) | Mu::Box(..)) = node else { continue };
            modality_of[id.index()] = expansion.modalities.len() as u32;
            let class = class[id.index()];
            let some = matches!(node, Mu::Diamond(..));
            let first_leaf = expansion.leaves.len() as u32;
            let modality = expansion.modalities.len() as u32;
            for (rank, &priority) in priorities[class as usize].iter().enumerate() {
                expansion.leaves.push(Leaf { modality, rank: rank as u32, priority });
            }
            let ranks = priorities[class as usize].len() as u32;
            expansion.modalities.push(Modality { some, operand: FALSE, class, first_leaf, ranks });
        }
        let mut unfolding = Unfolding {
            formula,
            class: &class,
            priorities: &priorities,
            modality_of: &modality_of,
            is_guarded: is_guarded(formula),
            done: FxHashMap::default(),
            expansion,
            held: 0,
        };
        for (id, node) in formula.nodes() {
            if let Mu::Diamond(_, f) | Mu::Box(_, f) = node {
                let operand = unfolding.unfold(f, budget)?;
                unfolding.expansion.modalities[modality_of[id.index()] as usize].operand = operand;
            }
        }
        let root = unfolding.unfold(formula.root(), budget)?;
        let mut expansion = unfolding.expansion;
        expansion.root = root;
        expansion.count = expansion.exprs.len();
        expansion.close(budget)?;
        Ok(expansion)
    }

    pub(super) fn expr(&self, id: u32) -> Expr {
        self.exprs[id as usize]
    }

    fn add(&mut self, expr: Expr) -> u32 {
        *self.index.entry(expr).or_insert_with(|| {
            self.exprs.push(expr);
            self.exprs.len() as u32 - 1
        })
    }

    fn join(&mut self, and: bool, f: u32, g: u32) -> u32 {
        let (neutral, zero) = if and { (TRUE, FALSE) } else { (FALSE, TRUE) };
        match (f, g) {
            _ if f == zero || g == zero => zero,
            _ if f == neutral || f == g => g,
            _ if g == neutral => f,
            _ if self.modality(f).is_some() && self.modality(f) == self.modality(g) => {
                // the same modality: a larger even or a smaller odd priority is never worse
                let (worse, better) = if self.worth(f) < self.worth(g) { (f, g) } else { (g, f) };
                if and { worse } else { better }
            }
            _ if and => self.add(Expr::And(f.min(g), f.max(g))),
            _ => self.add(Expr::Or(f.min(g), f.max(g))),
        }
    }

    /// The modality of an expression that is a leaf.
    fn modality(&self, expr: u32) -> Option<u32> {
        match self.exprs[expr as usize] {
            Expr::Leaf(leaf) => Some(self.leaves[leaf as usize].modality),
            _ => None,
        }
    }

    /// How good the priority of a leaf is for player 0.
    fn worth(&self, expr: u32) -> i64 {
        match self.exprs[expr as usize] {
            Expr::Leaf(leaf) => {
                let priority = i64::from(self.leaves[leaf as usize].priority);
                if priority % 2 == 0 { priority } else { -priority }
            }
            _ => 0,
        }
    }

    /// The expression of a leaf.
    pub(super) fn leaf(&mut self, leaf: u32) -> u32 {
        self.add(Expr::Leaf(leaf))
    }

    /// The same, if it was met.
    pub(super) fn known_leaf(&self, leaf: u32) -> Option<u32> {
        self.index.get(&Expr::Leaf(leaf)).copied()
    }

    /// All expressions where the labels are known: no label is left in them.
    pub(super) fn simplified(&mut self, holds: impl Fn(u32) -> bool) -> Vec<u32> {
        let mut simple: Vec<u32> = Vec::with_capacity(self.count);
        for id in 0..self.count {
            let found = match self.exprs[id] {
                Expr::False => FALSE,
                Expr::True => TRUE,
                Expr::Atom(atom, positive) => u32::from(holds(atom) == positive),
                Expr::And(f, g) => self.join(true, simple[f as usize], simple[g as usize]),
                Expr::Or(f, g) => self.join(false, simple[f as usize], simple[g as usize]),
                Expr::Leaf(_) => id as u32,
            };
            simple.push(found);
        }
        simple
    }

    /// Bytes held, and how many expressions a simplified table has.
    pub(super) fn bytes(&self) -> usize {
        48 * self.exprs.capacity()
    }

    /// How many expressions a table of [`simplified`](Self::simplified) ones has.
    pub(super) fn table_len(&self) -> usize {
        self.count
    }

    /// Whether a play can get from one modality to another.
    pub(super) fn follows(&self, from: u32, to: u32) -> bool {
        self.follows.contains(from as usize, to as usize)
    }

    /// Computes [`follows`](Self::follows), a modality and itself included.
    fn close(&mut self, budget: &mut Budget) -> Result<(), Exhausted> {
        let modalities = self.modalities.len();
        let words = words_for(modalities);
        budget.charge(8 * words * (self.exprs.len() + modalities))?;
        self.follows = BitRows::new(modalities, modalities);
        for modality in 0..modalities {
            self.follows.insert(modality, modality);
        }
        loop {
            budget.spend(words * self.exprs.len())?;
            // what is met in an expression, children first
            let mut met = BitRows::new(self.exprs.len(), modalities);
            for (number, expr) in self.exprs.iter().enumerate() {
                match *expr {
                    Expr::False | Expr::True | Expr::Atom(..) => {}
                    Expr::Leaf(leaf) => {
                        let modality = self.leaves[leaf as usize].modality;
                        met.row_mut(number).copy_from_slice(self.follows.row(modality as usize));
                    }
                    Expr::And(f, g) | Expr::Or(f, g) => {
                        met.unite(number, f as usize);
                        met.unite(number, g as usize);
                    }
                }
            }
            let mut changed = false;
            for (number, modality) in self.modalities.iter().enumerate() {
                changed |= unite(self.follows.row_mut(number), met.row(modality.operand as usize));
            }
            if !changed {
                return Ok(());
            }
        }
    }
}

/// The class of each subformula, and the priorities of the variables of each class, sorted; one
/// priority where there is none.
fn classes(formula: &MuFormula) -> (Vec<u32>, Vec<Vec<u32>>) {
    let parts = strong_components(&edges(formula, true));
    let class = parts.row_of_each(formula.len());
    let mut priorities: Vec<Vec<u32>> = vec![Vec::new(); parts.rows()];
    for (id, node) in formula.nodes() {
        if let Mu::Var(variable) = node {
            priorities[class[id.index()] as usize].push(formula.priority(variable));
        }
    }
    for list in &mut priorities {
        list.sort_unstable();
        list.dedup();
        if list.is_empty() {
            list.push(0);
        }
    }
    (class, priorities)
}

/// The moves of the game in one state, and across steps if `steps`.
fn edges(formula: &MuFormula, steps: bool) -> Csr {
    let mut edges = Csr::default();
    for (_, node) in formula.nodes() {
        let variable = match node {
            Mu::Var(variable) => Some(formula.body(variable)),
            _ => None,
        };
        let is_modal = matches!(node, Mu::Diamond(..) | Mu::Box(..));
        let children = node.children().filter(|_| steps || !is_modal);
        edges.push_row(children.chain(variable).map(|id| id.index() as u32));
    }
    edges
}

/// Whether every cycle of the game passes a step.
fn is_guarded(formula: &MuFormula) -> bool {
    let edges = edges(formula, false);
    let parts = strong_components(&edges);
    (0..parts.rows()).all(|part| match parts.row(part) {
        &[one] => !edges.row(one as usize).contains(&one),
        _ => false,
    })
}

struct Unfolding<'a> {
    formula: &'a MuFormula,
    class: &'a [u32],
    priorities: &'a [Vec<u32>],
    modality_of: &'a [u32],
    is_guarded: bool,
    /// what was unfolded before, by subformula and rank; of guarded formulas only
    done: FxHashMap<(MuId, u32), u32>,
    expansion: Expansion,
    held: usize,
}

enum Task {
    Visit(MuId, u32),
    Join {
        and: bool,
        id: MuId,
        rank: u32,
    },
    /// a variable is left on the path
    Leave,
}

impl Unfolding<'_> {
    /// What a subformula asks, where no priority was passed so far.
    fn unfold(&mut self, id: MuId, budget: &mut Budget) -> Result<u32, Exhausted> {
        let mut tasks = vec![Task::Visit(id, 0)];
        let mut found: Vec<u32> = Vec::new();
        // variables on the way, with the rank there and their priority
        let mut path: Vec<(VarId, u32, u32)> = Vec::new();
        while let Some(task) = tasks.pop() {
            budget.spend(1)?;
            budget.grow(&mut self.held, self.expansion.bytes() + 16 * self.done.capacity())?;
            match task {
                Task::Leave => {
                    path.pop();
                }
                Task::Join { and, id, rank } => {
                    let g = found.pop().expect("the second operand");
                    let f = found.pop().expect("the first operand");
                    let joined = self.expansion.join(and, f, g);
                    if self.is_guarded {
                        self.done.insert((id, rank), joined);
                    }
                    found.push(joined);
                }
                Task::Visit(id, rank) => {
                    if let Some(&before) = self.done.get(&(id, rank)) {
                        found.push(before);
                        continue;
                    }
                    let below = |child: MuId| {
                        let same = self.class[child.index()] == self.class[id.index()];
                        Task::Visit(child, if same { rank } else { 0 })
                    };
                    match self.formula.node(id) {
                        Mu::False => found.push(FALSE),
                        Mu::True => found.push(TRUE),
                        Mu::Atom(atom) => {
                            found.push(self.expansion.add(Expr::Atom(atom.index() as u32, true)));
                        }
                        Mu::NotAtom(atom) => {
                            found.push(self.expansion.add(Expr::Atom(atom.index() as u32, false)));
                        }
                        node @ (Mu::And(f, g) | Mu::Or(f, g)) => {
                            let (f, g) = (below(f), below(g));
                            tasks.push(Task::Join { and: matches!(node, Mu::And(..)), id, rank });
                            tasks.extend([g, f]);
                        }
                        Mu::Diamond(..) | Mu::Box(..) => {
                            let modality = self.modality_of[id.index()] as usize;
                            let leaf = self.expansion.modalities[modality].first_leaf + rank;
                            found.push(self.expansion.leaf(leaf));
                        }
                        Mu::Fix(_, _, body) => tasks.push(below(body)),
                        Mu::Var(variable) => {
                            let priority = self.formula.priority(variable);
                            let ranks = &self.priorities[self.class[id.index()] as usize];
                            let own = ranks.iter().position(|&p| p == priority).unwrap_or(0);
                            let rank = rank.max(own as u32);
                            let again = path.iter().position(|&(v, r, _)| (v, r) == (variable, rank));
                            if let Some(again) = again {
                                budget.spend(path.len())?;
                                let most = path[again..].iter().map(|&(.., priority)| priority).max();
                                found.push(if most.is_some_and(|most| most % 2 == 0) { TRUE } else { FALSE });
                                continue;
                            }
                            if !self.is_guarded {
                                path.push((variable, rank, priority));
                                tasks.push(Task::Leave);
                            }
                            tasks.push(Task::Visit(self.formula.body(variable), rank));
                        }
                    }
                }
            }
        }
        Ok(found.pop().expect("one expression is complete"))
    }
}
