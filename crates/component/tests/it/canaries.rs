//! The content of a Secret leaves the operator only in the Secret itself, whatever servers and generators return.

use k8s_openapi::api::core::v1::Secret as CoreSecret;
use kube::api::{Api, PostParams};
use kubewright::component::DependentEvents;
use kubewright::prelude::*;
use kubewright_middleware::Verb;
use kubewright_middleware::status::{Details, FailureCause, Status};

use crate::kinds::Kinds;
use crate::leaks::{CANARY, found};
use crate::types::{Bundle, bundle, config_map, objects};
use crate::world::{OPERATOR, World, message_of};

fn secret(value: &str) -> Value {
    json!({ "apiVersion": "v1", "kind": "Secret", "metadata": { "name": "shop" }, "stringData": { "login": value } })
}

/// Returns a refusal with this code that quotes the value, plain and base64-encoded, in every field that a server fills.
fn quoting(code: u16, value: &str) -> Status {
    use base64::Engine as _;
    let encoded = base64::engine::general_purpose::STANDARD.encode(value);
    let message = format!("Secret \"shop\" is invalid: data[login]: Invalid value: {value:?}: not {encoded}");
    let cause = FailureCause { reason: "FieldValueInvalid".into(), message: message.clone(), field: "data[login]".into() };
    Status::new(code, "Invalid", message).with_details(Details { causes: vec![cause], ..Details::default() })
}

/// Checks that the secret value has not left the operator so far.
fn check(world: &World, but: &[&str]) {
    let found = found(&world.journal().all(), but, &world.pages());
    assert!(found.is_empty(), "{CANARY} leaves the operator: {found:#?}");
}

/// Checks a Secret that is refused with this code when it is created and when it is changed.
async fn refused_with(code: u16) {
    let world = World::start_with(|builder| builder.dependent_events(DependentEvents::All)).await;
    let value = format!("{CANARY} \"correct\"\nhorse battery");
    let rule = world.faults().on(Verb::Create).of("", "secrets").respond(quoting(code, &value));
    world.set(&bundle("demo", &[config_map("one", "a"), secret(&value)])).await;
    let failed = world.until_state("demo", "Error", "Error").await;
    let message = message_of(&failed);
    assert!(message.contains("data[login]: Invalid value: \"***"), "{message}");
    assert!(!message.contains("battery"), "{message}");
    world.until_event("UpdateError").await;
    rule.remove();
    world.until_ready("demo").await;
    let changed = format!("{value} again");
    let rule = world.faults().on(Verb::Update).of("", "secrets").respond(quoting(code, &changed));
    world.set(&bundle("demo", &[config_map("one", "a"), secret(&changed)])).await;
    let failed = world.until_state("demo", "Error", "Error").await;
    assert!(message_of(&failed).contains("\"***"), "{}", message_of(&failed));
    rule.remove();
    world.until_ready("demo").await;
    check(&world, &["secrets"]);
}

// SW-9a
#[tokio::test]
async fn a_422_that_quotes_a_secret_shows_nothing_of_it() {
    refused_with(422).await;
}

// SW-9a
#[tokio::test]
async fn a_403_that_quotes_a_secret_shows_nothing_of_it() {
    refused_with(403).await;
}

// SW-9a
#[tokio::test]
async fn a_400_that_quotes_a_secret_shows_nothing_of_it() {
    refused_with(400).await;
}

// SW-9a
#[tokio::test]
async fn a_secret_looking_field_of_an_instance_is_not_shown() {
    let world = World::start().await;
    let kinds = Kinds::install(&world).await;
    let value = format!("{CANARY} correct horse");
    let mut foo = kinds.foo();
    foo["spec"]["adminPassword"] = value.clone().into();
    foo["spec"]["users"] = json!([{ "api-token": value }]);
    let rule = world.faults().on(Verb::Create).of(kinds.group(), "foos").respond(quoting(422, &value));
    world.set(&bundle("demo", &[foo])).await;
    let failed = world.until_state("demo", "Error", "Error").await;
    assert!(message_of(&failed).contains("Invalid value: \"***\""), "{}", message_of(&failed));
    world.until_event("UpdateError").await;
    rule.remove();
    check(&world, &["foos"]);
}

/// A generator whose error contains the credentials of a connection.
async fn careless(cx: &RenderContext<Bundle>) -> Result<Vec<Manifest>, RenderError> {
    let _ = cx;
    Err(RenderError::input(format!("connect to postgres://shop:{CANARY}@db.example.com/shop with Bearer {CANARY}")))
}

// SW-9a
#[tokio::test]
async fn credentials_in_the_error_of_a_generator_are_masked_in_status_events_and_logs() {
    let mut world = World::new().await;
    world.run_other(Operator::new(OPERATOR).component::<Bundle>(careless)).await;
    world.set(&bundle("demo", &[])).await;
    let failed = world.until("demo", "in error", |component| component["status"]["state"] == "Error").await;
    let message = message_of(&failed);
    assert!(message.contains("postgres://***@db.example.com/shop with Bearer ***"), "{message}");
    world.until_event("Error").await;
    check(&world, &[]);
}

// SW-9a
#[tokio::test]
async fn the_admin_pages_show_no_credentials_that_the_server_quotes() {
    let mut world = World::start().await;
    world.kill().await;
    let refusal = Status::new(403, "Forbidden", format!("bundles is forbidden: got Bearer {CANARY}-of-the-operator"));
    world.faults().on(Verb::List).of("test.kubewright.dev", "bundles").respond(refusal);
    world.start_operator().await;
    let told = || world.unready("components of bundle").is_some_and(|why| why.contains("got Bearer ***"));
    world.until_true("the refused watch is told", told).await;
    assert!(world.pages().contains("got Bearer ***"), "{}", world.pages());
    check(&world, &[]);
}

/// Creates a Secret of its own and returns the error of the server.
async fn keep_a_secret(cx: &HookContext<Bundle>, _: &Bundle, _: &mut ComponentStatus) -> Flow {
    let own = serde_json::from_value(secret(&format!("{CANARY} correct horse")))?;
    let api = Api::<CoreSecret>::namespaced(cx.client(), cx.namespace());
    api.create(&PostParams::default(), &own).await?;
    Ok(())
}

// SW-9a
#[tokio::test]
async fn a_refusal_that_quotes_the_secret_of_a_hook_shows_nothing_of_it() {
    let mut world = World::new().await;
    let rule = world.faults().on(Verb::Create).of("", "secrets").respond(quoting(422, &format!("{CANARY} correct horse")));
    let builder = Operator::new(OPERATOR).component::<Bundle>(objects).dependent_events(DependentEvents::All);
    world.run_other(builder.pre_reconcile(keep_a_secret)).await;
    world.set(&bundle("demo", &[config_map("one", "a")])).await;
    let failed = world.until("demo", "in error", |component| component["status"]["state"] == "Error").await;
    let message = message_of(&failed);
    assert!(message.contains("data[login]: Invalid value: \"***"), "{message}");
    world.until_event("Error").await;
    check(&world, &["secrets"]);
    rule.remove();
}
