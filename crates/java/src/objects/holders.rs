//! What holds the object: methods of a holder that leave one of its fields alone, holders that
//! never close what they hold, and arrays that stay in the method.

use super::calls::CAPTURES;
use super::explore::{TARGETS, Tracker};
use super::fact::{Colour, Fact, Link, Root};
use super::fields::field_link;
use super::machine::Event;
use super::method::Prepared;
use super::slots::{Moves, Slot, moves};
use super::values::Value;
use crate::class::{Constant, Op, ValueKind};
use crate::program::{ClassId, ClassOrigin, MethodId};
use loris_base::Symbol;
use rustc_hash::FxHashSet;

/// A method that runs more methods than this counts as one that reads any field.
const RUNS: usize = 64;

/// Elements of arrays with constant numbers have links below this one: this many.
const ELEMENTS: Link = Link(CAPTURES - 2);
const MOST_ELEMENTS: u32 = 1024;

/// Beginnings of names of methods that may let go of the object they are called on.
const RELEASES: [&str; 15] = [
    "close",
    "shutdown",
    "disconnect",
    "release",
    "dispose",
    "destroy",
    "end",
    "stop",
    "free",
    "cancel",
    "finish",
    "unlock",
    "clean",
    "complete",
    "detach",
];

/// Whether a method may let go of what it is called on, by its name.
pub(super) fn may_release(name: &str) -> bool {
    RELEASES.iter().any(|prefix| name.starts_with(prefix))
}

/// Whether a link is that of a field.
pub(super) fn is_field(link: Link) -> bool {
    link.0 < ELEMENTS.0 - MOST_ELEMENTS
}

impl<'p> Tracker<'p> {
    /// Whether a call is made on what holds the object in a field, and runs only methods that never
    /// read this field: nothing happens to the object, whatever the method's name.
    pub(super) fn leaves_alone(&mut self, targets: &[MethodId], slot: Slot, fact: &Fact) -> bool {
        let held = fact.from(Root::Slot(slot)).filter(|path| path.colour == Colour::Object);
        let links: Vec<Link> = held.filter_map(|path| path.first()).filter(|&link| is_field(link)).collect();
        !links.is_empty()
            && !targets.is_empty()
            && targets.len() <= TARGETS
            && targets.iter().all(|&target| {
                let has_code = self.program.method(target).code.is_some();
                let platform = self.program.origin(self.program.owner(target)) == ClassOrigin::Platform;
                has_code && !platform && links.iter().all(|&link| !self.reads_field(target, link))
            })
    }

    /// Whether a method, or one that it runs, may read a field with a name.
    fn reads_field(&mut self, method: MethodId, link: Link) -> bool {
        if let Some(&known) = self.readers.get(&(method, link)) {
            return known;
        }
        let (mut work, mut met) = (vec![method], FxHashSet::from_iter([method]));
        let mut reads = false;
        while let Some(method) = work.pop() {
            // the platform does not know fields of the program
            if self.program.origin(self.program.owner(method)) == ClassOrigin::Platform {
                continue;
            }
            let mut runs = Vec::new();
            reads = met.len() > RUNS || self.code_reads_field(method, link, &mut runs);
            if reads {
                break;
            }
            work.extend(runs.into_iter().filter(|&run| met.insert(run)));
        }
        self.readers.insert((method, link), reads);
        reads
    }

