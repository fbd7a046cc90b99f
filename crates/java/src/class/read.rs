//! The structure of a class file (JVMS, sections 4.1, 4.5 to 4.7).

use super::annotations::annotations;
use super::bytes::Bytes;
use super::constants::{Bootstrap, Pool};
use super::descriptor::{Descriptor, is_type};
use super::{Annotation, Class, ClassError, Code, Field, Flags, Handler, LocalVariable, Method, Nested};
use loris_base::{Names, Symbol};

/// The versions that are known: 1.1 to 25.
const MAJORS: std::ops::RangeInclusive<u16> = 45..=69;

/// What every part of the reader needs.
struct Context<'a> {
    file: &'a [u8],
    pool: Pool,
    names: &'a mut Names,
}

/// Attributes that fields, methods and classes share.
#[derive(Default)]
struct Common {
    deprecated: bool,
    annotations: Vec<Annotation>,
    /// Those of the parameters of a method.
    parameters: Vec<Vec<Annotation>>,
}

pub(super) fn class(file: Box<[u8]>, names: &mut Names) -> Result<Class, ClassError> {
    let mut bytes = Bytes::new(&file);
    if bytes.u4()? != 0xCAFE_BABE {
        return Err(ClassError {
            offset: 0,
            message: "not a class file: it does not start with CAFEBABE".into(),
        });
    }
    let _minor = bytes.u2()?;
    let major = bytes.u2()?;
    if !MAJORS.contains(&major) {
        let message = format!(
            "class files of version {major} are not known; Loris reads {} to {}",
            MAJORS.start(),
            MAJORS.end()
        );
        return Err(ClassError { offset: 6, message });
    }
    let pool = Pool::read(&mut bytes, &file, names)?;
    let mut context = Context { file: &file, pool, names };
    let flags = Flags(bytes.u2()?);
    let this = context.class(&mut bytes)?.ok_or_else(|| bytes.error("the class has no name"))?;
    let superclass = context.class(&mut bytes)?;
    let mut interfaces = Vec::new();
    for _ in 0..bytes.u2()? {
        interfaces.push(context.class(&mut bytes)?.ok_or_else(|| bytes.error("an interface has no name"))?);
    }
    let mut fields = Vec::new();
    for _ in 0..bytes.u2()? {
        fields.push(context.field(&mut bytes)?);
    }
    let mut methods = Vec::new();
    for _ in 0..bytes.u2()? {
        methods.push(context.method(&mut bytes)?);
    }
    let mut common = Common::default();
    let (mut source_file, mut enclosing, mut nest_host, mut nested) = (None, None, None, None);
    let mut is_record = false;
    let mut attributes = bytes.clone();
    for _ in 0..attributes.u2()? {
        let (name, mut body) = attribute(&mut attributes)?;
        if context.is(name, b"SourceFile") {
            source_file = Some(context.text(&mut body)?);
        } else if context.is(name, b"EnclosingMethod") {
            let owner = context.class(&mut body)?.ok_or_else(|| body.error("no enclosing class"))?;
            let method = match context.pool.get(body.u2()?) {
                super::Constant::NameAndType(name, descriptor) => Some((name, descriptor)),
                _ => None,
            };
            enclosing = Some((owner, method));
        } else if context.is(name, b"NestHost") {
            nest_host = context.class(&mut body)?;
        } else if context.is(name, b"InnerClasses") {
            for _ in 0..body.u2()? {
                let (inner, outer) = (context.class(&mut body)?, context.class(&mut body)?);
                body.skip(2)?;
                let flags = Flags(body.u2()?);
                // the table names all nested classes that occur
                if inner == Some(this) {
                    nested = Some(Nested { outer, flags });
                }
            }
        } else if context.is(name, b"BootstrapMethods") {
            context.bootstraps(&mut body)?;
        } else if context.is(name, b"Record") {
            is_record = true;
        } else {
            context.common(name, &mut body, &mut common)?;
        }
    }
    let pool = context.pool;
    Ok(Class {
        name: this,
        flags,
        major,
        superclass,
        interfaces,
        fields,
        methods,
        source_file,
        enclosing,
        nest_host,
        nested,
        annotations: common.annotations,
        is_record,
        deprecated: common.deprecated,
        pool,
        bytes: file,
    })
}

/// The number of the next attribute's name, and its body.
fn attribute<'b>(bytes: &mut Bytes<'b>) -> Result<(u16, Bytes<'b>), ClassError> {
    let name = bytes.u2()?;
    let length = bytes.u4()?;
    Ok((name, bytes.part(length as usize)?))
}

