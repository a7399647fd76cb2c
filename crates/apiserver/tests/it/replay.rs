//! Replays a recording of a real server and compares codes and reasons (DFT-8, DFT-9).
//!
//! The recording is read from `$KUBEWRIGHT_RECORDED`, or from the folder of shared data beside the repository; without it the test passes silently.
//! Known differences are listed in `replay.toml`, each with its reason; an unlisted one fails the test, and so does a listed one that no longer
//! occurs.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::process::Command;

use serde_json::Value;

use crate::cluster::Cluster;

/// Parts of paths whose features are not built yet.
const LEFT_OUT: [&str; 7] = ["openapi", "openid", "agg.io", "/metrics", "convs", "/namespaces/wh/", "token"];

#[derive(Default)]
struct Count {
    agreed: usize,
    total: usize,
}

/// The list of known differences.
#[derive(serde::Deserialize)]
struct Known {
    deviation: Vec<Deviation>,
}

#[derive(serde::Deserialize)]
#[serde(deny_unknown_fields)]
struct Deviation {
    /// Method and path; a star at the end matches any rest.
    request: String,
    /// The beginning of the body.
    #[serde(default)]
    body: String,
    /// `answer` (code and reason) or `owners` (managed fields).
    what: String,
    /// The reason for which the difference stays.
    reason: String,
}

impl Deviation {
    fn covers(&self, what: &str, request: &str, body: &str) -> bool {
        let is_request =
            self.request.strip_suffix('*').map_or(self.request == request, |beginning| request.starts_with(beginning));
        self.what == what && is_request && body.starts_with(&self.body)
    }
}

/// Recorded uids, versions and tokens with their counterparts here.
#[derive(Default)]
struct Names(BTreeMap<String, String>);

impl Names {
    fn learn(&mut self, recorded: &Value, ours: &Value) {
        for pointer in ["/metadata/uid", "/metadata/continue", "/details/uid", "/metadata/deletionTimestamp"] {
            if let (Some(recorded), Some(ours)) =
                (recorded.pointer(pointer).and_then(Value::as_str), ours.pointer(pointer).and_then(Value::as_str))
                && !recorded.is_empty()
            {
                self.0.insert(recorded.into(), ours.into());
            }
        }
        if let (Some(recorded), Some(ours)) = (version(recorded), version(ours)) {
            for form in ["\"resourceVersion\": \"{}\"", "resourceVersion={}", "/metadata/resourceVersion\", \"value\": \"{}\""] {
                self.0.insert(form.replace("{}", recorded), form.replace("{}", ours));
            }
        }
    }

    fn translate(&self, text: &str) -> String {
        let mut marked = text.to_owned();
        // The replacement takes two steps, so that a result is not replaced again. Longer names come first, since one may be the prefix of another.
        let mut names: Vec<_> = self.0.iter().collect();
        names.sort_by_key(|(recorded, _)| std::cmp::Reverse(recorded.len()));
        for (index, (recorded, _)) in names.iter().enumerate() {
            marked = marked.replace(recorded.as_str(), &format!("\u{1}{index}\u{2}"));
        }
        for (index, (_, ours)) in names.iter().enumerate() {
            marked = marked.replace(&format!("\u{1}{index}\u{2}"), ours);
        }
        marked
    }
}

fn version(value: &Value) -> Option<&str> {
    value.pointer("/metadata/resourceVersion").and_then(Value::as_str).filter(|version| !version.is_empty())
}

fn recording() -> Option<Vec<Value>> {
    let folder = std::env::var_os("KUBEWRIGHT_RECORDED")
        .map_or_else(|| PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data/kubernetes-1.36"), PathBuf::from);
    let output = Command::new("gzip")
        .arg("-dc")
        .arg(folder.join("transcript.jsonl.gz"))
        .output()
        .ok()
        .filter(|output| output.status.success())?;
    Some(String::from_utf8(output.stdout).unwrap().lines().map(|line| serde_json::from_str(line).unwrap()).collect())
}

/// Returns the type of a patch, which is not recorded; some refusals reveal it.
fn patch_type(path: &str, body: &str, refusal: &str) -> &'static str {
    let body = body.trim_start();
    if refusal.starts_with("415:") {
        return "text/plain";
    }
    if refusal.contains("accepted media types include: application/json-patch+json") {
        return "application/strategic-merge-patch+json";
    }
    if refusal.contains("jsonPatchOp") {
        return "application/json-patch+json";
    }
    // In the recording, containers are only patched strategically.
    let marks = ["$patch", "$setElementOrder", "$retainKeys", "$deleteFromPrimitiveList", "\"containers\""];
    let strategic = marks.iter().any(|word| body.contains(word));
    // An apply patch names its kind, and is the only type in YAML.
    let names_kind = serde_json::from_str::<Value>(body).map_or(true, |body| body.get("kind").is_some());
    match () {
        () if body.starts_with('[') => "application/json-patch+json",
        () if names_kind && (path.contains("fieldManager") || body.contains("apiVersion")) => "application/apply-patch+yaml",
        () if strategic || body.contains("containers") => "application/strategic-merge-patch+json",
        () => "application/merge-patch+json",
    }
}

