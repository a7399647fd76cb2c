//! Plain lines for logs and pipes: one per change.

use super::{ComponentSnapshot, ObjectSnapshot};

/// Returns the differences between two views of one object, a line each.
pub(super) fn changes(old: Option<&ObjectSnapshot>, new: &ObjectSnapshot) -> Vec<String> {
    if let Some(component) = &new.component {
        return of_component(old.and_then(|old| old.component.as_ref()), component);
    }
    if old.is_some_and(|old| (&old.ready, &old.reason, &old.message) == (&new.ready, &new.reason, &new.message)) {
        return Vec::new();
    }
    let reason = if new.reason.is_empty() { String::new() } else { format!(", {}", new.reason) };
    let message = if new.message.is_empty() { String::new() } else { format!(": {}", new.message) };
    vec![format!("{}: ready {}{reason}{message}", new.title, new.ready)]
}

fn of_component(old: Option<&ComponentSnapshot>, new: &ComponentSnapshot) -> Vec<String> {
    let mut lines = Vec::new();
    for row in &new.rows {
        let before = old.and_then(|old| old.rows.iter().find(|other| other.key == row.key));
        if before.is_none_or(|before| (before.action, &before.health) != (row.action, &row.health)) {
            lines.push(format!("{} (wave {}): {}, {}", row.object, row.wave, row.action, row.health));
        }
    }
    for row in old.map(|old| old.rows.as_slice()).unwrap_or_default() {
        if !new.rows.iter().any(|other| other.key == row.key) {
            lines.push(format!("{} (wave {}): gone", row.object, row.wave));
        }
    }
    if old.is_none_or(|old| (&old.state, &old.message) != (&new.state, &new.message)) {
        let message = if new.message.is_empty() { String::new() } else { format!(": {}", new.message) };
        lines.push(format!("{}: {}{message}", new.title, new.state));
    }
    lines
}
