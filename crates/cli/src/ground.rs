//! What is asked, and of which machine.

use loris_base::Exhausted;
use loris_check::Question;
use loris_rsm::Rsm;

/// All questions of a call, by the machines they are asked of.
pub(crate) struct Grounds {
    /// the model, wherever its runs start
    pub(crate) rsm: Rsm,
    pub(crate) list: Vec<Ground>,
    /// why these are not the machines, if they could not be made, and whether they would be finite
    pub(crate) stopped: Option<(Exhausted, bool)>,
}

/// Questions that are asked of one machine.
pub(crate) struct Ground {
    pub(crate) rsm: Rsm,
    /// the module of an SMV file where runs start
    pub(crate) module: Option<String>,
    pub(crate) questions: Vec<Question>,
    /// for each question, which it is
    pub(crate) places: Vec<Place>,
}

/// Which question one is.
pub(crate) struct Place {
    /// its number among all of the call
    pub(crate) number: usize,
    /// the instance of the module that it was written in
    pub(crate) instance: String,
}

impl Ground {
    /// Nothing is asked yet.
    pub(crate) fn new(rsm: Rsm, module: Option<String>) -> Self {
        Self { rsm, module, questions: Vec::new(), places: Vec::new() }
    }
}
