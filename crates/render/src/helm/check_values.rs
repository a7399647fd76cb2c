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
    /// Compares a type of values, such as one with `#[derive(Values)]`, with the `values.schema.json` and the `values.yaml` of the chart. Each field
    /// of the type must be known to the chart, fit its type and keep its limits; values that the chart requires must be there. For a test of the
    /// operator, or its build script.
    ///
    /// A field is known if the schema describes it, or if there is a default for it. Limits are bounds, lengths, counts, patterns and formats; a
    /// difference names the attribute that sets the limit. Conditions count as far as it is certain which values fit them: see [`compare_values`],
    /// which also lists the rules that are not compared.
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
    use std::collections::{BTreeMap, BTreeSet};

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

    /// Values with the limits of a chart.
    #[derive(JsonSchema)]
    #[expect(dead_code, reason = "only its schema matters")]
    struct LimitedValues {
        #[schemars(range(min = 1, max = 10))]
        replicas: Option<u32>,
        port: Option<u16>,
        #[schemars(length(min = 1), regex(pattern = r"^[a-z]+$"))]
        name: Option<String>,
        #[schemars(length(max = 3))]
        hosts: Option<BTreeSet<String>>,
        #[schemars(extend("multipleOf" = 5))]
        seconds: Option<u32>,
        #[schemars(extend("maxProperties" = 2))]
        labels: Option<BTreeMap<String, String>>,
        #[schemars(range(min = 0), extend("exclusiveMinimum" = 0))]
        factor: Option<f64>,
        #[schemars(extend("format" = "email"))]
        owner: Option<String>,
    }

    /// The same values without limits.
    #[derive(JsonSchema)]
    #[expect(dead_code, reason = "only its schema matters")]
    struct UnlimitedValues {
        replicas: Option<u32>,
        port: Option<u32>,
        name: Option<String>,
        hosts: Option<Vec<String>>,
        seconds: Option<u32>,
        labels: Option<BTreeMap<String, String>>,
        factor: Option<f64>,
        owner: Option<String>,
    }

    const LIMITS: &str = r#"{"$schema": "http://json-schema.org/draft-07/schema#", "properties": {
        "replicas": {"type": "integer", "minimum": 1, "maximum": 10},
        "port": {"type": "integer", "maximum": 65535},
        "name": {"type": "string", "minLength": 1, "pattern": "^[a-z]+$"},
        "hosts": {"type": "array", "maxItems": 3, "uniqueItems": true},
        "seconds": {"type": "integer", "multipleOf": 5},
        "labels": {"type": "object", "maxProperties": 2},
        "factor": {"type": "number", "exclusiveMinimum": 0},
        "owner": {"type": "string", "format": "email"}
    }}"#;

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
    fn attributes_of_fields_set_the_limits_that_differences_name() {
        let chart =
            HelmChart::files([("Chart.yaml", "apiVersion: v2\nname: web\nversion: 1.0.0\n"), ("values.schema.json", LIMITS)]);
        chart.check_values::<LimitedValues>().unwrap();
        let differences = chart.check_values::<UnlimitedValues>().unwrap_err().to_string();
        let expected = [
            "factor: found no minimum (allowed: exclusiveMinimum 0 or more, as by #[schemars(extend(\"exclusiveMinimum\" = 0))])",
            "hosts: found no maxItems (allowed: maxItems 3 or less, as by #[schemars(length(max = 3))])",
            "hosts: found items that may be equal (allowed: uniqueItems true, as by a BTreeSet, or #[schemars(extend(\"uniqueItems\" = true))])",
            "labels: found no maxProperties (allowed: maxProperties 2 or less, as by #[schemars(extend(\"maxProperties\" = 2))])",
            "name: found minLength 0 (allowed: minLength 1 or more, as by #[schemars(length(min = 1))])",
            "name: found no pattern (allowed: pattern ^[a-z]+$, as by #[schemars(regex(pattern = r\"^[a-z]+$\"))])",
            "owner: found no format (allowed: format email, as by #[schemars(extend(\"format\" = \"email\"))])",
            "port: found maximum 4294967295 of format uint32 (allowed: maximum 65535 or less, as by #[schemars(range(max = 65535))])",
            "replicas: found minimum 0 (allowed: minimum 1 or more, as by #[schemars(range(min = 1))])",
            "replicas: found maximum 4294967295 of format uint32 (allowed: maximum 10 or less, as by #[schemars(range(max = 10))])",
            "seconds: found no multipleOf (allowed: multipleOf 5 or a multiple of it, as by #[schemars(extend(\"multipleOf\" = 5))])",
        ];
        assert_eq!(differences.split("\n- ").skip(1).collect::<Vec<_>>(), expected);
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
