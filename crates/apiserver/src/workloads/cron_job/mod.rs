//! CronJobs: Jobs at the times of a schedule (STG-12).

mod rule;
mod schedule;
#[cfg(test)]
mod tests;

pub(super) use rule::plan;
