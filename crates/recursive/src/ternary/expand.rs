//! `LAZYCHECK` (Algorithm 5): refine, and contextualize what a heuristic picks, until the initial
//! nodes are decided.

use super::Interpretation;
use super::context::News;
use super::reason::{Advice, Closed, Search};
use crate::api::{CtlProperty, Outcome, Prepared, Settings};
use crate::instances::NONE;
use loris_base::{Budget, Exhausted, Rng, Truth};
use loris_logic::CoreNode;

/// Which boxes to contextualize.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Heuristic {
    /// All contextualizable ones (section 7.4).
    All,
    /// One of them at random (section 7.4.1).
    Random,
    /// One that is the reason for not knowing (Algorithms 6 and 7).
    Reason,
}

/// After so many rounds of looking for reasons, all contextualizable boxes are taken. This also makes sure
/// that there is an end: the complete heuristic has one. With no patience for growth, it is one round.
const MOST_ROUNDS: usize = 64;

/// Checks a property.
pub(crate) fn expand(
    prepared: &Prepared<'_>,
    property: &CtlProperty<'_>,
    heuristic: Heuristic,
    settings: &Settings,
    budget: &mut Budget,
) -> Result<Outcome, Exhausted> {
    let mut expansion = Expansion::new(prepared, property, heuristic, settings, budget)?;
    loop {
        if let Some(outcome) = expansion.outcome() {
            return Ok(outcome);
        }
        expansion.round(usize::MAX, budget)?;
    }
}

/// A check that goes round by round, and can be left and taken up again between them.
pub(crate) struct Expansion<'a> {
    found: Interpretation<'a>,
    heuristic: Heuristic,
    is_lazy: bool,
    most_rounds: usize,
    search: Search,
    /// news of boxes that wait while instances learn in place
    kept: Vec<News>,
    adoption: Adoption,
    pool: Pool,
    rng: Rng,
}

/// What a round is to do.
enum Step {
    /// An instance learned in place: refine.
    Learned,
    /// Contextualize the boxes that these are of.
    Expand(Vec<News>),
    /// Resolve these by Lemma 6.
    Resolve(Closed),
    /// No box knows more than its callee.
    Nothing,
}

impl<'a> Expansion<'a> {
    /// Refines once, with the initial context only: enough for many a property.
    pub(crate) fn new(
        prepared: &'a Prepared<'_>,
        property: &CtlProperty<'a>,
        heuristic: Heuristic,
        settings: &Settings,
        budget: &mut Budget,
    ) -> Result<Self, Exhausted> {
        let mut found = Interpretation::new(prepared, property, settings, budget)?;
        found.refine_all(budget)?;
        Ok(Self {
            found,
            heuristic,
            is_lazy: heuristic == Heuristic::Reason,
            most_rounds: if prepared.growth() == 0 { 0 } else { MOST_ROUNDS },
            search: Search::default(),
            kept: Vec::new(),
            adoption: Adoption::default(),
            pool: Pool::default(),
            rng: Rng::new(settings.seed),
        })
    }

    /// What was found, if the verdict is known.
    pub(crate) fn outcome(&self) -> Option<Outcome> {
        (self.found.verdict() != Truth::Unknown).then(|| self.found.outcome())
    }

