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

use std::borrow::Cow;
use std::io::{self, BufWriter, Write as _};
use std::process::ExitCode;

use clap::Parser as _;

use self::args::{Args, RenderCommand};

fn main() -> ExitCode {
    let rendered = match Args::parse().command {
        RenderCommand::Chart(args) => chart::render(&args),
        RenderCommand::Kustomization(args) => kustomization::render(&args).map(|text| vec![text.into()]),
    };
    match rendered {
        Ok(pieces) => printed(&pieces),
        Err(message) => failed(&message),
    }
}

fn printed(pieces: &[Cow<'_, str>]) -> ExitCode {
    match print(pieces) {
        Ok(()) => ExitCode::SUCCESS,
        // The reader closed the pipe because it has read enough.
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => ExitCode::SUCCESS,
        Err(error) => failed(&format!("write to the output: {error}")),
    }
}

/// Writes the pieces of a text one after another: the whole text would need as much memory again.
fn print(pieces: &[Cow<'_, str>]) -> io::Result<()> {
    let mut output = BufWriter::with_capacity(64 << 10, io::stdout().lock());
    pieces.iter().try_for_each(|piece| output.write_all(piece.as_bytes()))?;
    output.flush()
}

fn failed(message: &str) -> ExitCode {
    // If the output is closed, there is no reader left.
    let _ = writeln!(io::stderr(), "error: failed to {message}");
    ExitCode::FAILURE
}
