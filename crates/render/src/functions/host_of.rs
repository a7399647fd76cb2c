//! The host of a call.

use kubewright_template::{FunctionCall, FunctionError};

use crate::host::RenderHost;

/// Returns the host of a call.
pub(super) fn host_of<'a>(call: &FunctionCall<'a>) -> Result<&'a RenderHost, FunctionError> {
    call.host.as_any().downcast_ref().ok_or_else(|| FunctionError::new("the function is not available outside of a rendering"))
}
