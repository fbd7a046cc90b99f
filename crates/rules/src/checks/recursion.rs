//! Recursion without end: `A G (enter_m -> E F exit_m)` fails, as every path of a method runs into
//! a call of itself, directly or around; or a path calls itself with the same arguments and has
//! changed nothing before.
//!
//! Methods that cannot return are a greatest fixpoint: a method stays in the set as long as each of
//! its paths runs into a certain call of a method in the set. Of these, the ones on a cycle of such
//! calls are reported. Exceptions count as ways out if they are thrown explicitly, or declared by a
//! method that is called and caught here.
//!
//! A method that a class inherits is looked at once more for that class: what it calls on its own
//! object is known then. A method is looked at again only when one that it calls has left the set.

use super::method::{Code, subtypes};
use crate::context::ProgramContext;
use crate::flow::Value;
use crate::path::{Step, trace};
use loris_base::{Budget, Csr, Exhausted, Symbol};
use loris_findings::{Confidence, Finding, RuleInfo};
use loris_java::class::{Descriptor, Invoke, Op};
use loris_java::{ClassId, MethodId};
use rustc_hash::{FxHashMap, FxHashSet};
use std::cell::OnceCell;

/// The calls of a method that matter.
#[derive(Clone, Debug)]
pub(super) struct Calls {
    /// Calls of which it is certain what they run.
    certain: Vec<Call>,
    /// Calls on the object itself that run what its class says.
    open: Vec<(u32, Symbol, Symbol)>,
}

/// A call of which it is certain what it runs.
#[derive(Clone, Copy, Debug)]
struct Call {
    number: u32,
    callee: MethodId,
    on_this: bool,
}

/// The calls of a method, unless it has none that matter.
pub(super) fn calls(code: &Code<'_>) -> Option<Calls> {
    let mut calls = Calls { certain: Vec::new(), open: Vec::new() };
    for number in (0..code.len()).filter(|&number| code.is_reached(number)) {
        let Op::Invoke(kind, _) = code.op(number) else { continue };
        let Some(member) = code.member(number) else { continue };
        // `super.m()` runs the same method, whatever the class
        let may_be_this = matches!(kind, Invoke::Virtual | Invoke::Interface);
        let certain = code.certain_callee(number);
        let on_this = may_be_this && code.receiver(number).is_some_and(|receiver| code.is_this(receiver));
        match certain {
            Some(callee) => calls.certain.push(Call { number: number as u32, callee, on_this }),
            None if on_this => calls.open.push((number as u32, member.name, member.descriptor)),
            None => {}
        }
    }
    (!calls.certain.is_empty() || !calls.open.is_empty()).then_some(calls)
}

/// Reports calls of the method itself with the same arguments, before which nothing is changed.
pub(super) fn unchanged(code: &Code<'_>, rule: &RuleInfo, found: &mut Vec<Finding>) {
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
    let (mut reported, changed) = (FxHashSet::default(), OnceCell::new());
    for number in (0..code.len()).filter(|&number| reached[number]) {
        for call in code.flow.next(number).filter(|&call| !reached[call]) {
            if own(call)
                && !changed.get_or_init(|| after_stores(code))[call]
                && has_same_arguments(code, call)
                && reported.insert(call)
            {
                let message =
                    "the method calls itself with the same arguments and has changed nothing before";
                let finding = code.finding(rule, call, message);
                found.push(finding.at_most(Confidence::Likely, "a condition decides which way it goes"));
            }
        }
    }
}

/// The instructions before which a store may come: one in a loop that some path runs no time, say.
fn after_stores(code: &Code<'_>) -> Vec<bool> {
    let is_store =
        |number: usize| matches!(code.op(number), Op::PutField(_) | Op::PutStatic(_) | Op::ArraySet(_));
    let stores = (0..code.len()).filter(|&number| code.is_reached(number) && is_store(number));
    code.flow.reached(stores, false, |_| true)
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
    let receiver = usize::from(!code.method.flags.is_static());
    let slots = descriptor.slots() + receiver;
    // of a value of two slots both have the number of the first
    let mut firsts: Vec<usize> = (0..receiver).collect();
    for parameter in descriptor.parameters {
        let width = if matches!(parameter, "J" | "D") { 2 } else { 1 };
        firsts.extend(std::iter::repeat_n(firsts.len(), width));
    }
    (0..slots).all(|slot| {
        let passed = values.stack(call, slots - 1 - slot).map(|value| values.value(value));
        passed.is_some_and(|passed| {
            passed == Value::Initial(slot as u16) || passed == Value::Initial(firsts[slot] as u16)
        })
    })
}

