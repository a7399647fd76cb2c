//! Tests of the causes that passes report.

use kubewright_core::queue::{Drain, Lane};
use kubewright_core::time::Moment;
use kubewright_core::why::{ChangedPaths, ObjectChange, ObjectChangeKind, QueuedBy, WriteVerb};
use kubewright_machinery::object::GroupKind;
use tracing::span::Id;
use tracing_subscriber::layer::{Context as LayerContext, Layer, SubscriberExt as _};

use super::super::waiting::WaitingKeys;
use super::*;
use crate::testing::subscribe;

impl Scene {
    /// Returns the lines of the passes of a key, without their numbers.
    fn lines(&self, name: &str) -> Vec<String> {
        let passes = self.history.of(&key(name));
        let numbers: Vec<u64> = passes.iter().map(|pass| pass.number).collect();
        assert!(numbers.windows(2).all(|pair| pair[0] + 1 == pair[1]), "{numbers:?}");
        passes.iter().map(|pass| pass.to_string().split_once(": ").unwrap().1.to_owned()).collect()
    }

    fn because(&self, name: &str, lane: Lane, cause: QueuedBy) {
        self.enqueue.because(key(name), lane, cause);
    }
}

fn changed(name: &str, own: bool) -> QueuedBy {
    let (kind, what) = (Arc::new(GroupKind::new("", "ConfigMap")), ObjectChangeKind::Changed(ChangedPaths::default()));
    QueuedBy::Changed(Arc::new(ObjectChange { kind, key: key(name), what, by: None, own }))
}

// WHY-1
#[tokio::test(start_paused = true)]
async fn each_pass_reports_the_cause_that_queued_its_key() {
    let scene =
        Scene::start(|_, _| done(), |controller| controller.keys(|| vec![key("a")]).resync(Some(Duration::from_hours(10))));
    scene.because("a", Lane::Slow, QueuedBy::FirstList);
    scene.at(1000).await;
    scene.enqueue.now(key("a"));
    scene.at(2000).await;
    scene.because("a", Lane::Fast, changed("ns/x", false));
    scene.because("a", Lane::Fast, changed("ns/x", false));
    scene.because("a", Lane::Urgent, QueuedBy::TypesChanged);
    scene.at(3000).await;
    scene.because("a", Lane::Fast, QueuedBy::Configuration { name: "config-logging".into() });
    scene.at(4000).await;
    scene.because("a", Lane::Fast, QueuedBy::Promoted);
    scene.at(5000).await;
    scene.at(11 * 3_600_000).await;
    let expected = [
        "first list → Ready",
        "requested → Ready",
        "ConfigMap ns/x changed; the served types changed → Ready",
        "configuration config-logging changed → Ready",
        "promoted → Ready",
        "resync → Ready",
    ];
    assert_eq!(scene.lines("a"), expected);
}

// WHY-1
#[tokio::test(start_paused = true)]
async fn a_timer_cause_names_the_outcome_of_the_previous_pass() {
    let pass = |_, number| -> Pass {
        Box::pin(async move {
            match number {
                1 => Wait::after(Delay::secs::<10>(), "Draining").message("hunter2").into(),
                2 => Failure::backoff("hunter2").reason("Unreachable").into(),
                _ => Ok(()),
            }
        })
    };
    let scene = Scene::start(pass, |controller| controller);
    scene.enqueue.now(key("a"));
    scene.at(60_000).await;
    let expected = [
        "requested → wait Draining, again in 10s",
        "timer (wait Draining) → failed Unreachable, again in 5ms",
        "timer (back-off after Unreachable) → Ready",
    ];
    assert_eq!(scene.lines("a"), expected);
    let passes = scene.history.of(&key("a"));
    let links: Vec<Vec<&str>> = passes.iter().map(|pass| pass.links.iter().map(AsRef::as_ref).collect()).collect();
    assert_eq!(links, [vec![], vec![&*passes[0].trace], vec![&*passes[1].trace]]);
}

// WHY-1
#[tokio::test(start_paused = true)]
async fn an_event_before_the_timer_is_the_only_cause() {
    let pass = |_, number| -> Pass {
        Box::pin(async move { if number == 1 { Wait::after(Delay::secs::<10>(), "Later").into() } else { Ok(()) } })
    };
    let scene = Scene::start(pass, |controller| controller);
    scene.enqueue.now(key("a"));
    scene.at(2000).await;
    scene.because("a", Lane::Fast, changed("ns/x", false));
    scene.at(60_000).await;
    assert_eq!(scene.lines("a"), ["requested → wait Later, again in 10s", "ConfigMap ns/x changed → Ready"]);
}

