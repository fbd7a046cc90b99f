//! Which boxes the engine contextualizes next: the policies `ternary`, `random` and `lazy`.

use super::adoption::Adoption;
use super::interpretation::Interpretation;
use super::news::News;
use super::reason::{Advice, ReasonSearch};
use super::step::Step;
use crate::instances::InstanceId;
use loris_base::{Budget, Exhausted, Idx, Rng};

/// How boxes are chosen, with all that must be remembered for it from round to round.
pub(super) enum Chooser {
    /// `ternary`: all boxes that know more than their callees (section 7.4).
    All,
    /// `random`: one of them at random (section 7.4.1).
    Random(Pool, Rng),
    /// `lazy`: one that is the reason for not knowing (Algorithms 6 and 7), for this many rounds.
    Reason(Box<ReasonSearch>, usize),
    /// `lazy`, when so many contexts are needed that choosing them costs more than making them: all
    /// of them, unless callees can learn in place. The complete policy also makes sure that there
    /// is an end.
    Patient(Adoption),
}

impl Chooser {
    pub(super) fn random(seed: u64) -> Self {
        Chooser::Random(Pool::default(), Rng::new(seed))
    }

    pub(super) fn lazy(most_rounds: usize) -> Self {
        Chooser::Reason(Box::default(), most_rounds)
    }

    /// The step of the next round.
    pub(super) fn step(
        &mut self,
        found: &mut Interpretation<'_>,
        budget: &mut Budget,
    ) -> Result<Step, Exhausted> {
        if let Chooser::Reason(search, most_rounds) = self
            && search.rounds() <= *most_rounds
        {
            return one_reason(found, search, budget);
        }
        if let Chooser::Reason(..) = self {
            *self = Chooser::Patient(Adoption::default());
        }
        match self {
            Chooser::Random(pool, rng) => any(found, pool, rng, budget),
            Chooser::Patient(adoption) => adoption.step(found, budget),
            Chooser::All | Chooser::Reason(..) => {
                let news = found.take_news(found.existentials.len(), budget)?;
                Ok(if news.is_empty() { Step::Nothing } else { Step::Expand(news) })
            }
        }
    }

    /// Nothing was to be seen from the initial nodes: whether another way to choose may see more.
    pub(super) fn looks_further(&mut self) -> bool {
        let is_reason = matches!(self, Chooser::Reason(..));
        if is_reason {
            *self = Chooser::Patient(Adoption::default());
        }
        is_reason
    }
}

/// The first box that is a reason for not knowing: one context may be all it takes. But first the
/// callees of all reasons learn in place.
fn one_reason(
    found: &mut Interpretation<'_>,
    search: &mut ReasonSearch,
    budget: &mut Budget,
) -> Result<Step, Exhausted> {
    let boxes = match found.reason(search, budget)? {
        Advice::Resolve(pairs) => return Ok(Step::Resolve(pairs)),
        Advice::Expand(boxes) => boxes,
    };
    let all = found.existentials.len();
    let mut callees: Vec<InstanceId> =
        boxes.iter().map(|&(instance, site)| found.graph.callee(instance, site)).collect();
    callees.sort_unstable();
    callees.dedup();
    let mut adopted = false;
    for callee in callees {
        let places = 0..found.contexts[callee.index()].len() as u32;
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

/// A box that knows more than its callee, each with the same probability.
fn any(
    found: &mut Interpretation<'_>,
    pool: &mut Pool,
    rng: &mut Rng,
    budget: &mut Budget,
) -> Result<Step, Exhausted> {
    let all = found.existentials.len();
    for news in found.take_news(all, budget)?.chunk_by(News::same_box) {
        let number = found.graph.site_position(news[0].instance, news[0].site);
        pool.add(number, news, budget)?;
    }
    while let Some(mut news) = pool.draw(rng) {
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

/// Not among the boxes to choose from.
const ABSENT: u32 = u32::MAX;

/// Boxes to choose from at random.
#[derive(Default)]
pub(super) struct Pool {
    /// the number of a box among those of all instances, and its news
    boxes: Vec<(usize, Vec<News>)>,
    /// per box of an instance, where it is, or `ABSENT`
    places: Vec<u32>,
    /// bytes declared
    held: usize,
}

impl Pool {
    /// Adds a box that has this number among those of all instances, or more news of it.
    fn add(&mut self, number: usize, news: &[News], budget: &mut Budget) -> Result<(), Exhausted> {
        if self.places.len() <= number {
            self.places.resize(number + 1, ABSENT);
        }
        if self.places[number] == ABSENT {
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
        self.places[number] = ABSENT;
        if let Some(&(moved, _)) = self.boxes.get(place) {
            self.places[moved] = place as u32;
        }
        Some(news)
    }
}
