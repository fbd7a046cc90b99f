//! The objects whose locks may be held at each instruction of a method: monitors that are entered
//! and locks that are acquired on some path there, and not released on it.
//!
//! Objects are numbers of values (`flow::values`), so that one field of one object is one object
//! under all names. A forward analysis; where paths meet, what is held on one of them may be held.
//! Linear in the instructions, times the locks of the method.

use crate::checks::method::Code;
use crate::flow::{Value, ValueId};
use loris_java::class::Op;
use std::collections::BTreeSet;

/// Parts of locks are looked through this often, as in `both.readLock().lock()`.
const PARTS: usize = 3;

/// How methods that acquire a lock are called, that of programs of their own included.
const ACQUIRES: [&str; 5] = ["lock", "tryLock", "enter", "tryEnter", "acquire"];

/// How methods that release a lock are called.
const RELEASES: [&str; 3] = ["unlock", "leave", "release"];

/// What may be held at each instruction.
pub(super) struct Held(Vec<BTreeSet<ValueId>>);

impl Held {
    /// Whether anything may be held at an instruction.
    pub(super) fn is_any(&self, number: usize) -> bool {
        !self.0[number].is_empty()
    }

    /// `None` if the method is too large.
    pub(super) fn new(code: &Code<'_>) -> Option<Self> {
        let values = code.values()?;
        let mut held = vec![BTreeSet::new(); code.len()];
        let mut is_met = vec![false; code.len()];
        is_met[0] = true;
        let mut work = vec![0];
        while let Some(number) = work.pop() {
            let before: BTreeSet<ValueId> = held[number].clone();
            let mut after = before.clone();
            match code.op(number) {
                Op::MonitorEnter => after.extend(values.stack(number, 0)),
                Op::MonitorExit => after.retain(|&held| Some(held) != values.stack(number, 0)),
                Op::Invoke(..) => {
                    let name = code.member(number).map_or("", |member| code.text(member.name));
                    let lock = code.receiver(number).map(|receiver| root(code, receiver));
                    let is_one = |words: &[&str]| words.iter().any(|word| name.starts_with(word));
                    if is_one(&ACQUIRES) {
                        after.extend(lock);
                    } else if is_one(&RELEASES) {
                        after.retain(|&held| Some(held) != lock);
                    }
                }
                _ => {}
            }
            let next = code.flow.next(number).map(|next| (next, &after));
            let handlers = code.flow.handlers(number).map(|next| (next, &before));
            for (next, state) in next.chain(handlers).collect::<Vec<_>>() {
                let count = held[next].len();
                held[next].extend(state);
                if held[next].len() > count || !std::mem::replace(&mut is_met[next], true) {
                    work.push(next);
                }
            }
        }
        Some(Self(held))
    }

    /// What may be held before an instruction.
    pub(super) fn at(&self, number: usize) -> &BTreeSet<ValueId> {
        &self.0[number]
    }
}

/// The lock that another one is a part of: that for readers and writers.
fn root(code: &Code<'_>, mut value: ValueId) -> ValueId {
    for _ in 0..PARTS {
        let Some(Value::Result(at, 0)) = code.values().map(|values| values.value(value)) else { break };
        let member = code.member(at as usize).map_or("", |member| code.text(member.name));
        let is_part = matches!(member, "readLock" | "writeLock" | "asReadLock" | "asWriteLock");
        let Some(whole) = code.receiver(at as usize).filter(|_| is_part) else { break };
        value = whole;
    }
    value
}
