//! Tests of the background tasks of an operator.

use tracing::Level;

use super::*;
use crate::background::{BackgroundTask, CancellationToken, TaskExt as _};
use crate::inject::State;
use crate::testing::CapturedLog;

type Log = Arc<Mutex<Vec<String>>>;

/// A task that logs its steps, and ends this number of seconds after it is asked to.
struct Noting {
    log: Log,
    seconds: u64,
}

impl BackgroundTask for Noting {
    async fn run(&self, stop: CancellationToken) -> Result<(), BoxError> {
        self.log.lock().push("task runs".to_owned());
        stop.cancelled().await;
        tokio::time::sleep(Duration::from_secs(self.seconds)).await;
        self.log.lock().push("task ends".to_owned());
        Ok(())
    }
}

fn failing(error: &'static str) -> impl Fn(CancellationToken) -> futures::future::BoxFuture<'static, Result<(), BoxError>> {
    move |_| {
        Box::pin(async move {
            tokio::time::sleep(Duration::from_secs(3)).await;
            Err(error.into())
        })
    }
}

fn with_state(log: &Log) -> Operator {
    operator(vec![]).state(Arc::clone(log))
}

// OPR-8, SHT-2
#[tokio::test(start_paused = true)]
async fn an_operator_with_only_tasks_runs_them_until_it_is_stopped() {
    let log = Log::default();
    #[allow(clippy::unused_async)] // constructors may be async
    let construct = async |State(log): State<Log>| {
        log.lock().push("task is constructed".to_owned());
        Ok::<_, BoxError>(Noting { log, seconds: 2 })
    };
    let running = Operator::from(with_state(&log).task("sweeper", construct)).start(World::default().client()).unwrap();
    running.working().await.unwrap();
    tokio::time::sleep(Duration::from_hours(24)).await;
    assert_eq!(*running.phase().borrow(), OperatorPhase::Leading);
    assert_eq!(*log.lock(), ["task is constructed", "task runs"]);
    running.stop().await.unwrap();
    assert_eq!(log.lock().last().unwrap(), "task ends");
    assert!(running.stuck_tasks().is_empty());
}

// OPR-8
#[tokio::test(start_paused = true)]
async fn tasks_start_after_the_caches_of_all_parts_in_the_order_of_registration() {
    let log = Log::default();
    let task = |name: &'static str| {
        move |State(log): State<Log>| {
            log.lock().push(format!("{name} is constructed"));
            move |_: CancellationToken| {
                log.lock().push(format!("{name} runs"));
                async { Ok::<_, BoxError>(()) }
            }
        }
    };
    let part = Box::new(parts::Noted { name: "part", takes: [1, 5], log: Arc::clone(&log) });
    let operator = Operator::from(with_state(&log).task("one", task("one"))).register(part).task("two", task("two"));
    let running = Operator::from(operator).start(World::default().client()).unwrap();
    running.working().await.unwrap();
    running.stop().await.unwrap();
    let expected = [
        "one is constructed",
        "part begins",
        "part is constructed",
        "two is constructed",
        "part is synced",
        "part runs",
        "one runs",
        "two runs",
    ];
    assert_eq!(*log.lock(), expected);
}

// OPR-6, OPR-8
#[tokio::test(start_paused = true)]
async fn a_task_that_fails_stops_the_operator_and_is_named_with_its_error() {
    let with_task = operator(vec![ControllerPart::new("widget")]).task("sweeper", || failing("the bucket is gone"));
    let running = Operator::from(with_task).start(World::default().client()).unwrap();
    running.working().await.unwrap();
    let error = running.wait().await.unwrap_err();
    let OperatorError::BackgroundTask { name, source } = &*error else { panic!("{error}") };
    assert_eq!((name.as_str(), source.to_string().as_str()), ("sweeper", "the bucket is gone"));
    assert_eq!(error.to_string(), "run the background task \"sweeper\": the bucket is gone");
    assert_eq!((error.exit_code(), error.responsible()), (1, Responsible::Bug));
    assert!(std::error::Error::source(&*error).is_some());
    assert_eq!(*running.phase().borrow(), OperatorPhase::Stopped);
}

// OPR-8
#[tokio::test(start_paused = true)]
async fn a_task_that_panics_stops_the_operator_like_one_that_fails() {
    let panicking = || async |_: CancellationToken| -> Result<(), BoxError> { panic!("the index is off") };
    let running = Operator::from(operator(vec![]).task("sweeper", panicking)).start(World::default().client()).unwrap();
    let text = running.wait().await.unwrap_err().to_string();
    assert!(text.starts_with("run the background task \"sweeper\": ") && text.contains("the index is off"), "{text}");
}

// OPR-8
#[tokio::test(start_paused = true)]
async fn a_task_may_end_early() {
    let log = Log::default();
    let brief = || async |_: CancellationToken| Ok::<(), BoxError>(());
    let with_tasks = with_state(&log).task("brief", brief).task("long", |State(log): State<Log>| Noting { log, seconds: 0 });
    let running = Operator::from(with_tasks).start(World::default().client()).unwrap();
    running.working().await.unwrap();
    tokio::time::sleep(Duration::from_hours(1)).await;
    assert_eq!((*running.phase().borrow(), log.lock().len()), (OperatorPhase::Leading, 1));
    running.stop().await.unwrap();
}

