//! The differences between the final states of the original and of Kubewright, by the ids of the page, in one table. A difference that is not in
//! it fails the test.

use super::normal::Spot;

/// The components, and their resources, that the original does not generate in the scene `controllers-subset`, because their controllers are not
/// active.
pub(super) const PASSED_OVER: [(&str, &str); 4] = [
    ("APIServer", "apiservers"),
    ("Authorization", "authorizations"),
    ("Landscaper", "landscapers"),
    ("CloudOrchestrator", "cloudorchestrators"),
];

/// An intended difference.
pub(super) struct Documented {
    /// The rule of flow-and-contract.md that Kubewright follows.
    pub(super) id: &'static str,
    /// A function that returns true if the rule explains a field.
    explains: fn(&Spot<'_>) -> bool,
}

const fn documented(id: &'static str, explains: fn(&Spot<'_>) -> bool) -> Documented {
    Documented { id, explains }
}

/// The steps in which the cloud orchestrator of the original has not noticed the change of the API server yet.
const UNNOTICED: [&str; 18] = [
    "spec-changed/01",
    "spec-changed/02",
    "spec-changed/04",
    "ignore-annotation/05",
    "ignore-annotation/07",
    "ignore-annotation/08",
    "ignore-annotation/09",
    "ignore-annotation/10",
    "failing-condition/05",
    "internal-configuration/01",
    "internal-configuration/02",
    "internal-configuration/03",
    "internal-configuration/05",
    "component-removed/02",
    "component-removed/04",
    "teardown-dependency-not-ready/02",
    "outlived-by-absent/02",
    "all-ready/01",
];

/// The steps in which the dependents of the original wait for a dependency, although they are being deleted.
const STUCK: [&str; 3] =
    ["teardown-dependency-not-ready/03", "teardown-dependency-not-ready/04", "teardown-dependency-not-ready/05"];

/// The beginnings of texts that the loops write.
const LOOP_TEXTS: [&str; 6] = [
    "waiting for",
    "deletion is waiting",
    "an error occurred",
    "the reconciliation failed",
    "this component does not expose",
    "value 'abc' of label",
];

