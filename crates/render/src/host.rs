//! The host of templates in a rendering: its time, its randomness, and the clusters that it may ask.

use std::any::Any;
use std::cell::RefCell;
use std::rc::Rc;
use std::sync::Arc;

use jiff::Timestamp;
use kubewright_template::TemplateHost;
use serde_json::Value;

use crate::RenderInputs;
use crate::answers::KnownAnswers;
use crate::environment::{Place, Question};
use crate::file_map::FileMap;
use crate::kubeconfig::LookupKubeconfig;
use crate::random::SeededBytes;

/// The host of all templates of one run of a rendering.
pub(crate) struct RenderHost {
    answers: Rc<KnownAnswers>,
    now: Timestamp,
    random: RefCell<SeededBytes>,
    inputs: RenderInputs,
    /// The component as JSON; null without one.
    component: Arc<Value>,
    /// The files that the functions of files see.
    files: RefCell<Arc<FileMap>>,
}

/// The text of the error that ends a run which needs an object that is not known yet. It is never seen by users: the run is repeated.
pub(crate) const UNANSWERED: &str = "the object is not known yet";

impl RenderHost {
    pub(crate) fn new(inputs: &RenderInputs, answers: &Rc<KnownAnswers>) -> Self {
        Self {
            answers: Rc::clone(answers),
            now: inputs.created.unwrap_or(Timestamp::UNIX_EPOCH),
            random: RefCell::new(SeededBytes::new(inputs)),
            inputs: inputs.clone(),
            component: Arc::default(),
            files: RefCell::default(),
        }
    }

    /// Adds the component as JSON.
    pub(crate) fn with_component(mut self, component: Arc<Value>) -> Self {
        self.component = component;
        self
    }

    /// Sets the files that the functions of files see from now on.
    pub(crate) fn set_files(&self, files: &Arc<FileMap>) {
        *self.files.borrow_mut() = Arc::clone(files);
    }

    /// Returns the files that the functions of files see.
    pub(crate) fn files(&self) -> Arc<FileMap> {
        Arc::clone(&self.files.borrow())
    }

    /// Returns the component as JSON; null without one.
    pub(crate) fn component(&self) -> &Value {
        &self.component
    }

    /// Returns the inputs of the rendering besides the component.
    pub(crate) const fn inputs(&self) -> &RenderInputs {
        &self.inputs
    }

    /// Returns the time that `now` gives: that of the component's creation, so that a second rendering is equal.
    pub(crate) const fn time(&self) -> Timestamp {
        self.now
    }

    /// Returns the answers of the run.
    pub(crate) fn answers(&self) -> &KnownAnswers {
        &self.answers
    }

    /// Returns the place of the cluster of a kubeconfig.
    pub(crate) fn place_of(&self, kubeconfig: LookupKubeconfig) -> Place {
        self.answers.place_of(kubeconfig)
    }

    /// Returns the answer of a question for objects. The error ends the run.
    pub(crate) fn objects(&self, question: Question) -> Result<Arc<Value>, String> {
        self.answers.ask(question).ok_or_else(|| UNANSWERED.to_owned())
    }

    pub(crate) fn fill(&self, buffer: &mut [u8]) {
        self.random.borrow_mut().fill(buffer);
    }
}

impl TemplateHost for RenderHost {
    fn now(&self) -> Timestamp {
        self.time()
    }

    fn fill_random(&self, buffer: &mut [u8]) {
        self.fill(buffer);
    }

    fn as_any(&self) -> &dyn Any {
        self
    }
}
