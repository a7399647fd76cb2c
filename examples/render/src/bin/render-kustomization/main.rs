//! Prints what a kustomization renders: the bytes that `kustomize build` prints, without it.
//!
//! ```text
//! render-kustomization PATH [--root DIRECTORY]
//! ```

mod args;
mod directory;
mod kustomization;
mod yaml;

use std::process::ExitCode;

use clap::Parser as _;

fn main() -> ExitCode {
    render::finish(kustomization::render(&args::KustomizationArgs::parse()).map(|text| vec![text.into()]))
}
