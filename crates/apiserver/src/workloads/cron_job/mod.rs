//! CronJobs: Jobs at the times of a schedule (STG-12).

mod rule;
mod schedule;
#[cfg(test)]
mod tests;

pub(super) use rule::plan;

/// Whether a text is a schedule of five fields or a name for one.
pub(crate) fn is_schedule(text: &str) -> bool {
    schedule::Schedule::parse(text).is_some()
}
