//! How a question is answered: the engine, and its input in the form that this engine takes.
//!
//! Plans are made by the kinds of models ([`Checkable::planner`](crate::Checkable::planner)), and
//! only plans are carried out, so that no engine meets a question it does not take. What a plan
//! holds is known to its kind alone.

use crate::{EngineName, ModelKind};
use std::any::Any;
use std::sync::Arc;

/// How a question is answered.
#[derive(Clone, Debug)]
pub struct Plan {
    engine: &'static str,
    /// the kind of models it was made for, where it was made for one of the table of engines
    kind: Option<ModelKind>,
    pub(crate) work: Work,
}

#[derive(Clone, Debug)]
pub(crate) enum Work {
    /// no engine supports this
    Unsupported(String),
    /// the model was not made
    Unmade,
    /// as the kind of models carries it out
    Planned(Arc<dyn Any + Send + Sync>),
}

impl Plan {
    /// What an engine does for a kind of models, as that kind carries it out; none is a kind that
    /// is defined outside of this crate.
    pub fn new(kind: Option<ModelKind>, engine: &'static str, work: impl Any + Send + Sync) -> Self {
        Self { engine, kind, work: Work::Planned(Arc::new(work)) }
    }

    /// A question that uses something that no engine supports: it stays unknown.
    pub fn unsupported(what: impl Into<String>) -> Self {
        Self { engine: "none", kind: None, work: Work::Unsupported(what.into()) }
    }

    /// A question about a model that was not made, which this engine would have been asked.
    pub fn unmade(engine: EngineName) -> Self {
        Self { engine: engine.name(), kind: None, work: Work::Unmade }
    }

    /// What is to be done, if it was planned by the kind that calls it so.
    pub fn work<T: Any>(&self) -> Option<&T> {
        match &self.work {
            Work::Planned(work) => work.downcast_ref(),
            Work::Unsupported(_) | Work::Unmade => None,
        }
    }

    /// The engine that decides; `auto` if several do in turns, `none` if no engine supports it.
    pub fn engine(&self) -> &'static str {
        self.engine
    }

    /// Whether it was made for models of a kind.
    pub(crate) fn fits(&self, kind: Option<ModelKind>) -> bool {
        match &self.work {
            Work::Unsupported(_) | Work::Unmade => true,
            Work::Planned(_) => self.kind == kind,
        }
    }
}
