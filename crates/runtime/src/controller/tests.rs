mod defaults;
mod ends;
mod fairness;
mod terms;
mod why;

use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Duration;

use async_trait::async_trait;
use kubewright_core::backoff::Timing;
use kubewright_core::flow::{Delay, Failure, Flow, Wait};
use kubewright_machinery::object::Key;
use parking_lot::Mutex;
use tokio_util::sync::CancellationToken;

use super::*;
use crate::clock::{Clock, Random};
use crate::metrics::Metrics;
use crate::task::{Task, Tasks};

type Pass = Pin<Box<dyn Future<Output = Flow> + Send>>;

/// A reconciler that consists of one function, and records its calls.
struct Script<F> {
    pass: F,
    journal: Arc<Journal>,
}

#[derive(Default)]
struct Journal {
    passes: Mutex<Vec<(String, Duration)>>,
    interrupted: Mutex<Vec<String>>,
    /// Makes the report of an interrupted pass hang.
    hangs: AtomicBool,
    running: AtomicUsize,
    most: AtomicUsize,
}

impl Journal {
    fn keys(&self) -> Vec<String> {
        self.passes.lock().iter().map(|(key, _)| key.clone()).collect()
    }

    fn millis(&self) -> Vec<u128> {
        self.passes.lock().iter().map(|(_, at)| at.as_millis()).collect()
    }
}

#[async_trait]
impl<F: Fn(String, usize) -> Pass + Send + Sync + 'static> RunPass for Script<F> {
    async fn run(&self, pass: &Arc<PassContext>) -> Conclusion {
        let number = {
            let mut passes = self.journal.passes.lock();
            passes.push((pass.key().to_string(), pass.started().0));
            passes.len()
        };
        let running = self.journal.running.fetch_add(1, Ordering::SeqCst) + 1;
        self.journal.most.fetch_max(running, Ordering::SeqCst);
        let flow = (self.pass)(pass.key().to_string(), number).await;
        self.journal.running.fetch_sub(1, Ordering::SeqCst);
        pass.end(&flow)
    }

    async fn interrupted(&self, _: &PassContext, conclusion: &Conclusion) {
        self.journal.interrupted.lock().push(conclusion.report.message.clone());
        if self.journal.hangs.load(Ordering::SeqCst) {
            std::future::pending().await
        }
    }
}

struct Scene {
    journal: Arc<Journal>,
    metrics: Metrics,
    clock: Clock,
    enqueue: QueueHandle,
    history: PassHistory,
    buckets: Option<ControllerBuckets>,
    stop: CancellationToken,
    run: Task<()>,
    _tasks: Tasks,
}

impl Scene {
    fn start(pass: impl Fn(String, usize) -> Pass + Send + Sync + 'static, change: impl FnOnce(Runner) -> Runner) -> Self {
        let (clock, metrics, tasks) = (Clock::virtual_from(jiff::Timestamp::UNIX_EPOCH), Metrics::new("test"), Tasks::new());
        let journal = Arc::new(Journal::default());
        let services = RunnerServices {
            clock: clock.clone(),
            random: Random::seeded(1),
            tasks: tasks.clone(),
            metrics: metrics.clone(),
            timing: Timing::default().without_jitter().into(),
        };
        let script = Script { pass, journal: journal.clone() };
        let controller = change(Runner::new("widgets", Arc::new(script), services));
        let (enqueue, history, stop) = (controller.enqueue(), controller.history(), CancellationToken::new());
        let buckets = controller.buckets();
        let run = tasks.spawn("run", controller.run(stop.clone(), Duration::from_secs(25)));
        Self { journal, metrics, clock, enqueue, history, buckets, stop, run, _tasks: tasks }
    }

    async fn at(&self, millis: u64) {
        self.clock.sleep_until(kubewright_core::time::Moment(Duration::from_millis(millis))).await;
    }

    fn metric(&self, line: &str) -> bool {
        self.metrics.encode().unwrap().lines().any(|found| found == line)
    }
}

