use serde_json::{Value, json};

use super::*;

const CURRENT: Health = Health::Current;
const IN_PROGRESS: Health = Health::InProgress;
const FAILED: Health = Health::Failed;

fn status_of(object: &Value) -> Health {
    readiness(object, &Hints::default()).status
}

/// Returns the expected status for a row of the table of component.md, 17.4, by the words of that table.
fn expected(observed: Option<i64>, ready: Option<&str>, own: Option<i64>, hint: bool) -> Health {
    let generation_seen = match (observed, hint) {
        (Some(observed), _) => observed == 3,
        (None, false) => true,
        (None, true) => ready.is_some() && own == Some(3),
    };
    match ready {
        _ if !generation_seen => IN_PROGRESS,
        None | Some("True") => CURRENT,
        Some(_) => IN_PROGRESS,
    }
}

// 17.4, READY-2, READY-3
#[test]
fn the_readiness_table_holds_in_all_rows() {
    let mut rows = 0;
    for observed in [None, Some(1), Some(3)] {
        for ready in [None, Some("Unknown"), Some("False"), Some("True")] {
            for own in [None, Some(1), Some(3)] {
                for (hint, needs_condition) in [(false, false), (true, false), (false, true)] {
                    let mut object = json!({"apiVersion": "testing.kubewright.dev/v1alpha1", "kind": "Foo", "metadata": {"generation": 3}, "status": {}});
                    if let Some(observed) = observed {
                        object["status"]["observedGeneration"] = json!(observed);
                    }
                    if let Some(ready) = ready {
                        let mut condition = json!({"type": "Ready", "status": ready});
                        if let Some(own) = own {
                            condition["observedGeneration"] = json!(own);
                        }
                        object["status"]["conditions"] = json!([condition]);
                    }
                    let hints =
                        Hints { has_observed_generation: hint, has_ready_condition: needs_condition, conditions: Vec::new() };
                    let mut wanted = expected(observed, ready, own, hint);
                    if needs_condition && ready.is_none() {
                        wanted = IN_PROGRESS;
                    }
                    assert_eq!(readiness(&object, &hints).status, wanted, "{observed:?} {ready:?} {own:?} {hints:?}");
                    rows += 1;
                }
            }
        }
    }
    assert_eq!(rows, 108);
}

// READY-3
#[test]
fn hinted_conditions_must_be_true_as_well() {
    let hints = Hints::parse("conditions=Test").unwrap();
    for (test, wanted) in
        [(None, IN_PROGRESS), (Some("Unknown"), IN_PROGRESS), (Some("False"), IN_PROGRESS), (Some("True"), CURRENT)]
    {
        let conditions: Vec<Value> = test.map(|status| json!({"type": "Test", "status": status})).into_iter().collect();
        let object = json!({"kind": "Foo", "apiVersion": "x/v1", "status": {"conditions": conditions}});
        assert_eq!(readiness(&object, &hints).status, wanted, "{test:?}");
    }
}

// READY-3
#[test]
fn hints_have_a_grammar() {
    let hints = Hints::parse("HasObservedGeneration, has-ready-condition,conditions=A;B").unwrap();
    assert!(hints.has_observed_generation && hints.has_ready_condition);
    assert_eq!(hints.conditions, ["A", "B"]);
    for wrong in ["ready", "conditions", "conditions=", "conditions=A;;B", "has-ready-condition=true"] {
        assert!(Hints::parse(wrong).is_err(), "{wrong}");
    }
    assert_eq!(Hints::parse(""), Ok(Hints::default()));
}

fn condition(kind: &str, status: &str, reason: &str) -> Value {
    json!({"type": kind, "status": status, "reason": reason, "message": format!("{kind} says {reason}")})
}

// READY-2, rules 1 and 3
#[test]
fn deletion_and_abnormal_conditions_come_before_the_kind() {
    let mut object = json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {}});
    object["status"]["conditions"] = json!([condition("Reconciling", "True", "Busy")]);
    assert_eq!(status_of(&object), IN_PROGRESS);
    object["status"]["conditions"] = json!([condition("Stalled", "True", "Stuck")]);
    let stalled = readiness(&object, &Hints::default());
    assert_eq!((stalled.status, stalled.message.as_str()), (FAILED, "Stalled says Stuck"));
    object["metadata"]["deletionTimestamp"] = json!("2026-01-01T00:00:00Z");
    assert_eq!(status_of(&object), Health::Terminating);
}

// READY-5
#[test]
fn a_malformed_status_is_unknown() {
    for status in [json!("x"), json!({"conditions": {}}), json!({"conditions": [{"status": "True"}]}), json!({"conditions": [7]})]
    {
        let readiness = readiness(&json!({"apiVersion": "v1", "kind": "Pod", "status": status}), &Hints::default());
        assert_eq!(readiness.status, Health::Unknown);
        assert!(!readiness.message.is_empty());
    }
}

