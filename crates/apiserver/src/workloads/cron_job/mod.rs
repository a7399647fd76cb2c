//! CronJobs, which create Jobs at the times of a schedule (STG-12).

mod rule;
mod schedule;
#[cfg(test)]
mod tests;

pub(super) use rule::plan;

/// Returns true if a text is a schedule of five fields or the name of one.
pub(crate) fn is_schedule(text: &str) -> bool {
    schedule::CronSchedule::parse(text).is_some()
}