    /// Whether the code of a method may do so, or something unknown; what else it runs is added to
    /// a list.
    fn code_reads_field(&self, method: MethodId, link: Link, runs: &mut Vec<MethodId>) -> bool {
        let program = self.program;
        let Ok(Some(body)) = program.body(method) else { return true };
        let pool = &program.class(program.owner(method)).pool;
        body.instructions.iter().enumerate().any(|(number, instruction)| match instruction.op {
            Op::GetField(field) => pool.member(field).is_none_or(|member| field_link(member.name) == link),
            Op::Invoke(_, constant) => {
                let targets = self.dispatch.targets(method, number);
                let owner = pool.member(constant).and_then(|member| program.find_class(member.owner));
                let of_platform = owner.is_some_and(|class| program.origin(class) == ClassOrigin::Platform);
                runs.extend(targets.iter().take(TARGETS));
                targets.len() > TARGETS || targets.is_empty() && !of_platform
            }
            Op::InvokeDynamic(constant) => {
                let Constant::InvokeDynamic(dynamic) = pool.get(constant) else { return true };
                let arguments = pool.bootstrap(dynamic.bootstrap).into_iter().flat_map(|it| &it.arguments);
                let named = arguments.filter_map(|&argument| match pool.get(argument) {
                    Constant::Handle(_, reference) => pool.member(reference),
                    _ => None,
                });
                runs.extend(named.filter_map(|member| program.resolve(&member)));
                false
            }
            _ => false,
        })
    }

    /// Whether a class of the program has a `close` that leaves one of its private fields alone,
    /// and nothing else takes what is in there but to use it: who holds an object in this field
    /// does not close it.
    pub(super) fn forgets(&mut self, owner: Symbol, field: Symbol) -> bool {
        if let Some(&known) = self.forgetful.get(&(owner, field)) {
            return known;
        }
        let forgets = self.program.find_class(owner).is_some_and(|class| self.class_forgets(class, field));
        self.forgetful.insert((owner, field), forgets);
        forgets
    }

    fn class_forgets(&mut self, class: ClassId, field: Symbol) -> bool {
        let program = self.program;
        let is_private = |class: ClassId| {
            program.class(class).fields.iter().any(|known| known.name == field && known.flags.is_private())
        };
        if program.origin(class) == ClassOrigin::Platform || !is_private(class) {
            return false;
        }
        let close = program.names.find("close").zip(program.names.find("()V"));
        let close = close.and_then(|(name, descriptor)| program.lookup(class, name, descriptor));
        let Some(close) = close.filter(|&close| program.method(close).code.is_some()) else { return false };
        if program.origin(program.owner(close)) == ClassOrigin::Platform
            || self.reads_field(close, field_link(field))
        {
            return false;
        }
        let mut near = program.near(class).into_iter();
        near.all(|other| self.only_uses(other, class, field))
    }

    /// Whether the methods of a class do no more with what a field of another one holds than to
    /// call methods on it that do not let go of it, and to compare it.
    fn only_uses(&self, class: ClassId, owner: ClassId, field: Symbol) -> bool {
        let program = self.program;
        let owner = program.class(owner).name;
        let pool = &program.class(class).pool;
        program.methods_of(class).all(|method| {
            let Ok(Some(body)) = program.body(method) else { return program.method(method).code.is_none() };
            body.instructions.iter().enumerate().all(|(number, instruction)| {
                let Op::GetField(constant) = instruction.op else { return true };
                if pool.member(constant).is_none_or(|it| it.owner != owner || it.name != field) {
                    return true;
                }
                let Some(depth) = body.depth(number) else { return true };
                // the value is where the object was
                let slot = body.code.max_locals + depth as Slot - 1;
                let mut after = body.instructions.iter().enumerate().skip(number + 1);
                let taken = after.find_map(|(number, instruction)| {
                    let moves = moves(program, class, &body, instruction, body.depth(number)?);
                    (moves.popped <= slot).then_some((instruction.op, moves.popped))
                });
                match taken {
                    Some((Op::Invoke(_, constant), popped)) if popped == slot => {
                        pool.member(constant).is_some_and(|member| {
                            member.owner != owner
                                && !may_release(&program.names[member.name])
                                && !self.known.is_view(program, &member)
                                && !self.known.is_child(program, &member)
                                && !program.names[member.descriptor].contains(")Ljava/nio/")
                                && !self.is_static(&member)
                        })
                    }
                    Some((Op::If(..), _)) => true,
                    _ => false,
                }
            })
        })
    }

