//! The recorded charts and kustomizations.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::args::BenchPart;

/// The chart of the part with many components.
const CHART_OF_COMPONENTS: &str = "podinfo";

/// An original program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Tool {
    Helm,
    Kustomize,
}

impl Tool {
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Helm => "helm",
            Self::Kustomize => "kustomize",
        }
    }

    /// Returns the path of the program that is compared with the original.
    pub(crate) const fn program(self) -> &'static str {
        match self {
            Self::Helm => env!("CARGO_BIN_EXE_render-chart"),
            Self::Kustomize => env!("CARGO_BIN_EXE_render-kustomization"),
        }
    }

    pub(crate) const fn part(self) -> BenchPart {
        match self {
            Self::Helm => BenchPart::Charts,
            Self::Kustomize => BenchPart::Kustomizations,
        }
    }

    /// Returns the cases of the recordings: of each chart the first one that renders, and all kustomizations that build.
    pub(crate) fn cases(self, data: &Path, folder: &Path) -> Vec<BenchCase> {
        match self {
            Self::Helm => {
                let charts = directories(&data.join("charts"));
                charts.iter().filter_map(|chart| BenchCase::chart(chart, folder)).collect()
            }
            Self::Kustomize => {
                directories(&data.join("kustomize")).iter().filter_map(|case| BenchCase::kustomization(case)).collect()
            }
        }
    }
}

/// An input that both programs render.
pub(crate) struct BenchCase {
    pub(crate) tool: Tool,
    title: String,
    /// The facts of the recording.
    pub(crate) facts: Value,
    /// The directory in which the programs run.
    directory: PathBuf,
    /// The file of values of a chart.
    pub(crate) values: PathBuf,
}

impl BenchCase {
    /// Returns the first recorded case of a chart with an output. The chart is copied without its cases, which both programs would read.
    fn chart(chart: &Path, folder: &Path) -> Option<Self> {
        let name = chart.file_name()?.to_str()?;
        let case = directories(&chart.join("cases")).into_iter().find(|case| case.join("expected.yaml").exists())?;
        let directory = folder.join(name);
        if !directory.exists() {
            copy(chart, &directory);
        }
        let title = format!("{name}/{}", case.file_name()?.to_str()?);
        Some(Self { tool: Tool::Helm, title, facts: facts(&case), directory, values: case.join("values.yaml") })
    }

    fn kustomization(case: &Path) -> Option<Self> {
        let title = case.file_name()?.to_str()?.to_owned();
        let is_built = case.join("expected.yaml").exists();
        is_built.then(|| Self {
            tool: Tool::Kustomize,
            title,
            facts: facts(case),
            directory: case.to_owned(),
            values: PathBuf::new(),
        })
    }

    /// Returns the directory of the chart of which there are many components.
    pub(crate) fn chart_of_components(data: &Path, folder: &Path) -> PathBuf {
        Self::chart(&data.join("charts").join(CHART_OF_COMPONENTS), folder).unwrap().directory
    }

    pub(crate) fn title(&self) -> &str {
        &self.title
    }

    pub(crate) fn directory(&self) -> &Path {
        &self.directory
    }

    pub(crate) fn text(&self, fact: &str) -> &str {
        self.facts[fact].as_str().unwrap()
    }

    pub(crate) fn api_versions(&self) -> impl Iterator<Item = &str> {
        self.facts["apiVersions"].as_array().unwrap().iter().map(|version| version.as_str().unwrap())
    }

    /// Returns the arguments of the original.
    pub(crate) fn of_original(&self) -> Vec<String> {
        match self.tool {
            Tool::Helm => [words(&["template", self.text("release"), "."]), self.flags_of_chart()].concat(),
            Tool::Kustomize => words(&["build", "--load-restrictor", "LoadRestrictionsNone", self.text("path")]),
        }
    }

    /// Returns the arguments of the program that is compared with the original.
    pub(crate) fn of_render(&self) -> Vec<String> {
        match self.tool {
            Tool::Helm => [words(&[".", "--name", self.text("release")]), self.flags_of_chart()].concat(),
            Tool::Kustomize => words(&[self.text("path")]),
        }
    }

    /// Returns the flags that both programs know.
    fn flags_of_chart(&self) -> Vec<String> {
        let mut flags = words(&["--namespace", self.text("namespace"), "--kube-version", self.text("kubeVersion")]);
        flags.extend(words(&["--values", self.values.to_str().unwrap()]));
        for version in self.api_versions() {
            flags.extend(words(&["--api-versions", version]));
        }
        for (fact, flag) in [("isUpgrade", "--is-upgrade"), ("includeCrds", "--include-crds")] {
            flags.extend(self.facts[fact].as_bool().unwrap().then(|| flag.to_owned()));
        }
        flags
    }
}

fn words(words: &[&str]) -> Vec<String> {
    words.iter().map(|word| (*word).to_owned()).collect()
}

fn facts(case: &Path) -> Value {
    serde_json::from_slice(&fs::read(case.join("case.json")).unwrap()).unwrap()
}

/// Copies the directory of a chart.
fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let (source, name) = entry.map(|entry| (entry.path(), entry.file_name())).unwrap();
        if name == "cases" {
            continue;
        }
        if source.is_dir() {
            copy(&source, &to.join(name));
        } else {
            fs::copy(&source, to.join(name)).unwrap();
        }
    }
}

fn directories(path: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(path).into_iter().flatten().map(|entry| entry.unwrap().path());
    let mut paths: Vec<PathBuf> = entries.filter(|path| path.is_dir()).collect();
    paths.sort();
    paths
}
