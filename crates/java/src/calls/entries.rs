//! Where a program starts.

use crate::glob::matches;
use crate::program::{ClassOrigin, MethodId, Program, dotted};
use loris_base::nearest;

/// Where a program starts.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Entries {
    /// The `main` methods of the application or, if there are none, all methods that others can
    /// call.
    #[default]
    Usual,
    /// These methods.
    Methods(Vec<MethodId>),
    /// All public and protected methods of public classes of the application.
    Public,
    /// All methods of the application.
    All,
}

/// There is no method with this name.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("there is no method \"{name}\" with code")]
pub struct NoEntry {
    /// The name that was asked for.
    pub name: String,
    /// The nearest that there is.
    pub nearest: Option<String>,
}

/// The methods with code that a name stands for: `package.Class.method`, for all with this name, or
/// with the descriptor behind it. A name with `*` or `?` is a pattern and stands for all methods of
/// the application whose names match.
///
/// # Errors
/// There is none.
pub fn methods_named(program: &Program, name: &str) -> Result<Vec<MethodId>, NoEntry> {
    let (path, descriptor) = name.split_at(name.find('(').unwrap_or(name.len()));
    let (class, method) = path.rsplit_once('.').unwrap_or(("", path));
    let mut found = Vec::new();
    if path.contains(['*', '?']) {
        let fits = |id: &MethodId| {
            let known = program.method(*id);
            known.code.is_some()
                && program.origin(program.owner(*id)) == ClassOrigin::Application
                && matches(path, &program.method_name(*id))
                && (descriptor.is_empty() || program.names[known.descriptor] == *descriptor)
        };
        found.extend(program.methods().filter(fits));
    } else if let Some(class) = program.class_named(class) {
        found.extend(program.methods_of(class).filter(|&id| {
            let known = program.method(id);
            known.code.is_some()
                && &program.names[known.name] == method
                && (descriptor.is_empty() || program.names[known.descriptor] == *descriptor)
        }));
    }
    if !found.is_empty() {
        return Ok(found);
    }
    let with_code = program.methods().filter(|&id| program.method(id).code.is_some());
    let mut names: Vec<String> = with_code.map(|id| program.method_name(id)).collect();
    names.sort_unstable();
    names.dedup();
    let nearest = nearest(&dotted(path), names.iter().map(String::as_str)).map(str::to_owned);
    Err(NoEntry { name: name.to_owned(), nearest })
}

/// The methods where the program starts, in order.
pub(super) fn entries(program: &Program, entries: &Entries) -> Vec<MethodId> {
    let application = |id: &MethodId| program.origin(program.owner(*id)) == ClassOrigin::Application;
    let with_code = || program.methods().filter(|&id| program.method(id).code.is_some()).filter(application);
    let public = || with_code().filter(|&id| is_public(program, id)).collect();
    match entries {
        Entries::Methods(methods) => {
            let mut methods = methods.clone();
            methods.sort_unstable();
            methods.dedup();
            methods
        }
        Entries::Public => public(),
        Entries::All => with_code().collect(),
        Entries::Usual => {
            let mains: Vec<MethodId> = with_code().filter(|&id| is_main(program, id)).collect();
            if mains.is_empty() { public() } else { mains }
        }
    }
}

/// Whether a method is one that programs start with.
pub fn is_main(program: &Program, id: MethodId) -> bool {
    let method = program.method(id);
    method.flags.is_public()
        && method.flags.is_static()
        && &program.names[method.name] == "main"
        && &program.names[method.descriptor] == "([Ljava/lang/String;)V"
}

fn is_public(program: &Program, id: MethodId) -> bool {
    let method = program.method(id);
    program.class(program.owner(id)).flags.is_public()
        && (method.flags.is_public() || method.flags.is_protected())
}
