//! Tests of keys that are divided into buckets.

use kubewright_core::hash::Buckets;
use kubewright_core::lease::Term;
use kubewright_core::time::Moment;

use super::*;

/// The names of two buckets.
const NAMES: [&str; 2] = ["x.00-of-02", "x.01-of-02"];

/// Returns this number of keys of the first and of the second bucket.
fn keys_of_both(count: usize) -> [Vec<Key>; 2] {
    let mut owners = Buckets::new(NAMES);
    let mut keys = [Vec::new(), Vec::new()];
    for key in (0..100).map(|number| key(&format!("ns/k{number}"))) {
        let bucket = usize::from(owners.owner(&key).as_deref() == Some(NAMES[1]));
        keys[bucket].push(key);
    }
    keys.map(|keys| keys.into_iter().take(count).collect())
}

fn term(scene: &Scene, bucket: usize, seconds: u64) -> Arc<LeaderTerm> {
    let mut term = Term::unlimited(Moment(Duration::from_secs(seconds)));
    term.epoch = 7;
    Arc::new(LeaderTerm::new(NAMES[bucket].into(), term, scene.clock.clone()))
}

fn divided(controller: Runner) -> Runner {
    controller.divided(NAMES.map(Arc::from)).workers(1)
}

fn texts(keys: &[Key]) -> Vec<String> {
    keys.iter().map(ToString::to_string).collect()
}

// LDR-4, LDR-25, STAGE-2
#[tokio::test(start_paused = true)]
async fn keys_are_let_in_while_their_bucket_is_led_and_all_that_are_known_are_queued_then() {
    let [first, second] = keys_of_both(3);
    let known: Vec<Key> = first.iter().chain(&second).cloned().collect();
    let scene = Scene::start(|_, _| done(), |controller| divided(controller).keys(move || known.clone()));
    let buckets = scene.buckets.clone().unwrap();
    scene.enqueue.now(first[0].clone());
    scene.enqueue.after(first[1].clone(), Delay::secs::<1>());
    scene.enqueue.all_because(second.clone(), Lane::Slow, QueuedBy::Resync);
    scene.at(5000).await;
    assert!(scene.journal.keys().is_empty(), "no bucket is led: {:?}", scene.journal.keys());
    assert!(!scene.metrics.encode().unwrap().contains("workqueue_adds_total{name=\"widgets\"} 1"));

    buckets.activate(term(&scene, 1, 60));
    scene.at(6000).await;
    assert_eq!(scene.journal.keys(), texts(&second), "those of the bucket, and no others");
    let causes: Vec<String> = scene.history.all().iter().map(|pass| pass.causes.to_string()).collect();
    assert!(causes.iter().all(|cause| cause == &QueuedBy::Promoted.to_string()), "{causes:?}");
    scene.enqueue.now(first[0].clone());
    scene.enqueue.now(second[0].clone());
    scene.at(7000).await;
    assert_eq!(scene.journal.keys()[3..], [second[0].to_string()]);
}

// QUE-12, LDR-26
#[tokio::test(start_paused = true)]
async fn with_a_bucket_its_queued_and_delayed_keys_go_and_its_passes_are_cancelled() {
    let [first, second] = keys_of_both(3);
    let lost = first[0].to_string();
    let pass = move |key: String, _| -> Pass { if key == lost { Box::pin(std::future::pending()) } else { done() } };
    let scene = Scene::start(pass, divided);
    let buckets = scene.buckets.clone().unwrap();
    let terms = [term(&scene, 0, 600), term(&scene, 1, 600)];
    for term in &terms {
        buckets.activate(Arc::clone(term));
    }
    scene.enqueue.now(first[0].clone());
    scene.at(1000).await;
    scene.enqueue.now(first[1].clone());
    scene.enqueue.after(first[2].clone(), Delay::secs::<3>());
    scene.enqueue.now(second[0].clone());
    buckets.cancel(NAMES[0]);
    assert!(terms[0].is_over() && !terms[1].is_over());
    buckets.drained(NAMES[0]).await;
    assert_eq!(
        scene.clock.moment().0,
        Duration::from_secs(1) + crate::defaults::CANCEL_GRACE,
        "the pass ignores its token, and is dropped"
    );
    scene.at(20_000).await;
    assert_eq!(scene.journal.keys(), [first[0].to_string(), second[0].to_string()]);
    assert!(scene.metric("test_reconcile_total{controller=\"widgets\",result=\"cancelled\"} 1"));
}

