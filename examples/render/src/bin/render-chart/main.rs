//! Prints what a chart renders: the bytes that `helm template` prints, without it.
//!
//! ```text
//! render-chart PATH [--name NAME] [--namespace NAMESPACE] [--values FILE]...
//! ```

mod args;
mod chart;
mod host;

use std::process::ExitCode;

use clap::Parser as _;

fn main() -> ExitCode {
    render::finish(chart::render(&args::ChartArgs::parse()))
}
