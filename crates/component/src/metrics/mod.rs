//! Metrics of components (component.md, 12).

mod component;
mod labels;
mod observation;
mod standings;

pub(crate) use component::{ComponentMetrics, register};
pub(crate) use observation::UnusualObservations;