impl Context<'_> {
    fn is(&self, text: u16, expected: &[u8]) -> bool {
        self.pool.is_text(text, expected, self.file, self.names)
    }

    fn text(&mut self, bytes: &mut Bytes<'_>) -> Result<Symbol, ClassError> {
        let at = bytes.at();
        let number = bytes.u2()?;
        self.pool.text(number, self.file, self.names).map_err(|error| ClassError { offset: at, ..error })
    }

    /// The class with the next number; 0 is none.
    fn class(&mut self, bytes: &mut Bytes<'_>) -> Result<Option<Symbol>, ClassError> {
        let number = bytes.u2()?;
        match self.pool.class(number) {
            None if number != 0 => Err(bytes.error(format!("constant {number} should be a class"))),
            name => Ok(name),
        }
    }

    fn field(&mut self, bytes: &mut Bytes<'_>) -> Result<Field, ClassError> {
        let flags = Flags(bytes.u2()?);
        let (name, descriptor) = (self.text(bytes)?, self.text(bytes)?);
        if !is_type(&self.names[descriptor]) {
            return Err(bytes.error(format!("\"{}\" is not a type", &self.names[descriptor])));
        }
        let (mut common, mut constant) = (Common::default(), None);
        for _ in 0..bytes.u2()? {
            let (name, mut body) = attribute(bytes)?;
            if self.is(name, b"ConstantValue") {
                constant = Some(body.u2()?);
            } else {
                self.common(name, &mut body, &mut common)?;
            }
        }
        let Common { deprecated, annotations, .. } = common;
        Ok(Field { name, descriptor, flags, constant, deprecated, annotations })
    }

    fn method(&mut self, bytes: &mut Bytes<'_>) -> Result<Method, ClassError> {
        let flags = Flags(bytes.u2()?);
        let (name, descriptor) = (self.text(bytes)?, self.text(bytes)?);
        if Descriptor::of(&self.names[descriptor]).is_none() {
            return Err(bytes.error(format!("\"{}\" is not a method descriptor", &self.names[descriptor])));
        }
        let (mut common, mut exceptions, mut code) = (Common::default(), Vec::new(), None);
        for _ in 0..bytes.u2()? {
            let (name, mut body) = attribute(bytes)?;
            if self.is(name, b"Code") {
                code = Some(self.code(&mut body)?);
            } else if self.is(name, b"Exceptions") {
                for _ in 0..body.u2()? {
                    exceptions.extend(self.class(&mut body)?);
                }
            } else {
                self.common(name, &mut body, &mut common)?;
            }
        }
        let Common { deprecated, annotations, parameters } = common;
        Ok(Method { name, descriptor, flags, exceptions, deprecated, annotations, parameters, code })
    }

    fn code(&mut self, bytes: &mut Bytes<'_>) -> Result<Code, ClassError> {
        let (max_stack, max_locals) = (bytes.u2()?, bytes.u2()?);
        let length = bytes.u4()?;
        let start = bytes.at() as u32;
        bytes.skip(length as usize)?;
        let mut handlers = Vec::new();
        for _ in 0..bytes.u2()? {
            let (start, end, target) = (bytes.u2()?, bytes.u2()?, bytes.u2()?);
            handlers.push(Handler { start, end, target, caught: self.class(bytes)? });
        }
        let (mut lines, mut locals) = (Vec::new(), Vec::new());
        for _ in 0..bytes.u2()? {
            let (name, mut body) = attribute(bytes)?;
            if self.is(name, b"LineNumberTable") {
                for _ in 0..body.u2()? {
                    lines.push((body.u2()?, body.u2()?));
                }
            } else if self.is(name, b"LocalVariableTable") {
                for _ in 0..body.u2()? {
                    let (start, length) = (body.u2()?, body.u2()?);
                    let (name, descriptor) = (self.text(&mut body)?, self.text(&mut body)?);
                    let end = u32::from(start) + u32::from(length);
                    locals.push(LocalVariable { start, end, name, descriptor, slot: body.u2()? });
                }
            }
        }
        lines.sort_unstable();
        Ok(Code { max_stack, max_locals, range: start..start + length, handlers, lines, locals })
    }

    fn bootstraps(&mut self, bytes: &mut Bytes<'_>) -> Result<(), ClassError> {
        for _ in 0..bytes.u2()? {
            let handle = bytes.u2()?;
            let mut arguments = Vec::new();
            for _ in 0..bytes.u2()? {
                arguments.push(bytes.u2()?);
            }
            self.pool.bootstraps.push(Bootstrap { handle, arguments });
        }
        Ok(())
    }

    fn common(&mut self, name: u16, body: &mut Bytes<'_>, common: &mut Common) -> Result<(), ClassError> {
        if self.is(name, b"Deprecated") {
            common.deprecated = true;
            return Ok(());
        }
        let visible = self.is(name, b"RuntimeVisibleAnnotations");
        if visible || self.is(name, b"RuntimeInvisibleAnnotations") {
            let Self { file, pool, names } = self;
            annotations(body, pool, file, names, visible, &mut common.annotations)?;
            return Ok(());
        }
        let visible = self.is(name, b"RuntimeVisibleParameterAnnotations");
        if visible || self.is(name, b"RuntimeInvisibleParameterAnnotations") {
            let Self { file, pool, names } = self;
            let count = usize::from(body.u1()?);
            // both attributes are there if some annotations are visible and others are not
            if common.parameters.len() < count {
                common.parameters.resize_with(count, Vec::new);
            }
            for parameter in common.parameters.iter_mut().take(count) {
                annotations(body, pool, file, names, visible, parameter)?;
            }
        }
        Ok(())
    }
}
