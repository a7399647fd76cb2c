//! The figures of cases, and their targets.

use std::fmt;
use std::path::Path;

use crate::case::{BenchCase, Tool};
use crate::inside::{self, InsideFigures};
use crate::process::{ProcessFigures, measured, output};
use crate::tools::Originals;

/// The least ratio of times of both programs.
const FASTER: f64 = 5.0;
/// The least ratio of the time of the original program and that of a rendering within a process.
const FASTER_INSIDE: f64 = 50.0;
/// The least ratio of the memory of both programs.
const SMALLER: f64 = 4.0;

/// The figures of a case.
pub(crate) struct CaseFigures {
    title: String,
    original: ProcessFigures,
    ours: ProcessFigures,
    inside: InsideFigures,
    is_equal: bool,
}

impl CaseFigures {
    /// Runs both programs in turns, and renders within this process.
    pub(crate) fn measure(case: &BenchCase, originals: &Originals, runs: usize) -> Self {
        let (original, render) = (originals.program(case.tool), Path::new(case.tool.program()));
        let (of_original, of_render) = (case.of_original(), case.of_render());
        let is_equal = output(&original, case, &of_original) == output(render, case, &of_render);
        let (mut theirs, mut ours) = (Vec::new(), Vec::new());
        for _ in 0..runs.max(1) {
            theirs.push(measured(&original, case, &of_original));
            ours.push(measured(render, case, &of_render));
        }
        let inside = inside::time(case);
        Self { title: case.title().to_owned(), original: of(&theirs), ours: of(&ours), inside, is_equal }
    }

    fn faster(&self) -> f64 {
        self.original.time / self.ours.time
    }

    fn faster_inside(&self) -> f64 {
        self.original.time * 1000.0 / self.inside.again
    }

    fn faster_for_others(&self) -> f64 {
        self.original.time * 1000.0 / self.inside.other
    }

    fn smaller(&self) -> f64 {
        self.original.memory / self.ours.memory
    }

    fn is_reached(&self) -> bool {
        self.is_equal && self.faster() >= FASTER && self.faster_inside() >= FASTER_INSIDE && self.smaller() >= SMALLER
    }
}

impl fmt::Display for CaseFigures {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { title, original, ours, inside, is_equal } = self;
        let output = if *is_equal { "equal" } else { "OTHER" };
        write!(f, "{title:<34} {output} {:>9.1} {:>8.1} {:>6.1}x", original.time, ours.time, self.faster())?;
        let InsideFigures { again, other } = inside;
        write!(f, " {again:>8.0} {:>6.0}x {other:>8.0} {:>6.0}x", self.faster_inside(), self.faster_for_others())?;
        write!(f, " {:>7.1} {:>6.1} {:>5.1}x", original.memory, ours.memory, self.smaller())?;
        if self.is_reached() { Ok(()) } else { write!(f, " MISSED") }
    }
}

/// The figures of all cases of a tool.
pub(crate) struct Figures(Vec<CaseFigures>);

impl Figures {
    pub(crate) fn new(cases: Vec<CaseFigures>) -> Self {
        Self(cases)
    }

    /// Returns the titles of the columns.
    pub(crate) fn titles(tool: Tool) -> String {
        let (original, within) = (format!("{} ms", tool.name()), "inside µs");
        format!(
            "{:<34} output {original:>8} {:>8} {:>7} {within:>9} {:>7} {:>7} {:>6} {:>6}",
            "", "ours ms", "", "", "MiB", "ours", ""
        )
    }

    pub(crate) fn are_reached(&self) -> bool {
        self.0.iter().all(CaseFigures::is_reached)
    }

    /// Writes how many cases reach a target, and the least and the median ratio.
    fn target(&self, f: &mut fmt::Formatter<'_>, title: &str, least: f64, ratio: fn(&CaseFigures) -> f64) -> fmt::Result {
        let ratios: Vec<f64> = self.0.iter().map(ratio).collect();
        let reached = ratios.iter().filter(|ratio| **ratio >= least).count();
        let verdict = if reached == ratios.len() { "met" } else { "MISSED" };
        let (lowest, middle) = (ratios.iter().copied().fold(f64::INFINITY, f64::min), median(ratios.clone()));
        let of = ratios.len();
        writeln!(f, "{verdict:<7} {title:<28} at least {least:>3}x in {reached} of {of}; least {lowest:.1}x, median {middle:.1}x")
    }
}

impl fmt::Display for Figures {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.0.is_empty() {
            return Ok(());
        }
        self.target(f, "time of the program", FASTER, CaseFigures::faster)?;
        self.target(f, "time within, again", FASTER_INSIDE, CaseFigures::faster_inside)?;
        self.target(f, "time within, other releases", FASTER_INSIDE, CaseFigures::faster_for_others)?;
        self.target(f, "memory of the program", SMALLER, CaseFigures::smaller)
    }
}

fn of(runs: &[ProcessFigures]) -> ProcessFigures {
    let middle = |figure: fn(&ProcessFigures) -> f64| median(runs.iter().map(figure).collect());
    ProcessFigures { time: middle(|run| run.time), memory: middle(|run| run.memory) }
}

pub(crate) fn median(mut figures: Vec<f64>) -> f64 {
    figures.sort_by(f64::total_cmp);
    figures.get(figures.len() / 2).copied().unwrap_or(f64::NAN)
}
