//! Preparation of kinds in which the server sets few fields.

use serde_json::{Map, Value, json};

use crate::{
    access::Identity,
    types::edit::{Edit as _, Members, at, part},
};

const TEMPLATE_GENERATION: &str = "deprecated.daemonset.template.generation";

/// Sets the phase Pending of a new claim or volume (BDF-14).
pub(super) fn pending(object: &mut Members) {
    object.insert("status".into(), json!({"phase": "Pending"}));
}

/// Records the time of a phase change of a volume, unless the client sets that time.
pub(super) fn volume_phase(object: &mut Members, stored: Option<&Value>, now: &str) {
    const SINCE: &str = "lastPhaseTransitionTime";
    if stored.is_none() {
        pending(object);
    }
    let status = object.ensure("status");
    let before = stored.map_or(&Value::Null, |stored| &stored["status"]);
    let sent = status.get(SINCE).filter(|since| !since.is_null());
    if status.get("phase") != before.get("phase") {
        if sent.is_none_or(|sent| before.get(SINCE) == Some(sent)) {
            status.insert(SINCE.into(), now.into());
        }
    } else if let Some(since) = before.get(SINCE).filter(|_| sent.is_none()) {
        status.insert(SINCE.into(), since.clone());
    }
}

/// Marks an APIService as available if this server serves its group itself.
pub(super) fn local_service(object: &mut Members, now: &str) {
    let is_local = object.get("spec").is_none_or(|spec| spec["service"].is_null());
    if is_local {
        let condition = json!({
            "type": "Available", "status": "True", "lastTransitionTime": now, "reason": "Local",
            "message": "Local APIServices are always available",
        });
        object.insert("status".into(), json!({"conditions": [condition]}));
    }
}

/// Counts the versions of the template of a DaemonSet in an annotation (BDF-8).
pub(super) fn template_generation(object: &mut Members, stored: Option<&Value>) {
    let template = |value: &Value| value.pointer("/spec/template").cloned().unwrap_or_default();
    let generation = match stored {
        None => 1,
        Some(stored) => {
            let before =
                stored.pointer("/metadata/annotations").and_then(|annotations| annotations[TEMPLATE_GENERATION].as_str());
            let before = before.and_then(|text| text.parse::<i64>().ok()).unwrap_or(1);
            let changed = object.get("spec").and_then(|spec| spec.get("template")) != Some(&template(stored));
            before + i64::from(changed)
        }
    };
    object.ensure("metadata").ensure("annotations").insert(TEMPLATE_GENERATION.into(), generation.to_string().into());
}

/// Removes the fields of coordinated leader election, which is switched off. A field that the stored lease has is kept.
pub(super) fn lease(object: &mut Members, stored: Option<&Value>) {
    for field in ["preferredHolder", "strategy"] {
        let known = stored.is_some_and(|stored| stored["spec"].get(field).is_some());
        if let Some(spec) = part(object, "spec").filter(|_| !known) {
            spec.remove(field);
        }
    }
}

/// Generates the selector of a Job by its own uid, unless the Job brings a selector (BDF-10).
pub(super) fn job_selector(object: &mut Members) {
    let metadata = |field: &str| object.get("metadata").and_then(|metadata| metadata.get(field)).cloned().unwrap_or_default();
    let (uid, name) = (metadata("uid"), metadata("name"));
    let Some(spec) = part(object, "spec") else {
        return;
    };
    if spec.is_true("manualSelector") {
        return;
    }
    let Some(template) = part(spec, "template") else {
        return;
    };
    let labels = template.ensure("metadata").ensure("labels");
    for (key, value) in [
        ("batch.kubernetes.io/controller-uid", &uid),
        ("controller-uid", &uid),
        ("batch.kubernetes.io/job-name", &name),
        ("job-name", &name),
    ] {
        labels.insert(key.into(), value.clone());
    }
    let labels = labels.clone();
    let selector = spec.ensure("selector").ensure("matchLabels");
    selector.insert("batch.kubernetes.io/controller-uid".into(), uid);
    let own = object.ensure("metadata").ensure("labels");
    if own.is_empty() {
        *own = labels;
    }
}

/// Sets the requester of a certificate to the user of the request, whatever the object says.
pub(super) fn requester(object: &mut Members, user: &Identity) {
    let Some(spec) = at(object, &["spec"]) else {
        return;
    };
    spec.insert("username".into(), user.name().into());
    spec.insert("groups".into(), user.groups().to_vec().into());
    match user.uid() {
        Some(uid) => spec.insert("uid".into(), uid.into()),
        None => spec.remove("uid"),
    };
    if user.extra().is_empty() {
        spec.remove("extra");
    } else {
        let extra: Map<String, Value> = user.extra().iter().map(|(key, values)| (key.clone(), values.clone().into())).collect();
        spec.insert("extra".into(), extra.into());
    }
}
