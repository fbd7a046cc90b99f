//! Is a run accepted at all? Decided without times, for 64 entries at once.
//!
//! The product with an automaton of Q states has Q entries for each entry of a component, so that a
//! [search](super::explore) that keeps a frame for each follows every edge up to Q times. Whether
//! there is an accepting run does not need that much: *which* exits runs from an entry get to is a
//! bit for each entry, 64 entries of a component are a *bundle* and share a walk, and accepting
//! cycles are looked for among places, whichever entry a run to them came by (rsm-analysis, section
//! 2.2, with R as bit rows). Entries are put into bundles in the order in which they are first
//! called.
//!
//! O(v · Q² / 64) words for the places met. Each edge is followed as often as bits arrive at its
//! source: at most 64 times per bundle, in practice a few times, since most bits arrive together.
//! Cycles are linear in |machine| · |automaton|. Its oracle is the search with times.

use super::arena::{Arena, PlaceId, Site};
use super::cycles::Heads;
use super::frame::{FrameId, Item};
use super::places::Places;
use super::product::Product;
use loris_base::{Budget, Exhausted, Idx};
use rustc_hash::FxHashMap;
use std::collections::VecDeque;

/// Entries of a bundle, as bits.
type Lanes = u64;

/// Up to 64 entries of a site, and where runs from them get to.
struct Bundle {
    site: FrameId,
    /// numbers of the places that are met
    places: Places,
    met: Vec<Met>,
    /// per bit, its entry
    entries: Vec<u32>,
}

/// A place that is met.
#[derive(Clone, Copy)]
struct Met {
    place: PlaceId,
    /// the entries by which runs get there
    by: Lanes,
    /// those of them that have not been followed yet
    fresh: Lanes,
}

/// An entry that is called.
struct Entry {
    /// its site, by position
    site: FrameId,
    /// exits that runs get to
    exits: Vec<u32>,
    /// the places that call it: their bundle, and their number there
    callers: Vec<(u32, u32)>,
}

/// A site that is entered.
struct Entered {
    site: Site,
    /// the bundle with room for more entries
    bundle: u32,
    /// places that are met in some bundle, by slot
    places: Places,
}

/// A search for an accepting run, with entries in bundles.
pub(super) struct Bundles<'r, 'a> {
    product: &'r Product<'a>,
    sites: Vec<Entered>,
    by_site: FxHashMap<u32, FrameId>,
    all: Vec<Bundle>,
    entries: FxHashMap<u32, Entry>,
    /// places with bits to be followed: their bundle, and their number there
    queue: VecDeque<(u32, u32)>,
    /// exits where runs end under the empty stack
    pub(super) bottom: Vec<PlaceId>,
    /// all places, by slot
    heads: Vec<Item>,
    /// whether a run got to a place that was enough
    pub(super) is_enough: bool,
    /// how many pairs of an entry and a place are met
    pub(super) facts: u64,
    /// bytes of growing lists, and how many of them are declared
    bytes: usize,
    held: usize,
}

/// How many entries there are in a bundle, at most.
pub(super) const BUNDLE: usize = Lanes::BITS as usize;
/// The bundle of the places where runs start.
const START: u32 = 0;
/// Bytes of a place in the list of a bundle or in that of all; lists double.
const MET: usize = 2 * size_of::<Met>();
const HEAD: usize = 2 * size_of::<Item>();
/// Bytes of an entry in a table that is at least half full.
const ENTRY: usize = 2 * (size_of::<(u32, Entry)>() + 1) + 4;
/// Bytes of an exit or a caller in its list, or of a place in the queue.
const LISTED: usize = 16;

