//! Lays out the instances of a structure, once and without recursion, each with a table of its
//! names.

use super::modules::Modules;
use super::problems::Problems;
use super::scope::{Entry, Macro, MacroId, Scope, ScopeId, Symbols, Tables};
use crate::ir::Span;
use crate::syntax::ast::{self, Declaration, Definition, File, Ident, Item, TypeKind, VariableKind};
use loris_base::{Idx, Symbol};
use rustc_hash::FxHashMap;
use std::collections::VecDeque;

/// More instances than any model has.
const INSTANCES: usize = 1 << 16;
/// Deeper than any model nests.
const DEPTH: u32 = 1000;

/// A name with dots, and the scope it is written in.
enum Late<'f> {
    Variable(ScopeId, VariableKind, &'f Declaration),
    Define(ScopeId, &'f Definition),
}

impl Tables {
    /// Lays out all instances of a structure: names of definitions, parameters and instances;
    /// variables are pending.
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
        self.new_scope(root, String::new(), 0, None);
        // instances whose names are not yet in their tables, the first on top
        let mut todo = vec![ScopeId::default_root()];
        // names with dots are declared when the names they continue are known
        let mut dotted = VecDeque::new();
        loop {
            if let Some(scope) = todo.pop() {
                self.order.push(scope);
                let inner = self.declare(scope, file, modules, symbols, &mut dotted, problems);
                todo.extend(inner.into_iter().rev());
            } else if let Some(late) = dotted.pop_front() {
                todo.extend(self.declare_dotted(&late, file, modules, symbols, problems));
            } else {
                self.name_processes(file, symbols);
                return;
            }
            if !problems.goes_on(1, 0) {
                return;
            }
            if self.scopes.len() > INSTANCES {
                let span = file.modules[root].name.span;
                problems.error(span, format!("this module has more than {INSTANCES} instances"));
                return;
            }
        }
    }

    /// A scope that belongs to a process; without one, it is a process itself.
    fn new_scope(&mut self, module: usize, prefix: String, depth: u32, process: Option<ScopeId>) -> ScopeId {
        let process = process.unwrap_or_else(|| ScopeId::new(self.scopes.len()));
        let (names, parts, declared) = (FxHashMap::default(), FxHashMap::default(), Vec::new());
        self.scopes.push(Scope { module, prefix, names, parts, declared, depth, process, is_instance: true })
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
            let first = first.map_or(ident.span, |first| first.span);
            problems.declared_twice(&file.names[ident.name], ident.span, first);
            return false;
        }
        // a place in the table and one in the list, both of which grow by doubling
        let of_entry = if let Entry::Macro(_) = entry { 3 * size_of::<Macro>() / 2 + 32 } else { 0 };
        problems.goes_on(1, 96 + of_entry + scope.prefix.len());
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

    /// Fills the table of a scope (its parameters are there); the instances it has. Names with dots
    /// are put off.
    fn declare<'f>(
        &mut self,
        scope: ScopeId,
        file: &'f File,
        modules: &Modules,
        symbols: &mut Symbols,
        dotted: &mut VecDeque<Late<'f>>,
        problems: &mut Problems<'_>,
    ) -> Vec<ScopeId> {
        let mut inner = Vec::new();
        for item in &file.modules[self.scopes[scope].module].items {
            match item {
                Item::Variables(kind, list) => {
                    for declaration in list {
                        if declaration.prefix.is_empty() {
                            let to = (scope, scope);
                            inner.extend(self.declare_variable(
                                to,
                                *kind,
                                declaration,
                                file,
                                modules,
                                symbols,
                                problems,
                            ));
                        } else {
                            dotted.push_back(Late::Variable(scope, *kind, declaration));
                        }
                    }
                }
                Item::Define(list) => {
                    for define in list {
                        if define.prefix.is_empty() {
                            self.define((scope, scope), define, file, problems);
                        } else {
                            dotted.push_back(Late::Define(scope, define));
                        }
                    }
                }
                Item::Constants(list) => {
                    for constant in list {
                        self.constant(constant.name, file, symbols);
                    }
                }
                Item::Hint(word, _) => {
                    let message =
                        format!("`{}` does not affect the model and is ignored", &file.names[word.name]);
                    problems.warning(word.span, message, None);
                }
                _ => {}
            }
        }
        inner
    }

    /// Declares a name with dots; the instance, if it is one.
    fn declare_dotted(
        &mut self,
        late: &Late<'_>,
        file: &File,
        modules: &Modules,
        symbols: &mut Symbols,
        problems: &mut Problems<'_>,
    ) -> Option<ScopeId> {
        match *late {
            Late::Variable(scope, kind, declaration) => {
                let to = self.part(file, scope, &declaration.prefix, declaration.name.span, problems)?;
                self.declare_variable((scope, to), kind, declaration, file, modules, symbols, problems)
            }
            Late::Define(scope, define) => {
                let to = self.part(file, scope, &define.prefix, define.name.span, problems)?;
                self.define((scope, to), define, file, problems);
                None
            }
        }
    }

    /// Declares a variable that is written in one scope and belongs to another; the instance, if it
    /// is one.
    #[allow(clippy::too_many_arguments)] // what a declaration is made of
    fn declare_variable(
        &mut self,
        (scope, to): (ScopeId, ScopeId),
        kind: VariableKind,
        declaration: &Declaration,
        file: &File,
        modules: &Modules,
        symbols: &mut Symbols,
        problems: &mut Problems<'_>,
    ) -> Option<ScopeId> {
        let name = declaration.name;
        let TypeKind::Instance { module, arguments, process } = &declaration.ty.kind else {
            self.enter(to, name, Entry::Pending, file, problems);
            self.constants_of(&declaration.ty, file, symbols);
            return None;
        };
        if kind != VariableKind::State {
            let word = if kind == VariableKind::Input { "IVAR" } else { "FROZENVAR" };
            problems.error(declaration.ty.span, format!("an instance is declared in VAR, not in {word}"));
        }
        let module = modules.find(module.name);
        let fits = |&module: &usize| file.modules[module].parameters.len() == arguments.len();
        let Some(module) = module.filter(fits) else {
            // reported before
            self.enter(to, name, Entry::Pending, file, problems);
            return None;
        };
        let inner = self.instance((scope, to), module, name, arguments, *process, file, problems)?;
        if *process {
            self.processes.push(inner);
        }
        Some(inner)
    }

    fn define(
        &mut self,
        (scope, to): (ScopeId, ScopeId),
        define: &Definition,
        file: &File,
        problems: &mut Problems<'_>,
    ) {
        let full = format!("{}{}", self.scopes[to].prefix, &file.names[define.name.name]);
        let id = self.new_macro(scope, define.value, full, define.name.span, false);
        self.enter(to, define.name, Entry::Macro(id), file, problems);
    }

    /// An instance that is declared in one scope, where its arguments are read, and belongs to
    /// another.
    #[allow(clippy::too_many_arguments)] // what an instance is made of
    fn instance(
        &mut self,
        (outer, to): (ScopeId, ScopeId),
        module: usize,
        name: Ident,
        arguments: &[ast::ExprId],
        process: bool,
        file: &File,
        problems: &mut Problems<'_>,
    ) -> Option<ScopeId> {
        let depth = self.scopes[to].depth + 1;
        if depth > DEPTH {
            problems.error(name.span, format!("instances are nested more than {DEPTH} deep"));
            return None;
        }
        let prefix = format!("{}{}.", self.scopes[to].prefix, &file.names[name.name]);
        let around = (!process).then_some(self.scopes[to].process);
        let inner = self.new_scope(module, prefix, depth, around);
        if self.enter(to, name, Entry::Instance(inner), file, problems) {
            // names that were declared to continue it may be there already
            if let Some(part) = self.scopes[to].parts.insert(name.name, inner) {
                let Scope { names, parts, declared, .. } = self.scopes[part].clone();
                let scope = &mut self.scopes[inner];
                (scope.names, scope.parts, scope.declared) = (names, parts, declared);
            }
        }
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
        while let TypeKind::Array(_, _, element) | TypeKind::WordArray(_, element) = &ty.kind {
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
