use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use kubewright_core::status::{StatusWrite, diff, rebase};
use kubewright_machinery::object::ObjectExt as _;
use kubewright_machinery::patch::merge_patch;
use serde_json::{Value, json};

use crate::cluster::{ApiError, ApiRequest, ApiResource, Cluster, PatchKind, RequestRetries};
use crate::config::CurrentTiming;

/// The pause before a write that met a newer version is repeated, in microseconds: 10 ms ± 10 % (STW-3).
const PAUSE: std::ops::Range<u64> = 9_000..11_000;

/// The writer of statuses of objects of one kind (SW-2, SW-3). Cheap to clone.
#[derive(Clone, Debug)]
pub struct StatusWriter {
    cluster: Cluster,
    resource: Arc<ApiResource>,
    manager: Arc<str>,
    form: StatusWrite,
    timing: CurrentTiming,
    retry: RequestRetries,
}

/// The body of a request that changes a status.
enum StatusRequest {
    /// A merge patch of the change, with the version on which it is based.
    Patch { version: String, change: String },
    /// A PUT of the whole object.
    Put(Value),
    /// An apply of the fields that this manager is to own.
    Apply { fields: Value, manager: String },
}

/// The result of a status write.
#[derive(Debug)]
#[non_exhaustive]
pub enum Written {
    /// The change was written. The value is the object on the server.
    Persisted(Value),
    /// The object is gone, or another object has its name.
    Gone,
    /// Other writers were faster at each attempt, or changed the object so that the change no longer fits. The value is the object as it was last read.
    Overtaken(Value),
}

/// The treatment of a change if another writer has changed the object meanwhile.
#[derive(Clone, Copy)]
pub enum Meanwhile<'a> {
    /// Rebases the change: the difference between the status at the start and the new one is applied to the current status, so that fields of other writers
    /// survive (STW-3).
    Rebase {
        /// The status on which the change is based.
        start: &'a Value,
        /// The desired status.
        new: &'a Value,
        /// Tells if the store of the writer still has the object. It is called when the turn of the writer has come: nothing is sent for an object that an
        /// earlier writer of this process has deleted.
        is_known: &'a (dyn Fn() -> bool + Sync),
    },
    /// Sends the same change again if this function accepts the current object; otherwise the write is abandoned.
    Only(&'a (dyn Fn(&Value) -> bool + Sync)),
}

impl fmt::Debug for Meanwhile<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // Statuses may contain secrets.
        f.write_str(match self {
            Self::Rebase { .. } => "Rebase",
            Self::Only(_) => "Only",
        })
    }
}

impl StatusWriter {
    /// Creates a writer whose writes have this field manager. `timing` limits the attempts of a write that meets a newer version.
    pub fn new(cluster: Cluster, resource: Arc<ApiResource>, manager: Arc<str>, timing: impl Into<CurrentTiming>) -> Self {
        Self { cluster, resource, manager, form: StatusWrite::default(), timing: timing.into(), retry: RequestRetries::never() }
    }

    /// Sets the form of the requests. Default: merge patches.
    #[must_use]
    pub fn form(mut self, form: StatusWrite) -> Self {
        self.form = form;
        self
    }

    /// Returns true if writes need the whole object instead of its metadata.
    pub(crate) fn sends_whole_objects(&self) -> bool {
        self.form == StatusWrite::Put
    }

    /// Sets the repetition of requests after transient errors. Default: none.
    #[must_use]
    pub fn retrying(mut self, retry: RequestRetries) -> Self {
        self.retry = retry;
        self
    }

    /// Returns true if the server confirms that the object does not exist. A write that is answered with 404 does not confirm it: the kind may have no status
    /// subresource.
    pub(crate) async fn is_gone(&self, object: &Value) -> bool {
        let read = ApiRequest::get(&self.resource, object.namespace(), object.name());
        match self.cluster.send_retrying(&read, &self.retry).await {
            Ok(live) => live.uid() != object.uid(),
            Err(error) => error.is_not_found(),
        }
    }

