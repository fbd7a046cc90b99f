//! The machine of one object: the states of the program from the point of view of an object that
//! is made at a site, as components that call each other.

use super::placed::Placed;
use crate::class::{Body, Member};
use crate::program::MethodId;
use loris_base::Symbol;

/// Where objects come from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Site {
    /// The method.
    pub method: MethodId,
    /// The number of the instruction in it.
    pub number: usize,
    /// Which value of the instruction the object is.
    pub kind: SiteKind,
}

/// Which value of an instruction is tracked.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum SiteKind {
    /// The object that `new` makes; it is there when its constructor has returned.
    New,
    /// The result of a call.
    Result,
    /// The result of a call; the receiver is the parent that it dies with.
    Child,
    /// The object that a method is called on.
    Receiver,
    /// The object that a method is called on, if it returns true.
    ReceiverIfTrue,
    /// The object that a method is called on, if it returns false.
    ReceiverIfFalse,
    /// The object that a method is called on, if it throws an exception.
    ReceiverIfThrown,
    /// The object that a method is called on, if the method of the site made it.
    Made,
    /// The object that a method is called on, followed from the entry of the site's method on.
    Entry,
    /// The argument that starts at this slot of the call, without the receiver.
    Argument(u8),
    /// What the method of the site gets in this slot, the receiver counted, from its entry on.
    Parameter(u8),
    /// What a method that is called leaves at a place.
    Placed(Placed),
}

/// Something that happens to the object, or on the way.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Event {
    /// The object is there from here on.
    Opened,
    /// The method of the site has made the object itself.
    Fresh,
    /// An exception is thrown.
    Thrown,
    /// The method of the site is left without passing the object on.
    Left,
    /// The last reference to the object is dropped.
    Lost,
    /// The method of the site returns the object.
    Returned,
    /// What it returns is the object itself, or a wrapper, and not what holds it.
    Handed,
    /// An object that lives longer and is closed itself holds it now.
    Owned,
    /// What held the object holds something else, and nothing else is known to hold it.
    Overwritten,
    /// The object went where it cannot be followed: a static field, a collection, unknown code.
    Escaped,
    /// A method is called on the object. The number of the instruction is that of the node.
    Called,
    /// One of the object's own methods calls a method on it.
    CalledInside,
    /// A method is called on the parent.
    ParentCalled,
    /// A method is called on an object that keeps this one alive, and is closed in its place.
    ChildCalled,
    /// The object is an argument of a call, at this slot without the receiver.
    Passed(u8),
    /// An object that was made from this one is an argument of a call, at this slot.
    ChildPassed(u8),
    /// Any call, on whatever.
    Call,
}

/// What happens at a node.
#[derive(Clone, Debug, Default)]
pub struct Moment {
    /// What happens.
    pub events: Vec<Event>,
    /// The method that the instruction calls, as it names it.
    pub member: Option<Member>,
    /// The truth value that the call's last argument is, if it is a constant.
    pub constant: Option<i32>,
}

/// A state of the program, or an event between two states.
#[derive(Clone, Debug)]
pub struct Node {
    /// The number of the instruction in the method of the component.
    pub number: usize,
    /// Its line.
    pub line: Option<u16>,
    /// What happens here.
    pub moment: Moment,
    /// Nodes that follow, in this component.
    pub next: Vec<u32>,
    /// Calls that start here.
    pub calls: Vec<Call>,
    /// Whether runs leave the component here.
    pub exit: bool,
}

/// A call of a component.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Call {
    /// The component, by its number in the machine, or in the tracker that explored it.
    pub callee: usize,
    /// For each exit of the callee that the call can return from, where it goes on here.
    pub returns: Vec<(u32, Vec<u32>)>,
}

/// A method as seen by the object.
#[derive(Clone, Debug)]
pub struct Component {
    /// The method.
    pub method: MethodId,
    /// Its nodes; the first is the entry.
    pub nodes: Vec<Node>,
}

/// The machine of the objects of a site. Runs start at the first node of the first component, which
/// is that of the site's method.
#[derive(Clone, Debug)]
pub struct ObjectMachine {
    /// Which value of the site's instruction the object is.
    pub site: SiteKind,
    /// The components.
    pub components: Vec<Component>,
    /// Calls whose effect was assumed: methods without code that the object was passed to.
    pub assumed: Vec<Member>,
    /// Whether the object was followed everywhere; calls beyond the bound count as unknown code.
    pub complete: bool,
}

/// An exception type and the handler or exit it goes to; see [`Exceptions`].
pub type Thrown = Symbol;

/// Which exceptions instructions throw.
pub trait Exceptions: Sync {
    /// The types that the instruction may throw.
    fn at(&self, method: MethodId, body: &Body<'_>, number: usize) -> Vec<Thrown>;

    /// A type that the call at an instruction may throw even if the methods it runs are followed,
    /// as their own instructions do.
    fn always(&self, _method: MethodId, _body: &Body<'_>, _number: usize) -> Option<Thrown> {
        None
    }

    /// Whether there is a reason to think that the call at an instruction fails some time: the code
    /// that it runs throws something, or is not there.
    fn is_likely(&self, _method: MethodId, _body: &Body<'_>, _number: usize) -> bool {
        true
    }
}

/// Which methods calls run.
pub trait Dispatch: Sync {
    /// The methods that the call may run; empty if none is known.
    fn targets(&self, method: MethodId, number: usize) -> Vec<MethodId>;
}
