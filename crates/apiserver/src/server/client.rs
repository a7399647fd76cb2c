//! A kube client in the same process (CON-1).

use super::handle::{AsUser, Front};

/// Returns a client that is connected to the pipeline without sockets.
pub(super) fn connect(service: AsUser<Front>) -> kube::Client {
    kube::Client::new(service, "default")
}
