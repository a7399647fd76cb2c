//! Charts that strangers wrote. A file of its own, since the tests of `kubewright-chart` use it without the other decoders.

#[path = "files.rs"]
mod files;

use std::rc::Rc;
use std::time::Duration;

use kubewright_chart::{Chart, ChartError, ChartLimits, ChartLoader, ChartRequest, CompiledChart, HelmCompat, OfflineHost};
use kubewright_template::TemplateLimits;

const CHART_LIMITS: ChartLimits = ChartLimits { size: 1_000_000, files: 200, depth: 4 };
const TEMPLATE_LIMITS: TemplateLimits =
    TemplateLimits { output: 100_000, values: 100_000_000, depth: 20, steps: 20_000, time: Duration::from_secs(10) };

/// The files of a chart, in the form of [`files::files_of`]: they are loaded, compiled, and rendered twice for each release of Helm. Both renderings end
/// alike. Returns true if there is a rendering.
pub fn charts(data: &[u8]) -> bool {
    let files = files::files_of(data);
    let load = |compat| loader(compat).files(files.iter().map(|(path, content)| (path, content)));
    render(load(HelmCompat::Helm3)) & render(load(HelmCompat::Helm4))
}

/// The bytes of a `.tgz`, whose chart is rendered like [`charts`].
pub fn archives(data: &[u8]) -> bool {
    render(loader(HelmCompat::Helm4).archive(data))
}

fn loader(compat: HelmCompat) -> ChartLoader {
    ChartLoader { compat, limits: CHART_LIMITS }
}

fn render(chart: Result<Chart, ChartError>) -> bool {
    let Ok(compiled) = chart.and_then(|chart| CompiledChart::builder(chart).limits(TEMPLATE_LIMITS).build()) else {
        return false;
    };
    let rendered = || {
        let rendered = compiled.render(&ChartRequest::new("release", "default"), Rc::new(OfflineHost::default()));
        rendered
            .map(|chart| chart.documents.into_iter().map(|document| document.text).collect())
            .map_err(|error| error.to_string())
    };
    let first: Result<Vec<_>, _> = rendered();
    assert_eq!(first, rendered());
    first.is_ok()
}
