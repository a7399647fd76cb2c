//! A server on a TCP port.

use std::fmt;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};

use kubewright_middleware::Identity;
use tokio::net::TcpListener;
use tokio::sync::watch;
use tokio::task::JoinSet;

use super::authority::Authority;
use super::kubeconfig::{Proof, kubeconfig};
use super::serve::{self, Frontend};
use super::{ListenError, tls};
use crate::server::ApiServer;

/// A port on which a server answers. Dropping it closes the port and all connections; [`ListeningServer::shutdown`] lets requests finish.
pub struct ListeningServer {
    address: SocketAddr,
    authority: Option<Authority>,
    server: ApiServer,
    stop: watch::Sender<bool>,
    /// The task that accepts connections; it owns them.
    accepting: JoinSet<()>,
}

impl ApiServer {
    /// Serves on an address such as `127.0.0.1:0` with TLS; port 0 takes a free one. Must be called inside a tokio runtime.
    pub async fn listen(&self, address: &str) -> Result<ListeningServer, ListenError> {
        let (listener, address) = bind(address).await?;
        let authority = Authority::new()?;
        let acceptor = tls::acceptor(&authority, &authority.server(address.ip())?)?;
        Ok(ListeningServer::start(self, listener, address, Some((authority, acceptor))))
    }

    /// Serves without TLS, so that the traffic can be inspected. Only a loopback address is allowed, and every user is an administrator.
    pub async fn listen_plain(&self, address: &str) -> Result<ListeningServer, ListenError> {
        let (listener, address) = bind(address).await?;
        if !address.ip().is_loopback() {
            return Err(ListenError::NotLoopback(address));
        }
        Ok(ListeningServer::start(self, listener, address, None))
    }
}

impl ListeningServer {
    fn start(
        server: &ApiServer,
        listener: TcpListener,
        address: SocketAddr,
        tls: Option<(Authority, tokio_rustls::TlsAcceptor)>,
    ) -> Self {
        let (authority, acceptor) = tls.unzip();
        let frontend = Frontend { pipeline: server.pipeline(), api: server.state().api.clone(), tls: acceptor };
        let (stop, stopped) = watch::channel(false);
        let mut accepting = JoinSet::new();
        accepting.spawn(serve::run(listener, frontend, stopped));
        Self { address, authority, server: server.clone(), stop, accepting }
    }

    /// Returns the address that the endpoint serves on.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Returns the URL that clients use.
    pub fn url(&self) -> String {
        let scheme = if self.authority.is_some() { "https" } else { "http" };
        // A server that listens on every address is reachable on loopback.
        let ip = if self.address.ip().is_unspecified() { IpAddr::V4(Ipv4Addr::LOCALHOST) } else { self.address.ip() };
        format!("{scheme}://{}", SocketAddr::new(ip, self.address.port()))
    }

    /// Returns the CA certificate that clients must trust, as PEM; `None` on a plain port.
    pub fn authority(&self) -> Option<String> {
        self.authority.as_ref().map(Authority::pem)
    }

    /// Registers a bearer token for a user, on this and the server's other ports.
    pub fn add_token(&self, token: &str, identity: Identity) {
        self.server.add_token(token, identity);
    }

    /// Returns a kubeconfig for a user, as YAML with all data inline: a new client certificate, and a context named `kubewright`.
    pub fn kubeconfig(&self, identity: &Identity) -> Result<String, ListenError> {
        let Some(authority) = &self.authority else {
            return Ok(kubeconfig(&self.url(), None, identity.name(), &Proof::None));
        };
        let client = authority.client(identity.name(), identity.groups())?;
        self.server.state().api.access.credentials.add_certificate(&client.der(), identity);
        let (certificate, key) = (client.certificate.pem(), client.key.serialize_pem());
        let proof = Proof::Certificate { certificate: &certificate, key: &key };
        Ok(kubeconfig(&self.url(), Some(&authority.pem()), identity.name(), &proof))
    }

    /// Stops accepting connections, lets requests finish for half a second, then closes the remaining connections.
    pub async fn shutdown(mut self) {
        self.stop.send_replace(true);
        while self.accepting.join_next().await.is_some() {}
    }
}

impl fmt::Debug for ListeningServer {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("ListeningServer").field("url", &self.url()).finish_non_exhaustive()
    }
}

async fn bind(address: &str) -> Result<(TcpListener, SocketAddr), ListenError> {
    let failed = |source| ListenError::Bind { address: address.to_owned(), source };
    let listener = TcpListener::bind(address).await.map_err(failed)?;
    let address = listener.local_addr().map_err(failed)?;
    Ok((listener, address))
}
