//! SMV files: modules with their parameters, variables, definitions, constants, calls and
//! properties, and the names that dotted paths stand for.
//!
//! The reader of `loris-smv` says what it has understood of a text, whatever is wrong with it.

use super::{Outline, Property, Symbol, SymbolKind, collapsed};
use crate::position::Span;
use loris_smv::syntax::ast::{
    self, Declaration, Definition, File, Fragment, FragmentKind, Ident, Item, Module, Type, TypeKind,
    VariableKind,
};
use loris_smv::syntax::{Piece, parse_file, pieces};

/// A word or a sign.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Token {
    pub(crate) piece: Piece,
    pub(crate) span: Span,
}

impl Token {
    pub(crate) fn text(self, text: &str) -> &str {
        &text[self.span.0..self.span.1]
    }

    pub(crate) fn is_word(self) -> bool {
        self.piece != Piece::Sign
    }
}

/// The tokens of a text; comments are left out, if there are any.
pub(crate) fn tokens(text: &str, has_comments: bool) -> Vec<Token> {
    let all = pieces(text, has_comments).into_iter();
    all.map(|(piece, span)| Token { piece, span: wide(span) }).collect()
}

fn wide((start, end): ast::Span) -> Span {
    (start as usize, end as usize)
}

/// The word of the section that an offset is in.
pub(crate) fn section_at<'t>(text: &'t str, tokens: &[Token], offset: usize) -> Option<&'t str> {
    let before = &tokens[..tokens.partition_point(|token| token.span.1 <= offset)];
    before.iter().rfind(|token| token.piece == Piece::Section).map(|token| token.text(text))
}

/// The outline of a text.
pub(crate) fn outline(text: &str) -> Outline {
    let (file, _) = parse_file(text);
    let mut reading = Reading { text, file: &file, outline: Outline::default(), module: None };
    file.modules.iter().for_each(|module| reading.module(module));
    reading.outline.properties.sort_by_key(|property| property.span.0);
    reading.outline
}

struct Reading<'t> {
    text: &'t str,
    file: &'t File,
    outline: Outline,
    module: Option<usize>,
}

impl<'t> Reading<'t> {
    fn written(&self, (start, end): Span) -> String {
        collapsed(&self.text[start..end])
    }

    fn add(&mut self, span: Span, name_span: Span, kind: SymbolKind, detail: String) {
        let name = self.text[name_span.0..name_span.1].to_owned();
        self.outline.add(Symbol { name, kind, span, name_span, parent: self.module, detail });
    }

    fn name(&mut self, name: Ident, kind: SymbolKind, detail: String) {
        self.add(wide(name.span), wide(name.span), kind, detail);
    }

    /// Where the last name of a declared path is, without its indices: `b` of `a.b[1]`.
    fn last_name(&self, name: Ident) -> Span {
        let (start, end) = wide(name.span);
        let last = self.file.names[name.name].split('[').next().unwrap_or_default();
        let at = self.text[start..end].rfind(last).map_or(start, |at| start + at);
        (at, at + last.len())
    }

    fn module(&mut self, module: &'t Module) {
        self.module = None;
        self.add(wide(module.span), wide(module.name.span), SymbolKind::Module, String::new());
        let first = self.outline.symbols.len();
        self.module = Some(first - 1);
        module.parameters.iter().for_each(|&name| self.name(name, SymbolKind::Parameter, String::new()));
        module.items.iter().for_each(|item| self.item(item));
        module.fragments.iter().for_each(|fragment| self.fragment(fragment));
        // all of them have the same parent, so that they can change places
        self.outline.symbols[first..].sort_by_key(|symbol| symbol.span.0);
    }

    fn item(&mut self, item: &Item) {
        match item {
            Item::Variables(kind, list) => list.iter().for_each(|one| self.variable(*kind, one)),
            Item::Define(list) => list.iter().for_each(|one| self.definition(SymbolKind::Define, one)),
            Item::Call(list) => list.iter().for_each(|one| self.definition(SymbolKind::Call, one)),
            Item::Constants(names) => {
                let constant = |&name: &Ident| self.name(name, SymbolKind::Constant, String::new());
                names.iter().for_each(constant);
            }
            Item::Property(item) => self.property(wide(item.section), item.name),
            Item::Compute(item) => self.property(wide(item.section), item.name),
            Item::Unsupported(item) => self.property(wide(item.section), item.name),
            _ => {}
        }
    }

