//! Prints what a chart or a kustomization renders: the bytes that `helm template` and `kustomize build` print, without either program.
//!
//! ```text
//! render chart PATH [--name NAME] [--namespace NAMESPACE] [--values FILE]...
//! render kustomization PATH
//! ```

mod args;
mod chart;
mod directory;
mod host;
mod kustomization;
mod yaml;

use std::io::{self, Write as _};
use std::process::ExitCode;

use clap::Parser as _;

use self::args::{Args, RenderCommand};

fn main() -> ExitCode {
    let rendered = match Args::parse().command {
        RenderCommand::Chart(args) => chart::render(&args),
        RenderCommand::Kustomization(args) => kustomization::render(&args),
    };
    match rendered {
        Ok(text) => print(&text),
        Err(message) => failed(&message),
    }
}

fn print(text: &str) -> ExitCode {
    match io::stdout().write_all(text.as_bytes()) {
        Ok(()) => ExitCode::SUCCESS,
        // The reader closed the pipe because it has read enough.
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => ExitCode::SUCCESS,
        Err(error) => failed(&format!("write to the output: {error}")),
    }
}

fn failed(message: &str) -> ExitCode {
    // If the output is closed, there is no reader left.
    let _ = writeln!(io::stderr(), "error: failed to {message}");
    ExitCode::FAILURE
}
