//! One finding per cause: code that compilers copied, and objects that are closed with others.

use crate::flow::{Flow, Value, Values};
use loris_findings::{Confidence, Finding};
use loris_java::class::{Descriptor, Op};
use loris_java::objects::{Site, SiteKind};
use loris_java::{MethodId, Program};
use rustc_hash::FxHashMap;
use std::collections::hash_map::Entry;

/// Findings with the site and the rule of each, without those that another one stands for.
pub(super) fn one_per_cause(program: &Program, mut findings: Vec<(Site, usize, Finding)>) -> Vec<Finding> {
    leave_to_parents(program, &mut findings);
    // finally blocks are copied by compilers: what they do is found once for each copy, of which
    // the most certain one stays
    let mut met: FxHashMap<_, usize> = FxHashMap::default();
    let mut kept: Vec<Finding> = Vec::new();
    for (.., finding) in findings {
        let (class, method, descriptor) = finding.method();
        let place = (format!("{class}.{method}{descriptor}"), finding.line());
        match met.entry((finding.rule.clone(), place, finding.message.clone())) {
            Entry::Vacant(entry) => {
                entry.insert(kept.len());
                kept.push(finding);
            }
            Entry::Occupied(entry) if finding.confidence > kept[*entry.get()].confidence => {
                // known by the first one, whichever is more certain
                let ordinal = kept[*entry.get()].declaration.as_ref().map_or(0, |it| it.ordinal);
                kept[*entry.get()] = finding.numbered(ordinal);
            }
            Entry::Occupied(_) => {}
        }
    }
    kept
}

/// Leaves out objects that are closed with another one that the rule is broken for, too: a result
/// set of a statement of a connection that is not closed. Closing that one is enough.
fn leave_to_parents(program: &Program, findings: &mut Vec<(Site, usize, Finding)>) {
    let known: FxHashMap<(MethodId, usize, usize), Option<Confidence>> = findings
        .iter()
        .map(|(site, rule, finding)| ((site.method, site.number, *rule), finding.confidence))
        .collect();
    findings.retain(|(site, rule, finding)| {
        let parent = if site.kind == SiteKind::Child { parent(program, site) } else { None };
        let parent = match parent {
            Some(Value::New(number, _) | Value::Result(number, _)) => Some(number as usize),
            _ => None,
        };
        let parent = parent.and_then(|number| known.get(&(site.method, number, *rule)));
        parent.is_none_or(|&confidence| confidence < finding.confidence)
    });
}

/// The object that a child is made from.
pub(super) fn parent(program: &Program, site: &Site) -> Option<Value> {
    let body = program.body(site.method).ok()??;
    let class = program.class(program.owner(site.method));
    let Op::Invoke(_, constant) = body.instructions[site.number].op else { return None };
    let member = class.pool.member(constant)?;
    let slots = Descriptor::of(&program.names[member.descriptor])?.slots();
    let values = Values::new(class, &program.names, &body, &Flow::new(&body))?;
    Some(values.value(values.stack(site.number, slots)?))
}
