//! Which atoms of a rule are true at a node.

use super::closing::Closing;
use super::reduce::Mask;
use super::table::{At, ESCAPED, Happening, ObjectRule};
use crate::context::ProgramContext;
use loris_java::class::Member;
use loris_java::objects::{Event, Moment, ancestors};
use rustc_hash::FxHashMap;

/// How an event fits a method: called on the object, passed, called on the parent, at all.
#[derive(Clone, Debug, Default)]
#[expect(clippy::struct_excessive_bools, reason = "independent ways to take part in a call")]
pub(super) struct Fits {
    pub(super) on: Vec<Option<i32>>,
    on_not: Vec<i32>,
    pass: Vec<Option<u8>>,
    pass_child: Vec<u8>,
    parent: bool,
    inside: bool,
    child: bool,
    any: bool,
}

/// Labels nodes with the atoms of rules.
pub(super) struct Labels<'p> {
    context: &'p ProgramContext<'p>,
    /// whether the site at hand is a call of a method that made the object
    derived: bool,
    /// what a `close` of the program does
    closing: Closing,
    /// whether the calls of a rule's event fit a method
    fits: FxHashMap<(usize, usize, Member), Fits>,
}

impl<'p> Labels<'p> {
    pub(super) fn new(context: &'p ProgramContext<'p>, derived: bool) -> Self {
        Self { context, derived, closing: Closing::default(), fits: FxHashMap::default() }
    }

    /// Gives back the memory of all that is kept to save work.
    pub(super) fn forget(&mut self) {
        self.fits = FxHashMap::default();
    }

    /// The atoms of a rule that are true at a node.
    pub(super) fn mask(&mut self, moment: &Moment, rule: usize, object: &ObjectRule) -> Mask {
        let mut mask = Mask::from(moment.events.contains(&Event::Escaped)) << ESCAPED;
        for (bit, atom) in object.atoms.iter().enumerate() {
            mask |= Mask::from(self.is(moment, rule, object, atom)) << bit;
        }
        mask
    }

    /// Whether an atom of a rule is true at a node.
    fn is(&mut self, node: &Moment, rule: usize, object: &ObjectRule, atom: &str) -> bool {
        let built_in = match atom {
            "opened" => Some(Event::Opened),
            "fresh" => Some(Event::Fresh),
            "received" if self.derived => Some(Event::Opened),
            "received" => return false,
            "thrown" => Some(Event::Thrown),
            "left" => Some(Event::Left),
            // under `strict`, an object that cannot be followed is as good as lost
            "lost" if self.context.options.strict && node.events.contains(&Event::Escaped) => return true,
            "escaped" if self.context.options.strict => return false,
            "lost" => Some(Event::Lost),
            "returned" => Some(Event::Returned),
            "handed" => Some(Event::Handed),
            "owned" => Some(Event::Owned),
            "escaped" => Some(Event::Escaped),
            "overwritten" => Some(Event::Overwritten),
            "call" => Some(Event::Call),
            _ => None,
        };
        if let Some(event) = built_in {
            return node.events.contains(&event);
        }
        let Some(member) = node.member else { return false };
        if node.events.is_empty() {
            return false;
        }
        let fits = self.fits(rule, object, atom, member);
        node.events.iter().any(|event| match event {
            Event::Called => {
                fits.on.iter().any(|value| value.is_none() || *value == node.constant)
                    || fits.on_not.iter().any(|&value| node.constant != Some(value))
            }
            Event::Passed(slot) => fits.pass.iter().any(|at| at.is_none() || *at == Some(*slot)),
            Event::CalledInside => fits.inside,
            Event::ChildCalled => fits.child,
            Event::ChildPassed(slot) => fits.pass_child.contains(slot),
            Event::ParentCalled => fits.parent,
            Event::Call => fits.any,
            _ => false,
        })
    }

    /// How the calls of an event fit a method.
    pub(super) fn fits(&mut self, rule: usize, object: &ObjectRule, atom: &str, member: Member) -> &Fits {
        let place = object.events.keys().position(|name| name == atom).unwrap_or(0);
        let program = self.context.program;
        let closing = &mut self.closing;
        self.fits.entry((rule, place, member)).or_insert_with(|| {
            let calls = &object.events[atom];
            let (classes, method) = (ancestors(program, member.owner), &program.names[member.name]);
            let mut fits = Fits::default();
            for call in calls {
                match call {
                    Happening::On(pattern, value) if pattern.fits(&classes, method) => fits.on.push(*value),
                    Happening::OnNot(pattern, value) if pattern.fits(&classes, method) => {
                        fits.on_not.push(*value);
                    }
                    Happening::Pass(pattern, slot) if pattern.fits(&classes, method) => fits.pass.push(*slot),
                    Happening::Plain(pattern) => {
                        let plain = program.names[member.descriptor].starts_with("()");
                        if plain && pattern.fits(&classes, method) {
                            fits.on.push(None);
                        }
                    }
                    Happening::PassChild(pattern, slot) if pattern.fits(&classes, method) => {
                        fits.pass_child.push(*slot);
                    }
                    Happening::Child(pattern) => fits.child |= pattern.fits(&classes, method),
                    Happening::Inside(pattern) => fits.inside |= pattern.fits(&classes, method),
                    Happening::Parent(pattern) => fits.parent |= pattern.fits(&classes, method),
                    Happening::Any(pattern) => fits.any |= pattern.fits(&classes, method),
                    _ => {}
                }
            }
            // a wrapper whose `close` lets go of nothing does not close what it wraps
            let mut is_empty = || !closing.lets_go(program, member.owner);
            if method == "close" && object.at.contains(&At::Resource) && is_empty() {
                fits.on.clear();
            }
            fits
        })
    }
}
