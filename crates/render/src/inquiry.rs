//! The questions that a rendering asks, and the answers that it gets.

use std::collections::{BTreeMap, BTreeSet};
use std::panic;
use std::rc::Rc;
use std::sync::Arc;

use parking_lot::Mutex;
use serde_json::Value;
use tokio::runtime::Handle;
use tokio::task::spawn_blocking;

use crate::RenderError;
use crate::answers::{KnownAnswers, RunQuestions};
use crate::environment::{Asked, Environment, Question, answer_digest};
use crate::kubeconfig::LookupKubeconfig;

/// The number of times that a synchronous rendering is run to find out its questions. Each run but the last finds at least one.
const LARGEST_NUMBER_OF_RUNS: usize = 500;

/// The environment of a rendering, with the answers that it has given so far. A repeated question gets the same answer.
pub(crate) struct Inquiry {
    environment: Arc<dyn Environment>,
    answers: Mutex<BTreeMap<Question, GivenAnswer>>,
}

/// An answer of the environment.
struct GivenAnswer {
    value: Arc<Value>,
    /// True if the result of the rendering depends on the answer.
    is_input: bool,
}

/// The end of one run of a synchronous rendering.
struct RunEnd<T> {
    result: Result<T, RenderError>,
    questions: RunQuestions,
}

impl Inquiry {
    pub(crate) fn of(environment: Arc<dyn Environment>) -> Self {
        Self { environment, answers: Mutex::default() }
    }

    /// Returns the answer of a question, which becomes an input of the rendering.
    pub(crate) async fn ask(&self, question: Question) -> Result<Arc<Value>, RenderError> {
        let answer = self.find(&question).await?;
        self.note_inputs(&BTreeSet::from([question]));
        Ok(answer)
    }

    /// Returns the inputs so far: questions, with the digests of their answers.
    pub(crate) fn asked(&self) -> Asked {
        let answers = self.answers.lock();
        let inputs = answers.iter().filter(|(_, answer)| answer.is_input);
        inputs.map(|(question, answer)| (question.clone(), answer_digest(&answer.value))).collect()
    }

    /// Runs a synchronous rendering on a thread that may be blocked. The rendering takes its answers from [`KnownAnswers`]. A run that has asked a
    /// question without an answer does not count: the environment is asked, and the rendering runs again. The questions of the run that counts become
    /// inputs, also if it failed, and so do those of a run whose next question cannot be answered.
    ///
    /// The rendering must be determined by the answers.
    pub(crate) async fn run<T, R>(&self, rendering: R) -> Result<T, RenderError>
    where
        T: Send + 'static,
        R: Fn(&Rc<KnownAnswers>) -> Result<T, RenderError> + Send + Sync + 'static,
    {
        let rendering = Arc::new(rendering);
        for _ in 0..LARGEST_NUMBER_OF_RUNS {
            let (known, rendering) = (self.known(), Arc::clone(&rendering));
            let end = on_blocking_thread(move || {
                let answers = Rc::new(KnownAnswers::new(known));
                let result = rendering(&answers);
                RunEnd { result, questions: answers.take_questions() }
            })
            .await;
            let RunQuestions { used, unanswered, kubeconfigs } = end.questions;
            let questions = unanswered.into_questions();
            if questions.is_empty() {
                self.note_inputs(&used);
                return end.result;
            }
            for question in &questions {
                let kubeconfig = question.kubeconfig().and_then(|digest| kubeconfigs.get(&digest));
                if let Err(error) = self.learn(question, kubeconfig).await {
                    // The question may follow from the answers so far, so another one of these can end the error.
                    self.note_inputs(&used);
                    return Err(error);
                }
            }
        }
        Err(RenderError::input(format!("the templates look up more than {LARGEST_NUMBER_OF_RUNS} objects one after the other")))
    }

    /// Asks a question of a run, about the cluster of this kubeconfig if there is one.
    async fn learn(&self, question: &Question, kubeconfig: Option<&LookupKubeconfig>) -> Result<(), RenderError> {
        if let Some(kubeconfig) = kubeconfig {
            self.environment.connect(kubeconfig, question).await?;
        }
        self.find(question).await.map(drop)
    }

    async fn find(&self, question: &Question) -> Result<Arc<Value>, RenderError> {
        if let Some(known) = self.answers.lock().get(question) {
            return Ok(Arc::clone(&known.value));
        }
        let value = self.environment.answer(question).await?;
        let mut answers = self.answers.lock();
        let answer = answers.entry(question.clone()).or_insert(GivenAnswer { value, is_input: false });
        Ok(Arc::clone(&answer.value))
    }

    fn note_inputs(&self, questions: &BTreeSet<Question>) {
        let mut answers = self.answers.lock();
        for question in questions {
            if let Some(answer) = answers.get_mut(question) {
                answer.is_input = true;
            }
        }
    }

    fn known(&self) -> BTreeMap<Question, Arc<Value>> {
        self.answers.lock().iter().map(|(question, answer)| (question.clone(), Arc::clone(&answer.value))).collect()
    }
}

/// Runs work on the pool of the runtime for blocking work; on the same thread if there is no runtime. A panic of the work is one of the caller.
async fn on_blocking_thread<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> T {
    if Handle::try_current().is_err() {
        return work();
    }
    match spawn_blocking(work).await {
        Ok(result) => result,
        Err(error) => match error.try_into_panic() {
            Ok(payload) => panic::resume_unwind(payload),
            // The runtime is shutting down; so is the task that waits here.
            Err(_) => std::future::pending().await,
        },
    }
}
