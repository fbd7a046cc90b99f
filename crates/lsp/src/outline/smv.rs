//! SMV files: modules with their parameters, variables, definitions, constants, calls and
//! properties, and the names that dotted paths stand for.

use super::{Outline, Property, Symbol, SymbolKind, collapsed};
use crate::position::Span;

/// The kind of a token.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum TokenKind {
    Word,
    Number,
    /// `:=`, `..` and single characters.
    Sign,
}

/// A token.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Token {
    pub(crate) kind: TokenKind,
    pub(crate) span: Span,
}

impl Token {
    pub(crate) fn text(self, text: &str) -> &str {
        &text[self.span.0..self.span.1]
    }
}

/// The tokens of a text; comments are left out, if there are any.
pub(crate) fn tokens(text: &str, has_comments: bool) -> Vec<Token> {
    let bytes = text.as_bytes();
    let mut tokens = Vec::new();
    let mut at = 0;
    let line_end = |from: usize| text[from..].find('\n').map_or(text.len(), |end| from + end);
    while at < bytes.len() {
        let start = at;
        let rest = &bytes[at..];
        let kind = match bytes[at] {
            byte if byte.is_ascii_whitespace() => {
                at += 1;
                continue;
            }
            b'/' if has_comments && rest.starts_with(b"/--") => {
                at = text[at + 3..].find("--/").map_or(text.len(), |end| at + end + 6);
                continue;
            }
            b'-' if has_comments && rest.starts_with(b"--") => {
                at = line_end(at);
                continue;
            }
            b'"' => {
                let line = &bytes[at + 1..line_end(at)];
                at += line.iter().position(|&byte| byte == b'"').map_or(line.len() + 1, |end| end + 2);
                TokenKind::Word
            }
            byte if byte.is_ascii_alphabetic() || byte == b'_' => {
                at += 1;
                while let Some(&next) = bytes.get(at) {
                    let goes_on = next.is_ascii_alphanumeric() || matches!(next, b'_' | b'$' | b'#' | b'-');
                    if !goes_on || bytes[at..].starts_with(b"->") {
                        break;
                    }
                    at += 1;
                }
                TokenKind::Word
            }
            byte if byte.is_ascii_digit() => {
                at += rest.iter().take_while(|byte| byte.is_ascii_alphanumeric() || **byte == b'_').count();
                TokenKind::Number
            }
            _ if rest.starts_with(b":=") || rest.starts_with(b"..") => {
                at += 2;
                TokenKind::Sign
            }
            _ => {
                at += text[at..].chars().next().map_or(1, char::len_utf8);
                TokenKind::Sign
            }
        };
        tokens.push(Token { kind, span: (start, at) });
    }
    tokens
}

/// Words that start a section.
pub(crate) const SECTIONS: [&str; 24] = [
    "MODULE",
    "VAR",
    "IVAR",
    "FROZENVAR",
    "DEFINE",
    "CONSTANTS",
    "CALL",
    "ASSIGN",
    "INIT",
    "TRANS",
    "INVAR",
    "FAIRNESS",
    "JUSTICE",
    "COMPASSION",
    "SPEC",
    "CTLSPEC",
    "LTLSPEC",
    "INVARSPEC",
    "PSLSPEC",
    "COMPUTE",
    "ISA",
    "PRED",
    "PREDICATES",
    "MIRROR",
];
/// Those of properties.
const PROPERTIES: [&str; 6] = ["SPEC", "CTLSPEC", "LTLSPEC", "INVARSPEC", "PSLSPEC", "COMPUTE"];
/// Words that start a type which is no instance of a module.
const TYPES: [&str; 7] = ["boolean", "integer", "real", "word", "unsigned", "signed", "array"];

/// The word of the section that an offset is in.
pub(crate) fn section_at<'t>(text: &'t str, tokens: &[Token], offset: usize) -> Option<&'t str> {
    let before = tokens.iter().enumerate().rev().skip_while(|(_, token)| token.span.1 > offset);
    before.map(|(i, _)| i).find_map(|i| section(text, tokens, i))
}

/// The word of a section, if one starts at a token. `CALL` starts one before a name only.
fn section<'t>(text: &'t str, tokens: &[Token], at: usize) -> Option<&'t str> {
    let token = tokens[at];
    let word = token.text(text);
    let is_section = token.kind == TokenKind::Word && SECTIONS.contains(&word);
    let is_call = || tokens.get(at + 1).is_some_and(|next| next.kind == TokenKind::Word);
    (is_section && (word != "CALL" || is_call())).then_some(word)
}

