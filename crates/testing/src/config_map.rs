//! Checks of the ConfigMaps that an operator ships, for its tests.

use std::collections::BTreeMap;
use std::fmt;
use std::path::{Path, PathBuf};

use kubewright_core::config::{EXAMPLE_CHECKSUM, EXAMPLE_KEY, ExampleChecksum, data_of};
use kubewright_machinery::object::ObjectExt as _;
use kubewright_machinery::yaml::{self, YamlError};
use serde_json::{Value, json};

/// A file that is not a ConfigMap as an operator should ship it.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ConfigMapFileError {
    /// The file cannot be read.
    #[error("read {}: {source}", path.display())]
    Read {
        /// The path of the file.
        path: PathBuf,
        /// The cause.
        source: std::io::Error,
    },
    /// The file, or the sample in it, is not YAML of the right form.
    #[error("read {part} of {}: {source}", path.display())]
    Yaml {
        /// The path of the file.
        path: PathBuf,
        /// The part of the file that cannot be read.
        part: &'static str,
        /// The cause.
        source: Box<YamlError>,
    },
    /// The file can be read, but should not be shipped.
    #[error("{}", ConfigMapFaults { path, faults })]
    Faults {
        /// The path of the file.
        path: PathBuf,
        /// The faults, one text for each.
        faults: Vec<String>,
    },
}

/// Reads a file with a ConfigMap, and its documented sample as a second ConfigMap, so that a test can compare the defaults of a
/// configuration with its sample:
///
/// ```no_run
/// # use kubewright_core::config::{ConfigErrors, FromConfigMap, Parsed, data_of};
/// # #[derive(Clone, Debug, PartialEq)]
/// # struct Addressing;
/// # impl FromConfigMap for Addressing {
/// #     const NAME: &'static str = "config-addressing";
/// #     const REQUIRED: bool = true;
/// #     const EXAMPLE_CHECKSUM: bool = true;
/// #     fn from_data(_: &std::collections::BTreeMap<String, String>) -> Result<Parsed<Self>, ConfigErrors> { todo!() }
/// # }
/// let (real, example) = kubewright_testing::config_map_from_yaml("config/addressing.yaml", &["stable-window"])?;
/// assert_eq!(Addressing::from_data(&data_of(&real))?, Addressing::from_data(&data_of(&example))?);
/// # Ok::<_, Box<dyn std::error::Error>>(())
/// ```
///
/// The file must have a key `_example`, no keys but that and the allowed ones, no spaces at ends of lines, and the checksum of the sample in
/// an annotation `<domain>/example-checksum`. All violations are reported together. Values of the second ConfigMap are the scalars
/// of the sample as they are written there.
pub fn config_map_from_yaml(path: impl AsRef<Path>, allowed_keys: &[&str]) -> Result<(Value, Value), ConfigMapFileError> {
    let path = path.as_ref();
    let text = std::fs::read_to_string(path).map_err(|source| ConfigMapFileError::Read { path: path.to_owned(), source })?;
    let wrong = |part| move |error| ConfigMapFileError::Yaml { path: path.to_owned(), part, source: Box::new(error) };

    let real = yaml::document(&text).map_err(wrong("the ConfigMap"))?;
    let data = data_of(&real);
    let sample = data.get(EXAMPLE_KEY);
    let faults: Vec<String> = is_config_map(&real)
        .into_iter()
        .chain(unknown_keys(&real, allowed_keys))
        .chain(trailing_spaces(&text, &data))
        .chain(checksum_faults(&real, sample))
        .collect();
    let Some(sample) = sample.filter(|_| faults.is_empty()) else {
        return Err(ConfigMapFileError::Faults { path: path.to_owned(), faults });
    };

    let sample = yaml::texts(sample).map_err(wrong("the key \"_example\""))?;
    let mut example = real.clone();
    example["data"] = json!(sample);
    Ok((real, example))
}

