//! Objects followed from where they are made: the machine of one object, in which every node says
//! what happens to it. Properties of these machines are decided elsewhere; nothing here knows
//! resources, locks or rules but the [`Model`] of code that is not there.

mod calls;
mod collect;
mod contract;
mod explore;
mod fact;
mod fields;
mod follow;
mod given;
mod holders;
mod leave;
mod machine;
mod method;
mod model;
mod open;
mod pattern;
mod placed;
mod slots;
mod states;
mod step;
mod values;

pub use collect::View;
pub use contract::Contracts;
pub use explore::Tracker;
pub use machine::{
    Call, Component, Dispatch, Event, Exceptions, Moment, Node, ObjectMachine, Site, SiteKind, Thrown,
};
pub use model::{Handling, Model, ancestors};
pub use pattern::{MethodPattern, matches};
pub use placed::{Place, Placed, Placing, Placings};
