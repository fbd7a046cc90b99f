//! Making the declarations from the classes of a platform.

use crate::api::DEPRECATED;
use crate::class::{Class, Flags};
use crate::program::{ClassId, Program};
use std::collections::BTreeSet;
use std::fmt::Write;

/// The packages that are written: those that the modules of Java SE export.
const PACKAGES: [&str; 5] = ["java/", "javax/", "org/w3c/dom/", "org/xml/sax/", "org/ietf/jgss/"];

/// What flags are kept of classes: public, final, interface, abstract, annotation, enumeration.
const OF_CLASSES: u16 = 0x6611;

/// What flags are kept of methods: public, protected, static, final, varargs, native, abstract.
const OF_METHODS: u16 = 0x059D;

/// The declarations of the public classes of a platform that programs are compiled against, with
/// all their ancestors.
pub fn declarations(platform: &Program) -> String {
    let mut wanted: BTreeSet<(String, ClassId)> = BTreeSet::new();
    for id in platform.classes() {
        let class = platform.class(id);
        let name = &platform.names[class.name];
        if class.flags.is_public() && PACKAGES.iter().any(|package| name.starts_with(package)) {
            let all = platform.supertypes(id).into_iter();
            wanted.extend(all.map(|id| (platform.names[platform.class(id).name].to_owned(), id)));
        }
    }
    let mut text = String::new();
    for (_, id) in wanted {
        write_class(platform, platform.class(id), &mut text);
    }
    text
}

fn write_class(platform: &Program, class: &Class, text: &mut String) {
    let names = &platform.names;
    text.push_str(&names[class.name]);
    flags(class.flags, OF_CLASSES, class.deprecated, text);
    text.push(' ');
    text.push_str(class.superclass.map_or("-", |name| &names[name]));
    for &interface in &class.interfaces {
        text.push(' ');
        text.push_str(&names[interface]);
    }
    text.push('\n');
    for method in &class.methods {
        let visible = method.flags.is_public() || method.flags.is_protected();
        if !visible || &names[method.name] == "<clinit>" {
            continue;
        }
        text.push(' ');
        text.push_str(&names[method.name]);
        text.push_str(&names[method.descriptor]);
        flags(method.flags, OF_METHODS, method.deprecated, text);
        for &exception in &method.exceptions {
            text.push(' ');
            text.push_str(&names[exception]);
        }
        text.push('\n');
    }
}

fn flags(flags: Flags, kept: u16, deprecated: bool, text: &mut String) {
    let all = u32::from(flags.0 & kept) | if deprecated { DEPRECATED } else { 0 };
    // writing to a string does not fail
    let _ = write!(text, " {all:x}");
}