impl<'r, 'a> Bundles<'r, 'a> {
    /// Follows all runs from some places of a site, or until one gets to a place that is `enough`.
    pub(super) fn follow(
        product: &'r Product<'a>,
        site: Site,
        places: &[PlaceId],
        budget: &mut Budget,
        enough: impl Fn(PlaceId) -> bool,
    ) -> Result<Self, Exhausted> {
        let mut bundles = Self {
            product,
            sites: Vec::new(),
            by_site: FxHashMap::default(),
            all: Vec::new(),
            entries: FxHashMap::default(),
            queue: VecDeque::new(),
            bottom: Vec::new(),
            heads: Vec::new(),
            is_enough: false,
            facts: 0,
            bytes: 0,
            held: 0,
        };
        // no entry is ever added to it: runs that leave are not back at any caller
        let first = bundles.position(site);
        bundles.bundle(first);
        for &place in places {
            bundles.arrive(START, place, 1);
        }
        while let Some((bundle, number)) = bundles.queue.pop_front() {
            let place = bundles.all[bundle as usize].met[number as usize].place;
            if enough(place) {
                bundles.is_enough = true;
                break;
            }
            let steps = bundles.go_on(bundle, number);
            budget.spend(steps)?;
            let (bytes, queued) = (bundles.bytes, LISTED * bundles.queue.len());
            budget.grow(&mut bundles.held, bytes + queued)?;
        }
        Ok(bundles)
    }

    /// Gives back all that was declared.
    pub(super) fn release(self, budget: &mut Budget) {
        budget.release(self.held);
    }

    /// The position of a site.
    fn position(&mut self, site: Site) -> FrameId {
        let next = FrameId::new(self.sites.len());
        let position = *self.by_site.entry(site.number).or_insert(next);
        if position == next {
            let size = self.product.size(site);
            self.sites.push(Entered { site, bundle: START, places: Places::new(size) });
            self.bytes += 2 * size_of::<Entered>() + LISTED + Places::least_bytes(size);
        }
        position
    }

    /// Makes a bundle of a site.
    fn bundle(&mut self, site: FrameId) -> u32 {
        let size = self.product.size(self.sites[site.index()].site);
        self.bytes += 2 * size_of::<Bundle>() + Places::least_bytes(size) + 4 * BUNDLE;
        self.all.push(Bundle { site, places: Places::new(size), met: Vec::new(), entries: Vec::new() });
        self.all.len() as u32 - 1
    }

    /// Runs from these entries get to a place.
    fn arrive(&mut self, bundle: u32, place: PlaceId, by: Lanes) {
        let of = &mut self.all[bundle as usize];
        let number = of.places.get(place).unwrap_or_else(|| {
            let number = of.met.len() as u32;
            of.met.push(Met { place, by: 0, fresh: 0 });
            let table = of.places.insert(place, number);
            self.bytes = (self.bytes + MET).saturating_add_signed(table);
            let everywhere = &mut self.sites[of.site.index()].places;
            if everywhere.get(place).is_none() {
                let table = everywhere.insert(place, self.heads.len() as u32);
                self.bytes = (self.bytes + HEAD).saturating_add_signed(table);
                self.heads.push(Item { frame: of.site, place });
            }
            number
        });
        let met = &mut of.met[number as usize];
        let new = by & !met.by;
        if new == 0 {
            return;
        }
        if met.fresh == 0 {
            self.queue.push_back((bundle, number));
        }
        met.by |= new;
        met.fresh |= new;
        self.facts += u64::from(new.count_ones());
    }

    /// Goes on from a place by the entries that are new there; returns how many steps that took.
    fn go_on(&mut self, bundle: u32, number: u32) -> usize {
        let product = self.product;
        let of = &mut self.all[bundle as usize];
        let Met { place, by, fresh } = of.met[number as usize];
        of.met[number as usize].fresh = 0;
        let site = self.sites[of.site.index()].site;
        let mut steps = 1;
        if let Some(called) = product.call(site, place) {
            let is_first = by == fresh;
            let exits = self.call(called, site, (bundle, number), is_first);
            steps += exits.len();
            for &exit in &exits {
                if let Some(back) = product.back(site, place, exit) {
                    self.arrive(bundle, back, fresh);
                }
            }
            self.entries.get_mut(&called).expect("it was just called").exits = exits;
        } else if product.is_exit(site, place) {
            if bundle == START {
                self.bottom.push(place);
                return steps;
            }
            let exit = product.exit_number(site, place);
            let mut left = fresh;
            while left != 0 {
                let entry = of_bundle(&self.all, bundle, left.trailing_zeros());
                left &= left - 1;
                steps += self.leave(entry, exit);
            }
        } else {
            product.successors(site, place, |after| {
                steps += 1;
                self.arrive(bundle, after, fresh);
            });
        }
        steps
    }

