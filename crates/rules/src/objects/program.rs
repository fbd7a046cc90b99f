//! How calls are resolved and what they throw, for following objects.

use loris_base::Symbol;
use loris_java::class::{Invoke, Op};
use loris_java::objects::{Dispatch, Exceptions};
use loris_java::{MethodId, Program};
use rustc_hash::FxHashMap;
use std::cell::RefCell;

/// Resolves calls by class hierarchy, and lets methods throw what they declare.
pub(super) struct Declared<'p> {
    program: &'p Program,
    /// exceptions that are not counted
    improbable: Vec<Symbol>,
    /// what every call may throw, too
    unchecked: Option<Symbol>,
    targets: RefCell<FxHashMap<(MethodId, usize), Vec<MethodId>>>,
    thrown: RefCell<FxHashMap<(MethodId, usize), Vec<Symbol>>>,
}

impl<'p> Declared<'p> {
    pub(super) fn new(program: &'p Program, improbable: &[String], unchecked: bool) -> Self {
        let improbable =
            improbable.iter().filter_map(|name| program.names.find(&name.replace('.', "/"))).collect();
        let unchecked = program.names.find("java/lang/RuntimeException").filter(|_| unchecked);
        Self { program, improbable, unchecked, targets: RefCell::default(), thrown: RefCell::default() }
    }
}

impl Dispatch for Declared<'_> {
    fn targets(&self, method: MethodId, number: usize) -> Vec<MethodId> {
        if let Some(known) = self.targets.borrow().get(&(method, number)) {
            return known.clone();
        }
        let class = self.program.class(self.program.owner(method));
        let targets = match self.program.body(method).ok().flatten().map(|body| body.instructions[number].op)
        {
            Some(Op::Invoke(invoke, constant)) => class
                .pool
                .member(constant)
                .map(|member| self.program.targets(invoke, &member))
                .unwrap_or_default(),
            _ => Vec::new(),
        };
        self.targets.borrow_mut().insert((method, number), targets.clone());
        targets
    }
}

impl Exceptions for Declared<'_> {
    fn always(&self, method: MethodId, number: usize) -> Option<Symbol> {
        let unchecked = self.unchecked?;
        let program = self.program;
        let body = program.body(method).ok()??;
        let Op::Invoke(_, constant) = body.instructions[number].op else { return None };
        let member = program.class(program.owner(method)).pool.member(constant)?;
        // locks fail only if they are misused; logging and waiting do not fail
        let owner = &program.names[member.owner];
        let lock = owner.starts_with("java/util/concurrent/locks/") && owner.ends_with("Lock");
        let quiet = lock || owner.starts_with("java/util/logging/") || owner == "java/lang/Thread";
        (!quiet).then_some(unchecked)
    }

    fn at(&self, method: MethodId, number: usize) -> Vec<Symbol> {
        if let Some(known) = self.thrown.borrow().get(&(method, number)) {
            return known.clone();
        }
        let program = self.program;
        let class = program.class(program.owner(method));
        let mut thrown = Vec::new();
        if let Ok(Some(body)) = program.body(method) {
            match body.instructions[number].op {
                Op::Invoke(_, constant) => {
                    thrown.extend(self.always(method, number));
                    let declared = class.pool.member(constant).and_then(|member| program.resolve(&member));
                    thrown.extend(
                        declared.into_iter().flat_map(|method| program.method(method).exceptions.clone()),
                    );
                }
                Op::Throw => {
                    let before = number.checked_sub(1).map(|before| body.instructions[before].op);
                    match before {
                        Some(Op::Invoke(Invoke::Special, constant)) => {
                            thrown.extend(class.pool.member(constant).map(|member| member.owner));
                        }
                        _ => thrown.extend(program.names.find("java/lang/Throwable")),
                    }
                }
                _ => {}
            }
        }
        thrown.retain(|thrown| !self.improbable.contains(thrown));
        self.thrown.borrow_mut().insert((method, number), thrown.clone());
        thrown
    }
}
