//! Charts, printed as `helm template` prints them.

use std::borrow::Cow;
use std::fs;
use std::io::{self, Write as _};
use std::mem::ManuallyDrop;
use std::path::Path;
use std::rc::Rc;
use std::sync::Arc;

use jiff::Timestamp;
use kubewright_chart::{
    ChartCapabilities, ChartError, ChartHost, ChartLoader, ChartRequest, ChartText, CompiledChart, HelmCompat, OfflineHost,
    RenderedTexts, merge_values, parse_values,
};
use serde_json::{Map, Value};

use crate::args::ChartArgs;
use crate::host::SystemHost;

/// Returns the objects of a chart as pieces of a text, or its notes. An error completes the sentence "failed to".
pub(crate) fn render(args: &ChartArgs) -> Result<Vec<Cow<'static, str>>, String> {
    let rendered = rendered(args).map_err(|error| format!("render the chart {}: {error}", args.path.display()))?;
    // The program ends soon, which frees the memory at once.
    let rendered: &'static RenderedTexts = Box::leak(rendered.into());
    for warning in &rendered.warnings {
        // If the output is closed, there is no reader left.
        let _ = writeln!(io::stderr(), "warning: {warning}");
    }
    Ok(if args.notes { vec![notes(rendered).into()] } else { pieces(rendered, args.include_crds) })
}

fn rendered(args: &ChartArgs) -> Result<RenderedTexts, String> {
    let failed = |error: ChartError| error.to_string();
    let compat = if args.helm3 { HelmCompat::Helm3 } else { HelmCompat::Helm4 };
    let mut request = ChartRequest::new(&args.name, &args.namespace);
    request.release.is_upgrade = args.is_upgrade;
    for file in &args.values {
        merge_values(&mut request.values, values_of(file, compat)?);
    }
    let capabilities = args.kube_version.as_deref().map_or_else(|| Ok(ChartCapabilities::default()), ChartCapabilities::offline);
    request.capabilities = Arc::new(capabilities.map_err(failed)?.with_api_versions(&args.api_versions));
    let compiled = CompiledChart::new(ChartLoader::new(compat).path(&args.path).map_err(failed)?).map_err(failed)?;
    // The program ends soon, which frees the memory at once.
    let compiled = ManuallyDrop::new(compiled);
    let now = now();
    if let Some(seed) = args.seed {
        return compiled.render_texts(&request, Rc::new(OfflineHost::new(now, seed))).map_err(failed);
    }
    let host = Rc::new(SystemHost::new(now));
    let rendered = compiled.render_texts(&request, Rc::clone(&host) as Rc<dyn ChartHost>).map_err(failed)?;
    match host.problem() {
        None => Ok(rendered),
        Some(problem) => Err(format!("the system gives no random bytes: {problem}; --seed renders without them")),
    }
}

fn values_of(file: &Path, compat: HelmCompat) -> Result<Map<String, Value>, String> {
    let content = fs::read(file).map_err(|error| format!("read the values {}: {error}", file.display()))?;
    parse_values(&content, compat).map_err(|error| format!("parse the values {}: {error}", file.display()))
}

#[allow(clippy::disallowed_methods, reason = "the program has no clock but that of the machine")]
fn now() -> Timestamp {
    Timestamp::now()
}

/// Returns the documents with the paths of their templates. Hooks come last, and white space around all others is removed.
fn pieces(rendered: &RenderedTexts, includes_crds: bool) -> Vec<Cow<'_, str>> {
    let mut pieces = Vec::new();
    if includes_crds {
        for file in &rendered.crd_files {
            pieces.extend(document(&file.name, String::from_utf8_lossy(&file.data)));
        }
    }
    let (hooks, manifests): (Vec<&ChartText>, Vec<&ChartText>) =
        rendered.in_helm_order().into_iter().partition(|document| document.hook.is_some());
    for manifest in manifests {
        pieces.extend(document(&manifest.file, manifest.text.as_str().into()));
    }
    // A document begins with its separator, so that there is white space at the end alone.
    while let Some(last) = pieces.pop() {
        let kept = last.trim_end();
        if !kept.is_empty() {
            pieces.push(kept.to_owned().into());
            break;
        }
    }
    pieces.push("\n".into());
    for hook in hooks {
        pieces.extend(document(&hook.file, hook.text.as_str().into()));
    }
    pieces
}

fn document<'a>(source: &str, content: Cow<'a, str>) -> [Cow<'a, str>; 3] {
    [format!("---\n# Source: {source}\n").into(), content, "\n".into()]
}

/// Returns the notes with a line break at the end; the empty text for a chart without notes.
fn notes(rendered: &RenderedTexts) -> String {
    match rendered.notes.as_deref().map(str::trim_end) {
        None | Some("") => String::new(),
        Some(notes) => format!("{notes}\n"),
    }
}
