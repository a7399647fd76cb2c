//! Metrics of components (component.md, 12).

mod component;
mod labels;
mod observation;
mod standings;

pub(crate) use component::{Metrics, register};
pub(crate) use observation::Seen;
