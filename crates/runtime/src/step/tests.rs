#![allow(clippy::unused_async)] // the functions of steps are async

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use kubewright_core::flow::{Blocked, Delay, Failure, Flow, Halt, HaltKind, Wait};
use tracing::Level;

use super::*;
use crate::step;
use crate::testing::CapturedLog;

/// The context of these tests' steps: it records them and controls their outcomes.
#[derive(Default)]
struct Work {
    done: Vec<&'static str>,
    stopped: bool,
    paused: bool,
    halt: Option<MakeHalt>,
}

type MakeHalt = fn() -> Halt;

macro_rules! steps {
    ($($type:ident $name:literal),* $(,)?) => {$(
        struct $type;

        impl Step<Work> for $type {
            const NAME: &'static str = $name;

            async fn run(&self, work: &mut Work) -> Flow {
                work.done.push($name);
                Ok(())
            }
        }
    )*};
}

steps!(Observe "observe", Validate "validate", Claim "claim", Deploy "deployment", Grow "volume-size", Report "report");

async fn halting(work: &mut Work) -> Flow {
    work.done.push("rollout");
    work.halt.map_or(Ok(()), |halt| Err(halt()))
}

fn pipeline() -> Pipeline<Work> {
    Pipeline::new("apply")
        .group("observe", |group| group.check(Observe).check(Validate))
        .group("workload", |group| {
            group
                .write(Claim)
                .write(Deploy)
                .wait(step!("rollout", halting))
                .wait(Grow)
                .skip_if_stopped(|work: &Work| work.stopped)
        })
        .group("report", |group| group.check(Report))
        .when("not stopped at all", |work| !work.stopped)
        .pause_when(|work| work.paused)
}

fn told(run: &PipelineRun) -> Vec<String> {
    run.steps.iter().map(|record| format!("{} {}", record.step, record.outcome.as_str())).collect()
}

// STEP-1, STEP-2, STEP-3
#[tokio::test]
async fn all_steps_run_in_their_declared_order() {
    let mut work = Work::default();
    let run = pipeline().run_recorded(&mut work).await;
    assert!(run.outcome.is_ok());
    assert_eq!(work.done, ["observe", "validate", "claim", "deployment", "rollout", "volume-size", "report"]);
    assert_eq!(told(&run).last().map(String::as_str), Some("report ok"));
}

// FPIPE-01, STEP-2, STEP-10
#[tokio::test]
async fn each_halt_stops_the_pipeline_and_names_its_step() {
    let table: [(MakeHalt, HaltKind, &str, &str); 4] = [
        (|| Halt::Done, HaltKind::Done, "", "done"),
        (|| Wait::for_event("Pending").message("no pod").into(), HaltKind::Wait, "step rollout: no pod", "wait"),
        (|| Blocked::new("Stuck", "push").into(), HaltKind::Blocked, "step rollout: push", "blocked"),
        (|| Failure::backoff("broken").into(), HaltKind::Failed, "step rollout: broken", "failed"),
    ];
    for (halt, kind, text, word) in table {
        let mut work = Work { halt: Some(halt), ..Work::default() };
        let run = pipeline().run_recorded(&mut work).await;
        let halt = run.outcome.as_ref().unwrap_err();
        assert_eq!((halt.kind(), halt.text().as_str()), (kind, text));
        assert_eq!(work.done, ["observe", "validate", "claim", "deployment", "rollout"]);
        assert_eq!(told(&run).last(), Some(&format!("rollout {word}")));
    }
}

// STEP-2, STEP-10
#[tokio::test]
async fn a_halt_keeps_everything_but_its_message() {
    let halt = || Wait::after(Delay::secs::<7>(), "Pending").deadline(Delay::minutes::<1>()).into();
    let mut work = Work { halt: Some(halt), ..Work::default() };
    let found = pipeline().run(&mut work).await.unwrap_err();
    assert_eq!(found.summary(), halt().summary());
    assert_eq!(found.pending_deadline().map(|pending| pending.deadline), Some(Delay::minutes::<1>()));
}

// FPIPE-08, STEP-7
#[tokio::test]
async fn guards_skip_steps_and_groups_and_that_is_recorded() {
    let mut work = Work { stopped: true, ..Work::default() };
    let run = pipeline().run_recorded(&mut work).await;
    assert!(run.outcome.is_ok());
    assert_eq!(
        told(&run),
        ["observe ok", "validate ok", "claim ok", "deployment ok", "rollout ok", "volume-size skipped", "report skipped"]
    );
    assert_eq!(work.done, ["observe", "validate", "claim", "deployment", "rollout"]);
}

