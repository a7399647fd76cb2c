//! Metrics of components (chapter 12).

mod component;
mod labels;

pub(crate) use component::{Metrics, register};
