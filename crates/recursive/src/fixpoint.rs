//! The door to the engine for machines without calls: they are finite structures, and `loris_finite` decides CTL on those, with
//! fairness if there is some.

use crate::api::{Outcome, Prepared, Property};
use loris_base::{Budget, Exhausted, Idx};
use loris_evidence::AtExit;
use loris_finite::{Column, Fairness, Kripke};
use loris_rsm::LabelId;

/// What makes a run fair, as labels; one that no node carries is false everywhere.
#[derive(Clone, Debug, Default)]
pub struct FairLabels {
    /// What must hold infinitely often.
    pub justice: Vec<Option<LabelId>>,
    /// If the first holds infinitely often, so does the second.
    pub compassion: Vec<(Option<LabelId>, Option<LabelId>)>,
}

impl Prepared<'_> {
    /// Whether the machine is a finite structure: nothing is called, and an exit, if there is one, loops.
    pub fn is_finite(&self, at_exit: AtExit) -> bool {
        let rsm = self.rsm();
        let leaves = |component| !rsm.exits(component).is_empty();
        rsm.box_count() == 0 && (at_exit == AtExit::Loop || !leaves(rsm.initial_component()))
    }

    /// Decides formulas of CTL on a [finite](Self::is_finite) machine, all at once, with quantifiers over fair runs.
    pub fn fixpoint(
        &self,
        properties: &[Property<'_>],
        fair: &FairLabels,
        budget: &mut Budget,
    ) -> Result<Vec<Outcome>, Exhausted> {
        let rsm = self.rsm();
        let initial: Vec<u32> = rsm.initial().iter().map(|node| node.index() as u32).collect();
        let kripke = Kripke {
            successors: rsm.successor_rows(),
            predecessors: rsm.predecessor_rows(),
            initial: &initial,
        };
        let labels = |label: u32, column: &mut Column| {
            rsm.mark(LabelId::new(label as usize), column.words_mut());
        };
        let column = |label: Option<LabelId>| {
            let mut column = Column::empty(rsm.vertex_count());
            label.iter().for_each(|&label| rsm.mark(label, column.words_mut()));
            column
        };
        let fairness = Fairness {
            justice: fair.justice.iter().map(|&label| column(label)).collect(),
            compassion: fair.compassion.iter().map(|&(p, q)| (column(p), column(q))).collect(),
        };
        let atoms: Vec<Vec<Option<u32>>> = properties
            .iter()
            .map(|property| {
                property.atoms.iter().map(|atom| atom.map(|label| label.index() as u32)).collect()
            })
            .collect();
        let asked: Vec<loris_finite::Property<'_>> = properties
            .iter()
            .zip(&atoms)
            .map(|(property, atoms)| loris_finite::Property { formula: property.formula, atoms })
            .collect();
        let found = loris_finite::check(&kripke, &labels, &asked, &fairness, budget)?;
        Ok(found.into_iter().map(|holds| Outcome { holds, contexts: 1, checks: 0 }).collect())
    }
}
