//! Names: the instances of a structure, and what each name means in them.
//!
//! Instances are laid out once, without recursion, each with a table of its names. Parameters and definitions are *macros*: an
//! expression with the scope it is to be read in, resolved when it is first needed.

use super::build::Build;
use super::modules::Modules;
use super::problems::Problems;
use super::types::{Type, Typed};
use crate::ir::{self, Span, VariableId};
use crate::syntax::ast::{self, File, Ident, Item, TypeKind, VariableKind};
use loris_base::{IndexVec, Symbol};
use rustc_hash::{FxHashMap, FxHashSet};
use std::sync::Arc;

loris_base::id! {
    /// An instance of a module.
    pub(super) struct ScopeId;
    /// A definition or a parameter of an instance.
    pub(super) struct MacroId;
    /// An array of an instance.
    pub(super) struct ArrayId;
}

/// What a name means.
#[derive(Clone, Copy, Debug)]
pub(super) enum Entry {
    Variable(VariableId),
    Array(ArrayId),
    Instance(ScopeId),
    Macro(MacroId),
    /// A variable whose type is not known yet.
    Pending,
}

/// An instance.
#[derive(Clone, Debug)]
pub(super) struct Scope {
    /// Which module.
    pub(super) module: usize,
    /// What comes before names: nothing, or `p.sub.`
    pub(super) prefix: String,
    pub(super) names: FxHashMap<Symbol, Entry>,
    /// Where each name was declared, in that order.
    pub(super) declared: Vec<Ident>,
    depth: u32,
}

/// A definition or a parameter.
#[derive(Clone, Debug)]
pub(super) struct Macro {
    /// Where the expression is to be read.
    pub(super) scope: ScopeId,
    pub(super) body: ast::ExprId,
    /// Its full name.
    pub(super) name: String,
    pub(super) span: Span,
    pub(super) parameter: bool,
    /// What it is in this state and in the next.
    pub(super) known: [Known; 2],
}

/// What is known of a macro.
#[derive(Clone, Debug, Default)]
pub(super) enum Known {
    #[default]
    Nothing,
    /// It is being resolved.
    Busy,
    Done(Operand),
}

/// What an operand is.
#[derive(Clone, Debug)]
pub(super) enum Operand {
    Value(Typed),
    Instance(ScopeId),
    /// An array, with indices that were given but not used, since one of them is no constant.
    Array(ArrayId, Vec<ir::ExprId>),
}

/// An array: an entry for each index.
#[derive(Clone, Debug)]
pub(super) struct Array {
    pub(super) low: i64,
    pub(super) elements: Vec<Entry>,
}

/// What is known of a variable beside what the program keeps.
#[derive(Clone, Debug)]
pub(super) struct Shape {
    pub(super) ty: Type,
    /// The values of an enumeration.
    pub(super) members: Option<Arc<FxHashSet<i64>>>,
}

/// All that is known of a structure beside what the program keeps.
#[derive(Clone, Debug, Default)]
pub(super) struct Tables {
    pub(super) scopes: IndexVec<ScopeId, Scope>,
    pub(super) macros: IndexVec<MacroId, Macro>,
    pub(super) arrays: IndexVec<ArrayId, Array>,
    pub(super) shapes: IndexVec<VariableId, Shape>,
    pub(super) variables: IndexVec<VariableId, ir::Variable>,
    /// Symbolic constants of the structure.
    pub(super) constants: FxHashMap<Symbol, i64>,
    /// The same in the order of the file.
    pub(super) constant_names: Vec<Symbol>,
    pub(super) build: Build,
    pub(super) recursive: bool,
}

/// Symbolic constants of all structures.
#[derive(Clone, Debug, Default)]
pub(super) struct Symbols {
    values: FxHashMap<Symbol, i64>,
    pub(super) names: Vec<String>,
}

impl Symbols {
    fn value(&mut self, file: &File, name: Symbol) -> i64 {
        *self.values.entry(name).or_insert_with(|| {
            self.names.push(file.names[name].to_owned());
            ir::SYMBOLS + self.names.len() as i64 - 1
        })
    }
}

/// More instances than any model has.
const INSTANCES: usize = 1 << 20;
/// Deeper than any model nests.
const DEPTH: u32 = 1000;

impl Tables {
    /// Lays out all instances of a structure: names of definitions, parameters and instances; variables are pending.
    pub(super) fn lay_out(
        &mut self,
        file: &File,
        modules: &Modules,
        root: usize,
        symbols: &mut Symbols,
        problems: &mut Problems<'_>,
    ) {
        self.recursive = modules.recursive;
        self.new_scope(root, String::new(), 0);
        // instances whose names are not yet in their tables, the first on top
        let mut todo = vec![ScopeId::default_root()];
        while let Some(scope) = todo.pop() {
            let inner = self.declare(scope, file, modules, symbols, problems);
            todo.extend(inner.into_iter().rev());
            if self.scopes.len() > INSTANCES {
                let span = file.modules[root].name.span;
                problems.error(span, format!("this module has more than {INSTANCES} instances"));
                return;
            }
        }
    }

    fn new_scope(&mut self, module: usize, prefix: String, depth: u32) -> ScopeId {
        let (names, declared) = (FxHashMap::default(), Vec::new());
        self.scopes.push(Scope { module, prefix, names, declared, depth })
    }

