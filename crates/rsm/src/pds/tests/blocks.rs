//! Blocks of any length give the same system or the same problems.

use crate::generate::LargePds;
use crate::json::ReadError;
use crate::pds::read::read_in_blocks;
use loris_base::{Budget, Exhausted, Rng};
use proptest::prelude::{ProptestConfig, prop, proptest};
use std::io::Read;

/// The result of reading a text, and the bytes that stay declared for it.
fn seen(text: &[u8], length: usize, budget: Budget) -> (String, usize) {
    let mut budget = budget;
    match read_in_blocks(text, length, &mut budget) {
        Ok(pds) => (format!("{pds:?}"), budget.used()),
        Err(ReadError::Invalid(problems)) => (format!("{problems:?}"), 0),
        Err(ReadError::Exhausted(why)) => (why.to_string(), 0),
        Err(ReadError::Io(error)) => panic!("reading memory failed: {error}"),
    }
}

fn check(text: &[u8]) {
    let expected = seen(text, 1 << 20, Budget::unlimited()).0;
    for length in [1, 2, 3, 5, 16, 40, 100, 1000] {
        let found = seen(text, length, Budget::unlimited()).0;
        assert_eq!(found, expected, "blocks of {length}\n{}", text.escape_ascii());
    }
}

const SMALL: &str = "\u{feff}# property ctl: A G p\r\n(q <main #>)\n ATOMS p q, <main>, (q <f>)\n\
    q <main> --> q <f next>\n\tq <next>-->q<main>\nq <f> --> q <>\nr <f> --> q <f f g h>\r\n\
    q <a_name_of_sixteen> --> q <a_longer_name_than_sixteen_bytes another_longer_name_than_16>\n\
    q <a_longer_name_thaN_sixteen_bytes> --> control_of_17_byte <a_name_of_sixteen>\r# note\n\
    q <another_longer_name_than_16> --> q <eightby1 eightby2>\nq <eightby1> --> q <\u{e4}\u{f6}>\n\n\
    # loris initial (r <next>)\nq <g> --> q <h>\nq <h> --> q <g>";

#[test]
fn small_texts() {
    check(SMALL.as_bytes());
    check(b"");
    check(b"\n\n");
    check(b"q <a> --> q <b>\0\n(q <a>)\nq <b> --> q <\0>");
    check(b"(q <a>)\nq <a> --> q < b>\nq <a> --> q <b >\n <a> --> q <>\nq <> --> q <>\nq <a> --> <>\n");
    check(b"(q <a>)\nq <a> --> q <b> # no comment\nq <b> -> q <>\nq <a> --> q <b>x\n#q <c> --> q <>");
    check(b"(q <a>)\nq <a> --> q <a>\n(q <b>)\nATOMS\nATOMS p\nATOMS p <x>, y\n");
    // the first initial configuration is reported by its line
    check(b"\n\n# x\nq <a> --> q <a>\n\n(q <a>)\nq <a> --> q <a>\n(q <a>)");
}

#[test]
fn what_is_not_utf8() {
    check(b"(q <a>)\nq <a> --> q <\xff>\nq <a> --> q\nq <b> --> \xc3 <>\n");
    check(b"\xff\xfe(\0q\0\n\0q\0");
    check(b"(q <a>)\n\xff\xfe");
}

#[test]
fn large_texts() {
    for (exits, calls) in [(1, 0.15), (3, 0.4)] {
        let mut text = Vec::new();
        LargePds { exits, calls, ..LargePds::with_rules(3000) }.write(&mut Rng::new(5), &mut text).unwrap();
        let expected = seen(&text, 1 << 20, Budget::unlimited());
        for length in [100, 1 << 10, 1 << 12] {
            let found = seen(&text, length, Budget::unlimited());
            assert!(found == expected, "blocks of {length}");
        }
    }
}

#[test]
fn limits_hold() {
    let mut text = Vec::new();
    LargePds::with_rules(2000).write(&mut Rng::new(5), &mut text).unwrap();
    let mut whole = Budget::unlimited();
    let pds = read_in_blocks(&text[..], 256, &mut whole).unwrap();
    let within = |bytes| seen(&text, 256, Budget::new(None, Some(bytes)));
    for part in 0..32 {
        assert_eq!(within(whole.peak() / 32 * part).0, Exhausted::Memory.to_string(), "{part}");
    }
    assert!(within(whole.peak()) == (format!("{pds:?}"), whole.used()));
    let late = Budget::new(Some(std::time::Duration::ZERO), None);
    assert_eq!(seen(&text, 256, late).0, Exhausted::Time.to_string());
}

#[test]
fn failures_of_the_input_are_passed_on() {
    struct Broken;
    impl Read for Broken {
        fn read(&mut self, _: &mut [u8]) -> std::io::Result<usize> {
            Err(std::io::Error::other("unplugged"))
        }
    }
    let read = read_in_blocks(SMALL.as_bytes().chain(Broken), 16, &mut Budget::unlimited());
    assert!(matches!(read, Err(ReadError::Io(error)) if error.to_string() == "unplugged"));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    /// Bytes overwritten, removed and doubled.
    #[test]
    fn mutations_are_read_alike(
        changes in prop::collection::vec((0..SMALL.len(), 0u8..3, 0usize..40, prop::num::u8::ANY), 1..6),
    ) {
        let mut text = SMALL.as_bytes().to_vec();
        for (at, change, other, byte) in changes {
            let at = at % text.len();
            match change {
                0 => text[at] = if byte < 200 { b"<>(),; \t\r\n-#q_a\0"[other % 16] } else { byte },
                1 => { text.drain(at..(at + other).min(text.len() - 1).max(at)); }
                _ => text.insert(at, text[(at + other) % text.len()]),
            }
        }
        check(&text);
    }
}
