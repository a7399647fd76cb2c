//! The size limit of a component (STA-8).
//!
//! The limit applies to the whole object with its new status, not to the status alone, because the whole object is stored. A limit of 1 MiB for
//! the status would refuse components that fit, and accept others whose spec is large.

use kubewright_runtime::cluster::ApiError;
use serde_json::{Map, Value};

/// The largest object that an API server stores, in bytes of JSON: etcd takes requests of 1.5 MiB, of which a few hundred bytes
/// are not the object.
pub(crate) const LARGEST: usize = 1536 * 1024 - 4096;
/// The number of dependents below which the size is not computed. If the object is too large all the same, the API server refuses the status
/// that is written ahead, with the same end.
const FEW: usize = 512;

/// The size of an object in bytes of JSON.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Size {
    /// The bytes of the status.
    pub(crate) status: usize,
    /// The bytes of the object without its status.
    pub(crate) rest: usize,
}

impl Size {
    /// Returns the size of this object with another status. `None` if there are too few dependents to matter.
    pub(crate) fn of(object: &Value, status: &Map<String, Value>, dependents: usize) -> Option<Self> {
        if dependents < FEW {
            return None;
        }
        let others = object.as_object().into_iter().flatten().filter(|(field, _)| *field != "status");
        // Counts quotes, colon and comma; the braces of the object replace the last comma.
        let rest = others.map(|(field, value)| field.len() + bytes(value) + 4).sum::<usize>() + r#"{"status":}"#.len();
        Some(Self { status: map_bytes(status), rest })
    }

    /// Returns the size with a status that is larger by so many bytes.
    pub(crate) fn grown(self, bytes: usize) -> Self {
        Self { status: self.status + bytes, ..self }
    }

    pub(crate) fn total(self) -> usize {
        self.status + self.rest
    }

    pub(crate) fn fits(self) -> bool {
        self.total() <= LARGEST
    }
}

/// Returns true if a server refuses an object for its size. The refusal by etcd has the code of a transient error.
pub(crate) fn is_too_large(error: &ApiError) -> bool {
    let told = |status: &kubewright_core::flow::ApiStatus| {
        let by_storage = ["request is too large", "trying to send message larger than max"];
        status.code == 413 || (status.code == 500 && by_storage.iter().any(|text| status.message.contains(text)))
    };
    error.status().is_some_and(told)
}

fn map_bytes(map: &Map<String, Value>) -> usize {
    map.iter().map(|(field, value)| field.len() + bytes(value) + 4).sum::<usize>() + 1
}

/// Returns the bytes of a value as JSON, without building the text.
fn bytes(value: &Value) -> usize {
    struct Count(usize);
    impl std::io::Write for Count {
        fn write(&mut self, text: &[u8]) -> std::io::Result<usize> {
            self.0 += text.len();
            Ok(text.len())
        }
        fn flush(&mut self) -> std::io::Result<()> {
            Ok(())
        }
    }
    let mut count = Count(0);
    // Counting does not fail, and a JSON value can always be serialized.
    drop(serde_json::to_writer(&mut count, value));
    count.0
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    // STA-8
    #[test]
    fn the_size_is_that_of_the_whole_object_with_its_new_status() {
        let object = json!({ "kind": "Bundle", "metadata": { "name": "é\"" }, "spec": [1, 2], "status": { "old": true } });
        let status = json!({ "inventory": [{ "name": "a" }], "state": "Ready" });
        let size = Size::of(&object, status.as_object().unwrap(), FEW).unwrap();
        let mut after = object.clone();
        after["status"] = status.clone();
        let exact = after.to_string().len();
        assert!((exact..exact + 4).contains(&size.total()), "{size:?}, exactly {exact}");
        assert_eq!(size.status, status.to_string().len());
        assert_eq!(Size::of(&object, status.as_object().unwrap(), FEW - 1), None);
    }
}
