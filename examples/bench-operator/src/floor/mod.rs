//! The requests of an installation without any decisions about them: no operator is faster on the same API server.

mod serve;
mod writes;

use std::error::Error;
use std::ffi::OsString;
use std::process::ExitCode;
use std::time::Duration;

use clap::Parser;
use futures::{StreamExt as _, TryStreamExt as _, stream};
use kubewright::runtime::cluster::{Cluster, ClusterOptions, infer_config};
use kubewright::runtime::task::Tasks;
pub use serve::serve;
use writes::{Answered, Wanted, Writer};

/// The number of parallel requests.
const PARALLEL: usize = 16;

/// Sends the writes of an installation, 16 at a time, and prints how long they took
///
/// Per component: a finalizer, a status with the inventory, the dependents, a status that says Ready, an event. The CRD must be
/// installed. What is written is removed again, and neither that nor creating the components counts.
///
/// With --serve it is to be measured as operators are, by a driver that creates, changes and deletes the components.
#[derive(Debug, Parser)]
#[command(name = "floor")]
struct Floor {
    /// Number of components
    #[arg(long, value_name = "NUMBER", default_value_t = 100)]
    components: usize,
    /// Number of dependents of each
    #[arg(long, value_name = "NUMBER", default_value_t = 10)]
    dependents: u64,
    /// Where they go, created when missing [default: bench-floor]; with --serve the only namespace to look at [default: all]
    #[arg(long, value_name = "NAME")]
    namespace: Option<String>,
    /// Creates no components, but writes for those of others until it is stopped. Repairs nothing
    #[arg(long, conflicts_with_all = ["components", "dependents"])]
    serve: bool,
}

/// Runs the command. The first argument is its name.
pub async fn main(args: impl Iterator<Item = OsString>) -> ExitCode {
    let floor = match Floor::try_parse_from(args) {
        Ok(floor) => floor,
        Err(error) => {
            // If the output is closed, the error cannot be reported.
            let _ = error.print();
            return ExitCode::from(u8::try_from(error.exit_code()).unwrap_or(2));
        }
    };
    match floor.run().await {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: failed to {error}");
            ExitCode::FAILURE
        }
    }
}

impl Floor {
    async fn run(&self) -> Answered {
        let tasks = Tasks::new();
        let cluster = Cluster::connect(infer_config().await?, ClusterOptions::system(tasks.clone()))?;
        if self.serve {
            tokio::select! {
                served = serve(&cluster, self.namespace.as_deref()) => served?,
                stopped = tokio::signal::ctrl_c() => stopped?,
            }
        } else {
            let seconds = self.once(&cluster).await?;
            let writes = self.components as u64 * (self.dependents + 3);
            println!("{seconds:.3} s for {writes} writes and {} events", self.components);
        }
        tasks.stop(Duration::from_secs(1)).await;
        Ok(())
    }

    /// Performs one installation, and returns its duration in seconds.
    async fn once(&self, cluster: &Cluster) -> Result<f64, Box<dyn Error>> {
        let writer = Writer::new(cluster.clone());
        let namespace = self.namespace.as_deref().unwrap_or("bench-floor");
        writer.create_namespace(namespace).await?;
        let bench = |number| Wanted {
            namespace: namespace.to_owned(),
            name: format!("floor-{number}"),
            generation: 1,
            dependents: self.dependents,
            payload: "first".to_owned(),
        };
        let benches: Vec<Wanted> = (0..self.components).map(bench).collect();
        each(&benches, |bench| writer.create(bench)).await?;
        let begin = cluster.clock().moment();
        let installed = each(&benches, |bench| writer.install(bench)).await;
        let took = cluster.clock().moment().since(begin);
        let removed = each(&benches, async |bench| {
            writer.remove(bench).await?;
            writer.delete(bench).await
        });
        let removed = removed.await;
        installed.and(removed)?;
        Ok(took.as_secs_f64())
    }
}

async fn each<'a, F>(benches: &'a [Wanted], action: impl Fn(&'a Wanted) -> F) -> Answered
where
    F: Future<Output = Answered>,
{
    stream::iter(benches).map(action).buffer_unordered(PARALLEL).try_collect().await
}
