//! Passes in parallel.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use super::widget::{Script, Widgets};
use super::world::World;

// RUN-1, TCL-2
#[tokio::test]
async fn the_workers_of_the_operator_win_over_those_of_its_controllers() {
    for (of_operator, expected) in [(None, 4), (Some(1), 1)] {
        let (running, most) = (Arc::new(AtomicUsize::new(0)), Arc::new(AtomicUsize::new(0)));
        let seen = Arc::clone(&most);
        let script = Script::default().reconcile(move |cx, _, status| {
            let (running, most, clock) = (Arc::clone(&running), Arc::clone(&seen), cx.clock().clone());
            Box::pin(async move {
                most.fetch_max(running.fetch_add(1, Ordering::SeqCst) + 1, Ordering::SeqCst);
                clock.sleep(Duration::from_secs(1)).await;
                running.fetch_sub(1, Ordering::SeqCst);
                status.conditions.mark_true("Sized");
                Ok(())
            })
        });
        let operator = Widgets::operator_with(&script, |controller| controller.workers(4));
        let operator = operator.options(|options| options.workers = of_operator);
        let world = World::start_operator(script, operator).await;
        for number in 0..6 {
            world.create(&format!("w{number}"), 1).await;
        }
        for number in 0..6 {
            world.condition(&format!("w{number}"), "Ready", "True", "Reconciled").await;
        }
        assert_eq!(most.load(Ordering::SeqCst), expected);
        // A pass is counted after its status write.
        let done = || world.metric("kubewright_reconcile_total", &[("result", "done"), ("controller", "widget")]);
        world.until("six passes are counted", || done().is_some_and(|passes| passes >= 6.0)).await;
        assert_eq!(world.metric("kubewright_reconcile_total", &[("result", "error"), ("controller", "widget")]), None);
        world.stop().await;
    }
}
