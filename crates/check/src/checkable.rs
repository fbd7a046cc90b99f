//! What every kind of model can do: plan a question, and carry out plans.

use crate::plan::Plan;
use crate::rounds::Run;
use crate::{ModelKind, Options, Question, Refusal, Suggestions};
use std::fmt;

/// What every kind of model can do.
pub trait Checkable: fmt::Debug + Send + Sync {
    /// Which kind it is of, for the table of engines; none if that has no engine for it.
    fn kind(&self) -> Option<ModelKind>;

    /// The bytes that it holds, about.
    fn bytes(&self) -> usize;

    /// How large it is, in its own terms.
    fn sizes(&self) -> Vec<Size>;

    /// Plans questions.
    fn planner<'a>(&'a self, options: &'a Options, suggestions: &'a Suggestions) -> Planner<'a>;

    /// Prepares plans, which were made for this model and these options, and passes them to `go`.
    fn run(&self, plans: &[Plan], options: &Options, go: &mut dyn FnMut(&dyn Run));
}

/// Decides how a question is answered, or why it is not.
pub type Planner<'a> = Box<dyn Fn(&Question) -> Result<Plan, Refusal> + 'a>;

/// A number that describes how large a model is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Size {
    /// Its key in JSON.
    pub key: &'static str,
    /// The number.
    pub count: usize,
    /// The word for one, and for several; none where text leaves it out.
    pub noun: Option<(&'static str, &'static str)>,
}

impl Size {
    pub(crate) fn new(key: &'static str, count: usize, one: &'static str, many: &'static str) -> Self {
        Self { key, count, noun: Some((one, many)) }
    }

    pub(crate) fn unspoken(key: &'static str, count: usize) -> Self {
        Self { key, count, noun: None }
    }
}
