//! The delays and limits of an operator, as they are now.

use std::fmt;
use std::sync::Arc;

use kubewright_core::backoff::Timing;

use super::Configs;

/// The delays and limits of an operator: a value that stays, or the one that the ConfigMap `config-timing` has now. Cheap to clone.
#[derive(Clone)]
pub struct CurrentTiming {
    given: Arc<Timing>,
    /// None of a value that stays.
    configs: Option<Configs>,
}

impl CurrentTiming {
    /// Follows the ConfigMap; without it this value counts.
    pub(crate) fn followed(given: Arc<Timing>, configs: Configs) -> Self {
        Self { given, configs: Some(configs) }
    }

    /// The value. The same pointer as before if nothing has changed.
    pub fn get(&self) -> Arc<Timing> {
        let followed = self.configs.as_ref().and_then(|configs| configs.current().get::<Timing>());
        followed.unwrap_or_else(|| Arc::clone(&self.given))
    }

    /// How often a write in place is tried that meets a newer version; at least once.
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
