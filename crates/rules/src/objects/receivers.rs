//! The fields that objects come from on which methods are called: `lock` of `lock.unlock()`, of
//! `this.lock.readLock().unlock()` and of `getLock().unlock()`.

use crate::flow::{Flow, Value, ValueId, Values};
use loris_base::Symbol;
use loris_java::class::{Body, Class, Descriptor, Invoke, Member, Op};
use loris_java::{ClassId, MethodId, Program};

/// Calls are looked through this often.
const CALLS: usize = 4;

/// Where the receiver of a call comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Origin {
    /// A field with this name, of the class that declares it, if that is there; or a part of what
    /// it holds, as `readLock` of a lock for readers and writers.
    Field(Option<ClassId>, Symbol, Option<Symbol>),
    /// The method has made it.
    New,
    Unknown,
}

impl Origin {
    /// Whether two receivers may be the same object.
    pub(super) fn may_be(self, other: Self) -> bool {
        match (self, other) {
            (Self::Field(class, field, part), Self::Field(other_class, other_field, other)) => {
                let is_part = part.is_none() || other.is_none() || part == other;
                (class, field) == (other_class, other_field) && is_part
            }
            (Self::New, _) | (_, Self::New) => false,
            _ => true,
        }
    }
}

/// A method with where its values come from.
pub(super) struct Receivers<'p> {
    program: &'p Program,
    class: &'p Class,
    pub(super) body: Body<'p>,
    values: Option<Values>,
}

impl<'p> Receivers<'p> {
    /// `None` if the method has no code.
    pub(super) fn new(program: &'p Program, method: MethodId) -> Option<Self> {
        let body = program.body(method).ok()??;
        let class = program.class(program.owner(method));
        let values = Values::new(class, &program.names, &body, &Flow::new(&body));
        Some(Self { program, class, body, values })
    }

    /// Where the receiver of a call comes from.
    pub(super) fn origin(&self, number: usize) -> Origin {
        match self.receiver(number) {
            Some(value) if self.is_new(value) => Origin::New,
            Some(value) => self.field_of(value).unwrap_or(Origin::Unknown),
            None => Origin::Unknown,
        }
    }

    fn is_new(&self, value: ValueId) -> bool {
        self.values.as_ref().is_some_and(|values| matches!(values.value(value), Value::New(..)))
    }

    fn receiver(&self, number: usize) -> Option<ValueId> {
        let Op::Invoke(invoke, constant) = self.body.instructions[number].op else { return None };
        let member = self.class.pool.member(constant).filter(|_| invoke != Invoke::Static)?;
        let slots = Descriptor::of(&self.program.names[member.descriptor])?.slots();
        self.values.as_ref()?.stack(number, slots)
    }

    fn field_of(&self, mut value: ValueId) -> Option<Origin> {
        let mut part = None;
        let part_of = |origin: Origin, part: Option<Symbol>| match origin {
            Origin::Field(class, field, None) => Origin::Field(class, field, part),
            other => other,
        };
        for _ in 0..CALLS {
            match self.values.as_ref()?.value(value) {
                Value::Field(_, field) | Value::Static(field) => {
                    return Some(part_of(declared(self.program, field), part));
                }
                Value::Result(at, _) => {
                    let number = at as usize;
                    let Op::Invoke(_, constant) = self.body.instructions[number].op else { return None };
                    let member = self.class.pool.member(constant)?;
                    if let Some(field) = getter(self.program, &member) {
                        return Some(part_of(field, part));
                    }
                    part = part.or(Some(member.name));
                    // what a lock of two parts returns is told from others by that lock
                    let is_view = self.program.names[member.owner].starts_with("java/util/concurrent/locks/");
                    value = self.receiver(number).filter(|_| is_view)?;
                }
                _ => return None,
            }
        }
        None
    }

    /// Whether what is stored at an instruction was made by the method, or is a view of what a
    /// field holds.
    pub(super) fn stores_own(&self, number: usize) -> bool {
        let Some(values) = &self.values else { return false };
        let Some(value) = values.stack(number, 0) else { return false };
        match values.value(value) {
            Value::New(..) | Value::Null => true,
            Value::Result(at, _) if matches!(self.body.instructions[at as usize].op, Op::Invoke(..)) => {
                self.field_of(value).is_some()
            }
            _ => false,
        }
    }
}

/// The field that a method returns, if it does nothing else.
fn getter(program: &Program, member: &Member) -> Option<Origin> {
    let body = program.body(program.resolve(member)?).ok()??;
    let [.., read, back] = &body.instructions[..] else { return None };
    let (Op::GetField(field) | Op::GetStatic(field), Op::Return(Some(_))) = (read.op, back.op) else {
        return None;
    };
    if body.instructions.len() > 3 {
        return None;
    }
    let pool = &program.class(program.owner(program.resolve(member)?)).pool;
    Some(declared(program, pool.member(field)?))
}

/// A field with the class that declares it.
fn declared(program: &Program, field: Member) -> Origin {
    let classes = program.find_class(field.owner).map_or(Vec::new(), |owner| program.supertypes(owner));
    let declares = |&class: &ClassId| program.class(class).field(field.name, field.descriptor).is_some();
    Origin::Field(classes.into_iter().find(declares), field.name, None)
}
