//! Tests of a controller with default settings, and of its counters.

use super::*;

/// Returns passes that last this time.
fn lasting(time: Duration) -> impl Fn(String, usize) -> Pass {
    move |_, _| {
        Box::pin(async move {
            tokio::time::sleep(time).await;
            Ok(())
        })
    }
}

// RUN-1
#[tokio::test(start_paused = true)]
async fn two_passes_run_at_once_by_default() {
    let scene = Scene::start(lasting(Duration::from_secs(1)), |controller| controller);
    (0..10).for_each(|n| scene.enqueue.now(key(&format!("k{n}"))));
    scene.at(60_000).await;
    assert_eq!((scene.journal.most.load(Ordering::SeqCst), scene.journal.keys().len()), (2, 10));
}

// RUN-8
#[tokio::test(start_paused = true)]
async fn a_pass_has_no_time_limit_by_default() {
    let day = Duration::from_hours(24);
    let scene = Scene::start(lasting(day), |controller| controller);
    scene.enqueue.now(key("a"));
    scene.clock.sleep(day + Duration::from_secs(1)).await;
    assert!(
        scene.metric("test_reconcile_total{controller=\"widgets\",result=\"done\"} 1"),
        "{}",
        scene.metrics.encode().unwrap()
    );
    assert_eq!(scene.journal.keys(), ["a"]);
}

// 8.2
#[tokio::test(start_paused = true)]
async fn retries_are_counted_and_other_keys_go_on() {
    let fails_twice = |name: String, number| -> Pass {
        Box::pin(async move { if name == "a" && number < 4 { Failure::backoff("broken").into() } else { Ok(()) } })
    };
    let scene = Scene::start(fails_twice, |controller| controller.workers(1));
    scene.enqueue.now(key("a"));
    scene.enqueue.now(key("b"));
    scene.at(1000).await;
    assert_eq!(scene.journal.keys(), ["a", "b", "a", "a"]);
    for line in [
        "test_workqueue_retries_total{name=\"widgets\"} 2",
        "test_workqueue_adds_total{name=\"widgets\"} 2",
        "test_reconcile_total{controller=\"widgets\",result=\"error\"} 2",
        "test_reconcile_total{controller=\"widgets\",result=\"done\"} 2",
    ] {
        assert!(scene.metric(line), "{line} in\n{}", scene.metrics.encode().unwrap());
    }
}

// 8.2
#[tokio::test(start_paused = true)]
async fn the_time_of_each_pass_is_in_the_histogram() {
    let scene = Scene::start(lasting(Duration::from_millis(300)), |controller| controller);
    scene.enqueue.now(key("a"));
    scene.enqueue.now(key("b"));
    scene.at(1000).await;
    let of_done = "controller=\"widgets\",result=\"done\"";
    for line in [
        format!("test_reconcile_duration_seconds_count{{{of_done}}} 2"),
        format!("test_reconcile_duration_seconds_sum{{{of_done}}} 0.6"),
        format!("test_reconcile_duration_seconds_bucket{{le=\"0.25\",{of_done}}} 0"),
        format!("test_reconcile_duration_seconds_bucket{{le=\"0.5\",{of_done}}} 2"),
    ] {
        assert!(scene.metric(&line), "{line} in\n{}", scene.metrics.encode().unwrap());
    }
}
