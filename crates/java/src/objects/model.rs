//! What code that is not there does with objects: data, read from a resource model file.

use super::contract::{Contract, Contracts};
use super::pattern::MethodPattern;
use crate::class::{Descriptor, Member, Op};
use crate::program::{ClassOrigin, MethodId, Program, dotted};
use loris_base::Symbol;
use rustc_hash::FxHashMap;
use std::cell::RefCell;
use std::rc::Rc;

/// Bytes of the code of a method that returns a field: `aload_0`, `getfield` and a return.
const SHORTEST_GETTER: usize = 5;
/// Methods with more bytes of code are not looked at to know whether they only read.
const LONGEST_QUESTION: usize = 60;
/// A question that more methods than this answer is not looked at.
const ANSWERS: usize = 8;
/// Calls are followed this deep to know it.
const QUESTIONS: usize = 3;

/// What a method without code does with an object that it is given as an argument.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Handling {
    /// It uses it and lets go of it.
    Borrows,
    /// It keeps it where it cannot be followed.
    Keeps,
    /// What it makes or returns is closed in its place.
    Wraps,
}

/// What is known about methods without code. Patterns fit subtypes of the classes they name; the
/// first list that has a fitting pattern counts, in the order of fields.
#[derive(Clone, Debug, Default)]
pub struct Model {
    /// Methods that only use their arguments.
    pub borrows: Vec<MethodPattern>,
    /// Methods that keep their arguments.
    pub keeps: Vec<MethodPattern>,
    /// Methods and constructors whose result stands for the argument.
    pub wraps: Vec<MethodPattern>,
    /// Methods whose result stands for the receiver.
    pub views: Vec<MethodPattern>,
    /// Methods whose result is another object, though it is of the same type; closing it closes the
    /// receiver.
    pub distinct: Vec<MethodPattern>,
    /// Methods whose result keeps the receiver alive.
    pub children: Vec<MethodPattern>,
    /// Types whose objects are closed with what they come from.
    pub dependent: Vec<String>,
    /// Methods that return the same object at every call, as a field does.
    pub accessors: Vec<MethodPattern>,
    /// Methods that return true as long as the object is open, or held.
    pub is_open: Vec<MethodPattern>,
    /// Methods that return false as long as the object is open, or held.
    pub is_closed: Vec<MethodPattern>,
    /// Methods that never return.
    pub ends: Vec<MethodPattern>,
    /// Methods that always return the same for the same arguments.
    pub pure: Vec<MethodPattern>,
    /// Methods whose result has nothing to do with the receiver any more.
    pub terminal: Vec<MethodPattern>,
    /// Methods that run the functions they are given, and let go of them.
    pub runs: Vec<MethodPattern>,
    /// Types whose objects own the objects in their fields, beside `java.lang.AutoCloseable`.
    pub owners: Vec<String>,
    /// Types whose objects live long: what is made of them has to be closed by itself.
    pub lasting: Vec<String>,
    /// Types whose objects hold memory only.
    pub harmless: Vec<String>,
    /// Methods that hardly ever fail, whatever they declare.
    pub unlikely: Vec<MethodPattern>,
    /// Annotations that say who closes an object.
    pub contracts: Contracts,
}

impl Model {
    /// Whether what a method returns is closed with the object that it is called on, by its type.
    pub fn is_dependent(&self, program: &Program, member: &Member) -> bool {
        let result = Descriptor::of(&program.names[member.descriptor]).map(|descriptor| descriptor.result);
        let result = result.and_then(|result| result.strip_prefix('L')?.strip_suffix(';'));
        let Some(result) = result.and_then(|result| program.names.find(result)) else { return false };
        let classes = ancestors(program, result);
        self.dependent.iter().any(|known| classes.iter().any(|class| super::matches(known, class)))
    }
}

