//! Reusable parts of specs, with the JSON names of the Go framework. They are no settings of the framework: a generator applies them to the
//! dependents.

mod exposure;
mod image;
mod workload;

pub use exposure::{ExternalTrafficPolicy, IngressProperties, ServiceProperties, ServiceType};
pub use image::{ImagePullPolicy, ImageSpec};
pub use workload::{KubernetesContainerProperties, KubernetesPodProperties, KubernetesProperties};

#[cfg(test)]
mod tests;
