//! Why a machine was not written.

use std::io;

/// Why a machine was not written.
#[derive(Debug, thiserror::Error)]
pub enum WriteError {
    /// The output could not be written.
    #[error(transparent)]
    Io(#[from] io::Error),
    /// A component is left through several exits, and calls itself.
    #[error(
        "component \"{component}\" can be left through {exits} exits, where a module has one `EXIT`; and it calls itself, \
         so that it cannot be written out in its callers"
    )]
    Exits {
        /// The component.
        component: String,
        /// How many of its exits calls come back through.
        exits: usize,
    },
    /// There would be too many states.
    #[error(
        "the file would have more than {0} states: components with several exits are written out wherever they are called"
    )]
    TooLarge(usize),
}
