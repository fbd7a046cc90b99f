//! One arena of the system's allocator instead of one for each thread, where memory is short.
//!
//! The allocator of the GNU C library reserves an arena of 64 MiB of address space for each thread
//! that allocates, even for one that hardly does, if it finds a piece at the right alignment. Under
//! a bound like `ulimit -v 100000` such a piece, found by luck, leaves nothing to other threads,
//! and the process aborts. An arena also keeps what its thread gave back, so that under a small
//! limit on the memory a question would have less of it after others. The allocator reads how many
//! arenas it may have from the environment, once, when a process starts; so the process starts once
//! more.

use loris_session::MemoryBounds;

/// The variable that bounds the number of arenas.
const VARIABLE: &str = "MALLOC_ARENA_MAX";

/// Below this bound on the address space or on the memory, a process has one arena.
const SHORT: u64 = 1 << 30;

/// Whether all threads share one arena.
pub(super) fn is_one() -> bool {
    std::env::var_os(VARIABLE).is_some_and(|count| count == "1")
}

/// Starts the process once more if address space is short.
pub(crate) fn restrict() {
    if MemoryBounds::find().address().is_some_and(|bound| bound < SHORT) {
        start_again();
    }
}

/// Starts the process once more if it was given little memory.
pub(crate) fn restrict_within(memory: usize) {
    if (memory as u64) < SHORT {
        start_again();
    }
}

/// Starts the process once more with one arena, unless somebody said how many there are to be. It
/// goes on as it is if that is not possible.
fn start_again() {
    if std::env::var_os(VARIABLE).is_some() {
        return;
    }
    #[cfg(unix)]
    if let (Ok(program), mut arguments) = (std::env::current_exe(), std::env::args_os()) {
        use std::os::unix::process::CommandExt;
        let mut command = std::process::Command::new(program);
        if let Some(name) = arguments.next() {
            command.arg0(name);
        }
        // returns only if it failed
        let _ = command.args(arguments).env(VARIABLE, "1").exec();
    }
}
