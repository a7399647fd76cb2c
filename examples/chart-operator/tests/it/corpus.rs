//! Published charts as components: installed, upgraded and removed.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use kube::api::{Api, DynamicObject, ListParams};
use kube::discovery::verbs;
use kubewright::machinery::object::{GroupVersionKind, ObjectExt};
use kubewright::machinery::yaml;
use kubewright::prelude::*;
use kubewright_testing::{TestCluster, Tier, each};
use parking_lot::Mutex;

const OPERATOR: &str = "corpus.test.kubewright.dev";
const PATIENCE: Duration = Duration::from_secs(600);
/// The policy with which a chart keeps objects, as Helm does.
const KEPT: &str = "helm.sh/resource-policy";

/// The texts of errors that only other values of a chart can mend: an API server refuses an object, by itself or as a change of the present one, or the
/// chart refuses what it has looked up.
const REFUSALS: [&str; 4] = ["is invalid: ", "cannot be handled as", "must be a string, but is", "PASSWORDS ERROR"];

/// A release of a chart of the corpus.
#[derive(CustomResource, Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[kube(group = "test.kubewright.dev", version = "v1", kind = "Release", namespaced, status = "ComponentStatus")]
struct ReleaseSpec {
    /// The values of the chart, beside no others, since charts have values of any name.
    values: Values,
}

impl Component for Release {
    fn settings(&self) -> Settings {
        let mut settings = Settings::default();
        settings.name = Some("rel".to_owned());
        settings.timeout = Some(PATIENCE.into());
        settings
    }

    fn parameters(&self, _: &Resolved) -> Parameters {
        self.spec.values.0.clone()
    }
}

/// A chart with its recorded values that render.
struct PublishedChart {
    name: String,
    path: PathBuf,
    cases: Vec<PublishedCase>,
}

struct PublishedCase {
    facts: Value,
    values: Value,
}

impl PublishedChart {
    /// Reads the charts, with two cases each: the default first, if there is one.
    fn all(root: &Path) -> Vec<Self> {
        let charts = directories(root).into_iter().filter(|path| path.join("Chart.yaml").is_file());
        charts.map(|path| Self { name: path.file_name().unwrap().display().to_string(), cases: cases(&path), path }).collect()
    }

    /// Returns the APIs that the cases expect of their cluster, with a kind.
    fn expected_types(&self) -> BTreeSet<GroupVersionKind> {
        let apis = self.cases.iter().flat_map(|case| case.facts["apiVersions"].as_array().unwrap());
        apis.filter_map(|api| {
            let (api_version, kind) = api.as_str()?.rsplit_once('/')?;
            let (group, version) = api_version.split_once('/')?;
            Some(GroupVersionKind::new(group, version, kind))
        })
        .collect()
    }
}

fn cases(chart: &Path) -> Vec<PublishedCase> {
    let mut folders = directories(&chart.join("cases"));
    folders.sort_by_key(|folder| !folder.ends_with("default"));
    let read = |folder: PathBuf| {
        let facts: Value = serde_json::from_str(&fs::read_to_string(folder.join("case.json")).unwrap()).unwrap();
        let values = || yaml::documents(&fs::read_to_string(folder.join("values.yaml")).unwrap()).unwrap().pop();
        facts["error"].is_null().then(|| PublishedCase { values: values().unwrap_or_else(|| json!({})), facts })
    };
    folders.into_iter().filter_map(read).take(2).collect()
}

fn directories(path: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(path).into_iter().flatten().map(|entry| entry.unwrap().path());
    let mut paths: Vec<PathBuf> = entries.filter(|path| path.is_dir()).collect();
    paths.sort();
    paths
}

/// The generator of a chart, which notes the objects that it gives.
struct NotingChart {
    chart: HelmChart,
    noted: Arc<Mutex<Vec<Value>>>,
}

impl Generator<Release> for NotingChart {
    async fn render(&self, cx: &RenderContext<Release>) -> Result<Vec<Manifest>, RenderError> {
        let mut manifests = self.chart.render(cx).await?;
        for content in manifests.iter_mut().filter_map(Manifest::content_mut) {
            // The controllers that would remove finalizers of their own do not run here.
            if let Some(Value::Object(metadata)) = content.get_mut("metadata") {
                metadata.remove("finalizers");
            }
        }
        let objects = manifests.iter().filter_map(|manifest| manifest.content().cloned().map(Value::Object));
        self.noted.lock().extend(objects);
        Ok(manifests)
    }

    fn check(&self) -> Result<(), RenderError> {
        Generator::<Release>::check(&self.chart)
    }
}

/// A cluster with a release of a chart.
struct Scene {
    cluster: TestCluster,
    noted: Arc<Mutex<Vec<Value>>>,
    /// The types that neither the server nor the chart has, and that were added.
    added: BTreeSet<GroupVersionKind>,
}

