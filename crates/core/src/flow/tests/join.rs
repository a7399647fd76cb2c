use std::time::Duration;

use proptest::prelude::*;

use super::classify::status;
use super::conclude::{fresh, run};
use crate::flow::*;

const S1: Delay = Delay::secs::<1>();
const S7: Delay = Delay::secs::<7>();

fn wait(delay: Delay) -> Flow {
    Wait::after(delay, "W").into()
}

fn terminal() -> Flow {
    Failure::terminal("T", "never").into()
}

fn blocked() -> Flow {
    Blocked::new("B", "do something").into()
}

fn backoff() -> Flow {
    Failure::backoff("again").into()
}

fn conflict() -> Flow {
    Err(status(409, "Conflict").into())
}

fn joined(branches: Vec<Flow>) -> Flow {
    join(branches.into_iter().enumerate().map(|(index, flow)| (format!("b{index}"), flow))).map(|_| ())
}

fn shown(branches: Vec<Flow>) -> String {
    let flow = joined(branches);
    let schedule = run(&flow, &mut fresh()).schedule;
    let report = match &flow {
        Ok(()) => "Ok".to_owned(),
        Err(halt) => format!("{:?} {}", halt.kind(), halt.reason().map(|reason| reason.to_string()).unwrap_or_default()),
    };
    match schedule {
        Schedule::OnEvent => format!("{report}, on event"),
        Schedule::After(delay) => format!("{report}, after {delay}"),
    }
}

// JOIN-01 to JOIN-07, JOIN-09
#[test]
fn the_rows_of_the_table() {
    assert_eq!(shown(vec![wait(S1), backoff(), terminal()]), "Failed InternalError, after 5ms");
    assert_eq!(shown(vec![terminal(), Failure::after(S7, "x").into(), wait(S1)]), "Failed T, after 1s");
    assert_eq!(shown(vec![Ok(()), terminal(), terminal()]), "Failed T, on event");
    assert_eq!(shown(vec![wait(S7), terminal(), wait(S1)]), "Failed T, after 1s");
    assert_eq!(shown(vec![wait(S7), blocked()]), "Blocked B, after 7s");
    assert_eq!(shown(vec![blocked(), Ok(())]), "Blocked B, on event");
    assert_eq!(shown(vec![wait(S7), wait(S1)]), "Wait W, after 1s");
    assert_eq!(shown(vec![Ok(()), Err(Halt::Done)]), "Ok, on event");
    assert_eq!(shown(vec![blocked(), terminal()]), "Failed T, on event");
}

#[test]
fn joined_values_keep_their_positions() {
    let values = join([("a", Ok(1)), ("b", Err(Halt::Done)), ("c", Ok(3))]).unwrap();
    assert_eq!(values, Joined(vec![Some(1), None, Some(3)]));
}

// JOIN-11, BR-4, BR-5
#[test]
fn messages_name_the_branches() {
    let text = |branches| joined(branches).unwrap_err().text();
    assert_eq!(text(vec![Ok(()), backoff()]), "b1: again");
    assert_eq!(text(vec![conflict(), backoff()]), "2 failures:\nb1: again\nb0: the server said Conflict");
    assert_eq!(text(vec![blocked(), terminal()]), "2 failures:\nb1: never\nb0: do something");
    assert_eq!(text(vec![blocked(), backoff()]), "b1: again");
    assert_eq!(text(vec![blocked(), blocked()]), "2 blocked:\nb0: do something\nb1: do something");
    assert_eq!(text(vec![wait(S1), wait(S1), wait(S1)]), "waiting (and 2 more)");
}

// BR-4
#[test]
fn a_join_is_quiet_only_when_all_its_failures_are() {
    assert_eq!(run(&joined(vec![conflict(), wait(S7), conflict()]), &mut fresh()).report.outcome, ResultLabel::Conflict);
    assert_eq!(run(&joined(vec![conflict(), backoff()]), &mut fresh()).report.outcome, ResultLabel::Error);
}

// RTY-24, ERR-9
#[test]
fn unclassified_failures_stay_so_only_among_themselves() {
    let plain = || Flow::from(Failure::msg("who knows"));
    let recognised = |flow: &Flow| flow.failure().map(|failure| failure.classification().recognised);
    assert_eq!(recognised(&joined(vec![plain(), plain(), wait(S1)])), Some(false));
    let mixed = joined(vec![plain(), terminal()]);
    assert_eq!((recognised(&mixed), mixed.failure().unwrap().class()), (Some(true), Class::Backoff));
}

#[derive(Clone, Debug)]
enum Kind {
    Ok,
    Done,
    Timer(u64),
    Growing,
    Limited(u64),
    Blocked,
    Backoff,
    After(u64),
    Terminal,
    Conflict,
    Plain,
}

fn kinds() -> impl Strategy<Value = Vec<Kind>> {
    let seconds = 1..50_u64;
    prop::collection::vec(
        prop_oneof![
            Just(Kind::Ok),
            Just(Kind::Done),
            seconds.clone().prop_map(Kind::Timer),
            Just(Kind::Growing),
            seconds.clone().prop_map(Kind::Limited),
            Just(Kind::Blocked),
            Just(Kind::Backoff),
            seconds.prop_map(Kind::After),
            Just(Kind::Terminal),
            Just(Kind::Conflict),
            Just(Kind::Plain),
        ],
        1..7,
    )
}

fn flow((index, kind): (usize, &Kind)) -> Flow {
    let delay = |seconds: u64| Delay::try_from(Duration::from_secs(seconds)).unwrap();
    let word = format!("R{index}");
    match kind {
        Kind::Ok => Ok(()),
        Kind::Done => Err(Halt::Done),
        Kind::Timer(seconds) => Wait::after(delay(*seconds), word).into(),
        Kind::Growing => Wait::growing(word).into(),
        Kind::Limited(seconds) => Wait::for_event(word).deadline(delay(*seconds)).into(),
        Kind::Blocked => Blocked::new(word, "text").into(),
        Kind::Backoff => Failure::backoff("text").reason(word).into(),
        Kind::After(seconds) => Failure::after(delay(*seconds), "text").reason(word).into(),
        Kind::Terminal => Failure::terminal(word, "text").into(),
        Kind::Conflict => conflict(),
        Kind::Plain => Failure::msg("text").reason(word).into(),
    }
}

fn seen(flow: &Flow) -> (Schedule, Option<HaltKind>, Option<Reason>, ResultLabel, Option<Delay>) {
    let conclusion = run(flow, &mut fresh());
    let halt = flow.as_ref().err();
    let deadline = halt.and_then(Halt::pending_deadline).map(|pending| pending.deadline);
    (conclusion.schedule, halt.map(Halt::kind), halt.and_then(Halt::reason), conclusion.report.outcome, deadline)
}

proptest! {
    // JOIN-10, BR-2, BR-3
    #[test]
    fn grouping_changes_nothing_and_order_not_the_schedule(kinds in kinds(), split: prop::sample::Index, turn: prop::sample::Index) {
        let flows = || -> Vec<Flow> { kinds.iter().enumerate().map(flow).collect() };
        let flat = joined(flows());
        let mut left = flows();
        let right = left.split_off(split.index(kinds.len()));
        let grouped = joined(vec![joined(left), joined(right)]);
        prop_assert_eq!(seen(&flat), seen(&grouped));

        let mut turned = flows();
        turned.rotate_left(turn.index(kinds.len()));
        prop_assert_eq!(seen(&flat).0, seen(&joined(turned)).0);
    }
}
