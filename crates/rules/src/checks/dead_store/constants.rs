//! Constants that are stored in local variables.

use super::variables::Known;
use crate::checks::method::Code;
use loris_java::class::{Constant, Op, StackOp, ValueKind};
use rustc_hash::FxHashMap;
use std::borrow::Cow;

/// Constants as initialisers.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Simple {
    Null,
    /// 0, `false`, and an empty string.
    Zero,
    /// 1, -1 and `true`.
    One,
    Other,
}

/// The constant that is stored.
pub(super) fn constant(code: &Code<'_>, number: usize) -> Option<Simple> {
    if !matches!(code.op(number), Op::Set(..)) || code.flow.is_join(number) {
        return None;
    }
    let before = number.checked_sub(1)?;
    if matches!(code.op(before), Op::Stack(StackOp::Dup { count: 1, below: 0 })) {
        // in `use(a, a = null)`, which lets the collector have what `a` held
        return matches!(code.op(before.checked_sub(1)?), Op::Null).then_some(Simple::Null);
    }
    Some(match code.op(before) {
        Op::Null => Simple::Null,
        Op::Int(0) | Op::Number(_) => Simple::Zero,
        Op::Int(1 | -1) => Simple::One,
        Op::Int(_) => Simple::Other,
        Op::Load(constant, _) => match code.class.pool.get(constant) {
            Constant::String(_) => {
                let text = code.class.string(constant, &code.program().names);
                if text.is_some_and(|text| text.is_empty()) { Simple::Zero } else { Simple::Other }
            }
            Constant::Integer(_) | Constant::Float | Constant::Wide => Simple::Other,
            _ => return None,
        },
        _ => return None,
    })
}

/// Where constants may have been copied to: compilers copy those of `final` variables to where they
/// are used.
pub(super) struct Inlined<'a> {
    /// Where each constant is loaded.
    loads: FxHashMap<Loaded, Vec<usize>>,
    texts: Vec<(usize, Cow<'a, str>)>,
    /// Where numbers of other types than `int` are loaded, which may be computed from others.
    wide: Vec<usize>,
    /// Code that may use any constant: captured, or in a local class.
    others: Vec<usize>,
    switches: Vec<usize>,
}

#[derive(PartialEq, Eq, Hash)]
enum Loaded {
    Int(i32),
    Number(u8),
    Constant(u16),
}

/// This many texts of a method are compared; with more of them, all count as copied.
const MOST_TEXTS: usize = 1000;

impl<'a> Inlined<'a> {
    pub(super) fn new(code: &'a Code<'_>) -> Self {
        let mut found = Self {
            loads: FxHashMap::default(),
            texts: Vec::new(),
            wide: Vec::new(),
            others: Vec::new(),
            switches: Vec::new(),
        };
        for number in 0..code.len() {
            if let Some(loaded) = loaded(code.op(number)) {
                found.loads.entry(loaded).or_default().push(number);
            }
            match code.op(number) {
                Op::Load(constant, _) => {
                    let text = code.class.string(constant, &code.program().names);
                    found.texts.extend(text.map(|text| (number, text)));
                    // one that is stored as it is has been computed from none
                    let is_stored = code.body.instructions.get(number + 1);
                    let is_stored = is_stored.is_some_and(|next| matches!(next.op, Op::Set(..)));
                    if !is_stored && matches!(code.class.pool.get(constant), Constant::Float | Constant::Wide)
                    {
                        found.wide.push(number);
                    }
                }
                Op::InvokeDynamic(_) => found.others.push(number),
                Op::Switch => found.switches.push(number),
                // an anonymous class may use it
                Op::New(constant) => {
                    let class =
                        code.class.pool.class(constant).and_then(|name| code.program().find_class(name));
                    if class.is_some_and(|class| code.program().class(class).enclosing.is_some()) {
                        found.others.push(number);
                    }
                }
                _ => {}
            }
        }
        found
    }

    /// Whether the variable may be a `final` one with a constant: that is loaded elsewhere, may be
    /// part of another one or decide a branch that is not there any more.
    pub(super) fn may_be(&self, code: &Code<'_>, number: usize, known: Known<'_>) -> bool {
        if known.is_some_and(|variable| code.text(variable.descriptor) == "Z") {
            return true;
        }
        let end = known.map_or(u32::MAX, |variable| variable.end);
        let inside = |other: usize| u32::from(code.body.instructions[other].at) < end;
        let is_in = |places: &[usize]| {
            let first = places.partition_point(|&place| place <= number);
            places.get(first).is_some_and(|&place| inside(place))
        };
        let stored = code.op(number - 1);
        let loads = loaded(stored).and_then(|loaded| self.loads.get(&loaded));
        if loads.is_some_and(|places| is_in(places)) || is_in(&self.others) {
            return true;
        }
        if matches!(code.op(number), Op::Set(ValueKind::Int, _)) && is_in(&self.switches) {
            return true;
        }
        let descriptor = known.map_or("", |variable| code.text(variable.descriptor));
        if matches!(descriptor, "J" | "D" | "F") && is_in(&self.wide) {
            return true;
        }
        let text = match stored {
            Op::Load(constant, _) => code.class.string(constant, &code.program().names),
            // a number that became part of a text
            Op::Int(number) if descriptor == "C" => {
                u32::try_from(number).ok().and_then(char::from_u32).map(|it| it.to_string().into())
            }
            Op::Int(number) => Some(number.to_string().into()),
            _ => None,
        };
        text.is_some_and(|text| {
            let after = self.texts.iter().filter(|(place, _)| *place > number && inside(*place));
            self.texts.len() > MOST_TEXTS || after.into_iter().any(|(_, other)| other.contains(&*text))
        })
    }
}

fn loaded(op: Op) -> Option<Loaded> {
    match op {
        Op::Int(number) => Some(Loaded::Int(number)),
        Op::Number(kind) => Some(Loaded::Number(kind as u8)),
        Op::Load(constant, _) => Some(Loaded::Constant(constant)),
        _ => None,
    }
}
