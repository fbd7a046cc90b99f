//! The engine for machines without calls: they are finite structures, on which `loris_finite`
//! decides CTL, with fairness constraints if there are any.

use crate::prepared::Prepared;
use crate::property::{CtlProperty, MachineOutcome};
use loris_base::{BitSet, Budget, Csr, Exhausted, Idx};
use loris_evidence::AtExit;
use loris_finite::distance::{self, Distance};
use loris_finite::{Fairness, Kripke};
use loris_logic::{Core, FAIR, FormulaBuilder, Node};
use loris_rsm::{LabelId, Rsm, Vertex};

/// Fairness conditions on runs, as labels; one that no node carries is false everywhere.
#[derive(Clone, Debug, Default)]
pub struct FairLabels {
    /// Conditions that must hold infinitely often.
    pub justice: Vec<Option<LabelId>>,
    /// If the first holds infinitely often, so does the second.
    pub compassion: Vec<(Option<LabelId>, Option<LabelId>)>,
    /// Whether runs end at dead ends, be it that these have a loop in the machine
    /// ([`Rsm::looped`]) or no successor.
    pub ends: bool,
}

impl Prepared<'_> {
    /// Whether the machine is a finite structure: nothing is called.
    pub fn is_finite(&self) -> bool {
        self.rsm().box_count() == 0
    }

    /// Decides formulas of CTL on a [finite](Self::is_finite) machine, all at once, with
    /// quantifiers over fair runs.
    pub fn fixpoint(
        &self,
        properties: &[CtlProperty<'_>],
        fair: &FairLabels,
        at_exit: AtExit,
        budget: &mut Budget,
    ) -> Result<Vec<MachineOutcome>, Exhausted> {
        let rsm = self.rsm();
        let finite = Finite::of(rsm, fair, at_exit);
        let kripke = finite.kripke(rsm);
        let fairness = &finite.fairness;
        let fair_states =
            if fairness.is_trivial() { BitSet::empty(0) } else { fair_states(&kripke, fairness, budget)? };
        let labels = |label: u32, column: &mut BitSet| match label {
            FAIR_STATES => column.words_mut().copy_from_slice(fair_states.words()),
            _ => rsm.mark(LabelId::new(label as usize), column.words_mut()),
        };
        let atoms: Vec<Vec<Option<u32>>> = properties.iter().map(numbers).collect();
        let asked: Vec<loris_finite::LabelledFormula<'_>> = properties
            .iter()
            .zip(&atoms)
            .map(|(property, atoms)| loris_finite::LabelledFormula { formula: property.formula, atoms })
            .collect();
        let found = loris_finite::check(&kripke, &labels, &asked, fairness, budget)?;
        Ok(found
            .into_iter()
            .map(|holds| MachineOutcome { holds, contexts: 1, checks: 0, components: 1 })
            .collect())
    }

    /// How many steps it takes on a [finite](Self::is_finite) machine from states where the first
    /// formula of CTL holds to such where the second does, at least or (`longest`) at most; of
    /// states that are reached, and where fair runs start.
    pub fn distance(
        &self,
        longest: bool,
        (from, to): (&CtlProperty<'_>, &CtlProperty<'_>),
        fair: &FairLabels,
        at_exit: AtExit,
        budget: &mut Budget,
    ) -> Result<Distance, Exhausted> {
        let rsm = self.rsm();
        let finite = Finite::of(rsm, fair, at_exit);
        let kripke = finite.kripke(rsm);
        // four sets of states
        budget.charge(4 * kripke.states().div_ceil(8))?;
        let mut within = distance::reached(&kripke, budget)?;
        let fair_states = fair_states(&kripke, &finite.fairness, budget)?;
        within.words_mut().iter_mut().zip(fair_states.words()).for_each(|(word, fair)| *word &= fair);
        let labels = |label: u32, column: &mut BitSet| match label {
            FAIR_STATES => column.words_mut().copy_from_slice(fair_states.words()),
            _ => rsm.mark(LabelId::new(label as usize), column.words_mut()),
        };
        let mut states = |property: &CtlProperty<'_>| {
            let atoms = numbers(property);
            let property = loris_finite::LabelledFormula { formula: property.formula, atoms: &atoms };
            loris_finite::states(&kripke, &labels, property, &finite.fairness, budget)
        };
        let (from, to) = (states(from)?, states(to)?);
        let measure = if longest { distance::longest } else { distance::shortest };
        measure(&kripke, &from, &to, &within, budget)
    }

    /// Whether some run is fair, if the machine is [finite](Self::is_finite); of others it is taken
    /// for granted.
    pub fn has_fair_run(
        &self,
        fair: &FairLabels,
        at_exit: AtExit,
        budget: &mut Budget,
    ) -> Result<bool, Exhausted> {
        if !self.is_finite() {
            return Ok(true);
        }
        let finite = Finite::of(self.rsm(), fair, at_exit);
        let kripke = finite.kripke(self.rsm());
        let states = fair_states(&kripke, &finite.fairness, budget)?;
        Ok(kripke.initial.iter().any(|&state| states.contains(state)))
    }
}

