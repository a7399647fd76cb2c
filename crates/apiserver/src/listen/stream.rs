//! Unending answers on HTTP/1.1: watches.
//!
//! Clients that speak HTTP/1.1 keep a connection for each watch, and most watches are idle most of the time. So such a connection leaves hyper, whose
//! buffers are made for requests: an idle watch holds a socket and the body only, and events are sent at once.

use std::io::Write as _;

use bytes::Bytes;
use futures::FutureExt as _;
use http::{Response, response};
use http_body::{Body, Frame};
use http_body_util::BodyExt as _;
use kubewright_middleware::BoxError;
use tokio::io::{AsyncRead, AsyncReadExt as _, AsyncWrite, AsyncWriteExt as _};

/// The number of bytes that are written at once.
const ENOUGH: usize = 64 * 1024;
const END: &[u8] = b"0\r\n\r\n";

/// Writes an answer in chunks until it ends; `waits` is true if the client has sent nothing more. Returns true if the connection can take another
/// request, since the client waited for the end.
pub(super) async fn write<S, B>(socket: &mut S, answer: Box<Response<B>>, mut waits: bool) -> Result<bool, BoxError>
where
    S: AsyncRead + AsyncWrite + Unpin,
    B: Body<Data = Bytes> + Unpin,
    B::Error: Into<BoxError>,
{
    let (mut body, mut out) = {
        let (head, body) = answer.into_parts();
        (body, text_of(&head))
    };
    let mut frame = body.frame().now_or_never();
    loop {
        let mut ended = false;
        while let Some(next) = frame.take() {
            let Some(next) = next else {
                out.extend_from_slice(END);
                ended = true;
                break;
            };
            put(&next.map_err(Into::into)?, &mut out);
            if out.len() < ENOUGH {
                frame = body.frame().now_or_never();
            }
        }
        socket.write_all(&out).await?;
        socket.flush().await?;
        if ended {
            return Ok(waits);
        }
        // An idle watch holds no buffer.
        out = Vec::new();
        // The socket is read until its end, which signals that the client has left.
        let mut early = [0; 64];
        tokio::select! {
            next = body.frame() => frame = Some(next),
            read = socket.read(&mut early) => match read? {
                0 => return Ok(false),
                // The client sent the next request early; it is not answered on this connection.
                _ => waits = false,
            }
        }
    }
}

fn text_of(head: &response::Parts) -> Vec<u8> {
    let mut text = Vec::with_capacity(512);
    // Writing into memory cannot fail.
    let _ = write!(text, "HTTP/1.1 {}\r\n", head.status);
    for (name, value) in &head.headers {
        text.extend_from_slice(name.as_str().as_bytes());
        text.extend_from_slice(b": ");
        text.extend_from_slice(value.as_bytes());
        text.extend_from_slice(b"\r\n");
    }
    text.extend_from_slice(b"transfer-encoding: chunked\r\n\r\n");
    text
}

/// Adds a chunk. An empty frame is skipped, since an empty chunk would end the answer.
fn put(frame: &Frame<Bytes>, out: &mut Vec<u8>) {
    let Some(data) = frame.data_ref().filter(|data| !data.is_empty()) else { return };
    let _ = write!(out, "{:x}\r\n", data.len());
    out.extend_from_slice(data);
    out.extend_from_slice(b"\r\n");
}

#[cfg(test)]
mod tests {
    use futures::StreamExt as _;
    use futures::channel::mpsc;
    use http_body_util::StreamBody;
    use tokio::io::DuplexStream;
    use tokio::task::JoinSet;

    use super::*;

    const HEAD: &str = "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ntransfer-encoding: chunked\r\n\r\n";

    type Events = mpsc::UnboundedSender<Result<Frame<Bytes>, BoxError>>;

    /// Returns the sender of an answer's events, the client's end of the connection, and the task that writes the answer.
    fn answer() -> (Events, DuplexStream, JoinSet<Result<bool, BoxError>>) {
        let (events, frames) = mpsc::unbounded();
        let (mut server, client) = tokio::io::duplex(4096);
        let answer =
            Response::builder().header("content-type", "application/json").body(StreamBody::new(frames.boxed())).unwrap();
        let mut written = JoinSet::new();
        written.spawn(async move { write(&mut server, Box::new(answer), true).await });
        (events, client, written)
    }

    fn send(events: &Events, event: &'static str) {
        events.unbounded_send(Ok(Frame::data(event.into()))).unwrap();
    }

    async fn outcome(mut written: JoinSet<Result<bool, BoxError>>) -> Result<bool, BoxError> {
        written.join_next().await.unwrap().unwrap()
    }

    async fn read(client: &mut DuplexStream, length: usize) -> String {
        let mut bytes = vec![0; length];
        client.read_exact(&mut bytes).await.unwrap();
        String::from_utf8(bytes).unwrap()
    }

    // CON-3
    #[tokio::test]
    async fn a_client_that_has_sent_more_may_leave_as_well() {
        let (_events, mut client, written) = answer();
        read(&mut client, HEAD.len()).await;
        client.write_all(b"GET / HTTP/1.1\r\n\r\n").await.unwrap();
        client.shutdown().await.unwrap();
        assert!(!outcome(written).await.unwrap());
        let mut rest = String::new();
        client.read_to_string(&mut rest).await.unwrap();
        assert_eq!(rest, "");
    }

    // CON-3, SWATCH-1
    #[tokio::test]
    async fn events_are_sent_as_chunks_and_the_connection_stays_usable_after_the_last_event() {
        let (events, mut client, written) = answer();
        assert_eq!(read(&mut client, HEAD.len()).await, HEAD);
        send(&events, "{\"a\":1}\n");
        assert_eq!(read(&mut client, 13).await, "8\r\n{\"a\":1}\n\r\n");
        drop(events);
        assert_eq!(read(&mut client, END.len()).await.as_bytes(), END);
        assert!(outcome(written).await.unwrap());
    }

    // CON-3
    #[tokio::test]
    async fn a_client_that_sends_more_gets_its_events_and_then_the_end() {
        let (events, mut client, written) = answer();
        read(&mut client, HEAD.len()).await;
        client.write_all(b"GET / HTTP/1.1\r\n\r\n").await.unwrap();
        // The writer sees the next request before there is an event.
        tokio::task::yield_now().await;
        send(&events, "{}\n");
        drop(events);
        assert!(!outcome(written).await.unwrap());
        let mut text = String::new();
        client.read_to_string(&mut text).await.unwrap();
        assert_eq!(text, "3\r\n{}\n\r\n0\r\n\r\n");
    }

    // CON-3
    #[tokio::test]
    async fn a_watch_ends_when_its_client_leaves_or_its_body_breaks() {
        let (events, mut client, written) = answer();
        read(&mut client, HEAD.len()).await;
        drop(client);
        assert!(!outcome(written).await.unwrap());
        drop(events);
        let (events, _client, written) = answer();
        events.unbounded_send(Err("cut".into())).unwrap();
        assert!(outcome(written).await.is_err());
    }
}
