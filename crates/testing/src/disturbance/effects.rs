//! Writes of replicas that did not lead, and the numbers of creations and deletions, from the journal of the embedded server.

use std::collections::BTreeMap;

use kubewright_machinery::object::ObjectExt as _;
use kubewright_middleware::Verb;
use kubewright_middleware::journal::{ChangeKind, ChangedObject, Record, Records};

use super::normal::ANY;

/// The resources that every replica may write.
pub(super) const UNLED: [&str; 2] = ["leases", "events"];

/// Returns the writes that reached the server while another replica held the lease, or while no replica held it after a release. `agents` is the
/// common prefix of the user agents of the replicas.
pub(super) fn unled_writes(server: &Records, agents: &str) -> Vec<String> {
    let mut holder: Option<&str> = None;
    let mut found = Vec::new();
    for record in server.iter().filter(|record| record.is_write() && record.user_agent.starts_with(agents)) {
        let Some(of) = record.target.resource() else { continue };
        if of.resource == "leases" && record.status().is_some_and(|code| code < 300) {
            let is_held = record.body.as_ref().is_some_and(|lease| lease["spec"]["holderIdentity"] != "");
            holder = is_held.then_some(record.user_agent.as_str());
        } else if !UNLED.contains(&of.resource.as_str()) && holder != Some(record.user_agent.as_str()) {
            found.push(format!("{record} while {} holds the lease", holder.unwrap_or("no replica")));
        }
    }
    found
}

/// Returns the numbers of creations and deletions of each object by operators. Objects with generated names are counted together by their prefix.
pub(super) fn births_and_deaths(server: &Records, agents: &str, namespace: &str) -> BTreeMap<String, usize> {
    let mut counts = BTreeMap::new();
    let mut generated: BTreeMap<String, String> = BTreeMap::new();
    for record in server.iter().filter(|record| record.is_write() && record.user_agent.starts_with(agents)) {
        for change in record.changes.iter().filter(|change| is_target(record, change)) {
            let object = change.to_string();
            let what = match change.kind {
                ChangeKind::Added => {
                    let prefix = change.difference["metadata"]["generateName"].as_str();
                    if let Some(prefix) = prefix.filter(|_| !change.difference.name().is_empty()) {
                        generated.insert(object.clone(), format!("{} {prefix}…", change.resource));
                    }
                    "created"
                }
                ChangeKind::Deleted => "deleted",
                ChangeKind::Modified => continue,
            };
            let object = generated.get(&object).cloned().unwrap_or(object).replace(namespace, ANY);
            *counts.entry(format!("{object} was {what}")).or_insert(0) += 1;
        }
    }
    counts
}

/// Returns true if a change is that of the object that the request names, and not a consequence of it.
fn is_target(record: &Record, change: &ChangedObject) -> bool {
    let Some(of) = record.target.resource() else { return false };
    !UNLED.contains(&of.resource.as_str())
        && of.resource == change.resource
        && (of.verb == Verb::Create || of.name == change.name)
}

#[cfg(test)]
mod tests {
    use http::{Method, Request};
    use serde_json::{Value, json};

    use super::*;
    use crate::TestCluster;

    /// Sends requests as a replica.
    struct ReplicaSender<'c>(&'c TestCluster, &'static str);

    impl ReplicaSender<'_> {
        async fn send(&self, method: Method, path: &str, body: Value) {
            let (agent, namespace) = (format!("shop/{}", self.1), self.0.namespace());
            let uri = path.replace("{}", namespace);
            let media = if method == Method::PATCH { "application/merge-patch+json" } else { "application/json" };
            let request = Request::builder().method(method).uri(uri).header("user-agent", agent);
            let request = request.header("content-type", media).body(body.to_string().into_bytes()).unwrap();
            self.0.client().request_text(request).await.unwrap();
        }

        async fn hold(&self, method: Method, path: &str, holder: &str) {
            let spec = json!({"holderIdentity": holder, "leaseDurationSeconds": 60});
            let lease = json!({
                "apiVersion": "coordination.k8s.io/v1", "kind": "Lease", "metadata": {"name": "shop.00-of-01"}, "spec": spec,
            });
            self.send(method, &format!("/apis/coordination.k8s.io/v1/namespaces/{{}}/leases{path}"), lease).await;
        }

        async fn create(&self, metadata: Value) {
            let map = json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": metadata});
            self.send(Method::POST, "/api/v1/namespaces/{}/configmaps", map).await;
        }
    }

    #[tokio::test]
    async fn writes_beside_the_holder_of_the_lease_and_second_births_are_found() {
        let cluster = TestCluster::start().await;
        let Some(server) = cluster.embedded() else { return cluster.stop().await };
        server.journal().keep_bodies(true);
        let [one, other] = ["replica-0", "replica-1"].map(|replica| ReplicaSender(&cluster, replica));
        one.hold(Method::POST, "", "replica-0_a").await;
        one.create(json!({"name": "first"})).await;
        one.create(json!({"generateName": "pod-"})).await;
        other.create(json!({"generateName": "pod-"})).await;
        other.hold(Method::PATCH, "/shop.00-of-01", "replica-1_b").await;
        one.send(Method::DELETE, "/api/v1/namespaces/{}/configmaps/first", Value::Null).await;
        other.create(json!({"name": "first"})).await;
        other.hold(Method::PATCH, "/shop.00-of-01", "").await;
        other.create(json!({"name": "second"})).await;

        let journal = server.journal().all();
        let found = unled_writes(&journal, "shop/");
        let what = ["create configmaps", "delete configmaps", "create configmaps"];
        let holders = ["shop/replica-0 holds the lease", "shop/replica-1 holds the lease", "no replica holds the lease"];
        assert_eq!(found.len(), 3, "{found:#?}");
        for ((write, what), holder) in found.iter().zip(what).zip(holders) {
            assert!(write.contains(what) && write.ends_with(holder), "{write}");
        }
        let counts = births_and_deaths(&journal, "shop/", cluster.namespace());
        let count = |text: &str| counts.iter().find(|(what, _)| what.contains(text)).map(|(_, count)| *count);
        assert_eq!(count("first was created"), Some(2), "{counts:?}");
        assert_eq!((count("pod-… was created"), count("first was deleted")), (Some(2), Some(1)), "{counts:?}");
        cluster.stop().await;
    }
}
