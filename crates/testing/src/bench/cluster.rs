//! The server of a benchmark, its client, and the operators that work against it.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::time::Duration;

use futures::{StreamExt as _, stream};
use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::CustomResourceDefinition;
use kubewright_apiserver::listen::ListeningServer;
use kubewright_apiserver::{ApiServer, Identity};
use kubewright_core::time::Moment;
use kubewright_middleware::Verb;
use kubewright_runtime::cluster::{ApiRequest, Cluster, ClusterOptions};
use kubewright_runtime::task::Tasks;

use super::{MeasuredOperator, RequestCounter};
use crate::cluster::fail;

/// The number of requests that a benchmark has in flight.
const PARALLEL: usize = 16;
/// The interval between two checks of a condition, at each of which requests are counted.
const LOOK: Duration = Duration::from_millis(100);
/// The time after which an operator has finished the work that follows the effect for which the benchmark waits, such as events.
const SETTLE: Duration = Duration::from_secs(3);

/// An embedded server in this process, with a client of an administrator. Its methods panic when a request fails, since a benchmark
/// with failing requests has no valid figures.
#[derive(Debug)]
pub struct BenchCluster {
    server: ApiServer,
    endpoint: ListeningServer,
    client: Cluster,
    tasks: Tasks,
    /// The folder with the kubeconfigs and logs of the operators.
    folder: PathBuf,
}

impl BenchCluster {
    /// Starts a server that listens on a free port of this machine, and creates the definitions. Creates the folder; [`Self::stop`] removes it.
    pub async fn start(
        server: ApiServer,
        definitions: impl IntoIterator<Item = CustomResourceDefinition>,
        folder: &Path,
    ) -> Self {
        for definition in definitions {
            let name = definition.metadata.name.clone().unwrap_or_default();
            let definition =
                serde_json::to_value(definition).unwrap_or_else(|error| fail(&format!("definition {name}: {error}")));
            server.create(definition).await.unwrap_or_else(|error| fail(&format!("definition {name}: {error}")));
        }
        let listening = server.listen("127.0.0.1:0").await;
        let endpoint = listening.unwrap_or_else(|error| fail(&format!("the server does not listen: {error}")));
        std::fs::create_dir_all(folder).unwrap_or_else(|error| fail(&format!("folder {}: {error}", folder.display())));
        let tasks = Tasks::new();
        let client = Cluster::new(server.client(Identity::admin()), ClusterOptions::system(tasks.clone()));
        Self { server, endpoint, client, tasks, folder: folder.to_owned() }
    }

    /// Returns the client of an administrator.
    pub const fn client(&self) -> &Cluster {
        &self.client
    }

    /// Starts an operator as a user with all rights, with these additional environment variables. The program must run an
    /// [`Operator`](kubewright_runtime::operator::Operator) by its command line.
    pub fn operator<K: AsRef<OsStr>, V: AsRef<OsStr>>(
        &self,
        program: impl AsRef<Path>,
        user: &str,
        variables: impl IntoIterator<Item = (K, V)>,
    ) -> MeasuredOperator {
        let (program, path) = (program.as_ref(), self.folder.join(format!("{user}.kubeconfig")));
        let kubeconfig = self.endpoint.kubeconfig(&Identity::user(user).with_group("system:masters"));
        let kubeconfig = kubeconfig.unwrap_or_else(|error| fail(&format!("kubeconfig of {user}: {error}")));
        std::fs::write(&path, kubeconfig).unwrap_or_else(|error| fail(&format!("{}: {error}", path.display())));
        let requests = RequestCounter::new(self.server.journal().clone(), user);
        let started = MeasuredOperator::start(program, &path, variables, requests);
        started.unwrap_or_else(|error| fail(&format!("{} does not start: {error}", program.display())))
    }

    /// Sends one request for each number from 0 up to, but not including, this one, several at a time.
    pub async fn each(&self, number: usize, request: impl Fn(usize) -> ApiRequest) {
        let sent = stream::iter(0..number).map(|number| {
            let request = request(number);
            async move {
                let sent = self.client.send(&request).await;
                sent.unwrap_or_else(|error| fail(&format!("request {number}: {error}")))
            }
        });
        sent.buffer_unordered(PARALLEL).for_each(|_| async {}).await;
    }

    /// Waits until the condition is met, and counts the requests of the operators meanwhile.
    pub async fn until(&self, is_met: impl Fn(&[MeasuredOperator]) -> bool, operators: &mut [MeasuredOperator]) {
        loop {
            operators.iter_mut().for_each(MeasuredOperator::count);
            if is_met(operators) {
                return;
            }
            self.pass(LOOK).await;
        }
    }

    /// Waits until the user of an operator has begun to watch a resource after this call.
    pub async fn until_watched(&self, user: &str, group: &str, plural: &str, operators: &mut [MeasuredOperator]) {
        let mark = self.server.journal().mark();
        let is_watched = || {
            let seen = self.server.journal().since(mark).by_user(user);
            !seen.verb(Verb::Watch).of(group, plural).is_empty()
        };
        self.until(|_| is_watched(), operators).await;
    }

    /// Waits for the work that operators do after the effect for which the benchmark waited.
    pub async fn settle(&self) {
        self.pass(SETTLE).await;
    }

    /// Lets this time pass.
    pub async fn pass(&self, time: Duration) {
        self.client.clock().sleep(time).await;
    }

    /// Returns the present moment.
    pub fn moment(&self) -> Moment {
        self.client.clock().moment()
    }

    /// Returns the seconds since a moment.
    pub fn seconds_since(&self, moment: Moment) -> f64 {
        self.moment().since(moment).as_secs_f64()
    }

    /// Stops client and server, and removes the folder.
    pub async fn stop(self) {
        self.tasks.stop(Duration::from_secs(1)).await;
        self.endpoint.shutdown().await;
        // A folder that cannot be removed does no harm.
        let _ = std::fs::remove_dir_all(&self.folder);
    }
}
