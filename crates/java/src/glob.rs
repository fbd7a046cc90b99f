//! Patterns of names: `*` stands for any characters, `?` for one.

/// Whether a text matches a pattern.
///
/// Quadratic at worst: the last star is extended whenever what follows does not fit.
///
/// ```
/// use loris_java::objects::matches;
/// assert!(matches("java.io.*.close", "java.io.Reader.close"));
/// assert!(!matches("java.io.*.close", "java.io.Reader.read"));
/// ```
pub fn matches(pattern: &str, text: &str) -> bool {
    let (pattern, text) = (pattern.as_bytes(), text.as_bytes());
    let (mut p, mut t) = (0, 0);
    // where the last star is, and how far it reaches
    let mut star: Option<(usize, usize)> = None;
    while t < text.len() {
        match pattern.get(p) {
            Some(b'*') => {
                star = Some((p, t));
                p += 1;
            }
            Some(&byte) if byte == b'?' || byte == text[t] => {
                p += 1;
                t += 1;
            }
            _ => match &mut star {
                Some((at, reach)) => {
                    *reach += 1;
                    (p, t) = (*at + 1, *reach);
                }
                None => return false,
            },
        }
    }
    pattern[p..].iter().all(|&byte| byte == b'*')
}
