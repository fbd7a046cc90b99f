//! The actions of the engine in a round.

use super::news::News;
use super::reason::Closed;

/// The action of a round.
pub(super) enum Step {
    /// An instance learned in place: refine.
    Learned,
    /// Contextualize the boxes that these are of.
    Expand(Vec<News>),
    /// Resolve these by Lemma 6.
    Resolve(Closed),
    /// No box knows more than its callee.
    Nothing,
}