/// The table of differences. The first entry that explains a field applies.
pub(super) const DIFFERENCES: &[Documented] = &[
    // Kubewright sets default reasons, the original none.
    documented("13.6", |spot| {
        let default = ["True", "False", "Unknown"].iter().any(|status| {
            let reason = format!("{}_{status}", spot.condition().unwrap_or_default());
            spot.path.ends_with("/reason") && spot.ours_is(&reason)
        });
        spot.recorded.is_none() && (default || spot.path.ends_with("/reason") && spot.ours_is("Reconciled"))
    }),
    // The texts of waits, of failures and of components without conditions are those of Kubewright.
    documented("13.6", |spot| {
        let of_the_loop = |text: Option<&serde_json::Value>| {
            let text = text.and_then(serde_json::Value::as_str).unwrap_or_default().to_lowercase();
            LOOP_TEXTS.iter().any(|begin| text.starts_with(begin))
        };
        spot.path.ends_with("/message") && (of_the_loop(spot.recorded) || of_the_loop(spot.ours))
    }),
    documented("13.6", |spot| {
        let is_text = spot.path.ends_with("Reconciliation/message");
        is_text && (spot.recorded.is_none() || spot.step.starts_with("failing-condition"))
    }),
    // The reason of a wait is on both conditions; the original sets it on the health alone.
    documented("13.6", |spot| {
        let is_reason = spot.path.ends_with("Reconciliation/reason");
        is_reason && spot.recorded.is_none() && (spot.ours_is("WaitingForDependencies") || spot.ours_is("ComponentIsInDeletion"))
    }),
    // A waiting deletion is reported by another condition.
    documented("FZ-14", |spot| spot.condition().is_some_and(|type_| type_.ends_with("DeletionBlocked"))),
    documented("13.6 row 5b", |spot| {
        let waits = "DeletionWaitingForDependingComponents";
        spot.path.ends_with("/reason") && (spot.recorded_is(waits) || spot.ours_is(waits))
    }),
    // The message of the owner lists the components that are not ready.
    documented("OL-3", |spot| spot.kind == "ManagedControlPlane" && spot.path == "/status/message"),
    // A component that was never reconciled is taken into account.
    documented("AGG-6", |spot| {
        spot.condition() == Some("MCPSuccessful")
            && ["created/", "one-ready/", "teardown-before", "controllers-subset/"]
                .iter()
                .any(|scene| spot.step.starts_with(scene))
    }),
    documented("AGG-6", |spot| spot.condition() == Some("MCPSuccessful") && spot.path.ends_with("/message")),
    // Empty objects are not written.
    documented("SW-2", |spot| spot.ours.is_none() && spot.recorded.is_some_and(|value| *value == serde_json::json!({}))),
    // All foreign labels survive, whatever their prefix.
    documented("13.10", |spot| spot.path.ends_with("/openmcp.cloud/foreign")),
    // The published part of a component is removed with it.
    documented("OL-2", |spot| spot.path.starts_with("/status/components/") && spot.ours.is_none()),
    // Kubewright notices the change at once.
    documented("WAKE-2", |spot| {
        let told = spot.kind == "CloudOrchestrator" || spot.path.contains("CloudOrchestrator") || spot.path == "/status/status";
        told && spot.path.starts_with("/status/") && UNNOTICED.contains(&spot.step)
    }),
    // A dependency that only lags behind does not affect the health.
    documented("13.6 row 4a", |spot| spot.recorded_is("WaitingForDependencies") && UNNOTICED.contains(&spot.step)),
    // Broken labels fail the pass.
    documented("STH-2", |spot| {
        let broken = ["failing-condition/08", "failing-condition/09"].contains(&spot.step);
        broken && spot.path == "/status/conditions/AuthorizationHealthy/reason"
    }),
    // A dependency without conditions is not ready.
    documented("RDY-2", |spot| {
        ["failing-condition/10", "failing-condition/11"].contains(&spot.step) && spot.path.starts_with("/status/")
    }),
    // The mark shows that the owner disabled a component.
    documented("OPA-7", |spot| spot.path == "/metadata/annotations/openmcp.cloud/disabled"),
    // An `ignore` that was set by hand stays, and the component is left unchanged.
    documented("OPA-4", |spot| {
        let is_ignored = ["ignore-annotation/03", "ignore-annotation/04"].contains(&spot.step);
        is_ignored && (spot.kind == "Landscaper" || spot.path.contains("/Landscaper."))
    }),
    // Without the mark it stays even if the owner of the original had set it.
    documented("OPA-7", |spot| {
        spot.step == "ignore-annotation/07" && (spot.kind == "Landscaper" || spot.path.contains("/Landscaper."))
    }),
    // The component's generations lag behind, which the owner reports.
    documented("OL-4", |spot| {
        let steps = [
            "ignore-annotation/05",
            "ignore-annotation/06",
            "component-removed/03",
            "component-removed/07",
            "component-removed/08",
        ];
        steps.contains(&spot.step) && spot.path == "/status/status"
    }),
    // The removal of the last dependency finalizer starts the next deletion.
    documented("TEAR-1", |spot| {
        let ahead = ["teardown/05", "teardown/06", "teardown/07", "teardown/08"].contains(&spot.step);
        ahead
            && (["Authorization", "Authentication"].contains(&spot.kind)
                || spot.path.contains("/Authorization")
                || spot.path.contains("/Authentication")
                || spot.path == "/metadata/finalizers/dependency.openmcp.cloud/authorization"
                || spot.path == "/metadata/finalizers/dependency.openmcp.cloud/authentication"
                || spot.path == "/status/components/authorization")
    }),
    // Conditions that a wait did not reach are kept.
    documented("STH-5", |spot| {
        let kept = ["AccessRequestGranted", "ClusterReady", "ClusterRequestGranted"];
        spot.step == "teardown/09" && kept.iter().any(|type_| spot.path.contains(type_))
    }),
    // A deletion does not wait for a dependency to be ready: the external systems of the components are at work already.
    documented("CL-3", |spot| {
        let is_at_it = spot.ours_is("WaitingForLaaS") || spot.ours_is("WaitingForCloudOrchestrator");
        STUCK.contains(&spot.step) && spot.recorded_is("WaitingForDependencies") && is_at_it
    }),
    // A component that waits for depending components keeps its health.
    documented("13.6 row 5b", |spot| {
        let of_the_wait = ["AuthenticationHealthy", "AuthorizationHealthy"].map(Some).contains(&spot.condition());
        STUCK.contains(&spot.step) && of_the_wait && spot.path.ends_with("/status") && spot.ours_is("False")
    }),
    // An absent target does not fail the pass.
    documented("CL-6", |spot| {
        let of_the_failure = ["LandscaperReconciliation", "LandscaperHealthy", "MCPSuccessful"].map(Some);
        let is_told = of_the_failure.contains(&spot.condition()) || spot.path.starts_with("/status/landscaperDeployment/");
        spot.step == "outlived-by-absent/01" && is_told
    }),
    // Each section becomes a component, whatever controllers are active.
    documented("13.10", |spot| {
        let in_part = ["controllers-subset/01", "controllers-subset/02"].contains(&spot.step);
        let of_another = |kind: &str| spot.kind == kind || spot.path.starts_with(&format!("/status/conditions/{kind}.{kind}/"));
        in_part && spot.recorded.is_none() && PASSED_OVER.iter().any(|(kind, _)| of_another(kind))
    }),
];

/// Returns the id of the rule that explains a difference.
pub(super) fn explained(spot: &Spot<'_>) -> Option<&'static str> {
    DIFFERENCES.iter().find(|documented| (documented.explains)(spot)).map(|documented| documented.id)
}
