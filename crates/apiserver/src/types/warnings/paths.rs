//! Warnings about files of a volume that hide each other.

use serde_json::Value;

/// The maximal number of reported pairs of files, so that they fit into a response.
const MOST_PAIRS: usize = 100;
/// The maximal number of compared files of a volume, because each is compared with all files before it.
const MOST_FILES: usize = 5_000;

/// A path inside a volume and the source of its content; the source is empty if the volume itself is the source.
struct File<'a> {
    path: &'a str,
    source: String,
}

impl<'a> File<'a> {
    fn new(path: &'a Value, source: impl Into<String>) -> Self {
        Self { path: path.as_str().unwrap_or_default().trim_end_matches('/'), source: source.into() }
    }

    fn printed(&self) -> String {
        if self.source.is_empty() { format!("{:?}", self.path) } else { format!("{:?} ({})", self.path, self.source) }
    }

    /// Returns true if one path equals the other or is a folder around it.
    fn overlaps(&self, other: &File<'_>) -> bool {
        let is_in =
            |inner: &str, outer: &str| inner.strip_prefix(outer).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'));
        !self.path.is_empty() && !other.path.is_empty() && (is_in(self.path, other.path) || is_in(other.path, self.path))
    }
}

/// Warns about files of one volume that overlap.
pub(super) fn overlapping(warnings: &mut Vec<String>, volumes: &Value) {
    let mut room = MOST_PAIRS;
    for volume in volumes.as_array().into_iter().flatten() {
        let name = &volume["name"];
        let mut told = |what: &str, files: Vec<File<'_>>| {
            for pair in pairs(&files).take(room).collect::<Vec<_>>() {
                room -= 1;
                warnings.push(format!("volume {name} ({what}): overlapping paths: {pair}"));
            }
        };
        let (map, secret) = (&volume["configMap"], &volume["secret"]);
        told(&format!("ConfigMap {}", text(&map["name"])), listed(&map["items"], ""));
        told(&format!("Secret {}", text(&secret["secretName"])), listed(&secret["items"], ""));
        told("DownwardAPI", listed(&volume["downwardAPI"]["items"], ""));
        let sources: Vec<&Value> = volume["projected"]["sources"].as_array().into_iter().flatten().collect();
        let is_none = |source: &Value| source.as_object().is_none_or(serde_json::Map::is_empty);
        told("Projected", sources.iter().flat_map(|source| projected(source)).collect());
        if sources.into_iter().any(is_none) {
            warnings.push(format!("volume {name} (Projected) has no sources provided"));
        }
    }
}

fn listed<'a>(items: &'a Value, source: &str) -> Vec<File<'a>> {
    items.as_array().into_iter().flatten().map(|item| File::new(&item["path"], source)).collect()
}

fn projected(source: &Value) -> Vec<File<'_>> {
    let (map, secret) = (&source["configMap"], &source["secret"]);
    let (bundle, certificate) = (&source["clusterTrustBundle"], &source["podCertificate"]);
    if !map["items"].is_null() {
        return listed(&map["items"], &format!("ConfigMap {}", text(&map["name"])));
    }
    if !secret["items"].is_null() {
        return listed(&secret["items"], &format!("Secret {}", text(&secret["name"])));
    }
    if !source["downwardAPI"]["items"].is_null() {
        return listed(&source["downwardAPI"]["items"], "DownwardAPI");
    }
    if !source["serviceAccountToken"].is_null() {
        return vec![File::new(&source["serviceAccountToken"]["path"], "ServiceAccountToken")];
    }
    if !bundle.is_null() {
        let name = if bundle["name"].is_null() { &bundle["signerName"] } else { &bundle["name"] };
        return vec![File::new(&bundle["path"], format!("ClusterTrustBundle {}", text(name)))];
    }
    let parts = [("certificateChainPath", "chain"), ("keyPath", "key"), ("credentialBundlePath", "credential bundle")];
    let said = parts.into_iter().filter(|(field, _)| !certificate[*field].as_str().unwrap_or_default().is_empty());
    said.map(|(field, part)| File::new(&certificate[field], format!("PodCertificate {part}"))).collect()
}

fn text(value: &Value) -> String {
    format!("{:?}", value.as_str().unwrap_or_default())
}

/// Iterates over the pairs of a file and an earlier file that it overlaps with.
fn pairs<'f>(files: &'f [File<'_>]) -> impl Iterator<Item = String> + 'f {
    let files = &files[..files.len().min(MOST_FILES)];
    files.iter().enumerate().flat_map(move |(index, file)| {
        let before = files[..index].iter().filter(move |before| file.overlaps(before));
        before.map(move |before| format!("{} with {}", file.printed(), before.printed()))
    })
}