// SHT-3, OPR-8
#[tokio::test(start_paused = true)]
async fn a_task_has_the_time_of_passes_to_end_and_is_dropped_then() {
    let log = Log::default();
    for (seconds, ends) in [(14, true), (600, false)] {
        log.lock().clear();
        let (told, _guard) = CapturedLog::start();
        let with_task = with_state(&log).task("sweeper", move |State(log): State<Log>| Noting { log, seconds });
        let running = Operator::from(with_task).start(World::default().client()).unwrap();
        running.working().await.unwrap();
        tokio::time::sleep(Duration::from_secs(1)).await;
        let before = tokio::time::Instant::now();
        running.stop().await.unwrap();
        let took = (tokio::time::Instant::now() - before).as_secs();
        assert!((14..=25).contains(&took), "{took}");
        assert_eq!(log.lock().contains(&"task ends".to_owned()), ends);
        assert_eq!(told.text().contains("the background task did not end when asked to; it was dropped"), !ends);
    }
}

// OPR-8
#[tokio::test(start_paused = true)]
async fn the_error_of_a_task_that_was_stopped_is_only_logged() {
    let (told, _guard) = CapturedLog::start();
    let cancelled = || {
        async |stop: CancellationToken| {
            stop.cancelled().await;
            Err::<(), _>(std::io::Error::other("it was cancelled"))
        }
    };
    let running = Operator::from(operator(vec![]).task("sweeper", cancelled)).start(World::default().client()).unwrap();
    running.working().await.unwrap();
    tokio::time::sleep(Duration::from_secs(1)).await;
    running.stop().await.unwrap();
    assert!(told.text().contains("task=\"sweeper\" error=it was cancelled"), "{}", told.text());
}

// OPR-3, OPR-4
#[test]
fn invalid_task_names_are_reported_together_with_all_other_problems() {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
    let _inside = runtime.enter();
    let task = || async |_: CancellationToken| Ok::<(), BoxError>(());
    let widget = ControllerPart { full_name: Some("widget.full"), ..ControllerPart::new("widget") };
    let wrong = operator(vec![widget, ControllerPart::new("gadget")])
        .task("Not A Name", task)
        .task("widget", task)
        .task("sweeper", |_: State<u8>| async |_: CancellationToken| Ok::<(), BoxError>(()))
        .task("sweeper", task);
    let error = Operator::from(wrong).start(World::default().client()).unwrap_err();
    let OperatorError::Invalid(problems) = &error else { panic!("{error}") };
    assert_eq!(
        *problems,
        [
            "the name of the task \"Not A Name\" must be a DNS subdomain",
            "a controller and a task have the name \"widget\"; names of controllers and tasks are unique",
            "two tasks have the name \"sweeper\"; names of controllers and tasks are unique",
            "a constructor asks for State<u8>, which is not registered; add `.state(…)` with such a value",
        ]
    );
}

// PHA-4
#[tokio::test(start_paused = true)]
async fn the_error_of_the_constructor_of_a_task_names_the_task() {
    let refuse = || Err::<fn(CancellationToken) -> std::future::Ready<Result<(), BoxError>>, _>(BoxError::from("no licence"));
    let running = Operator::from(operator(vec![]).task("sweeper", refuse)).start(World::default().client()).unwrap();
    assert_eq!(running.wait().await.unwrap_err().to_string(), "start task sweeper: no licence");
}

// 2.2
#[tokio::test(start_paused = true)]
async fn tasks_are_left_out_by_name_like_controllers() {
    let (told, _guard) = CapturedLog::at(Level::INFO);
    let log = Log::default();
    let without = |name: &str| {
        let name = name.to_owned();
        let with_task = with_state(&log).task("sweeper", |State(log): State<Log>| Noting { log, seconds: 0 });
        Operator::from(with_task).options(|options| options.disabled_controllers = vec![name])
    };
    let running = without("sweeper").start(World::default().client()).unwrap();
    running.working().await.unwrap();
    running.stop().await.unwrap();
    assert!(log.lock().is_empty());
    assert!(told.text().contains("the task is disabled name=\"sweeper\""), "{}", told.text());
    let error = without("sleeper").start(World::default().client()).unwrap_err();
    assert!(error.to_string().ends_with("it does not exist; existing: sweeper"), "{error}");
}

// OPR-8, INJ-3
#[test]
fn rules_and_kinds_needed_by_the_constructor_of_a_task_are_declared() {
    struct Asks;

    impl crate::inject::FromOperator for Asks {
        fn declare(declarations: &mut Declarations) {
            declarations.rule(Rule::new("demo.example.com", "widgets", &["list"]));
            declarations.kind(GroupVersionKind::new("demo.example.com", "v1", "Widget"));
        }

        fn extract(_: &OperatorContext) -> Result<Self, BoxError> {
            Ok(Self)
        }
    }

    let with_task = operator(vec![]).task("sweeper", |_: Asks| async |_: CancellationToken| Ok::<(), BoxError>(()));
    let declarations = Operator::from(with_task).declarations();
    assert!(declarations.rules().iter().any(|rule| rule.resource == "widgets"));
    assert_eq!(declarations.kinds().count(), 1);
}
