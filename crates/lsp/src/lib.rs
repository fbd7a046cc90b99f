//! A language server: diagnostics, hover, definitions, completion, symbols and checks of properties
//! for SMV files, pushdown systems, recursive state machines, property files and rules files.
//!
//! [`serve`] speaks JSON-RPC with the framing of the Language Server Protocol over any pair of
//! streams. One thread reads messages (`frame`), one owns all documents and writes all answers
//! (`server`), one analyses texts (`analysis`), and each check of a property has a thread of
//! its own (`verdict`). Answers about names come from an `outline`, which is made of any text,
//! however wrong; diagnostics and verdicts come from `loris-load` and `loris-check`, so that they
//! are those of the command line.

mod analysis;
mod checks;
mod document;
mod facts;
mod features;
mod frame;
mod java;
mod outline;
mod position;
mod rpc;
mod server;
mod store;
mod uri;
mod verdict;

pub use server::{Settings, serve};
