//! Evidence for a formula whose pieces are decided apart, where all of it together needs many contexts.
//!
//! The value of a formula in the initial states follows from those of its [pieces](Core::pieces). Of
//! these, the claims that make the formula true are chosen as for any state; each is then shown on the
//! instance graph of its own piece.

use super::{Explainer, Rails, Silent, Task, reasons};
use crate::api::{Prepared, Settings};
use crate::summary::{self, Growth, Mode, Stopped};
use loris_base::{Budget, Exhausted, Idx};
use loris_evidence::{Claim, Evidence, Path, PathId, State};
use loris_logic::{Core, CoreNode};
use loris_rsm::LabelId;
use rustc_hash::FxHashMap;

/// The formulas of which one must be true for a node of a claim to be true, and which one is, if any, at
/// each initial node.
struct Top {
    node: u32,
    any: Vec<Core>,
    chosen: Vec<Option<usize>>,
}

/// A claim with the labels of its atoms.
pub(super) struct Asked<'q> {
    pub(super) claim: &'q Core,
    pub(super) labels: &'q [Option<LabelId>],
    pub(super) holds: bool,
}

/// Evidence for a claim; nothing if all it says is that paths do not exist.
pub(super) fn explain(
    prepared: &Prepared<'_>,
    asked: &Asked<'_>,
    settings: &Settings,
    budget: &mut Budget,
) -> Result<Option<Evidence>, Silent> {
    let (rsm, claim) = (prepared.rsm(), asked.claim);
    let initial = rsm.initial().len();
    let mut tops = Vec::new();
    for (node, any) in claim.pieces() {
        let mut top = Top { node, any, chosen: vec![None; initial] };
        for (number, piece) in top.any.iter().enumerate() {
            if top.chosen.iter().all(Option::is_some) {
                break;
            }
            let labels = asked.labels_of(piece);
            let mode = Mode {
                at_exit: settings.at_exit,
                most_cells: usize::MAX,
                each_initial: true,
                growth: Growth::Look(None),
            };
            let mut part = budget.part();
            let found = summary::verdicts(prepared, piece, &[&labels], &mode, &mut part);
            budget.join(&part)?;
            for (chosen, &(yes, _)) in top.chosen.iter_mut().zip(&stopped(found)?.values) {
                if chosen.is_none() && yes != 0 {
                    *chosen = Some(number);
                }
            }
        }
        tops.push(top);
    }
    let rails: Vec<Rails> = (0..initial).map(|initial| asked.rails(prepared, &tops, initial)).collect();
    let mut shown: Vec<usize> = (0..initial).filter(|&i| rails[i][claim.root() as usize].0).collect();
    assert!(
        if asked.holds { shown.len() == initial } else { !shown.is_empty() },
        "the pieces confirm every verdict"
    );
    if !asked.holds {
        shown.truncate(1);
    }
    let mut evidence = Evidence::default();
    let (mut roots, mut states) = (Vec::new(), 0);
    for initial in shown {
        let state = State { stack: Vec::new(), node: Some(rsm.initial()[initial]) };
        let root = reserve(&mut evidence, claim, claim.root())?;
        roots.push(root);
        if claim.nodes()[claim.root() as usize].is_existential() {
            show(prepared, asked, (&tops[0], initial), root, settings, (&mut evidence, &mut states), budget)?;
            continue;
        }
        let (claims, absences) = reasons(claim, claim.root(), &rails[initial]);
        if claims.is_empty() && absences > 0 {
            return Ok(None);
        }
        for node in claims {
            let path = reserve(&mut evidence, claim, node)?;
            evidence.paths[root].because.push(Claim { state: 0, evidence: path });
            let top = tops.iter().find(|top| top.node == node).expect("claims at the start are pieces");
            show(prepared, asked, (top, initial), path, settings, (&mut evidence, &mut states), budget)?;
        }
        evidence.paths[root].states.push(state);
    }
    evidence.also = roots.split_off(1.min(roots.len()));
    Ok(Some(evidence))
}

