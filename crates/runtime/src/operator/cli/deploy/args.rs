//! The arguments of the command `deploy`, and the documents that it prints.

use clap::Args;
use kubewright_machinery::object::names::label_value;
use kubewright_machinery::quantity::Quantity;
use serde_json::{Value, json};

use super::super::args::{Installation, RbacArgs, access_documents};
use super::container::ContainerFlags;
use super::error::DeployError;
use super::workload::{Requests, Workload};
use crate::operator::name_problems::{namespace_problem, operator_name_problem};
use crate::operator::{Operator, OperatorOptions};

#[derive(Clone, Debug, Args)]
pub(in super::super) struct DeployArgs {
    #[command(flatten)]
    roles: RbacArgs,
    /// The container image, of which the entry point is this program; the one that the program names by default
    #[arg(long, value_name = "IMAGE")]
    image: Option<String>,
    /// Pods that run the operator. With one there is no disruption budget, and an upgrade ends the old pod first
    #[arg(long, value_name = "NUMBER", default_value_t = 2, value_parser = clap::value_parser!(u16).range(1..))]
    replicas: u16,
    /// The CPU that each pod requests
    #[arg(long, value_name = "QUANTITY", default_value = "50m", value_parser = quantity)]
    cpu: String,
    /// The memory that each pod requests
    #[arg(long, value_name = "QUANTITY", default_value = "64Mi", value_parser = quantity)]
    memory: String,
    /// Adds a headless Service, by which metrics of each pod are found
    #[arg(long)]
    metrics_service: bool,
    /// Leaves out the namespace that the operator runs in
    #[arg(long)]
    no_namespace: bool,
    /// Leaves out the CRDs, which the command `crds` prints too
    #[arg(long)]
    no_crds: bool,
    /// Flags of the command `run`, for the container
    #[arg(last = true, value_name = "FLAGS")]
    run: Vec<String>,
}

impl DeployArgs {
    /// Returns the documents to print for an operator with its own options, and remarks about omissions of its author.
    pub(in super::super) fn documents(self, operator: Operator) -> Result<(Vec<Value>, Vec<String>), DeployError> {
        let container = ContainerFlags::parse(self.run)?;
        let Installation { operator, name, .. } = self.roles.installation(operator);
        let (operator, options) = container.apply(operator);
        let namespace = options.system_namespace.clone().ok_or(DeployError::NoNamespace)?;
        check_names(&name, &namespace, &options.watch_namespaces)?;
        let workload = Workload {
            image: image(self.image.or_else(|| options.image.clone()))?,
            version: label(operator.program_version()),
            args: container.args(&options.watch_namespaces),
            admin_port: admin_port(&options)?,
            replicas: self.replicas,
            requests: Requests { cpu: self.cpu, memory: self.memory },
            options,
            namespace,
            name,
        };
        if workload.replicas > 1 && workload.options.leadership.sharing().is_none() {
            let problem =
                "the leadership of the operator is off, so that each replica would work on every object; print it with 1";
            return Err(DeployError::Refused {
                flag: "--replicas",
                found: workload.replicas.to_string(),
                problem: problem.to_owned(),
            });
        }
        let declarations = operator.declarations();
        let mut documents = Vec::new();
        if !self.no_namespace {
            // The namespace may be shared with others, so it has no labels of this operator.
            documents.push(json!({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": workload.namespace}}));
        }
        if !self.no_crds {
            documents.extend(declarations.crds().cloned());
        }
        let mut ours = access_documents(&declarations, &workload.name, Some(&workload.namespace));
        if self.metrics_service {
            ours.push(workload.metrics_service()?);
        }
        ours.extend(workload.disruption_budget());
        ours.push(workload.deployment());
        for document in &mut ours {
            document["metadata"]["labels"] = json!(workload.labels());
        }
        documents.extend(ours);
        Ok((documents, declarations.remarks().to_vec()))
    }
}

/// Rejects names that the server would refuse or warn about: manifests are often applied later and elsewhere.
fn check_names(name: &str, system: &str, watched: &[String]) -> Result<(), DeployError> {
    let check = |flag, found: &str, problem: Option<String>| match problem {
        Some(problem) => Err(DeployError::Refused { flag, found: found.to_owned(), problem }),
        None => Ok(()),
    };
    check("--prefix", name, operator_name_problem(name))?;
    check("--system-namespace", system, namespace_problem(system))?;
    watched.iter().try_for_each(|namespace| check("--watch-namespaces", namespace, namespace_problem(namespace)))
}

fn image(named: Option<String>) -> Result<String, DeployError> {
    let image = named.filter(|image| !image.is_empty()).ok_or(DeployError::NoImage)?;
    if image.contains(char::is_whitespace) {
        let problem = "must be a name like registry.example.com/operator:1.0.0, without spaces".to_owned();
        return Err(DeployError::Refused { flag: "--image", found: image, problem });
    }
    Ok(image)
}

/// Returns the port of probes and metrics, or None if the admin server is off.
fn admin_port(options: &OperatorOptions) -> Result<Option<u16>, DeployError> {
    match options.admin {
        Some(address) if address.port() == 0 || address.ip().is_loopback() => Err(DeployError::Unreachable(address)),
        address => Ok(address.map(|address| address.port())),
    }
}

/// Returns a version as the value of a label, or None if it is unknown or invalid as one.
fn label(version: &str) -> Option<String> {
    // The build metadata of a semantic version begins with a plus sign, which labels must not contain.
    let label = version.replace('+', "_");
    (version != "unknown" && !label.is_empty() && label_value(&label).is_empty()).then_some(label)
}

fn quantity(text: &str) -> Result<String, String> {
    let parsed = Quantity::parse(text).ok().filter(|quantity| !quantity.is_zero() && !quantity.is_negative());
    parsed.map(|_| text.to_owned()).ok_or_else(|| "it must be a quantity above zero, like 100m, 0.5, 64Mi or 1Gi".to_owned())
}