    fn is_static(&self, member: &crate::class::Member) -> bool {
        let method = self.program.resolve(member);
        method.is_none_or(|method| self.program.method(method).flags.is_static())
    }

    /// The link of an element of an array that the method made and keeps to itself, if the number
    /// of the element is a constant, and those of all others in the method are, too.
    pub(super) fn element(&self, prepared: &Prepared<'p>, number: usize, base: Slot) -> Option<Link> {
        let values = &prepared.values;
        let slots = values.before(number);
        let array = *slots.get(usize::from(base))?;
        let Value::Made(made, _) = values.value(array) else { return None };
        if !matches!(prepared.body.instructions.get(usize::from(made))?.op, Op::NewArray(_)) {
            return None;
        }
        let index = |slots: &[u32], base: Slot| match values.value(*slots.get(usize::from(base) + 1)?) {
            Value::Int(index) => u32::try_from(index).ok().filter(|&index| index < MOST_ELEMENTS),
            _ => None,
        };
        let link = Link(ELEMENTS.0 - index(slots, base)?);
        let class = self.program.owner(prepared.method);
        let mut held: Vec<usize> = Vec::new();
        let mut stores: Vec<(usize, u32)> = Vec::new();
        for (number, instruction) in prepared.body.instructions.iter().enumerate() {
            let Some(depth) = prepared.body.depth(number) else { continue };
            let slots = values.before(number);
            held.extend((0..slots.len()).filter(|&slot| slots[slot] == array));
            let moves = moves(self.program, class, &prepared.body, instruction, depth);
            let first = usize::from(moves.popped);
            match instruction.op {
                Op::ArrayGet(ValueKind::Reference) => {
                    index(slots, moves.popped)?;
                }
                Op::ArraySet(ValueKind::Reference) => {
                    index(slots, moves.popped)?;
                    if slots.get(first + 2) == Some(&array) {
                        return None;
                    }
                }
                Op::Set(ValueKind::Reference, slot) => stores.push((usize::from(slot), *slots.get(first)?)),
                Op::Invoke(..)
                | Op::InvokeDynamic(_)
                | Op::Return(_)
                | Op::PutField(_)
                | Op::PutStatic(_)
                | Op::CheckCast(_)
                | Op::Throw => {
                    let top = usize::from(prepared.body.code.max_locals) + depth;
                    if slots.get(first..top).is_some_and(|taken| taken.contains(&array)) {
                        return None;
                    }
                }
                _ => {}
            }
        }
        // a variable that may be another array is one that is not known
        let is_kept = stores.iter().all(|&(slot, value)| value == array || !held.contains(&slot));
        is_kept.then_some(link)
    }

    /// An element of an array is assigned: the object is in it, or escapes.
    pub(super) fn write_element(
        &mut self,
        component: usize,
        prepared: &Prepared<'p>,
        number: usize,
        moves: &Moves,
        mut fact: Fact,
    ) -> Option<Fact> {
        let (base, value) = (moves.popped, moves.popped + 2);
        if fact.phase != super::fact::Phase::Tracked || !fact.reaches(value) {
            fact.assign(&moves.assigned, moves.top);
            return self.unless_lost(component, number, fact);
        }
        let Some(link) = self.element(prepared, number, base) else {
            fact.assign(&moves.assigned, moves.top);
            self.go(component, number, vec![Event::Escaped], number + 1, fact);
            return None;
        };
        let aliases = Self::aliases(prepared, number, base);
        fact.paths.retain(|path| !(aliases.contains(&path.root) && path.first() == Some(link)));
        let stored: Vec<_> = fact.from(Root::Slot(value)).collect();
        let mut is_too_long = false;
        for path in stored {
            match path.through(link) {
                Some(path) => aliases.iter().for_each(|&root| fact.add(path.at(root))),
                None => is_too_long = true,
            }
        }
        fact.assign(&moves.assigned, moves.top);
        let events = if is_too_long { vec![Event::Escaped] } else { Vec::new() };
        self.go(component, number, events, number + 1, fact);
        None
    }
}
