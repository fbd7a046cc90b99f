//! What is known about the tracked object at a point of a path.
//!
//! The object is held through *access paths*: a slot, a parameter as it was passed, a static field
//! or the returned value, then up to two fields. A second colour marks the parent that the object
//! dies with. Flags are values known to be zero (false, null) or not.

use super::slots::Slot;
use super::values::ValueId;

/// Where an access path starts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum Root {
    /// A slot of the method at hand.
    Slot(Slot),
    /// The parameter with this first slot, as it was when the method was called.
    Parameter(Slot),
    /// The value the method returns.
    Returned,
    /// A static field, which is the first of the fields.
    Static,
}

/// A field of an access path: a field's name, or a variable captured by a lambda.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Link(pub(crate) u32);

/// Whose access path it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum Colour {
    /// The tracked object itself, or a wrapper that is closed in its place.
    Object,
    /// The parent it dies with.
    Parent,
}

/// The most fields of an access path; longer ones are dropped, which only loses track of an alias.
const LENGTH: usize = 2;

/// A way to get at the object.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Path {
    pub(crate) root: Root,
    pub(crate) colour: Colour,
    links: [Option<Link>; LENGTH],
}

impl Path {
    pub(crate) fn slot(slot: Slot, colour: Colour) -> Self {
        Self { root: Root::Slot(slot), colour, links: [None; LENGTH] }
    }

    /// The same path from another root.
    pub(crate) fn at(self, root: Root) -> Self {
        Self { root, ..self }
    }

    /// The same path of another colour.
    pub(crate) fn coloured(self, colour: Colour) -> Self {
        Self { colour, ..self }
    }

    /// Whether the root itself is the object.
    pub(crate) fn is_direct(&self) -> bool {
        self.links[0].is_none()
    }

    /// Its first field.
    pub(crate) fn first(&self) -> Option<Link> {
        self.links[0]
    }

    /// Its fields.
    pub(crate) fn links(&self) -> [Option<Link>; LENGTH] {
        self.links
    }

    /// The path without its first field.
    pub(crate) fn tail(self) -> Self {
        Self { links: [self.links[1], None], ..self }
    }

    /// The path to a field of what it leads to; `None` if it would be too long.
    pub(crate) fn and(mut self, link: Link) -> Option<Self> {
        let free = self.links.iter().position(Option::is_none)?;
        self.links[free] = Some(link);
        Some(self)
    }

    /// The path from a holder's field on; `None` if it would be too long.
    pub(crate) fn through(self, link: Link) -> Option<Self> {
        self.links[LENGTH - 1].is_none().then(|| Self { links: [Some(link), self.links[0]], ..self })
    }
}

/// How far the object has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub(crate) enum Phase {
    /// It does not exist.
    #[default]
    Before,
    /// Its constructor has not returned.
    Constructing,
    /// It exists and is followed.
    Tracked,
}

/// Everything known at a point of a path.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub(crate) struct Fact {
    pub(crate) phase: Phase,
    /// Sorted, each once.
    pub(crate) paths: Vec<Path>,
    /// Values known to be zero or null (true), or known not to be. Sorted by value.
    pub(crate) flags: Vec<(ValueId, bool)>,
}

impl Fact {
    pub(crate) fn add(&mut self, path: Path) {
        if let Err(place) = self.paths.binary_search(&path) {
            self.paths.insert(place, path);
        }
    }

    /// Whether a slot holds the object.
    pub(crate) fn holds(&self, slot: Slot, colour: Colour) -> bool {
        self.paths.binary_search(&Path::slot(slot, colour)).is_ok()
    }

    /// The paths that start at a root.
    pub(crate) fn from(&self, root: Root) -> impl Iterator<Item = Path> + '_ {
        self.paths.iter().copied().filter(move |path| path.root == root)
    }

    /// Whether a slot leads to the object in any way.
    pub(crate) fn reaches(&self, slot: Slot) -> bool {
        self.from(Root::Slot(slot)).any(|path| path.colour == Colour::Object)
    }

    /// Copies and moves slots as an instruction does; slots at and above `top` are dropped.
    pub(crate) fn assign(&mut self, assigned: &[(Slot, Option<Slot>)], top: Slot) {
        let copies: Vec<Path> = assigned
            .iter()
            .filter_map(|&(to, from)| from.map(|from| (to, from)))
            .flat_map(|(to, from)| self.from(Root::Slot(from)).map(move |path| path.at(Root::Slot(to))))
            .collect();
        self.paths.retain(|path| match path.root {
            Root::Slot(slot) => slot < top && !assigned.iter().any(|&(to, _)| to == slot),
            _ => true,
        });
        for path in copies {
            if !matches!(path.root, Root::Slot(slot) if slot >= top) {
                self.add(path);
            }
        }
    }

    /// Whether a value is known to be zero or null, or not to be.
    pub(crate) fn flag(&self, value: ValueId) -> Option<bool> {
        let place = self.flags.binary_search_by_key(&value, |&(value, _)| value).ok()?;
        Some(self.flags[place].1)
    }

    pub(crate) fn set_flag(&mut self, value: ValueId, zero: Option<bool>) {
        let place = self.flags.binary_search_by_key(&value, |&(value, _)| value);
        match (place, zero) {
            (Ok(place), Some(zero)) => self.flags[place].1 = zero,
            (Err(place), Some(zero)) => self.flags.insert(place, (value, zero)),
            (Ok(place), None) => {
                self.flags.remove(place);
            }
            (Err(_), None) => {}
        }
    }
}
