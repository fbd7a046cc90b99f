//! What a session reacts to.

use crate::analysis::Analysed;
use crate::frame::Frame;
use crate::verdict::Checked;
use std::io;

/// Something that the session reacts to.
pub(crate) enum Event {
    /// A message, or something that is not a message.
    Frame(Frame),
    /// The input cannot be read any more.
    Unreadable(io::Error),
    Analysed(Box<Analysed>),
    Checked(Box<Checked>),
}
