//! Lays out the instances of a structure, once and without recursion, each with a table of its names.

use super::modules::Modules;
use super::problems::Problems;
use super::scope::{Entry, Macro, MacroId, Scope, ScopeId, Symbols, Tables};
use crate::ir::Span;
use crate::syntax::ast::{self, File, Ident, Item, TypeKind, VariableKind};
use loris_base::Symbol;
use rustc_hash::FxHashMap;

/// More instances than any model has.
const INSTANCES: usize = 1 << 16;
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
        self.build.exits = modules.recursive;
        self.new_scope(root, String::new(), 0);
        // instances whose names are not yet in their tables, the first on top
        let mut todo = vec![ScopeId::default_root()];
        while let Some(scope) = todo.pop() {
            self.order.push(scope);
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
                            let module = modules.find(module.name);
                            let fits =
                                |&module: &usize| file.modules[module].parameters.len() == arguments.len();
                            let Some(module) = module.filter(fits) else {
                                // complained about before
                                self.enter(scope, name, Entry::Pending, file, problems);
                                continue;
                            };
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
}
