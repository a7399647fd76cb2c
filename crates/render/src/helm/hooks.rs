//! Hooks of charts as orders and policies of dependents (HELM-14, HELM-15).

use kubewright_chart::ChartHook;
use kubewright_core::manifest::{Lifecycle, ReconcilePolicy, UpdatePolicy};

/// The events of Helm 3 and Helm 4, and two that earlier releases knew.
const EVENTS: [&str; 12] = [
    "pre-install",
    "post-install",
    "pre-upgrade",
    "post-upgrade",
    "pre-delete",
    "post-delete",
    "pre-rollback",
    "post-rollback",
    "test",
    "test-success",
    "test-failure",
    "crd-install",
];

const BEFORE_CREATION: &str = "before-hook-creation";
const SUCCEEDED: &str = "hook-succeeded";
const FAILED: &str = "hook-failed";

const LARGEST_WEIGHT: i16 = 100;

/// The distance of hooks from the other objects of a chart, which are in wave 0: hooks of all weights come before or after all others.
const DISTANCE: i16 = LARGEST_WEIGHT + 1;

/// The purge order of hooks that are deleted when they have succeeded, if they run before the other objects: the end of their own wave at the latest.
const AFTER_EARLY_HOOKS: i16 = -1;

/// The purge order of the other ones: after the last wave of hooks.
const AFTER_ALL: i16 = LARGEST_WEIGHT + DISTANCE;

/// A dependent that a hook becomes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct HookDependent {
    /// The stage of the component's deletion in which it is applied. None for an ordinary dependent.
    pub(super) lifecycle: Option<Lifecycle>,
    pub(super) reconcile: ReconcilePolicy,
    pub(super) update: Option<UpdatePolicy>,
    pub(super) apply_order: i16,
    pub(super) purge_order: Option<i16>,
}

/// The dependents that a hook becomes, perhaps none, and a warning about it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct HookDependents {
    pub(super) dependents: Vec<HookDependent>,
    pub(super) warning: Option<String>,
}

/// The times of an action (install, upgrade) at which a hook runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Times {
    Before,
    After,
    Both,
}

impl Times {
    fn of(hook: &ChartHook, before: &str, after: &str) -> Option<Self> {
        match (has(hook, before), has(hook, after)) {
            (true, true) => Some(Self::Both),
            (true, false) => Some(Self::Before),
            (false, true) => Some(Self::After),
            (false, false) => None,
        }
    }

    fn apply_order(self, weight: i16) -> i16 {
        if self == Self::After { weight + DISTANCE } else { weight - DISTANCE }
    }

    fn purge_order(self) -> i16 {
        if self == Self::Before { AFTER_EARLY_HOOKS } else { AFTER_ALL }
    }
}

/// Returns the dependents that a hook becomes in a revision of a component. A hook that is finite would go by itself when it has succeeded; it is deleted
/// as if that were its delete policy. The error names the annotation with its allowed values.
pub(super) fn dependents_of(hook: &ChartHook, revision: i64, is_finite: bool) -> Result<HookDependents, String> {
    check("helm.sh/hook", &hook.events, &EVENTS)?;
    let policies: Vec<&String> = hook.delete_policies.iter().filter(|policy| !policy.is_empty()).collect();
    check("helm.sh/hook-delete-policy", policies.iter().copied(), &[BEFORE_CREATION, SUCCEEDED, FAILED])?;
    let weight = weight(hook)?;
    let deletes = |policy: &str| policies.iter().any(|own| *own == policy);
    let is_recreated = policies.is_empty() || deletes(BEFORE_CREATION);
    let update = is_recreated.then_some(UpdatePolicy::Recreate);
    let is_purged = is_finite || deletes(SUCCEEDED);

    let install = Times::of(hook, "pre-install", "post-install").map(|times| (times, ReconcilePolicy::Once));
    let upgrade = Times::of(hook, "pre-upgrade", "post-upgrade").map(|times| (times, ReconcilePolicy::OnObjectOrComponentChange));
    let ordinary = if revision > 1 { upgrade.or(install) } else { install };
    let ordinary = ordinary.map(|(times, reconcile)| HookDependent {
        lifecycle: None,
        reconcile,
        update,
        apply_order: times.apply_order(weight),
        purge_order: is_purged.then(|| times.purge_order()),
    });
    let stages = [("pre-delete", Lifecycle::PreDelete), ("post-delete", Lifecycle::PostDelete)];
    let deletion = stages.into_iter().filter(|(event, _)| has(hook, event)).map(|(_, stage)| HookDependent {
        lifecycle: Some(stage),
        reconcile: ReconcilePolicy::OnObjectChange,
        update,
        apply_order: weight,
        purge_order: is_purged.then_some(AFTER_ALL),
    });
    let warning = deletes(FAILED).then(|| {
        format!("{FAILED} in helm.sh/hook-delete-policy has no effect: a failed hook stays, so that its message can be seen")
    });
    Ok(HookDependents { dependents: ordinary.into_iter().chain(deletion).collect(), warning })
}

