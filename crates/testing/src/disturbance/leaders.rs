//! The replicas of a run, and the troubles of the one that leads.

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

/// How many replicas run.
pub(super) const REPLICAS: usize = 2;
/// A replica that was suspended goes on so long after another one has taken over.
const TAKEN_OVER: Duration = Duration::from_secs(10);
/// The longest time that a change of the leader may take: the lease duration and a retry period, with room for requests that fail.
pub(super) const CHANGE_LIMIT: Duration = Duration::from_mins(5);

/// A trouble of the replica that leads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum LeaderTrouble {
    /// Its lease is emptied, so that another replica takes it.
    Deposed,
    /// The process stands still until its lease has ended and another replica has taken it.
    Suspended,
}

/// The moment of a trouble in the course of a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum RequestPoint {
    /// Before the server handles it.
    Before,
    /// After the server has handled it, before the client has the answer.
    After,
}

/// The replicas of an operator on a cluster. Clones are one.
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
    /// How many replicas were started.
    started: usize,
    /// How many requests leading replicas have sent since [`Leaders::count`].
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

/// A trouble that has begun.
struct BegunTrouble {
    trouble: LeaderTrouble,
    /// The replica that it met.
    agent: String,
    /// When another replica was seen to lead.
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

    /// A name for the next replica.
    pub(super) fn next_name(&self) -> String {
        let mut state = self.shared.state.lock();
        state.started += 1;
        format!("replica-{}", state.started - 1)
    }

    /// Takes in a replica that was started under this user agent.
    pub(super) fn add(&self, agent: String, operator: &RunningOperator) {
        let replica = KnownReplica { agent, leadership: operator.leadership(), suspension: operator.suspension() };
        self.shared.state.lock().replicas.push(replica);
    }

    /// No replica runs any more.
    pub(super) fn clear(&self) {
        let mut state = self.shared.state.lock();
        state.replicas.clear();
        if let Some(begun) = &mut state.begun {
            begun.is_over = true;
        }
    }

    /// Counts the requests of leading replicas from now on, and begins the planned trouble at one of them.
    pub(super) fn count(&self, planned: Option<(usize, LeaderTrouble, RequestPoint)>) {
        let mut state = self.shared.state.lock();
        state.requests = 0;
        state.planned = planned;
    }

    /// The number of requests that leading replicas have sent since [`count`](Self::count).
    pub(super) fn requests(&self) -> usize {
        self.shared.state.lock().requests
    }

    /// Whether a replica leads.
    pub(super) fn has_leader(&self) -> bool {
        self.shared.state.lock().replicas.iter().any(KnownReplica::leads)
    }

    /// Whether the planned trouble has begun.
    pub(super) fn has_begun(&self) -> bool {
        self.shared.state.lock().begun.is_some()
    }

    /// Ends the trouble that has begun when its time has come. Returns whether no trouble is under way any more.
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

    /// How a request of a replica passes.
    fn decide(&self, request: &Request<Body>) -> Passage {
        let agent = request.headers().get(USER_AGENT).and_then(|agent| agent.to_str().ok()).unwrap_or_default();
        let mut state = self.shared.state.lock();
        let Some(replica) = state.replicas.iter().find(|replica| replica.agent == agent) else { return Passage::Free };
        if let Some(begun) = &state.begun {
            // The one that was deposed must not be the first to take the lease again.
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
                // The task goes on when the replica does.
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

    /// Ends when another replica than the one that was met leads.
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

/// Any lease.
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
