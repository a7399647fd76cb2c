//! Routing of paths to the served kinds (DISC-11, DISC-12).

use std::sync::Arc;

use kubewright_middleware::{ResourceTarget, Status, Verb};

use crate::kinds::{KindSpec, Registry};
use crate::status::StatusExt as _;

/// An addressed resource.
#[derive(Clone, Debug)]
pub(in crate::request) struct Route {
    pub(in crate::request) kind: Arc<KindSpec>,
    pub(in crate::request) verb: Verb,
    pub(in crate::request) namespace: Option<String>,
    pub(in crate::request) name: Option<String>,
    pub(in crate::request) subresource: Option<String>,
}

/// The reason for which no route is found.
#[derive(Debug)]
pub(in crate::request) enum NoRoute {
    /// The group is not served; the answer is a plain text.
    Unknown,
    /// The API service of the group does not respond; the answer is a plain text.
    Unavailable,
    /// Any other failure.
    Status(Status),
}

/// Finds the kind and checks that it supports the verb.
pub(in crate::request) fn find(registry: &Registry, target: &ResourceTarget, method: &http::Method) -> Result<Route, NoRoute> {
    let status = |status| Err(NoRoute::Status(status));
    let Some(kind) = registry.resource(&target.group, &target.version, &target.resource) else {
        if registry.is_unavailable(&target.group, &target.version) {
            return Err(NoRoute::Unavailable);
        }
        // Groups of custom resources have no catch-all handler (CRD-9).
        let built_in = target.group.is_empty() || registry.kinds().any(|kind| kind.group == target.group && !kind.is_custom());
        return if built_in { status(Status::resource_not_found()) } else { Err(NoRoute::Unknown) };
    };
    let non_empty = |text: &str| (!text.is_empty()).then(|| text.to_owned());
    let route = Route {
        kind: kind.clone(),
        verb: target.verb,
        namespace: non_empty(&target.namespace),
        name: non_empty(&target.name),
        subresource: non_empty(&target.subresource),
    };
    if !kind.is_namespaced() && route.namespace.is_some() && kind.kind != "Namespace" {
        return if kind.is_custom() { Err(NoRoute::Unknown) } else { status(Status::resource_not_found()) };
    }
    if method == http::Method::HEAD {
        return status(Status::method_not_allowed());
    }
    match &route.subresource {
        Some(subresource) => check_subresource(&route, subresource)?,
        None => check_main(&route)?,
    }
    check_key(&route)?;
    Ok(route)
}

/// Rejects texts that cannot be names, since the name is part of the key in the store.
fn check_key(route: &Route) -> Result<(), NoRoute> {
    let name = route.name.as_deref().unwrap_or_default();
    let problem = match name {
        "." | ".." => format!("may not be '{name}'"),
        _ if name.contains('%') => "may not contain '%'".to_owned(),
        _ => String::new(),
    };
    if !problem.is_empty() {
        return Err(NoRoute::Status(Status::bad_request(format!("Name parameter invalid: {name:?}: {problem}"))));
    }
    let namespace = route.namespace.as_deref().unwrap_or_default();
    if matches!(namespace, "." | "..") && route.kind.is_namespaced() && route.verb != Verb::Create {
        let key = format!("/{}/{namespace}/{name}", route.kind.plural);
        return Err(NoRoute::Status(Status::unknown(format!("invalid key: {:?}", key.trim_end_matches('/')))));
    }
    Ok(())
}

fn check_main(route: &Route) -> Result<(), NoRoute> {
    let kind = &route.kind;
    let addresses_one = matches!(route.verb, Verb::Get | Verb::Update | Verb::Patch | Verb::Delete);
    let wrong_path = match (route.verb, &route.name) {
        (Verb::Create, Some(_)) => true,
        (_, None) => addresses_one,
        (_, Some(_)) => false,
    };
    let needs_namespace = kind.is_namespaced() && route.namespace.is_none();
    if needs_namespace && (addresses_one || route.name.is_some()) {
        return Err(if kind.is_custom() { NoRoute::Unknown } else { NoRoute::Status(Status::resource_not_found()) });
    }
    let wrong_scope = needs_namespace && matches!(route.verb, Verb::Create | Verb::DeleteCollection);
    if wrong_scope && kind.is_custom() {
        return Err(NoRoute::Unknown);
    }
    if wrong_path || wrong_scope {
        return Err(NoRoute::Status(Status::method_not_allowed()));
    }
    // The list of a kind that cannot be watched has a refusal of its own.
    let is_watch_of_list = route.verb == Verb::Watch && kind.allows(Verb::List);
    if !kind.allows(route.verb) && !is_watch_of_list {
        // A kind that can only be created has no named objects.
        let has_objects = [Verb::Get, Verb::Update, Verb::Patch, Verb::Delete].iter().any(|verb| kind.allows(*verb));
        if route.name.is_some() && !has_objects {
            return Err(NoRoute::Status(Status::resource_not_found()));
        }
        return Err(NoRoute::Status(Status::method_not_allowed()));
    }
    Ok(())
}

/// The refusal of a verb that a kind does not have.
pub(in crate::request) fn not_supported(verb: Verb, kind: &KindSpec) -> Status {
    let message = format!("{verb} is not supported on resources of kind {:?}", kind.qualified_resource());
    let details = kubewright_middleware::status::Details {
        group: kind.group.clone(),
        kind: kind.plural.clone(),
        ..kubewright_middleware::status::Details::default()
    };
    Status::new(405, "MethodNotAllowed", message).with_details(details)
}

fn check_subresource(route: &Route, name: &str) -> Result<(), NoRoute> {
    let kind = &route.kind;
    let object = route.name.as_deref().unwrap_or_default();
    let Some(subresource) = kind.subresource(name) else {
        let status =
            if kind.is_custom() { Status::not_found(&kind.group, &kind.plural, object) } else { Status::resource_not_found() };
        return Err(NoRoute::Status(status));
    };
    // The name between two slashes is empty.
    if object.is_empty() {
        return Err(NoRoute::Status(Status::bad_request("name must be provided")));
    }
    if subresource.verbs.contains(route.verb) {
        return Ok(());
    }
    if !kind.is_custom() {
        return Err(NoRoute::Status(Status::method_not_allowed()));
    }
    Err(NoRoute::Status(not_supported(route.verb, kind)))
}
