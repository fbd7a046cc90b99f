//! The text of a file: words, grammar, and back to text.
//!
//! The grammar is that of NuSMV 2.6 with `CALL` and `EXIT`. Lexer and parser are written by hand
//! and not with combinators: all errors of a file are reported at once, each with a suggestion how
//! to fix it; constructs of NuSMV that are not supported are refused by name; and neither a long
//! chain nor deep nesting may use the stack of the machine.

pub mod ast;
mod collapse;
mod lexer;
mod operators;
mod parser;
mod printer;
mod psl;
mod psl_words;
mod spelling;
mod tokens;

pub(crate) use collapse::collapse;
pub use lexer::{Piece, pieces};
pub(crate) use parser::parse_file_within;
pub use parser::{Given, parse_computation, parse_file, parse_property};
pub use printer::{print_expr, write_expr, write_file};
pub use spelling::respelled;
pub use tokens::section_words;
