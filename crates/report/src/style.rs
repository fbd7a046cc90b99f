//! Terminal colours. Everything here writes them; who prints to something else than a terminal
//! strips them (`anstream` does).

pub(crate) const BOLD: &str = "\x1b[1m";
pub(crate) const DIM: &str = "\x1b[2m";
pub(crate) const RED: &str = "\x1b[1;31m";
pub(crate) const GREEN: &str = "\x1b[1;32m";
pub(crate) const YELLOW: &str = "\x1b[1;33m";
pub(crate) const RESET: &str = "\x1b[0m";

/// The text without colours.
#[cfg(test)]
pub(crate) fn plain(text: &str) -> String {
    [BOLD, DIM, RED, GREEN, YELLOW, RESET].iter().fold(text.to_owned(), |text, code| text.replace(code, ""))
}
