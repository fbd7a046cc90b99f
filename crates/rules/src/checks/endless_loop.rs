//! Loops without end: `A G E F exit` fails, as the conditions of all ways out of a loop never
//! change in it, or a counter moves away from its bound.
//!
//! A loop is the natural loop of an edge back to its head. A condition stays the same if it depends
//! only on values from outside of the loop: local variables that the loop does not write, fields
//! that it does not write while it calls nothing, and computations on these. A loop without any way
//! out is reported only if it does nothing else that could end it, but prints perhaps: servers wait
//! for ever on purpose.

use super::method::Code;
use super::recursion::is_volatile;
use crate::flow::{Value, ValueId, Values};
use crate::path::{Step, trace};
use loris_findings::{Confidence, Finding, RuleInfo};
use loris_java::MethodId;
use loris_java::class::{Comparison, Constant, Op};
use rustc_hash::FxHashSet;
use std::cell::Cell;

pub(super) fn check(code: &Code<'_>, rule: &RuleInfo, found: &mut Vec<Finding>) {
    let mut ordinal = 0;
    for (head, inside) in loops(code) {
        ordinal += 1;
        let Some((message, reads_fields)) = judge(code, head, &inside) else { continue };
        let mut finding = code.finding(rule, head, message).numbered(ordinal - 1);
        if reads_fields {
            let why = "another thread may change the field that the condition reads";
            finding = finding.at_most(Confidence::Likely, why);
        }
        finding.traces.extend(trace(&finding.message, &round(code, head, &inside)));
        found.push(finding);
    }
}

/// The natural loops of a method: the head of each, and its instructions.
fn loops(code: &Code<'_>) -> Vec<(usize, Vec<bool>)> {
    let count = code.len();
    let mut back = back_edges(code);
    if back.is_empty() {
        return Vec::new();
    }
    let reached = code.flow.reached([0], true, |_| true);
    let mut arriving: Vec<Vec<u32>> = vec![Vec::new(); count];
    for number in (0..count).filter(|&number| reached[number]) {
        for next in code.flow.all(number) {
            arriving[next].push(number as u32);
        }
    }
    back.sort_unstable();
    let mut loops: Vec<(usize, Vec<bool>)> = Vec::new();
    // large methods made by generators have thousands of branches back
    for (head, tail) in back.into_iter().take(200) {
        let mut inside = vec![false; count];
        inside[head] = true;
        let mut work = vec![tail];
        while let Some(number) = work.pop() {
            if !std::mem::replace(&mut inside[number], true) {
                work.extend(arriving[number].iter().map(|&from| from as usize));
            }
        }
        // the head does not dominate the tail: no natural loop
        if inside[0] && head != 0 {
            continue;
        }
        match loops.last_mut() {
            Some((last, known)) if *last == head => {
                known.iter_mut().zip(&inside).for_each(|(known, &other)| *known |= other);
            }
            _ => loops.push((head, inside)),
        }
    }
    loops
}

/// The edges of a depth-first search that lead back to where it came from: head and tail. Compilers
/// put conditions before or behind the body, so the order of instructions does not matter.
fn back_edges(code: &Code<'_>) -> Vec<(usize, usize)> {
    #[derive(Clone, Copy, PartialEq, Eq)]
    enum Seen {
        No,
        Open,
        Done,
    }
    let mut seen = vec![Seen::No; code.len()];
    let mut back = Vec::new();
    let mut work: Vec<(usize, Vec<usize>)> = vec![(0, code.flow.all(0).collect())];
    seen[0] = Seen::Open;
    while let Some((number, left)) = work.last_mut() {
        let number = *number;
        match left.pop() {
            None => {
                seen[number] = Seen::Done;
                work.pop();
            }
            Some(next) if seen[next] == Seen::No => {
                seen[next] = Seen::Open;
                work.push((next, code.flow.all(next).collect()));
            }
            Some(next) if seen[next] == Seen::Open => back.push((next, number)),
            Some(_) => {}
        }
    }
    back
}