    fn variable(&mut self, section: VariableKind, declaration: &Declaration) {
        let Declaration { name, ty, .. } = declaration;
        let (name_span, element) = (self.last_name(*name), element(ty));
        let (kind, detail) = match &element.kind {
            TypeKind::Instance { module, .. } => {
                (SymbolKind::Instance, self.file.names[module.name].to_owned())
            }
            _ => (SymbolKind::Variable, typed(section, self.written(wide(ty.span)))),
        };
        self.add(wide((name.span.0, ty.span.1)), name_span, kind, detail);
        if let TypeKind::Enumeration(values) = &element.kind {
            let of = format!("value of {}", &self.text[name_span.0..name_span.1]);
            for &value in values {
                if let ast::Expr::Name(_) = self.file.exprs.nodes[value] {
                    let span = wide(self.file.exprs.spans[value]);
                    self.add(span, span, SymbolKind::Constant, of.clone());
                }
            }
        }
    }

    fn definition(&mut self, kind: SymbolKind, definition: &Definition) {
        let Definition { name, span, .. } = definition;
        let value = self.written(wide((name.span.1, span.1)));
        let value = value.trim_start_matches(":=").trim_start().to_owned();
        self.add(wide(*span), self.last_name(*name), kind, value);
    }

    /// A declaration that is not complete, once its name is followed by the sign that declares it.
    fn fragment(&mut self, fragment: &Fragment) {
        let span = wide(fragment.span);
        let (sign, kind, section) = match fragment.kind {
            FragmentKind::Property => return self.property(span, fragment.name),
            FragmentKind::Variable(section) => (":", SymbolKind::Variable, section),
            FragmentKind::Define => (":=", SymbolKind::Define, VariableKind::State),
            FragmentKind::Call => (":=", SymbolKind::Call, VariableKind::State),
        };
        let Some(name) = fragment.name else { return };
        let written = self.written((wide(name.span).1, span.1));
        if let Some(rest) = written.strip_prefix(sign) {
            self.add(span, self.last_name(name), kind, typed(section, rest.trim_start().to_owned()));
        }
    }

    fn property(&mut self, span: Span, name: Option<Ident>) {
        let text = self.written(span);
        let word = self.text[span.0..span.1].split(|c: char| !c.is_ascii_alphanumeric()).next();
        let word = word.unwrap_or_default();
        let detail = text[word.len()..].trim_start().to_owned();
        if !detail.is_empty() {
            let name_span = name.map_or((span.0, span.0 + word.len()), |name| wide(name.span));
            self.outline.properties.push(Property { span, text });
            self.add(span, name_span, SymbolKind::Property, detail);
        }
    }
}

/// The type of the elements of an array, of its elements if these are arrays, and so on.
fn element(ty: &Type) -> &Type {
    let mut ty = ty;
    while let TypeKind::Array(_, _, element) | TypeKind::WordArray(_, element) = &ty.kind {
        ty = element;
    }
    ty
}

/// A type with the section, unless that is the usual one.
fn typed(section: VariableKind, ty: String) -> String {
    match section {
        VariableKind::State => ty,
        VariableKind::Input => format!("{ty} (IVAR)"),
        VariableKind::Frozen => format!("{ty} (FROZENVAR)"),
    }
}

/// The names of a dotted path up to the token at an offset, and where that token is.
pub(crate) fn path_at(text: &str, tokens: &[Token], offset: usize) -> Option<(Vec<String>, Span)> {
    // a cursor at the end of a word means the word
    let touches = |token: &Token| token.span.0 <= offset && offset <= token.span.1;
    let near = tokens.partition_point(|token| token.span.1 < offset);
    let mut at =
        (near..tokens.len()).take_while(|&at| touches(&tokens[at])).find(|&at| tokens[at].is_word())?;
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
    tokens[at].is_word().then_some(at)
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
        check(
            "VAR x : boolean; MODULE VAR m.y[2] : 0.. ; DEFINE d := (x; SPEC x -> ; SPEC; VAR f : fun(",
            &["module : ", "variable y: 0..", "definition d: (x", "property SPEC: x ->", "variable f: fun("],
        );
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
