//! The scenarios.

use kubewright::prelude::*;
use kubewright_testing::disturbance::ScenarioStep;

use super::scenario::{Scenario, until};
use crate::kinds::{Kinds, held, ordered, secret};
use crate::types::{annotated, bundle, config_map};

fn ready(name: &str) -> ScenarioStep {
    until(name, "Ready", "Ready")
}

/// Returns a webhook configuration that matches no existing type.
pub(super) fn webhook(kinds: &Kinds) -> Value {
    json!({
        "apiVersion": "admissionregistration.k8s.io/v1", "kind": "ValidatingWebhookConfiguration",
        "metadata": { "name": format!("guard.{}", kinds.group()) },
        "webhooks": [{
            "name": "guard.test.kubewright.dev", "sideEffects": "None", "admissionReviewVersions": ["v1"], "failurePolicy": "Ignore",
            "clientConfig": { "url": "https://127.0.0.1:1/none" },
            "rules": [{ "apiGroups": ["none.example.com"], "apiVersions": ["v1"], "operations": ["CREATE"], "resources": ["nones"] }],
        }],
    })
}

/// Three waves with a type, an instance of it, and a webhook.
pub(super) fn install() -> Scenario {
    Scenario {
        name: "install",
        one_in: 1,
        before: |_| Vec::new(),
        steps: |kinds: &Kinds| {
            let objects = [
                kinds.crd(),
                config_map("settings", "a"),
                ordered(kinds.baz(), "1", "", ""),
                ordered(kinds.foo(), "1", "", ""),
                ordered(webhook(kinds), "2", "", ""),
                ordered(annotated(secret("token"), "update-policy", "ssa-override"), "2", "", ""),
            ];
            vec![ScenarioStep::Set(kinds.component(&objects)), ready("demo")]
        },
    }
}

/// Objects before an upgrade.
fn old(kinds: &Kinds) -> Vec<Value> {
    vec![
        config_map("changed", "a"),
        annotated(config_map("recreated", "a"), "update-policy", "recreate"),
        annotated(config_map("applied", "a"), "update-policy", "ssa-merge"),
        annotated(config_map("kept", "a"), "delete-policy", "orphan-on-apply"),
        held(config_map("leaving", "a")),
        kinds.object("Foo", "leaving-too"),
        ordered(kinds.object("Foo", "job-1"), "", "", "0"),
    ]
}

/// Objects after the upgrade.
fn new(kinds: &Kinds) -> Vec<Value> {
    vec![
        config_map("changed", "b"),
        annotated(config_map("recreated", "b"), "update-policy", "recreate"),
        annotated(config_map("applied", "b"), "update-policy", "ssa-override"),
        ordered(kinds.object("Foo", "job-2"), "-1", "", "-1"),
        ordered(config_map("new", "a"), "1", "", ""),
    ]
}

/// Objects are changed, removed, added, recreated and purged.
pub(super) fn upgrade() -> Scenario {
    Scenario {
        name: "upgrade",
        one_in: 1,
        before: |kinds| vec![ScenarioStep::Set(kinds.component(&old(kinds))), ready("demo")],
        steps: |kinds| {
            vec![
                ScenarioStep::Set(kinds.component(&new(kinds))),
                ready("demo"),
                ScenarioStep::Gone(config_map("leaving", "")),
                ready("demo"),
            ]
        },
    }
}

/// The same change while the operator is stopped.
pub(super) fn start() -> Scenario {
    Scenario {
        name: "start after a change",
        // The scenario combines a start and an upgrade.
        one_in: 3,
        before: |kinds| vec![ScenarioStep::Set(kinds.component(&old(kinds))), ready("demo")],
        steps: |kinds| {
            vec![
                ScenarioStep::Stop,
                ScenarioStep::Set(kinds.component(&new(kinds))),
                ScenarioStep::Remove(config_map("kept", "")),
                ScenarioStep::Start,
                ready("demo"),
                ScenarioStep::Gone(config_map("leaving", "")),
                ready("demo"),
            ]
        },
    }
}

fn doomed(kinds: &Kinds) -> Value {
    kinds.component(&[
        kinds.crd(),
        kinds.baz(),
        kinds.bar(),
        annotated(config_map("stays", "a"), "delete-policy", "orphan"),
        held(config_map("held", "a")),
        ordered(secret("last"), "", "1", ""),
    ])
}

