//! The controller of `src/addressable_service.rs` on kube alone, for comparison.

#![allow(clippy::disallowed_methods)] // authors of such programs use these clocks and spawns

use std::sync::Arc;
use std::time::Duration;

use futures::{StreamExt as _, stream};
use k8s_openapi::api::core::v1::{ConfigMap, Service};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::{Condition, Time};
use k8s_openapi::jiff::Timestamp;
use kube::api::{Api, Patch, PatchParams};
use kube::runtime::WatchStreamExt as _;
use kube::runtime::controller::{Action, Controller};
use kube::runtime::events::{Event, EventType, Recorder, Reporter};
use kube::runtime::finalizer::{self, finalizer};
use kube::runtime::reflector::ObjectRef;
use kube::runtime::watcher::{self, watch_object};
use kube::{Client, CustomResource, Resource as _, ResourceExt as _};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;
use tokio::sync::watch;

const CONTROLLER: &str = "addressableservice-controller";
const FINALIZER: &str = "samples.knative.dev/addressable-service";
const ANNOTATION: &str = "samples.knative.dev/addressed-by";
const CONFIG: &str = "config-addressing";

/// Tells the address of a Service.
#[derive(CustomResource, Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[kube(
    group = "samples.knative.dev",
    version = "v1alpha1",
    kind = "AddressableService",
    namespaced,
    status = "AddressableServiceStatus"
)]
#[serde(rename_all = "camelCase")]
struct AddressableServiceSpec {
    /// The Service, in the same namespace.
    service_name: String,
}

/// What is known of the Service.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
struct AddressableServiceStatus {
    /// The generation that the status is of.
    #[serde(skip_serializing_if = "Option::is_none")]
    observed_generation: Option<i64>,
    /// Whether the Service is there.
    conditions: Vec<Condition>,
    /// Where it is reached.
    #[serde(skip_serializing_if = "Option::is_none")]
    address: Option<Address>,
}

/// An address.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
struct Address {
    /// The address itself.
    url: String,
}

/// The configuration, from the ConfigMap `config-addressing` in the namespace of the operator.
#[derive(Clone, Debug, PartialEq)]
struct Addressing {
    domain: String,
    announce: bool,
}

impl Addressing {
    fn parse(map: Option<&ConfigMap>) -> Result<Self, String> {
        let text = |key: &str| map?.data.as_ref()?.get(key).map(|value| value.trim().to_owned());
        let announce = text("announce").unwrap_or_else(|| "false".to_owned());
        Ok(Self {
            domain: text("cluster-domain").unwrap_or_else(|| "cluster.local".to_owned()),
            announce: announce.parse().map_err(|error| format!("failed to parse \"announce\": {error}"))?,
        })
    }
}

