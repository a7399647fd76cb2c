//! Tests of the operator as a part of its process: what it starts and logs, and how it ends.

use std::net::{SocketAddr, TcpListener, TcpStream};

use tokio_util::sync::CancellationToken;
use tracing::Level;

use super::*;
use crate::background::TaskExt as _;
use crate::task::Tasks;
use crate::testing::{CapturedLog, slow_client_of};

/// A part with a controller that a test can change, and optionally with a task that takes a while to end.
struct Changed {
    name: &'static str,
    change: fn(Runner) -> Runner,
    task: Option<Arc<AtomicBool>>,
}

impl Changed {
    fn new(name: &'static str, change: fn(Runner) -> Runner) -> Self {
        Self { name, change, task: None }
    }
}

#[async_trait]
impl Registration for Changed {
    fn name(&self) -> &str {
        self.name
    }

    fn declare(&self, _: &mut Declarations) {}

    async fn construct(self: Box<Self>, context: OperatorContext) -> Result<Box<dyn ConstructedPart>, BoxError> {
        if let Some(has_ended) = self.task {
            let stopping = context.tasks.stopping();
            let task = async move {
                stopping.cancelled().await;
                tokio::time::sleep(Duration::from_millis(300)).await;
                has_ended.store(true, Ordering::Relaxed);
            };
            context.tasks.spawn("slow to end", task).detach();
        }
        let runner = context.controller(self.name, Arc::new(Noting(Arc::default())));
        Ok(Box::new(Ready((self.change)(runner))))
    }
}

// RUN-6, OPR-6
#[tokio::test(start_paused = true)]
async fn a_controller_that_cannot_run_stops_the_operator_with_an_error() {
    let broken = |runner: Runner| runner.keys(|| panic!("the keys are lost")).resync(Some(Duration::from_secs(5)));
    let whole = ControllerPart::new("whole");
    let operator = operator(vec![whole]).register(Box::new(Changed::new("broken", broken)));
    let running = operator.start(World::default().client()).unwrap();
    running.working().await.unwrap();
    let error = running.wait().await.unwrap_err();
    assert_eq!((error.exit_code(), error.responsible()), (1, Responsible::Bug));
    let text = error.to_string();
    assert!(text.contains("controller broken") && text.contains("the keys are lost"), "{text}");
    assert_eq!(*running.phase().borrow(), OperatorPhase::Stopped, "the other controllers have ended, too");
}

// SHT-4
#[tokio::test(start_paused = true)]
async fn a_failed_start_waits_for_the_end_of_running_tasks() {
    let has_ended = Arc::new(AtomicBool::new(false));
    let first = Changed { task: Some(Arc::clone(&has_ended)), ..Changed::new("first", |runner| runner) };
    let failing = ControllerPart { fails: true, ..ControllerPart::new("second") };
    let operator = operator(vec![]).register(Box::new(first)).register(Box::new(failing));
    let error = operator.start(World::default().client()).unwrap().wait().await.unwrap_err();
    assert_eq!(error.to_string(), "start controller second: no licence");
    assert!(has_ended.load(Ordering::Relaxed));
}

// OPR-1: no task runs before the start; this test has no runtime that could run one.
#[test]
fn an_operator_that_is_never_started_spawns_nothing() {
    let operator = operator(vec![ControllerPart::new("widget")]).ready_check("x", || Ok(()));
    assert_eq!(operator.declarations().kinds().count(), 1);
    drop(operator);
}

