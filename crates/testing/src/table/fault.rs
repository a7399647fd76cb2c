//! Failures of requests that a row induces.

use kubewright_middleware::{Status, Verb};

use crate::TestCluster;

/// Makes requests of a verb for a resource fail from now on.
pub(super) async fn induce(cluster: &TestCluster, verb: &str, resource: &str) -> Result<(), String> {
    let verbs = match verb {
        "*" => Verb::ALL.to_vec(),
        name => vec![Verb::parse(name).ok_or_else(|| {
            let allowed = Verb::ALL.map(Verb::as_str).join(", ");
            format!("induce a failure of the verb {name:?}; allowed: {allowed}, *")
        })?],
    };
    let resources = if resource == "*" { all(cluster, None).await? } else { named(cluster, resource).await? };
    for (group, plural, subresource) in &resources {
        let below = if subresource.is_empty() { String::new() } else { format!("/{subresource}") };
        for verb in &verbs {
            let text = format!("inducing failure for {verb} {plural}{below}");
            let rule = cluster.faults().on(*verb).of(group, plural).subresource(subresource);
            drop(rule.respond(Status::new(500, "InternalError", text)));
        }
    }
    Ok(())
}

/// A group, a plural name and a subresource.
type Resource = (String, String, String);

/// Resolves a plural name, optionally followed by a dot and its group, and by a slash and a subresource.
async fn named(cluster: &TestCluster, resource: &str) -> Result<Vec<Resource>, String> {
    let (resource, subresource) = resource.split_once('/').unwrap_or((resource, ""));
    if let Some((plural, group)) = resource.split_once('.') {
        return Ok(vec![(group.to_owned(), plural.to_owned(), subresource.to_owned())]);
    }
    let mut found = all(cluster, Some(resource)).await?;
    found.retain(|(_, _, below)| below.is_empty());
    if found.is_empty() {
        return Err(format!("induce a failure of the resource {resource:?}, which the server does not have"));
    }
    for (_, _, below) in &mut found {
        subresource.clone_into(below);
    }
    Ok(found)
}

/// Returns all resources and their status subresources, or those with this plural name.
async fn all(cluster: &TestCluster, plural: Option<&str>) -> Result<Vec<Resource>, String> {
    let discovery = kube::discovery::Discovery::new(cluster.client().clone()).run().await;
    let discovery = discovery.map_err(|error| format!("read the resources of the server: {error}"))?;
    let mut found = Vec::new();
    for group in discovery.groups() {
        for version in group.versions() {
            for (resource, _) in group.versioned_resources(version) {
                if plural.is_none_or(|plural| plural == resource.plural) {
                    for below in ["", "status"] {
                        found.push((resource.group.clone(), resource.plural.clone(), below.to_owned()));
                    }
                }
            }
        }
    }
    found.sort();
    found.dedup();
    Ok(found)
}