/// The most steps of a story about a loop.
const STEPS: usize = 60;

/// A round of a loop: its lines, where its conditions are, and where it starts again.
fn round(code: &Code<'_>, head: usize, inside: &[bool]) -> Vec<Step> {
    let members = (head..code.len()).chain(0..head).filter(|&number| inside[number]);
    let mut steps: Vec<Step> = Vec::new();
    let mut is_again = false;
    for number in members {
        let leaves = code.flow.next(number).any(|next| !inside[next]);
        let text = match code.op(number) {
            Op::If(..) | Op::Switch if leaves => "the condition of the loop is tested",
            _ if code.flow.next(number).any(|next| next == head) => "the loop starts again",
            _ => "",
        };
        let step = code.step(number, 0, text);
        let same = steps.iter().any(|known| known.line == step.line && known.text == step.text);
        let is_known = step.text.is_empty() && steps.last().is_some_and(|last| last.line == step.line);
        if !same && !is_known && steps.len() < STEPS {
            steps.push(step);
        }
        // a condition at the end decides whether there is another round
        is_again |= code.flow.next(number).any(|next| next == head);
    }
    if is_again && !steps.iter().any(|step| step.text.ends_with("again")) && steps.len() < STEPS {
        steps.push(code.step(head, 0, "the loop starts again"));
    }
    steps
}

/// Why a loop never ends, if it is certain not to, and whether that depends on fields that are not
/// final.
fn judge(code: &Code<'_>, head: usize, inside: &[bool]) -> Option<(String, bool)> {
    let values = code.values()?;
    let members: Vec<usize> = (0..code.len()).filter(|&number| inside[number]).collect();
    let mut ways_out = Vec::new();
    for &number in &members {
        if code.may_throw_declared(number) || code.ends_program(number) {
            return None;
        }
        let leaves = code.flow.next(number).any(|next| !inside[next]);
        if matches!(code.op(number), Op::Return(_) | Op::Throw) {
            return None;
        }
        if leaves {
            match code.op(number) {
                Op::If(..) | Op::Switch => ways_out.push(number),
                _ => return None,
            }
        }
    }
    let span = Span::new(code, values, inside, &members);
    if ways_out.is_empty() {
        let is_thread = code.text(code.method.name) == "run" && code.text(code.method.descriptor) == "()V";
        let silent = !is_thread && is_silent(code, &members, &mut FxHashSet::default(), 0);
        return silent.then(|| ("the loop has no way out".to_owned(), false));
    }
    let mut fixed = 0;
    for &number in &ways_out {
        if !span.condition_is_fixed(number) {
            continue;
        }
        fixed += 1;
        if leaves_at_once(code, values, number, inside) {
            return None;
        }
    }
    if fixed == ways_out.len() {
        let message = "the condition of the loop does not change in it: the loop never ends";
        return Some((message.to_owned(), span.reads_fields.get()));
    }
    let [only] = ways_out[..] else { return None };
    let message = "the counter of the loop moves away from its bound: the loop never ends";
    moves_away(&span, head, only).then(|| (message.to_owned(), false))
}

/// A loop and what it changes.
struct Span<'a, 'p> {
    code: &'a Code<'p>,
    values: &'a Values,
    inside: &'a [bool],
    /// Slots of local variables that the loop writes.
    written: FxHashSet<u16>,
    /// Fields that it writes.
    fields: FxHashSet<loris_java::class::Member>,
    /// Whether it calls something, or takes or gives a monitor: fields may change.
    calls: bool,
    /// Whether it writes into arrays.
    arrays: bool,
    /// Whether what does not change depends on fields that are not final.
    reads_fields: Cell<bool>,
    /// How many more values are looked at.
    steps: Cell<u32>,
}

/// This many values are looked at for a loop; they may share operands.
const MOST_VALUES: u32 = 10_000;

/// This many methods are looked at to know what a loop calls.
const MOST_CALLED: usize = 200;

