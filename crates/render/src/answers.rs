//! The answers that a synchronous rendering finds, and the questions that it finds no answer for.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use serde_json::Value;

use crate::environment::{Place, Question};
use crate::kubeconfig::{KubeconfigDigest, LookupKubeconfig};

/// The answers that are known before one run of a synchronous rendering, and the questions of the run.
pub(crate) struct KnownAnswers {
    known: BTreeMap<Question, Arc<Value>>,
    used: RefCell<BTreeSet<Question>>,
    unanswered: RefCell<Unanswered>,
    /// The kubeconfigs of the run. The questions have only their digests.
    kubeconfigs: RefCell<BTreeMap<KubeconfigDigest, LookupKubeconfig>>,
}

/// The questions and kubeconfigs of a run.
pub(crate) struct RunQuestions {
    /// The questions that had an answer.
    pub(crate) used: BTreeSet<Question>,
    /// The questions that no answer was known for.
    pub(crate) unanswered: Unanswered,
    /// The kubeconfigs of the clusters that were asked.
    pub(crate) kubeconfigs: BTreeMap<KubeconfigDigest, LookupKubeconfig>,
}

/// The questions of a run that no answer was known for.
#[derive(Debug, Default)]
pub(crate) struct Unanswered {
    /// The questions about capabilities. The run goes on without their answers, so that one run finds many.
    capabilities: BTreeSet<Question>,
    /// The first question for objects. The run ends with it: later ones might depend on its answer.
    objects: Option<Question>,
}

impl Unanswered {
    /// Returns the questions to ask next. The arguments of a question for objects may depend on capabilities, so these come first.
    pub(crate) fn into_questions(self) -> Vec<Question> {
        if self.capabilities.is_empty() { self.objects.into_iter().collect() } else { self.capabilities.into_iter().collect() }
    }
}

impl KnownAnswers {
    pub(crate) fn new(known: BTreeMap<Question, Arc<Value>>) -> Self {
        Self { known, used: RefCell::default(), unanswered: RefCell::default(), kubeconfigs: RefCell::default() }
    }

    /// Returns all known answers, without using them.
    pub(crate) fn known(&self) -> impl Iterator<Item = (&Question, &Value)> {
        self.known.iter().map(|(question, answer)| (question, &**answer))
    }

    /// Returns the answer of a question, which becomes an input of the rendering if this run counts. None if it is not known; the run does not count
    /// then, and a rendering that needs an object ends.
    pub(crate) fn ask(&self, question: Question) -> Option<Arc<Value>> {
        if let Some(answer) = self.known.get(&question) {
            self.used.borrow_mut().insert(question);
            return Some(Arc::clone(answer));
        }
        let mut unanswered = self.unanswered.borrow_mut();
        match question {
            Question::Object(_) | Question::List(_) => {
                unanswered.objects.get_or_insert(question);
            }
            _ => {
                unanswered.capabilities.insert(question);
            }
        }
        None
    }

    /// Returns the place of the cluster of a kubeconfig, which is kept for the time of the run.
    pub(crate) fn place_of(&self, kubeconfig: LookupKubeconfig) -> Place {
        let digest = kubeconfig.digest();
        self.kubeconfigs.borrow_mut().insert(digest, kubeconfig);
        Place::Kubeconfig(digest)
    }

    /// Takes the questions and kubeconfigs of the run.
    pub(crate) fn take_questions(&self) -> RunQuestions {
        RunQuestions { used: self.used.take(), unanswered: self.unanswered.take(), kubeconfigs: self.kubeconfigs.take() }
    }
}
