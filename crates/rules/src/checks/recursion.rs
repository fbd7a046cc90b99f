//! Recursion without end: `A G (enter_m -> E F exit_m)` fails, as every path of a method runs into a
//! call of itself, directly or around; or a path calls itself with the same arguments and has changed
//! nothing before.
//!
//! Methods that cannot return are a greatest fixpoint: a method stays in the set as long as each of
//! its paths runs into a certain call of a method in the set. Of these, the ones on a cycle of such
//! calls are reported. Exceptions count as ways out if they are thrown explicitly, or declared by a
//! method that is called and caught here. Linear per round, and a round for each chain of callers.

use super::method::Code;
use crate::flow::Value;
use crate::{Context, Finding, Rule};
use loris_java::MethodId;
use loris_java::class::{Descriptor, Op};
use rustc_hash::{FxHashMap, FxHashSet};

/// What matters of a method: the calls it is certain to run into before it may end, if it is not
/// certain to end.
#[derive(Clone, Debug)]
pub(super) struct Calls {
    /// All certain calls: the instruction and the method.
    certain: Vec<(u32, MethodId)>,
}

/// The certain calls of a method, unless it has none.
pub(super) fn calls(code: &Code<'_>) -> Option<Calls> {
    let certain: Vec<(u32, MethodId)> = (0..code.len())
        .filter(|&number| code.is_reached(number))
        .filter_map(|number| Some((number as u32, code.certain_callee(number)?)))
        .collect();
    (!certain.is_empty()).then_some(Calls { certain })
}

/// Reports calls of the method itself with the same arguments, before which nothing is changed.
pub(super) fn unchanged(code: &Code<'_>, rule: &Rule, found: &mut Vec<Finding>) {
    let own = |number: usize| code.certain_callee(number) == Some(code.id);
    if !(0..code.len()).any(|number| matches!(code.op(number), Op::Invoke(..)) && own(number)) {
        return;
    }
    let pure = |number: usize| match code.op(number) {
        Op::Invoke(..)
        | Op::InvokeDynamic(_)
        | Op::PutField(_)
        | Op::PutStatic(_)
        | Op::ArraySet(_)
        | Op::MonitorEnter
        | Op::MonitorExit
        | Op::Throw => false,
        Op::GetField(_) | Op::GetStatic(_) => !is_volatile(code, number),
        _ => true,
    };
    let reached = code.flow.reached([0], false, pure);
    let mut reported = FxHashSet::default();
    for number in (0..code.len()).filter(|&number| reached[number]) {
        for call in code.flow.next(number).filter(|&call| !reached[call]) {
            if own(call) && has_same_arguments(code, call) && reported.insert(call) {
                let message =
                    "the method calls itself with the same arguments and has changed nothing before";
                found.push(code.finding(rule, call, message));
            }
        }
    }
}

pub(super) fn is_volatile(code: &Code<'_>, number: usize) -> bool {
    let Some(member) = code.member(number) else { return true };
    let program = code.program();
    let Some(class) = program.find_class(member.owner) else { return true };
    let field = |&class: &loris_java::ClassId| {
        let class = program.class(class);
        class.field(member.name, member.descriptor).map(|field| class.fields[field].flags)
    };
    // the flag of bridges is that of volatile fields
    program.supertypes(class).iter().find_map(field).is_none_or(loris_java::class::Flags::is_bridge)
}

fn has_same_arguments(code: &Code<'_>, call: usize) -> bool {
    let (Some(values), Some(descriptor)) = (code.values(), Descriptor::of(code.text(code.method.descriptor)))
    else {
        return false;
    };
    let slots = descriptor.slots() + usize::from(!code.method.flags.is_static());
    (0..slots).all(|slot| {
        let passed = values.stack(call, slots - 1 - slot).map(|value| values.value(value));
        // of a value of two slots both have the number of the first
        passed == Some(Value::Initial(slot as u16))
            || slot > 0 && passed == Some(Value::Initial(slot as u16 - 1))
    })
}

