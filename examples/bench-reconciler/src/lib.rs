//! Reconcilers that do nothing, which measure the frameworks below them: Kubewright, the controller of kube, and a floor below both.
//!
//! `cargo bench -p bench-reconciler` runs them; the Go program in `controller-runtime` is the fourth.

pub mod floor;
pub mod on_kube;
pub mod ours;
pub mod recorder;
pub mod stores;
mod widget;

pub use recorder::Recorder;
pub use widget::{Gadget, GadgetSpec, Widget, WidgetSpec, Wish, Written};
