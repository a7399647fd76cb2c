//! Renderings within this process.

use std::fs;
use std::hint::black_box;
use std::path::Path;
use std::rc::Rc;
use std::sync::Arc;
use std::time::{Duration, Instant};

use kubewright_chart::{ChartCapabilities, ChartLoader, ChartRequest, CompiledChart, HelmCompat, OfflineHost, parse_values};

use crate::case::{BenchCase, Tool};
use crate::figures::median;

/// The time of which the renderings of a case take at least a part.
const SPAN: Duration = Duration::from_millis(300);
/// The least and the largest number of renderings of a case.
const RENDERINGS: (usize, usize) = (5, 1000);

/// Returns the median of the times of a rendering, in microseconds.
pub(crate) fn time(case: &BenchCase) -> f64 {
    match case.tool {
        Tool::Helm => {
            let (compiled, request) = (compiled(case.directory()), request(case));
            let render = || drop(black_box(compiled.render(&request, Rc::new(OfflineHost::default())).unwrap()));
            // The first rendering makes the set of the enabled templates, and compiles the texts of `tpl`.
            render();
            let texts = compiled.compiled_texts();
            let time = repeated(render);
            assert_eq!(compiled.compiled_texts(), texts, "{} compiles again", case.title());
            time
        }
        Tool::Kustomize => {
            let tree = kubewright_kustomize::read_directory(case.directory()).unwrap();
            repeated(|| drop(black_box(kubewright_kustomize::build(&tree, case.text("path")).unwrap())))
        }
    }
}

pub(crate) fn compiled(chart: &Path) -> CompiledChart {
    CompiledChart::new(ChartLoader::default().path(chart).unwrap()).unwrap()
}

fn request(case: &BenchCase) -> ChartRequest {
    let mut request = ChartRequest::new(case.text("release"), case.text("namespace"));
    request.release.is_upgrade = case.facts["isUpgrade"].as_bool().unwrap();
    let capabilities = ChartCapabilities::offline(case.text("kubeVersion")).unwrap();
    request.capabilities = Arc::new(capabilities.with_api_versions(case.api_versions()));
    request.values = parse_values(&fs::read(&case.values).unwrap(), HelmCompat::default()).unwrap();
    request
}

fn repeated(render: impl Fn()) -> f64 {
    let mut times = Vec::new();
    let begun = Instant::now();
    while times.len() < RENDERINGS.0 || times.len() < RENDERINGS.1 && begun.elapsed() < SPAN {
        let begun = Instant::now();
        render();
        times.push(begun.elapsed().as_secs_f64() * 1e6);
    }
    median(times)
}
