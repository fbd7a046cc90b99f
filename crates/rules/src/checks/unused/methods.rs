//! Methods that are never called, except by others that are not.

use super::constants::has_switch_off;
use super::lookups::Member;
use super::scope::{Scope, Scopes};
use super::{Uses, is_used_elsewhere};
use crate::checks::Bounds;
use crate::context::ProgramContext;
use loris_base::{Budget, Exhausted, Symbol};
use loris_findings::{Confidence, Finding, RuleInfo};
use loris_java::class::{Class, Method};
use loris_java::{ClassId, MethodId, Program};
use rustc_hash::{FxHashMap, FxHashSet};

/// Why all calls of a method are in the program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Closed {
    /// It is private.
    Private,
    /// Its class is seen in its nest only.
    Nest,
    /// It is seen in its package only, which has a `main`.
    Application,
}

/// Methods that are used only if something in the program calls them.
#[derive(Default)]
pub(super) struct Candidates {
    methods: Vec<MethodId>,
    closed: FxHashMap<MethodId, Closed>,
}

impl Candidates {
    fn insert(&mut self, method: MethodId, closed: Closed) {
        self.methods.push(method);
        self.closed.insert(method, closed);
    }

    pub(super) fn contains(&self, method: MethodId) -> bool {
        self.closed.contains_key(&method)
    }

    /// Why all calls of a method are in the program, if they are.
    pub(super) fn get(&self, method: MethodId) -> Option<Closed> {
        self.closed.get(&method).copied()
    }
}

/// Methods that the platform calls by their names.
const CALLED_BY_PLATFORM: [&str; 9] = [
    "readObject",
    "writeObject",
    "readResolve",
    "writeReplace",
    "readObjectNoData",
    "main",
    "premain",
    "agentmain",
    "<clinit>",
];

pub(super) fn candidates(
    context: &ProgramContext<'_>,
    scopes: &Scopes<'_>,
    budget: &mut Budget,
) -> Result<Candidates, Exhausted> {
    let program = context.program;
    let mut found = Candidates::default();
    for id in context.reported() {
        let class = program.class(id);
        budget.spend(class.methods.len())?;
        let mut ancestry = None;
        for method in program.methods_of(id) {
            let declared = program.method(method);
            if is_of_compiler(program, class, declared)
                || declared.flags.is_native()
                || context.is_of_another_language(id) && is_constant(program, class, declared)
            {
                continue;
            }
            if declared.flags.is_private() {
                found.insert(method, Closed::Private);
                continue;
            }
            if &program.names[declared.name] == "<init>" || declared.code.is_none() {
                continue;
            }
            let closed = match scopes.of(id, declared.flags) {
                Scope::Nest => Closed::Nest,
                Scope::Package if scopes.is_in_application(id) => Closed::Application,
                _ => continue,
            };
            let ancestry = ancestry.get_or_insert_with(|| Ancestry::new(program, id));
            if ancestry.is_known && !ancestry.overrides(program, declared) {
                found.insert(method, closed);
            }
        }
    }
    Ok(found)
}

/// Whether a compiler or the language demands a method.
fn is_of_compiler(program: &Program, class: &Class, method: &Method) -> bool {
    let (name, descriptor) = (&program.names[method.name], &program.names[method.descriptor]);
    let constructors =
        || class.methods.iter().filter(|method| &program.names[method.name] == "<init>").count();
    // an enumeration has a constructor, even if it has no constants
    let of_enum = class.flags.is_enum()
        && (name == "values"
            || name == "valueOf"
            || name == "<init>" && (descriptor == "(Ljava/lang/String;I)V" || constructors() == 1));
    let of_record = class.is_record
        && (descriptor.starts_with("()") && class.fields.iter().any(|field| field.name == method.name)
            || matches!(name, "<init>"));
    method.flags.is_synthetic()
        || of_enum
        || of_record
        || CALLED_BY_PLATFORM.contains(&name)
        || name.contains('$')
        // called only where a switch is on that is off, so that the calls are not there
        || name.to_lowercase().contains("debug")
}

/// The bytes of `ldc_w` and `ldc2_w`.
const LONGEST_LOAD: usize = 3;

/// Whether a method without parameters only returns a constant: compilers of other languages copy
/// the constant to where the accessor of a property would be called.
fn is_constant(program: &Program, class: &Class, method: &Method) -> bool {
    let Some(code) = &method.code else { return false };
    // from `aconst_null` to `ldc2_w`, then a return of a value
    let is_load = |bytes: &[u8]| bytes.first().is_some_and(|opcode| (0x01..=0x14).contains(opcode));
    let bytes = class.instructions(code);
    program.names[method.descriptor].starts_with("()")
        && bytes.len() <= LONGEST_LOAD + 1
        && is_load(bytes)
        && bytes.last().is_some_and(|opcode| (0xac..=0xb0).contains(opcode))
}

/// Packages whose declarations are built in as far as rules about objects need them.
const PARTIAL: [&str; 2] = ["javax/servlet/", "jakarta/servlet/"];

/// The types through which a method of a class may be called.
struct Ancestry {
    /// All types that the class and its subclasses inherit from, without the class itself.
    types: Vec<ClassId>,
    /// Whether all of them are known.
    is_known: bool,
}

