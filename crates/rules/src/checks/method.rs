//! A method as checks look at it: its instructions, its flow and its values, each computed once.

use crate::context::ProgramContext;
use crate::flow::{Flow, Value, ValueId, Values};
use crate::path::Step;
use loris_findings::{Finding, RuleInfo};
use loris_java::class::{Body, Class, Descriptor, Invoke, Member, Method, Op};
use loris_java::{ClassId, MethodId, Program};
use std::cell::OnceCell;

/// This many subclasses are asked whether they override a method.
const MOST_SUBTYPES: usize = 64;

/// A class with its subclasses, unless there are many.
pub(super) fn subtypes(program: &Program, class: ClassId) -> Option<Vec<ClassId>> {
    let (mut found, mut at) = (vec![class], 0);
    while let Some(&class) = found.get(at) {
        at += 1;
        found.extend(program.subtypes(class).take(MOST_SUBTYPES));
        if found.len() > MOST_SUBTYPES {
            return None;
        }
    }
    Some(found)
}

/// The code of a method.
pub(super) struct Code<'p> {
    pub(super) context: &'p ProgramContext<'p>,
    pub(super) id: MethodId,
    pub(super) class: &'p Class,
    pub(super) method: &'p Method,
    pub(super) body: Body<'p>,
    pub(super) flow: Flow,
    values: OnceCell<Option<Values>>,
}

impl<'p> Code<'p> {
    pub(super) fn new(context: &'p ProgramContext<'p>, id: MethodId, body: Body<'p>) -> Self {
        let program = context.program;
        let flow = Flow::new(&body);
        let class = program.class(program.owner(id));
        Self { context, id, class, method: program.method(id), body, flow, values: OnceCell::new() }
    }

    /// The most bytes that a look at code of this size holds.
    pub(super) fn size(code: &loris_java::class::Code) -> usize {
        let width = usize::from(code.max_locals) + usize::from(code.max_stack);
        code.len() * 64 + Values::most_positions(code.len() * width) * size_of::<ValueId>()
    }