/// The outline of a text.
pub(crate) fn outline(text: &str) -> Outline {
    let tokens = tokens(text, true);
    let mut scan = Scan { text, outline: Outline::default(), module: None };
    let starts: Vec<usize> = (0..tokens.len()).filter(|&at| section(text, &tokens, at).is_some()).collect();
    for (i, &start) in starts.iter().enumerate() {
        let end = starts.get(i + 1).copied().unwrap_or(tokens.len());
        scan.section(&tokens[start..end]);
    }
    scan.outline
}

struct Scan<'t> {
    text: &'t str,
    outline: Outline,
    module: Option<usize>,
}

impl Scan<'_> {
    /// A section, from its word on.
    fn section(&mut self, tokens: &[Token]) {
        let [word, rest @ ..] = tokens else { return };
        let end = tokens.last().map_or(word.span.1, |last| last.span.1);
        match word.text(self.text) {
            "MODULE" => return self.module(word.span.0, rest),
            "VAR" | "IVAR" | "FROZENVAR" => self.variables(word.text(self.text), rest),
            "DEFINE" => self.definitions(rest, SymbolKind::Define),
            "CALL" => self.definitions(rest, SymbolKind::Call),
            "CONSTANTS" => {
                for token in rest.iter().filter(|token| token.kind == TokenKind::Word) {
                    self.add(token.span, token.span, SymbolKind::Constant, String::new());
                }
            }
            word_text if PROPERTIES.contains(&word_text) => self.property(word.span, rest),
            _ => {}
        }
        if let Some(module) = self.module {
            self.outline.symbols[module].span.1 = end;
        }
    }

    fn add(&mut self, span: Span, name_span: Span, kind: SymbolKind, detail: String) {
        let name = self.text[name_span.0..name_span.1].to_owned();
        let parent = self.module.filter(|_| kind != SymbolKind::Module);
        self.outline.add(Symbol { name, kind, span, name_span, parent, detail });
    }

    fn module(&mut self, start: usize, rest: &[Token]) {
        let [name, parameters @ ..] = rest else { return };
        let end = rest.last().map_or(name.span.1, |last| last.span.1);
        self.add((start, end), name.span, SymbolKind::Module, String::new());
        self.module = Some(self.outline.symbols.len() - 1);
        for token in parameters.iter().filter(|token| token.kind == TokenKind::Word) {
            self.add(token.span, token.span, SymbolKind::Parameter, String::new());
        }
    }

    /// The statements of a section, each up to its semicolon.
    fn statements<'a>(&self, tokens: &'a [Token]) -> Vec<&'a [Token]> {
        let mut statements = Vec::new();
        let (mut start, mut depth) = (0, 0usize);
        for (at, token) in tokens.iter().enumerate() {
            match token.text(self.text) {
                "case" => depth += 1,
                "esac" => depth = depth.saturating_sub(1),
                ";" if depth == 0 => {
                    statements.push(&tokens[start..at]);
                    start = at + 1;
                }
                _ => {}
            }
        }
        statements.push(&tokens[start..]);
        statements
    }

    fn variables(&mut self, section: &str, tokens: &[Token]) {
        for statement in self.statements(tokens) {
            let Some(colon) = statement.iter().position(|token| token.text(self.text) == ":") else {
                continue;
            };
            let (declared, ty) = (&statement[..colon], &statement[colon + 1..]);
            let Some(name) = declared.iter().rev().find(|token| token.kind == TokenKind::Word) else {
                continue;
            };
            let end = ty.last().map_or(statement[colon].span.1, |last| last.span.1);
            let first = ty.first().map_or(end, |first| first.span.0);
            let written = collapsed(&self.text[first..end]);
            let instance = self.instance(ty);
            let kind = if instance.is_some() { SymbolKind::Instance } else { SymbolKind::Variable };
            let detail = match (section, instance) {
                (_, Some(module)) => module,
                ("VAR", None) => written,
                (word, None) => format!("{written} ({word})"),
            };
            self.add((declared[0].span.0, end), name.span, kind, detail);
            let mut depth = 0usize;
            for token in ty {
                match token.text(self.text) {
                    "{" => depth += 1,
                    "}" => depth = depth.saturating_sub(1),
                    word if depth > 0
                        && token.kind == TokenKind::Word
                        && word != "TRUE"
                        && word != "FALSE" =>
                    {
                        let of = format!("value of {}", name.text(self.text));
                        self.add(token.span, token.span, SymbolKind::Constant, of);
                    }
                    _ => {}
                }
            }
        }
    }

    /// The module that a type is an instance of, or an array of instances of.
    fn instance(&self, ty: &[Token]) -> Option<String> {
        let mut ty = ty;
        while let Some(of) = ty.iter().position(|token| token.text(self.text) == "of") {
            ty = &ty[of + 1..];
        }
        let words = ty.iter().map(|token| token.text(self.text));
        let mut words = words.skip_while(|word| *word == "process");
        let first =
            words.next().filter(|word| word.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_'))?;
        // `low..high` is a range, whatever its bounds are made of
        let is_range = ty.iter().any(|token| token.text(self.text) == "..");
        (!is_range && !TYPES.contains(&first)).then(|| first.to_owned())
    }

    fn definitions(&mut self, tokens: &[Token], kind: SymbolKind) {
        for statement in self.statements(tokens) {
            let Some(becomes) = statement.iter().position(|token| token.text(self.text) == ":=") else {
                continue;
            };
            let (declared, value) = (&statement[..becomes], &statement[becomes + 1..]);
            let Some(name) = declared.iter().rev().find(|token| token.kind == TokenKind::Word) else {
                continue;
            };
            let end = value.last().map_or(statement[becomes].span.1, |last| last.span.1);
            let first = value.first().map_or(end, |first| first.span.0);
            let detail = collapsed(&self.text[first..end]);
            self.add((declared[0].span.0, end), name.span, kind, detail);
        }
    }

    fn property(&mut self, keyword: Span, rest: &[Token]) {
        let end = rest.iter().position(|token| token.text(self.text) == ";").unwrap_or(rest.len());
        let Some(last) = rest[..end].last() else { return };
        let span = (keyword.0, last.span.1);
        let written = collapsed(&self.text[rest[0].span.0..last.span.1]);
        let is_named = rest[0].text(self.text) == "NAME" && rest.len() > 1;
        let name_span = if is_named { rest[1].span } else { keyword };
        self.outline.properties.push(Property { span, text: collapsed(&self.text[span.0..span.1]) });
        self.add(span, name_span, SymbolKind::Property, written);
    }
}

