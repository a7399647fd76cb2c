//! The size of the programs (PRF-4).

use std::path::{Path, PathBuf};

use kubewright_testing::real::Binaries;

use crate::build;
use crate::server::Side;

/// Returns the size of the loaded part of a server's program in MiB: everything but symbols and debug information.
pub(crate) fn size(side: Side) -> f64 {
    let program = match side {
        Side::Ours => kubewright_apiserver(),
        Side::Real => kube_apiserver(),
    };
    loaded(&program) as f64 / 1024.0 / 1024.0
}

fn kube_apiserver() -> PathBuf {
    Binaries::find().unwrap().apiserver
}

fn kubewright_apiserver() -> PathBuf {
    let server = ["--release", "-p", "kubewright-apiserver", "--bins", "--features", "cli,cel"];
    build::program("build", &server, Path::new(env!("CARGO_MANIFEST_DIR")))
}

/// Returns the sum of the loadable segments of an ELF file; for other formats the size of the file.
fn loaded(program: &Path) -> u64 {
    const LOADED: u64 = 1;
    let file = std::fs::read(program).unwrap();
    let number = |at: usize, bytes: usize| {
        let mut number = [0; 8];
        number[..bytes].copy_from_slice(&file[at..at + bytes]);
        u64::from_le_bytes(number)
    };
    if !file.starts_with(b"\x7fELF\x02\x01") {
        return file.len() as u64;
    }
    let (headers, size, count) = (number(0x20, 8) as usize, number(0x36, 2) as usize, number(0x38, 2) as usize);
    let segments = (0..count).map(|index| headers + index * size);
    segments.filter(|at| number(*at, 4) == LOADED).map(|at| number(at + 0x20, 8)).sum()
}
