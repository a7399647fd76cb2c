//! The recognition of errors of the `kube` library, for the feature `kube`.

use std::error::Error as StdError;

use kube_client::Error;
use kube_client::core::Status;
use kube_client::core::response::StatusCause as KubeCause;

use super::api::{ApiStatus, StatusCause};
use super::fault::{ApiFault, boxed_or_bare};

/// Returns the fault that this one error (not its sources) stands for, if it is one of the library.
pub(super) fn fault_of(error: &(dyn StdError + 'static)) -> Option<ApiFault> {
    if let Some(status) = boxed_or_bare(error) {
        return Some(ApiFault::Status(read(status)));
    }
    match error.downcast_ref::<Error>()? {
        Error::Api(status) => Some(ApiFault::Status(read(status))),
        Error::HyperError(_) | Error::Service(_) | Error::ReadEvents(_) | Error::Auth(_) => Some(ApiFault::NoResponse),
        Error::SerdeError(_) | Error::FromUtf8(_) => Some(ApiFault::Undecodable),
        _ => None,
    }
}

fn read(status: &Status) -> ApiStatus {
    let cause = |cause: &KubeCause| StatusCause {
        reason: cause.reason.clone(),
        field: cause.field.clone(),
        message: cause.message.clone(),
    };
    let details = status.details.as_ref();
    ApiStatus {
        code: status.code,
        reason: status.reason.clone(),
        message: status.message.clone(),
        kind: details.map(|details| details.kind.clone()).unwrap_or_default(),
        name: details.map(|details| details.name.clone()).unwrap_or_default(),
        causes: details.map_or(&[][..], |details| details.causes.as_slice()).iter().map(cause).collect(),
        retry_after_seconds: details.and_then(|details| ApiStatus::limited_wait(u64::from(details.retry_after_seconds))),
    }
}