fn key(name: &str) -> Key {
    name.parse().unwrap()
}

fn done() -> Pass {
    Box::pin(async { Ok(()) })
}

#[tokio::test(start_paused = true)]
async fn a_queued_key_gets_a_pass() {
    let scene = Scene::start(|_, _| done(), |controller| controller);
    scene.enqueue.now(key("ns/a"));
    scene.enqueue.now(key("ns/a"));
    scene.at(1000).await;
    assert_eq!(scene.journal.keys(), ["ns/a"]);
    assert!(scene.metric("test_reconcile_total{controller=\"widgets\",result=\"done\"} 1"));
    assert!(scene.metric("test_workqueue_depth{name=\"widgets\",lane=\"fast\"} 0.0"), "{}", scene.metrics.encode().unwrap());
}

// RUN-1
#[tokio::test(start_paused = true)]
async fn passes_at_once_are_bounded() {
    let slow = |_, _| -> Pass {
        Box::pin(async {
            tokio::time::sleep(Duration::from_secs(1)).await;
            Ok(())
        })
    };
    let scene = Scene::start(slow, |controller| controller.workers(3));
    (0..10).for_each(|n| scene.enqueue.now(key(&format!("k{n}"))));
    scene.at(4500).await;
    assert_eq!((scene.journal.keys().len(), scene.journal.most.load(Ordering::SeqCst)), (10, 3));
}

// RTY-21, ACT-13
#[tokio::test(start_paused = true)]
async fn a_panic_is_kept_to_its_key_and_retried() {
    let pass = |key: String, number| -> Pass {
        Box::pin(async move {
            assert!(key != "bad" || number > 3, "out of order");
            Ok(())
        })
    };
    let scene = Scene::start(pass, |controller| controller);
    scene.enqueue.now(key("bad"));
    scene.enqueue.now(key("good"));
    scene.at(1000).await;
    assert_eq!(scene.journal.keys(), ["bad", "good", "bad", "bad"]);
    assert_eq!(scene.journal.millis(), [0, 0, 5, 15]);
    assert!(scene.journal.interrupted.lock()[0].contains("out of order"));
    assert!(scene.metric("test_reconcile_panics_total{controller=\"widgets\"} 2"));
    assert!(scene.metric("test_reconcile_total{controller=\"widgets\",result=\"error\"} 2"));
}

// RUN-8, ACT-13
#[tokio::test(start_paused = true)]
async fn a_pass_that_takes_too_long_fails() {
    let pass = |_, number| -> Pass { if number == 1 { Box::pin(std::future::pending()) } else { done() } };
    let scene = Scene::start(pass, |controller| controller.timeout(Duration::from_secs(3)));
    scene.enqueue.now(key("a"));
    scene.at(10_000).await;
    assert_eq!(scene.journal.millis(), [0, 4000]);
    assert_eq!(*scene.journal.interrupted.lock(), ["the pass took longer than 3s"]);
}

// RTY-22, ACT-3, QUE-3
#[tokio::test(start_paused = true)]
async fn triggers_during_a_pass_cause_one_more() {
    let slow = |_, _| -> Pass {
        Box::pin(async {
            tokio::time::sleep(Duration::from_millis(100)).await;
            Ok(())
        })
    };
    let scene = Scene::start(slow, |controller| controller);
    scene.enqueue.now(key("a"));
    for _ in 0..3 {
        scene.clock.sleep(Duration::from_millis(20)).await;
        scene.enqueue.now(key("a"));
    }
    scene.at(5000).await;
    assert_eq!(scene.journal.millis(), [0, 100]);
}

// RTY-22, ACT-3
#[tokio::test(start_paused = true)]
async fn an_event_replaces_a_pending_timer() {
    let pass = |_, number| -> Pass {
        Box::pin(async move { if number == 1 { Wait::after(Delay::secs::<10>(), "Later").into() } else { Ok(()) } })
    };
    let scene = Scene::start(pass, |controller| controller);
    scene.enqueue.now(key("a"));
    scene.at(2000).await;
    scene.enqueue.now(key("a"));
    scene.at(60_000).await;
    assert_eq!(scene.journal.millis(), [0, 2000]);
}