    /// Makes contexts, `most` at most, or resolves; and refines. The verdict must not be known.
    pub(crate) fn round(&mut self, most: usize, budget: &mut Budget) -> Result<(), Exhausted> {
        // so many contexts are needed that choosing them costs more than making them
        if self.heuristic == Heuristic::Reason && self.search.rounds() > self.most_rounds {
            self.heuristic = Heuristic::All;
        }
        let step = match self.heuristic {
            Heuristic::Reason => self.one_reason(budget)?,
            Heuristic::All => self.all_news(budget)?,
            Heuristic::Random => self.any_news(budget)?,
        };
        let found = &mut self.found;
        let all = found.existentials.len();
        match step {
            Step::Learned => {}
            Step::Expand(news) => {
                let mut boxes = news.chunk_by(News::same_box);
                for news in boxes.by_ref().take(most) {
                    found.contextualize(news, all, budget)?;
                }
                found.news.extend(boxes.flatten());
            }
            // nothing to be seen from the initial nodes: let the complete heuristic look
            Step::Nothing if self.heuristic == Heuristic::Reason => {
                self.heuristic = Heuristic::All;
                return Ok(());
            }
            // Lemma 6 is about what follows from nothing else: look everywhere first
            _ if found.refine_around(budget)? => return Ok(()),
            Step::Nothing => found.resolve_determined(budget)?,
            Step::Resolve(pairs) => {
                // all of one formula
                if let Some(&(node, _)) = pairs.first() {
                    let mut cells: Vec<u32> = pairs.iter().map(|&(_, cell)| cell).collect();
                    cells.sort_unstable();
                    found.resolve(node, &cells, true, budget)?;
                }
            }
        }
        debug_assert!(!found.dirty.is_empty(), "every round learns something");
        found.settle(budget)?;
        found.refine_dirty(budget)
    }

    /// The first box that is a reason for not knowing: one context may be all it takes. But first what
    /// callees of all reasons learn in place.
    fn one_reason(&mut self, budget: &mut Budget) -> Result<Step, Exhausted> {
        let found = &mut self.found;
        let boxes = match found.reason(&mut self.search, budget)? {
            Advice::Resolve(pairs) => return Ok(Step::Resolve(pairs)),
            Advice::Expand(boxes) => boxes,
        };
        let all = found.existentials.len();
        let mut callees: Vec<u32> =
            boxes.iter().map(|&(instance, site)| found.graph.callee(instance, site)).collect();
        callees.sort_unstable();
        callees.dedup();
        let mut adopted = false;
        for callee in callees {
            let places = 0..found.contexts[callee as usize].len() as u32;
            adopted |= found.adopt(callee, places, budget)?.0;
        }
        let mut news = Vec::new();
        for &(instance, site) in &boxes {
            found.news_of(instance, site, all, &mut news);
        }
        let first = if adopted { 0 } else { news.chunk_by(News::same_box).next().map_or(0, <[News]>::len) };
        found.news.extend(news.split_off(first));
        Ok(match (adopted, news.is_empty()) {
            (true, _) => Step::Learned,
            (_, true) => Step::Nothing,
            _ => Step::Expand(news),
        })
    }

    /// All boxes that know more than their callees; in `lazy`, if no callee can learn in place. While
    /// some can, what is known of boxes is kept.
    fn all_news(&mut self, budget: &mut Budget) -> Result<Step, Exhausted> {
        let found = &mut self.found;
        let all = found.existentials.len();
        let mut news = found.take_news(all, budget)?;
        if self.is_lazy {
            let adopted = self.adoption.adopt(found, &news, budget)?;
            self.kept.append(&mut news);
            if adopted {
                return Ok(Step::Learned);
            }
            news = std::mem::take(&mut self.kept);
            budget.spend(news.len())?;
            news.retain(|&news| found.is_news(news, all));
            news.sort_unstable();
            news.dedup();
        }
        Ok(if news.is_empty() { Step::Nothing } else { Step::Expand(news) })
    }

    /// A box that knows more than its callee, each with the same probability.
    fn any_news(&mut self, budget: &mut Budget) -> Result<Step, Exhausted> {
        let found = &mut self.found;
        let all = found.existentials.len();
        for news in found.take_news(all, budget)?.chunk_by(News::same_box) {
            let number = found.graph.site_position(news[0].instance, news[0].site);
            self.pool.add(number, news, budget)?;
        }
        while let Some(mut news) = self.pool.draw(&mut self.rng) {
            budget.spend(news.len())?;
            news.retain(|&news| found.is_news(news, all));
            news.sort_unstable();
            news.dedup();
            if !news.is_empty() {
                return Ok(Step::Expand(news));
            }
        }
        Ok(Step::Nothing)
    }

    /// How many instances there are.
    pub(crate) fn instances(&self) -> usize {
        self.found.graph.len()
    }
}