impl<'a, 'p> Span<'a, 'p> {
    fn new(code: &'a Code<'p>, values: &'a Values, inside: &'a [bool], members: &[usize]) -> Self {
        let mut span = Self {
            code,
            values,
            inside,
            written: FxHashSet::default(),
            fields: FxHashSet::default(),
            calls: false,
            arrays: false,
            reads_fields: Cell::new(false),
            steps: Cell::new(MOST_VALUES),
        };
        for &number in members {
            match code.op(number) {
                Op::Set(kind, slot) => {
                    span.written.insert(slot);
                    if kind.width() == 2 {
                        span.written.insert(slot + 1);
                    }
                }
                Op::Increment(slot) => {
                    span.written.insert(slot);
                }
                Op::PutField(_) | Op::PutStatic(_) => span.fields.extend(code.member(number)),
                Op::Invoke(..) | Op::InvokeDynamic(_) | Op::MonitorEnter | Op::MonitorExit => {
                    span.calls = true;
                }
                Op::ArraySet(_) => span.arrays = true,
                _ => {}
            }
        }
        span
    }

    fn condition_is_fixed(&self, number: usize) -> bool {
        let operands = match self.code.op(number) {
            Op::If(Comparison::Ints(_) | Comparison::References(_), _) => 2,
            _ => 1,
        };
        (0..operands).all(|below| {
            let operand = self.values.stack(number, below);
            operand.is_some_and(|operand| self.is_fixed(operand, 0))
        })
    }

    /// Whether a value is the same in every round.
    fn is_fixed(&self, value: ValueId, depth: usize) -> bool {
        let Some(left) = self.steps.get().checked_sub(1).filter(|_| depth <= 20) else { return false };
        self.steps.set(left);
        match self.values.value(value) {
            Value::Initial(_) | Value::Int(_) | Value::Null | Value::Constant(_) => true,
            Value::Meet(at, position) => {
                !self.inside[at as usize]
                    || position < self.code.body.code.max_locals && !self.written.contains(&position)
            }
            Value::New(at, _) => !self.inside[at as usize],
            Value::Field(base, member) => self.is_fixed(base, depth + 1) && self.field_is_fixed(member),
            Value::Static(member) => self.field_is_fixed(member),
            Value::Result(at, _) if !self.inside[at as usize] => true,
            Value::Result(at, _) => {
                let number = at as usize;
                let operands = match self.code.op(number) {
                    Op::Compute { pops, .. } => usize::from(pops),
                    Op::InstanceOf(_) | Op::ArrayLength => 1,
                    Op::ArrayGet(_) if !self.calls && !self.arrays => 2,
                    Op::Number(_) => 0,
                    _ => return false,
                };
                (0..operands).all(|below| {
                    let operand = self.values.stack(number, below);
                    operand.is_some_and(|operand| self.is_fixed(operand, depth + 1))
                })
            }
        }
    }

    fn field_is_fixed(&self, member: loris_java::class::Member) -> bool {
        let program = self.code.program();
        let Some(class) = program.find_class(member.owner) else { return false };
        let flags = program.supertypes(class).into_iter().find_map(|class| {
            let class = program.class(class);
            class.field(member.name, member.descriptor).map(|field| class.fields[field].flags)
        });
        let Some(flags) = flags else { return false };
        let initialises = self.code.text(self.code.method.name).starts_with('<');
        // the flag of bridges is that of volatile fields
        if flags.is_final() && !initialises {
            return true;
        }
        self.reads_fields.set(true);
        !flags.is_bridge() && !self.calls && !self.fields.contains(&member)
    }
}

/// Whether a way out with a condition on constants is taken in the first round.
fn leaves_at_once(code: &Code<'_>, values: &Values, number: usize, inside: &[bool]) -> bool {
    let Op::If(comparison, target) = code.op(number) else { return false };
    let constant = |below: usize| match values.stack(number, below).map(|value| values.value(value)) {
        Some(Value::Int(constant)) => Some(constant),
        _ => None,
    };
    let taken = match comparison {
        Comparison::Zero(by) => constant(0).map(|left| compares(by, left, 0)),
        Comparison::Ints(by) => constant(1).zip(constant(0)).map(|(left, right)| compares(by, left, right)),
        _ => None,
    };
    let goes_to = |place: usize| !inside[place];
    match (taken, code.body.number(target)) {
        (Some(true), Some(target)) => goes_to(target),
        (Some(false), _) => goes_to(number + 1),
        // nothing is known of the first round, which may be the last
        _ => false,
    }
}

