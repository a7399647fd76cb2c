use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use kubewright_core::flow::{Delay, Failure, Reason, Wait};
use kubewright_machinery::object::Key;
use kubewright_render::{Environment, KubeconfigDigest, LookupKubeconfig, Place, Question, RenderError};
use kubewright_runtime::cluster::Cluster;
use kubewright_runtime::targets::TargetError;
use parking_lot::Mutex;
use serde_json::{Value, json};

use super::object::Lookup;
use super::registry::{LookupSubject, Lookups, Scene};
use super::{object, types};
use crate::targets::REFUSED;

/// The environment of one component's renderings in one pass, which answers their questions about clusters.
pub(crate) struct PassEnvironment {
    pub(super) lookups: Lookups,
    pub(super) component: Key,
    pub(super) local: Scene,
    pub(super) target: Scene,
    /// The delay after which another pass has checked the cluster of a kubeconfig, if a question met such a check.
    pub(super) checked_elsewhere: Mutex<Option<Duration>>,
}

impl PassEnvironment {
    /// Ends the component's watches on all subjects other than those of these questions.
    pub(crate) fn keep<'a>(&self, asked: impl Iterator<Item = &'a Question> + Clone) {
        let subjects = asked.clone().filter_map(|question| self.subject(question)).collect();
        let kubeconfigs = asked.filter_map(|question| match place(question) {
            Some(Place::Kubeconfig(digest)) => Some(digest),
            _ => None,
        });
        self.lookups.keep(&self.component, &subjects, &kubeconfigs.collect());
    }

    /// Returns the delay of the next pass if a question could not be answered because another pass was checking a cluster.
    pub(crate) fn checked_elsewhere(&self) -> Option<Duration> {
        *self.checked_elsewhere.lock()
    }

    /// Returns the objects or the types that are watched for an answer. `None` for the version of a server, whose change no event reports.
    fn subject(&self, question: &Question) -> Option<LookupSubject> {
        match question {
            Question::Serves(_) | Question::ApiVersions | Question::ServedTypes => {
                Some(LookupSubject::Types { scene: self.target.name.clone() })
            }
            Question::Object(asked) => self.objects(asked.place, asked.into()),
            Question::List(asked) => self.objects(asked.place, asked.into()),
            _ => None,
        }
    }

    fn objects(&self, place: Place, lookup: Lookup) -> Option<LookupSubject> {
        let scene = match place {
            Place::Kubeconfig(digest) => Scene::of(self.lookups.connected(&self.component, digest)?.cluster()),
            Place::Local => self.local.clone(),
            _ => self.target.clone(),
        };
        Some(LookupSubject::Objects { scene: scene.name, lookup })
    }

    async fn find(&self, place: Place, lookup: Lookup) -> Result<Arc<Value>, RenderError> {
        let scene = match place {
            Place::Kubeconfig(digest) => &self.reach(digest, &lookup).await?,
            Place::Local => &self.local,
            _ => &self.target,
        };
        let watched = self.lookups.watch(&self.component, scene, lookup);
        object::find(&scene.cluster, &watched).await
    }

    /// Returns the cluster of a kubeconfig that the component is connected to, if it answers.
    async fn reach(&self, kubeconfig: KubeconfigDigest, lookup: &Lookup) -> Result<Scene, RenderError> {
        let Some(target) = self.lookups.connected(&self.component, kubeconfig) else {
            return Err(RenderError::transient(format!("look up {lookup} with a kubeconfig: its cluster is not connected")));
        };
        match target.check().await {
            Ok(()) => Ok(Scene::of(target.cluster())),
            Err(error) => {
                if error.is_open {
                    *self.checked_elsewhere.lock() = Some(error.again);
                }
                let wait = Wait::after(Delay::at_least_min(error.again), Reason::new("Retrying"));
                Err(wait.message(format!("look up {lookup} with a kubeconfig: {error}")).into())
            }
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
            Question::ServedTypes => {
                self.lookups.follow_types(&self.component, &self.target);
                types::served_types(self.target()).await.map(Arc::new)
            }
            Question::Object(asked) => self.find(asked.place, asked.into()).await,
            Question::List(asked) => self.find(asked.place, asked.into()).await,
            other => Err(RenderError::input(format!("this operator cannot answer {other:?}"))),
        }
    }

    async fn connect(&self, kubeconfig: &LookupKubeconfig, question: &Question) -> Result<(), RenderError> {
        let Err(error) = self.lookups.connect(&self.component, kubeconfig).await else { return Ok(()) };
        let asked = match question {
            Question::Object(asked) => format!("look up {}", Lookup::from(asked)),
            Question::List(asked) => format!("look up {}", Lookup::from(asked)),
            _ => "look up objects".to_owned(),
        };
        Err(refused(&asked, &error).into())
    }
}

/// Returns the failure of a lookup whose kubeconfig is refused (TGT-5).
fn refused(asked: &str, error: &TargetError) -> Failure {
    Failure::terminal(Reason::new(REFUSED), format!("{asked} with a kubeconfig: {error}"))
}

/// Returns the cluster that a question for objects is about.
fn place(question: &Question) -> Option<Place> {
    match question {
        Question::Object(asked) => Some(asked.place),
        Question::List(asked) => Some(asked.place),
        _ => None,
    }
}
