//! Change requests by readers who know the product and not its code, and the files in which each change begins.
//!
//! A newcomer who sees the names of all files alone should find at least 36 of these 40. Reasons for a miss are a name that says too little, or one thing
//! in two places. Another reader plays the game again after a change of the tree: requests without the answers, the list of files, one guess each.

use crate::repository::exists;

/// A change request, and the files in which it begins; any of them is right.
struct ChangeRequest {
    text: &'static str,
    files: &'static [&'static str],
}

const fn change(text: &'static str, files: &'static [&'static str]) -> ChangeRequest {
    ChangeRequest { text, files }
}

/// The change requests. Some of them are fulfilled already; the file is the same.
const CHANGES: [ChangeRequest; 40] = [
    change(
        "The embedded API server accepts a NetworkPolicy whose `endPort` is smaller than its `port`; refuse it with 422 \
         and the real server's text (must be greater than or equal to `port`).",
        &["crates/apiserver/src/types/validate/networking.rs"],
    ),
    change(
        "When a HorizontalPodAutoscaler is written with a `behavior` that names only `scaleDown`, the embedded server \
         should fill in `scaleUp` with the real server's defaults (selectPolicy Max, 100 percent or 4 pods in 15 \
         seconds).",
        &["crates/apiserver/src/types/defaults/autoscaling.rs"],
    ),
    change(
        "`kubectl get pods` on the embedded server should show in the column Restarts how long ago the last restart of a \
         container was, as in `3 (5m ago)`.",
        &["crates/apiserver/src/tables/printers/core/pod.rs"],
    ),
    change(
        "A strategic merge patch whose new container has no `name` should be refused by the embedded server with the \
         words of the real one (`map: map[...] does not contain declared merge key: name`).",
        &["crates/apiserver/src/patch/lists.rs"],
    ),
    change(
        "Let a test choose how many managers of plain updates the embedded server remembers on an object before it folds \
         the oldest into `ancient-changes`, which happens beyond ten now.",
        &["crates/apiserver/src/smd/managers.rs", "crates/apiserver/src/server/builder.rs"],
    ),
    change(
        "The embedded server should also send a watch as WebSocket frames when the client asks for an upgrade of the \
         connection, because the fabric8 Java client does that.",
        &["crates/apiserver/src/request/verbs/resource.rs", "crates/apiserver/src/listen/serve.rs"],
    ),
    change(
        "The lists of API groups and versions that the embedded server answers to discovery should be sorted by \
         `groupPriorityMinimum` and `versionPriority` of the APIServices, so that kubectl picks the same kind for an \
         ambiguous short name as on a real cluster.",
        &["crates/apiserver/src/kinds/discovery_order.rs"],
    ),
    change(
        "A service account token that was requested with a Pod as its bound object should be answered 401 by the embedded \
         server once that Pod is deleted or exists with another uid.",
        &["crates/apiserver/src/api/bearer_token.rs"],
    ),
    change(
        "When an object that is already being deleted in the foreground is deleted a second time with propagation policy \
         Orphan, the embedded server should keep the first policy and not exchange the finalizer.",
        &["crates/apiserver/src/api/delete.rs"],
    ),
    change(
        "When the name of the ReplicaSet that the simulated Deployment controller wants to create is taken by a \
         ReplicaSet with another template, it should raise `status.collisionCount` of the Deployment and hash again with \
         it.",
        &["crates/apiserver/src/workloads/deployment/revisions.rs"],
    ),
    change(
        "In validation rules of custom resources, `url('https://[::1]:8080').getHostname()` should give `::1` without the \
         brackets, whereas `getHost()` keeps them together with the port.",
        &["crates/schema/src/cel/interpreter/library.rs"],
    ),
    change(
        "Add an option to the embedded server by which the creation of a Pod gets the ServiceAccount `default` filled in \
         when it names none, and is refused with 403 when its ServiceAccount does not exist.",
        &["crates/apiserver/src/admission/pods.rs"],
    ),
    change(
        "Each item in the list of dependents that a component keeps in its status should have a field that says since \
         when the object has not been Current, left out while it is.",
        &["crates/core/src/dependents/inventory.rs"],
    ),
    change(
        "Within one wave, the component engine should apply ServiceAccounts together with ConfigMaps and Secrets, before \
         the workloads, instead of in the order in which the generator returned them.",
        &["crates/core/src/dependents/order.rs"],
    ),
    change(
        "The growing pauses between corrections of a field that another program keeps changing (at once, 10 s, 60 s, \
         reapply interval) should start over when the manifest of that object changes.",
        &["crates/core/src/dependents/fights.rs", "crates/core/src/dependents/dependent.rs"],
    ),
    change(
        "While the deletion of a component waits for dependents that have a deletion timestamp, its message should name \
         the finalizers that are still on each of the remaining objects it lists.",
        &["crates/core/src/dependents/removal_step.rs", "crates/core/src/dependents/teardown.rs"],
    ),
    change(
        "When an operator takes over objects of the Go framework that have no managed fields of ours, the comparison of \
         manifest and live object should match containers and environment variables by `name`, and not by their position \
         in the list.",
        &["crates/core/src/dependents/compare.rs"],
    ),
    change(
        "Under the adoption policy `if-unowned`, an existing object without our label that has a controller owner \
         reference to some other object should be refused as owned by another controller, and not be adopted.",
        &["crates/core/src/dependents/state.rs", "crates/core/src/dependents/observe/owner.rs"],
    ),
    change(
        "The message of the Ready condition in state Processing should begin with how many dependents are ready out of \
         how many, for instance \"7 of 12 dependents are ready\", before it names the first three that are not.",
        &["crates/core/src/component/ready_condition.rs"],
    ),
    change(
        "A `ConfigMapKeyRef` in a component's spec should also find its key under `binaryData` of the ConfigMap, and not \
         only under `data`.",
        &["crates/core/src/reference/resolve.rs", "crates/component/src/references/content.rs"],
    ),
    change(
        "Refuse a kubeconfig of a target cluster that sets `insecure-skip-tls-verify: true` with reason \
         `CredentialsRefused`, as one that names plugins or files is.",
        &["crates/runtime/src/targets/kubeconfig.rs"],
    ),
    change(
        "Export a histogram of how long the user functions that are registered with `pre_reconcile`, `post_reconcile`, \
         `pre_delete` and so on take, labelled with controller and point, so that a slow one can be told from slow API \
         requests.",
        &["crates/component/src/reconciler/run_hooks.rs", "crates/component/src/metrics/component.rs"],
    ),
    change(
        "A key that has been waiting in the slow lane for more than five minutes should move to the end of the fast lane \
         by itself, so that a resync of many objects cannot starve it behind a steady stream of events.",
        &["crates/core/src/queue/state.rs", "crates/core/src/queue/lanes.rs"],
    ),
    change(
        "Emit a Normal event on the Lease object when a replica gains or loses a bucket, with the identity of the \
         replica, as client-go's leader election does.",
        &["crates/runtime/src/leadership/election.rs"],
    ),
    change(
        "When a ConfigMap with typed configuration that was malformed can be read again, send a Normal event \
         `ConfigurationRestored` on it that follows the Warning `InvalidConfiguration`.",
        &["crates/runtime/src/config/report.rs"],
    ),
    change(
        "The Warning event `FinalizerForced` should also name the field manager that set the annotation `force-finalize` \
         on the object.",
        &["crates/core/src/finalizer/give_up.rs"],
    ),
    change(
        "A `Store<K>` with declared indexes should be able to list all distinct texts that occur under one index (for \
         example all node names), without going through the objects.",
        &["crates/runtime/src/store/queries.rs", "crates/runtime/src/watch/index.rs"],
    ),
    change(
        "Let the page of the admin server that shows the last passes of an object take a query parameter that leaves out \
         the passes that ended Ready, so that only waits and failures are shown.",
        &["crates/runtime/src/admin/why.rs"],
    ),
    change(
        "The message of a contract component with reason `WaitingForDependencies` should also say since when each \
         dependency has been not ready, taken from the transition time of the condition that it names as the cause.",
        &["crates/core/src/contract/readiness.rs", "crates/core/src/contract/component_loop.rs"],
    ),
    change(
        "The value `ignore` of a contract's operation annotation should be able to expire: with an annotation \
         `<domain>/ignore-until` whose time is over, the object is treated as if `ignore` were not set.",
        &["crates/core/src/contract/operation.rs", "crates/core/src/contract/observation.rs"],
    ),
    change(
        "In the Graphviz output that draws a contract's components and edges, draw components that are declared \
         `keep_running` with a double border and edges of `outlived_by` dashed.",
        &["crates/core/src/contract/graph.rs"],
    ),
    change(
        "The message of an owner's summary condition `ComponentsSuccessful` should hold at most ten lines, followed by \
         \"and n more\", so that a contract with dozens of failing components does not fill the status.",
        &["crates/core/src/contract/aggregate.rs"],
    ),
    change(
        "Add a combinator to generators that replaces image names, tags and digests in all containers of the rendered \
         objects, taking entries with `name`, `newName`, `newTag` and `digest` as `images` of a kustomization does.",
        &["crates/render/src/combinators.rs"],
    ),
    change(
        "Static YAML manifests that a component is built from should be able to hold placeholders such as `${greeting}` \
         and `${greeting:-hello}`, which are filled in from the component's parameters when they are rendered, with `$$` \
         for a literal dollar sign.",
        &["crates/render/src/manifests.rs"],
    ),
    change(
        "A rendered manifest that came out of a Helm chart with the annotation `helm.sh/resource-policy: keep` should get \
         the delete policy `orphan`, unless the operator's own delete-policy annotation on it says otherwise.",
        &["crates/core/src/manifest/annotations.rs"],
    ),
    change(
        "The derive for configuration types should accept `#[config(deprecated = \"use window instead\")]` on a field and \
         log a warning with that text, once per version of the ConfigMap, when the key is set.",
        &["crates/derive/src/config/fields.rs"],
    ),
    change(
        "The derive for condition sets should accept paths of typed `ConditionType` constants in \
         `#[conditions(dependents(...))]`, and not only string literals, so that a typo in a condition's name does not \
         compile.",
        &["crates/derive/src/conditions/attributes.rs"],
    ),
    change(
        "The derive for component types should understand `#[reference(skip)]` on a field of the spec, by which \
         references below that field are neither loaded nor watched nor part of the digest.",
        &["crates/derive/src/references/attributes.rs", "crates/derive/src/references/holders.rs"],
    ),
    change(
        "Test clusters need an expectation that an object does not change for a given time \
         (`cluster.expect::<ConfigMap>(\"book\").to_stay_as_it_is(duration)`), which fails with a diff of the first \
         change.",
        &["crates/testing/src/expect.rs"],
    ),
    change(
        "Tests that play single passes of a hand-written controller row by row should be able to run a pass as a replica \
         that does not lead the key, so that the `observe` method of a reconciler can be tested and any write fails the \
         row.",
        &["crates/testing/src/table/row.rs", "crates/runtime/src/controller/runner.rs"],
    ),
];

#[test]
fn each_change_request_begins_in_files_that_exist() {
    for ChangeRequest { text, files } in &CHANGES {
        assert!((1..=2).contains(&files.len()), "{text}: one file, or two that are equally right");
        for file in *files {
            assert!(exists(file), "{text}: {file} does not exist; name the file in which the change begins now");
        }
    }
}
