//! Namespace defaults: the service account and the cluster's CA certificate in every namespace (CTL-3, SNS-9).

use kubewright_machinery::object::ObjectExt as _;
use kubewright_middleware::Status;
use serde_json::{Value, json};

use crate::api::Writer;
use crate::controllers::backlog::Backlog;
use crate::controllers::by_item::ByItem;
use crate::model::Endpoint;
use crate::store::{ObjectName, Resource, StoreEvent};

const ACCOUNT: &str = "default";
const BUNDLE: &str = "kube-root-ca.crt";
const DESCRIPTION: &str = "kubernetes.io/description";
const ABOUT: &str = "Contains a CA bundle that can be used to verify the kube-apiserver when using internal endpoints such as the internal \
                     service IP or kubernetes.default.svc. No other usage is guaranteed across distributions of Kubernetes clusters.";
/// The CA certificate that is published while the server has none.
const NO_CERTIFICATE: &str = "";

/// Creates the namespace defaults, and restores them when they are deleted or changed.
#[derive(Clone, Debug, Default)]
pub(in crate::controllers) struct NamespaceDefaults {
    pending: Backlog<String>,
}

impl ByItem for NamespaceDefaults {
    type Item = String;

    fn name(&self) -> &'static str {
        "service-account-controller"
    }

    fn observe(&self, event: &StoreEvent) {
        let (resource, name) = (&event.object.resource, &event.object.name);
        if !resource.group.is_empty() {
            return;
        }
        match (&*resource.plural, &*name.name) {
            ("namespaces", _) if event.previous.is_none() => self.pending.add(name.name.to_string()),
            ("namespaces", _) if event.current.is_none() => self.pending.forget(&name.name.to_string()),
            ("serviceaccounts", ACCOUNT) if event.current.is_none() => self.pending.add(name.namespace.to_string()),
            ("configmaps", BUNDLE) if event.previous.is_some() => self.pending.add(name.namespace.to_string()),
            _ => {}
        }
    }

    fn pending(&self) -> &Backlog<Self::Item> {
        &self.pending
    }

    async fn reconcile(&self, writer: &Writer, namespace: &String) -> Result<bool, Status> {
        fill(writer, namespace).await
    }
}

/// Creates or restores the missing defaults of a namespace. Returns true if any was missing.
async fn fill(writer: &Writer, namespace: &str) -> Result<bool, Status> {
    let snapshot = writer.snapshot();
    let open = snapshot
        .get(&Resource::new("", "namespaces"), &ObjectName::new("", namespace))
        .is_some_and(|stored| stored.value().deletion_timestamp().is_none());
    if !open {
        return Ok(false);
    }
    let mut worked = false;
    let account = ObjectName::new(namespace, ACCOUNT);
    if snapshot.get(&Resource::new("", "serviceaccounts"), &account).is_none() {
        let account =
            json!({"apiVersion": "v1", "kind": "ServiceAccount", "metadata": {"name": ACCOUNT, "namespace": namespace}});
        create(writer, account).await?;
        worked = true;
    }
    let (bundles, bundle) = (Resource::new("", "configmaps"), ObjectName::new(namespace, BUNDLE));
    let data = json!({"ca.crt": NO_CERTIFICATE});
    match snapshot.get(&bundles, &bundle) {
        None => {
            let metadata = json!({"name": BUNDLE, "namespace": namespace, "annotations": {DESCRIPTION: ABOUT}});
            create(writer, json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": metadata, "data": data})).await?;
            worked = true;
        }
        Some(stored) if stored.value()["data"] != data => {
            let restore = |object: &mut Value| {
                object["data"] = data.clone();
                object.set_annotation(DESCRIPTION, ABOUT);
            };
            writer.modify(&bundles, &bundle, Endpoint::Main, restore).await?;
            worked = true;
        }
        Some(_) => {}
    }
    Ok(worked)
}

/// Creates an object; an existing one is no error.
async fn create(writer: &Writer, object: Value) -> Result<(), Status> {
    match writer.create(object).await {
        Err(status) if !status.is("AlreadyExists") => Err(status),
        _ => Ok(()),
    }
}
