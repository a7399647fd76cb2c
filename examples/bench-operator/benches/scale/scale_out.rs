//! Several replicas that share the components of one server, and the end of one of them.

use std::time::Duration;

use bench_operator::BUCKETS;
use kubewright::core::hash::Buckets;
use kubewright::machinery::object::Key;
use kubewright_testing::{OperatorProcess, RequestCounter, RequestCounts};

use crate::cluster::{NAMESPACE, Scene, name};
use crate::run::Size;

/// The numbers of replicas.
const REPLICAS: [usize; 3] = [1, 2, 4];
/// How long nothing happens in the idle phase.
const IDLE: Duration = Duration::from_secs(30);
/// The rest of an install, such as events, is done after this time.
const SETTLE: Duration = Duration::from_secs(3);
/// The longest take-over: a lease of 15 s, twice as long until replicas take more than their share, a retry period of 2 s until the next try, and
/// 3 s for delays of the machine.
const TAKE_OVER: Duration = Duration::from_secs(15 + 2 * 15 + 2 + 3);
/// The requests of all replicas for components, dependents and events are at most this many times those of one.
const MORE_REQUESTS: f64 = 1.01;

/// Prints the figures of one, two and four replicas, and returns which of them are not as they should be.
pub(crate) async fn scale_out(size: Size) -> Vec<String> {
    let mut faults = Vec::new();
    let mut alone = None;
    for replicas in REPLICAS {
        let mut shared = Shared::start(replicas).await;
        let requests = shared.install(size).await;
        let of_one = *alone.get_or_insert(requests);
        if requests as f64 > of_one as f64 * MORE_REQUESTS {
            faults.push(format!("{replicas} replicas sent {requests} requests for {size}, one sent {of_one}"));
        }
        faults.extend(shared.idle().await);
        if replicas > 1 {
            faults.extend(shared.take_over(size).await);
        }
        shared.stop().await;
    }
    faults
}

/// A server with replicas.
struct Shared {
    scene: Scene,
    replicas: Vec<OperatorProcess>,
    /// One of each replica.
    counters: Vec<RequestCounter>,
    /// Resident memory of each replica without components, in MiB.
    empty: Vec<f64>,
}

impl Shared {
    /// Starts the replicas, and waits until they share the buckets evenly.
    async fn start(replicas: usize) -> Self {
        let scene = Scene::start().await;
        let users: Vec<String> = (0..replicas).map(|number| format!("replica-{number}")).collect();
        let mut counters: Vec<RequestCounter> = users.iter().map(|user| scene.counter(user)).collect();
        let operators: Vec<OperatorProcess> = users.iter().map(|user| scene.operator(user, Some(replicas))).collect();
        let share = BUCKETS as usize / replicas;
        scene.until_counted(|all| all.iter().all(|counter| counter.leases().len() == share), &mut counters).await;
        scene.client.clock().sleep(SETTLE).await;
        let empty = operators.iter().map(|operator| operator.usage().resident().unwrap()).collect();
        Self { scene, replicas: operators, counters, empty }
    }

    /// Returns how many requests all replicas sent for components, dependents and events.
    async fn install(&mut self, size: Size) -> usize {
        let phase = self.begin();
        self.scene.create(size.components, size.dependents).await;
        self.scene.until_ready(size.components, 1, &mut self.counters).await;
        let seconds = self.scene.client.clock().moment().since(phase.begun).as_secs_f64();
        self.scene.client.clock().sleep(SETTLE).await;
        println!("\n{} replicas, {size}: ready after {seconds:.1} s", self.replicas.len());
        println!("replica  buckets  CPU s  peak MiB  over empty  KiB/component    writes    events   reads  leases  refused");
        let mut sum = RequestCounts::default();
        for (number, requests) in self.end(&phase).into_iter().enumerate() {
            let (held, over) = (requests.held, requests.peak - self.empty[number]);
            let each = over * 1024.0 / size.components as f64;
            let RequestCounts { writes, events, leases, reads, refused, .. } = requests.requests;
            println!(
                "{number:<8} {held:>7} {:>6.2} {:>9.1} {over:>11.1} {each:>14.2} {writes:>9} {events:>9} {reads:>7} {leases:>7} {refused:>8}",
                requests.cpu, requests.peak
            );
            sum += requests.requests;
        }
        println!("sum: {} writes, {} events, {} reads, {} refused", sum.writes, sum.events, sum.reads, sum.refused);
        sum.writes + sum.events + sum.reads
    }

