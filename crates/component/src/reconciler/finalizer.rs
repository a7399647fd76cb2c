use kubewright_core::finalizer;
use kubewright_machinery::object::ObjectExt as _;
use kubewright_runtime::cluster::{ApiError, ApiRequest, PatchKind, Retry};
use serde_json::{Value, json};

use super::end::{End, Step};
use super::pass::Pass;
use crate::record::Persisted;

/// How often a finalizer patch is repeated whose test failed.
const ATTEMPTS: usize = 5;

impl Pass<'_> {
    /// Puts our finalizer on the component, if it is not there. The pass goes on with the answer.
    pub(super) async fn add_finalizer(&mut self) -> Step {
        let finalizer = self.shared.finalizer.clone();
        self.patch_finalizers(|object| finalizer::add_patch(object, &finalizer)).await
    }

    /// Takes our finalizer off the component; with it the last hold on a deleted component goes.
    pub(super) async fn remove_finalizer(&mut self) -> Step {
        let finalizer = self.shared.finalizer.clone();
        // What another process has listed since, this one has not removed.
        let known =
            |object: &Value| json!({ "op": "test", "path": "/metadata/resourceVersion", "value": object.resource_version() });
        let patch = |object: &Value| {
            let mut patch = finalizer::remove_patch(object, &[&finalizer])?;
            patch.as_array_mut()?.insert(0, known(object));
            Some(patch)
        };
        self.patch_finalizers(patch).await
    }

    async fn patch_finalizers(&mut self, patch: impl Fn(&Value) -> Option<Value>) -> Step {
        let (shared, key) = (self.shared, self.key);
        let mut refused: Option<(Value, ApiError)> = None;
        for _ in 0..ATTEMPTS {
            let Some(patch) = patch(&self.object) else {
                return Ok(());
            };
            // What the patch tests has not changed, so it is the patch itself that the server does not want.
            if let Some((_, error)) = refused.take_if(|(same, _)| *same == patch) {
                return Err(Box::new(self.finalizer_failed(error)));
            }
            let request = ApiRequest::patch(&shared.resource, key.namespace(), key.name(), PatchKind::Json, &patch)
                .field_manager(&shared.self_manager);
            let mut underway = shared.components.begin_write(key);
            let read = match shared.cluster.send_retrying(&request, &Retry::default()).await {
                Ok(object) => {
                    // The answer to the removal of the last finalizer has the version of before, so it is no news to the watch.
                    if object.deletion_timestamp().is_some() && object.finalizers().next().is_none() {
                        shared.components.record_delete(&object);
                    }
                    underway.answered(&object);
                    return self.go_on_with(object);
                }
                // The test in the patch failed: somebody else was faster.
                Err(error) if error.code() == Some(422) || error.is_conflict() => {
                    if error.code() == Some(422) {
                        refused = Some((patch, error));
                    }
                    let read = ApiRequest::get(&shared.resource, key.namespace(), key.name());
                    shared.cluster.send_retrying(&read, &Retry::default()).await
                }
                Err(error) => Err(error),
            };
            match read {
                Ok(object) if object.uid() == self.object.uid() => self.go_on_with(object)?,
                Ok(_) => return Err(Box::new(End::Gone)),
                Err(error) => return Err(Box::new(self.finalizer_failed(error))),
            }
        }
        Err(Box::new(End::Overtaken))
    }

    /// The draft was made from the status as it was read: with another one the pass must start anew, or it would take away what
    /// somebody else wrote.
    fn go_on_with(&mut self, object: Value) -> Step {
        if Persisted::of(&object) != self.persisted {
            self.shared.components.record_write(&object);
            return Err(Box::new(End::Overtaken));
        }
        self.take_over(object);
        Ok(())
    }

    fn finalizer_failed(&mut self, error: ApiError) -> End {
        if error.is_not_found() {
            return End::Gone;
        }
        self.request_failed("change the finalizers of the component", error)
    }
}
