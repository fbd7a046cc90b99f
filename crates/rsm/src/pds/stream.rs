//! A text that is read part by part: a part ends with a line, and is no longer than it must be.

use crate::json::ReadError;
use loris_base::{Budget, Diagnostic, Diagnostics, Exhausted};
use std::io::{ErrorKind, Read};

/// Takes a text part by part.
pub(super) trait Parts {
    /// Takes whole lines, which start at `base`.
    ///
    /// # Errors
    /// That the budget is used up.
    fn part(&mut self, text: &str, base: usize, budget: &mut Budget) -> Result<(), Exhausted>;
}

/// Reads a source to its end, with a buffer of this size that grows with the longest line. All that
/// is not UTF-8 is an error.
pub(super) fn read_parts(
    mut source: impl Read,
    size: usize,
    parts: &mut impl Parts,
    budget: &mut Budget,
) -> Result<(), ReadError> {
    let mut held = 0;
    let (mut base, mut filled) = (0, 0);
    let mut buffer = vec![0; size];
    let mut foreign = Diagnostics::default();
    loop {
        let count = match source.read(&mut buffer[filled..]) {
            Ok(count) => count,
            Err(error) if error.kind() == ErrorKind::Interrupted => continue,
            Err(error) => return Err(error.into()),
        };
        let end = buffer[filled..filled + count].iter().rposition(|&byte| byte == b'\n');
        let end = match end {
            Some(end) => filled + end + 1,
            None if count == 0 => filled,
            None => 0,
        };
        filled += count;
        if end > 0 {
            match std::str::from_utf8(&buffer[..end]) {
                // after a read error, missing text is not a problem of its own
                Ok(text) if foreign.is_empty() => parts.part(text, base, budget)?,
                Ok(_) => {}
                Err(_) if base == 0 && is_utf16(&buffer) => {
                    let problem = Diagnostic::error(0, 1, "this text is in UTF-16");
                    return Err(ReadError::Invalid(problem.help("save it as UTF-8").into()));
                }
                Err(_) => not_utf8(&buffer[..end], base, &mut foreign),
            }
            buffer.copy_within(end..filled, 0);
            (base, filled) = (base + end, filled - end);
        }
        if count == 0 {
            budget.release(held);
            return if foreign.is_empty() { Ok(()) } else { Err(ReadError::Invalid(foreign)) };
        }
        if filled == buffer.len() {
            // the line is longer
            budget.grow(&mut held, 2 * buffer.len())?;
            buffer.resize(2 * buffer.len(), 0);
        }
    }
}

fn is_utf16(text: &[u8]) -> bool {
    text.starts_with(b"\xff\xfe") || text.starts_with(b"\xfe\xff")
}

/// Reports every line that is not UTF-8.
#[cold]
fn not_utf8(bytes: &[u8], base: usize, problems: &mut Diagnostics) {
    let mut start = base;
    for line in bytes.split_inclusive(|&byte| byte == b'\n') {
        if let Err(error) = std::str::from_utf8(line) {
            let place = start + error.valid_up_to();
            let length = error.error_len().unwrap_or(1);
            problems.push(Diagnostic::error(place as u64, length, "this is not UTF-8"));
        }
        start += line.len();
    }
}

#[cfg(test)]
mod tests {
    use super::{Parts, read_parts};
    use crate::json::ReadError;
    use loris_base::{Budget, Exhausted};

    #[derive(Default)]
    struct Kept(Vec<(usize, String)>);

    impl Parts for Kept {
        fn part(&mut self, text: &str, base: usize, _: &mut Budget) -> Result<(), Exhausted> {
            self.0.push((base, text.to_owned()));
            Ok(())
        }
    }

    /// The parts are the text, each of whole lines, whatever the size of the buffer; or bytes that
    /// are not UTF-8 are found.
    fn check(text: &[u8], wrong: &[u64]) {
        for size in 1..20 {
            let mut kept = Kept::default();
            match read_parts(text, size, &mut kept, &mut Budget::unlimited()) {
                Ok(()) => {
                    assert_eq!(wrong, [0u64; 0]);
                    let mut at = 0;
                    for (base, part) in &kept.0 {
                        assert_eq!(*base, at);
                        at += part.len();
                        assert!(part.ends_with('\n') || at == text.len(), "{part:?}");
                    }
                    assert_eq!(
                        kept.0.iter().map(|(_, part)| part.as_str()).collect::<String>().as_bytes(),
                        text
                    );
                }
                Err(ReadError::Invalid(problems)) => {
                    let places: Vec<_> =
                        problems.sorted().iter().filter_map(|problem| problem.offset).collect();
                    assert_eq!(places, wrong, "{size}");
                }
                Err(error) => panic!("{error}"),
            }
        }
    }

    #[test]
    fn parts_are_whole_lines() {
        check(b"", &[]);
        check(b"a", &[]);
        check("a\n\nb\r\nsome \u{e4} longer line\n\u{feff}last".as_bytes(), &[]);
        check(b"a\n\xff\nb\n", &[2]);
        check(b"\xc3\xa4\xff\r\np\0\nx \xc3", &[2, 10]);
        check(b"\xff\xfea\0\n\0b\xff\n", &[0]);
    }
}