/// Returns the managers of an object without their times.
fn managers(object: &Value) -> Vec<Value> {
    let mut managers = object.pointer("/metadata/managedFields").and_then(Value::as_array).cloned().unwrap_or_default();
    for manager in &mut managers {
        manager.as_object_mut().unwrap().remove("time");
    }
    // Entries are sorted by time, so they are sorted anew.
    managers.sort_by_key(Value::to_string);
    managers
}

fn known() -> Vec<Deviation> {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/it/replay.toml");
    toml::from_str::<Known>(&std::fs::read_to_string(path).unwrap()).unwrap().deviation
}

// DFT-6, DFT-8, DFT-9
#[tokio::test(start_paused = true)]
#[cfg_attr(not(feature = "cel"), ignore = "definitions with rules need the feature cel")]
async fn recorded_requests_are_answered_as_the_real_server_did() {
    let Some(recording) = recording() else { return };
    let known = known();
    let mut seen = vec![false; known.len()];
    let mut new = Vec::new();
    let cluster = Cluster::start();
    let last_answer: BTreeMap<_, _> = recording
        .iter()
        .filter(|pair| pair["m"] == "GET")
        .map(|pair| (pair["path"].as_str().unwrap_or_default(), pair["code"].as_u64().unwrap_or_default()))
        .collect();
    let (mut names, mut answers, mut ownership) = (Names::default(), Count::default(), Count::default());
    for pair in &recording {
        let text = |field: &str| pair[field].as_str().unwrap_or_default();
        let (method, path, body) = (text("m"), text("path"), text("req"));
        let refusal = pair["resp"]["message"].as_str().unwrap_or_default();
        let patch = (method == "PATCH").then(|| patch_type(path, body, refusal));
        let out = text("user") != "admin"
            || pair["h"].is_object()
            || body.starts_with("<omitted")
            || text("accept").contains("protobuf")
            || LEFT_OUT.iter().any(|part| path.contains(part));
        if out {
            continue;
        }
        let content_type = match patch {
            Some(patch) => patch,
            None if pair["code"] == 415 => "text/plain",
            None if !body.is_empty() && !body.trim_start().starts_with(['{', '[']) => "application/yaml",
            None => "application/json",
        };
        let headers = [("content-type", content_type), ("accept", text("accept")), ("user-agent", "probe/1")];
        let answer = cluster.send_text(method, &names.translate(path), names.translate(body), &headers).await;
        let reason = |body: &Value| body["reason"].as_str().filter(|_| body["kind"] == "Status").unwrap_or_default().to_owned();
        names.learn(&pair["resp"], &answer.body);
        let (expected, found) =
            ((pair["code"].as_u64().unwrap_or_default(), reason(&pair["resp"])), (u64::from(answer.code), reason(&answer.body)));
        // The real server was polled until its controllers had done the work that ours do at once (DIF-3, DIF-4).
        let polled = method == "GET" && expected.0 == 200 && found.0 == 404;
        if polled && last_answer.get(path) == Some(&404) {
            continue;
        }
        let request = format!("{method} {path}");
        let mut differ = |what: &str, recorded: String, ours: String| {
            let covering = known.iter().position(|deviation| deviation.covers(what, &request, body));
            match covering {
                Some(index) => seen[index] = true,
                None => new.push(format!("{what}: {request} {body:.160}\n   real {recorded:.600}\n   ours {ours:.600}")),
            }
        };
        // The keys of owner references contain recorded uids.
        let mut recorded: Vec<Value> = managers(&pair["resp"])
            .iter()
            .map(|manager| serde_json::from_str(&names.translate(&manager.to_string())).unwrap())
            .collect();
        recorded.sort_by_key(Value::to_string);
        let ours = managers(&answer.body);
        if expected == found && pair["resp"]["kind"] != "Status" && !(recorded.is_empty() && ours.is_empty()) {
            ownership.total += 1;
            ownership.agreed += usize::from(recorded == ours);
            if recorded != ours {
                differ("owners", Value::from(recorded).to_string(), Value::from(ours).to_string());
            }
        }
        answers.total += 1;
        answers.agreed += usize::from(expected == found);
        if expected != found {
            differ("answer", format!("{expected:?} {refusal}"), format!("{found:?} {}", answer.body));
        }
    }
    println!(
        "{} of {} recorded answers agree, and the owners of {} of {} objects",
        answers.agreed, answers.total, ownership.agreed, ownership.total
    );
    let gone = known.iter().zip(&seen).filter(|(_, seen)| !**seen);
    new.extend(gone.map(|(gone, _)| format!("gone from {}: {} ({})", gone.what, gone.request, gone.reason)));
    assert!(new.is_empty(), "{} differences that replay.toml does not know:\n{}", new.len(), new.join("\n"));
}
