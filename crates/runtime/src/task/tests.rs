use std::time::Duration;

use super::Tasks;

#[tokio::test(start_paused = true)]
async fn a_panic_ends_its_own_task_only() {
    let tasks = Tasks::new();
    let bad = tasks.spawn("bad", async { panic!("boom") });
    let good = tasks.spawn("good", async { 7 });
    assert_eq!(bad.await.unwrap_err().to_string(), "task \"bad\" panicked: boom");
    assert_eq!(good.await.unwrap(), 7);
    assert_eq!(tasks.panic_count(), 1);
    assert_eq!(tasks.panics()[0].task, "bad");
}

#[tokio::test(start_paused = true)]
async fn stop_joins_those_that_listen_and_aborts_the_others() {
    let tasks = Tasks::new();
    let stopping = tasks.stopping();
    tasks.spawn("listens", async move { stopping.cancelled().await }).detach();
    tasks.spawn("deaf", std::future::pending::<()>()).detach();
    tokio::task::yield_now().await;
    assert_eq!(tasks.running(), ["listens", "deaf"]);
    assert_eq!(tasks.stop(Duration::from_secs(5)).await, ["deaf"]);
    assert!(tasks.running().is_empty());
}

#[tokio::test(start_paused = true)]
async fn a_stopped_set_starts_nothing() {
    let tasks = Tasks::new();
    assert!(tasks.stop(Duration::from_secs(1)).await.is_empty());
    let late = tasks.spawn("late", async { 1 });
    assert_eq!(late.await.unwrap_err().message, "stopped before it ended");
}

#[tokio::test(start_paused = true)]
async fn suspended_tasks_stand_still_and_go_on_where_they_are() {
    let tasks = Tasks::new();
    let (ticks, mut seen) = tokio::sync::watch::channel(0);
    let ticking = async move {
        loop {
            tokio::time::sleep(Duration::from_secs(1)).await;
            ticks.send_modify(|ticks| *ticks += 1);
        }
    };
    tasks.spawn("clock", ticking).detach();
    seen.wait_for(|ticks| *ticks == 2).await.unwrap();
    tasks.suspend();
    tasks.spawn("late", async {}).detach();
    tokio::time::sleep(Duration::from_mins(1)).await;
    assert_eq!(*seen.borrow(), 2);
    assert_eq!(tasks.running(), ["clock", "late"]);
    tasks.resume();
    tokio::time::sleep(Duration::from_millis(2500)).await;
    assert_eq!(*seen.borrow(), 5, "the tick that was due, and two more");
    assert_eq!(tasks.running(), ["clock"]);
    tasks.suspend();
    assert_eq!(tasks.stop(Duration::ZERO).await, ["clock"]);
}
