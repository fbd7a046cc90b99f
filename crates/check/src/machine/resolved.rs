//! Formulas and automata with the labels that their atoms mean.

use loris_base::Idx;
use loris_logic::mu::MuFormula;
use loris_logic::{Core, NO_NEXT, NO_REST, UnderE};
use loris_recursive::Property;
use loris_rsm::{LabelId, Rsm};

/// Something over atoms, with the label each of them means.
#[derive(Clone, Debug)]
pub(crate) struct Resolved<T> {
    pub(crate) of: T,
    pub(crate) atoms: Vec<Option<LabelId>>,
}

impl<T> Resolved<T> {
    pub(crate) fn new<S: AsRef<str>>(rsm: &Rsm, of: T, names: &[S]) -> Self {
        let label = |name: &str| if is_end(name) { Some(end_label(rsm)) } else { rsm.label(name) };
        let atoms = names.iter().map(|name| label(name.as_ref())).collect();
        Self { of, atoms }
    }
}

impl Resolved<MuFormula> {
    pub(crate) fn mu(rsm: &Rsm, formula: MuFormula) -> Self {
        let names: Vec<String> = formula.atoms().iter().map(str::to_owned).collect();
        Self::new(rsm, formula, &names)
    }
}

impl<P: UnderE> Resolved<Core<P>> {
    pub(crate) fn core(rsm: &Rsm, core: Core<P>) -> Self {
        let names = core.atoms().to_vec();
        Self::new(rsm, core, &names)
    }

    /// As engines take it.
    pub(crate) fn property(&self) -> Property<'_, P> {
        Property { formula: &self.of, atoms: self.atoms.clone() }
    }
}

/// Whether an atom means that runs end here.
fn is_end(name: &str) -> bool {
    name == NO_NEXT || name == NO_REST
}

/// The label of states where runs end, in the machine that has loops there ([`Rsm::looped`]).
fn end_label(rsm: &Rsm) -> LabelId {
    LabelId::new(rsm.label_count())
}
