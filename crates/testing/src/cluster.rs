//! The cluster of a test: [`TestCluster`], and the options with which it is started.

use std::fmt;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use k8s_openapi::api::core::v1::Namespace;
use kube::api::{Api, DeleteParams, PostParams};
use kubewright_apiserver::listen::ListeningServer;
use kubewright_apiserver::{ApiServer, proto};
use kubewright_machinery::object::GroupVersionKind;
use kubewright_middleware::{Faults, Journal, Seed};
use kubewright_runtime::clock::{Clock, Random};
use kubewright_runtime::cluster::{Cluster, ClusterOptions};
use kubewright_runtime::task::Tasks;
use tower::Layer as _;

use crate::backend::Backend;
use crate::passage::{Passage, PassageHook};
use crate::select::Tier;
use crate::speaking::{self, Spoken};

/// The seed of the first operator, and of all other randomness of a test.
const SEED: u64 = 7;

/// A Kubernetes API for one test, with a namespace of its own.
///
/// By default it is the embedded server, and time is virtual: it passes only when no task can run, so no test waits. `KUBEWRIGHT_TEST_CLUSTER=real`
/// selects a real control plane, `=kubeconfig` the cluster of the current context. A test states only its expectations of a cluster, so the same test
/// runs on all three. Use a plain `#[tokio::test]`.
///
/// A failing call or expectation panics with a report. The log of operators is printed, and the test harness shows it when the test fails. `RUST_LOG`
/// is the log filter; by default everything is logged at level `info`.
pub struct TestCluster {
    backend: Backend,
    tier: Tier,
    exclusive: bool,
    client: kube::Client,
    namespace: String,
    journal: Journal,
    faults: Faults,
    passages: PassageHook,
    clock: Clock,
    /// The seed of the operator that was started last.
    seed: AtomicU64,
    tasks: Tasks,
    /// The port of an embedded server, set by the first request for a kubeconfig.
    endpoint: tokio::sync::OnceCell<ListeningServer>,
}

/// The options with which a test cluster is started.
#[derive(Clone, Debug, Default)]
pub struct TestOptions {
    pub(crate) exclusive: bool,
    pub(crate) without_controllers: bool,
    pub(crate) ready_delay: Duration,
    pub(crate) rbac: bool,
}

impl TestOptions {
    /// Gives the test a server of its own without the controllers of Kubernetes: objects stay as they are written, and the test itself reports readiness.
    pub fn without_controllers(mut self) -> Self {
        self.without_controllers = true;
        self.exclusive()
    }

    /// Gives the test a server that no other test uses: for tests of cluster-scoped objects on a real control plane.
    pub fn exclusive(mut self) -> Self {
        self.exclusive = true;
        self
    }

    /// Enforces authorization on the embedded server, as real clusters do: a user may do only what its roles allow.
    pub fn rbac(mut self) -> Self {
        self.rbac = true;
        self
    }

    /// Sets the time that pods need to become ready on the embedded server. Default: none.
    pub fn ready_delay(mut self, delay: Duration) -> Self {
        self.ready_delay = delay;
        self
    }
}

impl TestCluster {
    /// Starts a cluster of the tier that `KUBEWRIGHT_TEST_CLUSTER` names.
    pub async fn start() -> Self {
        Self::start_with(TestOptions::default()).await
    }

    /// Starts a cluster that no other test uses.
    pub async fn start_exclusive() -> Self {
        Self::start_with(TestOptions::default().exclusive()).await
    }

    /// Starts a cluster with options.
    pub async fn start_with(options: TestOptions) -> Self {
        match Self::try_start(options).await {
            Ok(cluster) => cluster,
            Err(error) => fail(&error),
        }
    }

    async fn try_start(options: TestOptions) -> Result<Self, String> {
        crate::log::print();
        let tier = Tier::from_env().map_err(|error| error.to_string())?;
        let backend = Backend::start(tier, &options).await?;
        let client = backend.client().await?;
        let namespace = create_namespace(&client).await?;
        Ok(Self::assemble(backend, (tier, options.exclusive), client, namespace))
    }

    pub(crate) fn assemble(backend: Backend, (tier, exclusive): (Tier, bool), client: kube::Client, namespace: String) -> Self {
        let (clock, server_clock) = backend.clocks();
        let journal = Journal::new(server_clock.clone());
        journal.decode_bodies(|body| proto::decode(body, &GroupVersionKind::default()).ok());
        Self {
            backend,
            tier,
            exclusive,
            client,
            namespace,
            journal,
            faults: Faults::new(server_clock, Seed::new(SEED)),
            passages: PassageHook::default(),
            clock,
            seed: AtomicU64::new(SEED),
            tasks: Tasks::new(),
            endpoint: tokio::sync::OnceCell::new(),
        }
    }

    /// Returns the namespace of this test. It exists from the start, and [`Self::stop`] removes it.
    pub fn namespace(&self) -> &str {
        &self.namespace
    }

    /// Returns true if this is the embedded server. Time is virtual on it unless the runtime is multi-threaded.
    pub fn is_embedded(&self) -> bool {
        self.tier == Tier::Embedded
    }

    /// Returns true if other tests use the server too, so that operators must keep to the namespace of their test.
    pub fn is_shared(&self) -> bool {
        match self.tier {
            Tier::Embedded => false,
            Tier::Kubeconfig => true,
            Tier::Real => !self.exclusive,
        }
    }

    /// Returns the embedded server, if this cluster is one: for operations that only it offers (compaction, watch faults, restarts).
    pub fn embedded(&self) -> Option<&ApiServer> {
        match &self.backend {
            Backend::Embedded { server } => Some(server),
            _ => None,
        }
    }

