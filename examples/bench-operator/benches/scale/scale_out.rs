//! Several replicas that share the components of one server, and the end of one of them.

use std::time::Duration;

use bench_operator::BUCKETS;
use kubewright::core::hash::Buckets;
use kubewright::machinery::object::Key;
use kubewright_testing::bench::{MeasuredOperator, PhaseCost, RequestTotals};

use crate::cluster::{ComponentCluster, NAMESPACE, name};
use crate::run::ComponentNumbers;

/// The numbers of replicas.
const REPLICAS: [usize; 3] = [1, 2, 4];
/// The length of the idle phase.
const IDLE: Duration = Duration::from_secs(30);
/// The longest take-over: a lease of 15 s, twice as long until replicas take more than their share, a retry period of 2 s until the next try, and
/// 3 s for delays of the machine.
const TAKE_OVER: Duration = Duration::from_secs(15 + 2 * 15 + 2 + 3);
/// The limit of the requests of all replicas for components, dependents and events, as a multiple of those of one replica.
const MORE_REQUESTS: f64 = 1.01;

/// Prints the figures of one, two and four replicas, and returns those that missed their limits.
pub(crate) async fn scale_out(size: ComponentNumbers) -> Vec<String> {
    let mut missed = Vec::new();
    let mut alone = None;
    for replicas in REPLICAS {
        let mut run = ReplicaRun::start(replicas).await;
        let requests = run.install(size).await;
        let of_one = *alone.get_or_insert(requests);
        if requests as f64 > of_one as f64 * MORE_REQUESTS {
            missed.push(format!("{replicas} replicas sent {requests} requests for {size}, one sent {of_one}"));
        }
        missed.extend(run.idle().await);
        if replicas > 1 {
            missed.extend(run.take_over(size).await);
        }
        run.stop().await;
    }
    missed
}

/// A cluster with replicas.
struct ReplicaRun {
    cluster: ComponentCluster,
    replicas: Vec<MeasuredOperator>,
    /// The resident memory of each replica without components, in MiB.
    empty: Vec<f64>,
}

impl ReplicaRun {
    /// Starts the replicas, and waits until they share the buckets evenly.
    async fn start(number: usize) -> Self {
        let cluster = ComponentCluster::start().await;
        let mut replicas: Vec<MeasuredOperator> =
            (0..number).map(|replica| cluster.replica(&format!("replica-{replica}"), number)).collect();
        let share = BUCKETS as usize / number;
        let is_even = |all: &[MeasuredOperator]| all.iter().all(|replica| replica.requests().leases().len() == share);
        cluster.bench.until(is_even, &mut replicas).await;
        cluster.bench.settle().await;
        let empty = replicas.iter().map(|replica| replica.usage().resident().unwrap()).collect();
        Self { cluster, replicas, empty }
    }

    /// Installs the components. Returns the number of requests that all replicas sent for components, dependents and events.
    async fn install(&mut self, size: ComponentNumbers) -> usize {
        self.begin();
        let begun = self.cluster.bench.moment();
        self.cluster.create(size.components, size.dependents).await;
        self.cluster.until_ready(size.components, 1, &mut self.replicas).await;
        let seconds = self.cluster.bench.seconds_since(begun);
        self.cluster.bench.settle().await;
        println!("\n{} replicas, {size}: ready after {seconds:.1} s", self.replicas.len());
        println!("replica  buckets  CPU s  peak MiB  over empty  KiB/component    writes    events   reads  leases  refused");
        let mut sum = RequestTotals::default();
        for (number, replica) in self.replicas.iter_mut().enumerate() {
            replica.count();
            let held = replica.requests().leases().len();
            let PhaseCost { cpu, peak, requests, .. } = replica.cost().unwrap();
            let over = peak - self.empty[number];
            let each = over * 1024.0 / size.components as f64;
            print!("{number:<8} {held:>7} {cpu:>6.2} {peak:>9.1} {over:>11.1} {each:>14.2} ");
            println!(
                "{:>9} {:>9} {:>7} {:>7} {:>8}",
                requests.writes, requests.events, requests.reads, requests.leases, requests.refused
            );
            sum += requests;
        }
        println!("sum: {} writes, {} events, {} reads, {} refused", sum.writes, sum.events, sum.reads, sum.refused);
        sum.writes + sum.events + sum.reads
    }

    /// Checks that idle replicas send only requests for leases.
    async fn idle(&mut self) -> Option<String> {
        self.begin();
        self.cluster.bench.pass(IDLE).await;
        let mut sum = RequestTotals::default();
        let mut cpu = 0.0;
        for replica in &mut self.replicas {
            let cost = replica.cost().unwrap();
            sum += cost.requests;
            cpu += cost.cpu;
        }
        let others = sum.writes + sum.events + sum.reads + sum.watches;
        let minutes = IDLE.as_secs_f64() / 60.0;
        println!(
            "idle: {:.0} requests of leases and {others} others per minute, {:.2} CPU s",
            sum.leases as f64 / minutes,
            cpu / minutes
        );
        (others > 0).then(|| format!("{} idle replicas sent {sum:?}", self.replicas.len()))
    }

    /// Kills the first replica and edits one of its components.
    async fn take_over(&mut self, size: ComponentNumbers) -> Option<String> {
        self.begin();
        let share = BUCKETS as usize / self.replicas.len();
        self.cluster.bench.until(|all| all[0].requests().leases().len() == share, &mut self.replicas).await;
        let lost = self.replicas[0].requests().leases().clone();
        let leases = self.replicas.iter().flat_map(|replica| replica.requests().leases()).cloned();
        let mut buckets = Buckets::new(leases.collect::<Vec<_>>());
        let is_lost = |name: &String| buckets.owner(&Key::new(NAMESPACE, name)).is_some_and(|owner| lost.contains(&*owner));
        let edited = (0..size.components).map(name).find(is_lost)?;
        let before = self.cluster.bench.moment();
        drop(self.replicas.remove(0));
        self.begin();
        self.cluster.edit(&edited, &mut self.replicas).await;
        let ready = self.cluster.bench.seconds_since(before);
        let is_taken = |all: &[MeasuredOperator]| {
            lost.iter().all(|lease| all.iter().any(|replica| replica.requests().leases().contains(lease)))
        };
        self.cluster.bench.until(is_taken, &mut self.replicas).await;
        let seconds = self.cluster.bench.seconds_since(before);
        self.cluster.bench.settle().await;
        let mut sum = RequestTotals::default();
        for replica in &mut self.replicas {
            sum += replica.cost().unwrap().requests;
        }
        println!(
            "take-over after SIGKILL of one of {}: its {} buckets have holders after {seconds:.1} s, an edit meanwhile is done after \
             {ready:.1} s; {} writes, {} reads",
            self.replicas.len() + 1,
            lost.len(),
            sum.writes,
            sum.reads,
        );
        (seconds > TAKE_OVER.as_secs_f64()).then(|| format!("the take-over took {seconds:.1} s"))
    }

    fn begin(&mut self) {
        self.replicas.iter_mut().for_each(|replica| replica.begin().unwrap());
    }

    async fn stop(self) {
        drop(self.replicas);
        self.cluster.bench.stop().await;
    }
}