#[derive(Debug, thiserror::Error)]
enum Error {
    #[error(transparent)]
    Kube(#[from] kube::Error),
    #[error(transparent)]
    Finalizer(#[from] Box<finalizer::Error<Error>>),
}

struct Context {
    client: Client,
    config: watch::Receiver<Option<Addressing>>,
    recorder: Recorder,
}

impl Context {
    /// Returns the present Service, read from the server: a cache of its own could be older than the event that caused the pass.
    async fn service_of(&self, object: &AddressableService) -> Result<Option<Service>, Error> {
        let api = Api::<Service>::namespaced(self.client.clone(), &object.namespace().unwrap_or_default());
        Ok(api.get_opt(&object.spec.service_name).await?)
    }

    /// Sets the annotation of a Service, or removes it. Nothing is sent if the annotation is as wanted.
    async fn announce(&self, service: &Service, by: Option<&str>) -> Result<(), Error> {
        if service.annotations().get(ANNOTATION).map(String::as_str) == by {
            return Ok(());
        }
        let api = Api::<Service>::namespaced(self.client.clone(), &service.namespace().unwrap_or_default());
        let patch = json!({ "metadata": { "annotations": { ANNOTATION: by } } });
        match api.patch(&service.name_any(), &PatchParams::default(), &Patch::Merge(patch)).await {
            Ok(_) => Ok(()),
            Err(kube::Error::Api(status)) if status.is_not_found() => Ok(()),
            Err(error) => Err(error.into()),
        }
    }

    /// Writes the status if it has changed, and emits an event when Ready changes.
    async fn write_status(&self, object: &AddressableService, ready: Ready, address: Option<Address>) -> Result<(), Error> {
        let old = object.status.clone().unwrap_or_default();
        let before = old.conditions.iter().find(|condition| condition.type_ == "Ready");
        let is_news = before.is_none_or(|before| before.status != ready.status || before.reason != ready.reason);
        let since = before.filter(|before| before.status == ready.status).map(|before| before.last_transition_time.clone());
        let condition = Condition {
            type_: "Ready".to_owned(),
            status: ready.status.to_owned(),
            reason: ready.reason.to_owned(),
            message: ready.message.clone(),
            observed_generation: object.metadata.generation,
            last_transition_time: since.unwrap_or_else(|| Time(Timestamp::now())),
        };
        let status = AddressableServiceStatus {
            observed_generation: object.metadata.generation,
            conditions: vec![condition],
            address: address.or_else(|| old.address.clone()),
        };
        if status != old {
            let namespace = object.namespace().unwrap_or_default();
            let api = Api::<AddressableService>::namespaced(self.client.clone(), &namespace);
            let patch = json!({ "status": status });
            api.patch_status(&object.name_any(), &PatchParams::default(), &Patch::Merge(patch)).await?;
        }
        if is_news {
            let type_ = if ready.status == "True" { EventType::Normal } else { EventType::Warning };
            let event = Event {
                type_,
                reason: ready.reason.to_owned(),
                note: Some(ready.message),
                action: "Reconcile".to_owned(),
                secondary: None,
            };
            // A lost event changes nothing.
            let _ = self.recorder.publish(&event, &object.object_ref(&())).await;
        }
        Ok(())
    }
}

struct Ready {
    status: &'static str,
    reason: &'static str,
    message: String,
}

async fn reconcile(object: Arc<AddressableService>, cx: Arc<Context>) -> Result<Action, Error> {
    let Some(config) = cx.config.borrow().clone() else { return Ok(Action::await_change()) };
    let is_held = object.finalizers().iter().any(|name| name == FINALIZER);
    if object.metadata.deletion_timestamp.is_some() && !is_held {
        return Ok(Action::await_change());
    }
    let service = match cx.service_of(&object).await {
        Ok(service) => service,
        Err(error) => return failed(&object, &cx, error).await,
    };
    // From the first announcement on, an annotation must be removed when the object is deleted.
    if !is_held && (service.is_none() || !config.announce) {
        return apply(&object, service, &config, &cx).await;
    }
    let api = Api::<AddressableService>::namespaced(cx.client.clone(), &object.namespace().unwrap_or_default());
    let done = finalizer(&api, FINALIZER, object, |event| async {
        match event {
            finalizer::Event::Apply(object) => apply(&object, service, &config, &cx).await,
            finalizer::Event::Cleanup(_) => {
                if let Some(service) = service {
                    cx.announce(&service, None).await?;
                }
                Ok(Action::await_change())
            }
        }
    });
    done.await.map_err(|error| Box::new(error).into())
}

async fn apply(
    object: &AddressableService,
    service: Option<Service>,
    config: &Addressing,
    cx: &Context,
) -> Result<Action, Error> {
    let name = &object.spec.service_name;
    let Some(service) = service else {
        let message = format!("Service {name:?} wasn't found.");
        cx.write_status(object, Ready { status: "False", reason: "ServiceUnavailable", message }, None).await?;
        return Ok(Action::await_change());
    };
    if config.announce
        && let Err(error) = cx.announce(&service, Some(&object.name_any())).await
    {
        return failed(object, cx, error).await;
    }
    let url = format!("http://{name}.{}.svc.{}", object.namespace().unwrap_or_default(), config.domain);
    let ready = Ready { status: "True", reason: "Reconciled", message: String::new() };
    cx.write_status(object, ready, Some(Address { url })).await?;
    Ok(Action::await_change())
}

/// Writes to the status that a pass has failed.
async fn failed(object: &AddressableService, cx: &Context, error: Error) -> Result<Action, Error> {
    let ready = Ready { status: "False", reason: "InternalError", message: error.to_string() };
    cx.write_status(object, ready, None).await?;
    Err(error)
}

/// Keeps the last configuration that could be read, and reports one that could not.
async fn follow_config(maps: Api<ConfigMap>, recorder: Recorder, config: watch::Sender<Option<Addressing>>) {
    let mut states = std::pin::pin!(watch_object(maps, CONFIG).default_backoff());
    while let Some(state) = states.next().await {
        let Ok(map) = state else { continue };
        match (Addressing::parse(map.as_ref()), map) {
            (Ok(read), _) => {
                config.send_if_modified(|current| current.replace(read.clone()).as_ref() != Some(&read));
            }
            (Err(note), Some(map)) => {
                let event = Event {
                    type_: EventType::Warning,
                    reason: "InvalidConfiguration".to_owned(),
                    note: Some(note),
                    action: "Read".to_owned(),
                    secondary: None,
                };
                let _ = recorder.publish(&event, &map.object_ref(&())).await;
                let default = Addressing::parse(None).ok();
                config.send_if_modified(|current| {
                    let is_first = current.is_none();
                    *current = current.take().or(default);
                    is_first
                });
            }
            (Err(_), None) => {}
        }
    }
}

#[tokio::main]
async fn main() -> Result<(), kube::Error> {
    let client = Client::try_default().await?;
    let namespace = client.default_namespace().to_owned();
    run(client, &namespace).await;
    Ok(())
}

pub(crate) async fn run(client: Client, namespace: &str) {
    let reporter = Reporter { controller: CONTROLLER.to_owned(), instance: std::env::var("POD_NAME").ok() };
    let recorder = Recorder::new(client.clone(), reporter);
    let (configured, config) = watch::channel(None);
    let maps = Api::<ConfigMap>::namespaced(client.clone(), namespace);
    tokio::spawn(follow_config(maps, recorder.clone(), configured));
    let changes = stream::unfold(config.clone(), |mut config| async {
        config.changed().await.ok()?;
        Some(((), config))
    });

    let controller = Controller::new(Api::<AddressableService>::all(client.clone()), watcher::Config::default());
    let objects = controller.store();
    let users_of = move |service: Service| {
        let is_user = |object: &Arc<AddressableService>| {
            object.namespace() == service.namespace() && object.spec.service_name == service.name_any()
        };
        objects.state().into_iter().filter(is_user).map(|object| ObjectRef::from_obj(&*object)).collect::<Vec<_>>()
    };
    controller
        .watches(Api::<Service>::all(client.clone()), watcher::Config::default(), users_of)
        .reconcile_all_on(changes)
        .shutdown_on_signal()
        .run(reconcile, |_, _, _| Action::requeue(Duration::from_secs(5)), Arc::new(Context { client, config, recorder }))
        .for_each(|_| async {})
        .await;
}
