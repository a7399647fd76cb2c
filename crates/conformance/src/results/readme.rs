//! The table of results in the README of the server.

use std::fmt::Write as _;

use super::report::{Report, RowResult};
use crate::library::{Level, Library};

/// The environment variable that makes the test write the table instead of checking it.
pub const README_VARIABLE: &str = "KUBEWRIGHT_WRITE_README";

/// Returns the numbers of rules that agree with the real server, by area and level, as a Markdown table.
pub fn table(library: &Library, report: &Report) -> String {
    let rows = report.rows(library);
    let mut text =
        "| area | must | should | nice | steps | must, tests included |\n| --- | --- | --- | --- | --- | --- |\n".to_owned();
    for area in library.rows.areas() {
        let of_area: Vec<&RowResult<'_>> = rows.iter().filter(|row| row.row.area == area).collect();
        line(&mut text, area, &of_area);
    }
    line(&mut text, "**all**", &rows.iter().collect::<Vec<_>>());
    text
}

fn line(text: &mut String, name: &str, rows: &[&RowResult<'_>]) {
    let share = |level: Level| {
        let of_level = rows.iter().filter(|row| row.row.level == level);
        let agree = of_level.clone().filter(|row| row.steps > 0 && row.failed == 0).count();
        let total = of_level.count();
        if total == 0 { "–".to_owned() } else { format!("{agree} of {total}") }
    };
    let steps: usize = rows.iter().map(|row| row.steps).sum();
    let must = rows.iter().filter(|row| row.row.level == Level::M);
    let proven = must.clone().filter(|row| row.failed == 0 && row.steps + row.tests > 0).count();
    let proven = if must.clone().count() == 0 { "–".to_owned() } else { format!("{proven} of {}", must.count()) };
    let (must, should, nice) = (share(Level::M), share(Level::S), share(Level::N));
    let _ = writeln!(text, "| {name} | {must} | {should} | {nice} | {steps} | {proven} |");
}
