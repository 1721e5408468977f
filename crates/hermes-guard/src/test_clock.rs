//! Time for tests of how work grows: the time this thread has worked, which other programs on the machine
//! do not add to.

use std::time::Duration;

use rustix::time::{ClockId, clock_gettime};

/// How long a piece of work takes this thread.
pub(crate) fn cpu_time_of<T>(work: impl FnOnce() -> T) -> Duration {
    let now = || {
        let time = clock_gettime(ClockId::ThreadCPUTime);
        Duration::new(time.tv_sec.unsigned_abs(), u32::try_from(time.tv_nsec).unwrap_or_default())
    };
    let begun = now();
    drop(work());
    now() - begun
}
