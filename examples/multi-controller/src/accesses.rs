//! Role bindings of accesses.

use k8s_openapi::api::rbac::v1::{RoleBinding, RoleRef, Subject};
use kube::api::{Api, DeleteParams, ObjectMeta, Patch, PatchParams, Preconditions};
use kubewright::prelude::*;

use crate::{Access, AccessStatus, RBAC, Team};

/// The reconciler of accesses of the class `role-binding`. Accesses of other classes are for other operators.
#[derive(Debug)]
pub struct Accesses {
    teams: Store<Team>,
    bindings: Store<RoleBinding>,
}

#[reconciler(
    kind = Access,
    owns(RoleBinding),
    finalizer = "teams.demo.kubewright.dev/access",
    class(keys = ["teams.demo.kubewright.dev/class"], value = "role-binding")
)]
impl Accesses {
    /// Creates the reconciler with the teams and role bindings of the namespaces that the operator watches.
    #[inject]
    pub fn new(teams: Store<Team>, bindings: Store<RoleBinding>) -> Self {
        Self { teams, bindings }
    }

    async fn reconcile(&self, cx: &Context<Access>, access: &Access, _: &mut AccessStatus) -> Flow {
        let name = &access.spec.team;
        let team = cx.track_key(&self.teams, &Key::new(cx.key().namespace(), name))?;
        let binding = cx.track_key(&self.bindings, cx.key())?;
        if binding.is_some_and(|binding| !is_of(&binding, access)) {
            return Blocked::new("NameTaken", format!("the role binding {:?} is not of this access", cx.key().name())).into();
        }
        let Some(team) = team else {
            self.withdraw(cx, access).await?;
            return Wait::for_event("TeamMissing").message(format!("there is no team {name:?}")).into();
        };
        let Some(account) = team.status.as_ref().and_then(|status| status.service_account.as_deref()) else {
            return Wait::for_event("TeamNotReady").message(format!("the team {name:?} has no service account yet")).into();
        };
        let wanted = binding_of(access, &team, account);
        let found = self.bindings.get(cx.key());
        let is_same = |found: &RoleBinding| found.role_ref == wanted.role_ref && found.subjects == wanted.subjects;
        if found.as_deref().is_some_and(is_same) {
            return Ok(());
        }
        if found.is_some_and(|found| found.role_ref != wanted.role_ref) {
            // The role of a binding cannot be changed.
            self.withdraw(cx, access).await?;
        }
        let params = PatchParams::apply("teams-operator").force();
        bindings(cx).patch(cx.key().name(), &params, &Patch::Apply(&wanted)).await?;
        Ok(())
    }

    async fn finalize(&self, cx: &Context<Access>, access: &Access) -> Flow {
        self.withdraw(cx, access).await
    }
}

impl Accesses {
    /// Deletes the role binding of an access, if there is one.
    async fn withdraw(&self, cx: &Context<Access>, access: &Access) -> Flow {
        if let Some(binding) = self.bindings.get(cx.key()).filter(|binding| is_of(binding, access)) {
            // Another role binding of the same name may have taken its place.
            let exactly = Preconditions { uid: binding.uid(), resource_version: None };
            let deleted = bindings(cx).delete(cx.key().name(), &DeleteParams::default().preconditions(exactly)).await;
            deleted.ignore_not_found()?;
        }
        Ok(())
    }
}

/// Returns true if the role binding was created for the access.
fn is_of(binding: &RoleBinding, access: &Access) -> bool {
    binding
        .owner_references()
        .iter()
        .any(|owner| owner.controller == Some(true) && Some(&owner.uid) == access.metadata.uid.as_ref())
}

fn bindings(cx: &Context<Access>) -> Api<RoleBinding> {
    Api::namespaced(cx.client().clone(), cx.key().namespace())
}

fn binding_of(access: &Access, team: &Team, account: &str) -> RoleBinding {
    let user = |name: &String| Subject {
        api_group: Some(RBAC.to_owned()),
        kind: "User".to_owned(),
        name: name.clone(),
        namespace: None,
    };
    let account = Subject {
        api_group: None,
        kind: "ServiceAccount".to_owned(),
        name: account.to_owned(),
        namespace: access.metadata.namespace.clone(),
    };
    RoleBinding {
        metadata: ObjectMeta {
            name: access.metadata.name.clone(),
            owner_references: access.controller_owner_ref(&()).map(|owner| vec![owner]),
            ..ObjectMeta::default()
        },
        role_ref: RoleRef { api_group: Some(RBAC.to_owned()), kind: "ClusterRole".to_owned(), name: access.spec.role.clone() },
        subjects: Some(team.spec.members.iter().map(user).chain([account]).collect()),
    }
}
