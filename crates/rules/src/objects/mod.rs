//! Rules about objects: a property of every object that is made at some place.
//!
//! The table `[rule.object]` has
//! - `at`: where objects come from, a list of `resource` (as the resource model says), `new C`,
//!   `result C.m`, `child C.m` (the result, which dies with the receiver), `on C.m` (the receiver),
//!   `on-true C.m` (the receiver if the call returns true), `on-false C.m`, `on-throw C.m` (if it
//!   throws), `entry-on C.m` (the receiver, followed
//!   from the entry of the method on), `argument C.m 0`, and `with m n` (`new` of a class of the
//!   program that has methods with these names);
//! - `property`: a CTL formula over `opened` (the object is there), `received` (it is there because
//!   a method that was called made it), `fresh` (the method made it itself), `thrown`, `left`,
//!   `lost`, `returned`, `handed` (itself, and not what holds it), `owned`, `escaped`,
//!   `overwritten` (what held it holds something else), `call` and the events of the rule;
//! - `[rule.object.events]`: for each event the calls that make it, a list of `on C.m` (called on
//!   the object), `on C.m 1` (with this last argument), `on C.m ()` (without arguments), `pass C.m`
//!   and `pass C.m 0` (the object is an argument), `pass-child C.m 0` (an object made from it is),
//!   `parent C.m` (called on the parent), `inside C.m` (called on the object by one of its own
//!   methods), `child C.m` (called on an object made from it that is closed in its place) and
//!   `any C.m` (any call);
//! - `settled`: a formula without operators of time; a method that returns an object for which it
//!   is not true on the way makes the object in its callers. Without it callers are not looked at;
//! - `returns`: the same as a whole formula, `E [ !(settled) U returned ]` being the usual one;
//! - `within`: classes; objects are looked for in their subtypes only;
//! - `except`: methods in which no objects are looked for;
//! - `asked`: methods; an object that is made from something which the method calls one of them on
//!   is not looked at;
//! - `elsewhere`: an event; if it never happens to an object, and another method of the class makes
//!   it happen without being a site itself, the two methods belong together and nothing is
//!   reported; neither is it if the event happens after an exception only;
//! - `offence`: an event; findings are at the last call that makes it happen on the way, rather
//!   than at the place where the object comes from;
//! - `unchecked`: whether every call may throw an exception that nobody declares;
//! - `unless`: another rule; a site is not reported if that rule is broken there, too, whether it
//!   is asked for or not.
//!
//! `C` and `m` are patterns with `*`; `C` fits its subtypes.

mod atoms;
mod causes;
mod closing;
mod contracts;
mod decide;
mod doubt;
mod elsewhere;
mod environment;
mod forms;
mod found;
mod judge;
mod kept;
mod placed;
mod program;
mod quiet;
mod receivers;
mod reduce;
mod resources;
mod sites;
mod story;
mod table;
mod thrown;

pub use forms::{BUILT_IN, Form, KEYS, events, places};
pub(crate) use found::Found;
pub use resources::Resources;
pub(crate) use table::Named;
pub use table::ObjectRule;

use crate::context::ProgramContext;
use loris_base::Budget;

/// Decides rules about objects, all together. Rules that are not asked for are known, as others may
/// name them under `unless`.
pub(crate) fn run(
    context: &ProgramContext<'_>,
    rules: &[Named<'_>],
    known: &[Named<'_>],
    budget: &mut Budget,
) -> Found {
    let mut found = Found::default();
    found.stopped = decide::run(context, (rules, known), &mut found, budget).err();
    found
}
