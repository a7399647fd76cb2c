//! Traits that the types of outcomes implement, and traits that they do not implement on purpose.

use std::error::Error;
use std::io;

use crate::flow::*;
use crate::reason;

/// Evaluates to true if a type implements a trait: the constant of the type takes precedence over that of the trait if its bounds hold.
macro_rules! implements {
    ($type:ty: $($bound:tt)+) => {{
        #[allow(dead_code)]
        trait Otherwise {
            const HOLDS: bool = false;
        }
        impl<T> Otherwise for T {}
        #[allow(dead_code)]
        struct Probe<T>(std::marker::PhantomData<T>);
        #[allow(dead_code)]
        impl<T: $($bound)+> Probe<T> {
            const HOLDS: bool = true;
        }
        <Probe<$type>>::HOLDS
    }};
}

// HALT-2
#[test]
fn outcomes_have_no_default() {
    assert!(implements!(Flow<u8>: std::fmt::Debug) && implements!(u8: Default));
    assert!(!implements!(Flow: Default));
    assert!(!implements!(Halt: Default));
    assert!(!implements!(Wait: Default));
    assert!(!implements!(Blocked: Default));
    assert!(!implements!(Failure: Default));
    assert!(!implements!(Delay: Default));
}

// HALT-6
#[test]
fn outcomes_are_no_errors_and_their_summaries_can_be_compared() {
    assert!(implements!(io::Error: Error) && implements!(u8: PartialEq));
    assert!(!implements!(Halt: Error));
    assert!(!implements!(Wait: Error));
    assert!(!implements!(Blocked: Error));
    assert!(!implements!(Failure: Error));
    assert!(!implements!(Halt: PartialEq));
    let summary = |halt: Halt| halt.summary();
    let failed = || Failure::after(Delay::secs::<5>(), io::Error::other("busy")).reason("Busy").into();
    assert_eq!(summary(failed()), summary(failed()));
    let of_failure = summary(failed());
    assert_eq!(
        (of_failure.kind, of_failure.reason, of_failure.class, of_failure.delay),
        (HaltKind::Failed, Some(reason!("Busy")), Some(Class::After(Delay::secs::<5>())), Some(Delay::secs::<5>()))
    );
    let of_done = summary(Halt::Done);
    assert_eq!((of_done.kind, of_done.reason, of_done.class, of_done.delay), (HaltKind::Done, None, None, None));
    let waits = |seconds: Delay| summary(Wait::after(seconds, "Later").into());
    assert_ne!(waits(Delay::secs::<1>()), waits(Delay::secs::<2>()));
    assert_ne!(summary(Blocked::new("A", "text").into()), summary(Blocked::new("B", "text").into()));
}

// HALT-5
#[test]
fn a_failure_owns_the_error_that_caused_it() {
    let error = || io::Error::other("the disk is full");
    let halt: Halt = error().into();
    let made = [
        Failure::backoff(error()),
        Failure::after(Delay::secs::<1>(), error()),
        Failure::terminal("Full", error()),
        Failure::unclassified(error()),
    ];
    let from_error = halt.failure().into_iter();
    for failure in made.iter().chain(from_error) {
        let source = failure.source().downcast_ref::<io::Error>().expect("the error itself");
        assert_eq!((source.to_string(), failure.text()), ("the disk is full".to_owned(), "the disk is full".to_owned()));
    }
    let told = Failure::msg("the disk is full");
    assert_eq!((told.source().to_string(), told.text()), ("the disk is full".to_owned(), "the disk is full".to_owned()));
}
