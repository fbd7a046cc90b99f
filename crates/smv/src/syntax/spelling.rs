//! Operators as they are spelled elsewhere: `[]p`, `<>p`, `ag p`.

/// A property with `G` for `[]`, `F` for `<>` and upper case for `ag`, `ef` and their kind, offsets
/// unchanged; nothing if there is none of these. Words that are names are left as they are.
pub fn respelled(text: &str, is_name: impl Fn(&str) -> bool) -> Option<String> {
    let continues_word = |byte: u8| {
        byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'$' | b'#' | b'-' | b'.') || byte >= 0x80
    };
    let mut bytes = text.as_bytes().to_vec();
    let (mut at, mut is_changed) = (0, false);
    while at < bytes.len() {
        let rest = &bytes[at..];
        match rest[0] {
            // a name in quotes
            b'"' => at += 2 + rest[1..].iter().position(|&byte| byte == b'"').unwrap_or(rest.len()),
            b'[' | b'<' if rest.starts_with(b"[]") || rest.starts_with(b"<>") => {
                let operator = if rest[0] == b'[' { b'G' } else { b'F' };
                bytes[at..at + 2].copy_from_slice(&[operator, b' ']);
                (at, is_changed) = (at + 2, true);
            }
            byte if continues_word(byte) => {
                let length = rest.iter().position(|&byte| !continues_word(byte)).unwrap_or(rest.len());
                let word = text.get(at..at + length).unwrap_or_default();
                let is_operator =
                    matches!(word.to_ascii_uppercase().as_str(), "AX" | "AF" | "AG" | "EX" | "EF" | "EG");
                if is_operator && !is_name(word) {
                    is_changed |= word.bytes().any(|byte| byte.is_ascii_lowercase());
                    bytes[at..at + length].make_ascii_uppercase();
                }
                at += length;
            }
            _ => at += 1,
        }
    }
    String::from_utf8(bytes).ok().filter(|_| is_changed)
}

#[cfg(test)]
mod tests {
    use super::respelled;

    fn check(text: &str, expected: Option<&str>) {
        assert_eq!(respelled(text, |name| name == "ef").as_deref(), expected, "{text}");
    }

    #[test]
    fn spellings() {
        check("ag (p -> Af q)", Some("AG (p -> AF q)"));
        check("[]<>p", Some("G F p"));
        check("[] (p -> <> q)", Some("G  (p -> F  q)"));
        check("AG p", None);
        check("a[i] & x<y & p.ag & ag.x & ag-b & \"ag [] \"", None);
        check("ef & eg p", Some("ef & EG p"));
        check("\"open [] ag", None);
        check("é[]", Some("éG "));
    }
}
