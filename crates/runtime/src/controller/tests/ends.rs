//! Tests of a controller that is stopped while it works.

use kubewright_core::queue::Drain;

use super::*;

// SHT-3
#[tokio::test(start_paused = true)]
async fn with_drop_running_passes_are_cancelled_at_once() {
    let scene = Scene::start(|_, _| Box::pin(std::future::pending()), |controller| controller.drain(Drain::Drop));
    scene.enqueue.now(key("a"));
    scene.at(1000).await;
    scene.stop.cancel();
    let (clock, metrics) = (scene.clock.clone(), scene.metrics.clone());
    scene.run.await.unwrap();
    assert_eq!(clock.moment().0, Duration::from_secs(1) + crate::defaults::CANCEL_GRACE);
    assert!(metrics.encode().unwrap().contains("result=\"cancelled\"} 1"));
}

// SHT-3
#[tokio::test(start_paused = true)]
async fn a_stop_while_workers_take_keys_ends_all_of_them() {
    let short = |_, _| -> Pass {
        Box::pin(async {
            tokio::time::sleep(Duration::from_millis(1)).await;
            Ok(())
        })
    };
    for drain in [Drain::Drop, Drain::FinishInFlight, Drain::FinishQueued] {
        let scene = Scene::start(short, |controller| controller.workers(8).drain(drain));
        (0..500).for_each(|n| scene.enqueue.now(key(&format!("k{n}"))));
        scene.at(10).await;
        // Most of these keys are not in the queue yet when the stop comes.
        scene.enqueue.all_because((500..1000).map(|n| key(&format!("k{n}"))).collect(), Lane::Slow, QueuedBy::Resync);
        let before = scene.journal.keys().len();
        assert!((8..1000).contains(&before), "{before}");
        scene.stop.cancel();
        let (clock, journal) = (scene.clock.clone(), scene.journal.clone());
        clock.limit(Duration::from_secs(60), scene.run).await.expect("it ends").unwrap();
        let expected = if drain == Drain::FinishQueued { 1000 } else { before };
        assert_eq!(journal.keys().len(), expected, "{drain:?}");
        assert_eq!(journal.running.load(Ordering::SeqCst), 0, "{drain:?}");
        scene.enqueue.all_because(vec![key("late")], Lane::Slow, QueuedBy::Resync);
        let page = scene.metrics.encode().unwrap();
        let depths: Vec<&str> = page.lines().filter(|line| line.starts_with("test_workqueue_depth{")).collect();
        assert!(depths.len() == 3 && depths.iter().all(|line| line.ends_with(" 0.0")), "{drain:?}: {depths:?}");
    }
}
