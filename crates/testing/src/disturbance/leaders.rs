//! The replicas of a run, and the disturbances of the replica that leads.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use futures::FutureExt as _;
use futures::future::BoxFuture;
use http::header::USER_AGENT;
use http::{Method, Request};
use kube::client::Body;
use kubewright_machinery::object::ObjectExt as _;
use kubewright_runtime::clock::Clock;
use kubewright_runtime::leadership::LeadershipState;
use kubewright_runtime::operator::{OperatorSuspension, RunningOperator};
use parking_lot::Mutex;
use serde_json::{Value, json};
use tokio::sync::watch;

use super::hand::Hand;
use crate::TestCluster;
use crate::passage::Passage;

/// The number of replicas in a run.
pub(super) const REPLICAS: usize = 2;
/// The time from the takeover by another replica until a suspended replica goes on.
const TAKEN_OVER: Duration = Duration::from_secs(10);
/// The longest time that a change of the leader may take: the lease duration and a retry period, with a margin for requests that fail.
pub(super) const CHANGE_LIMIT: Duration = Duration::from_mins(5);

/// A disturbance of the replica that leads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum LeaderTrouble {
    /// The leader's lease is emptied, so that another replica acquires it.
    Deposed,
    /// The leader's process is suspended until its lease has expired and another replica has acquired it.
    Suspended,
}

/// The moment of a disturbance in the course of a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum RequestPoint {
    /// The time before the server handles the request.
    Before,
    /// The time after the server has handled the request, and before the client has the answer.
    After,
}

/// The replicas of an operator on a cluster. Clones share their state.
#[derive(Clone)]
pub(super) struct Leaders {
    shared: Arc<LeadersShared>,
}

struct LeadersShared {
    clock: Clock,
    hand: Hand,
    state: Mutex<LeadersState>,
}

#[derive(Default)]
struct LeadersState {
    replicas: Vec<KnownReplica>,
    /// The number of replicas that were started.
    started: usize,
    /// The number of requests that leading replicas have sent since [`Leaders::count`].
    requests: usize,
    planned: Option<(usize, LeaderTrouble, RequestPoint)>,
    begun: Option<BegunTrouble>,
}

/// A replica that runs.
struct KnownReplica {
    agent: String,
    leadership: watch::Receiver<LeadershipState>,
    suspension: OperatorSuspension,
}

/// A disturbance of the leader that has begun.
struct BegunTrouble {
    trouble: LeaderTrouble,
    /// The user agent of the replica that was disturbed.
    agent: String,
    /// The time at which another replica was first seen to lead.
    succeeded: Option<Duration>,
    is_over: bool,
}

impl Leaders {
    pub(super) fn of(cluster: &TestCluster) -> Self {
        let (clock, hand) = (cluster.clock().clone(), Hand::of(cluster));
        let leaders = Self { shared: Arc::new(LeadersShared { clock, hand, state: Mutex::default() }) };
        let deciding = leaders.clone();
        cluster.passages().set(move |request| deciding.decide(request));
        leaders
    }

    /// Returns the name for the next replica.
    pub(super) fn next_name(&self) -> String {
        let mut state = self.shared.state.lock();
        state.started += 1;
        format!("replica-{}", state.started - 1)
    }

    /// Adds a replica that was started with this user agent.
    pub(super) fn add(&self, agent: String, operator: &RunningOperator) {
        let replica = KnownReplica { agent, leadership: operator.leadership(), suspension: operator.suspension() };
        self.shared.state.lock().replicas.push(replica);
    }

    /// Removes all replicas, since none runs any more, and ends the disturbance.
    pub(super) fn clear(&self) {
        let mut state = self.shared.state.lock();
        state.replicas.clear();
        if let Some(begun) = &mut state.begun {
            begun.is_over = true;
        }
    }

    /// Counts the requests of leading replicas from now on, and begins the planned disturbance at one of them.
    pub(super) fn count(&self, planned: Option<(usize, LeaderTrouble, RequestPoint)>) {
        let mut state = self.shared.state.lock();
        state.requests = 0;
        state.planned = planned;
    }

    /// Returns the number of requests that leading replicas have sent since [`count`](Self::count).
    pub(super) fn requests(&self) -> usize {
        self.shared.state.lock().requests
    }

    /// Returns true if a replica leads.
    pub(super) fn has_leader(&self) -> bool {
        self.shared.state.lock().replicas.iter().any(KnownReplica::leads)
    }

