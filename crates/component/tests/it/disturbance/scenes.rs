//! The scenarios.

use kubewright::prelude::*;

use super::scenario::{Scenario, Step};
use crate::kinds::{Kinds, held, ordered, secret};
use crate::types::{annotated, bundle, config_map};

fn ready(name: &'static str) -> Step {
    Step::Until(name, "Ready", "Ready")
}

/// A webhook configuration that concerns nothing that exists.
fn webhook(kinds: &Kinds) -> Value {
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
        steps: |kinds: &Kinds| {
            let objects = [
                kinds.crd(),
                config_map("settings", "a"),
                ordered(kinds.baz(), "1", "", ""),
                ordered(kinds.foo(), "1", "", ""),
                ordered(webhook(kinds), "2", "", ""),
                ordered(annotated(secret("token"), "update-policy", "ssa-override"), "2", "", ""),
            ];
            vec![Step::Set(kinds.component(&objects)), ready("demo")]
        },
    }
}

/// Objects change, leave, come, are recreated, and purged.
pub(super) fn upgrade() -> Scenario {
    Scenario {
        name: "upgrade",
        steps: |kinds: &Kinds| {
            let before = [
                config_map("changed", "a"),
                annotated(config_map("recreated", "a"), "update-policy", "recreate"),
                annotated(config_map("applied", "a"), "update-policy", "ssa-merge"),
                annotated(config_map("kept", "a"), "delete-policy", "orphan-on-apply"),
                held(config_map("leaving", "a")),
                kinds.object("Foo", "leaving-too"),
                ordered(kinds.object("Foo", "job-1"), "", "", "0"),
            ];
            let after = [
                config_map("changed", "b"),
                annotated(config_map("recreated", "b"), "update-policy", "recreate"),
                annotated(config_map("applied", "b"), "update-policy", "ssa-override"),
                ordered(kinds.object("Foo", "job-2"), "-1", "", "-1"),
                ordered(config_map("new", "a"), "1", "", ""),
            ];
            vec![
                Step::Set(kinds.component(&before)),
                ready("demo"),
                Step::Set(kinds.component(&after)),
                Step::Until("demo", "Ready", "Ready"),
                Step::Gone(config_map("leaving", "")),
                ready("demo"),
            ]
        },
    }
}

/// A type in use by somebody else holds back the deletion; then everything goes but what is to stay.
pub(super) fn deletion() -> Scenario {
    Scenario {
        name: "deletion",
        steps: |kinds: &Kinds| {
            let objects = [
                kinds.crd(),
                kinds.baz(),
                kinds.bar(),
                annotated(config_map("stays", "a"), "delete-policy", "orphan"),
                held(config_map("held", "a")),
                ordered(secret("last"), "", "1", ""),
            ];
            let foreign = kinds.object("Baz", "foreign");
            vec![
                Step::Set(kinds.component(&objects)),
                ready("demo"),
                Step::Create(foreign.clone()),
                Step::Delete(kinds.component(&objects)),
                Step::Until("demo", "Deleting", "DeletionBlocked"),
                Step::Remove(foreign),
                Step::Gone(kinds.component(&objects)),
            ]
        },
    }
}

/// Objects that existed before, and one that goes from component to component.
pub(super) fn adoption() -> Scenario {
    Scenario {
        name: "adoption",
        steps: |_: &Kinds| {
            let always = annotated(config_map("taken", "a"), "adoption-policy", "always");
            let mut taken = config_map("taken", "x");
            taken["metadata"]["labels"][format!("{}/owner-id", crate::world::OPERATOR)] =
                "t6dnbamijr6wlgrp5kqmkwwqcwr36ty3fmfyelgrlvwblmhqbiea".into();
            let ssa = annotated(config_map("merged", "a"), "update-policy", "ssa-merge");
            vec![
                Step::Create(config_map("free", "x")),
                Step::Create(config_map("merged", "x")),
                Step::Create(taken),
                Step::Create(config_map("nobodys", "x")),
                Step::Set(bundle("other", &[config_map("passed", "other"), config_map("others", "a")])),
                ready("other"),
                Step::Set(bundle("demo", &[config_map("free", "a"), always, ssa, config_map("passed", "demo")])),
                Step::Until("demo", "Error", "Error"),
                Step::Set(bundle("other", &[config_map("others", "a")])),
                ready("demo"),
                ready("other"),
            ]
        },
    }
}

/// Fields are edited, objects deleted, labels lost, and one actor does not give in.
pub(super) fn drift() -> Scenario {
    Scenario {
        name: "drift",
        steps: |_: &Kinds| {
            let ssa = annotated(config_map("applied", "a"), "update-policy", "ssa-override");
            let objects = [config_map("edited", "a"), config_map("deleted", "a"), config_map("unmarked", "a"), ssa.clone()];
            let label = format!("{}/owner-id", crate::world::OPERATOR);
            vec![
                Step::Set(bundle("demo", &objects)),
                ready("demo"),
                Step::Edit(config_map("edited", ""), json!({ "data": { "value": "x", "more": "y" } })),
                Step::Edit(ssa, json!({ "data": { "value": "x" } })),
                Step::Remove(config_map("deleted", "")),
                Step::Edit(config_map("unmarked", ""), json!({ "metadata": { "labels": { label: null } } })),
                ready("demo"),
                // The third correction comes after a minute; further ones would wait for a reapply.
                Step::Fight(config_map("edited", "a"), 2),
                ready("demo"),
            ]
        },
    }
}

/// Objects of deletion stages, with one that is purged.
pub(super) fn stages() -> Scenario {
    Scenario {
        name: "deletion stages",
        steps: |kinds: &Kinds| {
            let stage = |name: &str, stage: &str| annotated(kinds.object("Foo", name), "lifecycle", stage);
            let objects = [
                config_map("one", "a"),
                ordered(stage("check", "pre-delete"), "", "", "0"),
                ordered(stage("drain", "pre-delete"), "1", "", ""),
                stage("report", "post-delete"),
            ];
            vec![
                Step::Set(kinds.component(&objects)),
                ready("demo"),
                Step::Delete(kinds.component(&objects)),
                Step::Gone(kinds.component(&objects)),
            ]
        },
    }
}