/// A foreign instance of a type holds back the deletion; then all objects are deleted except those that are kept by their policy.
pub(super) fn deletion() -> Scenario {
    Scenario {
        name: "deletion",
        one_in: 1,
        before: |kinds| vec![ScenarioStep::Set(doomed(kinds)), ready("demo")],
        steps: |kinds| {
            let foreign = kinds.object("Baz", "foreign");
            vec![
                ScenarioStep::Create(foreign.clone()),
                ScenarioStep::Delete(doomed(kinds)),
                until("demo", "Deleting", "DeletionBlocked"),
                ScenarioStep::Remove(foreign),
                ScenarioStep::Gone(doomed(kinds)),
            ]
        },
    }
}

/// Objects that existed before, and an object that moves from component to component.
pub(super) fn adoption() -> Scenario {
    Scenario {
        name: "adoption",
        one_in: 1,
        before: |_| {
            let mut taken = config_map("taken", "x");
            taken["metadata"]["labels"][format!("{}/owner-id", crate::world::OPERATOR)] =
                "t6dnbamijr6wlgrp5kqmkwwqcwr36ty3fmfyelgrlvwblmhqbiea".into();
            vec![
                ScenarioStep::Create(config_map("free", "x")),
                ScenarioStep::Create(config_map("merged", "x")),
                ScenarioStep::Create(config_map("recreated", "x")),
                ScenarioStep::Create(taken),
                ScenarioStep::Create(config_map("nobodys", "x")),
                ScenarioStep::Set(bundle("other", &[config_map("passed", "other"), config_map("others", "a")])),
                ready("other"),
            ]
        },
        steps: |_| {
            let objects = [
                config_map("free", "a"),
                annotated(config_map("taken", "a"), "adoption-policy", "always"),
                annotated(config_map("merged", "a"), "update-policy", "ssa-merge"),
                annotated(config_map("recreated", "a"), "update-policy", "recreate"),
                config_map("passed", "demo"),
            ];
            vec![
                ScenarioStep::Set(bundle("demo", &objects)),
                until("demo", "Error", "Error"),
                ScenarioStep::Set(bundle("other", &[config_map("others", "a")])),
                ready("demo"),
                ready("other"),
            ]
        },
    }
}

fn drifting() -> Value {
    let objects = [config_map("edited", "a"), config_map("deleted", "a"), config_map("unmarked", "a"), applied()];
    bundle("demo", &objects)
}

fn applied() -> Value {
    annotated(config_map("applied", "a"), "update-policy", "ssa-override")
}

/// Fields are edited, objects deleted and labels removed, and one actor repeats its change.
pub(super) fn drift() -> Scenario {
    Scenario {
        name: "drift",
        one_in: 1,
        before: |_| vec![ScenarioStep::Set(drifting()), ready("demo")],
        steps: |_| {
            let label = format!("{}/owner-id", crate::world::OPERATOR);
            vec![
                ScenarioStep::Edit(config_map("edited", ""), json!({ "data": { "value": "x", "more": "y" } })),
                ScenarioStep::Edit(applied(), json!({ "data": { "value": "x" } })),
                ScenarioStep::Remove(config_map("deleted", "")),
                ScenarioStep::Edit(config_map("unmarked", ""), json!({ "metadata": { "labels": { label: null } } })),
                ready("demo"),
                // The third correction follows after a minute; further ones would wait for a reapply.
                ScenarioStep::Contest(config_map("edited", "a"), json!({ "data": { "value": "mine" } }), 2),
                ready("demo"),
            ]
        },
    }
}

/// A component with objects of deletion stages, one of which is purged.
fn staged(kinds: &Kinds) -> Value {
    let stage = |name: &str, stage: &str| annotated(kinds.object("Foo", name), "lifecycle", stage);
    kinds.component(&[
        config_map("one", "a"),
        ordered(stage("check", "pre-delete"), "", "", "0"),
        ordered(stage("drain", "pre-delete"), "1", "", ""),
        stage("report", "post-delete"),
    ])
}

/// Objects of deletion stages are created and deleted during the deletion of the component.
pub(super) fn stages() -> Scenario {
    Scenario {
        name: "deletion stages",
        one_in: 1,
        before: |kinds| vec![ScenarioStep::Set(staged(kinds)), ready("demo")],
        steps: |kinds| vec![ScenarioStep::Delete(staged(kinds)), ScenarioStep::Gone(staged(kinds))],
    }
}