/// The numbers of the labels that the atoms of a property are.
fn numbers(property: &CtlProperty<'_>) -> Vec<Option<u32>> {
    let atoms = property.atoms.iter().zip(property.formula.atoms());
    let number = |(label, name): (&Option<LabelId>, &String)| match label {
        Some(label) => Some(label.index() as u32),
        None => (name == FAIR).then_some(FAIR_STATES),
    };
    atoms.map(number).collect()
}

/// A machine without calls as a finite structure.
pub(crate) struct Finite {
    initial: Vec<u32>,
    /// its edges, if they are not those of the machine
    edges: Option<(Csr, Csr)>,
    fairness: Fairness,
}

impl Finite {
    pub(crate) fn of(rsm: &Rsm, fair: &FairLabels, at_exit: AtExit) -> Self {
        let edges = (at_exit == AtExit::Sink).then(|| with_sink(rsm)).flatten();
        let states = rsm.vertex_count() + usize::from(edges.is_some());
        let column = |label: Option<LabelId>| {
            let mut column = BitSet::empty(states);
            if let Some(label) = label {
                rsm.mark(label, column.words_mut());
            }
            column
        };
        // a structure loops wherever nothing follows: fair runs are infinite, and do not stay there
        let ends = || {
            let dead_ends = if fair.ends { rsm.dead_ends() } else { &[] };
            let stops = at_exit == AtExit::Stop;
            let exits = rsm.components().filter(move |_| stops).flat_map(|component| rsm.exits(component));
            dead_ends.iter().chain(exits).map(|vertex| vertex.index() as u32)
        };
        let goes_on = ends().next().is_some().then(|| {
            let mut column = BitSet::of(states, ends());
            column.complement(states);
            column
        });
        let justice = fair.justice.iter().map(|&label| column(label));
        let fairness = Fairness {
            justice: justice.chain(goes_on).collect(),
            compassion: fair.compassion.iter().map(|&(p, q)| (column(p), column(q))).collect(),
        };
        Self { initial: rsm.initial().iter().map(|node| node.index() as u32).collect(), edges, fairness }
    }

    pub(crate) fn kripke<'a>(&'a self, rsm: &'a Rsm) -> Kripke<'a> {
        let (successors, predecessors) = match &self.edges {
            Some((successors, predecessors)) => (successors, predecessors),
            None => (rsm.successor_rows(), rsm.predecessor_rows()),
        };
        Kripke { successors, predecessors, initial: &self.initial }
    }
}

/// The edges of a machine whose exits lead to one more state, without labels, that loops; nothing
/// if it has no exits.
fn with_sink(rsm: &Rsm) -> Option<(Csr, Csr)> {
    let exits = rsm.components().map(|component| rsm.exits(component).len()).sum::<usize>();
    if exits == 0 {
        return None;
    }
    let sink = rsm.vertex_count() as u32;
    let mut successors = Csr::default();
    for vertex in 0..rsm.vertex_count() {
        let row = rsm.successor_rows().row(vertex);
        let leaves = rsm.is_exit(Vertex::new(vertex)) && row.is_empty();
        successors.push_row(row.iter().copied().chain(leaves.then_some(sink)));
    }
    successors.push_row([sink]);
    let predecessors = successors.transposed(rsm.vertex_count() + 1);
    Some((successors, predecessors))
}

/// The states that some fair run starts in: `EG true`, over a label that all states have.
fn fair_states(kripke: &Kripke<'_>, fairness: &Fairness, budget: &mut Budget) -> Result<BitSet, Exhausted> {
    let mut build = FormulaBuilder::default();
    let anywhere = build.atom("anywhere");
    let always = build.add(Node::G(anywhere));
    let some = build.add(Node::E(always));
    let formula = Core::new(&build.finish(some)).expect("a formula of CTL");
    let everywhere = |_: u32, column: &mut BitSet| column.complement(kripke.states());
    let property = loris_finite::LabelledFormula { formula: &formula, atoms: &[Some(0)] };
    loris_finite::states(kripke, &everywhere, property, fairness, budget)
}

/// The number of the label of those states; no machine has as many labels.
const FAIR_STATES: u32 = u32::MAX;
