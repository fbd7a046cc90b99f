//! A question decided process by process, in pieces of work that can be paused and resumed: for
//! engines that take turns.
//!
//! Stages are the game of a process alone, and the product with one more process. Between them, and
//! while a product is made, the work can be paused and loses nothing. A limit of the budget loses
//! what was done in the stage that it ended.

use super::compose::Composer;
use super::hiding::Hiding;
use super::order::{first_process, next_process, relevance};
use super::piece::{Piece, lift};
use super::{Composed, Composing, Stage, cut};
use crate::question::SystemQuestion;
use loris_base::{Budget, Exhausted, Truth};

/// What part of the nodes products with actions hidden may have: where they do not become small,
/// the rest is for others.
const HIDING_SHARE: usize = 8;

/// A question on its way through the processes.
pub(crate) struct Course<'a> {
    question: &'a SystemQuestion<'a>,
    composing: Composing,
    /// the processes in the order in which they are asked alone
    order: Vec<u32>,
    pieces: Vec<Option<Piece>>,
    alone: Vec<Stage>,
    /// products with actions hidden; none where they are not for the question
    hiding: Option<Hiding<'a>>,
    has_begun: bool,
    /// the processes of the product, and what it leaves undecided
    members: Vec<u32>,
    current: Option<Piece>,
    composer: Option<Composer<'a>>,
    products: Vec<Stage>,
    /// nodes of products that are complete
    made: usize,
    value: Option<(Truth, By)>,
    /// with this many steps spent, it pauses
    pause: u64,
}

/// What decided.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum By {
    Alone,
    Hidden,
    Products,
}

impl<'a> Course<'a> {
    /// Nothing is computed yet.
    pub(crate) fn new(question: &'a SystemQuestion<'a>, composing: &Composing) -> Self {
        let count = question.system.len();
        Self {
            question,
            composing: *composing,
            order: relevance(question),
            pieces: (0..count).map(|_| None).collect(),
            alone: Vec::new(),
            hiding: None,
            has_begun: false,
            members: Vec::new(),
            current: None,
            composer: None,
            products: Vec::new(),
            made: 0,
            value: None,
            pause: u64::MAX,
        }
    }

    /// Pauses as soon as a budget has spent this many steps.
    pub(crate) fn pause_at(&mut self, steps: u64) {
        self.pause = steps;
    }

    /// Bytes held.
    pub(crate) fn bytes(&self) -> usize {
        self.pieces.iter().flatten().chain(&self.current).map(Piece::bytes).sum::<usize>()
            + self.composer.as_ref().map_or(0, Composer::bytes)
            + self.hiding.as_ref().map_or(0, Hiding::bytes)
    }

    /// How many stages came to an end.
    pub(crate) fn stages(&self) -> usize {
        self.alone.len() + self.products.len() + self.hiding.as_ref().map_or(0, Hiding::stages)
    }

    /// The answer, with this many nodes of the game on the fly beside it.
    pub(crate) fn composed(self, tried: usize) -> Composed {
        let (value, by) = self.value.unwrap_or((Truth::Unknown, By::Products));
        let mut products = self.products;
        if let Some(composer) = &self.composer
            && composer.len() > 0
        {
            products.push(Stage { processes: self.members, nodes: composer.len(), undecided: 0 });
        }
        let hidden = self.hiding.map(Hiding::into_stages).unwrap_or_default();
        // those that decided come last
        if by == By::Hidden {
            products.extend(hidden);
        } else {
            products.splice(0..0, hidden);
        }
        let hidden = by == By::Hidden;
        Composed { value, alone: self.alone, products, hidden, tried, whole: None }
    }

    /// Asks processes alone, this many in all at most, those first that know most of the formula,
    /// until it is time to pause. The result is whether one of them has decided.
    pub(crate) fn ask_alone(&mut self, most: usize, budget: &mut Budget) -> Result<bool, Exhausted> {
        let question = self.question;
        while self.value.is_none()
            && self.alone.len() < most
            && budget.spent() < self.pause
            && let Some(&process) = self.order.get(self.alone.len())
        {
            let piece = lift(question, process, budget)?;
            let colouring = piece.colour(question, budget)?;
            let (nodes, value) = (piece.len(), colouring.colour(0));
            let mut undecided = 0;
            if value.is_known() || question.system.len() == 1 {
                self.value = Some((value, By::Alone));
            } else {
                let rest = cut(question, &piece, &colouring, &self.composing, budget)?;
                undecided = rest.len();
                self.pieces[process as usize] = Some(rest);
            }
            self.alone.push(Stage { processes: vec![process], nodes, undecided });
        }
        Ok(self.value.is_some())
    }

    /// Asks the other processes alone, then makes products, until the question is decided, or until
    /// products have more nodes than this in all, or it is time to pause: then the result is false.
    pub(crate) fn compose(&mut self, most: usize, budget: &mut Budget) -> Result<bool, Exhausted> {
        if self.ask_alone(usize::MAX, budget)? {
            return Ok(true);
        }
        if self.alone.len() < self.order.len() {
            return Ok(false);
        }
        if !self.has_begun {
            let first = first_process(&self.alone);
            self.hiding = if self.composing.hide { Hiding::of(self.question, first) } else { None };
            self.current = self.pieces[first as usize].take();
            self.members = vec![first];
            self.has_begun = true;
        }
        let mut rest = most;
        if let Some(hiding) = &mut self.hiding {
            if let Some(value) = hiding.advance(most / HIDING_SHARE, self.pause, budget)? {
                self.value = Some((value, By::Hidden));
                return Ok(true);
            }
            rest = most.saturating_sub(hiding.made());
        }
        self.multiply(rest, budget)
    }

    /// Products of undecided games, with at most this many nodes in all.
    fn multiply(&mut self, most: usize, budget: &mut Budget) -> Result<bool, Exhausted> {
        let question = self.question;
        loop {
            if budget.spent() >= self.pause {
                return Ok(false);
            }
            if self.composer.is_none() {
                let Some(current) = &self.current else { return Ok(self.value.is_some()) };
                budget.spend(current.len() + question.tables())?;
                let Some(process) = next_process(question, current, &self.pieces) else {
                    return Ok(self.value.is_some());
                };
                let other = self.pieces[process as usize].take().expect("processes are chosen once");
                let current = self.current.take().expect("there is a product");
                self.members.push(process);
                self.composer = Some(Composer::new(question, current, other));
            }
            let Some(composer) = &mut self.composer else { return Ok(false) };
            if !composer.run(most.saturating_sub(self.made), self.pause, budget)? {
                return Ok(false);
            }
            let product = composer.product();
            let colouring = product.colour(question, budget)?;
            let (nodes, value) = (product.len(), colouring.colour(0));
            let mut undecided = 0;
            if value.is_known() || product.is_whole() {
                self.value = Some((value, By::Products));
            } else {
                let rest = cut(question, product, &colouring, &self.composing, budget)?;
                undecided = rest.len();
                self.current = Some(rest);
            }
            self.made += nodes;
            self.composer = None;
            self.products.push(Stage { processes: self.members.clone(), nodes, undecided });
            if self.value.is_some() {
                return Ok(true);
            }
        }
    }
}
