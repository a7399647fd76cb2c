//! The current delays and limits of an operator.

use std::fmt;
use std::sync::Arc;

use kubewright_core::backoff::Timing;

use super::Configs;

/// The delays and limits of an operator: a fixed value, or the current one of the ConfigMap `config-timing`. Cheap to clone.
#[derive(Clone)]
pub struct CurrentTiming {
    given: Arc<Timing>,
    /// None for a fixed value.
    configs: Option<Configs>,
}

impl CurrentTiming {
    /// Returns a timing that follows the ConfigMap. It has the given value until the configuration is loaded, or if none was declared.
    pub(crate) fn followed(given: Arc<Timing>, configs: Configs) -> Self {
        Self { given, configs: Some(configs) }
    }

    /// Returns the current value; the pointer stays the same while the value is unchanged.
    pub fn get(&self) -> Arc<Timing> {
        let followed = self.configs.as_ref().and_then(|configs| configs.current().get::<Timing>());
        followed.unwrap_or_else(|| Arc::clone(&self.given))
    }

    /// Returns the number of attempts of a write in place that meets a newer version; at least one.
    pub(crate) fn attempts(&self) -> u32 {
        self.get().conflict_retries_in_place.max(1)
    }
}

impl From<Arc<Timing>> for CurrentTiming {
    fn from(given: Arc<Timing>) -> Self {
        Self { given, configs: None }
    }
}

impl From<Timing> for CurrentTiming {
    fn from(given: Timing) -> Self {
        Arc::new(given).into()
    }
}

impl From<&Timing> for CurrentTiming {
    fn from(given: &Timing) -> Self {
        given.clone().into()
    }
}

impl From<&Self> for CurrentTiming {
    fn from(timing: &Self) -> Self {
        timing.clone()
    }
}

impl fmt::Debug for CurrentTiming {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.get().fmt(f)
    }
}
