//! The control flow of a method, instruction by instruction.

mod values;

pub(crate) use values::{Value, ValueId, Values};

use loris_base::Csr;
use loris_java::class::{Body, Op};

/// The edges between the instructions of a method, by their numbers.
pub(crate) struct Flow {
    /// Where an instruction goes on without an exception.
    normal: Csr,
    /// The handlers that an exception of an instruction may reach.
    caught: Csr,
    /// Whether an instruction starts a handler.
    handler: Vec<bool>,
    /// How many edges lead to an instruction.
    arriving: Vec<u32>,
}

impl Flow {
    /// The flow of a method. Instructions that no path reaches have no edges.
    pub(crate) fn new(body: &Body<'_>) -> Self {
        let count = body.instructions.len();
        let (mut normal, mut caught) = (Vec::new(), Vec::new());
        let (mut handler, mut arriving) = (vec![false; count], vec![0; count]);
        arriving[0] = 1;
        for (number, instruction) in body.instructions.iter().enumerate() {
            if body.depth(number).is_none() {
                continue;
            }
            let mut next: Vec<u32> = body
                .targets(instruction)
                .into_iter()
                .filter_map(|place| body.number(place))
                .map(|target| target as u32)
                .collect();
            if Body::falls_through(instruction.op) {
                next.push(number as u32 + 1);
            }
            next.sort_unstable();
            next.dedup();
            for &target in &next {
                arriving[target as usize] += 1;
                normal.push((number as u32, target));
            }
            if !may_throw(instruction.op) {
                continue;
            }
            let mut seen = Vec::new();
            for covering in body.code.handlers.iter().filter(|handler| handler.covers(instruction.at)) {
                let Some(target) = body.number(u32::from(covering.target)) else { continue };
                handler[target] = true;
                if !seen.contains(&target) {
                    seen.push(target);
                    arriving[target] += 1;
                    caught.push((number as u32, target as u32));
                }
                if covering.caught.is_none() {
                    break;
                }
            }
        }
        Self {
            normal: Csr::from_pairs(count, normal.into_iter()),
            caught: Csr::from_pairs(count, caught.into_iter()),
            handler,
            arriving,
        }
    }

    /// How many instructions there are.
    pub(crate) fn len(&self) -> usize {
        self.handler.len()
    }

    /// Where an instruction goes on without an exception.
    pub(crate) fn next(&self, number: usize) -> impl Iterator<Item = usize> + '_ {
        self.normal.row(number).iter().map(|&target| target as usize)
    }

    /// The handlers that an exception of an instruction may reach.
    pub(crate) fn handlers(&self, number: usize) -> impl Iterator<Item = usize> + '_ {
        self.caught.row(number).iter().map(|&target| target as usize)
    }

    /// All instructions that may come next.
    pub(crate) fn all(&self, number: usize) -> impl Iterator<Item = usize> + '_ {
        self.next(number).chain(self.handlers(number))
    }

    /// Whether an instruction starts a handler.
    pub(crate) fn is_handler(&self, number: usize) -> bool {
        self.handler[number]
    }

    /// Whether several edges lead to an instruction.
    pub(crate) fn is_join(&self, number: usize) -> bool {
        self.arriving[number] > 1
    }

    /// The instructions reached from some of them, these included.
    pub(crate) fn reached(
        &self,
        from: impl IntoIterator<Item = usize>,
        with_handlers: bool,
        mut enter: impl FnMut(usize) -> bool,
    ) -> Vec<bool> {
        let mut seen = vec![false; self.len()];
        let mut work: Vec<usize> = Vec::new();
        let mut add = |number: usize, seen: &mut Vec<bool>, work: &mut Vec<usize>| {
            if !seen[number] && enter(number) {
                seen[number] = true;
                work.push(number);
            }
        };
        for number in from {
            add(number, &mut seen, &mut work);
        }
        while let Some(number) = work.pop() {
            for next in self.next(number) {
                add(next, &mut seen, &mut work);
            }
            if with_handlers {
                for next in self.handlers(number) {
                    add(next, &mut seen, &mut work);
                }
            }
        }
        seen
    }
}

/// Whether an instruction may throw an exception, declared or not.
pub(crate) fn may_throw(op: Op) -> bool {
    match op {
        Op::Compute { divides, .. } => divides,
        Op::ArrayGet(_)
        | Op::ArraySet(_)
        | Op::GetStatic(_)
        | Op::PutStatic(_)
        | Op::GetField(_)
        | Op::PutField(_)
        | Op::Invoke(..)
        | Op::InvokeDynamic(_)
        | Op::New(_)
        | Op::NewArray(_)
        | Op::ArrayLength
        | Op::Throw
        | Op::CheckCast(_)
        | Op::MonitorEnter
        | Op::MonitorExit => true,
        _ => false,
    }
}