// READY-6
#[test]
fn an_object_with_an_outdated_observed_generation_is_lagging_only_if_it_is_otherwise_ready() {
    let mut object = json!({"apiVersion": "x/v1", "kind": "Foo", "metadata": {"generation": 2}, "status": {"observedGeneration": 1, "conditions": [condition("Ready", "True", "")]}});
    assert!(readiness(&object, &Hints::default()).lagging);
    object["status"]["conditions"] = json!([condition("Ready", "False", "")]);
    assert!(!readiness(&object, &Hints::default()).lagging);
}

#[test]
fn plain_kinds_are_ready() {
    for (api_version, kind) in [
        ("v1", "ConfigMap"),
        ("v1", "Secret"),
        ("batch/v1", "CronJob"),
        ("policy/v1", "PodDisruptionBudget"),
        ("v1", "ServiceAccount"),
    ] {
        assert_eq!(status_of(&json!({"apiVersion": api_version, "kind": kind})), CURRENT);
    }
}

#[test]
fn load_balancers_wait_for_a_cluster_ip_and_claims_wait_for_the_bound_phase() {
    let service = |kind: &str, ip: &str| json!({"apiVersion": "v1", "kind": "Service", "spec": {"type": kind, "clusterIP": ip}});
    assert_eq!(status_of(&service("ClusterIP", "")), CURRENT);
    assert_eq!(status_of(&service("LoadBalancer", "")), IN_PROGRESS);
    assert_eq!(status_of(&service("LoadBalancer", "10.0.0.1")), CURRENT);
    let claim = |phase: &str| json!({"apiVersion": "v1", "kind": "PersistentVolumeClaim", "status": {"phase": phase}});
    assert_eq!((status_of(&claim("Pending")), status_of(&claim("Bound"))), (IN_PROGRESS, CURRENT));
}

#[test]
fn pods_follow_their_phase() {
    let pod = |phase: &str, more: Value| {
        let mut status = json!({"phase": phase});
        status.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        json!({"apiVersion": "v1", "kind": "Pod", "status": status})
    };
    for phase in ["Succeeded", "Failed"] {
        assert_eq!(status_of(&pod(phase, json!({}))), CURRENT);
    }
    assert_eq!(status_of(&pod("Running", json!({"conditions": [condition("Ready", "True", "")]}))), CURRENT);
    assert_eq!(status_of(&pod("Running", json!({}))), IN_PROGRESS);
    let crash = json!({"containerStatuses": [{"name": "c", "state": {"waiting": {"reason": "CrashLoopBackOff"}}}]});
    assert_eq!(status_of(&pod("Running", crash)), FAILED);
    assert_eq!(status_of(&pod("Pending", json!({}))), IN_PROGRESS);
    let since = "2026-01-01T00:00:00Z";
    let mut unschedulable = condition("PodScheduled", "False", "Unschedulable");
    unschedulable["lastTransitionTime"] = json!(since);
    let readiness = readiness(&pod("Pending", json!({"conditions": [unschedulable]})), &Hints::default());
    let fails_at = "2026-01-01T00:00:15Z".parse().unwrap();
    assert_eq!((readiness.status, readiness.changes_at), (IN_PROGRESS, Some((fails_at, FAILED))));
    assert_eq!((readiness.status_at(since.parse().unwrap()), readiness.status_at(fails_at)), (IN_PROGRESS, FAILED));
}

fn deployment(change: impl FnOnce(&mut Value)) -> Health {
    let mut object = json!({
        "apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"generation": 1},
        "spec": {"replicas": 2, "progressDeadlineSeconds": 600},
        "status": {
            "observedGeneration": 1, "replicas": 2, "updatedReplicas": 2, "readyReplicas": 2, "availableReplicas": 2,
            "conditions": [condition("Progressing", "True", "NewReplicaSetAvailable"), condition("Available", "True", "")],
        },
    });
    change(&mut object);
    status_of(&object)
}

#[test]
fn deployments_are_ready_when_rolled_out() {
    assert_eq!(deployment(|_| {}), CURRENT);
    for field in ["replicas", "updatedReplicas", "readyReplicas", "availableReplicas"] {
        assert_eq!(deployment(|object| object["status"][field] = json!(1)), IN_PROGRESS, "{field}");
    }
    assert_eq!(deployment(|object| object["status"]["replicas"] = json!(3)), IN_PROGRESS);
    assert_eq!(deployment(|object| object["status"]["conditions"][1]["status"] = json!("False")), IN_PROGRESS);
    assert_eq!(deployment(|object| object["status"]["conditions"][0]["reason"] = json!("ReplicaSetUpdated")), IN_PROGRESS);
    assert_eq!(deployment(|object| object["status"]["conditions"][0]["reason"] = json!("ProgressDeadlineExceeded")), FAILED);
    assert_eq!(deployment(|object| object["status"] = json!({"observedGeneration": 1})), IN_PROGRESS);
    let unlimited = |object: &mut Value| {
        object["spec"].as_object_mut().unwrap().remove("progressDeadlineSeconds");
        object["status"]["conditions"] = json!([condition("Available", "True", "")]);
    };
    assert_eq!(deployment(unlimited), CURRENT);
}