/// The names of a dotted path up to the token at an offset, and where that token is.
pub(crate) fn path_at(text: &str, tokens: &[Token], offset: usize) -> Option<(Vec<String>, Span)> {
    // a cursor at the end of a word means the word
    let touches = |token: &Token| token.span.0 <= offset && offset <= token.span.1;
    let near = tokens.partition_point(|token| token.span.1 < offset);
    let mut at = (near..tokens.len())
        .take_while(|&at| touches(&tokens[at]))
        .find(|&at| tokens[at].kind == TokenKind::Word)?;
    let span = tokens[at].span;
    let mut path = vec![tokens[at].text(text).to_owned()];
    while at >= 2 && tokens[at - 1].text(text) == "." {
        let Some(word) = word_before(text, tokens, at - 2) else { break };
        path.push(tokens[word].text(text).to_owned());
        at = word;
    }
    path.reverse();
    Some((path, span))
}

/// The word that ends at a token, perhaps with indices behind it: `a` of `a[3]`.
fn word_before(text: &str, tokens: &[Token], mut at: usize) -> Option<usize> {
    while tokens[at].text(text) == "]" {
        let mut depth = 0usize;
        loop {
            match tokens[at].text(text) {
                "]" => depth += 1,
                "[" => depth -= 1,
                _ => {}
            }
            if depth == 0 {
                break;
            }
            at = at.checked_sub(1)?;
        }
        at = at.checked_sub(1)?;
    }
    (tokens[at].kind == TokenKind::Word).then_some(at)
}

/// The members of a module, by the kinds that expressions name.
const MEMBERS: [SymbolKind; 5] = [
    SymbolKind::Variable,
    SymbolKind::Instance,
    SymbolKind::Define,
    SymbolKind::Parameter,
    SymbolKind::Constant,
];

impl Outline {
    /// The module that an offset is in.
    pub(crate) fn module_at(&self, offset: usize) -> Option<usize> {
        let modules = self.symbols.iter().enumerate().filter(|(_, symbol)| symbol.kind == SymbolKind::Module);
        modules.rev().find(|(_, symbol)| symbol.span.0 <= offset).map(|(at, _)| at)
    }

