//! Connections from accept to close.

use std::future::poll_fn;
use std::pin::{Pin, pin};
use std::sync::Arc;
use std::task::{Poll, ready};
use std::time::Duration;

use futures::FutureExt as _;
use futures::future::BoxFuture;
use http::header::CONNECTION;
use http::{HeaderMap, Request, StatusCode, Version};
use http_body::Body as _;
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioExecutor, TokioIo, TokioTimer};
use hyper_util::server::conn::auto;
use kubewright_middleware::{BoxError, Identity};
use parking_lot::Mutex;
use tokio::io::{AsyncRead, AsyncWrite, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;
use tokio::task::JoinSet;
use tokio_rustls::TlsAcceptor;
use tokio_rustls::server::TlsStream;

use super::connection_pipeline::{ListenResponse, answer};
use super::gather::Gather;
use super::stream;
use crate::api::ObjectApi;
use crate::server::Front;

/// The maximum number of streams per HTTP/2 connection, which carries all watches of a client.
const MAX_STREAMS: u32 = 2_000;
/// The time that requests may take after a shutdown was requested. Watches never end by themselves.
const DRAIN: Duration = Duration::from_millis(500);
/// The time limit for the TLS handshake.
const HANDSHAKE: Duration = Duration::from_secs(10);
/// The interval of pings on a silent HTTP/2 connection, and the time after which an unanswered ping closes it.
const KEEP_ALIVE: (Duration, Duration) = (Duration::from_secs(30), Duration::from_secs(20));

/// The shared data of all connections.
#[derive(Clone)]
pub(super) struct Frontend {
    pub(super) pipeline: Front,
    /// The API that knows the users of certificates.
    pub(super) api: Arc<ObjectApi>,
    /// The TLS acceptor. `None` on a plain port, which only this machine can reach and on which every user is an administrator.
    pub(super) tls: Option<TlsAcceptor>,
}

/// Accepts connections until `stop` is set, then ends those that are left.
pub(super) async fn run(listener: TcpListener, frontend: Frontend, mut stop: watch::Receiver<bool>) {
    let mut connections = JoinSet::new();
    let stopped = stop.clone();
    // Accepting pauses after an error, while open connections go on.
    let mut pause: Option<Pin<Box<tokio::time::Sleep>>> = None;
    loop {
        tokio::select! {
            accepted = listener.accept(), if pause.is_none() => match accepted {
                Ok((socket, _)) => {
                    connections.spawn(ended(connection(socket, frontend.clone(), stopped.clone())));
                }
                Err(error) => {
                    // The process is probably out of file descriptors; some are released when connections end.
                    tracing::warn!(%error, "failed to accept a connection");
                    pause = Some(Box::pin(tokio::time::sleep(Duration::from_millis(50))));
                }
            },
            () = over(&mut pause), if pause.is_some() => pause = None,
            Some(phase) = connections.join_next(), if !connections.is_empty() => {
                // Each phase is a task of its own, so that a connection that waits for events holds no memory for requests.
                if let Ok(Some((client, next))) = phase {
                    match next {
                        NextPhase::Requests => connections.spawn(ended(requests(client))),
                        NextPhase::Stream(answer, waits) => connections.spawn(ended(stream(client, answer, waits))),
                    };
                }
            }
            () = told(&mut stop) => break,
        }
    }
    drop(listener);
    let drained = async { while connections.join_next().await.is_some() {} };
    // Connections that are still open are cut: dropping the set ends their tasks.
    let _ = tokio::time::timeout(DRAIN, drained).await;
}

/// Waits for the end of a pause.
async fn over(pause: &mut Option<Pin<Box<tokio::time::Sleep>>>) {
    if let Some(pause) = pause {
        pause.await;
    }
}

type Socket = Box<TlsStream<TcpStream>>;

/// A client on a connection of HTTP/1.1. Large members are boxed, since a task reserves space for each variable that they are moved through.
struct Client {
    socket: Socket,
    pipeline: Front,
    stop: watch::Receiver<bool>,
}

/// The next phase of a connection of HTTP/1.1.
enum NextPhase {
    Requests,
    /// An unending answer; the flag is true if the client waits for its end.
    Stream(Box<ListenResponse>, bool),
}

type Phase = Option<(Client, NextPhase)>;

/// Returns the result of a phase; an error ends the connection.
async fn ended(phase: impl Future<Output = Result<Phase, BoxError>>) -> Phase {
    phase.await.unwrap_or_else(|error| {
        tracing::debug!(error, "a connection ended");
        None
    })
}

async fn connection(socket: TcpStream, frontend: Frontend, stop: watch::Receiver<bool>) -> Result<Phase, BoxError> {
    socket.set_nodelay(true)?;
    let Some(tls) = frontend.tls.clone() else {
        serve(socket, frontend.pipeline.acting_as(Some(Identity::admin())), stop).await?;
        return Ok(None);
    };
    let socket = tokio::time::timeout(HANDSHAKE, tls.accept(socket)).await??;
    let (_, session) = socket.get_ref();
    let certificate = session.peer_certificates().and_then(|chain| chain.first());
    let certified = certificate.and_then(|certificate| frontend.api.access.credentials.by_certificate(certificate));
    let pipeline = frontend.pipeline.acting_as(certified);
    if session.alpn_protocol() == Some(b"h2") {
        serve(Gather::new(socket), pipeline, stop).await?;
        return Ok(None);
    }
    Ok(Some((Client { socket: Box::new(socket), pipeline, stop }, NextPhase::Requests)))
}

/// Serves a connection of HTTP/2, or a plain connection of either protocol.
async fn serve<I>(socket: I, pipeline: Front, mut stop: watch::Receiver<bool>) -> Result<(), BoxError>
where
    I: AsyncRead + AsyncWrite + Unpin + Send + 'static,
{
    let service = service_fn(move |request: Request<Incoming>| answer(pipeline.clone(), request));
    let mut builder = auto::Builder::new(TokioExecutor::new());
    builder.http1().timer(TokioTimer::new());
    let mut http2 = builder.http2();
    http2.timer(TokioTimer::new()).max_concurrent_streams(MAX_STREAMS);
    http2.keep_alive_interval(KEEP_ALIVE.0).keep_alive_timeout(KEEP_ALIVE.1);
    let mut connection = pin!(builder.serve_connection(TokioIo::new(socket), service));
    tokio::select! {
        ended = connection.as_mut() => return ended,
        () = told(&mut stop) => connection.as_mut().graceful_shutdown(),
    }
    connection.await
}

/// Serves requests one after the other, until the client leaves or an answer is unending.
async fn requests(client: Client) -> Result<Phase, BoxError> {
    let Client { socket, pipeline, stop } = client;
    let (mut socket, answer, waits) = until_unending(socket, pipeline.clone(), stop.clone()).await?;
    if let Some(answer) = answer {
        return Ok(Some((Client { socket, pipeline, stop }, NextPhase::Stream(answer, waits))));
    }
    socket.shutdown().await?;
    Ok(None)
}

/// The remainder of a connection after requests: the socket, an unending answer, and a flag that is true if the client waits for its end.
type Left = (Socket, Option<Box<ListenResponse>>, bool);

fn until_unending(socket: Socket, pipeline: Front, mut stop: watch::Receiver<bool>) -> BoxFuture<'static, hyper::Result<Left>> {
    let unending: Arc<Mutex<Option<Box<ListenResponse>>>> = Arc::default();
    let found = unending.clone();
    let service = service_fn(move |request: Request<Incoming>| {
        let may_stream = request.version() == Version::HTTP_11 && !wants_to_leave(request.headers());
        let answer = answer(pipeline.clone(), request);
        let unending = unending.clone();
        async move {
            let answer = answer.await;
            let is_unending =
                |answer: &ListenResponse| answer.status() == StatusCode::OK && answer.body().size_hint().exact().is_none();
            if may_stream && answer.as_ref().is_ok_and(is_unending) {
                *unending.lock() = answer.ok().map(Box::new);
                return std::future::pending().await;
            }
            answer
        }
        .boxed()
    });
    let mut builder = http1::Builder::new();
    let mut connection = Some(builder.timer(TokioTimer::new()).serve_connection(TokioIo::new(socket), service));
    let mut told = async move { told(&mut stop).await }.boxed().fuse();
    poll_fn(move |context| {
        let Some(open) = &mut connection else { return Poll::Pending };
        if told.poll_unpin(context).is_ready() {
            Pin::new(&mut *open).graceful_shutdown();
        }
        let polled = open.poll_without_shutdown(context);
        let answer = found.lock().take();
        if answer.is_none() {
            ready!(polled)?;
        }
        let Some(left) = connection.take().map(http1::Connection::into_parts) else { return Poll::Pending };
        Poll::Ready(Ok((left.io.into_inner(), answer, left.read_buf.is_empty())))
    })
    .boxed()
}

