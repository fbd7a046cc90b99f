//! The names of a text and where they are, for any text, however wrong it is.
//!
//! That of SMV is made from what its reader has understood. The readers of `loris-rsm` keep no
//! places of names, which large machines have no room for; their texts are scanned, by code that
//! never fails. All is linear in the text.

pub(crate) mod pds;
pub(crate) mod properties;
pub(crate) mod rsm;
pub(crate) mod rules;
pub(crate) mod smv;

use crate::kind::Kind;
use crate::position::Span;

/// The kind of a name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum SymbolKind {
    Module,
    Parameter,
    Variable,
    Instance,
    Define,
    Constant,
    Call,
    Property,
    Component,
    Node,
    Box,
    Control,
    Stack,
    Label,
    Rule,
}

impl SymbolKind {
    /// Its number in the protocol's `SymbolKind`.
    pub(crate) fn number(self) -> u32 {
        match self {
            SymbolKind::Module => 2,
            SymbolKind::Parameter | SymbolKind::Variable => 13,
            SymbolKind::Instance => 19,
            SymbolKind::Define => 14,
            SymbolKind::Constant => 22,
            SymbolKind::Call | SymbolKind::Component => 12,
            SymbolKind::Property | SymbolKind::Rule => 7,
            SymbolKind::Node | SymbolKind::Stack => 8,
            SymbolKind::Box => 9,
            SymbolKind::Control => 10,
            SymbolKind::Label => 20,
        }
    }

    /// Its number in the protocol's `CompletionItemKind`.
    pub(crate) fn completion(self) -> u32 {
        match self {
            SymbolKind::Module => 9,
            SymbolKind::Parameter | SymbolKind::Variable => 6,
            SymbolKind::Instance => 5,
            SymbolKind::Define => 21,
            SymbolKind::Constant => 20,
            SymbolKind::Call | SymbolKind::Component => 3,
            SymbolKind::Property | SymbolKind::Rule => 10,
            SymbolKind::Node | SymbolKind::Stack | SymbolKind::Box | SymbolKind::Control => 18,
            SymbolKind::Label => 12,
        }
    }

    /// In words.
    pub(crate) fn word(self) -> &'static str {
        match self {
            SymbolKind::Module => "module",
            SymbolKind::Parameter => "parameter",
            SymbolKind::Variable => "variable",
            SymbolKind::Instance => "instance",
            SymbolKind::Define => "definition",
            SymbolKind::Constant => "constant",
            SymbolKind::Call => "call",
            SymbolKind::Property => "property",
            SymbolKind::Component => "component",
            SymbolKind::Node => "node",
            SymbolKind::Box => "box",
            SymbolKind::Control => "control state",
            SymbolKind::Stack => "stack symbol",
            SymbolKind::Label => "label",
            SymbolKind::Rule => "rule",
        }
    }
}

/// A name that a text declares.
#[derive(Clone, Debug)]
pub(crate) struct Symbol {
    pub(crate) name: String,
    pub(crate) kind: SymbolKind,
    /// The declaration.
    pub(crate) span: Span,
    /// The name in it.
    pub(crate) name_span: Span,
    /// What it is declared in, which comes earlier in the list.
    pub(crate) parent: Option<usize>,
    /// A type, a value, or the callee.
    pub(crate) detail: String,
}

/// A property that can be checked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Property {
    /// From its keyword on, or its line.
    pub(crate) span: Span,
    /// Its text, blanks made one.
    pub(crate) text: String,
}

/// The names and properties of a text.
#[derive(Clone, Debug, Default)]
pub(crate) struct Outline {
    pub(crate) symbols: Vec<Symbol>,
    pub(crate) properties: Vec<Property>,
    /// Labels that nodes carry, sorted.
    pub(crate) labels: Vec<String>,
}

impl Outline {
    /// The outline of a text.
    pub(crate) fn new(kind: Kind, text: &str) -> Self {
        let mut outline = match kind {
            Kind::Smv => smv::outline(text),
            Kind::Pds => pds::outline(text),
            Kind::Rsm => rsm::outline(text),
            Kind::Properties(_) => properties::outline(text),
            Kind::Rules => rules::outline(text),
            Kind::OtherModel | Kind::Java | Kind::Unknown => Self::default(),
        };
        outline.labels.sort_unstable();
        outline.labels.dedup();
        outline
    }

    /// Adds a name.
    pub(crate) fn add(&mut self, symbol: Symbol) -> usize {
        self.symbols.push(symbol);
        self.symbols.len() - 1
    }

    /// The first declaration of a name with one of these kinds.
    pub(crate) fn find(&self, name: &str, kinds: &[SymbolKind]) -> Option<&Symbol> {
        self.symbols.iter().find(|symbol| symbol.name == name && kinds.contains(&symbol.kind))
    }

    /// The declaration of a name in a component or module.
    pub(crate) fn find_in(&self, parent: usize, name: &str, kinds: &[SymbolKind]) -> Option<&Symbol> {
        let is_it = |symbol: &&Symbol| {
            symbol.parent == Some(parent) && symbol.name == name && kinds.contains(&symbol.kind)
        };
        self.symbols.iter().find(is_it)
    }
}

/// A text with blanks made one.
pub(crate) fn collapsed(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}
