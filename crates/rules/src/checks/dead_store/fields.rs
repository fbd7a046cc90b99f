//! Fields that are stored into twice, with nothing in between that could read the first value.

use crate::checks::method::Code;
use crate::checks::recursion::is_volatile;
use crate::flow::Value;
use loris_findings::{Confidence, Finding, RuleInfo};
use loris_java::class::{Member, Op};
use rustc_hash::FxHashSet;

/// Ordinals of findings about fields start here.
const FIELDS: u32 = 1 << 21;

pub(super) fn check(code: &Code<'_>, rule: &RuleInfo, found: &mut Vec<Finding>) {
    let is_store = |number: usize| matches!(code.op(number), Op::PutField(_) | Op::PutStatic(_));
    if (0..code.len()).filter(|&number| is_store(number)).nth(1).is_none() {
        return;
    }
    // constructors start with the values of declarations, which they may replace
    let name = code.text(code.method.name);
    let constructs = name == "<init>" || name == "<clinit>";
    let mut stored: FxHashSet<Member> = FxHashSet::default();
    let mut ordinal = FIELDS;
    for number in (0..code.len()).filter(|&number| is_store(number)) {
        ordinal += 1;
        let Some(member) = code.member(number) else { continue };
        let is_first = stored.insert(member);
        if !code.is_reached(number) || constructs && is_first || !is_overwritten(code, number, &member) {
            continue;
        }
        let name = code.text(member.name);
        let message = format!("the value stored in the field \"{name}\" is overwritten before it is used");
        let finding = code.finding(rule, number, message).numbered(ordinal);
        found.push(finding.at_most(Confidence::Likely, "another thread may read the field in between"));
    }
}

/// How many instructions are looked at after a store.
const NEAR: usize = 64;

/// Whether the next use of a field on the only path is another store into the same field of the
/// same object.
fn is_overwritten(code: &Code<'_>, store: usize, member: &Member) -> bool {
    if is_volatile(code, store) {
        return false;
    }
    let mut at = store;
    for _ in 0..NEAR {
        let mut next = code.flow.next(at);
        let (Some(only), None) = (next.next(), next.next()) else { return false };
        if only <= at || code.flow.handlers(only).next().is_some() {
            return false;
        }
        at = only;
        match code.op(at) {
            Op::PutField(_) | Op::PutStatic(_) if code.member(at) == Some(*member) => {
                return has_same_object(code, store, at, member);
            }
            Op::GetField(_) if code.member(at).is_some_and(|read| read.name != member.name) => {}
            Op::PutField(_)
            | Op::Nop
            | Op::Null
            | Op::Int(_)
            | Op::Number(_)
            | Op::Load(..)
            | Op::Get(..)
            | Op::Set(..)
            | Op::Increment(_)
            | Op::Stack(_)
            | Op::Compute { divides: false, .. }
            | Op::Goto(_) => {}
            _ => return false,
        }
    }
    false
}

fn has_same_object(code: &Code<'_>, first: usize, second: usize, member: &Member) -> bool {
    if matches!(code.op(first), Op::PutStatic(_)) {
        return true;
    }
    let below = if matches!(code.text(member.descriptor), "J" | "D") { 2 } else { 1 };
    let Some(values) = code.values() else { return false };
    let object = |number: usize| values.stack(number, below);
    // a field has another value after `node = node.next`
    let is_assigned = |field: &Member| {
        let stores = |number: &usize| matches!(code.op(*number), Op::PutField(_) | Op::PutStatic(_));
        (0..code.len()).filter(stores).any(|number| code.member(number).as_ref() == Some(field))
    };
    let is_stable = |id| match values.value(id) {
        Value::Field(_, field) | Value::Static(field) => !is_assigned(&field),
        _ => true,
    };
    object(first).is_some_and(is_stable) && object(first) == object(second)
}
