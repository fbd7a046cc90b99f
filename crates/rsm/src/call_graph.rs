//! The call graph: strongly connected groups of components, callees first.

use crate::ids::ComponentId;
use crate::model::Rsm;
use loris_base::{Csr, Idx, strong_components};

impl Rsm {
    /// The components that each component calls, a row each, once for every box.
    pub fn call_graph(&self) -> Csr {
        let mut graph = Csr::default();
        for component in self.components() {
            graph.push_row(self.boxes(component).map(|site| self.callee(site).index() as u32));
        }
        graph
    }

    /// Groups of components that call each other, a row each, callees before callers.
    pub fn call_groups(&self) -> Csr {
        strong_components(&self.call_graph())
    }

    /// All components, callees before callers; those that call each other stand together.
    pub fn call_order(&self) -> Vec<ComponentId> {
        let groups = self.call_groups();
        groups.pairs().map(|(_, component)| ComponentId::new(component as usize)).collect()
    }
}
