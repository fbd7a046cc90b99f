//! What can be seen of a program: the labels of its instructions.

use super::pattern::{Choice, Pattern, is_pattern};
use crate::calls::{CallGraph, Callee};
use crate::class::{Body, Class, Op};
use crate::program::{ClassId, MethodId, Program};
use crate::throws::Throws;
use loris_base::Symbol;
use rustc_hash::{FxHashMap, FxHashSet};

/// A label. Names are symbols of the program.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Label {
    /// `call C.m`: before a call, as the instruction names it, and as it is declared.
    Call(Symbol, Symbol),
    /// `enter C.m`: at the start of a method.
    Enter(Symbol, Symbol),
    /// `exit C.m`: at its end, by a return or by an exception.
    Exit(Symbol, Symbol),
    /// `exceptional`: with `exit C.m`, if it is by an exception.
    Exceptional,
    /// `throw T`: where an exception of this type may be thrown.
    Throw(Symbol),
    /// `def C.f`: a field is set.
    DefField(Symbol, Symbol),
    /// `use C.f`: a field is read.
    UseField(Symbol, Symbol),
    /// `def x`: a local variable is set.
    Def(Symbol),
    /// `use x`: a local variable is read.
    Use(Symbol),
    /// `def C.m.x`: the same, with the method.
    DefLocal(Symbol, Symbol, Symbol),
    /// `use C.m.x`: the same, with the method.
    UseLocal(Symbol, Symbol, Symbol),
    /// `new C`: an object is made.
    New(Symbol),
    /// `monitorenter`: a monitor is entered.
    MonitorEnter,
    /// `monitorexit`: a monitor is left.
    MonitorExit,
    /// `line File.java:42`: an instruction of this line.
    Line(Symbol, u16),
    /// `deprecated`: a call of something that is deprecated.
    Deprecated,
    /// `unresolved`: a call whose target is not known.
    Unresolved,
}

impl Label {
    /// As it is written.
    pub fn text(&self, program: &Program) -> String {
        let mut text = String::new();
        self.write(program, &mut text);
        text
    }

    /// Writes it behind a text.
    pub(super) fn write(&self, program: &Program, text: &mut String) {
        let mut put = |word: &str, class: Option<Symbol>, rest: &[Symbol]| {
            text.push_str(word);
            if let Some(class) = class {
                text.extend(program.names[class].chars().map(|c| if c == '/' { '.' } else { c }));
            }
            for (number, &name) in rest.iter().enumerate() {
                if class.is_some() || number > 0 {
                    text.push('.');
                }
                text.push_str(&program.names[name]);
            }
        };
        match *self {
            Label::Call(owner, name) => put("call ", Some(owner), &[name]),
            Label::Enter(owner, name) => put("enter ", Some(owner), &[name]),
            Label::Exit(owner, name) => put("exit ", Some(owner), &[name]),
            Label::Throw(name) => put("throw ", Some(name), &[]),
            Label::DefField(owner, name) => put("def ", Some(owner), &[name]),
            Label::UseField(owner, name) => put("use ", Some(owner), &[name]),
            Label::Def(name) => put("def ", None, &[name]),
            Label::Use(name) => put("use ", None, &[name]),
            Label::DefLocal(owner, method, name) => put("def ", Some(owner), &[method, name]),
            Label::UseLocal(owner, method, name) => put("use ", Some(owner), &[method, name]),
            Label::New(name) => put("new ", Some(name), &[]),
            Label::Line(file, line) => {
                put("line ", None, &[file]);
                text.push(':');
                text.push_str(&line.to_string());
            }
            Label::Exceptional => put("exceptional", None, &[]),
            Label::MonitorEnter => put("monitorenter", None, &[]),
            Label::MonitorExit => put("monitorexit", None, &[]),
            Label::Deprecated => put("deprecated", None, &[]),
            Label::Unresolved => put("unresolved", None, &[]),
        }
    }
}

/// Which kinds of labels some pattern may match.
#[derive(Clone, Copy, Debug, Default)]
#[expect(clippy::struct_excessive_bools, reason = "one for each kind")]
struct Wanted {
    call: bool,
    enter: bool,
    exit: bool,
    exceptional: bool,
    throw: bool,
    def: bool,
    used: bool,
    new: bool,
    monitor: bool,
    line: bool,
    deprecated: bool,
    unresolved: bool,
}

/// Where labels of an instruction are looked for.
pub(super) struct Place<'b> {
    pub(super) graph: &'b CallGraph,
    pub(super) throws: &'b Throws,
    pub(super) method: MethodId,
    pub(super) body: &'b Body<'b>,
    pub(super) number: usize,
}

