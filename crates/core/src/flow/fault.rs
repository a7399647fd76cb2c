//! The kinds of errors that clients of API servers return, recognised by the types of the errors.

use std::error::Error;

use super::api::{ApiStatus, refused};
use super::api_error::ApiError;
use super::classify::{Classification, Origin};
use super::{Class, reason};

/// The kind of error that a client returned for a request that did not succeed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum ApiFault {
    /// The server answered with an error.
    Status(ApiStatus),
    /// There was no answer, because name lookup, connection or TLS failed, or because of a reset or a time-out.
    NoResponse,
    /// The answer could not be read.
    Undecodable,
    /// The cluster does not serve the kind.
    KindNotServed,
}

impl ApiFault {
    /// Returns the class, origin and reason of this fault.
    pub(super) fn classification(&self) -> Classification {
        match self {
            Self::Status(status) => status.classification(),
            Self::NoResponse => Classification::api(Class::Backoff, Origin::Transient, reason::constant("ConnectionFailed")),
            Self::Undecodable => Classification::api(Class::Backoff, Origin::Bug, reason::constant("DecodeFailed")),
            Self::KindNotServed => refused(Origin::Refused, reason::constant("KindNotServed")),
        }
    }

    /// Returns the server's answer; none if there was none.
    pub(super) fn into_status(self) -> Option<ApiStatus> {
        if let Self::Status(status) = self { Some(status) } else { None }
    }
}

/// A function that returns the fault that one error (not its sources) stands for.
type Recogniser = fn(&(dyn Error + 'static)) -> Option<ApiFault>;

const RECOGNISERS: &[Recogniser] = &[
    |error| error.downcast_ref().map(ApiError::fault),
    |error| boxed_or_bare(error).map(|status: &ApiStatus| ApiFault::Status(status.clone())),
    #[cfg(feature = "kube")]
    super::kube_error::fault_of,
];

/// Returns the fault that this one error (not its sources) stands for.
pub(super) fn fault_of(error: &(dyn Error + 'static)) -> Option<ApiFault> {
    RECOGNISERS.iter().find_map(|recognise| recognise(error))
}

/// Returns an error of this type. In a chain of sources a box is the type of an error that an enum holds in a box.
pub(super) fn boxed_or_bare<'e, E: Error + 'static>(error: &'e (dyn Error + 'static)) -> Option<&'e E> {
    error.downcast_ref::<E>().or_else(|| error.downcast_ref::<Box<E>>().map(AsRef::as_ref))
}
