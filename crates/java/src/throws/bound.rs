//! What a compiler of Java lets pass: a checked exception is caught or declared (The Java Language
//! Specification, section 11.2).
//!
//! What is known of a call is often only that it throws some `Exception`: a type parameter stands
//! for the real type (`throws E`), or another language declares nothing. Where neither a handler
//! nor the method names something as broad, the compiler knew better. What is thrown is then of one
//! of the types that they do name, or not checked. That holds of code that a compiler of Java has
//! checked: other languages do not, and methods that compilers make need not declare anything.

use crate::class::{Body, Method};
use crate::program::{MethodId, Program};
use loris_base::Symbol;
use std::borrow::Cow;

/// Types that an unchecked exception may hide behind.
pub(super) const BROAD: [&str; 2] = ["java/lang/Exception", "java/lang/Throwable"];

/// Types that nobody has to declare.
pub(super) const UNCHECKED: [&str; 2] = ["java/lang/RuntimeException", "java/lang/Error"];

/// Annotations that compilers of other languages leave in class files.
const OTHER_LANGUAGES: [&str; 3] =
    ["Lkotlin/Metadata;", "Lscala/reflect/ScalaSignature;", "Lscala/reflect/ScalaLongSignature;"];

/// Whether a compiler of Java has checked what leaves a method.
pub(super) fn is_checked(program: &Program, id: MethodId) -> bool {
    let class = program.class(program.owner(id));
    let extension = |file: Symbol| program.names[file].rsplit_once('.').map(|(_, extension)| extension);
    let is_java = |file: Symbol| extension(file) == Some("java");
    let is_other = |kind: Symbol| OTHER_LANGUAGES.contains(&&program.names[kind]);
    let Method { flags, code, .. } = program.method(id);
    code.is_some()
        && !flags.is_synthetic()
        && class.source_file.is_some_and(is_java)
        && !class.annotations.iter().any(|annotation| is_other(annotation.kind))
}

/// Whether a type says hardly more than that something is thrown.
pub(crate) fn is_broad(program: &Program, name: Symbol) -> bool {
    BROAD.contains(&&program.names[name])
}

/// The exceptions of an instruction with what the method around it tells about those whose types
/// are broad.
///
/// Nothing is lost but what cannot be: types that are not broad stay, and a broad one stays if a
/// handler around the instruction or the method itself names one that covers it.
pub fn passing<'t>(
    program: &Program,
    id: MethodId,
    body: &Body<'_>,
    number: usize,
    thrown: Cow<'t, [Symbol]>,
) -> Cow<'t, [Symbol]> {
    if !thrown.iter().any(|&name| is_broad(program, name)) || !is_checked(program, id) {
        return thrown;
    }
    let at = body.instructions[number].at;
    let handlers = body.code.handlers.iter().filter(|handler| handler.covers(at));
    let caught = handlers.filter_map(|handler| handler.caught);
    let named: Vec<Symbol> = caught.chain(program.method(id).exceptions.iter().copied()).collect();
    let mut all = Vec::with_capacity(thrown.len() + named.len());
    for &name in &*thrown {
        if !is_broad(program, name) || named.iter().any(|&other| program.is_subtype(name, other)) {
            all.push(name);
            continue;
        }
        let unchecked = UNCHECKED.iter().filter_map(|name| program.names.find(name));
        let below = |&other: &Symbol| program.is_subtype(other, name) || program.is_vague(other);
        all.extend(named.iter().copied().chain(unchecked).filter(below));
    }
    all.sort_unstable();
    all.dedup();
    Cow::Owned(all)
}
