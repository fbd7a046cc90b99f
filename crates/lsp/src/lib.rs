//! A language server: diagnostics, hover, definitions, completion, symbols and checks of properties
//! for SMV files, pushdown systems, recursive state machines, property files and rules files.
//!
//! [`serve`] speaks JSON-RPC with the framing of the Language Server Protocol over any pair of
//! streams. One thread reads messages (`frame`), one owns all documents and writes all answers
//! (`server`), one analyses texts (`analysis`), and each check of a property has a thread of
//! its own (`verdict`). Answers about names come from an `outline`, which is made of any text,
//! however wrong; diagnostics and verdicts come from `loris-load` and `loris-check`, so that they
//! are those of the command line.
//!
//! ```
//! use loris_lsp::{Settings, serve};
//! use std::io::Cursor;
//! let message = r#"{"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {"capabilities": {}}}"#;
//! let input = Cursor::new(format!("Content-Length: {}\r\n\r\n{message}", message.len()));
//! let mut output = Vec::new();
//! let left_properly = serve(input, &mut output, Settings::default()).unwrap();
//! assert!(!left_properly, "the client did not say good-bye");
//! assert!(String::from_utf8(output).unwrap().contains("hoverProvider"));
//! ```

mod analysis;
mod checks;
mod document;
mod event;
mod facts;
mod features;
mod frame;
mod java;
mod kind;
mod outline;
mod phrasing;
mod position;
mod rpc;
mod server;
mod store;
mod uri;
mod verdict;

pub use server::{Settings, serve};
