//! The minimal work of a controller: it lists, watches, and decodes each object once.

use bytes::BytesMut;
use http::Request;
use http_body_util::BodyExt as _;
use kube::api::{ListParams, WatchParams};
use kube::client::Body;
use kube::core::request;
use kube::{Client, Resource as _};
use serde::Deserialize;
use serde::de::DeserializeOwned;

use crate::{Recorder, Widget};

type Result<T> = std::result::Result<T, Box<dyn std::error::Error>>;

/// The number of objects per page, which is the same in the watches of Kubewright and of kube.
const PAGE: u32 = 500;

#[derive(Deserialize)]
struct List {
    metadata: ListMeta,
    items: Vec<Widget>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct ListMeta {
    resource_version: String,
    #[serde(rename = "continue")]
    next: Option<String>,
}

/// An event whose object is decoded in place.
#[derive(Deserialize)]
struct Event {
    #[serde(rename = "type")]
    kind: String,
    object: Widget,
}

/// Runs until a request fails.
///
/// # Errors
/// Returns the first error: nothing is retried.
pub async fn run(client: Client, recorder: &Recorder) -> Result<()> {
    let requests = request::Request::new(Widget::url_path(&(), None));
    let mut page = ListParams::default().limit(PAGE);
    let version = loop {
        let list: List = answer(&client, requests.list(&page)?).await?;
        list.items.iter().for_each(|widget| recorder.passed(&widget.spec));
        match list.metadata.next.filter(|next| !next.is_empty()) {
            Some(next) => page = page.continue_token(&next),
            None => break list.metadata.resource_version,
        }
    };
    let request = requests.watch(&WatchParams { bookmarks: false, ..WatchParams::default() }, &version)?;
    let mut body = client.send(request.map(Body::from)).await?.into_body();
    let mut unread = BytesMut::new();
    while let Some(frame) = body.frame().await {
        let data = frame?.into_data().unwrap_or_default();
        // The unread data so far contains no end of a line.
        let mut from = unread.len();
        unread.extend_from_slice(&data);
        while let Some(end) = unread[from..].iter().position(|byte| *byte == b'\n') {
            let line = unread.split_to(from + end + 1);
            from = 0;
            let event: Event = serde_json::from_slice(&line)?;
            if event.kind != "DELETED" {
                recorder.passed(&event.object.spec);
            }
        }
    }
    Err("the watch has ended".into())
}

async fn answer<T: DeserializeOwned>(client: &Client, request: Request<Vec<u8>>) -> Result<T> {
    let body = client.send(request.map(Body::from)).await?.into_body().collect().await?.to_bytes();
    Ok(serde_json::from_slice(&body)?)
}
