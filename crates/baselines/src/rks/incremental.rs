//! The engine `rks-incremental`: CTL on recursive Kripke structures, from the question inwards,
//! looking only at pairs it needs (recursive-kripke, chapter 4: Algorithms 4.1 to 4.5, with E1 to
//! E4, E12 and E13).
//!
//! A pair is labelled *locally* by known values; if that does not do, *vertically*, its operands
//! first; if that does not do, *horizontally*, the pairs that its calls lead to, one call at a
//! time. Pairs that were visited and are not decided form the set Ξ, which goes through rounds. The
//! errata, as applied here:
//!
//! - E1, E13: a pair has a top, t or f, and is visited for that one alone; ⟨m⟩ is both pairs,
//!   visited one by one.
//! - E2: horizontally, EX ψ asks for ψ at the entry of the callee.
//! - E3: a pair is in Ξ or it is not, by its top; none is visited twice.
//! - E4: before calls are followed, all that contexts annotate is decided in the whole
//!   sub-structure.
//!
//! Two things are lazier than in the thesis: a boolean formula asks its operands for no more than
//! it was asked for itself, so that `A G p` is as lazy as the until it negates; and operands
//! without temporal operators go first, with a look at the pair after each.
//!
//! The mutual recursion of `label`, `collect` and `visit` is a stack of frames: a call pushes one,
//! a return pops it. On the stack, the formulas of `Label` frames get smaller; so their sets Ξ are
//! disjoint, lie in one list after the other, and a mark on a pair means that it is in the set of
//! its formula.
//!
//! Invariant: a pair in Ξ whose visit has ended has its entry decided, or all its calls lead to
//! pairs that have, or that are in Ξ. So Ξ without the former is closed, as the rounds require. The
//! worst case is that of `rks-eager`. The oracles are the unfolding and the other engines in
//! `tests/rks.rs`.

use super::fixpoint::{Pair, Pairs, label_by_fixpoint};
use super::kappa::Kappa;
use super::local::Path;
use super::undecided::Undecided;
use loris_base::{Budget, Exhausted, Idx};
use loris_logic::CoreNode;

/// The part of a pair that is to be decided.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Goal {
    /// lin.
    Partly,
    /// The initial nodes, and lin if there are calls to it.
    Initially,
    /// All locations.
    Fully,
}

enum Frame {
    /// Algorithm 4.1; its Ξ starts at this place of the list.
    Label { pair: Pair, goal: Goal, xi: usize },
    /// Algorithm 4.2, one call of λ.
    Visit { pair: Pair, goal: Goal, at: Stage },
}

/// How far a visit has got.
enum Stage {
    Start,
    /// vertically: this operand is next
    Operand(usize),
    /// that operand was labelled
    Labelled(usize),
    /// E4: this source of contexts is next
    Source(usize),
    /// horizontally: the call of this number is next; and the undecided rest of the row, once a
    /// call has answered
    Call(usize, Option<Undecided>),
}

/// Chapter 4 at work.
pub(super) struct Incremental<'k, 'a> {
    pub(super) kappa: &'k mut Kappa<'a>,
    stack: Vec<Frame>,
    /// the sets Ξ of the `Label` frames
    xi: Vec<Pair>,
    /// per pair, whether it is in one of them
    is_in_xi: Vec<bool>,
    /// per class, the sources of the contexts of its calls
    pub(super) sources: Vec<Option<Vec<Pair>>>,
    /// per subformula, whether it has temporal operators
    pub(super) is_temporal: Vec<bool>,
    /// local checks
    pub(super) checks: usize,
}

/// Labels the initial nodes.
pub(super) fn label_initial(kappa: &mut Kappa<'_>, budget: &mut Budget) -> Result<usize, Exhausted> {
    let formula = kappa.formula;
    let mut is_temporal: Vec<bool> = Vec::with_capacity(formula.nodes().len());
    for node in formula.ids() {
        let inner = formula.children(node).any(|child| is_temporal[child.index()]);
        is_temporal.push(inner || formula.node(node).is_existential());
    }
    let root = kappa.initial(formula.root(), budget)?;
    let mut work = Incremental {
        kappa,
        stack: Vec::new(),
        xi: Vec::new(),
        is_in_xi: Vec::new(),
        sources: Vec::new(),
        is_temporal,
        checks: 0,
    };
    work.push_label(root, Goal::Initially);
    while let Some(frame) = work.stack.pop() {
        match frame {
            Frame::Label { pair, goal, xi } => work.close(pair, goal, xi, budget)?,
            Frame::Visit { pair, goal, at } => work.visit(pair, goal, at, budget)?,
        }
    }
    Ok(work.checks)
}

impl Incremental<'_, '_> {
    /// isLabeled.
    pub(super) fn is_done(&self, pair: Pair, goal: Goal) -> bool {
        let Some(row) = self.kappa.known(pair) else {
            return self.kappa.operator(pair.class) == CoreNode::True && !self.is_root(pair);
        };
        let structure = self.kappa.structure(pair.class);
        let is_known = |cell: usize| row.values[cell].is_known();
        match goal {
            Goal::Fully => row.undecided == 0,
            Goal::Partly => structure.entry.is_some_and(is_known),
            Goal::Initially => {
                let rsm = self.kappa.rsm;
                let is_called = rsm.callers(structure.component).next().is_some();
                rsm.initial().iter().all(|&node| is_known(structure.cell(node)))
                    && structure.entry.is_none_or(|entry| !is_called || is_known(entry))
            }
        }
    }

