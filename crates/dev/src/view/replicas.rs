//! The replicas of the operator, and the buckets that each leads.

use std::collections::BTreeMap;

use super::table::{fit, sized};

/// A replica at one moment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ReplicaRow {
    /// The name of the replica in leases and events.
    pub(crate) name: String,
    /// The state of the replica.
    pub(crate) state: ReplicaState,
    /// The buckets that the replica leads, without the name of the operator.
    pub(crate) buckets: Vec<String>,
    /// The number of passes that the replica has ended since its last start.
    pub(crate) passes: u64,
}

/// The state of a replica.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ReplicaState {
    /// The replica fills its caches.
    Starting,
    /// The replica leads no bucket, and waits for one.
    Standby,
    /// The replica leads buckets.
    Leading,
    /// The replica shuts down.
    Ending,
    /// The replica was killed.
    Killed,
}

impl ReplicaState {
    const fn as_str(self) -> &'static str {
        match self {
            Self::Starting => "starting",
            Self::Standby => "standby",
            Self::Leading => "leading",
            Self::Ending => "ending",
            Self::Killed => "killed",
        }
    }
}

/// Returns the table of replicas, one line each, and the line about the keys.
pub(super) fn table(rows: &[ReplicaRow], help: Option<&str>, width: Option<u16>) -> String {
    if rows.is_empty() {
        return String::new();
    }
    let (mut table, width) = sized(width);
    table.set_header(["REPLICA", "STATE", "BUCKETS", "PASSES"]);
    for row in rows {
        table.add_row([&row.name, row.state.as_str(), &short(&row.buckets), &row.passes.to_string()]);
        if let Some(row) = table.row_mut(table.row_count() - 1) {
            row.max_height(1);
        }
    }
    let text = table.to_string();
    text.lines().chain(help).map(|line| fit(line, width) + "\n").chain(["\n".to_owned()]).collect()
}

/// Returns the differences between two views of the replicas, a line each.
pub(super) fn changes(old: &[ReplicaRow], new: &[ReplicaRow]) -> Vec<String> {
    let is_new = |row: &&ReplicaRow| {
        old.iter().find(|old| old.name == row.name).is_none_or(|old| (old.state, &old.buckets) != (row.state, &row.buckets))
    };
    let line = |row: &ReplicaRow| match row.buckets.as_slice() {
        [] => format!("{}: {}", row.name, row.state.as_str()),
        buckets => format!("{}: {} {}", row.name, row.state.as_str(), short(buckets)),
    };
    new.iter().filter(is_new).map(line).collect()
}

/// Returns the buckets of one election as numbers: `00,02-of-03`.
fn short(buckets: &[String]) -> String {
    let mut elections: BTreeMap<(&str, &str), Vec<&str>> = BTreeMap::new();
    for bucket in buckets {
        let (election, bucket) = bucket.rsplit_once('.').unwrap_or(("", bucket));
        let (number, count) = bucket.split_once("-of-").unwrap_or((bucket, ""));
        elections.entry((election, count)).or_default().push(number);
    }
    let words = elections.into_iter().map(|((election, count), numbers)| {
        let election = if election.is_empty() { String::new() } else { format!("{election}.") };
        let count = if count.is_empty() { String::new() } else { format!("-of-{count}") };
        format!("{election}{}{count}", numbers.join(","))
    });
    words.collect::<Vec<_>>().join(" ")
}
