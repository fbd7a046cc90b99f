//! The text of class files: a variant of UTF-8 in which a zero takes two bytes and characters
//! beyond the basic plane are written as two surrogates of three bytes each (JVMS, section 4.4.7).

use std::borrow::Cow;

/// The text of these bytes. Bytes that are not text are shown as replacement characters: names that
/// nothing can refer to need no error of their own.
pub(crate) fn decode(bytes: &[u8]) -> Cow<'_, str> {
    if bytes.is_ascii() {
        return String::from_utf8_lossy(bytes);
    }
    let mut units: Vec<u16> = Vec::with_capacity(bytes.len());
    let mut rest = bytes;
    while let [first, after @ ..] = rest {
        let (unit, length) = match (*first, after) {
            (0..=0x7F, _) => (u16::from(*first), 1),
            (0xC0..=0xDF, [second, ..]) => (bits(*first, 5) << 6 | bits(*second, 6), 2),
            (0xE0..=0xEF, [second, third, ..]) => {
                (bits(*first, 4) << 12 | bits(*second, 6) << 6 | bits(*third, 6), 3)
            }
            _ => (0xFFFD, 1),
        };
        units.push(unit);
        rest = &rest[length..];
    }
    Cow::Owned(String::from_utf16_lossy(&units))
}

fn bits(byte: u8, count: u32) -> u16 {
    u16::from(byte & ((1 << count) - 1))
}

#[cfg(test)]
mod tests {
    use super::decode;

    #[test]
    fn text_of_class_files() {
        for (bytes, text) in [
            (&b"java/lang/Object"[..], "java/lang/Object"),
            (&[b'a', 0xC0, 0x80, b'b'], "a\0b"),
            (&[0xC3, 0xA9], "é"),
            (&[0xE2, 0x82, 0xAC], "€"),
            // U+1F600 as two surrogates
            (&[0xED, 0xA0, 0xBD, 0xED, 0xB8, 0x80], "😀"),
            (&[0xED, 0xA0, 0xBD], "\u{FFFD}"),
            (&[0xE2, 0x82], "\u{FFFD}\u{FFFD}"),
        ] {
            assert_eq!(decode(bytes), text);
        }
    }
}
