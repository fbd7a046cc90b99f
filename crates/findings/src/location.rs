//! Places in sources and in models.

use std::sync::Arc;

/// A place in a source file, in the model, or both.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Location {
    /// The file, relative to the root of the sources or absolute.
    pub file: Option<Arc<str>>,
    /// The line, from 1.
    pub line: Option<u32>,
    /// The column in characters, from 1.
    pub column: Option<u32>,
    /// The part of the program or the model.
    pub logical: Option<Logical>,
}

impl Location {
    /// A line of a file.
    pub fn line(file: impl Into<Arc<str>>, line: u32) -> Self {
        Self { file: Some(file.into()), line: Some(line), ..Self::default() }
    }

    /// A whole file.
    pub fn file(file: impl Into<Arc<str>>) -> Self {
        Self { file: Some(file.into()), ..Self::default() }
    }

    /// A part of the model, for models without source files.
    pub fn part(name: impl Into<Arc<str>>, kind: &'static str) -> Self {
        Self { logical: Some(Logical { name: name.into(), kind }), ..Self::default() }
    }

    /// The same place, in a part of the program or the model.
    #[must_use]
    pub fn within(self, name: impl Into<Arc<str>>, kind: &'static str) -> Self {
        Self { logical: Some(Logical { name: name.into(), kind }), ..self }
    }

    /// The same place, at a column.
    #[must_use]
    pub fn column(self, column: Option<u32>) -> Self {
        Self { column, ..self }
    }
}

/// A part of a program or a model.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Logical {
    /// Its full name: `com.acme.Main.main(String[])`, `main/start`.
    pub name: Arc<str>,
    /// Its kind in the words of SARIF: `function`, `module`, `type`, `variable`, `element`.
    pub kind: &'static str,
}
