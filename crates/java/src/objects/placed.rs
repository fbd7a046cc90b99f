//! Objects that a method leaves in a field, or does something to that lasts: a lock that `begin()`
//! acquires, a stream that `open()` opens. They are followed in its callers.

use super::explore::Tracker;
use super::fact::{Colour, Fact, Link, Path, Root};
use super::fields::field_link;
use super::holders::is_field;
use super::leave::has_object;
use super::machine::{Event, Site, SiteKind};
use super::method::Prepared;
use super::slots::{Moves, Slot};
use super::states::Exit;
use crate::program::MethodId;
use loris_base::{Idx, Symbol};
use rustc_hash::FxHashMap;

/// How an object is named outside of a method: by what it gets in a slot, or a static field, and
/// up to two fields of that.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Place {
    /// The slot; none if the first field is static.
    pub parameter: Option<u8>,
    /// The fields, by their names.
    pub fields: [Option<Symbol>; 2],
}

/// An object that is at a place when a method returns, on all paths.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Placed {
    /// The first of the names that it has.
    pub place: Place,
    /// Whether the method has made it, so that what holds it closes it.
    pub owned: bool,
}

/// What is known of such an object.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Placing {
    /// All of its names, and those of its wrappers; sorted.
    pub places: Vec<Place>,
    /// Its class, as far as it is known.
    pub class: Option<Symbol>,
}

/// The objects that methods place.
pub type Placings = FxHashMap<(MethodId, Placed), Placing>;

impl Place {
    /// The place that a path of the object at an exit leads to.
    fn of(path: &Path) -> Option<Self> {
        let parameter = match path.root {
            Root::Parameter(slot) => Some(u8::try_from(slot).ok()?),
            Root::Static => None,
            Root::Slot(_) | Root::Returned => return None,
        };
        let links = path.links();
        if path.colour != Colour::Object || links.iter().flatten().any(|&link| !is_field(link)) {
            return None;
        }
        let fields = links.map(|link| link.map(|link| Symbol::new(link.0 as usize)));
        Some(Self { parameter, fields })
    }

    fn links(self) -> impl Iterator<Item = Link> {
        self.fields.into_iter().flatten().map(field_link)
    }
}

impl<'p> Tracker<'p> {
    /// The places at which the object of a site that was explored is whenever its method returns.
    pub fn placed(&self, top: usize) -> Vec<Place> {
        let paths = self.states[top].held.iter().flatten();
        let mut places: Vec<Place> = paths.filter_map(Place::of).collect();
        places.sort_unstable();
        places
    }

    /// The method that places the object of a site, and what is known of that object.
    pub fn placing(&self, site: &Site) -> Option<(MethodId, &'p Placing)> {
        let SiteKind::Placed(placed) = site.kind else { return None };
        let [target] = self.dispatch.targets(site.method, site.number)[..] else { return None };
        Some((target, self.placings.get(&(target, placed))?))
    }

    /// The names that the object of a site has in the method that calls the one which places it.
    pub(super) fn placed_paths(
        &self,
        site: &Site,
        prepared: &Prepared<'p>,
        number: usize,
        moves: &Moves,
    ) -> Vec<Path> {
        let places = self.placing(site).into_iter().flat_map(|(_, placing)| &placing.places);
        let paths = places.flat_map(|&place| {
            let from = match place.parameter {
                Some(slot) => names_of_slot(prepared, number, moves.popped + Slot::from(slot)),
                None => vec![Path::slot(0, Colour::Object).at(Root::Static)],
            };
            from.into_iter().filter_map(move |path| along(path, place.links()))
        });
        paths.collect()
    }

    /// Forgets names of the object that a method has taken from it: what was at the end of a path
    /// from an argument when the method was called is not there when it is left. Whether nothing
    /// else is known to hold the object.
    pub(super) fn forget_overwritten(
        prepared: &Prepared<'p>,
        number: usize,
        moves: &Moves,
        before: &Fact,
        exit: &Exit,
        fact: &mut Fact,
    ) -> bool {
        let mut held_it = false;
        for path in &before.paths {
            let (bound, names) = match path.root {
                Root::Slot(slot) if slot >= moves.popped && !path.is_direct() => {
                    let bound = path.at(Root::Parameter(slot - moves.popped));
                    (bound, names_of_slot(prepared, number, slot))
                }
                Root::Static => (*path, Vec::new()),
                _ => continue,
            };
            let is_kept = exit.paths.contains(&bound);
            if is_kept || path.links().iter().flatten().any(|&link| !is_field(link)) {
                continue;
            }
            held_it |= path.colour == Colour::Object;
            fact.paths.retain(|known| known != path);
            for name in names {
                let gone = along(name, path.links().into_iter().flatten());
                fact.paths.retain(|known| Some(*known) != gone.map(|gone| gone.coloured(path.colour)));
            }
        }
        held_it && !has_object(fact)
    }

    /// What happened to the object when a method was left that got it: its last holder may hold
    /// something else.
    pub(super) fn overwritten_by(
        &self,
        caller: usize,
        (prepared, number): (&Prepared<'p>, usize),
        moves: &Moves,
        before: &Fact,
        exit: &Exit,
        fact: &mut Fact,
    ) -> Option<Event> {
        let is_free = Self::forget_overwritten(prepared, number, moves, before, exit, fact);
        (is_free && self.states[caller].site.is_some()).then_some(Event::Overwritten)
    }
}

/// All names of what a slot holds before an instruction.
fn names_of_slot(prepared: &Prepared<'_>, number: usize, slot: Slot) -> Vec<Path> {
    let value = prepared.values.before(number).get(usize::from(slot)).copied();
    value.map_or(Vec::new(), |value| Tracker::names_of(prepared, number, value))
}

/// A path, and then some fields; `None` if it would be too long.
fn along(path: Path, mut links: impl Iterator<Item = Link>) -> Option<Path> {
    links.try_fold(path, Path::and)
}