/// Reports methods that cannot return because they call themselves, directly or around.
///
/// # Errors
/// A limit was reached.
pub(super) fn endless(
    context: &ProgramContext<'_>,
    rule: &RuleInfo,
    calls: &FxHashMap<MethodId, Calls>,
    found: &mut Vec<Finding>,
    budget: &mut Budget,
) -> Result<(), Exhausted> {
    let graph = Graph::new(context, calls, budget)?;
    let left = graph.never_returning(context, budget)?;
    let left = graph.called_by(left, budget)?;
    let mut endless = Vec::new();
    // the calls along long cycles that were found, and their lengths
    let mut long: FxHashMap<usize, (u32, usize)> = FxHashMap::default();
    for node in (0..graph.nodes.len()).filter(|&node| left[node]) {
        let mut steps = Vec::new();
        let (number, around, count) = if let Some(&(number, length)) = long.get(&node) {
            (number, Vec::new(), length - 1)
        } else {
            let Some(cycle) = graph.cycle(node, &left, budget)? else { continue };
            if cycle.len() > MOST_NAMES {
                long.extend(cycle.iter().map(|&(node, number)| (node, (number, cycle.len()))));
            }
            let around: Vec<usize> = cycle[1..].iter().take(MOST_NAMES).map(|&(node, _)| node).collect();
            if around.len() == cycle.len() - 1 && !around.is_empty() {
                steps = graph.calls_along(context, &cycle);
            }
            (cycle[0].1, around, cycle.len() - 1)
        };
        let (method, None) = graph.nodes[node] else { continue };
        let Ok(Some(body)) = context.program.body(method) else { continue };
        let code = Code::new(context, method, body);
        let message = if count == 0 {
            "every path of the method calls the method itself: it never returns".to_owned()
        } else {
            let names = around.iter().map(|&node| context.program.method_name(graph.nodes[node].0));
            let mut names: Vec<String> = names.collect();
            if count > names.len() {
                let more = if names.is_empty() { "" } else { "more " };
                names.push(format!("{} {more}methods", count - names.len()));
            }
            format!(
                "every path of the method leads back to it through {}: it never returns",
                names.join(", ")
            )
        };
        let is_to_be_completed = around.iter().any(|&other| graph.is_to_be_completed(context, node, other));
        let mut finding = code.finding(rule, number as usize, message);
        finding.traces.extend(trace(&finding.message, &steps));
        if is_to_be_completed {
            let why =
                "the class is abstract: what inherits from it elsewhere may override one of the methods";
            finding = finding.at_most(Confidence::Possible, why);
        }
        if may_be_made_over(context, method) {
            let why = "a library that the class inherits from may override the method when it runs";
            finding = finding.at_most(Confidence::Possible, why);
        }
        endless.push(finding);
    }
    // this says more than that a path does
    let methods: FxHashSet<_> = endless.iter().map(Finding::method).collect();
    found.retain(|other| other.rule != rule.id || !methods.contains(&other.method()));
    found.extend(endless);
    Ok(())
}

/// Whether a method may be overridden by a class that is made when the program runs: libraries for
/// parsers inherit from the grammar that is written as methods, and keep what these return. Such
/// a library is one that the class inherits from, and that is not there.
fn may_be_made_over(context: &ProgramContext<'_>, method: MethodId) -> bool {
    let program = context.program;
    let declared = program.method(method);
    let is_missing = |ancestor: ClassId| {
        let parent = program.class(ancestor).superclass;
        parent.is_some_and(|parent| program.find_class(parent).is_none())
    };
    !declared.flags.is_private()
        && !declared.flags.is_static()
        && !declared.flags.is_final()
        && program.supertypes(program.owner(method)).into_iter().any(is_missing)
}

/// This many methods of a cycle are named.
const MOST_NAMES: usize = 8;

/// A method, and the class of the object if it inherits the method.
type Node = (MethodId, Option<ClassId>);

