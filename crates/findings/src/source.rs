//! The text of source files.

/// The text of a file, whole or in excerpts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SourceText {
    /// The file, as locations name it.
    pub path: String,
    /// The lines that are kept, in their order.
    pub excerpts: Vec<Excerpt>,
    /// How many lines the file has.
    pub lines: usize,
}

/// Successive lines of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Excerpt {
    /// The number of the first line, from 1.
    pub first: usize,
    /// The lines.
    pub lines: Vec<String>,
}