impl Scene {
    /// Adds types that the server does not serve and that the chart does not bring.
    async fn add_types(&mut self, wanted: BTreeSet<GroupVersionKind>) {
        for kind in wanted {
            if self.is_served(&kind).await || !self.added.insert(kind.clone()) {
                continue;
            }
            self.cluster.install_crd(&definition(&self.added, &kind)).await;
        }
    }

    async fn is_served(&self, kind: &GroupVersionKind) -> bool {
        let kind = kube::core::GroupVersionKind::gvk(&kind.group, &kind.version, &kind.kind);
        kube::discovery::pinned_kind(self.cluster.client(), &kind).await.is_ok()
    }

    /// Returns the types of the rendered objects that no definition among them brings.
    fn rendered_types(&self) -> BTreeSet<GroupVersionKind> {
        let objects = self.noted.lock();
        let brought: BTreeSet<(&str, &str)> = objects
            .iter()
            .filter(|object| object.kind() == "CustomResourceDefinition")
            .filter_map(|object| Some((object["spec"]["group"].as_str()?, object["spec"]["names"]["kind"].as_str()?)))
            .collect();
        let types = objects.iter().filter_map(ObjectExt::gvk);
        types.filter(|gvk| !brought.contains(&(&*gvk.group, &*gvk.kind))).collect()
    }

    /// Applies the release and waits for the state that its objects allow. Returns the objects that are not ready, as `kind name`, or the error of
    /// one that is refused.
    async fn release(&mut self, revision: i64, case: &PublishedCase) -> Vec<String> {
        let release = json!({
            "apiVersion": "test.kubewright.dev/v1", "kind": "Release", "metadata": { "name": "demo" },
            "spec": { "values": case.values },
        });
        self.cluster.apply(release).await;
        let mut known = BTreeSet::new();
        loop {
            let settled = |release: &Value| {
                let is_applied = release["status"]["revision"] == revision && waits_for(release).is_some();
                is_applied || is_refused(release) || lacks_types(release) && !self.rendered_types().is_subset(&known)
            };
            let expected = self.cluster.expect::<Release>("demo").within(PATIENCE);
            let release = expected.matching("all objects are applied, and ready as far as they can be", settled).await;
            if is_refused(&release) {
                return vec![message(&release).lines().collect::<Vec<_>>().join(" ")];
            }
            if let Some(waits) = waits_for(&release) {
                return waits;
            }
            known = self.rendered_types();
            self.add_types(known.clone()).await;
        }
    }

    /// Returns the objects with a mark of the operator, as `kind name`.
    async fn owned(&self) -> Vec<String> {
        let client = self.cluster.client();
        let params = ListParams::default().labels(&format!("{OPERATOR}/owner-id"));
        let groups = client.list_api_groups().await.unwrap().groups.into_iter().map(|group| group.name);
        let mut owned = Vec::new();
        for name in groups.chain([String::new()]) {
            // A group whose server does not run has no objects.
            let Ok(group) = kube::discovery::group(client, &name).await else { continue };
            for (resource, capabilities) in group.recommended_resources() {
                if !capabilities.supports_operation(verbs::LIST) {
                    continue;
                }
                let api: Api<DynamicObject> = Api::all_with(client.clone(), &resource);
                let objects = api.list(&params).await.unwrap();
                owned.extend(objects.into_iter().map(|object| format!("{} {}", resource.kind, object.name_any())));
            }
        }
        owned
    }
}

/// Returns a definition of a type that a chart expects.
fn definition(added: &BTreeSet<GroupVersionKind>, kind: &GroupVersionKind) -> Value {
    let singular = kind.kind.to_lowercase();
    let plural = if let Some(stem) = singular.strip_suffix('y') { format!("{stem}ies") } else { format!("{singular}s") };
    let schema = json!({ "type": "object", "x-kubernetes-preserve-unknown-fields": true });
    let of_kind = added.iter().filter(|other| other.group == kind.group && other.kind == kind.kind);
    let version = |other: &GroupVersionKind| {
        json!({
            "name": other.version, "served": true, "storage": other == kind,
            "schema": { "openAPIV3Schema": schema },
        })
    };
    json!({
        "apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
        "metadata": {
            "name": format!("{plural}.{}", kind.group),
            "annotations": { "api-approved.kubernetes.io": "unapproved, for tests" },
        },
        "spec": {
            "group": kind.group, "scope": "Namespaced",
            "names": { "kind": kind.kind, "plural": plural, "singular": singular },
            "versions": of_kind.map(version).collect::<Vec<_>>(),
        },
    })
}

fn message(release: &Value) -> &str {
    let conditions = release["status"]["conditions"].as_array().map(Vec::as_slice).unwrap_or_default();
    let ready = conditions.iter().find(|condition| condition["type"] == "Ready");
    ready.and_then(|condition| condition["message"].as_str()).unwrap_or_default()
}

