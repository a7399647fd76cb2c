//! Many components of one chart, which is compiled once.

use std::path::Path;
use std::process::Command;
use std::rc::Rc;
use std::time::Instant;

use kubewright_chart::{ChartRequest, OfflineHost, RenderedChart};
use serde_json::json;

use crate::inside::compiled;

/// The first word of the command line of the process that renders the components.
pub(crate) const COMPONENTS: &str = "components";

/// Renders the components in a process of its own, whose memory is theirs alone.
pub(crate) fn start(chart: &Path, components: usize) {
    let mut command = Command::new(std::env::current_exe().unwrap());
    let status = command.arg(COMPONENTS).arg(chart).arg(components.to_string()).status().unwrap();
    assert!(status.success(), "{command:?}: {status}");
}

/// Compiles a chart, renders it for each component, and prints time and memory.
pub(crate) fn measure(words: &[String]) {
    let (path, components) = (Path::new(&words[0]), words[1].parse::<usize>().unwrap());
    let name = path.file_name().unwrap().display();
    let begun = Instant::now();
    let chart = compiled(path);
    println!("{components} components of {name}: compiled once in {:.1} ms", begun.elapsed().as_secs_f64() * 1000.0);

    let render = |request: &ChartRequest| chart.render(request, Rc::new(OfflineHost::default())).unwrap();
    let begun = Instant::now();
    drop(render(&request(0)));
    let first = begun.elapsed();
    let (texts, before) = (chart.compiled_texts(), resident());

    let begun = Instant::now();
    let requests: Vec<ChartRequest> = (0..components).map(request).collect();
    for request in &requests {
        drop(render(request));
    }
    let each = begun.elapsed() / components as u32;
    println!("first rendering {first:.0?}, each of the others {each:.0?}");
    assert_eq!(chart.compiled_texts(), texts, "a rendering has compiled a text");
    println!("{texts} texts compiled after the first rendering, {} after the last", chart.compiled_texts());
    drop(render(&requests[0]));
    let read = chart.read_documents();
    drop(render(&requests[0]));
    let again = chart.read_documents() - read;
    println!("{read} documents read for all components, {again} for one that is rendered again");
    assert_eq!(again, 0, "a second rendering reads YAML");
    let without = resident();
    println!("memory per component, with its values: {:.1} KiB", (without - before) / components as f64);

    let rendered: Vec<RenderedChart> = requests.iter().map(render).collect();
    let objects: usize = rendered.iter().map(|rendered| rendered.documents.len()).sum();
    let with = (resident() - before) / components as f64;
    println!("memory per component, with its {} objects and their texts: {with:.1} KiB", objects / components.max(1));
}

fn request(number: usize) -> ChartRequest {
    let mut request = ChartRequest::new(format!("component-{number}"), "default");
    request.values.insert("replicaCount".to_owned(), json!(number % 5 + 1));
    request
}

/// Returns the resident memory of this process, in KiB.
fn resident() -> f64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).unwrap();
    line.trim().trim_end_matches(" kB").parse().unwrap()
}
