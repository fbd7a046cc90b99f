//! The engine `cont`: CTL* on machines in which no component has more than one exit, by the
//! algorithm CHECK of "Analysis of Recursive State Machines" (section 5.2, Figs. 2 to 4), for
//! comparison.
//!
//! | file | counterpart in the paper |
//! |---|---|
//! | `decomp`, `prefix` | DECOMP: conditions of a path formula on a prefix (β) and on the rest (δ) |
//! | `closure` | cl(φ), closed under taking Eδ for Eρ |
//! | `finite`, `stages`, `nodes` | N1 and N2: values at a vertex, apart from runs beyond its exit |
//! | `LastExit` of `loris-recursive` | C_∅: values after the exit at the bottom of the stack |
//! | `contexts` | the loop of CONT, and the copies it makes |
//!
//! CHECK decides existential formulas by their nesting, the innermost first. Each round is a CONT:
//! it copies every component for each context that occurs, a context being the truth of the closure
//! at the exit, so that the next round finds its operands as labels. Where the paper reads labels
//! off edges, here those of a node are read at the source of a step (erratum R3), and return ports
//! are vertices like any other. Of a round's closure only the formulas of that nesting are decided
//! anew, and CTL's EX, EG and EU are the path formulas X, G and U.
//!
//! Invariant: after round j, formulas nested at most j deep are known at every cell of the copies.
//! Linear in the machine for a fixed formula; in the formula the pairs of DECOMP and the automata
//! of its β explode: [`Exhausted::Memory`] then, whatever the budget. Not for exits with edges out
//! of them (erratum R12), which the machines here do not have. The oracle is the unfolding in
//! `tests/cont.rs`, the rival is `summary`, which decomposes runs of an automaton instead.

mod closure;
mod contexts;
mod decomp;
mod existential;
mod finite;
mod nodes;
mod prefix;
mod stages;

use closure::Closure;
use contexts::{Contexts, Level};
use existential::Existential;
use loris_base::{Budget, Exhausted, Idx};
use loris_logic::{CoreId, Ltl};
use loris_recursive::building_blocks::{Atoms, Instances, Lanes, LastExit, Operand};
use loris_recursive::{EngineSettings, MachineOutcome, Property};
use loris_rsm::{ComponentId, Rsm};

/// A component with more than one exit, if there is one: the engine does not take such a machine.
pub fn unfit(rsm: &Rsm) -> Option<ComponentId> {
    rsm.components().find(|&component| rsm.exits(component).len() > 1)
}

/// Checks a property of a machine that is [fit](unfit) for the engine.
pub fn check(
    rsm: &Rsm,
    property: &Property<'_>,
    settings: &EngineSettings,
    budget: &mut Budget,
) -> Result<MachineOutcome, Exhausted> {
    let formula = property.formula;
    let atoms = Atoms::new(rsm, formula.atoms().len(), &[&property.atoms], budget)?;
    let existentials = Existential::all(formula);
    let exits = rsm.exits(rsm.initial_component());
    let atom = |exit: usize, atom: u32| atoms.at(atom, exits[exit].index());
    let last = LastExit::new(formula, (exits.len(), settings.at_exit), 1, atom, budget)?;
    let fixed = budget.used();
    let mut graph = Instances::plain(rsm, |_| true, budget)?;
    let mut values: Vec<Vec<Lanes>> = vec![Vec::new(); formula.nodes().len()];
    let (mut contexts, mut checks) = (1, 0);
    let deepest = existentials.iter().map(|existential| existential.depth).max().unwrap_or(0);
    for depth in 1..=deepest {
        let mut level = Level::default();
        let mut bottom = Vec::new();
        for existential in existentials.iter().filter(|existential| existential.depth == depth) {
            let closure = Closure::new(&existential.formula, budget)?;
            let operands = existential.operands.iter();
            let operands: Vec<Vec<Lanes>> = operands
                .map(|operand| operand.everywhere(&graph, &atoms, &values, budget))
                .collect::<Result<_, _>>()?;
            level.add(&graph, existential, &closure, &operands, budget)?;
            budget.release(8 * graph.cell_count() * operands.len());
            let holds = |formula: &Ltl| last.path(0, formula, &existential.roots) != 0;
            bottom.extend(closure.members.iter().map(|member| holds(&member.formula)));
        }
        checks += graph.len() * level.len();
        let found = Contexts::new(&graph, &level, bottom, budget)?;
        for values in values.iter_mut().filter(|values| !values.is_empty()) {
            *values = found.copy(&graph, values, budget)?;
        }
        for &(node, member) in &level.formulas {
            values[node.index()] = found.labels(&graph, &level, member, budget)?;
        }
        graph = found.instances(&graph, budget)?;
        contexts = graph.len();
        let known: usize = values.iter().map(|values| 8 * values.len()).sum();
        budget.settle(fixed + graph.bytes() + known)?;
    }
    let root = Operand::new(formula, formula.root());
    let shift = graph.shift(graph.start);
    let holds = rsm.initial().iter().all(|&node| {
        let existential = |inner: CoreId| values[inner.index()][shift.cell(node).index()];
        root.value(1, |atom| atoms.at(atom, node.index()), existential, &mut Vec::new()) == 1
    });
    Ok(MachineOutcome { holds, contexts, checks, components: rsm.component_count() })
}