/// The model with answers that were given before.
pub(crate) struct Known<'m> {
    model: &'m Model,
    handled: RefCell<FxHashMap<Member, Handling>>,
    views: RefCell<FxHashMap<Member, bool>>,
    children: RefCell<FxHashMap<Member, bool>>,
    accessors: RefCell<FxHashMap<Member, bool>>,
    distinct: RefCell<FxHashMap<Member, bool>>,
    ends: RefCell<FxHashMap<Member, bool>>,
    owners: RefCell<FxHashMap<Symbol, bool>>,
    pure: RefCell<FxHashMap<Member, bool>>,
    getters: RefCell<FxHashMap<Member, Option<Symbol>>>,
    arguments: RefCell<FxHashMap<(Member, usize), Option<Contract>>>,
    discharges: RefCell<FxHashMap<Member, bool>>,
    terminal: RefCell<FxHashMap<Member, bool>>,
    runs: RefCell<FxHashMap<Member, bool>>,
    reads: RefCell<FxHashMap<Member, Option<Rc<[Symbol]>>>>,
    tests: RefCell<FxHashMap<Member, Option<bool>>>,
}

impl<'m> Known<'m> {
    pub(crate) fn new(model: &'m Model) -> Self {
        Self {
            model,
            handled: RefCell::default(),
            views: RefCell::default(),
            children: RefCell::default(),
            accessors: RefCell::default(),
            distinct: RefCell::default(),
            ends: RefCell::default(),
            owners: RefCell::default(),
            pure: RefCell::default(),
            getters: RefCell::default(),
            arguments: RefCell::default(),
            discharges: RefCell::default(),
            terminal: RefCell::default(),
            runs: RefCell::default(),
            reads: RefCell::default(),
            tests: RefCell::default(),
        }
    }

    /// What annotations say about the argument of a method at a slot, without the receiver.
    pub(crate) fn contract(&self, program: &Program, member: &Member, slot: usize) -> Option<Contract> {
        let of = || self.model.contracts.of_argument(program, member, slot);
        *self.arguments.borrow_mut().entry((*member, slot)).or_insert_with(of)
    }

    /// What annotations say about what a field holds.
    pub(crate) fn contract_of_field(&self, program: &Program, member: &Member) -> Option<Contract> {
        self.model.contracts.of_field(program, member)
    }

    /// Whether an annotation says that a method closes the object that it is called on.
    pub(crate) fn discharges(&self, program: &Program, member: &Member) -> bool {
        let contracts = &self.model.contracts;
        let of = || contracts.is_marked(program, member, &contracts.discharges);
        *self.discharges.borrow_mut().entry(*member).or_insert_with(of)
    }

    /// What a method without code does with an argument.
    pub(crate) fn handling(&self, program: &Program, member: &Member) -> Handling {
        if let Some(&known) = self.handled.borrow().get(member) {
            return known;
        }
        let handling = self.decide(program, member);
        self.handled.borrow_mut().insert(*member, handling);
        handling
    }

    fn decide(&self, program: &Program, member: &Member) -> Handling {
        let (classes, method) = (ancestors(program, member.owner), &program.names[member.name]);
        let fits = |patterns: &[MethodPattern]| patterns.iter().any(|pattern| pattern.fits(&classes, method));
        let Model { borrows, keeps, wraps, .. } = self.model;
        // a pattern for all methods of a package is not about what its constructors make
        let is_listed = method != "<init>" || program.find_class(member.owner).is_some();
        if is_listed && fits(borrows) {
            return Handling::Borrows;
        }
        if fits(keeps) {
            return Handling::Keeps;
        }
        if fits(wraps) {
            return Handling::Wraps;
        }
        // `com.sun` has parts of the platform, and others
        let is_program = |class| program.origin(class) != ClassOrigin::Platform;
        let name = &program.names[member.owner];
        let is_exported = name.starts_with("java/") || name.starts_with("javax/");
        let platform =
            is_platform(name) && (is_exported || !program.find_class(member.owner).is_some_and(is_program));
        if method == "<init>" {
            // a new object that is closed closes what it was made of; any other may keep it
            return if self.owns(program, member.owner) { Handling::Wraps } else { Handling::Keeps };
        }
        // code that nobody knows may do anything; the platform says by its names when it keeps
        if platform && !keeps_by_name(method) { Handling::Borrows } else { Handling::Keeps }
    }