// RTY-01, BO-4
#[tokio::test(start_paused = true)]
async fn failures_back_off_per_key() {
    let pass =
        |_, number| -> Pass { Box::pin(async move { if number < 5 { Failure::backoff("broken").into() } else { Ok(()) } }) };
    let scene = Scene::start(pass, |controller| controller);
    scene.enqueue.now(key("a"));
    scene.at(1000).await;
    assert_eq!(scene.journal.millis(), [0, 5, 15, 35, 75]);
}

#[tokio::test(start_paused = true)]
async fn delayed_keys_wait_for_their_time() {
    let scene = Scene::start(|_, _| done(), |controller| controller);
    scene.enqueue.after(key("a"), Delay::secs::<2>());
    scene.enqueue.after(key("a"), Delay::secs::<7>());
    scene.at(60_000).await;
    assert_eq!(scene.journal.millis(), [2000]);
}

// SHT-3
#[tokio::test(start_paused = true)]
async fn running_passes_end_by_themselves_and_queued_keys_are_dropped() {
    let slow = |_, _| -> Pass {
        Box::pin(async {
            tokio::time::sleep(Duration::from_secs(10)).await;
            Ok(())
        })
    };
    let scene = Scene::start(slow, |controller| controller.workers(1));
    scene.enqueue.now(key("running"));
    scene.enqueue.now(key("queued"));
    scene.at(1000).await;
    scene.stop.cancel();
    let (clock, journal, metrics) = (scene.clock.clone(), scene.journal.clone(), scene.metrics.clone());
    scene.run.await.unwrap();
    assert_eq!((clock.moment().0.as_secs(), journal.keys()), (10, vec!["running".to_owned()]));
    assert!(metrics.encode().unwrap().contains("result=\"done\"} 1"));
}

// RUN-9, SHT-3, ACT-14, RTY-21
#[tokio::test(start_paused = true)]
async fn a_pass_that_outlives_the_deadline_is_cancelled_and_dropped() {
    let scene = Scene::start(|_, _| Box::pin(std::future::pending()), |controller| controller);
    scene.enqueue.now(key("a"));
    scene.at(1000).await;
    scene.stop.cancel();
    let (clock, metrics) = (scene.clock.clone(), scene.metrics.clone());
    scene.run.await.unwrap();
    assert_eq!(clock.moment().0.as_secs(), 1 + 25 + 5);
    assert!(metrics.encode().unwrap().contains("result=\"cancelled\"} 1"));
}

// SHT-3: a server that does not answer must not keep the process alive.
#[tokio::test(start_paused = true)]
async fn telling_of_a_panic_outlives_no_deadline() {
    let scene = Scene::start(|_, _| Box::pin(async { panic!("out of order") }), |controller| controller);
    scene.journal.hangs.store(true, Ordering::SeqCst);
    scene.enqueue.now(key("a"));
    scene.at(1000).await;
    scene.stop.cancel();
    let clock = scene.clock.clone();
    clock.limit(Duration::from_mins(5), scene.run).await.expect("it ends").unwrap();
    assert_eq!(clock.moment().0.as_secs(), 1 + 25 + 5);
}

// HLT-4
#[tokio::test(start_paused = true)]
async fn stuck_workers_are_noticed() {
    let stuck = Arc::new(Mutex::new(None));
    let probe = stuck.clone();
    let scene = Scene::start(
        |_, _| Box::pin(std::future::pending()),
        move |controller| {
            let controller = controller.workers(1);
            *probe.lock() = Some(controller.stuck_probe(Duration::from_mins(15)));
            controller
        },
    );
    let check = || stuck.lock().as_ref().map(|probe| probe().is_err());
    scene.enqueue.now(key("a"));
    scene.at(1000).await;
    assert_eq!(check(), Some(false));
    scene.clock.sleep(Duration::from_mins(16)).await;
    assert_eq!(check(), Some(true));
}

