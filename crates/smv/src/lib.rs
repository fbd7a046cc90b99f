//! The SMV language with `CALL` and `EXIT`: modules as people write them for NuSMV, and modules
//! that call each other (recursive-kripke, chapter 5).
//!
//! The stages of a file: [`syntax`] parses it, [`read_smv`] resolves it ([`ir`]) and finds all
//! problems that do not depend on states, [`build`] makes the states and a machine of them,
//! [`fn@encode`] a Boolean transition system without listing states. The other way, [`mod@write`]
//! makes a file of a machine, and [`generate`] makes files for benchmarks.
//!
//! ```
//! use loris_base::Budget;
//! use loris_smv::{Labels, Limits, build, read_smv};
//! let text = "MODULE main VAR x : 0..2; ASSIGN init(x) := 0; next(x) := (x + 1) mod 3; SPEC AG EF x = 0";
//! let (smv, _warnings) = read_smv(text).unwrap();
//! let program = smv.program();
//! let properties: Vec<_> = program.properties.iter().collect();
//! let built = build(program, &properties, Labels::All, &Limits::default(), &mut Budget::unlimited()).unwrap();
//! assert_eq!((built.rsm.node_count(), built.rsm.edge_count()), (3, 3));
//! ```

mod encode;
pub mod generate;
pub mod ir;
mod resolve;
mod states;
pub mod syntax;
pub mod write;

pub use encode::{Encoded, FaultCause, Moment, StateLayout, Trouble, encode};
pub use resolve::{Smv, read_smv, read_smv_within};
pub use states::{Built, Labels, Limits, Stopped, build};