    /// Returns true if the planned disturbance has begun.
    pub(super) fn has_begun(&self) -> bool {
        self.shared.state.lock().begun.is_some()
    }

    /// Ends the current disturbance if its conditions are met: another replica leads, and has led long enough. Returns true if no disturbance is under way.
    pub(super) fn see_to(&self) -> bool {
        let now = self.shared.clock.moment().0;
        let mut state = self.shared.state.lock();
        let LeadersState { replicas, begun, .. } = &mut *state;
        let Some(begun) = begun else { return true };
        if !begun.is_over && replicas.iter().any(|replica| replica.agent != begun.agent && replica.leads()) {
            let since = *begun.succeeded.get_or_insert(now);
            begun.is_over = match begun.trouble {
                LeaderTrouble::Deposed => true,
                LeaderTrouble::Suspended => now >= since + TAKEN_OVER,
            };
            if begun.is_over {
                let met = replicas.iter().filter(|replica| replica.agent == begun.agent);
                met.for_each(|replica| replica.suspension.resume());
            }
        }
        begun.is_over
    }

    /// Decides how a request of a replica passes, and begins the planned disturbance at the request that it is planned for.
    fn decide(&self, request: &Request<Body>) -> Passage {
        let agent = request.headers().get(USER_AGENT).and_then(|agent| agent.to_str().ok()).unwrap_or_default();
        let mut state = self.shared.state.lock();
        let Some(replica) = state.replicas.iter().find(|replica| replica.agent == agent) else { return Passage::Free };
        if let Some(begun) = &state.begun {
            // The deposed replica must not be the first to acquire the lease again.
            let is_held =
                begun.trouble == LeaderTrouble::Deposed && !begun.is_over && begun.agent == agent && is_lease_write(request);
            return if is_held { Passage::HandledAfter(self.clone().succeeded().boxed()) } else { Passage::Free };
        }
        if !replica.leads() {
            return Passage::Free;
        }
        let suspension = replica.suspension.clone();
        state.requests += 1;
        let Some((at, trouble, point)) = state.planned else { return Passage::Free };
        if state.requests <= at {
            return Passage::Free;
        }
        state.begun = Some(BegunTrouble { trouble, agent: agent.to_owned(), succeeded: None, is_over: false });
        let leaders = self.clone();
        let happening: BoxFuture<'static, ()> = match trouble {
            LeaderTrouble::Deposed => Box::pin(async move {
                leaders.depose().await;
                leaders.succeeded().await;
            }),
            LeaderTrouble::Suspended => Box::pin(async move {
                suspension.suspend();
                // After this yield the task continues only when the replica is resumed.
                tokio::task::yield_now().await;
            }),
        };
        match point {
            RequestPoint::Before => Passage::HandledAfter(happening),
            RequestPoint::After => Passage::AnsweredAfter(happening),
        }
    }

    /// Empties all leases of replicas.
    async fn depose(&self) {
        let hand = &self.shared.hand;
        let emptied = json!({ "spec": { "holderIdentity": "", "leaseDurationSeconds": 1 } });
        for lease in hand.list(&lease()).await.unwrap_or_default() {
            if let Err(error) = hand.patch(&lease, &emptied).await {
                tracing::error!(%error, "the lease {} stays", lease.name());
            }
        }
    }

    /// Waits until another replica than the disturbed one leads.
    async fn succeeded(self) {
        while !self.see_to() {
            self.shared.clock.sleep(Duration::from_millis(100)).await;
        }
    }
}

impl KnownReplica {
    fn leads(&self) -> bool {
        self.leadership.borrow().leads_any()
    }
}

/// Returns an object that stands for the kind `Lease` in lists.
pub(super) fn lease() -> Value {
    json!({ "apiVersion": "coordination.k8s.io/v1", "kind": "Lease", "metadata": { "name": "" } })
}

fn is_lease_write(request: &Request<Body>) -> bool {
    request.method() != Method::GET && request.uri().path().starts_with("/apis/coordination.k8s.io/")
}

impl fmt::Debug for Leaders {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let state = self.shared.state.lock();
        let agents: Vec<&str> = state.replicas.iter().map(|replica| replica.agent.as_str()).collect();
        f.debug_struct("Leaders").field("replicas", &agents).field("requests", &state.requests).finish_non_exhaustive()
    }
}
