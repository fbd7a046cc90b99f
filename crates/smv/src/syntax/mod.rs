//! The text of a file: words, grammar, and back to text.

pub mod ast;
