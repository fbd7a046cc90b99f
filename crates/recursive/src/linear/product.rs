//! A machine and an automaton side by side: the arena of linear-time properties.
//!
//! A place is a vertex with the state the automaton is in before it reads the vertex's letter
//! (rsm-analysis, section 2.3, with letters on the sources of steps). Where an accepting state may
//! lie inside a call that returns, a place also carries a *mark*: whether the run has been in one
//! since its frame was entered. That is relation Z of section 2.2, and needs no rules of its own.
//! The places of a vertex are a power of two, so that nothing is divided.

use super::arena::{Arena, Machine, PlaceId, Site};
use super::explore::Explored;
use super::letters::{Letters, Steps};
use crate::recorder::RunRecorder;
use loris_base::{Budget, Exhausted, Idx};
use loris_rsm::Vertex;

/// With two to this many places per vertex, frames hold only the places met.
const LARGE: u32 = 6;

/// The product of a machine and an automaton.
pub(crate) struct Product<'a> {
    pub(crate) machine: Machine<'a>,
    pub(crate) letters: &'a Letters,
    pub(crate) steps: &'a Steps,
    /// two to this many places per vertex
    shift: u32,
    /// the bit of the mark; 0 without marks
    mark: u32,
}

impl<'a> Product<'a> {
    /// The product; it is refused if its places cannot be numbered, or one frame alone is too
    /// large.
    pub(crate) fn new(
        machine: Machine<'a>,
        letters: &'a Letters,
        steps: &'a Steps,
        budget: &mut Budget,
    ) -> Result<Self, Exhausted> {
        let shift = steps.states.next_power_of_two().trailing_zeros();
        let mark = if steps.is_mixed { 1 << shift } else { 0 };
        let shift = shift + u32::from(mark != 0);
        let most = machine.largest().max(machine.gates()) as u64;
        if most << shift >= u64::from(u32::MAX) {
            return Err(Exhausted::Memory);
        }
        let product = Self { machine, letters, steps, shift, mark };
        if !product.is_sparse() {
            let frame = product.machine.largest() << (shift + 2);
            budget.charge(frame)?;
            budget.release(frame);
        }
        Ok(product)
    }

    /// The state of the automaton at a place.
    #[inline]
    pub(crate) fn state(&self, place: PlaceId) -> u32 {
        self.low(place.index() as u32) & !self.mark
    }

    /// Whether the run has accepted since the frame was entered, at the exit of a number.
    #[inline]
    pub(crate) fn is_marked_exit(&self, number: u32) -> bool {
        number & self.mark != 0
    }

    #[inline]
    fn mark_of(&self, place: PlaceId) -> u32 {
        place.index() as u32 & self.mark
    }

    /// The letter of a place.
    #[inline]
    pub(crate) fn class(&self, site: Site, place: PlaceId) -> u32 {
        self.letters.class[site.cell as usize + self.local(place).index()]
    }

    /// The place of a vertex, given within its site, with a state just arrived in.
    #[inline]
    pub(crate) fn place(&self, local: PlaceId, state: u32) -> PlaceId {
        self.with(local, self.arrive(state, 0))
    }

    /// A place of a vertex, given within its site, whatever the state.
    pub(crate) fn bare(&self, local: PlaceId) -> PlaceId {
        self.with(local, 0)
    }

    /// A place of the machine with a state and a mark.
    #[inline]
    fn with(&self, local: PlaceId, low: u32) -> PlaceId {
        PlaceId::new(local.index() << self.shift | low as usize)
    }

    /// A state with the mark that arriving there gives it.
    #[inline]
    fn arrive(&self, state: u32, mark: u32) -> u32 {
        state | mark | if self.mark != 0 && self.steps.accepting[state as usize] { self.mark } else { 0 }
    }

    #[inline]
    fn local(&self, place: PlaceId) -> PlaceId {
        PlaceId::new(place.index() >> self.shift)
    }

    /// The row of the steps a place takes.
    #[inline]
    pub(crate) fn step_row(&self, site: Site, place: PlaceId) -> usize {
        self.class(site, place) as usize * self.steps.states + self.state(place) as usize
    }

    /// The state and the mark of a number: of a place, an entry or an exit.
    #[inline]
    fn low(&self, number: u32) -> u32 {
        number & ((1 << self.shift) - 1)
    }
}