// WHY-1
#[tokio::test(start_paused = true)]
async fn the_cause_of_a_delayed_key_is_reported_when_its_delay_ends() {
    let scene = Scene::start(|_, _| done(), |controller| controller);
    scene.enqueue.because_after(key("a"), Delay::secs::<10>(), Lane::Fast, changed("ns/x", false));
    scene.at(2000).await;
    scene.enqueue.now(key("a"));
    scene.at(60_000).await;
    assert_eq!(scene.lines("a"), ["requested → Ready", "ConfigMap ns/x changed → Ready"]);
}

// WHY-1, QUE-3
#[tokio::test(start_paused = true)]
async fn a_change_during_a_pass_is_reported_as_the_cause_of_the_next_pass() {
    let slow = |_, _| -> Pass {
        Box::pin(async {
            tokio::time::sleep(Duration::from_millis(100)).await;
            Ok(())
        })
    };
    let scene = Scene::start(slow, |controller| controller);
    scene.enqueue.now(key("a"));
    scene.at(50).await;
    scene.because("a", Lane::Fast, changed("ns/x", true));
    scene.at(5000).await;
    assert_eq!(scene.lines("a"), ["requested → Ready", "ConfigMap ns/x changed (own write) → Ready"]);
    let passes = scene.history.of(&key("a"));
    assert_eq!(*passes[1].links, [passes[0].trace.clone()]);
    assert_eq!(passes[1].took, Duration::from_millis(100));
    assert_eq!(passes[1].started, jiff::Timestamp::from_millisecond(100).unwrap());
}

struct Writing;

#[async_trait]
impl RunPass for Writing {
    async fn run(&self, pass: &Arc<PassContext>) -> Conclusion {
        assert_eq!(pass.causes().to_string(), "requested");
        pass.wrote(WriteVerb::Created, &GroupKind::new("apps", "Deployment"), &key("ns/web"), "");
        pass.wrote(WriteVerb::Patched, &GroupKind::new("", "Pod"), pass.key(), "status");
        if pass.key().name() == "gone" {
            pass.forget();
        }
        pass.end(&Ok(()))
    }
}

// WHY-4
#[tokio::test(start_paused = true)]
async fn the_history_reports_the_writes_of_a_pass_and_the_deletion_of_the_object() {
    let clock = Clock::virtual_from(jiff::Timestamp::UNIX_EPOCH);
    let tasks = Tasks::new();
    let services = RunnerServices {
        clock: clock.clone(),
        random: Random::seeded(1),
        tasks: tasks.clone(),
        metrics: Metrics::new("test"),
        timing: Timing::default().into(),
    };
    let runner = Runner::new("widgets", Arc::new(Writing), services);
    let (queue, history) = (runner.enqueue(), runner.history());
    tasks.spawn("run", runner.run(CancellationToken::new(), Duration::ZERO)).detach();
    queue.now(key("ns/a"));
    queue.now(key("ns/gone"));
    clock.sleep(Duration::from_secs(1)).await;
    let line = |name: &str| history.of(&key(name))[0].to_string();
    let writes = "created Deployment.apps ns/web, patched Pod";
    assert_eq!(line("ns/a"), format!("pass 1: requested → {writes} ns/a (status) → Ready"));
    assert_eq!(line("ns/gone"), format!("pass 1: requested → {writes} ns/gone (status) → gone"));

    let pages = crate::admin::PassHistories::new();
    pages.add(GroupKind::new("example.com", "Widget"), history);
    let page = pages.text("widget.example.com", &key("ns/a")).unwrap();
    assert!(page.starts_with("Widget.example.com ns/a, controller widgets\npass 1: requested → "), "{page}");
    let page: serde_json::Value = serde_json::from_str(&pages.json("Widget", &key("ns/a")).unwrap()).unwrap();
    assert_eq!(page["controllers"][0]["passes"][0]["writes"][1]["subresource"], "status");
    let missing = pages.text("Gadget", &key("ns/a")).unwrap_err().to_string();
    assert_eq!(missing, "no controller has the kind \"Gadget\"; there are: Widget.example.com");
    assert!(pages.text("Widget", &key("ns/b")).is_err());
}

/// A layer that records which spans follow from which, by their ids.
#[derive(Clone, Default)]
struct Followers(Arc<Mutex<Vec<(u64, u64)>>>);

impl<S: tracing::Subscriber> Layer<S> for Followers {
    fn on_follows_from(&self, span: &Id, follows: &Id, _: LayerContext<'_, S>) {
        self.0.lock().push((span.into_u64(), follows.into_u64()));
    }
}

