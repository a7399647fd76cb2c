use std::sync::Arc;
use std::time::Duration;

use kubewright_core::backoff::Timing;
use kubewright_core::finalizer::{FinalizerName, add_patch, remove_patch};
use kubewright_machinery::object::ObjectExt as _;
use serde_json::{Value, json};

use crate::cluster::{ApiError, ApiRequest, ApiResource, Cluster, PatchKind, Retry};

/// Adds and removes a finalizer on objects of one kind (FZ-5 to FZ-8). Cheap to clone.
#[derive(Clone, Debug)]
pub struct FinalizerWriter {
    cluster: Cluster,
    resource: Arc<ApiResource>,
    manager: Arc<str>,
    name: FinalizerName,
    former: Arc<[FinalizerName]>,
    attempts: u32,
    retry: Retry,
    hurry: Option<Duration>,
}

/// The result of adding or removing a finalizer.
#[derive(Debug)]
#[non_exhaustive]
pub enum FinalizerOutcome {
    /// The object was as wanted already; no request was sent.
    Unchanged,
    /// The object as the server has it now, with the change.
    Changed(Value),
    /// The object is being deleted by now, so the finalizer cannot be added. With the object as it is (FNL-4).
    Deleting(Value),
    /// The object is gone, or another one has its name.
    Gone,
    /// The object was changed meanwhile, and its reader does not go on with it as it is now.
    Dropped(Value),
    /// Other writers were faster each time; the last conflict.
    Overtaken(ApiError),
}

/// Which state of an object may lose its finalizer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum RemovalGuard {
    /// Any state of the same object.
    Anyhow,
    /// The state that was seen: what another writer added since is not known.
    AsSeen,
}

impl FinalizerWriter {
    /// A writer for this finalizer. `manager` is the field manager of its writes, one of their own, so that no apply strips the finalizer
    /// (FZ-11). `timing` says how often a patch is tried whose test failed.
    pub fn new(cluster: Cluster, resource: Arc<ApiResource>, manager: Arc<str>, name: FinalizerName, timing: &Timing) -> Self {
        let attempts = timing.conflict_retries_in_place.max(1);
        Self { cluster, resource, manager, name, former: Arc::new([]), attempts, retry: Retry::never(), hurry: None }
    }

    /// With former names of the finalizer: one that is there counts as ours, and goes with ours (FZ-8).
    #[must_use]
    pub fn former(mut self, names: impl IntoIterator<Item = FinalizerName>) -> Self {
        self.former = names.into_iter().collect();
        self
    }

    /// With requests that are repeated after transient errors. Default: never.
    #[must_use]
    pub fn retrying(mut self, retry: Retry) -> Self {
        self.retry = retry;
        self
    }

    /// With requests that wait for no other requests and are answered within this time: for work that is done as well as it can be within a
    /// bounded time.
    #[must_use]
    pub fn hurried(mut self, answer: Duration) -> Self {
        self.hurry = Some(answer);
        self
    }

    /// The name.
    pub fn name(&self) -> &FinalizerName {
        &self.name
    }

    /// Whether the object has the finalizer, under any of its names.
    pub fn holds(&self, object: &Value) -> bool {
        self.names().any(|name| object.has_finalizer(name.as_str()))
    }

    /// Adds the finalizer, unless it is there or the object is being deleted (FZ-4). `goes_on` is asked whether an object that was changed
    /// meanwhile still is the one that the caller means.
    pub async fn add(&self, object: &Value, goes_on: impl Fn(&Value) -> bool + Send) -> Result<FinalizerOutcome, ApiError> {
        let patch = |object: &Value| add_patch(object, &self.name).filter(|_| !self.holds(object));
        self.settle(object, true, patch, goes_on).await
    }

    /// Removes the finalizer under all of its names. `goes_on` is asked whether an object that was changed meanwhile still is the one that the
    /// caller means.
    pub async fn remove(
        &self,
        object: &Value,
        removal: RemovalGuard,
        goes_on: impl Fn(&Value) -> bool + Send,
    ) -> Result<FinalizerOutcome, ApiError> {
        let names: Vec<&FinalizerName> = self.names().collect();
        let patch = |object: &Value| {
            let mut patch = remove_patch(object, &names)?;
            if removal == RemovalGuard::AsSeen {
                let seen = json!({ "op": "test", "path": "/metadata/resourceVersion", "value": object.resource_version() });
                patch.as_array_mut()?.insert(0, seen);
            }
            Some(patch)
        };
        self.settle(object, false, patch, goes_on).await
    }

    fn names(&self) -> impl Iterator<Item = &FinalizerName> {
        std::iter::once(&self.name).chain(&*self.former)
    }

    /// Sends the patch until its tests pass, each time for the object as it is then (FZ-6).
    async fn settle(
        &self,
        object: &Value,
        is_added: bool,
        patch: impl Fn(&Value) -> Option<Value> + Send,
        goes_on: impl Fn(&Value) -> bool + Send,
    ) -> Result<FinalizerOutcome, ApiError> {
        let Some(mut next) = patch(object) else { return Ok(FinalizerOutcome::Unchanged) };
        let (namespace, name) = (object.namespace(), object.name());
        let mut attempts = self.attempts;
        loop {
            let request = ApiRequest::patch(&self.resource, namespace, name, PatchKind::Json, &next).field_manager(&self.manager);
            let refusal = match self.send(request).await {
                Ok(answer) => return Ok(FinalizerOutcome::Changed(answer)),
                Err(error) if error.is_not_found() => return Ok(FinalizerOutcome::Gone),
                // The test in the patch failed: another writer was faster.
                Err(error) if error.code() == Some(422) || error.is_conflict() => error,
                Err(error) => return Err(error),
            };
            let live = match self.send(ApiRequest::get(&self.resource, namespace, name)).await {
                Ok(live) if live.uid() == object.uid() => live,
                Ok(_) => return Ok(FinalizerOutcome::Gone),
                Err(error) if error.is_not_found() => return Ok(FinalizerOutcome::Gone),
                Err(error) => return Err(error),
            };
            if !goes_on(&live) {
                return Ok(FinalizerOutcome::Dropped(live));
            }
            let Some(again) = patch(&live) else {
                let lacks_it = is_added && !self.holds(&live);
                return Ok(if lacks_it { FinalizerOutcome::Deleting(live) } else { FinalizerOutcome::Changed(live) });
            };
            // What the patch tests has not changed, so it is the patch itself that the server does not want.
            if again == next && refusal.code() == Some(422) {
                return Err(refusal);
            }
            attempts -= 1;
            if attempts == 0 {
                return Ok(FinalizerOutcome::Overtaken(refusal));
            }
            next = again;
        }
    }

    async fn send(&self, request: ApiRequest) -> Result<Value, ApiError> {
        let request = match self.hurry {
            Some(limit) => request.deadline(limit).at_once(),
            None => request,
        };
        self.cluster.send_retrying(&request, &self.retry).await
    }
}
