//! A type of configuration that constructors request, with its Rust type erased.

use std::any::{Any, TypeId, type_name};
use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::sync::Arc;

use kubewright_core::config::{ConfigErrors, FromConfigMap, Parsed};
use tokio::sync::watch;

/// A configuration value with its type erased.
pub(super) type AnyConfig = Arc<dyn Any + Send + Sync>;

/// The function that parses the data of a ConfigMap.
type Parse = Arc<dyn Fn(&BTreeMap<String, String>) -> Result<Parsed<Erased>, ConfigErrors> + Send + Sync>;

/// A type of configuration that constructors request.
#[derive(Clone)]
pub(crate) struct ConfigEntry {
    pub(super) type_id: TypeId,
    pub(super) type_name: &'static str,
    /// The name of the ConfigMap.
    pub(super) map: Cow<'static, str>,
    /// The value if there is no ConfigMap. If this is None, the operator waits for the ConfigMap.
    pub(super) default: Option<AnyConfig>,
    /// True if the operator waits for the correction of a ConfigMap that cannot be read, although there is a default value.
    pub(super) must_be_readable: bool,
    /// The value that replaces the ConfigMap.
    pub(super) fixed: Option<AnyConfig>,
    /// True if the operator itself reads the type, regardless of the controllers that request it.
    pub(super) is_of_operator: bool,
    /// The controllers whose constructors request the type.
    pub(super) controllers: BTreeSet<String>,
    parse: Parse,
    equal: fn(&AnyConfig, &AnyConfig) -> bool,
    channel: fn(&AnyConfig) -> Option<Box<dyn ConfigChannel>>,
}

/// A parsed configuration with its type erased.
#[derive(Clone)]
pub(super) struct Erased(pub(super) AnyConfig);

impl ConfigEntry {
    /// Creates the entry of type `T`, which no controller has requested yet.
    pub(super) fn of<T: FromConfigMap>(default: Option<AnyConfig>, fixed: Option<AnyConfig>) -> Self {
        Self::parsed_by::<T>(default, fixed, T::from_data)
    }

    /// Creates the entry with a parser other than that of the type.
    pub(super) fn parsed_by<T: FromConfigMap>(
        default: Option<AnyConfig>,
        fixed: Option<AnyConfig>,
        parse: impl Fn(&BTreeMap<String, String>) -> Result<Parsed<T>, ConfigErrors> + Send + Sync + 'static,
    ) -> Self {
        Self {
            type_id: TypeId::of::<T>(),
            type_name: type_name::<T>(),
            map: T::NAME.into(),
            default: default.or_else(|| if T::REQUIRED { None } else { T::defaults().map(|value| Arc::new(value) as AnyConfig) }),
            must_be_readable: false,
            fixed,
            is_of_operator: false,
            controllers: BTreeSet::new(),
            parse: Arc::new(move |data| {
                let Parsed { value, unknown_keys } = parse(data)?;
                Ok(Parsed { value: Erased(Arc::new(value)), unknown_keys })
            }),
            equal: |a, b| a.downcast_ref::<T>() == b.downcast_ref::<T>(),
            channel: |value| {
                let value = Arc::downcast::<T>(Arc::clone(value)).ok()?;
                Some(Box::new(watch::Sender::new(value)))
            },
        }
    }

    pub(super) fn parse(&self, data: &BTreeMap<String, String>) -> Result<Parsed<Erased>, ConfigErrors> {
        (self.parse)(data)
    }

    pub(super) fn is_equal(&self, a: &AnyConfig, b: &AnyConfig) -> bool {
        (self.equal)(a, b)
    }

    /// Returns a channel with this value, which has the type of the entry, or None if the value has another type.
    pub(super) fn channel(&self, value: &AnyConfig) -> Option<Box<dyn ConfigChannel>> {
        (self.channel)(value)
    }
}

impl fmt::Debug for ConfigEntry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ConfigEntry").field("type", &self.type_name).field("map", &self.map).finish_non_exhaustive()
    }
}

/// The channel that sends the changes of one type.
pub(super) trait ConfigChannel: Send + Sync {
    fn send(&self, value: &AnyConfig);

    fn as_any(&self) -> &dyn Any;
}

impl<T: Send + Sync + 'static> ConfigChannel for watch::Sender<Arc<T>> {
    fn send(&self, value: &AnyConfig) {
        if let Ok(value) = Arc::downcast::<T>(Arc::clone(value)) {
            self.send_replace(value);
        }
    }

    fn as_any(&self) -> &dyn Any {
        self
    }
}