// WHY-7
#[tokio::test(start_paused = true)]
async fn a_span_follows_from_that_of_the_pass_before() {
    let followers = Followers::default();
    let _guard = subscribe(tracing_subscriber::registry().with(followers.clone()));
    let scene = Scene::start(|_, _| done(), |controller| controller);
    for at in [1000, 2000, 3000] {
        scene.enqueue.now(key("a"));
        scene.enqueue.now(key(&format!("other-{at}")));
        scene.at(at).await;
    }
    let spans: Vec<u64> = scene.history.of(&key("a")).iter().map(|pass| pass.span.unwrap().get()).collect();
    assert_eq!(*followers.0.lock(), [(spans[1], spans[0]), (spans[2], spans[1])]);
}

// WHY-7, WHY-2
#[tokio::test(start_paused = true)]
async fn the_log_line_at_the_end_of_a_pass_names_the_cause_of_the_pass() {
    let (log, _guard) = crate::testing::CapturedLog::start();
    let pass = |_, _| -> Pass { Box::pin(async { Failure::terminal("Broken", "broken").into() }) };
    let scene = Scene::start(pass, |controller| controller);
    scene.because("a", Lane::Fast, changed("ns/x", false));
    scene.at(1000).await;
    assert!(log.text().contains("why=ConfigMap ns/x changed"), "{}", log.text());
}

// WHY-5
#[test]
fn the_keys_of_a_first_list_take_no_memory_for_their_causes() {
    let mut waiting = WaitingKeys::default();
    for number in 0..100_000 {
        waiting.add(Key::new("ns", format!("object-{number}")), Lane::Slow, QueuedBy::FirstList, Moment::START);
    }
    assert_eq!(waiting.known_causes(), 0);
    let timer = |_: &Key| unreachable!();
    let popped: Vec<String> =
        (0..3).filter_map(|_| waiting.pop(Moment::START, timer)).map(|taken| taken.causes.to_string()).collect();
    assert_eq!(popped, ["first list"; 3]);
}

// WHY-5
#[test]
fn causes_go_with_their_keys() {
    let mut waiting = WaitingKeys::default();
    let timer = |_: &Key| unreachable!();
    waiting.add(key("a"), Lane::Fast, QueuedBy::Requested, Moment::START);
    waiting.add_after(key("b"), Delay::secs::<1>(), Lane::Fast, Moment::START, QueuedBy::Requested);
    assert_eq!(waiting.known_causes(), 2);
    waiting.pop(Moment::START, timer).unwrap();
    waiting.forget(&key("b"));
    assert_eq!(waiting.known_causes(), 0);
    waiting.add(key("c"), Lane::Fast, QueuedBy::Requested, Moment::START);
    waiting.drain(Drain::FinishInFlight);
    waiting.add(key("d"), Lane::Fast, QueuedBy::Requested, Moment::START);
    assert_eq!(waiting.known_causes(), 0);
}

// RUN-3, RUN-4
#[tokio::test(start_paused = true)]
async fn the_line_at_the_end_of_a_pass_has_its_trace_and_the_level_of_its_outcome() {
    let (log, _guard) = crate::testing::CapturedLog::at(tracing::Level::DEBUG);
    let pass = |_, number| -> Pass {
        Box::pin(async move {
            match number {
                1 | 2 => Wait::after(Delay::secs::<1>(), "Draining").into(),
                3 => Failure::backoff("no route").context("call the neighbour").into(),
                _ => Ok(()),
            }
        })
    };
    let scene = Scene::start(pass, |controller| controller);
    scene.enqueue.now(key("a"));
    scene.at(60_000).await;
    let text = log.text();
    let lines: Vec<&str> = text.lines().filter(|line| line.contains("pass ended") || line.contains("pass failed")).collect();
    let levels: Vec<&str> = lines.iter().map(|line| line.split_whitespace().nth(1).unwrap()).collect();
    assert_eq!(levels, ["INFO", "DEBUG", "ERROR", "DEBUG"], "{text}");
    assert!(lines[2].contains("call the neighbour: no route") && lines[2].contains("attempt=1"), "{}", lines[2]);
    for (line, pass) in lines.iter().zip(scene.history.of(&key("a"))) {
        assert!(pass.trace.len() == 32 && pass.trace.bytes().all(|digit| digit.is_ascii_hexdigit()), "{}", pass.trace);
        for field in [format!("trace={}", pass.trace), "key=a".to_owned(), "controller=".to_owned(), "duration=".to_owned()] {
            assert!(line.contains(&field), "{field} in {line}");
        }
    }
}