fn wants_to_leave(headers: &HeaderMap) -> bool {
    let mut options = headers.get_all(CONNECTION).iter().flat_map(|value| value.as_bytes().split(|byte| *byte == b','));
    options.any(|option| option.trim_ascii().eq_ignore_ascii_case(b"close"))
}

/// Writes an unending answer; afterwards the connection may serve further requests.
async fn stream(mut client: Client, answer: Box<ListenResponse>, waits: bool) -> Result<Phase, BoxError> {
    if stream::write(&mut client.socket, answer, waits).await? {
        return Ok(Some((client, NextPhase::Requests)));
    }
    client.socket.shutdown().await?;
    Ok(None)
}

/// Waits for the shutdown signal, or until its last sender is dropped.
async fn told(stop: &mut watch::Receiver<bool>) {
    // The guard of the value must not outlive the wait.
    drop(stop.wait_for(|stop| *stop).await);
}

#[cfg(test)]
mod tests {
    use super::*;

    // CON-3
    #[test]
    fn the_close_option_is_found_among_other_connection_options() {
        let leaves = |values: &[&'static str]| {
            wants_to_leave(&values.iter().map(|value| (CONNECTION, http::HeaderValue::from_static(value))).collect())
        };
        for values in [&["close"][..], &["Close, TE"], &["te,close"], &["te", "close"]] {
            assert!(leaves(values), "{values:?}");
        }
        assert!(!leaves(&[]) && !leaves(&["keep-alive, closed"]));
    }
}