    /// Whether the result of a method stands for its receiver: as the model says, or because the
    /// method returns the type it is of, as fluent interfaces do.
    pub(crate) fn is_view(&self, program: &Program, member: &Member) -> bool {
        if let Some(&known) = self.views.borrow().get(member) {
            return known;
        }
        let (classes, method) = (ancestors(program, member.owner), &program.names[member.name]);
        let listed = self.model.views.iter().any(|pattern| pattern.fits(&classes, method));
        let result = Descriptor::of(&program.names[member.descriptor]).map(|descriptor| descriptor.result);
        let fluent = result
            .and_then(|result| result.strip_prefix('L')?.strip_suffix(';'))
            .and_then(|result| program.names.find(result))
            .is_some_and(|result| result == member.owner && self.owns(program, result));
        let view = listed || (fluent && !self.is_distinct(program, member));
        self.views.borrow_mut().insert(*member, view);
        view
    }

    /// Whether a method never returns.
    pub(crate) fn ends(&self, program: &Program, member: &Member) -> bool {
        remembered(&self.ends, &self.model.ends, program, member)
    }

    /// Whether a method always returns the same for the same arguments.
    pub(crate) fn is_pure(&self, program: &Program, member: &Member) -> bool {
        remembered(&self.pure, &self.model.pure, program, member)
    }

    /// The field that a method of the program returns, if it does nothing else.
    pub(crate) fn getter(&self, program: &Program, member: &Member) -> Option<Symbol> {
        if let Some(&known) = self.getters.borrow().get(member) {
            return known;
        }
        let field = || {
            let takes_nothing = program.names[member.descriptor].starts_with("()");
            let method = program.resolve(member).filter(|_| takes_nothing)?;
            if program.method(method).code.as_ref()?.len() > SHORTEST_GETTER {
                return None;
            }
            let body = program.body(method).ok()??;
            let [get, read, back] = &body.instructions[..] else { return None };
            let (Op::Get(_, 0), Op::GetField(field), Op::Return(Some(_))) = (get.op, read.op, back.op) else {
                return None;
            };
            Some(program.class(program.owner(method)).pool.member(field)?.name)
        };
        // whether the object is open is told otherwise
        let field = field().filter(|_| self.state_test(program, member).is_none());
        self.getters.borrow_mut().insert(*member, field);
        field
    }

    /// Whether the result of a method keeps its receiver alive.
    pub(crate) fn is_child(&self, program: &Program, member: &Member) -> bool {
        remembered(&self.children, &self.model.children, program, member)
    }

    /// Whether the result of a method is another object that is closed in place of the receiver.
    pub(crate) fn is_distinct(&self, program: &Program, member: &Member) -> bool {
        let result = program.names[member.descriptor].rsplit(')').next().unwrap_or_default();
        result.starts_with('L')
            && remembered(&self.distinct, &self.model.distinct, program, member)
            && !remembered(&self.terminal, &self.model.terminal, program, member)
    }

    /// Whether a method runs the functions it is given, and lets go of them.
    pub(crate) fn runs(&self, program: &Program, member: &Member) -> bool {
        remembered(&self.runs, &self.model.runs, program, member)
    }

    /// The fields that a method of the program reads, if it only computes something from these and
    /// its arguments: it gives the same result as long as they have the same values.
    pub(crate) fn only_reads(&self, program: &Program, member: &Member) -> Option<Rc<[Symbol]>> {
        if let Some(known) = self.reads.borrow().get(member) {
            return known.clone();
        }
        // whether the object is open, or was locked, is told otherwise
        let is_told =
            self.state_test(program, member).is_some() || program.names[member.name].starts_with("try");
        let fields = (!is_told).then(|| {
            let mut fields = Vec::new();
            if let Some(methods) = Self::answering(program, member) {
                let all = methods.iter().all(|&method| self.code_reads(program, method, &mut fields, 0));
                return all.then(|| fields.into());
            }
            // what reads nothing is about to be written
            (self.reads(program, member, &mut fields, 0) && !fields.is_empty()).then(|| fields.into())
        });
        let fields: Option<Rc<[Symbol]>> = fields.flatten();
        self.reads.borrow_mut().insert(*member, fields.clone());
        fields
    }