// OPR-2
#[tokio::test(start_paused = true)]
async fn several_operators_run_in_one_process() {
    let parts = [ControllerPart::new("widget"), ControllerPart::new("widget")];
    let seen: Vec<_> = parts.iter().map(|part| Arc::clone(&part.seen)).collect();
    let shutdowns = [CancellationToken::new(), CancellationToken::new()];
    let tasks = Tasks::new();
    let runs: Vec<_> = parts
        .into_iter()
        .zip(&shutdowns)
        .map(|(part, shutdown)| tasks.spawn("run", operator(vec![part]).run(World::default().client(), shutdown.clone())))
        .collect();
    tokio::time::sleep(Duration::from_secs(5)).await;
    assert!(seen.iter().all(|seen| *seen.lock() == ["a"]));
    let [first, second]: [_; 2] = runs.try_into().ok().unwrap();
    shutdowns[0].cancel();
    first.await.unwrap().unwrap();
    tokio::time::sleep(Duration::from_secs(60)).await;
    assert!(!shutdowns[1].is_cancelled(), "the end of one is not that of the other");
    shutdowns[1].cancel();
    second.await.unwrap().unwrap();
}

// PHA-6
#[tokio::test(start_paused = true)]
async fn the_controllers_and_watches_are_logged_once() {
    let (log, _guard) = CapturedLog::at(Level::INFO);
    let running =
        operator(vec![ControllerPart::new("widget"), ControllerPart::new("gadget")]).start(World::default().client()).unwrap();
    running.working().await.unwrap();
    tokio::time::sleep(Duration::from_mins(10)).await;
    running.stop().await.unwrap();
    let text = log.text();
    let lines: Vec<&str> = text.lines().filter(|line| line.contains("the operator works")).collect();
    let [line] = lines[..] else { panic!("{text}") };
    assert!(line.contains(" INFO ") && line.contains("controllers=\"gadget, widget\"") && line.contains("watches=0"), "{line}");
}

// PHA-1
#[tokio::test]
async fn an_address_in_use_is_an_error_of_the_start() {
    let taken = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = taken.local_addr().unwrap();
    let operator = operator(vec![]).options(|options| options.admin = Some(address));
    let error = operator.start(World::default().client()).unwrap().wait().await.unwrap_err();
    let text = error.to_string();
    assert!(text.contains(&address.to_string()), "{text}");
    assert_eq!(error.exit_code(), 1);
}

// PHA-3, 15
#[test]
fn a_phase_of_the_start_may_take_five_minutes_by_default() {
    assert_eq!(OperatorOptions::default().startup_timeout, Some(Duration::from_mins(5)));
}

// SHT-2
#[tokio::test(start_paused = true)]
async fn the_admin_server_listens_until_the_last_events_have_been_sent() {
    let (log, _guard) = CapturedLog::at(Level::INFO);
    let (world, sent) = (World::default(), Arc::new(AtomicUsize::new(0)));
    let count = Arc::clone(&sent);
    let client = slow_client_of(Duration::from_secs(3), move |call| {
        if call.path.ends_with("/events") {
            count.fetch_add(1, Ordering::Relaxed);
            return (201, call.body);
        }
        world.answer(&call)
    });
    let told_late = |recorder: Recorder| {
        move |stop: CancellationToken| {
            let recorder = recorder.clone();
            async move {
                stop.cancelled().await;
                let widget = ObjectReference::of(&json!({"kind": "Widget", "metadata": {"name": "a"}}));
                recorder.record(&widget, Event::normal("Stopped", "it stopped"));
                Ok::<_, BoxError>(())
            }
        }
    };
    let operator = operator(vec![]).options(|options| options.admin = Some("127.0.0.1:0".parse().unwrap()));
    let running = Operator::from(operator.task("late", told_late)).start(client).unwrap();
    running.working().await.unwrap();
    let text = log.text();
    let port = text.split("the admin server listens address=").nth(1).and_then(|rest| rest.split_whitespace().next());
    let address: SocketAddr = port.unwrap().parse().unwrap();
    let while_sending = async {
        tokio::time::sleep(Duration::from_secs(2)).await;
        assert_eq!(
            (sent.load(Ordering::Relaxed), *running.phase().borrow()),
            (1, OperatorPhase::Draining),
            "the answer takes 3 s"
        );
        assert!(TcpStream::connect(address).is_ok(), "it listens");
    };
    let (ended, ()) = tokio::join!(running.stop(), while_sending);
    ended.unwrap();
    assert!(TcpStream::connect(address).is_err(), "it has ended, too");
}
