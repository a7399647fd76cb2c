//! Hand-written reconcilers: the typed pipeline around a user's methods.
//!
//! A [`Controller`] is a constructor with injected arguments that returns a reconciler: a type that implements [`Reconcile`] and optionally [`Finalize`],
//! [`Observe`] and [`ObserveDeleted`]. Each pass goes through the stages of `pipeline`: the object is read from the shared store, the finalizer is set,
//! conditions are prepared, and the method runs. Then conditions are completed, the status is written if it differs, the finalizer is cleared, and events are
//! recorded. The outcome becomes a schedule as for every controller.

mod census;
mod children;
mod context;
mod controller;
pub(crate) mod current;
#[doc(hidden)]
pub mod derive;
mod draft;
mod methods;
mod object;
mod options;
mod pipeline;
mod primary;
mod registration;
mod scope;
mod targets;
mod tracking;
mod traits;
mod triggers;

pub use context::{Context, ObjectRecorder};
pub use controller::{Controller, ControllerExt, OperatorController, Registered};
pub use draft::ConditionAccess;
pub use methods::Method;
pub use pipeline::{LayerContext, LayerOutcome, Next, PassLayer, PipelineStage};
pub(crate) use scope::PassScope;
pub use targets::{TargetCluster, Targets};
pub use traits::{Conclude, EndedMethod, Finalize, Lead, NoStatus, Observe, ObserveDeleted, Reconcile, ReconciledStatus};
pub use triggers::{TriggerOptions, TriggerSet, WatchBuilder};
