//! Class files (The Java Virtual Machine Specification, chapter 4), read by ourselves.
//!
//! Loris reads every class of a program and of its libraries, and of most classes it needs names,
//! references and code only. So the constant pool is resolved to symbols of one table, code stays
//! bytes that are decoded where they are walked, and attributes that nothing needs are skipped.
//! Linear in the file; no allocation is sized by a number from the file before its bytes are there.

mod annotations;
mod bytes;
mod code;
mod constants;
mod descriptor;
mod read;
mod text;
mod verify;

pub use annotations::Annotation;
pub use code::{Comparison, Instruction, Invoke, Op, StackOp, ValueKind};
pub use constants::{Bootstrap, Constant, Dynamic, Member, Pool};
pub use descriptor::{Descriptor, Returned};
pub(crate) use verify::effect;
pub use verify::{Body, Effect};

pub(crate) use descriptor::{slots_of, width as width_of};
pub(crate) use verify::effect as effect_of;

use loris_base::{Names, Symbol};
use std::ops::Range;

/// A class file cannot be read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message} (at byte {offset})")]
pub struct ClassError {
    /// The byte where reading stopped.
    pub offset: usize,
    /// The problem.
    pub message: String,
}

/// Access flags and properties of classes, fields and methods (JVMS, tables 4.1, 4.5 and 4.6).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct Flags(pub u16);

macro_rules! flags {
    ($($name:ident = $bit:literal, $doc:literal;)*) => {
        impl Flags {
            $(#[doc = $doc]
            pub fn $name(self) -> bool {
                self.0 & $bit != 0
            })*
        }
    };
}

flags! {
    is_public = 0x0001, "Declared `public`.";
    is_private = 0x0002, "Declared `private`.";
    is_protected = 0x0004, "Declared `protected`.";
    is_static = 0x0008, "Declared `static`.";
    is_final = 0x0010, "Declared `final`.";
    is_synchronized = 0x0020, "A method declared `synchronized`.";
    is_volatile = 0x0040, "A field declared `volatile`.";
    is_bridge = 0x0040, "A method made by the compiler to bridge signatures.";
    is_varargs = 0x0080, "A method with a variable number of arguments.";
    is_native = 0x0100, "A method declared `native`.";
    is_interface = 0x0200, "An interface.";
    is_abstract = 0x0400, "Declared `abstract`.";
    is_synthetic = 0x1000, "Made by the compiler.";
    is_annotation = 0x2000, "An annotation type.";
    is_enum = 0x4000, "An enumeration, or one of its constants.";
    is_module = 0x8000, "A module descriptor.";
}

/// A class or interface. Names are in the internal form of class files, with `/` between packages.
#[derive(Clone, Debug)]
pub struct Class {
    /// Its name.
    pub name: Symbol,
    /// Its flags.
    pub flags: Flags,
    /// The major version of the file.
    pub major: u16,
    /// Its superclass; `java/lang/Object` has none.
    pub superclass: Option<Symbol>,
    /// Its interfaces.
    pub interfaces: Vec<Symbol>,
    /// Its fields.
    pub fields: Vec<Field>,
    /// Its methods.
    pub methods: Vec<Method>,
    /// The name of its source file, without folder.
    pub source_file: Option<Symbol>,
    /// The class and, if any, the method with descriptor that a local or anonymous class is in.
    pub enclosing: Option<(Symbol, Option<(Symbol, Symbol)>)>,
    /// The host of its nest, whose members share private members.
    pub nest_host: Option<Symbol>,
    /// Where it is nested, if it is, and how it is declared there.
    pub nested: Option<Nested>,
    /// Its annotations, visible at run time or not.
    pub annotations: Vec<Annotation>,
    /// Whether it is a record.
    pub is_record: bool,
    /// Whether it is marked deprecated.
    pub deprecated: bool,
    /// Its constants.
    pub pool: Pool,
    /// The bytes of the file, which hold code.
    bytes: Box<[u8]>,
}

/// The declaration of a nested class (JVMS, section 4.7.6).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Nested {
    /// The class it is a member of; local and anonymous classes are members of none.
    pub outer: Option<Symbol>,
    /// Its flags in the source, where it may be private or protected.
    pub flags: Flags,
}

/// A field.
#[derive(Clone, Debug)]
pub struct Field {
    /// Its name.
    pub name: Symbol,
    /// Its descriptor.
    pub descriptor: Symbol,
    /// Its flags.
    pub flags: Flags,
    /// The number of its value if it is a constant, which compilers copy to where it is used.
    pub constant: Option<u16>,
    /// Whether it is marked deprecated.
    pub deprecated: bool,
    /// Its annotations.
    pub annotations: Vec<Annotation>,
}

/// A method.
#[derive(Clone, Debug)]
pub struct Method {
    /// Its name.
    pub name: Symbol,
    /// Its descriptor.
    pub descriptor: Symbol,
    /// Its flags.
    pub flags: Flags,
    /// The exceptions it declares.
    pub exceptions: Vec<Symbol>,
    /// Whether it is marked deprecated.
    pub deprecated: bool,
    /// Its annotations.
    pub annotations: Vec<Annotation>,
    /// The annotations of its parameters; empty if there are none. Compilers leave out parameters
    /// that they have added in front, so that the lists belong to the last ones.
    pub parameters: Vec<Vec<Annotation>>,
    /// Its code; abstract and native methods have none.
    pub code: Option<Code>,
}

