//! A package, and an operator of restart requests.

use kubewright::prelude::*;
use kubewright::runtime::definition::custom_resource_definition;
use kubewright_testing::TestOperator;
use kubewright_testing::fixtures::package::Package;
use kubewright_testing::fixtures::restart::{HistoryLimits, RestartRequest, RestartRequestSpec, operator};

use crate::package::world::{PackageWorld, shop};

pub(crate) struct RestartWorld {
    pub(crate) packages: PackageWorld,
    operator: TestOperator,
}

impl RestartWorld {
    /// Starts an installed package `shop`, and an operator of restart requests with these limits.
    pub(crate) async fn start(limits: HistoryLimits) -> Self {
        let packages = PackageWorld::start().await;
        packages.install(shop()).await;
        Self::beside(packages, limits).await
    }

    /// Starts the operator without a package; only the definition of packages exists.
    pub(crate) async fn without_package(limits: HistoryLimits) -> Self {
        Self::beside(PackageWorld::start().await, limits).await
    }

    async fn beside(packages: PackageWorld, limits: HistoryLimits) -> Self {
        packages.cluster.install_crd(&custom_resource_definition::<Package>().unwrap_or_default()).await;
        let operator = packages.cluster.run(operator(limits)).await;
        Self { packages, operator }
    }

    pub(crate) async fn stop(self) {
        self.operator.stop().await;
        self.packages.stop().await;
    }

    pub(crate) async fn request(&self, name: &str, package: &str) {
        let spec = RestartRequestSpec { package: package.to_owned() };
        self.packages.cluster.apply(RestartRequest::new(name, spec)).await;
    }

    /// Waits until a request is in this phase.
    pub(crate) async fn phase(&self, name: &str, phase: &str) -> Value {
        let wanted = phase.to_owned();
        let expectation = self.packages.cluster.expect::<RestartRequest>(name).within(self.packages.patience());
        expectation.matching(&format!("its phase is {phase}"), move |request| request["status"]["phase"] == *wanted).await
    }

    pub(crate) async fn names(&self) -> Vec<String> {
        let all = self.packages.cluster.list::<RestartRequest>().await;
        let mut names: Vec<String> =
            all.iter().filter_map(|request| request["metadata"]["name"].as_str().map(str::to_owned)).collect();
        names.sort_unstable();
        names
    }

    pub(crate) fn metric(&self, result: &str) -> f64 {
        let labels = [("controller", "restartrequest"), ("result", result)];
        self.operator.metric("kubewright_reconcile_total", &labels).unwrap_or_default()
    }
}