/// Compares as the instructions do: `==`, `!=`, `<`, `>=`, `>`, `<=` by number.
fn compares(by: u8, left: i32, right: i32) -> bool {
    match by {
        0 => left == right,
        1 => left != right,
        2 => left < right,
        3 => left >= right,
        4 => left > right,
        _ => left <= right,
    }
}

/// Whether the only way out compares a counter with a constant bound, the counter starts on the
/// side where the loop goes on, and every change in the loop keeps it there.
fn moves_away(span: &Span<'_, '_>, head: usize, number: usize) -> bool {
    let (code, values) = (span.code, span.values);
    let Op::If(comparison, target) = code.op(number) else { return false };
    let (by, left, right) = match comparison {
        Comparison::Zero(by) => (by, values.stack(number, 0), None),
        Comparison::Ints(by) => (by, values.stack(number, 1), values.stack(number, 0)),
        _ => return false,
    };
    let known = |value: Option<ValueId>| match value.map(|value| values.value(value)) {
        None => Some(0),
        Some(Value::Int(constant)) => Some(constant),
        _ => None,
    };
    let (counter, bound, swapped) = match (known(left), known(right)) {
        (None, Some(bound)) => (left, bound, false),
        (Some(bound), None) => (right, bound, true),
        _ => return false,
    };
    let Some(counter) = counter else { return false };
    // the comparison that keeps the loop going, with the counter on the left
    let leaves_by_jump = code.body.number(target).is_some_and(|target| !span.inside[target]);
    let stays = |value: i32| {
        let (left, right) = if swapped { (bound, value) } else { (value, bound) };
        compares(by, left, right) != leaves_by_jump
    };
    let Some(slot) = slot_of(span, counter, number) else { return false };
    let Some(start) = start(span, head, slot) else { return false };
    if !stays(start) || by < 2 {
        return false;
    }
    // which way is safe: larger values stay, or smaller ones
    let (up, down) = (stays(i32::MAX), stays(i32::MIN));
    let mut writes = (0..code.len()).filter(|&write| span.inside[write]).filter(
        |&write| matches!(code.op(write), Op::Set(_, written) | Op::Increment(written) if written == slot),
    );
    let mut any = false;
    let kept = writes.all(|write| {
        any = true;
        match code.op(write) {
            Op::Increment(_) => {
                let by = code.increment(write);
                up && by > 0 || down && by < 0
            }
            _ => up && bound <= 0 && start >= 0 && is_remainder(span, write, slot, counter),
        }
    });
    any && kept
}

/// The slot of the variable that a value is of, at an instruction.
fn slot_of(span: &Span<'_, '_>, value: ValueId, number: usize) -> Option<u16> {
    let slots = 0..span.code.body.code.max_locals;
    let mut slots = slots.filter(|slot| span.written.contains(slot));
    slots.find(|&slot| span.values.local(number, slot) == Some(value))
}

/// The constant that a variable holds when the loop is entered.
fn start(span: &Span<'_, '_>, head: usize, slot: u16) -> Option<i32> {
    let code = span.code;
    let mut starts = (0..code.len())
        .filter(|&number| !span.inside[number] && code.is_reached(number))
        .filter(|&number| code.flow.all(number).any(|next| next == head));
    let before = starts.next()?;
    if starts.next().is_some() {
        return None;
    }
    let stored = match code.op(before) {
        Op::Set(_, stored) if stored == slot => span.values.stack(before, 0),
        _ => span.values.local(before, slot),
    };
    match span.values.value(stored?) {
        Value::Int(constant) => Some(constant),
        _ => None,
    }
}

