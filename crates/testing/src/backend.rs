//! The server behind a test cluster.

use std::sync::Arc;

use kube::config::KubeConfigOptions;
use kubewright_apiserver::listen::ListeningServer;
use kubewright_apiserver::workloads::{StageDelays, Workloads};
use kubewright_apiserver::{ApiServer, Identity};
use kubewright_middleware::Clock as ServerClock;
use kubewright_runtime::clock::Clock;
use tokio::sync::OnceCell;

use crate::node::NodePlayer;
use crate::real::{ControlPlane, Options};
use crate::select::{Tier, may_use};
use crate::{TestOptions, time};

/// The wall time at the start of every embedded server of a test, in seconds since 1970.
const EPOCH: i64 = 1_767_225_600;

/// A running server and its connection data. There is one per test.
#[allow(clippy::large_enum_variant)] // one value per test
pub(crate) enum Backend {
    Embedded { server: ApiServer },
    Real { plane: Arc<ControlPlane>, _nodes: Option<NodePlayer> },
    Kubeconfig { config: kube::Config },
}

/// The control plane that all tests of this process share.
static SHARED: OnceCell<(Arc<ControlPlane>, NodePlayer)> = OnceCell::const_new();

impl Backend {
    /// Starts a server of the chosen tier.
    pub(crate) async fn start(tier: Tier, test: &TestOptions) -> Result<Self, String> {
        match tier {
            Tier::Embedded => {
                let clock = if time::make_virtual() { ServerClock::tokio(epoch()) } else { ServerClock::system() };
                let mut delays = StageDelays::NONE;
                delays.ready = test.ready_delay;
                delays.job_done = test.ready_delay;
                let server = ApiServer::builder()
                    .clock(clock)
                    .seed(7)
                    .workloads(if test.without_controllers { Workloads::Off } else { Workloads::Pods })
                    .stage_delays(delays)
                    .rbac(test.rbac)
                    .build()
                    .map_err(|error| format!("failed to start the embedded API server: {error}"))?;
                Ok(Self::Embedded { server })
            }
            Tier::Real if test.exclusive => {
                let options = Options { without_controllers: test.without_controllers, ..Options::default() };
                let plane = start_plane(options).await?;
                let nodes = (!test.without_controllers).then(|| NodePlayer::start(plane.kubeconfig().to_owned()));
                Ok(Self::Real { plane: Arc::new(plane), _nodes: nodes })
            }
            Tier::Real => {
                let start = async || {
                    let plane = start_plane(Options::default()).await?;
                    let nodes = NodePlayer::start(plane.kubeconfig().to_owned());
                    Ok::<_, String>((Arc::new(plane), nodes))
                };
                let (plane, _) = SHARED.get_or_try_init(start).await?;
                Ok(Self::Real { plane: plane.clone(), _nodes: None })
            }
            Tier::Kubeconfig => {
                let kubeconfig = kube::config::Kubeconfig::read().map_err(|e| format!("failed to read the kubeconfig: {e}"))?;
                let context = kubeconfig.current_context.clone().unwrap_or_default();
                let mut config = kube::Config::from_custom_kubeconfig(kubeconfig, &KubeConfigOptions::default())
                    .await
                    .map_err(|e| format!("failed to use the kubeconfig: {e}"))?;
                config.default_retry = false;
                let named = std::env::var("KUBEWRIGHT_TEST_CLUSTER_CONTEXT").ok();
                may_use(&config.cluster_url.to_string(), &context, named.as_deref())?;
                Ok(Self::Kubeconfig { config })
            }
        }
    }

    /// Returns a new client, since connections belong to the runtime of one test.
    pub(crate) async fn client(&self) -> Result<kube::Client, String> {
        match self {
            Self::Embedded { server } => Ok(server.client(Identity::admin())),
            Self::Real { plane, .. } => plane.client().await.map_err(|error| format!("failed to {error}")),
            Self::Kubeconfig { config } => {
                kube::Client::try_from(config.clone()).map_err(|error| format!("failed to make a client: {error}"))
            }
        }
    }

    /// Returns a kubeconfig of an administrator. `endpoint` holds the port of an embedded server once it listens.
    pub(crate) async fn kubeconfig(&self, endpoint: &OnceCell<ListeningServer>) -> Result<String, String> {
        match self {
            Self::Embedded { server } => {
                let listen = async || server.listen("127.0.0.1:0").await.map_err(|error| format!("failed to listen: {error}"));
                let endpoint = endpoint.get_or_try_init(listen).await?;
                endpoint.kubeconfig(&Identity::admin()).map_err(|error| format!("failed to write a kubeconfig: {error}"))
            }
            Self::Real { plane, .. } => Ok(plane.kubeconfig().to_owned()),
            Self::Kubeconfig { .. } => {
                let kubeconfig = kube::config::Kubeconfig::read().map_err(|e| format!("failed to read the kubeconfig: {e}"))?;
                // JSON is also YAML.
                serde_json::to_string(&kubeconfig).map_err(|e| format!("failed to write the kubeconfig: {e}"))
            }
        }
    }

    /// Returns the clock that operators and the test share with the server.
    pub(crate) fn clocks(&self) -> (Clock, ServerClock) {
        match self {
            Self::Embedded { server } => (Clock::virtual_from(server.clock().now()), server.clock().clone()),
            _ => (Clock::system(), ServerClock::system()),
        }
    }
}

/// Returns the wall time at the start of every embedded server of a test: 2026-01-01T00:00:00Z.
pub fn epoch() -> jiff::Timestamp {
    jiff::Timestamp::from_second(EPOCH).unwrap_or_default()
}

async fn start_plane(options: Options) -> Result<ControlPlane, String> {
    ControlPlane::start(options).await.map_err(|error| format!("failed to {error}"))
}
