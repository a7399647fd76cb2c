//! Builds a kustomization and prints its objects as YAML documents.
//!
//! ```text
//! cargo run -p kubewright-kustomize --example build -- DIRECTORY [KUSTOMIZATION]
//! ```
//!
//! The kustomization is a path in the directory, which has all files that it refers to.

use std::error::Error;
use std::path::Path;
use std::process::ExitCode;

use kubewright_machinery::yaml;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let outcome = match arguments.as_slice() {
        [directory] => print(directory, ""),
        [directory, kustomization] => print(directory, kustomization),
        _ => {
            eprintln!("usage: build DIRECTORY [KUSTOMIZATION]");
            return ExitCode::from(2);
        }
    };
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("failed to build {}: {error}", arguments.join(" "));
            ExitCode::FAILURE
        }
    }
}

fn print(directory: &str, kustomization: &str) -> Result<(), Box<dyn Error>> {
    let tree = kubewright_kustomize::read_directory(Path::new(directory))?;
    for object in kubewright_kustomize::build(&tree, kustomization)? {
        print!("---\n{}", yaml::to_string(&object));
    }
    Ok(())
}
