//! The sections of an AIGER file, in their order.

use super::cursor::{Cursor, Line};
use super::{Draft, Header, Written, WrittenAnd, WrittenLatch};
use crate::circuit::Circuit;
use loris_base::{Budget, Diagnostic, Diagnostics, Stopped};

/// Reads an AIGER file, ASCII or binary.
///
/// ```
/// use loris_base::Budget;
/// let read = |text: &str| loris_circuit::read_aiger(text.as_bytes(), &mut Budget::unlimited());
/// let (circuit, _) = read("aag 1 0 1 0 0\n2 3\n").unwrap();
/// assert_eq!(circuit.latches.len(), 1);
/// assert!(read("aag 1 0 1 0 0\n2 5\n").is_err());
/// ```
pub fn read_aiger(bytes: &[u8], budget: &mut Budget) -> Result<(Circuit, Diagnostics), Stopped> {
    let mut cursor = Cursor::new(bytes);
    let draft = draft(&mut cursor, budget)?;
    match draft {
        Some(draft) if !cursor.problems.has_errors() => {
            super::assemble::circuit(&draft, cursor.problems, budget)
        }
        _ => Err(Stopped::Wrong(cursor.problems)),
    }
}

/// The file as it is written; `None` where it cannot be read to its end. Problems are in the
/// cursor.
fn draft<'t>(cursor: &mut Cursor<'t>, budget: &mut Budget) -> Result<Option<Draft<'t>>, Stopped> {
    let Some(header) = header(cursor) else { return Ok(None) };
    let mut draft = Draft { header, ..Draft::default() };
    // a line of a section takes two bytes at least, a gate of the binary format as well: a header
    // that claims more is wrong, and nothing is reserved for the excess
    budget.spend(cursor.rest())?;
    if header.is_binary {
        // its inputs alone take no byte of the file
        budget.charge(header.inputs as usize * 100)?;
    }
    let Some(()) = sections(cursor, &mut draft) else { return Ok(None) };
    budget.charge(draft.ands.capacity() * size_of::<WrittenAnd>())?;
    symbols(cursor, &mut draft);
    Ok(Some(draft))
}

fn header(cursor: &mut Cursor<'_>) -> Option<Header> {
    let line = cursor.line();
    let text = line.map_or(&b""[..], |line| line.text);
    let is_binary = text.starts_with(b"aig ");
    let Some(line) = line.filter(|_| is_binary || text.starts_with(b"aag ")) else {
        cursor.problem(
            0,
            text.len().clamp(1, 40),
            "an AIGER file starts with \"aag\" or \"aig\" and its counts",
        );
        return None;
    };
    let counts = Line { text: &line.text[4..], offset: line.offset + 4 };
    let counts = cursor.numbers(counts, (5, 9), "the header")?;
    let count = |at: usize| counts.get(at).map_or(0, |count| count.code);
    let header = Header {
        is_binary,
        max_var: count(0),
        inputs: count(1),
        latches: count(2),
        outputs: count(3),
        ands: count(4),
        bad: count(5),
        constraints: count(6),
        justice: count(7),
        fairness: count(8),
    };
    let defined = u64::from(header.inputs) + u64::from(header.latches) + u64::from(header.ands);
    let most = u64::from(header.max_var);
    if defined > most || is_binary && defined < most {
        let relation = if is_binary { "" } else { " at least" };
        let message =
            format!("the largest variable is{relation} the sum of inputs, latches and gates: {defined}");
        cursor.problem(counts[0].offset as usize, counts[0].code.to_string().len(), message);
        return None;
    }
    if most > u64::from(u32::MAX / 2 - 1) {
        cursor.problem(counts[0].offset as usize, 1, "this many variables cannot be numbered");
        return None;
    }
    Some(header)
}

/// All that comes before the symbols.
fn sections(cursor: &mut Cursor<'_>, draft: &mut Draft<'_>) -> Option<()> {
    let header = draft.header;
    if header.is_binary {
        draft.inputs = (1..=header.inputs).map(|var| Written { code: 2 * var, offset: 0 }).collect();
    } else {
        draft.inputs = section(cursor, header.inputs, "an input")?;
    }
    for at in 0..header.latches {
        let line = next(cursor, "a latch", header.latches - at)?;
        let implied = Written { code: 2 * (header.inputs + at + 1), offset: line.offset as u64 };
        let latch = if header.is_binary {
            let numbers = cursor.numbers(line, (1, 2), "a latch");
            numbers.map(|numbers| WrittenLatch {
                state: implied,
                next: numbers[0],
                reset: numbers.get(1).copied(),
            })
        } else {
            let numbers = cursor.numbers(line, (2, 3), "a latch");
            numbers.map(|numbers| WrittenLatch {
                state: numbers[0],
                next: numbers[1],
                reset: numbers.get(2).copied(),
            })
        };
        draft.latches.extend(latch);
    }
    draft.outputs = section(cursor, header.outputs, "an output")?;
    draft.bad = section(cursor, header.bad, "a bad-state property")?;
    draft.constraints = section(cursor, header.constraints, "a constraint")?;
    let sizes = section(cursor, header.justice, "the size of a justice property")?;
    for size in sizes {
        draft.justice.push(section(cursor, size.code, "a part of a justice property")?);
    }
    draft.fairness = section(cursor, header.fairness, "a fairness constraint")?;
    if header.is_binary { binary_ands(cursor, draft) } else { ascii_ands(cursor, draft) }
}

