//! The way of a request from its connection into the pipeline.

use bytes::Bytes;
use http::{Request, Response};
use http_body::Body;
use http_body_util::{BodyExt as _, Full};
use hyper::body::Incoming;
use kubewright_middleware::BoxError;
use kubewright_middleware::faults::FaultBody;
use kubewright_middleware::journal::JournalBody;
use tower::ServiceExt as _;

use crate::request::ResponseBody;
use crate::request::wire::body::MAX_BODY_BYTES;
use crate::server::Front;

/// The number of bytes after which the rest of a body is not read. The pipeline refuses such a body, since its own limit is lower; a client that sends
/// little more than that limit can finish, and then reads the refusal.
const READ_BYTES: usize = MAX_BODY_BYTES + 1024 * 1024;

/// The response of the pipeline on a port.
pub(super) type ListenResponse = Response<JournalBody<FaultBody<ResponseBody>>>;

/// Answers one request of a connection. An error, which a fault rule asked for, breaks the connection, or on HTTP/2 the stream.
pub(super) async fn answer(pipeline: Front, request: Request<Incoming>) -> Result<ListenResponse, BoxError> {
    let (head, body) = request.into_parts();
    let body = read(body).await?;
    pipeline.oneshot(Request::from_parts(head, Full::new(body))).await
}

/// Reads a body, or the part of it that suffices to refuse it.
async fn read<B: Body<Data = Bytes> + Unpin>(mut body: B) -> Result<Bytes, B::Error> {
    let (mut parts, mut length) = (Vec::new(), 0);
    while length < READ_BYTES
        && let Some(frame) = body.frame().await
    {
        if let Ok(data) = frame?.into_data() {
            length += data.len();
            parts.push(data);
        }
    }
    Ok(if parts.len() == 1 { parts.remove(0) } else { parts.concat().into() })
}

#[cfg(test)]
mod tests {
    use http_body::Frame;
    use http_body_util::StreamBody;

    use super::*;

    // DISC-19
    #[tokio::test]
    async fn a_body_is_read_whole_unless_the_pipeline_refuses_it_for_its_length() {
        let part = Bytes::from(vec![b'a'; MAX_BODY_BYTES / 2]);
        let body = |parts| {
            let frames = std::iter::repeat_n(part.clone(), parts).map(|part| Ok::<_, BoxError>(Frame::data(part)));
            StreamBody::new(futures::stream::iter(frames))
        };
        for parts in 0..=2 {
            assert_eq!(read(body(parts)).await.unwrap().len(), parts * part.len());
        }
        // Three of the eight parts are enough to exceed both limits.
        let read = read(body(8)).await.unwrap();
        assert!(read.len() > MAX_BODY_BYTES && read.len() < READ_BYTES + part.len(), "{}", read.len());
    }
}
