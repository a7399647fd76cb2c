//! The check of typed values against a chart, for tests and build scripts.

use std::fmt;

use kubewright_chart::{ValuesDifference, compare_values};
use schemars::{JsonSchema, schema_for};

use super::HelmChart;
use super::error::render_error;
use crate::RenderError;

/// The differences between a type of values and the values of a chart. It also displays in full as the text of a failed `unwrap`.
#[non_exhaustive]
pub enum ValuesMismatch {
    /// The values differ.
    Differences {
        /// The name and the version of the chart.
        chart: String,
        /// The name of the type.
        values: String,
        /// All differences, at least one.
        differences: Vec<ValuesDifference>,
    },
    /// The chart itself is broken.
    Chart(RenderError),
}

impl HelmChart {
    /// Compares a type of values, such as one with `#[derive(Values)]`, with the `values.schema.json` and the `values.yaml` of the chart. Each field of the
    /// type must be known to the chart and fit its type; values that the chart requires must be there. For a test of the operator, or its build script.
    ///
    /// A field is known if the schema describes it, or if there is a default for it. Bounds, patterns and conditions of the schema are not compared.
    ///
    /// ```
    /// use kubewright_render::HelmChart;
    /// use schemars::JsonSchema;
    ///
    /// #[derive(JsonSchema)]
    /// #[serde(rename_all = "camelCase")]
    /// struct WebValues {
    ///     replica_count: Option<u32>,
    ///     hostname: Option<String>,
    /// }
    ///
    /// let chart = HelmChart::files([
    ///     ("Chart.yaml", "apiVersion: v2\nname: web\nversion: 1.0.0\n"),
    ///     ("values.yaml", "replicaCount: 1\nhost: example.com\n"),
    /// ]);
    /// let mismatch = chart.check_values::<WebValues>().unwrap_err().to_string();
    /// assert!(mismatch.ends_with("\n- hostname: found a field of this name (allowed: host, replicaCount)"), "{mismatch}");
    /// ```
    pub fn check_values<V: JsonSchema>(&self) -> Result<(), ValuesMismatch> {
        let chart = self.compiled().map_err(ValuesMismatch::Chart)?.chart();
        let differences = compare_values(chart, schema_for!(V).as_value());
        let differences = differences.map_err(|error| ValuesMismatch::Chart(render_error(&error)))?;
        if differences.is_empty() {
            return Ok(());
        }
        let chart = format!("{} {}", chart.metadata.name, chart.metadata.version);
        Err(ValuesMismatch::Differences { chart, values: V::schema_name().into_owned(), differences })
    }
}

impl fmt::Display for ValuesMismatch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Differences { chart, values, differences } => {
                write!(f, "{values} does not fit the values of chart {chart}; change the fields, or the chart:")?;
                differences.iter().try_for_each(|difference| write!(f, "\n- {difference}"))
            }
            Self::Chart(error) => error.fmt(f),
        }
    }
}

impl fmt::Debug for ValuesMismatch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl std::error::Error for ValuesMismatch {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Chart(error) => Some(error),
            Self::Differences { .. } => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use serde_json::Value;

    use super::*;

    #[derive(JsonSchema)]
    #[expect(dead_code, reason = "only its schema matters")]
    #[serde(rename_all = "camelCase")]
    struct WebValues {
        /// The number of pods.
        replica_count: Option<u32>,
        #[serde(default)]
        image: ImageValues,
        #[serde(default)]
        pod_labels: BTreeMap<String, String>,
        log_level: LogLevel,
        extra: Option<Value>,
    }

    #[derive(Default, JsonSchema)]
    #[expect(dead_code, reason = "only its schema matters")]
    struct ImageValues {
        repository: Option<String>,
        tag: Option<String>,
    }

    /// The least severe messages that are logged.
    #[derive(JsonSchema)]
    #[expect(dead_code, reason = "only its schema matters")]
    #[serde(rename_all = "lowercase")]
    enum LogLevel {
        /// Little.
        Info,
        Debug,
    }

    const SCHEMA: &str = r#"{"properties": {"logLevel": {"enum": ["info", "debug", "error"]}, "podLabels": {"type": "object"}}}"#;

    fn mismatch(values: &str) -> Result<(), String> {
        let chart = HelmChart::files([
            ("Chart.yaml", "apiVersion: v2\nname: web\nversion: 1.0.0\n"),
            ("values.yaml", values),
            ("values.schema.json", SCHEMA),
        ]);
        chart.check_values::<WebValues>().map_err(|mismatch| format!("{mismatch:?}"))
    }

    #[test]
    fn a_type_fits_a_chart_that_knows_its_fields() {
        let values = "replicaCount: 1\nimage: {repository: web, tag: '1', pullPolicy: Always}\npodLabels: {}\nlogLevel: info\nextra: {a: b}\n";
        assert_eq!(mismatch(values), Ok(()));
    }

    #[test]
    fn all_differences_are_listed_with_the_chart() {
        let expected = "WebValues does not fit the values of chart web 1.0.0; change the fields, or the chart:\n\
             - extra: found a field of this name (allowed: image, logLevel, podLabels, replicaCount)\n\
             - image.tag: found a field of this name (allowed: repository)\n\
             - replicaCount: found type integer (allowed: type string, as the default)";
        assert_eq!(mismatch("replicaCount: '1'\nimage: {repository: web}\n"), Err(expected.to_owned()));
    }
}
