use std::sync::Arc;
use std::time::Duration;

use kubewright_core::finalizer::{
    FinalizerName, FinalizerWrite, add_merge_patch, add_patch, applied_finalizers, remove_merge_patch, remove_patch,
};
use kubewright_machinery::object::ObjectExt as _;
use serde_json::{Value, json};

use crate::cluster::{ApiError, ApiRequest, ApiResource, Cluster, PatchKind, RequestRetries};
use crate::config::CurrentTiming;

/// The writer that adds and removes a finalizer on objects of one kind (FZ-5 to FZ-8). Cheap to clone.
#[derive(Clone, Debug)]
pub struct FinalizerWriter {
    cluster: Cluster,
    resource: Arc<ApiResource>,
    manager: Arc<str>,
    name: FinalizerName,
    former: Arc<[FinalizerName]>,
    form: FinalizerWrite,
    timing: CurrentTiming,
    retry: RequestRetries,
    hurry: Option<Duration>,
}

/// The result of adding or removing a finalizer.
#[derive(Debug)]
#[non_exhaustive]
pub enum FinalizerOutcome {
    /// The object was already in the desired state; no request was sent.
    Unchanged,
    /// The object was changed. The value is its state on the server.
    Changed(Value),
    /// The object is being deleted, so the finalizer cannot be added (FNL-4). The value is the current object.
    Deleting(Value),
    /// The object is gone, or another object has its name.
    Gone,
    /// The object was changed meanwhile, and the caller does not accept its current state, which is the value.
    Dropped(Value),
    /// Other writers were faster at each attempt; the value is the last conflict.
    Overtaken(ApiError),
}

/// The states of an object in which its finalizer may be removed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum RemovalGuard {
    /// Any state of the same object.
    Anyhow,
    /// Only the state that was seen, because the changes of other writers since then are unknown.
    AsSeen,
}

/// The body of a request that changes the finalizers of an object.
#[derive(Debug, PartialEq, Eq)]
enum FinalizerRequest {
    Json(Value),
    Merge(Value),
    Apply { body: Value, manager: String, force: bool },
}

impl FinalizerWriter {
    /// Creates a writer for this finalizer. `manager` is the field manager of its writes; it must be separate, so that no apply strips the finalizer (FZ-11).
    /// `timing` limits the attempts of a patch whose test fails.
    pub fn new(
        cluster: Cluster,
        resource: Arc<ApiResource>,
        manager: Arc<str>,
        name: FinalizerName,
        timing: impl Into<CurrentTiming>,
    ) -> Self {
        Self {
            cluster,
            resource,
            manager,
            name,
            former: Arc::new([]),
            form: FinalizerWrite::default(),
            timing: timing.into(),
            retry: RequestRetries::never(),
            hurry: None,
        }
    }

    /// Sets former names of the finalizer: an entry with one of them counts as this finalizer, and is removed with it (FZ-8).
    #[must_use]
    pub fn former(mut self, names: impl IntoIterator<Item = FinalizerName>) -> Self {
        self.former = names.into_iter().collect();
        self
    }

    /// Sets the form of the requests. Default: JSON patches.
    #[must_use]
    pub fn form(mut self, form: FinalizerWrite) -> Self {
        self.form = form;
        self
    }

    /// Sets the repetition of requests after transient errors. Default: none.
    #[must_use]
    pub fn retrying(mut self, retry: RequestRetries) -> Self {
        self.retry = retry;
        self
    }

    /// Makes requests wait for no other requests, and limits the time of their answers: for work that must end within a bounded time, complete or not.
    #[must_use]
    pub fn hurried(mut self, answer: Duration) -> Self {
        self.hurry = Some(answer);
        self
    }

    /// Returns the name.
    pub fn name(&self) -> &FinalizerName {
        &self.name
    }

    /// Returns true if the object has the finalizer under any of its names.
    pub fn holds(&self, object: &Value) -> bool {
        self.names().any(|name| object.has_finalizer(name.as_str()))
    }

    /// Returns true if finalizers are written by server-side apply.
    pub(crate) fn applies(&self) -> bool {
        matches!(self.form, FinalizerWrite::Apply { .. })
    }

    /// Adds the finalizer, unless the object has it or is being deleted (FZ-4). `goes_on` decides if the caller still accepts an object that was changed
    /// meanwhile.
    pub async fn add(&self, object: &Value, goes_on: impl Fn(&Value) -> bool + Send) -> Result<FinalizerOutcome, ApiError> {
        let addition = |object: &Value| self.addition(object).filter(|_| !self.holds(object));
        self.settle(object, true, addition, goes_on).await
    }

    /// Removes the finalizer under all of its names. `goes_on` decides if the caller still accepts an object that was changed meanwhile.
    pub async fn remove(
        &self,
        object: &Value,
        guard: RemovalGuard,
        goes_on: impl Fn(&Value) -> bool + Send,
    ) -> Result<FinalizerOutcome, ApiError> {
        self.settle(object, false, |object| self.removal(object, guard), goes_on).await
    }

