//! The constant pool, resolved to symbols (JVMS, section 4.4).

use super::bytes::Bytes;
use super::{ClassError, text};
use loris_base::{Names, Symbol};

/// A constant. References to others are resolved, so that an instruction needs one look.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Constant {
    /// There is none with this number.
    Unused,
    /// Text that nothing has asked for: where it starts in the file, and its length.
    Text(u32, u16),
    /// Text that is a symbol.
    Name(Symbol),
    /// An `int`.
    Integer(i32),
    /// A `float`, or a constant computed at run time of one slot that is not a reference.
    Float,
    /// A `long` or `double`, of two slots.
    Wide,
    /// A `String`; the number of its text.
    String(u16),
    /// A class, interface or array type.
    Class(Symbol),
    /// A field.
    Field(Member),
    /// A method.
    Method(Member),
    /// A method of an interface.
    InterfaceMethod(Member),
    /// A method or field to be called: how (JVMS, table 5.4.3.5-A), and its number.
    Handle(u8, u16),
    /// A method type.
    MethodType(Symbol),
    /// A constant computed at run time: its bootstrap method, name and descriptor.
    Dynamic(Dynamic),
    /// A call whose target is computed at run time: bootstrap method, name and descriptor.
    InvokeDynamic(Dynamic),
    /// A name with a descriptor.
    NameAndType(Symbol, Symbol),
    /// A module or package.
    Module,
}

/// A field or method as an instruction names it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Member {
    /// The class it is looked for in.
    pub owner: Symbol,
    /// Its name.
    pub name: Symbol,
    /// Its descriptor.
    pub descriptor: Symbol,
}

/// A constant or call that a bootstrap method makes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Dynamic {
    /// The number of the bootstrap method.
    pub bootstrap: u16,
    /// The name.
    pub name: Symbol,
    /// The descriptor.
    pub descriptor: Symbol,
}

/// A bootstrap method with its static arguments, as numbers of constants.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Bootstrap {
    /// The method.
    pub handle: u16,
    /// Its static arguments.
    pub arguments: Vec<u16>,
}

/// The constants of a class.
#[derive(Clone, Debug, Default)]
pub struct Pool {
    constants: Vec<Constant>,
    pub(super) bootstraps: Vec<Bootstrap>,
}

/// A constant whose references are numbers still.
#[derive(Clone, Copy)]
enum Raw {
    Done(Constant),
    Class(u16),
    MethodType(u16),
    NameAndType(u16, u16),
    Member(u8, u16, u16),
    Dynamic(u8, u16, u16),
}

impl Pool {
    /// Bytes held, roughly.
    pub(crate) fn bytes(&self) -> usize {
        self.constants.len() * size_of::<Constant>() + self.bootstraps.len() * size_of::<Bootstrap>()
    }

    /// The constant with this number.
    pub fn get(&self, number: u16) -> Constant {
        self.constants.get(usize::from(number)).copied().unwrap_or(Constant::Unused)
    }

    /// How many numbers there are.
    pub fn len(&self) -> usize {
        self.constants.len()
    }

    /// Whether there are no constants.
    pub fn is_empty(&self) -> bool {
        self.constants.is_empty()
    }

    /// The class with this number.
    pub fn class(&self, number: u16) -> Option<Symbol> {
        if let Constant::Class(name) = self.get(number) { Some(name) } else { None }
    }

    /// The field or method with this number.
    pub fn member(&self, number: u16) -> Option<Member> {
        match self.get(number) {
            Constant::Field(member) | Constant::Method(member) | Constant::InterfaceMethod(member) => {
                Some(member)
            }
            _ => None,
        }
    }

    /// The bootstrap method with this number.
    pub fn bootstrap(&self, number: u16) -> Option<&Bootstrap> {
        self.bootstraps.get(usize::from(number))
    }

    /// Bytes held.
    pub(super) fn size(&self) -> usize {
        size_of::<Constant>() * self.constants.len()
    }

    /// The symbol of a text.
    pub(super) fn text(&mut self, number: u16, file: &[u8], names: &mut Names) -> Result<Symbol, ClassError> {
        match self.get(number) {
            Constant::Name(symbol) => Ok(symbol),
            Constant::Text(start, length) => {
                let bytes = &file[start as usize..][..usize::from(length)];
                let symbol = names.intern(&text::decode(bytes));
                self.constants[usize::from(number)] = Constant::Name(symbol);
                Ok(symbol)
            }
            _ => Err(ClassError { offset: 0, message: format!("constant {number} should be a text") }),
        }
    }

