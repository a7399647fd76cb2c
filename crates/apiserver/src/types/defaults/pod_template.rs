//! Defaults of pod templates, and of what pods have in common with them.

use serde_json::{Map, Value, json};

use crate::types::edit::{Edit as _, Members, at, each, part};

const CONTAINERS: [&str; 3] = ["initContainers", "containers", "ephemeralContainers"];
const PROBES: [&str; 3] = ["livenessProbe", "readinessProbe", "startupProbe"];

/// Fills in the defaults of the pod in the `template` of an object.
pub(super) fn template(object: &mut Members) {
    if let Some(spec) = at(object, &["template", "spec"]) {
        self::spec(spec);
    }
}

/// Fills in the defaults of a pod spec, in a pod or in a template.
pub(super) fn spec(spec: &mut Members) {
    spec.fill("dnsPolicy", "ClusterFirst");
    spec.fill("restartPolicy", "Always");
    spec.fill("securityContext", json!({}));
    spec.fill("terminationGracePeriodSeconds", 30);
    spec.fill("schedulerName", "default-scheduler");
    // Both fields have one meaning; the deprecated one follows the new one.
    if spec.is_set("serviceAccountName") {
        spec.insert("serviceAccount".into(), spec.text("serviceAccountName").into());
    } else if spec.is_set("serviceAccount") {
        spec.insert("serviceAccountName".into(), spec.text("serviceAccount").into());
    }
    each(spec, "volumes").for_each(volume);
    for containers in CONTAINERS {
        each(spec, containers).for_each(container);
    }
}

fn container(container: &mut Members) {
    let policy = if is_latest(container.text("image")) { "Always" } else { "IfNotPresent" };
    container.fill("imagePullPolicy", policy);
    container.fill("terminationMessagePath", "/dev/termination-log");
    container.fill("terminationMessagePolicy", "File");
    for variable in each(container, "env") {
        if let Some(reference) = at(variable, &["valueFrom", "fieldRef"]) {
            reference.fill("apiVersion", "v1");
        }
    }
    for probe in PROBES {
        if let Some(probe) = part(container, probe) {
            probe.fill("timeoutSeconds", 1);
            probe.fill("periodSeconds", 10);
            probe.fill("successThreshold", 1);
            probe.fill("failureThreshold", 3);
            part(probe, "httpGet").into_iter().for_each(http_get);
        }
    }
    for hook in ["postStart", "preStop"] {
        at(container, &["lifecycle", hook, "httpGet"]).into_iter().for_each(http_get);
    }
}

fn http_get(get: &mut Members) {
    get.fill("path", "/");
    get.fill("scheme", "HTTP");
}

/// Fills in the defaults of a volume (BDF-4): emptyDir for a volume without a source, modes, and the expiration of tokens.
fn volume(volume: &mut Members) {
    if volume.iter().all(|(field, value)| field == "name" || value.is_null()) {
        volume.insert("emptyDir".into(), json!({}));
    }
    for source in ["secret", "configMap", "downwardAPI", "projected"] {
        if let Some(source) = part(volume, source) {
            source.fill("defaultMode", 420);
        }
    }
    if let Some(path) = part(volume, "hostPath") {
        // An empty type differs from an absent one: it is printed.
        path.entry("type").or_insert_with(|| "".into());
    }
    part(volume, "downwardAPI").into_iter().for_each(downward_items);
    if let Some(projected) = part(volume, "projected") {
        for source in each(projected, "sources") {
            if let Some(token) = part(source, "serviceAccountToken") {
                token.fill("expirationSeconds", 3600);
            }
            part(source, "downwardAPI").into_iter().for_each(downward_items);
        }
    }
    if let Some(claim) = at(volume, &["ephemeral", "volumeClaimTemplate", "spec"]) {
        claim.fill("volumeMode", "Filesystem");
    }
}

fn downward_items(source: &mut Members) {
    for item in each(source, "items") {
        if let Some(reference) = part(item, "fieldRef") {
            reference.fill("apiVersion", "v1");
        }
    }
}

/// Returns true if an image has the tag `latest`, or neither a tag nor a digest.
fn is_latest(image: &str) -> bool {
    let (name, digest) = image.split_once('@').map_or((image, None), |(name, digest)| (name, Some(digest)));
    let last = name.rsplit('/').next().unwrap_or(name);
    match last.split_once(':') {
        Some((_, tag)) => tag == "latest",
        None => digest.is_none(),
    }
}

/// Returns the labels of an object's pod template, if there are any.
pub(super) fn template_labels(object: &mut Members) -> Option<Map<String, Value>> {
    let labels = at(object, &["spec", "template", "metadata", "labels"])?;
    (!labels.is_empty()).then(|| labels.clone())
}

/// Gives an object without labels the labels of its pod template.
pub(super) fn label_like_template(object: &mut Members, labels: Option<Map<String, Value>>) {
    if let Some(labels) = labels {
        object.ensure("metadata").fill("labels", labels);
    }
}

#[cfg(test)]
mod tests {
    use super::is_latest;

    // BDF-2
    #[test]
    fn an_image_without_tag_and_digest_is_the_latest() {
        for image in ["i", "i:latest", "r:5000/i", "r/i:latest", "i:latest@sha256:0"] {
            assert!(is_latest(image), "{image}");
        }
        for image in ["i:1", "i@sha256:0", "r:5000/i:v1", "i:1@sha256:0"] {
            assert!(!is_latest(image), "{image}");
        }
    }
}
