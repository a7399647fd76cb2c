//! Servers that scripts run against.

use bytes::Bytes;
use http::{HeaderMap, HeaderName, HeaderValue, Request, Response};
use http_body_util::combinators::UnsyncBoxBody;
use http_body_util::{BodyExt as _, Full};
use kube::config::{KubeConfigOptions, Kubeconfig};
use kubewright_apiserver::listen::{ListenError, ListeningServer};
use kubewright_apiserver::workloads::Workloads;
use kubewright_apiserver::{ApiServer, Clock, Controllers, Identity};
use tower::ServiceExt as _;

use super::connection;
use crate::script::{Header, User};

/// The tokens that both servers know, with their users and groups.
const TOKENS: [(&str, &str, &[&str]); 2] = [("alice-token", "alice", &["dev", "ops"]), ("bob-token", "bob", &[])];

/// A server and its connection data.
#[derive(Debug)]
pub enum ScriptTarget {
    /// The embedded server, without sockets.
    Embedded(Box<EmbeddedServer>),
    /// Any server, by a kubeconfig with all rights.
    Remote(Box<RemoteServer>),
}

/// The embedded server. It has a port only if a step needs one.
#[derive(Debug)]
pub struct EmbeddedServer {
    server: ApiServer,
    port: Option<Port>,
}

/// The port of the embedded server, and a client without credentials.
struct Port {
    _endpoint: ListeningServer,
    config: kube::Config,
    anonymous: kube::Client,
}

impl std::fmt::Debug for Port {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Port").finish_non_exhaustive()
    }
}

/// A server behind a kubeconfig.
pub struct RemoteServer {
    config: kube::Config,
    admin: kube::Client,
    anonymous: kube::Client,
    is_thrown_away: bool,
}

impl std::fmt::Debug for RemoteServer {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("RemoteServer").finish_non_exhaustive()
    }
}

