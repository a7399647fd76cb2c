//! The identity with which hooks act in the cluster of the dependents.

use k8s_openapi::api::coordination::v1::Lease;
use k8s_openapi::api::core::v1::Secret;
use kube::api::{Api, Patch, PatchParams, PostParams};
use kubewright::prelude::*;

use crate::access::{binding, installed, role, until_allowed, world};
use crate::types::{Bundle, bundle, config_map, objects};
use crate::world::{OPERATOR, World};

/// Tries actions that the service account is allowed, and actions that only others are allowed.
async fn act(cx: &HookContext<Bundle>, _: &Bundle, _: &mut ComponentStatus) -> Flow {
    let Some(target) = cx.target() else { return Ok(()) };
    let (space, client) = (cx.namespace(), target.client().clone());
    let apply = PatchParams::apply("hook").force();
    let leases = Api::<Lease>::namespaced(client.clone(), space);
    let lease = json!({
        "apiVersion": "coordination.k8s.io/v1", "kind": "Lease", "metadata": { "name": "by-hook" },
        "spec": { "holderIdentity": "hook" },
    });
    leases.patch("by-hook", &apply, &Patch::Apply(&lease)).await?;
    let secret = |name: &str| json!({ "apiVersion": "v1", "kind": "Secret", "metadata": { "name": name }, "stringData": { "by": "hook" } });
    let written = Api::<Secret>::namespaced(client.clone(), space).patch("taken", &apply, &Patch::Apply(secret("taken"))).await;
    refused(written)?;
    // Identity headers in the request itself are ignored.
    let create = kube::core::Request::new(format!("/api/v1/namespaces/{space}/secrets"));
    let mut create = create.create(&PostParams::default(), serde_json::to_vec(&secret("pretended"))?).or_terminal("Request")?;
    for (header, value) in [("impersonate-user", "system:admin"), ("impersonate-group", "system:masters")] {
        create.headers_mut().insert(header, value.parse().or_terminal("Request")?);
    }
    refused(client.request::<Secret>(create).await)?;
    // The cluster of the component is accessed with the operator's own identity.
    Api::<Secret>::namespaced(cx.client(), space).patch("own", &apply, &Patch::Apply(secret("own"))).await?;
    Ok(())
}

fn refused(answer: Result<Secret, kube::Error>) -> Flow {
    let expected = "system:serviceaccount:";
    match answer {
        Err(error) if error.to_string().contains("forbidden") && error.to_string().contains(expected) => Ok(()),
        other => Err(Failure::msg(format!("expected a refusal of {expected}…: {other:?}")).into()),
    }
}

/// Grants all verbs on a resource in the namespace of the test, and waits until the grant is in effect.
async fn grant(world: &World, user: &str, group: &str, resource: &str) {
    let name = format!("{}-{resource}-{}", world.namespace(), user.rsplit(':').next().unwrap_or_default());
    world.create(&role(&name, json!([{ "apiGroups": [group], "resources": [resource], "verbs": ["*"] }]))).await;
    world.create(&binding(&name, &name, user, Some(world.namespace()))).await;
    until_allowed(world, user, "patch", group, resource).await;
}

// TGT-1, HOOK-1
#[tokio::test]
async fn a_hook_has_only_the_permissions_of_the_impersonated_account_in_the_target() {
    let mut world = world().await;
    let user = installed(&world).await;
    let account = format!("system:serviceaccount:{}:deployer", world.namespace());
    grant(&world, &user, "", "secrets").await;
    grant(&world, &account, "", "configmaps").await;
    grant(&world, &account, "coordination.k8s.io", "leases").await;
    let builder = Operator::new(OPERATOR).component::<Bundle>(objects).dependent_types([("", "configmaps")]);
    world.run_as(builder.pre_reconcile(act).into(), &user).await;
    let mut component = bundle("demo", &[config_map("one", "a")]);
    component["spec"]["serviceAccountName"] = "deployer".into();
    world.set(&component).await;
    world.until_ready("demo").await;
    let there = |kind: &str, group: &str, name: &str| json!({ "apiVersion": group, "kind": kind, "metadata": { "name": name } });
    assert!(world.get(&there("Lease", "coordination.k8s.io/v1", "by-hook")).await.is_some());
    assert!(world.get(&there("Secret", "v1", "own")).await.is_some());
    for name in ["taken", "pretended"] {
        assert!(world.get(&there("Secret", "v1", name)).await.is_none(), "{name}");
    }
}
