//! The engine `rks-summary`: CTL on recursive Kripke structures that are copied until formulas are
//! labels (recursive-kripke, appendix A: subcheck, split and merge, with E5).
//!
//! The innermost formulas first. A temporal formula gets a summary (α, ω) of each copy: its value
//! at each location if it holds after the exit, and if it does not (subcheck). Then the copies are
//! split by which of both is the case (split), so that the value is a label from then on. Formulas
//! with two operands are evaluated on one graph that distinguishes whatever either graph
//! distinguishes (merge). For EX ψ, it is ψ that matters after the exit, not EX ψ (E5).
//!
//! Invariant: when a formula is expanded, it has one value at each location of each copy, whatever
//! the stack. split at most doubles the copies of a sub-structure, merge at most multiplies two
//! numbers of copies: exponential in the formula at worst, linear in the machine. The oracles are
//! the unfolding and the other engines in `tests/rks.rs`.

use super::annotations::after_last_exit;
use super::copies::{Bits, Expansion, Graph, bits, merge};
use super::fixpoint::{Pair, Pairs, label_by_fixpoint};
use super::local::{Local, Path, Row, Scratch, deduce};
use super::structure::{Call, Structure};
use loris_base::{Budget, Exhausted, Idx, Truth, has_bit};
use loris_logic::{CoreId, CoreNode};
use loris_recursive::{CtlProperty, EngineSettings, MachineOutcome};
use loris_rsm::{LabelId, Rsm};
use std::sync::Arc;

/// Checks a property of a machine that is not refused (Algorithm A.4).
pub(super) fn check(
    rsm: &Rsm,
    property: &CtlProperty<'_>,
    settings: &EngineSettings,
    budget: &mut Budget,
) -> Result<MachineOutcome, Exhausted> {
    let formula = property.formula;
    let at_end = after_last_exit(rsm, property, settings.at_exit, budget)?;
    let (plain, _) = Graph::plain(rsm, budget)?;
    let plain = Arc::new(plain);
    let components = plain.len();
    let mut work = Work { rsm, copies: components, checks: 0 };
    let mut last_use: Vec<CoreId> = formula.ids().collect();
    for node in formula.ids() {
        formula.children(node).for_each(|child| last_use[child.index()] = node);
    }
    let mut expansions: Vec<Option<Expansion>> = Vec::with_capacity(formula.nodes().len());
    for (node, &operator) in formula.ids().zip(formula.nodes()) {
        let of = |node: CoreId| expansions[node.index()].as_ref().expect("operands come first");
        let at_end = at_end[node.index()];
        let expansion = match operator {
            CoreNode::True => work.everywhere(&plain, at_end, |_, _| true, budget)?,
            CoreNode::Atom(atom) => {
                let label = property.atoms[atom as usize];
                work.everywhere(&plain, at_end, |structure, cell| carries(structure, cell, label), budget)?
            }
            CoreNode::Not(a) => {
                work.combine(of(a).graph.clone(), [&of(a).labels; 2], at_end, |a, _| !a, budget)?
            }
            CoreNode::And(a, b) | CoreNode::Or(a, b) => {
                let (graph, [a, b]) = work.merge(of(a), of(b), budget)?;
                match operator {
                    CoreNode::And(..) => work.combine(graph, [&a, &b], at_end, |a, b| a & b, budget)?,
                    _ => work.combine(graph, [&a, &b], at_end, |a, b| a | b, budget)?,
                }
            }
            CoreNode::Ex(a) => work.next(of(a), budget)?,
            CoreNode::Eg(a) => {
                let labels = &of(a).labels;
                work.path(&of(a).graph.clone(), Path::Always, [labels, labels], at_end, budget)?
            }
            CoreNode::Eu(a, b) => {
                let (graph, [psi, chi]) = work.merge(of(a), of(b), budget)?;
                work.path(&graph, Path::Until, [&psi, &chi], at_end, budget)?
            }
        };
        expansions.push(Some(expansion));
        for child in formula.children(node).filter(|&child| last_use[child.index()] == node) {
            expansions[child.index()] = None;
        }
    }
    let whole = expansions.pop().flatten().expect("the root comes last");
    let start = Structure::new(rsm, rsm.initial_component());
    let holds = rsm.initial().iter().all(|&node| has_bit(&whole.labels[0], start.cell(node)));
    Ok(MachineOutcome { holds, contexts: work.copies, checks: work.checks, components })
}

