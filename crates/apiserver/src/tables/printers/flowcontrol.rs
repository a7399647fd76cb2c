//! Columns of the group flowcontrol.apiserver.k8s.io.

use super::row::NONE;
use super::{AGE, NAME, Printer, text};

pub(super) static PRIORITY_LEVEL: Printer = Printer {
    columns: &[
        NAME,
        text("Type"),
        text("NominalConcurrencyShares"),
        text("Queues"),
        text("HandSize"),
        text("QueueLengthLimit"),
        AGE,
    ],
    cells: |row| {
        let number = |pointer: &str| row.at(pointer).cloned().unwrap_or_else(|| NONE.into());
        vec![
            row.name(),
            row.str("/spec/type").into(),
            number("/spec/limited/nominalConcurrencyShares"),
            number("/spec/limited/limitResponse/queuing/queues"),
            number("/spec/limited/limitResponse/queuing/handSize"),
            number("/spec/limited/limitResponse/queuing/queueLengthLimit"),
            row.age(),
        ]
    },
};

pub(super) static FLOW_SCHEMA: Printer = Printer {
    columns: &[NAME, text("PriorityLevel"), text("MatchingPrecedence"), text("DistinguisherMethod"), AGE, text("MissingPL")],
    cells: |row| {
        let dangling = row.list("/status/conditions").iter().find(|condition| condition["type"] == "Dangling");
        vec![
            row.name(),
            row.str_or("/spec/priorityLevelConfiguration/name", NONE),
            row.int("/spec/matchingPrecedence").into(),
            row.str_or("/spec/distinguisherMethod/type", NONE),
            row.age(),
            dangling.and_then(|condition| condition["status"].as_str()).unwrap_or("?").into(),
        ]
    },
};