    /// The methods of the program that answer a question which is left to subclasses, as
    /// `abstract boolean isRemote()` is; `None` if it is not one, or if many answer it.
    fn answering(program: &Program, member: &Member) -> Option<Vec<MethodId>> {
        let method = program.resolve(member)?;
        let class = program.owner(method);
        let descriptor = &program.names[member.descriptor];
        let asks = descriptor.starts_with("()") && !descriptor.ends_with('V');
        if !asks || program.method(method).code.is_some() || program.origin(class) == ClassOrigin::Platform {
            return None;
        }
        let below = program.all_subtypes(class).into_iter();
        let own = below.filter_map(|class| program.declared(class, member.name, member.descriptor));
        let with_code = |&method: &MethodId| program.method(method).code.is_some();
        let methods: Vec<MethodId> = own.filter(with_code).take(ANSWERS + 1).collect();
        (!methods.is_empty() && methods.len() <= ANSWERS).then_some(methods)
    }

    fn reads(&self, program: &Program, member: &Member, fields: &mut Vec<Symbol>, depth: usize) -> bool {
        program.resolve(member).is_some_and(|method| self.code_reads(program, method, fields, depth))
    }

    fn code_reads(
        &self,
        program: &Program,
        method: MethodId,
        fields: &mut Vec<Symbol>,
        depth: usize,
    ) -> bool {
        if depth >= QUESTIONS {
            return false;
        }
        if program.method(method).code.as_ref().is_none_or(|code| code.len() > LONGEST_QUESTION) {
            return false;
        }
        let Ok(Some(body)) = program.body(method) else { return false };
        let pool = &program.class(program.owner(method)).pool;
        body.instructions.iter().enumerate().all(|(number, instruction)| match instruction.op {
            Op::Get(..)
            | Op::Null
            | Op::Int(_)
            | Op::Load(..)
            | Op::Number(_)
            | Op::Compute { .. }
            | Op::InstanceOf(_)
            | Op::CheckCast(_)
            | Op::ArrayLength
            | Op::Return(Some(_)) => true,
            // loops may wait for somebody else
            Op::If(..) | Op::Goto(_) => {
                body.targets(instruction).iter().all(|&to| body.number(to).is_some_and(|to| to > number))
            }
            Op::GetField(field) | Op::GetStatic(field) => {
                fields.extend(pool.member(field).map(|member| member.name));
                true
            }
            Op::Invoke(_, called) => pool.member(called).is_some_and(|called| {
                self.is_pure(program, &called) || self.reads(program, &called, fields, depth + 1)
            }),
            _ => false,
        })
    }

    /// The name of what a method returns at every call, as reading a field does: the field of a
    /// getter, or the name of an accessor itself.
    pub(crate) fn reads_field(&self, program: &Program, member: &Member) -> Option<Symbol> {
        if self.is_accessor(program, member) {
            return Some(member.name);
        }
        // what is closed with its object is more than what a field holds
        if self.makes_child(program, member) { None } else { self.getter(program, member) }
    }

    /// Whether a method returns the same object at every call.
    pub(crate) fn is_accessor(&self, program: &Program, member: &Member) -> bool {
        remembered(&self.accessors, &self.model.accessors, program, member)
    }

    /// Whether a method called on an object that is open returns zero (true) or not, if it is
    /// known.
    pub(crate) fn state_test(&self, program: &Program, member: &Member) -> Option<bool> {
        let method = &program.names[member.name];
        if !method.starts_with("is") {
            return None;
        }
        if let Some(&known) = self.tests.borrow().get(member) {
            return known;
        }
        let classes = ancestors(program, member.owner);
        let fits = |patterns: &[MethodPattern]| patterns.iter().any(|pattern| pattern.fits(&classes, method));
        let told = match (fits(&self.model.is_open), fits(&self.model.is_closed)) {
            (true, _) => Some(false),
            (_, true) => Some(true),
            _ => None,
        };
        self.tests.borrow_mut().insert(*member, told);
        told
    }