// STEP-7
#[tokio::test]
async fn a_guard_sees_the_steps_before_it() {
    let pipeline = Pipeline::new("apply")
        .group("decide", |group| group.check(Observe))
        .group("act", |group| {
            group.write(Deploy).when("not deployed", |work: &Work| !work.done.contains(&"deployment")).write(Claim)
        })
        .when("observed", |work| work.done.contains(&"observe"));
    let mut work = Work::default();
    assert!(pipeline.run(&mut work).await.is_ok());
    assert!(pipeline.run(&mut work).await.is_ok());
    assert_eq!(work.done, ["observe", "deployment", "claim", "observe", "claim"]);
}

// FPIPE-05, STEP-8
#[tokio::test]
async fn a_paused_pipeline_runs_the_checks_before_the_first_write() {
    let mut work = Work { paused: true, ..Work::default() };
    let run = pipeline().run_recorded(&mut work).await;
    assert_eq!(work.done, ["observe", "validate"]);
    let halt = run.outcome.unwrap_err();
    assert_eq!((halt.kind(), halt.reason().unwrap().as_str()), (HaltKind::Wait, "Paused"));
    assert_eq!(halt.text(), "the object is paused");
}

// STEP-8
#[tokio::test]
async fn a_paused_pipeline_does_not_wait_before_its_first_write() {
    let waits = |pipeline: Pipeline<Work>| {
        pipeline.group("settle", |group| group.check(Observe).wait(step!("rollout", halting))).pause_when(|work| work.paused)
    };
    let halt: MakeHalt = || Wait::for_event("Pending").into();
    let mut work = Work { paused: true, halt: Some(halt), ..Work::default() };
    let reading = waits(Pipeline::new("apply"));
    let run = reading.run_recorded(&mut work).await;
    assert_eq!(told(&run), ["observe ok", "rollout skipped"]);
    assert_eq!(run.outcome.unwrap_err().reason().unwrap().as_str(), "Paused", "a pipeline without writes pauses at its end");
    assert_eq!(reading.order(), ["observe", "rollout", "pause"]);
}

// FPIPE-04, STEP-1, STEP-8
#[test]
fn the_order_shows_where_a_pipeline_pauses() {
    let expected = ["observe", "validate", "pause", "claim", "deployment", "rollout", "volume-size", "report"];
    assert_eq!(pipeline().order(), expected);
    let shown = format!("{:?}", pipeline());
    assert!(shown.starts_with("Pipeline { name: \"apply\", order: [\"observe\", "), "{shown}");
}

fn nested() -> Pipeline<Work> {
    let volume = Pipeline::new("volume").group("grow", |group| group.write(Grow).wait(step!("rollout", halting)));
    Pipeline::new("apply")
        .group("decide", |group| group.check(Validate))
        .group("resources", |group| group.write(volume).when("running", |work: &Work| !work.stopped).write(Deploy))
        .pause_when(|work| work.paused)
}

// STEP-1, STEP-10
#[tokio::test]
async fn a_pipeline_is_a_step_of_another_one() {
    assert_eq!(nested().order(), ["validate", "pause", "volume/volume-size", "volume/rollout", "deployment"]);
    let mut work = Work::default();
    assert!(nested().run(&mut work).await.is_ok());
    assert_eq!(work.done, ["validate", "volume-size", "rollout", "deployment"]);

    let halt: MakeHalt = || Wait::for_event("Pending").into();
    let mut work = Work { halt: Some(halt), ..Work::default() };
    let halt = nested().run(&mut work).await.unwrap_err();
    assert_eq!(halt.text(), "step volume/rollout: waiting for an event");

    let run = nested().run_recorded(&mut Work { stopped: true, ..Work::default() }).await;
    assert_eq!(told(&run), ["validate ok", "volume/volume-size skipped", "volume/rollout skipped", "deployment ok"]);
}

