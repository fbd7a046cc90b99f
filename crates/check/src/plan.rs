//! How a question is answered: the engine, and its input in the form that this engine takes.
//!
//! Plans are made by the kinds of models ([`Checkable::planner`](crate::Checkable::planner)), and
//! only plans are carried out, so that no engine meets a question it does not take.

use crate::machine::MachinePlan;
use crate::processes::ProcessPlan;
use crate::symbolic::SymbolicPlan;
use crate::{EngineName, ModelKind};
use std::any::Any;
use std::sync::Arc;

/// How a question is answered.
#[derive(Clone, Debug)]
pub struct Plan(pub(crate) Work);

#[derive(Clone, Debug)]
pub(crate) enum Work {
    /// no engine supports this
    Unsupported(String),
    /// the model was not made; the engine that would have been asked
    Unmade(EngineName),
    Machine(Box<MachinePlan>),
    Symbolic(Box<SymbolicPlan>),
    Processes(Box<ProcessPlan>),
    /// by a kind of models outside of this crate, and the name of its engine
    Other(&'static str, Arc<dyn Any + Send + Sync>),
}

impl Plan {
    /// A question that uses something that no engine supports: it stays unknown.
    pub fn unsupported(what: impl Into<String>) -> Self {
        Self(Work::Unsupported(what.into()))
    }

    /// A question about a model that was not made, which this engine would have been asked.
    pub fn unmade(engine: EngineName) -> Self {
        Self(Work::Unmade(engine))
    }

    /// A plan of a kind of models outside of this crate, with the name of the engine.
    pub fn other(engine: &'static str, plan: Arc<dyn Any + Send + Sync>) -> Self {
        Self(Work::Other(engine, plan))
    }

    /// The plan of a kind of models outside of this crate, if it is one.
    pub fn as_other(&self) -> Option<&(dyn Any + Send + Sync)> {
        match &self.0 {
            Work::Other(_, plan) => Some(&**plan),
            _ => None,
        }
    }

    /// The engine that decides; `auto` if several do in turns, `none` if no engine supports it.
    pub fn engine(&self) -> &'static str {
        match &self.0 {
            Work::Unsupported(_) => "none",
            Work::Unmade(engine) => engine.name(),
            Work::Machine(plan) => plan.task.engine().name(),
            Work::Symbolic(plan) => plan.engine_name(),
            Work::Processes(plan) => plan.engine_name(),
            Work::Other(engine, _) => engine,
        }
    }

    /// Whether it was made for models of a kind.
    pub(crate) fn fits(&self, kind: Option<ModelKind>) -> bool {
        match &self.0 {
            Work::Unsupported(_) | Work::Unmade(_) => true,
            Work::Machine(_) => kind == Some(ModelKind::Machines),
            Work::Symbolic(_) => kind == Some(ModelKind::Systems),
            Work::Processes(_) => kind == Some(ModelKind::Processes),
            Work::Other(..) => kind.is_none(),
        }
    }
}
