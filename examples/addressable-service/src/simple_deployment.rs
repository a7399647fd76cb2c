use std::sync::Arc;

use k8s_openapi::api::core::v1::{Container, Pod, PodSpec};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::OwnerReference;
use kube::api::{Api, DeleteParams, ObjectMeta, PostParams};
use kubewright::prelude::*;
use kubewright::runtime::store::Indexes;

/// The condition that summarizes the others.
const READY: &str = "Ready";
/// The label of the pods of a deployment.
const OWNER_LABEL: &str = "samples.knative.dev/podOwner";

/// Keeps a number of pods with one image.
#[derive(CustomResource, Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[kube(
    group = "samples.knative.dev",
    version = "v1alpha1",
    kind = "SimpleDeployment",
    namespaced,
    status = "SimpleDeploymentStatus"
)]
#[kube(derive = "Default")]
#[serde(rename_all = "camelCase")]
pub struct SimpleDeploymentSpec {
    /// The image of the pods.
    pub image: String,
    /// The number of pods.
    pub replicas: i32,
}

/// What is known of the pods.
#[derive(ConditionSet, Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
pub struct SimpleDeploymentStatus {
    /// The generation that the status is of.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub observed_generation: Option<i64>,
    /// Whether all pods are ready.
    pub conditions: Conditions,
    /// The number of pods that are ready.
    pub ready_replicas: i32,
}

/// The index of pods by the UID of their controller.
#[derive(Debug)]
pub struct ByOwner;

impl Indexes<Pod> for ByOwner {
    fn index(pod: &Pod, entry: &mut dyn FnMut(&'static str, String)) {
        let owners = pod.owner_references().iter().filter(|owner| owner.controller == Some(true));
        owners.for_each(|owner| entry("owner", owner.uid.clone()));
    }
}

/// The reconciler of simple deployments.
#[derive(Debug)]
pub struct SimpleDeployments {
    pods: Store<Pod, OperatorScope, ByOwner>,
}

#[reconciler(kind = SimpleDeployment, owns(Pod))]
impl SimpleDeployments {
    /// Creates the reconciler with the pods of the namespaces that the operator watches.
    #[inject]
    pub fn new(pods: Store<Pod, OperatorScope, ByOwner>) -> Self {
        Self { pods }
    }

    async fn reconcile(
        &self,
        cx: &Context<SimpleDeployment>,
        object: &SimpleDeployment,
        status: &mut SimpleDeploymentStatus,
    ) -> Flow {
        let api = Api::<Pod>::namespaced(cx.client().clone(), cx.key().namespace());
        let pods = self.pods.indexed("owner", object.metadata.uid.as_deref().unwrap_or_default());
        let (mut kept, mut surplus): (Vec<Arc<Pod>>, Vec<Arc<Pod>>) = pods
            .into_iter()
            .filter(|pod| pod.metadata.deletion_timestamp.is_none())
            .partition(|pod| has_image(pod, &object.spec.image));
        let wanted = usize::try_from(object.spec.replicas).unwrap_or(0);
        // Pods that are not ready are deleted first.
        kept.sort_by_key(|pod| !is_ready(pod));
        surplus.extend(kept.drain(wanted.min(kept.len())..));
        for pod in surplus {
            api.delete(&pod.name_any(), &DeleteParams::default()).await.ignore_not_found()?;
        }
        for _ in kept.len()..wanted {
            api.create(&PostParams::default(), &pod_of(object)).await?;
        }
        status.ready_replicas = i32::try_from(kept.iter().filter(|pod| is_ready(pod)).count()).unwrap_or(i32::MAX);
        let missing = object.spec.replicas - status.ready_replicas;
        if missing > 0 {
            let message = format!("{missing} pods are not ready yet");
            status.conditions.mark_false(READY, "PodsNotReady", &message);
            return Wait::for_event("PodsNotReady").into();
        }
        status.conditions.mark_true(READY);
        Ok(())
    }
}

fn has_image(pod: &Pod, image: &str) -> bool {
    pod.spec.iter().flat_map(|spec| &spec.containers).all(|container| container.image.as_deref() == Some(image))
}

fn is_ready(pod: &Pod) -> bool {
    let conditions = pod.status.iter().flat_map(|status| status.conditions.iter().flatten());
    conditions.into_iter().any(|condition| condition.type_ == "Ready" && condition.status == "True")
}

fn pod_of(deployment: &SimpleDeployment) -> Pod {
    let container =
        Container { name: "user-container".to_owned(), image: Some(deployment.spec.image.clone()), ..Container::default() };
    Pod {
        metadata: ObjectMeta {
            generate_name: Some(format!("{}-", deployment.name_any())),
            labels: Some([(OWNER_LABEL.to_owned(), deployment.name_any())].into()),
            // Deleting the deployment in the foreground waits for its pods.
            owner_references: deployment
                .controller_owner_ref(&())
                .map(|owner| vec![OwnerReference { block_owner_deletion: Some(true), ..owner }]),
            ..ObjectMeta::default()
        },
        spec: Some(PodSpec { containers: vec![container], ..PodSpec::default() }),
        status: None,
    }
}