impl Asked<'_> {
    /// What the atoms of a piece mean.
    fn labels_of(&self, piece: &Core) -> Vec<Option<LabelId>> {
        let place = |atom: &String| self.claim.atoms().iter().position(|other| other == atom);
        piece.atoms().iter().map(|atom| place(atom).and_then(|place| self.labels[place])).collect()
    }

    /// The nodes of the claim at an initial node, as far as its value there depends on them.
    fn rails(&self, prepared: &Prepared<'_>, tops: &[Top], initial: usize) -> Rails {
        let vertex = prepared.rsm().initial()[initial];
        let mut rails: Rails = Vec::with_capacity(self.claim.nodes().len());
        for (number, &node) in self.claim.nodes().iter().enumerate() {
            let at = |node: u32| rails[node as usize];
            let both = |value: bool| (value, !value);
            rails.push(match node {
                CoreNode::True => (true, false),
                CoreNode::Atom(atom) => both(self.labels[atom as usize].is_some_and(|label| {
                    prepared.rsm().labelled(label).any(|node| node.index() == vertex.index())
                })),
                CoreNode::Not(a) => (at(a).1, at(a).0),
                CoreNode::And(a, b) => (at(a).0 && at(b).0, at(a).1 || at(b).1),
                CoreNode::Or(a, b) => (at(a).0 || at(b).0, at(a).1 && at(b).1),
                _ => match tops.iter().find(|top| top.node as usize == number) {
                    Some(top) => both(top.chosen[initial].is_some()),
                    None => (false, false),
                },
            });
        }
        rails
    }
}

/// Shows a piece at an initial node.
fn show(
    prepared: &Prepared<'_>,
    asked: &Asked<'_>,
    (top, initial): (&Top, usize),
    path: PathId,
    settings: &Settings,
    (evidence, states): (&mut Evidence, &mut usize),
    budget: &mut Budget,
) -> Result<(), Silent> {
    let number = top.chosen[initial].expect("a claim that is shown is true");
    let piece = &top.any[number];
    let labels = asked.labels_of(piece);
    let mode = Mode {
        at_exit: settings.at_exit,
        most_cells: usize::MAX,
        each_initial: true,
        growth: Growth::Evidence,
    };
    let mut part = budget.part();
    let decided = stopped(summary::decide(prepared, piece, &[&labels], &mode, &mut part))?;
    let bottom = decided.bottom(piece, settings.at_exit, &mut part)?;
    let mut explainer = Explainer {
        rsm: prepared.rsm(),
        formula: piece,
        at_exit: settings.at_exit,
        bottom,
        decided,
        operands: FxHashMap::default(),
        tours: FxHashMap::default(),
        evidence: std::mem::take(evidence),
        states: *states,
    };
    let state = State { stack: Vec::new(), node: Some(prepared.rsm().initial()[initial]) };
    let mut tasks = vec![Task { path, node: piece.root(), state }];
    while let Some(task) = tasks.pop() {
        explainer.show(&task, &mut tasks, &mut part)?;
    }
    (*evidence, *states) = (explainer.evidence, explainer.states);
    budget.join(&part)?;
    Ok(())
}

/// A path that shows a node of a claim, its states to be filled in.
fn reserve(evidence: &mut Evidence, claim: &Core, node: u32) -> Result<PathId, Silent> {
    let shows = claim.print_within(node, super::LONGEST_CLAIM).ok_or(Silent::TooLong)?;
    Ok(evidence.paths.push(Path { shows, states: Vec::new(), repeats: None, because: Vec::new() }))
}

fn stopped<T>(found: Result<T, Stopped>) -> Result<T, Silent> {
    found.map_err(|stopped| match stopped {
        Stopped::Exhausted(exhausted) => exhausted.into(),
        Stopped::TooLarge | Stopped::Decided(_) => Exhausted::Memory.into(),
    })
}
