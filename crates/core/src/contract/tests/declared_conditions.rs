use super::*;
use crate::condition::{ConditionPolarity, ConditionVisibility};

const fn declared(type_: &'static str) -> DeclaredCondition {
    DeclaredCondition { type_, visibility: ConditionVisibility::Public, polarity: ConditionPolarity::Normal }
}

const NONE: &[DeclaredCondition] = &[];
const FRESH: &[DeclaredCondition] = &[declared("Reachable"), declared("Fresh")];
const STALE: &[DeclaredCondition] = &[declared("Stale"), declared("ServerReady")];
const TWICE: &[DeclaredCondition] = &[declared("Stale"), declared("Fresh"), declared("Stale")];
const OWN: &[DeclaredCondition] = &[declared("DatabaseHealthy")];
const WAITING: &[DeclaredCondition] = &[declared("Waiting")];
const OF_SERVER: &[DeclaredCondition] = &[declared("ServerDeletionBlocked")];

// COND-08, CT-2
#[test]
fn a_condition_type_belongs_to_one_component_and_not_to_the_framework() {
    let problem = |component, earlier: &[_]| ConditionProblem::find(component, earlier).map(|problem| problem.to_string());
    assert_eq!(problem((DATABASE, FRESH), &[(SERVER, STALE), (PORTAL, NONE)]), None);
    assert_eq!(problem((DATABASE, FRESH), &[(DATABASE, FRESH)]), None);
    for (component, earlier, expected) in [
        ((DATABASE, FRESH), (SERVER, FRESH), "components Server and Database both declare condition Reachable; rename one"),
        ((DATABASE, TWICE), (SERVER, NONE), "component Database declares condition Stale twice; remove one"),
        (
            (DATABASE, OWN),
            (SERVER, NONE),
            "component Database declares condition DatabaseHealthy, which the framework sets; rename it, ",
        ),
        (
            (SERVER, NONE),
            (DATABASE, OF_SERVER),
            "component Database declares condition ServerDeletionBlocked, which the framework ",
        ),
        (
            (DATABASE, OF_SERVER),
            (SERVER, NONE),
            "component Database declares condition ServerDeletionBlocked, which the framework ",
        ),
        (
            (PORTAL, WAITING),
            (SERVER, NONE),
            "component Portal declares condition Waiting, which the framework sets; rename it, or remove ",
        ),
    ] {
        let found = problem(component, &[(PORTAL, NONE), earlier]).unwrap_or_default();
        assert!(found.starts_with(expected), "{expected} in {found}");
    }
}

const LONG: &str = "a-condition-whose-name-has-so-many-characters-that-it-would-not-fit-\
    a-condition-whose-name-has-so-many-characters-that-it-would-not-fit-a-condition-whose-name-has-so-many-characters-that-it-would-not-fit-\
    a-condition-whose-name-has-so-many-characters-that-it-would-not-fit-a-condition-whose-name-has-so-many-characters-that-it-would-not-fit-\
    a-condition-whose-name-has-so-many-characters-that-it-would-not-fit-a-condition-whose-name-has-so-many-characters-that-it-would-not-fit-\
    a-condition-whose-name-has-so-many-characters-that-it-would-not-fit-a-condition-whose-name-has-so-many-characters-that-it-would-not-fit";

#[test]
fn a_long_text_is_cut() {
    const CONDITIONS: &[DeclaredCondition] = &[declared(LONG)];
    let problem = ConditionProblem::find((DATABASE, CONDITIONS), &[(SERVER, CONDITIONS)]).unwrap();
    assert!(problem.as_str().starts_with("components Server and Database both declare condition a-condition-"));
    assert_eq!(problem.as_str().len(), 512);
}