    /// Whether a method tests its argument: true if it returns false, false if it returns true for
    /// objects that are not null.
    pub(crate) fn null_test(program: &Program, member: &Member) -> Option<bool> {
        if &program.names[member.owner] != "java/util/Objects" {
            return None;
        }
        match &program.names[member.name] {
            "isNull" => Some(true),
            "nonNull" => Some(false),
            _ => None,
        }
    }

    /// Whether what a method with code returns is made from the object that it is called on, and
    /// closed with it.
    pub(crate) fn makes_child(&self, program: &Program, member: &Member) -> bool {
        self.is_child(program, member) || self.model.is_dependent(program, member)
    }

    /// Whether a method throws what it declares only if there is nothing to return.
    pub(crate) fn finds(program: &Program, member: &Member) -> bool {
        &program.names[member.owner] == "java/util/Optional"
            && program.names[member.name].starts_with("orElse")
    }

    /// Whether objects of a class own what their fields hold.
    pub(crate) fn owns(&self, program: &Program, class: Symbol) -> bool {
        if let Some(&known) = self.owners.borrow().get(&class) {
            return known;
        }
        let classes = ancestors(program, class);
        let owns = classes.iter().any(|name| {
            name == "java.lang.AutoCloseable"
                || self.model.owners.iter().any(|owner| super::matches(owner, name))
        });
        self.owners.borrow_mut().insert(class, owns);
        owns
    }
}

fn remembered(
    known: &RefCell<FxHashMap<Member, bool>>,
    patterns: &[MethodPattern],
    program: &Program,
    member: &Member,
) -> bool {
    if let Some(&known) = known.borrow().get(member) {
        return known;
    }
    let (classes, method) = (ancestors(program, member.owner), &program.names[member.name]);
    let fits = patterns.iter().any(|pattern| pattern.fits(&classes, method));
    known.borrow_mut().insert(*member, fits);
    fits
}

/// A class and its ancestors, with dots. A class that is not known has itself only.
pub fn ancestors(program: &Program, class: Symbol) -> Vec<String> {
    match program.find_class(class) {
        Some(class) => {
            let mut names: Vec<String> =
                program.supertypes(class).into_iter().map(|class| program.class_name(class)).collect();
            // ancestors that are not known have names
            for ancestor in program.supertypes(class) {
                let class = program.class(ancestor);
                let parents = class.superclass.iter().chain(&class.interfaces);
                let unknown = parents.filter(|&&name| program.find_class(name).is_none());
                names.extend(unknown.map(|&name| dotted(&program.names[name])));
            }
            names
        }
        None => vec![dotted(&program.names[class])],
    }
}

/// Whether a class is one of the Java platform, by its name.
fn is_platform(class: &str) -> bool {
    ["java/", "javax/", "jdk/", "sun/", "com/sun/"].iter().any(|prefix| class.starts_with(prefix))
}

/// Whether a method of the platform keeps its arguments, by its name.
fn keeps_by_name(method: &str) -> bool {
    const VERBS: [&str; 26] = [
        "add",
        "put",
        "set",
        "offer",
        "push",
        "register",
        "submit",
        "execute",
        "schedule",
        "attach",
        "bind",
        "insert",
        "enqueue",
        "complete",
        "supply",
        "store",
        "of",
        "replace",
        "invoke",
        "install",
        "append",
        "accept",
        "concat",
        "compute",
        "getAndSet",
        "runAsync",
    ];
    VERBS.iter().any(|verb| {
        method
            .strip_prefix(verb)
            .is_some_and(|rest| rest.chars().next().is_none_or(|next| !next.is_lowercase()))
    })
}
