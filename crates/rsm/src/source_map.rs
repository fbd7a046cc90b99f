//! Where nodes and boxes come from: places in the sources of the program that was translated.
//!
//! Few models have places, so they are stored sparsely: one record of 16 bytes for each node or box
//! that has one, in ascending order of its number, found by binary search. File names are symbols.

use crate::name_table::NameTable;
use loris_base::Symbol;
use std::fmt;

/// A place in a source file. Lines and columns count from 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SourcePlace<'a> {
    /// The file, as the model names it.
    pub file: &'a str,
    /// The line.
    pub line: u32,
    /// The column, if it is known.
    pub column: Option<u32>,
}

impl fmt::Display for SourcePlace<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.file, self.line)?;
        self.column.map_or(Ok(()), |column| write!(f, ":{column}"))
    }
}

/// A place whose file is a symbol.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RawPlace {
    pub(crate) file: Symbol,
    pub(crate) line: u32,
    /// 0 if it is not known
    pub(crate) column: u32,
}

/// The places of some things, by their numbers.
#[derive(Clone, Debug, Default)]
pub(crate) struct Places(Vec<(u32, RawPlace)>);

impl Places {
    pub(crate) fn clear(&mut self) {
        self.0.clear();
    }

    pub(crate) fn shrink_to_fit(&mut self) {
        self.0.shrink_to_fit();
    }

    /// Adds the place of a thing whose number is no less than those before; one that comes again is
    /// replaced.
    pub(crate) fn push(&mut self, number: u32, place: RawPlace) {
        match self.0.last_mut() {
            Some(last) if last.0 == number => last.1 = place,
            _ => self.0.push((number, place)),
        }
    }

    /// Adds the places of things that are numbered from `first` on here.
    pub(crate) fn append(&mut self, other: &Places, first: u32) {
        self.0.extend(other.0.iter().map(|&(number, place)| (first + number, place)));
    }

    pub(crate) fn get<'n>(&self, number: u32, names: &'n NameTable) -> Option<SourcePlace<'n>> {
        let found = self.0.binary_search_by_key(&number, |&(number, _)| number).ok()?;
        let RawPlace { file, line, column } = self.0[found].1;
        Some(SourcePlace { file: &names[file], line, column: (column > 0).then_some(column) })
    }

    /// Bytes of these and this many more.
    pub(crate) fn bytes_ahead(&self, more: usize) -> usize {
        size_of::<(u32, RawPlace)>() * (self.0.len() + more)
    }
}

/// The places of nodes, numbered like their names, and of boxes.
#[derive(Clone, Debug, Default)]
pub(crate) struct SourceMap {
    pub(crate) nodes: Places,
    pub(crate) boxes: Places,
}

impl SourceMap {
    pub(crate) fn clear(&mut self) {
        self.nodes.clear();
        self.boxes.clear();
    }

    pub(crate) fn shrink_to_fit(&mut self) {
        self.nodes.shrink_to_fit();
        self.boxes.shrink_to_fit();
    }

    /// Bytes held, and those of this many more places of nodes and of boxes.
    pub(crate) fn bytes_ahead(&self, more: usize) -> usize {
        self.nodes.bytes_ahead(more) + self.boxes.bytes_ahead(more)
    }
}
