//! Relations between modules: instances, calls, and which modules are structures.

use super::problems::{Problems, cycle};
use crate::syntax::ast::{Declaration, Expr, File, Ident, Item, Module, Type, TypeKind};
use loris_base::Symbol;
use rustc_hash::FxHashMap;

/// The modules of a file.
pub(super) struct Modules {
    by_name: FxHashMap<Symbol, usize>,
    /// Whether some module calls or leaves.
    pub(super) recursive: bool,
    /// Those that are structures, in the order of the file.
    pub(super) roots: Vec<usize>,
}

impl Modules {
    /// Finds out, and reports an error where instances or calls are not as they should be. `None`
    /// if nothing can be made of the file.
    pub(super) fn new(file: &File, problems: &mut Problems<'_>) -> Option<Self> {
        let by_name = names(file, problems);
        let mut table = Self { by_name, recursive: is_recursive(file), roots: Vec::new() };
        let (mut instantiated, mut called) =
            (vec![None; file.modules.len()], vec![false; file.modules.len()]);
        let mut uses: Vec<Vec<usize>> = vec![Vec::new(); file.modules.len()];
        for (i, module) in file.modules.iter().enumerate() {
            for declaration in declarations(module) {
                if let Some((to, ident)) = table.instance(file, declaration, problems) {
                    instantiated[to] = instantiated[to].or(Some(ident));
                    uses[i].push(to);
                }
            }
            for item in &module.items {
                let Item::Isa(name) = item else { continue };
                if let Some(&to) = table.by_name.get(&name.name) {
                    instantiated[to] = instantiated[to].or(Some(*name));
                }
            }
            for call in calls(module) {
                match table.by_name.get(&call.name) {
                    Some(&to) => called[to] = true,
                    None => Self::unknown(file, call, "nothing to call: there is no module", problems),
                }
            }
        }
        if !no_cycle(file, &uses, problems) {
            return None;
        }
        if table.recursive {
            table.structures(file, &instantiated, &called, problems);
        } else {
            table.finite_roots(file, &instantiated, problems);
        }
        Some(table)
    }

    pub(super) fn find(&self, name: Symbol) -> Option<usize> {
        self.by_name.get(&name).copied()
    }

    fn unknown(file: &File, ident: Ident, message: &str, problems: &mut Problems<'_>) {
        let message = format!("{message} `{}`", &file.names[ident.name]);
        problems.unknown(
            ident.span,
            message,
            file.modules.iter().map(|module| &file.names[module.name.name]),
        );
    }

    /// The module that a declaration instantiates, if it does, and rightly.
    fn instance(
        &self,
        file: &File,
        declaration: &Declaration,
        problems: &mut Problems<'_>,
    ) -> Option<(usize, Ident)> {
        let mut ty: &Type = &declaration.ty;
        let mut of_array = false;
        while let TypeKind::Array(_, _, element) | TypeKind::WordArray(_, element) = &ty.kind {
            (ty, of_array) = (element, true);
        }
        let TypeKind::Instance { module, arguments, process } = &ty.kind else { return None };
        if *process && self.recursive {
            let help = "without `process`, all instances move in every step";
            let message = "`process` is not supported together with `CALL` and `EXIT`";
            problems.error_help(ty.span, message, help);
        }
        if of_array {
            let help = "declare one variable for each instance";
            problems.error_help(ty.span, "arrays of instances are not supported", help);
            return None;
        }
        let Some(to) = self.find(module.name) else {
            Self::unknown(file, *module, "there is no module", problems);
            return None;
        };
        let wanted = file.modules[to].parameters.len();
        if wanted != arguments.len() {
            let name = &file.names[module.name];
            let message = format!("`{name}` has {}, not {}", plural(wanted), arguments.len());
            problems.error(ty.span, message);
            return None;
        }
        Some((to, *module))
    }

    /// Without `CALL` and `EXIT`: `main`, or else all modules that can stand alone.
    fn finite_roots(&mut self, file: &File, instantiated: &[Option<Ident>], problems: &mut Problems<'_>) {
        let main = file.names.find("main").and_then(|main| self.find(main));
        if let Some(main) = main {
            if let Some(parameter) = file.modules[main].parameters.first() {
                problems.error(parameter.span, "`main` has no parameters: nothing could give their values");
            } else {
                self.roots = vec![main];
            }
            return;
        }
        self.roots = (0..file.modules.len())
            .filter(|&i| instantiated[i].is_none() && file.modules[i].parameters.is_empty())
            .collect();
        if self.roots.is_empty() {
            problems.global("there is no module `main`", "a file starts with `MODULE main`");
        }
    }

