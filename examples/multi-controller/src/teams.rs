//! Service accounts of teams.

use k8s_openapi::api::core::v1::ServiceAccount;
use kube::api::{Api, ObjectMeta, PostParams};
use kubewright::prelude::*;

use crate::{Team, TeamStatus};

/// The reconciler of teams.
#[derive(Debug)]
pub struct Teams {
    accounts: Store<ServiceAccount>,
}

#[reconciler(kind = Team, owns(ServiceAccount))]
impl Teams {
    /// Creates the reconciler with the service accounts of the namespaces that the operator watches.
    #[inject]
    pub fn new(accounts: Store<ServiceAccount>) -> Self {
        Self { accounts }
    }

    async fn reconcile(&self, cx: &Context<Team>, team: &Team, status: &mut TeamStatus) -> Flow {
        let name = format!("team-{}", cx.key().name());
        if self.accounts.get(&Key::new(cx.key().namespace(), &name)).is_none() {
            let metadata = ObjectMeta {
                name: Some(name.clone()),
                // The garbage collector deletes the service account with the team.
                owner_references: team.controller_owner_ref(&()).map(|owner| vec![owner]),
                ..ObjectMeta::default()
            };
            let account = ServiceAccount { metadata, ..ServiceAccount::default() };
            let api = Api::<ServiceAccount>::namespaced(cx.client().clone(), cx.key().namespace());
            api.create(&PostParams::default(), &account).await?;
        }
        status.service_account = Some(name);
        Ok(())
    }
}
