use std::sync::Arc;

use async_trait::async_trait;
use kubewright_machinery::object::Key;
use kubewright_render::{Environment, ObjectQuestion, Place, Question, RenderError};
use kubewright_runtime::cluster::Cluster;
use serde_json::{Value, json};

use super::registry::{LookupSubject, Lookups, Scene};
use super::{object, types};

/// The environment of one component's renderings in one pass, which answers their questions about clusters.
pub(crate) struct PassEnvironment {
    pub(super) lookups: Lookups,
    pub(super) component: Key,
    pub(super) local: Scene,
    pub(super) target: Scene,
}

impl PassEnvironment {
    /// Ends the component's watches on all subjects other than those of these questions.
    pub(crate) fn keep<'a>(&self, asked: impl Iterator<Item = &'a Question>) {
        self.lookups.keep(&self.component, &asked.filter_map(|question| self.subject(question)).collect());
    }

    fn scene(&self, place: Place) -> &Scene {
        if place == Place::Local { &self.local } else { &self.target }
    }

    /// Returns the object or the types that are watched for an answer. `None` for the version of a server, whose change no event reports.
    fn subject(&self, question: &Question) -> Option<LookupSubject> {
        match question {
            Question::Serves(_) | Question::ApiVersions => Some(LookupSubject::Types { scene: self.target.name.clone() }),
            Question::Object(asked) => {
                let ObjectQuestion { gvk, namespace, name, .. } = asked.clone();
                Some(LookupSubject::Object { scene: self.scene(asked.place).name.clone(), gvk, namespace, name })
            }
            _ => None,
        }
    }

    fn target(&self) -> &Cluster {
        &self.target.cluster
    }
}

#[async_trait]
impl Environment for PassEnvironment {
    async fn answer(&self, question: &Question) -> Result<Arc<Value>, RenderError> {
        match question {
            Question::Version => self.lookups.version(self.target()).await,
            Question::Serves(api) => {
                self.lookups.follow_types(&self.component, &self.target);
                types::serves(self.target(), api).await.map(|served| Arc::new(json!(served)))
            }
            Question::ApiVersions => {
                self.lookups.follow_types(&self.component, &self.target);
                types::api_versions(self.target()).await.map(|versions| Arc::new(json!(versions)))
            }
            Question::Object(asked) => {
                let scene = self.scene(asked.place);
                let watched = self.lookups.watch(&self.component, scene, asked);
                object::find(&scene.cluster, &watched, asked).await
            }
            other => Err(RenderError::input(format!("this operator cannot answer {other:?}"))),
        }
    }
}
