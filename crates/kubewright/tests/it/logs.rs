//! The log output of hand-written reconcilers, at all levels.

use std::fmt::{self, Write as _};
use std::sync::{Arc, LazyLock};
use std::time::Duration;

use k8s_openapi::ByteString;
use k8s_openapi::api::core::v1::Secret;
use kube::api::{Api, PostParams};
use kubewright::prelude::*;
use kubewright::runtime::reconcile::{ConditionAccess, Controller};
use kubewright_middleware::Verb;
use kubewright_middleware::status::{Details, FailureCause, Status};
use kubewright_testing::TestCluster;
use parking_lot::Mutex;
use tracing::field::{Field, Visit};
use tracing::span::{Attributes, Id, Record};
use tracing::subscriber::{DefaultGuard, NoSubscriber, Subscriber, set_default};
use tracing::{Dispatch, Event};
use tracing_subscriber::layer::{Context as LayerContext, Layer, SubscriberExt as _};

use crate::reconcile::widget::{Script, Widget, WidgetStatus, widget};
use crate::reconcile::world::World;

/// A second subscriber of the process. With a single one, the first thread that reaches a span decides for all threads if the span is of
/// interest.
pub(crate) static SECOND: LazyLock<Dispatch> = LazyLock::new(|| Dispatch::new(NoSubscriber::new()));

/// The spans and events of this thread, one line each.
#[derive(Clone, Default)]
pub(crate) struct Log(Arc<Mutex<Vec<String>>>);

struct Line(String);

impl Visit for Line {
    fn record_debug(&mut self, field: &Field, value: &dyn fmt::Debug) {
        let _ = write!(self.0, " {field}={value:?}");
    }
}

impl Log {
    /// Captures the log output of this thread until the guard is dropped.
    pub(crate) fn start() -> (Self, DefaultGuard) {
        LazyLock::force(&SECOND);
        let log = Self::default();
        let guard = set_default(tracing_subscriber::registry().with(log.clone()));
        (log, guard)
    }

    pub(crate) fn lines(&self) -> Vec<String> {
        self.0.lock().clone()
    }

    fn has(&self, text: &str) -> bool {
        self.0.lock().iter().any(|line| line.contains(text))
    }
}

impl<S: Subscriber> Layer<S> for Log {
    fn on_new_span(&self, attributes: &Attributes<'_>, _: &Id, _: LayerContext<'_, S>) {
        let mut line = Line(format!("span {}", attributes.metadata().name()));
        attributes.record(&mut line);
        self.0.lock().push(line.0);
    }

    fn on_record(&self, _: &Id, values: &Record<'_>, _: LayerContext<'_, S>) {
        let mut line = Line("record".to_owned());
        values.record(&mut line);
        self.0.lock().push(line.0);
    }

    fn on_event(&self, event: &Event<'_>, _: LayerContext<'_, S>) {
        // Log lines of the server are not those of an operator.
        if !event.metadata().target().starts_with("kubewright_apiserver") {
            let mut line = Line(format!("{} {}", event.metadata().level(), event.metadata().target()));
            event.record(&mut line);
            self.0.lock().push(line.0);
        }
    }
}

// STAGE-7
#[tokio::test]
async fn the_span_of_a_pass_names_the_method() {
    let (log, _guard) = Log::start();
    let world = World::start(Script::default()).await;
    world.create("demo", 1).await;
    world.condition("demo", "Ready", "True", "Reconciled").await;
    assert!(log.has("span method method=\"reconcile\"") && !log.has("method=\"finalize\""), "{:#?}", log.lines());
    world.cluster.delete::<Widget>("demo").await;
    world.cluster.expect::<Widget>("demo").to_be_gone().await;
    world.until("finalize is told", || log.has("span method method=\"finalize\"")).await;
    world.stop().await;
}

/// The prefix of the values of Secrets.
const CANARY: &str = "canary-7c";
/// The beginning of its base64 encoding.
const ENCODED: &str = "Y2FuYXJ5LTdj";