    pub(super) fn program(&self) -> &'p Program {
        self.context.program
    }

    /// Whether it was compiled from another language than Java.
    pub(super) fn is_of_another_language(&self) -> bool {
        self.context.is_of_another_language(self.program().owner(self.id))
    }

    /// Where values come from, unless the method is too large.
    pub(super) fn values(&self) -> Option<&Values> {
        let names = &self.program().names;
        self.values.get_or_init(|| Values::new(self.class, names, &self.body, &self.flow)).as_ref()
    }

    pub(super) fn len(&self) -> usize {
        self.body.instructions.len()
    }

    pub(super) fn op(&self, number: usize) -> Op {
        self.body.instructions[number].op
    }

    /// Whether some path leads to an instruction.
    pub(super) fn is_reached(&self, number: usize) -> bool {
        self.body.depth(number).is_some()
    }

    /// The line of an instruction.
    pub(super) fn line(&self, number: usize) -> Option<u16> {
        self.body.code.line(self.body.instructions[number].at)
    }

    /// The field or method that an instruction names.
    pub(super) fn member(&self, number: usize) -> Option<Member> {
        match self.op(number) {
            Op::Invoke(_, constant)
            | Op::GetField(constant)
            | Op::PutField(constant)
            | Op::GetStatic(constant)
            | Op::PutStatic(constant) => self.class.pool.member(constant),
            _ => None,
        }
    }

    /// The bytes of an instruction.
    pub(super) fn bytes(&self, number: usize) -> &'p [u8] {
        let instruction = self.body.instructions[number];
        &self.class.instructions(self.body.code)[usize::from(instruction.at)..instruction.next as usize]
    }

    /// What an increment adds.
    pub(super) fn increment(&self, number: usize) -> i16 {
        match *self.bytes(number) {
            [_, _, constant] => i16::from(constant.cast_signed()),
            // wide
            [.., high, low] => i16::from_be_bytes([high, low]),
            _ => 0,
        }
    }

    /// The declaration that a call names, if its class is known.
    pub(super) fn callee(&self, number: usize) -> Option<MethodId> {
        self.program().resolve(&self.member(number)?)
    }

    /// Whether a call may throw an exception that has to be declared; calls of unknown methods may.
    pub(super) fn may_throw_declared(&self, number: usize) -> bool {
        match self.op(number) {
            Op::Invoke(..) => {
                self.callee(number).is_none_or(|callee| !self.program().method(callee).exceptions.is_empty())
            }
            op => op == Op::Throw,
        }
    }

    /// Whether a call ends the program.
    pub(super) fn ends_program(&self, number: usize) -> bool {
        self.member(number).is_some_and(|member| {
            let (owner, name) = (self.text(member.owner), self.text(member.name));
            matches!(owner, "java/lang/System" | "java/lang/Runtime") && matches!(name, "exit" | "halt")
        })
    }

    /// How many slots below the top of the stack the receiver of a call is.
    pub(super) fn receiver_depth(&self, number: usize) -> Option<usize> {
        let Op::Invoke(kind, _) = self.op(number) else { return None };
        let member = self.member(number)?;
        let descriptor = Descriptor::of(self.text(member.descriptor))?;
        (kind != Invoke::Static).then(|| descriptor.slots())
    }

    /// The receiver of a call.
    pub(super) fn receiver(&self, number: usize) -> Option<ValueId> {
        self.values()?.stack(number, self.receiver_depth(number)?)
    }

    /// The class or interface that a value is declared with, in internal form.
    pub(super) fn declared_type(&self, value: ValueId) -> Option<&'p str> {
        let descriptor = match self.values()?.value(value) {
            Value::New(_, class) => return Some(self.text(class)),
            Value::Field(_, member) | Value::Static(member) => self.text(member.descriptor),
            Value::Initial(slot) => {
                let descriptor = Descriptor::of(self.text(self.method.descriptor))?;
                let mut at = u16::from(!self.method.flags.is_static());
                descriptor.parameters.into_iter().find(|parameter| {
                    let here = at;
                    at += if matches!(*parameter, "J" | "D") { 2 } else { 1 };
                    here == slot
                })?
            }
            Value::Result(at, _) => {
                let member = self.member(at as usize)?;
                Descriptor::of(self.text(member.descriptor))?.result
            }
            _ => return None,
        };
        descriptor.strip_prefix('L')?.strip_suffix(';')
    }

    /// Whether a value is the object whose method this is.
    pub(super) fn is_this(&self, value: ValueId) -> bool {
        let is_first = |values: &Values| values.value(value) == Value::Initial(0);
        !self.method.flags.is_static() && self.values().is_some_and(is_first)
    }

    /// The method that a call certainly runs: it is found without the class of the receiver, or
    /// that class is known, or nothing in the program overrides it and the receiver is this object.
    pub(super) fn certain_callee(&self, number: usize) -> Option<MethodId> {
        let Op::Invoke(kind, _) = self.op(number) else { return None };
        let program = self.program();
        let member = self.member(number)?;
        let declared = program.resolve(&member)?;
        let method = program.method(declared);
        let owner = program.class(program.owner(declared));
        if matches!(kind, Invoke::Static | Invoke::Special)
            || method.flags.is_private()
            || method.flags.is_final()
            || owner.flags.is_final()
        {
            return Some(declared);
        }
        let receiver = self.receiver(number)?;
        let values = self.values()?;
        if let Value::New(_, class) = values.value(receiver) {
            return program.lookup(program.find_class(class)?, member.name, member.descriptor);
        }
        if !self.is_this(receiver) {
            return None;
        }
        // where this object has been cast, it is of the class that it is cast to
        let (own, named) = (program.owner(self.id), program.find_class(member.owner)?);
        let is_cast = program.is_subtype(member.owner, program.class(own).name);
        let class = if is_cast { named } else { own };
        let target = program.lookup(class, member.name, member.descriptor)?;
        let same =
            |&subtype: &ClassId| program.lookup(subtype, member.name, member.descriptor) == Some(target);
        let is_certain = || subtypes(program, class).is_some_and(|subtypes| subtypes.iter().all(same));
        (target == self.id || is_certain()).then_some(target)
    }

    /// A text of the program.
    pub(super) fn text(&self, symbol: loris_base::Symbol) -> &'p str {
        &self.program().names[symbol]
    }

    /// A step of a story at an instruction, in a method that is called so deep. One without a text
    /// only connects others.
    pub(super) fn step(&self, number: usize, depth: u32, text: impl Into<String>) -> Step {
        let (text, place) = (text.into(), self.context.place(self.id, self.body.instructions[number].at));
        Step {
            class: self.program().class_name(self.program().owner(self.id)),
            method: self.text(self.method.name).to_owned(),
            file: place.file,
            line: place.line,
            depth,
            important: !text.is_empty(),
            text,
        }
    }

    /// A finding at an instruction.
    pub(super) fn finding(&self, rule: &RuleInfo, number: usize, message: impl Into<String>) -> Finding {
        self.context.finding(rule, self.id, self.body.instructions[number].at, message)
    }
}