/// Lines of one literal each.
fn section(cursor: &mut Cursor<'_>, count: u32, what: &str) -> Option<Vec<Written>> {
    let mut literals = Vec::new();
    for at in 0..count {
        let line = next(cursor, what, count - at)?;
        literals.extend(cursor.numbers(line, (1, 1), what).map(|numbers| numbers[0]));
    }
    Some(literals)
}

/// The next line, or the problem that there is none.
fn next<'t>(cursor: &mut Cursor<'t>, what: &str, missing: u32) -> Option<Line<'t>> {
    let line = cursor.line();
    if line.is_none() {
        let at = cursor.at;
        cursor.problem(
            at,
            1,
            format!("the file ends where {what} is expected, {missing} lines before the section does"),
        );
    }
    line
}

fn ascii_ands(cursor: &mut Cursor<'_>, draft: &mut Draft<'_>) -> Option<()> {
    for at in 0..draft.header.ands {
        let line = next(cursor, "a gate", draft.header.ands - at)?;
        if let Some(numbers) = cursor.numbers(line, (3, 3), "a gate") {
            draft.ands.push(WrittenAnd { left: numbers[0], operands: [numbers[1].code, numbers[2].code] });
        }
    }
    Some(())
}

fn binary_ands(cursor: &mut Cursor<'_>, draft: &mut Draft<'_>) -> Option<()> {
    for at in 0..draft.header.ands {
        let offset = cursor.at;
        let left = 2 * (draft.header.inputs + draft.header.latches + at + 1);
        let operands = cursor.delta().zip(cursor.delta());
        let operands = operands.and_then(|(first, second)| {
            let first = left.checked_sub(first).filter(|&first| first < left)?;
            Some([first, first.checked_sub(second)?])
        });
        let Some(operands) = operands else {
            let ends = if cursor.rest() == 0 { "; the file ends here" } else { "" };
            let gate = at + 1;
            let message =
                format!("byte {offset}: gate {gate} of {} has no valid operands{ends}", draft.header.ands);
            // there are no lines here to show
            cursor.problems.push(Diagnostic::global(message));
            return None;
        };
        draft.ands.push(WrittenAnd { left: Written { code: left, offset: offset as u64 }, operands });
    }
    Some(())
}

/// The symbols, up to the comments.
fn symbols<'t>(cursor: &mut Cursor<'t>, draft: &mut Draft<'t>) {
    let header = draft.header;
    let mut seen = rustc_hash::FxHashSet::default();
    while let Some(line) = cursor.line() {
        if line.text == b"c" {
            return;
        }
        let counts = [
            (b'i', header.inputs),
            (b'l', header.latches),
            (b'o', header.outputs),
            (b'b', header.bad),
            (b'c', header.constraints),
            (b'j', header.justice),
            (b'f', header.fairness),
        ];
        let kind = line.text.first().and_then(|first| counts.iter().find(|(kind, _)| kind == first));
        let space = line.text.iter().position(|&byte| byte == b' ');
        let length = line.text.len().max(1);
        let (Some(&(kind, count)), Some(space)) = (kind, space) else {
            cursor.problem(
                line.offset,
                length,
                "a symbol is a kind with a number and a name, as in `l3 busy`",
            );
            continue;
        };
        let index = std::str::from_utf8(&line.text[1..space])
            .ok()
            .filter(|text| text.bytes().all(|b| b.is_ascii_digit()));
        let Some(index) = index.and_then(|text| text.parse::<u32>().ok()).filter(|&index| index < count)
        else {
            let message = format!("there is no `{}`", line.text[..space].escape_ascii());
            cursor.problem(line.offset, space, message);
            continue;
        };
        let Ok(name) = std::str::from_utf8(&line.text[space + 1..]) else {
            cursor.problem(line.offset + space + 1, length - space - 1, "the name is not UTF-8");
            continue;
        };
        if !seen.insert((kind, index)) {
            cursor.problem(line.offset, length, format!("`{}{index}` has a name already", kind as char));
        } else if !name.is_empty() {
            draft.symbols.push((kind, index, name));
        }
    }
}