/// A reconciler that writes a Secret for each widget, with a value that it reads from another one.
struct Keys {
    secrets: Store<Secret>,
}

impl Keys {
    fn new(secrets: Store<Secret>, _: State<Script>) -> Self {
        Self { secrets }
    }
}

impl Reconcile for Keys {
    type Kind = Widget;
    type Status = WidgetStatus;

    async fn reconcile(&self, cx: &Context<Widget>, _: &Widget, status: &mut WidgetStatus) -> Flow {
        let source = Key::new(cx.key().namespace(), "source");
        let Some(secret) = self.secrets.get(&source) else { return Wait::for_event("NoSource").into() };
        let own = json!({
            "apiVersion": "v1", "kind": "Secret", "metadata": {"name": cx.key().name()}, "data": secret.data,
        });
        let own: Secret = serde_json::from_value(own)?;
        tracing::info!(store = ?self.secrets, "the secret is copied");
        Api::namespaced(cx.client().clone(), cx.key().namespace()).create(&PostParams::default(), &own).await?;
        status.conditions.mark_true("Sized");
        Ok(())
    }

    fn conditions() -> Option<ConditionAccess<WidgetStatus>> {
        Some(ConditionAccess::derived())
    }
}

/// Returns a refusal that quotes the value, plain and base64-encoded, in every field that a server fills.
fn quoting(value: &str) -> Status {
    let encoded = serde_json::to_value(ByteString(value.as_bytes().to_vec())).unwrap();
    assert!(encoded.as_str().unwrap().starts_with(ENCODED));
    let message = format!("Secret \"demo\" is invalid: data[login]: Invalid value: {value:?}: not {encoded}");
    let cause = FailureCause { reason: "FieldValueInvalid".into(), message: message.clone(), field: "data[login]".into() };
    Status::new(422, "Invalid", message).with_details(Details { causes: vec![cause], ..Details::default() })
}

// LOG-7, SW-9a
#[tokio::test]
async fn a_secret_value_quoted_by_the_server_is_in_no_log_event_or_condition() {
    let (log, _guard) = Log::start();
    let cluster = TestCluster::start().await;
    let value = format!("{CANARY} correct horse");
    cluster
        .apply(json!({"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "source"}, "stringData": {"login": value}}))
        .await;
    let rule = cluster.faults().on(Verb::Create).of("", "secrets").respond(quoting(&value));
    let crd = serde_json::to_value(<Widget as kube::CustomResourceExt>::crd()).unwrap();
    let controller = Controller::new(Keys::new).crd(Some(crd));
    let operator = Operator::new("keys.test.kubewright.dev").state(Script::default()).add_controller(controller);
    let operator = cluster.run(operator).await;
    cluster.create(widget(&cluster, "demo", 1)).await.unwrap();
    let failed = cluster
        .expect::<Widget>("demo")
        .matching("it failed", |widget| widget["status"]["conditions"].to_string().contains("data[login]: Invalid value"))
        .await;
    let told = failed["status"]["conditions"].to_string();
    assert!(told.contains("Invalid value: \\\"***"), "{told}");
    cluster.pass(Duration::from_secs(2)).await;
    rule.remove();
    cluster.expect::<Widget>("demo").ready().await;
    cluster.pass(Duration::from_secs(2)).await;
    let events = cluster.list::<k8s_openapi::api::events::v1::Event>().await;
    assert!(events.iter().any(|event| event["note"].to_string().contains("data[login]")), "{events:?}");
    let pages = operator.running().metrics().encode().unwrap() + &format!("{:?}", operator.running().why().all());
    operator.stop().await;
    let lines = log.lines();
    assert!(lines.iter().any(|line| line.starts_with("TRACE ")) && log.has("the secret is copied") && log.has("data[login]"));
    let holds = |text: &str| text.contains(CANARY) || text.contains(ENCODED);
    let found: Vec<&String> = lines.iter().filter(|line| holds(line)).collect();
    assert!(found.is_empty(), "{found:#?}");
    assert!(!holds(&told) && !holds(&format!("{events:?}")) && !holds(&pages));
    cluster.stop().await;
}
