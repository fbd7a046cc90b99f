//! Fields and static fields: what they hold, and what is stored in them.

use super::contract::Contract;
use super::explore::Tracker;
use super::fact::{Colour, Fact, Link, Path, Phase, Root};
use super::leave::has_object;
use super::machine::Event;
use super::method::Prepared;
use super::slots::{Moves, Slot};
use super::values::Value;
use crate::class::Op;
use loris_base::{Idx, Symbol};

impl<'p> Tracker<'p> {
    pub(super) fn read(&self, prepared: &Prepared<'p>, number: usize, moves: &Moves, fact: &mut Fact) {
        let class = self.program.class(self.program.owner(prepared.method));
        let (field, root) = match prepared.body.instructions[number].op {
            Op::GetField(field) => (field, Root::Slot(moves.popped)),
            Op::GetStatic(field) => (field, Root::Static),
            _ => return,
        };
        let Some(member) = class.pool.member(field) else { return };
        Self::read_link(field_link(member.name), root, moves, fact);
    }

    /// What a field, or a method that is like one, holds is in the slot of the result.
    pub(super) fn read_link(link: Link, root: Root, moves: &Moves, fact: &mut Fact) {
        let found: Vec<Path> =
            fact.from(root).filter(|path| path.first() == Some(link)).map(Path::tail).collect();
        fact.assign(&moves.assigned, moves.top);
        for path in found {
            fact.add(path.at(Root::Slot(moves.popped)));
        }
    }

    /// A static field is assigned.
    pub(super) fn keep_in_static(
        &self,
        prepared: &Prepared<'p>,
        number: usize,
        moves: &Moves,
        fact: &mut Fact,
    ) {
        let mut stored = Vec::new();
        if let Op::PutStatic(field) = prepared.body.instructions[number].op {
            let class = self.program.class(self.program.owner(prepared.method));
            let link = class.pool.member(field).map(|member| field_link(member.name));
            fact.paths.retain(|path| path.root != Root::Static || path.first() != link);
            let through = |path: Path| path.through(link?).map(|path| path.at(Root::Static));
            stored.extend(fact.from(Root::Slot(moves.popped)).filter_map(through));
        }
        fact.assign(&moves.assigned, moves.top);
        for path in stored {
            fact.add(path);
        }
    }

    /// A field is assigned: the object may be in it from here on.
    pub(super) fn write(
        &mut self,
        component: usize,
        prepared: &Prepared<'p>,
        number: usize,
        moves: &Moves,
        mut fact: Fact,
    ) {
        let class = self.program.class(self.program.owner(prepared.method));
        let Op::PutField(field) = prepared.body.instructions[number].op else { return };
        let Some(member) = class.pool.member(field) else { return };
        let (base, value) = (moves.popped, moves.popped + 1);
        let link = field_link(member.name);
        let stored: Vec<Path> = fact.from(Root::Slot(value)).collect();
        let aliases = Self::aliases(prepared, number, base);
        let held = |path: &Path| aliases.contains(&path.root) && path.first() == Some(link);
        let held_it = fact.paths.iter().any(|path| held(path) && path.tail().is_direct());
        fact.paths.retain(|path| !held(path));
        let holder =
            prepared.values.before(number).get(usize::from(base)).map(|&id| prepared.values.value(id));
        let mut events = Vec::new();
        if held_it && stored.is_empty() && self.states[component].site.is_some() && !has_object(&fact) {
            events.push(Event::Overwritten);
        }
        if fact.phase == Phase::Tracked && stored.iter().any(|path| path.colour == Colour::Object) {
            let contract = self.known.contract_of_field(self.program, &member);
            let owner_closes =
                contract == Some(Contract::Takes) || self.known.owns(self.program, member.owner);
            let fresh = matches!(holder, Some(Value::Made(made, _))
                if matches!(prepared.body.instructions[usize::from(made)].op, Op::New(_)));
            let handed = self.states[component].site.is_none() && matches!(holder, Some(Value::Parameter(_)));
            if contract == Some(Contract::Leaves) {
                // whoever has it closes it
            } else if owner_closes && (fresh || handed) {
                // the holder is closed in the object's place
                for &root in &aliases {
                    fact.add(Path::slot(0, Colour::Object).at(root));
                }
            } else if !owner_closes {
                events.push(Event::Escaped);
            } else if !self.forgets(member.owner, member.name) {
                events.push(Event::Owned);
            }
        }
        for path in stored {
            for &root in &aliases {
                if let Some(path) = path.through(link) {
                    fact.add(path.at(root));
                }
            }
        }
        fact.assign(&moves.assigned, moves.top);
        self.go(component, number, events, number + 1, fact);
    }

    /// All roots that hold the same value as a slot before an instruction.
    pub(super) fn aliases(prepared: &Prepared<'p>, number: usize, slot: Slot) -> Vec<Root> {
        let slots = prepared.values.before(number);
        let Some(&value) = slots.get(usize::from(slot)) else { return Vec::new() };
        let same = slots.iter().enumerate().filter(|&(_, &other)| other == value);
        let mut roots: Vec<Root> = same.map(|(slot, _)| Root::Slot(slot as Slot)).collect();
        if let Value::Parameter(parameter) = prepared.values.value(value) {
            roots.push(Root::Parameter(parameter));
        }
        roots
    }
}

/// The link for a field, by its name.
pub(super) fn field_link(name: Symbol) -> Link {
    Link(name.index() as u32)
}
