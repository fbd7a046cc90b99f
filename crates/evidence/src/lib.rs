//! Evidence for verdicts: paths and lassos through the states of a model, invariants, and the
//! replay that re-checks them with code of its own.
//!
//! Evidence is about a model of any kind that implements [`StateSpace`]: the initial states, the
//! steps and the atoms that hold in a state. [`StateNames`] turns states into text and JSON. A
//! recursive state machine is such a model ([`MachineSpace`]), and most functions here have a short
//! form for it. [`replay_paths`] replays paths, [`replay_invariant`] replays invariants of a model
//! that is also [`Inductive`], [`replay_strategy`] and [`replay_process_run`] replay strategies and
//! runs of processes that run in parallel, and [`Certificate`] is evidence of any kind.
//!
//! The claim of a path ([`Path::shows`]) is one of these:
//!
//! | text | the path |
//! |---|---|
//! | a boolean combination of labels and claims | one state, with evidence for its claims |
//! | `E X p`, `E [ p U q ]` over state formulas | two states; states up to one with `q` |
//! | `E ρ`, any path formula of CTL* | an endless run: a loop, perhaps with a growing stack, or an exit to stay in |
//! | `reach TARGET` ([`Reach`]) | states up to the target; machines only, since targets are nodes |
//! | `automaton` ([`AUTOMATON`]) | an endless run for an automaton to accept; machines only, since letters are labels |
//!
//! This crate never depends on an engine.
//!
//! ```
//! use loris_evidence::{AtExit, read_json, replay};
//! # use loris_rsm::{Semantics, read_rsm_json};
//! # let model = r#"{"initial_component": "m", "components": [{"name": "m", "boxes": [], "transitions": [],
//! #     "nodes": [{"name": "n", "is_entry": true, "is_exit": true, "labels": ["p"]}]}]}"#;
//! # let (rsm, _) = read_rsm_json(model.as_bytes(), &Semantics::default()).unwrap();
//! let text = r#"{"shows": "E F p", "states": [{"stack": [], "node": "n"}], "loop": null, "because": []}"#;
//! let evidence = read_json(text, &rsm).unwrap();
//! assert!(replay(&rsm, &evidence[0].evidence, AtExit::Loop).is_ok());
//! ```

mod acceptance;
mod all_states;
mod bit_graph;
mod call_play;
mod call_strategy;
mod calls;
mod certificate;
mod circuit_states;
mod completions;
mod components;
mod diagrams;
mod evidence;
mod explore;
mod formulas;
mod functions;
mod global_states;
mod invariant;
mod judge;
mod machine;
mod machine_states;
mod names;
mod play;
mod process_run;
mod program;
mod proposition;
mod read;
mod read_states;
mod render;
mod replay;
mod replayed;
mod results;
mod run;
mod search;
mod shape;
mod space;
mod state_formula;
mod steps;
mod strategy;
mod successors;
mod system_states;
mod tableau;
mod unreadable;
mod unrolled;
mod values;
mod verdict;
mod word;
mod write;

pub use call_play::replay_call_strategy;
pub use call_strategy::{CallMove, CallStep, CallStrategy, ClaimedReturn};
pub use certificate::Certificate;
pub use circuit_states::CircuitStates;
pub use evidence::{Claim, Evidence, Loop, Path, PathId, State};
pub use global_states::{global_state, leaving};
pub use invariant::{Inductive, Invariant, ModelStep, StateSet, replay_invariant};
pub use machine::MachineSpace;
pub use names::{Frame, ListedSources, MachineNames, StateNames};
pub use play::{from_start, replay_strategy};
pub use process_run::{paths_of_processes, replay_process_run};
pub use program::ProgramSettings;
pub use proposition::{Gate, Proposition};
pub use read::NamedValue;
pub use render::SHOWN_STATES;
pub use replay::{
    covers_initial, has_initial_state, relates, relates_formula, relates_to_fair_runs, replay,
    replay_everywhere, replay_formula, replay_paths, replay_within,
};
pub use replayed::{ReplayError, Replayed, Unreplayed};
pub use results::{About, AskedProperty, Replayable, Results, Stated, read_json};
pub use run::{
    AUTOMATON, LabelledRun, Reach, Start, Target, replay_reach, replay_reach_within, replay_run,
    replay_run_within,
};
pub use space::{
    BitModel, BoxedNeighbourhood, Fairness, LoopRound, Neighbourhood, Reaching, StateSpace,
    explore_breadth_first,
};
pub use strategy::{Move, Strategy};
pub use system_states::SystemStates;
pub use unreadable::Unreadable;
pub use verdict::{AtExit, Paths, Reason, Verdict};
