//! Differences of texts, for reports.

use kubewright_machinery::yaml;
use serde_json::Value;
use similar::TextDiff;

/// The number of unchanged lines around a difference.
const CONTEXT: usize = 3;

/// Returns the difference of two values as YAML: lines with `-` are in the first only, those with `+` in the second.
pub(super) fn values((one, one_title): (&Value, &str), (other, other_title): (&Value, &str)) -> String {
    texts((&yaml::to_string(one), one_title), (&yaml::to_string(other), other_title))
}

/// Returns the difference of two lists, with one item per line.
pub(super) fn lists((one, one_title): (&[String], &str), (other, other_title): (&[String], &str)) -> String {
    texts((&one.join("\n"), one_title), (&other.join("\n"), other_title))
}

/// Returns the difference of two texts.
pub(super) fn texts((one, one_title): (&str, &str), (other, other_title): (&str, &str)) -> String {
    let ended = |text: &str| if text.is_empty() || text.ends_with('\n') { text.to_owned() } else { format!("{text}\n") };
    let (one, other) = (ended(one), ended(other));
    let diff = TextDiff::from_lines(&one, &other);
    diff.unified_diff().context_radius(CONTEXT).header(one_title, other_title).to_string()
}
