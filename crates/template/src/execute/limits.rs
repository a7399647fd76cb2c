//! The limits of executions, and their use. All executions inside each other share one use, and a caller may let several share one.

use std::time::{Duration, Instant};

use super::included::{IncludeCost, IncludedOutputs};
use crate::format::LARGEST_TEXT;
use crate::value::{CycleGuard, GoValue, own_size};

/// The number of steps between two looks at the clock.
const STEPS_PER_CLOCK: u64 = 2048;

/// The limits of one execution, or of several that share an [`ExecutionUsage`]. Exceeding one is an error.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TemplateLimits {
    /// The maximum size of the output, in bytes, those of `include` and `tpl` counted too. The default is 64 MiB.
    pub output: usize,
    /// The maximum size of the texts, lists and maps that functions and methods make, in bytes, of all calls together, and of the texts that `tpl`
    /// compiles while it executes them. The default is 1 GiB.
    pub values: usize,
    /// The maximum number of templates that are executed inside each other. The default is 1000.
    pub depth: usize,
    /// The maximum number of executed nodes. The default is 50 million.
    pub steps: u64,
    /// The maximum duration. The default is 30 s.
    pub time: Duration,
}

impl Default for TemplateLimits {
    fn default() -> Self {
        Self { output: LARGEST_TEXT, values: 1 << 30, depth: 1000, steps: 50_000_000, time: Duration::from_secs(30) }
    }
}

/// The use of the limits, by one execution or by several one after another, and the outputs of `include` that they share. Maps that templates put into
/// themselves are released at its end.
#[derive(Debug)]
pub struct ExecutionUsage {
    pub(super) limits: TemplateLimits,
    /// The number of templates that are being executed inside the first.
    depth: usize,
    output: usize,
    values: usize,
    /// The memory that the execution takes besides values, in bytes.
    held: usize,
    steps: u64,
    /// The largest number of templates that were executed inside the first.
    deepest: usize,
    started: Instant,
    /// The kept outputs, which are released before the maps that contain themselves.
    pub(super) included: IncludedOutputs,
    _cycles: CycleGuard,
}

impl ExecutionUsage {
    /// Starts to count, and to measure the time.
    pub fn new(limits: TemplateLimits) -> Self {
        Self {
            limits,
            depth: 0,
            output: 0,
            values: 0,
            held: 0,
            steps: 0,
            deepest: 0,
            started: now(),
            included: IncludedOutputs::default(),
            _cycles: CycleGuard::new(),
        }
    }

    /// Counts a step. The error is the text of the exceeded limit.
    pub(super) fn step(&mut self) -> Result<(), String> {
        self.steps += 1;
        if self.steps > self.limits.steps {
            return Err(format!("the execution exceeds the limit of {} steps", self.limits.steps));
        }
        if self.steps.is_multiple_of(STEPS_PER_CLOCK) { self.check_time() } else { Ok(()) }
    }

    /// Counts the result of a call, and checks the duration: a key or the hash of a password takes longer than thousands of steps. A string that could
    /// never be printed is refused before it doubles again.
    pub(super) fn called(&mut self, result: &GoValue) -> Result<(), String> {
        if let GoValue::String(text) = result
            && text.len() > self.limits.output
        {
            return Err(format!("a string of {} bytes exceeds the limit of {} bytes", text.len(), self.limits.output));
        }
        self.values = self.values.saturating_add(own_size(result));
        self.check_values()?;
        self.check_time()
    }

    /// Counts memory that the execution takes besides values, until it is released.
    pub(super) fn hold(&mut self, bytes: usize) -> Result<(), String> {
        self.held = self.held.saturating_add(bytes);
        let checked = self.check_values();
        if checked.is_err() {
            self.release(bytes);
        }
        checked
    }

    /// Ends the count of memory.
    pub(super) const fn release(&mut self, bytes: usize) {
        self.held = self.held.saturating_sub(bytes);
    }

    fn check_values(&self) -> Result<(), String> {
        if self.values.saturating_add(self.held) > self.limits.values {
            return Err(format!("the values exceed the limit of {} bytes", self.limits.values));
        }
        Ok(())
    }

    fn check_time(&self) -> Result<(), String> {
        if now().duration_since(self.started) >= self.limits.time {
            return Err(format!("the execution exceeds the limit of {:?}", self.limits.time));
        }
        Ok(())
    }

    /// Counts bytes of output.
    pub(super) fn written(&mut self, bytes: usize) -> Result<(), String> {
        self.output = self.output.saturating_add(bytes);
        if self.output > self.limits.output {
            return Err(format!("the output exceeds the limit of {} bytes", self.limits.output));
        }
        Ok(())
    }

    /// Enters a template inside another one. Helm, whose limit the default is, lets a template include itself one time more than the limit says.
    pub(super) fn enter(&mut self) -> Result<(), String> {
        if self.depth > self.limits.depth {
            return Err(format!("templates are executed inside each other beyond the limit of {}", self.limits.depth));
        }
        self.depth += 1;
        self.deepest = self.deepest.max(self.depth);
        Ok(())
    }

    /// Begins to count the cost of an execution, and returns what was used before.
    pub(super) fn begin_cost(&mut self) -> IncludeCost {
        let depth = std::mem::replace(&mut self.deepest, self.depth);
        IncludeCost { steps: self.steps, output: self.output, values: self.values, depth }
    }

    /// Returns the cost of an execution.
    pub(super) fn end_cost(&mut self, before: &IncludeCost) -> IncludeCost {
        let depth = self.deepest - self.depth;
        self.deepest = self.deepest.max(before.depth);
        let (output, values) = (self.output - before.output, self.values - before.values);
        IncludeCost { steps: self.steps - before.steps, output, values, depth }
    }

    /// Counts the cost of an execution that is not repeated. Returns false, and counts nothing, if it would exceed a limit.
    pub(super) fn count_included(&mut self, cost: &IncludeCost) -> bool {
        let steps = self.steps.saturating_add(cost.steps);
        let output = self.output.saturating_add(cost.output);
        let values = self.values.saturating_add(cost.values);
        let deepest = self.depth + cost.depth;
        let limits = &self.limits;
        let is_within = steps <= limits.steps
            && output <= limits.output
            && values.saturating_add(self.held) <= limits.values
            && (cost.depth == 0 || deepest - 1 <= limits.depth);
        if is_within {
            (self.steps, self.output, self.values) = (steps, output, values);
            self.deepest = self.deepest.max(deepest);
        }
        is_within
    }

    /// Leaves a template.
    pub(super) const fn leave(&mut self) {
        self.depth -= 1;
    }
}

#[allow(clippy::disallowed_methods, reason = "the limit of real time guards the machine; it cannot change an output")]
fn now() -> Instant {
    Instant::now()
}
