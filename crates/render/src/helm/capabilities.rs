//! The capabilities of the cluster for a chart, from the answers that are known (HELM-4, HELM-11).

use std::collections::BTreeSet;

use jiff::Timestamp;
use kubewright_chart::{ChartCapabilities, ChartHost, KubernetesVersion};
use serde_json::Value;

use crate::answers::KnownAnswers;
use crate::environment::Question;
use crate::host::RenderHost;

/// Returns the capabilities as far as they are known. A chart that uses others asks for them through its host, and its rendering is repeated.
pub(super) fn known_capabilities(answers: &KnownAnswers) -> Result<ChartCapabilities, String> {
    let mut kubernetes = None;
    let mut served = BTreeSet::new();
    let mut all_served = None;
    for (question, answer) in answers.known() {
        match question {
            Question::Version => kubernetes = Some(version(answer)?),
            Question::Serves(api) if *answer == Value::Bool(true) => {
                served.insert(api.clone());
            }
            Question::ServedTypes => {
                all_served = Some(served_apis(answer));
            }
            _ => {}
        }
    }
    let kubernetes = kubernetes.unwrap_or_else(|| ChartCapabilities::default().kubernetes);
    Ok(ChartCapabilities { kubernetes, api_versions: all_served.unwrap_or_else(|| served.into_iter().collect()) })
}

/// Returns every `group/version` and every `group/version/Kind` of lists of types, sorted. Kinds of subresources are not part of it.
fn served_apis(lists: &Value) -> Vec<String> {
    let mut served = BTreeSet::new();
    for list in lists.as_array().into_iter().flatten() {
        let Some(group_version) = list["groupVersion"].as_str() else { continue };
        served.insert(group_version.to_owned());
        let resources = list["resources"].as_array().into_iter().flatten();
        let types = resources.filter(|resource| resource["name"].as_str().is_some_and(|name| !name.contains('/')));
        served.extend(types.filter_map(|resource| Some(format!("{group_version}/{}", resource["kind"].as_str()?))));
    }
    served.into_iter().collect()
}

fn version(document: &Value) -> Result<KubernetesVersion, String> {
    let text = document["gitVersion"].as_str().unwrap_or_default();
    KubernetesVersion::parse(text).map_err(|error| format!("the version of the server cannot be used for a chart: {error}"))
}

impl ChartHost for RenderHost {
    fn now(&self) -> Timestamp {
        self.time()
    }

    fn fill_random(&self, buffer: &mut [u8]) {
        self.fill(buffer);
    }

    fn kubernetes_version_asked(&self) {
        self.answers().ask(Question::Version);
    }

    fn api_version_asked(&self, version: &str, _is_served: bool) {
        // The answer came from the whole list if that is known.
        let knows_all = self.answers().known().any(|(question, _)| *question == Question::ServedTypes);
        self.answers().ask(if knows_all { Question::ServedTypes } else { Question::Serves(version.to_owned()) });
    }

    fn api_versions_asked(&self) {
        self.answers().ask(Question::ServedTypes);
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;
    use std::rc::Rc;
    use std::sync::Arc;

    use serde_json::json;

    use super::*;
    use crate::RenderInputs;

    fn answers(known: &[(Question, Value)]) -> Rc<KnownAnswers> {
        let known: BTreeMap<_, _> = known.iter().map(|(question, answer)| (question.clone(), Arc::new(answer.clone()))).collect();
        Rc::new(KnownAnswers::new(known))
    }

    fn serves(api: &str) -> Question {
        Question::Serves(api.to_owned())
    }

    // HELM-11
    #[test]
    fn capabilities_are_those_that_the_cluster_has_answered() {
        let known = [
            (Question::Version, json!({ "major": "1", "minor": "29+", "gitVersion": "v1.29.4-gke.100" })),
            (serves("apps/v1"), json!(true)),
            (serves("apps/v2"), json!(false)),
        ];
        let capabilities = known_capabilities(&answers(&known)).unwrap();
        assert_eq!(capabilities.kubernetes.git_version, "v1.29.4-gke.100");
        assert_eq!(capabilities.api_versions, ["apps/v1"]);
        let malformed = [(Question::Version, json!({ "gitVersion": "x" }))];
        assert!(known_capabilities(&answers(&malformed)).unwrap_err().starts_with("the version of the server cannot be used"));
    }

    // GEN-5
    #[test]
    fn a_question_for_one_type_is_answered_by_the_list_of_all_if_that_is_known() {
        let alone = answers(&[(serves("v1"), json!(true))]);
        RenderHost::new(&RenderInputs::default(), &alone).api_version_asked("v1", true);
        assert_eq!(alone.take_questions().used, BTreeSet::from([serves("v1")]));
        let all = answers(&[
            (serves("v1"), json!(true)),
            (Question::ServedTypes, json!([{ "groupVersion": "apps/v1", "resources": [] }])),
        ]);
        RenderHost::new(&RenderInputs::default(), &all).api_version_asked("v1", false);
        assert_eq!(all.take_questions().used, BTreeSet::from([Question::ServedTypes]));
        assert_eq!(known_capabilities(&all).unwrap().api_versions, ["apps/v1"]);
    }
}
