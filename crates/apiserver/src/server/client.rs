//! A kube client in the same process (CON-1).

use super::handle::AsUser;
use crate::request::Service;

/// Connects a client to the pipeline, without sockets.
pub(super) fn connect(service: AsUser<Service>) -> kube::Client {
    kube::Client::new(service, "default")
}
