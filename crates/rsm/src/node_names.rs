//! Names of nodes: listed by a file, or computed by a front end on demand.

use crate::ids::ComponentId;
use crate::name_table::NameTable;
use crate::source_map::SourcePlace;
use loris_base::Symbol;
use std::borrow::Cow;
use std::fmt;
use std::sync::Arc;

/// Names that are not kept but made, for machines of millions of states.
pub trait NodeNaming: fmt::Debug + Send + Sync {
    /// The name of a node, counted within its component.
    fn name(&self, component: ComponentId, node: usize) -> String;

    /// The values of the node's variables, if it has any.
    fn values(&self, component: ComponentId, node: usize) -> Vec<(&str, String)>;

    /// The place of a node in a source file, if it has one.
    fn place(&self, _component: ComponentId, _node: usize) -> Option<SourcePlace<'_>> {
        None
    }

    /// The node of this name.
    fn find(&self, component: ComponentId, name: &str) -> Option<usize>;

    /// Bytes held.
    fn bytes(&self) -> usize;
}

#[derive(Clone, Debug)]
pub(crate) enum NodeNames {
    /// component by component
    Listed(Arc<Vec<Symbol>>),
    Computed(Arc<dyn NodeNaming>),
}

impl NodeNames {
    /// The name of a node of a component whose names start at `first`.
    pub(crate) fn name<'a>(
        &self,
        table: &'a NameTable,
        component: ComponentId,
        first: u32,
        node: u32,
    ) -> Cow<'a, str> {
        match self {
            NodeNames::Listed(names) => Cow::Borrowed(&table[names[(first + node) as usize]]),
            NodeNames::Computed(names) => Cow::Owned(names.name(component, node as usize)),
        }
    }

    pub(crate) fn bytes(&self) -> usize {
        match self {
            NodeNames::Listed(names) => 4 * names.capacity(),
            NodeNames::Computed(names) => names.bytes(),
        }
    }
}
