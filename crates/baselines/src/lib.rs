//! Published algorithms for CTL and CTL* on recursive state machines, kept for comparison: they
//! agree with the engines of `loris-recursive` on every verdict, and take fewer machines.
//!
//! | engine | method | source |
//! |---|---|---|
//! | [`cont`] | contexts over a decomposed formula, machines of one exit; CTL* | rsm-analysis, section 5 |
//! | [`Rks::Eager`] | every context that occurs, for single entries and exits | recursive-kripke, chapter 3 |
//! | [`Rks::Incremental`] | only contexts that the initial state needs | recursive-kripke, chapter 4 |
//! | [`Rks::Summary`] | copies in which formulas are labels | recursive-kripke, appendix A |
//!
//! ```
//! use loris_base::Budget;
//! use loris_baselines::{Rks, rks};
//! use loris_logic::{Core, parse};
//! use loris_recursive::{Property, EngineSettings};
//! # use loris_rsm::{Semantics, read_rsm_json};
//! # let model = r#"{"initial_component": "m", "components": [{"name": "m", "boxes": [], "transitions": [],
//! #     "nodes": [{"name": "n", "is_entry": true, "is_exit": true, "labels": ["p"]}]}]}"#;
//! # let (rsm, _) = read_rsm_json(model.as_bytes(), &Semantics::default()).unwrap();
//! let formula = Core::new(&parse("A G p").unwrap()).unwrap();
//! let property = Property { formula: &formula, atoms: vec![rsm.label("p")] };
//! assert_eq!(rks::unfit(&rsm), None);
//! let outcome = rks::check(Rks::Eager, &rsm, &property, &EngineSettings::default(), &mut Budget::unlimited());
//! assert!(outcome.unwrap().holds);
//! ```

pub mod cont;
pub mod rks;

pub use rks::Rks;
