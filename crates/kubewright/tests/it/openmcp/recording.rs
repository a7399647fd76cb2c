//! The recorded scenes of the openmcp mcp-operator. They are in `shared/data/openmcp` beside the repository, or in the folder that
//! `KUBEWRIGHT_OPENMCP` names.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use kubewright::machinery::object::ObjectExt as _;
use kubewright::machinery::yaml::documents;
use kubewright::prelude::*;

use super::kinds::GROUP;

/// The namespace of all recorded objects.
const NAMESPACE: &str = "project-demo--ws-dev";
/// The scenes that together show the life of one owner, in order.
const LIFE: [&str; 10] = [
    "created",
    "one-ready",
    "all-ready",
    "spec-changed",
    "reconcile-annotation",
    "ignore-annotation",
    "failing-condition",
    "internal-configuration",
    "component-removed",
    "teardown",
];

/// The objects of one owner after a step, and the requests of the operator in it.
#[derive(Clone, Debug)]
pub(super) struct RecordedStep {
    /// The id of the step, such as `created/01`.
    pub(super) id: String,
    /// The objects by kind.
    pub(super) objects: BTreeMap<String, Value>,
    /// The requests of the operator that are neither lists nor watches, by resource.
    pub(super) requests: BTreeMap<String, usize>,
    /// The lists and watches of the operator, of all groups, by resource.
    pub(super) watched: BTreeMap<String, usize>,
    /// The number of delete requests.
    pub(super) deletes: usize,
}

/// A scene: its steps, and those before it, if it continues another scene.
#[derive(Clone, Debug)]
pub(super) struct RecordedScene {
    pub(super) before: Vec<RecordedStep>,
    pub(super) steps: Vec<RecordedStep>,
}

/// Returns the folder of the recordings. `None`, with a printed note, if it is absent.
pub(super) fn folder() -> Option<PathBuf> {
    if let Some(folder) = std::env::var_os("KUBEWRIGHT_OPENMCP") {
        return Some(folder.into());
    }
    let here = PathBuf::from(env!("CARGO_MANIFEST_DIR"));
    let found = here.ancestors().map(|folder| folder.join("shared/data/openmcp")).find(|data| data.is_dir());
    if found.is_none() {
        eprintln!("skipped: there is no shared/data/openmcp beside the repository");
    }
    found
}

/// Returns the definitions of the recorded kinds.
pub(super) fn definitions(folder: &Path) -> Vec<Value> {
    documents(&text(&folder.join("crds.yaml"))).unwrap()
}

/// Returns the admission policy of the recorded operator, and its binding.
pub(super) fn policies(folder: &Path) -> Vec<Value> {
    let mut all = documents(&text(&folder.join("startup/admission-policy.yaml"))).unwrap();
    for object in &mut all {
        let metadata = object.metadata_mut();
        metadata.retain(|field, _| ["name", "labels"].contains(&field.as_str()));
        object.as_object_mut().unwrap().remove("status");
    }
    all
}

/// Returns the reasons for which the API server refused manual changes, in the order of the file.
pub(super) fn refusals(folder: &Path) -> Vec<String> {
    let text = text(&folder.join("component-removed/rejected.txt"));
    let reasons = text.lines().filter_map(|line| line.split_once(" is invalid: "));
    reasons.map(|(_, reason)| reason.trim().to_owned()).collect()
}

impl RecordedScene {
    pub(super) fn read(folder: &Path, scene: &str) -> Self {
        let steps = steps(folder, scene);
        let life = LIFE.iter().position(|part| *part == scene).map(|at| &LIFE[..at]);
        let before = life.into_iter().flatten().flat_map(|part| self::steps(folder, part)).collect();
        Self { before, steps }
    }

    /// Returns the steps up to and including this one of the scene.
    pub(super) fn until(&self, number: usize) -> Vec<&RecordedStep> {
        self.before.iter().chain(&self.steps[..number]).collect()
    }

    /// Returns a step by its number, which begins with 1.
    pub(super) fn step(&self, number: usize) -> &RecordedStep {
        &self.steps[number - 1]
    }
}

impl RecordedStep {
    /// Returns the objects as if they had been recorded in this namespace, with identities of their own.
    pub(super) fn moved_to(&self, namespace: &str) -> Self {
        let mut text = serde_json::to_string(&self.objects).unwrap();
        for uid in uids(&self.objects) {
            text = text.replace(&uid, &moved_uid(&uid, namespace));
        }
        let objects = serde_json::from_str(&text.replace(NAMESPACE, namespace)).unwrap();
        Self { objects, ..self.clone() }
    }
}

fn uids(objects: &BTreeMap<String, Value>) -> BTreeSet<String> {
    objects.values().map(|object| object.uid().to_owned()).collect()
}

/// Returns the UID for a namespace. Tests that run in parallel on one server have no object with the same identity.
fn moved_uid(uid: &str, namespace: &str) -> String {
    let hash = namespace.bytes().fold(2_166_136_261_u32, |hash, byte| (hash ^ u32::from(byte)).wrapping_mul(16_777_619));
    format!("{hash:08x}{}", &uid[8..])
}

fn steps(folder: &Path, scene: &str) -> Vec<RecordedStep> {
    let mut files: Vec<PathBuf> = std::fs::read_dir(folder.join(scene)).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.retain(|file| file.to_string_lossy().ends_with(".objects.yaml"));
    files.sort();
    files.iter().map(|file| step(scene, file)).collect()
}

fn step(scene: &str, file: &Path) -> RecordedStep {
    let name = file.file_name().unwrap().to_string_lossy().into_owned();
    let requests = text(&file.with_file_name(name.replace(".objects.yaml", ".requests.jsonl")));
    let requests = requests.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
    let told = |request: &Value, field: &str| request[field].as_str().unwrap_or_default().to_owned();
    let users = ["owner-controller", "component-controllers", "subset-operator"];
    let by_operator = requests.filter(|request| users.contains(&&*told(request, "user")));
    let (read, own): (Vec<Value>, Vec<Value>) =
        by_operator.partition(|request| ["list", "watch"].contains(&&*told(request, "verb")));
    let own: Vec<Value> = own.into_iter().filter(|request| told(request, "group") == GROUP).collect();
    let counts = |requests: &[Value]| {
        let mut counts = BTreeMap::new();
        for request in requests {
            *counts.entry(told(request, "resource")).or_default() += 1;
        }
        counts
    };
    RecordedStep {
        id: format!("{scene}/{}", &name[..2]),
        objects: documents(&text(file)).unwrap().into_iter().map(|object| (object.kind().to_owned(), object)).collect(),
        requests: counts(&own),
        watched: counts(&read),
        deletes: own.iter().filter(|request| told(request, "verb") == "delete").count(),
    }
}

fn text(file: &Path) -> String {
    std::fs::read_to_string(file).unwrap_or_else(|error| panic!("{}: {error}", file.display()))
}
