//! Parameters from a template.

use std::path::Path;
use std::sync::Arc;

use kubewright_machinery::object::json_type;
use kubewright_template::library::data::parse_yaml;
use kubewright_template::{Delimiters, GoValue, TemplateError, TemplateLimits, TemplateSet};
use serde_json::{Map, Value};

use super::Transform;
use crate::functions::base_functions;
use crate::host::RenderHost;
use crate::template_error::template_error;
use crate::{InputError, RenderContext, RenderError};

/// Parameters from a template: a file that renders to a YAML map, which replaces the parameters of the generator.
///
/// The data of the template are the parameters so far, and the keys `Namespace` and `Name` of the deployment. Missing keys render empty. The functions
/// are those of templates of kustomizations, without lookups: a generator of the author's own code asks the cluster.
///
/// The template is read and parsed once, at construction. Its errors are reported when the operator starts.
///
/// ```
/// use kubewright_render::ParameterTemplate;
///
/// let template = ParameterTemplate::embedded("values.yaml.tpl", "fullnameOverride: {{ .Name }}\nreplicaCount: {{ .replicas | default 2 }}\n");
/// ```
#[derive(Clone, Debug)]
pub struct ParameterTemplate {
    name: Arc<str>,
    template: Result<Arc<TemplateSet>, TemplateFault>,
}

/// The reason for which there is no template.
#[derive(Clone, Debug)]
enum TemplateFault {
    Unreadable(String),
    Malformed(TemplateError),
}

impl ParameterTemplate {
    /// Creates parameters from a text, such as `include_str!("values.yaml.tpl")`; the name is used in messages.
    pub fn embedded(name: &str, text: &str) -> Self {
        let mut set = TemplateSet::new(Arc::new(base_functions()), Delimiters::default());
        let template = set.add(name, text).map(|()| Arc::new(set)).map_err(TemplateFault::Malformed);
        Self { name: name.into(), template }
    }

    /// Reads the template from a file.
    pub fn file(path: impl AsRef<Path>) -> Self {
        let name = path.as_ref().display().to_string();
        match std::fs::read_to_string(&path) {
            Ok(text) => Self::embedded(&name, &text),
            Err(error) => Self { name: name.into(), template: Err(TemplateFault::Unreadable(error.to_string())) },
        }
    }

    fn template(&self) -> Result<&Arc<TemplateSet>, RenderError> {
        self.template.as_ref().map_err(|fault| match fault {
            TemplateFault::Unreadable(message) => InputError::new(message).file(&*self.name).into(),
            TemplateFault::Malformed(error) => template_error(error, str::to_owned).into(),
        })
    }
}

impl<C: Send + Sync + 'static> Transform<C> for ParameterTemplate {
    async fn parameters(
        &self,
        context: &RenderContext<C>,
        mut parameters: Map<String, Value>,
    ) -> Result<Map<String, Value>, RenderError> {
        let (name, set) = (Arc::clone(&self.name), Arc::clone(self.template()?));
        let inputs = context.inputs().clone();
        parameters.insert("Namespace".to_owned(), inputs.namespace.clone().into());
        parameters.insert("Name".to_owned(), inputs.name.clone().into());
        context
            .run(move |answers| {
                let host = RenderHost::new(&inputs, answers);
                let output = set
                    .execute(
                        &name,
                        &GoValue::with_integers(&Value::Object(parameters.clone())),
                        &host,
                        &TemplateLimits::default(),
                    )
                    .map_err(|error| template_error(&error, str::to_owned))?;
                read(&output.to_text().replace("<no value>", "")).map_err(|message| {
                    InputError::new(format!("the rendered parameters are no YAML map: {message}")).file(&*name).into()
                })
            })
            .await
    }

    fn check(&self) -> Result<(), RenderError> {
        self.template().map(drop)
    }
}

/// Reads rendered parameters. An empty text is an empty map.
fn read(text: &str) -> Result<Map<String, Value>, String> {
    match parse_yaml(text.as_bytes())? {
        Value::Object(parameters) => Ok(parameters),
        Value::Null => Ok(Map::new()),
        other => Err(format!("they are of type {}", json_type(&other))),
    }
}
