//! Expected events.

use std::time::Duration;

use k8s_openapi::api::events::v1::Event;
use regex::Regex;
use serde_json::Value;

use crate::TestCluster;

/// Pause between two lists of the events.
const POLL: Duration = Duration::from_millis(50);

impl TestCluster {
    /// Waits for an event in the namespace of the test with this type (`Normal` or `Warning`) and a note that the regular expression matches
    /// somewhere, and returns it. Fails after 30 s, on a real server after 150 s, and prints the events that were found.
    pub async fn expect_event(&self, kind: &str, note: &str) -> Value {
        let note =
            Regex::new(note).unwrap_or_else(|error| self.fail(&format!("failed to read the expected note {note:?}: {error}")));
        let patience = self.patience();
        let deadline = self.clock().moment() + patience;
        let text = |event: &Value, field: &str| event[field].as_str().unwrap_or_default().to_owned();
        loop {
            let events = self.list::<Event>().await;
            if let Some(event) = events.iter().find(|event| event["type"] == *kind && note.is_match(&text(event, "note"))) {
                return event.clone();
            }
            if self.clock().moment() >= deadline {
                let line =
                    |event: &Value| format!("  {} {}: {}", text(event, "type"), text(event, "reason"), text(event, "note"));
                let lines: Vec<String> = events.iter().map(line).collect();
                let found = if lines.is_empty() { "none".to_owned() } else { format!("\n{}", lines.join("\n")) };
                self.fail(&format!(
                    "expected a {kind} event that matches {:?} within {patience:?}; events: {found}",
                    note.as_str()
                ));
            }
            self.pass(POLL).await;
        }
    }
}
