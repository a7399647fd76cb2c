//! A prepared cluster that many runs start from.

use std::fmt;
use std::time::Duration;

use jiff::Timestamp;
use kubewright_apiserver::{ApiServer, Identity};
use kubewright_middleware::Clock as ServerClock;

use crate::backend::Backend;
use crate::{TestCluster, Tier, time};

/// The content of an embedded cluster at one point. A cluster that starts from it pays only for later changes, so a scenario can be run
/// hundreds of times; see [`each`](crate::each).
pub struct ClusterOrigin {
    server: ApiServer,
    namespace: String,
    now: Timestamp,
    moment: Duration,
}

impl TestCluster {
    /// Returns the content as it is now; `None` for a real cluster.
    pub fn origin(&self) -> Option<ClusterOrigin> {
        let server = self.embedded()?.fork_at_rest();
        let (now, moment) = (server.clock().now(), server.clock().moment());
        Some(ClusterOrigin { server, namespace: self.namespace().to_owned(), now, moment })
    }

    /// Starts another cluster with this content, in which time goes on from there. It has the same test namespace, and shares no state with other clusters of
    /// the same origin, which may run on other threads. Random values of the server follow from the seed. Requires a runtime on which time can be virtual.
    pub fn start_from(origin: &ClusterOrigin, seed: u64) -> Self {
        time::make_virtual();
        let server = origin.server.fork_on(&ServerClock::tokio_from(origin.now, origin.moment), seed);
        let client = server.client(Identity::admin());
        Self::assemble(Backend::Embedded { server }, (Tier::Embedded, true), client, origin.namespace.clone())
    }
}

impl fmt::Debug for ClusterOrigin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ClusterOrigin").field("namespace", &self.namespace).field("now", &self.now).finish_non_exhaustive()
    }
}