    /// With `CALL` or `EXIT`: all modules that are not part of others.
    fn structures(
        &mut self,
        file: &File,
        instantiated: &[Option<Ident>],
        called: &[bool],
        problems: &mut Problems<'_>,
    ) {
        for (i, module) in file.modules.iter().enumerate() {
            let name = &file.names[module.name.name];
            let Some(place) = instantiated[i] else {
                match module.parameters.first() {
                    Some(parameter) => problems.error_help(
                        parameter.span,
                        format!("`{name}` has parameters, but no instance gives their values"),
                        "a module that is a structure of its own has none",
                    ),
                    None => self.roots.push(i),
                }
                continue;
            };
            if called[i] {
                problems.error_help(
                    place.span,
                    format!("`{name}` is both instantiated and called"),
                    "a module is either part of another or a structure of its own",
                );
            }
            if let Some(call) = calls(module).next() {
                problems.error_help(
                    call.span,
                    format!("`{name}` calls, but it is instantiated"),
                    format!("put the CALL into the module that has `{name}` as an instance"),
                );
            }
        }
    }
}

fn plural(parameters: usize) -> String {
    match parameters {
        0 => "no parameters".to_owned(),
        1 => "one parameter".to_owned(),
        n => format!("{n} parameters"),
    }
}

fn names(file: &File, problems: &mut Problems<'_>) -> FxHashMap<Symbol, usize> {
    let mut by_name: FxHashMap<Symbol, usize> = FxHashMap::default();
    for (i, module) in file.modules.iter().enumerate() {
        let Ident { name, span } = module.name;
        if let Some(&first) = by_name.get(&name) {
            let place = problems.place(file.modules[first].name.span);
            let message = format!("there are two modules `{}`", &file.names[name]);
            problems.error_help(span, message, format!("the first is at {place}"));
        } else {
            by_name.insert(name, i);
        }
    }
    by_name
}

fn is_recursive(file: &File) -> bool {
    file.modules.iter().any(|module| module.items.iter().any(|item| matches!(item, Item::Call(_))))
        || file.exprs.nodes.iter().any(|node| matches!(node, Expr::Exit))
}

/// All declarations of variables of a module.
pub(super) fn declarations(module: &Module) -> impl Iterator<Item = &Declaration> {
    module.items.iter().flat_map(|item| match item {
        Item::Variables(_, list) => list.as_slice(),
        _ => &[],
    })
}

fn calls(module: &Module) -> impl Iterator<Item = Ident> {
    module
        .items
        .iter()
        .flat_map(|item| match item {
            Item::Call(list) => list.as_slice(),
            _ => &[],
        })
        .map(|call| call.name)
}

/// Whether no module contains itself; else names the modules that do.
fn no_cycle(file: &File, uses: &[Vec<usize>], problems: &mut Problems<'_>) -> bool {
    let mut fine = true;
    after_uses(uses, |cycle| {
        fine = false;
        report_cycle(file, "contains", cycle, problems);
    });
    fine
}

/// Reports that a module is related to itself, by way of those that follow.
pub(super) fn report_cycle(file: &File, relation: &str, modules: &[usize], problems: &mut Problems<'_>) {
    let name = |&module: &usize| &file.modules[module].name;
    let names = modules.iter().map(|module| &file.names[name(module).name]);
    let message = format!("a module {relation} itself: {}", cycle(names));
    problems.error(name(&modules[0]).span, message);
}

/// All numbers, each after those it uses, as far as there are no cycles; those that are met are
/// passed to `on_cycle`. Linear.
pub(super) fn after_uses(uses: &[Vec<usize>], mut on_cycle: impl FnMut(&[usize])) -> Vec<usize> {
    // 0 not seen, 1 on the path, 2 done
    let mut color = vec![0_u8; uses.len()];
    let mut order = Vec::new();
    for start in 0..uses.len() {
        let mut path: Vec<(usize, usize)> = Vec::new();
        if color[start] == 0 {
            color[start] = 1;
            path.push((start, 0));
        }
        while let Some((at, next)) = path.last_mut() {
            let Some(&to) = uses[*at].get(*next) else {
                color[*at] = 2;
                order.push(*at);
                path.pop();
                continue;
            };
            *next += 1;
            if color[to] == 0 {
                color[to] = 1;
                path.push((to, 0));
            } else if color[to] == 1 {
                let on_path = path.iter().map(|&(at, _)| at);
                on_cycle(&on_path.skip_while(|&at| at != to).collect::<Vec<_>>());
            }
        }
    }
    order
}
