//! One step of the engine: an existential formula is decided, and the graph split by its contexts
//! as far as values that depend on them are asked for.

use super::context_free::ContextFree;
use super::evaluation::Evaluation;
use super::mode::{Growth, Stopped};
use super::relevant::Relevant;
use super::split;
use super::without_context::Passing;
use crate::instances::Instances;
use loris_base::{Budget, Idx};

/// By how much a graph must have grown for another look.
const LOOKS: usize = 4;

/// From more initial nodes than this, one backward fixpoint is cheaper than a search from each.
const MOST_SEARCHES: usize = 4;

/// How to treat the contexts of a formula.
enum Split {
    /// nothing: no value that depends on them is asked for
    Needless,
    /// nothing more: the verdict is known
    Decided,
    Contexts(split::Contexts),
}

impl Evaluation<'_, '_> {
    /// Decides one existential formula.
    pub(super) fn step(&mut self, level: usize, budget: &mut Budget) -> Result<(), Stopped> {
        let (node, existential) = &self.existentials[level];
        let node = *node;
        self.checks.set(self.checks.get() + self.graph.len());
        if existential.is_future(self.formula, node)
            && self.askers(level).is_empty()
            && self.graph.rsm.initial().len() <= MOST_SEARCHES
        {
            let values = self.reachable_at_start(level, &existential.operands[1], budget)?;
            self.at_start[node.index()] = Some(values);
            return Ok(());
        }
        let copies = existential.copies();
        let product = self.product(existential.track.as_ref().map(|track| &track.next), copies, budget)?;
        let staged = product.as_ref().map(|product| self.graph.times(product, copies));
        let graph = staged.as_ref().unwrap_or(&self.graph);
        let mut values = Vec::with_capacity(existential.operands.len());
        for operand in &existential.operands {
            values.push(operand.everywhere(&self.graph, &self.atoms, &self.known.values, budget)?);
        }
        let (stays, passing) = self.without_context(level, graph, values, budget)?;
        let (along, summaries) = passing.view();
        let at_start = self.values_at_start(level, graph, &stays, (along, summaries), budget)?;
        self.at_start[node.index()] = Some(at_start);
        if let Some(mut asked) = self.asked(level, budget)? {
            let reached = self.reached(budget)?;
            let evidence = matches!(self.mode.growth, Growth::Evidence);
            let everywhere;
            let (wanted, reached) = if product.is_none() {
                // kept for evidence only
                (if evidence { asked.clone() } else { std::mem::take(&mut asked) }, reached)
            } else {
                // where stages are asked for, and which of them are reached
                budget.charge(9 * stays.len())?;
                budget.spend(stays.len())?;
                everywhere =
                    reached.iter().flat_map(|&reached| (0..copies).map(move |_| reached)).collect::<Vec<_>>();
                (existential.wanted(&asked, &stays), &everywhere[..])
            };
            let mut decided = ContextFree {
                stays,
                summaries,
                along,
                asked: wanted,
                context: self.bottom.context(level),
                reached,
            };
            let contexts = match self.split(level, graph, &mut decided, &passing, budget)? {
                Split::Needless => None,
                Split::Contexts(contexts) => Some(contexts),
                Split::Decided => return Ok(()),
            };
            let known = &mut self.known;
            if let Some(contexts) = &contexts {
                for values in
                    known.values.iter_mut().chain(&mut known.asked).filter(|values| !values.is_empty())
                {
                    let copied = contexts.copy(&self.graph, values, budget)?;
                    budget.release(8 * values.len());
                    *values = copied;
                }
            }
            if evidence {
                known.asked[node.index()] = match &contexts {
                    Some(contexts) => contexts.copy(&self.graph, &asked, budget)?,
                    None => asked,
                };
            }
            let fresh = match &contexts {
                Some(contexts) => Some(contexts.instances(&self.graph, budget)?),
                None => None,
            };
            let values = contexts.map_or(decided.stays, split::Contexts::into_values);
            budget.charge(8 * values.len() / copies)?;
            known.values[node.index()] = existential.at_first(values);
            if let Some(fresh) = fresh {
                self.graph = fresh;
                self.contexts = self.graph.len();
                self.is_plain = false;
            }
        }
        budget.settle(self.fixed.get() + self.graph.bytes() + self.known.bytes())?;
        Ok(())
    }

    /// The contexts of a formula that are needed. On a graph that grows by them, first looks
    /// whether the verdict depends on them.
    fn split(
        &self,
        level: usize,
        graph: &Instances<'_>,
        decided: &mut ContextFree<'_>,
        passing: &Passing<'_>,
        budget: &mut Budget,
    ) -> Result<Split, Stopped> {
        let before = budget.used();
        let mut relevant = Relevant::new(graph, decided, budget)?;
        if relevant.is_empty() {
            return Ok(Split::Needless);
        }
        let most = self.mode.most_cells;
        // a product has a cell for each stage
        let copies = graph.cell_count() / self.graph.cell_count().max(1);
        let soft = self.next_look.get().saturating_mul(copies).min(most);
        let rival = match self.mode.growth {
            Growth::Evidence => None,
            Growth::Stop => {
                return split::contexts(graph, decided, &relevant, (soft, None), budget).map(Split::Contexts);
            }
            Growth::Look(rival) => {
                match split::contexts(graph, decided, &relevant, (soft, None), budget) {
                    Err(Stopped::TooLarge) => budget.settle(before)?,
                    found => return found.map(Split::Contexts),
                }
                let cells = self.next_look.get().max(self.graph.cell_count());
                self.next_look.set(LOOKS.saturating_mul(cells));
                if self.formula.paths().is_empty() {
                    self.look(level, &decided.stays, passing, budget)?;
                    let open = self.open();
                    if open == 0 {
                        return Ok(Split::Decided);
                    }
                    decided.asked.iter_mut().for_each(|lanes| *lanes &= open);
                    relevant = Relevant::new(graph, decided, budget)?;
                    if relevant.is_empty() {
                        return Ok(Split::Needless);
                    }
                }
                rival
            }
        };
        let turns = rival.map(|rival| (rival, soft));
        split::contexts(graph, decided, &relevant, (most, turns), budget).map(Split::Contexts)
    }
}
