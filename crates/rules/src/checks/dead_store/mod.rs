//! Dead stores: a value is stored in a local variable and on every path overwritten or out of life
//! before it is used.
//!
//! Liveness over the instructions, with edges to handlers from every instruction that may throw. An
//! increment uses its variable only if the result is used; to pass a value to a method that does
//! not use it is not a use. Then what is dead on purpose is left out ([`intended`]).

mod constants;
mod fields;
mod intended;
mod live;
mod passed;
mod series;
mod variables;

pub(super) use passed::{Unread, unread};

use super::method::Code;
use constants::constant;
use intended::{Intended, is_left_out};
use live::Live;
use loris_findings::{Confidence, Finding, RuleInfo};
use loris_java::class::{Constant, Descriptor, LocalVariable, Op};
use rustc_hash::FxHashSet;
use series::Series;
use variables::Variables;

pub(super) fn check(code: &Code<'_>, rule: &RuleInfo, unread: &Unread, found: &mut Vec<Finding>) {
    // made by a compiler: bridges, accessors; lambdas are written by people
    let name = code.text(code.method.name);
    if code.method.flags.is_synthetic() && !name.starts_with("lambda$") {
        return;
    }
    fields::check(code, rule, found);
    if is_suspended(code) {
        return;
    }
    if !(0..code.len()).any(|number| matches!(code.op(number), Op::Set(..) | Op::Increment(_))) {
        return;
    }
    let ignored = passed::ignored(code, unread);
    let Some(live) = Live::new(code, &|number| ignored.contains(&number)) else { return };
    let variables = Variables::new(code);
    parameters(code, rule, (&live, &variables), found);
    let intended = Intended::new(code, &live, &variables);
    let used = (!ignored.is_empty()).then(|| Live::new(code, &|_| false)).flatten();
    let (mut ordinal, series) = (0, Series::default());
    // variables of which no value is used: one finding is enough
    let mut reported = FxHashSet::default();
    for number in 0..code.len() {
        let (Op::Set(_, slot) | Op::Increment(slot)) = code.op(number) else { continue };
        ordinal += 1;
        if !code.is_reached(number) || live.after(code, number, slot) || intended.is_intended(number, slot) {
            continue;
        }
        let known = variables.at(code, number, slot);
        let is_read = variables.is_read(code, number, slot);
        if !is_read && known.is_some_and(|variable| !reported.insert((slot, variable.name))) {
            continue;
        }
        let named = known.map(|variable| code.text(variable.name));
        let is_passed = used.as_ref().is_some_and(|used| used.after(code, number, slot));
        let message = match (named, code.op(number)) {
            (Some(name), _) if is_passed => {
                format!("the value of \"{name}\" is passed to a method that does not use it, and to no other")
            }
            (Some(name), Op::Increment(_)) => format!("the value of \"{name}\" is changed and never used"),
            (Some(name), _) if !is_read => {
                format!("the value stored in \"{name}\" is never used, nor is any other value of it")
            }
            (Some(name), _) => format!("the value stored in \"{name}\" is never used"),
            (None, _) => "the value stored in a local variable is never used".to_owned(),
        };
        let mut finding = code.finding(rule, number, message).numbered(ordinal - 1);
        if constant(code, number).is_some() {
            // constants that compilers copy to where they are used are stored once and never read
            let (most, why) = if is_read && intended.starts_with_default(number, slot) {
                (Confidence::Possible, "the value is one to start with")
            } else if is_read {
                (Confidence::Likely, "the value is a constant")
            } else {
                (Confidence::Possible, "the value is a constant, and nothing reads the variable")
            };
            finding = finding.at_most(most, why);
        }
        if loads_class(code, number) {
            let why = "the class may be named so that it is loaded";
            finding = finding.at_most(Confidence::Possible, why);
        }
        if series.is_last(code, &live, &variables, number, slot) {
            finding = finding.at_most(Confidence::Possible, "it is the last of several steps of one kind");
        }
        if is_passed {
            finding =
                finding.at_most(Confidence::Likely, "the method that it is passed to may use it one day");
        }
        if named.is_none() {
            let why = "the class file does not name the variable";
            finding = finding.at_most(Confidence::Likely, why);
        }
        found.push(finding);
    }
}

/// Whether the value is a class that is named: where it is not there, this fails.
fn loads_class(code: &Code<'_>, number: usize) -> bool {
    let before = number.checked_sub(1).filter(|_| !code.flow.is_join(number)).map(|before| code.op(before));
    matches!(before, Some(Op::Load(constant, _)) if matches!(code.class.pool.get(constant), Constant::Class(_)))
}

/// Whether a method is one of Kotlin that is left and entered again where it waits: it restores all
/// variables then, those that it does not need any more included.
fn is_suspended(code: &Code<'_>) -> bool {
    let is_continuation = |local: &LocalVariable| code.text(local.name) == "$continuation";
    code.is_of_another_language()
        && (code.text(code.method.name) == "invokeSuspend"
            || code.body.code.locals.iter().any(is_continuation))
}

/// Reports parameters that are overwritten before they are used: what callers pass is lost.
fn parameters(
    code: &Code<'_>,
    rule: &RuleInfo,
    (live, variables): (&Live, &Variables<'_>),
    found: &mut Vec<Finding>,
) {
    // others decide on the parameters of lambdas and of methods that override some
    if code.method.flags.is_synthetic() {
        return;
    }
    let Some(descriptor) = Descriptor::of(code.text(code.method.descriptor)) else { return };
    let mut first_stores = vec![None; usize::from(code.body.code.max_locals)];
    for number in (0..code.len()).rev().filter(|&number| code.is_reached(number)) {
        if let Op::Set(_, slot) = code.op(number) {
            first_stores[usize::from(slot)] = Some(number);
        }
    }
    let mut slot = u16::from(!code.method.flags.is_static());
    let mut overrides = None;
    for parameter in descriptor.parameters {
        let (this, width) = (slot, if matches!(parameter, "J" | "D") { 2 } else { 1 });
        slot += width;
        let Some(variable) = code.body.code.variable(this, 0) else { continue };
        let Some(first) = first_stores[usize::from(this)] else { continue };
        if live.before(0, this)
            || !variables.is_read(code, first, this)
            || is_left_out(code.text(variable.name))
            || *overrides.get_or_insert_with(|| self::overrides(code))
        {
            continue;
        }
        let name = code.text(variable.name);
        let message = format!("the parameter \"{name}\" is overwritten before it is used");
        let finding = code.finding(rule, first, message).numbered(u32::from(this) + PARAMETERS);
        found.push(finding.at_most(Confidence::Likely, "callers may have to pass the parameter"));
    }
}

fn overrides(code: &Code<'_>) -> bool {
    let program = code.program();
    let class = program.owner(code.id);
    let inherits = |&ancestor: &loris_java::ClassId| {
        program.declared(ancestor, code.method.name, code.method.descriptor).is_some()
    };
    program.supertypes(class).iter().skip(1).any(inherits)
}

/// Ordinals of findings about parameters start here.
const PARAMETERS: u32 = 1 << 20;
