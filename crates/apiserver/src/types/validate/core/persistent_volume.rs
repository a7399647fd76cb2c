//! Validation of PersistentVolumes and of their claims.

use kubewright_machinery::quantity::Quantity;
use kubewright_schema::FieldError;
use serde_json::Value;

use crate::types::validate::checks::{FieldChecks, is_empty, items, without};

const ACCESS_MODES: [&str; 4] = ["ReadOnlyMany", "ReadWriteMany", "ReadWriteOnce", "ReadWriteOncePod"];
const CHANGED: &str = "spec is immutable after creation except resources.requests and volumeAttributesClassName for bound claims";

pub(in crate::types::validate) fn claim(checks: &mut FieldChecks, object: &Value, stored: Option<&Value>) {
    let spec = &object["spec"];
    claim_spec(checks, "spec", spec);
    let wanted = &spec["resources"]["requests"]["storage"];
    if let Some(stored) = stored.map(|stored| &stored["spec"]) {
        // An update may also bind a claim, by setting these fields for the first time.
        let mut mutable = vec!["resources", "volumeAttributesClassName"];
        mutable.extend(["volumeName", "storageClassName"].iter().filter(|field| stored[**field].is_null()));
        if without(spec, &mutable) != without(stored, &mutable) {
            checks.add(FieldError::forbidden("spec", CHANGED));
        }
        let before = &stored["resources"]["requests"]["storage"];
        if let (Ok(now), Ok(before)) = (Quantity::from_value(wanted), Quantity::from_value(before))
            && now < before
        {
            checks.add(FieldError::forbidden("spec.resources.requests.storage", "field can not be less than previous value"));
        }
    }
}

/// Checks the spec of a claim, also in a template of claims.
pub(in crate::types::validate) fn claim_spec(checks: &mut FieldChecks, path: &str, spec: &Value) {
    access_modes(checks, path, &spec["accessModes"]);
    if !spec["selector"].is_null() {
        checks.selector(&format!("{path}.selector"), &spec["selector"]);
    }
    let (field, wanted) = (format!("{path}.resources[storage]"), &spec["resources"]["requests"]["storage"]);
    if wanted.is_null() {
        checks.add(FieldError::required(field, ""));
    } else if Quantity::from_value(wanted).is_ok_and(|amount| amount.is_zero() || amount.is_negative()) {
        checks.add(FieldError::invalid(field, wanted, "must be greater than zero"));
    }
    checks.one_of(&format!("{path}.volumeMode"), &spec["volumeMode"], &["Block", "Filesystem"]);
}

pub(in crate::types::validate) fn volume(checks: &mut FieldChecks, object: &Value, _: Option<&Value>) {
    let spec = &object["spec"];
    access_modes(checks, "spec", &spec["accessModes"]);
    if is_empty(&spec["capacity"]) {
        checks.add(FieldError::required("spec.capacity", ""));
    }
    let policies = ["Delete", "Recycle", "Retain"];
    checks.one_of("spec.persistentVolumeReclaimPolicy", &spec["persistentVolumeReclaimPolicy"], &policies);
    checks.one_of("spec.volumeMode", &spec["volumeMode"], &["Block", "Filesystem"]);
}

fn access_modes(checks: &mut FieldChecks, path: &str, modes: &Value) {
    let field = format!("{path}.accessModes");
    if is_empty(modes) {
        checks.add(FieldError::required(&field, "at least 1 access mode is required"));
    }
    for (_, mode) in items(&field, modes) {
        // The real server names the field in the error, not the item.
        checks.one_of(&field, mode, &ACCESS_MODES);
    }
}
