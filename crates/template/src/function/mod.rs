//! Functions: their parameters, their calls, and sets of them by name.

mod call;
mod host;
mod set;

pub use call::{FunctionCall, TemplateEngine};
pub use host::TemplateHost;
pub use set::{FunctionSet, TemplateFunction};

pub(crate) use crate::signature::{Parameter, Signature};
