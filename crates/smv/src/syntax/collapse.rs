//! Text of properties on one line.

/// Text without comments, where there may be some, and blanks made one; names in quotes stay as
/// they are.
pub(crate) fn collapse(text: &str, comments: bool) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    let mut blank = false;
    while let Some(c) = rest.chars().next() {
        // a name may contain characters that start a comment elsewhere
        let within = !blank && out.ends_with(|c: char| c.is_ascii_alphanumeric() || "_$#-".contains(c));
        if comments && !within && rest.starts_with("--") {
            rest = rest.find('\n').map_or("", |end| &rest[end..]);
            blank = true;
        } else if comments && rest.starts_with("/--") {
            rest = rest.find("--/").map_or("", |end| &rest[end + 3..]);
            blank = true;
        } else {
            let quoted = rest.strip_prefix('"').and_then(|name| name.find('"'));
            let length = quoted.map_or(c.len_utf8(), |length| length + 2);
            if !c.is_whitespace() {
                if blank && !out.is_empty() {
                    out.push(' ');
                }
                out.push_str(&rest[..length]);
            }
            blank = c.is_whitespace();
            rest = &rest[length..];
        }
    }
    out
}