#[test]
fn replica_sets_are_ready_when_complete() {
    let set = |labelled: i64, replicas: i64, failure: &str| {
        status_of(&json!({
            "apiVersion": "apps/v1", "kind": "ReplicaSet", "spec": {"replicas": 2},
            "status": {"replicas": replicas, "fullyLabeledReplicas": labelled, "availableReplicas": 2, "readyReplicas": 2, "conditions": [condition("ReplicaFailure", failure, "")]},
        }))
    };
    assert_eq!(set(2, 2, "False"), CURRENT);
    assert_eq!([set(1, 2, "False"), set(2, 3, "False"), set(2, 2, "True")], [IN_PROGRESS; 3]);
}

#[test]
fn stateful_sets_are_ready_when_their_revision_is_rolled_out() {
    let set = |strategy: Value, status: Value| {
        status_of(
            &json!({"apiVersion": "apps/v1", "kind": "StatefulSet", "spec": {"replicas": 3, "updateStrategy": strategy}, "status": status}),
        )
    };
    let status = |current: i64, updated: i64, revision: &str| json!({"replicas": 3, "readyReplicas": 3, "currentReplicas": current, "updatedReplicas": updated, "currentRevision": "a", "updateRevision": revision});
    let rolling = json!({"type": "RollingUpdate"});
    assert_eq!(set(json!({"type": "OnDelete"}), json!({})), CURRENT);
    assert_eq!(set(rolling.clone(), status(3, 3, "a")), CURRENT);
    assert_eq!(set(rolling.clone(), status(2, 3, "a")), IN_PROGRESS);
    assert_eq!(set(rolling.clone(), status(3, 3, "b")), IN_PROGRESS);
    assert_eq!(set(rolling, json!({"replicas": 4, "readyReplicas": 3})), IN_PROGRESS);
    let partitioned = json!({"rollingUpdate": {"partition": 2}});
    assert_eq!(set(partitioned.clone(), status(0, 1, "b")), CURRENT);
    assert_eq!(set(partitioned, status(0, 0, "b")), IN_PROGRESS);
}

#[test]
fn daemon_sets_are_ready_when_every_node_is_served() {
    let set = |field: &str, value: Value| {
        let mut object = json!({
            "apiVersion": "apps/v1", "kind": "DaemonSet", "metadata": {"generation": 1},
            "status": {"observedGeneration": 1, "desiredNumberScheduled": 2, "currentNumberScheduled": 2, "updatedNumberScheduled": 2, "numberAvailable": 2, "numberReady": 2},
        });
        if value.is_null() {
            object["status"].as_object_mut().unwrap().remove(field);
        } else {
            object["status"][field] = value;
        }
        status_of(&object)
    };
    assert_eq!(set("numberReady", json!(2)), CURRENT);
    for field in ["currentNumberScheduled", "updatedNumberScheduled", "numberAvailable", "numberReady"] {
        assert_eq!(set(field, json!(1)), IN_PROGRESS, "{field}");
    }
    for field in ["observedGeneration", "desiredNumberScheduled"] {
        assert_eq!(set(field, Value::Null), IN_PROGRESS, "{field}");
    }
}

#[test]
fn jobs_are_ready_when_they_end() {
    let job = |kind: &str| {
        let object = json!({"apiVersion": "batch/v1", "kind": "Job", "status": {"conditions": [condition(kind, "True", "Why")]}});
        readiness(&object, &Hints::default())
    };
    assert_eq!((job("Complete").status, job("Suspended").status, job("Other").status), (CURRENT, CURRENT, IN_PROGRESS));
    assert_eq!((job("Failed").status, job("Failed").message.as_str()), (FAILED, "Failed says Why"));
}

#[test]
fn types_are_ready_when_served() {
    let definition = |conditions: Value| {
        status_of(
            &json!({"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition", "status": {"conditions": conditions}}),
        )
    };
    let accepted = condition("NamesAccepted", "True", "");
    assert_eq!(definition(json!([accepted, condition("Established", "True", "")])), CURRENT);
    assert_eq!(definition(json!([accepted])), IN_PROGRESS);
    assert_eq!(definition(json!([accepted, condition("Established", "False", "Installing")])), IN_PROGRESS);
    assert_eq!(definition(json!([accepted, condition("Established", "False", "Broken")])), FAILED);
    assert_eq!(definition(json!([condition("NamesAccepted", "False", "Conflict")])), FAILED);
    let service = |status: &str| {
        let object = json!({"apiVersion": "apiregistration.k8s.io/v1", "kind": "APIService", "status": {"conditions": [condition("Available", status, "Down")]}});
        readiness(&object, &Hints::default())
    };
    assert_eq!(service("True").status, CURRENT);
    assert_eq!((service("False").status, service("False").message.as_str()), (IN_PROGRESS, "Available says Down"));
}
