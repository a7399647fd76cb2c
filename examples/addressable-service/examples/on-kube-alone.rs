//! The controller of `src/addressable_service.rs` on kube alone, to compare.

use std::sync::Arc;
use std::time::Duration;

use futures::{StreamExt as _, TryStreamExt as _, stream};
use k8s_openapi::api::core::v1::{ConfigMap, Service};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::{Condition, Time};
use k8s_openapi::jiff::Timestamp;
use kube::api::{Api, Patch, PatchParams};
use kube::runtime::controller::{Action, Controller};
use kube::runtime::events::{Event, EventType, Recorder, Reporter};
use kube::runtime::finalizer::{self, finalizer};
use kube::runtime::reflector::{self, ObjectRef, Store};
use kube::runtime::watcher::{self, watch_object, watcher};
use kube::runtime::{WatchStreamExt as _, predicates};
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
    #[error("the watch of Services has ended")]
    Services(#[from] reflector::store::WriterDropped),
}

struct Context {
    client: Client,
    services: Store<Service>,
    config: watch::Receiver<Option<Addressing>>,
    recorder: Recorder,
}

impl Context {
    fn service_of(&self, object: &AddressableService) -> Option<Arc<Service>> {
        let namespace = object.namespace().unwrap_or_default();
        self.services.get(&ObjectRef::new(&object.spec.service_name).within(&namespace))
    }

    /// Sets the annotation of a Service, or removes it. Nothing is sent if it is as wanted.
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

    /// Writes the status if it has changed, and tells when Ready changes.
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
            // An event that is not told changes nothing.
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
    cx.services.wait_until_ready().await?;
    let Some(config) = cx.config.borrow().clone() else { return Ok(Action::await_change()) };
    let is_held = object.finalizers().iter().any(|name| name == FINALIZER);
    let is_deleted = object.metadata.deletion_timestamp.is_some();
    if is_held || (!is_deleted && config.announce && cx.service_of(&object).is_some()) {
        let api = Api::<AddressableService>::namespaced(cx.client.clone(), &object.namespace().unwrap_or_default());
        let done = finalizer(&api, FINALIZER, object, |event| async {
            match event {
                finalizer::Event::Apply(object) => apply(&object, &config, &cx).await,
                finalizer::Event::Cleanup(object) => cleanup(&object, &cx).await,
            }
        });
        return done.await.map_err(|error| Box::new(error).into());
    }
    if is_deleted { Ok(Action::await_change()) } else { apply(&object, &config, &cx).await }
}

async fn apply(object: &AddressableService, config: &Addressing, cx: &Context) -> Result<Action, Error> {
    let name = &object.spec.service_name;
    let Some(service) = cx.service_of(object) else {
        let message = format!("Service {name:?} wasn't found.");
        cx.write_status(object, Ready { status: "False", reason: "ServiceUnavailable", message }, None).await?;
        return Ok(Action::await_change());
    };
    if config.announce
        && let Err(error) = cx.announce(&service, Some(&object.name_any())).await
    {
        let ready = Ready { status: "False", reason: "InternalError", message: error.to_string() };
        cx.write_status(object, ready, None).await?;
        return Err(error);
    }
    let url = format!("http://{name}.{}.svc.{}", object.namespace().unwrap_or_default(), config.domain);
    let ready = Ready { status: "True", reason: "Reconciled", message: String::new() };
    cx.write_status(object, ready, Some(Address { url })).await?;
    Ok(Action::await_change())
}

async fn cleanup(object: &AddressableService, cx: &Context) -> Result<Action, Error> {
    if let Some(service) = cx.service_of(object) {
        cx.announce(&service, None).await?;
    }
    Ok(Action::await_change())
}

/// Keeps the last configuration that could be read, and tells of one that could not.
async fn follow_config(client: Client, recorder: Recorder, config: watch::Sender<Option<Addressing>>) {
    let maps = Api::<ConfigMap>::default_namespaced(client);
    let mut states = std::pin::pin!(watch_object(maps, CONFIG).default_backoff());
    while let Some(state) = states.next().await {
        let Ok(map) = state else { continue };
        match (Addressing::parse(map.as_ref()), map) {
            (Ok(read), _) => {
                config.send_if_modified(|current| current.replace(read.clone()) != Some(read));
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
                config.send_if_modified(|current| current.is_none() && { *current = default; true });
            }
            (Err(_), None) => {}
        }
    }
}

#[tokio::main]
async fn main() -> Result<(), kube::Error> {
    let client = Client::try_default().await?;
    let reporter = Reporter { controller: CONTROLLER.to_owned(), instance: std::env::var("POD_NAME").ok() };
    let recorder = Recorder::new(client.clone(), reporter);
    let (configured, config) = watch::channel(None);
    tokio::spawn(follow_config(client.clone(), recorder.clone(), configured));
    let changes = stream::unfold(config.clone(), |mut config| async {
        config.changed().await.ok()?;
        Some(((), config))
    });

    let (services, writer) = reflector::store::<Service>();
    let touched = watcher(Api::<Service>::all(client.clone()), watcher::Config::default())
        .default_backoff()
        .reflect(writer)
        .touched_objects();

    let (objects, writer) = reflector::store::<AddressableService>();
    let primary = watcher(Api::<AddressableService>::all(client.clone()), watcher::Config::default())
        .default_backoff()
        .reflect(writer)
        .applied_objects()
        .predicate_filter(predicates::generation.combine(predicates::finalizers), predicates::Config::default());
    let all = objects.clone();
    let context = Context { client, services, config, recorder };
    Controller::for_stream(primary, objects)
        .watches_stream(touched, move |service| {
            let is_of = |object: &Arc<AddressableService>| {
                object.namespace() == service.namespace() && object.spec.service_name == service.name_any()
            };
            all.state().into_iter().filter(is_of).map(|object| ObjectRef::from_obj(&*object)).collect::<Vec<_>>()
        })
        .reconcile_all_on(changes)
        .shutdown_on_signal()
        .run(reconcile, |_, _, _| Action::requeue(Duration::from_secs(5)), Arc::new(context))
        .for_each(|_| async {})
        .await;
    Ok(())
}
