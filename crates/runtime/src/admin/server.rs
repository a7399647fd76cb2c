//! The HTTP server of the admin pages.

use std::convert::Infallible;
use std::io;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use http::{Request, Response, header};
use http_body_util::Full;
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::net::{TcpListener, TcpStream};
use tokio_util::sync::CancellationToken;

use super::respond::{AdminResponse, Pages};
use super::{Diagnostics, HealthChecks, PassHistories};
use crate::clock::Clock;
use crate::metrics::Metrics;
use crate::task::Tasks;

/// The time in which a client must finish its request head; the connection is closed after it.
const HEAD_TIMEOUT: Duration = Duration::from_secs(15);
/// The pause after a failure to accept a connection, for example because too many files are open.
const ACCEPT_PAUSE: Duration = Duration::from_millis(100);

/// The admin server, bound to its address.
#[derive(Debug)]
pub struct Admin {
    listener: TcpListener,
    address: SocketAddr,
    why: PassHistories,
    diagnostics: Option<Diagnostics>,
}

/// The error of an admin server that cannot open its port.
#[derive(Debug, thiserror::Error)]
#[error("listen on {address} for the admin server: {source}; choose another address with --admin-addr, or `off`")]
pub struct AdminError {
    address: SocketAddr,
    source: io::Error,
}

impl Admin {
    /// Opens the port.
    pub async fn bind(address: SocketAddr) -> Result<Self, AdminError> {
        let failed = |source| AdminError { address, source };
        let listener = listen(address, TcpListener::bind).await.map_err(failed)?;
        let address = listener.local_addr().map_err(failed)?;
        Ok(Self { listener, address, why: PassHistories::default(), diagnostics: None })
    }

    /// Returns the address, with the chosen port if port 0 was requested.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Serves these passes at `/debug/why`. By default the page knows no passes.
    #[must_use]
    pub fn with_why(mut self, why: PassHistories) -> Self {
        self.why = why;
        self
    }

    /// Serves this operator at `/debug/state` and `/debug/queue`. By default neither page exists.
    #[must_use]
    pub fn with_diagnostics(mut self, diagnostics: Diagnostics) -> Self {
        self.diagnostics = Some(diagnostics);
        self
    }

    /// Answers requests until `stop` is cancelled.
    pub async fn serve(self, checks: HealthChecks, metrics: Metrics, clock: Clock, tasks: Tasks, stop: CancellationToken) {
        let pages = Arc::new(Pages { checks, metrics, why: self.why, diagnostics: self.diagnostics });
        loop {
            let accepted = tokio::select! {
                biased;
                () = stop.cancelled() => return,
                accepted = self.listener.accept() => accepted,
            };
            match accepted {
                Ok((stream, _)) => {
                    let connection = connection(stream, Arc::clone(&pages), stop.clone());
                    tasks.spawn("admin connection", connection).detach();
                }
                Err(error) => {
                    tracing::warn!(%error, "the admin server could not accept a connection");
                    clock.sleep(ACCEPT_PAUSE).await;
                }
            }
        }
    }
}

/// Opens a port. On a machine without IPv6, the address of all interfaces (`[::]`) is opened as that of IPv4.
pub(super) async fn listen<T, F: Future<Output = io::Result<T>>>(
    address: SocketAddr,
    open: impl Fn(SocketAddr) -> F,
) -> io::Result<T> {
    let error = match open(address).await {
        Ok(listener) => return Ok(listener),
        Err(error) => error,
    };
    // A kernel without IPv6 reports neither of these errors; a port that is taken or forbidden is so on every address.
    let taken = matches!(error.kind(), io::ErrorKind::AddrInUse | io::ErrorKind::PermissionDenied);
    if taken || address.ip() != IpAddr::V6(Ipv6Addr::UNSPECIFIED) {
        return Err(error);
    }
    open(SocketAddr::new(IpAddr::V4(Ipv4Addr::UNSPECIFIED), address.port())).await.map_err(|_| error)
}

async fn connection(stream: TcpStream, pages: Arc<Pages>, stop: CancellationToken) {
    let service = service_fn(move |request: Request<Incoming>| {
        let pages = Arc::clone(&pages);
        async move {
            let uri = request.uri();
            let answer = pages.respond(request.method(), uri.path(), uri.query().unwrap_or_default()).await;
            Ok::<_, Infallible>(response(answer))
        }
    });
    let connection = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(HEAD_TIMEOUT)
        .serve_connection(TokioIo::new(stream), service);
    tokio::pin!(connection);
    let result = tokio::select! {
        result = connection.as_mut() => result,
        () = stop.cancelled() => {
            connection.as_mut().graceful_shutdown();
            connection.await
        }
    };
    if let Err(error) = result {
        tracing::debug!(%error, "a connection to the admin server broke off");
    }
}

fn response(answer: AdminResponse) -> Response<Full<Bytes>> {
    let mut response = Response::new(Full::new(Bytes::from(answer.body)));
    *response.status_mut() = answer.status;
    response.headers_mut().insert(header::CONTENT_TYPE, header::HeaderValue::from_static(answer.content_type));
    response
}