fn is_config_map(object: &Value) -> Option<String> {
    let found = (object.api_version(), object.kind());
    let is_config_map = found == ("v1", "ConfigMap");
    (!is_config_map).then(|| format!("the object must be a ConfigMap of v1, but is {:?} of {:?}", found.1, found.0))
}

fn unknown_keys(object: &Value, allowed_keys: &[&str]) -> Vec<String> {
    let mut faults = Vec::new();
    for (key, value) in object.get("data").and_then(Value::as_object).into_iter().flatten() {
        if key != EXAMPLE_KEY && !allowed_keys.contains(&key.as_str()) {
            let allowed = [&[EXAMPLE_KEY], allowed_keys].concat().join(", ");
            faults.push(format!("the key {key:?} is not allowed; allowed: {allowed}"));
        }
        if !value.is_string() {
            faults.push(format!("the value of key {key:?} must be a text; put it in quotes"));
        }
    }
    faults
}

/// Returns a fault for each line that ends with spaces. Lines of values are checked only if the file itself has no such line, since a quoted value
/// may contain lines that are not lines of the file.
fn trailing_spaces(text: &str, data: &BTreeMap<String, String>) -> Vec<String> {
    let lines = |text: &str| -> Vec<usize> {
        (1..).zip(text.lines()).filter(|(_, line)| line.trim_end() != *line).map(|(number, _)| number).collect()
    };
    let in_file: Vec<String> = lines(text).into_iter().map(|number| format!("line {number} ends with spaces")).collect();
    if !in_file.is_empty() {
        return in_file;
    }
    let in_key = |(key, text): (&String, &String)| -> Vec<String> {
        lines(text).into_iter().map(|number| format!("line {number} of key {key:?} ends with spaces")).collect()
    };
    data.iter().flat_map(in_key).collect()
}

fn checksum_faults(object: &Value, sample: Option<&String>) -> Vec<String> {
    let Some(sample) = sample else { return vec![format!("the key {EXAMPLE_KEY:?} is missing")] };
    let sum = ExampleChecksum::of(sample).to_string();
    let suffix = format!("/{EXAMPLE_CHECKSUM}");
    let mut annotations = object.annotations().iter().filter(|(name, _)| name.ends_with(&suffix)).peekable();
    if annotations.peek().is_none() {
        return vec![format!("an annotation kubewright.dev/{EXAMPLE_CHECKSUM}: {sum:?} is missing, of this or another domain")];
    }
    let wrong = annotations.filter(|(_, value)| value.as_str() != Some(&sum));
    wrong.map(|(name, value)| format!("annotation {name:?} must be {sum:?}, but is {value}")).collect()
}

/// Writes one line per fault.
struct ConfigMapFaults<'a> {
    path: &'a Path,
    faults: &'a [String],
}

impl fmt::Display for ConfigMapFaults<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, fault) in self.faults.iter().enumerate() {
            let line_break = if index == 0 { "" } else { "\n" };
            write!(f, "{line_break}{}: {fault}", self.path.display())?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SAMPLE: &str = "# How long.\nstable-window: 60s\n\nratio: 0.10\n";

    fn file(annotation: &str, data: &str) -> String {
        let sample = SAMPLE.replace('\n', "\n    ").replace("\n    \n", "\n\n");
        let annotations = if annotation.is_empty() { "{}".to_owned() } else { format!("\n    {annotation}") };
        format!(
            "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: config-a\n  annotations: {annotations}\ndata:\n{data}  _example: |\n    {}\n",
            sample.trim_end()
        )
        .replace("annotations: \n", "annotations:\n")
    }

    fn good() -> String {
        format!("shop.dev/example-checksum: \"{}\"", ExampleChecksum::of(SAMPLE))
    }

