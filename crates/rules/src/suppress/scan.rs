//! `@SuppressWarnings` in Java sources. The annotation is not in class files, so the source is
//! scanned for it, and for the end of the declaration it stands before: a class, a method, a field,
//! a local variable, also in a lambda. Annotations of Lombok, which are not in class files either,
//! make methods that use fields; where it did not run, they suppress findings about unused fields.
//! Comments and literals are skipped; nothing else of the language is known. Linear.

use std::ops::RangeInclusive;

/// Lines in which annotations suppress warnings.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Suppressed {
    /// The lines of the annotation and the declaration.
    pub lines: RangeInclusive<u32>,
    /// The words of the annotation.
    pub words: Vec<String>,
    /// The names that are declared there, as far as they stand before a body or a value.
    names: Vec<String>,
    /// Whether it has a body, so that it is not a field.
    has_body: bool,
}

impl Suppressed {
    /// Whether a field with this name is declared there.
    pub(super) fn declares(&self, field: &str) -> bool {
        !self.has_body && self.names.iter().any(|name| name == field)
    }

    /// Whether a class, or one it is nested in, is declared there.
    pub(super) fn declares_class(&self, class: &str) -> bool {
        let name = class.rsplit('.').next().unwrap_or(class);
        let keyword = |word: &str| matches!(word, "class" | "interface" | "enum" | "record");
        let mut declared = self.names.windows(2).filter(|pair| keyword(&pair[0])).map(|pair| &pair[1]);
        self.has_body && declared.any(|declared| name.split('$').any(|part| part == declared))
    }
}

/// Annotations of Lombok that make methods which use fields.
const LOMBOK: [&str; 13] = [
    "Data",
    "Value",
    "Getter",
    "Setter",
    "ToString",
    "EqualsAndHashCode",
    "Builder",
    "SuperBuilder",
    "With",
    "Delegate",
    "Accessors",
    "AllArgsConstructor",
    "RequiredArgsConstructor",
];

/// Where annotations suppress warnings.
///
/// ```
/// use loris_rules::suppress::suppressed_in;
/// let source = "class A {\n  @SuppressWarnings(\"loris:leak\")\n  void m() {\n  }\n}";
/// let found = suppressed_in(source);
/// assert_eq!((found[0].lines.clone(), &*found[0].words[0]), (2..=4, "loris:leak"));
/// ```
pub fn suppressed_in(text: &str) -> Vec<Suppressed> {
    let uses_lombok = text.contains("lombok");
    if !text.contains("SuppressWarnings") && !uses_lombok {
        return Vec::new();
    }
    let tokens = tokens(text);
    let mut found = Vec::new();
    for start in 0..tokens.len() {
        if tokens[start].text != "@" {
            continue;
        }
        let Some(name_end) = name(&tokens, start + 1) else { continue };
        let is_lombok = |token: &Token<'_>| uses_lombok && LOMBOK.contains(&token.text);
        let (words, after) = match &tokens[name_end - 1] {
            token if token.text == "SuppressWarnings" => arguments(&tokens, name_end),
            token if is_lombok(token) => {
                (vec!["loris:unused-field".to_owned()], arguments(&tokens, name_end).1)
            }
            _ => continue,
        };
        let (end, names, has_body) = declaration(&tokens, after);
        let lines = tokens[start].line..=tokens[end.min(tokens.len() - 1)].line;
        found.push(Suppressed { lines, words, names, has_body });
    }
    found
}

struct Token<'t> {
    text: &'t str,
    line: u32,
}

/// Splits a source into words, literals and signs.
fn tokens(text: &str) -> Vec<Token<'_>> {
    let bytes = text.as_bytes();
    let (mut found, mut at, mut line) = (Vec::new(), 0, 1);
    while at < bytes.len() {
        let start = at;
        let starts = |with: &str| text[at..].starts_with(with);
        let first_line = line;
        if starts("//") {
            at = text[at..].find('\n').map_or(bytes.len(), |end| at + end);
            continue;
        }
        if starts("/*") {
            at = text[at + 2..].find("*/").map_or(bytes.len(), |end| at + end + 4);
        } else if starts("\"\"\"") {
            at = closed(bytes, at + 3, b"\"\"\"");
            found.push(Token { text: &text[start..at], line: first_line });
        } else if bytes[at] == b'"' || bytes[at] == b'\'' {
            at = closed(bytes, at + 1, &[bytes[at]]);
            found.push(Token { text: &text[start..at], line: first_line });
        } else {
            let letter = text[at..].chars().next().unwrap_or(' ');
            let is_word = |c: char| c.is_alphanumeric() || c == '_' || c == '$';
            if is_word(letter) {
                let length = text[at..].find(|c| !is_word(c)).unwrap_or(bytes.len() - at);
                at += length;
                found.push(Token { text: &text[start..at], line });
                continue;
            }
            at += letter.len_utf8();
            if !letter.is_whitespace() {
                found.push(Token { text: &text[start..at], line });
            }
        }
        line += text[start..at].matches('\n').count() as u32;
    }
    found
}

/// The end of a literal with escapes.
fn closed(bytes: &[u8], mut at: usize, end: &[u8]) -> usize {
    while at < bytes.len() {
        if bytes[at] == b'\\' {
            at += 2;
        } else if bytes[at..].starts_with(end) {
            return at + end.len();
        } else if end.len() == 1 && bytes[at] == b'\n' {
            // a literal that is not closed ends with its line
            return at;
        } else {
            at += 1;
        }
    }
    bytes.len()
}

