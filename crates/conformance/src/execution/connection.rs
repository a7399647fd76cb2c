//! Connections for a single step, which chooses the protocols that are offered (DISC-16).

use std::sync::Arc;

use bytes::Bytes;
use http::header::HOST;
use http::uri::PathAndQuery;
use http::{HeaderValue, Request, Response, Uri};
use http_body_util::{BodyExt as _, Full};
use hyper::body::Incoming;
use hyper::client::conn::{http1, http2};
use hyper_util::rt::{TokioExecutor, TokioIo};
use kube::client::ConfigExt as _;
use rustls::pki_types::ServerName;
use tokio::net::TcpStream;
use tokio_rustls::TlsConnector;
use tokio_rustls::client::TlsStream;

use super::target::{Reply, ScriptTargetError};
use crate::task;

/// The name of HTTP/2 in TLS (ALPN).
const HTTP_2: &str = "h2";

/// Sends a request over a new connection that offers these protocols. The connection ends with the body of the answer.
pub(super) async fn send(config: &kube::Config, offers: &[String], request: Request<Bytes>) -> Result<Reply, ScriptTargetError> {
    let socket = connect(config, offers).await?;
    let speaks_2 = socket.get_ref().1.alpn_protocol() == Some(HTTP_2.as_bytes());
    let request = addressed(&config.cluster_url, speaks_2, request.map(Full::new))?;
    let response: Response<Incoming> = if speaks_2 {
        let (mut sender, connection) = http2::handshake(TokioExecutor::new(), TokioIo::new(socket)).await?;
        task::beside(connection);
        sender.send_request(request).await?
    } else {
        let (mut sender, connection) = http1::handshake(TokioIo::new(socket)).await?;
        task::beside(connection);
        sender.send_request(request).await?
    };
    let (parts, body) = response.into_parts();
    Ok(Reply {
        code: parts.status.as_u16(),
        protocol: format!("{:?}", parts.version),
        headers: parts.headers,
        stream: body.map_err(|error| error.to_string()).boxed_unsync(),
    })
}

async fn connect(config: &kube::Config, offers: &[String]) -> Result<TlsStream<TcpStream>, ScriptTargetError> {
    let broken = |error: &dyn std::fmt::Display| ScriptTargetError::Connection(error.to_string());
    let mut tls = config.rustls_client_config()?;
    tls.alpn_protocols = offers.iter().map(|protocol| protocol.as_bytes().to_vec()).collect();
    let host = config.cluster_url.host().unwrap_or_default();
    let port = config.cluster_url.port_u16().unwrap_or(443);
    let socket = TcpStream::connect((host, port)).await.map_err(|error| broken(&error))?;
    let name = ServerName::try_from(host.to_owned()).map_err(|error| broken(&error))?;
    TlsConnector::from(Arc::new(tls)).connect(name, socket).await.map_err(|error| broken(&error))
}

/// Adds the server's name to a request: HTTP/2 has it in the URI of the request, HTTP/1.1 in a header.
fn addressed<B>(server: &Uri, speaks_2: bool, mut request: Request<B>) -> Result<Request<B>, ScriptTargetError> {
    let authority = server.authority().map(ToString::to_string).unwrap_or_default();
    if speaks_2 {
        let path = request.uri().path_and_query().map_or("/", PathAndQuery::as_str).to_owned();
        *request.uri_mut() = Uri::builder().scheme("https").authority(authority).path_and_query(path).build()?;
    } else {
        let host = HeaderValue::from_str(&authority).map_err(http::Error::from)?;
        request.headers_mut().insert(HOST, host);
    }
    Ok(request)
}