/// The labels of a program that are chosen, numbered as they are met.
pub(super) struct Labels<'a> {
    program: &'a Program,
    choice: Choice,
    /// Of the patterns that are chosen, those without characters that stand for others, and those
    /// with some: properties may name tens of thousands of labels.
    exact: FxHashSet<String>,
    wild: Vec<Pattern>,
    wanted: Wanted,
    /// The numbers of labels that were met, `REFUSED` if they are not chosen.
    known: FxHashMap<Label, u32>,
    /// Those that are chosen, by their numbers.
    chosen: Vec<Label>,
    found: Vec<u32>,
    text: String,
}

/// The number of a label that is not chosen.
const REFUSED: u32 = u32::MAX;

impl<'a> Labels<'a> {
    pub(super) fn new(program: &'a Program, choice: &Choice) -> Self {
        let may = |word| choice.may_have(word);
        let wanted = Wanted {
            call: may("call "),
            enter: may("enter "),
            exit: may("exit "),
            exceptional: may("exceptional"),
            throw: may("throw "),
            def: may("def "),
            used: may("use "),
            new: may("new "),
            monitor: may("monitorenter") || may("monitorexit"),
            line: may("line "),
            deprecated: may("deprecated"),
            unresolved: may("unresolved"),
        };
        let patterns = match choice {
            Choice::Matching(patterns) => patterns.as_slice(),
            _ => &[],
        };
        let (wild, exact): (Vec<&Pattern>, Vec<&Pattern>) =
            patterns.iter().partition(|pattern| is_pattern(pattern.text()));
        Self {
            program,
            choice: choice.clone(),
            exact: exact.into_iter().map(|pattern| pattern.text().to_owned()).collect(),
            wild: wild.into_iter().cloned().collect(),
            wanted,
            known: FxHashMap::default(),
            chosen: Vec::new(),
            found: Vec::new(),
            text: String::new(),
        }
    }

    /// The labels that were found so far, by their numbers.
    pub(super) fn chosen(&self) -> &[Label] {
        &self.chosen
    }

    /// The patterns that a label matches, if it is not one itself.
    pub(super) fn patterns(&self, text: &str) -> impl Iterator<Item = &Pattern> {
        self.wild.iter().filter(move |pattern| pattern.text() != text && pattern.matches(text))
    }

    fn add(&mut self, label: Label) {
        let Self { program, choice, exact, wild, chosen, text, .. } = self;
        let number = *self.known.entry(label).or_insert_with(|| {
            let is_chosen = match choice {
                Choice::Matching(_) => {
                    text.clear();
                    label.write(program, text);
                    exact.contains(&**text) || wild.iter().any(|pattern| pattern.matches(text))
                }
                Choice::None => false,
                Choice::Most => !matches!(label, Label::Line(..)),
                Choice::All => true,
            };
            if is_chosen {
                chosen.push(label);
                chosen.len() as u32 - 1
            } else {
                REFUSED
            }
        });
        if number != REFUSED && !self.found.contains(&number) {
            self.found.push(number);
        }
    }

    /// The labels at the start of a method.
    pub(super) fn of_entry(&mut self, method: MethodId) -> &[u32] {
        self.found.clear();
        let (owner, name) = self.named(method);
        if self.wanted.enter {
            self.add(Label::Enter(owner, name));
        }
        if self.wanted.monitor && self.program.method(method).flags.is_synchronized() {
            self.add(Label::MonitorEnter);
        }
        &self.found
    }

    /// The labels at an end of a method.
    pub(super) fn of_exit(&mut self, method: MethodId, is_exceptional: bool) -> &[u32] {
        self.found.clear();
        let (owner, name) = self.named(method);
        if self.wanted.exit {
            self.add(Label::Exit(owner, name));
        }
        if self.wanted.exceptional && is_exceptional {
            self.add(Label::Exceptional);
        }
        if self.wanted.monitor && self.program.method(method).flags.is_synchronized() {
            self.add(Label::MonitorExit);
        }
        &self.found
    }

    /// The labels of a place where these types are thrown.
    pub(super) fn of_throw(&mut self, types: &[Symbol]) -> &[u32] {
        self.found.clear();
        if self.wanted.throw {
            for &name in types {
                self.add(Label::Throw(name));
            }
        }
        &self.found
    }

    fn named(&self, method: MethodId) -> (Symbol, Symbol) {
        (self.program.class(self.program.owner(method)).name, self.program.method(method).name)
    }

