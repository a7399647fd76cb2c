//! The kind of the measured objects.

use std::collections::BTreeMap;

use kubewright::prelude::*;

/// An object of usual size, for which nobody does anything.
#[derive(CustomResource, Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[kube(group = "bench.kubewright.dev", version = "v1alpha1", kind = "Widget", namespaced)]
#[serde(rename_all = "camelCase")]
pub struct WidgetSpec {
    /// The number of the object, from 0 on.
    pub number: u32,
    /// The latest write to measure.
    #[serde(default)]
    pub written: Written,
    /// What the reconciler shall do, if it does anything.
    #[serde(default)]
    pub wish: Wish,
    /// What the object consists of.
    #[serde(default)]
    pub settings: BTreeMap<String, String>,
}

/// A write of the driver.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Written {
    /// The batch of writes, from 1 on; each changes an object at most once. 0: the object was created.
    pub batch: u32,
    /// The number of writes of the batch.
    pub of: u32,
    /// When it was sent, in nanoseconds since 1970.
    pub at: i64,
}

/// What the disturbed reconciler does.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub enum Wish {
    /// Nothing.
    #[default]
    Nothing,
    /// It fails.
    Failure,
    /// It queues the keys of all objects with a number below this one's.
    Resync,
}

/// A kind without objects.
#[derive(CustomResource, Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[kube(group = "bench.kubewright.dev", version = "v1alpha1", kind = "Gadget", namespaced)]
pub struct GadgetSpec {}

impl Widget {
    /// Returns the name of the object with this number.
    pub fn name_of(number: u32) -> String {
        format!("widget-{number}")
    }

    /// Returns the number of the object with this name.
    pub fn number_in(name: &str) -> Option<u32> {
        name.strip_prefix("widget-")?.parse().ok()
    }
}
