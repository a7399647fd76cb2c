//! Wall time and timers behind one handle (DET-1, DET-2).

use std::cell::RefCell;
use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};
use std::time::Duration;

use http::HeaderValue;
use jiff::{SignedDuration, Timestamp};
use tokio::sync::watch;
use tokio::time::Instant;

/// The source of time of a server and of the layers in front of it. It is cheap to clone; clones share one time line.
#[derive(Clone)]
pub struct Clock {
    source: Arc<ClockSource>,
    /// The offset that is added to wall time, in nanoseconds.
    skew: Arc<AtomicI64>,
}

/// The texts of one second.
struct PrintedSecond {
    second: i64,
    seconds: String,
    date: HeaderValue,
}

thread_local! {
    /// The texts of the second that was printed last. They are the same for every clock, so each thread keeps its own without sharing.
    static PRINTED: RefCell<Option<PrintedSecond>> = const { RefCell::new(None) };
}

impl PrintedSecond {
    fn print(second: i64) -> Self {
        let time = Timestamp::from_second(second).unwrap_or_default();
        let date = HeaderValue::try_from(time.strftime("%a, %d %b %Y %H:%M:%S GMT").to_string());
        // A date consists of letters, digits, commas, colons and spaces, which a header can hold.
        Self { second, seconds: time.to_string(), date: date.unwrap_or_else(|_| HeaderValue::from_static("")) }
    }
}

enum ClockSource {
    System { start: Instant },
    Tokio { epoch: Timestamp, start: Instant },
    Manual { epoch: Timestamp, elapsed: watch::Sender<Duration> },
}

impl Clock {
    /// Returns the machine's clock.
    pub fn system() -> Self {
        Self::from_source(ClockSource::System { start: Instant::now() })
    }

    /// Returns a clock that shows `epoch` plus the elapsed time of tokio; it is virtual under `tokio::time::pause`.
    pub fn tokio(epoch: Timestamp) -> Self {
        Self::from_source(ClockSource::Tokio { epoch, start: Instant::now() })
    }

    /// Continues the time line of another clock, which had reached `moment` at the wall time `now`, on tokio's clock of this runtime.
    pub fn tokio_from(now: Timestamp, moment: Duration) -> Self {
        let here = Instant::now();
        let start = here.checked_sub(moment).unwrap_or(here);
        let passed = SignedDuration::try_from(here.duration_since(start)).unwrap_or_default();
        Self::from_source(ClockSource::Tokio { epoch: now.saturating_sub(passed).unwrap_or(now), start })
    }

    /// Returns a clock that moves only by [`Clock::advance`].
    pub fn manual(epoch: Timestamp) -> Self {
        Self::from_source(ClockSource::Manual { epoch, elapsed: watch::Sender::new(Duration::ZERO) })
    }

    fn from_source(source: ClockSource) -> Self {
        Self { source: Arc::new(source), skew: Arc::default() }
    }

    /// Returns the same time line with a separate wall clock skew, which can be set without affecting other clocks.
    pub fn with_own_skew(&self) -> Self {
        Self { source: self.source.clone(), skew: Arc::default() }
    }

    /// Sets the skew of the wall clock: the offset of [`Clock::now`]. Timers are not affected (FLT-4).
    pub fn set_skew(&self, skew: SignedDuration) {
        let nanoseconds = i64::try_from(skew.as_nanos()).unwrap_or_else(|_| if skew.is_negative() { i64::MIN } else { i64::MAX });
        self.skew.store(nanoseconds, Ordering::Relaxed);
    }

    /// Returns the wall time.
    #[allow(clippy::disallowed_methods, reason = "this module is where the machine's clock is read")]
    pub fn now(&self) -> Timestamp {
        let now = match &*self.source {
            ClockSource::System { .. } => Timestamp::now(),
            ClockSource::Tokio { epoch, start } => later(*epoch, start.elapsed()),
            ClockSource::Manual { epoch, elapsed } => later(*epoch, *elapsed.borrow()),
        };
        match self.skew.load(Ordering::Relaxed) {
            0 => now,
            skew => now.saturating_add(SignedDuration::from_nanos(skew)).unwrap_or(now),
        }
    }

    /// Returns the wall time as objects carry it: RFC 3339 in whole seconds.
    pub fn now_in_seconds(&self) -> String {
        self.in_words(|texts| texts.seconds.clone())
    }

    /// Returns the wall time as the `Date` header carries it.
    pub fn http_date(&self) -> HeaderValue {
        self.in_words(|texts| texts.date.clone())
    }

