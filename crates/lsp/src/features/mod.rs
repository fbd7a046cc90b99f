//! Answers to requests about a document: they come from its outline, and from facts about its model
//! as far as these are known.

pub(crate) mod completion;
pub(crate) mod definition;
pub(crate) mod hover;
pub(crate) mod lens;
mod rules;
pub(crate) mod symbols;

use crate::document::Document;

/// A document, and the model it is about: another one, or itself.
pub(crate) struct Subject<'d> {
    pub(crate) document: &'d Document,
    pub(crate) model: Option<&'d Document>,
}
