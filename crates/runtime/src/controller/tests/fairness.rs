//! Tests of edits beside a resync, and of keys that always fail.

use super::*;

/// The number of keys of the resync.
const KEYS: usize = 50_000;

// QUE-5, QUE-6
#[tokio::test(start_paused = true)]
async fn an_edit_beside_a_resync_of_many_keys_is_one_of_the_next_two_passes() {
    let keys = || (0..KEYS).map(|number| key(&format!("ns/k{number}")));
    beside(|queue| keys().for_each(|key| queue.slow(key))).await;
    beside(|queue| queue.all_because(keys().collect(), Lane::Slow, QueuedBy::Resync)).await;
}

async fn beside(resync: impl Fn(&QueueHandle)) {
    let scene = Scene::start(
        |_, _| {
            Box::pin(async {
                tokio::time::sleep(Duration::from_millis(1)).await;
                Ok(())
            })
        },
        |runner| runner.workers(1),
    );
    resync(&scene.enqueue);
    for edit in 0..200 {
        scene.at(100 * (edit + 1)).await;
        let before = scene.journal.passes.lock().len();
        let edited = key(&format!("ns/edit{edit}"));
        scene.enqueue.now(edited.clone());
        scene.at(100 * (edit + 1) + 5).await;
        let passes = scene.journal.keys();
        let position = passes.iter().position(|pass| *pass == edited.to_string()).unwrap();
        assert!(position <= before + 1, "edit {edit} was pass {position}, {before} were begun when it came");
    }
    let queued = scene.journal.passes.lock().len();
    assert!(queued < KEYS, "the resync is still going on");
}

// LIM-1
#[tokio::test(start_paused = true)]
async fn keys_that_fail_for_ever_take_ten_passes_a_second_together() {
    let scene = Scene::start(|_, _| Box::pin(async { Failure::backoff("broken").into() }), |runner| runner.workers(8));
    for number in 0..1_000 {
        scene.enqueue.now(key(&format!("ns/k{number}")));
    }
    // The burst is used up by then.
    scene.at(300_000).await;
    let from = scene.journal.passes.lock().len();
    scene.at(400_000).await;
    let passes = scene.journal.passes.lock().len() - from;
    assert!((990..=1_010).contains(&passes), "{passes} passes in 100 s");
    // Another key does not wait for the failing ones.
    scene.enqueue.now(key("ns/healthy"));
    scene.at(400_001).await;
    assert_eq!(scene.journal.keys().iter().filter(|pass| *pass == "ns/healthy").count(), 1);
}
