//! Hooks: the user's code at fixed points of a pass.

mod context;
mod registry;

pub(crate) use context::HookInputs;
pub use context::{HookContext, ReadContext};
pub use registry::{HookFn, ReadHookFn};
pub(crate) use registry::{HookRegistry, Point};
