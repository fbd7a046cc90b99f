//! The shipped declarations are read, and loaded only where a program names them.

use super::{blocks_of, each_class, platform};
use crate::{ClassOrigin, LoadOptions, Program};

#[test]
fn the_platform_is_read() {
    let loaded = Program::load(Vec::new(), &LoadOptions::default());
    let program = &loaded.program;
    let named = |name: &str| program.class_named(name).unwrap_or_else(|| panic!("{name} is missing"));
    let symbol = |name: &str| program.names.find(name).unwrap_or_else(|| panic!("{name} is missing"));
    assert_eq!(program.origin(named("java.io.Closeable")), ClassOrigin::Platform);
    let close = &program.class(named("java.io.Closeable")).methods;
    assert_eq!(close.len(), 1);
    assert_eq!(close[0].exceptions, [symbol("java/io/IOException")]);
    assert!(close[0].flags.is_abstract());
    assert!(program.is_subtype(symbol("java/io/Closeable"), symbol("java/lang/AutoCloseable")));
    assert!(program.is_subtype(symbol("java/io/IOException"), symbol("java/lang/Throwable")));
    assert!(!program.is_subtype(symbol("java/io/IOException"), symbol("java/lang/RuntimeException")));
    let thread = program.class(named("java.lang.Thread"));
    assert!(thread.methods.iter().any(|method| method.deprecated));
    // nothing leads to it
    assert_eq!(program.class_named("java.sql.Connection"), None);
}

#[test]
fn every_line_of_the_platform_is_one_of_a_class_or_method() {
    let text = platform();
    let mut classes = std::collections::BTreeSet::new();
    for block in blocks_of(&text).chain(blocks_of(super::SERVLETS)) {
        let mut names = loris_base::Names::default();
        let class = super::class(block, &mut names);
        assert!(classes.insert(names[class.name].to_owned()), "{block}");
        assert_eq!(class.methods.len(), block.lines().count() - 1);
        for method in &class.methods {
            let descriptor = &names[method.descriptor];
            assert!(crate::class::Descriptor::of(descriptor).is_some(), "{block}: {descriptor}");
        }
    }
    for expected in [
        "java/sql/Connection",
        "java/net/http/HttpClient",
        "javax/xml/parsers/SAXParser",
        "javax/naming/Context",
        "java/util/logging/FileHandler",
        "java/awt/Graphics",
        "java/lang/AbstractStringBuilder",
        "javax/servlet/http/Cookie",
        "jakarta/servlet/http/HttpServletResponse",
    ] {
        assert!(classes.contains(expected), "{expected} is missing");
    }
}

#[test]
fn names_lead_to_classes() {
    let found = |name: &str| {
        let mut found = Vec::new();
        each_class(name, |class| found.push(class.to_owned()));
        found.pop();
        found
    };
    assert_eq!(found("(ILa/L;[[Lb/X;)Lc;"), ["a/L", "b/X", "c"]);
    assert_eq!(found("Lx/Y;"), ["x/Y"]);
    assert!(found("LinkedList").is_empty() && found("x/Y").is_empty());
}