/// Reports methods that cannot return because they call themselves, directly or around.
pub(super) fn endless(
    context: &Context<'_>,
    rule: &Rule,
    calls: &FxHashMap<MethodId, Calls>,
    found: &mut Vec<Finding>,
) {
    let mut order: Vec<MethodId> = calls.keys().copied().collect();
    order.sort_unstable();
    let mut left: FxHashSet<MethodId> = order.iter().copied().collect();
    // only methods that call another one in the set can stay
    loop {
        let gone: Vec<MethodId> = order
            .iter()
            .copied()
            .filter(|method| left.contains(method))
            .filter(|method| !calls[method].certain.iter().any(|(_, callee)| left.contains(callee)))
            .collect();
        if gone.is_empty() {
            break;
        }
        for method in gone {
            left.remove(&method);
        }
    }
    loop {
        let gone: Vec<MethodId> = order
            .iter()
            .copied()
            .filter(|method| left.contains(method) && may_end(context, *method, &calls[method], &left))
            .collect();
        if gone.is_empty() {
            break;
        }
        for method in gone {
            left.remove(&method);
        }
    }
    for &method in order.iter().filter(|method| left.contains(method)) {
        if !context.is_reported(context.program.owner(method)) {
            continue;
        }
        let Some((number, around)) = cycle(method, calls, &left) else { continue };
        let Ok(Some(body)) = context.program.body(method) else { continue };
        let code = Code::new(context, method, body);
        let message = if around.is_empty() {
            "every path of the method calls the method itself: it never returns".to_owned()
        } else {
            let names: Vec<String> =
                around.iter().map(|&method| context.program.method_name(method)).collect();
            format!(
                "every path of the method leads back to it through {}: it never returns",
                names.join(", ")
            )
        };
        let finding = code.finding(rule, number as usize, message);
        // this says more than that a path does
        found.retain(|other| {
            (&other.rule, &other.class, &other.method, &other.descriptor)
                != (&finding.rule, &finding.class, &finding.method, &finding.descriptor)
        });
        found.push(finding);
    }
}

/// Whether a path of a method ends that passes no certain call of a method that cannot return.
fn may_end(context: &Context<'_>, method: MethodId, calls: &Calls, left: &FxHashSet<MethodId>) -> bool {
    let Ok(Some(body)) = context.program.body(method) else { return true };
    let code = Code::new(context, method, body);
    let blocked: FxHashSet<usize> = calls
        .certain
        .iter()
        .filter(|(_, callee)| left.contains(callee))
        .map(|&(number, _)| number as usize)
        .collect();
    let mut seen = vec![false; code.len()];
    let mut work = vec![0];
    seen[0] = true;
    let mut calls_seen = false;
    while let Some(number) = work.pop() {
        if blocked.contains(&number) {
            calls_seen = true;
            continue;
        }
        match code.op(number) {
            Op::Return(_) => return true,
            Op::Throw if code.flow.handlers(number).next().is_none() => return true,
            _ if code.ends_program(number) => return true,
            _ => {}
        }
        let mut next: Vec<usize> = code.flow.next(number).collect();
        if code.may_throw_declared(number) {
            next.extend(code.flow.handlers(number));
        }
        for next in next {
            if !seen[next] {
                seen[next] = true;
                work.push(next);
            }
        }
    }
    !calls_seen
}

/// The call with which a method starts the shortest way back to itself, and the methods between.
fn cycle(
    method: MethodId,
    calls: &FxHashMap<MethodId, Calls>,
    left: &FxHashSet<MethodId>,
) -> Option<(u32, Vec<MethodId>)> {
    let mut from: FxHashMap<MethodId, (MethodId, u32)> = FxHashMap::default();
    let mut queue = std::collections::VecDeque::from([method]);
    while let Some(caller) = queue.pop_front() {
        for &(number, callee) in &calls[&caller].certain {
            if callee == method {
                let (mut around, mut at, mut first) = (Vec::new(), caller, number);
                while at != method {
                    around.push(at);
                    let (before, call) = from[&at];
                    (at, first) = (before, call);
                }
                around.reverse();
                return Some((first, around));
            }
            if left.contains(&callee) && !from.contains_key(&callee) {
                from.insert(callee, (caller, number));
                queue.push_back(callee);
            }
        }
    }
    None
}
