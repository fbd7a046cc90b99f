//! The bytes that the process holds, counted by its allocator.
//!
//! What the system calls resident is never less for long, and often more, since an allocator keeps
//! what is given back to it. So the limit on memory is one on live bytes: it does not depend on
//! what was done before. This counter is the only global state of the program.

use cap::Cap;
use std::alloc::System;

#[global_allocator]
static ALLOCATOR: Cap<System> = Cap::new(System, usize::MAX);

/// The bytes that are allocated now.
pub(super) fn held() -> usize {
    ALLOCATOR.allocated()
}
