//! Finite symbolic models: circuits as AIGER files describe them, and the Boolean transition
//! systems that the symbolic engines check.
//!
//! | type | what |
//! |---|---|
//! | [`Aig`], [`Lit`] | functions of Boolean variables as two-input gates and inverters, shared |
//! | [`Circuit`] | an AIGER file: inputs, latches, outputs, properties, constraints, symbols |
//! | [`TransitionSystem`] | state variables with next-state functions, choices, fairness |
//!
//! A state of a [`TransitionSystem`] is a valuation of its state variables. Its successors are the
//! values of the next-state functions under all choices that satisfy the constraints. SMV models
//! become systems, too: a relation is a choice of the next value, and the relation a constraint.
//!
//! ```
//! use loris_base::Budget;
//! use loris_circuit::{TransitionSystem, read_aiger};
//! // a latch that toggles while its input is set
//! let text = "aag 5 1 1 1 3\n2\n4 10\n4\n6 2 5\n8 3 4\n10 7 9\ni0 enable\nl0 bit\n";
//! let (circuit, _) = read_aiger(text.as_bytes(), &mut Budget::unlimited()).unwrap();
//! let bit = circuit.atom("bit").unwrap();
//! let system = TransitionSystem::of_circuit(&circuit, &[bit]);
//! assert_eq!((system.states.len(), system.choices.len()), (1, 1));
//! ```

mod aig;
mod aiger;
mod circuit;
mod cone;
mod export;
mod influence;
mod lit;
mod simulator;
mod system;
mod trace;
mod valuation;

pub use aig::{Aig, Gate};
pub use aiger::{Stimulus, WitnessStatus, read_aiger, write_aiger_ascii, write_aiger_binary, write_witness};
pub use circuit::{Circuit, Latch, Port, Reset};
pub use cone::Cone;
pub use export::Ports;
pub use influence::Influence;
pub use lit::{Lit, Var};
pub use simulator::{Unconfirmed, confirm_witness};
pub use system::{Observed, StateVar, TransitionSystem};
pub use trace::{RunStep, SystemRun};
pub use valuation::{StatePart, Valuation};