// STEP-8
#[tokio::test]
async fn a_pipeline_with_writes_pauses_wherever_it_stands() {
    let writes = Pipeline::new("volume").group("grow", |group| group.write(Grow));
    let outer = Pipeline::new("apply")
        .group("decide", |group| group.check(Validate).check(writes).check(Observe))
        .pause_when(|work: &Work| work.paused);
    assert_eq!(outer.order(), ["validate", "pause", "volume/volume-size", "observe"]);
    let mut work = Work { paused: true, ..Work::default() };
    assert!(outer.run(&mut work).await.is_err());
    assert_eq!(work.done, ["validate"]);
}

// FPIPE-03, STEP-10
#[tokio::test]
async fn each_step_has_a_span_with_its_outcome() {
    async fn tell(work: &mut Work) -> Flow {
        tracing::info!("it tells");
        work.done.push("tell");
        Wait::for_event("Pending").into()
    }
    let (log, _guard) = CapturedLog::at(Level::DEBUG);
    let inner = Pipeline::new("volume").group("grow", |group| group.write(step!("tell", tell)));
    let outer = Pipeline::new("apply")
        .group("decide", |group| group.check(Validate).when("never", |_: &Work| false))
        .group("resources", |group| group.write(inner));
    assert!(outer.run(&mut Work::default()).await.is_err());
    let text = log.text();
    assert!(text.contains(r#"step{pipeline="apply" group="decide" step="validate" outcome="skipped"}"#), "{text}");
    assert!(text.contains(r#"step{pipeline="apply" group="grow" step="volume/tell"}: "#), "{text}");
    assert!(text.contains(r#"step="volume/tell" outcome="wait"}"#), "{text}");
}

/// A context with a borrow, like [`Pass`].
struct Borrowing<'a>(&'a mut Vec<&'static str>);

// STEP-1
#[tokio::test]
async fn a_step_context_can_borrow_data_of_the_pass() {
    async fn function(cx: &mut Borrowing<'_>) -> Flow {
        cx.0.push("function");
        Ok(())
    }
    struct Typed;
    impl Step<Borrowing<'_>> for Typed {
        const NAME: &'static str = "typed";

        async fn run(&self, cx: &mut Borrowing<'_>) -> Flow {
            cx.0.push("typed");
            Ok(())
        }
    }
    let mut done = Vec::new();
    let pipeline = || {
        Pipeline::new("apply").group("all", |group| {
            group.check(Typed).check(step!("function", function)).check(step!("closure", async |cx: &mut Borrowing<'_>| {
                cx.0.push("closure");
                Ok(())
            }))
        })
    };
    assert!(pipeline().run(&mut Borrowing(&mut done)).await.is_ok());
    assert_eq!(done, ["typed", "function", "closure"]);
}

// BR-1; flow-and-contract.md, 6
#[tokio::test(start_paused = true)]
async fn branches_run_beside_each_other_within_the_limit() {
    let (running, most) = (Arc::new(AtomicUsize::new(0)), Arc::new(AtomicUsize::new(0)));
    let branch = |index: u64| {
        let (running, most) = (Arc::clone(&running), Arc::clone(&most));
        async move {
            most.fetch_max(running.fetch_add(1, Ordering::SeqCst) + 1, Ordering::SeqCst);
            // The first branch ends last.
            tokio::time::sleep(Duration::from_secs(10 - index)).await;
            running.fetch_sub(1, Ordering::SeqCst);
            Ok::<u64, Halt>(index)
        }
    };
    let joined = join_all(3, (0..8).map(|index| (index.to_string(), branch(index)))).await.unwrap();
    assert_eq!(joined.0, (0..8).map(Some).collect::<Vec<_>>());
    assert_eq!(most.load(Ordering::SeqCst), 3);
}

// BR-1, BR-2, BR-5
#[tokio::test(start_paused = true)]
async fn a_halting_branch_stops_no_other_and_the_report_follows_the_declared_order() {
    let ended = Arc::new(AtomicUsize::new(0));
    let branch = |index: u64| {
        let ended = Arc::clone(&ended);
        async move {
            tokio::time::sleep(Duration::from_secs(10 - index)).await;
            ended.fetch_add(1, Ordering::SeqCst);
            if index == 2 { Ok(()) } else { Failure::backoff(format!("broken {index}")).into() }
        }
    };
    let halt = join_all(0, (0..3).map(|index| (format!("branch {index}"), branch(index)))).await.unwrap_err();
    assert_eq!(halt.text(), "2 failures:\nbranch 0: broken 0\nbranch 1: broken 1");
    assert_eq!(ended.load(Ordering::SeqCst), 3);
}