    fn is_root(&self, pair: Pair) -> bool {
        self.kappa.classes[pair.class as usize].node == self.kappa.formula.root()
    }

    /// Starts `label`: the set of pairs to decide starts empty, with a visit of the pair.
    fn push_label(&mut self, pair: Pair, goal: Goal) {
        self.stack.push(Frame::Label { pair, goal, xi: self.xi.len() });
        self.stack.push(Frame::Visit { pair, goal, at: Stage::Start });
    }

    /// Ends `label`, after its visits: pairs that they left undecided go through rounds.
    fn close(&mut self, root: Pair, goal: Goal, from: usize, budget: &mut Budget) -> Result<(), Exhausted> {
        let is_open = |&pair: &Pair| !self.is_done(pair, if pair == root { goal } else { Goal::Partly });
        let open: Vec<Pair> = self.xi[from..].iter().copied().filter(is_open).collect();
        for pair in self.xi.drain(from..) {
            self.is_in_xi[2 * pair.class as usize + usize::from(pair.top)] = false;
        }
        if open.is_empty() {
            return Ok(());
        }
        let path = match self.kappa.operator(root.class) {
            CoreNode::Eg(_) => Path::Always,
            CoreNode::Eu(..) => Path::Until,
            _ => unreachable!("other formulas are decided once their operands and callees are (Lemma 4.5.2)"),
        };
        self.checks += label_by_fixpoint(self.kappa, &open, path, budget)?.iter().sum::<usize>();
        Ok(())
    }

    /// Goes on with a visit until it ends or waits for another frame.
    fn visit(&mut self, pair: Pair, goal: Goal, at: Stage, budget: &mut Budget) -> Result<(), Exhausted> {
        let mut stage = at;
        loop {
            budget.spend(1)?;
            if !matches!(stage, Stage::Start) && self.is_done(pair, goal) {
                if let Stage::Call(_, Some(rest)) = stage {
                    budget.release(rest.bytes());
                }
                return Ok(());
            }
            stage = match stage {
                Stage::Start => {
                    self.enter(pair, budget)?;
                    if !self.is_done(pair, goal) {
                        self.refresh_all(pair);
                        self.check(pair, budget)?;
                    }
                    Stage::Operand(0)
                }
                Stage::Operand(number) => match self.operand(pair, number, budget)? {
                    None => Stage::Source(0),
                    Some(operand) => {
                        let is_boolean = !self.kappa.operator(pair.class).is_existential();
                        let goal_there = if is_boolean { goal } else { Goal::Fully };
                        if self.is_done(operand, goal_there) {
                            Stage::Operand(number + 1)
                        } else {
                            self.stack.push(Frame::Visit { pair, goal, at: Stage::Labelled(number) });
                            self.push_label(operand, goal_there);
                            return Ok(());
                        }
                    }
                },
                Stage::Labelled(number) => {
                    self.check(pair, budget)?;
                    Stage::Operand(number + 1)
                }
                Stage::Source(number) => match self.source(pair, number, budget)? {
                    None => Stage::Call(0, None),
                    Some(source) if self.is_done(source, Goal::Fully) => Stage::Source(number + 1),
                    Some(source) => {
                        self.stack.push(Frame::Visit { pair, goal, at: Stage::Source(number + 1) });
                        self.push_label(source, Goal::Fully);
                        return Ok(());
                    }
                },
                Stage::Call(place, mut rest) => {
                    let structure = self.kappa.structure(pair.class);
                    if place == structure.places() {
                        budget.release(rest.as_ref().map_or(0, Undecided::bytes));
                        return Ok(());
                    }
                    if let Some(call) = structure.call(place)
                        && !self.kappa.row(pair).values[call.cell].is_known()
                    {
                        if let Some(callee) = self.unvisited(pair, call, budget)? {
                            self.stack.push(Frame::Visit { pair, goal, at: Stage::Call(place, rest) });
                            match self.kappa.operator(pair.class) {
                                CoreNode::Ex(_) => self.push_label(callee, Goal::Partly),
                                _ => self.stack.push(Frame::Visit {
                                    pair: callee,
                                    goal: Goal::Partly,
                                    at: Stage::Start,
                                }),
                            }
                            return Ok(());
                        }
                        if self.refresh(pair, call) {
                            self.check_again(pair, Some(call), &mut rest, budget)?;
                        }
                    }
                    Stage::Call(place + 1, rest)
                }
            };
        }
    }

    /// Puts a pair into Ξ.
    fn enter(&mut self, pair: Pair, budget: &mut Budget) -> Result<(), Exhausted> {
        self.kappa.touch(pair, budget)?;
        let place = 2 * pair.class as usize + usize::from(pair.top);
        if self.is_in_xi.len() <= place {
            self.is_in_xi.resize(2 * self.kappa.classes.len(), false);
        }
        if !std::mem::replace(&mut self.is_in_xi[place], true) {
            budget.charge(size_of::<Pair>() + size_of::<Frame>())?;
            self.xi.push(pair);
        }
        Ok(())
    }

    pub(super) fn is_in_xi(&self, pair: Pair) -> bool {
        self.is_in_xi.get(2 * pair.class as usize + usize::from(pair.top)).copied().unwrap_or(false)
    }
}
