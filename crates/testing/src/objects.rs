//! Reads and writes of objects by a test.

use kube::api::{Api, ApiResource, DynamicObject, Patch, PatchParams, PostParams};
use kube::core::GroupVersionKind;
use kubewright_machinery::object::ObjectExt as _;
use serde::Serialize;
use serde_json::{Value, json};

use crate::TestCluster;

/// The field manager of a test's own writes.
const MANAGER: &str = "kubewright-test";
/// The number of attempts of an update that conflicts with another writer.
const CONFLICTS: u32 = 20;

impl TestCluster {
    /// Creates an object, or makes an existing one equal to it (PUT, whatever its version). A namespaced object without namespace goes to the
    /// namespace of the test. Returns the object as the server stored it.
    pub async fn apply(&self, object: impl Serialize) -> Value {
        let (api, object) = self.prepare(object).await;
        let name = object.name().to_owned();
        match api.create(&post(), &dynamic(&object)).await {
            Ok(created) => value(&created),
            Err(kube::Error::Api(status)) if status.reason == "AlreadyExists" => self.update(&api, &name, object).await,
            Err(error) => self.fail(&format!("failed to create {name}: {error}")),
        }
    }

    /// Makes an existing object equal to this one. After a conflict with another writer it reads the object again and retries.
    async fn update(&self, api: &Api<DynamicObject>, name: &str, mut update: Value) -> Value {
        let names_finalizers = update.pointer("/metadata/finalizers").is_some();
        for attempt in 1.. {
            let live = api.get(name).await.unwrap_or_else(|e| self.fail(&format!("failed to read {name}: {e}")));
            update["metadata"]["resourceVersion"] = json!(live.metadata.resource_version);
            if let Some(finalizers) = live.metadata.finalizers
                && !names_finalizers
            {
                update["metadata"]["finalizers"] = json!(finalizers);
            }
            match api.replace(name, &post(), &dynamic(&update)).await {
                Ok(written) => return value(&written),
                Err(kube::Error::Api(status)) if status.reason == "Conflict" && attempt < CONFLICTS => {}
                Err(error) => self.fail(&format!("failed to update {name}: {error}")),
            }
        }
        Value::Null
    }

    /// Applies all objects of a YAML text, in order.
    pub async fn apply_yaml(&self, text: &str) -> Vec<Value> {
        let documents = kubewright_machinery::yaml::documents(text)
            .unwrap_or_else(|error| self.fail(&format!("failed to read the YAML of a test: {error}")));
        let mut applied = Vec::new();
        for document in documents {
            applied.push(self.apply(document).await);
        }
        applied
    }

    /// Creates an object. The error is the server's.
    pub async fn create(&self, object: impl Serialize) -> Result<Value, kube::Error> {
        let (api, object) = self.prepare(object).await;
        api.create(&post(), &dynamic(&object)).await.map(|created| value(&created))
    }

    /// Returns the object, if it exists.
    pub async fn get<K: kube::Resource<DynamicType = ()>>(&self, name: &str) -> Option<Value> {
        self.get_object(&gvk::<K>(), name).await
    }

    /// Returns the object of a kind known at run time, if it exists.
    pub async fn get_object(&self, kind: &GroupVersionKind, name: &str) -> Option<Value> {
        let api = self.api(kind, None).await;
        let found = api.get_opt(name).await.unwrap_or_else(|e| self.fail(&format!("failed to read {name}: {e}")));
        found.map(|object| value(&object))
    }

    /// Returns all objects of a kind in the namespace of the test (or in the cluster, for a cluster-scoped kind).
    pub async fn list<K: kube::Resource<DynamicType = ()>>(&self) -> Vec<Value> {
        let api = self.api(&gvk::<K>(), None).await;
        let list = api.list(&kube::api::ListParams::default()).await;
        let list = list.unwrap_or_else(|e| self.fail(&format!("failed to list: {e}")));
        list.items.iter().map(value).collect()
    }

    /// Deletes the object with background propagation. It must exist.
    pub async fn delete<K: kube::Resource<DynamicType = ()>>(&self, name: &str) {
        self.delete_object(&gvk::<K>(), name).await;
    }

    /// Deletes an object of a kind known at run time.
    pub async fn delete_object(&self, kind: &GroupVersionKind, name: &str) {
        let api = self.api(kind, None).await;
        let deleted = api.delete(name, &kube::api::DeleteParams::background()).await;
        deleted.unwrap_or_else(|e| self.fail(&format!("failed to delete {name}: {e}")));
    }

    /// Applies a merge patch.
    pub async fn patch<K: kube::Resource<DynamicType = ()>>(&self, name: &str, patch: Value) -> Value {
        self.patch_object(&gvk::<K>(), name, patch).await
    }