    /// The module where runs start.
    pub(crate) fn first_module(&self) -> Option<usize> {
        let is_module = |symbol: &Symbol| symbol.kind == SymbolKind::Module;
        let main = self.symbols.iter().position(|symbol| is_module(symbol) && symbol.name == "main");
        main.or_else(|| self.symbols.iter().position(is_module))
    }

    /// The declaration that a dotted path in a module stands for.
    pub(crate) fn resolve(&self, module: Option<usize>, path: &[String]) -> Option<&Symbol> {
        let [first, rest @ ..] = path else { return None };
        let mut found = module.and_then(|module| self.find_in(module, first, &MEMBERS));
        if rest.is_empty() {
            // constants are known everywhere, and modules are named in types and calls
            let everywhere = [SymbolKind::Constant, SymbolKind::Module];
            return found.or_else(|| self.find(first, &everywhere));
        }
        for name in rest {
            let instance = found.filter(|symbol| symbol.kind == SymbolKind::Instance)?;
            let module = self.module_named(&instance.detail)?;
            found = self.find_in(module, name, &MEMBERS);
        }
        found
    }

    /// The module of a name.
    pub(crate) fn module_named(&self, name: &str) -> Option<usize> {
        self.symbols.iter().position(|symbol| symbol.kind == SymbolKind::Module && symbol.name == name)
    }

    /// The names that expressions in a module can start with.
    pub(crate) fn members(&self, module: usize) -> impl Iterator<Item = &Symbol> {
        self.symbols
            .iter()
            .filter(move |symbol| symbol.parent == Some(module) && MEMBERS.contains(&symbol.kind))
    }
}

#[cfg(test)]
mod tests {
    use super::{outline, path_at, tokens};

    fn check(text: &str, expected: &[&str]) {
        let found: Vec<String> = outline(text)
            .symbols
            .iter()
            .map(|symbol| format!("{} {}: {}", symbol.kind.word(), symbol.name, symbol.detail))
            .collect();
        assert_eq!(found, expected, "{text}");
    }

    #[test]
    fn names() {
        check(
            "MODULE main(p, q) VAR x : 0..N-1; s : {idle, busy}; c : process cell(x); DEFINE d := case p : 1; \
             TRUE : 2; esac; e := x = 1; CALL f := d; SPEC NAME n := AG (x -> y); LTLSPEC G x",
            &[
                "module main: ",
                "parameter p: ",
                "parameter q: ",
                "variable x: 0..N-1",
                "variable s: {idle, busy}",
                "constant idle: value of s",
                "constant busy: value of s",
                "instance c: cell",
                "definition d: case p : 1; TRUE : 2; esac",
                "definition e: x = 1",
                "call f: d",
                "property n: NAME n := AG (x -> y)",
                "property LTLSPEC: G x",
            ],
        );
        check(
            "MODULE a IVAR i : boolean; VAR m : array 1..2 of cell; w : word[3]; VAR x",
            &["module a: ", "variable i: boolean (IVAR)", "instance m: cell", "variable w: word[3]"],
        );
        check("VAR x : boolean; MODULE", &["variable x: boolean"]);
        check("SPEC", &[]);
        check(
            "MODULE m -- VAR x : 1..2;\n/-- VAR y : 1..2; --/ VAR z : 1..2",
            &["module m: ", "variable z: 1..2"],
        );
        check("MODULE m VAR : ; DEFINE := ; CALL := 1;", &["module m: ", "definition CALL: 1"]);
    }

    #[test]
    fn paths() {
        let path =
            |text: &str, offset| path_at(text, &tokens(text, true), offset).map(|(path, _)| path.join("/"));
        assert_eq!(path("a.b[x[1]][2].c", 13).as_deref(), Some("a/b/c"));
        assert_eq!(path("a.b.c", 2).as_deref(), Some("a/b"));
        assert_eq!(path("a->b", 1).as_deref(), Some("a"));
        assert_eq!(path("a + b", 3), None);
        assert_eq!(path("a].c", 3).as_deref(), Some("c"));
        assert_eq!(path("].c", 2).as_deref(), Some("c"));
        assert_eq!(path(".c", 2).as_deref(), Some("c"));
        assert_eq!(path("\"q r\".s", 7).as_deref(), Some("\"q r\"/s"));
    }
}
