use std::time::Duration;

use k8s_openapi::api::core::v1::ConfigMap;
use kubewright::contract::{ApplyContext, CleanupContext, ComponentController, Maybe, Ready};
use kubewright::core::condition::ConditionStatus;
use kubewright::prelude::*;

use super::super::external::{ACCESS, CLUSTER, Externals, field, phase};
use super::super::kinds::{ACCESS_DELETED, ApiServer, CLUSTER_DELETED};
use super::Polling;

/// The controller of a cluster and the access to it, which is requested, granted or denied, and renewed before it expires.
pub(super) struct ApiServers {
    externals: Externals,
    polling: Polling,
}

impl ApiServers {
    pub(super) fn new(externals: Externals, State(polling): State<Polling>) -> Self {
        Self { externals, polling }
    }

    /// Returns the time until a granted credential has to be renewed. `None` when it is due, or does not expire.
    fn until_renewal(&self, cx: &ApplyContext<ApiServer>, access: &ConfigMap) -> Option<Delay> {
        let issued: jiff::Timestamp = field(access, "issued")?.parse().ok()?;
        let validity: u64 = field(access, "validSeconds")?.parse().ok()?;
        let due = issued + Duration::from_secs(validity * u64::from(self.polling.renewal) / 100);
        let left = due.duration_since(cx.clock().now());
        Delay::try_from(Duration::try_from(left).ok()?).ok()
    }

    fn pending(&self, cx: &ApplyContext<ApiServer>) -> Flow {
        if cx.private(|private| private.kubeconfig.is_some()) {
            // The previous credential still works.
            cx.healthy();
        }
        Wait::after(self.polling.interval, "AccessPending").message("access to the cluster is requested").into()
    }
}

impl ComponentController for ApiServers {
    type Component = ApiServer;

    async fn apply(&self, cx: &ApplyContext<ApiServer>, _: Ready<ApiServer>) -> Flow {
        let region = cx.component().spec.region.clone().unwrap_or_else(|| "anywhere".to_owned());
        let cluster = self.externals.ensure(cx.key(), CLUSTER, &[("region", region.clone())]).await?;
        if field(&cluster, "region") != Some(region.as_str()) {
            self.externals.set(cx.key(), &cluster, &[("region", region.clone())]).await?;
        }
        let access = self.externals.ensure(cx.key(), ACCESS, &[("phase", "Pending".to_owned())]).await?;
        match phase(&access) {
            "Denied" => Blocked::new("AccessDenied", "access to the cluster is denied; ask its administrators").into(),
            "Granted" => {
                if field(&access, "validSeconds").is_some() {
                    #[allow(clippy::single_match_else)] // both arms continue
                    match self.until_renewal(cx, &access) {
                        Some(left) => cx.recheck_after(left),
                        None => {
                            self.externals.set(cx.key(), &access, &[("phase", "Pending".to_owned())]).await?;
                            return self.pending(cx);
                        }
                    }
                }
                let issued = field(&access, "issued").unwrap_or_default().to_owned();
                cx.external(|external| external.endpoint = Some(format!("https://{}.{region}", cx.key().name())));
                cx.private(|private| private.kubeconfig = Some(format!("secret of {issued}")));
                cx.healthy();
                Ok(())
            }
            _ => self.pending(cx),
        }
    }

    async fn cleanup(&self, cx: &CleanupContext<ApiServer>, _: Maybe<ApiServer>) -> Flow {
        for (system, condition, next) in [(ACCESS, ACCESS_DELETED, Some(CLUSTER_DELETED)), (CLUSTER, CLUSTER_DELETED, None)] {
            if self.externals.delete(cx.key(), system).await? {
                cx.condition(condition, ConditionStatus::True, "Deleted", "");
                continue;
            }
            cx.condition(condition, ConditionStatus::False, "NotDeletedYet", format!("the {system} is still there"));
            if let Some(next) = next {
                cx.condition(next, ConditionStatus::Unknown, "Waiting", "");
            }
            cx.unhealthy("ComponentIsInDeletion", format!("the {system} is still there"));
            return Wait::after(self.polling.interval, "ComponentIsInDeletion").into();
        }
        Ok(())
    }
}
