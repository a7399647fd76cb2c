//! A kube client in the same process (CON-1).

use super::handle::Front;

/// Returns a client that is connected to the pipeline without sockets.
pub(super) fn connect(service: Front) -> kube::Client {
    kube::Client::new(service, "default")
}