/// The end of a name with dots.
fn name(tokens: &[Token<'_>], mut at: usize) -> Option<usize> {
    let is_word = |token: &Token<'_>| token.text.starts_with(|c: char| c.is_alphabetic() || c == '_');
    tokens.get(at).filter(|token| is_word(token))?;
    at += 1;
    while tokens.get(at).is_some_and(|token| token.text == ".") && tokens.get(at + 1).is_some_and(is_word) {
        at += 2;
    }
    Some(at)
}

/// The strings between the parentheses of an annotation, and where it ends.
fn arguments(tokens: &[Token<'_>], mut at: usize) -> (Vec<String>, usize) {
    let mut words = Vec::new();
    if tokens.get(at).is_none_or(|token| token.text != "(") {
        return (words, at);
    }
    let mut depth = 0;
    while let Some(token) = tokens.get(at) {
        at += 1;
        match token.text {
            "(" => depth += 1,
            ")" => {
                depth -= 1;
                if depth == 0 {
                    break;
                }
            }
            text => {
                let inside = text.strip_prefix('"').and_then(|text| text.strip_suffix('"'));
                words.extend(inside.map(str::to_owned));
            }
        }
    }
    (words, at)
}

/// The last token of the declaration that starts somewhere, the names before its value or body, and
/// whether it has a body.
fn declaration(tokens: &[Token<'_>], mut at: usize) -> (usize, Vec<String>, bool) {
    let (mut depth, mut has_value) = (0i32, false);
    let mut names = Vec::new();
    while let Some(token) = tokens.get(at) {
        match token.text {
            "@" if depth == 0 && !has_value => {
                // another annotation
                if let Some(end) = name(tokens, at + 1) {
                    at = arguments(tokens, end).1;
                    continue;
                }
            }
            "(" | "[" | "{" => depth += 1,
            ")" | "]" => depth -= 1,
            "}" => {
                depth -= 1;
                if depth == 0 && !has_value {
                    return (at, names, true);
                }
            }
            ";" if depth == 0 => return (at, names, false),
            "," if depth == 0 => has_value = false,
            "=" if depth == 0 => has_value = true,
            word if depth == 0 && !has_value => names.push(word.to_owned()),
            _ => {}
        }
        // a parameter ends with the list it is in
        if depth < 0 {
            return (at, names, false);
        }
        at += 1;
    }
    (tokens.len().saturating_sub(1), names, false)
}

#[cfg(test)]
mod tests {
    use super::suppressed_in;

    fn check(source: &str, expected: &[(u32, u32, &[&str])]) {
        let found: Vec<(u32, u32, Vec<String>)> = suppressed_in(source)
            .into_iter()
            .map(|place| (*place.lines.start(), *place.lines.end(), place.words))
            .collect();
        let expected: Vec<(u32, u32, Vec<String>)> = expected
            .iter()
            .map(|(start, end, words)| (*start, *end, words.iter().map(|&word| word.to_owned()).collect()))
            .collect();
        assert_eq!(found, expected, "{source}");
    }

    #[test]
    fn declarations_end_where_they_end() {
        check("@SuppressWarnings({\"a\", \"b\"})\nclass A {\n int x;\n}\nclass B {}", &[(1, 4, &["a", "b"])]);
        check(
            "class A {\n@SuppressWarnings(\"x\") @Deprecated(since = \"1\")\nRunnable r = () -> {\n f();\n};\nint y;\n}",
            &[(2, 5, &["x"])],
        );
        check(
            "void m() {\n run(() -> {\n  @SuppressWarnings(\"x\")\n  int a = 1;\n  int b = 2;\n });\n}",
            &[(3, 4, &["x"])],
        );
        check("void m(@SuppressWarnings(\"x\") int a,\n int b) {\n}", &[(1, 2, &["x"])]);
        check(
            "@java.lang.SuppressWarnings(value = \"x\")\nvoid m() throws E {\n String s = \"}\"; // }\n}\n",
            &[(1, 4, &["x"])],
        );
    }

    #[test]
    fn comments_and_literals_hold_no_annotations() {
        check("// @SuppressWarnings(\"x\")\n/* @SuppressWarnings(\"y\") */ int a = '\"';", &[]);
        check("String s = \"@SuppressWarnings\"; String t = \"\"\"\n @SuppressWarnings(\"x\") \"\"\";", &[]);
    }

    #[test]
    fn broken_sources_end() {
        check("@SuppressWarnings(\"x\"", &[(1, 1, &["x"])]);
        check("@SuppressWarnings", &[(1, 1, &[])]);
        check("@SuppressWarnings(\"x\") class A {", &[(1, 1, &["x"])]);
    }

    #[test]
    fn fields_are_known_by_name() {
        let found = suppressed_in("class A { @SuppressWarnings(\"unused\") private int a = 1, b; int c; }");
        assert!(found[0].declares("a") && found[0].declares("b") && !found[0].declares("c"));
    }

    #[test]
    fn lombok_uses_fields() {
        let word: &[&str] = &["loris:unused-field"];
        check("import lombok.Getter;\nclass A {\n@Getter private int a;\nint b;\n}", &[(3, 3, word)]);
        check("@lombok.Data\nclass A {\nprivate int a;\n}", &[(1, 4, word)]);
        check("class A {\n@Getter private int a;\n}", &[]);
    }

    #[test]
    fn classes_are_known_by_their_names() {
        let found = suppressed_in("class A {\n@SuppressWarnings(\"x\") static class B {\n int x;\n}\n}");
        let declared = |class: &str| found[0].declares_class(class);
        assert_eq!(["p.A", "p.A$B", "p.A$B$C", "p.AB"].map(declared), [false, true, true, false]);
    }
}
