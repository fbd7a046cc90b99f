//! Instances that learn in place instead of being copied, for the policy `lazy`.

use super::interpretation::Interpretation;
use super::news::News;
use super::step::Step;
use crate::instances::InstanceId;
use loris_base::{Budget, Exhausted, Idx};

/// The instances that learn in place the values all of their callers agree on.
///
/// To ask all callers of an instance whenever one of them knows something new would be quadratic.
/// An instance for which that failed is asked about again when as much is new as was looked at in
/// vain, or when else a context would be made.
#[derive(Default)]
pub(super) struct Adoption {
    /// news of boxes that wait while instances learn in place
    kept: Vec<News>,
    /// per instance there was at the start, how much must be new before its callers are asked again
    patience: Vec<usize>,
    /// instances and places for which that was not done
    postponed: Vec<(InstanceId, u32)>,
}

impl Adoption {
    /// All boxes that know more than their callees, if no callee can learn in place. While some
    /// can, the knowledge of boxes is kept.
    pub(super) fn step(
        &mut self,
        found: &mut Interpretation<'_>,
        budget: &mut Budget,
    ) -> Result<Step, Exhausted> {
        let all = found.existentials.len();
        let mut news = found.take_news(all, budget)?;
        let adopted = self.adopt(found, &news, budget)?;
        self.kept.append(&mut news);
        if adopted {
            return Ok(Step::Learned);
        }
        news = std::mem::take(&mut self.kept);
        budget.spend(news.len())?;
        news.retain(|&news| found.is_news(news, all));
        news.sort_unstable();
        news.dedup();
        Ok(if news.is_empty() { Step::Nothing } else { Step::Expand(news) })
    }

    /// Lets instances learn that boxes with news call; whether any did.
    fn adopt(
        &mut self,
        found: &mut Interpretation<'_>,
        news: &[News],
        budget: &mut Budget,
    ) -> Result<bool, Exhausted> {
        self.patience.resize(found.rsm.component_count(), 0);
        let place = |news: &News| (found.graph.callee(news.instance, news.site), news.place);
        let mut places: Vec<(InstanceId, u32)> = news.iter().map(place).collect();
        places.sort_unstable();
        let mut adopted = false;
        for group in places.chunk_by(|a, b| a.0 == b.0) {
            let callee = group[0].0;
            let Some(patience) = self.patience.get_mut(callee.index()) else { continue };
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
