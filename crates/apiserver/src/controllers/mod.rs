//! Controllers that every cluster needs: establishment of custom resources, namespaces, the garbage collector.
//!
//! A [`ServerController`] records committed changes and acts on their consequences, through a [`Writer`](crate::api::Writer) that writes as its own user
//! and passes the same pipeline as a request. Controllers run to quiescence after each write, before it is answered (DIF-4).

mod backlog;
mod by_item;
mod controller;
mod definitions;
mod events;
mod garbage;
mod namespace;
mod policies;
mod protection;
mod registrations;
mod roles;
mod service_ranges;
mod services;

use std::time::Duration;

pub use controller::ServerController;
pub(crate) use registrations::{AUTOMANAGED, local as local_service};
pub(crate) use service_ranges::{DEFAULT_RANGE, default_range};

/// Returns the controllers of every server; Events are deleted after `event_ttl`.
pub(crate) fn builtin(event_ttl: Duration) -> Vec<Box<dyn ServerController>> {
    vec![
        Box::new(definitions::DefinitionController::default()),
        Box::new(registrations::Registrations::default()),
        Box::new(garbage::GarbageCollector::default()),
        Box::new(namespace::NamespaceDeletion::default()),
        Box::new(namespace::NamespaceDefaults::default()),
        Box::new(protection::Protection::of_claims()),
        Box::new(protection::Protection::of_volumes()),
        Box::new(protection::Protection::of_classes()),
        Box::new(services::ApiServices::default()),
        Box::new(service_ranges::ServiceRanges::default()),
        Box::new(roles::RoleAggregation::default()),
        Box::new(policies::PolicyStatus::default()),
        Box::new(events::EventTtl::new(event_ttl)),
    ]
}
