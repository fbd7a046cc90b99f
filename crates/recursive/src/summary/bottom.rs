//! The contexts of existential formulas at the bottom of the stack, stage by stage of their tracks.

use super::existential::Existential;
use crate::last_exit::LastExit;
use crate::operand::Lanes;
use loris_base::{Budget, Exhausted};
use loris_logic::CoreId;

/// Per existential formula, by its level, its value at each exit at the bottom of the stack, at
/// each stage.
pub(super) struct Bottom(Vec<Vec<Lanes>>);

impl Bottom {
    /// Follows the tracks, given the values of formulas there.
    pub(super) fn new(
        existentials: &[(CoreId, Existential)],
        last: &LastExit,
        active: Lanes,
        budget: &mut Budget,
    ) -> Result<Self, Exhausted> {
        let mut contexts = Vec::with_capacity(existentials.len());
        for (node, existential) in existentials {
            budget.charge(24 + 8 * last.exits() * existential.copies())?;
            let Some(track) = &existential.track else {
                contexts.push((0..last.exits()).map(|exit| last.at(exit, *node)).collect());
                continue;
            };
            // a path formula is evaluated lane by lane
            let steps = existential.copies() + track.next.len() * active.count_ones() as usize;
            budget.spend((1 + last.exits()) * steps)?;
            let sink = last
                .sinks()
                .then(|| track.for_ever(active, |k| last.at_sink(existential.operands[k as usize].root)));
            let at = |exit: usize| {
                let operand = |k: u32| last.at(exit, existential.operands[k as usize].root);
                match &sink {
                    Some(sink) => track.before(active, operand, sink),
                    None => track.for_ever(active, operand),
                }
            };
            contexts.push((0..last.exits()).flat_map(at).collect());
        }
        Ok(Self(contexts))
    }

    /// The context of an existential formula, by its level.
    pub(super) fn context(&self, level: usize) -> Vec<Lanes> {
        self.0[level].clone()
    }
}