    pub(crate) fn backend(&self) -> &Backend {
        &self.backend
    }

    /// Returns a client with all rights. Its requests bypass the journal and the faults.
    pub fn client(&self) -> &kube::Client {
        &self.client
    }

    /// Returns the journal of the requests of operators and of [`Self::connect`], in order. The test's own requests are not in it.
    pub fn journal(&self) -> &Journal {
        &self.journal
    }

    /// Returns the faults for the requests of operators and of [`Self::connect`].
    pub fn faults(&self) -> &Faults {
        &self.faults
    }

    /// Returns the hook that decides when requests of operators and of [`Self::connect`] are handled and answered.
    pub(crate) fn passages(&self) -> &PassageHook {
        &self.passages
    }

    /// Returns the seed of the next operator. Each replica needs a seed of its own: replicas with one seed would draw the same identity.
    pub(crate) fn next_seed(&self) -> u64 {
        self.seed.fetch_add(1, Ordering::Relaxed)
    }

    /// Returns a kubeconfig with all rights and inline certificates, for programs that connect to the cluster on their own.
    ///
    /// The embedded server then listens on a loopback port. Real connections and virtual time do not go together: such a test needs
    /// `#[tokio::test(flavor = "multi_thread")]`, on which time is real.
    pub async fn kubeconfig(&self) -> String {
        match self.backend.kubeconfig(&self.endpoint).await {
            Ok(text) => text,
            Err(error) => self.fail(&error),
        }
    }

    /// Returns the clock of server, operators and test.
    pub fn clock(&self) -> &Clock {
        &self.clock
    }

    /// Returns a connection as an operator has it, whose requests pass the journal and the faults.
    pub async fn connect(&self, tasks: &Tasks) -> Cluster {
        let client = self.operator_client(None).await;
        Cluster::new(client, ClusterOptions::new(self.clock.clone(), Random::seeded(SEED), tasks.clone()))
    }

    /// Returns a client whose requests pass the journal and the faults, with all rights or those of a user.
    pub(crate) async fn operator_client(&self, user: Option<&str>) -> kube::Client {
        let client = self.backend.client().await.unwrap_or_else(|error| self.fail(&error));
        let user = user.map(|user| match http::HeaderValue::from_str(user) {
            Ok(user) => user,
            Err(error) => self.fail(&format!("failed to act as {user:?}: {error}")),
        });
        let passages = self.passages.clone();
        let send = tower::service_fn(move |mut request: http::Request<kube::client::Body>| {
            let (client, user, passages) = (client.clone(), user.clone(), passages.clone());
            async move {
                if let Some(user) = user {
                    if let Some(spoken) = Spoken::of(&request)
                        && let Some(refusal) = speaking::refusal(&client, user.to_str().unwrap_or_default(), &spoken).await?
                    {
                        return Ok(refusal);
                    }
                    request.headers_mut().entry("impersonate-user").or_insert(user);
                }
                match passages.decide(&request) {
                    Passage::Free => client.send(request).await,
                    Passage::HandledAfter(held) => {
                        held.await;
                        client.send(request).await
                    }
                    Passage::AnsweredAfter(held) => {
                        let answer = client.send(request).await;
                        held.await;
                        answer
                    }
                }
            }
        });
        let service = self.journal.layer().layer(self.faults.layer().layer(send));
        kube::Client::new(service, self.namespace.clone())
    }

    /// Lets time pass: virtual time on the embedded server, real time elsewhere.
    pub async fn pass(&self, time: Duration) {
        self.clock.sleep(time).await;
    }

    /// Returns the tasks that live as long as the test.
    pub fn tasks(&self) -> &Tasks {
        &self.tasks
    }

    /// Joins [`Self::tasks`], and removes the namespace and its content. Panics if one of these tasks does not end when it is asked to (TCL-8).
    pub async fn stop(self) {
        let stuck = self.tasks.stop(Duration::from_secs(5)).await;
        if !stuck.is_empty() {
            self.fail(&format!("Leaked task: {} did not end when asked to", stuck.join(", ")));
        }
        if !self.is_embedded() {
            let namespaces: Api<Namespace> = Api::all(self.client.clone());
            // A namespace that cannot be removed ends with its control plane, or stays visible in the cluster of the kubeconfig.
            if let Err(error) = namespaces.delete(&self.namespace, &DeleteParams::background()).await {
                tracing::warn!(namespace = self.namespace, %error, "the namespace of a test stays");
            }
        }
    }

    /// Fails the test with this text.
    #[allow(clippy::unused_self)] // a method reads as a failure of this cluster's test
    pub(crate) fn fail(&self, text: &str) -> ! {
        fail(text)
    }
}

#[track_caller]
#[allow(clippy::panic)] // a test harness reports by panicking
pub(crate) fn fail(text: &str) -> ! {
    panic!("{text}")
}

async fn create_namespace(client: &kube::Client) -> Result<String, String> {
    let namespace = Namespace {
        metadata: kube::core::ObjectMeta { generate_name: Some("test-".to_owned()), ..kube::core::ObjectMeta::default() },
        ..Namespace::default()
    };
    let created = Api::<Namespace>::all(client.clone()).create(&PostParams::default(), &namespace).await;
    let created = created.map_err(|error| format!("failed to create a namespace for the test: {error}"))?;
    created.metadata.name.ok_or_else(|| "the namespace of the test has no name".to_owned())
}

impl fmt::Debug for TestCluster {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("TestCluster").field("tier", &self.tier).field("namespace", &self.namespace).finish_non_exhaustive()
    }
}