    fn read(name: &str, text: &str, allowed: &[&str]) -> Result<(Value, Value), ConfigMapFileError> {
        let path = std::env::temp_dir().join(format!("kubewright-config-map-{}-{name}.yaml", std::process::id()));
        std::fs::write(&path, text).unwrap();
        let result = config_map_from_yaml(&path, allowed);
        std::fs::remove_file(&path).unwrap();
        result
    }

    fn faults(name: &str, text: &str, allowed: &[&str]) -> Vec<String> {
        match read(name, text, allowed) {
            Err(ConfigMapFileError::Faults { faults, .. }) => faults,
            other => panic!("{other:?}"),
        }
    }

    // EXC-4
    #[test]
    fn a_good_file_gives_the_config_map_and_its_sample() {
        let text = file(&good(), "  stable-window: 30s\n");
        let (real, example) = read("good", &text, &["stable-window", "ratio"]).unwrap();
        assert_eq!(real["data"], json!({ "_example": SAMPLE, "stable-window": "30s" }));
        assert_eq!(example["data"], json!({ "stable-window": "60s", "ratio": "0.10" }));
        assert_eq!(real["metadata"], example["metadata"]);
    }

    // EXC-4
    #[test]
    fn disallowed_config_map_keys_are_reported() {
        let text = file(&good(), "  stable-window: 30s\n  other: x\n  number: 5\n");
        assert_eq!(
            faults("keys", &text, &["stable-window", "number"]),
            [
                "the value of key \"number\" must be a text; put it in quotes",
                "the key \"other\" is not allowed; allowed: _example, stable-window, number",
            ]
        );
    }

    // EXC-4
    #[test]
    fn trailing_spaces_of_lines_are_reported() {
        let text = file(&good(), "").replace("kind: ConfigMap\n", "kind: ConfigMap \n");
        assert_eq!(faults("file", &text, &[]), ["line 2 ends with spaces"]);
        let text = file(&good(), "  a: \"x \\ny\"\n");
        assert_eq!(faults("key", &text, &["a"]), ["line 1 of key \"a\" ends with spaces"]);
    }

    // EXC-4
    #[test]
    fn a_wrong_or_missing_checksum_is_reported() {
        let sum = ExampleChecksum::of(SAMPLE);
        let annotations = format!("{}\n    knative.dev/example-checksum: '00000000'", good());
        assert_eq!(
            faults("wrong", &file(&annotations, ""), &[]),
            [format!("annotation \"knative.dev/example-checksum\" must be \"{sum}\", but is \"00000000\"")]
        );
        assert_eq!(
            faults("missing", &file("", ""), &[]),
            [format!("an annotation kubewright.dev/example-checksum: \"{sum}\" is missing, of this or another domain")]
        );
    }

    // EXC-4
    #[test]
    fn all_violations_are_reported_with_the_file() {
        let text = "apiVersion: v1\nkind: Secret\nmetadata:\n  name: a \ndata:\n  b: c\n";
        let message = read("all", text, &[]).unwrap_err().to_string();
        let lines: Vec<_> = message.lines().map(|line| line.split_once("-all.yaml: ").unwrap().1).collect();
        assert_eq!(
            lines,
            [
                "the object must be a ConfigMap of v1, but is \"Secret\" of \"v1\"",
                "the key \"b\" is not allowed; allowed: _example",
                "line 4 ends with spaces",
                "the key \"_example\" is missing",
            ]
        );
    }

    // EXC-4
    #[test]
    fn an_unreadable_file_or_key_is_named_in_the_error() {
        let error = config_map_from_yaml("/there/is/none.yaml", &[]).unwrap_err().to_string();
        assert!(error.starts_with("read /there/is/none.yaml: "), "{error}");
        let sum = ExampleChecksum::of("a: {b: c}");
        let text = format!(
            "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  annotations: {{ a/example-checksum: '{sum}' }}\ndata:\n  _example: 'a: {{b: c}}'\n"
        );
        let error = read("nested", &text, &[]).unwrap_err().to_string();
        assert!(error.starts_with("read the key \"_example\" of "), "{error}");
    }
}
