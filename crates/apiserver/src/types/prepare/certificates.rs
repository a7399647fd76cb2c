//! Requesters of certificates.

use kubewright_middleware::Identity;
use serde_json::{Map, Value};

use crate::types::edit::{Members, at};

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
