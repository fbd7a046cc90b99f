//! Problems of TOML files, at their places.

use loris_base::Diagnostic;

/// The problem that makes a text not TOML, or not a table of the expected shape.
pub fn toml_problem(error: &toml::de::Error) -> Diagnostic {
    let message = error.message().replace('\n', "; ");
    match error.span() {
        Some(span) => at(&span, message),
        None => Diagnostic::global(message),
    }
}

/// A problem at a place.
pub(crate) fn at(place: &std::ops::Range<usize>, message: impl Into<String>) -> Diagnostic {
    Diagnostic::error(place.start as u64, place.len(), message)
}
