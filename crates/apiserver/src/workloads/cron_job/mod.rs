//! CronJobs, which create Jobs at the times of a schedule (STG-12).

mod rule;
#[cfg(test)]
mod tests;

pub(super) use rule::plan;