// LDR-22, LDR-30
#[tokio::test(start_paused = true)]
async fn a_pass_that_fails_after_the_end_of_its_term_is_not_repeated() {
    let [first, _] = keys_of_both(1);
    let pass = |_, _| -> Pass {
        Box::pin(async {
            tokio::time::sleep(Duration::from_secs(3)).await;
            Failure::backoff("late").into()
        })
    };
    let scene = Scene::start(pass, divided);
    let buckets = scene.buckets.clone().unwrap();
    // The controller is not told that the term ends.
    buckets.activate(term(&scene, 0, 2));
    scene.enqueue.now(first[0].clone());
    scene.at(3500).await;
    assert!(scene.metric("test_reconcile_total{controller=\"widgets\",result=\"cancelled\"} 1"));
    buckets.cancel(NAMES[0]);
    buckets.drained(NAMES[0]).await;
    scene.at(60_000).await;
    assert_eq!(scene.journal.keys().len(), 1, "it is not repeated");
}

// SHT-2
#[tokio::test(start_paused = true)]
async fn a_bucket_is_drained_when_the_queue_has_ended_and_its_last_pass_too() {
    let [first, _] = keys_of_both(2);
    let pass = |_, _| -> Pass {
        Box::pin(async {
            tokio::time::sleep(Duration::from_secs(2)).await;
            Ok(())
        })
    };
    let scene = Scene::start(pass, divided);
    let buckets = scene.buckets.clone().unwrap();
    buckets.activate(term(&scene, 0, 600));
    let early = scene.clock.limit(Duration::from_secs(1), buckets.drained(NAMES[0])).await;
    assert!(early.is_err(), "it goes on to take keys, though no pass runs");
    for key in &first {
        scene.enqueue.now(key.clone());
    }
    scene.at(2000).await;
    scene.stop.cancel();
    buckets.drained(NAMES[0]).await;
    assert_eq!((scene.clock.moment().0.as_secs(), scene.journal.keys().len()), (3, 1), "the pass that ran has ended");
}

// SHT-2, SHT-3
#[tokio::test(start_paused = true)]
async fn a_bucket_is_drained_while_queued_keys_of_another_are_still_processed() {
    let [first, second] = keys_of_both(3);
    let pass = |_, _| -> Pass {
        Box::pin(async {
            tokio::time::sleep(Duration::from_secs(2)).await;
            Ok(())
        })
    };
    let scene = Scene::start(pass, |controller| divided(controller).drain(Drain::FinishQueued));
    let buckets = scene.buckets.clone().unwrap();
    for bucket in 0..2 {
        buckets.activate(term(&scene, bucket, 600));
    }
    for key in second[..2].iter().chain(&first) {
        scene.enqueue.now(key.clone());
    }
    scene.at(1000).await;
    scene.stop.cancel();
    buckets.drained(NAMES[1]).await;
    let begun = scene.journal.keys();
    assert_eq!((scene.clock.moment().0.as_secs(), &begun[..2]), (4, &texts(&second[..2])[..]));
    assert!(begun.len() < 5, "keys of the other bucket are still queued: {begun:?}");
    buckets.drained(NAMES[0]).await;
    assert_eq!((scene.clock.moment().0.as_secs(), scene.journal.keys().len()), (10, 5), "all that was queued");
}

// SHT-2
#[tokio::test(start_paused = true)]
async fn a_bucket_is_drained_when_its_runner_has_failed() {
    let calls = AtomicUsize::new(0);
    let keys = move || {
        assert!(calls.fetch_add(1, Ordering::SeqCst) == 0, "the keys are lost");
        Vec::new()
    };
    let scene = Scene::start(|_, _| done(), |controller| divided(controller).keys(keys).resync(Some(Duration::from_secs(5))));
    let buckets = scene.buckets.clone().unwrap();
    buckets.activate(term(&scene, 0, 600));
    scene.run.await.unwrap_err();
    scene.clock.limit(Duration::from_secs(60), buckets.drained(NAMES[0])).await.unwrap();
    assert_eq!(scene.clock.moment().0.as_secs(), 5);
}

// STAGE-2, STAGE-5
#[tokio::test(start_paused = true)]
async fn observers_get_passes_for_keys_of_other_replicas() {
    let [first, _] = keys_of_both(1);
    let gone = || {
        QueuedBy::Changed(Arc::new(kubewright_core::why::ObjectChange {
            kind: Arc::new(kubewright_machinery::object::GroupKind::new("demo", "Widget")),
            key: first[0].clone(),
            what: kubewright_core::why::ObjectChangeKind::Went,
            by: None,
            own: false,
        }))
    };
    for (observes, expected) in [(Observes::Nothing, 0), (Observes::Deletions, 1), (Observes::Everything, 2)] {
        let scene = Scene::start(|_, _| done(), |controller| divided(controller).observes(observes));
        let start = scene.clock.moment();
        scene.enqueue.now(first[0].clone());
        scene.clock.sleep_until(start + Duration::from_secs(1)).await;
        scene.enqueue.because(first[0].clone(), Lane::Fast, gone());
        scene.clock.sleep_until(start + Duration::from_secs(2)).await;
        assert_eq!(scene.journal.keys().len(), expected, "{observes:?}");
    }
}
