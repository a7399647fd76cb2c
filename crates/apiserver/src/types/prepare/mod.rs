//! The fields that the server itself sets in an object before it is stored: phases, addresses, generated selectors.
//!
//! Each API group has a file, the core group a folder with a file per kind.

mod apiregistration;
mod apps;
mod batch;
mod certificates;
mod coordination;
mod core;
#[cfg(test)]
mod tests;

use kubewright_schema::FieldError;
use serde_json::Value;

pub(super) use self::core::pod::quality;
pub(crate) use self::core::service::SERVICE_RANGE;
use super::normal;
use crate::model::{Collision, Preparation};

/// Returns the collision of an object with others. `errors` holds the other errors of the object.
pub(super) fn collision(
    definition: &'static str,
    object: &Value,
    stored: Option<&Value>,
    errors: &[FieldError],
    context: &Preparation<'_>,
) -> Option<Collision> {
    match definition {
        SERVICE => core::service_collision::collision(object, stored, errors, context),
        _ => None,
    }
}

/// Returns true if objects take values from a range that all of them share.
pub(super) fn allocates(definition: &'static str) -> bool {
    definition == SERVICE
}

const SERVICE: &str = "io.k8s.api.core.v1.Service";

/// Prepares a new object (`stored` is absent) or the successor of a stored one.
pub(super) fn prepare(definition: &'static str, object: &mut Value, stored: Option<&Value>, context: &Preparation<'_>) {
    if let Some(members) = object.as_object_mut() {
        match definition.strip_prefix("io.k8s.api.").unwrap_or(definition) {
            "core.v1.Pod" if stored.is_none() => core::pod::new(members),
            "core.v1.Service" => core::service::addresses(members, stored, context),
            "core.v1.PersistentVolumeClaim" if stored.is_none() => core::persistent_volume::pending(members),
            "core.v1.PersistentVolume" => core::persistent_volume::volume_phase(members, stored, context.now),
            "io.k8s.kube-aggregator.pkg.apis.apiregistration.v1.APIService" if stored.is_none() => {
                apiregistration::local_service(members, context.now);
            }
            "apps.v1.DaemonSet" => apps::template_generation(members, stored),
            "batch.v1.Job" if stored.is_none() => batch::job_selector(members),
            "certificates.v1.CertificateSigningRequest" if stored.is_none() => {
                certificates::requester(members, context.user);
            }
            "coordination.v1.Lease" => coordination::lease(members, stored),
            _ => {}
        }
    }
    // Fields that were reset, such as the status of a new object, are printed empty.
    normal::complete(definition, object);
    normal::forget_empty_lists(definition, object);
}
