//! Components of external systems, which take their time and refuse things.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use kubewright::prelude::*;

use super::platform::{ApiServer, Landscaper};
use super::world::{World, told_by};

/// So long an external system takes: not the 30 s of a real one, for servers with a real clock.
const POLL: Delay = Delay::secs::<2>();

// LOOP-03, 13.6
#[tokio::test]
async fn an_external_system_is_polled_until_it_is_ready() {
    let world = World::start().await;
    let polls = Arc::new(AtomicUsize::new(0));
    let polled = Arc::clone(&polls);
    world.script.set("apply Landscaper", move |words| {
        if polled.fetch_add(1, Ordering::Relaxed) < 3 {
            return Wait::after(POLL, "WaitingForLaaS").message("the installation is being prepared").into();
        }
        words.healthy();
        words.condition("LandscaperInstalled", true);
        Ok(())
    });
    let begin = world.now();
    world.create::<Landscaper>().await;
    let waits = world.condition::<Landscaper>("LandscaperHealthy", "False", "WaitingForLaaS").await;
    assert_eq!(told_by(&waits, "LandscaperReconciliation"), Some(("True".to_owned(), "WaitingForLaaS".to_owned())));
    world.ready::<Landscaper>().await;
    assert_eq!(polls.load(Ordering::Relaxed), 4);
    assert!(world.now().since(begin) >= 3 * POLL.as_duration());
    world.stop().await;
}

// LOOP-05, ACT-18
#[tokio::test]
async fn an_access_is_waited_for_refused_granted_and_renewed_before_it_ends() {
    /// The validity of the access is 4 s; it is renewed after 85 % of that.
    const RENEWAL: Delay = Delay::millis::<3400>();
    let world = World::start().await;
    world.script.set("apply ApiServer", |_| Wait::after(POLL, "AccessPending").message("the request is not decided").into());
    world.create::<ApiServer>().await;
    world.condition::<ApiServer>("ApiServerHealthy", "False", "AccessPending").await;
    world.called("apply ApiServer", 2).await;

    world.script.set("apply ApiServer", |_| Blocked::new("AccessDenied", "the request was denied; ask for another role").into());
    let denied = world.condition::<ApiServer>("ApiServerHealthy", "False", "AccessDenied").await;
    assert_eq!(told_by(&denied, "Stalled"), Some(("True".to_owned(), "AccessDenied".to_owned())));
    assert_eq!(told_by(&denied, "ApiServerReconciliation"), Some(("False".to_owned(), "AccessDenied".to_owned())));

    world.script.set("apply ApiServer", |words| {
        words.healthy();
        words.recheck_after(RENEWAL);
        Ok(())
    });
    world.patch::<ApiServer>(json!({"spec": {"size": 2}})).await;
    let granted = world.ready::<ApiServer>().await;
    assert_eq!(told_by(&granted, "Stalled"), None);
    let (begin, calls) = (world.now(), world.script.count("apply ApiServer"));
    world.called("apply ApiServer", calls + 1).await;
    let passed = world.now().since(begin);
    assert!(passed <= std::time::Duration::from_secs(30), "not by the safety net: {passed:?}");
    world.ready::<ApiServer>().await;
    world.stop().await;
}