impl Ancestry {
    fn new(program: &Program, class: ClassId) -> Self {
        let mut types: Vec<ClassId> =
            program.all_subtypes(class).into_iter().flat_map(|subtype| program.supertypes(subtype)).collect();
        types.sort_unstable();
        types.dedup();
        let parents = types.iter().map(|&class| program.class(class));
        let mut names = parents.flat_map(|class| class.superclass.iter().chain(&class.interfaces));
        let is_partial = |name: &str| PARTIAL.iter().any(|package| name.starts_with(package));
        let is_known =
            names.all(|&name| program.find_class(name).is_some() && !is_partial(&program.names[name]));
        types.retain(|&other| other != class);
        Self { types, is_known }
    }

    /// Whether another type declares the method.
    fn overrides(&self, program: &Program, method: &Method) -> bool {
        let declares = |&class: &ClassId| program.declared(class, method.name, method.descriptor).is_some();
        self.types.iter().any(declares)
    }
}

impl Uses<'_> {
    /// Methods that are never called, except by others that are not.
    pub(super) fn unused_methods(&self, context: &ProgramContext<'_>) -> FxHashSet<MethodId> {
        let program = context.program;
        let mut called: FxHashMap<MethodId, Vec<MethodId>> = FxHashMap::default();
        let mut callees = FxHashSet::default();
        for &(caller, callee) in &self.found.calls {
            called.entry(caller).or_default().push(callee);
            callees.insert(callee);
        }
        let lookups = self.found.lookups.by_package(program, |class| self.found.named.own(class));
        let mut annotated: FxHashMap<ClassId, FxHashSet<Symbol>> = FxHashMap::default();
        let mut unused = FxHashSet::default();
        for &method in &self.candidates.methods {
            let class = program.owner(method);
            // sources of parameters of tests have the name of the test
            let annotated = annotated.entry(class).or_insert_with(|| annotated_names(context, class));
            let name = program.method(method).name;
            let is_kept = annotated.contains(&name)
                || self.found.referred.contains(&method)
                || self.found.named.is_named(program, class, name)
                || lookups.may_find(program, class, Member::Method, name)
                || &program.names[name] == "<init>" && self.keeps_others_out(context, method, &callees)
                // a class that nothing mentions is found by its name, or not used at all
                || self.candidates.get(method) == Some(Closed::Application)
                    && !self.scopes.has_main(class)
                    && !self.found.mentioned.contains(&class);
            if !is_kept {
                unused.insert(method);
            }
        }
        // what a method that is used calls is used; so is what a method calls that is unused only
        // because nobody sees its class, as there is a finding about that method already
        let counts = |method: &MethodId| {
            !unused.contains(method) || self.candidates.get(*method) == Some(Closed::Nest)
        };
        let callers = self.found.calls.iter().map(|&(caller, _)| caller);
        let mut work: Vec<MethodId> = callers.filter(counts).collect();
        work.dedup();
        while let Some(method) = work.pop() {
            for callee in called.get(&method).into_iter().flatten() {
                if unused.remove(callee) {
                    work.push(*callee);
                }
            }
        }
        unused
    }

    /// Whether a private constructor is there so that nobody makes objects: it has no parameters.
    /// In an application it also has to be the only one, and not called.
    fn keeps_others_out(
        &self,
        context: &ProgramContext<'_>,
        constructor: MethodId,
        callees: &FxHashSet<MethodId>,
    ) -> bool {
        let program = context.program;
        let class = program.owner(constructor);
        let declared = program.method(constructor);
        let others =
            program.class(class).methods.iter().filter(|method| method.name == declared.name).count();
        &program.names[declared.descriptor] == "()V"
            && (!self.scopes.is_in_application(class) || others == 1 && !callees.contains(&constructor))
    }
}

fn annotated_names(context: &ProgramContext<'_>, class: ClassId) -> FxHashSet<Symbol> {
    let methods = context.program.class(class).methods.iter();
    methods
        .filter(|method| is_used_elsewhere(context, &method.annotations))
        .map(|method| method.name)
        .collect()
}

/// Reports methods that are never called.
pub(in super::super) fn methods(
    context: &ProgramContext<'_>,
    rule: &RuleInfo,
    (uses, bounds): (&Uses<'_>, &Bounds),
    found: &mut Vec<Finding>,
) {
    let program = context.program;
    let unused = uses.unused_methods(context);
    for id in context.reported().filter(|&class| bounds.has_class(class)) {
        let mut is_off = None;
        for method in program.methods_of(id).filter(|method| unused.contains(method)) {
            let declared = program.method(method);
            let private = if declared.flags.is_private() { "private " } else { "" };
            let message = match &program.names[declared.name] {
                "<init>" => format!("the {private}constructor is never called"),
                name => format!("the {private}method \"{name}\" is never called"),
            };
            let mut finding = context.finding(rule, method, 0, message);
            if uses.candidates.get(method) == Some(Closed::Application) {
                let why = "code outside of the program may call the method";
                finding = finding.at_most(Confidence::Likely, why);
            }
            if is_used_elsewhere(context, &program.class(id).annotations) {
                let why = "what reads the annotations of the class may call its methods";
                finding = finding.at_most(Confidence::Likely, why);
            }
            if uses.has_native(program, id) {
                let why = "native code of the classes around it may call the method";
                finding = finding.at_most(Confidence::Possible, why);
            }
            if *is_off.get_or_insert_with(|| has_switch_off(program, id)) {
                let why = "a constant of the class is false, and calls behind it are not there";
                finding = finding.at_most(Confidence::Possible, why);
            }
            found.push(finding);
        }
    }
}