    /// The labels of an instruction.
    pub(super) fn of_instruction(&mut self, place: &Place<'_>) -> &[u32] {
        self.found.clear();
        let program = self.program;
        let class = program.class(program.owner(place.method));
        let instruction = place.body.instructions[place.number];
        match instruction.op {
            Op::Invoke(_, constant)
                if self.wanted.call || self.wanted.deprecated || self.wanted.unresolved =>
            {
                self.call(place, class, constant);
            }
            Op::InvokeDynamic(_) if self.wanted.unresolved => {
                if matches!(place.graph.callee(place.method, place.number), Some(Callee::Unresolved(_))) {
                    self.add(Label::Unresolved);
                }
            }
            Op::Throw if self.wanted.throw => {
                let Place { graph, throws, method, body, number } = *place;
                for &name in &*throws.at(program, graph, method, body, number) {
                    self.add(Label::Throw(name));
                }
            }
            Op::New(constant) if self.wanted.new || self.wanted.deprecated => {
                if let Some(name) = class.pool.class(constant) {
                    if self.wanted.new {
                        self.add(Label::New(name));
                    }
                    let created = program.find_class(name);
                    if self.wanted.deprecated && created.is_some_and(|id| program.class(id).deprecated) {
                        self.add(Label::Deprecated);
                    }
                }
            }
            Op::GetStatic(constant) | Op::GetField(constant) => self.field(class, constant, false),
            Op::PutStatic(constant) | Op::PutField(constant) => self.field(class, constant, true),
            Op::Get(_, slot) if self.wanted.used => self.local(place, slot, u32::from(instruction.at), false),
            Op::Set(_, slot) if self.wanted.def => self.local(place, slot, instruction.next, true),
            Op::Increment(slot) if self.wanted.used || self.wanted.def => {
                if self.wanted.used {
                    self.local(place, slot, u32::from(instruction.at), false);
                }
                if self.wanted.def {
                    self.local(place, slot, u32::from(instruction.at), true);
                }
            }
            Op::MonitorEnter if self.wanted.monitor => self.add(Label::MonitorEnter),
            Op::MonitorExit if self.wanted.monitor => self.add(Label::MonitorExit),
            _ => {}
        }
        if self.wanted.line
            && let (Some(file), Some(line)) = (class.source_file, place.body.code.line(instruction.at))
        {
            self.add(Label::Line(file, line));
        }
        &self.found
    }

    fn call(&mut self, place: &Place<'_>, class: &Class, constant: u16) {
        let program = self.program;
        let Some(member) = class.pool.member(constant) else { return };
        let callee = place.graph.callee(place.method, place.number);
        let declared = match callee {
            Some(Callee::Method(method)) => Some(method),
            Some(Callee::Virtual(dispatch)) => Some(place.graph.dispatch(dispatch).declared),
            _ => None,
        };
        if self.wanted.call {
            self.add(Label::Call(member.owner, member.name));
            if let Some(declared) = declared {
                self.add(Label::Call(program.class(program.owner(declared)).name, member.name));
            }
        }
        let is_deprecated = |method: MethodId| {
            let owner: ClassId = program.owner(method);
            program.method(method).deprecated || program.class(owner).deprecated
        };
        if self.wanted.deprecated && declared.is_some_and(is_deprecated) {
            self.add(Label::Deprecated);
        }
        let is_unresolved = || {
            let calls = place.graph.unresolved();
            let key = (place.method, place.number);
            calls.binary_search_by_key(&key, |&(method, number, _)| (method, number)).is_ok()
        };
        if self.wanted.unresolved && is_unresolved() {
            self.add(Label::Unresolved);
        }
    }

    fn field(&mut self, class: &Class, constant: u16, is_set: bool) {
        if !(if is_set { self.wanted.def } else { self.wanted.used }) {
            return;
        }
        if let Some(field) = class.pool.member(constant) {
            let (owner, name) = (field.owner, field.name);
            self.add(if is_set { Label::DefField(owner, name) } else { Label::UseField(owner, name) });
        }
    }

    fn local(&mut self, place: &Place<'_>, slot: u16, at: u32, is_set: bool) {
        let Some(name) = place.body.code.variable(slot, at).map(|variable| variable.name) else { return };
        let (owner, method) = self.named(place.method);
        if is_set {
            self.add(Label::Def(name));
            self.add(Label::DefLocal(owner, method, name));
        } else {
            self.add(Label::Use(name));
            self.add(Label::UseLocal(owner, method, name));
        }
    }
}