    /// Reads the texts of the current second.
    fn in_words<T>(&self, read: impl FnOnce(&PrintedSecond) -> T) -> T {
        // The time is rounded down to whole seconds, also before 1970.
        let now = self.now();
        let second = now.as_second() - i64::from(now.subsec_nanosecond() < 0);
        PRINTED.with_borrow_mut(|printed| {
            let texts = printed.take().filter(|texts| texts.second == second).unwrap_or_else(|| PrintedSecond::print(second));
            read(printed.insert(texts))
        })
    }

    /// Returns the time since the clock was created; it never goes back.
    #[allow(clippy::disallowed_methods, reason = "this module is where the machine's clock is read")]
    pub fn moment(&self) -> Duration {
        match &*self.source {
            ClockSource::System { start } | ClockSource::Tokio { start, .. } => start.elapsed(),
            ClockSource::Manual { elapsed, .. } => *elapsed.borrow(),
        }
    }

    /// Waits until [`Clock::moment`] has reached `deadline`.
    pub async fn sleep_until(&self, deadline: Duration) {
        match &*self.source {
            ClockSource::System { start } | ClockSource::Tokio { start, .. } => match start.checked_add(deadline) {
                Some(deadline) => tokio::time::sleep_until(deadline).await,
                // A deadline beyond the representable time is never reached.
                None => std::future::pending().await,
            },
            ClockSource::Manual { elapsed, .. } => {
                let mut elapsed = elapsed.subscribe();
                // The sender is owned by this clock, which is borrowed here, so waiting cannot fail.
                let _ = elapsed.wait_for(|elapsed| *elapsed >= deadline).await;
            }
        }
    }

    /// Waits for a duration, counted from this call.
    pub fn sleep(&self, duration: Duration) -> impl Future<Output = ()> + Send + '_ {
        self.sleep_until(self.moment().saturating_add(duration))
    }

    /// Moves a manual clock forward; other clocks are not affected.
    pub fn advance(&self, duration: Duration) {
        if let ClockSource::Manual { elapsed, .. } = &*self.source {
            elapsed.send_modify(|elapsed| *elapsed = elapsed.saturating_add(duration));
        }
    }
}

impl fmt::Debug for Clock {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let kind = match &*self.source {
            ClockSource::System { .. } => "system",
            ClockSource::Tokio { .. } => "tokio",
            ClockSource::Manual { .. } => "manual",
        };
        formatter.debug_tuple("Clock").field(&kind).finish()
    }
}

fn later(epoch: Timestamp, elapsed: Duration) -> Timestamp {
    SignedDuration::try_from(elapsed).ok().and_then(|elapsed| epoch.checked_add(elapsed).ok()).unwrap_or(Timestamp::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn epoch() -> Timestamp {
        "2026-01-01T00:00:00Z".parse().unwrap()
    }

    // DET-2
    #[tokio::test(start_paused = true)]
    async fn a_tokio_clock_follows_paused_time() {
        let clock = Clock::tokio(epoch());
        clock.sleep(Duration::from_millis(90_900)).await;
        assert_eq!(clock.now_in_seconds(), "2026-01-01T00:01:30Z");
    }

    // DET-2, FRK-1
    #[tokio::test(start_paused = true)]
    async fn a_clock_continues_from_a_given_time_and_moment() {
        let clock = Clock::tokio_from(epoch(), Duration::from_secs(40));
        assert_eq!((clock.now(), clock.moment()), (epoch(), Duration::from_secs(40)));
        clock.sleep_until(Duration::from_secs(50)).await;
        assert_eq!(clock.now_in_seconds(), "2026-01-01T00:00:10Z");
    }

    // FLT-4
    #[test]
    fn a_skewed_clock_does_not_change_the_original_clock() {
        let clock = Clock::manual(epoch());
        let wrong = clock.with_own_skew();
        wrong.set_skew(SignedDuration::from_mins(-5));
        clock.advance(Duration::from_secs(1));
        assert_eq!((wrong.now_in_seconds(), wrong.moment()), ("2025-12-31T23:55:01Z".to_owned(), Duration::from_secs(1)));
        assert_eq!(clock.now_in_seconds(), "2026-01-01T00:00:01Z");
    }

    // DET-2
    #[tokio::test(start_paused = true)]
    async fn a_sleep_of_the_maximum_duration_does_not_end() {
        let clock = Clock::tokio(epoch());
        assert!(tokio::time::timeout(Duration::from_secs(1_000_000), clock.sleep(Duration::MAX)).await.is_err());
    }

    // DET-2
    #[tokio::test]
    async fn a_manual_clock_moves_only_by_advance() {
        let clock = Clock::manual(epoch());
        let waiting = clock.sleep(Duration::from_secs(5));
        clock.advance(Duration::from_secs(5));
        waiting.await;
        assert_eq!(clock.now_in_seconds(), "2026-01-01T00:00:05Z");
    }
}