    /// Sends a change of the status of `object`, given as the text of a merge patch, on the condition that the object still has the version of `object`. Only
    /// this text of a large status is kept during the request. In the form [`StatusWrite::Put`], `object` must be the whole object. A change that is not to
    /// be rebased is sent as a patch also in the form [`StatusWrite::Apply`], since it does not contain the whole status.
    pub async fn write(&self, object: &Value, change: String, meanwhile: Meanwhile<'_>) -> Result<Written, ApiError> {
        let mut next = self.first(object, change, meanwhile);
        let mut attempts = self.timing.attempts();
        // An apply is not based on a version.
        let (mut turn, newer) = if matches!(next, StatusRequest::Apply { .. }) {
            (None, None)
        } else {
            let (turn, newer) = self.cluster.turn(&self.resource, object).await;
            (Some(turn), newer)
        };
        if let Meanwhile::Rebase { is_known, .. } = meanwhile
            && !is_known()
        {
            return Ok(Written::Gone);
        }
        if let Some(live) = newer {
            match still_due(live, meanwhile) {
                Due::Change { live, changed } => next.build_on(live, changed),
                Due::Nothing(written) => return Ok(written),
            }
        }
        loop {
            match self.cluster.send_retrying(&self.request(object, &next), &self.retry).await {
                Ok(answer) if matches!(next, StatusRequest::Apply { .. }) => match rest(&answer, meanwhile) {
                    // Another manager owns a field that is to be removed, such as the manager of a former patch.
                    Some(rest) => {
                        let version = answer.resource_version().to_owned();
                        next = StatusRequest::Patch { version, change: rest.to_string() };
                        continue;
                    }
                    None => return Ok(Written::Persisted(answer)),
                },
                Ok(answer) => {
                    if let Some(turn) = &mut turn {
                        turn.leave(&answer);
                    }
                    return Ok(Written::Persisted(answer));
                }
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
            let (live, changed) = match still_due(live, meanwhile) {
                Due::Change { live, changed } => (live, changed),
                Due::Nothing(written) => return Ok(written),
            };
            attempts -= 1;
            if attempts == 0 {
                return Ok(Written::Overtaken(live));
            }
            next.build_on(live, changed);
            let pause = PAUSE.start + self.cluster.random().below(PAUSE.end - PAUSE.start);
            self.cluster.clock().sleep(Duration::from_micros(pause)).await;
        }
    }

    fn first(&self, object: &Value, change: String, meanwhile: Meanwhile<'_>) -> StatusRequest {
        match (&self.form, meanwhile) {
            (StatusWrite::Put, Meanwhile::Rebase { .. }) => {
                let mut whole = object.clone();
                change_status(&mut whole, &serde_json::from_str(&change).unwrap_or_default());
                StatusRequest::Put(whole)
            }
            (StatusWrite::Apply { manager }, Meanwhile::Rebase { new, .. }) => {
                StatusRequest::Apply { fields: applied(object, new), manager: manager.clone() }
            }
            _ => StatusRequest::Patch { version: object.resource_version().to_owned(), change },
        }
    }

    fn request(&self, object: &Value, status: &StatusRequest) -> ApiRequest {
        let (namespace, name) = (object.namespace(), object.name());
        let (request, manager) = match status {
            StatusRequest::Patch { version, change } => {
                let version = Value::from(version.as_str());
                let patch = format!(r#"{{"metadata":{{"resourceVersion":{version}}},"status":{change}}}"#);
                (ApiRequest::patch_text(&self.resource, namespace, name, PatchKind::Merge, patch), &*self.manager)
            }
            StatusRequest::Put(whole) => (ApiRequest::update(&self.resource, whole), &*self.manager),
            StatusRequest::Apply { fields, manager } => {
                (ApiRequest::patch(&self.resource, namespace, name, PatchKind::Apply, fields).force(), manager.as_str())
            }
        };
        request.subresource("status").field_manager(manager)
    }
}

impl StatusRequest {
    /// Bases the same request on the current object, with another change if there is one.
    fn build_on(&mut self, mut live: Value, changed: Option<Value>) {
        match (self, changed) {
            (Self::Patch { version, change }, changed) => {
                live.resource_version().clone_into(version);
                if let Some(changed) = changed {
                    *change = changed.to_string();
                }
            }
            (Self::Put(whole), Some(changed)) => {
                change_status(&mut live, &changed);
                *whole = live;
            }
            // An apply is not based on a version, and a PUT without another change stays as it is.
            (Self::Put(_) | Self::Apply { .. }, _) => {}
        }
    }
}

/// The remaining work of a write whose object another writer has changed meanwhile.
enum Due {
    /// The change is sent for the current object: the same one, or the part that is still missing.
    Change { live: Value, changed: Option<Value> },
    /// No request is sent any more.
    Nothing(Written),
}

fn still_due(live: Value, meanwhile: Meanwhile<'_>) -> Due {
    match meanwhile {
        Meanwhile::Only(fits) if fits(&live) => Due::Change { live, changed: None },
        Meanwhile::Only(_) => Due::Nothing(Written::Overtaken(live)),
        Meanwhile::Rebase { .. } => match rest(&live, meanwhile) {
            Some(rest) => Due::Change { live, changed: Some(rest) },
            None => Due::Nothing(Written::Persisted(live)),
        },
    }
}

/// Returns the part of the change that the current object still lacks, as a merge patch of its status.
fn rest(live: &Value, meanwhile: Meanwhile<'_>) -> Option<Value> {
    let Meanwhile::Rebase { start, new, .. } = meanwhile else { return None };
    let status = live.get("status").unwrap_or(&Value::Null);
    diff(status, &rebase(start, new, status))
}

/// Applies a change to the status of an object like a server.
fn change_status(object: &mut Value, change: &Value) {
    merge_patch(object, &json!({ "status": change }));
}

/// Returns the object in the form for server-side apply, with the whole status.
fn applied(object: &Value, status: &Value) -> Value {
    let mut applied = object.apply_head();
    // Fields without a value are not owned.
    change_status(&mut applied, &diff(&Value::Null, status).unwrap_or_default());
    applied
}