impl Arena for Product<'_> {
    #[inline]
    fn vertex(&self, site: Site, place: PlaceId) -> Vertex {
        self.machine.vertex(site, self.local(place))
    }

    fn size(&self, site: Site) -> usize {
        self.machine.size(site) << self.shift
    }

    fn places(&self) -> usize {
        self.machine.places() << self.shift
    }

    fn gates(&self) -> usize {
        self.machine.gates() << self.shift
    }

    fn sides(&self, site: Site) -> (usize, usize) {
        let (entries, exits) = self.machine.sides(site);
        (entries << self.shift, exits << self.shift)
    }

    fn fetch(&self, site: Site, mut visit: impl FnMut(u32)) {
        self.machine.fetch(site, |entry| visit(entry << self.shift));
    }

    fn is_sparse(&self) -> bool {
        self.shift >= LARGE && self.machine.rsm.box_count() > 0
    }

    fn is_entry_bound(&self) -> bool {
        self.machine.is_entry_bound()
    }

    fn gate(&self, site: Site, place: PlaceId) -> Option<u32> {
        let gate = self.machine.gate(site, self.local(place))?;
        Some(gate << self.shift | self.low(place.index() as u32))
    }

    #[inline]
    fn call(&self, site: Site, place: PlaceId) -> Option<u32> {
        let gate = self.machine.call(site, self.local(place))?;
        // marks count from the entry on
        Some(gate << self.shift | self.arrive(self.state(place), 0))
    }

    fn callee(&self, site: Site, port: PlaceId) -> (Site, PlaceId) {
        let (callee, entry) = self.machine.callee(site, self.local(port));
        (callee, self.place(entry, self.state(port)))
    }

    #[inline]
    fn is_exit(&self, site: Site, place: PlaceId) -> bool {
        self.machine.is_exit(site, self.local(place))
    }

    fn exit_number(&self, site: Site, exit: PlaceId) -> u32 {
        self.machine.exit_number(site, self.local(exit)) << self.shift | self.low(exit.index() as u32)
    }

    fn exit(&self, site: Site, number: u32) -> PlaceId {
        self.with(self.machine.exit(site, number >> self.shift), self.low(number))
    }

    #[inline]
    fn back(&self, site: Site, port: PlaceId, exit: u32) -> Option<PlaceId> {
        let back = self.machine.back(site, self.local(port), exit >> self.shift)?;
        Some(self.with(back, self.low(exit) | self.mark_of(port)))
    }

    #[inline]
    fn successors(&self, site: Site, place: PlaceId, mut visit: impl FnMut(PlaceId)) {
        let row = self.steps.next.row(self.step_row(site, place));
        let mark = self.mark_of(place);
        self.machine.successors(site, self.local(place), |after| {
            for &state in row {
                visit(self.with(after, self.arrive(state, mark)));
            }
        });
    }

    fn predecessors(&self, site: Site, place: PlaceId, mut visit: impl FnMut(PlaceId)) {
        let (state, mark) = (self.state(place), self.mark_of(place));
        let accepts = self.mark != 0 && self.steps.accepting[state as usize];
        if accepts && mark == 0 {
            return;
        }
        self.machine.predecessors(site, self.local(place), |before| {
            let class = self.letters.class[site.cell as usize + before.index()] as usize;
            for &from in self.steps.before.row(class * self.steps.states + state as usize) {
                visit(self.with(before, from | mark));
                if accepts {
                    visit(self.with(before, from));
                }
            }
        });
    }

    fn calls_before(&self, site: Site, back: PlaceId, mut visit: impl FnMut(PlaceId)) {
        self.machine.calls_before(site, self.local(back), |port| {
            (0..1 << self.shift).for_each(|low| visit(self.with(port, low)));
        });
    }
}

impl<'a> Explored<'_, Product<'a>> {
    /// A recorder that begins under the calls below the start.
    pub(crate) fn recorder<'b>(&self, budget: &'b mut Budget) -> RunRecorder<'a, 'b> {
        let rsm = self.arena.machine.rsm;
        let box_at = |&(site, port): &(Site, PlaceId)| rsm.box_of(self.arena.vertex(site, port));
        RunRecorder::new(rsm, self.below.iter().filter_map(box_at).collect(), budget)
    }
}