/// Which instances learn in place what all of their callers agree on.
///
/// To ask all callers of an instance whenever one of them knows something new would be quadratic. An
/// instance for which that failed is asked about again when as much is new as was looked at in vain, or
/// when else a context would be made.
#[derive(Default)]
struct Adoption {
    /// per instance there was at the start, how much must be new before its callers are asked again
    patience: Vec<usize>,
    /// instances and places for which that was not done
    postponed: Vec<(u32, u32)>,
}

impl Adoption {
    /// Lets instances learn that boxes with news call; whether any did.
    fn adopt(
        &mut self,
        found: &mut Interpretation<'_>,
        news: &[News],
        budget: &mut Budget,
    ) -> Result<bool, Exhausted> {
        self.patience.resize(found.rsm.component_count(), 0);
        let place = |news: &News| (found.graph.callee(news.instance, news.site), news.place);
        let mut places: Vec<(u32, u32)> = news.iter().map(place).collect();
        places.sort_unstable();
        let mut adopted = false;
        for group in places.chunk_by(|a, b| a.0 == b.0) {
            let callee = group[0].0;
            let Some(patience) = self.patience.get_mut(callee as usize) else { continue };
            *patience = patience.saturating_sub(group.len());
            if *patience > 0 {
                self.postponed.extend(group);
                continue;
            }
            let different = group.chunk_by(PartialEq::eq).map(|same| same[0].1);
            let (learned, asked) = found.adopt(callee, different, budget)?;
            adopted |= learned;
            *patience = if learned { 0 } else { asked };
        }
        if adopted {
            return Ok(true);
        }
        let mut postponed = std::mem::take(&mut self.postponed);
        postponed.sort_unstable();
        postponed.dedup();
        for group in postponed.chunk_by(|a, b| a.0 == b.0) {
            adopted |= found.adopt(group[0].0, group.iter().map(|&(_, place)| place), budget)?.0;
        }
        Ok(adopted)
    }
}

/// Boxes to choose from at random.
#[derive(Default)]
struct Pool {
    /// the number of a box among those of all instances, and its news
    boxes: Vec<(usize, Vec<News>)>,
    /// per box of an instance, where it is, or `NONE`
    places: Vec<u32>,
    /// bytes declared
    held: usize,
}

impl Pool {
    /// Adds a box that has this number among those of all instances, or more news of it.
    fn add(&mut self, number: usize, news: &[News], budget: &mut Budget) -> Result<(), Exhausted> {
        if self.places.len() <= number {
            self.places.resize(number + 1, NONE);
        }
        if self.places[number] == NONE {
            self.places[number] = self.boxes.len() as u32;
            self.boxes.push((number, Vec::new()));
        }
        self.boxes[self.places[number] as usize].1.extend(news);
        // lists double, and of many news there are as many ports
        let of_boxes = size_of::<(usize, Vec<News>)>() + 4 * size_of::<News>();
        budget.grow(&mut self.held, 2 * of_boxes * self.boxes.len() + 8 * self.places.len())
    }

    /// Takes out the news of a box.
    fn draw(&mut self, rng: &mut Rng) -> Option<Vec<News>> {
        if self.boxes.is_empty() {
            return None;
        }
        let place = rng.below(self.boxes.len());
        let (number, news) = self.boxes.swap_remove(place);
        self.places[number] = NONE;
        if let Some(&(moved, _)) = self.boxes.get(place) {
            self.places[moved] = place as u32;
        }
        Some(news)
    }
}

impl Interpretation<'_> {
    /// Resolves the innermost formula that is unknown somewhere; its operands are known everywhere
    /// (Algorithm 5, lines 7 to 14).
    fn resolve_determined(&mut self, budget: &mut Budget) -> Result<(), Exhausted> {
        for node in 0..self.formula.nodes().len() as u32 {
            let resolvable =
                matches!(self.formula.nodes()[node as usize], CoreNode::Eg(_) | CoreNode::Eu(..));
            if resolvable && self.resolve_all(node, true, budget)? {
                break;
            }
        }
        Ok(())
    }
}
