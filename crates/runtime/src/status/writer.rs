use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use kubewright_core::backoff::Timing;
use kubewright_core::status::{diff, rebase};
use kubewright_machinery::object::ObjectExt as _;
use serde_json::Value;

use crate::cluster::{ApiError, ApiRequest, ApiResource, Cluster, PatchKind, Retry};

/// The pause before a write that met a newer version is repeated, in microseconds: 10 ms, a tenth more or less (STW-3).
const PAUSE: std::ops::Range<u64> = 9_000..11_000;

/// Writes the status of objects of one kind (SW-2, SW-3). Cheap to clone.
#[derive(Clone, Debug)]
pub struct StatusWriter {
    cluster: Cluster,
    resource: Arc<ApiResource>,
    manager: Arc<str>,
    attempts: u32,
    retry: Retry,
}

/// The result of a status write.
#[derive(Debug)]
#[non_exhaustive]
pub enum Written {
    /// The object as the server has it now, with the change.
    Persisted(Value),
    /// The object is gone, or another one has its name.
    Gone,
    /// Other writers were faster: each time, or so that the change no longer fits. With the object as it was read last.
    Overtaken(Value),
}

/// The fate of a change when another writer has changed the object meanwhile.
#[derive(Clone, Copy)]
pub enum Meanwhile<'a> {
    /// The change from the status at the start to the new one is made to the status as it is now, so that fields of other writers survive
    /// (STW-3).
    Rebase {
        /// The status on which the change is based.
        start: &'a Value,
        /// The status that was wanted.
        new: &'a Value,
    },
    /// The same change is sent again if this holds of the object as it is now; else the write is given up.
    Only(&'a (dyn Fn(&Value) -> bool + Sync)),
}

impl fmt::Debug for Meanwhile<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // Statuses may be secret.
        f.write_str(match self {
            Self::Rebase { .. } => "Rebase",
            Self::Only(_) => "Only",
        })
    }
}

impl StatusWriter {
    /// A writer whose writes have this field manager. `timing` says how often a write that met a newer version is tried.
    pub fn new(cluster: Cluster, resource: Arc<ApiResource>, manager: Arc<str>, timing: &Timing) -> Self {
        let attempts = timing.conflict_retries_in_place.max(1);
        Self { cluster, resource, manager, attempts, retry: Retry::never() }
    }

    /// With requests that are repeated after transient errors. Default: never.
    #[must_use]
    pub fn retrying(mut self, retry: Retry) -> Self {
        self.retry = retry;
        self
    }

    /// Whether the server says that there is no such object. A write that is not found does not say so: perhaps the kind has no status
    /// subresource.
    pub(crate) async fn is_gone(&self, object: &Value) -> bool {
        let read = ApiRequest::get(&self.resource, object.namespace(), object.name());
        match self.cluster.send_retrying(&read, &self.retry).await {
            Ok(live) => live.uid() != object.uid(),
            Err(error) => error.is_not_found(),
        }
    }

    /// Sends a change of the status of `object`, the text of a merge patch, on the condition that the object still has the version that
    /// `object` has. The text is all that is kept of a large status while the server is asked.
    pub async fn write(&self, object: &Value, mut change: String, meanwhile: Meanwhile<'_>) -> Result<Written, ApiError> {
        let mut version = object.resource_version().to_owned();
        let mut attempts = self.attempts;
        loop {
            match self.cluster.send_retrying(&self.patch(object, &version, &change), &self.retry).await {
                Ok(answer) => return Ok(Written::Persisted(answer)),
                Err(error) if error.is_not_found() => return Ok(Written::Gone),
                Err(error) if error.is_conflict() => {}
                Err(error) => return Err(error),
            }
            let read = ApiRequest::get(&self.resource, object.namespace(), object.name());
            let live = match self.cluster.send_retrying(&read, &self.retry).await {
                Ok(live) if live.uid() == object.uid() => live,
                Ok(_) => return Ok(Written::Gone),
                Err(error) if error.is_not_found() => return Ok(Written::Gone),
                Err(error) => return Err(error),
            };
            match meanwhile {
                Meanwhile::Only(fits) if fits(&live) => {}
                Meanwhile::Only(_) => return Ok(Written::Overtaken(live)),
                Meanwhile::Rebase { start, new } => {
                    let status = live.get("status").unwrap_or(&Value::Null);
                    match diff(status, &rebase(start, new, status)) {
                        Some(rest) => change = rest.to_string(),
                        None => return Ok(Written::Persisted(live)),
                    }
                }
            }
            live.resource_version().clone_into(&mut version);
            attempts -= 1;
            if attempts == 0 {
                return Ok(Written::Overtaken(live));
            }
            let pause = PAUSE.start + self.cluster.random().below(PAUSE.end - PAUSE.start);
            self.cluster.clock().sleep(Duration::from_micros(pause)).await;
        }
    }

    fn patch(&self, object: &Value, version: &str, change: &str) -> ApiRequest {
        let version = Value::from(version);
        let patch = format!(r#"{{"metadata":{{"resourceVersion":{version}}},"status":{change}}}"#);
        ApiRequest::patch_text(&self.resource, object.namespace(), object.name(), PatchKind::Merge, patch)
            .subresource("status")
            .field_manager(&self.manager)
    }
}
