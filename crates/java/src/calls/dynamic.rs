//! Calls whose target is made at run time by a bootstrap method: lambdas, method references,
//! concatenation of strings, records and switches (JVMS, section 6.5.invokedynamic).

use crate::class::{Class, Constant, Dynamic, Member};
use loris_base::{Names, Symbol};

/// An object made by a lambda expression or a method reference.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Lambda {
    /// The interface it implements.
    pub interface: Symbol,
    /// The method of the interface.
    pub name: Symbol,
    /// The erased descriptor of that method.
    pub descriptor: Symbol,
    /// How the implementation is called (JVMS, table 5.4.3.5-A).
    pub kind: u8,
    /// The method that is run; values that the lambda captures are its first arguments.
    pub implementation: Member,
    /// How many values are captured.
    pub captured: usize,
}

/// What an instruction makes.
pub(crate) enum Made {
    /// An object that runs a method of the program.
    Lambda(Lambda),
    /// A value, by code of the platform that is known to call nothing of interest.
    Value,
    /// Something that is not known.
    Unknown,
}

/// The lambda or method reference that a dynamic call makes, if it is one.
pub fn lambda(class: &Class, names: &Names, dynamic: &Dynamic) -> Option<Lambda> {
    match made(class, names, dynamic) {
        Made::Lambda(lambda) => Some(lambda),
        _ => None,
    }
}

pub(crate) fn made(class: &Class, names: &Names, dynamic: &Dynamic) -> Made {
    let Some(bootstrap) = class.pool.bootstrap(dynamic.bootstrap) else { return Made::Unknown };
    let Some((_, method)) = handle(class, bootstrap.handle) else { return Made::Unknown };
    match &names[method.owner] {
        "java/lang/invoke/LambdaMetafactory" => {
            lambda_of(class, names, dynamic, &bootstrap.arguments).map_or(Made::Unknown, Made::Lambda)
        }
        "java/lang/invoke/StringConcatFactory"
        | "java/lang/runtime/ObjectMethods"
        | "java/lang/runtime/SwitchBootstraps"
        | "java/lang/runtime/TemplateRuntime" => Made::Value,
        _ => Made::Unknown,
    }
}

fn lambda_of(class: &Class, names: &Names, dynamic: &Dynamic, arguments: &[u16]) -> Option<Lambda> {
    let made = crate::class::Descriptor::of(&names[dynamic.descriptor])?;
    let interface = names.find(made.result.strip_prefix('L')?.strip_suffix(';')?)?;
    let &[method_type, implementation, ..] = arguments else { return None };
    let Constant::MethodType(descriptor) = class.pool.get(method_type) else { return None };
    let (kind, implementation) = handle(class, implementation)?;
    let captured = made.parameters.len();
    Some(Lambda { interface, name: dynamic.name, descriptor, kind, implementation, captured })
}

/// The method that a method handle is about.
pub(crate) fn handle(class: &Class, number: u16) -> Option<(u8, Member)> {
    let Constant::Handle(kind, member) = class.pool.get(number) else { return None };
    match class.pool.get(member) {
        Constant::Method(member) | Constant::InterfaceMethod(member) => Some((kind, member)),
        _ => None,
    }
}
