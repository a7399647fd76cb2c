//! Replays what was recorded from a real server and compares codes and reasons (DFT-8, DFT-9).
//!
//! The recording is read from `$KUBEWRIGHT_RECORDED`, or from the folder of shared data beside the repository; without it the test passes
//! without a word. `KUBEWRIGHT_REPLAY=all` prints every difference.

use std::{collections::BTreeMap, path::PathBuf, process::Command};

use serde_json::Value;

use crate::cluster::Cluster;

/// The share of answers that must agree. Raise it when more of the server is there.
const EXPECTED_PERCENT: usize = 90;

/// The share of objects whose managed fields must agree. Most others are definitions, whose controller has another name here.
const EXPECTED_OWNERS: usize = 75;

/// What is not offered yet, by path.
const LEFT_OUT: [&str; 7] = ["openapi", "openid", "agg.io", "/metrics", "convs", "/namespaces/wh/", "token"];

#[derive(Default)]
struct Area {
    agreed: usize,
    total: usize,
}

/// Recorded uids, versions and tokens with what they are here.
#[derive(Default)]
struct Names(BTreeMap<String, String>);

impl Names {
    fn learn(&mut self, recorded: &Value, ours: &Value) {
        for pointer in ["/metadata/uid", "/metadata/continue", "/details/uid"] {
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
        // In two steps, so that one translation is not translated again. Longer names go first: one may begin with another.
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

/// The recording does not say of which type a patch was.
fn patch_type(path: &str, body: &str) -> &'static str {
    let body = body.trim_start();
    // Containers are only ever patched one by one.
    let marks = ["$patch", "$setElementOrder", "$retainKeys", "$deleteFromPrimitiveList", "\"containers\""];
    let strategic = marks.iter().any(|word| body.contains(word));
    // An apply patch names its kind, and is the only one in YAML.
    let names_kind = serde_json::from_str::<Value>(body).map_or(true, |body| body.get("kind").is_some());
    match () {
        () if body.starts_with('[') => "application/json-patch+json",
        () if names_kind && (path.contains("fieldManager") || body.contains("apiVersion")) => "application/apply-patch+yaml",
        () if strategic || body.contains("containers") => "application/strategic-merge-patch+json",
        () => "application/merge-patch+json",
    }
}

/// Who owns what, without the times.
fn managers(object: &Value) -> Vec<Value> {
    let mut managers = object.pointer("/metadata/managedFields").and_then(Value::as_array).cloned().unwrap_or_default();
    for manager in &mut managers {
        manager.as_object_mut().unwrap().remove("time");
    }
    // Entries are sorted by time first.
    managers.sort_by_key(Value::to_string);
    managers
}

fn area(path: &str) -> String {
    let path = path.split('?').next().unwrap_or_default();
    let parts: Vec<_> = path.split('/').filter(|part| !part.is_empty()).collect();
    match parts.as_slice() {
        [root @ ("api" | "apis"), .., "namespaces", _, resource, _, sub] if !root.is_empty() => format!("{resource}/{sub}"),
        ["api" | "apis", .., "namespaces", _, resource] | ["api" | "apis", .., "namespaces", _, resource, _] => {
            (*resource).to_owned()
        }
        ["api" | "apis", ..] => parts.iter().take(4).copied().collect::<Vec<_>>().join("/"),
        _ => "other".into(),
    }
}

#[tokio::test(start_paused = true)]
async fn recorded_requests_are_answered_as_the_real_server_did() {
    let Some(recording) = recording() else { return };
    let verbose = std::env::var("KUBEWRIGHT_REPLAY").is_ok();
    let cluster = Cluster::start();
    let last_answer: BTreeMap<_, _> = recording
        .iter()
        .filter(|pair| pair["m"] == "GET")
        .map(|pair| (pair["path"].as_str().unwrap_or_default(), pair["code"].as_u64().unwrap_or_default()))
        .collect();
    let (mut names, mut areas, mut ownership) = (Names::default(), BTreeMap::<String, Area>::new(), Area::default());
    for pair in &recording {
        let text = |field: &str| pair[field].as_str().unwrap_or_default();
        let (method, path, body) = (text("m"), text("path"), text("req"));
        let patch = (method == "PATCH").then(|| patch_type(path, body));
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
            None if !body.is_empty() && !body.trim_start().starts_with(['{', '[']) => "application/yaml",
            None => "application/json",
        };
        let headers = [("content-type", content_type), ("accept", text("accept")), ("user-agent", "probe/1")];
        let answer = cluster.send_text(method, &names.translate(path), names.translate(body), &headers).await;
        let reason = |body: &Value| body["reason"].as_str().filter(|_| body["kind"] == "Status").unwrap_or_default().to_owned();
        names.learn(&pair["resp"], &answer.body);
        let (expected, found) =
            ((pair["code"].as_u64().unwrap_or_default(), reason(&pair["resp"])), (u64::from(answer.code), reason(&answer.body)));
        // The real server was polled until its controllers had done what ours have done already (DIF-3, DIF-4).
        let polled = method == "GET" && expected.0 == 200 && found.0 == 404;
        if polled && last_answer.get(path) == Some(&404) {
            continue;
        }
        let (recorded, ours) = (managers(&pair["resp"]), managers(&answer.body));
        if expected == found && pair["resp"]["kind"] != "Status" && !(recorded.is_empty() && ours.is_empty()) {
            ownership.total += 1;
            ownership.agreed += usize::from(recorded == ours);
            if recorded != ours && verbose {
                println!("{method} {path} {body:.160}\n   owners {}\n   found  {}", Value::from(recorded), Value::from(ours));
            }
        }
        let area = areas.entry(area(path)).or_default();
        area.total += 1;
        if expected == found {
            area.agreed += 1;
        } else if verbose {
            println!(
                "{method} {path} {body:.160}\n   expected {expected:?} {:.200}\n   found    {found:?} {:.300}",
                pair["resp"]["message"],
                answer.body.to_string()
            );
        }
    }
    let (agreed, total) = areas.values().fold((0, 0), |(agreed, total), area| (agreed + area.agreed, total + area.total));
    for (name, area) in areas.iter().filter(|_| verbose) {
        println!("{:4}/{:<4} {name}", area.agreed, area.total);
    }
    println!("{agreed} of {total} recorded answers agree, and the owners of {} of {} objects", ownership.agreed, ownership.total);
    assert!(ownership.agreed * 100 >= ownership.total * EXPECTED_OWNERS, "only the owners of {} objects agree", ownership.agreed);
    assert!(
        agreed * 100 >= total * EXPECTED_PERCENT,
        "only {agreed} of {total} recorded answers agree; KUBEWRIGHT_REPLAY=all shows the others"
    );
}
