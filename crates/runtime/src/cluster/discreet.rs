//! The client for users, whose errors show nothing confidential.

use std::sync::Arc;

use bytes::Bytes;
use http::{Request, Response, header};
use http_body_util::BodyExt as _;
use kube::client::Body;
use kubewright_core::flow::Confidential;

use super::error::shown;
use super::request::confidential;

/// A client like `below` (whose connections it shares), in whose failed answers the confidential values of the request and the credentials
/// are masked, and bodies that are no `Status` are replaced. `kube` makes its errors of those answers.
pub(super) fn discreet(below: &kube::Client, credentials: Arc<Confidential>) -> kube::Client {
    let client = below.clone();
    let service = tower::service_fn(move |request: Request<Body>| {
        let (client, credentials) = (client.clone(), Arc::clone(&credentials));
        async move { send(&client, &credentials, request).await }
    });
    kube::Client::new(service, below.default_namespace()).with_valid_until(*below.valid_until())
}

async fn send(client: &kube::Client, credentials: &Confidential, request: Request<Body>) -> kube::Result<Response<Body>> {
    let (head, body) = request.into_parts();
    let path = head.uri.path().to_owned();
    let sent = body.collect().await?.to_bytes();
    let answer = client.send(Request::from_parts(head, Body::from(sent.clone()))).await?;
    if answer.status().as_u16() < 400 {
        return Ok(answer);
    }
    masked(answer, credentials, &confidential(&path, &sent)).await
}

async fn masked(answer: Response<Body>, credentials: &Confidential, of_request: &Confidential) -> kube::Result<Response<Body>> {
    let (mut head, body) = answer.into_parts();
    let told: Bytes = body.collect().await?.to_bytes();
    let status = shown(head.status.as_u16(), &told, |status| {
        of_request.mask_value(status);
        credentials.mask_value(status);
    });
    head.headers.remove(header::CONTENT_LENGTH);
    Ok(Response::from_parts(head, Body::from(status.to_string().into_bytes())))
}
