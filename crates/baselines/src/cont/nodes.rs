//! N1 and N2 of CONT (rsm-analysis, Fig. 3, lines 1 to 10): the value of a formula at a vertex but
//! for what happens after the exit of its component.
//!
//! Both run on the product of the instance graph with an automaton, on which [`Summaries`] are the
//! relation R of section 2.1: through which exit, and at which stage, a run can leave. The operands
//! of the formula must be known at every cell. Linear in the graph and the automaton but for the
//! width of a row, a bit per stage. The oracle is the unfolding in `tests/cont.rs`.

use super::finite::OVER;
use super::stages::{Stages, product};
use loris_base::{Budget, Csr, Exhausted, Idx, strong_components};
use loris_recursive::building_blocks::Instances;
use loris_recursive::building_blocks::Lanes;
use loris_recursive::building_blocks::{Along, Summaries, leave};
use loris_rsm::Vertex;

/// N2(β): from which cells a run leads to the exit of its own component, under the stack it started
/// with, with letters on the way that the automaton of β accepts. The exit's own letter is not on
/// the way, and at the exit itself there is no way (erratum R5).
pub(super) fn leaving(
    graph: &Instances<'_>,
    operands: &[Vec<Lanes>],
    beta: &Stages,
    budget: &mut Budget,
) -> Result<Vec<bool>, Exhausted> {
    let copies = beta.len();
    let rsm = product(graph, &beta.next, budget)?;
    let staged = graph.times(&rsm, copies);
    let along = beta.along(operands, graph.cell_count(), budget)?;
    let summaries = Summaries::new(&staged, &along, 1, budget)?;
    // the result, and the values of an instance
    budget.charge(9 * graph.cell_count())?;
    let mut found = Vec::with_capacity(graph.cell_count());
    let (mut context, mut values) = (Vec::new(), Vec::new());
    for instance in graph.ids() {
        let component = graph.component(instance);
        context.clear();
        context.resize(rsm.exits(component).len(), 0);
        // a machine of this engine has one exit
        if let Some(over) = context.get_mut(OVER as usize) {
            *over = 1;
        }
        values.clear();
        values.resize(rsm.vertex_range(component).len(), 0);
        leave(&staged, (Along::Cells(&along), &summaries), instance, &context, &mut values, budget)?;
        for stages in values.chunks(copies) {
            budget.spend(beta.initial.len())?;
            found.push(beta.initial.iter().any(|&stage| stages[stage as usize] != 0));
        }
    }
    Ok(found)
}

/// N1(ρ): from which cells an infinite run that never returns from its component satisfies ρ, given
/// the Büchi automaton of ρ. Infinite runs only: one that gets to the exit is N2's (erratum R4).
///
/// Such a run gets to a strongly connected component of the graph H of local, call and summary
/// edges with an edge that meets a marked stage (sections 2.2 and 2.3).
pub(super) fn never_leaving(
    graph: &Instances<'_>,
    operands: &[Vec<Lanes>],
    rho: &Stages,
    budget: &mut Budget,
) -> Result<Vec<bool>, Exhausted> {
    if rho.is_empty() {
        return Ok(vec![false; graph.cell_count()]);
    }
    let copies = rho.len();
    let (edges, meets) = links(graph, operands, rho, budget)?;
    // components and the memory to find them; edges backwards
    budget.charge(32 * edges.rows() + 4 * edges.len())?;
    budget.spend(edges.rows() + edges.len())?;
    let parts = strong_components(&edges);
    let part_of = parts.row_of_each(edges.rows());
    let mut good = vec![false; edges.rows()];
    let mut work = Vec::new();
    for cell in 0..edges.rows() {
        budget.spend(1 + edges.row(cell).len())?;
        let links = edges.row(cell).iter().zip(&meets[edges.start(cell)..]);
        if links.into_iter().any(|(&to, &meets)| meets && part_of[to as usize] == part_of[cell]) {
            good[cell] = true;
            work.push(cell as u32);
        }
    }
    budget.spend(edges.rows() + edges.len())?;
    let backwards = edges.transposed(edges.rows());
    while let Some(cell) = work.pop() {
        for &before in backwards.row(cell as usize) {
            budget.spend(1)?;
            if !std::mem::replace(&mut good[before as usize], true) {
                work.push(before);
            }
        }
    }
    let at = |cell: usize| rho.initial.iter().any(|&stage| good[cell * copies + stage as usize]);
    Ok((0..graph.cell_count()).map(at).collect())
}

/// The edges of H of the product, and which of them meet a marked stage: where they start, or, for
/// a summary edge, on the way (the relation Z).
fn links(
    graph: &Instances<'_>,
    operands: &[Vec<Lanes>],
    rho: &Stages,
    budget: &mut Budget,
) -> Result<(Csr, Vec<bool>), Exhausted> {
    let copies = rho.len();
    let rsm = product(graph, &rho.next, budget)?;
    let staged = graph.times(&rsm, copies);
    let remembers = product(graph, &rho.remembering(), budget)?;
    let remembering = graph.times(&remembers, 2 * copies);
    let along = rho.along(operands, graph.cell_count(), budget)?;
    budget.charge(16 * along.len() + 4 * along.len())?;
    budget.spend(along.len())?;
    let twice: Vec<Lanes> = along.iter().flat_map(|&lanes| [lanes, lanes]).collect();
    let summaries = Summaries::new(&remembering, &twice, 1, budget)?;
    let (mut edges, mut meets) = (Csr::default(), Vec::new());
    let mut row: Vec<u32> = Vec::new();
    for instance in staged.ids() {
        let shift = staged.shift(instance);
        for number in rsm.vertex_range(staged.component(instance)) {
            let vertex = Vertex::new(number);
            let marked = rho.marked[number % copies];
            row.clear();
            if let Some((callee, entry)) = staged.called(instance, vertex) {
                row.push(staged.shift(callee).cell(entry).index() as u32);
                meets.push(marked);
                let site = rsm.box_of(vertex).expect("a call port has a box");
                let start = Vertex::new(2 * entry.index() + usize::from(marked));
                summaries.for_each(&remembering, callee, start, |exit, _| {
                    if let Some(back) = rsm.return_port(site, exit / 2) {
                        row.push(shift.cell(back).index() as u32);
                        meets.push(exit % 2 == 1);
                    }
                });
            } else if along[shift.cell(vertex).index()] != 0 {
                row.extend(rsm.successors(vertex).map(|after| shift.cell(after).index() as u32));
                meets.resize(meets.len() + row.len(), marked);
            }
            budget.spend(1 + row.len())?;
            budget.charge(5 * row.len())?;
            edges.push_row(row.iter().copied());
        }
    }
    Ok((edges, meets))
}
