//! Objects of the tests.

use kubewright::prelude::*;
use multi_controller::{Access, AccessSpec, CLASS, CLASS_KEY, Report, ReportSpec, Team, TeamSpec};

pub(crate) fn team(name: &str, members: &[&str]) -> Team {
    Team::new(name, TeamSpec { members: members.iter().map(|member| (*member).to_owned()).collect() })
}

pub(crate) fn access(name: &str, team: &str) -> Access {
    access_of_class(CLASS, name, team)
}

pub(crate) fn access_of_class(class: &str, name: &str, team: &str) -> Access {
    let mut access = Access::new(name, AccessSpec { team: team.to_owned(), role: "view".to_owned(), ttl_seconds: None });
    access.annotations_mut().insert(CLASS_KEY.to_owned(), class.to_owned());
    access
}

pub(crate) fn expiring(mut access: Access) -> Access {
    access.spec.ttl_seconds = Some(1);
    access
}

pub(crate) fn report() -> Report {
    Report::new("summary", ReportSpec {})
}