/// The code of a method.
#[derive(Clone, Debug)]
pub struct Code {
    /// The most slots its operand stack takes.
    pub max_stack: u16,
    /// How many local variable slots it has.
    pub max_locals: u16,
    /// Where its instructions are in the file.
    range: Range<u32>,
    /// Its exception handlers; the first that fits is taken.
    pub handlers: Vec<Handler>,
    /// Pairs of the first instruction and its line, in the order of instructions.
    pub lines: Vec<(u16, u16)>,
    /// Its named local variables, if the compiler kept them.
    pub locals: Vec<LocalVariable>,
}

/// An exception handler.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Handler {
    /// The first instruction it covers.
    pub start: u16,
    /// The first instruction it no longer covers.
    pub end: u16,
    /// Where it is.
    pub target: u16,
    /// What it catches; everything if `None`.
    pub caught: Option<Symbol>,
}

/// A named local variable.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LocalVariable {
    /// The first instruction where it has a value.
    pub start: u16,
    /// The first instruction where it no longer has one.
    pub end: u32,
    /// Its name.
    pub name: Symbol,
    /// Its descriptor.
    pub descriptor: Symbol,
    /// Its slot.
    pub slot: u16,
}

impl Class {
    /// Reads a class file.
    ///
    /// # Errors
    /// The first thing that makes the file unreadable. Code that cannot be decoded is found by
    /// [`Body::new`], method by method.
    pub fn read(bytes: Box<[u8]>, names: &mut Names) -> Result<Class, ClassError> {
        read::class(bytes, names)
    }

    /// A class of which declarations are known, but no file.
    pub(crate) fn declared(
        name: Symbol,
        flags: Flags,
        superclass: Option<Symbol>,
        interfaces: Vec<Symbol>,
        methods: Vec<Method>,
    ) -> Class {
        Class {
            name,
            flags,
            major: 0,
            superclass,
            interfaces,
            fields: Vec::new(),
            methods,
            source_file: None,
            enclosing: None,
            nest_host: None,
            nested: None,
            annotations: Vec::new(),
            is_record: false,
            deprecated: false,
            pool: Pool::default(),
            bytes: Box::default(),
        }
    }

    /// The text of a `String` constant of this class.
    pub fn string<'n>(&'n self, number: u16, names: &'n Names) -> Option<std::borrow::Cow<'n, str>> {
        let Constant::String(text) = self.pool.get(number) else { return None };
        match self.pool.get(text) {
            Constant::Name(symbol) => Some(names[symbol].into()),
            Constant::Text(start, length) => {
                let bytes = self.bytes.get(start as usize..)?.get(..usize::from(length))?;
                Some(text::decode(bytes))
            }
            _ => None,
        }
    }

    /// Whether a text is among the constants, such as the name of an attribute.
    pub fn has_text(&self, expected: &str, names: &Names) -> bool {
        let is_it = |number| self.pool.is_text(number, expected.as_bytes(), &self.bytes, names);
        (0..self.pool.len()).any(|number| is_it(number as u16))
    }

    /// How many slots an instruction of checked code of this class pops and pushes.
    pub fn effect(&self, op: Op, names: &Names) -> Effect {
        // checked before, so there is no error
        verify::effect(self, names, op).unwrap_or(Effect { pops: 0, pushes: 0 })
    }

    /// The bytes of the file; none for a class that is only declared.
    pub fn file(&self) -> &[u8] {
        &self.bytes
    }

    /// The bytes of the instructions of a method of this class.
    pub fn instructions(&self, code: &Code) -> &[u8] {
        &self.bytes[code.range.start as usize..code.range.end as usize]
    }

    /// The method with this name and descriptor.
    pub fn method(&self, name: Symbol, descriptor: Symbol) -> Option<usize> {
        self.methods.iter().position(|method| method.name == name && method.descriptor == descriptor)
    }

    /// The field with this name and descriptor.
    pub fn field(&self, name: Symbol, descriptor: Symbol) -> Option<usize> {
        self.fields.iter().position(|field| field.name == name && field.descriptor == descriptor)
    }

    /// Bytes held, to be charged to a budget.
    pub fn size(&self) -> usize {
        self.bytes.len() + self.pool.size() + 128 * (self.methods.len() + self.fields.len())
    }
}

impl Code {
    /// How many bytes of instructions there are.
    pub fn len(&self) -> usize {
        self.range.len()
    }

    /// Whether there are no instructions, which [`Body::new`] refuses.
    pub fn is_empty(&self) -> bool {
        self.range.is_empty()
    }

    /// The line of the instruction at this place.
    pub fn line(&self, at: u16) -> Option<u16> {
        // the table is sorted when it is read
        let after = self.lines.partition_point(|&(start, _)| start <= at);
        after.checked_sub(1).map(|entry| self.lines[entry].1)
    }

    /// The variable that lives in a slot at an instruction. A store that starts its life comes just
    /// before `start`, so `next` is the place after the instruction for stores.
    pub fn variable(&self, slot: u16, at: u32) -> Option<&LocalVariable> {
        self.locals.iter().find(|local| {
            local.slot == slot
                && u32::from(local.start) <= at
                && at < local.end.max(u32::from(local.start) + 1)
        })
    }
}
