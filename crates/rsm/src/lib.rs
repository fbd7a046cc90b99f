//! Recursive state machines: the model, its builder and validation, its file formats.
//!
//! A machine is a set of components; a component has nodes, and boxes that call components
//! (`docs/semantics.md`). [`Rsm`] is immutable; [`RsmBuilder`] makes one from [`Draft`]s and
//! reports everything that is wrong with them. Papers are cited by the short names of
//! `docs/engines.md`, "Sources".
//!
//! ```
//! use loris_rsm::{Recovery, Semantics, read_pds};
//! let pds = read_pds("(q <main>)\nq <main> --> q <work main>\nq <work> --> q <>\n").unwrap();
//! let (rsm, _) = pds.to_rsm(&Semantics::default(), &Recovery::default()).unwrap();
//! assert_eq!((rsm.component_count(), rsm.box_count()), (2, 1));
//! ```

mod account;
mod assemble;
mod builder;
mod call_graph;
mod dot;
mod draft;
mod freeze;
pub mod generate;
mod ids;
mod json;
mod label_rows;
mod labelling;
mod model;
mod name_table;
mod node_names;
mod pds;
mod resolve;
mod source_map;
mod stats;
mod times;
mod totality;
mod vertices;

pub use assemble::{ComponentGraph, PartBox, PartLabel};
pub use builder::{DeadEnds, EmptyCalls, RsmBuilder, Semantics};
pub use dot::write_dot;
pub use draft::{Draft, DraftNode, Reference};
pub use ids::{BoxId, ComponentId, LabelId, Vertex};
pub use json::{ReadError, read_rsm_json, read_rsm_json_within, write_rsm_json};
pub use labelling::{NodeSet, Nodes};
pub use model::{Rsm, VertexKind};
pub use node_names::NodeNaming;
pub use pds::{
    CarriedProperty, Configuration, Control, HeadLabel, Pds, PdsRule, Recovery, Rules, StackSymbol,
    StackWord, read_pdmu, read_pdmu_from, read_pdmu_within, read_pds, read_pds_from, read_pds_within,
    write_pds,
};
pub use source_map::SourcePlace;
pub use stats::Stats;
pub use totality::{DEAD_END, DEAD_ENDS, NO_EDGE};