/// The error of a server that cannot be started or reached.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ScriptTargetError {
    /// The embedded server cannot be built.
    #[error("build the embedded server: {0}")]
    Build(#[from] kubewright_apiserver::server::BuildError),
    /// The control plane of a real server cannot be started.
    #[error("start a control plane: {0}")]
    ControlPlane(#[from] kubewright_testing::real::RealError),
    /// The file with the tokens of a real server cannot be written or removed.
    #[error("write the tokens of scripts: {0}")]
    Tokens(std::io::Error),
    /// The embedded server cannot listen on a port.
    #[error("listen: {0}")]
    Listen(#[from] ListenError),
    /// The kubeconfig cannot be used.
    #[error("use the kubeconfig: {0}")]
    Kubeconfig(#[from] kube::config::KubeconfigError),
    /// The client cannot be built, or its request fails.
    #[error("send a request: {0}")]
    Client(#[from] kube::Error),
    /// A connection for a single step cannot be opened.
    #[error("connect: {0}")]
    Connection(String),
    /// The HTTP exchange on a connection for a single step fails.
    #[error("speak HTTP: {0}")]
    Http(#[from] hyper::Error),
    /// A request cannot be built.
    #[error("build a request: {0}")]
    Request(#[from] http::Error),
    /// The body of an answer cannot be read.
    #[error("read an answer: {0}")]
    Body(String),
}

/// The body of an answer that is still being received.
pub(super) type Stream = UnsyncBoxBody<Bytes, String>;

/// An answer whose body is still being received.
pub(super) struct Reply {
    pub(super) code: u16,
    /// The protocol, if the step offers protocols.
    pub(super) protocol: String,
    pub(super) headers: HeaderMap,
    pub(super) stream: Stream,
}

impl Reply {
    fn new(status: http::StatusCode, headers: HeaderMap, stream: Stream) -> Self {
        Self { code: status.as_u16(), protocol: String::new(), headers, stream }
    }
}

impl ScriptTarget {
    /// Starts a new embedded server with the settings of the script. Its time is tokio's, so it is virtual on a paused runtime.
    pub async fn embedded(header: &Header, needs_port: bool) -> Result<Self, ScriptTargetError> {
        let workloads = if header.workloads { Workloads::Pods } else { Workloads::Off };
        let server =
            ApiServer::builder().clock(Clock::tokio(kubewright_testing::epoch())).seed(7).workloads(workloads).rbac(header.rbac);
        let controllers = if header.without_controllers { Controllers::Off } else { Controllers::Inline };
        let server = server.controllers(controllers).build()?;
        // A real server does not know the versions before its own start, nor does one whose history was compacted.
        server.compact(server.revision());
        let port = if needs_port {
            let endpoint = server.listen("127.0.0.1:0").await?;
            for (token, user, groups) in TOKENS {
                let identity = groups.iter().fold(Identity::user(user), |identity, group| identity.with_group(*group));
                endpoint.add_token(token, identity);
            }
            let config = config(&endpoint.kubeconfig(&Identity::admin())?).await?;
            let anonymous = kube::Client::try_from(without_credentials(config.clone()))?;
            Some(Port { _endpoint: endpoint, config, anonymous })
        } else {
            None
        };
        Ok(Self::Embedded(Box::new(EmbeddedServer { server, port })))
    }

    /// Returns the server of a kubeconfig (YAML text).
    pub async fn remote(kubeconfig: &str) -> Result<Self, ScriptTargetError> {
        let config = config(kubeconfig).await?;
        let anonymous = kube::Client::try_from(without_credentials(config.clone()))?;
        let admin = kube::Client::try_from(config.clone())?;
        Ok(Self::Remote(Box::new(RemoteServer { config, admin, anonymous, is_thrown_away: false })))
    }

    /// Marks the server as thrown away after the scripts, so that their namespaces may stay in it.
    #[must_use]
    pub fn thrown_away(mut self) -> Self {
        if let Self::Remote(remote) = &mut self {
            remote.is_thrown_away = true;
        }
        self
    }

    pub(super) fn is_thrown_away(&self) -> bool {
        match self {
            Self::Embedded(_) => true,
            Self::Remote(remote) => remote.is_thrown_away,
        }
    }

    /// Returns true if reads that name no version may be answered from a cache.
    pub(super) fn has_caches(&self) -> bool {
        matches!(self, Self::Remote(_))
    }

    /// Returns the lines of a token file that gives a real server the tokens of the embedded one.
    pub(super) fn token_file() -> String {
        let line = |(token, user, groups): &(&str, &str, &[&str])| format!("{token},{user},{user}-id,\"{}\"\n", groups.join(","));
        TOKENS.iter().map(line).collect()
    }

    /// Returns the version that the server reports, such as `v1.36.2`.
    pub async fn version(&self) -> Result<String, ScriptTargetError> {
        let reply = self.send("GET", "/version", &[], Vec::new(), None).await?;
        let body = reply.stream.collect().await.map_err(ScriptTargetError::Body)?.to_bytes();
        let version: serde_json::Value =
            serde_json::from_slice(&body).map_err(|error| ScriptTargetError::Body(error.to_string()))?;
        Ok(version["gitVersion"].as_str().unwrap_or_default().to_owned())
    }

    pub(super) async fn send(
        &self,
        method: &str,
        path: &str,
        headers: &[(String, String)],
        body: Vec<u8>,
        user: Option<&User>,
    ) -> Result<Reply, ScriptTargetError> {
        let request = Self::request(method, path, headers, body)?;
        match self {
            Self::Embedded(embedded) => embedded.send(request, user).await,
            Self::Remote(remote) => remote.send(request, user).await,
        }
    }

    /// Sends a request as an administrator, over a connection for this request alone that offers these protocols.
    pub(super) async fn send_offering(
        &self,
        offers: &[String],
        method: &str,
        path: &str,
        headers: &[(String, String)],
        body: Vec<u8>,
    ) -> Result<Reply, ScriptTargetError> {
        let config = match self {
            Self::Embedded(embedded) => embedded.port.as_ref().map(|port| &port.config),
            Self::Remote(remote) => Some(&remote.config),
        };
        let config = config.ok_or_else(|| ScriptTargetError::Connection("the server has no port".to_owned()))?;
        connection::send(config, offers, Self::request(method, path, headers, body)?).await
    }

    fn request(
        method: &str,
        path: &str,
        headers: &[(String, String)],
        body: Vec<u8>,
    ) -> Result<Request<Bytes>, ScriptTargetError> {
        let mut builder = Request::builder().method(method).uri(path);
        for (name, value) in headers {
            builder = builder.header(name.as_str(), value.as_str());
        }
        Ok(builder.body(Bytes::from(body))?)
    }
}

impl EmbeddedServer {
    async fn send(&self, request: Request<Bytes>, user: Option<&User>) -> Result<Reply, ScriptTargetError> {
        let identity = match (user, &self.port) {
            (Some(user), Some(port)) if user.is_none() => return send(&port.anonymous, request).await,
            (Some(user), _) if user.is_none() => Identity::anonymous(),
            (Some(user), _) => user.groups().iter().fold(Identity::user(user.name()), Identity::with_group),
            (None, _) => Identity::admin(),
        };
        let answer = self.server.service(identity).oneshot(request.map(Full::new)).await;
        let (parts, body) = answer.map_err(|error| ScriptTargetError::Body(error.to_string()))?.into_parts();
        Ok(Reply::new(parts.status, parts.headers, body.map_err(|error| error.to_string()).boxed_unsync()))
    }
}

impl RemoteServer {
    async fn send(&self, mut request: Request<Bytes>, user: Option<&User>) -> Result<Reply, ScriptTargetError> {
        let Some(user) = user else { return send(&self.admin, request).await };
        if user.is_none() {
            return send(&self.anonymous, request).await;
        }
        let header = |text: &str| HeaderValue::from_str(text).map_err(http::Error::from);
        request.headers_mut().insert(HeaderName::from_static("impersonate-user"), header(user.name())?);
        for group in user.groups() {
            request.headers_mut().append(HeaderName::from_static("impersonate-group"), header(group)?);
        }
        send(&self.admin, request).await
    }
}

async fn send(client: &kube::Client, request: Request<Bytes>) -> Result<Reply, ScriptTargetError> {
    let response: Response<kube::client::Body> = client.send(request.map(|body| body.to_vec().into())).await?;
    let (parts, body) = response.into_parts();
    Ok(Reply::new(parts.status, parts.headers, body.map_err(|error| error.to_string()).boxed_unsync()))
}

async fn config(kubeconfig: &str) -> Result<kube::Config, ScriptTargetError> {
    let mut config =
        kube::Config::from_custom_kubeconfig(Kubeconfig::from_yaml(kubeconfig)?, &KubeConfigOptions::default()).await?;
    config.default_retry = false;
    config.connect_timeout = None;
    config.read_timeout = None;
    config.write_timeout = None;
    Ok(config)
}

fn without_credentials(mut config: kube::Config) -> kube::Config {
    config.auth_info = kube::config::AuthInfo::default();
    config
}