/// Certain calls between methods that have some.
struct Graph {
    nodes: Vec<Node>,
    /// The certain calls of each: the instruction and what it calls.
    calls: Vec<Vec<(u32, u32)>>,
}

impl Graph {
    fn new(
        context: &ProgramContext<'_>,
        calls: &FxHashMap<MethodId, Calls>,
        budget: &mut Budget,
    ) -> Result<Self, Exhausted> {
        let program = context.program;
        let mut methods: Vec<MethodId> = calls.keys().copied().collect();
        methods.sort_unstable();
        let mut nodes: Vec<Node> = methods.into_iter().map(|method| (method, None)).collect();
        let mut numbers: FxHashMap<Node, u32> =
            nodes.iter().enumerate().map(|(number, &node)| (node, number as u32)).collect();
        let most = nodes.len() * 4;
        let mut edges: Vec<Vec<(u32, u32)>> = Vec::new();
        while edges.len() < nodes.len() {
            let (method, inherits) = nodes[edges.len()];
            let class = inherits.unwrap_or_else(|| program.owner(method));
            let Calls { certain, open } = &calls[&method];
            budget.spend(1 + certain.len() + open.len())?;
            let mut called: Vec<(u32, MethodId, bool)> = Vec::new();
            for &Call { number, callee, on_this } in certain {
                let callee = match program.method(callee) {
                    // the class that inherits the method may override what it calls
                    method if inherits.is_some() && on_this && !method.flags.is_private() => {
                        inherited(context, class, method.name, method.descriptor)
                    }
                    _ => Some(callee),
                };
                called.extend(callee.map(|callee| (number, callee, on_this)));
            }
            if inherits.is_some() {
                let found = open.iter().filter_map(|&(number, name, descriptor)| {
                    let target = inherited(context, class, name, descriptor)?;
                    Some((number, target, true))
                });
                called.extend(found);
            }
            let mut row = Vec::new();
            for (number, callee, on_this) in called {
                let Some(its) = calls.get(&callee) else { continue };
                let depends = !its.open.is_empty() || its.certain.iter().any(|call| call.on_this);
                let passes_on = on_this && depends && program.owner(callee) != class && nodes.len() < most;
                let node = (callee, passes_on.then_some(class));
                let target = *numbers.entry(node).or_insert_with(|| {
                    nodes.push(node);
                    nodes.len() as u32 - 1
                });
                row.push((number, target));
            }
            edges.push(row);
        }
        Ok(Self { nodes, calls: edges })
    }

    /// Whether two methods are those of an abstract class nobody inherits from here, and may be
    /// overridden: each is then a default for classes elsewhere that have the other one.
    fn is_to_be_completed(&self, context: &ProgramContext<'_>, first: usize, second: usize) -> bool {
        let program = context.program;
        let may_be_overridden = |node: usize| {
            let flags = program.method(self.nodes[node].0).flags;
            !flags.is_private() && !flags.is_static() && !flags.is_final()
        };
        let class = |node: usize| program.owner(self.nodes[node].0);
        let has_no_objects = || {
            let types = subtypes(program, class(first));
            types.is_some_and(|types| types.iter().all(|&class| program.class(class).flags.is_abstract()))
        };
        class(first) == class(second)
            && may_be_overridden(first)
            && may_be_overridden(second)
            && has_no_objects()
    }

    /// The methods that cannot return.
    fn never_returning(
        &self,
        context: &ProgramContext<'_>,
        budget: &mut Budget,
    ) -> Result<Vec<bool>, Exhausted> {
        let count = self.nodes.len();
        let pairs = self.calls.iter().enumerate();
        let pairs = pairs.flat_map(|(from, row)| row.iter().map(move |&(_, to)| (to, from as u32)));
        let callers = Csr::from_pairs(count, pairs);
        // only methods that call another one in the set can stay
        let mut inside: Vec<usize> = self.calls.iter().map(Vec::len).collect();
        let mut left = vec![true; count];
        let mut work: Vec<usize> = (0..count).filter(|&node| inside[node] == 0).collect();
        while let Some(node) = work.pop() {
            left[node] = false;
            budget.spend(1)?;
            for &caller in callers.row(node) {
                inside[caller as usize] -= 1;
                if inside[caller as usize] == 0 {
                    work.push(caller as usize);
                }
            }
        }
        let mut work: Vec<usize> = (0..count).filter(|&node| left[node]).collect();
        let mut waits = left.clone();
        while let Some(node) = work.pop() {
            waits[node] = false;
            let code = context.program.method(self.nodes[node].0).code.as_ref();
            budget.spend(code.map_or(1, loris_java::class::Code::len))?;
            if !left[node] || !self.may_end(context, node, &left) {
                continue;
            }
            left[node] = false;
            for &caller in callers.row(node) {
                let caller = caller as usize;
                if left[caller] && !std::mem::replace(&mut waits[caller], true) {
                    work.push(caller);
                }
            }
        }
        Ok(left)
    }