// RUN-7
#[tokio::test(start_paused = true)]
async fn all_keys_are_queued_again_every_period_spread_over_a_twentieth_of_it() {
    let keys = || (0..100).map(|n| key(&format!("key-{n:02}"))).collect::<Vec<_>>();
    let scene = Scene::start(|_, _| done(), |controller| controller.keys(keys).resync(Some(Duration::from_hours(10))));
    let hours = |count: u64| count * 3_600_000;
    scene.at(hours(10) - 1).await;
    assert!(scene.journal.keys().is_empty());
    scene.at(hours(10) + 1_800_000).await;
    assert_eq!(scene.journal.keys().len(), 100);
    let gaps: Vec<u128> = scene.journal.millis().windows(2).map(|pair| pair[1] - pair[0]).collect();
    assert!(gaps.iter().all(|gap| (17_000..19_000).contains(gap)), "one every 18 seconds: {gaps:?}");
    scene.at(hours(20) + 1_800_000).await;
    assert_eq!(scene.journal.keys().len(), 200);
    assert_eq!(scene.journal.millis()[100], u128::from(hours(20)), "the period does not drift");
    scene.stop.cancel();
    drop(scene.run.await);
}

// RUN-7
#[tokio::test(start_paused = true)]
async fn without_a_period_there_is_no_resync() {
    let scene = Scene::start(|_, _| done(), |controller| controller.keys(|| vec![key("a")]).resync(None));
    scene.at(200 * 3_600_000).await;
    assert!(scene.journal.keys().is_empty());
    scene.stop.cancel();
    drop(scene.run.await);
}

// 8.2
#[tokio::test(start_paused = true)]
async fn queues_tell_how_long_keys_wait_and_how_long_their_passes_take() {
    let pass = |_, _| -> Pass {
        Box::pin(async {
            tokio::time::sleep(Duration::from_secs(2)).await;
            Ok(())
        })
    };
    let scene = Scene::start(pass, |controller| controller.workers(1));
    scene.enqueue.slow(key("a"));
    scene.enqueue.all_because(vec![key("b"), key("c")], Lane::Slow, QueuedBy::Resync);
    scene.at(3000).await;
    for line in [
        "test_reconcile_in_flight{controller=\"widgets\"} 1.0",
        "test_workqueue_unfinished_work_seconds{name=\"widgets\"} 1.0",
        "test_workqueue_longest_running_processor_seconds{name=\"widgets\"} 1.0",
        "test_workqueue_depth{name=\"widgets\",lane=\"slow\"} 1.0",
    ] {
        assert!(scene.metric(line), "{line}: {}", scene.metrics.encode().unwrap());
    }
    let [queue] = <[_; 1]>::try_from(scene.metrics.queues()).unwrap();
    let queued: Vec<(String, Duration)> =
        queue.queued(Lane::Slow, 0, 10).into_iter().map(|queued| (queued.key.to_string(), queued.age)).collect();
    assert_eq!(queued, [("c".to_owned(), Duration::from_secs(3))]);
    assert_eq!(queue.running(), [(key("b"), Duration::from_secs(1))]);
    scene.enqueue.after(key("d"), Delay::secs::<60>());
    assert_eq!(queue.waiting(), 1);
    scene.at(10_000).await;
    // The keys waited 0, 2 and 4 seconds.
    for line in [
        "test_workqueue_queue_duration_seconds_sum{name=\"widgets\"} 6.0",
        "test_workqueue_queue_duration_seconds_count{name=\"widgets\"} 3",
        "test_workqueue_process_duration_seconds_sum{name=\"widgets\"} 6.0",
        "test_workqueue_process_duration_seconds_count{name=\"widgets\"} 3",
    ] {
        assert!(scene.metric(line), "{line}: {}", scene.metrics.encode().unwrap());
    }
}
