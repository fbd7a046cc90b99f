//! A Petri net with places that hold at most one token.

use loris_base::Names;

/// A place/transition net. All arcs have weight 1, and each place starts with at most one token.
#[derive(Clone, Debug)]
pub struct Net {
    pub(super) name: String,
    pub(super) places: Names,
    pub(super) transitions: Names,
    /// by transition: the places that it takes a token from, sorted
    pub(super) before: Vec<Vec<u32>>,
    /// by transition: the places that it puts a token into, sorted
    pub(super) after: Vec<Vec<u32>>,
    /// by place: whether it starts with a token
    pub(super) marked: Vec<bool>,
    pub(super) units: Option<Units>,
}

/// Units of places: at most one place of a unit holds a token at a time.
#[derive(Clone, Debug)]
pub(super) struct Units {
    pub(super) names: Vec<String>,
    /// by unit: its own places, without those of units inside of it, in the order of the file
    pub(super) places: Vec<Vec<u32>>,
    /// where the units are in the file
    pub(super) offset: u64,
    /// whether the file states that the net is unit-safe
    pub(super) is_safe: bool,
}

impl Net {
    /// The name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The names of places.
    pub fn places(&self) -> &Names {
        &self.places
    }

    /// The names of transitions.
    pub fn transitions(&self) -> &Names {
        &self.transitions
    }
}