fn carries(structure: &Structure<'_>, cell: usize, label: Option<LabelId>) -> bool {
    label.is_some_and(|label| structure.rsm.labels_of(structure.vertex(cell)).any(|l| l == label))
}

struct Work<'a> {
    rsm: &'a Rsm,
    /// copies made
    copies: usize,
    /// local checks
    checks: usize,
}

impl<'a> Work<'a> {
    fn structure(&self, graph: &Graph, copy: u32) -> Structure<'a> {
        Structure::new(self.rsm, graph.component(copy))
    }

    fn everywhere(
        &self,
        graph: &Arc<Graph>,
        at_end: bool,
        holds: impl Fn(&Structure<'_>, usize) -> bool,
        budget: &mut Budget,
    ) -> Result<Expansion, Exhausted> {
        let mut labels = Vec::with_capacity(graph.len());
        for copy in 0..graph.len() as u32 {
            let structure = self.structure(graph, copy);
            charge_bits(&structure, budget)?;
            labels.push(bits(&structure, |cell| holds(&structure, cell)));
        }
        Ok(Expansion { graph: graph.clone(), labels, at_end })
    }

    /// A boolean operator, word by word.
    fn combine(
        &self,
        graph: Arc<Graph>,
        [a, b]: [&[Bits]; 2],
        at_end: bool,
        of: impl Fn(u64, u64) -> u64,
        budget: &mut Budget,
    ) -> Result<Expansion, Exhausted> {
        let mut labels = Vec::with_capacity(graph.len());
        for (copy, (a, b)) in (0..).zip(a.iter().zip(b)) {
            charge_bits(&self.structure(&graph, copy), budget)?;
            labels.push(a.iter().zip(&b[..]).map(|(&a, &b)| of(a, b)).collect());
        }
        Ok(Expansion { graph, labels, at_end })
    }

    fn merge(
        &mut self,
        one: &Expansion,
        other: &Expansion,
        budget: &mut Budget,
    ) -> Result<(Arc<Graph>, [Vec<Bits>; 2]), Exhausted> {
        let merged = merge(self.rsm, one, other, budget)?;
        if !Arc::ptr_eq(&merged.0, &one.graph) {
            self.copies += merged.0.len();
        }
        Ok(merged)
    }

    /// EX ψ. The value of ψ after the exit is known of every copy but is not a label: copies are
    /// split by it (E5).
    fn next(&mut self, psi: &Expansion, budget: &mut Budget) -> Result<Expansion, Exhausted> {
        let (graph, labels) = (&psi.graph, &psi.labels);
        let after = |(copy, _): (u32, bool), call: Call| {
            let holds = |cell: usize| has_bit(&labels[copy as usize], cell);
            (graph.callee(copy, call), self.structure(graph, copy).after(call.site).any(holds))
        };
        let (split, keys) =
            Graph::explore(self.rsm, (0, psi.at_end), |(copy, _)| graph.component(copy), after, budget)?;
        let mut found = Vec::with_capacity(keys.len());
        for &(copy, top) in &keys {
            let structure = self.structure(graph, copy);
            charge_bits(&structure, budget)?;
            let mut at_calls = vec![false; structure.len()];
            for call in structure.calls() {
                let callee = graph.callee(copy, call);
                let entry = self.structure(graph, callee).entry.expect("what is called has an entry");
                at_calls[call.cell] = has_bit(&labels[callee as usize], entry);
            }
            found.push(bits(&structure, |cell| {
                let here =
                    |after: usize| structure.is_location(after) && has_bit(&labels[copy as usize], after);
                let holds = |after: usize| at_calls[after] || here(after);
                if structure.exit == Some(cell) { top } else { structure.successors(cell).any(holds) }
            }));
        }
        self.copies += keys.len();
        self.checks += keys.len();
        Ok(Expansion { graph: Arc::new(split), labels: found, at_end: psi.at_end })
    }

    /// EG ψ and E[ψ U χ]: subcheck (Algorithm A.1), then split (Algorithm A.2).
    fn path(
        &mut self,
        graph: &Arc<Graph>,
        path: Path,
        operands: [&[Bits]; 2],
        at_end: bool,
        budget: &mut Budget,
    ) -> Result<Expansion, Exhausted> {
        let mut summaries =
            Summaries { rsm: self.rsm, graph, path, operands, rows: Vec::new(), scratch: Scratch::default() };
        let mut held = 0;
        for copy in 0..graph.len() as u32 {
            let structure = self.structure(graph, copy);
            held += 2 * Row::bytes(&structure, false);
            budget.charge(2 * Row::bytes(&structure, false))?;
            let row = Row::new(&structure, false);
            summaries.rows.extend([row.clone(), row]);
        }
        let pairs = (0..graph.len() as u32).flat_map(|class| [false, true].map(|top| Pair { class, top }));
        let pairs: Vec<Pair> = pairs.collect();
        self.checks += label_by_fixpoint(&mut summaries, &pairs, path, budget)?.iter().sum::<usize>();
        let after = |(class, top): (u32, bool), call: Call| {
            let row = summaries.row(Pair { class, top });
            let holds = row.any(self.structure(graph, class).after(call.site)) == Truth::True;
            (graph.callee(class, call), holds)
        };
        let (split, keys) =
            Graph::explore(self.rsm, (0, at_end), |(copy, _)| graph.component(copy), after, budget)?;
        let mut labels = Vec::with_capacity(keys.len());
        for &(class, top) in &keys {
            let structure = self.structure(graph, class);
            charge_bits(&structure, budget)?;
            let row = summaries.row(Pair { class, top });
            labels.push(bits(&structure, |cell| row.values[cell] == Truth::True));
        }
        self.copies += keys.len();
        budget.release(held);
        Ok(Expansion { graph: Arc::new(split), labels, at_end })
    }
}

