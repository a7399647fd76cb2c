//! The report of a contestant to the driver.

use std::fmt::{self, Write as _};
use std::fs::File;
use std::io::{self, Write as _};
use std::time::{SystemTime, UNIX_EPOCH};

use parking_lot::Mutex;

use crate::WidgetSpec;

/// The variable with the number of objects.
pub const OBJECTS: &str = "BENCH_OBJECTS";
/// The variable with the path of the report.
pub const REPORT: &str = "BENCH_REPORT";
/// The variable with the number of parallel passes.
pub const WORKERS: &str = "BENCH_WORKERS";
/// The variable that names the contestant.
pub const CONTESTANT: &str = "BENCH_CONTESTANT";

/// The recorder of the first pass of each version of each object. Lines of the report:
///
/// * `listed <nanoseconds since 1970>` when each object has passed once;
/// * `batch <number> <latencies in nanoseconds, separated by commas>` when each write of a batch has passed;
/// * `resynced <milliseconds>` when all keys of a resync have passed.
///
/// The program in `controller-runtime` does the same.
pub struct Recorder {
    state: Mutex<State>,
    report: File,
}

struct State {
    /// The batch of the latest version that passed, by the number of the object.
    passed: Box<[Option<u32>]>,
    /// The number of objects that have not passed yet.
    missing: usize,
    /// The batch that is being written.
    batch: u32,
    latencies: Vec<i64>,
    /// The running resync: its start, and the number of missing passes.
    resync: Option<(i64, u32)>,
}

impl Recorder {
    /// Creates the recorder that the environment configures.
    pub fn from_env() -> io::Result<Self> {
        let objects = number(OBJECTS)?;
        let path = std::env::var_os(REPORT).ok_or_else(|| io::Error::other(format!("{REPORT} is not set")))?;
        let state = State {
            passed: vec![None; objects].into_boxed_slice(),
            missing: objects,
            batch: 0,
            latencies: Vec::new(),
            resync: None,
        };
        Ok(Self { state: Mutex::new(state), report: File::create(path)? })
    }

    /// Notes that an object passes or, for a contestant without passes, is decoded.
    pub fn passed(&self, spec: &WidgetSpec) {
        let (written, mut state) = (spec.written, self.state.lock());
        let Some(seen) = state.passed.get_mut(spec.number as usize) else { return };
        match seen.replace(written.batch) {
            None => {
                state.missing -= 1;
                if state.missing == 0 {
                    self.tell(&format!("listed {}", now()));
                }
            }
            Some(before) if before == written.batch => {
                if let Some((since, missing)) = &mut state.resync {
                    *missing -= 1;
                    if *missing == 0 {
                        self.tell(&format!("resynced {}", (now() - *since) / 1_000_000));
                        state.resync = None;
                    }
                }
            }
            Some(_) => {
                if state.batch != written.batch {
                    state.batch = written.batch;
                    state.latencies.clear();
                }
                state.latencies.push(now() - written.at);
                if state.latencies.len() == written.of as usize {
                    let mut line = format!("batch {} ", written.batch);
                    for latency in &state.latencies {
                        // Writing to a text cannot fail.
                        let _ = write!(line, "{latency},");
                    }
                    self.tell(line.trim_end_matches(','));
                }
            }
        }
    }

    /// Notes that a resync of this number of keys begins.
    pub fn resync(&self, keys: u32) {
        self.state.lock().resync = Some((now(), keys));
    }

    fn tell(&self, line: &str) {
        // A driver that is gone needs no report.
        let _ = (&self.report).write_all(format!("{line}\n").as_bytes());
    }
}

impl fmt::Debug for Recorder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Recorder").finish_non_exhaustive()
    }
}

/// Returns the number in a variable.
pub fn number(variable: &str) -> io::Result<usize> {
    let text = std::env::var(variable).map_err(|error| io::Error::other(format!("{variable}: {error}")))?;
    text.parse().map_err(|error| io::Error::other(format!("{variable}={text:?} is no number: {error}")))
}

/// Returns the nanoseconds since 1970, which the driver and all contestants read from the same clock.
#[allow(clippy::disallowed_methods, reason = "the time between two processes is measured")]
pub fn now() -> i64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_nanos() as i64)
}