    fn addition(&self, object: &Value) -> Option<FinalizerRequest> {
        let patch = add_patch(object, &self.name)?;
        match &self.form {
            FinalizerWrite::MergePatch => add_merge_patch(object, &self.name).map(FinalizerRequest::Merge),
            FinalizerWrite::Apply { manager, force } => {
                let body = applied_finalizers(object, &[&self.name]);
                Some(FinalizerRequest::Apply { body, manager: manager.clone(), force: *force })
            }
            _ => Some(FinalizerRequest::Json(patch)),
        }
    }

    fn removal(&self, object: &Value, guard: RemovalGuard) -> Option<FinalizerRequest> {
        let names: Vec<&FinalizerName> = self.names().collect();
        let mut patch = remove_patch(object, &names)?;
        match &self.form {
            FinalizerWrite::MergePatch => remove_merge_patch(object, &names).map(FinalizerRequest::Merge),
            // Entries with former names alone have other field managers, so an apply would not remove them.
            FinalizerWrite::Apply { manager, force } if object.has_finalizer(self.name.as_str()) => {
                let mut body = applied_finalizers(object, &[]);
                if guard == RemovalGuard::AsSeen {
                    body["metadata"]["resourceVersion"] = object.resource_version().into();
                }
                Some(FinalizerRequest::Apply { body, manager: manager.clone(), force: *force })
            }
            _ => {
                if guard == RemovalGuard::AsSeen {
                    let seen = json!({ "op": "test", "path": "/metadata/resourceVersion", "value": object.resource_version() });
                    patch.as_array_mut()?.insert(0, seen);
                }
                Some(FinalizerRequest::Json(patch))
            }
        }
    }

    /// Returns the removal of entries that an apply has left because other managers own them too, such as the manager of a former patch (FNL-9).
    fn removal_of_left(&self, answer: &Value) -> Option<FinalizerRequest> {
        let names: Vec<&FinalizerName> = self.names().collect();
        remove_patch(answer, &names).map(FinalizerRequest::Json)
    }

    fn names(&self) -> impl Iterator<Item = &FinalizerName> {
        std::iter::once(&self.name).chain(&*self.former)
    }

    /// Sends the change until no other writer interferes, each time for the current object (FZ-6).
    async fn settle(
        &self,
        object: &Value,
        is_added: bool,
        change: impl Fn(&Value) -> Option<FinalizerRequest> + Send,
        goes_on: impl Fn(&Value) -> bool + Send,
    ) -> Result<FinalizerOutcome, ApiError> {
        let Some(mut next) = change(object) else { return Ok(FinalizerOutcome::Unchanged) };
        let (namespace, name) = (object.namespace(), object.name());
        let (mut turn, newer) = self.cluster.turn(&self.resource, object).await;
        if let Some(left) = newer {
            if !goes_on(&left) {
                return Ok(FinalizerOutcome::Dropped(left));
            }
            match change(&left) {
                Some(change) => next = change,
                None => return Ok(self.as_found(left, is_added)),
            }
        }
        let mut attempts = self.timing.attempts();
        loop {
            let refusal = match self.send(self.request(namespace, name, &next)).await {
                Ok(answer) if !is_added && matches!(next, FinalizerRequest::Apply { .. }) => {
                    match self.removal_of_left(&answer) {
                        Some(rest) => {
                            next = rest;
                            continue;
                        }
                        None => return Ok(FinalizerOutcome::Changed(answer)),
                    }
                }
                Ok(answer) => {
                    turn.leave(&answer);
                    return Ok(FinalizerOutcome::Changed(answer));
                }
                Err(error) if error.is_not_found() => return Ok(FinalizerOutcome::Gone),
                // The object has changed since it was read: another writer was faster.
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
            let Some(again) = change(&live) else { return Ok(self.as_found(live, is_added)) };
            // The finalizers have not changed, so the server rejects the change itself.
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

    /// Returns the outcome for an object that another writer has changed so that there is nothing left to do.
    fn as_found(&self, live: Value, is_added: bool) -> FinalizerOutcome {
        if is_added && !self.holds(&live) { FinalizerOutcome::Deleting(live) } else { FinalizerOutcome::Changed(live) }
    }

    fn request(&self, namespace: &str, name: &str, change: &FinalizerRequest) -> ApiRequest {
        let patch = |kind, body| ApiRequest::patch(&self.resource, namespace, name, kind, body);
        match change {
            FinalizerRequest::Json(body) => patch(PatchKind::Json, body).field_manager(&self.manager),
            FinalizerRequest::Merge(body) => patch(PatchKind::Merge, body).field_manager(&self.manager),
            FinalizerRequest::Apply { body, manager, force } => {
                let request = patch(PatchKind::Apply, body).field_manager(manager);
                if *force { request.force() } else { request }
            }
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
