//! Annotations in class files: any whose name is `SuppressWarnings` or `SuppressLoris`, and
//! `SuppressFBWarnings`, on a class, a method or a field.

use super::annotation::names_rule;
use super::spotbugs::is_alias;
use crate::context::ProgramContext;
use crate::rule::Rule;
use loris_findings::{Declaration, Finding, Suppression, SuppressionKind};
use loris_java::ClassId;
use loris_java::class::Annotation;

/// Marks findings that annotations in class files suppress.
pub fn by_annotation(context: &ProgramContext<'_>, rules: &[Rule], findings: &mut [Finding]) {
    for finding in findings.iter_mut().filter(|finding| finding.suppressed.is_none()) {
        let Some(rule) = rules.iter().find(|rule| rule.info.id == finding.rule) else { continue };
        if let Some(place) = place(context, rule, finding) {
            finding.suppressed = Some(Suppression { kind: SuppressionKind::Annotation, place });
        }
    }
}

/// The declaration whose annotation suppresses a finding.
fn place(context: &ProgramContext<'_>, rule: &Rule, finding: &Finding) -> Option<String> {
    let program = context.program;
    let Declaration { class: class_name, method: in_method, descriptor, field, .. } =
        finding.declaration.as_ref()?;
    let id = program.class_named(class_name)?;
    let class = program.class(id);
    let names = |annotations: &[Annotation]| {
        annotations.iter().any(|annotation| suppresses(context, annotation, rule))
    };
    if let Some(field) = field {
        let mut fields = class.fields.iter();
        if fields.any(|other| &program.names[other.name] == field && names(&other.annotations)) {
            return Some(format!("{class_name}.{field}"));
        }
    }
    // the code of a lambda is in a method of its own
    let lambda = in_method.strip_prefix("lambda$").and_then(|rest| rest.rsplit_once('$'));
    for method in &class.methods {
        let name = &program.names[method.name];
        let is_it = match lambda {
            Some(("new", _)) => name == "<init>",
            Some((around, _)) => name == around,
            None => name == in_method && &program.names[method.descriptor] == descriptor.as_str(),
        };
        if is_it && names(&method.annotations) {
            return Some(format!("{class_name}.{name}"));
        }
    }
    around(context, id)
        .find(|&class| names(&program.class(class).annotations))
        .map(|class| program.class_name(class))
}

/// A class and those it is nested in.
fn around<'p>(context: &ProgramContext<'p>, class: ClassId) -> impl Iterator<Item = ClassId> + use<'p> {
    let program = context.program;
    let mut name = program.names[program.class(class).name].to_owned();
    let mut next = Some(class);
    std::iter::from_fn(move || {
        let found = next.take()?;
        while let Some(end) = name.rfind('$') {
            name.truncate(end);
            next = program.class_named(&name);
            if next.is_some() {
                break;
            }
        }
        Some(found)
    })
}

fn suppresses(context: &ProgramContext<'_>, annotation: &Annotation, rule: &Rule) -> bool {
    let simple = annotation.simple_name(&context.program.names);
    let mut words = annotation.values.iter().map(|&value| &context.program.names[value]);
    match simple {
        "SuppressWarnings" | "SuppressLoris" => words
            .any(|word| names_rule(word, &rule.info.id) || simple == "SuppressLoris" && word == rule.info.id),
        "SuppressFBWarnings" => words.any(|word| is_alias(word, rule)),
        _ => false,
    }
}