fn lacks_types(release: &Value) -> bool {
    message(release).contains("no match for kind")
}

/// Returns true if the present values are refused. Values that cannot be rendered make no revision.
fn is_refused(release: &Value) -> bool {
    let is_seen = release["status"]["observedGeneration"] == release["metadata"]["generation"];
    let is_error = is_seen && release["status"]["state"] == "Error" && !lacks_types(release);
    is_error && REFUSALS.iter().any(|text| message(release).contains(text))
}

/// Returns the objects that cannot become ready here, as `kind name`: those whose servers do not run, and the later ones that wait for them. None if the
/// release is not that far.
fn waits_for(release: &Value) -> Option<Vec<String>> {
    if release["status"]["state"] == "Ready" {
        return Some(Vec::new());
    }
    let items = release["status"]["inventory"].as_array().map(Vec::as_slice).unwrap_or_default();
    let unready: Vec<&Value> = items.iter().filter(|item| item["phase"] != "Ready" && item["phase"] != "Completed").collect();
    let lacks_server = |item: &&&Value| item["kind"] == "APIService" && item["phase"] != "ScheduledForApplication";
    let is_scheduled = |item: &&Value| item["phase"].as_str().is_some_and(|phase| phase.starts_with("ScheduledFor"));
    let waits = |item: &&Value| lacks_server(&item) || is_scheduled(item);
    if release["status"]["state"] != "Processing" || !unready.iter().any(|item| lacks_server(&item)) || !unready.iter().all(waits)
    {
        return None;
    }
    Some(unready.iter().map(|item| format!("{} {}", item["kind"].as_str().unwrap(), item["name"].as_str().unwrap())).collect())
}

/// The result of one chart.
struct Passage {
    objects: usize,
    upgraded: bool,
    added: usize,
    waiting: BTreeSet<String>,
    kept: usize,
}

/// Installs a chart, upgrades it to its second values, and removes it. Nothing of it may be left.
async fn passage(chart: &PublishedChart) -> Passage {
    let noted = Arc::new(Mutex::default());
    let generator = NotingChart { chart: HelmChart::path(&chart.path), noted: Arc::clone(&noted) };
    let operator = Operator::new(OPERATOR).component::<Release>(generator);
    let cluster = TestCluster::start_exclusive().await;
    let mut scene = Scene { cluster, noted, added: BTreeSet::new() };
    scene.add_types(chart.expected_types()).await;
    let running = scene.cluster.run(operator).await;
    let mut waiting = BTreeSet::new();
    for (revision, case) in (1..).zip(&chart.cases) {
        waiting.extend(scene.release(revision, case).await);
    }
    let objects = scene.noted.lock().iter().map(ObjectExt::title).collect::<BTreeSet<_>>().len();
    assert!(!scene.owned().await.is_empty());
    scene.cluster.delete::<Release>("demo").await;
    scene.cluster.expect::<Release>("demo").within(PATIENCE).to_be_gone().await;
    assert_eq!(scene.owned().await, [""; 0], "{} leaves objects", chart.name);
    let kept = scene
        .noted
        .lock()
        .iter()
        .filter(|object| object.annotation(KEPT) == Some("keep"))
        .map(ObjectExt::title)
        .collect::<BTreeSet<_>>()
        .len();
    running.stop().await;
    let added = scene.added.len();
    scene.cluster.stop().await;
    Passage { objects, upgraded: chart.cases.len() > 1, added, waiting, kept }
}

// GEN-2, HELM-7, HELM-13, HELM-14
#[test]
fn published_charts_are_installed_upgraded_and_removed() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data/charts");
    let charts = PublishedChart::all(&root);
    if charts.is_empty() {
        eprintln!("skipped: {} is absent", root.display());
        return;
    }
    if !matches!(Tier::from_env(), Ok(Tier::Embedded)) {
        eprintln!("skipped: the objects of the charts are those of a server of each chart");
        return;
    }
    let chosen = std::env::var("KUBEWRIGHT_CORPUS").ok();
    let charts: Vec<_> = charts.into_iter().filter(|chart| chosen.as_ref().is_none_or(|chosen| *chosen == chart.name)).collect();
    let mut failures = Vec::new();
    for (chart, result) in charts.iter().zip(each(&charts, async |chart| passage(chart).await)) {
        match result {
            Ok(Passage { objects, upgraded, added, waiting, kept }) => println!(
                "{:30} {objects:4} objects, upgraded: {upgraded}, {added} types added, {kept} kept, waiting: {}",
                chart.name,
                waiting.into_iter().collect::<Vec<_>>().join(", ")
            ),
            Err(error) => failures.push(format!("{}: {error}", chart.name)),
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}