    /// Nothing but leases is asked for while nothing happens.
    async fn idle(&mut self) -> Option<String> {
        let phase = self.begin();
        self.scene.client.clock().sleep(IDLE).await;
        self.counters.iter_mut().for_each(RequestCounter::count);
        let mut sum = RequestCounts::default();
        let mut cpu = 0.0;
        for replica in self.end(&phase) {
            sum += replica.requests;
            cpu += replica.cpu;
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
    async fn take_over(&mut self, size: Size) -> Option<String> {
        self.begin();
        let share = BUCKETS as usize / self.replicas.len();
        self.scene.until_counted(|all| all[0].leases().len() == share, &mut self.counters).await;
        let lost = self.counters[0].leases().clone();
        let mut buckets = Buckets::new(self.counters.iter().flat_map(RequestCounter::leases).cloned().collect::<Vec<_>>());
        let is_lost = |name: &String| buckets.owner(&Key::new(NAMESPACE, name)).is_some_and(|owner| lost.contains(&*owner));
        let edited = (0..size.components).map(name).find(is_lost)?;
        let before = self.scene.client.clock().moment();
        drop(self.replicas.remove(0));
        self.counters.remove(0);
        self.begin();
        self.scene.edit(&edited, &mut self.counters).await;
        let ready = self.scene.client.clock().moment().since(before);
        let taken = |all: &[RequestCounter]| lost.iter().all(|lease| all.iter().any(|counter| counter.leases().contains(lease)));
        self.scene.until_counted(taken, &mut self.counters).await;
        let seconds = self.scene.client.clock().moment().since(before);
        self.scene.client.clock().sleep(SETTLE).await;
        let mut sum = RequestCounts::default();
        self.counters.iter_mut().for_each(|counter| sum += counter.take());
        println!(
            "take-over after SIGKILL of one of {}: its {} buckets have holders after {:.1} s, an edit meanwhile is done after {:.1} s; {} \
             writes, {} reads",
            self.replicas.len() + 1,
            lost.len(),
            seconds.as_secs_f64(),
            ready.as_secs_f64(),
            sum.writes,
            sum.reads,
        );
        (seconds > TAKE_OVER).then(|| format!("the take-over took {:.1} s", seconds.as_secs_f64()))
    }

    fn begin(&mut self) -> Phase {
        for counter in &mut self.counters {
            counter.take();
        }
        self.replicas.iter().for_each(|replica| replica.usage().forget_peak().unwrap());
        Phase {
            begun: self.scene.client.clock().moment(),
            cpu: self.replicas.iter().map(|operator| operator.usage().cpu().unwrap()).collect(),
        }
    }

    /// Returns the resources that each replica took since the phase began.
    fn end(&mut self, phase: &Phase) -> Vec<Taken> {
        let replicas = self.replicas.iter().zip(&mut self.counters).zip(&phase.cpu);
        let taken = replicas.map(|((replica, counter), cpu)| Taken {
            cpu: replica.usage().cpu().unwrap() - cpu,
            peak: replica.usage().peak().unwrap(),
            held: counter.leases().len(),
            requests: counter.take(),
        });
        taken.collect()
    }

    async fn stop(self) {
        drop(self.replicas);
        self.scene.stop().await;
    }
}

/// The state at the beginning of a phase.
struct Phase {
    begun: kubewright::core::time::Moment,
    /// CPU seconds of each replica.
    cpu: Vec<f64>,
}

/// The resources that one replica took in a phase.
struct Taken {
    cpu: f64,
    peak: f64,
    /// The buckets that it held.
    held: usize,
    requests: RequestCounts,
}