    /// An entry is called by a place. Returns its exits, which are to be given back.
    fn call(&mut self, entry: u32, caller: Site, by: (u32, u32), is_first: bool) -> Vec<u32> {
        if !self.entries.contains_key(&entry) {
            let port = self.all[by.0 as usize].met[by.1 as usize].place;
            let (site, place) = self.product.callee(caller, port);
            self.enter(entry, site, place);
        }
        let called = self.entries.get_mut(&entry).expect("it is entered");
        if is_first {
            called.callers.push(by);
            self.bytes += LISTED;
        }
        std::mem::take(&mut called.exits)
    }

    /// An entry is called for the first time.
    fn enter(&mut self, entry: u32, site: Site, place: PlaceId) {
        let position = self.position(site);
        let mut bundle = self.sites[position.index()].bundle;
        if bundle == START || self.all[bundle as usize].entries.len() == BUNDLE {
            bundle = self.bundle(position);
            self.sites[position.index()].bundle = bundle;
        }
        let entries = &mut self.all[bundle as usize].entries;
        let lane = 1 << entries.len();
        entries.push(entry);
        self.bytes += ENTRY;
        self.entries.insert(entry, Entry { site: position, exits: Vec::new(), callers: Vec::new() });
        self.arrive(bundle, place, lane);
    }

    /// Runs from an entry leave by an exit, which was not known before: all callers are notified.
    /// Returns how many steps that took.
    fn leave(&mut self, entry: u32, exit: u32) -> usize {
        let of = self.entries.get_mut(&entry).expect("the entries of a bundle are called");
        of.exits.push(exit);
        self.bytes += LISTED;
        let callers = std::mem::take(&mut of.callers);
        for &(bundle, number) in &callers {
            let caller = &self.all[bundle as usize];
            let Met { place, by, .. } = caller.met[number as usize];
            if let Some(back) = self.product.back(self.sites[caller.site.index()].site, place, exit) {
                self.arrive(bundle, back, by);
            }
        }
        let steps = 1 + callers.len();
        self.entries.get_mut(&entry).expect("it is still there").callers = callers;
        steps
    }
}

/// The entry of a bit.
fn of_bundle(bundles: &[Bundle], bundle: u32, bit: u32) -> u32 {
    bundles[bundle as usize].entries[bit as usize]
}

/// Places, whichever entry runs to them came by; the frames are sites, by position.
impl Heads for Bundles<'_, '_> {
    fn product(&self) -> &Product<'_> {
        self.product
    }

    fn site(&self, frame: FrameId) -> Site {
        self.sites[frame.index()].site
    }

    fn slots(&self) -> usize {
        self.heads.len()
    }

    #[inline]
    fn slot(&self, item: Item) -> Option<usize> {
        self.sites[item.frame.index()].places.get(item.place).map(|slot| slot as usize)
    }

    fn time(&self, _: Item) -> u32 {
        0
    }

    fn called(&self, entry: u32) -> Option<FrameId> {
        self.entries.get(&entry).map(|entry| entry.site)
    }

    fn exits(&self, entry: u32) -> impl Iterator<Item = u32> + '_ {
        self.entries.get(&entry).into_iter().flat_map(|entry| entry.exits.iter().copied())
    }

    fn all(&self) -> impl Iterator<Item = Item> + '_ {
        self.heads.iter().copied()
    }
}
