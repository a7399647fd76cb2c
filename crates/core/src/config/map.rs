//! The trait that configuration types implement.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use serde_json::Value;

use super::ConfigErrors;

/// A type whose values are read from the data of a ConfigMap.
///
/// Usually derived:
///
/// ```ignore
/// #[derive(FromConfigMap, Clone, Debug, PartialEq)]
/// #[config(name = "config-addressing")]
/// struct Addressing {
///     /// The key `stable-window`; absent, the window has 60 seconds.
///     #[config(default = "60s", range = "6s..=1h")]
///     stable_window: Duration,
/// }
/// ```
///
/// Values are compared, because only a change of the parsed value counts as a change of configuration.
pub trait FromConfigMap: Clone + PartialEq + fmt::Debug + Send + Sync + Sized + 'static {
    /// The name of the ConfigMap.
    const NAME: &'static str;
    /// True if the operator waits for the ConfigMap at start. A ConfigMap that is not required may be absent; the defaults count then.
    const REQUIRED: bool;
    /// True if the key `_example` must match the checksum in the annotation of the ConfigMap.
    const EXAMPLE_CHECKSUM: bool;

    /// Reads the data of the ConfigMap. All invalid keys are reported together.
    ///
    /// A default or range that does not parse is an error of its key whatever the data is, so that any test of the type finds it.
    fn from_data(data: &BTreeMap<String, String>) -> Result<Parsed<Self>, ConfigErrors>;

    /// Returns the value of an empty ConfigMap; none if a key without default is required.
    fn defaults() -> Option<Self> {
        Self::from_data(&BTreeMap::new()).ok().map(|parsed| parsed.value)
    }
}

/// A configuration that was read from the data of a ConfigMap.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Parsed<T> {
    /// The configuration.
    pub value: T,
    /// The keys that were not read. A key `_example` is not among them.
    pub unknown_keys: BTreeSet<String>,
}

/// Returns the field `data` of a ConfigMap. Entries that are not strings, which an API server does not store, are left out.
pub fn data_of(config_map: &Value) -> BTreeMap<String, String> {
    let entries = config_map.get("data").and_then(Value::as_object).into_iter().flatten();
    entries.filter_map(|(key, value)| Some((key.clone(), value.as_str()?.to_owned()))).collect()
}
