//! Virtual time on the embedded server.

use tokio::runtime::{Handle, RuntimeFlavor};

/// Stops the clock of the runtime, so that time passes only when no task can run. A clock that is stopped already stays stopped. Returns false on a
/// multi-threaded runtime: time cannot be virtual there and stays real.
pub(crate) fn make_virtual() -> bool {
    if Handle::current().runtime_flavor() != RuntimeFlavor::CurrentThread {
        return false;
    }
    if !is_paused() {
        tokio::time::pause();
    }
    true
}

/// Returns true if the runtime's clock is stopped. Tokio has no query for it; a stopped clock shows the same instant while real time passes.
#[allow(clippy::disallowed_methods)] // the only place that compares the two clocks
fn is_paused() -> bool {
    let (virtual_start, real_start) = (tokio::time::Instant::now(), std::time::Instant::now());
    while real_start.elapsed() < std::time::Duration::from_micros(20) {
        std::hint::spin_loop();
    }
    tokio::time::Instant::now() == virtual_start
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_running_clock_is_stopped() {
        assert!(!is_paused());
        assert!(make_virtual());
        assert!(is_paused());
    }

    #[tokio::test(start_paused = true)]
    async fn a_stopped_clock_stays_stopped() {
        assert!(make_virtual());
        assert!(is_paused());
    }

    #[tokio::test(flavor = "multi_thread")]
    async fn time_is_real_on_several_threads() {
        assert!(!make_virtual());
    }
}