    /// Enters a name into the table of its scope.
    fn enter(
        &mut self,
        scope: ScopeId,
        ident: Ident,
        entry: Entry,
        file: &File,
        problems: &mut Problems<'_>,
    ) -> bool {
        let scope = &mut self.scopes[scope];
        if scope.names.contains_key(&ident.name) {
            let first = scope.declared.iter().find(|other| other.name == ident.name);
            let place = problems.place(first.map_or(ident.span, |first| first.span));
            let message = format!("`{}` is declared twice", &file.names[ident.name]);
            problems.error_help(ident.span, message, format!("the first is at {place}"));
            return false;
        }
        scope.names.insert(ident.name, entry);
        scope.declared.push(ident);
        true
    }

    pub(super) fn new_macro(
        &mut self,
        scope: ScopeId,
        body: ast::ExprId,
        name: String,
        span: Span,
        parameter: bool,
    ) -> MacroId {
        self.macros.push(Macro { scope, body, name, span, parameter, known: Default::default() })
    }

    /// Fills the table of a scope (its parameters are there); the instances it has.
    fn declare(
        &mut self,
        scope: ScopeId,
        file: &File,
        modules: &Modules,
        symbols: &mut Symbols,
        problems: &mut Problems<'_>,
    ) -> Vec<ScopeId> {
        let mut inner = Vec::new();
        let prefix = self.scopes[scope].prefix.clone();
        for item in &file.modules[self.scopes[scope].module].items {
            match item {
                Item::Variables(kind, list) => {
                    for declaration in list {
                        let name = declaration.name;
                        if let TypeKind::Instance { module, arguments, .. } = &declaration.ty.kind {
                            if *kind != VariableKind::State {
                                let word = if *kind == VariableKind::Input { "IVAR" } else { "FROZENVAR" };
                                problems.error(
                                    declaration.ty.span,
                                    format!("an instance is declared in VAR, not in {word}"),
                                );
                            }
                            let Some(module) = modules.find(module.name) else { continue };
                            let full = format!("{prefix}{}.", &file.names[name.name]);
                            if let Some(of) =
                                self.instance(scope, module, full, name, arguments, file, problems)
                            {
                                inner.push(of);
                            }
                        } else {
                            self.enter(scope, name, Entry::Pending, file, problems);
                            self.constants_of(&declaration.ty, file, symbols);
                        }
                    }
                }
                Item::Define(list) => {
                    for define in list {
                        let full = format!("{prefix}{}", &file.names[define.name.name]);
                        let id = self.new_macro(scope, define.value, full, define.name.span, false);
                        self.enter(scope, define.name, Entry::Macro(id), file, problems);
                    }
                }
                Item::Constants(list) => {
                    for constant in list {
                        self.constant(constant.name, file, symbols);
                    }
                }
                _ => {}
            }
        }
        inner
    }

    #[allow(clippy::too_many_arguments)] // what an instance is made of
    fn instance(
        &mut self,
        outer: ScopeId,
        module: usize,
        prefix: String,
        name: Ident,
        arguments: &[ast::ExprId],
        file: &File,
        problems: &mut Problems<'_>,
    ) -> Option<ScopeId> {
        let depth = self.scopes[outer].depth + 1;
        if depth > DEPTH {
            problems.error(name.span, format!("instances are nested more than {DEPTH} deep"));
            return None;
        }
        let inner = self.new_scope(module, prefix, depth);
        self.enter(outer, name, Entry::Instance(inner), file, problems);
        for (&parameter, &argument) in file.modules[module].parameters.iter().zip(arguments) {
            let full = format!("{}{}", self.scopes[inner].prefix, &file.names[parameter.name]);
            let id = self.new_macro(outer, argument, full, parameter.span, true);
            self.enter(inner, parameter, Entry::Macro(id), file, problems);
        }
        Some(inner)
    }

    fn constant(&mut self, name: Symbol, file: &File, symbols: &mut Symbols) {
        let value = symbols.value(file, name);
        if self.constants.insert(name, value).is_none() {
            self.constant_names.push(name);
        }
    }

    /// The symbolic constants that a type brings along.
    fn constants_of(&mut self, ty: &ast::Type, file: &File, symbols: &mut Symbols) {
        let mut ty = ty;
        while let TypeKind::Array(_, _, element) = &ty.kind {
            ty = element;
        }
        if let TypeKind::Enumeration(elements) = &ty.kind {
            for &element in elements {
                if let ast::Expr::Name(name) = file.exprs.nodes[element] {
                    self.constant(name, file, symbols);
                }
            }
        }
    }

    /// Whether a value is one of a variable, `EXIT` not counted.
    pub(super) fn has_value(&self, variable: VariableId, value: i64) -> bool {
        match &self.variables[variable].domain {
            ir::Domain::Boolean => value == 0 || value == 1,
            ir::Domain::Range(low, high) => (*low..=*high).contains(&value),
            ir::Domain::Enumeration(values) => match &self.shapes[variable].members {
                Some(members) => members.contains(&value),
                None => values.contains(&value),
            },
            ir::Domain::Word { signed, width } => super::build::wrap(value, *signed, *width) == value,
        }
    }
}

impl ScopeId {
    /// The structure itself.
    pub(super) fn default_root() -> Self {
        loris_base::Idx::new(0)
    }
}
