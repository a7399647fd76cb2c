//! Metrics of an operator under test.

use kubewright_runtime::metrics::Metrics;

use crate::TestOperator;
use crate::cluster::fail;

impl TestOperator {
    /// Returns the registry of the operator's metrics.
    pub fn metrics(&self) -> &Metrics {
        self.running().metrics()
    }

    /// Returns the value of a metric with exactly these labels, in any order; `None` while there is no such series. The name is that of the page
    /// `/metrics`, such as `kubewright_reconcile_total`.
    pub fn metric(&self, name: &str, labels: &[(&str, &str)]) -> Option<f64> {
        value_in(&self.page(), name, labels)
    }

    /// Returns the sum of a metric over all labels; 0 while there is no such series.
    pub(crate) fn metric_sum(&self, name: &str) -> f64 {
        let page = self.page();
        let lines = page.lines().filter_map(|line| line.strip_prefix(name).filter(|rest| rest.starts_with(['{', ' '])));
        lines.filter_map(|rest| rest.rsplit(' ').next()?.parse::<f64>().ok()).sum()
    }

    /// Returns the page `/metrics`.
    fn page(&self) -> String {
        match self.metrics().encode() {
            Ok(page) => page,
            Err(error) => fail(&format!("failed to write the metrics: {error}")),
        }
    }
}

/// Returns the value of a series on a page in the OpenMetrics text format.
fn value_in(page: &str, name: &str, labels: &[(&str, &str)]) -> Option<f64> {
    let mut wanted: Vec<String> = labels.iter().map(|(label, value)| format!("{label}={}", quoted(value))).collect();
    wanted.sort();
    page.lines().find_map(|line| {
        let rest = line.strip_prefix(name)?;
        let (found, value) = match rest.strip_prefix('{') {
            Some(rest) => rest.rsplit_once("} ")?,
            None => ("", rest.strip_prefix(' ')?),
        };
        let mut found = parted(found);
        found.sort_unstable();
        if found == wanted { value.split(' ').next()?.parse().ok() } else { None }
    })
}

/// Returns a label value in quotes, escaped as on the page.
fn quoted(value: &str) -> String {
    format!("\"{}\"", value.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n"))
}

/// Splits the labels of a series. A comma inside quotes belongs to a value.
fn parted(labels: &str) -> Vec<&str> {
    let (mut parts, mut start, mut is_quoted, mut is_escaped) = (Vec::new(), 0, false, false);
    for (index, letter) in labels.char_indices() {
        match letter {
            _ if is_escaped => is_escaped = false,
            '\\' => is_escaped = true,
            '"' => is_quoted = !is_quoted,
            ',' if !is_quoted => {
                parts.push(&labels[start..index]);
                start = index + 1;
            }
            _ => {}
        }
    }
    if start < labels.len() {
        parts.push(&labels[start..]);
    }
    parts
}

#[cfg(test)]
mod tests {
    use super::*;

    // 12.3
    #[test]
    fn a_series_is_found_by_its_name_and_all_its_labels() {
        let page = "# TYPE a counter\na_total{x=\"1\",y=\"b,\\\"c\\\"\"} 3\na_total{x=\"1\"} 4\nab_total 5\nsum 0.5\n# EOF\n";
        for (name, labels, expected) in [
            ("a_total", &[("y", "b,\"c\""), ("x", "1")][..], Some(3.0)),
            ("a_total", &[("x", "1")], Some(4.0)),
            ("a_total", &[], None),
            ("a_total", &[("x", "2")], None),
            ("a", &[], None),
            ("ab_total", &[], Some(5.0)),
            ("sum", &[], Some(0.5)),
        ] {
            assert_eq!(value_in(page, name, labels), expected, "{name} {labels:?}");
        }
    }
}