fn charge_bits(structure: &Structure<'_>, budget: &mut Budget) -> Result<(), Exhausted> {
    budget.spend(1 + structure.len())?;
    budget.charge(structure.len() / 8 + 8 + 2 * size_of::<Bits>())
}

/// (α, ω) of every copy, for both values after its exit.
struct Summaries<'s, 'a> {
    rsm: &'a Rsm,
    graph: &'s Graph,
    path: Path,
    operands: [&'s [Bits]; 2],
    rows: Vec<Row>,
    scratch: Scratch,
}

impl<'a> Pairs<'a> for Summaries<'_, 'a> {
    fn structure(&self, class: u32) -> Structure<'a> {
        Structure::new(self.rsm, self.graph.component(class))
    }

    fn row(&self, pair: Pair) -> &Row {
        &self.rows[2 * pair.class as usize + usize::from(pair.top)]
    }

    fn row_mut(&mut self, pair: Pair) -> &mut Row {
        &mut self.rows[2 * pair.class as usize + usize::from(pair.top)]
    }

    fn callee(&self, class: u32, call: Call) -> u32 {
        self.graph.callee(class, call)
    }

    fn at_entry(&self, pair: Pair) -> Truth {
        let entry = self.structure(pair.class).entry;
        entry.map_or(Truth::Unknown, |entry| self.row(pair).values[entry])
    }

    /// makeMaxCoherent, for one summary.
    fn check(&mut self, pair: Pair, round: u32, budget: &mut Budget) -> Result<bool, Exhausted> {
        let [psi, chi] = self.operands.map(|labels| {
            let row = &labels[pair.class as usize];
            move |cell: usize| Truth::from(has_bit(row, cell))
        });
        let local = Local { structure: self.structure(pair.class), path: self.path, psi, chi, top: pair.top };
        let row = &mut self.rows[2 * pair.class as usize + usize::from(pair.top)];
        deduce(&local, row, round, &mut self.scratch, budget)
    }
}