    /// Whether a path of a method ends that passes no certain call of a method that cannot return.
    fn may_end(&self, context: &ProgramContext<'_>, node: usize, left: &[bool]) -> bool {
        let method = self.nodes[node].0;
        let Ok(Some(body)) = context.program.body(method) else { return true };
        let code = Code::new(context, method, body);
        let calls = self.calls[node].iter().filter(|(_, callee)| left[*callee as usize]);
        let blocked: FxHashSet<usize> = calls.map(|&(number, _)| number as usize).collect();
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

    /// Those methods of a set that others in it call, directly or around from a cycle.
    fn called_by(&self, mut left: Vec<bool>, budget: &mut Budget) -> Result<Vec<bool>, Exhausted> {
        let mut callers = vec![0u32; left.len()];
        for node in (0..left.len()).filter(|&node| left[node]) {
            self.calls[node].iter().for_each(|&(_, callee)| callers[callee as usize] += 1);
        }
        let mut work: Vec<usize> = (0..left.len()).filter(|&node| left[node] && callers[node] == 0).collect();
        while let Some(node) = work.pop() {
            left[node] = false;
            budget.spend(self.calls[node].len())?;
            for &(_, callee) in &self.calls[node] {
                callers[callee as usize] -= 1;
                if callers[callee as usize] == 0 && left[callee as usize] {
                    work.push(callee as usize);
                }
            }
        }
        Ok(left)
    }

    /// The calls along a cycle, each one deeper than the one before.
    fn calls_along(&self, context: &ProgramContext<'_>, cycle: &[(usize, u32)]) -> Vec<Step> {
        let name = |node: usize| context.program.method_name(self.nodes[node].0);
        let next = cycle.iter().skip(1).chain(cycle.first());
        let steps = cycle.iter().zip(next).enumerate().filter_map(|(depth, (&(node, number), &(to, _)))| {
            let method = self.nodes[node].0;
            let code = Code::new(context, method, context.program.body(method).ok()??);
            let text = format!("{} is called", name(to));
            Some(code.step(number as usize, depth as u32, text))
        });
        steps.collect()
    }

    /// The shortest way from a method back to itself: methods and the calls that go on.
    fn cycle(
        &self,
        start: usize,
        left: &[bool],
        budget: &mut Budget,
    ) -> Result<Option<Vec<(usize, u32)>>, Exhausted> {
        let mut from: FxHashMap<usize, (usize, u32)> = FxHashMap::default();
        let mut queue = std::collections::VecDeque::from([start]);
        while let Some(caller) = queue.pop_front() {
            for &(number, callee) in &self.calls[caller] {
                budget.spend(1)?;
                let callee = callee as usize;
                if callee == start {
                    let mut cycle = vec![(caller, number)];
                    let mut at = caller;
                    while at != start {
                        let (before, call) = from[&at];
                        cycle.push((before, call));
                        at = before;
                    }
                    cycle.reverse();
                    return Ok(Some(cycle));
                }
                if left[callee] && !from.contains_key(&callee) {
                    from.insert(callee, (caller, number));
                    queue.push_back(callee);
                }
            }
        }
        Ok(None)
    }
}

/// The method that objects of a class and its subclasses run, if it is the same for all.
fn inherited(
    context: &ProgramContext<'_>,
    class: ClassId,
    name: Symbol,
    descriptor: Symbol,
) -> Option<MethodId> {
    let program = context.program;
    let target = program.lookup(class, name, descriptor)?;
    let same = |&subtype: &ClassId| program.lookup(subtype, name, descriptor) == Some(target);
    subtypes(program, class)?.iter().all(same).then_some(target)
}