    /// The text of a constant, without making it a symbol.
    pub(super) fn is_text(&self, number: u16, expected: &[u8], file: &[u8], names: &Names) -> bool {
        match self.get(number) {
            Constant::Text(start, length) => file[start as usize..][..usize::from(length)] == *expected,
            Constant::Name(symbol) => names[symbol].as_bytes() == expected,
            _ => false,
        }
    }

    pub(super) fn read(bytes: &mut Bytes<'_>, file: &[u8], names: &mut Names) -> Result<Self, ClassError> {
        let count = bytes.u2()?;
        let mut raw = vec![Raw::Done(Constant::Unused)];
        while raw.len() < usize::from(count) {
            let (constant, wide) = constant(bytes)?;
            raw.push(constant);
            if wide {
                raw.push(Raw::Done(Constant::Unused));
            }
        }
        let mut pool = Pool::default();
        let simple = |raw: &Raw| if let Raw::Done(constant) = raw { *constant } else { Constant::Unused };
        pool.constants = raw.iter().map(simple).collect();
        // classes and names first: what refers to them may come before
        for (number, constant) in raw.iter().enumerate() {
            pool.constants[number] = match *constant {
                Raw::Class(name) => Constant::Class(pool.text(name, file, names)?),
                Raw::MethodType(descriptor) => Constant::MethodType(pool.text(descriptor, file, names)?),
                Raw::NameAndType(name, descriptor) => {
                    Constant::NameAndType(pool.text(name, file, names)?, pool.text(descriptor, file, names)?)
                }
                _ => continue,
            };
        }
        for (number, constant) in raw.iter().enumerate() {
            let wrong = |message: &str| ClassError {
                offset: bytes.at(),
                message: format!("constant {number} {message}"),
            };
            let named = |number: u16| match pool.get(number) {
                Constant::NameAndType(name, descriptor) => Ok((name, descriptor)),
                _ => Err(wrong("has no name and type")),
            };
            pool.constants[number] = match *constant {
                Raw::Member(tag, owner, name) => {
                    let owner = pool.class(owner).ok_or_else(|| wrong("has no class"))?;
                    let (name, descriptor) = named(name)?;
                    let member = Member { owner, name, descriptor };
                    match tag {
                        9 => Constant::Field(member),
                        10 => Constant::Method(member),
                        _ => Constant::InterfaceMethod(member),
                    }
                }
                Raw::Dynamic(tag, bootstrap, name) => {
                    let (name, descriptor) = named(name)?;
                    let dynamic = Dynamic { bootstrap, name, descriptor };
                    if tag == 17 { Constant::Dynamic(dynamic) } else { Constant::InvokeDynamic(dynamic) }
                }
                _ => continue,
            };
        }
        Ok(pool)
    }
}

/// The next constant, and whether it takes two numbers.
fn constant(bytes: &mut Bytes<'_>) -> Result<(Raw, bool), ClassError> {
    let constant = match bytes.u1()? {
        1 => {
            let length = bytes.u2()?;
            let start = bytes.at() as u32;
            bytes.skip(usize::from(length))?;
            Raw::Done(Constant::Text(start, length))
        }
        3 => Raw::Done(Constant::Integer(bytes.u4()?.cast_signed())),
        4 => {
            bytes.skip(4)?;
            Raw::Done(Constant::Float)
        }
        5 | 6 => {
            bytes.skip(8)?;
            return Ok((Raw::Done(Constant::Wide), true));
        }
        7 => Raw::Class(bytes.u2()?),
        8 => Raw::Done(Constant::String(bytes.u2()?)),
        tag @ 9..=11 => Raw::Member(tag, bytes.u2()?, bytes.u2()?),
        12 => Raw::NameAndType(bytes.u2()?, bytes.u2()?),
        15 => Raw::Done(Constant::Handle(bytes.u1()?, bytes.u2()?)),
        16 => Raw::MethodType(bytes.u2()?),
        tag @ 17..=18 => Raw::Dynamic(tag, bytes.u2()?, bytes.u2()?),
        19 | 20 => {
            bytes.skip(2)?;
            Raw::Done(Constant::Module)
        }
        tag => return Err(bytes.error(format!("there is no constant of kind {tag}"))),
    };
    Ok((constant, false))
}
