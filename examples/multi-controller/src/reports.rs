//! Reports about teams and accesses.

use std::collections::BTreeSet;

use kubewright::machinery::selector::LabelSelector;
use kubewright::prelude::*;

use crate::{Access, Report, ReportStatus, Team};

/// The reconciler of reports, which only reads. It counts the objects of all replicas.
#[derive(Debug)]
pub struct Reports {
    teams: Store<Team>,
    accesses: Store<Access>,
}

#[reconciler(kind = Report)]
impl Reports {
    /// Creates the reconciler with the teams and accesses of the namespaces that the operator watches.
    #[inject]
    pub fn new(teams: Store<Team>, accesses: Store<Access>) -> Self {
        Self { teams, accesses }
    }

    async fn reconcile(&self, cx: &Context<Report>, _: &Report, status: &mut ReportStatus) -> Flow {
        let namespace = cx.key().namespace();
        let teams = cx.track_matching(&self.teams, namespace, LabelSelector::default())?;
        let accesses = cx.track_matching(&self.accesses, namespace, LabelSelector::default())?;
        status.teams = teams.len();
        status.members = teams.iter().flat_map(|team| &team.spec.members).collect::<BTreeSet<_>>().len();
        let is_granted = |access: &Access| access.status.as_ref().is_some_and(|status| status.conditions.is_true("Ready"));
        let (mut granted, mut waiting) = (Vec::new(), Vec::new());
        for access in accesses {
            if is_granted(&access) { &mut granted } else { &mut waiting }.push(access.name_any());
        }
        granted.sort();
        waiting.sort();
        (status.granted, status.waiting) = (granted, waiting);
        Ok(())
    }
}
