//! Connections: accepted, authenticated, served, and ended.

use std::{pin::pin, sync::Arc, time::Duration};

use bytes::Bytes;
use http::{Request, Response, header::CONTENT_TYPE};
use http_body_util::{BodyExt, Either, Full, LengthLimitError, Limited};
use hyper::{body::Incoming, service::service_fn};
use hyper_util::{
    rt::{TokioExecutor, TokioIo, TokioTimer},
    server::conn::auto,
};
use tokio::{
    io::{AsyncRead, AsyncWrite},
    net::{TcpListener, TcpStream},
    sync::watch,
    task::JoinSet,
};
use tokio_rustls::TlsAcceptor;
use tower::ServiceExt;

use crate::{
    access::{Identity, Refused},
    middleware::{BoxError, faults::FaultBody, journal::JournalBody},
    request::ResponseBody,
    server::{Front, State},
    status::Status,
};

/// More than the pipeline reads, so that it is the pipeline that refuses a large body.
const MAX_BODY_BYTES: usize = 4 * 1024 * 1024;
/// One HTTP/2 connection carries all watches of a client.
const MAX_STREAMS: u32 = 2_000;
/// How long requests may go on after a shutdown was asked for. Watches never end by themselves.
const DRAIN: Duration = Duration::from_millis(500);
/// Who has not finished the TLS handshake by then is no client.
const HANDSHAKE: Duration = Duration::from_secs(10);
/// A silent HTTP/2 connection is asked this often whether it is still there, and ended when no answer comes in time.
const KEEP_ALIVE: (Duration, Duration) = (Duration::from_secs(30), Duration::from_secs(20));

type Answer = Response<Either<JournalBody<FaultBody<ResponseBody>>, Full<Bytes>>>;

/// What every connection needs.
#[derive(Clone)]
pub(super) struct Frontend {
    pub(super) pipeline: Front,
    pub(super) state: Arc<State>,
    /// None: the port is plain, only this machine reaches it, and everybody is an administrator.
    pub(super) tls: Option<TlsAcceptor>,
}

/// Accepts connections until told to stop, then ends those that are left.
pub(super) async fn run(listener: TcpListener, frontend: Frontend, mut stop: watch::Receiver<bool>) {
    let mut connections = JoinSet::new();
    let stopped = stop.clone();
    loop {
        tokio::select! {
            accepted = listener.accept() => match accepted {
                Ok((socket, _)) => {
                    let (frontend, stop) = (frontend.clone(), stopped.clone());
                    connections.spawn(async move {
                        if let Err(error) = connection(socket, frontend, stop).await {
                            tracing::debug!(error, "a connection ended");
                        }
                    });
                }
                Err(error) => {
                    // Out of file descriptors, most likely; some are given back when connections end.
                    tracing::warn!(%error, "failed to accept a connection");
                    tokio::time::sleep(Duration::from_millis(50)).await;
                }
            },
            Some(_) = connections.join_next(), if !connections.is_empty() => {}
            () = told(&mut stop) => break,
        }
    }
    drop(listener);
    let drained = async { while connections.join_next().await.is_some() {} };
    // Whoever is still connected after that is cut off: dropping the set ends the tasks.
    let _ = tokio::time::timeout(DRAIN, drained).await;
}

async fn connection(socket: TcpStream, frontend: Frontend, stop: watch::Receiver<bool>) -> Result<(), BoxError> {
    socket.set_nodelay(true)?;
    let Some(tls) = frontend.tls.clone() else {
        return serve(socket, Some(Identity::admin()), frontend, stop).await;
    };
    let socket = tokio::time::timeout(HANDSHAKE, tls.accept(socket)).await??;
    let certificate = socket.get_ref().1.peer_certificates().and_then(|chain| chain.first());
    let certified = certificate.and_then(|certificate| frontend.state.access.credentials.by_certificate(certificate));
    serve(socket, certified, frontend, stop).await
}

async fn serve<I>(
    socket: I,
    certified: Option<Identity>,
    frontend: Frontend,
    mut stop: watch::Receiver<bool>,
) -> Result<(), BoxError>
where
    I: AsyncRead + AsyncWrite + Unpin + Send + 'static,
{
    let certified = Arc::new(certified);
    let service = service_fn(move |request: Request<Incoming>| answer(frontend.clone(), certified.clone(), request));
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

/// One request. An error breaks the connection, or on HTTP/2 the stream: that is what a fault rule asked for.
async fn answer(frontend: Frontend, certified: Arc<Option<Identity>>, request: Request<Incoming>) -> Result<Answer, BoxError> {
    let authenticated = frontend.state.authenticate(certified.as_ref().as_ref(), request.headers());
    let (head, body) = request.into_parts();
    let bytes = match Limited::new(body, MAX_BODY_BYTES).collect().await {
        Ok(body) => body.to_bytes(),
        Err(error) if error.is::<LengthLimitError>() => {
            return Ok(refusal(&Status::too_large("Request entity too large: limit is 3145728")));
        }
        Err(error) => return Err(error),
    };
    let mut request = Request::from_parts(head, Full::new(bytes));
    match authenticated {
        Ok(identity) => {
            request.extensions_mut().insert(identity);
        }
        // The pipeline refuses, so that the answer has what every answer has.
        Err(status) => {
            request.extensions_mut().insert(Refused(status));
        }
    }
    Ok(frontend.pipeline.oneshot(request).await?.map(Either::Left))
}

fn refusal(status: &Status) -> Answer {
    let mut response = Response::new(Either::Right(Full::from(status.to_value().to_string())));
    *response.status_mut() = status.status_code();
    response.headers_mut().insert(CONTENT_TYPE, http::HeaderValue::from_static("application/json"));
    response
}

/// Waits until it is time to stop, or nobody is left to say so.
async fn told(stop: &mut watch::Receiver<bool>) {
    // The guard of the value must not outlive the wait.
    drop(stop.wait_for(|stop| *stop).await);
}