const ADD: u8 = 0x60;
const REMAINDER: u8 = 0x70;

/// Whether a store keeps a value that is not negative so: `(x + c) % d`.
fn is_remainder(span: &Span<'_, '_>, write: usize, slot: u16, counter: ValueId) -> bool {
    let (code, values) = (span.code, span.values);
    let made_by = |value: Option<ValueId>, opcode: u8| match value.map(|value| values.value(value)) {
        Some(Value::Result(at, _)) if code.bytes(at as usize)[0] == opcode => Some(at as usize),
        _ => None,
    };
    let positive = |value: Option<ValueId>| matches!(value.map(|value| values.value(value)), Some(Value::Int(constant)) if constant > 0);
    let Some(remainder) = made_by(values.stack(write, 0), REMAINDER) else { return false };
    if !positive(values.stack(remainder, 0)) {
        return false;
    }
    let dividend = values.stack(remainder, 1);
    let is_counter = |value: Option<ValueId>, at: usize| {
        value.is_some() && (value == Some(counter) || value == values.local(at, slot))
    };
    match made_by(dividend, ADD) {
        Some(sum) => {
            is_counter(values.stack(sum, 1), sum) && positive(values.stack(sum, 0))
                || is_counter(values.stack(sum, 0), sum) && positive(values.stack(sum, 1))
        }
        None => is_counter(dividend, remainder),
    }
}

/// Whether a call only computes something, or prints it: nobody waits for that, or is told to stop
/// by it.
fn is_output(code: &Code<'_>, number: usize) -> bool {
    const COMPUTES: [&str; 9] = [
        "java/lang/String",
        "java/lang/StringBuilder",
        "java/lang/StringBuffer",
        "java/lang/Math",
        "java/lang/Integer",
        "java/lang/Long",
        "java/lang/Double",
        "java/lang/Boolean",
        "java/lang/Character",
    ];
    code.member(number).is_some_and(|member| {
        let owner = code.text(member.owner);
        COMPUTES.contains(&owner) || owner == "java/io/PrintStream"
    })
}

/// Whether the constant of an `invokedynamic` is that of the concatenation of texts.
fn joins_texts(code: &Code<'_>, constant: u16) -> bool {
    let pool = &code.class.pool;
    let Constant::InvokeDynamic(dynamic) = pool.get(constant) else { return false };
    let factory = pool.bootstrap(dynamic.bootstrap).and_then(|bootstrap| match pool.get(bootstrap.handle) {
        Constant::Handle(_, reference) => pool.member(reference),
        _ => None,
    });
    factory.is_some_and(|factory| code.text(factory.name).starts_with("makeConcat"))
}

/// Whether instructions do nothing that could end the program or wait for somebody else: they call
/// nothing but known methods of which the same is true.
fn is_silent(code: &Code<'_>, members: &[usize], met: &mut FxHashSet<MethodId>, depth: usize) -> bool {
    members.iter().all(|&number| match code.op(number) {
        Op::MonitorEnter | Op::MonitorExit => false,
        Op::InvokeDynamic(constant) => joins_texts(code, constant),
        // the fields of the platform are not known
        Op::GetStatic(_)
            if code.member(number).is_some_and(|it| code.text(it.owner) == "java/lang/System") =>
        {
            true
        }
        Op::GetField(_) | Op::GetStatic(_) => !is_volatile(code, number),
        Op::Invoke(..) => {
            if is_output(code, number) {
                return true;
            }
            let Some(callee) = code.certain_callee(number) else { return false };
            if depth > 4 || met.len() > MOST_CALLED {
                return false;
            }
            if !met.insert(callee) {
                return true;
            }
            let Ok(Some(body)) = code.program().body(callee) else { return false };
            let inner = Code::new(code.context, callee, body);
            let all: Vec<usize> = (0..inner.len()).filter(|&number| inner.is_reached(number)).collect();
            all.iter().all(|&number| !matches!(inner.op(number), Op::Throw))
                && is_silent(&inner, &all, met, depth + 1)
        }
        _ => true,
    })
}