    /// Applies a merge patch to an object of a kind known at run time.
    pub async fn patch_object(&self, kind: &GroupVersionKind, name: &str, patch: Value) -> Value {
        let api = self.api(kind, None).await;
        let patched = api.patch(name, &params(), &Patch::Merge(patch)).await;
        value(&patched.unwrap_or_else(|e| self.fail(&format!("failed to patch {name}: {e}"))))
    }

    /// Applies a merge patch to the status of an object.
    pub async fn patch_status<K: kube::Resource<DynamicType = ()>>(&self, name: &str, status: Value) -> Value {
        self.patch_object_status(&gvk::<K>(), name, status).await
    }

    /// Applies a merge patch to the status of an object of a kind known at run time.
    pub async fn patch_object_status(&self, kind: &GroupVersionKind, name: &str, status: Value) -> Value {
        let api = self.api(kind, None).await;
        let patched = api.patch_status(name, &params(), &Patch::Merge(json!({ "status": status }))).await;
        value(&patched.unwrap_or_else(|e| self.fail(&format!("failed to patch the status of {name}: {e}"))))
    }

    /// Plays the controller of an object: writes a status that observes the object's generation and has the condition `Ready` with this value.
    pub async fn observe(&self, kind: &GroupVersionKind, name: &str, ready: bool) {
        let live = self.get_object(kind, name).await;
        let live = live.unwrap_or_else(|| self.fail(&format!("failed to observe {name}: it does not exist")));
        let condition = json!({
            "type": "Ready",
            "status": if ready { "True" } else { "False" },
            "reason": "Test",
            "message": "",
            "lastTransitionTime": "2026-01-01T00:00:00Z",
        });
        let status = json!({"observedGeneration": live.generation(), "conditions": [condition]});
        self.patch_object_status(kind, name, status).await;
    }

    /// Removes all finalizers of an object.
    pub async fn finalize(&self, kind: &GroupVersionKind, name: &str) {
        self.patch_object(kind, name, json!({"metadata": {"finalizers": null}})).await;
    }

    /// Returns the API of a kind in the given namespace (by default that of the test), or in the cluster for a cluster-scoped kind.
    pub(crate) async fn api(&self, kind: &GroupVersionKind, namespace: Option<&str>) -> Api<DynamicObject> {
        let (resource, namespaced) = self.resource(kind).await;
        if namespaced {
            Api::namespaced_with(self.client().clone(), namespace.unwrap_or_else(|| self.namespace()), &resource)
        } else {
            Api::all_with(self.client().clone(), &resource)
        }
    }

    /// Returns the resource of a kind as the server names it, and true if it is namespaced.
    pub(crate) async fn resource(&self, kind: &GroupVersionKind) -> (ApiResource, bool) {
        let mut found = kube::discovery::pinned_kind(self.client(), kind).await;
        if found.is_err() && !self.is_embedded() {
            self.until_discovered(kind).await;
            found = kube::discovery::pinned_kind(self.client(), kind).await;
        }
        let (resource, capabilities) =
            found.unwrap_or_else(|e| self.fail(&format!("failed to find kind {} in {}: {e}", kind.kind, kind.api_version())));
        (resource, capabilities.scope == kube::discovery::Scope::Namespaced)
    }

    async fn prepare(&self, object: impl Serialize) -> (Api<DynamicObject>, Value) {
        let object =
            serde_json::to_value(object).unwrap_or_else(|e| self.fail(&format!("failed to write an object as JSON: {e}")));
        let Some(known) = object.gvk() else { self.fail(&format!("an object of a test lacks apiVersion or kind: {object}")) };
        let kind = GroupVersionKind::gvk(&known.group, &known.version, &known.kind);
        let namespace = Some(object.namespace()).filter(|namespace| !namespace.is_empty()).map(str::to_owned);
        (self.api(&kind, namespace.as_deref()).await, object)
    }
}

/// Returns the kind of a typed resource.
pub(crate) fn gvk<K: kube::Resource<DynamicType = ()>>() -> GroupVersionKind {
    GroupVersionKind::gvk(&K::group(&()), &K::version(&()), &K::kind(&()))
}

pub(crate) fn value(object: &DynamicObject) -> Value {
    serde_json::to_value(object).unwrap_or_default()
}

fn dynamic(object: &Value) -> DynamicObject {
    serde_json::from_value(object.clone()).unwrap_or_else(|_| DynamicObject {
        types: None,
        metadata: kube::core::ObjectMeta::default(),
        data: object.clone(),
    })
}

fn post() -> PostParams {
    PostParams { field_manager: Some(MANAGER.to_owned()), ..PostParams::default() }
}

fn params() -> PatchParams {
    PatchParams { field_manager: Some(MANAGER.to_owned()), ..PatchParams::default() }
}
