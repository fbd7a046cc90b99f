//! All labels of a program, without its machine.

use super::labels::{Labels, Place};
use super::method::reached;
use super::pattern::Choice;
use crate::calls::CallGraph;
use crate::program::Program;
use crate::throws::Throws;
use loris_base::{Budget, Exhausted};

/// The chosen labels of a program, in the order of their texts, and how many places have each.
///
/// # Errors
/// The budget ended.
pub fn labels(
    program: &Program,
    graph: &CallGraph,
    throws: &Throws,
    choice: &Choice,
    budget: &mut Budget,
) -> Result<Vec<(String, usize)>, Exhausted> {
    let mut labels = Labels::new(program, choice);
    let mut counts: Vec<usize> = Vec::new();
    for &method in graph.reachable() {
        let mut count = |found: &[u32]| {
            for &label in found {
                let label = label as usize;
                counts.resize(counts.len().max(label + 1), 0);
                counts[label] += 1;
            }
        };
        budget.spend(1)?;
        count(labels.of_entry(method));
        count(labels.of_exit(method, false));
        // exceptions do not leave initializers: they are thrown there, in a node of their own
        let is_initializer = &program.names[program.method(method).name] == "<clinit>";
        let body = program.body(method).ok().flatten();
        if !throws.of(method).is_empty() && !is_initializer {
            count(labels.of_exit(method, true));
        }
        if is_initializer || body.is_none() {
            count(labels.of_throw(throws.of(method)));
        }
        let Some(body) = body else { continue };
        budget.spend(body.instructions.len())?;
        let reached = reached(program, graph, throws, method, &body);
        for (number, is_reached) in reached.into_iter().enumerate() {
            if is_reached {
                count(labels.of_instruction(&Place { graph, throws, method, body: &body, number }));
            }
        }
    }
    let chosen = labels.chosen().iter().map(|label| label.text(program));
    let mut listed: Vec<(String, usize)> = chosen.zip(counts).collect();
    listed.sort_unstable();
    // different labels may be written alike
    listed.dedup_by(|next, first| {
        let same = next.0 == first.0;
        first.1 += if same { next.1 } else { 0 };
        same
    });
    Ok(listed)
}
