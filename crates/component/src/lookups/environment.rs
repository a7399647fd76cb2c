use std::sync::Arc;

use async_trait::async_trait;
use kubewright_machinery::object::Key;
use kubewright_render::{Environment, Place, Question, RenderError};
use kubewright_runtime::cluster::Cluster;
use serde_json::{Value, json};

use super::object::Lookup;
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

    /// Returns the objects or the types that are watched for an answer. `None` for the version of a server, whose change no event reports.
    fn subject(&self, question: &Question) -> Option<LookupSubject> {
        match question {
            Question::Serves(_) | Question::ApiVersions | Question::ServedTypes => {
                Some(LookupSubject::Types { scene: self.target.name.clone() })
            }
            Question::Object(asked) => Some(self.objects(asked.place, asked.into())),
            Question::List(asked) => Some(self.objects(asked.place, asked.into())),
            _ => None,
        }
    }

    fn objects(&self, place: Place, lookup: Lookup) -> LookupSubject {
        LookupSubject::Objects { scene: self.scene(place).name.clone(), lookup }
    }

    async fn find(&self, place: Place, lookup: Lookup) -> Result<Arc<Value>, RenderError> {
        let scene = self.scene(place);
        let watched = self.lookups.watch(&self.component, scene, lookup);
        object::find(&scene.cluster, &watched).await
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
            Question::ServedTypes => {
                self.lookups.follow_types(&self.component, &self.target);
                types::served_types(self.target()).await.map(|types| Arc::new(json!(types)))
            }
            Question::Object(asked) => self.find(asked.place, asked.into()).await,
            Question::List(asked) => self.find(asked.place, asked.into()).await,
            other => Err(RenderError::input(format!("this operator cannot answer {other:?}"))),
        }
    }
}
