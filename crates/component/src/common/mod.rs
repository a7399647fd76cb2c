//! Parts of specs that many components have, with the JSON names of the Go framework. They set nothing for the framework: a generator puts
//! them where they belong.

mod exposure;
mod image;
mod workload;

pub use exposure::{ExternalTrafficPolicy, IngressProperties, ServiceProperties, ServiceType};
pub use image::{ImagePullPolicy, ImageSpec};
pub use workload::{KubernetesContainerProperties, KubernetesPodProperties, KubernetesProperties};

#[cfg(test)]
mod tests;
