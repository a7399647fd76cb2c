//! Warnings about PersistentVolumes and their claims.

use serde_json::Value;

use crate::types::warnings::{fraction, is_annotated};

const CLASS: &str = "volume.beta.kubernetes.io/storage-class";

pub(in crate::types::warnings) fn claim(warnings: &mut Vec<String>, object: &Value, _: Option<&Value>) {
    if is_annotated(object, CLASS) {
        warnings
            .push(format!("metadata.annotations[{CLASS}]: deprecated since v1.8; use \"storageClassName\" attribute instead"));
    }
    claim_spec(warnings, "spec", &object["spec"]);
}

pub(in crate::types::warnings) fn claim_spec(warnings: &mut Vec<String>, path: &str, spec: &Value) {
    for amounts in ["requests", "limits"] {
        fraction(warnings, &format!("{path}.resources.{amounts}"), "storage", &spec["resources"][amounts]);
    }
}

pub(in crate::types::warnings) fn volume(warnings: &mut Vec<String>, object: &Value, _: Option<&Value>) {
    const RECLAIM: &str = "volume.beta.kubernetes.io/persistent-volume-reclaim-policy";
    for (annotation, field) in [(CLASS, "storageClassName"), (RECLAIM, "persistentVolumeReclaimPolicy")] {
        if is_annotated(object, annotation) {
            warnings.push(format!("metadata.annotations[{annotation}]: deprecated since v1.8; use {field:?} attribute instead"));
        }
    }
    let spec = &object["spec"];
    if spec["persistentVolumeReclaimPolicy"] == "Recycle" {
        warnings.push(
            "spec.persistentVolumeReclaimPolicy: The Recycle reclaim policy is deprecated. Instead, the recommended approach is to use \
             dynamic provisioning."
                .to_owned(),
        );
    }
    sources(warnings, "spec", spec);
}

/// Warns about kinds of volumes that no longer work.
pub(in crate::types::warnings) fn sources(warnings: &mut Vec<String>, path: &str, volume: &Value) {
    const GONE: [(&str, &str); 8] = [
        ("photonPersistentDisk", "deprecated in v1.11, non-functional in v1.16+"),
        ("scaleIO", "deprecated in v1.16, non-functional in v1.22+"),
        ("flocker", "deprecated in v1.22, non-functional in v1.25+"),
        ("storageos", "deprecated in v1.22, non-functional in v1.25+"),
        ("quobyte", "deprecated in v1.22, non-functional in v1.25+"),
        ("glusterfs", "deprecated in v1.25, non-functional in v1.26+"),
        ("cephfs", "deprecated in v1.28, non-functional in v1.31+"),
        ("rbd", "deprecated in v1.28, non-functional in v1.31+"),
    ];
    for (source, what) in GONE {
        if !volume[source].is_null() {
            // The real server spells one of the names differently from the field.
            let shown = if source == "storageos" { "storageOS" } else { source };
            warnings.push(format!("{path}.{shown}: {what}"));
        }
    }
}