fn has(hook: &ChartHook, event: &str) -> bool {
    hook.events.iter().any(|own| own == event)
}

fn check<'a>(annotation: &str, found: impl IntoIterator<Item = &'a String>, allowed: &[&str]) -> Result<(), String> {
    match found.into_iter().find(|value| !allowed.contains(&value.as_str())) {
        None => Ok(()),
        Some(value) => Err(format!("invalid value in the annotation {annotation}: {value:?} (allowed: {})", allowed.join(", "))),
    }
}

fn weight(hook: &ChartHook) -> Result<i16, String> {
    let Some(text) = &hook.weight else { return Ok(0) };
    let weight = text.parse().ok().filter(|weight| (-LARGEST_WEIGHT..=LARGEST_WEIGHT).contains(weight));
    weight.ok_or_else(|| {
        format!(
            "invalid value of the annotation helm.sh/hook-weight: {text:?} (allowed: an integer from -{LARGEST_WEIGHT} to {LARGEST_WEIGHT})"
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hook(events: &str, weight: Option<&str>, policies: &str) -> ChartHook {
        let words = |text: &str| text.split(',').filter(|word| !word.is_empty()).map(str::to_owned).collect();
        ChartHook {
            events: words(events),
            weight: weight.map(str::to_owned),
            delete_policies: words(policies),
            log_policies: Vec::new(),
        }
    }

    /// Returns the dependents as rows: stage, reconcile policy, update policy, apply order, purge order.
    fn rows(events: &str, weight: &str, policies: &str, revision: i64) -> Vec<String> {
        let dependents = dependents_of(&hook(events, Some(weight), policies), revision, false).unwrap().dependents;
        let row = |dependent: &HookDependent| {
            let HookDependent { lifecycle, reconcile, update, apply_order, purge_order } = dependent;
            let stage = lifecycle.map_or("ordinary", Lifecycle::as_kebab);
            let update = update.map_or("-", UpdatePolicy::as_kebab);
            let purge = purge_order.map_or_else(|| "-".to_owned(), |order| order.to_string());
            format!("{stage} {} {update} {apply_order} {purge}", reconcile.as_kebab())
        };
        dependents.iter().map(row).collect()
    }

    const CHANGE: &str = "on-object-or-component-change";

    // HELM-14: the table.
    #[test]
    fn each_set_of_events_has_its_orders_and_policies() {
        let succeeded = "hook-succeeded";
        let upgrade = |orders: &str| vec![format!("ordinary {CHANGE} - {orders}")];
        let once = |orders: &str| vec![format!("ordinary once - {orders}")];
        let cases = [
            ("pre-install,post-install", 1, once("-96 201")),
            ("pre-install,post-install", 2, once("-96 201")),
            ("pre-install", 1, once("-96 -1")),
            ("pre-install", 2, once("-96 -1")),
            ("post-install", 1, once("106 201")),
            ("post-install", 2, once("106 201")),
            ("pre-upgrade", 1, vec![]),
            ("post-upgrade", 1, vec![]),
            ("pre-upgrade,post-upgrade", 1, vec![]),
            ("pre-upgrade,post-upgrade", 2, upgrade("-96 201")),
            ("pre-upgrade", 2, upgrade("-96 -1")),
            ("post-upgrade", 2, upgrade("106 201")),
            ("pre-install,post-upgrade", 1, once("-96 -1")),
            ("pre-install,post-upgrade", 2, upgrade("106 201")),
            ("post-install,pre-upgrade", 2, upgrade("-96 -1")),
            ("pre-delete", 1, vec!["pre-delete on-object-change - 5 201".to_owned()]),
            ("post-delete", 2, vec!["post-delete on-object-change - 5 201".to_owned()]),
        ];
        for (events, revision, expected) in cases {
            assert_eq!(rows(events, "5", succeeded, revision), expected, "{events} in revision {revision}");
        }
    }

    // HELM-15, DEL-6
    #[test]
    fn a_hook_of_an_install_and_a_deletion_becomes_two_dependents() {
        assert_eq!(
            rows("pre-install,pre-delete", "-100", "hook-succeeded", 1),
            ["ordinary once - -201 -1", "pre-delete on-object-change - -100 201"]
        );
        assert_eq!(
            rows("pre-delete,post-delete", "0", "", 3),
            ["pre-delete on-object-change recreate 0 -", "post-delete on-object-change recreate 0 -"]
        );
        assert_eq!(rows("post-upgrade,post-delete", "0", "", 1), ["post-delete on-object-change recreate 0 -"]);
    }

    // HELM-14
    #[test]
    fn a_hook_of_ignored_events_alone_is_dropped() {
        for event in ["test", "test-success", "test-failure", "crd-install", "pre-rollback", "post-rollback"] {
            assert_eq!(rows(event, "0", "", 2), [""; 0], "{event}");
            assert_eq!(rows(&format!("{event},post-install"), "0", "", 1), ["ordinary once recreate 101 -"], "{event}");
        }
    }

    // HELM-14
    #[test]
    fn delete_policies_decide_about_recreation_and_purging() {
        let cases = [
            ("", "ordinary once recreate -101 -"),
            ("before-hook-creation", "ordinary once recreate -101 -"),
            ("hook-succeeded", "ordinary once - -101 -1"),
            ("hook-succeeded,before-hook-creation", "ordinary once recreate -101 -1"),
            ("hook-failed", "ordinary once - -101 -"),
        ];
        for (policies, expected) in cases {
            assert_eq!(rows("pre-install", "0", policies, 1), [expected], "{policies}");
        }
        let warning = dependents_of(&hook("pre-install", None, "hook-failed"), 1, false).unwrap().warning;
        assert!(warning.unwrap().starts_with("hook-failed in helm.sh/hook-delete-policy has no effect"));
        assert_eq!(dependents_of(&hook("pre-install", None, "hook-succeeded"), 1, false).unwrap().warning, None);
    }

    // HELM-14
    #[test]
    fn unknown_events_policies_and_weights_are_errors_that_name_the_allowed_ones() {
        let error = |hook: ChartHook| dependents_of(&hook, 1, false).unwrap_err();
        let events = error(hook("pre-install,never", None, ""));
        assert!(
            events.starts_with("invalid value in the annotation helm.sh/hook: \"never\" (allowed: pre-install, "),
            "{events}"
        );
        let policies = error(hook("pre-install", None, "hook-succeeded,never"));
        assert_eq!(
            policies,
            "invalid value in the annotation helm.sh/hook-delete-policy: \"never\" (allowed: before-hook-creation, hook-succeeded, hook-failed)"
        );
        for weight in ["101", "-101", "", "1.5", "x", " 1"] {
            let error = error(hook("pre-install", Some(weight), ""));
            assert!(error.ends_with(&format!("{weight:?} (allowed: an integer from -100 to 100)")), "{error}");
        }
        for weight in ["-100", "100", "+7", "007"] {
            assert!(dependents_of(&hook("pre-install", Some(weight), ""), 1, false).is_ok(), "{weight}");
        }
    }
}
