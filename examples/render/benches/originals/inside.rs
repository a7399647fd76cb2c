//! Renderings within this process.

use std::cell::Cell;
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

/// The medians of the times of a rendering, in microseconds.
#[derive(Clone, Copy, Debug)]
pub(crate) struct InsideFigures {
    /// The same rendering again.
    pub(crate) again: f64,
    /// A rendering under another name of the release each time, of which few documents are those of the one before.
    pub(crate) other: f64,
}

/// Measures renderings of a case.
pub(crate) fn time(case: &BenchCase) -> InsideFigures {
    match case.tool {
        Tool::Helm => {
            let (compiled, request) = (compiled(case.directory()), request(case));
            let render_as =
                |request: &ChartRequest| drop(black_box(compiled.render(request, Rc::new(OfflineHost::default())).unwrap()));
            let render = || render_as(&request);
            // The first rendering makes the set of the enabled templates, and compiles the texts of `tpl`.
            render();
            let texts = compiled.compiled_texts();
            let again = repeated(render);
            assert_eq!(compiled.compiled_texts(), texts, "{} compiles again", case.title());
            let number = Cell::new(0);
            let other = repeated(|| {
                let mut request = request.clone();
                number.set(number.get() + 1);
                request.release.name = format!("{}{}", request.release.name, number.get());
                render_as(&request);
            });
            InsideFigures { again, other }
        }
        Tool::Kustomize => {
            let tree = kubewright_kustomize::read_directory(case.directory()).unwrap();
            let again = repeated(|| drop(black_box(kubewright_kustomize::build(&tree, case.text("path")).unwrap())));
            InsideFigures { again, other: again }
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
