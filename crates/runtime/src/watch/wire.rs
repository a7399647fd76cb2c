use std::borrow::Cow;
use std::fmt;

use bytes::Bytes;
use http_body_util::BodyExt as _;
use kube::client::Body;
use serde::Deserialize;
use serde::de::{DeserializeSeed, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};

use super::object_fields::ObjectFields;

/// The metadata of a list.
#[derive(Debug, Default, Deserialize, PartialEq, Eq)]
#[serde(default, rename_all = "camelCase")]
pub(super) struct ListMeta {
    pub(super) resource_version: String,
    #[serde(rename = "continue")]
    pub(super) next: String,
}

/// A line of a watch.
#[derive(Debug, Deserialize)]
pub(super) struct WireLine<'a> {
    #[serde(borrow, rename = "type")]
    pub(super) kind: Cow<'a, str>,
    #[serde(borrow)]
    pub(super) object: ObjectFields<'a>,
}

/// Reads a list and passes its items on, one by one.
pub(super) fn read_list<'a>(body: &'a str, item: &mut dyn FnMut(ObjectFields<'a>)) -> Result<ListMeta, serde_json::Error> {
    let mut reader = serde_json::Deserializer::from_str(body);
    let meta = ListReader { item }.deserialize(&mut reader)?;
    reader.end()?;
    Ok(meta)
}

struct ListReader<'f, 'a> {
    item: &'f mut dyn FnMut(ObjectFields<'a>),
}

impl<'de> DeserializeSeed<'de> for ListReader<'_, 'de> {
    type Value = ListMeta;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<ListMeta, D::Error> {
        deserializer.deserialize_map(self)
    }
}

impl<'de> Visitor<'de> for ListReader<'_, 'de> {
    type Value = ListMeta;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a list of objects")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<ListMeta, A::Error> {
        let mut meta = ListMeta::default();
        while let Some(key) = map.next_key::<Cow<'de, str>>()? {
            match &*key {
                "metadata" => meta = map.next_value()?,
                "items" => map.next_value_seed(ItemsReader { item: &mut *self.item })?,
                _ => drop(map.next_value::<IgnoredAny>()?),
            }
        }
        Ok(meta)
    }
}

struct ItemsReader<'f, 'a> {
    item: &'f mut dyn FnMut(ObjectFields<'a>),
}

impl<'de> DeserializeSeed<'de> for ItemsReader<'_, 'de> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for ItemsReader<'_, 'de> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("items or null")
    }

    fn visit_unit<E>(self) -> Result<(), E> {
        Ok(())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<(), A::Error> {
        while let Some(item) = items.next_element()? {
            (self.item)(item);
        }
        Ok(())
    }
}

/// The lines of a body, each available as soon as it is complete.
pub(super) struct Lines {
    body: Body,
    /// The frame that is being split into lines.
    frame: Bytes,
    /// The beginning of a line whose end has not arrived yet.
    partial: Vec<u8>,
}

impl Lines {
    pub(super) fn new(body: Body) -> Self {
        Self { body, frame: Bytes::new(), partial: Vec::new() }
    }

    /// Returns the next line that is not empty, without its end; `None` when the body has ended. A last line without an end was cut off and is dropped. Lines
    /// within one frame are not copied.
    pub(super) async fn next(&mut self) -> Result<Option<Bytes>, kube::Error> {
        loop {
            if let Some(end) = self.frame.iter().position(|byte| *byte == b'\n') {
                let line = self.frame.split_to(end + 1).slice(..end);
                let line = if self.partial.is_empty() {
                    line
                } else {
                    self.partial.extend_from_slice(&line);
                    Bytes::from(std::mem::take(&mut self.partial))
                };
                if !line.trim_ascii().is_empty() {
                    return Ok(Some(line));
                }
                continue;
            }
            // The wait may be cancelled and begun again, so the kept bytes must not be kept twice.
            let rest = std::mem::take(&mut self.frame);
            self.partial.extend_from_slice(&rest);
            self.frame = match self.body.frame().await {
                None => return Ok(None),
                Some(frame) => frame?.into_data().unwrap_or_default(),
            };
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::Value;

    use super::*;

    fn read(text: &str) -> (Result<ListMeta, serde_json::Error>, Vec<String>) {
        let mut items = Vec::new();
        let meta = read_list(text, &mut |item| items.push(Value::Object(item.tree().unwrap()).to_string()));
        (meta, items)
    }

    #[test]
    fn a_list_is_read_item_by_item_whatever_the_order_of_its_fields() {
        let (meta, items) =
            read(r#"{"items":[{"a":1},{"b":2}],"kind":"PodList","metadata":{"resourceVersion":"7","continue":"c"}}"#);
        assert_eq!(meta.unwrap(), ListMeta { resource_version: "7".into(), next: "c".into() });
        assert_eq!(items, [r#"{"a":1}"#, r#"{"b":2}"#]);
    }

    #[test]
    fn a_list_without_items_is_empty() {
        let (meta, items) = read(r#"{"metadata":{"resourceVersion":"7"},"items":null}"#);
        assert_eq!(meta.unwrap().resource_version, "7");
        assert!(items.is_empty());
    }

    #[test]
    fn a_list_that_breaks_off_is_an_error() {
        assert!(read(r#"{"metadata":{},"items":[{"a":1},"#).0.is_err());
        assert!(read("[]").0.is_err());
    }

    #[tokio::test]
    async fn lines_are_found_across_frames() {
        // This body has one frame; the scripted server of the watch tests splits lines anywhere.
        let mut lines = Lines::new(Body::from(b"{\"a\":1}\n\n{\"b\":2}\ncut off".to_vec()));
        assert_eq!(lines.next().await.unwrap().unwrap(), "{\"a\":1}");
        assert_eq!(lines.next().await.unwrap().unwrap(), "{\"b\":2}");
        assert!(lines.next().await.unwrap().is_none());
    }

    #[tokio::test]
    async fn a_wait_that_is_given_up_loses_and_doubles_nothing() {
        let (sender, frames) = futures::channel::mpsc::unbounded::<Result<http_body::Frame<Bytes>, std::io::Error>>();
        let body = parking_lot::Mutex::new(Some(http_body_util::StreamBody::new(frames)));
        let service = tower::service_fn(move |_: http::Request<Body>| {
            let body = body.lock().take().unwrap();
            async move { Ok::<_, std::convert::Infallible>(http::Response::new(body)) }
        });
        let client = kube::Client::new(service, "default");
        let mut lines = Lines::new(client.send(http::Request::new(Body::empty())).await.unwrap().into_body());
        let say = |text: &'static str| sender.unbounded_send(Ok(http_body::Frame::data(Bytes::from_static(text.as_bytes()))));
        say("{\"a\":").unwrap();
        for _ in 0..3 {
            assert!(futures::poll!(std::pin::pin!(lines.next())).is_pending());
        }
        say("1}\n").unwrap();
        assert_eq!(lines.next().await.unwrap().unwrap(), "{\"a\":1}");
    }
}
